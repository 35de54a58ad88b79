//! Where a refuted claim fails.

use rug::Float;

use super::inequality::{Inequality, Relation};
use crate::analysis::{Answer, Witness};
use crate::input::{Claim, ClaimEntry};
use crate::number::{decimal_up, float_down, float_up, parse_rational};

/// Digits of a witness: enough that rounding it does not lose the violation, as a rule.
const DIGITS: usize = 17;

/// Digits of a number that must stay below a bound, at most.
const MOST_DIGITS: usize = 320;

/// False-positive rates below 2^-1000 are no floating-point numbers: they are given by their logarithm.
const SMALLEST_EXPONENT: i32 = -1000;

/// The place at which the claim fails, by name.
pub(super) fn witness(entry: &ClaimEntry, answer: &Answer) -> Vec<(&'static str, String)> {
    let written = |key: &'static str| (key, entry.number_text(key).unwrap_or("?").to_owned());
    match &entry.claim {
        // δ is positive (pure DP) or above the claimed δ at the ε of the claim itself.
        Claim::PureDp { .. } | Claim::ApproxDp { .. } => vec![written("epsilon")],
        // The advantage is δ(0).
        Claim::Advantage { .. } => vec![("epsilon", "0".to_owned())],
        Claim::Rdp { .. } => vec![written("order")],
        Claim::TradeOff { .. } => {
            let beta = ("beta", above_the_curve(&entry.claim, answer));
            vec![written("alpha"), beta]
        }
        Claim::Gdp { .. }
        | Claim::Regret { .. }
        | Claim::Zcdp { .. }
        | Claim::DominatedBy { .. } => answer.witness.as_ref().map_or_else(Vec::new, place),
    }
}

/// An upper bound of f(α), printed with enough digits to be below the claimed β.
fn above_the_curve(claim: &Claim, answer: &Answer) -> String {
    let print = |digits| match answer.enclosure.exact() {
        Some(value) => decimal_up(value, digits),
        None => float_up(answer.enclosure.upper(), digits),
    };
    let mut digits = DIGITS;
    loop {
        let text = print(digits);
        let claimed = Inequality::of(claim);
        let still_below = parse_rational(&text).map_or(true, |beta| {
            claimed.relation == Relation::AtLeast && beta < claimed.bound
        });
        if still_below || digits >= MOST_DIGITS {
            return text;
        }
        digits = digits.saturating_mul(2);
    }
}

fn place(witness: &Witness) -> Vec<(&'static str, String)> {
    match witness {
        Witness::Epsilon(epsilon) => vec![("epsilon", float_up(epsilon, DIGITS))],
        Witness::Order(order) => vec![("order", order.to_string())],
        Witness::Theorem(words) => vec![("theorem", words.clone())],
        Witness::Prior { prior, epsilon } => vec![
            ("prior", float_up(prior, DIGITS)),
            ("epsilon", float_up(epsilon, DIGITS)),
        ],
        Witness::Point { alpha, beta } => {
            let rest = Float::with_val_round(beta.prec(), 1 - beta, rug::float::Round::Down).0;
            let tiny = |x: &Float| {
                x.get_exp()
                    .is_some_and(|exponent| exponent < SMALLEST_EXPONENT)
            };
            let alpha_text = if tiny(alpha) {
                ("log10-alpha", float_up(&log10_up(alpha), DIGITS))
            } else {
                ("alpha", float_up(alpha, DIGITS))
            };
            // f falls, so rounding both up keeps f(α) ≤ β true; β keeps its distance from 1.
            let beta_text = if tiny(&rest) || tiny(alpha) {
                (
                    "log10-one-minus-beta",
                    float_down(&log10_down(&rest), DIGITS),
                )
            } else {
                let nines = rest.get_exp().map_or(0, |e| e.min(0).unsigned_abs() / 3);
                let digits = DIGITS.saturating_add(usize::try_from(nines).unwrap_or(0));
                ("beta", float_up(beta, digits))
            };
            vec![alpha_text, beta_text]
        }
    }
}

fn log10_up(x: &Float) -> Float {
    Float::with_val_round(64, x.log10_ref(), rug::float::Round::Up).0
}

fn log10_down(x: &Float) -> Float {
    Float::with_val_round(64, x.log10_ref(), rug::float::Round::Down).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_beyond_any_float_is_given_by_logarithms() {
        let tiny = Float::with_val(64, 1) >> 4000u32;
        let beta = Float::with_val(5000, 1) - (Float::with_val(5000, 1) >> 3000u32);
        let found = place(&Witness::Point { alpha: tiny, beta });
        assert_eq!(
            found,
            [
                ("log10-alpha", "-1204.1199826559247".to_owned()),
                ("log10-one-minus-beta", "-903.08998699194359".to_owned()),
            ]
        );
    }

    #[test]
    fn an_ordinary_point_is_rounded_to_the_side_where_it_stays_true() {
        let third = Float::with_val(64, 1) / 3u32;
        let found = place(&Witness::Point {
            alpha: third.clone(),
            beta: third,
        });
        assert_eq!(
            found,
            [
                ("alpha", "0.33333333333333334".to_owned()),
                ("beta", "0.33333333333333334".to_owned()),
            ]
        );
    }
}
