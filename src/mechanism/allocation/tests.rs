//! Measures against exact sums, and profiles against exact pairs.

use std::sync::Arc;

use proptest::prelude::*;
use rug::{Float, Integer, Rational};

use super::above::Above;
use super::below::{Below, Point as Cell};
use super::places::{Places, Row};
use super::*;
use crate::kernel::coarse::{self, Place};
use crate::kernel::{Between, Budget, Failure, Fineness, LossBound, Point, Profile};
use crate::mechanism::Mechanism;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// Masses that lie too far apart for a row end it as a budget does, and are no mistake.
#[test]
fn rows_that_are_too_long() {
    let row = |last: u64| {
        let entries = vec![(3, Integer::from(1)), (last, Integer::from(1))];
        Row::of(entries, |one, other| *one += other)
    };
    assert_eq!(row(1 << 20).unwrap().entries.len(), (1 << 20) - 2);
    assert_eq!(row(1 << 40).unwrap_err(), Failure::Interrupted);
}

/// Exact points: place and mass.
type Exact = Vec<(Rational, Rational)>;

fn sum_of(a: &Exact, b: &Exact) -> Exact {
    let pairs = a.iter().flat_map(|(x, m)| {
        b.iter()
            .map(move |(y, n)| (Rational::from(x + y), Rational::from(m * n)))
    });
    let mut all: Exact = pairs.collect();
    all.sort();
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += &next.1;
        }
        same
    });
    all
}

fn call(of: &Exact, at: &Rational) -> Rational {
    let gain = |(x, m): &(Rational, Rational)| Rational::from(x - at).max(Rational::new()) * m;
    of.iter().map(gain).sum()
}

fn put(of: &Exact, at: &Rational) -> Rational {
    let gain = |(x, m): &(Rational, Rational)| Rational::from(at - x).max(Rational::new()) * m;
    of.iter().map(gain).sum()
}

fn points_above(of: &Above) -> Exact {
    let unit = |x: &Integer| Rational::from(x) >> of.bits();
    let points = of.places().into_iter();
    points.map(|(x, m)| (Rational::from(x), unit(m))).collect()
}

fn points_below(of: &Below) -> Exact {
    let points = of.points().into_iter();
    points
        .map(|(_, mass, moment)| {
            (
                Rational::from((&moment, &mass)),
                Rational::from(mass) >> of.bits(),
            )
        })
        .collect()
}

const BITS: u32 = 14;

/// A law with probabilities in units of 2^−BITS at whole places.
fn law() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let place = prop_oneof![0u64..40, 0u64..3000];
    prop::collection::btree_map(place, 1u32..400, 1..7).prop_map(|law| {
        let mut law: Vec<(u64, u32)> = law.into_iter().collect();
        let total: u32 = law.iter().map(|(_, mass)| mass).sum();
        law[0].1 += (1 << BITS) - total;
        law
    })
}

fn exact(law: &[(u64, u32)]) -> Exact {
    let one = |(x, m): &(u64, u32)| (Rational::from(*x), Rational::from((*m, 1u32 << BITS)));
    law.iter().map(one).collect()
}

proptest! {
    /// Sums of small laws on few points and in coarse units, so that every spread, every merging and every rounding shows.
    #[test]
    fn sums_stay_on_their_side(one in law(), steps in 1u64..6, reach in 1u64..9, cut in 0u64..9000, infinite in 0u32..50) {
        let budget = Budget::unlimited();
        let truth = (1..steps).fold(exact(&one), |sum, _| sum_of(&sum, &exact(&one)));
        let places = Places::around(Integer::from(20), &Integer::from(16), 0, reach);
        let points = one.iter().map(|(x, m)| (Integer::from(*x), Integer::from(*m))).collect();
        let above = Above::new(points, Integer::from(infinite), BITS, &places).unwrap();
        let above = base::power(&above, steps, |a, b| a.plus(b, reach, &budget)).unwrap();
        let cells = one.iter().map(|(x, m)| {
            // In a cell of width 4 that it lies in.
            let (start, within) = (*x & !3, *x & 3);
            let point = Cell { mass: Integer::from(*m), rest: (Integer::from(*m) * within) >> 2u32 };
            (Integer::from(start), 2u32, point)
        });
        let below = Below::new(cells.collect(), Integer::new(), BITS).unwrap();
        let below = base::power(&below, steps, |a, b| a.plus(b, reach, &budget)).unwrap();
        let (upper, lower) = (points_above(&above), points_below(&below));
        for at in [Rational::from(cut), Rational::from(cut) / 7u32, Rational::from(cut % 50), q(0, 1)] {
            prop_assert!(call(&upper, &at) >= call(&truth, &at), "call {at}");
            prop_assert!(put(&upper, &at) >= put(&truth, &at), "put {at}");
            prop_assert!(call(&lower, &at) <= call(&truth, &at), "call below {at}");
        }
        // A constant is such a function too: no mass is lost above, none is won below.
        let total = |of: &Exact| -> Rational { of.iter().map(|(_, mass)| mass).sum() };
        prop_assert!(total(&upper) >= 1 && total(&lower) <= 1);
        // The slope at ∞ counts once for each term.
        let least = (Rational::from((infinite, 1u32)) * steps) >> BITS;
        prop_assert!(Rational::from(above.infinite()) >> BITS >= least);
        // And neither is far off where there is room.
        if reach == 8 && steps <= 2 {
            let mean = call(&truth, &q(0, 1));
            prop_assert!(call(&upper, &q(0, 1)) <= (&mean * q(3, 2)) + 4);
        }
    }
}

