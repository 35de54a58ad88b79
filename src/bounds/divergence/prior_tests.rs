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
