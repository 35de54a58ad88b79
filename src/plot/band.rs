//! What certified points say about the curve between them.
//!
//! A trade-off function is convex and non-increasing in α; a privacy profile is convex and non-increasing in u = e^ε; a Bayes
//! error is concave in π. Between neighbouring points a convex curve lies below the chord, and above the chords on either
//! side, extended. The band is between those, taken from the bad ends of the enclosures, so that it contains the curve; at its
//! kinks too, which are points of it. In the first cell and the last one a side is missing, and the band is wider. How it is
//! drawn on logarithmic axes is in `edge`.

use super::edge::{Line, Sheet};
use crate::float::elementary::{exp, ln, pow};

/// A curve at one place, enclosed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfilePoint {
    /// The place.
    pub x: f64,
    /// A lower bound.
    pub low: f64,
    /// An upper bound.
    pub high: f64,
}

/// What is known of a curve as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Convex and non-increasing in x.
    Falling,
    /// Convex and non-increasing in e^x, and nowhere steeper than 1.
    FallingInExp,
    /// Concave in x, and nowhere steeper than 1.
    Concave,
}

/// A band through the points, which are in order, that contains the curve between them as it is drawn: straight from place to
/// place on the sheet.
pub fn between(knots: &[ProfilePoint], shape: Shape, sheet: &Sheet) -> Vec<ProfilePoint> {
    if shape == Shape::Concave {
        let turned: Vec<ProfilePoint> = knots.iter().map(ProfilePoint::turned).collect();
        let band = fill(&turned, shape, sheet);
        return band.iter().map(ProfilePoint::turned).collect();
    }
    fill(knots, shape, sheet)
}

/// A line within a band for a logarithmic axis: straight there from point to point, but nowhere outside the band.
///
/// `knots` are the certified points among those of the band; `is_log` says whether x is drawn by its logarithm too.
pub fn joined(band: &[ProfilePoint], knots: &[ProfilePoint], is_log: bool) -> Vec<(f64, f64)> {
    let height = |knot: &ProfilePoint| {
        if knot.low > 0.0 {
            knot.low.sqrt() * knot.high.sqrt()
        } else {
            0.5 * knot.high
        }
    };
    let mut cells = knots.iter().zip(knots.iter().skip(1)).peekable();
    let mut line = Vec::with_capacity(band.len());
    for knot in band {
        while cells.next_if(|(_, right)| right.x < knot.x).is_some() {}
        let straight = cells.peek().and_then(|(left, right)| {
            let (low, high) = (height(left), height(right));
            let share = if is_log && left.x > 0.0 {
                ln(knot.x / left.x) / ln(right.x / left.x)
            } else {
                (knot.x - left.x) / (right.x - left.x)
            };
            let y = low * pow(high / low, share);
            (low > 0.0 && high > 0.0 && y.is_finite()).then_some(y)
        });
        let y = straight.unwrap_or_else(|| height(knot));
        line.push((knot.x, y.max(knot.low).min(knot.high)));
    }
    line
}

/// The middle of a band, which is drawn as a line where the band is too narrow to be seen.
pub fn middle(knots: &[ProfilePoint]) -> Vec<(f64, f64)> {
    knots
        .iter()
        .map(|knot| (knot.x, 0.5 * (knot.low + knot.high)))
        .collect()
}

impl ProfilePoint {
    /// How far it is from this place.
    pub fn distance(&self, x: f64) -> f64 {
        (self.x - x).abs()
    }

    /// The true-positive rate where this is a false-negative rate.
    pub fn complement(&self) -> Self {
        Self {
            x: self.x,
            low: 1.0 - self.high,
            high: 1.0 - self.low,
        }
    }

    fn turned(&self) -> Self {
        Self {
            x: self.x,
            low: -self.high,
            high: -self.low,
        }
    }
}

fn fill(knots: &[ProfilePoint], shape: Shape, sheet: &Sheet) -> Vec<ProfilePoint> {
    let mut band = Vec::with_capacity(knots.len().saturating_mul(2));
    let at = |place: Option<usize>| place.and_then(|place| knots.get(place)).copied();
    for place in 0..knots.len() {
        let Some(left) = at(Some(place)) else { break };
        band.push(left);
        let Some(right) = at(place.checked_add(1)) else {
            break;
        };
        let cell = Cell {
            before: at(place.checked_sub(1)),
            left,
            right,
            after: at(place.checked_add(2)),
            shape,
        };
        if left.x < right.x {
            band.extend(cell.edges(sheet));
        }
    }
    band
}

