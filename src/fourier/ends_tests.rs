//! Laws with ends in finer units, against the profiles of their steps at many more digits.

use std::sync::Arc;

use rug::{Float, Integer, Rational};

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::kernel::{Accuracy, Budget, CellPlaces, Point, Profile};
use crate::law::{Offset, Sampling, sample_knots};
use crate::mechanism::Mechanism;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::subsampled::subsampled;

const UNITS: u32 = 110;

struct Step {
    profile: Arc<dyn Profile>,
    lattice: Lattice,
    table: CellTable<2>,
    ends: Ends,
}

/// A Gaussian step, sampled or not, in either order, between knots anywhere; ends in units that have nothing to do with those of the cells.
fn step(random: &mut Random) -> Option<Step> {
    let mu = Rational::from((25 + random.below(60), 40));
    let gaussian = Arc::new(Gaussian::from_mu(&mu));
    let profile: Arc<dyn Profile> = match random.below(3) {
        0 => gaussian,
        _ => subsampled(&Rational::from((3 + random.below(7), 10)), gaussian),
    };
    let profile = if random.once_in(3) {
        profile.swapped()
    } else {
        profile
    };
    let scale = 20 + random.below(30);
    let offset = Offset::rational(Rational::from((random.below(100), 1000 * scale)));
    let lattice = Lattice::new(offset, Rational::from((1, scale)));
    // From the middle of the law, or far below it, to far above it.
    let scale = i64::try_from(scale).unwrap();
    let mut index = -scale * i64::try_from(1 + random.below(12)).unwrap();
    let mut indices = vec![index];
    while index < scale * 6 {
        index += 1 + i64::try_from(random.below(3)).unwrap();
        indices.push(index);
    }
    let places = CellPlaces {
        offset: &lattice.offset().enclose(320),
        step: lattice.step(),
        indices: &indices,
        good_bits: 113,
    };
    let cells = profile.cells(&places, &Budget::unlimited()).unwrap()?;
    let table = CellTable::from_bounds(&indices, &cells, UNITS).unwrap();
    let bits = UNITS + u32::try_from(random.below(300)).unwrap();
    let below = indices[0] - 1 - i64::try_from(random.below(4)).unwrap();
    let at = |index: i64| lattice.exact_position(index).unwrap();
    let last = *indices.last().unwrap();
    let fine = |profile: &dyn Profile, epsilon: &Rational| {
        let point = Point::at_epsilon(epsilon, bits + 200);
        profile.at(&point).delta.hi().clone()
    };
    let ends = Ends {
        bits,
        beyond_up: fine(&*profile, &at(last)),
        below,
        null_below_up: fine(&*profile.swapped(), &-at(below)),
    };
    Some(Step {
        profile,
        lattice,
        table,
        ends,
    })
}

/// δ of a law at e^ε, and the δ of the other order at e^−ε: (δ − 1 + u)/u.
fn both(law: &LatticeLaw, epsilon: &Rational, bits: u32) -> [Interval; 2] {
    let u = Interval::from_rational(epsilon, bits).exp();
    let positions = law.lattice().positions(bits);
    let start = law.real(law.infinite());
    let delta = law
        .atoms()
        .iter()
        .filter(|(label, _)| law.lattice().exact_position(*label).unwrap() > *epsilon)
        .fold(start.at_bits(bits), |sum: Interval, (label, mass)| {
            let share = u.mul(&positions.at(*label).neg().exp()).one_minus();
            sum.add(&law.real(mass).at_bits(bits).mul(&share))
        });
    let other = delta.sub(&u.one_minus()).div(&u);
    [delta, other]
}

/// Points between the knots and beyond, and both ends.
fn places(step: &Step, law: &LatticeLaw, random: &mut Random) -> Vec<Rational> {
    let (below, last) = (step.ends.below, *step.table.indices.last().unwrap());
    let at = |index| step.lattice.exact_position(index).unwrap();
    let own = |n: usize| {
        let label = law.atoms().get(n).map(|(label, _)| *label);
        law.lattice().exact_position(label.unwrap()).unwrap()
    };
    let mut places = vec![at(below), at(below) - 3u32, at(last), at(last) + 2u32];
    places.extend([own(0), own(1), own(2)]);
    places.push((own(0) + own(1)) / 2u32);
    let (low, high) = (at(below) - 1u32, at(last) + 1u32);
    for _ in 0..4 {
        let share = Rational::from((random.below(1000), 1000));
        places.push((high.clone() - &low) * share + &low);
    }
    places
}

