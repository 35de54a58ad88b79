//! The list of crates in `docs/sbom.json`, which `.ci/crates --write` writes, against the lock file, `deny.toml` and the checker's README.

use std::collections::{BTreeMap, BTreeSet};

use super::read;

/// A crate by its name and version.
type Crate = (String, String);

/// A component of the list: one a line.
struct Component {
    name: Crate,
    licence: String,
    checksum: String,
    is_behind_the_checker: bool,
}

fn components() -> Vec<Component> {
    let text = read("docs/sbom.json");
    let lines = text.lines();
    let lines = lines.filter(|line| line.starts_with("{\"type\": \"library\""));
    lines
        .map(|line| {
            let value = |key: &str| {
                let (_, rest) = line.split_once(&format!("\"{key}\": \"")).unwrap();
                rest.split_once('"').unwrap().0.to_owned()
            };
            Component {
                name: (value("name"), value("version")),
                licence: value("expression"),
                checksum: value("content"),
                is_behind_the_checker: line.contains("\"dpcmp:behind\""),
            }
        })
        .collect()
}

fn lock() -> BTreeMap<Crate, (String, String)> {
    let text = read("Cargo.lock");
    let packages = text.split("[[package]]").skip(1);
    packages
        .filter_map(|package| {
            let value = |key: &str| {
                let rest = package
                    .lines()
                    .find_map(|line| line.strip_prefix(&format!("{key} = \"")));
                rest.map(|rest| rest.trim_end_matches('"').to_owned())
            };
            let name = (value("name")?, value("version")?);
            // What is of this repository has no source.
            Some((
                name,
                (value("source")?, value("checksum").unwrap_or_default()),
            ))
        })
        .collect()
}

#[test]
fn the_list_is_what_is_locked() {
    let locked = lock();
    let listed: BTreeMap<Crate, String> = components()
        .into_iter()
        .map(|component| (component.name, component.checksum))
        .collect();
    assert!(listed.len() > 100);
    let wanted: BTreeMap<Crate, String> = locked
        .iter()
        .map(|(name, (_, checksum))| (name.clone(), checksum.clone()))
        .collect();
    let missing: Vec<&Crate> = wanted
        .iter()
        .filter(|(name, sum)| listed.get(*name) != Some(*sum))
        .map(|(name, _)| name)
        .collect();
    let gone: Vec<&Crate> = listed
        .keys()
        .filter(|name| !wanted.contains_key(*name))
        .collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "not listed: {missing:?}, not locked: {gone:?}; renew the list with `.ci/crates --write`"
    );
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    assert!(locked.values().all(|(source, _)| source == registry));
}

#[test]
fn licences_are_allowed() {
    let rules = read("deny.toml");
    let (_, rules) = rules.split_once("\n[licenses]\n").unwrap();
    let (rules, _) = rules.split_once("\n[").unwrap();
    // The words in quotes; of an exception the first is the crate.
    let words = |line: &str| -> Vec<String> {
        let parts = line.split('"').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    let of_all = rules.lines().find(|line| line.starts_with("allow = "));
    let of_all = words(of_all.unwrap());
    let exceptions: Vec<Vec<String>> = rules
        .lines()
        .filter(|line| line.trim_start().starts_with("{ crate"))
        .map(words)
        .collect();
    assert!(of_all.len() > 3 && !exceptions.is_empty());
    for component in components() {
        let own = exceptions.iter().filter(|rule| rule[0] == component.name.0);
        let allowed: BTreeSet<&String> = own.flatten().chain(&of_all).collect();
        let holds = |one: &str| {
            let one = one.trim_matches(['(', ')', ' ']);
            one.split(" OR ")
                .any(|word| allowed.iter().any(|one| *one == word))
        };
        let licence = &component.licence;
        assert!(
            licence.split(" AND ").all(holds),
            "{:?}: {licence}",
            component.name
        );
    }
}

#[test]
fn the_crates_behind_the_checker_are_justified() {
    let listed: BTreeSet<String> = components()
        .into_iter()
        .filter(|component| component.is_behind_the_checker)
        .map(|component| component.name.0)
        .collect();
    let readme = read("checker/README.md");
    let (_, section) = readme.split_once("\n## The crates behind it\n").unwrap();
    let section = section
        .split_once("\n## ")
        .map_or(section, |(section, _)| section);
    let mut justified = BTreeSet::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert!(cells.len() == 4 && cells[2].len() > 20, "{row}");
        for name in cells[1].split(',') {
            justified.insert(name.trim().trim_matches('`').to_owned());
        }
    }
    assert_eq!(justified, listed);
}
