//! Several discrete Gaussians of one parameter: their losses add up on one lattice, so that the composition is a law of its own.
//!
//! Of T pairs (P, Q) with the losses y_k = d(k − d/2)/σ² and P(k) = Q(k + d), the sum has the losses Y_K = d(K − Td/2)/σ², K = Σk, with
//! the masses of the T-fold convolution Q_T, and P_T(K) = Q_T(K + Td). With the tails A_K = Q_T(≥ K) and the least K with Y_K > ε,
//! δ(u) = A_K − u·A_{K+Td}; for any other K the right side is at most δ(u) (Neyman and Pearson).

use std::sync::Arc;

use rug::integer::Order;
use rug::{Float, Integer, Rational, float::Round};

use super::discrete_gaussian::{DiscreteGaussian, LatticeMasses};
use super::evaluate::Cache;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// The composition of `times` equal pairs of discrete Gaussians; it is symmetric.
#[derive(Debug, Clone)]
pub struct DiscreteGaussians {
    pair: DiscreteGaussian,
    times: u64,
    /// Td.
    shift: i64,
    /// Digits that masses under P have before those under Q do.
    far_bits: u32,
    tails: Arc<Cache<u32, Tails>>,
}

/// More places than this take longer to add up than what they save.
const MOST_PLACES: u64 = 1 << 16;
/// Sums of a larger mean than this need too many digits.
const MOST_MEAN: u32 = 200;
/// No table has fewer bits.
const FEWEST_BITS: u32 = 128;
/// Bits beyond those asked for, which rounding of long sums may take.
const GUARD_BITS: u32 = 64;

impl DiscreteGaussians {
    /// `None` where there are too many places.
    pub fn new(pair: &DiscreteGaussian, times: u64) -> Option<Self> {
        let at_a_glance = pair.lattice(GUARD_BITS, GUARD_BITS).masses.len();
        let places = u64::try_from(at_a_glance).ok()?.checked_mul(times)?;
        let shift = i64::try_from(times).ok()?.checked_mul(pair.shift())?;
        // Td²/(2σ²), under Q; the variance is twice that.
        let mean = Rational::from(pair.shift()).square() * times / pair.variance() / 2u32;
        let mean = mean
            .ceil()
            .numer()
            .to_u32()
            .filter(|mean| *mean <= MOST_MEAN)?;
        // log₂ of e^loss, twelve standard deviations above the mean.
        let spread = mean.saturating_mul(2).isqrt().saturating_add(1);
        let far = spread.saturating_mul(12).saturating_add(mean);
        (places <= MOST_PLACES).then(|| Self {
            pair: pair.clone(),
            times,
            shift,
            far_bits: far.saturating_mul(3) / 2,
            tails: Arc::default(),
        })
    }

    /// Y_0, and the distance of neighbouring losses.
    pub fn losses(&self) -> (Rational, Rational) {
        let gap = self.pair.step();
        (-Rational::from(&gap * self.shift) / 2u32, gap)
    }

    fn tails(&self, bits: u32) -> Arc<Tails> {
        // A glance and a table of cells use the same.
        let bits = (bits.max(FEWEST_BITS) / 64)
            .saturating_add(1)
            .saturating_mul(64);
        self.tails.get_or_in_time(&bits, || {
            Tails::new(&self.pair, self.times, bits.saturating_add(self.far_bits))
        })
    }

    /// At most and at least the least K with Y_K > ε.
    fn thresholds(&self, point: &Point) -> Option<(i64, i64)> {
        let bits = point.bits();
        let scale = Rational::from(self.pair.variance() / self.pair.shift());
        let half = Rational::from((self.shift, 2));
        let place = point
            .log()
            .mul(&Interval::from_rational(&scale, bits))
            .add(&Interval::from_rational(&half, bits));
        let above = |end: &Float| {
            let (floor, _) = end.to_integer_round(Round::Down)?;
            floor.to_i64()?.checked_add(1)
        };
        let (low, high) = (above(place.lo())?, above(place.hi())?);
        match point.exact_log() {
            Some(epsilon) if low != high => {
                let place = epsilon * scale + half;
                let exactly = place.floor().numer().to_i64()?.checked_add(1)?;
                Some((exactly, exactly))
            }
            _ => Some((low, high)),
        }
    }
}

