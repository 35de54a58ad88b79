//! e^x in fixed point, off by less than a relative 2^-121.
//!
//! x = k·ln 2 + r with 0 ≤ r < ln 2, but for 2^-146 at either end, and r = d₁/16 + d₂/16² + d₃/16³ + s with digits 0 ≤ dᵢ < 16 and 0 ≤ s < 2^-12, so that
//!
//! e^x = 2^k·e^{d₁/16}·e^{d₂/16²}·e^{d₃/16³}·e^s.
//!
//! Numbers are whole numbers of ulps of 2^-126, in 128 bits; all of them are rounded down.
//!
//! **Errors**, in ulps, each of them what a number is too small by. The constants: less than 1 each. The sum Σ sⁿ/n! over n < 10 by Horner's scheme: the
//! product of the last step less than 1, what earlier ones lack less than 2^-11 of theirs, and the terms left out less than 2^-120/10!·1.01 < 2^-141: 1.01 in
//! all. With e^{d₁/16} < 2 (as r < 0.6932, d₁ ≤ 11), e^{d₂/16²} < 1.07, e^{d₃/16³} < 1.004, e^s < 1.001 and every product below 2.01: two factors 2 + 1.07 + 1 <
//! 4.1, three 4.1·1.004 + 2.01 + 1 < 7.2, all 7.2·1.001 + 2.01·1.01 + 1 < 10.3. r itself is rounded down by less than 1.01, which adds less than 2.01·1.02
//! < 2.1: less than 13. It may be too large by 2^-20, for the errors of x and of k·ln 2, and that makes e^r too large by less than 1.

use rug::Float;

use super::magnitude::Magnitude;
use super::normal_fixed::Wide;

/// 1 in ulps.
const ONE: u128 = 1 << ULP_BITS;
/// An ulp is 2^−this.
const ULP_BITS: u32 = 126;
/// Bits after the point of what is left of x by multiples of ln 2.
const REST_BITS: u32 = 170;
/// ⌊ln 2·2^170⌋.
const LN_TWO: Wide = Wide([
    0xcbdabd03_cd0c99ca,
    0x3de6af27_8ece600f,
    0x000002c5_c85fdf47,
]);
/// ⌊2^32/ln 2⌋.
const OVER_LN_TWO: i128 = 6196328018;
/// Exponents of x up to this one: |k| < 2^21, |x| < 2^20.
const LARGEST_EXPONENT: i32 = 20;

