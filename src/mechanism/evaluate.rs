//! Evaluation with enough guard bits: the caller's precision in, about as many good bits out.

use std::sync::{Arc, Mutex, PoisonError};

use rug::Float;

use crate::kernel::{Accuracy, Interval, Point, ProfilePoint, is_late};

/// Guard bits tried one after the other until the result is narrow; the last one ends the search.
const GUARD_BITS: [u32; 4] = [64, 256, 1024, 3072];
/// The same for what has guard bits of its own, which are most often enough.
const FEW_GUARD_BITS: [u32; 5] = [8, 64, 256, 1024, 3072];

/// Encloses a knot with small relative width, as far as the point itself is known well enough.
///
/// `evaluate` is called at points of higher precision. An inexact point is replaced by its two ends, unless evaluating there is good enough: δ and s
/// decrease in ε, so the upper bounds hold from the lower end and the lower bounds from the upper end.
///
/// Requires: `evaluate` encloses the knot at every point it is given.
/// Ensures: so does the result.
pub(crate) fn refined(point: &Point, evaluate: impl Fn(&Point) -> ProfilePoint) -> ProfilePoint {
    refined_by(&GUARD_BITS, point, evaluate)
}

/// [`refined`], where every bit is dear and `evaluate` has guard bits of its own.
pub(crate) fn refined_sparingly(
    point: &Point,
    evaluate: impl Fn(&Point) -> ProfilePoint,
) -> ProfilePoint {
    refined_by(&FEW_GUARD_BITS, point, evaluate)
}

/// The same, where more bits would not make it narrower.
pub(crate) fn refined_once(
    point: &Point,
    evaluate: impl Fn(&Point) -> ProfilePoint,
) -> ProfilePoint {
    let few = FEW_GUARD_BITS.get(..1).unwrap_or_default();
    refined_by(few, point, evaluate)
}

fn refined_by(
    guards: &[u32],
    point: &Point,
    evaluate: impl Fn(&Point) -> ProfilePoint,
) -> ProfilePoint {
    if point.accuracy() == Accuracy::Absolute {
        return evaluate(point);
    }
    let bits = point.bits();
    if let Some(exact) = Place::of(point) {
        return rounded(&narrowed(&exact, guards, bits, &evaluate), bits);
    }
    let direct = evaluate(point);
    if is_about_as_narrow(&direct, bits) {
        return direct;
    }
    let at_end = |end: &Float| narrowed(&Place::Log(end.clone()), guards, bits, &evaluate);
    let log = point.log();
    let (delta_hi, tail_hi) = if log.lo().is_infinite() && log.lo().is_sign_negative() {
        (one(bits), one(bits))
    } else {
        let knot = at_end(log.lo());
        (knot.delta.hi().clone(), knot.null_tail.hi().clone())
    };
    let (delta_lo, tail_lo) = if log.hi().is_infinite() && log.hi().is_sign_positive() {
        (Float::new(bits), Float::new(bits))
    } else {
        let knot = at_end(log.hi());
        (knot.delta.lo().clone(), knot.null_tail.lo().clone())
    };
    let knot = ProfilePoint {
        delta: Interval::between_or_line(delta_lo, delta_hi),
        null_tail: Interval::between_or_line(tail_lo, tail_hi),
    };
    rounded(&knot, bits)
}

/// Bits of a value at an inexact point that may be lost: those who ask there, for a part of something else, have guard bits of their own.
const LOST_BITS: u32 = 24;

/// Are both known to almost as many bits?
fn is_about_as_narrow(knot: &ProfilePoint, bits: u32) -> bool {
    let is_narrow = |x: &Interval| {
        let most = Float::with_val(64, x.lo() >> bits.saturating_sub(LOST_BITS));
        x.is_positive() && x.width_up() <= most
    };
    is_narrow(&knot.delta) && is_narrow(&knot.null_tail)
}

/// Results kept per precision; computing one twice is allowed and gives the same.
#[derive(Debug)]
pub(crate) struct Cache<K, T>(Mutex<Vec<(K, Arc<T>)>>);

impl<K: PartialEq + Clone, T> Cache<K, T> {
    /// Entries kept: enough for the precisions and places one query goes through.
    const ROOM: usize = 12;

