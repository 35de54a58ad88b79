//! A tree of compositions as one closed form, or as a list of parts with multiplicities.

use std::sync::Arc;

use rug::Rational;

use super::classes::Classes;
use super::finite::compose;
use super::mixed::MixedProfile;
use crate::kernel::{Budget, Failure, Profile};
use crate::mechanism::discrete_gaussian::DiscreteGaussian;
use crate::mechanism::finite::{FiniteLaw, FiniteProfile};
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::laplace::Laplace;
use crate::mechanism::subsampled::subsampled;
use crate::mechanism::{Mechanism, finite_law, innermost, profile};

/// What is known about the pair of a mechanism.
pub enum Composition {
    /// The exact profile.
    Closed(Part),
    /// The pair is the product of these parts, to be composed numerically.
    Parts(Vec<Part>),
    /// A class of compositions between two profiles: none of the class is above the first, and the second is of the class.
    Class {
        /// A guarantee of all of them.
        upper: Part,
        /// One of them.
        lower: Part,
    },
    /// There is no way to the profile yet, and why.
    Unsupported(String),
}

/// A pair that is composed `times` times.
#[derive(Clone)]
pub struct Part {
    /// Profile of one copy.
    pub profile: Arc<dyn Profile>,
    /// Number of copies.
    pub times: u64,
    /// What the engine may use beyond the profile.
    pub kind: PartKind,
}

/// The kinds of pairs for which something is known beyond the profile.
#[derive(Debug, Clone)]
pub enum PartKind {
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

/// Resolves a mechanism: nested compositions multiply, Gaussians merge into one, identical parts are counted, finite
/// parts merge into one law while it stays small.
///
/// # Errors
/// If the budget ends.
pub fn resolve(mechanism: &Mechanism, budget: &Budget) -> Result<Composition, Failure> {
    let mut collected = Collected::default();
    match collected.add(mechanism, 1, budget) {
        Ok(()) => collected.close(budget),
        Err(Refusal::Unsupported(reason)) => Ok(Composition::Unsupported(reason)),
        Err(Refusal::Failure(failure)) => Err(failure),
    }
}

/// Parts found so far.
#[derive(Default)]
struct Collected {
    gaussian: Rational,
    classes: Classes,
    finite: Vec<(Source, Arc<FiniteLaw>, u64)>,
    others: Vec<(Source, Part)>,
}

/// What makes two parts identical.
#[derive(PartialEq)]
enum Source {
    SubsampledGaussian(Rational, Rational),
    Laplace(Rational),
    Described(Rational, Mechanism),
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
    fn add(&mut self, mechanism: &Mechanism, times: u64, budget: &Budget) -> Result<(), Refusal> {
        budget.check()?;
        match mechanism {
            Mechanism::Compose { of } => {
                for (part, count) in of {
                    let times = times.checked_mul(*count).ok_or_else(too_many)?;
                    self.add(part, times, budget)?;
                }
                Ok(())
            }
            Mechanism::Subsampled { rate, of } => {
                let (rate, inner) = innermost(rate, of);
                if rate == 1 {
                    self.add(inner, times, budget)
                } else {
                    self.add_subsampled(rate, inner, times, budget)
                }
            }
            Mechanism::Gaussian { sigma, sensitivity } => {
                let square = Rational::from(sensitivity / sigma).square();
                self.gaussian += square * times;
                Ok(())
            }
            Mechanism::Gdp { mu } => {
                self.gaussian += mu.clone().square() * times;
                Ok(())
            }
            Mechanism::Zcdp { rho } => {
                self.classes.add_zcdp(rho, times);
                Ok(())
            }
            Mechanism::Rdp { orders } => {
                self.classes.add_rdp(orders, times);
                Ok(())
            }
            _ => self.add_plain(mechanism, times),
        }
    }

    fn add_plain(&mut self, mechanism: &Mechanism, times: u64) -> Result<(), Refusal> {
        let source = match mechanism {
            Mechanism::Laplace { scale, sensitivity } => {
                Source::Laplace(Rational::from(sensitivity / scale))
            }
            _ => Source::Described(Rational::from(1), mechanism.clone()),
        };
        if self.count_again(&source, times)? {
            return Ok(());
        }
        if let Some(law) = finite_law(mechanism) {
            self.finite.push((source, law, times));
            return Ok(());
        }
        let (profile, kind): (Arc<dyn Profile>, _) = match mechanism {
            Mechanism::Laplace { scale, sensitivity } => {
                let laplace = Laplace::from_noise(scale, sensitivity);
                let epsilon = laplace.epsilon().clone();
                (Arc::new(laplace), PartKind::Laplace { epsilon })
            }
            Mechanism::DiscreteGaussian { sigma, sensitivity } => {
                let pair = DiscreteGaussian::new(sigma, *sensitivity)
                    .ok_or_else(|| too_large(mechanism))?;
                (Arc::new(pair.clone()), PartKind::DiscreteGaussian(pair))
            }
            _ => (
                profile(mechanism).ok_or_else(|| too_large(mechanism))?,
                PartKind::Other,
            ),
        };
        self.others.push((
            source,
            Part {
                profile,
                times,
                kind,
            },
        ));
        Ok(())
    }

