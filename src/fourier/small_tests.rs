//! Sums of a few losses: each direction of rounding in milliseconds.

use rug::{Float, Integer, Rational};

use super::profile::{falling, growth_up, rising};
use super::tests::{contains, exact, hint, meet, profile, step};
use super::{LatticeLaw, LineHint, LineHints, Roots, Sum, SumProfile, lattice_lower_law};
use crate::kernel::coarse::{FINE, Random, at_most_bits, late};
use crate::kernel::{Accuracy, Budget, Interval, LossBound, Point, Profile};
use crate::law::{CellTable, Lattice, Offset, Sampling, sample_knots};
use crate::mechanism::gaussian::Gaussian;

/// Laws of four losses, whole or not, by lines on all three sides, at few bits and many.
#[test]
fn a_few_losses() {
    for (place, tilt) in [(3, 2), (-1, 2), (-5, 2)].into_iter().enumerate() {
        for is_whole in [true, false] {
            let law = step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), is_whole);
            let parts = vec![(law, 5)];
            let profile = profile(&parts, &[hint(Rational::from(tilt), 101)]).unwrap();
            contains(&parts, &profile).unwrap();
            let place = u32::try_from(place).unwrap();
            for bits in (8 + place..22 + place).chain([30]) {
                let found = at_most_bits(bits, || contains(&parts, &profile));
                assert!(found.is_ok(), "{tilt:?} {is_whole} {bits} bits: {found:?}");
            }
        }
    }
}

/// The ends of a sum, and the other way round: the losses with the other sign.
#[test]
fn ends_of_a_few_losses() {
    let law = step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), true);
    let (first, last) = (law.atoms()[0].0, law.atoms()[3].0);
    let at = |label: i64| law.lattice().exact_position(label).unwrap() * 5u32;
    let (first, last) = (at(first), at(last));
    let profile = profile(&[(law, 5)], &[hint(Rational::from((3, 2)), 101)]).unwrap();
    let swapped = profile.swapped();
    let is = |bound: LossBound, end: &Rational| match bound {
        LossBound::Finite { value, .. } => value.contains(end) && value.width_up() < 1e-30,
        LossBound::Unbounded => false,
    };
    assert!(last > 0 && first < 0);
    assert!(is(profile.max_loss(64), &last));
    assert!(is(swapped.min_loss(64), &Rational::from(-&last)));
    // Where P-mass may be above 1 nothing is said of the least loss, and of the other order's largest.
    if is(profile.min_loss(64), &first) {
        assert!(is(swapped.max_loss(64), &Rational::from(-&first)));
    } else {
        let LossBound::Finite { value, .. } = profile.min_loss(64) else {
            return;
        };
        assert!(value.contains(&first));
    }
}

/// What a value may fall or rise by, all of it known by intervals, at a few bits.
#[test]
fn changes_of_values_at_few_bits() {
    let mut random = Random(18);
    for _ in 0..2000 {
        let mut number = || Rational::from((random.below(64), 32));
        let [value, scaled, growth] = [number(), number(), number()];
        let wide = |x: &Rational, by: Rational| {
            Interval::from_rational(x, 64).hull(&Interval::from_rational(&(x - by), 64))
        };
        let (inner, most) = (wide(&value, number()), wide(&scaled, number()));
        let growth_up = Float::with_val(64, &growth);
        let change = Rational::from(&scaled * &growth);
        let low = inner.lo().to_rational().unwrap() - &change;
        let high = Rational::from(&value + &change);
        for bits in [2, 3, 4, 6, 64] {
            let (down, up) = at_most_bits(bits, || {
                (
                    falling(&inner, &most, &growth_up),
                    rising(&inner, &most, &growth_up),
                )
            });
            assert!(*down.lo() <= low && *down.hi() >= value, "{bits}: {down:?}");
            assert!(up.lo() <= inner.lo() && *up.hi() >= high, "{bits}: {up:?}");
        }
    }
}

