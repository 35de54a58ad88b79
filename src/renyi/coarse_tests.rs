//! Divergences of every kind when no rounding has more than a few bits, against themselves at many (see `kernel::coarse`).

use rug::Rational;

use super::tests::{BOTH, ZOO, orders, parts};
use crate::kernel::Budget;
use crate::kernel::coarse::{Random, at_most_bits, surrounds};
use crate::test_scale::cases;

#[test]
fn divergences_of_every_kind() {
    let mut random = Random(1);
    for text in ZOO {
        let parts = parts(text);
        let mut orders = orders();
        orders.extend((0..4).map(|_| Rational::from((1 + random.below(90), 1 + random.below(20)))));
        for (order, direction) in orders
            .iter()
            .flat_map(|order| BOTH.map(|direction| (order, direction)))
        {
            let budget = Budget::unlimited();
            let fine = parts.divergence(order, direction, 128, &budget).unwrap();
            for _ in 0..cases(1) {
                let (bits, most) = (
                    8 + u32::try_from(random.below(50)).unwrap(),
                    4 + u32::try_from(random.below(16)).unwrap(),
                );
                let asked = parts.divergence(order, direction, bits, &budget).unwrap();
                assert!(
                    surrounds(&asked, &fine),
                    "{text} {order} {direction:?}, {bits} bits asked: {asked:?} misses {fine:?}"
                );
                let held = at_most_bits(most, || parts.divergence(order, direction, bits, &budget))
                    .unwrap();
                assert!(
                    surrounds(&held, &fine),
                    "{text} {order} {direction:?}, {most} bits: {held:?} misses {fine:?}"
                );
            }
        }
    }
}
