//! The map of the house in `src/lib.rs`, held against the source text: who may use whom, and what trusted
//! modules must not contain.

mod checker;
mod reading;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use reading::{
    has_numeric_cast, test_paths, used_modules, without_comments_and_strings, without_tests, words,
};

/// No source file is longer.
const MOST_LINES: usize = 500;

/// A module of the map.
struct Module {
    name: String,
    trusted: bool,
}

/// A source file: its path from the root of the repository, its module, and its text without comments, strings
/// and test modules.
struct Source {
    path: String,
    module: String,
    text: String,
    code: String,
}

#[test]
fn every_module_is_on_the_map() {
    let declared: Vec<String> = read("src/lib.rs")
        .lines()
        .filter_map(|line| {
            line.strip_prefix("pub mod ")?
                .strip_suffix(';')
                .map(str::to_owned)
        })
        .collect();
    let mut on_the_map: Vec<String> = map().into_iter().map(|module| module.name).collect();
    assert!(on_the_map.len() > 5, "the table in src/lib.rs was not read");
    on_the_map.sort();
    assert_eq!(declared, on_the_map);
}

#[test]
fn modules_use_only_modules_above_them() {
    let order: BTreeMap<String, usize> = map()
        .into_iter()
        .enumerate()
        .map(|(place, module)| (module.name, place))
        .collect();
    let mut violations = Vec::new();
    for source in sources() {
        let Some(here) = order.get(&source.module) else {
            continue;
        };
        for used in used_modules(&source.code) {
            match order.get(&used) {
                Some(there) if there <= here => {}
                Some(_) => violations.push(format!("{} uses `{used}`, below it", source.path)),
                None => violations.push(format!(
                    "{}: `crate::{used}` is not on the map",
                    source.path
                )),
            }
        }
    }
    assert_none(&violations);
}

#[test]
fn trusted_modules_have_no_floats_casts_or_panics() {
    const WORDS: [&str; 4] = ["f32", "f64", "unsafe", "unchecked"];
    const CALLS: [&str; 7] = [
        ".unwrap()",
        ".expect(",
        "panic!",
        "unreachable!",
        "todo!",
        "unimplemented!",
        "dbg!",
    ];
    let trusted: Vec<String> = map()
        .into_iter()
        .filter(|module| module.trusted)
        .map(|module| module.name)
        .collect();
    assert!(trusted.iter().any(|name| name == "kernel"));
    let mut violations = Vec::new();
    for source in sources() {
        if !trusted.contains(&source.module) {
            continue;
        }
        for (number, line) in (1..).zip(source.code.lines()) {
            let mut complain = |what: &str| {
                violations.push(format!("{}:{number}: {what}", source.path));
            };
            for word in words(line) {
                if WORDS.contains(&word) {
                    complain(word);
                }
            }
            for call in CALLS {
                if line.contains(call) {
                    complain(call);
                }
            }
            if has_numeric_cast(line) {
                complain("a cast with `as`");
            }
        }
    }
    assert_none(&violations);
}

#[test]
fn files_say_what_they_are_for_and_are_short() {
    let mut violations = Vec::new();
    for source in sources() {
        if !source.text.starts_with("//!") {
            violations.push(format!("{}: no `//!` on the first line", source.path));
        }
        let lines = source.text.lines().count();
        if lines > MOST_LINES {
            violations.push(format!("{}: {lines} lines", source.path));
        }
    }
    assert_none(&violations);
}

/// A path of one machine works on no other; loose ends belong in no release.
#[test]
fn no_paths_of_one_machine_and_no_loose_ends() {
    // Put together here, so that this file does not contain them.
    let forbidden = [
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["/tm", "p/"],
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X:"],
        ["DEB", "UG"],
    ]
    .map(|parts| parts.concat());
    let mut violations = Vec::new();
    for path in repository_files() {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (number, line) in (1..).zip(text.lines()) {
            for what in forbidden.iter().filter(|what| line.contains(*what)) {
                violations.push(format!("{}:{number}: {what}", path.display()));
            }
        }
    }
    assert_none(&violations);
}

/// The table of `src/lib.rs`, from top to bottom.
fn map() -> Vec<Module> {
    let rows = read("src/lib.rs");
    rows.lines()
        .filter_map(|line| line.strip_prefix("//! | [`"))
        .filter_map(|row| {
            let (name, rest) = row.split_once("`]")?;
            let last = rest.trim_end().trim_end_matches('|').rsplit('|').next()?;
            Some(Module {
                name: name.to_owned(),
                trusted: last.trim() == "yes",
            })
        })
        .collect()
}

fn sources() -> Vec<Source> {
    let mut tests_of_modules = Vec::new();
    let mut found: Vec<Source> = files_below(&root().join("src"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| {
            let relative = path.strip_prefix(root().join("src")).unwrap();
            let module = relative.components().next().unwrap().as_os_str();
            let text = fs::read_to_string(&path).unwrap();
            let (code, test_files) = without_tests(&without_comments_and_strings(&text));
            for name in test_paths(&text) {
                tests_of_modules.push(path.parent().unwrap().join(name));
            }
            for name in test_files {
                tests_of_modules.push(path.parent().unwrap().join(format!("{name}.rs")));
                tests_of_modules.push(path.with_extension("").join(format!("{name}.rs")));
            }
            Source {
                path: path.display().to_string(),
                module: module.to_string_lossy().trim_end_matches(".rs").to_owned(),
                text,
                code,
            }
        })
        .collect();
    for source in &mut found {
        if tests_of_modules.contains(&PathBuf::from(&source.path)) {
            source.code.clear();
        }
    }
    assert!(found.len() > 20, "the sources were not found");
    found
}

/// Everything that is kept under version control, as far as it is text.
fn repository_files() -> Vec<PathBuf> {
    let skipped = ["target", ".git", "Cargo.lock"];
    let mut found = Vec::new();
    for entry in fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if skipped.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    assert!(found.iter().any(|path| path.ends_with("Cargo.toml")));
    found
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}