const FINE: Fineness = Fineness {
    cells: 64,
    depth: 60,
};

fn sides(base: &Mechanism, steps: u64, fineness: Fineness) -> Between {
    let base = base.profile_of_step().unwrap();
    let all = Allocated::new(base, steps);
    all.between(fineness, &Budget::unlimited())
        .unwrap()
        .unwrap()
}

/// The profile of an exact pair.
fn exact_pair(p: &[Rational], with: &[Rational], steps: u64) -> Arc<dyn Profile> {
    let (p, with) = finite::pair(p, with, steps, 1).unwrap();
    Mechanism::finite(p, with)
        .unwrap()
        .profile_of_step()
        .unwrap()
}

/// Finite pairs through cells and sums, against the exact pair: both orders, with outcomes of one hypothesis only too.
#[test]
fn finite_pairs_lie_between() {
    let bases = [
        (vec![q(1, 10), q(9, 10)], vec![q(9, 10), q(1, 10)]),
        (
            vec![q(1, 2), q(1, 3), q(1, 6)],
            vec![q(1, 3), q(1, 2), q(1, 6)],
        ),
        (
            vec![q(1, 2), q(1, 2), q(0, 1)],
            vec![q(1, 4), q(1, 2), q(1, 4)],
        ),
        (vec![q(1, 4), q(3, 4)], vec![q(1, 1), q(0, 1)]),
    ];
    for (p, with) in &bases {
        let base = Mechanism::finite(p.clone(), with.clone()).unwrap();
        for steps in [1, 2, 3, 7, 10, 12] {
            let truth = exact_pair(p, with, steps);
            let Between { upper, lower } = sides(&base, steps, FINE);
            let directions = [
                (truth.clone(), upper.clone(), lower.clone()),
                (truth.swapped(), upper.swapped(), lower.swapped()),
            ];
            for (truth, upper, lower) in directions {
                for n in 1..40i64 {
                    let u = q(n * n, 97);
                    let point = Point::at_exp_epsilon(&u, 100);
                    let delta = truth.exact_delta(&point).unwrap();
                    let (most, least) = (upper.at(&point).delta, lower.at(&point).delta);
                    assert!(*most.hi() >= delta && *least.lo() <= delta, "{steps} {u}");
                    // Not far off: a cell is a 64th of the bulk.
                    let width = Float::with_val(64, most.hi() - least.lo());
                    assert!(width < 0.1, "{steps} {u} {}", width.to_f64());
                }
            }
        }
    }
}

/// Closed forms of two and three Gaussian steps, by two routes to 30 digits each.
#[test]
fn few_gaussian_steps() {
    let cases = [
        (
            2,
            q(1, 1),
            q(1, 2),
            true,
            "1.4268696582374320297751288102841e-1",
        ),
        (
            2,
            q(2, 1),
            q(1, 10),
            false,
            "1.0485290400950310133831911081651e-1",
        ),
        (
            3,
            q(1, 1),
            q(-1, 2),
            true,
            "4.5827146634658165699962308640465e-1",
        ),
        (
            3,
            q(2, 1),
            q(1, 5),
            false,
            "5.0074438834660806816737255873341e-2",
        ),
    ];
    for (steps, sigma, epsilon, is_add, truth) in cases {
        let base = Mechanism::gaussian(sigma, 1).unwrap();
        let fineness = Fineness {
            cells: 512,
            depth: 80,
        };
        let Between { upper, lower } = sides(&base, steps, fineness);
        let (upper, lower) = if is_add {
            (upper.swapped(), lower.swapped())
        } else {
            (upper, lower)
        };
        let point = Point::at_epsilon(&epsilon, 128);
        let truth = Float::with_val(128, Float::parse(truth).unwrap());
        let (most, least) = (upper.at(&point).delta, lower.at(&point).delta);
        assert!(*most.hi() >= truth && *least.lo() <= truth);
        let width = Float::with_val(64, most.hi() - least.lo());
        assert!(width < truth * 1e-5, "{}", width.to_f64());
    }
}

