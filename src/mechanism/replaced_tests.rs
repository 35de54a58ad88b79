//! Records that are replaced, and groups of them: which pair a mechanism gets, and what its compositions reveal.

use rug::{Float, Rational};

use super::adjacency::Relation;
use super::shifted::{Noise, ShiftedNoise, Shifts};
use super::{Adjacency, Mechanism, Step};
use crate::door::{Analysis, Precision};
use crate::kernel::Point;
use crate::statement::Query;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn sampled(rate: Rational, of: Mechanism) -> Mechanism {
    Mechanism::subsampled(rate, of).unwrap()
}

fn discrete_gaussian(sigma: Rational, bound: u64) -> Mechanism {
    use super::kind::{DiscreteGaussian, Sensitivity};
    Mechanism::new(DiscreteGaussian::new(sigma, Sensitivity::RecordBound(bound)).unwrap()).unwrap()
}

fn discrete_laplace(scale: Rational, bound: u64) -> Mechanism {
    use super::kind::{DiscreteLaplace, Sensitivity};
    Mechanism::new(DiscreteLaplace::new(scale, Sensitivity::RecordBound(bound)).unwrap()).unwrap()
}

/// Noise on a sum of records of bound c, and its law where a shift of 1 is c.
fn noises() -> Vec<(Mechanism, Noise)> {
    vec![
        (
            Mechanism::gaussian_sum(q(3, 2), q(2, 1)).unwrap(),
            Noise::Gaussian {
                unit_squared: q(16, 9),
            },
        ),
        (
            Mechanism::laplace_sum(q(5, 2), q(2, 1)).unwrap(),
            Noise::Laplace { unit: q(4, 5) },
        ),
        (
            discrete_gaussian(q(3, 2), 2),
            Noise::DiscreteGaussian {
                sigma: q(3, 2),
                unit: 2,
            },
        ),
        (
            discrete_laplace(q(5, 2), 3),
            Noise::DiscreteLaplace {
                scale: q(5, 2),
                unit: 3,
            },
        ),
    ]
}

fn shifted(of: &Mechanism) -> ShiftedNoise {
    match of.steps().single() {
        Some(Step::Shifted(pair)) => ShiftedNoise::clone(pair),
        other => panic!("no mixture: {other:?}"),
    }
}

fn shifts(list: &[(i64, Rational)]) -> Shifts {
    let list = list
        .iter()
        .map(|(shift, weight)| (q(*shift, 1), weight.clone()));
    Shifts::new(list.collect()).unwrap()
}

/// (1 − q)N(0) + qN(−c) against (1 − q)N(0) + qN(+c).
#[test]
fn a_replaced_record_moves_the_sum_either_way() {
    let rate = q(1, 10);
    let both = shifts(&[(0, q(9, 10)), (1, rate.clone())]);
    for (of, noise) in noises() {
        let replaced = sampled(rate.clone(), of.clone())
            .under(Relation::ReplaceOne)
            .unwrap();
        let expected = ShiftedNoise::new(noise, both.clone(), both.clone());
        assert_eq!(shifted(&replaced), expected);
        // Two stages of sampling are one.
        let twice = sampled(q(1, 4), sampled(q(2, 5), of.clone()));
        assert_eq!(
            shifted(&twice.under(Relation::ReplaceOne).unwrap()),
            expected
        );
        // A record that always takes part moves it by 2c.
        let all = sampled(q(1, 1), of.clone())
            .under(Relation::ReplaceOne)
            .unwrap();
        assert_eq!(all.steps(), of.under(Relation::ReplaceOne).unwrap().steps());
        assert!(!matches!(all.steps().single(), Some(Step::Shifted(_))));
        let zeroed = sampled(rate.clone(), of)
            .under(Relation::ReplaceSpecial)
            .unwrap();
        assert!(matches!(zeroed.steps().single(), Some(Step::Sampled(_))));
    }
}

/// As the rate goes to 1, so does the pair to that of a record which is replaced; and it is never above that.
#[test]
fn sampling_every_record_is_the_limit() {
    let tiny = q(1, 1_000_000_000);
    for (of, _) in noises() {
        let nearly = sampled(1 - tiny.clone(), of.clone())
            .under(Relation::ReplaceOne)
            .unwrap();
        let all = of.under(Relation::ReplaceOne).unwrap();
        let profile = |of: &Mechanism| of.profile_of_step().unwrap();
        for e in [q(-1, 1), q(0, 1), q(1, 3), q(2, 1)] {
            let point = Point::at_epsilon(&e, 120);
            let (a, b) = (
                profile(&nearly).at(&point).delta,
                profile(&all).at(&point).delta,
            );
            assert!(a.lo() <= b.hi(), "{of:?} {e}");
            let apart = b.sub(&a);
            assert!(*apart.hi() < 1e-8, "{of:?} {e}");
        }
    }
}

