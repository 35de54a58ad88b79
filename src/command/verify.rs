//! `dpcmp verify`.

mod inputs;
mod stated;
mod unread;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::arguments::Format;
use super::beside::{Folder, as_beside};
use super::certify::{At, Certificates, Decided};
use super::destination::{self, Plot};
use super::exit_code::ExitCode;
use super::files::{InputFile, Unreadable};
use super::folders::{Wanted, expand, is_certificate};
use super::given::show;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, say, style};
use super::pages::Pages;
use super::plot;
use super::session::Session;
use super::shard::{Shard, Turns};
use crate::analysis::Subject;
use crate::input::{ClaimFile, InputError, claim_file_beside, numbered_lines};
use crate::report::{
    Attestation, Evidence, FileReport, Layout, Tally, VerdictFormat, VerdictPrinter,
};
use crate::study::{Judged, Verification, verify};
use crate::verdict::{Outcome, Verdict};
use inputs::{inputs, is_one_claim_file, jobs, lines_of};
use stated::Stated;

/// What is verified, and which files are written.
pub struct Verify<'a> {
    /// Claim files, folders of them, lines of them; `-` is standard input.
    pub claims: &'a [PathBuf],
    /// Claims about the mechanisms of these, instead of those in them.
    pub stated: &'a [String],
    /// Where certificates go.
    pub certificate: Option<&'a Path>,
    /// Is the checker asked about every verdict?
    pub check: bool,
    /// Where the page to hand in goes.
    pub page: Option<&'a Path>,
    /// Where the in-toto statement goes.
    pub attest: Option<&'a Path>,
    /// Is every claim file shown in full, however many there are?
    pub details: bool,
    /// Which piece of the claim files and lines is verified.
    pub shard: Option<Shard>,
}

/// Verifies every claim of every file.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, asked: &Verify<'_>) -> Result<ExitCode, StdoutClosed> {
    let stated = match Stated::new(asked.stated) {
        Ok(stated) => stated,
        Err(error) => {
            show(&error);
            return Ok(ExitCode::BadInput);
        }
    };
    let mut run = Run {
        session,
        stated,
        certificates: (asked.check || asked.certificate.is_some())
            .then(|| Certificates::new(asked.certificate.map(Path::to_owned))),
        pages: Pages::new(session, asked.page),
        attestation: asked.attest.map(|_| Attestation::default()),
        tally: Tally::default(),
        code: ExitCode::Done,
        layout: Layout::Full,
        of_lines: match asked.details {
            true => Layout::Full,
            false => Layout::Compact,
        },
        waiting: 0,
        printer: VerdictPrinter::new(format_of(session.options.format)),
        turns: Turns::default(),
    };
    let expanded = expand(asked.claims, Wanted::Claims);
    for line in &expanded.skipped {
        say(&run.harmless(line));
    }
    if expanded.inputs.len() > 1 {
        run.several();
        run.layout = run.of_lines;
    }
    run.waiting = expanded.inputs.len();
    let mut inputs = inputs(expanded.inputs, !run.stated.is_empty());
    if asked.shard.is_some() {
        let all: Vec<_> = inputs.collect();
        run.turns = Turns::new(asked.shard, || all.iter().map(jobs).sum());
        return run.piece(all);
    }
    // What is drawn is read first, to see that it is one; it is kept, as a pipe can be read only once.
    let first: Option<Vec<_>> = run.draws().then(|| inputs.by_ref().take(2).collect());
    if first
        .as_deref()
        .is_some_and(|first| !is_one_claim_file(first))
    {
        if session.options.plot.is_some() {
            complain(ONE_AT_A_TIME);
            return Ok(ExitCode::BadInput);
        }
        run.pages.several();
    }
    let outcome = run.files(first.into_iter().flatten().chain(inputs));
    let written = run.certificates.as_ref().map(Certificates::write);
    run.code = run.code.and(written.unwrap_or(ExitCode::Done));
    run.code = run.code.and(run.pages.end(&run.tally));
    if outcome.is_ok()
        && let Some(path) = asked.attest
    {
        run.attest(path);
    }
    let end = run.printer.end(&run.tally, run.code.number());
    match outcome.and_then(|()| session.print(&end)) {
        Ok(()) => Ok(run.code),
        // A claim that was refuted stays refuted, whoever stopped reading.
        Err(gone) => Err(gone.after(run.code)),
    }
}

