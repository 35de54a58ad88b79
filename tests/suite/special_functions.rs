//! The normal law against three independent sources: series in integers (nothing from MPFR), MPFR at a
//! higher precision, and statrs in double precision.

use dpcmp::kernel::{Interval, normal};
use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::prelude::*;
use rug::{Float, Rational};
use statrs::distribution::{ContinuousCDF, Normal};

/// Integer bounds of a positive number times 2^SCALE.
#[derive(Clone)]
struct Bracket {
    lo: BigInt,
    hi: BigInt,
}

const SCALE: usize = 900;

impl Bracket {
    fn ratio(n: u32, d: u32) -> Self {
        let one = BigInt::from(1) << SCALE;
        Self {
            lo: one.clone(),
            hi: one,
        }
        .times(n, d)
    }

    fn times(&self, n: u32, d: u32) -> Self {
        Self {
            lo: &self.lo * n / d,
            hi: (&self.hi * n + (d - 1)) / d,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            lo: &self.lo + &other.lo,
            hi: &self.hi + &other.hi,
        }
    }

    fn minus(&self, other: &Self) -> Self {
        Self {
            lo: &self.lo - &other.hi,
            hi: &self.hi - &other.lo,
        }
    }

    fn squared(&self) -> (BigRational, BigRational) {
        let square = |x: &BigInt| {
            let value = BigRational::new(x.clone(), BigInt::from(1) << SCALE);
            &value * &value
        };
        (square(&self.lo), square(&self.hi))
    }
}

/// Machin: π = 16·atan(1/5) − 4·atan(1/239); alternating series stopped on either side.
fn pi() -> Bracket {
    let atan = |d: u32| {
        let (mut sum, mut power) = (Bracket::ratio(0, 1), Bracket::ratio(1, d));
        for n in 0..450u32 {
            let term = power.times(1, 2 * n + 1);
            sum = if n % 2 == 0 {
                sum.plus(&term)
            } else {
                sum.minus(&term)
            };
            power = power.times(1, d * d);
        }
        sum.hi += &power.hi; // the next term is below this, and positive
        sum
    };
    atan(5).times(16, 1).minus(&atan(239).times(4, 1))
}

/// √(2π)·(Φ(x) − 1/2) = Σ (−1)ⁿ x^(2n + 1)/(2ⁿ·n!·(2n + 1)) for x = k/4.
fn centre_series(k: u32) -> Bracket {
    let (mut sum, mut power) = (Bracket::ratio(0, 1), Bracket::ratio(k, 4));
    let terms = 400u32; // even, so that the next term is positive; decreasing long before
    for n in 0..terms {
        let term = power.times(1, 2 * n + 1);
        sum = if n % 2 == 0 {
            sum.plus(&term)
        } else {
            sum.minus(&term)
        };
        power = power.times(k * k, 32 * (n + 1));
    }
    sum.hi += &power.hi;
    sum
}

/// e^{x²/2} for x = k/4, by its series; the ratio of the terms after the last is below 1/2.
fn exponential(k: u32) -> Bracket {
    let (mut sum, mut term) = (Bracket::ratio(0, 1), Bracket::ratio(1, 1));
    for n in 0..1200u32 {
        sum = sum.plus(&term);
        term = term.times(k * k, 32 * (n + 1));
    }
    sum.hi += &term.hi * 2;
    sum
}

/// Mills' ratio (1 − Φ)/φ = 1/(x + 1/(x + 2/(x + 3/(x + …)))) (Laplace) for x = k/4: consecutive convergents
/// lie on either side.
fn mills_ratio(k: u32) -> (BigRational, BigRational) {
    let (mut a, mut b) = (
        (BigInt::from(0), BigInt::from(4)),
        (BigInt::from(1), BigInt::from(k)),
    );
    for n in 1..4000u32 {
        a = (a.1.clone(), a.1 * k + a.0 * (16 * n));
        b = (b.1.clone(), b.1 * k + b.0 * (16 * n));
    }
    let (x, y) = (
        BigRational::new_raw(a.0, b.0),
        BigRational::new_raw(a.1, b.1),
    );
    if x < y { (x, y) } else { (y, x) }
}

