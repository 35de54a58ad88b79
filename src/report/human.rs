//! Verdicts for people: a title, the mechanism in one line, and up to three lines per claim.

use super::digits::{HUMAN_DIGITS, ends_apart_from, exact, scientific};
use super::mechanism::mechanism_line;
use super::printable::{self, printable, quoted, quoted_lines};
use super::{FileReport, Style, refutation, words};
use crate::input::ClaimEntry;
use crate::number::{float_down, float_up};
use crate::statement::{Claim, StatedClaim};
use crate::verdict::{Counterexample, Margin, Nearest, Outcome, Reason, Refutation, Verdict};

/// Digits of margins and widths.
const FEW_DIGITS: usize = 3;

/// Width of the verdict column: "✓ verified".
const VERDICT_COLUMN: usize = 11;

/// Width of the name column in compact rows.
const NAME_COLUMN: usize = 28;

/// Width of the claim column in compact rows, which are printed as they come.
const CLAIM_COLUMN: usize = 30;

/// Columns of a title, and of a line of a source: no terminal breaks them, so that none of it begins a line.
const TITLE_COLUMNS: usize = 72;
const SOURCE_COLUMNS: usize = 64;

/// How much is printed per claim file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Title, mechanism, claims, conditions.
    Full,
    /// One row per claim, for files of many lines.
    Compact,
}

/// How many claims had which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Shown to be true, the vacuous ones included.
    pub verified: u64,
    /// True of every mechanism.
    pub vacuous: u64,
    /// Shown to be false.
    pub refuted: u64,
    /// False by less than the printed digits show.
    pub rounding: u64,
    /// Neither, as the enclosure is too wide.
    pub budget: u64,
    /// Of these, those of which more time narrows it.
    pub out_of_time: u64,
    /// Neither, because it is not built or does not follow.
    pub unsupported: u64,
    /// Files, or lines of them, that could not be read.
    pub unread: u64,
}

