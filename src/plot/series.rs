//! Quantities over a parameter of the mechanism: certified at each value; the line only joins them.

use super::band::{ProfilePoint, middle};
use super::picture::{Hue, Item, Panel, Picture, Stroke};
use super::scale::{Axis, Scale};
use crate::float::elementary::pow;

/// One quantity over one parameter.
#[derive(Debug, Clone)]
pub struct Series {
    /// The parameter.
    pub x: String,
    /// The quantity.
    pub y: String,
    /// Values of the other parameters, with the points there.
    pub lines: Vec<(String, Vec<ProfilePoint>)>,
    /// A value that is said not to be exceeded, and by whom.
    pub limit: Option<(f64, String)>,
}

/// A panel for each quantity.
pub fn series_picture(
    title: &str,
    subtitle: Vec<String>,
    series: &[Series],
    notes: Vec<String>,
) -> Picture {
    Picture {
        title: title.to_owned(),
        subtitle,
        panels: series.iter().map(panel).collect(),
        notes,
    }
}

fn panel(series: &Series) -> Panel {
    let lines: Vec<(String, Vec<ProfilePoint>)> = series
        .lines
        .iter()
        .map(|(label, knots)| {
            let finite = |knot: &&ProfilePoint| knot.low.is_finite() && knot.high.is_finite();
            (
                label.clone(),
                knots.iter().filter(finite).copied().collect(),
            )
        })
        .collect();
    let all = || lines.iter().flat_map(|(_, knots)| knots);
    let x = axis(&series.x, all().map(|knot| knot.x).collect(), 20.0);
    let y = axis(
        &series.y,
        all().flat_map(|knot| [knot.low, knot.high]).collect(),
        200.0,
    );
    let mut y = y;
    let mut items = Vec::new();
    if let Some((value, words)) = &series.limit {
        y.reach(*value);
        items.push(Item::Line {
            points: vec![(x.low, *value), (x.high, *value)],
            hue: Hue::Soft,
            stroke: Stroke::Dashed,
            label: Some(words.clone()),
        });
    }
    for (place, (label, knots)) in lines.iter().enumerate() {
        let hue = Hue::nth(place);
        items.push(Item::Line {
            points: middle(knots),
            hue,
            stroke: Stroke::Thin,
            label: Some(label.clone()).filter(|label| !label.is_empty()),
        });
        items.push(Item::Marks {
            knots: knots.clone(),
            hue,
            label: None,
        });
    }
    Panel {
        title: None,
        x,
        y,
        items,
    }
}

/// Logarithmic where all values are positive and far apart.
fn axis(label: &str, values: Vec<f64>, far: f64) -> Axis {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low > 0.0 && high / low > far {
        let room = pow(high / low, 0.03);
        return Axis::new(
            &format!("{label}, logarithmic"),
            Scale::Log,
            low / room,
            high * room,
        );
    }
    let low = if low > 0.0 && low < 0.5 * high {
        0.0
    } else {
        low
    };
    let room = if (high - low).is_finite() {
        (high - low) * 0.04
    } else {
        0.0
    };
    Axis::new(
        label,
        Scale::Linear,
        if low == 0.0 { 0.0 } else { low - room },
        high + room,
    )
}
