//! Accountants that lie, crash, stay silent and babble; and an honest one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rug::{Float, Rational};

use super::answer::Hello;
use super::campaign::{Known, Plan, Step, Tally, run};
use super::judge::{Kind, Rules};
use super::process::{Accountant, Launch, Process, Reply};
use crate::analysis::{Goal, Means, Quantity, Subject};
use crate::bounds::{LossAxis, Target};
use crate::input::{Query, Threshold, batch_line, claim_file_from_bytes};
use crate::kernel::Budget;
use crate::number::{float_down, float_up};
use crate::verdict::judge;

/// Answers what `answer` makes of the true enclosure.
struct Fake {
    answer: fn(&Query, &Float, &Float) -> String,
}

impl Accountant for Fake {
    fn ask(&mut self, line: &str) -> Reply {
        let asked = batch_line("fake", 1, line.as_bytes()).unwrap();
        let budget = Budget::new(Duration::from_secs(2), Arc::default());
        let Ok(subject) = Subject::new(
            &asked.mechanism.mechanism,
            asked.mechanism.adjacency,
            &budget,
        ) else {
            return declined(&asked.id);
        };
        let quantity = match &asked.query {
            Query::Delta(Threshold::Epsilon(epsilon)) => {
                Quantity::Delta(LossAxis::Epsilon(epsilon.clone()))
            }
            Query::Epsilon { delta } => Quantity::Epsilon {
                delta: delta.clone(),
            },
            Query::Tradeoff { alpha } => Quantity::TradeOff {
                alpha: alpha.clone(),
            },
            Query::Advantage => Quantity::Advantage,
            Query::BayesError { prior } => Quantity::BayesError {
                prior: prior.clone(),
            },
            _ => return declined(&asked.id),
        };
        let means = Means {
            budget: &budget,
            jobs: 1,
            progress: &|_| (),
        };
        let narrow = Rational::from((1, 10_000));
        let Ok(found) = subject.answer(
            &quantity,
            &Goal::Width(Target::Relative(narrow.clone())),
            &means,
        ) else {
            return declined(&asked.id);
        };
        if !found.enclosure.meets(&Target::Relative(narrow)) {
            return declined(&asked.id);
        }
        let (lower, upper) = (found.enclosure.lower(), found.enclosure.upper());
        let said = (self.answer)(&asked.query, lower, upper);
        Reply::Line(format!("{{\"id\":{},{said}}}", asked.id))
    }
}

fn declined(id: &str) -> Reply {
    Reply::Line(format!(
        "{{\"id\":{id},\"error\":{{\"code\":\"unsupported\"}}}}"
    ))
}

fn honest(query: &Query, lower: &Float, upper: &Float) -> String {
    let safe = match query {
        Query::Tradeoff { .. } | Query::BayesError { .. } => float_down(lower, 12),
        _ => float_up(upper, 12),
    };
    format!("\"value\":\"{safe}\"")
}

/// Three per cent too good where ε is between 1 and 50.
fn lie(query: &Query, lower: &Float, upper: &Float) -> String {
    if matches!(query, Query::Epsilon { .. }) && *lower > 1 && *upper < 50 {
        let shaved = Float::with_val(64, lower * 0.97);
        return format!("\"value\":\"{}\"", float_down(&shaved, 12));
    }
    honest(query, lower, upper)
}

/// Only mechanisms with closed forms, so that many cases take little time and no certificates are needed.
fn quick() -> Hello {
    let kinds = ["gaussian", "laplace", "randomized-response", "finite"];
    Hello {
        name: Some("fake".into()),
        mechanisms: Some(kinds.map(str::to_owned).to_vec()),
        ..Hello::default()
    }
}

fn rules() -> Rules {
    Rules {
        slack: Rational::from((1, 1_000_000_000)),
        factor: Rational::from(2),
        certify: Duration::from_secs(3),
        stop: Arc::default(),
    }
}

fn plan(seed: u64, cases: u64, jobs: usize, hello: Hello) -> Plan<'static> {
    Plan {
        seed,
        cases,
        deadline: Some(Instant::now() + Duration::from_secs(600)),
        jobs,
        rules: rules(),
        hello,
        accountant: "fake".into(),
        command: "fake".into(),
        checker: &|_| false,
        earlier: Vec::new(),
    }
}

