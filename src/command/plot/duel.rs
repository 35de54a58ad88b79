//! The picture of `compare`.

use std::time::Instant;

use rug::Rational;

use crate::command::Session;
use crate::command::curve::{Kind, Place, Source, merged, place, sample, shown, usual_places};
use crate::float::Curve;
use crate::input::MechanismFile;
use crate::plot::{Duel, Knot, Picture, Ruler, duel_picture};
use crate::report::mechanism_line;

/// Two mechanisms, ready to be asked for their curves.
pub struct Facing<'a> {
    /// As they were given.
    pub files: [&'a MechanismFile; 2],
    /// Who is asked about each.
    pub sources: [Source<'a>; 2],
    /// Estimates, where there are any, to know where to look.
    pub hints: [Option<&'a Curve>; 2],
    /// Δ(A‖B) and Δ(B‖A).
    pub divergences: [Divergence; 2],
    /// More words.
    pub words: Vec<String>,
    /// What the numbers take for granted.
    pub notes: Vec<String>,
}

/// What was found of one divergence.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// With its bounds.
    pub words: String,
    /// An upper bound, for the shift.
    pub at_most: f64,
    /// Where it is attained, unless it is 0.
    pub prior: Option<f64>,
}

/// Bayes errors with rulers, trade-off curves with the shifted one, privacy profiles.
pub fn duel(session: &Session, facing: &Facing<'_>, start: Instant) -> Picture {
    let priors: Vec<Place> = facing
        .divergences
        .iter()
        .filter_map(|divergence| place(divergence.prior?))
        .collect();
    let kinds = [Kind::BayesError, Kind::TradeOff, Kind::PrivacyProfile];
    let asked = kinds.map(|kind| {
        let [a, b] = [0, 1].map(|at| usual(kind, facing, at));
        let places = merged(a, b);
        if kind == Kind::BayesError {
            merged(places, priors.clone())
        } else {
            places
        }
    });
    let points: usize = asked.iter().map(Vec::len).sum();
    let time = session.shared(start, points.saturating_mul(2));
    let mut curves = Vec::new();
    for (kind, places) in kinds.into_iter().zip(asked) {
        let both = facing
            .sources
            .iter()
            .zip(facing.hints)
            .map(|(source, hint)| sample(session, source, hint, kind, &places, &time))
            .map(|found| found.map_or_else(|_| Vec::new(), |found| shown(&found)));
        if let [a, b] = both.collect::<Vec<_>>().as_slice() {
            curves.push((kind.drawn(), [a.clone(), b.clone()]));
        }
    }
    let rulers = match curves.first() {
        Some((_, errors)) => rulers(facing, &priors, errors),
        None => Vec::new(),
    };
    let words = facing
        .divergences
        .iter()
        .map(|divergence| divergence.words.clone());
    duel_picture(&Duel {
        names: facing.files.map(|file| mechanism_line(&file.mechanism)),
        words: words.chain(facing.words.iter().cloned()).collect(),
        shift: shift(facing),
        curves,
        rulers,
        notes: facing.notes.clone(),
    })
}

fn usual(kind: Kind, facing: &Facing<'_>, at: usize) -> Vec<Place> {
    match (facing.files.get(at), facing.hints.get(at)) {
        (Some(file), Some(hint)) => usual_places(kind, file, *hint),
        _ => Vec::new(),
    }
}

/// From one Bayes error to the other, where they differ most.
fn rulers(facing: &Facing<'_>, priors: &[Place], errors: &[Vec<Knot>; 2]) -> Vec<Ruler> {
    let at = |knots: &[Knot], prior: &Rational| {
        let x = prior.to_f64();
        knots.iter().find(|knot| knot.x == x).copied()
    };
    let [a, b] = errors;
    let with_prior = facing
        .divergences
        .iter()
        .filter(|divergence| divergence.prior.is_some());
    with_prior
        .zip(priors)
        .filter_map(|(divergence, prior)| {
            let (a, b) = (at(a, &prior.value)?, at(b, &prior.value)?);
            Some(Ruler {
                prior: prior.value.to_f64(),
                errors: (a.high, b.high),
                label: divergence.words.clone(),
            })
        })
        .collect()
}

/// The larger of the shifts, which is the one that can be seen.
fn shift(facing: &Facing<'_>) -> Option<(usize, f64, String)> {
    let [a, b] = &facing.divergences;
    let (which, by, words) = if a.at_most >= b.at_most {
        (0, a.at_most, "A, shifted left and down by Δ(A‖B)")
    } else {
        (1, b.at_most, "B, shifted left and down by Δ(B‖A)")
    };
    (by > 0.0).then(|| (which, by, words.to_owned()))
}
