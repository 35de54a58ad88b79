//! A mechanism of which only others are known: one that reveals no less, and some of those stated.
//!
//! The order of trade-off functions decides: f_most ≤ f for every mechanism stated, and f = f_least for some, so that whatever rises with the
//! information lies between that of the member with most of it and that of the bound, and so does whatever falls with it.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::comparison::any_divergence;
use super::query::decides;
use super::subject::Kind;
use super::{Answer, Contrast, Ending, Goal, Method, Quantity, Resources, Subject, Witness};
use crate::bounds::Enclosure;
use crate::composition::parts::{PairKind, PoweredPair};
use crate::kernel::{Failure, InvariantViolation};
use crate::mechanism::{GdpForm, RenyiOrder};
use crate::plan::{Ranking, Seen};
use crate::statement::Query;

/// How a quantity changes when a mechanism reveals more.
enum Trend {
    Rises,
    Falls,
    /// Neither is known of a divergence, which is ½ at most.
    Unknown,
}

impl Subject {
    /// The quantity between that of the bound, which is this subject, and that of the member of which most is known.
    pub(super) fn enclose_between(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let trend = trend(quantity);
        if matches!(quantity, Quantity::RegretOfStrictMu) {
            return self.regret_between_strict_mus(goal, resources);
        }
        if let Quantity::Divergence { other, contrast } = quantity
            && matches!(contrast, Contrast::Symmetric)
        {
            return self.against_both_ways(other, goal, resources);
        }
        if matches!(trend, Trend::Unknown) {
            return Ok(any_divergence()?);
        }
        if self.is_listed {
            let rises = matches!(trend, Trend::Rises);
            let known = match pairs(quantity) {
                Pairs::One => Some(self.enclose_worst(quantity, goal, rises, resources)?),
                Pairs::All => self.enclose_together(quantity, goal, resources)?,
                Pairs::Unknown => None,
            };
            if let Some(answer) = known {
                return Ok(answer);
            }
        }
        if let Some(enclosure) = self.of_largest_loss(quantity)? {
            return Ok(Answer {
                enclosure,
                method: Method::ClosedForm,
                ending: Ending::Reached,
                witness: None,
            });
        }
        // Members are asked as well, whatever time the bound takes.
        let time = resources.budget.most_of_it();
        let first = Resources {
            budget: &time,
            jobs: resources.jobs,
            progress: resources.progress,
        };
        let most = self.enclose_alone(quantity, goal, &first)?;
        if self.is_largest_of_choices(quantity) {
            return Ok(most);
        }
        let Some(least) = self.best_member(quantity, goal, (&trend, &most), resources)? else {
            return Ok(most);
        };
        let both = both_ends(&trend, &least, &most)?;
        if decides(&both, goal) || !is_wide(&both) {
            return of_both(&trend, least, most, goal);
        }
        let most = self.narrowest(most, quantity, goal, &trend, resources)?;
        of_both(&trend, least, most, goal)
    }

    /// The answer of the member of which most is known, `most` being that of the bound.
    ///
    /// Each member is one of those stated, so that whichever is asked proves its end. Where a width is wanted, those are left out that floats see behind
    /// others, unless they see something else of the one that was asked than what was found.
    fn best_member(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        (trend, most): (&Trend, &Answer),
        resources: &Resources<'_>,
    ) -> Result<Option<Answer>, Failure> {
        let mut best: Option<Answer> = None;
        let ranking = self.ranking(quantity, goal);
        let promising = ranking.promising();
        let others = (0..self.members.len()).filter(|place| !promising.contains(place));
        let mut is_trusted = promising.len() < self.members.len();
        for place in promising.iter().copied().chain(others) {
            let Some(member) = self.members.get(place) else {
                continue;
            };
            if is_trusted && !promising.contains(&place) {
                break;
            }
            let next = member.enclose_alone(quantity, goal, resources)?;
            is_trusted &= ranking.was_right(place, &next.enclosure.interval().middle());
            let is_better = |known: &Answer| match trend {
                Trend::Rises => next.enclosure.lower() > known.enclosure.lower(),
                Trend::Falls | Trend::Unknown => next.enclosure.upper() < known.enclosure.upper(),
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some(next);
            }
            // Other members would add nothing that was asked for.
            if let Some(least) = &best
                && decides(&both_ends(trend, least, most)?, goal)
            {
                break;
            }
        }
        Ok(best)
    }

