//! Divergences between two mechanisms: exact where both are finite and rational, zero where a theorem orders them, and
//! enclosed otherwise, from laws that are refined where the uncertainty is.

use rug::float::Special;
use rug::{Float, Rational};

use super::contestant::Contestant;
use super::contested::{Contested, Way};
use super::subject::power_of_ten;
use super::{Answer, Contrast, Ending, Goal, Method, Quantity, Resources, Subject, Witness};
use crate::bounds::exact_divergence;
use crate::bounds::{Enclosure, Prior, Target, TwoSided};
use crate::composition::strict_gdp::StrictMu;
use crate::kernel::directed as d;
use crate::kernel::{Failure, Interval, InvariantViolation};
use crate::mechanism::GdpForm;
use crate::mechanism::gaussian::Gaussian;
use crate::statement::Other;

/// Bits of comparisons of laws, which resolve less.
pub(super) const BITS: u32 = 160;

impl Subject {
    /// Encloses a divergence of this mechanism, or bound, by itself, and what was found on the way of each direction.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] if the budget ended before there was any enclosure; an invariant violation is an
    /// internal error.
    pub(super) fn compare_alone(
        &self,
        other: &Self,
        contrast: &Contrast,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<BothWays, Failure> {
        let uniform = Prior::uniform();
        let (ways, weight): (Vec<Way>, &Prior) = match contrast {
            Contrast::To => (vec![Way::There], &uniform),
            Contrast::From => (vec![Way::Back], &uniform),
            Contrast::Symmetric => (vec![Way::There, Way::Back], &uniform),
            Contrast::Weighted(weight) => (vec![Way::There], weight),
        };
        if weight.is_uniform()
            && let Some(answer) = self.exactly_against(other, &ways)?
        {
            return Ok(answer.into());
        }
        let open: Vec<Way> = ways
            .into_iter()
            .filter(|way| {
                let (first, second) = way.order(self, other);
                first.certainly_dominates(second).is_none()
            })
            .collect();
        if open.is_empty() {
            let theorem = self
                .certainly_dominates(other)
                .or_else(|| other.certainly_dominates(self))
                .unwrap_or_default();
            return Ok(Answer {
                enclosure: Enclosure::exactly(Rational::new(), 192),
                method: Method::Theorem(theorem.to_owned()),
                ending: Ending::Reached,
                witness: None,
            }
            .into());
        }
        Contested {
            first: Contestant::new(self),
            second: Contestant::new(other),
            each: open.iter().map(|_| None).collect(),
            at_hints: open.iter().map(|_| None).collect(),
            ways: open,
            weight,
            hints: None,
        }
        .answer(goal, resources)
    }

    /// Two finite rational pairs: a fraction.
    fn exactly_against(&self, other: &Self, ways: &[Way]) -> Result<Option<Answer>, Failure> {
        let (Some(own), Some(others)) = (self.exact_curve(), other.exact_curve()) else {
            return Ok(None);
        };
        let found = match ways {
            [Way::There] => exact_divergence::divergence(own, others)?,
            [Way::Back] => exact_divergence::divergence(others, own)?,
            _ => exact_divergence::symmetric(own, others)?,
        };
        let bits = 192;
        let prior = Interval::from_rational(&found.prior, bits);
        let epsilon = prior.div(&prior.one_minus()).ln().middle();
        let witness = (found.value > 0).then(|| Witness::Prior {
            prior: prior.middle(),
            epsilon,
        });
        Ok(Some(Answer {
            enclosure: Enclosure::exactly(found.value, bits),
            method: Method::ClosedForm,
            ending: Ending::Reached,
            witness,
        }))
    }

    /// Δ(M‖G_μ) at the strict μ* of M itself; R* of M where no finite μ exists.
    pub(super) fn regret_of_strict_mu(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        if self.mu_squared().is_some() {
            let found = self.compare_alone(self, &Contrast::To, goal, resources)?;
            return Ok(found.larger);
        }
        if matches!(self.strict, StrictMu::NoFinite { .. }) {
            return self.enclose(&Quantity::MinimaxRisk, goal, resources);
        }
        let mut found: Option<Answer> = None;
        // A narrow μ may be dear: the regret of a wider one is looked at first.
        for digits in DIGITS_OF_STRICT_MU {
            let time = resources.budget.most_of_it();
            let first = Resources {
                budget: &time,
                ..*resources
            };
            let (mu, answer) = match self.regret_of_mu_within(digits, goal, &first) {
                Err(Failure::Interrupted) => break,
                both => both?,
            };
            let is_last = mu != Ending::Reached
                || matches!(answer.ending, Ending::Reached | Ending::OutOfTime);
            found = Some(match found {
                Some(before) => Answer {
                    enclosure: before.enclosure.intersect(&answer.enclosure)?,
                    ..answer
                },
                None => answer,
            });
            if is_last {
                break;
            }
        }
        found.ok_or(Failure::Interrupted)
    }

    /// How μ* was found to so many digits, and the regret of what lies between the Gaussians at its ends.
    fn regret_of_mu_within(
        &self,
        digits: u32,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<(Ending, Answer), Failure> {
        let mu = self.enclose(&STRICT_MU, &digits_of(digits), resources)?;
        let Some(sides) = gaussians_within(&mu.enclosure) else {
            // No bound of μ: the Gaussian may be as revealing as anything.
            let risk = self.enclose(&Quantity::MinimaxRisk, goal, resources)?;
            let zero = Float::new(64);
            let enclosure = Enclosure::new(zero, risk.enclosure.upper().clone())?;
            return Ok((Ending::Exhausted, Answer { enclosure, ..risk }));
        };
        let found = Contested {
            first: Contestant::new(self),
            second: Contestant::fixed(sides),
            ways: vec![Way::There],
            each: vec![None],
            at_hints: vec![None],
            weight: &Prior::uniform(),
            hints: None,
        }
        .answer(goal, resources)?;
        Ok((mu.ending, found.larger))
    }

    /// Where members and a bound are known: the regret grows with μ, so that it lies between those of both ends of the strict μ*.
    pub(super) fn regret_between_strict_mus(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let time = resources.budget.most_of_it();
        let first = Resources {
            budget: &time,
            ..*resources
        };
        let mu = self.enclose(&STRICT_MU, &digits_of(FEW_DIGITS), &first)?;
        let [low, high] = [mu.enclosure.lower(), mu.enclosure.upper()].map(Float::to_rational);
        let regret = |mu: Rational| {
            let mu = mu.max(Rational::new());
            let gaussian = Other::gaussian(&mu);
            self.enclose(&Quantity::Regret { mu, gaussian }, goal, resources)
        };
        let Some(low) = low else {
            // No μ at all: the Gaussian reveals everything, and what is left is the risk.
            return match *mu.enclosure.lower() == Float::with_val(2, Special::Infinity) {
                true => self.enclose(&Quantity::MinimaxRisk, goal, resources),
                false => Ok(any_divergence()?),
            };
        };
        let Some(high) = high else {
            // No difference of risks is above the larger one of them.
            let most = self.enclose(&Quantity::MinimaxRisk, goal, resources)?;
            let least = regret(low)?;
            return Ok(Answer {
                enclosure: Enclosure::between(&least.enclosure, &most.enclosure)?,
                ending: Ending::DoesNotFollow,
                witness: None,
                ..most
            });
        };
        let least = match low == high {
            true => None,
            false => Some(regret(low)?),
        };
        let most = regret(high)?;
        let Some(least) = least else {
            return Ok(most);
        };
        Ok(Answer {
            enclosure: Enclosure::between(&least.enclosure, &most.enclosure)?,
            ending: Ending::DoesNotFollow,
            witness: None,
            ..most
        })
    }
}

/// What is known of a divergence between any two mechanisms: it is a difference of two Bayes errors in [0, ½].
pub(super) fn any_divergence() -> Result<Answer, InvariantViolation> {
    let half = Float::with_val(64, 1) >> 1u32;
    Ok(Answer {
        enclosure: Enclosure::new(Float::new(64), half)?,
        method: Method::ClosedForm,
        ending: Ending::DoesNotFollow,
        witness: None,
    })
}

/// Digits of the strict μ* with which its regret is looked for.
const DIGITS_OF_STRICT_MU: [u32; 3] = [FEW_DIGITS, 10, 24];

const FEW_DIGITS: u32 = 7;

const STRICT_MU: Quantity = Quantity::GdpMu(GdpForm::Strict);

fn digits_of(digits: u32) -> Goal {
    Goal::Width(Target::Relative(power_of_ten(digits)))
}

/// What lies between the Gaussians at both ends of a μ; `None` where it has no bound.
fn gaussians_within(mu: &Enclosure) -> Option<TwoSided> {
    let gaussian = |mu: &Float| {
        let mu = mu.to_rational()?;
        let at_least_zero = mu.max(Rational::new());
        Some(std::sync::Arc::new(Gaussian::from_mu(&at_least_zero)))
    };
    Some(TwoSided::between(
        gaussian(mu.upper())?,
        gaussian(mu.lower())?,
        crate::bounds::LossRange::default(),
    ))
}

/// A divergence, and of a symmetric one what is known of both directions.
#[derive(Debug, Clone)]
pub struct BothWays {
    /// What was asked for.
    pub larger: Answer,
    /// From this mechanism to the other one and back, where both were looked at.
    pub ways: Option<[(Enclosure, Option<Witness>); 2]>,
}

impl From<Answer> for BothWays {
    fn from(larger: Answer) -> Self {
        Self { larger, ways: None }
    }
}

/// How much mass the tails may lose: far less than the width wanted.
pub(super) fn tail_wanted(goal: &Goal, so_far: Option<&Enclosure>) -> Rational {
    let target = super::laws::target_of(goal);
    let (low, high) = match (so_far, goal) {
        (Some(found), _) => (found.lower().clone(), found.upper().clone()),
        (None, Goal::Compare { with }) => {
            let with = d::rational_down(with, BITS);
            (with.clone(), with)
        }
        (None, Goal::Width(_)) => {
            let one = Float::with_val(BITS, 1);
            (one.clone(), one)
        }
    };
    let width = target.allowed_width(&low, &high, BITS);
    width.to_rational().unwrap_or_default() / 100u32
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
