//! Lines above D_t from an order on, by their formulas and by quadrature.

use std::sync::Arc;

use super::*;
use crate::kernel::coarse::at_most_bits;
use crate::renyi::sampled_moment::SampledGaussian;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// D_t of N(0, 1) against a mixture, or the other way round: the trapezoidal rule.
fn divergence(mu: f64, rate: f64, t: f64, direction: Direction) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for i in -6_000..=9_000 {
        let x = f64::from(i) / 300.0;
        let ratio = 1.0 - rate + rate * (mu * x - mu * mu / 2.0).exp();
        let power = if direction == Direction::Remove {
            t
        } else {
            1.0 - t
        };
        sum += (power * ratio.ln() - x * x / 2.0).exp();
        all += (-x * x / 2.0).exp();
    }
    (sum / all).ln() / (t - 1.0)
}

#[test]
fn lines_of_sampled_gaussians() {
    for (mu, rate) in [(q(1, 1), q(1, 10)), (q(1, 2), q(1, 2)), (q(2, 1), q(1, 50))] {
        let base = Base::Sampled(SampledGaussian {
            rate: rate.clone(),
            square: Rational::from(&mu * &mu),
            spacing: None,
        });
        for from in [q(1, 1), q(3, 2), q(4, 1)] {
            for direction in [Direction::Remove, Direction::Add] {
                for bits in [6, 12, 90] {
                    let line =
                        at_most_bits(bits, || Growth::of(&base, direction, &from, 90)).unwrap();
                    let (slope, constant) = (line.slope.to_f64(), line.constant.hi().to_f64());
                    for t in [0.01, 0.5, 1.0, 3.0].map(|more| from.to_f64() + more) {
                        let truth = divergence(mu.to_f64(), rate.to_f64(), t, direction);
                        assert!(
                            slope * t + constant >= truth - 1e-9,
                            "{mu} {rate} {from} {t} {direction:?} {bits}"
                        );
                    }
                    let (m, r) = (mu.to_f64(), rate.to_f64());
                    let lift = (from.to_f64() - 1.0) * m * m / 2.0;
                    let (a, b) = match direction {
                        Direction::Remove => (m * m / 2.0, (r + (1.0 - r) * (-lift).exp()).ln()),
                        Direction::Add => (0.0, -(1.0 - r).ln()),
                    };
                    assert_eq!((slope, line.limit.to_f64()), (a, a));
                    assert!(
                        constant >= b - 1e-12 && (bits < 90 || constant <= b + 1e-12),
                        "{constant} {b}"
                    );
                }
            }
        }
    }
}

/// Sums, multiples, and which of two lines is lower.
#[test]
fn lines_are_added_and_chosen() {
    let exact = |x: &Rational| Interval::from_rational(x, 90);
    let line = |slope: Rational, constant: Rational| Growth::line(slope, exact(&constant));
    let is = |found: &Growth, slope: Rational, constant: Rational, limit: Rational| {
        assert_eq!((&found.slope, &found.limit), (&slope, &limit));
        assert!(
            found.constant.contains(&constant),
            "{:?} {constant}",
            found.constant
        );
    };
    is(
        &line(q(1, 2), q(3, 1)).times(&Integer::from(4)),
        q(2, 1),
        q(12, 1),
        q(2, 1),
    );
    is(
        &line(q(1, 2), q(3, 1)).add(&line(q(1, 3), q(-1, 1))),
        q(5, 6),
        q(2, 1),
        q(5, 6),
    );
    is(
        &line(q(1, 2), q(3, 1)).without_limit(),
        q(1, 2),
        q(3, 1),
        q(0, 1),
    );
    is(&Growth::zero(90), q(0, 1), q(0, 1), q(0, 1));
    is(
        &Growth::bounded(exact(&q(-1, 2)).hull(&exact(&q(2, 1)))),
        q(0, 1),
        q(2, 1),
        q(0, 1),
    );
    assert_eq!(*Growth::bounded(exact(&q(-1, 2))).constant.lo(), 0);
    // At 4: 2 + 4/4 = 3 against 1 + 10/4 or 1 + 6/4.
    let known = || line(q(2, 1), q(4, 1));
    is(
        &known().or_line(q(1, 1), exact(&q(10, 1)), &q(4, 1)),
        q(2, 1),
        q(4, 1),
        q(1, 1),
    );
    is(
        &known().or_line(q(1, 1), exact(&q(6, 1)), &q(4, 1)),
        q(1, 1),
        q(6, 1),
        q(1, 1),
    );
    let of = |base: Base| Growth::of(&base, Direction::Add, &q(2, 1), 90).unwrap();
    is(&of(Base::Gaussian(q(3, 1))), q(3, 2), q(0, 1), q(3, 2));
    is(&of(Base::Laplace(q(3, 1))), q(0, 1), q(3, 1), q(0, 1));
    // d²/(2σ²)
    is(
        &of(Base::DiscreteGaussian(q(5, 1), 3)),
        q(9, 10),
        q(0, 1),
        q(9, 10),
    );
}

