//! Domination by Gaussian noise where errors are equal, next to equality.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::{Claim, Mechanism, prove_of};
use crate::answer::Adjacency;
use crate::coarse::in_units;
use crate::step::Step;
use crate::value::json;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

/// Laplace noise beside Gaussian noise of nearly its strict μ: what is accepted with few digits is so with all of them, where 1/σ is known exactly.
#[test]
fn fixed_points_next_to_gaussian_noise() {
    let laplace = vec![(Step::Laplace { epsilon: q(1, 1) }, 1)];
    let mechanism = Mechanism { steps: laplace, members: Vec::new(), adjacency: Adjacency::AddRemove };
    let proof = json(r#"{"kind":"fixed-point"}"#).unwrap();
    let is_true = |mu: &BigRational| {
        work::begin(None);
        crate::theorem::fixed_point(&mechanism, mu, true).is_ok()
    };
    let (mut low, mut high) = (q(1, 1), q(11, 10));
    for _ in 0..70 {
        let middle = (&low + &high) / BigInt::from(2);
        if is_true(&middle) { high = middle } else { low = middle }
    }
    let (mut yes, mut no) = (0, 0);
    for reals in [20, 24, 30, 36, 44] {
        let unit = q(1, 1 << reals);
        for n in -40..400i64 {
            let mu = &low + &unit * q(n * n.abs(), 4);
            let other = vec![(Step::Gaussian { square: &mu * &mu }, 1)];
            let claim = Claim::DominatedBy { other, adjacency: Adjacency::AddRemove, at_most: q(0, 1) };
            let shown = || {
                work::begin(None);
                prove_of(&mechanism, &claim, true, &proof).is_ok()
            };
            let accepted = in_units(reals, 8, shown);
            assert!(!accepted || is_true(&mu), "{mu} 2^-{reals}");
            (yes, no) = (yes + i32::from(accepted), no + i32::from(!accepted));
            assert!(n == 0 || shown() == is_true(&mu), "{mu}");
        }
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
}
