//! Orders between two mechanisms that hold by theorem, whatever the numbers show.

use rug::Rational;

use super::Subject;
use crate::composition::mu::Mu;
use crate::composition::order::certainly_dominates;
use crate::composition::parts::PairKind;
use crate::composition::strict_gdp::StrictMu;
use crate::mechanism::{Adjacency, Epsilon, FiniteLosses, Step};
use crate::renyi::{Parts, exact_rho};

const BELOW_STRICT: &str =
    "a Gaussian mechanism dominates another one only from the strict mu of that mechanism on";

impl Subject {
    /// The theorem by which this mechanism is at most as private as the other everywhere, f ≤ f_other.
    pub fn certainly_dominates(&self, other: &Self) -> Option<&'static str> {
        let same_order = self.adjacency == other.adjacency;
        // What is stated of one is stated of the other, so that the worst case of both is one curve, whether it is known or not.
        if same_order && self.stated == other.stated {
            return Some("the two mechanisms are the same");
        }
        if self.is_bound() || other.is_bound() {
            return None;
        }
        if same_order && certainly_dominates(&self.parts, &other.parts) {
            return Some(
                "each part of one composition dominates its own part of the other, and the order survives composition",
            );
        }
        if let Some(epsilon) = self.response_epsilon() {
            // Both orders of the pair are needed, so an error here, an internal one, is left to the search.
            let largest = other.loss.largest(Adjacency::AddRemove, 256).ok()?;
            let is_within = match largest.exact() {
                Some(exact) => *exact <= epsilon.rational_down(),
                None => *largest.upper() <= epsilon.rational_down(),
            };
            return is_within.then_some(
                "randomised response with epsilon dominates every epsilon-DP mechanism (Kairouz, Oh and Viswanath 2015)",
            );
        }
        if self.is_class_of(other) {
            return Some(
                "a mechanism that has the Renyi guarantees is one of those that are stated",
            );
        }
        // G_μ ≤ f_other: the strict μ* of the other mechanism is the same in both orders of its pair.
        let own = self.mu_squared()?;
        let (bound, _) = other.strict.at_most()?;
        let enough = match &bound.square {
            Some(square) => own >= square,
            None => *bound.enclose(256).square().hi() <= *own,
        };
        enough.then_some("a mechanism that is mu-GDP is dominated by the Gaussian one with that mu")
    }

    /// The theorem by which this mechanism certainly does not dominate the other, so that their divergence is positive,
    /// however small: G_μ ≤ f_other fails for every μ below the strict μ* of the other mechanism.
    pub fn certainly_does_not_dominate(&self, other: &Self) -> Option<&'static str> {
        if self.is_bound() || other.is_bound() {
            return None;
        }
        let own = self.mu_squared()?;
        let least = match &other.strict {
            StrictMu::Exact { value, .. } => value,
            StrictMu::Between { at_least, .. } => at_least,
            StrictMu::Concentrated { rho, .. } => &Mu::root(Rational::from(rho * 2u32)),
            StrictMu::NoFinite { .. } => return Some(BELOW_STRICT),
            StrictMu::Unknown => return None,
        };
        let below = match &least.square {
            Some(square) => own < square,
            None => *least.enclose(256).square().lo() > *own,
        };
        below.then_some(BELOW_STRICT)
    }

    /// Is this a class of Rényi guarantees, in both orders of a pair, and the other a mechanism that has them?
    ///
    /// Ensures: if so, D_t of the other is at most what is stated, as it is at most ρ*·t for t ≥ 1, so that its curve is nowhere below that of the class.
    fn is_class_of(&self, other: &Self) -> bool {
        let Some(step) = self.mechanism.steps().single() else {
            return false;
        };
        let rho = || exact_rho(&Parts::of(other.mechanism.steps())?);
        match step {
            Step::Zcdp { rho: stated } => rho().is_some_and(|rho| rho <= *stated),
            Step::Rdp { orders } => rho().is_some_and(|rho| {
                let mut all = orders.iter();
                all.all(|(order, stated)| *order >= 1 && Rational::from(&rho * order) <= *stated)
            }),
            Step::Gaussian { .. }
            | Step::Laplace { .. }
            | Step::DiscreteGaussian { .. }
            | Step::Finite(_)
            | Step::Sampled(_)
            | Step::Shifted(_)
            | Step::Labelled(_)
            | Step::Closed(_) => false,
        }
    }

    /// ε of randomised response between two answers, which stands for all ε-DP mechanisms.
    fn response_epsilon(&self) -> Option<&Epsilon> {
        match self.mechanism.steps().single()? {
            Step::Finite(one) => match one.losses() {
                FiniteLosses::RandomizedResponse { epsilon, k: 2 } => Some(epsilon),
                _ => None,
            },
            _ => None,
        }
    }

    /// μ² of a Gaussian mechanism.
    pub(super) fn mu_squared(&self) -> Option<&Rational> {
        match self.parts.as_slice() {
            [part] if part.times == 1 => match &part.kind {
                PairKind::Gaussian { square } => Some(square),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "dominance_tests.rs"]
mod tests;
