//! Real numbers in fixed point, of many digits or of few, and what complex numbers need of them.

use rug::Float;

use super::fixed::{self, ERROR_BITS, FRACTION, Fixed};

/// A real number in fixed point: a [`Fixed`], or a [`Word`] of few digits that is multiplied in a third of the time.
pub(super) trait Real: Copy + PartialEq + std::fmt::Debug + Send + Sync {
    /// The number, ready to be multiplied.
    type Factor: Copy + Send + Sync;

    const ZERO: Self;
    const ONE: Self;
    /// Are even powers of a root taken over as those of its square? Their errors are then those of as many roots.
    const TAKES_OVER: bool;

    /// The number in its own units, rounded down.
    ///
    /// Requires: its magnitude is less than 2.
    fn rounded(x: Fixed) -> Self;
    /// A weight, rounded to the next number.
    fn weight(x: Fixed) -> Self;
    fn factor(self) -> Self::Factor;
    /// The number of a factor.
    fn of(factor: Self::Factor) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;

    /// ab.
    fn product(a: Self::Factor, b: Self::Factor) -> Self;
    /// 2ab.
    fn twice_product(a: Self::Factor, b: Self::Factor) -> Self;
    /// (a + bi)(c + di) in its parts.
    fn products(ab: [Self::Factor; 2], cd: [Self::Factor; 2]) -> [Self; 2];
    /// Σ xc and Σ yd over pairs x, y and powers c + di.
    fn sums(pairs: &[[Self::Factor; 2]], powers: &[[Self::Factor; 2]]) -> [Self; 2];
}

impl Real for Fixed {
    type Factor = (i64, i64);

    const ZERO: Self = 0;
    const ONE: Self = fixed::ONE;
    const TAKES_OVER: bool = true;

    #[inline]
    fn rounded(x: Fixed) -> Self {
        x
    }

    #[inline]
    fn weight(x: Fixed) -> Self {
        x
    }

    #[inline]
    fn factor(self) -> Self::Factor {
        fixed::halves(self)
    }

    #[inline]
    fn of(factor: Self::Factor) -> Self {
        fixed::whole(factor)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline]
    fn product(a: Self::Factor, b: Self::Factor) -> Self {
        fixed::product(a, b)
    }

    #[inline]
    fn twice_product(a: Self::Factor, b: Self::Factor) -> Self {
        fixed::product(a, b) << 1u32
    }

    /// Ensures: each part is a difference or sum of two products, off by at most 2·2 units.
    #[inline]
    fn products([a, b]: [Self::Factor; 2], [c, d]: [Self::Factor; 2]) -> [Self; 2] {
        let product = fixed::product;
        [
            product(a, c).wrapping_sub(product(b, d)),
            product(a, d).wrapping_add(product(b, c)),
        ]
    }

    /// Ensures: as [`fixed::product`] does for each part of each pair, but all that is between units is rounded down at once: each part is off by less
    /// than 2 units for each pair. With |a₁| ≤ 2^60 and a little, |b₁| ≤ 1.25·2^60 and 0 ≤ a₀, b₀ < 2^60 the 16 middle terms are below 16·2.5·2^120 < 2^126 in all, and the
    /// highest ones at most 16·1.5·2^120 < 2^125.
    #[inline]
    fn sums(pairs: &[[Self::Factor; 2]], powers: &[[Self::Factor; 2]]) -> [Self; 2] {
        let words = fixed::words;
        let (mut re, mut im) = (0i128, 0i128);
        let (mut re_cross, mut im_cross) = (0i128, 0i128);
        for (pair, power) in pairs.iter().zip(powers) {
            let [(a1, a0), (c1, c0)] = *pair;
            let [(b1, b0), (d1, d0)] = *power;
            re = re.wrapping_add(words(a1, b1));
            re_cross = re_cross.wrapping_add(words(a1, b0));
            re_cross = re_cross.wrapping_add(words(a0, b1));
            im = im.wrapping_add(words(c1, d1));
            im_cross = im_cross.wrapping_add(words(c1, d0));
            im_cross = im_cross.wrapping_add(words(c0, d1));
        }
        [
            re.wrapping_add(re_cross >> fixed::HALF),
            im.wrapping_add(im_cross >> fixed::HALF),
        ]
    }
}

/// A real number of magnitude less than 2 in units of 2^−[`WORD_FRACTION`].
pub(super) type Word = i64;

/// Binary digits of a word after the point.
pub(super) const WORD_FRACTION: u32 = 62;
/// So many digits more have those of many.
pub(super) const WORD_SHIFT: u32 = FRACTION - WORD_FRACTION;

/// √2 units of a word, and a little: 1.5 of them.
pub(super) fn word_error_up() -> Float {
    Float::with_val(ERROR_BITS, 1.5) >> WORD_FRACTION
}

/// Half a unit of a word, and a little: the error of a weight that was off by [`weight_error_up`](super::tilted::weight_error_up).
pub(super) fn word_weight_error_up() -> Float {
    Float::with_val(ERROR_BITS, 0.5625) >> WORD_FRACTION
}

/// What is added up is rounded down once, by less than a unit, so that a complex number is off by less than √2 of them.
///
/// Products of two words are exact, and sums of two of them of numbers of modulus at most 1, but for a small error, are far below 2^127.
impl Real for Word {
    type Factor = i64;

    const ZERO: Self = 0;
    const ONE: Self = 1 << WORD_FRACTION;
    const TAKES_OVER: bool = false;

