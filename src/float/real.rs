//! Rationals to f64, and the normal law in f64.

use super::elementary::{erfc, exp, ln_1p, upper_quantile};

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use rug::{Float, Rational};

/// The nearest f64; beyond its range ±∞, or 0.
pub fn nearest(x: &Rational) -> f64 {
    Float::with_val(53, x).to_f64()
}

/// log x for x > 0, also where x is beyond the range of f64 or next to 1.
pub fn log_of(x: &Rational) -> f64 {
    let close = Rational::from(x - 1);
    if close.clone().abs() < Rational::from((1, 2)) {
        return ln_1p(nearest(&close));
    }
    Float::with_val(64, x).ln().to_f64()
}

/// log(e^a + e^b).
pub(super) fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY {
        return high;
    }
    high + ln_1p(exp(low - high))
}

/// Standard normal density.
pub(super) fn normal_density(x: f64) -> f64 {
    exp(-x * x / 2.0) / TAU.sqrt()
}

/// Φ(−x), accurate far out.
pub fn normal_tail(x: f64) -> f64 {
    erfc(x * FRAC_1_SQRT_2) / 2.0
}

/// Φ⁻¹(p) for p in [0, 1], accurate for small p.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        f64::NEG_INFINITY
    } else if p >= 1.0 {
        f64::INFINITY
    } else if p > 0.5 {
        upper_quantile(1.0 - p)
    } else {
        -upper_quantile(p)
    }
}

/// The x with 1 − Φ(x) = p, as a number to try; `None` where it is beyond f64 or p is no probability.
pub fn survival_place(p: &Float) -> Option<Float> {
    let place = -normal_quantile(p.to_f64());
    place.is_finite().then(|| Float::with_val(53, place))
}

/// Mills' ratio Φ(−x)/φ(x) for x ≥ 0.
pub(crate) fn mills(x: f64) -> f64 {
    if x < 25.0 {
        return normal_tail(x) / normal_density(x);
    }
    (1.0 - mills_defect(x)) / x
}

/// 1 − x·mills(x) for x ≥ 0.
pub(super) fn mills_defect(x: f64) -> f64 {
    if x < 25.0 {
        return 1.0 - x * mills(x);
    }
    let y = 1.0 / (x * x);
    y * (1.0 - y * (3.0 - y * (15.0 - y * 105.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        assert_eq!(nearest(&Rational::from((1, 10))), 0.1);
        let tiny = Rational::from((1, 10)) >> 5000u32;
        assert_eq!(nearest(&tiny), 0.0);
        assert!((log_of(&tiny) + 0.1f64.recip().ln() + 5000.0 * 2f64.ln()).abs() < 1e-9);
        let close = 1 + Rational::from((1, 1u64 << 60));
        assert_eq!(log_of(&close), 2f64.powi(-60));
    }

    /// Both forms of Mills' ratio where they meet, and the quantile against the tail.
    #[test]
    fn normal_law() {
        let direct = normal_tail(24.9) / normal_density(24.9);
        let series = (1.0 - {
            let y: f64 = 1.0 / (24.9 * 24.9);
            y * (1.0 - y * (3.0 - y * (15.0 - y * 105.0)))
        }) / 24.9;
        assert!((direct / series - 1.0).abs() < 1e-10, "{direct} {series}");
        for x in [0.0, 0.5, 3.0, 12.0, 30.0] {
            let back = -normal_quantile(normal_tail(x));
            assert!((back - x).abs() < 1e-9 * (1.0 + x), "{x} {back}");
        }
    }
}
