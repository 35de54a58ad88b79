//! Base laws of the parts of a composition, on all threads.

use rug::Rational;

use super::laws::{Component, LatticeLoss};
use crate::kernel::{
    Between, Budget, CellPlaces, Cells, Failure, Fineness, Interval, InvariantViolation, Profile,
    in_parallel,
};
use crate::law::{
    CellTable, Lattice, LowerLaw, Offset, Sampling, Schedule, TailBudget, UpperLaw,
    discretise_lower, discretise_upper, lattice_lower, lattice_upper, sample_knots,
};
use crate::mechanism::finite::gcd;
use crate::plan::{Demand, FINEST_FAST_BITS, Masses, Plan, Shape, SummandPlan};

/// The two laws of one step of a part, and how to power them.
pub(super) struct Base<const L: usize> {
    pub(super) upper: UpperLaw<L>,
    pub(super) lower: LowerLaw<L>,
    pub(super) steps: u64,
    pub(super) upper_schedule: Schedule,
    pub(super) lower_schedule: Schedule,
}

/// The base laws of all parts, in their order.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub(super) fn bases<const L: usize>(
    components: &[Component],
    shapes: &[Shape],
    plan: &Plan,
    demand: Demand,
    tail: &TailBudget,
    budget: &Budget,
) -> Result<Vec<Base<L>>, Failure> {
    if let Some(step) = common_lattice(components, shapes)
        && let Some(exact) = lattice_bases(components, &step, plan, demand, tail)?
    {
        return Ok(exact);
    }
    let parts: Vec<(&Component, &SummandPlan)> = components.iter().zip(&plan.parts).collect();
    // One part alone has all threads to itself.
    let threads = if parts.len() > 1 { 1 } else { demand.jobs };
    in_parallel(&parts, demand.jobs, |(component, part)| {
        sampled_base(component, part, plan, threads, budget)
    })
}

fn sampled_base<const L: usize>(
    component: &Component,
    part: &SummandPlan,
    plan: &Plan,
    threads: usize,
    budget: &Budget,
) -> Result<Base<L>, Failure> {
    let place = (&part.lattice, part.indices.as_slice());
    let table = cell_table(component, place, &plan.masses, threads, budget)?;
    Ok(Base {
        upper: discretise_upper(&part.lattice, &table)?,
        lower: discretise_lower(&part.lattice, &table)?,
        steps: component.steps,
        upper_schedule: part.upper.clone(),
        lower_schedule: part.lower.clone(),
    })
}

/// The cells of a step between its knots.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub(super) fn cell_table<const L: usize>(
    component: &Component,
    (lattice, indices): (&Lattice, &[i64]),
    masses: &Masses,
    threads: usize,
    budget: &Budget,
) -> Result<CellTable<L>, Failure> {
    if let Some(table) = fast_cells(component, (lattice, indices), masses, threads, budget)? {
        return Ok(table);
    }
    let place = (lattice, indices);
    sampled_table(
        &*component.profile,
        place,
        masses.sampling,
        masses.bits,
        budget,
    )
}

/// Bits beyond those of the masses of a law, to which the laws that a profile lies between are made.
const DEEPER: u32 = 16;

/// The cells of a profile between these knots; where it is known between two others only, each of them makes its own law.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub(super) fn sampled_table<const L: usize>(
    profile: &dyn Profile,
    (lattice, indices): (&Lattice, &[i64]),
    sampling: Sampling,
    bits: u32,
    budget: &Budget,
) -> Result<CellTable<L>, Failure> {
    let table = |of: &dyn Profile| -> Result<CellTable<L>, Failure> {
        let knots = sample_knots(of, lattice, indices, sampling, budget)?;
        Ok(CellTable::from_knots(&knots, bits)?)
    };
    let fineness = Fineness {
        cells: u32::try_from(indices.len() / 4)
            .unwrap_or(u32::MAX)
            .clamp(LEAST_CELLS, MOST_CELLS),
        depth: bits.saturating_add(DEEPER),
    };
    match profile.between(fineness, budget)? {
        Some(Between { upper, lower }) => Ok(CellTable::between(table(&*upper)?, table(&*lower)?)?),
        None => table(profile),
    }
}

/// Cells of the laws that a profile lies between.
const LEAST_CELLS: u32 = 128;
const MOST_CELLS: u32 = 1 << 14;

/// Cells are never asked to be worse than this.
const LEAST_GOOD_BITS: u32 = 113;

/// Knots that one thread does at a time.
const STRETCH: usize = 8192;