impl Tally {
    /// Counts one more verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        let one_if = u64::from;
        match &verdict.outcome {
            Outcome::Verified { .. } => {
                self.verified = self.verified.saturating_add(1);
                self.vacuous = self.vacuous.saturating_add(one_if(verdict.vacuous));
            }
            Outcome::Refuted(refutation) => {
                self.refuted = self.refuted.saturating_add(1);
                let hidden = refutation.rounding_of_printed_digits;
                self.rounding = self.rounding.saturating_add(one_if(hidden));
            }
            Outcome::Undecided(Reason::Budget {
                more_time_helps, ..
            }) => {
                self.budget = self.budget.saturating_add(1);
                self.out_of_time = self.out_of_time.saturating_add(one_if(*more_time_helps));
            }
            Outcome::Undecided(_) => self.unsupported = self.unsupported.saturating_add(1),
        }
    }

    /// All claims.
    pub fn total(&self) -> u64 {
        [self.verified, self.refuted, self.budget, self.unsupported]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

/// The verdicts on one claim file, every line ended.
pub fn verdicts_human(report: &FileReport<'_>, layout: Layout, style: Style) -> String {
    let mut text = String::new();
    match layout {
        Layout::Full => full(&mut text, report, style),
        Layout::Compact => compact(&mut text, report, style),
    }
    text
}

/// The counts, over all files.
pub fn summary(tally: &Tally, style: Style) -> String {
    let mut text = String::new();
    let mut row = |count: u64, mark: String, note: String| {
        if count > 0 {
            let note = if note.is_empty() {
                note
            } else {
                format!("   {}", style.dim(&note))
            };
            line(&mut text, &format!("{count:>6}  {mark}{note}"));
        }
    };
    let of_them = |count: u64, words: &str| {
        if count > 0 {
            format!("{count} of them {words}")
        } else {
            String::new()
        }
    };
    row(
        tally.verified,
        style.green("verified"),
        of_them(tally.vacuous, "true of every mechanism"),
    );
    row(
        tally.refuted,
        style.red("refuted"),
        of_them(tally.rounding, "within the rounding of the printed digits"),
    );
    row(
        tally.budget,
        style.yellow("undecided"),
        match tally.out_of_time {
            0 => "dpcmp cannot narrow it further".to_owned(),
            all if all == tally.budget => "a larger --max-seconds may decide".to_owned(),
            some => format!("a larger --max-seconds may decide {some} of them"),
        },
    );
    row(
        tally.unsupported,
        style.yellow("undecided"),
        "unsupported, or it does not follow from what is known".to_owned(),
    );
    line(&mut text, &format!("{:>6}  claims", tally.total()));
    if tally.unread > 0 {
        let unread = style.red("not read");
        let note = style.dim("inputs, each named on standard error");
        line(
            &mut text,
            &format!("{:>6}  {unread}   {note}", tally.unread),
        );
    }
    text
}

fn full(text: &mut String, report: &FileReport<'_>, style: Style) {
    let place = place(report);
    match &report.claims.title {
        Some(title) => line(
            text,
            &format!(
                "{}   {}",
                style.bold(&quoted(title, TITLE_COLUMNS)),
                style.dim(&place)
            ),
        ),
        None => line(text, &style.bold(&place)),
    }
    if let Some(source) = &report.claims.source {
        let source = quoted_lines(source, SOURCE_COLUMNS, "\n          ");
        line(text, &style.dim(&format!("  source {source}")));
    }
    let mechanism = mechanism_line(&report.claims.mechanism.mechanism);
    line(text, &format!("  {mechanism}"));
    let rows: Vec<(String, &ClaimEntry, &Verdict, Option<&str>)> = report
        .rows()
        .map(|(entry, verdict, missing)| (words::claim(entry), entry, verdict, missing))
        .collect();
    let column = rows.iter().map(|(claim, _, _, _)| width(claim)).max();
    for (claim, entry, verdict, missing) in &rows {
        let claim = padded(claim, column.unwrap_or(0));
        let found = finding(&words::quantity(entry, &verdict.query), verdict);
        line(
            text,
            &format!("  {} {claim}   {found}", mark(verdict, style)),
        );
        for detail in details(entry, verdict) {
            line(text, &format!("  {:VERDICT_COLUMN$} {detail}", ""));
        }
        if let Some(why) = missing {
            let detail = format!("no certificate: {}", printable(why));
            line(
                text,
                &style.dim(&format!("  {:VERDICT_COLUMN$} {detail}", "")),
            );
        }
    }
    let provided = words::provided(report.conditions);
    line(text, &style.dim(&format!("  {provided}")));
    for computed in words::computed(&report.claims.mechanism.notes) {
        line(text, &style.dim(&format!("  {computed}")));
    }
}

fn compact(text: &mut String, report: &FileReport<'_>, style: Style) {
    let name = padded(&cut(&name(report), NAME_COLUMN), NAME_COLUMN);
    for (entry, verdict, missing) in report.rows() {
        let claim = padded(&words::claim(entry), CLAIM_COLUMN);
        let mut found = finding(&words::quantity_beside(entry, &verdict.query), verdict);
        if let Some(claim) = nearest_true(entry, verdict) {
            found = format!("{found}; nearest true: {claim}");
        }
        if let Some(why) = missing {
            found = format!("{found}; no certificate: {}", printable(why));
        }
        let row = format!("{} {name}  {claim}  {found}", mark(verdict, style));
        line(text, &row);
    }
}

fn mark(verdict: &Verdict, style: Style) -> String {
    let text = |mark: &str| padded(mark, VERDICT_COLUMN);
    match &verdict.outcome {
        Outcome::Verified { .. } => style.green(&text("✓ verified")),
        Outcome::Refuted(_) => style.red(&text("✗ refuted")),
        Outcome::Undecided(_) => style.yellow(&text("? undecided")),
    }
}

/// The enclosure and how far it is from the claim.
pub(super) fn finding(quantity: &str, verdict: &Verdict) -> String {
    if verdict.vacuous {
        return "true of every mechanism: it says nothing".to_owned();
    }
    let enclosed = format!("{quantity} {}", enclosed(verdict));
    match &verdict.outcome {
        Outcome::Verified { margin } => match margin {
            Some(margin) if *margin.certified() == 0 && verdict.enclosure.exact().is_some() => {
                format!("{enclosed}, holds with equality")
            }
            Some(margin) => format!("{enclosed}, margin {}", few(margin)),
            None => enclosed,
        },
        Outcome::Refuted(refutation) => {
            let rounding = if refutation.rounding_of_printed_digits {
                ", within the rounding of its digits"
            } else {
                ""
            };
            if refutation.margin.certified().is_infinite() {
                enclosed
            } else {
                let miss = few(&refutation.margin);
                format!("{enclosed}, misses by {miss}{rounding}")
            }
        }
        Outcome::Undecided(Reason::Budget { .. }) => enclosed,
        Outcome::Undecided(Reason::Unsupported(what)) => format!("not supported yet: {what}"),
        Outcome::Undecided(Reason::DoesNotFollow(what)) => {
            format!("does not follow from what is known: {what}")
        }
    }
}

fn enclosed(verdict: &Verdict) -> String {
    if let Some(value) = verdict.enclosure.exact() {
        let text = exact(value);
        if width(&text) <= HUMAN_DIGITS.most {
            return format!("= {text}");
        }
    }
    let (low, high) = ends_apart_from(&verdict.enclosure, &verdict.bound, HUMAN_DIGITS);
    let (low, high) = (scientific(&low), scientific(&high));
    match (low.as_str(), high.as_str()) {
        ("inf", _) => "is unbounded".to_owned(),
        _ if low == high => format!("= {low}"),
        _ => format!("in [{low}, {high}]"),
    }
}

/// Lines below the finding.
pub(super) fn details(entry: &ClaimEntry, verdict: &Verdict) -> Vec<String> {
    match &verdict.outcome {
        Outcome::Verified { .. } => Vec::new(),
        Outcome::Refuted(refutation) => {
            [Some(nearest(entry, refutation)), witness(entry, refutation)]
                .into_iter()
                .flatten()
                .collect()
        }
        Outcome::Undecided(Reason::Budget {
            width,
            needed,
            more_time_helps,
        }) => {
            let advice = if *more_time_helps {
                "a larger --max-seconds may narrow it"
            } else {
                "dpcmp cannot narrow it further"
            };
            if width.is_infinite() {
                return vec![format!("on one side no finite bound is known: {advice}")];
            }
            let width = scientific(&float_up(width, FEW_DIGITS));
            let needed = few_down(needed);
            // What is refuted lies beyond the claim, not at it.
            let most = if width == needed { "below" } else { "at most" };
            vec![format!(
                "width {width}, a decision needs {most} {needed}: {advice}"
            )]
        }
        Outcome::Undecided(_) => Vec::new(),
    }
}

/// Where it fails; nothing where the finding says it already.
fn witness(entry: &ClaimEntry, refutation: &Refutation) -> Option<String> {
    let found = refutation.witness.as_ref()?;
    if let Counterexample::Theorem(theorem) = found {
        return Some(format!("because {theorem}"));
    }
    let numbers = refutation::counterexample(entry, found);
    let at = |key: &str| {
        let found = numbers.iter().find(|(name, _)| *name == key);
        found.map(|(_, text)| text.as_str())
    };
    match entry.claim.stated() {
        StatedClaim::PureDp { .. } => {
            let log = || Some(format!("log {}", at("exp-epsilon")?));
            let place = at("epsilon").map(str::to_owned).or_else(log);
            place.map(|epsilon| format!("δ({epsilon}) > 0"))
        }
        StatedClaim::ApproxDp { .. }
        | StatedClaim::Advantage { .. }
        | StatedClaim::TradeOff { .. } => None,
        _ => match (at("alpha"), at("beta"), at("log10-alpha")) {
            (Some(alpha), Some(beta), _) => Some(format!("fails at f({alpha}) ≤ {beta}")),
            (_, _, Some(log)) => Some(format!("fails at log₁₀ α = {log}")),
            _ => at("epsilon").map(|epsilon| format!("fails at ε = {epsilon}")),
        },
    }
}

fn nearest(entry: &ClaimEntry, refutation: &Refutation) -> String {
    match &refutation.nearest {
        Nearest::Nothing(why) => format!("nearest true claim: {why}"),
        Nearest::Claim { nearest, other } => {
            let first = claim_in_words(entry, nearest);
            match other.as_deref().map(Claim::stated) {
                Some(StatedClaim::ApproxDp { delta, .. }) => {
                    let delta = scientific(&refutation::decimal(delta));
                    let epsilon = entry.epsilon_text().unwrap_or_default();
                    let numbers = [("epsilon", epsilon.as_str()), ("delta", delta.as_str())];
                    let other = words::claim_with(&entry.claim, &numbers);
                    format!("nearest true: {first} or {other}")
                }
                _ => format!("nearest true: {first}"),
            }
        }
    }
}

/// The nearest true claim in the place of a refuted one.
pub(super) fn nearest_true(entry: &ClaimEntry, verdict: &Verdict) -> Option<String> {
    let claim = verdict.nearest_true()?;
    Some(claim_in_words(entry, claim))
}

/// A true claim in the place of a refuted one.
fn claim_in_words(entry: &ClaimEntry, claim: &Claim) -> String {
    let numbers: Vec<(&str, String)> = refutation::nearest(entry, claim)
        .into_iter()
        .map(|(key, text)| (key, scientific(&text)))
        .collect();
    let numbers: Vec<(&str, &str)> = numbers
        .iter()
        .map(|(key, text)| (*key, text.as_str()))
        .collect();
    words::claim_with(&entry.claim, &numbers)
}

fn few(margin: &Margin) -> String {
    scientific(&margin.size_down(FEW_DIGITS))
}

fn few_down(x: &rug::Float) -> String {
    scientific(&float_down(x, FEW_DIGITS))
}

fn place(report: &FileReport<'_>) -> String {
    let file = printable::name(report.file);
    match report.line {
        Some(number) => format!("{file}:{number}"),
        None => file,
    }
}

/// What a compact row is called: the `id` of its line, its title, or its place.
fn name(report: &FileReport<'_>) -> String {
    let id = report.claims.notes.iter().find(|(key, _)| key == "id");
    match (id, &report.claims.title) {
        (Some((_, text)), _) => printable(text.trim_matches('"')),
        (None, Some(title)) => printable(title),
        (None, None) => place(report),
    }
}

fn line(text: &mut String, content: &str) {
    text.push_str(content.trim_end());
    text.push('\n');
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn padded(text: &str, column: usize) -> String {
    let missing = column.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

fn cut(text: &str, column: usize) -> String {
    if width(text) <= column {
        return text.to_owned();
    }
    let kept: String = text.chars().take(column.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More time is promised to help only where it does.
    #[test]
    fn what_time_decides_is_counted() {
        let says = |out_of_time| {
            let tally = Tally {
                budget: 3,
                out_of_time,
                ..Tally::default()
            };
            summary(&tally, Style::Plain)
        };
        assert!(says(0).contains("3  undecided   dpcmp cannot narrow it further"));
        assert!(says(1).contains("a larger --max-seconds may decide 1 of them"));
        assert!(says(3).contains("a larger --max-seconds may decide\n"));
    }
}
