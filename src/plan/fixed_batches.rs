//! How fine a lattice the dynamic program of fixed batches needs, and how many steps it may take at once.

use crate::float::elementary::{exp, exp_m1, ln, ln_1p};

use rug::Rational;

/// A lattice of ratios, and blocks of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatticeOfRatios {
    /// N, where neighbours are 1 + 1/N apart.
    pub density: u32,
    /// Places above u = 1.
    pub reach: usize,
    /// Steps of one block.
    pub block: u64,
}

/// log δ beyond which the lattice ends.
const FARTHEST: f64 = -34.0;
/// Width of a cell, in standard deviations of the loss of a step: rounding adds a part of width²/6 to the variance.
const WIDTH: f64 = 0.13;
/// Places at most.
const MOST_PLACES: f64 = 5_000.0;
/// Steps times places at most.
const MOST_WORK: f64 = 4_000_000.0;

/// A lattice for `times` steps at this rate, with noise of which two records are μ apart, where this is μ².
pub fn lattice_of_ratios(rate: &Rational, mu_squared: &Rational, times: u64) -> LatticeOfRatios {
    let mu = mu_squared.to_f64().sqrt().min(1e3);
    lattice(rate.to_f64().max(1e-300), mu, times, MOST_WORK)
}

fn lattice(rate: f64, mu: f64, times: u64, work: f64) -> LatticeOfRatios {
    let step = rate * exp_m1((mu * mu).min(5.0)).sqrt();
    let width = (WIDTH * step).clamp(1e-6, 0.25);
    let whole = times as f64;
    let mut blocks = 1.0f64;
    loop {
        let block = (whole / blocks).ceil();
        let far = farthest_loss(rate, mu, block).max(4.0 * width);
        let density = (1.0 / width).min(MOST_PLACES / far).max(4.0);
        let reach = (far / ln_1p(1.0 / density))
            .ceil()
            .clamp(4.0, 2.0 * MOST_PLACES);
        if block * reach <= work || block <= 16.0 {
            return LatticeOfRatios {
                density: density as u32,
                reach: reach as usize,
                block: block as u64,
            };
        }
        blocks = (blocks * 1.1).max(blocks + 1.0).floor();
    }
}

/// Beyond which loss δ of the sampled pair is negligible: log E LR^k of whole orders, and Markov's inequality.
fn farthest_loss(rate: f64, mu: f64, times: f64) -> f64 {
    let mut least = f64::INFINITY;
    for order in 2..=96u32 {
        let mut terms = Vec::new();
        let mut log_choices = 0.0f64;
        for k in 0..=order {
            let (n, k_) = (f64::from(order), f64::from(k));
            let log = log_choices
                + (n - k_) * ln_1p(-rate)
                + k_ * ln(rate)
                + k_ * (k_ - 1.0) * mu * mu / 2.0;
            terms.push(log);
            log_choices += ln((n - k_) / (k_ + 1.0));
        }
        let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|t| exp(t - most)).sum();
        let log = (most + ln(sum)).max(0.0);
        least = least.min((times * log - FARTHEST) / f64::from(order - 1));
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_long_as_the_work_allows() {
        let one = lattice(0.01, 1.0, 1_000, MOST_WORK);
        assert_eq!(one.block, 1_000);
        assert!((450..700).contains(&one.density) && (1_500..4_500).contains(&one.reach));
        let many = lattice(0.01, 1.0, 100_000, MOST_WORK);
        assert!((500..2_000).contains(&many.block));
        for (rate, mu, times) in [
            (1e-9, 1e-3, 1),
            (0.999, 50.0, 1 << 40),
            (1e-6, 0.1, 1_000_000_000_000),
            (0.5, 1e-9, 10),
        ] {
            let found = lattice(rate, mu, times, 1e5);
            assert!(
                found.block >= 1 && found.density >= 4 && found.reach <= 10_000,
                "{found:?}"
            );
        }
    }
}
