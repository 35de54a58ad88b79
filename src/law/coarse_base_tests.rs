//! Base laws when no rounding keeps more than a few bits, against the pairs that they stand for.

use rug::{Float, Rational};

use super::tests::{FINE, of_lower, of_upper, slack};
use super::*;
use crate::kernel::coarse::{self, Random, at_most_bits, few_bits};
use crate::kernel::{Interval, Point};

fn number(x: u64) -> i64 {
    i64::try_from(x).unwrap()
}

/// A pair with all its mass on a lattice and at +∞; its P-masses follow from the losses.
struct Pair {
    step: Rational,
    /// Index and Q-mass, in units of 1/total.
    atoms: Vec<(i64, u64)>,
    infinite: u64,
    total: u64,
}

impl Pair {
    /// Most of the mass lies on the knots, the rest on either side of them.
    fn random(random: &mut Random, indices: &[i64]) -> Self {
        let mut atoms: Vec<(i64, u64)> = indices.iter().map(|i| (*i, random.below(64))).collect();
        let last = indices.last().unwrap();
        if random.once_in(2) {
            atoms.push((last + 2, random.below(32)));
        }
        if random.once_in(3) {
            atoms.push((indices[0] - 1, random.below(32)));
        }
        let infinite = if random.once_in(2) {
            random.below(32)
        } else {
            0
        };
        let step = [(1, 8), (1, 2), (1, 1)][random.below(3) as usize];
        Self {
            step: Rational::from(step),
            total: (atoms.iter().map(|a| a.1).sum::<u64>() + infinite).max(1),
            atoms,
            infinite,
        }
    }

    fn share(&self, units: u64) -> Float {
        Float::with_val(FINE, units) / self.total
    }

    fn delta(&self, epsilon: &Rational) -> Float {
        let mut sum = self.share(self.infinite);
        for (index, mass) in &self.atoms {
            let gap = epsilon - Rational::from(&self.step * *index);
            let hinge = Float::with_val(FINE, 1) - Float::with_val(FINE, &gap).exp();
            if hinge > 0 {
                sum += hinge * self.share(*mass);
            }
        }
        sum
    }

    /// P(L > y) at a point of the lattice.
    fn null_tail(&self, at: i64) -> Float {
        let mut sum = Float::new(FINE);
        for (index, mass) in self.atoms.iter().filter(|(index, _)| *index > at) {
            let loss = Rational::from(&self.step * -index);
            sum += Float::with_val(FINE, &loss).exp() * self.share(*mass);
        }
        sum
    }

    /// The knots as a mechanism known to a few bits would give them; the truth lies at an end as often as not.
    fn knots(&self, indices: &[i64], bits: u32, random: &mut Random) -> Knots {
        let mut near = |x: &Float| {
            let enclosed = coarse::around(x, bits);
            let (mut lo, mut hi) = (enclosed.lo().clone(), enclosed.hi().clone());
            match random.below(4) {
                0 => lo = Float::with_val(bits, &lo * 3u32) >> 2u32,
                1 => hi *= 2u32,
                _ => {}
            }
            Interval::spanning(lo, hi)
        };
        let lattice = Lattice::new(Offset::default(), self.step.clone());
        let values = indices.iter().map(|index| {
            let place = lattice.exact_position(*index).unwrap();
            SampledKnot {
                index: *index,
                exp: Point::at_epsilon(&place, bits).exp().clone(),
                delta: near(&self.delta(&place)),
                null_tail: near(&self.null_tail(*index)),
            }
        });
        let values = values.collect();
        let infinite_mass = near(&self.share(self.infinite));
        Knots {
            lattice,
            values,
            infinite_mass,
        }
    }
}

/// Increasing indices, one to four apart.
fn knot_indices(random: &mut Random) -> Vec<i64> {
    let mut at = number(random.below(12)) - 6;
    let count = 1 + random.below(6);
    (0..count)
        .map(|_| {
            at += 1 + number(random.below(4));
            at
        })
        .collect()
}

