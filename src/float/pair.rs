//! One dominating pair (P, Q) in f64: the point of its curve at every ε.

use std::sync::Arc;

use super::contour::Contour;
use super::elementary::{exp, exp_m1, ln, ln_1p};
use super::law::Law;
use super::mixtures::Mixtures;
use super::profiled::Profiled;
use super::real::{mills, mills_defect, normal_density, normal_tail};

/// What a pair says at one ε, each number without cancellation, so accurate also where it is small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ProfilePoint {
    /// δ(ε) = Q(L > ε) − e^ε·P(L > ε).
    pub delta: f64,
    /// δ of the swapped pair at −ε: P(L ≤ ε) − e^{−ε}·Q(L ≤ ε).
    pub dual: f64,
    /// P(L > ε), the type-I error of the test that rejects above ε.
    pub alpha: f64,
    /// Q(L ≤ ε), its type-II error.
    pub beta: f64,
}

impl ProfilePoint {
    /// The same of the swapped pair at −ε.
    pub(super) fn swapped(self) -> Self {
        Self {
            delta: self.dual,
            dual: self.delta,
            alpha: self.beta,
            beta: self.alpha,
        }
    }
}

/// Sums of masses that are listed one by one are trusted down to here: what is left out is far less.
pub(super) const TRUSTED_SUM: f64 = 1e-30;
/// Sums of masses of a transform. Of Gaussian noise composed with Laplace noise or randomised response they are wrong by up to 2e-11 where they are small, and by 2e-8 where
/// they are next to 1.
pub(super) const TRUSTED_GRID: f64 = 1e-7;

/// A dominating pair.
#[derive(Debug, Clone)]
pub(super) enum Pair {
    /// N(0, 1) against N(μ, 1), μ > 0.
    Gaussian(f64),
    /// Laplace noise with largest loss ε0 > 0.
    Laplace(f64),
    /// Losses with masses.
    Law(Arc<Law>),
    /// A composition of Gaussians, sampled or not.
    Contour(Arc<Contour>),
    /// Mixtures of shifted Gaussian or Laplace noise.
    Mixtures(Arc<Mixtures>),
    /// By its certified profile.
    Profiled(Arc<Profiled>),
    /// Pairs with weights, and a public label that says which.
    Labelled(Arc<[(f64, Pair)]>),
    /// (P, (1 − r)P + rQ) with 0 < r < 1.
    Subsampled {
        /// r.
        rate: f64,
        /// (P, Q).
        of: Box<Pair>,
    },
}

impl Pair {
    /// G_μ, μ ≥ 0.
    pub(super) fn gaussian(mu: f64) -> Self {
        if mu > 0.0 {
            Self::Gaussian(mu)
        } else {
            Self::Law(Law::certain(0.0, 0.0).into())
        }
    }

