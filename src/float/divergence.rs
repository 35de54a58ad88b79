//! Δ-divergences: how much more a Bayesian attacker errs against one mechanism than against another.

use super::curve::{Curve, odds};
use super::density::Density;
use super::search::{maxima, maxima_among, merged};
use crate::mechanism::Orders;

/// A maximum over priors and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// The maximum, at least 0.
    pub value: f64,
    /// The prior π that the record is absent.
    pub prior: f64,
    /// log(π/(1 − π)).
    pub epsilon: f64,
}

/// Δ(A‖B) = max over π of R_A(π) − R_B(π).
pub fn divergence(a: &Curve, b: &Curve) -> Peak {
    weighted_divergence(a, b, &Density::Uniform)
}

/// The larger of Δ(A‖B) and Δ(B‖A): the Lévy distance.
pub fn symmetric_divergence(a: &Curve, b: &Curve) -> Peak {
    let (there, back) = (divergence(a, b), divergence(b, a));
    if there.value >= back.value {
        there
    } else {
        back
    }
}

/// max over π of density(π)·(R_A(π) − R_B(π)).
pub fn weighted_divergence(a: &Curve, b: &Curve, density: &Density) -> Peak {
    let top = tops(a, b, density).into_iter().next();
    let (epsilon, value) = top.unwrap_or((0.0, 0.0));
    Peak {
        value: if value > 0.0 { value } else { 0.0 },
        prior: odds(epsilon).0,
        epsilon,
    }
}

/// The ε where R_A − R_B, and those where R_B − R_A, is locally largest, most promising first: hints for a certified search, of a few digits.
pub fn peaks(a: &Curve, b: &Curve) -> [Vec<f64>; 2] {
    const NARROW: f64 = 1e-6;
    let mut places = merged(&[a.places(), b.places()]);
    // Under both orders of the pair an error is the same at ε and −ε.
    let is_half = [a, b].map(|curve| curve.adjacency.orders()) == [Orders::Both; 2];
    if is_half {
        places.retain(|place| *place >= 0.0);
    }
    let gap = |epsilon: f64| {
        let gap = a.bayes_error_at(epsilon) - b.bayes_error_at(epsilon);
        if gap.is_nan() { 0.0 } else { gap }
    };
    let gaps: Vec<f64> = places.iter().map(|place| gap(*place)).collect();
    [1.0, -1.0].map(|sign| {
        let values: Vec<f64> = gaps.iter().map(|gap| sign * gap).collect();
        let tops = maxima_among(&places, &values, |epsilon| sign * gap(epsilon), NARROW);
        let tops = tops.into_iter().map(|(epsilon, _)| epsilon);
        tops.flat_map(|epsilon| {
            [epsilon, -epsilon]
                .into_iter()
                .take(1 + usize::from(is_half))
        })
        .collect()
    })
}

impl Curve {
    /// Δ(M‖G_μ), the regret of reporting μ; R* for μ = ∞.
    pub fn regret(&self, mu: f64) -> f64 {
        if mu == f64::INFINITY {
            return self.minimax_risk();
        }
        divergence(self, &Self::gaussian(mu)).value
    }

    /// Δ(M‖G_μ*) at the strict μ*.
    pub fn regret_of_strict_mu(&self) -> f64 {
        self.regret(self.strict_mu())
    }
}

fn tops(a: &Curve, b: &Curve, density: &Density) -> Vec<(f64, f64)> {
    let mut places = merged(&[a.places(), b.places()]);
    places.extend(density.corners());
    places.sort_unstable_by(f64::total_cmp);
    maxima(&places, |epsilon| {
        let difference = a.bayes_error_at(epsilon) - b.bayes_error_at(epsilon);
        let value = difference * density.at(epsilon);
        if value.is_nan() { 0.0 } else { value }
    })
}