    /// What floats see of the members, where several are dear to ask, a width is wanted, and floats see the quantity; else nothing.
    fn ranking(&self, quantity: &Quantity, goal: &Goal) -> Ranking {
        let is_dear = |member: &&Self| matches!(member.kind, Kind::Laws(_));
        let several = self.members.iter().filter(is_dear).count() > 1;
        match (quantity, goal) {
            (Quantity::Epsilon { delta }, Goal::Width(_)) if several => {
                let seen: Vec<_> = self.members.iter().map(Self::seen).collect();
                Ranking::by_epsilon(&seen, delta, self.adjacency.orders())
            }
            _ => Ranking::nothing(self.members.len()),
        }
    }

    /// The steps, where floats see all of them.
    fn seen(&self) -> Option<Vec<(Seen<'_>, u64)>> {
        self.parts.iter().map(seen).collect()
    }

    /// The answer of the bound that says least, `most` being that of the first one.
    fn narrowest(
        &self,
        most: Answer,
        quantity: &Quantity,
        goal: &Goal,
        trend: &Trend,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let mut best = most;
        for other in &self.other_bounds {
            // The first bound is there whatever happens to others.
            let next = match other.enclose_alone(quantity, goal, resources) {
                Err(Failure::Interrupted) => break,
                next => next?,
            };
            if is_narrower(&next, &best, trend) {
                best = next;
            }
        }
        Ok(best)
    }
}

impl Subject {
    /// Are both ends of an enclosure those of what is stated, and not one of a bound and the other of a member?
    pub fn is_attained(&self, query: &Query) -> bool {
        let quantity = query.quantity();
        let is_known = !self.is_bound()
            || self.is_listed
            || self.is_largest_of_choices(quantity)
            || is_loss(quantity) && self.mechanism.largest_loss().is_some();
        is_known && !self.is_class()
    }

    /// Is the quantity of the bound the largest of all datasets, though no dataset has the bound? Of exponential mechanisms every Rényi divergence is, and so
    /// is ρ (J3 of `proofs/README.md`): at each order one dataset is the worst of each run, whatever was chosen before, and divergences of runs add up.
    fn is_largest_of_choices(&self, quantity: &Quantity) -> bool {
        let order = match quantity {
            Quantity::Renyi { order } => !matches!(order, RenyiOrder::Infinite),
            Quantity::ZcdpRho => true,
            Quantity::MaxLoss
            | Quantity::Delta(_)
            | Quantity::Epsilon { .. }
            | Quantity::TradeOff { .. }
            | Quantity::Advantage
            | Quantity::BayesError { .. }
            | Quantity::MinimaxRisk
            | Quantity::GdpMu(_)
            | Quantity::Regret { .. }
            | Quantity::RegretOfStrictMu
            | Quantity::Divergence { .. } => false,
        };
        order && self.mechanism.steps().is_of_exponential_mechanisms()
    }

    /// What follows from the largest loss alone, where a theorem says what it is: that loss, by each of its names, and that δ is 0 from there on.
    pub(super) fn of_largest_loss(
        &self,
        quantity: &Quantity,
    ) -> Result<Option<Enclosure>, Failure> {
        let follows = is_loss(quantity) || matches!(quantity, Quantity::Delta(_));
        if !follows {
            return Ok(None);
        }
        let Some(loss) = self.mechanism.largest_loss() else {
            return Ok(None);
        };
        if let Quantity::Delta(at) = quantity {
            let order = loss.exact.and_then(|exact| exact.compare(at));
            let is_beyond = matches!(order, Some(Ordering::Less | Ordering::Equal));
            return Ok(is_beyond.then(|| Enclosure::exactly(Rational::new(), 64)));
        }
        Ok(Some(match loss.exact.and_then(|exact| exact.exact()) {
            Some(number) => Enclosure::exactly(number, 64),
            None => Enclosure::new(loss.value.lo().clone(), loss.value.hi().clone())?,
        }))
    }
}

