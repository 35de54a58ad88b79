//! The picture of `verify`: the claims of a file on the certified curves of its mechanism.

use std::time::Instant;

use rug::Rational;

use crate::analysis::Subject;
use crate::float::Curve;
use crate::input::{ClaimEntry, ClaimFile, GdpForm, MechanismFile};
use crate::mechanism::{Adjacency, Mechanism};
use crate::plot::{Claimed, Hue, Mark, Picture, claims_picture, curve_knots};
use crate::report::{claim_words, mechanism_line, provided};
use crate::statement::{Claim, StatedClaim};
use crate::study::{
    CurveKind, Limits, Place, SharedDeadline, Source, extended, merged, place, quick_hint, sample,
    usual_places,
};
use crate::verdict::{Outcome, Verdict};

/// The certified curves with what is claimed of them; nothing where the mechanism has no curve.
pub fn claims(
    limits: &Limits<'_>,
    subject: &Subject,
    file: &ClaimFile,
    verdicts: &[Verdict],
    conditions: &[String],
) -> Picture {
    let hint = quick_hint(&file.mechanism, limits);
    let asked: Vec<Asked<'_>> = [CurveKind::PrivacyProfile, CurveKind::TradeOff]
        .into_iter()
        .filter_map(|kind| Asked::new(kind, file, verdicts, hint.as_ref()))
        .collect();
    let points = asked.iter().map(Asked::points).sum();
    let time = limits.shared(Instant::now(), points);
    let canvas = Canvas { limits, time };
    let mut claimed = Vec::new();
    let mut curves = Vec::new();
    for Asked { kind, here, places } in asked {
        let source = Source::Certified(subject);
        let found = sample(limits, &source, hint.as_ref(), kind, &places, &canvas.time);
        curves.push((
            kind,
            found.map_or_else(|_| Vec::new(), |found| curve_knots(&found)),
        ));
        for (entry, verdict) in here {
            claimed.extend(canvas.claimed(kind, entry, verdict, &places));
        }
    }
    let is_one_order = matches!(file.mechanism.adjacency, Adjacency::Remove | Adjacency::Add);
    let mut notes = reading(&file.claims, is_one_order);
    notes.push(provided(conditions));
    let title = mechanism_line(&file.mechanism.mechanism);
    claims_picture(&title, Vec::new(), &curves, &claimed, notes)
}

/// (ε, δ) are points of the profile; what else is claimed can be seen beside the trade-off curve.
fn seen_on(claim: &Claim) -> CurveKind {
    match claim.stated() {
        StatedClaim::ApproxDp { .. } => CurveKind::PrivacyProfile,
        _ => CurveKind::TradeOff,
    }
}

/// How to read the picture: what each kind of claim has to do with the curve.
fn reading(claims: &[ClaimEntry], is_one_order: bool) -> Vec<String> {
    let any = |has: fn(&Claim) -> bool| claims.iter().any(|entry| has(&entry.claim));
    let mut words = vec![
        "the curve is certified: its band contains it; what is claimed is a dot or dashed"
            .to_owned(),
    ];
    if any(|claim| {
        !has_tolerance(claim)
            && !matches!(
                claim.stated(),
                StatedClaim::Zcdp { .. } | StatedClaim::Rdp { .. } | StatedClaim::Regret { .. }
            )
    }) {
        // ε-DP is dashed for both orders of the pair, and says less of one.
        let is_pure = |claim: &Claim| matches!(claim.stated(), StatedClaim::PureDp { .. });
        let exactly = if is_one_order && any(is_pure) {
            ""
        } else {
            " exactly"
        };
        words.push(format!("a claim holds{exactly} if the curve is nowhere below what is claimed of f, or not above what is claimed of δ"));
    }
    if any(has_tolerance) {
        words.push(
            "what is claimed up to a tolerance may hold although the curve is below it".to_owned(),
        );
    }
    if any(|claim| matches!(claim.stated(), StatedClaim::Zcdp { .. })) {
        words.push("zCDP implies its dashed curve, and does not follow from it".to_owned());
    }
    words
}

/// May the curve be somewhat below what is claimed?
fn has_tolerance(claim: &Claim) -> bool {
    match claim.stated() {
        StatedClaim::Gdp { form, .. } => *form != GdpForm::Strict,
        StatedClaim::DominatedBy { at_most, .. } => *at_most > 0,
        _ => false,
    }
}

/// A curve with the claims that can be seen on it.
struct Asked<'a> {
    kind: CurveKind,
    here: Vec<(&'a ClaimEntry, &'a Verdict)>,
    places: Vec<Place>,
}

