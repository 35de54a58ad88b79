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
    /// The same.
    pub(super) spacing: Interval,
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
    /// 1 − `null`, to as many digits of its own.
    pub(super) null_short: Interval,
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
        let zero = || Interval::zero(LOG_BITS);
        let (mut origin, mut last) = (zero(), zero());
        // Logarithms of what is finite of what is present, of what is present of 1, and of the P-mass: all next to 0 where little is missing.
        let (mut log_finite, mut log_present, mut log_null) = (zero(), zero(), zero());
        let mut is_whole = true;
        for (law, times) in &parts {
            let Some(fits) = StepNumbers::new(law, &step) else {
                return Ok(None);
            };
            let count = Interval::from_integer(&(*times).into(), LOG_BITS);
            origin = origin.add(&fits.first.mul(&count));
            last = last.add(&fits.last_label.mul(&count));
            let present = law.finite().add(&law.real(law.infinite()));
            let infinite = law.real(law.infinite()).div(&present);
            log_finite = log_finite.add(&infinite.neg().ln_1p().mul(&count));
            log_present = log_present.add(&law.missing().neg().ln_1p().mul(&count));
            log_null = log_null.add(&fits.null_short.neg().ln_1p().mul(&count));
            is_whole &= law.is_whole();
        }
        let missing = if is_whole {
            zero()
        } else {
            log_present.exp_m1().neg().in_unit()
        };
        // What is at +∞ of what is present, and what of all.
        let infinite = log_finite.exp_m1().neg().in_unit();
        let (null, short_of_null) = log_null.exp_and_exp_m1();
        Ok(Some(Self {
            parts,
            spacing: Interval::from_rational(&step, LOG_BITS),
            step,
            origin,
            last,
            finite: log_finite.add(&log_present).exp().in_unit(),
            infinite: infinite.mul(&missing.one_minus()).in_unit(),
            missing,
            null,
            null_short: short_of_null.neg(),
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
    /// 1 − its P-mass, at most 1.
    null_short: Interval,
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
        Some(Self {
            last_label: Interval::from_rational(&length, LOG_BITS),
            null_short: null_short(law)?,
            first: positions.at(first),
        })
    }
}

/// 1 − Σ P, P = e^{−L}·Q: both terms are known to the units of the law and more, as their difference may be as small as those.
fn null_short(law: &LatticeLaw) -> Option<Interval> {
    let null = null_mass(law, finer_bits(law))?;
    Some(null.one_minus().at_bits(LOG_BITS))
}

/// Σ P, P = e^{−L}·Q, from numbers of so many bits.
pub(super) fn null_mass(law: &LatticeLaw, bits: u32) -> Option<Interval> {
    let from_first = Tilted::total_at(law, &Rational::from(-1), bits)?;
    let scale = law.lattice().positions(bits).at(law.first()?);
    Some(from_first.mul(&scale.neg().exp()))
}

/// Bits in which totals of a law are known far below its units.
pub(super) fn finer_bits(law: &LatticeLaw) -> u32 {
    law.bits().saturating_add(DIFFERENCE_BITS).max(LOG_BITS)
}

/// Bits beyond those of a law to which a difference of two of its totals is computed: 40 are lost to roundings of many factors.
const DIFFERENCE_BITS: u32 = 96;

/// ⌊x⌋ of a lower end, with what is left.
pub(super) fn floor(x: &Float) -> Option<(i64, Float)> {
    let whole = Float::with_val(x.prec(), x.floor_ref());
    let rest = Float::with_val(x.prec(), x - &whole);
    Some((whole.to_integer()?.to_i64()?, rest))
}

#[cfg(test)]
mod tests {
    use rug::Integer;

    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::law::{Lattice, Offset};

    fn law(atoms: Vec<(i64, Integer)>, infinite: Integer, bits: u32) -> LatticeLaw {
        let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from(1));
        LatticeLaw::new(lattice, atoms, infinite, bits).unwrap()
    }

    fn sum(parts: &[(LatticeLaw, u64)]) -> Sum {
        Sum::new(parts.to_vec()).unwrap().unwrap()
    }

    /// Powers of what is finite and of what is there, exactly, also where next to nothing is missing, and at a few bits.
    #[test]
    fn totals_are_the_products_of_those_of_the_parts() {
        let mut random = Random(1);
        for _ in 0..2_000 {
            let digits = 6 + u32::try_from(random.below(300)).unwrap();
            let one = Integer::from(1) << digits;
            let mut parts = Vec::new();
            let (mut finite, mut present) = (Rational::from(1), Rational::from(1));
            for _ in 0..1 + random.below(2) {
                let (times, infinite) = (1 + random.below(9), Integer::from(random.below(9)));
                let missing = Integer::from(random.below(3) * random.below(4));
                let atom = Integer::from(&one - &infinite) - &missing;
                for _ in 0..times {
                    finite *= Rational::from((atom.clone(), one.clone()));
                    present *= Rational::from((Integer::from(&one - &missing), one.clone()));
                }
                parts.push((law(vec![(0, atom)], infinite, digits), times));
            }
            let all = || {
                let sum = sum(&parts);
                [sum.finite, sum.infinite, sum.missing]
            };
            let truth = [
                finite.clone(),
                Rational::from(&present - &finite),
                Rational::from(1 - &present),
            ];
            let bits = 3 + u32::try_from(random.below(40)).unwrap();
            for (coarse, truth) in at_most_bits(bits, all).iter().zip(&truth) {
                assert!(coarse.contains(truth), "{truth} at {bits} bits: {coarse:?}");
            }
            for (found, truth) in all().iter().zip(&truth) {
                let width = found.width_up().to_rational().unwrap();
                let unit = Rational::from(truth >> 150u32);
                assert!(found.contains(truth) && width <= unit, "{truth}: {found:?}");
            }
        }
    }

    /// Losses ±1 whose P-masses add up to 1, but for what a unit of Q-mass moves up: n·(e − 1/e) units for n steps.
    #[test]
    fn what_is_missing_of_the_null_has_digits_of_its_own() {
        for digits in [40u32, 165, 330, 480] {
            let e = Float::with_val(600, 1).exp();
            let share = Float::with_val(600, &e / Float::with_val(600, &e + 1u32)) << digits;
            let (high, _) = share.to_integer_round(rug::float::Round::Up).unwrap();
            let over = Float::with_val(600, &high - &share);
            let low = (Integer::from(1) << digits) - &high;
            let part = (
                law(vec![(-1, low), (1, high)], Integer::new(), digits),
                1000,
            );
            let found = sum(std::slice::from_ref(&part));
            let rise = Float::with_val(600, &e - Float::with_val(600, e.recip_ref()));
            let truth = (over * rise * 1000u32) >> digits;
            let error = Float::with_val(64, found.null_short.middle() - &truth).abs();
            assert!(
                error <= truth.clone() * 1e-6 + (truth.clone().square() << 1u32),
                "{digits}: {found:?} {truth}"
            );
            assert!(
                found.null_short.width_up() <= truth >> 40u32,
                "{digits}: {found:?}"
            );
        }
    }
}
