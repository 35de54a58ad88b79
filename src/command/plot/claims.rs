//! The picture of `verify`: the claims of a file on the certified curves of its mechanism.

use std::time::Instant;

use rug::Rational;

use crate::analysis::Subject;
use crate::command::Session;
use crate::command::curve::{
    Kind, Place, Source, extended, merged, place, sample, shown, usual_places,
};
use crate::command::estimate::prepare;
use crate::float::Curve;
use crate::input::{Claim, ClaimEntry, ClaimFile, MechanismFile};
use crate::mechanism::{Adjacency, Mechanism};
use crate::plot::{Claimed, Mark, Picture, claims_picture};
use crate::report::{claim_words, mechanism_line};
use crate::verdict::{Outcome, Verdict};

/// The certified curves with what is claimed of them; nothing where the mechanism has no curve.
pub fn claims(
    session: &Session,
    subject: &Subject,
    file: &ClaimFile,
    verdicts: &[Verdict],
    conditions: &[String],
) -> Picture {
    let start = Instant::now();
    let hint = prepare(&file.mechanism).ok();
    let canvas = Canvas {
        session,
        start,
        hint: hint.as_ref(),
        file,
    };
    let mut claimed = Vec::new();
    let mut curves = Vec::new();
    for kind in [Kind::PrivacyProfile, Kind::TradeOff] {
        let here: Vec<(&ClaimEntry, &Verdict)> = file
            .claims
            .iter()
            .zip(verdicts)
            .filter(|(entry, _)| seen_on(&entry.claim) == kind)
            .collect();
        if here.is_empty() {
            continue;
        }
        let places = canvas.places(kind, &here);
        let source = Source::Certified(subject);
        let found = sample(session, &source, hint.as_ref(), kind, &places, start);
        curves.push((
            kind.drawn(),
            found.map_or_else(|_| Vec::new(), |found| shown(&found)),
        ));
        for (entry, verdict) in here {
            claimed.extend(canvas.claimed(kind, entry, verdict, &places));
        }
    }
    let mut notes = vec![
        "the curve is certified: its band contains it; claimed curves are dashed, a claim is true if the certified curve lies above its trade-off curve, or below its (ε, δ)".to_owned(),
    ];
    notes.extend(conditions.iter().map(|condition| format!("IF {condition}")));
    let title = mechanism_line(&file.mechanism.mechanism);
    claims_picture(&title, Vec::new(), &curves, &claimed, notes)
}

/// (ε, δ) are points of the profile; what else is claimed can be seen beside the trade-off curve.
fn seen_on(claim: &Claim) -> Kind {
    match claim {
        Claim::ApproxDp { .. } => Kind::PrivacyProfile,
        _ => Kind::TradeOff,
    }
}

struct Canvas<'a> {
    session: &'a Session,
    start: Instant,
    hint: Option<&'a Curve>,
    file: &'a ClaimFile,
}

impl Canvas<'_> {
    /// Places for the curve, the points claimed among them.
    fn places(&self, kind: Kind, here: &[(&ClaimEntry, &Verdict)]) -> Vec<Place> {
        let mut places = usual_places(kind, &self.file.mechanism, self.hint);
        for (entry, _) in here {
            match &entry.claim {
                Claim::ApproxDp { epsilon, .. } => places = extended(places, epsilon),
                Claim::TradeOff { alpha, .. } => {
                    let more = place(alpha.to_f64()).into_iter().collect();
                    places = merged(places, more);
                }
                _ => {}
            }
        }
        places
    }

    fn claimed(
        &self,
        kind: Kind,
        entry: &ClaimEntry,
        verdict: &Verdict,
        places: &[Place],
    ) -> Option<Claimed> {
        let mark = match &entry.claim {
            Claim::ApproxDp { epsilon, delta } => Mark::Point(epsilon.to_f64(), delta.to_f64()),
            Claim::TradeOff { alpha, beta } => Mark::Point(alpha.to_f64(), beta.to_f64()),
            Claim::Advantage { at_most } => line(at_most),
            Claim::PureDp { epsilon } => {
                let epsilon = epsilon.clone();
                self.class(Mechanism::PureDp { epsilon }, places)?
            }
            Claim::Gdp { mu, .. } | Claim::Regret { mu, .. } => {
                self.class(Mechanism::Gdp { mu: mu.clone() }, places)?
            }
            Claim::Zcdp { rho } => self.class(Mechanism::Zcdp { rho: rho.clone() }, places)?,
            Claim::Rdp { .. } => return None,
            Claim::DominatedBy { mechanism, .. } => self.of(mechanism, places)?,
        };
        Some(Claimed {
            kind: kind.drawn(),
            label: format!("{} {}", symbol(verdict), claim_words(entry)),
            mark,
        })
    }

    /// The curve that all mechanisms with this guarantee lie above.
    fn class(&self, mechanism: Mechanism, places: &[Place]) -> Option<Mark> {
        let file = MechanismFile {
            mechanism,
            adjacency: Adjacency::AddRemove,
            ..self.file.mechanism.clone()
        };
        self.of(&file, places)
    }

    fn of(&self, file: &MechanismFile, places: &[Place]) -> Option<Mark> {
        let hint = prepare(file).ok();
        let subject = self.session.subject(file).ok()?;
        let source = Source::Certified(&subject);
        let found = sample(
            self.session,
            &source,
            hint.as_ref(),
            Kind::TradeOff,
            places,
            self.start,
        );
        Some(Mark::Curve(shown(&found.ok()?)))
    }
}

/// 1 − α − a, which no trade-off curve with advantage at most a goes below.
fn line(advantage: &Rational) -> Mark {
    let last = Rational::from(1 - advantage).max(Rational::new()).to_f64();
    Mark::Line((0.0, last), (last, 0.0))
}

fn symbol(verdict: &Verdict) -> &'static str {
    match verdict.outcome {
        Outcome::Verified { .. } => "✓",
        Outcome::Refuted(_) => "✗",
        Outcome::Undecided(_) => "?",
    }
}
