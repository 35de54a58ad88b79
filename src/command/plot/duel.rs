//! The picture of `compare`.

use std::time::Instant;

use rug::Rational;

use crate::float::Curve;
use crate::input::MechanismFile;
use crate::plot::{Duel, Picture, ProfilePoint, Ruler, curve_knots, duel_picture};
use crate::report::mechanism_line;
use crate::study::{CurveKind, Limits, Place, Source, merged, place, sample, usual_places};

/// Two mechanisms, ready to be asked for their curves.
pub struct Opponents<'a> {
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
    /// The conditions of the numbers, and how to read them.
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
pub fn duel(limits: &Limits<'_>, opponents: &Opponents<'_>, start: Instant) -> Picture {
    let priors: Vec<Place> = opponents
        .divergences
        .iter()
        .filter_map(|divergence| place(divergence.prior?))
        .collect();
    let kinds = [
        CurveKind::BayesError,
        CurveKind::TradeOff,
        CurveKind::PrivacyProfile,
    ];
    let asked = kinds.map(|kind| {
        let [a, b] = [0, 1].map(|at| usual(kind, opponents, at));
        let places = merged(a, b);
        if kind == CurveKind::BayesError {
            merged(places, priors.clone())
        } else {
            places
        }
    });
    let points: usize = asked.iter().map(Vec::len).sum();
    let time = limits.shared(start, points.saturating_mul(2));
    let mut curves = Vec::new();
    for (kind, places) in kinds.into_iter().zip(asked) {
        let both = opponents
            .sources
            .iter()
            .zip(opponents.hints)
            .map(|(source, hint)| sample(limits, source, hint, kind, &places, &time))
            .map(|found| found.map_or_else(|_| Vec::new(), |found| curve_knots(&found)));
        if let [a, b] = both.collect::<Vec<_>>().as_slice() {
            curves.push((kind, [a.clone(), b.clone()]));
        }
    }
    let rulers = match curves.first() {
        Some((_, errors)) => rulers(opponents, &priors, errors),
        None => Vec::new(),
    };
    let words = opponents
        .divergences
        .iter()
        .map(|divergence| divergence.words.clone());
    duel_picture(&Duel {
        names: opponents.files.map(|file| mechanism_line(&file.mechanism)),
        words: words.chain(opponents.words.iter().cloned()).collect(),
        shift: shift(opponents),
        curves,
        rulers,
        notes: opponents.notes.clone(),
    })
}

fn usual(kind: CurveKind, opponents: &Opponents<'_>, at: usize) -> Vec<Place> {
    match (opponents.files.get(at), opponents.hints.get(at)) {
        (Some(file), Some(hint)) => usual_places(kind, file, *hint),
        _ => Vec::new(),
    }
}

/// Priors that are no farther apart are one place of a picture.
const SEEN: f64 = 1e-6;

/// From one Bayes error to the other, where they differ most.
fn rulers(
    opponents: &Opponents<'_>,
    priors: &[Place],
    errors: &[Vec<ProfilePoint>; 2],
) -> Vec<Ruler> {
    let at = |knots: &[ProfilePoint], prior: &Rational| {
        // Of two places that are the same to the eye one was looked at.
        let apart = |knot: &&ProfilePoint| knot.distance(prior.to_f64());
        let nearest = knots.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
        nearest.filter(|knot| apart(knot) < SEEN).copied()
    };
    let [a, b] = errors;
    let with_prior = opponents
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
fn shift(opponents: &Opponents<'_>) -> Option<(usize, f64, String)> {
    let [a, b] = &opponents.divergences;
    let (which, by, words) = if a.at_most >= b.at_most {
        (0, a.at_most, "A, shifted left and down by Δ(A‖B)")
    } else {
        (1, b.at_most, "B, shifted left and down by Δ(B‖A)")
    };
    (by > 0.0).then(|| (which, by, words.to_owned()))
}
