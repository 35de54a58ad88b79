//! Sums against plain convolutions in whole numbers, and lower laws against the profiles they stand for.

use std::sync::Arc;

use proptest::prelude::*;
use rug::{Float, Integer, Rational};

use super::*;
use crate::kernel::coarse::at_most_bits;
use crate::kernel::{Accuracy, Budget, Interval, LossBound, Point, Profile};
use crate::law::{CellTable, Lattice, Offset, Sampling, sample_knots};
use crate::mechanism::Mechanism;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::gaussian::Gaussian;

const BITS: u32 = 40;

fn lattice(offset: Rational, step: Rational) -> Lattice {
    Lattice::new(Offset::rational(offset), step)
}

/// A law of about the shape of a binomial one; what is left of 1 is at +∞, or half of it is missing.
pub(super) fn step(
    roughness: &[u32],
    offset: (i32, u32),
    step: Rational,
    is_whole: bool,
) -> LatticeLaw {
    let n = roughness.len() as u32;
    let masses: Vec<Integer> = (0..n)
        .map(|k| Integer::from(Integer::binomial_u(n - 1, k)) * (100 + roughness[k as usize]))
        .collect();
    let total: Integer = masses.iter().sum();
    let scaled = masses
        .iter()
        .map(|mass| (Integer::from(mass << BITS)) * 999 / (&total * Integer::from(1000)));
    let first = -i64::from(n / 2);
    let atoms: Vec<(i64, Integer)> = (first..).zip(scaled).collect();
    let used: Integer = atoms.iter().map(|(_, n)| n).sum();
    let rest = (Integer::from(1) << BITS) - used;
    let infinite = if is_whole { rest } else { rest / 2 };
    LatticeLaw::new(lattice(Rational::from(offset), step), atoms, infinite, BITS).unwrap()
}

/// Losses and exact masses of a composition.
pub(super) struct Exact {
    pub(super) atoms: Vec<(Rational, Rational)>,
    infinite: Rational,
    pub(super) missing: Rational,
}

pub(super) fn exact(parts: &[(LatticeLaw, u64)]) -> Exact {
    let mut atoms = std::collections::BTreeMap::from([(Rational::new(), Integer::from(1))]);
    let mut bits = 0;
    let (mut finite, mut present) = (Integer::from(1), Integer::from(1));
    for (law, times) in parts {
        let sum: Integer = law.atoms().iter().map(|(_, n)| n).sum();
        for _ in 0..*times {
            let mut next = std::collections::BTreeMap::new();
            for (loss, mass) in &atoms {
                for (label, n) in law.atoms() {
                    let place = law.lattice().exact_position(*label).unwrap() + loss;
                    *next.entry(place).or_insert_with(Integer::new) += Integer::from(mass * n);
                }
            }
            atoms = next;
            bits += law.bits();
            finite *= &sum;
            present *= Integer::from(&sum + law.infinite());
        }
    }
    let unit = Integer::from(1) << bits;
    let real = |n: Integer| Rational::from((n, unit.clone()));
    Exact {
        atoms: atoms.into_iter().map(|(y, n)| (y, real(n))).collect(),
        infinite: real(Integer::from(&present - &finite)),
        missing: real(Integer::from(&unit - &present)),
    }
}

impl Exact {
    /// δ' = t + Σ (q − u·p)⁺ and Σ_{L>ε} p.
    pub(super) fn at(&self, epsilon: &Rational, bits: u32) -> (Interval, Interval) {
        let mut delta = Interval::from_rational(&self.infinite, bits);
        let mut tail = Interval::zero(bits);
        for (loss, mass) in self.atoms.iter().filter(|(loss, _)| loss > epsilon) {
            let mass = Interval::from_rational(mass, bits);
            let p = mass.mul(&Interval::from_rational(loss, bits).neg().exp());
            let u = Interval::from_rational(epsilon, bits).exp();
            delta = delta.add(&mass.sub(&u.mul(&p)));
            tail = tail.add(&p);
        }
        (delta, tail)
    }

    /// 1 − v + v·δ'(1/v).
    pub(super) fn swapped_at(&self, epsilon: &Rational, bits: u32) -> Interval {
        let v = Interval::from_rational(epsilon, bits).exp();
        let (delta, _) = self.at(&Rational::from(-epsilon), bits);
        v.one_minus().add(&v.mul(&delta))
    }
}

