//! [K24] Lemma B.2: Gaussian mechanisms are ordered by μ.

use dpcmp::kernel::{Interval, Point, Profile, normal};
use dpcmp::mechanism::gaussian::Gaussian;
use rug::Rational;

use crate::campaign::{Outcome, require, theorems};
use crate::trial::Trial;

const BITS: u32 = 256;

theorems! {
    /// [K24] Lemma B.2.
    lemma_b_2 in 400 cases, ["near", "far"];
}

/// μ < μ̃ implies δ_μ < δ_μ̃ at every ε and G_μ > G_μ̃ inside (0, 1): the enclosures do not even touch.
fn lemma_b_2(trial: &Trial) -> Outcome {
    let [first, second] = trial.shares();
    let [smaller, larger] = if first <= second {
        [first, second]
    } else {
        [second, first]
    };
    // μ in [1/8, 6]; ε in [−5μ, 5μ], as farther out δ differs from its limits by less than the precision; α in (0, 1).
    let mu = |share: &Rational| Rational::from((1, 8)) + Rational::from((47, 8)) * share;
    let (low, high) = (mu(&smaller), mu(&larger));
    let difference = Rational::from(&high - &low);
    for step in -5..=5 {
        let epsilon = Rational::from(step) * &low;
        let at = |mu: &Rational| {
            let point = Point::at_epsilon(&epsilon, BITS);
            Gaussian::from_mu(mu).at(&point).delta
        };
        let alpha = Rational::from((step + 6, 12));
        let errors = |mu: &Rational| {
            let complement = Interval::from_rational(&Rational::from(1 - &alpha), BITS);
            let shift = Interval::from_rational(mu, BITS);
            normal::cdf(&normal::quantile(&complement).sub(&shift))
        };
        if difference == 0 {
            require!(!at(&low).certainly_lt(&at(&high)), "δ of the same μ");
            require!(
                !errors(&high).certainly_lt(&errors(&low)),
                "f of the same μ"
            );
        } else {
            require!(
                at(&low).certainly_lt(&at(&high)),
                "δ at ε = {epsilon}: {low}, {high}"
            );
            require!(
                errors(&high).certainly_lt(&errors(&low)),
                "f at α = {alpha}: {low}, {high}"
            );
        }
    }
    Ok(if difference == 0 {
        "equal"
    } else if difference < Rational::from((1, 100)) {
        "near"
    } else {
        "far"
    })
}
