//! A copy of the source tree in which every mutant is written behind a switch, and that compiles.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compile::{Checked, PATIENT, Tests, check, take_out_unseen};
use crate::dead::Dead;
use crate::find::{self, Shape, Site};
use crate::render::{self, Chosen, Region};
use crate::{Failure, say};

/// Folders whose code decides what dpcmp says.
const TRUSTED: &[&str] = &[
    "src/number",
    "src/kernel",
    "src/mechanism",
    "src/renyi",
    "src/law",
    "src/fourier",
    "src/composition",
    "src/bounds",
    "src/emergence",
    "src/analysis",
    "src/verdict",
    "src/summary",
    "checker/src",
];

/// A mutant that compiles.
#[derive(Debug, Clone)]
pub struct Listed {
    pub number: u32,
    pub file: String,
    pub line: usize,
    pub function: String,
    pub operator: String,
    pub change: String,
}

impl Listed {
    /// What stays the same when lines move.
    pub fn key(&self) -> String {
        format!(
            "{}\t{}\t{}\t{}",
            self.file, self.function, self.operator, self.change
        )
    }

    pub fn is_about_direction(&self) -> bool {
        matches!(
            self.operator.as_str(),
            "direction" | "comparison" | "term" | "swap"
        )
    }
}

/// Folders of one build.
#[derive(Debug, Clone)]
pub struct Place {
    pub root: PathBuf,
    pub state: PathBuf,
    /// Only breaks of the checker are wanted, which builds in seconds.
    pub is_checker_alone: bool,
}

impl Place {
    /// What is compiled, in the words of Cargo.
    pub fn packages(&self) -> &'static [&'static str] {
        match self.is_checker_alone {
            true => &["-p", "dpcmp-check"],
            false => &["-p", "dpcmp", "-p", "dpcmp-check"],
        }
    }

    pub fn tree(&self) -> PathBuf {
        self.state.join("tree")
    }

    pub fn build(&self) -> PathBuf {
        self.state.join("build")
    }

    /// The commit whose tree was prepared.
    pub fn prepared_from(&self) -> PathBuf {
        self.state.join("prepared-from")
    }

    /// The commit since which breaks are new, where only these were prepared.
    pub fn since(&self) -> PathBuf {
        self.state.join("since")
    }

    /// What the compiler refused so far.
    pub fn dead(&self) -> PathBuf {
        self.state.join("dead.tsv")
    }

    /// The record in the repository.
    pub fn record(&self) -> PathBuf {
        self.root.join("tests/mutants/RECORD.md")
    }

    pub fn list(&self) -> PathBuf {
        self.state.join("list.tsv")
    }
}

/// A source file with its breaks, and where they came to stand.
pub struct File {
    pub source: String,
    pub chosen: Vec<Chosen>,
    pub regions: Vec<Region>,
}

/// Writes the tree, and takes out what does not compile until the rest does.
///
/// With `missed` only what is in it, and all of the files that were never run. With `since` only what could not be broken at that commit. `share` is the percentage taken of the breaks that are not about a direction; of these all are taken.
///
/// # Errors
/// If a file cannot be read or written, or the rest never compiles.
pub fn prepare(
    place: &Place,
    share: u64,
    missed: Option<&Wanted>,
    since: Option<&str>,
    within_only: bool,
    only: &[String],
) -> Result<Vec<Listed>, Failure> {
    let files = tracked(&place.root)?;
    let mut dead = Dead::read(&place.dead());
    let mut mutated: BTreeMap<String, File> = BTreeMap::new();
    let mut number = 0;
    for path in &files {
        if !is_trusted(path)
            || !(only.is_empty() || only.iter().any(|o| path.starts_with(o.as_str())))
        {
            continue;
        }
        let source = fs::read_to_string(place.root.join(path))?;
        let sites = find::sites(&source).map_err(|e| Failure(format!("{path}: {e}")))?;
        let mut chosen: Vec<Chosen> = sites
            .into_iter()
            .map(|site| choose(path, site, share, &mut number))
            .collect();
        dead.take_out(path, &source, &mut chosen);
        if let Some(commit) = since {
            let before = text_at(&place.root, commit, path);
            keep_new(&source, &before, &mut chosen)
                .map_err(|e| Failure(format!("{path}, as it was: {e}")))?;
        }
        match missed {
            Some(wanted) if !wanted.is_unrun(path) => {
                keep(path, &source, &mut chosen, &wanted.missed);
            }
            Some(wanted) if wanted.others => keep_others(&mut chosen),
            _ => {}
        }
        let file = File {
            source,
            chosen,
            regions: Vec::new(),
        };
        mutated.insert(path.clone(), file);
    }
    say(&format!(
        "{number} mutants in {} files before compiling",
        mutated.len()
    ));
    for path in files.iter().filter(|p| !mutated.contains_key(*p)) {
        copy(place, path)?;
    }
    // First as the programs are built, then as the tests are: some files are there for tests only.
    let mut tests = Tests::None;
    for round in 1..=200 {
        write(place, &mut mutated)?;
        for path in ["src/lib.rs", "checker/src/lib.rs"] {
            if !mutated.contains_key(path) {
                let text = fs::read_to_string(place.root.join(path))?;
                write_if_other(&place.tree().join(path), &with_switch(path, &text))?;
            }
        }
        let removed = match check(place, &mut mutated, tests, round > PATIENT)? {
            Checked::TakenOut(places) => places,
            Checked::Elsewhere(blamed) => {
                take_out_unseen(place, &mut mutated, tests, &blamed)?;
                1
            }
        };
        say(&format!("round {round}: {removed} places do not compile"));
        for (path, file) in &mutated {
            dead.note(path, &file.source, &file.chosen);
        }
        dead.write(&place.dead())?;
        if removed == 0 && tests == Tests::None {
            tests = if within_only {
                Tests::Within
            } else {
                Tests::All
            };
        } else if removed == 0 {
            let listed = list(&mutated);
            fs::write(place.prepared_from(), commit(&place.root)?)?;
            fs::write(place.since(), since.unwrap_or_default())?;
            write_list(place, &listed)?;
            return Ok(listed);
        }
    }
    Err(Failure(
        "the tree does not compile after 200 rounds".to_owned(),
    ))
}

