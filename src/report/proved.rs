//! What a verdict says, in words for people who read no formulas, and in one formula.

use crate::input::{ClaimEntry, GdpForm};
use crate::mechanism::{Adjacency, Orders};
use crate::statement::StatedClaim;
use crate::verdict::{Outcome, Verdict};

/// Words and a formula. P is the law of the outputs without the record, Q with it.
pub fn proved(entry: &ClaimEntry, adjacency: Adjacency, verdict: &Verdict) -> (String, String) {
    let (meaning, formula) = meaning(entry, adjacency);
    let words = if verdict.vacuous {
        format!("This is true of every mechanism, so it says nothing about this one: {meaning}")
    } else {
        match &verdict.outcome {
            Outcome::Verified { .. } => format!("Proved: {meaning}"),
            Outcome::Refuted(_) => format!("Proved to be false: {meaning}"),
            Outcome::Undecided(_) => format!("Neither proved nor refuted: {meaning}"),
        }
    };
    let formula = match &verdict.outcome {
        Outcome::Verified { .. } => formula,
        Outcome::Refuted(_) => format!("not: {formula}"),
        Outcome::Undecided(_) => format!("open: {formula}"),
    };
    (words, formula)
}

/// What an attacker wants to tell.
pub fn to_tell(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::AddRemove | Adjacency::Remove | Adjacency::Add => "whether a record was used",
        Adjacency::ReplaceOne => "which of two records was used",
        Adjacency::ReplaceSpecial => "whether a record was used, or an empty one in its place",
    }
}

/// What the errors of an attack are called: the size of a test and its power, whose null hypothesis is the second law where a record is added.
pub fn rates(adjacency: Adjacency) -> [&'static str; 2] {
    match adjacency {
        Adjacency::AddRemove | Adjacency::Remove => ["wrongly accused", "members found"],
        Adjacency::Add => ["members cleared", "others cleared"],
        Adjacency::ReplaceOne | Adjacency::ReplaceSpecial => {
            ["wrongly taken for the other", "rightly"]
        }
    }
}

/// Of what P and Q are the laws.
pub fn laws(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::AddRemove | Adjacency::Remove | Adjacency::Add => {
            "P is the distribution of the mechanism's outputs without a record, Q with it"
        }
        Adjacency::ReplaceOne => {
            "P is the distribution of the mechanism's outputs with one record, Q with another in its place"
        }
        Adjacency::ReplaceSpecial => {
            "P is the distribution of the mechanism's outputs with an empty record in place of one, Q with that one"
        }
    }
}

/// What is claimed: a sentence, and a formula, that are true exactly if the claim is.
fn meaning(entry: &ClaimEntry, adjacency: Adjacency) -> (String, String) {
    let written = |key: &str| match key {
        "epsilon" => entry.epsilon_text().unwrap_or_default(),
        _ => entry.number_text(key).unwrap_or("?").trim().to_owned(),
    };
    let (one, other) = match adjacency {
        Adjacency::Remove | Adjacency::AddRemove => ("with a record", "without it"),
        Adjacency::Add => ("without a record", "with it"),
        Adjacency::ReplaceOne => ("with a record", "with another in its place"),
        Adjacency::ReplaceSpecial => ("with a record", "with an empty one in its place"),
    };
    let if_both = |words| match adjacency.orders() {
        Orders::Both => words,
        Orders::Remove | Orders::Add => "",
    };
    // A formula in both orders of the pair.
    let ordered = |of: &dyn Fn(&str, &str) -> String| match adjacency.orders() {
        Orders::Remove => of("Q", "P"),
        Orders::Add => of("P", "Q"),
        Orders::Both => format!("max({}, {})", of("Q", "P"), of("P", "Q")),
    };
    match entry.claim.stated() {
        StatedClaim::PureDp { .. } => {
            let epsilon = written("epsilon");
            let times = power(&epsilon);
            let back = if_both(", nor the other way round");
            let loss = ordered(&|above, below| format!("log d{above}/d{below}"));
            (
                format!("no output is more than {times} times as likely {one} as {other}{back}."),
                format!("sup {loss} ≤ {epsilon}"),
            )
        }
        StatedClaim::ApproxDp { .. } => {
            let (epsilon, delta) = (written("epsilon"), written("delta"));
            let times = power(&epsilon);
            let back = if_both(", and the other way round");
            let excess = ordered(&|above, below| format!("{above}(S) − {times}·{below}(S)"));
            (
                format!(
                    "whatever outputs an attacker looks for, their probability {one} is at most {times} times that {other}, plus {delta}{back}."
                ),
                format!("δ({epsilon}) = sup over events S of {excess} ≤ {delta}"),
            )
        }
        StatedClaim::Gdp { form, .. } => gdp(form, adjacency, &written),
        StatedClaim::Regret { .. } => (
            format!(
                "if the mechanism is described as {}-GDP, an attacker's error is lower under that description than it really is by at most {}.",
                written("mu"),
                written("at-most")
            ),
            format!(
                "Δ(M‖G_μ) = max over π of R_M(π) − R_G(π) ≤ {}, μ = {}",
                written("at-most"),
                written("mu")
            ),
        ),
        StatedClaim::Zcdp { .. } => (
            format!(
                "the Rényi divergence of every order t > 1 is at most {}·t, {one} against {other} and the other way round.",
                written("rho")
            ),
            format!("sup over t > 1 of D_t / t ≤ {}", written("rho")),
        ),
        StatedClaim::Rdp { .. } => {
            let (order, epsilon) = (written("order"), written("epsilon"));
            let back = if_both(", and the other way round");
            let divergence = ordered(&|above, below| format!("D_t({above}‖{below})"));
            (
                format!(
                    "the Rényi divergence of order {order}, {one} against {other}, is at most {epsilon}{back}."
                ),
                format!("{divergence} ≤ {epsilon}, t = {order}"),
            )
        }
        StatedClaim::Advantage { .. } => (
            format!(
                "no test {} has a true-positive rate more than {} above its false-positive rate.",
                to_tell(adjacency),
                written("at-most")
            ),
            format!("max over α of 1 − α − f(α) ≤ {}", written("at-most")),
        ),
        StatedClaim::TradeOff { .. } => trade_off(adjacency, &written("alpha"), &written("beta")),
        StatedClaim::DominatedBy { .. } => (
            format!(
                "choosing this mechanism instead of the reference lowers an attacker's error by at most {}.",
                written("at-most")
            ),
            format!(
                "Δ(reference‖M) = max over π of R_reference(π) − R_M(π) ≤ {}",
                written("at-most")
            ),
        ),
    }
}

