//! Shares that a formula would put below 0 or above 1.

use super::*;

#[test]
fn shares_are_between_zero_and_one() {
    let q = |n: i64, d: i64| Rational::from((n, d));
    let (mut least, mut most) = (false, false);
    for rate in [q(1, 100), q(1, 4), q(1, 2), q(9, 10)] {
        for (others, batch) in [(10u64, 2u64), (10, 5), (40, 10), (100, 60), (1_000, 30)] {
            let chances = Chances::of(&rate, others, batch);
            for square in [q(1, 100), q(1, 1), q(4, 1)] {
                let noise = Noise::Gaussian {
                    unit_squared: square,
                };
                let share = share_beside_last(&rate, &chances, &noise);
                assert!((0..=1).contains(&share), "{rate} {others} {batch}");
                least |= share == 0;
                most |= share == 1;
            }
        }
    }
    assert!(least && most);
}
