//! A composition without a closed form: laws of growing resolution, kept between questions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rug::{Float, Rational};

use super::components::Components;
use super::descent::{Descent, Refinement, Route};
use super::expected::Expected;
use super::orders::{apart, in_both_orders, in_one_law, shapes_of, steps_of};
use super::query::{self, Found, answered, decides, form_level};
use super::{Answer, Goal, Method, Progress, Quantity, Resources};
use crate::bounds::{Effort, Enclosure, GdpForm, Target, TwoSided};
use crate::composition::parts::PoweredPair;
use crate::composition::{Between, Component, compose_sum, two_steps};
use crate::kernel::{Failure, InvariantViolation, Profile, is_late};
use crate::mechanism::{Adjacency, Mechanism, Relation};
use crate::plan::{Demand, PairPlan, Resolution, SPARE, Shape, Wanted};

/// Laws of one composition, and what they have answered so far.
pub(super) struct Refinements {
    mechanism: Mechanism,
    adjacency: Adjacency,
    components: Components,
    /// All parts as one sum.
    summed: Mutex<Vec<Refinement>>,
    /// Laws of all parts, by squarings.
    composed: Mutex<Vec<Refinement>>,
    /// Laws for each order of the pair, where one for both would need very fine units.
    apart: Mutex<Vec<Refinement>>,
    /// One part discretised, the other exact, where there are just two steps.
    averaged: Mutex<Vec<Refinement>>,
    /// The shapes of the parts at a glance.
    glance: OnceLock<Vec<Shape>>,
    /// The widest tails at which the composition as one sum was not open; nor is it with narrower ones.
    not_summed: Mutex<Option<Resolution>>,
    /// Did a divergence have to leave the sums?
    contests_left_sums: AtomicBool,
    /// What questions to come are expected to want.
    expected: Mutex<Option<Expected>>,
}

/// Working bits of queries on laws, before any are raised: of most laws no more is known.
const BITS: u32 = 96;
/// Refinements kept for the next question.
const KEPT: usize = 2;

impl Refinements {
    pub(super) fn new(
        mechanism: &Mechanism,
        parts: Vec<PoweredPair>,
        adjacency: Adjacency,
    ) -> Self {
        // Where a record is replaced the pair is most often the same in both orders: then one of them says everything.
        let is_symmetric = parts.iter().all(|part| part.profile.is_symmetric());
        let composed_in = match adjacency.relation() {
            Relation::ReplaceOne if is_symmetric => Adjacency::Remove,
            Relation::ReplaceOne | Relation::Presence | Relation::ReplaceSpecial => adjacency,
        };
        Self {
            mechanism: mechanism.clone(),
            adjacency: composed_in,
            components: Components::of(&parts),
            summed: Mutex::default(),
            composed: Mutex::default(),
            apart: Mutex::default(),
            averaged: Mutex::default(),
            glance: OnceLock::new(),
            not_summed: Mutex::default(),
            contests_left_sums: AtomicBool::new(false),
            expected: Mutex::default(),
        }
    }

    /// Refines until the goal is reached, the budget ends, or the finest resolution is used.
    pub(super) fn answer(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
        orient: &dyn Fn(&TwoSided) -> TwoSided,
    ) -> Result<Answer, Failure> {
        let target = target_of(goal);
        let effort = Effort {
            bits: BITS,
            target: &target,
            goal: goal_width(goal),
            budget: resources.budget,
        };
        let mut best: Option<Found> = None;
        let mut descent = Descent::new(self, Box::new(|| self.route(quantity, goal, resources)));
        loop {
            let found = best.as_ref().map(|found| &found.enclosure);
            let wanted = self.wanted(quantity, goal, found);
            let sides = match descent.next(&wanted, resources) {
                Ok(Some(sides)) => sides,
                Ok(None) | Err(Failure::Interrupted) => break,
                Err(failure) => return Err(failure),
            };
            let found = query::ask(&orient(&sides), quantity, &effort)?;
            let joined = query::join(best.take(), found)?;
            let done = decides(&joined.enclosure, goal)
                || cannot_improve(quantity, goal, &joined, &descent);
            best = Some(joined);
            if done {
                break;
            }
        }
        if best.is_some() {
            return answered(best, goal, descent.method(), resources);
        }
        let sides = self.components.by_total_variation()?;
        let found = query::ask(&orient(&sides), quantity, &effort)?;
        let method = Method::Theorem("the total variation distance of its parts".to_owned());
        answered(Some(found), goal, method, resources)
    }

