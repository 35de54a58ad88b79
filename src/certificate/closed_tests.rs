//! Tests of mechanisms in closed form in many digits.

use super::*;
use crate::mechanism::{Adjacency, Mechanism};

/// What a peak is looked for by is the profile itself, between losses and beyond them, also where there are losses of −∞ and ∞.
#[test]
fn between_two_losses_delta_is_a_chord() {
    let response = Mechanism::randomized_response("1.5", 4).unwrap();
    let eighths = |parts: [u32; 4]| parts.map(|part| Rational::from((part, 8))).to_vec();
    let pair = Mechanism::finite(eighths([1, 2, 5, 0]), eighths([4, 2, 0, 2])).unwrap();
    let guarantee = Mechanism::approx_dp("0.3", "1e-6").unwrap();
    for of in [response, pair, guarantee] {
        let steps = Steps::new(of.steps(), Adjacency::AddRemove);
        let directions = [Direction::Remove, Direction::Add];
        let closed = Closed::new(&steps, &directions, &Budget::unlimited()).unwrap();
        for order in &closed.orders {
            for epsilon in [
                -30.0, -1.5, -0.7, -0.1, 0.0, 1e-9, 0.29, 0.31, 0.6, 1.2, 2.5, 40.0,
            ] {
                let place = Place::near(&number(epsilon)).unwrap();
                let exact = order.profile.at(&place.point).delta.middle().to_f64();
                let found = order.delta(epsilon);
                assert!(
                    (found - exact).abs() <= 1e-15,
                    "{epsilon}: {found}, {exact}"
                );
            }
        }
    }
}
