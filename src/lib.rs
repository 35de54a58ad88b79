//! **dpcmp** certifies or refutes reported differential-privacy guarantees.
//!
//! Every number it publishes is an enclosure `[lower, upper]` that contains the true value: inputs are exact rationals, special
//! functions are evaluated with directed rounding, and compositions are bounded from both sides by integer loss distributions.
//!
//! # How to use it
//!
//! Say what was run, prepare an [`Analysis`] of it, and ask.
//!
//! ```
//! use dpcmp::{Analysis, Claim, Mechanism, Precision, Query};
//!
//! fn main() -> Result<(), dpcmp::Error> {
//!     // 2000 steps of DP-SGD. A number is a text, an integer, a fraction, or a double by its shortest decimal.
//!     let run = Mechanism::dp_sgd("9.4", "16384/50000", 2000)?;
//!     let analysis = Analysis::of(run).prepare()?;
//!
//!     // What is the privacy loss at δ = 1e-5? Both bounds are proved.
//!     let epsilon = analysis.epsilon("1e-5")?;
//!     println!("ε is in {epsilon}");
//!
//!     // Is a reported guarantee true? If not, what would be?
//!     let verdict = analysis.verify(&Claim::approx_dp("7.4", "1e-5")?)?;
//!     assert!(verdict.is_refuted());
//!     let nearest = verdict.nearest_true().expect("one is known");
//!     assert!(analysis.verify(&nearest)?.is_verified());
//!
//!     // Anything else is a query, as narrow as is wanted.
//!     let power = Query::trade_off("0.01")?;
//!     let beta = analysis.bound(&power, Precision::relative("1e-5")?)?;
//!     assert!(beta.lower() <= beta.upper());
//!
//!     // What the numbers take for granted belongs to them.
//!     for condition in analysis.conditions() {
//!         println!("provided: {condition}");
//!     }
//!     Ok(())
//! }
//! ```
//!
//! | to | use |
//! |---|---|
//! | say what was run | [`Mechanism`], [`Adjacency`] |
//! | bound a quantity | [`Analysis::bound`] with a [`Query`] and a [`Precision`]: an [`Enclosure`] |
//! | check a guarantee | [`Analysis::verify`] with a [`Claim`]: a [`Verdict`] |
//! | check a claim file | [`ClaimFile::verify`] |
//! | compare two mechanisms | [`Analysis::compare`]: a [`Comparison`] |
//! | report on a mechanism | [`Analysis::report`]: a [`Report`] |
//! | draw a curve | [`Analysis::curve`] |
//! | find the least noise | [`Calibration`] |
//! | ask at many values of a parameter | [`Sweep`] |
//!
//! Every failure is an [`Error`]. Numbers that go in are [`Exact`]; those that come out are of [`rug`], which is exported again.

// Map of the house
//
// Data flows down this list and a module may use only modules above it (`tests/architecture` holds
// it to that). "Trusted" means: a mistake there can make dpcmp print a false statement, so no float
// types, no `as` casts and no panics are allowed in it.
//
// | module | job | trusted |
// |---|---|---|
// | [`number`] | decimal text to exact rational and back, rounded in a named direction | yes |
// | [`kernel`] | directed rounding, intervals, the normal law, points of a privacy profile | yes |
// | [`mechanism`] | what a mechanism is, and its privacy profile; one file each | yes |
// | [`statement`] | what is claimed and asked of a mechanism, every number in its range | yes |
// | [`renyi`] | Rényi divergences and the zCDP parameter, part by part | yes |
// | [`input`] | claim and mechanism files: text to mechanism and claims, errors with their place | yes |
// | [`law`] | integer loss distributions, upper and lower: discretise, convolve, coarsen, trim | yes |
// | [`fourier`] | sums of many losses by Fourier integrals with every error bounded | yes |
// | [`float`] | every quantity as an f64 estimate, in milliseconds | no |
// | [`plan`] | floats choose lattice, range and bits; wrong hints cost width, never soundness | no |
// | [`composition`] | a mechanism as one closed form, a finite law, or a pair of laws | yes |
// | [`bounds`] | δ, ε, trade-off, advantage, Bayes error, minimax risk, Gaussian-DP μ | yes |
// | [`emergence`] | moments of a step's privacy loss and what Berry–Esseen proves about its compositions | yes |
// | [`analysis`] | any quantity of a mechanism, refined until narrow enough or decided | yes |
// | [`verdict`] | a claim against its enclosure: verified, refuted or undecided | yes |
// | [`certificate`] | a decided claim as hints from which the separate `dpcmp-check` derives the verdict again | no |
// | [`summary`] | concise representations of a mechanism, each with its regret | yes |
// | [`accountant`] | questions to an external accountant, its answers judged, false guarantees shrunk and confirmed | no |
// | [`study`] | what dpcmp is asked for, as functions with typed answers | no |
// | [`door`] | the names that users of the library need | no |
// | [`report`] | verdicts as text for people and JSON for machines | prints |
// | [`plot`] | pictures of certified numbers: SVG, PNG, terminal | prints |
// | [`command`] | the command line: `verify`, `bound`, `compare`, `report`, `fuzz-accountant`, exit codes | no |
//
// The checker of certificates is a package of its own, `checker/`, and uses nothing of this one; only `command` uses it.

#![cfg_attr(
    not(test),
    deny(
        clippy::as_conversions,
        clippy::expect_used,
        clippy::float_arithmetic,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub use door::{
    Analysis, Builder, Calibration, ClaimFile, Comparison, ComparisonOptions, Emergence, Enclosure,
    Error, Extremes, Precision, Report, ReportOptions, Solved, Statement, StepMoments, Sweep,
    SweepPoint, Verdict, WeightedDivergences,
};
pub use mechanism::{Adjacency, Epsilon, ExactEpsilon, Mechanism, OutOfRange, Prior};
pub use number::{Exact, NumberError};
pub use rug;
pub use statement::{Claim, Query};
pub use study::CurveKind;
pub use verdict::{Blackwell, Coordinate, Counterexample};

// What follows is no part of the interface: it is public for the tests and the program only, and changes without notice.
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod accountant;
#[doc(hidden)]
pub mod analysis;
#[doc(hidden)]
pub mod bounds;
#[doc(hidden)]
#[cfg(feature = "certificates")]
pub mod certificate;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod command;
#[doc(hidden)]
pub mod composition;
mod door;
#[doc(hidden)]
pub mod emergence;
#[doc(hidden)]
pub mod float;
#[doc(hidden)]
pub mod fourier;
#[doc(hidden)]
pub mod input;
#[doc(hidden)]
pub mod kernel;
#[doc(hidden)]
pub mod law;
#[doc(hidden)]
pub mod mechanism;
#[doc(hidden)]
pub mod number;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod plot;
#[doc(hidden)]
pub mod renyi;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod report;
#[doc(hidden)]
pub mod statement;
#[doc(hidden)]
pub mod study;
#[doc(hidden)]
pub mod summary;
#[doc(hidden)]
pub mod verdict;

#[cfg(test)]
mod test_scale;

/// The example of the README is compiled and run like the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
