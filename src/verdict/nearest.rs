//! What would have been true: the nearest true claim to a refuted one, and misses within the rounding of print.

use rug::{Integer, Rational};

use super::inequality::{Decision, Inequality, Relation, gdp_form};
use super::judge::{answered, ask};
use super::{Analyst, Nearest};
use crate::analysis::{Goal, Means, Method, Quantity};
use crate::bounds::{Enclosure, LossAxis, Target};
use crate::input::{Claim, ClaimEntry};
use crate::kernel::InvariantViolation;
use crate::number::{
    decimal_down, decimal_up, float_down, float_up, half_last_digit, parse_rational,
};

/// Significant digits of the numbers of the nearest true claim, at least.
const LEAST_DIGITS: u32 = 5;

/// And at most, however many digits the claim has.
const MOST_DIGITS: u32 = 25;

const NO_TIME: &str = "not found within the budget";

/// The nearest true claim of the same kind, its number rounded to the side where it stays true.
pub(super) fn nearest_true(
    entry: &ClaimEntry,
    analyst: &dyn Analyst,
    means: &Means<'_>,
    detail: &Target,
) -> Result<Nearest, InvariantViolation> {
    let enclose = |quantity: &Quantity, key: &str| {
        let digits = digits_of_claim(entry, key);
        enclose(analyst, quantity, means, detail, digits)
    };
    let written = |key: &'static str| {
        let text = entry.number_text(key)?;
        Some((key, text.to_owned()))
    };
    let with = |key: &'static str, least: Least, others: &[&'static str]| match least {
        Least::Is(text) => {
            let others = others.iter().filter_map(|key| written(key));
            Nearest::Claim([(key, text)].into_iter().chain(others).collect())
        }
        Least::Nowhere => Nearest::Nothing(format!("no finite {key} is true")),
        Least::Unknown => Nearest::Nothing(NO_TIME.to_owned()),
    };
    Ok(match &entry.claim {
        Claim::PureDp { .. } => with(
            "epsilon",
            least(enclose(&Quantity::MaxLoss, "epsilon")?),
            &[],
        ),
        Claim::Gdp { form, .. } => {
            let mu = least(enclose(&Quantity::GdpMu(gdp_form(form)), "mu")?);
            with("mu", mu, &["tolerance", "error-floor"])
        }
        Claim::Advantage { .. } => with(
            "at-most",
            least_below_one(enclose(&Quantity::Advantage, "at-most")?),
            &[],
        ),
        Claim::TradeOff { alpha, .. } => {
            let alpha = alpha.clone();
            let beta = greatest_above_zero(enclose(&Quantity::TradeOff { alpha }, "beta")?);
            match beta {
                Least::Is(beta) => {
                    let alpha = written("alpha").into_iter();
                    Nearest::Claim(alpha.chain([("beta", beta)]).collect())
                }
                Least::Nowhere => Nearest::Nothing("no beta above 0 is true".to_owned()),
                Least::Unknown => Nearest::Nothing(NO_TIME.to_owned()),
            }
        }
        Claim::ApproxDp { epsilon, delta } => {
            let delta = delta.clone();
            let least_epsilon = least(enclose(&Quantity::Epsilon { delta }, "epsilon")?);
            let at = LossAxis::Epsilon(epsilon.clone());
            let least_delta = least_below_one(enclose(&Quantity::Delta(at), "delta")?);
            match (least_epsilon, least_delta) {
                (Least::Is(epsilon), Least::Is(at_epsilon)) => {
                    let delta = written("delta");
                    let claim = [("epsilon", epsilon)].into_iter().chain(delta);
                    Nearest::Claim(claim.chain([("delta-at-epsilon", at_epsilon)]).collect())
                }
                (Least::Is(epsilon), _) => with("epsilon", Least::Is(epsilon), &["delta"]),
                (_, Least::Is(delta)) => {
                    let epsilon = written("epsilon").into_iter();
                    Nearest::Claim(epsilon.chain([("delta", delta)]).collect())
                }
                (Least::Unknown, _) | (_, Least::Unknown) => Nearest::Nothing(NO_TIME.to_owned()),
                (Least::Nowhere, Least::Nowhere) => {
                    Nearest::Nothing("no delta below 1 is true at any epsilon".to_owned())
                }
            }
        }
        Claim::Regret { .. } | Claim::DominatedBy { .. } => {
            let claimed = Inequality::of(&entry.claim);
            let bound = least(enclose(&claimed.quantity, "at-most")?);
            with("at-most", bound, &["mu"])
        }
        Claim::Zcdp { .. } => with("rho", least(enclose(&Quantity::ZcdpRho, "rho")?), &[]),
        Claim::Rdp { .. } => {
            let claimed = Inequality::of(&entry.claim);
            let epsilon = least(enclose(&claimed.quantity, "epsilon")?);
            with("epsilon", epsilon, &["order"])
        }
    })
}

