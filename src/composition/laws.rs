//! Composition by integer laws: discretise each part, power it, multiply the parts.

use std::sync::Arc;
use std::thread;

use rug::Rational;

use crate::kernel::{Budget, Failure, Interval, InvariantViolation, Profile};
use crate::law::{
    Lattice, LowerLaw, LowerProfile, Offset, Schedule, TailBudget, UpperLaw, UpperProfile,
    discretise_lower, discretise_upper, lattice_lower, lattice_upper, power_lower, power_upper,
    sample_knots,
};
use crate::mechanism::finite::gcd;
use crate::plan::{self, Demand, Plan, Shape};

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
    pub upper: UpperProfile,
    /// Profile of the lower law.
    pub lower: LowerProfile,
    /// Atoms of the larger of the two.
    pub cells: u64,
}

/// Composes the parts between an upper and a lower law.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn compose(
    components: &[Component],
    shapes: &[Shape],
    demand: Demand,
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
    let plan = plan::plan(&parts, shapes, demand);
    // Hints may be bad, but a part without a plan would be a part left out.
    if plan.parts.len() != components.len() {
        return Err(InvariantViolation("a part of a composition has no plan".into()).into());
    }
    let common = common_lattice(components, shapes);
    let bases = components
        .iter()
        .zip(&plan.parts)
        .map(|(component, part)| match (&common, &component.masses) {
            (Some(step), Some(loss)) => lattice_base(&**loss, component.steps, step, &plan, demand),
            _ => sampled_base(component, part, &plan, budget),
        })
        .collect::<Result<Vec<Base>, Failure>>()?;
    let (upper, lower) = if demand.jobs > 1 {
        thread::scope(|scope| {
            let upper = scope.spawn(|| all_upper(&bases, budget));
            let lower = all_lower(&bases, budget);
            let upper = upper.join().unwrap_or_else(|_| {
                Err(InvariantViolation("composing an upper law panicked".into()).into())
            });
            (upper, lower)
        })
    } else {
        (all_upper(&bases, budget), all_lower(&bases, budget))
    };
    let (upper, lower) = (upper?, lower?);
    let cells = upper.masses().len().max(lower.masses().len());
    Ok(Composed {
        upper: UpperProfile::new(&upper),
        lower: LowerProfile::new(&lower),
        cells: u64::try_from(cells).unwrap_or(u64::MAX),
    })
}

/// The two laws of one step of a part, and how to power them.
struct Base {
    upper: UpperLaw,
    lower: LowerLaw,
    steps: u64,
    schedule: Schedule,
    negligible: bool,
}

fn sampled_base(
    component: &Component,
    part: &plan::PartPlan,
    plan: &Plan,
    budget: &Budget,
) -> Result<Base, Failure> {
    let knots = sample_knots(
        &*component.profile,
        &part.lattice,
        &part.indices,
        plan.sampling,
        budget,
    )?;
    Ok(Base {
        upper: discretise_upper(&knots, plan.bits)?,
        lower: discretise_lower(&knots, plan.bits)?,
        steps: component.steps,
        schedule: part.schedule.clone(),
        negligible: part.negligible,
    })
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

/// Masses that sit on a lattice need no knots, and no coarsening while they are few.
///
/// Requires: the step of the loss is a whole multiple of `step`.
fn lattice_base(
    loss: &dyn LatticeLoss,
    steps: u64,
    step: &Rational,
    plan: &Plan,
    demand: Demand,
) -> Result<Base, Failure> {
    let per_step = demand.tail_budget().share(1, steps.saturating_mul(64));
    let found = loss.masses(&per_step, plan.bits.saturating_add(32));
    let ratio = loss.step() / step;
    let stride = ratio.is_integer().then(|| ratio.numer().to_u64()).flatten();
    let stride =
        stride.ok_or_else(|| InvariantViolation("losses off the common lattice".into()))?;
    let lattice = Lattice::new(Offset::rational(loss.offset()), step.clone());
    let first = i64::try_from(stride)
        .ok()
        .and_then(|stride| found.first.checked_mul(stride));
    let first = first.ok_or_else(|| InvariantViolation("a lattice index overflows".into()))?;
    let masses = spread_out(
        &found.masses,
        usize::try_from(stride).unwrap_or(usize::MAX),
        plan.bits,
    );
    let schedule = Schedule {
        spread: Rational::new(),
        last_level: 0,
        most_atoms: usize::try_from(demand.cells.saturating_mul(16)).unwrap_or(usize::MAX),
        tail: demand.tail_budget(),
        worth: rug::Float::with_val(64, 0),
    };
    Ok(Base {
        upper: lattice_upper(lattice.clone(), first, &masses, &found.above, plan.bits)?,
        lower: lattice_lower(lattice, first, &masses, &found.infinite, plan.bits)?,
        steps,
        schedule,
        negligible: false,
    })
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

macro_rules! all_parts {
    ($(#[$doc:meta])* $name:ident, $law:ty, $side:ident, $power:path, $leaves_out:expr) => {
        $(#[$doc])*
        fn $name(bases: &[Base], budget: &Budget) -> Result<$law, Failure> {
            let mut laws = Vec::new();
            let all_negligible = bases.iter().all(|base| base.negligible);
            for base in bases {
                if all_negligible || !($leaves_out && base.negligible) {
                    laws.push($power(&base.$side, base.steps, &base.schedule, budget)?);
                }
            }
            let coarsest = laws.iter().map(|law| law.lattice().step().clone()).max();
            let mut product: Option<$law> = None;
            for mut law in laws {
                while coarsest.as_ref().is_some_and(|step| law.lattice().step() < step) {
                    budget.check()?;
                    law = law.coarsen()?;
                }
                product = Some(match product {
                    Some(so_far) => {
                        let reach = so_far.first().unsigned_abs().max(law.first().unsigned_abs());
                        if reach >= 1 << 60 {
                            return Err(Failure::Interrupted);
                        }
                        so_far.convolve(&law)?
                    }
                    None => law,
                });
                if let (Some(law), Some(base)) = (product.as_mut(), bases.first()) {
                    law.trim(&base.schedule.tail);
                }
            }
            product.ok_or_else(|| InvariantViolation("a composition of nothing".into()).into())
        }
    };
}

all_parts! {
    /// The upper law of all parts.
    all_upper, UpperLaw, upper, power_upper, false
}

all_parts! {
    /// The lower law of the parts that matter: leaving one out lowers the profile.
    all_lower, LowerLaw, lower, power_lower, true
}
