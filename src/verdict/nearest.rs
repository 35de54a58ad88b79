//! What would have been true: the nearest true claim to a refuted one.

use rug::{Integer, Rational};

use super::judge::answered;
use super::rounded::{lower_end, upper_end};
use super::{Analyst, Nearest, NoNearest};
use crate::analysis::{Ending, Goal, Method, Resources};
use crate::bounds::{Enclosure, Target};
use crate::input::ClaimEntry;
use crate::kernel::InvariantViolation;
use crate::mechanism::OutOfRange;
use crate::statement::{Claim, Query, StatedClaim};

/// Significant digits of the numbers of the nearest true claim, at least.
const LEAST_DIGITS: u32 = 5;

/// And at most, however many digits the claim has.
const MOST_DIGITS: u32 = 25;

/// The nearest true claim of the same kind, its number rounded to the side where it stays true; `known` is what the claim was refuted by.
pub(super) fn nearest_true(
    entry: &ClaimEntry,
    (asked, known): (&Query, &Enclosure),
    analyst: &dyn Analyst,
    resources: &Resources<'_>,
    detail: &Target,
) -> Result<Nearest, InvariantViolation> {
    let enclose = |query: &Query, key: &str| {
        let digits = digits_of_claim(entry, key);
        let known = (query == asked).then_some(known);
        enclose(analyst, query, resources, (detail, digits), known)
    };
    // A width that suits the size of the number may be too wide to tell it from 1.
    let below_one = |query: &Query, key: &str| {
        let first = enclose(query, key)?;
        let Some((first, room)) = first
            .as_ref()
            .and_then(|first| Some((first, first.room_below_one()?)))
        else {
            return Ok(first);
        };
        let digits = digits_of_claim(entry, key);
        let target = Target::Absolute(room / 16u32);
        let first = Some(&first.enclosure);
        super::nearest::enclose(analyst, query, resources, (&target, digits), first)
    };
    let claim = &entry.claim;
    let query = claim.query();
    let with = |key: &'static str, least: Least, claim: Make<'_>| {
        Ok::<_, InvariantViolation>(match least {
            Least::Is(number) => Nearest::just(claim(number)?),
            Least::Nowhere => Nearest::Nothing(NoNearest::NoFinite(key)),
            Least::Unknown(why) => Nearest::Nothing(why),
        })
    };
    match claim.stated() {
        StatedClaim::PureDp { .. } => {
            let epsilon = least(enclose(&Query::max_loss(), "epsilon")?);
            with("epsilon", epsilon, &|epsilon| Claim::pure_dp(epsilon))
        }
        StatedClaim::Gdp { form, .. } => {
            let mu = least(enclose(&query, "mu")?);
            with("mu", mu, &|mu| Claim::gdp_as(mu, form.clone()))
        }
        StatedClaim::Advantage { .. } => {
            match least_below_one(below_one(&query, "at-most")?) {
                Least::Is(at_most) => Ok(Nearest::just(Claim::advantage(at_most)?)),
                // 1 is true of every mechanism.
                Least::Nowhere => Ok(Nearest::Nothing(NoNearest::NoneBelowOne("at-most"))),
                Least::Unknown(why) => Ok(Nearest::Nothing(why)),
            }
        }
        StatedClaim::TradeOff { alpha, .. } => {
            match greatest_above_zero(enclose(&query, "beta")?) {
                Least::Is(beta) => Ok(Nearest::just(Claim::trade_off(alpha, beta)?)),
                Least::Nowhere => Ok(Nearest::Nothing(NoNearest::NoneAboveZero("beta"))),
                Least::Unknown(why) => Ok(Nearest::Nothing(why)),
            }
        }
        StatedClaim::ApproxDp { epsilon, delta } => {
            let least_epsilon = least(enclose(&Query::epsilon(delta)?, "epsilon")?);
            let least_delta = least_below_one(below_one(&query, "delta")?);
            let keeping_delta = |epsilon: Rational| Claim::approx_dp(epsilon, delta);
            let keeping_epsilon = |delta: Rational| Claim::approx_dp(epsilon, delta);
            Ok(match (least_epsilon, least_delta) {
                (Least::Is(epsilon), Least::Is(delta)) => Nearest::Claim {
                    nearest: Box::new(keeping_delta(epsilon)?),
                    other: Some(Box::new(keeping_epsilon(delta)?)),
                },
                (Least::Is(epsilon), _) => Nearest::just(keeping_delta(epsilon)?),
                (_, Least::Is(delta)) => Nearest::just(keeping_epsilon(delta)?),
                (Least::Unknown(why), _) | (_, Least::Unknown(why)) => Nearest::Nothing(why),
                (Least::Nowhere, Least::Nowhere) => {
                    Nearest::Nothing(NoNearest::NoDeltaAtAnyEpsilon)
                }
            })
        }
        StatedClaim::Regret { mu, .. } => {
            let bound = least(enclose(&query, "at-most")?);
            with("at-most", bound, &|at_most| Claim::regret(mu, at_most))
        }
        StatedClaim::DominatedBy { other, .. } => {
            let bound = least(enclose(&query, "at-most")?);
            with("at-most", bound, &|at_most| {
                Claim::dominated_by_other(other.clone(), at_most)
            })
        }
        StatedClaim::Zcdp { .. } => {
            let rho = least(enclose(&query, "rho")?);
            with("rho", rho, &|rho| Claim::zcdp(rho))
        }
        StatedClaim::Rdp { order, .. } => {
            let epsilon = least(enclose(&query, "epsilon")?);
            with("epsilon", epsilon, &|epsilon| Claim::rdp(order, epsilon))
        }
    }
}