impl<'a> Asked<'a> {
    /// Nothing where there is no such claim.
    fn new(
        kind: CurveKind,
        file: &'a ClaimFile,
        verdicts: &'a [Verdict],
        hint: Option<&Curve>,
    ) -> Option<Self> {
        let here: Vec<(&ClaimEntry, &Verdict)> = file
            .claims
            .iter()
            .zip(verdicts)
            .filter(|(entry, _)| seen_on(&entry.claim) == kind)
            .collect();
        if here.is_empty() {
            return None;
        }
        // The points claimed are among the places.
        let mut places = usual_places(kind, &file.mechanism, hint);
        for (entry, _) in &here {
            match entry.claim.stated() {
                StatedClaim::ApproxDp { epsilon, .. } => {
                    places = extended(places, &epsilon.rational_down())
                }
                StatedClaim::TradeOff { alpha, .. } => {
                    let more = place(alpha.to_f64()).into_iter().collect();
                    places = merged(places, more);
                }
                _ => {}
            }
        }
        Some(Self { kind, here, places })
    }

    /// Points of the curve, and of all that are claimed beside it.
    fn points(&self) -> usize {
        let curves = self.here.len().saturating_add(1);
        self.places.len().saturating_mul(curves)
    }
}

struct Canvas<'a> {
    limits: &'a Limits<'a>,
    time: SharedDeadline,
}

impl Canvas<'_> {
    fn claimed(
        &self,
        kind: CurveKind,
        entry: &ClaimEntry,
        verdict: &Verdict,
        places: &[Place],
    ) -> Option<Claimed> {
        let mark = match entry.claim.stated() {
            StatedClaim::ApproxDp { epsilon, delta } => {
                Mark::Point(epsilon.rational_down().to_f64(), delta.to_f64())
            }
            StatedClaim::TradeOff { alpha, beta } => Mark::Point(alpha.to_f64(), beta.to_f64()),
            StatedClaim::Advantage { at_most } => line(at_most),
            StatedClaim::PureDp { epsilon } => {
                let class = Mechanism::pure_dp(epsilon.clone()).ok()?;
                self.class(class, places)?
            }
            StatedClaim::Gdp { mu, .. } => self.class(Mechanism::gaussian_curve(mu), places)?,
            // Each of its points is a search for the best order: fewer do for a dashed line.
            StatedClaim::Zcdp { rho } => {
                let last = places.last().into_iter();
                let few: Vec<Place> = places.iter().step_by(5).chain(last).cloned().collect();
                self.class(Mechanism::zcdp(rho.clone()).ok()?, &few)?
            }
            // A regret is about how far G_μ is below the curve, whichever way they cross; Rényi divergences are no curves.
            StatedClaim::Regret { .. } | StatedClaim::Rdp { .. } => return None,
            StatedClaim::DominatedBy { other, .. } => {
                let file = MechanismFile::of(other.mechanism().clone(), other.adjacency());
                self.of(&file, places)?
            }
        };
        Some(Claimed {
            kind,
            label: format!("{} {}", symbol(verdict), claim_words(entry)),
            hue: hue(verdict),
            mark,
        })
    }

    /// The curve that all mechanisms with this guarantee lie above.
    fn class(&self, mechanism: Mechanism, places: &[Place]) -> Option<Mark> {
        self.of(&MechanismFile::of(mechanism, Adjacency::AddRemove), places)
    }

    fn of(&self, file: &MechanismFile, places: &[Place]) -> Option<Mark> {
        let hint = quick_hint(file, self.limits);
        let subject = self.limits.subject_within(&self.time, file).ok()?;
        let source = Source::Certified(&subject);
        let found = sample(
            self.limits,
            &source,
            hint.as_ref(),
            CurveKind::TradeOff,
            places,
            &self.time,
        );
        Some(Mark::Curve(curve_knots(&found.ok()?)))
    }
}

/// 1 − α − a, which no trade-off curve with advantage at most a goes below.
fn line(advantage: &Rational) -> Mark {
    let last = Rational::from(1 - advantage).max(Rational::new()).to_f64();
    Mark::Line((0.0, last), (last, 0.0))
}

/// Green, vermilion, yellow.
fn hue(verdict: &Verdict) -> Hue {
    match verdict.outcome {
        Outcome::Verified { .. } => Hue::Third,
        Outcome::Refuted(_) => Hue::Second,
        Outcome::Undecided(_) => Hue::Fifth,
    }
}

fn symbol(verdict: &Verdict) -> &'static str {
    match verdict.outcome {
        Outcome::Verified { .. } => "✓",
        Outcome::Refuted(_) => "✗",
        Outcome::Undecided(_) => "?",
    }
}
