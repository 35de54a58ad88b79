//! One mechanism under one adjacency, and the quantities of its curve.

use std::sync::OnceLock;

use super::Unsupported;
use super::elementary::{exp, ln};
use super::gdp::{StrictMu, strict_mu};
use super::grid::Listing;
use super::pair::{Pair, ProfilePoint};
use super::resolve::listed;
use super::search::{places_of, turning_point};
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Mechanism, Orders};

/// A mechanism under an adjacency, prepared for estimates.
///
/// Every method answers for any argument, outside its range as at the nearest end of it, and never with NaN.
#[derive(Debug, Clone)]
pub struct Curve {
    pub(super) pair: Pair,
    pub(super) adjacency: Adjacency,
    pub(super) strict: StrictMu,
    /// Where it is worth a look, once that was asked.
    places: OnceLock<Vec<f64>>,
}

impl Curve {
    /// Prepares a mechanism: less than a millisecond for a composition of Gaussians, sampled or not, some tens of
    /// milliseconds for another one.
    ///
    /// # Errors
    /// For `zcdp` and `rdp`, which no pair represents, and beyond the sizes of this engine.
    pub fn new(mechanism: &Mechanism, adjacency: Adjacency) -> Result<Self, Unsupported> {
        Self::within(mechanism, adjacency, &Budget::unlimited())
    }

    /// As [`Self::new`], if it takes no longer than the budget.
    ///
    /// # Errors
    /// As [`Self::new`]; or if the budget ends before it is prepared.
    pub fn within(
        mechanism: &Mechanism,
        adjacency: Adjacency,
        budget: &Budget,
    ) -> Result<Self, Unsupported> {
        Self::listed(mechanism, adjacency, Listing::Usual, budget)
    }

    /// As [`Self::within`], to look at where quantities are large: fewer digits, in less time.
    ///
    /// # Errors
    /// Those of [`Self::within`].
    pub fn at_a_glance(
        mechanism: &Mechanism,
        adjacency: Adjacency,
        budget: &Budget,
    ) -> Result<Self, Unsupported> {
        Self::listed(mechanism, adjacency, Listing::Glance, budget)
    }

    fn listed(
        mechanism: &Mechanism,
        adjacency: Adjacency,
        listing: Listing,
        budget: &Budget,
    ) -> Result<Self, Unsupported> {
        let mechanism = mechanism.under(adjacency.relation()).map_err(|_| {
            Unsupported::Mechanism("a mechanism without a pair under this relation")
        })?;
        let pair = listed(mechanism.steps(), listing, budget)?;
        Ok(Self {
            strict: strict_mu(mechanism.steps(), &pair),
            pair,
            adjacency,
            places: OnceLock::new(),
        })
    }

    /// G_μ, the same under every adjacency. μ below 0 is 0.
    pub fn gaussian(mu: f64) -> Self {
        let mu = if mu > 0.0 { mu.min(1e100) } else { 0.0 };
        Self {
            pair: Pair::gaussian(mu),
            adjacency: Adjacency::AddRemove,
            strict: StrictMu::Known(mu),
            places: OnceLock::new(),
        }
    }

    /// Values of ε between which the curve changes but little, in any order.
    pub(super) fn places(&self) -> &Vec<f64> {
        self.places.get_or_init(|| places_of(&self.pair))
    }

