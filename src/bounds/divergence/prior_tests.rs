//! Densities on the prior and log Γ, against exact values over wide ranges.

use proptest::prelude::*;

use super::*;
use crate::bounds::testing::{decimal, power_of_ten};
use crate::number::parse_rational;

/// mpmath with 420 digits, at arguments that few bits enclose widely and at extreme ones.
#[test]
fn log_gamma_in_few_and_in_many_bits() {
    for (x, truth) in [
        ("1e-300", "690.77552789821370520539743640530926228033"),
        ("1e-3", "6.90717888538385368251234466807698250215996"),
        ("0.1", "2.25271265173420595986970164636849511861563"),
        ("0.5", "0.572364942924700087071713675676529355823647"),
        (
            "1.4616321449683623",
            "-0.121486290535849608095514557177690758368552",
        ),
        (
            "1.0000000000000000000001",
            "-5.77215664901532860606429843379060019720336e-23",
        ),
        ("10.7", "14.4032105962985177658723671606314317999568"),
        ("1e6", "12815504.569147611659976971785017113153688"),
        ("1e300", "6.8977552789821370520539743640530926228033e302"),
    ] {
        let number = parse_rational(x).unwrap();
        let truth = decimal(truth);
        // The decimals are rounded after some 40 digits.
        let slack = Float::with_val(200, truth.clone().abs() * power_of_ten(38));
        for bits in [12, 24, 53, 90, 400] {
            let found = log_gamma(&number, bits);
            let (low, high) = (
                Float::with_val(200, &truth - &slack),
                Float::with_val(200, &truth + &slack),
            );
            assert!(
                *found.lo() <= high && *found.hi() >= low,
                "{x} in {bits} bits: {found:?}, not {low} to {high}"
            );
        }
        let fine = log_gamma(&number, 2_000);
        assert!(fine.width_up() < power_of_ten(100), "{x}: {fine:?}");
    }
}

/// Shapes next to either end of what few bits tell apart.
#[test]
fn log_gamma_next_to_its_neighbours() {
    for bits in 2..=7u32 {
        let half = 1u32 << (bits - 1);
        for (exponent, digits) in (-4i32..2).flat_map(|e| (half..2 * half).map(move |d| (e, d))) {
            let scale = |x: Rational| (x << (exponent + 8)) >> (bits + 7);
            let shift = Rational::from((1, 1u64 << 40));
            let (low, high) = (Rational::from(digits), Rational::from(digits + 1));
            for x in [
                Rational::from(&low + &shift),
                Rational::from(&high - &shift),
            ] {
                let x = scale(x);
                let found = log_gamma(&x, bits);
                let truth = Float::with_val(400, &x).ln_gamma();
                assert!(
                    *found.lo() <= truth && truth <= *found.hi(),
                    "{x} in {bits} bits: {found:?}"
                );
            }
        }
    }
}

/// Shapes whose density is a polynomial, tables and 12(π − ½)².
fn density() -> impl Strategy<Value = Prior> {
    let points = prop::collection::btree_map(0u32..=24, 0u32..9, 2..5).prop_map(|points| {
        let point = |(at, value): (u32, u32)| (Rational::from((at, 24)), Rational::from(value));
        Prior::table(points.into_iter().map(point).collect()).unwrap()
    });
    let shape = || (1u32..6).prop_map(Rational::from);
    prop_oneof![
        2 => points,
        1 => Just(Prior::u_quadratic()),
        2 => (shape(), shape()).prop_map(|(a, b)| Prior::beta(a, b).unwrap()),
    ]
}

fn power(base: &Rational, exponent: u32) -> Rational {
    (0..exponent).fold(Rational::from(1), |product, _| product * base)
}

fn factorial(n: u32) -> Rational {
    (1..=n).fold(Rational::from(1), |product, i| product * i)
}

