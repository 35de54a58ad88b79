//! From moments E_P[(dQ/dP)^a] to a Rényi divergence, in either direction.

use rug::{Integer, Rational};

use crate::kernel::{Failure, Interval};
use crate::mechanism::Direction;

/// log E_P[w^a] for a other than 0 and 1 at a working precision; `None` if that takes too much work.
type LogMoment<'a> = dyn Fn(&Rational, u32) -> Result<Option<Interval>, Failure> + 'a;

/// D_t = log A(a)/(t − 1) for A(a) = E_P[w^a], with a = t for D_t(Q'‖P) and a = 1 − t for D_t(P‖Q'); `None` where a moment is
/// not known.
///
/// D_t grows with t (van Erven and Harremoës 2014, Theorem 3), so D_1 lies between D_{1−h} and D_{1+h}. log A is about
/// t(t − 1) times the `variance_zeros` leading zeros of the variance of w: so many bits are lost to A near 1.
///
/// # Errors
/// Those of `log_moment`.
pub(super) fn divergence(
    order: &Rational,
    direction: Direction,
    bits: u32,
    (variance_zeros, most_bits): (u32, u32),
    log_moment: &LogMoment<'_>,
) -> Result<Option<Interval>, Failure> {
    let at = |order: &Rational| -> Result<Option<Interval>, Failure> {
        let excess = Rational::from(order - 1);
        let lost = leading_zeros(&excess)
            .saturating_add(leading_zeros(order))
            .saturating_add(variance_zeros);
        let working = bits.saturating_add(lost).saturating_add(24);
        if working > most_bits {
            return Ok(None);
        }
        let power = match direction {
            Direction::Remove => order.clone(),
            Direction::Add => Rational::from(-&excess),
        };
        let moment = log_moment(&power, working)?;
        let excess = Interval::from_rational(&excess, working);
        Ok(moment.map(|log| log.div(&excess).at_least_zero()))
    };
    if *order != 1 {
        return at(order);
    }
    let step = Rational::from((1, Integer::from(1) << bits.saturating_add(8)));
    let below = at(&Rational::from(1 - &step))?;
    let above = at(&Rational::from(1 + &step))?;
    Ok(below.zip(above).map(|(a, b)| a.hull(&b)))
}

/// About −log2|x| for |x| < 1, otherwise 0.
pub(super) fn leading_zeros(x: &Rational) -> u32 {
    let bits = |n: &Integer| n.significant_bits();
    bits(x.denom()).saturating_sub(bits(x.numer()))
}

#[cfg(test)]
#[path = "from_moments_tests.rs"]
mod tests;
