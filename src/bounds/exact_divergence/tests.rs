//! Small cases with known answers, and every route against the others.

use proptest::prelude::*;
use rug::Rational;

use super::{BlackwellOrder, bayes, crossings, divergence, levy, order, shift, symmetric};
use crate::bounds::exact::{ExactCurve, Vertex};
use crate::bounds::testing::{Finite, finite_pair, power_of_ten};
use crate::mechanism::Adjacency;

fn rational(n: i64, m: i64) -> Rational {
    Rational::from((n, m))
}

fn curve(p: &[(i64, i64)], q: &[(i64, i64)]) -> ExactCurve {
    let pair = Finite::new(p, q);
    ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove)
}

fn perfectly_private() -> ExactCurve {
    curve(&[(1, 1)], &[(1, 1)])
}

fn blatantly_non_private() -> ExactCurve {
    curve(&[(1, 1), (0, 1)], &[(0, 1), (1, 1)])
}

/// f = max(0, 1 − 2α).
fn steep() -> ExactCurve {
    curve(&[(1, 2), (1, 2)], &[(1, 1), (0, 1)])
}

/// f = (1 − α)/2: half of Q at infinite loss.
fn low() -> ExactCurve {
    curve(&[(1, 1), (0, 1)], &[(1, 2), (1, 2)])
}

proptest! {
    /// The three routes, on every adjacency; the prior attains the value.
    #[test]
    fn routes_agree(a in finite_pair(), b in finite_pair()) {
        for adjacency in [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove] {
            let a = ExactCurve::new(&a.p, &a.q, adjacency);
            let b = ExactCurve::new(&b.p, &b.q, adjacency);
            let forth = bayes::largest_gap(&a, &b).unwrap();
            let back = bayes::largest_gap(&b, &a).unwrap();
            prop_assert_eq!(&shift::least_shift(&a, &b).unwrap(), &forth.value);
            let gap = a.bayes_error(&forth.prior) - b.bayes_error(&forth.prior);
            prop_assert_eq!(&gap, &forth.value);
            let larger = forth.value.clone().max(back.value.clone());
            prop_assert_eq!(levy::distance(&a, &b).unwrap(), larger.clone());
            prop_assert_eq!(symmetric(&a, &b).unwrap().value, larger);
            prop_assert_eq!(divergence(&a, &b).unwrap(), forth.clone());
            let by_value = match (forth.value == 0, back.value == 0) {
                (true, true) => order(&a, &b) == BlackwellOrder::Equal,
                (true, false) => order(&a, &b) == BlackwellOrder::ADominates,
                (false, true) => order(&a, &b) == BlackwellOrder::BDominates,
                (false, false) => matches!(order(&a, &b), BlackwellOrder::Incomparable { .. }),
            };
            prop_assert!(by_value);
            prop_assert_eq!(crossings(&a, &b).is_empty(), forth.value == 0 || back.value == 0);
        }
    }
}

#[test]
fn extremes() {
    let found = divergence(&perfectly_private(), &blatantly_non_private()).unwrap();
    assert_eq!(found.value, rational(1, 2));
    assert_eq!(found.prior, rational(1, 2));
    let none = divergence(&blatantly_non_private(), &perfectly_private()).unwrap();
    assert_eq!((none.value, none.prior), (rational(0, 1), rational(0, 1)));
    assert_eq!(
        order(&blatantly_non_private(), &perfectly_private()),
        BlackwellOrder::ADominates
    );
    assert_eq!(order(&steep(), &steep()), BlackwellOrder::Equal);
}

/// The routes of an asymmetric curve meet its fixed point 1/3, at the prior 2/3.
#[test]
fn asymmetric_curves() {
    let found = divergence(&steep(), &blatantly_non_private()).unwrap();
    assert_eq!((found.value, found.prior), (rational(1, 3), rational(2, 3)));
    let found = divergence(&perfectly_private(), &steep()).unwrap();
    assert_eq!(found.value, rational(1, 4));
    // Infinite loss: the curve starts at 1/2.
    let found = divergence(&low(), &blatantly_non_private()).unwrap();
    assert_eq!((found.value, found.prior), (rational(1, 3), rational(1, 3)));
    assert_eq!(
        symmetric(&low(), &steep()).unwrap().value,
        rational(1, 6),
        "the diagonals through (0, 1/2) and (1/2, 0)"
    );
}

