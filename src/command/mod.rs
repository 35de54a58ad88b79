//! The command line.
//!
//! | file | job |
//! |---|---|
//! | `arguments` | options and commands, as clap reads them |
//! | `values` | their numbers and times |
//! | `shard` | `--shard`: one of many pieces of the work |
//! | `session` | what all commands need |
//! | `verify`, `bound`, `compare`, `report` | one command each |
//! | `certify`, `check` | certificates, written and checked |
//! | `calibrate` | the least noise that provably meets a target |
//! | `convert` | a statement in other terms |
//! | `curve` | δ(ε), f(α), R(π) at many points |
//! | `plot` | `--plot` |
//! | `reproduce` | numbers of the papers beside their enclosures |
//! | `batch` | `bound --batch` |
//! | `fuzz_accountant`, `fuzz_arguments`, `fuzz_failing` | the search for false guarantees of an external accountant, and which of them fail a run |
//! | `sweep` | `bound --sweep` |
//! | `estimate` | `--engine float` |
//! | `given` | mechanisms and queries of the command line, read |
//! | `beside` | files that an input names |
//! | `files` | paths and standard input to bytes |
//! | `folders` | which files of a folder are read, and what is skipped |
//! | `init` | a claim file from words or answers |
//! | `reference` | `schema`, `help` |
//! | `destination` | files that are written: pictures, pages |
//! | `outputs` | whether they can be, looked at before the work |
//! | `pages` | the page of `verify --report` |
//! | `output` | standard output and standard error |
//! | `progress`, `interrupt` | the progress line, Ctrl-C, panics |
//! | `addresses` | a second process where memory may be over |
//! | `exit_code` | what the exit code says |

mod addresses;
mod arguments;
mod batch;
mod beside;
mod bound;
mod calibrate;
mod certify;
mod check;
mod checked;
mod command_line;
mod compare;
mod convert;
mod curve;
mod destination;
mod estimate;
mod exit_code;
mod files;
mod folders;
mod fuzz_accountant;
mod fuzz_arguments;
mod fuzz_failing;
mod given;
mod import;
mod import_arguments;
mod init;
mod interrupt;
mod output;
mod outputs;
mod pages;
mod plot;
mod progress;
mod reference;
mod report;
mod reproduce;
mod session;
mod shard;
mod sweep;
mod values;
mod verify;

pub use exit_code::{ExitCode, HELP as EXIT_CODES_HELP};

use std::ffi::OsString;
use std::io::ErrorKind;

use crate::input::reference::QUERIES;
use arguments::Command;
use calibrate::{Asked, What};
use check::Check;
use curve::Curves;
use import_arguments::ImportFrom;
use init::Init;
use output::{complain, say};
use progress::ProgressLine;
use session::Session;
use verify::Verify;

/// The program: with these arguments, the first of which is its name, in a process of its own where memory may be over.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match addresses::run_apart(&arguments) {
        Some(code) => code,
        None => run(arguments),
    }
}

