//! The Rényi divergence of mixtures of shifted Laplace noise, any order: pieces between the peaks, by Taylor polynomials in cells.
//!
//! After a peak, up to the next one, Q has the density (A·e^{−t} + B·e^t)/2 and P (C·e^{−t} + D·e^t)/2; before the first and after the last peak the
//! likelihood ratio stays as it is. Around the middle of a cell both are multiples of G(x) = (1 − s)·e^{−x} + s·e^x, s in [0, 1], whose coefficients are 1/k! and
//! (2s − 1)/k! in turn. In the disc |x| ≤ R ≤ 1, |G| ≤ e^R and |G| ≥ Re G ≥ e^{−R}·cos R ≥ e^{−R}·(1 − R²/2), so that the coefficients of a product of powers
//! from the n-th on are at most M/Rⁿ (Cauchy), and their part of the integral is at most 2h·M·(h/R)ⁿ/(1 − h/R) (`proofs/README.md`, R10).

use rug::{Float, Rational};

use super::from_moments::{self, leading_zeros};
use super::trapezoid::half;
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::Direction;
use crate::mechanism::shifted::{LaplaceMixtures, Noise, Piece, ShiftedNoise};

/// At most so many cells in all.
const MOST_CELLS: u32 = 2_048;

/// No working precision is higher.
const MOST_BITS: u32 = 1 << 11;

/// A cell reaches 2^−this of the radius of the disc around its middle.
const RADIUS_BITS: u32 = 3;

/// Mixtures of Laplace noise of scale 1.
#[derive(Debug)]
pub(super) struct ShiftedLaplace {
    unit: Rational,
    pair: ShiftedNoise,
}

impl ShiftedLaplace {
    /// `None` if the noise is another one.
    pub(super) fn of(pair: &ShiftedNoise) -> Option<Self> {
        let Noise::Laplace { unit } = pair.noise() else {
            return None;
        };
        Some(Self {
            unit: unit.clone(),
            pair: pair.clone(),
        })
    }

    /// D_t in one direction, with a relative error of about 2^−bits; `None` if that takes too much work.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let (with, without) = (self.pair.with().list(), self.pair.without().list());
        let moved = with.iter().chain(without);
        let rate = moved.filter(|(shift, _)| *shift != 0).map(|(_, rate)| rate);
        let zeros = leading_zeros(&rate.max().cloned().unwrap_or_default())
            .saturating_add(leading_zeros(&self.unit))
            .saturating_mul(2);
        let found = from_moments::divergence(
            order,
            direction,
            bits,
            (zeros, MOST_BITS),
            &|power, working| self.log_moment(power, working, budget),
        )?;
        Ok(found.map(|found| found.at_bits(bits.saturating_add(32))))
    }

    /// log E_P[(dQ/dP)^a] with an absolute error of about 2^−bits.
    fn log_moment(
        &self,
        power: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        // A radius of at most 1 with (|a| + 1)·radius ≤ bits/4: the integrand varies by few of the bits in a disc.
        let size = (Rational::from(power.abs_ref()) + 1u32) * 4u32 / bits;
        let shrink = if size <= 1 {
            0
        } else {
            size.ceil().numer().significant_bits()
        };
        let work = bits.saturating_add(64);
        let (without, with) = (self.pair.without().clone(), self.pair.with().clone());
        let pieces = LaplaceMixtures::new(self.unit.clone(), without, with).pieces(work);
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return Ok(None);
        };
        let taylor = Taylor::new(power, shrink, terms(power, shrink, bits), work);
        // e^t from −∞ to 0 and e^{−t} from 0 on have the integral 1.
        let mut sum = taylor.height(first).add(&taylor.height(last));
        let mut left = MOST_CELLS;
        for piece in &pieces {
            let cells = cells(&piece.gap, shrink).filter(|cells| *cells <= left);
            let Some(cells) = cells else {
                return Ok(None);
            };
            left = left.saturating_sub(cells);
            let count = Interval::from_i64(i64::from(cells.max(1)), work);
            let width = piece.gap.div(&count);
            for index in 0..cells {
                budget.check()?;
                let middle = half(&Interval::from_i64(
                    i64::from(index).saturating_mul(2).saturating_add(1),
                    work,
                ));
                let here = piece.moved(&middle.mul(&width));
                let shape = taylor.integral(&here, &half(&width));
                sum = sum.add(&taylor.height(&here).mul(&shape));
            }
        }
        // Densities are half of what stands in the pieces.
        Ok(Some(half(&sum).ln()))
    }
}

/// So many terms that M·(h/R)ⁿ is below 2^−bits about: only widths depend on it. |log M| is at most (|a| + |1 − a|)·R times 1.7, or 2.5 in bits.
fn terms(power: &Rational, shrink: u32, bits: u32) -> u32 {
    let size = Rational::from(power.abs_ref()) * 2u32 + 1u32;
    let most = (size * Rational::from((5, 2))) >> shrink;
    let most = most.ceil().numer().to_u32().unwrap_or(u32::MAX);
    most.saturating_add(bits).saturating_add(16) / RADIUS_BITS
}

