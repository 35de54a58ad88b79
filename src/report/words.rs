//! Claims and quantities in the notation of papers.

use crate::input::{Claim, ClaimEntry, GdpForm};
use crate::verdict::Verdict;

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
    let written = |key: &str| {
        let found = numbers.iter().find(|(name, _)| *name == key);
        found.map_or("?", |(_, text)| text.trim())
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

/// The quantity that was enclosed.
pub fn quantity(entry: &ClaimEntry, verdict: &Verdict) -> String {
    let written = |key| entry.number_text(key).unwrap_or("?").trim();
    match &entry.claim {
        Claim::PureDp { .. } => "largest loss".to_owned(),
        Claim::ApproxDp { .. } => format!("δ({})", written("epsilon")),
        Claim::Gdp { .. } => "μ".to_owned(),
        Claim::Advantage { .. } => "advantage".to_owned(),
        Claim::TradeOff { .. } => format!("f({})", written("alpha")),
        Claim::Regret { .. } => "regret".to_owned(),
        Claim::Zcdp { .. } => "ρ".to_owned(),
        Claim::Rdp { .. } => format!("D_{}", written("order")),
        Claim::DominatedBy { .. } => verdict.quantity.clone(),
    }
}
