//! Mixtures of shifted Gaussian and Laplace noise in f64.

use super::elementary::{exp, exp_m1, ln};
use super::law::Atom;
use super::pair::ProfilePoint;
use super::real::{log_of, nearest, normal_tail};
use crate::mechanism::shifted::{ShiftedNoise, Shifts};

/// P = Σ qⱼ·N(−wⱼ) against Q = Σ pᵢ·N(vᵢ).
#[derive(Debug, Clone)]
pub(super) struct Mixtures {
    noise: Noise,
    /// −w and log q.
    without: Vec<(f64, f64)>,
    /// v and log p.
    with: Vec<(f64, f64)>,
}

/// N.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    /// N(0, 1).
    Gaussian,
    /// Density e^{−|x|}/2.
    Laplace,
}

/// Halvings after which two places are neighbours.
const ROUNDS: u32 = 80;
/// Nothing lies farther out than this many standard deviations.
const FARTHEST: f64 = 13.5;
/// Laplace densities are left out where they are e^{−128} of those at both ends of a stretch.
const LAPLACE_REACH: f64 = 128.0;

impl Noise {
    /// The log-density at x of the noise shifted by this much; of the Gaussian without −x²/2 and its constant.
    fn log_density(self, shift: f64, x: f64) -> f64 {
        match self {
            Self::Gaussian => shift * (x - 0.5 * shift),
            Self::Laplace => -(x - shift).abs() - std::f64::consts::LN_2,
        }
    }

    /// The mass beyond x.
    fn tail(self, x: f64) -> f64 {
        match self {
            Self::Gaussian => normal_tail(x),
            Self::Laplace if x < 0.0 => 1.0 - 0.5 * exp(x),
            Self::Laplace => 0.5 * exp(-x),
        }
    }
}

impl Mixtures {
    /// Of Gaussian noise, where a shift of 1 stands for μ.
    pub(super) fn gaussian(mu: f64, pair: &ShiftedNoise) -> Self {
        Self::new(Noise::Gaussian, mu, pair)
    }

    /// Of Laplace noise, where a shift of 1 stands for `unit` scales.
    pub(super) fn laplace(unit: f64, pair: &ShiftedNoise) -> Self {
        Self::new(Noise::Laplace, unit, pair)
    }

    fn new(noise: Noise, unit: f64, pair: &ShiftedNoise) -> Self {
        Self {
            noise,
            without: terms(pair.without(), -unit),
            with: terms(pair.with(), unit),
        }
    }

    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        let x = self.cut(epsilon);
        let above = |terms: &[(f64, f64)]| -> f64 {
            terms
                .iter()
                .map(|(shift, log)| exp(*log) * self.noise.tail(x - shift))
                .sum()
        };
        let below = |terms: &[(f64, f64)]| -> f64 {
            terms
                .iter()
                .map(|(shift, log)| exp(*log) * self.noise.tail(shift - x))
                .sum()
        };
        let (alpha, beta) = (above(&self.without), below(&self.with));
        let times = |mass: f64, log: f64| if mass > 0.0 { mass * exp(log) } else { 0.0 };
        let delta = above(&self.with) - times(alpha, epsilon);
        let dual = below(&self.without) - times(beta, -epsilon);
        ProfilePoint {
            delta: delta.max(0.0).max(-exp_m1(epsilon)),
            dual: dual.max(0.0).max(-exp_m1(-epsilon)),
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
        self.log_density(&self.with, x) - self.log_density(&self.without, x)
    }

    fn log_density(&self, terms: &[(f64, f64)], x: f64) -> f64 {
        log_sum(
            terms
                .iter()
                .map(|(shift, log)| log + self.noise.log_density(*shift, x)),
        )
    }

    /// The least and the largest shift.
    fn shifts(&self) -> (f64, f64) {
        let all = || {
            self.with
                .iter()
                .chain(&self.without)
                .map(|(shift, _)| *shift)
        };
        (all().fold(0.0, f64::min), all().fold(0.0, f64::max))
    }

    /// Places beyond which both laws have next to nothing, or the loss is constant.
    fn ends(&self) -> (f64, f64) {
        let (low, high) = self.shifts();
        (low - 40.0, high + 40.0)
    }

    /// The infimum and supremum of the loss.
    pub(super) fn support(&self) -> (f64, f64) {
        match self.noise {
            Noise::Gaussian => limits(&self.without, &self.with),
            Noise::Laplace => self.range(),
        }
    }

