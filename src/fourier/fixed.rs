//! Complex numbers in fixed point, for sums of thousands of rotations whose error must be known.

use rug::{Float, Integer};

use super::real::{Real, WORD_SHIFT, Word};
pub(super) use super::turns::root_of_unity;
use crate::kernel::directed as d;
use crate::kernel::normal_fixed::Wide;

/// A real number of magnitude at most 4 in units of 2^−[`FRACTION`].
pub(super) type Fixed = i128;

/// Binary digits after the point.
pub(super) const FRACTION: u32 = 120;
/// 1.
pub(super) const ONE: Fixed = 1 << FRACTION;
/// A product is off by less than 2^−this, as a complex number.
const PRODUCT_DIGITS: u32 = 110;
/// Bits of error bounds.
pub(super) const ERROR_BITS: u32 = 64;

/// A number is split here: both parts of every number that is multiplied fit into a signed word, so that a product of two is one multiplication.
pub(super) const HALF: u32 = FRACTION / 2;
const LOW: i128 = (1 << HALF) - 1;

/// A complex number: its parts have magnitudes at most 4, or less than 2 in few digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Complex<R = Fixed> {
    pub(super) re: R,
    pub(super) im: R,
}

/// a·b of two numbers in halves, rounded down by less than 2 units.
///
/// Requires: |a|, |b| ≤ 4, |a·b| ≤ 4.
/// Ensures: with a = a₁·2^60 + a₀ (0 ≤ a₀ < 2^60), the product in units is a₁b₁ + (a₁b₀ + a₀b₁)/2^60 + a₀b₀/2^120; the
/// last is below a unit and left out, the middle is rounded down. |a₁| ≤ 2^62, so that no term leaves 128 bits.
#[inline]
pub(super) fn product((a1, a0): (i64, i64), (b1, b0): (i64, i64)) -> Fixed {
    let cross = words(a1, b0).wrapping_add(words(a0, b1));
    words(a1, b1).wrapping_add(cross >> HALF)
}

/// a·b, rounded down by less than 2 units.
///
/// Requires: |a|, |b| ≤ 4, |a·b| ≤ 4.
#[inline]
pub(super) fn real_product(a: Fixed, b: Fixed) -> Fixed {
    product(halves(a), halves(b))
}

/// The product of two words, which always fits.
#[inline]
pub(super) fn words(a: i64, b: i64) -> i128 {
    i128::from(a).wrapping_mul(i128::from(b))
}

/// Requires: |x| ≤ 4, or a little more.
#[inline]
pub(super) fn halves(x: Fixed) -> (i64, i64) {
    (word(x >> HALF), word(x & LOW))
}

/// The number from its halves.
#[inline]
pub(super) fn whole((high, low): (i64, i64)) -> Fixed {
    (i128::from(high) << HALF).wrapping_add(i128::from(low))
}

/// Requires: x fits into a word.
#[inline]
pub(super) fn word(x: i128) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = x.to_le_bytes();
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Complex {
    /// In the units of other numbers, rounded down.
    ///
    /// Requires: both parts have magnitudes less than 2.
    #[inline]
    pub(super) fn rounded<R: Real>(self) -> Complex<R> {
        Complex {
            re: R::rounded(self.re),
            im: R::rounded(self.im),
        }
    }
}

impl Complex<Word> {
    /// In many digits.
    pub(super) fn widened(self) -> Complex {
        let wide = |part: Word| i128::from(part) << WORD_SHIFT;
        Complex {
            re: wide(self.re),
            im: wide(self.im),
        }
    }
}

impl<R: Real> Complex<R> {
    pub(super) const ONE: Self = Self {
        re: R::ONE,
        im: R::ZERO,
    };
    pub(super) const ZERO: Self = Self {
        re: R::ZERO,
        im: R::ZERO,
    };

    /// Requires: both numbers have modulus at most 2, or 1 and a small error in few digits.
    /// Ensures: each part is off by at most 4 units, so the number is off by less than 2^−117, and than what [`product_error_up`] says; in few digits it is off by what those say.
    #[inline]
    pub(super) fn times(self, other: Self) -> Self {
        let [re, im] = R::products(
            [self.re.factor(), self.im.factor()],
            [other.re.factor(), other.im.factor()],
        );
        Self { re, im }
    }

    /// Requires: its modulus is at most 2, or 1 and a small error in few digits.
    /// Ensures: as (a + bi)² = (a + b)(a − b) + 2abi, of two products, one of them doubled: each part is off by at most 4 units, so the number is off by less than 2^−117, as by
    /// [`Self::times`]. In few digits |a ± b| ≤ √2 and a little.
    #[inline]
    pub(super) fn squared(self) -> Self {
        let [sum, difference] = [self.re.plus(self.im), self.re.minus(self.im)];
        Self {
            re: R::product(sum.factor(), difference.factor()),
            im: R::twice_product(self.re.factor(), self.im.factor()),
        }
    }

