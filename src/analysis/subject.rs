//! A mechanism prepared for questions, and the choice of how to answer each.

use rug::Rational;

use super::facts::Facts;
use super::hints::Hints;
use super::laws::Refinements;
use super::loss_range::LossSum;
use super::query::{self, Found, answered, decides};
use super::{Answer, Contrast, Ending, Goal, Method, Quantity, Resources, Unsupported, Witness};
use crate::bounds::exact::ExactCurve;
use crate::bounds::{Effort, Enclosure, GdpForm, LossRange, Target, TwoSided};
use crate::composition::parts::{Composition, PoweredPair, resolve};
use crate::composition::strict_gdp::{StrictMu, strict_mu};
use crate::kernel::{Budget, Failure};
use crate::mechanism::{Adjacency, Epsilon, Mechanism, Orders};
use crate::statement::Query;

/// One mechanism under one adjacency, ready to be asked for its quantities.
///
/// Answers to earlier questions make later ones cheaper: the laws of a composition are kept.
pub struct Subject {
    /// What all else here is about: of what is only bounded, the bound.
    pub(super) mechanism: Mechanism,
    /// What was stated.
    pub(super) stated: Mechanism,
    pub(super) adjacency: Adjacency,
    pub(super) parts: Vec<PoweredPair>,
    pub(super) kind: Kind,
    pub(super) strict: StrictMu,
    pub(super) loss: LossSum,
    /// What was proved so far.
    pub(super) facts: Facts,
    /// Where another mechanism differs most, in floats.
    pub(super) hints: Hints,
    /// Mechanisms among those stated, where all else here is only a bound of all of them.
    pub(super) members: Vec<Subject>,
    /// Is everything stated among them?
    pub(super) is_listed: bool,
    /// Further bounds of all that are stated, each by itself.
    pub(super) other_bounds: Vec<Subject>,
}

/// How the pair is known.
pub(super) enum Kind {
    /// By a closed form, and perhaps as exact rational vectors.
    Closed {
        part: PoweredPair,
        exact: Option<ExactCurve>,
    },
    /// As a class between two closed forms: no mechanism is above the first, and one is at the second.
    Class { sides: TwoSided },
    /// By laws that can be refined.
    Laws(Refinements),
}

/// Why there is no [`Subject`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The mechanism cannot be treated.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The time ended, or dpcmp contradicts itself.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// Widths that a comparison asks of closed forms, one after the other, as powers of ten: from a glance to far beyond
/// any claim that is not an equality.
pub(super) const LADDER: [u32; 8] = [3, 8, 20, 45, 100, 220, 500, 1100];

impl Subject {
    /// Prepares a mechanism.
    ///
    /// # Errors
    /// If the mechanism is not supported, or the budget ends.
    pub fn new(
        mechanism: &Mechanism,
        adjacency: Adjacency,
        budget: &Budget,
    ) -> Result<Self, Refusal> {
        let mechanism = &mechanism
            .under(adjacency.relation())
            .map_err(|error| Unsupported::NotBuilt(error.to_string()))?;
        if let Some((least, most)) = mechanism.bracket() {
            let members = least.iter().map(|one| Self::alone(one, adjacency, budget));
            let members = members.collect::<Result<_, _>>()?;
            let bound = Self::alone(&most, adjacency, budget)?;
            let others = mechanism.other_bounds();
            let others = others.iter().map(|one| Self::alone(one, adjacency, budget));
            return Ok(Self {
                members,
                other_bounds: others.collect::<Result<_, _>>()?,
                is_listed: mechanism.steps().is_listed(),
                stated: mechanism.clone(),
                ..bound
            });
        }
        Self::alone(mechanism, adjacency, budget)
    }

    /// Of a mechanism under this relation that is no bound of others.
    fn alone(
        mechanism: &Mechanism,
        adjacency: Adjacency,
        budget: &Budget,
    ) -> Result<Self, Refusal> {
        let composition = resolve(mechanism.steps(), budget)?;
        let strict = strict_mu(mechanism.steps(), &composition);
        match composition {
            Composition::Closed(part) => {
                let loss = LossSum::of(std::slice::from_ref(&part));
                let exact = part
                    .profile
                    .exact_pair()
                    .map(|pair| ExactCurve::new(&pair.0, &pair.1, adjacency));
                Ok(Self {
                    adjacency,
                    parts: vec![part.clone()],
                    kind: Kind::Closed { part, exact },
                    strict,
                    loss,
                    mechanism: mechanism.clone(),
                    stated: mechanism.clone(),
                    facts: Facts::default(),
                    hints: Hints::default(),
                    members: Vec::new(),
                    is_listed: false,
                    other_bounds: Vec::new(),
                })
            }
            Composition::Parts(parts) => {
                let loss = LossSum::of(&parts);
                Ok(Self {
                    adjacency,
                    parts: parts.clone(),
                    kind: Kind::Laws(Refinements::new(mechanism, parts, adjacency)),
                    strict,
                    loss,
                    mechanism: mechanism.clone(),
                    stated: mechanism.clone(),
                    facts: Facts::default(),
                    hints: Hints::default(),
                    members: Vec::new(),
                    is_listed: false,
                    other_bounds: Vec::new(),
                })
            }
            Composition::Class { upper, least, .. } => {
                let sides = TwoSided::between(upper.profile.clone(), least, LossRange::default());
                Ok(Self {
                    adjacency,
                    loss: LossSum::of(std::slice::from_ref(&upper)),
                    parts: vec![upper],
                    kind: Kind::Class { sides },
                    strict,
                    mechanism: mechanism.clone(),
                    stated: mechanism.clone(),
                    facts: Facts::default(),
                    hints: Hints::default(),
                    members: Vec::new(),
                    is_listed: false,
                    other_bounds: Vec::new(),
                })
            }
            Composition::Unsupported(reason) => Err(Unsupported::NotBuilt(reason).into()),
        }
    }

