//! Sums of scores against Gaussians, quadrature, and all answers one by one.

use rug::Rational;

use super::*;
use crate::kernel::coarse::Random;
use crate::kernel::{Point, Profile};
use crate::mechanism::gaussian::Gaussian;

fn q(n: i64, d: u32) -> Rational {
    Rational::from((n, d))
}

fn delta(u: &Rational, p: &[Rational], with: &[Rational]) -> Rational {
    let gains = p
        .iter()
        .zip(with)
        .map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

const COARSE: Grid = Grid {
    bits: 14,
    negligible_bits: 9,
    most: 120,
};

/// Where the record is in every step, the epoch is a Gaussian mechanism, and the sums of scores are below it: at few bits, with few sums, as well; and not by much.
#[test]
fn records_in_every_step_are_below_the_gaussian() {
    let moved = [
        (Compared::Absent, 1u32),
        (Compared::Opposite, 4),
        (Compared::Doubled, 1),
    ];
    for (compared, square) in moved {
        for (mu_squared, steps) in [(q(1, 1), 1u64), (q(1, 4), 3), (q(2, 1), 2), (q(1, 100), 40)] {
            let truth = Rational::from(&mu_squared * square) * Rational::from(steps);
            let truth = Gaussian::from_square(truth);
            let [short, long] = Scores::of(&mu_squared, steps, steps, compared);
            for (scores, grid) in [
                (&short, GRID),
                (&long, GRID),
                (&short, COARSE),
                (&long, COARSE),
            ] {
                let (p, with) = scores.on(grid).unwrap();
                assert_eq!(p.iter().sum::<Rational>(), 1);
                assert_eq!(with.iter().sum::<Rational>(), 1);
                for u in [q(1, 3), q(9, 10), q(1, 1), q(3, 2), q(4, 1), q(20, 1)] {
                    let at = truth.at(&Point::at_exp_epsilon(&u, 80)).delta;
                    let (one, other) = (delta(&u, &p, &with), delta(&u, &with, &p));
                    assert!(
                        one <= *at.hi() && other <= *at.hi(),
                        "{scores:?} {grid:?} {u}"
                    );
                    if u <= 4
                        && grid.bits == GRID.bits
                        && scores.largest == 8
                        && compared != Compared::Doubled
                    {
                        let near = at.lo().to_f64() * 0.75 - 1e-3;
                        assert!(
                            one.to_f64() >= near && other.to_f64() >= near,
                            "{scores:?} {u}: {} {} {near}",
                            one.to_f64(),
                            other.to_f64()
                        );
                    }
                }
            }
        }
    }
}

/// One of two steps has the record (δ by two tail probabilities), and is replaced by its negative (by quadrature).
#[test]
fn two_steps_are_below_the_truth() {
    for (mu_squared, u, is_swapped, compared, truth) in TRUTHS {
        let mu_squared = Rational::from(mu_squared);
        let u = Point::at_epsilon(&Rational::from(u), 80)
            .exp()
            .lo()
            .to_rational()
            .unwrap();
        let mut best = 0.0f64;
        for scores in Scores::of(&mu_squared, 2, 1, compared) {
            for grid in [GRID, COARSE] {
                let (p, with) = scores.on(grid).unwrap();
                let found = match is_swapped {
                    true => delta(&u, &with, &p),
                    false => delta(&u, &p, &with),
                };
                assert!(
                    found.to_f64() <= truth * (1.0 + 1e-5),
                    "{scores:?} {grid:?}"
                );
                best = best.max(found.to_f64());
            }
        }
        assert!(
            best >= 0.85 * truth,
            "{mu_squared} {u} {compared:?}: {best} {truth}"
        );
    }
}

type Number = (i64, u32);

/// (μ², ε, in the other order, what is compared, δ).
const TRUTHS: [(Number, Number, bool, Compared, f64); 6] = [
    (
        (1, 1),
        (1, 2),
        true,
        Compared::Absent,
        0.142_686_965_823_743_2,
    ),
    (
        (1, 4),
        (1, 10),
        false,
        Compared::Absent,
        0.104_852_904_009_503_1,
    ),
    ((1, 1), (1, 2), false, Compared::Opposite, 0.400_051),
    ((1, 4), (1, 10), true, Compared::Opposite, 0.241_054),
    ((1, 1), (1, 2), false, Compared::Doubled, 0.221_269),
    ((1, 4), (1, 10), false, Compared::Doubled, 0.124_916),
];

/// Sums of scores against all answers one by one, at few bits: what is rounded up is no less, what is rounded down no more.
#[test]
fn sums_against_all_answers() {
    let mut random = Random(31);
    for round in 0..60 {
        let cells = 2 + random.below(3);
        let masses = |random: &mut Random| -> Vec<Rational> {
            let all: Vec<u64> = (0..cells).map(|_| 1 + random.below(40)).collect();
            let sum: u64 = all.iter().sum();
            all.into_iter()
                .map(|mass| Rational::from((mass, sum)))
                .collect()
        };
        let (rest, moved) = (masses(&mut random), masses(&mut random));
        let scores: Vec<Integer> = (0..cells)
            .map(|score| Integer::from(2 * score) - 3)
            .collect();
        let grid = Grid {
            bits: 5 + u32::try_from(random.below(8)).unwrap(),
            negligible_bits: 4,
            most: 4,
        };
        let blurred = |masses: &[Rational]| -> Vec<(&Integer, Interval)> {
            let masses = masses.iter().map(|mass| Interval::from_rational(mass, 8));
            scores.iter().zip(masses).collect()
        };
        let (a, b) = (blurred(&rest), blurred(&moved));
        let (others, selected) = (random.below(3), 1 + random.below(2));
        let above = SumsUp::of(&a, others, grid)
            .unwrap()
            .plus(&SumsUp::of(&b, selected, grid).unwrap());
        let below = SumsDown::of(&a, others, grid)
            .unwrap()
            .plus(&SumsDown::of(&b, selected, grid).unwrap());
        let mut law = vec![(Integer::new(), Rational::from(1))];
        let each = [(&rest, others), (&moved, selected)];
        for (masses, times) in each {
            for _ in 0..times {
                law = law
                    .iter()
                    .flat_map(|(sum, mass)| {
                        scores.iter().zip(masses.iter()).map(move |(score, with)| {
                            (Integer::from(sum + score), Rational::from(mass * with))
                        })
                    })
                    .collect();
            }
        }
        let unit = Rational::from((1, Integer::from(1) << grid.bits));
        for cut in -20..30i64 {
            let truth: Rational = law
                .iter()
                .filter(|(sum, _)| *sum >= cut)
                .map(|(_, mass)| mass)
                .sum();
            let tail = |row: &Row| -> Integer {
                let places = (0u32..).zip(&row.masses);
                let above = places.filter(|(place, _)| Integer::from(&row.first + *place) >= cut);
                above.map(|(_, mass)| mass).sum()
            };
            let most = Rational::from(tail(&above.row) + &above.given_up) * &unit;
            let least = Rational::from(tail(&below.row)) * &unit;
            assert!(
                least <= truth && truth <= most,
                "{round} {cut}: {} {} {}",
                least.to_f64(),
                truth.to_f64(),
                most.to_f64()
            );
        }
    }
}
