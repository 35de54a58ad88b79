//! Composition all at once, by Fourier integrals over the laws of the parts.

use std::sync::Arc;

use super::bases::cell_table;
use super::halved::Halved;
use super::laws::{Component, Composed, with_limbs};
use crate::fourier::{LatticeLaw, LineHints, Sum, SumProfile, lattice_lower_law};
use crate::kernel::{Budget, Failure, InvariantViolation, Profile, in_parallel};
use crate::plan::{self, Demand, Orders, Shape, SumPlan, lines, plan_sum};

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
    let parts: Vec<plan::Summand<'_>> = components.iter().map(Component::for_plan).collect();
    // Parts that are as informative in either order make a composition that is.
    let orders = if components.iter().all(|part| part.profile.is_symmetric()) {
        Orders::Same
    } else {
        Orders::Apart
    };
    let Some(plan) = plan_sum(&parts, shapes, demand, orders) else {
        return Ok(None);
    };
    if plan.parts.len() != components.len() {
        return Err(InvariantViolation("a part of a composition has no plan".into()).into());
    }
    let task = Task {
        components,
        plan,
        demand,
        budget,
    };
    let (upper, lower) = with_limbs!(task.plan.masses.limbs, laws_as(&task))?;
    let cells = upper
        .iter()
        .map(|(law, _)| law.atoms().len())
        .sum::<usize>();
    let Some((upper, lower)) = Sum::new(upper)?.zip(Sum::new(lower)?) else {
        return Ok(None);
    };
    let profile = |sum, hints: Option<LineHints>| match hints {
        Some(hints) => SumProfile::new(sum, hints, budget),
        None => Ok(None),
    };
    let hints = lines(&upper, demand, orders);
    // Of many atoms the hints take long, and are about as good for the law below; where losses are rare, its far ones are not the same.
    let below = match cells > MANY_CELLS {
        true => hints.clone(),
        false => lines(&lower, demand, orders),
    };
    let Some(upper) = profile(upper, hints)? else {
        return Ok(None);
    };
    let Some(lower) = profile(lower, below)? else {
        return Ok(None);
    };
    let cells = u64::try_from(cells).unwrap_or(u64::MAX);
    Ok(Some(Summed::new([upper, lower], orders, cells)))
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

struct Task<'a> {
    components: &'a [Component],
    plan: SumPlan,
    demand: Demand,
    budget: &'a Budget,
}

/// Laws of the parts with their multiplicities.
type Laws = Vec<(LatticeLaw, u64)>;

/// The laws above and below; W is not used.
fn laws_as<const L: usize, const W: usize>(task: &Task<'_>) -> Result<(Laws, Laws), Failure> {
    let Task {
        components,
        plan,
        demand,
        budget,
    } = task;
    let parts: Vec<_> = components.iter().zip(&plan.parts).collect();
    let threads = if parts.len() > 1 { 1 } else { demand.jobs };
    let laws = in_parallel(&parts, demand.jobs, |(component, part)| {
        let place = (&part.lattice, part.indices.as_slice());
        let table = cell_table::<L>(component, place, &plan.masses, threads, budget)?;
        let upper = (LatticeLaw::above(&part.lattice, &table)?, component.steps);
        let lower = lattice_lower_law(&part.lattice, &table)?;
        Ok((upper, (lower, component.steps)))
    })?;
    Ok(laws.into_iter().unzip())
}

#[cfg(test)]
#[path = "sums_tests.rs"]
mod tests;