    /// Is all that is known a set of guarantees, by no single pair?
    pub(super) fn is_class(&self) -> bool {
        matches!(self.kind, Kind::Class { .. })
    }

    /// Is this only a bound of what is stated?
    pub(super) fn is_bound(&self) -> bool {
        !self.members.is_empty()
    }

    /// Is every quantity a closed form or an exact finite sum?
    pub fn is_closed_form(&self) -> bool {
        let is_one =
            matches!(&self.kind, Kind::Closed { part, .. } if part.profile.is_closed_form());
        is_one && self.members.iter().all(Self::is_closed_form)
    }

    /// Does every further digit cost far more than the one before: of profiles known between others, and of what is only bounded?
    pub fn is_dear(&self) -> bool {
        let is_between = self.parts.iter().any(|part| !part.profile.is_closed_form());
        is_between || self.is_bound() && !self.is_listed
    }

    /// Encloses a quantity until the goal is reached, the budget ends, or nothing more can be done.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] if the budget ended before there was any enclosure; an invariant violation is an
    /// internal error.
    pub fn answer(
        &self,
        query: &Query,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        self.enclose(query.quantity(), goal, resources)
    }

    /// As [`Subject::answer`].
    ///
    /// Requires: the numbers of `quantity` lie in their ranges.
    pub fn enclose(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        if self.is_bound() {
            return self.enclose_between(quantity, goal, resources);
        }
        self.enclose_alone(quantity, goal, resources)
    }

    /// As [`Subject::enclose`], of the bound alone.
    pub(super) fn enclose_alone(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let mut answer = match quantity {
            Quantity::MaxLoss => self.max_loss(goal, resources),
            Quantity::Renyi { order } => self.renyi(order, goal, resources),
            Quantity::ZcdpRho => self.zcdp_rho(goal, resources),
            Quantity::GdpMu(form) if is_strict(form) => self.strict_mu(goal, resources),
            Quantity::GdpMu(_) => match self.at_most_strict()? {
                Some(bracket) => self.between(bracket, quantity, goal, resources),
                None => self.on_curve(quantity, goal, resources),
            },
            Quantity::Regret { gaussian, .. } => {
                self.against(gaussian, &Contrast::To, goal, resources)
            }
            Quantity::Divergence { other, contrast } => {
                self.against(other, contrast, goal, resources)
            }
            Quantity::RegretOfStrictMu => self.regret_of_strict_mu(goal, resources),
            Quantity::MinimaxRisk => self.minimax_risk(goal, resources),
            // δ(ε) = 0 exactly from the largest loss on.
            Quantity::Epsilon { delta } if *delta == 0 => self.max_loss(goal, resources),
            Quantity::Delta(at) if self.is_beyond_the_loss(at)? => Ok(Answer {
                enclosure: Enclosure::exactly(Rational::new(), 192),
                method: Method::ClosedForm,
                ending: Ending::Reached,
                witness: None,
            }),
            _ => self.on_curve(quantity, goal, resources),
        }?;
        if self.adjacency.orders() == Orders::Add && is_of_either_order(quantity) {
            answer.witness = answer.witness.map(mirrored);
        }
        Ok(answer)
    }

    /// Says that a quantity will be asked for: laws that are made for other questions before then serve for it, too.
    pub fn expect(&self, quantity: &Quantity, goal: &Goal) {
        if let Kind::Laws(refinements) = &self.kind {
            refinements.note_expected(quantity, goal);
        }
    }

    /// The exact curve of a finite rational pair.
    pub(super) fn exact_curve(&self) -> Option<&ExactCurve> {
        match &self.kind {
            Kind::Closed { exact, .. } => exact.as_ref(),
            Kind::Class { .. } | Kind::Laws(_) => None,
        }
    }

