//! Trade-off curves as polygons, by Neyman and Pearson; add-remove adjacency by an explicit convex hull.

use dpcmp::mechanism::Adjacency;
use dpcmp::mechanism::Orders;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::pair::Pair;

type Vertex = (BigRational, BigRational);

/// The least convex-hull polygon of error pairs (α, β) of all tests, from α = 0 to α = 1.
#[derive(Debug, Clone)]
pub struct Polygon(pub Vec<Vertex>);

impl Polygon {
    pub fn new(pair: &Pair, adjacency: Adjacency) -> Self {
        let corners = match adjacency.orders() {
            Orders::Remove => corners(pair),
            Orders::Add => corners(&pair.swapped()),
            Orders::Both => {
                let mut both = corners(pair);
                both.extend(corners(&pair.swapped()));
                both
            }
        };
        Self(hull(corners))
    }

    pub fn tradeoff(&self, alpha: &BigRational) -> BigRational {
        let Some(right) = self.0.iter().position(|(a, _)| a >= alpha) else {
            return BigRational::zero();
        };
        let (b, f) = &self.0[right];
        if b == alpha || right == 0 {
            return f.clone();
        }
        let (a, e) = &self.0[right - 1];
        e + (f - e) * (alpha - a) / (b - a)
    }

    /// inf{α : f(α) ≤ β}.
    pub fn inverse(&self, beta: &BigRational) -> BigRational {
        let reached = self.0.iter().position(|(_, f)| f <= beta);
        let right = reached.expect("f(1) = 0");
        let (b, f) = &self.0[right];
        if right == 0 || f == beta {
            return b.clone();
        }
        let (a, e) = &self.0[right - 1];
        a + (b - a) * (e - beta) / (e - f)
    }

    /// f(α) = α.
    pub fn fixed_point(&self) -> BigRational {
        let right = self.0.iter().position(|(a, f)| a >= f);
        let right = right.expect("f(1) = 0");
        let (b, f) = &self.0[right];
        if right == 0 || b == f {
            return b.clone();
        }
        let (a, e) = &self.0[right - 1];
        // a + t(b − a) = e + t(f − e)
        let share = (e - a) / ((b - a) + (e - f));
        a + (b - a) * share
    }
}

/// Rejection regions in the order of falling q/p.
fn corners(pair: &Pair) -> Vec<Vertex> {
    let mut outcomes: Vec<(&BigRational, &BigRational)> = pair.p.iter().zip(&pair.q).collect();
    outcomes.retain(|(p, q)| !(p.is_zero() && q.is_zero()));
    // q/p > q'/p' without a division.
    outcomes.sort_by(|(p, q), (r, s)| (*s * *p).cmp(&(*q * *r)));
    let mut corner = (BigRational::zero(), BigRational::one());
    let mut corners = vec![corner.clone()];
    for (p, q) in outcomes {
        corner.0 += p;
        corner.1 -= q;
        corners.push(corner.clone());
    }
    corners
}

/// Gift wrapping: from the lowest point at the smallest α, always the steepest way down.
fn hull(mut corners: Vec<Vertex>) -> Vec<Vertex> {
    corners.sort();
    corners.dedup();
    let mut at = corners.first().cloned().expect("a curve has corners");
    let mut polygon = vec![at.clone()];
    loop {
        let further = corners.iter().filter(|c| c.0 > at.0);
        let slope = |c: &Vertex| (&c.1 - &at.1) / (&c.0 - &at.0);
        let next = further.min_by(|c, d| slope(c).cmp(&slope(d)).then(d.0.cmp(&c.0)));
        match next {
            Some(next) => at = next.clone(),
            None => return polygon,
        }
        polygon.push(at.clone());
    }
}
