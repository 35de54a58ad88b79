//! `--engine float`: f64 estimates instead of enclosures, for `bound`, `bound --batch` and `compare`.

use std::cell::OnceCell;
use std::time::Instant;

use crate::analysis::Unsupported;
use crate::float::{Curve, Density, Peak, divergence, symmetric_divergence, weighted_divergence};
use crate::input::{BatchLine, MechanismFile, Prior};
use crate::plot::Picture;
use crate::report::{
    Fault, comparison_estimate_human, comparison_estimate_json, error_json, estimate_human,
    estimate_json, taken_human,
};
use crate::statement::Query;
use crate::study::{Limits, NoAnswer, Source, Taken, estimate, prepare};

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, style};
use super::plot::{Divergence, Opponents, duel};
use super::session::Session;

/// Answers queries about one mechanism, each given with its text.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    mechanism: &MechanismFile,
    queries: &[(&str, Query)],
    taken: &Taken,
) -> Result<ExitCode, StdoutClosed> {
    let curve = OnceCell::new();
    let column = queries.iter().map(|(text, _)| text.chars().count()).max();
    let is_json = session.options.format == Format::Json;
    let mut code = ExitCode::Done;
    let mut done = 0usize;
    for (text, query) in queries {
        let prepared = || {
            let curve = curve.get_or_init(|| prepare(mechanism, &session.limits()));
            curve.as_ref().map_err(Clone::clone)
        };
        let found = told(estimate(mechanism, query, &session.limits(), prepared));
        if session.is_stopped() {
            break;
        }
        done = done.saturating_add(1);
        let line = match found {
            Ok(value) if is_json => Some(estimate_json(None, text, value, Some(taken))),
            Ok(value) => Some(estimate_human(text, value, column.unwrap_or(0))),
            Err(unsupported) => {
                let message = unsupported.to_string();
                complain(&format!("{text}: {message}"));
                code = code.and(ExitCode::BadInput);
                let word = unsupported.code();
                is_json.then(|| error_json(None, Some(text), word, &message))
            }
        };
        if let Some(line) = line {
            session.print(&format!("{line}\n"))?;
        }
    }
    if !is_json && done > 0 {
        session.print(&taken_human(taken, style()))?;
    }
    if done < queries.len() {
        code = code.and(session.stopped(done, queries.len(), "queries"));
    }
    Ok(code)
}

/// The curve of the mechanism asked about, kept from question to question.
#[derive(Default)]
pub struct Estimates {
    known: Option<(MechanismFile, Result<Curve, Unsupported>)>,
}

impl Estimates {
    /// The line that answers a line of a batch.
    ///
    /// # Errors
    /// If there is no estimate.
    pub fn batch_line(
        &mut self,
        session: &Session,
        line: &BatchLine,
    ) -> Result<String, Unsupported> {
        let limits = session.limits();
        let (mechanism, query) = (&line.mechanism, &line.query);
        let value = told(estimate(mechanism, query, &limits, || {
            self.curve(mechanism, &limits)
        }))?;
        Ok(estimate_json(
            Some(&line.id),
            line.query.kind(),
            value,
            None,
        ))
    }

    fn curve(
        &mut self,
        mechanism: &MechanismFile,
        limits: &Limits<'_>,
    ) -> Result<&Curve, Unsupported> {
        let is_same = self.known.as_ref().is_some_and(|(known, _)| {
            known.mechanism == mechanism.mechanism && known.adjacency == mechanism.adjacency
        });
        if !is_same {
            self.known = None;
        }
        let (_, curve) = self
            .known
            .get_or_insert_with(|| (mechanism.clone(), prepare(mechanism, limits)));
        curve.as_ref().map_err(Clone::clone)
    }
}

/// Estimates the divergences between two mechanisms, plain and weighted.
///
/// # Errors
/// When standard output is gone.
pub fn compare(
    session: &Session,
    files: [&MechanismFile; 2],
    priors: &[(String, Prior)],
) -> Result<ExitCode, StdoutClosed> {
    let is_json = session.options.format == Format::Json;
    let [a, b] = files.map(|file| prepare(file, &session.limits()));
    let (a, b) = match (a, b) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(unsupported), _) | (_, Err(unsupported)) => {
            let message = unsupported.to_string();
            complain(&message);
            let fault = Fault::new(unsupported.code(), &message);
            return session.refuse("dpcmp.comparison/2", &fault, ExitCode::BadInput);
        }
    };
    let mut rows = vec![
        ("Δ(A‖B)".to_owned(), "delta-a-b", divergence(&a, &b)),
        ("Δ(B‖A)".to_owned(), "delta-b-a", divergence(&b, &a)),
        ("Δ↔".to_owned(), "symmetric", symmetric_divergence(&a, &b)),
    ];
    for (name, prior) in priors {
        let density = Density::of(prior);
        for (sign, key, one, other) in [
            ("Δ(A‖B)", "weighted-a-b", &a, &b),
            ("Δ(B‖A)", "weighted-b-a", &b, &a),
        ] {
            let peak = weighted_divergence(one, other, &density);
            rows.push((format!("weighted by {name}: {sign}"), key, peak));
        }
    }
    let taken = Taken::of_both(files);
    let text = if is_json {
        comparison_estimate_json(&rows, &taken)
    } else {
        comparison_estimate_human(&rows, &taken, style())
    };
    session.show(&text, || picture(session, files, [&a, &b]))
}

/// The picture of a comparison of estimates.
fn picture(session: &Session, files: [&MechanismFile; 2], [a, b]: [&Curve; 2]) -> Picture {
    let of = |name: &str, peak: Peak| Divergence {
        words: format!("{name} ≈ {:.4}", peak.value),
        at_most: peak.value,
        prior: (peak.value > 0.0).then_some(peak.prior),
    };
    let opponents = Opponents {
        files,
        sources: [Source::Float(a), Source::Float(b)],
        hints: [Some(a), Some(b)],
        divergences: [
            of("Δ(A‖B)", divergence(a, b)),
            of("Δ(B‖A)", divergence(b, a)),
        ],
        words: Vec::new(),
        notes: vec!["estimates of the float engine, without guarantee".to_owned()],
    };
    duel(&session.limits(), &opponents, Instant::now())
}

/// A contradiction of ours is said at once.
fn told(found: Result<f64, NoAnswer>) -> Result<f64, Unsupported> {
    found.map_err(|error| match error {
        NoAnswer::Unsupported(unsupported) => unsupported,
        NoAnswer::Internal(violation) => {
            internal_error(&violation.to_string());
            Unsupported::NotBuilt(violation.to_string())
        }
    })
}