    /// Says that a quantity will be asked for.
    pub(super) fn note_expected(&self, quantity: &Quantity, goal: &Goal) {
        let looks_at_curve = match quantity {
            Quantity::Epsilon { .. }
            | Quantity::TradeOff { .. }
            | Quantity::GdpMu(GdpForm::Tolerance(_) | GdpForm::ErrorFloor(_)) => true,
            // These look at no narrow tail, or at one of their own.
            Quantity::Delta(_)
            | Quantity::Advantage
            | Quantity::BayesError { .. }
            | Quantity::MinimaxRisk
            | Quantity::GdpMu(GdpForm::Strict)
            | Quantity::MaxLoss
            | Quantity::Regret { .. }
            | Quantity::RegretOfStrictMu
            | Quantity::Divergence { .. }
            | Quantity::Renyi { .. }
            | Quantity::ZcdpRho => false,
        };
        let Wanted {
            tail, width, spare, ..
        } = wanted(quantity, goal, None, self.steps());
        // Narrower tails make all questions dearer.
        let Some(width) = width.filter(|_| looks_at_curve && tail >= narrowest_shared()) else {
            return;
        };
        let mut expected = self.expected();
        let more = Expected { tail, width, spare };
        *expected = Some(match expected.take() {
            Some(known) => known.with(more),
            None => more,
        });
    }