    pub(super) fn on_curve(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        match &self.kind {
            Kind::Closed { part, exact } => {
                if let Some(value) = exact.as_ref().and_then(|curve| exactly(curve, quantity)) {
                    return Ok(Answer {
                        witness: None,
                        method: Method::ClosedForm,
                        ending: Ending::Reached,
                        enclosure: Enclosure::exactly(value, 192),
                    });
                }
                if let Some(answer) = self.by_sides(&*part.profile, quantity, goal, resources)? {
                    return Ok(answer);
                }
                let sides = self.oriented(&TwoSided::closed_form(part.profile.clone()), quantity);
                self.by_closed_form(&sides, quantity, goal, resources)
            }
            Kind::Class { sides } => {
                let sides = self.oriented(sides, quantity);
                let answer = self.by_closed_form(&sides, quantity, goal, resources)?;
                Ok(answer.of_class())
            }
            Kind::Laws(refinements) => self.by_laws(refinements, quantity, goal, resources),
        }
    }

    /// Narrows a closed form step by step; a width goal is one step.
    pub(super) fn by_closed_form(
        &self,
        sides: &TwoSided,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let targets: Vec<Target> = match goal {
            Goal::Width(target) => vec![target.clone()],
            Goal::Compare { .. } => LADDER
                .iter()
                .take(self.rungs())
                .map(|digits| Target::Relative(power_of_ten(*digits)))
                .collect(),
        };
        let mut best: Option<Found> = None;
        for target in &targets {
            if best.is_some() && resources.budget.check().is_err() {
                break;
            }
            let effort = Effort {
                bits: query::bits_for(target),
                target,
                goal: None,
                budget: resources.budget,
            };
            let found = query::ask(sides, quantity, &effort)?;
            let joined = query::join(best.take(), found)?;
            let done = decides(&joined.enclosure, goal);
            best = Some(joined);
            if done {
                break;
            }
        }
        answered(best, goal, Method::ClosedForm, resources)
    }

    /// How many widths are worth asking for: the two sides of a class do not meet.
    pub(super) fn rungs(&self) -> usize {
        match &self.kind {
            Kind::Class { .. } => 2,
            Kind::Closed { .. } | Kind::Laws(_) => LADDER.len(),
        }
    }

    /// The profile of the adjacency that the quantity is about.
    ///
    /// G_μ is symmetric and convex, so a strict or shifted μ* is the same for both orders of the pair and for the
    /// symmetrised curve; a clipped one (error floor) is not.
    pub(super) fn oriented(&self, sides: &TwoSided, quantity: &Quantity) -> TwoSided {
        if is_of_either_order(quantity) {
            self.loss.limit(sides)
        } else {
            self.loss.oriented(sides, self.adjacency)
        }
    }

    /// Is the loss certainly never above this point?
    fn is_beyond_the_loss(&self, at: &Epsilon) -> Result<bool, Failure> {
        let largest = self.loss.largest(self.adjacency, 256)?;
        Ok(match largest.exact() {
            Some(exact) => at.rational_down() >= *exact,
            None => *largest.upper() <= at.rational_down(),
        })
    }

    /// sup of the privacy loss, in the directions of the adjacency.
    pub(super) fn max_loss(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        if let Some(enclosure) = self.of_largest_loss(&Quantity::MaxLoss)? {
            return Ok(Answer {
                enclosure,
                method: Method::ClosedForm,
                ending: Ending::Reached,
                witness: None,
            });
        }
        let mut best: Option<Found> = None;
        for digits in LADDER {
            let bits = query::bits_for(&Target::Relative(power_of_ten(digits)));
            let enclosure = self.loss.largest(self.adjacency, bits)?;
            let joined = query::join(
                best.take(),
                Found {
                    enclosure,
                    witness: None,
                },
            )?;
            let done = decides(&joined.enclosure, goal);
            best = Some(joined);
            if done || resources.budget.check().is_err() {
                break;
            }
        }
        answered(best, goal, Method::ClosedForm, resources)
    }
}

fn is_of_either_order(quantity: &Quantity) -> bool {
    matches!(
        quantity,
        Quantity::GdpMu(GdpForm::Strict | GdpForm::Tolerance(_))
    )
}

/// The same place on the curve of the swapped pair, which is the mirror image f⁻¹.
fn mirrored(witness: Witness) -> Witness {
    match witness {
        Witness::Point { alpha, beta } => Witness::Point {
            alpha: beta,
            beta: alpha,
        },
        other => other,
    }
}

fn is_strict(form: &GdpForm) -> bool {
    match form {
        GdpForm::Strict => true,
        GdpForm::Tolerance(tolerance) => *tolerance == 0,
        GdpForm::ErrorFloor(_) => false,
    }
}

/// The quantity of an exact curve, where it is rational.
fn exactly(curve: &ExactCurve, quantity: &Quantity) -> Option<Rational> {
    match quantity {
        Quantity::Delta(at) => at.exact_exp().map(|u| curve.delta(&u)),
        Quantity::TradeOff { alpha } => Some(curve.tradeoff(alpha)),
        Quantity::Advantage => Some(curve.advantage()),
        Quantity::BayesError { prior } => Some(curve.bayes_error(prior)),
        Quantity::MinimaxRisk => Some(curve.minimax_risk()),
        _ => None,
    }
}

/// 10^−digits.
pub(super) fn power_of_ten(digits: u32) -> Rational {
    Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, digits))))
}
