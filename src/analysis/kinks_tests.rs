//! Crossings of finite laws when numbers have a few bits: what is said to be one is one, and all are said to be known only where they are.

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::bounds::exact_divergence::profile_crossings;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::{Adjacency, Direction, finite_pair::law};

fn pair(random: &mut Random) -> [Vec<Rational>; 2] {
    let size = 2 + random.below(4);
    [(); 2].map(|()| {
        let weights: Vec<u64> = (0..size).map(|_| 1 + random.below(20)).collect();
        let total: u64 = weights.iter().sum();
        weights
            .iter()
            .map(|w| Rational::from((*w, total)))
            .collect()
    })
}

fn profiles(of: &[Vec<Rational>; 2], directions: &[Direction]) -> Vec<FiniteProfile> {
    let law = std::sync::Arc::new(law(&of[0], &of[1]).unwrap());
    let all = directions.iter();
    all.map(|way| FiniteProfile::new(law.clone()).toward(*way))
        .collect()
}

#[test]
fn crossings_at_a_few_bits() {
    let mut random = Random(12);
    let mut seen = 0;
    for round in 0..150 {
        let (a, b) = (pair(&mut random), pair(&mut random));
        let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][round % 3];
        let directions = adjacency.directions();
        let duel = Duel {
            first: profiles(&a, directions),
            second: profiles(&b, directions),
        };
        let bits = 4 + u32::try_from(random.below(if round % 2 == 0 { 14 } else { 60 })).unwrap();
        let found = at_most_bits(bits, || duel.crossings(bits, &Budget::unlimited()).unwrap());
        let exact = profile_crossings(
            &ExactCurve::new(&a[0], &a[1], adjacency),
            &ExactCurve::new(&b[0], &b[1], adjacency),
        );
        let words = || format!("{bits} bits, {adjacency:?}: {a:?} {b:?} {found:?} {exact:?}");
        assert!(found.places.len() <= exact.len(), "{}", words());
        assert!(
            !found.complete || found.places.len() == exact.len(),
            "{}",
            words()
        );
        for place in &found.places {
            let log = |u: &Rational| Interval::from_rational(u, 192).ln();
            let holds = exact.iter().any(|crossing| {
                place.lo() <= log(&crossing.part).hi() && place.hi() >= log(&crossing.meet).lo()
            });
            assert!(holds, "{}", words());
        }
        seen += found.places.len();
        let fine = duel.crossings(192, &Budget::unlimited()).unwrap();
        let narrow = Float::with_val(64, 1) >> 40u32;
        for place in fine.places {
            assert!(place.width_up() < narrow, "{place:?}");
        }
    }
    assert!(seen > 20, "{seen}");
}

fn number(low: f64, high: f64) -> Interval {
    let [low, high] = [low, high].map(|x| Float::with_val(64, x));
    Interval::new(low, high).unwrap()
}

/// Equal is only what is known to be, and so is an order.
#[test]
fn certain_orders() {
    for (a, b, order) in [
        ((0.0, 1.0), (2.0, 3.0), Some(Ordering::Less)),
        ((2.0, 3.0), (0.0, 1.0), Some(Ordering::Greater)),
        ((0.0, 1.0), (1.0, 2.0), None),
        ((1.0, 2.0), (0.0, 1.0), None),
        ((0.0, 1.0), (0.0, 1.0), None),
        ((1.0, 1.0), (1.0, 1.0), Some(Ordering::Equal)),
        ((0.0, 0.0), (0.0, 1.0), None),
    ] {
        assert_eq!(
            sign(&number(a.0, a.1), &number(b.0, b.1)),
            order,
            "{a:?} {b:?}"
        );
    }
}

/// Who leads is known where nobody else may.
#[test]
fn certain_leaders() {
    let away = Point::at_epsilon(&Rational::from(1), 64);
    let of =
        |a: (f64, f64), b: (f64, f64)| Leader::of(&[number(a.0, a.1), number(b.0, b.1)], &away);
    assert!(of((2.0, 3.0), (0.0, 1.0)) == Leader::This(0));
    assert!(of((0.0, 1.0), (2.0, 3.0)) == Leader::This(1));
    assert!(of((1.0, 3.0), (0.0, 1.0)) == Leader::This(0));
    assert!(of((1.0, 3.0), (0.0, 2.0)) == Leader::Unknown);
    assert!(of((1.0, 3.0), (1.0, 3.0)) == Leader::Unknown);
    assert!(of((1.0, 1.0), (1.0, 1.0)) == Leader::All);
    let zero = Point::at_epsilon(&Rational::new(), 64);
    assert!(Leader::of(&[number(1.0, 3.0), number(0.0, 2.0)], &zero) == Leader::All);
}

fn in_both(random: &mut Random) -> Vec<FiniteProfile> {
    profiles(&pair(random), Adjacency::AddRemove.directions())
}

