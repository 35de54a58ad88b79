//! Mutation testing of the trusted code: `make mutants` (see README.md beside this).

mod compile;
mod dead;
mod exercise;
mod find;
mod operators;
mod record;
mod render;
mod run;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;

use tree::Place;

/// What went wrong, in words.
#[derive(Debug)]
pub struct Failure(pub String);

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        Self(e.to_string())
    }
}

/// A line of progress.
pub fn say(text: &str) {
    eprintln!("mutants: {text}");
}

const USAGE: &str = "\
dpcmp-mutants prepare [--share PERCENT] [--longest SECONDS] [--jobs N] [--lib] [--outside PROGRAM,…] [--tests NAME,…] [--missed [--unrun FOLDER,… [--others]]] [--since COMMIT] [FOLDER…]   write and build the tree with all mutants, note which test reaches which
dpcmp-mutants run [--shard I/N] [--budget SECONDS] [--again | --survivors] [--open] [--only TEXT&TEXT…] [--jobs N]   run what has not been run
dpcmp-mutants report [--missed | --anew] [--write FILE]   what was caught, by module, and what survived";

struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    fn flag(&mut self, name: &str) -> bool {
        let place = self.words.iter().position(|w| w == name);
        place.map(|p| self.words.remove(p)).is_some()
    }

    fn value(&mut self, name: &str) -> Option<String> {
        let place = self.words.iter().position(|w| w == name)?;
        self.words.remove(place);
        (place < self.words.len()).then(|| self.words.remove(place))
    }
}

fn work() -> Result<(), Failure> {
    let mut arguments = Arguments {
        words: std::env::args().skip(1).collect(),
    };
    let root = arguments
        .value("--root")
        .map_or_else(|| PathBuf::from("."), PathBuf::from)
        .canonicalize()?;
    let state = arguments
        .value("--state")
        .map_or_else(|| root.join("target/mutants"), PathBuf::from);
    std::fs::create_dir_all(&state)?;
    let folders = arguments
        .words
        .iter()
        .skip(1)
        .filter(|word| word.contains("src"));
    let folders: Vec<_> = folders.collect();
    let place = Place {
        is_checker_alone: !folders.is_empty()
            && folders.iter().all(|one| one.starts_with("checker")),
        state: state.canonicalize()?,
        root,
    };
    let number = |text: Option<String>, otherwise: u64| {
        text.map_or(Ok(otherwise), |t| {
            t.parse().map_err(|_| Failure(format!("not a number: {t}")))
        })
    };
    match arguments.words.first().cloned().as_deref() {
        Some("prepare") => {
            let share = number(arguments.value("--share"), 20)?;
            let longest = number(arguments.value("--longest"), 900)?;
            let compile_only = arguments.flag("--no-record");
            let within_only = arguments.flag("--lib");
            let only = arguments.value("--tests");
            let others_of_root = arguments.value("--outside");
            let unrun = arguments.value("--unrun");
            let unrun: Vec<&str> = unrun.iter().flat_map(|all| all.split(',')).collect();
            let others = arguments.flag("--others");
            let since = arguments.value("--since");
            let jobs = usize::try_from(number(arguments.value("--jobs"), 2)?).unwrap_or(1);
            let missed = match arguments.flag("--missed") {
                true => Some(tree::Wanted {
                    missed: record::missed(&place)?,
                    unrun: unrun.iter().map(|folder| (*folder).to_owned()).collect(),
                    others,
                }),
                false => None,
            };
            let listed = tree::prepare(
                &place,
                share,
                missed.as_ref(),
                since.as_deref(),
                within_only,
                &arguments.words[1..],
            )?;
            say(&format!("{} mutants compile", listed.len()));
            let mut tests = exercise::build(&place, within_only)?;
            if let Some(names) = others_of_root {
                tests.extend(exercise::build_others(&place, &names)?);
            }
            if !compile_only {
                exercise::record(&place, &tests, longest, only.as_deref(), jobs)?;
            }
            Ok(())
        }
        Some("run") => {
            let shard = arguments
                .value("--shard")
                .unwrap_or_else(|| "1/1".to_owned());
            let options = run::Options {
                shard,
                budget: number(arguments.value("--budget"), 60)?,
                again: arguments.flag("--again"),
                survivors: arguments.flag("--survivors"),
                open: arguments.flag("--open"),
                only: arguments.value("--only"),
                jobs: usize::try_from(number(arguments.value("--jobs"), 2)?).unwrap_or(1),
                most: number(arguments.value("--seconds"), u64::MAX)?,
                direction: arguments.flag("--direction"),
            };
            run::run(&place, &options)
        }
        Some("report") => {
            let to = arguments.value("--write").map(PathBuf::from);
            match (arguments.flag("--missed"), arguments.flag("--anew")) {
                (true, _) => record::renew(&place, to),
                (false, true) => record::anew(&place, to),
                (false, false) => record::report(&place, to),
            }
        }
        _ => Err(Failure(USAGE.to_owned())),
    }
}

fn main() -> ExitCode {
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(why)) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
