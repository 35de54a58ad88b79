//! What certified points say about the curve between them.
//!
//! A trade-off function is convex and non-increasing in α; a privacy profile is convex and non-increasing in u = e^ε; a Bayes
//! error is concave in π. Between neighbouring points a convex curve lies below the chord, and above the chords on either
//! side, extended. The band drawn is between those, taken from the bad ends of the enclosures, so that it contains the
//! curve; at its kinks too, which are points of it.

/// A curve at one place, enclosed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knot {
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
    /// Convex and non-increasing in e^x.
    FallingInExp,
    /// Concave in x.
    Concave,
}

/// Points drawn between two that are certified.
const PARTS: usize = 6;

/// A band through the points, which are in order, that contains the curve between them.
pub fn between(knots: &[Knot], shape: Shape, is_log: bool) -> Vec<Knot> {
    if shape == Shape::Concave {
        let turned: Vec<Knot> = knots.iter().map(Knot::turned).collect();
        let band = fill(&turned, shape, is_log);
        return band.iter().map(Knot::turned).collect();
    }
    fill(knots, shape, is_log)
}

/// A line within a band for a logarithmic axis: straight there from point to point, but nowhere outside the band.
///
/// `knots` are the certified points among those of the band; `is_log` says whether x is drawn by its logarithm too.
pub fn joined(band: &[Knot], knots: &[Knot], is_log: bool) -> Vec<(f64, f64)> {
    let height = |knot: &Knot| {
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
                (knot.x / left.x).ln() / (right.x / left.x).ln()
            } else {
                (knot.x - left.x) / (right.x - left.x)
            };
            let y = low * (high / low).powf(share);
            (low > 0.0 && high > 0.0 && y.is_finite()).then_some(y)
        });
        let y = straight.unwrap_or_else(|| height(knot));
        line.push((knot.x, y.max(knot.low).min(knot.high)));
    }
    line
}

/// The middle of a band, which is drawn as a line where the band is too narrow to be seen.
pub fn middle(knots: &[Knot]) -> Vec<(f64, f64)> {
    knots
        .iter()
        .map(|knot| (knot.x, 0.5 * (knot.low + knot.high)))
        .collect()
}

impl Knot {
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

fn fill(knots: &[Knot], shape: Shape, is_log: bool) -> Vec<Knot> {
    let mut band = Vec::with_capacity(knots.len() * (PARTS + 1));
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
        let mut places: Vec<f64> = (1..PARTS)
            .map(|part| part as f64 / PARTS as f64)
            .map(|share| {
                if is_log && left.x > 0.0 {
                    left.x * (right.x / left.x).powf(share)
                } else {
                    left.x + (right.x - left.x) * share
                }
            })
            .collect();
        places.extend(cell.kink());
        places.retain(|x| *x > left.x && *x < right.x);
        places.sort_by(f64::total_cmp);
        band.extend(places.into_iter().map(|x| cell.at(x)));
    }
    band
}

/// Two neighbouring points with those beyond them.
struct Cell {
    before: Option<Knot>,
    left: Knot,
    right: Knot,
    after: Option<Knot>,
    shape: Shape,
}

impl Cell {
    /// The variable in which the curve is convex, from 0 at the left point.
    fn variable(&self, x: f64) -> f64 {
        match self.shape {
            Shape::Falling | Shape::Concave => x - self.left.x,
            Shape::FallingInExp => (x - self.left.x).exp_m1(),
        }
    }

    fn at(&self, x: f64) -> Knot {
        let (t, end) = (self.variable(x), self.variable(self.right.x));
        let share = t / end;
        let high = if share.is_finite() {
            self.left.high + (self.right.high - self.left.high) * share
        } else {
            self.left.high.max(self.right.high)
        };
        let falls = self.shape != Shape::Concave;
        let floor = if falls {
            self.right.low
        } else {
            f64::NEG_INFINITY
        };
        let line = |line: Option<(f64, f64)>| line.map_or(f64::NEG_INFINITY, |(a, b)| a + b * t);
        let low = line(self.left_chord())
            .max(line(self.right_chord()))
            .max(floor);
        let low = if low.is_finite() {
            low.min(high)
        } else {
            floor_of(self, high)
        };
        Knot { x, low, high }
    }

    /// The chord on the left, extended: value at the left point, and slope.
    ///
    /// g(t) ≥ g(0) + t·(g(0) − g(−b))/b = g(0)(1 + t/b) − g(−b)·t/b, so the bad ends are the lower one at 0 and the upper
    /// one at −b.
    fn left_chord(&self) -> Option<(f64, f64)> {
        let before = self.before?;
        let slope = (self.left.low - before.high) / -self.variable(before.x);
        slope.is_finite().then_some((self.left.low, slope))
    }

