//! **dpcmp** certifies or refutes reported differential-privacy guarantees.
//!
//! Every number it publishes is an enclosure `[lower, upper]` that contains the true value: inputs are
//! exact rationals, special functions are evaluated with directed rounding, and compositions are
//! bounded from both sides by integer loss distributions.
//!
//! # Map of the house
//!
//! Data flows down this list and a module may use only modules above it (`tests/architecture` holds
//! it to that). "Trusted" means: a mistake there can make dpcmp print a false statement, so no float
//! types, no `as` casts and no panics are allowed in it.
//!
//! | module | job | trusted |
//! |---|---|---|
//! | [`number`] | decimal text to exact rational and back, rounded in a named direction | yes |
//! | [`kernel`] | directed rounding, intervals, the normal law, points of a privacy profile | yes |
//! | [`mechanism`] | what a mechanism is, and its privacy profile; one file each | yes |
//! | [`renyi`] | Rényi divergences and the zCDP parameter, part by part | yes |
//! | [`input`] | claim and mechanism files: text to mechanism and claims, errors with their place | yes |
//! | [`law`] | integer loss distributions, upper and lower: discretise, convolve, coarsen, trim | yes |
//! | [`fourier`] | sums of many losses by Fourier integrals with every error bounded | yes |
//! | [`float`] | every quantity as an f64 estimate, in milliseconds | no |
//! | [`plan`] | floats choose lattice, range and bits; wrong hints cost width, never soundness | no |
//! | [`composition`] | a mechanism as one closed form, a finite law, or a pair of laws | yes |
//! | [`bounds`] | δ, ε, trade-off, advantage, Bayes error, minimax risk, Gaussian-DP μ | yes |
//! | [`emergence`] | moments of a step's privacy loss and what Berry–Esseen proves about its compositions | yes |
//! | [`analysis`] | any quantity of a mechanism, refined until narrow enough or decided | yes |
//! | [`verdict`] | a claim against its enclosure: verified, refuted or undecided | yes |
//! | [`certificate`] | a decided claim as hints from which the separate `dpcmp-check` derives the verdict again | no |
//! | [`summary`] | concise representations of a mechanism, each with its regret | yes |
//! | [`accountant`] | questions to an external accountant, its answers judged, false guarantees shrunk and confirmed | no |
//! | [`report`] | verdicts as text for people and JSON for machines | prints |
//! | [`plot`] | pictures of certified numbers: SVG, PNG, terminal | prints |
//! | [`command`] | the command line: `verify`, `bound`, `compare`, `report`, `fuzz-accountant`, exit codes | no |

#![cfg(feature = "engine")]
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

pub mod accountant;
pub mod analysis;
pub mod bounds;
pub mod certificate;
pub mod command;
pub mod composition;
pub mod emergence;
pub mod float;
pub mod fourier;
pub mod input;
pub mod kernel;
pub mod law;
pub mod mechanism;
pub mod number;
pub mod plan;
pub mod plot;
pub mod renyi;
pub mod report;
pub mod summary;
pub mod verdict;

/// The example of the README is compiled and run like the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
