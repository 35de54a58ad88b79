//! Why a mechanism with bounded loss never dominates a Gaussian, however often and however finely it is composed: the
//! counterexample to Kaissis et al. 2024 Lemma 6.

use rug::Float;

use crate::kernel::{Interval, normal};

/// An α > 0 such that f > G_μ at it and at every smaller positive type-I error, for every mechanism whose total privacy loss is
/// at most `total_loss`.
///
/// At 1 − Φ(x) with x ≥ total/μ + μ/2: 1 − G_μ(α) = 1 − Φ(x − μ) = ∫_x^∞ φ(t)·e^{μt − μ²/2} dt > e^{μx − μ²/2}·α ≥ e^{total}·α
/// ≥ 1 − f(α), because Q ≤ e^{total}·P. So f(α) > G_μ(α) strictly (`proofs/README.md`, B5).
///
/// Requires: `total_loss ≥ 0`, `mu > 0`.
pub fn never_dominates(total_loss: &Interval, mu: &Interval) -> Float {
    let half = Interval::point(Float::with_val(mu.bits(), 1) >> 1u32);
    let least = total_loss.div(mu).add(&mu.mul(&half));
    // A smaller α has a larger x, for which the argument holds as well.
    normal::survival(&Interval::point(least.hi().clone()))
        .lo()
        .clone()
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::coarse::at_most_bits;

    /// 1 − G_μ(α) > e^{total}·α at the point found, evaluated without the argument.
    #[test]
    fn the_gaussian_is_below() {
        for (total, mu) in [
            ((1, 1), (1, 1)),
            ((7, 1), (1, 2)),
            ((1, 10), (3, 1)),
            ((14, 1), (9, 10)),
        ] {
            let total = Interval::from_rational(&Rational::from(total), 200);
            let mu = Interval::from_rational(&Rational::from(mu), 200);
            let alpha = Interval::point(never_dominates(&total, &mu));
            assert!(alpha.is_positive());
            let power = normal::survival(&normal::survival_inverse(&alpha).sub(&mu));
            assert!(total.exp().mul(&alpha).certainly_lt(&power));
        }
    }

    /// It is the error at (total loss)/μ + μ/2, and at a few bits no larger.
    #[test]
    fn the_error_found() {
        let at = |n: u32, d: u32| Interval::from_rational(&Rational::from((n, d)), 200);
        for (total, mu) in [
            ((1, 1), (1, 1)),
            ((3, 1), (3, 2)),
            ((1, 3), (5, 7)),
            ((14, 1), (9, 10)),
        ] {
            let (total, mu) = (at(total.0, total.1), at(mu.0, mu.1));
            let least = total.div(&mu).add(&mu.mul(&at(1, 2)));
            let truth = normal::survival(&least);
            let found = never_dominates(&total, &mu);
            assert!(found <= *truth.hi() && found >= Float::with_val(200, truth.lo() * 0.999f64));
            for bits in 3..20 {
                let coarse = at_most_bits(bits, || never_dominates(&total, &mu));
                assert!(coarse <= *truth.hi(), "{bits}: {coarse} {truth:?}");
            }
        }
    }
}
