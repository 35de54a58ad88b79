//! Published conversions of Rényi guarantees to (ε, δ), which lose something: to be printed beside the exact class.
//!
//! The exact curves are those of [`crate::mechanism::renyi_class`]. Every number here is rounded to the side on which the
//! published statement stays true.

use rug::{Float, Rational};

use crate::kernel::directed as d;
use crate::kernel::{Interval, Point};

/// ε = ρ + 2√(ρ·log(1/δ)): ρ-zCDP gives (ε, δ)-DP for every δ in (0, 1) (Bun and Steinke 2016, Proposition 1.3).
///
/// Requires: `rho ≥ 0`. For δ ≥ 1 it is 0, for δ ≤ 0 it is +∞ unless ρ = 0.
pub fn epsilon_of_zcdp_up(rho: &Rational, delta: &Rational, bits: u32) -> Float {
    if *rho == 0 || *delta >= 1 {
        return Float::new(bits);
    }
    if *delta <= 0 {
        return d::infinity(bits);
    }
    let rho = Interval::from_rational(rho, bits);
    let log = Interval::from_rational(delta, bits).ln().neg();
    let root = rho.mul(&log).sqrt();
    rho.add(&root).add(&root).hi().clone()
}

/// δ = e^{(t − 1)(ε(t) − ε)}·(1 − 1/t)^{t−1}/t, at most 1: a guarantee at the order t gives (ε, δ)-DP for every real ε
/// (Canonne, Kamath and Steinke 2020, Proposition 12 of version 4). It forgets that δ counts outcomes of small loss too.
///
/// Requires: `order > 1`, `guarantee ≥ 0`.
pub fn delta_of_rdp_up(order: &Rational, guarantee: &Rational, at: &Point) -> Float {
    let bits = at.bits();
    let t = Interval::from_rational(order, bits);
    let less = Interval::from_rational(&Rational::from(order - 1u32), bits);
    let gap = Interval::from_rational(guarantee, bits).sub(at.log());
    // log(1 − 1/t) = log((t − 1)/t).
    let log = gap.add(&less.div(&t).ln()).mul(&less).sub(&t.ln());
    log.exp().in_unit().hi().clone()
}

/// δ = √(1 − e^{−ε(t)}): D_t is at least the Kullback–Leibler divergence, and that bounds the total variation distance
/// (Bretagnolle and Huber 1979), so δ(ε) for ε ≥ 0. Accountants take it where it is smaller than [`delta_of_rdp_up`].
///
/// Requires: `guarantee ≥ 0`, at some order t ≥ 1.
pub fn advantage_of_rdp_up(guarantee: &Rational, bits: u32) -> Float {
    let exponent = Interval::from_rational(&Rational::from(-guarantee), bits);
    exponent.exp_m1().neg().sqrt().in_unit().hi().clone()
}

/// The curve of Gomez et al. 2025, Appendix C.2: at each ε the smallest δ of any order of a grid, by Proposition 12 of
/// Canonne et al. For zCDP the grid has ε(t) = ρt. 1 for an empty grid.
///
/// Requires: orders above 1, guarantees ≥ 0.
pub fn delta_of_rdp_grid_up(orders: &[(Rational, Rational)], at: &Point) -> Float {
    let one = Float::with_val(at.bits(), 1);
    orders
        .iter()
        .map(|(order, guarantee)| delta_of_rdp_up(order, guarantee, at))
        .fold(one, |least, delta| least.min(&delta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Profile;
    use crate::mechanism::renyi_class::RenyiClass;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    /// ρ = 1/2, δ = 1e-5: 0.5 + 2√(0.5·11.5129…).
    #[test]
    fn the_textbook_number() {
        let found = epsilon_of_zcdp_up(&q(1, 2), &q(1, 100_000), 128);
        assert!((found.to_f64() - 5.298_526_016_0).abs() < 1e-3, "{found}");
        assert!(epsilon_of_zcdp_up(&q(1, 2), &q(0, 1), 64).is_infinite());
        assert!(epsilon_of_zcdp_up(&q(0, 1), &q(0, 1), 64) == 0);
        assert!(epsilon_of_zcdp_up(&q(3, 1), &q(1, 1), 64) == 0);
    }

    /// Each conversion is weaker than the exact class, and Proposition 12 not by much where δ is small.
    #[test]
    fn nothing_is_better_than_the_exact_class() {
        let rho = q(1, 2);
        let class = RenyiClass::zcdp(&rho);
        let grid: Vec<(Rational, Rational)> = (1..60)
            .map(|k| q(10 + k * 2, 10))
            .map(|t| (t.clone(), t * &rho))
            .collect();
        for epsilon in [q(-1, 1), q(0, 1), q(1, 2), q(2, 1), q(4, 1)] {
            let at = Point::at_epsilon(&epsilon, 128);
            let exact = class.at(&at).delta;
            let by_grid = delta_of_rdp_grid_up(&grid, &at);
            assert!(by_grid >= *exact.lo(), "{epsilon}");
            if epsilon >= 0 {
                assert!(advantage_of_rdp_up(&q(11, 20), 128) >= *exact.lo());
            }
            if epsilon >= 2 {
                assert!(
                    by_grid < Float::with_val(128, exact.hi() * 2u32),
                    "{epsilon}"
                );
            }
        }
        for delta in [q(1, 10), q(1, 1000), q(1, 1_000_000)] {
            let epsilon = epsilon_of_zcdp_up(&rho, &delta, 128);
            let at = Point::at_epsilon(&epsilon.to_rational().unwrap(), 128);
            assert!(*class.at(&at).delta.hi() <= delta, "{delta}");
        }
    }
}
