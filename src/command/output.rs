//! Standard output and standard error, either of which may go away.

use std::io::{self, ErrorKind, IsTerminal, Write};

use super::exit_code::ExitCode;
use crate::report::Style;

/// Standard output is gone: nothing more can be printed.
#[derive(Debug)]
pub struct StdoutClosed(ExitCode);

impl StdoutClosed {
    /// The code to end with. A reader that has seen enough (`| head`) is no failure.
    pub fn exit_code(&self) -> ExitCode {
        self.0
    }

    /// The same after work that ended with `code`.
    #[must_use]
    pub fn after(self, code: ExitCode) -> Self {
        Self(self.0.and(code))
    }
}

/// Prints to standard output at once, so that a reader sees every result as it is found.
///
/// # Errors
/// When standard output does not take it.
pub fn print(text: &str) -> Result<(), StdoutClosed> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(StdoutClosed(ExitCode::Done)),
        Err(error) => {
            complain(&format!("cannot write to standard output: {error}"));
            Err(StdoutClosed(ExitCode::BadInput))
        }
    }
}

/// A one-line error on standard error.
pub fn complain(message: &str) {
    say(&format!("error: {message}"));
}

/// Lines on standard error; if nobody listens, they are lost.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// How wide the terminal is that standard output is, if it is one.
pub fn columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}

/// Colours for standard output.
pub fn style() -> Style {
    style_of(io::stdout().is_terminal())
}

/// Colours for standard error.
pub fn error_style() -> Style {
    style_of(io::stderr().is_terminal())
}

/// Colours only on a terminal that shows them, and unless the user has said no (no-color.org).
fn style_of(is_terminal: bool) -> Style {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    if is_terminal && !refused && !dumb {
        Style::Coloured
    } else {
        Style::Plain
    }
}
