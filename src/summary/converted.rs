//! The regret of a Rényi guarantee that is converted order by order, as accountants do.

use crate::mechanism::Epsilon;
use rug::{Float, Rational};

use crate::bounds::Enclosure;
use crate::bounds::conversions::RdpGrid;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, Pick, Point};

const BITS: u32 = 128;
/// Halvings of an interval of ε, and intervals in all.
const MOST_HALVINGS: u32 = 40;
const MOST_INTERVALS: usize = 4000;
/// Narrow enough beside regrets that are printed with three digits.
const WIDTH: (u32, u32) = (1, 100_000);

/// sup over ε ≥ 0 of (δ̃(ε) − δ(ε))/(1 + e^ε), δ̃ being the smallest δ of any order by the conversion of Canonne, Kamath and
/// Steinke (2020, Proposition 12), as in Gomez et al. 2025, Appendix C.2 (Eq. 24 with their range of ε).
///
/// Requires: `delta` encloses δ(ε) of the mechanism at any ε ≥ 0.
/// Ensures: both profiles fall with ε, so over [a, b] the quotient is at most (δ̃(a) − δ(b))/(1 + e^a), and a value at a point
/// is a lower bound. Where the time ends, what has not been looked at has the bound of the place before it.
///
/// # Errors
/// Those of `delta`; if the user asks to stop; or if the bounds cross.
pub fn converted_regret(
    orders: &[(Rational, Rational)],
    budget: &Budget,
    delta: &dyn Fn(Epsilon) -> Result<Enclosure, Failure>,
) -> Result<Enclosure, Failure> {
    let grid = RdpGrid::new(orders, BITS);
    let place = |epsilon: Rational| -> Result<Place, Failure> {
        if budget.is_stopped() {
            return Err(Failure::Interrupted);
        }
        let point = Point::at_epsilon(&epsilon, BITS);
        let found = delta(Epsilon::from(epsilon.clone()))?;
        Ok(Place {
            converted: grid.delta(&point),
            below: found.lower().clone(),
            above: found.upper().clone(),
            weight: Interval::one(BITS).add(point.exp()),
            epsilon,
        })
    };
    let width = d::rational_down(&Rational::from(WIDTH), BITS);
    let mut best = Float::new(BITS);
    let mut tail = Float::new(BITS);
    let mut open = Vec::new();
    let mut from = place(Rational::new())?;
    // Doubling steps, until what lies beyond no longer counts.
    let mut step = Rational::from((1, 4));
    loop {
        best = best.larger(&from.value_down());
        let beyond = from.bound_up(&Float::new(BITS));
        if beyond <= width || open.len() > 64 || budget.check().is_err() {
            tail = tail.larger(&beyond);
            break;
        }
        let to = place(Rational::from(&from.epsilon + &step))?;
        step *= 2u32;
        open.push((from, to.clone(), 0u32));
        from = to;
    }
    let mut highest = tail;
    let mut looked_at = 0usize;
    while let Some((a, b, halvings)) = open.pop() {
        let bound = a.bound_up(&b.below);
        best = best.larger(&a.value_down()).larger(&b.value_down());
        looked_at = looked_at.saturating_add(1);
        if bound <= d::add_up(&best, &width, BITS)
            || halvings >= MOST_HALVINGS
            || looked_at >= MOST_INTERVALS
            || budget.check().is_err()
        {
            highest = highest.larger(&bound);
            continue;
        }
        let middle = place(Rational::from(&a.epsilon + &b.epsilon) / 2u32)?;
        open.push((middle.clone(), b, halvings.saturating_add(1)));
        // Regrets are largest at small ε as a rule: those are looked at first.
        open.push((a, middle, halvings.saturating_add(1)));
    }
    Ok(Enclosure::new(best.clone(), highest.larger(&best))?)
}

/// Both profiles at one ε.
#[derive(Clone)]
struct Place {
    epsilon: Rational,
    converted: Interval,
    below: Float,
    above: Float,
    /// 1 + e^ε.
    weight: Interval,
}

impl Place {
    /// (δ̃ − δ)/(1 + e^ε) here, rounded down.
    fn value_down(&self) -> Float {
        let apart = d::sub_down(self.converted.lo(), &self.above, BITS);
        let value = d::div_down(&apart, self.weight.hi(), BITS);
        value.larger(&Float::new(BITS))
    }

