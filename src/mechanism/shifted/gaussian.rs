//! Mixtures of shifted Gaussian noise.
//!
//! In the coordinate t = μx the log-likelihood ratio is
//!
//! ℓ(t) = log Σᵢ pᵢ·exp(vᵢt − vᵢ²μ²/2) − log Σⱼ qⱼ·exp(−wⱼt − wⱼ²μ²/2),
//!
//! increasing with a slope of at most max v + max w. With t* the place where ℓ crosses ε, δ(u) = Q(t > t*) − u·P(t > t*). Any a ≤ t* ≤ b
//! encloses it, and ℓ(a) ≤ ε ≤ ℓ(b) is all that has to be shown of them.

use std::sync::Arc;

use rug::{Float, Rational};

use super::{Shifts, rate_of_replaced};
use crate::kernel::{
    Accuracy, Budget, CellPlaces, Cells, Failure, Interval, LossBound, Point, Profile, ProfilePoint,
};
use crate::mechanism::evaluate::{Cache, refined};
use crate::mechanism::gaussian::survival;
use crate::mechanism::gaussian_cells::{self, Mixing};

/// P = Σ qⱼ·N(−wⱼμ, 1) against Q = Σ pᵢ·N(vᵢμ, 1).
pub struct GaussianMixtures {
    square: Rational,
    without: Shifts,
    with: Shifts,
    constants: Cache<u32, Constants>,
}

/// What does not depend on the place.
struct Constants {
    mu: Interval,
    /// The rate at which a record that is replaced takes part, if that is what the pair is.
    replaced: Option<Interval>,
    without: Vec<Term>,
    with: Vec<Term>,
}

/// One part of a mixture.
struct Term {
    /// v, or −w.
    shift: Interval,
    weight: Interval,
    /// log(weight) − shift²μ²/2.
    log: Interval,
}

/// Rounds of the search for a place; a bracket that is found too late is only wider.
const MOST_ROUNDS: u32 = 200;

impl GaussianMixtures {
    /// The pair; a shift of 1 stands for μ, `square` = μ² ≥ 0.
    pub fn new(square: Rational, without: Shifts, with: Shifts) -> Self {
        Self {
            square,
            without,
            with,
            constants: Cache::default(),
        }
    }

    fn is_trivial(&self) -> bool {
        self.square == 0 || (self.without.most() == 0 && self.with.most() == 0)
    }

    fn constants(&self, bits: u32) -> Arc<Constants> {
        self.constants.get_or(&bits, || {
            let terms = |shifts: &Shifts, sign: i32| {
                let term = |(shift, weight): &(Rational, Rational)| {
                    let half = Rational::from(shift.square_ref()) * &self.square / 2u32;
                    let weight = Interval::from_rational(weight, bits);
                    Term {
                        shift: Interval::from_rational(&Rational::from(shift * sign), bits),
                        log: weight.ln().sub(&Interval::from_rational(&half, bits)),
                        weight,
                    }
                };
                shifts.list().iter().map(term).collect()
            };
            Constants {
                mu: Interval::from_rational(&self.square, bits).sqrt(),
                replaced: rate_of_replaced(&self.without, &self.with)
                    .map(|rate| Interval::from_rational(rate, bits)),
                without: terms(&self.without, -1),
                with: terms(&self.with, 1),
            }
        })
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let constants = self.constants(bits);
        let cut = |epsilon: &Float| match &constants.replaced {
            Some(rate) => self.cut_of_replaced(rate, epsilon, bits),
            None => constants.cut(epsilon),
        };
        let (low, high) = (point.log().lo(), point.log().hi());
        let (below, above) = cut(low);
        let above = if low == high { above } else { cut(high).1 };
        let cut = Interval::spanning(below, above);
        let x = cut.div(&constants.mu);
        // Under `Absolute` the factor u must not blow up the absolute error of the null's tail.
        let null_accuracy = if *point.exp().hi() > Float::with_val(32, 1u32 << 20) {
            Accuracy::Relative
        } else {
            point.accuracy()
        };
        let tail = |terms: &[Term], accuracy: Accuracy| {
            let tails = terms.iter().map(|term| {
                let place = x.sub(&term.shift.mul(&constants.mu));
                term.weight.mul(&survival(&place, accuracy))
            });
            tails
                .reduce(|a, b| a.add(&b))
                .unwrap_or_else(|| Interval::zero(bits))
        };
        let null_tail = tail(&constants.without, null_accuracy).in_unit();
        let delta = tail(&constants.with, point.accuracy()).sub(&point.exp().mul(&null_tail));
        ProfilePoint {
            delta: delta.max(&point.exp().one_minus()).in_unit(),
            null_tail,
        }
    }

