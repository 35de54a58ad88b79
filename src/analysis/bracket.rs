//! A mechanism of which only two are known: one that reveals no less, and one of those stated, which may reveal more.
//!
//! The order of trade-off functions decides: f_most ≤ f ≤ f_least for some mechanism stated with f = f_least, so that whatever rises with the
//! information lies between that of the two, and so does whatever falls with it.

use rug::Float;

use super::query::decides;
use super::{Answer, Contrast, Ending, Goal, Quantity, Resources, Subject};
use crate::bounds::Enclosure;
use crate::kernel::Failure;

/// How a quantity changes when a mechanism reveals more.
enum Trend {
    Rises,
    Falls,
    /// Neither is known; it lies in [0, 1].
    Unknown,
}

impl Subject {
    /// The quantity between that of the bound, which is this subject, and that of the member.
    pub(super) fn enclose_between(
        &self,
        member: &Self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let trend = trend(quantity);
        if matches!(trend, Trend::Unknown) {
            return Ok(Answer {
                enclosure: Enclosure::new(Float::new(64), Float::with_val(64, 1))?,
                method: super::Method::ClosedForm,
                ending: Ending::DoesNotFollow,
                witness: None,
            });
        }
        let most = self.enclose_alone(quantity, goal, resources)?;
        let least = member.enclose_alone(quantity, goal, resources)?;
        let (below, above) = match trend {
            Trend::Rises => (&least, &most),
            Trend::Falls | Trend::Unknown => (&most, &least),
        };
        let enclosure = Enclosure::new(
            below.enclosure.lower().clone(),
            above.enclosure.upper().clone(),
        )?;
        let is_done = |answer: &Answer| {
            matches!(
                answer.ending,
                Ending::Reached | Ending::Exhausted | Ending::DoesNotFollow
            )
        };
        let ending = if decides(&enclosure, goal) {
            Ending::Reached
        } else if is_done(&most) && is_done(&least) {
            Ending::DoesNotFollow
        } else if is_done(&most) {
            least.ending
        } else {
            most.ending
        };
        Ok(Answer {
            enclosure,
            method: most.method,
            ending,
            // What is refuted is refuted by the member.
            witness: least.witness,
        })
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
