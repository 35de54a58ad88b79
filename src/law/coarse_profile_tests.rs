//! Lines and profiles of laws when no rounding keeps more than a few bits, against their definitions.

use rug::{Float, Integer, Rational};

use super::coarse_tests::{random_lower, random_upper};
use super::tests::{FINE, of_lower, of_upper, slack};
use super::*;
use crate::kernel::coarse::{self, Place, Random, at_most_bits, few_bits};
use crate::kernel::{Budget, Interval, LossBound, Pick, Point, Profile};

/// The P-tails of lines, in the narrowest numbers that hold them, lie on both sides of the exact ones.
#[test]
fn tails_of_lines_are_rounded_both_ways() {
    let mut random = Random(37);
    for _ in 0..5_000 {
        let law = random_upper(&mut random, 20);
        let step = law.lattice().step().clone();
        let mut atoms = Vec::new();
        for (s, row) in law.shells().iter().enumerate() {
            let present = row.atoms().filter(|(_, mass)| !mass.is_zero());
            atoms.extend(present.map(|(i, mass)| (i << s, mass.to_integer())));
        }
        atoms.sort_by_key(|atom| atom.0);
        let table = || super::lines::of_upper::<1, 1>(&law).unwrap();
        let scale = super::lines::unit_bits::<1>() - 20;
        for (table, most) in [(table(), Some(30)), (at_most_bits(9, table), None)] {
            assert_eq!(table.lines.len(), atoms.len() + 1);
            for (k, line) in table.lines.iter().enumerate() {
                let from = &atoms[k..];
                let all: Integer = from.iter().map(|atom| &atom.1).sum();
                let q_tail = all + law.infinity_mass().to_integer();
                assert_eq!(line.q_tail.to_integer(), q_tail << scale);
                let label = atoms.get(k.saturating_sub(1)).map_or(0, |atom| atom.0);
                assert_eq!(line.label, label);
                let mut exact = Float::new(FINE);
                for (at, mass) in from {
                    let gap = Rational::from(&step * (label - at));
                    exact += Float::with_val(FINE, &gap).exp() * mass;
                }
                let exact = exact << scale;
                let (down, up) = (line.p_tail_down.to_integer(), line.p_tail_up.to_integer());
                assert!(
                    down <= exact && up >= exact,
                    "line {k}: {down} {exact} {up}"
                );
                assert!(most.is_none_or(|most: u32| up - down <= most));
            }
            let (first, last) = table.ends.unwrap();
            assert_eq!((first.label, first.mass), atoms[0].clone());
            assert_eq!((last.label, last.mass), atoms[atoms.len() - 1].clone());
        }
    }
}

/// Do the atoms lie within a cell of their labels, and their losses well apart?
fn can_be_ordered(law: &LowerLaw<1>) -> bool {
    let mut losses = Vec::new();
    for (s, shell) in law.shells().iter().enumerate() {
        for (index, mass, scaled_p) in shell.atoms().filter(|(_, mass, _)| !mass.is_zero()) {
            let ratio = mass.to_integer().to_f64() / scaled_p.to_integer().to_f64().max(1e-9);
            let label = law.lattice().step().to_f64() * (index << s) as f64;
            losses.push((label + ratio.ln(), ratio));
        }
    }
    losses.sort_by(|a, b| a.0.total_cmp(&b.0));
    let apart = losses.windows(2).all(|pair| pair[1].0 > pair[0].0 + 0.005);
    apart && losses.iter().all(|loss| loss.1 < 1.4)
}

/// The largest line of a lower law is at most its profile, and is the profile where the atoms can be told apart.
#[test]
fn lines_of_a_lower_law_are_its_profile() {
    let mut random = Random(38);
    let mut exact_ones = 0;
    for _ in 0..crate::test_scale::cases(40) {
        let law = random_lower(&mut random, 20);
        let mixture = of_lower(&law);
        let is_exact = can_be_ordered(&law);
        exact_ones += u32::from(is_exact);
        let table = || super::lines::of_lower::<1, 1>(&law).unwrap();
        for (table, is_exact) in [(table(), is_exact), (at_most_bits(7, table), false)] {
            let scale = super::lines::unit_bits::<1>();
            for epsilon in mixture.places() {
                let largest = |pick: fn(&super::lines::Line<1>) -> Mass<1>| {
                    let mut largest = Float::new(FINE);
                    for line in &table.lines {
                        let label = law.lattice().exact_position(line.label).unwrap();
                        let u = Float::with_val(FINE, &(&epsilon - label)).exp();
                        let q = Float::with_val(FINE, line.q_tail.to_integer());
                        largest = largest.larger(&(q - u * pick(line).to_integer()));
                    }
                    largest >> scale
                };
                let exact = mixture.at(&epsilon);
                let (low, high) = (largest(|l| l.p_tail_up), largest(|l| l.p_tail_down));
                assert!(
                    low <= Float::with_val(FINE, &exact + slack()),
                    "ε = {epsilon}"
                );
                // Merging one scaled_p mass into another rounds by a unit of the law.
                let near = Float::with_val(FINE, &exact - 1e-3);
                assert!(!is_exact || high >= near, "ε = {epsilon}: {high} {exact}");
            }
        }
    }
    assert!(exact_ones > 2);
}

