//! Against sums in floats, other formulas, and the tails term by term.

use super::super::sampled;
use super::super::sampled_moment::SampledGaussian;
use super::super::skellam::Skellam;
use super::*;

fn q(n: i32, d: u32) -> Rational {
    Rational::from((n, d))
}

const DIRECTIONS: [Direction; 2] = [Direction::Remove, Direction::Add];

fn noises() -> [Noise; 3] {
    [
        Noise::DiscreteGaussian {
            sigma: q(3, 2),
            unit: 1,
        },
        Noise::DiscreteLaplace {
            scale: q(2, 1),
            unit: 1,
        },
        Noise::Skellam {
            mean: q(3, 1),
            unit: 1,
        },
    ]
}

/// Shifts on both sides: sampled, replaced, and of several records.
fn pairs() -> Vec<(Shifts, Shifts)> {
    let rare = || Shifts::sampled(&q(1, 10));
    let several = || {
        let list = [(0, q(1, 4)), (1, q(1, 4)), (3, q(1, 2))];
        Shifts::new(list.map(|(shift, weight)| (q(shift, 1), weight)).to_vec()).unwrap()
    };
    vec![
        (Shifts::none(), rare()),
        (rare(), rare()),
        (Shifts::sampled(&q(1, 1)), several()),
        (several(), rare()),
    ]
}

fn sum(noise: &Noise, without: &Shifts, with: &Shifts) -> ShiftedIntegers {
    let pair = ShiftedNoise::new(noise.clone(), without.clone(), with.clone());
    ShiftedIntegers::of(&pair).unwrap()
}

/// Masses up to a factor, by their definitions.
fn mass(noise: &Noise, k: i64) -> f64 {
    let k = k.abs();
    match noise {
        Noise::DiscreteGaussian { sigma, .. } => {
            let z = k as f64 / sigma.to_f64();
            (-z * z / 2.0).exp()
        }
        Noise::DiscreteLaplace { scale, .. } => (-(k as f64) / scale.to_f64()).exp(),
        Noise::Skellam { mean, .. } => {
            let mean = mean.to_f64();
            let log_factorial = |n: i64| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
            let poisson = |n: i64| (n as f64 * mean.ln() - log_factorial(n) - mean).exp();
            (0..60).map(|n| poisson(n) * poisson(n + k)).sum()
        }
        _ => panic!("on the integers"),
    }
}

fn in_floats(noise: &Noise, without: &Shifts, with: &Shifts, order: f64, swap: bool) -> f64 {
    const REACH: i64 = 90;
    let masses: Vec<f64> = (0..=REACH + 5).map(|k| mass(noise, k)).collect();
    let total: f64 = masses.iter().sum::<f64>() * 2.0 - masses[0];
    let law = |list: &Shifts, sign: i64, k: i64| -> f64 {
        let part = |(shift, weight): &(Rational, Rational)| {
            let place = k - sign * shift.to_f64() as i64;
            weight.to_f64() * masses[usize::try_from(place.abs()).unwrap()] / total
        };
        list.list().iter().map(part).sum()
    };
    let terms = (-REACH..=REACH).map(|k| {
        let (a, b) = (law(with, 1, k), law(without, -1, k));
        let (a, b) = if swap { (b, a) } else { (a, b) };
        if a == 0.0 || b == 0.0 {
            return 0.0;
        }
        if order == 1.0 {
            return a * (a / b).ln();
        }
        (a.ln() * order + b.ln() * (1.0 - order)).exp()
    });
    let all: f64 = terms.sum();
    if order == 1.0 {
        all
    } else {
        all.ln() / (order - 1.0)
    }
}

