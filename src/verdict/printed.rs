//! Misses within the rounding of printed numbers.

use super::Analyst;
use super::inequality::{Decision, Inequality, Relation};
use super::judge::ask;
use crate::analysis::Resources;
use crate::input::ClaimEntry;
use crate::kernel::InvariantViolation;
use crate::mechanism::{Epsilon, StatedEpsilon};
use crate::number::half_last_digit;
use crate::statement::{Claim, Query, StatedClaim};

/// Would the claim be true with its printed number half a unit of the last digit weaker?
///
/// For approx-dp either number may have been rounded. A doubt counts as no.
pub(super) fn within_printed_rounding(
    entry: &ClaimEntry,
    claimed: &Inequality,
    analyst: &dyn Analyst,
    resources: &Resources<'_>,
) -> Result<bool, InvariantViolation> {
    for weaker in weaker_claims(entry, claimed) {
        let holds = ask(analyst, &weaker, resources)?
            .is_some_and(|answer| matches!(weaker.decide(&answer.enclosure), Decision::Holds(_)));
        if holds {
            return Ok(true);
        }
    }
    Ok(false)
}

fn weaker_claims(entry: &ClaimEntry, claimed: &Inequality) -> Vec<Inequality> {
    let hidden_in = |key: &str| {
        let text = entry.number_text(key)?;
        // Nobody rounds to nothing, or to a certainty.
        let is_certain = text == "1" && matches!(key, "delta" | "beta" | "at-most");
        half_last_digit(text).filter(|_| text != "0" && !is_certain)
    };
    let mut weaker = Vec::new();
    let bound_key = match entry.claim.stated() {
        StatedClaim::ApproxDp { epsilon, .. } => {
            let (key, number) = epsilon.entry();
            let weaker_epsilon = hidden_in(key).and_then(|half| {
                let number = number + half;
                match epsilon.stated() {
                    StatedEpsilon::Number(_) => Some(Epsilon::from(number)),
                    StatedEpsilon::Exp(_) => Epsilon::log_of(number).ok(),
                }
            });
            if let Some(at) = weaker_epsilon {
                weaker.push(Inequality {
                    query: Query::delta_at(at),
                    ..claimed.clone()
                });
            }
            "delta"
        }
        StatedClaim::PureDp { epsilon } => match epsilon.stated() {
            StatedEpsilon::Number(_) => "epsilon",
            StatedEpsilon::Exp(u) => {
                let weaker_u = hidden_in("exp-epsilon").map(|half| u + half);
                let at = weaker_u.and_then(|u| Epsilon::log_of(u).ok());
                let claim = at.and_then(|epsilon| Claim::pure_dp(epsilon).ok());
                return claim.iter().map(Inequality::of).collect();
            }
        },
        StatedClaim::Rdp { .. } => "epsilon",
        StatedClaim::Gdp { .. } => "mu",
        StatedClaim::TradeOff { .. } => "beta",
        StatedClaim::Zcdp { .. } => "rho",
        StatedClaim::Advantage { .. }
        | StatedClaim::Regret { .. }
        | StatedClaim::DominatedBy { .. } => "at-most",
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
