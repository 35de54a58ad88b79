//! A question to an accountant, and what its answer would claim.

use rug::float::Round;
use rug::{Float, Rational};

use super::decimal::Decimal;
use super::model::{Model, RepeatedStep, Step};
use crate::mechanism::Relation;
use crate::number::{decimal_up, float_up};
use crate::statement::Claim;

/// A mechanism and what is asked about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What was run.
    pub model: Model,
    /// What is asked.
    pub ask: Ask,
}

/// A query, in the words of `bound`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// δ(ε).
    Delta {
        /// Any real.
        epsilon: Decimal,
    },
    /// ε(δ).
    Epsilon {
        /// In (0, 1).
        delta: Decimal,
    },
    /// f(α).
    TradeOff {
        /// In [0, 1].
        alpha: Decimal,
    },
    /// δ(0).
    Advantage,
    /// R(π).
    BayesError {
        /// Of absence, in (0, 1).
        prior: Decimal,
    },
    /// μ above an error floor.
    GdpMu {
        /// In (0, 1/2).
        floor: Decimal,
    },
}

/// From which side an answer bounds its quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuaranteeSide {
    /// A guarantee is an upper bound.
    Above,
    /// A guarantee is a lower bound of an error.
    Below,
}

impl Ask {
    /// The `kind` of the query.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Delta { .. } => "delta",
            Self::Epsilon { .. } => "epsilon",
            Self::TradeOff { .. } => "tradeoff",
            Self::Advantage => "advantage",
            Self::BayesError { .. } => "bayes-error",
            Self::GdpMu { .. } => "gdp-mu",
        }
    }

    /// The query as JSON.
    pub fn json(&self) -> String {
        let kind = self.kind();
        let rest = match self {
            Self::Delta { epsilon } => format!(",\"epsilon\":{epsilon}"),
            Self::Epsilon { delta } => format!(",\"delta\":{delta}"),
            Self::TradeOff { alpha } => format!(",\"alpha\":{alpha}"),
            Self::Advantage => String::new(),
            Self::BayesError { prior } => format!(",\"prior\":{prior}"),
            Self::GdpMu { floor } => format!(",\"error-floor\":{floor}"),
        };
        format!("{{\"kind\":\"{kind}\"{rest}}}")
    }

    /// Which side of the truth a guarantee must be on.
    pub fn side(&self) -> GuaranteeSide {
        match self {
            Self::TradeOff { .. } | Self::BayesError { .. } => GuaranteeSide::Below,
            _ => GuaranteeSide::Above,
        }
    }

    /// What the answer `value` claims; `None` where it claims nothing (an infinite ε).
    ///
    /// Ensures: the claim follows from "the quantity is at most (at least) `value`", so that whoever refutes it refutes
    /// the answer. For all but Bayes errors at priors other than 1/2 it says the same.
    pub fn claim(&self, value: &Rational) -> Option<Claim> {
        // Below 0 is no more than 0 for all but trade-off functions, whose claims are about [0, 1].
        let not_negative = || value.clone().max(Rational::new());
        match self {
            Self::Delta { epsilon } => Claim::approx_dp(epsilon.exactly(), not_negative()),
            Self::Epsilon { delta } => Claim::approx_dp(value, delta.exactly()),
            Self::TradeOff { alpha } => {
                Claim::trade_off(alpha.exactly(), not_negative().min(Rational::from(1)))
            }
            Self::Advantage => Claim::advantage(not_negative()),
            Self::BayesError { prior } => return bayes_claim(&prior.exactly(), value),
            Self::GdpMu { floor } => Claim::gdp_above(not_negative(), floor.exactly()),
        }
        .ok()
    }

    fn parameter(self) -> Option<Decimal> {
        match self {
            Self::Delta { epsilon } => Some(epsilon),
            Self::Epsilon { delta } => Some(delta),
            Self::TradeOff { alpha } => Some(alpha),
            Self::BayesError { prior } => Some(prior),
            Self::GdpMu { floor } => Some(floor),
            Self::Advantage => None,
        }
    }

    /// Simpler queries of the same kind.
    pub fn simpler(self) -> Vec<Self> {
        let Some(parameter) = self.parameter() else {
            return Vec::new();
        };
        let simpler = parameter.simpler().into_iter();
        let found = simpler.filter_map(|number| {
            let inside = *number.exactly().numer() > 0 && number.to_f64() < 1.0;
            match self {
                Self::Delta { .. } => Some(Self::Delta { epsilon: number }),
                Self::Epsilon { .. } if inside => Some(Self::Epsilon { delta: number }),
                Self::TradeOff { .. } if inside => Some(Self::TradeOff { alpha: number }),
                Self::BayesError { .. } if inside => Some(Self::BayesError { prior: number }),
                _ => None,
            }
        });
        found.collect()
    }
}