/// Of mixtures on the integers and of Laplace noise: never below D_t, and D_t/t comes up to the limit.
#[test]
fn lines_of_mixed_shifts() {
    use rug::Float;

    use crate::kernel::Budget;
    use crate::mechanism::shifted::{Noise, ShiftedNoise, Shifts};
    use crate::mechanism::{Conditions, Step, Steps};
    use crate::renyi::parts::Parts;
    let several = |list: &[(i64, i64)]| {
        let total: i64 = list.iter().map(|(_, weight)| weight).sum();
        let list = list
            .iter()
            .map(|(shift, weight)| (q(*shift, 1), q(*weight, total)));
        Shifts::new(list.collect()).unwrap()
    };
    let noises = [
        Noise::DiscreteGaussian {
            sigma: q(5, 2),
            unit: 1,
        },
        Noise::DiscreteLaplace {
            scale: q(2, 1),
            unit: 1,
        },
        Noise::Laplace { unit: q(2, 3) },
    ];
    let mut seen = [0, 0];
    for noise in noises {
        for (without, with) in [
            (several(&[(0, 9), (2, 1)]), several(&[(0, 1)])),
            (several(&[(0, 1), (1, 9)]), several(&[(0, 1), (3, 3)])),
            (several(&[(1, 1), (2, 9)]), several(&[(0, 1)])),
        ] {
            let pair = Arc::new(ShiftedNoise::new(noise.clone(), without, with));
            let parts = Parts::of(&Steps::one(
                Step::Shifted(Arc::clone(&pair)),
                Conditions::NONE,
            ))
            .unwrap();
            for direction in [Direction::Remove, Direction::Add] {
                let lines = [q(1, 1), q(2, 1)].map(|from| {
                    let line = parts.growth(direction, &from, 90).unwrap();
                    (from, line)
                });
                for t in [q(9, 8), q(17, 8), q(3, 1), q(8, 1), q(60, 1)] {
                    let found = parts
                        .divergence(&t, direction, 24, &Budget::unlimited())
                        .unwrap();
                    for (_, line) in lines.iter().filter(|(from, _)| *from < t) {
                        let most = Float::with_val(90, Rational::from(&line.slope * &t));
                        let most = most + line.constant.hi();
                        assert!(
                            *found.lo() <= most,
                            "{noise:?} {direction:?} {t}: {found:?} {most}"
                        );
                        // At 60 a logarithm of a weight, divided by 60, is all that may be missing.
                        let above = found.hi().to_f64() / 60.0 - line.limit.to_f64();
                        if t == 60 {
                            assert!(above >= -0.1, "{noise:?} {direction:?}: {above}");
                            let is_exact = line.limit == 0 || above <= 0.1;
                            assert!(is_exact, "{noise:?} {direction:?}: {above}");
                            seen[usize::from(line.limit > 0)] += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, [26, 10]);
}

/// The largest loss of a pair of its own bounds its divergences in either direction.
#[test]
fn largest_losses_of_other_pairs() {
    let text = r#"{"kind":"subsampled","sampling":"without-replacement","dataset-size":100,"batch-size":10,
        "adjacency":"replace-one","of":{"kind":"laplace","scale":2,"record-bound":1}}"#;
    let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let under = file.mechanism.under(crate::mechanism::Relation::ReplaceOne);
    let mechanism = under.unwrap();
    let Some(crate::mechanism::Step::Closed(pair)) = mechanism.steps().single() else {
        panic!("a pair of its own");
    };
    let stated = pair.profile().unwrap();
    for (direction, profile) in [
        (Direction::Remove, Arc::clone(&stated)),
        (Direction::Add, stated.swapped()),
    ] {
        let LossBound::Finite { value, .. } = profile.max_loss(90) else {
            panic!("bounded");
        };
        assert!(value.is_positive());
        assert_eq!(largest_loss(pair, direction, 90), Some(value));
    }
}

/// Of two lines the one that is lower at an order, with the constants known by intervals; at few bits one of the two in any case.
#[test]
fn the_lower_of_two_random_lines() {
    let mut random = crate::kernel::coarse::Random(81);
    let mut decided = 0;
    for _ in 0..10_000 {
        let bits = 2 + u32::try_from(random.below(15)).unwrap();
        let mut number = || Rational::from((random.below(97), 1 + random.below(12)));
        let [slope, constant, limit, other] = [(); 4].map(|()| number());
        let from = number() + 1u32;
        let of = |bits: u32| {
            crate::kernel::coarse::at_most_bits(bits, || {
                let known = Growth::line(slope.clone(), Interval::from_rational(&constant, 64));
                known.or_line(limit.clone(), Interval::from_rational(&other, 64), &from)
            })
        };
        let at = |slope: &Rational, constant: &Rational| slope + Rational::from(constant / &from);
        let (known, tail) = (at(&slope, &constant), at(&limit, &other));
        for (found, is_fine) in [(of(bits), false), (of(300), true)] {
            assert_eq!(found.limit, limit);
            let is_tail = found.slope == limit && found.constant.contains(&other);
            let is_known = found.slope == slope && found.constant.contains(&constant);
            assert!(is_tail || is_known, "{slope} {constant} {limit} {other}");
            if is_fine && known != tail {
                let lower = if tail < known { is_tail } else { is_known };
                assert!(lower, "{slope} {constant} {limit} {other} {from}");
                decided += 1;
            }
        }
    }
    assert!(decided > 5_000, "{decided}");
}
