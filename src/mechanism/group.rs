//! What a step reveals of several records that change together.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::conditions::Conditions;
use super::domain::{OutOfRange, Why};
use super::epsilon::{Epsilon, StatedEpsilon};
use super::shifted::{Noise, ShiftedNoise, Shifts};
use super::step::{FiniteLosses, SampledStep, Step};
use super::steps::{Steps, noise_of};
use crate::kernel::Interval;

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
            | FiniteLosses::PickedOthers(_)
            | FiniteLosses::NewKey { .. }
            | FiniteLosses::Points { .. }
            | FiniteLosses::Shuffled(_) => Err(unknown()),
        },
        Step::Sampled(sampled) => sampled_group(sampled, records),
        Step::Shifted(pair) => {
            if let Some(Noise::Skellam { mean, unit }) = pair.single() {
                return Ok(Step::skellam(mean, multiplied(*unit, records)?));
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

/// How many of the records take part.
fn binomial(records: u64, rate: &Rational) -> Result<Shifts, OutOfRange> {
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
    let shifts = weights.into_iter().zip(0u64..);
    Shifts::new(
        shifts
            .map(|(weight, shift)| (Rational::from(shift), weight))
            .collect(),
    )
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
        "what a group of records reveals is not known for this mechanism",
    )
    .because(Why::Unsupported)
    .help("it is for noise on a sum, Poisson-sampled or not, gdp, pure-dp, approx-dp, zcdp, and compositions and mixtures of these")
}

/// A group of `records ≥ 2` under ε-DP: discrete Laplace noise whose unit is worth ε, shifted by as many units, attained (`proofs/README.md`, N12).
///
/// # Errors
/// If the group is too large.
pub(super) fn of_pure_dp(epsilon: &Epsilon, records: u64) -> Result<Steps, OutOfRange> {
    let losses = match epsilon.stated() {
        _ if epsilon.is_zero() => FiniteLosses::RandomizedResponse {
            epsilon: epsilon.clone(),
            k: 2,
        },
        StatedEpsilon::Number(epsilon) => FiniteLosses::DiscreteLaplace {
            scale: epsilon.clone().recip(),
            sensitivity: records,
        },
        StatedEpsilon::Exp(u) => geometric(u, records)?,
    };
    Ok(Steps::one(Step::finite(losses), Conditions::GUARANTEE))
}

/// That noise with x = 1/u: mass (1 − x)/(1 + x)·x^|j| at j. All places up to 0 have the same loss, and all from `records` on.
fn geometric(u: &Rational, records: u64) -> Result<FiniteLosses, OutOfRange> {
    small_enough(&StatedEpsilon::Exp(u.clone()), records)?;
    let inverse = u.clone().recip();
    let end = Rational::from(&inverse + 1u32).recip();
    let inside = Rational::from(1 - &inverse) * &end;
    let mut p = vec![end.clone()];
    let mut power = inverse.clone();
    for _ in 1..records {
        p.push(Rational::from(&inside * &power));
        power *= &inverse;
    }
    p.push(end * power);
    let q: Vec<Rational> = p.iter().rev().cloned().collect();
    Ok(FiniteLosses::Pair {
        p: p.into(),
        q: q.into(),
    })
}

/// A group of `records ≥ 2` under (ε, δ)-DP.
///
/// Above: 1 − (1 − f)^∘k, where 1 − f is the smallest of three lines (`proofs/README.md`, N13). A member says everything with probability δ, and is
/// otherwise the one of [`of_pure_dp`].
///
/// # Errors
/// If the group is too large.
pub(super) fn of_approx_dp(
    epsilon: &Epsilon,
    delta: &Rational,
    records: u64,
) -> Result<Steps, OutOfRange> {
    let guarantee = |losses| Steps::one(Step::finite(losses), Conditions::GUARANTEE);
    let pure = of_pure_dp(epsilon, records)?;
    if delta.is_zero() {
        return Ok(pure);
    }
    small_enough(epsilon.stated(), records)?;
    let (zero, one) = (Rational::new(), Rational::from(1));
    let everything = guarantee(FiniteLosses::Pair {
        p: vec![one.clone(), zero.clone()].into(),
        q: vec![zero, one.clone()].into(),
    });
    if *delta == 1 {
        return Ok(everything);
    }
    let rest = Rational::from(1 - delta);
    let member = Steps::labelled(vec![(delta.clone(), everything.clone()), (rest, pure)]);
    let points = points(epsilon, delta, records)?;
    let most = if points.is_empty() {
        everything
    } else {
        guarantee(FiniteLosses::Points {
            points: points.into(),
        })
    };
    Ok(Steps::between([member], most))
}

/// Bits of the largest number that is written out.
const MOST_BITS: u64 = 1 << 15;

/// Bits of δ where e^ε is not rational.
const POINT_BITS: u32 = 256;

/// The points ((a − b)ε, 1 − e^{−bε}(1 − δ(S_a + S_b))) of the profile, a + b = `records`, a ≥ b, S_n = 1 + e^ε + … + e^{(n − 1)ε}; δ rounded up.
/// Those that say nothing are left out.
fn points(
    epsilon: &Epsilon,
    delta: &Rational,
    records: u64,
) -> Result<Vec<(Epsilon, Rational)>, OutOfRange> {
    let power = |times: u64| match epsilon.stated() {
        StatedEpsilon::Number(epsilon) => Ok(Epsilon::from(Rational::from(
            epsilon * Integer::from(times),
        ))),
        StatedEpsilon::Exp(u) => {
            let mut power = Rational::from(1);
            for _ in 0..times {
                power *= u;
            }
            Epsilon::log_of(power)
        }
    };
    // Of e^{nε} an upper and a lower bound.
    let ends = |n: u64| -> Result<(Rational, Rational), OutOfRange> {
        Ok(match power(n)?.stated() {
            StatedEpsilon::Exp(u) => (u.clone(), u.clone()),
            StatedEpsilon::Number(zero) if zero.is_zero() => (Rational::from(1), Rational::from(1)),
            StatedEpsilon::Number(epsilon) => {
                let u = Interval::from_rational(epsilon, POINT_BITS).exp();
                let end = |end: &rug::Float| end.to_rational().ok_or_else(too_private);
                (end(u.hi())?, end(u.lo())?)
            }
        })
    };
    let mut sums = vec![Rational::new()];
    let mut powers = Vec::new();
    let mut sum = Rational::new();
    for n in 0..records {
        let (above, below) = ends(n)?;
        sum += &above;
        sums.push(sum.clone());
        powers.push((above, below));
    }
    let mut found: Vec<(Epsilon, Rational)> = Vec::new();
    for b in 0..=(records / 2) {
        let a = records.saturating_sub(b);
        let at = |n: u64| usize::try_from(n).ok().and_then(|n| sums.get(n));
        let place = usize::try_from(b).ok().and_then(|b| powers.get(b));
        let (Some(more), Some(less), Some((above, below))) = (at(a), at(b), place) else {
            continue;
        };
        let left = 1 - Rational::from(more + less) * delta;
        // e^{−bε} is 1/above from below and 1/below from above.
        let gain = if left >= 0 {
            left / above
        } else {
            left / below
        };
        let delta = 1 - gain;
        if delta < 1 {
            found.push((power(a.saturating_sub(b))?, delta));
        }
    }
    // Without a loss of the first guarantee all points are at 0, and say the same.
    if epsilon.is_zero() {
        found.truncate(1);
    }
    Ok(found)
}

fn too_private() -> OutOfRange {
    OutOfRange::sentence(
        "records",
        "e^(records * epsilon) is too large to be written out",
    )
    .because(Why::TooLarge)
}

/// Are there few records, and a number of few digits? Powers of it, or of its exponential, are written out.
fn small_enough(epsilon: &StatedEpsilon, records: u64) -> Result<(), OutOfRange> {
    if records > MOST_RECORDS {
        let must = format!("must be at most {MOST_RECORDS} for this guarantee");
        return Err(OutOfRange::new("records", &must).because(Why::TooLarge));
    }
    let bits = |number: &Rational| {
        let bits = number.numer().significant_bits();
        u64::from(bits.max(number.denom().significant_bits())).saturating_mul(records)
    };
    let is_small = match epsilon {
        StatedEpsilon::Exp(u) => bits(u) <= MOST_BITS,
        StatedEpsilon::Number(epsilon) => {
            bits(epsilon) <= MOST_BITS
                && Rational::from(epsilon * Integer::from(records)) <= MOST_BITS
        }
    };
    if is_small { Ok(()) } else { Err(too_private()) }
}

/// A group of `records` under ρ-zCDP is (records²·ρ)-zCDP, and Gaussian noise that is ρ-zCDP has a group that is no better (`proofs/README.md`, N14).
pub(super) fn of_zcdp(rho: &Rational, records: u64) -> Steps {
    let rho = Rational::from(rho * Integer::from(records).square());
    let mu_squared = Rational::from(&rho * 2u32);
    Steps::between(
        [Steps::one(
            Step::Gaussian { mu_squared },
            Conditions::GUARANTEE,
        )],
        Steps::one(Step::Zcdp { rho }, Conditions::GUARANTEE),
    )
}

#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
