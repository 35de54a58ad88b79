//! Claims and quantities in the notation of papers.

use super::digits::{Digits, ends};
use super::table::short_interval;
use crate::bounds::Enclosure;
use crate::input::{Claim, ClaimEntry, GdpForm};

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
    match claim {
        Claim::PureDp { .. } => format!("{}-DP", written("epsilon")),
        Claim::ApproxDp { .. } => format!("({}, {})-DP", written("epsilon"), written("delta")),
        Claim::Gdp { form, .. } => {
            let mu = written("mu");
            match form {
                GdpForm::Strict => format!("{mu}-GDP (strict)"),
                GdpForm::Tolerance(_) => format!("{mu}-GDP, tolerance {}", written("tolerance")),
                GdpForm::ErrorFloor(_) => {
                    format!("{mu}-GDP, error floor {}", written("error-floor"))
                }
            }
        }
        Claim::Regret { .. } => {
            format!("regret of μ = {} ≤ {}", written("mu"), written("at-most"))
        }
        Claim::Zcdp { .. } => format!("{}-zCDP", written("rho")),
        Claim::Rdp { .. } => format!("({}, {})-RDP", written("order"), written("epsilon")),
        Claim::Advantage { .. } => format!("advantage ≤ {}", written("at-most")),
        Claim::TradeOff { .. } => format!("f({}) ≥ {}", written("alpha"), written("beta")),
        Claim::DominatedBy { .. } => format!("Δ(other‖M) ≤ {}", written("at-most")),
    }
}

/// The quantity that was enclosed, with its arguments. `name` is that of the verdict: an equality of pure DP is one of δ.
pub fn quantity(entry: &ClaimEntry, name: &str) -> String {
    let written = |key| entry.number_text(key).unwrap_or("?").trim();
    let symbol = symbol(&entry.claim);
    match &entry.claim {
        Claim::PureDp { .. } if name != "max-loss" => {
            format!("δ({})", entry.epsilon_text().unwrap_or_default())
        }
        Claim::ApproxDp { .. } => {
            format!("{symbol}({})", entry.epsilon_text().unwrap_or_default())
        }
        Claim::TradeOff { .. } => format!("{symbol}({})", written("alpha")),
        _ => symbol.to_owned(),
    }
}

/// The quantity that was enclosed, in one word.
pub fn symbol(claim: &Claim) -> &'static str {
    match claim {
        Claim::PureDp { .. } => "largest loss",
        Claim::ApproxDp { .. } => "δ",
        Claim::Gdp { .. } => "μ",
        Claim::Advantage { .. } => "advantage",
        Claim::TradeOff { .. } => "f",
        Claim::Regret { .. } => "regret",
        Claim::Zcdp { .. } => "ρ",
        Claim::Rdp { .. } => "Rényi divergence",
        Claim::DominatedBy { .. } => "Δ",
    }
}
