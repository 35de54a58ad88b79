//! Hypotheses of Theorem 3 one by one, and the bounds where they are known.

use dpcmp::emergence::{
    Emergence, Hypothesis, SelfComposition, emergence, identical_constant, paper_constant,
    self_composition,
};
use dpcmp::kernel::{Budget, Interval};
use dpcmp::mechanism::{Adjacency, Mechanism};
use rug::Rational;

const BITS: u32 = 128;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn composition(mechanism: Mechanism, times: u64) -> SelfComposition {
    let of = vec![(mechanism, times)];
    self_composition(
        &Mechanism::compose(of).unwrap(),
        Adjacency::AddRemove,
        &Budget::unlimited(),
    )
    .unwrap()
    .unwrap()
}

fn gaussian(sigma: Rational) -> Mechanism {
    Mechanism::gaussian(sigma, q(1, 1)).unwrap()
}

fn laplace(scale: Rational) -> Mechanism {
    Mechanism::laplace(scale, q(1, 1)).unwrap()
}

fn of(a: &SelfComposition, b: &SelfComposition) -> Emergence {
    emergence(a, b, None, &Budget::unlimited()).unwrap()
}

/// For symmetric steps that meet the condition the two-sided bound is Kaissis et al. 2024's with 0.4748 in place of 0.56.
#[test]
fn symmetric_steps_have_the_papers_bound() {
    let (a, b) = (
        composition(laplace(q(20, 1)), 900),
        composition(laplace(q(2001, 100)), 900),
    );
    let forward = of(&a, &b);
    assert_eq!(forward.hypothesis, Hypothesis::Met);
    let paper = forward.paper_bound.as_ref().unwrap();
    let factor = Interval::from_rational(&(identical_constant() / paper_constant()), BITS);
    let expected = paper.mul(&factor);
    let excess = Interval::point(forward.two_sided_bound.hi().clone()).sub(&expected);
    assert!(*excess.hi() < 1e-9 && *excess.lo() > -1e-5, "{excess:?}");
    assert_eq!(forward.best_bound(), &forward.two_sided_bound);

    let backward = of(&b, &a);
    assert!(backward.paper_bound.is_none());
    let Hypothesis::FailsBecause(reasons) = &backward.hypothesis else {
        panic!("Laplace noise of larger scale dominates");
    };
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].contains("η̃²/η²"));
    assert_eq!(backward.eta_condition.unwrap().is_met, Some(false));
}

/// Gaussian steps compose exactly: no Berry–Esseen error, and equality of the condition is recognised.
#[test]
fn gaussians_need_no_berry_esseen() {
    let one = composition(gaussian(q(2, 1)), 4);
    let other = composition(gaussian(q(1, 1)), 1);
    let same = of(&one, &other);
    assert_eq!(same.hypothesis, Hypothesis::Met);
    assert!(*same.two_sided_bound.hi() < 1e-11);
    let weaker = of(&composition(gaussian(q(2, 1)), 1), &other);
    assert_eq!(weaker.eta_condition.unwrap().is_met, Some(false));
    // Φ(−1/4) − Φ(−1/2) for μ = 1/2 and μ = 1.
    let truth = 0.401_293_674_317_076 - 0.308_537_538_725_987;
    assert!((weaker.two_sided_bound.hi().to_f64() - truth).abs() < 1e-6);
}

/// The condition is N/Ñ ≥ η̃²/η², not its inverse (the appendix of Kaissis et al. 2024).
#[test]
fn the_condition_has_the_right_way_up() {
    // η = 1/4 and η̃ = 1/2: four steps of the first are needed for one of the second.
    let met = |times: u64| {
        let a = composition(gaussian(q(2, 1)), times);
        let b = composition(gaussian(q(1, 1)), 10);
        of(&a, &b).eta_condition.unwrap().is_met
    };
    assert_eq!(met(39), Some(false));
    assert_eq!(met(41), Some(true));
}

/// R of an `add-remove` mechanism is the smaller of two errors: one direction of A says nothing of it.
#[test]
fn one_way_against_both_ways_proves_nothing_unless_symmetric() {
    let sampled = |rate| Mechanism::subsampled(rate, gaussian(q(1, 1))).unwrap();
    let steps = |mechanism: Mechanism, adjacency| SelfComposition {
        adjacency,
        ..composition(mechanism, 10_000)
    };
    let is_trivial = |a: &SelfComposition, b: &SelfComposition| {
        let found = of(a, b);
        let trivial = *found.two_sided_bound.hi() == 0.5;
        assert_eq!(trivial, found.moments.is_err());
        assert!(!trivial || found.paper_bound.is_none());
        trivial
    };
    let (both, one) = (Adjacency::AddRemove, Adjacency::Remove);
    let skewed = |adjacency| steps(sampled(q(1, 2)), adjacency);
    let symmetric = |adjacency| steps(laplace(q(8, 1)), adjacency);
    assert!(is_trivial(&skewed(one), &skewed(both)));
    assert!(is_trivial(&skewed(Adjacency::Add), &skewed(both)));
    assert!(!is_trivial(&skewed(both), &skewed(both)));
    assert!(!is_trivial(&skewed(both), &skewed(one)));
    assert!(!is_trivial(&skewed(one), &skewed(one)));
    assert!(!is_trivial(&skewed(one), &symmetric(both)));
}

#[test]
fn infinite_losses_are_not_applicable() {
    let approx = Mechanism::approx_dp(q(1, 1), q(1, 100)).unwrap();
    let answer = of(&composition(approx, 3), &composition(laplace(q(1, 1)), 3));
    assert!(answer.paper_bound.is_none() && answer.moments.is_err());
    assert!(*answer.two_sided_bound.hi() >= 0.5);
    assert!(matches!(&answer.hypothesis, Hypothesis::FailsBecause(r) if r[0].contains("infinite")));
}
