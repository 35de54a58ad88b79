//! `dpcmp-check`: checks certificates of `dpcmp verify --certificate`. All that it knows is in the library beside it.

use std::fmt::Display;
use std::fs::{File, read_dir};
use std::io::{Error, ErrorKind, IsTerminal, Read, Write, stderr, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;

use dpcmp_check::{Accepted, Options, Reason, Rejected, check_reader, one_line};

const USAGE: &str = "\
usage: dpcmp-check [--claim FILE] [--explain] [--] CERTIFICATE…

Checks certificates written by `dpcmp verify --certificate`. Of a folder, all files in it and in its folders are
checked that end in .json. `--claim FILE` also compares the claim file inside with FILE, byte by byte. `-` is
standard input. `--explain` walks through the proof in words.
Exit codes: 0 every certificate accepted, 1 one rejected, 2 one unreadable, wrong usage or output that
cannot be written.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut page = Page::default();
    // Only alone: beside files, whatever its name, an option must not stand for the answer.
    match arguments.as_slice() {
        [only] if only == "--help" || only == "-h" => {
            page.line(USAGE);
            return page.end(0);
        }
        [only] if only == "--version" => {
            page.line(concat!("dpcmp-check ", env!("CARGO_PKG_VERSION")));
            return page.end(0);
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
    let Ok(claim) = claim.map(|file| read(&file)).transpose() else { return page.end(2) };
    let (mut worst, mut malformed) = (0, false);
    let files: Vec<String> = files.into_iter().flat_map(|file| expanded(file, 0)).collect();
    if files.is_empty() {
        page.line("there are no certificates in that folder");
        return page.end(2);
    }
    for (place, file) in files.iter().enumerate() {
        if stderr().is_terminal() && files.len() > 1 {
            say(format_args!("{} of {}: {}", place + 1, files.len(), shown(file)));
        }
        let name = shown(file);
        match check_file(file, claim.as_deref()) {
            Ok(accepted) if explain => page.line(format_args!("{name}: accepted\n{accepted:#}")),
            Ok(accepted) => page.line(format_args!("{name}: accepted\n{accepted}")),
            Err(Rejected { reason, detail, .. }) => {
                page.line(format_args!("{name}: rejected ({reason}): {detail}"));
                worst = worst.max(if reason.is_unreadable() { 2 } else { 1 });
                malformed |= matches!(reason, Reason::Malformed | Reason::NotCanonical);
            }
        }
    }
    if malformed {
        page.line("`dpcmp verify CLAIM --certificate OUT` writes a new certificate.");
    }
    page.end(worst)
}

/// Standard output, and why it takes no more. All files are checked even so: the exit code speaks of all.
#[derive(Default)]
struct Page {
    failure: Option<Error>,
}

impl Page {
    fn line(&mut self, text: impl Display) {
        if self.failure.is_none() {
            let mut out = stdout().lock();
            self.failure = writeln!(out, "{text}").and_then(|()| out.flush()).err();
        }
    }

    /// The exit code; a reader that has seen enough (`| head`) does not change it.
    fn end(self, code: u8) -> ExitCode {
        match self.failure {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                say(format_args!("error: cannot write to standard output: {error}"));
                ExitCode::from(code.max(2))
            }
            _ => ExitCode::from(code),
        }
    }
}

/// A line on standard error; if nobody listens, it is lost.
fn say(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}

/// Deeper folders are not walked, and cannot be read.
const DEEPEST: usize = 64;

/// A file, or the files in a folder that end in .json, in alphabetical order. What is hidden is passed over, and so are links, which is said; a name that is no text is that of no file.
fn expanded(file: String, depth: usize) -> Vec<String> {
    let Some(entries) = Path::new(&file).is_dir().then(|| read_dir(&file).ok()).flatten() else { return vec![file] };
    let mut names = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let path = format!("{}/{name}", file.trim_end_matches('/'));
        match !name.starts_with('.') && (is_folder || name.ends_with(".json")) {
            true => names.push(path),
            false => say(format_args!("skipped {}: hidden, a link, or no .json file", shown(&path))),
        }
    }
    names.sort_unstable();
    let is_file = |name: &str| depth >= DEEPEST || Path::new(name).is_symlink();
    let deeper = |name: String| if is_file(&name) { vec![name] } else { expanded(name, depth + 1) };
    names.into_iter().flat_map(deeper).collect()
}

/// The name of a file: in quotes, unless it is a plain word.
fn shown(name: &str) -> String {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '/' | '\\' | '.' | '_' | '-' | '+' | '=' | ',' | '@' | ':' | '~' | '%')
    };
    if name.chars().all(is_plain) { name.to_owned() } else { format!("\"{}\"", one_line(name, 256)) }
}

fn usage() -> ExitCode {
    say(USAGE);
    ExitCode::from(2)
}

fn open(file: &str) -> Result<Box<dyn Read>, Error> {
    Ok(if file == "-" { Box::new(stdin()) } else { Box::new(File::open(file)?) })
}

/// The claim file; that it cannot be read is said here, as no certificate is to blame.
fn read(file: &str) -> Result<Vec<u8>, ()> {
    let mut bytes = Vec::new();
    let read = open(file).and_then(|mut input| input.read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|no| say(format_args!("error: cannot read the claim file {}: {no}", shown(file))))
}

/// A panic is a mistake of this program; no certificate is accepted because of one.
fn check_file(file: &str, claim: Option<&[u8]>) -> Result<Accepted, Rejected> {
    let options = claim.map_or_else(Options::default, |claim| Options::default().claim_file(claim));
    let certificate = open(file)?;
    std::panic::set_hook(Box::new(|_| ()));
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_reader(certificate, &options)));
    checked.unwrap_or_else(|_| Err(Error::other("this program failed on the certificate").into()))
}
