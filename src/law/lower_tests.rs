//! Rounding of lower laws, unit by unit.

use rug::{Float, Integer, Rational};

use super::*;
use crate::kernel::coarse::{FINE, Random, at_most_bits};
use crate::law::Offset;

/// Units of some outcomes, as a row of products.
fn products(units: &[u64]) -> ProductRow<1> {
    let masses = units.iter().map(|n| Mass::from_limbs([*n])).collect();
    let one = Row::new(0, vec![Mass::from_limbs([1])]);
    Row::new(0, masses).convolve(&one).unwrap()
}

#[test]
fn products_are_compared_from_their_high_halves_on() {
    let number = |(high, low): (u64, u64)| Product::<1> {
        high: Mass::from_limbs([high]),
        low: Mass::from_limbs([low]),
    };
    let sizes = [(0, 0), (0, 5), (0, 6), (1, 0), (1, 9), (2, 0)];
    for (i, a) in sizes.into_iter().enumerate() {
        for (j, b) in sizes.into_iter().enumerate() {
            assert_eq!(is_at_most(&number(a), &number(b)), i <= j, "{a:?} {b:?}");
        }
    }
}

/// Two outcomes of a few quarters of a unit each, all of them: as if the labels were at one place, no threshold tells more after rounding.
#[test]
fn rounded_masses_tell_no_more() {
    let hinge = |atoms: &[(u64, u64)], k: u64| -> u64 {
        let parts = atoms.iter().map(|(q, a)| (8 * q).saturating_sub(k * a));
        parts.sum()
    };
    for code in 0..11u64.pow(4) {
        let [q0, a0, q1, a1] = [1, 11, 121, 1331].map(|unit| code / unit % 11);
        let found = rounded(&products(&[q0, q1]), &products(&[a0, a1]), 2).unwrap();
        let units = |mass: &Mass<1>| 4 * mass.limbs()[0];
        let after: Vec<(u64, u64)> = found
            .atoms()
            .map(|(_, mass, scaled_p)| (units(mass), units(scaled_p)))
            .collect();
        for k in [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16] {
            assert!(
                hinge(&after, k) <= hinge(&[(q0, a0), (q1, a1)], k),
                "{q0} {a0}, {q1} {a1}: {after:?} at {k}/8"
            );
        }
    }
}

/// e^{step·labels} in so many bits that it counts as exact.
fn growth(step: &Rational, labels: i64) -> Float {
    Float::with_val(FINE, &Rational::from(step * labels)).exp()
}

#[test]
fn labels_that_move_take_enough_p_mass_with_them() {
    let mut random = Random(41);
    let mut moves = 0;
    for _ in 0..9_000 {
        let step = Rational::from((1 + random.below(20), 20 + random.below(80)));
        let bits = 2 + u32::try_from(random.below(10)).unwrap();
        let scaled_p = (1 << 38) + random.below(1 << 39);
        let shell = || {
            let row = |n: u64| vec![Mass::<1>::from_limbs([n])];
            LowerShell::new(3, row(1 << 40), row(scaled_p)).unwrap()
        };
        let mut moved = shell();
        at_most_bits(bits, || moved.relabel(&step)).unwrap();
        let (label, mass, found) = moved.atoms().next().unwrap();
        assert_eq!(mass.limbs()[0], 1 << 40);
        moves += i64::from(label > 3);
        let least = growth(&step, label - 3) * scaled_p;
        assert!(found.to_integer() >= least, "{step} at {bits} bits");
        // Two labels in one: the second moves down.
        let (none, one) = (Mass::<1>::ZERO, Mass::from_limbs([1]));
        let pair = LowerShell::new(0, vec![none, one], vec![none, Mass::from_limbs([scaled_p])]);
        let merged = at_most_bits(bits, || pair.unwrap().merged(&step)).unwrap();
        let (_, _, found) = merged.atoms().next().unwrap();
        let least = growth(&step, -1) * scaled_p;
        assert!(found.to_integer() >= least, "{step} at {bits} bits");
    }
    assert!(moves > 500, "{moves}");
}

/// The mass at +∞ of a composition, in eighths: of either law with all of the other.
#[test]
fn masses_at_infinity_are_rounded_down() {
    let law = |finite: u64, infinite: u64| {
        let row = || vec![Mass::<1>::from_limbs([finite])];
        let shell = LowerShell::new(0, row(), row()).unwrap();
        let lattice = Lattice::new(Offset::default(), Rational::from((1, 4)));
        LowerLaw::new(lattice, vec![shell], Mass::from_limbs([infinite]), 3).unwrap()
    };
    for code in 0..5u64.pow(4) {
        let [a, i, b, j] = [1, 5, 25, 125].map(|unit| code / unit % 5);
        let found = law(a, i).convolve(&law(b, j)).unwrap();
        let exact = Integer::from(a * j + i * (b + j));
        assert_eq!(found.infinity_mass().to_integer(), exact >> 3u32);
    }
}

#[test]
fn random_masses_at_infinity_are_rounded_down() {
    let mut random = Random(43);
    let law = |bits: u32, finite: u64, infinite: u64| {
        let row = || vec![Mass::<1>::from_limbs([finite])];
        let shell = LowerShell::new(0, row(), row()).unwrap();
        let lattice = Lattice::new(Offset::default(), Rational::from((1, 4)));
        LowerLaw::new(lattice, vec![shell], Mass::from_limbs([infinite]), bits).unwrap()
    };
    for _ in 0..9_500 {
        let bits = 1 + u32::try_from(random.below(24)).unwrap();
        let [a, i, b, j] = [(); 4].map(|()| random.below(1 << bits) / 2);
        let found = law(bits, a, i).convolve(&law(bits, b, j)).unwrap();
        let exact = Integer::from(a) * j + Integer::from(i) * (b + j);
        assert_eq!(found.infinity_mass().to_integer(), exact >> bits);
    }
}
