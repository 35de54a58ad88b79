//! Comparisons with the extremes: [K24] Lemmas 3, 4 and 5.

use rug::Rational;

use crate::campaign::{Outcome, require, require_equal, theorems};
use crate::definition::{Pair, Polygon, fraction};
use crate::divergence::regret;
use crate::trial::{Mechanisms, Size, Trial};

theorems! {
    /// [K24] Lemma 3.
    lemma_3 in 2_000 cases, ["none", "some", "all"];
    /// [K24] Lemma 4.
    lemma_4 in 2_000 cases, ["at ½", "elsewhere"];
    /// [K24] Lemma 5, as it is true.
    lemma_5 in 2_000 cases, ["½, symmetric", "½, not symmetric", "more than ½"];
}

/// Δ(PP‖M) = ½·TV = ½·δ(0) = ½·max_α (1 − α − f(α)); the maximum, as the minimum is always 0 (at α = 1).
fn lemma_3(trial: &Trial) -> Outcome {
    let Mechanisms { a, .. } = trial.mechanisms(Size::Full);
    let found = regret(&Pair::perfectly_private(), &a)?.value * 2;
    let distance = a.total_variation();
    require_equal!(found, distance, "total variation");
    require_equal!(found, a.delta(&Rational::from(1)), "δ(0)");
    require_equal!(found, a.curve().advantage(), "the crate's advantage");
    let above = |(alpha, beta): &(Rational, Rational)| 1 - Rational::from(alpha + beta);
    let polygon = a.polygon();
    let gaps = polygon.points().iter().map(above);
    require_equal!(Some(found), gaps.clone().max(), "largest 1 − α − f(α)");
    require_equal!(Some(Rational::new()), gaps.min(), "least 1 − α − f(α)");
    Ok(if distance == 0 {
        "none"
    } else if distance == 1 {
        "all"
    } else {
        "some"
    })
}

/// Δ(M‖BNP) = R* = α*, the one point with f(α*) = α*; R* is attained at some prior, ½ or not.
fn lemma_4(trial: &Trial) -> Outcome {
    let Mechanisms { a, .. } = trial.mechanisms(Size::Full);
    let found = regret(&a, &Pair::blatantly_non_private())?.value;
    require_equal!(a.polygon().at(&found), found, "the fixed point");
    let largest = a.kinks().iter().map(|prior| a.bayes_error(prior)).max();
    require_equal!(found, largest.unwrap_or_default(), "largest Bayes error");
    require_equal!(found, a.curve().minimax_risk(), "the crate's minimax risk");
    let at_half = a.bayes_error(&fraction(1, 2));
    Ok(if at_half == found {
        "at ½"
    } else {
        "elsewhere"
    })
}

/// Δ(PP‖M) + Δ(M‖BNP) ≥ ½, with equality if and only if −1 is a subgradient of f at the fixed point; so for every
/// symmetric f, and for some others.
fn lemma_5(trial: &Trial) -> Outcome {
    let Mechanisms { a, .. } = trial.mechanisms(Size::Full);
    let fixed = regret(&a, &Pair::blatantly_non_private())?.value;
    let sum = regret(&Pair::perfectly_private(), &a)?.value + &fixed;
    require!(sum >= fraction(1, 2), "the sum is {sum}");
    let is_half = sum == fraction(1, 2);
    let (before, after) = slopes(&a.polygon(), &fixed);
    let is_subgradient = before.is_none_or(|slope| slope <= -1) && after >= -1;
    require_equal!(is_half, is_subgradient, "sum ½ and −1 a subgradient");
    let is_symmetric = a.curve() == a.swapped().curve();
    require!(is_half || !is_symmetric, "a symmetric curve with sum {sum}");
    Ok(match (is_half, is_symmetric) {
        (true, true) => "½, symmetric",
        (true, false) => "½, not symmetric",
        _ => "more than ½",
    })
}

/// The slopes of f to the left of α (`None`: α = 0, where every slope will do) and to the right.
fn slopes(f: &Polygon, alpha: &Rational) -> (Option<Rational>, Rational) {
    let edges = f.points().windows(2).filter(|edge| edge[0].0 < edge[1].0);
    let slope = |edge: &[(Rational, Rational)]| {
        let rise = Rational::from(&edge[1].1 - &edge[0].1);
        rise / Rational::from(&edge[1].0 - &edge[0].0)
    };
    let before = edges
        .clone()
        .find(|edge| edge[0].0 < *alpha && *alpha <= edge[1].0);
    let after = edges
        .clone()
        .find(|edge| edge[0].0 <= *alpha && *alpha < edge[1].0);
    (before.map(slope), after.map_or_else(Rational::new, slope))
}
