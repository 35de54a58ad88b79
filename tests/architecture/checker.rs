//! What Cargo does not hold the checker to: a few crates, no floats, no casts, no panics, and few lines; and who may use it.

use super::reading::{has_numeric_cast, words};
use super::{PANICS, Source, assert_none, checker_sources, read, sources};

/// The checker of certificates is a small fraction of the engine, and computes with integers alone.
#[test]
fn the_checker_is_short_and_exact() {
    const NOT_THERE: [&str; 5] = ["f32", "f64", "unsafe", "extern", "include"];
    // What decides, and what says it.
    const MOST_LINES: [usize; 2] = [6_701, 583];
    let files = checker_sources();
    let mut violations = Vec::new();
    for file in &files {
        for (number, line) in (1..).zip(file.code.lines()) {
            let mut complain = |what: &str| {
                violations.push(format!("{}:{number}: {what}", file.path));
            };
            for word in words(line).filter(|word| NOT_THERE.contains(word)) {
                complain(word);
            }
            for call in PANICS.iter().filter(|call| line.contains(*call)) {
                complain(call);
            }
            if has_numeric_cast(line) {
                complain("a cast with `as`");
            }
        }
    }
    assert_none(&violations);
    let says =
        |file: &&Source| ["answer", "condition", "main", "reason"].contains(&file.module.as_str());
    let (say, decide): (Vec<&Source>, Vec<&Source>) = files.iter().partition(says);
    let lines = [decide, say].map(|files| files.into_iter().map(lines_of_code).sum::<usize>());
    assert!(
        lines[0] <= MOST_LINES[0] && lines[1] <= MOST_LINES[1],
        "{lines:?} lines of code"
    );
    println!("{lines:?} lines of code in {} files", files.len());
}

/// Cargo keeps `dpcmp` out of the checker; these crates are all that it rests on.
#[test]
fn the_checker_rests_on_five_crates() {
    let manifest = read("checker/Cargo.toml");
    let dependencies = manifest.split("[dependencies]\n").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let names: Vec<&str> = dependencies
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "num-bigint",
            "num-integer",
            "num-rational",
            "num-traits",
            "sha2"
        ]
    );
    assert_eq!(manifest.matches("dependencies]").count(), 1);
}

/// Nothing that decides or bounds anything can lean on the checker: the command line alone asks it.
#[test]
fn only_the_command_line_uses_the_checker() {
    let users: Vec<Source> = sources()
        .into_iter()
        .filter(|source| source.code.contains("dpcmp_check"))
        .collect();
    assert!(!users.is_empty());
    for source in users {
        assert_eq!(source.module, "command", "{}", source.path);
    }
}

fn lines_of_code(file: &Source) -> usize {
    file.code
        .lines()
        .filter(|line| !line.trim().is_empty())
        .count()
}
