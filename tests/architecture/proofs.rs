//! The table of theorems in `proofs/README.md`, held against the Coq files, the Rust code and the tests it names.
//!
//! When code that rests on a theorem changes, look whether the theorem still says what it needs; then
//! `DPCMP_PROOFS_LOCK=update` writes `proofs/functions.lock` anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use dpcmp::analysis::{Resources, Subject};
use dpcmp::bounds::Target;
use dpcmp::input::claim_file_from_bytes;
use dpcmp::kernel::Budget;
use dpcmp::verdict::{Analyst, Outcome, judge};
use rug::Rational;
use sha2::{Digest, Sha256};

const README: &str = "proofs/README.md";
const ERRATA: &str = "proofs/errata.md";
const LOCK: &str = "proofs/functions.lock";
const UPDATE: &str = "DPCMP_PROOFS_LOCK";

/// Time for a claim; none takes a second.
const TIME: Duration = Duration::from_secs(60);

/// A row: what is in backticks in its last three cells.
struct Row {
    ids: String,
    cells: Vec<String>,
    theorems: Vec<String>,
    code: Vec<String>,
    tests: Vec<String>,
}

#[test]
fn every_row_is_complete_and_true() {
    let mut wrong = Vec::new();
    for row in rows() {
        if row.cells.len() != 6 || row.cells.iter().any(|cell| cell.trim().is_empty()) {
            wrong.push(format!("{}: a cell is missing", row.ids));
            continue;
        }
        let by_hand = ["on paper", "see T"];
        if row.theorems.is_empty() && !by_hand.iter().any(|how| row.cells[3].contains(how)) {
            wrong.push(format!("{}: neither a theorem nor \"on paper\"", row.ids));
        }
        for theorem in &row.theorems {
            if !is_proved(theorem) {
                wrong.push(format!("{}: no theorem {theorem}", row.ids));
            }
        }
        for code in &row.code {
            if source(code).is_none() {
                wrong.push(format!("{}: no code {code}", row.ids));
            }
        }
        for test in &row.tests {
            if source(test).is_none() {
                wrong.push(format!("{}: no test {test}", row.ids));
            }
        }
        if row.code.is_empty() || row.tests.is_empty() {
            wrong.push(format!("{}: no code or no test", row.ids));
        }
    }
    assert_none(&wrong);
}

#[test]
fn theorems_of_the_errata_are_proved() {
    let named: Vec<String> = in_backticks(&read(ERRATA))
        .into_iter()
        .filter(|name| is_theorem(name))
        .collect();
    assert!(named.len() > 20, "the errata were not read");
    let missing: Vec<String> = named.into_iter().filter(|name| !is_proved(name)).collect();
    assert_none(&missing);
}

/// What was asked for by name has a Coq theorem and a property test.
#[test]
fn the_main_theorems_are_proved_and_tested() {
    const WANTED: [(&str, &str, &str); 8] = [
        ("triangle", "Divergence.Delta_triangle", "corollary_2"),
        ("triangle", "Divergence.DeltaS_triangle", "corollary_2"),
        ("Lévy", "Levy.levy_is_DeltaS", "levy_distance"),
        ("half the advantage", "Extremes.lemma_3", "lemma_3"),
        ("fixed point", "Extremes.lemma_4", "lemma_4"),
        ("½", "Extremes.lemma_5", "lemma_5"),
        ("½", "Extremes.lemma_5_at_least", "lemma_5"),
        (
            "Advantage bound",
            "Extremes.advantage_bound",
            "advantages_are_twice_as_near",
        ),
    ];
    let rows = rows();
    for (says, theorem, test) in WANTED {
        let found = rows.iter().any(|row| {
            row.cells[1].to_lowercase().contains(&says.to_lowercase())
                && row.theorems.iter().any(|name| name == theorem)
                && row
                    .tests
                    .iter()
                    .any(|name| name.ends_with(&format!("::{test}")))
        });
        assert!(found, "no row about {says} with {theorem} and {test}");
    }
}

/// The arguments on paper have numbers, and each number has a row.
#[test]
fn every_argument_has_a_row() {
    let text = read(README);
    let in_table: BTreeSet<String> = rows().iter().flat_map(|row| expanded(&row.ids)).collect();
    let missing: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("**")?.split_once('.'))
        .map(|(id, _)| id.to_owned())
        .filter(|id| {
            let (letter, number) = id.split_at(id.chars().next().map_or(0, char::len_utf8));
            letter.chars().all(|c| c.is_ascii_uppercase()) && number.parse::<u32>().is_ok()
        })
        .filter(|id| !in_table.contains(id))
        .collect();
    assert!(in_table.len() > 50);
    assert_none(&missing);
}

