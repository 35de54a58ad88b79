//! Rounding of laws where a unit is everything: masses of a few units, and constants of the last bit.

use proptest::prelude::*;
use rug::{Float, Rational};

use super::tests::{FINE, check_table, of_lower, of_upper, slack};
use super::*;
use crate::kernel::coarse::at_most_bits;
use crate::kernel::{
    Budget, CellBounds, CellNumber, Cells, Failure, Interval, Pick, Point, Profile,
};

/// Labels, Q-masses and scaled_p P-masses of some units each; an atom may lie above or below its label.
type Few = Vec<(i64, Vec<(u64, u64)>)>;

fn few(bits: u32) -> impl Strategy<Value = Few> {
    let unit = 1u64 << bits;
    let atom = prop_oneof![
        2 => (0..unit / 2, 0..unit * 2),
        2 => (0..unit / 2).prop_map(|mass| (mass, mass)),
        1 => (0..3u64, 0..3u64),
    ];
    proptest::collection::vec((-3i64..3, proptest::collection::vec(atom, 1..6)), 1..3)
}

/// The lower law with these atoms, as far as their masses add up to at most one.
fn lower(step: &Rational, raw: &Few, bits: u32) -> LowerLaw<1> {
    let mut left = 1u64 << bits;
    let shells = raw.iter().map(|(first, atoms)| {
        let masses = atoms.iter().map(|(mass, _)| {
            let kept = (*mass).min(left);
            left -= kept;
            Mass::from_limbs([kept])
        });
        let masses = masses.collect();
        let scaled_p = atoms
            .iter()
            .map(|(_, scaled_p)| Mass::from_limbs([*scaled_p]));
        LowerShell::new(*first, masses, scaled_p.collect()).unwrap()
    });
    let lattice = Lattice::new(Offset::default(), step.clone());
    LowerLaw::new(lattice, shells.collect(), Mass::ZERO, bits).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(25)))]

    /// S2, S3 and S1 in units so coarse that what rounding takes from one atom and gives to the next decides.
    #[test]
    fn convolution_in_coarse_units_stays_below(
        step in prop_oneof![Just((1, 100)), Just((1, 4)), Just((1, 1))].prop_map(Rational::from),
        bits in 3u32..7,
        a in few(3),
        b in few(4),
    ) {
        let (x, y) = (lower(&step, &a, bits), lower(&step, &b, bits));
        for (x, y) in [(&x, &y), (&x, &x)] {
            let (product, a, b) = (of_lower(&x.convolve(y).unwrap()), of_lower(x), of_lower(y));
            for epsilon in product.places() {
                prop_assert!(
                    product.at(&epsilon) <= a.composed_at(&b, &epsilon) + slack(),
                    "ε = {epsilon}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(10).max(90)))]

    /// Lines of lower laws whose atoms lie far from their labels, so that several are merged at once.
    #[test]
    fn lines_of_atoms_out_of_order_stay_below(
        step in prop_oneof![Just((1, 100)), Just((1, 4)), Just((1, 1))].prop_map(Rational::from),
        a in few(8),
    ) {
        let law = lower(&step, &a, 20);
        check_table(&LowerProfile::new::<1, 4>(&law).unwrap(), &of_lower(&law), false)?;
    }
}

/// What is missing goes to the lowest place, and nothing else moves.
#[test]
fn masses_on_a_lattice_become_an_upper_law() {
    let masses = [(1, 8), (1, 4), (1, 16)].map(|q| Interval::from_rational(&Rational::from(q), 64));
    let above = Interval::from_rational(&Rational::from((1, 32)), 64);
    let grid = || Lattice::new(Offset::default(), Rational::from((1, 4)));
    let law: UpperLaw<1> = lattice_upper(grid(), 3, &masses, &above, 10).unwrap();
    let [row] = law.shells() else {
        panic!("one shell")
    };
    let found: Vec<_> = row
        .atoms()
        .map(|(at, mass)| (at, mass.to_integer().to_u32().unwrap()))
        .collect();
    assert_eq!(found, [(3, 1024 - 256 - 64 - 32), (4, 256), (5, 64)]);
    assert_eq!(law.infinity_mass().to_integer(), 32);
    let law: LowerLaw<1> = lattice_lower(grid(), 3, &masses, &above, 10).unwrap();
    let [shell] = law.shells() else {
        panic!("one shell")
    };
    let found: Vec<_> = shell
        .atoms()
        .map(|(at, mass, p)| (at, mass.to_integer().to_u32().unwrap(), p.to_integer()))
        .collect();
    assert_eq!(
        found,
        [
            (3, 128, 128.into()),
            (4, 256, 256.into()),
            (5, 64, 64.into())
        ]
    );
}

/// e^{−step} in 400 bits.
fn shrink(step: &Rational) -> Float {
    Float::with_val(FINE, &Rational::from(-step)).exp()
}

/// Odd masses without pattern, close to 2^bits.
fn large_masses(bits: u32) -> impl Iterator<Item = u64> {
    (0..1_000u64)
        .map(move |i| (1 << bits) - 1 - 2 * (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (66 - bits)))
}

fn step_list() -> [Rational; 5] {
    [(1, 1_000_000), (3, 100), (3, 10), (1, 1), (5, 2)].map(Rational::from)
}

/// With masses of 63 bits in one limb, a constant off by one unit in the last place shows.
#[test]
fn spreading_moves_no_more_down_than_its_exact_share() {
    for step in step_list() {
        let exact = shrink(&step);
        let share = Float::with_val(FINE, &exact / Float::with_val(FINE, &exact + 1u32));
        for mass in large_masses(63) {
            let row = Row::new(1, vec![Mass::from_limbs([mass])]);
            let infinity_mass = Mass::from_limbs([(1 << 63) - mass]);
            let grid = Lattice::new(Offset::default(), step.clone());
            let law = UpperLaw::<1>::new(grid, vec![row], infinity_mass, 63).unwrap();
            let most = Float::with_val(FINE, &share * mass);
            // As it is, and when the share has a few bits only.
            for bits in [FINE, 9] {
                let coarse = at_most_bits(bits, || law.coarsen()).unwrap();
                let [row] = coarse.shells() else {
                    panic!("one shell")
                };
                let down = row.at(0).to_integer();
                assert!(down <= most, "{step}: {down} of {mass}");
                assert!(bits < FINE || down + 2u32 >= most, "{step}: {mass}");
            }
        }
    }
}

#[test]
fn merging_leaves_no_less_tilted_mass_than_exact() {
    for step in step_list() {
        let exact = shrink(&step);
        for scaled_p in large_masses(63) {
            let masses = vec![Mass::ZERO, Mass::from_limbs([1])];
            let scaled_p_masses = vec![Mass::ZERO, Mass::from_limbs([scaled_p])];
            let shell = LowerShell::new(0, masses, scaled_p_masses).unwrap();
            let grid = Lattice::new(Offset::default(), step.clone());
            let law = LowerLaw::<1>::new(grid, vec![shell], Mass::ZERO, 63).unwrap();
            let least = Float::with_val(FINE, &exact * scaled_p);
            for bits in [FINE, 9] {
                let coarse = at_most_bits(bits, || law.coarsen()).unwrap();
                let (index, _, merged) = coarse.shells()[0].atoms().next().unwrap();
                let merged = merged.to_integer();
                assert!(
                    index == 0 && merged >= least,
                    "{step}: {merged} of {scaled_p}"
                );
                assert!(bits < FINE || merged - 2u32 <= least, "{step}: {scaled_p}");
            }
        }
    }
}

/// Losses up to 2^64 steps of the finest lattice, in shells so coarse that no index of a row is large: labels that do
/// not fit must end a composition, not move atoms.
#[test]
fn far_shells_are_given_up_rather_than_moved() {
    const SHELL: usize = 56;
    let step = Rational::from(1) >> 58u32;
    let grid = Lattice::new(Offset::default(), step);
    let half = Mass::<2>::from_limbs([0, 1 << 31]);
    let schedule = Schedule {
        bulk: i64::MAX,
        few_atoms: usize::MAX,
        reach: i64::MAX,
        tail: TailBudget::new(Float::new(64), LeftEnd::BothMasses),
    };
    for sign in [1, -1] {
        // Losses 0 and ±1, as likely as each other.
        let mut rows = vec![Row::EMPTY; SHELL + 1];
        rows[0] = Row::new(0, vec![half]);
        rows[SHELL] = Row::new(4 * sign, vec![half]);
        let upper = UpperLaw::new(grid.clone(), rows.clone(), Mass::ZERO, 96).unwrap();
        let shells = rows.iter().map(|row| {
            let masses = row.masses().to_vec();
            LowerShell::new(row.first(), masses.clone(), masses).unwrap()
        });
        let lower = LowerLaw::new(grid.clone(), shells.collect(), Mass::ZERO, 96).unwrap();
        for count in [1u32, 2, 8, 64] {
            let steps = u64::from(count);
            // Between the last two losses: all steps at 1, or at 0, count.
            let most = if sign > 0 { count } else { 0 };
            let epsilon = Rational::from((2 * i64::from(most) - 1, 2));
            let shrink = Float::with_val(FINE, Float::with_val(FINE, &epsilon) - most).exp();
            let exact = (Float::with_val(FINE, 1) - shrink) >> count;
            let point = Point::at_epsilon(&epsilon, 200);
            let budget = Budget::unlimited();
            match power_upper(&upper, steps, &schedule, &budget) {
                Ok(law) => {
                    let profile = UpperProfile::new::<2, 4>(&law).unwrap();
                    let delta = profile.at(&point).delta;
                    assert!(*delta.hi() >= exact, "{sign}, {count}: {delta:?} {exact}");
                }
                Err(failure) => assert!(matches!(failure, Failure::Interrupted) && count > 2),
            }
            match power_lower(&lower, steps, &schedule, &budget) {
                Ok(law) => {
                    let profile = LowerProfile::new::<2, 4>(&law).unwrap();
                    let lowest =
                        Rational::from((2 * i64::from(count.min(64)) * sign.min(0) + 1, 2));
                    for epsilon in [&epsilon, &lowest] {
                        let below = profile.at(&Point::at_epsilon(epsilon, 200)).delta;
                        let truth = binomial(count, sign, epsilon);
                        assert!(*below.lo() <= truth, "{sign}, {count}: {below:?} {truth}");
                    }
                }
                Err(failure) => assert!(matches!(failure, Failure::Interrupted) && count > 2),
            }
        }
    }
}

/// δ of the losses sign·Binomial(count, 1/2).
fn binomial(count: u32, sign: i64, epsilon: &Rational) -> Float {
    let mut sum = Float::new(FINE);
    for hits in 0..=count {
        let ways = rug::Integer::from(rug::Integer::binomial_u(count, hits));
        let gap = Rational::from(epsilon - i64::from(hits) * sign);
        let hinge = Float::with_val(FINE, 1) - Float::with_val(FINE, &gap).exp();
        if hinge > 0 {
            sum += hinge * ways;
        }
    }
    let sum = sum >> count;
    let least = Float::with_val(FINE, 1) - Float::with_val(FINE, epsilon).exp();
    sum.larger(&least)
}

/// Cells in units of 2^-126 as a mechanism might give them: scaled_p masses up to the masses.
fn fine_cells() -> impl Strategy<Value = Vec<(u128, u128)>> {
    let cell =
        (any::<u64>(), any::<u64>(), 0u32..60, 0u32..8).prop_map(|(mass, part, shift, kind)| {
            let mass = (u128::from(mass) << 57u32) >> shift;
            let scaled_p = match kind {
                0 => mass,
                1 => 0,
                _ => (mass >> 64u32) * u128::from(part),
            };
            (mass, scaled_p)
        });
    proptest::collection::vec(cell, 1..16)
}

/// The same number in units of 2^-190.
fn number(x: u128) -> CellNumber {
    [0, x as u64, (x >> 64) as u64]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(20)))]

    /// Base laws from fixed point, in units from coarse to fine: the lower law below the cells, the upper law with at
    /// least the survival that they ask for.
    #[test]
    fn cells_in_fixed_point_are_rounded_to_their_side(raw in fine_cells(), bits in prop_oneof![4u32..12, Just(61)]) {
        let indices: Vec<i64> = (0..=raw.len()).map(|i| i as i64 - 3).collect();
        let mut tail = 0u128;
        let mut wanted = Vec::new();
        let mut cells: Vec<CellBounds> = raw.iter().rev().map(|(mass, scaled_p)| {
            let cell = CellBounds {
                mass_down: number(*mass),
                scaled_p_up: number(*scaled_p),
                tail_up: number(tail),
                rise_up: number(mass / 3),
            };
            wanted.push(tail + mass / 3);
            tail += mass;
            cell
        }).collect();
        cells.reverse();
        wanted.reverse();
        let (beyond_mass, beyond_tilted) = raw[0];
        let bounds = Cells {
            cells,
            first_tail_up: number(tail),
            right_mass_down: number(beyond_mass),
            right_scaled_p_up: number(beyond_tilted),
            right_delta_up: number(beyond_mass - beyond_tilted),
        };
        let table = CellTable::<1>::from_bounds(&indices, &bounds, bits).unwrap();
        let step = Rational::from((1, 8));
        let grid = Lattice::new(Offset::default(), step.clone());
        let law = of_lower(&discretise_lower(&grid, &table).unwrap());
        let all = raw.iter().chain(raw.first());
        let exact: Vec<(Rational, u128, u128)> =
            indices.iter().zip(all).map(|(i, (m, t))| (Rational::from(&step * *i), *m, *t)).collect();
        for epsilon in law.places() {
            let mut sum = Float::new(FINE);
            for (label, mass, scaled_p) in &exact {
                let shrink = Float::with_val(FINE, &Rational::from(&epsilon - label)).exp();
                let hinge = Float::with_val(FINE, *mass) - shrink * *scaled_p;
                if hinge > 0 {
                    sum += hinge;
                }
            }
            let truth = sum >> 126u32;
            prop_assert!(law.at(&epsilon) <= truth + slack(), "ε = {epsilon}");
        }
        let upper = discretise_upper(&grid, &table).unwrap();
        let mass_from = |index: i64| -> Rational {
            let shells = upper.shells().iter().enumerate();
            let above = shells.flat_map(|(s, row)| row.atoms().filter(move |(i, _)| i << s >= index));
            let sum: rug::Integer = above.map(|(_, mass)| mass.to_integer()).sum();
            Rational::from(sum + upper.infinity_mass().to_integer()) >> bits
        };
        for (index, wanted) in indices.iter().skip(1).zip(wanted) {
            let wanted = Rational::from(wanted) >> 126u32;
            prop_assert!(mass_from(*index) >= wanted.min(Rational::from(1)), "{index}");
        }
    }

    /// Masses on a lattice that are known by enclosures: any masses within them lie between the two laws.
    #[test]
    fn enclosed_masses_lie_between_their_laws(
        raw in proptest::collection::vec((0u32..1000, 0u32..40, 0u32..40), 1..10),
        infinite in (0u32..300, 0u32..40, 0u32..40),
        bits in 3u32..20,
    ) {
        let total: u32 = raw.iter().map(|m| m.0).sum::<u32>() + infinite.0 + 50;
        let enclose = |(mass, down, up): (u32, u32, u32)| {
            let low = Rational::from((mass.saturating_sub(down), total));
            let high = Rational::from((mass + up, total));
            Interval::from_rational(&low, 100).hull(&Interval::from_rational(&high, 100))
        };
        let masses: Vec<Interval> = raw.iter().map(|m| enclose(*m)).collect();
        let step = Rational::from((1, 4));
        let grid = || Lattice::new(Offset::default(), step.clone());
        let above = enclose(infinite);
        let upper = of_upper(&lattice_upper::<1>(grid(), -2, &masses, &above, bits).unwrap());
        let lower = lattice_lower::<1>(grid(), -2, &masses, &above, bits);
        // δ of these masses, with 50 parts left of all of them.
        let truth = |epsilon: &Rational| {
            let mut sum = Float::with_val(FINE, infinite.0);
            for (i, (mass, _, _)) in raw.iter().enumerate() {
                let place = Rational::from(&step * (i as i64 - 2));
                let hinge = Float::with_val(FINE, 1) - Float::with_val(FINE, &(epsilon - place)).exp();
                if hinge > 0 {
                    sum += hinge * *mass;
                }
            }
            sum / total
        };
        for epsilon in upper.places() {
            prop_assert!(upper.at(&epsilon) >= truth(&epsilon) - slack(), "above, ε = {epsilon}");
        }
        let lower = of_lower(&lower.unwrap());
        for epsilon in lower.places() {
            prop_assert!(lower.at(&epsilon) <= truth(&epsilon) + slack(), "below, ε = {epsilon}");
        }
    }
}
