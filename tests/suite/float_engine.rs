//! The float engine against certified enclosures of random mechanisms, and where it fails.
//!
//! `DPCMP_TEST_SCALE` multiplies the number of random mechanisms.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::soundness_support::cases;
use dpcmp::analysis::{Goal, Resources, Subject};
use dpcmp::bounds::{GdpForm, Target};
use dpcmp::float::{
    Curve, Density, Unsupported, divergence, peaks, symmetric_divergence, weighted_divergence,
};
use dpcmp::kernel::Budget;
use dpcmp::mechanism::{Adjacency, Epsilon, Kind, Mechanism};
use dpcmp::statement::Query;
use proptest::prelude::*;
use rug::Rational;

/// Absolute error of δ, f, R and the advantage of a composition.
const PROBABILITY: f64 = 1e-6;
/// The same where finite laws have no common lattice: atoms stay visible, and are blurred by some points of the grid.
const BLURRED: f64 = 1e-4;
/// Relative error of δ ≥ 1e-12.
const RELATIVE: f64 = 1e-3;
/// Error of ε where δ ≥ 1e-8, relative to the range of the loss.
const EPSILON: f64 = 1e-4;
/// Error of μ with a tolerance.
const MU: f64 = 1e-4;
/// The same where finite laws have no common lattice.
const BLURRED_MU: f64 = 1e-3;

const ADJACENCIES: [Adjacency; 3] = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove];

fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::from((numerator, denominator))
}

fn gaussian(sigma: Rational) -> Mechanism {
    Mechanism::gaussian(sigma, ratio(1, 1)).unwrap()
}

fn laplace(scale: Rational) -> Mechanism {
    Mechanism::laplace(scale, ratio(1, 1)).unwrap()
}

fn sampled(rate: Rational, of: Mechanism) -> Mechanism {
    Mechanism::subsampled(rate, of).unwrap()
}

fn times(of: Mechanism, times: u64) -> Mechanism {
    Mechanism::compose(vec![(of, times)]).unwrap()
}

fn dp_sgd() -> Mechanism {
    times(sampled(ratio(16384, 50000), gaussian(ratio(94, 10))), 2000)
}

fn step() -> impl Strategy<Value = Mechanism> {
    let plain = prop_oneof![
        (5i64..60).prop_map(|n| gaussian(ratio(n, 10))),
        (5i64..60).prop_map(|n| laplace(ratio(n, 10))),
        ((1i64..30), (2u64..5))
            .prop_map(|(n, k)| Mechanism::randomized_response(ratio(n, 10), k).unwrap()),
        proptest::collection::vec((1i64..9, 1i64..9), 2..4).prop_map(|weights| {
            let total = |of: fn(&(i64, i64)) -> i64| weights.iter().map(of).sum::<i64>();
            let (p, q) = (total(|w| w.0), total(|w| w.1));
            Mechanism::finite(
                weights.iter().map(|w| ratio(w.0, p)).collect(),
                weights.iter().map(|w| ratio(w.1, q)).collect(),
            )
            .unwrap()
        }),
    ];
    let subsampled = ((5i64..40), (1i64..60))
        .prop_map(|(sigma, rate)| sampled(ratio(rate, 100), gaussian(ratio(sigma, 10))));
    prop_oneof![2 => plain, 1 => subsampled]
}

fn mechanism() -> impl Strategy<Value = Mechanism> {
    prop_oneof![
        1 => step(),
        2 => (step(), 1u64..200).prop_map(|(step, count)| times(step, count)),
        1 => proptest::collection::vec((step(), 1u64..20), 2..3)
            .prop_map(|of| Mechanism::compose(of).unwrap()),
    ]
}

/// Is there a finite law with more than two losses, or one beside other steps?
fn has_no_lattice(mechanism: &Mechanism) -> bool {
    match mechanism.kind() {
        Kind::Composition(composition) => {
            let of = composition.of();
            of.iter().any(|(part, _)| has_no_lattice(part)) || of.len() > 1
        }
        Kind::Finite(pair) => pair.p().len() > 2,
        _ => false,
    }
}