/// How many cells of width at most 2^{1 − RADIUS_BITS − shrink} there are; none between two peaks in the same place.
fn cells(gap: &Interval, shrink: u32) -> Option<u32> {
    let scaled = Float::with_val(gap.bits(), gap.hi() << shrink.saturating_add(RADIUS_BITS));
    let (cells, _) = (scaled / 2u32).to_integer_round(rug::float::Round::Up)?;
    cells.to_u32()
}

/// Integrals of G(x)^a·H(x)^{1−a} around 0.
struct Taylor {
    powers: [Interval; 2],
    is_negative: [bool; 2],
    /// 1/k!.
    factorials: Vec<Interval>,
    /// R = 2^−shrink ≤ 1.
    radius: Interval,
    bits: u32,
}

impl Taylor {
    fn new(power: &Rational, shrink: u32, terms: u32, bits: u32) -> Self {
        let rest = Rational::from(1 - power);
        let mut factorials = vec![Interval::one(bits)];
        let mut factorial = Interval::one(bits);
        for k in 1..terms.max(2) {
            factorial = factorial.div(&Interval::from_i64(i64::from(k), bits));
            factorials.push(factorial.clone());
        }
        Self {
            powers: [power, &rest].map(|power| Interval::from_rational(power, bits)),
            is_negative: [*power < 0, rest < 0],
            factorials,
            radius: Interval::point(Float::with_val(bits, 1) >> shrink),
            bits,
        }
    }

    /// (2q)^a·(2p)^{1−a} at the place.
    fn height(&self, piece: &Piece) -> Interval {
        let [a, b] = &self.powers;
        let log = |(left, right): &(Interval, Interval)| left.add(right).ln();
        let all = log(&piece.with).mul(a).add(&log(&piece.without).mul(b));
        all.exp()
    }

    /// ∫ G^a·H^{1−a} from −h to h for h ≤ R/8.
    fn integral(&self, piece: &Piece, h: &Interval) -> Interval {
        let [a, b] = &self.powers;
        let (with, without) = (
            self.coefficients(a, &piece.with),
            self.coefficients(b, &piece.without),
        );
        let mut scale = h.add(h);
        let mut sum = Interval::zero(self.bits);
        for n in (0..with.len()).step_by(2) {
            let count = n.saturating_add(1);
            let other = without.iter().take(count).rev();
            let product = with.iter().take(count).zip(other);
            let coefficient =
                product.fold(Interval::zero(self.bits), |sum, (x, y)| sum.add(&x.mul(y)));
            sum = sum.add(&coefficient.mul(&scale).div(&self.count(count)));
            scale = scale.mul(h).mul(h);
        }
        let rest = self.rest(h);
        sum.add(&rest.neg().hull(&rest))
    }

    /// Of G^a: n·c_n = Σ_{k≥1} ((a + 1)·k − n)·g_k·c_{n−k} (Miller's recurrence, g_0 = 1).
    fn coefficients(
        &self,
        power: &Interval,
        (left, right): &(Interval, Interval),
    ) -> Vec<Interval> {
        let tilt = right.sub(left).div(&right.add(left));
        // g_k, and k·g_k with 1/(k − 1)!.
        let of = |k: usize, factorial: &Interval| match k % 2 {
            0 => factorial.clone(),
            _ => factorial.mul(&tilt),
        };
        let factorials = || self.factorials.iter().enumerate();
        let plain: Vec<Interval> = factorials().skip(1).map(|(k, f)| of(k, f)).collect();
        let times: Vec<Interval> = factorials()
            .map(|(k, f)| of(k.saturating_add(1), f))
            .collect();
        let excess = power.add(&Interval::one(self.bits));
        let mut found = vec![Interval::one(self.bits)];
        for n in 1..self.factorials.len() {
            let sum = |of: &[Interval]| {
                let products = of.iter().zip(found.iter().rev()).map(|(g, c)| g.mul(c));
                products.fold(Interval::zero(self.bits), |sum, x| sum.add(&x))
            };
            let (plain, weighted) = (sum(&plain), sum(&times));
            found.push(excess.mul(&weighted).div(&self.count(n)).sub(&plain));
        }
        found
    }

    fn count(&self, n: usize) -> Interval {
        Interval::from_i64(i64::try_from(n).unwrap_or(i64::MAX), self.bits)
    }

    /// An upper bound of the integral of all further terms.
    fn rest(&self, h: &Interval) -> Interval {
        let one = Interval::one(self.bits);
        let low = one.sub(&half(&self.radius.square())).ln().sub(&self.radius);
        let mut log = Interval::zero(self.bits);
        for (power, is_negative) in self.powers.iter().zip(&self.is_negative) {
            let extreme = if *is_negative { &low } else { &self.radius };
            log = log.add(&power.mul(extreme));
        }
        let ratio = h.div(&self.radius);
        let decay = ratio.ln().mul(&self.count(self.factorials.len()));
        let all = log.add(&decay).exp();
        h.add(h).mul(&all).div(&ratio.one_minus())
    }
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
