//! Nothing at all: a pair of the same laws.

use super::*;

/// Without any shift there is no μ, and δ is known exactly where the place is known to be on one side of 0.
#[test]
fn a_shift_of_nothing() {
    let none = Gaussian::from_square(Rational::new());
    assert!(none.mu_squared().is_none());
    let some = Gaussian::from_square(Rational::from(4));
    assert_eq!(some.mu_squared(), Some(&Rational::from(4)));
    let exact = |low: i64, high: i64| {
        let (low, high) = (Interval::from_i64(low, 64), Interval::from_i64(high, 64));
        none.exact_delta(&Point::at_log(low.hull(&high)))
    };
    assert_eq!(exact(-1, 1), None);
    assert_eq!(exact(0, 1), Some(Rational::new()));
    assert_eq!(exact(1, 2), Some(Rational::new()));
}

/// The same at random places by intervals and few bits: (1 − u)⁺, all of it below 0.
#[test]
fn nothing_at_random_places() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(64);
    let none = Gaussian::from_square(Rational::new());
    for _ in 0..9_000 {
        let bits = 2 + u32::try_from(random.below(60)).unwrap();
        let mut some = || Rational::from((1 + random.below(40), 1 + random.below(40)));
        let (u, v) = (some(), some());
        let at = |u: &Rational| Interval::from_rational(u, 64).ln();
        let exactly = at_most_bits(bits, || Point::at_exp_epsilon(&u, 64));
        let between = at_most_bits(bits, || Point::at_log(at(&u).hull(&at(&v))));
        let truth = |u: &Rational| Rational::from(1 - u).max(Rational::new());
        let found = at_most_bits(bits, || none.exact_delta(&exactly));
        assert_eq!(found, Some(truth(&u)), "{u} {bits}");
        let found = at_most_bits(bits, || none.exact_delta(&between));
        let is_zero = found.is_none_or(|found| found == 0 && u >= 1 && v >= 1);
        assert!(is_zero, "{u} {v} {bits}");
        let found = at_most_bits(bits, || no_information(&between));
        for u in [&u, &v] {
            assert!(found.delta.contains(&truth(u)), "{u} {bits}: {found:?}");
            let tail = Rational::from(u32::from(*u < 1));
            assert!(
                *u == 1 || found.null_tail.contains(&tail),
                "{u} {bits}: {found:?}"
            );
        }
    }
}
