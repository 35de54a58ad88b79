//! Operations on laws in whole units, by hand.

use rug::{Float, Rational};

use super::shells;
use super::*;
use crate::kernel::coarse::Random;

fn row(first: i64, masses: &[u64]) -> Row<1> {
    let masses = masses.iter().map(|mass| Mass::from_limbs([*mass]));
    Row::new(first, masses.collect())
}

fn units(row: &Row<1>) -> Vec<u64> {
    row.masses().iter().map(|mass| mass.limbs()[0]).collect()
}

/// What the masses leave of 2^bits is at +∞.
fn upper(rows: &[Row<1>], bits: u32) -> UpperLaw<1> {
    let used: u64 = rows.iter().flat_map(units).sum();
    let lattice = Lattice::new(Offset::default(), Rational::from((1, 4)));
    let infinite = Mass::from_limbs([(1 << bits) - used]);
    UpperLaw::new(lattice, rows.to_vec(), infinite, bits).unwrap()
}

/// The mass at and above each point is that of all pairs, rounded up: never less, and less than a unit more.
#[test]
fn products_of_upper_laws_are_rounded_up_the_line() {
    let mut random = Random(42);
    for _ in 0..10_000 {
        let mut masses = || -> Vec<u64> {
            let mut left = 8;
            let mut next = |_| {
                let mass = random.below(left / 2 + 1);
                left -= mass;
                mass
            };
            (0..3).map(&mut next).collect()
        };
        let (a, b) = (masses(), masses());
        let mut exact = [0u64; 5];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                exact[i + j] += x * y;
            }
        }
        let found = upper(&[row(-1, &a)], 3).convolve(&upper(&[row(2, &b)], 3));
        let found = found.unwrap();
        let [product] = found.shells() else {
            panic!("one shell")
        };
        assert_eq!(product.first(), 1);
        let infinite = 64 - exact.iter().sum::<u64>();
        let mut truth = infinite;
        let mut above = found.infinity_mass().limbs()[0];
        assert!(8 * above >= truth && 8 * above < truth + 8);
        for (mass, exact) in units(product).into_iter().zip(exact).rev() {
            above += mass;
            truth += exact;
            assert!(8 * above >= truth, "{a:?} {b:?}");
            assert!(8 * above < truth + 16, "{a:?} {b:?}");
        }
    }
}

/// One shell and three.
#[test]
fn shells_of_either_law_take_part() {
    let (few, many) = (
        upper(&[row(0, &[100, 20])], 10),
        upper(&[row(-1, &[30, 40]), Row::EMPTY, row(5, &[7])], 10),
    );
    for (a, b) in [(&few, &many), (&many, &few)] {
        let product = a.convolve(b).unwrap();
        assert_eq!(product.shells().len(), 3);
        assert!(!product.shells()[2].is_empty());
    }
}

/// What is cut off on the right goes to +∞, and on the left to the first atom that stays.
#[test]
fn light_ends_move_up() {
    let mut law = upper(&[row(-2, &[3, 500, 400, 5, 1])], 10);
    let infinite = law.infinity_mass().limbs()[0];
    let budget = TailBudget::new(Float::with_val(64, 8) >> 10u32, LeftEnd::QMass);
    law.trim(&budget).unwrap();
    assert_eq!(law.shells(), [row(-1, &[503, 400])]);
    assert_eq!(law.infinity_mass().limbs(), &[infinite + 6]);
}

#[test]
fn what_is_far_from_the_median_moves_to_the_next_shell() {
    // Two places in one, at half the index.
    let coarsened = |part: &Row<1>, _: usize| {
        let first = part.first().div_euclid(2);
        let end = (part.end() + 1).div_euclid(2);
        let pairs = (first..end).map(|k| part.at(2 * k).plus(&part.at(2 * k + 1)));
        Ok(Row::new(first, pairs.collect::<Result<_, _>>()?))
    };
    let mut shells = vec![row(-8, &[1; 17])];
    shells::sort(&mut shells, 2, coarsened).unwrap();
    let total: u64 = shells.iter().flat_map(units).sum();
    assert_eq!(total, 17);
    // Around the median, which is the last of eight.
    assert_eq!(shells[0], row(-3, &[1; 4]));
    assert_eq!(shells[1], row(-3, &[2, 1, 0, 1]));
    assert!(shells.len() > 2 && shells.iter().all(|shell| !shell.is_empty()));
}

