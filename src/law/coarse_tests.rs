//! Operations on laws in coarse units and with constants of a few bits, against their definitions.

use rug::{Float, Rational};

use super::tests::{Mixture, of_lower, of_upper, slack};
use super::*;
use crate::kernel::coarse::{Random, at_most_bits, few_bits};

fn number(x: u64) -> i64 {
    i64::try_from(x).unwrap()
}

/// Laws in units of 2^−bits, of one to three shells; the mass that is left is at +∞.
pub(super) fn random_upper(random: &mut Random, bits: u32) -> UpperLaw<1> {
    let mut left = 1u64 << bits;
    let rows = (0..1 + random.below(3)).map(|_| {
        let masses = (0..1 + random.below(4)).map(|_| {
            let mass = random.below(left / 3 + 1);
            left -= mass;
            Mass::from_limbs([mass])
        });
        let masses = masses.collect();
        Row::new(number(random.below(7)) - 3, masses)
    });
    let rows = rows.collect();
    UpperLaw::new(grid(random), rows, Mass::from_limbs([left]), bits).unwrap()
}

fn grid(random: &mut Random) -> Lattice {
    let step = [(1, 100), (1, 4), (7, 10)][random.below(3) as usize];
    Lattice::new(Offset::default(), Rational::from(step))
}

/// Atoms at and above their labels, up to some cells.
pub(super) fn random_lower(random: &mut Random, bits: u32) -> LowerLaw<1> {
    let lattice = grid(random);
    let drift = random.below(4);
    let mut left = 1u64 << bits;
    let shells = (0..1 + random.below(3)).map(|s| {
        let step = lattice.step().to_f64() * f64::from(1u32 << s);
        let atoms = (0..1 + random.below(4)).map(|_| {
            let mass = random.below(left / 3 + 1);
            left -= mass;
            let rise = step * (drift as f64 + random.below(64) as f64 / 64.0);
            let scaled_p = match random.below(12) {
                0 => 0,
                1 => mass,
                _ => (mass as f64 * (-rise).exp()).ceil() as u64,
            };
            (Mass::from_limbs([mass]), Mass::from_limbs([scaled_p]))
        });
        let (masses, scaled_p) = atoms.unzip();
        LowerShell::new(number(random.below(7)) - 3, masses, scaled_p).unwrap()
    });
    let shells = shells.collect();
    let infinity_mass = match random.below(3) {
        0 => Mass::from_limbs([left]),
        1 => Mass::from_limbs([left / 2]),
        _ => Mass::ZERO,
    };
    LowerLaw::new(lattice, shells, infinity_mass, bits).unwrap()
}

/// S1 to S3 in coarse units and with constants of a few bits: composing, coarsening, sorting and trimming keep their side.
#[test]
fn operations_in_coarse_units_keep_their_side() {
    let mut random = Random(35);
    let above = |above: &Mixture, below: &Mixture, what: &str| {
        for epsilon in above.places().iter().chain(&below.places()) {
            let (high, low) = (above.at(epsilon), below.at(epsilon));
            assert!(high >= low - slack(), "{what}, ε = {epsilon}");
        }
    };
    for _ in 0..crate::test_scale::cases(30) {
        let bits = [4, 9, 40][random.below(3) as usize];
        let kept = few_bits(&mut random);
        let reach = 1 + number(random.below(4));
        let units = Float::with_val(64, 1 + random.below(16));
        let tail = TailBudget::new((units / 4u32) >> bits, LeftEnd::BothMasses);
        let law = random_upper(&mut random, bits);
        let (coarser, sorted, cut) = at_most_bits(kept, || {
            let (mut sorted, mut cut) = (law.clone(), law.clone());
            sorted.sort_into_shells(reach).unwrap();
            cut.trim(&tail).unwrap();
            (law.coarsen().unwrap(), sorted, cut)
        });
        for (found, what) in [(coarser, "coarser"), (sorted, "sorted"), (cut, "cut")] {
            above(&of_upper(&found), &of_upper(&law), what);
        }
        let law = random_lower(&mut random, bits);
        let (coarser, sorted, cut) = at_most_bits(kept, || {
            let (mut sorted, mut cut) = (law.clone(), law.clone());
            sorted.sort_into_shells(reach).unwrap();
            cut.trim(&tail).unwrap();
            (law.coarsen().unwrap(), sorted, cut)
        });
        for (found, what) in [(coarser, "coarser"), (sorted, "sorted"), (cut, "cut")] {
            above(&of_lower(&law), &of_lower(&found), what);
        }
    }
}

/// The rounded product lies on its side of the product measure, exactly enumerated.
#[test]
fn products_in_coarse_units_keep_their_side() {
    let mut random = Random(36);
    for _ in 0..crate::test_scale::cases(30) {
        let bits = [3, 5, 30][random.below(3) as usize];
        let kept = few_bits(&mut random);
        let step = grid(&mut random);
        let at = |law: &UpperLaw<1>| law.lattice().step() == step.step();
        let mut upper = || std::iter::repeat_with(|| random_upper(&mut random, bits)).find(at);
        let (x, y) = (upper().unwrap(), upper().unwrap());
        for (x, y) in [(&x, &y), (&x, &x)] {
            let product = of_upper(&at_most_bits(kept, || x.convolve(y)).unwrap());
            let (a, b) = (of_upper(x), of_upper(y));
            for epsilon in product.places().iter().step_by(3) {
                let exact = a.composed_at(&b, epsilon);
                assert!(product.at(epsilon) >= exact - slack(), "ε = {epsilon}");
            }
        }
        let at = |law: &LowerLaw<1>| law.lattice().step() == step.step();
        let mut lower = || std::iter::repeat_with(|| random_lower(&mut random, bits)).find(at);
        let (x, y) = (lower().unwrap(), lower().unwrap());
        for (x, y) in [(&x, &y), (&x, &x)] {
            let product = of_lower(&at_most_bits(kept, || x.convolve(y)).unwrap());
            let (a, b) = (of_lower(x), of_lower(y));
            for epsilon in product.places().iter().step_by(3) {
                let exact = a.composed_at(&b, epsilon);
                assert!(product.at(epsilon) <= exact + slack(), "ε = {epsilon}");
            }
        }
    }
}

/// Atoms that lie whole cells above their labels on average get labels that much higher, and no more P-mass than that takes.
#[test]
fn a_product_is_relabelled_by_its_drift() {
    for (cells, expected) in [(0.5, 0), (1.5, 1), (2.3, 2), (4.8, 4)] {
        let scaled_p = (f64::exp(-0.1 * cells) * 2f64.powi(40)) as u64;
        let lattice = Lattice::new(Offset::default(), Rational::from((1, 10)));
        let one = vec![Mass::<1>::power_of_two(40).unwrap()];
        let law = |scaled_p: u64| {
            let shell = LowerShell::new(3, one.clone(), vec![Mass::from_limbs([scaled_p])]);
            LowerLaw::new(lattice.clone(), vec![shell.unwrap()], Mass::ZERO, 40).unwrap()
        };
        let product = law(scaled_p).convolve(&law(1 << 40)).unwrap();
        let (index, mass, moved) = product.shells()[0].atoms().next().unwrap();
        assert_eq!((index, *mass), (6 + expected, one[0]));
        let exact = scaled_p as f64 * f64::exp(0.1 * expected as f64);
        let moved = moved.to_integer().to_f64();
        assert!(
            (moved - exact).abs() < 1e-9 * exact,
            "{cells}: {moved} {exact}"
        );
    }
}
