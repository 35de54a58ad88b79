//! Self-compositions are recognised, and symmetry is decided exactly.

use super::*;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn found(mechanism: &Mechanism) -> Result<SelfComposition, String> {
    self_composition(mechanism, Adjacency::AddRemove, &Budget::unlimited()).unwrap()
}

fn response(epsilon: Rational) -> Mechanism {
    Mechanism::randomized_response(epsilon, 3).unwrap()
}

#[test]
fn equal_parts_are_counted() {
    let step = || response(q(1, 2));
    let inner = Mechanism::compose(vec![(step(), 3), (step(), 4)]).unwrap();
    let outer = Mechanism::compose(vec![(inner, 5), (step(), 1)]).unwrap();
    assert_eq!(found(&outer).unwrap().times, 36);
    assert_eq!(found(&step()).unwrap().times, 1);
    let mixed = Mechanism::compose(vec![(step(), 3), (response(q(1, 3)), 3)]).unwrap();
    assert!(found(&mixed).unwrap_err().contains("differ"));
    // More steps than can be counted are no mechanism.
    assert!(Mechanism::compose(vec![(step(), u64::MAX), (step(), 1)]).is_err());
}

#[test]
fn gaussians_stay_steps() {
    let gaussian = Mechanism::gaussian(q(2, 1), q(1, 1)).unwrap();
    let composed = Mechanism::compose(vec![(gaussian, 100)]).unwrap();
    let composition = found(&composed).unwrap();
    assert_eq!(composition.times, 100);
    assert!(matches!(composition.step.pair(), Pair::Gaussian { square } if *square == q(1, 4)));
}

#[test]
fn symmetry_is_decided_exactly() {
    let symmetry = |p: &[(i64, i64)], with: &[(i64, i64)]| {
        let vector = |x: &[(i64, i64)]| x.iter().map(|(n, d)| q(*n, *d)).collect();
        let mechanism = Mechanism::finite(vector(p), vector(with)).unwrap();
        found(&mechanism).unwrap().step.symmetry().clone()
    };
    let mirrored = symmetry(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
    assert_eq!(mirrored, Symmetry::Symmetric);
    let three = symmetry(&[(1, 6), (1, 3), (1, 2)], &[(1, 2), (1, 3), (1, 6)]);
    assert_eq!(three, Symmetry::Symmetric);
    let other = symmetry(&[(1, 3), (2, 3)], &[(1, 2), (1, 2)]);
    assert!(matches!(other, Symmetry::Asymmetric(_)));
    // Losses ±log 2, yet with other probabilities: 2/3 at log 2 under Q, 1/3 at −log 2 under P cannot be.
    let weights = symmetry(&[(1, 6), (1, 2), (1, 3)], &[(1, 3), (1, 4), (5, 12)]);
    assert!(matches!(weights, Symmetry::Asymmetric(_)));

    let sampled = Mechanism::subsampled(q(1, 10), response(q(1, 1))).unwrap();
    let sampled = found(&sampled).unwrap();
    assert!(matches!(sampled.step.symmetry(), Symmetry::Asymmetric(_)));
    assert_eq!(
        *found(&response(q(1, 1))).unwrap().step.symmetry(),
        Symmetry::Symmetric
    );
}

/// Losses of subsampled noise are built up to a size each.
#[test]
fn how_large_losses_may_be() {
    let half = || q(1, 2);
    let gaussian = |sigma| Mechanism::gaussian(sigma, q(1, 1)).unwrap();
    let laplace = |scale| Mechanism::laplace(scale, q(1, 1)).unwrap();
    for (of, is_built) in [
        (gaussian(q(1, 1)), true),
        (gaussian(q(1, 64)), true),
        (gaussian(q(1, 65)), false),
        (laplace(q(1, 1)), true),
        (laplace(q(1, 1024)), true),
        (laplace(q(1, 1025)), false),
    ] {
        let sampled = Mechanism::subsampled(half(), of).unwrap();
        let found = found(&sampled);
        assert_eq!(found.is_ok(), is_built, "{:?}", found.err());
    }
}
