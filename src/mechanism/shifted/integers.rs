//! Mixtures of shifted noise on the integers.
//!
//! The likelihood ratio increases along the integers, so that δ(u) = Q(≥ k) − u·P(≥ k) for the least k at which it is at least u.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rug::Rational;

use super::discrete_noise::IntegerNoise;
use super::{Shifts, log_bound};
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint, is_late};
use crate::mechanism::evaluate::{Cache, refined};

/// P = Σ qⱼ·N(−wⱼ) against Q = Σ pᵢ·N(vᵢ) with whole shifts.
pub struct IntegerMixtures<N> {
    noise: N,
    /// −w and q, v and p.
    without: Vec<(i64, Rational)>,
    with: Vec<(i64, Rational)>,
    /// The infimum and the supremum of the ratio, where they are approached and known.
    least: Option<Rational>,
    most: Option<Rational>,
    /// The sum of a place and its mirror image, if P is the mirror image of Q. Then the ratio is exactly 1 in the middle, which no precision tells, and
    /// most lattices have a knot there.
    mirror: Option<i64>,
    known: Cache<u32, Known>,
}

/// What was found at one precision.
#[derive(Debug)]
struct Known {
    with: Vec<(i64, Interval)>,
    without: Vec<(i64, Interval)>,
    ratios: Memo<i64, Interval>,
    tails: Memo<i64, (Interval, Interval)>,
}

/// Places beyond this are not looked at.
const FARTHEST: i64 = 1 << 40;

/// The least place where something holds that holds from there on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// Already at the lowest place looked at.
    Everywhere,
    At(i64),
    /// Not even at the highest.
    Nowhere,
}

impl<N: IntegerNoise> IntegerMixtures<N> {
    /// The pair; a shift of 1 stands for `unit` integers. `None` if a shift is not whole then, or they are too far apart.
    pub fn new(noise: N, unit: u64, without: &Shifts, with: &Shifts) -> Option<Self> {
        let placed = |shifts: &Shifts, sign: i64| -> Option<Vec<(i64, Rational)>> {
            let place = |(shift, weight): &(Rational, Rational)| {
                let distance = Rational::from(shift * unit);
                let whole = distance.is_integer().then(|| distance.numer().to_i64());
                Some((whole??.checked_mul(sign)?, weight.clone()))
            };
            shifts.list().iter().map(place).collect()
        };
        let apart = (with.most() + without.most()) * unit;
        if apart > N::MOST_APART {
            return None;
        }
        let (below, above) = (placed(without, -1)?, placed(with, 1)?);
        let mirror = match (below.as_slice(), above.as_slice()) {
            ([(low, _)], [(high, _)]) => Some(low.checked_add(*high)?),
            _ => (with == without).then_some(0),
        };
        Some(Self {
            noise,
            without: below,
            with: above,
            least: with.infimum_against(without),
            most: without.infimum_against(with).map(Rational::recip),
            mirror,
            known: Cache::default(),
        })
    }

    fn known(&self, bits: u32) -> Arc<Known> {
        let parts = |of: &[(i64, Rational)]| {
            let part =
                |(place, weight): &(i64, Rational)| (*place, Interval::from_rational(weight, bits));
            of.iter().map(part).collect()
        };
        self.known.get_or(&bits, || Known {
            with: parts(&self.with),
            without: parts(&self.without),
            ratios: Memo::default(),
            tails: Memo::default(),
        })
    }

    /// Q(k)/P(k).
    fn ratio(&self, known: &Known, k: i64, bits: u32) -> Interval {
        if self.mirror == Some(k.saturating_mul(2)) {
            return Interval::one(bits);
        }
        known.ratios.get_or(k, || {
            let sum = |parts: &[(i64, Interval)]| {
                let terms = parts.iter().map(|(place, weight)| {
                    weight.mul(&self.noise.log_ratio(k, *place, bits).exp())
                });
                terms.fold(Interval::zero(bits), |sum, term| sum.add(&term))
            };
            sum(&known.with).div(&sum(&known.without))
        })
    }

    /// Q(≥ k) and P(≥ k).
    fn tails(&self, known: &Known, k: i64, bits: u32) -> (Interval, Interval) {
        known.tails.get_or(k, || {
            let sum = |parts: &[(i64, Interval)]| {
                let terms = parts.iter().map(|(place, weight)| {
                    let tail = self.noise.upper_tail(k.saturating_sub(*place), bits);
                    weight.mul(&tail)
                });
                terms
                    .fold(Interval::zero(bits), |sum, term| sum.add(&term))
                    .in_unit()
            };
            (sum(&known.with), sum(&known.without))
        })
    }

