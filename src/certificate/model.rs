//! One step in f64: δ, the null's tail, and how far its loss reaches.

use crate::float::elementary::{exp, exp_m1, ln, ln_1p};
use crate::float::{StepCurve, nearest, normal_tail};

use super::atoms::Atoms;
use super::choices::Table;
use super::steps::Steps;
use crate::kernel::Budget;
use crate::mechanism::{Direction, Step};

/// A step in f64, in one order of its pair.
pub(super) enum Model {
    Gaussian {
        mu: f64,
    },
    Sampled {
        mu: f64,
        rate: f64,
        add: bool,
    },
    Laplace {
        epsilon: f64,
    },
    /// Few outcomes.
    Atoms(Atoms),
    /// Several choices, from above.
    Table(Table),
    /// As the float engine has it.
    Other(StepCurve),
}

impl Model {
    /// `None` beyond the sizes of the float engine. What takes long ends with the budget, and says nothing from then on.
    pub fn new(step: &Step, direction: Direction, budget: &Budget) -> Option<Self> {
        if let Some(atoms) = Atoms::of_step(step, direction) {
            return Some(Self::Atoms(atoms));
        }
        Some(match step {
            Step::Gaussian { mu_squared } => Self::Gaussian {
                mu: nearest(mu_squared).sqrt().max(1e-150),
            },
            Step::Laplace { epsilon } => Self::Laplace {
                epsilon: nearest(epsilon),
            },
            Step::Sampled(sampled) if sampled.mu_squared().is_some() => Self::Sampled {
                mu: sampled.mu_squared().map(nearest)?.sqrt(),
                rate: nearest(sampled.rate()),
                add: direction == Direction::Add,
            },
            // The profile of a class is slow, and its certificates need no law.
            Step::Zcdp { .. } | Step::Rdp { .. } => return None,
            Step::Sampled(sampled)
                if sampled
                    .of()
                    .list()
                    .iter()
                    .any(|(of, _)| matches!(of, Step::Zcdp { .. } | Step::Rdp { .. })) =>
            {
                return None;
            }
            _ => Self::Other(StepCurve::new(step, direction, budget).ok()?),
        })
    }

    /// Of one step, or of several that have few outcomes together.
    pub fn of_steps(steps: &Steps, direction: Direction, budget: &Budget) -> Option<Self> {
        match steps.single() {
            Some(step) => Self::new(step, direction, budget),
            None => Atoms::of_steps(steps, direction)
                .map(Self::Atoms)
                .or_else(|| Table::new(steps).map(Self::Table)),
        }
    }

    /// The largest loss, where losses are bounded.
    pub fn largest(&self) -> Option<f64> {
        let largest = match self {
            Self::Gaussian { .. } | Self::Sampled { add: false, .. } => return None,
            Self::Sampled { rate, .. } => -ln_1p(-rate),
            Self::Laplace { epsilon } => *epsilon,
            Self::Atoms(atoms) => {
                let losses = atoms
                    .iter()
                    .filter(|(q, _, _)| *q > 0.0)
                    .map(|(_, _, loss)| *loss);
                losses.fold(f64::NEG_INFINITY, f64::max)
            }
            Self::Table(table) => table.end(),
            Self::Other(curve) => curve.largest(),
        };
        largest.is_finite().then_some(largest)
    }

    /// Losses at which there is mass, as far as they are known one by one.
    pub fn losses(&self) -> Vec<f64> {
        let losses = match self {
            Self::Gaussian { .. } | Self::Sampled { .. } | Self::Table(_) => Vec::new(),
            Self::Laplace { epsilon } => vec![-epsilon, *epsilon],
            Self::Atoms(atoms) => atoms.iter().map(|(_, _, loss)| *loss).collect(),
            Self::Other(curve) => curve.losses(),
        };
        losses.into_iter().filter(|loss| loss.is_finite()).collect()
    }

