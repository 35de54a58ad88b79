//! What a calibration must meet: a claim, or an attack risk in the words of those who measure attacks.

use rug::Rational;

use super::{
    argument::read_argument,
    claim::{ClaimKind, read_claim},
    claim_kind::Claim,
    error::InputError,
    fields::{self, Fields, kind},
    node::Node,
    problem::Problem,
    source::Source,
};
use crate::mechanism::{Domain, Epsilon};

/// What a mechanism must satisfy. Every inequality is non-strict.
///
/// An attack on membership has a false-positive rate (FPR) and a true-positive rate (TPR = 1 − FNR).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// A claim is true.
    Claim(Claim),
    /// No attack with this FPR has a higher TPR, accuracy or positive predictive value.
    AtFpr {
        /// What is measured.
        measure: Measure,
        /// In [0, 1].
        fpr: Rational,
        /// In [0, 1].
        at_most: Rational,
    },
    /// R(π) ≥ at_least: no attack errs less on average.
    BayesError {
        /// Prior that the record is **absent**, in [0, 1].
        prior: Rational,
        /// In [0, 1].
        at_least: Rational,
    },
    /// δ(log u) ≤ δ: a point of the privacy profile at which e^ε is given exactly.
    Profile {
        /// log u.
        epsilon: Epsilon,
        /// ≥ 0.
        delta: Rational,
    },
}

/// How the success of an attack at a false-positive rate is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// 1 − β.
    TruePositiveRate,
    /// ½(1 − α) + ½(1 − β): as many members as non-members.
    Accuracy,
    /// (1 − β)/(1 − β + α), the precision: as many members as non-members.
    PositivePredictiveValue,
}

const MEASURES: [(&str, Measure); 3] = [
    ("tpr", Measure::TruePositiveRate),
    ("accuracy", Measure::Accuracy),
    ("ppv", Measure::PositivePredictiveValue),
];

const BAYES_ERROR: &str = "bayes-error";

impl Requirement {
    /// A requirement from `kind:key=value,…`: a claim, `tpr:fpr=0.1,at-most=0.5`, `accuracy:…`, `ppv:…` or
    /// `bayes-error:prior=1/2,at-least=0.4`.
    ///
    /// # Errors
    /// As for a claim in a file; the source is called `argument`.
    pub fn from_argument(text: &str) -> Result<Self, InputError> {
        let source = Source::new("argument", text, 1);
        read_argument(source.text())
            .and_then(|node| read_requirement(&node))
            .map_err(|problem| source.locate(problem))
    }
}

fn read_requirement(node: &Node) -> Result<Requirement, Problem> {
    let table = fields::table(node, "a target")?;
    let measures = MEASURES.iter().map(|(name, _)| *name);
    let kinds: Vec<&str> = ClaimKind::WORDS
        .iter()
        .map(|(word, _)| *word)
        .chain(measures)
        .chain([BAYES_ERROR])
        .collect();
    let (kind, kind_span) = kind(table, "a target", &node.span, &kinds)?;
    let fields = |known: &[&str]| {
        let known: Vec<&str> = [&["kind"], known].concat();
        Fields::new(table, format!("the target `{kind}`"), &kind_span, &known)
    };
    if kind == BAYES_ERROR {
        let fields = fields(&["prior", "at-least"])?;
        return Ok(Requirement::BayesError {
            prior: fields.number("prior", Domain::Unit)?,
            at_least: fields.number("at-least", Domain::Unit)?,
        });
    }
    let Some((_, measure)) = MEASURES.iter().find(|(name, _)| *name == kind) else {
        return read_claim(node).map(Requirement::Claim);
    };
    let fields = fields(&["fpr", "at-most"])?;
    Ok(Requirement::AtFpr {
        measure: *measure,
        fpr: fields.number("fpr", Domain::Unit)?,
        at_most: fields.number("at-most", Domain::Unit)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let read = |text: &str| Requirement::from_argument(text).unwrap();
        let half = || Rational::from((1, 2));
        for (name, measure) in MEASURES {
            let expected = Requirement::AtFpr {
                measure,
                fpr: Rational::from((1, 10)),
                at_most: half(),
            };
            assert_eq!(read(&format!("{name}:fpr=0.1,at-most=1/2")), expected);
        }
        assert_eq!(
            read("bayes-error:prior=1/2,at-least=0.5"),
            Requirement::BayesError {
                prior: half(),
                at_least: half()
            }
        );
        let claim = "trade-off:alpha=0.1,beta=0.5";
        let expected = Claim::from_argument(claim).unwrap();
        assert_eq!(read(claim), Requirement::Claim(expected));
    }

    #[test]
    fn refusals() {
        for (text, word) in [
            ("trp:fpr=0.1,at-most=0.5", "tpr"),
            ("tpr:alpha=0.1,at-most=0.5", "fpr"),
            ("ppv:fpr=0.1", "at-most"),
            ("accuracy:fpr=0.1,at-most=1.5", "[0, 1]"),
            ("bayes-error:prior=-1,at-least=0.1", "[0, 1]"),
        ] {
            let message = Requirement::from_argument(text).unwrap_err().render(false);
            assert!(message.contains(word), "{text}: {message}");
        }
    }
}
