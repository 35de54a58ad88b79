//! Compiling the tree, and taking out of it what the compiler refuses.

use std::collections::{BTreeMap, HashMap};
use std::process::{Command, Output};

use serde_json::Value;

use crate::tree::{ALLOWED, File, Place, write};
use crate::{Failure, dead, say};

/// Rounds in which as little as possible is taken out; after these all breaks of a place at once, for the last rounds find one error each.
pub const PATIENT: u32 = 12;

/// Which tests are compiled with the libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    None,
    Within,
    All,
}

/// What came of compiling the tree.
#[derive(Debug)]
pub enum Checked {
    /// So many places were changed; none if all compiles.
    TakenOut(usize),
    /// The compiler blames only places in which nothing is broken; its words.
    Elsewhere(String),
}

/// Compiles the tree and takes out what does not compile.
///
/// # Errors
/// If the compiler does not run.
pub fn check(
    place: &Place,
    mutated: &mut BTreeMap<String, File>,
    tests: Tests,
    whole_sites: bool,
) -> Result<Checked, Failure> {
    let out = compile(place, tests)?;
    let mut removed = 0;
    let mut unplaced = Vec::new();
    let mut changed: HashMap<(String, usize), ()> = HashMap::new();
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let message = &value["message"];
        if value["reason"] != "compiler-message" || message["level"] != "error" {
            continue;
        }
        let code = message["code"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let mut spans: Vec<&Value> = message["spans"].as_array().into_iter().flatten().collect();
        spans.sort_by_key(|s| !s["is_primary"].as_bool().unwrap_or(false));
        let mut found = false;
        for span in &spans {
            if take_out(mutated, span, &code, &mut changed, whole_sites) {
                found = true;
                break;
            }
        }
        if found {
            removed += 1;
        } else if !spans.is_empty() {
            unplaced.push(message["rendered"].as_str().unwrap_or_default().to_owned());
        }
    }
    if removed == 0 && !out.status.success() {
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        return Ok(Checked::Elsewhere(format!(
            "{}\n{errors}",
            unplaced.join("\n")
        )));
    }
    Ok(Checked::TakenOut(removed))
}

/// Cargo in the tree, whose messages can be read.
pub fn cargo(place: &Place, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(arguments)
        .args(["--locked", "--message-format", "json"])
        .current_dir(place.tree())
        .env("CARGO_TARGET_DIR", place.build());
    command
}

fn compile(place: &Place, tests: Tests) -> Result<Output, Failure> {
    let arguments: &[&str] = match tests {
        Tests::None => &["check", "--release", "--lib"],
        Tests::All => &["check", "--release", "--lib", "--tests"],
        // They are built right away.
        Tests::Within => &["test", "--no-run", "--profile", "bench", "--lib"],
    };
    Ok(cargo(place, arguments).args(place.packages()).output()?)
}

/// Takes out the one place without which all before it compile, by halving: where the compiler blames a place outside of what is broken.
///
/// # Errors
/// If the tree does not compile without any of them either.
pub fn take_out_unseen(
    place: &Place,
    mutated: &mut BTreeMap<String, File>,
    tests: Tests,
    blamed: &str,
) -> Result<(), Failure> {
    let mut alive = Vec::new();
    for (path, file) in mutated.iter() {
        let is_alive = |index: &usize| file.chosen.get(*index).is_some_and(|one| !one.is_dead());
        alive.extend(
            (0..file.chosen.len())
                .filter(is_alive)
                .map(|index| (path.clone(), index)),
        );
    }
    // Of these the first ones only.
    let mut compiles = |first: usize| -> Result<bool, Failure> {
        let mut shapes = Vec::new();
        for (path, index) in alive.iter().skip(first) {
            if let Some(chosen) = mutated.get_mut(path).and_then(|f| f.chosen.get_mut(*index)) {
                shapes.push((path, *index, chosen.shape));
                chosen.shape = chosen.site.shapes.len();
            }
        }
        write(place, mutated)?;
        for (path, index, shape) in shapes {
            if let Some(chosen) = mutated.get_mut(path).and_then(|f| f.chosen.get_mut(index)) {
                chosen.shape = shape;
            }
        }
        Ok(compile(place, tests)?.status.success())
    };
    if !compiles(0)? {
        return Err(Failure(format!("the tree does not compile:\n{blamed}")));
    }
    let (mut fine, mut wrong) = (0, alive.len());
    while wrong - fine > 1 {
        let middle = (fine + wrong) / 2;
        if compiles(middle)? {
            fine = middle;
        } else {
            wrong = middle;
        }
    }
    if let Some((path, index)) = alive.get(fine)
        && let Some(chosen) = mutated.get_mut(path).and_then(|f| f.chosen.get_mut(*index))
    {
        say(&format!(
            "taken out, for the compiler blames another place: {path}:{}",
            chosen.site.line
        ));
        chosen.shape = chosen.site.shapes.len();
    }
    Ok(())
}

