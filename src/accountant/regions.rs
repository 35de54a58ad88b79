//! Mechanism and query drawn together, where trouble needs both: in a tail that is where the mechanism puts it.
//!
//! Whoever computes on a grid has to know the mean of one step, and to keep its tail. Both get lost in double precision in two kinds of runs,
//! of any accountant: where a large loss is rare, and where very many losses are tiny.

use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::strategy::BoxedStrategy;

use super::decimal::Decimal;
use super::model::{Model, RepeatedStep, Step};
use super::strategies::{Wish, models, powers, sampled, whole, wishes};
use crate::float::elementary::pow;

/// More steps than anybody runs.
const MOST_STEPS: f64 = 1e9;

/// Mechanisms with a query.
pub(super) fn questions() -> BoxedStrategy<(Model, Wish)> {
    prop_oneof![
        40 => (models(), wishes()),
        4 => rare_large_losses(),
        6 => many_tiny_losses(),
    ]
    .boxed()
}

/// Little noise, a tiny rate, and steps enough for the record to be drawn 1e-4 to 10 times: the loss is almost always nothing, and
/// sometimes large. A grid that spans the large losses is coarse for all others; an error of one step's mean counts as often as there are steps,
/// here up to 1e9 times; a cut of the tail cuts what matters. δ is what is left of that expected number, by a factor up to 1e8, or ε is small.
fn rare_large_losses() -> BoxedStrategy<(Model, Wish)> {
    let noise = powers(-0.52, 0.08);
    (
        noise,
        powers(-9.0, -3.0),
        -4.0f64..1.0,
        -8.0f64..-0.3,
        powers(-2.0, 1.0),
        wishes(),
        0u8..8,
    )
        .prop_map(|(sigma, rate, drawn, part, epsilon, other, which)| {
            let drawn = pow(10f64, drawn);
            let times = count(drawn / rate.to_f64());
            let delta = Decimal::near((drawn * pow(10f64, part)).min(0.3), 3);
            let wish = match which {
                0..=3 => Wish::Epsilon(delta),
                4 => Wish::DeltaWhere(delta),
                5 => Wish::Delta(epsilon),
                _ => other,
            };
            (one(sampled(Step::Gaussian(sigma), rate, times)), wish)
        })
        .boxed()
}

/// Gaussians, most of them not sampled, with 1e3 to 1e8 steps and as much noise as makes them one Gaussian with μ in 0.1 to 16 or about that: one step
/// is nothing, and its rounding and that of its mean are multiplied by the number of steps. It shows first in the far tail.
fn many_tiny_losses() -> BoxedStrategy<(Model, Wish)> {
    let rates = prop_oneof![
        3 => Just(None),
        1 => powers(-2.5, 0.0).prop_map(Some),
    ];
    let times = prop_oneof![4 => whole(3.0, 5.5), 1 => whole(5.5, 8.0)];
    (
        times,
        rates,
        -1.0f64..1.2,
        1usize..4,
        powers(-14.0, -9.0),
        wishes(),
        0u8..8,
    )
        .prop_map(|(times, rate, mu, digits, delta, other, which)| {
            let steps: f64 = Decimal::new(i64::try_from(times).unwrap_or(1), 0).to_f64();
            let share = rate.map_or(1.0, Decimal::to_f64);
            let sigma = Decimal::near((share * steps.sqrt() / pow(10f64, mu)).max(0.5), digits);
            let step = Step::Gaussian(sigma);
            let part = match rate {
                Some(rate) => sampled(step, rate, times),
                None => RepeatedStep::plain(step, times),
            };
            let wish = match which {
                0..=3 => Wish::Epsilon(delta),
                4 | 5 => Wish::DeltaWhere(delta),
                _ => other,
            };
            (one(part), wish)
        })
        .boxed()
}

fn one(part: RepeatedStep) -> Model {
    Model::of(vec![part])
}

/// A number of steps with two digits, at least 1.
fn count(steps: f64) -> u64 {
    let steps = Decimal::near(steps.clamp(1.0, MOST_STEPS), 2);
    steps.exactly().round().numer().to_u64().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    #[test]
    fn rare_losses_are_drawn_about_as_often_as_said() {
        let mut runner = TestRunner::deterministic();
        for _ in 0..200 {
            let (model, _) = rare_large_losses().new_tree(&mut runner).unwrap().current();
            let (sigma, rate, times) = model.parts[0].phase().unwrap();
            let drawn = rate.to_f64() * Decimal::new(i64::try_from(times).unwrap(), 0).to_f64();
            assert!((0.25..1.3).contains(&sigma.to_f64()), "{model:?}");
            assert!((8e-5..12.0).contains(&drawn), "{model:?}");
        }
    }

    #[test]
    fn many_tiny_losses_add_up_to_something() {
        let mut runner = TestRunner::deterministic();
        for _ in 0..200 {
            let (model, _) = many_tiny_losses().new_tree(&mut runner).unwrap().current();
            let part = &model.parts[0];
            let Step::Gaussian(sigma) = part.step else {
                panic!("{model:?}");
            };
            let steps = Decimal::new(i64::try_from(part.times).unwrap(), 0).to_f64();
            let rate = part.rate.map_or(1.0, Decimal::to_f64);
            let mu = rate * steps.sqrt() / sigma.to_f64();
            assert!(steps >= 900.0 && (0.05..25.0).contains(&mu), "{model:?}");
        }
    }
}
