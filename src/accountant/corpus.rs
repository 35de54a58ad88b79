//! What a run has done, in a file that a later run goes on from.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::answer::clip;
use super::campaign::{Known, Step};
use super::judge::Kind;

const SCHEMA: &str = "dpcmp.fuzz-corpus/1";
const FILE: &str = "cases.jsonl";

/// The record of one seed and one accountant.
pub struct Corpus {
    file: File,
    /// What it held when it was opened.
    pub earlier: Vec<Step>,
}

impl Corpus {
    /// Opens or makes the record in a folder.
    ///
    /// # Errors
    /// If it cannot be read or written, or is about another seed or accountant: in words.
    pub fn open(folder: &Path, seed: u64, accountant: &str) -> Result<Self, String> {
        let words = |error: io::Error| format!("the corpus {}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(words)?;
        let path = folder.join(FILE);
        // What is not UTF-8 is no case, and is asked again.
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(words(error)),
        };
        let head = json!({"schema": SCHEMA, "seed": seed.to_string(), "accountant": accountant});
        let (text, is_torn) = match format!("{head}\n").strip_prefix(&text) {
            // Ended within its first line: nothing is known.
            Some(_) => (String::new(), !text.is_empty()),
            None => (text, false),
        };
        let mut lines = text.lines();
        match lines.next().map(serde_json::from_str::<Value>) {
            None => {}
            Some(Ok(found)) if found == head => {}
            Some(_) => {
                return Err(format!(
                    "{} is the record of another seed or accountant; take another folder, or the seed and accountant it was made with",
                    path.display()
                ));
            }
        }
        // A last line that was cut off is a case that is asked again.
        let mut numbers = BTreeSet::new();
        let earlier = lines
            .filter_map(read_step)
            .filter(|step| numbers.insert(step.number))
            .collect();
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(words)?;
        if is_torn {
            file.set_len(0).map_err(words)?;
        }
        let mut start = String::new();
        if text.is_empty() {
            start = format!("{head}\n");
        } else if !text.ends_with('\n') {
            start.push('\n');
        }
        file.write_all(start.as_bytes()).map_err(words)?;
        Ok(Self { file, earlier })
    }

    /// Adds a finished case.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, step: &Step) -> io::Result<()> {
        let kinds: Vec<&str> = step.kinds.iter().map(|kind| kind.as_str()).collect();
        let findings: Vec<Value> = step.findings.iter().map(known_json).collect();
        let line = json!({
            "case": step.number,
            "answered": step.answered,
            "undecided": step.undecided,
            "suspect": step.suspect,
            "kinds": kinds,
            "findings": findings,
        });
        self.file.write_all(format!("{line}\n").as_bytes())
    }
}

fn known_json(known: &Known) -> Value {
    json!({
        "kind": known.kind.as_str(),
        "first-cause": known.first_cause,
        "cause": known.cause,
        "file": known.file,
        "json": known.json,
        "toml": known.toml,
        "words": known.words,
    })
}

fn read_step(line: &str) -> Option<Step> {
    let value: Value = serde_json::from_str(line).ok()?;
    let number = value.get("case")?.as_u64()?;
    let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
    let list = |key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let kinds: BTreeSet<Kind> = list("kinds")
        .iter()
        .filter_map(|word| kind(word.as_str()?))
        .collect();
    let findings = list("findings");
    let findings = findings.iter().map(|found| read_known(found, number));
    let findings: Option<Vec<Known>> = findings.collect();
    let findings = findings?;
    let suspect = value.get("suspect").and_then(Value::as_str);
    Some(Step {
        number,
        answered: flag("answered"),
        undecided: flag("undecided"),
        suspect: suspect.map(str::to_owned),
        kinds,
        findings,
        cut_short: false,
    })
}

fn read_known(value: &Value, number: u64) -> Option<Known> {
    let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
    Some(Known {
        number,
        kind: kind(&text("kind")?)?,
        first_cause: text("first-cause")?,
        cause: clip(&text("cause")?, 1000),
        file: text("file").filter(|name| is_file_name(name))?,
        json: text("json")?,
        toml: text("toml")?,
        words: clip(&text("words")?, 10_000),
    })
}

/// Is it the name of a finding, in the folder of findings and nowhere else?
fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    name.ends_with(".toml") && !name.starts_with('.') && name.chars().all(is_plain)
}

fn kind(word: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.as_str() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_where_it_was_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let step = |number| Step {
            number,
            answered: true,
            undecided: false,
            suspect: Some("a".into()),
            kinds: BTreeSet::from([Kind::Unsound]),
            cut_short: false,
            findings: vec![Known {
                number,
                kind: Kind::Unsound,
                first_cause: "a".into(),
                cause: "b".into(),
                file: "f.toml".into(),
                json: "{}".into(),
                toml: "# x\n".into(),
                words: "w".into(),
            }],
        };
        let mut corpus = Corpus::open(folder.path(), 1, "a").unwrap();
        assert!(corpus.earlier.is_empty());
        corpus.add(&step(0)).unwrap();
        corpus.add(&step(1)).unwrap();
        // Cut off in the middle of a line.
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 20]).unwrap();
        let mut corpus = Corpus::open(folder.path(), 1, "a").unwrap();
        assert_eq!(corpus.earlier, [step(0)]);
        corpus.add(&step(1)).unwrap();
        let mut corpus = Corpus::open(folder.path(), 1, "a").unwrap();
        assert_eq!(corpus.earlier, [step(0), step(1)]);
        // The same case again, names outside of the folder, and bytes that are no text.
        corpus.add(&step(1)).unwrap();
        for name in [
            "../escaped.toml",
            "/folder/x.toml",
            "..",
            "a/b.toml",
            "plain",
            ".toml",
        ] {
            let mut bad = step(2);
            bad.findings
                .iter_mut()
                .for_each(|known| known.file = name.into());
            corpus.add(&bad).unwrap();
        }
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(b"\xff\xfe\n");
        fs::write(&path, bytes).unwrap();
        let again = Corpus::open(folder.path(), 1, "a").unwrap();
        assert_eq!(again.earlier, [step(0), step(1)]);
        assert!(Corpus::open(folder.path(), 2, "a").is_err());
        assert!(Corpus::open(folder.path(), 1, "b").is_err());
    }

    #[test]
    fn a_record_may_end_within_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let open = |seed| Corpus::open(folder.path(), seed, "a");
        open(1).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(open(1).unwrap().earlier.is_empty());
            assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        }
        assert!(open(2).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }
}
