//! The shape of a Gaussian step, Poisson-sampled or not, with a record that is there or not, or replaced, in closed form.

use rug::Rational;

use super::Shape;
use crate::float::Cumulants;
use crate::float::elementary::{erfc, exp, exp_m1, ln, ln_1p, powi};

/// N(0, 1) against (1 − r)·N(0, 1) + r·N(μ, 1): the loss log(1 − r + r·e^{μx − μ²/2}) grows with x.
pub(super) struct SampledGaussian {
    pub(super) rate: f64,
    pub(super) mu: f64,
}

/// A law in points: one for each of many equal pieces of what was seen.
pub(super) struct Points {
    /// Losses, in increasing order.
    pub(super) losses: Vec<f64>,
    /// How much of the losses each stands for.
    pub(super) widths: Vec<f64>,
    /// Their masses under Q, which add up to 1.
    pub(super) masses: Vec<f64>,
    /// Logarithms of those.
    logs: Vec<f64>,
}

impl Points {
    /// Masses of the law tilted by e^{cL}, before they are divided by their total, and the logarithm that was taken out of them.
    fn weights(&self, c: f64) -> (Vec<f64>, f64) {
        let exponents = self.losses.iter().zip(&self.logs);
        let exponents: Vec<f64> = exponents.map(|(loss, log)| log + c * loss).collect();
        let most = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (exponents.iter().map(|x| exp(x - most)).collect(), most)
    }

    /// Masses of the law tilted by e^{cL}.
    pub(super) fn tilted(&self, c: f64) -> Vec<f64> {
        let (weights, _) = self.weights(c);
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }

    /// The binary logarithm of what a tilt by e^{cL} multiplies a mass by at most.
    pub(super) fn depth(&self, c: f64) -> f64 {
        let (weights, most) = self.weights(c);
        let total = most + ln(weights.iter().sum());
        let ends = [self.losses.first(), self.losses.last()];
        let rises = ends.into_iter().flatten().map(|loss| c * loss - total);
        rises.fold(0.0, f64::max) * std::f64::consts::LOG2_E
    }

    /// Of the law tilted by e^{cL}.
    pub(super) fn cumulants(&self, c: f64) -> Cumulants {
        let (weights, most) = self.weights(c);
        let total: f64 = weights.iter().sum();
        let of = |value: &dyn Fn(f64) -> f64| -> f64 {
            let terms = weights.iter().zip(&self.losses);
            terms
                .map(|(weight, loss)| weight * value(*loss))
                .sum::<f64>()
                / total
        };
        let mean = of(&|loss| loss);
        Cumulants {
            log_total: most + ln(total),
            mean,
            variance: of(&|loss| powi(loss - mean, 2)),
        }
    }
}

/// Beyond this many standard deviations there is nothing.
const FARTHEST: f64 = 38.0;
/// Points of the sums for the moments.
const POINTS: u32 = 512;
/// Standard deviations that the middle nine tenths of a normal law take up.
const MIDDLE: f64 = 3.29;

impl SampledGaussian {
    /// The pair of this rate and μ².
    pub(super) fn of((rate, square): (Rational, Rational)) -> Self {
        Self {
            rate: rate.to_f64(),
            mu: square.to_f64().sqrt(),
        }
    }

    /// The loss of a replaced record that is not reached with this probability under Q.
    pub(super) fn replaced_low(&self, share: f64) -> f64 {
        let x = self.place(|x| self.below(x) >= share);
        self.loss(x) - self.loss(-x)
    }

    /// The law of the pair within the range of its shape.
    pub(super) fn points(&self, shape: &Shape) -> Points {
        let place = |loss: f64| self.place(|x| self.loss(x) >= loss);
        let (low, high) = (place(shape.low), place(shape.high));
        let width = (high - low) / f64::from(POINTS);
        let edge = |i: u32| self.loss(low + f64::from(i) * width);
        let middles = (0..POINTS).map(|i| low + (f64::from(i) + 0.5) * width);
        let densities: Vec<f64> = middles.clone().map(|x| self.density(x)).collect();
        let total: f64 = densities.iter().sum();
        let masses: Vec<f64> = densities.iter().map(|density| density / total).collect();
        Points {
            losses: middles.map(|x| self.loss(x)).collect(),
            widths: (0..POINTS).map(|i| edge(i + 1) - edge(i)).collect(),
            logs: masses.iter().map(|mass| ln(*mass)).collect(),
            masses,
        }
    }

    /// The shape of the pair up to tails of this mass.
    pub(super) fn shape(&self, tail: f64) -> Shape {
        let low = self.place(|x| self.below(x).max(below(x)) >= tail);
        let high = self.place(|x| self.above(x) <= tail);
        let quantile = |share: f64| self.loss(self.place(|x| self.below(x) >= share));
        let [low_end, median, high_end] = [0.05, 0.5, 0.95].map(quantile);
        let (mean, sd) = self.moments(low, high, |x| self.density(x), |x| self.loss(x));
        Shape {
            mean,
            sd,
            low: self.loss(low),
            high: self.loss(high),
            median,
            bulk: bulk(high_end - low_end, sd),
            is_mirrored: false,
        }
    }

    /// The shape of the pair of a record that is replaced, (1 − r)·N(0, 1) + r·N(−μ, 1) against (1 − r)·N(0, 1) + r·N(μ, 1).
    pub(super) fn replaced_shape(&self, tail: f64) -> Shape {
        let loss = |x: f64| self.loss(x) - self.loss(-x);
        let high = self.place(|x| self.above(x) <= tail);
        let quantile = |share: f64| loss(self.place(|x| self.below(x) >= share));
        let [low_end, median, high_end] = [0.05, 0.5, 0.95].map(quantile);
        let (mean, sd) = self.moments(-high, high, |x| self.density(x), loss);
        Shape {
            mean,
            sd,
            low: loss(-high),
            high: loss(high),
            median,
            bulk: bulk(high_end - low_end, sd),
            is_mirrored: true,
        }
    }

