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

/// Prints the record, or writes it.
///
/// # Errors
/// If nothing was run.
pub fn report(place: &Place, to: Option<PathBuf>) -> Result<(), Failure> {
    let (listed, fates) = (tree::read_list(place)?, run::fates(place)?);
    let reasons = reasons(place);
    let mut counts: BTreeMap<(String, bool), Count> = BTreeMap::new();
    let mut survivors: Vec<(&Listed, &Fate)> = Vec::new();
    let mut seen = HashSet::new();
    for mutant in listed.iter().filter(|m| seen.insert(m.key())) {
        let count = counts
            .entry((module(&mutant.file), mutant.is_about_direction()))
            .or_default();
        count.all += 1;
        let Some(fate) = fates.get(&mutant.key()) else {
            continue;
        };
        count.run += 1;
        match fate {
            Fate::Caught(_) => count.caught += 1,
            other => {
                count.unreached += usize::from(*other == Fate::Unreached);
                count.harmless += usize::from(reasons.contains_key(&mutant.key()));
                survivors.push((mutant, other));
            }
        }
    }
    let tree = fs::read_to_string(place.prepared_from()).unwrap_or_default();
    let text = page(tree.trim(), &counts, &survivors, &reasons);
    match to {
        Some(path) => fs::write(path, text)?,
        None => print!("{text}"),
    }
    Ok(())
}

fn page(
    tree: &str,
    counts: &BTreeMap<(String, bool), Count>,
    survivors: &[(&Listed, &Fate)],
    reasons: &BTreeMap<String, String>,
) -> String {
    let mut text = format!(
        "# Mutants of the trusted code\n\nWritten by `make mutants`; the tree is that of {tree}, earlier ones for what had been caught before. \
         \"Direction\": up/down, lo/hi, min/max, floor/ceil, `<`/`≤`, a term forgotten, \
         two arguments swapped; \"other\": a sample of wrong operations, constants, negations and statements left out. The percentage is of those \
         that were run and are not harmless.\n\n\
         | module | breaks | compile | run | caught | harmless, with a reason | not seen | of these reached by no test | caught, % |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut sum = Count::default();
    for ((module, direction), c) in counts {
        let kind = if *direction { "direction" } else { "other" };
        let _ = writeln!(text, "| `{module}` | {kind} | {}", row(c));
        sum.all += c.all;
        sum.run += c.run;
        sum.caught += c.caught;
        sum.harmless += c.harmless;
        sum.unreached += c.unreached;
    }
    let _ = writeln!(text, "| all | | {}", row(&sum));
    let _ = writeln!(
        text,
        "\nOf {} breaks that compile, {} have been run; {} have not.",
        sum.all,
        sum.run,
        sum.all - sum.run
    );
    let hurried = survivors
        .iter()
        .filter(|(m, fate)| **fate == Fate::OutOfTime && !reasons.contains_key(&m.key()))
        .count();
    let _ = writeln!(
        text,
        "\nOf those not seen, {hurried} ran out of time: quick tests passed and slower ones were not run. The percentages count them as not caught."
    );
    text.push_str(
        "\n## What no test sees\n\n| place | break | why it is harmless |\n|---|---|---|\n",
    );
    for (mutant, fate) in survivors {
        let reason = reasons.get(&mutant.key()).map_or_else(
            || match fate {
                Fate::Unreached => "no test reaches it",
                Fate::OutOfTime => "not seen in the time given",
                Fate::Survived | Fate::Caught(_) => "",
            },
            String::as_str,
        );
        let change = mutant.change.replace('|', "\\|");
        let _ = writeln!(
            text,
            "| `{}` {} | {}: `{change}` | {reason} |",
            mutant.file, mutant.function, mutant.operator
        );
    }
    text
}

fn row(c: &Count) -> String {
    let left = c.run - c.caught - c.harmless;
    let share = match c.run - c.harmless {
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
