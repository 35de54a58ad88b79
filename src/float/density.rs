//! Densities on the attacker's prior π that the record is absent.

use super::curve::odds;
use super::elementary::{exp, ln, ln_1p, ln_beta, powi};
use super::real::nearest;
use crate::mechanism::{Prior, PriorShape};

/// A density on [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub enum Density {
    /// 1.
    Uniform,
    /// 12(π − ½)².
    UQuadratic,
    /// Beta(a, b), normalised; a, b > 0. Jeffreys' prior is Beta(½, ½).
    Beta {
        /// First shape.
        a: f64,
        /// Second shape.
        b: f64,
    },
    /// Linear between (π, density) points of increasing π, 0 outside.
    Table(Vec<(f64, f64)>),
}

impl Density {
    /// The density of a query.
    pub fn of(prior: &Prior) -> Self {
        match prior.shape() {
            PriorShape::Uniform => Self::Uniform,
            PriorShape::UQuadratic => Self::UQuadratic,
            PriorShape::Beta { a, b } => Self::Beta {
                a: nearest(a),
                b: nearest(b),
            },
            PriorShape::Table(points) => {
                let point = |(x, y): &(rug::Rational, rug::Rational)| (nearest(x), nearest(y));
                Self::Table(points.iter().map(point).collect())
            }
        }
    }

    /// The density at log-odds ε = log(π/(1 − π)).
    pub(super) fn at(&self, epsilon: f64) -> f64 {
        let (absent, present) = odds(epsilon);
        match self {
            Self::Uniform => 1.0,
            Self::UQuadratic => 3.0 * powi(absent - present, 2),
            Self::Beta { a, b } => {
                // Logarithms of π and 1 − π that do not vanish.
                let log_of = |e: f64| {
                    if e > 0.0 {
                        -ln_1p(exp(-e))
                    } else {
                        e - ln_1p(exp(e))
                    }
                };
                exp((a - 1.0) * log_of(epsilon) + (b - 1.0) * log_of(-epsilon) - ln_beta(*a, *b))
            }
            Self::Table(points) => {
                let right = points.partition_point(|(prior, _)| *prior < absent);
                match (
                    right.checked_sub(1).and_then(|i| points.get(i)),
                    points.get(right),
                ) {
                    (Some((a, f)), Some((b, g))) => f + (g - f) * (absent - a) / (b - a),
                    (None, Some((b, g))) if *b <= absent => *g,
                    _ => 0.0,
                }
            }
        }
    }

    /// Log-odds at which it has corners.
    pub(super) fn corners(&self) -> Vec<f64> {
        match self {
            Self::Table(points) => points
                .iter()
                .filter(|(prior, _)| *prior > 0.0 && *prior < 1.0)
                .map(|(prior, _)| ln(prior / (1.0 - prior)))
                .collect(),
            _ => Vec::new(),
        }
    }
}
