//! Taylor coefficients with interval members: at a point, or enclosing those at every point of a cell.

use crate::kernel::{Interval, normal};

/// Coefficients c_0 … c_n with g(z + t) = Σ c_k t^k + …; each enclosed, for every z of the centre they were made at.
#[derive(Debug, Clone)]
pub(super) struct Series(Vec<Interval>);

impl Series {
    /// value + slope·t.
    pub fn affine(value: Interval, slope: Interval, order: u32) -> Self {
        let zero = Interval::zero(value.bits());
        let rest = (2..=order).map(|_| zero.clone());
        Self([value, slope].into_iter().chain(rest).collect())
    }

    /// e^(ℓ + slope·t), given e^ℓ.
    pub fn exponential(value: Interval, slope: &Interval, order: u32) -> Self {
        let bits = value.bits();
        let mut coefficients = vec![value.clone()];
        let mut last = value;
        for k in 1..=order {
            last = last.mul(slope).div(&Interval::from_i64(i64::from(k), bits));
            coefficients.push(last.clone());
        }
        Self(coefficients)
    }

    /// The standard normal density φ around `centre`: φ' = −zφ gives (k + 1)c_{k+1} = −(z·c_k + c_{k−1}).
    pub fn normal_density(centre: &Interval, order: u32) -> Self {
        let bits = centre.bits();
        let (mut before, mut last) = (Interval::zero(bits), normal::density(centre));
        let mut coefficients = vec![last.clone()];
        for k in 1..=order {
            let next = centre
                .mul(&last)
                .add(&before)
                .neg()
                .div(&Interval::from_i64(i64::from(k), bits));
            before = std::mem::replace(&mut last, next.clone());
            coefficients.push(next);
        }
        Self(coefficients)
    }

    /// log of the series, whose value log c_0 is given: from c·(log c)' = c',
    /// c_0·l_k = c_k − (1/k)·Σ_{0<j<k} j·l_j·c_{k−j}.
    pub fn ln(&self, value: Interval) -> Self {
        let bits = value.bits();
        let Some(first) = self.0.first() else {
            return Self(Vec::new());
        };
        let inverse = first.recip();
        let mut logs = vec![value];
        // j·l_j for j = 1, 2, …
        let mut weighted: Vec<Interval> = Vec::new();
        for (k, coefficient) in (1i64..).zip(self.0.iter().skip(1)) {
            let inner = self.0.iter().take(weighted.len().saturating_add(1)).skip(1);
            let sum = weighted
                .iter()
                .rev()
                .zip(inner)
                .fold(Interval::zero(bits), |sum, (l, c)| sum.add(&l.mul(c)));
            let order = Interval::from_i64(k, bits);
            let next = coefficient.sub(&sum.div(&order)).mul(&inverse);
            weighted.push(next.mul(&order));
            logs.push(next);
        }
        Self(logs)
    }

    /// The value c_0.
    pub fn value(&self) -> Interval {
        self.0
            .first()
            .map_or_else(|| Interval::whole_line(64), Interval::clone)
    }

    /// c·factor.
    #[must_use]
    pub fn scaled(&self, factor: &Interval) -> Self {
        Self(self.0.iter().map(|c| c.mul(factor)).collect())
    }

    /// c + constant.
    #[must_use]
    pub fn plus_constant(&self, constant: &Interval) -> Self {
        let mut coefficients = self.0.clone();
        if let Some(first) = coefficients.first_mut() {
            *first = first.add(constant);
        }
        Self(coefficients)
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let orders = 0..self.0.len().min(other.0.len());
        Self(orders.map(|k| self.product_coefficient(other, k)).collect())
    }

    /// c_k of the product.
    pub fn product_coefficient(&self, other: &Self, k: usize) -> Interval {
        let length = k.saturating_add(1);
        let zero = Interval::zero(self.value().bits());
        if self.0.len() < length || other.0.len() < length {
            return Interval::whole_line(zero.bits());
        }
        let left = self.0.iter().take(length);
        let right = other.0.iter().take(length).rev();
        left.zip(right).fold(zero, |sum, (a, b)| sum.add(&a.mul(b)))
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    fn at(n: i64, d: i64) -> Interval {
        Interval::from_rational(&Rational::from((n, d)), 128)
    }

    /// log(1 + e^x) around 0: log 2, 1/2, 1/8, 0, −1/192.
    #[test]
    fn logarithm_of_known_coefficients() {
        let one = Interval::one(128);
        let series = Series::exponential(one.clone(), &one, 6).plus_constant(&one);
        let log = series.ln(Interval::from_i64(2, 128).ln());
        let known = [
            (1, 1, 2),
            (2, 1, 8),
            (3, 0, 1),
            (4, -1, 192),
            (5, 0, 1),
            (6, 1, 2880),
        ];
        for (k, n, d) in known {
            let truth = Rational::from((n, d));
            assert!(log.0[k].contains(&truth), "{k}");
            assert!(log.0[k].width_up() < 1e-35, "{k}");
        }
    }

    /// φ at 0: the coefficients of e^{−z²/2} over √(2π).
    #[test]
    fn density_of_known_coefficients() {
        let series = Series::normal_density(&Interval::zero(128), 6);
        let scale = series.value().recip();
        for (k, n, d) in [(1, 0, 1), (2, -1, 2), (3, 0, 1), (4, 1, 8), (6, -1, 48)] {
            assert!(
                series.0[k].mul(&scale).contains(&Rational::from((n, d))),
                "{k}"
            );
        }
    }

    /// Coefficients over a cell contain those at a point inside.
    #[test]
    fn a_cell_encloses_its_points() {
        let wide = at(1, 2).hull(&at(3, 4));
        let inside = at(5, 8);
        let both = |x: &Interval| {
            let density = Series::normal_density(x, 12);
            let exponential = Series::exponential(x.exp(), &Interval::one(128), 12);
            let log = exponential.ln(x.clone());
            density.times(&log).times(&exponential)
        };
        for (cell, point) in both(&wide).0.iter().zip(&both(&inside).0) {
            assert!(cell.lo() <= point.lo() && point.hi() <= cell.hi());
        }
    }

    /// (1 + 2t + 3t²)·(5 + 7t): as many coefficients as the shorter one has; what is beyond it is not known.
    #[test]
    fn products_by_hand() {
        let series = |all: &[i64]| Series(all.iter().map(|n| at(*n, 1)).collect());
        let (long, short) = (series(&[1, 2, 3]), series(&[5, 7]));
        for product in [long.times(&short), short.times(&long)] {
            assert_eq!(product.0.len(), 2);
            assert!(product.0[0] == at(5, 1) && product.0[1] == at(17, 1));
        }
        let whole = Interval::whole_line(128);
        assert!(long.product_coefficient(&short, 1) == at(17, 1));
        assert!(long.product_coefficient(&short, 2) == whole);
        assert!(short.product_coefficient(&long, 2) == whole);
        assert!(long.product_coefficient(&long, 2) == at(10, 1));
    }
}