/// What is no noise on one sum has a bound and members; a sensitivity says nothing about replaced records.
#[test]
fn replaced_records_elsewhere() {
    let laplace = || Mechanism::laplace_sum(q(1, 1), q(1, 1)).unwrap();
    let guarantee = Mechanism::pure_dp(q(1, 1)).unwrap();
    for of in [
        Mechanism::histogram(laplace()).unwrap(),
        Mechanism::histogram(Mechanism::gaussian_sum(q(1, 1), q(1, 1)).unwrap()).unwrap(),
        Mechanism::histogram(discrete_gaussian(q(1, 1), 1)).unwrap(),
        Mechanism::histogram(discrete_laplace(q(1, 1), 1)).unwrap(),
        guarantee.clone(),
        Mechanism::gdp(q(1, 1)).unwrap(),
        Mechanism::approx_dp(q(1, 1), q(1, 100)).unwrap(),
        Mechanism::randomized_response(q(1, 1), 2).unwrap(),
        Mechanism::compose(vec![(laplace(), 2)]).unwrap(),
        Mechanism::compose(vec![(laplace(), 1), (guarantee, 1)]).unwrap(),
    ] {
        let found = sampled(q(1, 2), of.clone())
            .under(Relation::ReplaceOne)
            .unwrap();
        assert!(found.steps().is_bound(), "{of:?}");
    }
    let stated = Mechanism::laplace(q(1, 1), q(1, 1)).unwrap();
    assert!(
        sampled(q(1, 2), stated)
            .under(Relation::ReplaceOne)
            .is_err()
    );
}

/// Binomial shifts, for noise of every law; one side for records that come, both for records that are replaced.
#[test]
fn groups_under_sampling_move_by_binomial_distances() {
    let binomial = shifts(&[(0, q(27, 64)), (1, q(27, 64)), (2, q(9, 64)), (3, q(1, 64))]);
    for (of, noise) in noises() {
        let group = Mechanism::group(3, sampled(q(1, 4), of)).unwrap();
        let expected = ShiftedNoise::new(noise.clone(), Shifts::none(), binomial.clone());
        assert_eq!(shifted(&group), expected);
        let replaced = group.under(Relation::ReplaceOne).unwrap();
        let expected = ShiftedNoise::new(noise, binomial.clone(), binomial.clone());
        assert_eq!(shifted(&replaced), expected);
    }
}

/// Without sampling, all of the group moves the sum together.
#[test]
fn groups_without_sampling_move_as_far_as_their_number() {
    let group = |records, of: &Mechanism| Mechanism::group(records, of.clone());
    let single = |of: &Mechanism| of.steps().single().cloned().unwrap();
    for (of, noise) in noises() {
        let three = group(3, &of).unwrap();
        let far = ShiftedNoise::new(noise, Shifts::none(), shifts(&[(3, q(1, 1))]));
        assert_eq!(Some(single(&three)), Step::farthest(&far));
        assert_eq!(group(1, &of).unwrap().steps(), of.steps());
        let nested = Mechanism::group(2, group(3, &of).unwrap()).unwrap();
        assert_eq!(nested.steps(), group(6, &of).unwrap().steps());
        let steps = Mechanism::compose(vec![(of.clone(), 5)]).unwrap();
        let composed = Mechanism::compose(vec![(three, 5)]).unwrap();
        assert_eq!(group(3, &steps).unwrap().steps(), composed.steps());
    }
    let gdp = Mechanism::gdp(q(1, 2)).unwrap();
    assert_eq!(
        group(4, &gdp).unwrap().steps(),
        Mechanism::gdp(q(2, 1)).unwrap().steps()
    );
}

#[test]
fn groups_are_refused_where_nothing_is_known() {
    let response = Mechanism::randomized_response(q(1, 1), 2).unwrap();
    let zcdp = Mechanism::zcdp(q(1, 1)).unwrap();
    for of in [
        response.clone(),
        Mechanism::compose(vec![(zcdp.clone(), 1), (response.clone(), 1)]).unwrap(),
        sampled(q(1, 2), response),
        sampled(q(1, 2), zcdp),
        Mechanism::gaussian_mixture(q(1, 1), vec![q(0, 1), q(1, 1)], vec![q(1, 2), q(1, 2)])
            .unwrap(),
    ] {
        assert!(Mechanism::group(2, of.clone()).is_err(), "{of:?}");
    }
    let (laplace, _) = noises().swap_remove(1);
    assert!(Mechanism::group(256, sampled(q(1, 2), laplace.clone())).is_ok());
    assert!(Mechanism::group(257, sampled(q(1, 2), laplace)).is_err());
    assert!(Mechanism::group(u64::MAX, discrete_laplace(q(1, 1), 2)).is_err());
    assert!(Mechanism::group(0, discrete_laplace(q(1, 1), 2)).is_err());
}

