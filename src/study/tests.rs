//! The use cases as a library user calls them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::{Float, Rational};

use super::*;
use crate::analysis::{Ending, Goal, Method, Refusal};
use crate::bounds::Target;
use crate::input::{MechanismFile, claim_file_from_bytes, mechanism_from_bytes};
use crate::kernel::Failure;
use crate::mechanism::Adjacency;
use crate::statement::{Claim, Query};
use crate::verdict::{Analyst, Blackwell, Coordinate, Counterexample};

const UNSUPPORTED: &str = r#"{"kind":"subsampled","rate":"1/2","of":{"kind":"compose","of":[{"kind":"laplace","scale":1,"times":2}]}}"#;

fn limits(seconds: u64) -> Limits<'static> {
    Limits {
        max_time: Duration::from_secs(seconds),
        threads: 1,
        precision: None,
        stop: Arc::new(AtomicBool::new(false)),
        listener: &Silent,
    }
}

fn mechanism(text: &str) -> MechanismFile {
    mechanism_from_bytes("test", text.as_bytes()).unwrap()
}

#[test]
fn verdicts_are_typed() {
    let file = r#"{"mechanism":{"kind":"finite","p":["1/3","2/3"],"q":["2/3","1/3"]},
        "claim":[{"kind":"advantage","at-most":"0.25"},{"kind":"trade-off","alpha":"1/3","beta":"1/2"}]}"#;
    let claims = claim_file_from_bytes("test", file.as_bytes()).unwrap();
    let found = verify(&limits(60), &claims, "test").unwrap();
    let [advantage, trade_off] = found.judged.as_slice() else {
        panic!("two claims")
    };
    assert_eq!(
        advantage.verdict.nearest_true(),
        Some(&Claim::from_argument("advantage:at-most=0.33334").unwrap())
    );
    assert_eq!(
        advantage.verdict.counterexample(),
        Some(&Counterexample::Epsilon(Rational::new().into()))
    );
    assert_eq!(
        trade_off.verdict.nearest_true(),
        Some(&Claim::from_argument("trade-off:alpha=1/3,beta=0.33333").unwrap())
    );
    let Some(Counterexample::Point {
        alpha: Coordinate::Number(alpha),
        beta: Coordinate::Number(beta),
    }) = trade_off.verdict.counterexample()
    else {
        panic!("{:?}", trade_off.verdict)
    };
    assert_eq!(*alpha, Rational::from((1, 3)));
    // An upper bound of f(1/3) = 1/3 that is still below the claim.
    assert!(*beta >= Rational::from((1, 3)) && *beta < Rational::from((1, 2)));
    assert!(trade_off.verdict.other_nearest_true().is_none());
    assert_eq!(found.conditions, ["add/remove one record, both directions"]);
}

