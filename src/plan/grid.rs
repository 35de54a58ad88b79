//! Lattice, knots, bits and coarsening schedule of a composition.

use rug::Rational;

use super::Shape;
use super::demand::{Demand, Units};
use crate::float::elementary::{cbrt, ln, log2, powi};
use crate::kernel::{Accuracy, Profile};
use crate::law::{Lattice, Offset, Sampling, Schedule, TailBudget};

/// Which directions of the pair one composition serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directions {
    /// Both: the left tail is kept by P-mass, in units as small as that needs.
    Both,
    /// Only the one in which it is stated.
    One,
}

/// One part of a composition, as the planner sees it.
pub struct Summand<'a> {
    /// Profile of one step.
    pub profile: &'a dyn Profile,
    /// How often it is composed.
    pub steps: u64,
    /// The point of index 0 of its lattice.
    pub anchor: Offset,
    /// A length of which the lattice step must be a whole fraction, if its atoms are to sit on the lattice.
    pub unit: Option<Rational>,
    /// One of its losses and the distance of neighbouring ones, if they are equally far apart.
    pub losses: Option<(Rational, Rational)>,
}

/// What laws count, and how finely their base is sampled.
#[derive(Debug, Clone, Copy)]
pub struct Masses {
    /// Masses are in units of 2^−bits.
    pub bits: u32,
    /// Limbs of a mass.
    pub limbs: usize,
    /// Bits to which the cells of the base laws should be known.
    pub cell_bits: u32,
    /// How to sample profiles.
    pub sampling: Sampling,
}

impl Masses {
    /// The narrowest that have so many bits, or the widest; cells are to be known to as many.
    pub(super) fn of_bits(wanted: f64, most: f64, jobs: usize) -> Self {
        let Width { bits, limbs, .. } = *width(wanted.min(most));
        Self {
            bits,
            limbs,
            cell_bits: wanted.clamp(0.0, 1e6) as u32,
            sampling: sampling(bits, jobs),
        }
    }

    /// No more bits than are wanted, where each of them takes time when profiles are sampled.
    pub(super) fn of_about(wanted: f64, jobs: usize) -> Self {
        let widest = Self::of_bits(wanted, f64::INFINITY, jobs);
        let bits = (wanted.clamp(0.0, 1e6).ceil() as u32).min(widest.bits);
        Self {
            bits,
            sampling: sampling(bits, jobs),
            ..widest
        }
    }
}

/// How to compose.
pub struct Plan {
    /// What laws count, and how finely.
    pub masses: Masses,
    /// One entry per part, in the same order.
    pub parts: Vec<SummandPlan>,
}

/// How to discretise and power one part.
pub struct SummandPlan {
    /// Lattice of the base law.
    pub lattice: Lattice,
    /// Knots, as lattice indices.
    pub indices: Vec<i64>,
    /// How to power the upper law.
    pub upper: Schedule,
    /// How to power the lower law.
    pub lower: Schedule,
}

/// Laws with fewer cells say too little to save time with.
pub(super) const FEWEST_CELLS: u64 = 192;
/// A law covers this many standard deviations with `Demand::cells` cells.
const BULK: f64 = 18.0;
/// A law is coarsened when its bulk takes up twice as many cells as it should at least. The last one, and the quarters of
/// its steps, are planned to be a little below that, so that the same decisions fall whatever the number of steps.
const LAST_WIDTH: f64 = 1.86;
/// Standard deviations that the middle nine tenths of a normal law take up.
const MIDDLE: f64 = 3.29;
/// Absolute accuracy of the tabulated normal law, in bits.
const TABLE_BITS: u32 = 140;

