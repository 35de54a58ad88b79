//! Soundness of every operation on laws, against the definition δ'(u) = t + Σ (q_i − u·p_i)⁺ evaluated atom by atom in 400
//! bits, far beyond the 2^-40 units that the rounding of a law moves.

use proptest::prelude::*;
use rug::{Float, Integer, Rational};

use super::shells::fine_index;
use super::*;
use crate::kernel::{Interval, LossBound, Pick, Point, Profile};

pub(super) const FINE: u32 = 400;
const UNIT: u32 = 40;

/// A law as the definition has it: (Q-mass, label, scaled_p P-mass) of each atom, the mass at +∞, and the bits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mixture {
    pub(super) atoms: Vec<(Integer, Rational, Integer)>,
    infinity_mass: Integer,
    bits: u32,
}

fn place(lattice: &Lattice, index: i64, shell: usize) -> Rational {
    lattice.exact_position(fine_index(index, shell)).unwrap()
}

pub(super) fn of_upper<const L: usize>(law: &UpperLaw<L>) -> Mixture {
    let mut atoms = Vec::new();
    for (s, row) in law.shells().iter().enumerate() {
        for (index, mass) in row.atoms() {
            let mass = mass.to_integer();
            atoms.push((mass.clone(), place(law.lattice(), index, s), mass));
        }
    }
    let total: Integer =
        atoms.iter().map(|a| &a.0).sum::<Integer>() + law.infinity_mass().to_integer();
    assert_eq!(total, Integer::from(1) << law.bits());
    Mixture {
        atoms,
        infinity_mass: law.infinity_mass().to_integer(),
        bits: law.bits(),
    }
}

pub(super) fn of_lower<const L: usize>(law: &LowerLaw<L>) -> Mixture {
    let mut atoms = Vec::new();
    for (s, shell) in law.shells().iter().enumerate() {
        for (index, mass, scaled_p) in shell.atoms() {
            let label = place(law.lattice(), index, s);
            atoms.push((mass.to_integer(), label, scaled_p.to_integer()));
        }
    }
    Mixture {
        atoms,
        infinity_mass: law.infinity_mass().to_integer(),
        bits: law.bits(),
    }
}

impl Mixture {
    pub(super) fn at(&self, epsilon: &Rational) -> Float {
        let mut sum = Float::with_val(FINE, &self.infinity_mass);
        for (mass, label, scaled_p) in &self.atoms {
            let shrink = Float::with_val(FINE, &Rational::from(epsilon - label)).exp();
            let hinge = Float::with_val(FINE, mass) - shrink * scaled_p;
            if hinge > 0 {
                sum += hinge;
            }
        }
        sum >> self.bits
    }

    /// The product measure, atom by atom: the definition of composition.
    pub(super) fn composed_at(&self, other: &Self, epsilon: &Rational) -> Float {
        let mut sum = Float::new(FINE);
        let shift = self.bits + other.bits;
        let all = |m: &Self| m.atoms.iter().map(|a| &a.0).sum::<Integer>() + &m.infinity_mass;
        sum += &self.infinity_mass * all(other);
        sum += &other.infinity_mass * (all(self) - &self.infinity_mass);
        for (q, y, a) in &self.atoms {
            for (r, z, b) in &other.atoms {
                let gap = Rational::from(epsilon - y) - z;
                let shrink = Float::with_val(FINE, &gap).exp();
                let (mass, scaled_p) = (Integer::from(q * r), Integer::from(a * b));
                let hinge = Float::with_val(FINE, mass) - shrink * scaled_p;
                if hinge > 0 {
                    sum += hinge;
                }
            }
        }
        sum >> shift
    }

    /// Are the losses of the atoms in the order of their labels, farther apart than a unit of scaled_p mass can tell?
    fn is_in_order(&self) -> bool {
        let present = || self.atoms.iter().filter(|atom| atom.0 != 0);
        let losses: Vec<Float> = present()
            .map(|(mass, label, scaled_p)| (Float::with_val(FINE, mass) / scaled_p).ln() + label)
            .collect();
        let least = present().map(|atom| &atom.2).min().cloned();
        let margin = Float::with_val(FINE, 4) / least.unwrap_or_default();
        losses
            .windows(2)
            .all(|pair| Float::with_val(FINE, &pair[1] - &pair[0]) > margin)
    }

    /// No two neighbouring losses are farther apart: atoms lie within one step of their shell, at most 10, above
    /// their labels.
    fn widest_gap(&self) -> Float {
        let present = self.atoms.iter().filter(|atom| atom.0 != 0);
        let mut labels: Vec<&Rational> = present.map(|atom| &atom.1).collect();
        labels.sort();
        let gaps = labels
            .windows(2)
            .map(|pair| Rational::from(pair[1] - pair[0]));
        Float::with_val(53, gaps.max().unwrap_or_default() + 20u32)
    }

