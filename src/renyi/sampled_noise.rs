//! The Rényi divergence of Poisson-subsampled Laplace noise, any order.

use rug::{Float, Integer, Rational};

use super::from_moments::{self, leading_zeros};
use super::laplace;
use super::sampled_moment::{LONGEST_SUM, log_binomial};
use super::softplus::Softplus;
use super::trapezoid::half;
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::Direction;

/// The Laplace pair with largest loss ε0, Poisson-subsampled. Under P the loss ℓ of the pair that is sampled has mass 1/2 at −ε0, mass
/// e^{−ε0}/2 at ε0, and the density e^{−(ε0 + ℓ)/2}/4 between.
///
/// Invariant: `0 < rate < 1`, `epsilon > 0`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SampledLaplace {
    pub(super) rate: Rational,
    pub(super) epsilon: Rational,
}

/// The range of the loss is cut into at most this many cells.
const MOST_CELLS: u32 = 4_096;

/// No working precision is higher.
const MOST_BITS: u32 = 4_096;

/// A cell reaches 2^−this of the radius of a disc around its middle.
const RADIUS_BITS: u32 = 3;

impl SampledLaplace {
    /// D_t in one direction; as wide as what is known without integration where that takes too much work.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let outside = self.cheap_bounds(order, direction, bits);
        // The variance of w is about r²·ε0².
        let zeros = leading_zeros(&self.rate).saturating_add(leading_zeros(&self.epsilon));
        let found = from_moments::divergence(
            order,
            direction,
            bits,
            (zeros.saturating_mul(2), MOST_BITS),
            &|power, working| self.log_moment(power, working, budget),
        )?;
        Ok(match found {
            Some(found) => found.at_bits(bits.saturating_add(32)).intersect(&outside)?,
            None => outside,
        })
    }

    /// D_t is quasi-convex and 0 for the pair (P, P), and at most D_∞.
    pub(super) fn cheap_bounds(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Interval {
        let whole = laplace::divergence(&self.epsilon, order, bits);
        Interval::zero(bits).hull(&whole.min(&self.largest_loss(direction, bits)))
    }

    /// sup log dQ'/dP = log(1 − r + r·e^ε0), or sup log dP/dQ' = −log(1 − r + r·e^−ε0).
    pub(super) fn largest_loss(&self, direction: Direction, bits: u32) -> Interval {
        let softplus = Softplus::new(&self.rate, bits);
        let end = Interval::from_rational(&self.epsilon, bits);
        match direction {
            Direction::Remove => softplus.log(&end),
            Direction::Add => softplus.log(&end.neg()).neg(),
        }
    }

    /// log E_P[w^a], w = 1 − r + r·e^ℓ.
    fn log_moment(
        &self,
        power: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        if *power.denom() == 1
            && let Some(n) = power.numer().to_u32().filter(|n| *n <= LONGEST_SUM)
        {
            let rise = |k| self.moment_rise(k, bits);
            return log_binomial(&self.rate, n, rise, bits, budget).map(Some);
        }
        let Some(integral) = self.integral(power, bits, budget)? else {
            return Ok(None);
        };
        let working = integral.bits();
        let softplus = Softplus::new(&self.rate, working);
        let exponent = Interval::from_rational(power, working);
        let end = Interval::from_rational(&self.epsilon, working);
        let atom = |loss: &Interval| exponent.mul(&softplus.log(loss)).exp();
        let atoms = atom(&end.neg()).add(&end.neg().exp().mul(&atom(&end)));
        let density = half(&end).neg().exp();
        let inside = half(&integral.mul(&density));
        Ok(Some(half(&atoms.add(&inside)).ln()))
    }

    /// E_P[e^{kℓ}] − 1 = (k·(e^{(k−1)ε0} − 1) + (k − 1)·(e^{−kε0} − 1))/(2k − 1).
    fn moment_rise(&self, k: u32, bits: u32) -> Interval {
        let times = |n: u32| Interval::from_i64(i64::from(n), bits);
        let below = k.saturating_sub(1);
        let rise = |n: u32| {
            let exponent = Rational::from(&self.epsilon * n);
            Interval::from_rational(&exponent, bits)
        };
        let up = times(k).mul(&rise(below).exp_m1());
        let down = times(below).mul(&rise(k).neg().exp_m1());
        up.add(&down).div(&times(k.saturating_add(below)))
    }

    /// ∫ e^{−y/2}·w(y)^a dy from −ε0 to ε0, by Taylor polynomials in cells; `None` if that takes too much work.
    ///
    /// # Errors
    /// If the budget ends.
    fn integral(
        &self,
        power: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        // A radius of at most 1 with |a|·radius ≤ bits/4, so that the integrand varies by few of the bits in a disc.
        let size = power.clone().abs() * 4u32 / bits;
        let shrink = if size <= 1 {
            0
        } else {
            size.ceil().numer().significant_bits()
        };
        let cells = Rational::from(&self.epsilon << shrink.saturating_add(RADIUS_BITS)).ceil();
        let Some(cells) = cells.numer().to_u32().filter(|n| *n <= MOST_CELLS) else {
            return Ok(None);
        };
        let working = bits.saturating_add(64);
        // 2^−RADIUS_BITS to this power, and what the integrand varies by (e^{2·bits/4}·…), is below 2^−bits.
        let terms = bits.saturating_mul(2) / RADIUS_BITS;
        let taylor = Taylor::new(power, shrink, terms, working);
        let softplus = Softplus::new(&self.rate, working);
        let exponent = Interval::from_rational(power, working);
        let half_width = Rational::from(&self.epsilon / cells);
        let mut sum = Interval::zero(working);
        for index in 0..cells {
            budget.check()?;
            // Cells of width 2·half_width, by their middles.
            let place = Rational::from(&half_width * (Integer::from(index) * 2u32 + 1u32));
            let middle = Interval::from_rational(&(place - &self.epsilon), working);
            let height = exponent
                .mul(&softplus.log(&middle))
                .sub(&half(&middle))
                .exp();
            let shape = taylor.integral(&softplus.share(&middle), &half_width, budget)?;
            sum = sum.add(&height.mul(&shape));
        }
        Ok(Some(sum))
    }
}

