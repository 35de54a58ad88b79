//! The Rényi divergence of mixtures of shifted noise on the integers, any order: a sum with a bound of what is left out.
//!
//! With ρ_k = N(k + 1)/N(k), which never rises, Q a mixture of shifts upwards of at most v and P of shifts downwards of w' to w, the terms
//! T_k = Q(k)^a·P(k)^{1−a} of E_P[(dQ/dP)^a] have, for k ≥ v,
//!
//! * T_{k+1}/T_k ≤ ρ_{k−v}·(ρ_{k−v}/ρ_{k+w})^{a−1} for a > 1: a ratio of mixtures is between the least and the largest of its parts;
//! * T_{k+1}/T_k ≤ ρ_{k−v} for a in [0, 1], and ≤ ρ_{k+w'}·(ρ_{k+w'}/ρ_{k−v'})^{−a} ≤ ρ_{k+w'} for a < 0.
//!
//! ρ_k is e^{−(2k+1)/(2σ²)} for discrete Gaussian noise and e^{−1/scale} for k ≥ 0 for discrete Laplace noise; for Skellam noise 1/ρ_{k−1} = r_k rises by at most 1/m
//! a step (`skellam`). So ρ_k/ρ_{k+s} ≤ e^{s/σ²}, 1, or 1 + (s/m)/r_{k+1}, which never rises either: the tail is at most geometric. The other tail is the mirror
//! image, with P, Q and a, 1 − a exchanged (`proofs/README.md`, R9). Sums of discrete Gaussians have a bound of their own for what is left out (Z7).

use rug::{Integer, Rational};

use super::from_moments::{self, leading_zeros};
use super::lattice;
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::Direction;
use crate::mechanism::shifted::{GaussianSumNoise, Noise, ShiftedNoise, Shifts, SkellamNoise};

/// No working precision is higher.
const MOST_BITS: u32 = 1 << 11;

/// Longer sums are not made.
const LONGEST: i64 = 40_000;

/// Mixtures on the integers.
#[derive(Debug)]
pub(super) struct ShiftedIntegers {
    law: Law,
    /// Shifts ≥ 0 of P downwards and of Q upwards, rising, with their weights.
    without: Vec<(i64, Rational)>,
    with: Vec<(i64, Rational)>,
}

#[derive(Debug)]
enum Law {
    /// N(k) ∝ e^{−k²/(2·variance)}.
    Gaussian {
        variance: Rational,
    },
    /// N(k) ∝ e^{−|k|/scale}.
    Laplace {
        scale: Rational,
    },
    Skellam(SkellamNoise),
    Sum(GaussianSumNoise),
}

