//! Composition all at once, by Fourier integrals over the laws of the parts.

use std::sync::Arc;

use super::bases::{cell_table, fast_cells};
use super::halved::Halved;
use super::laws::{Component, Composed, with_limbs};
use crate::fourier::{Ends, LatticeLaw, LineHints, Roots, Sum, SumProfile, lattice_lower_law};
use crate::kernel::{Budget, Failure, InvariantViolation, LossBound, Profile, in_parallel};
use crate::law::{Lattice, sample_knots};
use crate::plan::{self, Demand, Masses, Orders, Shape, SumPlan, lines, plan_sum};
use crate::plan::{has_rare_losses, may_have_rare_losses};

/// Sums of more atoms than this share the hints of both sides.
const MANY_CELLS: usize = 1 << 13;

/// The composition of the parts between the profiles of two sums; `None` where that way is not open: few steps, atoms, or rare
/// large losses.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn compose_sum(
    components: &[Component],
    shapes: &[Shape],
    demand: Demand,
    budget: &Budget,
) -> Result<Option<Summed>, Failure> {
    if components.iter().any(|part| part.masses.is_some()) {
        return Ok(None);
    }
    // Parts that are as informative in either order make a composition that is.
    let orders = if components.iter().all(|part| part.profile.is_symmetric()) {
        Orders::Same
    } else {
        Orders::Apart
    };
    let parts: Vec<plan::Summand<'_>> = components.iter().map(Component::for_plan).collect();
    // Where losses are rare and large values may show what windows do not.
    let are_rare = has_rare_losses(&parts, shapes);
    let task = |roots, are_rare| Task {
        components,
        parts: &parts,
        shapes,
        orders,
        roots,
        are_rare,
        demand,
        budget,
    };
    let usual = task(Roots::Usual, are_rare);
    let Some(sums) = usual.sums()? else {
        return Ok(None);
    };
    if let Some(found) = usual.summed(&sums)? {
        return Ok(Some(found));
    }
    if !are_rare && !may_have_rare_losses(&parts, shapes) {
        return Ok(None);
    }
    let task = task(Roots::ByValues, true);
    let hints = task.hints(&sums.upper);
    if task.profile(&sums.upper, hints)?.is_none() {
        return Ok(None);
    }
    match task.sums()? {
        Some(sums) => task.summed(&sums),
        None => Ok(None),
    }
}

/// A composition between the profiles of two sums.
#[derive(Clone)]
pub struct Summed {
    /// The two profiles.
    pub composed: Composed,
    profiles: [SumProfile; 2],
    orders: Orders,
}

impl Summed {
    /// From the profiles above and below.
    fn new(profiles: [SumProfile; 2], orders: Orders, cells: u64) -> Self {
        let [upper, lower] = profiles.each_ref().map(|profile| -> Arc<dyn Profile> {
            let profile = Arc::new(profile.clone());
            match orders {
                Orders::Same => Arc::new(Halved::new(profile)),
                Orders::Apart => profile,
            }
        });
        Self {
            composed: Composed {
                upper,
                lower,
                cells,
            },
            profiles,
            orders,
        }
    }

    /// The same, of which nothing has been asked yet.
    #[must_use]
    pub fn unasked(&self) -> Self {
        let profiles = self.profiles.each_ref().map(SumProfile::unasked);
        Self::new(profiles, self.orders, self.composed.cells)
    }

    /// Has either been asked where it knows nothing?
    pub fn is_short(&self) -> bool {
        self.profiles.iter().any(SumProfile::is_short)
    }
}

/// One way to compose.
struct Task<'a> {
    components: &'a [Component],
    parts: &'a [plan::Summand<'a>],
    shapes: &'a [Shape],
    orders: Orders,
    roots: Roots,
    /// Are losses rare and large?
    are_rare: bool,
    demand: Demand,
    budget: &'a Budget,
}

/// The sums above and below, and how many atoms there are above.
struct Sums {
    upper: Arc<Sum>,
    lower: Arc<Sum>,
    cells: usize,
}

/// Laws of the parts with their multiplicities.
type Laws = Vec<(LatticeLaw, u64)>;

