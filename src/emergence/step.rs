//! A mechanism as so many copies of one step, and what is known about the step's pair.

use std::sync::Arc;

use rug::Rational;

use super::quadrature::Noise;
use crate::composition::parts::{Composition, PartKind, resolve};
use crate::kernel::{Budget, Failure};
use crate::mechanism::finite::FiniteLaw;
use crate::mechanism::{Adjacency, Mechanism, innermost};

/// One step of a composition, as a dominating pair (P, Q) whose loss has computable moments.
#[derive(Debug, Clone)]
pub struct Step {
    pair: Pair,
    symmetry: Symmetry,
    is_swapped: bool,
}

/// How the pair is given.
#[derive(Debug, Clone)]
pub(super) enum Pair {
    /// N(0, 1) against N(μ, 1).
    Gaussian { square: Rational },
    /// Laplace noise, or Poisson-subsampled Gaussian or Laplace noise.
    Noise { noise: Noise, rate: Rational },
    /// Finitely many losses.
    Finite(Arc<FiniteLaw>),
}

/// Is the step's trade-off curve its own inverse?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Symmetry {
    /// f = f⁻¹.
    Symmetric,
    /// f ≠ f⁻¹, and what shows it.
    Asymmetric(String),
    /// Not decided.
    Unknown,
}

/// Noise smaller than this takes too many cells to integrate: μ² and ε0 at most.
const LARGEST_SQUARE: u32 = 4_096;
const LARGEST_EPSILON: u32 = 1_024;

/// `times` independent copies of one step, `times ≥ 1`.
#[derive(Debug, Clone)]
pub struct SelfComposition {
    /// One copy.
    pub step: Step,
    /// Number of copies.
    pub times: u64,
    /// Which orders of the pair count.
    pub adjacency: Adjacency,
}

impl Step {
    pub(super) fn pair(&self) -> &Pair {
        &self.pair
    }

    /// μ², if the step is Gaussian noise with μ > 0.
    pub(super) fn gaussian_square(&self) -> Option<&Rational> {
        match &self.pair {
            Pair::Gaussian { square } if *square != 0 => Some(square),
            _ => None,
        }
    }

    pub(super) fn is_swapped(&self) -> bool {
        self.is_swapped
    }

    /// Is the trade-off curve of the step symmetric, as Theorem 5 of Dong et al. 2022 asks?
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }
}

/// Recognises a mechanism as a self-composition: a composition of equal parts, or a single mechanism (then `times` is 1).
///
/// `remove` and `add-remove` mean the pair (P, Q) as written, for `subsampled` Q the mixture; `add` means (Q, P). Why
/// `add-remove` needs no other pair: `proofs/README.md`, B3.
///
/// # Errors
/// The inner error says why the mechanism is not of this form; the outer one that the budget ended.
pub fn self_composition(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    budget: &Budget,
) -> Result<Result<SelfComposition, String>, Failure> {
    let Some((part, times)) = only_part(mechanism) else {
        return Ok(Err(
            "it is not a self-composition: its parts differ".to_owned()
        ));
    };
    let Some(times) = times else {
        return Ok(Err("more than 2^64 compositions".to_owned()));
    };
    let is_swapped = adjacency == Adjacency::Add;
    Ok(step(part, is_swapped, budget)?.map(|step| SelfComposition {
        step,
        times,
        adjacency,
    }))
}

/// The one mechanism that a composition consists of, and how often (`None` if more than 2^64 times).
fn only_part(mechanism: &Mechanism) -> Option<(&Mechanism, Option<u64>)> {
    match mechanism {
        Mechanism::Compose { of } => {
            let mut found: Option<(&Mechanism, Option<u64>)> = None;
            for (part, count) in of {
                let (inner, times) = only_part(part)?;
                let times = times.and_then(|times| times.checked_mul(*count));
                found = Some(match found {
                    None => (inner, times),
                    Some((known, before)) if known == inner => {
                        let sum = before.zip(times).and_then(|(a, b)| a.checked_add(b));
                        (known, sum)
                    }
                    Some(_) => return None,
                });
            }
            found
        }
        Mechanism::Subsampled { rate, of } if *rate == 1 => only_part(of),
        _ => Some((mechanism, Some(1))),
    }
}

