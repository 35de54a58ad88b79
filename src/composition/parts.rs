//! A normal form as one closed form, or as a list of parts with multiplicities.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::classes::{Classes, concentrated_beside_classes, known_beside_classes};
use super::finite::compose;
use super::fixed_batches::{self, Batches};
use super::mixed::MixedProfile;
use crate::kernel::{Budget, Failure, Profile, is_late};
use crate::mechanism::closed::{ClosedPair, Selection};
use crate::mechanism::discrete_gaussian::DiscreteGaussian;
use crate::mechanism::finite::{FiniteLaw, FiniteProfile};
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::labelled::Labelled;
use crate::mechanism::shifted::{Noise, ShiftedNoise};
use crate::mechanism::subsampled::subsampled;
use crate::mechanism::{FiniteLosses, SampledStep, Step, Steps};

/// What is known about the pair of a mechanism.
pub enum Composition {
    /// The exact profile.
    Closed(PoweredPair),
    /// The pair is the product of these parts, to be composed numerically.
    Parts(Vec<PoweredPair>),
    /// A class of compositions between two profiles: none of the class is above the first, and the second is of the class.
    Class {
        /// A guarantee of all of them.
        upper: PoweredPair,
        /// One of them.
        lower: PoweredPair,
        /// At every ε the δ of some of them.
        least: Arc<dyn Profile>,
    },
    /// There is no way to the profile yet, and why.
    Unsupported(String),
}

/// A pair that is composed `times` times.
#[derive(Clone)]
pub struct PoweredPair {
    /// Profile of one copy.
    pub profile: Arc<dyn Profile>,
    /// Number of copies.
    pub times: u64,
    /// What the engine may use beyond the profile.
    pub kind: PairKind,
}

/// The kinds of pairs for which something is known beyond the profile.
#[derive(Debug, Clone)]
pub enum PairKind {
    /// Gaussian with this μ².
    Gaussian {
        /// μ².
        square: Rational,
    },
    /// Poisson-subsampled Gaussian.
    SubsampledGaussian {
        /// The rate, below 1.
        rate: Rational,
        /// μ² of the Gaussian.
        square: Rational,
    },
    /// Laplace; loss in [−ε0, ε0] with atoms at both ends.
    Laplace {
        /// ε0.
        epsilon: Rational,
    },
    /// Discrete Gaussian; loss on a lattice.
    DiscreteGaussian(DiscreteGaussian),
    /// Finitely many losses.
    Finite(Arc<FiniteLaw>),
    /// Mixtures of shifted noise.
    Shifted(Arc<ShiftedNoise>),
    /// Only the profile.
    Other,
    /// A class that no single pair stands for: its profile is the largest at each point, and no factor of a composition.
    Class(RenyiKind),
}

/// The kinds of Rényi guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenyiKind {
    /// At all orders above 1.
    Zcdp,
    /// At some orders.
    Rdp,
}

/// A mixed profile costs one evaluation of the other profile per atom.
const MOST_MIXED_ATOMS: usize = 2_048;

/// Resolves a normal form: Gaussians merge into one, finite parts merge into one law while it stays small.
///
/// # Errors
/// If the budget ends.
pub fn resolve(steps: &Steps, budget: &Budget) -> Result<Composition, Failure> {
    let mut collected = Collected::default();
    for (step, times) in steps.list() {
        budget.check()?;
        match collected.add(step, *times, budget) {
            Ok(()) => {}
            Err(Refusal::Unsupported(reason)) => return Ok(Composition::Unsupported(reason)),
            Err(Refusal::Failure(failure)) => return Err(failure),
        }
    }
    collected.close(steps, budget)
}

/// Parts found so far.
#[derive(Default)]
struct Collected {
    mu_squared: Rational,
    classes: Classes,
    finite: Vec<(Arc<FiniteLaw>, u64)>,
    selections: Vec<(Selection, u64)>,
    others: Vec<PoweredPair>,
}