/// Runs a command with these arguments, the first of which is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    interrupt::panics_are_internal_errors();
    let arguments = match command_line::parse(arguments) {
        Ok(arguments) => arguments,
        Err(mut error) => {
            forget_dashes(&mut error);
            let printed = error.print();
            if let Some(step) = step_without_command(&error) {
                say(&format!("\n{step}"));
            }
            return match printed {
                _ if error.use_stderr() => ExitCode::BadInput,
                // Help and the version are no failure; a reader that has seen enough is none either.
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    complain(&format!("cannot write to standard output: {error}"));
                    ExitCode::BadInput
                }
                _ => ExitCode::Done,
            };
        }
    };
    if let Err(words) = arguments.check() {
        complain(words);
        return ExitCode::BadInput;
    }
    if let Err(words) = outputs::check(&arguments) {
        complain(&words);
        return ExitCode::BadInput;
    }
    let queries = match &arguments.command {
        Command::Bound { at, queries, .. } => at.complete(queries),
        _ => Ok(Vec::new()),
    };
    let queries = match queries {
        Ok(queries) => queries,
        Err(words) => {
            complain(&words);
            return ExitCode::BadInput;
        }
    };
    let session = Session {
        progress: ProgressLine::new(arguments.options.quiet),
        options: arguments.options,
        stop: interrupt::stop_flag(),
    };
    let outcome = match &arguments.command {
        Command::Verify {
            claims,
            stated,
            certificate,
            no_check,
            report,
            attest,
            details,
            shard,
        } => verify::run(
            &session,
            &Verify {
                claims,
                stated,
                certificate: certificate.as_deref(),
                check: !no_check,
                page: report.as_deref(),
                attest: attest.as_deref(),
                details: *details,
                shard: *shard,
            },
        ),
        Command::Check {
            certificates,
            claim,
            explain,
        } => check::run(
            &session,
            &Check {
                certificates,
                claim: claim.as_deref(),
                explain: *explain,
            },
        ),
        Command::Bound {
            batch: Some(path),
            shard,
            ..
        } => batch::run(&session, path, *shard),
        Command::Bound {
            mechanism,
            sweep: axes,
            output,
            shard,
            ..
        } if !axes.is_empty() => sweep::run(
            &session,
            &sweep::Asked {
                mechanism: mechanism.as_deref().unwrap_or_default(),
                queries: &queries,
                axes,
                output: output.as_deref(),
                shard: *shard,
            },
        ),
        Command::Bound { mechanism, .. } => {
            bound::run(&session, mechanism.as_deref().unwrap_or_default(), &queries)
        }
        Command::Compare {
            first,
            second,
            prior,
            tolerance,
        } => compare::run(&session, first, second, prior, tolerance.as_ref()),
        Command::Report { mechanism, delta } => report::run(&session, mechanism, delta),
        Command::Calibrate {
            mechanism,
            profile_table,
            solve,
            target,
            compare_with_standard,
            delta,
        } => calibrate::run(
            &session,
            &Asked {
                what: match profile_table {
                    Some(path) => What::Profiles(path),
                    None => What::Mechanism(mechanism.as_deref().unwrap_or_default()),
                },
                solve,
                targets: target,
                standard: compare_with_standard.then_some(delta),
            },
        ),
        Command::Curve {
            mechanisms,
            name,
            title,
            kind,
            points,
        } => curve::run(
            &session,
            &Curves {
                mechanisms,
                names: name,
                title: title.as_deref(),
                kind: *kind,
                points: points.as_ref(),
            },
        ),
        Command::Convert { statement, delta } => convert::run(&session, statement, delta),
        Command::Import {
            from: ImportFrom::Registry,
            entries,
            output,
        } => import::registry(&session, entries, output.as_deref()),
        Command::Reproduce { name } => reproduce::run(&session, name.as_deref()),
        Command::Init {
            mechanism,
            claim,
            title,
            source,
            output,
        } => init::run(
            &session,
            &Init {
                mechanism,
                claims: claim,
                title: title.as_deref(),
                source: source.as_deref(),
                output: output.as_deref(),
            },
        ),
        Command::Completions { shell } => reference::completions(&session, *shell),
        Command::Manual { folder } => reference::manual(folder),
        Command::Schema { name } => reference::schema(&session, name.as_deref()),
        Command::Help { topic } => reference::help(&session, topic.as_deref()),
        Command::FuzzAccountant(arguments) => fuzz_accountant::run(&session, arguments),
    };
    session.progress.end();
    outcome.unwrap_or_else(|gone| gone.exit_code())
}

/// What to type where a file or a query stands where a command is expected.
fn step_without_command(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let word = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => word,
        _ => return None,
    };
    let (kind, _) = word.split_once(':').unwrap_or((word, ""));
    if let Some(query) = QUERIES.iter().find(|query| query.kind == kind) {
        let needs = query.part.needs.iter().map(|key| format!(" --{key} …"));
        let needs: String = if word == kind {
            needs.collect()
        } else {
            String::new()
        };
        return Some(format!(
            "to ask for it: dpcmp bound MECHANISM {word}{needs}"
        ));
    }
    std::path::Path::new(word)
        .exists()
        .then(|| format!("to verify the claims in it: dpcmp verify {word}"))
}

/// An option that is not known is hardly meant as the name of a file.
fn forget_dashes(error: &mut clap::Error) {
    use clap::error::{ContextKind, ContextValue};
    let is_about_dashes = match error.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips
            .iter()
            .all(|tip| tip.to_string().contains("as a value")),
        _ => false,
    };
    if is_about_dashes {
        error.remove(ContextKind::Suggested);
    }
}
