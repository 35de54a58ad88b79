//! Claims against the certified curve.

use super::band::Knot;
use super::curves::{CurveData, CurveKind, panels};
use super::picture::{Hue, Item, Picture, Stroke};
use super::scale::Scale;

/// One claim on a curve.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// On which curve it can be seen.
    pub kind: CurveKind,
    /// What is written beside it.
    pub label: String,
    /// Where it is.
    pub mark: Mark,
}

/// Where a claim is.
#[derive(Debug, Clone)]
pub enum Mark {
    /// A point on the side of which the curve must lie.
    Point(f64, f64),
    /// A curve that the mechanism must lie above.
    Curve(Vec<Knot>),
    /// A straight line that it must lie above.
    Line((f64, f64), (f64, f64)),
}

fn straight(from: (f64, f64), to: (f64, f64)) -> Vec<Knot> {
    let parts = 50u32;
    (0..=parts)
        .map(|part| {
            let share = f64::from(part) / f64::from(parts);
            let y = from.1 + (to.1 - from.1) * share;
            Knot {
                x: from.0 + (to.0 - from.0) * share,
                low: y,
                high: y,
            }
        })
        .collect()
}

/// The curves that the claims are about, with the claims on them.
pub fn claims_picture(
    title: &str,
    subtitle: Vec<String>,
    curves: &[(CurveKind, Vec<Knot>)],
    claims: &[Claimed],
    notes: Vec<String>,
) -> Picture {
    let mut all = Vec::new();
    for (kind, knots) in curves {
        let mut data = vec![CurveData {
            knots: knots.clone(),
            label: "certified curve".to_owned(),
            hue: Hue::First,
            stroke: Stroke::Solid,
        }];
        let here = || claims.iter().filter(|claim| claim.kind == *kind);
        let mut points = Vec::new();
        for (place, claim) in here().enumerate() {
            // Colours after the first, which is the curve's.
            let hue = Hue::nth(place % 4 + 1);
            match &claim.mark {
                Mark::Curve(knots) => data.push(CurveData {
                    knots: knots.clone(),
                    label: claim.label.clone(),
                    hue,
                    stroke: Stroke::Dashed,
                }),
                // Enough points that nothing is left open between them.
                Mark::Line(from, to) => data.push(CurveData {
                    knots: straight(*from, *to),
                    label: claim.label.clone(),
                    hue,
                    stroke: Stroke::Dashed,
                }),
                Mark::Point(x, y) => points.push((*x, *y, hue, claim.label.clone())),
            }
        }
        let smallest = points.iter().map(|(_, y, ..)| *y).fold(1e-8, f64::min);
        for mut panel in panels(*kind, &data) {
            if panel.y.scale == Scale::Log && !points.is_empty() {
                panel.y.low = panel.y.low.max(smallest * 1e-4).min(panel.y.high * 0.1);
            }
            for (x, y, hue, label) in &points {
                panel.y.reach(*y);
                panel.x.reach(*x);
                panel.items.push(Item::Marks {
                    knots: vec![Knot {
                        x: *x,
                        low: *y,
                        high: *y,
                    }],
                    hue: *hue,
                    label: Some(label.clone()),
                });
            }
            all.push(panel);
        }
    }
    Picture {
        title: title.to_owned(),
        subtitle,
        panels: all,
        notes,
    }
}
