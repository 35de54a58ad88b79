//! The sum of discrete Gaussians of several parties: no discrete Gaussian, but next to one.
//!
//! S(k) is the chance that N independent variables of mass ∝ e^{−j²/(2σ²)} add up to k. With V = Nσ² (`proofs/README.md`, Z7):
//!
//! * S(k) ∝ e^{−k²/(2V)}·c(k), where c is even, has period N, and is between 1 − D and 1 + D for D = (1 + 2p/(1 − p))^N − 1, p = e^{−π²σ²};
//! * S is log-concave and symmetric, so that r_k = S(k − 1)/S(k) never falls; and (k − N/2)/V ≤ log r_k ≤ (k − 1 + N/2)/V;
//! * Σ_{j ≥ k} S(j) ≤ e^{−k²/(2V)} for k ≥ 0.
//!
//! Where D is too large to be left aside, the masses come from the N-fold convolution in fixed point. All roundings there are downwards: what is missing
//! from 1 in the end is the largest error of any mass and of any tail.

use std::sync::Arc;

use rug::{Float, Integer, Rational, float::Round};

use super::discrete_noise::{DiscreteGaussianNoise, IntegerNoise};
use crate::kernel::{Interval, is_late};
use crate::mechanism::discrete_gaussians::convolved;
use crate::mechanism::evaluate::Cache;

/// The law of the sum.
#[derive(Debug, Clone)]
pub struct GaussianSumNoise {
    sigma: Rational,
    parties: u64,
    /// V.
    variance: Rational,
    /// Mass ∝ e^{−k²/(2V)}.
    near: DiscreteGaussianNoise,
    tables: Arc<Cache<(u32, u32), Table>>,
}

/// More parties than this are not built: their table takes seconds.
const MOST_PARTIES: u64 = 100_000;
/// As of one discrete Gaussian: the largest standard deviation of the sum.
const LARGEST_SIGMA: u32 = 20_000;
/// Below this one party's noise is 0 nearly always.
const LEAST_SIGMA: (u32, u32) = (1, 20);
/// Tables with more places than this are made with few bits.
const LONGEST: i64 = 1 << 15;
const FEW_BITS: u32 = 128;
/// Digits of all masses together that a table for divergences may have: it is made in tenths of a second. For the profile it may have twice as many.
const LARGEST_TABLE: u64 = 1 << 23;
/// Bits by which precisions of tables differ.
const STEP_BITS: u32 = 128;
/// Bits that a bound of D needs.
const BOUND_BITS: u32 = 64;
/// Bits by which rounding of long sums may be off.
const GUARD_BITS: u32 = 64;

/// Masses and tails in units of 2^−digits, from below.
#[derive(Debug)]
struct Table {
    digits: u32,
    /// S(0), S(1), …
    masses: Vec<Integer>,
    /// Σ_{j ≥ 0}, Σ_{j ≥ 1}, …
    tails: Vec<Integer>,
    /// What is missing from 1: no mass and no tail is more than this above what is listed.
    missing: Integer,
    /// The last place whose mass is known to many bits.
    top: i64,
}

impl GaussianSumNoise {
    /// The sum of the noise of so many parties; `None` for more than 100,000, for σ below 1/20 and for σ·√N above 20,000.
    ///
    /// Requires: `sigma > 0`, `parties ≥ 1`.
    pub fn new(sigma: &Rational, parties: u64) -> Option<Self> {
        let variance = sigma.clone().square() * parties;
        let is_built = parties <= MOST_PARTIES
            && *sigma >= Rational::from(LEAST_SIGMA)
            && variance <= u64::from(LARGEST_SIGMA).pow(2);
        is_built.then(|| Self {
            sigma: sigma.clone(),
            parties,
            near: DiscreteGaussianNoise::of_variance(&variance),
            variance,
            tables: Arc::default(),
        })
    }

    /// V = Nσ².
    pub fn variance(&self) -> &Rational {
        &self.variance
    }

    /// N.
    pub fn parties(&self) -> u64 {
        self.parties
    }

    /// log((1 + D)/(1 − D)), at most; `None` where D is not below 1.
    pub fn log_range(&self) -> Option<Interval> {
        // π² > 9.8696.
        let power = self.sigma.clone().square() * Rational::from((-98_696, 10_000));
        let p = Interval::from_rational(&power, BOUND_BITS).exp();
        let each = p.add(&p).div(&p.one_minus()).ln_1p();
        let count = Interval::from_integer(&self.parties.into(), BOUND_BITS);
        let distance = each.mul(&count).exp_m1();
        let is_small = distance.certainly_lt(&Interval::one(BOUND_BITS));
        is_small.then(|| distance.ln_1p().sub(&distance.neg().ln_1p()))
    }

