//! The three ways to a product give the same numbers, and a wrong number is noticed.

use proptest::prelude::*;
use rug::Integer;

use super::*;

/// Masses of many kinds, cut down to the bits that keep Σ a · Σ b within 2L limbs.
fn masses<const L: usize>(
    lengths: impl Into<proptest::collection::SizeRange>,
) -> impl Strategy<Value = Vec<Mass<L>>> {
    let limb = prop_oneof![4 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX), 1 => Just(1)];
    let mass = (proptest::array::uniform(limb), 0u8..6).prop_map(|(limbs, kind)| match kind {
        0 => Mass::ZERO,
        1 => Mass::from_limbs([u64::MAX; L]),
        _ => Mass::from_limbs(limbs),
    });
    (proptest::collection::vec(mass, lengths), 0u32..80, 0u8..3).prop_map(
        |(mut masses, less, kind)| {
            let longest = masses.len().next_power_of_two().ilog2();
            for (i, mass) in masses.iter_mut().enumerate() {
                *mass = mass.shifted_down(longest + less);
                if kind == 0 && i % 17 != 0 {
                    *mass = Mass::ZERO;
                }
            }
            masses
        },
    )
}

/// n masses 2^bits − 1 (all limbs of which are full, up to the infinity_mass one).
fn full<const L: usize>(n: usize, bits: u32) -> Vec<Mass<L>> {
    vec![Mass::from_integer(&((Integer::from(1) << bits) - 1u32)).unwrap(); n]
}

/// n masses below 2^bits without pattern.
fn scattered<const L: usize>(n: usize, bits: u32) -> Vec<Mass<L>> {
    let mut state = 1u64;
    let mut limb = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    };
    let bits_of_all = 64 * u32::try_from(L).unwrap();
    (0..n)
        .map(|_| Mass::from_limbs([(); L].map(|()| limb())).shifted_down(bits_of_all - bits))
        .collect()
}

/// The product as integers, from GMP.
fn oracle<const L: usize>(a: &[Mass<L>], b: &[Mass<L>]) -> Vec<Integer> {
    let integers =
        |masses: &[Mass<L>]| -> Vec<Integer> { masses.iter().map(|m| m.to_integer()).collect() };
    crate::law::product::convolve(&integers(a), &integers(b)).unwrap()
}

fn integers<const L: usize>(products: &[Product<L>]) -> Vec<Integer> {
    products
        .iter()
        .map(|product| product.to_integer())
        .collect()
}

/// Every way that is possible for a·b, against GMP.
fn every_way<const L: usize>(a: &[Mass<L>], b: &[Mass<L>]) {
    let bound = check::total(a) * check::total(b);
    let expected = oracle(a, b);
    assert_eq!(integers(&convolve(a, b).unwrap()), expected);
    assert_eq!(integers(&convolve_by_kronecker(a, b).unwrap()), expected);
    if L <= MOST_LIMBS && bound.significant_digits::<u64>() <= 2 * L {
        assert_eq!(integers(&schoolbook::convolve(a, b).unwrap()), expected);
    }
    if let Some(primes) = primes_for(&bound) {
        let length = transform_length(a.len(), b.len()).unwrap();
        for primes in primes..=FIELDS.len() {
            assert_eq!(
                integers(&by_transform(a, b, length, primes).unwrap()),
                expected
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(5)))]

    #[test]
    fn all_ways_agree_for_one_limb(a in masses::<1>(1..600), b in masses::<1>(1..600)) {
        every_way(&a, &b);
        every_way(&a, &a);
    }

    #[test]
    fn all_ways_agree_for_two_limbs(a in masses::<2>(1..600), b in masses::<2>(1..600)) {
        every_way(&a, &b);
        every_way(&a, &a);
    }

    #[test]
    fn all_ways_agree_for_three_limbs(a in masses::<3>(1..400), b in masses::<3>(1..400)) {
        every_way(&a, &b);
        every_way(&a, &a);
    }

    #[test]
    fn all_ways_agree_for_four_limbs(a in masses::<4>(1..300), b in masses::<4>(1..300)) {
        every_way(&a, &b);
        every_way(&b, &b);
    }

    #[test]
    fn short_sequences(a in masses::<2>(1..8), b in masses::<2>(1..8)) {
        every_way(&a, &b);
        every_way(&a, &a);
    }

    #[test]
    fn short_sequences_of_three_limbs(a in masses::<3>(1..8), b in masses::<3>(1..8)) {
        every_way(&a, &b);
        every_way(&a, &a);
    }
}

/// Long sequences of the largest masses that a number of primes holds, and of one bit more.
#[test]
fn long_sequences_at_the_edge_of_the_primes() {
    // The number of primes depends on the total alone.
    let (log, longest): (u32, usize) = match crate::test_scale::is_thorough() {
        true => (12, 5000),
        false => (10, 1500),
    };
    let (long, short) = (1usize << log, 375usize << (log - 10));
    for (bits, primes) in [(61u32, 2), (62, 3)] {
        let a = full::<1>(long, bits - log);
        assert_eq!(primes_for(&check::total(&a).square()), Some(primes));
        every_way(&a, &a);
    }
    let few = [61, 62, 92, 93, 123, 124, 127];
    for bits in few.into_iter().step_by(crate::test_scale::every(6)) {
        every_way(
            &full::<2>(long, bits - log),
            &scattered(short, bits - log + 1),
        );
    }
    for (bits, primes) in [(154u32, 5), (155, 6), (185, 6)] {
        let a = full::<3>(long, bits - log);
        assert_eq!(primes_for(&check::total(&a).square()), Some(primes));
        every_way(&a, &scattered(short, bits - log + 1));
    }
    every_way(&full::<3>(600, 187 - 10), &scattered(600, 187 - 10));
    every_way(&scattered::<3>(longest, 140), &scattered(longest, 140));
    every_way(&scattered::<1>(longest, 49), &scattered(longest, 50));
    every_way(&scattered::<2>(longest, 80), &scattered(longest, 110));
}

