//! Statements that are false as printed, or that need a hypothesis which is easily left out: each with a case.

use dpcmp::bounds::exact::ExactCurve;
use dpcmp::bounds::exact_divergence::{BlackwellOrder, divergence, order, symmetric};
use rug::Rational;

use crate::definition::{Pair, fraction};
use crate::trial::power_of_ten;

fn regret(a: &Pair, b: &Pair) -> Rational {
    divergence(&a.curve(), &b.curve()).unwrap().value
}

/// f = max(0, 1 − 2α).
fn steep() -> Pair {
    Pair::of(&[(1, 2), (1, 2)], &[(1, 1), (0, 1)])
}

/// f = (1 − α)/2: f(0) < 1.
fn low() -> Pair {
    Pair::of(&[(1, 1), (0, 1)], &[(1, 2), (1, 2)])
}

/// [K24] Lemma 5 says "½" for any mechanism: that needs −1 as a subgradient at the fixed point.
#[test]
fn lemma_5_needs_a_subgradient() {
    let sum = regret(&Pair::perfectly_private(), &steep())
        + regret(&steep(), &Pair::blatantly_non_private());
    assert_eq!(sum, fraction(7, 12));
}

/// [K24] Theorem 2 (2), proved there for ε ≥ 0 alone: (1 − α)/2 against 0 passes at 𝔇 = ¼, and Δ = ⅓.
#[test]
fn theorem_2_needs_negative_epsilon() {
    let (a, b) = (low(), Pair::blatantly_non_private());
    let passes = |u: &Rational, allowed: &Rational| {
        a.delta(u) + Rational::from(1 + u) * allowed >= b.delta(u)
    };
    // δ = ½ and δ̃ = 1 for every u ≥ 1, so u = 1 is the hardest.
    for u in [
        fraction(1, 1),
        fraction(3, 2),
        fraction(10, 1),
        fraction(1000, 1),
    ] {
        assert!(passes(&u, &fraction(1, 4)), "{u}");
    }
    assert!(!passes(&fraction(1, 2), &fraction(1, 4)), "ε = −log 2");
    assert_eq!(regret(&a, &b), fraction(1, 3));
    assert!(passes(&fraction(1, 2), &fraction(1, 3)), "attained");
}

/// Ordered at every ε ≥ 0, A above, and neither the squares nor the products with B are.
#[test]
fn composition_needs_the_order_at_negative_epsilon() {
    let a = Pair::of(&[(2, 3), (1, 3)], &[(1, 2), (1, 2)]);
    let b = Pair::of(&[(2, 3), (1, 3)], &[(4, 5), (1, 5)]);
    for u in [a.ratios(), b.ratios(), vec![fraction(1, 1)]].concat() {
        assert!(u < 1 || a.delta(&u) >= b.delta(&u), "{u}");
    }
    assert!(matches!(
        order(&a.curve(), &b.curve()),
        BlackwellOrder::Incomparable { .. }
    ));
    let (squared_a, squared_b) = (a.product(&a), b.product(&b));
    let one = fraction(1, 1);
    assert_eq!(squared_a.delta(&one), fraction(7, 36));
    assert_eq!(squared_b.delta(&one), fraction(44, 225));
    assert!(squared_a.delta(&one) < squared_b.delta(&one));

    let (a, b) = (low(), steep());
    for u in [one.clone(), fraction(3, 2), fraction(2, 1), fraction(9, 1)] {
        assert!(a.delta(&u) >= b.delta(&u), "{u}");
    }
    assert_eq!(a.product(&b).delta(&one), fraction(1, 2));
    assert_eq!(b.product(&b).delta(&one), fraction(3, 4));
}

/// f = 0 on (0, 1] with f(0) = 1, against f̃ = 0. Definition 1 holds at every κ > 0 and not at κ = 0: the infimum 0 is
/// not attained, and two functions are at distance 0. No test between two laws has that f: its curve is closed.
#[test]
fn definition_1_needs_continuity_at_zero() {
    let f = |alpha: &Rational| Rational::from(i32::from(*alpha <= 0));
    let holds = |shift: &Rational| {
        let alphas = [
            fraction(0, 1),
            Rational::from(-shift),
            fraction(1, 2),
            fraction(1, 1),
        ];
        alphas.iter().filter(|alpha| **alpha >= 0).all(|alpha| {
            let shifted = f(&Rational::from(alpha + shift)) - shift;
            shifted <= 0
        })
    };
    assert!((0..200).all(|n| holds(&power_of_ten(n))));
    assert!(!holds(&Rational::new()));

    // Its nearest curves of two laws: f(0) = 1 and almost nothing to the right. Their distance is not 0.
    let near = Pair::of(&[(1, 1_000_000), (999_999, 1_000_000)], &[(1, 1), (0, 1)]);
    let open = Pair::blatantly_non_private();
    let found = symmetric(&near.curve(), &open.curve()).unwrap();
    assert_eq!(found.value, fraction(1, 1_000_001));
}

