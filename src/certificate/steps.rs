//! The steps of a mechanism that certificates cover.

use rug::{Integer, Rational};

use crate::mechanism::{self, Adjacency, Direction, FiniteLosses, Mechanism, Relation};

/// A step of a kind that certificates cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Gaussian with this μ².
    Gaussian { square: Rational },
    /// Poisson-sampled Gaussian, 0 < rate < 1.
    Sampled { square: Rational, rate: Rational },
    /// Laplace with ε₀ = sensitivity/scale.
    Laplace { epsilon: Rational },
    /// k-ary randomised response.
    Response { epsilon: Rational, k: u64 },
    /// Two probability vectors.
    Finite { p: Vec<Rational>, q: Vec<Rational> },
}

/// Steps with their multiplicities, in the order of the file: equal ones together, all Gaussian ones together and first.
#[derive(Debug)]
pub(super) struct Steps {
    pub list: Vec<(Step, u64)>,
    pub directions: Vec<Direction>,
    /// Is any step Poisson-sampled?
    pub sampled: bool,
}

/// More different steps than this are not covered.
const MOST_STEPS: usize = 64;

impl Steps {
    /// `Err` says what is not covered.
    pub fn of(mechanism: &Mechanism, adjacency: Adjacency) -> Result<Self, String> {
        if adjacency.relation() != Relation::Presence {
            return Err("records that are replaced".to_owned());
        }
        let all = mechanism.steps();
        if all.has_new_keys() {
            return Err("keys that are released at a threshold".to_owned());
        }
        if all.is_bound() {
            return Err("mechanisms between two bounds".to_owned());
        }
        // What a guarantee says is no pair of a file.
        if all.assumptions().guarantee {
            return Err(OTHERS.to_owned());
        }
        if all.list().len() > MOST_STEPS {
            return Err(format!(
                "compositions of more than {MOST_STEPS} different steps"
            ));
        }
        let mut list = Vec::new();
        let mut sampled = false;
        for (step, times) in all.list() {
            match Step::of(step)? {
                Step::Gaussian { .. } => {}
                other => {
                    sampled |= matches!(other, Step::Sampled { .. });
                    list.push((other, *times));
                }
            }
        }
        let square = all.mu_squared();
        if square > 0 {
            list.insert(0, (Step::Gaussian { square }, 1));
        }
        let directions = adjacency.directions().to_vec();
        Ok(Self {
            list,
            directions,
            sampled,
        })
    }

    /// Are both orders of the pair equally informative?
    pub fn is_symmetric(&self) -> bool {
        let alike = |step: &Step| {
            matches!(
                step,
                Step::Gaussian { .. } | Step::Laplace { .. } | Step::Response { .. }
            )
        };
        self.list.iter().all(|(step, _)| alike(step))
    }

    /// The only step, if it runs once.
    pub fn single(&self) -> Option<&Step> {
        match self.list.as_slice() {
            [(step, 1)] => Some(step),
            _ => None,
        }
    }

    /// Σ μ² of the Gaussian steps, sampled or not, and whether there are others.
    pub fn mu_squared(&self) -> (Rational, bool) {
        let mut others = false;
        let mut total = Rational::new();
        for (step, times) in &self.list {
            match step {
                Step::Gaussian { square } | Step::Sampled { square, .. } => {
                    total += Rational::from(square * Integer::from(*times));
                }
                _ => others = true,
            }
        }
        (total, others)
    }
}

impl Step {
    /// `Err` says what is not covered.
    fn of(step: &mechanism::Step) -> Result<Self, String> {
        Ok(match step {
            mechanism::Step::Gaussian { mu_squared } => Self::Gaussian {
                square: mu_squared.clone(),
            },
            mechanism::Step::Laplace { epsilon } => Self::Laplace {
                epsilon: epsilon.clone(),
            },
            mechanism::Step::Sampled(sampled) => match sampled.mu_squared() {
                Some(mu_squared) => Self::Sampled {
                    square: mu_squared.clone(),
                    rate: sampled.rate().clone(),
                },
                None => return Err("samples of anything but Gaussian noise".to_owned()),
            },
            mechanism::Step::Finite(one) => match one.losses() {
                FiniteLosses::RandomizedResponse { epsilon, k } => Self::Response {
                    epsilon: epsilon.exact().ok_or(OTHERS)?,
                    k: *k,
                },
                FiniteLosses::Pair { p, q } => Self::Finite {
                    p: p.to_vec(),
                    q: q.to_vec(),
                },
                FiniteLosses::ApproxDp { .. }
                | FiniteLosses::ResponseOrUniform { .. }
                | FiniteLosses::DiscreteLaplace { .. }
                | FiniteLosses::LargestAnswer { .. }
                | FiniteLosses::NewKey { .. }
                | FiniteLosses::Points { .. }
                | FiniteLosses::TwoOutcomes { .. }
                | FiniteLosses::Shuffled(_) => return Err(OTHERS.to_owned()),
            },
            mechanism::Step::DiscreteGaussian { .. }
            | mechanism::Step::Shifted(_)
            | mechanism::Step::Labelled(_)
            | mechanism::Step::Closed(_)
            | mechanism::Step::Zcdp { .. }
            | mechanism::Step::Rdp { .. } => return Err(OTHERS.to_owned()),
        })
    }
}

const OTHERS: &str = "mechanisms of this kind";
