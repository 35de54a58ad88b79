//! The whole way from a line of a table in `tests/oracle` to an enclosure that contains its truth.
//!
//! By default every third row of each table and quantity, every one with `DPCMP_TEST_SCALE` at 2 or more. Of these all that have a closed
//! form, and of those that need laws every tenth; at 10 or more every one, and those that are dear.

use std::collections::HashMap;
use std::mem::discriminant;

use dpcmp::analysis::{Answer, Goal, Resources, Subject};
use dpcmp::bounds::Target;
use dpcmp::input::{batch_line, claims_from_jsonl};
use dpcmp::kernel::{Budget, Failure};
use dpcmp::mechanism::Adjacency;
use dpcmp::number::parse_rational;
use dpcmp::statement::{Quantity, Query};
use dpcmp::verdict::{Decision, Inequality, is_vacuous};
use rug::{Float, Rational};

use crate::soundness_support::{every, is_asked, is_thorough};

const TABLES: [(&str, &str); 11] = [
    ("gaussian", include_str!("../oracle/gaussian.jsonl")),
    ("laplace", include_str!("../oracle/laplace.jsonl")),
    (
        "discrete-gaussian",
        include_str!("../oracle/discrete_gaussian.jsonl"),
    ),
    ("finite-pairs", include_str!("../oracle/finite_pairs.jsonl")),
    (
        "finite-compositions",
        include_str!("../oracle/finite_compositions.jsonl"),
    ),
    (
        "randomized-response",
        include_str!("../oracle/randomized_response.jsonl"),
    ),
    (
        "subsampled-gaussian",
        include_str!("../oracle/subsampled_gaussian.jsonl"),
    ),
    ("neighbours", include_str!("../oracle/neighbours.jsonl")),
    ("releases", include_str!("../oracle/releases.jsonl")),
    ("batches", include_str!("../oracle/batches.jsonl")),
    ("hostile", include_str!("../oracle/hostile.jsonl")),
];
const CLAIMS: &str = include_str!("../oracle/claims.jsonl");

/// Of the rows that need laws, one in so many.
fn of_laws() -> usize {
    if is_thorough() { 1 } else { 10 }
}

/// Rows that take seconds each, beside others like them: for `DPCMP_TEST_SCALE` at 10 or more.
const DEAR: [&str; 9] = [
    "batches-013",
    "batches-022",
    "batches-025",
    "gaussian-014",
    "gaussian-017",
    "hostile-008",
    "hostile-086",
    "neighbours-019",
    "releases-130",
];

/// One row that has a subject and a quantity.
struct Row {
    id: String,
    subject: Subject,
    query: Query,
    truth: (Float, Float),
}

fn rows(closed: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, table) in TABLES {
        let mut seen = HashMap::new();
        for (number, text) in table.lines().enumerate() {
            let line = batch_line(name, number + 1, text.as_bytes()).unwrap();
            let note = line.notes.iter().find(|(key, _)| key == "truth");
            let (low, high): (String, String) = serde_json::from_str(&note.unwrap().1).unwrap();
            let file = line.mechanism;
            if !is_checked_here(&line.query) {
                continue;
            }
            let place: &mut usize = seen.entry(discriminant(line.query.quantity())).or_default();
            *place += 1;
            let is_dear = DEAR.contains(&line.id.trim_matches('"'));
            if !is_asked(*place - 1, 3) || (is_dear && !is_thorough()) {
                continue;
            }
            let subject = Subject::new(&file.mechanism, file.adjacency, &Budget::unlimited());
            let Ok(subject) = subject else { continue };
            if subject.is_closed_form() == closed {
                let truth = (number_down(&low), number_up(&high));
                rows.push(Row {
                    id: line.id,
                    subject,
                    query: line.query,
                    truth,
                });
            }
        }
    }
    rows
}

/// Rényi divergences, ρ and divergences have tests of their own.
fn is_checked_here(query: &Query) -> bool {
    !matches!(
        query.quantity(),
        Quantity::Regret { .. }
            | Quantity::RegretOfStrictMu
            | Quantity::Divergence { .. }
            | Quantity::Renyi { .. }
            | Quantity::ZcdpRho
    )
}