#[test]
fn curves_cross_in_a_point() {
    let found = crossings(&low(), &steep());
    let at = Vertex {
        alpha: rational(1, 3),
        beta: rational(1, 3),
    };
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].meet, &found[0].part), (&at, &at));
    let BlackwellOrder::Incomparable { a_below, b_below } = order(&low(), &steep()) else {
        panic!("the curves cross");
    };
    assert_eq!((a_below.alpha, a_below.a), (rational(0, 1), rational(1, 2)));
    assert_eq!((b_below.alpha, b_below.a), (rational(1, 2), rational(1, 4)));
}

/// Ratios (4, 1, 1/4, …) against (2, 1, 1/2): one is below, then they share the segment of slope −1, then the other is.
#[test]
fn curves_cross_along_a_segment() {
    let a = curve(&[(1, 10), (5, 10), (4, 10)], &[(3, 10), (5, 10), (2, 10)]);
    let b = curve(&[(2, 10), (5, 10), (3, 10)], &[(4, 10), (5, 10), (1, 10)]);
    let found = crossings(&a, &b);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].meet.alpha, rational(2, 10));
    assert_eq!(found[0].part.alpha, rational(6, 10));
    assert_eq!(found[0].meet.beta, rational(6, 10));
    assert_eq!(found[0].part.beta, rational(2, 10));
}

/// A touch without a change of sign is no crossing.
#[test]
fn touching_is_not_crossing() {
    let a = curve(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
    let b = curve(&[(1, 8), (1, 8), (3, 4)], &[(1, 2), (1, 4), (1, 4)]);
    assert_eq!(crossings(&a, &b), []);
    assert_eq!(order(&a, &b), BlackwellOrder::BDominates);
}

/// A difference of 1e-30 in one probability is seen.
#[test]
fn near_ties_are_told_apart() {
    let tiny = power_of_ten(30);
    let (low, high) = (rational(1, 4), rational(3, 4));
    let exact = ExactCurve::new(
        &[low.clone(), high.clone()],
        &[high.clone(), low.clone()],
        Adjacency::Remove,
    );
    let near = ExactCurve::new(
        &[low.clone(), high.clone()],
        &[Rational::from(&high - &tiny), Rational::from(&low + &tiny)],
        Adjacency::Remove,
    );
    assert_eq!(order(&exact, &near), BlackwellOrder::ADominates);
    let found = symmetric(&exact, &near).unwrap().value;
    assert!(found > 0 && found < tiny, "{found}");
}

/// Nowhere more error, so that no prior shows any.
#[test]
fn no_divergence_has_no_prior() {
    for one in [perfectly_private(), steep(), low()] {
        assert_eq!(divergence(&one, &one).unwrap().prior, 0);
    }
}

proptest! {
    /// The gaps that are shown are the largest on their side.
    #[test]
    fn gaps_are_the_largest(a in finite_pair(), b in finite_pair()) {
        let of = |pair: &Finite| ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
        let (a, b) = (of(&a), of(&b));
        if let BlackwellOrder::Incomparable { a_below, b_below } = order(&a, &b) {
            let (most_a, most_b) = (Rational::from(&a_below.b - &a_below.a), Rational::from(&b_below.a - &b_below.b));
            prop_assert!(most_a > 0 && most_b > 0);
            for vertex in a.vertices().iter().chain(b.vertices()) {
                let gap = b.tradeoff(&vertex.alpha) - a.tradeoff(&vertex.alpha);
                prop_assert!(gap <= most_a && -gap <= most_b, "{vertex:?}");
            }
        }
    }
}