    #[inline]
    fn rounded(x: Fixed) -> Self {
        fixed::word(x >> WORD_SHIFT)
    }

    #[inline]
    fn weight(x: Fixed) -> Self {
        let half = 1i128 << WORD_SHIFT.saturating_sub(1);
        fixed::word(x.wrapping_add(half) >> WORD_SHIFT)
    }

    #[inline]
    fn factor(self) -> i64 {
        self
    }

    #[inline]
    fn of(factor: i64) -> Self {
        factor
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline]
    fn product(a: i64, b: i64) -> Self {
        fixed::word(fixed::words(a, b) >> WORD_FRACTION)
    }

    #[inline]
    fn twice_product(a: i64, b: i64) -> Self {
        fixed::word(fixed::words(a, b) >> (WORD_FRACTION - 1))
    }

    #[inline]
    fn products([a, b]: [i64; 2], [c, d]: [i64; 2]) -> [Self; 2] {
        let words = fixed::words;
        let re = words(a, c).wrapping_sub(words(b, d));
        let im = words(a, d).wrapping_add(words(b, c));
        [re, im].map(|part| fixed::word(part >> WORD_FRACTION))
    }

    /// Requires: the magnitudes of the x, and of the y, add up to 1, but for some units, and each part of a power has a magnitude of at most 1.25.
    #[inline]
    fn sums(pairs: &[[i64; 2]], powers: &[[i64; 2]]) -> [Self; 2] {
        let (mut re, mut im) = (0i128, 0i128);
        for ([x, y], [c, d]) in pairs.iter().zip(powers) {
            re = re.wrapping_add(fixed::words(*x, *c));
            im = im.wrapping_add(fixed::words(*y, *d));
        }
        [re, im].map(|part| fixed::word(part >> WORD_FRACTION))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::{Integer, Rational};

    use super::super::fixed::Complex;
    use super::*;

    fn exact(x: Word) -> Rational {
        Rational::from((Integer::from(x), Integer::from(1) << WORD_FRACTION))
    }

    /// A number of modulus at most 1: some are 1, or next to it.
    fn unit() -> impl Strategy<Value = Complex<Word>> {
        let angle = prop_oneof![
            0u64..1 << 40,
            Just(0),
            Just(1 << 38),
            Just(1 << 37),
            0u64..9
        ];
        let scale = prop_oneof![Just(1i64), Just(1), 1i64..1000];
        (angle, scale).prop_map(|(k, scale)| {
            let root = fixed::root_of_unity(k, 1 << 40).rounded::<Word>();
            Complex {
                re: root.re / scale,
                im: root.im / scale,
            }
        })
    }

    fn off(found: Complex<Word>, [re, im]: [Rational; 2]) -> Rational {
        let [re, im] = [re - exact(found.re), im - exact(found.im)];
        re.square() + im.square()
    }

    fn allowed() -> Rational {
        word_error_up().to_rational().unwrap().square()
    }

    proptest! {
        #[test]
        fn products_of_words_are_off_by_as_little_as_said(a in unit(), b in unit()) {
            let [x, y, c, d] = [a.re, a.im, b.re, b.im].map(exact);
            let re = Rational::from(&x * &c) - Rational::from(&y * &d);
            let im = Rational::from(&x * &d) + Rational::from(&y * &c);
            prop_assert!(off(a.times(b), [re, im]) < allowed());
            let re = Rational::from(&x * &x) - Rational::from(&y * &y);
            let im = x * y * 2u32;
            prop_assert!(off(a.squared(), [re, im]) < allowed());
        }

        #[test]
        fn sums_of_words_are_rounded_once(
            pairs in prop::collection::vec((0i64..=1 << 58, -(1i64 << 58)..=1 << 58), 0..=16),
            powers in prop::collection::vec(unit(), 16),
        ) {
            let pairs: Vec<[Word; 2]> = pairs.into_iter().map(|(x, y)| [x, y]).collect();
            let powers: Vec<[Word; 2]> = powers.into_iter().map(|z| [z.re, z.im]).collect();
            let [re, im] = Word::sums(&pairs, &powers);
            let sum = |part: usize| -> Rational {
                let terms = pairs.iter().zip(&powers);
                terms.map(|(x, z)| exact(x[part]) * exact(z[part])).sum()
            };
            let found = Complex { re, im };
            prop_assert!(off(found, [sum(0), sum(1)]) < allowed());
        }

        #[test]
        fn numbers_are_rounded_to_words(x in -fixed::ONE..=fixed::ONE, y in -fixed::ONE..=fixed::ONE) {
            let real = |x: Fixed| Rational::from((Integer::from(x), Integer::from(1) << FRACTION));
            let unit = Rational::from((1, Integer::from(1) << WORD_FRACTION));
            let gap = real(x) - exact(Word::rounded(x));
            prop_assert!(gap >= 0 && gap < unit);
            // Also of a weight that was off.
            let gap = (real(x) - exact(Word::weight(x))).abs();
            let before = super::super::tilted::weight_error_up().to_rational().unwrap();
            prop_assert!(gap + before < word_weight_error_up().to_rational().unwrap());
            let root = fixed::root_error_up().to_rational().unwrap();
            let found = Complex { re: x, im: y };
            let back = found.rounded::<Word>().widened();
            prop_assert!(back.re <= x && back.im <= y);
            let gap = off(found.rounded(), [real(x), real(y)]);
            let most = word_error_up().to_rational().unwrap() - root;
            prop_assert!(gap < most.square());
        }
    }
}