    /// Places a ≤ t* ≤ b for a record that is replaced, in closed form: t* = log v + μ²/2 with v as in `gaussian_cuts`, and odd in ε.
    fn cut_of_replaced(&self, rate: &Interval, epsilon: &Float, bits: u32) -> (Float, Float) {
        if epsilon.is_infinite() {
            return (epsilon.clone(), epsilon.clone());
        }
        let size = Interval::point(Float::with_val(bits.max(epsilon.prec()), epsilon.abs_ref()));
        let square = Interval::from_rational(&self.square, bits);
        let half = Interval::from_rational(&Rational::from(&self.square / 2u32), bits);
        let a = size.exp_m1().mul(&rate.one_minus()).div(&rate.add(rate));
        let root = a.square().add(&size.sub(&square).exp()).sqrt();
        let t = a.add(&root).ln().add(&half).at_least_zero();
        let t = if epsilon.is_sign_negative() {
            t.neg()
        } else {
            t
        };
        (t.lo().clone(), t.hi().clone())
    }

    /// log of the probability that Q has at most the ratio with which it begins, where that is the least loss.
    fn least_loss(&self) -> Option<Rational> {
        (self.with.least() == 0 && self.without.most() == 0).then(|| self.with.weight_of_least())
    }

    fn largest_loss(&self) -> Option<Rational> {
        (self.without.least() == 0 && self.with.most() == 0)
            .then(|| self.without.weight_of_least().recip())
    }

    /// Where no loss is larger, or all of them are: 0 and 0, or 1 − u and 1. No precision shows that by two tails.
    fn beyond_all_losses(&self, point: &Point) -> Option<ProfilePoint> {
        let bits = point.bits();
        let odds = point.exp();
        if self.largest_loss().is_some_and(|most| *odds.lo() >= most) {
            return Some(ProfilePoint {
                delta: Interval::zero(bits),
                null_tail: Interval::zero(bits),
            });
        }
        let is_below = self.least_loss().is_some_and(|least| *odds.hi() <= least);
        is_below.then(|| ProfilePoint {
            delta: odds.one_minus().in_unit(),
            null_tail: Interval::one(bits),
        })
    }
}

impl Constants {
    /// ℓ(t), and about its slope.
    fn log_ratio(&self, t: &Interval) -> (Interval, Interval) {
        let (with, rise) = log_sum(&self.with, t);
        let (without, fall) = log_sum(&self.without, t);
        (with.sub(&without), rise.sub(&fall))
    }

    /// Places a ≤ t* ≤ b with ℓ(a) ≤ ε ≤ ℓ(b), as close together as can be shown.
    fn cut(&self, epsilon: &Float) -> (Float, Float) {
        let bits = self.mu.bits();
        let goal = Interval::point(epsilon.clone());
        let mut found = Bracket::new(bits);
        if epsilon.is_infinite() {
            return found.ends();
        }
        let mut next = Float::new(bits);
        for _ in 0..MOST_ROUNDS {
            let (value, slope) = self.log_ratio(&Interval::point(next.clone()));
            let gap = value.sub(&goal);
            let is_told = found.narrow(&next, &gap);
            let step = Float::with_val(bits, gap.middle() / slope.middle());
            let doubt = Float::with_val(bits, gap.width_up() / slope.middle());
            let reach = Float::with_val(bits, step.abs_ref());
            if !is_told || reach < Float::with_val(bits, &doubt * 8u32) {
                // As close as the precision tells: away by more than what is uncertain.
                let margin = (reach + doubt) * 2u32;
                if !margin.is_finite() {
                    break;
                }
                for side in [
                    Float::with_val(bits, &next - &margin),
                    Float::with_val(bits, &next + &margin),
                ] {
                    let (value, _) = self.log_ratio(&Interval::point(side.clone()));
                    found.narrow(&side, &value.sub(&goal));
                }
                break;
            }
            let Some(place) = found.next(&Float::with_val(bits, &next - &step), &next) else {
                break;
            };
            next = place;
        }
        found.ends()
    }
}