/// Errors about what lives how long: another shape may do.
const ABOUT_LIFETIMES: &[&str] = &[
    "E0716", "E0597", "E0507", "E0515", "E0505", "E0382", "E0508", "E0502", "E0506", "E0381",
];

/// Errors about a place that is changed through a reference to it.
const IS_CHANGED: &[&str] = &["E0594", "E0596", "E0070"];

fn take_out(
    mutated: &mut BTreeMap<String, File>,
    span: &Value,
    code: &str,
    changed: &mut HashMap<(String, usize), ()>,
    whole_sites: bool,
) -> bool {
    // Of a macro's text the place of its call.
    let mut span = span;
    while span["expansion"]["span"].is_object() {
        span = &span["expansion"]["span"];
    }
    let name = span["file_name"].as_str().unwrap_or_default();
    let name = if name.starts_with("src/") && !mutated.contains_key(name) {
        format!("checker/{name}")
    } else {
        name.to_owned()
    };
    let Some(file) = mutated.get_mut(&name) else {
        return false;
    };
    let shift = if name == "src/lib.rs" || name == "checker/src/lib.rs" {
        ALLOWED.len()
    } else {
        0
    };
    let place = |key: &str| {
        usize::try_from(span[key].as_u64().unwrap_or(0))
            .unwrap_or(0)
            .saturating_sub(shift)
    };
    let (from, to) = (place("byte_start"), place("byte_end"));
    // The smallest region around the place.
    let around = file
        .regions
        .iter()
        .filter(|r| r.range.start <= from && to <= r.range.end)
        .min_by_key(|r| r.range.end - r.range.start)
        .cloned();
    // Or else whatever region within it.
    let within = || {
        file.regions
            .iter()
            .find(|r| from <= r.range.start && r.range.end <= to)
            .cloned()
    };
    // Or else the one before it: a type that was inferred from a mutant is seen to be wrong further down.
    let before = || {
        file.regions
            .iter()
            .filter(|r| r.range.end <= from)
            .max_by_key(|r| r.range.end)
            .cloned()
    };
    let is_inferred = around.is_none() && within().is_none();
    let Some(region) = around.or_else(within).or_else(before) else {
        return false;
    };
    if changed.insert((name, region.site), ()).is_some() {
        return true;
    }
    let Some(chosen) = file.chosen.get_mut(region.site) else {
        return false;
    };
    if is_inferred || whole_sites {
        chosen.shape = chosen.site.shapes.len();
        return true;
    }
    let more_shapes = chosen.shape + 1 < chosen.site.shapes.len();
    match region.mutant {
        // Of the other shapes some would compile and change a copy.
        _ if IS_CHANGED.contains(&code) => chosen.shape = chosen.site.shapes.len(),
        Some(mutant) if !(more_shapes && ABOUT_LIFETIMES.contains(&code)) => {
            let key = chosen
                .site
                .mutants
                .get(mutant)
                .map(|m| dead::mutant_key(m.operator, &m.text));
            if let Some(number) = chosen.numbers.get_mut(mutant) {
                *number = None;
                chosen.refused.extend(key);
            }
        }
        _ => chosen.shape += 1,
    }
    true
}
