//! The table and the parser know the same keys, and every example is read.

use std::collections::{BTreeMap, BTreeSet};

use super::{ADJACENCIES, CLAIMS, Choice, Entry, MECHANISMS, PRIORS, Part, QUERIES, Shape};
use crate::input::claim::{ClaimKind, claim_keys};
use crate::input::mechanism::Notation;
use crate::input::node::Node;
use crate::input::query::{PRIOR_KINDS, QueryKind, query_keys};
use crate::input::{
    ErrorCode, InputError, claim_file_from_bytes,
    document::read_document,
    mechanism_from_bytes,
    query::{read_prior, read_query},
};
use crate::mechanism::Adjacency;

fn names<'a>(keys: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    keys.into_iter().collect()
}

fn keys(part: &Part) -> BTreeSet<&'static str> {
    part.keys.iter().map(|key| key.name).collect()
}

fn entry<'a>(entries: &'a [Entry], kind: &str) -> &'a Entry {
    let found = entries.iter().find(|entry| entry.kind == kind);
    found.unwrap_or_else(|| panic!("`{kind}` has no entry in src/input/reference"))
}

#[test]
fn mechanisms_have_the_keys_of_the_parser() {
    assert_eq!(
        names(MECHANISMS.iter().map(|entry| entry.kind)),
        names(Notation::words())
    );
    for (kind, notation) in Notation::all() {
        let part = &entry(MECHANISMS, kind).part;
        assert_eq!(keys(part), names(notation.keys().iter().copied()), "{kind}");
        let is_whole = |key: &&super::Key| matches!(key.shape, Shape::Whole(_));
        let whole = part.keys.iter().filter(is_whole).map(|key| key.name);
        assert_eq!(
            whole.collect::<BTreeSet<_>>(),
            names(notation.whole_keys().iter().copied()),
            "{kind}"
        );
    }
    assert_eq!(ADJACENCIES, Adjacency::ALL.map(Adjacency::as_str));
}

#[test]
fn claims_queries_and_priors_have_the_keys_of_the_parser() {
    assert_eq!(CLAIMS.len(), ClaimKind::WORDS.len());
    for (word, kind) in ClaimKind::WORDS {
        let known = names(claim_keys(*kind).iter().copied());
        assert_eq!(keys(&entry(CLAIMS, word).part), known, "{word}");
    }
    assert_eq!(QUERIES.len(), QueryKind::WORDS.len());
    for (word, kind) in QueryKind::WORDS {
        let known = names(query_keys(*kind).iter().copied());
        assert_eq!(keys(&entry(QUERIES, word).part), known, "{word}");
    }
    assert_eq!(
        names(PRIORS.iter().map(|entry| entry.kind)),
        names(PRIOR_KINDS)
    );
}

/// The keys of a table with those values that are words.
type Found = BTreeMap<String, String>;

/// Every key is in an example, every choice is made in one, and nothing in the table is misspelt.
#[test]
fn examples_have_every_key_and_every_choice() {
    for entry in [MECHANISMS, CLAIMS, QUERIES, PRIORS].into_iter().flatten() {
        let kind = entry.kind;
        let mut unseen = keys(&entry.part);
        let tables: Vec<Found> = entry.examples.iter().map(|text| found(text)).collect();
        for table in &tables {
            unseen.retain(|key| !table.contains_key(*key));
            for need in entry.part.needs {
                assert!(table.contains_key(*need), "{kind}: {need}");
            }
        }
        assert!(unseen.is_empty(), "{kind}: no example has {unseen:?}");
        let known = keys(&entry.part);
        for group in entry.part.choices {
            for choice in *group {
                let mut all = choice.needs.iter().chain(choice.may);
                assert!(all.all(|key| known.contains(key)), "{kind}");
                let is_made = |table: &Found| {
                    choice.needs.iter().all(|key| table.contains_key(*key))
                        && has_word(choice, table)
                };
                let by = tables.iter().any(is_made);
                assert!(by, "{kind}: no example has {choice:?}");
            }
        }
    }
}

