//! The second mechanism of a claim or query.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use rug::Rational;

use crate::mechanism::{Adjacency, Mechanism};

/// A mechanism under an adjacency, that another one is compared with.
///
/// Copies share what an engine prepared of it.
#[derive(Clone)]
pub struct Other(Arc<Shared>);

struct Shared {
    mechanism: Mechanism,
    adjacency: Adjacency,
    prepared: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Other {
    /// A mechanism under an adjacency.
    pub fn new(mechanism: Mechanism, adjacency: Adjacency) -> Self {
        Self(Arc::new(Shared {
            mechanism,
            adjacency,
            prepared: OnceLock::new(),
        }))
    }

    /// The Gaussian mechanism G_μ.
    ///
    /// Requires: `mu ≥ 0`.
    pub(crate) fn gaussian(mu: &Rational) -> Self {
        Self::new(Mechanism::gaussian_curve(mu), Adjacency::Remove)
    }

    /// What was run.
    pub fn mechanism(&self) -> &Mechanism {
        &self.0.mechanism
    }

    /// The neighbouring relation.
    pub fn adjacency(&self) -> Adjacency {
        self.0.adjacency
    }

    /// What an engine keeps of the mechanism: made once, when it is first needed. `None` if something of another type was kept.
    ///
    /// # Errors
    /// Those of `make`; then nothing is kept.
    pub fn prepared<T: Any + Send + Sync, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<&T>, E> {
        let slot = &self.0.prepared;
        if slot.get().is_none() {
            // Should another thread have been faster, its result is the same.
            let _ = slot.set(Box::new(make()?));
        }
        Ok(slot.get().and_then(|kept| kept.downcast_ref()))
    }
}

impl fmt::Debug for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Other")
            .field("mechanism", self.mechanism())
            .field("adjacency", &self.adjacency())
            .finish_non_exhaustive()
    }
}

impl PartialEq for Other {
    fn eq(&self, other: &Self) -> bool {
        self.adjacency() == other.adjacency() && self.mechanism() == other.mechanism()
    }
}

impl Eq for Other {}
