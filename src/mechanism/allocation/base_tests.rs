//! Both measures of one step, from values known by intervals and by hand, in exact numbers; so few bits that every rounding is seen.

use super::*;
use crate::kernel::coarse::Random;
use crate::mechanism::Mechanism;

fn exactly(x: &Float) -> Rational {
    x.to_rational().unwrap()
}

/// 2^31 units over [`UNIT`].
fn per_unit() -> Rational {
    (Rational::from(1) << UNIT_BITS) / UNIT
}

#[test]
fn units_on_their_side() {
    let mut random = Random(3);
    for bits in [3, 5, 9] {
        for _ in 0..60 {
            let x = random.float(bits);
            let truth = exactly(&x) * per_unit();
            assert!(exactly(&in_units_down(&x)) <= truth, "{x}");
            assert!(exactly(&in_units_up(&x)) >= truth, "{x}");
        }
    }
}

/// Points and their first cells: (place, width as a power of two).
const KNOTS: [(u32, u32); 7] = [(0, 0), (1, 0), (2, 1), (4, 1), (6, 1), (8, 3), (16, 3)];

/// A law on whole places, and C and P(X > x) of it, each known by an interval with the truth at either end or both.
fn values(random: &mut Random, bits: u32) -> Vec<Call> {
    let law: Vec<(u64, u64)> = (0..4)
        .map(|_| (random.below(20), 1 + random.below(50)))
        .collect();
    let total: u64 = law.iter().map(|(_, mass)| mass).sum();
    let unit = per_unit().recip();
    let blurred = |random: &mut Random, x: &Rational| {
        let near = Interval::from_rational(x, bits);
        match random.below(3) {
            0 => near,
            1 => Interval::point(near.lo().clone()),
            _ => Interval::point(near.hi().clone()),
        }
    };
    let of = |(place, _): &(u32, u32)| {
        let place = u64::from(*place);
        let far = |(x, mass): &(u64, u64)| Rational::from((x.saturating_sub(place) * mass, total));
        let sum: Rational = law.iter().map(far).sum();
        let beyond: u64 = law.iter().filter(|(x, _)| *x > place).map(|(_, m)| m).sum();
        Call {
            value: blurred(random, &(sum * &unit)),
            tail: blurred(random, &Rational::from((beyond, total))),
        }
    };
    KNOTS.iter().map(of).collect()
}

/// Above, each point has at least what the chord before it falls by at most and the one after it by at least; below, each cell has no more than its mass, and
/// no farther up than its mean.
#[test]
fn masses_and_means_of_cells() {
    let pair = Mechanism::finite(
        vec![(1, 2).into(), (1, 2).into(), Rational::new()],
        vec![(1, 3).into(), (1, 3).into(), (1, 3).into()],
    );
    let profile = pair.unwrap().profile_of_step().unwrap();
    let knots: Knots = KNOTS.iter().map(|(x, w)| (Integer::from(*x), *w)).collect();
    let (mut random, mut seen) = (Random(17), 0);
    for (fine, scale) in [(5, 0), (7, 2), (8, -1), (40, 0), (41, 1)].repeat(2_000) {
        let bits = fine + 20;
        let calls = values(&mut random, fine + 1);
        let view = View {
            scale,
            centre: 4.into(),
            spread: 4.into(),
            last: 4,
        };
        let places = Places::around(4.into(), &Integer::from(4), 0, 8);
        let made = measures(&*profile, &view, (places, &knots, &calls), bits, fine);
        let (above, below) = made.unwrap().unwrap();
        let whole = Rational::from(1) << bits;
        let by_scale = |x: Rational| match scale >= 0 {
            true => x << scale.unsigned_abs(),
            false => x >> scale.unsigned_abs(),
        };
        // Units of 2^−bits of the slope of the chord after a point, at least and at most.
        let fall = |from: &Float, to: &Float, width: u32| {
            by_scale((exactly(from) - exactly(to)) * per_unit() * &whole) >> width
        };
        let mut before = whole.clone();
        let upper = above.places();
        let mass_above = |place: &Integer| {
            let found = upper.iter().find(|(x, _)| x == place);
            found.map_or_else(Integer::new, |(_, mass)| (*mass).clone())
        };
        for (index, (place, width)) in knots.iter().enumerate().take(6) {
            let (low, high) = (&calls[index], &calls[index + 1]);
            let least = fall(low.value.lo(), high.value.hi(), *width);
            let most = fall(low.value.hi(), high.value.lo(), *width);
            let found = Rational::from(mass_above(place));
            assert!(found >= Rational::from(&before - &least), "{place} {fine}");
            before = most;
            // The cell: its mass at most, and its mean at least.
            let row = below.rows.get(usize::try_from(*width).unwrap());
            let start = Integer::from(place >> *width);
            let cell = row.and_then(|row| row.iter().find(|(index, _)| start == *index));
            if let Some((_, point)) = cell.filter(|(_, point)| point.mass != 0) {
                let held = exactly(low.tail.lo()) - exactly(high.tail.hi());
                assert!(point.mass <= held * &whole, "{place} {fine}");
                let most = exactly(low.tail.hi()) - exactly(high.tail.lo());
                let mean = (Rational::from(&least / &whole) - exactly(high.tail.hi())) / most;
                let share = Rational::from((&point.rest, &point.mass));
                assert!(
                    share <= mean.max(Rational::new()),
                    "{place} {fine}: {share}"
                );
                seen += 1;
            }
        }
        assert!(mass_above(&knots[6].0) >= before, "{fine}");
        let last = by_scale(exactly(calls[6].value.hi()) * per_unit() * &whole);
        assert!(*above.infinite() >= last, "{fine}");
        let third = by_scale(Rational::from((1, 3)) * per_unit() * &whole);
        assert!(*below.infinite() <= third, "{fine}");
    }
    assert!(seen > 300, "{seen}");
}