    /// δ(ε) and P(L > ε).
    pub fn at(&self, epsilon: f64) -> (f64, f64) {
        let u = exp(epsilon);
        match self {
            Self::Gaussian { mu } => {
                let (above, below) = tails(*mu, epsilon);
                ((above - u * below).max(0.0), below)
            }
            Self::Sampled {
                mu,
                rate,
                add: false,
            } => {
                let gap = exp_m1(epsilon) + rate;
                if gap <= 0.0 {
                    return (-exp_m1(epsilon), 1.0);
                }
                let (above, below) = tails(*mu, ln(gap / rate));
                ((rate * above - gap * below).max(0.0), below)
            }
            Self::Sampled {
                mu,
                rate,
                add: true,
            } => {
                let w = u * rate - exp_m1(epsilon);
                if w <= 0.0 {
                    return (0.0, 0.0);
                }
                let (above, below) = tails(*mu, ln(u * rate / w));
                let delta = w * above - u * rate * below;
                (delta.max(0.0), (1.0 - rate) * above + rate * below)
            }
            Self::Laplace { epsilon: most } => {
                if epsilon >= *most {
                    (0.0, 0.0)
                } else if epsilon < -most {
                    (-exp_m1(epsilon), 1.0)
                } else {
                    (
                        -exp_m1((epsilon - most) / 2.0),
                        exp(-(epsilon + most) / 2.0) / 2.0,
                    )
                }
            }
            Self::Atoms(atoms) => atoms.at(epsilon),
            Self::Table(table) => table.at(epsilon),
            Self::Other(curve) => curve.at(epsilon),
        }
    }

    /// Q(L > ε).
    pub fn power(&self, epsilon: f64) -> f64 {
        let (delta, null) = self.at(epsilon);
        if null == 0.0 {
            delta
        } else {
            delta + exp(epsilon) * null
        }
    }

    /// Losses between which all but `tail` of δ on the right and of the Q-mass on the left lie.
    pub fn range(&self, tail: f64) -> (f64, f64) {
        let infinite = self.infinite_mass();
        let right = turning(|x| self.at(x).0 - infinite <= tail);
        // Closer to 1 than this f64 cannot tell.
        let left = -turning(|x| 1.0 - self.power(-x) <= tail.max(1e-15));
        (left, right)
    }

    /// Q(L = ∞).
    pub fn infinite_mass(&self) -> f64 {
        match self {
            Self::Atoms(atoms) => atoms
                .iter()
                .filter(|(_, p, _)| *p == 0.0)
                .map(|(q, _, _)| q)
                .sum(),
            Self::Other(curve) => curve.infinite(),
            _ => 0.0,
        }
    }
}

/// (Q-mass, P-mass) of randomised response.
pub(super) fn responses(epsilon: f64, k: f64) -> Vec<(f64, f64)> {
    let others = (k - 2.0) * exp(-epsilon);
    let small = exp(-epsilon);
    let total = 1.0 + small + others;
    let masses = [(1.0, small), (small, 1.0), (others, others)];
    masses.map(|(q, p)| (q / total, p / total)).to_vec()
}

/// The same of what is (ε, δ)-DP, and has as much as that.
pub(super) fn guaranteed(epsilon: f64, delta: f64) -> Vec<(f64, f64)> {
    let others = responses(epsilon, 2.0).into_iter();
    let others = others.map(|(q, p)| (q * (1.0 - delta), p * (1.0 - delta)));
    others.chain([(delta, 0.0), (0.0, delta)]).collect()
}

/// Where a condition that holds far to the right begins to hold; at most about 2^20.
fn turning(holds: impl Fn(f64) -> bool) -> f64 {
    let mut high = 1e-6;
    if holds(-1e4) {
        return -1e4;
    }
    if holds(0.0) {
        // Left of 0: the largest power of two that fails.
        let mut low = 1e-6;
        while holds(-low) && low < 1e4 {
            low *= 2.0;
        }
        return bisect(-low, -low / 2.0, holds);
    }
    while !holds(high) && high < 1e6 {
        high *= 2.0;
    }
    bisect(high / 2.0, high, holds)
}

fn bisect(mut fails: f64, mut holds_at: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..40 {
        let middle = (fails + holds_at) / 2.0;
        if holds(middle) {
            holds_at = middle;
        } else {
            fails = middle;
        }
    }
    holds_at
}

fn tails(mu: f64, epsilon: f64) -> (f64, f64) {
    let place = epsilon / mu;
    (normal_tail(place - mu / 2.0), normal_tail(place + mu / 2.0))
}
