//! `dpcmp bound --batch FILE`: JSON lines in, JSON lines out, in order.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::estimate::Estimates;
use super::exit_code::ExitCode;
use super::files::{is_standard_input, unreadable};
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, say};
use super::session::Session;
use super::shard::{Shard, Turns};
use crate::analysis::{Ending, Refusal, Subject};
use crate::input::{BatchLine, MAX_BYTES, MechanismFile, batch_line};
use crate::report::{BoundReport, Fault, bound_json, error_json, fault_json};
use crate::study::{Bounded, Engine, NoAnswer, bound, says_nothing};
use crate::verdict::Analyst;

/// Answers every line; one bad line never stops the batch.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, path: &Path, shard: Option<Shard>) -> Result<ExitCode, StdoutClosed> {
    let mut lines = 0;
    if shard.is_some() {
        match count_lines(path) {
            Ok(count) => lines = count,
            Err(error) => return bad_file(session, path, &error),
        }
    }
    let mut turns = Turns::new(shard, || lines);
    let mut input: Box<dyn BufRead> = if is_standard_input(path) {
        Box::new(io::stdin().lock())
    } else {
        match File::open(path) {
            Ok(file) => Box::new(BufReader::new(file)),
            Err(error) => return bad_file(session, path, &error),
        }
    };
    let name = path.display().to_string();
    let mut batch = Batch {
        session,
        subject: None,
        estimates: Estimates::default(),
        code: ExitCode::Done,
    };
    let mut done = 0u64;
    // Lines are answered as they come, so that a program can ask, read the answer and ask again.
    for number in 1.. {
        if session.is_stopped() {
            let code = batch.code.and(stopped(session, path, shard, done));
            return Ok(code);
        }
        let line = match next_line(&mut *input) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => return Ok(batch.code.and(bad_file(session, path, &error)?)),
        };
        // While it was read, too: whoever asks may have taken his time.
        if session.is_stopped() {
            let code = batch.code.and(stopped(session, path, shard, done));
            return Ok(code);
        }
        let line = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if number == 1 => rest,
            _ => line.as_slice(),
        };
        if !line.trim_ascii().is_empty() && turns.take() {
            let said = batch.line(&name, number, line);
            done = done.saturating_add(u64::from(said.is_all));
            if let Some(text) = said.text {
                session.print(&format!("{text}\n"))?;
            }
        }
    }
    Ok(batch.code)
}

/// Says how many lines are answered, of all of them where these can be counted.
fn stopped(session: &Session, path: &Path, shard: Option<Shard>, done: u64) -> ExitCode {
    let Ok(lines) = count_lines(path) else {
        let words = format!("stopped: {done} lines are finished");
        session.progress.aside(|| say(&words));
        return ExitCode::Undecided;
    };
    let total = shard.map_or(lines, |shard| {
        let wanted = shard.of(lines);
        wanted.end.saturating_sub(wanted.start)
    });
    if done < total {
        session.stopped(done, total, "lines")
    } else {
        ExitCode::Done
    }
}

/// What is said of a line.
struct Said {
    text: Option<String>,
    /// Is it all that there is to say, and not what was known when the user stopped the work?
    is_all: bool,
}

struct Batch<'s> {
    session: &'s Session,
    /// The mechanism of the line before: batches ask about one mechanism again and again.
    subject: Option<(MechanismFile, Result<Subject, Refusal>)>,
    estimates: Estimates,
    code: ExitCode,
}

