//! Claim and mechanism files: text to mechanism and claims, errors with their place.
//!
//! Numbers are read from their text as exact rationals, so `0.1` is 1/10. Every range is checked here, with its place:
//! a mechanism, claim or query that leaves this module is valid. Every error is an
//! [`InputError`] with file, line, column, a stable [`ErrorCode`] and, where there is one, the next step.
//!
//! | entry point | reads |
//! |---|---|
//! | [`claim_file_from_bytes`] | one claim file, TOML or JSON |
//! | [`claims_from_jsonl`] | claim files, one JSON object a line |
//! | [`mechanism_from_bytes`] | the MECH argument: mechanism, claim file, Opacus state or DpEvent |
//! | [`Template`] | the same with keys replaced, for calibration and sweeps |
//! | `Query::from_argument`, `Claim::from_argument` | `kind:key=value,…` |
//! | `Requirement::from_argument` | the same for a target of a calibration |
//! | [`ProfileTable::from_bytes`] | privacy profiles of another accountant |
//! | [`batch_line`] | one line of `bound --batch` |
//! | [`Beside`] | the matrices of files that a file names |
//!
//! [`mod@reference`] says of every kind which keys it has and what they mean.
//!
//! From text to meaning: `source` (bytes, lines, columns) → `document` (`json` or `toml_text`) → `node` (a tree with
//! places) → `fields` (keys, ranges) → `mechanism`, `claim`, `query`. Input size, nesting, digits, exponents and the memory
//! of all numbers are bounded, so that no input takes unbounded time.

mod argument;
mod batch;
mod claim;
mod correlated;
mod document;
mod dp_event;
mod dp_sgd;
mod epsilon;
mod error;
mod exact_vectors;
mod fields;
mod json;
mod json_many;
mod json_string;
mod matrix_file;
mod mechanism;
mod node;
mod noise_threshold;
mod opacus;
mod problem;
mod profile_table;
mod query;
pub mod reference;
mod requirement;
mod sampling;
mod scores;
mod selection;
mod skellam;
mod source;
mod template;
mod tf_privacy;
mod toml_text;
mod words;

pub use crate::mechanism::{GdpForm, Prior, RenyiOrder};
pub use batch::{
    BatchLine, BatchLineError, batch_line, claim_line, claims_from_jsonl, numbered_lines,
};
pub use claim::{ClaimEntry, ClaimFile};
pub use error::InputError;
#[cfg(feature = "cli")]
pub(crate) use fields::suggestion;
pub use matrix_file::{Beside, BesideFile};
pub use mechanism::MechanismFile;
pub use node::MAX_DEPTH;
pub use problem::ErrorCode;
pub use profile_table::ProfileTable;
pub use source::{MAX_BYTES, MAX_TEXT_BYTES};
pub use template::Template;
pub use tf_privacy::{claims_of_statement, is_statement};

use source::Source;

/// Whether a MECH argument is a mechanism itself, in JSON or TOML, rather than the name of a file.
///
/// A text with a line break, `=` or a leading `{` or `[` counts as inline; look for a file of that name first.
pub fn is_inline(argument: &str) -> bool {
    argument.trim_start().starts_with(['{', '[']) || argument.contains(['=', '\n'])
}

/// Reads a claim file, TOML or JSON, with at least one claim. `name` is only for messages.
///
/// # Errors
/// Anything that is not a claim file, with its place.
pub fn claim_file_from_bytes(name: &str, bytes: &[u8]) -> Result<ClaimFile, InputError> {
    claim_file_beside(name, bytes, None)
}

/// As [`claim_file_from_bytes`], with the files that it may name.
///
/// # Errors
/// As [`claim_file_from_bytes`], and anything wrong with those files, with its place in them.
pub fn claim_file_beside(
    name: &str,
    bytes: &[u8],
    beside: Option<&dyn Beside>,
) -> Result<ClaimFile, InputError> {
    let source = Source::decode_repetitive(name, bytes)?;
    claim::read_claim_file(&source, beside).map_err(|problem| source.locate(problem))
}

/// Reads the mechanism of a MECH argument: a mechanism, a claim file (its mechanism), an Opacus accountant
/// state or a dp_accounting DpEvent. `name` is only for messages.
///
/// # Errors
/// Anything that is none of these, with its place.
pub fn mechanism_from_bytes(name: &str, bytes: &[u8]) -> Result<MechanismFile, InputError> {
    mechanism_beside(name, bytes, None)
}

/// As [`mechanism_from_bytes`], with the files that it may name.
///
/// # Errors
/// As [`mechanism_from_bytes`], and anything wrong with those files, with its place in them.
pub fn mechanism_beside(
    name: &str,
    bytes: &[u8],
    beside: Option<&dyn Beside>,
) -> Result<MechanismFile, InputError> {
    let source = Source::decode_repetitive(name, bytes)?;
    if is_statement(bytes) {
        let start = bytes.len().saturating_sub(bytes.trim_ascii_start().len());
        return Err(source.locate(tf_privacy::several_claims(start)));
    }
    claim::read_mechanism_argument(&source, beside).map_err(|problem| source.locate(problem))
}
