//! Roots of unity in fixed point.
//!
//! e^{2πit} for t = d₁/16 + d₂/16² + d₃/16³ + s with digits 0 ≤ dᵢ < 16 and 0 ≤ s < 2^-12 is a product of three constants and of cos θ + i·sin θ with θ = 2πs <
//! 2^-9.3, by their series in y = θ².
//!
//! **Errors**, in units of 2^-120. The constants: less than 1 as complex numbers. t is rounded down by less than a unit of 2^-126, which turns by less than 0.1. θ = S·(2π/64), S =
//! 64·s < 2^-6: less than 2.2. Each product of real numbers is off by less than 2, and what earlier steps of Horner's scheme are off by is multiplied by y < 2^-18: the cosine is off
//! by less than 2.1, the quotient sin θ/θ as well, and the sine by less than 2.2 + 2.1·2^-9 + 2 < 4.3; what the series leave out is below θ^11/11! < 2^-127: together less than 5.
//! Three products of complex numbers, less than 4·√2 each, and four factors: 3·5.7 + 3 + 5 + 0.1 < 26, less than 2^-115.

use super::fixed::{Complex, Fixed, real_product};

/// Bits of a turn after the point.
const TURN_BITS: u32 = 126;

/// 2π/64, rounded down.
const SIXTY_FOURTH: Fixed = 0x001921fb_54442d18_469898cc_51701b83;

/// (−1)ⁿ/(2n)! for n ≤ 5.
const COSINE: [Fixed; 6] = [
    0x01000000_00000000_00000000_00000000,
    -0x00800000_00000000_00000000_00000000,
    0x000aaaaa_aaaaaaaa_aaaaaaaa_aaaaaaab,
    -0x00005b05_b05b05b0_5b05b05b_05b05b06,
    0x000001a0_1a01a01a_01a01a01_a01a01a0,
    -0x00000004_9f93edde_27d71cbb_c05b4faa,
];

/// (−1)ⁿ/(2n + 1)! for n ≤ 4.
const SINE: [Fixed; 5] = [
    0x01000000_00000000_00000000_00000000,
    -0x002aaaaa_aaaaaaaa_aaaaaaaa_aaaaaaab,
    0x00022222_22222222_22222222_22222222,
    -0x00000d00_d00d00d0_0d00d00d_00d00d01,
    0x0000002e_3bc74aad_8e671f55_83911ca0,
];