impl Batch<'_> {
    fn line(&mut self, name: &str, number: usize, bytes: &[u8]) -> Said {
        let all = |text| Said {
            text: Some(text),
            is_all: true,
        };
        let line = match batch_line(name, number, bytes) {
            Ok(line) => line,
            Err(failure) => {
                // The message has its place, as it always had.
                let fault = Fault {
                    message: failure.error.to_string(),
                    ..Fault::of_input(&failure.error)
                };
                return all(fault_json(&failure.id, &fault));
            }
        };
        match self.answer(name, number, &line) {
            Ok(said) => said,
            Err(NoAnswer::Unsupported(unsupported)) => {
                let code = unsupported.code();
                let message = unsupported.to_string();
                all(error_json(Some(&line.id), None, code, &message))
            }
            Err(NoAnswer::Internal(violation)) => {
                internal_error(&format!("{name}:{number}: {violation}"));
                self.code = self.code.and(ExitCode::Internal);
                let message = violation.to_string();
                all(error_json(Some(&line.id), None, "internal", &message))
            }
        }
    }

    fn answer(&mut self, name: &str, number: usize, line: &BatchLine) -> Result<Said, NoAnswer> {
        if self.session.options.engine == Engine::Float {
            let found = self.estimates.batch_line(self.session, line);
            if self.session.is_stopped() {
                return Ok(Said {
                    text: None,
                    is_all: false,
                });
            }
            let text = found.map_err(NoAnswer::Unsupported)?;
            return Ok(Said {
                text: Some(text),
                is_all: true,
            });
        }
        let session = self.session;
        session.progress.start(&format!("{name}:{number}"));
        let subject = self.subject(&line.mechanism);
        let Bounded {
            answer,
            attained,
            time,
        } = bound(&session.limits(), subject, &line.query)?;
        let precision = session.limits().precision;
        let is_stopped = session.is_stopped() && answer.ending == Ending::OutOfTime;
        let report = BoundReport {
            query: line.query.kind(),
            answer: &answer,
            asked: precision.as_ref(),
            attained,
            is_stopped,
            time,
        };
        let is_silent = is_stopped && says_nothing(&answer, &line.query);
        Ok(Said {
            text: (!is_silent).then(|| bound_json(&report, None, Some(&line.id))),
            is_all: !is_stopped,
        })
    }

    fn subject(&mut self, mechanism: &MechanismFile) -> Result<&dyn Analyst, &Refusal> {
        let is_same = self.subject.as_ref().is_some_and(|(known, _)| {
            known.mechanism == mechanism.mechanism && known.adjacency == mechanism.adjacency
        });
        // Running out of time is not a property of the mechanism: the next question has its own budget.
        let timed_out = matches!(self.subject, Some((_, Err(Refusal::Failure(_)))));
        if !is_same || timed_out {
            self.subject = None;
        }
        let session = self.session;
        let (_, subject) = self
            .subject
            .get_or_insert_with(|| (mechanism.clone(), session.subject(mechanism)));
        subject.as_ref().map(|subject| -> &dyn Analyst { subject })
    }
}

/// How many lines there are to be answered, in a file that can be read once more.
fn count_lines(path: &Path) -> io::Result<u64> {
    if is_standard_input(path) || !path.metadata()?.is_file() {
        return Err(io::Error::other(
            "`--shard` needs a file, as all lines are counted first",
        ));
    }
    let mut input = BufReader::new(File::open(path)?);
    let mut count = 0u64;
    let mut is_first = true;
    while let Some(line) = next_line(&mut input)? {
        let line = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if is_first => rest,
            _ => line.as_slice(),
        };
        if !line.trim_ascii().is_empty() {
            count = count.saturating_add(1);
        }
        is_first = false;
    }
    Ok(count)
}

/// The next line without its line break; a line that is too long is cut, and then refused by its reader.
fn next_line(input: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let limit = u64::try_from(MAX_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(2);
    let mut line = Vec::new();
    if input.take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.ends_with(b"\n") {
        line.pop();
        if line.ends_with(b"\r") {
            line.pop();
        }
    } else if line.len() > MAX_BYTES {
        skip_line(input)?;
    }
    Ok(Some(line))
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (length, found) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(position) => (position.saturating_add(1), true),
            None => (buffer.len(), false),
        };
        input.consume(length);
        if found || length == 0 {
            return Ok(());
        }
    }
}

fn bad_file(session: &Session, path: &Path, error: &io::Error) -> Result<ExitCode, StdoutClosed> {
    let unreadable = unreadable(path, error);
    let message = format!("cannot read `{}`: {}", unreadable.name, unreadable.message);
    complain(&message);
    session.refuse(
        "dpcmp.bound/1",
        &Fault::new("unreadable", &message),
        ExitCode::BadInput,
    )
}