/// All that is said of a loss between two ends holds at both, in both orders.
fn covers(parts: &[(LatticeLaw, u64)], profile: &SumProfile, ends: &[Rational; 2]) {
    let truth = exact(parts);
    let [low, high] = ends.each_ref().map(|x| Interval::from_rational(x, 160));
    let between = low.hull(&high);
    let found = profile.at(&Point::at_log(between.clone()));
    let mirrored = profile.swapped().at(&Point::at_log(between.neg()));
    for epsilon in ends {
        let (delta, tail) = truth.at(epsilon, 300);
        let u = Interval::from_rational(epsilon, 300).exp();
        let below = delta.add(&u.mul(&tail)).one_minus();
        let minus = Rational::from(-epsilon);
        let swapped = truth.swapped_at(&minus, 300);
        for (what, found, delta, tail, straight) in [
            ("stated", &found, &delta, &tail, u.one_minus()),
            (
                "swapped",
                &mirrored,
                &swapped,
                &below,
                u.recip().one_minus(),
            ),
        ] {
            let expected = delta.max(&straight).at_least_zero();
            assert!(meet(&found.delta, &expected), "{what} {epsilon}: {found:?}");
            if delta.lo() > straight.hi() && *delta.lo() > 0 {
                assert!(meet(&found.null_tail, tail), "{what} {epsilon}: {found:?}");
            }
        }
    }
}

/// A loss of which only an interval is known, with a loss of the sum in it: what is said covers both ends, in both orders.
#[test]
fn losses_known_by_intervals() {
    for tilt in [(3, 2), (-1, 2), (-5, 2)] {
        for is_whole in [true, false] {
            let law = step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), is_whole);
            let parts = vec![(law, 5)];
            let profile = profile(&parts, &[hint(Rational::from(tilt), 101)]).unwrap();
            // Losses of the sum are ½ + n/4.
            for n in -6i32..8 {
                let ends = [1, 3].map(|k| Rational::from((2 * n + k, 8)));
                covers(&parts, &profile, &ends);
            }
        }
    }
}

/// Steps of a quarter and of an eighth have a line together.
#[test]
fn sums_of_two_steps() {
    let parts = vec![
        (
            step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), true),
            3,
        ),
        (step(&[1, 5, 2], (1, 10), Rational::from((1, 8)), true), 2),
    ];
    let profile = profile(&parts, &[hint(Rational::from((3, 2)), 201)]).unwrap();
    contains(&parts, &profile).unwrap();
}

/// The least loss is said where P-mass is certainly at most 1, and only there.
#[test]
fn least_losses_of_sums() {
    let sum_of = |first: u32, last: i64, bits: u32| {
        let atoms = [(-1, first), (last, 1024 - first)].map(|(at, n)| (at, n.into()));
        let lattice = Lattice::new(Offset::default(), Rational::from(1));
        let law = LatticeLaw::new(lattice, atoms.into(), 0.into(), 10).unwrap();
        let hints = LineHints {
            lines: Vec::new(),
            probes: Vec::new(),
            roots: Roots::Usual,
            where_missed: Roots::Usual,
            negligible: Float::new(53),
            jobs: 1,
            places: None,
        };
        let sum = at_most_bits(bits, || Sum::new(vec![(law, 1)]))
            .unwrap()
            .unwrap();
        SumProfile::new(sum, hints, &Budget::unlimited())
            .unwrap()
            .unwrap()
    };
    let value = |bound: LossBound| match bound {
        LossBound::Finite { value, .. } => value,
        LossBound::Unbounded => panic!("unbounded"),
    };
    let light = sum_of(100, 3, 64);
    assert_eq!(value(light.min_loss(64)), Interval::from_i64(-1, 64));
    assert_eq!(value(light.swapped().max_loss(64)), Interval::one(64));
    // 276·e + 748/e is 1.4 above 1024: 1 − u is the larger one up to u = 276/(1024 − 748/e).
    let rest = Float::with_val(FINE, 748) * Float::with_val(FINE, -1).exp();
    let least = (276u32 / (1024u32 - rest)).ln();
    for bits in [4, 6, 8, 10, 12, 64] {
        let found = value(sum_of(276, 1, bits).min_loss(64));
        assert!(*found.lo() <= least && *found.hi() >= least, "{found:?}");
    }
}