fn curve(mechanism: &Mechanism, adjacency: Adjacency) -> Curve {
    Curve::new(mechanism, adjacency).unwrap()
}

/// The ends of a certified enclosure.
fn certified(subject: &Subject, query: &Query) -> (f64, f64) {
    let budget = Budget::new(Duration::from_secs(2), Arc::new(AtomicBool::new(false)));
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| {},
    };
    let goal = Goal::Width(Target::Relative(ratio(1, 1000)));
    match subject.answer(query, &goal, &resources) {
        Ok(answer) => (
            answer.enclosure.lower().to_f64(),
            answer.enclosure.upper().to_f64(),
        ),
        Err(_) => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

fn subject(mechanism: &Mechanism, adjacency: Adjacency) -> Subject {
    let budget = Budget::new(Duration::from_secs(10), Arc::new(AtomicBool::new(false)));
    Subject::new(mechanism, adjacency, &budget).unwrap()
}

/// An estimate lies in an enclosure, or this far outside at most.
fn agrees(value: f64, (lower, upper): (f64, f64), slack: f64) -> bool {
    value >= lower - slack && value <= upper + slack
}

proptest! {
    #![proptest_config(cases(3))]

    /// Estimates lie within certified enclosures, widened by the accuracy that the module claims.
    #[test]
    fn estimates_lie_in_certified_enclosures(
        mechanism in mechanism(),
        adjacency in proptest::sample::select(&ADJACENCIES[..]),
        place in -20i64..60,
        small in 2i32..8,
        share in 1i64..99,
    ) {
        let curve = curve(&mechanism, adjacency);
        let subject = subject(&mechanism, adjacency);
        let ask = |query: Query| certified(&subject, &query);

        let (probability, mu) = if has_no_lattice(&mechanism) { (BLURRED, BLURRED_MU) } else { (PROBABILITY, MU) };
        let epsilon = ratio(place, 10);
        let delta = curve.delta(epsilon.to_f64());
        let truth = ask(Query::delta_at(Epsilon::from(epsilon)));
        prop_assert!(agrees(delta, truth, probability), "delta {delta} {truth:?}");
        if truth.0 >= 1e-12 && !has_no_lattice(&mechanism) {
            prop_assert!(agrees(delta, truth, RELATIVE * truth.1), "delta {delta} {truth:?}");
        }

        let small = Rational::from((1, 10u64.pow(small.unsigned_abs())));
        let (low, high) = curve.loss_range();
        let found = curve.epsilon(small.to_f64());
        let truth = ask(Query::epsilon(small).unwrap());
        prop_assert!(agrees(found, truth, EPSILON * (high - low)), "epsilon {found} {truth:?}");

        let share = ratio(share, 100);
        let found = curve.tradeoff(share.to_f64());
        let truth = ask(Query::trade_off(share.clone()).unwrap());
        prop_assert!(agrees(found, truth, probability), "trade-off {found} {truth:?}");

        let found = curve.bayes_error(share.to_f64());
        let truth = ask(Query::bayes_error(share).unwrap());
        prop_assert!(agrees(found, truth, probability), "Bayes error {found} {truth:?}");

        let found = curve.advantage();
        let truth = ask(Query::advantage());
        prop_assert!(agrees(found, truth, probability), "advantage {found} {truth:?}");

        let found = curve.minimax_risk();
        let truth = ask(Query::minimax_risk());
        prop_assert!(agrees(found, truth, probability), "minimax risk {found} {truth:?}");

        let tolerance = ratio(1, 1_000_000);
        let found = curve.mu_with_tolerance(tolerance.to_f64());
        let truth = ask(Query::gdp_mu_as(GdpForm::Tolerance(tolerance.clone())).unwrap());
        prop_assert!(agrees(found, truth, mu), "mu {found} {truth:?}");

        let found = curve.mu_above_floor(tolerance.to_f64());
        let truth = ask(Query::gdp_mu_as(GdpForm::ErrorFloor(tolerance)).unwrap());
        prop_assert!(agrees(found, truth, mu), "mu above floor {found} {truth:?}");
    }

    /// Identities that hold whatever the numbers are.
    #[test]
    fn divergences_obey_their_identities(a in step(), b in step(), adjacency in proptest::sample::select(&ADJACENCIES[..])) {
        let (a, b) = (curve(&a, adjacency), curve(&b, adjacency));
        let there = divergence(&a, &b);
        // The maximum is attained where it says.
        let gap = a.bayes_error(there.prior) - b.bayes_error(there.prior);
        prop_assert!((there.value - gap.max(0.0)).abs() < 1e-12, "{there:?} {gap}");
        for i in 1..100 {
            let prior = f64::from(i) / 100.0;
            prop_assert!(a.bayes_error(prior) - b.bayes_error(prior) <= there.value + 1e-9);
        }
        let both = symmetric_divergence(&a, &b).value;
        prop_assert!(both == there.value.max(divergence(&b, &a).value));
        prop_assert!(divergence(&a, &a).value == 0.0);
        let uniform = weighted_divergence(&a, &b, &Density::Beta { a: 1.0, b: 1.0 });
        prop_assert!((uniform.value - there.value).abs() < 1e-9);
        let perfect = Curve::gaussian(0.0);
        let half_advantage = divergence(&perfect, &a).value;
        prop_assert!((half_advantage - a.advantage() / 2.0).abs() < 1e-9);
        prop_assert!(peaks(&a, &b).iter().all(|places| !places.is_empty()));
    }
}

/// Published or certified elsewhere: De et al. 2022.
#[test]
fn dp_sgd_of_de_et_al() {
    let curve = curve(&dp_sgd(), Adjacency::AddRemove);
    let close = |found: f64, truth: f64, slack: f64| {
        assert!((found - truth).abs() < slack, "{found} {truth}")
    };
    close(curve.epsilon(1e-5), 7.424379, 2e-6);
    close(curve.advantage(), 0.56460428, 1e-7);
    close(curve.mu_with_tolerance(1e-10), 1.565317, 2e-6);
    close(curve.mu_above_floor(1e-10), 1.566946, 2e-5);
    close(curve.strict_mu(), 2000f64.sqrt() / 9.4, 1e-12);
    // Swapping the pair: δ_(Q,P)(u) = 1 − u + u·δ_(P,Q)(1/u), so the advantage is the same.
    let remove = self::curve(&dp_sgd(), Adjacency::Remove);
    let add = self::curve(&dp_sgd(), Adjacency::Add);
    close(add.epsilon(1e-5), 7.357178, 2e-6);
    close(
        remove.regret(remove.mu_with_tolerance(1e-10)),
        7.971e-4,
        1e-7,
    );
    // R of the symmetrised curve is the smaller one, so its regret is smaller too.
    assert!(curve.regret(1.5653) < remove.regret(1.5653));
    close(remove.advantage(), add.advantage(), 1e-9);
}

/// Closed forms: Δ(G_1‖Laplace_1) and back; randomised response against G_μ*.
#[test]
fn divergences_in_closed_form() {
    let laplace = curve(&laplace(ratio(1, 1)), Adjacency::AddRemove);
    let gaussian = curve(&gaussian(ratio(1, 1)), Adjacency::AddRemove);
    let there = divergence(&gaussian, &laplace);
    let back = divergence(&laplace, &gaussian);
    assert!((there.value - 0.005).abs() < 1e-3, "{there:?}");
    assert!((back.value - 0.034).abs() < 1e-3, "{back:?}");
    let response = Mechanism::randomized_response(ratio(1, 1), 2).unwrap();
    let response = curve(&response, Adjacency::AddRemove);
    assert!((response.regret_of_strict_mu() - 0.058).abs() < 1e-3);
    // 12(π − ½)² is 0 in the middle, where the uniform density has its maximum.
    let weighted = weighted_divergence(&laplace, &gaussian, &Density::UQuadratic);
    assert!(
        weighted.value > 0.0 && (weighted.prior - 0.5).abs() > 0.05,
        "{weighted:?}"
    );
}

/// Half of the mass at an end of the support, off the grid: what interpolation carries beyond must not be lost.
#[test]
fn atoms_at_the_ends_keep_their_mass() {
    let coin = Mechanism::finite(
        vec![ratio(1, 5), ratio(4, 5)],
        vec![ratio(1, 2), ratio(1, 2)],
    )
    .unwrap();
    let both = Mechanism::compose(vec![(laplace(ratio(5, 2)), 1), (coin, 1)]).unwrap();
    // The coin alone decides at ε = 0: its losses are farther from 0 than any of Laplace's.
    let found = curve(&both, Adjacency::Remove).delta(0.0);
    assert!((found - 0.3).abs() < PROBABILITY, "{found}");
}

/// A tail probability of 1e-27 is still right: the copy of the law that is scaled_p there knows it.
#[test]
fn small_probabilities_keep_their_digits() {
    let nearly_one = ratio(999_999_999, 1_000_000_000);
    let gaussians = [(ratio(1, 1), 1), (ratio(2, 1), 4)];
    let parts: Vec<_> = gaussians
        .iter()
        .map(|(sigma, n)| (sampled(nearly_one.clone(), gaussian(sigma.clone())), *n))
        .collect();
    let composed = curve(&Mechanism::compose(parts).unwrap(), Adjacency::Remove);
    // μ² = 1 + 4/4; sampling all but always moves each loss by 1e-9, and log δ falls by less than 10 per unit of ε.
    let closed = Curve::gaussian(2f64.sqrt());
    for epsilon in [-10.0, -2.0, 0.0, 3.0, 8.0, 12.0, 16.0] {
        let (found, truth) = (composed.delta(epsilon), closed.delta(epsilon));
        assert!(
            (found / truth - 1.0).abs() < 1e-5,
            "{epsilon}: {found} {truth}"
        );
    }
}

/// Three losses without a common lattice, too many steps to multiply out: the atoms are still visible, and blurred.
#[test]
fn laws_without_a_lattice_are_blurred() {
    let law = Mechanism::finite(
        vec![ratio(6, 17), ratio(4, 17), ratio(7, 17)],
        vec![ratio(7, 15), ratio(1, 5), ratio(1, 3)],
    )
    .unwrap();
    let composed = times(law, 94);
    let found = curve(&composed, Adjacency::Remove).delta(0.0);
    let query = Query::delta_at(Epsilon::from(Rational::new()));
    let truth = certified(&subject(&composed, Adjacency::Remove), &query);
    assert!(agrees(found, truth, BLURRED), "{found} {truth:?}");
    assert!(!agrees(found, truth, 1e-6), "{found} {truth:?}");
}

/// Far beyond, the estimate is worthless, and says 0 where the truth is not: Gaussian composition as a grid.
#[test]
fn it_fails_in_the_far_tail() {
    let nearly_one = sampled(ratio(999_999, 1_000_000), gaussian(ratio(1, 1)));
    let composed = curve(&times(nearly_one, 2), Adjacency::Remove);
    let closed = Curve::gaussian(2f64.sqrt());
    let (found, truth) = (composed.delta(45.0), closed.delta(45.0));
    assert!(truth > 1e-220 && truth < 1e-200, "{truth}");
    assert!((found / truth - 1.0).abs() > 0.5, "{found} {truth}");
}

/// Strict μ* of a composition that no theorem covers is only a lower estimate.
#[test]
fn it_fails_at_strict_mu_of_mixed_compositions() {
    let mixed = Mechanism::compose(vec![
        (laplace(ratio(1, 1)), 3),
        (sampled(ratio(1, 100), gaussian(ratio(1, 2))), 5),
    ])
    .unwrap();
    let found = curve(&mixed, Adjacency::AddRemove).strict_mu();
    let truth = certified(
        &subject(&mixed, Adjacency::AddRemove),
        &Query::gdp_mu_as(GdpForm::Strict).unwrap(),
    );
    assert!(
        truth.0 < truth.1 && found >= truth.0 - 1e-9 && found <= truth.1,
        "{found} {truth:?}"
    );
}

/// δ within 1e-16 of 1 cannot be inverted.
#[test]
fn it_fails_next_to_one() {
    let closed = Curve::gaussian(1.0);
    assert_eq!(closed.epsilon(1.0 - 1e-17), f64::NEG_INFINITY);
}

/// Nothing panics, nothing takes long, nothing is NaN.
#[test]
fn extreme_mechanisms() {
    let tiny = Rational::from(1) >> 1000u32;
    let huge = Rational::from(1) << 3000u32;
    let million_million = 1_000_000_000_000;
    let mechanisms = [
        times(
            sampled(tiny.clone(), gaussian(ratio(1, 1))),
            million_million,
        ),
        times(
            sampled(ratio(1, 1000), gaussian(huge.clone())),
            million_million,
        ),
        times(
            sampled(ratio(1, 1000), gaussian(huge.clone().recip())),
            million_million,
        ),
        times(sampled(ratio(1, 2), gaussian(ratio(1, 1))), million_million),
        times(
            sampled(ratio(1, 10_000_000), gaussian(ratio(1, 1))),
            million_million,
        ),
        times(laplace(huge.clone()), million_million),
        times(laplace(tiny.clone()), million_million),
        times(sampled(ratio(1, 2), laplace(tiny)), 7),
        times(
            Mechanism::randomized_response(ratio(1, 1_000_000), 2).unwrap(),
            million_million,
        ),
        times(Mechanism::discrete_gaussian(huge, 1).unwrap(), 3),
    ];
    for (number, mechanism) in mechanisms.iter().enumerate() {
        for (place, adjacency) in ADJACENCIES.into_iter().enumerate() {
            if !crate::soundness_support::is_asked(number + place, 6) {
                continue;
            }
            let curve = curve(mechanism, adjacency);
            let other = Curve::gaussian(1.0);
            let values = [
                curve.delta(1.0),
                curve.delta(-1e300),
                curve.delta(f64::INFINITY),
                curve.epsilon(1e-5),
                curve.epsilon(0.0),
                curve.tradeoff(0.01),
                curve.bayes_error(0.3),
                curve.minimax_risk(),
                curve.strict_mu(),
                curve.mu_with_tolerance(1e-10),
                curve.mu_above_floor(1e-10),
                curve.regret_of_strict_mu(),
                divergence(&curve, &other).value,
                weighted_divergence(&other, &curve, &Density::Beta { a: 0.5, b: 0.5 }).value,
            ];
            assert!(
                values.iter().all(|value| !value.is_nan()),
                "{mechanism:?} {values:?}"
            );
        }
    }
    // A million million steps at rate 1e-7: the normal limit with μ = q·√(T(e − 1)).
    let limit = Curve::gaussian(1e-7 * 1e6 * (1f64.exp() - 1.0).sqrt());
    let found = curve(&mechanisms[4], Adjacency::Remove).advantage();
    assert!(
        (found / limit.advantage() - 1.0).abs() < 1e-3,
        "{found} {}",
        limit.advantage()
    );
    let response = curve(&mechanisms[8], Adjacency::Remove).advantage();
    let limit = Curve::gaussian(1.0).advantage();
    assert!((response / limit - 1.0).abs() < 1e-5, "{response} {limit}");
}

#[test]
fn guarantees_without_a_pair_are_refused() {
    let zcdp = Mechanism::zcdp(ratio(1, 2)).unwrap();
    let refused = Curve::new(&zcdp, Adjacency::Remove).map(|_| ());
    assert_eq!(refused, Err(Unsupported::Mechanism("zcdp")));
}