/// Losses that may be one are one stretch: all are held, and stretches are apart and rise.
#[test]
fn stretches_of_losses() {
    let mut random = Random(31);
    for _ in 0..9_400 {
        let duel = Duel {
            first: in_both(&mut random),
            second: in_both(&mut random),
        };
        let bits = 2 + u32::try_from(random.below(6)).unwrap();
        let kinks = duel.kinks(bits).unwrap();
        for two in kinks.windows(2) {
            assert!(two[0].place.certainly_lt(&two[1].place), "{bits}");
        }
        for profile in duel.first.iter().chain(&duel.second) {
            for loss in profile.losses(200) {
                let holds =
                    |kink: &Kink| kink.place.lo() <= loss.hi() && loss.lo() <= kink.place.hi();
                assert!(kinks.iter().any(holds), "{bits} {loss:?}");
            }
        }
    }
}

/// Where the directions of a mechanism change places, though kinks are known by wide stretches: what is said to be such a place holds one.
#[test]
fn places_where_directions_meet() {
    let mut random = Random(32);
    let (mut seen, mut both) = (0, 0);
    for round in 0..150 {
        let first = in_both(&mut random);
        // Two mechanisms of nearly the same places.
        let second = if round % 2 == 0 {
            first.clone()
        } else {
            in_both(&mut random)
        };
        let duel = Duel { first, second };
        let half = Float::with_val(192, 1) >> 6u32;
        let kinks = duel.kinks(192).unwrap().into_iter().map(|kink| {
            let around = Interval::spanning(-half.clone(), half.clone());
            (kink.place.add(&around), kink.place)
        });
        let kinks: Vec<(Interval, Interval)> = kinks.collect();
        let wide = kinks.iter().map(|(place, _)| Kink {
            place: place.clone(),
            exact: None,
        });
        let is_kink = |place: &Interval| kinks.iter().any(|(kink, _)| kink == place);
        // Stretches that overlap are not neighbours.
        if kinks
            .windows(2)
            .any(|two| !two[0].0.certainly_lt(&two[1].0))
        {
            continue;
        }
        for (place, reading) in duel.readings(wide.collect(), 192, &Budget::unlimited()) {
            let Some(reading) = reading.filter(|_| !is_kink(&place)) else {
                continue;
            };
            let mechanisms = [&duel.first, &duel.second].into_iter().zip(reading.leaders);
            let met = mechanisms.filter(|(_, leader)| *leader == Leader::All);
            for (mechanism, _) in met {
                let gap = |end: &Float| {
                    let at = Point::at_log(Interval::point(end.clone()));
                    mechanism[0].at(&at).delta.sub(&mechanism[1].at(&at).delta)
                };
                let (left, right) = (gap(place.lo()), gap(place.hi()));
                let is_one_sided = (left.is_positive() && right.is_positive())
                    || (left.neg().is_positive() && right.neg().is_positive());
                assert!(!is_one_sided, "{place:?} {left:?} {right:?}");
                seen += 1;
            }
            both += usize::from(reading.leaders == [Leader::All; 2]);
        }
    }
    assert!(seen > 20 && both > 5, "{seen} {both}");
}

/// Places known to few bits hold what both mechanisms have there, though neither stretch holds the other.
#[test]
fn places_that_may_be_one() {
    let mut random = Random(33);
    let mut seen = 0;
    for _ in 0..400 {
        let [p, q] = pair(&mut random);
        // A trifle of one mass is moved.
        let trifle = Rational::from((1 + random.below(40), 4000u32));
        let mut near = p.clone();
        near[0] += &trifle;
        let total = Rational::from(1 + &trifle);
        for mass in &mut near {
            *mass /= &total;
        }
        let directions = Adjacency::AddRemove.directions();
        let duel = Duel {
            first: profiles(&[p, q.clone()], directions),
            second: profiles(&[near, q], directions),
        };
        let fine = duel.kinks(192).unwrap();
        for two in fine.windows(2) {
            let (low, high) = (two[0].place.hi(), two[1].place.lo());
            let met = [&duel.first, &duel.second].map(|of| meeting((&of[0], &of[1]), low, high));
            let [Some(first), Some(second)] = met else {
                continue;
            };
            let reading = |at: &Float| duel.read(&Point::at_log(Interval::point(at.clone())));
            let (before, after) = (reading(low), reading(high));
            for bits in [5, 7, 9, 12] {
                let found = at_most_bits(bits, || {
                    let ends = (low.clone(), high.clone());
                    duel.switches((&before, &after), &ends)
                });
                for (place, reading) in found {
                    let holds = |met: &Interval| place.lo() <= met.hi() && met.lo() <= place.hi();
                    for (leader, met) in reading.leaders.iter().zip([&first, &second]) {
                        assert!(*leader != Leader::All || holds(met), "{place:?} {met:?}");
                    }
                    seen += usize::from(reading.leaders == [Leader::All; 2]);
                }
            }
        }
    }
    assert!(seen > 10, "{seen}");
}
