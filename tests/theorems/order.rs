//! Blackwell order: [K24] Theorem 1, crossings, and Lemma 2.

use dpcmp::bounds::exact_divergence::{BlackwellOrder, crossings, divergence, order};
use rug::Rational;

use crate::campaign::{Outcome, require, require_equal, theorems};
use crate::definition::Pair;
use crate::trial::{Mechanisms, Size, Trial};

theorems! {
    /// [K24] Theorem 1.
    theorem_1 in 2_000 cases, ["equal", "A dominates", "B dominates", "incomparable"];
    /// Signs of f − f̃ between and at the crossings.
    crossings_separate_signs in 2_000 cases, ["none", "one", "several", "a shared segment"];
    /// [K24] Lemma 2.
    lemma_2 in 2_000 cases, ["perfectly private", "blatantly non-private", "between"];
}

/// f ≤ f̃ at every α, δ ≥ δ̃ at every ε, R ≤ R̃ at every π: three times the same answer, which is the crate's.
fn theorem_1(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let ordered = all_clauses(&a, &b, &trial.shares()[0])?;
    let reverse = all_clauses(&b, &a, &trial.shares()[0])?;
    let (of_a, of_b) = (a.curve(), b.curve());
    let regret = divergence(&of_a, &of_b).map_err(|e| e.to_string())?.value;
    require_equal!(regret == 0, ordered, "no regret if and only if A dominates");
    let found = order(&of_a, &of_b);
    let situation = match (ordered, reverse) {
        (true, true) => "equal",
        (true, false) => "A dominates",
        (false, true) => "B dominates",
        (false, false) => "incomparable",
    };
    let named = match &found {
        BlackwellOrder::Equal => "equal",
        BlackwellOrder::ADominates => "A dominates",
        BlackwellOrder::BDominates => "B dominates",
        BlackwellOrder::Incomparable { .. } => "incomparable",
    };
    require_equal!(named, situation, "the order");
    require_equal!(
        ordered || reverse,
        crossings(&of_a, &of_b).is_empty(),
        "crossings"
    );
    if let BlackwellOrder::Incomparable { a_below, b_below } = found {
        for gap in [&a_below, &b_below] {
            require_equal!(gap.a, a.polygon().at(&gap.alpha), "f at the witness");
            require_equal!(gap.b, b.polygon().at(&gap.alpha), "f̃ at the witness");
        }
        require!(a_below.a < a_below.b, "A is not below at its witness");
        require!(b_below.b < b_below.a, "B is not below at its witness");
    }
    Ok(situation)
}

/// All three clauses for "A dominates B", at every place where a difference can change its slope and at one more.
fn all_clauses(a: &Pair, b: &Pair, share: &Rational) -> Result<bool, String> {
    let (f, g) = (a.polygon(), b.polygon());
    let mut alphas = f.alphas().chain(g.alphas()).chain([share]);
    let by_errors = alphas.all(|alpha| f.at(alpha) <= g.at(alpha));
    // Both profiles are 1 at u = 0, and constant to the right of their last ratio.
    let mut odds = [a.ratios(), b.ratios(), vec![Rational::from(1)]].concat();
    if *share > 0 {
        odds.extend([share.clone(), share.clone().recip()]);
    }
    let by_profiles = odds.iter().all(|u| a.delta(u) >= b.delta(u));
    let priors = [a.kinks(), b.kinks(), vec![share.clone()]].concat();
    let by_bayes = priors
        .iter()
        .all(|prior| a.bayes_error(prior) <= b.bayes_error(prior));
    require!(
        by_errors == by_profiles && by_profiles == by_bayes,
        "errors {by_errors}, profiles {by_profiles}, Bayes errors {by_bayes}"
    );
    Ok(by_errors)
}

/// Left of a crossing one curve is strictly below, right of it the other one; on it they meet; between crossings the
/// sign does not change.
fn crossings_separate_signs(trial: &Trial) -> Outcome {
    let Mechanisms { a, b, .. } = trial.mechanisms(Size::Full);
    let (f, g) = (a.polygon(), b.polygon());
    let found = crossings(&a.curve(), &b.curve());
    let sign = |alpha: &Rational| f.at(alpha).cmp(&g.at(alpha));
    let mut alphas: Vec<Rational> = f.alphas().chain(g.alphas()).cloned().collect();
    for crossing in &found {
        require_equal!(
            crossing.meet.beta,
            f.at(&crossing.meet.alpha),
            "f where they meet"
        );
        require_equal!(
            crossing.meet.beta,
            g.at(&crossing.meet.alpha),
            "f̃ where they meet"
        );
        require_equal!(
            crossing.part.beta,
            f.at(&crossing.part.alpha),
            "f where they part"
        );
        require_equal!(
            crossing.part.beta,
            g.at(&crossing.part.alpha),
            "f̃ where they part"
        );
        require!(
            crossing.meet.alpha <= crossing.part.alpha,
            "parted before they met"
        );
        alphas.extend([crossing.meet.alpha.clone(), crossing.part.alpha.clone()]);
    }
    alphas.sort();
    alphas.dedup();
    // Strict signs between neighbours, in order, with repetitions left out, change once per crossing.
    let mut strict = Vec::new();
    for pair in alphas.windows(2) {
        let middle = Rational::from(&pair[0] + &pair[1]) / 2;
        let sign = sign(&middle);
        let inside = found
            .iter()
            .any(|c| c.meet.alpha < middle && middle < c.part.alpha);
        require!(
            !inside || sign.is_eq(),
            "the curves differ inside a crossing"
        );
        if sign.is_ne() && strict.last() != Some(&(sign, middle.clone())) {
            strict.push((sign, middle));
        }
    }
    let changes: Vec<_> = strict
        .windows(2)
        .filter(|two| two[0].0 != two[1].0)
        .collect();
    require_equal!(changes.len(), found.len(), "changes of sign");
    for (change, crossing) in changes.iter().zip(&found) {
        let is_between = change[0].1 < crossing.meet.alpha && crossing.part.alpha < change[1].1;
        require!(is_between, "the change of sign is elsewhere");
    }
    Ok(match found.len() {
        0 => "none",
        _ if found.iter().any(|c| c.meet != c.part) => "a shared segment",
        1 => "one",
        _ => "several",
    })
}

/// Every mechanism dominates perfect privacy and is dominated by none; equality only for P = Q and disjoint laws.
fn lemma_2(trial: &Trial) -> Outcome {
    let Mechanisms { a, .. } = trial.mechanisms(Size::Full);
    let private = order(&a.curve(), &Pair::perfectly_private().curve());
    let open = order(&Pair::blatantly_non_private().curve(), &a.curve());
    let distance = a.total_variation();
    let (least, most) = (distance == 0, distance == 1);
    let expected = |is_equal| {
        if is_equal {
            BlackwellOrder::Equal
        } else {
            BlackwellOrder::ADominates
        }
    };
    require_equal!(private, expected(least), "against perfect privacy");
    require_equal!(open, expected(most), "against blatant non-privacy");
    Ok(match (least, most) {
        (true, _) => "perfectly private",
        (_, true) => "blatantly non-private",
        _ => "between",
    })
}
