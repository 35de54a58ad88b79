//! JSON lines: claim files in `.jsonl`, and the questions of `dpcmp bound --batch`.

use super::{
    claim::{ClaimFile, file_mechanism, notes, read_claim_line, start_of},
    document::read_json_document,
    error::InputError,
    fields,
    mechanism::MechanismFile,
    node::Node,
    problem::{ErrorCode, Problem},
    query::read_query,
    source::Source,
};
use crate::statement::Query;

/// One question of `dpcmp bound --batch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchLine {
    /// The JSON text of `id`, to be echoed as it is; `null` if there is none.
    pub id: String,
    /// The mechanism asked about.
    pub mechanism: MechanismFile,
    /// What is asked.
    pub query: Query,
    /// Extra top-level keys with their JSON text.
    pub notes: Vec<(String, String)>,
}

/// Why a line of a batch cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct BatchLineError {
    /// The JSON text of `id` as far as it could be read; `null` otherwise.
    pub id: String,
    /// What is wrong.
    pub error: InputError,
}

const BATCH_KEYS: [&str; 3] = ["id", "mechanism", "query"];

/// Reads line `line_number` of a batch named `name`.
///
/// # Errors
/// Anything wrong with the line; other lines are not affected.
pub fn batch_line(
    name: &str,
    line_number: usize,
    bytes: &[u8],
) -> Result<BatchLine, BatchLineError> {
    let no_id = || "null".to_owned();
    let source = Source::decode(name, bytes, line_number)
        .map_err(|error| BatchLineError { id: no_id(), error })?;
    let node = read_json_document(source.text()).map_err(|problem| BatchLineError {
        id: no_id(),
        error: source.locate(problem),
    })?;
    let id = node.as_table().and_then(|table| table.get("id"));
    let id = id.map_or_else(no_id, |entry| source.slice(&entry.node.span).to_owned());
    match batch_parts(&source, &node) {
        Ok((mechanism, query, notes)) => Ok(BatchLine {
            id,
            mechanism,
            query,
            notes,
        }),
        Err(problem) => Err(BatchLineError {
            id,
            error: source.locate(problem),
        }),
    }
}

/// The lines that are not blank, numbered from 1, without their line breaks.
///
/// A byte-order mark belongs to no line.
pub fn numbered_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    bytes
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .zip(1..)
        .map(|(line, number)| (number, line))
        .filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// The claim files of a `.jsonl` file, one a line, with their line numbers.
pub fn claims_from_jsonl<'a>(
    name: &'a str,
    bytes: &'a [u8],
) -> impl Iterator<Item = (usize, Result<ClaimFile, InputError>)> + 'a {
    numbered_lines(bytes).map(move |(number, line)| (number, claim_line(name, number, line)))
}

/// The claim file that stands in line `number` of a `.jsonl` file.
///
/// # Errors
/// Anything that is not a claim file, with its place.
pub fn claim_line(name: &str, number: usize, line: &[u8]) -> Result<ClaimFile, InputError> {
    let source = Source::decode(name, line, number)?;
    read_claim_line(&source).map_err(|problem| source.locate(problem))
}

type BatchParts = (MechanismFile, Query, Vec<(String, String)>);

fn batch_parts(source: &Source<'_>, node: &Node) -> Result<BatchParts, Problem> {
    let table = fields::table(node, "a line of a batch")?;
    let mechanism = file_mechanism(node, table)?;
    let Some(query) = table.get("query") else {
        let problem = Problem::new(
            ErrorCode::MissingKey,
            &start_of(node),
            "there is no `query`",
        );
        return Err(problem.help("add `query` with `kind`, for instance {\"kind\":\"advantage\"}"));
    };
    Ok((
        mechanism,
        read_query(&query.node)?,
        notes(source, table, &BATCH_KEYS),
    ))
}
