//! A law of one step tilted by e^{θL} and scaled to total mass 1.

use std::collections::BTreeMap;

use rug::{Float, Integer, Rational};

use super::fixed::{self, ERROR_BITS, Fixed};
use super::short::Short;
use super::{LOG_BITS, LatticeLaw};
use crate::kernel::Interval;
use crate::kernel::directed as d;
use crate::kernel::magnitude::Magnitude;

/// The masses p_i = q_i·e^{θh(i − i₀)}/g, i₀ the first label.
pub(super) struct Tilted {
    /// i − i₀ in steps of the sum, and p_i, off by less than [`weight_error_up`].
    pub(super) weights: Vec<(i64, Fixed)>,
    /// log g.
    pub(super) log_total: Interval,
}

/// Tilts of an atom against its neighbour are at most e^this.
const MOST_TILT: u32 = 1 << 12;

/// A weight is off by less than 2^−this.
pub(super) const WEIGHT_DIGITS: u32 = 118;

/// 2^−118: rounding down to 2^−120, and relative errors below 2^−140 of numbers of at most 1.
pub(super) fn weight_error_up() -> Float {
    Float::with_val(ERROR_BITS, 1) >> WEIGHT_DIGITS
}

impl Tilted {
    /// `None` for a law without finite masses, or a tilt beyond what is computed with.
    pub(super) fn new(law: &LatticeLaw, step: &Rational, tilt: &Rational) -> Option<Self> {
        let mut masses = Vec::with_capacity(law.atoms().len());
        let total = Total::in_magnitudes(law, tilt, |label, mass| masses.push((label, mass)))?;
        let multiple = Rational::from(law.lattice().step() / step);
        let multiple = multiple
            .numer()
            .to_i64()
            .filter(|_| *multiple.denom() == 1)?;
        // One more rounding, once for all.
        let one = Float::with_val(LOG_BITS, 1) << fixed::FRACTION;
        let scale = Magnitude::below(&(one / &total.sum))?;
        let weights = masses.into_iter().map(|(label, mass)| {
            let weight = fixed::of_wide(mass.times(scale).fixed(0)?)?;
            Some((label.checked_mul(multiple)?, weight))
        });
        Some(Self {
            weights: weights.collect::<Option<_>>()?,
            log_total: total.whole(law).ln_in_short(),
        })
    }

    /// log g alone, to few digits, of which as many are left as matter where it is multiplied by `times`.
    pub(super) fn log_total(law: &LatticeLaw, tilt: &Rational, times: u64) -> Option<Interval> {
        let digits = u64::BITS.saturating_sub(times.leading_zeros());
        let bits = FEWEST_BITS.saturating_add(digits).min(LOG_BITS);
        let in_words = Total::in_words(law, tilt);
        let in_words =
            in_words.filter(|total| total.good_bits() >= digits.saturating_add(GOOD_BITS));
        let total = match in_words {
            Some(total) => total,
            None => Total::in_magnitudes(law, tilt, |_, _| {})?,
        };
        Some(total.whole(law).at_bits(bits).ln())
    }

    /// g, from numbers of so many bits, or of [`MAGNITUDE_BITS`] where those are about as many.
    pub(super) fn total_at(law: &LatticeLaw, tilt: &Rational, bits: u32) -> Option<Interval> {
        if bits <= LOG_BITS {
            let total = Total::in_magnitudes(law, tilt, |_, _| {})?;
            return Some(total.whole(law));
        }
        Some(Total::new(law, tilt, bits)?.whole(law))
    }
}

/// e^{rate·gap} for the gaps of a law.
struct Growths {
    rate: Rational,
    bits: u32,
    /// Is the law so short that products of e^rate are near enough?
    is_short: bool,
    known: BTreeMap<i64, Float>,
}

/// Labels of laws that are short reach over less than this.
const SHORT: i64 = 1 << 28;

impl Growths {
    fn new(law: &LatticeLaw, rate: Rational, bits: u32) -> Option<Self> {
        let span = law.atoms().last()?.0.checked_sub(law.first()?)?;
        Some(Self {
            rate,
            bits,
            is_short: span < SHORT,
            known: BTreeMap::new(),
        })
    }

