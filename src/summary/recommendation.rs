//! Which representation to report.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::{Kind, Representation, Stated};
use crate::statement::Claim;
use crate::verdict::is_vacuous;

/// What to report.
#[derive(Debug, Clone, Copy)]
pub enum Advice<'a> {
    /// μ-GDP: its regret is certainly below [`LARGEST_REGRET`].
    Gdp(&'a Representation),
    /// Another statement by one parameter with such a regret.
    Other(&'a Representation),
    /// The privacy profile itself; and the statement by one parameter with the least regret.
    Profile(Option<&'a Representation>),
}

/// Gomez et al. 2025, Section 4: a μ with a regret below 0.01 can be trusted as an essentially complete picture.
pub const LARGEST_REGRET: (u32, u32) = (1, 100);

/// The first of the μ-GDP representations that is good enough, else the best of all.
///
/// Ensures: a regret that is only perhaps below the limit is not advice to rely on it, nor is what is true of every mechanism advice.
pub fn advise(representations: &[Representation]) -> Advice<'_> {
    let limit = Rational::from(LARGEST_REGRET);
    let is_good = |r: &Representation| upper_regret(r).is_some_and(|upper| *upper < limit);
    let stated = || {
        let all = representations.iter();
        all.filter(|r| says_something(r) && r.regret.is_some())
    };
    let is_gdp = |r: &Representation| matches!(r.kind, Kind::Gdp(_));
    if let Some(good) = stated().find(|r| is_gdp(r) && is_good(r)) {
        return Advice::Gdp(good);
    }
    let best = stated().min_by(|a, b| {
        let order = upper_regret(a).partial_cmp(&upper_regret(b));
        order.unwrap_or(Ordering::Equal)
    });
    match best {
        Some(best) if is_good(best) => Advice::Other(best),
        _ => Advice::Profile(best),
    }
}

/// Is there a number, and one that is not true of every mechanism?
fn says_something(representation: &Representation) -> bool {
    let Stated::Number(number) = &representation.stated else {
        return false;
    };
    match &representation.kind {
        Kind::Gdp(form) => {
            let claim = Claim::gdp_as(number.clone(), form.clone());
            claim.is_ok_and(|claim| !is_vacuous(&claim))
        }
        Kind::PureDp | Kind::ApproxDp { .. } | Kind::Zcdp => true,
    }
}

fn upper_regret(representation: &Representation) -> Option<&Float> {
    let regret = representation.regret.as_ref();
    regret.map(|answer| answer.enclosure.upper())
}