    /// The chord on the right, extended.
    fn right_chord(&self) -> Option<(f64, f64)> {
        let after = self.after?;
        let end = self.variable(self.right.x);
        let slope = (after.high - self.right.low) / (self.variable(after.x) - end);
        slope
            .is_finite()
            .then_some((self.right.low - slope * end, slope))
    }

    /// Where the extended chords meet, and where they reach the level of the right point.
    fn kink(&self) -> Vec<f64> {
        let level = (self.shape != Shape::Concave).then_some((self.right.low, 0.0));
        let lines = [self.left_chord(), self.right_chord(), level];
        let mut places = Vec::new();
        for (index, one) in lines.iter().enumerate() {
            for other in lines.iter().skip(index.saturating_add(1)) {
                if let (Some((a, b)), Some((c, d))) = (one, other) {
                    let t = (c - a) / (b - d);
                    let x = match self.shape {
                        Shape::Falling | Shape::Concave => self.left.x + t,
                        Shape::FallingInExp => self.left.x + t.ln_1p(),
                    };
                    places.extend(x.is_finite().then_some(x));
                }
            }
        }
        places
    }
}

/// With no line to go by: as low as a convex curve can be that is not below its ends by more than the range of probabilities.
fn floor_of(cell: &Cell, high: f64) -> f64 {
    let least = cell.left.low.min(cell.right.low);
    let reach = cell.right.x - cell.left.x;
    // |R'| ≤ 1 for a Bayes error.
    (least - reach).min(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enclosures of this width.
    fn knots(xs: &[f64], width: f64, curve: impl Fn(f64) -> f64) -> Vec<Knot> {
        xs.iter()
            .map(|x| Knot {
                x: *x,
                low: (curve(*x) - width).max(0.0),
                high: curve(*x) + width,
            })
            .collect()
    }

    fn contains(band: &[Knot], curve: impl Fn(f64) -> f64) {
        assert!(band.len() > 7);
        for knot in band {
            let value = curve(knot.x);
            let slack = 1e-12;
            assert!(
                knot.low <= value + slack && value <= knot.high + slack,
                "{knot:?} misses {value}"
            );
        }
        for pair in band.windows(2) {
            assert!(pair[0].x <= pair[1].x);
        }
    }

    #[test]
    fn bands_contain_the_curve_between_their_points() {
        let xs = [0.0, 0.03, 0.1, 0.25, 0.4, 0.7, 0.9, 1.0];
        for width in [0.0, 1e-3] {
            let falling = |x: f64| (1.0 - x) * (1.0 - x);
            contains(
                &between(&knots(&xs, width, falling), Shape::Falling, false),
                falling,
            );
            let kinked = |x: f64| (1.0 - 3.0 * x).max((1.0 - x) / 6.0);
            contains(
                &between(&knots(&xs, width, kinked), Shape::Falling, true),
                kinked,
            );
            let profile = |e: f64| (1.0 - e.exp() / 2.0).max(0.1 * (-e).exp());
            contains(
                &between(&knots(&xs, width, profile), Shape::FallingInExp, false),
                profile,
            );
            let bayes = |p: f64| p.min(1.0 - p).min(0.3);
            contains(
                &between(&knots(&xs, width, bayes), Shape::Concave, false),
                bayes,
            );
        }
    }

    #[test]
    fn lines_stay_within_their_bands() {
        let knots = knots(&[0.0, 1.0, 3.0, 4.0], 0.0, |e: f64| (-e * e).exp());
        let band = between(&knots, Shape::FallingInExp, false);
        let line = joined(&band, &knots, false);
        assert_eq!(line.len(), band.len());
        for (knot, (x, y)) in band.iter().zip(line) {
            assert!(knot.x == x && knot.low <= y && y <= knot.high);
        }
    }

    #[test]
    fn points_far_apart_give_finite_bands() {
        let far = knots(
            &[-1e6, 0.0, 1e5, 1e9],
            0.0,
            |x| if x < 1.0 { 1.0 } else { 0.0 },
        );
        for shape in [Shape::Falling, Shape::FallingInExp, Shape::Concave] {
            for knot in between(&far, shape, false) {
                assert!(
                    knot.low.is_finite() && knot.high.is_finite(),
                    "{shape:?}: {knot:?}"
                );
                assert!(knot.low <= knot.high);
            }
        }
    }
}
