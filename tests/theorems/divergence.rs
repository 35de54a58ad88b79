//! Δ-divergence: [K24] Theorem 2, Corollaries 1 and 2, Lemmas 1 and B.3, the Lévy distance, and [G25] Proposition 4.1.

use dpcmp::bounds::exact_divergence::{
    BlackwellOrder, ExactDivergence, divergence, order, symmetric,
};
use rug::Rational;

use crate::campaign::{Outcome, require, require_equal, theorems};
use crate::definition::{Pair, Polygon, fraction};
use crate::trial::{Mechanisms, Size, Trial};

theorems! {
    /// [K24] Theorem 2.
    theorem_2 in 2_000 cases, ["dominated", "regret"];
    /// [K24] Corollary 1.
    corollary_1 in 2_000 cases, ["dominated", "regret"];
    /// [K24] Corollary 2 and Lemma B.3.
    corollary_2 in 2_000 cases, ["equal", "apart"];
    /// [K24] Lemma 1.
    lemma_1 in 2_000 cases, ["equal", "apart"];
    /// [K24] Appendix B.2.
    levy_distance in 2_000 cases, ["equal", "apart", "apart, with jumps"];
    /// [G25] Proposition 4.1.
    advantages_are_twice_as_near in 2_000 cases, ["equal", "strictly", "attained"];
}

pub fn regret(a: &Pair, b: &Pair) -> Result<ExactDivergence, String> {
    divergence(&a.curve(), &b.curve()).map_err(|e| e.to_string())
}

fn distance(a: &Pair, b: &Pair) -> Result<Rational, String> {
    let found = symmetric(&a.curve(), &b.curve()).map_err(|e| e.to_string())?;
    Ok(found.value)
}

/// A little less than 1.
fn almost() -> Rational {
    1 - (Rational::from(1) >> 80)
}

/// For any 𝔇, at Δ, just below and above it: the three clauses hold if and only if Δ ≤ 𝔇. That Definition 1 holds at
/// 𝔇 = Δ also says that its infimum is attained, at f(0) < 1 too.
fn theorem_2(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let regret = regret(&a, &b)?.value;
    let below = &regret * almost();
    let above = &regret + (1 - almost());
    let [random, other] = trial.shares();
    let (f, g) = (a.polygon(), b.polygon());
    for allowed in [regret.clone(), below, above, random / 2] {
        let expected = regret <= allowed;
        let by_errors = shifted_below(&f, &g, &allowed);
        require_equal!(by_errors, expected, format!("clause 1 at {allowed}"));
        let mut odds = [a.ratios(), b.ratios(), vec![Rational::from(1)]].concat();
        if other > 0 {
            odds.push(other.clone());
        }
        let by_profiles = odds.iter().all(|u| {
            let slack = Rational::from(1 + u) * &allowed;
            a.delta(u) + slack >= b.delta(u)
        });
        require_equal!(by_profiles, expected, format!("clause 2 at {allowed}"));
        let by_bayes = [a.kinks(), b.kinks(), vec![other.clone()]]
            .concat()
            .iter()
            .all(|prior| a.bayes_error(prior) - b.bayes_error(prior) <= allowed);
        require_equal!(by_bayes, expected, format!("clause 3 at {allowed}"));
    }
    Ok(if regret == 0 { "dominated" } else { "regret" })
}

/// f(α + κ) − κ ≤ g(α) for every real α: at each vertex of either side, and at both ends.
fn shifted_below(f: &Polygon, g: &Polygon, shift: &Rational) -> bool {
    let of_f = f.alphas().map(|alpha| Rational::from(alpha - shift));
    let mut alphas = of_f.chain(g.alphas().cloned());
    alphas.all(|alpha| f.at(&Rational::from(&alpha + shift)) - shift <= g.at(&alpha))
}

/// Δ = max_π R − R̃ = sup_ε (δ̃ − δ)/(1 + e^ε), each over all places where it can be attained; in [0, ½], and at the
/// prior that is named.
fn corollary_1(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let found = regret(&a, &b)?;
    let gap = |prior: &Rational| a.bayes_error(prior) - b.bayes_error(prior);
    let kinks = [a.kinks(), b.kinks(), vec![Rational::new()]].concat();
    let by_bayes = kinks.iter().map(gap).max();
    require_equal!(
        Some(&found.value),
        by_bayes.as_ref(),
        "largest excess of the Bayes error"
    );
    require_equal!(found.value, gap(&found.prior), "excess at the prior");
    // A quotient of linear functions of u is monotone between the ratios, and the limits at both ends are 0.
    let by_profiles = [a.ratios(), b.ratios()]
        .concat()
        .iter()
        .map(|u| (b.delta(u) - a.delta(u)) / Rational::from(1 + u))
        .fold(Rational::new(), Ord::max);
    require_equal!(found.value, by_profiles, "largest (δ̃ − δ)/(1 + u)");
    require!(
        found.value >= 0 && found.value <= fraction(1, 2),
        "Δ = {}",
        found.value
    );
    require!(
        gap(&trial.shares()[0]) <= found.value,
        "a larger excess elsewhere"
    );
    if found.value == 0 {
        require_equal!(found.prior, 0, "the prior without regret");
        return Ok("dominated");
    }
    Ok("regret")
}

