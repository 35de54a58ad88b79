//! The lattice of a table: n steps of ratio r over a range of about e^ε, and the weights of the two outcomes.

use rug::{Float, Rational};

use super::fixed::weights;
use crate::kernel::Interval;
use crate::mechanism::epsilon::Epsilon;

/// Which side of the truth a table is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Below,
    Above,
}

/// A range of n steps: losses within [t − n·log r, t] for some t.
///
/// Invariant: r > 1 exactly; r^n ≥ e^ε above, r^n ≤ e^ε below.
#[derive(Debug)]
pub(super) struct Lattice {
    /// The exact ratio.
    pub(super) ratio: Rational,
    /// Steps in the range.
    pub(super) steps: usize,
    /// The range in blocks: where each starts, and k for its 2ᵏ steps; it starts at a multiple of them.
    pub(super) blocks: Vec<(usize, usize)>,
    /// Bounds of qᵢ = (R − rⁱ)/(R − 1), R = rⁿ, for i = 0..=n: the Q-mass at the loss i·log r where the other loss is (i − n)·log r.
    pub(super) first: Vec<(u64, u64)>,
    /// Bounds of r^−i for i = 0..=n.
    pub(super) powers: Vec<(u64, u64)>,
    /// With the width w = 2ᵏ of a block, for each k: upper bounds of rⁱ(rʷ − 1)²/(4(R − 1)) and rⁱ(rʷ − 1)/(4(R − 1)) at i = 0, w, 2w, … < n;
    /// `None` where one is above 1.
    pub(super) excess: Vec<Vec<Option<(u64, u64)>>>,
}

/// Bits of numbers that become weights.
const BITS: u32 = 256;
/// Bits after the point of the ratio of a lattice, relative to r − 1.
const RATIO_BITS: u32 = 48;

impl Lattice {
    /// `None` if a step would be too wide, or ε is too small for numbers of this size.
    pub(super) fn new(epsilon: &Epsilon, steps: usize, side: Side) -> Option<Self> {
        let count = u32::try_from(steps).ok()?;
        let width = epsilon
            .enclose(BITS)
            .div(&Interval::from_i64(i64::from(count), BITS));
        Self::of_ratio(ratio(&width, side)?, steps)
    }

    /// The range of steps of this ratio that is next to e^ε.
    ///
    /// Ensures: r^n ≥ e^ε above, r^n ≤ e^ε below.
    pub(super) fn around(epsilon: &Epsilon, ratio: Rational, side: Side) -> Option<Self> {
        let log = Interval::from_rational(&ratio, BITS).ln();
        let steps = epsilon.enclose(BITS).div(&log);
        let steps = match side {
            Side::Below => steps.lo().to_rational()?.floor(),
            Side::Above => steps.hi().to_rational()?.ceil(),
        };
        Self::of_ratio(ratio, steps.numer().to_usize()?)
    }

    /// Requires: `ratio > 1`.
    fn of_ratio(ratio: Rational, steps: usize) -> Option<Self> {
        let number = |x: &Rational| Interval::from_rational(x, BITS);
        let one = Interval::one(BITS);
        let r = number(&ratio);
        let mut powers = vec![one.clone()];
        for _ in 0..steps {
            let next = powers.last()?.mul(&r);
            powers.push(next);
        }
        let range = powers.last()?.clone();
        let rise = range.sub(&one);
        if !rise.is_positive() {
            return None;
        }
        let quarter = number(&Rational::from((1, 4))).div(&rise);
        let mut excess = Vec::new();
        let mut width = 1;
        while width <= steps {
            let growth = powers.get(width)?.sub(&one);
            let of = |power: &Interval| {
                let linear = power.mul(&quarter).mul(&growth);
                Some((weights(&linear.mul(&growth))?.1, weights(&linear)?.1))
            };
            excess.push(powers.iter().take(steps).step_by(width).map(of).collect());
            width *= 2;
        }
        let mut blocks = Vec::new();
        let mut start = 0;
        for exponent in (0..excess.len()).rev() {
            if (steps >> exponent) & 1 == 1 {
                blocks.push((start, exponent));
                start += 1 << exponent;
            }
        }
        let share = |power: &Interval| weights(&range.sub(power).div(&rise).in_unit());
        let inverse = |power: &Interval| weights(&power.recip().in_unit());
        Some(Self {
            first: powers.iter().map(share).collect::<Option<_>>()?,
            powers: powers.iter().map(inverse).collect::<Option<_>>()?,
            excess,
            ratio,
            steps,
            blocks,
        })
    }

    /// r^0, …, r^last in few bits, on the stated side.
    pub(super) fn places(&self, last: usize, side: Side) -> Vec<Float> {
        const FEW: u32 = 64;
        let r = Interval::from_rational(&self.ratio, BITS);
        let mut power = Interval::one(BITS);
        let mut places = Vec::with_capacity(last.saturating_add(1));
        for _ in 0..=last {
            let place = power.at_bits(FEW);
            places.push(match side {
                Side::Below => place.lo().clone(),
                Side::Above => place.hi().clone(),
            });
            power = power.mul(&r);
        }
        places
    }
}

/// The ratio of steps of this width, rounded to a few bits. `None` if it is not above 1, or above 2.
pub(super) fn ratio(width: &Interval, side: Side) -> Option<Rational> {
    let growth = width.exp_m1().at_bits(RATIO_BITS);
    let above_one = match side {
        Side::Below => growth.lo(),
        Side::Above => growth.hi(),
    };
    let fits = *above_one > 0 && *above_one <= 1;
    Some(above_one.to_rational().filter(|_| fits)? + 1u32)
}

#[cfg(test)]
#[path = "lattice_tests.rs"]
mod tests;
