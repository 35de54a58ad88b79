//! The inputs of `dpcmp verify`, read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::stated::given;
use super::{FileAt, Run};
use crate::command::files::{InputFile, Unreadable, is_jsonl, read};
use crate::command::given::is_inline;
use crate::command::output::StdoutClosed;
use crate::input::{claims_from_jsonl, claims_of_statement, is_statement, numbered_lines};

/// The inputs, each read when its turn comes, and once; mechanisms may stand on the command line themselves.
pub fn inputs(
    paths: Vec<Result<PathBuf, Unreadable>>,
    are_mechanisms: bool,
) -> impl Iterator<Item = Result<InputFile, Unreadable>> {
    paths.into_iter().map(move |path| {
        path.and_then(|path| match are_mechanisms {
            true => given(path),
            false => read(&path).map_err(|error| without_claim(&path).unwrap_or(error)),
        })
    })
}

/// Of a mechanism on the command line without a claim.
fn without_claim(path: &Path) -> Option<Unreadable> {
    let is_mechanism = path.to_str().is_some_and(is_inline);
    is_mechanism.then(|| Unreadable {
        name: path.display().to_string(),
        message: "this is no file; of a mechanism on the command line, `--claim KIND:KEY=VALUE` says what is claimed".to_owned(),
    })
}

/// The lines of an input that is a claim file a line: its own, or those that a statement of TensorFlow Privacy makes.
pub fn lines_of(file: &InputFile) -> Option<Result<Cow<'_, [u8]>, String>> {
    if is_statement(&file.bytes) {
        let made = claims_of_statement(&file.bytes);
        return Some(made.map(|lines| Cow::Owned(lines.into_bytes())));
    }
    is_jsonl(file).then_some(Ok(Cow::Borrowed(&file.bytes)))
}

/// How many claim files an input is: its lines, or itself.
pub fn jobs(input: &Result<InputFile, Unreadable>) -> u64 {
    match input.as_ref().ok().and_then(lines_of) {
        Some(Ok(lines)) => {
            let lines = numbered_lines(&lines).count().max(1);
            u64::try_from(lines).unwrap_or(u64::MAX)
        }
        _ => 1,
    }
}

/// One file, or lines of which there is one.
pub fn is_one_claim_file(inputs: &[Result<InputFile, Unreadable>]) -> bool {
    match inputs {
        // What cannot be read is said in its turn.
        [input] => match input.as_ref().ok().and_then(lines_of) {
            Some(Ok(lines)) => numbered_lines(&lines).count() == 1,
            Some(Err(_)) | None => true,
        },
        _ => false,
    }
}

impl Run<'_> {
    /// Verifies the claim file in every line.
    pub(super) fn lines(&mut self, file: &InputFile, sha256: &str) -> Result<(), StdoutClosed> {
        if numbered_lines(&file.bytes).nth(1).is_some() {
            self.several();
        }
        let mut lines = 0u64;
        for (line, claims) in claims_from_jsonl(&file.name, &file.bytes) {
            lines = lines.saturating_add(1);
            if !self.turns.take() {
                continue;
            }
            let part = FileAt {
                file,
                line: Some(line),
                sha256,
                named: Vec::new(),
                layout: self.of_lines,
            };
            self.part(&part, claims)?;
        }
        if lines == 0 && self.turns.take() {
            self.unreadable(&Unreadable {
                name: file.name.clone(),
                message: "there is no claim to verify".to_owned(),
            })?;
        }
        Ok(())
    }
}