/// ⌊e^{d/16ⁱ}⌋ in ulps, for i = 1, 2, 3 and d < 16.
const DIGITS: [[u128; 16]; 3] = [
    [
        0x40000000_00000000_00000000_00000000,
        0x4420ad5d_f4d3b5f5_6c680678_89726a54,
        0x48858116_dbd733e7_3b5a20e1_381ae350,
        0x4d32e05c_2d60d4b5_3831232d_f19924d1,
        0x522d78f0_fa06199d_9ef0eda6_eaaf94d3,
        0x577a45d8_117fd4ed_44c9194c_5d5100f0,
        0x5d1e944f_6fbda988_d1e2d966_c2490171,
        0x6320091d_ec003f70_936d03b6_14c442fb,
        0x6984a638_781a6f25_cb7fbead_b7ccfe6c,
        0x7052d0c4_95911910_caa944ee_9088017a,
        0x7791577e_038f0172_a25ec1cb_db6a96f1,
        0x7f477986_0be32274_b0edb423_1965c890,
        0x877ceda3_3ee7bdea_61ab771f_73b887c9,
        0x9039e9f8_dea8bffc_88e9e186_d6197156,
        0x99872c3d_b1593ce1_10ffabd9_c850e9fa,
        0xa36e027a_7299c128_96ff654d_053c3d5b,
    ],
    [
        0x40000000_00000000_00000000_00000000,
        0x4040200a_ad55ddf4_a28a90b4_9aaa7b99,
        0x40808055_801116c3_0c98e0af_1cda274c,
        0x40c12120_d881da82_36504687_3b9db28b,
        0x410202ad_5778e45e_ae192cfa_41139ad1,
        0x4143253b_de881b70_b687dee1_b78fe3a1,
        0x4184890d_90437453_959675d7_a56ddb86,
        0x41c62e63_d08213be_f6cca2e4_679a4261,
        0x42081580_449fb263_82f420ea_ea0325e9,
        0x424a3ea4_d3be424c_113bdb84_eb7df35b,
        0x428caa13_a707d605_173073e5_66c6c442,
        0x42cf580f_29f0c9cc_3eb711a7_c857f482,
        0x431248da_0a7a2f0a_4b3f98f5_92ca57a8,
        0x43557cb7_39747a59_b9adb429_aa389388,
        0x4398f3e9_eac2745c_c904df5b_0d070757,
        0x43dcaeb5_959c6da5_dcb3128d_0b4380e8,
    ],
    [
        0x40000000_00000000_00000000_00000000,
        0x40040020_00aaad55_5dddf49f_7df84785,
        0x40080080_05558001_1116c186_18c98e0a,
        0x400c0120_1200d808_19da6822_c89628eb,
        0x40100200_2aad5577_78e39b3a_1ba49dea,
        0x40140320_535bd868_3017cc3c_53be2aad,
        0x40180480_900d8103_4367449c_b3a24d4f,
        0x401c0620_e4c3af85_b9ed4f2a_dca8fad4,
        0x40200801_55800444_9f50756f_5cbd323c,
        0x40240a21_e6445fb1_0562d50c_cced9e34,
        0x40280c82_9b12e25c_06029127_20e8fc08,
        0x402c0f23_77edecfa_c53a63d3_07d80497,
        0x40301204_80d8206a_73a2538f_7f269c33,
        0x40341525_b9d45db4_510090cb_f7f21882,
        0x40381887_26e5c611_af2a7f7d_affa7822,
        0x403c1c28_cc0fbaef_f525f0c7_1f2076dc,
    ],
];

/// ⌊1/n!⌋ in ulps, for n < 10.
const INVERSE_FACTORIALS: [u128; 10] = [
    0x40000000_00000000_00000000_00000000,
    0x40000000_00000000_00000000_00000000,
    0x20000000_00000000_00000000_00000000,
    0x0aaaaaaa_aaaaaaaa_aaaaaaaa_aaaaaaaa,
    0x02aaaaaa_aaaaaaaa_aaaaaaaa_aaaaaaaa,
    0x00888888_88888888_88888888_88888888,
    0x0016c16c_16c16c16_c16c16c1_6c16c16c,
    0x00034034_03403403_40340340_34034034,
    0x00006806_80680680_68068068_06806806,
    0x00000b8e_f1d2ab63_99c7d560_e4472800,
];

/// e^x is at least `least`·2^`exponent` and at most `most`·2^`exponent`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exponential {
    pub(super) least: u128,
    pub(super) most: u128,
    pub(super) exponent: i32,
}

/// e^x; `None` for |x| ≥ 2^20, and for what is no number.
///
/// Ensures: `most − least` < 2^-121·`least`; both are 1 where x is 0.
pub(super) fn exp(x: &Float) -> Option<Exponential> {
    let exponent_of_ulp = ULP_BITS.cast_signed().checked_neg()?;
    if x.is_zero() {
        return Some(Exponential {
            least: ONE,
            most: ONE,
            exponent: exponent_of_ulp,
        });
    }
    if !x.is_finite()
        || x.get_exp()
            .is_some_and(|exponent| exponent > LARGEST_EXPONENT)
    {
        return None;
    }
    let (times, units) = reduced(x)?;
    let value = exp_of_units(units)?;
    Some(Exponential {
        least: value.checked_sub(1)?,
        most: value.checked_add(13)?,
        exponent: times.checked_add(exponent_of_ulp)?,
    })
}

