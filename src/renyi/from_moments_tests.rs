//! Divergences of Gaussian noise from its moments a(a − 1)μ²/2.

use super::*;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn found(order: &Rational, direction: Direction, bits: u32) -> Interval {
    let moment = |power: &Rational, working: u32| {
        let exact = Rational::from(power - 1) * power * q(3, 7) / 2u32;
        Ok(Some(Interval::from_rational(&exact, working)))
    };
    let found = divergence(order, direction, bits, (0, 10_000), &moment);
    found.unwrap().unwrap()
}

/// D_t = tμ²/2, at the order 1 too, which is between orders on both sides of it.
#[test]
fn both_directions_at_every_order() {
    for direction in [Direction::Remove, Direction::Add] {
        for order in [q(1, 4), q(1, 1), q(3, 2), q(9, 1)] {
            let truth = &order * q(3, 7) / 2u32;
            for bits in [4, 20, 90] {
                let found = found(&order, direction, bits);
                assert!(found.contains(&truth), "{order} {bits}: {found:?}");
                assert!(found.width_up().to_f64() < 4.0 * (-f64::from(bits)).exp2());
            }
        }
    }
}
