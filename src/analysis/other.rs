//! The second mechanism of a comparison.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rug::Rational;

use super::{Refusal, Subject, Unsupported};
use crate::bounds::Prior;
use crate::kernel::{Budget, Failure};
use crate::mechanism::{Adjacency, Mechanism};

/// A mechanism that another one is compared with; prepared once, when it is first needed.
#[derive(Clone)]
pub struct Other {
    mechanism: Mechanism,
    adjacency: Adjacency,
    prepared: Arc<OnceLock<Result<Subject, Unsupported>>>,
}

/// Which divergence between a mechanism M and the other one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contrast {
    /// Δ(M‖other): the regret of choosing the other one instead of M.
    To,
    /// Δ(other‖M).
    From,
    /// The larger of the two: the Lévy distance of the trade-off functions as distribution functions.
    Symmetric,
    /// max over π of Ψ(π)·(R_M(π) − R_other(π)).
    Weighted(Prior),
}

impl Other {
    /// A mechanism under an adjacency.
    pub fn new(mechanism: Mechanism, adjacency: Adjacency) -> Self {
        Self {
            mechanism,
            adjacency,
            prepared: Arc::default(),
        }
    }

    /// The Gaussian mechanism G_μ.
    ///
    /// Requires: `mu ≥ 0`.
    pub fn gaussian(mu: Rational) -> Self {
        Self::new(Mechanism::gaussian_curve(&mu), Adjacency::Remove)
    }

    /// The mechanism, prepared.
    ///
    /// # Errors
    /// If it cannot be treated, or the budget ends.
    pub fn subject(&self, budget: &Budget) -> Result<&Subject, Refusal> {
        if self.prepared.get().is_none() {
            let prepared = match Subject::new(&self.mechanism, self.adjacency, budget) {
                Ok(subject) => Ok(subject),
                Err(Refusal::Unsupported(why)) => Err(why),
                Err(failure) => return Err(failure),
            };
            // Should another thread have been faster, its result is the same.
            let _ = self.prepared.set(prepared);
        }
        match self.prepared.get() {
            Some(Ok(subject)) => Ok(subject),
            Some(Err(why)) => Err(why.clone().into()),
            None => Err(Failure::Interrupted.into()),
        }
    }
}

impl fmt::Debug for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Other")
            .field("mechanism", &self.mechanism)
            .field("adjacency", &self.adjacency)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Other {
    fn eq(&self, other: &Self) -> bool {
        self.mechanism == other.mechanism && self.adjacency == other.adjacency
    }
}

impl Eq for Other {}