enum Refusal {
    Unsupported(String),
    Failure(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Collected {
    fn add(&mut self, step: &Step, times: u64, budget: &Budget) -> Result<(), Refusal> {
        let kind = match step {
            Step::Gaussian { mu_squared } => {
                self.mu_squared += Rational::from(mu_squared * Integer::from(times));
                return Ok(());
            }
            Step::Zcdp { rho } => {
                self.classes.add_zcdp(rho, times);
                return Ok(());
            }
            Step::Rdp { orders } => {
                self.classes.add_rdp(orders, times);
                return Ok(());
            }
            Step::Finite(one) => {
                let law = one.law().ok_or_else(|| too_large(step))?;
                self.finite.push((Arc::clone(law), times));
                return Ok(());
            }
            Step::Sampled(sampled) => return self.add_sampled(sampled, times, budget),
            Step::Shifted(pair) => PairKind::Shifted(Arc::clone(pair)),
            Step::Labelled(parts) => return self.add_labelled(parts, times, budget),
            Step::Closed(ClosedPair::Selection(one)) => {
                self.selections.push((one.clone(), times));
                return Ok(());
            }
            Step::Closed(pair) => {
                if let Some(powers) = pair.powers(times) {
                    self.others.extend(powers.into_iter().map(of_profile));
                    return Ok(());
                }
                if self.add_fixed_batches(pair, times, budget)? {
                    return Ok(());
                }
                PairKind::Other
            }
            Step::Laplace { epsilon } => PairKind::Laplace {
                epsilon: epsilon.clone(),
            },
            Step::DiscreteGaussian { sigma, sensitivity } => PairKind::DiscreteGaussian(
                DiscreteGaussian::new(sigma, *sensitivity).ok_or_else(|| too_large(step))?,
            ),
        };
        let profile = step.profile().ok_or_else(|| too_large(step))?;
        self.others.push(PoweredPair {
            profile,
            times,
            kind,
        });
        Ok(())
    }

    /// Several steps on batches of fixed size, where the dynamic program bounds them.
    fn add_fixed_batches(
        &mut self,
        pair: &ClosedPair,
        times: u64,
        budget: &Budget,
    ) -> Result<bool, Refusal> {
        let ClosedPair::FixedBatches(batches) = pair else {
            return Ok(false);
        };
        let noise = batches.gaussian_asked_once().filter(|_| times > 1);
        let Some((rate, unit_squared)) = noise else {
            return Ok(false);
        };
        let batches = Batches { rate, unit_squared };
        let Some(blocks) = fixed_batches::blocks(batches, times, budget)? else {
            return Ok(false);
        };
        self.others
            .extend(blocks.into_iter().map(|(profile, times)| PoweredPair {
                profile,
                times,
                kind: PairKind::Other,
            }));
        Ok(true)
    }

    /// Poisson subsampling at a rate below 1 of something that is not itself subsampled.
    fn add_sampled(
        &mut self,
        sampled: &SampledStep,
        times: u64,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        if let Some(law) = sampled.law() {
            self.finite.push((Arc::clone(law), times));
            return Ok(());
        }
        let closed = match resolve(sampled.of(), budget)? {
            Composition::Closed(part) => part,
            Composition::Parts(_) => {
                return Err(Refusal::Unsupported(
                    "Poisson subsampling of a composition without a closed form is not implemented"
                        .to_owned(),
                ));
            }
            Composition::Class { .. } => {
                return Err(Refusal::Unsupported(
                    "Poisson subsampling of a composition with zcdp or rdp guarantees is not implemented"
                        .to_owned(),
                ));
            }
            Composition::Unsupported(reason) => return Err(Refusal::Unsupported(reason)),
        };
        let rate = sampled.rate();
        let kind = match closed.kind {
            PairKind::Finite(law) => {
                if let Some(law) = law.subsampled(rate) {
                    self.finite.push((Arc::new(law), times));
                    return Ok(());
                }
                PairKind::Other
            }
            PairKind::Gaussian { square } => PairKind::SubsampledGaussian {
                rate: rate.clone(),
                square,
            },
            // 1 − r·f − (1 − r)·(1 − α) is largest for the same mechanism of the class, point by point.
            PairKind::Class(kind) => PairKind::Class(kind),
            PairKind::SubsampledGaussian { .. }
            | PairKind::Laplace { .. }
            | PairKind::DiscreteGaussian(_)
            | PairKind::Shifted(_)
            | PairKind::Other => PairKind::Other,
        };
        self.others.push(PoweredPair {
            profile: subsampled(rate, closed.profile),
            times,
            kind,
        });
        Ok(())
    }

    /// A mixture of closed forms; of finite laws it is one. Where one is a class, so is the mixture: at each point its largest profile is that
    /// of the members that have the largest there.
    fn add_labelled(
        &mut self,
        parts: &[(Rational, Steps)],
        times: u64,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        let mut closed = Vec::with_capacity(parts.len());
        for (weight, of) in parts {
            match resolve(of, budget)? {
                Composition::Closed(part) => closed.push((weight.clone(), part)),
                Composition::Parts(_) | Composition::Class { .. } => {
                    return Err(Refusal::Unsupported(
                        "a mixture is built of mechanisms with a closed form only, not of compositions without one"
                            .to_owned(),
                    ));
                }
                Composition::Unsupported(reason) => return Err(Refusal::Unsupported(reason)),
            }
        }
        let laws = closed.iter().map(|(weight, part)| match &part.kind {
            PairKind::Finite(law) => Some((weight.clone(), Arc::clone(law))),
            PairKind::Gaussian { .. }
            | PairKind::SubsampledGaussian { .. }
            | PairKind::Laplace { .. }
            | PairKind::DiscreteGaussian(_)
            | PairKind::Shifted(_)
            | PairKind::Other
            | PairKind::Class(_) => None,
        });
        if let Some(law) = laws
            .collect::<Option<Vec<_>>>()
            .and_then(|laws| FiniteLaw::labelled(&laws))
        {
            self.finite.push((Arc::new(law), times));
            return Ok(());
        }
        // Of both kinds a table is what has members without a Gaussian above them.
        let classes = closed.iter().filter_map(|(_, part)| match part.kind {
            PairKind::Class(kind) => Some(kind),
            PairKind::Gaussian { .. }
            | PairKind::SubsampledGaussian { .. }
            | PairKind::Laplace { .. }
            | PairKind::DiscreteGaussian(_)
            | PairKind::Finite(_)
            | PairKind::Shifted(_)
            | PairKind::Other => None,
        });
        let class = classes.reduce(|one, other| match (one, other) {
            (RenyiKind::Zcdp, RenyiKind::Zcdp) => RenyiKind::Zcdp,
            (RenyiKind::Rdp, _) | (RenyiKind::Zcdp, RenyiKind::Rdp) => RenyiKind::Rdp,
        });
        let parts = closed
            .into_iter()
            .map(|(weight, part)| (weight, part.profile));
        self.others.push(PoweredPair {
            profile: Arc::new(Labelled::new(parts.collect())),
            times,
            kind: class.map_or(PairKind::Other, PairKind::Class),
        });
        Ok(())
    }

    fn close(mut self, all: &Steps, budget: &Budget) -> Result<Composition, Failure> {
        match Selection::together(&self.selections) {
            Ok(powers) => self.others.extend(powers.into_iter().map(of_profile)),
            Err(limits) => return Ok(Composition::Unsupported(limits.to_owned())),
        }
        let is_class = |part: &PoweredPair| matches!(part.kind, PairKind::Class(_));
        let steps = self
            .others
            .iter()
            .fold(0u64, |sum, part| sum.saturating_add(part.times));
        let is_alone = self.finite.is_empty() && self.mu_squared == 0 && self.classes.is_empty();
        if self.others.iter().any(is_class) && !(is_alone && steps == 1) {
            return Ok(Composition::Unsupported(
                "a composition with zcdp or rdp guarantees on samples, or in mixtures, does not follow from them by any theorem built in"
                    .to_owned(),
            ));
        }
        let is_alone = self.finite.is_empty() && self.others.is_empty();
        // Classes of which P = Q add nothing to what else there is.
        if !self.classes.is_empty() && (is_alone || !self.classes.say_nothing()) {
            let (rest, known) = match is_alone {
                true => (Some(Rational::new()), Vec::new()),
                false => (concentrated_beside_classes(all), known_beside_classes(all)),
            };
            return Ok(match rest {
                Some(rest) => self.classes.close(&self.mu_squared, &rest, known),
                None => Composition::Unsupported(
                    "zcdp and rdp guarantees are composed with each other, and with what is known to be concentrated by a theorem"
                        .to_owned(),
                ),
            });
        }
        let factors = self.finite;
        let mut rest = self.others;
        if self.mu_squared != 0 || (rest.is_empty() && factors.is_empty()) {
            rest.push(gaussian(self.mu_squared));
        }
        if factors.is_empty() {
            return Ok(closed_or_parts(rest));
        }
        let Some(law) = merged(&factors, budget)? else {
            rest.extend(factors.into_iter().map(|(law, times)| finite(law, times)));
            return Ok(Composition::Parts(rest));
        };
        match rest.as_slice() {
            [] => Ok(Composition::Closed(finite(law, 1))),
            [other] if other.times == 1 && law.len() <= MOST_MIXED_ATOMS => {
                let profile = MixedProfile::new(law, Arc::clone(&other.profile));
                Ok(Composition::Closed(PoweredPair {
                    profile: Arc::new(profile),
                    times: 1,
                    kind: PairKind::Other,
                }))
            }
            _ => {
                rest.push(finite(law, 1));
                Ok(Composition::Parts(rest))
            }
        }
    }
}

fn merged(
    factors: &[(Arc<FiniteLaw>, u64)],
    budget: &Budget,
) -> Result<Option<Arc<FiniteLaw>>, Failure> {
    match factors {
        [(law, 1)] => Ok(Some(Arc::clone(law))),
        _ => Ok(compose(factors, budget)?.map(Arc::new)),
    }
}

fn closed_or_parts(mut parts: Vec<PoweredPair>) -> Composition {
    match parts.as_slice() {
        [PoweredPair { times: 1, .. }] => parts
            .pop()
            .map_or_else(|| Composition::Parts(Vec::new()), Composition::Closed),
        _ => Composition::Parts(parts),
    }
}

fn of_profile((profile, times): (Arc<dyn Profile>, u64)) -> PoweredPair {
    PoweredPair {
        profile,
        times,
        kind: PairKind::Other,
    }
}

pub(super) fn gaussian(square: Rational) -> PoweredPair {
    PoweredPair {
        profile: Arc::new(Gaussian::from_square(square.clone())),
        times: 1,
        kind: PairKind::Gaussian { square },
    }
}

fn finite(law: Arc<FiniteLaw>, times: u64) -> PoweredPair {
    PoweredPair {
        profile: Arc::new(FiniteProfile::new(Arc::clone(&law))),
        times,
        kind: PairKind::Finite(law),
    }
}

fn too_large(step: &Step) -> Refusal {
    // Then it is not known to be.
    if is_late() {
        return Refusal::Failure(Failure::Interrupted);
    }
    let words = match step {
        Step::DiscreteGaussian { .. } => {
            "discrete Gaussians are built up to sigma 20000 and sensitivity 400000"
        }
        Step::Finite(one) => match one.losses() {
            FiniteLosses::DiscreteLaplace { .. } | FiniteLosses::TruncatedGeometric { .. } => {
                "discrete Laplace noise is built up to sensitivity 20000"
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
            | FiniteLosses::Points { .. }
            | FiniteLosses::Shuffled(_) => NOT_IMPLEMENTED,
        },
        Step::Shifted(pair) => match pair.noise() {
            Noise::DiscreteGaussian { .. } => {
                "mixtures of discrete Gaussians are built up to sigma 20000 and a distance of 400000 between their shifts"
            }
            Noise::DiscreteLaplace { .. } => {
                "mixtures of discrete Laplace noise are built up to a distance of 20000 between their shifts"
            }
            Noise::GaussianSum { .. } => {
                "sums of discrete Gaussians are built for sigma from 1/20 on, up to 100000 parties, sigma*sqrt(parties) up to 20000 and a distance of 400000 between their shifts"
            }
            Noise::Skellam { .. } => {
                "Skellam noise is built for means from 1e-9 to 2e8 and up to a distance of 40000 between its shifts"
            }
            Noise::Gaussian { .. } | Noise::Laplace { .. } => NOT_IMPLEMENTED,
        },
        Step::Closed(pair) => pair.limits(),
        Step::Gaussian { .. }
        | Step::Laplace { .. }
        | Step::Zcdp { .. }
        | Step::Rdp { .. }
        | Step::Sampled(_)
        | Step::Labelled(_) => NOT_IMPLEMENTED,
    };
    Refusal::Unsupported(words.to_owned())
}

const NOT_IMPLEMENTED: &str = "the privacy profile of this mechanism is not implemented";

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