    pub(crate) fn get_or(&self, key: &K, make: impl FnOnce() -> T) -> Arc<T> {
        self.known(key).unwrap_or_else(|| self.keep(key, make()))
    }

    /// The same; what was made when the time was over is not kept, as it may be wide for want of time.
    pub(crate) fn get_or_in_time(&self, key: &K, make: impl FnOnce() -> T) -> Arc<T> {
        self.get_or_if(key, make, |_| !is_late())
    }

    /// The same; only what `is_worth_it` is kept.
    pub(crate) fn get_or_if(
        &self,
        key: &K,
        make: impl FnOnce() -> T,
        is_worth_it: impl FnOnce(&T) -> bool,
    ) -> Arc<T> {
        self.known(key).unwrap_or_else(|| {
            let made = make();
            match is_worth_it(&made) {
                true => self.keep(key, made),
                false => Arc::new(made),
            }
        })
    }

    /// What is kept.
    pub(crate) fn known(&self, key: &K) -> Option<Arc<T>> {
        let entries = self.entries();
        let found = entries.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| Arc::clone(value))
    }

    /// Keeps a value, and gives it back.
    pub(crate) fn keep(&self, key: &K, value: T) -> Arc<T> {
        let value = Arc::new(value);
        let mut entries = self.entries();
        if entries.len() >= Self::ROOM {
            entries.remove(0);
        }
        entries.push((key.clone(), Arc::clone(&value)));
        value
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Vec<(K, Arc<T>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, T> Default for Cache<K, T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// A single ε that can be written down at any precision.
enum Place<'a> {
    Exact(&'a Point),
    Log(Float),
}

impl<'a> Place<'a> {
    fn of(point: &'a Point) -> Option<Self> {
        if point.exact_log().is_some() || point.exact_exp().is_some() {
            return Some(Self::Exact(point));
        }
        let log = point.log();
        (log.lo() == log.hi() && log.lo().is_finite()).then(|| Self::Log(log.lo().clone()))
    }

    fn at(&self, bits: u32) -> Point {
        match self {
            Self::Exact(point) => sharpened(point, bits),
            Self::Log(end) => {
                let bits = bits.max(end.prec());
                Point::at_log(Interval::point(Float::with_val(bits, end)))
            }
        }
    }
}

/// The same point at another precision, where it is known exactly; otherwise as it is.
pub(crate) fn sharpened(point: &Point, bits: u32) -> Point {
    let sharp = match (point.exact_log(), point.exact_exp()) {
        (Some(epsilon), _) => Point::at_epsilon(epsilon, bits),
        (None, Some(u)) => Point::at_exp_epsilon(u, bits),
        (None, None) => point.clone(),
    };
    sharp.with_accuracy(point.accuracy())
}

fn narrowed(
    place: &Place<'_>,
    guards: &[u32],
    bits: u32,
    evaluate: &impl Fn(&Point) -> ProfilePoint,
) -> ProfilePoint {
    let at = |guard: u32| evaluate(&place.at(bits.saturating_add(guard)));
    let mut guards = guards.iter().copied();
    let mut last = at(guards.next().unwrap_or_default());
    for guard in guards {
        if is_narrow(&last.delta, bits) || is_below_all(&last.delta) || is_late() {
            break;
        }
        last = at(guard);
    }
    last
}

/// The exponents of floats end below −2^30.
const SMALLEST_EXPONENT: i32 = -(1 << 29);

/// Is it 0 as far as exponents reach, so that no bits make it narrower?
fn is_below_all(x: &Interval) -> bool {
    let is_tiny = |exponent: i32| exponent < SMALLEST_EXPONENT;
    x.lo().is_zero() && x.hi().get_exp().is_some_and(is_tiny)
}

/// Relative width at most 2^-(bits − bits/8): a few bits may go, no more.
pub(crate) fn is_narrow(x: &Interval, bits: u32) -> bool {
    let allowed = Float::with_val(x.bits(), x.lo() >> (bits - bits / 8));
    x.width_up() <= allowed
}

fn rounded(knot: &ProfilePoint, bits: u32) -> ProfilePoint {
    ProfilePoint {
        delta: knot.delta.at_bits(bits).in_unit(),
        null_tail: knot.null_tail.at_bits(bits).in_unit(),
    }
}

fn one(bits: u32) -> Float {
    Float::with_val(bits, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More bits are for what they make narrower; there is no end of what is below all numbers.
    #[test]
    fn what_is_below_all_numbers_is_asked_once() {
        let count = |high: Float| {
            let asked = std::cell::Cell::new(0);
            let delta = Interval::spanning(Float::new(64), high);
            let point = Point::at_epsilon(&rug::Rational::from(1), 64);
            let found = refined(&point, |_| {
                asked.set(asked.get() + 1);
                let null_tail = delta.clone();
                let delta = delta.clone();
                ProfilePoint { delta, null_tail }
            });
            assert!(found.delta.hi() >= delta.hi() && found.delta.lo().is_zero());
            asked.get()
        };
        let tiny = || Float::with_val(64, 1) >> (1 << 29);
        assert_eq!(count(tiny() >> ((1 << 29) - 9)), 1);
        assert_eq!(count(tiny() >> 2), 1);
        assert_eq!(count(tiny() << 2), GUARD_BITS.len());
    }

    /// What no bits make narrower is asked once.
    #[test]
    fn what_stays_wide_is_asked_once() {
        let wide = Interval::zero(64).hull(&Interval::one(64));
        let point = Point::at_epsilon(&rug::Rational::from(1), 64);
        for (few, count) in [(true, 1), (false, FEW_GUARD_BITS.len())] {
            let asked = std::cell::Cell::new(0);
            let evaluate = |_: &Point| {
                asked.set(asked.get() + 1);
                let (delta, null_tail) = (wide.clone(), wide.clone());
                ProfilePoint { delta, null_tail }
            };
            match few {
                true => refined_once(&point, evaluate),
                false => refined_sparingly(&point, evaluate),
            };
            assert_eq!(asked.get(), count);
        }
    }

    /// What is made when the time is over is not kept.
    #[test]
    fn what_is_made_late_is_not_kept() {
        let cache = Cache::<u32, u32>::default();
        let late = crate::kernel::coarse::late(|| cache.get_or_in_time(&1, || 7));
        assert_eq!((*late, cache.known(&1)), (7, None));
        assert_eq!(*cache.get_or_in_time(&1, || 8), 8);
        let late = crate::kernel::coarse::late(|| cache.get_or_in_time(&1, || 9));
        assert_eq!(*late, 8);
    }

    /// At ends that are nowhere nothing is asked: there δ and s are 0 and 1.
    #[test]
    fn infinite_ends_are_not_asked() {
        let half = || Interval::from_rational(&rug::Rational::from((1, 2)), 64);
        let evaluate = |point: &Point| {
            let log = point.log();
            if log.lo() == log.hi() {
                let (delta, null_tail) = (half(), half());
                return ProfilePoint { delta, null_tail };
            }
            let wide = Interval::zero(64).hull(&Interval::one(64));
            let (delta, null_tail) = (wide.clone(), wide);
            ProfilePoint { delta, null_tail }
        };
        let line = Interval::whole_line(64);
        let one = Interval::one(64);
        let (left, right) = (
            Interval::spanning(line.lo().clone(), one.lo().clone()),
            Interval::spanning(one.lo().clone(), line.hi().clone()),
        );
        for (log, low, high) in [(line, 0.0, 1.0), (left, 0.5, 1.0), (right, 0.0, 0.5)] {
            let found = refined(&Point::at_log(log), evaluate);
            for found in [found.delta, found.null_tail] {
                assert!(*found.lo() == low && *found.hi() == high, "{found:?}");
            }
        }
    }

    /// When the time is over there are no more bits for what is wide.
    #[test]
    fn nothing_is_asked_again_when_it_is_late() {
        let wide = Interval::zero(64).hull(&Interval::one(64));
        let point = Point::at_epsilon(&rug::Rational::from(1), 64);
        let asked = std::cell::Cell::new(0);
        let evaluate = |_: &Point| {
            asked.set(asked.get() + 1);
            let (delta, null_tail) = (wide.clone(), wide.clone());
            ProfilePoint { delta, null_tail }
        };
        let found = crate::kernel::coarse::late(|| refined(&point, evaluate));
        assert_eq!((found.delta, asked.get()), (wide.clone(), 1));
    }
}