fn found(text: &str) -> Found {
    let node = read_document(text).unwrap();
    let entries = &node.as_table().unwrap().entries;
    let word = |node: &Node| node.as_string().unwrap_or_default().to_owned();
    entries
        .iter()
        .map(|entry| (entry.key.clone(), word(&entry.node)))
        .collect()
}

/// Has the table the word of the choice, or nothing there?
fn has_word(choice: &Choice, table: &Found) -> bool {
    choice
        .word
        .is_none_or(|(key, word)| table.get(key).is_none_or(|found| found == word))
}

#[test]
fn examples_are_read() {
    for entry in MECHANISMS {
        for text in entry.examples {
            let read = mechanism_from_bytes("example", text.as_bytes());
            read.unwrap_or_else(|error| panic!("{text}\n{}", error.render(false)));
        }
    }
    for entry in CLAIMS {
        for text in entry.examples {
            let file = format!("mechanism = {{ kind = \"gdp\", mu = 1 }}\n[claim]\n{text}");
            let read = claim_file_from_bytes("example", file.as_bytes());
            read.unwrap_or_else(|error| panic!("{text}\n{}", error.render(false)));
        }
    }
    for text in QUERIES.iter().flat_map(|entry| entry.examples) {
        let read = read_query(&read_document(text).unwrap());
        assert!(read.is_ok(), "{text}");
    }
    for text in PRIORS.iter().flat_map(|entry| entry.examples) {
        let read = read_prior(&read_document(text).unwrap());
        assert!(read.is_ok(), "{text}");
    }
}

/// What the table says is needed is missed, and what it keeps apart is a conflict.
#[test]
fn choices_are_those_of_the_parser() {
    let read = |text: &str| mechanism_from_bytes("example", text.as_bytes()).map(|_| ());
    for entry in MECHANISMS {
        for text in entry.examples {
            let table = found(text);
            for line in text.lines().filter(|line| !line.starts_with("kind ")) {
                let (key, _) = line.split_once(" = ").unwrap();
                let without: Vec<&str> = text.lines().filter(|other| *other != line).collect();
                let fewer = read(&without.join("\n"));
                let mut less = table.clone();
                less.remove(key);
                assert_eq!(
                    is_about_keys(&fewer),
                    !is_allowed(&entry.part, &less),
                    "{text}\nwithout {key}: {fewer:?}"
                );
            }
            for line in entry.examples.iter().flat_map(|other| other.lines()) {
                let (key, _) = line.split_once(" = ").unwrap();
                if table.contains_key(key) || key == "adjacency" {
                    continue;
                }
                let more = read(&format!("{text}\n{line}"));
                let mut both = table.clone();
                both.extend(found(line));
                assert_eq!(
                    is_about_keys(&more),
                    !is_allowed(&entry.part, &both),
                    "{text}\nand {line}: {more:?}"
                );
            }
        }
    }
}

fn is_about_keys(read: &Result<(), InputError>) -> bool {
    let code = read.as_ref().err().map(InputError::code);
    matches!(code, Some(ErrorCode::MissingKey | ErrorCode::Conflict))
}

/// Do these keys go together?
fn is_allowed(part: &Part, table: &Found) -> bool {
    let has = |name: &&str| table.contains_key(*name);
    let group_holds = |group: &&[Choice]| {
        let all: Vec<&&str> = group
            .iter()
            .flat_map(|choice| choice.needs.iter().chain(choice.may))
            .collect();
        group.iter().any(|choice| {
            let own = |name: &&&str| choice.needs.contains(name) || choice.may.contains(name);
            let is_alone = !all.iter().any(|name| !own(name) && has(name));
            choice.needs.iter().all(has) && is_alone && has_word(choice, table)
        })
    };
    part.needs.iter().all(has) && part.choices.iter().all(group_holds)
}