    /// `None` for exponents beyond what is computed with.
    ///
    /// Requires: `gap` > 0.
    fn at(&mut self, gap: i64) -> Option<&Float> {
        if !self.known.contains_key(&gap) {
            let exponent = Rational::from(&self.rate * gap);
            if exponent.clone().abs() > MOST_TILT {
                return None;
            }
            let growth = match gap {
                1 => Float::with_val(self.bits, &exponent).exp(),
                _ if !self.is_short => Float::with_val(self.bits, &exponent).exp(),
                _ if gap % 2 == 0 => Float::with_val(self.bits, self.at(gap / 2)?.square_ref()),
                _ => {
                    let one = self.at(1)?.clone();
                    one * self.at(gap.saturating_sub(1))?
                }
            };
            self.known.insert(gap, growth);
        }
        self.known.get(&gap)
    }
}

/// The total of masses in units of the law, tilted relative to the first label.
///
/// Every product and sum is off by at most v relatively, v = 2^−bits: MPFR rounds it to so many, and magnitudes, all of which are below what they stand for, by less than 2^−187. e^rate is off by at most
/// (|rate| + 2)·v, and e^{rate·gap} by gap times as much where it is a product of
/// them: e(m + n) ≤ e(m) + e(n) + v. Made on its own it is off by (2^12 + 2)·v. As |rate·gap| ≤ 2^12, the factor of atom n is off by at most (n + 1)·2^13·v, and by twice the labels of a short law.
struct Total {
    /// Finite, above 0.
    sum: Float,
    /// At least [`FEWEST_BITS`].
    bits: u32,
    /// The sum is relatively off by less than 2^(this − bits).
    lost: u32,
}

/// Of a logarithm that is multiplied by a number of steps so many bits are to be good.
const GOOD_BITS: u32 = 20;

/// Of a total relatively off by 2^(LOST_DIGITS − bits) these leave some 20 digits.
const FEWEST_BITS: u32 = 60;
/// Good bits of magnitudes.
const MAGNITUDE_BITS: u32 = 187;

/// All tilted masses and their sum are relatively off by less than 2^(this − bits), for at most 2^24 atoms.
const LOST_DIGITS: u32 = 13 + 24 + 3;
const MOST_ATOMS: usize = 1 << 24;
/// Exponents of factors have sizes up to this, far below what magnitudes hold.
const LARGEST_EXPONENT: u32 = 1 << 28;

impl Total {
    /// By MPFR, in any number of bits.
    fn new(law: &LatticeLaw, tilt: &Rational, bits: u32) -> Option<Self> {
        let bits = bits.max(FEWEST_BITS);
        let first = law.first()?;
        let rate = Rational::from(tilt * law.lattice().step());
        let mut growths = Growths::new(law, rate, bits)?;
        let mut factor = Float::with_val(bits, 1);
        let mut before = first;
        let mut sum = Float::new(bits);
        if law.atoms().len() > MOST_ATOMS {
            return None;
        }
        for (label, mass) in law.atoms() {
            let gap = label.checked_sub(before)?;
            if gap > 0 {
                factor *= growths.at(gap)?;
            }
            before = *label;
            sum += Float::with_val(bits, mass * &factor);
        }
        (sum.is_finite() && sum > 0).then_some(Self {
            sum,
            bits,
            lost: LOST_DIGITS,
        })
    }

    /// `each` is called with every label, relative to the first one, and its tilted mass. `None` for a tilt or masses beyond what is computed with.
    fn in_magnitudes(
        law: &LatticeLaw,
        tilt: &Rational,
        mut each: impl FnMut(i64, Magnitude),
    ) -> Option<Self> {
        let first = law.first()?;
        let rate = Rational::from(tilt * law.lattice().step());
        let mut growths = Growths::new(law, rate, LOG_BITS)?;
        let mut factor: Option<Magnitude> = None;
        let mut before = first;
        // Most gaps are those before them.
        let mut growth: Option<(i64, Magnitude)> = None;
        let mut sum: Option<Magnitude> = None;
        if law.atoms().len() > MOST_ATOMS {
            return None;
        }
        for (label, mass) in law.atoms() {
            let gap = label.checked_sub(before)?;
            if gap > 0 {
                let by = match growth {
                    Some((known, by)) if known == gap => by,
                    _ => Magnitude::below(growths.at(gap)?)?,
                };
                growth = Some((gap, by));
                let grown = factor.map_or(by, |factor| factor.times(by));
                if grown.exponent().unsigned_abs() > LARGEST_EXPONENT {
                    return None;
                }
                factor = Some(grown);
            }
            before = *label;
            let mass = Magnitude::of_integer(mass)?;
            let tilted = factor.map_or(mass, |factor| mass.times(factor));
            sum = Some(sum.map_or(tilted, |sum| sum.plus(tilted)));
            each(label.checked_sub(first)?, tilted);
        }
        Some(Self {
            sum: sum?.to_float(),
            bits: MAGNITUDE_BITS,
            lost: LOST_DIGITS,
        })
    }