/// f(0) < 1 alone is harmless: the curve is continuous from the right, the infimum is attained, points are separated.
#[test]
fn infinite_loss_keeps_the_infimum() {
    let found = symmetric(&low().curve(), &steep().curve()).unwrap();
    assert_eq!(found.value, fraction(1, 6));
    let almost = Pair::of(
        &[(1, 1), (0, 1)],
        &[(500_000, 1_000_000), (500_000, 1_000_000)],
    );
    assert_eq!(symmetric(&low().curve(), &almost.curve()).unwrap().value, 0);
    let nudged = Pair::of(
        &[(1, 1), (0, 1)],
        &[(499_999, 1_000_000), (500_001, 1_000_000)],
    );
    assert!(symmetric(&low().curve(), &nudged.curve()).unwrap().value > 0);
}

/// The argument of [K24] Lemmas 3 and 4, "both maxima are at π = ½". Without symmetry they are not; and with symmetry
/// the largest difference of two Bayes errors may be anywhere.
#[test]
fn maxima_need_not_be_at_one_half() {
    let half = fraction(1, 2);
    let (a, b) = (steep(), low());
    assert_eq!(a.bayes_error(&half), fraction(1, 4));
    assert_eq!(a.bayes_error(&fraction(2, 3)), fraction(1, 3));
    assert_eq!(b.bayes_error(&fraction(1, 3)), fraction(1, 3));
    // Equal at ½, and still Δ = 1/6 both ways.
    assert_eq!(a.bayes_error(&half), b.bayes_error(&half));
    assert_eq!(regret(&a, &b), fraction(1, 6));
    assert_eq!(regret(&b, &a), fraction(1, 6));

    // Symmetric curves, both errors largest at ½ and equal there: randomised response against mass at infinity.
    let response = Pair::of(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
    let erased = Pair::of(&[(1, 2), (1, 2), (0, 1)], &[(1, 2), (0, 1), (1, 2)]);
    for pair in [&response, &erased] {
        assert_eq!(pair.curve(), pair.swapped().curve());
        assert_eq!(pair.bayes_error(&half), pair.curve().minimax_risk());
    }
    assert_eq!(response.bayes_error(&half), erased.bayes_error(&half));
    let found = divergence(&response.curve(), &erased.curve()).unwrap();
    assert_eq!((found.value, found.prior), (fraction(1, 8), fraction(3, 4)));
}

/// [K24] writes TV = min over α of 1 − α − f(α): that is 0 for every mechanism.
#[test]
fn total_variation_is_a_maximum() {
    let polygon = steep().polygon();
    let gap = |alpha: &Rational| 1 - polygon.at(alpha) - alpha;
    assert_eq!(gap(&fraction(1, 1)), 0);
    assert_eq!(gap(&fraction(1, 2)), steep().total_variation());
}

/// Curves of some thousand vertices are compared in one pass, with all cross-checks.
#[test]
fn large_curves_are_compared() {
    let curve = |ratio: u32| -> ExactCurve {
        let weights: Vec<u32> = (1..=2500).collect();
        let total: u32 = weights.iter().sum();
        let p: Vec<Rational> = weights
            .iter()
            .map(|w| Rational::from((*w, total)))
            .collect();
        let q: Vec<Rational> = (0..2500u32)
            .map(|place| p[usize::try_from((place * ratio + 1) % 2500).unwrap()].clone())
            .collect();
        Pair { p, q }.curve()
    };
    let (a, b) = (curve(3), curve(7));
    assert!(a.vertices().len() > 1000 && b.vertices().len() > 1000);
    let found = symmetric(&a, &b).unwrap();
    assert_eq!(
        found.value,
        (a.bayes_error(&found.prior) - b.bayes_error(&found.prior)).abs()
    );
}
