//! Against the exact curves of finite pairs, and whatever was looked at before.

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::bounds::testing::{Finite, finite_pair, power_of_ten, unit_rational};
use crate::bounds::{LossRange, TwoSided};
use crate::kernel::coarse::at_most_bits;
use crate::mechanism::Adjacency;
use proptest::prelude::*;

fn curve_of(pair: &Finite) -> ExactCurve {
    ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove)
}

/// What was found of the pair at these rates, one after the other.
fn orders(one: &TwoSided, other: &TwoSided, bits: u32, alphas: &[Rational]) -> Vec<SeenOrder> {
    let mut seen = [one, other].map(|sides| SeenCurves::new(sides, bits));
    let width = power_of_ten(9);
    let orders = alphas.iter().map(|alpha| {
        let [first, second] = &mut seen;
        seen_order([first, second], alpha, &width, &Budget::unlimited()).unwrap()
    });
    orders.collect()
}

proptest! {
    /// An order that is certain is that of the values, in any order of the rates and at any precision; at many bits hardly any is missed.
    #[test]
    fn orders_are_those_of_the_values(
        one in finite_pair(),
        other in finite_pair(),
        alphas in prop::collection::vec(unit_rational(), 1..12),
        bits in 4u32..40,
    ) {
        let (first, second) = (curve_of(&one), curve_of(&other));
        let alphas: Vec<Rational> = alphas.into_iter().filter(|a| *a > 0 && *a < 1).collect();
        let coarse = at_most_bits(bits, || orders(&one.sides(), &other.sides(), bits, &alphas));
        let fine = orders(&one.sides(), &other.sides(), 160, &alphas);
        for ((alpha, coarse), fine) in alphas.iter().zip(coarse).zip(fine) {
            let gap = first.tradeoff(alpha) - second.tradeoff(alpha);
            let truth = gap.cmp0();
            for found in [coarse, fine] {
                prop_assert!(!matches!(found, SeenOrder::Certain(order) if order != truth), "{alpha} {found:?} {gap}");
            }
            let is_seen = matches!(fine, SeenOrder::Certain(_)) || fine == SeenOrder::Left;
            prop_assert!(gap.abs() < power_of_ten(8) || is_seen, "{alpha} {fine:?}");
        }
    }
}

/// A curve known between two others: orders are certain only where both bounds say so, and the range of the loss counts.
#[test]
fn bounds_from_two_profiles() {
    let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
    let upper = Finite::new(&[(1, 4), (3, 4), (0, 1)], &[(74, 100), (25, 100), (1, 100)]);
    let three = Interval::from_i64(3, 200).ln();
    let sides =
        |range: LossRange| TwoSided::between(upper.sides().upper, pair.sides().lower, range);
    let known = LossRange {
        max: Some(three.clone()),
        min: Some(three.neg()),
    };
    // 1 − 3α for small α, less up to 0.01 where nothing is known of the range; the other one is 1 − 3.008α.
    let line = Finite::new(&[(249, 1000), (751, 1000)], &[(749, 1000), (251, 1000)]);
    let alpha = [Rational::from((1, 10))];
    let found = |range: LossRange| orders(&sides(range), &line.sides(), 160, &alpha);
    assert_eq!(found(known), [SeenOrder::Certain(Ordering::Greater)]);
    assert_eq!(found(LossRange::default()), [SeenOrder::Unknown]);
}

/// Rates one after the other need few looks, as those before them serve.
#[test]
fn looks_serve_the_next_rate() {
    let gaussian = |n: i64| crate::bounds::testing::Gaussian::sides(n, 10);
    let mut seen = [10, 11].map(|n| SeenCurves::new(&gaussian(n), 160));
    for n in 1..64u32 {
        let alpha = Rational::from((n, 64u32));
        let [first, second] = &mut seen;
        let found = seen_order(
            [first, second],
            &alpha,
            &power_of_ten(9),
            &Budget::unlimited(),
        );
        assert_eq!(found.unwrap(), SeenOrder::Certain(Ordering::Greater), "{n}");
    }
    let looks: usize = seen
        .iter()
        .flat_map(|side| &side.curves)
        .map(|curve| curve.points.len())
        .sum();
    assert!(looks < 63, "{looks}");
}
