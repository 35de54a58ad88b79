//! Others that are picked after each answer, against quadrature and closed forms.

use super::*;
use crate::kernel::Point;
use crate::mechanism::Mechanism;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn delta(tests: &[(Rational, Rational)], u: f64) -> f64 {
    let advantages = tests.iter().map(|(p, q)| q.to_f64() - u * p.to_f64());
    advantages.fold(0.0, f64::max)
}

fn by_hundredths(steps: u64, limit: i64) -> Vec<(Rational, Rational)> {
    let plan = Plan {
        width: Float::with_val(BITS, 0.01),
        limit,
    };
    tests(&q(1, 10), &q(1, 1), steps, &plan).unwrap()
}

/// σ = 2, q = 1/10, two steps, ε = 1/2: 4.70979e-3 by an adversary who looks at the first answer, and 4.60590e-3 if all others are −x
/// (both by quadrature).
#[test]
fn who_looks_at_the_first_answer_learns_more() {
    let u = 0.5f64.exp();
    let found = delta(&by_hundredths(2, 50), u);
    assert!((4.69e-3..4.709_795e-3).contains(&found), "{found}");
    let blind = delta(&by_hundredths(2, FARTHEST), u);
    assert!((4.59e-3..4.605_95e-3).contains(&blind), "{blind}");
}

/// One step with others −x is the sampled pair, and with others x it is the swapped one, both but for the width of a cell.
#[test]
fn one_step_is_the_sampled_pair_in_either_order() {
    let gaussian = Mechanism::gaussian_with_mu_squared(q(1, 1)).unwrap();
    let pair = Mechanism::subsampled(q(1, 10), gaussian).unwrap();
    let stated = pair.profile_of_step().unwrap();
    let swapped = stated.swapped();
    for (limit, profile) in [(50, &stated), (0, &swapped)] {
        let tests = by_hundredths(1, limit);
        for epsilon in [q(0, 1), q(1, 20), q(1, 2), q(-1, 20)] {
            let at = profile.at(&Point::at_epsilon(&epsilon, 120)).delta;
            let found = delta(&tests, epsilon.to_f64().exp());
            assert!(
                found <= at.hi().to_f64() + 1e-15,
                "{limit} {epsilon}: {found}"
            );
            assert!(
                found >= at.lo().to_f64() * 0.99 - 1e-12,
                "{limit} {epsilon}: {found}"
            );
        }
    }
}

/// All cells together are the line, whichever way they are rounded, and are in order.
#[test]
fn cells_are_the_line() {
    let whole = 1u128 << UNIT_BITS;
    for (rate, square, width) in [
        (q(1, 10), q(1, 1), 0.01),
        (q(1, 1_000), q(9, 1), 0.000_7),
        (q(99, 100), q(1, 100), 0.02),
    ] {
        let cells = cells(&rate, &square, &Float::with_val(BITS, width)).unwrap();
        for of in [|cell: &Cell| cell.null, |cell: &Cell| cell.mixed] {
            let sum = |end: usize| {
                cells
                    .iter()
                    .map(|cell| u128::from(of(cell)[end]))
                    .sum::<u128>()
            };
            assert!(sum(0) <= whole && whole <= sum(1));
            assert!(sum(1) - sum(0) <= 4 * u128::try_from(cells.len()).unwrap());
        }
        assert!(cells.windows(2).all(|pair| pair[0].moves < pair[1].moves));
    }
}

/// What goes beyond an end is kept there.
#[test]
fn masses_are_moved_as_a_whole() {
    for at in [-9, -3, -1, 0, 2, 4, 5, 50] {
        let mut to = vec![0u128; 6];
        spread(&mut to, &[1, 20, 300], at, 7).unwrap();
        let mut expected = vec![0u128; 6];
        for (k, x) in [1u128, 20, 300].into_iter().enumerate() {
            let place = (at + i64::try_from(k).unwrap()).clamp(0, 5);
            expected[usize::try_from(place).unwrap()] += 7 * x;
        }
        assert_eq!(to, expected, "{at}");
    }
}

