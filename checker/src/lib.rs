//! Checks certificates of differential-privacy claims, as `dpcmp verify --certificate` writes them.
//!
//! A certificate has a claim file and hints. [`check`] reads the claim file again, derives what is claimed with integers and
//! fractions alone, and uses the hints to know what to compute; a wrong hint makes it say no, never a false yes. It shares no
//! code with what writes certificates, and needs no C compiler. `proofs/FORMAT.md` in the repository of dpcmp describes the
//! format and proves every step that is taken here.
//!
//! ```
//! use dpcmp_check::{Condition, Verdict, check};
//!
//! let certificate = std::fs::read("examples/answers.json")?;
//! match check(&certificate, &Default::default()) {
//!     Ok(accepted) => {
//!         assert_eq!(accepted.statement.verdict, Verdict::Verified);
//!         assert_eq!(accepted.statement.to_string(), "delta(0) <= 1/2, adjacency add-remove");
//!         assert_eq!(accepted.conditions, [Condition::ClaimFile]);
//!         println!("{accepted}");
//!     }
//!     Err(rejected) => println!("{rejected}, in {}", rejected.place),
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | file | job |
//! |---|---|
//! | `certificate` | the certificate as a whole, its frame and what it says |
//! | `stated` | the mechanism in the words of the claim file |
//! | `answer` | what was proved, in types and in words |
//! | `reason` | why a certificate is not accepted; text of a file as it may be shown |
//! | `value`, `toml` | JSON and TOML text |
//! | `claim` | what the claim file says: the claim, exact fractions |
//! | `numbers` | its numbers, exactly, and in their ranges |
//! | `mechanism`, `event` | the mechanism of a claim file: every kind that is read; DpEvents |
//! | `kinds`, `sensitivity` | selections, thresholds, batches, correlated noise; how far a record moves sums |
//! | `runs` | how many runs there are, of which the best one is released |
//! | `normal` | a mechanism as steps: samples, mixtures, groups, replaced records |
//! | `step` | what a mechanism is made of: steps, each a pair or a class of pairs |
//! | `proof` | the steps of its proof, the final inequality |
//! | `dataset` | what one dataset does, of a step that is the worst of many, and one of a class |
//! | `source` | bounds of δ for one order of a pair, recomputed |
//! | `dominance` | one mechanism against another one |
//! | `training` | `dp-sgd`, Opacus states, how batches are drawn |
//! | `exact`, `curve` | pairs of vectors in fractions, and their trade-off curves |
//! | `theorem` | proofs that need no law: largest loss, Gaussian μ, exact pairs |
//! | `law` | integer laws of compositions: discretise, convolve, coarsen, trim |
//! | `adaptive` | several choices by score together |
//! | `profile` | δ and the null's tail of single steps |
//! | `noise` | the same of mixtures of shifted noise, by one threshold |
//! | `shuffled` | shuffled reports, and the same of them |
//! | `mean` | random allocations: sums of likelihood ratios |
//! | `renyi` | Rényi divergences: moments of laws, closed forms, what they say about δ |
//! | `real` | enclosures of √, exp, log and the normal tail in integers |
//! | `work` | one budget for all of it, counted; the proof in words |
//! | `main` | the program `dpcmp-check`: command line, exit codes |

#![cfg_attr(test, allow(clippy::disallowed_methods))]
#![cfg_attr(not(test), deny(clippy::as_conversions, clippy::float_arithmetic, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unreachable, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod adaptive;
mod answer;
mod certificate;
mod claim;
#[cfg(test)]
mod coarse;
#[cfg(test)]
mod coarse_tests;
mod condition;
mod curve;
mod dataset;
mod distinguishing;
mod dominance;
#[cfg(test)]
mod engine_tests;
mod event;
mod exact;
mod finite;
mod group;
mod kinds;
#[cfg(test)]
mod kinds_tests;
mod law;
mod matrix;
mod mean;
mod mechanism;
#[cfg(test)]
mod members_tests;
mod noise;
mod normal;
mod numbers;
mod outcomes;
mod power;
mod profile;
mod proof;
#[cfg(test)]
mod readings_tests;
mod real;
mod reason;
#[cfg(test)]
mod refusals_tests;
mod renyi;
mod runs;
mod sensitivity;
mod shuffled;
#[cfg(test)]
mod small_twins_tests;
mod source;
mod stated;
mod step;
mod theorem;
mod toml;
mod training;
mod value;
mod work;

use std::io::Read;

pub use answer::{Accepted, Adjacency, Claim, Statement, Steps, Verdict};
pub use certificate::{Options, check};
pub use condition::Condition;
pub use num_bigint::BigInt;
pub use num_rational::BigRational;
pub use reason::{Place, Reason, Rejected, one_line};
pub use runs::Runs;
pub use step::{Epsilon, Noise, Parts, Reports, Shifts, Step};

// What every file begins with (`use crate::*`): the names above, and these.
pub(crate) use claim::Direction;
pub(crate) use curve::Power;
pub(crate) use exact::Pairs;
pub(crate) use kinds::MOST_TIMES;
pub(crate) use law::{Law, Side};
pub(crate) use mechanism::Relation;
pub(crate) use normal::Normal;
pub(crate) use num_traits::{One, Signed, ToPrimitive, Zero};
pub(crate) use numbers::int;
pub(crate) use real::{Real, half, w};
pub(crate) use sensitivity::Square;
pub(crate) use source::{Source, units};
pub(crate) use step::Mechanism;
pub(crate) use theorem::Largest;
pub(crate) use value::Value;
pub(crate) use work::{digits, explain, spend, spend_each, spend_on, spend_on_bits};

/// What comes of what a certificate or a claim file says, or why nothing does.
pub(crate) type Result<T, E = Rejected> = std::result::Result<T, E>;

/// A JSON or TOML text in canonical JSON, numbers as they are written: for tests of the reader.
#[doc(hidden)]
pub fn canonical(text: &str) -> Result<String> {
    work::begin(None);
    Ok(claim::document(text)?.canonical())
}

/// The steps of a mechanism in normal form, and the members where they are only a bound: for tests of the reader.
#[doc(hidden)]
pub fn normal_form(claim_file: &str) -> Result<(Parts, Vec<Parts>)> {
    work::begin(None);
    let file = claim::read(claim_file, claim::Form::Line, 0)?;
    Ok((file.mechanism.steps, file.mechanism.members))
}

/// [`check`] for a certificate that is read from somewhere, of which no more is read than is checked.
///
/// # Errors
/// As for [`check`]; if it cannot be read, the reason is [`Reason::Unreadable`].
///
/// ```
/// let certificate = std::fs::File::open("examples/answers.json")?;
/// assert!(dpcmp_check::check_reader(certificate, &Default::default()).is_ok());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn check_reader(certificate: impl Read, options: &Options<'_>) -> Result<Accepted, Rejected> {
    let mut bytes = Vec::new();
    certificate.take(certificate::LONGEST + 1).read_to_end(&mut bytes)?;
    check(&bytes, options)
}