fn step(
    mechanism: &Mechanism,
    is_swapped: bool,
    budget: &Budget,
) -> Result<Result<Step, String>, Failure> {
    if let Some(pair) = laplace(mechanism) {
        return Ok(built(pair, mechanism, is_swapped));
    }
    let pair = match resolve(mechanism, budget)? {
        Composition::Closed(part) => match part.kind {
            PartKind::Gaussian { square } => Pair::Gaussian { square },
            PartKind::SubsampledGaussian { rate, square } if square != 0 => Pair::Noise {
                noise: Noise::Gaussian { square },
                rate,
            },
            PartKind::SubsampledGaussian { square, .. } => Pair::Gaussian { square },
            PartKind::Finite(law) => Pair::Finite(law),
            _ => {
                return Ok(Err(
                    "the moments of this step's privacy loss are not built yet".to_owned(),
                ));
            }
        },
        Composition::Parts(_) | Composition::Class { .. } => {
            return Ok(Err("a step that is itself a composition".to_owned()));
        }
        Composition::Unsupported(reason) => return Ok(Err(reason)),
    };
    Ok(built(pair, mechanism, is_swapped))
}

fn built(pair: Pair, mechanism: &Mechanism, is_swapped: bool) -> Result<Step, String> {
    let is_too_small = match &pair {
        Pair::Noise {
            noise: Noise::Gaussian { square },
            ..
        } => *square > LARGEST_SQUARE,
        Pair::Noise {
            noise: Noise::Laplace { epsilon },
            ..
        } => *epsilon > LARGEST_EPSILON,
        _ => false,
    };
    if is_too_small {
        return Err("moments are built for subsampled Gaussian noise up to mu = 64 and Laplace noise up to epsilon = 1024".to_owned());
    }
    let symmetry = symmetry(&pair, mechanism);
    Ok(Step {
        pair,
        symmetry,
        is_swapped,
    })
}

/// Laplace noise, subsampled or not.
fn laplace(mechanism: &Mechanism) -> Option<Pair> {
    let (rate, inner) = match mechanism {
        Mechanism::Subsampled { rate, of } => innermost(rate, of),
        other => (Rational::from(1), other),
    };
    let Mechanism::Laplace { scale, sensitivity } = inner else {
        return None;
    };
    let epsilon = Rational::from(sensitivity / scale);
    Some(Pair::Noise {
        noise: Noise::Laplace { epsilon },
        rate,
    })
}

fn symmetry(pair: &Pair, mechanism: &Mechanism) -> Symmetry {
    match pair {
        Pair::Gaussian { .. } => Symmetry::Symmetric,
        Pair::Noise { rate, .. } if *rate == 1 => Symmetry::Symmetric,
        // The largest loss is that of (P, Q) for subsampling, so −(the smallest loss) differs from it.
        Pair::Noise {
            noise: Noise::Gaussian { .. },
            rate,
        } => Symmetry::Asymmetric(format!(
            "Poisson subsampling at rate {rate} keeps the loss above log(1 − rate) and leaves it unbounded above"
        )),
        Pair::Noise {
            noise: Noise::Laplace { .. },
            rate,
        } => Symmetry::Asymmetric(format!(
            "Poisson subsampling at rate {rate} makes the largest loss larger than minus the smallest"
        )),
        Pair::Finite(law) => match mechanism {
            Mechanism::RandomizedResponse { .. }
            | Mechanism::PureDp { .. }
            | Mechanism::ApproxDp { .. }
            | Mechanism::DiscreteLaplace { .. } => Symmetry::Symmetric,
            _ => finite_symmetry(law),
        },
    }
}

/// f = f⁻¹ exactly if L under Q has the law of −L under P: the curve determines that law (Blackwell 1953).
fn finite_symmetry(law: &Arc<FiniteLaw>) -> Symmetry {
    let asymmetric = |what: &str| Symmetry::Asymmetric(what.to_owned());
    let Some(atoms) = law.atoms() else {
        return Symmetry::Unknown;
    };
    if !(law.infinite().is_zero() && law.null_only().is_zero()) {
        return Symmetry::Unknown;
    }
    let mut is_decided = true;
    for (atom, mirror) in atoms.iter().zip(atoms.iter().rev()) {
        let (loss, mirrored) = (atom.loss.enclose(256), mirror.loss.enclose(256).neg());
        if loss.certainly_lt(&mirrored) || mirrored.certainly_lt(&loss) {
            return asymmetric("a loss y has no counterpart −y");
        }
        let (mass, other) = (atom.with.enclose(256), mirror.without.enclose(256));
        if mass.certainly_lt(&other) || other.certainly_lt(&mass) {
            return asymmetric("a loss y has another probability under Q than −y under P");
        }
        let same_loss = match (atom.loss.as_ratio(), mirror.loss.as_ratio()) {
            (Some(a), Some(b)) => Rational::from(a * b) == 1,
            _ => match (atom.loss.as_rational(), mirror.loss.as_rational()) {
                (Some(a), Some(b)) => Rational::from(a + b) == 0,
                _ => false,
            },
        };
        let same_mass = match (atom.with.exact(), mirror.without.exact()) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        };
        is_decided = is_decided && same_loss && same_mass;
    }
    if is_decided {
        Symmetry::Symmetric
    } else {
        Symmetry::Unknown
    }
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
