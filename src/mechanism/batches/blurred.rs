//! Batches of a largest size B, from above, where nobody is told whether B or B − 1 of the others were drawn.
//!
//! With the notation of `chances.rs`, U_k for the law of the answer for a uniform choice of k of the others, and D_k for its density: a record that takes part
//! beside a full batch is compared with U_{B−1}, at a distance of 1. How often the answer looks like that without the record is more than P(K = B − 1): for Gaussian noise
//! on a sum D_{B−2}·D_B ≥ c·D_{B−1}², but for answers that tell nearly all records that were drawn, of a probability β (`proofs/README.md`, Y3). So a part η of P(K = B − 2) and
//! P(K = B − 1), with all of a, stands for η·P(K = B − 1) + 2√(cη·P(K = B − 2)·a) of U_{B−1}.

use rug::{Float, Integer, Rational};

use super::chances::{BITS, Chances, rounded_down, rounded_up};
use super::truncated::{Moves, labelled};
use crate::kernel::{Interval, normal};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::shifted::Noise;
use crate::mechanism::steps::Steps;

/// The masses of a dominating pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blurred {
    /// η.
    pub given: Rational,
    /// The part of P(K = B − 1) that `stray` is compared with.
    pub aside: Rational,
    /// Mass of U_{B−1} that w is compared with.
    pub near: Rational,
    /// At least w.
    pub displacing: Rational,
    /// Mass at a distance of 2 that makes up for the answers which the inequality does not hold for.
    pub stray: Rational,
}

/// The part of P(K = B − 1) that is put aside.
const ASIDE: (u32, u32) = (1, 128);

impl Blurred {
    /// `None` where the inequality is not known, or the shares do not fit.
    ///
    /// Requires: one answer, Gaussian noise with (c/σ)² = `unit_squared` on a sum of records; `chances` of these numbers.
    pub fn new(
        rate: &Rational,
        dataset_size: u64,
        max_batch: u64,
        chances: &Chances,
        unit_squared: &Rational,
    ) -> Option<Self> {
        let unit = number(unit_squared).sqrt();
        let others = dataset_size.checked_sub(1)?;
        let (curvature, exceptions) = curvature(others, max_batch.checked_sub(1)?, &unit)?;
        let displacing = &chances.displacing_upper;
        let stray = stray_part(&exceptions, &unit)? * displacing;
        let aside = Rational::from(&chances.last * &Rational::from(ASIDE));
        let product = Rational::from(&chances.before_last * &chances.full);
        let root = number(&product).mul(&curvature).sqrt();
        // Any η is sound: where w is compared with no less than the records that are given away.
        let mut given = Rational::from((1, 1 << 24));
        while given < Rational::from((15, 16)) {
            let twice = number(&given)
                .sqrt()
                .mul(&root)
                .mul(&number(&Rational::from(2)));
            let near = lower(&twice)? + Rational::from(&given * &chances.last);
            let left = Rational::from(1 - &given);
            if Rational::from(rate * &near) >= Rational::from(displacing * &left) {
                let found = Self {
                    given,
                    aside,
                    near: rounded_down(&near),
                    displacing: displacing.clone(),
                    stray: rounded_up(&stray),
                };
                return found.fits(rate, chances).then_some(found);
            }
            given = rounded_up(&(given * Rational::from((33, 32))));
        }
        None
    }

    /// The pair of all labels, where a record is added.
    ///
    /// # Errors
    /// None for noise on a sum.
    pub fn steps(
        &self,
        rate: &Rational,
        chances: &Chances,
        noise: &Noise,
    ) -> Result<Steps, OutOfRange> {
        let Chances {
            before_last,
            last,
            full,
            ..
        } = chances;
        let moves = |rate: &Rational| Moves::sampled(Relation::Presence, rate);
        let alike = |mass: Rational, moves: Moves| (mass.clone(), mass, moves);
        // The record keeps its part of what was given away: the rate is that of the size of which less is left.
        let left = Rational::from(1 - &self.given);
        let less = Rational::from(&left - &Rational::from(ASIDE));
        let sizes = left * before_last + Rational::from(last * &less);
        let sizes_rate = rate / less;
        let sampled = Rational::from(1 - before_last) - last - full;
        let near = Rational::from(&self.near + &self.displacing);
        let near_rate = Rational::from(&self.displacing / &near);
        let aside = Rational::from(&self.aside + &self.stray);
        let aside_rate = Rational::from(&self.stray / &aside);
        let rest = self.rest(chances);
        // What leaves is from U_B alone, of which there is no more than a.
        let of_full = rest.clone().min(full.clone());
        let leaving = Rational::from(&of_full - &self.displacing) - &self.stray;
        let still = || moves(&Rational::new());
        labelled(
            vec![
                alike(sampled, moves(rate)),
                alike(sizes, moves(&sizes_rate)),
                (self.near.clone(), near, moves(&near_rate)),
                (
                    self.aside.clone(),
                    aside,
                    Moves::displacing(Relation::Presence, &aside_rate),
                ),
                alike(Rational::from(&rest - &of_full), still()),
                (of_full, leaving, still()),
            ],
            noise,
        )
    }

    /// What remains of a, and of what was given, without the record.
    fn rest(&self, chances: &Chances) -> Rational {
        let both = Rational::from(&chances.before_last + &chances.last);
        both * &self.given + &chances.full - &self.near
    }

    fn fits(&self, rate: &Rational, chances: &Chances) -> bool {
        let rest = self.rest(chances).min(chances.full.clone());
        let left = Rational::from(1 - &self.given) - Rational::from(ASIDE);
        self.near > 0
            && chances.before_last > 0
            && chances.last > 0
            && Rational::from(&self.displacing + &self.stray) < rest
            && *rate < left
    }