/// The definition, at orders on both sides of 1, in both directions.
#[test]
fn the_definition_in_floats() {
    for noise in noises() {
        for (number, (without, with)) in pairs().into_iter().enumerate() {
            let one = sum(&noise, &without, &with);
            let orders = [q(1, 2), q(1, 1), q(3, 2), q(2, 1), q(9, 2)];
            for (place, order) in orders.into_iter().enumerate() {
                if !crate::test_scale::is_asked(number + place, 6) {
                    continue;
                }
                for direction in DIRECTIONS {
                    let found = one
                        .divergence(&order, direction, 60, &Budget::unlimited())
                        .unwrap()
                        .unwrap();
                    let swap = direction == Direction::Add;
                    let truth = in_floats(&noise, &without, &with, order.to_f64(), swap);
                    let (low, high) = (found.lo().to_f64(), found.hi().to_f64());
                    let what = format!("{noise:?} {with:?} {order} {direction:?}: {truth}");
                    assert!((low - truth).abs() < 1e-9 * (1.0 + truth), "{what} {low}");
                    assert!(high - low < 1e-14 * (1.0 + truth), "{what} {high} {low}");
                }
            }
        }
    }
}

/// Against the formulas of sampled discrete Gaussian noise, and of Skellam noise that is always moved.
#[test]
fn other_formulas() {
    let budget = Budget::unlimited();
    let rate = q(1, 100);
    let gaussian = sum(&noises()[0], &Shifts::none(), &Shifts::sampled(&rate));
    let known = SampledGaussian {
        rate,
        square: q(4, 9),
        spacing: Some(q(4, 9)),
    };
    let [.., skellam] = noises();
    let once = Shifts::sampled(&q(1, 1));
    let single = sum(&skellam, &Shifts::none(), &once);
    let pair = ShiftedNoise::new(skellam, Shifts::none(), once);
    let unsampled = Skellam::of(&pair).unwrap();
    for order in [q(1, 3), q(1, 1), q(5, 2), q(7, 1)] {
        for direction in DIRECTIONS {
            let of = |sum: &ShiftedIntegers| {
                let found = sum.divergence(&order, direction, 70, &budget);
                found.unwrap().unwrap()
            };
            let truth = sampled::divergence(&known, &order, direction, 70, &budget).unwrap();
            assert!(of(&gaussian).intersect(&truth).is_ok(), "{order}");
            let truth = unsampled.divergence(&order, 70, &budget).unwrap();
            assert!(of(&single).intersect(&truth).is_ok(), "{order}");
        }
    }
}

/// What lies beyond any place is at most the bound: term by term, and not much less than it.
#[test]
fn tails_are_bounded_everywhere() {
    const BITS: u32 = 160;
    for noise in noises() {
        for (without, with) in pairs() {
            let one = sum(&noise, &without, &with);
            let (masses, _) = one
                .law
                .masses(400, BITS, &Budget::unlimited())
                .unwrap()
                .unwrap();
            let ahead = Mixture::new(&one.with, 1, &masses, BITS);
            let behind = Mixture::new(&one.without, -1, &masses, BITS);
            let mut near = 0;
            for power in [q(-7, 2), q(-1, 2), q(1, 3), q(1, 1), q(3, 2), q(6, 1)] {
                let rest = Rational::from(1 - &power);
                let exact = |x: &Rational| Interval::from_rational(x, BITS);
                let (a, b) = (exact(&power), exact(&rest));
                let term = |k: i64| {
                    let (q, p) = (ahead.at(k).ln(), behind.at(k).ln());
                    q.mul(&a).add(&p.mul(&b)).exp()
                };
                let up = Side::new(&one.with, &one.without, &power);
                let down = Side::new(&one.without, &one.with, &rest);
                for (side, sign) in [(&up, 1i64), (&down, -1)] {
                    // What lies beyond each place, from the last one on.
                    let mut rest = Interval::zero(BITS);
                    for place in (side.most..side.most + 160).rev() {
                        let here = term(sign * place);
                        let bound = one.law.beyond(side, place, &here);
                        let what = format!("{noise:?} {with:?} {power} {place} {sign}");
                        assert!(rest.lo() <= bound.hi(), "{what}: {rest:?} {bound:?}");
                        let tight = bound.hi().clone() / 3u32;
                        near += u32::from(*bound.hi() > 0 && rest.lo() >= &tight);
                        rest = rest.add(&here);
                    }
                }
            }
            assert!(near > 60, "{noise:?} {with:?}: {near}");
        }
    }
}