fn campaign(plan: &Plan<'_>, answer: fn(&Query, &Float, &Float) -> String) -> Tally {
    run(plan, &|| Ok(Fake { answer }), &mut |_, _| ())
}

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
    let means = Means {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    };
    let detail = Target::Relative(Rational::from((1, 1000)));
    let claims = file.claims.iter();
    claims
        .map(|entry| {
            judge(entry, Ok(&subject), &means, &detail)
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
    assert!(tally.internal.is_empty() && !tally.gave_up);
}

/// The number of cases: `DPCMP_FUZZ_CASES`.
#[test]
fn nothing_is_found_in_an_honest_accountant() {
    let cases = std::env::var("DPCMP_FUZZ_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    let all = Hello::default();
    for (seed, cases, hello) in [
        (2, cases.unwrap_or(150), quick()),
        (3, cases.unwrap_or(25), all),
    ] {
        let tally = campaign(&plan(seed, cases, 2, hello), honest);
        assert_eq!(tally.cases, cases);
        assert!(tally.findings.is_empty(), "{:#?}", tally.findings);
        assert!(
            tally.faults.is_empty() && tally.answered > cases / 2,
            "{tally:?}"
        );
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
    run(&first, &|| Ok(Fake { answer: lie }), &mut |step, _| {
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
    let sorts: [fn(&Query, &Float, &Float) -> String; 5] = [
        |_, _, _| "\"value\":\"nan\"".into(),
        |_, _, _| "\"value\":null".into(),
        |_, _, _| "\"value\":\"-inf\"".into(),
        |_, _, _| "\"lower\":2,\"upper\":1".into(),
        |_, _, _| "\"answer\":1".into(),
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
    let probability = Hello {
        queries: Some(vec!["delta".into(), "tradeoff".into()]),
        ..quick()
    };
    for answer in [
        (|_, _, _| "\"value\":-1e-3".into()) as fn(&Query, &Float, &Float) -> String,
        |_, _, _| "\"value\":1.1".into(),
    ] {
        let tally = campaign(&plan(5, 4, 1, probability.clone()), answer);
        assert_eq!(tally.faults.get(&Kind::Nonsense), Some(&4));
    }
}

#[test]
fn what_is_loose_and_what_is_a_false_end() {
    let loose = |query: &Query, lower: &Float, upper: &Float| match query {
        Query::Tradeoff { .. } | Query::BayesError { .. } => {
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
}

/// An accountant in the shell, which every system has.
fn shell(script: &str, restarts: u32) -> Launch {
    Launch {
        command: vec!["sh".into(), "-c".into(), script.into()],
        limit: Duration::from_millis(400),
        restarts,
        stop: Arc::new(AtomicBool::new(false)),
    }
}

#[test]
fn a_process_answers_crashes_and_stays_silent() {
    let script = "read hello; echo '{\"accountant\":\"sh\"}'; read a; echo one; read b; echo so bad >&2; exit 7";
    let mut process = Process::start(shell(script, 1)).unwrap();
    assert_eq!(process.hello().name.as_deref(), Some("sh"));
    assert_eq!(process.ask("a"), Reply::Line("one".into()));
    let Reply::Crashed(how) = process.ask("b") else {
        panic!("it exits")
    };
    assert!(how.contains("so bad") && how.contains('7'), "{how}");
    // Started again, once.
    assert_eq!(process.ask("a"), Reply::Line("one".into()));
    assert!(matches!(process.ask("b"), Reply::Crashed(_)));
    assert_eq!(process.ask("a"), Reply::GaveUp);

    let script = "read hello; echo {}; read a; echo thinking >&2; sleep 100";
    let mut process = Process::start(shell(script, 3)).unwrap();
    let start = Instant::now();
    assert_eq!(process.ask("a"), Reply::TimedOut("thinking".into()));
    assert!(start.elapsed() < Duration::from_secs(20));

    let launch = shell("read hello; echo {}; sleep 100", 3);
    let mut process = Process::start(launch.clone()).unwrap();
    launch
        .stop
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(process.ask("a"), Reply::Stopped);

    assert!(Process::start(shell("exit 3", 3)).is_err());
    let nothing = Launch {
        command: vec!["no-such-program-anywhere".into()],
        ..shell("", 1)
    };
    assert!(Process::start(nothing).is_err());
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
    assert!(tally.gave_up && tally.cases < 9);
}
