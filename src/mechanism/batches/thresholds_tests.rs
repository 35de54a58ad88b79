//! The largest answer of an epoch.

use std::sync::Arc;

use super::*;
use crate::kernel::{Point, Profile};
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::finite_pair;
use crate::mechanism::gaussian::Gaussian;
use crate::test_scale::every;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn profile((p, q): &(Vec<Rational>, Vec<Rational>)) -> Arc<dyn Profile> {
    Arc::new(FiniteProfile::new(Arc::new(
        finite_pair::law(p, q).unwrap(),
    )))
}

fn delta(profile: &dyn Profile, u: &Rational) -> Interval {
    profile.at(&Point::at_exp_epsilon(u, 200)).delta
}

const PLACES: [(i64, i64); 9] = [
    (1, 50),
    (1, 3),
    (9, 10),
    (1, 1),
    (11, 10),
    (2, 1),
    (10, 1),
    (1_000, 1),
    (1_000_000, 1),
];

/// Of one step the largest answer is the only one, so that the pair must be below the Gaussian one in both orders, however coarse the grid, and close to it.
#[test]
fn one_step_is_below_its_gaussian() {
    for sigma in [q(1, 3), q(1, 1), q(5, 2)] {
        for (without, with) in [(1, 2), (0, 2)] {
            let distance = q((with - without).into(), 1);
            let square = (distance / &sigma).square();
            let truth = Gaussian::from_square(square);
            let grids: &[u32] = match crate::test_scale::is_thorough() {
                true => &[3, 6, 12, 40, GRID_BITS],
                false if sigma == 1 && without == 1 => &[5, GRID_BITS],
                false => &[3],
            };
            for &grid_bits in grids {
                let pair = on_multiples(grid_bits, &sigma, 1, without, with);
                for masses in [&pair.0, &pair.1] {
                    assert_eq!(masses.iter().sum::<Rational>(), 1);
                    assert!(masses.iter().all(|mass| *mass >= 0));
                }
                let found = profile(&pair);
                for (found, truth) in [
                    (
                        Arc::clone(&found),
                        Arc::new(truth.clone()) as Arc<dyn Profile>,
                    ),
                    (found.swapped(), truth.swapped()),
                ] {
                    for (n, d) in PLACES.into_iter().step_by(every(8)) {
                        let (found, truth) = (delta(&*found, &q(n, d)), delta(&*truth, &q(n, d)));
                        assert!(found.lo() <= truth.hi(), "{sigma} {grid_bits} {n}/{d}");
                        if grid_bits == GRID_BITS && *truth.lo() > 1e-30 {
                            let share = Float::with_val(64, found.lo() / truth.hi());
                            assert!(share > 0.98, "{sigma} {without} {with} {n}/{d}: {share}");
                        }
                    }
                }
            }
        }
    }
}

/// The largest of several answers: at most every test by a threshold on a fine grid can do (the likelihood ratio rises), and hardly less.
#[test]
fn thresholds_are_the_best_tests_of_the_largest_answer() {
    let settings = [
        (q(1, 1), 10),
        (q(1, 2), 1_000_000),
        (q(1, 2), 2),
        (q(7, 10), 1_000),
    ];
    for (number, (sigma, steps)) in settings.into_iter().enumerate() {
        for (place, (without, with)) in [(1, 2), (0, 2)].into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 8) {
                continue;
            }
            let found = profile(&largest_answer(&sigma, steps, without, with));
            let tests: Vec<(Interval, Interval)> = (-1_000..3_000)
                .map(|n| {
                    let place = q(n, 100) * &sigma;
                    powers(&place, &sigma, steps, [without, with]).into()
                })
                .collect();
            for (n, d) in PLACES.into_iter().step_by(every(6)) {
                let u = q(n, d);
                let weight = Interval::from_rational(&u, BITS);
                let best = tests
                    .iter()
                    .map(|(p, with)| with.sub(&weight.mul(p)))
                    .reduce(|a, b| a.max(&b))
                    .unwrap()
                    .max(&weight.one_minus());
                let found = delta(&*found, &u);
                if *best.lo() > 1e-12 {
                    let share = Float::with_val(64, found.hi() / best.lo());
                    assert!(
                        share < 1.001 && share > 0.99,
                        "{sigma} {steps} {u}: {share}"
                    );
                }
            }
        }
    }
}

/// The powers of a threshold, of 1000 steps at σ = 0.7, by mpmath at 40 digits.
#[test]
fn powers_of_a_threshold() {
    let at = q(512, 100);
    let found = powers(&at, &q(7, 10), 1_000, [0, 1, 2])
        .map(|power| power.middle().to_string_radix(10, Some(15)));
    assert_eq!(found, [NONE, ONE, TWO]);
}

const NONE: &str = "1.29377031412385e-10";
const ONE: &str = "2.11094012499988e-9";
const TWO: &str = "4.15309197600710e-6";

type Joint = Vec<(Vec<i64>, Rational)>;

fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(n - 1);
    shorter
        .into_iter()
        .flat_map(|order| {
            (0..n).map(move |place| {
                let mut order = order.clone();
                order.insert(place, n - 1);
                order
            })
        })
        .collect()
}