    /// The curve's point at ε, where it has slope −e^ε; for add-remove a point of the lower convex hull.
    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        let epsilon = if epsilon.is_nan() { 0.0 } else { epsilon };
        let stated = || self.pair.at(epsilon);
        let swapped = || self.pair.at(-epsilon).swapped();
        match self.adjacency.orders() {
            Orders::Remove => stated(),
            Orders::Add => swapped(),
            Orders::Both => {
                let (a, b) = (stated(), swapped());
                // δ = 1 − u + u·dual: both orders agree, but the smaller of the two numbers tells more precisely.
                let a_is_larger = if epsilon >= 0.0 {
                    a.delta >= b.delta
                } else {
                    a.dual >= b.dual
                };
                if a_is_larger { a } else { b }
            }
        }
    }

    /// δ(ε), in [0, 1].
    pub fn delta(&self, epsilon: f64) -> f64 {
        self.at(epsilon).delta.clamp(0.0, 1.0)
    }

    /// inf{ε : δ(ε) ≤ delta}: −∞ if delta ≥ 1, +∞ if no ε will do.
    pub fn epsilon(&self, delta: f64) -> f64 {
        if delta >= 1.0 {
            return f64::NEG_INFINITY;
        }
        let (_, largest) = self.support();
        let infinite = self.infinite();
        if delta < infinite {
            return f64::INFINITY;
        }
        if delta <= 0.0 {
            return largest.max(0.0);
        }
        let found = turning_point(self.bracket(delta), |e| self.delta(e) <= delta).1;
        found.min(largest.max(0.0))
    }

    /// Where to look for ε: outward from 0, so that no more of a composition is worked out than is needed.
    fn bracket(&self, delta: f64) -> (f64, f64) {
        let (low, high) = self.loss_range();
        if self.pair.seams().is_empty() {
            return (low, high);
        }
        self.rightward((low, high), |e| self.delta(e) <= delta)
    }

    /// The seams of the curve, in no order.
    fn seams(&self) -> Vec<f64> {
        let seams = self.pair.seams();
        let stated = seams.iter().copied();
        let swapped = seams.iter().map(|seam| -seam);
        match self.adjacency.orders() {
            Orders::Remove => stated.collect(),
            Orders::Add => swapped.collect(),
            Orders::Both => stated.chain(swapped).collect(),
        }
    }

    /// Two neighbouring seams from 0 on between which something begins to hold that holds from there on.
    fn rightward(&self, (low, high): (f64, f64), holds: impl Fn(f64) -> bool) -> (f64, f64) {
        let mut outward = self.seams();
        outward.retain(|seam| *seam > 1e-300);
        outward.sort_unstable_by(f64::total_cmp);
        let mut from = low;
        for seam in [0.0].into_iter().chain(outward) {
            if holds(seam) {
                return (from, seam);
            }
            from = seam;
        }
        (from, high.max(from))
    }

    /// The same for what may begin to hold below 0.
    fn outward(&self, holds: impl Fn(f64) -> bool) -> (f64, f64) {
        let (low, high) = self.loss_range();
        if self.pair.seams().is_empty() {
            return (low, high);
        }
        if !holds(0.0) {
            return self.rightward((low, high), holds);
        }
        let mut outward = self.seams();
        outward.retain(|seam| *seam < -1e-300);
        outward.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut to = 0.0;
        for seam in outward {
            if !holds(seam) {
                return (seam, to);
            }
            to = seam;
        }
        (low.min(to), to)
    }

    /// f(α), the least type-II error at type-I error α.
    pub fn tradeoff(&self, alpha: f64) -> f64 {
        let alpha = if alpha > 0.0 { alpha.min(1.0) } else { 0.0 };
        let holds = |e: f64| self.at(e).alpha <= alpha;
        let (low, high) = turning_point(self.outward(holds), holds);
        let (steep, flat) = (self.at(high), self.at(low));
        let ((a, f), (b, g)) = ((steep.alpha, steep.beta), (flat.alpha, flat.beta));
        // f(0) ≤ 1 and f(1) ≥ 0 close the curve where the pair has mass at ±∞.
        if a > alpha {
            return f.min(1.0 - alpha);
        }
        if b <= alpha {
            return if b < 1.0 {
                (g * (1.0 - alpha) / (1.0 - b)).min(g)
            } else {
                0.0
            };
        }
        let share = (alpha - a) / (b - a);
        (g * share + f * (1.0 - share)).clamp(0.0, 1.0 - alpha)
    }

    /// inf{α : f(α) ≤ β}.
    pub(super) fn tradeoff_inverse(&self, beta: f64) -> f64 {
        let mirrored = Self {
            adjacency: match self.adjacency.orders() {
                Orders::Remove => Adjacency::Add,
                Orders::Add => Adjacency::Remove,
                Orders::Both => self.adjacency,
            },
            ..self.clone()
        };
        mirrored.tradeoff(beta)
    }

    /// δ(0), the membership advantage.
    pub fn advantage(&self) -> f64 {
        self.delta(0.0)
    }

    /// R(π) at the prior π that the record is absent.
    pub fn bayes_error(&self, prior: f64) -> f64 {
        if prior.is_nan() || prior <= 0.0 || prior >= 1.0 {
            return 0.0;
        }
        let epsilon = ln(prior / (1.0 - prior));
        self.bayes_error_at(epsilon)
            .clamp(0.0, prior.min(1.0 - prior))
    }

    /// R(π) at log-odds ε = log(π/(1 − π)).
    pub(super) fn bayes_error_at(&self, epsilon: f64) -> f64 {
        let knot = self.at(epsilon);
        let (absent, present) = odds(epsilon);
        // Both are R; the second form does not depend on how α is defined at an atom.
        let direct = absent * knot.alpha + present * knot.beta;
        direct.clamp(0.0, absent.min(present))
    }

    /// max over π of R(π), the α with f(α) = α.
    pub fn minimax_risk(&self) -> f64 {
        let holds = |e: f64| {
            let knot = self.at(e);
            knot.alpha <= knot.beta
        };
        let (low, high) = turning_point(self.outward(holds), holds);
        let (steep, flat) = (self.at(high), self.at(low));
        let (above, below) = (steep.beta - steep.alpha, flat.alpha - flat.beta);
        if above + below <= 0.0 {
            return steep.alpha.clamp(0.0, 0.5);
        }
        // Where the straight piece between both points meets the diagonal.
        let share = (below / (above + below)).clamp(0.0, 1.0);
        (flat.alpha * (1.0 - share) + steep.alpha * share).clamp(0.0, 0.5)
    }

    /// Losses beyond which the curve has less than about e^{−90}: (low, high) with low ≤ 0 ≤ high.
    pub fn loss_range(&self) -> (f64, f64) {
        let (low, high) = self.oriented(self.pair.range());
        let far = |x: f64| x.clamp(-1e280, 1e280);
        (far(low.min(0.0)), far(high.max(0.0)))
    }

    /// Infimum and supremum of the finite losses, ±∞ if there is none.
    pub fn support(&self) -> (f64, f64) {
        self.oriented(self.pair.support())
    }

    /// The limit of δ(ε) as ε → ∞.
    pub fn infinite(&self) -> f64 {
        let (infinite, null_only) = (self.pair.infinite(), self.pair.null_only());
        match self.adjacency.orders() {
            Orders::Remove => infinite,
            Orders::Add => null_only,
            Orders::Both => infinite.max(null_only),
        }
    }

    fn oriented(&self, (low, high): (f64, f64)) -> (f64, f64) {
        match self.adjacency.orders() {
            Orders::Remove => (low, high),
            Orders::Add => (-high, -low),
            Orders::Both => {
                let far = high.max(-low);
                (-far, far)
            }
        }
    }
}

/// π and 1 − π at log-odds ε, neither by subtraction.
pub(super) fn odds(epsilon: f64) -> (f64, f64) {
    let of = |e: f64| {
        if e >= 0.0 {
            1.0 / (1.0 + exp(-e))
        } else {
            exp(e) / (1.0 + exp(e))
        }
    };
    (of(epsilon), of(-epsilon))
}