/// Chooses everything for a composition of these parts, described by `shapes` in the same order.
///
/// A part of T steps on a lattice of step h costs about sd/h and adds T·h² to the error: the steps that cost least for a
/// given error are in proportion to (sd/T)^⅓.
pub fn plan(
    parts: &[Summand<'_>],
    shapes: &[Shape],
    demand: Demand,
    directions: Directions,
) -> Plan {
    let bulk_variance: f64 = parts
        .iter()
        .zip(shapes)
        .map(|(p, s)| p.steps as f64 * powi(s.bulk, 2))
        .sum();
    let final_step =
        (bulk_variance.sqrt() * MIDDLE / (LAST_WIDTH * bulk_cells(demand.cells))).max(1e-290);
    let unit = parts.iter().find_map(|p| p.unit.clone());
    let unit = unit.unwrap_or_else(|| rounded(final_step));
    let steps: Vec<u64> = parts.iter().map(|part| part.steps).collect();
    let wanted = bits_wanted(&steps, shapes, demand, directions);
    // Only ratios of widths matter.
    let widest = shapes.iter().map(|s| s.bulk).fold(1e-300, f64::max);
    let evenly = parts.iter().zip(shapes);
    let evenly: f64 = evenly
        .map(|(p, s)| cbrt(p.steps as f64 * powi(s.bulk / widest, 2)))
        .sum();
    let parts = parts
        .iter()
        .zip(shapes)
        .map(|(part, shape)| {
            let share = cbrt(shape.bulk / widest / part.steps as f64) / evenly.sqrt();
            let wanted = final_step * share.clamp(1e-12, 1.0);
            part_plan(part, shape, &unit, wanted, demand, directions)
        })
        .collect();
    Plan {
        masses: Masses::of_bits(wanted, f64::INFINITY, demand.jobs),
        parts,
    }
}

/// How finely to sample for masses in units of 2^−bits.
fn sampling(bits: u32, jobs: usize) -> Sampling {
    if bits + 20 <= TABLE_BITS {
        Sampling {
            bits: TABLE_BITS + 20,
            first_bits: TABLE_BITS + 20,
            accuracy: Accuracy::Absolute,
            jobs,
        }
    } else {
        Sampling {
            bits: bits + 40,
            first_bits: bits + 40,
            accuracy: Accuracy::Relative,
            jobs,
        }
    }
}

fn part_plan(
    part: &Summand<'_>,
    shape: &Shape,
    unit: &Rational,
    wanted: f64,
    demand: Demand,
    directions: Directions,
) -> SummandPlan {
    // Lattice indices are 64-bit numbers.
    let finest = (shape.high - shape.low) / powi(2f64, 50);
    let step = fraction_near(unit, wanted.max(finest));
    let step_float = step.to_f64();
    let lattice = Lattice::new(part.anchor.clone(), step);
    let offset = lattice.positions(80).offset().middle().to_f64();
    let near = (demand.cells / 4).max(64) as i64;
    let indices = knots(shape, offset, step_float, near);
    let indices = match &part.losses {
        Some((loss, gap)) => {
            let loss = (loss.to_f64() - offset) / step_float;
            beside_losses(indices, loss, gap.to_f64() / step_float)
        }
        None => indices,
    };
    SummandPlan {
        lattice,
        indices,
        upper: schedule(demand.cells, demand.tail_budget(directions)),
        // Merging costs half the variance of spreading, and two products instead of one.
        lower: schedule(demand.cells / 2, demand.tail_budget(directions)),
    }
}

fn schedule(cells: u64, tail: TailBudget) -> Schedule {
    Schedule {
        bulk: bulk_cells(cells) as i64,
        few_atoms: 0,
        reach: cells as i64,
        tail,
    }
}

/// Cells that the middle nine tenths of a law take up at least.
fn bulk_cells(cells: u64) -> f64 {
    cells as f64 * MIDDLE / BULK
}

/// A rational close to x > 0 with a short binary expansion.
pub(super) fn rounded(x: f64) -> Rational {
    let short = f64::from_bits(x.to_bits() & !((1 << 36) - 1));
    Rational::from_f64(short).unwrap_or_else(|| Rational::from(1))
}

/// Knots one step apart around the median, farther apart where the loss is far from it: the error of a cell grows
/// with its width, and so does what a far loss can be resolved to. Knots at a distance of less than twice `near` steps are next
/// to each other.
pub(super) fn knots(shape: &Shape, offset: f64, step: f64, near: i64) -> Vec<i64> {
    let index = |y: f64| ((y - offset) / step).clamp(-5e17, 5e17) as i64;
    let (low, high, middle) = (
        index(shape.low) - 1,
        index(shape.high) + 1,
        index(shape.median),
    );
    // Far on the left of a mirrored law there is e^{−|y|} times the mass of the right: cells that are e^{|y|/2} times as wide do the same harm.
    let wider = |distance: i64| match shape.is_mirrored && distance < -2 * near {
        true => (distance as f64 * step * -0.72) as u32,
        false => 0,
    };
    let gap = |distance: i64| {
        let even = (distance.abs() / near).max(1).ilog2();
        1i64 << even
            .saturating_add(wider(distance))
            .min(distance.abs().max(1).ilog2())
    };
    // A support edge is a knot itself; elsewhere the first knot is a point of its own shell.
    let low = if (shape.low - offset).abs() < step * 1e-6 {
        0
    } else {
        low.div_euclid(gap(low - middle)) * gap(low - middle)
    };
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

/// The knots at the ends of a cell with a loss, the first and the last, where losses lie `gap` steps apart: between the others the profile is
/// one line, and they would add no more than rounding.
fn beside_losses(indices: Vec<i64>, loss: f64, gap: f64) -> Vec<i64> {
    const LITTLE: f64 = 1e-6;
    // Does a loss lie between them, or next to there?
    let holds = |low: i64, high: i64| {
        let next = ((low as f64 - LITTLE - loss) / gap).ceil() * gap + loss;
        // Also where floats do not tell.
        next.is_nan() || next <= high as f64 + LITTLE
    };
    let last = indices.len().saturating_sub(1);
    let between = |i: usize| match (indices.get(i), indices.get(i + 1)) {
        (Some(low), Some(high)) => holds(*low, *high),
        _ => true,
    };
    let is_kept = |i: usize| i == 0 || i == last || between(i - 1) || between(i);
    let kept = indices.iter().enumerate().filter(|(i, _)| is_kept(*i));
    kept.map(|(_, index)| *index).collect()
}

/// unit/2^k or unit·2^k, the largest at most `wanted`.
pub(super) fn fraction_below(unit: &Rational, wanted: f64) -> Rational {
    scaled(unit, log2(wanted / unit.to_f64()).floor())
}

/// unit/2^k or unit·2^k, the nearest to `wanted`.
pub(super) fn fraction_near(unit: &Rational, wanted: f64) -> Rational {
    scaled(unit, log2(wanted / unit.to_f64()).round())
}

fn scaled(unit: &Rational, power: f64) -> Rational {
    let power = power.clamp(-1e6, 1e6) as i32;
    if power >= 0 {
        Rational::from(unit << power)
    } else {
        Rational::from(unit >> -power)
    }
}

/// The share of the upper law in the time that both laws of a composition take.
pub(super) const UPPER_SHARE: f64 = 0.5;
/// The second order of a pair takes so long, relative to the first, where nothing is known about it.
pub const SECOND_ORDER_TIME: f64 = 0.5;

/// Does one composition for both orders of the pair take longer than two, because of its units of mass? `second` is the time
/// of the second order relative to the first.
pub fn is_better_apart(steps: &[u64], shapes: &[Shape], demand: Demand, second: f64) -> bool {
    let cost = |directions| width(bits_wanted(steps, shapes, demand, directions)).cost;
    (1.0 + second) * cost(Directions::One) < cost(Directions::Both)
}

/// Bits of a mass. Rounding moves up to a unit per atom and step, but only the unit that it leaves beyond the far end of a
/// law, about one a step in all, goes where no mass should be: that must stay near what the tails may lose. The P-mass
/// e^{−y}·N of a unit is what counts for both orders of the pair on the left end. The finest units can bear the worst.
fn bits_wanted(steps: &[u64], shapes: &[Shape], demand: Demand, directions: Directions) -> f64 {
    let total: f64 = steps.iter().map(|steps| *steps as f64).sum();
    let tail = demand.tail.max(1e-307);
    let (units, spare, spare_tilt) = match demand.units {
        Units::Usual => (1.0, 5.0, 10.0),
        Units::Finest => (demand.cells as f64, 8.0, 0.0),
    };
    let plain = log2(total * units) - log2(tail) - spare;
    if directions == Directions::One {
        return plain;
    }
    let sum = |of: fn(&Shape) -> f64| -> f64 {
        let parts = steps.iter().zip(shapes);
        parts.map(|(steps, shape)| *steps as f64 * of(shape)).sum()
    };
    let (mean, variance, low_end) = (sum(|s| s.mean), sum(|s| s.sd * s.sd), sum(|s| s.low));
    // A thousand times the tail budget is what is looked at.
    let deepest = -ln((1e3 * tail).min(0.5));
    let lowest = (-mean - (2.0 * deepest * variance).sqrt()).max(low_end);
    let tilt = -lowest * std::f64::consts::LOG2_E;
    plain + (tilt - spare_tilt).max(0.0)
}

/// Bits and limbs of masses, and how long their products take, relative to the narrowest.
struct Width {
    bits: u32,
    limbs: usize,
    cost: f64,
}

const fn width_of(bits: u32, limbs: usize, cost: f64) -> Width {
    Width { bits, limbs, cost }
}

fn width(wanted: f64) -> &'static Width {
    WIDTHS
        .iter()
        .find(|width| wanted <= f64::from(width.bits))
        .unwrap_or(&WIDEST)
}

/// Fixed-point cells are fine enough for masses of so many bits; beyond, sampling takes much longer.
pub const FINEST_FAST_BITS: u32 = 165;

/// Products of two masses must fit into 2 to 6 primes below 2^62, or into twice the limbs.
const WIDTHS: [Width; 7] = [
    width_of(61, 1, 1.0),
    width_of(92, 2, 1.8),
    width_of(122, 2, 2.4),
    width_of(154, 3, 3.3),
    width_of(FINEST_FAST_BITS, 3, 4.0),
    width_of(185, 3, 20.0),
    width_of(500, 8, 40.0),
];
const WIDEST: Width = width_of(1500, 24, 200.0);

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of each cell with a loss stay, also where a loss lies on a knot, and nothing else but the first and the last.
    #[test]
    fn knots_beside_losses() {
        let all: Vec<i64> = (-10..=10).collect();
        assert_eq!(
            beside_losses(all.clone(), 0.5, 6.0),
            [-10, -6, -5, 0, 1, 6, 7, 10]
        );
        assert_eq!(
            beside_losses(all.clone(), 3.0, 8.0),
            [-10, -6, -5, -4, 2, 3, 4, 10]
        );
        assert_eq!(beside_losses(all.clone(), 0.0, 0.9), all);
        // Farther apart, too, and where floats say nothing.
        assert_eq!(
            beside_losses(vec![-8, -4, 0, 1, 2, 4, 8], 3.0, 20.0),
            [-8, 2, 4, 8]
        );
        assert_eq!(beside_losses(all.clone(), f64::NAN, 1.0), all);
        assert_eq!(beside_losses(vec![3], 0.0, 1.0), [3]);
    }

    /// However far the losses of a mirrored law reach, few knots cover them.
    #[test]
    fn knots_of_far_losses() {
        for far in [1e3, 1e9, 1e12, 1e300] {
            let shape = Shape {
                mean: 0.0,
                sd: 1.0,
                low: -far,
                high: far,
                median: 0.0,
                bulk: 1.0,
                is_mirrored: true,
            };
            let indices = knots(&shape, 0.0, 0.01, 64);
            let end = (far / 0.01).min(5e17) as i64;
            assert!(indices.is_sorted_by(|a, b| a < b));
            assert!(indices[0] <= -end && indices[indices.len() - 1] >= end);
            assert!(indices.len() < 10_000, "{far}: {}", indices.len());
        }
    }
}