/// Each base law stays on its side of the pair whose knots are known to a few bits.
#[test]
fn base_laws_from_coarse_knots() {
    let mut random = Random(31);
    for case in 0..crate::test_scale::cases(30) {
        let indices = knot_indices(&mut random);
        let pair = Pair::random(&mut random, &indices);
        let bits = few_bits(&mut random);
        let knots = pair.knots(&indices, bits, &mut random);
        let unit = [3, 6, 40][random.below(3) as usize];
        let table = || CellTable::<1>::from_knots(&knots, unit).unwrap();
        for table in [table(), at_most_bits(bits, table)] {
            let upper = of_upper(&discretise_upper(&knots.lattice, &table).unwrap());
            for epsilon in upper.places() {
                assert!(
                    upper.at(&epsilon) >= pair.delta(&epsilon) - slack(),
                    "{case}: {bits} bits, above, ε = {epsilon}"
                );
            }
            let lower = of_lower(&discretise_lower(&knots.lattice, &table).unwrap());
            for epsilon in lower.places() {
                assert!(
                    lower.at(&epsilon) <= pair.delta(&epsilon) + slack(),
                    "{case}: {bits} bits, below, ε = {epsilon}"
                );
            }
        }
    }
}

/// All mass on the knots and nothing rounded that counts: then both base laws are the pair itself.
#[test]
fn base_laws_of_a_pair_on_the_knots_are_exact() {
    let mut random = Random(32);
    let near = Float::with_val(FINE, 1e-11);
    for _ in 0..30 {
        let indices = knot_indices(&mut random);
        let mut pair = Pair::random(&mut random, &indices);
        let first = indices[0];
        let last = *indices.last().unwrap();
        pair.atoms.retain(|a| a.0 > first && a.0 <= last);
        pair.atoms.push((first + 1, 1));
        pair.atoms.retain(|a| indices.contains(&a.0) && a.0 > first);
        pair.total = pair.atoms.iter().map(|a| a.1).sum::<u64>() + pair.infinite;
        if pair.total == 0 {
            continue;
        }
        let lattice = Lattice::new(Offset::default(), pair.step.clone());
        let values = indices.iter().map(|index| {
            let place = lattice.exact_position(*index).unwrap();
            SampledKnot {
                index: *index,
                exp: Point::at_epsilon(&place, 120).exp().clone(),
                delta: coarse::around(&pair.delta(&place), 120),
                null_tail: coarse::around(&pair.null_tail(*index), 120),
            }
        });
        let knots = Knots {
            values: values.collect(),
            infinite_mass: coarse::around(&pair.share(pair.infinite), 120),
            lattice,
        };
        let table = CellTable::<1>::from_knots(&knots, 50).unwrap();
        let upper = of_upper(&discretise_upper(&knots.lattice, &table).unwrap());
        let lower = of_lower(&discretise_lower(&knots.lattice, &table).unwrap());
        for epsilon in lower.places() {
            let truth = pair.delta(&epsilon);
            for found in [upper.at(&epsilon), lower.at(&epsilon)] {
                let gap = Float::with_val(FINE, found - &truth).abs();
                assert!(gap < near, "ε = {epsilon}: {gap}");
            }
        }
    }
}

/// What makes the upper law is of the first table, what makes the lower one of the second.
#[test]
fn a_table_of_two_has_each_sides_own() {
    let mut random = Random(33);
    for _ in 0..5_000 {
        let indices = knot_indices(&mut random);
        let (one, other) = (
            Pair::random(&mut random, &indices),
            Pair::random(&mut random, &indices),
        );
        let mut table = |pair: &Pair| {
            CellTable::<1>::from_knots(&pair.knots(&indices, 9, &mut random), 20).unwrap()
        };
        let (upper, lower) = (table(&one), table(&other));
        let both = CellTable::between(upper.clone(), lower.clone()).unwrap();
        let grid = Lattice::new(Offset::default(), Rational::from(1));
        let up = |t: &CellTable<1>| of_upper(&discretise_upper(&grid, t).unwrap());
        let low = |t: &CellTable<1>| of_lower(&discretise_lower(&grid, t).unwrap());
        assert_eq!(up(&both), up(&upper));
        assert_eq!(low(&both), low(&lower));
        let mut shifted = lower.clone();
        shifted.indices[0] -= 1;
        assert!(CellTable::between(upper.clone(), shifted).is_err());
        let finer = CellTable { bits: 21, ..lower };
        assert!(CellTable::between(upper, finer).is_err());
    }
}

