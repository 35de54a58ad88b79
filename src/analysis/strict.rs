//! Strict Gaussian-DP μ*, by what theorems say of it and by the curve.

use rug::{Float, Rational};

use super::bracket::narrowed;
use super::query::{self, Found, answered, decides};
use super::subject::{Kind, LADDER, power_of_ten};
use super::{Answer, Ending, Goal, Method, Quantity, Resources, Subject, Witness};
use crate::bounds::{Enclosure, GdpForm, Target};
use crate::composition::concentrated;
use crate::composition::strict_gdp::StrictMu;
use crate::kernel::{Failure, Interval};

/// Bits of the ends that theorems give.
const BITS: u32 = 256;
/// So many digits of ρ are enough where it has to be searched for: the end of tiny errors is farther off.
const DIGITS_OF_RHO: u32 = 2;
/// If tests below an error floor decide, the floor is lowered, to its power of this,
const FARTHER: u32 = 2;
/// down to 2^−this: the curve is looked at no farther out.
const FARTHEST: u32 = 128;

const OWN_RHO: &str = "a rho-zCDP mechanism has tests of power b at size exp(-(sqrt(-log b) + sqrt(rho))^2) or more, with its own rho";

impl Subject {
    pub(super) fn strict_mu(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
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
                let bits = BITS;
                let low = at_least.enclose(bits).lo().clone();
                let high = at_most
                    .as_ref()
                    .map_or_else(infinity, |mu| mu.enclose(bits).hi().clone());
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
                match at_most {
                    Some(_) => self.between_ends(bracket, goal, resources),
                    None => self.without_end(bracket, goal, resources),
                }
            }
            StrictMu::Concentrated { rho, why } => {
                let least = Interval::from_rational(&Rational::from(rho * 2u32), BITS).sqrt();
                let known = Enclosure::new(least.lo().clone(), infinity())?;
                self.concentrated(rho, known, why, goal, resources)
            }
            StrictMu::Unknown => {
                let anything = Found {
                    enclosure: Enclosure::new(Float::new(BITS), infinity())?,
                    witness: None,
                };
                self.without_end(anything, goal, resources)
            }
        }
    }

    /// Where no theorem has an upper end: its own ρ has one, and single points of the curve, which has none by itself, a lower one.
    fn without_end(
        &self,
        bracket: Found,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let strict = Quantity::GdpMu(GdpForm::Strict);
        let known = match self.by_zcdp(bracket.enclosure.clone(), goal, resources)? {
            Some(answer) if answer.ending == Ending::Reached => return Ok(answer),
            Some(answer) => Found {
                enclosure: answer.enclosure,
                witness: answer.witness,
            },
            None => bracket,
        };
        self.between(known, &strict, goal, resources)
    }

    /// What the curve says between the ends that its parts give, and its own ρ where that says more: losses without an end give the curve none.
    fn between_ends(
        &self,
        bracket: Found,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let strict = Quantity::GdpMu(GdpForm::Strict);
        let answer = self.between(bracket, &strict, goal, resources)?;
        if answer.ending != Ending::Exhausted {
            return Ok(answer);
        }
        // A hint of ρ, so that it need not be looked for in vain: of Gaussian noise it is half the square of μ.
        let square = answer.enclosure.lower().to_rational().map(Rational::square);
        let least = square
            .filter(|square| *square > 0)
            .map(|square| square / 2u32);
        let is_far = |rho: &Rational| {
            concentrated::first_beyond(rho, 64).is_none_or(|(bits, _)| self.is_too_far(bits))
        };
        if least.as_ref().is_none_or(is_far) {
            return Ok(answer);
        }
        let narrower = self
            .by_zcdp(answer.enclosure.clone(), goal, resources)?
            .filter(|found| found.enclosure.upper() < answer.enclosure.upper());
        Ok(narrower.unwrap_or(answer))
    }

    /// Do laws of compositions not reach errors of 2^−`bits`?
    fn is_too_far(&self, bits: u32) -> bool {
        bits > FARTHEST && matches!(self.kind, Kind::Laws(_))
    }

    /// By its own ρ, where that is finite. `None` otherwise.
    ///
    /// Requires: μ* is within `known`.
    fn by_zcdp(
        &self,
        known: Enclosure,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Option<Answer>, Failure> {
        if self.is_bound() {
            return Ok(None);
        }
        let digits_of_rho = Goal::Width(Target::Relative(power_of_ten(DIGITS_OF_RHO)));
        let most = match self.zcdp_rho(&digits_of_rho, resources) {
            Ok(found) => found.enclosure.upper().to_rational(),
            Err(Failure::Interrupted) => None,
            Err(failure) => return Err(failure),
        };
        let Some(rho) = most.filter(|rho| *rho > 0) else {
            return Ok(None);
        };
        self.concentrated(&rho, known, OWN_RHO, goal, resources)
            .map(Some)
    }

    /// That of all ρ-zCDP mechanisms, of a sample of them, or of one: what the curve says where both errors are above some tiny number, and a theorem of
    /// the others (`proofs/README.md`, C7).
    ///
    /// Requires: `rho > 0`; μ* is within `known`.
    fn concentrated(
        &self,
        rho: &Rational,
        known: Enclosure,
        why: &str,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let most = concentrated::enough(rho, BITS).hi().clone();
        let enough = Enclosure::new(Float::new(BITS), most)?;
        let mut known = Found {
            enclosure: known.intersect(&enough)?,
            witness: Some(Witness::Theorem(why.to_owned())),
        };
        let mut floor = concentrated::first_beyond(rho, BITS);
        let mut by_curve = None;
        while let Some((bits, rest)) = floor
            && !decides(&known.enclosure, goal)
            && !self.is_too_far(bits)
        {
            let answer = match self.above_floor(bits, &rest, goal, resources) {
                Ok(answer) => answer,
                Err(Failure::Interrupted) => break,
                Err(failure) => return Err(failure),
            };
            let (enclosure, ending) = with_rest(&answer.enclosure, answer.ending, &rest)?;
            let found = Found {
                enclosure,
                witness: answer.witness,
            };
            known = query::join(Some(known), found)?;
            by_curve = Some((answer.method, ending));
            // Where the theorem is what is larger it says less of smaller errors.
            let is_rest = answer.enclosure.upper() < rest.hi();
            let farther = bits.saturating_mul(FARTHER);
            floor = (is_rest && farther <= FARTHEST && self.is_closed_form())
                .then(|| concentrated::beyond(rho, farther, BITS))
                .flatten()
                .map(|rest| (farther, rest));
        }
        match by_curve {
            Some((method, ending)) => Ok(concluded(known, goal, method, ending)),
            None => answered(
                Some(known),
                goal,
                Method::Theorem(why.to_owned()),
                resources,
            ),
        }
    }

    /// What the curve says where both errors are at least 2^−`bits`: not as narrowly as wanted if the rest decides.
    fn above_floor(
        &self,
        bits: u32,
        rest: &Interval,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let quantity = Quantity::GdpMu(GdpForm::ErrorFloor(Rational::from(1) >> bits));
        // Of all ρ-zCDP mechanisms the curve decides.
        if !matches!(self.strict, StrictMu::Concentrated { .. }) {
            let coarse = Goal::Width(Target::Relative(power_of_ten(DIGITS_OF_RHO)));
            let answer = self.on_curve(&quantity, &coarse, resources)?;
            if answer.ending != Ending::Reached || answer.enclosure.upper() < rest.hi() {
                return Ok(answer);
            }
        }
        self.on_curve(&quantity, goal, resources)
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

fn infinity() -> Float {
    Interval::infinity(BITS).hi().clone()
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
    use crate::analysis::test_tools::{resources, subject};
    use crate::kernel::coarse::at_most_bits;

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

    /// So wide that theorems alone reach it.
    fn any_width() -> Goal {
        Goal::Width(Target::Absolute(Rational::from(1_000_000)))
    }

    /// √(2ρ) is rounded down, and what is enough of all ρ-zCDP mechanisms up, in whichever precision.
    #[test]
    fn ends_of_a_class_at_few_bits() {
        for rho in [(3u32, 10u32), (1, 7), (5, 1), (1, 1000)].map(Rational::from) {
            let class = subject(&format!(r#"{{"kind":"zcdp","rho":"{rho}"}}"#));
            let enough = concentrated::enough(&rho, BITS);
            for bits in [4, 9, 20, BITS] {
                let found = resources(|resources| {
                    at_most_bits(bits, || class.strict_mu(&any_width(), resources))
                });
                let found = found.unwrap().enclosure;
                let least = found.lower().to_rational().unwrap().square();
                assert!(least <= Rational::from(&rho * 2u32), "{rho} {bits}");
                assert!(found.upper() >= enough.lo(), "{rho} {bits}");
            }
        }
    }

    /// What has a ρ of which only an enclosure is known is as private as the upper end says.
    #[test]
    fn the_larger_end_of_rho_counts() {
        let text = r#"{"kind":"discrete-gaussian","sigma":1,"parties":3}"#;
        let one = subject(text);
        resources(|resources| {
            let coarse = Goal::Width(Target::Relative(power_of_ten(DIGITS_OF_RHO)));
            let rho = one.zcdp_rho(&coarse, resources).unwrap().enclosure;
            let known = || Enclosure::new(Float::new(BITS), infinity()).unwrap();
            let found = one.by_zcdp(known(), &any_width(), resources).unwrap();
            let [low, high] = [rho.lower(), rho.upper()].map(|end| {
                let enough = concentrated::enough(&end.to_rational().unwrap(), BITS);
                enough.hi().clone()
            });
            assert!(low < high);
            assert_eq!(*found.unwrap().enclosure.upper(), high);
        });
    }
}