/// The claim with another number.
type Make<'a> = &'a dyn Fn(Rational) -> Result<Claim, OutOfRange>;

/// An enclosure and how many of its digits to print.
struct Enclosed {
    enclosure: Enclosure,
    digits: usize,
    ending: Ending,
}

/// Encloses to the width `detail`; closed forms, which are cheap, to the digits of the claim.
///
/// Ensures: within `known`, which may be narrower: below 1e-12 a width counts as narrow by itself.
fn enclose(
    analyst: &dyn Analyst,
    query: &Query,
    resources: &Resources<'_>,
    (detail, digits_of_claim): (&Target, u32),
    known: Option<&Enclosure>,
) -> Result<Option<Enclosed>, InvariantViolation> {
    let ask = |target: Target| answered(analyst.answer(query, &Goal::Width(target), resources));
    let Some(first) = ask(detail.clone())? else {
        return Ok(None);
    };
    let (mut enclosure, mut ending) = (first.enclosure, first.ending);
    if let Some(known) = known {
        enclosure = enclosure.intersect(known)?;
    }
    if digits_of_claim > LEAST_DIGITS && !matches!(first.method, Method::Laws { .. }) {
        let unit = Integer::from(Integer::u_pow_u(10, digits_of_claim));
        if let Some(second) = ask(Target::Relative(Rational::from((1, unit))))? {
            enclosure = enclosure.intersect(&second.enclosure)?;
            ending = second.ending;
        }
    }
    let digits = resolved_digits(&enclosure).clamp(LEAST_DIGITS, digits_of_claim);
    Ok(Some(Enclosed {
        digits: usize::try_from(digits).unwrap_or(1),
        enclosure,
        ending,
    }))
}

/// One digit more than the claim has, within limits.
fn digits_of_claim(entry: &ClaimEntry, key: &str) -> u32 {
    let mantissa = entry.number_text(key).unwrap_or_default();
    let mantissa = mantissa.split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa
        .chars()
        .filter(char::is_ascii_digit)
        .skip_while(|digit| *digit == '0')
        .count();
    u32::try_from(digits)
        .unwrap_or(MOST_DIGITS)
        .saturating_add(1)
        .clamp(LEAST_DIGITS, MOST_DIGITS)
}

