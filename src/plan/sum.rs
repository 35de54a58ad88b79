//! Lattice, knots and bits of the laws of a sum that is computed all at once.

use super::Shape;
use super::fitted::Fit;
use super::grid::{self, FINEST_FAST_BITS, Masses, Summand};
use super::resolution::share_of_steps;
use super::sampled_gaussian::SampledGaussian;
use super::{Demand, Units};
use crate::float::elementary::{cbrt, log2, powi};
use crate::fourier::Roots;
use crate::law::{Lattice, Sampling};

/// How to discretise the parts of a sum.
pub struct SumPlan {
    /// What laws count, and how finely.
    pub masses: Masses,
    /// Coarser units that do for all but the ends of the laws, where cells in fixed point are had and the ends are known in those of `masses`.
    pub between_ends: Option<Masses>,
    /// One entry per part, in the same order.
    pub parts: Vec<SumPart>,
}

/// Where one part is sampled.
pub struct SumPart {
    /// Its lattice.
    pub lattice: Lattice,
    /// Knots, as lattice indices.
    pub indices: Vec<i64>,
}

/// Which losses of a sum are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orders {
    /// Both orders of each pair are the same: those above 0 say everything.
    Same,
    /// All.
    Apart,
}

/// A law of as many cells as squarings would need has so many times the cells that a standard deviation of a step needs here,
/// where rounding to the lattice happens once.
const CELLS_PER_DEVIATION: f64 = 52.0;
/// Knots are next to each other up to twice this many standard deviations from the median.
const NEAR: f64 = 1.5;
/// A sum whose mean is at most this many standard deviations above 0 is below 0 with some probability.
const NEAR_ZERO: f64 = 2.0;
/// What moves below 0 may add, relative to 1 over the square of the cells, of which the error is a multiple.
const OF_ERROR: f64 = 0.1;
/// Steps that are longer or finer than this are left to squarings.
const LONGEST: f64 = 300.0;
const MOST_KNOTS: usize = 100_000;
const MOST_KNOTS_OF_ALL: usize = 1_000_000;
/// Sums of fewer losses are far from normal.
const FEWEST_STEPS: u64 = 24;

/// Where integrals take the place of squarings of rare large losses, sums are made a little finer than was asked.
const FINER: f64 = 1.2;
/// So they are where probabilities below this one come from rare large losses, a little where tilts make the law up to so many times wider, and less where fewer.
const FAR: f64 = 1e-8;
const FINER_WHERE_FAR: f64 = 1.35;
const FINER_UP_TO: [(f64, f64); 2] = [(12.0, 1.0), (45.0, 1.1)];
/// Losses are large and rare where the standard deviation is so many times that of the bulk,
const LARGE: f64 = 1.3;
/// and may be so in a sum of few steps where it is so many times that.
const RATHER_LARGE: f64 = 1.1;