const BITS: u32 = 300;

/// The masses of noise e^{−|k|/scale} on the integers, moved by a record, and all that lies beyond ±`end` put there.
fn masses(scale: &Rational, parts: &[(i64, Rational)], end: i64) -> Vec<Float> {
    let x = (-Float::with_val(BITS, scale).recip()).exp();
    let one = |k: i64| {
        let power = Float::with_val(
            BITS,
            rug::ops::Pow::pow(&x, u32::try_from(k.abs()).unwrap()),
        );
        power * Float::with_val(BITS, 1 - &x) / Float::with_val(BITS, 1 + &x)
    };
    let mass = |k: i64| {
        parts.iter().fold(Float::new(BITS), |sum, (place, weight)| {
            let mut here = one(k - place);
            if k.abs() == end {
                // x + x² + … beyond.
                here /= Float::with_val(BITS, 1 - &x);
            }
            sum + here * weight
        })
    };
    (-end..=end).map(mass).collect()
}

/// All outcomes of so many steps, one by one.
fn composed(p: &[Float], q: &[Float], steps: u32, u: &Float) -> Float {
    let one = vec![(Float::with_val(BITS, 1), Float::with_val(BITS, 1))];
    let all = (0..steps).fold(one, |all, _| {
        all.iter()
            .flat_map(|(a, b)| {
                p.iter()
                    .zip(q)
                    .map(move |(p, q)| (Float::with_val(BITS, a * p), Float::with_val(BITS, b * q)))
            })
            .collect()
    });
    all.into_iter().fold(Float::new(BITS), |sum, (p, q)| {
        let gain = q - p * u;
        if gain > 0 { sum + gain } else { sum }
    })
}

fn delta(of: &Mechanism, adjacency: Adjacency, epsilon: &Rational) -> (Float, Float) {
    let analysis = Analysis::of(of.clone())
        .adjacency(adjacency)
        .prepare()
        .unwrap();
    let query = Query::delta(epsilon.clone()).unwrap();
    let found = analysis
        .bound(&query, Precision::relative("1e-3").unwrap())
        .unwrap();
    (found.lower().clone(), found.upper().clone())
}

fn holds((low, high): &(Float, Float), truth: &Float, width: f64, name: &str) {
    let slack = Float::with_val(BITS, 1) >> 250u32;
    assert!(
        Float::with_val(BITS, low - &slack) <= *truth
            && Float::with_val(BITS, high + &slack) >= *truth,
        "{name}: [{low}, {high}] misses {truth:.20}"
    );
    let found = Float::with_val(64, high - low);
    assert!(
        found <= Float::with_val(64, truth * width),
        "{name}: wide [{low}, {high}]"
    );
}

/// Compositions of replaced records and of groups under discrete Laplace noise, outcome by outcome.
#[test]
fn compositions_are_sums_over_all_outcomes() {
    let (scale, rate) = (q(4, 3), q(1, 3));
    let step = || sampled(rate.clone(), discrete_laplace(scale.clone(), 2));
    let present = vec![(0, q(2, 3)), (2, rate.clone())];
    let back = vec![(0, q(2, 3)), (-2, rate.clone())];
    let group = vec![(0, q(4, 9)), (2, q(4, 9)), (4, q(1, 9))];
    let none = vec![(0, q(1, 1))];
    for (name, of, adjacency, p, q_, steps) in [
        (
            "replaced",
            step(),
            Adjacency::ReplaceOne,
            &back,
            &present,
            1,
        ),
        (
            "replaced",
            step(),
            Adjacency::ReplaceOne,
            &back,
            &present,
            4,
        ),
        (
            "present",
            Mechanism::group(2, step()).unwrap(),
            Adjacency::Remove,
            &none,
            &group,
            3,
        ),
        (
            "absent",
            Mechanism::group(2, step()).unwrap(),
            Adjacency::Add,
            &group,
            &none,
            3,
        ),
    ] {
        let end = 4;
        let (p, q_) = (masses(&scale, p, end), masses(&scale, q_, end));
        let of = Mechanism::compose(vec![(of, u64::from(steps))]).unwrap();
        for e in [q(1, 10), q(1, 1), q(3, 2)] {
            let u = Float::with_val(BITS, &e).exp();
            let truth = composed(&p, &q_, steps, &u);
            holds(&delta(&of, adjacency, &e), &truth, 1e-3, name);
        }
    }
}