/// About how many digits both ends share.
fn resolved_digits(enclosure: &Enclosure) -> u32 {
    let width = enclosure.width_up();
    match (enclosure.upper().get_exp(), width.get_exp()) {
        (Some(size), Some(width)) => {
            let bits = i64::from(size).saturating_sub(i64::from(width)).max(0);
            // log₁₀ 2 is about 0.30103.
            u32::try_from(bits.saturating_mul(30_103) / 100_000).unwrap_or(MOST_DIGITS)
        }
        _ => MOST_DIGITS,
    }
}

/// The extreme true value of a number in a claim.
enum Least {
    /// Rounded to the safe side.
    Is(Rational),
    /// No value is true, or only one that says nothing.
    Nowhere,
    /// It was not found, and why.
    Unknown(NoNearest),
}

/// The least true upper bound of a quantity without a natural maximum.
fn least(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown(NoNearest::OutOfTime),
        Some(found) if found.enclosure.upper().is_finite() => found.up(),
        Some(found) if found.enclosure.lower().is_infinite() => Least::Nowhere,
        Some(found) => found.unknown(),
    }
}

/// The least true upper bound of a probability; 1 says nothing.
fn least_below_one(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown(NoNearest::OutOfTime),
        Some(found) if *found.enclosure.lower() >= 1 => Least::Nowhere,
        Some(found) if *found.enclosure.upper() >= 1 => found.unknown(),
        Some(found) => printed_below_one(found),
    }
}

/// The number with as many digits as it takes not to be rounded up to 1.
fn printed_below_one(mut found: Enclosed) -> Least {
    const MOST_DIGITS: usize = 400;
    loop {
        match found.up() {
            Least::Is(number) if number < 1 => return Least::Is(number),
            // One is true, and says a little.
            _ if found.digits >= MOST_DIGITS => {
                return Least::Unknown(NoNearest::NearerToOneThanPrinted);
            }
            _ => found.digits = found.digits.saturating_mul(2),
        }
    }
}

/// The greatest true lower bound of a probability; 0 says nothing.
fn greatest_above_zero(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown(NoNearest::OutOfTime),
        Some(found) if *found.enclosure.upper() <= 0 => Least::Nowhere,
        Some(found) if *found.enclosure.lower() <= 0 => found.unknown(),
        Some(found) => match lower_end(&found.enclosure, found.digits) {
            Some(number) if number > 0 => Least::Is(number),
            _ => found.unknown(),
        },
    }
}

impl Enclosed {
    /// Why the end that matters is not known.
    fn unknown(&self) -> Least {
        Least::Unknown(match self.ending {
            Ending::OutOfTime => NoNearest::OutOfTime,
            Ending::Exhausted => NoNearest::Exhausted,
            Ending::DoesNotFollow => NoNearest::DoesNotFollow,
            // As narrow as asked, and still with an end that says nothing.
            Ending::Reached => NoNearest::Between(
                self.enclosure.lower().clone(),
                self.enclosure.upper().clone(),
            ),
        })
    }

    /// 1 minus the lower end, where the upper end is not below 1 and a narrower enclosure is not out of reach.
    fn room_below_one(&self) -> Option<Rational> {
        let is_open = *self.enclosure.upper() >= 1 && self.ending == Ending::Reached;
        let lower = self.enclosure.lower().to_rational().filter(|_| is_open)?;
        let least = Rational::from((1, 1_000_000u32));
        Some(1 - lower).filter(|room| *room > least)
    }

    fn up(&self) -> Least {
        match upper_end(&self.enclosure, self.digits) {
            Some(number) => Least::Is(number),
            None => self.unknown(),
        }
    }
}

#[cfg(test)]
#[path = "nearest_tests.rs"]
mod tests;
