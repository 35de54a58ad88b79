//! Exact rational answers for a pair of finite probability vectors, so that claims with equality are decided.

use rug::Rational;

use crate::mechanism::{Adjacency, Orders};

/// The trade-off curve of a finite pair: a convex polygon with rational vertices.
///
/// Invariant: `vertices` run from (0, f(0)) to (α, 0), then (1, 0); α strictly rises, β falls, convex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactCurve {
    vertices: Vec<Vertex>,
}

/// A point (α, β) of the curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vertex {
    /// Type-I error (false positive rate).
    pub alpha: Rational,
    /// Least type-II error (false negative rate).
    pub beta: Rational,
}

impl ExactCurve {
    /// The curve of the pair (p, q), p without the record and q with it; for add-remove adjacency the largest
    /// convex function below f and f⁻¹.
    ///
    /// Requires: `p` and `q` are probability vectors of equal length, each summing to 1.
    pub fn new(p: &[Rational], q: &[Rational], adjacency: Adjacency) -> Self {
        let points = match adjacency.orders() {
            Orders::Remove => neyman_pearson(p, q),
            Orders::Add => neyman_pearson(q, p),
            Orders::Both => {
                let mut both = neyman_pearson(p, q);
                both.extend(neyman_pearson(q, p));
                both
            }
        };
        Self::through(points)
    }

    /// The largest convex function that no point is below.
    ///
    /// Requires: a point at α = 0, the point (1, 0), and none outside of the unit square.
    pub(super) fn through(points: Vec<Vertex>) -> Self {
        Self {
            vertices: lower_hull(points),
        }
    }

    /// The vertices, by rising α.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// δ at u = e^ε: max over the vertices of 1 − β − uα, since δ(u) = 1 + f*(−u).
    ///
    /// Requires: `u ≥ 0`.
    pub fn delta(&self, u: &Rational) -> Rational {
        self.largest(|v| 1 - Rational::from(u * &v.alpha) - &v.beta)
    }

    /// f(α): 1 at α < 0 and 0 at α > 1, as theory extends it.
    pub fn tradeoff(&self, alpha: &Rational) -> Rational {
        if *alpha < 0 {
            return Rational::from(1);
        }
        let before = self.vertices.partition_point(|v| v.alpha < *alpha);
        let (left, right) = (before.saturating_sub(1), before.max(1));
        match (self.vertices.get(left), self.vertices.get(right)) {
            (Some(left), Some(right)) => {
                let run = Rational::from(&right.alpha - &left.alpha);
                let share = Rational::from(alpha - &left.alpha) / run;
                let rise = Rational::from(&right.beta - &left.beta);
                &left.beta + rise * share
            }
            _ => Rational::new(),
        }
    }

    /// δ(0) = max 1 − α − β.
    pub fn advantage(&self) -> Rational {
        self.delta(&Rational::from(1))
    }

    /// R(π) = min of πα + (1 − π)β, for a prior π that the record is **absent**; 0 outside (0, 1).
    pub fn bayes_error(&self, prior: &Rational) -> Rational {
        if *prior <= 0 || *prior >= 1 {
            return Rational::new();
        }
        let rest = Rational::from(1 - prior);
        -self.largest(|v| -(Rational::from(prior * &v.alpha) + Rational::from(&rest * &v.beta)))
    }

    /// R* = max over π of R(π): the fixed point f(α) = α.
    pub fn minimax_risk(&self) -> Rational {
        let excess = |v: &Vertex| Rational::from(&v.alpha - &v.beta);
        self.edges()
            .find(|(_, right)| excess(right) >= 0)
            .map_or_else(Rational::new, |(left, right)| {
                let below = -excess(left);
                let share = &below / (excess(right) + &below);
                let run = Rational::from(&right.alpha - &left.alpha);
                &left.alpha + run * share
            })
    }

    fn edges(&self) -> impl Iterator<Item = (&Vertex, &Vertex)> {
        self.vertices.iter().zip(self.vertices.iter().skip(1))
    }

    /// The largest value of a function of the vertices; every δ and −R has one at a vertex.
    fn largest(&self, value: impl Fn(&Vertex) -> Rational) -> Rational {
        self.vertices
            .iter()
            .map(value)
            .max()
            .unwrap_or_else(Rational::new)
    }
}

/// The points of the likelihood-ratio tests (Neyman and Pearson): outcomes join the rejection region by
/// falling q/p, so α gains p and β loses q.
fn neyman_pearson(p: &[Rational], q: &[Rational]) -> Vec<Vertex> {
    let mut outcomes: Vec<(&Rational, &Rational)> = p
        .iter()
        .zip(q)
        .filter(|(p, q)| **p != 0 || **q != 0)
        .collect();
    // Falling q/p is rising p/(p + q), which is also defined for p = 0.
    outcomes.sort_by_cached_key(|(p, q)| {
        let total = Rational::from(*p + *q);
        Rational::from(*p / &total)
    });
    let mut at = Vertex {
        alpha: Rational::new(),
        beta: Rational::from(1),
    };
    let mut points = vec![at.clone()];
    for (p, q) in outcomes {
        at.alpha += p;
        at.beta -= q;
        points.push(at.clone());
    }
    points
}

