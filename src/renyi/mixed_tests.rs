//! Mixtures of which no sum is made.

use super::*;
use crate::mechanism::shifted::Shifts;
use crate::mechanism::{Conditions, Step, Steps};

/// Anything from nothing up to what bounds it.
#[test]
fn without_a_sum_only_the_bound_is_known() {
    let q = |n: i64, d: i64| Rational::from((n, d));
    let noise = Noise::Gaussian {
        unit_squared: q(1, 2),
    };
    let pair = ShiftedNoise::new(noise, Shifts::none(), Shifts::sampled(&q(1, 2)));
    let bound = Step::Gaussian {
        mu_squared: q(1, 2),
    };
    let mixed = MixedShifts {
        pair: Arc::new(pair),
        law: Law::Unknown,
        most: Parts::of(&Steps::one(bound, Conditions::NONE)).unwrap(),
    };
    for direction in [Direction::Remove, Direction::Add] {
        let budget = Budget::unlimited();
        let found = mixed.divergence(&q(3, 1), direction, 60, &budget).unwrap();
        assert!(
            found.contains(&q(0, 1)) && found.contains(&q(3, 4)),
            "{found:?}"
        );
    }
}
