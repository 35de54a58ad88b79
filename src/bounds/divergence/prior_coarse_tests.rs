//! log Γ and pieces of tables at few bits.

use super::*;
use crate::kernel::coarse::{Random, few_bits};

/// At a few bits, of shapes from 2^−12 to 2^12.
#[test]
fn log_gamma_at_random() {
    let mut random = Random(75);
    for _ in 0..2_000 {
        let shift = i32::try_from(random.below(24)).unwrap() - 12;
        let x = (Rational::from((1 + random.below(1 << 30), 1u32 << 30))) << shift;
        let truth = Float::with_val(200, &x).ln_gamma();
        let slack = Float::with_val(200, truth.clone().abs() + 1u32) >> 150u32;
        for _ in 0..5 {
            let bits = few_bits(&mut random);
            let found = log_gamma(&x, bits);
            let (low, high) = (
                Float::with_val(200, &truth - &slack),
                Float::with_val(200, &truth + &slack),
            );
            assert!(
                *found.lo() <= high && *found.hi() >= low,
                "{x} {bits}: {found:?}"
            );
        }
    }
}

/// A range is in a piece if it lies between two neighbours and reaches neither.
#[test]
fn ranges_within_one_piece() {
    let mut random = Random(76);
    for _ in 0..10_000 {
        let bits = few_bits(&mut random);
        let mut points: Vec<TablePoint> = (0..=24)
            .filter(|_| random.once_in(4))
            .map(|at| (Rational::from((at, 24)), Rational::from(1)))
            .collect();
        points.push((Rational::from((99, 98)), Rational::from(1)));
        let mut end = || match random.below(2) {
            0 => Float::with_val(bits, random.below(1 << bits)) >> bits,
            _ => Float::with_val(bits, random.below(25)) / 24u32,
        };
        let (a, b) = (end(), end());
        let range = Interval::point(a).hull(&Interval::point(b));
        let is_inside =
            |left: &TablePoint, right: &TablePoint| *range.lo() > left.0 && *range.hi() < right.0;
        let found = Density::segment(&points, &range);
        let truth = points.windows(2).find(|pair| is_inside(&pair[0], &pair[1]));
        assert_eq!(
            found.map(|[a, b]| (&a.0, &b.0)),
            truth.map(|pair| (&pair[0].0, &pair[1].0)),
            "{range:?}"
        );
    }
}
