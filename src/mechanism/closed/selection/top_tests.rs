//! Datasets of many equal candidates, by the definition.

use rug::Rational;

use crate::kernel::Point;
use crate::mechanism::{Epsilon, Mechanism};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// The best k of 2N candidates, N of each of two kinds, by the definition: the kinds that are chosen, in order. They tend to k runs of two candidates, which the members
/// are, and stay below the bound.
#[test]
fn the_best_of_many_equal_candidates_are_runs_of_two() {
    let ratio = q(3, 2);
    // With the record each of the first kind has 3/2 times the weight.
    let of_two = |weight: &Rational| {
        let total = Rational::from(weight + 1u32);
        (
            Rational::from(weight / &total),
            Rational::from(total.recip_ref()),
        )
    };
    let kinds = |k: u32, many: Option<u32>, weight: &Rational| -> Vec<Rational> {
        let mut laws = vec![((0u32, 0u32), q(1, 1))];
        for _ in 0..k {
            let mut next = Vec::new();
            for ((a, b), mass) in &laws {
                let (first, second) = match many {
                    None => of_two(weight),
                    Some(n) => {
                        let (left, right) =
                            (Rational::from(weight * (n - a)), Rational::from(n - b));
                        let total = Rational::from(&left + &right);
                        (left / &total, right / &total)
                    }
                };
                next.push(((a + 1, *b), mass * first));
                next.push(((*a, b + 1), mass * second));
            }
            laws = next;
        }
        laws.into_iter().map(|(_, mass)| mass).collect()
    };
    let delta = |p: &[Rational], with: &[Rational], u: &Rational| -> Rational {
        let gains = p
            .iter()
            .zip(with)
            .map(|(p, with)| with - Rational::from(u * p));
        gains.filter(|gain| *gain > 0).sum()
    };
    for k in [2u32, 3] {
        let bound = Mechanism::top_k(Epsilon::log_of(ratio.clone()).unwrap(), u64::from(k));
        let bound = bound.unwrap();
        let most = bound.steps().list()[0].0.profile().unwrap();
        // Odds of 4 to 5 before, 6 to 5 after the change.
        let (before, after) = (q(4, 5), q(6, 5));
        let limit = (kinds(k, None, &before), kinds(k, None, &after));
        for u in [q(1, 1), q(5, 4), q(3, 2), q(2, 1)] {
            let of_limit = delta(&limit.0, &limit.1, &u);
            assert!(of_limit > 0 || u > q(3, 2));
            for many in [3u32, 30, 300, 3_000] {
                let found = delta(
                    &kinds(k, Some(many), &before),
                    &kinds(k, Some(many), &after),
                    &u,
                );
                let upper = most.at(&Point::at_exp_epsilon(&u, 96)).delta;
                assert!(found <= upper.hi().to_rational().unwrap(), "{k} {many} {u}");
                let gap = Rational::from(&found - &of_limit).abs();
                assert!(gap < Rational::from((k, many)), "{k} {many} {u}");
            }
        }
    }
}

/// Rényi divergences of k runs are those of one, k times.
#[test]
fn divergences_add_up() {
    use super::{Closed, Direction, Selection, TopSelections};
    use crate::kernel::Interval;
    let order = Rational::from(3);
    fn of(pair: &impl Closed, order: &Rational) -> Interval {
        pair.renyi_divergence(order, Direction::Remove, 100)
            .unwrap()
    }
    let one = of(&Selection::new(Epsilon::from(Rational::from(1))), &order);
    let three = of(
        &TopSelections::new(Epsilon::from(Rational::from(1)), 3),
        &order,
    );
    let expected = one.mul(&Interval::from_i64(3, 100));
    assert!(three.lo() <= expected.hi() && expected.lo() <= three.hi());
    assert!(three.width_up() < rug::Float::with_val(53, 1) >> 40u32);
}