    #[inline]
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            re: self.re.plus(other.re),
            im: self.im.plus(other.im),
        }
    }
}

/// Pairs of a block at most.
const MOST_PAIRS: u32 = 16;
/// Real numbers in a block at most.
pub(super) const LONGEST_BLOCK: u32 = 2 * MOST_PAIRS + 1;

/// z, z², … for the pairs of a block, ready to be multiplied.
pub(super) struct Table<R: Real = Fixed>(Vec<[R::Factor; 2]>);

impl<R: Real> Default for Table<R> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<R: Real> Table<R> {
    /// z^j, j = 1, 2, …
    #[cfg(test)]
    pub(super) fn powers(&self) -> impl Iterator<Item = Complex<R>> {
        let powers = self.0.iter();
        powers.map(|[re, im]| Complex {
            re: R::of(*re),
            im: R::of(*im),
        })
    }

    /// From z, and from the table of a number whose square z is, if there is one: in the place of what it was.
    ///
    /// Requires: both have modulus at most 1, but for a small error.
    pub(super) fn set(&mut self, z: Complex<R>, length: usize, of_root: Option<&Self>) {
        let known = of_root.map(|table| table.0.as_slice()).unwrap_or_default();
        let known = known.iter().skip(1).step_by(2).copied().take(length);
        let Self(powers) = self;
        powers.clear();
        powers.extend(known);
        let at = |powers: &[[R::Factor; 2]], number: usize| {
            let power = powers.get(number.checked_sub(1)?);
            power.map(|[re, im]| Complex {
                re: R::of(*re),
                im: R::of(*im),
            })
        };
        while powers.len() < length {
            let before = powers.len();
            // z^(2j) is the square of z^j.
            let next = match at(powers.as_slice(), before.div_ceil(2)) {
                Some(half) if before % 2 == 1 => half.squared(),
                _ => at(powers.as_slice(), before).map_or(z, |power| power.times(z)),
            };
            powers.push([next.re.factor(), next.im.factor()]);
        }
    }
}

/// Numbers in [0, 1] around one in the middle, to be multiplied by powers of a root: z^j and z^−j are conjugate, so that the real part takes the sum of both numbers and the
/// imaginary part their difference.
pub(super) struct Block<R: Real = Fixed> {
    middle: R,
    /// The sum of a number after the middle and the one before it, and their difference, from the middle on.
    pairs: Vec<[R::Factor; 2]>,
}

/// Where the middle of so many numbers of a block is: what has no counterpart is before it.
pub(super) fn middle(count: usize) -> usize {
    count / 2
}

impl<R: Real> Block<R> {
    /// Requires: no more than [`LONGEST_BLOCK`] numbers in [0, 1], of which no two add up to more than 1, but for some units; in few digits all of them do not.
    pub(super) fn of(numbers: &[Fixed]) -> Self {
        let at = middle(numbers.len());
        let (before, from) = numbers.split_at_checked(at).unwrap_or_default();
        let after = from.iter().skip(1).copied().chain(std::iter::repeat(0));
        let pairs = before.iter().rev().zip(after).map(|(before, after)| {
            let [before, after] = [*before, after].map(R::weight);
            [after.plus(before).factor(), after.minus(before).factor()]
        });
        Self {
            pairs: pairs.collect(),
            middle: R::weight(from.first().copied().unwrap_or(0)),
        }
    }

    /// How many powers it takes.
    pub(super) fn reach(&self) -> usize {
        self.pairs.len()
    }

    /// Σ x_j·z^j, j counted from the middle.
    ///
    /// Requires: the table is as long at least, its powers are of a root; each part of a power has a magnitude of at most 1.25.
    /// Ensures: what [`Real::sums`] does: in many digits each part is off by less than 2 units for each pair, in few by less than one in all.
    #[inline]
    pub(super) fn sum(&self, powers: &Table<R>) -> Complex<R> {
        let [re, im] = R::sums(&self.pairs, &powers.0);
        Complex {
            re: re.plus(self.middle),
            im,
        }
    }
}

/// A number of units; `None` for 2^127 or more.
pub(super) fn of_wide(units: Wide) -> Option<Fixed> {
    let Wide([low, high, top]) = units;
    let whole = (u128::from(high) << 64u32) | u128::from(low);
    i128::try_from(whole).ok().filter(|_| top == 0)
}