/// The answers of one epoch, by all permutations of the records and all values of the noise.
fn epoch(records: &[i64], batch: usize, noise: &[(i64, Rational)]) -> Joint {
    let mut sums: Vec<Vec<i64>> = orders(records.len())
        .into_iter()
        .map(|order| {
            order
                .chunks(batch)
                .map(|batch| batch.iter().map(|i| records[*i]).sum())
                .collect()
        })
        .collect();
    let count = sums.len() as u32;
    sums.sort();
    let mut all: Joint = Vec::new();
    for sums in sums {
        let mut joint: Joint = vec![(Vec::new(), q(1, 1) / count)];
        for sum in sums {
            joint = joint
                .into_iter()
                .flat_map(|(answers, weight)| {
                    noise.iter().map(move |(place, mass)| {
                        let mut answers = answers.clone();
                        answers.push(sum + place);
                        (answers, Rational::from(&weight * mass))
                    })
                })
                .collect();
        }
        all.extend(joint);
    }
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

fn delta_of(u: &Rational, p: &Joint, with: &Joint) -> Rational {
    let mut total = q(0, 1);
    for (answers, mass) in with {
        let other = p.binary_search_by(|(place, _)| place.cmp(answers));
        let other = other.map_or_else(|_| q(0, 1), |place| p[place].1.clone());
        let gain: Rational = mass - u * other;
        total += gain.max(q(0, 1));
    }
    total
}

/// Epochs of tiny datasets: all neighbours are below noise without amplification, and the dataset of the witness has the powers of
/// [`passes`], with the noise in place of the normal one.
#[test]
fn all_neighbours_of_tiny_epochs() {
    let noise = [
        (-2, q(1, 15)),
        (-1, q(3, 15)),
        (0, q(7, 15)),
        (1, q(3, 15)),
        (2, q(1, 15)),
    ];
    let shifted = |by: i64| -> Joint {
        noise
            .iter()
            .map(|(at, mass)| (vec![at + by], mass.clone()))
            .collect()
    };
    for (count, batch) in [(2usize, 1usize), (3, 2), (4, 2)] {
        let steps = count.div_ceil(batch);
        let values = [-1i64, 0, 1];
        let mut others = vec![Vec::new()];
        for _ in 1..count {
            others = others
                .into_iter()
                .flat_map(|list: Vec<i64>| values.map(|next| [list.clone(), vec![next]].concat()))
                .filter(|list| list.is_sorted())
                .collect();
        }
        for u in [q(1, 2), q(1, 1), q(3, 2), q(3, 1)] {
            for (other, distance) in [(0, 1), (-1, 2)] {
                // Zeroed, or replaced: no amplification, and no more.
                let none = delta_of(&u, &shifted(0), &shifted(distance));
                let mut worst = q(0, 1);
                for others in &others {
                    let law = |x: i64| epoch(&[others.clone(), vec![x]].concat(), batch, &noise);
                    let (without, with) = (law(other), law(1));
                    let found = delta_of(&u, &without, &with).max(delta_of(&u, &with, &without));
                    assert!(found <= none, "{others:?} {u}");
                    worst = worst.max(found);
                }
                // The witness: others are all −1; the largest answer, seen from where its batch would be.
                let all_others = vec![-1; count - 1];
                let law = |x: i64| epoch(&[all_others.clone(), vec![x]].concat(), batch, &noise);
                let (without, with) = (law(other), law(1));
                let sizes: Vec<i64> = (0..steps)
                    .map(|i| batch.min(count - i * batch) as i64)
                    .collect();
                for threshold in -3..5 {
                    let power = |law: &Joint| -> Rational {
                        law.iter()
                            .filter(|(answers, _)| {
                                answers
                                    .iter()
                                    .zip(&sizes)
                                    .any(|(a, size)| a + size > threshold)
                            })
                            .map(|(_, mass)| mass)
                            .sum()
                    };
                    let below = |shift: i64| -> Rational {
                        noise
                            .iter()
                            .filter(|(at, _)| at + shift <= threshold)
                            .map(|(_, mass)| mass)
                            .sum()
                    };
                    let formula = |shift: i64| {
                        1 - (1..steps).fold(below(shift), |product, _| product * below(0))
                    };
                    assert_eq!(power(&with), formula(2));
                    assert_eq!(power(&without), formula(other + 1));
                    let witness = formula(2) - formula(other + 1) * &u;
                    assert!(witness <= worst);
                }
            }
        }
    }
}

/// Of one step each corner is a test, no better than the best one: on a coarse grid, and with powers of a few bits.
#[test]
fn corners_of_one_step_are_tests() {
    use crate::kernel::coarse::at_most_bits;
    for (sigma, without, with) in [(q(1, 1), 1, 2), (q(3, 2), 0, 2)] {
        let square = (q((with - without).into(), 1) / &sigma).square();
        let truth = Gaussian::from_square(square);
        let line = |n: i64| {
            let u = (q(n, 2).to_f64()).exp();
            let at = truth.at(&Point::at_epsilon(&q(n, 2), 120)).delta;
            (u, at.hi().to_f64())
        };
        let lines: Vec<_> = (-8..=8).map(line).collect();
        let settings = match without {
            0 => [(5, 200), (GRID_BITS, 9)],
            _ => [(3, 200), (GRID_BITS, 7)],
        };
        for (grid_bits, bits) in settings {
            let (p, q) = at_most_bits(bits, || on_multiples(grid_bits, &sigma, 1, without, with));
            let (mut alpha, mut power) = (0.0, 0.0);
            for (p, q) in p.iter().zip(&q) {
                (alpha, power) = (alpha + p.to_f64(), power + q.to_f64());
                for (u, delta) in &lines {
                    let gain: f64 = power - u * alpha;
                    assert!(
                        gain <= delta + 1e-12,
                        "{sigma} {grid_bits} {bits}: {alpha} {power} {u}"
                    );
                }
            }
        }
    }
}
