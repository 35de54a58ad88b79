//! Against the definition: run by run, in exact numbers.

use std::sync::Arc;

use rug::ops::Pow;

use super::runs::{RunsAt, Shape};
use super::*;
use crate::kernel::coarse::Random;
use crate::mechanism::Mechanism;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::finite_pair;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn delta((p, with): &Vectors, u: &Rational) -> Rational {
    let gains = p
        .iter()
        .zip(with)
        .map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

fn profile(p: &[Rational], with: &[Rational]) -> FiniteProfile {
    FiniteProfile::new(Arc::new(finite_pair::law(p, with).unwrap()))
}

fn vector(random: &mut Random, length: usize) -> Vec<Rational> {
    let weights: Vec<u64> = (0..length).map(|_| 1 + random.below(20)).collect();
    let total = weights.iter().sum::<u64>();
    weights
        .iter()
        .map(|weight| Rational::from((*weight, total)))
        .collect()
}

/// The law of the best of exactly k runs, by all sequences of outcomes; the best outcome has the smallest place.
fn best_of(k: u32, law: &[Rational]) -> Vec<Rational> {
    let mut best = vec![Rational::new(); law.len()];
    let outcomes = law.len();
    for code in 0..outcomes.pow(k) {
        let (mut rest, mut mass, mut least) = (code, q(1, 1), outcomes);
        for _ in 0..k {
            let outcome = rest % outcomes;
            rest /= outcomes;
            mass *= &law[outcome];
            least = least.min(outcome);
        }
        best[least] += mass;
    }
    best
}

/// The probability of k runs, up to a factor that does not depend on k, for a given γ; and E\[K\] for it, both in exact numbers.
fn is_within(found: &Interval, low: &Rational, rest: &Rational) -> bool {
    *found.hi() >= *low && *found.lo() <= Rational::from(low + rest)
}

/// Few runs by enumeration, the rest bounded: every law of the number of runs.
#[test]
fn selections_are_those_of_the_definition() {
    let p = [q(1, 2), q(3, 10), q(1, 5)];
    const MOST: u32 = 7;
    // Geometric: P(K = k) = γ(1 − γ)^{k − 1}.
    let runs = Runs::geometric(q(3, 2)).unwrap();
    let gamma = q(2, 3);
    let of = |k: u32| gamma.clone() * q(1, 3).pow(i32::try_from(k - 1).unwrap());
    check(&runs, &p, 1..=MOST, of, &q(1, 3).pow(7));
    // Negative binomial with η = 2, γ = 1/2: P(K = k) = (1/2)^k·(k + 1)/3, mean 2·(1/2)/(1/2·3/4) = 8/3.
    let runs = Runs::negative_binomial(q(8, 3), q(2, 1)).unwrap();
    let of = |k: u32| (Rational::from(k + 1) >> k) / 3u32;
    let rest = 1 - (1..=MOST).map(of).sum::<Rational>();
    check(&runs, &p, 1..=MOST, of, &rest);
}

fn check(
    runs: &Runs,
    law: &[Rational],
    counts: std::ops::RangeInclusive<u32>,
    weight: impl Fn(u32) -> Rational,
    rest: &Rational,
) {
    let pairs = law.iter().map(|p| (p.clone(), p.clone())).collect();
    let found = SelectedPair::new(runs.clone(), pairs);
    let masses = found.masses(160).unwrap();
    let mut sums = vec![Rational::new(); law.len()];
    for k in counts {
        for (sum, mass) in sums.iter_mut().zip(best_of(k, law)) {
            *sum += mass * weight(k);
        }
    }
    for (sum, (p, _)) in sums.iter().zip(masses.iter().rev()) {
        assert!(is_within(p, sum, rest), "{runs:?} {p:?} {}", sum.to_f64());
        assert!(*p.hi() >= 0.0);
    }
    if let Some((p, _)) = found.exact() {
        for (exact, (p, _)) in p.iter().zip(&masses) {
            assert!(p.contains(exact));
            assert!(p.width_up() < 1e-40);
        }
    }
}

/// Laws with logarithms, by sums of their definition in intervals, the rest of the runs bounded by their mean.
#[test]
fn real_laws_by_their_series() {
    const BITS: u32 = 200;
    for runs in [
        Runs::logarithmic(q(3, 1)).unwrap(),
        Runs::poisson(q(5, 2)).unwrap(),
        Runs::negative_binomial(q(4, 1), q(-1, 2)).unwrap(),
        Runs::negative_binomial(q(9, 4), q(3, 2)).unwrap(),
        Runs::geometric(q(5, 1)).unwrap(),
    ] {
        let at = runs.at(BITS).unwrap();
        // Probabilities of k runs from those of k − 1.
        let (mut mass, first) = match &at {
            RunsAt::Poisson { mean } => (mean.neg().exp(), 0u32),
            RunsAt::Truncated { gamma, shape } => {
                let rest = gamma.one_minus();
                let one = match shape {
                    Shape::Zero => rest.div(&gamma.ln().neg()),
                    Shape::One => gamma.clone(),
                    Shape::Other(shape) => {
                        let total = shape.mul(&gamma.ln()).neg().exp_m1();
                        rest.mul(shape).div(&total)
                    }
                };
                (one, 1)
            }
        };
        let x = q(3, 7);
        let zero = || Interval::zero(BITS);
        let (mut total, mut mean, mut psi) = (zero(), zero(), zero());
        for k in first..4_000u32 {
            let times = Interval::from_i64(i64::from(k), BITS);
            total = total.add(&mass);
            mean = mean.add(&mass.mul(&times));
            let power = Rational::from((&x).pow(i32::try_from(k).unwrap()));
            psi = psi.add(&mass.mul(&Interval::from_rational(&power, BITS)));
            let next = Interval::from_i64(i64::from(k + 1), BITS);
            mass = match &at {
                RunsAt::Poisson { mean } => mass.mul(mean).div(&next),
                RunsAt::Truncated { gamma, shape } => {
                    let ratio = match shape {
                        Shape::Zero => times,
                        Shape::One => next.clone(),
                        Shape::Other(shape) => times.add(shape),
                    };
                    mass.mul(&gamma.one_minus()).mul(&ratio).div(&next)
                }
            };
        }
        let near = |found: &Interval, truth: &Rational| {
            let truth = Interval::from_rational(truth, BITS);
            found.sub(&truth).hi().clone().abs() < 1e-30
                && found.sub(&truth).lo().clone().abs() < 1e-30
        };
        assert!(near(&total, &q(1, 1)), "{runs:?} {total:?}");
        assert!(near(&mean, runs.mean()), "{runs:?} {mean:?}");
        let start = Interval::from_rational(&q(0, 1), BITS);
        let found = at
            .rise(&start, &Interval::from_rational(&x, BITS))
            .add(&at.none(BITS));
        assert!(found.sub(&psi).hi().clone().abs() < 1e-30, "{runs:?}");
        // Slopes by a small rise.
        let small = q(1, 1 << 40);
        let rise = |x: &Rational| {
            at.rise(
                &Interval::from_rational(x, BITS),
                &Interval::from_rational(&small, BITS),
            )
        };
        let (a, b) = (q(1, 5), q(4, 5));
        let ratio = rise(&a).div(&rise(&b));
        let less = |x: &Rational| Interval::from_rational(&Rational::from(1 - x), BITS);
        let slopes = at.slopes(&less(&a), &less(&b));
        let off = ratio.div(&slopes).sub(&Interval::one(BITS));
        assert!(
            off.hi().clone().abs() < 1e-10 && off.lo().clone().abs() < 1e-10,
            "{runs:?} {off:?}"
        );
    }
}

/// Row n-122 of the known truths.
#[test]
fn the_row_with_an_order() {
    let p = [q(1, 2), q(3, 10), q(1, 5)];
    let with = [q(1, 10), q(3, 10), q(3, 5)];
    let order = [1usize, 2, 0]
        .map(|i| (p[i].clone(), with[i].clone()))
        .to_vec();
    let pair = SelectedPair::new(Runs::geometric(q(20, 1)).unwrap(), order);
    assert_eq!(delta(&pair.exact().unwrap(), &q(3, 2)), q(1160, 84_889));
}

/// For random pairs, every order, every u and both orders of the pair: no selection is above the bound, and some are where the bounds from below say.
#[test]
fn bounds_are_on_their_side_of_all_orders() {
    let mut random = Random(5);
    let all_runs = [
        Runs::geometric(q(3, 1)).unwrap(),
        Runs::geometric(q(20, 1)).unwrap(),
        Runs::geometric(q(1, 1)).unwrap(),
        Runs::logarithmic(q(4, 1)).unwrap(),
        Runs::negative_binomial(q(4, 1), q(-1, 2)).unwrap(),
        Runs::negative_binomial(q(4, 1), q(5, 1)).unwrap(),
        Runs::poisson(q(2, 1)).unwrap(),
    ];
    for round in 0..crate::test_scale::cases(4) {
        let (p, with) = (vector(&mut random, 3), vector(&mut random, 3));
        let known = Sampled::of(&profile(&p, &with)).unwrap();
        for runs in &all_runs {
            let above = known.selected_above(runs).unwrap();
            let below = known.selected_below(runs).unwrap();
            for order in [
                [0, 1, 2],
                [0, 2, 1],
                [1, 0, 2],
                [1, 2, 0],
                [2, 0, 1],
                [2, 1, 0usize],
            ] {
                let outcomes = order.map(|i| (p[i].clone(), with[i].clone())).to_vec();
                let masses = SelectedPair::new(runs.clone(), outcomes)
                    .masses(200)
                    .unwrap();
                for n in 1..30i64 {
                    let u = q(n * n, 60);
                    let place = Interval::from_rational(&u, 200);
                    for swap in [false, true] {
                        let gain = |(p, with): &(Interval, Interval)| {
                            let (p, with) = if swap { (with, p) } else { (p, with) };
                            with.sub(&place.mul(p)).at_least_zero()
                        };
                        let sum = masses.iter().map(gain).reduce(|a, b| a.add(&b)).unwrap();
                        let bound = delta(&above, &u);
                        let seen = format!("{} > {}", sum.lo(), bound.to_f64());
                        assert!(
                            *sum.lo() <= bound,
                            "{round} {runs:?} {order:?} {u} {swap} {seen} {p:?} {with:?}"
                        );
                    }
                }
            }
            // By rising and by falling loss.
            let mut by_loss: Vec<usize> = vec![0, 1, 2];
            by_loss.sort_by_key(|i| Rational::from(&with[*i] / &p[*i]));
            for (found, falling) in below.iter().zip([true, false]) {
                let mut order = by_loss.clone();
                if falling {
                    order.reverse();
                }
                let outcomes = order.iter().map(|i| (p[*i].clone(), with[*i].clone()));
                let pair = SelectedPair::new(runs.clone(), outcomes.collect());
                let masses = pair.masses(200).unwrap();
                for n in 1..30i64 {
                    let u = q(n * n, 60);
                    let place = Interval::from_rational(&u, 200);
                    let gain =
                        |(p, with): &(Interval, Interval)| with.sub(&place.mul(p)).at_least_zero();
                    let sum = masses.iter().map(gain).reduce(|a, b| a.add(&b)).unwrap();
                    assert!(
                        delta(found, &u) <= *sum.hi(),
                        "{round} {runs:?} {falling} {u}"
                    );
                }
            }
        }
    }
}

/// Row n-124: 3·δ(2·81/121) above, and a split randomised response below.
#[test]
fn pure_dp_between_its_bounds() {
    let third = q(2, 5);
    let known = Sampled::of(&profile(
        &[third.clone(), Rational::from(1 - &third)],
        &[Rational::from(1 - &third), third.clone()],
    ))
    .unwrap();
    let runs = Runs::geometric(q(3, 1)).unwrap();
    let above = known.selected_above(&runs).unwrap();
    // With r = 81/121 it is log(3/2·121/81)-DP, which is more than E[K]·δ(2r) = 0.1933… says.
    let odds = q(3, 2) * q(121, 81);
    let truth = Rational::from(&odds - 2u32) / (odds + 1u32);
    let found = delta(&above, &q(2, 1));
    assert!(found >= truth && found < q(19, 100));
    assert!((found.to_f64() - truth.to_f64()).abs() < 1e-12);
    // (3ε, 0): nothing is told beyond.
    assert_eq!(delta(&above, &q(27, 8)), 0);
    let rising = SelectedPair::new(runs, known.pieces()).exact().unwrap();
    let found = delta(&rising, &q(2, 1)).to_f64();
    assert!(found > 0.0055 && found < truth.to_f64(), "{found}");
    let mean: Rational = rising.0.iter().sum();
    assert_eq!(mean, 1);
}

/// Noise with a profile only.
#[test]
fn bounds_of_noise_are_ordered() {
    let runs = Runs::logarithmic(q(5, 1)).unwrap();
    for of in [
        Mechanism::gaussian(2, 1).unwrap(),
        Mechanism::laplace(1, 1).unwrap(),
        Mechanism::approx_dp("1/2", "1/1000").unwrap(),
    ] {
        let known = Sampled::of(&*of.profile_of_step().unwrap()).unwrap();
        let above = known.selected_above(&runs).unwrap();
        for below in known.selected_below(&runs).unwrap() {
            for n in [10, 12, 15, 20, 30] {
                let u = q(n, 10);
                assert!(delta(&below, &u) <= delta(&above, &u), "{u}");
            }
        }
        // At least E[K] times the δ that is left at ∞.
        let far = delta(&above, &q(1_000_000, 1));
        let left = of.profile_of_step().unwrap().exact_infinite_mass().unwrap();
        // But for where the profile was no longer looked at.
        let slack = Rational::from(1) >> 100u32;
        assert!(far >= Rational::from(&left * 5u32) && far <= left * 5u32 + slack);
    }
}

/// Numbers of a bound have few digits on the right side, however small or many runs there are: no memory goes into what tells nothing.
#[test]
fn bounds_are_short() {
    let smallest = Rational::from(1) >> SMALLEST;
    for exponent in [-1i64, -1_190, -1_210, -1_000_000, -1_000_000_000_000] {
        let x = Interval::from_i64(exponent, 64).exp();
        let (low, high) = (down(&x).unwrap(), up(&x).unwrap());
        assert!(*x.lo() >= low && *x.hi() <= high, "{exponent}");
        assert!(high == smallest || low > 0 && high > smallest, "{exponent}");
    }
    let zero = Interval::zero(64);
    assert_eq!(
        (down(&zero).unwrap(), up(&zero).unwrap()),
        Default::default()
    );
    let poisson = |mean| Runs::poisson(mean).unwrap();
    let negative = |mean, shape| Runs::negative_binomial(mean, shape).unwrap();
    let tiny = Rational::from(10).pow(300);
    for (runs, of) in [
        (poisson(q(1_000_000, 1)), Mechanism::gaussian(1, 1)),
        (poisson(q(1_000_000_000_000, 1)), Mechanism::laplace(1, 1)),
        (negative(q(10, 1), q(20, 1)), Mechanism::gaussian(tiny, 1)),
        (
            negative(q(2, 1), q(1, 20)),
            Mechanism::laplace(q(1, 1_000_000), 1),
        ),
    ] {
        let profile = of.unwrap().profile_of_step().unwrap();
        let known = Sampled::of(&*profile).unwrap();
        let above = known.selected_above(&runs).unwrap();
        let [first, last] = known.selected_below(&runs).unwrap();
        for (p, with) in [&above, &first, &last] {
            let longest = p.iter().chain(with).map(|x| x.denom().significant_bits());
            assert!(longest.max().unwrap() < 1 << 19, "{runs:?}");
            assert!(p.iter().all(|x| *x >= 0) && p.iter().sum::<Rational>() == 1);
        }
        for u in [q(1, 1), q(3, 2), q(1_000, 1)] {
            assert!(delta(&first, &u).max(delta(&last, &u)) <= delta(&above, &u));
        }
    }
}

/// What is known of a profile by points, at few bits: the pair above is above in both orders, and every test is one.
#[test]
fn points_at_few_bits() {
    use crate::kernel::coarse::at_most_bits;
    for of in [
        Mechanism::gaussian(2, 1).unwrap(),
        Mechanism::laplace(q(3, 2), 1).unwrap(),
    ] {
        let profile = of.profile_of_step().unwrap();
        let line = |n: i64| {
            let epsilon = q(n, 8);
            let at = profile.at(&Point::at_epsilon(&epsilon, 120)).delta;
            let u = Interval::from_rational(&epsilon, 120).exp();
            (u.lo().to_rational().unwrap(), at)
        };
        let lines: Vec<_> = (-12..=12).map(line).collect();
        for bits in [5, 7, 10] {
            let known = at_most_bits(bits, || Sampled::of(&*profile)).unwrap();
            for (u, truth) in &lines {
                let slack = q(1, 1 << 60);
                let most = delta(&known.above, u) + &slack;
                assert!(*truth.lo() <= most, "{of:?} {bits} {u}");
                let swapped = (known.above.1.clone(), known.above.0.clone());
                assert!(
                    *truth.lo() <= delta(&swapped, u) + &slack,
                    "{of:?} {bits} {u}"
                );
                for (alpha, power) in &known.tests {
                    let gain = power - Rational::from(alpha * u) - &slack;
                    assert!(*truth.hi() >= gain, "{of:?} {bits} {u}");
                }
            }
        }
    }
}

/// γ of every law is enclosed however few bits there are, and so is Ψ.
#[test]
fn laws_of_runs_at_few_bits() {
    use crate::kernel::coarse::{at_most_bits, surrounds};
    for runs in [
        Runs::logarithmic(q(3, 1)).unwrap(),
        Runs::logarithmic(q(1_000, 1)).unwrap(),
        Runs::negative_binomial(q(4, 1), q(-1, 2)).unwrap(),
        Runs::negative_binomial(q(9, 4), q(3, 2)).unwrap(),
        Runs::geometric(q(5, 1)).unwrap(),
        Runs::poisson(q(5, 2)).unwrap(),
    ] {
        let fine = runs.at(200).unwrap();
        for bits in [4, 6, 8, 11, 16] {
            let coarse = at_most_bits(bits, || runs.at(bits));
            let Some(coarse) = coarse else { continue };
            if let (RunsAt::Truncated { gamma, .. }, RunsAt::Truncated { gamma: truth, .. }) =
                (&coarse, &fine)
            {
                assert!(surrounds(gamma, truth), "{runs:?} {bits} {gamma:?}");
            }
            let (x, p) = (q(1, 3), q(2, 5));
            let at = |bits| [&x, &p].map(|x: &Rational| Interval::from_rational(x, bits));
            let ([few_x, few_p], [x, p]) = (at(bits), at(200));
            let rise = at_most_bits(bits, || coarse.rise(&few_x, &few_p));
            assert!(surrounds(&rise, &fine.rise(&x, &p)), "{runs:?} {bits}");
            let slopes = at_most_bits(bits, || coarse.slopes(&few_x, &few_p));
            assert!(surrounds(&slopes, &fine.slopes(&x, &p)), "{runs:?} {bits}");
        }
    }
    for (shape, is_law) in [
        (q(-1, 1), false),
        (q(-99, 100), true),
        (q(1_000_000, 1), true),
    ] {
        let law = Runs::negative_binomial(q(4, 1), shape.clone());
        assert_eq!(law.is_ok(), is_law, "{shape}");
    }
}

/// Ends of intervals, and outcomes that never come.
#[test]
fn ends_and_empty_outcomes() {
    let half = rug::Float::with_val(64, 0.5);
    let tiny = rug::Float::with_val(64, 1) >> (SMALLEST + 40);
    let wide = Interval::spanning(tiny, half);
    assert_eq!((down(&wide), up(&wide)), (Some(q(0, 1)), Some(q(1, 2))));
    let (p, with) = (
        [q(1, 2), q(0, 1), q(0, 1), q(1, 2)],
        [q(1, 4), q(0, 1), q(3, 8), q(3, 8)],
    );
    let sorted = by_falling_loss(&p, &with);
    assert_eq!(
        sorted,
        [(&p[2], &with[2]), (&p[3], &with[3]), (&p[0], &with[0])]
    );
}

/// Both orders of outcomes that the bounds from below are for attain them.
#[test]
fn bounds_from_below_are_attained() {
    let (p, with) = ([q(1, 2), q(3, 10), q(1, 5)], [q(1, 5), q(3, 10), q(1, 2)]);
    let known = Sampled::of(&profile(&p, &with)).unwrap();
    for runs in [
        Runs::logarithmic(q(4, 1)).unwrap(),
        Runs::geometric(q(3, 1)).unwrap(),
    ] {
        let below = known.selected_below(&runs).unwrap();
        for (found, order) in below.iter().zip([[2usize, 1, 0], [0, 1, 2]]) {
            let outcomes = order.map(|i| (p[i].clone(), with[i].clone())).to_vec();
            let masses = SelectedPair::new(runs.clone(), outcomes)
                .masses(200)
                .unwrap();
            let u = Interval::from_rational(&q(6, 5), 200);
            let gain = |(p, with): &(Interval, Interval)| with.sub(&u.mul(p)).at_least_zero();
            let sum = masses.iter().map(gain).reduce(|a, b| a.add(&b)).unwrap();
            let found = delta(found, &q(6, 5));
            assert!(found > 0 && *sum.hi() >= found, "{runs:?}");
            assert!(*sum.lo() <= found + q(1, 1 << 60), "{runs:?} {order:?}");
        }
    }
}

/// A shape of 0, or one beyond all limits, is refused.
#[test]
fn shapes_that_are_refused() {
    let of = |shape| Runs::negative_binomial(q(2, 1), shape).is_ok();
    assert!(of(q(1, 2)) && of(q(-1, 2)) && of(q(1_000_000, 1)));
    assert!(!of(q(0, 1)) && !of(q(-1, 1)) && !of(q(-2, 1)) && !of(q(1_000_001, 1)));
}
