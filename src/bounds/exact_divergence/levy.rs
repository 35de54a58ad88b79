//! The Lévy distance of the distribution functions x ↦ f(1 − x).

use rug::Rational;

use crate::bounds::exact::ExactCurve;

/// A point of a distribution function's graph, its jumps filled in.
struct Step {
    /// x + y, which rises strictly along the graph.
    sum: Rational,
    x: Rational,
}

/// inf{κ ≥ 0 : ∀x F(x − κ) − κ ≤ G(x) ≤ F(x + κ) + κ}. `None` if a curve does not end in (1, 0).
///
/// A line x + y = s meets the graph of F, jumps filled in, in one point, whose x is x_F(s). The point (x + κ, G(x) − κ)
/// is on the line of (x, G(x)), and F(x + κ) ≥ G(x) − κ says that it is not above the graph of F: x_F(s) ≤ x_G(s) + κ.
/// The other half says x_G(s) ≤ x_F(s) + κ, so the distance is max |x_F(s) − x_G(s)|. Both are linear in s between
/// vertices, and equal outside [0, 2], where F and G are 0 or 1.
pub(super) fn distance(a: &ExactCurve, b: &ExactCurve) -> Option<Rational> {
    let (first, second) = (graph(a), graph(b));
    let largest = |steps: &[Step], other: &[Step]| {
        let mut ahead = other;
        let mut largest = Rational::new();
        for step in steps {
            let gap = x_at(&mut ahead, &step.sum)? - &step.x;
            largest = largest.max(gap.abs());
        }
        Some(largest)
    };
    Some(largest(&first, &second)?.max(largest(&second, &first)?))
}

/// The filled graph from (0, 0) to (1, 1): vertices by rising x = 1 − α, then the jump at x = 1 from f(0) to 1.
fn graph(curve: &ExactCurve) -> Vec<Step> {
    let step = |alpha: &Rational, y: &Rational| {
        let x = Rational::from(1 - alpha);
        let sum = Rational::from(&x + y);
        Step { sum, x }
    };
    let mut steps: Vec<Step> = curve
        .vertices()
        .iter()
        .rev()
        .map(|v| step(&v.alpha, &v.beta))
        .collect();
    if curve.vertices().first().is_some_and(|v| v.beta < 1) {
        steps.push(step(&Rational::new(), &Rational::from(1)));
    }
    steps
}

/// x where the graph meets the line x + y = sum. Drops the steps that lie before it; sums must not fall.
fn x_at(ahead: &mut &[Step], sum: &Rational) -> Option<Rational> {
    loop {
        let (before, rest) = ahead.split_first()?;
        if before.sum == *sum {
            return Some(before.x.clone());
        }
        let after = rest.first()?;
        if after.sum > *sum {
            let share =
                Rational::from(sum - &before.sum) / Rational::from(&after.sum - &before.sum);
            return Some(share * Rational::from(&after.x - &before.x) + &before.x);
        }
        *ahead = rest;
    }
}
