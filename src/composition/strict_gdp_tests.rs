//! Strict Gaussian-DP parameters of single mechanisms and compositions.

use super::*;
use crate::composition::parts::resolve;
use crate::composition::vertex_mu::finite_mu;
use crate::kernel::{Budget, Interval, normal};
use crate::mechanism::Mechanism;
use crate::mechanism::shifted::Shifts;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn of(mechanism: &Mechanism) -> StrictMu {
    let composition = resolve(mechanism.steps(), &Budget::unlimited()).unwrap();
    strict_mu(mechanism.steps(), &composition)
}

fn sampled(rate: Rational, of: Mechanism) -> Mechanism {
    Mechanism::subsampled(rate, of).unwrap()
}

fn laplace() -> Mechanism {
    Mechanism::laplace(q(1, 1), q(1, 1)).unwrap()
}

/// Of several runs, of which the output says which one it was, that with the least noise counts, however rare it is.
#[test]
fn labelled_gaussians_are_those_of_the_largest() {
    let gaussian = |sigma| Mechanism::gaussian(sigma, q(1, 1)).unwrap();
    let twice = Mechanism::compose(vec![(gaussian(q(2, 1)), 2)]).unwrap();
    let rare = sampled(q(1, 50), gaussian(q(1, 3)));
    let mixture = |rare, weight| {
        let other = Rational::from(1 - &weight);
        Mechanism::mixture(vec![(weight, rare), (other, twice.clone())]).unwrap()
    };
    for (mechanism, square) in [
        (mixture(rare, q(1, 1000)), q(9, 1)),
        (mixture(gaussian(q(4, 1)), q(1, 2)), q(1, 2)),
    ] {
        let StrictMu::Exact { value, .. } = of(&mechanism) else {
            panic!("exact");
        };
        assert_eq!(value.square, Some(square));
    }
    let laplace = Mechanism::mixture(vec![(q(1, 2), laplace()), (q(1, 2), gaussian(q(1, 1)))]);
    assert!(!matches!(of(&laplace.unwrap()), StrictMu::Exact { .. }));
}

/// Mixtures in compositions, in mixtures and on samples: each counts as its largest part. With Laplace noise in a part, or a class beside it, that is no more than a bound.
#[test]
fn labelled_gaussians_compose() {
    let gaussian = |sigma| Mechanism::gaussian(sigma, q(1, 1)).unwrap();
    let halves = |one, other| Mechanism::mixture(vec![(q(1, 2), one), (q(1, 2), other)]).unwrap();
    let all = |of| Mechanism::compose(of).unwrap();
    let mixture = || halves(gaussian(q(1, 1)), gaussian(q(2, 1)));
    let nested = || halves(mixture(), all(vec![(gaussian(q(1, 1)), 3)]));
    for (mechanism, square) in [
        (all(vec![(mixture(), 1), (gaussian(q(1, 1)), 1)]), q(2, 1)),
        (all(vec![(mixture(), 3), (gaussian(q(1, 2)), 2)]), q(11, 1)),
        (nested(), q(3, 1)),
        (sampled(q(1, 10), mixture()), q(1, 1)),
        (all(vec![(sampled(q(1, 10), nested()), 2)]), q(6, 1)),
    ] {
        let StrictMu::Exact { value, .. } = of(&mechanism) else {
            panic!("exact: {square}");
        };
        assert_eq!(value.square, Some(square));
    }
    for mechanism in [
        all(vec![(halves(laplace(), gaussian(q(1, 1))), 2)]),
        all(vec![(mixture(), 1), (laplace(), 1)]),
        sampled(q(1, 10), halves(laplace(), gaussian(q(1, 1)))),
    ] {
        assert!(!matches!(of(&mechanism), StrictMu::Exact { .. }));
    }
}

#[test]
fn subsampling_leaves_gaussians_alone() {
    let step = |rate, sigma| sampled(rate, Mechanism::gaussian(sigma, q(1, 1)).unwrap());
    let steps = Mechanism::compose(vec![
        (step(q(1, 100), q(2, 1)), 8),
        (step(q(1, 3), q(1, 2)), 1),
    ])
    .unwrap();
    let StrictMu::Exact { value, .. } = of(&steps) else {
        panic!("exact");
    };
    assert_eq!(value.square, Some(q(6, 1)));
}

/// Randomised response: −2Φ⁻¹(1/(e^ε + 1)).
#[test]
fn response_by_its_vertex() {
    let StrictMu::Exact { value, .. } = of(&Mechanism::pure_dp(q(1, 1)).unwrap()) else {
        panic!("exact");
    };
    let level = Interval::one(200).add(&Interval::one(200).exp()).recip();
    let quantile = normal::survival_inverse(&level);
    let mu = value.enclose(128);
    assert!(mu.intersect(&quantile.add(&quantile)).is_ok());
    assert!(mu.width_up() < 1e-35);
}

