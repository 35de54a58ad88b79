//! What several batches of fixed size reveal of a record that a special one replaces, if all other records are its opposite.
//!
//! Along the line of the record x, in units of σ and around −x, with μ = c/σ, one answer has the law P = (1 − q)·N(0) + q·N(μ) without the record and
//! Q = (1 − q)·N(0) + q·N(2μ) with it. With w = e^{μz − μ²/2} and κ = e^{−μ²} the likelihood ratio at z is (1 − q + qκw²)/(1 − q + qw): it falls up to a place and rises
//! from there on, so that the best tests accept what is outside an interval. Finitely many of them make a finite pair that is below this one, and several of those, composed,
//! are below several answers (`proofs/README.md`, W8).

use rug::{Float, Rational};

use crate::kernel::{Interval, Pick, normal};
use crate::mechanism::polygon::{Vectors, pair_below};

/// Working precision.
const BITS: u32 = 128;

/// The largest (c/σ)².
const LARGEST_SQUARE: u32 = 64;

/// Intervals end at so many places of a unit, up to so far from all shifts.
const PLACES: u32 = 32;
const FARTHEST: i64 = 12;

/// One step on a batch of fixed size, a record or a special one, and all others the opposite of the record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OppositeOthers {
    rate: Rational,
    unit_squared: Rational,
}

impl OppositeOthers {
    /// Gaussian noise with (c/σ)² = `unit_squared` > 0, batches at this rate, 0 < rate < 1; `None` where a record is more than 8σ long.
    pub(crate) fn new(rate: &Rational, unit_squared: &Rational) -> Option<Self> {
        (*unit_squared <= LARGEST_SQUARE).then(|| Self {
            rate: rate.clone(),
            unit_squared: unit_squared.clone(),
        })
    }

    /// Two probability vectors: a pair that is dominated by that of one step.
    pub(crate) fn pair(&self) -> Vectors {
        pair_below(self.tests())
    }

    /// Tests that accept outside an interval: a probability without the record, at most, and with it, at least.
    fn tests(&self) -> Vec<(Rational, Rational)> {
        let line = Line::new(self);
        let mut tests = Vec::new();
        let end = Float::with_val(BITS, line.mu.hi() * 2u32) + FARTHEST;
        let mut upper = line.lowest().larger(&Float::with_val(BITS, -FARTHEST));
        while upper < end {
            let lower = line.opposite(&upper);
            let [without, with] =
                [1u32, 2].map(|shift| line.outside(lower.as_ref(), &upper, shift));
            if let (Some(level), Some(power)) =
                (without.hi().to_rational(), with.lo().to_rational())
            {
                tests.push((level, power));
            }
            upper += Float::with_val(BITS, PLACES).recip();
        }
        tests
    }
}

/// The pair of one step, as numbers. Which intervals are tried is no matter of soundness; what they weigh is.
struct Line {
    rate: Interval,
    rest: Interval,
    mu: Interval,
    half: Interval,
    kappa: Interval,
}

impl Line {
    fn new(of: &OppositeOthers) -> Self {
        let number = |x: &Rational| Interval::from_rational(x, BITS);
        let square = number(&of.unit_squared);
        Self {
            rate: number(&of.rate),
            rest: number(&Rational::from(1 - &of.rate)),
            mu: square.sqrt(),
            half: number(&Rational::from(&of.unit_squared / 2u32)),
            kappa: square.neg().exp(),
        }
    }

    /// About where the likelihood ratio is least: there κqw² + 2κ(1 − q)w = 1 − q.
    fn lowest(&self) -> Float {
        let far = self.kappa.mul(&self.rest);
        let root = far.square().add(&far.mul(&self.rate)).sqrt();
        self.place(&self.rest.div(&far.add(&root)))
    }

    /// About where it is as large as at this place, on the other side of where it is least: w' = (1 − q)(1 − κw)/(κ(1 − q + qw)). `None` where it is nowhere.
    fn opposite(&self, place: &Float) -> Option<Float> {
        let w = self
            .mu
            .mul(&Interval::point(place.clone()))
            .sub(&self.half)
            .exp();
        let above = self.kappa.mul(&w).one_minus();
        let below = self.kappa.mul(&self.rest.add(&self.rate.mul(&w)));
        let other = above
            .is_positive()
            .then(|| self.place(&self.rest.mul(&above).div(&below)))?;
        (other < *place).then_some(other)
    }

    /// About z, for w.
    fn place(&self, w: &Interval) -> Float {
        w.ln().add(&self.half).div(&self.mu).middle()
    }

    /// The mass of (1 − q)·N(0) + q·N(shift·μ) outside the interval from `lower`, or −∞, to `upper`.
    fn outside(&self, lower: Option<&Float>, upper: &Float, shift: u32) -> Interval {
        let moved = self.mu.mul(&Interval::from_i64(i64::from(shift), BITS));
        let beyond = |z: &Interval| normal::survival_absolute(z).in_unit();
        let mixed = |at: &Float, side: &dyn Fn(&Interval) -> Interval| {
            let at = Interval::point(Float::with_val(BITS, at));
            let (near, far) = (side(&at), side(&at.sub(&moved)));
            self.rest.mul(&near).add(&self.rate.mul(&far))
        };
        let right = mixed(upper, &beyond);
        let left = lower.map(|lower| mixed(lower, &|z| beyond(&z.neg())));
        left.map_or(right.clone(), |left| left.add(&right))
            .in_unit()
    }
}

#[cfg(test)]
#[path = "opposite_tests.rs"]
mod tests;