/// k and x − k·ln 2 in ulps, rounded down.
///
/// Requires: 0 < |x| < 2^20.
/// Ensures: before it is rounded that is off by less than 2^-146, which is 2^-20 ulps: |x| by 2^-171 and 2^-170, ln 2 by 2^-170 and |k| < 2^21 times as much.
fn reduced(x: &Float) -> Option<(i32, u128)> {
    let is_negative = x.is_sign_negative();
    let size = Magnitude::below(&x.as_abs())?.fixed(REST_BITS.cast_signed())?;
    let number = if is_negative { size.negated() } else { size };
    // ⌊|x|/ln 2⌋ or 1 less, from |x| in units of 2^-42, below 2^62; which it is is seen from what is left.
    let about = i128::from(size.top()).checked_mul(OVER_LN_TWO)?;
    let about = i64::try_from(about >> (32 + 42)).ok()?;
    let mut times = if is_negative {
        about.checked_neg()?
    } else {
        about
    };
    let mut rest = number.wrapping_sub(LN_TWO.times_integer(times));
    for _ in 0..2 {
        if rest.is_negative() {
            times = times.checked_sub(1)?;
            rest = rest.wrapping_add(LN_TWO);
        } else if !rest.wrapping_sub(LN_TWO).is_negative() {
            times = times.checked_add(1)?;
            rest = rest.wrapping_sub(LN_TWO);
        }
    }
    if rest.is_negative() {
        return None;
    }
    let Wide([low, high, _]) = rest.shifted_right(REST_BITS - ULP_BITS);
    let units = (u128::from(high) << 64u32) | u128::from(low);
    Some((i32::try_from(times).ok()?, units))
}

/// e^r in ulps for r in ulps; `None` for r ≥ 0.75.
///
/// Ensures: too small by less than 13, of which 2.1 are for r being rounded down.
fn exp_of_units(r: u128) -> Option<u128> {
    if r >= ONE / 4 * 3 {
        return None;
    }
    let [first, second, third] = &DIGITS;
    let digit = |table: &[u128; 16], shift: u32| {
        let place = usize::try_from((r >> shift) & 15).ok()?;
        table.get(place).copied()
    };
    let large = product(digit(first, ULP_BITS - 4)?, digit(second, ULP_BITS - 8)?);
    let large = product(large, digit(third, ULP_BITS - 12)?);
    let s = r & ((1 << (ULP_BITS - 12)) - 1);
    let mut small = 0;
    for coefficient in INVERSE_FACTORIALS.iter().rev() {
        // Below 1.001.
        small = product(s, small).wrapping_add(*coefficient);
    }
    Some(product(large, small))
}

/// ⌊a·b⌋ in ulps.
///
/// Requires: the product is below 4. Then no sum of halves leaves its bits: a₁b₁ and the higher halves of the others make up the product's.
fn product(a: u128, b: u128) -> u128 {
    let [a1, a0] = halves(a);
    let [b1, b0] = halves(b);
    let words = |x: u64, y: u64| u128::from(x).wrapping_mul(u128::from(y)); // < 2^128
    let (low, high) = (words(a0, b0), words(a1, b1));
    let [left, right] = [halves(words(a1, b0)), halves(words(a0, b1))];
    let [carried, lowest] = halves(low);
    // Three words: below 3·2^64.
    let middle = [left, right]
        .iter()
        .fold(u128::from(carried), |sum, [_, word]| {
            sum.wrapping_add(u128::from(*word))
        });
    let [over, under] = halves(middle);
    let high = [left, right]
        .iter()
        .fold(high.wrapping_add(u128::from(over)), |sum, [word, _]| {
            sum.wrapping_add(u128::from(*word))
        });
    let low = (u128::from(under) << 64u32) | u128::from(lowest);
    (high << (128 - ULP_BITS)) | (low >> ULP_BITS)
}

/// The higher word and the lower one.
fn halves(x: u128) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, rest @ ..] = x.to_le_bytes();
    [
        u64::from_le_bytes(rest),
        u64::from_le_bytes([a, b, c, d, e, f, g, h]),
    ]
}

#[cfg(test)]
mod tests {
    use rug::float::{Constant, Round};
    use rug::{Integer, Rational};

    use super::*;
    use crate::kernel::coarse::Random;

    fn floor_of(x: Float) -> u128 {
        (x << ULP_BITS)
            .to_integer_round(Round::Down)
            .unwrap()
            .0
            .to_u128()
            .unwrap()
    }

