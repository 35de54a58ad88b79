//! A mechanism as the list of steps that a certificate is about.

use rug::{Integer, Rational};

use crate::mechanism::{Adjacency, Mechanism};

/// A step of a kind that certificates cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Gaussian with this μ².
    Gaussian { square: Rational },
    /// Poisson-sampled Gaussian, 0 < rate < 1.
    Sampled { square: Rational, rate: Rational },
    /// Laplace with ε₀ = sensitivity/scale.
    Laplace { epsilon: Rational },
    /// k-ary randomised response.
    Response { epsilon: Rational, k: u64 },
    /// Two probability vectors.
    Finite { p: Vec<Rational>, q: Vec<Rational> },
}

/// An order of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Remove,
    Add,
}

impl Direction {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Remove => "remove",
            Self::Add => "add",
        }
    }
}

/// Steps with their multiplicities, in the order of the file: equal ones together, all Gaussian ones together and first.
#[derive(Debug)]
pub(super) struct Steps {
    pub list: Vec<(Step, u64)>,
    pub directions: Vec<Direction>,
    /// Is any step Poisson-sampled?
    pub sampled: bool,
}

/// More different steps than this are not covered.
const MOST_STEPS: usize = 64;

impl Steps {
    /// `Err` says what is not covered.
    pub fn of(mechanism: &Mechanism, adjacency: Adjacency) -> Result<Self, String> {
        let mut all = Vec::new();
        collect(mechanism, 1, &mut all)?;
        if all.len() > MOST_STEPS {
            return Err(format!(
                "compositions of more than {MOST_STEPS} different steps"
            ));
        }
        let sampled = all
            .iter()
            .any(|(step, _)| matches!(step, Step::Sampled { .. }));
        let mut square = Rational::new();
        let mut list = Vec::new();
        for (step, times) in all {
            match step {
                Step::Gaussian { square: one } => square += one * Integer::from(times),
                other => list.push((other, times)),
            }
        }
        if square > 0 {
            list.insert(0, (Step::Gaussian { square }, 1));
        }
        let directions = match adjacency {
            Adjacency::AddRemove => vec![Direction::Remove, Direction::Add],
            Adjacency::Remove => vec![Direction::Remove],
            Adjacency::Add => vec![Direction::Add],
        };
        Ok(Self {
            list,
            directions,
            sampled,
        })
    }

    /// Are both orders of the pair equally informative?
    pub fn is_symmetric(&self) -> bool {
        let alike = |step: &Step| {
            matches!(
                step,
                Step::Gaussian { .. } | Step::Laplace { .. } | Step::Response { .. }
            )
        };
        self.list.iter().all(|(step, _)| alike(step))
    }

    /// The only step, if it runs once.
    pub fn single(&self) -> Option<&Step> {
        match self.list.as_slice() {
            [(step, 1)] => Some(step),
            _ => None,
        }
    }

    /// Σ μ² of the Gaussian steps, sampled or not, and whether there are others.
    pub fn gaussian_square(&self) -> (Rational, bool) {
        let mut others = false;
        let mut total = Rational::new();
        for (step, times) in &self.list {
            match step {
                Step::Gaussian { square } | Step::Sampled { square, .. } => {
                    total += Rational::from(square * Integer::from(*times));
                }
                _ => others = true,
            }
        }
        (total, others)
    }
}

fn collect(mechanism: &Mechanism, times: u64, list: &mut Vec<(Step, u64)>) -> Result<(), String> {
    let step = match mechanism {
        Mechanism::Compose { of } => {
            for (part, count) in of {
                let times = times.checked_mul(*count).ok_or("more than 2^64 steps")?;
                collect(part, times, list)?;
            }
            return Ok(());
        }
        Mechanism::Subsampled { rate, of } => match (&**of, *rate < 1) {
            (Mechanism::Gaussian { sigma, sensitivity }, true) => Step::Sampled {
                square: Rational::from(sensitivity / sigma).square(),
                rate: rate.clone(),
            },
            (inner @ Mechanism::Gaussian { .. }, false) => return collect(inner, times, list),
            _ => return Err("samples of anything but one Gaussian step".to_owned()),
        },
        Mechanism::Gaussian { sigma, sensitivity } => Step::Gaussian {
            square: Rational::from(sensitivity / sigma).square(),
        },
        Mechanism::Laplace { scale, sensitivity } => Step::Laplace {
            epsilon: Rational::from(sensitivity / scale),
        },
        Mechanism::RandomizedResponse { epsilon, k } => Step::Response {
            epsilon: epsilon.clone(),
            k: *k,
        },
        Mechanism::Finite { p, q } => Step::Finite {
            p: p.clone(),
            q: q.clone(),
        },
        _ => return Err("mechanisms of this kind".to_owned()),
    };
    match list.iter_mut().find(|(other, _)| *other == step) {
        Some((_, count)) => *count = count.checked_add(times).ok_or("more than 2^64 steps")?,
        None => list.push((step, times)),
    }
    Ok(())
}
