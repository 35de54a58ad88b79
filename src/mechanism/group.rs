//! What a step reveals of several records that change together.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::conditions::Conditions;
use super::domain::{OutOfRange, Why};
use super::shifted::{Noise, ShiftedNoise, Shifts};
use super::step::{FiniteLosses, SampledStep, Step};
use super::steps::{Steps, noise_of};

mod guarantee;
mod pair;
mod power;

pub(super) use guarantee::{of_approx_dp, of_pure_dp, of_zcdp};
pub(super) use pair::{of_approx_dp_on_sample, of_pair, of_pair_on_sample};

/// Records of a group under Poisson sampling: their binomial weights are written out.
const MOST_RECORDS: u64 = 256;

/// The step where `records` records change instead of one.
///
/// # Errors
/// Where it is not known what a group reveals.
pub(super) fn of_step(step: &Step, records: u64) -> Result<Step, OutOfRange> {
    let times = Integer::from(records);
    match step {
        Step::Gaussian { mu_squared } => Ok(Step::Gaussian {
            mu_squared: Rational::from(mu_squared * times.square()),
        }),
        Step::Laplace { epsilon } => Ok(Step::Laplace {
            epsilon: Rational::from(epsilon * times),
        }),
        Step::DiscreteGaussian { sigma, sensitivity } => Ok(Step::DiscreteGaussian {
            sigma: sigma.clone(),
            sensitivity: multiplied(*sensitivity, records)?,
        }),
        Step::Finite(one) => match one.losses() {
            FiniteLosses::DiscreteLaplace { scale, sensitivity } => {
                Ok(Step::finite(FiniteLosses::DiscreteLaplace {
                    scale: scale.clone(),
                    sensitivity: multiplied(*sensitivity, records)?,
                }))
            }
            FiniteLosses::RandomizedResponse { .. }
            | FiniteLosses::ResponseOrUniform { .. }
            | FiniteLosses::ApproxDp { .. }
            | FiniteLosses::Pair { .. }
            | FiniteLosses::TwoOutcomes { .. }
            | FiniteLosses::LargestAnswer { .. }
            | FiniteLosses::Scores(_)
            | FiniteLosses::PickedOthers(_)
            | FiniteLosses::OppositeOthers(_)
            | FiniteLosses::NewKey { .. }
            | FiniteLosses::TruncatedGeometric { .. }
            | FiniteLosses::Points { .. }
            | FiniteLosses::Shuffled(_) => Err(unknown()),
        },
        Step::Sampled(sampled) => sampled_group(sampled, records),
        Step::Shifted(pair) => {
            if let Some(Noise::Skellam { mean, unit }) = pair.single() {
                return Ok(Step::skellam(mean, multiplied(*unit, records)?));
            }
            if let Some(Noise::GaussianSum {
                sigma,
                parties,
                unit,
            }) = pair.single()
            {
                let unit = multiplied(*unit, records)?;
                return Ok(Step::gaussian_sum(sigma, *parties, unit));
            }
            let rate = pair.rate_of_replaced().ok_or_else(unknown)?;
            let shifts = binomial(records, rate)?;
            let pair = ShiftedNoise::new(pair.noise().clone(), shifts.clone(), shifts);
            Ok(Step::Shifted(Arc::new(pair)))
        }
        Step::Closed(pair) => match pair.of_group(records) {
            Some(pair) => Ok(Step::Closed(pair)),
            None => Err(unknown()),
        },
        Step::Zcdp { .. } | Step::Rdp { .. } | Step::Labelled(_) => Err(unknown()),
    }
}

/// Noise on a Poisson sample.
fn sampled_group(sampled: &SampledStep, records: u64) -> Result<Step, OutOfRange> {
    let noise = sampled.of().single().and_then(noise_of);
    let noise = noise.ok_or_else(unknown)?;
    let with = binomial(records, sampled.rate())?;
    let pair = ShiftedNoise::new(noise, Shifts::none(), with);
    Ok(Step::Shifted(Arc::new(pair)))
}

/// How many of the records take part, as distances.
fn binomial(records: u64, rate: &Rational) -> Result<Shifts, OutOfRange> {
    let shifts = chances(records, rate)?.into_iter().zip(0u64..);
    Shifts::new(
        shifts
            .map(|(weight, shift)| (Rational::from(shift), weight))
            .collect(),
    )
}

/// The probabilities that none, one, two and so on of the records take part.
fn chances(records: u64, rate: &Rational) -> Result<Vec<Rational>, OutOfRange> {
    if records > MOST_RECORDS {
        let must = format!("must be at most {MOST_RECORDS} under Poisson sampling");
        return Err(OutOfRange::new("records", &must).because(Why::TooLarge));
    }
    let rest = Rational::from(1 - rate);
    let mut weights = vec![Rational::from(1)];
    for _ in 0..records {
        let mut next = vec![Rational::new(); weights.len().saturating_add(1)];
        for (place, weight) in weights.iter().enumerate() {
            if let Some(none) = next.get_mut(place) {
                *none += Rational::from(weight * &rest);
            }
            if let Some(one) = next.get_mut(place.saturating_add(1)) {
                *one += Rational::from(weight * rate);
            }
        }
        weights = next;
    }
    Ok(weights)
}

fn multiplied(sensitivity: u64, records: u64) -> Result<u64, OutOfRange> {
    sensitivity.checked_mul(records).ok_or_else(|| {
        OutOfRange::new(
            "records",
            "is too large: the sensitivity of the group must be below 2^64",
        )
        .because(Why::TooLarge)
    })
}

pub(super) fn unknown() -> OutOfRange {
    OutOfRange::sentence(
        "of",
        "what a group of records reveals is not built for this mechanism",
    )
    .because(Why::Unsupported)
    .help("it is for noise on a sum, pure-dp, approx-dp and finite, Poisson-sampled or not, for gdp, zcdp, and for compositions and mixtures of these; of anything else that is ε-DP state pure-dp")
}

fn guarantee(losses: FiniteLosses) -> Steps {
    Steps::one(Step::finite(losses), Conditions::GUARANTEE)
}

#[cfg(test)]
mod sides_tests;
#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
