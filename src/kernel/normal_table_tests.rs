//! The table of the normal law, entry by entry and against MPFR.

use proptest::prelude::*;
use rug::float::Constant;

use super::*;
use crate::kernel::directed as d;
use crate::kernel::normal_nodes::Node;
use crate::kernel::{Interval, normal};
use rug::Rational;

/// 1 − Φ by MPFR, at a precision that makes its rounding (2^-300 and the tail's cancellation) irrelevant.
fn oracle(x: &Float) -> Float {
    let bits = 400;
    let root = Float::with_val(bits, 2).sqrt();
    (Float::with_val(bits, x) / root).erfc() >> 1u32
}

fn contains(x: &Interval, value: &Interval, rounding_log2: i32) -> bool {
    let slack = Float::with_val(64, 1) >> rounding_log2;
    let most = oracle(x.lo());
    let least = if x.lo() == x.hi() {
        most.clone()
    } else {
        oracle(x.hi())
    };
    *value.lo() <= Float::with_val(400, &least + &slack)
        && *value.hi() >= Float::with_val(400, &most - &slack)
        && *value.lo() >= 0
        && *value.hi() <= 1
}

/// The rounding of the oracle: nothing in these tests is as close as this.
const ORACLE_LOG2: i32 = 390;

fn check_point(x: &Float) {
    for bits in [64, 128, 192] {
        let argument = Interval::point(Float::with_val(bits, x));
        let value = normal::survival_absolute(&argument);
        assert!(
            contains(&argument, &value, ORACLE_LOG2),
            "x = {x} at {bits} bits: {value:?}"
        );
        if bits == 192 {
            assert!(value.width_up() < Float::with_val(64, 1) >> 176u32, "{x}");
        }
        let other = normal::cdf_absolute(&argument);
        assert!(
            contains(&argument.neg(), &other, ORACLE_LOG2),
            "x = {x} at {bits} bits"
        );
    }
}

#[test]
fn grid_of_nodes_midpoints_and_neighbours() {
    for k in (-1010i32..1010).step_by(crate::test_scale::every(6)) {
        let x = Float::with_val(192, k) >> 6u32;
        check_point(&x);
        if k % 16 == 0 {
            let (mut above, mut below) = (x.clone(), x);
            above.next_up();
            below.next_down();
            check_point(&above);
            check_point(&below);
        }
    }
}

#[test]
fn corners() {
    let tiny = Float::with_val(192, 1) >> 100_000u32;
    let mut least = Float::new(192);
    least.next_up();
    for x in [
        tiny,
        least,
        Float::with_val(192, 1e6),
        Float::with_val(192, 15.5),
        d::infinity(192),
    ] {
        check_point(&x);
        check_point(&Float::with_val(192, -&x));
    }
    assert!(
        normal::survival_absolute(&Interval::whole_line(128))
            .lo()
            .is_zero()
    );
    assert!(*normal::survival_absolute(&Interval::whole_line(128)).hi() == 1);
}

