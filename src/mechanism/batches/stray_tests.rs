//! A bound of a ratio of tails, next to that ratio.

use super::*;

#[test]
fn parts_of_tails_by_their_formula() {
    for (exponent, unit) in [(30u32, 1.0f64), (40, 0.25), (25, 2.0)] {
        let most = Interval::point(Float::with_val(BITS, 1) >> exponent);
        let unit = Interval::point(Float::with_val(BITS, unit));
        let found = stray_part(&most, &unit).unwrap();
        let at = normal::quantile(&most);
        let (once, twice) = (at.add(&unit), at.add(&unit).add(&unit));
        let truth = normal::cdf(&once).div(&normal::cdf(&twice));
        assert!(found >= *truth.lo(), "{exponent}");
        assert!(
            found.to_f64() <= truth.hi().to_f64() * 1.000_001,
            "{exponent}"
        );
    }
}
