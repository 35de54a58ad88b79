//! A mechanism as so many copies of one step, and what is known about the step's pair.

use std::sync::Arc;

use rug::Rational;

use super::quadrature::Noise;
use crate::composition::parts::{Composition, PairKind, resolve};
use crate::kernel::{Budget, Failure};
use crate::mechanism::finite::FiniteLaw;
use crate::mechanism::{self, Adjacency, Conditions, FiniteLosses, Mechanism, Orders, Steps};

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
    pub(super) fn mu_squared(&self) -> Option<&Rational> {
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

/// Recognises a mechanism as a self-composition: so many equal steps.
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
    if mechanism.steps().is_bound() {
        return Ok(Err("it is known only between two bounds".to_owned()));
    }
    let Some((one, times)) = mechanism.steps().repeated() else {
        return Ok(Err(
            "it is not a self-composition: its parts differ".to_owned()
        ));
    };
    let is_swapped = adjacency.orders() == Orders::Add;
    Ok(step(one, is_swapped, budget)?.map(|step| SelfComposition {
        step,
        times,
        adjacency,
    }))
}

fn step(
    of: &mechanism::Step,
    is_swapped: bool,
    budget: &Budget,
) -> Result<Result<Step, String>, Failure> {
    if let Some(pair) = laplace(of) {
        return Ok(built(pair, of, is_swapped));
    }
    let alone = Steps::one(of.clone(), Conditions::NONE);
    let pair = match resolve(&alone, budget)? {
        Composition::Closed(part) => match part.kind {
            PairKind::Gaussian { square } => Pair::Gaussian { square },
            PairKind::SubsampledGaussian { rate, square } if square != 0 => Pair::Noise {
                noise: Noise::Gaussian { square },
                rate,
            },
            PairKind::SubsampledGaussian { square, .. } => Pair::Gaussian { square },
            PairKind::Finite(law) => Pair::Finite(law),
            PairKind::Laplace { .. }
            | PairKind::DiscreteGaussian(_)
            | PairKind::Shifted(_)
            | PairKind::Other
            | PairKind::Class(_) => {
                return Ok(Err(
                    "the moments of this step's privacy loss are not implemented".to_owned(),
                ));
            }
        },
        Composition::Parts(_) | Composition::Class { .. } => {
            return Ok(Err("a step that is itself a composition".to_owned()));
        }
        Composition::Unsupported(reason) => return Ok(Err(reason)),
    };
    Ok(built(pair, of, is_swapped))
}

fn built(pair: Pair, step: &mechanism::Step, is_swapped: bool) -> Result<Step, String> {
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
    let symmetry = symmetry(&pair, step);
    Ok(Step {
        pair,
        symmetry,
        is_swapped,
    })
}

/// Laplace noise, subsampled or not.
fn laplace(step: &mechanism::Step) -> Option<Pair> {
    let (rate, inner) = match step {
        mechanism::Step::Sampled(sampled) => (sampled.rate().clone(), sampled.of().single()?),
        other => (Rational::from(1), other),
    };
    let mechanism::Step::Laplace { epsilon } = inner else {
        return None;
    };
    Some(Pair::Noise {
        noise: Noise::Laplace {
            epsilon: epsilon.clone(),
        },
        rate,
    })
}

fn symmetry(pair: &Pair, step: &mechanism::Step) -> Symmetry {
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
        Pair::Finite(law) => match step {
            mechanism::Step::Finite(one) => match one.losses() {
                FiniteLosses::RandomizedResponse { .. }
                | FiniteLosses::ApproxDp { .. }
                | FiniteLosses::DiscreteLaplace { .. }
                | FiniteLosses::TruncatedGeometric { .. } => Symmetry::Symmetric,
                FiniteLosses::ResponseOrUniform { .. }
                | FiniteLosses::Pair { .. }
                | FiniteLosses::TwoOutcomes { .. }
                | FiniteLosses::LargestAnswer { .. }
                | FiniteLosses::Scores(_)
                | FiniteLosses::PickedOthers(_)
                | FiniteLosses::OppositeOthers(_)
                | FiniteLosses::NewKey { .. }
                | FiniteLosses::Points { .. }
                | FiniteLosses::Shuffled(_) => finite_symmetry(law),
            },
            mechanism::Step::Gaussian { .. }
            | mechanism::Step::Laplace { .. }
            | mechanism::Step::DiscreteGaussian { .. }
            | mechanism::Step::Shifted(_)
            | mechanism::Step::Labelled(_)
            | mechanism::Step::Closed(_)
            | mechanism::Step::Zcdp { .. }
            | mechanism::Step::Rdp { .. }
            | mechanism::Step::Sampled(_) => finite_symmetry(law),
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