/// Every atom stays where its knot is, in the coarsest shell that has a point there and is no coarser than the gaps beside it.
#[test]
fn atoms_stand_in_the_shell_of_their_gaps() {
    let mut random = Random(34);
    for _ in 0..100 {
        let mut at = -(1i64 << (3 + random.below(4)));
        let mut indices = vec![at];
        for _ in 0..random.below(8) {
            at += 1 << random.below(4);
            indices.push(at);
        }
        let cells = indices.iter().skip(1).map(|_| Cell {
            mass_down: Mass::from_limbs([1 + random.below(20)]),
            scaled_p_up: Mass::from_limbs([1]),
            survival_up: Mass::ZERO,
        });
        let table = CellTable::<1> {
            cells: cells.collect(),
            infinity_mass_up: Mass::ZERO,
            beyond_down: Mass::from_limbs([7]),
            beyond_tilted_up: Mass::from_limbs([5]),
            infinite_down: Mass::from_limbs([3]),
            lines: Vec::new(),
            bits: 20,
            indices: indices.clone(),
        };
        let grid = Lattice::new(Offset::default(), Rational::from((1, 4)));
        let law = discretise_lower(&grid, &table).unwrap();
        let mut found = Vec::new();
        for (s, shell) in law.shells().iter().enumerate() {
            let atoms = shell.atoms().filter(|(_, mass, _)| !mass.is_zero());
            found.extend(atoms.map(|(index, mass, _)| (index << s, s, *mass)));
        }
        found.sort_unstable();
        let masses = table.cells.iter().map(|cell| cell.mass_down);
        let masses = masses.chain([table.beyond_down]);
        let gap = |a: Option<&i64>, b: Option<&i64>| Some(b? - a?);
        let expected = indices.iter().enumerate().zip(masses);
        let expected = expected.map(|((i, index), mass)| {
            let before = i
                .checked_sub(1)
                .and_then(|j| gap(indices.get(j), Some(index)));
            let after = gap(Some(index), indices.get(i + 1));
            let least = before.into_iter().chain(after).min().unwrap_or(1);
            let fits = |s: &usize| index % (1 << s) == 0 && 1 << s <= least;
            (*index, (0..40usize).rev().find(fits).unwrap(), mass)
        });
        assert_eq!(found, expected.collect::<Vec<_>>());
        assert_eq!(law.infinity_mass().to_integer(), 3);
    }
}

/// Far out a null tail that is hardly known counts e^y times: no number of it is longer than that of all the mass, which would fill the memory.
#[test]
fn masses_that_are_hardly_known_stay_short() {
    let lattice = Lattice::new(Offset::default(), Rational::from(1));
    let knot = |index: i64, exponent: i32, delta: (i64, i64)| SampledKnot {
        index,
        exp: Interval::point(Float::with_val(120, Float::i_exp(1, exponent))),
        delta: Interval::from_rational(&Rational::from(delta), 120),
        null_tail: Interval::zero(120).hull(&Interval::one(120)),
    };
    let knots = Knots {
        values: vec![
            knot(0, 0, (1, 2)),
            knot(1 << 27, 1 << 28, (1, 4)),
            knot(1 << 28, 1 << 29, (1, 8)),
        ],
        infinite_mass: Interval::zero(120),
        lattice,
    };
    let table = CellTable::<1>::from_knots(&knots, 50).unwrap();
    let all = rug::Integer::from(1) << (50 + crate::law::cells::EXTRA_BITS);
    for line in &table.lines {
        assert!(line.mass_down >= 0 && line.scaled_p_up <= all);
        assert!(line.mass_down <= all && line.scaled_p_up > 0);
    }
    assert_eq!(table.lines.last().unwrap().scaled_p_up, all);
    let one = Mass::<1>::power_of_two(50).unwrap();
    assert!(
        table
            .cells
            .iter()
            .all(|cell| cell.scaled_p_up <= one && cell.survival_up <= one)
    );
}
