//! Accountants that lie, crash, stay silent and babble; and an honest one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rug::{Float, Rational};

use super::answer::Hello;
use super::campaign::{Known, Plan, Step, Tally, run};
use super::fakes::{Answer, Fake, campaign, honest, lie, plan, quick};
use super::judge::Kind;
use super::process::{Accountant, Process, Reply};
use super::process_tests::shell;
use crate::analysis::{Resources, Subject};
use crate::bounds::Target;
use crate::input::claim_file_from_bytes;
use crate::kernel::Budget;
use crate::number::{float_down, float_up};
use crate::statement::{Quantity, Query};
use crate::verdict::judge;

fn of_kind(tally: &Tally, kind: Kind) -> Vec<&Known> {
    tally
        .findings
        .iter()
        .filter(|known| known.kind == kind)
        .collect()
}

/// The verdicts on the claims of a finding's file.
fn verdicts(toml: &str) -> Vec<&'static str> {
    let file = claim_file_from_bytes("finding", toml.as_bytes()).unwrap();
    let budget = Budget::unlimited();
    let subject =
        Subject::new(&file.mechanism.mechanism, file.mechanism.adjacency, &budget).unwrap();
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    };
    let detail = Target::Relative(Rational::from((1, 1000)));
    let claims = file.claims.iter();
    claims
        .map(|entry| {
            judge(entry, Ok(&subject), &resources, &detail, None)
                .unwrap()
                .outcome
                .as_str()
        })
        .collect()
}

#[test]
fn a_liar_is_found_and_its_lie_is_refuted_again() {
    let tally = campaign(&plan(1, 60, 1, quick()), lie);
    let found = of_kind(&tally, Kind::Unsound);
    assert!(!found.is_empty(), "{tally:?}");
    for known in found {
        assert_eq!(verdicts(&known.toml), ["refuted"], "{}", known.toml);
        assert!(known.toml.contains("closed form"), "{}", known.toml);
        let json: serde_json::Value = serde_json::from_str(&known.json).unwrap();
        assert!(known.json.starts_with("{\"schema\":\"dpcmp.finding/1\""));
        assert_eq!(json["query"]["kind"], "epsilon");
    }
    assert!(tally.internal.is_empty() && tally.gave_up.is_none());
}