fn exact(x: &Float) -> BigRational {
    let x = x.to_rational().unwrap();
    let integer =
        |n: &rug::Integer| BigInt::parse_bytes(n.to_string_radix(16).as_bytes(), 16).unwrap();
    BigRational::new(integer(x.numer()), integer(x.denom()))
}

fn two() -> BigRational {
    BigRational::from(BigInt::from(2))
}

fn enclosures(k: u32) -> Vec<Interval> {
    let mut all: Vec<Interval> = [64u32, 128, 192, 300]
        .iter()
        .map(|bits| normal::survival(&quarter(k, *bits)))
        .collect();
    all.push(normal::survival_absolute(&quarter(k, 192)));
    all
}

fn quarter(k: u32, bits: u32) -> Interval {
    Interval::from_rational(&Rational::from((k, 4)), bits)
}

#[test]
fn survival_contains_the_alternating_series() {
    let pi = pi();
    let scale = BigInt::from(1) << SCALE;
    let two_pi = (
        BigRational::new(&pi.lo * 2, scale.clone()),
        BigRational::new(&pi.hi * 2, scale),
    );
    let half = two().recip();
    for k in [1, 2, 3, 5, 8, 10, 13, 16] {
        let (series_lo, series_hi) = centre_series(k).squared();
        for value in enclosures(k) {
            // Φ − 1/2 = 1/2 − survival; both sides squared.
            let (least, most) = (&half - exact(value.hi()), &half - exact(value.lo()));
            assert!(
                &least * &least * &two_pi.1 < series_lo,
                "k = {k}: {value:?}"
            );
            assert!(&most * &most * &two_pi.0 > series_hi, "k = {k}: {value:?}");
        }
    }
}

#[test]
fn survival_contains_the_continued_fraction() {
    let pi = pi();
    let scale = BigInt::from(1) << SCALE;
    let two_pi = (
        BigRational::new(&pi.lo * 2, scale.clone()),
        BigRational::new(&pi.hi * 2, scale),
    );
    let all = [14, 16, 19, 24, 32, 41, 50, 57, 61];
    for k in all.into_iter().step_by(crate::soundness_support::every(6)) {
        let (exp_lo, exp_hi) = exponential(k).squared();
        let (mills_lo, mills_hi) = mills_ratio(k);
        for value in enclosures(k) {
            // survival·√(2π)·e^{x²/2} = Mills' ratio; both sides squared.
            let (least, most) = (exact(value.lo()), exact(value.hi()));
            assert!(
                &least * &least * &two_pi.1 * &exp_hi < &mills_lo * &mills_lo,
                "k = {k}: {value:?}"
            );
            assert!(
                &most * &most * &two_pi.0 * &exp_lo > &mills_hi * &mills_hi,
                "k = {k}: {value:?}"
            );
        }
    }
}

/// 1 − Φ(x) by MPFR in far more bits than anything tested against it.
fn oracle(x: &Float) -> Float {
    let bits = 700;
    let root = Float::with_val(bits, 2).sqrt();
    (Float::with_val(bits, x) / root).erfc() >> 1u32
}

/// The interval contains the x of every member of p, by monotonicity.
fn contains_inverse(x: &Interval, p: &Interval) -> bool {
    oracle(x.lo()) >= *p.hi() && oracle(x.hi()) <= *p.lo()
}

fn check_inverse(p: &Interval) {
    let x = normal::survival_inverse(p);
    assert!(contains_inverse(&x, p), "{p:?}: {x:?}");
    assert_eq!(normal::quantile(p), x.neg());
}

fn relative_width_log2(x: &Interval) -> i32 {
    let relative = Float::with_val(64, x.width_up() / x.lo());
    relative.get_exp().unwrap_or(i32::MIN)
}

fn small(exponent: &str, bits: u32) -> Float {
    Float::with_val(bits, Float::parse(exponent).unwrap())
}

#[test]
fn inverse_far_out_is_sharp() {
    for text in [
        "1e-400000",
        "3e-4000",
        "1e-300",
        "1e-50",
        "1e-17",
        "0.001",
        "0.24999",
        "0.25",
        "0.3",
        "0.4999",
        "0.7",
        "0.75001",
        "0.999",
    ] {
        for bits in [32u32, 64, 128, 192, 500] {
            let p = Interval::point(small(text, bits));
            check_inverse(&p);
            let width = relative_width_log2(&normal::survival_inverse(&p));
            let limit = 5 - i32::try_from(bits).unwrap();
            assert!(width <= limit, "p = {text} at {bits} bits: 2^{width}");
        }
    }
}

