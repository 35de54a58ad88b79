//! Corners of polygons, in words and in whole numbers of any size, against 400 bits.

use rug::Float;

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

/// Powers for numbers of units of 20 bits and their digits beyond, and for words.
fn both_powers(step: &Rational) -> (Powers, WordPowers) {
    (Powers::new(step, 20), WordPowers::new(step))
}

fn number<N: Number>(x: &Integer) -> N {
    N::of(x).unwrap()
}

/// The polygon passes below the point that is added, and what is kept of the masses is not above theirs.
fn passes_below<N: Number>(
    powers: &mut impl Growth<N>,
    gap: i64,
    (above, fallen): (&Integer, &Integer),
    value: &Integer,
    fall: &Float,
) {
    let corner = Corner {
        label: gap,
        value: number(&Integer::from(above - fallen)),
        above: number(above),
        fallen: number(fallen),
        mass: N::default(),
    };
    let mut hull = Hull {
        corners: vec![corner],
    };
    hull.add(0, number(value), powers).unwrap();
    let [kept @ .., added] = hull.corners.as_slice() else {
        panic!("no corner")
    };
    let Some(kept) = kept.last() else { return };
    let [above, fallen, mass] = [&kept.above, &kept.fallen, &kept.mass].map(Number::to_integer);
    let unit = Integer::from(1) << EXTRA;
    assert!(Integer::from(&mass % &unit) == 0);
    let rest = Float::with_val(400, fall * (fallen + &mass));
    let there = Float::with_val(400, above + mass) - &rest;
    assert!(there <= *value, "{there} {value}");
    assert!(added.fallen.to_integer() <= rest);
}

/// A corner next to the value at which its mass gains a unit, or at which it goes.
#[test]
fn polygons_pass_below_their_points() {
    let mut random = Random(47);
    for round in 0..2_950 {
        let step = Rational::from((1 + random.below(30), 10));
        let gap = i64::try_from(1 + random.below(5)).unwrap();
        let fall = Float::with_val(400, &(-step.clone() * gap)).exp();
        let units = |n: u64| Integer::from(n) << EXTRA;
        let above = units(50 + random.below(50));
        // Of the masses right of the corner, which are farther away than that.
        let fallen = units(random.below(50)) + random.below(1 << 40);
        let mass = units(if round % 2 == 0 { 0 } else { random.below(20) });
        let exact = Float::with_val(400, Integer::from(&above + &mass))
            - Float::with_val(400, &fall * Integer::from(&fallen + &mass));
        let floor = exact.floor().to_integer().unwrap();
        for value in [floor.clone(), floor + 1u32] {
            let (mut powers, mut word_powers) = both_powers(&step);
            let sums = (&above, &fallen);
            passes_below::<Integer>(&mut powers, gap, sums, &value, &fall);
            passes_below::<Words>(&mut word_powers, gap, sums, &value, &fall);
        }
    }
}

fn atom(index: i64, [mass, scaled_p]: [u64; 2]) -> LowerAtom<2> {
    let [mass, scaled_p] = [mass, scaled_p].map(|n| Mass::from_limbs([n, 0]));
    LowerAtom {
        index,
        mass,
        scaled_p,
    }
}

/// P-masses that are moved left, each from its own knot, are never less than what is left of them, and not much more.
fn masses_above_a_knot<N: Number>(
    random: &mut Random,
    step: &Rational,
    powers: &mut impl Growth<N>,
) {
    let mut above = Above::<N>::default();
    let (mut q, mut scaled_p) = (Integer::new(), Float::new(400));
    for _ in 0..1 + random.below(4) {
        let halves = i64::try_from(2 + random.below(60)).unwrap();
        above = above.moved_left(halves, powers).unwrap();
        let fall = Float::with_val(400, &(step.clone() * halves)) / -2i32;
        scaled_p *= fall.exp();
        assert!(above.scaled_p.to_integer() >= scaled_p, "{step} {halves}");
        let [mass, p] = [0, 1].map(|_| random.below(100));
        above = above.with(&atom(0, [mass, p])).unwrap();
        q += Integer::from(mass) << EXTRA;
        scaled_p += Integer::from(p) << EXTRA;
        let found = above.scaled_p.to_integer();
        assert!(above.q.to_integer() == q && found >= scaled_p);
        assert!(found <= scaled_p.clone() + 5 * LOST);
    }
}

#[test]
fn masses_above_a_knot_at_the_last_unit() {
    let mut random = Random(5);
    for _ in 0..2_500 {
        let step = Rational::from((1 + random.below(9), 1 + random.below(9)));
        let (mut powers, mut word_powers) = both_powers(&step);
        masses_above_a_knot::<Integer>(&mut random, &step, &mut powers);
        masses_above_a_knot::<Words>(&mut random, &step, &mut word_powers);
    }
}

/// What a value is lowered by makes up for what two products with powers lose for each corner.
#[test]
fn values_are_lowered_by_what_all_corners_lose() {
    let most = Integer::from(2 * LOST) * Integer::from(MOST_CELLS);
    assert!(slack::<Integer>().unwrap() >= most);
    let in_words = slack::<Words>().unwrap().to_integer();
    assert_eq!(in_words, slack::<Integer>().unwrap());
}

/// The line 1 − u is seen from a knot with at least as much P-mass as it has, from few bits too.
#[test]
fn the_line_of_everything_is_not_above_it() {
    let (bits, index) = (40, 7);
    for few in [8, 400] {
        let lattice = Lattice::new(Offset::default(), Rational::from((1, 9)));
        let infinite = Integer::from(1) << 38;
        let line = at_most_bits(few, || {
            Above::<Integer>::of_everything(&lattice, index, bits, &infinite).unwrap()
        });
        let one = Float::with_val(400, 1) << (bits + EXTRA);
        let exact = (Float::with_val(400, index) / 9u32).exp() * &one;
        assert!(line.scaled_p >= exact && line.q == one * 0.75);
    }
}

