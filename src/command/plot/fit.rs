//! The picture of `report`.

use std::time::Instant;

use rug::Rational;

use crate::analysis::Subject;
use crate::bounds::{Enclosure, GdpForm, Target};
use crate::input::MechanismFile;
use crate::mechanism::Mechanism;
use crate::plot::{Fit, Picture, ProfilePoint, Row, curve_knots, fit_picture};
use crate::report::{
    enclosed, interval_words, mechanism_line, provided, regret_notes, statement, statement_name,
};
use crate::study::{
    CurveKind, Limits, Place, PrivacyReport, SharedDeadline, Source, quick_hint, sample,
    usual_places,
};
use crate::summary::{Kind as Statement, Representation, Stated};

/// The trade-off curve beside that of the μ stated up to a tolerance, their difference, and all regrets.
pub fn fit(
    limits: &Limits<'_>,
    subject: &Subject,
    report: &PrivacyReport<'_>,
    start: Instant,
) -> Picture {
    let hint = quick_hint(report.mechanism, limits);
    let places = usual_places(CurveKind::TradeOff, report.mechanism, hint.as_ref());
    let time = limits.shared(start, places.len().saturating_mul(2));
    let curve = sample(
        limits,
        &Source::Certified(subject),
        hint.as_ref(),
        CurveKind::TradeOff,
        &places,
        &time,
    );
    let gaussian = report
        .representations
        .iter()
        .find(|one| matches!(one.kind, Statement::Gdp(GdpForm::Tolerance(_))));
    let mut notes = vec![
        "certified at each point; regret: by how much an attacker's error may be lower under the statement than it really is".to_owned(),
    ];
    notes.extend(regret_notes(report));
    notes.push(provided(&report.conditions));
    let renyi = report.curve.regret.as_ref();
    let orders = format!("RDP at {} orders", report.curve.points.len());
    fit_picture(&Fit {
        name: mechanism_line(&report.mechanism.mechanism),
        words: gaussian.map(words).into_iter().collect(),
        curve: curve.map_or_else(|_| Vec::new(), |found| curve_knots(&found)),
        gaussian: gaussian.and_then(|one| beside(limits, report.mechanism, one, &places, &time)),
        regrets: report
            .representations
            .iter()
            .filter_map(regret)
            .chain(renyi.map(|answer| row(orders, &answer.enclosure)))
            .collect(),
        notes,
    })
}

fn words(one: &Representation) -> String {
    match &one.regret {
        Some(regret) => format!(
            "{}: {}",
            statement(one),
            enclosed("regret", &regret.enclosure)
        ),
        None => statement(one),
    }
}

/// G_μ at the same places.
fn beside(
    limits: &Limits<'_>,
    file: &MechanismFile,
    one: &Representation,
    places: &[Place],
    time: &SharedDeadline,
) -> Option<(Vec<ProfilePoint>, String)> {
    let Stated::Number(mu) = &one.stated else {
        return None;
    };
    let gaussian = MechanismFile {
        mechanism: Mechanism::gaussian_curve(mu),
        ..file.clone()
    };
    let hint = quick_hint(&gaussian, limits);
    let subject = limits.subject_within(time, &gaussian).ok()?;
    let found = sample(
        limits,
        &Source::Certified(&subject),
        hint.as_ref(),
        CurveKind::TradeOff,
        places,
        time,
    );
    let name = statement(one);
    let mu = name.split("-GDP").next().unwrap_or_default();
    Some((curve_knots(&found.ok()?), format!("G_μ at μ = {mu}")))
}

fn regret(one: &Representation) -> Option<Row> {
    let name = match one.stated {
        Stated::Number(_) => statement(one),
        Stated::Nothing | Stated::Unknown => format!("{}: none", statement_name(&one.kind)),
    };
    Some(row(name, &one.regret.as_ref()?.enclosure))
}

fn row(name: String, regret: &Enclosure) -> Row {
    let width = Target::Relative(Rational::from((1, 4)));
    Row {
        name,
        value: if regret.meets(&width) {
            regret.interval().middle().to_f64()
        } else {
            f64::NAN
        },
        ring: None,
        words: interval_words(regret),
    }
}
