//! Arithmetic of masses against GMP.

use super::*;
use crate::kernel::coarse::Random;
use proptest::prelude::*;

fn limb() -> impl Strategy<Value = u64> {
    prop_oneof![3 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX), 1 => Just(1u64 << 63)]
}

fn check<const L: usize>(x: [u64; L], y: [u64; L], z: [u64; L], bits: u32) {
    let (a, b) = (Mass(x), Mass(y));
    let (m, n) = (a.to_integer(), b.to_integer());
    let range = Integer::from(1) << Fraction::<L>::bits();
    let sum = Integer::from(&m + &n);
    assert_eq!(
        a.plus(&b).ok().map(Mass::to_integer),
        (sum < range).then_some(sum)
    );
    let difference = Integer::from(&m - &n);
    assert_eq!(
        a.minus(&b).ok().map(Mass::to_integer),
        (difference >= 0).then(|| difference.clone())
    );
    assert_eq!(
        a.minus_or_zero(&b).to_integer(),
        difference.max(Integer::new())
    );
    assert_eq!(a.cmp(&b), m.cmp(&n));
    let product = Product::new(&a, &b);
    let exact = Integer::from(&m * &n);
    assert_eq!(product.to_integer(), exact);
    let fraction = Fraction(y);
    assert_eq!(
        a.times_down(&fraction).to_integer(),
        exact.clone() >> Fraction::<L>::bits()
    );
    let rest = Integer::from(&range - &n) * &m;
    let ceiling = (rest + Integer::from(&range - 1u32)) >> Fraction::<L>::bits();
    assert_eq!(a.times_complement_up(&fraction).to_integer(), ceiling);
    let scaled =
        a.times_up(&fraction).unwrap().to_integer() - (exact.clone() >> Fraction::<L>::bits());
    assert_eq!(scaled, i32::from(m != 0));
    let shifted = Integer::from(&m << (bits % 300));
    let fits = shifted.significant_bits() <= 320;
    assert_eq!(
        a.widened::<5>(bits % 300).ok().map(Mass::to_integer),
        fits.then_some(shifted)
    );
    let bits = bits % (2 * Fraction::<L>::bits() + 3);
    let (down, up) = (exact.clone() >> bits, -(Integer::from(-&exact) >> bits));
    assert_eq!(
        product.shifted_down(bits).ok().map(Mass::to_integer),
        (down < range).then_some(down)
    );
    assert_eq!(
        product.shifted_up(bits).ok().map(Mass::to_integer),
        (up < range).then_some(up)
    );
    let rest = Integer::from(exact.keep_bits_ref(bits));
    assert_eq!(product.below(bits).to_integer(), rest);
    let other = Product {
        high: Mass(z),
        low: Mass(x),
    };
    let total = other.to_integer() + &exact;
    let square = Integer::from(&range * &range);
    assert_eq!(
        product.plus(&other).ok().map(Product::to_integer),
        (total < square).then_some(total)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn agrees_with_gmp(
        x in [limb(), limb(), limb(), limb()],
        y in [limb(), limb(), limb(), limb()],
        z in [limb(), limb(), limb(), limb()],
        bits in any::<u32>(),
    ) {
        check(x, y, z, bits);
        check([x[0], x[1]], [y[0], y[1]], [z[0], z[1]], bits);
        check([x[0]], [y[0]], [z[0]], bits);
    }
}

#[test]
fn fractions_lie_below() {
    let third = Float::with_val(200, 1) / 3u32;
    let Fraction(limbs) = Fraction::<1>::below(&third);
    assert_eq!(limbs, [u64::MAX / 3]);
    assert_eq!(
        Fraction::<2>::below(&Float::with_val(53, 1)).0,
        [u64::MAX; 2]
    );
    assert_eq!(Fraction::<2>::below(&Float::with_val(53, -1)).0, [0; 2]);
    assert_eq!(Fraction::<1>::below(&Float::with_val(53, f64::NAN)).0, [0]);
    assert_eq!(Fraction::<1>::above(&third).unwrap().0, [u64::MAX / 3 + 1]);
    assert!(Fraction::<1>::above(&Float::with_val(53, 1)).is_none());
    assert_eq!(
        Fraction::<1>::above(&Float::with_val(53, -1)).unwrap().0,
        [0]
    );
}

#[test]
fn powers_of_two_fit_or_are_refused() {
    assert_eq!(
        Mass::<2>::power_of_two(127).unwrap().to_integer(),
        Integer::from(1) << 127u32
    );
    assert!(Mass::<2>::power_of_two(128).is_err());
    assert!(Mass::<1>::from_integer(&Integer::from(-1)).is_none());
    assert_eq!(Mass::<1>::from_limbs([5]).shifted_down(1).limbs(), &[2]);
}

/// Masses of any size, in few units and many: shifted down, and times a fraction, against GMP.
#[test]
fn shifted_and_scaled_masses() {
    let mut random = Random(72);
    for _ in 0..10_000 {
        let mut limbs = || {
            [0; 4].map(|_: u32| match random.below(4) {
                0 => 0,
                1 => u64::MAX,
                _ => random.word() >> random.below(64),
            })
        };
        let (mass, fraction) = (Mass(limbs()), Fraction(limbs()));
        let bits = u32::try_from(random.below(300)).unwrap();
        let exact = mass.to_integer();
        let shifted = mass.shifted_down(bits).to_integer();
        assert_eq!(shifted, exact.clone() >> bits);
        let product = exact.clone() * Mass(fraction.0).to_integer();
        let up = mass.times_up(&fraction).unwrap().to_integer();
        let down = mass.times_down(&fraction).to_integer();
        assert_eq!(down, product >> 256u32);
        assert_eq!(up - down, i32::from(exact != 0));
    }
}
