//! Claims against the certified curve.

use super::band::ProfilePoint;
use super::curves::{CurveData, Spot, panels};
use super::picture::{Hue, Picture, Stroke};
use crate::study::CurveKind;

/// One claim on a curve.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// On which curve it can be seen.
    pub kind: CurveKind,
    /// What is written beside it.
    pub label: String,
    /// Its colour, by its verdict.
    pub hue: Hue,
    /// Where it is.
    pub mark: Mark,
}

/// Where a claim is.
#[derive(Debug, Clone)]
pub enum Mark {
    /// A point on the side of which the curve must lie.
    Point(f64, f64),
    /// A curve that the mechanism must lie above.
    Curve(Vec<ProfilePoint>),
    /// A straight line that it must lie above.
    Line((f64, f64), (f64, f64)),
}

fn straight(from: (f64, f64), to: (f64, f64)) -> Vec<ProfilePoint> {
    let parts = 50u32;
    (0..=parts)
        .map(|part| {
            let share = f64::from(part) / f64::from(parts);
            let y = from.1 + (to.1 - from.1) * share;
            ProfilePoint {
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
    curves: &[(CurveKind, Vec<ProfilePoint>)],
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
        let mut spots = Vec::new();
        for claim in here() {
            let hue = claim.hue;
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
                Mark::Point(x, y) => spots.push(Spot {
                    x: *x,
                    y: *y,
                    label: claim.label.clone(),
                    hue,
                }),
            }
        }
        all.extend(panels(*kind, &data, &spots));
    }
    Picture {
        title: title.to_owned(),
        subtitle,
        panels: all,
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::Item;
    use super::*;

    /// Where 1 − f is drawn, so is 1 − β.
    #[test]
    fn points_are_drawn_where_their_curve_is() {
        let knots =
            [(0.0, 1.0), (0.1, 0.8), (1.0, 0.0)].map(|(x, y)| ProfilePoint { x, low: y, high: y });
        let claim = Claimed {
            kind: CurveKind::TradeOff,
            label: "claim".to_owned(),
            hue: Hue::Third,
            mark: Mark::Point(0.1, 0.8),
        };
        let curves = [(CurveKind::TradeOff, knots.to_vec())];
        let picture = claims_picture("", Vec::new(), &curves, &[claim], Vec::new());
        let heights: Vec<f64> = picture
            .panels
            .iter()
            .flat_map(|panel| &panel.items)
            .filter_map(|item| match item {
                Item::Marks { knots, .. } => Some(knots[0].high),
                _ => None,
            })
            .collect();
        assert_eq!(heights, [0.8, 1.0 - 0.8]);
    }
}
