//! Base laws and powers of a Gaussian, whose compositions are Gaussians again.

use std::sync::Arc;

use rug::{Float, Rational};

use super::tests::{FINE, of_lower, of_upper};
use super::*;
use crate::kernel::{Accuracy, Budget, Interval, LossBound, Point, Profile, ProfilePoint, normal};

/// N(0, 1) against N(μ, 1) with μ = 1, as a closed form to hold the base laws against.
struct UnitGaussian;

impl Profile for UnitGaussian {
    fn at(&self, point: &Point) -> ProfilePoint {
        let half = Interval::from_rational(&Rational::from((1, 2)), point.bits());
        let null_tail = normal::survival(&point.log().add(&half));
        let delta = normal::survival(&point.log().sub(&half)).sub(&point.exp().mul(&null_tail));
        ProfilePoint {
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

fn gaussian_table<const L: usize>(
    step: &Rational,
    reach: i64,
    bits: u32,
    jobs: usize,
) -> (Lattice, CellTable<L>) {
    let sampling = Sampling {
        bits: 200,
        first_bits: 200,
        accuracy: Accuracy::Relative,
        jobs,
    };
    let grid = Lattice::new(Offset::default(), step.clone());
    // Knots three steps apart in the tails: not every gap is a power of two.
    let sparse = |i: &i64| i.abs() < reach / 2 || i % 3 == 0 || i.abs() == reach;
    let indices: Vec<i64> = (-reach..=reach).filter(sparse).collect();
    let knots = sample_knots(
        &UnitGaussian,
        &grid,
        &indices,
        sampling,
        &Budget::unlimited(),
    );
    (grid, CellTable::from_knots(&knots.unwrap(), bits).unwrap())
}

/// Base laws of a Gaussian enclose it at every half knot, second order in the step, and so do 5-fold compositions,
/// whose truth is a Gaussian again, on one shell and on several.
#[test]
fn gaussian_base_and_powers_enclose_the_closed_form() {
    let step = Rational::from((1, 32));
    let (grid, table) = gaussian_table::<2>(&step, 320, 100, 1);
    let (up, low) = (
        discretise_upper(&grid, &table).unwrap(),
        discretise_lower(&grid, &table).unwrap(),
    );
    let (above, below) = (of_upper(&up), of_lower(&low));
    for i in (-200i64..200).step_by(crate::test_scale::every(18)) {
        let epsilon = Rational::from((i, 20));
        let exact = UnitGaussian.at(&Point::at_epsilon(&epsilon, FINE)).delta;
        let (above, below) = (above.at(&epsilon), below.at(&epsilon));
        assert!(
            above >= *exact.lo() && below <= *exact.hi(),
            "ε = {epsilon}"
        );
        assert!(
            Float::with_val(53, &above - &below) < 1.2e-4,
            "ε = {epsilon}: {above:.6} {below:.6}"
        );
    }
    for reach in [10_000, 40] {
        let schedule = Schedule {
            bulk: 60,
            few_atoms: 0,
            reach,
            tail: TailBudget::new(Float::with_val(64, 1e-12), LeftEnd::BothMasses),
        };
        let up = power_upper(&up, 5, &schedule, &Budget::unlimited()).unwrap();
        let low = power_lower(&low, 5, &schedule, &Budget::unlimited()).unwrap();
        assert_eq!(up.shells().len() > 1, reach == 40);
        let (above, below) = (of_upper(&up), of_lower(&low));
        for i in (-40i64..60).step_by(crate::test_scale::every(6)) {
            let epsilon = Rational::from((i, 5));
            let mu = Interval::from_i64(5, FINE).sqrt();
            let shift = Interval::from_rational(&epsilon, FINE).div(&mu);
            let half = mu.mul(&Interval::from_rational(&Rational::from((1, 2)), FINE));
            let exact = normal::survival(&shift.sub(&half)).sub(
                &Interval::from_rational(&epsilon, FINE)
                    .exp()
                    .mul(&normal::survival(&shift.add(&half))),
            );
            let (above, below) = (above.at(&epsilon), below.at(&epsilon));
            assert!(
                above >= *exact.lo() && below <= *exact.hi(),
                "ε = {epsilon}"
            );
            assert!(
                Float::with_val(53, &above - &below) < 1e-3,
                "ε = {epsilon}: {above:.6} {below:.6}"
            );
        }
    }
}

/// Values in as few bits as do: known as well as they should be, and the laws on their sides far out, the one above in both orders: the other
/// lacks no more of its mass than rounding takes.
#[test]
fn few_bits_where_they_do() {
    const BITS: u32 = 480;
    let step = Rational::from((1, 16));
    let grid = Lattice::new(Offset::rational(Rational::from((1, 3))), step);
    let indices: Vec<i64> = (-400..=400).filter(|i| i % 2 == 0 || *i > 0).collect();
    let knots = |first_bits| {
        let sampling = Sampling {
            bits: BITS + 40,
            first_bits,
            accuracy: Accuracy::Relative,
            jobs: 1,
        };
        let budget = Budget::unlimited();
        sample_knots(&UnitGaussian, &grid, &indices, sampling, &budget).unwrap()
    };
    let (few, all) = (knots(128), knots(BITS + 40));
    assert!(few.values.iter().any(|knot| knot.delta.bits() == 128));
    for (few, all) in few.values.iter().zip(&all.values) {
        for (few, all) in [(&few.delta, &all.delta), (&few.null_tail, &all.null_tail)] {
            assert!(few.intersect(all).is_ok());
            assert!(few.width_up() <= Float::with_val(64, few.hi() >> 60u32));
        }
        let below = few.tail().one_minus();
        let (width, unit) = (below.width_up(), Float::with_val(64, 1) >> BITS);
        assert!(width <= unit || width <= Float::with_val(64, below.hi() >> 60u32));
    }
    let table = CellTable::<8>::from_knots(&few, BITS).unwrap();
    let (upper, lower) = (
        discretise_upper(&grid, &table).unwrap(),
        discretise_lower(&grid, &table).unwrap(),
    );
    let (upper, lower) = (
        UpperProfile::new::<8, 16>(&upper).unwrap(),
        LowerProfile::new::<8, 16>(&lower).unwrap(),
    );
    for epsilon in -30i64..=30 {
        let at = Point::at_epsilon(&Rational::from((epsilon, 2)), 600);
        let exact = UnitGaussian.at(&at).delta;
        let (above, below) = (upper.at(&at).delta, lower.at(&at).delta);
        let swapped = upper.swapped().at(&at).delta;
        assert!(
            above.hi() >= exact.lo() && below.lo() <= exact.hi(),
            "{epsilon}"
        );
        assert!(swapped.hi() >= exact.lo(), "{epsilon}");
        let most = Float::with_val(64, exact.hi() * 4u32);
        if epsilon >= 0 {
            assert!(*above.hi() < most && *swapped.hi() < most, "{epsilon}");
            assert!(
                Float::with_val(64, below.lo() * 4u32) > *exact.lo(),
                "{epsilon}"
            );
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let step = Rational::from((1, 8));
    let (one, two) = (
        gaussian_table::<2>(&step, 60, 90, 1),
        gaussian_table::<2>(&step, 60, 90, 2),
    );
    assert_eq!(one.1, two.1);
}

/// The unit of mass, not the number of limbs, decides what a law says.
#[test]
fn limbs_do_not_change_a_mass() {
    let step = Rational::from((1, 8));
    let (grid, two) = gaussian_table::<2>(&step, 60, 61, 1);
    let (_, one) = gaussian_table::<1>(&step, 60, 61, 1);
    let (one, two) = (
        discretise_upper(&grid, &one).unwrap(),
        discretise_upper(&grid, &two).unwrap(),
    );
    let squares = (
        of_upper(&one.convolve(&one).unwrap()),
        of_upper(&two.convolve(&two).unwrap()),
    );
    assert_eq!(squares.0.atoms, squares.1.atoms);
}

#[test]
fn an_interrupted_sampling_gives_no_law() {
    let over = Budget::new(std::time::Duration::ZERO, Arc::default());
    let grid = Lattice::new(Offset::default(), Rational::from(1));
    let sampling = Sampling {
        bits: 100,
        first_bits: 100,
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
fn knots_too_far_apart_for_their_lattice_are_given_up() {
    let step = Rational::from((1, 8));
    let (grid, mut table) = gaussian_table::<1>(&step, 8, 60, 1);
    if let Some(first) = table.indices.first_mut() {
        *first = -(1 << 40) + 1;
    }
    assert!(discretise_upper(&grid, &table).is_err() || discretise_lower(&grid, &table).is_err());
}