/// Would the claim be true with its printed number half a unit of the last digit weaker?
///
/// For approx-dp either number may have been rounded. A doubt counts as no.
pub(super) fn hides_in_rounding(
    entry: &ClaimEntry,
    claimed: &Inequality,
    analyst: &dyn Analyst,
    means: &Means<'_>,
) -> Result<bool, InvariantViolation> {
    for weaker in weaker_claims(entry, claimed) {
        let holds = ask(analyst, &weaker, means)?
            .is_some_and(|answer| matches!(weaker.decide(&answer.enclosure), Decision::Holds(_)));
        if holds {
            return Ok(true);
        }
    }
    Ok(false)
}

fn weaker_claims(entry: &ClaimEntry, claimed: &Inequality) -> Vec<Inequality> {
    let hidden_in = |key: &str| entry.number_text(key).and_then(half_last_digit);
    let mut weaker = Vec::new();
    let bound_key = match &entry.claim {
        Claim::ApproxDp { epsilon, .. } => {
            if let Some(half) = hidden_in("epsilon") {
                let at = LossAxis::Epsilon(epsilon + half);
                weaker.push(Inequality {
                    quantity: Quantity::Delta(at),
                    ..claimed.clone()
                });
            }
            "delta"
        }
        Claim::PureDp { .. } | Claim::Rdp { .. } => "epsilon",
        Claim::Gdp { .. } => "mu",
        Claim::TradeOff { .. } => "beta",
        Claim::Zcdp { .. } => "rho",
        Claim::Advantage { .. } | Claim::Regret { .. } | Claim::DominatedBy { .. } => "at-most",
    };
    if let Some(half) = hidden_in(bound_key) {
        let bound = match claimed.relation {
            Relation::AtMost => &claimed.bound + half,
            Relation::AtLeast => &claimed.bound - half,
        };
        weaker.push(claimed.with_bound(bound));
    }
    weaker
}

/// An enclosure and how many of its digits to print.
struct Enclosed {
    enclosure: Enclosure,
    digits: usize,
}

