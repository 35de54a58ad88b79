//! Which findings of `fuzz-accountant` make it exit with 1: those of some kinds that are not known already.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::files::read;
use crate::accountant::{Kind, Known};
use crate::report::Judgement;

/// What fails a run.
#[derive(Debug)]
pub struct Failing {
    kinds: Vec<Kind>,
    /// Kind and cause of findings that are known.
    known: BTreeSet<(String, String)>,
}

impl Failing {
    /// Findings of these kinds, but for those of an earlier run, whose JSON lines are in the file `baseline`.
    ///
    /// # Errors
    /// If that file cannot be read, or a line of it is no JSON object.
    pub fn new(kinds: &[Kind], baseline: Option<&Path>) -> Result<Self, String> {
        let known = match baseline {
            None => BTreeSet::new(),
            Some(path) => {
                let wrong = |why: &dyn std::fmt::Display| {
                    format!("cannot read the baseline `{}`: {why}", path.display())
                };
                let file = read(path).map_err(|unreadable| wrong(&unreadable.message))?;
                let text = String::from_utf8(file.bytes).map_err(|error| wrong(&error))?;
                known(&text).map_err(|why| wrong(&why))?
            }
        };
        Ok(Self {
            kinds: kinds.to_vec(),
            known,
        })
    }

    /// Does the baseline have it?
    pub fn is_known(&self, finding: &Known) -> bool {
        let entry = (finding.kind.as_str().to_owned(), finding.cause.clone());
        self.known.contains(&entry)
    }

    /// Does it fail the run?
    pub fn judge(&self, finding: &Known) -> Judgement {
        if self.is_known(finding) {
            Judgement::IsKnown
        } else if self.kinds.contains(&finding.kind) {
            Judgement::Fails
        } else {
            Judgement::Passes
        }
    }
}

/// Kind and cause of every finding in the output of `--format json`; its other lines are about the run.
fn known(text: &str) -> Result<BTreeSet<(String, String)>, String> {
    let mut known = BTreeSet::new();
    for (number, line) in (1u64..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(line).map_err(|error| {
            format!(
                "line {number} is no JSON, as `fuzz-accountant --format json` prints it: {error}"
            )
        })?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if let (Some("dpcmp.finding/1"), Some(kind), Some(cause)) =
            (text("schema").as_deref(), text("kind"), text("cause"))
        {
            known.insert((kind, cause));
        }
    }
    Ok(known)
}

/// The kind of that name.
///
/// # Errors
/// If there is none.
pub fn kind(text: &str) -> Result<Kind, String> {
    let found = Kind::ALL.into_iter().find(|kind| kind.as_str() == text);
    found.ok_or_else(|| {
        let all = Kind::ALL.map(Kind::as_str).join(", ");
        format!("a finding is one of {all}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: Kind, cause: &str) -> Known {
        Known {
            number: 1,
            kind,
            first_cause: String::new(),
            cause: cause.to_owned(),
            file: String::new(),
            json: String::new(),
            toml: String::new(),
            words: String::new(),
        }
    }

    /// What is known fails nothing; the same cause of another kind, and another cause, do.
    #[test]
    fn only_what_is_new_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known.jsonl");
        let lines = "{\"schema\":\"dpcmp.finding/1\",\"kind\":\"unsound\",\"cause\":\"a\"}\n\n{\"schema\":\"dpcmp.fuzz/1\",\"kind\":\"loose\",\"cause\":\"b\"}\n";
        std::fs::write(&path, lines).unwrap();
        let kinds = [Kind::Unsound, Kind::Loose];
        let failing = Failing::new(&kinds, Some(&path)).unwrap();
        assert!(failing.is_known(&finding(Kind::Unsound, "a")));
        for (kind, cause, judgement) in [
            (Kind::Unsound, "a", Judgement::IsKnown),
            (Kind::Loose, "a", Judgement::Fails),
            (Kind::Unsound, "b", Judgement::Fails),
            (Kind::Loose, "b", Judgement::Fails),
            (Kind::Crash, "a", Judgement::Passes),
        ] {
            assert_eq!(failing.judge(&finding(kind, cause)), judgement);
        }
        std::fs::write(&path, "nonsense").unwrap();
        let error = Failing::new(&kinds, Some(&path)).unwrap_err();
        assert!(error.contains("line 1 is no JSON"), "{error}");
    }

    #[test]
    fn kinds_by_their_names() {
        for known in Kind::ALL {
            assert_eq!(kind(known.as_str()), Ok(known));
        }
        assert!(kind("lose").unwrap_err().contains("loose"));
    }
}
