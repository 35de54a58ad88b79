//! Published guarantees against recorded verdicts: those of tutorials, test suites, issues and papers, `examples/claims/published`, and
//! those of deployments, `examples/claims/deployments`.
//!
//! The records are in `tests/published_claims`, and as a table in the README of the folder. With
//! `DPCMP_UPDATE_VERDICTS=1` both are written anew; look at the difference. By default every fifth file is judged, with
//! `DPCMP_TEST_SCALE` at 3 or more all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use dpcmp::analysis::{Resources, Subject};
use dpcmp::bounds::Target;
use dpcmp::input::{ClaimEntry, ClaimFile, GdpForm, claim_file_from_bytes};
use dpcmp::kernel::Budget;
use dpcmp::number::{decimal_up, parse_rational};
use dpcmp::statement::{Claim, StatedClaim};
use dpcmp::verdict::{Analyst, Nearest, Outcome, Reason, Verdict, judge};
use rug::Rational;
use serde_json::{Map, Value, json};

use crate::soundness_support::{every, scale};

/// A folder of claim files with its records.
struct Corpus {
    folder: &'static str,
    records: &'static str,
    /// At least so many files.
    files: usize,
    /// By default one file in so many is judged.
    stride: usize,
}

const PUBLISHED: Corpus = Corpus {
    folder: "examples/claims/published",
    records: "tests/published_claims/verdicts.jsonl",
    files: 250,
    stride: 5,
};
const DEPLOYMENTS: Corpus = Corpus {
    folder: "examples/claims/deployments",
    records: "tests/published_claims/deployments.jsonl",
    files: 20,
    stride: 3,
};
const MARK: &str = "<!-- The table is written by tests/suite/published_claims.rs. -->\n";

/// Time for a claim; none takes more than a few seconds.
const TIME: Duration = Duration::from_secs(120);

/// Judged in the long run only: seconds each.
const DEAR: [&str; 3] = [
    "apple-shuffle-closed",
    "apple-shuffle-upper",
    "dpacc2-sublap",
];

/// Digits of recorded numbers, and how far from them others may be.
const DIGITS: usize = 6;
const TOLERANCE: (u32, u32) = (1, 1000);

/// A claim file with the verdicts on its claims.
struct Judged {
    id: String,
    file: ClaimFile,
    verdicts: Vec<Verdict>,
}

#[test]
fn published_guarantees_have_the_recorded_verdicts() {
    has_the_recorded_verdicts(&PUBLISHED);
}

#[test]
fn guarantees_of_deployments_have_the_recorded_verdicts() {
    has_the_recorded_verdicts(&DEPLOYMENTS);
}

fn has_the_recorded_verdicts(corpus: &Corpus) {
    let is_update = std::env::var_os("DPCMP_UPDATE_VERDICTS").is_some();
    let stride = if is_update { 1 } else { every(corpus.stride) };
    let mut asked: Vec<String> = ids(corpus).into_iter().step_by(stride).collect();
    if !is_update && scale() < 3 {
        asked.retain(|id| !DEAR.contains(&id.as_str()));
    }
    let judged = judge_all(corpus, &asked);
    let found: Vec<Value> = judged.iter().flat_map(records).collect();
    if is_update {
        let lines: String = found.iter().map(|record| format!("{record}\n")).collect();
        fs::write(path(corpus.records), lines).unwrap();
        write_table(corpus, &judged);
        return;
    }
    let recorded: Vec<Value> = fs::read_to_string(path(corpus.records))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|record: &Value| asked.iter().any(|id| record["id"] == id.as_str()))
        .collect();
    let mut differences = Vec::new();
    for (found, recorded) in found.iter().zip(&recorded) {
        if !agree(found, recorded) {
            differences.push(format!("recorded {recorded}\n   found {found}"));
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
    assert_eq!(found.len(), recorded.len());
}

#[test]
fn every_file_is_in_the_table() {
    for corpus in [PUBLISHED, DEPLOYMENTS] {
        let readme = fs::read_to_string(path(corpus.folder).join("README.md")).unwrap();
        let (_, table) = readme.split_once(MARK).unwrap();
        let ids = ids(&corpus);
        assert!(ids.len() >= corpus.files);
        let records = fs::read_to_string(path(corpus.records)).unwrap();
        for id in &ids {
            assert!(table.contains(&format!("\n| [{id}]({id}.toml) |")), "{id}");
            assert!(records.contains(&format!(r#""id":"{id}""#)), "{id}");
        }
    }
}

fn judge_all(corpus: &Corpus, ids: &[String]) -> Vec<Judged> {
    let next = AtomicUsize::new(0);
    let judged = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = judge_file(corpus, id);
                    judged.lock().unwrap().push(one);
                }
            });
        }
    });
    let mut judged = judged.into_inner().unwrap();
    judged.sort_by(|a, b| a.id.cmp(&b.id));
    judged
}

