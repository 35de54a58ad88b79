//! The Gaussian-DP parameter μ in its three forms.

use super::curve::Curve;
use super::elementary::exp;
use super::pair::Pair;
use super::real::{nearest, normal_quantile};
use super::search::{maxima, places};
use crate::mechanism::shifted::Noise;
use crate::mechanism::{Step, Steps};

/// What a grid gets wrong is hidden by this much.
const HIDES_A_GRID: f64 = 1e-10;

/// What is known about strict μ*.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum StrictMu {
    /// By a theorem.
    Known(f64),
    /// It is at least this and what the curve shows.
    AtLeast(f64),
}

impl Curve {
    /// inf{μ : G_μ ≤ f on [0, 1]}; ∞ if there is none. By theorem for compositions of Gaussians, sampled or not, for
    /// one Laplace and for finite laws; else the larger of what the Gaussian parts force and what the curve shows where its digits are good, which may be
    /// far below.
    pub fn strict_mu(&self) -> f64 {
        if self.has_infinite_loss() {
            return f64::INFINITY;
        }
        match self.strict {
            StrictMu::Known(mu) => mu,
            StrictMu::AtLeast(mu) => mu.max(self.largest_mu(0.0, self.pair.least_trusted())),
        }
    }

    /// Is [`Self::strict_mu`] more than a bound from below? A grid does not reach the small tests that it may depend on.
    pub fn knows_strict_mu(&self) -> bool {
        self.has_infinite_loss()
            || matches!(self.strict, StrictMu::Known(_))
            || !self.pair.is_of_a_grid()
    }

    fn has_infinite_loss(&self) -> bool {
        self.pair.infinite() > 0.0 || self.pair.null_only() > 0.0
    }

    /// inf{μ : Δ(G_μ‖M) ≤ τ}, that is f(α) ≥ G_μ(α + τ) − τ for all α; strict μ* for τ ≤ 0.
    pub fn mu_with_tolerance(&self, tolerance: f64) -> f64 {
        if tolerance.is_nan() || tolerance <= 0.0 {
            return self.strict_mu();
        }
        let least = if tolerance < HIDES_A_GRID && self.pair.is_of_a_grid() {
            self.pair.least_trusted()
        } else {
            0.0
        };
        let found = self.largest_mu(tolerance, least);
        match self.strict {
            StrictMu::Known(mu) => found.min(mu),
            StrictMu::AtLeast(_) => found,
        }
    }

    /// inf{μ : f(α) ≥ G_μ(α) wherever α ≥ e and G_μ(α) ≥ e}; strict μ* for e ≤ 0.
    pub fn mu_above_floor(&self, floor: f64) -> f64 {
        if floor.is_nan() || floor <= 0.0 {
            return self.strict_mu();
        }
        let floor = if self.pair.is_of_a_grid() {
            floor.max(HIDES_A_GRID)
        } else {
            floor
        };
        let at_floor = self.tradeoff(floor);
        if at_floor < floor {
            return -2.0 * normal_quantile(floor);
        }
        let places = places(&[&self.pair]);
        let inside = maxima(&places, |epsilon| {
            let knot = self.at(epsilon);
            if knot.alpha >= floor && knot.beta >= floor {
                mu_of(knot.alpha, knot.beta)
            } else {
                0.0
            }
        });
        let inside = inside.first().map_or(0.0, |top| top.1);
        inside
            .max(mu_of(floor, at_floor))
            .max(mu_of(self.tradeoff_inverse(floor), floor))
            .max(0.0)
    }

