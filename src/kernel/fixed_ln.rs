//! ln of a [`Magnitude`] in fixed point, off by less than 2^-175.
//!
//! For x = 2^k·m, 1 ≤ m < 2, let c = C/1024 be the reciprocal of the middle of the piece [1 + i/128, 1 + (i + 1)/128)
//! that m lies in, rounded to 10 bits, and j = ⌊2^14·z + 1/2⌋ for z = m·c − 1. With w = (1 + z)(1 − j/2^14) − 1,
//!
//! ln x = k·ln 2 − ln c − ln(1 − j/2^14) + ln(1 + w).
//!
//! **Sizes.** m is within 2^-8 of the middle M of its piece and c within 2^-11 of 1/M, M < 2, c ≤ 1: |z| < 2^-8 +
//! 2^-10 < 0.0049, so |j| ≤ 80. |w| ≤ |z − j/2^14| + |z|·|j|/2^14 ≤ 2^-15 + 0.0049·80/2^14 < 2^-14.
//!
//! **ln(1 + w)** with t = 2^14·|w| in [0, 1) is Σ dₙ·tⁿ (1 ≤ n ≤ 12), dₙ = −(∓1)ⁿ·2^(−14n)/n for ±w ≥ 0, in ulps of
//! 2^-190: what is left out is less than |w|¹³/13/(1 − |w|) < 2^-185, 32 ulps. Each dₙ is rounded towards zero, less
//! than 1 ulp each, 12 in all. Horner's scheme takes 3 products by `scale_one` (at most 2 ulps each; sums below
//! |d₉| + |d₁₀| + … < 2^62), 4 by `scale_two` (4; |d₅| + … < 2^118) and 5 by `scale_three` (6): 52. Less than 2^7 ulps
//! = 2^-183.
//!
//! **Errors.** z is rounded down to a multiple of 2^-191 and w towards zero: less than 1 unit each, times 1/(1 + z)
//! < 1.01, in all below 2^-189. The three constants are off by at most 2 units of 2^-184 each (sums of at most 129
//! series, each off by less than 2^7·2^-256), the first counted |k| ≤ 180 times, and the sum for ln(1 + w) is rounded to
//! such a unit: in all less than (2·180 + 4 + 2 + 1 + 1)·2^-184 < 2^-175.

use std::sync::OnceLock;

use rug::float::Round;
use rug::integer::Order;
use rug::{Float, Integer};

use super::Interval;
use super::directed as d;
use super::magnitude::Magnitude;
use super::normal_fixed::{FRACTION_BITS, Fraction, Wide};

/// Fractional bits of a logarithm: three limbs hold numbers in [−128, 128).
pub(crate) const LOG_FRACTION_BITS: u32 = 184;

/// ln x in units of 2^-184; none for exponents beyond 2^±180.
///
/// Ensures: off by less than 2^-175.
pub(crate) fn ln(x: Magnitude) -> Option<Wide> {
    if x.exponent().unsigned_abs() > 180 {
        return None;
    }
    let tables = TABLES.get_or_init(Tables::build).as_ref()?;
    // m in units of 2^-191, its piece i from the seven bits below the first.
    let m = x.mantissa();
    let piece = tables
        .pieces
        .get(usize::try_from((m.top() >> 56u32) & 0x7f).ok()?)?;
    // ⌊m·C/2^10⌋ = ⌊m/2^10⌋·C + ⌊(m mod 2^10)·C/2^10⌋ < 1.005·2^191; less 2^191 that is z in units of 2^-191.
    let Wide([lowest, _, _]) = m;
    let part = (lowest & 0x3ff).wrapping_mul(piece.reciprocal.unsigned_abs()) >> 10u32;
    let z = m
        .shifted_right(10)
        .times_integer(piece.reciprocal)
        .wrapping_add(Wide([part, 0, 0]))
        .wrapping_sub(Wide::power_of_two(191));
    // 2^14·z in units of 2^-177.
    let j = z.wrapping_add(Wide::power_of_two(176)).top().cast_signed() >> 49u32;
    // |z·j| < 0.0049·2^191·80 < 2^191.
    let shift = Wide::power_of_two(177).times_integer(j);
    let w = z
        .wrapping_sub(shift)
        .wrapping_sub(z.times_integer(j).toward_zero(14));
    let refinement = tables
        .refinements
        .get(usize::try_from(j.wrapping_add(MOST_REFINED)).ok()?)?;
    // |k|·ln 2 + ln 2 < 126: nothing wraps.
    let series = tables
        .series
        .at(w)
        .toward_zero(FRACTION_BITS - LOG_FRACTION_BITS);
    Some(
        tables
            .two
            .times_integer(i64::from(x.exponent()))
            .wrapping_add(piece.minus_log)
            .wrapping_add(*refinement)
            .wrapping_add(series),
    )
}

