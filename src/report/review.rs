//! What a reviewer says and asks beside the verdicts: remarks on claims that are true and say little, questions that no file answers.

use rug::Rational;

use crate::input::ClaimFile;
use crate::mechanism::Adjacency;
use crate::number::exact;
use crate::statement::{Claim, StatedClaim};
use crate::verdict::{Outcome, Verdict};

/// At this ε, and above, e^(−ε) < 1/1000.
const HUGE_EPSILON: u32 = 7;

/// What any reviewer would remark on a claim. Each sentence is about the statement itself and true whatever the mechanism is.
pub fn remarks(claim: &Claim, file: &ClaimFile, verdict: &Verdict) -> Vec<String> {
    let mut remarks = Vec::new();
    if verdict.vacuous && matches!(verdict.outcome, Outcome::Verified { .. }) {
        remarks
            .push("The claim is true of every mechanism: it says nothing of this one.".to_owned());
    }
    let epsilon = match claim.stated() {
        StatedClaim::ApproxDp { epsilon, .. } | StatedClaim::PureDp { epsilon } => Some(epsilon),
        _ => None,
    };
    // An attack with false-positive rate α finds at most 1 − e^(−ε)·(1 − δ − α) by this statement, and some mechanism that meets it lets one.
    if epsilon.is_some_and(|epsilon| epsilon.rational_down() >= HUGE_EPSILON) {
        remarks.push(
            "At so large an ε the statement by itself allows an attack that finds at least 99.9 % of the members and accuses at most 0.1 % of the others wrongly."
                .to_owned(),
        );
    }
    // Below ε = 0 no mechanism has a small δ.
    if let (StatedClaim::ApproxDp { epsilon, delta }, Some(records)) =
        (claim.stated(), file.mechanism.mechanism.records())
        && !epsilon.is_negative()
        && Rational::from(delta * records) >= 1
        && *delta < 1
    {
        remarks.push(format!(
            "δ = {} is not below one in the {records} records: publishing one of them, chosen at random, would satisfy it.",
            exact(delta)
        ));
    }
    remarks
}

/// What to ask whoever made the claim.
pub fn questions(file: &ClaimFile) -> Vec<&'static str> {
    let taken = file.mechanism.mechanism.steps().conditions();
    let neighbours = match file.mechanism.adjacency {
        Adjacency::AddRemove | Adjacency::Remove | Adjacency::Add => {
            "Does the claim compare data sets of which one has a record more? With a record replaced by another one, the same mechanism can reveal more."
        }
        Adjacency::ReplaceOne => {
            "Does the claim compare data sets of the same size, of which one record differs?"
        }
        Adjacency::ReplaceSpecial => {
            "Does the claim compare a record with one that contributes nothing, as code that sets a contribution to zero does?"
        }
    };
    let asked = [
        (
            taken.poisson_sampling,
            "Was each batch drawn by a coin for every record, or from a data set that was shuffled once an epoch? Most code shuffles, and then what is proved here is not about it.",
        ),
        (true, neighbours),
        (
            true,
            "Is it about one record, or about a person? How many records can one person have?",
        ),
        (
            taken.real_noise,
            "How is the noise made: with floating-point numbers, or by a sampler that was built for privacy?",
        ),
        (
            true,
            "Was anything else released that depends on the data: chosen hyperparameters, evaluations, earlier versions?",
        ),
    ];
    let asked = asked.into_iter().filter(|(is_asked, _)| *is_asked);
    asked.map(|(_, question)| question).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::claim_file_beside;

    /// e^(−7) < 1/1000: with α = 0.001 the false-negative rate that (ε, δ) guarantees is at most e^(−ε) < 0.001.
    #[test]
    fn a_huge_epsilon_is_huge() {
        assert!(f64::from(HUGE_EPSILON).exp() > 1000.0);
    }

    #[test]
    fn delta_is_held_against_the_number_of_records() {
        let text = "[mechanism]\nadjacency = \"replace-one\"\nkind = \"dp-sgd\"\nsampling = \"without-replacement\"\nnoise-multiplier = 4\nbatch-size = 10\ndataset-size = 1000\nsteps = 1\n[[claim]]\nkind = \"approx-dp\"\nepsilon = 1\ndelta = 0.001\n";
        let file = claim_file_beside("claim.toml", text.as_bytes(), None).unwrap();
        assert_eq!(file.mechanism.mechanism.records(), Some(1000));
    }
}
