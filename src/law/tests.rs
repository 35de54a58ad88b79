//! Soundness of every operation on laws, against the definition δ'(u) = t + Σ q_i (1 − u·e^{−y_i})⁺ evaluated
//! atom by atom in 400 bits, far beyond the 2^-40 units that the rounding of a law moves.

use std::sync::Arc;

use proptest::prelude::*;
use rug::{Float, Integer, Rational};

use super::*;
use crate::kernel::{Accuracy, Budget, Interval, Knot, LossBound, Point, Profile, normal};

const FINE: u32 = 400;
const UNIT: u32 = 40;

/// (first, masses, top, lattice): what both kinds of law have in common.
type Parts<'a> = (i64, &'a [Integer], &'a Integer, &'a Lattice);

fn upper_parts(law: &UpperLaw) -> Parts<'_> {
    (law.first(), law.masses(), law.top(), law.lattice())
}

fn lower_parts(law: &LowerLaw) -> Parts<'_> {
    (law.first(), law.masses(), law.top(), law.lattice())
}

fn profile_at(parts: Parts<'_>, unit: u32, epsilon: &Rational) -> Float {
    let (first, masses, top, lattice) = parts;
    let mut sum = Float::with_val(FINE, top);
    for (mass, index) in masses.iter().zip(first..) {
        let loss = lattice.exact_position(index).unwrap();
        let gap = Float::with_val(FINE, &(epsilon - loss));
        let hinge = Float::with_val(FINE, 1) - gap.exp();
        if hinge > 0 {
            sum += hinge * mass;
        }
    }
    sum >> unit
}

/// Points where a profile on a lattice of step up to 4h may have its extremes: quarter steps across the range.
fn probe_points(parts: Parts<'_>) -> Vec<Rational> {
    let (first, masses, _, lattice) = parts;
    let last = first + masses.len() as i64 + 3;
    ((first - 4) * 4..last * 4)
        .map(|i| lattice.step() * Rational::from((i, 4)) + lattice.offset().as_rational().unwrap())
        .collect()
}

fn slack() -> Float {
    Float::with_val(FINE, 1) >> 300u32
}

fn steps() -> impl Strategy<Value = Rational> {
    prop_oneof![
        Just((1, 1000)),
        Just((3, 100)),
        Just((3, 10)),
        Just((1, 1)),
        Just((5, 2))
    ]
    .prop_map(Rational::from)
}

/// Uniform, sparse, bump-shaped and rough masses that sum to at most 2^UNIT.
fn masses() -> impl Strategy<Value = Vec<Integer>> {
    let element = (any::<u32>(), 0u32..32, 0u8..3);
    (proptest::collection::vec(element, 1..24), 0u8..4).prop_map(|(raw, kind)| {
        let middle = raw.len() as f64 / 2.0;
        let weights: Vec<u64> = raw
            .iter()
            .enumerate()
            .map(|(i, (x, shift, sparse))| match kind {
                0 => u64::from(*x),
                1 => {
                    if *sparse == 0 {
                        u64::from(*x)
                    } else {
                        0
                    }
                }
                2 => (4e9 * (-((i as f64 - middle) / 3.0).powi(2)).exp()) as u64,
                _ => u64::from(*x >> shift),
            })
            .collect();
        let total: u64 = weights.iter().sum::<u64>().max(1);
        weights
            .iter()
            .map(|w| (Integer::from(*w) << UNIT) / total)
            .collect()
    })
}

fn lattice(step: &Rational) -> Lattice {
    Lattice::new(Offset::rational(Rational::from((1, 7))), step.clone())
}

fn upper(step: &Rational, first: i64, masses: &[Integer], top_share: u32) -> UpperLaw {
    let total = Integer::from(1) << UNIT;
    let scaled: Vec<Integer> = masses
        .iter()
        .map(|n| Integer::from(n * (100 - top_share)) / 100u32)
        .collect();
    let top = Integer::from(&total * top_share) / 100u32;
    let mut above = top.clone();
    let mut survival: Vec<Integer> = scaled
        .iter()
        .rev()
        .map(|n| {
            above += n;
            above.clone()
        })
        .collect();
    survival.reverse();
    survival[0] = total;
    UpperLaw::from_survival(lattice(step), first, &survival, top, UNIT).unwrap()
}

