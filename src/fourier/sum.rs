//! What is composed: laws of steps on one lattice, and the totals of their sum.

use rug::{Float, Rational};

use super::tilted::Tilted;
use super::{LOG_BITS, LatticeLaw};
use crate::kernel::{Interval, InvariantViolation};

/// A sum of independent losses: laws of steps, each so many times, all of the same side.
#[derive(Debug)]
pub struct Sum {
    pub(super) parts: Vec<(LatticeLaw, u64)>,
    /// Steps of the parts are whole multiples of this one.
    pub(super) step: Rational,
    /// The least sum of the losses: where all relative labels are 0.
    pub(super) origin: Interval,
    /// The largest relative label.
    pub(super) last: Interval,
    /// Q-mass that is not at +∞.
    pub(super) finite: Interval,
    /// Q-mass at +∞.
    pub(super) infinite: Interval,
    /// Q-mass that is nowhere: 0 for an upper law.
    pub(super) missing: Interval,
    /// Σ P-masses.
    pub(super) null: Interval,
    /// Do the Q-masses of every part add up to 1?
    pub(super) is_whole: bool,
}

impl Sum {
    /// The sum of these; `None` where a part has no finite mass, or lattices do not fit together.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn new(parts: Vec<(LatticeLaw, u64)>) -> Result<Option<Self>, InvariantViolation> {
        let steps = parts.iter().map(|(law, _)| law.lattice().step());
        let Some(step) = steps.min().cloned() else {
            return Ok(None);
        };
        let one = Interval::one(LOG_BITS);
        let (mut origin, mut last) = (Interval::zero(LOG_BITS), Interval::zero(LOG_BITS));
        let (mut finite, mut present, mut null) = (one.clone(), one.clone(), one.clone());
        let mut is_whole = true;
        for (law, times) in &parts {
            let Some(fits) = StepNumbers::new(law, &step) else {
                return Ok(None);
            };
            let count = Interval::from_integer(&(*times).into(), LOG_BITS);
            origin = origin.add(&fits.first.mul(&count));
            last = last.add(&fits.last_label.mul(&count));
            finite = finite.mul(&power(&law.finite(), &count));
            let whole = law.finite().add(&law.real(law.infinite()));
            present = present.mul(&power(&whole, &count));
            null = null.mul(&fits.log_null.mul(&count).exp());
            is_whole &= law.is_whole();
        }
        let (infinite, missing) = if is_whole {
            (finite.one_minus(), Interval::zero(LOG_BITS))
        } else {
            (present.sub(&finite), present.one_minus())
        };
        Ok(Some(Self {
            parts,
            step,
            origin,
            last,
            finite: finite.in_unit(),
            infinite: infinite.in_unit(),
            missing: missing.in_unit(),
            null,
            is_whole,
        }))
    }
}

impl Sum {
    /// The laws of steps with their multiplicities.
    pub fn parts(&self) -> &[(LatticeLaw, u64)] {
        &self.parts
    }

    /// Losses are whole multiples of this from the least on.
    pub fn step(&self) -> &Rational {
        &self.step
    }
}

/// Numbers of one step.
struct StepNumbers {
    /// The first loss.
    first: Interval,
    /// The last label relative to the first, in steps of the sum.
    last_label: Interval,
    /// log of its P-mass.
    log_null: Interval,
}

impl StepNumbers {
    fn new(law: &LatticeLaw, step: &Rational) -> Option<Self> {
        let multiple = Rational::from(law.lattice().step() / step);
        let (first, last) = (law.first()?, law.atoms().last()?.0);
        if *multiple.denom() != 1 {
            return None;
        }
        // Losses are multiplied by the number of steps.
        let positions = law.lattice().positions(LOG_BITS.saturating_add(64));
        let length = multiple * last.checked_sub(first)?;
        let first = positions.at(first);
        // P = e^{−L}·Q.
        let from_first = Tilted::log_total(law, &Rational::from(-1))?;
        Some(Self {
            last_label: Interval::from_rational(&length, LOG_BITS),
            log_null: from_first.sub(&first),
            first,
        })
    }
}

/// x^n for x ≥ 0.
fn power(x: &Interval, n: &Interval) -> Interval {
    if *x.lo() <= 0 {
        return Interval::zero(LOG_BITS).hull(&Interval::one(LOG_BITS));
    }
    if *x.lo() == 1 && *x.hi() == 1 {
        return Interval::one(LOG_BITS);
    }
    let one = Interval::one(LOG_BITS);
    // Accurate next to 1.
    x.sub(&one).ln_1p().mul(n).exp()
}

/// ⌊x⌋ of a lower end, with what is left.
pub(super) fn floor(x: &Float) -> Option<(i64, Float)> {
    let whole = Float::with_val(x.prec(), x.floor_ref());
    let rest = Float::with_val(x.prec(), x - &whole);
    Some((whole.to_integer()?.to_i64()?, rest))
}

#[cfg(test)]
mod tests {
    use rug::float::Round;

    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    /// x^n of every x in the interval, next to 1 as well, at a few bits.
    #[test]
    fn powers_contain_the_powers_of_both_ends() {
        let mut random = Random(1);
        for _ in 0..3000 {
            let bits = 3 + u32::try_from(random.below(12)).unwrap();
            let mut number = || {
                let d = 1 + random.below(64);
                // 0 and 1 among them, and what is next to 1.
                let near = random.once_in(3);
                let n = if near { d } else { random.below(d + 1) };
                Rational::from((n, d + u64::from(near && random.once_in(2))))
            };
            let (x, y) = (number(), number());
            let (low, mut high) = (x.clone().min(y.clone()), x.max(y));
            // Rounding may take a mass of 1 beyond 1.
            if low > 0 && random.once_in(4) {
                high = Rational::from((9, 8));
            }
            let n = random.below(9);
            let ends = Interval::spanning(
                Float::with_val_round(bits, &low, Round::Down).0,
                Float::with_val_round(bits, &high, Round::Up).0,
            );
            let found = at_most_bits(bits, || {
                power(&ends, &Interval::from_integer(&n.into(), 64))
            });
            for x in [low, high] {
                let exact = (0..n).fold(Rational::from(1), |product, _| product * &x);
                assert!(found.contains(&exact), "{x}^{n} at {bits} bits: {found:?}");
            }
        }
        let third = Interval::from_rational(&Rational::from((1, 3)), 64);
        let found = power(&third, &Interval::from_integer(&5.into(), 64));
        assert!(found.width_up() < 1e-15);
    }
}