    /// Poisson subsampling at a rate below 1 of something that is not itself subsampled.
    fn add_subsampled(
        &mut self,
        rate: Rational,
        inner: &Mechanism,
        times: u64,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        let mut collected = Self::default();
        collected.add(inner, 1, budget)?;
        let closed = match collected.close(budget)? {
            Composition::Closed(part) => part,
            Composition::Parts(_) => {
                return Err(Refusal::Unsupported(
                    "Poisson subsampling of a composition without a closed form is not built yet"
                        .to_owned(),
                ));
            }
            Composition::Class { .. } => {
                return Err(Refusal::Unsupported(
                    "Poisson subsampling of a composition with zcdp or rdp guarantees is not built yet"
                        .to_owned(),
                ));
            }
            Composition::Unsupported(reason) => return Err(Refusal::Unsupported(reason)),
        };
        let source = match &closed.kind {
            PartKind::Gaussian { square } => {
                Source::SubsampledGaussian(rate.clone(), square.clone())
            }
            _ => Source::Described(rate.clone(), inner.clone()),
        };
        if self.count_again(&source, times)? {
            return Ok(());
        }
        let kind = match closed.kind {
            PartKind::Finite(law) => {
                if let Some(law) = law.subsampled(&rate) {
                    self.finite.push((source, Arc::new(law), times));
                    return Ok(());
                }
                PartKind::Other
            }
            PartKind::Gaussian { square } => PartKind::SubsampledGaussian {
                rate: rate.clone(),
                square,
            },
            // 1 − r·f − (1 − r)·(1 − α) is largest for the same mechanism of the class, point by point.
            PartKind::Class(kind) => PartKind::Class(kind),
            _ => PartKind::Other,
        };
        let profile = subsampled(&rate, closed.profile);
        self.others.push((
            source,
            Part {
                profile,
                times,
                kind,
            },
        ));
        Ok(())
    }

    /// Adds to the count of a part that is already there.
    fn count_again(&mut self, source: &Source, times: u64) -> Result<bool, Refusal> {
        let finite = self.finite.iter_mut().map(|(s, _, count)| (&*s, count));
        let others = self
            .others
            .iter_mut()
            .map(|(s, part)| (&*s, &mut part.times));
        for (known, count) in finite.chain(others) {
            if known == source {
                *count = count.checked_add(times).ok_or_else(too_many)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn close(self, budget: &Budget) -> Result<Composition, Failure> {
        let is_class = |(_, part): &(Source, Part)| matches!(part.kind, PartKind::Class(_));
        let steps = self
            .others
            .iter()
            .fold(0u64, |sum, (_, part)| sum.saturating_add(part.times));
        let is_alone = self.finite.is_empty() && self.gaussian == 0 && self.classes.is_empty();
        if self.others.iter().any(is_class) && !(is_alone && steps == 1) {
            return Ok(Composition::Unsupported(
                "a composition with subsampled zcdp or rdp guarantees does not follow from them by any theorem built in"
                    .to_owned(),
            ));
        }
        if !self.classes.is_empty() {
            if !self.finite.is_empty() || !self.others.is_empty() {
                return Ok(Composition::Unsupported(
                    "zcdp and rdp guarantees are composed with each other and with Gaussian mechanisms only"
                        .to_owned(),
                ));
            }
            return Ok(self.classes.close(&self.gaussian));
        }
        let factors: Vec<(Arc<FiniteLaw>, u64)> = self
            .finite
            .into_iter()
            .map(|(_, law, times)| (law, times))
            .collect();
        let mut rest: Vec<Part> = self.others.into_iter().map(|(_, part)| part).collect();
        if self.gaussian != 0 || (rest.is_empty() && factors.is_empty()) {
            rest.push(gaussian(self.gaussian));
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
                Ok(Composition::Closed(Part {
                    profile: Arc::new(profile),
                    times: 1,
                    kind: PartKind::Other,
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

fn closed_or_parts(mut parts: Vec<Part>) -> Composition {
    match parts.as_slice() {
        [Part { times: 1, .. }] => parts
            .pop()
            .map_or_else(|| Composition::Parts(Vec::new()), Composition::Closed),
        _ => Composition::Parts(parts),
    }
}

pub(super) fn gaussian(square: Rational) -> Part {
    Part {
        profile: Arc::new(Gaussian::from_square(square.clone())),
        times: 1,
        kind: PartKind::Gaussian { square },
    }
}

fn finite(law: Arc<FiniteLaw>, times: u64) -> Part {
    Part {
        profile: Arc::new(FiniteProfile::new(Arc::clone(&law))),
        times,
        kind: PartKind::Finite(law),
    }
}

fn too_many() -> Refusal {
    Refusal::Unsupported("more than 2^64 compositions".to_owned())
}

fn too_large(mechanism: &Mechanism) -> Refusal {
    Refusal::Unsupported(match mechanism {
        Mechanism::DiscreteGaussian { .. } => {
            "discrete Gaussians are built up to sigma 20000 and sensitivity 400000".to_owned()
        }
        Mechanism::DiscreteLaplace { .. } => {
            "discrete Laplace noise is built up to sensitivity 20000".to_owned()
        }
        _ => "this mechanism has no privacy profile that is built yet".to_owned(),
    })
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
