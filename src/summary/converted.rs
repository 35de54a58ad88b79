//! The regret of a Rényi guarantee that is converted order by order, as accountants do.

use std::rc::Rc;

use rug::{Float, Rational};

use crate::bounds::Enclosure;
use crate::bounds::conversions::RdpGrid;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, Pick, Point};
use crate::mechanism::Epsilon;

const BITS: u32 = 128;
/// Halvings of an interval of ε, and intervals in all.
const MOST_HALVINGS: u32 = 40;
const MOST_INTERVALS: usize = 4000;
/// Narrow enough beside regrets that are printed with three digits.
const WIDTH: (u32, u32) = (1, 100_000);

/// sup over ε ≥ 0 of (δ̃(ε) − δ(ε))/(1 + e^ε), δ̃ being the smallest δ of any order by the conversion of Canonne, Kamath and
/// Steinke (2020, Proposition 12), as in Gomez et al. 2025, Appendix C.2 (Eq. 24 with their range of ε).
///
/// Requires: `delta` encloses δ(ε) of the mechanism at any ε ≥ 0, which falls and is convex in e^ε, as every privacy profile.
/// Ensures: a value at a point is a lower bound, and `Stretch::bound_up` bounds all between two points. Where the time ends, what has
/// not been looked at has the bound of the places around it.
///
/// # Errors
/// Those of `delta`; if the user asks to stop; or if the bounds cross.
pub fn converted_regret(
    orders: &[(Rational, Rational)],
    budget: &Budget,
    delta: &dyn Fn(Epsilon) -> Result<Enclosure, Failure>,
) -> Result<Enclosure, Failure> {
    let grid = RdpGrid::new(orders, BITS);
    let place = |epsilon: Rational| -> Result<Rc<Place>, Failure> {
        if budget.is_stopped() {
            return Err(Failure::Interrupted);
        }
        let point = Point::at_epsilon(&epsilon, BITS);
        let found = delta(Epsilon::from(epsilon.clone()))?;
        Ok(Rc::new(Place {
            converted: grid.delta(&point),
            order: grid.best(&point),
            below: found.lower().clone(),
            above: found.upper().clone(),
            weight: Interval::one(BITS).add(point.exp()),
            point,
            epsilon,
        }))
    };
    let width = d::rational_down(&Rational::from(WIDTH), BITS);
    let mut best = Float::new(BITS);
    let mut places = vec![place(Rational::new())?];
    // Doubling steps, until what lies beyond no longer counts.
    let mut step = Rational::from((1, 4));
    let mut highest = Float::new(BITS);
    while let Some(from) = places.last() {
        best = best.larger(&from.value_down());
        let beyond = from.bound_up(&Float::new(BITS));
        if beyond <= width || places.len() > 64 || budget.check().is_err() {
            highest = beyond;
            break;
        }
        let to = place(Rational::from(&from.epsilon + &step))?;
        step *= 2u32;
        places.push(to);
    }
    let mut open: Vec<(Float, Stretch)> = Vec::new();
    let around = |places: &[Rc<Place>], at: usize| {
        let neighbour = |at: Option<usize>| at.and_then(|at| places.get(at).cloned());
        Some(Stretch {
            before: neighbour(at.checked_sub(1)),
            a: neighbour(Some(at))?,
            b: neighbour(at.checked_add(1))?,
            after: neighbour(at.checked_add(2)),
            halvings: 0,
        })
    };
    for at in 0..places.len() {
        open.extend(around(&places, at).map(|one| (one.bound_up(&grid), one)));
    }
    let mut looked_at = 0usize;
    // The largest bound first, until it says no more than is known.
    while let Some(at) = largest(&open) {
        let (bound, one) = open.swap_remove(at);
        looked_at = looked_at.saturating_add(1);
        if bound <= d::add_up(&best, &width, BITS)
            || looked_at >= MOST_INTERVALS
            || budget.check().is_err()
        {
            highest = highest.larger(&bound);
            break;
        }
        if one.halvings >= MOST_HALVINGS {
            highest = highest.larger(&bound);
            continue;
        }
        let middle = place(Rational::from(&one.a.epsilon + &one.b.epsilon) / 2u32)?;
        best = best.larger(&middle.value_down());
        for half in one.halved(&middle) {
            // What bounds the whole bounds its parts.
            let own = half.bound_up(&grid).smaller(&bound);
            open.push((own, half));
        }
    }
    Ok(Enclosure::new(best.clone(), highest.larger(&best))?)
}

