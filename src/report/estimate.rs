//! Answers of `--engine float`: one line each, labelled as estimates.

use serde_json::{Map, Value, json};

use super::Style;
use super::bound::{put_taken, taken_human, with_id};
use crate::float::Peak;
use crate::study::Taken;

/// Digits that people are shown: what an estimate is good for.
const HUMAN_DIGITS: usize = 7;

/// For people.
pub fn estimate_human(query: &str, value: f64, column: usize) -> String {
    let value = rounded(value);
    format!("{query:<column$}  ≈ {value}   (estimate, float engine)")
}

/// The estimate that this decimal is, for people.
pub(super) fn rounded_estimate(decimal: &str) -> String {
    decimal.parse().map_or(decimal.to_owned(), rounded)
}

fn rounded(value: f64) -> String {
    let rounded = format!("{value:.*e}", HUMAN_DIGITS.saturating_sub(1)).parse();
    decimal(rounded.unwrap_or(value))
}

/// For machines: `id` (JSON text, echoed as it is) or the query, the estimate, and what is taken for granted where that is asked for.
pub fn estimate_json(id: Option<&str>, query: &str, value: f64, taken: Option<&Taken>) -> String {
    let mut object = Map::new();
    if id.is_none() {
        object.insert("schema".to_owned(), json!("dpcmp.bound/1"));
        object.insert("query".to_owned(), json!(query));
    }
    object.insert("estimate".to_owned(), json!(decimal(value)));
    if let Some(taken) = taken {
        put_taken(&mut object, &taken.conditions, &taken.computed);
    }
    with_id(id, &Value::Object(object))
}

/// Divergences of two mechanisms for people: name, key and peak.
pub fn comparison_estimate_human(
    rows: &[(String, &str, Peak)],
    taken: &Taken,
    style: Style,
) -> String {
    let column = rows.iter().map(|(name, ..)| name.chars().count()).max();
    let line = |(name, _, peak): &(String, &str, Peak)| {
        let estimate = estimate_human(name, peak.value, column.unwrap_or(0));
        format!("{estimate}   at prior π ≈ {:.4}\n", peak.prior)
    };
    rows.iter().map(line).collect::<String>() + &taken_human(taken, style)
}

/// The same for machines, line ended; weighted divergences in the order of the densities.
pub fn comparison_estimate_json(rows: &[(String, &str, Peak)], taken: &Taken) -> String {
    let mut object = Map::new();
    object.insert("schema".to_owned(), json!("dpcmp.comparison/2"));
    object.insert("engine".to_owned(), json!("float"));
    for (_, key, peak) in rows {
        let value = json!({
            "estimate": decimal(peak.value),
            "prior": decimal(peak.prior),
            "epsilon": decimal(peak.epsilon),
        });
        if key.starts_with("weighted") {
            let list = object.entry(*key).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(value);
            }
        } else {
            object.insert((*key).to_owned(), value);
        }
    }
    put_taken(&mut object, &taken.conditions, &taken.computed);
    format!("{}\n", Value::Object(object))
}

/// The shortest decimal that is this number; `inf` or `-inf`.
pub(super) fn decimal(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e15).contains(&size) || size.is_infinite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_labelled() {
        let taken = Taken {
            conditions: vec!["so".to_owned()],
            computed: Vec::new(),
        };
        assert_eq!(
            estimate_human("epsilon:delta=1e-5", 7.424_378_123_4, 20),
            "epsilon:delta=1e-5    ≈ 7.424378   (estimate, float engine)"
        );
        assert_eq!(
            estimate_json(Some("1.00"), "advantage", 0.1, None),
            r#"{"id":1.00,"estimate":"0.1"}"#
        );
        assert_eq!(
            estimate_json(None, "advantage", 1.25e-30, Some(&taken)),
            r#"{"schema":"dpcmp.bound/1","query":"advantage","estimate":"1.25e-30","conditions":["so"]}"#
        );
    }

    #[test]
    fn every_number_is_a_decimal() {
        for (value, text) in [
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (-0.0, "0"),
            (-2.5, "-2.5"),
            (1e300, "1e300"),
            (0.001, "0.001"),
        ] {
            assert_eq!(decimal(value), text);
        }
    }
}
