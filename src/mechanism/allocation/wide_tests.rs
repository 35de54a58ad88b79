//! Slopes at places known by intervals that are wider than the way of a chord.

use rug::Rational;

use super::profile;
use crate::kernel::{Interval, Point, Profile};
use crate::mechanism::gaussian::Gaussian;

#[test]
fn slopes_at_wide_places() {
    let gaussian = Gaussian::from_square(Rational::from((1, 100)));
    let end = |n: i64| Interval::from_rational(&Rational::from((n, 40)), 80);
    for (low, high) in [(4, 40), (2, 44), (20, 60), (1, 8)] {
        let span = end(low).ln().hull(&end(high).ln());
        let found = profile::joined(&gaussian, &gaussian, &Point::at_log(span));
        for n in [low, (low + high) / 2, high] {
            let fine = gaussian.at(&Point::at_exp_epsilon(&Rational::from((n, 40)), 200));
            assert!(
                *found.null_tail.hi() >= *fine.null_tail.lo(),
                "{low} {high} {n}"
            );
            assert!(
                *found.null_tail.lo() <= *fine.null_tail.hi(),
                "{low} {high} {n}"
            );
        }
    }
}