#[test]
fn inverse_near_the_middle_is_sharp() {
    let half = Float::with_val(128, 0.5);
    assert!(normal::survival_inverse(&Interval::point(half.clone())).is_zero());
    let (mut below, mut above) = (half.clone(), half.clone());
    below.next_down();
    above.next_up();
    for p in [below, above, half.clone() - 1e-20, half + 1e-9] {
        let p = Interval::point(p);
        check_inverse(&p);
        assert!(relative_width_log2(&normal::survival_inverse(&p)) <= -123);
    }
}

#[test]
fn inverse_at_the_ends() {
    let zero = Interval::zero(64);
    assert_eq!(normal::survival_inverse(&zero), Interval::infinity(64));
    assert_eq!(
        normal::survival_inverse(&Interval::one(64)),
        Interval::infinity(64).neg()
    );
    assert_eq!(normal::quantile(&zero), Interval::infinity(64).neg());
    assert_eq!(
        normal::quantile(&zero.hull(&Interval::one(64))),
        Interval::whole_line(64)
    );
    let beyond = Interval::from_i64(-3, 64).hull(&Interval::from_i64(3, 64));
    assert_eq!(normal::quantile(&beyond), Interval::whole_line(64));
    // The least positive number, and the greatest below 1.
    let (mut least, mut greatest) = (Float::new(64), Float::with_val(64, 1));
    least.next_up();
    greatest.next_down();
    check_inverse(&Interval::point(least));
    check_inverse(&Interval::point(greatest));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn inverse_contains(a in any::<u64>(), b in any::<u64>(), shift in 0u32..120, bits in 4u32..260) {
        let scale = Rational::from((1, rug::Integer::from(1) << (64 + shift)));
        let (a, b) = (Rational::from(&scale * a), Rational::from(&scale * b));
        // A narrow interval, a wide one, and their mirror images.
        let narrow = Interval::from_rational(&a, bits);
        let wide = narrow.hull(&Interval::from_rational(&b, bits));
        for p in [&narrow, &wide, &narrow.one_minus(), &wide.one_minus()] {
            let x = normal::survival_inverse(p);
            prop_assert!(contains_inverse(&x, &p.in_unit()), "{:?}: {:?}", p, x);
        }
        prop_assert!(normal::survival(&normal::survival_inverse(&narrow)).contains(&a));
    }

    #[test]
    fn density_is_minus_the_slope(k in -4000i32..4000, bits in 20u32..200) {
        // By the mean value theorem: survival(x) − survival(x + h) is between h·φ(x) and h·φ(x + h).
        let at = |x: &Rational, bits| Interval::from_rational(x, bits);
        let h = Rational::from((1, 1u64 << 40));
        let x = Rational::from((k, 100));
        let end = Rational::from(&x + &h);
        let drop = normal::survival(&at(&x, 400)).sub(&normal::survival(&at(&end, 400)));
        let slope = drop.div(&at(&h, 400));
        let densities = normal::density(&at(&x, bits)).hull(&normal::density(&at(&end, bits)));
        prop_assert!(densities.intersect(&slope).is_ok());
        let density = normal::density(&Interval::point(Float::with_val(bits, k)));
        let limit = 4 - i32::try_from(bits).unwrap();
        prop_assert!(relative_width_log2(&density) <= limit);
    }

    #[test]
    fn agrees_with_double_precision(x in -8.0f64..8.0) {
        let law = Normal::standard();
        let point = Interval::point(Float::with_val(128, x));
        let close = |enclosure: Interval, value: f64| (enclosure.middle().to_f64() - value).abs() < 1e-10;
        prop_assert!(close(normal::cdf(&point), law.cdf(x)));
        prop_assert!(close(normal::survival(&point), law.sf(x)));
        prop_assert!(close(normal::cdf_absolute(&point), law.cdf(x)));
        let p = law.cdf(x / 2.0);
        let inverse = normal::quantile(&Interval::point(Float::with_val(128, p)));
        prop_assert!((inverse.middle().to_f64() - law.inverse_cdf(p)).abs() < 1e-6);
    }
}