/// In both orders of the pair, and what the ends add is their own units.
#[test]
fn laws_with_ends_stay_on_their_sides() {
    let mut random = Random(27);
    let (mut seen, mut moved) = (0, 0);
    for round in 0..crate::test_scale::cases(90) {
        let Some(step) = step(&mut random) else {
            continue;
        };
        seen += 1;
        let few = if round % 4 == 0 { 20 } else { 4000 };
        let (above, below) = at_most_bits(few, || {
            let above = LatticeLaw::above_with_ends(&step.lattice, &step.table, &step.ends);
            let below = LatticeLaw::below_with_ends(&step.lattice, &step.table, step.ends.bits);
            (above.unwrap(), below.unwrap())
        });
        // From few bits nothing may be left.
        let is_left = below.atoms().len() > 2;
        assert!(above.is_whole() && (below.is_whole() || !is_left));
        let bits = step.ends.bits + 200;
        let truth = |epsilon: &Rational| {
            let point = Point::at_epsilon(epsilon, bits);
            let swapped = step.profile.swapped();
            [
                step.profile.at(&point).delta,
                swapped.at(&point.mirrored()).delta,
            ]
        };
        let off = Float::with_val(64, 1) >> (bits - 60);
        for epsilon in places(&step, &above, &mut random) {
            for (found, truth) in both(&above, &epsilon, bits).iter().zip(truth(&epsilon)) {
                let lack = truth.sub(found);
                assert!(*lack.lo() <= off, "{round} {epsilon}: {found:?} {truth:?}");
            }
        }
        let under = if is_left { &below } else { &above };
        for epsilon in places(&step, under, &mut random) {
            for (found, truth) in both(&below, &epsilon, bits).iter().zip(truth(&epsilon)) {
                let lack = found.sub(&truth);
                assert!(*lack.lo() <= off, "{round} {epsilon}: {found:?} {truth:?}");
            }
        }
        assert!(is_left || few < bits, "{round}");
        if few < bits {
            continue;
        }
        // Beyond the last knot, and far below the first one, above is what there is, to a few units of the ends.
        let unit = Float::with_val(64, 1) >> step.ends.bits;
        let at = |index| step.lattice.exact_position(index).unwrap();
        let last = *step.table.indices.last().unwrap();
        let [found, _] = both(&above, &at(last), bits);
        let surplus = found.sub(&Interval::point(step.ends.beyond_up.clone()));
        assert!(*surplus.hi() <= unit.clone() * 2u32, "{round} {surplus:?}");
        if above.first() == Some(step.ends.below) {
            moved += 1;
            let first = at(step.ends.below);
            let [_, found] = both(&above, &first, bits);
            let surplus = found.sub(&Interval::point(step.ends.null_below_up.clone()));
            let null_unit = unit.clone() * Float::with_val(64, -first).exp();
            assert!(*surplus.hi() <= null_unit * 2u32, "{round} {surplus:?}");
        }
        // Below, P-mass is 1 to a few units of the ends.
        let first = below
            .lattice()
            .exact_position(below.first().unwrap())
            .unwrap();
        let [_, found] = both(&below, &(first.clone() - 1u32), bits);
        let null_unit = unit * Float::with_val(64, -first).exp();
        assert!(*found.neg().hi() <= null_unit * 2u32, "{round} {found:?}");
    }
    assert!(
        seen > 40 * crate::test_scale::cases(90) / 90 && moved > seen / 3,
        "{seen} {moved}"
    );
}