/// The place in the list of the largest bound.
fn largest(open: &[(Float, Stretch)]) -> Option<usize> {
    let mut found: Option<(usize, &Float)> = None;
    for (place, (bound, _)) in open.iter().enumerate() {
        if found.is_none_or(|(_, most)| bound > most) {
            found = Some((place, bound));
        }
    }
    found.map(|(place, _)| place)
}

/// Both profiles at one ε.
struct Place {
    epsilon: Rational,
    point: Point,
    converted: Interval,
    /// An order whose δ is about the smallest here.
    order: Option<usize>,
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
        quotient_up(self.converted.hi(), least, &self.weight)
    }
}

/// (above − least)⁺/weight, rounded up.
fn quotient_up(above: &Float, least: &Float, weight: &Interval) -> Float {
    let apart = d::sub_up(above, least, BITS);
    d::div_up(&apart.larger(&Float::new(BITS)), weight.lo(), BITS)
}

/// From one place to the next, with those before and after them.
struct Stretch {
    before: Option<Rc<Place>>,
    a: Rc<Place>,
    b: Rc<Place>,
    after: Option<Rc<Place>>,
    halvings: u32,
}

impl Stretch {
    /// Both halves.
    fn halved(&self, middle: &Rc<Place>) -> [Self; 2] {
        let halvings = self.halvings.saturating_add(1);
        let one = |before: Option<&Rc<Place>>,
                   a: &Rc<Place>,
                   b: &Rc<Place>,
                   after: Option<&Rc<Place>>| Self {
            before: before.cloned(),
            a: Rc::clone(a),
            b: Rc::clone(b),
            after: after.cloned(),
            halvings,
        };
        [
            one(self.before.as_ref(), &self.a, middle, Some(&self.b)),
            one(Some(&self.a), middle, &self.b, self.after.as_ref()),
        ]
    }

    /// A bound of (δ̃ − δ)/(1 + e^ε) all along.
    ///
    /// Ensures: both profiles fall, so that the quotient is at most (δ̃(a) − δ(b))/(1 + e^a). In u = e^ε the δ of one order, and 1, is convex and nowhere below δ̃,
    /// so that its chord is above δ̃; and δ is convex, so that it is above the line through two of its points beyond them. The difference of such a chord
    /// and such a line over 1 + u is a quotient of linear functions with no pole there, which is monotone: its value at one of the ends is the largest.
    fn bound_up(&self, grid: &RdpGrid) -> Float {
        let mut least = self.a.bound_up(&self.b.below);
        let lines = [self.line_from_left(), self.line_from_right()];
        let one = Float::with_val(BITS, 1);
        let orders = [self.a.order, self.b.order].into_iter().flatten();
        let chords = orders.filter_map(|order| {
            let at = |place: &Place| grid.delta_of(order, &place.point);
            let (at_a, at_b) = at(&self.a).zip(at(&self.b))?;
            Some((at_a.hi().clone(), at_b.hi().clone()))
        });
        for (high_a, high_b) in chords.chain([(one.clone(), one)]) {
            for (low_a, low_b) in lines.iter().flatten() {
                let left = quotient_up(&high_a, low_a, &self.a.weight);
                let right = quotient_up(&high_b, low_b, &self.b.weight);
                let bound = left.larger(&right);
                if bound.is_finite() {
                    least = least.smaller(&bound);
                }
            }
        }
        least
    }

    /// The line through δ at the place before and at a: lower bounds of its values at a and b.
    fn line_from_left(&self) -> Option<(Float, Float)> {
        let before = self.before.as_ref()?;
        let at_b = beyond_down(before, &self.a, &self.b)?;
        Some((self.a.below.clone(), at_b))
    }

    /// The line through δ at b and at the place after it, likewise.
    fn line_from_right(&self) -> Option<(Float, Float)> {
        let after = self.after.as_ref()?;
        let at_a = beyond_down(after, &self.b, &self.a)?;
        Some((at_a, self.b.below.clone()))
    }
}

