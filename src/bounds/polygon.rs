//! A trade-off curve with finitely many vertices, each of which is enclosed.

use rug::Rational;

use super::exact::{ExactCurve, Vertex};
use crate::kernel::{Interval, InvariantViolation};

/// The largest convex function below finitely many points, between two polygons with rational vertices.
///
/// Ensures: if every point (α, β) lies in its enclosure, the function is between the two polygons. The upper one goes through the upper
/// right corners of the enclosures: the function falls, so that it is at most β at all rates from α on. The lower one goes through the
/// lower left corners: what the function takes from points with a mean rate of at most α, they offer at no higher rate and value.
#[derive(Debug, Clone)]
pub struct Polygon {
    lower: ExactCurve,
    upper: ExactCurve,
}

impl Polygon {
    /// The curve of these points, and (1, 0).
    ///
    /// Requires: all points are in the unit square, and one of them has the rate 0 exactly.
    ///
    /// # Errors
    /// If one of them is no number.
    pub fn new(points: &[(Interval, Interval)]) -> Result<Self, InvariantViolation> {
        let corners = |lower: bool| -> Result<Vec<Vertex>, InvariantViolation> {
            let end = |x: &Interval| {
                let end = if lower { x.lo() } else { x.hi() };
                let violation = || InvariantViolation("a probability that is no number".into());
                end.to_rational().ok_or_else(violation)
            };
            let last = Vertex {
                alpha: Rational::from(1),
                beta: Rational::new(),
            };
            let found = points.iter().map(|(alpha, beta)| {
                let (alpha, beta) = (end(alpha)?, end(beta)?);
                Ok(Vertex { alpha, beta })
            });
            found.chain([Ok(last)]).collect()
        };
        Ok(Self {
            lower: ExactCurve::through(corners(true)?),
            upper: ExactCurve::through(corners(false)?),
        })
    }

    /// A lower and an upper bound of all values at the rates from `low` to `high`.
    pub fn over(&self, low: &Rational, high: &Rational) -> (Rational, Rational) {
        (self.lower.tradeoff(high), self.upper.tradeoff(low))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bounds::testing::{finite_pair, unit_rational};
    use crate::mechanism::Adjacency;
    use rug::Float;

    proptest! {
        /// However the corners are moved, the exact curve is between the polygons, and they are its own where nothing is.
        #[test]
        fn encloses_the_exact_curve(
            pair in finite_pair(),
            side in 0usize..3,
            moves in prop::collection::vec(0u32..40, 64),
            alpha in unit_rational(),
        ) {
            let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][side];
            let curve = ExactCurve::new(&pair.p, &pair.q, adjacency);
            let mut moves = moves.iter().cycle();
            let mut around = |x: &Rational, is_free: bool| {
                let mut end = |sign: i32| {
                    let by = moves.next().filter(|_| is_free).map_or(0, |by| *by);
                    let moved = x + Rational::from((sign, 1)) * Rational::from((by, 100));
                    moved.clamp(&Rational::new(), &Rational::from(1))
                };
                let (low, high) = (end(-1), end(1));
                let low = Float::with_val_round(200, low, rug::float::Round::Down).0;
                let high = Float::with_val_round(200, high, rug::float::Round::Up).0;
                Interval::spanning(low, high)
            };
            let points: Vec<_> = curve.vertices().iter().map(|v| {
                (around(&v.alpha, v.alpha != 0), around(&v.beta, true))
            }).collect();
            let polygon = Polygon::new(&points).unwrap();
            let exact = curve.tradeoff(&alpha);
            let (low, high) = polygon.over(&alpha, &alpha);
            prop_assert!(low <= exact && exact <= high, "{low} {exact} {high}");
            let half = Rational::from(&alpha / 2u32);
            let (low, high) = polygon.over(&half, &alpha);
            prop_assert!(low <= exact && curve.tradeoff(&half) <= high);
        }
    }
}
