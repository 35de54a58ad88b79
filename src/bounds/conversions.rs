//! Published conversions of Rényi guarantees to (ε, δ), which lose something: to be printed beside the exact class.
//!
//! The exact curves are those of [`crate::mechanism::renyi_class`].

use rug::Rational;

use crate::kernel::{Interval, Point};

/// Rényi guarantees at some orders, to be converted to (ε, δ) order by order.
///
/// A guarantee at the order t gives (ε, δ)-DP for every real ε with δ = e^{(t − 1)(ε(t) − ε)}·(1 − 1/t)^{t−1}/t, at most 1 (Canonne,
/// Kamath and Steinke 2020, Proposition 12 of version 4). It forgets that δ counts outcomes of small loss too. The logarithm of this δ
/// is a line in ε, of which only one number has to be computed at each order, whatever the ε that follow.
pub struct RdpGrid {
    bits: u32,
    lines: Vec<Line>,
}

/// log δ = height − slope·ε.
struct Line {
    height: Interval,
    slope: Interval,
}

impl RdpGrid {
    /// These orders with their ε(t), at a precision.
    ///
    /// Requires: orders above 1, guarantees ≥ 0.
    pub fn new(orders: &[(Rational, Rational)], bits: u32) -> Self {
        let lines = orders.iter().map(|(order, guarantee)| {
            let t = Interval::from_rational(order, bits);
            let slope = Interval::from_rational(&Rational::from(order - 1u32), bits);
            let guarantee = Interval::from_rational(guarantee, bits);
            // log(1 − 1/t) = log((t − 1)/t).
            let height = guarantee.add(&slope.div(&t).ln()).mul(&slope).sub(&t.ln());
            Line { height, slope }
        });
        Self {
            bits,
            lines: lines.collect(),
        }
    }

    /// The smallest δ of any order at this ε, at most 1; 1 for an empty grid. The curve of Gomez et al. 2025, Appendix C.2; for zCDP the
    /// grid has ε(t) = ρt.
    pub fn delta(&self, at: &Point) -> Interval {
        // The exponential grows: of the smallest logarithm it is the smallest δ.
        let logs = self.lines.iter().map(|line| line.at(at));
        let least = logs.fold(Interval::zero(self.bits), |least, log| least.min(&log));
        least.exp().in_unit()
    }

    /// The place in the list of an order of about the smallest δ at this ε; `None` for an empty grid.
    pub fn best(&self, at: &Point) -> Option<usize> {
        let mut best: Option<(Interval, usize)> = None;
        for (place, line) in self.lines.iter().enumerate() {
            let log = line.at(at);
            if best.as_ref().is_none_or(|(least, _)| log.lo() < least.lo()) {
                best = Some((log, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// δ of one order at this ε, be it above 1: convex in e^ε, and nowhere below [`Self::delta`]. `None` if there is no such order.
    pub fn delta_of(&self, place: usize, at: &Point) -> Option<Interval> {
        self.lines.get(place).map(|line| line.at(at).exp())
    }
}

impl Line {
    fn at(&self, at: &Point) -> Interval {
        self.height.sub(&self.slope.mul(at.log()))
    }
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
        let converted = RdpGrid::new(&grid, 128);
        for epsilon in [q(-1, 1), q(0, 1), q(1, 2), q(2, 1), q(4, 1)] {
            let at = Point::at_epsilon(&epsilon, 128);
            let exact = class.at(&at).delta;
            let by_grid = converted.delta(&at);
            assert!(by_grid.hi() >= exact.lo(), "{epsilon}");
            if epsilon >= 2 {
                let twice = Float::with_val(128, exact.hi() * 2u32);
                assert!(*by_grid.hi() < twice, "{epsilon}");
            }
        }
    }

    /// Proposition 12 as it is printed, order by order.
    #[test]
    fn lines_are_the_conversion_of_each_order() {
        let grid = [(q(3, 2), q(1, 4)), (q(2, 1), q(2, 5)), (q(17, 1), q(3, 1))];
        let converted = RdpGrid::new(&grid, 128);
        for epsilon in [q(-2, 1), q(0, 1), q(1, 3), q(1, 1), q(5, 1)] {
            let e = epsilon.to_f64();
            let one =
                |t: f64, g: f64| ((t - 1.0) * (g - e)).exp() * (1.0 - 1.0 / t).powf(t - 1.0) / t;
            let orders = grid.iter().map(|(t, g)| one(t.to_f64(), g.to_f64()));
            let least = orders.fold(1.0, f64::min);
            let found = converted.delta(&Point::at_epsilon(&epsilon, 128));
            assert!(
                (found.lo().to_f64() / least - 1.0).abs() < 1e-12,
                "{epsilon}"
            );
            assert!(
                (found.hi().to_f64() / least - 1.0).abs() < 1e-12,
                "{epsilon}"
            );
        }
        // Each order by itself, and the best of them.
        for epsilon in [q(-2, 1), q(1, 3), q(5, 1)] {
            let at = Point::at_epsilon(&epsilon, 128);
            let all = (0..3).map(|place| converted.delta_of(place, &at).unwrap());
            let best = converted.best(&at).unwrap();
            let least = all
                .map(|one| one.lo().to_f64())
                .fold(f64::INFINITY, f64::min);
            let found = converted.delta_of(best, &at).unwrap();
            assert_eq!(found.lo().to_f64(), least);
            assert!(converted.delta(&at).lo().to_f64() <= least.min(1.0));
            assert!(converted.delta_of(3, &at).is_none());
        }
        assert_eq!(
            RdpGrid::new(&[], 64).best(&Point::at_epsilon(&q(1, 1), 64)),
            None
        );
        let nothing = RdpGrid::new(&[], 128).delta(&Point::at_epsilon(&q(1, 1), 128));
        assert!(*nothing.lo() == 1 && *nothing.hi() == 1);
    }
}