/// A part of which floats know the law.
fn seen(part: &PoweredPair) -> Option<(Seen<'_>, u64)> {
    let step = match &part.kind {
        PairKind::Finite(law) => Seen::Finite(law),
        PairKind::SubsampledGaussian { rate, square } => Seen::SampledGaussian { rate, square },
        PairKind::Gaussian { .. }
        | PairKind::Laplace { .. }
        | PairKind::DiscreteGaussian(_)
        | PairKind::Shifted(_)
        | PairKind::Other
        | PairKind::Class(_) => return None,
    };
    Some((step, part.times))
}

/// Is it the largest loss, by one of its names?
fn is_loss(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::MaxLoss => true,
        Quantity::Epsilon { delta } => *delta == 0,
        Quantity::Renyi { order } => matches!(order, RenyiOrder::Infinite),
        Quantity::Delta(_)
        | Quantity::TradeOff { .. }
        | Quantity::Advantage
        | Quantity::BayesError { .. }
        | Quantity::MinimaxRisk
        | Quantity::GdpMu(_)
        | Quantity::Regret { .. }
        | Quantity::RegretOfStrictMu
        | Quantity::Divergence { .. }
        | Quantity::ZcdpRho => false,
    }
}

pub(super) const BOTH: &str = "a bound of all that is stated, and one mechanism among them";

/// What a member and the bound say together.
fn of_both(trend: &Trend, least: Answer, most: Answer, goal: &Goal) -> Result<Answer, Failure> {
    let enclosure = both_ends(trend, &least, &most)?;
    let ending = if decides(&enclosure, goal) {
        Ending::Reached
    } else {
        undecided(least.ending, most.ending)
    };
    Ok(Answer {
        enclosure,
        method: match most.method {
            // It is about the bound, of which the ends need not be those of a mechanism that is meant.
            Method::Theorem(_) => Method::Theorem(BOTH.to_owned()),
            method @ (Method::ClosedForm | Method::Laws { .. }) => method,
        },
        ending,
        // What is refuted is refuted by the member.
        witness: least.witness.map(of_member),
    })
}

/// What shows something of a member, as what shows it of all that is stated.
pub(super) fn of_member(witness: Witness) -> Witness {
    match &witness {
        Witness::Theorem(why) => {
            Witness::Theorem(format!("of one mechanism among those stated: {why}"))
        }
        Witness::Epsilon(_) | Witness::Point { .. } | Witness::Prior { .. } | Witness::Order(_) => {
            witness
        }
    }
}

/// Does this bound say less than another one, at the end that counts?
fn is_narrower(next: &Answer, best: &Answer, trend: &Trend) -> bool {
    match trend {
        Trend::Rises => next.enclosure.upper() < best.enclosure.upper(),
        Trend::Falls | Trend::Unknown => next.enclosure.lower() > best.enclosure.lower(),
    }
}

/// Other bounds take as long as the first one: they are tried where this much may be gained, relative to the upper end.
const WIDE: (u32, u32) = (1, 16);

fn is_wide(enclosure: &Enclosure) -> bool {
    let ends = [enclosure.lower(), enclosure.upper()].map(Float::to_rational);
    match ends {
        [Some(low), Some(high)] => low < high * (1 - Rational::from(WIDE)),
        _ => true,
    }
}

