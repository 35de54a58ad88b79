//! The claims of a file: each verified, refuted or undecided.

use std::time::{Duration, Instant};

use super::bound::default_target;
use super::limits::Limits;
use crate::analysis::{Refusal, Subject};
use crate::input::ClaimFile;
use crate::kernel::InvariantViolation;
use crate::verdict::{Analyst, Verdict, conditions_beside, judge};

/// What became of the claims of a file.
pub struct Verification {
    /// The mechanism, prepared, or why it is not.
    pub subject: Result<Subject, Refusal>,
    /// The verdicts, in the order of the claims.
    pub judged: Vec<Judged>,
    /// Their conditions.
    pub conditions: Vec<String>,
    /// Time taken.
    pub time: Duration,
}

/// A verdict, and how long it took.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Time taken.
    pub time: Duration,
}

/// Decides every claim of a file, each within a time of its own. A mechanism that cannot be treated is no error: its claims are
/// undecided. `name` is what the listener is told.
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn verify(
    limits: &Limits<'_>,
    claims: &ClaimFile,
    name: &str,
) -> Result<Verification, InvariantViolation> {
    let start = Instant::now();
    limits.listener.start(name);
    let subject = limits.subject(&claims.mechanism);
    let analyst = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let detail = limits.precision.clone().unwrap_or_else(default_target);
    let count = claims.claims.len();
    let judged = claims.claims.iter().zip(1u64..).map(|(entry, number)| {
        limits
            .listener
            .start(&format!("{name}: claim {number} of {count}"));
        let start = Instant::now();
        let verdict = limits.with_resources(|resources| {
            judge(
                entry,
                analyst,
                resources,
                &detail,
                limits.precision.as_ref(),
            )
        })?;
        Ok::<_, InvariantViolation>(Judged {
            verdict,
            time: start.elapsed(),
        })
    });
    Ok(Verification {
        judged: judged.collect::<Result<_, _>>()?,
        conditions: conditions_of(claims),
        subject,
        time: start.elapsed(),
    })
}

/// What the verdicts of a file take for granted, in words.
pub fn conditions_of(claims: &ClaimFile) -> Vec<String> {
    let file = &claims.mechanism;
    let asked: Vec<_> = claims
        .claims
        .iter()
        .map(|entry| entry.claim.query())
        .collect();
    conditions_beside(&file.mechanism, file.adjacency, &asked, IN_DOMINATED_BY)
}

/// Whose a condition is, if it is not the mechanism's that a claim is about.
pub(super) const IN_DOMINATED_BY: &str = "of the mechanism in `dominated-by`";