/// Units of mass of [`random_atoms`].
const BITS: u32 = 100;

/// Knots at any gaps, with masses of any size, or none; P-masses are about what Q-masses are, or far less.
fn random_atoms(random: &mut Random) -> Vec<LowerAtom<2>> {
    let mut index = i64::try_from(random.below(200)).unwrap() - 100;
    let count = 1 + random.below(16);
    let mut mass = |room: u64| {
        let digits = random.below(room);
        u128::from(random.below(1 << 30) + 1) << digits
    };
    let mut masses: Vec<[u128; 2]> = Vec::new();
    for k in 0..count {
        let mass = if k % 7 == 3 { 0 } else { mass(60) };
        masses.push([mass, mass - mass / 64 * u128::from(k % 5)]);
    }
    let atoms = masses.into_iter().map(|masses| {
        index += 1 + i64::try_from(random.below(6)).unwrap();
        let limbs = |n: u128| {
            let (low, high) = (n & u128::from(u64::MAX), n >> 64u32);
            Mass::from_limbs([low, high].map(|limb| u64::try_from(limb).unwrap()))
        };
        let [mass, scaled_p] = masses.map(limbs);
        LowerAtom {
            index,
            mass,
            scaled_p,
        }
    });
    atoms.collect()
}

/// What the law with these masses has at a point, in units.
fn profile((atoms, _): &HullMasses, step: &Rational, x: i64) -> Float {
    let terms = atoms
        .iter()
        .filter(|(label, _)| *label > x)
        .map(|(label, mass)| {
            let away = Rational::from(step * (x - label));
            let fall = Float::with_val(400, &away).exp();
            (1u32 - fall) * mass
        });
    terms.fold(Float::new(400), |sum, term| sum + term)
}

/// In words and in numbers of any size the polygon passes below the upper envelope of all lines, and both are about the same; so it is where it ends on the
/// line 1 − u.
#[test]
fn hulls_lie_below_all_lines_in_words_and_in_full() {
    let mut random = Random(48);
    let (mut seen, mut gone) = (0, 0);
    for round in 0..100 {
        let atoms = random_atoms(&mut random);
        let step = Rational::from((1 + random.below(60), 1u64 << random.below(9)));
        let lattice = Lattice::new(Offset::default(), step.clone());
        let infinite = Integer::from(random.below(1 << 20));
        let knots = Knots {
            lattice: &lattice,
            atoms: &atoms,
            lines: &[],
            end: (round % 2 == 0).then_some((BITS, &infinite)),
        };
        let Some(words) = knots.hull::<Words>(&mut WordPowers::new(&step)) else {
            // The line 1 − u seen from too far on the right.
            assert!(round % 2 == 0);
            continue;
        };
        seen += 1;
        let full = knots.hull(&mut Powers::new(&step, BITS)).unwrap();
        gone += usize::from(words.0.len() + 1 < atoms.len());
        // Q_k − u·P_k at u = e^{step·(x + 1/2)}.
        let line = |k: usize, x: i64| {
            let above = atoms.iter().skip(k);
            above.fold(Float::new(400), |sum, atom| {
                let away = Rational::from(&step * (2 * (x - atom.index) + 1)) / 2u32;
                let grown = Float::with_val(400, &away).exp() * atom.scaled_p.to_integer();
                sum + atom.mass.to_integer() - grown
            })
        };
        let everything = |x: i64| {
            let one = Float::with_val(400, 1) << BITS;
            let away = Rational::from(&step * (2 * x + 1)) / 2u32;
            Float::with_val(400, &one - &infinite) - Float::with_val(400, &away).exp() * one
        };
        let (first, last) = (atoms[0].index, atoms[atoms.len() - 1].index);
        for x in first - 3..last + 3 {
            let mut most = (0..atoms.len()).fold(Float::new(400), |most, k| most.max(&line(k, x)));
            if knots.end.is_some() {
                most.max_mut(&everything(x));
            }
            for found in [&words, &full] {
                let there = profile(found, &step, x);
                assert!(there <= most, "{round}: {there} {most}");
            }
            let apart = profile(&words, &step, x) - profile(&full, &step, x);
            assert!(apart.clone().abs() <= 2 * atoms.len(), "{round}: {apart}");
        }
        for masses in [&words.0, &full.0] {
            assert!(masses.iter().all(|(_, mass)| *mass >= 0), "{round}");
        }
    }
    // Hulls of fewer corners than points are among them.
    assert!(seen > 70 && gone > 15, "{seen} {gone}");
}

/// Masses that leave no room in words: the whole numbers take their place.
#[test]
fn too_large_for_words() {
    let atoms: Vec<LowerAtom<4>> = (0..5)
        .map(|index| LowerAtom {
            index,
            mass: Mass::from_limbs([9, 0, 3 << 62, 0]),
            scaled_p: Mass::from_limbs([7, 0, 3 << 61, 0]),
        })
        .collect();
    let lattice = Lattice::new(Offset::default(), Rational::from(1));
    let knots = Knots {
        lattice: &lattice,
        atoms: &atoms,
        lines: &[],
        end: None,
    };
    assert!(
        knots
            .hull::<Words>(&mut WordPowers::new(lattice.step()))
            .is_none()
    );
    let full = knots.hull(&mut Powers::new(lattice.step(), 200)).unwrap();
    assert!(!full.0.is_empty());
}