/// e to a power, the power in parentheses where it could be read otherwise.
fn power(exponent: &str) -> String {
    if exponent.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        format!("e^{exponent}")
    } else {
        format!("e^({exponent})")
    }
}

/// With both orders f is the largest convex function below both trade-off functions: its points between them are averages of tests of both kinds.
fn trade_off(adjacency: Adjacency, alpha: &str, beta: &str) -> (String, String) {
    let one_order = |null: &str, alternative: &str| {
        format!(
            "every test whether a record was used that is wrong with probability at most {alpha} where it was{null} is wrong with probability at least {beta} where it was{alternative}."
        )
    };
    let (words, f) = match adjacency {
        Adjacency::Remove => (one_order(" not", ""), "T(P, Q)"),
        Adjacency::Add => (one_order("", " not"), "T(Q, P)"),
        Adjacency::ReplaceOne | Adjacency::ReplaceSpecial => (
            format!(
                "a test which of two records was used, of type-I error at most {alpha}, has a type-II error of at least {beta}, whichever of the two is the null hypothesis, and so on average has a mixture of tests of both kinds."
            ),
            "the largest convex function below T(P, Q) and T(Q, P)",
        ),
        Adjacency::AddRemove => (
            format!(
                "a test whether a record was used of type-I error at most {alpha} has a type-II error of at least {beta}, whichever of \"with\" and \"without\" is the null hypothesis, and so on average has a mixture of tests of both kinds."
            ),
            "the largest convex function below T(P, Q) and T(Q, P)",
        ),
    };
    (words, format!("f({alpha}) ≥ {beta}, f = {f}"))
}

