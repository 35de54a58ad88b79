//! `dpcmp-check`: re-derives what a certificate of `dpcmp verify --certificate` claims, and shares no code with it.
//!
//! `proofs/FORMAT.md` describes the certificate and proves every step that is taken here.
//!
//! | file | job |
//! |---|---|
//! | `main` | command line, exit codes |
//! | `reason` | why a certificate is not accepted |
//! | `value`, `toml` | JSON and TOML text |
//! | `claim` | what the claim file says: mechanism and claim, exact fractions |
//! | `real` | enclosures of √, exp, log and the normal tail in integers |
//! | `profile` | δ and the null's tail of single steps, in closed form |
//! | `law` | integer laws of compositions: discretise, convolve, coarsen, trim |
//! | `theorem` | proofs that need no law: largest loss, Gaussian μ, exact pairs |
//! | `work` | one budget for all of it, counted |
//! | `certificate` | the certificate as a whole, its frame and what it says |
//! | `proof` | the steps of its proof, the final inequality |

mod certificate;
mod claim;
mod law;
mod profile;
mod proof;
mod real;
mod reason;
mod theorem;
mod toml;
mod value;
mod work;

use std::{io::Read, process::ExitCode};

use reason::Reason;

const USAGE: &str = "\
usage: dpcmp-check [--claim FILE] [--explain] [--] CERTIFICATE…

Checks certificates written by `dpcmp verify --certificate`. `--claim FILE` also compares the claim file inside
with FILE, byte by byte. `-` is standard input. `--explain` walks through the proof in words.
Exit codes: 0 every certificate accepted, 1 one rejected, 2 one unreadable or wrong usage.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Only alone: beside files, whatever its name, an option must not stand for the answer.
    match arguments.as_slice() {
        [only] if only == "--help" || only == "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [only] if only == "--version" => {
            println!("dpcmp-check {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let (mut files, mut claim, mut explain) = (Vec::new(), None, false);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--" => files.extend(arguments.by_ref()),
            "--explain" => explain = true,
            "--claim" if claim.is_none() => match arguments.next() {
                Some(file) => claim = Some(file),
                None => return usage(),
            },
            option if option.starts_with('-') && option != "-" => return usage(),
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return usage();
    }
    let (mut worst, mut malformed) = (0, false);
    for file in &files {
        let name = plain(file);
        match check_file(file, claim.as_deref()) {
            Ok(accepted) => {
                println!("{name}: accepted\n{}", accepted.summary);
                if explain {
                    println!("{}", accepted.steps.join("\n"));
                }
            }
            Err(reason) => {
                println!("{name}: rejected ({}): {}", reason.word, plain(&reason.text));
                worst = worst.max(reason.code);
                malformed |= reason.word == "malformed";
            }
        }
    }
    if malformed {
        println!("`dpcmp verify CLAIM --certificate OUT` writes a new certificate.");
    }
    ExitCode::from(worst)
}

/// Text of a certificate on one line of the output, and without orders to the terminal.
fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// A panic is a mistake of this program; no certificate is accepted because of one.
fn check_file(file: &str, claim: Option<&str>) -> Result<certificate::Accepted, Reason> {
    let text = read(file)?;
    let claim = claim.map(read).transpose()?;
    std::panic::set_hook(Box::new(|_| ()));
    let checked = std::panic::catch_unwind(|| certificate::check(&text, claim.as_deref()));
    checked.unwrap_or_else(|_| Err(Reason::limit("this program failed on the certificate")))
}

fn read(file: &str) -> Result<String, Reason> {
    const LONGEST: u64 = 4 << 20;
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().take(LONGEST + 1).read_to_string(&mut text),
        _ => std::fs::File::open(file).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text)),
    };
    match read {
        Ok(_) if u64::try_from(text.len()).is_ok_and(|n| n <= LONGEST) => Ok(text),
        Ok(_) => Err(Reason::limit("the file is longer than 4 MiB")),
        Err(error) => Err(Reason::new(2, "unreadable", error.to_string())),
    }
}
