//! Φ⁻¹ by Newton's iteration in several hundred bits, started by `statrs` and bracketed afterwards.

use dpcmp::kernel::Pick;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rug::ops::Pow;
use rug::{Float, float::Constant};
use statrs::distribution::{ContinuousCDF, Normal};

use super::curve::Polygon;
use super::to_rug;

const BITS: u32 = 600;
/// Bound on the error of what this file returns; enclosures under test resolve at most 2^−400.
pub const ERROR: f64 = 1e-130;

/// z(p) = Φ⁻¹(1 − p) for 0 < p < 1.
pub fn z(p: &BigRational) -> Float {
    let half = BigRational::new(1.into(), 2.into());
    if *p > half {
        return -z(&(BigRational::one() - p));
    }
    let p = Float::with_val(BITS, &to_rug(p));
    let start = Normal::new(0.0, 1.0)
        .unwrap()
        .inverse_cdf(p.to_f64().max(1e-300));
    let mut x = Float::with_val(BITS, -start);
    for _ in 0..60 {
        // x ↦ log Q(x) is concave and Newton's iteration on it converges from anywhere.
        let tail = survival(&x);
        let ratio = Float::with_val(BITS, &tail / &p).ln();
        let step = ratio * &tail / density(&x);
        x += &step;
        if step.abs() < 1e-150 {
            break;
        }
    }
    let beside = |shift: f64| survival(&Float::with_val(BITS, &x + shift));
    assert!(
        beside(-ERROR / 4.0) > p && beside(ERROR / 4.0) < p,
        "Φ⁻¹ did not converge"
    );
    x
}

fn survival(x: &Float) -> Float {
    let root = Float::with_val(BITS, 2).sqrt();
    Float::with_val(BITS, x / root).erfc() / 2u32
}

fn density(x: &Float) -> Float {
    let square = Float::with_val(BITS, x.pow(2u32));
    let pi = Float::with_val(BITS, Constant::Pi);
    Float::with_val(BITS, -(square / 2u32)).exp() / (pi * 2u32).sqrt()
}

/// The μ that a point (α, β) asks for: z(α) + z(β); `None` if it asks for nothing.
fn asked(alpha: &BigRational, beta: &BigRational) -> Option<Float> {
    let one = BigRational::one();
    if *alpha >= one || *beta >= one {
        None
    } else if alpha.is_zero() || beta.is_zero() {
        Some(Float::with_val(BITS, rug::float::Special::Infinity))
    } else {
        Some(z(alpha) + z(beta))
    }
}

fn largest(points: impl Iterator<Item = (BigRational, BigRational)>) -> Float {
    let levels = points.filter_map(|(a, b)| asked(&a, &b));
    levels.fold(Float::new(BITS), |most, mu| most.larger(&mu))
}

/// inf{μ : f(α) ≥ G_μ(α + τ) − τ for all α}: G is convex, so the vertices decide.
pub fn mu_with_tolerance(curve: &Polygon, tau: &BigRational) -> Float {
    largest(curve.0.iter().map(|(a, b)| (a + tau, b + tau)))
}

/// inf{μ : f(α) ≥ G_μ(α) wherever α ≥ e and G_μ(α) ≥ e}.
pub fn mu_above_floor(curve: &Polygon, floor: &BigRational) -> Float {
    if curve.tradeoff(floor) < *floor {
        return largest(std::iter::once((floor.clone(), floor.clone())));
    }
    let ends = [
        (floor.clone(), curve.tradeoff(floor)),
        (curve.inverse(floor), floor.clone()),
    ];
    let inside = curve.0.iter().filter(|(a, b)| a >= floor && b >= floor);
    largest(ends.into_iter().chain(inside.cloned()))
}