fn gdp(form: &GdpForm, adjacency: Adjacency, written: &dyn Fn(&str) -> String) -> (String, String) {
    let mu = written("mu");
    let told = format!(
        "telling {} is at least as hard as telling N(0, 1) from N({mu}, 1)",
        to_tell(adjacency)
    );
    let gaussian = format!("G_μ(α) = Φ(Φ⁻¹(1 − α) − μ), μ = {mu}");
    match form {
        GdpForm::Strict => (
            format!("{told}, at every false-positive rate, however small."),
            format!("f(α) ≥ G_μ(α) for all α in [0, 1]; {gaussian}"),
        ),
        GdpForm::Tolerance(_) => {
            let tau = written("tolerance");
            (
                format!("{told}, up to {tau} in both error rates."),
                format!("f(α) ≥ G_μ(α + τ) − τ for all α, τ = {tau}; {gaussian}"),
            )
        }
        GdpForm::ErrorFloor(_) => {
            let floor = written("error-floor");
            (
                format!(
                    "{told}, where both error rates are at least {floor}; nothing is said below."
                ),
                format!("f(α) ≥ G_μ(α) wherever α ≥ e and G_μ(α) ≥ e, e = {floor}; {gaussian}"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::claim_file_from_bytes;

    #[test]
    fn every_kind_of_claim_has_words_and_a_formula_with_its_numbers() {
        for claim in [
            r#"{"kind":"pure-dp","epsilon":0.125}"#,
            r#"{"kind":"approx-dp","epsilon":0.125,"delta":0.25}"#,
            r#"{"kind":"gdp","mu":0.125}"#,
            r#"{"kind":"gdp","mu":0.125,"tolerance":0.25}"#,
            r#"{"kind":"gdp","mu":0.125,"error-floor":0.25}"#,
            r#"{"kind":"regret","mu":0.125,"at-most":0.25}"#,
            r#"{"kind":"zcdp","rho":0.125}"#,
            r#"{"kind":"rdp","order":2,"epsilon":0.125}"#,
            r#"{"kind":"advantage","at-most":0.125}"#,
            r#"{"kind":"trade-off","alpha":0.125,"beta":0.25}"#,
        ] {
            let file = format!(r#"{{"mechanism":{{"kind":"laplace","scale":1}},"claim":{claim}}}"#);
            let file = claim_file_from_bytes("-", file.as_bytes()).unwrap();
            let entry = file.claims.first().unwrap();
            for adjacency in [
                Adjacency::Remove,
                Adjacency::Add,
                Adjacency::AddRemove,
                Adjacency::ReplaceOne,
                Adjacency::ReplaceSpecial,
            ] {
                let (words, formula) = meaning(entry, adjacency);
                for (_, number) in &entry.numbers {
                    assert!(words.contains(number.trim()), "{words}");
                    assert!(formula.contains(number.trim()), "{formula}");
                }
            }
        }
    }

    /// Where a record is replaced, nothing is said of data sets without it: they are another pair.
    #[test]
    fn sentences_are_about_the_data_sets_of_the_adjacency() {
        for claim in [
            r#"{"kind":"pure-dp","epsilon":1}"#,
            r#"{"kind":"approx-dp","epsilon":1,"delta":0.25}"#,
            r#"{"kind":"gdp","mu":1}"#,
            r#"{"kind":"gdp","mu":1,"error-floor":0.25}"#,
            r#"{"kind":"zcdp","rho":1}"#,
            r#"{"kind":"rdp","order":2,"epsilon":1}"#,
            r#"{"kind":"advantage","at-most":0.125}"#,
            r#"{"kind":"trade-off","alpha":0.125,"beta":0.25}"#,
        ] {
            let file = format!(r#"{{"mechanism":{{"kind":"laplace","scale":1}},"claim":{claim}}}"#);
            let file = claim_file_from_bytes("-", file.as_bytes()).unwrap();
            let entry = file.claims.first().unwrap();
            for (adjacency, other) in [
                (Adjacency::ReplaceOne, ["another", "two records"]),
                (Adjacency::ReplaceSpecial, ["empty", "two records"]),
            ] {
                let (words, _) = meaning(entry, adjacency);
                assert!(other.iter().any(|word| words.contains(word)), "{words}");
                assert!(!words.contains("without"), "{words}");
            }
        }
        for adjacency in [Adjacency::ReplaceOne, Adjacency::ReplaceSpecial] {
            assert!(!laws(adjacency).contains("without"));
        }
    }

    /// A loss above 1 occurs in the other order only: what is true of one order is not said of both.
    #[test]
    fn sentences_are_about_the_orders_of_the_adjacency() {
        let told = |adjacency: &str, claim: &str| {
            let pair = r#""p":["1/4","1/2","1/4"],"q":["1/2","1/2","0"]"#;
            let file = format!(
                r#"{{"mechanism":{{"kind":"finite",{pair},"adjacency":"{adjacency}"}},"claim":{claim}}}"#
            );
            let file = claim_file_from_bytes("-", file.as_bytes()).unwrap();
            meaning(file.claims.first().unwrap(), file.mechanism.adjacency)
        };
        let pure = r#"{"kind":"pure-dp","epsilon":1}"#;
        let (words, formula) = told("remove", pure);
        assert!(
            words.ends_with("as likely with a record as without it."),
            "{words}"
        );
        assert_eq!(formula, "sup log dQ/dP ≤ 1");
        assert_eq!(told("add", pure).1, "sup log dP/dQ ≤ 1");
        assert_eq!(
            told("add-remove", pure).1,
            "sup max(log dQ/dP, log dP/dQ) ≤ 1"
        );
        let approx = r#"{"kind":"approx-dp","epsilon":"1/3","delta":"0.25"}"#;
        let (words, formula) = told("add", approx);
        assert!(
            words.contains("without a record is at most e^(1/3) times that with it"),
            "{words}"
        );
        assert!(formula.contains("P(S) − e^(1/3)·Q(S)"), "{formula}");
        let both = told("add-remove", approx);
        assert!(both.0.ends_with("and the other way round."), "{}", both.0);
        let curve = r#"{"kind":"trade-off","alpha":0.125,"beta":0.25}"#;
        assert!(told("add", curve).0.contains("0.125 where it was is wrong"));
        assert!(
            told("remove", curve)
                .0
                .contains("0.125 where it was not is wrong")
        );
        assert!(told("add-remove", curve).1.contains("convex"));
        let renyi = r#"{"kind":"rdp","order":2,"epsilon":0.125}"#;
        assert_eq!(told("add", renyi).1, "D_t(P‖Q) ≤ 0.125, t = 2");
    }
}