/// One step is the base pair, and sides of any fineness agree with each other.
#[test]
fn sides_narrow() {
    let base = Mechanism::laplace(1, 1).unwrap();
    let closed = base.profile_of_step().unwrap();
    let mut last = 1.0;
    for cells in [16, 64, 256] {
        let fineness = Fineness { cells, depth: 60 };
        let Between { upper, lower } = sides(&base, 1, fineness);
        let Between { upper: u, lower: l } = sides(&base, 40, fineness);
        let mut widest: f64 = 0.0;
        for n in -8..9 {
            let point = Point::at_epsilon(&q(n, 5), 100);
            let truth = closed.at(&point).delta;
            assert!(upper.at(&point).delta.hi() >= truth.lo());
            assert!(lower.at(&point).delta.lo() <= truth.hi());
            let width = u.at(&point).delta.hi().to_f64() - l.at(&point).delta.lo().to_f64();
            assert!(width >= 0.0);
            widest = widest.max(width);
        }
        assert!(widest < last / 4.0, "{widest} {last}");
        last = widest;
    }
}

/// What is known of the ends: the largest ratio is that of a step, masses of one hypothesis only are those of all steps or of one.
#[test]
fn ends_of_the_loss() {
    let base = Mechanism::finite(
        vec![q(1, 4), q(3, 4), q(0, 1)],
        vec![q(0, 1), q(1, 2), q(1, 2)],
    );
    let all = Allocated::new(base.unwrap().profile_of_step().unwrap(), 3);
    assert!(all.infinite_mass(64).contains(&q(1, 2)));
    assert!(all.swapped().infinite_mass(64).contains(&q(1, 64)));
    let laplace = Mechanism::laplace(1, 2).unwrap();
    let all = Allocated::new(laplace.profile_of_step().unwrap(), 9);
    for (end, truth) in [
        (all.max_loss(64), 2),
        (all.min_loss(64), -2),
        (all.swapped().max_loss(64), 2),
    ] {
        let LossBound::Finite { value, .. } = end else {
            panic!("bounded");
        };
        assert!(value.contains(&q(truth, 1)));
    }
}

/// Ends and masses of the exact pair that are known without it: where P alone has an outcome, the least ratio is that of one such step among others.
#[test]
fn ends_where_one_law_has_nothing() {
    for (p, with, infinite) in [
        (
            [q(1, 4), q(3, 4)],
            [q(1, 1), q(0, 1)],
            [Some(q(0, 1)), None],
        ),
        (
            [q(1, 1), q(0, 1)],
            [q(1, 3), q(2, 3)],
            [Some(q(2, 3)), Some(q(0, 1))],
        ),
    ] {
        let base = Mechanism::finite(p.to_vec(), with.to_vec()).unwrap();
        let all: Arc<dyn Profile> = Arc::new(Allocated::new(base.profile_of_step().unwrap(), 3));
        let truth = exact_pair(&p, &with, 3);
        let orders = [
            (truth.clone(), all.clone()),
            (truth.swapped(), all.swapped()),
        ];
        for ((truth, all), infinite) in orders.into_iter().zip(infinite) {
            assert_eq!(all.exact_infinite_mass(), infinite);
            let exactly = truth.exact_infinite_mass().unwrap();
            assert!(all.infinite_mass(90).contains(&exactly));
            assert!(infinite.is_none_or(|infinite| infinite == exactly));
            for (found, end) in [
                (all.max_loss(90), truth.max_loss(90)),
                (all.min_loss(90), truth.min_loss(90)),
            ] {
                let (LossBound::Finite { value, .. }, LossBound::Finite { value: end, .. }) =
                    (found, end)
                else {
                    panic!("bounded")
                };
                assert!(value.intersect(&end).is_ok(), "{value:?} {end:?}");
                assert!(value.width_up() < 1e-20);
            }
        }
    }
}

