//! The shape of a Gaussian step, Poisson-sampled or not, in closed form.

use statrs::function::erf::erfc;

use super::Shape;

/// N(0, 1) against (1 − r)·N(0, 1) + r·N(μ, 1): the loss log(1 − r + r·e^{μx − μ²/2}) grows with x.
pub(super) struct SampledGaussian {
    pub(super) rate: f64,
    pub(super) mu: f64,
}

/// Beyond this many standard deviations there is nothing.
const FARTHEST: f64 = 38.0;
/// Points of the sums for the moments.
const POINTS: u32 = 512;

impl SampledGaussian {
    /// Its shape up to tails of this mass.
    pub(super) fn shape(&self, tail: f64) -> Shape {
        let low = self.place(|x| self.below(x).max(below(x)) >= tail);
        let high = self.place(|x| self.above(x) <= tail);
        let quantile = |share: f64| self.loss(self.place(|x| self.below(x) >= share));
        let (mean, sd) = self.moments(low, high);
        let middle = (quantile(0.95) - quantile(0.05)) / 3.29;
        Shape {
            mean,
            sd,
            low: self.loss(low),
            high: self.loss(high),
            median: quantile(0.5),
            bulk: if middle > 1e-12 * sd {
                middle.min(sd)
            } else {
                sd
            },
        }
    }

    fn loss(&self, x: f64) -> f64 {
        let exponent = self.mu * x - self.mu * self.mu / 2.0;
        if exponent > 40.0 {
            // 1 − r counts for nothing beside r·e^exponent unless r is tiny.
            return exponent
                + self.rate.ln()
                + ((1.0 - self.rate) / self.rate * (-exponent).exp()).ln_1p();
        }
        (self.rate * exponent.exp_m1()).ln_1p()
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

    /// Mean and standard deviation of the loss under Q.
    fn moments(&self, low: f64, high: f64) -> (f64, f64) {
        let width = (high - low) / f64::from(POINTS);
        let mut sums = [0.0; 3];
        for i in 0..POINTS {
            let x = low + (f64::from(i) + 0.5) * width;
            let density = (1.0 - self.rate) * (-x * x / 2.0).exp()
                + self.rate * (-(x - self.mu).powi(2) / 2.0).exp();
            let loss = self.loss(x);
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

/// Φ(x).
fn below(x: f64) -> f64 {
    erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::gaussian::Gaussian;
    use crate::mechanism::subsampled;
    use rug::Rational;
    use std::sync::Arc;

    /// The same shape as from certified tails.
    #[test]
    fn agrees_with_the_general_way() {
        for (rate, mu) in [
            ((1, 3), (1, 10)),
            ((1, 10_000), (163, 100)),
            ((1, 1), (2, 1)),
            ((1, 50), (3, 1)),
        ] {
            let (rate, mu) = (Rational::from(rate), Rational::from(mu));
            let profile = subsampled::subsampled(&rate, Arc::new(Gaussian::from_mu(&mu)));
            let found = SampledGaussian {
                rate: rate.to_f64(),
                mu: mu.to_f64(),
            }
            .shape(1e-15);
            let expected = Shape::general(&*profile, 1e-15);
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