/// At least log x, to about 2^-174 or so many bits: by far sooner than by MPFR. `None` where that is not known.
///
/// Requires: x has at most 192 bits.
/// Ensures: not below log x.
pub(crate) fn ln_up(x: &Float, bits: u32) -> Option<Float> {
    let value = ln_of_float(x)?;
    // Off by less than 2^-175, and more is added.
    Some(d::integer_up(&whole(value.wrapping_add(slack())), bits) >> LOG_FRACTION_BITS)
}

/// At most and at least log x, likewise.
///
/// Requires: x has at most 192 bits.
/// Ensures: the first is not above log x, the second not below.
pub(crate) fn ln_both(x: &Float, bits: u32) -> Option<(Float, Float)> {
    let value = ln_of_float(x)?;
    let low = d::integer_down(&whole(value.wrapping_sub(slack())), bits) >> LOG_FRACTION_BITS;
    let high = d::integer_up(&whole(value.wrapping_add(slack())), bits) >> LOG_FRACTION_BITS;
    Some((low, high))
}

/// About log x, off by less than 2^-175 and what so many bits round off.
///
/// Requires: x has at most 192 bits.
pub(super) fn ln_about(x: &Float, bits: u32) -> Option<Float> {
    let value = whole(ln_of_float(x)?);
    Some(Float::with_val(bits, value) >> LOG_FRACTION_BITS)
}

/// 2^-174.
fn slack() -> Wide {
    Wide::power_of_two(LOG_FRACTION_BITS - 174)
}

fn ln_of_float(x: &Float) -> Option<Wide> {
    ln(Magnitude::below(x).filter(|_| x.prec() <= 192)?)
}

fn whole(value: Wide) -> Integer {
    if value.is_negative() {
        -Integer::from_digits(&value.negated().0, Order::Lsf)
    } else {
        Integer::from_digits(&value.0, Order::Lsf)
    }
}

/// An enclosed number in units of 2^-184, rounded down; none if it is not in (−128, 128) or known too badly.
///
/// Ensures: off by at most 2 units.
pub(crate) fn rounded(x: &Interval) -> Option<Wide> {
    let scaled = |end: &Float| Float::with_val(end.prec(), end << LOG_FRACTION_BITS); // exact
    let floor = scaled(x.lo()).to_integer_round(Round::Down)?.0;
    if scaled(x.hi()) > Integer::from(&floor + 2u32) || floor.significant_bits() > 191 {
        return None;
    }
    Some(from_integer(&floor))
}

/// Largest |j|.
const MOST_REFINED: i64 = 80;

/// The Taylor polynomials of ln(1 + w) for w ≥ 0 and for w < 0: dₙ in ulps, in as many limbs as they need.
struct Series {
    above: Polynomial,
    below: Polynomial,
}

struct Polynomial {
    /// d₁, …, d₄.
    three: [Wide; 4],
    /// d₅, …, d₈.
    two: [i128; 4],
    /// d₉, …, d₁₂.
    one: [i128; 4],
}

impl Series {
    /// ln(1 + w) in ulps, for w in units of 2^-191.
    ///
    /// Requires: |w| < 2^-14.
    fn at(&self, w: Wide) -> Wide {
        // t·2^192 = w·2^191·2^15.
        if w.is_negative() {
            self.below.at(Fraction(w.negated().shifted_left(15).0))
        } else {
            self.above.at(Fraction(w.shifted_left(15).0))
        }
    }

    fn new() -> Self {
        // Of 2^(190 − 14n)/n: 190 − 14n is at least 22.
        let size = |n: u32| (Integer::from(1) << FRACTION_BITS.saturating_sub(14 * n)) / n;
        let above = |n: u32| {
            if n.is_multiple_of(2) {
                -size(n)
            } else {
                size(n)
            }
        };
        Self {
            above: Polynomial::new(above),
            below: Polynomial::new(|n| -size(n)),
        }
    }
}

impl Polynomial {
    fn new(coefficient: impl Fn(u32) -> Integer) -> Self {
        // Those from the fifth on are below 2^118.
        let two = |n| coefficient(n).to_i128().unwrap_or(0);
        Self {
            three: [1, 2, 3, 4].map(|n| from_integer(&coefficient(n))),
            two: [5, 6, 7, 8].map(two),
            one: [9, 10, 11, 12].map(two),
        }
    }