/// Δ↔ is a metric on curves; Δ satisfies the triangle inequality in the order of its arguments.
fn corollary_2(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, c } = trial.mechanisms(Size::Full);
    let [ab, bc, ac] = [distance(&a, &b)?, distance(&b, &c)?, distance(&a, &c)?];
    require_equal!(distance(&a, &a)?, 0, "distance to itself");
    require_equal!(ab, distance(&b, &a)?, "symmetry");
    require!(ac <= Rational::from(&ab + &bc), "triangle by way of B");
    require!(ab <= Rational::from(&ac + &bc), "triangle by way of C");
    require!(bc <= Rational::from(&ab + &ac), "triangle by way of A");
    for [x, y, z] in [[&a, &b, &c], [&b, &c, &a], [&c, &a, &b], [&c, &b, &a]] {
        let around = regret(x, y)?.value + regret(y, z)?.value;
        require!(regret(x, z)?.value <= around, "directed triangle");
    }
    let (f, g) = (a.polygon(), b.polygon());
    let is_same = f
        .alphas()
        .chain(g.alphas())
        .all(|alpha| f.at(alpha) == g.at(alpha));
    require_equal!(ab == 0, is_same, "distance 0 and equal curves");
    require_equal!(
        is_same,
        order(&a.curve(), &b.curve()) == BlackwellOrder::Equal,
        "equal in order"
    );
    require_equal!(is_same, a.curve() == b.curve(), "equal vertices");
    Ok(if is_same { "equal" } else { "apart" })
}

/// f(α + Δ↔) − Δ↔ ≤ f̃(α) ≤ f(α − Δ↔) + Δ↔ for every real α, and not for any smaller distance.
fn lemma_1(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let distance = distance(&a, &b)?;
    let (f, g) = (a.polygon(), b.polygon());
    let holds = |d: &Rational| {
        let right = f.alphas().map(|alpha| Rational::from(alpha + d));
        let left = f.alphas().map(|alpha| Rational::from(alpha - d));
        let beside = [Rational::from((-1, 1000)), Rational::from((1001, 1000))];
        let mut alphas = right.chain(left).chain(g.alphas().cloned()).chain(beside);
        alphas.all(|alpha| {
            let middle = g.at(&alpha);
            f.at(&Rational::from(&alpha + d)) - d <= middle
                && middle <= f.at(&Rational::from(&alpha - d)) + d
        })
    };
    require!(holds(&distance), "equation 7 fails at {distance}");
    if distance == 0 {
        return Ok("equal");
    }
    require!(!holds(&(&distance * almost())), "equation 7 holds below");
    Ok("apart")
}

/// inf{κ : F(x − κ) − κ ≤ G(x) ≤ F(x + κ) + κ for every x}, for the CDFs x ↦ f(1 − x), is Δ↔ = max{Δ, Δ reversed}, also
/// where F jumps at 1 because f(0) < 1. Every x is looked at from the left and from the right.
fn levy_distance(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let (forth, back) = (regret(&a, &b)?.value, regret(&b, &a)?.value);
    let distance = distance(&a, &b)?;
    require_equal!(distance, forth.max(back), "the larger of both divergences");
    let (f, g) = (a.polygon(), b.polygon());
    let holds = |k: &Rational| {
        let places = f.alphas().flat_map(|alpha| {
            let x = Rational::from(1 - alpha);
            [Rational::from(&x + k), x - k]
        });
        let mut places = places.chain(g.alphas().map(|alpha| Rational::from(1 - alpha)));
        places.all(|x| {
            let (before, after) = (Rational::from(&x - k), Rational::from(&x + k));
            [from_the_left, from_the_right].iter().all(|cdf| {
                let middle = cdf(&g, &x);
                cdf(&f, &before) - k <= middle && middle <= cdf(&f, &after) + k
            })
        })
    };
    require!(holds(&distance), "the bounds fail at {distance}");
    if distance == 0 {
        return Ok("equal");
    }
    require!(!holds(&(&distance * almost())), "the bounds hold below");
    let jumps = f.at(&Rational::new()) < 1 && g.at(&Rational::new()) < 1;
    Ok(if jumps { "apart, with jumps" } else { "apart" })
}

/// The distribution function: F(x) for x ≤ 0 is 0, for x ≥ 1 it is 1.
fn from_the_right(f: &Polygon, x: &Rational) -> Rational {
    if *x >= 1 {
        return Rational::from(1);
    }
    f.at(&Rational::from(1 - x))
}

/// Its limit from the left.
fn from_the_left(f: &Polygon, x: &Rational) -> Rational {
    f.at(&Rational::from(1 - x))
}

/// |η(f) − η(f̃)| ≤ 2Δ↔, η the total variation.
fn advantages_are_twice_as_near(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let difference = (a.total_variation() - b.total_variation()).abs();
    let bound = distance(&a, &b)? * 2;
    require!(difference <= bound, "{difference} is above {bound}");
    Ok(match (bound == 0, difference == bound) {
        (true, _) => "equal",
        (_, true) => "attained",
        _ => "strictly",
    })
}