#[test]
fn every_kernel_file_has_a_row() {
    let named: BTreeSet<String> = rows()
        .into_iter()
        .flat_map(|row| row.code)
        .map(|code| file_of(&code).to_owned())
        .collect();
    let modules = fs::read_to_string(root().join("src/kernel/mod.rs")).unwrap();
    let is_for_tests = |name: &str| {
        let module = format!("mod {};", name.trim_end_matches(".rs"));
        let mut following = modules.lines().zip(modules.lines().skip(1));
        following.any(|(before, line)| before == "#[cfg(test)]" && line.ends_with(&module))
    };
    let missing: Vec<String> = fs::read_dir(root().join("src/kernel"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "mod.rs" && !name.ends_with("_tests.rs") && !is_for_tests(name))
        .map(|name| format!("src/kernel/{name}"))
        .filter(|path| !named.contains(path))
        .collect();
    assert_none(&missing);
}

#[test]
fn code_that_rests_on_a_theorem_is_as_it_was_looked_at() {
    let mut rows_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows() {
        for code in &row.code {
            rows_of
                .entry(code.clone())
                .or_default()
                .push(row.ids.clone());
        }
    }
    let found: BTreeMap<String, String> = rows_of
        .keys()
        .map(|code| (code.clone(), fingerprint(&source(code).unwrap_or_default())))
        .collect();
    if std::env::var(UPDATE).is_ok_and(|value| value == "update") {
        let lines: String = found
            .iter()
            .map(|(code, hash)| format!("{hash} {code}\n"))
            .collect();
        fs::write(root().join(LOCK), lines).unwrap();
        return;
    }
    let locked: BTreeMap<String, String> = read(LOCK)
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(hash, code)| (code.to_owned(), hash.to_owned()))
        .collect();
    let mut changed = Vec::new();
    for (code, hash) in &found {
        if locked.get(code) != Some(hash) {
            changed.push(format!("{code} (rows {})", rows_of[code].join(", ")));
        }
    }
    for code in locked.keys().filter(|code| !found.contains_key(*code)) {
        changed.push(format!("{code} is in no row any more"));
    }
    assert!(
        changed.is_empty(),
        "\nchanged since its theorem was looked at:\n  {}\nLook whether these rows of {README} still say what the code \
         needs, then write {LOCK} anew:\n  {UPDATE}=update cargo test --test architecture\n",
        changed.join("\n  ")
    );
}

/// What Coq proved or refuted, this program verifies or refutes, and the checker accepts the certificate that the proof was made from.
#[test]
fn claims_proved_in_coq_have_the_same_verdict_here() {
    let mut looked_at = 0;
    for entry in fs::read_dir(root().join("proofs/claims")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "v") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let certificate = text
            .lines()
            .find_map(|line| line.strip_prefix("Written by: claims/from-certificate "))
            .unwrap_or_else(|| panic!("{}: from what certificate?", path.display()));
        let file = root().join("proofs").join(certificate);
        let answer = dpcmp_check::check(&fs::read(&file).unwrap(), &Default::default());
        assert!(answer.is_ok(), "{certificate}: {answer:?}");
        let hints: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let claim = hints["claim-file"]["text"].as_str().unwrap();
        let number = usize::try_from(hints["claim"].as_u64().unwrap()).unwrap();
        let holds = !text.contains("Theorem claim : ~");
        assert_eq!(hints["verdict"] == "verified", holds, "{certificate}");
        let verdict = match decide(claim, number) {
            Outcome::Verified { .. } => Some(true),
            Outcome::Refuted(_) => Some(false),
            Outcome::Undecided(_) => None,
        };
        assert_eq!(verdict, Some(holds), "{certificate}");
        looked_at += 1;
    }
    assert!(looked_at >= 3);
}

fn decide(claim: &str, number: usize) -> Outcome {
    let file = claim_file_from_bytes("claim", claim.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let budget = Budget::new(TIME, Default::default());
    let mechanism = &file.mechanism;
    let subject = Subject::new(&mechanism.mechanism, mechanism.adjacency, &budget);
    let subject = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    };
    let detail = Target::Relative(Rational::from((1, 10_000)));
    judge(&file.claims[number], subject, &resources, &detail, None)
        .unwrap()
        .outcome
}