/// Why an enclosure is no narrower, of which a member and the bound have an end each.
pub(super) fn undecided(member: Ending, bound: Ending) -> Ending {
    let is_done = |ending: Ending| {
        matches!(
            ending,
            Ending::Reached | Ending::Exhausted | Ending::DoesNotFollow
        )
    };
    match (is_done(member), is_done(bound)) {
        (true, true) => Ending::DoesNotFollow,
        (false, true) => member,
        (_, false) => bound,
    }
}

/// From the end that the member proves to that of the bound.
fn both_ends(trend: &Trend, least: &Answer, most: &Answer) -> Result<Enclosure, Failure> {
    let (below, above) = match trend {
        Trend::Rises => (least, most),
        Trend::Falls | Trend::Unknown => (most, least),
    };
    Ok(Enclosure::between(&below.enclosure, &above.enclosure)?)
}

/// Of which pairs a quantity is, if a mechanism is any of several.
enum Pairs {
    /// Of the one that reveals most of it.
    One,
    /// Of their largest δ at each ε.
    All,
    /// Neither is known: it is a difference to another mechanism.
    Unknown,
}

/// δ of the mechanism is the largest of theirs at each ε, and f the largest convex function below theirs. So R(π) is the least of theirs at each π, and a convex function is below f where
/// it is below each of theirs; but f(α) may be less than all of theirs, and so may max R(π) be.
fn pairs(quantity: &Quantity) -> Pairs {
    match quantity {
        Quantity::Delta(_)
        | Quantity::Epsilon { .. }
        | Quantity::Advantage
        | Quantity::BayesError { .. }
        | Quantity::MaxLoss
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho
        | Quantity::GdpMu(GdpForm::Strict | GdpForm::Tolerance(_)) => Pairs::One,
        Quantity::GdpMu(GdpForm::ErrorFloor(_))
        | Quantity::TradeOff { .. }
        | Quantity::MinimaxRisk => Pairs::All,
        Quantity::Regret { .. } | Quantity::RegretOfStrictMu | Quantity::Divergence { .. } => {
            Pairs::Unknown
        }
    }
}

/// What a bound says by its curve and by a theorem about what is stated: the better end of those that count.
///
/// The theorem is not about the curve, which may lie above what it says, so that the other end is that of neither: only a member has one.
pub(super) fn narrowed(
    quantity: &Quantity,
    curve: &Enclosure,
    theorem: &Enclosure,
) -> Result<Enclosure, InvariantViolation> {
    match trend(quantity) {
        Trend::Rises if theorem.upper() < curve.upper() => {
            let lower = if curve.lower() < theorem.upper() {
                curve
            } else {
                theorem
            };
            let lower = lower.lower().clone();
            Enclosure::new(lower, theorem.upper().clone())
        }
        Trend::Falls if theorem.lower() > curve.lower() => {
            let upper = if curve.upper() > theorem.lower() {
                curve
            } else {
                theorem
            };
            let upper = upper.upper().clone();
            Enclosure::new(theorem.lower().clone(), upper)
        }
        Trend::Rises | Trend::Falls | Trend::Unknown => Ok(curve.clone()),
    }
}

fn trend(quantity: &Quantity) -> Trend {
    match quantity {
        Quantity::Delta(_)
        | Quantity::Epsilon { .. }
        | Quantity::Advantage
        | Quantity::GdpMu(_)
        | Quantity::MaxLoss
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho => Trend::Rises,
        Quantity::TradeOff { .. } | Quantity::BayesError { .. } | Quantity::MinimaxRisk => {
            Trend::Falls
        }
        // max over π of R_M − R_other.
        Quantity::Regret { .. } => Trend::Falls,
        Quantity::Divergence { contrast, .. } => match contrast {
            Contrast::To | Contrast::Weighted(_) => Trend::Falls,
            Contrast::From => Trend::Rises,
            Contrast::Symmetric => Trend::Unknown,
        },
        Quantity::RegretOfStrictMu => Trend::Unknown,
    }
}

#[cfg(test)]
#[path = "bracket_queries_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "bracket_tests.rs"]
mod quick;

#[cfg(test)]
#[path = "attained_tests.rs"]
mod attained;
