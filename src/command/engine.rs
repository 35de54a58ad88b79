//! Who analyses a mechanism.

use std::sync::Arc;

use rug::Float;

use crate::analysis::{Answer, Ending, Goal, Means, Method, Quantity, Unsupported, Witness};
use crate::bounds::{self, Effort, Enclosure, Target, TwoSided};
use crate::kernel::{Failure, LossBound, Profile};
use crate::mechanism::{Adjacency, Mechanism, profile, symmetrised};
use crate::verdict::Analyst;

const BITS: u32 = 160;

/// The analyst of a mechanism under an adjacency.
///
/// # Errors
/// What cannot be analysed.
pub fn analyst(
    mechanism: &Mechanism,
    adjacency: Adjacency,
) -> Result<Box<dyn Analyst>, Unsupported> {
    let not_built = || Unsupported::NotBuilt("compositions".to_owned());
    let pair = profile(mechanism).ok_or_else(not_built)?;
    let profile: Arc<dyn Profile> = match adjacency {
        Adjacency::Remove => pair,
        Adjacency::Add => pair.swapped(),
        Adjacency::AddRemove => Arc::new(symmetrised::Symmetrised::new(pair)),
    };
    Ok(Box::new(ClosedForm(TwoSided::closed_form(profile))))
}

struct ClosedForm(TwoSided);

impl Analyst for ClosedForm {
    fn answer(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        means: &Means<'_>,
    ) -> Result<Answer, Failure> {
        let target = match goal {
            Goal::Width(target) => target.clone(),
            Goal::Compare { .. } => {
                Target::Relative(rug::Rational::from((1, 1_000_000_000_000_000u64)))
            }
        };
        let effort = Effort {
            bits: BITS,
            target: &target,
            budget: means.budget,
        };
        let mut witness = None;
        let sides = &self.0;
        let enclosure = match quantity {
            Quantity::Delta(at) => bounds::delta(sides, at, &effort)?,
            Quantity::Epsilon { delta } => bounds::epsilon(sides, delta, &effort)?,
            Quantity::TradeOff { alpha } => bounds::tradeoff(sides, alpha, &effort)?,
            Quantity::Advantage => bounds::advantage(sides, &effort)?,
            Quantity::BayesError { prior } => bounds::bayes_error(sides, prior, &effort)?,
            Quantity::MinimaxRisk => bounds::minimax_risk(sides, &effort)?,
            Quantity::GdpMu(form) => {
                let found = bounds::gdp_mu(sides, form, &effort)?;
                witness = found.witness.map(|at| Witness::Point {
                    alpha: at.alpha,
                    beta: at.beta,
                });
                found.mu
            }
            Quantity::MaxLoss => match sides.upper.max_loss(BITS) {
                LossBound::Finite {
                    exact: Some(value), ..
                } => Enclosure::exactly(value, BITS),
                LossBound::Finite { value, .. } => Enclosure::from_interval(&value),
                LossBound::Unbounded => {
                    let infinite = Float::with_val(BITS, rug::float::Special::Infinity);
                    Enclosure::new(infinite.clone(), infinite)?
                }
            },
        };
        let ending = if enclosure.meets(&target) {
            Ending::Reached
        } else {
            Ending::Exhausted
        };
        Ok(Answer {
            enclosure,
            method: Method::ClosedForm,
            ending,
            witness,
        })
    }
}
