//! A decided claim as a certificate: hints from which `dpcmp-check` derives the verdict again.
//!
//! `proofs/FORMAT.md` describes the format. Nothing here is trusted: laws are planned in f64, from coarse lattices to fine
//! ones, and the first plan that decides the claim is written. A wrong plan gives a certificate that the checker
//! rejects, never a false one that it accepts.
//!
//! | file | job |
//! |---|---|
//! | `steps` | the mechanism as a list of steps |
//! | `model`, `law` | one step and its compositions in f64, the way the checker bounds them |
//! | `plan` | lattices from coarse to fine |
//! | `profile` | δ of a mechanism on one side: closed form or law |
//! | `prove` | which proof for which claim |
//! | `gaussian` | the points at which a curve is compared with that of a Gaussian |
//! | `text` | the JSON |

#![allow(
    clippy::as_conversions,
    clippy::float_arithmetic,
    reason = "hints only: the checker derives everything again"
)]

mod gaussian;
mod law;
mod model;
mod plan;
mod profile;
mod prove;
mod steps;
mod text;

use crate::input::ClaimFile;
use crate::kernel::Budget;
use crate::mechanism::{Mechanism, Parameter};
use crate::statement::StatedClaim;
use prove::Prover;
use steps::Steps;
use text::Heading;

/// The kinds of mechanisms that the checker reads.
const NOTATIONS: [&str; 8] = [
    "gaussian",
    "laplace",
    "randomized-response",
    "finite",
    "subsampled",
    "compose",
    "dp-sgd",
    "opacus-state",
];

/// Keys that mechanisms and claims can do without; the checker refuses a note of such a name.
const OPTIONAL_KEYS: [&str; 7] = [
    "adjacency",
    "error-floor",
    "k",
    "sampling",
    "sensitivity",
    "times",
    "tolerance",
];

/// Keys of mechanisms that the checker does not read.
const UNREAD_KEYS: [&str; 3] = ["mu-squared", "exp-epsilon", "min-separation"];

/// The text of a claim file.
#[derive(Debug, Clone, Copy)]
pub struct ClaimText<'a> {
    /// As it was read.
    pub text: &'a str,
    /// Is it a line of a `.jsonl` file?
    pub is_line: bool,
}

/// The certificate that a claim of a file is true (`verified`) or false; the error says why there is none yet.
///
/// `text` is the claim file as it was read, or the line of a `.jsonl` file; `index` counts its claims from 0. `accepts` is asked about each candidate, the
/// smallest first: where the checker is at hand it says what the checker says. `budget` is the time to plan and ask.
///
/// # Errors
/// If certificates do not cover the claim or the mechanism, no plan within reach decides the claim, or the time is over.
pub fn certificate(
    file: &ClaimFile,
    text: ClaimText<'_>,
    index: usize,
    verified: bool,
    budget: &Budget,
    accepts: &dyn Fn(&str) -> bool,
) -> Result<String, String> {
    let entry = file.claims.get(index).ok_or("no claim of that number")?;
    let covered = matches!(
        entry.claim.stated(),
        StatedClaim::PureDp { .. }
            | StatedClaim::ApproxDp { .. }
            | StatedClaim::Advantage { .. }
            | StatedClaim::TradeOff { .. }
            | StatedClaim::Gdp { .. }
    );
    if !covered {
        return Err(format!(
            "certificates do not cover this kind of claim: {}",
            entry.claim.kind()
        ));
    }
    if entry.number_text("exp-epsilon").is_some() {
        return Err("certificates do not cover a claim that is stated by `exp-epsilon`".to_owned());
    }
    let mut notes = file.notes.iter().map(|(note, _)| note.as_str());
    if let Some(key) = notes.find(|note| OPTIONAL_KEYS.contains(note)) {
        return Err(format!(
            "certificates do not cover a line with a note `{key}`: it means nothing there, and in the mechanism or the claim it would change what is claimed"
        ));
    }
    let mechanism = &file.mechanism;
    if !NOTATIONS.contains(&mechanism.summary.as_str()) {
        return Err(format!(
            "certificates do not cover this kind or notation of a mechanism: {}",
            mechanism.summary
        ));
    }
    if let Some(key) = UNREAD_KEYS
        .iter()
        .find(|key| states(&mechanism.mechanism, key))
    {
        return Err(format!(
            "certificates do not cover a mechanism that is stated by `{key}`"
        ));
    }
    let steps = Steps::of(&mechanism.mechanism, mechanism.adjacency)
        .map_err(|what| format!("certificates do not cover {what}"))?;
    let heading = Heading {
        file: text.text,
        is_line: text.is_line,
        index,
        claim: &entry.claim,
        adjacency: mechanism.adjacency,
        sampled: steps.sampled,
        verified,
    };
    let prover = Prover {
        steps: &steps,
        claim: &entry.claim,
        verified,
        budget,
    };
    let mut written = None;
    prover.proofs(&mut |proof| {
        let certificate = heading.certificate(proof);
        let accepted = accepts(&certificate);
        if accepted {
            written = Some(certificate);
        }
        accepted
    });
    let why = match budget.check() {
        Ok(()) => "no plan within reach decides the claim",
        Err(_) => {
            "the time of --max-seconds, that of the verdict included, did not suffice to plan one"
        }
    };
    written.ok_or_else(|| why.to_owned())
}

/// Is the mechanism, or one inside it, stated by this key?
fn states(mechanism: &Mechanism, key: &str) -> bool {
    mechanism
        .parameters()
        .iter()
        .any(|(name, parameter)| match parameter {
            _ if *name == key => true,
            Parameter::Mechanism(of) => states(of, key),
            Parameter::Repeated(parts) => parts.iter().any(|(part, _)| states(part, key)),
            Parameter::Weighted(parts) => parts.iter().any(|(_, part)| states(part, key)),
            Parameter::Number(_)
            | Parameter::Whole(_)
            | Parameter::List(_)
            | Parameter::Rows(_)
            | Parameter::Table(_)
            | Parameter::Flag(_)
            | Parameter::Points(_)
            | Parameter::Pairs(_)
            | Parameter::Word(_) => false,
        })
}
