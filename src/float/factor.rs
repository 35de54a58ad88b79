//! Moment generating functions E_Q e^{sL} of Gaussian steps, sampled or not, in the complex plane.

use std::f64::consts::{PI, TAU};

use num_complex::Complex;

use super::elementary::{atan2, exp, exp_m1, exp_of, hypot, ln, ln_1p, norm, sin_cos};
use super::pair::Pair;

/// Copies of one step whose loss is an analytic function of a Gaussian variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum Factor {
    /// Gaussians; this is the sum of their μ².
    Gaussian(f64),
    /// Sampled Gaussians.
    Sampled {
        /// r.
        rate: f64,
        /// μ of the Gaussian.
        mu: f64,
        /// Number of copies.
        times: f64,
    },
}

/// Larger steps are next to atoms: their transforms fall and rise again.
const LARGEST_MU: f64 = 4.0;
/// −log of what quadrature may miss in all copies of a step together.
const MISSED: f64 = 38.0;
/// The widest step at which the trapezoidal rule misses no more of e^{−z²/2}.
const WIDEST: f64 = 0.6;
/// Nodes beyond which a tilt is too far: rare and small steps need that many far from anything that is asked for.
const MOST_NODES: f64 = 1e5;
/// Tilts that may move the Gaussian variable at most so far need no closer look at where it goes.
const NEAR: f64 = 64.0;

/// log E e^{cL}, and mean and variance of the law of weight e^{cL}·Q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cumulants {
    pub(crate) log_total: f64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl Cumulants {
    /// Those of minus the loss.
    pub(crate) fn negated(self) -> Self {
        Self {
            mean: -self.mean,
            ..self
        }
    }

    /// Those of a sum of independent losses.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            log_total: self.log_total + other.log_total,
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
        }
    }
}

