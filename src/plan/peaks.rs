//! Where floats see the Bayes errors of two mechanisms differ most.

use rug::Float;

use crate::float::{Curve, peaks};
use crate::mechanism::{Adjacency, Mechanism};

/// More places than these are noise.
const MOST_PEAKS: usize = 8;

/// Bits of a place: a double has as many.
const BITS: u32 = 53;

/// ε at which R_A − R_B or R_B − R_A is locally largest, the most promising first; none where floats know nothing.
pub fn peaks_between(a: (&Mechanism, Adjacency), b: (&Mechanism, Adjacency)) -> Vec<Float> {
    let (Ok(a), Ok(b)) = (Curve::new(a.0, a.1), Curve::new(b.0, b.1)) else {
        return Vec::new();
    };
    let there = peaks(&a, &b).into_iter().take(MOST_PEAKS);
    let back = peaks(&b, &a).into_iter().take(MOST_PEAKS);
    there
        .chain(back)
        .filter(|epsilon| epsilon.is_finite())
        .map(|epsilon| Float::with_val(BITS, epsilon))
        .collect()
}