    fn at(&self, t: Fraction) -> Wide {
        // Nothing wraps: see "ln(1 + w)".
        let one = (self.one.iter().rev())
            .copied()
            .reduce(|sum, coefficient| t.scale_one(sum).wrapping_add(coefficient))
            .unwrap_or(0);
        let two = (self.two.iter().rev()).fold(one, |sum, coefficient| {
            t.scale_two(sum).wrapping_add(*coefficient)
        });
        let three = (self.three.iter().rev()).fold(Wide::from_two(two), |sum, coefficient| {
            t.scale_three(sum).wrapping_add(*coefficient)
        });
        t.scale_three(three)
    }
}

/// The limbs of a number of at most 191 bits.
fn from_integer(v: &Integer) -> Wide {
    let mut limbs = [0u64; 3];
    if v.significant_bits() < 192 {
        Integer::from(v.abs_ref()).write_digits(&mut limbs, Order::Lsf);
    }
    let size = Wide(limbs);
    if *v < 0 { size.negated() } else { size }
}

/// C = 1024·c and −ln c for one piece.
struct Piece {
    reciprocal: i64,
    minus_log: Wide,
}

/// The constants, in units of 2^-184.
struct Tables {
    two: Wide,
    pieces: Vec<Piece>,
    /// −ln(1 − j/2^14) for j = −80, …, 80.
    refinements: Vec<Wide>,
    series: Series,
}

static TABLES: OnceLock<Option<Tables>> = OnceLock::new();

impl Tables {
    fn build() -> Option<Self> {
        let mut minus_log = Integer::new();
        let mut last = 1024;
        let pieces = (0u32..128).map(|i| {
            // The middle of the piece is M/256; C is 1024·256/M rounded to the nearest.
            let middle = 257u32.checked_add(i.checked_mul(2)?)?;
            let reciprocal = 524_288u32.checked_add(middle)? / middle.checked_mul(2)?;
            minus_log += log_of_ratio(last, reciprocal);
            last = reciprocal;
            Some(Piece {
                reciprocal: i64::from(reciprocal),
                minus_log: to_fixed(&minus_log)?,
            })
        });
        let pieces = pieces.collect::<Option<Vec<Piece>>>()?;
        // From the last C, next to 512, on to it: in whole numbers, so that it does not matter at what precision they are asked for first.
        let two = to_fixed(&(minus_log + log_of_ratio(last, 512)))?;
        // −ln(1 − j/2^14) for j = 0, 1, … and for j = 0, −1, …
        let (mut up, mut down) = (Integer::new(), Integer::new());
        let mut refinements = std::collections::VecDeque::from([Wide::ZERO]);
        for j in 1u32..=80 {
            up += log_of_ratio(16385u32.checked_sub(j)?, 16384u32.checked_sub(j)?);
            down += log_of_ratio(16384u32.checked_add(j)?, 16383u32.checked_add(j)?);
            refinements.push_back(to_fixed(&up)?);
            refinements.push_front(to_fixed(&down)?.negated());
        }
        Some(Self {
            two,
            pieces,
            refinements: refinements.into(),
            series: Series::new(),
        })
    }
}

/// Fractional bits while the tables are built.
const WORKING_BITS: u32 = 256;

/// ln(a/b) = 2·artanh t = 2·Σ t^{2k + 1}/(2k + 1) for t = (a − b)/(a + b), in units of 2^-256.
///
/// Requires: b ≤ a ≤ b + 2^10 < 2^15 and t < 2^-6.
/// Ensures: below by less than 2^7 units, never above. (Each power of t is below by less than 2 units, each division
/// takes 1, and there are fewer than 22 terms; the powers left out are below 2 units and halve at least.)
fn log_of_ratio(a: u32, b: u32) -> Integer {
    let (difference, sum) = (a.saturating_sub(b), a.saturating_add(b));
    let mut power = ((Integer::from(difference) << WORKING_BITS) << 1u32) / sum;
    let mut total = Integer::new();
    let mut k = 1u32;
    while power != 0 {
        total += Integer::from(&power / k);
        power *= difference.saturating_mul(difference); // < 2^20
        power /= sum.saturating_mul(sum); // < 2^32
        k = k.saturating_add(2);
    }
    total
}