pub(super) fn meet(a: &Interval, b: &Interval) -> bool {
    a.lo() <= b.hi() && b.lo() <= a.hi()
}

pub(super) fn hint(tilt: Rational, period: u64) -> LineHint {
    let outward = if tilt < -1 { -1 } else { 1 };
    bad_hint(tilt, period, Rational::from(outward))
}

/// With a farther tilt that may be on the wrong side.
fn bad_hint(tilt: Rational, period: u64, farther_by: Rational) -> LineHint {
    LineHint {
        farther: &tilt + farther_by,
        backward: Some(Rational::from(-3)),
        tilt,
        period,
        to: Float::with_val(53, 1e9),
        left_out: 48,
    }
}

pub(super) fn profile(parts: &[(LatticeLaw, u64)], hints: &[LineHint]) -> Option<SumProfile> {
    careless_profile(parts, hints, 0.0)
}

/// To which less mass than `negligible` does not matter.
fn careless_profile(
    parts: &[(LatticeLaw, u64)],
    hints: &[LineHint],
    negligible: f64,
) -> Option<SumProfile> {
    let sum = Sum::new(parts.to_vec()).unwrap().unwrap();
    let hints = LineHints {
        lines: hints.to_vec(),
        probes: vec![Float::with_val(53, 1)],
        roots: Roots::Usual,
        where_missed: Roots::Usual,
        negligible: Float::with_val(53, negligible),
        jobs: 2,
        places: None,
    };
    SumProfile::new(sum, hints, &Budget::unlimited()).unwrap()
}

/// Every value of the exact composition is in its enclosure, in both orders.
pub(super) fn contains(
    parts: &[(LatticeLaw, u64)],
    profile: &SumProfile,
) -> Result<(), TestCaseError> {
    let truth = exact(parts);
    let at = |epsilon: &Rational| at_most_bits(u32::MAX, || truth.at(epsilon, 300));
    let ends = (&truth.atoms[0].0, &truth.atoms[truth.atoms.len() - 1].0);
    let length = Rational::from(ends.1 - ends.0);
    let swapped = profile.swapped();
    for n in -2..=42 {
        // Also on atoms.
        let epsilon = ends.0 + Rational::from(&length * n) / 40u32;
        let found = profile.at(&Point::at_epsilon(&epsilon, 160));
        let (delta, tail) = at(&epsilon);
        let straight = at_most_bits(u32::MAX, || {
            Interval::from_rational(&epsilon, 300).exp().one_minus()
        });
        let expected = delta.max(&straight).at_least_zero();
        prop_assert!(
            meet(&found.delta, &expected),
            "{epsilon}: {:?} {expected:?}",
            found.delta
        );
        if *delta.lo() > *straight.hi() {
            // On an atom either one-sided tail will do.
            let before = at(&(epsilon.clone() - Rational::from((1, 1_000_000)))).1;
            prop_assert!(
                meet(&found.null_tail, &tail.hull(&before)),
                "{epsilon}: {:?} {tail:?}",
                found.null_tail
            );
        }
        let mirrored = Rational::from(-&epsilon);
        let found = swapped.at(&Point::at_epsilon(&mirrored, 160));
        let expected = at_most_bits(u32::MAX, || {
            let straight = Interval::from_rational(&mirrored, 300).exp().one_minus();
            truth
                .swapped_at(&mirrored, 300)
                .max(&straight)
                .at_least_zero()
        });
        prop_assert!(
            meet(&found.delta, &expected),
            "{mirrored}: {:?} {expected:?}",
            found.delta
        );
    }
    prop_assert!(profile.infinite_mass(160).contains(&truth.infinite));
    let turned = [profile.max_loss(64), profile.min_loss(64).negated()];
    if let [
        LossBound::Finite { value: last, .. },
        LossBound::Finite { value: first, .. },
    ] = &turned
    {
        prop_assert!(*last.hi() >= *ends.1 && *first.hi() >= Rational::from(-ends.0));
    }
    let [greatest, _] = turned;
    let least = format!("{:?}", swapped.min_loss(64));
    prop_assert_eq!(least, format!("{:?}", greatest.negated()));
    if truth.missing == 0 {
        let null = at_most_bits(u32::MAX, || {
            truth.atoms.iter().fold(Interval::zero(300), |sum, (y, q)| {
                sum.add(
                    &Interval::from_rational(q, 300)
                        .mul(&Interval::from_rational(y, 300).neg().exp()),
                )
            })
        });
        prop_assert!(meet(
            &swapped.infinite_mass(160),
            &null.one_minus().in_unit()
        ));
    }
    Ok(())
}

