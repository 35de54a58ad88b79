//! Composition by integer laws: discretise each part, power it, multiply the parts.

use std::sync::Arc;

use rug::Rational;

use super::bases::{Base, bases};
use super::halved::Halved;
use crate::kernel::{Budget, Failure, Interval, InvariantViolation, Profile, both};
use crate::law::{
    Composable, LowerLaw, LowerProfile, Offset, Schedule, TailBudget, UpperLaw, UpperProfile,
    arranged, brought_to, power_lower, power_upper, product,
};
use crate::plan::{self, Demand, Directions, Plan, Shape};

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
    /// One of its losses and the distance of neighbouring ones, if it is known to have no others: a hint for the planner.
    pub losses: Option<(Rational, Rational)>,
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
#[derive(Clone)]
pub struct Composed {
    /// Profile of the upper law.
    pub upper: Arc<dyn Profile>,
    /// Profile of the lower law.
    pub lower: Arc<dyn Profile>,
    /// Atoms of the larger of the two.
    pub cells: u64,
}

impl Composed {
    /// The same of a pair that is the same in both orders, by what is known of losses above 0.
    #[must_use]
    pub fn halved(self) -> Self {
        Self {
            upper: Arc::new(Halved::convex_above(self.upper)),
            lower: Arc::new(Halved::convex(self.lower)),
            ..self
        }
    }
}

impl Component {
    /// So many steps of which no more is known than the profile.
    pub fn of(profile: Arc<dyn Profile>, steps: u64) -> Self {
        Self {
            profile,
            steps,
            anchor: Offset::default(),
            unit: None,
            masses: None,
            losses: None,
        }
    }

    /// What the planner sees of it.
    pub(super) fn for_plan(&self) -> plan::Summand<'_> {
        plan::Summand {
            profile: &*self.profile,
            steps: self.steps,
            anchor: self.anchor.clone(),
            unit: self.unit.clone(),
            losses: self.losses.clone(),
        }
    }

    /// The pair in the other order.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            profile: self.profile.swapped(),
            steps: self.steps,
            anchor: self.anchor.negated(),
            unit: self.unit.clone(),
            masses: self.masses.as_ref().map(|loss| loss.swapped()),
            losses: (self.losses.clone()).map(|(loss, gap)| (-loss, gap)),
        }
    }
}

/// Calls a function with masses of as many limbs as the plan has; lines need a few bits more than masses.
macro_rules! with_limbs {
    ($limbs:expr, $compose:ident($($argument:expr),*)) => {
        match $limbs {
            1 => $compose::<1, 4>($($argument),*),
            2 => $compose::<2, 4>($($argument),*),
            3 => $compose::<3, 5>($($argument),*),
            4..=8 => $compose::<8, 16>($($argument),*),
            _ => $compose::<24, 32>($($argument),*),
        }
    };
}
pub(super) use with_limbs;

/// Composes the parts between an upper and a lower law, for the orders asked for.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn compose(
    components: &[Component],
    shapes: &[Shape],
    demand: Demand,
    directions: Directions,
    budget: &Budget,
) -> Result<Composed, Failure> {
    let task = Task::new(components, shapes, demand, directions, budget)?;
    with_limbs!(task.plan.masses.limbs, compose_as(&task))
}

/// The profile above the composition alone.
///
/// # Errors
/// Those of [`compose`].
pub fn compose_upper(
    components: &[Component],
    shapes: &[Shape],
    demand: Demand,
    directions: Directions,
    budget: &Budget,
) -> Result<Arc<dyn Profile>, Failure> {
    let task = Task::new(components, shapes, demand, directions, budget)?;
    with_limbs!(task.plan.masses.limbs, compose_upper_as(&task))
}

/// What is composed, and how.
struct Task<'a> {
    components: &'a [Component],
    shapes: &'a [Shape],
    plan: Plan,
    demand: Demand,
    tail: TailBudget,
    budget: &'a Budget,
}

impl<'a> Task<'a> {
    fn new(
        components: &'a [Component],
        shapes: &'a [Shape],
        demand: Demand,
        directions: Directions,
        budget: &'a Budget,
    ) -> Result<Self, InvariantViolation> {
        if components.is_empty() || components.iter().any(|component| component.steps == 0) {
            return Err(InvariantViolation("a composition of nothing".into()));
        }
        let parts: Vec<plan::Summand<'_>> = components.iter().map(Component::for_plan).collect();
        let plan = plan::plan(&parts, shapes, demand, directions);
        // Hints may be bad, but a part without a plan would be a part left out.
        if plan.parts.len() != components.len() {
            return Err(InvariantViolation(
                "a part of a composition has no plan".into(),
            ));
        }
        Ok(Self {
            components,
            shapes,
            plan,
            demand,
            tail: demand.tail_budget(directions),
            budget,
        })
    }

    fn bases<const L: usize>(&self) -> Result<Vec<Base<L>>, Failure> {
        let Self {
            components,
            shapes,
            plan,
            demand,
            tail,
            budget,
        } = self;
        bases(components, shapes, plan, *demand, tail, budget)
    }
}

/// Composes with masses of L limbs and lines of W limbs.
fn compose_as<const L: usize, const W: usize>(task: &Task<'_>) -> Result<Composed, Failure> {
    let bases = task.bases()?;
    let (upper, lower) = both(
        task.demand.jobs,
        || upper_of::<L>(&bases, task.budget),
        || lower_of::<L>(&bases, task.budget),
    )?;
    let cells = upper.atoms().max(lower.atoms());
    Ok(Composed {
        upper: Arc::new(UpperProfile::new::<L, W>(&upper)?),
        lower: Arc::new(LowerProfile::new::<L, W>(&lower)?),
        cells: u64::try_from(cells).unwrap_or(u64::MAX),
    })
}

fn compose_upper_as<const L: usize, const W: usize>(
    task: &Task<'_>,
) -> Result<Arc<dyn Profile>, Failure> {
    let upper = upper_of::<L>(&task.bases()?, task.budget)?;
    Ok(Arc::new(UpperProfile::new::<L, W>(&upper)?))
}

fn upper_of<const L: usize>(bases: &[Base<L>], budget: &Budget) -> Result<UpperLaw<L>, Failure> {
    let laws = bases.iter().map(|base| {
        let start = arranged(base.upper.clone(), &base.upper_schedule, budget)?;
        power_upper(&start, base.steps, &base.upper_schedule, budget)
    });
    let last = bases.last().map(|base| &base.upper_schedule);
    all_parts(laws.collect::<Result<_, _>>()?, last, budget)
}

fn lower_of<const L: usize>(bases: &[Base<L>], budget: &Budget) -> Result<LowerLaw<L>, Failure> {
    let laws = bases.iter().map(|base| {
        let start = arranged(base.lower.clone(), &base.lower_schedule, budget)?;
        power_lower(&start, base.steps, &base.lower_schedule, budget)
    });
    let last = bases.last().map(|base| &base.lower_schedule);
    all_parts(laws.collect::<Result<_, _>>()?, last, budget)
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