    /// What a logarithm of c may be off by, where that does not matter at this precision.
    fn slack(&self, bits: u32) -> Option<Interval> {
        let range = self.log_range()?;
        let unit = Rational::from((1, Integer::from(1) << bits));
        let most = range.hi().clone();
        (most <= unit).then(|| {
            let most = Interval::point(most);
            most.neg().hull(&most).at_bits(bits)
        })
    }

    fn table(&self, bits: u32) -> Arc<Table> {
        let mut bits = steps_up(bits);
        while bits > FEW_BITS && !self.is_built_with(bits) {
            bits = bits.saturating_sub(STEP_BITS);
        }
        self.table_of(bits, bits)
            .unwrap_or_else(|| self.table_anyway(FEW_BITS))
    }

    /// Has the table of masses above 2^−bits to so many bits neither too many places nor too many digits?
    fn is_built_with(&self, bits: u32) -> bool {
        let digits = bits.saturating_mul(2);
        reach(&self.variance, digits) <= LONGEST
            && self.size_of_table(digits) <= LARGEST_TABLE.saturating_mul(2)
    }

    /// Digits of all masses together.
    fn size_of_table(&self, digits: u32) -> u64 {
        let places = u64::try_from(reach(&self.variance, digits)).unwrap_or(u64::MAX);
        u64::from(digits).saturating_mul(places)
    }

    /// Masses above 2^−far to so many bits; `None` where the time is over before they are made.
    fn table_of(&self, far: u32, bits: u32) -> Option<Arc<Table>> {
        if let Some(known) = self.tables.known(&(far, bits)) {
            return Some(known);
        }
        let made = Table::new(self, far, bits, is_late)?;
        Some(self.tables.keep(&(far, bits), made))
    }

    /// Few bits are made in an instant, whatever the time.
    fn table_anyway(&self, bits: u32) -> Arc<Table> {
        let make = || Table::new(self, bits, bits, || false);
        let known = self.tables.known(&(bits, bits));
        known.unwrap_or_else(|| {
            let made = make().unwrap_or_else(Table::of_nothing);
            self.tables.keep(&(bits, bits), made)
        })
    }

    /// S(0), S(1), … up to S(last), each with about so many bits; `None` where the table for it is too large, or the time is over.
    ///
    /// Requires: `last ≥ 0`.
    pub fn masses(&self, last: i64, bits: u32) -> Option<Vec<Interval>> {
        if let Some(slack) = self.slack(bits) {
            let tail = self.near.upper_tail(1, bits.saturating_add(64));
            // 1 = N(0) + 2·Σ_{j ≥ 1} N(j); and S(0) is that up to a factor between (1 − D)/(1 + D) and its reciprocal.
            let zero = tail.add(&tail).one_minus().mul(&slack.exp());
            let ratio = |k: i64| Interval::from_rational(&self.exponent(k), bits).exp();
            let one = |k: i64| zero.mul(&ratio(k)).mul(&slack.exp()).at_bits(bits);
            return Some((0..=last).map(one).collect());
        }
        // e^{−k²/(2V)} at the last place, as a power of 2.
        let far = (self.exponent(last) * Rational::from((-3, 2))).ceil();
        let far = far.numer().to_u32().unwrap_or(u32::MAX / 8);
        let (far, bits) = (steps_up(far), steps_up(bits));
        let is_built = self.size_of_table(far.saturating_add(bits)) <= LARGEST_TABLE;
        let table = is_built.then(|| self.table_of(far, bits)).flatten()?;
        let mass = |k: i64| table.mass(k).at_bits(bits);
        Some((0..=last).map(mass).collect())
    }

    /// −k²/(2V).
    fn exponent(&self, k: i64) -> Rational {
        Rational::from(k).square() / Rational::from(&self.variance * -2i32)
    }

    /// At most log Σ_{k > place} S(k − up)·(S(k − up)/S(k + down))^excess, for `up`, `down`, `excess` ≥ 0 and `place ≥ up`; `None` where nothing is known.
    ///
    /// With s = up + down, log S(k − up)/S(k + down) ≤ (s·k + h + s·N/2)/V for h = (down·(down − 1) − up·(up + 1))/2, and for Y = place + 1 − up ≥ excess·s
    /// Σ_{j ≥ Y} S(j)·e^{λj} ≤ e^{λY − Y²/(2V)}, λ = excess·s/V (`proofs/README.md`, Z7).
    pub fn log_beyond(
        &self,
        place: i64,
        (up, down): (i64, i64),
        excess: &Rational,
    ) -> Option<Rational> {
        let (above, below) = (Integer::from(up), Integer::from(down));
        let apart = Integer::from(&above + &below);
        let first = Integer::from(place) + 1u32;
        let start = Integer::from(&first - &above);
        let tilt = Rational::from(excess * &apart);
        if start < 1 || tilt > start {
            return None;
        }
        let middle = &below * Integer::from(&below - 1u32) - &above * Integer::from(&above + 1u32);
        let spread = Integer::from(&apart * self.parties) + middle;
        let constant = Rational::from(excess * spread) / 2u32;
        let slope = tilt * first;
        let square = Rational::from(start.square()) / 2u32;
        Some((constant + slope - square) / &self.variance)
    }

