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
                taylor.integral(&share, &q(1, 9), &budget).unwrap()
            };
            let (few, many) = (of(terms), of(40));
            assert!(few.lo() <= many.lo() && many.hi() <= few.hi(), "{terms}");
        }
    }
}

/// E_P[e^{kℓ}] − 1 from its two atoms and the density between, integrated by hand.
#[test]
fn rises_of_whole_moments() {
    for epsilon in [q(1, 4), q(1, 1), q(3, 1)] {
        let of = SampledLaplace {
            rate: q(1, 2),
            epsilon: epsilon.clone(),
        };
        let end = epsilon.to_f64();
        for k in [1u32, 2, 3, 7] {
            let n = f64::from(k);
            let atoms = ((-n * end).exp() + ((n - 1.0) * end).exp()) / 2.0;
            let slope = n - 0.5;
            let inside = ((slope * end).exp() - (-slope * end).exp()) / slope;
            let truth = atoms + (-end / 2.0).exp() * inside / 4.0 - 1.0;
            let found = of.moment_rise(k, 90);
            assert!(found.width_up() < 1e-18 * (1.0 + truth), "{epsilon} {k}");
            let found = found.middle().to_f64();
            let slack = 1e-12 * (1.0 + truth);
            assert!((found - truth).abs() < slack, "{epsilon} {k}: {found}");
        }
    }
}

/// Next to a rate of 1 what is known without integration is next to the truth, so that it can be no lower.
#[test]
fn cheap_bounds_next_to_no_sampling() {
    for (epsilon, order) in [((3, 1), (1, 2)), ((3, 1), (2, 1)), ((1, 2), (5, 1))] {
        let of = SampledLaplace {
            rate: q(9_999, 10_000),
            epsilon: epsilon.into(),
        };
        let order = Rational::from(order);
        let t = order.to_f64();
        for (direction, power) in [(Direction::Remove, t), (Direction::Add, 1.0 - t)] {
            let truth = moment(&of, power) / (t - 1.0);
            let cheap = of.cheap_bounds(&order, direction, 60).hi().to_f64();
            assert!(cheap >= truth && cheap < truth * 1.01, "{cheap} {truth}");
        }
    }
}

/// What is beyond the last term, by the formula of the bound.
#[test]
fn the_rest_by_its_formula() {
    for (power, share, half_width) in [
        (q(-7, 2), q(1, 3), q(1, 9)),
        (q(5, 1), q(9, 10), q(1, 16)),
        (q(1, 2), q(1, 50), q(1, 8)),
        (q(-1, 3), q(4, 5), q(1, 40)),
    ] {
        for (shrink, terms) in [(0u32, 2u32), (0, 5), (2, 3)] {
            let taylor = Taylor::new(&power, shrink, terms, 160);
            let half_width = Rational::from(&half_width >> shrink);
            let interval = |x: &Rational| Interval::from_rational(x, 160);
            let found = taylor.rest(&interval(&share), &interval(&half_width));
            let (a, p, h) = (power.to_f64(), share.to_f64(), half_width.to_f64());
            let radius = 0.5f64.powi(i32::try_from(shrink).unwrap());
            let extreme = if a < 0.0 {
                (-radius).exp() * (1.0 - radius * radius / 2.0)
            } else {
                radius.exp()
            };
            let most = (1.0 - p + p * extreme).powf(a) * (radius / 2.0).exp();
            let ratio = h / radius;
            let truth = 2.0 * h * most * ratio.powi(i32::try_from(terms).unwrap()) / (1.0 - ratio);
            let found = found.middle().to_f64();
            assert!(
                (found - truth).abs() < 1e-12 * truth,
                "{power} {share} {shrink} {terms}: {found} {truth}"
            );
            // On either side of what the terms say.
            let whole = taylor
                .integral(&interval(&share), &half_width, &Budget::unlimited())
                .unwrap();
            let width = whole.width_up().to_f64();
            assert!(
                (width / 2.0 - truth).abs() < 1e-9 * truth,
                "{power} {width} {truth}"
            );
        }
    }
}

/// One cell of very small losses has thousands of terms, and of each a sum over all others: both loops look at the clock.
#[test]
fn cells_of_many_terms_end_with_the_budget() {
    let over = Budget::new(std::time::Duration::ZERO, std::sync::Arc::default());
    let share = Interval::from_rational(&q(1, 3), 60);
    for terms in [1, 2] {
        let taylor = Taylor::new(&q(5, 2), 0, terms, 60);
        let cell = |budget: &Budget| taylor.integral(&share, &q(1, 9), budget);
        assert!(cell(&Budget::unlimited()).is_ok());
        assert_eq!(cell(&over), Err(Failure::Interrupted));
    }
}
