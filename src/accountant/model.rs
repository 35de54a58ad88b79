//! Mechanisms that the fuzzer asks about, with every parameter a decimal of few digits.

use super::decimal::Decimal;
use super::table::Table;
use crate::input::mechanism_from_bytes;
use crate::mechanism::Relation;

/// A composition of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// At least one.
    pub parts: Vec<RepeatedStep>,
    /// What happens to a record.
    pub relation: Relation,
}

/// One step, sampled or not, so many times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedStep {
    /// What is run.
    pub step: Step,
    /// Poisson sampling rate in (0, 1]; `None` where nothing is sampled.
    pub rate: Option<Decimal>,
    /// At least 1.
    pub times: u64,
}

/// A mechanism without parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Noise multiplier.
    Gaussian(Decimal),
    /// Scale at sensitivity 1.
    Laplace(Decimal),
    /// Parameter σ at sensitivity 1.
    DiscreteGaussian(Decimal),
    /// Scale at sensitivity 1.
    DiscreteLaplace(Decimal),
    /// Randomised response.
    Response {
        /// ε ≥ 0.
        epsilon: Decimal,
        /// Number of answers, at least 2.
        k: u64,
    },
    /// The worst of all (ε, δ)-DP mechanisms: infinite loss with probability δ.
    ApproxDp {
        /// ε ≥ 0.
        epsilon: Decimal,
        /// δ in [0, 1).
        delta: Decimal,
    },
    /// A pair of probability vectors.
    Finite {
        /// Sums to 1.
        p: Vec<Decimal>,
        /// Sums to 1.
        q: Vec<Decimal>,
    },
    /// A mechanism of any other kind.
    Named(Table),
}

impl Step {
    /// The `kind` of mechanism files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Gaussian(_) => "gaussian",
            Self::Laplace(_) => "laplace",
            Self::DiscreteGaussian(_) => "discrete-gaussian",
            Self::DiscreteLaplace(_) => "discrete-laplace",
            Self::Response { .. } => "randomized-response",
            Self::ApproxDp { .. } => "approx-dp",
            Self::Finite { .. } => "finite",
            Self::Named(table) => table.label(),
        }
    }

    /// Is it about the sum of what records contribute, or about the answer of one, so that a record may be replaced?
    fn has_records(&self) -> bool {
        match self {
            Self::Gaussian(_)
            | Self::Laplace(_)
            | Self::DiscreteGaussian(_)
            | Self::DiscreteLaplace(_)
            | Self::Response { .. }
            | Self::Named(_) => true,
            Self::ApproxDp { .. } | Self::Finite { .. } => false,
        }
    }

    fn json(&self, relation: Relation) -> String {
        let kind = self.kind();
        let bound = record_bound(relation);
        let rest = match self {
            Self::Gaussian(sigma) | Self::DiscreteGaussian(sigma) => {
                format!("\"sigma\":{sigma}{bound}")
            }
            Self::Laplace(scale) | Self::DiscreteLaplace(scale) => {
                format!("\"scale\":{scale}{bound}")
            }
            Self::Response { epsilon, k } => format!("\"epsilon\":{epsilon},\"k\":{k}"),
            Self::ApproxDp { epsilon, delta } => {
                format!("\"epsilon\":{epsilon},\"delta\":{delta}")
            }
            Self::Finite { p, q } => format!("\"p\":[{}],\"q\":[{}]", list(p), list(q)),
            Self::Named(table) => return table.json(relation),
        };
        format!("{{\"kind\":\"{kind}\",{rest}}}")
    }
}

impl RepeatedStep {
    /// A part that is not sampled.
    pub fn plain(step: Step, times: u64) -> Self {
        Self {
            step,
            rate: None,
            times,
        }
    }

    /// Noise multiplier, rate and steps of a phase of DP-SGD.
    pub fn phase(&self) -> Option<(Decimal, Decimal, u64)> {
        match (&self.step, self.rate) {
            (Step::Gaussian(sigma), Some(rate)) => Some((*sigma, rate, self.times)),
            _ => None,
        }
    }

    fn json(&self, relation: Relation) -> String {
        let step = self.step.json(relation);
        match self.rate {
            None => step,
            Some(rate) => format!("{{\"kind\":\"subsampled\",\"rate\":{rate},\"of\":{step}}}"),
        }
    }
}

impl Model {
    /// A composition about one record that is there or not.
    pub fn of(parts: Vec<RepeatedStep>) -> Self {
        Self {
            parts,
            relation: Relation::Presence,
        }
    }

    /// The same about one record to which this happens; `None` where that has no meaning, or none that is tight.
    pub fn related_by(&self, relation: Relation) -> Option<Self> {
        if relation == self.relation {
            return Some(self.clone());
        }
        let is_one = |part: &RepeatedStep| {
            let is_sampled = part.rate.is_some();
            part.step.has_records() && !(is_sampled && matches!(part.step, Step::Response { .. }))
        };
        self.parts.iter().all(is_one).then(|| Self {
            relation,
            ..self.clone()
        })
    }

    /// Does `bound` take it?
    pub fn is_readable(&self) -> bool {
        mechanism_from_bytes("case", self.json().as_bytes()).is_ok()
    }

    /// The mechanism table as JSON, as in `bound --batch`.
    pub fn json(&self) -> String {
        let table = self.table();
        if self.relation == Relation::Presence {
            return table;
        }
        let open = table.strip_suffix('}').unwrap_or(&table);
        let name = relation_name(self.relation);
        format!("{open},\"adjacency\":\"{name}\"}}")
    }

