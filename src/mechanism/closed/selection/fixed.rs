//! Fixed-point numbers for tables: values in [0, 1] as whole multiples of 2^−95, weights as whole multiples of 2^−62.

use rug::{Float, Integer, Rational};

use crate::kernel::Interval;

/// 1, as a value.
pub(super) const ONE: u128 = 1 << VALUE_BITS;
/// Bits of a value.
pub(super) const VALUE_BITS: u32 = 95;
/// 1, as a weight.
pub(super) const WHOLE: u64 = 1 << WEIGHT_BITS;
const WEIGHT_BITS: u32 = 62;

/// At most v·w. Requires: `v ≤ ONE`, `w ≤ WHOLE`.
pub(super) fn times_down(v: u128, w: u64) -> u128 {
    const LOW: u128 = (1 << 32) - 1;
    let w = u128::from(w);
    // v < 2^96 and w < 2^63, so that each product is below 2^127.
    ((v >> 32) * w + (((v & LOW) * w) >> 32)) >> 30
}

/// At least v·w. Requires: `v ≤ ONE`, `w ≤ WHOLE`.
pub(super) fn times_up(v: u128, w: u64) -> u128 {
    if v == 0 || w == 0 {
        return 0;
    }
    times_down(v, w) + 1
}

/// A lower and an upper bound of a number, as weights. `None` if it may be above 1.
pub(super) fn weights(x: &Interval) -> Option<(u64, u64)> {
    let down = scaled(x.lo(), WEIGHT_BITS)?.0;
    let up = scaled(x.hi(), WEIGHT_BITS)?.1;
    let down = down.max(Integer::new()).to_u64()?;
    let up = up.max(Integer::new()).to_u64()?.min(WHOLE);
    (down <= WHOLE && *x.hi() <= 1).then_some((down, up))
}

/// x·2^bits, rounded down and up.
fn scaled(x: &Float, bits: u32) -> Option<(Integer, Integer)> {
    let x = x.to_rational()? << bits;
    Some((
        x.clone().floor().into_numer_denom().0,
        x.ceil().into_numer_denom().0,
    ))
}

/// The number itself.
pub(super) fn value(v: u128) -> Rational {
    Rational::from(v) >> VALUE_BITS
}

/// The mean (1 − q)·b + q·a of numbers of which only bounds are known.
///
/// Requires: a ≥ `a`, b ≥ `b`, q in `q`. Ensures: at most the mean.
pub(super) fn mean_down(a: u128, b: u128, q: (u64, u64)) -> u128 {
    if a >= b {
        b + times_down(a - b, q.0)
    } else {
        a + times_down(b - a, WHOLE - q.1)
    }
}

/// The same from above. Requires: a ≤ `a`, b ≤ `b`, q in `q`.
pub(super) fn mean_up(a: u128, b: u128, q: (u64, u64)) -> u128 {
    if a >= b {
        b + times_up(a - b, q.1)
    } else {
        a + times_up(b - a, WHOLE - q.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ends of weights that are no whole numbers, or beyond 0 and 1.
    #[test]
    fn weights_enclose() {
        let unit = |x: &Rational| Float::with_val(100, x) >> WEIGHT_BITS;
        let (low, high) = (Rational::from((5, 4)), Rational::from((27, 8)));
        let found = weights(&Interval::spanning(unit(&low), unit(&high)));
        assert_eq!(found, Some((1, 4)));
        let below = Rational::from(-3);
        let found = weights(&Interval::spanning(unit(&below), unit(&high)));
        assert_eq!(found, Some((0, 4)));
        let one = Float::with_val(100, 1);
        let less = Float::with_val(100, &one - unit(&Rational::from((1, 4))));
        let found = weights(&Interval::spanning(unit(&low), less));
        assert_eq!(found, Some((1, WHOLE)));
        let more = Float::with_val(100, &one + unit(&Rational::from((1, 4))));
        assert_eq!(weights(&Interval::spanning(unit(&low), more)), None);
    }

    proptest! {
        #[test]
        fn products_and_means_enclose(a in 0..=ONE, b in 0..=ONE, q in 0..=WHOLE, r in 0..=WHOLE) {
            let weight = |w: u64| Rational::from(w) >> WEIGHT_BITS;
            let exact = value(a) * weight(q);
            prop_assert!(value(times_down(a, q)) <= exact && exact <= value(times_up(a, q)));
            prop_assert!(times_up(a, q) - times_down(a, q) <= 1);
            let ends = (q.min(r), q.max(r));
            for w in [q, r] {
                let exact = value(b) * (1 - weight(w)) + value(a) * weight(w);
                prop_assert!(value(mean_down(a, b, ends)) <= exact);
                prop_assert!(exact <= value(mean_up(a, b, ends)));
            }
        }
    }

    /// However small, a product is rounded up to a unit at least, unless it is 0.
    #[test]
    fn units_of_small_products() {
        assert_eq!(
            [times_up(1, 1), times_up(1, WHOLE), times_up(2, 1)],
            [1, 2, 1]
        );
        assert_eq!(
            [times_up(0, WHOLE), times_up(ONE, 0), times_up(0, 0)],
            [0, 0, 0]
        );
    }
}
