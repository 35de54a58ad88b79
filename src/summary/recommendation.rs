//! Which representation to report.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::{Kind, Representation, Stated};

/// What to report.
#[derive(Debug, Clone, Copy)]
pub enum Advice<'a> {
    /// μ-GDP: its regret is certainly below [`LARGEST_REGRET`].
    Gdp(&'a Representation),
    /// Another short statement with such a regret.
    Other(&'a Representation),
    /// The privacy profile itself; and the short statement with the least regret.
    Profile(Option<&'a Representation>),
}

/// Gomez et al. 2025, Section 4: a μ with a regret below 0.01 can be trusted as an essentially complete picture.
pub const LARGEST_REGRET: (u32, u32) = (1, 100);

/// The first of the μ-GDP representations that is good enough, else the best of all.
///
/// Ensures: a regret that is only perhaps below the limit is not advice to rely on it.
pub fn advise(representations: &[Representation]) -> Advice<'_> {
    let limit = Rational::from(LARGEST_REGRET);
    let is_good = |r: &Representation| upper_regret(r).is_some_and(|upper| *upper < limit);
    let stated = || {
        let all = representations.iter();
        all.filter(|r| matches!(r.stated, Stated::Number(_)) && r.regret.is_some())
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

fn upper_regret(representation: &Representation) -> Option<&Float> {
    let regret = representation.regret.as_ref();
    regret.map(|answer| answer.enclosure.upper())
}