/// The cells in fixed point, where the mechanism offers them.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub(super) fn fast_cells<const L: usize>(
    component: &Component,
    (lattice, indices): (&Lattice, &[i64]),
    masses: &Masses,
    threads: usize,
    budget: &Budget,
) -> Result<Option<CellTable<L>>, Failure> {
    if masses.cell_bits > FINEST_FAST_BITS {
        return Ok(None);
    }
    let offset = lattice.offset().enclose(320);
    // Neighbouring stretches share a knot, and do not depend on the number of threads.
    let starts = (0..indices.len().saturating_sub(1)).step_by(STRETCH);
    let stretches: Vec<&[i64]> = starts
        .filter_map(|start| {
            let end = start.saturating_add(STRETCH).saturating_add(1);
            indices.get(start..end.min(indices.len()))
        })
        .collect();
    let found = in_parallel(&stretches, threads, |indices| {
        let places = CellPlaces {
            offset: &offset,
            step: lattice.step(),
            indices,
            good_bits: masses.cell_bits.max(LEAST_GOOD_BITS),
        };
        component.profile.cells(&places, budget)
    })?;
    let joined = found.into_iter().collect::<Option<Vec<Cells>>>();
    let cells = joined.and_then(|stretches| stretches.into_iter().reduce(Cells::followed_by));
    let table = cells.map(|cells| CellTable::from_bounds(indices, &cells, masses.bits));
    Ok(table.transpose()?)
}

/// A lattice finer than this across the range of one step is no help.
const MOST_LATTICE_POINTS: u32 = 1 << 18;

/// The step of the coarsest lattice that holds all losses, if every part has one and it is not much finer than they
/// are.
fn common_lattice(components: &[Component], shapes: &[Shape]) -> Option<Rational> {
    let steps = components
        .iter()
        .map(|c| c.masses.as_ref().map(|loss| loss.step()));
    let steps = steps.collect::<Option<Vec<Rational>>>()?;
    let common = steps.into_iter().reduce(|a, b| gcd(&a, &b))?;
    let fits = |shape: &Shape| {
        shape
            .range_up()
            .is_some_and(|range| range / &common < MOST_LATTICE_POINTS)
    };
    shapes.iter().all(fits).then_some(common)
}

/// A base law on the common lattice is never longer than this: an atom of no weight may be far beyond the range of a
/// shape.
const MOST_BASE_POINTS: usize = 1 << 20;

/// All parts on the common lattice, or none if one of them would be too long there.
fn lattice_bases<const L: usize>(
    components: &[Component],
    step: &Rational,
    plan: &Plan,
    demand: Demand,
    tail: &TailBudget,
) -> Result<Option<Vec<Base<L>>>, Failure> {
    let parts = components.iter().zip(&plan.parts);
    parts
        .map(|(component, part)| match &component.masses {
            Some(loss) => lattice_base(&**loss, component.steps, step, plan, part, demand, tail),
            None => Ok(None),
        })
        .collect()
}

/// Masses that sit on a lattice need no knots, and no coarsening while they are few. None if there would be too many.
///
/// Requires: the step of the loss is a whole multiple of `step`.
fn lattice_base<const L: usize>(
    loss: &dyn LatticeLoss,
    steps: u64,
    step: &Rational,
    plan: &Plan,
    part: &SummandPlan,
    demand: Demand,
    tail: &TailBudget,
) -> Result<Option<Base<L>>, Failure> {
    let per_step = tail.share(1, steps.saturating_mul(64));
    let found = loss.masses(&per_step, plan.masses.bits.saturating_add(32));
    let ratio = loss.step() / step;
    if !ratio.is_integer() {
        return Err(InvariantViolation("losses off the common lattice".into()).into());
    }
    let Some(stride) = ratio.numer().to_usize() else {
        return Ok(None);
    };
    let first = i64::try_from(stride)
        .ok()
        .and_then(|stride| found.first.checked_mul(stride));
    let (Some(first), true) = (
        first,
        found.masses.len().saturating_mul(stride) <= MOST_BASE_POINTS,
    ) else {
        return Ok(None);
    };
    let lattice = Lattice::new(Offset::rational(loss.offset()), step.clone());
    let masses = spread_out(&found.masses, stride, plan.masses.bits);
    let few_atoms = usize::try_from(demand.cells.saturating_mul(16)).unwrap_or(usize::MAX);
    let exact = |schedule: &Schedule| Schedule {
        few_atoms,
        ..schedule.clone()
    };
    Ok(Some(Base {
        upper: lattice_upper(
            lattice.clone(),
            first,
            &masses,
            &found.above,
            plan.masses.bits,
        )?,
        lower: lattice_lower(lattice, first, &masses, &found.infinite, plan.masses.bits)?,
        steps,
        upper_schedule: exact(&part.upper),
        lower_schedule: exact(&part.lower),
    }))
}

/// The masses with `stride − 1` empty points between them.
fn spread_out(masses: &[Interval], stride: usize, bits: u32) -> Vec<Interval> {
    let last = masses.len().saturating_sub(1);
    let gap = vec![Interval::zero(bits); stride.saturating_sub(1)];
    masses
        .iter()
        .enumerate()
        .flat_map(|(i, mass)| {
            let empty = if i < last { gap.clone() } else { Vec::new() };
            std::iter::once(mass.clone()).chain(empty)
        })
        .collect()
}

#[cfg(test)]
#[path = "bases_tests.rs"]
mod tests;
