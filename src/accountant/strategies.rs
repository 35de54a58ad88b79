//! What to ask: proptest strategies that lean towards where accountants break.
//!
//! Tiny and huge noise, long compositions, rates near 0 and 1, grids coarser than the step, infinite mass, ε below 0 and above 700, δ far
//! below the rounding of floats, heterogeneous schedules, and runs that were published, perturbed.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

use super::decimal::Decimal;
use super::model::{Model, RepeatedStep, Step};
use crate::float::elementary::pow;

/// A query before it is known where the mechanism's loss lies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wish {
    /// δ at the ε where the profile is about this.
    DeltaWhere(Decimal),
    /// δ at this ε.
    Delta(Decimal),
    /// ε at this δ.
    Epsilon(Decimal),
    /// f at this α.
    TradeOff(Decimal),
    /// f at the α where f is about this.
    TradeOffWhere(Decimal),
    /// The advantage.
    Advantage,
    /// R at this prior.
    BayesError(Decimal),
    /// μ above this floor.
    GdpMu(Decimal),
}

/// Noise, rate and steps of runs in use: language models, image models, tutorials, test suites.
const RUNS: [(f64, f64, u64); 10] = [
    (9.4, 0.32768, 2000),
    (3.0, 0.08192, 2500),
    (1.1, 0.004_266_7, 14_062),
    (1.3, 0.004_266_7, 3515),
    (0.7, 0.01, 1000),
    (0.8, 0.01, 10_000),
    (4.0, 0.01, 10_000),
    (0.5, 0.0001, 100_000),
    (1.0, 0.001, 100_000),
    (20.0, 0.5, 1000),
];

/// Mechanisms.
pub(super) fn models() -> BoxedStrategy<Model> {
    let one = |part: BoxedStrategy<RepeatedStep>| part.prop_map(|part| Model::of(vec![part]));
    prop_oneof![
        40 => one(sgd_phase()),
        16 => one(published()),
        16 => one(many_small_steps()),
        10 => one((sigmas(), counts()).prop_map(|(s, t)| RepeatedStep::plain(Step::Gaussian(s), t)).boxed()),
        4 => vec(short_phase(), 2..5).prop_map(Model::of),
        1 => vec(sgd_phase(), 2..4).prop_map(Model::of),
        1 => vec(short_phase(), 8..25).prop_map(Model::of),
        8 => one((scales(), small_counts()).prop_map(|(s, t)| RepeatedStep::plain(Step::Laplace(s), t)).boxed()),
        8 => one(responses()),
        4 => one(sampled_others()),
        6 => one(infinite_mass()),
        6 => one(finite_pairs()),
        4 => one(discrete()),
        3 => vec(plain_parts(), 2..4).prop_map(Model::of),
    ]
    .boxed()
}

/// Queries.
pub(super) fn wishes() -> BoxedStrategy<Wish> {
    prop_oneof![
        5 => deltas().prop_map(Wish::Epsilon),
        3 => deltas().prop_map(Wish::DeltaWhere),
        2 => epsilons().prop_map(Wish::Delta),
        2 => probabilities().prop_map(Wish::TradeOff),
        2 => probabilities().prop_map(Wish::TradeOffWhere),
        1 => Just(Wish::Advantage),
        1 => probabilities().prop_map(Wish::BayesError),
        2 => powers(-13.0, -1.0).prop_map(Wish::GdpMu),
    ]
    .boxed()
}

/// Decimals of one to four digits, 10^low to 10^high, evenly on a logarithmic scale.
pub(super) fn powers(low: f64, high: f64) -> BoxedStrategy<Decimal> {
    (low..high, 1usize..5)
        .prop_map(|(exponent, digits)| Decimal::near(pow(10f64, exponent), digits))
        .boxed()
}

fn sigmas() -> BoxedStrategy<Decimal> {
    let usual = [0.5, 0.6, 0.8, 1.0, 1.1, 2.0, 4.0, 9.4, 20.0];
    prop_oneof![
        6 => powers(-0.6, -0.2),
        2 => powers(-1.0, -0.6),
        1 => powers(-3.0, -1.0),
        10 => powers(-0.2, 1.0),
        4 => powers(1.0, 2.0),
        1 => powers(2.0, 6.0),
        5 => select(usual.to_vec()).prop_map(|sigma| Decimal::near(sigma, 3)),
    ]
    .boxed()
}

