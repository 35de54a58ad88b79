//! Complex numbers in fixed point, for sums of thousands of rotations whose error must be known.

use rug::{Float, Integer};

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
const HALF: u32 = FRACTION / 2;
const LOW: i128 = (1 << HALF) - 1;

/// A complex number whose parts have magnitudes at most 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Complex {
    pub(super) re: Fixed,
    pub(super) im: Fixed,
}

/// a·b of two numbers in halves, rounded down by less than 2 units.
///
/// Requires: |a|, |b| ≤ 4, |a·b| ≤ 4.
/// Ensures: with a = a₁·2^60 + a₀ (0 ≤ a₀ < 2^60), the product in units is a₁b₁ + (a₁b₀ + a₀b₁)/2^60 + a₀b₀/2^120; the
/// last is below a unit and left out, the middle is rounded down. |a₁| ≤ 2^62, so that no term leaves 128 bits.
fn product((a1, a0): (i64, i64), (b1, b0): (i64, i64)) -> Fixed {
    let cross = words(a1, b0).wrapping_add(words(a0, b1));
    words(a1, b1).wrapping_add(cross >> HALF)
}

/// a·b, rounded down by less than 2 units.
///
/// Requires: |a|, |b| ≤ 4, |a·b| ≤ 4.
pub(super) fn real_product(a: Fixed, b: Fixed) -> Fixed {
    product(halves(a), halves(b))
}

/// The product of two words, which always fits.
fn words(a: i64, b: i64) -> i128 {
    i128::from(a).wrapping_mul(i128::from(b))
}

/// Requires: |x| ≤ 4, or a little more.
fn halves(x: Fixed) -> (i64, i64) {
    (word(x >> HALF), word(x & LOW))
}

/// The number from its halves.
fn whole((high, low): (i64, i64)) -> Fixed {
    (i128::from(high) << HALF).wrapping_add(i128::from(low))
}

/// Requires: x fits into a word.
pub(super) fn word(x: i128) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = x.to_le_bytes();
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Complex {
    pub(super) const ONE: Self = Self { re: ONE, im: 0 };
    pub(super) const ZERO: Self = Self { re: 0, im: 0 };

    /// Requires: both numbers have modulus at most 2.
    /// Ensures: each part is a difference or sum of two products, off by at most 2·2 units, so the number is off by less
    /// than 2^−117, and than what [`product_error_up`] says.
    pub(super) fn times(self, other: Self) -> Self {
        let [a, b] = [halves(self.re), halves(self.im)];
        let [c, d] = [halves(other.re), halves(other.im)];
        Self {
            re: product(a, c).wrapping_sub(product(b, d)),
            im: product(a, d).wrapping_add(product(b, c)),
        }
    }

    /// Requires: its modulus is at most 2.
    /// Ensures: as (a + bi)² = (a + b)(a − b) + 2abi, of two products, one of them doubled: each part is off by at most 4 units, so the number is off by less than 2^−117, as by
    /// [`Self::times`].
    pub(super) fn squared(self) -> Self {
        let [sum, difference] = [self.re.wrapping_add(self.im), self.re.wrapping_sub(self.im)];
        Self {
            re: product(halves(sum), halves(difference)),
            im: product(halves(self.re), halves(self.im)) << 1u32,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            re: self.re.wrapping_add(other.re),
            im: self.im.wrapping_add(other.im),
        }
    }
}

/// Pairs of a block at most.
const MOST_PAIRS: u32 = 16;
/// Real numbers in a block at most.
pub(super) const LONGEST_BLOCK: u32 = 2 * MOST_PAIRS + 1;

/// z, z², … for the pairs of a block, in halves.
#[derive(Default)]
pub(super) struct Table(Vec<[(i64, i64); 2]>);

impl Table {
    /// From z, and from the table of a number whose square z is, if there is one: in the place of what it was.
    ///
    /// Requires: both have modulus at most 1, but for a small error.
    pub(super) fn set(&mut self, z: Complex, length: usize, of_root: Option<&Self>) {
        let known = of_root.map(|table| table.0.as_slice()).unwrap_or_default();
        let known = known.iter().skip(1).step_by(2).copied().take(length);
        let Self(powers) = self;
        powers.clear();
        powers.extend(known);
        let at = |powers: &[[(i64, i64); 2]], number: usize| {
            let power = powers.get(number.checked_sub(1)?);
            power.map(|[re, im]| Complex {
                re: whole(*re),
                im: whole(*im),
            })
        };
        while powers.len() < length {
            let before = powers.len();
            // z^(2j) is the square of z^j.
            let next = match at(powers.as_slice(), before.div_ceil(2)) {
                Some(half) if before % 2 == 1 => half.squared(),
                _ => at(powers.as_slice(), before).map_or(z, |power| power.times(z)),
            };
            powers.push([halves(next.re), halves(next.im)]);
        }
    }
}