    /// The pair at a real ε.
    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        match self {
            Self::Gaussian(mu) => gaussian(*mu, epsilon),
            Self::Laplace(largest) => laplace(*largest, epsilon),
            Self::Law(law) => law.at(epsilon),
            Self::Contour(contour) => contour.at(epsilon),
            Self::Mixtures(mixtures) => mixtures.at(epsilon),
            Self::Profiled(profile) => profile.at(epsilon),
            Self::Labelled(parts) => labelled(parts, epsilon),
            Self::Subsampled { rate, of } => subsampled(*rate, of, epsilon),
        }
    }

    /// Q(L = ∞).
    pub(super) fn infinite(&self) -> f64 {
        match self {
            Self::Gaussian(_) | Self::Laplace(_) | Self::Contour(_) | Self::Mixtures(_) => 0.0,
            Self::Law(law) => law.infinite(),
            Self::Profiled(profile) => profile.infinite(),
            Self::Labelled(parts) => parts.iter().map(|(w, of)| w * of.infinite()).sum(),
            Self::Subsampled { rate, of } => rate * of.infinite(),
        }
    }

    /// P(L = −∞).
    pub(super) fn null_only(&self) -> f64 {
        match self {
            Self::Law(law) => law.null_only(),
            Self::Profiled(profile) => profile.null_only(),
            Self::Labelled(parts) => parts.iter().map(|(w, of)| w * of.null_only()).sum(),
            _ => 0.0,
        }
    }

    /// The infimum and supremum of the finite losses.
    pub(super) fn support(&self) -> (f64, f64) {
        match self {
            Self::Gaussian(_) => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Laplace(largest) => (-largest, *largest),
            Self::Law(law) => law.support(),
            Self::Contour(contour) => contour.support(),
            Self::Mixtures(mixtures) => mixtures.support(),
            Self::Profiled(profile) => profile.support(),
            Self::Labelled(parts) => widest(parts.iter().map(|(_, of)| of.support())),
            Self::Subsampled { rate, of } => {
                let (low, high) = of.support();
                let low = if of.null_only() > 0.0 {
                    f64::NEG_INFINITY
                } else {
                    low
                };
                (subsampled_loss(*rate, low), subsampled_loss(*rate, high))
            }
        }
    }

    /// Errors below this, or within this of 1, may be rounding alone.
    pub(super) fn least_trusted(&self) -> f64 {
        match self {
            Self::Gaussian(_) | Self::Laplace(_) | Self::Mixtures(_) | Self::Profiled(_) => 0.0,
            Self::Law(law) => law.least_trusted(),
            Self::Contour(_) => TRUSTED_SUM,
            Self::Labelled(parts) => {
                let parts = parts.iter().map(|(_, of)| of.least_trusted());
                parts.fold(0.0, f64::max)
            }
            Self::Subsampled { of, .. } => of.least_trusted(),
        }
    }

    /// Does it come of a transform on a grid?
    pub(super) fn is_of_a_grid(&self) -> bool {
        self.least_trusted() >= TRUSTED_GRID
    }

    /// Losses between which all but about e^{−90} of either mass lies.
    pub(super) fn range(&self) -> (f64, f64) {
        const WIDTHS: f64 = 13.5;
        match self {
            Self::Gaussian(mu) => {
                let far = mu * (mu / 2.0 + WIDTHS);
                (-far, far)
            }
            Self::Laplace(largest) => (-largest, *largest),
            Self::Law(law) => law.range(),
            Self::Contour(contour) => contour.range(),
            Self::Mixtures(mixtures) => mixtures.range(),
            Self::Profiled(profile) => profile.range(),
            Self::Labelled(parts) => widest(parts.iter().map(|(_, of)| of.range())),
            Self::Subsampled { rate, of } => {
                let (low, high) = of.range();
                (subsampled_loss(*rate, low), subsampled_loss(*rate, high))
            }
        }
    }

    /// Losses at which a composition passes from one part of its description to the next, increasing.
    pub(super) fn seams(&self) -> Vec<f64> {
        match self {
            Self::Contour(contour) => contour.seams(),
            _ => Vec::new(),
        }
    }

    /// The losses one by one, if there are finitely many.
    pub(super) fn losses(&self) -> Vec<f64> {
        match self {
            Self::Gaussian(_) | Self::Contour(_) | Self::Profiled(_) => Vec::new(),
            Self::Mixtures(mixtures) => mixtures.losses(),
            Self::Laplace(largest) => vec![-largest, *largest],
            Self::Law(law) => law.few_losses(),
            Self::Labelled(parts) => {
                let mut all: Vec<f64> = parts.iter().flat_map(|(_, of)| of.losses()).collect();
                all.sort_unstable_by(f64::total_cmp);
                all.dedup();
                all
            }
            Self::Subsampled { rate, of } => of
                .losses()
                .into_iter()
                .map(|loss| subsampled_loss(*rate, loss))
                .collect(),
        }
    }
}

/// Everything at one ε is an average.
fn labelled(parts: &[(f64, Pair)], epsilon: f64) -> ProfilePoint {
    let start = ProfilePoint {
        delta: 0.0,
        dual: 0.0,
        alpha: 0.0,
        beta: 0.0,
    };
    parts.iter().fold(start, |sum, (weight, of)| {
        let one = of.at(epsilon);
        ProfilePoint {
            delta: sum.delta + weight * one.delta,
            dual: sum.dual + weight * one.dual,
            alpha: sum.alpha + weight * one.alpha,
            beta: sum.beta + weight * one.beta,
        }
    })
}

fn widest(ranges: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |all, one| {
        (all.0.min(one.0), all.1.max(one.1))
    })
}

/// log(1 − r + r·e^y).
pub(super) fn subsampled_loss(rate: f64, loss: f64) -> f64 {
    if loss > 30.0 {
        return super::real::log_add(ln_1p(-rate), ln(rate) + loss);
    }
    ln_1p(rate * exp_m1(loss))
}

/// δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ).
fn gaussian(mu: f64, epsilon: f64) -> ProfilePoint {
    let (a, b) = (epsilon / mu - mu / 2.0, epsilon / mu + mu / 2.0);
    ProfilePoint {
        delta: gaussian_delta(mu, epsilon),
        dual: gaussian_delta(mu, -epsilon),
        alpha: normal_tail(b),
        beta: normal_tail(-a),
    }
}

fn gaussian_delta(mu: f64, epsilon: f64) -> f64 {
    let (a, b) = (epsilon / mu - mu / 2.0, epsilon / mu + mu / 2.0);
    // e^ε·φ(b) = φ(a), so δ = φ(a)·(M(a) − M(b)) with Mills' ratio M; its derivative is x·M(x) − 1.
    let middle = epsilon / mu;
    let delta = if mu < 1e-5 && middle >= 0.0 {
        normal_density(a) * mu * mills_defect(middle)
    } else if mu < 1e-5 && middle > -25.0 {
        let defect = 1.0 - middle * normal_tail(middle) / normal_density(middle);
        normal_density(a) * mu * defect
    } else if a >= 0.0 {
        normal_density(a) * (mills(a) - mills(b))
    } else if b >= 0.0 {
        normal_tail(a) - normal_density(a) * mills(b)
    } else {
        normal_tail(a) - exp(epsilon) * normal_tail(b)
    };
    delta.max(0.0).max(-exp_m1(epsilon))
}