    fn table(&self) -> String {
        let phases: Option<Vec<String>> = self
            .parts
            .iter()
            .map(|part| part.phase().map(phase_json))
            .collect();
        match (phases.as_deref(), self.parts.as_slice()) {
            (Some([only]), _) => format!("{{\"kind\":\"dp-sgd\",{only}}}"),
            (Some(several), _) => format!(
                "{{\"kind\":\"dp-sgd\",\"phases\":[{{{}}}]}}",
                several.join("},{")
            ),
            (None, [only]) if only.times == 1 => only.json(self.relation),
            (None, parts) => {
                let parts = parts.iter().map(|part| composed(part, self.relation));
                let parts: Vec<String> = parts.collect();
                format!("{{\"kind\":\"compose\",\"of\":[{}]}}", parts.join(","))
            }
        }
    }

    /// The class of mechanisms it belongs to: what is run, and how.
    pub fn class(&self) -> String {
        let class = self.class_of_parts();
        match self.relation {
            Relation::Presence => class,
            Relation::ReplaceOne => format!("{class}, a record replaced"),
            Relation::ReplaceSpecial => format!("{class}, a record zeroed"),
        }
    }

    fn class_of_parts(&self) -> String {
        let Some(first) = self.parts.first() else {
            return "nothing".to_owned();
        };
        if self.parts.len() > 1 {
            let phases = self.parts.iter().all(|part| part.phase().is_some());
            return if phases { "dp-sgd phases" } else { "mixed" }.to_owned();
        }
        let sampled = if first.rate.is_some() { "sampled " } else { "" };
        let composed = if first.times > 1 { "composed " } else { "" };
        format!("{composed}{sampled}{}", first.step.kind())
    }

    /// Every `kind` in its notation, and `phases` for a schedule: what an accountant must know to treat it.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        if self.parts.iter().all(|part| part.phase().is_some()) {
            kinds.push("dp-sgd");
            if self.parts.len() > 1 {
                kinds.push("phases");
            }
            return kinds;
        }
        if self.steps() > 1 {
            kinds.push("compose");
        }
        if self.parts.len() > 1 {
            kinds.push("mixed");
        }
        if self.parts.iter().any(|part| part.rate.is_some()) {
            kinds.push("subsampled");
        }
        for part in &self.parts {
            match &part.step {
                Step::Named(table) => kinds.extend(table.kinds()),
                other => kinds.push(other.kind()),
            }
        }
        kinds
    }

    /// All runs of all parts.
    pub fn steps(&self) -> u64 {
        let counts = self.parts.iter().map(|part| part.times);
        counts.fold(0, u64::saturating_add)
    }

    /// How far it is from being a simple mechanism.
    pub fn cost(&self) -> u32 {
        let parts = self.parts.iter().map(RepeatedStep::cost);
        let relation = u32::from(self.relation != Relation::Presence);
        parts.fold(relation, |sum, cost| {
            sum.saturating_add(cost).saturating_add(40)
        })
    }
}

impl RepeatedStep {
    fn cost(&self) -> u32 {
        let rate = self.rate.map_or(0, |rate| rate.cost().saturating_add(3));
        let times = Decimal::new(i64::try_from(self.times).unwrap_or(i64::MAX), 0).cost();
        let numbers: Vec<Decimal> = match &self.step {
            Step::Gaussian(x)
            | Step::Laplace(x)
            | Step::DiscreteGaussian(x)
            | Step::DiscreteLaplace(x) => vec![*x],
            Step::Response { epsilon, k } => {
                vec![
                    *epsilon,
                    Decimal::new(i64::try_from(*k).unwrap_or(i64::MAX), 0),
                ]
            }
            Step::ApproxDp { epsilon, delta } => vec![*epsilon, *delta],
            Step::Finite { p, q } => p.iter().chain(q).copied().collect(),
            Step::Named(table) => table.numbers(),
        };
        let step = numbers.iter().map(|number| number.cost());
        step.fold(rate.saturating_add(times), u32::saturating_add)
    }
}

/// As claim files name it.
pub fn relation_name(relation: Relation) -> &'static str {
    match relation {
        Relation::Presence => "add-remove",
        Relation::ReplaceOne => "replace-one",
        Relation::ReplaceSpecial => "replace-special",
    }
}

/// What the noise of a sum says of a record, where it is replaced.
pub(super) fn record_bound(relation: Relation) -> &'static str {
    match relation {
        Relation::Presence => "",
        Relation::ReplaceOne | Relation::ReplaceSpecial => ",\"record-bound\":1",
    }
}

pub(super) fn list(numbers: &[Decimal]) -> String {
    let texts: Vec<String> = numbers.iter().map(Decimal::to_string).collect();
    texts.join(",")
}

fn composed(part: &RepeatedStep, relation: Relation) -> String {
    let table = part.json(relation);
    if part.times == 1 {
        return table;
    }
    let open = table.strip_suffix('}').unwrap_or(&table);
    format!("{open},\"times\":{}}}", part.times)
}

fn phase_json((sigma, rate, steps): (Decimal, Decimal, u64)) -> String {
    format!("\"noise-multiplier\":{sigma},\"sample-rate\":{rate},\"steps\":{steps}")
}
