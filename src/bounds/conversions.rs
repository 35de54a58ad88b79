//! Published conversions of Rényi guarantees to (ε, δ), which lose something: to be printed beside the exact class.
//!
//! The exact curves are those of [`crate::mechanism::renyi_class`].

use rug::Rational;

use crate::kernel::{Interval, Point};

/// δ = e^{(t − 1)(ε(t) − ε)}·(1 − 1/t)^{t−1}/t, at most 1: a guarantee at the order t gives (ε, δ)-DP for every real ε
/// (Canonne, Kamath and Steinke 2020, Proposition 12 of version 4). It forgets that δ counts outcomes of small loss too.
///
/// Requires: `order > 1`, `guarantee ≥ 0`.
pub fn delta_of_rdp(order: &Rational, guarantee: &Rational, at: &Point) -> Interval {
    let bits = at.bits();
    let t = Interval::from_rational(order, bits);
    let less = Interval::from_rational(&Rational::from(order - 1u32), bits);
    let gap = Interval::from_rational(guarantee, bits).sub(at.log());
    // log(1 − 1/t) = log((t − 1)/t).
    let log = gap.add(&less.div(&t).ln()).mul(&less).sub(&t.ln());
    log.exp().in_unit()
}

/// The curve of Gomez et al. 2025, Appendix C.2: at each ε the smallest δ of any order of a grid, by Proposition 12 of
/// Canonne et al. For zCDP the grid has ε(t) = ρt. 1 for an empty grid.
///
/// Requires: orders above 1, guarantees ≥ 0.
pub fn delta_of_rdp_grid(orders: &[(Rational, Rational)], at: &Point) -> Interval {
    orders
        .iter()
        .map(|(order, guarantee)| delta_of_rdp(order, guarantee, at))
        .fold(Interval::one(at.bits()), |least, delta| least.min(&delta))
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::kernel::Profile;
    use crate::mechanism::renyi_class::RenyiClass;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    /// The conversion is weaker than the exact class, and not by much where δ is small.
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
            let by_grid = delta_of_rdp_grid(&grid, &at);
            assert!(by_grid.hi() >= exact.lo(), "{epsilon}");
            if epsilon >= 2 {
                let twice = Float::with_val(128, exact.hi() * 2u32);
                assert!(*by_grid.hi() < twice, "{epsilon}");
            }
        }
    }
}
