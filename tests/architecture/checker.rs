//! The independence of `dpcmp-check`, held against its sources and the manifest.

use super::reading::words;
use super::{Source, assert_none, read, sources};

/// The checker of certificates shares nothing with the library: no code, no floats, no C, no command line parser; and it is
/// short enough to be read in an evening or two.
#[test]
fn the_checker_is_independent() {
    const CRATES: [&str; 6] = [
        "std",
        "num_bigint",
        "num_integer",
        "num_rational",
        "num_traits",
        "sha2",
    ];
    const NOT_THERE: [&str; 12] = [
        "dpcmp",
        "f32",
        "f64",
        "unsafe",
        "rug",
        "gmp_mpfr_sys",
        "clap",
        "rustfft",
        "statrs",
        "serde_json",
        "extern",
        "include",
    ];
    const MOST_LINES_IN_ALL: usize = 2_200;
    let files: Vec<Source> = sources()
        .into_iter()
        .filter(|source| source.path.contains("dpcmp-check"))
        .collect();
    assert!(files.len() > 5, "the checker was not found");
    let modules: Vec<String> = files
        .iter()
        .flat_map(|file| declared_modules(&file.code))
        .collect();
    let mut violations = Vec::new();
    for file in &files {
        for (number, line) in (1..).zip(file.code.lines()) {
            for word in words(line).filter(|word| NOT_THERE.contains(word)) {
                violations.push(format!("{}:{number}: {word}", file.path));
            }
            // Every path starts in the standard library, in one of a few crates, or in the checker itself.
            if let Some(path) = line.trim_start().strip_prefix("use ") {
                let head = words(path).next().unwrap_or("");
                if head != "crate"
                    && !CRATES.contains(&head)
                    && !modules.iter().any(|module| module == head)
                {
                    violations.push(format!("{}:{number}: use {path}", file.path));
                }
            }
        }
    }
    assert_none(&violations);
    let lines: usize = files
        .iter()
        .map(|file| {
            file.code
                .lines()
                .filter(|line| !line.trim().is_empty())
                .count()
        })
        .sum();
    assert!(lines <= MOST_LINES_IN_ALL, "{lines} lines of code");
    println!("{lines} lines of code in {} files", files.len());
}

/// Nothing that needs a C compiler, and nothing of the library, is built without the default feature.
#[test]
fn the_checker_is_built_without_the_engine() {
    let manifest = read("Cargo.toml");
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let always: Vec<&str> = dependencies
        .lines()
        .filter(|line| line.contains('=') && !line.contains("optional = true"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        always,
        [
            "num-bigint",
            "num-integer",
            "num-rational",
            "num-traits",
            "sha2"
        ]
    );
    assert!(read("src/lib.rs").contains("#![cfg(feature = \"engine\")]"));
}

fn declared_modules(code: &str) -> Vec<String> {
    let lines = code
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    lines.map(str::to_owned).collect()
}
