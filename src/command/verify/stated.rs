//! `verify MECH --claim CLAIM`: claims of the command line about the mechanism of an input.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{FileAt, Run};
use crate::command::beside::{Folder, as_beside};
use crate::command::files::{InputFile, Unreadable, read};
use crate::command::given::is_inline;
use crate::command::init::parts;
use crate::command::output::StdoutClosed;
use crate::input::{InputError, MechanismFile, claim_file_from_bytes, mechanism_beside};
use crate::report::mechanism_json;
use crate::statement::Claim;

/// Claims of the command line, each of which can be read.
#[derive(Debug, Default)]
pub struct Stated(Vec<Value>);

impl Stated {
    /// From `kind:key=value,…`, as a claim file has them.
    ///
    /// # Errors
    /// What is wrong with the first that is no claim.
    pub fn new(claims: &[String]) -> Result<Self, InputError> {
        let read = |text: &String| Claim::from_argument(text).map(|_| table(text));
        Ok(Self(claims.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A claim file of these claims about a mechanism.
    fn about(&self, of: &MechanismFile) -> String {
        let mechanism = mechanism_json(&of.mechanism, of.adjacency);
        format!("{}\n", json!({"mechanism": mechanism, "claim": self.0}))
    }
}

/// The claim as the object of a claim file: every number as it was typed.
fn table(text: &str) -> Value {
    let (kind, keys) = text.split_once(':').unwrap_or((text, ""));
    let entry = |pair: &str| {
        let (key, typed) = pair.split_once('=')?;
        let typed = typed.trim();
        let value = match typed.starts_with(['{', '[', '"']) {
            true => serde_json::from_str(typed).ok()?,
            false => json!(typed),
        };
        Some((key.trim().to_owned(), value))
    };
    let kind = ("kind".to_owned(), json!(kind.trim()));
    Value::Object(
        std::iter::once(kind)
            .chain(parts(keys).filter_map(entry))
            .collect(),
    )
}

/// A file, or a mechanism that stands on the command line itself.
pub fn given(path: PathBuf) -> Result<InputFile, Unreadable> {
    match path.to_str().filter(|text| is_inline(text)) {
        Some(text) => Ok(InputFile {
            name: "argument".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }),
        None => read(Path::new(&path)),
    }
}

impl Run<'_> {
    /// Verifies the claims of the command line about the mechanism of this input.
    pub(super) fn stated(&mut self, file: &InputFile) -> Result<(), StdoutClosed> {
        let folder = Folder::of(file);
        let mechanism = mechanism_beside(&file.name, &file.bytes, as_beside(folder.as_ref()));
        let sha256 = file.sha256();
        let part = |file, named| FileAt {
            file,
            line: None,
            sha256: &sha256,
            named,
            layout: self.layout,
        };
        let mechanism = match mechanism {
            Ok(mechanism) => mechanism,
            Err(error) => return self.part(&part(file, Vec::new()), Err(error)),
        };
        let named = folder.map(|folder| folder.read_so_far());
        let written = InputFile {
            name: file.name.clone(),
            bytes: self.stated.about(&mechanism).into_bytes(),
        };
        let part = part(&written, named.unwrap_or_default());
        let claims = claim_file_from_bytes(&written.name, &written.bytes).map(|mut claims| {
            let is_same = claims.mechanism.mechanism == mechanism.mechanism
                && claims.mechanism.adjacency == mechanism.adjacency;
            claims.mechanism.notes = mechanism.notes;
            claims.mechanism.summary = mechanism.summary;
            (claims, is_same)
        });
        match claims {
            Ok((claims, true)) => self.part(&part, Ok(claims)),
            Ok((_, false)) => self.broken(&part, "the mechanism is read as another one"),
            Err(error) => self.part(&part, Err(error)),
        }
    }
}
