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