/// cos and sin of 2π·d/16ⁱ, for i = 1, 2, 3 and d < 16.
const TURNS: [[(Fixed, Fixed); 16]; 3] = [
    [
        (
            0x01000000_00000000_00000000_00000000,
            0x00000000_00000000_00000000_00000000,
        ),
        (
            0x00ec835e_79946a31_457e6102_31ac1d62,
            0x0061f78a_9abaa58b_46989161_52cf7eee,
        ),
        (
            0x00b504f3_33f9de64_84597d89_b3754abf,
            0x00b504f3_33f9de64_84597d89_b3754abf,
        ),
        (
            0x0061f78a_9abaa58b_46989161_52cf7eee,
            0x00ec835e_79946a31_457e6102_31ac1d62,
        ),
        (
            0x00000000_00000000_00000000_00000000,
            0x01000000_00000000_00000000_00000000,
        ),
        (
            -0x0061f78a_9abaa58b_46989161_52cf7eee,
            0x00ec835e_79946a31_457e6102_31ac1d62,
        ),
        (
            -0x00b504f3_33f9de64_84597d89_b3754abf,
            0x00b504f3_33f9de64_84597d89_b3754abf,
        ),
        (
            -0x00ec835e_79946a31_457e6102_31ac1d62,
            0x0061f78a_9abaa58b_46989161_52cf7eee,
        ),
        (
            -0x01000000_00000000_00000000_00000000,
            0x00000000_00000000_00000000_00000000,
        ),
        (
            -0x00ec835e_79946a31_457e6102_31ac1d62,
            -0x0061f78a_9abaa58b_46989161_52cf7eee,
        ),
        (
            -0x00b504f3_33f9de64_84597d89_b3754abf,
            -0x00b504f3_33f9de64_84597d89_b3754abf,
        ),
        (
            -0x0061f78a_9abaa58b_46989161_52cf7eee,
            -0x00ec835e_79946a31_457e6102_31ac1d62,
        ),
        (
            0x00000000_00000000_00000000_00000000,
            -0x01000000_00000000_00000000_00000000,
        ),
        (
            0x0061f78a_9abaa58b_46989161_52cf7eee,
            -0x00ec835e_79946a31_457e6102_31ac1d62,
        ),
        (
            0x00b504f3_33f9de64_84597d89_b3754abf,
            -0x00b504f3_33f9de64_84597d89_b3754abf,
        ),
        (
            0x00ec835e_79946a31_457e6102_31ac1d62,
            -0x0061f78a_9abaa58b_46989161_52cf7eee,
        ),
    ],
    [
        (
            0x01000000_00000000_00000000_00000000,
            0x00000000_00000000_00000000_00000000,
        ),
        (
            0x00ffec43_04266865_d9565755_23669617,
            0x00064855_7de8d99f_7e4e29cf_6e5fed06,
        ),
        (
            0x00ffb10f_1bcb6bef_1d421e8e_daaf5945,
            0x000c8fb2_f886ec09_f376a179_54b2b7c5,
        ),
        (
            0x00ff4e6d_680c41d0_a90f6686_33f1ab86,
            0x0012d520_92ce19f5_ccbeeeae_8129a787,
        ),
        (
            0x00fec46d_1e89292c_f041390e_fdc726ea,
            0x001917a6_bc29b42b_e1d8e72d_912977ee,
        ),
        (
            0x00fe1323_870cfe9a_3d90cd1d_959db675,
            0x001f564e_56a9730e_344e08e5_35cadaf1,
        ),
        (
            0x00fd3aab_f84528b5_0beae6bd_951c1dac,
            0x00259020_dd1cc274_44c002a2_684781f0,
        ),
        (
            0x00fc3b27_d38a5d49_ab256778_ffcb5c17,
            0x002bc428_89167f8c_a98ffbbc_eed62c7c,
        ),
        (
            0x00fb14be_7fbae581_562172a3_61fd2a72,
            0x0031f170_78d34c15_6c973230_0393f336,
        ),
        (
            0x00f9c79d_63272c46_284504ae_08d19b2a,
            0x00381704_d4fc9ec5_f943af18_6b79b2a1,
        ),
        (
            0x00f853f7_dc9186b9_52c7adc6_b4988892,
            0x003e33f2_f642be35_5e908877_12e9dc96,
        ),
        (
            0x00f6ba07_3b424b19_e82c791f_59cc1ffc,
            0x00444749_8ac7d9dd_824c20ab_7aa99a22,
        ),
        (
            0x00f4fa0a_b6316ed2_ec163c5c_7f03b719,
            0x004a5018_bb567c16_a2d725d3_b9ed35fc,
        ),
        (
            0x00f31447_6247088f_74a5486b_dc455d57,
            0x00504d72_505d9805_0c97c4af_a25181e6,
        ),
        (
            0x00f10908_27b43725_fd67127d_b35b2873,
            0x00563e69_d6ac7f73_f8408fca_9cc277fc,
        ),
        (
            0x00eed89d_b66611e3_0786f8c2_0fb664b0,
            0x005c2214_c3e9167a_bb4e61f7_9b3a36f2,
        ),
    ],
    [
        (
            0x01000000_00000000_00000000_00000000,
            0x00000000_00000000_00000000_00000000,
        ),
        (
            0x00ffffec_42c37732_35ec9e2e_75cb525f,
            0x00006487_eabb991c_b611ad1d_7b562083,
        ),
        (
            0x00ffffb1_0b10e80e_95303143_7d7eccba,
            0x0000c90f_c5f66525_d257480f_7956b647,
        ),
        (
            0x00ffff4e_58f17465_de177338_053fd939,
            0x00012d97_822f996b_c4f96857_b5aa8f62,
        ),
        (
            0x00fffec4_2c745492_6b38e310_779edfec,
            0x0001921f_0fe67007_11ab967f_e6b7a9b0,
        ),
        (
            0x00fffe12_85aed775_d896f351_efc65557,
            0x0001f6a6_5f9a2a3c_5885cede_1f031460,
        ),
        (
            0x00fffd39_64bc6275_ba69fff9_ae0dedb0,
            0x00025b2d_61ca12e0_5dc2dd9c_015a46e7,
        ),
        (
            0x00fffc38_c9be7177_63928db0_7a0e70ba,
            0x0002bfb4_06f580bc_10053205_a54588f1,
        ),
        (
            0x00fffb10_b4dc96da_bbb47903_f7a19f8f,
            0x0003243a_3f9bd8f0_8cc3c75f_41b6ce7b,
        ),
        (
            0x00fff9c1_26447b74_24fbe180_32d00161,
            0x000388bf_fc3c915b_2280c1c9_7a65cf23,
        ),
        (
            0x00fff84a_1e29de85_718cc193_c5d508e1,
            0x0003ed45_2d5732f9_506b5e13_80c7e6be,
        ),
        (
            0x00fff6ab_9cc695b5_e89e4938_f661aa14,
            0x000451c9_c36b5c4c_c30ed3c0_1c030009,
        ),
        (
            0x00fff4e5_a25a8d09_5b43366d_f666fd55,
            0x0004b64d_aef8c3bf_4dafc8f7_1b8eb234,
        ),
        (
            0x00fff2f8_2f2bc6d6_48e08b96_133ecce1,
            0x00051ad0_e07f3a06_dff9f89f_b65be2a4,
        ),
        (
            0x00fff0e3_43865bbb_135428ed_0647c9e6,
            0x00057f53_487eac89_779fab71_e43d71e3,
        ),
        (
            0x00ffeea6_dfbc7a92_42ccf344_c6479178,
            0x0005e3d4_d77727c1_0d8ca56c_d8d54b98,
        ),
    ],
];

