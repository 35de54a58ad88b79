//! Claims and quantities in the notation of papers.

use super::digits::{Digits, ends};
use super::mechanism::mechanism_line;
use super::table::short_interval;
use crate::bounds::Enclosure;
use crate::input::{ClaimEntry, GdpForm};
use crate::statement::{Claim, Quantity, Query, StatedClaim};

/// Digits of numbers on pictures.
const ON_PICTURES: Digits = Digits { least: 3, most: 5 };

/// An enclosure, in few digits.
pub fn interval_words(enclosure: &Enclosure) -> String {
    let (lower, upper) = ends(enclosure, ON_PICTURES);
    short_interval(&lower, &upper)
}

/// A quantity and its enclosure, in a few words.
pub fn enclosed(symbol: &str, enclosure: &Enclosure) -> String {
    let value = interval_words(enclosure);
    let sign = if value.starts_with('[') { "∈" } else { "=" };
    format!("{symbol} {sign} {value}")
}

/// The conditions of numbers, in one line.
pub fn provided(conditions: &[String]) -> String {
    format!("provided: {}", conditions.join("; "))
}

/// What was computed from the keys of a mechanism file, a line each.
pub fn computed(notes: &[String]) -> Vec<String> {
    let notes = notes.iter();
    notes
        .map(|note| format!("computed: {}", super::printable(note)))
        .collect()
}

/// A claim with its numbers as they are written.
pub fn claim(entry: &ClaimEntry) -> String {
    let numbers: Vec<(&str, &str)> = entry
        .numbers
        .iter()
        .map(|(key, text)| (key.as_str(), text.as_str()))
        .collect();
    claim_with(&entry.claim, &numbers)
}

/// A claim of the same kind and form as `claim`, with these numbers.
pub fn claim_with(claim: &Claim, numbers: &[(&str, &str)]) -> String {
    let given = |key: &str| {
        let found = numbers.iter().find(|(name, _)| *name == key);
        found.map(|(_, text)| text.trim().to_owned())
    };
    let log = || Some(format!("log {}", given("exp-epsilon")?));
    let written = |key: &str| {
        let other = || if key == "epsilon" { log() } else { None };
        given(key).or_else(other).unwrap_or_else(|| "?".to_owned())
    };
    match claim.stated() {
        StatedClaim::PureDp { .. } => format!("{}-DP", written("epsilon")),
        StatedClaim::ApproxDp { .. } => {
            format!("({}, {})-DP", written("epsilon"), written("delta"))
        }
        StatedClaim::Gdp { form, .. } => {
            let mu = written("mu");
            match form {
                GdpForm::Strict => format!("{mu}-GDP (strict)"),
                GdpForm::Tolerance(_) => format!("{mu}-GDP, tolerance {}", written("tolerance")),
                GdpForm::ErrorFloor(_) => {
                    format!("{mu}-GDP, error floor {}", written("error-floor"))
                }
            }
        }
        StatedClaim::Regret { .. } => {
            format!("regret of μ = {} ≤ {}", written("mu"), written("at-most"))
        }
        StatedClaim::Zcdp { .. } => format!("{}-zCDP", written("rho")),
        StatedClaim::Rdp { .. } => format!("({}, {})-RDP", written("order"), written("epsilon")),
        StatedClaim::Advantage { .. } => format!("advantage ≤ {}", written("at-most")),
        StatedClaim::TradeOff { .. } => format!("f({}) ≥ {}", written("alpha"), written("beta")),
        StatedClaim::DominatedBy { other, .. } => format!(
            "Δ(other‖M) ≤ {}, other: {}",
            written("at-most"),
            mechanism_line(other.mechanism())
        ),
    }
}

/// The quantity that was enclosed, with its arguments, for people.
pub fn quantity(entry: &ClaimEntry, query: &Query) -> String {
    let written = |key| entry.number_text(key).unwrap_or("?").trim();
    let symbol = symbol(&entry.claim);
    match entry.claim.stated() {
        StatedClaim::PureDp { .. } if !is_largest_loss(query) => {
            format!("δ({})", entry.epsilon_text().unwrap_or_default())
        }
        StatedClaim::ApproxDp { .. } => {
            format!("{symbol}({})", entry.epsilon_text().unwrap_or_default())
        }
        StatedClaim::TradeOff { .. } => format!("{symbol}({})", written("alpha")),
        _ => symbol.to_owned(),
    }
}

/// The same in a table, where the claim stands beside it: its arguments are those of the claim.
pub fn quantity_beside(entry: &ClaimEntry, query: &Query) -> String {
    match entry.claim.stated() {
        StatedClaim::PureDp { .. } if !is_largest_loss(query) => quantity(entry, query),
        _ => symbol(&entry.claim).to_owned(),
    }
}

/// The quantity that was enclosed, with its arguments as they are written in the claim, in JSON.
pub fn quantity_key(entry: &ClaimEntry, query: &Query) -> String {
    let written = |key| entry.number_text(key).unwrap_or("?").trim();
    match entry.claim.stated() {
        StatedClaim::PureDp { .. } if is_largest_loss(query) => "max-loss".to_owned(),
        StatedClaim::PureDp { .. } | StatedClaim::ApproxDp { .. } => {
            format!("delta({})", entry.epsilon_text().unwrap_or_default())
        }
        StatedClaim::Gdp { form, .. } => match form {
            GdpForm::Strict => "gdp-mu".to_owned(),
            GdpForm::Tolerance(_) => format!("gdp-mu(tolerance={})", written("tolerance")),
            GdpForm::ErrorFloor(_) => format!("gdp-mu(error-floor={})", written("error-floor")),
        },
        StatedClaim::Regret { .. } => format!("regret({})", written("mu")),
        StatedClaim::Zcdp { .. } => "zcdp-rho".to_owned(),
        StatedClaim::Rdp { .. } => format!("renyi({})", written("order")),
        StatedClaim::Advantage { .. } => "advantage".to_owned(),
        StatedClaim::TradeOff { .. } => format!("tradeoff({})", written("alpha")),
        StatedClaim::DominatedBy { .. } => "delta-divergence".to_owned(),
    }
}

/// Pure DP is a statement about the largest loss, or about δ(ε).
fn is_largest_loss(query: &Query) -> bool {
    matches!(query.quantity(), Quantity::MaxLoss)
}

/// The quantity that was enclosed, in one word.
pub fn symbol(claim: &Claim) -> &'static str {
    match claim.stated() {
        StatedClaim::PureDp { .. } => "largest loss",
        StatedClaim::ApproxDp { .. } => "δ",
        StatedClaim::Gdp { .. } => "μ",
        StatedClaim::Advantage { .. } => "advantage",
        StatedClaim::TradeOff { .. } => "f",
        StatedClaim::Regret { .. } => "regret",
        StatedClaim::Zcdp { .. } => "ρ",
        StatedClaim::Rdp { .. } => "Rényi divergence",
        StatedClaim::DominatedBy { .. } => "Δ",
    }
}
