//! f, δ and R turned into one another: [K24] equation 4, the conjugate, the swapped pair, both directions together.

use dpcmp::bounds::exact::ExactCurve;
use dpcmp::bounds::exact_divergence::{BlackwellOrder, divergence, order, symmetric};
use dpcmp::mechanism::Adjacency;
use rug::Rational;

use crate::campaign::{Outcome, require, require_equal, theorems};
use crate::definition::Pair;
use crate::trial::{Mechanisms, Size, Trial};

theorems! {
    /// [K24] equations 2 and 4, and δ = 1 + f*(−u).
    conversions_lose_nothing in 2_000 cases, ["f(0) = 1", "f(0) < 1"];
    /// δ of (Q, P).
    swapped_pair in 2_000 cases, ["symmetric", "not symmetric"];
    /// Add-remove adjacency.
    both_directions in 2_000 cases, ["one direction is enough", "both are needed"];
}

/// u/(1 + u).
fn prior(odds: &Rational) -> Rational {
    odds / Rational::from(1 + odds)
}

/// f from R (equation 4), δ from f, R from δ, and the crate's answers from the definitions.
fn conversions_lose_nothing(trial: &Trial) -> Outcome {
    let Mechanisms { a, .. } = trial.mechanisms(Size::Full);
    let (curve, f) = (a.curve(), a.polygon());
    let [share, other] = trial.shares();
    let mut odds = a.ratios();
    odds.extend([Rational::from(1), other.clone()]);
    for u in &odds {
        let delta = a.delta(u);
        require_equal!(curve.delta(u), delta, "the crate's δ");
        let above = |(alpha, beta): &(Rational, Rational)| 1 - Rational::from(u * alpha) - beta;
        let conjugate = f.points().iter().map(above).max();
        require_equal!(Some(&delta), conjugate.as_ref(), "1 + f*(−u)");
        let error = a.bayes_error(&prior(u));
        require_equal!(
            curve.bayes_error(&prior(u)),
            error,
            "the crate's Bayes error"
        );
        require_equal!((1 - prior(u)) * (1 - delta), error, "(1 − π)(1 − δ)");
    }
    let line = |prior: &Rational, alpha: &Rational| {
        (a.bayes_error(prior) - Rational::from(prior * alpha)) / Rational::from(1 - prior)
    };
    let mut priors = a.kinks();
    priors.push(Rational::new());
    for alpha in f.alphas().chain([&share]) {
        let value = f.at(alpha);
        require_equal!(curve.tradeoff(alpha), value, "the crate's f");
        let largest = priors.iter().map(|prior| line(prior, alpha)).max();
        require_equal!(Some(&value), largest.as_ref(), "f from R");
        require!(
            other == 1 || line(&other, alpha) <= value,
            "R above its curve"
        );
    }
    let starts_at_one = f.at(&Rational::new()) == 1;
    Ok(if starts_at_one {
        "f(0) = 1"
    } else {
        "f(0) < 1"
    })
}

/// δ_(Q,P)(u) = 1 − u + u·δ_(P,Q)(1/u), R_(Q,P)(π) = R_(P,Q)(1 − π), and f⁻¹.
fn swapped_pair(trial: &Trial) -> Outcome {
    let Mechanisms { a, .. } = trial.mechanisms(Size::Full);
    let (forth, back) = (a.curve(), ExactCurve::new(&a.p, &a.q, Adjacency::Add));
    let reverse = a.swapped();
    let mut odds = [a.ratios(), reverse.ratios()].concat();
    odds.extend(trial.shares().into_iter().filter(|share| *share > 0));
    for u in &odds {
        let mirrored = u.clone().recip();
        let expected = forth.delta(&mirrored) * u + (1 - u.clone());
        require_equal!(back.delta(u), expected, "δ of the swapped pair");
        require_equal!(
            reverse.delta(u),
            expected,
            "δ of the swapped pair, by definition"
        );
        let error = forth.bayes_error(&(1 - prior(u)));
        require_equal!(back.bayes_error(&prior(u)), error, "R of the swapped pair");
    }
    let f = a.polygon();
    for (alpha, _) in reverse.polygon().points() {
        let beta = back.tradeoff(alpha);
        require!(f.at(&beta) <= *alpha, "f⁻¹ is too low");
        let lower = &beta * (1 - (Rational::from(1) >> 80));
        require!(beta == 0 || f.at(&lower) > *alpha, "f⁻¹ is too high");
    }
    Ok(if forth == back {
        "symmetric"
    } else {
        "not symmetric"
    })
}

/// Add-remove: δ is the larger, R the smaller of both; f is below both, symmetric, and no larger one is convex; the
/// divergence is the largest excess of such Bayes errors.
fn both_directions(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let hull = |pair: &Pair| ExactCurve::new(&pair.p, &pair.q, Adjacency::AddRemove);
    let (both, forth, back) = (hull(&a), a.curve(), a.swapped().curve());
    require_equal!(both, hull(&a.swapped()), "symmetry");
    for one_way in [&forth, &back] {
        let found = order(&both, one_way);
        require!(
            matches!(found, BlackwellOrder::Equal | BlackwellOrder::ADominates),
            "{found:?}"
        );
    }
    for vertex in both.vertices() {
        let lower = forth
            .tradeoff(&vertex.alpha)
            .min(back.tradeoff(&vertex.alpha));
        require_equal!(vertex.beta, lower, "a vertex of the hull");
    }
    let error = |pair: &Pair, prior: &Rational| {
        let mirrored = Rational::from(1 - prior);
        pair.bayes_error(prior).min(pair.bayes_error(&mirrored))
    };
    let mut priors = a.kinks();
    priors.extend(trial.shares());
    for prior in &priors {
        require_equal!(
            both.bayes_error(prior),
            error(&a, prior),
            "the smaller Bayes error"
        );
        if *prior < 1 {
            let u = prior / Rational::from(1 - prior);
            let larger = a.delta(&u).max(a.swapped().delta(&u));
            require_equal!(both.delta(&u), larger, "the larger δ");
        }
    }
    let of_b = hull(&b);
    let found = divergence(&both, &of_b).map_err(|e| e.to_string())?;
    let gap = |prior: &Rational| error(&a, prior) - error(&b, prior);
    require_equal!(found.value, gap(&found.prior), "the excess at the prior");
    require!(
        priors.iter().all(|prior| gap(prior) <= found.value),
        "a larger excess"
    );
    let distance = symmetric(&both, &of_b).map_err(|e| e.to_string())?.value;
    require!(
        distance >= found.value,
        "the distance is below a divergence"
    );
    // The hull brings directions nearer: min is a contraction.
    let apart = symmetric(&forth, &b.curve())
        .map_err(|e| e.to_string())?
        .value;
    require!(
        distance <= apart,
        "the hulls are farther apart than the curves"
    );
    Ok(if both == forth || both == back {
        "one direction is enough"
    } else {
        "both are needed"
    })
}
