//! Tests of the curve of a Rényi class.

use super::*;
use crate::kernel::Point;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn delta(class: &RenyiClass, epsilon: &Rational, bits: u32) -> Interval {
    class.at(&Point::at_epsilon(epsilon, bits)).delta
}

#[test]
fn a_first_look() {
    for rho in [q(1, 2), q(1, 100), q(5, 1), q(1, 1000000), q(100,1)] {
        let class = RenyiClass::zcdp(&rho);
        for epsilon in [q(-1, 1), q(0, 1), q(1, 10), q(1, 2), q(1, 1), q(3, 1), q(10, 1), q(50, 1)] {
            let start = std::time::Instant::now();
            let found = delta(&class, &epsilon, 128);
            let relative = found.width_up() / found.lo();
            println!(
                "rho {rho} eps {epsilon}: {:.17} rel {:.2e} {:?}",
                found.lo().to_f64(),
                relative.to_f64(),
                start.elapsed()
            );
        }
    }
    for orders in [vec![(q(2,1), q(1,1))], vec![(q(2, 1), q(1, 1)), (q(10,1), q(3,1)), (q(3,2), q(4,5))]] {
        let class = RenyiClass::rdp(&orders).unwrap();
        for epsilon in [q(-1, 1), q(0, 1), q(1, 10), q(1, 2), q(1, 1), q(3, 1), q(10, 1), q(50, 1)] {
            let start = std::time::Instant::now();
            let found = delta(&class, &epsilon, 128);
            let relative = found.width_up() / found.lo();
            println!(
                "orders {orders:?} eps {epsilon}: {:.17} rel {:.2e} {:?}",
                found.lo().to_f64(),
                relative.to_f64(),
                start.elapsed()
            );
        }
    }
}