fn lower(step: &Rational, first: i64, masses: &[Integer], top_share: u32) -> LowerLaw {
    let scaled = masses
        .iter()
        .map(|n| Integer::from(n * (100 - top_share)) / 100u32)
        .collect();
    let top = (Integer::from(top_share) << UNIT) / 100u32;
    LowerLaw::new(lattice(step), first, scaled, top, UNIT).unwrap()
}

/// The product measure, atom by atom: the definition of composition.
fn composed_at(a: Parts<'_>, b: Parts<'_>, unit: u32, epsilon: &Rational) -> Float {
    let (first, masses, top, grid) = b;
    let mass_of_a = Float::with_val(FINE, a.1.iter().sum::<Integer>() + a.2) >> unit;
    let mut sum = mass_of_a * Float::with_val(FINE, top);
    for (mass, index) in masses.iter().zip(first..) {
        let shifted = epsilon - grid.exact_position(index).unwrap();
        sum += profile_at(a, unit, &shifted) * mass;
    }
    sum >> unit
}

fn cases() -> ProptestConfig {
    let scale: u32 = std::env::var("DPCMP_TEST_SCALE")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1);
    ProptestConfig::with_cases(60 * scale)
}

proptest! {
    #![proptest_config(cases())]

    /// S3: coarsening an upper law raises the profile, coarsening a lower law lowers it, at every u.
    #[test]
    fn coarsening_keeps_its_side(step in steps(), first in -20i64..20, masses in masses(), top in 0u32..3) {
        let law = upper(&step, first, &masses, top);
        let coarse = law.coarsen().unwrap();
        for epsilon in probe_points(upper_parts(&law)) {
            let (before, after) = (profile_at(upper_parts(&law), UNIT, &epsilon), profile_at(upper_parts(&coarse), UNIT, &epsilon));
            prop_assert!(after >= before - slack());
        }
        let law = lower(&step, first, &masses, top);
        let coarse = law.coarsen().unwrap();
        for epsilon in probe_points(lower_parts(&law)) {
            let (before, after) = (profile_at(lower_parts(&law), UNIT, &epsilon), profile_at(lower_parts(&coarse), UNIT, &epsilon));
            prop_assert!(after <= before + slack());
        }
    }

    /// S2 and S1: the rounded convolution lies on its side of the product measure.
    #[test]
    fn convolution_keeps_its_side(step in steps(), first in -20i64..20, a in masses(), b in masses(), top in 0u32..3) {
        let (x, y) = (upper(&step, first, &a, top), upper(&step, 3, &b, 1));
        let product = x.convolve(&y).unwrap();
        for epsilon in probe_points(upper_parts(&product)).iter().step_by(5) {
            let exact = composed_at(upper_parts(&x), upper_parts(&y), UNIT, epsilon);
            prop_assert!(profile_at(upper_parts(&product), UNIT, epsilon) >= exact - slack());
        }
        let (x, y) = (lower(&step, first, &a, top), lower(&step, 3, &b, 1));
        let product = x.convolve(&y).unwrap();
        for epsilon in probe_points(lower_parts(&product)).iter().step_by(5) {
            let exact = composed_at(lower_parts(&x), lower_parts(&y), UNIT, epsilon);
            prop_assert!(profile_at(lower_parts(&product), UNIT, epsilon) <= exact + slack());
        }
    }

    /// S1: trimming keeps the side, whatever the budget.
    #[test]
    fn trimming_keeps_its_side(step in steps(), first in -20i64..20, masses in masses(), budget in 0u32..20) {
        let budget = TailBudget { mass: Float::with_val(64, 1) >> budget };
        let law = upper(&step, first, &masses, 1);
        let mut cut = law.clone();
        cut.trim(&budget);
        for epsilon in probe_points(upper_parts(&law)) {
            prop_assert!(profile_at(upper_parts(&cut), UNIT, &epsilon) >= profile_at(upper_parts(&law), UNIT, &epsilon) - slack());
        }
        let law = lower(&step, first, &masses, 1);
        let mut cut = law.clone();
        cut.trim(&budget);
        for epsilon in probe_points(lower_parts(&law)) {
            prop_assert!(profile_at(lower_parts(&cut), UNIT, &epsilon) <= profile_at(lower_parts(&law), UNIT, &epsilon) + slack());
        }
    }

    /// The tabulated lines are the profile of the law, in both directions, and their P-tails are slopes.
    #[test]
    fn piecewise_profile_is_the_profile(step in steps(), first in -20i64..20, masses in masses(), top in 0u32..3) {
        let law = upper(&step, first, &masses, top);
        let (table, parts) = (UpperProfile::new(&law), upper_parts(&law));
        check_table(&table, &*table.swapped(), parts)?;
        let law = lower(&step, first, &masses, top);
        let (table, parts) = (LowerProfile::new(&law), lower_parts(&law));
        check_table(&table, &*table.swapped(), parts)?;
    }
}