/// Two steps of replaced records under Laplace noise: the second in closed form, the first by Simpson's rule.
#[test]
fn two_steps_of_replaced_laplace_noise() {
    let rate = q(1, 4);
    let of = sampled(
        rate.clone(),
        Mechanism::laplace_sum(q(1, 1), q(1, 1)).unwrap(),
    );
    let profile = of
        .under(Relation::ReplaceOne)
        .unwrap()
        .profile_of_step()
        .unwrap();
    let density =
        |x: f64, sign: f64| 0.5 * (0.75 * (-x.abs()).exp() + 0.25 * (-(x - sign).abs()).exp());
    for epsilon in [q(1, 5), q(1, 2)] {
        let u = epsilon.to_f64().exp();
        let one = |x: f64| {
            let (p, q) = (density(x, -1.0), density(x, 1.0));
            let point = Point::at_exp_epsilon(&Rational::from_f64(u * p / q).unwrap(), 64);
            q * profile.at(&point).delta.middle().to_f64()
        };
        // Beyond ±1 the ratio is constant, and all of Q is at the end.
        let mut sum = one(1.0) + one(-1.0);
        for (low, high) in [(-1.0, 0.0), (0.0, 1.0)] {
            let cells = 200;
            let width = (high - low) / f64::from(cells);
            for i in 0..cells {
                let x = low + width * f64::from(i);
                sum += width / 6.0 * (one(x) + 4.0 * one(x + width / 2.0) + one(x + width));
            }
        }
        let two = Mechanism::compose(vec![(of.clone(), 2)]).unwrap();
        let (low, high) = delta(&two, Adjacency::ReplaceOne, &epsilon);
        assert!(
            low <= sum + 1e-6 && high >= sum - 1e-6,
            "{epsilon}: [{low}, {high}] {sum}"
        );
        assert!(
            Float::with_val(64, &high - &low) < 2e-3 * sum,
            "{epsilon}: [{low}, {high}]"
        );
    }
}

/// The estimate is near the enclosure, one step and several.
#[test]
fn estimates_agree() {
    let of = |(noise, _): (Mechanism, Noise)| sampled(q(1, 3), noise);
    for (number, (times, near)) in [(1, 1e-9), (6, 1e-4)].into_iter().enumerate() {
        for (place, of) in noises().into_iter().map(of).enumerate() {
            if !crate::test_scale::is_asked(number + place, 4) {
                continue;
            }
            let of = Mechanism::compose(vec![(of, times)]).unwrap();
            let replaced = of.under(Relation::ReplaceOne).unwrap();
            let curve = crate::float::Curve::new(&replaced, Adjacency::ReplaceOne).unwrap();
            for e in [q(1, 5), q(1, 1)] {
                let (low, high) = delta(&of, Adjacency::ReplaceOne, &e);
                let found = curve.delta(e.to_f64());
                let (low, high) = (low.to_f64(), high.to_f64());
                assert!(
                    found >= low * (1.0 - near) - 1e-12 && found <= high * (1.0 + near) + 1e-12,
                    "{of:?} {e}: {found} is not in [{low}, {high}]"
                );
            }
        }
    }
}

/// The Rényi divergence of a replaced record is at most that of the farthest pair, and known.
#[test]
fn renyi_divergence_is_at_most_that_of_the_farthest_pair() {
    use crate::kernel::Budget;
    use crate::mechanism::Direction;
    use crate::renyi::Parts;
    for (of, _) in noises() {
        let replaced = sampled(q(1, 3), of.clone())
            .under(Relation::ReplaceOne)
            .unwrap();
        let farthest = of.under(Relation::ReplaceOne).unwrap();
        let at = |of: &Mechanism| {
            let parts = Parts::of(of.steps()).unwrap();
            let order = q(3, 1);
            parts
                .divergence(&order, Direction::Remove, 100, &Budget::unlimited())
                .unwrap()
        };
        let (found, most) = (at(&replaced), at(&farthest));
        assert!(found.lo() >= &0 && found.hi() <= most.hi(), "{of:?}");
        assert!(found.width_up() < 1e-20, "{of:?}");
    }
}
