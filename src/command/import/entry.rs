//! What an entry of the registry says, what of it can be checked, and what is missing.

use rug::Rational;

use super::yaml::Texts;
use crate::number::parse_rational;
use crate::report::printable;

/// An entry of the registry. Texts are the registry's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub curators: Option<String>,
    pub variant: Option<String>,
    pub unit: Option<String>,
    pub model: Option<String>,
    pub releases: Option<String>,
    pub epsilon: Option<Parameter>,
    pub delta: Option<Parameter>,
    pub rho: Option<Parameter>,
    /// The mechanism in words.
    pub mechanism: Option<String>,
    pub sources: Option<String>,
    /// What is missing for a claim that can be decided, in words.
    pub missing: Vec<String>,
    /// What does not fit together, in words.
    pub contradictions: Vec<String>,
}

/// A privacy parameter as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub text: String,
    /// Where it is a number.
    pub value: Option<Rational>,
}

impl Entry {
    /// An entry of the registry's schema.
    ///
    /// # Errors
    /// If there is no deployment with a name.
    pub fn read(texts: &Texts) -> Result<Self, String> {
        let text = |place: &str| {
            texts
                .get(&format!("deployment.{place}"))
                .map(|text| printable(text))
        };
        let parameter = |name: &str| {
            let text = text(&format!("privacy_loss.privacy_parameters.{name}"))?;
            let value = parse_rational(&text).ok();
            Some(Parameter { text, value })
        };
        let mut entry = Self {
            name: text("basic.name").ok_or(
                "there is no `deployment.basic.name`: not an entry of the deployments registry",
            )?,
            curators: text("basic.data_curators"),
            variant: text("dp_variant.variant_name"),
            unit: text("privacy_loss.privacy_unit"),
            model: text("deployment_model.model_name"),
            releases: text("deployment_model.release_type"),
            epsilon: parameter("epsilon"),
            delta: parameter("delta"),
            rho: parameter("rho"),
            mechanism: text("implementation.mechanisms"),
            sources: text("administrative.sources"),
            missing: Vec::new(),
            contradictions: Vec::new(),
        };
        entry.contradictions = entry.contradictions();
        entry.missing = entry.missing(
            text("privacy_loss.privacy_unit_details").is_some(),
            text("accounting.composition").is_some(),
        );
        Ok(entry)
    }

    /// The claim file that can be decided with the entry alone: that (ε, δ) follows from ρ.
    pub fn claim_file(&self, from: &str) -> Option<String> {
        let number = |parameter: &Option<Parameter>| {
            let Parameter { text, value } = parameter.as_ref()?;
            value
                .as_ref()
                .filter(|value| **value >= 0)
                .map(|_| text.clone())
        };
        let (rho, epsilon, delta) = (
            number(&self.rho)?,
            number(&self.epsilon)?,
            number(&self.delta)?,
        );
        self.contradictions.is_empty().then(|| {
            let [name, from] = [&self.name, from].map(|text| serde_json::Value::from(text.to_owned()).to_string());
            format!(
                "title = {name}\nsource = {from}\n\n[mechanism]\nkind = \"zcdp\"\nrho = \"{rho}\"\n\n\
                 [[claim]]\nkind = \"approx-dp\"\nepsilon = \"{epsilon}\"\ndelta = \"{delta}\"\n"
            )
        })
    }

    /// The statement in numbers.
    pub fn statement(&self) -> Option<String> {
        let texts = [&self.epsilon, &self.delta, &self.rho]
            .map(|found| found.as_ref().map(|it| it.text.as_str()));
        let dp = match texts {
            [Some(epsilon), Some(delta), _] => Some(format!("({epsilon}, {delta})-DP")),
            [Some(epsilon), None, _] => Some(format!("{epsilon}-DP")),
            [None, Some(delta), _] => Some(format!("(?, {delta})-DP")),
            [None, None, _] => None,
        };
        let zcdp = texts[2].map(|rho| format!("{rho}-zCDP"));
        match (zcdp, dp) {
            (Some(zcdp), Some(dp)) => Some(format!("{zcdp}, and {dp}")),
            (one, other) => one.or(other),
        }
    }

    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        let variant = self.variant.as_deref().unwrap_or_default();
        if variant == "Pure DP"
            && self
                .delta
                .as_ref()
                .is_some_and(|delta| delta.value.as_ref().is_none_or(|it| *it != 0))
        {
            found.push("pure DP has no δ: is it ε-DP, or (ε, δ)-DP?".to_owned());
        }
        if variant == "Pure DP" && self.rho.is_some() {
            found.push("pure DP has no ρ: is it ε-DP, or ρ-zCDP?".to_owned());
        }
        for (name, parameter) in [("ε", &self.epsilon), ("ρ", &self.rho)] {
            if let Some(Parameter {
                text,
                value: Some(value),
            }) = parameter
                && *value < 0
            {
                found.push(format!("{name} is {text}, and may not be negative"));
            }
        }
        if let Some(Parameter {
            text,
            value: Some(value),
        }) = &self.delta
            && (*value < 0 || *value > 1)
        {
            found.push(format!("δ is {text}, and has to be a probability"));
        }
        found
    }

    fn missing(&self, has_neighbours: bool, has_composition: bool) -> Vec<String> {
        let mut found = Vec::new();
        let mut needs = |name: &str, parameter: &Option<Parameter>| match parameter {
            None => found.push(format!("{name}: not stated")),
            Some(Parameter { text, value: None }) => {
                found.push(format!(
                    "{name} as a number: it is stated as {}",
                    crate::report::quoted(text, 60)
                ));
            }
            Some(_) => {}
        };
        match self.variant.as_deref() {
            Some("Pure DP") => needs("ε", &self.epsilon),
            Some("Approximate DP") => {
                needs("ε", &self.epsilon);
                needs("δ", &self.delta);
            }
            Some("Zero-concentrated DP") => needs("ρ", &self.rho),
            Some(_) | None => {
                found.push("which statement it is, with all its parameters".to_owned())
            }
        }
        found.push(match &self.mechanism {
            Some(words) => format!(
                "the mechanism in numbers (noise scale, sensitivity, how often); in words it is {}",
                crate::report::quoted(words, 120)
            ),
            None => "the mechanism: its kind, noise scale, sensitivity, and how often it is used"
                .to_owned(),
        });
        if self.releases.as_deref() == Some("Many releases") {
            found.push(
                if has_composition {
                    "over how many releases the numbers hold, as a number"
                } else {
                    "over how many releases the numbers hold, and how they compose"
                }
                .to_owned(),
            );
        }
        if !has_neighbours {
            found.push("what neighbours are: data added or removed, or replaced".to_owned());
        }
        found
    }
}