    /// By words, where few digits are asked for. `None` for what [`Self::in_magnitudes`] is none for, too.
    ///
    /// Ensures: with v = 2^−62, a growth is rounded down to a word by less than v/2 relatively, beside an error below 2^−100; so is a product, and a sum by less than v. So the
    /// factor of atom n is off by at most nv and a little, its mass by (n + 1)·v, and the sum of n of them by less than (2n + 2)·v.
    fn in_words(law: &LatticeLaw, tilt: &Rational) -> Option<Self> {
        let first = law.first()?;
        let rate = Rational::from(tilt * law.lattice().step());
        let mut growths = Growths::new(law, rate, LOG_BITS)?;
        let mut factor = Short::ONE;
        let mut before = first;
        let mut growth: Option<(i64, Short)> = None;
        let mut sum: Option<Short> = None;
        if law.atoms().len() > MOST_ATOMS {
            return None;
        }
        for (label, mass) in law.atoms() {
            let gap = label.checked_sub(before)?;
            if gap > 0 {
                let by = match growth {
                    Some((known, by)) if known == gap => by,
                    _ => Short::below(growths.at(gap)?)?,
                };
                growth = Some((gap, by));
                factor = factor.times(by)?;
            }
            before = *label;
            let tilted = Short::of_integer(mass)?.times(factor)?;
            sum = Some(sum.map_or(tilted, |sum| sum.plus(tilted)));
        }
        let count = law.atoms().len().checked_mul(2)?.checked_add(2)?;
        Some(Self {
            sum: sum?.to_float(),
            bits: Short::BITS,
            lost: usize::BITS.saturating_sub(count.leading_zeros()),
        })
    }

    /// Of the sum, and about of its logarithm.
    fn good_bits(&self) -> u32 {
        self.bits.saturating_sub(self.lost)
    }

    /// Encloses g: the total in units, moved by its relative error.
    fn whole(&self, law: &LatticeLaw) -> Interval {
        let bits = self.bits;
        let one = Float::with_val(bits, 1);
        let error = Float::with_val(bits, 1) >> self.good_bits();
        let (less, more) = (
            d::sub_down(&one, &error, bits),
            d::add_up(&one, &error, bits),
        );
        let around = Interval::between_or_line(
            d::mul_down(&self.sum, &less, bits),
            d::mul_up(&self.sum, &more, bits),
        );
        let unit = Interval::from_integer(&(Integer::from(1) << law.bits()), bits);
        around.div(&unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Lattice, Offset};

    fn law(atoms: &[(i64, u32)]) -> LatticeLaw {
        let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from(1));
        let atoms = atoms
            .iter()
            .map(|(label, mass)| (*label, Integer::from(*mass)));
        LatticeLaw::new(lattice, atoms.collect(), Integer::new(), 4).unwrap()
    }

    /// One unit is enough, and nothing is no law.
    #[test]
    fn a_unit_and_nothing() {
        let total =
            |atoms: &[(i64, u32)]| Tilted::total_at(&law(atoms), &Rational::from((1, 3)), LOG_BITS);
        assert!(total(&[(2, 1)]).unwrap().contains(&Rational::from((1, 16))));
        assert!(total(&[(2, 0)]).is_none() && total(&[]).is_none());
    }