/// Encloses to the width `detail`; closed forms, which are cheap, to the digits of the claim.
fn enclose(
    analyst: &dyn Analyst,
    quantity: &Quantity,
    means: &Means<'_>,
    detail: &Target,
    digits_of_claim: u32,
) -> Result<Option<Enclosed>, InvariantViolation> {
    let ask = |target: Target| answered(analyst.answer(quantity, &Goal::Width(target), means));
    let Some(first) = ask(detail.clone())? else {
        return Ok(None);
    };
    let mut enclosure = first.enclosure;
    if digits_of_claim > LEAST_DIGITS && !matches!(first.method, Method::Laws { .. }) {
        let unit = Integer::from(Integer::u_pow_u(10, digits_of_claim));
        if let Some(second) = ask(Target::Relative(Rational::from((1, unit))))? {
            enclosure = enclosure.intersect(&second.enclosure)?;
        }
    }
    let digits = resolved_digits(&enclosure).clamp(LEAST_DIGITS, digits_of_claim);
    Ok(Some(Enclosed {
        digits: usize::try_from(digits).unwrap_or(1),
        enclosure,
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
    Is(String),
    /// No value is true, or only one that says nothing.
    Nowhere,
    /// There was no time to find it.
    Unknown,
}

/// The least true upper bound of a quantity without a natural maximum.
fn least(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown,
        Some(found) if found.enclosure.upper().is_finite() => Least::Is(found.up()),
        Some(found) if found.enclosure.lower().is_infinite() => Least::Nowhere,
        Some(_) => Least::Unknown,
    }
}

/// The least true upper bound of a probability; 1 says nothing.
fn least_below_one(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown,
        Some(found) if *found.enclosure.lower() >= 1 => Least::Nowhere,
        Some(found) if *found.enclosure.upper() >= 1 => Least::Unknown,
        Some(found) => below_one(found),
    }
}

/// The printed number, with as many digits as it takes not to be rounded up to 1.
fn below_one(mut found: Enclosed) -> Least {
    const MOST_DIGITS: usize = 400;
    loop {
        let text = found.up();
        match parse_rational(&text) {
            Ok(printed) if printed < 1 => return Least::Is(text),
            _ if found.digits >= MOST_DIGITS => return Least::Nowhere,
            _ => found.digits = found.digits.saturating_mul(2),
        }
    }
}

/// The greatest true lower bound of a probability; 0 says nothing.
fn greatest_above_zero(found: Option<Enclosed>) -> Least {
    match found {
        None => Least::Unknown,
        Some(found) if *found.enclosure.upper() <= 0 => Least::Nowhere,
        Some(found) if *found.enclosure.lower() <= 0 => Least::Unknown,
        Some(found) => Least::Is(found.down()),
    }
}

impl Enclosed {
    fn up(&self) -> String {
        match self.enclosure.exact() {
            Some(value) => decimal_up(value, self.digits),
            None => float_up(self.enclosure.upper(), self.digits),
        }
    }

    fn down(&self) -> String {
        match self.enclosure.exact() {
            Some(value) => decimal_down(value, self.digits),
            None => float_down(self.enclosure.lower(), self.digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, judge_with};
    use crate::verdict::{Nearest, Outcome, Refutation};
    use rug::Rational;

    fn refuted(fake: &Fake, text: &str) -> Refutation {
        match judge_with(fake, text).outcome {
            Outcome::Refuted(refutation) => refutation,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn claim(numbers: &[(&'static str, &str)]) -> Nearest {
        let owned = numbers.iter().map(|(key, text)| (*key, (*text).to_owned()));
        Nearest::Claim(owned.collect())
    }

    #[test]
    fn approx_dp_names_both_ways_out() {
        let fake = Fake::new()
            .delta("8", (0.125, 0.1328125))
            .epsilon((8.5, 8.53125));
        let refutation = refuted(&fake, "approx-dp:epsilon=8,delta=0.0625");
        assert_eq!(
            refutation.nearest,
            claim(&[
                ("epsilon", "8.5313"),
                ("delta", "0.0625"),
                ("delta-at-epsilon", "0.13282")
            ])
        );
        assert_eq!(refutation.witness, [("epsilon", "8".to_owned())]);
    }

    #[test]
    fn without_a_finite_epsilon_only_delta_can_give_way() {
        let fake = Fake::new().delta("8", (0.125, 0.125)).epsilon_infinite();
        let refutation = refuted(&fake, "approx-dp:epsilon=8,delta=0.0625");
        assert_eq!(
            refutation.nearest,
            claim(&[("epsilon", "8"), ("delta", "0.125")])
        );
    }

    /// 25 printed digits deserve more than 5.
    #[test]
    fn a_claim_of_many_digits_gets_as_many() {
        let exact = Rational::from((1, 3));
        let fake = Fake::new().advantage_exactly(exact);
        let refutation = refuted(&fake, "advantage:at-most=0.33333333");
        assert_eq!(refutation.nearest, claim(&[("at-most", "0.333333334")]));
        let refutation = refuted(&fake, "advantage:at-most=0.33");
        assert_eq!(refutation.nearest, claim(&[("at-most", "0.33334")]));
    }

    #[test]
    fn gdp_keeps_its_form() {
        let fake = Fake::new().mu((1.5625, 1.5654321));
        let refutation = refuted(&fake, "gdp:mu=1.5,tolerance=1e-10");
        assert_eq!(
            refutation.nearest,
            claim(&[("mu", "1.5655"), ("tolerance", "1e-10")])
        );
    }

    #[test]
    fn an_unbounded_loss_has_no_nearest_epsilon() {
        let fake = Fake::new().max_loss_infinite();
        let refutation = refuted(&fake, "pure-dp:epsilon=3");
        assert_eq!(
            refutation.nearest,
            Nearest::Nothing("no finite epsilon is true".to_owned())
        );
        assert!(!refutation.rounding_of_printed_digits);
        assert_eq!(refutation.witness, [("epsilon", "3".to_owned())]);
    }

    /// The true δ at 8 is 0.0626: 0.06 and 0.063 differ in whether half a last digit reaches it.
    #[test]
    fn a_miss_within_the_printed_digits_of_delta() {
        let fake = Fake::new()
            .delta("8", (0.0625, 0.06275))
            .epsilon((8.5, 8.53125));
        for (delta, hidden) in [("0.06", true), ("0.060", false), ("0.0624", false)] {
            let text = format!("approx-dp:epsilon=8.0,delta={delta}");
            let refutation = refuted(&fake, &text);
            assert_eq!(refutation.rounding_of_printed_digits, hidden, "{delta}");
        }
    }

    #[test]
    fn a_miss_within_the_printed_digits_of_epsilon() {
        let fake = Fake::new()
            .delta("7.4", (0.0625, 0.0625))
            .delta("7.45", (0.03125, 0.03125))
            .delta("7.405", (0.0615, 0.0615));
        let fake = fake.epsilon((7.4375, 7.4375));
        let printed = |epsilon: &str| {
            let text = format!("approx-dp:epsilon={epsilon},delta=0.0400000");
            refuted(&fake, &text).rounding_of_printed_digits
        };
        assert!(printed("7.4"));
        assert!(!printed("7.40"));
    }

    #[test]
    fn a_miss_within_the_printed_digits_of_the_other_kinds() {
        let fake = Fake::new()
            .mu((1.5703125, 1.5703125))
            .trade_off((0.125, 0.125));
        for (text, hidden) in [
            ("gdp:mu=1.57", true),
            ("gdp:mu=1.570", true),
            ("gdp:mu=1.5700", false),
            ("trade-off:alpha=0.1,beta=0.13", true),
            ("trade-off:alpha=0.1,beta=0.130", false),
        ] {
            assert_eq!(
                refuted(&fake, text).rounding_of_printed_digits,
                hidden,
                "{text}"
            );
        }
    }
}
