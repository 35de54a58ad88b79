//! E_P[w^a] for the likelihood ratio w = 1 − r + r·e^ℓ of Poisson-subsampled Gaussian noise, any real power a.

use rug::{Float, Integer, Rational};

use super::lattice;
use super::softplus::Softplus;
use super::trapezoid::{Nodes, Strip, Windows, half, root_two_pi};
use crate::kernel::{Budget, Failure, Interval, directed as d};

/// Binomial sums have at most this many terms.
pub(super) const LONGEST_SUM: u32 = 4_096;

/// Working precision is at most this.
const MOST_BITS: u32 = 1 << 15;

/// Bits for what rounding takes from the terms of an integral, beside those for the size of their exponents.
const SPARE_BITS: u32 = 16;

/// Powers with a²(μ² + 1) above this are not integrated.
const LARGEST_SQUARE: u64 = 1 << 50;

/// The pair N(0, 1) against (1 − r)·N(0, 1) + r·N(μ, 1). With z standard normal under P, ℓ = μz − μ²/2.
///
/// Noise on the integers with parameter σ is the same pair with z only at the multiples of 1/σ and the weights ∝ φ(z) there.
///
/// Invariant: `0 < rate < 1`, `square = μ² > 0`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SampledGaussian {
    pub(super) rate: Rational,
    pub(super) square: Rational,
    /// 1/σ² > 0 for discrete Gaussian noise.
    pub(super) spacing: Option<Rational>,
}

impl SampledGaussian {
    /// The largest order up to this one at which E_P[e^{tℓ}] is e^{t(t−1)μ²/2}.
    pub(super) fn simple_order(&self, order: &Rational) -> Rational {
        // On the integers that is so at every integer order.
        match &self.spacing {
            Some(_) => order.clone().floor(),
            None => order.clone(),
        }
    }