fn check_table(
    table: &dyn Profile,
    swapped: &dyn Profile,
    parts: Parts<'_>,
) -> Result<(), TestCaseError> {
    let points = probe_points(parts);
    for (epsilon, other) in points.iter().zip(points.iter().rev()) {
        let u = Float::with_val(FINE, epsilon).exp();
        let exact = profile_at(parts, UNIT, epsilon)
            .max(&(Float::with_val(FINE, 1) - &u).max(&Float::new(FINE)));
        let knot = table.at(&Point::at_epsilon(epsilon, 150));
        let (lo, hi) = (knot.delta.lo(), knot.delta.hi());
        prop_assert!(
            *lo <= exact && *hi >= exact,
            "{} not in [{}, {}]",
            exact,
            lo,
            hi
        );
        prop_assert!(knot.delta.width_up() <= Float::with_val(53, 1e-30));
        // δ'(v) ≥ δ'(u) − s·(v − u)
        let v = Float::with_val(FINE, other).exp();
        let there = profile_at(parts, UNIT, other)
            .max(&(Float::with_val(FINE, 1) - &v).max(&Float::new(FINE)));
        let s = if v > u {
            knot.null_tail.hi()
        } else {
            knot.null_tail.lo()
        };
        let line = Float::with_val(FINE, &exact - Float::with_val(FINE, &v - &u) * s);
        prop_assert!(there >= line - Float::with_val(FINE, 1e-35));
        // δ_(Q,P)(v) = 1 − v + v·δ_(P,Q)(1/v)
        let minus = Rational::from(-epsilon);
        let knot = swapped.at(&Point::at_epsilon(&minus, 150));
        let v = Float::with_val(FINE, 1) / &u;
        let dual = (Float::with_val(FINE, 1) - &v + v * &exact).max(&Float::new(FINE));
        prop_assert!(*knot.delta.lo() <= Float::with_val(FINE, &dual + slack()));
        prop_assert!(*knot.delta.hi() >= Float::with_val(FINE, &dual - slack()));
        prop_assert!(
            knot.delta.width_up() <= Float::with_val(53, 1e-30),
            "{:?}",
            knot.delta
        );
    }
    Ok(())
}

/// N(0, 1) against N(μ, 1) with μ = 1, as a closed form to hold the base laws against.
struct UnitGaussian;

impl Profile for UnitGaussian {
    fn at(&self, point: &Point) -> Knot {
        let half = Interval::from_rational(&Rational::from((1, 2)), point.bits());
        let null_tail = normal::survival(&point.log().add(&half));
        let delta = normal::survival(&point.log().sub(&half)).sub(&point.exp().mul(&null_tail));
        Knot {
            delta: delta.in_unit(),
            null_tail,
        }
    }
    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(UnitGaussian)
    }
    fn max_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }
    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }
    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }
}

fn gaussian_knots(step: &Rational, reach: i64, jobs: usize) -> Knots {
    let sampling = Sampling {
        bits: 200,
        accuracy: Accuracy::Relative,
        jobs,
    };
    let grid = Lattice::new(Offset::default(), step.clone());
    // Knots three steps apart in the tails, as the planner lays them.
    let sparse = |i: &i64| i.abs() < reach / 2 || i % 3 == 0 || i.abs() == reach;
    let indices: Vec<i64> = (-reach..=reach).filter(sparse).collect();
    sample_knots(
        &UnitGaussian,
        &grid,
        &indices,
        sampling,
        &Budget::unlimited(),
    )
    .unwrap()
}