impl Task<'_> {
    /// `None` where there is no plan, or lattices do not fit together.
    fn sums(&self) -> Result<Option<Sums>, Failure> {
        let plan = plan_sum(
            self.parts,
            self.shapes,
            self.demand,
            self.orders,
            self.roots,
        );
        let Some(plan) = plan else { return Ok(None) };
        if plan.parts.len() != self.components.len() {
            return Err(InvariantViolation("a part of a composition has no plan".into()).into());
        }
        if let Some(sums) = self.sums_with_ends(&plan)? {
            return Ok(Some(sums));
        }
        let laws = with_limbs!(plan.masses.limbs, laws_as(self, &plan))?;
        Self::sums_of(laws)
    }

    /// From cells in coarser units; `None` where those will not do.
    fn sums_with_ends(&self, plan: &SumPlan) -> Result<Option<Sums>, Failure> {
        let Some(masses) = &plan.between_ends else {
            return Ok(None);
        };
        let laws = with_limbs!(masses.limbs, laws_with_ends_as(self, plan, masses))?;
        match laws {
            Some(laws) => Self::sums_of(laws),
            None => Ok(None),
        }
    }

    fn sums_of((upper, lower): (Laws, Laws)) -> Result<Option<Sums>, Failure> {
        let cells = upper.iter().map(|(law, _)| law.atoms().len()).sum();
        let sums = Sum::new(upper)?.zip(Sum::new(lower)?);
        Ok(sums.map(|(upper, lower)| Sums {
            upper: Arc::new(upper),
            lower: Arc::new(lower),
            cells,
        }))
    }

    fn hints(&self, sum: &Sum) -> Option<LineHints> {
        lines(sum, self.demand, self.orders, (self.roots, self.are_rare))
    }

    fn profile(
        &self,
        sum: &Arc<Sum>,
        hints: Option<LineHints>,
    ) -> Result<Option<SumProfile>, Failure> {
        match hints {
            Some(hints) => SumProfile::new(Arc::clone(sum), hints, self.budget),
            None => Ok(None),
        }
    }

    /// `None` where there are no lines.
    fn summed(&self, sums: &Sums) -> Result<Option<Summed>, Failure> {
        let hints = self.hints(&sums.upper);
        // The hints take long, and are about as good for the law below; where losses are rare, its far ones are not the same, and a tilt that is best above may be
        // beyond what those of the law below bear.
        let may_be_rare = may_have_rare_losses(self.parts, self.shapes);
        let below = match sums.cells > MANY_CELLS || !may_be_rare {
            true => hints.clone(),
            false => self.hints(&sums.lower),
        };
        // Its lines are made where those above are, if they are asked for at all.
        let below = below.map(|hints| LineHints {
            probes: Vec::new(),
            ..hints
        });
        let Some(upper) = self.profile(&sums.upper, hints)? else {
            return Ok(None);
        };
        let Some(lower) = self.profile(&sums.lower, below)? else {
            return Ok(None);
        };
        let cells = u64::try_from(sums.cells).unwrap_or(u64::MAX);
        Ok(Some(Summed::new([upper, lower], self.orders, cells)))
    }
}

/// What is made of each part and its knots, on as many threads as there are jobs.
fn of_parts<T: Send>(
    task: &Task<'_>,
    plan: &SumPlan,
    made: impl Fn(&Component, (&Lattice, &[i64]), usize) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let parts: Vec<_> = task.components.iter().zip(&plan.parts).collect();
    let jobs = task.demand.jobs;
    let threads = if parts.len() > 1 { 1 } else { jobs };
    in_parallel(&parts, jobs, |(component, part)| {
        made(component, (&part.lattice, &part.indices), threads)
    })
}

/// The laws above and below; W is not used.
fn laws_as<const L: usize, const W: usize>(
    task: &Task<'_>,
    plan: &SumPlan,
) -> Result<(Laws, Laws), Failure> {
    let laws = of_parts(task, plan, |component, place, threads| {
        let table = cell_table::<L>(component, place, &plan.masses, threads, task.budget)?;
        let upper = LatticeLaw::above(place.0, &table)?;
        let lower = lattice_lower_law(place.0, &table)?;
        Ok(((upper, component.steps), (lower, component.steps)))
    })?;
    Ok(laws.into_iter().unzip())
}

/// The same from cells in the units of `masses`, with ends in those of the plan; `None` where a part has no cells in fixed point. W is not used.
fn laws_with_ends_as<const L: usize, const W: usize>(
    task: &Task<'_>,
    plan: &SumPlan,
    masses: &Masses,
) -> Result<Option<(Laws, Laws)>, Failure> {
    let laws = of_parts(task, plan, |component, place, threads| {
        let Some(table) = fast_cells::<L>(component, place, masses, threads, task.budget)? else {
            return Ok(None);
        };
        let Some(ends) = ends(&*component.profile, place, &plan.masses, task.budget)? else {
            return Ok(None);
        };
        let upper = LatticeLaw::above_with_ends(place.0, &table, &ends)?;
        let lower = LatticeLaw::below_with_ends(place.0, &table, ends.bits)?;
        Ok(Some(((upper, component.steps), (lower, component.steps))))
    })?;
    let laws = laws.into_iter().collect::<Option<Vec<_>>>();
    Ok(laws.map(|laws| laws.into_iter().unzip()))
}

/// What a profile has at the ends of its knots, in the units of `masses`; `None` if there are none, or indices leave their range.
fn ends(
    profile: &dyn Profile,
    (lattice, indices): (&Lattice, &[i64]),
    masses: &Masses,
    budget: &Budget,
) -> Result<Option<Ends>, Failure> {
    let [first, second, ..] = indices else {
        return Ok(None);
    };
    let below = second
        .checked_sub(*first)
        .and_then(|gap| first.checked_sub(gap));
    let (Some(below), Some(last)) = (below, indices.last()) else {
        return Ok(None);
    };
    let delta_up = |profile: &dyn Profile, lattice: &Lattice, index: i64| {
        let knots = sample_knots(profile, lattice, &[index], masses.sampling, budget)?;
        let knot = knots.values.into_iter().next();
        knot.map(|knot| knot.delta.hi().clone())
            .ok_or_else(|| Failure::from(InvariantViolation("no knot was sampled".into())))
    };
    let bits = masses.sampling.bits;
    let place = lattice.positions(bits).at(below);
    let is_below_all = match profile.min_loss(bits) {
        LossBound::Finite { value, .. } => place.certainly_le(&value),
        LossBound::Unbounded => false,
    };
    let null_below_up = if is_below_all {
        // Below all finite losses: what P has where Q has nothing.
        profile.swapped().infinite_mass(bits).hi().clone()
    } else {
        let mirrored = Lattice::new(lattice.offset().negated(), lattice.step().clone());
        delta_up(&*profile.swapped(), &mirrored, below.saturating_neg())?
    };
    Ok(Some(Ends {
        bits: masses.bits,
        beyond_up: delta_up(profile, lattice, *last)?,
        below,
        null_below_up,
    }))
}

#[cfg(test)]
#[path = "sums_tests.rs"]
mod tests;