/// δ(y) + (δ(y) − δ(x))·(z − y)/(y − x), rounded down, in e^ε: the line through two points beyond the second, at a third.
///
/// Requires: y lies between x and z.
fn beyond_down(x: &Place, y: &Place, z: &Place) -> Option<Float> {
    let apart = |a: &Place, b: &Place| a.point.exp().sub(b.point.exp());
    let share = apart(z, y).div(&apart(y, x)).at_least_zero();
    let point = |x: &Float| Interval::point(x.clone());
    let rise = point(&y.below).sub(&point(&x.above));
    let low = point(&y.below).add(&rise.mul(&share));
    Some(low.lo().clone()).filter(Float::is_finite)
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
                point: Point::at_epsilon(&Rational::new(), 64),
                order: None,
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
            point: Point::at_epsilon(&Rational::new(), 64),
            order: None,
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

    /// Profiles of many shapes between two places, known by points or badly: no quotient there is above the bound of the stretch, which is that of the
    /// curves rather than of their ends.
    #[test]
    fn stretches_bound_all_between_their_ends() {
        let mut random = Random(17);
        let mut by_lines = 0;
        for round in 0..400u32 {
            let mut number = |from: f64, to: f64| {
                from + (to - from) * random.below(1 << 20) as f64 / f64::from(1 << 20)
            };
            // max of 1 − u and of falling lines: convex in u, as every profile.
            // One line and one order tell what a line beyond two points is worth.
            let is_plain = round % 4 >= 2;
            let (count, steepest, orders, most, farthest) = match is_plain {
                true => (1, 0.15, 1, 0.02, 1.5),
                false => (4, 0.3, 5, 0.001, 3.0),
            };
            let lines: Vec<(f64, f64)> = (0..count)
                .map(|_| (number(0.1, 0.9), number(0.001, steepest)))
                .collect();
            let delta = |e: f64| {
                let u = e.exp();
                lines
                    .iter()
                    .fold((1.0 - u).max(0.0), |most, (height, fall)| {
                        most.max(height - fall * (u - 1.0))
                    })
            };
            let orders: Vec<(Rational, Rational)> = (0..orders)
                .map(|_| (1.0 + number(0.02, 3.0), number(0.1, 2.0)))
                .map(|(t, g)| {
                    (
                        Rational::from_f64(t).unwrap(),
                        Rational::from_f64(g).unwrap(),
                    )
                })
                .collect();
            let error = if round % 2 == 0 {
                1e-12
            } else {
                number(0.0, most)
            };
            let mut places: Vec<f64> = (0..4).map(|_| number(0.0, farthest)).collect();
            places.sort_unstable_by(f64::total_cmp);
            if places.windows(2).any(|two| two[1] - two[0] < 1e-3) {
                continue;
            }
            let grid = RdpGrid::new(&orders, BITS);
            let place = |e: f64| {
                let epsilon = Rational::from_f64(e).unwrap();
                let point = Point::at_epsilon(&epsilon, BITS);
                let end = |add: f64| Float::with_val(BITS, delta(e) + add);
                Rc::new(Place {
                    converted: grid.delta(&point),
                    order: grid.best(&point),
                    below: end(-error),
                    above: end(error),
                    weight: Interval::one(BITS).add(point.exp()),
                    point,
                    epsilon,
                })
            };
            let all: Vec<_> = places.iter().map(|e| place(*e)).collect();
            // The lowest profile that is known no better.
            let value = |e: f64| {
                let point = Point::at_epsilon(&Rational::from_f64(e).unwrap(), BITS);
                (grid.delta(&point).lo().to_f64() - (delta(e) - error)) / (1.0 + e.exp())
            };
            for (before, after) in [(true, true), (true, false), (false, true), (false, false)] {
                let stretch = Stretch {
                    before: before.then(|| Rc::clone(&all[0])),
                    a: Rc::clone(&all[1]),
                    b: Rc::clone(&all[2]),
                    after: after.then(|| Rc::clone(&all[3])),
                    halvings: 0,
                };
                for bits in [20, 40, 128] {
                    let bound = at_most_bits(bits, || stretch.bound_up(&grid)).to_f64();
                    for i in 0..=40 {
                        let e = places[1] + (places[2] - places[1]) * f64::from(i) / 40.0;
                        assert!(
                            value(e) <= bound + 1e-13,
                            "{round} {bits} {e}: {} {bound}",
                            value(e)
                        );
                    }
                    let plain = stretch.a.bound_up(&stretch.b.below).to_f64();
                    by_lines += u32::from(bound < 0.9 * plain && bits == 128);
                }
            }
        }
        assert!(by_lines > 60, "{by_lines}");
    }
}
