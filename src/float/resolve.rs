//! From the normal form of a mechanism to its pair.

use std::sync::Arc;

use super::Unsupported;
use super::compose::{compose, in_time};
use super::elementary::{exp, ln};
use super::grid::Listing;
use super::integers;
use super::law::{Atom, Law};
use super::mixtures::Mixtures;
use super::pair::Pair;
use super::profiled::Profiled;
use super::real::nearest;
use rug::Rational;

use crate::kernel::{Budget, Interval, Profile};
use crate::mechanism::closed::{ClosedPair, LabelledPart};
use crate::mechanism::finite::FiniteLaw;
use crate::mechanism::shifted::{Noise, ShiftedNoise};
use crate::mechanism::{Step, Steps};

/// Different steps of one composition beyond which the estimate would not be instant.
const MOST_DIFFERENT: usize = 2_000;
/// μ² beyond this is all the same: everything is told.
const LARGEST_SQUARE: f64 = 1e200;
/// Discrete Gaussians wider than this are taken for continuous ones.
const CONTINUOUS_FROM: f64 = 3_000.0;
/// The same where every mass is a sum over all places.
const SUM_CONTINUOUS_FROM: f64 = 200.0;
/// Discrete Gaussian mass farther out than this many σ is left out: e^{−128}.
pub(super) const FARTHEST: f64 = 16.0;
/// Losses of a discrete Gaussian are listed up to this many.
const MOST_LOSSES: f64 = 4e6;

/// The pair (P, Q) of a normal form.
///
/// # Errors
/// For guarantees that no single pair represents, beyond the sizes of this engine, and if the budget ends.
pub(super) fn pair_of(steps: &Steps, budget: &Budget) -> Result<Pair, Unsupported> {
    listed(steps, Listing::Usual, budget)
}

/// The same; the steps themselves are as finely listed as ever.
///
/// # Errors
/// Those of [`pair_of`].
pub(super) fn listed(
    steps: &Steps,
    listing: Listing,
    budget: &Budget,
) -> Result<Pair, Unsupported> {
    let mut square = 0.0;
    let mut pairs = Vec::new();
    for (step, count) in steps.list() {
        let count = *count;
        let times = count as f64;
        if let Step::Gaussian { mu_squared } = step {
            square += times * nearest(mu_squared);
        } else if let Some(powers) = powers(step, count) {
            let profiled = |(profile, times): (Arc<dyn Profile>, u64)| {
                (
                    Pair::Profiled(Arc::new(Profiled::new(profile, budget))),
                    times as f64,
                )
            };
            pairs.extend(powers.into_iter().map(profiled));
        } else if pairs.len() < MOST_DIFFERENT {
            pairs.push((one(step, budget)?, times));
        } else {
            return Err(Unsupported::TooLarge("more than 2000 different steps"));
        }
    }
    let square = f64::min(square, LARGEST_SQUARE);
    if square > 0.0 {
        pairs.push((Pair::Gaussian(square.sqrt()), 1.0));
    }
    let pair = compose(pairs, listing, budget)?;
    // What was made of no values is no estimate.
    in_time(budget)?;
    Ok(pair)
}

/// A closer bound of several runs than so many copies of the pair.
fn powers(step: &Step, times: u64) -> Option<Vec<(Arc<dyn Profile>, u64)>> {
    match step {
        Step::Closed(pair) => pair.powers(times),
        _ => None,
    }
}

pub(super) fn one(step: &Step, budget: &Budget) -> Result<Pair, Unsupported> {
    match step {
        Step::Gaussian { mu_squared } => Ok(gaussian(nearest(mu_squared).sqrt())),
        Step::Laplace { epsilon } => {
            let largest = nearest(epsilon).min(1e100);
            Ok(if largest > 0.0 {
                Pair::Laplace(largest)
            } else {
                nothing()
            })
        }
        Step::DiscreteGaussian { sigma, sensitivity } => {
            discrete_gaussian(nearest(sigma), *sensitivity as f64)
        }
        Step::Finite(one) => {
            let law = one.law();
            // A law may be missing for lack of time.
            in_time(budget)?;
            finite(law)
        }
        Step::Shifted(pair) => shifted(pair),
        Step::Labelled(parts) => {
            let part =
                |(weight, of): &(Rational, Steps)| Ok((nearest(weight), pair_of(of, budget)?));
            let parts = parts
                .iter()
                .map(part)
                .collect::<Result<Vec<_>, Unsupported>>()?;
            Ok(Pair::Labelled(parts.into()))
        }
        // What the label tells beside its pair is little; the pairs have closed forms.
        Step::Closed(ClosedPair::InformativeLabel(label)) => {
            let part = |part: &LabelledPart| Ok((nearest(&part.with), pair_of(&part.of, budget)?));
            let parts = label.parts().iter().map(part);
            let parts = parts.collect::<Result<Vec<_>, Unsupported>>()?;
            Ok(Pair::Labelled(parts.into()))
        }
        Step::Closed(ClosedPair::RatesByLabel(labels)) => {
            let part = |(weight, rate): &(Rational, Rational)| {
                let of = Box::new(pair_of(labels.of(), budget)?);
                let rate = nearest(rate);
                Ok((nearest(weight), Pair::Subsampled { rate, of }))
            };
            let parts = labels.rates().iter().map(part);
            let parts = parts.collect::<Result<Vec<_>, Unsupported>>()?;
            Ok(Pair::Labelled(parts.into()))
        }
        Step::Closed(pair) => {
            let profile = pair.profile();
            let profile = profile.ok_or_else(|| Unsupported::TooLarge(pair.limits()))?;
            Ok(Pair::Profiled(Arc::new(Profiled::new(profile, budget))))
        }
        Step::Zcdp { .. } => Err(Unsupported::Mechanism("zcdp")),
        Step::Rdp { .. } => Err(Unsupported::Mechanism("rdp")),
        Step::Sampled(sampled) => {
            let of = match sampled.of().single() {
                Some(Step::Gaussian { .. }) | None => pair_of(sampled.of(), budget)?,
                Some(step) => one(step, budget)?,
            };
            let rate = nearest(sampled.rate());
            Ok(if rate >= 1.0 {
                of
            } else if rate <= 0.0 {
                nothing()
            } else {
                Pair::Subsampled {
                    rate,
                    of: Box::new(of),
                }
            })
        }
    }
}

