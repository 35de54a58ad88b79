//! Divergences of every kind when no rounding has more than a few bits, against themselves at many (see `kernel::coarse`).

use rug::Rational;

use super::tests::{BOTH, parts};
use super::zoo::{ZOO, orders};
use crate::kernel::Budget;
use crate::kernel::coarse::{Random, at_most_bits, surrounds};
use crate::test_scale::{cases, is_asked};

#[test]
fn divergences_of_every_kind() {
    let mut random = Random(1);
    for (number, text) in ZOO.into_iter().enumerate() {
        let parts = parts(text);
        let all = orders().into_iter().enumerate();
        let all = all.filter(|(place, _)| is_asked(place + number, 22));
        let mut orders: Vec<Rational> = all.map(|(_, order)| order).collect();
        orders.extend(
            (0..cases(1).min(4))
                .map(|_| Rational::from((1 + random.below(90), 1 + random.below(20)))),
        );
        // By default every order in one direction, and the next in the other.
        let all = orders.iter().enumerate().flat_map(|(place, order)| {
            let both = BOTH.into_iter().enumerate();
            both.map(move |(turn, direction)| (place + turn, order, direction))
        });
        for (_, order, direction) in all.filter(|(place, ..)| is_asked(place + number, 4)) {
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
