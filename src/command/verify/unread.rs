//! Inputs that gave no verdicts: what is wrong with them, on standard error and in the output.

use super::{FileAt, Run};
use crate::command::arguments::Format;
use crate::command::exit_code::ExitCode;
use crate::command::files::Unreadable;
use crate::command::output::{StdoutClosed, complain, error_style, say};
use crate::input::InputError;
use crate::report::{Style, Unread, disarmed};

impl Run<'_> {
    /// Says which inputs were not looked at, as the work was stopped before.
    pub(super) fn not_begun(&mut self, names: &[String]) -> Result<(), StdoutClosed> {
        let (Some(first), Some(last)) = (names.first(), names.last()) else {
            return Ok(());
        };
        self.code = self.code.and(ExitCode::Undecided);
        let total = self.waiting;
        let text = match names.len() {
            1 => format!("stopped: 1 of {total} files was not begun: {first}"),
            count => {
                format!("stopped: {count} of {total} files were not begun: from {first} to {last}")
            }
        };
        say(&self.harmless(&text));
        for name in names {
            let message = "the work was stopped before this file";
            self.pages.add_unread(name, message);
            self.tally.unread = self.tally.unread.saturating_add(1);
            self.tally.unread = self.tally.unread.saturating_add(1);
            let text = self.printer.unread(&Unread {
                file: name,
                line: None,
                place: None,
                code: "not-begun",
                message,
                advice: "the work was stopped before this file; verify it again",
                hint: Some("verify it again"),
            });
            self.session.print(&text)?;
        }
        Ok(())
    }

    pub(super) fn bad_input(
        &mut self,
        part: &FileAt<'_>,
        error: &InputError,
    ) -> Result<(), StdoutClosed> {
        let styled = error_style() == Style::Coloured;
        let text = self.harmless(&error.render(styled));
        let help = error.help().map(|help| format!("; {help}"));
        let advice = format!("{}{}", error.message(), help.unwrap_or_default());
        self.session.progress.aside(|| say(&text));
        self.fail(
            ExitCode::BadInput,
            part,
            Some((error.line(), error.column())),
            error.code().as_str(),
            (&error.to_string(), &advice),
            Some(error.next_step()),
        )
    }

    /// What the output says of an input that gave no verdicts.
    pub(super) fn fail(
        &mut self,
        exit: ExitCode,
        part: &FileAt<'_>,
        place: Option<(usize, usize)>,
        code: &str,
        (message, advice): (&str, &str),
        hint: Option<&str>,
    ) -> Result<(), StdoutClosed> {
        self.code = self.code.and(exit);
        self.pages.add_unread(&super::place(part), message);
        self.tally.unread = self.tally.unread.saturating_add(1);
        let text = self.printer.unread(&Unread {
            file: &part.file.name,
            line: part.line,
            place,
            code,
            message,
            advice,
            hint,
        });
        self.session.print(&text)
    }

    pub(super) fn unreadable(&mut self, unreadable: &Unreadable) -> Result<(), StdoutClosed> {
        let Unreadable { name, message } = unreadable;
        self.pages.add_unread(name, message);
        let text = self.harmless(&format!("cannot read `{name}`: {message}"));
        self.session.progress.aside(|| complain(&text));
        self.code = self.code.and(ExitCode::BadInput);
        let text = self.printer.unread(&Unread {
            file: name,
            line: None,
            place: None,
            code: "unreadable",
            message,
            advice: message,
            hint: None,
        });
        self.session.print(&text)
    }

    /// What goes to standard error: where programs read that too, no text of an input is a command to them.
    pub(super) fn harmless(&self, text: &str) -> String {
        match self.session.options.format {
            Format::Github => disarmed(text),
            _ => text.to_owned(),
        }
    }
}
