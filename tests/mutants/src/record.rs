//! What was caught, by module, and what survived.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::Failure;
use crate::run::{self, Fate};
use crate::tree::{self, Listed, Place};

#[derive(Default)]
struct Count {
    all: usize,
    run: usize,
    caught: usize,
    harmless: usize,
    unreached: usize,
}

/// One break that no test has seen.
struct Row {
    file: String,
    function: String,
    operator: String,
    change: String,
    /// Why it is harmless, or what else is known of it.
    note: String,
}

const UNREACHED: &str = "no test reaches it";
const HURRIED: &str = "not seen in the time given";

impl Row {
    fn of(mutant: &Listed, fate: &Fate, reasons: &BTreeMap<String, String>) -> Self {
        let note = reasons.get(&mutant.key()).map_or_else(
            || match fate {
                Fate::Unreached => UNREACHED,
                Fate::OutOfTime => HURRIED,
                Fate::Survived | Fate::Caught(_) => "",
            },
            String::as_str,
        );
        Self {
            file: mutant.file.clone(),
            function: mutant.function.clone(),
            operator: mutant.operator.clone(),
            change: mutant.change.clone(),
            note: note.to_owned(),
        }
    }

    fn key(&self) -> String {
        let Self {
            file,
            function,
            operator,
            change,
            ..
        } = self;
        format!("{file}\t{function}\t{operator}\t{change}")
    }

    /// A line of the record.
    fn read(line: &str) -> Option<Self> {
        let line = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let (file, rest) = line.split_once("` ")?;
        let (function, rest) = rest.split_once(" | ")?;
        let (operator, rest) = rest.split_once(": `")?;
        let (change, note) = rest.rsplit_once("` |")?;
        Some(Self {
            file: file.to_owned(),
            function: function.to_owned(),
            operator: operator.to_owned(),
            change: change.replace("\\|", "|"),
            note: note.trim().to_owned(),
        })
    }

    fn is_harmless(&self) -> bool {
        !["", UNREACHED, HURRIED].contains(&self.note.as_str())
    }

    fn is_about_direction(&self) -> bool {
        matches!(
            self.operator.as_str(),
            "direction" | "comparison" | "term" | "swap"
        )
    }
}

type Counts = BTreeMap<(String, bool), Count>;

/// Counts a mutant, and what became of it if it was run; what no test saw has a row.
fn take(
    counts: &mut Counts,
    mutant: &Listed,
    fate: Option<&Fate>,
    reasons: &BTreeMap<String, String>,
) -> Option<Row> {
    let count = counts
        .entry((module(&mutant.file), mutant.is_about_direction()))
        .or_default();
    count.all += 1;
    let fate = fate?;
    count.run += 1;
    if let Fate::Caught(_) = fate {
        count.caught += 1;
        return None;
    }
    Some(Row::of(mutant, fate, reasons))
}

/// Prints the record, or writes it.
///
/// # Errors
/// If nothing was run.
pub fn report(place: &Place, to: Option<PathBuf>) -> Result<(), Failure> {
    let (listed, fates) = (tree::read_list(place)?, run::fates(place)?);
    let reasons = reasons(place);
    let mut counts = Counts::new();
    let mut rows = Vec::new();
    let mut seen = HashSet::new();
    for mutant in listed.iter().filter(|m| seen.insert(m.key())) {
        let fate = fates.get(&mutant.key());
        rows.extend(take(&mut counts, mutant, fate, &reasons));
    }
    let tree = fs::read_to_string(place.prepared_from()).unwrap_or_default();
    let about = format!(
        "the tree is that of {}, earlier ones for what had been caught before.",
        tree.trim()
    );
    put(page(&about, counts, &rows), to)
}