/// What is taken for granted of the mechanism that a claim compares with is said, where it is not the same.
#[test]
fn conditions_of_both_mechanisms_are_said() {
    let file = r#"{"mechanism":{"kind":"finite","p":["1/2","1/2"],"q":["1/2","1/2"]},"claim":
        {"kind":"dominated-by","mechanism":{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":"1/2","steps":2,"adjacency":"add"},"at-most":"1/2"}}"#;
    let claims = claim_file_from_bytes("test", file.as_bytes()).unwrap();
    assert_eq!(
        super::conditions_of(&claims),
        [
            "add/remove one record, both directions",
            "of the mechanism in `dominated-by`: Poisson sampling",
            "of the mechanism in `dominated-by`: add one record: the pair (Q, P)",
            "of the mechanism in `dominated-by`: real-valued noise, not its floating-point rounding",
        ]
    );
}

/// Whatever the adjacency: ρ of one order of the pair can be less.
#[test]
fn zcdp_is_about_both_orders() {
    let says = |adjacency: &str| {
        let file = format!(
            r#"{{"mechanism":{{"kind":"finite","p":["1/2","1/2"],"q":["1/4","3/4"],"adjacency":"{adjacency}"}},"claim":{{"kind":"zcdp","rho":1}}}}"#
        );
        let claims = claim_file_from_bytes("test", file.as_bytes()).unwrap();
        let said = super::conditions_of(&claims);
        said.contains(&"zCDP is about both orders of the pair".to_owned())
    };
    assert!(says("add") && says("remove") && !says("add-remove"));
}

/// What is called the nearest true claim is verified, and so is the other one.
#[test]
fn nearest_true_claims_are_true() {
    let file = r#"{"mechanism":{"kind":"gaussian","sigma":1},"claim":[
        {"kind":"approx-dp","epsilon":1,"delta":"1e-5"},{"kind":"gdp","mu":"0.9"},{"kind":"zcdp","rho":"0.4"},
        {"kind":"rdp","order":2,"epsilon":"0.9"},{"kind":"regret","mu":2,"at-most":"0.01"},
        {"kind":"approx-dp","epsilon":200,"delta":0}]}"#;
    let claims = claim_file_from_bytes("test", file.as_bytes()).unwrap();
    let found = verify(&limits(60), &claims, "test").unwrap();
    for (judged, entry) in found.judged.iter().zip(&claims.claims) {
        let verdict = &judged.verdict;
        let all = [verdict.nearest_true(), verdict.other_nearest_true()];
        let true_claims: Vec<&Claim> = all.into_iter().flatten().collect();
        assert!(!true_claims.is_empty(), "{verdict:?}");
        for claim in true_claims {
            let mut again = claims.clone();
            again.claims = vec![crate::input::ClaimEntry {
                claim: claim.clone(),
                ..entry.clone()
            }];
            let again = verify(&limits(60), &again, "again").unwrap();
            assert_eq!(
                again.judged[0].verdict.outcome.as_str(),
                "verified",
                "{claim:?}"
            );
        }
    }
}

