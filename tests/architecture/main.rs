//! The map of the house in `src/lib.rs`, held against the source text: who may use whom, and what trusted
//! modules must not contain.

mod checker;
mod crate_text;
mod crates;
mod floats;
mod proofs;
mod reading;
mod surface;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use reading::{
    has_numeric_cast, test_paths, used_modules, used_neighbours, without_comments_and_strings,
    without_tests, words,
};

/// No source file is longer, tests included.
const MOST_LINES: usize = 500;

/// What trusted code does not do.
const PANICS: [&str; 7] = [
    ".unwrap()",
    ".expect(",
    "panic!",
    "unreachable!",
    "todo!",
    "unimplemented!",
    "dbg!",
];

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
    let (code, _) = without_tests(&without_comments_and_strings(&read("src/lib.rs")));
    let declared = code.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let mut declared: Vec<String> = declared.map(str::to_owned).collect();
    declared.sort();
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

/// The files of the command line use each other in one direction, too.
#[test]
fn no_circle_of_files_in_command() {
    let folder = root().join("src/command");
    let name_of = |path: &Path| {
        let inside = path.strip_prefix(&folder).unwrap();
        let first = inside.components().next().unwrap();
        let name = first.as_os_str().to_string_lossy().into_owned();
        (
            name.trim_end_matches(".rs").to_owned(),
            inside.components().count(),
        )
    };
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources() {
        let path = PathBuf::from(&source.path);
        if !path.starts_with(&folder) || path == folder.join("mod.rs") {
            continue;
        }
        let (name, depth) = name_of(&path);
        // A file in a folder reaches its neighbours of that folder by one `super`, those of the command line by two.
        let up = if depth == 1 || path.ends_with("mod.rs") {
            1
        } else {
            2
        };
        let used = used_neighbours(&source.code, up);
        uses.entry(name).or_default().extend(used);
    }
    let names: BTreeSet<String> = uses.keys().cloned().collect();
    assert!(names.len() > 10, "the command line was not found");
    for (name, used) in &mut uses {
        used.retain(|other| names.contains(other) && other != name);
    }
    // Take away what uses nothing that is left, until nothing is left or a circle is.
    while let Some(last) = uses.iter().find(|(_, used)| used.is_empty()) {
        let last = last.0.clone();
        uses.remove(&last);
        for used in uses.values_mut() {
            used.remove(&last);
        }
    }
    assert!(uses.is_empty(), "in a circle, or above one: {uses:?}");
}

#[test]
fn trusted_modules_have_no_floats_casts_or_panics() {
    const WORDS: [&str; 4] = ["f32", "f64", "unsafe", "unchecked"];
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
            for call in PANICS {
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
    let tests = ["tests", "checker/tests"]
        .into_iter()
        .flat_map(sources_below);
    for source in sources().into_iter().chain(checker_sources()).chain(tests) {
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
        .filter_map(|line| line.strip_prefix("// | [`"))
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
    let found = sources_below("src");
    assert!(found.len() > 20, "the sources were not found");
    found
}

fn checker_sources() -> Vec<Source> {
    let found = sources_below("checker/src");
    assert!(found.len() > 5, "the checker was not found");
    found
}

fn sources_below(folder: &str) -> Vec<Source> {
    let folder = root().join(folder);
    let mut tests_of_modules = Vec::new();
    let mut found: Vec<Source> = files_below(&folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| {
            let relative = path.strip_prefix(&folder).unwrap();
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