/// Profiles of laws at a few bits, on and beside the kinks, from all sides.
#[test]
fn profiles_of_laws_at_few_bits() {
    let mut random = Random(39);
    for case in 0..crate::test_scale::cases(30) {
        let (upper, lower) = (random_upper(&mut random, 20), random_lower(&mut random, 20));
        let mixture = if case % 2 == 0 {
            of_upper(&upper)
        } else {
            of_lower(&lower)
        };
        let profile: std::sync::Arc<dyn Profile> = if case % 2 == 0 {
            std::sync::Arc::new(UpperProfile::new::<1, 1>(&upper).unwrap())
        } else {
            std::sync::Arc::new(LowerProfile::new::<1, 1>(&lower).unwrap())
        };
        let (swapped, back) = (profile.swapped(), profile.swapped().swapped());
        let bits = few_bits(&mut random);
        for view in [&profile, &swapped, &back] {
            assert_eq!(coarse::ends_hold(&**view, bits), Ok(()));
        }
        for (ours, theirs) in [(&profile, &back), (&swapped, &back.swapped())] {
            let ends = |p: &dyn Profile| {
                format!(
                    "{:?} {:?} {:?}",
                    p.max_loss(90),
                    p.min_loss(90),
                    p.infinite_mass(90)
                )
            };
            assert_eq!(ends(&**ours), ends(&**theirs));
        }
        for epsilon in mixture.places().iter().step_by(3) {
            let minus = Rational::from(-epsilon);
            let exp = Float::with_val(12, epsilon).exp().to_rational().unwrap();
            for (view, place) in [
                (&profile, Place::Epsilon(epsilon.clone())),
                (&profile, Place::NearEpsilon(epsilon.clone())),
                (&back, Place::NearEpsilon(epsilon.clone())),
                (&profile, Place::ExpEpsilon(exp)),
                (&swapped, Place::NearEpsilon(minus)),
            ] {
                let holds = coarse::profile_holds(&**view, &place, bits, true);
                assert_eq!(holds, Ok(()), "{case}");
            }
        }
    }
}

/// The ends of a law exactly: the last atom, the first where no mass is missing, and what only one of the two has.
#[test]
fn ends_of_laws_are_where_their_atoms_are() {
    let half = || vec![Mass::<1>::power_of_two(9).unwrap(); 2];
    let lattice = || Lattice::new(Offset::default(), Rational::from((1, 4)));
    let encloses = |bound: LossBound, exact: &Float| match bound {
        LossBound::Finite { value, .. } => {
            let near = Float::with_val(FINE, 1e-30);
            let (lo, hi) = (value.lo().clone(), value.hi().clone());
            assert!(
                lo <= Float::with_val(FINE, exact + &near),
                "{value:?} {exact}"
            );
            assert!(
                hi >= Float::with_val(FINE, exact - &near),
                "{value:?} {exact}"
            );
            assert!(value.width_up() < 1e-30, "{value:?}");
        }
        LossBound::Unbounded => panic!("unbounded"),
    };
    // Q-masses 1/2 at 1/4 + ln 2 and 1/2 + ln 4.
    let scaled_p = [8, 7].map(|bits| Mass::power_of_two(bits).unwrap());
    let shell = LowerShell::new(1, half(), scaled_p.to_vec()).unwrap();
    let law = LowerLaw::new(lattice(), vec![shell], Mass::ZERO, 10).unwrap();
    let profile = LowerProfile::new::<1, 2>(&law).unwrap();
    let ln2 = Float::with_val(FINE, 2).ln();
    let (first, last) = (
        Float::with_val(FINE, &ln2 + 0.25),
        Float::with_val(FINE, 2u32 * &ln2) + 0.5,
    );
    encloses(profile.max_loss(200), &last);
    encloses(profile.min_loss(200), &first);
    encloses(
        profile.swapped().min_loss(200),
        &Float::with_val(FINE, -&last),
    );
    encloses(profile.swapped().max_loss(200), &Float::new(FINE));
    let p_mass =
        (Float::with_val(FINE, -0.25).exp() >> 2u32) + (Float::with_val(FINE, -0.5).exp() >> 3u32);
    let alone = profile.swapped().infinite_mass(200);
    let exact = Float::with_val(FINE, 1 - p_mass);
    assert!(*alone.lo() <= exact && *alone.hi() >= exact && alone.width_up() < 1e-30);
    // Where mass is missing nothing is known on the left.
    let shell = LowerShell::new(1, half()[1..].to_vec(), scaled_p[1..].to_vec()).unwrap();
    let law = LowerLaw::new(lattice(), vec![shell], Mass::ZERO, 10).unwrap();
    let profile = LowerProfile::new::<1, 2>(&law).unwrap();
    for bound in [profile.min_loss(90), profile.swapped().max_loss(90)] {
        let LossBound::Finite { value, .. } = bound else {
            panic!("unbounded")
        };
        assert!(value.hi().is_infinite());
    }
    assert_eq!(*profile.swapped().infinite_mass(90).hi(), 0);
}