/// The density at a prior, straight from its definition.
fn exact(density: &Prior, at: &Rational) -> Rational {
    match density.shape() {
        PriorShape::Uniform => Rational::from(1),
        PriorShape::UQuadratic => 12 * (at - Rational::from((1, 2))).square(),
        PriorShape::Beta { a, b } => {
            let [a, b] = [a, b].map(|shape| shape.numer().to_u32().unwrap() - 1);
            let scale = factorial(a + b + 1) / (factorial(a) * factorial(b));
            scale * power(at, a) * power(&Rational::from(1 - at), b)
        }
        PriorShape::Table(points) => points
            .windows(2)
            .find(|ends| ends[0].0 <= *at && *at <= ends[1].0)
            .map_or_else(Rational::new, |ends| {
                let share =
                    Rational::from(at - &ends[0].0) / Rational::from(&ends[1].0 - &ends[0].0);
                &ends[0].1 + share * Rational::from(&ends[1].1 - &ends[0].1)
            }),
    }
}

/// Second differences, exact for what is bounded here only up to a little: mean values of Ψ' and Ψ''.
fn differences(density: &Prior, at: &Rational, step: &Rational) -> (Rational, Rational) {
    let [before, here, after] = [
        Rational::from(at - step),
        at.clone(),
        Rational::from(at + step),
    ]
    .map(|place| exact(density, &place));
    let slope = Rational::from(&after - &before) / Rational::from(step * 2);
    let bend = (before + after - here * 2) / step.clone().square();
    (slope, bend)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn values_and_derivatives_over_a_range(
        density in density(),
        ends in (1u32..240, 1u32..240),
        inside in 1u32..20,
    ) {
        let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let (low, high) = (Rational::from((low, 240)), Rational::from((high, 240)));
        let bits = 100;
        let prior = Interval::from_rational(&low, bits).hull(&Interval::from_rational(&high, bits));
        let rest = prior.one_minus();
        let at_bits = density.at_bits(bits);
        let smooth = at_bits.smooth(&prior, &rest);
        for at in [low.clone(), high.clone(), &low + Rational::from(&high - &low) * Rational::from((inside, 20))] {
            let truth = exact(&density, &at);
            prop_assert!(at_bits.over(&prior, &rest).contains(&truth), "{at}");
            prop_assert!(at_bits.times_prior(&prior, &rest).contains(&Rational::from(&truth * &at)));
            let rest_at = Rational::from(1 - &at);
            prop_assert!(at_bits.times_rest(&prior, &rest).contains(&(rest_at * truth)));
            if let Some(smooth) = &smooth && low < at && at < high {
                let step = Rational::from(&at - &low).min(Rational::from(&high - &at));
                // A mean value of a derivative over the range is one of its values there.
                let (slope, bend) = differences(&density, &at, &step);
                prop_assert!(smooth.slope.contains(&slope), "{at}: {slope}");
                prop_assert!(smooth.curvature.contains(&bend), "{at}: {bend}");
            }
        }
        if let PriorShape::Table(points) = density.shape() {
            let has_kink = points.iter().any(|(at, _)| low <= *at && *at <= high);
            prop_assert!(!has_kink || smooth.is_none());
        }
    }
}

fn table(points: &[(i64, i64)]) -> Prior {
    let quarters = |(at, value): &(i64, i64)| (Rational::from((*at, 4)), Rational::from(*value));
    Prior::table(points.iter().map(quarters).collect()).unwrap()
}

fn quarters(low: i64, high: i64) -> Interval {
    let end = |n: i64| Float::with_val(60, n) >> 2u32;
    Interval::spanning(end(low), end(high))
}

