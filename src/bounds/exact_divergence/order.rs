//! The Blackwell order of two exact curves, and the places where they cross.

use std::cmp::Ordering;

use rug::Rational;

use crate::bounds::exact::{ExactCurve, Vertex};

/// The exact Blackwell order (Kaissis et al. 2024, Theorem 1): A dominates B if f_A ≤ f_B everywhere, that is, A is the more
/// informative and the **less private**.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlackwellOrder {
    /// The same curve.
    Equal,
    /// f_A ≤ f_B everywhere, with `<` somewhere: A is less private.
    ADominates,
    /// f_B ≤ f_A everywhere, with `<` somewhere: B is less private.
    BDominates,
    /// Neither.
    Incomparable {
        /// Where f_A is below f_B by the most.
        a_below: Gap,
        /// Where f_B is below f_A by the most.
        b_below: Gap,
    },
}

/// Both curves at one α.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Type-I error.
    pub alpha: Rational,
    /// f_A(α).
    pub a: Rational,
    /// f_B(α).
    pub b: Rational,
}

/// A place where the lower one of two curves becomes the higher one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    /// Where the curves meet: just left of it one is strictly below the other.
    pub meet: Vertex,
    /// Where they part again, the other one strictly below; the same point unless they share a segment.
    pub part: Vertex,
}

/// The Blackwell order of A and B, decided exactly.
///
/// f_A − f_B is continuous on [0, 1] and linear between vertices, so its sign is known from the vertices of both.
pub fn order(a: &ExactCurve, b: &ExactCurve) -> BlackwellOrder {
    let gaps = gaps(a, b);
    let largest = |sign: Ordering| {
        let on_that_side = gaps.iter().filter(|gap| gap.sign() == sign);
        on_that_side.max_by_key(|gap| gap.difference().abs())
    };
    match (largest(Ordering::Less), largest(Ordering::Greater)) {
        (None, None) => BlackwellOrder::Equal,
        (Some(_), None) => BlackwellOrder::ADominates,
        (None, Some(_)) => BlackwellOrder::BDominates,
        (Some(a_below), Some(b_below)) => BlackwellOrder::Incomparable {
            a_below: a_below.clone(),
            b_below: b_below.clone(),
        },
    }
}

/// Every place where f_A − f_B changes its sign, by rising α: none if and only if the curves are ordered.
pub fn crossings(a: &ExactCurve, b: &ExactCurve) -> Vec<Crossing> {
    let mut found = Vec::new();
    // The last vertex with a strict sign, and the first one since where the curves meet.
    let mut strict: Option<Gap> = None;
    let mut touch: Option<(Vertex, Vertex)> = None;
    for gap in gaps(a, b) {
        if gap.sign() == Ordering::Equal {
            let here = Vertex {
                alpha: gap.alpha,
                beta: gap.a,
            };
            let since = touch.map_or_else(|| here.clone(), |(meet, _)| meet);
            touch = Some((since, here));
            continue;
        }
        if let Some(before) = strict.filter(|before| before.sign() != gap.sign()) {
            let (meet, part) = touch.unwrap_or_else(|| {
                let at = between(&before, &gap);
                (at.clone(), at)
            });
            found.push(Crossing { meet, part });
        }
        touch = None;
        strict = Some(gap);
    }
    found
}

impl Gap {
    fn difference(&self) -> Rational {
        Rational::from(&self.a - &self.b)
    }

    fn sign(&self) -> Ordering {
        self.a.cmp(&self.b)
    }
}

/// Where the curves meet between two neighbours with strictly opposite signs.
fn between(left: &Gap, right: &Gap) -> Vertex {
    let (start, end) = (left.difference(), right.difference());
    let share = &start / Rational::from(&start - &end);
    let along = |from: &Rational, to: &Rational| &share * Rational::from(to - from) + from;
    Vertex {
        alpha: along(&left.alpha, &right.alpha),
        beta: along(&left.a, &right.a),
    }
}

/// Both curves at every α where either has a vertex, by rising α.
fn gaps(a: &ExactCurve, b: &ExactCurve) -> Vec<Gap> {
    let mut alphas: Vec<&Rational> = a
        .vertices()
        .iter()
        .chain(b.vertices())
        .map(|v| &v.alpha)
        .collect();
    alphas.sort_unstable();
    alphas.dedup();
    let (mut of_a, mut of_b) = (a.vertices(), b.vertices());
    alphas
        .into_iter()
        .map(|alpha| Gap {
            alpha: alpha.clone(),
            a: height(&mut of_a, alpha),
            b: height(&mut of_b, alpha),
        })
        .collect()
}

/// f(α). Drops the vertices that lie before α; the α must not fall.
fn height(ahead: &mut &[Vertex], alpha: &Rational) -> Rational {
    while let [left, rest @ ..] = *ahead {
        let Some(right) = rest.first().filter(|_| left.alpha != *alpha) else {
            return left.beta.clone();
        };
        if right.alpha > *alpha {
            let run = Rational::from(&right.alpha - &left.alpha);
            let share = Rational::from(alpha - &left.alpha) / run;
            return share * Rational::from(&right.beta - &left.beta) + &left.beta;
        }
        *ahead = rest;
    }
    Rational::new()
}