    /// The mean square of LR − 1 for the masses that differ from Poisson sampling, without the factor e^{μ²} − 1: to choose by.
    pub fn square(&self, rate: &Rational, chances: &Chances) -> Rational {
        let both = Rational::from(&chances.before_last + &chances.last);
        let sampled = Rational::from(rate.square_ref()) * both / Rational::from(1 - &self.given);
        sampled + Rational::from(self.displacing.square_ref()) / &self.near
    }

    /// What the labels themselves add to it.
    pub fn told(&self, chances: &Chances) -> Rational {
        let square = Rational::from(self.displacing.square_ref());
        Rational::from(&square / &self.near) + square / self.rest(chances)
    }
}

fn number(x: &Rational) -> Interval {
    Interval::from_rational(x, BITS)
}

fn whole(x: u64) -> Interval {
    Interval::from_integer(&Integer::from(x), BITS)
}

fn lower(x: &Interval) -> Option<Rational> {
    x.lo().to_rational().map(|x| x.max(Rational::new()))
}

/// Normal variables of which a proof takes none to be larger than this.
const LARGEST_NORMAL: u32 = 13;
/// A sum of k vectors of length μ around their mean is at most (1 + this)·√k·μ long.
const LARGEST_SUM: u32 = 12;
/// An answer is an exception if exceptional choices have this part of its posterior, or more.
const EXCEPTIONAL: (u32, u32) = (1, 64);
/// So many records that differ are looked at.
const MOST_OTHERS: u32 = 40;

/// A number c with D_{k−1}·D_{k+1} ≥ c·D_k² at all answers but some, and a bound of their probability under U_k, for k of `others` records.
///
/// Ensures: both bounds hold for any records in a ball of radius μ = `unit` in units of the noise, in any dimension (`proofs/README.md`, Y3): c = e^{−μ²}·(1 + 1/k)·E[j/(j + 1)], where j is
/// the number of records by which two choices differ that are drawn from the posterior, given the answer.
fn curvature(others: u64, size: u64, unit: &Interval) -> Option<(Interval, Interval)> {
    if size < 2 || others <= size {
        return None;
    }
    let one = Interval::one(BITS);
    let int = |x: u32| whole(u64::from(x));
    // |Σ(y − ȳ)| of the k records drawn.
    let sum = unit.mul(&whole(size).sqrt()).mul(&int(LARGEST_SUM + 1));
    let share = number(&Rational::from(EXCEPTIONAL));
    let mut known: Option<Interval> = None;
    // Posterior probability of at most j others, as a part of that of j + 1.
    let mut near = Interval::zero(BITS);
    for j in 0..MOST_OTHERS {
        let count = u64::from(j);
        let taken = size.saturating_add(count);
        let (inside, outside) = (size.saturating_sub(count), others.saturating_sub(taken));
        if inside < 2 || outside < 2 {
            break;
        }
        let ends = [inside, outside].map(whole);
        near = near.add(&one).div(&growth(j, taken, &ends, unit, &sum));
        let spread = one.sub(&near).sub(&share);
        if !spread.is_positive() {
            break;
        }
        let part = int(j + 1).div(&int(j + 2)).mul(&spread);
        known = Some(match known {
            Some(best) if best.lo() >= part.lo() => best,
            _ => part,
        });
    }
    let factor = one.add(&whole(size).recip()).mul(&known?);
    let curvature = unit.square().neg().exp().mul(&factor);
    let half = number(&Rational::from((1, 2)));
    let sums = int(LARGEST_SUM).square().mul(&half).neg().exp();
    let normals = whole(others).add(&one).mul(&int(2));
    let normals = normals.mul(&normal::survival(&int(LARGEST_NORMAL)));
    Some((curvature, sums.add(&normals).div(&share)))
}

/// At least the weight of all choices with j + 1 records that are not among those drawn, over that of all with j, but for the exceptions.
///
/// `ends` are the records that both have, k − j, and those that neither has; `taken` is k + j.
fn growth(
    j: u32,
    taken: u64,
    [inside, outside]: &[Interval; 2],
    unit: &Interval,
    sum: &Interval,
) -> Interval {
    let int = |x: u32| whole(u64::from(x));
    let twice = unit.mul(&int(2));
    let moved = twice.mul(&int(j));
    let mean = sum.add(&moved).div(inside);
    let mean = mean.add(&twice.mul(&whole(taken)).div(outside));
    let exponent = int(LARGEST_NORMAL).add(&moved).mul(&mean);
    let exponent = exponent.add(&twice.square().div(&int(2)));
    let more = inside.mul(outside).mul(&exponent.neg().exp());
    more.div(&int(j + 1).square())
}

/// A number e with F(m; μ) ≤ e·F(m; 2μ) for all m up to `most`: Φ(z + μ)/Φ(z + 2μ) grows with z.
fn stray_part(most: &Interval, unit: &Interval) -> Option<Rational> {
    let largest = Interval::point(most.hi().clone());
    let rare = Float::with_val(BITS, 1) >> 20;
    if *largest.hi() > rare {
        return None;
    }
    let at = normal::quantile(&largest);
    let once = at.add(unit);
    let part = normal::cdf(&once).div(&normal::cdf(&once.add(unit)));
    part.in_unit().hi().to_rational()
}

#[cfg(test)]
#[path = "stray_tests.rs"]
mod stray_tests;
#[cfg(test)]
#[path = "blurred_tests.rs"]
mod tests;
