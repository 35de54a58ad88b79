//! What a statement says in other terms: for people, and as `dpcmp.conversion/1`.

use serde_json::{Map, Value, json};

use super::Style;
use super::summary::{conversion_note, regret_notes, report_json_value, risk_lines, table};
use crate::number::{decimal_down, decimal_up};
use crate::study::PrivacyReport;
use crate::summary::GaussianMu;

const DIGITS: usize = 7;

/// A statement converted.
pub struct ConversionReport<'a> {
    /// As it was given.
    pub statement: &'a str,
    /// The Gaussian mechanism of which it is just true.
    pub gaussian: Option<GaussianMu>,
    /// What follows for every mechanism of which it is true.
    pub page: Option<PrivacyReport<'a>>,
}

/// For people.
pub fn conversion_human(report: &ConversionReport<'_>, style: Style) -> String {
    let mut lines = vec![style.bold(report.statement)];
    if let Some(mu) = &report.gaussian {
        let (down, up) = (
            decimal_down(&mu.lower, DIGITS),
            decimal_up(&mu.upper, DIGITS),
        );
        lines.extend([
            String::new(),
            "the Gaussian mechanism of which it is just true".to_owned(),
            format!("  μ = {down}   rounded down: noise of σ = sensitivity/μ made for it meets the statement"),
            format!("  μ = {up}   rounded up: no Gaussian mechanism that meets the statement has a larger one"),
            style.dim("  Neither says anything of mechanisms that are not Gaussian."),
        ]);
    }
    if let Some(page) = &report.page {
        lines.extend([
            String::new(),
            "what follows (rounded up) of the least private mechanisms of which it is true: others reveal no more, and can have larger regrets".to_owned(),
        ]);
        let notes = regret_notes(page).chain(conversion_note(page));
        let facts = table(page).into_iter().chain(notes);
        let facts = facts.chain([String::new()]);
        let facts = facts.chain(risk_lines(page));
        lines.extend(facts.map(|line| format!("  {line}").trim_end().to_owned()));
    } else {
        lines.extend([
            String::new(),
            "of other mechanisms of which it is true dpcmp derives no other statement".to_owned(),
        ]);
    }
    lines.join("\n") + "\n"
}

/// For machines, without a line break.
pub fn conversion_json(report: &ConversionReport<'_>) -> String {
    let mut object = Map::new();
    object.insert("schema".to_owned(), json!("dpcmp.conversion/1"));
    object.insert("statement".to_owned(), json!(report.statement));
    let gaussian = report.gaussian.as_ref().map(|mu| {
        json!({
            "for-noise": decimal_down(&mu.lower, 20),
            "for-risk": decimal_up(&mu.upper, 20),
        })
    });
    object.insert("gaussian-mu".to_owned(), gaussian.unwrap_or(Value::Null));
    let page = report.page.as_ref().map(report_json_value);
    object.insert("follows".to_owned(), page.unwrap_or(Value::Null));
    Value::Object(object).to_string()
}