    /// The places to look at. Where the noise is geometric, the ratio is constant beyond them.
    fn range(&self) -> (i64, i64) {
        if !N::GEOMETRIC {
            return (-FARTHEST, FARTHEST);
        }
        let all = self
            .without
            .iter()
            .chain(&self.with)
            .map(|(place, _)| *place);
        (all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let u = point.exp();
        let (zero, one) = (Interval::zero(bits), Interval::one(bits));
        let exactly = |delta: Interval, null_tail: &Interval| ProfilePoint {
            delta: delta.in_unit(),
            null_tail: null_tail.clone(),
        };
        if u.lo().is_infinite() || self.most.as_ref().is_some_and(|most| u.lo() >= most) {
            return exactly(zero.clone(), &zero);
        }
        if self.least.as_ref().is_some_and(|least| u.hi() <= least) {
            return exactly(u.one_minus(), &one);
        }
        let known = self.known(bits);
        let (low, high) = self.range();
        // Before `open` the ratio is below u, from `sure` on it is not.
        let open = first(low, high, |k| !self.ratio(&known, k, bits).certainly_lt(u));
        let sure = first(low, high, |k| u.certainly_le(&self.ratio(&known, k, bits)));
        if N::GEOMETRIC && sure == First::Everywhere {
            return exactly(u.one_minus(), &one);
        }
        let (start, most) = match open {
            First::Everywhere => (low, one),
            First::At(k) => (k, self.tails(&known, k, bits).1),
            First::Nowhere if N::GEOMETRIC => return exactly(zero.clone(), &zero),
            First::Nowhere => {
                let (with, without) = self.tails(&known, high, bits);
                return ProfilePoint {
                    delta: zero.hull(&with).max(&u.one_minus()).in_unit(),
                    null_tail: zero.hull(&without),
                };
            }
        };
        let least = match sure {
            First::Everywhere => self.tails(&known, low, bits).1,
            First::At(k) => self.tails(&known, k, bits).1,
            First::Nowhere => zero.clone(),
        };
        let (with, without) = self.tails(&known, start, bits);
        // No test gains more than the one from `start` on by (u − ρ)⁺ times the mass of P there, as the ratio is at least ρ, that at `start`; and, where it
        // is not known to be below u before, by (ρ − u)⁺ times the mass of P there.
        let excess = self.ratio(&known, start, bits).sub(u);
        let wrong = excess.neg().at_least_zero().mul(&without);
        let missed = match open {
            First::Everywhere => excess.at_least_zero().mul(&without.one_minus()),
            First::At(_) | First::Nowhere => zero.clone(),
        };
        let delta = with
            .sub(&u.mul(&without))
            .add(&zero.hull(&wrong.add(&missed)));
        ProfilePoint {
            delta: delta.max(&u.one_minus()).in_unit(),
            null_tail: most.hull(&least),
        }
    }

    /// The ratio at one end of the places, where it is constant beyond.
    fn end(&self, k: i64, bits: u32) -> LossBound {
        LossBound::Finite {
            value: self.ratio(&self.known(bits), k, bits).ln(),
            exact: None,
        }
    }
}

/// The least k for which something holds, if it holds from there on: twice as far out, then halfway.
///
/// In any case it holds at the place that is found, and not at the one before.
fn first(low: i64, high: i64, holds: impl Fn(i64) -> bool) -> First {
    let (mut before, mut at) = if holds(0i64.clamp(low, high)) {
        let (mut at, mut next) = (0i64.clamp(low, high), -1i64);
        loop {
            if at <= low {
                return First::Everywhere;
            }
            let place = next.max(low);
            if !holds(place) {
                break (place, at);
            }
            (at, next) = (place, next.saturating_mul(2));
        }
    } else {
        let (mut before, mut next) = (0i64.clamp(low, high), 1i64);
        loop {
            if before >= high {
                return First::Nowhere;
            }
            let place = next.min(high);
            if holds(place) {
                break (before, place);
            }
            (before, next) = (place, next.saturating_mul(2));
        }
    };
    while at.saturating_sub(before) > 1 {
        let middle = before.midpoint(at);
        if holds(middle) {
            at = middle;
        } else {
            before = middle;
        }
    }
    First::At(at)
}

/// Results kept; computing one twice is allowed and gives the same.
#[derive(Debug)]
struct Memo<K, V>(Mutex<HashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Eq + Hash + Copy, V: Clone> Memo<K, V> {
    /// Entries kept.
    const ROOM: usize = 1 << 16;

    fn get_or(&self, key: K, make: impl FnOnce() -> V) -> V {
        let entries = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = entries().get(&key) {
            return value.clone();
        }
        let value = make();
        let mut entries = entries();
        // What was made when the time was over may be wide for want of time.
        if !is_late() && entries.len() < Self::ROOM {
            entries.insert(key, value.clone());
        }
        value
    }
}

impl<N: IntegerNoise> Profile for IntegerMixtures<N> {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        // Mirrored along the line.
        let mirrored = |parts: &[(i64, Rational)]| {
            let part = |(place, weight): &(i64, Rational)| (place.saturating_neg(), weight.clone());
            parts.iter().map(part).collect()
        };
        Arc::new(Self {
            noise: self.noise.clone(),
            without: mirrored(&self.with),
            with: mirrored(&self.without),
            least: self.most.clone().map(Rational::recip),
            most: self.least.clone().map(Rational::recip),
            mirror: self.mirror.map(i64::saturating_neg),
            known: Cache::default(),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        if N::GEOMETRIC {
            return self.end(self.range().1, bits);
        }
        log_bound(self.most.clone(), bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        if N::GEOMETRIC {
            return self.end(self.range().0, bits);
        }
        log_bound(self.least.clone(), bits)
    }

    fn is_symmetric(&self) -> bool {
        self.mirror.is_some()
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let bits = point.bits();
        let (low, high) = self.range();
        let known = self.known(bits);
        let u = point.exp();
        let is_beyond = self.most.as_ref().is_some_and(|most| u.lo() >= most)
            || (N::GEOMETRIC && self.ratio(&known, high, bits).certainly_le(u));
        if is_beyond {
            return Some(Rational::new());
        }
        let u = point.exact_exp()?;
        let is_before = self.least.as_ref().is_some_and(|least| u <= least)
            || (N::GEOMETRIC && self.ratio(&known, low, bits).lo() >= u);
        is_before.then(|| Rational::from(1 - u))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }
}

#[cfg(test)]
#[path = "integers_tests.rs"]
mod tests;
