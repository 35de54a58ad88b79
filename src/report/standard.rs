//! Noise by way of (ε, δ) against noise for an attack risk: for people, and as `standard` in `dpcmp.calibration/1`.

use rug::Rational;
use serde_json::{Map, Value, json};

use super::calibration::{exact, open_words, put_beyond, wide_words};
use super::digits::{Digits, ends, scientific};
use super::json::put_ends;
use super::table;
use crate::bounds::Enclosure;
use crate::kernel::Interval;
use crate::number::{decimal_down, decimal_up};
use crate::study::{Calibration, Standard};

const DIGITS: Digits = Digits { least: 4, most: 6 };

/// The share of noise that is saved, 1 − 1/factor.
fn saved(standard: &Standard) -> Option<Enclosure> {
    let share = standard.factor.as_ref()?.interval().recip().one_minus();
    Some(Enclosure::from_interval(&share))
}

/// For people.
pub fn standard_lines(report: &Standard, of: &Calibration) -> Vec<String> {
    let (key, is_noise) = (&of.key, of.grows_private);
    let solution = &report.solution;
    let mut lines = vec![format!(
        "standard calibration: the target follows from ε = {} at δ = {}, which {key} = {} meets",
        between(&report.epsilon),
        scientific(&exact(&report.delta)),
        exact(&solution.meets)
    )];
    match solution.misses() {
        Some(misses) => lines.push(format!("  {} is certified to miss it", exact(misses))),
        None => {
            let words = open_words(&solution.beyond, key, is_noise);
            lines.extend((!words.is_empty()).then(|| format!("  {words}")));
        }
    }
    lines.extend(wide_words(solution, of).map(|words| format!("  {words}")));
    match (&report.factor, saved(report)) {
        (Some(factor), Some(saved)) if is_noise => lines.push(format!(
            "  that is {} times the noise: calibrating to the attack risk saves a share of {}",
            between(factor),
            between(&saved)
        )),
        (Some(factor), _) => lines.push(format!(
            "  calibrating to the attack risk allows {} times as much",
            between(factor)
        )),
        _ => {}
    }
    let has_generic = report.costs.iter().any(|row| row.generic.is_some());
    let mut cells = vec![
        [
            "FPR",
            "FNR, standard",
            "FNR, attack-aware",
            "cost",
            if has_generic {
                "cost for a mechanism no better than (ε, δ)"
            } else {
                ""
            },
        ]
        .map(str::to_owned),
    ];
    cells.extend(report.costs.iter().map(|row| {
        [
            exact(&row.alpha),
            between(&row.standard),
            between(&row.aware),
            between(&row.cost),
            row.generic.as_ref().map_or_else(String::new, shortly),
        ]
    }));
    lines.extend(table::lines(&cells));
    lines
}

/// For machines.
pub fn standard_json(report: &Standard, of: &Calibration) -> Value {
    let mut object = Map::new();
    let enclosed = |enclosure: &Enclosure| {
        let mut ends = Map::new();
        put_ends(&mut ends, enclosure);
        Value::Object(ends)
    };
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("delta", json!(exact(&report.delta)));
    put("exp-epsilon", json!(exact(&report.exp_epsilon)));
    put("epsilon", enclosed(&report.epsilon));
    put("value", json!(exact(&report.solution.meets)));
    put_beyond(&mut object, &report.solution, of);
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("factor", json!(report.factor.as_ref().map(enclosed)));
    put("saved", json!(saved(report).as_ref().map(enclosed)));
    let costs = report.costs.iter().map(|row| {
        json!({
            "alpha": exact(&row.alpha),
            "standard": enclosed(&row.standard),
            "attack-aware": enclosed(&row.aware),
            "cost": enclosed(&row.cost),
            "generic-cost": row.generic.as_ref().map(exact),
        })
    });
    put("costs", Value::Array(costs.collect()));
    Value::Object(object)
}

fn between(enclosure: &Enclosure) -> String {
    let (lower, upper) = ends(enclosure, DIGITS);
    if lower == upper {
        lower
    } else {
        format!("[{lower}, {upper}]")
    }
}

/// An exact number as an interval of a few digits.
fn shortly(value: &Rational) -> String {
    let (lower, upper) = (decimal_down(value, 4), decimal_up(value, 4));
    if lower == upper {
        lower
    } else {
        between(&Enclosure::from_interval(&Interval::from_rational(
            value, 64,
        )))
    }
}
