//! A decided claim as a certificate: hints from which `dpcmp-check` derives the verdict again.
//!
//! `proofs/FORMAT.md` describes the format. Nothing here is trusted: laws are planned in f64, from coarse lattices to fine
//! ones, and the first plan that decides the claim is written. A wrong plan gives a certificate that the checker
//! rejects, never a false one that it accepts.
//!
//! | file | job |
//! |---|---|
//! | `steps` | the mechanism as a list of steps |
//! | `dataset` | what some dataset does of a mechanism that is only a bound, or the worst of many |
//! | `adversary` | two candidates for each choice by score |
//! | `allocation` | pairs above and below a random allocation |
//! | `choices` | several of these together, from above |
//! | `model`, `atoms`, `law` | one step and its compositions in f64, the way the checker bounds them |
//! | `plan` | lattices from coarse to fine |
//! | `profile` | δ of a mechanism on one side: closed form or law |
//! | `prove`, `search` | which proof for which claim, how fine the next plan |
//! | `delta` | one of them: δ(ε) against a number |
//! | `against_gaussian`, `moments`, `class` | the same for Gaussian DP, Rényi divergences, and Rényi guarantees |
//! | `tails` | lines above Rényi divergences of large orders |
//! | `touch`, `class_gaussian` | the best tests of a class; a class against Gaussian noise or another mechanism |
//! | `comparison` | two mechanisms: domination, and the regret of stating a μ |
//! | `closed`, `precise`, `precise_line`, `precise_gaussian` | the same in many digits, next to equality |
//! | `gaussian` | the points at which a curve is compared with that of a Gaussian |
//! | `text` | the JSON |

#![allow(
    clippy::as_conversions,
    clippy::float_arithmetic,
    reason = "hints only: the checker derives everything again"
)]

mod above;
mod adversary;
mod against_gaussian;
mod allocation;
mod atoms;
mod choices;
mod class;
mod class_compared;
mod class_gaussian;
mod class_sampled;
mod closed;
mod comparison;
mod dataset;
mod delta;
mod gaussian;
mod law;
mod model;
mod moments;
mod plan;
mod precise;
mod precise_gaussian;
mod precise_line;
mod profile;
mod prove;
mod search;
mod steps;
mod tails;
mod text;
mod touch;

use serde_json::{Value, json};

use crate::input::ClaimFile;
use crate::kernel::Budget;
use crate::statement::StatedClaim;
use dataset::{Attained, attained, has_scores};
use prove::Prover;
use steps::Steps;
use text::Heading;
use touch::Tables;

/// The text of a claim file.
#[derive(Debug, Clone, Copy)]
pub struct ClaimText<'a> {
    /// As it was read.
    pub text: &'a str,
    /// Is it a line of a `.jsonl` file?
    pub is_line: bool,
}

/// What the checker says of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It is proved.
    Accepted,
    /// This proof does not do.
    Rejected(String),
    /// Such proofs are not about such claims.
    NotItsProof,
    /// The claim file, or a part of it, is not covered: no proof will do.
    NotCovered(String),
    /// It reads something else in the claim file.
    Misread(String),
}

/// Why a decided claim has no certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCertificate {
    /// The checker does not read such claims or mechanisms.
    #[error("{0}")]
    NotCovered(String),
    /// The checker reads something else than the engine: a mistake in one of them.
    #[error("the checker reads another claim: {0}")]
    Misread(String),
    /// What may be the only dataset that refutes it is not one that the checker reads.
    #[error("the checker does not read sums of scores, which may be all that refutes it")]
    Scores,
    /// The time is over.
    #[error(
        "planning it takes longer than there is time: what the verdict leaves of --max-seconds, and no more than 10 s without --certificate"
    )]
    Time,
    /// There is no kind of proof for it.
    #[error("there is no kind of proof for this claim about this mechanism yet")]
    NoProof,
    /// Proofs were offered, and none did; the last objection.
    #[error("no proof within reach: {0}")]
    OutOfReach(String),
    /// Laws that were found to decide it are too long, or none was.
    #[error("no law of bearable length was found that decides it")]
    TooFine,
}