fn parts() -> impl Strategy<Value = Vec<(LatticeLaw, u64)>> {
    let shape = || prop::collection::vec(0u32..40, 5..12);
    let part = (
        shape(),
        (-9i32..9, 1u32..5),
        3u64..12,
        any::<bool>(),
        0u32..2,
    );
    prop::collection::vec(part, 1..3).prop_map(|parts| {
        parts
            .into_iter()
            .map(|(shape, offset, times, is_whole, level)| {
                let step = Rational::from((1, 8)) << level;
                (
                    self::step(&shape, (offset.0, offset.1 * 10), step, is_whole),
                    times,
                )
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(6).max(40)))]
    /// Whatever the hint: a tilt on any side, too few roots or many.
    #[test]
    fn any_line_is_sound(
        parts in parts(),
        tilt in prop_oneof![-60i32..-10, -9i32..0, 1i32..60],
        period in prop_oneof![1u64..200, 200u64..20_000],
        farther_by in prop_oneof![Just(0), -30i32..30],
    ) {
        let farther_by = Rational::from((farther_by, 10));
        let hints = [bad_hint(Rational::from((tilt, 10)), period, farther_by)];
        if let Some(profile) = profile(&parts, &hints) {
            contains(&parts, &profile)?;
        }
    }
}

/// Lines on all three sides, each where it is at its best.
#[test]
fn good_lines_are_narrow() {
    let law = step(&[0; 9], (1, 10), Rational::from((1, 8)), true);
    let parts = [(law, 40)];
    let truth = exact(&parts);
    for (tilt, epsilons) in [
        ((3, 2), [4, 6, 9]),
        ((-1, 2), [1, 3, 5]),
        ((-5, 2), [-4, -2, 1]),
    ] {
        let profile = profile(&parts, &[hint(Rational::from(tilt), 1501)]).unwrap();
        for epsilon in epsilons.map(Rational::from) {
            let found = profile.at(&Point::at_epsilon(&epsilon, 160)).delta;
            let (delta, _) = truth.at(&epsilon, 300);
            assert!(
                meet(&found, &delta),
                "{tilt:?} {epsilon} {found:?} {delta:?}"
            );
            assert!(
                found.width_up() < Float::with_val(64, delta.hi() * 1e-9f64),
                "{tilt:?} {epsilon} {found:?}"
            );
        }
    }
}

/// A law that lives on every second point has a characteristic function that returns to 1; so has an atom.
#[test]
fn laws_that_do_not_fall_have_no_line() {
    let gaps = |label: i64| (2 * label, Integer::from(1) << (BITS - 5));
    let atoms: Vec<_> = (0..32).map(gaps).collect();
    let law = LatticeLaw::new(
        lattice(Rational::new(), Rational::from((1, 8))),
        atoms,
        Integer::new(),
        BITS,
    );
    assert!(profile(&[(law.unwrap(), 50)], &[hint(Rational::from(1), 20_001)]).is_none());
}

fn table(profile: &dyn Profile, lattice: &Lattice, indices: &[i64], bits: u32) -> CellTable<2> {
    let sampling = Sampling {
        bits: 200,
        first_bits: 200,
        accuracy: Accuracy::Relative,
        jobs: 1,
    };
    let knots = sample_knots(profile, lattice, indices, sampling, &Budget::unlimited());
    CellTable::from_knots(&knots.unwrap(), bits).unwrap()
}

/// The law's own profile, atom by atom.
fn below(law: &LatticeLaw, epsilon: &Rational) -> Interval {
    exact(&[(law.clone(), 1)]).at(epsilon, 300).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(45)))]
    /// Knots anywhere, atoms anywhere: the lower law on the lattice is never above the profile.
    #[test]
    fn lattice_lower_laws_lie_below(
        p in prop::collection::vec(1u32..1000, 2..7),
        q in prop::collection::vec(0u32..1000, 7),
        gaps in prop::collection::vec(1i64..6, 4..60),
        bits in 20u32..110,
        scale in 2u32..40,
    ) {
        let total = |v: &[u32]| v.iter().sum::<u32>();
        let q: Vec<u32> = q.into_iter().take(p.len()).chain([1]).collect();
        let p: Vec<u32> = p.into_iter().chain([0]).collect();
        let share = |v: &[u32]| v.iter().map(|n| Rational::from((*n, total(v)))).collect::<Vec<_>>();
        let pair = Mechanism::finite(share(&p), share(&q)).unwrap();
        let profile = FiniteProfile::new(pair.finite_law().unwrap().clone());
        let grid = lattice(Rational::from((1, 77)), Rational::from((1, scale)));
        let mut index = -gaps.iter().sum::<i64>() / 2;
        let mut indices = vec![index];
        indices.extend(gaps.iter().map(|gap| { index += gap; index }));
        let law = lattice_lower_law(&grid, &table(&profile, &grid, &indices, bits)).unwrap();
        for n in -60i32..60 {
            let epsilon = Rational::from((n, 10));
            let truth = profile.at(&Point::at_epsilon(&epsilon, 300)).delta;
            let found = below(&law, &epsilon);
            prop_assert!(found.lo() <= truth.hi(), "{epsilon} {found:?} {truth:?}");
        }
    }
}

