//! Masses of integer loss distributions against whole numbers of GMP: sums are exact or refused, products rounded to the side that
//! their names say.

use dpcmp::law::{Fraction, Mass, Product};
use rug::Integer;

const LIMBS: usize = 3;
const BITS: u32 = 64 * 3;

fn mass(bytes: &[u8]) -> Mass<LIMBS> {
    let mut limbs = [0u64; LIMBS];
    for (limb, eight) in limbs.iter_mut().zip(bytes.chunks(8)) {
        let mut whole = [0u8; 8];
        whole[..eight.len()].copy_from_slice(eight);
        *limb = u64::from_le_bytes(whole);
    }
    Mass::from_limb_slice(&limbs).unwrap()
}

pub fn run(bytes: &[u8]) {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let (a, b) = (mass(first), mass(second));
    let (x, y) = (a.to_integer(), b.to_integer());
    let one = Integer::from(1) << BITS;
    let sum = Integer::from(&x + &y);
    assert_eq!(
        a.plus(&b).ok().map(Mass::to_integer),
        Some(sum.clone()).filter(|sum| *sum < one)
    );
    let difference = Integer::from(&x - &y);
    assert_eq!(
        a.minus(&b).ok().map(Mass::to_integer),
        Some(difference.clone()).filter(|left| *left >= 0)
    );
    assert_eq!(
        a.minus_or_zero(&b).to_integer(),
        difference.max(Integer::new())
    );
    assert_eq!(Mass::from_integer(&x), Some(a));
    let shift = u32::from(bytes.first().copied().unwrap_or(0));
    assert_eq!(
        a.shifted_down(shift).to_integer(),
        Integer::from(&x >> shift)
    );
    let product = Integer::from(&x * &y);
    assert_eq!(Product::new(&a, &b).to_integer(), product);
    let part = Fraction::from_limbs(*b.limbs());
    let down = Integer::from(&product / &one);
    assert_eq!(a.times_down(&part).to_integer(), down);
    assert_eq!(
        a.times_complement_up(&part).to_integer(),
        Integer::from(&x - &down)
    );
    let up = a.times_up(&part).unwrap().to_integer();
    assert!(Integer::from(&up * &one) >= product && up <= down + 1u32);
}
