//! A tree of compositions as one closed form, or as a list of parts with multiplicities.

use std::sync::Arc;

use rug::Rational;

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
            Mechanism::Zcdp { .. } | Mechanism::Rdp { .. } => Err(Refusal::Unsupported(
                "this guarantee needs Rényi accounting, not built yet".to_owned(),
            )),
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

fn gaussian(square: Rational) -> Part {
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
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    fn gaussian(sigma: Rational) -> Mechanism {
        Mechanism::Gaussian {
            sigma,
            sensitivity: q(1, 1),
        }
    }

    fn sampled(rate: Rational, of: Mechanism) -> Mechanism {
        Mechanism::Subsampled {
            rate,
            of: Box::new(of),
        }
    }

    fn resolved(of: Vec<(Mechanism, u64)>) -> Composition {
        resolve(&Mechanism::Compose { of }, &Budget::unlimited()).unwrap()
    }

    #[test]
    fn gaussians_merge_whatever_the_nesting() {
        let inner = Mechanism::Compose {
            of: vec![
                (gaussian(q(2, 1)), 3),
                (sampled(q(1, 1), gaussian(q(1, 1))), 1),
            ],
        };
        let found = resolved(vec![(inner, 10), (Mechanism::Gdp { mu: q(1, 2) }, 2)]);
        let Composition::Closed(part) = found else {
            panic!("closed");
        };
        let PartKind::Gaussian { square } = part.kind else {
            panic!("Gaussian");
        };
        // 10·(3/4 + 1) + 2/4.
        assert_eq!(square, q(18, 1));
    }

    #[test]
    fn equal_parts_are_counted_and_rates_multiply() {
        let twice = sampled(q(1, 2), sampled(q(1, 5), gaussian(q(3, 1))));
        let pair = Mechanism::Compose {
            of: vec![(gaussian(q(3, 1)), 1)],
        };
        let found = resolved(vec![
            (twice, 4),
            (sampled(q(1, 10), pair), 3),
            (gaussian(q(1, 1)), 1),
        ]);
        let Composition::Parts(parts) = found else {
            panic!("parts");
        };
        let times: Vec<u64> = parts.iter().map(|part| part.times).collect();
        assert_eq!(times, [7, 1]);
        let PartKind::SubsampledGaussian { rate, square } = &parts[0].kind else {
            panic!("subsampled");
        };
        assert_eq!((rate, square), (&q(1, 10), &q(1, 9)));
    }

    #[test]
    fn finite_parts_become_one_law() {
        let found = resolved(vec![
            (Mechanism::PureDp { epsilon: q(1, 1) }, 4),
            (
                Mechanism::RandomizedResponse {
                    epsilon: q(1, 1),
                    k: 2,
                },
                6,
            ),
        ]);
        let Composition::Closed(Part {
            kind: PartKind::Finite(law),
            ..
        }) = found
        else {
            panic!("finite");
        };
        assert_eq!(law.len(), 11);
    }

    #[test]
    fn finite_with_gaussian_is_closed_and_with_laplace_powers_is_not() {
        let response = (Mechanism::PureDp { epsilon: q(1, 1) }, 4);
        let mixed = resolved(vec![response.clone(), (gaussian(q(1, 1)), 9)]);
        assert!(matches!(
            mixed,
            Composition::Closed(Part {
                kind: PartKind::Other,
                ..
            })
        ));
        let laplace = Mechanism::Laplace {
            scale: q(1, 1),
            sensitivity: q(2, 1),
        };
        let once = resolved(vec![response.clone(), (laplace.clone(), 1)]);
        assert!(matches!(once, Composition::Closed(_)));
        let Composition::Parts(parts) = resolved(vec![response, (laplace, 2)]) else {
            panic!("parts");
        };
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn too_large_finite_powers_stay_parts() {
        let response = Mechanism::RandomizedResponse {
            epsilon: q(1, 1),
            k: 2,
        };
        let Composition::Parts(parts) = resolved(vec![(response, 1_000_000_000)]) else {
            panic!("parts");
        };
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].times, 1_000_000_000);
    }

    #[test]
    fn a_subsampled_composition_of_responses_is_finite() {
        let inner = Mechanism::Compose {
            of: vec![(Mechanism::PureDp { epsilon: q(1, 1) }, 3)],
        };
        let found = resolved(vec![(sampled(q(1, 4), inner), 2)]);
        let Composition::Closed(Part {
            kind: PartKind::Finite(law),
            ..
        }) = found
        else {
            panic!("finite");
        };
        assert_eq!(law.len(), 10);
    }

    #[test]
    fn unsupported_says_why() {
        let zcdp = Mechanism::Zcdp { rho: q(1, 2) };
        let Composition::Unsupported(reason) = resolved(vec![(zcdp, 1)]) else {
            panic!("unsupported");
        };
        assert!(reason.contains("needs Rényi accounting, not built yet"));
    }
}