fn shifted(pair: &ShiftedNoise) -> Result<Pair, Unsupported> {
    let mixtures = match pair.noise() {
        Noise::Gaussian { unit_squared } => Mixtures::gaussian(nearest(unit_squared).sqrt(), pair),
        Noise::Laplace { unit } => Mixtures::laplace(nearest(unit), pair),
        Noise::DiscreteGaussian { sigma, unit } => {
            let (sigma, unit) = (nearest(sigma), *unit as f64);
            if sigma <= CONTINUOUS_FROM {
                let law = integers::gaussian(sigma, unit, pair)?;
                return Ok(Pair::Law(law.into()));
            }
            Mixtures::gaussian(unit / sigma, pair)
        }
        Noise::Skellam { mean, unit } => {
            let (mean, unit) = (nearest(mean), *unit as f64);
            let sigma = (2.0 * mean).sqrt();
            if sigma <= CONTINUOUS_FROM {
                let law = integers::skellam(mean, unit, pair)?;
                return Ok(Pair::Law(law.into()));
            }
            Mixtures::gaussian(unit / sigma, pair)
        }
        Noise::GaussianSum {
            sigma,
            parties,
            unit,
        } => {
            let (sigma, unit) = (nearest(sigma), *unit as f64);
            let deviation = integers::deviation(sigma) * (*parties as f64).sqrt();
            if deviation <= SUM_CONTINUOUS_FROM {
                let law = integers::gaussian_sum(sigma, *parties, unit, pair)?;
                return Ok(Pair::Law(law.into()));
            }
            Mixtures::gaussian(unit / deviation, pair)
        }
        Noise::DiscreteLaplace { scale, unit } => {
            let unit = *unit as f64;
            if unit * nearest(&pair.farthest()) > MOST_LOSSES {
                return Err(Unsupported::TooLarge(
                    "sensitivity of discrete Laplace noise",
                ));
            }
            let law = integers::laplace(nearest(scale), unit, pair);
            return Ok(Pair::Law(law.into()));
        }
    };
    Ok(Pair::Mixtures(Arc::new(mixtures)))
}

/// How far out discrete Gaussian masses are listed, if they are, for shifts this far apart.
pub(super) fn integer_reach(sigma: f64, apart: f64) -> Result<f64, Unsupported> {
    let reach = (FARTHEST * sigma).ceil();
    if 2.0 * reach + apart > MOST_LOSSES || sigma * sigma == 0.0 {
        return Err(Unsupported::TooLarge("sensitivity of a discrete Gaussian"));
    }
    Ok(reach.max(2.0))
}

fn gaussian(mu: f64) -> Pair {
    if mu > 0.0 {
        Pair::Gaussian(mu)
    } else {
        nothing()
    }
}

/// The pair of a mechanism that tells nothing.
fn nothing() -> Pair {
    Pair::Law(Law::certain(0.0, 0.0).into())
}

/// Laws with finitely many losses are listed by their exact descriptions.
fn finite(law: Option<&Arc<FiniteLaw>>) -> Result<Pair, Unsupported> {
    const BITS: u32 = 80;
    let law = law.ok_or(Unsupported::TooLarge("too many losses to list one by one"))?;
    let numbers = law.numbers(BITS);
    let middle = |x: &Interval| x.middle().to_f64();
    let atoms: Vec<Atom> = numbers
        .positions
        .iter()
        .zip(&numbers.with)
        .map(|(loss, mass)| Atom {
            loss: middle(loss),
            log_mass: mass.middle().ln().to_f64(),
        })
        .filter(|atom| atom.loss.is_finite() && atom.log_mass > f64::NEG_INFINITY)
        .collect();
    let end = |atom: Option<&Atom>| atom.map_or(0.0, |atom| atom.loss);
    let support = (end(atoms.first()), end(atoms.last()));
    let (infinite, null_only) = (middle(&numbers.infinite), middle(&numbers.null_only));
    Ok(Pair::Law(
        Law::new(atoms, infinite, null_only, support).into(),
    ))
}

/// Losses d(k − d/2)/σ² with masses ∝ e^{−(k − d)²/(2σ²)} under Q.
fn discrete_gaussian(sigma: f64, shift: f64) -> Result<Pair, Unsupported> {
    if sigma > CONTINUOUS_FROM {
        return Ok(gaussian(shift / sigma));
    }
    let terms = integer_reach(sigma, shift)? as i64;
    let exponent = |x: f64| -x * x / (2.0 * sigma * sigma);
    let total: f64 = (-terms..=terms).map(|k| exp(exponent(k as f64))).sum();
    let first = -terms;
    let last = shift as i64 + terms;
    let atoms: Vec<Atom> = (first..=last)
        .map(|k| Atom {
            loss: shift * (k as f64 - shift / 2.0) / (sigma * sigma),
            log_mass: exponent(k as f64 - shift) - ln(total),
        })
        .collect();
    let support = (f64::NEG_INFINITY, f64::INFINITY);
    Ok(Pair::Law(Law::new(atoms, 0.0, 0.0, support).into()))
}