/// A logarithm in units of 2^-184, rounded down.
///
/// Requires: 0 ≤ v < 1 in units of 2^-256.
fn to_fixed(v: &Integer) -> Option<Wide> {
    if v.significant_bits() > WORKING_BITS {
        return None;
    }
    let mut limbs = [0u64; 4];
    v.write_digits(&mut limbs, Order::Lsf);
    let [_, low, middle, top] = limbs;
    Some(Wide([low, middle, top]).shifted_right(WORKING_BITS - LOG_FRACTION_BITS - 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rug::Rational;

    fn error_log2(x: &Float) -> i32 {
        let magnitude = Magnitude::below(x).unwrap();
        let value = ln(magnitude).unwrap();
        let unsigned = Integer::from_digits(&value.0, Order::Lsf);
        let value = if value.is_negative() {
            unsigned - (Integer::from(1) << 192)
        } else {
            unsigned
        };
        let value = Float::with_val(300, value) >> LOG_FRACTION_BITS;
        let truth = Float::with_val(300, x).ln();
        Float::with_val(64, value - truth)
            .get_exp()
            .unwrap_or(-1000)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Above the logarithm at any precision, by little, and next to 1 as well.
        #[test]
        fn upper_ends_are_above(limb in any::<u64>(), exponent in -180i32..180, near in 0u32..64, bits in 3u32..80) {
            let x = Float::with_val(64, limb | 1 << 63) >> 63u32 << exponent;
            let next_to_one = Float::with_val(192, Float::with_val(64, limb) >> (64 + near)) + 1u32;
            for x in [x, next_to_one.clone(), next_to_one.recip()] {
                let truth = Float::with_val(300, x.ln_ref());
                let found = crate::kernel::coarse::at_most_bits(bits, || ln_up(&x, bits)).unwrap();
                prop_assert!(found >= truth, "{x} {found} {truth}");
                let (low, high) = crate::kernel::coarse::at_most_bits(bits, || ln_both(&x, bits)).unwrap();
                prop_assert!(low <= truth && high == found, "{x} {low} {truth}");
                let above = Float::with_val(300, &found - &truth);
                let allowed = (truth.abs() >> (bits - 2)) + (Float::with_val(300, 1) >> 172u32);
                prop_assert!(above <= allowed, "{x} {bits} {above}");
            }
        }

        #[test]
        fn within_the_error_stated(limbs in any::<[u64; 3]>(), exponent in -180i32..180) {
            let mantissa = Integer::from_digits(&limbs, Order::Lsf);
            prop_assume!(mantissa > 0);
            let x = Float::with_val(192, mantissa);
            let x = Float::with_val(192, &x >> (x.get_exp().unwrap() - 1)) << exponent;
            prop_assert!(error_log2(&x) <= -175);
        }
    }

    /// Both sides of the ends of every piece and of every change of j.
    #[test]
    fn corners() {
        for start in 0..=2048u32 {
            let x = Float::with_val(192, 2048 + start) / 2048u32;
            for steps in 0..2 {
                let (mut above, mut below) = (x.clone(), x.clone());
                for _ in 0..steps {
                    above.next_up();
                    below.next_down();
                }
                assert!(
                    error_log2(&above) <= -175 && error_log2(&below) <= -175,
                    "{x}"
                );
            }
        }
        for exponent in [-180, -1, 0, 179] {
            let x = Float::with_val(192, 1) << exponent;
            assert!(error_log2(&x) <= -175);
        }
    }

    /// The sizes claimed at the head of the module.
    #[test]
    fn pieces_are_as_small_as_claimed() {
        let tables = Tables::build().unwrap();
        let limit = Rational::from((49, 10_000));
        for (i, piece) in (0u32..).zip(&tables.pieces) {
            for end in [i, i + 1] {
                let z: Rational =
                    Rational::from((128 + end, 128)) * Rational::from((piece.reciprocal, 1024)) - 1;
                assert!(z.abs() < limit);
            }
        }
        assert_eq!(tables.refinements.len(), 161);
        let w = (Rational::from(1) >> 15) + limit * Rational::from((80, 16384));
        assert!(w < Rational::from(1) >> 14);
    }

    #[test]
    fn constants_are_within_two_units() {
        // Whoever asks first, at however few bits.
        let tables = crate::kernel::coarse::at_most_bits(3, Tables::build).unwrap();
        let close = |value: Wide, truth: Rational| {
            let exact = rounded(&Interval::from_rational(&truth, 300).ln()).unwrap();
            let difference = value.wrapping_sub(exact);
            difference == Wide::ZERO
                || difference == Wide([1, 0, 0])
                || difference.negated() == Wide([1, 0, 0])
        };
        assert!(close(tables.two, Rational::from(2)));
        for piece in &tables.pieces {
            assert!(close(
                piece.minus_log,
                Rational::from((1024, piece.reciprocal))
            ));
        }
        for (j, refinement) in (-80i32..).zip(&tables.refinements) {
            assert!(
                close(*refinement, Rational::from((16384, 16384 - j))),
                "{j}"
            );
        }
    }

    #[test]
    fn far_exponents_and_wide_logarithms_are_refused() {
        let far = Float::with_val(64, 1) << 200;
        assert!(ln(Magnitude::below(&far).unwrap()).is_none());
        assert!(rounded(&Interval::from_i64(3, 20).ln()).is_none());
        assert!(rounded(&Interval::from_i64(200, 300)).is_none());
    }
}
