//! Places next to a loss, by less than any number of bits tells.

use super::*;
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::randomized_response;

/// A loss that is a rational number, or the log of one, and places on both sides of it that differ from it by 2^−5000.
#[test]
fn next_to_a_loss_the_side_is_told() {
    let near = Rational::from(1) >> 5_000u32;
    for (epsilon, is_log) in [
        (Epsilon::from(Rational::from((3, 2))), false),
        (Epsilon::log_of(Rational::from(3)).unwrap(), true),
    ] {
        let law = randomized_response::law(&epsilon, 2).unwrap();
        let profile = FiniteProfile::new(Arc::new(law));
        let at = |x: Rational| match is_log {
            true => Point::at_exp_epsilon(&x, 64),
            false => Point::at_epsilon(&x, 64),
        };
        let place = if is_log {
            Rational::from(3)
        } else {
            Rational::from((3, 2))
        };
        let before = profile.at(&at(Rational::from(&place - &near)));
        let after = profile.at(&at(Rational::from(&place + &near)));
        // P(L > ε) is that of the largest loss before it, and 0 after it.
        assert!(before.null_tail.is_positive(), "{before:?}");
        assert!(after.null_tail.is_zero(), "{after:?}");
        assert!(after.delta.is_zero(), "{after:?}");
    }
}
