//! The tests of the tree: built, listed, and which of them reaches which mutant.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::compile::cargo;
use crate::tree::Place;
use crate::{Failure, say};

/// A program of tests.
#[derive(Debug, Clone)]
pub struct Program {
    pub name: String,
    pub path: PathBuf,
    pub folder: PathBuf,
}

/// One test, how long it takes, and the mutants that it reaches.
#[derive(Debug, Clone)]
pub struct Test {
    pub program: Program,
    pub name: String,
    pub seconds: f64,
    /// It was stopped after these seconds: it may see a break before then, and says nothing if it does not.
    pub is_cut_off: bool,
    pub reached: BTreeSet<u32>,
}

/// A process that used the time it may have.
const SIGXCPU: i32 = 24;

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Passed,
    Failed,
    TimedOut,
}

/// Programs that look at the text of the source, or fuzz for long, are left out.
const LEFT_OUT: &[&str] = &["architecture", "fuzz_targets"];

/// Builds all programs of tests in the tree, or those within the libraries only.
///
/// # Errors
/// If they do not compile.
pub fn build(place: &Place, within_only: bool) -> Result<Vec<Program>, Failure> {
    say("building the tests");
    let mut programs = Vec::new();
    let within = &["test", "--no-run", "--profile", "bench", "--lib"][..];
    let from_outside = &["test", "--no-run", "--release", "--bins", "--test", "*"][..];
    let all = [from_outside, within];
    for arguments in all.into_iter().skip(usize::from(within_only)) {
        let out = cargo(place, arguments).args(place.packages()).output()?;
        if !out.status.success() {
            return Err(Failure(String::from_utf8_lossy(&out.stderr).into_owned()));
        }
        programs.extend(
            String::from_utf8_lossy(&out.stdout)
                .lines()
                .filter_map(program),
        );
    }
    Ok(programs)
}

/// Builds programs of tests of the root package as well, where only the checker is broken: its forgeries stand there.
///
/// # Errors
/// If they do not compile.
pub fn build_others(place: &Place, names: &str) -> Result<Vec<Program>, Failure> {
    say(&format!("building {names}"));
    let out = cargo(place, &["test", "--no-run", "--release", "-p", "dpcmp"])
        .args(names.split(',').flat_map(|name| ["--test", name]))
        .output()?;
    if !out.status.success() {
        return Err(Failure(String::from_utf8_lossy(&out.stderr).into_owned()));
    }
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let programs = text.lines().filter_map(program);
    Ok(programs
        .filter(|one| names.split(',').any(|name| one.name.ends_with(name)))
        .collect())
}

fn program(line: &str) -> Option<Program> {
    let value: Value = serde_json::from_str(line).ok()?;
    let path = PathBuf::from(value["executable"].as_str()?);
    let (name, kind) = (
        value["target"]["name"].as_str()?,
        value["target"]["kind"][0].as_str()?,
    );
    let is_test = value["profile"]["test"].as_bool()?;
    let folder = Path::new(value["manifest_path"].as_str()?)
        .parent()?
        .to_owned();
    (is_test && !LEFT_OUT.contains(&name)).then(|| Program {
        name: format!("{kind}:{name}"),
        path,
        folder,
    })
}

fn names(program: &Program) -> Result<Vec<String>, Failure> {
    let out = Command::new(&program.path)
        .args(["--list", "--format", "terse"])
        .current_dir(&program.folder)
        .output()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    Ok(text
        .lines()
        .filter_map(|l| l.strip_suffix(": test"))
        .map(str::to_owned)
        .collect())
}

