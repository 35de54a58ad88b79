//! Where floats see the Bayes errors of two mechanisms differ most.

use rug::Float;

use crate::float::{Curve, peaks};
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Mechanism};

/// More places than these are noise.
const MOST_PEAKS: usize = 8;

/// Bits of a place: a double has as many.
const BITS: u32 = 53;

/// A mechanism as floats see it, if they do.
pub struct Glance(Option<Curve>);

impl Glance {
    /// Prepares a mechanism, if there is time for that.
    pub fn at(mechanism: &Mechanism, adjacency: Adjacency, budget: &Budget) -> Self {
        Self(Curve::within(mechanism, adjacency, budget).ok())
    }

    /// Of what floats know nothing.
    pub fn nothing() -> Self {
        Self(None)
    }

    /// ε at which R_A − R_B or R_B − R_A is locally largest, the most promising first; none where floats know nothing.
    pub fn peaks_against(&self, other: &Self) -> Vec<Float> {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return Vec::new();
        };
        let ways = peaks(a, b).into_iter();
        ways.flat_map(|places| places.into_iter().take(MOST_PEAKS))
            .filter(|epsilon| epsilon.is_finite())
            .map(|epsilon| Float::with_val(BITS, epsilon))
            .collect()
    }
}