/// Brings the record up to date after what it lists as not seen was prepared and run again.
///
/// What has been caught since goes, and so does what the code no longer has; what was not run again stays as it is. What was run for the first time is added:
/// so a run is reported once.
///
/// # Errors
/// If there is no record, or nothing was prepared.
pub fn renew(place: &Place, to: Option<PathBuf>) -> Result<(), Failure> {
    let (listed, fates) = (tree::read_list(place)?, run::fates(place)?);
    let record = fs::read_to_string(place.record())?;
    let reasons = reasons(place);
    let by_key: BTreeMap<String, &Listed> = listed.iter().map(|m| (m.key(), m)).collect();
    let files: HashSet<&str> = listed.iter().map(|m| m.file.as_str()).collect();
    let mut counts: Counts = record.lines().filter_map(Count::read).collect();
    let mut rows = Vec::new();
    let mut again = 0;
    for row in record.lines().filter_map(Row::read) {
        let place = (module(&row.file), row.is_about_direction());
        let count = counts.entry(place).or_default();
        let harmless = reasons.get(&row.key());
        let fate = fates.get(&row.key());
        again += usize::from(fate.is_some());
        match by_key.get(&row.key()) {
            _ if harmless.is_some() => rows.push(Row {
                note: harmless.cloned().unwrap_or_default(),
                ..row
            }),
            Some(_) => match fate {
                Some(Fate::Caught(_)) => count.caught += 1,
                // Of the tests that were noted some reach it: that is all that a run with few of them says.
                Some(Fate::Survived | Fate::OutOfTime) if row.note == UNREACHED => {
                    rows.push(Row {
                        note: HURRIED.to_owned(),
                        ..row
                    });
                }
                Some(Fate::Survived | Fate::OutOfTime | Fate::Unreached) | None => rows.push(row),
            },
            None if files.contains(row.file.as_str()) => {
                count.all = count.all.saturating_sub(1);
                count.run = count.run.saturating_sub(1);
            }
            None => rows.push(row),
        }
    }
    // All places of a text that was missed at one of them are prepared, and were run before.
    let known: HashSet<String> = record
        .lines()
        .filter_map(Row::read)
        .map(|row| without_place(&row.key()))
        .collect();
    let are_new = fs::read_to_string(place.since()).is_ok_and(|since| !since.is_empty());
    let mut first = 0;
    for (mutant, key) in listed.iter().map(|m| (m, m.key())) {
        let Some(fate) = fates
            .get(&key)
            .filter(|_| !known.contains(&without_place(&key)))
        else {
            continue;
        };
        first += 1;
        let place = (module(&mutant.file), mutant.is_about_direction());
        let count = counts.entry(place).or_default();
        count.run += 1;
        // There may be more of them than when they were counted; what is new since was not.
        count.all = match are_new {
            true => count.all + 1,
            false => count.all.max(count.run),
        };
        match fate {
            Fate::Caught(_) => count.caught += 1,
            other => rows.push(Row::of(mutant, other, &reasons)),
        }
    }
    rows.sort_by(|a, b| (&a.file, &a.function).cmp(&(&b.file, &b.function)));
    let tree = fs::read_to_string(place.prepared_from()).unwrap_or_default();
    let before = tree_of(&record);
    let about = format!(
        "the tree is that of {before}; of what no test had seen there {again} were run again, and {first} others for the first time, on that of {}; the rest is as it was.",
        tree.trim()
    );
    put(page(&about, counts, &rows), to)
}

/// Brings the record up to date for modules of which all breaks were prepared, and run unless they have a reason: their part of it is written anew, the rest stays.
///
/// # Errors
/// If there is no record, or nothing was prepared.
pub fn anew(place: &Place, to: Option<PathBuf>) -> Result<(), Failure> {
    let (listed, fates) = (tree::read_list(place)?, run::fates(place)?);
    let record = fs::read_to_string(place.record())?;
    let reasons = reasons(place);
    let modules: HashSet<String> = listed.iter().map(|m| module(&m.file)).collect();
    let rest = record.lines().filter_map(Count::read);
    let mut counts: Counts = rest
        .filter(|((name, _), _)| !modules.contains(name))
        .collect();
    let rest = record.lines().filter_map(Row::read);
    let mut rows: Vec<Row> = rest
        .filter(|row| !modules.contains(&module(&row.file)))
        .collect();
    let (mut ran, mut left) = (0, 0);
    let mut seen = HashSet::new();
    for mutant in listed.iter().filter(|m| seen.insert(m.key())) {
        let fate = match fates.get(&mutant.key()) {
            Some(fate) => {
                ran += 1;
                Some(fate)
            }
            // A reason was written when no test had seen it.
            None if reasons.contains_key(&mutant.key()) => {
                left += 1;
                Some(&Fate::Survived)
            }
            None => None,
        };
        rows.extend(take(&mut counts, mutant, fate, &reasons));
    }
    rows.sort_by(|a, b| (&a.file, &a.function).cmp(&(&b.file, &b.function)));
    let mut names: Vec<String> = modules.iter().map(|name| format!("`{name}`")).collect();
    names.sort();
    let tree = fs::read_to_string(place.prepared_from()).unwrap_or_default();
    let about = format!(
        "the tree is that of {}; of {} all breaks were prepared anew on that of {}: {ran} were run, {left} have a reason from earlier runs; the rest is as it was.",
        tree_of(&record),
        names.join(", "),
        tree.trim()
    );
    put(page(&about, counts, &rows), to)
}

/// The tree that a record names first.
fn tree_of(record: &str) -> &str {
    record
        .split_once("the tree is that of ")
        .and_then(|(_, rest)| rest.split_once(['.', ',', ';']))
        .map_or("an earlier commit", |(tree, _)| tree)
}