impl Profile for DiscreteGaussians {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let unit = Interval::zero(bits).hull(&Interval::one(bits));
        let Some((low, high)) = self.thresholds(point) else {
            return ProfilePoint {
                delta: unit.clone(),
                null_tail: unit,
            };
        };
        let tails = self.tails(bits);
        let null = |k: i64| tails.from(k.saturating_add(self.shift));
        let (null_low, null_high) = (null(high), null(low));
        // The threshold is between both, and tails fall.
        let value = |k: i64, null: &Interval| tails.from(k).sub(&point.exp().mul(null));
        let delta = if low == high {
            value(low, &null_low)
        } else {
            let lower = value(low, &null_high).max(&value(high, &null_low));
            let upper = tails.from(low).sub(&point.exp().mul(&null_low));
            Interval::between_or_line(lower.lo().clone(), upper.hi().clone())
        };
        ProfilePoint {
            delta: delta.in_unit().at_bits(bits),
            null_tail: null_low.hull(&null_high).in_unit().at_bits(bits),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// Enclosures of A_K for the K from `first` on.
#[derive(Debug)]
struct Tails {
    first: i64,
    tails: Vec<Interval>,
    /// What may be anywhere.
    missing: Interval,
}

impl Tails {
    /// To about `bits` digits after the point.
    fn new(pair: &DiscreteGaussian, times: u64, bits: u32) -> Self {
        let digits = bits.saturating_add(GUARD_BITS);
        Self::of(&pair.lattice(digits, digits), times, digits)
    }

    /// The same of a law that is known, in units of 2^−`digits`.
    ///
    /// All masses are rounded down. What they lack to 1, where it is not known, may be above K: A_K is at least their sum from K on, and at most 1 less their sum before K.
    fn of(law: &LatticeMasses, times: u64, digits: u32) -> Self {
        let scaled = |x: &Float| Float::with_val(x.prec(), x << digits);
        let down = |x: &Interval| rounded(&scaled(x.lo()), Round::Down);
        let base = Row {
            first: law.first_index,
            terms: law.masses.iter().map(down).collect(),
        };
        let Row { first, terms } = base.power(times, |sum| sum >> digits);
        let real = |units: &Integer, round| Float::with_val_round(digits, units, round).0 >> digits;
        let listed: Integer = terms.iter().sum();
        let mut least = Integer::new();
        let mut most = ((Integer::from(1) << digits) - listed).max(Integer::new());
        let missing = Interval::zero(digits).hull(&Interval::point(real(&most, Round::Up)));
        let tails = terms.iter().rev().map(|mass| {
            least += mass;
            most += mass;
            Interval::between_or_line(real(&least, Round::Down), real(&most, Round::Up)).in_unit()
        });
        let mut tails: Vec<Interval> = tails.collect();
        tails.reverse();
        Self {
            first,
            tails,
            missing: missing.in_unit(),
        }
    }

    /// A_K.
    fn from(&self, k: i64) -> Interval {
        match usize::try_from(k.saturating_sub(self.first)) {
            // Nothing above the list but what is missing.
            Ok(index) => self.tails.get(index).unwrap_or(&self.missing).clone(),
            // All of the list.
            Err(_) => match self.tails.first() {
                Some(all) => all.hull(&Interval::one(all.bits())),
                None => Interval::zero(64).hull(&Interval::one(64)),
            },
        }
    }
}

/// A number that is not below (above) 0 and finite; 0 for any other.
fn rounded(x: &Float, round: Round) -> Integer {
    let whole = x.to_integer_round(round).map(|(whole, _)| whole);
    whole.unwrap_or_default().max(Integer::new())
}

/// Whole numbers ≥ 0 at neighbouring places, from the first of them on; elsewhere there are none.
struct Row {
    first: i64,
    terms: Vec<Integer>,
}

impl Row {
    /// The T-fold convolution, T ≥ 1, where each product is brought back by `shortened`, which grows.
    fn power(self, times: u64, shortened: impl Fn(Integer) -> Integer) -> Self {
        let mut result: Option<Self> = None;
        let (mut square, mut rest) = (self.trimmed(), times);
        loop {
            if rest & 1 == 1 {
                result = Some(match result {
                    Some(result) => result.convolved(&square, &shortened),
                    None => Self {
                        first: square.first,
                        terms: square.terms.clone(),
                    },
                });
            }
            rest >>= 1u32;
            if rest == 0 {
                return result.unwrap_or(square);
            }
            square = square.convolved(&square, &shortened);
        }
    }

    fn convolved(&self, other: &Self, shortened: impl Fn(Integer) -> Integer) -> Self {
        let row = Self {
            first: self.first.saturating_add(other.first),
            terms: convolved(&self.terms, &other.terms, shortened),
        };
        row.trimmed()
    }

    /// Without zeros at its ends, where the spread of a sum of many is far below that of the places.
    fn trimmed(self) -> Self {
        let Self { first, mut terms } = self;
        let used = terms.iter().rposition(|term| *term != 0);
        terms.truncate(used.map_or(0, |last| last.saturating_add(1)));
        let empty = terms.iter().take_while(|term| **term == 0).count();
        terms.drain(..empty);
        Self {
            first: first.saturating_add(i64::try_from(empty).unwrap_or(i64::MAX)),
            terms,
        }
    }
}

/// c_k = Σ a_i·b_{k−i} as one product of large integers, in slots wide enough for any of the sums.
pub(super) fn convolved(
    a: &[Integer],
    b: &[Integer],
    shortened: impl Fn(Integer) -> Integer,
) -> Vec<Integer> {
    let largest = |terms: &[Integer]| terms.iter().max().cloned().unwrap_or_default();
    let most = largest(a) * largest(b) * Integer::from(a.len().min(b.len()));
    let words = most.significant_digits::<u64>().max(1);
    let product = if std::ptr::eq(a, b) {
        packed(a, words).square()
    } else {
        packed(a, words) * packed(b, words)
    };
    let mut sums: Vec<Integer> = product
        .to_digits::<u64>(Order::Lsf)
        .chunks(words)
        .map(|slot| shortened(Integer::from_digits(slot, Order::Lsf)))
        .collect();
    let length = match a.is_empty() || b.is_empty() {
        true => 0,
        false => a.len().saturating_add(b.len()).saturating_sub(1),
    };
    sums.resize(length, Integer::new());
    sums
}

fn packed(terms: &[Integer], words: usize) -> Integer {
    let mut digits = Vec::with_capacity(terms.len().saturating_mul(words));
    for term in terms {
        let own = term.to_digits::<u64>(Order::Lsf);
        // A term wider than its slot is multiplied by zeros alone.
        digits.extend((0..words).map(|place| own.get(place).copied().unwrap_or(0)));
    }
    Integer::from_digits(&digits, Order::Lsf)
}

#[cfg(test)]
#[path = "discrete_gaussians_tests.rs"]
mod tests;
#[cfg(test)]
#[path = "discrete_gaussians_units_tests.rs"]
mod units_tests;
