//! Two mechanisms: Bayes errors with the rulers of their divergences (Kaissis et al. 2024, Figure 3), trade-off curves with one of
//! them shifted until it dominates (Figure 2), and privacy profiles.

use super::band::ProfilePoint;
use super::curves::{CurveData, bayes_error, profile, tradeoff};
use super::picture::{Hue, Item, Picture, Stroke};
use crate::study::CurveKind;

/// What is shown of two mechanisms.
#[derive(Debug, Clone)]
pub struct Duel {
    /// Both in one line each.
    pub names: [String; 2],
    /// The divergences in words.
    pub words: Vec<String>,
    /// For each kind, the points of both.
    pub curves: Vec<(CurveKind, [Vec<ProfilePoint>; 2])>,
    /// Where Bayes errors differ most.
    pub rulers: Vec<Ruler>,
    /// Which curve is shifted, by what, and the same in words.
    pub shift: Option<(usize, f64, String)>,
    /// The conditions of the numbers, and how to read them.
    pub notes: Vec<String>,
}

/// A divergence as a length.
#[derive(Debug, Clone)]
pub struct Ruler {
    /// Prior at which the Bayes errors differ most.
    pub prior: f64,
    /// From and to.
    pub errors: (f64, f64),
    /// The divergence in words.
    pub label: String,
}

/// All panels.
pub fn duel_picture(duel: &Duel) -> Picture {
    let mut panels = Vec::new();
    for (kind, [a, b]) in &duel.curves {
        let both = [
            curve(a, "A", Hue::First, Stroke::Solid),
            curve(b, "B", Hue::Second, Stroke::Solid),
        ];
        panels.push(match kind {
            CurveKind::BayesError => {
                let mut panel = bayes_error(&both);
                panel
                    .items
                    .extend(duel.rulers.iter().map(|ruler| Item::Ruler {
                        x: ruler.prior,
                        y: ruler.errors,
                        label: ruler.label.clone(),
                    }));
                panel
            }
            CurveKind::TradeOff => {
                let mut panel = tradeoff(&both, &[]);
                panel.items.extend(shifted(duel, [a, b]));
                panel
            }
            CurveKind::PrivacyProfile => profile(&both, &[]),
        });
    }
    let [a, b] = &duel.names;
    let mut subtitle = vec![format!("A: {a}"), format!("B: {b}")];
    subtitle.extend(duel.words.iter().cloned());
    Picture {
        title: "Two mechanisms compared".to_owned(),
        subtitle,
        panels,
        notes: duel.notes.clone(),
    }
}

fn curve(knots: &[ProfilePoint], label: &str, hue: Hue, stroke: Stroke) -> CurveData {
    CurveData {
        knots: knots.to_vec(),
        label: label.to_owned(),
        hue,
        stroke,
    }
}

/// f(α + κ) − κ.
fn shifted(duel: &Duel, curves: [&Vec<ProfilePoint>; 2]) -> Option<Item> {
    let (which, by, words) = duel.shift.as_ref()?;
    let knots = curves.get(*which)?;
    let points = knots.iter().map(|knot| {
        let height = 0.5 * (knot.low + knot.high);
        (knot.x - by, height - by)
    });
    let points: Vec<(f64, f64)> = points.filter(|(x, y)| *x >= 0.0 && *y >= 0.0).collect();
    (points.len() > 1).then(|| Item::Line {
        points,
        hue: Hue::nth(*which),
        stroke: Stroke::Dashed,
        label: Some(words.clone()),
    })
}
