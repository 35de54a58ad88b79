//! A law of one step tilted by e^{θL} and scaled to total mass 1.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rug::{Float, Integer, Rational};

use super::fixed::{self, ERROR_BITS, Fixed};
use super::{LOG_BITS, LatticeLaw};
use crate::kernel::Interval;
use crate::kernel::directed as d;

/// The masses p_i = q_i·e^{θh(i − i₀)}/g, i₀ the first label.
pub(super) struct Tilted {
    /// i − i₀ in steps of the sum, and p_i, off by less than [`weight_error_up`].
    pub(super) weights: Vec<(i64, Fixed)>,
    /// log g.
    pub(super) log_total: Interval,
}

/// Tilts of an atom against its neighbour are at most e^this.
const MOST_TILT: u32 = 1 << 12;

/// 2^−118: rounding down to 2^−120, and relative errors below 2^−140 of numbers of at most 1.
pub(super) fn weight_error_up() -> Float {
    Float::with_val(ERROR_BITS, 1) >> 118u32
}

impl Tilted {
    /// `None` for a law without finite masses, or a tilt beyond what is computed with.
    pub(super) fn new(law: &LatticeLaw, step: &Rational, tilt: &Rational) -> Option<Self> {
        let masses = Masses::new(law, tilt, LOG_BITS)?;
        let total = masses.total()?;
        let multiple = Rational::from(law.lattice().step() / step);
        let multiple = multiple
            .numer()
            .to_i64()
            .filter(|_| *multiple.denom() == 1)?;
        let weights = masses.tilted.iter().map(|(label, mass)| {
            let share = Float::with_val(LOG_BITS, mass / &total);
            Some((label.checked_mul(multiple)?, fixed::fixed(&share)))
        });
        Some(Self {
            weights: weights.collect::<Option<_>>()?,
            log_total: masses.log_total(law)?,
        })
    }

    /// log g alone.
    pub(super) fn log_total(law: &LatticeLaw, tilt: &Rational) -> Option<Interval> {
        Masses::new(law, tilt, LOG_BITS)?.log_total(law)
    }

    /// g, from numbers of so many bits.
    pub(super) fn total_at(law: &LatticeLaw, tilt: &Rational, bits: u32) -> Option<Interval> {
        Masses::new(law, tilt, bits)?.whole(law)
    }
}

/// Masses in units of the law, tilted relative to the first label.
///
/// MPFR rounds each product correctly: the factor of atom n is off by at most n + 1 roundings and as many errors of a growth factor,
/// each 3 roundings of numbers whose exponents are at most 2^12: below 2^(13 + log₂(n + 1) − bits) relatively.
struct Masses {
    tilted: Vec<(i64, Float)>,
    /// At least [`LOG_BITS`].
    bits: u32,
}

/// All numbers of [`Masses`] and their sum are relatively off by less than 2^(this − bits), for at most 2^24 atoms.
const LOST_DIGITS: u32 = 13 + 24 + 3;
const MOST_ATOMS: usize = 1 << 24;

impl Masses {
    fn new(law: &LatticeLaw, tilt: &Rational, bits: u32) -> Option<Self> {
        let bits = bits.max(LOG_BITS);
        let first = law.first()?;
        let rate = Rational::from(tilt * law.lattice().step());
        let mut growths: BTreeMap<i64, Float> = BTreeMap::new();
        let mut factor = Float::with_val(bits, 1);
        let mut before = first;
        let mut tilted = Vec::with_capacity(law.atoms().len());
        if law.atoms().len() > MOST_ATOMS {
            return None;
        }
        for (label, mass) in law.atoms() {
            let gap = label.checked_sub(before)?;
            if gap > 0 {
                let growth = match growths.entry(gap) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => {
                        let exponent = Rational::from(&rate * gap);
                        if exponent.clone().abs() > MOST_TILT {
                            return None;
                        }
                        place.insert(Float::with_val(bits, &exponent).exp())
                    }
                };
                factor *= &*growth;
            }
            before = *label;
            let mass = Float::with_val(bits, mass * &factor);
            tilted.push((label.checked_sub(first)?, mass));
        }
        Some(Self { tilted, bits })
    }

    /// A finite total above 0.
    fn total(&self) -> Option<Float> {
        let masses = self.tilted.iter().map(|(_, mass)| mass);
        let total = masses.fold(Float::new(self.bits), |sum, mass| sum + mass);
        (total.is_finite() && total > 0).then_some(total)
    }

    /// Encloses log g.
    fn log_total(&self, law: &LatticeLaw) -> Option<Interval> {
        Some(self.whole(law)?.ln())
    }

    /// Encloses g: the total in units, moved by its relative error.
    fn whole(&self, law: &LatticeLaw) -> Option<Interval> {
        let (total, bits) = (self.total()?, self.bits);
        let one = Float::with_val(bits, 1);
        let error = Float::with_val(bits, 1) >> bits.saturating_sub(LOST_DIGITS);
        let (less, more) = (
            d::sub_down(&one, &error, bits),
            d::add_up(&one, &error, bits),
        );
        let around = Interval::between_or_line(
            d::mul_down(&total, &less, bits),
            d::mul_up(&total, &more, bits),
        );
        let unit = Interval::from_integer(&(Integer::from(1) << law.bits()), bits);
        Some(around.div(&unit))
    }
}