/// Runs every test once and notes which mutants it reaches; those that take more than `longest` seconds of a processor are cut off then.
///
/// With `only` those whose names begin with one of these texts, which commas divide.
///
/// # Errors
/// If the notes cannot be written.
pub fn record(
    place: &Place,
    programs: &[Program],
    longest: u64,
    only: Option<&str>,
    jobs: usize,
) -> Result<Vec<Test>, Failure> {
    let is_asked_for =
        |name: &str| only.is_none_or(|only| only.split(',').any(|start| name.starts_with(start)));
    let mut waiting = Vec::new();
    for program in programs {
        waiting.extend(
            names(program)?
                .into_iter()
                .filter(|name| is_asked_for(name))
                .map(|name| (program.clone(), name)),
        );
    }
    say(&format!("running {} tests once", waiting.len()));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for worker in 0..jobs {
            let (next, done, waiting) = (&next, &done, &waiting);
            let notes = place.state.join(format!("reached.{worker}"));
            scope.spawn(move || {
                while let Some((program, name)) = waiting.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let _ = fs::remove_file(&notes);
                    let start = Instant::now();
                    let switch = ("DPCMP_MUTANT_RECORD", notes.to_string_lossy().into_owned());
                    let ending = run(program, &[name], &switch, Duration::from_secs(longest));
                    let seconds = start.elapsed().as_secs_f64();
                    let is_cut_off = matches!(ending, Ok(Ending::TimedOut));
                    if !is_cut_off && !matches!(ending, Ok(Ending::Passed)) {
                        say(&format!(
                            "left out, for it fails in the tree without a mutant: {} {name}",
                            program.name
                        ));
                        continue;
                    }
                    let text = fs::read_to_string(&notes).unwrap_or_default();
                    let test = Test {
                        program: program.clone(),
                        name: name.clone(),
                        seconds,
                        is_cut_off,
                        reached: text.lines().filter_map(|l| l.parse().ok()).collect(),
                    };
                    done.lock().expect("no worker panics").push(test);
                }
            });
        }
    });
    let tests = done.into_inner().expect("no worker panics");
    let lines: Vec<String> = tests.iter().map(line).collect();
    fs::write(place.state.join("tests.tsv"), lines.join("\n"))?;
    say(&format!("{} tests noted", tests.len()));
    Ok(tests)
}

fn line(test: &Test) -> String {
    let reached: Vec<String> = test.reached.iter().map(u32::to_string).collect();
    let (path, folder) = (test.program.path.display(), test.program.folder.display());
    format!(
        "{}\t{path}\t{folder}\t{}\t{:.3}\t{}\t{}",
        test.program.name,
        test.name,
        test.seconds,
        reached.join(","),
        if test.is_cut_off { "cut off" } else { "" }
    )
}

/// What [`record`] noted.
///
/// # Errors
/// If there is nothing.
pub fn read(place: &Place) -> Result<Vec<Test>, Failure> {
    let text = fs::read_to_string(place.state.join("tests.tsv"))?;
    let read = |line: &str| {
        let mut fields = line.split('\t');
        Some(Test {
            program: Program {
                name: fields.next()?.to_owned(),
                path: PathBuf::from(fields.next()?),
                folder: PathBuf::from(fields.next()?),
            },
            name: fields.next()?.to_owned(),
            seconds: fields.next()?.parse().ok()?,
            reached: fields
                .next()?
                .split(',')
                .filter_map(|n| n.parse().ok())
                .collect(),
            is_cut_off: fields.next() == Some("cut off"),
        })
    };
    text.lines()
        .map(|l| read(l).ok_or_else(|| Failure("tests.tsv cannot be read".to_owned())))
        .collect()
}

/// Runs tests of one program one after the other, with at most 6 GB, until it has used `limit` of a processor, or six times that has passed on the clock.
///
/// # Errors
/// If the program cannot be started.
pub fn run(
    program: &Program,
    names: &[&str],
    switch: &(&str, String),
    limit: Duration,
) -> Result<Ending, Failure> {
    let mut child = Command::new("sh")
        .args([
            "-c",
            "ulimit -v 6000000; ulimit -S -t \"$1\"; shift; exec \"$0\" --exact --test-threads 1 \"$@\"",
        ])
        .arg(&program.path)
        .arg(limit.as_secs().to_string())
        .args(names)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env("INSTA_UPDATE", "no")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
        .env("RUST_BACKTRACE", "0")
        .env(switch.0, &switch.1)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.signal() {
                Some(SIGXCPU) => Ending::TimedOut,
                _ if status.success() => Ending::Passed,
                _ => Ending::Failed,
            });
        }
        if start.elapsed() > 6 * limit {
            child.kill()?;
            child.wait()?;
            return Ok(Ending::TimedOut);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
