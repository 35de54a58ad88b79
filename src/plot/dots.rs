//! Numbers in rows, one beside the other: a dot for each.

use super::band::ProfilePoint;
use super::picture::{Hue, Item, Panel, Picture, Stroke};
use super::scale::{Axis, Scale};

/// Numbers in a row.
#[derive(Debug, Clone)]
pub struct Row {
    /// What they are.
    pub name: String,
    /// The number that is certified; not a number where it is not known well enough for a dot.
    pub value: f64,
    /// The number that someone else prints.
    pub ring: Option<f64>,
    /// Both in words.
    pub words: String,
}

/// No smaller number has a place of its own.
const LEAST: f64 = 1e-12;

/// Rows of dots on a logarithmic axis, with a line at a number worth noting.
pub fn dot_panel(
    title: Option<&str>,
    label: &str,
    rows: &[Row],
    limit: Option<f64>,
) -> Option<Panel> {
    let values = rows
        .iter()
        .flat_map(|row| [Some(row.value), row.ring, limit]);
    let positive: Vec<f64> = values
        .flatten()
        .filter(|value| *value > LEAST && value.is_finite())
        .collect();
    let least = positive.iter().copied().reduce(f64::min)?;
    let most = positive.iter().copied().reduce(f64::max)?;
    let (low, high) = (least * 0.6, most * 1.6);
    let count = rows.len();
    let place = |row: usize, value: f64| (value.max(low), Axis::row(row, count));
    let mut items: Vec<Item> = limit
        .into_iter()
        .map(|value| Item::Line {
            points: vec![(value, 0.0), (value, count as f64)],
            hue: Hue::Soft,
            stroke: Stroke::Dashed,
            label: None,
        })
        .collect();
    for (at, row) in rows.iter().enumerate() {
        items.extend(row.ring.map(|value| Item::Rings {
            points: vec![place(at, value)],
            hue: Hue::Second,
        }));
        if row.value.is_nan() {
            continue;
        }
        let (x, y) = place(at, row.value);
        items.push(Item::Marks {
            knots: vec![ProfilePoint { x, low: y, high: y }],
            hue: Hue::First,
            label: None,
        });
    }
    let words: Vec<(String, String)> = rows
        .iter()
        .map(|row| (row.name.clone(), row.words.clone()))
        .collect();
    Some(Panel {
        title: title.map(str::to_owned),
        x: Axis::new(label, Scale::Log, low, high),
        y: Axis::rows(&words),
        items,
    })
}

/// Numbers of a paper beside certified ones.
pub fn beside_picture(title: &str, rows: &[Row], notes: Vec<String>) -> Picture {
    Picture {
        title: title.to_owned(),
        subtitle: vec!["dots: certified; rings: as the paper prints it".to_owned()],
        panels: dot_panel(None, "logarithmic", rows, None)
            .into_iter()
            .collect(),
        notes,
    }
}