/// Are there rare large losses, and no atoms? Lattices fit those worse than squarings do.
pub fn has_rare_losses(parts: &[Summand<'_>], shapes: &[Shape]) -> bool {
    has_losses_so_large(parts, shapes, LARGE)
}

/// May there be, where lines of the usual kind cannot be made?
pub fn may_have_rare_losses(parts: &[Summand<'_>], shapes: &[Shape]) -> bool {
    has_losses_so_large(parts, shapes, RATHER_LARGE)
}

fn has_losses_so_large(parts: &[Summand<'_>], shapes: &[Shape], times: f64) -> bool {
    parts.iter().all(|part| part.unit.is_none())
        && shapes.iter().any(|shape| shape.sd > times * shape.bulk)
}

/// Chooses lattices for the parts, described by `shapes` in the same order; `None` where other ways are better.
pub fn plan_sum(
    parts: &[Summand<'_>],
    shapes: &[Shape],
    demand: Demand,
    orders: Orders,
    roots: Roots,
) -> Option<SumPlan> {
    let steps: u64 = parts
        .iter()
        .fold(0, |sum, part| sum.saturating_add(part.steps));
    let is_long =
        |shape: &Shape| (shape.high - shape.low).is_nan() || shape.high - shape.low > LONGEST;
    if steps < FEWEST_STEPS || shapes.iter().any(is_long) || parts.len() != shapes.len() {
        return None;
    }
    // The error of a step is its share of Σ T·h², its cost sd/h.
    let sum = |of: &dyn Fn(f64, &Shape) -> f64| -> f64 {
        let terms = parts.iter().zip(shapes);
        terms.map(|(p, s)| of(p.steps as f64, s)).sum()
    };
    let variance = sum(&|times, s| times * s.bulk * s.bulk);
    let evenly = sum(&|times, s| cbrt(times * s.bulk * s.bulk));
    let fit = Fit::new(parts, shapes, demand, steps);
    let finer = match (roots, &fit) {
        (Roots::ByValues, _) => FINER,
        (Roots::Usual, Fit::Rare { least, widened }) if *least < FAR => finer_where_far(*widened),
        (Roots::Usual, _) => 1.0,
    };
    let cells = finer * demand.cells as f64 / CELLS_PER_DEVIATION / share_of_steps(steps).sqrt()
        * relative_error(variance.sqrt());
    let scale = variance.sqrt() / cells / evenly.sqrt();
    let fitted = |number: usize| fit.part(number);
    let wanted = |number: usize, part: &Summand<'_>, shape: &Shape| match fitted(number) {
        Some(widths) => widths.finest(),
        None => scale * cbrt(shape.bulk / part.steps as f64),
    };
    let first = parts.first().zip(shapes.first())?;
    let unit = parts.iter().find_map(|part| part.unit.clone());
    let unit = unit.unwrap_or_else(|| grid::rounded(wanted(0, first.0, first.1).max(1e-290)));
    let near = (NEAR * cells).max(8.0) as i64;
    // Losses below 0 count for little where a sum below 0 is no rare event itself.
    let is_near_zero = sum(&|times, s| times * s.mean) <= NEAR_ZERO * variance.sqrt();
    let mut left = MOST_KNOTS_OF_ALL;
    let parts = parts.iter().zip(shapes).enumerate();
    let parts = parts.map(|(number, (part, shape))| {
        let shape = &match orders {
            Orders::Same if is_near_zero => above_what_is_rare(part, shape, steps, demand),
            Orders::Same | Orders::Apart => *shape,
        };
        let finest = (shape.high - shape.low) / powi(2f64, 40);
        let step = grid::fraction_near(&unit, wanted(number, part, shape).max(finest));
        let float = step.to_f64();
        let lattice = Lattice::new(part.anchor.clone(), step);
        let offset = lattice.positions(80).offset().middle().to_f64();
        let indices = match fitted(number) {
            Some(widths) => widths.knots(shape, offset, float),
            None => grid::knots(shape, offset, float, near),
        };
        left = left.checked_sub(indices.len())?;
        (indices.len() <= MOST_KNOTS).then_some(SumPart { lattice, indices })
    });
    let parts: Vec<SumPart> = parts.collect::<Option<_>>()?;
    let bits = bits_wanted(steps, demand);
    Some(SumPlan {
        between_ends: between_ends(bits, fit.depth(), demand),
        masses: masses(bits, demand),
        parts,
    })
}

/// By how much, where it is known how many times wider the law is that is tilted there.
fn finer_where_far(widened: Option<f64>) -> f64 {
    let known = widened.and_then(|times| {
        let fits = FINER_UP_TO.iter().find(|(most, _)| times <= *most);
        fits.map(|(_, finer)| *finer)
    });
    known.unwrap_or(FINER_WHERE_FAR)
}

/// The shape without losses far below 0 that are rare under Q. Whatever they are taken for, a tail sum above 0 changes by about their share, and so does
/// what is missing there to 1.
fn above_what_is_rare(part: &Summand<'_>, shape: &Shape, steps: u64, demand: Demand) -> Shape {
    let pair = part.profile.replaced_gaussian().map(SampledGaussian::of);
    let share = OF_ERROR / powi(demand.cells as f64, 2) / steps as f64;
    let low = pair.map_or(shape.low, |pair| pair.replaced_low(share));
    Shape {
        low: low.max(shape.low),
        ..*shape
    }
}

/// The square root of the relative error of an ε of (sd²/2 + z·sd) where the variance is off by a given share, relative to that of sd = 1.5.
fn relative_error(sd: f64) -> f64 {
    const Z: f64 = 4.5;
    let error = |sd: f64| (sd + Z) / (sd + 2.0 * Z);
    (error(sd) / error(1.5)).sqrt()
}

/// Is so little lost in tails that fixed point knows nothing of them?
fn is_coarse(demand: Demand) -> bool {
    -log2(demand.tail.max(1e-307)) > f64::from(FINEST_FAST_BITS) - SPARE_BITS
}

/// Units so much finer than the accuracy wanted that tilts leave enough of them, if fixed-point cells are as fine.
fn between_ends(bits: f64, depth: Option<f64>, demand: Demand) -> Option<Masses> {
    // Units as fine as those of all, less what they are finer than the tails that may be lost.
    let units = bits + log2(demand.tail.max(1e-307));
    let accuracy = 2.0 * log2(demand.cells as f64);
    let wanted = depth? + units + accuracy;
    let fast = f64::from(FINEST_FAST_BITS);
    (is_coarse(demand) && wanted <= fast).then(|| Masses::of_bits(wanted, fast, demand.jobs))
}

/// Units that fixed-point cells are fine enough for, wherever tails of the mass that may be lost are many of them; finer ones for smaller tails.
fn masses(bits: f64, demand: Demand) -> Masses {
    let fast = f64::from(FINEST_FAST_BITS);
    if !is_coarse(demand) {
        return Masses::of_bits(bits, fast, demand.jobs);
    }
    let masses = Masses::of_about(bits, demand.jobs);
    let all = masses.sampling.bits;
    let sampling = Sampling {
        first_bits: if all > 2 * FIRST_BITS {
            FIRST_BITS
        } else {
            all
        },
        ..masses.sampling
    };
    Masses { sampling, ..masses }
}

/// Values of small relative width are known well enough in so many bits.
const FIRST_BITS: u32 = 128;

/// A tail that may be lost is so many binary digits above the units at least.
const SPARE_BITS: f64 = 24.0;

/// Each mass is off by a unit, once.
fn bits_wanted(steps: u64, demand: Demand) -> f64 {
    let spare = match demand.units {
        Units::Usual => 4.0,
        Units::Finest => 16.0,
    };
    log2(steps as f64 * demand.cells as f64) - log2(demand.tail.max(1e-307)) + spare
}
