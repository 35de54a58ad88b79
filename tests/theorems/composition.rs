//! Composition keeps the Blackwell order (Torgersen 1991; [K24] §4), on exact products.

use dpcmp::bounds::exact_divergence::{BlackwellOrder, divergence, order};
use rug::Rational;

use crate::campaign::{Outcome, require, require_equal, theorems};
use crate::trial::{Mechanisms, Size, Trial};

theorems! {
    /// A ≥ B implies A ⊗ C ≥ B ⊗ C.
    composition_keeps_the_order in 2_000 cases, ["equal", "dominates", "incomparable"];
    /// A ≥ B implies A ⊗ A ≥ B ⊗ B.
    powers_keep_the_order in 2_000 cases, ["equal", "dominates", "incomparable"];
    /// Processing makes dominated mechanisms; so does leaving out a component.
    processing_is_dominated in 2_000 cases, ["equal", "dominates"];
}

/// What A ≥ B or B ≥ A makes of the composed pair; nothing follows from incomparable ones.
fn kept(before: &BlackwellOrder, after: &BlackwellOrder) -> Outcome {
    match before {
        BlackwellOrder::Equal => {
            require_equal!(*after, BlackwellOrder::Equal, "composed equals");
            Ok("equal")
        }
        BlackwellOrder::ADominates => {
            require!(
                matches!(after, BlackwellOrder::Equal | BlackwellOrder::ADominates),
                "{after:?}"
            );
            Ok("dominates")
        }
        BlackwellOrder::BDominates => {
            require!(
                matches!(after, BlackwellOrder::Equal | BlackwellOrder::BDominates),
                "{after:?}"
            );
            Ok("dominates")
        }
        BlackwellOrder::Incomparable { .. } => Ok("incomparable"),
    }
}

fn composition_keeps_the_order(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, c } = trial.mechanisms(Size::Small);
    let before = order(&a.curve(), &b.curve());
    let (ac, bc) = (a.product(&c).curve(), b.product(&c).curve());
    require_equal!(ac, c.product(&a).curve(), "the order of the factors");
    kept(&before, &order(&ac, &bc))
}

fn powers_keep_the_order(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Small);
    let before = order(&a.curve(), &b.curve());
    kept(
        &before,
        &order(&a.product(&a).curve(), &b.product(&b).curve()),
    )
}

/// A against A mixed with perfect privacy (subsampling of its Q), and A ⊗ C against A.
fn processing_is_dominated(trial: &Trial) -> Outcome {
    let Mechanisms { a, c, .. } = trial.mechanisms(Size::Small);
    let [rate, _] = trial.shares();
    let mut rarely = a.clone();
    for (p, q) in rarely.p.iter().zip(&mut rarely.q) {
        *q = Rational::from(&*q * &rate) + p * Rational::from(1 - &rate);
    }
    let (whole, rarely) = (a.curve(), rarely.curve());
    let found = order(&whole, &rarely);
    require!(
        matches!(found, BlackwellOrder::Equal | BlackwellOrder::ADominates),
        "sampled: {found:?}"
    );
    let found = order(&a.product(&c).curve(), &whole);
    require!(
        matches!(found, BlackwellOrder::Equal | BlackwellOrder::ADominates),
        "composed: {found:?}"
    );
    // R' − R ≤ (1 − π)·TV(Q', Q), and Q' = rate·Q + (1 − rate)·P.
    let regret = divergence(&rarely, &whole)
        .map_err(|e| e.to_string())?
        .value;
    require!(
        regret <= (1 - rate) * a.total_variation(),
        "regret {regret}"
    );
    Ok(if found == BlackwellOrder::Equal {
        "equal"
    } else {
        "dominates"
    })
}
