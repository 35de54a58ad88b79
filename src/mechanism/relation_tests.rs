//! How far a record moves what is released, under each relation: the factors that a mistake would drop.

use rug::Rational;

use super::{Mechanism, Relation, Steps};
use crate::input::mechanism_from_bytes;
use crate::kernel::Point;

fn read(text: &str) -> Mechanism {
    let file = mechanism_from_bytes("test", text.as_bytes());
    file.unwrap_or_else(|error| panic!("{text}\n{error}"))
        .mechanism
}

fn steps(text: &str, relation: Relation) -> Steps {
    read(text).under(relation).unwrap().steps().clone()
}

/// δ at ε = 0 of the only step.
fn advantage(steps: &Steps) -> f64 {
    let [(step, 1)] = steps.list() else {
        panic!("{steps:?}");
    };
    let at = Point::at_exp_epsilon(&Rational::from(1), 100);
    step.profile().unwrap().at(&at).delta.lo().to_f64()
}

fn below(x: f64) -> f64 {
    statrs::function::erf::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

/// ε is 2·η·sensitivity, or half of that where all scores move in one direction.
#[test]
fn scores_move_by_twice_their_sensitivity() {
    for kind in ["exponential", "permute-and-flip", "top-k"] {
        for (monotone, epsilon) in [("false", "3/2"), ("true", "3/4")] {
            let k = if kind == "top-k" { ",\"k\":3" } else { "" };
            let scores = format!(
                r#"{{"kind":"{kind}","eta":"1/4","sensitivity":3,"monotone":{monotone}{k}}}"#
            );
            let stated = format!(r#"{{"kind":"{kind}","epsilon":"{epsilon}"{k}}}"#);
            let found = [scores, stated].map(|text| steps(&text, Relation::Presence));
            assert_eq!(found[0], found[1], "{kind} {monotone}");
        }
    }
}

/// The answer that stands for a record that is zeroed is uniform: 1/3 of three against 2/3, 1/6 and 1/6.
#[test]
fn a_zeroed_response_is_uniform() {
    let text = r#"{"kind":"randomized-response","exp-epsilon":4,"k":3}"#;
    for (relation, truth) in [
        (Relation::ReplaceSpecial, 1.0 / 3.0),
        (Relation::ReplaceOne, 0.5),
    ] {
        assert!((advantage(&steps(text, relation)) - truth).abs() < 1e-12);
    }
}

/// One cell where a record comes or goes, two where it is another one.
#[test]
fn a_replaced_record_moves_two_cells() {
    let text = r#"{"kind":"histogram","of":{"kind":"laplace","scale":2,"record-bound":1}}"#;
    for (relation, cells) in [
        (Relation::Presence, 1),
        (Relation::ReplaceSpecial, 1),
        (Relation::ReplaceOne, 2),
    ] {
        let found = steps(text, relation);
        assert!(
            matches!(found.list(), [(_, times)] if *times == cells),
            "{found:?}"
        );
    }
}

/// Above, a Gaussian whose μ is the distance over σ, squares adding up over epochs; below, the largest of two answers, of which one is moved by 2, and by 1
/// or not at all without the record.
#[test]
fn shuffled_batches_move_by_the_record() {
    let of = |steps: u32| {
        format!(r#"{{"kind":"shuffled-batches","noise-multiplier":2,"steps":{steps},"epochs":3}}"#)
    };
    let two = r#"{"kind":"shuffled-batches","noise-multiplier":1,"steps":2,"epochs":1}"#;
    for (relation, distance, without) in [
        (Relation::Presence, 1u32, 1.0),
        (Relation::ReplaceSpecial, 1, 1.0),
        (Relation::ReplaceOne, 2, 0.0),
    ] {
        let mu = f64::from(distance) * 3f64.sqrt() / 2.0;
        let truth = 2.0 * below(mu / 2.0) - 1.0;
        for count in [1, 5] {
            let found = steps(&of(count), relation).most();
            assert!((advantage(&found) - truth).abs() < 1e-9, "{relation:?}");
        }
        let places = (-400i32..600).map(|i| f64::from(i) / 100.0);
        let gains = places.map(|c| below(c) * (below(c - without) - below(c - 2.0)));
        let largest = gains.fold(0.0, f64::max);
        let members = steps(two, relation);
        let best = members.members().iter().map(advantage);
        let found: Vec<f64> = best.collect();
        assert!(
            found.iter().any(|x| (x - largest).abs() < 2e-3),
            "{relation:?}: {found:?} {largest}"
        );
    }
}