    /// Weights and totals of laws with any gaps and masses, and tilts of either sign, against 600 bits.
    #[test]
    fn weights_are_within_their_error() {
        use crate::kernel::coarse::Random;
        const FINE: u32 = 600;
        let mut random = Random(76);
        for round in 0..400 {
            let mut label = i64::try_from(random.below(100)).unwrap() - 50;
            let units = 20 + u32::try_from(random.below(170)).unwrap();
            let atoms: Vec<(i64, Integer)> = (0..1 + random.below(60))
                .map(|_| {
                    label += 1 + i64::try_from(random.below(if round % 3 == 0 { 1 } else { 9 }))
                        .unwrap();
                    let digits = u32::try_from(random.below(u64::from(units - 10))).unwrap();
                    (
                        label,
                        (Integer::from(1 + random.below(60)) << digits) / 61u32 + 1u32,
                    )
                })
                .collect();
            let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from((1, 3)));
            let law = LatticeLaw::new(lattice, atoms.clone(), Integer::new(), units).unwrap();
            let tilt = Rational::from((i64::try_from(random.below(4000)).unwrap() - 2000, 97));
            let found = Tilted::new(&law, &Rational::from((1, 3)), &tilt).unwrap();
            let first = atoms[0].0;
            let masses: Vec<Float> = atoms
                .iter()
                .map(|(label, mass)| {
                    let exponent = Rational::from(&tilt * (label - first)) / 3u32;
                    Float::with_val(FINE, exponent).exp() * mass
                })
                .collect();
            let total = masses.iter().fold(Float::new(FINE), |sum, mass| sum + mass);
            for ((label, _), ((at, weight), mass)) in
                atoms.iter().zip(found.weights.iter().zip(&masses))
            {
                assert_eq!(*at, label - first);
                let truth = Float::with_val(FINE, mass / &total);
                let off = truth - fixed::to_float(*weight, FINE);
                assert!(off.clone().abs() < weight_error_up(), "{label} {off}");
                assert!(off > -(Float::with_val(64, 1) >> 140u32), "{label} {off}");
            }
            let log = (total >> units).ln();
            let interval = &found.log_total;
            assert!(
                *interval.lo() <= log && *interval.hi() >= log,
                "{interval:?} {log}"
            );
            assert!(interval.width_up() < Float::with_val(64, 1) >> 130u32);
            let few = Tilted::log_total(&law, &tilt, 1).unwrap();
            assert!(*few.lo() <= log && *few.hi() >= log && few.width_up() < 1e-12);
            let whole = Total::in_words(&law, &tilt).unwrap().whole(&law);
            let total = Float::with_val(FINE, log.exp_ref());
            assert!(*whole.lo() <= total && *whole.hi() >= total, "{tilt}");
        }
    }

    /// Σ q·2^k, tilted so that a step is about a factor of 2: at few bits it is surrounded as well.
    #[test]
    fn totals_themselves_at_few_bits() {
        use crate::kernel::coarse::{Random, at_most_bits, surrounds};
        let mut random = Random(75);
        for _ in 0..1_000 {
            let atoms: Vec<(i64, u32)> = (0..1 + random.below(5))
                .map(|k| (k as i64, 1 + random.below(3) as u32))
                .collect();
            let (law, tilt) = (law(&atoms), Rational::from((1 + random.below(20), 13)));
            let total = || Tilted::total_at(&law, &tilt, LOG_BITS).unwrap();
            let fine = total();
            let bits = 2 + u32::try_from(random.below(60)).unwrap();
            let coarse = at_most_bits(bits, total);
            assert!(
                surrounds(&coarse, &fine),
                "{atoms:?} {tilt} {bits}: {coarse:?} {fine:?}"
            );
        }
    }

    /// Over a long law growths are made one by one, for the error of a product grows with its gap; of a short one by products, which are as near as is said.
    #[test]
    fn growths_of_long_laws_are_made_alone() {
        for (label, is_short) in [(SHORT - 1, true), (SHORT, false), (SHORT + 1, false)] {
            let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from(1));
            let half = || Integer::from(1);
            let atoms = vec![(-3, half()), (label - 3, half())];
            let law = LatticeLaw::new(lattice, atoms, Integer::new(), 1).unwrap();
            let rate = Rational::from((1, 1 << 30));
            let mut growths = Growths::new(&law, rate.clone(), LOG_BITS).unwrap();
            assert_eq!(growths.is_short, is_short, "{label}");
            let found = growths.at(label).unwrap().clone();
            assert_eq!(growths.known.len() == 1, !is_short, "{label}");
            let truth = Float::with_val(400, rate * label).exp();
            let off = Float::with_val(400, &found / &truth) - 1u32;
            // 2^13 units, or as many for each label.
            let most = if is_short { 41 } else { 13 };
            assert!(
                off.abs() <= Float::with_val(64, 1) >> (LOG_BITS - most),
                "{label}"
            );
        }
    }
}
