//! One step in one order of its pair, for whoever plans a composition of it.

use std::sync::Arc;

use super::Unsupported;
use super::pair::Pair;
use super::profiled::Profiled;
use super::resolve::one;
use crate::kernel::Budget;
use crate::mechanism::{Direction, Step};

/// A step in f64.
#[derive(Debug, Clone)]
pub(crate) struct StepCurve {
    pair: Pair,
    direction: Direction,
    /// Once it has ended nothing is evaluated any more: whoever gave it looks at it before what was found is used.
    budget: Budget,
}

impl StepCurve {
    /// Prepares a step; one that no single pair represents by its profile.
    ///
    /// # Errors
    /// Beyond the sizes of this engine.
    pub fn new(step: &Step, direction: Direction, budget: &Budget) -> Result<Self, Unsupported> {
        let pair = match (one(step, budget), step) {
            (Ok(pair), _) => pair,
            (Err(no), _) => match step.profile() {
                Some(profile) => Pair::Profiled(Arc::new(Profiled::new(profile, budget))),
                None => return Err(no),
            },
        };
        Ok(Self {
            pair,
            direction,
            budget: budget.clone(),
        })
    }

    /// δ(ε) and P(L > ε); 0 once the time is over.
    pub fn at(&self, epsilon: f64) -> (f64, f64) {
        if self.budget.check().is_err() {
            return (0.0, 0.0);
        }
        let point = match self.direction {
            Direction::Remove => self.pair.at(epsilon),
            Direction::Add => self.pair.at(-epsilon).swapped(),
        };
        (point.delta.clamp(0.0, 1.0), point.alpha.clamp(0.0, 1.0))
    }

    /// The limit of δ(ε) as ε → ∞.
    pub fn infinite(&self) -> f64 {
        match self.direction {
            Direction::Remove => self.pair.infinite(),
            Direction::Add => self.pair.null_only(),
        }
    }

    /// The losses one by one, if there are finitely many, and others at which there is mass.
    pub fn losses(&self) -> Vec<f64> {
        let losses = self.pair.losses().into_iter();
        match self.direction {
            Direction::Remove => losses.collect(),
            Direction::Add => losses.map(|loss| -loss).collect(),
        }
    }

    /// The largest loss; ∞ if there is none.
    pub fn largest(&self) -> f64 {
        if self.infinite() > 0.0 {
            return f64::INFINITY;
        }
        let (low, high) = self.pair.support();
        match self.direction {
            Direction::Remove => high,
            Direction::Add => -low,
        }
    }
}