    /// Points where the profile may have its extremes: the labels, between them and beyond.
    pub(super) fn places(&self) -> Vec<Rational> {
        let mut labels: Vec<Rational> = self.atoms.iter().map(|a| a.1.clone()).collect();
        labels.sort();
        labels.dedup();
        let mut places = labels.clone();
        for pair in labels.windows(2) {
            let gap = Rational::from(&pair[1] - &pair[0]);
            places.extend((1..4).map(|k| Rational::from(&gap * k) / 4u32 + &pair[0]));
        }
        let ends = labels.first().zip(labels.last());
        let (first, last) = ends.map_or_else(Default::default, |(a, b)| (a.clone(), b.clone()));
        places.extend([first - 1u32, Rational::from(&last + 1u32), last + 3u32]);
        places
    }
}

fn assert_above(above: &Mixture, below: &Mixture) -> Result<(), TestCaseError> {
    for epsilon in above.places().iter().chain(&below.places()) {
        let (high, low) = (above.at(epsilon), below.at(epsilon));
        prop_assert!(
            high >= Float::with_val(FINE, &low - slack()),
            "ε = {epsilon}: {high} < {low}"
        );
    }
    Ok(())
}

pub(super) fn slack() -> Float {
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

/// Uniform, sparse, bump-shaped and rough weights.
fn weights() -> impl Strategy<Value = Vec<u64>> {
    let element = (any::<u32>(), 0u32..32, 0u8..3);
    (proptest::collection::vec(element, 1..24), 0u8..4).prop_map(|(raw, kind)| {
        let middle = raw.len() as f64 / 2.0;
        let shaped = raw
            .iter()
            .enumerate()
            .map(|(i, (x, shift, sparse))| match kind {
                0 => u64::from(*x),
                1 if *sparse == 0 => u64::from(*x),
                1 => 0,
                2 => (4e9 * (-((i as f64 - middle) / 3.0).powi(2)).exp()) as u64,
                _ => u64::from(*x >> shift),
            });
        shaped.collect()
    })
}

/// First index, weights, and how far below its mass each scaled_p mass is, in 1/256 of what one step would be.
type RawShell = (i64, Vec<u64>, Vec<u8>);

fn shells() -> impl Strategy<Value = Vec<RawShell>> {
    let rises = proptest::collection::vec(any::<u8>(), 24);
    proptest::collection::vec((-20i64..20, weights(), rises), 1..4)
}

fn lattice(step: &Rational) -> Lattice {
    Lattice::new(Offset::rational(Rational::from((1, 7))), step.clone())
}

/// Weights as masses that sum to at most (100 − infinity_mass) % of 2^UNIT.
fn scaled(shells: &[RawShell], infinity_mass: u32) -> Vec<Vec<u64>> {
    let total: u128 = shells
        .iter()
        .flat_map(|s| &s.1)
        .map(|w| u128::from(*w))
        .sum();
    let room = (1u128 << UNIT) * u128::from(100 - infinity_mass) / 100;
    let scale = |w: &u64| (u128::from(*w) * room / total.max(1)) as u64;
    shells
        .iter()
        .map(|s| s.1.iter().map(scale).collect())
        .collect()
}

fn upper(step: &Rational, raw: &[RawShell], infinity_mass: u32) -> UpperLaw<1> {
    let masses = scaled(raw, infinity_mass);
    let total: u64 = masses.iter().flatten().sum();
    let rows = raw.iter().zip(&masses);
    let rows = rows.map(|(s, m)| Row::new(s.0, m.iter().map(|m| Mass::from_limbs([*m])).collect()));
    let infinity_mass = Mass::from_limbs([(1u64 << UNIT) - total]);
    UpperLaw::new(lattice(step), rows.collect(), infinity_mass, UNIT).unwrap()
}

fn lower(step: &Rational, raw: &[RawShell], infinity_mass: u32) -> LowerLaw<1> {
    let shells = raw.iter().zip(scaled(raw, infinity_mass)).enumerate().map(
        |(s, ((first, _, rises), masses))| {
            let width = step.to_f64() * f64::from(1u32 << s);
            let scaled_p = masses.iter().zip(rises).map(|(m, rise)| {
                let below = (-width * f64::from(*rise) / 256.0).exp();
                Mass::from_limbs([(*m as f64 * below) as u64])
            });
            let scaled_p = scaled_p.collect();
            LowerShell::new(
                *first,
                masses.iter().map(|m| Mass::from_limbs([*m])).collect(),
                scaled_p,
            )
            .unwrap()
        },
    );
    let infinity_mass = Mass::from_limbs([((1u64 << UNIT) / 100) * u64::from(infinity_mass)]);
    LowerLaw::new(lattice(step), shells.collect(), infinity_mass, UNIT).unwrap()
}

fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(crate::test_scale::cases(6))
}

