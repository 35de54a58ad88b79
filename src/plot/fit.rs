//! How well a μ describes a mechanism: both trade-off curves, what lies between them (Gomez et al. 2025, Figure 7), and the
//! regret of every short statement (Figure 1c).

use super::band::ProfilePoint;
use super::curves::{CurveData, tradeoff};
use super::dots::{Row, dot_panel};
use super::picture::{Hue, Item, Panel, Picture, Stroke};
use super::scale::{Axis, Scale};

/// A mechanism beside G_μ.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The mechanism in one line.
    pub name: String,
    /// What was found, in words.
    pub words: Vec<String>,
    /// Points of its trade-off curve.
    pub curve: Vec<ProfilePoint>,
    /// G_μ at the same places, and what it is called; nothing where no μ is known.
    pub gaussian: Option<(Vec<ProfilePoint>, String)>,
    /// Statements with the regrets of using them.
    pub regrets: Vec<Row>,
    /// The conditions of the numbers, and how to read them.
    pub notes: Vec<String>,
}

/// All panels.
pub fn fit_picture(fit: &Fit) -> Picture {
    let mut curves = vec![CurveData {
        knots: fit.curve.clone(),
        label: "mechanism".to_owned(),
        hue: Hue::First,
        stroke: Stroke::Solid,
    }];
    if let Some((knots, label)) = &fit.gaussian {
        curves.push(CurveData {
            knots: knots.clone(),
            label: label.clone(),
            hue: Hue::Second,
            stroke: Stroke::Dashed,
        });
    }
    let mut panels = vec![tradeoff(&curves, &[])];
    panels.extend(
        fit.gaussian
            .as_ref()
            .map(|(knots, label)| difference(&fit.curve, knots, label)),
    );
    let title = "Regret of each short statement; dashed: 0.01";
    panels.extend(dot_panel(
        Some(title),
        "regret, logarithmic",
        &fit.regrets,
        Some(0.01),
    ));
    Picture {
        title: fit.name.clone(),
        subtitle: fit.words.clone(),
        panels,
        notes: fit.notes.clone(),
    }
}

/// What the statement leaves out, by false-positive rate.
fn difference(curve: &[ProfilePoint], gaussian: &[ProfilePoint], label: &str) -> Panel {
    let knots: Vec<ProfilePoint> = curve
        .iter()
        .zip(gaussian)
        .filter(|(one, other)| one.x == other.x && one.x > 0.0)
        .map(|(one, other)| ProfilePoint {
            x: one.x,
            low: one.low - other.high,
            high: one.high - other.low,
        })
        .collect();
    let low = knots.iter().map(|knot| knot.low).fold(0.0, f64::min);
    let high = knots.iter().map(|knot| knot.high).fold(0.0, f64::max);
    let first = knots.first().map_or(1e-10, |knot| knot.x);
    let room = (high - low) * 0.08;
    Panel {
        title: Some(format!(
            "Difference f − {}",
            label.split(' ').next().unwrap_or(label)
        )),
        x: Axis::new("α, logarithmic", Scale::Log, first, 1.0),
        y: Axis::new(
            "difference of false-negative rates at certified points",
            Scale::Linear,
            low - room,
            high + room,
        ),
        items: vec![
            Item::Line {
                points: vec![(first, 0.0), (1.0, 0.0)],
                hue: Hue::Soft,
                stroke: Stroke::Thin,
                label: None,
            },
            Item::Line {
                points: super::band::middle(&knots),
                hue: Hue::Third,
                stroke: Stroke::Thin,
                label: None,
            },
            Item::Marks {
                knots,
                hue: Hue::Third,
                label: None,
            },
        ],
    }
}