/// Knots far apart, where the corner in which the polygon meets 1 − u can be one that goes: what is below stays below.
#[test]
fn polygons_that_do_not_begin_on_the_line() {
    let mut random = Random(28);
    let mut not_on_line = 0;
    for round in 0..crate::test_scale::cases(200) {
        let (p, q, indices) = match round {
            // Nothing happens without the record once in a million times.
            0 => (
                vec![802_400, 197_599, 1],
                vec![463_000, 537_000, 0],
                vec![-40, -30, -4, 5, 14],
            ),
            _ => {
                let mut masses = |zero: bool| {
                    let three = [0; 3].map(|_| 1 + u32::try_from(random.below(1000)).unwrap());
                    let last = if zero { 0 } else { 1 + three[0] / 500 };
                    [three[0], three[1], three[2], last]
                };
                let (p, q) = (masses(false).to_vec(), masses(true).to_vec());
                let mut index = -60 - i64::try_from(random.below(40)).unwrap();
                let mut indices = vec![index];
                while index < 60 {
                    index += 1 + i64::try_from(random.below(40)).unwrap();
                    indices.push(index);
                }
                (p, q, indices)
            }
        };
        let share = |all: &[u32]| -> Vec<Rational> {
            let total = all.iter().sum::<u32>();
            all.iter().map(|n| Rational::from((*n, total))).collect()
        };
        let pair = Mechanism::finite(share(&p), share(&q)).unwrap();
        let profile: Arc<dyn Profile> =
            Arc::new(FiniteProfile::new(Arc::clone(pair.finite_law().unwrap())));
        // What only P has is at +∞ in the other order.
        let profile = match round % 2 {
            0 => profile,
            _ => profile.swapped(),
        };
        let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from((1, 10)));
        let sampling = Sampling {
            bits: 300,
            first_bits: 300,
            accuracy: Accuracy::Relative,
            jobs: 1,
        };
        let knots = sample_knots(
            &*profile,
            &lattice,
            &indices,
            sampling,
            &Budget::unlimited(),
        );
        let table = CellTable::<2>::from_knots(&knots.unwrap(), 100).unwrap();
        let corners = lower_corners(&lattice, &table, true).unwrap();
        not_on_line += usize::from(!corners.begins_on_line);
        let law = LatticeLaw::below_with_ends(&lattice, &table, 200).unwrap();
        for n in -90i32..40 {
            let epsilon = Rational::from((n, 11));
            let truth = profile.at(&Point::at_epsilon(&epsilon, 300)).delta;
            let [found, _] = both(&law, &epsilon, 300);
            assert!(
                found.lo() <= truth.hi(),
                "{round} {epsilon} {found:?} {truth:?}"
            );
        }
    }
    assert!(not_on_line > 3, "{not_on_line}");
}

/// A law in quarters, of which the P-mass is known: what may move is what is said.
#[test]
fn what_moves_is_whole_units() {
    let lattice = || Lattice::new(Offset::default(), Rational::from(1));
    let one = Integer::from(1) << 60u32;
    let law =
        |atoms: Vec<(i64, Integer)>| LatticeLaw::new(lattice(), atoms, Integer::new(), 60).unwrap();
    // All mass at 1: of P, 1 − 1/e is missing. To have it all, m·(1 + e)·(1 − 1/e)… moves to −1: m·(e − 1/e) = 1 − 1/e.
    let e = Float::with_val(300, 1).exp();
    let less = Float::with_val(300, e.recip_ref());
    let range = Float::with_val(300, &e - &less);
    let ends = |null_below_up: f64| Ends {
        bits: 60,
        beyond_up: Float::new(64),
        below: -1,
        null_below_up: Float::with_val(64, null_below_up),
    };
    let single = law(vec![(1, one.clone())]);
    for c in [0.0, 0.25] {
        let share: Float = (Float::with_val(300, 1u32 - &less) - c) / &range;
        let expected = Float::with_val(300, share << 60u32)
            .floor()
            .to_integer()
            .unwrap();
        let moved = moved_down(&single, &ends(c)).unwrap();
        assert_eq!(moved, [(-1, expected.clone()), (1, &one - expected)]);
    }
    // No more than is missing, and nothing where nothing is.
    assert!(moved_down(&single, &ends(0.75)).is_none());
    // Nor to a point that is not below the first atom.
    assert!(moved_down(&law(vec![(-1, one.clone())]), &ends(0.0)).is_none());
    // A first atom that is too small takes others along.
    let small = law(vec![(0, Integer::from(3)), (1, &one - Integer::from(3))]);
    let moved = moved_down(&small, &ends(0.0)).unwrap();
    assert_eq!(moved[1].0, 1);
    assert_eq!(Integer::from(&moved[0].1 + &moved[1].1), one);
    // P-mass above 1 moves up: of 1 unit at −1 and the rest at 1 nothing, of all at −1 (e − 1)/(e − 1/e).
    let all = vec![(-1, one.clone()), (1, Integer::new())];
    let units = moved_up(&law(all.clone()), &all).unwrap();
    let share = Float::with_val(300, &e - 1u32) / &range;
    let expected = Float::with_val(300, share << 60u32).floor();
    assert_eq!(units, expected.to_integer().unwrap());
    let none = vec![(-1, Integer::from(1)), (1, &one - Integer::from(1))];
    assert!(moved_up(&law(none.clone()), &none).is_none());
}