/// Numbers in [0, 1] around one in the middle, to be multiplied by powers of a root: z^j and z^−j are conjugate, so that the real part takes the sum of both numbers and the
/// imaginary part their difference.
pub(super) struct Block {
    middle: Fixed,
    /// The sum of a number after the middle and the one before it, and their difference, from the middle on.
    pairs: Vec<[(i64, i64); 2]>,
}

impl Block {
    /// Where the middle of so many numbers is: what has no counterpart is before it.
    pub(super) fn middle(count: usize) -> usize {
        count / 2
    }

    /// Requires: no more than [`LONGEST_BLOCK`] numbers in [0, 1], of which no two add up to more than 1, but for some units.
    pub(super) fn of(numbers: &[Fixed]) -> Self {
        let at = Self::middle(numbers.len());
        let (before, from) = numbers.split_at_checked(at).unwrap_or_default();
        let after = from.iter().skip(1).copied().chain(std::iter::repeat(0));
        let pairs = before.iter().rev().zip(after).map(|(before, after)| {
            [
                halves(after.wrapping_add(*before)),
                halves(after.wrapping_sub(*before)),
            ]
        });
        Self {
            pairs: pairs.collect(),
            middle: from.first().copied().unwrap_or(0),
        }
    }

    /// How many powers it takes.
    pub(super) fn reach(&self) -> usize {
        self.pairs.len()
    }

    /// Σ x_j·z^j, j counted from the middle.
    ///
    /// Requires: the table is as long at least, its powers are of a root; each part of a power has a magnitude of at most 1.25.
    /// Ensures: as [`product`] does for each part of each pair, but all that is between units is rounded down at once: each part is off by less
    /// than 2 units for each pair. With |a₁| ≤ 2^60 and a little, |b₁| ≤ 1.25·2^60 and 0 ≤ a₀, b₀ < 2^60 the 16 middle terms are below 16·2.5·2^120 < 2^126 in all, and the
    /// highest ones at most 16·1.5·2^120 < 2^125.
    pub(super) fn sum(&self, powers: &Table) -> Complex {
        let (mut re, mut im) = (0i128, 0i128);
        let (mut re_cross, mut im_cross) = (0i128, 0i128);
        for (pair, power) in self.pairs.iter().zip(&powers.0) {
            let [(a1, a0), (c1, c0)] = *pair;
            let [(b1, b0), (d1, d0)] = *power;
            re = re.wrapping_add(words(a1, b1));
            re_cross = re_cross.wrapping_add(words(a1, b0));
            re_cross = re_cross.wrapping_add(words(a0, b1));
            im = im.wrapping_add(words(c1, d1));
            im_cross = im_cross.wrapping_add(words(c1, d0));
            im_cross = im_cross.wrapping_add(words(c0, d1));
        }
        Complex {
            re: re.wrapping_add(re_cross >> HALF).wrapping_add(self.middle),
            im: im.wrapping_add(im_cross >> HALF),
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
pub(super) fn power(z: Complex, n: u64) -> Complex {
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
                let mut root_table = Table::default();
                root_table.set(root, of_root, None);
                // What was there before is gone.
                let mut found = Table(vec![[(1, 2), (3, 4)]; 20]);
                found.set(square, length, Some(&root_table));
                let mut truth = Table::default();
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
            let at = Block::middle(count);
            let numbers: Vec<Fixed> = (0..count).map(|i| {
                let other = (2 * at).checked_sub(i).filter(|other| *other < count && *other != i);
                match other {
                    Some(other) if numbers[i] + numbers[other] > ONE => numbers[i] / 2,
                    _ => numbers[i],
                }
            }).collect();
            let pairs: Vec<[Fixed; 2]> = parts.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
            let powers = Table(pairs.iter().map(|pair| pair.map(halves)).collect());
            let block = Block::of(&numbers);
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
