//! Folders, walked to the bottom: which files in them are read, and what is skipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::{InputFile, Unreadable, has_ending, is_standard_input, read, unreadable};
use crate::input::{MAX_BYTES, numbered_lines};

/// No walk looks at more entries.
const MOST_ENTRIES: usize = 1_000_000;

/// So many names are said of what is skipped for one reason.
const MOST_NAMES: usize = 5;

/// What is looked for in folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Claim files.
    Claims,
    /// Certificates.
    Certificates,
    /// Entries of the registry of deployments.
    Entries,
}

/// The files that paths stand for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Files to read, and folders that cannot be.
    pub inputs: Vec<Result<PathBuf, Unreadable>>,
    /// What is skipped in the folders, a line for each folder and reason.
    pub skipped: Vec<String>,
}

/// Why an entry of a folder is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Skip {
    Ending,
    Certificate,
    Claims,
    Written,
    Hidden,
    Link,
    Special,
}

impl Skip {
    fn words(self, wanted: Wanted) -> &'static str {
        match self {
            Self::Ending => match wanted {
                Wanted::Claims => "not .toml, .json or .jsonl",
                Wanted::Certificates => "not .json",
                Wanted::Entries => "not .yaml or .yml",
            },
            Self::Certificate => "a certificate, which `dpcmp check` reads",
            Self::Claims => "a claim file, which `dpcmp verify` reads",
            Self::Written => "a result of dpcmp",
            Self::Hidden => "hidden",
            Self::Link => "a link to a folder",
            Self::Special => "neither a file nor a folder",
        }
    }
}

/// The files that the paths name: a folder is replaced by the files wanted in it and in its folders, in alphabetical order. Hidden
/// entries are skipped, and links to folders are not followed.
pub fn expand(paths: &[PathBuf], wanted: Wanted) -> Expanded {
    let mut expanded = Expanded::default();
    for path in paths {
        if is_standard_input(path) || !path.is_dir() {
            expanded.inputs.push(Ok(path.to_owned()));
        } else {
            walk(path, wanted, &mut expanded);
        }
    }
    expanded
}

fn walk(top: &Path, wanted: Wanted, expanded: &mut Expanded) {
    let mut waiting = vec![top.to_owned()];
    let mut found = Vec::new();
    let mut skipped: BTreeMap<Skip, Vec<PathBuf>> = BTreeMap::new();
    let mut entries = 0usize;
    while let Some(folder) = waiting.pop() {
        let listed = match fs::read_dir(&folder) {
            Ok(listed) => listed,
            Err(error) => {
                found.push((folder.clone(), Err(unreadable(&folder, &error))));
                continue;
            }
        };
        for entry in listed {
            entries = entries.saturating_add(1);
            if entries > MOST_ENTRIES {
                expanded.inputs.push(Err(Unreadable {
                    name: top.display().to_string(),
                    message: format!("more than {MOST_ENTRIES} files and folders; name fewer"),
                }));
                return;
            }
            let path = match entry {
                Ok(entry) => entry.path(),
                Err(error) => {
                    found.push((folder.clone(), Err(unreadable(&folder, &error))));
                    break;
                }
            };
            match kind(&path, wanted) {
                Ok(Entry::Folder) => waiting.push(path),
                Ok(Entry::Wanted) => found.push((path.clone(), Ok(path))),
                Err(why) => skipped.entry(why).or_default().push(path),
            }
        }
    }
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    if found.is_empty() {
        let what = match wanted {
            Wanted::Claims => {
                "there is no claim file (.toml, .json or .jsonl) in this folder; `dpcmp init` writes one"
            }
            Wanted::Certificates => "there is no certificate (.json) in this folder",
            Wanted::Entries => "there is no entry (.yaml or .yml) in this folder",
        };
        found.push((
            top.to_owned(),
            Err(Unreadable {
                name: top.display().to_string(),
                message: what.to_owned(),
            }),
        ));
    }
    expanded
        .inputs
        .extend(found.into_iter().map(|(_, input)| input));
    for (why, mut paths) in skipped {
        paths.sort_unstable();
        expanded.skipped.push(said(top, why.words(wanted), &paths));
    }
}

enum Entry {
    Folder,
    Wanted,
}

fn kind(path: &Path, wanted: Wanted) -> Result<Entry, Skip> {
    let name = path.file_name().unwrap_or_default();
    if name.as_encoded_bytes().starts_with(b".") {
        return Err(Skip::Hidden);
    }
    if path.is_dir() {
        return if path.is_symlink() {
            Err(Skip::Link)
        } else {
            Ok(Entry::Folder)
        };
    }
    let endings: &[&str] = match wanted {
        Wanted::Claims => &["toml", "json", "jsonl"],
        Wanted::Certificates => &["json"],
        Wanted::Entries => &["yaml", "yml"],
    };
    if !endings.iter().any(|ending| has_ending(path, ending)) {
        return Err(Skip::Ending);
    }
    // A link that leads nowhere is read, and said to be.
    if path.exists() && !path.is_file() {
        return Err(Skip::Special);
    }
    if has_ending(path, "toml") || wanted == Wanted::Entries {
        return Ok(Entry::Wanted);
    }
    match (of_json(path), wanted) {
        (Some(Skip::Certificate), Wanted::Certificates) | (Some(Skip::Claims), Wanted::Claims) => {
            Ok(Entry::Wanted)
        }
        (Some(other), _) => Err(other),
        (None, _) => Ok(Entry::Wanted),
    }
}

/// Does the file say that it is a certificate?
pub fn is_certificate(file: &InputFile) -> bool {
    what_it_says(file) == Some(Skip::Certificate)
}

/// What a JSON file, or the first line of several, says that it is. What does not say so is read, and then said to be wrong.
fn of_json(path: &Path) -> Option<Skip> {
    what_it_says(&read(path).ok()?)
}

