//! What a search for false guarantees found, for people and as `dpcmp.fuzz/1`.

use std::time::Duration;

use serde_json::json;

use super::Style;
use super::table::{Cell, aligned};
use crate::accountant::{Kind, Tally};

/// A search that has ended.
pub struct FuzzReport<'a> {
    /// Name and versions of the accountant.
    pub accountant: &'a str,
    /// Seed of the cases.
    pub seed: u64,
    /// What was done and found.
    pub tally: &'a Tally,
    /// Time taken by this run.
    pub time: Duration,
    /// Where findings were written.
    pub folder: Option<&'a str>,
}

/// The findings and a table of them by kind.
pub fn fuzz_human(report: &FuzzReport<'_>, style: Style) -> String {
    let tally = report.tally;
    let mut text = String::new();
    for known in &tally.findings {
        let word = known.kind.as_str();
        let shown = match known.kind {
            Kind::Unsound => style.red(word),
            Kind::Loose => style.dim(word),
            _ => style.yellow(word),
        };
        text.push_str(&format!("{shown}  {}\n", known.cause));
        text.push_str(&format!("  {}\n", known.words));
        if let Some(folder) = report.folder {
            text.push_str(&format!("  {folder}/{}\n", known.file));
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let heading = ["accountant"]
        .into_iter()
        .chain(Kind::ALL.map(Kind::as_str));
    let cells = |text: &str| Cell::plain(text);
    let mut row = vec![cells(report.accountant)];
    row.extend(Kind::ALL.map(|kind| cells(&counts(tally, kind))));
    let rows = [heading.map(cells).collect(), row];
    text.push_str(&aligned(&rows, style));
    text.push_str(
        "causes (cases); an unsound one is confirmed by a closed form or by dpcmp-check\n\n",
    );
    text.push_str(&format!(
        "seed {}: {} cases, {} of them answered, {} not decided in time; {} a second\n",
        report.seed,
        tally.cases,
        tally.answered,
        tally.undecided,
        rate(tally.cases_now, report.time),
    ));
    let [waiting, judging, hunting] = tally.time;
    let spent: Duration = tally.time.iter().sum();
    let share = |time: Duration| {
        let whole = spent.as_millis().max(1);
        time.as_millis()
            .saturating_mul(100)
            .checked_div(whole)
            .unwrap_or(0)
    };
    text.push_str(&format!(
        "time: {} % waiting for answers to cases, {} % judging them ({} certified comparisons), {} % simplifying and confirming\n",
        share(waiting),
        share(judging),
        tally.comparisons,
        share(hunting),
    ));
    text
}

/// One object; findings are objects of their own.
pub fn fuzz_json(report: &FuzzReport<'_>) -> String {
    let tally = report.tally;
    let mut kinds = serde_json::Map::new();
    for kind in Kind::ALL {
        let causes = causes(tally, kind);
        let cases = tally.faults.get(&kind).copied().unwrap_or(0);
        kinds.insert(
            kind.as_str().to_owned(),
            json!({"causes": causes, "cases": cases}),
        );
    }
    let seconds = |time: Duration| format!("{}.{:03}", time.as_secs(), time.subsec_millis());
    let [waiting, judging, hunting] = tally.time;
    json!({
        "schema": "dpcmp.fuzz/1",
        "accountant": report.accountant,
        "seed": report.seed.to_string(),
        "cases": tally.cases,
        "answered": tally.answered,
        "undecided": tally.undecided,
        "kinds": kinds,
        "certified-comparisons": tally.comparisons,
        "seconds": seconds(report.time),
        "seconds-waiting": seconds(waiting),
        "seconds-judging": seconds(judging),
        "seconds-confirming": seconds(hunting),
        "version": env!("CARGO_PKG_VERSION"),
    })
    .to_string()
}

/// With one decimal.
fn rate(cases: u64, time: Duration) -> String {
    let tenths = u128::from(cases).saturating_mul(10_000);
    let tenths = tenths.checked_div(time.as_millis().max(1)).unwrap_or(0);
    let (whole, tenth) = (tenths.div_euclid(10), tenths.rem_euclid(10));
    format!("{whole}.{tenth}")
}

fn causes(tally: &Tally, kind: Kind) -> usize {
    tally
        .findings
        .iter()
        .filter(|known| known.kind == kind)
        .count()
}

fn counts(tally: &Tally, kind: Kind) -> String {
    match tally.faults.get(&kind) {
        None => "–".to_owned(),
        Some(cases) => format!("{} ({cases})", causes(tally, kind)),
    }
}