fn judge_file(corpus: &Corpus, id: &str) -> Judged {
    let bytes = fs::read(path(corpus.folder).join(format!("{id}.toml"))).unwrap();
    let file = claim_file_from_bytes(id, &bytes).unwrap_or_else(|error| panic!("{error}"));
    let budget = || Budget::new(TIME, Default::default());
    let mechanism = &file.mechanism;
    let subject = Subject::new(&mechanism.mechanism, mechanism.adjacency, &budget());
    let subject = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let detail = Target::Relative(Rational::from((1, 10_000)));
    let judge_one = |entry: &ClaimEntry| {
        let resources = Resources {
            budget: &budget(),
            jobs: 1,
            progress: &|_| (),
        };
        judge(entry, subject, &resources, &detail, None).unwrap()
    };
    let verdicts = file.claims.iter().map(judge_one).collect();
    Judged {
        id: id.to_owned(),
        file,
        verdicts,
    }
}

/// One record per claim.
fn records(judged: &Judged) -> Vec<Value> {
    let record = |(number, verdict): (usize, &Verdict)| {
        let mut record = json!({"id": judged.id, "claim": number, "verdict": word(verdict)});
        if let Outcome::Verified {
            margin: Some(margin),
        } = &verdict.outcome
        {
            record["margin"] = json!(margin.towards_zero(3));
        }
        if let Some(nearest) = nearest(verdict) {
            record["nearest-true"] = nearest;
        }
        if let Outcome::Refuted(refutation) = &verdict.outcome
            && refutation.rounding_of_printed_digits
        {
            record["rounding"] = json!(true);
        }
        record
    };
    judged.verdicts.iter().enumerate().map(record).collect()
}

fn word(verdict: &Verdict) -> &'static str {
    match &verdict.outcome {
        Outcome::Verified { .. } => "verified",
        Outcome::Refuted(_) => "refuted",
        Outcome::Undecided(Reason::Budget { .. }) => "undecided: budget",
        Outcome::Undecided(Reason::Unsupported(_)) => "undecided: unsupported",
        Outcome::Undecided(Reason::DoesNotFollow(_)) => "undecided: does not follow",
    }
}

/// The numbers of the nearest true claim, to a few digits.
fn nearest(verdict: &Verdict) -> Option<Value> {
    let Outcome::Refuted(refutation) = &verdict.outcome else {
        return None;
    };
    if let Nearest::Nothing(why) = &refutation.nearest {
        return Some(json!(why.to_string()));
    }
    let mut numbers = Map::new();
    let mut put = |key: &str, value: &Rational| {
        numbers.insert(key.to_owned(), json!(decimal_up(value, DIGITS)));
    };
    match verdict.nearest_true()?.stated() {
        StatedClaim::PureDp { epsilon } => put("epsilon", &epsilon.exact().unwrap()),
        StatedClaim::ApproxDp { epsilon, delta } => {
            put("epsilon", &epsilon.exact().unwrap());
            put("delta", delta);
        }
        StatedClaim::Gdp { mu, form } => {
            put("mu", mu);
            match form {
                GdpForm::Strict => {}
                GdpForm::Tolerance(tolerance) => put("tolerance", tolerance),
                GdpForm::ErrorFloor(floor) => put("error-floor", floor),
            }
        }
        StatedClaim::Zcdp { rho } => put("rho", rho),
        StatedClaim::Rdp { order, epsilon } => {
            put("order", order);
            put("epsilon", epsilon);
        }
        StatedClaim::Advantage { at_most } => put("at-most", at_most),
        StatedClaim::TradeOff { alpha, beta } => {
            put("alpha", alpha);
            put("beta", beta);
        }
        other => panic!("no such claim was published: {other:?}"),
    }
    let other = verdict.other_nearest_true().map(Claim::stated);
    if let Some(StatedClaim::ApproxDp { delta, .. }) = other {
        put("delta-at-epsilon", delta);
    }
    Some(Value::Object(numbers))
}