fn rates() -> BoxedStrategy<Decimal> {
    prop_oneof![
        3 => Just(Decimal::ONE),
        1 => (1i32..10).prop_map(|k| Decimal::new(1, -k).complement().unwrap_or(Decimal::ONE)),
        1 => powers(-9.0, -4.0),
        3 => powers(-4.0, -2.0),
        5 => powers(-2.0, -0.05),
    ]
    .boxed()
}

/// Whole numbers, 10^low to 10^high, evenly on a logarithmic scale.
pub(super) fn whole(low: f64, high: f64) -> BoxedStrategy<u64> {
    powers(low, high)
        .prop_map(|count| count.exactly().round().numer().to_u64().unwrap_or(1).max(1))
        .boxed()
}

fn counts() -> BoxedStrategy<u64> {
    prop_oneof![
        5 => Just(1u64),
        12 => 1u64..5,
        14 => whole(0.5, 2.0),
        10 => whole(2.0, 3.3),
        5 => whole(3.3, 4.5),
        2 => whole(4.5, 6.0),
        1 => whole(6.0, 8.0),
    ]
    .boxed()
}

fn small_counts() -> BoxedStrategy<u64> {
    prop_oneof![3 => Just(1u64), 3 => 2u64..20, 1 => whole(1.0, 3.0)].boxed()
}

fn scales() -> BoxedStrategy<Decimal> {
    prop_oneof![3 => powers(-0.5, 1.5), 1 => powers(-3.0, -0.5), 1 => powers(1.5, 5.0)].boxed()
}

fn sgd_phase() -> BoxedStrategy<RepeatedStep> {
    (sigmas(), rates(), counts())
        .prop_map(|(sigma, rate, times)| sampled(Step::Gaussian(sigma), rate, times))
        .boxed()
}

/// Steps whose loss is small, and many of them: grids are coarse for one step, and rounding adds up over all.
fn many_small_steps() -> BoxedStrategy<RepeatedStep> {
    (powers(0.9, 2.3), powers(-1.5, 0.0), whole(2.3, 4.0))
        .prop_map(|(sigma, rate, times)| sampled(Step::Gaussian(sigma), rate, times))
        .boxed()
}

fn short_phase() -> BoxedStrategy<RepeatedStep> {
    (powers(-0.3, 1.0), powers(-3.0, -0.3), whole(0.0, 2.5))
        .prop_map(|(sigma, rate, times)| sampled(Step::Gaussian(sigma), rate, times))
        .boxed()
}

fn published() -> BoxedStrategy<RepeatedStep> {
    (
        select(RUNS.to_vec()),
        -0.1f64..0.1,
        -0.2f64..0.2,
        prop_oneof![Just(1u64), 1u64..30],
    )
        .prop_map(|((sigma, rate, steps), noise, share, divide)| {
            let sigma = Decimal::near(sigma * (1.0 + noise), 3);
            let rate = Decimal::near((rate * (1.0 + share)).min(1.0), 3);
            sampled(Step::Gaussian(sigma), rate, (steps / divide).max(1))
        })
        .boxed()
}

/// Poisson-sampled.
pub(super) fn sampled(step: Step, rate: Decimal, times: u64) -> RepeatedStep {
    RepeatedStep {
        step,
        rate: Some(rate),
        times,
    }
}

fn response() -> BoxedStrategy<Step> {
    let answers = prop_oneof![4 => Just(2u64), 1 => 3u64..20, 1 => Just(1_000_000u64)];
    (
        prop_oneof![4 => powers(-2.0, 1.0), 1 => powers(1.0, 3.0)],
        answers,
    )
        .prop_map(|(epsilon, k)| Step::Response { epsilon, k })
        .boxed()
}

fn responses() -> BoxedStrategy<RepeatedStep> {
    (response(), small_counts())
        .prop_map(|(step, times)| RepeatedStep::plain(step, times))
        .boxed()
}

