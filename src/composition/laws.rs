//! Composition by integer laws: discretise each part, power it, multiply the parts.

use std::sync::Arc;
use std::thread;

use rug::Rational;

use crate::kernel::{Budget, CellPlaces, Failure, Interval, InvariantViolation, Profile};
use crate::law::{
    CellTable, Composable, Lattice, LowerLaw, LowerProfile, Offset, Schedule, TailBudget, UpperLaw,
    UpperProfile, arranged, brought_to, discretise_lower, discretise_upper, lattice_lower,
    lattice_upper, power_lower, power_upper, product, sample_knots,
};
use crate::mechanism::finite::gcd;
use crate::plan::{self, Demand, Orders, Plan, Shape};

/// One part of a composition that has no closed form.
#[derive(Clone)]
pub struct Component {
    /// Profile of one step.
    pub profile: Arc<dyn Profile>,
    /// How often it is composed, at least once.
    pub steps: u64,
    /// A good point of index 0 for its lattice: an edge of the support.
    pub anchor: Offset,
    /// A length of which the lattice step must be a whole fraction for its atoms to sit on the lattice.
    pub unit: Option<Rational>,
    /// Its masses, if the loss lives on a lattice.
    pub masses: Option<Arc<dyn LatticeLoss>>,
}

/// A loss that lives on a lattice, with masses that can be enclosed.
pub trait LatticeLoss: Send + Sync {
    /// Distance between neighbouring losses, > 0.
    fn step(&self) -> Rational;

    /// The loss of index 0.
    fn offset(&self) -> Rational;

    /// Enclosures of Q(L = offset + i·step) for i = first, first + 1, …; what is left out on either side has at most
    /// the given mass under Q (and on the left under P).
    fn masses(&self, tail: &TailBudget, bits: u32) -> LatticeMasses;

    /// The loss of the pair in the other order.
    fn swapped(&self) -> Arc<dyn LatticeLoss>;
}

/// Masses on a lattice and bounds of what is not listed.
#[derive(Debug, Clone)]
pub struct LatticeMasses {
    /// Index of the first mass.
    pub first: i64,
    /// Enclosures of the masses.
    pub masses: Vec<Interval>,
    /// Encloses the Q-mass above the last one, that at +∞ included.
    pub above: Interval,
    /// Encloses Q(L = +∞).
    pub infinite: Interval,
}

/// A composition between two laws.
pub struct Composed {
    /// Profile of the upper law.
    pub upper: Arc<dyn Profile>,
    /// Profile of the lower law.
    pub lower: Arc<dyn Profile>,
    /// Atoms of the larger of the two.
    pub cells: u64,
}

impl Component {
    /// The pair in the other order.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            profile: self.profile.swapped(),
            steps: self.steps,
            anchor: self.anchor.negated(),
            unit: self.unit.clone(),
            masses: self.masses.as_ref().map(|loss| loss.swapped()),
        }
    }
}

/// Composes the parts between an upper and a lower law, for the orders asked for.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn compose(
    components: &[Component],
    shapes: &[Shape],
    demand: Demand,
    orders: Orders,
    budget: &Budget,
) -> Result<Composed, Failure> {
    if components.is_empty() || components.iter().any(|component| component.steps == 0) {
        return Err(InvariantViolation("a composition of nothing".into()).into());
    }
    let parts: Vec<plan::Part<'_>> = components
        .iter()
        .map(|c| plan::Part {
            profile: &*c.profile,
            steps: c.steps,
            anchor: c.anchor.clone(),
            unit: c.unit.clone(),
        })
        .collect();
    let plan = plan::plan(&parts, shapes, demand, orders);
    // Hints may be bad, but a part without a plan would be a part left out.
    if plan.parts.len() != components.len() {
        return Err(InvariantViolation("a part of a composition has no plan".into()).into());
    }
    let tail = demand.tail_budget(orders);
    // Lines need a few bits more than masses.
    match plan.limbs {
        1 => compose_as::<1, 4>(components, shapes, &plan, demand, &tail, budget),
        2 => compose_as::<2, 4>(components, shapes, &plan, demand, &tail, budget),
        3..=4 => compose_as::<4, 8>(components, shapes, &plan, demand, &tail, budget),
        5..=8 => compose_as::<8, 16>(components, shapes, &plan, demand, &tail, budget),
        _ => compose_as::<24, 32>(components, shapes, &plan, demand, &tail, budget),
    }
}