#[test]
fn a_query_is_answered_whatever_the_time() {
    let query = Query::from_argument("advantage").unwrap();
    let file = mechanism(r#"{"kind":"gaussian","sigma":2}"#);
    let subject = limits(60).subject(&file);
    let analyst = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let found = bound(&limits(60), analyst, &query).unwrap().answer;
    // A closed form is asked a second time, for more digits.
    assert!(found.enclosure.width_up() < 1e-12);

    // With no time for any answer, what is true of every mechanism.
    let late = Refusal::Failure(Failure::Interrupted);
    let query = Query::from_argument("gdp-mu:tolerance=1e-3").unwrap();
    let found = bound(&limits(60), Err(&late), &query).unwrap().answer;
    assert_eq!(found.ending, Ending::OutOfTime);
    assert!(*found.enclosure.lower() == 0 && found.enclosure.upper().is_infinite());
    assert!(matches!(found.method, Method::Theorem(_)));
}

#[test]
fn what_cannot_be_treated_is_an_error_with_words() {
    let query = Query::from_argument("advantage").unwrap();
    let subject = limits(60).subject(&mechanism(UNSUPPORTED));
    let analyst = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let error = bound(&limits(60), analyst, &query).unwrap_err();
    assert!(matches!(&error, NoAnswer::Unsupported(why) if why.code() == "unsupported"));
    assert!(error.to_string().starts_with("not supported yet: "));
    let asked = Asked {
        first: mechanism(r#"{"kind":"gaussian","sigma":1}"#),
        second: mechanism(UNSUPPORTED),
        priors: Vec::new(),
        tolerance: None,
    };
    let error = compare(&limits(60), &asked).unwrap_err();
    assert!(error.to_string().starts_with("mechanism B: not supported"));
    let file = mechanism(UNSUPPORTED);
    let error = report(&limits(60), &file, &[]).unwrap_err();
    assert!(matches!(error, NoReport::Unsupported(_)));
    // What to do about it is for the command line to say.
    assert!(!NoReport::OutOfTime.to_string().contains("--"));
    assert!(!NoComparison::OutOfTime.to_string().contains("--"));
}

/// A divergence of exactly 0 does not ask for the extremes to sixteen digits: they are what a question of their own finds.
#[test]
fn extremes_are_as_narrow_as_asked() {
    let run = r#"{"kind":"dp-sgd","noise-multiplier":"1","sample-rate":"1/10","steps":3,"adjacency":"replace-one"}"#;
    let asked = Asked {
        first: mechanism(run),
        second: mechanism(run),
        priors: Vec::new(),
        tolerance: None,
    };
    let limits = limits(600);
    let found = compare(&limits, &asked).unwrap();
    assert_eq!(found.blackwell, Blackwell::Equal);
    let subject = limits.subject(&asked.first).unwrap();
    let goal = Goal::Width(Target::Relative(Rational::from((1, 10_000))));
    let ask = |query: Query| {
        let found = limits.with_resources(|resources| subject.answer(&query, &goal, resources));
        found.unwrap().enclosure
    };
    let (advantage, risk) = (ask(Query::advantage()), ask(Query::minimax_risk()));
    for [to_privacy, to_exposure] in found.extremes {
        assert_eq!(
            Float::with_val(192, to_privacy.upper() * 2u32),
            *advantage.upper()
        );
        assert_eq!(to_exposure.lower(), risk.lower());
    }
}

#[test]
fn a_comparison_and_a_report() {
    let asked = Asked {
        first: mechanism(r#"{"kind":"randomized-response","epsilon":1}"#),
        second: mechanism(r#"{"kind":"laplace","scale":1,"adjacency":"remove"}"#),
        priors: Vec::new(),
        tolerance: None,
    };
    let limits = limits(60);
    let found = compare(&limits, &asked).unwrap();
    assert_eq!(found.blackwell, Blackwell::ADominates);
    assert!(found.a_to_b.is_zero() && !found.b_to_a.is_zero());
    let page = report(&limits, &asked.second, &[]).unwrap();
    assert_eq!(page.statements_about(), Adjacency::AddRemove);
    assert_eq!(page.attacks_about(), Adjacency::Remove);
}

/// Order by order, the regret is only looked for at ε ≥ 0, where that of both directions together is the largest.
#[test]
fn converted_regrets_are_of_both_directions_only() {
    let converted = |adjacency: &str| {
        let file = mechanism(&format!(
            r#"{{"kind":"finite","p":["1/4","3/4"],"q":["2/3","1/3"],"adjacency":"{adjacency}"}}"#
        ));
        report(&limits(10), &file, &[]).unwrap().converted
    };
    let (one, both) = (converted("remove"), converted("add-remove"));
    assert!(one.zcdp.is_none() && one.curve.is_none());
    assert!(both.zcdp.is_some());
}

/// More digits of both ends of what does not follow any better are not asked for; those of a closed form are.
#[test]
fn gaps_are_asked_once() {
    struct Counting(std::cell::Cell<u32>, Ending);
    impl Analyst for Counting {
        fn answer(
            &self,
            _: &Query,
            _: &crate::analysis::Goal,
            _: &crate::analysis::Resources<'_>,
        ) -> Result<crate::analysis::Answer, Failure> {
            self.0.set(self.0.get() + 1);
            Ok(crate::analysis::Answer {
                enclosure: crate::bounds::Enclosure::exactly(Rational::from((1, 2)), 64),
                method: Method::ClosedForm,
                ending: self.1,
                witness: None,
            })
        }
    }
    for (ending, times) in [(Ending::DoesNotFollow, 1), (Ending::Reached, 2)] {
        let counting = Counting(std::cell::Cell::new(0), ending);
        let found = bound(&limits(60), Ok(&counting), &Query::advantage()).unwrap();
        assert_eq!(counting.0.get(), times, "{ending:?}");
        assert_eq!(found.attained, ending != Ending::DoesNotFollow);
    }
}