/// Integrals of g(u) = e^{−u/2}·s(u)^a, s(u) = 1 + p·(e^u − 1), around 0.
struct Taylor {
    power: Interval,
    is_negative: bool,
    /// 1/k!.
    factorials: Vec<Interval>,
    /// (−1/2)^k/k!.
    halves: Vec<Interval>,
    /// R = 2^−shrink ≤ 1.
    radius: Interval,
    bits: u32,
}

impl Taylor {
    fn new(power: &Rational, shrink: u32, terms: u32, bits: u32) -> Self {
        let (mut factorials, mut halves) = (Vec::new(), Vec::new());
        let (mut factorial, mut halved) = (Interval::one(bits), Interval::one(bits));
        for k in 0..terms {
            factorials.push(factorial.clone());
            halves.push(halved.clone());
            let next = Interval::from_i64(i64::from(k).saturating_add(1), bits);
            factorial = factorial.div(&next);
            halved = half(&halved.div(&next)).neg();
        }
        Self {
            power: Interval::from_rational(power, bits),
            is_negative: *power < 0,
            factorials,
            halves,
            radius: Interval::point(Float::with_val(bits, 1) >> shrink),
            bits,
        }
    }

    /// ∫g from −h to h for h ≤ R/8.
    ///
    /// With s^a = Σ c_n·uⁿ: n·c_n = Σ_{k≥1} ((a + 1)·k − n)·s_k·c_{n−k}, s_k = p/k!. The coefficients of g beyond the last are at most M/Rⁿ with M
    /// a bound of |g| in the disc of radius R (Cauchy), and add up to at most 2h·M·(h/R)^N/(1 − h/R).
    ///
    /// # Errors
    /// If the budget ends.
    fn integral(
        &self,
        share: &Interval,
        half_width: &Rational,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let bits = self.bits;
        let count = |n: usize| Interval::from_i64(i64::try_from(n).unwrap_or(i64::MAX), bits);
        let mut powers: Vec<Interval> = Vec::with_capacity(self.factorials.len());
        let excess = self.power.add(&Interval::one(bits));
        for n in 0..self.factorials.len() {
            if n == 0 {
                powers.push(Interval::one(bits));
                continue;
            }
            // Thousands of terms, each with all before it.
            budget.check()?;
            // k/k! = 1/(k − 1)!.
            let (mut plain, mut weighted) = (Interval::zero(bits), Interval::zero(bits));
            let factorials = self.factorials.iter().zip(self.factorials.iter().skip(1));
            for ((before, factorial), c) in factorials.zip(powers.iter().rev()) {
                plain = plain.add(&factorial.mul(c));
                weighted = weighted.add(&before.mul(c));
            }
            let sum = excess.mul(&weighted).div(&count(n)).sub(&plain);
            powers.push(sum.mul(share));
        }
        let h = Interval::from_rational(half_width, bits);
        let mut scale = h.add(&h);
        let mut sum = Interval::zero(bits);
        for n in (0..powers.len()).step_by(2) {
            budget.check()?;
            let coefficient = powers
                .iter()
                .take(n.saturating_add(1))
                .zip(self.halves.iter().take(n.saturating_add(1)).rev())
                .fold(Interval::zero(bits), |sum, (c, e)| sum.add(&c.mul(e)));
            sum = sum.add(&coefficient.mul(&scale).div(&count(n.saturating_add(1))));
            scale = scale.mul(&h).mul(&h);
        }
        let rest = self.rest(share, &h);
        Ok(sum.add(&rest.neg().hull(&rest)))
    }

    /// An upper bound of the integral of all further terms.
    ///
    /// In the disc |s| ≤ 1 − p + p·e^R, and |s| ≥ 1 − p + p·e^{−R}·cos R with cos R ≥ 1 − R²/2.
    fn rest(&self, share: &Interval, h: &Interval) -> Interval {
        let one = Interval::one(self.bits);
        let extreme = if self.is_negative {
            one.sub(&half(&self.radius.square()))
                .mul(&self.radius.neg().exp())
        } else {
            self.radius.exp()
        };
        let extreme = one.sub(share).add(&share.mul(&extreme));
        let most = self.power.mul(&extreme.ln()).add(&half(&self.radius)).exp();
        let ratio = h.div(&self.radius);
        let terms = i64::try_from(self.factorials.len()).unwrap_or(0);
        let decay = ratio.ln().mul(&Interval::from_i64(terms, self.bits)).exp();
        h.add(h).mul(&most).mul(&decay).div(&ratio.one_minus())
    }
}

#[cfg(test)]
#[path = "sampled_noise_tests.rs"]
mod tests;
