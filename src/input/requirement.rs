//! What a calibration must meet, as text.

use super::{
    argument::read_argument,
    claim::{ClaimKind, read_claim},
    error::InputError,
    fields::{self, Fields, kind},
    node::Node,
    problem::Problem,
    source::Source,
};
use crate::mechanism::Domain;
use crate::statement::{Measure, Requirement};

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
        let prior = fields.number("prior", Domain::Unit)?;
        let at_least = fields.number("at-least", Domain::Unit)?;
        let requirement = Requirement::bayes_error(prior, at_least);
        return requirement.map_err(|error| fields.out_of_range(&error));
    }
    let Some((_, measure)) = MEASURES.iter().find(|(name, _)| *name == kind) else {
        return read_claim(node).map(Requirement::from);
    };
    let fields = fields(&["fpr", "at-most"])?;
    let fpr = fields.number("fpr", measure.rates())?;
    let at_most = fields.number("at-most", Domain::Unit)?;
    let requirement = Requirement::at_fpr(*measure, fpr, at_most);
    requirement.map_err(|error| fields.out_of_range(&error))
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::statement::Claim;

    #[test]
    fn forms() {
        let read = |text: &str| Requirement::from_argument(text).unwrap();
        let half = || Rational::from((1, 2));
        for (name, measure) in MEASURES {
            let expected = Requirement::at_fpr(measure, "1/10", half()).unwrap();
            assert_eq!(read(&format!("{name}:fpr=0.1,at-most=1/2")), expected);
        }
        assert_eq!(
            read("bayes-error:prior=1/2,at-least=0.5"),
            Requirement::bayes_error(half(), half()).unwrap()
        );
        let claim = "trade-off:alpha=0.1,beta=0.5";
        let expected = Claim::from_argument(claim).unwrap();
        assert_eq!(read(claim), Requirement::from(expected));
    }

    #[test]
    fn refusals() {
        for (text, word) in [
            ("trp:fpr=0.1,at-most=0.5", "tpr"),
            ("tpr:alpha=0.1,at-most=0.5", "fpr"),
            ("ppv:fpr=0.1", "at-most"),
            ("ppv:fpr=0,at-most=0.6", "(0, 1]"),
            ("accuracy:fpr=0.1,at-most=1.5", "[0, 1]"),
            ("bayes-error:prior=-1,at-least=0.1", "[0, 1]"),
        ] {
            let message = Requirement::from_argument(text).unwrap_err().render(false);
            assert!(message.contains(word), "{text}: {message}");
        }
    }
}
