//! Δ(A‖B) as the least diagonal shift that moves the curve of A below that of B.

use rug::Rational;

use crate::bounds::exact::{ExactCurve, Vertex};

/// inf{κ ≥ 0 : ∀α f_A(α + κ) − κ ≤ f_B(α)} (Kaissis et al. 2024, Definition 1). `None` if A does not end in (1, 0).
///
/// Only α in [0, 1] matter: to the left f_B is 1, to the right f_A is 0. On a linear piece of f_B the pairs (α, κ) with
/// f_A(α + κ) − κ ≤ f_B(α) form a convex set, because f_A is convex on [0, ∞); so the least admissible κ is a
/// convex function of α there, and its largest value is at a vertex of B.
///
/// At the vertex (a, b), f_A(a + κ) − κ ≤ b says that f_A(x) − x ≤ b − a at x = a + κ. The left side falls strictly in x,
/// to −1 ≤ b − a at x = 1, so equality is reached at one x in [0, 1] or the inequality holds from x = 0 on. One pass: both
/// b − a and the vertices of A fall as α rises.
pub(super) fn least_shift(a: &ExactCurve, b: &ExactCurve) -> Option<Rational> {
    let mut shift = Rational::new();
    let (mut left, mut ahead) = a.vertices().split_first()?;
    for vertex in b.vertices() {
        let level = excess(vertex);
        if excess(left) <= level {
            continue;
        }
        let (mut right, mut beyond) = ahead.split_first()?;
        while excess(right) > level {
            (left, ahead) = (right, beyond);
            (right, beyond) = ahead.split_first()?;
        }
        let least = reaches(left, right, &level) - &vertex.alpha;
        shift = shift.max(least);
    }
    Some(shift)
}

/// The x on an edge with f(x) − x = level.
///
/// Requires: the level is at most that of the left end and at least that of the right end.
fn reaches(left: &Vertex, right: &Vertex, level: &Rational) -> Rational {
    let top = excess(left);
    let fall = &top - excess(right);
    let share = (top - level) / fall;
    let run = Rational::from(&right.alpha - &left.alpha);
    share * run + &left.alpha
}

/// f(x) − x at a vertex.
fn excess(vertex: &Vertex) -> Rational {
    Rational::from(&vertex.beta - &vertex.alpha)
}