/// Base laws of a Gaussian enclose it at every half knot, second order in the step, and so do 5-fold compositions,
/// whose truth is a Gaussian again.
#[test]
fn gaussian_base_and_powers_enclose_the_closed_form() {
    let step = Rational::from((1, 32));
    let knots = gaussian_knots(&step, 320, 1);
    let (up, low) = (
        discretise_upper(&knots, 100).unwrap(),
        discretise_lower(&knots, 100).unwrap(),
    );
    for i in -200i64..200 {
        let epsilon = Rational::from((i, 20));
        let exact = UnitGaussian.at(&Point::at_epsilon(&epsilon, FINE)).delta;
        let (above, below) = (
            profile_at(upper_parts(&up), 100, &epsilon),
            profile_at(lower_parts(&low), 100, &epsilon),
        );
        assert!(
            above >= *exact.lo() && below <= *exact.hi(),
            "ε = {epsilon}"
        );
        assert!(
            Float::with_val(53, &above - &below) < 1.5e-4,
            "ε = {epsilon}: {above:.6} {below:.6}"
        );
    }
    let schedule = Schedule {
        spread: Rational::from((1, 4)),
        last_level: 3,
        most_atoms: 10_000,
        tail: TailBudget {
            mass: Float::with_val(64, 1e-12),
        },
        worth: Float::new(64),
    };
    let up = power_upper(&up, 5, &schedule, &Budget::unlimited()).unwrap();
    let low = power_lower(&low, 5, &schedule, &Budget::unlimited()).unwrap();
    for i in -40i64..60 {
        let epsilon = Rational::from((i, 5));
        let mu = Interval::from_i64(5, FINE).sqrt();
        let shift = Interval::from_rational(&epsilon, FINE).div(&mu);
        let half = mu.mul(&Interval::from_rational(&Rational::from((1, 2)), FINE));
        let exact = normal::survival(&shift.sub(&half)).sub(
            &Interval::from_rational(&epsilon, FINE)
                .exp()
                .mul(&normal::survival(&shift.add(&half))),
        );
        let above = profile_at(upper_parts(&up), 100, &epsilon);
        let below = profile_at(lower_parts(&low), 100, &epsilon);
        assert!(
            above >= *exact.lo() && below <= *exact.hi(),
            "ε = {epsilon}"
        );
        assert!(
            Float::with_val(53, &above - &below) < 5e-4,
            "ε = {epsilon}: {above:.6} {below:.6}"
        );
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let step = Rational::from((1, 8));
    let (one, two) = (gaussian_knots(&step, 60, 1), gaussian_knots(&step, 60, 2));
    assert_eq!(
        discretise_upper(&one, 90).unwrap(),
        discretise_upper(&two, 90).unwrap()
    );
    assert_eq!(
        discretise_lower(&one, 90).unwrap(),
        discretise_lower(&two, 90).unwrap()
    );
}

#[test]
fn an_interrupted_sampling_gives_no_law() {
    let over = Budget::new(std::time::Duration::ZERO, Arc::default());
    let grid = Lattice::new(Offset::default(), Rational::from(1));
    let sampling = Sampling {
        bits: 100,
        accuracy: Accuracy::Relative,
        jobs: 1,
    };
    assert!(sample_knots(&UnitGaussian, &grid, &[0, 1, 2], sampling, &over).is_err());
    let disordered = sample_knots(
        &UnitGaussian,
        &grid,
        &[0, 2, 1],
        sampling,
        &Budget::unlimited(),
    );
    assert!(disordered.is_err());
}

#[test]
fn a_law_of_wrong_mass_is_an_internal_error() {
    let grid = lattice(&Rational::from(1));
    let half = [Integer::from(1) << (UNIT - 1)];
    assert!(UpperLaw::from_survival(grid.clone(), 0, &half, Integer::new(), UNIT).is_err());
    let growing = [Integer::from(1) << UNIT, Integer::from(1) << (UNIT + 1)];
    assert!(UpperLaw::from_survival(grid.clone(), 0, &growing, Integer::new(), UNIT).is_err());
    assert!(LowerLaw::new(grid, 0, growing.to_vec(), Integer::new(), UNIT).is_err());
}