    fn expected(&self) -> MutexGuard<'_, Option<Expected>> {
        let expected = self.expected.lock();
        expected.unwrap_or_else(PoisonError::into_inner)
    }

    /// What the next laws should be like: the first ones also serve for what is expected.
    fn wanted(&self, quantity: &Quantity, goal: &Goal, so_far: Option<&Enclosure>) -> Wanted {
        let wanted = wanted(quantity, goal, so_far, self.steps());
        let expected = self.expected().clone();
        match (expected, so_far) {
            (Some(expected), None) => expected.with_wanted(wanted),
            _ => wanted,
        }
    }

    /// Bounds that need no law.
    pub(super) fn by_total_variation(&self) -> Result<TwoSided, InvariantViolation> {
        self.components.by_total_variation()
    }

    fn steps(&self) -> u64 {
        steps_of(&self.components.composed)
    }

    /// The laws of all parts, from the coarsest on.
    pub(super) fn descent(&self) -> Descent<'_> {
        Descent::of_contest(self, Box::new(|| Ok(Route::Composed)))
    }

    /// Did a divergence find the sums of no use?
    pub(super) fn contests_left_sums(&self) -> bool {
        self.contests_left_sums.load(Ordering::Relaxed)
    }

    pub(super) fn note_contest_left_sums(&self) {
        self.contests_left_sums.store(true, Ordering::Relaxed);
    }

    /// Was the composition as one sum not open with tails that were no narrower?
    fn is_certainly_not_summed(&self, resolution: Resolution) -> bool {
        let known = self.not_summed.lock();
        let known = *known.unwrap_or_else(PoisonError::into_inner);
        known.is_some_and(|widest| resolution.is_as_narrow_as(&widest))
    }

    fn note_not_summed(&self, resolution: Resolution) {
        let known = self.not_summed.lock();
        *known.unwrap_or_else(PoisonError::into_inner) = Some(resolution);
    }

    /// Refinements of earlier questions, from the coarsest on, as if nothing had been asked of them.
    pub(super) fn known(&self, route: Route) -> Vec<Refinement> {
        let known = self.kept(route).clone();
        known
            .into_iter()
            .map(|refinement| match &refinement.sums {
                Some(sums) => {
                    let sums = sums.unasked();
                    Refinement {
                        sides: self.components.whole(&sums.composed),
                        sums: Some(sums),
                        ..refinement
                    }
                }
                None => refinement,
            })
            .collect()
    }

    /// Refinements of earlier questions, from the coarsest on.
    fn kept(&self, route: Route) -> MutexGuard<'_, Vec<Refinement>> {
        let store = match route {
            Route::Summed => &self.summed,
            Route::Composed => &self.composed,
            Route::Apart(_) => &self.apart,
            Route::Averaged => &self.averaged,
        };
        store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Two single steps need only one discretisation, at the price of a sum over its atoms per evaluation: good for
    /// quantities that look at one point of the profile. The same quantities may be asked of laws whose orders are
    /// composed apart.
    fn route(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Route, Failure> {
        let looks_once = matches!(
            quantity,
            Quantity::Delta(_) | Quantity::Advantage | Quantity::BayesError { .. }
        );
        if looks_once && self.components.as_two(|_| 0u8).is_some() {
            return Ok(Route::Averaged);
        }
        let resolution = Resolution::after(None, &self.wanted(quantity, goal, None));
        let Some(demand) = resolution.map(|first| first.demand(resources.jobs)) else {
            return Ok(Route::Composed);
        };
        let lead = apart(
            &self.components.composed,
            (&self.mechanism, self.adjacency),
            (quantity, goal),
            demand,
            self.glance(resources)?,
            resources.budget,
        );
        Ok(lead.map_or(Route::Composed, Route::Apart))
    }

    /// The parts' shapes at a glance.
    fn glance(&self, resources: &Resources<'_>) -> Result<&[Shape], Failure> {
        if let Some(known) = self.glance.get() {
            return Ok(known);
        }
        let shapes = shapes_of(
            &self.components.composed,
            Demand::glance(resources.jobs),
            resources,
        )?;
        Ok(self.glance.get_or_init(|| shapes))
    }

    /// With tails as narrow as losses of this size need.
    fn for_losses(&self, demand: Demand, resources: &Resources<'_>) -> Result<Demand, Failure> {
        if !demand.spare {
            return Ok(demand);
        }
        let parts = self.components.composed.iter();
        let steps: Vec<u64> = parts.map(|part| part.steps).collect();
        Ok(demand.for_losses(&steps, self.glance(resources)?))
    }

    /// The laws of one resolution; `None` where the route is not open.
    pub(super) fn refine(
        &self,
        route: Route,
        resolution: Resolution,
        round: u32,
        resources: &Resources<'_>,
    ) -> Result<Option<Refinement>, Failure> {
        resources.budget.check()?;
        if matches!(route, Route::Summed) && self.is_certainly_not_summed(resolution) {
            return Ok(None);
        }
        let demand = self.for_losses(resolution.demand(resources.jobs), resources)?;
        let parts = &self.components.composed;
        let mut sums = None;
        let (cells, sides) = match route {
            Route::Summed => {
                announce(round, demand.cells, resources);
                let shapes = shapes_of(parts, demand.for_range_in_sum(), resources)?;
                let Some(found) = compose_sum(parts, &shapes, demand, resources.budget)? else {
                    self.note_not_summed(resolution);
                    return Ok(None);
                };
                let sides = self.components.whole(&found.composed);
                let cells = found.composed.cells;
                sums = Some(found);
                (cells, sides)
            }
            Route::Composed => {
                announce(round, demand.cells, resources);
                let parts = self.components.squared(demand);
                let composed = in_one_law(parts, demand, resources)?;
                (composed.cells, self.components.whole(&composed))
            }
            Route::Apart(lead) => {
                announce(round, demand.cells, resources);
                let found = in_both_orders(parts, self.adjacency, lead, demand, resources)?;
                (
                    found.cells,
                    self.components.mixed_in(found.upper, found.lower),
                )
            }
            Route::Averaged => {
                let knots = demand.cells / 8;
                announce(round, knots, resources);
                (knots, self.average(knots, demand, resources)?)
            }
        };
        check_infinite_masses(&sides)?;
        let refinement = Refinement {
            resolution,
            cells,
            sides,
            sums,
        };
        if is_late() {
            return Ok(Some(refinement));
        }
        let mut known = self.kept(route);
        known.push(refinement.clone());
        let excess = known.len().saturating_sub(KEPT);
        known.drain(..excess);
        Ok(Some(refinement))
    }

    fn average(
        &self,
        knots: u64,
        demand: Demand,
        resources: &Resources<'_>,
    ) -> Result<TwoSided, Failure> {
        let shape = |c: &Component| Shape::of_one_of(4, &*c.profile, demand, resources.budget);
        let Some(two) = self
            .components
            .as_two(|c| shape(c).ok().map(|shape| shape.sd))
        else {
            return Err(InvariantViolation("not a composition of two steps".into()).into());
        };
        let first = two.first;
        let plan = PairPlan::new(
            &shape(first)?,
            first.anchor.clone(),
            first.unit.as_ref(),
            knots,
            demand.jobs,
        );
        let Between { upper, lower } = two_steps(
            &*first.profile,
            &two.second.profile,
            &plan,
            resources.budget,
        )?;
        Ok(self.components.mixed_in(upper, lower))
    }
}

/// An upper law has mass at +∞, of which no strict μ can speak: finer ones only raise the lower bound a little.
fn cannot_improve(quantity: &Quantity, goal: &Goal, found: &Found, descent: &Descent<'_>) -> bool {
    let enough = match goal {
        Goal::Width(_) => 1,
        // To refute a claim it may matter.
        Goal::Compare { .. } => 2,
    };
    matches!(quantity, Quantity::GdpMu(GdpForm::Strict))
        && found.enclosure.upper().is_infinite()
        && descent.rounds() >= enough
}

