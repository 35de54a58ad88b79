//! The edges of a band on the page: straight from place to place, and still on either side of the curve.
//!
//! The bounds between certified points are lines in the place, or in u = e^x. On even axes they are drawn as they are. Where
//! heights are drawn by their logarithm they are bent: with z the height and X the place as they are drawn, z = C + D·e^X, so that
//! (log z)″ = C·D·e^X / z² has one sign along the line. What bends away from the band is followed by its chords, what bends into
//! it by its tangents: a concave upper edge lies below its tangents, a convex one below its chords, and likewise below. So the
//! drawn edge is never on the wrong side of the bound, however few places there are; more of them only bring it nearer.

use super::band::ProfilePoint;
use super::scale::{Axis, Scale};
use crate::float::elementary::{exp, exp_m1, hypot, ln, ln_1p};

/// How the curves of a panel are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    /// Places and heights evenly.
    Even,
    /// Heights by their logarithm.
    LogY,
    /// Places by their logarithm, and by its logarithm what the height v leaves of 1.
    LogBoth,
}

/// A panel as far as its edges need to know it.
#[derive(Debug, Clone, Copy)]
pub struct Sheet {
    /// How it is drawn.
    pub axes: Axes,
    /// What is left of this place is not seen.
    first: f64,
    /// What is below is not seen.
    least: f64,
    /// Pixels for each unit or e-fold, across and up.
    pixels: (f64, f64),
}

/// About the size of a panel in pixels.
const SIZE: (f64, f64) = (500.0, 280.0);

/// An edge may be so many pixels from its bound.
const NEAR: f64 = 0.05;

/// Places are added to a part by halving it so often at most.
const DEPTH: usize = 9;

impl Sheet {
    /// A panel with these axes.
    pub fn new(axes: Axes, x: &Axis, y: &Axis) -> Self {
        // Without a logarithmic axis there are no heights to be seen.
        let axes = if y.scale == Scale::Linear {
            Axes::Even
        } else {
            axes
        };
        let length = |axis: &Axis| match axis.scale {
            Scale::Linear => axis.high - axis.low,
            Scale::Log => ln(axis.high / axis.low),
        };
        Self {
            axes,
            first: if axes == Axes::LogBoth {
                x.at(-0.02)
            } else {
                f64::NEG_INFINITY
            },
            // As low as everything is drawn that is lower.
            least: y.at(-0.08).max(f64::MIN_POSITIVE),
            pixels: (SIZE.0 / length(x), SIZE.1 / length(y)),
        }
    }

    /// The edges from one place to another, where the bounds are these lines.
    pub fn edges(&self, from: f64, to: f64, low: &Line, high: &Line) -> Vec<ProfilePoint> {
        let mut places = vec![from, to];
        if self.axes != Axes::Even {
            let cuts = [self.first, self.cut(low), self.cut(high)];
            places.extend(cuts.into_iter().filter(|x| *x > from && *x < to));
            places.sort_unstable_by(f64::total_cmp);
            let parts: Vec<(f64, f64)> = pairs(&places).collect();
            for (from, to) in parts {
                self.refine([low, high], from, to, DEPTH, &mut places);
            }
            places.sort_unstable_by(f64::total_cmp);
        }
        let knot = |x: f64, low: f64, high: f64| ProfilePoint {
            x,
            low: low.min(high),
            high,
        };
        let mut edges = vec![knot(from, low.value(from), high.value(from))];
        for (from, to) in pairs(&places) {
            let (below, above) = (
                self.tangents(low, EdgeSide::Below, from, to),
                self.tangents(high, EdgeSide::Above, from, to),
            );
            let mut corners: Vec<f64> = [&below, &above]
                .into_iter()
                .filter_map(|tangents| tangents.as_ref()?.corner)
                .collect();
            corners.sort_unstable_by(f64::total_cmp);
            let at = |tangents: &Option<Tangents>, line: &Line, x: f64| match tangents {
                Some(tangents) => tangents.value(x),
                None => line.value(x),
            };
            edges.extend(
                corners
                    .into_iter()
                    .map(|x| knot(x, at(&below, low, x), at(&above, high, x))),
            );
            edges.push(knot(to, low.value(to), high.value(to)));
        }
        edges
    }