/// The number of units as a real number.
pub(super) fn to_float(x: Fixed, bits: u32) -> Float {
    // 128 bits hold every number of units.
    Float::with_val(bits.max(128), Integer::from(x)) >> FRACTION
}

/// What a product adds to the error.
pub(super) fn product_error_up() -> Float {
    Float::with_val(ERROR_BITS, 1) >> PRODUCT_DIGITS
}

/// Error of a product of numbers of modulus at most 1 that are known up to `a` and `b`: ab' + ba' + aa' and the rounding.
pub(super) fn error_of_product_up(a: &Float, b: &Float) -> Float {
    let both = d::mul_up(a, b, ERROR_BITS);
    let sum = d::add_up(&d::add_up(a, b, ERROR_BITS), &both, ERROR_BITS);
    d::add_up(&sum, &product_error_up(), ERROR_BITS)
}

/// z^n, and its error where z has modulus at most 1 and is known up to `error`.
///
/// Ensures: the true power is within the error returned; `None` where that is not small.
pub(super) fn power<R: Real>(z: Complex<R>, n: u64) -> Complex<R> {
    let mut power = Complex::ONE;
    for digit in digits(n) {
        power = power.squared();
        if digit {
            power = power.times(z);
        }
    }
    power
}

/// What [`power`] makes of an error.
pub(super) fn error_of_power_up(error: &Float, n: u64) -> Float {
    let mut total = Float::new(ERROR_BITS);
    for digit in digits(n) {
        total = error_of_product_up(&total, &total);
        if digit {
            total = error_of_product_up(&total, error);
        }
    }
    total
}

/// Binary digits from the highest on.
fn digits(n: u64) -> impl Iterator<Item = bool> {
    let count = u64::BITS.saturating_sub(n.leading_zeros());
    (0..count).rev().map(move |digit| (n >> digit) & 1 == 1)
}

