//! A record that is replaced, where all that is used is what it takes to remove one and to add one.

use std::sync::Arc;

use super::Closed;
use crate::kernel::Profile;
use crate::mechanism::chained;
use crate::mechanism::steps::Steps;

/// The pair at the ends of a chain: from one record to none, and from none to another.
///
/// It dominates, in either order, wherever a step dominates the pairs with either record and without, whatever else the records are, and several of them in their product,
/// though their answers come in turns (`proofs/README.md`, A7).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chained {
    presence: Steps,
    apart: Steps,
}

impl Chained {
    /// Requires: `presence` is one step that is one pair, without a record and with one; `apart` dominates what it makes of two records that are told apart.
    pub fn new(presence: Steps, apart: Steps) -> Self {
        Self { presence, apart }
    }
}

impl Closed for Chained {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        let there = self.presence.single()?.profile()?;
        Some(Arc::new(chained::Chained::new(there)))
    }

    fn limits(&self) -> &'static str {
        "replaced records are built where those that are there or not are"
    }

    fn dominated_by(&self) -> Option<Steps> {
        Some(self.apart.clone())
    }
}
