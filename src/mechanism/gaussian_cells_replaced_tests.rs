//! The same of a record that is replaced.

use std::sync::Arc;

use proptest::prelude::*;
use rug::Rational;

use super::tests::{Setup, WISHES, index_near, ladder, rational};
use crate::kernel::Profile;
use crate::mechanism::shifted::{GaussianMixtures, Shifts};

/// A record that is replaced, Poisson-sampled.
fn replaced(sigma: &Rational, rate: &Rational) -> Arc<dyn Profile> {
    let shifts = Shifts::sampled(rate);
    let square = sigma.clone().square().recip();
    Arc::new(GaussianMixtures::new(square, shifts.clone(), shifts))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Both signs of the loss, loss 0 itself, and lattices that miss it by little.
    #[test]
    fn lattices_of_a_replaced_record(
        sigma in prop_oneof![30i32..200, 200i32..10_000],
        rate in (0u32..30, 1i32..1000),
        step_log2 in 2u32..40,
        start in -2000i32..2000,
        near_zero: bool,
        jumps in prop::collection::vec(prop_oneof![4 => Just(0u32), 2 => 0u32..6, 1 => 0u32..40], 1..12),
        offset in prop_oneof![Just(Rational::new()), Just(Rational::from((1, 7))), Just(Rational::from(1) >> 200u32)],
        fine: bool,
    ) {
        let sigma = Rational::from((sigma, 100));
        let rate = Rational::from((rate.1, 1000)) >> rate.0;
        let step = Rational::from(1) >> step_log2;
        let spread = Rational::from((5, 1)) / &sigma + &rate;
        let from = Rational::from((start, 1000)) * spread.min(Rational::from(10)) / &step;
        let from = if near_zero { -3 } else { from.floor().numer().to_i64().unwrap() };
        let jumps: Vec<i64> = jumps.iter().map(|log2| 1i64 << log2).collect();
        let mut indices = ladder(from, &jumps);
        indices.retain(|i| Rational::from(&step * i) < 25);
        let setup = Setup {
            profile: replaced(&sigma, &rate),
            anchor: None,
            offset,
            step,
            indices,
            good_bits: WISHES[usize::from(fine)],
        };
        match setup.cells() {
            Some(cells) => prop_assert_eq!(setup.check(&cells), Ok(())),
            None => {
                // Where e^y is beyond 2^26, or next to y = 0 for a record that hardly ever shows.
                let last = setup.offset(320).lo().to_rational().unwrap() + setup.step.clone() * setup.indices[setup.indices.len() - 1];
                prop_assert!(fine && (last > 18 || setup.step < Rational::from(1) >> 20u32 || rate < Rational::from((1, 1000))));
            }
        }
    }
}

#[test]
fn a_long_walk_of_a_replaced_record() {
    for (sigma, rate, step, from) in [
        ("9.4", "0.32768", "0.0001220703125", -2000i64),
        ("0.6", "1e-4", "0.0009765625", -1000),
    ] {
        let mut indices = ladder(from, &[5; 900]);
        indices.push(index_near(9, &rational(step)));
        let setup = Setup {
            profile: replaced(&rational(sigma), &rational(rate)),
            anchor: None,
            offset: Rational::new(),
            step: rational(step),
            indices,
            good_bits: WISHES[0],
        };
        let cells = setup.cells().unwrap();
        for start in (0..cells.cells.len()).step_by(47) {
            let part = Setup {
                indices: setup.indices[start..start + 2].to_vec(),
                profile: Arc::clone(&setup.profile),
                offset: setup.offset.clone(),
                step: setup.step.clone(),
                anchor: None,
                good_bits: WISHES[0],
            };
            let mut alone = part.cells().unwrap();
            alone.cells = vec![cells.cells[start]];
            assert_eq!(part.check(&alone), Ok(()), "{sigma} {rate} {start}");
        }
    }
}
