//! Sums Σ c_k·e^{a_k} with rational c_k and a_k: their sign can always be found.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rug::Rational;

use crate::kernel::Interval;

/// Σ c·e^a over the map from a to c ≠ 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExponentialSum(BTreeMap<Rational, Rational>);

impl ExponentialSum {
    /// c·e^a.
    pub(crate) fn term(coefficient: Rational, exponent: Rational) -> Self {
        let mut sum = Self(BTreeMap::new());
        sum.accumulate(coefficient, exponent);
        sum
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (exponent, coefficient) in &other.0 {
            sum.accumulate(Rational::from(-coefficient), exponent.clone());
        }
        sum
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut sum = Self(BTreeMap::new());
        for (a, c) in &self.0 {
            for (b, d) in &other.0 {
                sum.accumulate(Rational::from(c * d), Rational::from(a + b));
            }
        }
        sum
    }

    pub(crate) fn enclose(&self, bits: u32) -> Interval {
        self.0.iter().fold(Interval::zero(bits), |sum, (a, c)| {
            let exponential = Interval::from_rational(a, bits).exp();
            sum.add(&Interval::from_rational(c, bits).mul(&exponential))
        })
    }

    /// The sign. By the theorem of Lindemann and Weierstrass the sum is 0 only if it has no terms, so some precision
    /// decides; `None` beyond a million bits.
    pub(crate) fn sign(&self) -> Option<Ordering> {
        if self.0.is_empty() {
            return Some(Ordering::Equal);
        }
        (7..20).find_map(|power| self.enclose(1 << power).compare(&Rational::new()))
    }

    /// The sum, where it is rational because only e^0 occurs.
    pub(crate) fn rational(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::new()),
            1 => self.0.get(&Rational::new()).cloned(),
            _ => None,
        }
    }

    fn accumulate(&mut self, coefficient: Rational, exponent: Rational) {
        let old = self.0.remove(&exponent).unwrap_or_default();
        let new = old + coefficient;
        if new != 0 {
            self.0.insert(exponent, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(c: (i64, i64), a: (i64, i64)) -> ExponentialSum {
        ExponentialSum::term(Rational::from(c), Rational::from(a))
    }

    #[test]
    fn signs() {
        // (e^{1/2} − 1)(e^{1/2} + 1) = e − 1 exactly.
        let half = term((1, 1), (1, 2));
        let one = term((1, 1), (0, 1));
        let plus = half.minus(&term((-1, 1), (0, 1)));
        let product = half.minus(&one).times(&plus);
        let direct = term((1, 1), (1, 1)).minus(&one);
        assert_eq!(product.minus(&direct).sign(), Some(Ordering::Equal));
        // e against a convergent of its continued fraction with an error of about 1e-19.
        let close = term((1, 1), (1, 1)).minus(&term((6_167_950_454, 2_269_062_139), (0, 1)));
        assert!(close.sign().is_some_and(|s| s != Ordering::Equal));
        assert_eq!(one.minus(&half).sign(), Some(Ordering::Less));
    }
}
