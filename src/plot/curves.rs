//! Curves of mechanisms: privacy profiles, trade-off functions, Bayes errors.

use super::band::{Knot, Shape, between, joined, middle};
use super::picture::{Hue, Item, Panel, Picture, Stroke};
use super::scale::{Axis, Scale};

/// Which curve of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveKind {
    /// δ(ε).
    PrivacyProfile,
    /// f(α).
    TradeOff,
    /// R(π).
    BayesError,
}

/// One curve.
#[derive(Debug, Clone)]
pub struct CurveData {
    /// Certified points, or estimates, in order.
    pub knots: Vec<Knot>,
    /// What is written beside it.
    pub label: String,
    /// Its colour.
    pub hue: Hue,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// Nothing smaller is shown of a trade-off curve.
const LEAST_RATE: f64 = 1e-12;

/// Where a profile beside another one may end.
const USUAL_DELTA: f64 = 1e-12;

/// One curve of one mechanism.
pub fn curve_picture(
    title: &str,
    kind: CurveKind,
    curve: CurveData,
    notes: Vec<String>,
) -> Picture {
    Picture {
        title: title.to_owned(),
        subtitle: Vec::new(),
        panels: panels(kind, &[curve]),
        notes,
    }
}

/// The panels on which curves of this kind are shown: with a logarithmic axis where small values matter.
pub fn panels(kind: CurveKind, curves: &[CurveData]) -> Vec<Panel> {
    match kind {
        CurveKind::PrivacyProfile => vec![profile(curves)],
        CurveKind::TradeOff => vec![tradeoff(curves), tradeoff_in_logs(curves)],
        CurveKind::BayesError => vec![bayes_error(curves)],
    }
}

/// δ(ε), with the logarithm of δ where there is one.
pub fn profile(curves: &[CurveData]) -> Panel {
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
    let y = if positive.is_empty() {
        Axis::new("δ", Scale::Linear, 0.0, 1.0)
    } else {
        Axis::new(
            "δ, logarithmic",
            Scale::Log,
            power_below(least),
            power_above(most),
        )
    };
    Panel {
        title: Some("Privacy profile δ(ε)".to_owned()),
        x: Axis::new("ε", Scale::Linear, low, high),
        y,
        items: items(curves, Shape::FallingInExp, Axes::LogY),
    }
}

/// f(α) on even axes.
pub fn tradeoff(curves: &[CurveData]) -> Panel {
    let mut items = vec![Item::Line {
        points: vec![(0.0, 1.0), (1.0, 0.0)],
        hue: Hue::Soft,
        stroke: Stroke::Thin,
        label: Some("perfect privacy".to_owned()),
    }];
    items.extend(self::items(curves, Shape::Falling, Axes::Even));
    Panel {
        title: Some("Trade-off function f(α)".to_owned()),
        x: Axis::new(
            "α, false-positive rate of the attack",
            Scale::Linear,
            0.0,
            1.0,
        ),
        y: Axis::new("β, least false-negative rate", Scale::Linear, 0.0, 1.0),
        items,
    }
}

/// True-positive rates over false-positive rates: what attacks reach that accuse hardly anyone falsely.
fn tradeoff_in_logs(curves: &[CurveData]) -> Panel {
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
    let mut items = vec![Item::Line {
        points: vec![(LEAST_RATE, LEAST_RATE), (1.0, 1.0)],
        hue: Hue::Soft,
        stroke: Stroke::Thin,
        label: Some("perfect privacy".to_owned()),
    }];
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
    items.extend(self::items(&renamed, Shape::Falling, Axes::LogBoth));
    Panel {
        title: Some("The same, logarithmic: attacks that accuse few".to_owned()),
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
        items,
    }
}

/// R(π).
pub fn bayes_error(curves: &[CurveData]) -> Panel {
    let mut items = vec![Item::Line {
        points: vec![(0.0, 0.0), (0.5, 0.5), (1.0, 0.0)],
        hue: Hue::Soft,
        stroke: Stroke::Thin,
        label: Some("perfect privacy".to_owned()),
    }];
    items.extend(self::items(curves, Shape::Concave, Axes::Even));
    Panel {
        title: Some("Bayes error R(π)".to_owned()),
        x: Axis::new(
            "π, prior that the record is absent",
            Scale::Linear,
            0.0,
            1.0,
        ),
        y: Axis::new("least average error of the attack", Scale::Linear, 0.0, 0.5),
        items,
    }
}

/// How the curves of a panel are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axes {
    Even,
    LogY,
    LogBoth,
}

/// Bands behind, curves before them.
fn items(curves: &[CurveData], shape: Shape, axes: Axes) -> Vec<Item> {
    let filled: Vec<(Vec<Knot>, &CurveData)> = curves
        .iter()
        .map(|curve| (between(&curve.knots, shape, axes == Axes::LogBoth), curve))
        .collect();
    let bands = filled.iter().map(|(knots, curve)| Item::Band {
        knots: knots.iter().map(|knot| shown(knot, axes)).collect(),
        hue: curve.hue,
    });
    let lines = filled.iter().map(|(knots, curve)| {
        let band: Vec<Knot> = knots.iter().map(|knot| shown(knot, axes)).collect();
        let points: Vec<Knot> = curve.knots.iter().map(|knot| shown(knot, axes)).collect();
        Item::Line {
            points: match axes {
                Axes::Even => middle(&band),
                Axes::LogY => joined(&band, &points, false),
                Axes::LogBoth => joined(&band, &points, true),
            },
            hue: curve.hue,
            stroke: curve.stroke,
            label: Some(curve.label.clone()).filter(|label| !label.is_empty()),
        }
    });
    bands.chain(lines).collect()
}

/// Where both axes are logarithmic, what is shown is the true-positive rate.
fn shown(knot: &Knot, axes: Axes) -> Knot {
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
    10f64.powf((value.log10() + 1e-9).floor())
}

fn power_above(value: f64) -> f64 {
    10f64.powf((value.log10() - 1e-9).ceil())
}