    /// The losses that have masses of their own.
    pub(super) fn losses(&self) -> Vec<f64> {
        match self.noise {
            Noise::Gaussian => Vec::new(),
            Noise::Laplace => {
                let (low, high) = self.range();
                vec![low, high]
            }
        }
    }

    /// Losses between which all but about e^{−90} of either mass lies.
    pub(super) fn range(&self) -> (f64, f64) {
        let (low, high) = self.shifts();
        match self.noise {
            Noise::Gaussian => (self.loss(low - FARTHEST), self.loss(high + FARTHEST)),
            Noise::Laplace => (self.loss(low), self.loss(high)),
        }
    }

    /// Losses with the masses of Q, at about so many places.
    pub(super) fn atoms(&self, nodes: usize) -> Vec<Atom> {
        match self.noise {
            Noise::Gaussian => self.gaussian_atoms(nodes),
            Noise::Laplace => self.laplace_atoms(nodes),
        }
    }

    fn gaussian_atoms(&self, nodes: usize) -> Vec<Atom> {
        let (low, high) = self.shifts();
        let (low, high) = (low - FARTHEST, high + FARTHEST);
        let step = (high - low) / nodes as f64;
        let log_step = ln(step) - ln(std::f64::consts::TAU) / 2.0;
        (0..nodes)
            .map(|i| {
                let x = low + step * (i as f64 + 0.5);
                Atom {
                    loss: self.loss(x),
                    log_mass: log_step - x * x / 2.0 + self.log_density(&self.with, x),
                }
            })
            .collect()
    }

    /// The masses beyond the first and the last shift, where the loss is constant; Gauss's rule of two nodes on equal panels between two shifts.
    fn laplace_atoms(&self, nodes: usize) -> Vec<Atom> {
        let all = self.with.iter().chain(&self.without);
        let mut places: Vec<f64> = all.map(|(shift, _)| *shift).collect();
        places.sort_unstable_by(f64::total_cmp);
        places.dedup();
        let at = |x: f64, log_width: f64| Atom {
            loss: self.loss(x),
            log_mass: log_width + self.log_density(&self.with, x),
        };
        let mut atoms: Vec<Atom> = places.first().map(|x| at(*x, 0.0)).into_iter().collect();
        let zones: Vec<(f64, f64)> = places
            .iter()
            .zip(places.iter().skip(1))
            .flat_map(|(low, high)| {
                if high - low > 2.0 * LAPLACE_REACH {
                    vec![(*low, low + LAPLACE_REACH), (high - LAPLACE_REACH, *high)]
                } else {
                    vec![(*low, *high)]
                }
            })
            .collect();
        let panels = (nodes / 2 / zones.len().max(1)).max(8);
        for (low, high) in zones {
            let panel = (high - low) / panels as f64;
            let reach = panel / (2.0 * 3f64.sqrt());
            for i in 0..panels {
                let middle = low + panel * (i as f64 + 0.5);
                let ends = [middle - reach, middle + reach];
                atoms.extend(ends.map(|x| at(x, ln(panel / 2.0))));
            }
        }
        atoms.extend(places.last().map(|x| at(*x, 0.0)));
        atoms
    }
}

/// Places and logarithms of weights.
pub(super) fn terms(shifts: &Shifts, unit: f64) -> Vec<(f64, f64)> {
    let list = shifts.list().iter();
    list.map(|(shift, weight)| (nearest(shift) * unit, log_of(weight)))
        .collect()
}

/// The infimum and supremum of the loss for noise with tails lighter than any exponential.
pub(super) fn limits(without: &[(f64, f64)], with: &[(f64, f64)]) -> (f64, f64) {
    let end = |terms: &[(f64, f64)], others: &[(f64, f64)]| {
        let is_bounded = others.iter().all(|(shift, _)| *shift == 0.0);
        let at_zero = terms.iter().find(|(shift, _)| *shift == 0.0);
        at_zero
            .filter(|_| is_bounded)
            .map_or(f64::NEG_INFINITY, |(_, log)| *log)
    };
    (end(with, without), -end(without, with))
}

/// log Σ exp(x).
pub(super) fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    largest + ln(logs.map(|log| exp(log - largest)).sum::<f64>())
}