/// e^x − 1 is never more, on both sides of 1 and at it.
#[test]
fn growth_is_bounded_from_above() {
    let mut random = Random(17);
    for round in 0..2_200 {
        let bits = 2 + u32::try_from(random.below(8)).unwrap();
        let x = match round % 8 {
            0 => Interval::one(bits),
            1 => Interval::zero(bits).hull(&Interval::one(bits)),
            2 => Interval::one(bits).hull(&Interval::from_i64(2, bits)),
            _ => Interval::point(Float::with_val(bits, random.below(24)) >> 3u32),
        };
        let fine = Interval::point(x.hi().clone()).at_bits(FINE).exp_m1();
        for found in [growth_up(&x), at_most_bits(bits, || growth_up(&x))] {
            assert!(found >= *fine.lo(), "{x:?} at {bits} bits: {found}");
        }
        // And not much more.
        let most = if *x.hi() <= 1 { 1.3 } else { 1.001 };
        assert!(
            growth_up(&x.at_bits(64)).to_f64() <= fine.hi().to_f64() * most + 1e-9,
            "{x:?}"
        );
    }
}

/// In the other order the tail of P is the Q-mass not above the loss, and what is missing.
#[test]
fn tails_in_the_other_order() {
    for tilt in [(3, 2), (-1, 2), (-5, 2)] {
        let law = step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), false);
        let parts = vec![(law, 2)];
        let swapped = profile(&parts, &[hint(Rational::from(tilt), 101)])
            .unwrap()
            .swapped();
        let truth = exact(&parts);
        assert!(truth.missing > 0);
        let mut seen = 0;
        // Between the losses of the sum, which are fourths apart.
        for n in -20..=20 {
            let epsilon = Rational::from((n, 4)) + Rational::from((1, 3));
            let mirrored = Rational::from(-&epsilon);
            let straight = Interval::from_rational(&mirrored, 300).exp().one_minus();
            let value = truth.swapped_at(&mirrored, 300);
            if *value.lo() <= *straight.at_least_zero().hi() {
                continue;
            }
            let below = truth.atoms.iter().filter(|(loss, _)| *loss < epsilon);
            let tail = below.fold(truth.missing.clone(), |sum, (_, mass)| sum + mass);
            let found = swapped.at(&Point::at_epsilon(&mirrored, 160)).null_tail;
            assert!(
                meet(&found, &Interval::from_rational(&tail, 300)),
                "{tilt:?} {epsilon}: {found:?} {tail}"
            );
            seen += 1;
        }
        assert!(seen > 2, "{seen}");
    }
}

