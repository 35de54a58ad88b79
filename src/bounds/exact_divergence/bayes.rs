//! Δ(A‖B) as the largest excess of the Bayes error of A over that of B.

use rug::Rational;

use super::ExactDivergence;
use crate::bounds::exact::{ExactCurve, Vertex};

/// max over π of R_A(π) − R_B(π), with a prior where it is attained. `None` if B has no vertex.
///
/// R is concave and piecewise linear. On a linear piece of R_A the difference is convex, so its maximum over [0, 1] is
/// at a kink of R_A or at an end, where both errors are 0. R_A has its kinks where two neighbouring vertices tie: on
/// an edge of slope −u, at π = u/(1 + u). One pass: as α rises, u falls, and the best vertex of B moves one way.
pub(super) fn largest_gap(a: &ExactCurve, b: &ExactCurve) -> Option<ExactDivergence> {
    let mut best = ExactDivergence {
        value: Rational::new(),
        prior: Rational::new(),
    };
    let (mut here, mut ahead) = b.vertices().split_first()?;
    for (left, right) in a.vertices().iter().zip(a.vertices().iter().skip(1)) {
        let prior = tie(left, right);
        let mut error = weighted(&prior, here);
        while let Some((next, beyond)) = ahead.split_first() {
            let other = weighted(&prior, next);
            if other > error {
                break;
            }
            (here, ahead, error) = (next, beyond, other);
        }
        let gap = weighted(&prior, left) - error;
        if gap > best.value {
            best = ExactDivergence { value: gap, prior };
        }
    }
    Some(best)
}

/// The prior at which both ends of an edge have the same error.
fn tie(left: &Vertex, right: &Vertex) -> Rational {
    let fall = Rational::from(&left.beta - &right.beta);
    let run = Rational::from(&right.alpha - &left.alpha);
    let both = Rational::from(&fall + &run);
    fall / both
}

/// πα + (1 − π)β.
fn weighted(prior: &Rational, at: &Vertex) -> Rational {
    let lean = Rational::from(&at.alpha - &at.beta);
    prior * lean + &at.beta
}