/// e^{2πi·k/n}, off by less than 2^-115; 1 where k ≥ n.
pub(super) fn root_of_unity(k: u64, n: u64) -> Complex {
    let turn = if k < n { share(k, n) } else { 0 };
    let mut root = small_turn(turn & ((1 << (TURN_BITS - 12)) - 1));
    for (table, shift) in TURNS
        .iter()
        .zip([TURN_BITS - 4, TURN_BITS - 8, TURN_BITS - 12])
    {
        let digit = usize::try_from((turn >> shift) & 15).unwrap_or(0);
        if let Some((re, im)) = table.get(digit) {
            root = root.times(Complex { re: *re, im: *im });
        }
    }
    root
}

/// ⌊k/n·2^126⌋.
///
/// Requires: k < n.
fn share(k: u64, n: u64) -> u128 {
    let whole = u128::from(n);
    // Both quotients are below 2^63, as a remainder is below n < 2^64.
    let shifted = u128::from(k) << 63u32;
    let (high, rest) = (shifted / whole, shifted % whole);
    (high << 63u32) | ((rest << 63u32) / whole)
}

/// e^{2πis} for s < 2^-12 in units of 2^-126.
fn small_turn(s: u128) -> Complex {
    // The same whole number in units of 2^-120 is 64·s.
    let angle = real_product(i128::try_from(s).unwrap_or(0), SIXTY_FOURTH);
    let y = real_product(angle, angle);
    let series = |coefficients: &[Fixed]| {
        let step = |sum: Fixed, c: &Fixed| real_product(sum, y).wrapping_add(*c);
        coefficients.iter().rev().fold(0, step)
    };
    Complex {
        re: series(&COSINE),
        im: real_product(series(&SINE), angle),
    }
}

#[cfg(test)]
mod tests {
    use rug::Float;
    use rug::float::Constant;

    use super::*;
    use crate::fourier::fixed::{FRACTION, ONE, root_error_up, to_float};
    use crate::kernel::coarse::Random;

    fn exact(angle: Float) -> (Float, Float) {
        angle.sin_cos(Float::new(300))
    }

    fn full_turn() -> Float {
        Float::with_val(300, Constant::Pi) * 2u32
    }

    /// How far a number is from the truth, in units.
    fn error(found: Fixed, truth: &Float) -> f64 {
        ((to_float(found, 300) - truth) << FRACTION).to_f64().abs()
    }

    #[test]
    fn constants_are_rounded() {
        for (i, table) in (1u32..).zip(&TURNS) {
            for (d, (re, im)) in (0u32..).zip(table) {
                let (sin, cos) = exact((full_turn() * d) >> (4 * i));
                assert!(
                    error(*re, &cos) <= 0.5 && error(*im, &sin) <= 0.5,
                    "{d} {i}"
                );
            }
        }
        let mut factorial = Float::with_val(300, 1);
        for n in 0..11u32 {
            factorial *= n.max(1);
            let half = usize::try_from(n / 2).unwrap();
            let sign = if half.is_multiple_of(2) { 1 } else { -1 };
            let found = if n.is_multiple_of(2) {
                COSINE[half]
            } else {
                SINE[half.min(4)]
            };
            if n < 10 || n.is_multiple_of(2) {
                assert!(error(found, &(sign / factorial.clone())) <= 0.5, "{n}");
            }
        }
        assert!(error(SIXTY_FOURTH, &(full_turn() >> 6)) < 1.0);
        assert_eq!(ONE, COSINE[0]);
    }

    #[test]
    fn shares_are_rounded_down() {
        let mut random = Random(71);
        for _ in 0..10_000 {
            let n = 1 + (random.below(u64::MAX) >> random.below(64));
            let k = random.below(n);
            let truth = (rug::Integer::from(k) << TURN_BITS) / n;
            assert_eq!(rug::Integer::from(share(k, n)), truth, "{k} of {n}");
        }
    }

    /// Any root of any period, and next to whole digits; the bound is not far from what is seen.
    #[test]
    fn roots_are_within_their_error() {
        let mut random = Random(72);
        let mut most = 0f64;
        for round in 0..20_000 {
            let (k, n) = match round % 2 {
                0 => {
                    let n = 1 + (random.below(u64::MAX) >> random.below(64));
                    (random.below(n), n)
                }
                _ => (random.below(1 << 12) * (1 << 40) + random.below(3), 1 << 52),
            };
            let found = root_of_unity(k, n);
            let (sin, cos) = exact(full_turn() * k / n);
            let off = error(found.re, &cos).hypot(error(found.im, &sin));
            most = most.max(off);
            let allowed = (root_error_up() << FRACTION).to_f64();
            assert!(off < allowed, "{k} of {n}: {off}");
        }
        assert!(most > 5.0, "{most}");
        assert!(root_of_unity(7, 7) == root_of_unity(0, 1));
    }
}