    /// log E_P[w^a] for a other than 0 and 1, with an absolute error of about 2^−bits; `None` if that takes too much work.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn log_moment(
        &self,
        power: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        if *power.denom() == 1
            && let Some(count) = power.numer().to_u32().filter(|n| *n <= LONGEST_SUM)
        {
            return self.binomial(count, bits, budget).map(Some);
        }
        if *power < 0 {
            self.negative_power(power, bits, budget)
        } else {
            self.positive_power(power, bits, budget)
        }
    }

    /// Σ_k C(n, k)·(1 − r)^{n−k}·r^k·e^{k(k−1)μ²/2} (Mironov, Talwar and Zhang 2019). The weights add up to 1, so the sum
    /// is 1 and a sum of positive terms with e^x − 1 for e^x. On the integers E_P[e^{kℓ}] is the same (`lattice`).
    ///
    /// # Errors
    /// If the budget ends.
    fn binomial(&self, n: u32, bits: u32, budget: &Budget) -> Result<Interval, Failure> {
        let rise = |k: u32| {
            let pairs = Integer::from(k) * k.saturating_sub(1);
            let exponent = Rational::from(&self.square * pairs) / 2u32;
            Interval::from_rational(&exponent, bits).exp_m1_in_short()
        };
        log_binomial(&self.rate, n, rise, bits, budget)
    }

    /// a = −s < 0: f = φ·v^{−s}, v = 1 + r/(1 − r)·e^ℓ, is log-concave, and so is its tilt by e^{−cz}, with curvature at least 1.
    ///
    /// In the strip, with θ = μb ≤ 1: |v(x + iy)| ≥ 1 + r/(1 − r)·cos θ·e^{ℓ(x)} = v(x − c), c = −log(cos θ)/μ ≤ 7μb²/10. Shifting x by c,
    /// ∫|f(x + iy)|dx ≤ e^{b²/2 − c²/2}·∫e^{−cx}f(x)dx ≤ e^{b²/2 − c·m}·∫f, m being the mean of the law with density ∝ f, because the
    /// variances of the tilted laws are at most 1 (Brascamp and Lieb 1976). The mean is within 1 of the mode: with V = −log f,
    /// 1 = E V'(x)(x − mode) ≥ E(x − mode)². The proof is in `proofs/README.md`.
    ///
    /// # Errors
    /// If the budget ends.
    fn negative_power(
        &self,
        power: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let Some(below) = self.below_mode(power, budget)? else {
            return Ok(None);
        };
        let size = below.get_exp().unwrap_or(0).max(0).unsigned_abs();
        let working = bits
            .saturating_add(size.saturating_mul(3))
            .saturating_add(96);
        if working > MOST_BITS {
            return Ok(None);
        }
        let local = Local::new(self, working);
        let strip = log_concave_strip(&local.mean, &below);
        let exponent = Interval::from_rational(power, working);
        let log = |z: &Interval| {
            let rise = local.softplus.rise(&local.loss(z));
            exponent.mul(&rise).sub(&half(&z.square()))
        };
        let centre = Interval::point(Float::with_val(working, &below));
        // All terms are divided by about the largest one, which may be far outside MPFR's range.
        let scale = Interval::point(log(&centre).middle());
        let log = |z: &Interval| log(z).sub(&scale);
        let accuracy = bits.saturating_add(4);
        let sum = |nodes: &Nodes| {
            let Some(start) = nodes.index_above(&centre) else {
                return Ok(None);
            };
            let sum = nodes.log_concave_sum(start, log, accuracy, budget)?;
            Ok(sum.map(|sum| sum.mul(&nodes.step).div(&root_two_pi(working))))
        };
        let moment = self.mean_over(&strip, sum, (bits, working), budget)?;
        let shift = exponent.mul(local.softplus.floor()).add(&scale);
        Ok(moment.map(|moment| moment.ln().add(&shift)))
    }

    /// E_P f from h·Σ f(j·h)/√(2π), which `sum` gives for any nodes; `strip` is that of f·φ.
    ///
    /// On the integers the sum over the nodes 1/σ is asked for itself. Where they are closer than the rule needs, it is the integral
    /// up to the rule's error, which grows with h.
    fn mean_over(
        &self,
        strip: &Strip,
        sum: impl Fn(&Nodes) -> Result<Option<Interval>, Failure>,
        (bits, working): (u32, u32),
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let rule = strip.rule(bits);
        let chosen = Nodes {
            step: Interval::point(Float::with_val(working, &rule.step)),
        };
        let integral = || Ok(sum(&chosen)?.map(|sum| rule.integral(&sum)));
        let Some(spacing) = &self.spacing else {
            return integral();
        };
        let nodes = Nodes {
            step: Interval::from_rational(spacing, working).sqrt(),
        };
        let variance = spacing.clone().recip();
        if nodes.step.certainly_le(&chosen.step) {
            let total = lattice::total_of_close_nodes(&variance, working);
            return Ok(integral()?.map(|mean| rule.spread(&mean).div(&total)));
        }
        let total = lattice::total(&variance, working, budget)?.mul(&nodes.step);
        let total = total.div(&root_two_pi(working));
        Ok(sum(&nodes)?.map(|sum| sum.div(&total)))
    }

    /// A place below the mode of f = φ·v^{−s}, not far from it: there −(log f)' = z + sμ·v'(ℓ) ≤ 0. `None` if it is
    /// farther out than is worth following.
    ///
    /// # Errors
    /// If the budget ends.
    fn below_mode(&self, power: &Rational, budget: &Budget) -> Result<Option<Float>, Failure> {
        const BITS: u32 = 128;
        const DOUBLINGS: u32 = 512;
        const HALVINGS: u32 = 8;
        let local = Local::new(self, BITS);
        let steepness = Interval::from_rational(&Rational::from(-power), BITS).mul(&local.mean);
        let is_below = |z: &Float| {
            let place = Interval::point(Float::with_val(BITS, z));
            let pull = steepness.mul(&local.softplus.share(&local.loss(&place)));
            place.add(&pull).is_not_positive()
        };
        let mut low = Float::with_val(16, -1);
        for round in 0..=DOUBLINGS {
            budget.check()?;
            if is_below(&low) {
                break;
            }
            if round == DOUBLINGS {
                return Ok(None);
            }
            low <<= 1u32;
        }
        let mut high = Float::with_val(16, &low >> 1u32);
        for _ in 0..HALVINGS {
            let middle = Float::with_val(16, &low + &high) >> 1u32;
            if is_below(&middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(Some(low))
    }

    /// a > 0: |w(x + iy)| ≤ w(x), w has no zero for |y| < π/μ and |φ(x + iy)| = e^{y²/2}·φ(x), so the growth is 1/2.
    ///
    /// Beyond the nodes that are looked at: w ≤ 1 for z ≤ 0, and w ≤ e^ℓ for z ≥ μ/2, where w^a·φ ≤ e^{a(a−1)μ²/2}·φ(z − aμ).
    ///
    /// # Errors
    /// If the budget ends.
    fn positive_power(
        &self,
        power: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let size = Rational::from(power * power) * (Rational::from(&self.square) + 1u32);
        if size > LARGEST_SQUARE {
            return Ok(None);
        }
        let magnitude = size.ceil().numer().significant_bits();
        let working = bits.saturating_add(magnitude).saturating_add(SPARE_BITS);
        if working > MOST_BITS {
            return Ok(None);
        }
        let local = Local::new(self, working);
        let exponent = Interval::from_rational(power, working);
        let strip = half_plane_strip(&local.mean);
        let tilt = local.tilt(power);
        // About lower bounds of the moment: w ≥ r·e^ℓ, w ≥ 1 − r, and Jensen for a ≥ 1. They only say where to stop looking.
        let with_record = exponent.mul(&local.softplus.log_rate()).add(&tilt);
        let least = if *power >= 1 {
            with_record.at_least_zero()
        } else {
            with_record.max(&exponent.mul(local.softplus.floor()))
        };
        // All terms are divided by about the largest one (Minkowski; `sampled::coarse`).
        let scale = if *power > 1 {
            let lift = Rational::from(power - 1) * &self.square / 2u32;
            let lifted = local.softplus.log(&Interval::from_rational(&lift, working));
            Interval::point(exponent.mul(&lifted).middle())
        } else {
            Interval::zero(working)
        };
        let ease = Interval::from_i64(i64::from(bits.saturating_add(8)), working);
        let nats = ease.mul(&Interval::from_i64(2, working).ln());
        let reach = |deficit: &Interval| {
            let doubled = nats.add(&deficit.at_least_zero());
            doubled.add(&doubled).sqrt().add(&Interval::one(working))
        };
        let left = reach(&least.neg());
        let right = reach(&exponent.mul(&local.softplus.log_rate()).neg())
            .add(&exponent.mul(&local.mean).max(&half(&local.mean)));
        let threshold = least
            .sub(&nats)
            .sub(&Interval::from_i64(8, working))
            .sub(&scale);
        let stretch = Stretch {
            left,
            right,
            threshold,
        };
        let sum = |nodes: &Nodes| stretch.sum(&local, power, &scale, nodes, budget);
        let moment = self.mean_over(&strip, sum, (bits, working), budget)?;
        Ok(moment.map(|moment| moment.ln().add(&scale)))
    }
}

/// Where the nodes are looked at one by one for a positive power: from −left to right.
struct Stretch {
    /// At least 0.
    left: Interval,
    /// At least μ/2 and aμ.
    right: Interval,
    /// Nodes within that add up to less than e^this are not looked at one by one.
    threshold: Interval,
}

impl Stretch {
    /// h·Σ w^a·φ over all nodes, divided by e^scale; `None` if that takes too much work.
    ///
    /// # Errors
    /// If the budget ends.
    fn sum(
        &self,
        local: &Local,
        power: &Rational,
        scale: &Interval,
        nodes: &Nodes,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let working = scale.bits();
        let exponent = Interval::from_rational(power, working);
        let (Some(first), Some(last)) = (
            nodes.index_above(&self.left),
            nodes.index_above(&self.right),
        ) else {
            return Ok(None);
        };
        let convex = |z: &Interval| local.softplus.log(&local.loss(z));
        let windows = Windows {
            nodes,
            power: &exponent,
            convex: &convex,
            scale,
            threshold: self.threshold.clone(),
            bits: working,
        };
        let sum = windows.sum(first.saturating_neg(), last, budget)?;
        // Both tails over √(2π): sums over further nodes are below the integrals, and those below e^{−x²/2}·√(2π)/2.
        let at_left = half(&self.left.square()).neg().sub(scale).exp();
        let beyond = self.right.sub(&exponent.mul(&local.mean));
        let at_right = local
            .tilt(power)
            .sub(&half(&beyond.square()))
            .sub(scale)
            .exp();
        let tails = Interval::zero(working).hull(&half(&at_left.add(&at_right)));
        let inner = sum.map(|sum| sum.mul(&nodes.step).div(&root_two_pi(working)));
        Ok(inner.map(|inner| inner.add(&tails)))
    }
}

/// log E_P[w^n] = log(1 + Σ_k C(n, k)·(1 − r)^{n−k}·r^k·(E_P[e^{kℓ}] − 1)), with the last factor given by `rise`.
///
/// # Errors
/// If the budget ends.
pub(super) fn log_binomial(
    rate: &Rational,
    n: u32,
    rise: impl Fn(u32) -> Interval,
    bits: u32,
    budget: &Budget,
) -> Result<Interval, Failure> {
    let odds = rate / Rational::from(1 - rate);
    let odds = Interval::from_rational(&odds, bits);
    let floor = Softplus::new(rate, bits).floor().clone();
    let mut weight = floor.mul(&Interval::from_i64(i64::from(n), bits)).exp();
    let mut sum = Interval::zero(bits);
    for k in 1..=n {
        if k.is_multiple_of(32) {
            budget.check()?;
        }
        let step = Rational::from((n.saturating_sub(k).saturating_add(1), k));
        weight = weight.mul(&odds).mul(&Interval::from_rational(&step, bits));
        sum = sum.add(&weight.mul(&rise(k)));
    }
    Ok(sum.ln_1p())
}

/// Bits of a strip's numbers.
const STRIP_BITS: u32 = 64;

/// θ = μb ≤ 1, and growth 1/2 + 7/10·μ·(1 + |mode|).
fn log_concave_strip(mean: &Interval, mode: &Float) -> Strip {
    let reach = Interval::point(Float::with_val(STRIP_BITS, mode.abs_ref()));
    let reach = reach.add(&Interval::one(STRIP_BITS)).mul(mean);
    let factor = Interval::from_rational(&Rational::from((7, 10)), STRIP_BITS);
    let start = Interval::from_rational(&Rational::from((1, 2)), STRIP_BITS);
    Strip {
        widest: d::float_down(mean.recip().lo(), STRIP_BITS),
        growth: d::float_up(start.add(&factor.mul(&reach)).hi(), STRIP_BITS),
    }
}

/// μb ≤ 3 < π, and growth 1/2.
fn half_plane_strip(mean: &Interval) -> Strip {
    let three = Interval::from_i64(3, STRIP_BITS);
    Strip {
        widest: d::float_down(three.div(&mean.at_bits(STRIP_BITS)).lo(), STRIP_BITS),
        growth: Float::with_val(STRIP_BITS, 1) >> 1u32,
    }
}

/// The numbers of a pair at one precision.
struct Local {
    softplus: Softplus,
    /// μ² itself.
    square: Rational,
    /// μ.
    mean: Interval,
    /// μ²/2.
    half_square: Interval,
}

impl Local {
    fn new(pair: &SampledGaussian, bits: u32) -> Self {
        let square = Interval::from_rational(&pair.square, bits);
        Self {
            softplus: Softplus::new(&pair.rate, bits),
            square: pair.square.clone(),
            mean: square.sqrt(),
            half_square: half(&square),
        }
    }

    /// a(a − 1)μ²/2.
    fn tilt(&self, power: &Rational) -> Interval {
        let tilt = Rational::from(power - 1) * power * &self.square / 2u32;
        Interval::from_rational(&tilt, self.mean.bits())
    }

    /// ℓ = μz − μ²/2.
    fn loss(&self, z: &Interval) -> Interval {
        self.mean.mul(z).sub(&self.half_square)
    }
}

#[cfg(test)]
#[path = "sampled_moment_tests.rs"]
mod tests;