    /// (δ̃ − least)/(1 + e^ε), rounded up: a bound from here to where the other profile is at least `least`.
    fn bound_up(&self, least: &Float) -> Float {
        let apart = d::sub_up(self.converted.hi(), least, BITS);
        d::div_up(&apart.larger(&Float::new(BITS)), self.weight.lo(), BITS)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    /// D_t of Laplace noise with b = 1 (Mironov 2017, Table II).
    fn laplace(t: f64) -> f64 {
        let first = (t / (2.0 * t - 1.0)).ln() + t - 1.0;
        let second = ((t - 1.0) / (2.0 * t - 1.0)).ln() - t;
        let most = first.max(second);
        (most + ((first - most).exp() + (second - most).exp()).ln()) / (t - 1.0)
    }

    fn regret(guarantee: impl Fn(f64) -> f64) -> (f64, f64) {
        let orders: Vec<(Rational, Rational)> = (1..2000)
            .map(|i| 1.0 + f64::from(i) / 200.0)
            .map(|t| {
                let exact = |x| Rational::from_f64(x).unwrap();
                (exact(t), exact(guarantee(t)))
            })
            .collect();
        let delta = |at: Epsilon| {
            let epsilon = at.exact().unwrap();
            let value = (1.0 - ((epsilon.to_f64() - 1.0) / 2.0).exp()).max(0.0);
            Ok(Enclosure::new(
                Float::with_val(64, value - 1e-12),
                Float::with_val(64, value + 1e-12),
            )?)
        };
        let found = converted_regret(&orders, &Budget::unlimited(), &delta).unwrap();
        (found.lower().to_f64(), found.upper().to_f64())
    }

    /// Gomez et al. 2025, Figure 1c, prints 3.38 % and 4.83 %; the second has a ρ a little above ρ* = 1/e.
    #[test]
    fn laplace_as_in_the_paper() {
        let (low, high) = regret(laplace);
        assert!(low > 0.0338 && high < 0.0339 && low <= high, "{low} {high}");
        let (low, high) = regret(|t| t / std::f64::consts::E);
        assert!(low > 0.0481 && high < 0.0482 && low <= high, "{low} {high}");
    }

    #[test]
    fn no_orders_are_no_guarantee() {
        let nothing = |_| Ok(Enclosure::exactly(Rational::new(), 64));
        let found = converted_regret(&[], &Budget::unlimited(), &nothing).unwrap();
        assert!(*found.upper() >= 0.5 && *found.lower() > 0.499);
    }

    /// Where the time is over from the start on, one place is looked at and its bound holds for all; whoever asks to stop gets nothing.
    #[test]
    fn without_time_the_first_place_bounds_all() {
        let asked = Cell::new(0u32);
        let flat = |_| {
            asked.set(asked.get() + 1);
            Ok(Enclosure::exactly(Rational::from((1, 8)), 64))
        };
        let orders = [(Rational::from(2), Rational::from(1))];
        let stop = Arc::new(AtomicBool::new(false));
        let spent = Budget::new(Duration::ZERO, stop.clone());
        let found = converted_regret(&orders, &spent, &flat).unwrap();
        assert_eq!(asked.take(), 1);
        let whole = converted_regret(&orders, &Budget::unlimited(), &flat).unwrap();
        assert!(asked.get() > 1);
        assert!(found.lower() <= whole.lower() && whole.upper() <= found.upper());
        assert!(*found.upper() <= 0.5);
        stop.store(true, Ordering::Relaxed);
        let stopped = converted_regret(&orders, &spent, &flat);
        assert_eq!(stopped.unwrap_err(), Failure::Interrupted);
    }

    /// A difference of two profiles over 1 + e^ε from both sides, in exact fractions.
    #[test]
    fn places_at_few_bits() {
        let mut random = Random(5);
        for _ in 0..1000 {
            let mut number = || Float::with_val(64, 1 + random.below((1 << 14) - 1)) >> 14u32;
            let [converted, other, weight] = [number(), number(), number()];
            let exact = |x: &Float| x.to_rational().unwrap();
            let weight = Float::with_val(64, weight + 1u32);
            let apart = (exact(&converted) - exact(&other)).max(Rational::new());
            let truth = apart / exact(&weight);
            let place = Place {
                epsilon: Rational::new(),
                converted: Interval::point(converted),
                below: other.clone(),
                above: other.clone(),
                weight: Interval::point(weight),
            };
            for bits in [2, 3, 4, 6, 9, 64] {
                let [low, high] =
                    at_most_bits(bits, || [place.value_down(), place.bound_up(&other)]);
                assert!(
                    low <= truth && truth <= high,
                    "{bits} bits: {low} {truth} {high}"
                );
            }
        }
        // Of what is known by intervals the ends that say less.
        let one = |x: i64| Interval::from_i64(x, 64);
        let wide = Place {
            epsilon: Rational::new(),
            converted: one(4).hull(&one(8)),
            below: Float::with_val(64, 1),
            above: Float::with_val(64, 2),
            weight: one(2).hull(&one(4)),
        };
        assert_eq!(wide.value_down(), 0.5f64);
        assert_eq!(wide.bound_up(&wide.below), 3.5f64);
    }

    /// A profile that is known by wide intervals: both its ends are within the answer.
    #[test]
    fn wide_profiles() {
        let orders = [(Rational::from(2), Rational::from((1, 2)))];
        let find = |less: f64, more: f64| {
            let delta = |at: Epsilon| {
                let value = 0.2 / (1.0 + at.exact().unwrap().to_f64());
                let end = |add: f64| Float::with_val(64, (value + add).max(0.0));
                Ok(Enclosure::new(end(less), end(more))?)
            };
            converted_regret(&orders, &Budget::unlimited(), &delta).unwrap()
        };
        let (wide, least, most) = (find(-0.1, 0.1), find(0.1, 0.1), find(-0.1, -0.1));
        assert!(least.lower() < most.lower());
        assert!(
            wide.lower() <= least.upper() && wide.upper() >= most.lower(),
            "{wide:?}"
        );
    }
}
