//! Strict Gaussian-DP μ*, by what theorems say of it and by the curve.

use rug::Rational;

use super::bracket::narrowed;
use super::query::{self, Found, answered, decides};
use super::subject::{LADDER, power_of_ten};
use super::{Answer, Ending, Goal, Method, Quantity, Resources, Subject, Witness};
use crate::bounds::{Enclosure, GdpForm, Target};
use crate::composition::concentrated;
use crate::composition::strict_gdp::StrictMu;
use crate::kernel::{Failure, Interval, Pick};

impl Subject {
    pub(super) fn strict_mu(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let quantity = Quantity::GdpMu(GdpForm::Strict);
        match &self.strict {
            StrictMu::Exact { value, why } => {
                let mut best = None;
                for digits in LADDER {
                    let bits = query::bits_for(&Target::Relative(power_of_ten(digits)));
                    let enclosure = match exact_root(value.square.as_ref()) {
                        Some(root) => Enclosure::exactly(root, bits),
                        None => Enclosure::from_interval(&value.enclose(bits)),
                    };
                    let witness = Some(Witness::Theorem((*why).to_owned()));
                    let joined = query::join(best.take(), Found { enclosure, witness })?;
                    let done = decides(&joined.enclosure, goal);
                    best = Some(joined);
                    if done || resources.budget.check().is_err() {
                        break;
                    }
                }
                answered(best, goal, Method::Theorem((*why).to_owned()), resources)
            }
            StrictMu::NoFinite { why } => Ok(Answer {
                enclosure: Enclosure::from_interval(&Interval::infinity(64)),
                method: Method::Theorem((*why).to_owned()),
                ending: Ending::Reached,
                witness: Some(Witness::Theorem((*why).to_owned())),
            }),
            StrictMu::Between {
                at_least,
                at_most,
                why,
            } => {
                let bits = 256;
                let low = at_least.enclose(bits).lo().clone();
                let high = at_most.as_ref().map_or_else(
                    || Interval::infinity(bits).hi().clone(),
                    |mu| mu.enclose(bits).hi().clone(),
                );
                let bracket = Found {
                    enclosure: Enclosure::new(low, high)?,
                    witness: Some(Witness::Theorem((*why).to_owned())),
                };
                if decides(&bracket.enclosure, goal) {
                    return answered(
                        Some(bracket),
                        goal,
                        Method::Theorem((*why).to_owned()),
                        resources,
                    );
                }
                self.between(bracket, &quantity, goal, resources)
            }
            StrictMu::Concentrated { rho, why } => self.concentrated(rho, why, goal, resources),
            StrictMu::Unknown => self.on_curve(&quantity, goal, resources),
        }
    }

    /// That of all ρ-zCDP mechanisms, or of a sample of them: what the curve says where both errors are above some tiny number, and a theorem of
    /// the others (`proofs/README.md`, C7).
    fn concentrated(
        &self,
        rho: &Rational,
        why: &str,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let bits = 256;
        let theorem = Method::Theorem(why.to_owned());
        let least = Interval::from_rational(&Rational::from(rho * 2u32), bits).sqrt();
        let most = concentrated::enough(rho, bits);
        let bracket = Found {
            enclosure: Enclosure::new(least.lo().clone(), most.hi().clone())?,
            witness: Some(Witness::Theorem(why.to_owned())),
        };
        let beyond = concentrated::beyond(rho, bits).filter(|_| !decides(&bracket.enclosure, goal));
        let Some((far, rest)) = beyond else {
            return answered(Some(bracket), goal, theorem, resources);
        };
        let floor = Rational::from(1) >> far;
        let quantity = Quantity::GdpMu(GdpForm::ErrorFloor(floor));
        match self.on_curve(&quantity, goal, resources) {
            Ok(answer) => {
                let ending = match answer.enclosure.upper() < rest.hi() {
                    // The theorem's is the larger one: more of the curve does not lower it.
                    true => Ending::Exhausted,
                    false => answer.ending,
                };
                let above = answer.enclosure.upper().clone().larger(rest.hi());
                let found = Found {
                    enclosure: Enclosure::new(answer.enclosure.lower().clone(), above)?,
                    witness: answer.witness,
                };
                let joined = query::join(Some(bracket), found)?;
                Ok(concluded(joined, goal, answer.method, ending))
            }
            Err(Failure::Interrupted) => answered(Some(bracket), goal, theorem, resources),
            Err(failure) => Err(failure),
        }
    }

    /// A tolerance or an error floor only weakens the statement: μ* is at most the strict one.
    pub(super) fn at_most_strict(&self) -> Result<Option<Found>, Failure> {
        let Some((value, why)) = self.strict.at_most() else {
            return Ok(None);
        };
        let upper = match exact_root(value.square.as_ref()) {
            Some(root) => Interval::from_rational(&root, 256),
            None => value.enclose(256),
        };
        Ok(Some(Found {
            enclosure: Enclosure::new(Interval::zero(256).lo().clone(), upper.hi().clone())?,
            witness: Some(Witness::Theorem(why.to_owned())),
        }))
    }

    /// What the curve says, within what a theorem says.
    pub(super) fn between(
        &self,
        bracket: Found,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let settled = match goal {
            Goal::Compare { with } => bracket.enclosure.upper() <= with,
            Goal::Width(_) => false,
        };
        if settled || decides(&bracket.enclosure, goal) {
            let why = match &bracket.witness {
                Some(Witness::Theorem(why)) => why.clone(),
                _ => String::new(),
            };
            return Ok(Answer {
                enclosure: bracket.enclosure,
                method: Method::Theorem(why),
                ending: Ending::Reached,
                witness: None,
            });
        }
        match self.on_curve(quantity, goal, resources) {
            Ok(answer) => {
                let found = Found {
                    enclosure: answer.enclosure,
                    witness: answer.witness,
                };
                let joined = if self.is_bound() {
                    Found {
                        enclosure: narrowed(quantity, &found.enclosure, &bracket.enclosure)?,
                        witness: found.witness,
                    }
                } else {
                    query::join(Some(bracket), found)?
                };
                Ok(concluded(joined, goal, answer.method, answer.ending))
            }
            Err(Failure::Interrupted) => {
                answered(Some(bracket), goal, Method::ClosedForm, resources)
            }
            Err(failure) => Err(failure),
        }
    }
}

/// What the curve and a theorem say together.
fn concluded(joined: Found, goal: &Goal, method: Method, of_curve: Ending) -> Answer {
    let ending = match decides(&joined.enclosure, goal) {
        true => Ending::Reached,
        false => of_curve,
    };
    Answer {
        enclosure: joined.enclosure,
        method,
        ending,
        witness: joined.witness,
    }
}

/// √square, if that is rational.
fn exact_root(square: Option<&Rational>) -> Option<Rational> {
    let square = square?;
    let (numerator, denominator) = (square.numer(), square.denom());
    (numerator.is_perfect_square() && denominator.is_perfect_square())
        .then(|| Rational::from((numerator.clone().sqrt(), denominator.clone().sqrt())))
}
