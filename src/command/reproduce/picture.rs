//! The picture of a reproduction: the figure of the paper where its rows are points of one, else numbers in rows.

use super::row::{Printed, Row, Spot};
use crate::plot::{self, Picture, ProfilePoint, Series, beside_picture, number, series_picture};
use crate::report::interval_words;

/// Certified numbers where the paper has its own.
pub fn reproduced(title: &str, rows: &[Row]) -> Picture {
    let certified = "all numbers drawn are certified, by enclosures too narrow to be seen unless a bar shows them";
    let notes = vec![certified.to_owned()];
    let mut series: Vec<Series> = Vec::new();
    for (row, spot) in rows
        .iter()
        .filter_map(|row| Some((row, row.spot.as_ref()?)))
    {
        let (x, y) = spot.axes;
        let limit = match row.printed {
            Printed::AtMost(text) => {
                number(text).map(|value| (value, format!("the paper: at most {text}")))
            }
            _ => None,
        };
        match series.iter_mut().find(|one| one.x == x && one.y == y) {
            Some(one) => add(&mut one.lines, spot, row),
            None => {
                let mut lines = Vec::new();
                add(&mut lines, spot, row);
                series.push(Series {
                    x: x.to_owned(),
                    y: y.to_owned(),
                    lines,
                    limit,
                });
            }
        }
    }
    if !series.is_empty() {
        return series_picture(title, Vec::new(), &series, notes);
    }
    let beside: Vec<plot::Row> = rows.iter().map(beside).collect();
    beside_picture(title, &beside, notes)
}

fn beside(row: &Row) -> plot::Row {
    let (ring, paper) = match row.printed {
        Printed::Rounded(text) => (number(text), format!(", paper {text}")),
        Printed::AtMost(text) => (number(text), format!(", paper ≤ {text}")),
        Printed::Nothing => (None, String::new()),
    };
    plot::Row {
        name: row.what.clone(),
        value: row.found.interval().middle().to_f64(),
        ring,
        words: interval_words(&row.found) + &paper,
    }
}

fn add(lines: &mut Vec<(String, Vec<ProfilePoint>)>, spot: &Spot, row: &Row) {
    let Some(x) = number(spot.x) else { return };
    let knot = ProfilePoint {
        x,
        low: row.found.lower().to_f64(),
        high: row.found.upper().to_f64(),
    };
    match lines.iter_mut().find(|(name, _)| *name == spot.curve) {
        Some((_, line)) => line.push(knot),
        None => lines.push((spot.curve.clone(), vec![knot])),
    }
}
