//! A composition without a closed form: what its laws say, within what theorems and earlier answers say.

use std::sync::Arc;
use std::time::Duration;

use rug::Rational;

use super::bracket::narrowed;
use super::laws::Refinements;
use super::query::{self, decides};
use super::{Answer, Ending, Goal, Method, Quantity, Resources, Subject};
use crate::bounds::{Effort, Enclosure, LossRange, Target, TwoSided};
use crate::kernel::{Failure, InvariantViolation, Profile};
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::{Epsilon, approx_dp};

const BITS: u32 = 160;
/// A μ is used to as many, rounded up: few, because that of a long finite law costs a search of it.
const MU_BITS: u32 = 64;
/// Parts that are asked one by one.
const MOST_PARTS: usize = 4;
/// What consequences of theorems may take after the time is over.
const A_MOMENT: Duration = Duration::from_millis(200);
/// How finely consequences of theorems are computed.
const COARSE: (u32, u32) = (1, 1000);

const THEOREMS: &str =
    "the strict mu, the total variation distance and the parts of the composition";

impl Subject {
    /// Encloses a quantity by laws, and intersects with what is known anyway; theorems where the laws do not reach the goal.
    ///
    /// Ensures: the answer is no wider than that of the laws alone, whatever was asked before, unless what was proved before
    /// already reaches the width wanted.
    pub(super) fn by_laws(
        &self,
        refinements: &Refinements,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let earlier = self.facts.about(quantity)?;
        // A comparison is answered from laws all the same: by how much it holds is part of the answer.
        if let (Some((enclosure, method)), Goal::Width(_)) = (&earlier, goal)
            && decides(enclosure, goal)
        {
            return Ok(Answer {
                enclosure: enclosure.clone(),
                method: method.clone(),
                ending: Ending::Reached,
                witness: None,
            });
        }
        let orient = |sides: &TwoSided| self.oriented(sides, quantity);
        let mut answer = refinements.answer(quantity, goal, resources, &orient)?;
        let by_laws = answer.enclosure.clone();
        let mut is_by_theorems = !matches!(answer.method, Method::Laws { .. });
        if let Some((enclosure, _)) = &earlier {
            answer.enclosure = answer.enclosure.intersect(enclosure)?;
        }
        if !decides(&answer.enclosure, goal)
            && let Some(bounds) = self.by_theorems(refinements, quantity, resources)?
        {
            let before = answer.enclosure;
            answer.enclosure = before.intersect(&bounds)?;
            // What needs both is said to be found by laws.
            let is_better = bounds.lower() > before.lower() || bounds.upper() < before.upper();
            is_by_theorems |= is_better && answer.enclosure == bounds;
        }
        // Facts are about the curve.
        let of_curve = answer.enclosure.clone();
        if self.is_bound()
            && !decides(&of_curve, goal)
            && is_of_curve(quantity)
            && let Some(gaussian) = self.strict_gaussian()
        {
            let gaussian = self.consequence(&below(gaussian)?, quantity, resources)?;
            answer.enclosure = narrowed(quantity, &of_curve, &gaussian)?;
            is_by_theorems |= answer.enclosure != of_curve;
        }
        if answer.enclosure.lower() != by_laws.lower() {
            // The place shows what the laws prove, and that is less.
            answer.witness = None;
        }
        if decides(&answer.enclosure, goal) {
            answer.ending = Ending::Reached;
        }
        if matches!(answer.method, Method::Laws { .. }) {
            self.facts.learn(quantity, &of_curve, &answer.method)?;
        }
        if is_by_theorems {
            answer.method = Method::Theorem(THEOREMS.to_owned());
        }
        Ok(answer)
    }

    /// What follows without any law; `None` for quantities of which nothing does.
    ///
    /// The profile of the composition lies
    /// * below that of G_μ for any μ ≥ μ*, in both orders, as G_μ is symmetric: that is what μ-GDP says;
    /// * below that of (0, η)-DP, η a bound of the total variation distance (see [`super::total_variation`]);
    /// * above that of each part, which is a post-processing of the composition.
    fn by_theorems(
        &self,
        refinements: &Refinements,
        quantity: &Quantity,
        resources: &Resources<'_>,
    ) -> Result<Option<Enclosure>, InvariantViolation> {
        if !is_of_curve(quantity) {
            return Ok(None);
        }
        let between = |upper, lower| TwoSided::between(upper, lower, LossRange::default());
        let mut known = vec![refinements.by_total_variation()?];
        // What is stated is below it, and of a bound the curve need not be.
        if let Some(gaussian) = self.strict_gaussian().filter(|_| !self.is_bound()) {
            known.push(below(gaussian)?);
        }
        // A dear value is worth what is left of the time, but no more.
        let in_time = resources.budget.check().is_ok();
        let parts = self.parts.iter().take(MOST_PARTS);
        for part in parts.filter(|part| in_time || part.profile.is_closed_form()) {
            known.push(between(all_or_nothing(1)?, part.profile.clone()));
        }
        let mut found: Option<Enclosure> = None;
        for sides in &known {
            let one = self.consequence(sides, quantity, resources)?;
            found = Some(match found {
                Some(before) => before.intersect(&one)?,
                None => one,
            });
        }
        Ok(found)
    }

    /// What follows from profiles between which another one lies.
    fn consequence(
        &self,
        sides: &TwoSided,
        quantity: &Quantity,
        resources: &Resources<'_>,
    ) -> Result<Enclosure, InvariantViolation> {
        let target = Target::Relative(Rational::from(COARSE));
        // Closed forms take some milliseconds, and without them there would be no end at all.
        let budget = resources.budget.with_at_least(A_MOMENT);
        let effort = Effort {
            bits: BITS,
            target: &target,
            goal: None,
            budget: &budget,
        };
        Ok(query::ask(&self.oriented(sides, quantity), quantity, &effort)?.enclosure)
    }

    /// G_μ with a μ that is not below the strict μ*.
    fn strict_gaussian(&self) -> Option<Arc<dyn Profile>> {
        let (mu, _) = self.strict.at_most()?;
        let gaussian = match &mu.square {
            Some(square) => Gaussian::from_square(square.clone()),
            None => Gaussian::from_mu(&mu.enclose(MU_BITS).hi().to_rational()?),
        };
        Some(Arc::new(gaussian))
    }
}

/// Everything below a profile.
fn below(profile: Arc<dyn Profile>) -> Result<TwoSided, InvariantViolation> {
    Ok(TwoSided::between(
        profile,
        all_or_nothing(0)?,
        LossRange::default(),
    ))
}

/// Is it a quantity of which bounds of the curve say something? The others have bounds of their own.
fn is_of_curve(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Delta(_)
        | Quantity::Epsilon { .. }
        | Quantity::TradeOff { .. }
        | Quantity::Advantage
        | Quantity::BayesError { .. }
        | Quantity::MinimaxRisk => true,
        Quantity::GdpMu(_)
        | Quantity::MaxLoss
        | Quantity::Regret { .. }
        | Quantity::Divergence { .. }
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho
        | Quantity::RegretOfStrictMu => false,
    }
}

/// The profile of (0, δ)-DP for δ = 0, below every other, or 1, above every other.
fn all_or_nothing(delta: u32) -> Result<Arc<dyn Profile>, InvariantViolation> {
    let law = approx_dp::law(&Epsilon::zero(), &Rational::from(delta))
        .ok_or_else(|| InvariantViolation("a total variation distance above one".into()))?;
    Ok(Arc::new(FiniteProfile::new(Arc::new(law))))
}

#[cfg(test)]
#[path = "known_tests.rs"]
mod tests;
