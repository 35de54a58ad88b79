//! Mechanisms that the fuzzer asks about, with every parameter a decimal of few digits.

use super::decimal::Decimal;

/// A composition of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// At least one.
    pub parts: Vec<RepeatedStep>,
    /// Is a record replaced by another one, instead of there or not?
    pub is_replaced: bool,
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
        }
    }

    /// Is it about the sum of what records contribute, or about the answer of one, so that a record may be replaced?
    fn has_records(&self) -> bool {
        match self {
            Self::Gaussian(_)
            | Self::Laplace(_)
            | Self::DiscreteGaussian(_)
            | Self::DiscreteLaplace(_)
            | Self::Response { .. } => true,
            Self::ApproxDp { .. } | Self::Finite { .. } => false,
        }
    }

    fn json(&self, is_replaced: bool) -> String {
        let kind = self.kind();
        let bound = if is_replaced {
            ",\"record-bound\":1"
        } else {
            ""
        };
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

    fn json(&self, is_replaced: bool) -> String {
        let step = self.step.json(is_replaced);
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
            is_replaced: false,
        }
    }

    /// The same about one record that is replaced; `None` where that has no meaning, or none that is tight.
    pub fn replaced(&self) -> Option<Self> {
        let is_one = |part: &RepeatedStep| {
            let is_sampled = part.rate.is_some();
            part.step.has_records() && !(is_sampled && matches!(part.step, Step::Response { .. }))
        };
        self.parts.iter().all(is_one).then(|| Self {
            is_replaced: true,
            ..self.clone()
        })
    }

    /// The mechanism table as JSON, as in `bound --batch`.
    pub fn json(&self) -> String {
        let table = self.table();
        if !self.is_replaced {
            return table;
        }
        let open = table.strip_suffix('}').unwrap_or(&table);
        format!("{open},\"adjacency\":\"replace-one\"}}")
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
            (None, [only]) if only.times == 1 => only.json(self.is_replaced),
            (None, parts) => {
                let parts = parts.iter().map(|part| composed(part, self.is_replaced));
                let parts: Vec<String> = parts.collect();
                format!("{{\"kind\":\"compose\",\"of\":[{}]}}", parts.join(","))
            }
        }
    }

    /// The class of mechanisms it belongs to: what is run, and how.
    pub fn class(&self) -> String {
        let class = self.class_of_parts();
        if self.is_replaced {
            return format!("{class}, a record replaced");
        }
        class
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

    /// The neighbouring relation that it is about.
    #[cfg(test)]
    pub fn relation(&self) -> &'static str {
        if self.is_replaced {
            "replace-one"
        } else {
            "add-remove"
        }
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
        kinds.extend(self.parts.iter().map(|part| part.step.kind()));
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
        let relation = u32::from(self.is_replaced);
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
        };
        let step = numbers.iter().map(|number| number.cost());
        step.fold(rate.saturating_add(times), u32::saturating_add)
    }
}

fn list(numbers: &[Decimal]) -> String {
    let texts: Vec<String> = numbers.iter().map(Decimal::to_string).collect();
    texts.join(",")
}

fn composed(part: &RepeatedStep, is_replaced: bool) -> String {
    let table = part.json(is_replaced);
    if part.times == 1 {
        return table;
    }
    let open = table.strip_suffix('}').unwrap_or(&table);
    format!("{open},\"times\":{}}}", part.times)
}

fn phase_json((sigma, rate, steps): (Decimal, Decimal, u64)) -> String {
    format!("\"noise-multiplier\":{sigma},\"sample-rate\":{rate},\"steps\":{steps}")
}