    #[test]
    fn tables_are_rounded_down() {
        for (i, table) in (1u32..).zip(&DIGITS) {
            for (d, value) in (0u32..).zip(table) {
                let power = Float::with_val(300, d) >> (4 * i);
                assert_eq!(floor_of(power.exp()), *value, "{d} {i}");
            }
        }
        let two = Float::with_val(300, Constant::Log2);
        let floor = |x: Float| x.to_integer_round(Round::Down).unwrap().0;
        let limbs = Integer::from_digits(&LN_TWO.0, rug::integer::Order::Lsf);
        assert_eq!(floor(Float::with_val(300, &two << REST_BITS)), limbs);
        let over = (Float::with_val(300, 1) << 32u32) / two;
        assert_eq!(floor(over), OVER_LN_TWO);
        let mut factorial = Integer::from(1);
        for (n, value) in (0u32..).zip(&INVERSE_FACTORIALS) {
            factorial *= n.max(1);
            assert_eq!(Integer::from(ONE) / &factorial, *value, "{n}");
        }
    }

    #[test]
    fn products_are_rounded_down() {
        let mut random = Random(61);
        let mut number = || {
            let word = |random: &mut Random| match random.below(4) {
                0 => u64::MAX,
                1 => 0,
                _ => random.below(u64::MAX),
            };
            (u128::from(word(&mut random)) << 64) | u128::from(word(&mut random))
        };
        for _ in 0..100_000 {
            let (a, b) = (number() >> 1, number() >> 1);
            let truth = (Integer::from(a) * Integer::from(b)) >> ULP_BITS;
            assert_eq!(Integer::from(product(a, b)), truth, "{a} {b}");
        }
    }

    /// Of arguments all over the range, and next to multiples of ln 2 and of digits.
    #[test]
    fn exponentials_are_within_their_bounds() {
        let mut random = Random(62);
        let (mut least_gap, mut largest_gap) = (f64::MAX, f64::MIN);
        for n in 0..40_000u32 {
            let bits = 1 + u32::try_from(random.below(200)).unwrap();
            let x = match n % 4 {
                0 => random.float(bits.max(2)) >> u32::try_from(random.below(250)).unwrap(),
                1 => {
                    let times = i64::try_from(random.below(2_000_000)).unwrap() - 1_000_000;
                    Float::with_val(bits.max(2), Constant::Log2) * times
                }
                2 => Float::with_val(64, random.below(1 << 12)) >> 12u32,
                _ => {
                    let near = Float::with_val(300, Constant::Log2);
                    near + (random.float(40) >> u32::try_from(random.below(250)).unwrap())
                }
            };
            if x.get_exp()
                .is_some_and(|exponent| exponent > LARGEST_EXPONENT)
            {
                continue;
            }
            let found = exp(&x).unwrap();
            let truth = Float::with_val(400, x.exp_ref()) >> found.exponent;
            assert!(truth >= found.least && truth <= found.most, "{x} {found:?}");
            let gap = Float::with_val(400, &truth - found.least).to_f64();
            (least_gap, largest_gap) = (least_gap.min(gap), largest_gap.max(gap));
            let width = Rational::from(found.most - found.least);
            assert!(width * (Integer::from(1) << 121u32) < found.least, "{x}");
        }
        // The bounds are not far from what is seen: both would be left by an error of a few ulps.
        assert!(
            least_gap < 3.0 && largest_gap > 7.0,
            "{least_gap} {largest_gap}"
        );
    }

    #[test]
    fn what_is_too_large_has_none() {
        let far = Float::with_val(64, 1) << 20u32;
        for x in [
            far.clone(),
            -far,
            Float::with_val(8, rug::float::Special::Nan),
        ] {
            assert!(exp(&x).is_none(), "{x}");
        }
        let near = Float::with_val(64, 1_048_575);
        assert!(exp(&near).is_some() && exp(&-near).is_some());
        let one = exp(&-Float::new(4)).unwrap();
        assert!(one.least == ONE && one.most == ONE && one.exponent == -126);
    }
}