/// Composes with masses of L limbs and lines of W limbs.
fn compose_as<const L: usize, const W: usize>(
    components: &[Component],
    shapes: &[Shape],
    plan: &Plan,
    demand: Demand,
    tail: &TailBudget,
    budget: &Budget,
) -> Result<Composed, Failure> {
    let exact = match common_lattice(components, shapes) {
        Some(step) => lattice_bases(components, &step, plan, demand, tail)?,
        None => None,
    };
    let bases = match exact {
        Some(bases) => bases,
        None => components
            .iter()
            .zip(&plan.parts)
            .map(|(component, part)| sampled_base(component, part, plan, budget))
            .collect::<Result<Vec<Base<L>>, Failure>>()?,
    };
    let upper = || {
        let laws = bases.iter().map(|base| {
            let start = arranged(base.upper.clone(), &base.upper_schedule, budget)?;
            power_upper(&start, base.steps, &base.upper_schedule, budget)
        });
        let last = bases.last().map(|base| &base.upper_schedule);
        all_parts(laws.collect::<Result<_, _>>()?, last, budget)
    };
    let lower = || {
        let laws = bases.iter().map(|base| {
            let start = arranged(base.lower.clone(), &base.lower_schedule, budget)?;
            power_lower(&start, base.steps, &base.lower_schedule, budget)
        });
        let last = bases.last().map(|base| &base.lower_schedule);
        all_parts(laws.collect::<Result<_, _>>()?, last, budget)
    };
    let (upper, lower) = if demand.jobs > 1 {
        thread::scope(|scope| {
            let upper = scope.spawn(upper);
            let lower = lower();
            let upper = upper.join().unwrap_or_else(|_| {
                Err(InvariantViolation("composing an upper law panicked".into()).into())
            });
            (upper, lower)
        })
    } else {
        (upper(), lower())
    };
    let (upper, lower): (UpperLaw<L>, LowerLaw<L>) = (upper?, lower?);
    let cells = upper.atoms().max(lower.atoms());
    Ok(Composed {
        upper: Arc::new(UpperProfile::new::<L, W>(&upper)?),
        lower: Arc::new(LowerProfile::new::<L, W>(&lower)?),
        cells: u64::try_from(cells).unwrap_or(u64::MAX),
    })
}

/// The two laws of one step of a part, and how to power them.
struct Base<const L: usize> {
    upper: UpperLaw<L>,
    lower: LowerLaw<L>,
    steps: u64,
    upper_schedule: Schedule,
    lower_schedule: Schedule,
}

fn sampled_base<const L: usize>(
    component: &Component,
    part: &plan::PartPlan,
    plan: &Plan,
    budget: &Budget,
) -> Result<Base<L>, Failure> {
    let table = match fast_cells(component, part, plan, budget)? {
        Some(table) => table,
        None => {
            let knots = sample_knots(
                &*component.profile,
                &part.lattice,
                &part.indices,
                plan.sampling,
                budget,
            )?;
            CellTable::from_knots(&knots, plan.bits)?
        }
    };
    Ok(Base {
        upper: discretise_upper(&part.lattice, &table)?,
        lower: discretise_lower(&part.lattice, &table)?,
        steps: component.steps,
        upper_schedule: part.upper.clone(),
        lower_schedule: part.lower.clone(),
    })
}

/// Bits of a mass up to which fixed-point cells are fine enough.
const MOST_FAST_BITS: u32 = 100;

/// The cells in fixed point, where the mechanism offers them.
fn fast_cells<const L: usize>(
    component: &Component,
    part: &plan::PartPlan,
    plan: &Plan,
    budget: &Budget,
) -> Result<Option<CellTable<L>>, Failure> {
    if plan.bits > MOST_FAST_BITS {
        return Ok(None);
    }
    let offset = part.lattice.offset().enclose(320);
    let places = CellPlaces {
        offset: &offset,
        step: part.lattice.step(),
        indices: &part.indices,
    };
    let cells = component.profile.cells(&places, budget)?;
    let table = cells.map(|cells| CellTable::from_bounds(&part.indices, &cells, plan.bits));
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
    part: &plan::PartPlan,
    demand: Demand,
    tail: &TailBudget,
) -> Result<Option<Base<L>>, Failure> {
    let per_step = tail.share(1, steps.saturating_mul(64));
    let found = loss.masses(&per_step, plan.bits.saturating_add(32));
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
    let masses = spread_out(&found.masses, stride, plan.bits);
    let few_atoms = usize::try_from(demand.cells.saturating_mul(16)).unwrap_or(usize::MAX);
    let exact = |schedule: &Schedule| Schedule {
        few_atoms,
        ..schedule.clone()
    };
    Ok(Some(Base {
        upper: lattice_upper(lattice.clone(), first, &masses, &found.above, plan.bits)?,
        lower: lattice_lower(lattice, first, &masses, &found.infinite, plan.bits)?,
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

/// The law of all parts, multiplied in pairs.
fn all_parts<C: Composable>(
    mut laws: Vec<C>,
    schedule: Option<&Schedule>,
    budget: &Budget,
) -> Result<C, Failure> {
    let Some(schedule) = schedule else {
        return Err(InvariantViolation("a composition of nothing".into()).into());
    };
    while laws.len() > 1 {
        let mut pairs = Vec::with_capacity(laws.len().div_ceil(2));
        let mut rest = laws.into_iter();
        while let Some(first) = rest.next() {
            budget.check()?;
            pairs.push(match rest.next() {
                Some(second) => joined(first, second, schedule, budget)?,
                None => first,
            });
        }
        laws = pairs;
    }
    let law = laws.pop();
    law.ok_or_else(|| InvariantViolation("a composition of nothing".into()).into())
}

fn joined<C: Composable>(
    first: C,
    second: C,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<C, Failure> {
    let second = brought_to(second, first.lattice(), budget)?;
    let first = brought_to(first, second.lattice(), budget)?;
    let mut law = product(&first, &second)?;
    law.trim(&schedule.tail)?;
    arranged(law, schedule, budget)
}