/// Second order in the step: a quarter of the error for half the step.
#[test]
fn lattice_lower_laws_are_close() {
    let gaussian = Gaussian::from_square(Rational::from(1));
    let gap = |steps: i64| {
        let grid = lattice(Rational::new(), Rational::from((1, steps)));
        let indices: Vec<i64> = (-9 * steps..=9 * steps).collect();
        let law = lattice_lower_law(&grid, &table(&gaussian, &grid, &indices, 110)).unwrap();
        let epsilon = Rational::from((1, 3));
        let truth = gaussian.at(&Point::at_epsilon(&epsilon, 300)).delta;
        let gap = truth.sub(&below(&law, &epsilon));
        assert!(*gap.hi() > 0);
        gap.hi().to_f64()
    };
    let (coarse, fine) = (gap(16), gap(32));
    assert!(coarse < 2e-4, "{coarse}");
    assert!(fine < 0.3 * coarse, "{fine} {coarse}");
}

/// Where a law starts steeply its lower law gains no P-mass beyond rounding: a thousandth of a cell would add up over many steps.
#[test]
fn a_steep_start_keeps_its_mean() {
    let steep = crate::mechanism::subsampled::subsampled(
        &Rational::from((1, 1_000_000)),
        Arc::new(Gaussian::from_square(Rational::from((25, 16)))),
    );
    let edge = Offset::logarithm(Rational::from((999_999, 1_000_000)));
    let grid = Lattice::new(edge, Rational::from((1, 10_000_000)));
    let indices: Vec<i64> = (0..200).chain((200..8000).step_by(8)).collect();
    let law = lattice_lower_law(&grid, &table(&*steep, &grid, &indices, 110)).unwrap();
    let sum = Sum::new(vec![(law, 1)]).unwrap().unwrap();
    assert!(*sum.null.hi() < 1.000_000_000_000_1f64, "{:?}", sum.null);
}