    /// Is there anything to be seen of this part?
    fn is_seen(&self, from: f64, to: f64) -> bool {
        self.axes != Axes::Even && from >= self.first && from < to
    }

    /// Is a line below the panel here?
    fn is_below(&self, line: &Line, x: f64) -> bool {
        let value = line.value(x);
        let drawn = match self.axes {
            Axes::Even | Axes::LogY => value,
            Axes::LogBoth => 1.0 - value,
        };
        drawn <= self.least * 1.01
    }

    /// Where a line leaves the panel.
    fn cut(&self, line: &Line) -> f64 {
        line.reaches(match self.axes {
            Axes::Even | Axes::LogY => self.least,
            Axes::LogBoth => 1.0 - self.least,
        })
    }

    /// The height on the page, in e-folds, which rises with the value.
    fn height(&self, value: f64) -> f64 {
        match self.axes {
            Axes::Even | Axes::LogY => ln(value),
            Axes::LogBoth => -ln(1.0 - value),
        }
    }

    /// How far it is from one place to another on the page, in units or e-folds.
    fn across(&self, from: f64, to: f64) -> f64 {
        match self.axes {
            Axes::Even | Axes::LogY => to - from,
            Axes::LogBoth => ln(to / from),
        }
    }

    /// How fast the height of a line rises on the page.
    fn rise(&self, line: &Line, x: f64) -> f64 {
        match self.axes {
            Axes::Even | Axes::LogY => line.rise(x) / line.value(x),
            Axes::LogBoth => line.rise(x) * x / (1.0 - line.value(x)),
        }
    }

    /// C of z = C + D·e^X, and D up to a positive factor; z is the value, or what it leaves of 1.
    fn bent(&self, line: &Line) -> (f64, f64) {
        let constant = line.constant();
        match self.axes {
            Axes::Even | Axes::LogY => (constant, line.slope),
            Axes::LogBoth => (1.0 - constant, -line.slope),
        }
    }

    fn refine(&self, lines: [&Line; 2], from: f64, to: f64, depth: usize, places: &mut Vec<f64>) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if !self.is_seen(from, to) {
            return;
        }
        let farthest = lines
            .into_iter()
            .find_map(|line| self.farthest(line, from, to));
        if let Some(x) = farthest {
            places.push(x);
            self.refine(lines, from, x, depth, places);
            self.refine(lines, x, to, depth, places);
        }
    }

    /// Where a line is farthest from its chord on the page, unless it is near everywhere.
    fn farthest(&self, line: &Line, from: f64, to: f64) -> Option<f64> {
        let across = self.across(from, to);
        let (start, end) = (self.height(line.value(from)), self.height(line.value(to)));
        if self.is_below(line, from) && self.is_below(line, to) {
            return None;
        }
        let rise = (end - start) / across;
        // There the line is parallel to the chord: z′/z is ± the rise, so D·e^X = ± rise·C / (1 ∓ rise).
        let (constant, slope) = self.bent(line);
        let x = match self.axes {
            Axes::Even | Axes::LogY => line.at + ln(rise * constant / (slope * (1.0 - rise))),
            Axes::LogBoth => -rise * constant / (slope * (1.0 + rise)),
        };
        if !(x > from && x < to) {
            return None;
        }
        let chord = start + rise * self.across(from, x);
        let gap = (self.height(line.value(x)) - chord).abs() * self.pixels.1;
        let (across, up) = (across * self.pixels.0, (end - start) * self.pixels.1);
        // By how far it is from the nearest point of the chord.
        (gap * across / hypot(across, up) > NEAR).then_some(x)
    }

    /// The tangents at both ends of a part; nothing where the chord is on the right side.
    fn tangents(&self, line: &Line, side: EdgeSide, from: f64, to: f64) -> Option<Tangents> {
        if !self.is_seen(from, to) {
            return None;
        }
        let (constant, slope) = self.bent(line);
        let mut is_concave = constant * slope < 0.0;
        if self.axes == Axes::LogBoth {
            // The height is −log z.
            is_concave = constant * slope > 0.0;
        }
        let needed = match side {
            EdgeSide::Above => is_concave,
            EdgeSide::Below => constant * slope != 0.0 && !is_concave,
        };
        let tangent = |at: f64| {
            let (height, rise) = (self.height(line.value(at)), self.rise(line, at));
            (height.is_finite() && rise.is_finite()).then_some((at, height, rise))
        };
        let (start, end) = (tangent(from), tangent(to));
        if !needed {
            return None;
        }
        let corner = match (start, end) {
            (Some((_, start, first)), Some((_, end, last))) => {
                // start + first·d = end + last·(d − across)
                let d = (end - start - last * self.across(from, to)) / (first - last);
                let x = match self.axes {
                    Axes::Even | Axes::LogY => from + d,
                    Axes::LogBoth => from * exp(d),
                };
                (x > from && x < to).then_some(x)
            }
            // At the one end the bound is endlessly far down: along the tangent of the other, and then straight there.
            (Some(_), None) => Some(to),
            (None, Some(_)) => Some(from),
            (None, None) => return None,
        };
        Some(Tangents {
            sheet: *self,
            side,
            ends: [start, end],
            corner,
        })
    }
}

