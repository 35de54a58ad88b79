//! Lattice, knots, bits and coarsening schedule of a composition.

use rug::{Float, Rational};

use super::Shape;
use crate::kernel::{Accuracy, Profile};
use crate::law::{Lattice, Offset, Sampling, Schedule, TailBudget};

/// What a composition is wanted for.
#[derive(Debug, Clone, Copy)]
pub struct Demand {
    /// Cells across the bulk (18 standard deviations) of a law.
    pub cells: u64,
    /// Mass that the tails may lose in all.
    pub tail: f64,
    /// Threads.
    pub jobs: usize,
}

impl Demand {
    /// The tail budget for laws.
    pub fn tail_budget(&self) -> TailBudget {
        TailBudget::new(Float::with_val(64, self.tail))
    }
}

/// One part of a composition, as the planner sees it.
pub struct Part<'a> {
    /// Profile of one step.
    pub profile: &'a dyn Profile,
    /// How often it is composed.
    pub steps: u64,
    /// The point of index 0 of its lattice.
    pub anchor: Offset,
    /// A length of which the lattice step must be a whole fraction, if its atoms are to sit on the lattice.
    pub unit: Option<Rational>,
}

/// How to compose.
pub struct Plan {
    /// Laws count masses in units of 2^−bits.
    pub bits: u32,
    /// How to sample profiles.
    pub sampling: Sampling,
    /// One entry per part, in the same order.
    pub parts: Vec<PartPlan>,
}

/// How to discretise and power one part.
pub struct PartPlan {
    /// Lattice of the base law.
    pub lattice: Lattice,
    /// Knots, as lattice indices.
    pub indices: Vec<i64>,
    /// How to power it.
    pub schedule: Schedule,
    /// Its own spread after all steps is far below the final step: a lower law had better leave it out.
    pub negligible: bool,
    /// Standard deviation of all its steps.
    pub total_sd: f64,
}

/// A law covers this many standard deviations with `Demand::cells` cells.
const BULK: f64 = 18.0;
/// Laws never have many more atoms than this.
const MOST_ATOMS: f64 = 150_000.0;
/// Absolute accuracy of the tabulated normal law, in bits.
const TABLE_BITS: u32 = 140;

/// Chooses everything for a composition of these parts, described by `shapes` in the same order.
pub fn plan(parts: &[Part<'_>], shapes: &[Shape], demand: Demand) -> Plan {
    let total_variance: f64 = parts
        .iter()
        .zip(shapes)
        .map(|(p, s)| p.steps as f64 * s.sd.powi(2))
        .sum();
    let per_sd = demand.cells as f64 / BULK;
    let final_step = (total_variance.sqrt() / per_sd).max(1e-290);
    let unit = parts
        .iter()
        .find_map(|p| p.unit.clone())
        .unwrap_or_else(|| Rational::from(1));
    let steps_total: f64 = parts.iter().map(|p| p.steps as f64).sum();
    let bits = mass_bits(
        parts,
        shapes,
        total_variance.sqrt(),
        steps_total,
        demand.tail,
    );
    let sampling = if bits + 20 <= TABLE_BITS {
        Sampling {
            bits: TABLE_BITS + 20,
            accuracy: Accuracy::Absolute,
            jobs: demand.jobs,
        }
    } else {
        Sampling {
            bits: bits + 40,
            accuracy: Accuracy::Relative,
            jobs: demand.jobs,
        }
    };
    let parts = parts
        .iter()
        .zip(shapes)
        .map(|(part, shape)| part_plan(part, shape, &unit, final_step, demand))
        .collect();
    Plan {
        bits,
        sampling,
        parts,
    }
}

fn part_plan(
    part: &Part<'_>,
    shape: &Shape,
    unit: &Rational,
    final_step: f64,
    demand: Demand,
) -> PartPlan {
    let steps = part.steps as f64;
    let range = (shape.high - shape.low).max(1e-300);
    let wanted = (final_step / steps.sqrt()).max(range / MOST_ATOMS);
    let step = fraction_below(unit, wanted);
    let step_float = step.to_f64();
    let lattice = Lattice::new(part.anchor.clone(), step);
    let total_sd = steps.sqrt() * shape.sd;
    let schedule = Schedule {
        spread: Rational::from_f64((final_step / step_float).powi(2) / steps).unwrap_or_default(),
        last_level: 60,
        most_atoms: MOST_ATOMS as usize * 3 / 2,
        tail: demand.tail_budget(),
        worth: Float::with_val(64, shape.sd.powi(2) / 2.0),
    };
    let offset = lattice.positions(80).offset().middle().to_f64();
    let indices = knots(shape, offset, step_float, demand.cells);
    PartPlan {
        lattice,
        indices,
        schedule,
        negligible: total_sd < final_step / 4.0,
        total_sd,
    }
}

/// Knots one step apart around the median, farther apart where the loss is far from it: the error of a cell grows
/// with its width, and so does what a far loss can be resolved to.
fn knots(shape: &Shape, offset: f64, step: f64, cells: u64) -> Vec<i64> {
    let index = |y: f64| ((y - offset) / step).clamp(-5e17, 5e17) as i64;
    let (low, high, middle) = (
        index(shape.low) - 1,
        index(shape.high) + 1,
        index(shape.median),
    );
    // A support edge is a knot itself.
    let low = if (shape.low - offset).abs() < step * 1e-6 {
        0
    } else {
        low
    };
    let near = (cells / 4).max(64) as i64;
    let gap = |distance: i64| 1i64 << (distance.abs() / near).max(1).ilog2();
    let mut indices = vec![low];
    let mut at = low;
    while at < high {
        let distance = at - middle;
        let gap = if distance < 0 {
            gap(distance).min(gap(distance + gap(distance)))
        } else {
            gap(distance)
        };
        at = (at.div_euclid(gap) + 1) * gap;
        indices.push(at);
    }
    indices
}

/// unit/2^k or unit·2^k, the largest at most `wanted`.
pub(super) fn fraction_below(unit: &Rational, wanted: f64) -> Rational {
    let power = (wanted / unit.to_f64()).log2().floor().clamp(-1e6, 1e6) as i32;
    if power >= 0 {
        Rational::from(unit << power)
    } else {
        Rational::from(unit >> -power)
    }
}

/// Units of mass far below the tail budget, also on the left end, where the P-mass e^{−y}·N is what counts; chosen so
/// that a slot of the exact product (2·bits and a carry) fills whole words.
fn mass_bits(parts: &[Part<'_>], shapes: &[Shape], sd: f64, steps: f64, tail: f64) -> u32 {
    let lowest: f64 = parts
        .iter()
        .zip(shapes)
        .map(|(p, s)| p.steps as f64 * s.mean)
        .sum::<f64>()
        - 10.0 * sd;
    let low_end: f64 = parts
        .iter()
        .zip(shapes)
        .map(|(p, s)| p.steps as f64 * s.low)
        .sum();
    let tilt = (-lowest.max(low_end)).clamp(0.0, 20_000.0) * std::f64::consts::LOG2_E;
    let wanted = steps.log2() - tail.max(1e-307).log2() + 24.0 + tilt;
    let words = ((2.0 * wanted + 20.0) / 64.0).ceil().max(3.0);
    ((words * 64.0 - 20.0) / 2.0) as u32
}