proptest! {
    #![proptest_config(cases())]

    /// S3: coarsening an upper law raises the profile, coarsening a lower law lowers it, at every u.
    #[test]
    fn coarsening_keeps_its_side(step in steps(), raw in shells(), infinity_mass in 0u32..3) {
        let law = upper(&step, &raw, infinity_mass);
        assert_above(&of_upper(&law.coarsen().unwrap()), &of_upper(&law))?;
        let law = lower(&step, &raw, infinity_mass);
        assert_above(&of_lower(&law), &of_lower(&law.coarsen().unwrap()))?;
    }

    /// S3: moving far atoms to coarser shells keeps the side, whatever the reach.
    #[test]
    fn sorting_keeps_its_side(step in steps(), raw in shells(), reach in 1i64..12) {
        let law = upper(&step, &raw, 1);
        let mut sorted = law.clone();
        sorted.sort_into_shells(reach).unwrap();
        assert_above(&of_upper(&sorted), &of_upper(&law))?;
        let law = lower(&step, &raw, 1);
        let mut sorted = law.clone();
        sorted.sort_into_shells(reach).unwrap();
        assert_above(&of_lower(&law), &of_lower(&sorted))?;
    }

    /// S2, S3 and S1: the rounded convolution lies on its side of the product measure; squares too.
    #[test]
    fn convolution_keeps_its_side(step in steps(), a in shells(), b in shells(), infinity_mass in 0u32..3) {
        let (x, y) = (upper(&step, &a, infinity_mass), upper(&step, &b, 1));
        for (x, y) in [(&x, &y), (&x, &x)] {
            let (product, a, b) = (of_upper(&x.convolve(y).unwrap()), of_upper(x), of_upper(y));
            for epsilon in product.places().iter().step_by(23) {
                prop_assert!(product.at(epsilon) >= a.composed_at(&b, epsilon) - slack(), "ε = {epsilon}");
            }
        }
        let (x, y) = (lower(&step, &a, infinity_mass), lower(&step, &b, 1));
        for (x, y) in [(&x, &y), (&x, &x)] {
            let (product, a, b) = (of_lower(&x.convolve(y).unwrap()), of_lower(x), of_lower(y));
            for epsilon in product.places().iter().step_by(23) {
                prop_assert!(product.at(epsilon) <= a.composed_at(&b, epsilon) + slack(), "ε = {epsilon}");
            }
        }
    }

    /// S1: trimming keeps the side, whatever the budget.
    #[test]
    fn trimming_keeps_its_side(step in steps(), raw in shells(), budget in 0u32..20) {
        let budget = TailBudget::new(Float::with_val(64, 1) >> budget, LeftEnd::BothMasses);
        let law = upper(&step, &raw, 1);
        let mut cut = law.clone();
        cut.trim(&budget).unwrap();
        assert_above(&of_upper(&cut), &of_upper(&law))?;
        let law = lower(&step, &raw, 1);
        let mut cut = law.clone();
        cut.trim(&budget).unwrap();
        assert_above(&of_lower(&law), &of_lower(&cut))?;
    }

    /// The tabulated lines are the profile of an upper law, and of a lower one up to merging of atoms whose losses are
    /// not in order, in both directions; their P-tails are slopes.
    #[test]
    fn piecewise_profile_is_the_profile(step in steps(), raw in shells(), infinity_mass in 0u32..3) {
        let law = upper(&step, &raw, infinity_mass);
        check_table(&UpperProfile::new::<1, 4>(&law).unwrap(), &of_upper(&law), true)?;
        for raw in [&raw[..], &raw[..1]] {
            let law = lower(&step, raw, infinity_mass);
            let mixture = of_lower(&law);
            let is_exact = raw.len() == 1 && mixture.is_in_order();
            check_table(&LowerProfile::new::<1, 4>(&law).unwrap(), &mixture, is_exact)?;
        }
    }
}