/// Every vertex of the Laplace curve and the points between ask for no more than the closed form.
#[test]
fn laplace_closed_form_is_the_largest() {
    let StrictMu::Exact { value, .. } = of(&laplace()) else {
        panic!("exact");
    };
    let mu = value.enclose(128);
    let asked = |alpha: &Interval| {
        let fall = Interval::from_i64(-1, 128).exp();
        let beta = fall.div(&alpha.mul(&Interval::from_i64(4, 128)));
        normal::survival_inverse(alpha).add(&normal::survival_inverse(&beta))
    };
    let start = Interval::from_i64(-1, 128).exp();
    for step in 0..=32 {
        let power = Interval::from_rational(&q(step, 32), 128);
        let half = Interval::from_rational(&q(1, 2), 128);
        let alpha = start.mul(&power.exp()).mul(&half);
        let here = asked(&alpha);
        assert!(*here.lo() <= *mu.hi(), "{step}");
        if step == 16 {
            assert!(here.intersect(&mu).is_ok());
        }
    }
}

#[test]
fn brackets_and_refusals() {
    let StrictMu::Between {
        at_least, at_most, ..
    } = of(&sampled(q(1, 2), laplace()))
    else {
        panic!("between");
    };
    assert!(at_least.enclose(64).is_zero());
    assert!(at_most.is_some_and(|mu| mu.enclose(64).is_positive()));
    let leaky = Mechanism::approx_dp(q(1, 1), q(1, 1000)).unwrap();
    let composed = Mechanism::compose(vec![(leaky, 1), (laplace(), 5)]).unwrap();
    assert!(matches!(of(&composed), StrictMu::NoFinite { .. }));
    let discrete = Mechanism::discrete_gaussian(q(2, 1), 1).unwrap();
    let StrictMu::Between {
        at_least,
        at_most: None,
        ..
    } = of(&discrete)
    else {
        panic!("between");
    };
    assert!(at_least.enclose(64).contains(&q(1, 2)));
}

/// The search over vertices finds the maximum that a look at every vertex finds.
#[test]
fn branch_and_bound_equals_exhaustion() {
    let steps = Mechanism::compose(vec![(
        sampled(q(1, 10), Mechanism::pure_dp(q(2, 1)).unwrap()),
        60,
    )])
    .unwrap();
    let composition = resolve(steps.steps(), &Budget::unlimited()).unwrap();
    let Composition::Closed(PoweredPair {
        kind: PairKind::Finite(law),
        ..
    }) = &composition
    else {
        panic!("finite");
    };
    let numbers = law.numbers(300);
    let sum = |masses: &[Interval]| masses.iter().fold(Interval::zero(300), |sum, m| sum.add(m));
    let all = (1..law.len()).map(|j| {
        let (alpha, beta) = (sum(&numbers.without[j..]), sum(&numbers.with[..j]));
        normal::survival_inverse(&alpha).add(&normal::survival_inverse(&beta))
    });
    let most = all.reduce(|a, b| a.max(&b)).unwrap();
    let found = finite_mu(law, 128);
    assert!(found.intersect(&most).is_ok() && found.width_up() < 1e-33);
}

/// Mixtures against N(0) ask for √T·max shift/σ exactly, whatever the weights; a replaced record for something between √T/σ and 2√T/σ.
#[test]
fn shifted_gaussian_noise_by_its_tails() {
    let mixture = Mechanism::gaussian_mixture(
        2,
        vec![q(0, 1), q(1, 1), q(3, 1)],
        vec![q(1, 2), q(49, 100), q(1, 100)],
    );
    let steps = Mechanism::compose(vec![(mixture.unwrap(), 8)]).unwrap();
    let StrictMu::Exact { value, .. } = of(&steps) else {
        panic!("exact");
    };
    assert_eq!(value.square, Some(q(18, 1)));

    let step = sampled(q(1, 10), Mechanism::gaussian_sum(2, 1).unwrap());
    let steps = Mechanism::compose(vec![(step, 8)]).unwrap();
    let replaced = steps.under(crate::mechanism::Relation::ReplaceOne).unwrap();
    let StrictMu::Between {
        at_least, at_most, ..
    } = of(&replaced)
    else {
        panic!("between");
    };
    assert_eq!(at_least.square, Some(q(2, 1)));
    assert_eq!(at_most.unwrap().square, Some(q(8, 1)));

    // With other noise beside it.
    let noise = Mechanism::laplace_sum(1, 1).unwrap();
    let both = Mechanism::compose(vec![(steps, 1), (noise, 1)]).unwrap();
    let both = both.under(crate::mechanism::Relation::ReplaceOne).unwrap();
    let StrictMu::Between {
        at_least, at_most, ..
    } = of(&both)
    else {
        panic!("between");
    };
    let (low, high) = (at_least.enclose(128), at_most.unwrap().enclose(128));
    assert!(low.square().hi() >= &2 && high.square().lo() > &8);
}