/// log Σ exp(log + shift·t), and about its derivative.
fn log_sum(terms: &[Term], t: &Interval) -> (Interval, Interval) {
    let bits = t.bits();
    let logs = terms.iter().map(|term| term.log.add(&term.shift.mul(t)));
    let logs: Vec<Interval> = logs.collect();
    let Some(largest) = logs.iter().max_by(|a, b| a.lo().total_cmp(b.lo())) else {
        return (Interval::zero(bits), Interval::zero(bits));
    };
    let (mut sum, mut slope) = (Interval::zero(bits), Interval::zero(bits));
    for (log, term) in logs.iter().zip(terms) {
        let share = log.sub(largest).exp();
        slope = slope.add(&share.mul(&term.shift));
        sum = sum.add(&share);
    }
    (largest.add(&sum.ln()), slope.div(&sum))
}

/// What is known of the place t*.
struct Bracket {
    bits: u32,
    below: Option<Float>,
    above: Option<Float>,
}

impl Bracket {
    fn new(bits: u32) -> Self {
        Self {
            bits,
            below: None,
            above: None,
        }
    }

    /// Takes a place with an enclosure of ℓ − ε there. Does it tell on which side t* is?
    fn narrow(&mut self, place: &Float, gap: &Interval) -> bool {
        let is_below = *gap.hi() <= 0;
        let is_above = *gap.lo() >= 0;
        if is_below && self.below.as_ref().is_none_or(|known| known < place) {
            self.below = Some(place.clone());
        }
        if is_above && self.above.as_ref().is_none_or(|known| known > place) {
            self.above = Some(place.clone());
        }
        is_below != is_above
    }

    /// The next place to look at: the one proposed if it lies between, else halfway, or twice as far out.
    fn next(&self, proposed: &Float, last: &Float) -> Option<Float> {
        let is_between = proposed.is_finite()
            && self.below.as_ref().is_none_or(|below| below < proposed)
            && self.above.as_ref().is_none_or(|above| proposed < above);
        if is_between {
            return Some(proposed.clone());
        }
        let place = match (&self.below, &self.above) {
            (Some(below), Some(above)) => Float::with_val(self.bits, below + above) / 2u32,
            (Some(_), None) => Float::with_val(self.bits, last.abs_ref()) * 2u32 + 1u32,
            (None, Some(_)) => -(Float::with_val(self.bits, last.abs_ref()) * 2u32 + 1u32),
            (None, None) => return None,
        };
        (place.is_finite() && place != *last).then_some(place)
    }

    fn ends(self) -> (Float, Float) {
        let far = || Float::with_val(self.bits, rug::float::Special::Infinity);
        (
            self.below.unwrap_or_else(|| -far()),
            self.above.unwrap_or_else(far),
        )
    }
}

impl Profile for GaussianMixtures {
    fn at(&self, point: &Point) -> ProfilePoint {
        if self.is_trivial() {
            return crate::mechanism::gaussian::Gaussian::from_square(Rational::new()).at(point);
        }
        if let Some(known) = self.beyond_all_losses(point) {
            return known;
        }
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        // Mirrored along the line.
        Arc::new(Self::new(
            self.square.clone(),
            self.with.clone(),
            self.without.clone(),
        ))
    }

    fn replaced_gaussian(&self) -> Option<(Rational, Rational)> {
        let rate = rate_of_replaced(&self.without, &self.with)?;
        Some((rate.clone(), self.square.clone()))
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        bound(
            self.is_trivial()
                .then(|| Rational::from(1))
                .or_else(|| self.largest_loss()),
            bits,
        )
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        bound(
            self.is_trivial()
                .then(|| Rational::from(1))
                .or_else(|| self.least_loss()),
            bits,
        )
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let u = point.exact_exp()?;
        if self.is_trivial() {
            return Some(Rational::from(1 - u).max(Rational::new()));
        }
        if self.largest_loss().is_some_and(|most| *u >= most) {
            return Some(Rational::new());
        }
        self.least_loss()
            .is_some_and(|least| *u <= least)
            .then(|| Rational::from(1 - u))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn cells(&self, places: &CellPlaces<'_>, budget: &Budget) -> Result<Option<Cells>, Failure> {
        match rate_of_replaced(&self.without, &self.with) {
            Some(rate) => gaussian_cells::cells(&self.square, &Mixing::Both(rate), places, budget),
            None => Ok(None),
        }
    }

    fn is_symmetric(&self) -> bool {
        self.without == self.with
    }
}

/// The loss log u, which is approached; none at all if there is no u.
fn bound(u: Option<Rational>, bits: u32) -> LossBound {
    match u {
        Some(u) => LossBound::Finite {
            value: Interval::from_rational(&u, bits).ln(),
            exact: (u == 1).then(Rational::new),
        },
        None => LossBound::Unbounded,
    }
}

#[cfg(test)]
#[path = "gaussian_tests.rs"]
mod tests;
