//! Strict Gaussian-DP μ*, by what theorems say of it and by the curve.

use rug::Rational;

use super::bracket::narrowed;
use super::query::{self, Found, answered, decides};
use super::subject::{LADDER, power_of_ten};
use super::{Answer, Ending, Goal, Method, Quantity, Resources, Subject, Witness};
use crate::bounds::{Enclosure, GdpForm, Target};
use crate::composition::concentrated;
use crate::composition::strict_gdp::StrictMu;
use crate::kernel::{Failure, Interval};

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
        let Some((floor, rest)) = beyond else {
            return answered(Some(bracket), goal, theorem, resources);
        };
        let quantity = Quantity::GdpMu(GdpForm::ErrorFloor(floor));
        match self.on_curve(&quantity, goal, resources) {
            Ok(answer) => {
                let (enclosure, ending) = with_rest(&answer.enclosure, answer.ending, &rest)?;
                let found = Found {
                    enclosure,
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

/// What the curve says above an error floor, where tests of smaller errors need a μ of at most `rest`.
fn with_rest(
    of_curve: &Enclosure,
    ending: Ending,
    rest: &Interval,
) -> Result<(Enclosure, Ending), Failure> {
    let (above, ending) = match of_curve.upper() < rest.hi() {
        // The theorem's is the larger one: more of the curve does not lower it.
        true => (rest.hi(), Ending::Exhausted),
        false => (of_curve.upper(), ending),
    };
    let enclosure = Enclosure::new(of_curve.lower().clone(), above.clone())?;
    Ok((enclosure, ending))
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

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Float;

    /// Upper ends count: of the curve, which more time may lower, or of the rest, which it does not.
    #[test]
    fn what_is_below_a_floor_counts_from_above() {
        let ends = |low: u32, high: u32| [low, high].map(|x| Float::with_val(64, x));
        let found = |curve: (u32, u32), rest: (u32, u32)| {
            let ([low, high], [least, most]) = (ends(curve.0, curve.1), ends(rest.0, rest.1));
            let curve = Enclosure::new(low, high).unwrap();
            let (found, ending) =
                with_rest(&curve, Ending::OutOfTime, &Interval::spanning(least, most)).unwrap();
            (
                found.lower().to_u32_saturating().unwrap(),
                found.upper().to_u32_saturating().unwrap(),
                ending,
            )
        };
        assert_eq!(found((1, 5), (3, 4)), (1, 5, Ending::OutOfTime));
        assert_eq!(found((1, 5), (3, 7)), (1, 7, Ending::Exhausted));
        assert_eq!(found((1, 5), (6, 7)), (1, 7, Ending::Exhausted));
    }
}
