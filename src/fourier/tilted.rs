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
        let masses = Masses::new(law, tilt)?;
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
        Masses::new(law, tilt)?.log_total(law)
    }
}

/// Masses in units of the law, tilted relative to the first label.
///
/// MPFR rounds each product correctly: the factor of atom n is off by at most n + 1 roundings and as many errors of a growth factor,
/// each 3 roundings of numbers whose exponents are at most 2^12: below 2^(13 + log₂(n + 1) − 192) relatively.
struct Masses {
    tilted: Vec<(i64, Float)>,
}

/// Relative error of all numbers of [`Masses`] and of their sum, for at most 2^24 atoms.
const RELATIVE_DIGITS: u32 = 192 - 13 - 24 - 3;
const MOST_ATOMS: usize = 1 << 24;

impl Masses {
    fn new(law: &LatticeLaw, tilt: &Rational) -> Option<Self> {
        let first = law.first()?;
        let rate = Rational::from(tilt * law.lattice().step());
        let mut growths: BTreeMap<i64, Float> = BTreeMap::new();
        let mut factor = Float::with_val(LOG_BITS, 1);
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
                        place.insert(Float::with_val(LOG_BITS, &exponent).exp())
                    }
                };
                factor *= &*growth;
            }
            before = *label;
            let mass = Float::with_val(LOG_BITS, mass * &factor);
            tilted.push((label.checked_sub(first)?, mass));
        }
        Some(Self { tilted })
    }

    /// A finite total above 0.
    fn total(&self) -> Option<Float> {
        let masses = self.tilted.iter().map(|(_, mass)| mass);
        let total = masses.fold(Float::new(LOG_BITS), |sum, mass| sum + mass);
        (total.is_finite() && total > 0).then_some(total)
    }

    /// Encloses log g: the total in units, moved by its relative error.
    fn log_total(&self, law: &LatticeLaw) -> Option<Interval> {
        let total = self.total()?;
        let error = Float::with_val(LOG_BITS, 1) >> RELATIVE_DIGITS;
        let one = Float::with_val(LOG_BITS, 1);
        let (less, more) = (
            d::sub_down(&one, &error, LOG_BITS),
            d::add_up(&one, &error, LOG_BITS),
        );
        let around = Interval::between_or_line(
            d::mul_down(&total, &less, LOG_BITS),
            d::mul_up(&total, &more, LOG_BITS),
        );
        let unit = Interval::from_integer(&(Integer::from(1) << law.bits()), LOG_BITS);
        Some(around.div(&unit).ln())
    }
}