/// Composed laws of a Gaussian enclose the Gaussian that the composition is.
#[test]
fn sums_enclose_the_closed_form() {
    let times = 100u64;
    let one = Gaussian::from_square(Rational::from((1, 100)));
    let whole = Gaussian::from_square(Rational::from(1));
    let grid = lattice(Rational::new(), Rational::from((1, 400)));
    let indices: Vec<i64> = (-420..=420).collect();
    let table = table(&one, &grid, &indices, 110);
    let upper = [(LatticeLaw::above(&grid, &table).unwrap(), times)];
    let lower = [(lattice_lower_law(&grid, &table).unwrap(), times)];
    let hints = [(-5, -1e-300), (3, 1e9)].map(|(tilt, to)| LineHint {
        to: Float::with_val(53, to),
        ..hint(Rational::from((tilt, 2)), 16_001)
    });
    let above: Arc<dyn Profile> = Arc::new(profile(&upper, &hints).unwrap());
    let below: Arc<dyn Profile> = Arc::new(profile(&lower, &hints).unwrap());
    for (above, below) in [
        (above.clone(), below.clone()),
        (above.swapped(), below.swapped()),
    ] {
        for n in -24i32..=24 {
            let at = Point::at_epsilon(&Rational::from((n, 6)), 160);
            let truth = whole.at(&at).delta;
            let (above, below) = (above.at(&at).delta, below.at(&at).delta);
            assert!(above.hi() >= truth.lo() && below.lo() <= truth.hi(), "{n}");
            let width = above.sub(&below);
            assert!(
                *width.hi() < Float::with_val(64, truth.hi() * 0.02f64) + 1e-9f64,
                "{n} {width:?} {truth:?}"
            );
        }
    }
}

/// Without a line nothing is known, and the profile says so.
#[test]
fn no_line_is_no_knowledge() {
    let law = step(&[0; 9], (1, 10), Rational::from((1, 8)), true);
    let hints = [
        LineHint {
            to: Float::with_val(53, 0.5),
            ..hint(Rational::from(1), 2)
        },
        hint(Rational::from((3, 2)), 1501),
    ];
    let profile = profile(&[(law, 40)], &hints).unwrap();
    let zero = Point::at_epsilon(&Rational::new(), 160);
    assert!(
        *profile
            .at(&Point::at_epsilon(&Rational::from(6), 160))
            .delta
            .hi()
            < 0.5
    );
    assert!(!profile.is_short());
    for knot in [profile.at(&zero), profile.swapped().at(&zero)] {
        assert!(knot.delta.is_zero() || (*knot.delta.lo() <= 0 && *knot.delta.hi() >= 1));
        assert!(*knot.null_tail.lo() <= 0 && *knot.null_tail.hi() >= 1);
    }
    assert!(profile.is_short());
}

/// The next line inwards stands in for one that cannot be made; that it is worse there is noted unless it does not matter.
#[test]
fn a_neighbour_stands_in_for_a_line() {
    let law = step(&[0; 9], (1, 10), Rational::from((1, 8)), true);
    let parts = [(law, 40)];
    let truth = exact(&parts);
    let up_to = |to: f64, hint: LineHint| LineHint {
        to: Float::with_val(53, to),
        ..hint
    };
    let (good, bad) = (
        hint(Rational::from((3, 2)), 1501),
        hint(Rational::from(1), 2),
    );
    let on_the_left = hint(Rational::from((-5, 2)), 1501);
    let right = [up_to(2.0, good.clone()), bad.clone()];
    let left = [up_to(-3.0, bad), up_to(0.5, on_the_left), good];
    let cases: [(&[LineHint], [i32; 3]); 2] = [(&right, [3, 6, 11]), (&left, [-4, -5, -6])];
    for (hints, epsilons) in cases {
        for negligible in [0.0, 1e-6] {
            let profile = careless_profile(&parts, hints, negligible).unwrap();
            for epsilon in epsilons.map(Rational::from) {
                let found = profile.at(&Point::at_epsilon(&epsilon, 160)).delta;
                let (delta, _) = truth.at(&epsilon, 300);
                assert!(meet(&found, &delta), "{epsilon} {found:?} {delta:?}");
                assert!(found.width_up() < 1e-6, "{epsilon} {found:?}");
            }
            assert_eq!(profile.is_short(), negligible == 0.0);
        }
    }
}

/// Never below e^x − 1, and hardly above where x is small.
#[test]
fn growths_are_bounds() {
    for shift in [0u32, 1, 2, 5, 20, 60, 90] {
        let x = Interval::point(Float::with_val(LOG_BITS, 1) >> shift);
        let found = super::profile::growth_up(&x);
        let truth = x.exp_m1();
        assert!(found >= *truth.hi(), "2^-{shift}: {found} {truth:?}");
        assert!(found <= Float::with_val(LOG_BITS, truth.lo() * 2u32));
    }
    let far = Interval::from_i64(3, LOG_BITS);
    assert!(super::profile::growth_up(&far) >= *far.exp_m1().lo());
}