impl ShiftedIntegers {
    /// `None` for noise on the line, and beyond the size limits.
    pub(super) fn of(pair: &ShiftedNoise) -> Option<Self> {
        let (law, unit) = match pair.noise() {
            Noise::DiscreteGaussian { sigma, unit } => {
                let variance = sigma.clone().square();
                (Law::Gaussian { variance }, *unit)
            }
            Noise::DiscreteLaplace { scale, unit } => {
                let scale = scale.clone();
                (Law::Laplace { scale }, *unit)
            }
            Noise::Skellam { mean, unit } => (Law::Skellam(SkellamNoise::new(mean)?), *unit),
            Noise::GaussianSum {
                sigma,
                parties,
                unit,
            } => (Law::Sum(GaussianSumNoise::new(sigma, *parties)?), *unit),
            Noise::Gaussian { .. } | Noise::Laplace { .. } => return None,
        };
        let whole = |shifts: &Shifts| {
            let one = |(shift, weight): &(Rational, Rational)| {
                let shift = Rational::from(shift * unit);
                let place = shift.is_integer().then(|| shift.numer().to_i64())??;
                (place < LONGEST).then(|| (place, weight.clone()))
            };
            shifts.list().iter().map(one).collect::<Option<Vec<_>>>()
        };
        Some(Self {
            law,
            without: whole(pair.without())?,
            with: whole(pair.with())?,
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
        let moved = self.with.iter().chain(&self.without);
        let rate = moved.filter(|(shift, _)| *shift != 0).map(|(_, rate)| rate);
        let zeros = leading_zeros(&rate.max().cloned().unwrap_or_default())
            .saturating_add(self.law.width_zeros())
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
        let rest = Rational::from(1 - power);
        let size = Rational::from(power.abs_ref()) + 1u32;
        let work = bits
            .saturating_add(size.ceil().numer().significant_bits())
            .saturating_add(64);
        let up = Side::new(&self.with, &self.without, power);
        let down = Side::new(&self.without, &self.with, &rest);
        let ends = [&up, &down].map(|side| self.law.end(side, work));
        let [Some(right), Some(left)] = ends else {
            return Ok(None);
        };
        self.log_sum([&up, &down], [right, left], work, budget)
    }

    /// The same with the terms up to these ends one by one, and a bound of what is beyond: ends too near cost width alone.
    fn log_sum(
        &self,
        [up, down]: [&Side<'_>; 2],
        [right, left]: [i64; 2],
        work: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let most = up.most.max(down.most);
        let last = right.max(left).saturating_add(most).saturating_add(1);
        budget.check()?;
        let Some((masses, total)) = self.law.masses(last, work, budget)? else {
            return Ok(None);
        };
        let with = Mixture::new(&self.with, 1, &masses, work);
        let without = Mixture::new(&self.without, -1, &masses, work);
        let powers = [up, down].map(|side| Interval::from_rational(side.power, work));
        let [a, b] = &powers;
        let term = |k: i64| {
            let (q, p) = (with.at(k).ln(), without.at(k).ln());
            q.mul(a).add(&p.mul(b)).exp()
        };
        let mut sum = Interval::zero(work);
        for k in left.saturating_neg()..=right {
            if k % 64 == 0 {
                budget.check()?;
            }
            sum = sum.add(&term(k));
        }
        let above = self.law.beyond(up, right, &term(right));
        let below = self.law.beyond(down, left, &term(left.saturating_neg()));
        let all = sum.add(&Interval::zero(work).hull(&above.add(&below)));
        Ok(Some(all.div(&total).ln()))
    }
}

/// One of the two tails, mirrored so that it is on the right.
struct Side<'a> {
    /// The power of the law that is shifted that way.
    power: &'a Rational,
    /// How far it is shifted at the most, and the other law the other way.
    most: i64,
    other: i64,
}

impl<'a> Side<'a> {
    fn new(ahead: &[(i64, Rational)], behind: &[(i64, Rational)], power: &'a Rational) -> Self {
        let most = |list: &[(i64, Rational)]| list.last().map_or(0, |(shift, _)| *shift);
        Self {
            power,
            most: most(ahead),
            other: most(behind),
        }
    }

    /// max(a − 1, 0).
    fn excess(&self) -> Rational {
        Rational::from(self.power - 1u32).max(Rational::new())
    }
}

impl Law {
    /// About half of the leading zeros of the variance of the likelihood ratio of a shift by 1.
    fn width_zeros(&self) -> u32 {
        let variance = match self {
            Self::Gaussian { variance } => variance.clone(),
            Self::Laplace { scale } => scale.clone().square(),
            Self::Skellam(noise) => noise.mean().clone(),
            Self::Sum(noise) => noise.variance().clone(),
        };
        leading_zeros(&variance.recip()).div_ceil(2)
    }

    /// A place where next to nothing is left, at least the largest shift; `None` if it is too far. Only widths depend on it.
    fn end(&self, side: &Side<'_>, bits: u32) -> Option<i64> {
        let apart = side.most.checked_add(side.other)?;
        let tilted = Rational::from(side.most) + side.excess() * Integer::from(apart);
        let short = |x: Rational| x.ceil().numer().to_i64().filter(|x| *x <= LONGEST);
        // Of sums that are small it is relative to them.
        let end = match self {
            Self::Gaussian { variance } => {
                let margin = Rational::from(apart).square() / variance / 4u32 + bits;
                let square = short(margin * variance * 2u32)?;
                let reach = Integer::from(square).sqrt() + 2u32;
                short(tilted)?.checked_add(reach.to_i64()?)?
            }
            Self::Laplace { scale } => {
                let margin = Rational::from(apart) / scale + bits;
                side.most.checked_add(short(margin * scale)?)?
            }
            Self::Skellam(noise) => noise.reach(short(tilted)?, bits).checked_add(side.most)?,
            Self::Sum(noise) => end_of_sum(noise, side, bits)?,
        };
        (end <= LONGEST).then_some(end)
    }

    /// N(0), … up to N(last) or beyond, times the second number.
    fn masses(
        &self,
        last: i64,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<(Vec<Interval>, Interval)>, Failure> {
        let exp = |x: Rational| Interval::from_rational(&x, bits).exp();
        Ok(Some(match self {
            Self::Gaussian { variance } => {
                let twice = Rational::from(variance * -2i32);
                let mass = |k: i64| exp(Rational::from(k).square() / &twice);
                let total = lattice::total(variance, bits, budget)?;
                ((0..=last).map(mass).collect(), total)
            }
            Self::Laplace { scale } => {
                let mass = |k: i64| exp(Rational::from(-k) / scale);
                let one = Interval::one(bits);
                let total = one.add(&mass(1)).div(&one.sub(&mass(1)));
                ((0..=last).map(mass).collect(), total)
            }
            Self::Skellam(noise) => (noise.masses(last, bits), Interval::one(bits)),
            Self::Sum(noise) => {
                budget.check()?;
                let Some(masses) = noise.masses(last, bits) else {
                    return Ok(None);
                };
                (masses, Interval::one(bits))
            }
        }))
    }

    /// An upper bound of ρ_j for j ≥ k ≥ 0, and one of ρ_j/ρ_{j+apart}.
    fn falls(&self, k: i64, apart: i64, bits: u32) -> (Interval, Interval) {
        let unknown = Interval::infinity(bits);
        let exp = |x: Rational| Interval::from_rational(&x, bits).exp();
        match self {
            Self::Gaussian { variance } => {
                let slope = Rational::from(k.saturating_mul(2).saturating_add(1)) / variance;
                (exp(slope / -2i32), exp(Rational::from(apart) / variance))
            }
            Self::Laplace { scale } => (exp(Rational::from(-1) / scale), Interval::one(bits)),
            Self::Skellam(noise) => {
                let rise = noise.rise(k.saturating_add(1), bits);
                let growth = Rational::from(apart) / noise.mean();
                let growth = Interval::from_rational(&growth, bits).div(&rise);
                (rise.recip(), Interval::one(bits).add(&growth))
            }
            // What is beyond is bounded as a whole.
            Self::Sum(_) => (unknown.clone(), unknown),
        }
    }

    /// What lies beyond the place, at most, where this term is the last.
    fn beyond(&self, side: &Side<'_>, place: i64, term: &Interval) -> Interval {
        const BITS: u32 = 128;
        let unknown = Interval::zero(BITS).hull(&Interval::infinity(BITS));
        if let Self::Sum(noise) = self {
            let most = noise.log_beyond(place, (side.most, side.other), &side.excess());
            let bound = most.map(|most| Interval::from_rational(&most, BITS).exp());
            return match bound {
                Some(bound) if place >= side.most => bound,
                _ => unknown,
            };
        }
        let near = if *side.power < 0 {
            place
        } else {
            place.saturating_sub(side.most)
        };
        let apart = side.most.saturating_add(side.other);
        let (fall, widened) = self.falls(near.max(0), apart, BITS);
        let excess = Interval::from_rational(&side.excess(), BITS);
        let factor = fall.mul(&widened.ln().mul(&excess).exp());
        if place < side.most || !factor.certainly_lt(&Interval::one(BITS)) {
            return unknown;
        }
        term.mul(&factor).div(&factor.one_minus())
    }
}

/// A place beyond which next to nothing is left, by what bounds it (`GaussianSumNoise::log_beyond`).
fn end_of_sum(noise: &GaussianSumNoise, side: &Side<'_>, bits: u32) -> Option<i64> {
    let apart = side.most.checked_add(side.other)?;
    let variance = noise.variance();
    let excess = side.excess();
    let tilt = Rational::from(&excess * Integer::from(apart));
    let margin = Rational::from(apart).square() / variance / 4u32 + bits;
    let square = Rational::from(tilt.square_ref())
        + Rational::from(&tilt * Integer::from(side.most)) * 2u32
        + Rational::from(&tilt * Integer::from(noise.parties()))
        + excess * Integer::from(side.other).square()
        + margin * variance * 2u32;
    let root = square.ceil().numer().clone().sqrt() + tilt.ceil().numer();
    let end = root.to_i64()?.checked_add(side.most)?.checked_add(2)?;
    (end <= LONGEST).then_some(end)
}

/// Σ weight·N(k − shift).
struct Mixture<'a> {
    parts: Vec<(i64, Interval)>,
    masses: &'a [Interval],
    bits: u32,
}

impl<'a> Mixture<'a> {
    fn new(list: &[(i64, Rational)], sign: i64, masses: &'a [Interval], bits: u32) -> Self {
        let part = |(shift, weight): &(i64, Rational)| {
            let weight = Interval::from_rational(weight, bits);
            (shift.saturating_mul(sign), weight)
        };
        Self {
            parts: list.iter().map(part).collect(),
            masses,
            bits,
        }
    }

    fn at(&self, k: i64) -> Interval {
        let mut sum = Interval::zero(self.bits);
        for (shift, weight) in &self.parts {
            let place = usize::try_from(k.saturating_sub(*shift).saturating_abs()).ok();
            let Some(mass) = place.and_then(|place| self.masses.get(place)) else {
                return Interval::zero(self.bits).hull(&Interval::infinity(self.bits));
            };
            sum = sum.add(&weight.mul(mass));
        }
        sum
    }
}

#[cfg(test)]
#[path = "integers_tests.rs"]
mod tests;