    /// log S(low) − log S(high) by what is known of all r_k, 0 ≤ low ≤ high.
    fn fall(&self, low: i64, high: i64, bits: u32) -> Interval {
        let (low, high) = (Integer::from(low), Integer::from(high));
        let steps = Integer::from(&high - &low);
        // Twice the sum of the k with low < k ≤ high.
        let places = &steps * (Integer::from(&low + &high) + 1u32);
        let spread = Integer::from(&steps * self.parties);
        let least = Integer::from(&places - &spread);
        let most = places + spread - Integer::from(&steps * 2u32);
        let twice = Rational::from(&self.variance * 2u32);
        let end = |x: Integer| Interval::from_rational(&(Rational::from(x) / &twice), bits);
        end(least).hull(&end(most)).at_least_zero()
    }

    /// log S(low) − log S(high) for 0 ≤ low ≤ high.
    fn log_fall(&self, low: i64, high: i64, bits: u32) -> Interval {
        let table = self.table(bits);
        let known = low.max(high.min(table.top));
        let within = if low < known {
            table.mass(low).div(&table.mass(known)).ln()
        } else {
            Interval::zero(bits)
        };
        let steps = Interval::from_i64(high.saturating_sub(known), bits);
        // Further out r_k never falls.
        let least = table.last_rise().mul(&steps).lo().clone();
        let beyond = self.fall(known, high, bits).max(&Interval::point(least));
        within.add(&beyond).at_least_zero().at_bits(bits)
    }
}

/// The next precision that tables are made with.
fn steps_up(bits: u32) -> u32 {
    let steps = (bits / STEP_BITS).saturating_add(1);
    steps.saturating_mul(STEP_BITS)
}

/// A place from which on all masses together are below 2^−bits, as e^{−k²/(2V)} is.
fn reach(variance: &Rational, bits: u32) -> i64 {
    let square = (Rational::from(variance * bits) * Rational::from((7, 5))).ceil();
    let root = square.numer().clone().sqrt() + 2u32;
    root.to_i64().unwrap_or(i64::MAX / 4)
}

impl Table {
    /// `None` if `is_over` says so between two products.
    fn new(
        noise: &GaussianSumNoise,
        far: u32,
        bits: u32,
        is_over: impl Fn() -> bool,
    ) -> Option<Self> {
        let digits = far.saturating_add(bits).saturating_add(GUARD_BITS);
        let square = noise.sigma.clone().square();
        let mut power = Part::one(&square, digits);
        let mut sum: Option<Part> = None;
        let mut rest = noise.parties;
        loop {
            if is_over() {
                return None;
            }
            if rest & 1 == 1 {
                sum = Some(match sum {
                    Some(sum) => sum.and(&power, &square, digits),
                    None => power.clone(),
                });
            }
            rest >>= 1u32;
            if rest == 0 {
                break;
            }
            power = power.and(&power, &square, digits);
        }
        Some(Self::of(&sum.unwrap_or(power), far, digits))
    }

    /// In which all is missing.
    fn of_nothing() -> Self {
        let nothing = Part {
            parties: 0,
            masses: Vec::new(),
        };
        Self::of(&nothing, FEW_BITS, FEW_BITS)
    }

    fn of(sum: &Part, far: u32, digits: u32) -> Self {
        let masses: Vec<Integer> = sum.masses.iter().skip(sum.centre()).cloned().collect();
        let all: Integer = sum.masses.iter().sum();
        let mut tail = Integer::new();
        let from_above = masses.iter().rev().map(|mass| {
            tail += mass;
            tail.clone()
        });
        let mut tails: Vec<Integer> = from_above.collect();
        tails.reverse();
        let least = Integer::from(1) << digits.saturating_sub(far);
        let known = masses.iter().take_while(|mass| **mass >= least).count();
        Self {
            digits,
            missing: (Integer::from(1) << digits) - all,
            top: i64::try_from(known.saturating_sub(1)).unwrap_or(0),
            masses,
            tails,
        }
    }

    /// A listed number, and what it may be at most.
    fn entry(&self, list: &[Integer], place: i64) -> Interval {
        let place = usize::try_from(place).ok();
        let least = place.and_then(|place| list.get(place)).cloned();
        let least = least.unwrap_or_default();
        let most = Integer::from(&least + &self.missing);
        let real = |x: &Integer| Interval::from_integer(x, self.digits);
        let unit = Rational::from((1, Integer::from(1) << self.digits));
        let unit = Interval::from_rational(&unit, self.digits);
        real(&least).hull(&real(&most)).mul(&unit).in_unit()
    }