impl Factor {
    /// `None` if the loss has atoms or is next to having them.
    pub(super) fn of(pair: &Pair, times: f64) -> Option<Self> {
        match pair {
            Pair::Gaussian(mu) => Some(Self::Gaussian(times * mu * mu)),
            Pair::Subsampled { rate, of } => match **of {
                Pair::Gaussian(mu) if mu <= LARGEST_MU => Some(Self::Sampled {
                    rate: *rate,
                    mu,
                    times,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// The cumulants of all copies together, tilted by e^{cL}.
    pub(super) fn cumulants(&self, c: f64) -> Cumulants {
        let (rate, mu, times) = match *self {
            Self::Gaussian(square) => {
                return Cumulants {
                    log_total: square * c * (c + 1.0) / 2.0,
                    mean: square * (c + 0.5),
                    variance: square,
                };
            }
            Self::Sampled { rate, mu, times } => (rate, mu, times),
        };
        let step = f64::min(WIDEST, TAU * strip(mu, c) / MISSED);
        let (low, high) = reach(rate, mu, times, c);
        if (high - low) / step > MOST_NODES {
            return Cumulants {
                log_total: f64::NAN,
                mean: f64::NAN,
                variance: f64::NAN,
            };
        }
        // Under P the masses sum to 1, so what the tilt adds is summed by itself.
        let (mut added, mut first, mut second) = (0.0, 0.0, 0.0);
        for i in (low / step).floor() as i64..=(high / step).ceil() as i64 {
            let z = step * i as f64;
            let weight = step * exp(-z * z / 2.0) / TAU.sqrt();
            let loss = ln_1p(rate * exp_m1(mu * (z - mu / 2.0)));
            let grown = weight * exp_m1((c + 1.0) * loss);
            added += grown;
            if !added.is_finite() {
                first = f64::NAN;
                break;
            }
            first += (weight + grown) * loss;
            second += (weight + grown) * loss * loss;
        }
        let total = 1.0 + added;
        let mean = first / total;
        Cumulants {
            log_total: times * ln_1p(added),
            mean: times * mean,
            variance: times * (second / total - mean * mean).max(0.0),
        }
    }

    /// The transform along Re s = c; `fastest` is the largest Im s to be asked for.
    pub(super) fn along(&self, c: f64, fastest: f64) -> Transform {
        let (rate, mu, times) = match *self {
            Self::Gaussian(square) => return Transform::Gaussian(square),
            Self::Sampled { rate, mu, times } => (rate, mu, times),
        };
        // Losses that turn faster than the nodes can follow die away above the real line.
        let is_fast = fastest * mu > 0.5;
        let (height, free) = if is_fast {
            let middle = (strip(mu, c) / 2.0).min(2.0);
            (middle, middle)
        } else {
            (0.0, strip(mu, c))
        };
        let step = f64::min(WIDEST, TAU * free / MISSED);
        let (low, high) = reach(rate, mu, times, c);
        let mut nodes: Vec<Node> = ((low / step).floor() as i64..=(high / step).ceil() as i64)
            .map(|i| {
                let z = Complex::new(step * i as f64, height);
                let odds = exp_of(mu * (z - mu / 2.0));
                let loss = log_of_one_and((odds - 1.0) * rate);
                Node {
                    weight: exp_of((c + 1.0) * loss - z * z / 2.0),
                    loss,
                }
            })
            .collect();
        let largest = nodes
            .iter()
            .map(|node| norm(node.weight))
            .fold(0.0, f64::max);
        let least = largest * exp(-MISSED - 2.0) / times.max(1.0);
        nodes.retain(|node| norm(node.weight) > least);
        let total: Complex<f64> = nodes.iter().map(|node| node.weight).sum();
        let mean = nodes
            .iter()
            .map(|node| node.weight * node.loss)
            .sum::<Complex<f64>>()
            / total;
        for node in &mut nodes {
            node.weight /= total;
            node.loss -= mean.re;
        }
        let spread = nodes.iter().map(|node| norm(node.weight * node.loss)).sum();
        if is_fast {
            Transform::Complex {
                nodes,
                times,
                spread,
            }
        } else {
            let real = |node: Node| (node.weight.re, node.loss.re / 2.0);
            Transform::Real {
                nodes: nodes.into_iter().map(real).collect(),
                times,
                spread,
            }
        }
    }
}

/// Height above the real line up to which e^{(c+1)·loss} is analytic and small: there are branch points at π/μ, and
/// powers below 0 grow from half of that.
fn strip(mu: f64, c: f64) -> f64 {
    if c < -1.0 { PI / (2.0 * mu) } else { PI / mu }
}

/// Where the weight e^{−z²/2}·e^{(c+1)·loss} counts.
fn reach(rate: f64, mu: f64, times: f64, c: f64) -> (f64, f64) {
    let usual = f64::sqrt(2.0 * (MISSED + ln(times.max(1.0))));
    let shift = (c + 1.0) * mu;
    // The loss is at least log(1 − r).
    let lowest = f64::sqrt(2.0 * (c + 1.0).min(0.0) * ln_1p(-rate));
    let (low, high) = (shift.max(-lowest).min(0.0), shift.max(0.0));
    if high - low <= NEAR {
        return (low - usual, high + usual);
    }
    // Losses of rare steps hardly grow with z, so that the weight is largest far before that.
    let odds = |z: f64| rate * exp(mu * (z - mu / 2.0));
    let pull = |z: f64| shift * odds(z) / (1.0 - rate + odds(z));
    if shift < 0.0 {
        // The exponent is concave with a curvature of at most −1: one peak, nowhere wider than usual.
        let (mut low, mut high) = (low, 0.0);
        for _ in 0..FIXED_POINT {
            let middle = (low + high) / 2.0;
            if pull(middle) > middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low - usual, usual);
    }
    // The largest z at which the exponent has a slope of 0, from above.
    let last = (0..FIXED_POINT).fold(high, |z, _| pull(z).min(z));
    let exponent = |z: f64| (c + 1.0) * ln_1p(rate * exp_m1(mu * (z - mu / 2.0))) - z * z / 2.0;
    let mut width = usual;
    while last + width < high + usual
        && exponent(last + width) > exponent(last) - usual * usual / 2.0
    {
        width *= 2.0;
    }
    (-usual, (last + width).min(high + usual))
}

/// Steps to a fixed point of the peak of a weight; any number gives enough nodes, more give fewer.
const FIXED_POINT: usize = 60;

/// One point of quadrature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    weight: Complex<f64>,
    loss: Complex<f64>,
}

/// ω ↦ log E e^{iω(L − mean)} under the law of weight e^{cL}·Q, for all copies together.
#[derive(Debug, Clone)]
pub(super) enum Transform {
    Gaussian(f64),
    /// Weights and half the losses.
    Real {
        nodes: Vec<(f64, f64)>,
        times: f64,
        spread: f64,
    },
    Complex {
        nodes: Vec<Node>,
        times: f64,
        /// Mean of |loss − mean|.
        spread: f64,
    },
}

impl Transform {
    pub(super) fn at(&self, omega: f64) -> Complex<f64> {
        match self {
            Self::Gaussian(square) => Complex::new(-square * omega * omega / 2.0, 0.0),
            Self::Real { nodes, times, .. } => {
                let (mut re, mut im) = (0.0, 0.0);
                for (weight, half) in nodes {
                    let (sin, cos) = sin_cos(omega * half);
                    let part = weight * sin;
                    re -= part * sin;
                    im += part * cos;
                }
                times * log_of_one_and(Complex::new(2.0 * re, 2.0 * im))
            }
            Self::Complex { nodes, times, .. } => {
                let mut sum = Complex::new(0.0, 0.0);
                for node in nodes {
                    let (fall, turn) = (-omega * node.loss.im, omega * node.loss.re);
                    let (sin, cos) = sin_cos(turn / 2.0);
                    let grown = exp_m1(fall);
                    let re = grown - 2.0 * sin * sin * (1.0 + grown);
                    let im = 2.0 * sin * cos * (1.0 + grown);
                    sum += node.weight * Complex::new(re, im);
                }
                times * log_of_one_and(sum)
            }
        }
    }
}

impl Transform {
    /// About the error of `at`, from rounding.
    pub(super) fn rounding(&self, omega: f64) -> f64 {
        match self {
            Self::Gaussian(_) => 0.0,
            Self::Real { times, spread, .. } | Self::Complex { times, spread, .. } => {
                f64::EPSILON * times * (omega * spread).min(2.0)
            }
        }
    }
}

/// log(1 + z) without cancellation.
fn log_of_one_and(z: Complex<f64>) -> Complex<f64> {
    let square = z.re * (2.0 + z.re) + z.im * z.im;
    let log = if square > -0.5 {
        ln_1p(square) / 2.0
    } else {
        ln(hypot(1.0 + z.re, z.im))
    };
    Complex::new(log, atan2(z.im, 1.0 + z.re))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sampled at a rate of almost 1 a Gaussian is itself.
    #[test]
    fn sampling_nearly_all_is_no_sampling() {
        let (mu, times) = (0.7, 3.0);
        let sampled = Factor::Sampled {
            rate: 1.0 - f64::EPSILON,
            mu,
            times,
        };
        let whole = Factor::Gaussian(times * mu * mu);
        for c in [-2.0, -1.0, -0.3, 0.0, 1.5, 4.0] {
            let (a, b) = (sampled.cumulants(c), whole.cumulants(c));
            for (x, y) in [
                (a.log_total, b.log_total),
                (a.mean, b.mean),
                (a.variance, b.variance),
            ] {
                assert!((x - y).abs() < 1e-10 * (1.0 + y.abs()), "{c} {a:?} {b:?}");
            }
            for (fastest, omega) in [(0.5, 0.5), (6.0, 0.5), (6.0, 3.0)] {
                let x = exp_of(sampled.along(c, fastest).at(omega));
                let y = exp_of(whole.along(c, fastest).at(omega));
                assert!(norm(x - y) < 1e-10, "{c} {omega} {x} {y}");
            }
        }
    }

    /// Rare steps of tiny scale are all but Gaussian ones of μ' = rμ, however far they are tilted: z goes as far as that takes, not as
    /// far as (c + 1)·μ, which would be ten thousand million nodes.
    #[test]
    fn far_tilts_of_rare_small_steps() {
        let (rate, mu, times) = (1e-9, 1e-9, 1000.0);
        let factor = Factor::Sampled { rate, mu, times };
        let square = times * rate * rate * mu * mu;
        for tilted in [-12.0, -3.0, 3.0, 12.0] {
            let c: f64 = tilted / (rate * mu);
            let (low, high) = reach(rate, mu, times, c);
            assert!(
                high - low < 100.0 && low < tilted && tilted < high,
                "{low} {high}"
            );
            let Cumulants {
                log_total,
                mean,
                variance,
            } = factor.cumulants(c);
            for (found, wanted) in [
                (log_total, square * c * (c + 1.0) / 2.0),
                (mean, square * (c + 0.5)),
                (variance, square),
            ] {
                assert!(
                    (found / wanted - 1.0).abs() < 1e-5,
                    "{tilted}: {found} {wanted}"
                );
            }
        }
        // Two peaks far from one another: what cannot be summed is not.
        let far = Factor::Sampled {
            rate: 0.5,
            mu: 1e-9,
            times,
        };
        assert!(far.cumulants(1e20).mean.is_nan());
    }

    /// On the real line and above it, the transform is the same.
    #[test]
    fn both_forms_agree() {
        for (rate, mu) in [(0.3, 0.5), (1e-3, 1.4), (1e-4, 0.2), (0.01, 2.5)] {
            let factor = Factor::Sampled {
                rate,
                mu,
                times: 100.0,
            };
            for c in [-1.5, -0.5, 0.2, 2.0] {
                let omega = 0.45 / mu;
                let (slow, fast) = (factor.along(c, omega), factor.along(c, 100.0 * omega));
                assert!(matches!(slow, Transform::Real { .. }));
                assert!(matches!(fast, Transform::Complex { .. }));
                let (x, y) = (exp_of(slow.at(omega)), exp_of(fast.at(omega)));
                assert!(norm(x - y) < 1e-10 * norm(x), "{rate} {mu} {c} {x} {y}");
            }
        }
    }
}