impl Case {
    /// The line that asks it.
    pub fn line(&self, id: u64) -> String {
        format!(
            "{{\"id\":{id},\"mechanism\":{},\"query\":{}}}",
            self.model.json(),
            self.ask.json()
        )
    }

    /// How far it is from being simple; shrinking lowers it.
    pub fn cost(&self) -> u32 {
        let parameter = self.ask.parameter().map_or(0, Decimal::cost);
        self.model.cost().saturating_add(parameter)
    }

    /// Where it lies, in coarse words: cases with the same words are taken to fail for the same cause.
    pub fn regime(&self) -> String {
        let mut words = vec![self.model.class()];
        let noises = self.model.parts.iter().filter_map(|part| match part.step {
            Step::Gaussian(x)
            | Step::Laplace(x)
            | Step::DiscreteGaussian(x)
            | Step::DiscreteLaplace(x) => Some(x.to_f64()),
            _ => None,
        });
        let noise = noises.fold(f64::INFINITY, f64::min);
        words.push(bucket("noise", noise, &[0.2, 2.0, 50.0]));
        let rates = self.model.parts.iter().filter_map(|part| part.rate);
        let rate = rates.map(Decimal::to_f64).fold(f64::INFINITY, f64::min);
        words.push(bucket("rate", rate, &[1e-4, 0.9]));
        let steps = Decimal::new(i64::try_from(self.model.steps()).unwrap_or(i64::MAX), 0);
        words.push(bucket("steps", steps.to_f64(), &[1.5, 1000.0]));
        let value = self.ask.parameter().map_or(f64::INFINITY, Decimal::to_f64);
        words.push(match self.ask {
            Ask::Delta { .. } => bucket("epsilon", value, &[0.0, 50.0, 700.0]),
            Ask::Epsilon { .. } => bucket("delta", value, &[1e-12, 0.1]),
            Ask::TradeOff { .. } => bucket("alpha", value, &[1e-9, 0.9]),
            Ask::BayesError { .. } => bucket("prior", value, &[1e-9, 0.9]),
            Ask::Advantage | Ask::GdpMu { .. } => String::new(),
        });
        words.retain(|word| !word.is_empty());
        format!("{} of {}", self.ask.kind(), words.join(", "))
    }

    /// What is asked, and of which class of mechanisms.
    pub fn class(&self) -> String {
        format!("{} of {}", self.ask.kind(), self.model.class())
    }

    /// Simpler cases, the boldest steps first.
    pub fn simpler(&self) -> Vec<Self> {
        let mut found = Vec::new();
        let with = |model: Model| Self {
            model,
            ask: self.ask,
        };
        let parts = &self.model.parts;
        if parts.len() > 1 {
            for skipped in 0..parts.len() {
                let kept = parts.iter().enumerate().filter(|(i, _)| *i != skipped);
                found.push(with(Model {
                    parts: kept.map(|(_, part)| part.clone()).collect(),
                    ..self.model
                }));
            }
        }
        for (place, part) in parts.iter().enumerate() {
            for simpler in simpler_parts(part) {
                let mut parts = parts.clone();
                if let Some(slot) = parts.get_mut(place) {
                    *slot = simpler;
                }
                found.push(with(Model {
                    parts,
                    ..self.model
                }));
            }
        }
        if self.model.relation != Relation::Presence {
            found.push(with(Model::of(parts.clone())));
        }
        for ask in self.ask.simpler() {
            found.push(Self {
                model: self.model.clone(),
                ask,
            });
        }
        let cost = self.cost();
        found.retain(|case| case.cost() < cost && case.model.is_readable());
        found.sort_by_key(Self::cost);
        found
    }
}