/// Kinks and jumps are those within (0, 1), at either end of a table.
#[test]
fn kinks_and_jumps_of_tables() {
    let places =
        |found: Vec<Rational>| -> Vec<f64> { found.iter().map(Rational::to_f64).collect() };
    for (points, kinks, jumps) in [
        (&[(0, 1), (2, 5), (4, 1)][..], &[0.5][..], &[][..]),
        (&[(1, 1), (3, 2)], &[0.25, 0.75], &[0.25, 0.75]),
        (&[(1, 0), (3, 2)], &[0.25, 0.75], &[0.75]),
        (&[(1, 3), (2, 1), (3, 0)], &[0.25, 0.5, 0.75], &[0.25]),
    ] {
        assert_eq!(places(table(points).kinks()), kinks);
        assert_eq!(places(table(points).jumps()), jumps);
    }
}

/// A range that begins or ends at a point of the table: it is smooth nowhere there, and the density has the value at that point.
#[test]
fn ranges_that_touch_points() {
    let prior = table(&[(1, 8), (2, 4), (3, 6)]);
    let density = prior.at_bits(60);
    let over =
        |low: i64, high: i64| density.over(&quarters(low, high), &quarters(low, high).one_minus());
    let span = |low: i64, high: i64| {
        Interval::spanning(Float::with_val(60, low), Float::with_val(60, high))
    };
    for (ends, expected) in [
        ((1, 1), span(8, 8)),
        ((1, 2), span(4, 8)),
        ((2, 3), span(4, 6)),
        ((3, 3), span(6, 6)),
        ((1, 3), span(4, 8)),
        ((0, 1), span(0, 8)),
        ((3, 4), span(0, 6)),
        ((0, 4), span(0, 8)),
        ((0, 0), span(0, 0)),
    ] {
        assert_eq!(over(ends.0, ends.1), expected, "{ends:?}");
    }
    let PriorShape::Table(points) = prior.shape() else {
        panic!("no table")
    };
    for (at, expected) in [
        (0, None),
        (1, Some(8)),
        (2, Some(4)),
        (3, Some(6)),
        (4, None),
    ] {
        let at = Float::with_val(60, at) >> 2u32;
        let expected = expected.map(|value| Interval::from_i64(value, 60));
        assert_eq!(density.table_at(points, &at), expected);
    }
    let eighths = |low: i64, high: i64| {
        let end = |n: i64| Float::with_val(60, n) >> 3u32;
        Interval::spanning(end(low), end(high))
    };
    let smooth = |range: &Interval| density.smooth(range, &range.one_minus());
    for (low, high) in [(1, 2), (2, 3), (3, 4), (4, 5), (6, 7), (2, 2), (3, 5)] {
        assert!(smooth(&eighths(low, high)).is_none(), "{low} {high}");
    }
    for ((low, high), slope) in [((3, 3), -16), ((5, 5), 8), ((0, 1), 0), ((7, 8), 0)] {
        let found = smooth(&eighths(low, high)).unwrap();
        assert_eq!(found.slope, Interval::from_i64(slope, 60), "{low} {high}");
    }
    for (low, high, is_within) in [
        (3, 3, true),
        (2, 3, false),
        (3, 4, false),
        (2, 4, false),
        (1, 3, false),
        (3, 5, false),
        (0, 1, false),
        (7, 8, false),
    ] {
        let found = Density::segment(points, &eighths(low, high));
        assert_eq!(found.is_some(), is_within, "{low} {high}");
    }
}

#[test]
fn a_uniform_prior_in_two_ways() {
    let beta =
        |a: (i64, i64), b: (i64, i64)| Prior::beta(Rational::from(a), Rational::from(b)).unwrap();
    assert!(Prior::uniform().is_uniform() && beta((1, 1), (1, 1)).is_uniform());
    for (a, b) in [
        ((2, 1), (1, 1)),
        ((1, 1), (2, 1)),
        ((1, 2), (1, 2)),
        ((2, 1), (2, 1)),
    ] {
        assert!(!beta(a, b).is_uniform(), "{a:?} {b:?}");
    }
    assert!(!table(&[(0, 1), (4, 1)]).is_uniform());
}
