//! `dpcmp check`: what the checker says, for people and for programs.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};

use dpcmp_check::{
    Accepted, BigRational, Claim, Epsilon, Options, Reason, Rejected, Statement, Step, Steps,
    Verdict, check_reader,
};
use serde_json::{Value, json};

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::folders::{Wanted, expand};
use super::output::{StdoutClosed, say};
use super::session::Session;
use crate::report::name;

/// What is checked.
pub struct Check<'a> {
    /// Certificates, and folders of them; `-` is standard input.
    pub certificates: &'a [PathBuf],
    /// A claim file that must be the one inside.
    pub claim: Option<&'a Path>,
    /// Is the proof wanted in words?
    pub explain: bool,
}

/// Checks certificates: a record for each, or one object (`dpcmp.check/2`) for programs.
///
/// # Errors
/// When standard output does not take it.
pub fn run(session: &Session, check: &Check<'_>) -> Result<ExitCode, StdoutClosed> {
    let Check {
        certificates,
        claim,
        explain,
    } = *check;
    let claim = claim.map(read).transpose();
    let options = Options::default().stop(session.stop.clone());
    let options = match &claim {
        Ok(Some(claim)) => options.claim_file(claim),
        Ok(None) | Err(_) => options,
    };
    let mut worst = ExitCode::Done;
    let mut is_malformed = false;
    let expanded = expand(certificates, Wanted::Certificates);
    for line in &expanded.skipped {
        say(line);
    }
    for path in &expanded.inputs {
        let shown = match path {
            Ok(path) => path.display().to_string(),
            Err(unreadable) => unreadable.name.clone(),
        };
        session.progress.start(&shown);
        let checked = match (&claim, path) {
            (Ok(_), Ok(path)) => {
                open(path).and_then(|certificate| check_reader(certificate, &options))
            }
            (Ok(_), Err(unreadable)) => Err(io::Error::other(unreadable.message.clone()).into()),
            (Err(unreadable), _) => Err(unreadable.clone()),
        };
        let rejected = checked.as_ref().err();
        is_malformed |= rejected.is_some_and(|no| no.reason == Reason::Malformed);
        worst = worst.and(rejected.map_or(ExitCode::Done, exit_code));
        let text = match session.options.format {
            Format::Json => format!("{}\n", object(&shown, &checked, explain)),
            _ => human(&shown, &checked, explain),
        };
        session.print(&text).map_err(|gone| gone.after(worst))?;
        if rejected.is_some_and(|no| no.reason == Reason::Stopped) {
            return Ok(worst);
        }
    }
    if is_malformed && session.options.format != Format::Json {
        let advice = "`dpcmp verify CLAIM --certificate OUT` writes a new certificate.\n";
        session.print(advice).map_err(|gone| gone.after(worst))?;
    }
    Ok(worst)
}