fn simpler_parts(part: &RepeatedStep) -> Vec<RepeatedStep> {
    let mut found = Vec::new();
    let positive = |x: Decimal| x.simpler().into_iter().filter(|x| x.to_f64() > 0.0);
    let count = Decimal::new(i64::try_from(part.times).unwrap_or(i64::MAX), 0);
    for times in positive(count).filter_map(|times| times.exactly().numer().to_u64()) {
        found.push(RepeatedStep {
            times,
            ..part.clone()
        });
    }
    if let Some(rate) = part.rate {
        let rates = positive(rate).filter(|rate| rate.to_f64() <= 1.0);
        found.extend(rates.map(|rate| RepeatedStep {
            rate: Some(rate),
            ..part.clone()
        }));
        if rate == Decimal::ONE {
            found.push(RepeatedStep {
                rate: None,
                ..part.clone()
            });
        }
    }
    let steps: Vec<Step> = match &part.step {
        Step::Gaussian(x) => positive(*x).map(Step::Gaussian).collect(),
        Step::Laplace(x) => positive(*x).map(Step::Laplace).collect(),
        Step::DiscreteGaussian(x) => positive(*x).map(Step::DiscreteGaussian).collect(),
        Step::DiscreteLaplace(x) => positive(*x).map(Step::DiscreteLaplace).collect(),
        Step::Response { epsilon, k } => {
            let least = (*k > 2).then_some(Step::Response {
                epsilon: *epsilon,
                k: 2,
            });
            let epsilons = positive(*epsilon).map(|epsilon| Step::Response { epsilon, k: *k });
            least.into_iter().chain(epsilons).collect()
        }
        Step::ApproxDp { epsilon, delta } => {
            let epsilons = positive(*epsilon).map(|epsilon| Step::ApproxDp {
                epsilon,
                delta: *delta,
            });
            let deltas = positive(*delta).filter(|delta| delta.to_f64() < 1.0);
            let deltas = deltas.map(|delta| Step::ApproxDp {
                epsilon: *epsilon,
                delta,
            });
            epsilons.chain(deltas).collect()
        }
        Step::Finite { .. } => Vec::new(),
        Step::Named(table) => table.simpler().into_iter().map(Step::Named).collect(),
    };
    found.extend(steps.into_iter().map(|step| RepeatedStep {
        step,
        ..part.clone()
    }));
    found
}

/// R(π) ≥ r says that δ(log(π/(1 − π))) ≤ 1 − r/(1 − π), because R(π) = (1 − π)(1 − δ(log(π/(1 − π)))); the claim is about an ε
/// rounded up, where δ is smaller still.
fn bayes_claim(prior: &Rational, value: &Rational) -> Option<Claim> {
    const BITS: u32 = 128;
    const DIGITS: usize = 30;
    let absent = Rational::from(1 - prior);
    if absent <= 0 || *prior <= 0 {
        return None;
    }
    // What says that δ is negative says that it is 0, too.
    let share = Rational::from(value / &absent);
    let delta = Rational::from(1 - &share).max(Rational::new());
    if *prior == absent {
        return Claim::advantage(delta).ok();
    }
    let odds = Rational::from(prior / &absent);
    let (mut epsilon, _) = Float::with_val_round(BITS, &odds, Round::Up);
    epsilon.ln_round(Round::Up);
    let text = float_up(&epsilon, DIGITS);
    let epsilon = crate::number::parse_rational(&text).ok()?;
    let delta = crate::number::parse_rational(&decimal_up(&delta, DIGITS)).ok()?;
    Claim::approx_dp(epsilon, delta).ok()
}

fn bucket(name: &str, value: f64, limits: &[f64]) -> String {
    if value.is_infinite() {
        return String::new();
    }
    let Some(last) = limits.last() else {
        return String::new();
    };
    match limits.iter().find(|limit| value < **limit) {
        Some(limit) => format!("{name} < {limit}"),
        None => format!("{name} >= {last}"),
    }
}