/// A part of a cell: no more than its mass, and no farther up than its moment over its mass.
#[test]
fn parts_of_cells() {
    let mut random = Random(29);
    let mut seen = 0;
    for bits in [3, 5, 8] {
        for _ in 0..400 {
            let (mass, moment) = (random.interval(bits), random.interval(bits));
            if [&mass, &moment]
                .iter()
                .any(|x| !x.lo().is_finite() || !x.hi().is_finite())
            {
                continue;
            }
            let Some(point) = point_down(&mass, &moment, 12) else {
                assert!(*mass.lo() <= 0);
                continue;
            };
            assert!(point.mass <= exactly(mass.lo()) << 12u32);
            if point.mass == 0 {
                continue;
            }
            let share = Rational::from((&point.rest, &point.mass));
            let most = exactly(moment.lo()) / exactly(mass.hi());
            assert!(share <= most.max(Rational::new()), "{mass:?} {moment:?}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Places of every scale: as many units as there are, moved by the scale.
#[test]
fn ratios_of_places() {
    let one = ratio(&Integer::from(3), 0);
    assert_eq!(
        one,
        Rational::from(3) * Rational::from(UNIT) / (Rational::from(1) << UNIT_BITS)
    );
    for scale in [1u32, 5, 40] {
        let by = i32::try_from(scale).unwrap();
        assert_eq!(ratio(&Integer::from(3), by), one.clone() >> scale);
        assert_eq!(ratio(&Integer::from(3), -by), one.clone() << scale);
    }
}

/// How a law looks is looked at some nine hundred times, each of which may take a tenth of a second: not when the time is over.
#[test]
fn no_law_is_looked_at_when_the_time_is_over() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use crate::kernel::{LossBound, ProfilePoint};

    /// Of a pair that reveals nothing.
    struct Counted(AtomicUsize, Option<Arc<AtomicBool>>);
    impl Profile for Counted {
        fn at(&self, point: &Point) -> ProfilePoint {
            let looks = self.0.fetch_add(1, Ordering::Relaxed);
            if looks == 20
                && let Some(stop) = &self.1
            {
                stop.store(true, Ordering::Relaxed);
            }
            let rest = point.exp().one_minus();
            let tail = Interval::from_i64(i64::from(*rest.lo() > 0), point.bits());
            ProfilePoint {
                delta: rest.at_least_zero(),
                null_tail: tail,
            }
        }
        fn swapped(&self) -> Arc<dyn Profile> {
            Arc::new(Self(AtomicUsize::new(0), None))
        }
        fn max_loss(&self, bits: u32) -> LossBound {
            self.min_loss(bits)
        }
        fn min_loss(&self, bits: u32) -> LossBound {
            LossBound::Finite {
                value: Interval::zero(bits),
                exact: Some(Rational::new()),
            }
        }
        fn infinite_mass(&self, bits: u32) -> Interval {
            Interval::zero(bits)
        }
        fn is_symmetric(&self) -> bool {
            true
        }
    }
    let looked = |stops: bool, depth: u32| {
        let stop = Arc::new(AtomicBool::new(false));
        let counted = Counted(AtomicUsize::new(0), stops.then(|| Arc::clone(&stop)));
        let hour = std::time::Duration::from_secs(3600);
        let view = View::of(&counted, (16, depth, 5), &Budget::new(hour, stop));
        (view.map(|view| view.is_some()), counted.0.into_inner())
    };
    let (view, looks) = looked(false, 40);
    assert!(view == Ok(true) && looks > 700, "{looks}");
    let (view, looks) = looked(true, 40);
    assert_eq!((view, looks), (Err(Failure::Interrupted), 21));
    // The same where it is over before all ratios are looked at.
    let stop = Arc::new(AtomicBool::new(true));
    let counted = Counted(AtomicUsize::new(0), None);
    let ended = first_below(
        &counted,
        40,
        &Budget::new(std::time::Duration::from_secs(3600), stop),
    );
    assert_eq!(
        (ended, counted.0.into_inner()),
        (Err(Failure::Interrupted), 0)
    );
}