/// On which side of the bound an edge must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeSide {
    Below,
    Above,
}

/// The tangents at both ends of a part.
struct Tangents {
    sheet: Sheet,
    side: EdgeSide,
    /// Place, height and rise, where there is a tangent.
    ends: [Option<(f64, f64, f64)>; 2],
    /// Where they meet.
    corner: Option<f64>,
}

impl Tangents {
    fn value(&self, x: f64) -> f64 {
        let heights = self
            .ends
            .into_iter()
            .flatten()
            .map(|(at, height, rise)| height + rise * self.sheet.across(at, x));
        let height = match self.side {
            EdgeSide::Above => heights.fold(f64::INFINITY, f64::min),
            EdgeSide::Below => heights.fold(f64::NEG_INFINITY, f64::max),
        };
        match self.sheet.axes {
            Axes::Even | Axes::LogY => exp(height),
            Axes::LogBoth => 1.0 - exp(-height),
        }
    }
}

/// A line v = value + slope·s in the variable in which a curve is convex: s = x − at, or e^(x − at) − 1.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// A place.
    pub at: f64,
    /// The value there.
    pub value: f64,
    /// The slope.
    pub slope: f64,
    /// Is it a line in e^x?
    pub in_exp: bool,
}

impl Line {
    /// The line through two points, computed from the first.
    pub fn through(from: (f64, f64), to: (f64, f64), in_exp: bool) -> Self {
        let mut line = Self {
            at: from.0,
            value: from.1,
            slope: 0.0,
            in_exp,
        };
        line.slope = (to.1 - from.1) / line.variable(to.0);
        line
    }

    /// The variable, from 0 where the line is known.
    fn variable(&self, x: f64) -> f64 {
        if self.in_exp {
            exp_m1(x - self.at)
        } else {
            x - self.at
        }
    }

    /// Its value at a place.
    pub fn value(&self, x: f64) -> f64 {
        if self.slope == 0.0 {
            return self.value;
        }
        self.value + self.slope * self.variable(x)
    }

    /// The derivative by the place.
    fn rise(&self, x: f64) -> f64 {
        if self.in_exp {
            self.slope * exp(x - self.at)
        } else {
            self.slope
        }
    }

    /// C of v = C + D·u, or C + D·x.
    fn constant(&self) -> f64 {
        if self.in_exp {
            self.value - self.slope
        } else {
            self.value - self.slope * self.at
        }
    }

    /// Where it has this value.
    fn reaches(&self, value: f64) -> f64 {
        let s = (value - self.value) / self.slope;
        if self.in_exp {
            self.at + ln_1p(s)
        } else {
            self.at + s
        }
    }

    /// Where two lines meet.
    pub fn meets(&self, other: &Self) -> f64 {
        let at = self.at;
        if self.in_exp {
            let slope = other.slope * exp(at - other.at);
            at + ln((other.constant() - self.constant()) / (self.slope - slope))
        } else {
            at + (other.value(at) - self.value) / (self.slope - other.slope)
        }
    }
}

/// Neighbours.
fn pairs(places: &[f64]) -> impl Iterator<Item = (f64, f64)> + '_ {
    places.iter().copied().zip(places.iter().copied().skip(1))
}