fn sampled_others() -> BoxedStrategy<RepeatedStep> {
    let step = prop_oneof![scales().prop_map(Step::Laplace), response()];
    (step, rates(), small_counts())
        .prop_map(|(step, rate, times)| sampled(step, rate, times))
        .boxed()
}

fn infinite_mass() -> BoxedStrategy<RepeatedStep> {
    (powers(-2.0, 1.0), powers(-16.0, -0.3), small_counts())
        .prop_map(|(epsilon, delta, times)| {
            RepeatedStep::plain(Step::ApproxDp { epsilon, delta }, times)
        })
        .boxed()
}

fn finite_pairs() -> BoxedStrategy<RepeatedStep> {
    let vectors = vec((0u32..40, 0u32..40), 2..4);
    (vectors, small_counts())
        .prop_map(|(weights, times)| {
            let p: Vec<u32> = weights.iter().map(|(p, _)| *p).collect();
            let q: Vec<u32> = weights.iter().map(|(_, q)| *q).collect();
            let step = Step::Finite {
                p: shares(&p),
                q: shares(&q),
            };
            RepeatedStep::plain(step, times)
        })
        .boxed()
}

/// Weights as hundredths that sum to 1, the last one taking what is left.
fn shares(weights: &[u32]) -> Vec<Decimal> {
    let total: u32 = weights.iter().sum::<u32>().max(1);
    let mut left = 100u32;
    let last = weights.len().saturating_sub(1);
    let mut found = Vec::new();
    for (place, weight) in weights.iter().enumerate() {
        let share = if place == last {
            left
        } else {
            weight.saturating_mul(100) / total
        };
        left = left.saturating_sub(share);
        found.push(Decimal::new(i64::from(share), -2));
    }
    found
}

fn discrete() -> BoxedStrategy<RepeatedStep> {
    let step = prop_oneof![
        powers(-0.7, 1.5).prop_map(Step::DiscreteGaussian),
        powers(-0.7, 1.5).prop_map(Step::DiscreteLaplace),
    ];
    (step, small_counts())
        .prop_map(|(step, times)| RepeatedStep::plain(step, times))
        .boxed()
}

fn plain_parts() -> BoxedStrategy<RepeatedStep> {
    let step = prop_oneof![
        powers(-0.3, 1.0).prop_map(Step::Gaussian),
        powers(-0.3, 1.0).prop_map(Step::Laplace),
        powers(-1.0, 0.5).prop_map(|epsilon| Step::Response { epsilon, k: 2 }),
    ];
    (step, 1u64..10)
        .prop_map(|(step, times)| RepeatedStep::plain(step, times))
        .boxed()
}

fn deltas() -> BoxedStrategy<Decimal> {
    prop_oneof![
        5 => powers(-8.0, -3.0),
        3 => powers(-11.0, -8.0),
        6 => powers(-15.0, -11.0),
        1 => powers(-18.0, -15.0),
        1 => powers(-60.0, -18.0),
        1 => powers(-3.0, -0.5),
        1 => select(vec![Decimal::new(5, -1), Decimal::new(9, -1), Decimal::new(999_999, -6)]),
        1 => Just(Decimal::new(1, -5)),
    ]
    .boxed()
}

fn epsilons() -> BoxedStrategy<Decimal> {
    prop_oneof![
        2 => Just(Decimal::ZERO),
        2 => powers(-2.0, 0.7).prop_map(|x| Decimal::near(-x.to_f64(), 3)),
        4 => powers(-2.0, 1.3),
        1 => powers(1.3, 2.8),
        1 => (690i64..760).prop_map(|x| Decimal::new(x, 0)),
    ]
    .boxed()
}

fn probabilities() -> BoxedStrategy<Decimal> {
    prop_oneof![
        3 => powers(-3.0, -0.05),
        2 => powers(-9.0, -3.0),
        1 => powers(-16.0, -9.0),
        1 => (1i32..9).prop_map(|k| Decimal::new(1, -k).complement().unwrap_or(Decimal::ONE)),
        1 => Just(Decimal::new(5, -1)),
    ]
    .boxed()
}