fn laplace(largest: f64, epsilon: f64) -> ProfilePoint {
    let delta = |e: f64| {
        if e >= largest {
            0.0
        } else if e < -largest {
            -exp_m1(e)
        } else {
            -exp_m1((e - largest) / 2.0)
        }
    };
    let (alpha, beta) = if epsilon >= largest {
        (0.0, 1.0)
    } else if epsilon < -largest {
        (1.0, 0.0)
    } else {
        (
            exp(-(epsilon + largest) / 2.0) / 2.0,
            exp((epsilon - largest) / 2.0) / 2.0,
        )
    };
    ProfilePoint {
        delta: delta(epsilon),
        dual: delta(-epsilon),
        alpha,
        beta,
    }
}

/// With v = (u − 1 + r)/r, L' > log u exactly if L > log v; Q' − u·P = r(Q − v·P).
fn subsampled(rate: f64, of: &Pair, epsilon: f64) -> ProfilePoint {
    let log_v = if epsilon > 30.0 {
        epsilon - ln(rate) + ln_1p(-(1.0 - rate) * exp(-epsilon))
    } else {
        ln_1p(exp_m1(epsilon) / rate)
    };
    if log_v.is_nan() || log_v == f64::NEG_INFINITY {
        return ProfilePoint {
            delta: -exp_m1(epsilon),
            dual: 0.0,
            alpha: 1.0,
            beta: 0.0,
        };
    }
    let knot = of.at(log_v);
    let null_below = knot.dual + times_exp(knot.beta, -log_v);
    ProfilePoint {
        delta: rate * knot.delta,
        dual: times_exp(knot.dual, ln(rate) + log_v - epsilon),
        alpha: knot.alpha,
        beta: (1.0 - rate) * null_below + rate * knot.beta,
    }
}

/// x·e^y, 0 if x is.
fn times_exp(x: f64, y: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x * exp(y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> Vec<Pair> {
        let of = |pair: &Pair, rate| Pair::Subsampled {
            rate,
            of: Box::new(pair.clone()),
        };
        let (gaussian, laplace) = (Pair::Gaussian(1.3), Pair::Laplace(0.8));
        vec![
            of(&gaussian, 0.2),
            of(&laplace, 0.01),
            of(&of(&gaussian, 0.5), 0.5),
            gaussian,
            laplace,
        ]
    }

    /// δ and its dual by their definitions, where these do not cancel; duality everywhere.
    #[test]
    fn knots_are_consistent() {
        for pair in pairs() {
            for i in -40..40 {
                let epsilon = f64::from(i) / 20.0 + 0.003;
                let ProfilePoint {
                    delta,
                    dual,
                    alpha,
                    beta,
                } = pair.at(epsilon);
                let u = epsilon.exp();
                assert!(
                    (delta - (1.0 - beta - u * alpha)).abs() < 1e-12,
                    "{pair:?} {epsilon}"
                );
                assert!(
                    (dual - (1.0 - alpha - beta / u)).abs() < 1e-12,
                    "{pair:?} {epsilon}"
                );
                assert!(
                    (delta - (1.0 - u + u * dual)).abs() < 1e-12,
                    "{pair:?} {epsilon}"
                );
            }
        }
    }

    /// −δ'(u) is P(L > log u).
    #[test]
    fn alpha_is_the_slope() {
        for pair in pairs() {
            for epsilon in [-0.15, 0.0023, 0.11, 0.3] {
                let step = 1e-5;
                let delta = |u: f64| pair.at(u.ln()).delta;
                let u: f64 = f64::exp(epsilon);
                let slope = (delta(u - step) - delta(u + step)) / (2.0 * step);
                let alpha = pair.at(epsilon).alpha;
                assert!(
                    (slope - alpha).abs() < 1e-6,
                    "{pair:?} {epsilon} {slope} {alpha}"
                );
            }
        }
    }

    #[test]
    fn tiny_and_huge_gaussians() {
        let tiny = Pair::Gaussian(1e-200).at(0.0).delta;
        assert!((tiny / (1e-200 * normal_density(0.0)) - 1.0).abs() < 1e-9);
        // The two formulas where they meet.
        let (below, above) = (
            gaussian_delta(0.999_999e-5, 1e-5),
            gaussian_delta(1.000_001e-5, 1e-5),
        );
        assert!((above / below - 1.0).abs() < 1e-5, "{below} {above}");
        let huge = Pair::Gaussian(1e100).at(5.0);
        assert_eq!((huge.delta, huge.alpha, huge.beta), (1.0, 0.0, 0.0));
    }
}