pub(super) fn check_table(
    table: &dyn Profile,
    law: &Mixture,
    is_exact: bool,
) -> Result<(), TestCaseError> {
    let swapped = table.swapped();
    let places = law.places();
    check_ends(table)?;
    check_ends(&*swapped)?;
    // A P-tail is known to a few units of 2^-250 at its label and used up to the next atom.
    let allowed =
        Float::with_val(53, 1e-30).larger(&(Float::with_val(53, law.widest_gap()).exp() >> 240u32));
    for (epsilon, other) in places.iter().zip(places.iter().rev()) {
        let u = Float::with_val(FINE, epsilon).exp();
        let at_least = |u: &Float, x: Float| {
            x.larger(&(Float::with_val(FINE, 1) - u).larger(&Float::new(FINE)))
        };
        let exact = at_least(&u, law.at(epsilon));
        let knot = table.at(&Point::at_epsilon(epsilon, 150));
        let (lo, hi) = (knot.delta.lo(), knot.delta.hi());
        prop_assert!(*lo <= exact, "{exact} below [{lo}, {hi}]");
        prop_assert!(!is_exact || *hi >= exact, "{exact} above [{lo}, {hi}]");
        prop_assert!(knot.delta.width_up() <= allowed);
        // δ'(v) ≥ δ'(u) − s·(v − u)
        let v = Float::with_val(FINE, other).exp();
        let there = table.at(&Point::at_epsilon(other, 150)).delta;
        let s = if v > u {
            knot.null_tail.hi()
        } else {
            knot.null_tail.lo()
        };
        let line = Float::with_val(FINE, lo - Float::with_val(FINE, &v - &u) * s);
        prop_assert!(*there.hi() >= line - Float::with_val(FINE, 1e-35));
        // δ_(Q,P)(v) = 1 − v + v·δ_(P,Q)(1/v)
        let minus = Rational::from(-epsilon);
        let mirrored = swapped.at(&Point::at_epsilon(&minus, 150));
        let v = Float::with_val(FINE, 1) / &u;
        let dual = |x: &Float| {
            (Float::with_val(FINE, 1) - &v + Float::with_val(FINE, &v * x))
                .larger(&Float::new(FINE))
        };
        prop_assert!(*mirrored.delta.lo() <= Float::with_val(FINE, dual(hi) + slack()));
        prop_assert!(*mirrored.delta.hi() >= Float::with_val(FINE, dual(lo) - slack()));
        prop_assert!(mirrored.delta.width_up() <= allowed, "{:?}", mirrored.delta);
    }
    Ok(())
}

/// Right of the largest loss only the mass at +∞ is left; left of the smallest δ is 1 − u·(1 − what P has alone).
fn check_ends(table: &dyn Profile) -> Result<(), TestCaseError> {
    let infinite = table.infinite_mass(150);
    let lone = table.swapped().infinite_mass(150);
    let near = Float::with_val(150, 1e-20);
    if let LossBound::Finite { value, .. } = table.max_loss(150)
        && value.hi().is_finite()
    {
        let beyond = Float::with_val(150, value.hi() + &near);
        let delta = table.at(&Point::at_log(Interval::point(beyond))).delta;
        prop_assert!(delta.intersect(&infinite).is_ok(), "{delta:?} {infinite:?}");
    }
    if let LossBound::Finite { value, .. } = table.min_loss(150)
        && value.lo().is_finite()
    {
        let beyond = Float::with_val(150, value.lo() - &near);
        let point = Point::at_log(Interval::point(beyond));
        let delta = table.at(&point).delta;
        let line = point.exp().mul(&lone.one_minus()).one_minus();
        prop_assert!(delta.intersect(&line).is_ok(), "{delta:?} {line:?}");
    }
    Ok(())
}

#[test]
fn a_law_of_wrong_mass_is_an_internal_error() {
    let grid = lattice(&Rational::from(1));
    let one = Mass::<1>::power_of_two(UNIT).unwrap();
    let row = |masses: &[Mass<1>]| vec![Row::new(0, masses.to_vec())];
    assert!(UpperLaw::new(grid.clone(), row(&[one]), Mass::ZERO, UNIT).is_ok());
    assert!(UpperLaw::new(grid.clone(), row(&[one, one]), Mass::ZERO, UNIT).is_err());
    assert!(UpperLaw::new(grid.clone(), row(&[one]), one, UNIT).is_err());
    let shell =
        |masses: &[Mass<1>]| vec![LowerShell::new(0, masses.to_vec(), masses.to_vec()).unwrap()];
    assert!(LowerLaw::new(grid.clone(), shell(&[one]), Mass::ZERO, UNIT).is_ok());
    assert!(LowerLaw::new(grid, shell(&[one]), one, UNIT).is_err());
    assert!(LowerShell::<1>::new(0, vec![one], vec![]).is_err());
}
