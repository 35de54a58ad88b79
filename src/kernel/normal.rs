//! The standard normal law, enclosed: Φ, 1 − Φ, their inverses and erfc.

use rug::Float;

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

/// The x with 1 − Φ(x) = p, decreasing from +∞ at p ≤ 0 to −∞ at p ≥ 1; small relative width for tiny p.
///
/// Ensures: for every member of `p` its inverse is inside. Newton's method proposes, directed evaluations of
/// the survival function on both sides of the proposal decide.
pub fn survival_inverse(p: &Interval) -> Interval {
    Interval::spanning(
        inverse_of_exact(p.hi()).lo().clone(),
        inverse_of_exact(p.lo()).hi().clone(),
    )
}

fn inverse_of_exact(p: &Float) -> Interval {
    let bits = p.prec();
    let half = Float::with_val(bits, 1) >> 1u32;
    if *p <= 0 {
        return Interval::infinity(bits);
    }
    if *p >= 1 {
        return Interval::infinity(bits).neg();
    }
    if *p <= half {
        return inverse_of_small(p);
    }
    let rest = Interval::point(p.clone()).one_minus();
    Interval::spanning(
        inverse_of_small(rest.lo()).lo().clone(),
        inverse_of_small(rest.hi()).hi().clone(),
    )
    .neg()
}

/// Requires: 0 ≤ p ≤ 1/2.
fn inverse_of_small(p: &Float) -> Interval {
    let bits = p.prec();
    if *p <= 0 {
        return Interval::infinity(bits);
    }
    let x = newton(p, bits.saturating_add(8));
    let mut reach = Float::with_val(bits, x.abs_ref()).max(&Float::with_val(bits, 1));
    reach >>= bits.saturating_sub(6);
    for _ in 0..bits {
        let (lo, hi) = (d::sub_down(&x, &reach, bits), d::add_up(&x, &reach, bits));
        let above = survival(&Interval::point(lo.clone()));
        let below = survival(&Interval::point(hi.clone()));
        if above.lo() >= p && below.hi() <= p {
            return Interval::spanning(lo, hi);
        }
        reach <<= 1u32;
    }
    Interval::whole_line(bits)
}

/// An approximate inverse; nothing is promised about it.
fn newton(p: &Float, bits: u32) -> Float {
    let log = Float::with_val(64, p.ln_ref());
    let mut x = Float::with_val(64, -log * 2u32).sqrt();
    for precision in [64, 64, 64, 64, 64, 64, bits, bits, bits] {
        let at = Float::with_val(precision, &x);
        let tail = survival(&Interval::point(at.clone())).middle();
        let half_square = Float::with_val(precision, at.square_ref()) >> 1u32;
        let density = (-half_square).exp() / d::sqrt_two_pi_down(precision);
        let ratio = Float::with_val(precision, &tail / p).ln();
        x = at + ratio * tail / density;
    }
    x
}