/// What is too long is not summed.
#[test]
fn limits() {
    let wide = |noise: Noise| {
        let shifts = Shifts::sampled(&q(1, 10));
        let one = sum(&noise, &shifts, &shifts);
        one.divergence(&q(2, 1), Direction::Add, 60, &Budget::unlimited())
            .unwrap()
    };
    let sigma = q(100_000, 1);
    assert!(wide(Noise::DiscreteGaussian { sigma, unit: 1 }).is_none());
    let scale = q(100_000, 1);
    assert!(wide(Noise::DiscreteLaplace { scale, unit: 1 }).is_none());
    let sigma = q(1, 100);
    let narrow = wide(Noise::DiscreteGaussian { sigma, unit: 1 });
    assert!(narrow.is_none_or(|found| *found.lo() >= 0));
}

/// With ends so near that what is beyond them counts, and so far that it does not.
#[test]
fn ends_of_the_sums() {
    for noise in noises() {
        for (without, with) in pairs() {
            let one = sum(&noise, &without, &with);
            for power in [q(-1, 2), q(1, 2), q(3, 2), q(3, 1)] {
                let rest = Rational::from(1 - &power);
                let up = Side::new(&one.with, &one.without, &power);
                let down = Side::new(&one.without, &one.with, &rest);
                let order = power.to_f64();
                let truth = in_floats(&noise, &without, &with, order, false) * (order - 1.0);
                for ends in [[4, 4], [6, 4], [4, 7], [9, 8], [60, 60]] {
                    let found = one.log_sum([&up, &down], ends, 64, &Budget::unlimited());
                    let found = found.unwrap().unwrap();
                    let what = format!("{noise:?} {with:?} {power} {ends:?}: {found:?} {truth}");
                    assert!(found.lo().to_f64() <= truth + 1e-9, "{what}");
                    assert!(found.hi().to_f64() >= truth - 1e-9, "{what}");
                    assert!(ends[0] < 60 || found.width_up() < 1e-9, "{what}");
                }
            }
        }
    }
}

/// Where a mass is not known a mixture may be anything.
#[test]
fn beyond_all_masses() {
    let one = sum(&noises()[1], &Shifts::none(), &Shifts::sampled(&q(1, 10)));
    let budget = Budget::unlimited();
    let (masses, _) = one.law.masses(5, 60, &budget).unwrap().unwrap();
    let with = Mixture::new(&one.with, 1, &masses, 60);
    assert!(with.at(5).hi().is_finite());
    for place in [7i64, -6, 40] {
        assert!(with.at(place).lo() <= &0 && with.at(place).hi().is_infinite());
    }
}

/// Where a sum of the noise of several parties ends, what is beyond is below e^−bits by its bound.
#[test]
fn ends_of_sums_leave_next_to_nothing() {
    for (sigma, parties) in [(q(2, 1), 2u64), (q(3, 1), 9), (q(7, 2), 40)] {
        let noise = GaussianSumNoise::new(&sigma, parties).unwrap();
        for power in [q(3, 2), q(4, 1), q(30, 1)] {
            for (most, other) in [(1, 0), (0, 1), (3, 1), (40, 0), (2, 50)] {
                let side = Side {
                    power: &power,
                    most,
                    other,
                };
                for bits in [20, 100] {
                    let Some(end) = end_of_sum(&noise, &side, bits) else {
                        continue;
                    };
                    let beyond = |place| noise.log_beyond(place, (most, other), &side.excess());
                    let left = beyond(end);
                    assert!(left.unwrap() <= -Rational::from(bits));
                }
            }
        }
    }
}