/// What is said of a loss known by an interval holds at both its ends, with no atom between them, a few or all.
#[test]
fn losses_known_by_intervals() {
    let mut random = Random(46);
    for _ in 0..crate::test_scale::cases(12) {
        let (upper, lower) = (random_upper(&mut random, 20), random_lower(&mut random, 20));
        let (above, below) = (
            UpperProfile::new::<1, 1>(&upper).unwrap(),
            LowerProfile::new::<1, 1>(&lower).unwrap(),
        );
        let (more, less) = (of_upper(&upper), of_lower(&lower));
        let mut places = more.places();
        places.sort();
        let tail = |epsilon: &Rational| {
            let mut sum = Float::new(FINE);
            for (_, label, scaled_p) in more.atoms.iter().filter(|atom| atom.1 > *epsilon) {
                sum += Float::with_val(FINE, &Rational::from(-label)).exp() * scaled_p;
            }
            sum >> 20u32
        };
        for count in [2, 5, 9, places.len()] {
            for between in places.windows(count) {
                let [Some(first), Some(last)] = [between.first(), between.last()] else {
                    continue;
                };
                let loss =
                    Interval::from_rational(first, 200).hull(&Interval::from_rational(last, 200));
                let at = Point::at_log(loss);
                let (high, low) = (above.at(&at), below.at(&at).delta);
                for epsilon in [first, last] {
                    let truth = more.at(epsilon);
                    let line = Float::with_val(FINE, 1) - Float::with_val(FINE, epsilon).exp();
                    let most = truth.clone().larger(&line) + slack();
                    let near = Float::with_val(FINE, &truth - slack());
                    assert!(
                        *high.delta.hi() >= near && *high.delta.lo() <= most,
                        "{at:?}"
                    );
                    let least = less.at(epsilon).larger(&line) + slack();
                    assert!(*low.lo() <= least, "{at:?}");
                    // Where neither 0 nor 1 − u takes over.
                    if near > 0 && near > line {
                        let (tail, slopes) = (tail(epsilon), &high.null_tail);
                        let (more, less) = (tail.clone() + slack(), tail - slack());
                        assert!(*slopes.lo() <= more && *slopes.hi() >= less, "{at:?}");
                    }
                }
            }
        }
    }
}

/// The knots are those asked for, and are sampled by however many threads.
#[test]
fn knots_of_no_threads_are_those_of_one() {
    let mut random = Random(40);
    let profile = LowerProfile::new::<1, 2>(&random_lower(&mut random, 20)).unwrap();
    let grid = Lattice::new(Offset::logarithm(Rational::from(3)), Rational::from((1, 5)));
    let sample = |jobs, indices: &[i64]| {
        let sampling = Sampling {
            bits: 60,
            first_bits: 60,
            accuracy: crate::kernel::Accuracy::Absolute,
            jobs,
        };
        sample_knots(&profile, &grid, indices, sampling, &Budget::unlimited())
    };
    let (one, none) = (
        sample(1, &[-2, 0, 3]).unwrap(),
        sample(0, &[-2, 0, 3]).unwrap(),
    );
    assert_eq!(format!("{one:?}"), format!("{none:?}"));
    assert!(sample(1, &[0, 0]).is_err() && sample(1, &[]).is_err());
    // e^{ln 3 + 3/5}.
    let exact = Float::with_val(FINE, &Rational::from((3, 5))).exp() * 3u32;
    let exp = &one.values[2].exp;
    assert!(*exp.lo() <= exact && *exp.hi() >= exact && exp.width_up() < 1e-10);
}