/// The bound of [`root_of_unity`].
pub(super) fn root_error_up() -> Float {
    Float::with_val(ERROR_BITS, 1) >> 115u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};
    use proptest::prelude::*;
    use rug::Rational;

    fn exact(x: Fixed) -> Rational {
        Rational::from((Integer::from(x), Integer::from(1) << FRACTION))
    }

    /// Powers that are taken over are those that would be made.
    #[test]
    fn tables_from_those_of_roots() {
        for k in 1..60 {
            let (root, square) = (root_of_unity(k, 301), root_of_unity(2 * k, 301));
            for (length, of_root) in [(16, 16), (16, 3), (5, 16), (0, 16), (7, 0)] {
                let mut root_table = Table::<Fixed>::default();
                root_table.set(root, of_root, None);
                // What was there before is gone.
                let mut found = Table::<Fixed>(vec![[(1, 2), (3, 4)]; 20]);
                found.set(square, length, Some(&root_table));
                let mut truth = Table::<Fixed>::default();
                truth.set(square, length, None);
                assert_eq!(found.0.len(), length);
                for (found, truth) in found.0.iter().flatten().zip(truth.0.iter().flatten()) {
                    let gap = whole(*found) - whole(*truth);
                    assert!(gap.unsigned_abs() < 1 << 12, "{gap}");
                }
            }
        }
    }

    #[test]
    fn units_that_fit() {
        assert_eq!(of_wide(Wide([7, 1, 0])), Some((1 << 64) + 7));
        assert_eq!(of_wide(Wide([u64::MAX, u64::MAX >> 1, 0])), Some(i128::MAX));
        assert_eq!(of_wide(Wide([0, 1 << 63, 0])), None);
        assert_eq!(of_wide(Wide([0, 0, 1])), None);
    }

    fn unit() -> impl Strategy<Value = Fixed> {
        prop_oneof![
            -2 * ONE..=2 * ONE,
            -1000i128..1000,
            Just(ONE),
            Just(-ONE),
            Just(2 * ONE - 1)
        ]
    }

    #[test]
    fn errors_of_products_at_few_bits() {
        let mut random = Random(31);
        for _ in 0..3000 {
            // As large as 1, or as a product's own.
            let mut error = || {
                let digits = [0u32, 4, PRODUCT_DIGITS][usize::try_from(random.below(3)).unwrap()];
                Float::with_val(ERROR_BITS, random.below(32)) >> digits.saturating_add(1)
            };
            let (a, b) = (error(), error());
            let real = |x: &Float| x.to_rational().unwrap();
            let own = Rational::from((1, Integer::from(1) << PRODUCT_DIGITS));
            let truth = real(&a) + real(&b) + real(&a) * real(&b) + own;
            for bits in [2, 3, 4, 5, 7, 64] {
                let found = at_most_bits(bits, || error_of_product_up(&a, &b));
                assert!(found >= truth, "{a} {b} at {bits} bits: {found}");
            }
        }
    }

    /// All but the product of both is exact in 60 bits, and that is a little above a unit of the sum.
    #[test]
    fn products_of_errors_count() {
        let power = |n: u32| Float::with_val(200, 1) >> n;
        let a = (Float::with_val(200, 1.25) - power(70)) >> 56u32;
        let b = (Float::with_val(200, 1) + power(70)) >> 56u32;
        let truth = Float::with_val(400, &a * &b) + &a + &b + product_error_up();
        for bits in [58, 59, 60, 61, 62, 64] {
            let found = at_most_bits(bits, || error_of_product_up(&a, &b));
            assert!(found >= truth, "{bits} bits: {found} {truth}");
        }
    }

    #[test]
    fn units_keep_all_their_digits() {
        for x in [ONE - 1, 1 - 2 * ONE, 4 * ONE - 3, 1, 0] {
            for bits in [8, 64, 128, 200] {
                assert_eq!(to_float(x, bits), exact(x), "{x} {bits}");
            }
        }
    }

    proptest! {
        #[test]
        fn squares_are_off_by_as_little_as_said(re in unit(), im in unit()) {
            // Of modulus at most 2.
            let [re, im] = [re / 2, im / 2];
            let found = Complex { re, im }.squared();
            let truth = [exact(re) * exact(re) - exact(im) * exact(im), exact(re) * exact(im) * 2];
            for (truth, found) in truth.into_iter().zip([found.re, found.im]) {
                let gap = (truth - exact(found)) * (Integer::from(1) << FRACTION);
                prop_assert!((0..4).contains(&gap));
            }
        }

        #[test]
        fn products_are_off_by_as_little_as_said(a in unit(), b in unit()) {
            let gap = exact(a) * exact(b) - exact(product(halves(a), halves(b)));
            prop_assert!(gap >= 0 && gap * (Integer::from(1) << FRACTION) < 2);
        }

        /// Also of the largest numbers that there are.
        #[test]
        fn blocks_are_off_by_as_little_as_said(
            numbers in prop::collection::vec(prop_oneof![0i128..=ONE, Just(ONE), Just(ONE / 2), Just(0)], 1..=33),
            parts in prop::collection::vec(prop_oneof![-ONE - 1000..=ONE + 1000, Just(ONE), Just(-ONE), Just(ONE / 4 * 5), Just(-ONE / 4 * 5)], 32),
        ) {
            // No two add up to more than 1.
            let count = numbers.len();
            let at = middle(count);
            let numbers: Vec<Fixed> = (0..count).map(|i| {
                let other = (2 * at).checked_sub(i).filter(|other| *other < count && *other != i);
                match other {
                    Some(other) if numbers[i] + numbers[other] > ONE => numbers[i] / 2,
                    _ => numbers[i],
                }
            }).collect();
            let pairs: Vec<[Fixed; 2]> = parts.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
            let powers = Table::<Fixed>(pairs.iter().map(|pair| pair.map(halves)).collect());
            let block = Block::<Fixed>::of(&numbers);
            prop_assert!(block.reach() == at && at <= 16);
            let found = block.sum(&powers);
            let mut truth = [exact(numbers[at]), Rational::new()];
            for (i, number) in numbers.iter().enumerate() {
                if i == at {
                    continue;
                }
                let [re, im] = pairs[i.abs_diff(at) - 1].map(exact);
                let im = if i < at { -im } else { im };
                truth[0] += exact(*number) * re;
                truth[1] += exact(*number) * im;
            }
            for (truth, found) in truth.iter().zip([found.re, found.im]) {
                let gap = (truth - exact(found)) * (Integer::from(1) << FRACTION);
                prop_assert!(gap >= 0 && (gap < 2 * at || gap == 0));
            }
        }

        #[test]
        fn powers_are_within_their_error(k in 0u64..1000, n in 1u64..1 << 40) {
            let z = root_of_unity(k, 1000);
            let found = power(z, n);
            let truth = root_of_unity(u64::try_from(u128::from(k) * u128::from(n) % 1000).unwrap(), 1000);
            let error = error_of_power_up(&root_error_up(), n);
            let gap = |a: Fixed, b: Fixed| Float::with_val(64, to_float(a - b, 128)).abs();
            prop_assert!(gap(found.re, truth.re) <= error, "{error}");
            prop_assert!(gap(found.im, truth.im) <= error, "{error}");
            prop_assert!(error < Float::with_val(64, n) >> 105);
        }
    }
}