/// What the record lists as not seen and not harmless, without the place of what is in a function more than once.
///
/// # Errors
/// If there is no record.
pub fn missed(place: &Place) -> Result<tree::Missed, Failure> {
    let record = fs::read_to_string(place.record())?;
    let reasons = reasons(place);
    let rows = record.lines().filter_map(Row::read);
    let rows = rows.filter(|row| !reasons.contains_key(&row.key()));
    Ok(rows.map(|row| without_place(&row.key())).collect())
}

fn without_place(key: &str) -> String {
    let text = key.rsplit_once(" (place ").map_or(key, |(text, _)| text);
    text.to_owned()
}

fn put(text: String, to: Option<PathBuf>) -> Result<(), Failure> {
    match to {
        Some(path) => fs::write(path, text)?,
        None => print!("{text}"),
    }
    Ok(())
}

fn page(about: &str, mut counts: Counts, rows: &[Row]) -> String {
    for count in counts.values_mut() {
        (count.harmless, count.unreached) = (0, 0);
    }
    for row in rows {
        let place = (module(&row.file), row.is_about_direction());
        let count = counts.entry(place).or_default();
        count.harmless += usize::from(row.is_harmless());
        count.unreached += usize::from(row.note == UNREACHED);
    }
    let mut text = format!(
        "# Mutants of the trusted code\n\nWritten by `make mutants`; {about} \
         \"Direction\": up/down, lo/hi, min/max, floor/ceil, `<`/`≤`, a term forgotten, \
         two arguments swapped; \"other\": a sample of wrong operations, constants, negations and statements left out. The percentage is of those \
         that were run and are not harmless.\n\n\
         | module | breaks | compile | run | caught | harmless, with a reason | not seen | of these reached by no test | caught, % |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut sum = Count::default();
    for ((module, direction), c) in &counts {
        let kind = if *direction { "direction" } else { "other" };
        let _ = writeln!(text, "| `{module}` | {kind} | {}", row_of(c));
        sum.all += c.all;
        sum.run += c.run;
        sum.caught += c.caught;
        sum.harmless += c.harmless;
        sum.unreached += c.unreached;
    }
    let _ = writeln!(text, "| all | | {}", row_of(&sum));
    let _ = writeln!(
        text,
        "\nOf {} breaks that compile, {} have been run; {} have not.",
        sum.all,
        sum.run,
        sum.all.saturating_sub(sum.run)
    );
    let hurried = rows.iter().filter(|row| row.note == HURRIED).count();
    let _ = writeln!(
        text,
        "\nOf those not seen, {hurried} ran out of time: quick tests passed and slower ones were not run. The percentages count them as not caught."
    );
    text.push_str(
        "\n## What no test sees\n\n| place | break | why it is harmless |\n|---|---|---|\n",
    );
    for row in rows {
        let change = row.change.replace('|', "\\|");
        let _ = writeln!(
            text,
            "| `{}` {} | {}: `{change}` | {} |",
            row.file, row.function, row.operator, row.note
        );
    }
    text
}

impl Count {
    /// A line of the table, without what is counted from the rows.
    fn read(line: &str) -> Option<((String, bool), Self)> {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, module, kind, all, run, caught, ..] = cells.as_slice() else {
            return None;
        };
        let module = module.strip_prefix('`')?.strip_suffix('`')?;
        let direction = match *kind {
            "direction" => true,
            "other" => false,
            _ => return None,
        };
        let count = Self {
            all: all.parse().ok()?,
            run: run.parse().ok()?,
            caught: caught.parse().ok()?,
            ..Self::default()
        };
        Some(((module.to_owned(), direction), count))
    }
}

fn row_of(c: &Count) -> String {
    let left = c.run.saturating_sub(c.caught + c.harmless);
    let share = match c.run.saturating_sub(c.harmless) {
        0 => String::new(),
        of => format!("{:.1}", 100.0 * c.caught as f64 / of as f64),
    };
    format!(
        "{} | {} | {} | {} | {left} | {} | {share} |",
        c.all, c.run, c.caught, c.harmless, c.unreached
    )
}

fn module(file: &str) -> String {
    match file.strip_prefix("src/").and_then(|f| f.split('/').next()) {
        Some(module) => module.to_owned(),
        None => "checker".to_owned(),
    }
}

/// Why a mutant that survives is harmless: `harmless.tsv` beside this package, the mutant's key and a last field.
pub fn reasons(place: &Place) -> BTreeMap<String, String> {
    let text =
        fs::read_to_string(place.root.join("tests/mutants/harmless.tsv")).unwrap_or_default();
    let read = |line: &str| {
        line.rsplit_once('\t')
            .map(|(key, reason)| (key.to_owned(), reason.to_owned()))
    };
    text.lines().filter_map(read).collect()
}
