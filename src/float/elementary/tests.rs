//! Against MPFR, at the ends of the range, and every digit of many values.

use rug::Float;

use super::*;

/// How far off the correctly rounded value, in units in the last place of that.
fn units(found: f64, truth: &Float) -> f64 {
    let nearest = truth.to_f64();
    let unit = (nearest.abs().next_up() - nearest.abs()).max(f64::from_bits(1));
    (Float::with_val(200, found) - truth).to_f64().abs() / unit
}

/// Numbers between −1 and 1, drawn.
fn draws(count: usize) -> impl Iterator<Item = f64> {
    let mut state = 1u64;
    (0..count).map(move |_| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 11) as f64 / (1u64 << 52) as f64) - 1.0
    })
}

#[test]
fn tables_are_what_they_say() {
    let precise = |x: f64| Float::with_val(200, x);
    for (i, (power, more)) in POWERS.iter().enumerate() {
        let truth = Float::with_val(200, precise(i as f64) / 128).exp2();
        assert_eq!(*power, truth.to_f64(), "{i}");
        let share = (truth - power) / power;
        assert_eq!(*more, share.to_f64(), "{i}");
    }
    for (i, log) in LOGS.iter().enumerate() {
        assert_eq!(
            *log,
            Float::with_val(200, precise((i + FIRST) as f64) / 128)
                .ln()
                .to_f64(),
            "{i}"
        );
    }
    let log = precise(2.0).ln();
    assert_eq!(STEPS, (precise(128.0) / &log).to_f64());
    for ((large, small), truth, bits) in [(STEP, log.clone() / 128, 32), (LOG_2, log, 40)] {
        assert_eq!(precise(large), Float::with_val(bits, &truth));
        assert_eq!(small, (truth - large).to_f64());
    }
    assert!(f64::from_bits(ROOT_OF_HALF).powi(2) < 0.5);
    assert!(f64::from_bits(ROOT_OF_HALF + 1).powi(2) > 0.5);
}

/// Against MPFR in 200 bits: small, usual and large arguments, and those next to 1.
#[test]
fn within_two_units() {
    let precise = |x: f64| Float::with_val(200, x);
    let mut worst = [0f64; 4];
    let mut look = |which: usize, found: f64, truth: Float, x: f64| {
        let off = units(found, &truth);
        worst[which] = worst[which].max(off);
        assert!(off < 2.0, "{which} at {x:e}: {found:e}, {off} units");
    };
    for scale in [1e-300, 1e-17, 1e-9, 1e-4, 3e-3, 0.02, 0.3, 1.0, 40.0, 700.0] {
        for x in draws(2000).map(|x| x * scale) {
            look(0, exp(x), precise(x).exp(), x);
            look(1, exp_m1(x), precise(x).exp_m1(), x);
            look(2, ln(x.abs()), precise(x.abs()).ln(), x);
            look(2, ln(1.0 + x.abs()), precise(1.0 + x.abs()).ln(), x);
            let x = if x < -1.0 { -x } else { x };
            look(2, ln(1.0 + x), precise(1.0 + x).ln(), x);
            look(3, ln_1p(x), precise(x).ln_1p(), x);
        }
    }
    // Of every binade.
    for exponent in -1022..1024 {
        let x = f64::from_bits(((exponent + 1023) as u64) << 52) * 1.372;
        look(2, ln(x), precise(x).ln(), x);
    }
    println!("{worst:?}");
}

#[test]
fn ends_of_the_range() {
    assert_eq!(
        [exp(0.0), exp_m1(0.0), ln(1.0), ln_1p(0.0)],
        [1.0, 0.0, 0.0, 0.0]
    );
    assert_eq!(
        [exp(710.0), exp(f64::INFINITY), exp_m1(1e300)],
        [f64::INFINITY; 3]
    );
    assert_eq!([exp(-746.0), exp(f64::NEG_INFINITY)], [0.0; 2]);
    assert_eq!([exp_m1(-800.0), exp_m1(f64::NEG_INFINITY)], [-1.0; 2]);
    assert_eq!([ln(0.0), ln(-0.0), ln_1p(-1.0)], [f64::NEG_INFINITY; 3]);
    assert_eq!(
        [ln(f64::INFINITY), ln_1p(f64::INFINITY)],
        [f64::INFINITY; 2]
    );
    for none in [
        exp(f64::NAN),
        exp_m1(f64::NAN),
        ln(-1.0),
        ln(f64::NAN),
        ln_1p(-2.0),
        ln_1p(f64::NAN),
    ] {
        assert!(none.is_nan());
    }
    for (x, truth) in [
        (709.0, 8.218407461554972e307),
        (-740.0, 4.2e-322),
        (-745.0, 5e-324),
    ] {
        assert!((exp(x) / truth - 1.0).abs() < 1e-14, "{x}");
    }
    assert!((ln(5e-324) + 744.4400719213812).abs() < 1e-12);
    assert!((ln(f64::MAX) - 709.782712893384).abs() < 1e-12);
}

#[test]
fn whole_powers() {
    assert_eq!(
        [powi(2.0, 50), powi(2.0, -1022), powi(7.0, 0)],
        [(1u64 << 50) as f64, f64::MIN_POSITIVE, 1.0]
    );
    assert_eq!(powi(-3.0, 3), -27.0);
    for k in -20..20 {
        assert_eq!(log2(powi(2.0, k)), f64::from(k));
    }
    for k in 0..20 {
        assert_eq!(log10(powi(10.0, k)), f64::from(k));
        assert_eq!(pow(10.0, f64::from(k)), powi(10.0, k));
    }
}

#[test]
fn quantiles_give_their_tails() {
    for p in [
        0.5, 0.4999999, 0.3, 0.2501, 0.25, 0.2, 1e-3, 1e-20, 1e-200, 1e-307,
    ] {
        let x = upper_quantile(p);
        let tail = (Float::with_val(200, x) / Float::with_val(200, 2).sqrt()).erfc() / 2u32;
        let missed = (tail / p - 1u32).to_f64().abs();
        assert!(missed < 1e-15 * (4.0 + x * x), "{p:e} {x} {missed:e}");
    }
    assert_eq!(upper_quantile(0.5), 0.0);
    let far = upper_quantile(f64::from_bits(1));
    assert!((far - 38.47).abs() < 0.02, "{far}");
}

/// Every digit of many values: what they are on one processor they are on all.
#[test]
fn same_digits_everywhere() {
    let mut sum = 0u64;
    let mut take =
        |x: f64| sum = sum.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ x.to_bits();
    for x in draws(5000).map(|x| 30.0 * x) {
        let positive = x.abs();
        for value in [exp(x), exp_m1(x), ln(positive), ln_1p(positive)] {
            take(value);
        }
        for value in [
            asinh(x),
            atan2(x, 0.7),
            cbrt(x),
            cosh(x),
            erf(x / 9.0),
            erfc(x / 4.0),
            exp2(x),
        ] {
            take(value);
        }
        for value in [
            hypot(x, 3.0),
            log2(positive),
            log10(positive),
            pow(positive, 2.3),
            sinh(x),
            powi(x, 7),
        ] {
            take(value);
        }
        let (sin, cos) = sin_cos(x);
        for value in [
            sin,
            cos,
            ln_beta(positive, 0.3),
            upper_quantile(exp(-positive) / 2.0),
        ] {
            take(value);
        }
    }
    assert_eq!(sum, 1_309_015_102_616_902_479);
}