/// The same record, but for numbers that are nearly the same?
fn agree(found: &Value, recorded: &Value) -> bool {
    let (Value::Object(found), Value::Object(recorded)) = (found, recorded) else {
        return is_near(found, recorded, TOLERANCE);
    };
    found.len() == recorded.len()
        && found.iter().all(|(key, value)| {
            recorded.get(key).is_some_and(|recorded| match &**key {
                // Of a claim next to the truth it is what rounding leaves.
                "margin" => is_near(value, recorded, (1, 10)),
                _ => agree(value, recorded),
            })
        })
}

fn is_near(found: &Value, recorded: &Value, tolerance: (u32, u32)) -> bool {
    let number = |value: &Value| parse_rational(value.as_str()?).ok();
    match (number(found), number(recorded)) {
        (Some(found), Some(recorded)) => {
            let difference = Rational::from(&found - &recorded).abs();
            difference <= recorded.abs() * Rational::from(tolerance)
        }
        _ => found == recorded,
    }
}

fn write_table(corpus: &Corpus, judged: &[Judged]) {
    let readme = path(corpus.folder).join("README.md");
    let text = fs::read_to_string(&readme).unwrap();
    let (introduction, _) = text.split_once(MARK).unwrap();
    let mut table =
        "\n| id | source | claim | verdict | what holds instead |\n|---|---|---|---|---|\n"
            .to_owned();
    for one in judged {
        let (id, source) = (&one.id, one.file.source.as_deref().unwrap_or_default());
        let source = source.replace('|', "\\|");
        let verdicts = one.verdicts.iter().zip(records(one));
        for (entry, (verdict, record)) in one.file.claims.iter().zip(verdicts) {
            let (claim, verdict, reason) = (claim(entry), word(verdict), holds_instead(&record));
            table.push_str(&format!(
                "| [{id}]({id}.toml) | {source} | {claim} | {verdict} | {reason} |\n"
            ));
        }
    }
    fs::write(&readme, format!("{introduction}{MARK}{table}")).unwrap();
}

pub(crate) fn claim(entry: &ClaimEntry) -> String {
    let number = |key: &str| entry.number_text(key).unwrap_or("?");
    match entry.claim.stated() {
        StatedClaim::ApproxDp { .. } => format!("({}, {})-DP", number("epsilon"), number("delta")),
        StatedClaim::PureDp { .. } => format!("{}-DP", number("epsilon")),
        StatedClaim::Gdp { .. } => format!("{}-GDP", number("mu")),
        StatedClaim::Zcdp { .. } => format!("{}-zCDP", number("rho")),
        StatedClaim::Rdp { .. } => format!("({}, {})-RDP", number("order"), number("epsilon")),
        StatedClaim::Advantage { .. } => format!("advantage ≤ {}", number("at-most")),
        StatedClaim::TradeOff { .. } => format!("f({}) ≥ {}", number("alpha"), number("beta")),
        StatedClaim::Regret { .. } | StatedClaim::DominatedBy { .. } => {
            entry.claim.kind().to_owned()
        }
    }
}

/// What would be true instead of a refuted claim.
pub(crate) fn holds_instead(record: &Value) -> String {
    let nearest = match &record["nearest-true"] {
        Value::String(why) => why.clone(),
        Value::Object(numbers) => {
            let number = |key: &str| numbers.get(key).and_then(Value::as_str);
            match (
                number("epsilon"),
                number("delta"),
                number("delta-at-epsilon"),
            ) {
                (Some(epsilon), Some(_), Some(other)) => {
                    format!("holds with ε = {epsilon}, or with δ = {other}")
                }
                (Some(epsilon), Some(delta), None) => format!("holds with ({epsilon}, {delta})"),
                _ => {
                    let pairs: Vec<String> = numbers
                        .iter()
                        .map(|(key, value)| format!("{key} = {}", value.as_str().unwrap_or("?")))
                        .collect();
                    format!("holds with {}", pairs.join(", "))
                }
            }
        }
        _ => return String::new(),
    };
    if record["rounding"] == true {
        format!("{nearest}: within the rounding of the printed digits")
    } else {
        nearest
    }
}

fn ids(corpus: &Corpus) -> Vec<String> {
    let mut ids: Vec<String> = fs::read_dir(path(corpus.folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

pub(crate) fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}
