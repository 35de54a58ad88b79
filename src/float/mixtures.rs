//! Mixtures of shifted Gaussian noise in f64.

use super::law::Atom;
use super::pair::ProfilePoint;
use super::real::{log_of, nearest, normal_tail};
use crate::mechanism::shifted::{Noise, ShiftedNoise, Shifts};

/// P = Σ qⱼ·N(−wⱼ, 1) against Q = Σ pᵢ·N(vᵢ, 1).
#[derive(Debug, Clone)]
pub(super) struct Mixtures {
    /// −w and log q.
    without: Vec<(f64, f64)>,
    /// v and log p.
    with: Vec<(f64, f64)>,
}

/// Halvings after which two places are neighbours.
const ROUNDS: u32 = 80;
/// Nothing lies farther out than this many standard deviations.
const FARTHEST: f64 = 13.5;

impl Mixtures {
    pub(super) fn of(pair: &ShiftedNoise) -> Self {
        let Noise::Gaussian { unit_squared } = pair.noise();
        let mu = nearest(unit_squared).sqrt();
        let terms = |shifts: &Shifts, sign: f64| {
            let list = shifts.list().iter();
            list.map(|(shift, weight)| (sign * nearest(shift) * mu, log_of(weight)))
                .collect()
        };
        Self {
            without: terms(pair.without(), -1.0),
            with: terms(pair.with(), 1.0),
        }
    }

    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        let x = self.cut(epsilon);
        let above = |terms: &[(f64, f64)]| -> f64 {
            terms
                .iter()
                .map(|(shift, log)| log.exp() * normal_tail(x - shift))
                .sum()
        };
        let below = |terms: &[(f64, f64)]| -> f64 {
            terms
                .iter()
                .map(|(shift, log)| log.exp() * normal_tail(shift - x))
                .sum()
        };
        let (alpha, beta) = (above(&self.without), below(&self.with));
        let times = |mass: f64, log: f64| if mass > 0.0 { mass * log.exp() } else { 0.0 };
        let delta = above(&self.with) - times(alpha, epsilon);
        let dual = below(&self.without) - times(beta, -epsilon);
        ProfilePoint {
            delta: delta.max(0.0).max(-epsilon.exp_m1()),
            dual: dual.max(0.0).max(-(-epsilon).exp_m1()),
            alpha,
            beta,
        }
    }

    /// Where the loss crosses ε; infinite if it does not.
    fn cut(&self, epsilon: f64) -> f64 {
        let (mut low, mut high) = self.ends();
        if self.loss(low) >= epsilon {
            return f64::NEG_INFINITY;
        }
        if self.loss(high) <= epsilon {
            return f64::INFINITY;
        }
        for _ in 0..ROUNDS {
            let middle = 0.5 * (low + high);
            if self.loss(middle) <= epsilon {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    fn loss(&self, x: f64) -> f64 {
        log_sum(&self.with, x) - log_sum(&self.without, x)
    }

    /// Places beyond which both laws have next to nothing.
    fn ends(&self) -> (f64, f64) {
        let all = self
            .with
            .iter()
            .chain(&self.without)
            .map(|(shift, _)| *shift);
        let low = all.clone().fold(0.0, f64::min);
        (low - 40.0, all.fold(0.0, f64::max) + 40.0)
    }

    /// The infimum and supremum of the loss.
    pub(super) fn support(&self) -> (f64, f64) {
        let end = |terms: &[(f64, f64)], others: &[(f64, f64)]| {
            let is_bounded = others.iter().all(|(shift, _)| *shift == 0.0);
            let at_zero = terms.iter().find(|(shift, _)| *shift == 0.0);
            at_zero
                .filter(|_| is_bounded)
                .map_or(f64::NEG_INFINITY, |(_, log)| *log)
        };
        (
            end(&self.with, &self.without),
            -end(&self.without, &self.with),
        )
    }

    /// Losses between which all but about e^{−90} of either mass lies.
    pub(super) fn range(&self) -> (f64, f64) {
        let all = self
            .with
            .iter()
            .chain(&self.without)
            .map(|(shift, _)| *shift);
        let low = all.clone().fold(0.0, f64::min) - FARTHEST;
        let high = all.fold(0.0, f64::max) + FARTHEST;
        (self.loss(low), self.loss(high))
    }
}

impl Mixtures {
    /// Losses with the masses of Q, at so many places.
    pub(super) fn atoms(&self, nodes: usize) -> Vec<Atom> {
        let shifts = || {
            self.with
                .iter()
                .chain(&self.without)
                .map(|(shift, _)| *shift)
        };
        let low = shifts().fold(0.0, f64::min) - FARTHEST;
        let high = shifts().fold(0.0, f64::max) + FARTHEST;
        let step = (high - low) / nodes as f64;
        let log_step = step.ln() - std::f64::consts::TAU.ln() / 2.0;
        (0..nodes)
            .map(|i| {
                let x = low + step * (i as f64 + 0.5);
                Atom {
                    loss: self.loss(x),
                    log_mass: log_step - x * x / 2.0 + log_sum(&self.with, x),
                }
            })
            .collect()
    }
}

/// log Σ exp(log p)·exp(shift·x − shift²/2).
fn log_sum(terms: &[(f64, f64)], x: f64) -> f64 {
    let logs = terms
        .iter()
        .map(|(shift, log)| log + shift * (x - 0.5 * shift));
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln()
}