/// The certificate that a claim of a file is true (`verified`) or false; the error says why there is none.
///
/// `text` is the claim file as it was read, or the line of a `.jsonl` file; `index` counts its claims from 0. `judge` is asked about each candidate, the
/// smallest first. `budget` is the time to plan and ask.
///
/// # Errors
/// If certificates do not cover the claim or the mechanism, no plan within reach decides the claim, or the time is over.
pub fn certificate(
    file: &ClaimFile,
    text: ClaimText<'_>,
    index: usize,
    verified: bool,
    budget: &Budget,
    judge: &dyn Fn(&str) -> Judgement,
) -> Result<String, NoCertificate> {
    let Some(entry) = file.claims.get(index) else {
        return Err(NoCertificate::NoProof);
    };
    let mechanism = &file.mechanism;
    let bound = Steps::new(
        steps::readable_bound(mechanism.mechanism.steps()),
        mechanism.adjacency,
    );
    let own = mechanism.mechanism.steps().conditions();
    let heading = Heading {
        file: text.text,
        is_line: text.is_line,
        index,
        claim: &entry.claim,
        adjacency: mechanism.adjacency,
        conditions: match entry.claim.stated() {
            StatedClaim::DominatedBy { other, .. } => {
                own.and(other.mechanism().steps().conditions())
            }
            StatedClaim::PureDp { .. }
            | StatedClaim::ApproxDp { .. }
            | StatedClaim::Gdp { .. }
            | StatedClaim::Advantage { .. }
            | StatedClaim::TradeOff { .. }
            | StatedClaim::Zcdp { .. }
            | StatedClaim::Rdp { .. }
            | StatedClaim::Regret { .. } => own,
        },
        verified,
    };
    let mut asking = Asking {
        heading,
        judge,
        written: None,
        objection: None,
    };
    // Is the claim read at all?
    let mut is_over = asking.accepts(json!({"kind": "trivial"}));
    match asking.objection.take() {
        Some(Judgement::NotCovered(why)) => return Err(NoCertificate::NotCovered(why)),
        Some(Judgement::Misread(why)) => return Err(NoCertificate::Misread(why)),
        Some(Judgement::Accepted | Judgement::NotItsProof | Judgement::Rejected(_)) | None => {}
    }
    // Largest losses are those of some dataset or as near as wanted, so that none has to be named.
    if !verified && matches!(entry.claim.stated(), StatedClaim::PureDp { .. }) {
        is_over = is_over || asking.accepts(json!({"kind": "largest-loss"}));
    }
    // That of a regret needs what some dataset reveals.
    let is_of_bound = verified != matches!(entry.claim.stated(), StatedClaim::Regret { .. });
    let sources = match is_of_bound {
        true => vec![Attained {
            steps: bound.clone(),
            member: None,
            tests: Vec::new(),
            allocations: Vec::new(),
        }],
        false => attained(
            &mechanism.mechanism,
            mechanism.adjacency,
            &bound,
            entry.claim.stated(),
        ),
    };
    let mut is_too_fine = false;
    let allocated = allocation::planned(&bound, entry.claim.stated(), is_of_bound, budget);
    // What is said of single points hardly follows from less.
    let (mut first, mut then) = match is_of_points(entry.claim.stated()) {
        true => (Some(allocated), None),
        false => (None, Some(allocated)),
    };
    let first = first.iter_mut().flatten();
    let then = then.iter_mut().flatten();
    for Attained {
        steps,
        member,
        tests,
        allocations,
    } in first.chain(sources).chain(then)
    {
        if is_over {
            break;
        }
        let prover = Prover {
            steps: &steps,
            tables: &Tables::of(&steps),
            claim: &entry.claim,
            verified,
            budget,
        };
        is_too_fine |= prover.proofs(&mut |proof| {
            let mut proof = proof;
            if let Some(entries) = proof.as_object_mut() {
                entries.extend(member.map(|member| ("member".to_owned(), json!(member))));
                let tests = (!tests.is_empty()).then(|| ("tests".to_owned(), json!(tests)));
                entries.extend(tests);
                let planned = (!allocations.is_empty()).then(|| json!(allocations));
                entries.extend(planned.map(|planned| ("allocations".to_owned(), planned)));
            }
            is_over = asking.accepts(proof);
            is_over
        });
    }
    match (asking.written, asking.objection) {
        (Some(written), _) => Ok(written),
        (None, Some(Judgement::Misread(why))) => Err(NoCertificate::Misread(why)),
        _ if !is_of_bound && has_scores(&mechanism.mechanism) => Err(NoCertificate::Scores),
        _ if budget.check().is_err() => Err(NoCertificate::Time),
        (None, Some(Judgement::NotCovered(why))) => Err(NoCertificate::NotCovered(why)),
        _ if is_too_fine => Err(NoCertificate::TooFine),
        (None, Some(Judgement::Rejected(why))) => Err(NoCertificate::OutOfReach(why)),
        (None, Some(Judgement::Accepted | Judgement::NotItsProof) | None) => {
            Err(NoCertificate::NoProof)
        }
    }
}

/// Is it about a single test, or about δ?
fn is_of_points(claim: &StatedClaim) -> bool {
    match claim {
        StatedClaim::ApproxDp { .. }
        | StatedClaim::Advantage { .. }
        | StatedClaim::TradeOff { .. } => true,
        StatedClaim::PureDp { .. }
        | StatedClaim::Gdp { .. }
        | StatedClaim::DominatedBy { .. }
        | StatedClaim::Zcdp { .. }
        | StatedClaim::Rdp { .. }
        | StatedClaim::Regret { .. } => false,
    }
}

/// One candidate after the other, until one is accepted.
struct Asking<'a> {
    heading: Heading<'a>,
    judge: &'a dyn Fn(&str) -> Judgement,
    written: Option<String>,
    /// To the last one.
    objection: Option<Judgement>,
}

impl Asking<'_> {
    fn accepts(&mut self, proof: Value) -> bool {
        let certificate = self.heading.certificate(proof);
        match (self.judge)(&certificate) {
            Judgement::Accepted => self.written = Some(certificate),
            // It says nothing of what is within reach.
            Judgement::NotItsProof => {}
            other => self.objection = Some(other),
        }
        self.written.is_some()
    }
}
