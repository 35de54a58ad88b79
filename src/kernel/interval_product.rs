//! Products of intervals.

use rug::Float;

use super::Interval;
use crate::kernel::directed::{self as d, Pick};

impl Interval {
    /// a·b. An infinite end times zero counts as zero: it is the limit of finite bounds.
    ///
    /// The least and the largest of the four products of ends; the signs tell which they are, but where both factors may have either.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        use Sign::{Either, Negative, Positive};
        let bits = self.bits().max(other.bits());
        let (a, b, c, d) = (&self.lo, &self.hi, &other.lo, &other.hi);
        let (least, most) = match (self.sign(), other.sign()) {
            (Positive, Positive) => ((a, c), (b, d)),
            (Positive, Either) => ((b, c), (b, d)),
            (Positive, Negative) => ((b, c), (a, d)),
            (Either, Positive) => ((a, d), (b, d)),
            (Either, Negative) => ((b, c), (a, c)),
            (Negative, Positive) => ((a, d), (b, c)),
            (Negative, Either) => ((a, d), (a, c)),
            (Negative, Negative) => ((b, d), (a, c)),
            (Either, Either) => {
                let other_least = mul_ends_down(b, c, bits);
                let other_most = mul_ends_up(b, d, bits);
                return Self {
                    lo: mul_ends_down(a, d, bits).smaller(&other_least),
                    hi: mul_ends_up(a, c, bits).larger(&other_most),
                };
            }
        };
        Self {
            lo: mul_ends_down(least.0, least.1, bits),
            hi: mul_ends_up(most.0, most.1, bits),
        }
    }

    /// The sign of all members.
    fn sign(&self) -> Sign {
        if self.lo.is_sign_positive() || self.lo.is_zero() {
            Sign::Positive
        } else if self.hi.is_sign_negative() || self.hi.is_zero() {
            Sign::Negative
        } else {
            Sign::Either
        }
    }
}

/// What is known of the sign of a number.
enum Sign {
    /// It is at least 0.
    Positive,
    /// It is at most 0.
    Negative,
    /// Nothing.
    Either,
}

fn mul_ends_down(a: &Float, b: &Float, bits: u32) -> Float {
    if a.is_zero() || b.is_zero() {
        Float::new(bits)
    } else {
        d::mul_down(a, b, bits)
    }
}

fn mul_ends_up(a: &Float, b: &Float, bits: u32) -> Float {
    if a.is_zero() || b.is_zero() {
        Float::new(bits)
    } else {
        d::mul_up(a, b, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    /// The least and the largest of all four products of ends, bit by bit, whatever the signs, with zeros and infinities.
    #[test]
    fn products_are_the_extremes_of_all_four() {
        let mut random = Random(91);
        let end = |random: &mut Random| match random.below(8) {
            0 => Float::new(9),
            1 => d::infinity(9),
            2 => d::neg_infinity(9),
            3 => -Float::new(9),
            _ => random.float(9),
        };
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..20_000 {
            let mut interval = || Interval::spanning(end(&mut random), end(&mut random));
            let (x, y) = (interval(), interval());
            let bits = 2 + u32::try_from(random.below(20)).unwrap();
            let (found, least, most) = at_most_bits(bits, || {
                let ends = [
                    (&x.lo, &y.lo),
                    (&x.lo, &y.hi),
                    (&x.hi, &y.lo),
                    (&x.hi, &y.hi),
                ];
                let down = ends.map(|(a, b)| mul_ends_down(a, b, 9));
                let up = ends.map(|(a, b)| mul_ends_up(a, b, 9));
                let least = down.into_iter().reduce(|a, b| a.smaller(&b)).unwrap();
                let most = up.into_iter().reduce(|a, b| a.larger(&b)).unwrap();
                (x.mul(&y), least, most)
            });
            assert!(
                *found.lo() == least && *found.hi() == most,
                "{x:?} {y:?} {found:?}"
            );
            let sign = |x: &Interval| (x.lo < 0, x.hi < 0, x.lo == 0, x.hi == 0);
            seen.insert((sign(&x), sign(&y)));
        }
        // Positive, negative or either, with and without an end at 0.
        assert_eq!(seen.len(), 36, "{seen:?}");
    }
}