const ONE_AT_A_TIME: &str = "`--plot` is for one claim file at a time";

struct Run<'s> {
    session: &'s Session,
    stated: Stated,
    certificates: Option<Certificates>,
    /// The page to hand in.
    pages: Pages<'s>,
    attestation: Option<Attestation>,
    tally: Tally,
    code: ExitCode,
    /// How a claim file is shown that is no line of one.
    layout: Layout,
    /// How a line of one is shown, and every one of several.
    of_lines: Layout,
    /// How many inputs there are.
    waiting: usize,
    printer: VerdictPrinter,
    /// Which claim files and lines are verified.
    turns: Turns,
}

/// One claim file within an input.
struct FileAt<'a> {
    file: &'a InputFile,
    line: Option<usize>,
    sha256: &'a str,
    named: Vec<(String, String)>,
    layout: Layout,
}

impl FileAt<'_> {
    /// The claim file, or its line, as it was read.
    fn text(&self) -> &[u8] {
        let Some(line) = self.line else {
            return &self.file.bytes;
        };
        let mut lines = numbered_lines(&self.file.bytes);
        lines
            .find(|(number, _)| *number == line)
            .map_or(&[], |(_, bytes)| bytes)
    }
}

impl Run<'_> {
    /// Verifies what has its turn of these inputs.
    fn piece(
        mut self,
        inputs: Vec<Result<InputFile, Unreadable>>,
    ) -> Result<ExitCode, StdoutClosed> {
        match self.files(inputs.into_iter()) {
            Ok(()) => Ok(self.code),
            Err(gone) => Err(gone.after(self.code)),
        }
    }

    fn files(
        &mut self,
        inputs: impl Iterator<Item = Result<InputFile, Unreadable>>,
    ) -> Result<(), StdoutClosed> {
        let mut not_begun = Vec::new();
        for (done, input) in inputs.enumerate() {
            if self.session.is_stopped() {
                // Other pieces say it of theirs.
                if self.turns.take_some(|| jobs(&input)) {
                    not_begun.push(input.map_or_else(|error| error.name, |file| file.name));
                }
                continue;
            }
            self.session.progress.part(done, self.waiting);
            match input {
                Ok(file) => self.file(&file)?,
                Err(unreadable) if self.turns.take() => self.unreadable(&unreadable)?,
                Err(_) => {}
            }
        }
        self.not_begun(&not_begun)
    }

    fn file(&mut self, file: &InputFile) -> Result<(), StdoutClosed> {
        if !self.stated.is_empty() {
            return self.stated(file);
        }
        let sha256 = file.sha256();
        match lines_of(file) {
            Some(Ok(bytes)) => {
                let bytes = bytes.into_owned();
                let name = file.name.clone();
                return self.lines(&InputFile { name, bytes }, &sha256);
            }
            Some(Err(message)) if self.turns.take() => {
                let name = file.name.clone();
                return self.unreadable(&Unreadable { name, message });
            }
            Some(Err(_)) => return Ok(()),
            None => {}
        }
        if !self.turns.take() {
            return Ok(());
        }
        if is_certificate(file) {
            return self.unreadable(&Unreadable {
                name: file.name.clone(),
                message: format!("it is a certificate: dpcmp check {}", file.name),
            });
        }
        let folder = Folder::of(file);
        let claims = claim_file_beside(&file.name, &file.bytes, as_beside(folder.as_ref()));
        let named = folder.map(|folder| folder.read_so_far());
        let part = FileAt {
            file,
            line: None,
            sha256: &sha256,
            named: named.unwrap_or_default(),
            layout: self.layout,
        };
        self.part(&part, claims)
    }

    fn part(
        &mut self,
        part: &FileAt<'_>,
        claims: Result<ClaimFile, InputError>,
    ) -> Result<(), StdoutClosed> {
        let claims = match claims {
            Ok(claims) => claims,
            Err(error) => return self.bad_input(part, &error),
        };
        match verify(&self.session.limits(), &claims, &place(part)) {
            Ok(found) => match self.certify(part, &claims, &found.judged) {
                Ok(evidence) => self.report(part, &claims, &found, &evidence),
                Err(why) => self.broken(part, &format!("the checker reads another claim: {why}")),
            },
            Err(violation) => self.broken(part, &violation.to_string()),
        }
    }

    /// A mistake of dpcmp: no verdict is printed.
    fn broken(&mut self, part: &FileAt<'_>, words: &str) -> Result<(), StdoutClosed> {
        let text = self.harmless(&format!("{}: {words}", place(part)));
        self.session.progress.aside(|| internal_error(&text));
        self.fail(
            ExitCode::Internal,
            part,
            None,
            "internal",
            (words, words),
            Some("please report it"),
        )
    }

    /// There are more claim files than one.
    fn several(&mut self) {
        if let Some(certificates) = &mut self.certificates {
            certificates.several();
        }
    }

    /// What the checker says of the verdicts, unless it is not to be asked.
    fn certify(
        &mut self,
        part: &FileAt<'_>,
        claims: &ClaimFile,
        judged: &[Judged],
    ) -> Result<Vec<Evidence>, String> {
        let place = self.harmless(&place(part));
        let Some(certificates) = &mut self.certificates else {
            return Ok(Vec::new());
        };
        let Ok(text) = std::str::from_utf8(part.text()) else {
            let why = "the claim file is not UTF-8 text".to_owned();
            return Ok(judged
                .iter()
                .map(|_| Evidence::Nothing(why.clone()))
                .collect());
        };
        let at = At {
            claims,
            text,
            file: &part.file.name,
            line: part.line,
        };
        if judged.len() > 1 {
            certificates.several();
        }
        let of = |(index, Judged { verdict, time }): (usize, &Judged)| {
            let verified = match verdict.outcome {
                Outcome::Verified { .. } => Some(true),
                Outcome::Refuted(_) => Some(false),
                Outcome::Undecided(_) => None,
            };
            self.session
                .progress
                .start(&format!("{place}: certificate"));
            let decided = Decided {
                verified,
                time: *time,
            };
            let evidence = certificates.add(self.session, &at, index, &decided)?;
            // Whoever asked for the file hears that there is none, also where programs read the verdicts.
            if let Evidence::Nothing(why) = &evidence
                && certificates.are_asked_for()
                && self.session.options.format != Format::Human
            {
                let number = index.saturating_add(1);
                let text = format!("no certificate: {place}, claim {number}: {why}");
                self.session.progress.aside(|| say(&text));
            }
            Ok(evidence)
        };
        judged.iter().enumerate().map(of).collect()
    }

    fn report(
        &mut self,
        part: &FileAt<'_>,
        claims: &ClaimFile,
        found: &Verification,
        evidence: &[Evidence],
    ) -> Result<(), StdoutClosed> {
        let verdicts: Vec<Verdict> = found.judged.iter().map(|j| j.verdict.clone()).collect();
        let times: Vec<Duration> = found.judged.iter().map(|judged| judged.time).collect();
        for verdict in &verdicts {
            self.tally.add(verdict);
            self.code = self.code.and(match verdict.outcome {
                Outcome::Verified { .. } => ExitCode::Done,
                Outcome::Refuted(_) => ExitCode::Refuted,
                Outcome::Undecided(_) => ExitCode::Undecided,
            });
        }
        let report = FileReport {
            file: &part.file.name,
            line: part.line,
            sha256: part.sha256,
            named: &part.named,
            claims,
            verdicts: &verdicts,
            conditions: &found.conditions,
            time: found.time,
            times: &times,
            evidence,
        };
        if let Some(attestation) = &mut self.attestation {
            attestation.add(&report);
        }
        self.pages.add(&report);
        let text = self.printer.verdicts(&report, part.layout);
        let printed = self.session.print(&text);
        // Whoever has seen enough of the text still wants the files.
        if printed.is_ok() || !matches!(self.session.options.plot, Some(Plot::Terminal)) {
            self.draw(&report, part, found.subject.as_ref().ok())?;
        }
        printed
    }

    /// Writes the in-toto statement, unless it would leave out what was asked for.
    fn attest(&mut self, path: &Path) {
        let verdict = match self.code {
            ExitCode::Done => "verified",
            ExitCode::Refuted => "refuted",
            ExitCode::Undecided => "undecided",
            ExitCode::BadInput | ExitCode::Internal => {
                say(
                    "no attestation is written: not everything could be read, answered and written",
                );
                return;
            }
        };
        if self.session.is_stopped() {
            say("no attestation is written: the work was stopped");
            return;
        }
        let certificates = self.certificates.as_ref().map(Certificates::files);
        let attestation = self.attestation.take().unwrap_or_default();
        let text = attestation.statement(&self.tally, verdict, &certificates.unwrap_or_default());
        if let Err(error) = destination::write(path, text.as_bytes()) {
            complain(&format!("cannot write `{}`: {error}", path.display()));
            self.code = self.code.and(ExitCode::BadInput);
        }
    }

    /// Is there a picture or a page to be made?
    fn draws(&self) -> bool {
        self.pages.are_wanted() || self.session.options.plot.is_some()
    }

    fn draw(
        &mut self,
        report: &FileReport<'_>,
        part: &FileAt<'_>,
        subject: Option<&Subject>,
    ) -> Result<(), StdoutClosed> {
        if !self.draws() || self.pages.are_several() {
            return Ok(());
        }
        self.session
            .progress
            .start(&format!("{}: picture", report.file));
        let picture = subject.map(|subject| {
            let FileReport {
                claims,
                verdicts,
                conditions,
                ..
            } = report;
            plot::claims(
                &self.session.limits(),
                subject,
                claims,
                verdicts,
                conditions,
            )
        });
        let certificates = self.certificates.as_ref().map(Certificates::files);
        let svg = picture
            .as_ref()
            .map(|picture| crate::plot::svg(&picture.without_notes()));
        let code = self.pages.of_one(
            report,
            part.text(),
            svg,
            subject,
            &certificates.unwrap_or_default(),
        );
        self.code = self.code.and(code);
        match picture {
            Some(picture) => {
                let code = self.session.plot(|| picture)?;
                self.code = self.code.and(code);
            }
            None if self.session.options.plot.is_some() => {
                complain("there is no picture of a mechanism that is not supported");
                self.code = self.code.and(ExitCode::BadInput);
            }
            None => {}
        }
        Ok(())
    }
}

fn format_of(format: Format) -> VerdictFormat {
    match format {
        // No picture alone: `Arguments::check` has refused it.
        Format::Human | Format::Svg => VerdictFormat::Human(style()),
        Format::Json => VerdictFormat::Json,
        Format::Csv => VerdictFormat::Csv,
        Format::Junit => VerdictFormat::Junit,
        Format::Sarif => VerdictFormat::Sarif,
        Format::Github => VerdictFormat::Github,
    }
}

fn place(part: &FileAt<'_>) -> String {
    match part.line {
        Some(line) => format!("{}:{line}", part.file.name),
        None => part.file.name.clone(),
    }
}