/// The lower left convex boundary of points that include (0, 1) and (1, 0) (Andrew's monotone chain).
fn lower_hull(mut points: Vec<Vertex>) -> Vec<Vertex> {
    points.sort_unstable_by(|a, b| a.alpha.cmp(&b.alpha).then_with(|| a.beta.cmp(&b.beta)));
    points.dedup_by(|next, kept| next.alpha == kept.alpha);
    let mut hull: Vec<Vertex> = Vec::new();
    for point in points {
        while let [.., before, last] = hull.as_slice()
            && !turns_left(before, last, &point)
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

/// Is b strictly below the line from a to c?
fn turns_left(a: &Vertex, b: &Vertex, c: &Vertex) -> bool {
    let first = Rational::from(&b.alpha - &a.alpha) * Rational::from(&c.beta - &a.beta);
    let second = Rational::from(&b.beta - &a.beta) * Rational::from(&c.alpha - &a.alpha);
    first > second
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::testing::{finite_pair, unit_rational};
    use proptest::prelude::*;

    /// δ from the definition.
    fn delta_by_definition(p: &[Rational], q: &[Rational], u: &Rational) -> Rational {
        p.iter()
            .zip(q)
            .map(|(p, q)| (q - Rational::from(u * p)).max(Rational::new()))
            .sum()
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pair in finite_pair(), u in (0u32..400, 1u32..60)) {
            let u = Rational::from(u);
            let remove = delta_by_definition(&pair.p, &pair.q, &u);
            let add = delta_by_definition(&pair.q, &pair.p, &u);
            let curve = |adjacency| ExactCurve::new(&pair.p, &pair.q, adjacency);
            prop_assert_eq!(curve(Adjacency::Remove).delta(&u), remove.clone());
            prop_assert_eq!(curve(Adjacency::Add).delta(&u), add.clone());
            prop_assert_eq!(curve(Adjacency::AddRemove).delta(&u), remove.max(add));
        }

        /// The symmetrised curve is its own inverse, and the curves are convex and non-increasing.
        #[test]
        fn hull_is_symmetric_and_convex(pair in finite_pair(), a in unit_rational(), b in unit_rational()) {
            let curve = ExactCurve::new(&pair.p, &pair.q, Adjacency::AddRemove);
            let f = |x: &Rational| curve.tradeoff(x);
            prop_assert!(f(&f(&a)) <= a);
            let middle = Rational::from(&a + &b) / 2;
            prop_assert!(f(&middle) * 2 <= f(&a) + f(&b));
            prop_assert!(a > b || f(&a) >= f(&b));
            let risk = curve.minimax_risk();
            prop_assert_eq!(f(&risk), risk.clone());
            prop_assert!(curve.bayes_error(&a) <= risk);
            for v in curve.vertices() {
                prop_assert_eq!(&f(&v.alpha), &v.beta);
            }
        }
    }

    #[test]
    fn randomised_response() {
        let rational = |n, m| Rational::from((n, m));
        let p = [rational(1, 4), rational(3, 4)];
        let q = [rational(3, 4), rational(1, 4)];
        let curve = ExactCurve::new(&p, &q, Adjacency::AddRemove);
        assert_eq!(curve.advantage(), rational(1, 2));
        assert_eq!(curve.minimax_risk(), rational(1, 4));
        assert_eq!(curve.delta(&rational(3, 1)), 0);
        assert_eq!(curve.tradeoff(&rational(1, 8)), rational(5, 8));
        assert_eq!(curve.bayes_error(&rational(1, 2)), rational(1, 4));
        assert_eq!(curve.bayes_error(&rational(9, 10)), rational(1, 10));
    }

    /// A curve that is not symmetric: f = max(0, 1 − 2α), hull with its inverse.
    #[test]
    fn asymmetric_pair() {
        let rational = |n, m| Rational::from((n, m));
        let p = [rational(1, 2), rational(1, 2)];
        let q = [rational(1, 1), rational(0, 1)];
        let one_way = ExactCurve::new(&p, &q, Adjacency::Remove);
        assert_eq!(one_way.minimax_risk(), rational(1, 3));
        assert_eq!(one_way.tradeoff(&rational(1, 4)), rational(1, 2));
        let both = ExactCurve::new(&p, &q, Adjacency::AddRemove);
        assert_eq!(both.tradeoff(&Rational::new()), rational(1, 2));
        assert_eq!(both.minimax_risk(), rational(1, 4));
    }

    /// A point on the line of its neighbours is no vertex.
    #[test]
    fn vertices_are_corners() {
        let third = Rational::from((1, 3));
        let same = vec![third.clone(), third.clone(), third];
        for adjacency in [Adjacency::Remove, Adjacency::AddRemove] {
            assert_eq!(ExactCurve::new(&same, &same, adjacency).vertices().len(), 2);
        }
    }

    /// Of points above each other the lowest counts, at either end, too.
    #[test]
    fn points_above_each_other() {
        let at = |alpha: (u32, u32), beta: (u32, u32)| Vertex {
            alpha: Rational::from(alpha),
            beta: Rational::from(beta),
        };
        let points = vec![
            at((1, 1), (1, 4)),
            at((0, 1), (1, 1)),
            at((1, 3), (1, 2)),
            at((1, 1), (0, 1)),
            at((0, 1), (1, 2)),
            at((1, 3), (1, 9)),
        ];
        let hull = lower_hull(points);
        let truth = [at((0, 1), (1, 2)), at((1, 3), (1, 9)), at((1, 1), (0, 1))];
        assert_eq!(hull, truth);
    }
}
