//! The standard normal law, enclosed: Φ, 1 − Φ, their inverses and erfc.

use super::Interval;
use super::directed as d;

/// erfc(x), decreasing from 2 to 0.
pub fn erfc(x: &Interval) -> Interval {
    let bits = x.bits();
    Interval::spanning(d::erfc_down(x.hi(), bits), d::erfc_up(x.lo(), bits))
}

/// Φ(x) = erfc(−x/√2)/2, with small relative width in the left tail.
pub fn cdf(x: &Interval) -> Interval {
    survival(&x.neg())
}

/// 1 − Φ(x) = erfc(x/√2)/2, with small relative width in the right tail.
pub fn survival(x: &Interval) -> Interval {
    let bits = x.bits();
    let sqrt_two = Interval::spanning(d::sqrt_two_down(bits), d::sqrt_two_up(bits));
    let half = Interval::from_rational(&rug::Rational::from((1, 2)), bits);
    erfc(&x.div(&sqrt_two)).mul(&half)
}

/// 1 − Φ(x) to about 2^-140 absolute width.
pub fn survival_absolute(x: &Interval) -> Interval {
    survival(x)
}