#[test]
fn unbalanced_sequences() {
    for (place, n) in [1, 2, 60, 130, 400].into_iter().enumerate() {
        let is_asked = |number| crate::test_scale::is_asked(place + number, 6);
        if is_asked(0) {
            every_way(&scattered::<1>(n, 40), &scattered(4096, 48));
        }
        if is_asked(1) {
            every_way(&scattered::<2>(4096, 100), &scattered(n, 90));
        }
        if is_asked(2) {
            every_way(&scattered::<3>(4096, 140), &scattered(n, 170));
        }
    }
}

/// Masses of many limbs, full and scattered, beside each other.
#[test]
fn wide_masses() {
    every_way(&full::<24>(70, 1500), &scattered(33, 1400));
    every_way(&scattered::<8>(300, 500), &full(5, 512 - 12));
}

/// The largest numbers that the first K primes hold come back, and the next does not count as held.
#[test]
fn the_number_of_primes_is_the_least_that_suffices() {
    let mut product = Integer::from(FIELDS[0].modulus);
    assert_eq!(primes_for(&Integer::new()), Some(2));
    for (count, field) in FIELDS.iter().enumerate().skip(1) {
        product *= field.modulus;
        let largest = Integer::from(&product - 1u32);
        assert_eq!(primes_for(&largest), Some(count + 1));
        assert_eq!(
            primes_for(&product),
            (count + 1 < FIELDS.len()).then_some(count + 2)
        );
        assert_eq!(largest.significant_bits() as usize, 62 * (count + 1));
    }
}

#[test]
fn cost_decides_and_width_limits() {
    let way_of = |a: &[Mass<1>], b: &[Mass<1>]| way(a, b, &(check::total(a) * check::total(b)));
    let long = full::<1>(4096, 49);
    assert_eq!(
        way_of(&long, &long),
        Way::Transform {
            length: 8192,
            primes: 2
        }
    );
    assert_eq!(way_of(&long, &long[..10]), Way::Schoolbook);
    assert_eq!(
        way_of(&full(4096, 52), &full(4096, 52)),
        Way::Transform {
            length: 8192,
            primes: 3
        }
    );
    assert_eq!(
        way_of(&full(4096, 53), &long),
        Way::Transform {
            length: 8192,
            primes: 3
        }
    );
    assert_eq!(way_of(&full(4096, 53), &full(4096, 53)), Way::Kronecker);
    let wide = full::<4>(4096, 50);
    assert_eq!(
        way(&wide, &wide, &check::total(&wide).square()),
        Way::Kronecker
    );
    let four = full::<2>(4096, 123 - 12);
    assert_eq!(
        way(&four, &four, &check::total(&four).square()),
        Way::Transform {
            length: 8192,
            primes: 4
        }
    );
    let five = full::<2>(4096, 125 - 12);
    assert_eq!(
        way(&five, &five, &check::total(&five).square()),
        Way::Transform {
            length: 8192,
            primes: 5
        }
    );
    let too_wide = full::<2>(4096, 129 - 12);
    assert_eq!(
        way(&too_wide, &too_wide, &check::total(&too_wide).square()),
        Way::Kronecker
    );
    let six = full::<3>(4096, 185 - 12);
    assert_eq!(
        way(&six, &six, &check::total(&six).square()),
        Way::Transform {
            length: 8192,
            primes: 6
        }
    );
    let too_wide = full::<3>(4096, 187 - 12);
    assert_eq!(
        way(&too_wide, &too_wide, &check::total(&too_wide).square()),
        Way::Kronecker
    );
}

/// Σ a · Σ b may exceed 2L limbs as long as every element fits; if one does not, that is an error.
#[test]
fn elements_that_do_not_fit_are_refused() {
    let most = full::<1>(1, 64);
    let halves = full::<1>(2, 63);
    assert_eq!(
        integers(&convolve(&most, &most).unwrap()),
        oracle(&most, &most)
    );
    assert!(check::total(&halves).square().significant_digits::<u64>() == 2);
    let pair = full::<1>(2, 64);
    assert!(convolve(&pair, &pair).is_err());
    assert_eq!(
        integers(&convolve(&most, &pair).unwrap()),
        oracle(&most, &pair)
    );
    assert!(convolve(&full::<2>(3000, 127), &full::<2>(3000, 127)).is_err());
    assert!(convolve(&full::<4>(3, 256), &full::<4>(3, 256)).is_err());
    assert!(schoolbook::convolve(&full::<4>(2, 5), &full::<4>(2, 5)).is_err());
}

#[test]
fn empty_sequences_have_an_empty_product() {
    assert!(convolve::<1>(&[], &full(3, 5)).unwrap().is_empty());
    assert!(convolve::<2>(&full(3, 5), &[]).unwrap().is_empty());
}
