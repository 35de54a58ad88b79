//! What a verdict says, in words for people who read no formulas, and in one formula.

use crate::input::{Claim, ClaimEntry, GdpForm};
use crate::verdict::{Outcome, Verdict};

/// Words and a formula.
pub fn proved(entry: &ClaimEntry, verdict: &Verdict) -> (String, String) {
    let (meaning, formula) = meaning(entry);
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

/// What is claimed.
fn meaning(entry: &ClaimEntry) -> (String, String) {
    let written = |key: &str| entry.number_text(key).unwrap_or("?").trim().to_owned();
    match &entry.claim {
        Claim::PureDp { .. } => {
            let epsilon = written("epsilon");
            (
                format!(
                    "no output is more than e^{epsilon} times as likely with a record as without it, nor the other way round."
                ),
                format!("sup |log dQ/dP| ≤ {epsilon}"),
            )
        }
        Claim::ApproxDp { .. } => {
            let (epsilon, delta) = (written("epsilon"), written("delta"));
            (
                format!(
                    "whatever outputs an attacker looks for, their probability with a record is at most e^{epsilon} times that without it, plus {delta}."
                ),
                format!("δ({epsilon}) = sup over events S of Q(S) − e^{epsilon}·P(S) ≤ {delta}"),
            )
        }
        Claim::Gdp { form, .. } => gdp(form, &written),
        Claim::Regret { .. } => (
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
        Claim::Zcdp { .. } => (
            format!(
                "the Rényi divergence of every order t > 1 is at most {}·t, with a record against without it and the other way round.",
                written("rho")
            ),
            format!("sup over t > 1 of D_t / t ≤ {}", written("rho")),
        ),
        Claim::Rdp { .. } => (
            format!(
                "the Rényi divergence of order {} is at most {}.",
                written("order"),
                written("epsilon")
            ),
            format!("D_t ≤ {}, t = {}", written("epsilon"), written("order")),
        ),
        Claim::Advantage { .. } => (
            format!(
                "no test whether a record was used has a true-positive rate more than {} above its false-positive rate.",
                written("at-most")
            ),
            format!("max over α of 1 − α − f(α) ≤ {}", written("at-most")),
        ),
        Claim::TradeOff { .. } => (
            format!(
                "every test whether a record was used that is wrong with probability at most {} where it was not is wrong with probability at least {} where it was.",
                written("alpha"),
                written("beta")
            ),
            format!("f({}) ≥ {}", written("alpha"), written("beta")),
        ),
        Claim::DominatedBy { .. } => (
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

fn gdp(form: &GdpForm, written: &dyn Fn(&str) -> String) -> (String, String) {
    let mu = written("mu");
    let told = format!(
        "telling whether a record was used is at least as hard as telling N(0, 1) from N({mu}, 1)"
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
            let (words, formula) = meaning(entry);
            for (_, number) in &entry.numbers {
                assert!(words.contains(number.trim()), "{words}");
                assert!(formula.contains(number.trim()), "{formula}");
            }
        }
    }
}