    /// The largest μ of a point (α + τ, f(α) + τ) with neither error within `least` of 0 or 1; G_μ is symmetric, so both orders of
    /// the pair have the same.
    fn largest_mu(&self, tolerance: f64, least: f64) -> f64 {
        let places = places(&[&self.pair]);
        let tops = maxima(&places, |epsilon| {
            let knot = self.pair.at(epsilon);
            let (alpha, beta) = (knot.alpha + tolerance, knot.beta + tolerance);
            let is_inside = |error: f64| error > 0.0 && error < 1.0;
            let is_trusted = |error: f64| error >= least && error <= 1.0 - least;
            if is_inside(alpha)
                && is_inside(beta)
                && is_trusted(knot.alpha)
                && is_trusted(knot.beta)
            {
                mu_of(alpha, beta)
            } else {
                0.0
            }
        });
        // An end of the curve that is no end of the diagonal.
        let end = |mass: f64| {
            let (alpha, beta) = (1.0 - mass + tolerance, tolerance);
            if alpha < 1.0 { mu_of(alpha, beta) } else { 0.0 }
        };
        let ends = end(self.pair.infinite()).max(end(self.pair.null_only()));
        tops.first().map_or(0.0, |top| top.1).max(ends).max(0.0)
    }
}

/// The μ with G_μ(α) = β.
fn mu_of(alpha: f64, beta: f64) -> f64 {
    let mu = -normal_quantile(alpha) - normal_quantile(beta);
    if mu.is_nan() { 0.0 } else { mu }
}

/// What the steps tell about strict μ*.
pub(super) fn strict_mu(steps: &Steps, pair: &Pair) -> StrictMu {
    match pair {
        Pair::Gaussian(mu) => return StrictMu::Known(*mu),
        // αβ = e^{−ε0}/4 on the curve between its atoms, and μ is largest where α = β.
        Pair::Laplace(largest) => {
            let level = exp(-largest / 2.0) / 2.0;
            return StrictMu::Known((-2.0 * normal_quantile(level)).max(0.0));
        }
        _ => {}
    }
    let mut square = 0.0;
    let all_gaussian = add_squares(steps, 1.0, &mut square);
    if all_gaussian {
        StrictMu::Known(square.sqrt())
    } else {
        StrictMu::AtLeast(square.sqrt())
    }
}

/// Adds μ² of the Gaussian parts, sampled or not, discrete or not; are there no others, nor discrete ones?
fn add_squares(steps: &Steps, times: f64, square: &mut f64) -> bool {
    steps.list().iter().fold(true, |all, (step, count)| {
        let times = times * *count as f64;
        let is_gaussian = match step {
            Step::Gaussian { mu_squared } => {
                *square += times * nearest(mu_squared);
                true
            }
            Step::Sampled(sampled) => add_squares(sampled.of(), times, square),
            // The largest part counts, whatever its weight.
            Step::Labelled(parts) => {
                let (mut largest, mut are_all) = (0.0, true);
                for (_, part) in parts.iter() {
                    let mut one = 0.0;
                    are_all &= add_squares(part, times, &mut one);
                    largest = f64::max(largest, one);
                }
                *square += largest;
                are_all
            }
            Step::DiscreteGaussian { sigma, sensitivity } => {
                let mu = *sensitivity as f64 / nearest(sigma);
                *square += times * mu * mu;
                false
            }
            Step::Shifted(pair) => {
                let shift = nearest(&pair.tails_apart());
                match pair.noise() {
                    Noise::Gaussian { unit_squared } => {
                        *square += times * shift * shift * nearest(unit_squared);
                        pair.tails_apart() == pair.farthest()
                    }
                    Noise::DiscreteGaussian { sigma, unit } => {
                        let mu = shift * *unit as f64 / nearest(sigma);
                        *square += times * mu * mu;
                        false
                    }
                    Noise::GaussianSum {
                        sigma,
                        parties,
                        unit,
                    } => {
                        let mu = shift * *unit as f64 / nearest(sigma);
                        *square += times * mu * mu / *parties as f64;
                        false
                    }
                    Noise::Laplace { .. }
                    | Noise::DiscreteLaplace { .. }
                    | Noise::Skellam { .. } => false,
                }
            }
            Step::Laplace { .. }
            | Step::Finite(_)
            | Step::Zcdp { .. }
            | Step::Rdp { .. }
            | Step::Closed(_) => false,
        };
        is_gaussian && all
    })
}