/// Writes what is broken, and notes where it came to stand.
///
/// # Errors
/// If a file cannot be written.
pub fn write(place: &Place, mutated: &mut BTreeMap<String, File>) -> Result<(), Failure> {
    for (path, file) in mutated {
        let (text, regions) = render::render(&file.source, &file.chosen);
        file.regions = regions;
        write_if_other(&place.tree().join(path), &with_switch(path, &text))?;
    }
    Ok(())
}

/// The commit, and whether the files are other than its own.
fn commit(root: &Path) -> Result<String, Failure> {
    let out = Command::new("git")
        .args(["describe", "--always", "--dirty"])
        .current_dir(root)
        .output()?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// The files that Git knows or would add.
fn tracked(root: &Path) -> Result<Vec<String>, Failure> {
    let out = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut files: Vec<String> = text
        .lines()
        .map(str::to_owned)
        .filter(|f| root.join(f).is_file())
        .collect();
    files.dedup();
    Ok(files)
}

fn is_trusted(path: &str) -> bool {
    let is_test = ["tests.rs", "testing.rs", "/coarse.rs"]
        .iter()
        .any(|end| path.ends_with(end))
        || path.contains("/tests/");
    path.ends_with(".rs")
        && !is_test
        && path != "checker/src/main.rs"
        && TRUSTED
            .iter()
            .any(|folder| path.starts_with(&format!("{folder}/")))
}

/// Takes out of a file what is not among the missed: of breaks of one text in one function all or none.
fn keep(path: &str, source: &str, all: &mut [Chosen], missed: &Missed) {
    for chosen in all {
        let site = &chosen.site;
        let original = render::one_line(source.get(site.range.clone()).unwrap_or_default());
        for (mutant, number) in site.mutants.iter().zip(&mut chosen.numbers) {
            let text = render::one_line(&mutant.text);
            let is_missed = |text: &str| {
                let change = format!("{original} => {text}").replace('\t', " ");
                let (function, operator) = (&site.function, mutant.operator);
                missed.contains(&format!("{path}\t{function}\t{operator}\t{change}"))
            };
            if !is_missed(&text) && !is_missed("(nothing)") {
                *number = None;
            }
        }
    }
}

/// A file at a commit, or nothing if it was not there.
fn text_at(root: &Path, commit: &str, path: &str) -> String {
    let out = Command::new("git")
        .args(["show", &format!("{commit}:{path}")])
        .current_dir(root)
        .output();
    match out {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).into_owned(),
        _ => String::new(),
    }
}

/// Takes out of a file what could be broken in an older text of it: of breaks of one text in one function all or none.
fn keep_new(source: &str, before: &str, all: &mut [Chosen]) -> Result<(), String> {
    let mut left: HashMap<String, isize> = HashMap::new();
    for site in find::sites(before)? {
        for key in keys_of(before, &site) {
            *left.entry(key).or_default() += 1;
        }
    }
    for chosen in all.iter() {
        for key in keys_of(source, &chosen.site) {
            *left.entry(key).or_default() -= 1;
        }
    }
    for chosen in all {
        let keys = keys_of(source, &chosen.site);
        for (key, number) in keys.iter().zip(&mut chosen.numbers) {
            if left.get(key).is_some_and(|left| *left >= 0) {
                *number = None;
            }
        }
    }
    Ok(())
}

fn keys_of(source: &str, site: &Site) -> Vec<String> {
    let original = render::one_line(source.get(site.range.clone()).unwrap_or_default());
    let key = |m: &find::Mutant| {
        let text = render::one_line(&m.text);
        format!("{}\t{}\t{original}\t{text}", site.function, m.operator)
    };
    site.mutants.iter().map(key).collect()
}