/// From its largest loss on a profile is the mass at ∞, and more before.
#[test]
fn ends_of_both_sides() {
    let base = Mechanism::finite(
        vec![q(1, 4), q(3, 4), q(0, 1)],
        vec![q(1, 4), q(1, 2), q(1, 4)],
    );
    let truth = exact_pair(
        &[q(1, 4), q(3, 4), q(0, 1)],
        &[q(1, 4), q(1, 2), q(1, 4)],
        3,
    );
    let Between { upper, lower } = sides(&base.unwrap(), 3, FINE);
    for (side, is_upper) in [(&upper, true), (&lower, false)] {
        for (side, truth) in [
            (side.clone(), truth.clone()),
            (side.swapped(), truth.swapped()),
        ] {
            let infinite = side.infinite_mass(100);
            let exactly = truth.infinite_mass(100);
            let is_sound = match is_upper {
                true => infinite.hi() >= exactly.lo(),
                false => infinite.lo() <= exactly.hi(),
            };
            assert!(is_sound, "{infinite:?} {exactly:?}");
            let LossBound::Finite { value, .. } = side.max_loss(100) else {
                panic!("bounded")
            };
            let at = |log: Float| side.at(&Point::at_log(crate::kernel::Interval::point(log)));
            let beyond = at(Float::with_val(100, value.hi() + 1u32)).delta;
            assert!(
                beyond.lo() <= infinite.hi() && beyond.hi() >= infinite.lo(),
                "{beyond:?} {infinite:?}"
            );
            let before = at(Float::with_val(100, value.lo() - 0.01)).delta;
            assert!(!is_upper || before.lo() > infinite.hi(), "{before:?}");
            let LossBound::Finite { value: least, .. } = side.swapped().min_loss(100) else {
                panic!("bounded")
            };
            assert_eq!(
                (least.neg().lo(), least.neg().hi()),
                (value.lo(), value.hi())
            );
        }
    }
}

#[test]
fn coarse_numbers_enclose_finer_ones() {
    let gaussian = Mechanism::gaussian(1, 1).unwrap();
    let steps = if crate::test_scale::is_thorough() {
        3
    } else {
        2
    };
    let all = Allocated::new(gaussian.profile_of_step().unwrap(), steps);
    for (number, bits) in [10, 14].into_iter().enumerate() {
        let places = [
            Place::Epsilon(q(1, 7)),
            Place::ExpEpsilon(q(9, 4)),
            Place::NearEpsilon(q(-1, 3)),
        ];
        for (turn, place) in places.iter().enumerate() {
            if crate::test_scale::is_asked(number + turn, 4) {
                assert_eq!(coarse::profile_holds(&all, place, bits, false), Ok(()));
            }
        }
    }
}

#[cfg(test)]
#[path = "coarse_tests.rs"]
mod few_bits;

/// Sides that there is no time for are none, and are made when they are asked for again.
#[test]
fn late_points_are_not_known() {
    let laplace = Mechanism::laplace(2, 1).unwrap();
    let of = Allocated::new(laplace.profile_of_step().unwrap(), 40);
    let width = || {
        let found = of.at(&Point::at_epsilon(&q(1, 10), 60)).delta;
        found.width_up().to_f64()
    };
    assert!(coarse::late(width) > 0.9);
    assert!(width() < 0.1);
    assert!(coarse::late(width) < 0.1);
}

/// Each side by itself is a profile: at no ε next to a kink is it so far off its own lines that a supporting line is above a chord.
#[test]
fn sides_are_convex_next_to_their_kinks() {
    use crate::bounds::{Effort, Target, TwoSided, minimax_risk, tradeoff};
    let bases = [
        Mechanism::randomized_response(2, 2).unwrap(),
        Mechanism::randomized_response(1, 3).unwrap(),
        Mechanism::discrete_laplace(1, 2).unwrap(),
        Mechanism::finite(vec![q(1, 10), q(9, 10)], vec![q(9, 10), q(1, 10)]).unwrap(),
    ];
    for base in &bases {
        for steps in [2, 3, 10] {
            let Between { upper, lower } = sides(base, steps, FINE);
            for side in [upper, lower] {
                let (target, budget) = (Target::Relative(q(1, 10_000)), Budget::unlimited());
                let effort = Effort {
                    bits: 160,
                    target: &target,
                    goal: None,
                    budget: &budget,
                };
                for side in [side.clone(), side.swapped()] {
                    let sides = TwoSided::closed_form(side);
                    assert!(minimax_risk(&sides, &effort).is_ok(), "{steps}");
                    for n in 1..10 {
                        assert!(tradeoff(&sides, &q(n, 10), &effort).is_ok(), "{steps} {n}");
                    }
                }
            }
        }
    }
}