/// q = 1/100, μ = 1, 1000 steps: δ(1.83) is above 1e-5. By default 200.
#[test]
fn many_steps() {
    let (steps, u, least): (u64, f64, f64) = match crate::test_scale::is_thorough() {
        true => (1_000, 1.83f64.exp(), 1e-5),
        false => (200, 0.8f64.exp(), 3.4e-5),
    };
    let others = PickedOthers::new(&q(1, 100), &q(1, 4), steps).unwrap();
    let (p, q) = others.pair();
    for side in [&p, &q] {
        assert_eq!(side.iter().sum::<Rational>(), 1);
        assert!(side.iter().all(|mass| *mass >= 0));
    }
    let gains = p
        .iter()
        .zip(&q)
        .map(|(p, q)| (q.to_f64() - u * p.to_f64()).max(0.0));
    let found: f64 = gains.sum();
    assert!((least..1.1 * least).contains(&found), "{found}");
}

/// At a few bits each point (α, power) of one step is still no better than the best test, in either order. Cuts are where a line of slope e^l touches the
/// curve of all tests, so that it is found out when a mass is rounded to the other side.
#[test]
fn tests_at_few_bits_are_no_better_than_the_best() {
    use crate::kernel::coarse::at_most_bits;
    let mut seen = 0;
    for (rate, square) in [(q(1, 3), q(1, 1)), (q(2, 3), q(2, 1))] {
        let gaussian = Mechanism::gaussian_with_mu_squared(square.clone()).unwrap();
        let pair = Mechanism::subsampled(rate.clone(), gaussian).unwrap();
        let stated = pair.profile_of_step().unwrap();
        let swapped = stated.swapped();
        for (limit, profile) in [(FARTHEST, &stated), (0, &swapped)] {
            let best = |twice: i64| {
                let epsilon = q(twice, 8);
                let at = profile.at(&Point::at_epsilon(&epsilon, 120)).delta;
                (epsilon.to_f64().exp(), at.hi().to_f64())
            };
            let lines: Vec<_> = (-16..=40).map(best).collect();
            for bits in [5, 7, 9] {
                let plan = Plan {
                    width: Float::with_val(BITS, 0.25),
                    limit,
                };
                let points = at_most_bits(bits, || tests(&rate, &square, 1, &plan)).unwrap();
                for (alpha, power) in &points {
                    for (u, delta) in &lines {
                        let gain = power.to_f64() - u * alpha.to_f64();
                        assert!(
                            gain <= delta + 1e-13,
                            "{rate} {limit} {bits}: {alpha} {power} {u}"
                        );
                        seen += u32::from(gain > delta - 0.1);
                    }
                }
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

/// Masses in whole units, one down and one up.
#[test]
fn units_enclose_a_mass() {
    let end = |n: i64| Float::with_val(BITS, n) >> (UNIT_BITS + 1);
    for (low, high) in [(1, 1), (3, 8), (4, 7), (2, 2)] {
        let found = units(&Interval::spanning(end(low), end(high))).unwrap();
        let [low, high] = [low / 2, (high + 1) / 2].map(|x: i64| u64::try_from(x).unwrap());
        assert_eq!(found, [low, high]);
    }
}

/// q = 1/10, σ = 2, as a pair: the numbers are where they belong.
#[test]
fn a_pair_of_two_steps() {
    let others = PickedOthers::new(&q(1, 10), &q(1, 4), 2).unwrap();
    let (p, with) = others.pair();
    let gains = p.iter().zip(&with);
    let gains = gains.map(|(p, with)| (with.to_f64() - 0.5f64.exp() * p.to_f64()).max(0.0));
    let found: f64 = gains.sum();
    assert!((4.4e-3..4.709_795e-3).contains(&found), "{found}");
}

/// Masses without the record are rounded up: the last test, which accepts everything, does so with probability 1.
#[test]
fn all_is_accepted_in_the_end() {
    use crate::kernel::coarse::at_most_bits;
    for (rate, square) in [(q(1, 3), q(1, 1)), (q(2, 3), q(2, 1))] {
        for steps in [1u64, 2] {
            for limit in [0, FARTHEST] {
                for bits in [5, 8, 60] {
                    let plan = Plan {
                        width: Float::with_val(BITS, 0.25),
                        limit,
                    };
                    let found = at_most_bits(bits, || tests(&rate, &square, steps, &plan));
                    let (alpha, _) = found.unwrap().pop().unwrap();
                    assert_eq!(alpha, 1, "{rate} {steps} {limit} {bits}");
                }
            }
        }
    }
}

/// With the record masses are rounded down: where a count cannot come, there is no power, not even a unit.
#[test]
fn there_is_no_power_where_no_count_comes() {
    let (alpha, power) = by_hundredths(1, FARTHEST).swap_remove(0);
    assert!(alpha > 0 && power == 0, "{alpha} {power}");
}
