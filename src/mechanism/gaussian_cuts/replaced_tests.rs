//! ln v next to a loss of 0, against 500 bits.

use rug::Float;

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

const FINE: u32 = 500;

fn in_units(x: Wide) -> Float {
    let size = if x.is_negative() { x.negated() } else { x };
    let limb = |n: usize, shift: u32| Float::with_val(FINE, size.0[n]) << shift;
    let size = limb(0, 0) + limb(1, 64) + limb(2, 128);
    if x.is_negative() { -size } else { size }
}

/// However many bits are kept: what is given out is within two units.
#[test]
fn logarithms_next_to_no_loss() {
    let mut random = Random(72);
    let mut found = 0;
    for _ in 0..100 {
        let rate = Rational::from((1 + random.below(15), 16));
        let mu = Rational::from((1 + random.below(60), 8));
        let square = mu.clone().square();
        let of_mu = Interval::from_rational(&mu, 256);
        let pair = Replaced::new(&square, &rate, &of_mu).unwrap();
        let known = Rate::new(&rate).unwrap();
        let slope = Rational::from(1 - &rate) / Rational::from(&rate * 2u32);
        for _ in 0..100 {
            let n = i64::try_from(random.below(129)).unwrap() - 64;
            let y = Rational::from((n, 64)) >> u32::try_from(random.below(60)).unwrap();
            let loss = Interval::from_rational(&y, 320);
            let bits = 150 + u32::try_from(random.below(170)).unwrap();
            let log = at_most_bits(bits, || pair.near_zero(&loss, &known));
            let Some((log, is_mirrored)) = log else {
                assert!(bits < 250, "{rate} {mu} {y}");
                continue;
            };
            assert_eq!(is_mirrored, y < 0, "{y}");
            let y = Float::with_val(FINE, y).abs();
            let a = y.clone().exp_m1() * &slope;
            let decay = Float::with_val(FINE, &y - &square).exp();
            let root = (Float::with_val(FINE, a.square_ref()) + decay).sqrt();
            let truth = (a + root).ln() << 184u32;
            let gap = (in_units(log) - truth).abs();
            assert!(gap <= 2, "{rate} {mu} {y} at {bits} bits: {gap}");
            found += 1;
        }
    }
    assert!(found > 4_000, "{found}");
}