/// Tails of mixtures on both sides: Q far up against P, and P far up against Q.
#[test]
fn tails_of_mixtures_on_both_sides() {
    let shifts = |list: &[(i64, i64)]| {
        let total: i64 = list.iter().map(|(weight, _)| weight).sum();
        let list = list
            .iter()
            .map(|(weight, shift)| (q(*shift, 1), q(*weight, total)));
        Shifts::new(list.collect()).unwrap()
    };
    let noise = Noise::Gaussian {
        unit_squared: q(1, 4),
    };
    let pair = ShiftedNoise::new(
        noise,
        shifts(&[(1, 1), (2, 2)]),
        shifts(&[(1, 3), (1, 5), (1, 7)]),
    );
    let tails = ShiftedTails::of(&pair, &q(1, 4));
    // 7 + 1, 2 + 3 and 7 + 2 in units of 1/2.
    assert_eq!(
        (tails.stated, tails.swapped, tails.farthest),
        (q(16, 1), q(25, 4), q(81, 4))
    );
}

/// A table that tells nothing leaves no power tails, whatever runs beside it.
#[test]
fn tables_of_nothing_have_no_tails() {
    let nothing = || Mechanism::rdp(vec![(q(2, 1), q(0, 1))]).unwrap();
    let zcdp = |rho| Mechanism::zcdp(rho).unwrap();
    let both = Mechanism::compose(vec![(nothing(), 1), (zcdp(q(1, 2)), 1)]).unwrap();
    assert!(!matches!(of(&both), StrictMu::NoFinite { .. }));
    let table = Mechanism::rdp(vec![(q(2, 1), q(1, 3))]).unwrap();
    let both = Mechanism::compose(vec![(table, 1), (zcdp(q(1, 2)), 1)]).unwrap();
    assert!(matches!(of(&both), StrictMu::NoFinite { .. }));
}

fn from_text(text: &str) -> Mechanism {
    let file = crate::input::mechanism_from_bytes("test", text.as_bytes());
    file.unwrap().mechanism
}

/// Steps that have the tails of Gaussians of μ² = 1/4, three times, and of μ² = 1, twice.
#[test]
fn gaussian_tails_add_up() {
    let allocation =
        from_text(r#"{"kind":"random-allocation","steps":10,"of":{"kind":"gaussian","sigma":2}}"#);
    let gaussian = Mechanism::gaussian(q(1, 1), q(1, 1)).unwrap();
    let both = Mechanism::compose(vec![(allocation, 3), (gaussian, 2)]).unwrap();
    assert_eq!(gaussian_tails(both.steps()), Some(q(11, 4)));
}

/// Of a pair of which no μ is known nothing is said.
#[test]
fn pairs_without_a_known_mu() {
    let allocation =
        from_text(r#"{"kind":"random-allocation","steps":10,"of":{"kind":"gaussian","sigma":2}}"#);
    let Some(Step::Closed(pair)) = allocation.steps().single() else {
        panic!("closed");
    };
    assert!(pair.strict_mu(64).is_none());
    let found = Mu::of_closed(pair).enclose(64);
    assert!(*found.lo() == 0 && found.hi().is_infinite(), "{found:?}");
}

/// Mixtures of shifted discrete Gaussians by the distance of their tails, in units of σ.
#[test]
fn discrete_mixtures_by_their_tails() {
    let shifts = |list: Vec<(i64, i64)>| {
        let list = list
            .into_iter()
            .map(|(shift, weight)| (q(shift, 1), q(weight, 4)));
        Shifts::new(list.collect()).unwrap()
    };
    let noise = Noise::DiscreteGaussian {
        sigma: q(7, 2),
        unit: 2,
    };
    let pair = ShiftedNoise::new(noise, shifts(vec![(0, 4)]), shifts(vec![(1, 1), (3, 3)]));
    let Some(Base::DiscreteGaussian(square)) = Base::of_shifted(&pair) else {
        panic!("discrete");
    };
    let apart = pair.tails_apart() * 2u32 / q(7, 2);
    assert_eq!(square, apart.square());
    assert!(square > 0);
    // The sum of three parties has three times the variance.
    let noise = Noise::GaussianSum {
        sigma: q(7, 2),
        parties: 3,
        unit: 2,
    };
    let pair = ShiftedNoise::new(noise, shifts(vec![(0, 4)]), shifts(vec![(1, 1), (3, 3)]));
    let Some(Base::DiscreteGaussian(of_sum)) = Base::of_shifted(&pair) else {
        panic!("discrete");
    };
    assert_eq!(of_sum * 3u32, square);
}

/// Beside Gaussian noise ρ adds up, and what is enough for the sum is enough.
#[test]
fn concentrated_mechanisms_beside_others() {
    let noise = Mechanism::gaussian_with_mu_squared(q(1, 4)).unwrap();
    let both = Mechanism::compose(vec![(Mechanism::zcdp(q(1, 2)).unwrap(), 1), (noise, 1)]);
    let StrictMu::Between {
        at_least,
        at_most: Some(at_most),
        ..
    } = of(&both.unwrap())
    else {
        panic!("between");
    };
    assert_eq!(at_least.square, Some(q(5, 4)));
    let enough = crate::composition::concentrated::enough(&q(5, 8), 128);
    assert_eq!(at_most.enclose(128).hi(), enough.hi());
}
