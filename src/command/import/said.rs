//! An entry of the registry, for people and for programs.

use serde_json::{Value, json};

use super::Checked;
use super::entry::Entry;
use crate::report::{Style, name as shown_name, quoted};

/// Free text is cut to so many columns.
const MOST: usize = 100;

/// What the entry states, what was checked, and what is missing.
pub fn human(path: &str, entry: &Entry, checked: Option<&Checked>, style: Style) -> String {
    let mut out = format!(
        "{}   {}\n",
        style.bold(&quoted(&entry.name, MOST)),
        style.dim(&shown_name(path))
    );
    let mut line = |label: &str, text: &str| out.push_str(&format!("  {label:<10} {text}\n"));
    let facts = [
        entry.statement().map(|text| quoted(&text, MOST)),
        entry.variant.as_ref().map(|text| quoted(text, MOST)),
        entry
            .unit
            .as_ref()
            .map(|text| format!("unit {}", quoted(text, MOST))),
        entry
            .model
            .as_ref()
            .map(|text| format!("model {}", quoted(text, MOST))),
        entry.releases.as_ref().map(|text| quoted(text, MOST)),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    line(
        "stated",
        &if facts.is_empty() {
            "nothing about privacy".to_owned()
        } else {
            facts.join(", ")
        },
    );
    match checked {
        Some(Checked::Follows) => line(
            "checked",
            &format!("{} (ε, δ) follows from ρ", style.green("✓")),
        ),
        Some(Checked::DoesNotFollow) => line(
            "checked",
            &format!(
                "{} (ε, δ) does not follow from ρ alone: a mechanism may have this ρ and a larger δ at this ε",
                style.red("✗")
            ),
        ),
        Some(Checked::Open) => line("checked", "? whether (ε, δ) follows from ρ was not decided"),
        None => {}
    }
    for text in &entry.contradictions {
        line("checked", &format!("{} {text}", style.red("✗")));
    }
    if checked.is_none() && entry.contradictions.is_empty() {
        line(
            "checked",
            "nothing: there are no two statements whose numbers could be held against each other",
        );
    }
    for (place, text) in entry.missing.iter().enumerate() {
        line(if place == 0 { "missing" } else { "" }, text);
    }
    out.push('\n');
    out
}

/// The same, as an object.
pub fn json(path: &str, entry: &Entry, checked: Option<&Checked>) -> Value {
    let number = |parameter: &Option<super::entry::Parameter>| {
        parameter.as_ref().map(|found| found.text.clone())
    };
    json!({
        "schema": "dpcmp.registry/1",
        "file": path,
        "name": entry.name,
        "curators": entry.curators,
        "variant": entry.variant,
        "epsilon": number(&entry.epsilon),
        "delta": number(&entry.delta),
        "rho": number(&entry.rho),
        "unit": entry.unit,
        "model": entry.model,
        "releases": entry.releases,
        "mechanism-in-words": entry.mechanism,
        "sources": entry.sources,
        "follows-from-rho": checked.and_then(|checked| match checked {
            Checked::Follows => Some(true),
            Checked::DoesNotFollow => Some(false),
            Checked::Open => None,
        }),
        "contradictions": entry.contradictions,
        "missing": entry.missing,
    })
}
