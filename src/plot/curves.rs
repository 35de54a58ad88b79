//! Curves of mechanisms: privacy profiles, trade-off functions, Bayes errors.

use super::band::{ProfilePoint, Shape, between, joined, middle};
use super::edge::{Axes, Sheet};
use super::picture::{Hue, Item, Panel, Picture, Stroke};
use super::scale::{Axis, Scale};
use crate::float::elementary::{log10, pow};
use crate::study::CurveKind;

/// One curve.
#[derive(Debug, Clone)]
pub struct CurveData {
    /// Certified points, or estimates, in order.
    pub knots: Vec<ProfilePoint>,
    /// What is written beside it.
    pub label: String,
    /// Its colour.
    pub hue: Hue,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// A point beside curves.
#[derive(Debug, Clone)]
pub struct Spot {
    /// Its place.
    pub x: f64,
    /// Its height, as a value of the curves.
    pub y: f64,
    /// What is written beside it.
    pub label: String,
    /// Its colour.
    pub hue: Hue,
}

/// Nothing smaller is shown of a trade-off curve.
const LEAST_RATE: f64 = 1e-12;

/// Where a profile beside another one may end.
const USUAL_DELTA: f64 = 1e-12;

/// One curve of each of some mechanisms.
pub fn curve_picture(
    title: &str,
    kind: CurveKind,
    curves: Vec<CurveData>,
    notes: Vec<String>,
) -> Picture {
    Picture {
        title: title.to_owned(),
        subtitle: Vec::new(),
        panels: panels(kind, &curves, &[]),
        notes,
    }
}

/// The panels on which curves of this kind are shown: with a logarithmic axis where small values matter.
pub fn panels(kind: CurveKind, curves: &[CurveData], spots: &[Spot]) -> Vec<Panel> {
    match kind {
        CurveKind::PrivacyProfile => vec![profile(curves, spots)],
        CurveKind::TradeOff => vec![tradeoff(curves, spots), tradeoff_in_logs(curves, spots)],
        CurveKind::BayesError => vec![bayes_error(curves)],
    }
}

/// δ(ε), with the logarithm of δ where there is one.
pub fn profile(curves: &[CurveData], spots: &[Spot]) -> Panel {
    let all = || curves.iter().flat_map(|curve| &curve.knots);
    let positive: Vec<f64> = all()
        .map(|knot| knot.high)
        .filter(|high| *high > 0.0)
        .collect();
    let least_of = |curve: &CurveData| {
        let highs = curve.knots.iter().map(|knot| knot.high);
        highs.filter(|high| *high > 0.0).fold(0.1, f64::min)
    };
    let least = curves.iter().map(least_of).fold(0.1, f64::min);
    // What only one of them reaches is of no interest beside the others.
    let common = curves.iter().map(least_of).fold(0.0, f64::max);
    let least = least.max(common.min(USUAL_DELTA));
    let most = positive.iter().copied().fold(0.0, f64::max);
    let (low, high) = range(all().map(|knot| knot.x));
    let mut y = if positive.is_empty() {
        Axis::new("δ", Scale::Linear, 0.0, 1.0)
    } else {
        Axis::new(
            "δ, logarithmic",
            Scale::Log,
            power_below(least),
            power_above(most),
        )
    };
    if y.scale == Scale::Log && !spots.is_empty() {
        let smallest = spots.iter().map(|spot| spot.y).fold(1e-8, f64::min);
        y.low = y.low.max(smallest * 1e-4).min(y.high * 0.1);
    }
    Plan {
        title: "Privacy profile δ(ε)",
        x: Axis::new("ε", Scale::Linear, low, high),
        y,
        beside: None,
        shape: Shape::FallingInExp,
        axes: Axes::LogY,
    }
    .panel(curves, spots)
}

/// f(α) on even axes.
pub fn tradeoff(curves: &[CurveData], spots: &[Spot]) -> Panel {
    Plan {
        title: "Trade-off function f(α)",
        x: Axis::new(
            "α, false-positive rate of the attack",
            Scale::Linear,
            0.0,
            1.0,
        ),
        y: Axis::new("β, least false-negative rate", Scale::Linear, 0.0, 1.0),
        beside: Some(vec![(0.0, 1.0), (1.0, 0.0)]),
        shape: Shape::Falling,
        axes: Axes::Even,
    }
    .panel(curves, spots)
}

/// True-positive rates over false-positive rates: what attacks reach that accuse hardly anyone falsely.
fn tradeoff_in_logs(curves: &[CurveData], spots: &[Spot]) -> Panel {
    let all = || curves.iter().flat_map(|curve| &curve.knots);
    let x = all()
        .map(|knot| knot.x)
        .filter(|x| *x > 0.0)
        .fold(0.1, f64::min)
        .max(LEAST_RATE);
    let y = all()
        .filter(|knot| knot.x >= x)
        .map(|knot| 1.0 - knot.high)
        .filter(|rate| *rate > 0.0)
        .fold(x, f64::min)
        .max(LEAST_RATE);
    let renamed: Vec<CurveData> = curves
        .iter()
        .map(|curve| CurveData {
            label: if curve.label == "f(α)" {
                "1 − f(α)".to_owned()
            } else {
                curve.label.clone()
            },
            ..curve.clone()
        })
        .collect();
    Plan {
        title: "The same, logarithmic: attacks that accuse few",
        x: Axis::new(
            "α, false-positive rate, logarithmic",
            Scale::Log,
            power_below(x),
            1.0,
        ),
        y: Axis::new(
            "1 − f(α), most true positives, logarithmic",
            Scale::Log,
            power_below(y),
            1.0,
        ),
        beside: Some(vec![(LEAST_RATE, LEAST_RATE), (1.0, 1.0)]),
        shape: Shape::Falling,
        axes: Axes::LogBoth,
    }
    .panel(&renamed, spots)
}

/// R(π).
pub fn bayes_error(curves: &[CurveData]) -> Panel {
    Plan {
        title: "Bayes error R(π)",
        x: Axis::new(
            "π, prior that the record is absent",
            Scale::Linear,
            0.0,
            1.0,
        ),
        y: Axis::new("least average error of the attack", Scale::Linear, 0.0, 0.5),
        beside: Some(vec![(0.0, 0.0), (0.5, 0.5), (1.0, 0.0)]),
        shape: Shape::Concave,
        axes: Axes::Even,
    }
    .panel(curves, &[])
}

/// A panel before anything is drawn on it.
struct Plan {
    title: &'static str,
    x: Axis,
    y: Axis,
    /// The curve of perfect privacy, where it is drawn.
    beside: Option<Vec<(f64, f64)>>,
    shape: Shape,
    axes: Axes,
}

impl Plan {
    /// Axes with room for all spots, then what is drawn on them: bands behind, curves before them, spots.
    fn panel(self, curves: &[CurveData], spots: &[Spot]) -> Panel {
        let Self {
            title,
            mut x,
            mut y,
            beside,
            shape,
            axes,
        } = self;
        let spots: Vec<(ProfilePoint, &Spot)> = spots
            .iter()
            .map(|spot| {
                let knot = ProfilePoint {
                    x: spot.x,
                    low: spot.y,
                    high: spot.y,
                };
                (shown(&knot, axes), spot)
            })
            .collect();
        for (knot, _) in &spots {
            x.reach(knot.x);
            y.reach(knot.high);
        }
        let mut items: Vec<Item> = beside
            .into_iter()
            .map(|points| Item::Line {
                points,
                hue: Hue::Soft,
                stroke: Stroke::Thin,
                label: Some("perfect privacy".to_owned()),
            })
            .collect();
        items.extend(self::items(curves, shape, &Sheet::new(axes, &x, &y)));
        items.extend(spots.into_iter().map(|(knot, spot)| Item::Marks {
            knots: vec![knot],
            hue: spot.hue,
            label: Some(spot.label.clone()),
        }));
        Panel {
            title: Some(title.to_owned()),
            x,
            y,
            items,
        }
    }
}

/// Bands behind, curves before them.
fn items(curves: &[CurveData], shape: Shape, sheet: &Sheet) -> Vec<Item> {
    let axes = sheet.axes;
    let filled: Vec<(Vec<ProfilePoint>, &CurveData)> = curves
        .iter()
        .map(|curve| {
            let band = between(&curve.knots, shape, sheet);
            (band.iter().map(|knot| shown(knot, axes)).collect(), curve)
        })
        .collect();
    let bands = filled.iter().map(|(band, curve)| Item::Band {
        knots: band.clone(),
        hue: curve.hue,
    });
    let lines = filled.iter().map(|(band, curve)| {
        let points: Vec<ProfilePoint> = curve.knots.iter().map(|knot| shown(knot, axes)).collect();
        Item::Line {
            points: match axes {
                Axes::Even => middle(band),
                Axes::LogY => joined(band, &points, false),
                Axes::LogBoth => joined(band, &points, true),
            },
            hue: curve.hue,
            stroke: curve.stroke,
            label: Some(curve.label.clone()).filter(|label| !label.is_empty()),
        }
    });
    bands.chain(lines).collect()
}

/// Where both axes are logarithmic, what is shown is the true-positive rate.
fn shown(knot: &ProfilePoint, axes: Axes) -> ProfilePoint {
    match axes {
        Axes::Even | Axes::LogY => *knot,
        Axes::LogBoth => knot.complement(),
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        })
}

/// The power of ten at or below.
pub fn power_below(value: f64) -> f64 {
    pow(10f64, (log10(value) + 1e-9).floor())
}

fn power_above(value: f64) -> f64 {
    pow(10f64, (log10(value) - 1e-9).ceil())
}