/// Two neighbouring points with those beyond them.
struct Cell {
    before: Option<ProfilePoint>,
    left: ProfilePoint,
    right: ProfilePoint,
    after: Option<ProfilePoint>,
    shape: Shape,
}

impl Cell {
    /// The edges between the two points.
    ///
    /// At the left one the curve may jump: a trade-off function from f(0) to f(0+). So the band begins there once more where
    /// it is lower than the point.
    fn edges(&self, sheet: &Sheet) -> Vec<ProfilePoint> {
        let high = self.chord();
        let lines = self.lines();
        let least = |x: f64| {
            let values = lines.iter().map(|line| (line.value(x), line));
            let numbers = values.filter(|(value, _)| !value.is_nan());
            numbers.max_by(|one, other| one.0.total_cmp(&other.0))
        };
        let mut places = vec![self.left.x, self.right.x];
        for (index, one) in lines.iter().enumerate() {
            let others = lines.iter().skip(index.saturating_add(1));
            places.extend(others.map(|other| one.meets(other)));
        }
        places.retain(|x| *x >= self.left.x && *x <= self.right.x);
        places.sort_unstable_by(f64::total_cmp);
        places.dedup();
        let mut edges = Vec::new();
        for (from, to) in places.iter().zip(places.iter().skip(1)) {
            let Some((_, low)) = least(0.5 * (from + to)) else {
                continue;
            };
            let part = sheet.edges(*from, *to, low, &high);
            // Where parts meet, so do their edges.
            edges.extend(part.into_iter().skip(usize::from(!edges.is_empty())));
        }
        // At the points themselves only what reaches beyond them.
        edges.retain(|knot| {
            [self.left, self.right]
                .into_iter()
                .all(|end| knot.x != end.x || knot.low < end.low || knot.high > end.high)
        });
        edges
    }

    fn is_in_exp(&self) -> bool {
        self.shape == Shape::FallingInExp
    }

    /// From the one upper end to the other.
    ///
    /// Computed from the lower of them, so that little is not lost beside much.
    fn chord(&self) -> Line {
        let (left, right) = (
            (self.left.x, self.left.high),
            (self.right.x, self.right.high),
        );
        if left.1 < right.1 && !self.is_in_exp() {
            Line::through(left, right, false)
        } else {
            Line::through(right, left, self.is_in_exp())
        }
    }

    /// Lines below the curve: the chords on either side, extended, and what the shape says by itself.
    ///
    /// With g the curve in its variable t and the left point at 0: g(t) ≥ g(0) + t·(g(0) − g(−b))/b = g(0)(1 + t/b) − g(−b)·t/b,
    /// so the bad ends are the lower one at 0 and the upper one at −b.
    fn lines(&self) -> Vec<Line> {
        let in_exp = self.is_in_exp();
        let line = |at: &ProfilePoint, slope: f64| Line {
            at: at.x,
            value: at.low,
            slope,
            in_exp,
        };
        let beyond = |one: &ProfilePoint, other: Option<ProfilePoint>| {
            let other = other?;
            Some(Line::through(
                (one.x, one.low),
                (other.x, other.high),
                in_exp,
            ))
        };
        let mut lines: Vec<Line> = [
            beyond(&self.left, self.before),
            beyond(&self.right, self.after),
        ]
        .into_iter()
        .flatten()
        .collect();
        match self.shape {
            Shape::Falling => lines.push(line(&self.right, 0.0)),
            // As a function of u = e^x it falls by at most Q(S) ≤ 1 for each unit.
            Shape::FallingInExp => {
                lines.extend([line(&self.right, 0.0), line(&self.left, -exp(self.left.x))])
            }
            // Upside down: the average error πα + (1 − π)β of a test changes by at most |α − β| ≤ 1 for each unit of π.
            Shape::Concave => lines.extend([line(&self.left, -1.0), line(&self.right, 1.0)]),
        }
        lines.retain(|line| line.slope.is_finite() && line.value.is_finite());
        lines
    }
}

#[cfg(test)]
#[path = "band_tests.rs"]
mod tests;