/// A line that windows do not show to take few roots is made of values where it is missed, and is none where it is not.
#[test]
fn a_line_that_is_missed_is_made_by_values() {
    let smooth = |label: i64, middle: f64, width: f64| {
        (-((label as f64 - middle) / width).powi(2) / 2.0).exp()
    };
    let unit = 2f64.powi(40);
    let near = (0..200i64).map(|i| (i, unit / 110.0 * smooth(i, 40.0, 40.0)));
    let far = (25..600i64).map(|i| (20 * i, unit * 1e-4 * smooth(i, 25.0, 90.0)));
    let mut atoms: Vec<(i64, Integer)> = near
        .chain(far)
        .filter_map(|(label, mass)| Some((label, Integer::from_f64(mass.floor())?)))
        .collect();
    let sum: Integer = atoms.iter().map(|(_, mass)| mass).sum();
    let lattice = Lattice::new(Offset::default(), Rational::from((1, 100_000)));
    atoms[40].1 += (Integer::from(1) << 40u32) - sum;
    let law = LatticeLaw::new(lattice, atoms, Integer::new(), 40).unwrap();
    let parts = [(law, 500)];
    let to = |to: f64, hint: LineHint| LineHint {
        to: Float::with_val(53, to),
        ..hint
    };
    // The first can be made, as it has few roots at all.
    let farther = |hint: LineHint| LineHint {
        farther: Rational::from(60),
        ..hint
    };
    let first = to(0.36, farther(hint(Rational::from(2), 3001)));
    let second = to(20.0, farther(hint(Rational::from(1), 80_001)));
    let hints = |roots, probe: f64, negligible: f64| LineHints {
        lines: vec![first.clone(), second.clone()],
        probes: vec![Float::with_val(53, probe)],
        roots,
        where_missed: Roots::ByValues,
        negligible: Float::with_val(53, negligible),
        jobs: 2,
        places: None,
    };
    let profile = |roots, probe, negligible| {
        let sum = Sum::new(parts.to_vec()).unwrap().unwrap();
        SumProfile::new(sum, hints(roots, probe, negligible), &Budget::unlimited()).unwrap()
    };
    assert!(profile(Roots::Usual, 0.5, 0.0).is_none());
    let whole = profile(Roots::ByValues, 0.5, 0.0).unwrap();
    let missed = profile(Roots::Usual, 0.1, 0.0).unwrap();
    let careless = profile(Roots::Usual, 0.1, f64::INFINITY).unwrap();
    for epsilon in [40, 50, 60].map(|n| Rational::from((n, 100))) {
        let at = Point::at_epsilon(&epsilon, 160);
        let [whole, missed, careless] = [&whole, &missed, &careless].map(|p| p.at(&at).delta);
        assert!(whole.width_up() < 1e-9, "{epsilon}: {whole:?}");
        assert_eq!(whole, missed, "{epsilon}");
        assert_ne!(careless, whole, "{epsilon}");
        assert!(careless.lo() <= whole.hi() && whole.lo() <= careless.hi());
    }
    assert!(!missed.is_short() && !careless.is_short());
}

/// Of values in as few bits as do: both laws are on their sides far out, in both orders, and near.
#[test]
fn laws_of_values_in_few_bits() {
    const BITS: u32 = 480;
    let gaussian = Gaussian::from_square(Rational::from(1));
    let third = Offset::rational(Rational::from((1, 3)));
    let grid = Lattice::new(third, Rational::from((1, 16)));
    let indices: Vec<i64> = (-400..=400).collect();
    let sampling = Sampling {
        bits: BITS + 40,
        first_bits: 128,
        accuracy: Accuracy::Relative,
        jobs: 1,
    };
    let knots = sample_knots(&gaussian, &grid, &indices, sampling, &Budget::unlimited());
    let table = CellTable::<8>::from_knots(&knots.unwrap(), BITS).unwrap();
    let upper = LatticeLaw::above(&grid, &table).unwrap();
    let lower = lattice_lower_law(&grid, &table).unwrap();
    let value =
        |law: &LatticeLaw, epsilon: &Rational| exact(&[(law.clone(), 1)]).at(epsilon, 900).0;
    for n in -40i32..=40 {
        let epsilon = Rational::from((n, 2));
        let at = Point::at_epsilon(&epsilon, 900);
        let truth = gaussian.at(&at).delta;
        let (above, below) = (value(&upper, &epsilon), value(&lower, &epsilon));
        assert!(above.hi() >= truth.lo() && below.lo() <= truth.hi(), "{n}");
        // δ(−ε) = 1 − e^{−ε} + e^{−ε}·δ(ε).
        let other = gaussian.at(&at.mirrored()).delta.mul(at.exp());
        let most = if n < 0 { other } else { truth };
        let width = above.sub(&below).div(&most);
        assert!(*width.hi() < 2, "{n}: {}", width.hi().to_f64());
    }
}

/// No line is begun when the time is over, which is noted, and none is missing for that later.
#[test]
fn lines_are_not_begun_late() {
    let law = step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), true);
    let profile = profile(&[(law, 5)], &[hint(Rational::from((3, 2)), 101)]).unwrap();
    let point = Point::at_epsilon(&Rational::from((1, 3)), 60);
    let known = || profile.at(&point).delta.width_up() < 1e-3;
    assert!(!late(known) && profile.is_short());
    assert!(known() && late(known));
}