/// The number of cases: `DPCMP_FUZZ_CASES`.
#[test]
fn nothing_is_found_in_an_honest_accountant() {
    let cases = std::env::var("DPCMP_FUZZ_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    let usual = |base| u64::from(crate::test_scale::cases(base));
    let all = Hello::default();
    for (seed, cases, hello, expected) in [
        (2, cases.unwrap_or_else(|| usual(15)), quick(), 0.5),
        // What is not narrow in time is declined: how much that is, is a matter of the machine.
        (3, cases.unwrap_or_else(|| usual(3)), all, 0.0),
    ] {
        let tally = campaign(&plan(seed, cases, 2, hello), honest);
        assert_eq!(tally.cases, cases);
        assert!(tally.findings.is_empty(), "{:#?}", tally.findings);
        assert!(tally.faults.is_empty(), "{tally:?}");
        let share = tally.answered as f64 / cases as f64;
        assert!(share >= expected, "{tally:?}");
    }
}

#[test]
fn findings_do_not_depend_on_the_number_of_workers() {
    let one = campaign(&plan(7, 40, 1, quick()), lie);
    let two = campaign(&plan(7, 40, 2, quick()), lie);
    let words = |tally: &Tally| {
        tally
            .findings
            .iter()
            .map(|known| known.cause.clone())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(words(&one), words(&two));
    assert_eq!(
        (one.cases, one.faults.clone()),
        (two.cases, two.faults.clone())
    );
}

#[test]
fn a_run_goes_on_from_an_earlier_one() {
    let mut steps: Vec<Step> = Vec::new();
    let first = plan(7, 15, 1, quick());
    run(&first, &|| Ok(Fake::narrow(lie)), &mut |step, _| {
        steps.extend(step.cloned())
    });
    assert_eq!(steps.len(), 15);
    let second = Plan {
        earlier: steps,
        ..plan(7, 40, 1, quick())
    };
    let resumed = campaign(&second, lie);
    let whole = campaign(&plan(7, 40, 1, quick()), lie);
    assert_eq!((resumed.cases, resumed.cases_now), (40, 25));
    assert_eq!(resumed.findings, whole.findings);
    assert_eq!(resumed.faults, whole.faults);
}

#[test]
fn nonsense_of_every_sort() {
    let sorts: [fn(&Query, &Float, &Float) -> String; 6] = [
        |_, _, _| "\"value\":\"nan\"".into(),
        |_, _, _| "\"value\":null".into(),
        |_, _, _| "\"lower\":\"nan\",\"upper\":\"inf\"".into(),
        |_, _, _| "\"answer\":1".into(),
        |_, _, _| "\"value\":1,\"upper\":2".into(),
        |query, _, _| match query.quantity() {
            Quantity::TradeOff { .. } | Quantity::BayesError { .. } => {
                "\"lower\":0,\"upper\":\"-inf\"".into()
            }
            _ => "\"lower\":\"inf\",\"upper\":1e9".into(),
        },
    ];
    for answer in sorts {
        let tally = campaign(&plan(5, 4, 1, quick()), answer);
        let kinds: Vec<Kind> = tally.faults.keys().copied().collect();
        assert_eq!(kinds, [Kind::Nonsense]);
        for known in of_kind(&tally, Kind::Nonsense) {
            // The file says what a true claim would have been.
            assert!(verdicts(&known.toml).iter().all(|word| *word == "verified"));
        }
    }
    // A δ above 1 guarantees nothing, and is no δ.
    let tally = campaign(&plan(5, 4, 1, only(&["delta"])), |_, _, _| {
        "\"value\":1.1".into()
    });
    assert!(tally.faults.contains_key(&Kind::Nonsense), "{tally:?}");
    // An error of less than nothing is a guarantee of nothing.
    let tally = campaign(&plan(5, 4, 1, only(&["tradeoff"])), |_, _, _| {
        "\"value\":-1e-17".into()
    });
    assert!(!tally.faults.contains_key(&Kind::Nonsense), "{tally:?}");
}

fn only(queries: &[&str]) -> Hello {
    Hello {
        queries: Some(queries.iter().map(|query| (*query).to_owned()).collect()),
        ..quick()
    }
}

/// What no mechanism has is false of each.
#[test]
fn impossible_guarantees_are_false_ones() {
    let gaussian = |query: &str| Hello {
        mechanisms: Some(vec!["gaussian".into(), "laplace".into()]),
        ..only(&[query])
    };
    let answers: [(&str, Answer); 4] = [
        ("epsilon", |_, _, _| "\"value\":\"-inf\"".into()),
        ("advantage", |_, _, _| "\"value\":-0.5".into()),
        ("tradeoff", |_, _, _| "\"value\":1.07".into()),
        ("bayes-error", |_, _, _| "\"value\":0.9".into()),
    ];
    for (query, answer) in answers {
        let tally = campaign(&plan(5, 12, 1, gaussian(query)), answer);
        let kinds: Vec<Kind> = tally.faults.keys().copied().collect();
        assert_eq!(kinds, [Kind::Unsound], "{query} {tally:?}");
        for known in &tally.findings {
            assert!(known.toml.contains("closed form"), "{}", known.toml);
            let states_it = !known.toml.contains("the claim below is a true one");
            let expected = if states_it { "refuted" } else { "verified" };
            assert_eq!(verdicts(&known.toml), [expected], "{}", known.toml);
        }
    }
}

/// Of mechanisms whose losses end, at priors beyond them, R(π) = min(π, 1 − π), which no claim about δ can miss.
#[test]
fn bayes_errors_at_large_priors_are_judged() {
    let hello = Hello {
        mechanisms: Some(vec!["laplace".into(), "randomized-response".into()]),
        ..only(&["bayes-error"])
    };
    let most_if_large = |query: &Query, lower: &Float, upper: &Float| match query.quantity() {
        Quantity::BayesError { prior } if *prior > Rational::from((9, 10)) => {
            "\"value\":0.9".to_owned()
        }
        _ => honest(query, lower, upper),
    };
    let large = std::cell::Cell::new(0);
    let generator = super::generate::Generator::new(4, &hello);
    for number in 0..100 {
        if let Some(draw) = generator.draw(number)
            && let super::case::Ask::BayesError { prior } = draw.case.ask
        {
            large.set(large.get() + u64::from(prior.to_f64() > 0.9));
        }
    }
    let tally = campaign(&plan(4, 100, 1, hello), most_if_large);
    assert!(large.get() > 0);
    assert_eq!(
        tally.faults.get(&Kind::Unsound),
        Some(&large.get()),
        "{tally:?}"
    );
}

/// Answers of more digits than a claim file takes.
#[test]
fn long_lies_are_confirmed() {
    let tally = campaign(&plan(1, 20, 1, only(&["delta"])), |query, lower, upper| {
        if *lower < 1e-4 {
            return honest(query, lower, upper);
        }
        let short = float_down(&Float::with_val(64, lower * 0.9), 12);
        format!("\"value\":\"{short}{}\"", "123456789".repeat(66))
    });
    let found = of_kind(&tally, Kind::Unsound);
    assert!(!found.is_empty(), "{tally:?}");
    for known in found {
        assert_eq!(verdicts(&known.toml), ["refuted"], "{}", known.toml);
    }
}

/// Nobody confirmed an earlier lie with the same cause.
#[test]
fn an_unconfirmed_lie_hides_no_other() {
    let whole = campaign(&plan(1, 60, 1, quick()), lie);
    let known = (*of_kind(&whole, Kind::Unsound).last().unwrap()).clone();
    assert!(known.number > 0, "{known:?}");
    let doubtful = Known {
        number: 0,
        kind: Kind::Unconfirmed,
        ..known.clone()
    };
    let earlier = vec![Step {
        suspect: Some(known.first_cause.clone()),
        kinds: BTreeSet::from([Kind::Unsound]),
        findings: vec![doubtful],
        ..Step::default()
    }];
    for jobs in [1, 2] {
        let earlier = earlier.clone();
        let tally = campaign(
            &Plan {
                earlier,
                ..plan(1, 60, jobs, quick())
            },
            lie,
        );
        let found = of_kind(&tally, Kind::Unsound);
        assert!(found.contains(&&known), "{found:?}");
        assert!(of_kind(&tally, Kind::Unconfirmed).is_empty());
        assert!(!tally.faults.contains_key(&Kind::Unconfirmed));
    }
}

/// What was begun when the user stopped is asked again by the next run.
#[test]
fn what_is_cut_short_is_not_recorded_as_done() {
    struct Stopping(Fake, Arc<AtomicBool>);
    impl Accountant for Stopping {
        fn ask(&mut self, line: &str) -> Reply {
            let reply = self.0.ask(line);
            self.1.store(true, std::sync::atomic::Ordering::Relaxed);
            reply
        }
    }
    let plan = plan(1, 9, 1, only(&["epsilon"]));
    let mut steps: Vec<Step> = Vec::new();
    let stop = Arc::clone(&plan.rules.stop);
    let answer = |_: &Query, _: &Float, _: &Float| "\"value\":\"-inf\"".to_owned();
    run(
        &plan,
        &|| Ok(Stopping(Fake::narrow(answer), Arc::clone(&stop))),
        &mut |step, _| steps.extend(step.cloned()),
    );
    assert!(steps.iter().all(|step| step.cut_short), "{steps:?}");
    assert!(steps.len() < 2);
}

#[test]
fn what_is_loose_and_what_is_a_false_end() {
    let loose = |query: &Query, lower: &Float, upper: &Float| match query.quantity() {
        Quantity::TradeOff { .. } | Quantity::BayesError { .. } => {
            honest(query, &Float::with_val(64, lower / 3u32), upper)
        }
        _ => honest(query, lower, &(Float::with_val(64, upper * 3u32) + 1e-3)),
    };
    let tally = campaign(&plan(6, 25, 1, quick()), loose);
    assert!(tally.faults.contains_key(&Kind::Loose), "{tally:?}");
    for known in of_kind(&tally, Kind::Loose) {
        assert!(
            verdicts(&known.toml).iter().all(|word| *word == "verified"),
            "{}",
            known.toml
        );
    }
    let wrong_lower = |_: &Query, lower: &Float, upper: &Float| {
        let upper = Float::with_val(64, upper * 1.01);
        let _ = lower;
        format!(
            "\"lower\":\"{}\",\"upper\":\"{}\"",
            float_down(&upper, 12),
            float_up(&upper, 12)
        )
    };
    let delta = Hello {
        queries: Some(vec!["delta".into(), "advantage".into()]),
        ..quick()
    };
    let tally = campaign(&plan(6, 25, 1, delta), wrong_lower);
    assert!(tally.faults.contains_key(&Kind::FalseEnd), "{tally:?}");
    assert!(!tally.faults.contains_key(&Kind::Unsound), "{tally:?}");
    // The other end of a Bayes error, and an end alone.
    let ends: [(&str, Answer); 2] = [
        ("bayes-error", |_, _, _| {
            "\"lower\":0,\"upper\":1e-200".into()
        }),
        ("advantage", |_, _, _| "\"lower\":0.9999".into()),
    ];
    for (query, answer) in ends {
        let tally = campaign(&plan(6, 25, 1, only(&[query])), answer);
        assert!(tally.faults.contains_key(&Kind::FalseEnd), "{tally:?}");
        assert!(!tally.faults.contains_key(&Kind::Unsound), "{tally:?}");
    }
}

#[test]
fn crashes_and_silence_are_findings() {
    let hello = Hello {
        queries: Some(vec!["epsilon".into()]),
        ..quick()
    };
    for (script, kind) in [
        (
            "read hello; echo {}; read a; echo broken >&2; exit 1",
            Kind::Crash,
        ),
        ("read hello; echo {}; read a; sleep 100", Kind::Timeout),
        ("while read line; do echo babble; done", Kind::Nonsense),
    ] {
        let launch = shell(script, 200);
        let tally = run(
            &plan(1, 2, 1, hello.clone()),
            &|| Process::start(launch.clone()),
            &mut |_, _| (),
        );
        assert_eq!(tally.faults.get(&kind), Some(&2), "{script}: {tally:?}");
        assert!(!of_kind(&tally, kind).is_empty(), "{script}");
    }
    let launch = shell("read hello; echo {}; read a; exit 1", 1);
    let tally = run(
        &plan(1, 9, 1, hello),
        &|| Process::start(launch.clone()),
        &mut |_, _| (),
    );
    assert!(tally.gave_up.is_some_and(|why| why.contains("--restarts")) && tally.cases < 9);
}
