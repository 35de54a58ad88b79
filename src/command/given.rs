//! What is given on the command line: mechanisms and queries, read, or said what is wrong with them.

use std::path::Path;

use super::beside::{Folder, as_beside};
use super::files::{InputFile, read};
use super::output::{complain, error_style, say};
use crate::input::{InputError, MechanismFile, mechanism_beside};
use crate::report::Style;
use crate::statement::Query;

/// The queries with their texts; `None` once it has been said what is wrong with one of them.
pub fn parse_queries(texts: &[String]) -> Option<Vec<(&str, Query)>> {
    let mut parsed = Vec::with_capacity(texts.len());
    for text in texts {
        match Query::from_argument(text) {
            Ok(query) => parsed.push((text.as_str(), query)),
            Err(error) => {
                show(&error);
                return None;
            }
        }
    }
    Some(parsed)
}

/// The mechanism of a MECH argument; `None` once it has been said what is wrong with it.
pub fn read_mechanism(argument: &str) -> Option<MechanismFile> {
    let file = read_input(argument)?;
    let folder = Folder::of(&file);
    match mechanism_beside(&file.name, &file.bytes, as_beside(folder.as_ref())) {
        Ok(mechanism) => Some(mechanism),
        Err(error) => {
            show(&error);
            None
        }
    }
}

/// The bytes of a MECH argument; `None` once it has been said why they cannot be read.
pub fn read_input(argument: &str) -> Option<InputFile> {
    if is_inline(argument) {
        return Some(InputFile {
            name: "argument".to_owned(),
            bytes: argument.as_bytes().to_vec(),
        });
    }
    match read(Path::new(argument)) {
        Ok(file) => Some(file),
        Err(unreadable) => {
            let message = unreadable.message;
            complain(&format!(
                "cannot read `{argument}`: {message}\nMECH is a file, `-`, or a mechanism in one argument, such as '{{\"kind\":\"gaussian\",\"sigma\":2}}'"
            ));
            None
        }
    }
}

/// Is the argument a mechanism rather than the name of a file?
fn is_inline(argument: &str) -> bool {
    let looks_like_text = argument.trim_start().starts_with(['{', '[']) || argument.contains('=');
    looks_like_text && !Path::new(argument).exists()
}

/// Says what is wrong with an input.
pub fn show(error: &InputError) {
    say(&error.render(error_style() == Style::Coloured));
}
