//! What would have been true: the nearest true claim to a refuted one.

use rug::{Integer, Rational};

use super::inequality::Inequality;
use super::judge::answered;
use super::rounded::{lower_end, upper_end};
use super::{Analyst, Nearest};
use crate::analysis::{Ending, Goal, Method, Quantity, Resources};
use crate::bounds::{Enclosure, Target};
use crate::input::{Claim, ClaimEntry};
use crate::kernel::InvariantViolation;
use crate::number::{float_down, float_up};

/// Digits of the ends of an enclosure in a sentence.
const ENOUGH_DIGITS: usize = 6;

/// Significant digits of the numbers of the nearest true claim, at least.
const LEAST_DIGITS: u32 = 5;

/// And at most, however many digits the claim has.
const MOST_DIGITS: u32 = 25;

/// Of a number below 1 that would be printed as 1.
const TOO_NEAR: &str = "it is nearer to 1 than 400 digits can say";
const NO_TIME: &str = "not found within the budget";

const NOT_NARROWER: &str = "no such number is certain, and dpcmp cannot narrow it further";

const NOT_STATED: &str = "no such number follows from what is stated";

/// The nearest true claim of the same kind, its number rounded to the side where it stays true.
pub(super) fn nearest_true(
    entry: &ClaimEntry,
    analyst: &dyn Analyst,
    resources: &Resources<'_>,
    detail: &Target,
) -> Result<Nearest, InvariantViolation> {
    let enclose = |quantity: &Quantity, key: &str| {
        let digits = digits_of_claim(entry, key);
        enclose(analyst, quantity, resources, detail, digits)
    };
    // A width that suits the size of the number may be too wide to tell it from 1.
    let below_one = |quantity: &Quantity, key: &str| {
        let first = enclose(quantity, key)?;
        let Some(room) = first.as_ref().and_then(Enclosed::room_below_one) else {
            return Ok(first);
        };
        let digits = digits_of_claim(entry, key);
        let target = Target::Absolute(room / 16u32);
        super::nearest::enclose(analyst, quantity, resources, &target, digits)
    };
    let with = |key: &str, least: Least, claim: &dyn Fn(Rational) -> Claim| match least {
        Least::Is(number) => Nearest::just(claim(number)),
        Least::Nowhere => Nearest::Nothing(format!("no finite {key} is true")),
        Least::Unknown(why) => Nearest::Nothing(why),
    };
    Ok(match &entry.claim {
        Claim::PureDp { .. } => {
            let epsilon = least(enclose(&Quantity::MaxLoss, "epsilon")?);
            with("epsilon", epsilon, &|epsilon| Claim::PureDp {
                epsilon: epsilon.into(),
            })
        }
        Claim::Gdp { form, .. } => {
            let mu = least(enclose(&Quantity::GdpMu(form.clone()), "mu")?);
            with("mu", mu, &|mu| Claim::Gdp {
                mu,
                form: form.clone(),
            })
        }
        Claim::Advantage { .. } => {
            match least_below_one(below_one(&Quantity::Advantage, "at-most")?) {
                Least::Is(at_most) => Nearest::just(Claim::Advantage { at_most }),
                // 1 is true of every mechanism.
                Least::Nowhere => Nearest::Nothing("no at-most below 1 is true".to_owned()),
                Least::Unknown(why) => Nearest::Nothing(why),
            }
        }
        Claim::TradeOff { alpha, .. } => {
            let at = alpha.clone();
            let quantity = Quantity::TradeOff { alpha: at };
            match greatest_above_zero(enclose(&quantity, "beta")?) {
                Least::Is(beta) => Nearest::just(Claim::TradeOff {
                    alpha: alpha.clone(),
                    beta,
                }),
                Least::Nowhere => Nearest::Nothing("no beta above 0 is true".to_owned()),
                Least::Unknown(why) => Nearest::Nothing(why),
            }
        }
        Claim::ApproxDp { epsilon, delta } => {
            let quantity = Quantity::Epsilon {
                delta: delta.clone(),
            };
            let least_epsilon = least(enclose(&quantity, "epsilon")?);
            let at = Quantity::Delta(epsilon.clone());
            let least_delta = least_below_one(below_one(&at, "delta")?);
            let keeping_delta = |epsilon: Rational| Claim::ApproxDp {
                epsilon: epsilon.into(),
                delta: delta.clone(),
            };
            let keeping_epsilon = |delta| Claim::ApproxDp {
                epsilon: epsilon.clone(),
                delta,
            };
            match (least_epsilon, least_delta) {
                (Least::Is(epsilon), Least::Is(delta)) => Nearest::Claim {
                    nearest: Box::new(keeping_delta(epsilon)),
                    other: Some(Box::new(keeping_epsilon(delta))),
                },
                (Least::Is(epsilon), _) => Nearest::just(keeping_delta(epsilon)),
                (_, Least::Is(delta)) => Nearest::just(keeping_epsilon(delta)),
                (Least::Unknown(why), _) | (_, Least::Unknown(why)) => Nearest::Nothing(why),
                (Least::Nowhere, Least::Nowhere) => {
                    Nearest::Nothing("no delta below 1 is true at any epsilon".to_owned())
                }
            }
        }
        Claim::Regret { mu, .. } => {
            let claimed = Inequality::of(&entry.claim);
            let bound = least(enclose(&claimed.quantity, "at-most")?);
            with("at-most", bound, &|at_most| Claim::Regret {
                mu: mu.clone(),
                at_most,
            })
        }
        Claim::DominatedBy { mechanism, .. } => {
            let claimed = Inequality::of(&entry.claim);
            let bound = least(enclose(&claimed.quantity, "at-most")?);
            with("at-most", bound, &|at_most| Claim::DominatedBy {
                mechanism: mechanism.clone(),
                at_most,
            })
        }
        Claim::Zcdp { .. } => {
            let rho = least(enclose(&Quantity::ZcdpRho, "rho")?);
            with("rho", rho, &|rho| Claim::Zcdp { rho })
        }
        Claim::Rdp { order, .. } => {
            let claimed = Inequality::of(&entry.claim);
            let epsilon = least(enclose(&claimed.quantity, "epsilon")?);
            with("epsilon", epsilon, &|epsilon| Claim::Rdp {
                order: order.clone(),
                epsilon,
            })
        }
    })
}