const BITS: u32 = 8000;

fn number_down(text: &str) -> Float {
    rounded(text, rug::float::Round::Down)
}

fn number_up(text: &str) -> Float {
    rounded(text, rug::float::Round::Up)
}

fn rounded(text: &str, round: rug::float::Round) -> Float {
    match text {
        "inf" => Float::with_val(BITS, rug::float::Special::Infinity),
        "-inf" => Float::with_val(BITS, rug::float::Special::NegInfinity),
        _ => Float::with_val_round(BITS, parse_rational(text).unwrap(), round).0,
    }
}

fn answer(subject: &Subject, query: &Query, goal: &Goal) -> Result<Answer, Failure> {
    let budget = Budget::unlimited();
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    };
    subject.answer(query, goal, &resources)
}

fn check(row: &Row, width: Rational) -> Answer {
    let goal = Goal::Width(Target::Relative(width));
    let answer =
        answer(&row.subject, &row.query, &goal).unwrap_or_else(|e| panic!("{}: {e}", row.id));
    let found = &answer.enclosure;
    let (low, high) = &row.truth;
    assert!(
        found.lower() <= high && found.upper() >= low,
        "{}: {low} … {high} not in {found:?}",
        row.id
    );
    if let Some(exact) = found.exact() {
        assert!(
            *low <= *exact && *high >= *exact,
            "{}: {low} … {high} is not {exact}",
            row.id
        );
    }
    answer
}

#[test]
fn closed_forms() {
    let rows = rows(true);
    for row in &rows {
        let found = check(row, Rational::from((1, 1_000_000_000_000u64))).enclosure;
        let bounded = row.truth.1.is_finite();
        assert!(
            found.upper().is_finite() || !bounded,
            "{}: {found:?}",
            row.id
        );
    }
    assert!(rows.len() * every(3) > 300, "{} rows", rows.len());
}

#[test]
fn laws() {
    let rows = rows(false);
    for row in rows.iter().step_by(of_laws()) {
        check(row, Rational::from((1, 2)));
    }
    assert!(rows.len() * every(3) > 60, "{} rows", rows.len());
}

/// A decided claim is decided as the table says; with a closed form or an exact sum of losses every claim is decided.
#[test]
fn claims() {
    let (mut decided, mut open) = (0, Vec::new());
    for (number, file) in claims_from_jsonl("claims", CLAIMS.as_bytes()) {
        let file = file.unwrap();
        let note = |name: &str| {
            file.notes
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, text)| text.as_str())
        };
        let verdict = note("verdict").unwrap().trim_matches('"').to_owned();
        for entry in &file.claims {
            let name = format!("claim {number} ({})", entry.claim.kind());
            if is_vacuous(&entry.claim) {
                assert_eq!(verdict, "verified", "{name}");
                continue;
            }
            let inequality = Inequality::of(&entry.claim);
            let (mechanism, adjacency): (_, Adjacency) =
                (&file.mechanism.mechanism, file.mechanism.adjacency);
            let Ok(subject) = Subject::new(mechanism, adjacency, &Budget::unlimited()) else {
                continue;
            };
            if !subject.is_closed_form()
                && !is_asked(number, 10)
                && !matches!(inequality.query.quantity(), Quantity::MaxLoss)
            {
                continue;
            }
            let goal = Goal::Compare {
                with: inequality.bound.clone(),
            };
            let budget = Budget::new(
                std::time::Duration::from_secs(20),
                std::sync::Arc::default(),
            );
            let resources = Resources {
                budget: &budget,
                jobs: 1,
                progress: &|_| (),
            };
            let found = subject
                .answer(&inequality.query, &goal, &resources)
                .unwrap()
                .enclosure;
            match inequality.decide(&found) {
                Decision::Holds(_) => assert_eq!(verdict, "verified", "{name}: {found:?}"),
                Decision::Fails(_) => assert_eq!(verdict, "refuted", "{name}: {found:?}"),
                Decision::Open => {
                    open.push(name);
                    continue;
                }
            }
            decided += 1;
        }
    }
    assert!(decided > 60, "{decided} decided, open: {open:?}");
}
