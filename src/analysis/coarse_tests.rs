//! Every question about mechanisms of every kind when no rounding has more than a few bits, against the same at full precision: a
//! direction turned round anywhere below is an error in the first digits (see `kernel::coarse`).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::Rational;

use super::{Answer, Goal, Refusal, Resources, Subject, prepare};
use crate::bounds::{Enclosure, Target};
use crate::input::mechanism_from_bytes;
use crate::kernel::coarse::at_most_bits;
use crate::kernel::{Budget, Failure};
use crate::mechanism::{Adjacency, Epsilon, Mechanism, Prior};
use crate::statement::Query;
use crate::test_scale::{is_asked, is_thorough};

/// Closed forms, finite laws, laws on a lattice, sums, two steps, classes.
const MECHANISMS: &[&str] = &[
    r#"{"kind":"gaussian","sigma":"1.3"}"#,
    r#"{"kind":"gaussian","mu-squared":"2/7","adjacency":"add"}"#,
    r#"{"kind":"laplace","scale":"0.7"}"#,
    r#"{"kind":"discrete-laplace","scale":2,"sensitivity":3}"#,
    r#"{"kind":"discrete-gaussian","sigma":"0.8","sensitivity":2}"#,
    r#"{"kind":"randomized-response","epsilon":"1.1","k":4,"adjacency":"remove"}"#,
    r#"{"kind":"pure-dp","epsilon":"0.9"}"#,
    r#"{"kind":"approx-dp","epsilon":"0.5","delta":"0.01"}"#,
    r#"{"kind":"zcdp","rho":"0.3"}"#,
    r#"{"kind":"rdp","orders":[["1.5","0.2"],[4,"0.9"]]}"#,
    r#"{"kind":"profile","points":[["0.5","0.25"],[2,"0.05"]]}"#,
    r#"{"kind":"finite","p":["1/5","3/10","1/2",0],"q":[0,"2/5","1/4","7/20"]}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"gaussian","sigma":"0.9"},"adjacency":"remove"}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"laplace","scale":"0.6"},"adjacency":"add"}"#,
    r#"{"kind":"subsampled","rate":"1/4","of":{"kind":"discrete-gaussian","sigma":"0.6"}}"#,
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":2,"times":2}]}"#,
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":3},{"kind":"gaussian","sigma":2}],"adjacency":"remove"}"#,
    r#"{"kind":"compose","of":[{"kind":"randomized-response","epsilon":"0.3","times":9},{"kind":"gaussian","sigma":3}]}"#,
    r#"{"kind":"compose","of":[{"kind":"zcdp","rho":"0.1"},{"kind":"randomized-response","epsilon":"0.3"}]}"#,
    r#"{"kind":"dp-sgd","noise-multiplier":"1.1","sample-rate":"0.2","steps":3,"adjacency":"remove"}"#,
    r#"{"kind":"dp-sgd","noise-multiplier":"0.9","sample-rate":"0.05","steps":40,"adjacency":"add"}"#,
];

fn queries() -> Vec<Query> {
    let q = |n: u32, d: u32| Rational::from((n, d));
    let other = Mechanism::laplace(q(3, 2), 1).unwrap();
    vec![
        Query::delta(q(2, 5)).unwrap(),
        Query::delta_at(Epsilon::log_of(q(2, 3)).unwrap()),
        Query::epsilon(q(1, 50)).unwrap(),
        Query::trade_off(q(1, 9)).unwrap(),
        Query::advantage(),
        Query::bayes_error(q(2, 7)).unwrap(),
        Query::minimax_risk(),
        Query::gdp_mu(),
        Query::gdp_mu_up_to(q(1, 100)).unwrap(),
        Query::gdp_mu_above(q(1, 100)).unwrap(),
        Query::max_loss(),
        Query::renyi(q(5, 2)).unwrap(),
        Query::zcdp_rho(),
        Query::regret(q(1, 1)).unwrap(),
        Query::delta_symmetric(other.clone(), Adjacency::AddRemove),
        Query::weighted_delta(other, Adjacency::AddRemove, Prior::jeffreys()),
    ]
}

/// `None` where there is no answer in time; a contradiction is none either way.
fn ask(text: &str, query: &Query, time: Duration) -> Option<Enclosure> {
    let kept = |refusal: Refusal| match refusal {
        Refusal::Failure(Failure::Invariant(why)) => panic!("{text} {query:?}: {why}"),
        Refusal::Failure(Failure::Interrupted) | Refusal::Unsupported(_) => None,
    };
    let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let budget = Budget::new(time, Arc::new(AtomicBool::new(false)));
    let subject = Subject::new(&file.mechanism, file.adjacency, &budget);
    let subject = match subject {
        Ok(subject) => subject,
        Err(refusal) => return kept(refusal),
    };
    if let Err(refusal) = prepare(query, &budget) {
        return kept(refusal);
    }
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| {},
    };
    let goal = Goal::Width(Target::Relative(Rational::from((1, 1000))));
    match subject.answer(query, &goal, &resources) {
        Ok(Answer { enclosure, .. }) => Some(enclosure),
        Err(failure) => kept(failure.into()),
    }
}

#[test]
fn every_question_at_a_few_bits() {
    for (place, text) in MECHANISMS.iter().enumerate() {
        for (number, query) in queries().iter().enumerate() {
            // Each kind of bound meets some of the questions, and each question some of the kinds.
            if !is_asked(number + place, 30) {
                continue;
            }
            let Some(fine) = ask(text, query, Duration::from_secs(20)) else {
                continue;
            };
            let all: &[u32] = if is_thorough() {
                &[5, 7, 12, 20, 30, 50]
            } else {
                &[7, 16]
            };
            for bits in all {
                let bits = bits + u32::try_from(place % 3).unwrap();
                let Some(coarse) =
                    at_most_bits(bits, || ask(text, query, Duration::from_millis(20)))
                else {
                    continue;
                };
                assert!(
                    coarse.intersect(&fine).is_ok(),
                    "{text} {query:?} at {bits} bits: {coarse:?} misses {fine:?}"
                );
            }
        }
    }
}