fn rows() -> Vec<Row> {
    let rows: Vec<Row> = read(README)
        .lines()
        .filter_map(|line| line.strip_prefix("| **"))
        .map(|line| {
            let cells: Vec<String> = line
                .trim_end()
                .trim_end_matches('|')
                .split(" | ")
                .map(str::to_owned)
                .collect();
            let names = |cell: usize| {
                cells
                    .get(cell)
                    .map_or(Vec::new(), |cell| in_backticks(cell))
            };
            Row {
                ids: cells[0].trim_end_matches("**").to_owned(),
                theorems: names(3).into_iter().filter(|n| is_theorem(n)).collect(),
                code: names(4),
                tests: names(5),
                cells,
            }
        })
        .collect();
    assert!(rows.len() > 30, "the table of {README} was not read");
    rows
}

/// "R1–R3, R5" as single numbers.
fn expanded(ids: &str) -> Vec<String> {
    let number = |id: &str| id[1..].parse::<u32>().unwrap();
    ids.split(", ")
        .flat_map(|range| {
            let (first, last) = range.split_once('–').unwrap_or((range, range));
            let letter = &first[..1];
            (number(first)..=number(last))
                .map(|n| format!("{letter}{n}"))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn in_backticks(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// `File.name`, as Coq writes it.
fn is_theorem(name: &str) -> bool {
    name.split_once('.').is_some_and(|(file, name)| {
        file.starts_with(|c: char| c.is_ascii_uppercase())
            && file.chars().all(char::is_alphanumeric)
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    }) && name != "File.name"
}

/// Is there such a statement in the Coq files? That it has a proof is for `make proofs`.
fn is_proved(theorem: &str) -> bool {
    let Some((file, name)) = theorem.split_once('.') else {
        return false;
    };
    ["theory", "claims"]
        .iter()
        .filter_map(|folder| {
            fs::read_to_string(root().join("proofs").join(folder).join(format!("{file}.v"))).ok()
        })
        .any(|text| {
            text.lines().any(|line| {
                ["Theorem ", "Lemma ", "Corollary "].iter().any(|kind| {
                    line.strip_prefix(kind)
                        .and_then(|rest| rest.strip_prefix(name))
                        .is_some_and(|rest| {
                            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
                        })
                })
            })
        })
}

fn file_of(place: &str) -> &str {
    place.split("::").next().unwrap_or(place)
}

/// The text of `file.rs::function`, of all functions of that name in the file, or of the whole file without its test module; comments left out.
fn source(place: &str) -> Option<String> {
    let text = fs::read_to_string(root().join(file_of(place))).ok()?;
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let Some((_, name)) = place.split_once("::") else {
        let end = lines
            .windows(2)
            .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].ends_with('{'));
        return Some(lines[..end.unwrap_or(lines.len())].join("\n"));
    };
    let mut found = String::new();
    for (start, line) in lines.iter().enumerate() {
        if !declares(line, name) {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let close = format!("{}}}", " ".repeat(indent));
        let is_last =
            |line: &&str| **line == *close || (line.ends_with(';') && !line.contains('{'));
        let body = &lines[start..];
        // A declaration without a body ends with its semicolon, before any line of a body.
        let opened = body.iter().position(|line| line.ends_with('{'));
        let length = match (opened, body.iter().position(is_last)) {
            (Some(opened), Some(last)) if last < opened => last,
            _ => body.iter().position(|line| *line == close)?,
        };
        found.push_str(&body[..=length].join("\n"));
    }
    (!found.is_empty()).then_some(found)
}

fn declares(line: &str, name: &str) -> bool {
    line.match_indices("fn ").any(|(place, _)| {
        let before = line[..place].chars().next_back();
        let rest = &line[place + 3..];
        before.is_none_or(|c| c == ' ')
            && rest
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(['(', '<']))
    })
}

/// The first 16 digits of the SHA-256 of the words of a text: line breaks do not count.
fn fingerprint(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let digest = Sha256::digest(words.join(" "));
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A change of code must be seen; comments and line breaks must not.
#[test]
fn functions_are_found_by_name() {
    let place = "tests/architecture/proofs.rs::declares";
    let text = source(place).unwrap();
    assert!(text.starts_with("fn declares") && text.ends_with('}'));
    assert_eq!(text.matches("fn declares").count(), 1);
    assert_eq!(source("tests/architecture/proofs.rs::declare"), None);
    assert_ne!(fingerprint(&text), fingerprint(&text.replace("' '", "'x'")));
    assert_eq!(fingerprint("a\n  b"), fingerprint("a b"));
    assert!(!declares("let often = fn_of(x)", "of"));
    assert_eq!(expanded("B1–B3, B6"), ["B1", "B2", "B3", "B6"]);
}