fn what_it_says(file: &InputFile) -> Option<Skip> {
    let text = first_line(file);
    // Only what repeats itself is longer: no certificate, and nothing that dpcmp writes.
    if text.len() > MAX_BYTES {
        return None;
    }
    let value: serde_json::Value = serde_json::from_slice(text).ok()?;
    let object = value.as_object()?;
    let word = |key: &str| object.get(key).and_then(serde_json::Value::as_str);
    match word("schema") {
        Some(schema) if schema.starts_with("dpcmp.certificate/") => Some(Skip::Certificate),
        Some(schema) if schema.starts_with("dpcmp.") => Some(Skip::Written),
        _ if word("_type").is_some_and(|kind| kind.starts_with("https://in-toto.io/")) => {
            Some(Skip::Written)
        }
        _ if object.contains_key("runs") && word("version") == Some("2.1.0") => Some(Skip::Written),
        _ if object.contains_key("mechanism") && object.contains_key("claim") => Some(Skip::Claims),
        _ => None,
    }
}

fn first_line(file: &InputFile) -> &[u8] {
    if has_ending(Path::new(&file.name), "jsonl") {
        let first = numbered_lines(&file.bytes).next();
        return first.map_or(&[], |(_, line)| line);
    }
    &file.bytes
}

fn said(top: &Path, why: &str, paths: &[PathBuf]) -> String {
    let below = |path: &PathBuf| {
        let name = path.strip_prefix(top).unwrap_or(path);
        crate::report::name(&name.display().to_string())
    };
    let names: Vec<String> = paths.iter().take(MOST_NAMES).map(below).collect();
    let more = match paths.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let top = crate::report::name(&top.display().to_string());
    format!("skipped in {top}, {why}: {}{more}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(top: &Path, wanted: Wanted) -> Vec<String> {
        let expanded = expand(&[top.to_owned()], wanted);
        let inputs = expanded.inputs.into_iter().map(|input| {
            let path = input.unwrap();
            path.strip_prefix(top).unwrap().display().to_string()
        });
        inputs.collect()
    }

    const CLAIM: &str = r#"{"mechanism":{},"claim":{}}"#;
    const CERTIFICATE: &str = r#"{"claim":0,"schema":"dpcmp.certificate/2"}"#;

    /// A tree of a long file would take many times its length: it is read as a claim file, whatever it says.
    #[test]
    fn long_files_are_not_looked_into() {
        let says = |blanks: usize| {
            let bytes = format!("{}{CERTIFICATE}", " ".repeat(blanks)).into_bytes();
            let name = "long.json".to_owned();
            what_it_says(&InputFile { name, bytes })
        };
        let most = MAX_BYTES - CERTIFICATE.len();
        assert_eq!(says(most), Some(Skip::Certificate));
        assert_eq!(says(most + 1), None);
    }

    #[test]
    fn a_folder_stands_for_its_files_to_the_bottom_in_order() {
        let folder = folder_of(&[
            ("b.toml", ""),
            ("a.json", CLAIM),
            ("c.jsonl", CLAIM),
            ("notes.md", ""),
            ("deep/er/still/d.toml", ""),
            ("deep/z.json", CERTIFICATE),
            (".git/config.toml", ""),
            ("out.json", r#"{"schema":"dpcmp.verdict/1"}"#),
            ("out.jsonl", "{\"schema\":\"dpcmp.verdict/1\"}\n{}"),
            ("run.json", r#"{"version":"2.1.0","runs":[]}"#),
            (
                "attest.json",
                r#"{"_type":"https://in-toto.io/Statement/v1"}"#,
            ),
            ("damaged.json", "{"),
        ]);
        assert_eq!(
            names(folder.path(), Wanted::Claims),
            [
                "a.json",
                "b.toml",
                "c.jsonl",
                "damaged.json",
                "deep/er/still/d.toml"
            ]
        );
        assert_eq!(
            names(folder.path(), Wanted::Certificates),
            ["damaged.json", "deep/z.json"]
        );
        let top = folder.path().display().to_string();
        let skipped = expand(&[folder.path().to_owned()], Wanted::Claims).skipped;
        let said: Vec<&str> = skipped
            .iter()
            .map(|line| line.split_once(&top).unwrap().1)
            .collect();
        assert_eq!(
            said,
            [
                ", not .toml, .json or .jsonl: notes.md",
                ", a certificate, which `dpcmp check` reads: deep/z.json",
                ", a result of dpcmp: attest.json, out.json, out.jsonl, run.json",
                ", hidden: .git",
            ]
        );
    }

    #[test]
    fn a_folder_without_claim_files_is_an_error() {
        let folder = folder_of(&[("deep/notes.md", "")]);
        for wanted in [Wanted::Claims, Wanted::Certificates] {
            let expanded = expand(&[folder.path().to_owned()], wanted);
            assert_eq!(expanded.inputs.len(), 1);
            assert!(expanded.inputs[0].is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_into_no_circle() {
        let folder = folder_of(&[("deep/a.toml", "")]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("deep/loop")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("gone.toml")).unwrap();
        assert_eq!(
            names(folder.path(), Wanted::Claims),
            ["deep/a.toml", "gone.toml"]
        );
    }

    #[test]
    fn many_names_are_counted() {
        let files: Vec<String> = (0..8).map(|i| format!("{i}.md")).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|name| (name.as_str(), "")).collect();
        let folder = folder_of(&files);
        let skipped = expand(&[folder.path().to_owned()], Wanted::Claims).skipped;
        assert!(
            skipped[0].ends_with("0.md, 1.md, 2.md, 3.md, 4.md and 3 more"),
            "{skipped:?}"
        );
    }
}
