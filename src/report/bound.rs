//! Answers of `bound`: one line each.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::digits::{Digits, JSON_DIGITS, ends, scientific};
use super::fault::Fault;
use super::json::{put_ends_to, seconds};
use super::style::Style;
use super::words::{computed, provided};
use crate::analysis::{Answer, Ending, Method};
use crate::bounds::Target;
use crate::study::Taken;

/// Whoever asks for a number wants its digits.
const BOUND_DIGITS: Digits = Digits { least: 4, most: 16 };

/// One answered query.
pub struct BoundReport<'a> {
    /// The query as it was given.
    pub query: &'a str,
    /// What was found.
    pub answer: &'a Answer,
    /// The width that was asked for.
    pub asked: Option<&'a Target>,
    /// Do both ends belong to one mechanism?
    pub attained: bool,
    /// Was it the user who ended the work, and not the time?
    pub is_stopped: bool,
    /// Time taken.
    pub time: Duration,
}

/// For people: query, enclosure, how it was found.
pub fn bound_human(report: &BoundReport<'_>, column: usize) -> String {
    let enclosure = &report.answer.enclosure;
    let (lower, upper) = ends(enclosure, BOUND_DIGITS.up_to(report.asked, enclosure));
    let (lower, upper) = (scientific(&lower), scientific(&upper));
    let value = if lower == upper {
        format!("= {lower}")
    } else {
        format!("in [{lower}, {upper}]")
    };
    let method = method_words(&report.answer.method);
    let ending = match report.answer.ending {
        Ending::Reached => "",
        Ending::OutOfTime if report.is_stopped => "; stopped",
        Ending::OutOfTime => "; out of time, a larger --max-seconds may narrow it",
        Ending::Exhausted => "; dpcmp cannot narrow it further",
        Ending::DoesNotFollow => "; bounds from above and from below, which do not meet",
    };
    format!("{:<column$}  {value}   ({method}{ending})", report.query)
}

/// The ending of a computation that more time would continue.
pub const OUT_OF_TIME: &str = "out-of-time";

/// The ending of a computation that the user ended.
pub const STOPPED: &str = "stopped";

/// The ending of bounds that do not meet.
pub(super) const DOES_NOT_FOLLOW: &str = "does-not-follow";

/// For machines: why an enclosure is no narrower.
pub(super) fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Reached => "reached",
        Ending::OutOfTime => OUT_OF_TIME,
        Ending::Exhausted => "exhausted",
        Ending::DoesNotFollow => DOES_NOT_FOLLOW,
    }
}

/// Says it where an enclosure is wider than was asked for.
pub(super) fn put_ending(object: &mut Map<String, Value>, ending: Ending) {
    if ending != Ending::Reached {
        object.insert("ending".to_owned(), json!(ending_word(ending)));
    }
}

/// How an answer was found.
pub(super) fn method_words(method: &Method) -> String {
    match method {
        Method::ClosedForm => "closed form".to_owned(),
        Method::Theorem(words) => words.clone(),
        Method::Laws { cells, rounds } => {
            let plural = if *rounds == 1 { "" } else { "s" };
            format!("integer loss distributions, {cells} cells, {rounds} round{plural}")
        }
    }
}

/// For people, every line ended.
pub fn taken_human(taken: &Taken, style: Style) -> String {
    let lines = std::iter::once(provided(&taken.conditions)).chain(computed(&taken.computed));
    lines
        .map(|line| format!("{}\n", style.dim(&line)))
        .collect()
}

/// For machines: `id` (JSON text, echoed as it is) or the query, both ends, and what is taken for granted where that is known.
pub fn bound_json(report: &BoundReport<'_>, taken: Option<&Taken>, id: Option<&str>) -> String {
    let mut object = Map::new();
    if id.is_none() {
        object.insert("schema".to_owned(), json!("dpcmp.bound/1"));
        object.insert("query".to_owned(), json!(report.query));
    }
    let enclosure = &report.answer.enclosure;
    let digits = JSON_DIGITS.up_to(report.asked, enclosure);
    put_ends_to(&mut object, enclosure, digits);
    if !report.attained {
        object.insert("attained".to_owned(), json!(false));
    }
    if report.is_stopped {
        object.insert("ending".to_owned(), json!(STOPPED));
    } else {
        put_ending(&mut object, report.answer.ending);
    }
    if let Some(taken) = taken {
        put_taken(&mut object, &taken.conditions, &taken.computed);
    }
    if id.is_none() {
        object.insert("seconds".to_owned(), seconds(report.time));
    }
    with_id(id, &Value::Object(object))
}

/// What answers take for granted, and what was computed.
pub(super) fn put_taken(object: &mut Map<String, Value>, conditions: &[String], notes: &[String]) {
    object.insert("conditions".to_owned(), json!(conditions));
    if !notes.is_empty() {
        object.insert("computed".to_owned(), json!(notes));
    }
}

/// A query that has no answer.
pub fn error_json(id: Option<&str>, query: Option<&str>, code: &str, message: &str) -> String {
    let mut object = Map::new();
    if let Some(query) = query {
        object.insert("schema".to_owned(), json!("dpcmp.bound/1"));
        object.insert("query".to_owned(), json!(query));
    }
    object.insert("error".to_owned(), Fault::new(code, message).json());
    with_id(id, &Value::Object(object))
}

/// What a command prints in place of its object of this schema, such as `dpcmp.curve/1`.
pub fn refused_json(schema: &str, fault: &Fault) -> String {
    let mut object = Map::new();
    object.insert("schema".to_owned(), json!(schema));
    object.insert("error".to_owned(), fault.json());
    Value::Object(object).to_string()
}

/// A line of a batch that has no answer, with the place and the next step where these are known.
pub fn fault_json(id: &str, fault: &Fault) -> String {
    with_id(Some(id), &json!({"error": fault.json()}))
}

/// The object with `id` in front, whose text is JSON already and must not change, not even in its digits.
pub(super) fn with_id(id: Option<&str>, object: &Value) -> String {
    let text = object.to_string();
    match (id, text.strip_prefix('{')) {
        (Some(id), Some(rest)) => format!("{{\"id\":{id},{rest}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Enclosure;
    use rug::Rational;

    fn answer() -> Answer {
        Answer {
            enclosure: Enclosure::exactly(Rational::from((1, 3)), 64),
            method: Method::ClosedForm,
            ending: Ending::Reached,
            witness: None,
        }
    }

    #[test]
    fn the_id_is_echoed_digit_by_digit() {
        let report = BoundReport {
            query: "advantage",
            answer: &answer(),
            asked: None,
            attained: true,
            is_stopped: false,
            time: Duration::ZERO,
        };
        let text = bound_json(&report, None, Some("1.000000000000000000001"));
        assert!(
            text.starts_with(r#"{"id":1.000000000000000000001,"lower":"0.3333"#),
            "{text}"
        );
        assert_eq!(
            error_json(Some("null"), None, "number", "no \"number\""),
            r#"{"id":null,"error":{"code":"number","message":"no \"number\""}}"#
        );
    }

    #[test]
    fn people_see_how_it_was_found() {
        let report = BoundReport {
            query: "advantage",
            answer: &answer(),
            asked: None,
            attained: true,
            is_stopped: false,
            time: Duration::ZERO,
        };
        assert_eq!(
            bound_human(&report, 12),
            "advantage     in [0.3333333333333333, 0.3333333333333334]   (closed form)"
        );
    }
}