fn open(path: &Path) -> Result<Box<dyn Read>, Rejected> {
    Ok(if path.as_os_str() == "-" {
        Box::new(stdin())
    } else {
        Box::new(File::open(path)?)
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Rejected> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A check that was stopped leaves the claim as undecided as before.
fn exit_code(rejected: &Rejected) -> ExitCode {
    match rejected.reason {
        Reason::Stopped => ExitCode::Undecided,
        reason if reason.is_unreadable() => ExitCode::BadInput,
        _ => ExitCode::Refuted,
    }
}

fn human(path: &str, checked: &Result<Accepted, Rejected>, explain: bool) -> String {
    let file = name(path);
    match checked {
        Ok(accepted) => format!("{file}: accepted\n{}\n", record(accepted, explain)),
        Err(no) if no.reason == Reason::Stopped => {
            format!("{file}: not checked: {}\n", no.detail)
        }
        Err(no) => format!("{file}: rejected ({}): {}\n", no.reason, no.detail),
    }
}

fn record(accepted: &Accepted, explain: bool) -> String {
    if explain {
        format!("{accepted:#}")
    } else {
        accepted.to_string()
    }
}

fn object(path: &str, checked: &Result<Accepted, Rejected>, explain: bool) -> Value {
    match checked {
        Ok(accepted) => {
            let mut object = json!({
                "schema": SCHEMA,
                "certificate": path,
                "accepted": true,
                "title": accepted.title,
                "source": accepted.source,
                "ignored": accepted.notes,
                "stated": accepted.stated,
                "mechanism": {
                    "kind": "compose",
                    "of": accepted.mechanism.iter().map(steps_object).collect::<Vec<_>>(),
                },
                "adjacency": accepted.statement.adjacency.to_string(),
                "claim-number": accepted.claim,
                "claim": claim_object(&accepted.statement.claim),
                "verdict": verdict(&accepted.statement),
                "proved": accepted.statement.to_string(),
                "conditions": accepted.conditions.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "claim-file-sha256": accepted.sha256,
                "written-by": accepted.written_by,
                "checked-by": accepted.checked_by,
                "text": format!("{}\n", record(accepted, explain)),
            });
            if explain && let Some(entries) = object.as_object_mut() {
                entries.insert("explanation".to_owned(), json!(accepted.explanation));
            }
            object
        }
        Err(no) => json!({
            "schema": SCHEMA,
            "certificate": path,
            "accepted": false,
            "reason": no.reason.word(),
            "place": no.place.to_string(),
            "text": no.detail,
        }),
    }
}

fn verdict(statement: &Statement) -> &'static str {
    match statement.verdict {
        Verdict::Verified => "verified",
        Verdict::Refuted => "refuted",
    }
}

/// Steps in the notation of a mechanism file where it has one; numbers are fractions.
fn steps_object(steps: &Steps) -> Value {
    part_object(&steps.step, steps.times)
}

fn part_object(step: &Step, times: u64) -> Value {
    let mut object = step_object(step);
    if let Some(entries) = object.as_object_mut() {
        entries.insert("times".to_owned(), json!(times));
    }
    object
}

fn parts_object(parts: &[(Step, u64)]) -> Value {
    match parts {
        [(step, 1)] => step_object(step),
        parts => {
            let parts = parts.iter().map(|(step, times)| part_object(step, *times));
            json!({"kind": "compose", "of": parts.collect::<Vec<_>>()})
        }
    }
}

fn step_object(step: &Step) -> Value {
    let texts = |vector: &[BigRational]| vector.iter().map(ToString::to_string).collect::<Vec<_>>();
    let pairs = |pairs: &[(BigRational, BigRational)]| {
        let pairs = pairs.iter().map(|(a, b)| [a.to_string(), b.to_string()]);
        pairs.collect::<Vec<_>>()
    };
    match step {
        Step::Gaussian { square } => {
            json!({"kind": "gaussian", "mu-squared": square.to_string()})
        }
        Step::Laplace { epsilon } => json!({
            "kind": "laplace",
            "scale": "1",
            "sensitivity": epsilon.to_string(),
        }),
        Step::Response { epsilon, k } => with_epsilon(
            json!({"kind": "randomized-response", "k": k.to_string()}),
            epsilon,
        ),
        Step::ResponseOrUniform { epsilon, k } => {
            let kind = "randomized-response-or-uniform";
            with_epsilon(json!({"kind": kind, "k": k.to_string()}), epsilon)
        }
        Step::Finite { p, q } => json!({"kind": "finite", "p": texts(p), "q": texts(q)}),
        Step::Guarantee { points } => {
            let points = points
                .iter()
                .map(|(epsilon, delta)| with_epsilon(json!({"delta": delta.to_string()}), epsilon));
            json!({"kind": "profile", "points": points.collect::<Vec<_>>()})
        }
        Step::Zcdp { rho } => json!({"kind": "zcdp", "rho": rho.to_string()}),
        Step::Rdp { orders } => json!({"kind": "rdp", "orders": pairs(orders)}),
        Step::Shifted {
            noise,
            without,
            with,
        } => json!({
            "kind": "shifted-noise",
            "noise": noise.to_string(),
            "without": pairs(without),
            "with": pairs(with),
        }),
        Step::Sampled { rate, of } => json!({
            "kind": "subsampled",
            "rate": rate.to_string(),
            "of": parts_object(of),
        }),
        Step::Labelled { of } => {
            let parts = of.iter().map(
                |(weight, parts)| json!({"weight": weight.to_string(), "of": parts_object(parts)}),
            );
            json!({"kind": "mixture", "of": parts.collect::<Vec<_>>()})
        }
        other => json!({"kind": "other", "text": other.to_string()}),
    }
}

/// With the key under which the number stands.
fn with_epsilon(mut object: Value, epsilon: &Epsilon) -> Value {
    let (key, number) = match epsilon {
        Epsilon::Plain(epsilon) => ("epsilon", epsilon),
        Epsilon::LogOf(u) => ("exp-epsilon", u),
    };
    if let Some(entries) = object.as_object_mut() {
        entries.insert(key.to_owned(), json!(number.to_string()));
    }
    object
}

/// The claim with the keys of a claim file; numbers are fractions.
fn claim_object(claim: &Claim) -> Value {
    match claim {
        Claim::PureDp { epsilon } => with_epsilon(json!({"kind": "pure-dp"}), epsilon),
        Claim::ApproxDp { epsilon, delta } => with_epsilon(
            json!({"kind": "approx-dp", "delta": delta.to_string()}),
            epsilon,
        ),
        Claim::Advantage { at_most } => {
            json!({"kind": "advantage", "at-most": at_most.to_string()})
        }
        Claim::TradeOff { alpha, beta } => json!({
            "kind": "trade-off",
            "alpha": alpha.to_string(),
            "beta": beta.to_string(),
        }),
        Claim::Gdp {
            mu,
            tolerance,
            floor,
        } => json!({
            "kind": "gdp",
            "mu": mu.to_string(),
            "tolerance": tolerance.to_string(),
            "error-floor": floor.to_string(),
        }),
        Claim::Zcdp { rho } => json!({"kind": "zcdp", "rho": rho.to_string()}),
        Claim::Rdp { order, epsilon } => json!({
            "kind": "rdp",
            "order": order.to_string(),
            "epsilon": epsilon.to_string(),
        }),
        Claim::Regret { mu, at_most } => json!({
            "kind": "regret",
            "mu": mu.to_string(),
            "at-most": at_most.to_string(),
        }),
        Claim::DominatedBy { other, at_most } => json!({
            "kind": "dominated-by",
            "mechanism": parts_object(other),
            "at-most": at_most.to_string(),
        }),
    }
}

const SCHEMA: &str = "dpcmp.check/2";