    /// The shape of the pair in the other order, whose loss is the negative under N(0, 1).
    pub(super) fn swapped_shape(&self, tail: f64) -> Shape {
        let low = self.place(|x| below(x) >= tail);
        let high = self.place(|x| self.above(x).max(below(-x)) <= tail);
        let quantile = |share: f64| -self.loss(self.place(|x| below(x) >= 1.0 - share));
        let [low_end, median, high_end] = [0.05, 0.5, 0.95].map(quantile);
        let (mean, sd) = self.moments(low, high, |x| exp(-x * x / 2.0), |x| self.loss(x));
        Shape {
            mean: -mean,
            sd,
            low: -self.loss(high),
            high: -self.loss(low),
            median,
            bulk: bulk(high_end - low_end, sd),
            is_mirrored: false,
        }
    }

    /// Of Q, up to a factor.
    fn density(&self, x: f64) -> f64 {
        (1.0 - self.rate) * exp(-x * x / 2.0) + self.rate * exp(-powi(x - self.mu, 2) / 2.0)
    }

    fn loss(&self, x: f64) -> f64 {
        let exponent = self.mu * x - self.mu * self.mu / 2.0;
        if exponent > 40.0 {
            // 1 − r counts for nothing beside r·e^exponent unless r is tiny.
            return exponent
                + ln(self.rate)
                + ln_1p((1.0 - self.rate) / self.rate * exp(-exponent));
        }
        ln_1p(self.rate * exp_m1(exponent))
    }

    /// Q(X < x).
    fn below(&self, x: f64) -> f64 {
        (1.0 - self.rate) * below(x) + self.rate * below(x - self.mu)
    }

    /// Q(X > x).
    fn above(&self, x: f64) -> f64 {
        (1.0 - self.rate) * below(-x) + self.rate * below(self.mu - x)
    }

    /// Where the test turns from false to true.
    fn place(&self, test: impl Fn(f64) -> bool) -> f64 {
        let (mut low, mut high) = (-FARTHEST, FARTHEST + self.mu);
        for _ in 0..52 {
            let middle = (low + high) / 2.0;
            if test(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        (low + high) / 2.0
    }

    /// Mean and standard deviation of the loss under a density.
    fn moments(
        &self,
        low: f64,
        high: f64,
        density: impl Fn(f64) -> f64,
        loss: impl Fn(f64) -> f64,
    ) -> (f64, f64) {
        let width = (high - low) / f64::from(POINTS);
        let mut sums = [0.0; 3];
        for i in 0..POINTS {
            let x = low + (f64::from(i) + 0.5) * width;
            let (density, loss) = (density(x), loss(x));
            let terms = [density, density * loss, density * loss * loss];
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum += term;
            }
        }
        let [mass, first, second] = sums;
        let mean = first / mass;
        (mean, (second / mass - mean * mean).max(0.0).sqrt())
    }
}

fn bulk(middle: f64, sd: f64) -> f64 {
    let bulk = middle / MIDDLE;
    if bulk > 1e-12 * sd { bulk.min(sd) } else { sd }
}

/// Φ(x).
pub(super) fn below(x: f64) -> f64 {
    erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Budget, Profile};
    use crate::mechanism::gaussian::Gaussian;
    use crate::mechanism::shifted::{GaussianMixtures, Shifts};
    use crate::mechanism::subsampled;
    use rug::Rational;
    use std::sync::Arc;

    /// The same shape as from certified tails.
    #[test]
    fn agrees_with_the_general_way() {
        let general =
            |profile: &dyn Profile| Shape::general(profile, 1e-15, &Budget::unlimited()).unwrap();
        for (rate, mu) in [
            ((1, 3), (1, 10)),
            ((1, 10_000), (163, 100)),
            ((1, 1), (2, 1)),
            ((1, 50), (3, 1)),
        ] {
            let (rate, mu) = (Rational::from(rate), Rational::from(mu));
            let profile = subsampled::subsampled(&rate, Arc::new(Gaussian::from_mu(&mu)));
            let pair = SampledGaussian {
                rate: rate.to_f64(),
                mu: mu.to_f64(),
            };
            let orders = [
                (pair.shape(1e-15), general(&*profile)),
                (pair.swapped_shape(1e-15), general(&*profile.swapped())),
            ];
            let shifts = Shifts::sampled(&rate);
            let (square, both) = (mu.square(), shifts.clone());
            let replaced = GaussianMixtures::new(square, shifts, both);
            let apart = (pair.replaced_shape(1e-15), general(&replaced));
            for (found, expected) in orders.into_iter().chain([apart]) {
                let close = |a: f64, b: f64| (a - b).abs() <= 0.02 * expected.sd + 0.01 * b.abs();
                assert!(close(found.mean, expected.mean), "{found:?} {expected:?}");
                assert!(close(found.sd, expected.sd), "{found:?} {expected:?}");
                assert!(close(found.low, expected.low), "{found:?} {expected:?}");
                assert!(close(found.high, expected.high), "{found:?} {expected:?}");
                assert!(
                    close(found.median, expected.median),
                    "{found:?} {expected:?}"
                );
                assert!(
                    (found.bulk / expected.bulk - 1.0).abs() < 0.02,
                    "{found:?} {expected:?}"
                );
            }
        }
    }
}
