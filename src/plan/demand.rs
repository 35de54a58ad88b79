//! What a composition is wanted for.

use rug::Float;

use super::{Directions, Shape};
use crate::float::elementary::powi;
use crate::law::{LeftEnd, TailBudget};

/// A μ is small that is below about this,
const SMALL: f64 = 0.05;
/// and tails are at most so many times narrower then.
const DEEPEST: f64 = 1e6;

/// What a composition is wanted for.
#[derive(Debug, Clone, Copy)]
pub struct Demand {
    /// Cells across the bulk (18 standard deviations) of a law.
    pub cells: u64,
    /// Mass that the tails may lose in all.
    pub tail: f64,
    /// How far rounding must stay below what matters.
    pub units: Units,
    /// Are the cells so many because a μ is asked for, whose answers are wider where losses are rare?
    pub spare: bool,
    /// How many times narrower the tails are than is usual for what is looked at.
    pub deeper: f64,
    /// Threads.
    pub jobs: usize,
}

/// How fine the units of mass are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// As coarse as will usually do.
    Usual,
    /// Fine enough for the worst that rounding can do.
    Finest,
}

impl Demand {
    /// For a rough idea.
    pub fn glance(jobs: usize) -> Self {
        Self {
            cells: 1024,
            tail: 1e-13,
            units: Units::Finest,
            spare: false,
            deeper: 1.0,
            jobs,
        }
    }

    /// Where a μ is asked for that is small because all losses are, errors of probabilities count for as much more of it: then tails may lose less.
    #[must_use]
    pub fn for_losses(self, steps: &[u64], shapes: &[Shape]) -> Self {
        let parts = steps.iter().zip(shapes);
        let variance: f64 = parts
            .map(|(steps, shape)| *steps as f64 * powi(shape.sd, 2))
            .sum();
        let deeper = (SMALL / variance.sqrt()).clamp(1.0, DEEPEST);
        Self {
            tail: self.tail / deeper,
            deeper,
            ..self
        }
    }

    /// Do tails matter of which laws in units as coarse as usual know nothing?
    pub fn looks_far(&self) -> bool {
        self.tail < 1e-40
    }

    /// For the range of a step in a sum that is computed all at once: its length counts there, and what tails may lose is far below what is looked at.
    #[must_use]
    pub fn for_range_in_sum(self) -> Self {
        Self {
            tail: 32.0 * self.tail,
            ..self
        }
    }

    /// For the order of a pair of which nothing is known, but that it usually does not matter.
    #[must_use]
    pub fn for_second_order(self) -> Self {
        match self.units {
            Units::Usual => Self {
                cells: self.cells / 2,
                ..self
            },
            Units::Finest => self,
        }
    }

    /// The tail budget for laws.
    pub fn tail_budget(&self, directions: Directions) -> TailBudget {
        let left = match directions {
            Directions::Both => LeftEnd::BothMasses,
            Directions::One => LeftEnd::QMass,
        };
        TailBudget::new(Float::with_val(64, self.tail), left)
    }
}
