//! Sampled Laplace noise against sums in floats.

use super::*;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// log E_P[w^a]: two atoms, and a density between by Simpson's rule.
fn moment(of: &SampledLaplace, power: f64) -> f64 {
    let (rate, end) = (of.rate.to_f64(), of.epsilon.to_f64());
    let term = |loss: f64| (1.0 - rate + rate * loss.exp()).powf(power);
    let inside = |loss: f64| term(loss) * (-(end + loss) / 2.0).exp() / 4.0;
    let step = end / 1_000.0;
    let sum: f64 = (0..=2_000u32)
        .map(|n| {
            let weight = match n {
                0 | 2_000 => 1.0,
                n if n % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * inside(f64::from(n) * step - end)
        })
        .sum();
    (term(-end) / 2.0 + term(end) * (-end).exp() / 2.0 + sum * step / 3.0).ln()
}

fn surrounds(found: &Interval, truth: f64) -> bool {
    let slack = 1e-10 * (1.0 + truth.abs());
    found.lo().to_f64() <= truth + slack && found.hi().to_f64() >= truth - slack
}

#[test]
fn moments_and_divergences_in_floats() {
    let budget = Budget::unlimited();
    for (rate, epsilon) in [((1, 10), (1, 1)), ((1, 2), (3, 1)), ((9, 10), (1, 4))] {
        let of = SampledLaplace {
            rate: rate.into(),
            epsilon: epsilon.into(),
        };
        for power in [
            q(-7, 2),
            q(-1, 3),
            q(1, 2),
            q(3, 2),
            q(2, 1),
            q(5, 1),
            q(31, 4),
        ] {
            let truth = moment(&of, power.to_f64());
            for bits in [4, 10, 60] {
                let found = of.log_moment(&power, bits, &budget).unwrap().unwrap();
                assert!(
                    surrounds(&found, truth),
                    "{of:?} {power} {bits}: {found:?} {truth}"
                );
            }
        }
        for order in [q(1, 2), q(5, 2), q(6, 1)] {
            let t = order.to_f64();
            for (direction, power) in [(Direction::Remove, t), (Direction::Add, 1.0 - t)] {
                let truth = moment(&of, power) / (t - 1.0);
                let cheap = of.cheap_bounds(&order, direction, 60);
                assert!(
                    surrounds(&cheap, truth),
                    "{of:?} {order}: {cheap:?} {truth}"
                );
                let found = of.divergence(&order, direction, 40, &budget).unwrap();
                assert!(
                    surrounds(&found, truth),
                    "{of:?} {order}: {found:?} {truth}"
                );
            }
        }
        // Beyond what a few terms say: all of it is within the rest.
        for terms in [2, 3, 5] {
            let share = Interval::from_rational(&q(1, 3), 200);
            let of = |terms: u32| {
                let taylor = Taylor::new(&q(-7, 2), 0, terms, 200);
                taylor.integral(&share, &q(1, 9))
            };
            let (few, many) = (of(terms), of(40));
            assert!(few.lo() <= many.lo() && many.hi() <= few.hi(), "{terms}");
        }
    }
}