/// An enclosure and how many of its digits to print.
struct Enclosed {
    enclosure: Enclosure,
    digits: usize,
    ending: Ending,
}

/// Encloses to the width `detail`; closed forms, which are cheap, to the digits of the claim.
fn enclose(
    analyst: &dyn Analyst,
    quantity: &Quantity,
    resources: &Resources<'_>,
    detail: &Target,
    digits_of_claim: u32,
) -> Result<Option<Enclosed>, InvariantViolation> {
    let ask = |target: Target| answered(analyst.answer(quantity, &Goal::Width(target), resources));
    let Some(first) = ask(detail.clone())? else {
        return Ok(None);
    };
    let (mut enclosure, mut ending) = (first.enclosure, first.ending);
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
    Unknown(String),
}

/// The least true upper bound of a quantity without a natural maximum.
fn least(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown(NO_TIME.to_owned()),
        Some(found) if found.enclosure.upper().is_finite() => found.up(),
        Some(found) if found.enclosure.lower().is_infinite() => Least::Nowhere,
        Some(found) => found.unknown(),
    }
}

/// The least true upper bound of a probability; 1 says nothing.
fn least_below_one(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown(NO_TIME.to_owned()),
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
            _ if found.digits >= MOST_DIGITS => return Least::Unknown(TOO_NEAR.to_owned()),
            _ => found.digits = found.digits.saturating_mul(2),
        }
    }
}

/// The greatest true lower bound of a probability; 0 says nothing.
fn greatest_above_zero(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown(NO_TIME.to_owned()),
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
        let lower = || float_down(self.enclosure.lower(), ENOUGH_DIGITS);
        let upper = || float_up(self.enclosure.upper(), ENOUGH_DIGITS);
        Least::Unknown(match self.ending {
            Ending::OutOfTime => NO_TIME.to_owned(),
            Ending::Exhausted => NOT_NARROWER.to_owned(),
            Ending::DoesNotFollow => NOT_STATED.to_owned(),
            // As narrow as asked, and still with an end that says nothing.
            Ending::Reached => format!(
                "no such number is certain: the value lies between {} and {}",
                lower(),
                upper()
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
