//! Divergences of finite pairs by their definition, at ends and at few bits.

use super::*;
use crate::mechanism::finite_pair;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn law(p: &[i64], with: &[i64]) -> FiniteLaw {
    let of = |list: &[i64]| -> Vec<Rational> {
        let total = list.iter().sum();
        list.iter().map(|n| q(*n, total)).collect()
    };
    finite_pair::law(&of(p), &of(with)).unwrap()
}

fn found(law: &FiniteLaw, order: &Rational, direction: Direction, bits: u32) -> Interval {
    divergence(law, order, direction, bits, &Budget::unlimited()).unwrap()
}

/// D_t(with ‖ p) in floats.
fn by_definition(p: &[i64], with: &[i64], t: f64) -> f64 {
    let (a, b) = (
        p.iter().sum::<i64>() as f64,
        with.iter().sum::<i64>() as f64,
    );
    let pairs = p
        .iter()
        .zip(with)
        .map(|(p, q)| (*p as f64 / a, *q as f64 / b));
    if t == 1.0 {
        pairs.map(|(p, q)| q * (q / p).ln()).sum()
    } else {
        let sum: f64 = pairs.map(|(p, q)| q.powf(t) * p.powf(1.0 - t)).sum();
        sum.ln() / (t - 1.0)
    }
}

#[test]
fn sums_over_the_atoms() {
    for (p, with) in [
        ([5i64, 3, 2], [7i64, 2, 1]),
        ([1, 10, 4], [4, 9, 2]),
        ([6, 1, 13], [1, 6, 13]),
    ] {
        let law = law(&p, &with);
        for order in [q(1, 3), q(1, 1), q(3, 2), q(7, 1), q(60, 1)] {
            for (direction, truth) in [
                (Direction::Remove, by_definition(&p, &with, order.to_f64())),
                (Direction::Add, by_definition(&with, &p, order.to_f64())),
            ] {
                let fine = found(&law, &order, direction, 100);
                let middle = fine.middle().to_f64();
                assert!((middle - truth).abs() < 1e-12, "{order}: {middle} {truth}");
                assert!(fine.width_up() < 1e-20);
                for bits in [3, 5, 9] {
                    let coarse = found(&law, &order, direction, bits);
                    assert!(coarse.lo() <= fine.hi() && coarse.hi() >= fine.lo());
                }
            }
        }
        // Next to the largest loss at orders that are large.
        for bits in [3, 4, 6, 9] {
            for order in [q(1_000, 1), q(1_000_000_000, 1)] {
                let fine = found(&law, &order, Direction::Remove, 200);
                let coarse = found(&law, &order, Direction::Remove, bits);
                assert!(
                    coarse.lo() <= fine.hi() && coarse.hi() >= fine.lo(),
                    "{bits}"
                );
            }
        }
    }
}

/// Mass where the other law has none: infinite from the order 1 on, in the direction that has it.
#[test]
fn infinite_from_the_order_one_on() {
    let law = law(&[5, 5, 0], &[4, 4, 2]);
    for order in [q(1, 1), q(3, 2)] {
        assert!(
            found(&law, &order, Direction::Remove, 60)
                .lo()
                .is_infinite()
        );
        assert!(found(&law, &order, Direction::Add, 60).hi().is_finite());
    }
    assert!(
        found(&law, &q(1, 2), Direction::Remove, 60)
            .hi()
            .is_finite()
    );
}

/// Mass that may be there or not, where the other law has none: anything from the order 1 on.
#[test]
fn mass_that_may_be_none() {
    use crate::mechanism::finite::{Atom, Loss, Mass};
    let atom = Atom {
        loss: Loss::rational(q(0, 1)),
        with: Mass::Exact(q(1, 1)),
        without: Mass::Exact(q(1, 1)),
    };
    let unknown = Mass::real(|bits| Interval::zero(bits).hull(&Interval::one(bits)));
    let law = FiniteLaw::new(vec![atom], unknown, Mass::zero()).unwrap();
    for order in [q(1, 1), q(3, 2)] {
        let found = found(&law, &order, Direction::Remove, 60);
        assert!(*found.lo() <= 0 && found.hi().is_infinite(), "{found:?}");
    }
}

/// Of random laws, whole orders at few bits: log Σ qᵗp^(1−t), a logarithm of a fraction.
#[test]
fn whole_orders_at_few_bits() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(53);
    for _ in 0..2_600 {
        let mut some = || [(); 3].map(|()| 1 + i64::try_from(random.below(30)).unwrap());
        let (p, with) = (some(), some());
        let bits = 3 + u32::try_from(random.below(20)).unwrap();
        // Anew for every precision, for numbers are kept.
        let law = law(&p, &with);
        for t in [2u32, 3] {
            for direction in [Direction::Remove, Direction::Add] {
                let (p, with) = match direction {
                    Direction::Remove => (p, with),
                    Direction::Add => (with, p),
                };
                let totals = [p, with].map(|all| all.iter().sum::<i64>());
                let terms = p.iter().zip(with).map(|(p, with)| {
                    let (p, with) = (q(*p, totals[0]), q(with, totals[1]));
                    let ratio = &with / p;
                    (1..t).fold(with, |product, _| product * &ratio)
                });
                let sum: Rational = terms.sum();
                let truth = Interval::from_rational(&sum, 200).ln();
                let truth = truth.div(&Interval::from_i64(i64::from(t) - 1, 200));
                let order = Rational::from(t);
                let found = at_most_bits(bits, || found(&law, &order, direction, 64));
                assert!(
                    found.lo() <= truth.hi() && found.hi() >= truth.lo(),
                    "{p:?} {with:?} {t} {bits}: {found:?} {truth:?}"
                );
            }
        }
    }
}