#[test]
fn atoms_of_an_upper_law_are_at_their_knots() {
    let cell = |survival| Cell {
        mass_down: Mass::<1>::ZERO,
        scaled_p_up: Mass::ZERO,
        survival_up: Mass::from_limbs([survival]),
    };
    let table = CellTable {
        indices: vec![-3, 1, 2],
        cells: vec![cell(7), cell(4)],
        infinity_mass_up: Mass::from_limbs([1]),
        beyond_down: Mass::ZERO,
        beyond_tilted_up: Mass::ZERO,
        infinite_down: Mass::ZERO,
        lines: Vec::new(),
        bits: 3,
    };
    let found = upper_atoms(&table).unwrap();
    let atoms = found.atoms.iter().map(|(at, mass)| (*at, mass.limbs()[0]));
    assert_eq!(atoms.collect::<Vec<_>>(), [(-3, 1), (1, 3), (2, 3)]);
    assert_eq!(found.infinity_mass.limbs(), &[1]);
}

/// A little more P-mass than 1: as long as that is not ruled out, nothing is said of the least loss.
#[test]
fn least_losses_where_p_mass_may_be_above_one() {
    let lattice = Lattice::new(Offset::default(), Rational::from(1));
    let law = UpperLaw::new(lattice, vec![row(-1, &[276, 0, 748])], Mass::ZERO, 10);
    let profile = UpperProfile::new::<1, 2>(&law.unwrap()).unwrap();
    // 276·e + 748/e is 1.4 above 1024. 1 − u is the larger one up to u = 276/(1024 − 748/e), e^−0.998.
    let rest = Float::with_val(300, 748) * Float::with_val(300, -1).exp();
    let least = (276u32 / (1024u32 - rest)).ln();
    for bits in [4, 6, 8, 10, 12, 200] {
        let found = crate::kernel::coarse::at_most_bits(bits, || {
            crate::kernel::Profile::min_loss(&profile, bits)
        });
        let crate::kernel::LossBound::Finite { value, .. } = found else {
            panic!("unbounded")
        };
        assert!(*value.lo() <= least && *value.hi() >= least, "{value:?}");
    }
}

/// The same of random masses: of a P-mass above 1 where 1 − u is left, of no more at the atom on the left.
#[test]
fn least_losses_of_random_masses() {
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::kernel::{LossBound, Profile};
    let mut random = Random(76);
    let e = Float::with_val(300, 1).exp();
    let (mut above, mut within) = (0, 0);
    for _ in 0..100 {
        let left = 1 + random.below(1_000);
        let right = 1_024 - left;
        let lattice = Lattice::new(Offset::default(), Rational::from(1));
        let masses = vec![row(-1, &[left, 0, right])];
        let law = UpperLaw::new(lattice, masses, Mass::ZERO, 10).unwrap();
        let profile = UpperProfile::new::<1, 2>(&law).unwrap();
        let rest = Float::with_val(300, right / &e);
        let least = match Float::with_val(300, left * &e) + &rest > 1_024u32 {
            true => Float::with_val(300, left / (1_024u32 - rest)).ln(),
            false => Float::with_val(300, -1),
        };
        for _ in 0..96 {
            let bits = 3 + u32::try_from(random.below(60)).unwrap();
            match at_most_bits(bits, || profile.min_loss(bits)) {
                LossBound::Finite { value, .. } => {
                    let holds = *value.lo() <= least && *value.hi() >= least;
                    assert!(holds, "{left} at {bits} bits: {value:?} {least}");
                }
                LossBound::Unbounded => panic!("unbounded"),
            }
        }
        let is_above = least > -1;
        (above, within) = (above + u32::from(is_above), within + u32::from(!is_above));
    }
    assert!(above > 10 && within > 10, "{above} {within}");
}