/// The same table at fixed-point arguments, near zero and beyond its ends.
#[test]
fn fixed_point_arguments() {
    let offsets = [
        Integer::new(),
        Integer::from(1),
        Integer::from(-1),
        Integer::from(1) << 170,
    ];
    for (number, k) in (-1100i32..1100).enumerate() {
        for (place, offset) in offsets.iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 8) {
                continue;
            }
            let x = (Integer::from(k) << (FIXED_ARGUMENT_BITS - 6)) + offset;
            let mut limbs = [0u64; 3];
            Integer::from(x.abs_ref()).write_digits(&mut limbs, Order::Lsf);
            let size = Wide(limbs);
            let fixed = if x < 0 { size.negated() } else { size };
            let value = to_integer(survival_fixed(fixed).unwrap());
            let truth = oracle(&(Float::with_val(300, x) >> FIXED_ARGUMENT_BITS));
            let error = Float::with_val(400, (truth << FRACTION_BITS) - value).abs();
            assert!(error < FIXED_ERROR, "{k}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(150)))]

    #[test]
    fn random_points(high in any::<i64>(), low in any::<u64>()) {
        // Uniform in [−16, 16) with 124 fractional bits.
        let x = Float::with_val(192, (Integer::from(high) << 64) + low) >> 123u32;
        let argument = Interval::point(x);
        let value = normal::survival_absolute(&argument);
        prop_assert!(contains(&argument, &value, ORACLE_LOG2));
        prop_assert!(value.width_up() < Float::with_val(64, 1) >> 176u32);
        // Two precisions: both enclose the same number.
        let coarse = normal::survival_absolute(&argument.at_bits(80));
        prop_assert!(coarse.intersect(&value).is_ok());
        let coarse = normal::survival(&argument.at_bits(80));
        prop_assert!(contains(&argument, &coarse, ORACLE_LOG2));
        prop_assert!(coarse.width_up() < Float::with_val(80, coarse.lo() >> 66u32) || *argument.lo() > 8.0);
    }

    #[test]
    fn random_intervals(start in -600_000i32..600_000, length in 0u32..1_200_000, shift in 0u32..90, bits in 20u32..192) {
        let start = Rational::from((start, 37_449));
        let length = Rational::from((length, 37_449)) / (Integer::from(1) << shift);
        let end = length + &start;
        let x = Interval::spanning(d::rational_down(&start, bits), d::rational_up(&end, bits));
        for value in [normal::survival_absolute(&x), normal::survival(&x)] {
            prop_assert!(contains(&x, &value, ORACLE_LOG2));
        }
    }
}

/// The coefficients of S = 1 − Φ at k/32 by another way than the table's: S″ = −x·S′ gives
/// (n + 2)(n + 1)·sₙ₊₂ = −a(n + 1)·sₙ₊₁ − n·sₙ for the coefficients of (x − a)ⁿ.
fn is_right(index: usize, node: &Node) -> bool {
    let bits = 500;
    let a: Float = Float::with_val(bits, index) / 32u32;
    let two_pi = Float::with_val(bits, Constant::Pi) * 2u32;
    let density = (-Float::with_val(bits, a.square_ref()) / 2u32).exp() / two_pi.sqrt();
    let mut expected = vec![oracle(&a), -density];
    for n in 0..24usize {
        let terms = Float::with_val(bits, &a * &expected[n + 1]) * (n + 1)
            + Float::with_val(bits, &expected[n] * n);
        expected.push(-terms / ((n + 2) * (n + 1)));
    }
    let three = node.three.iter().map(|v| {
        let unsigned = to_integer(*v);
        if v.is_negative() {
            unsigned - (Integer::from(1) << 192)
        } else {
            unsigned
        }
    });
    let two = node.two.iter().map(|v| Integer::from(*v));
    let one = node.one.iter().map(|v| Integer::from(*v));
    three
        .chain(two)
        .chain(one)
        .zip(&expected)
        .enumerate()
        .all(|(n, (actual, expected))| {
            let shift = i32::try_from(FRACTION_BITS).unwrap() - 5 * i32::try_from(n).unwrap();
            (Float::with_val(bits, expected << shift) - actual).abs() <= 2
        })
}

#[test]
fn every_coefficient_of_every_node() {
    for index in 0..NODES {
        let node = node(index).expect("the invariants hold");
        assert!(is_right(index, node), "node {index}");
    }
}

#[test]
fn a_wrong_coefficient_would_be_found() {
    for index in [0, 1, 17, 200, 495] {
        let node = node(index).unwrap().clone();
        for n in 0..10 {
            let mut wrong = node.clone();
            wrong.three[n] = wrong.three[n].wrapping_add(Wide([3, 0, 0]));
            assert!(!is_right(index, &wrong), "three {n}");
        }
        for n in 0..9 {
            let mut wrong = node.clone();
            wrong.two[n] -= 3;
            assert!(!is_right(index, &wrong), "two {n}");
        }
        for n in 0..7 {
            let mut wrong = node.clone();
            wrong.one[n] += 3;
            assert!(!is_right(index, &wrong), "one {n}");
        }
        assert!(!is_right(index + 1, &node));
    }
}

/// The bounds in the proof at the head of the module, in exact arithmetic where they are numbers.
#[test]
fn constants_of_the_proof() {
    // 2¹²·12!/π < 2¹²·12!/3 and R < 2^-179.
    let factorial = |n: u32| Integer::from(Integer::factorial(n));
    let derivative = Rational::from((factorial(12) << 12, 3));
    assert!(derivative < 660_000_000_000u64);
    let remainder = Rational::from((factorial(12) << 12, 3)) / (factorial(26) << 130);
    assert!(remainder < Rational::from((1, Integer::from(1) << 179)));
    // The first omitted node is beyond the reach of 2^-178.
    let end = Interval::from_rational(&Rational::from((NODES, 32u32)), 64);
    let tail = normal::density(&end).div(&end);
    assert!(*tail.hi() < Float::with_val(64, 1) >> ABSOLUTE_BITS);
    assert!(normal::survival_without_table(&end).hi() < tail.hi());
}

/// In fixed point, with all digits of the argument.
#[test]
fn every_digit_of_an_argument_counts() {
    let slack = Float::with_val(64, FIXED_ERROR + 1);
    for low in [0, 1 << 52, 1 << 53, u64::MAX] {
        for high in [0u64, 3 << 52, 1 << 57, 600 << 53] {
            let x = Wide([low, low, high | 7]);
            for x in [x, x.negated()] {
                let size = if x.is_negative() { x.negated() } else { x };
                let exact = Float::with_val(200, to_integer(size)) >> FIXED_ARGUMENT_BITS;
                let exact = if x.is_negative() { -exact } else { exact };
                let found = Float::with_val(200, to_integer(survival_fixed(x).unwrap()));
                let truth = oracle(&exact) << FRACTION_BITS;
                assert!((found - truth).abs() < slack, "{exact}");
            }
        }
    }
}