/// Leaves out what is about a direction.
fn keep_others(all: &mut [Chosen]) {
    for chosen in all {
        for (mutant, number) in chosen.site.mutants.iter().zip(&mut chosen.numbers) {
            if is_about_direction(mutant.operator) {
                *number = None;
            }
        }
    }
}

/// Keys of breaks, without the place of those that are in a function more than once.
pub type Missed = HashSet<String>;

/// What is prepared again: what no test has seen, and whatever is in files and folders that were not run yet.
pub struct Wanted {
    pub missed: Missed,
    pub unrun: Vec<String>,
    /// Of these only what is not about a direction.
    pub others: bool,
}

impl Wanted {
    fn is_unrun(&self, path: &str) -> bool {
        self.unrun
            .iter()
            .any(|folder| path.starts_with(folder.as_str()))
    }
}

fn is_about_direction(operator: &str) -> bool {
    matches!(operator, "direction" | "comparison" | "term" | "swap")
}

fn choose(path: &str, site: Site, share: u64, next: &mut u32) -> Chosen {
    let numbers = site
        .mutants
        .iter()
        .map(|m| {
            let about_direction = is_about_direction(m.operator);
            let lot = hash(&format!("{path}{}{}{}", site.function, m.operator, m.text)) % 100;
            (about_direction || lot < share).then(|| {
                *next += 1;
                *next
            })
        })
        .collect();
    Chosen {
        site,
        shape: 0,
        numbers,
        refused: Vec::new(),
    }
}

/// FNV-1a: the same choice on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    })
}

fn copy(place: &Place, path: &str) -> Result<(), Failure> {
    let (from, to) = (place.root.join(path), place.tree().join(path));
    let bytes = fs::read(&from)?;
    if fs::read(&to).ok().as_ref() != Some(&bytes) {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(&from, &to)?;
    }
    Ok(())
}

fn write_if_other(path: &Path, text: &str) -> Result<(), Failure> {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// Before the first line of each library, on the same line; mutants overflow where the compiler can see it.
pub const ALLOWED: &str =
    "#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals)] ";

/// The switch itself, at the end of each library.
fn with_switch(path: &str, text: &str) -> String {
    if path == "src/lib.rs" || path == "checker/src/lib.rs" {
        format!("{ALLOWED}{text}\n{}", include_str!("switch.rs.in"))
    } else {
        text.to_owned()
    }
}

fn list(mutated: &BTreeMap<String, File>) -> Vec<Listed> {
    let mut all = Vec::new();
    for (path, file) in mutated {
        for chosen in file.chosen.iter().filter(|c| c.shape < c.site.shapes.len()) {
            let site = &chosen.site;
            let original =
                render::one_line(file.source.get(site.range.clone()).unwrap_or_default());
            let is_statement = site.shapes.get(chosen.shape) == Some(&Shape::Statement);
            for (mutant, number) in site.mutants.iter().zip(&chosen.numbers) {
                let Some(number) = number else { continue };
                let text = if is_statement {
                    "(nothing)".to_owned()
                } else {
                    render::one_line(&mutant.text)
                };
                all.push(Listed {
                    number: *number,
                    file: path.clone(),
                    line: site.line,
                    function: site.function.clone(),
                    operator: mutant.operator.to_owned(),
                    change: format!("{original} => {text}").replace('\t', " "),
                });
            }
        }
    }
    all.sort_by_key(|m| m.number);
    // The same text may stand in a function twice: each is a break of its own.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for mutant in &mut all {
        let before = seen.entry(mutant.key()).or_default();
        *before += 1;
        if *before > 1 {
            let _ = write!(mutant.change, " (place {before})");
        }
    }
    all
}

fn write_list(place: &Place, listed: &[Listed]) -> Result<(), Failure> {
    let lines: Vec<String> = listed
        .iter()
        .map(|m| format!("{}\t{}\t{}", m.number, m.line, m.key()))
        .collect();
    fs::write(place.list(), lines.join("\n"))?;
    Ok(())
}

/// The list that the last [`prepare`] wrote.
///
/// # Errors
/// If there is none.
pub fn read_list(place: &Place) -> Result<Vec<Listed>, Failure> {
    let text = fs::read_to_string(place.list())?;
    let read = |line: &str| {
        let mut fields = line.splitn(6, '\t');
        Some(Listed {
            number: fields.next()?.parse().ok()?,
            line: fields.next()?.parse().ok()?,
            file: fields.next()?.to_owned(),
            function: fields.next()?.to_owned(),
            operator: fields.next()?.to_owned(),
            change: fields.next()?.to_owned(),
        })
    };
    text.lines()
        .map(|l| read(l).ok_or_else(|| Failure(format!("cannot be read: {l}"))))
        .collect()
}
