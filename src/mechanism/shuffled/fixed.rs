//! Numbers ≥ 0 known between two whole numbers of units 2^−[`FRACTION`]: many small steps, each rounded outwards.

use rug::{Integer, Rational};

/// Binary digits after the point.
pub(in crate::mechanism) const FRACTION: u32 = 320;

/// A number x ≥ 0 with low ≤ x·2^320 ≤ high.
#[derive(Debug, Clone, Default)]
pub(super) struct Fixed {
    low: Integer,
    high: Integer,
}

/// ⌈n/d⌉ for n ≥ 0.
///
/// Requires: `d > 0`.
pub(super) fn quotient_up(n: Integer, d: &Integer) -> Integer {
    let (quotient, rest) = n.div_rem(d.clone());
    if rest == 0 { quotient } else { quotient + 1u32 }
}

impl Fixed {
    /// 1.
    pub(super) fn one() -> Self {
        let unit = Integer::from(1) << FRACTION;
        Self {
            low: unit.clone(),
            high: unit,
        }
    }

    /// The number in units of 2^−`digits`, rounded down and up.
    ///
    /// Requires: `digits` ≤ 320.
    pub(super) fn halved(&self, digits: u32) -> (Integer, Integer) {
        let unit = Integer::from(1) << FRACTION.saturating_sub(digits);
        (
            Integer::from(&self.low / &unit),
            quotient_up(self.high.clone(), &unit),
        )
    }

    /// A rational number.
    ///
    /// Requires: `x ≥ 0`.
    pub(super) fn of(x: &Rational) -> Self {
        Self::one().times(x.numer(), x.denom())
    }

    /// x·n/d.
    ///
    /// Requires: `n ≥ 0`, `d > 0`.
    #[must_use]
    pub(super) fn times(&self, n: &Integer, d: &Integer) -> Self {
        Self {
            low: Integer::from(&self.low * n) / d,
            high: quotient_up(Integer::from(&self.high * n), d),
        }
    }

    /// x·y.
    #[must_use]
    pub(super) fn mul(&self, other: &Self) -> Self {
        let low = Integer::from(&self.low * &other.low) >> FRACTION;
        let high = Integer::from(&self.high * &other.high);
        let unit = Integer::from(1) << FRACTION;
        Self {
            low,
            high: quotient_up(high, &unit),
        }
    }

    /// x/y; `None` unless y is certainly positive.
    pub(super) fn div(&self, other: &Self) -> Option<Self> {
        if other.low <= 0 {
            return None;
        }
        Some(Self {
            low: (Integer::from(&self.low) << FRACTION) / &other.high,
            high: quotient_up(Integer::from(&self.high) << FRACTION, &other.low),
        })
    }

    /// x + y.
    #[must_use]
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            low: Integer::from(&self.low + &other.low),
            high: Integer::from(&self.high + &other.high),
        }
    }

    /// Adds y.
    pub(super) fn add(&mut self, other: &Self) {
        self.low += &other.low;
        self.high += &other.high;
    }

    /// The same number, and possibly up to y more.
    #[must_use]
    pub(super) fn or_more_by(&self, other: &Self) -> Self {
        Self {
            low: self.low.clone(),
            high: Integer::from(&self.high + &other.high),
        }
    }

    /// Is it below 2^−`digits` times the other one, as far as that can be told?
    pub(super) fn is_negligible_beside(&self, other: &Self, digits: u32) -> bool {
        (Integer::from(&self.high) << digits) <= other.low
    }

    /// About the number, in units; shortened to what comparisons need.
    pub(super) fn units_down(&self) -> Integer {
        self.low.clone()
    }

    /// A rational number that is no larger.
    ///
    /// Ensures: ≤ x.
    pub(super) fn down(&self) -> Rational {
        Rational::from(&self.low) >> FRACTION
    }

    /// A rational number that is no smaller.
    ///
    /// Ensures: ≥ x.
    pub(super) fn up(&self) -> Rational {
        Rational::from(&self.high) >> FRACTION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_surround_the_rational() {
        let q = |n: i64, d: i64| Rational::from((n, d));
        let holds = |x: &Fixed, truth: &Rational| {
            assert!(x.down() <= *truth && x.up() >= *truth);
            assert!(x.up() - x.down() < (Rational::from(1) >> 310u32));
        };
        let (a, b) = (q(22, 7), q(1, 12_345));
        let (x, y) = (Fixed::of(&a), Fixed::of(&b));
        assert!(x.down() < a && x.up() > a);
        holds(&x, &a);
        holds(&x.mul(&y), &Rational::from(&a * &b));
        assert!(x.mul(&y).up() > x.mul(&y).down());
        holds(&x.plus(&y), &Rational::from(&a + &b));
        holds(&y.div(&x).unwrap(), &Rational::from(&b / &a));
        holds(
            &x.times(&Integer::from(5), &Integer::from(3)),
            &Rational::from(&a * &q(5, 3)),
        );
        assert!(Fixed::default().div(&Fixed::default()).is_none());
        // What may be 0 divides nothing.
        let up_to_one = Fixed::default().or_more_by(&Fixed::one());
        assert!(x.div(&up_to_one).is_none());
        assert!(x.or_more_by(&y).up() > Rational::from(&a + &b));
        assert!(x.or_more_by(&y).down() <= a);
    }

    /// Numbers between ends that are far apart: each end of a result is made of those that make it smallest and largest.
    #[test]
    fn wide_numbers() {
        let units = |n: u32| Integer::from(n) << (FRACTION - 4);
        let all = [(3, 5), (7, 7), (1, 40), (16, 17)];
        let of = |(low, high): (u32, u32)| Fixed {
            low: units(low),
            high: units(high),
        };
        let number = |n: u32| Rational::from((n, 16));
        for x in all {
            for y in all {
                let (a, b) = (of(x), of(y));
                for (m, n) in [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)] {
                    let within = |z: &Fixed, truth: Rational| {
                        assert!(z.down() <= truth && truth <= z.up(), "{x:?} {y:?}");
                    };
                    within(&a.div(&b).unwrap(), number(m) / number(n));
                    within(&a.mul(&b), number(m) * number(n));
                    within(&a.or_more_by(&b), number(m) + number(n));
                    within(&a.or_more_by(&b), number(m));
                    for digits in [0, 1, 3] {
                        let is_small = number(m) << digits <= number(n);
                        assert!(is_small || !a.is_negligible_beside(&b, digits));
                    }
                }
                let digits = FRACTION - 2;
                let (low, high) = a.halved(digits);
                assert!(Rational::from(low) >> digits <= number(x.0));
                assert!(Rational::from(high) >> digits >= number(x.1));
                assert!(a.units_down() <= units(x.0));
            }
        }
    }
}