fn announce(round: u32, cells: u64, resources: &Resources<'_>) {
    (resources.progress)(Progress { round, cells });
}

/// Runtime guard: the mass at +∞ of the lower profile is at most that of the upper one, in both orders of the pair.
fn check_infinite_masses(sides: &TwoSided) -> Result<(), InvariantViolation> {
    let in_order = |lower: &dyn Profile, upper: &dyn Profile| {
        lower.infinite_mass(BITS).lo() <= upper.infinite_mass(BITS).hi()
    };
    let swapped = (sides.lower.swapped(), sides.upper.swapped());
    if in_order(&*sides.lower, &*sides.upper) && in_order(&*swapped.0, &*swapped.1) {
        Ok(())
    } else {
        Err(InvariantViolation(
            "a lower law has more mass at infinity than the upper one".into(),
        ))
    }
}

/// The width that a search inside one refinement should reach.
pub(super) fn target_of(goal: &Goal) -> Target {
    match goal {
        Goal::Width(Target::Relative(width)) => Target::Relative(Rational::from(width / 8u32)),
        Goal::Width(Target::Absolute(width)) => Target::Absolute(Rational::from(width / 8u32)),
        Goal::Compare { .. } => Target::Relative(Rational::from((1, 100_000_000u64))),
    }
}

/// What the next laws should be like.
fn wanted(quantity: &Quantity, goal: &Goal, so_far: Option<&Enclosure>, steps: u64) -> Wanted {
    let excess = so_far.and_then(|found| excess(goal, found));
    let is_strict = matches!(quantity, Quantity::GdpMu(GdpForm::Strict));
    Wanted {
        tail: tail_wanted(quantity, goal, so_far),
        width: match goal {
            // Of a strict μ most often a lower bound is all there is, which is as good from coarse laws.
            Goal::Width(Target::Relative(width)) if is_strict => {
                Some(width.clone().max(Rational::from((1, 10_000))))
            }
            // Where losses are rare the other ones are a little wider than an ε.
            Goal::Width(Target::Relative(width)) if matches!(quantity, Quantity::GdpMu(_)) => {
                Some(width * Rational::from(SPARE))
            }
            Goal::Width(Target::Relative(width)) => Some(width.clone()),
            Goal::Width(Target::Absolute(_)) | Goal::Compare { .. } => None,
        },
        spare: matches!(quantity, Quantity::GdpMu(_)) && !is_strict,
        excess,
        steps,
    }
}

/// How many times wider than wanted an enclosure is.
pub(super) fn excess(goal: &Goal, found: &Enclosure) -> Option<Float> {
    let allowed = goal_width(goal)?.allowed_width(found.lower(), found.upper(), BITS);
    Some(found.width_up() / allowed)
}

fn goal_width(goal: &Goal) -> Option<&Target> {
    match goal {
        Goal::Width(target) => Some(target),
        Goal::Compare { .. } => None,
    }
}

/// The probability at which the question looks, and how finely: tails far below their product do not matter.
fn tail_wanted(quantity: &Quantity, goal: &Goal, so_far: Option<&Enclosure>) -> Rational {
    let floor = Rational::from((1, 1_000_000_000_000u64));
    let share = match goal {
        Goal::Width(Target::Relative(width)) => width.clone(),
        Goal::Width(Target::Absolute(_)) | Goal::Compare { .. } => Rational::from((1, 10_000)),
    };
    let is_probability = !matches!(quantity, Quantity::Epsilon { .. } | Quantity::GdpMu(_));
    let value = so_far
        .filter(|_| is_probability)
        .and_then(|enclosure| enclosure.upper().to_rational())
        .map(|upper| upper.max(floor.clone()));
    let probability = match (quantity, goal) {
        (Quantity::Epsilon { delta }, _) => delta.clone(),
        (Quantity::GdpMu(form), _) => form_level(form),
        (Quantity::TradeOff { alpha }, _) => alpha
            .clone()
            .min(value.unwrap_or_else(|| Rational::from(1))),
        (Quantity::Delta(_), Goal::Compare { with }) => with.clone(),
        _ => value.unwrap_or_else(|| Rational::from(1)),
    };
    let probability = if probability > 0 { probability } else { floor };
    let absolute = match goal {
        Goal::Width(Target::Absolute(width)) if is_probability => width.clone(),
        _ => share * probability,
    };
    absolute / 1000u32
}

/// 10^−30, which all fast paths reach.
fn narrowest_shared() -> Rational {
    super::subject::power_of_ten(30)
}

#[cfg(test)]
#[path = "forced_tests.rs"]
mod tests;
