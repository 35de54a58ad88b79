//! Where a refuted claim fails and what would be true, as numbers by name: those that stand in the claim as they are written there.

use rug::Rational;

use crate::input::ClaimEntry;
use crate::mechanism::Epsilon;
use crate::number::{MAX_CHARACTERS, decimal_down, decimal_up, float_up, parse_rational};
use crate::statement::{Claim, StatedClaim};
use crate::verdict::{Coordinate, Counterexample};

/// Digits of numbers that are no short decimals.
const DIGITS: usize = 17;

/// Where it fails.
pub(super) fn counterexample(
    entry: &ClaimEntry,
    found: &Counterexample,
) -> Vec<(&'static str, String)> {
    match found {
        Counterexample::Epsilon(epsilon) => {
            let (key, value) = epsilon.entry();
            vec![as_written(entry, key, value)]
        }
        Counterexample::Order(order) => {
            let written = entry.number_text("order").map(str::to_owned);
            vec![("order", written.unwrap_or_else(|| order.to_string()))]
        }
        Counterexample::Theorem(words) => vec![("theorem", words.clone())],
        Counterexample::Prior { prior, epsilon } => vec![
            ("prior", float_up(prior, DIGITS)),
            ("epsilon", float_up(epsilon, DIGITS)),
        ],
        Counterexample::Point { alpha, beta } => vec![
            match alpha {
                Coordinate::Number(alpha) => as_written(entry, "alpha", alpha),
                Coordinate::Log10(log) => ("log10-alpha", decimal(log)),
            },
            match beta {
                Coordinate::Number(beta) => ("beta", decimal(beta)),
                Coordinate::Log10(log) => ("log10-one-minus-beta", decimal(log)),
            },
        ],
    }
}

/// What would be true.
pub(super) fn nearest(entry: &ClaimEntry, claim: &Claim) -> Vec<(&'static str, String)> {
    let number = |key, value| as_written(entry, key, value);
    let epsilon_of = |epsilon: &Epsilon| {
        let (key, value) = epsilon.entry();
        as_written(entry, key, value)
    };
    // Numbers that every nearest claim shares with the one refuted.
    let kept = |keys: &[&'static str]| -> Vec<(&'static str, String)> {
        let written = |key: &&'static str| Some((*key, entry.number_text(key)?.to_owned()));
        keys.iter().filter_map(written).collect()
    };
    let (solved, others) = match claim.stated() {
        StatedClaim::PureDp { epsilon } => (vec![epsilon_of(epsilon)], kept(&[])),
        StatedClaim::ApproxDp { epsilon, delta } => {
            (vec![epsilon_of(epsilon), number("delta", delta)], kept(&[]))
        }
        StatedClaim::Gdp { mu, .. } => {
            (vec![number("mu", mu)], kept(&["tolerance", "error-floor"]))
        }
        StatedClaim::Regret { at_most, .. } => (vec![number("at-most", at_most)], kept(&["mu"])),
        StatedClaim::Zcdp { rho } => (vec![number("rho", rho)], kept(&[])),
        StatedClaim::Rdp { epsilon, .. } => (vec![number("epsilon", epsilon)], kept(&["order"])),
        StatedClaim::Advantage { at_most } | StatedClaim::DominatedBy { at_most, .. } => {
            (vec![number("at-most", at_most)], kept(&[]))
        }
        StatedClaim::TradeOff { alpha, beta } => (
            vec![number("alpha", alpha), number("beta", beta)],
            kept(&[]),
        ),
    };
    solved.into_iter().chain(others).collect()
}

/// The number as the claim has it, if it is that one.
fn as_written(entry: &ClaimEntry, key: &'static str, value: &Rational) -> (&'static str, String) {
    let written = entry.number_text(key);
    let is_it = |text: &&str| parse_rational(text).is_ok_and(|number| number == *value);
    match written.filter(is_it) {
        Some(text) => (key, text.to_owned()),
        None => (key, decimal(value)),
    }
}

/// These are decimals of a few digits, but for numbers far beyond what is read.
pub(super) fn decimal(value: &Rational) -> String {
    let text = decimal_down(value, MAX_CHARACTERS);
    if text == decimal_up(value, MAX_CHARACTERS) {
        text
    } else {
        decimal_up(value, DIGITS)
    }
}
