//! Knots for the composition of two pairs of which one is evaluated in closed form.

use rug::Rational;

use super::Shape;
use crate::float::elementary::{asinh, sinh};
use crate::kernel::Accuracy;
use crate::law::{Lattice, Offset, Sampling};

/// How to discretise the first of two pairs.
pub struct PairPlan {
    /// A lattice far finer than the knots.
    pub lattice: Lattice,
    /// The knots.
    pub indices: Vec<i64>,
    /// How to sample the profile.
    pub sampling: Sampling,
    /// Units of mass are 2^−bits.
    pub bits: u32,
}

/// Lattice points between neighbouring knots where they are closest.
const REFINEMENT: f64 = 1_048_576.0;

impl PairPlan {
    /// About `knots` knots, closest around the median and farther apart in proportion to the distance from it.
    pub fn new(
        shape: &Shape,
        anchor: Offset,
        unit: Option<&Rational>,
        knots: u64,
        jobs: usize,
    ) -> Self {
        let one = Rational::from(1);
        let range = (shape.high - shape.low).max(1e-300);
        let spread = [
            shape.sd,
            shape.median - shape.low,
            shape.high - shape.median,
        ]
        .into_iter()
        .filter(|width| *width > 1e-12 * range)
        .fold(range, f64::min);
        let scale = spread / 8.0;
        let reach = |distance: f64| asinh(distance / scale);
        let (left, right) = (
            reach(shape.median - shape.low),
            reach(shape.high - shape.median),
        );
        let pace = (left + right) / knots as f64;
        let step = super::grid::fraction_below(unit.unwrap_or(&one), scale * pace / REFINEMENT);
        let lattice = Lattice::new(anchor, step);
        let (offset, step) = (
            lattice.positions(80).offset().middle().to_f64(),
            lattice.step().to_f64(),
        );
        let index = |y: f64| ((y - offset) / step).clamp(-5e17, 5e17) as i64;
        let mut indices: Vec<i64> = (0..=knots)
            .map(|i| index(shape.median + scale * sinh(-left + pace * i as f64)))
            .collect();
        // Support edges and atoms are knots themselves.
        let first = if (shape.low - offset).abs() < 1e-6 * spread {
            0
        } else {
            i64::MIN
        };
        if first == 0 {
            indices.push(0);
            indices.retain(|i| *i >= 0);
        }
        if let Some(unit) = unit {
            let whole = (unit.to_f64() / step) as i64;
            indices.extend([-whole, whole]);
        }
        // An atom at an end of the support, off the lattice, is alone in a cell as narrow as the lattice allows.
        let ends = [index(shape.low), index(shape.high)];
        indices.extend(
            ends.iter()
                .flat_map(|end| (end - 2..=end + 2).filter(|i| *i >= first)),
        );
        indices.sort_unstable();
        indices.dedup();
        let sampling = Sampling {
            bits: 192,
            first_bits: 192,
            accuracy: Accuracy::Absolute,
            jobs,
        };
        Self {
            lattice,
            indices,
            sampling,
            bits: 150,
        }
    }
}
