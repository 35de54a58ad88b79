//! An analyst that answers from a table, for tests of the verdicts alone.

use rug::{Float, Rational};

use super::{Analyst, Verdict, judge};
use crate::analysis::{Answer, Ending, Goal, Method, Resources};
use crate::bounds::{Enclosure, Target};
use crate::input::{ClaimEntry, claims_from_jsonl};
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure};
use crate::number::parse_rational;
use crate::statement::{Quantity, Query};

/// Answers by quantity; anything else is interrupted.
#[derive(Default)]
pub struct Fake {
    deltas: Vec<(Rational, Enclosure)>,
    epsilon: Option<Enclosure>,
    mu: Option<Enclosure>,
    advantage: Option<Enclosure>,
    trade_off: Option<Enclosure>,
    max_loss: Option<Enclosure>,
    regret: Option<Enclosure>,
    /// Where an absolute width of at most 1/100 is asked for.
    narrower_advantage: Option<Enclosure>,
    ending: Option<Ending>,
}

impl Fake {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn delta(mut self, at: &str, ends: (f64, f64)) -> Self {
        self.deltas
            .push((parse_rational(at).unwrap(), between(ends)));
        self
    }

    pub fn epsilon(self, ends: (f64, f64)) -> Self {
        Self {
            epsilon: Some(between(ends)),
            ..self
        }
    }

    pub fn epsilon_infinite(self) -> Self {
        Self {
            epsilon: Some(infinite()),
            ..self
        }
    }

    pub fn mu(self, ends: (f64, f64)) -> Self {
        Self {
            mu: Some(between(ends)),
            ..self
        }
    }

    pub fn advantage_exactly(self, value: Rational) -> Self {
        Self {
            advantage: Some(Enclosure::exactly(value, 64)),
            ..self
        }
    }

    pub fn advantage(self, ends: (f64, f64)) -> Self {
        Self {
            advantage: Some(between(ends)),
            ..self
        }
    }

    pub fn narrower_advantage(self, ends: (f64, f64)) -> Self {
        Self {
            narrower_advantage: Some(between(ends)),
            ..self
        }
    }

    pub fn ending(self, ending: Ending) -> Self {
        Self {
            ending: Some(ending),
            ..self
        }
    }

    pub fn trade_off(self, ends: (f64, f64)) -> Self {
        Self {
            trade_off: Some(between(ends)),
            ..self
        }
    }

    pub fn regret(self, ends: (f64, f64)) -> Self {
        Self {
            regret: Some(between(ends)),
            ..self
        }
    }

    pub fn max_loss(self, enclosure: Enclosure) -> Self {
        Self {
            max_loss: Some(enclosure),
            ..self
        }
    }

    pub fn max_loss_infinite(self) -> Self {
        Self {
            max_loss: Some(infinite()),
            ..self
        }
    }
}

impl Analyst for Fake {
    fn answer(&self, query: &Query, goal: &Goal, _: &Resources<'_>) -> Result<Answer, Failure> {
        let found = match query.quantity() {
            Quantity::Delta(at) => {
                let at = at.exact();
                let known = self.deltas.iter().find(|(one, _)| Some(one) == at.as_ref());
                known.map(|(_, enclosure)| enclosure.clone())
            }
            Quantity::Epsilon { .. } => self.epsilon.clone(),
            Quantity::GdpMu(_) => self.mu.clone(),
            Quantity::Advantage => match goal {
                Goal::Width(Target::Absolute(width)) if *width <= Rational::from((1, 100)) => self
                    .narrower_advantage
                    .clone()
                    .or_else(|| self.advantage.clone()),
                _ => self.advantage.clone(),
            },
            Quantity::TradeOff { .. } => self.trade_off.clone(),
            Quantity::MaxLoss => self.max_loss.clone(),
            Quantity::Regret { .. } => self.regret.clone(),
            _ => None,
        };
        Ok(Answer {
            enclosure: found.ok_or(Failure::Interrupted)?,
            method: Method::ClosedForm,
            ending: self.ending.unwrap_or(Ending::OutOfTime),
            witness: None,
        })
    }
}

/// A claim entry from `kind:key=value,…`.
pub fn claim(text: &str) -> ClaimEntry {
    let (kind, keys) = text.split_once(':').unwrap();
    let (keys, mechanism) = match keys.split_once(",mechanism=") {
        Some((keys, mechanism)) => (keys, format!(",\"mechanism\":{mechanism}")),
        None => (keys, String::new()),
    };
    let keys: String = keys
        .split(',')
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap();
            format!(",\"{key}\":\"{value}\"")
        })
        .collect();
    let line = format!(
        "{{\"mechanism\":{{\"kind\":\"gdp\",\"mu\":1}},\"claim\":{{\"kind\":\"{kind}\"{keys}{mechanism}}}}}"
    );
    let (_, file) = claims_from_jsonl("test", line.as_bytes()).next().unwrap();
    file.unwrap().claims.remove(0)
}

/// The verdict on a claim of that form.
pub fn judge_with(fake: &Fake, text: &str) -> Verdict {
    let budget = Budget::unlimited();
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    };
    let detail = Target::Relative(Rational::from((1, 10_000)));
    judge(&claim(text), Ok(fake), &resources, &detail, None).unwrap()
}

/// The verdict of an analyst that has no time for anything.
pub fn judge_without_time(text: &str) -> Verdict {
    judge_with(&Fake::new(), text)
}

fn between((low, high): (f64, f64)) -> Enclosure {
    Enclosure::new(Float::with_val(64, low), Float::with_val(64, high)).unwrap()
}

fn infinite() -> Enclosure {
    Enclosure::new(d::infinity(64), d::infinity(64)).unwrap()
}
