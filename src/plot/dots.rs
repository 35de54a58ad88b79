//! Numbers in rows, one beside the other: a dot for each.

use super::band::Knot;
use super::curves::power_below;
use super::picture::{Hue, Item, Panel, Picture, Stroke};
use super::scale::{Axis, Scale};

/// A number in a row.
#[derive(Debug, Clone)]
pub struct Dot {
    /// Which row, from the top.
    pub row: usize,
    /// The number.
    pub value: f64,
    /// Its colour.
    pub hue: Hue,
    /// What is written beside it; a ring has no words.
    pub words: Option<String>,
}

/// No smaller number has a place of its own.
const LEAST: f64 = 1e-12;

/// Rows of dots on a logarithmic axis, with a line at a number worth noting.
pub fn dot_panel(
    title: &str,
    label: &str,
    names: &[String],
    dots: Vec<Dot>,
    limit: Option<(f64, &str)>,
) -> Option<Panel> {
    let shown: Vec<Dot> = dots
        .into_iter()
        .filter(|dot| dot.value.is_finite())
        .collect();
    let positive = shown
        .iter()
        .map(|dot| dot.value)
        .chain(limit.map(|(value, _)| value));
    let positive: Vec<f64> = positive.filter(|value| *value > LEAST).collect();
    let least = positive.iter().copied().reduce(f64::min)?;
    let most = positive.iter().copied().reduce(f64::max)?;
    let (low, high) = (
        power_below(least) * 0.5,
        most * (most / least).max(10.0).powf(0.9),
    );
    let count = names.len();
    let marks = shown.into_iter().map(|dot| {
        let y = Axis::row(dot.row, count);
        let x = dot.value.max(low);
        match dot.words {
            None => Item::Rings {
                points: vec![(x, y)],
                hue: dot.hue,
            },
            words => Item::Marks {
                knots: vec![Knot { x, low: y, high: y }],
                hue: dot.hue,
                label: words,
            },
        }
    });
    let line = limit.map(|(value, words)| Item::Line {
        points: vec![(value, 0.0), (value, count as f64)],
        hue: Hue::Soft,
        stroke: Stroke::Dashed,
        label: Some(words.to_owned()).filter(|words| !words.is_empty()),
    });
    Some(Panel {
        title: Some(title.to_owned()),
        x: Axis::new(label, Scale::Log, low, high),
        y: Axis::rows(names),
        items: line.into_iter().chain(marks).collect(),
    })
}

/// Numbers of a paper beside certified ones.
pub fn beside_picture(
    title: &str,
    rows: &[(String, Option<f64>, f64, String)],
    notes: Vec<String>,
) -> Picture {
    let names: Vec<String> = rows.iter().map(|(name, ..)| name.clone()).collect();
    let mut dots = Vec::new();
    for (row, (_, printed, found, words)) in rows.iter().enumerate() {
        dots.extend(printed.map(|value| Dot {
            row,
            value,
            hue: Hue::Second,
            words: None,
        }));
        dots.push(Dot {
            row,
            value: *found,
            hue: Hue::First,
            words: Some(words.clone()),
        });
    }
    let heading = "dots: certified; rings: as the paper prints it";
    Picture {
        title: title.to_owned(),
        subtitle: vec![heading.to_owned()],
        panels: dot_panel("", "logarithmic", &names, dots, None)
            .into_iter()
            .map(|panel| Panel {
                title: None,
                ..panel
            })
            .collect(),
        notes,
    }
}