    /// S(k) for k ≥ 0.
    fn mass(&self, place: i64) -> Interval {
        self.entry(&self.masses, place)
    }

    /// Σ_{j ≥ k} S(j) for k ≥ 0.
    fn tail(&self, place: i64) -> Interval {
        self.entry(&self.tails, place)
    }

    /// log r_k at the last place known, ≥ 0 in any case.
    fn last_rise(&self) -> Interval {
        if self.top < 1 {
            return Interval::zero(self.digits);
        }
        let before = self.mass(self.top.saturating_sub(1));
        before.div(&self.mass(self.top)).ln().at_least_zero()
    }
}

/// The law of the noise of some parties, from below, in units of 2^−digits: masses from −h to h.
#[derive(Debug, Clone)]
struct Part {
    parties: u64,
    masses: Vec<Integer>,
}

impl Part {
    /// Of one party, by the sum of all its weights: those that are not listed fall at least geometrically.
    fn one(square: &Rational, digits: u32) -> Self {
        let bits = digits.saturating_add(32);
        let exp = |numerator: Integer| {
            let x = Rational::from(numerator) / Rational::from(square * 2u32);
            Interval::from_rational(&x, bits).exp()
        };
        let weight = |k: i64| exp(-Integer::from(k).square());
        let last = reach(square, digits);
        let weights: Vec<Interval> = (0..=last).map(weight).collect();
        let next = last.saturating_add(1);
        let fall = exp(-Integer::from(next) * 2u32 - 1);
        let rest = weight(next).div(&fall.one_minus());
        let half = weights
            .iter()
            .skip(1)
            .fold(Interval::zero(bits).hull(&rest), |sum, weight| {
                sum.add(weight)
            });
        let total = half.add(&half).add(&weight(0));
        let unit = Float::with_val(bits, Float::i_exp(1, shift(digits)));
        let least = |weight: &Interval| {
            let mass = weight.div(&total);
            let scaled = Float::with_val_round(bits, mass.lo() * &unit, Round::Down).0;
            let whole = scaled.to_integer_round(Round::Down);
            whole
                .map(|(whole, _)| whole.max(Integer::new()))
                .unwrap_or_default()
        };
        let right: Vec<Integer> = weights.iter().map(least).collect();
        let mut masses: Vec<Integer> = right.iter().skip(1).rev().cloned().collect();
        masses.extend(right);
        Self { parties: 1, masses }
    }

    /// The place of 0 in the list.
    fn centre(&self) -> usize {
        self.masses.len() / 2
    }

    /// Of both together, without what is too far out to be seen.
    fn and(&self, other: &Self, square: &Rational, digits: u32) -> Self {
        let parties = self.parties.saturating_add(other.parties);
        let masses = convolved(&self.masses, &other.masses, |sum| sum >> digits);
        let reach = reach(&Rational::from(square * parties), digits);
        let centre = masses.len() / 2;
        let cut = usize::try_from(reach).map_or(0, |reach| centre.saturating_sub(reach));
        let kept = masses.len().saturating_sub(cut.saturating_mul(2));
        Self {
            parties,
            masses: masses.into_iter().skip(cut).take(kept).collect(),
        }
    }
}

/// As the exponent of a float.
fn shift(digits: u32) -> i32 {
    i32::try_from(digits).unwrap_or(i32::MAX)
}

impl IntegerNoise for GaussianSumNoise {
    const GEOMETRIC: bool = false;
    const MOST_APART: i64 = 400_000;

    fn upper_tail(&self, k: i64, bits: u32) -> Interval {
        if k <= 0 {
            let mirrored = 1i64.saturating_sub(k);
            return self.upper_tail(mirrored, bits).one_minus();
        }
        if let Some(slack) = self.slack(bits) {
            let tail = self.near.upper_tail(k, bits);
            return tail.mul(&slack.exp()).in_unit();
        }
        let most = Interval::from_rational(&self.exponent(k), bits).exp();
        self.table(bits).tail(k).min(&most).at_bits(bits)
    }

    fn log_ratio(&self, k: i64, shift: i64, bits: u32) -> Interval {
        if let Some(slack) = self.slack(bits) {
            return self.near.log_ratio(k, shift, bits).add(&slack);
        }
        let (from, to) = (k.saturating_sub(shift).saturating_abs(), k.saturating_abs());
        let fall = self.log_fall(from.min(to), from.max(to), bits);
        if from <= to { fall } else { fall.neg() }
    }
}

#[cfg(test)]
#[path = "gaussian_sum_tests.rs"]
pub(super) mod tests;
