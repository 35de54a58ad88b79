//! From a path on the command line to bytes.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::input::{MAX_TEXT_BYTES, numbered_lines};

/// Largest `.jsonl` file, whose lines are limited one by one.
const MAX_LINES_BYTES: u64 = 1 << 30;

/// Something that cannot be read, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The path as given.
    pub name: String,
    /// Why.
    pub message: String,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// The path as given; `-` for standard input.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl InputFile {
    /// SHA-256 of the content, in hexadecimal.
    pub fn sha256(&self) -> String {
        sha256(&self.bytes)
    }
}

/// SHA-256, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The content of a file, or of standard input for `-`.
///
/// # Errors
/// If it does not exist, cannot be read, or is too large.
pub fn read(path: &Path) -> Result<InputFile, Unreadable> {
    let name = path.display().to_string();
    let is_lines = has_ending(path, "jsonl") || is_standard_input(path);
    // One byte more than the reader of a single file accepts, so that it says what is wrong.
    let limit = if is_lines {
        MAX_LINES_BYTES
    } else {
        u64::try_from(MAX_TEXT_BYTES).unwrap_or(u64::MAX)
    }
    .saturating_add(1);
    let mut bytes = Vec::new();
    let outcome = if is_standard_input(path) {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    match outcome {
        Err(error) => Err(unreadable(path, &error)),
        Ok(length) if is_lines && u64::try_from(length).is_ok_and(|length| length >= limit) => {
            Err(Unreadable {
                name,
                message: format!("more than {MAX_LINES_BYTES} bytes; split it"),
            })
        }
        Ok(_) => Ok(InputFile { name, bytes }),
    }
}

/// Is this one claim file a line?
///
/// By its name; or because its first line is a JSON object by itself and others follow.
pub fn is_jsonl(file: &InputFile) -> bool {
    if has_ending(Path::new(&file.name), "jsonl") {
        return true;
    }
    let mut lines = numbered_lines(&file.bytes);
    let (Some((_, first)), Some(_)) = (lines.next(), lines.next()) else {
        return false;
    };
    first.trim_ascii_start().starts_with(b"{")
        && serde_json::from_slice::<serde_json::Value>(first).is_ok()
}

/// Is this path `-`?
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An error of the operating system, in words.
pub fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    let next = match error.kind() {
        io::ErrorKind::NotFound if path.is_absolute() => "; is the path spelt as it is there?",
        io::ErrorKind::NotFound => "; names are looked up from the folder this is run in",
        io::ErrorKind::PermissionDenied => "; whoever runs this must be allowed to read it",
        io::ErrorKind::IsADirectory => "; give a file in that folder",
        _ => "",
    };
    Unreadable {
        name: path.display().to_string(),
        message: format!("{error}{next}"),
    }
}

/// Is this the ending of the name?
pub fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> InputFile {
        InputFile {
            name: name.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }
    }

    #[test]
    fn lines_are_told_from_one_object() {
        for (name, text, lines) in [
            ("a.jsonl", "", true),
            ("-", "{\"a\":1}", false),
            ("-", "\n{\"a\":1}\n\n", false),
            ("-", "{\"a\":1}\n{\"b\":2}\n", true),
            ("-", "{\"a\":1}\nnonsense\n", true),
            ("-", "{\n\"a\":1}\n", false),
            ("-", "{\"a\":\n1}\n{\"b\":2}", false),
            ("-", "title = \"x\"\n[mechanism]\n", false),
            ("a.json", "{\"a\":1}\n{\"b\":2}\n", true),
        ] {
            assert_eq!(is_jsonl(&file(name, text)), lines, "{name} {text:?}");
        }
    }
}
