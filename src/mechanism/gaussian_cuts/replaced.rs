//! Cuts where a record is replaced: both laws are mixtures, one mirrored.

use rug::Rational;

use super::{MOST_GOOD_BITS, Pair, Place, Position, Rate, loss};
use crate::kernel::magnitude::{Difference, Magnitude};
use crate::kernel::normal_fixed::Wide;
use crate::kernel::normal_table::{FIXED_ARGUMENT_BITS, survival_fixed};
use crate::kernel::{CellPlaces, Interval, fixed_ln};

/// What places of a replaced record need.
pub(super) struct Replaced {
    /// μ in units of 2^-186, rounded down.
    unit: Wide,
    /// (1 − r)/(2r).
    slope: Magnitude,
    /// κ = e^{−μ²}.
    decay: Magnitude,
    square: Rational,
}

impl Pair {
    /// The cut of a replaced record: at x for y ≥ 0, at −x for the mirrored place.
    pub(super) fn replaced(
        &self,
        places: &CellPlaces<'_>,
        position: &Position,
        rate: &Rate,
        pair: &Replaced,
    ) -> Option<Place> {
        let is_mirrored = position.exp.exponent() < 0;
        let ratio = if is_mirrored {
            position.exp_minus
        } else {
            position.exp
        };
        let found = match ratio.minus_one() {
            Difference::Positive { value, good_bits } => {
                self.sliver(places, good_bits).map(|sliver| (value, sliver))
            }
            Difference::NotPositive | Difference::Unclear => None,
        };
        let (log, is_mirrored, sliver) = match found {
            Some((difference, sliver)) => {
                let a = difference.times(pair.slope);
                let root = a.times(a).plus(ratio.times(pair.decay)).sqrt()?;
                (fixed_ln::ln(a.plus(root))?, is_mirrored, sliver)
            }
            None => {
                let (log, is_mirrored) = pair.near_zero(&loss(places, position.index), rate)?;
                (log, is_mirrored, self.sliver(places, MOST_GOOD_BITS)?)
            }
        };
        let z = self.place_in_units(log);
        let (below, above) = (z.wrapping_sub(self.half), z.wrapping_add(self.half));
        // From 15.5 on every tail is 0 to the error of the table.
        let most = Wide([16, 0, 0]).shifted_left(FIXED_ARGUMENT_BITS);
        let near_enough = if most.wrapping_sub(above).is_negative() {
            most
        } else {
            above
        };
        let far = near_enough.wrapping_add(pair.unit);
        let (same, near, far) = if is_mirrored {
            // Q beyond −x is what P has below x.
            (above.negated(), far.negated(), below.negated())
        } else {
            (above, below, far)
        };
        let same = survival_fixed(same)?;
        Some(Place {
            mass: rate.mixed(same, survival_fixed(near)?),
            null_mass: rate.mixed(same, survival_fixed(far)?),
            exp: position.exp,
            sliver,
        })
    }
}

impl Replaced {
    pub(super) fn new(square: &Rational, rate: &Rational, mu: &Interval) -> Option<Self> {
        let slope = Rational::from(1 - rate) / Rational::from(rate * 2u32);
        let square = square.clone();
        Some(Self {
            // μ ≤ 15 in units of 2^-186 is 4·μ in units of 2^-184.
            unit: fixed_ln::rounded(&mu.mul(&Interval::from_i64(4, 256)))?,
            slope: Magnitude::of(&Interval::from_rational(&slope, 256))?,
            decay: Magnitude::of(&Interval::from_rational(&square, 256).neg().exp())?,
            square,
        })
    }

    /// ln v in units of 2^-184, within 2 of them, from an enclosure of y; is the place mirrored?
    fn near_zero(&self, loss: &Interval, rate: &Rate) -> Option<(Wide, bool)> {
        let is_mirrored = *loss.hi() < 0;
        let y = if is_mirrored {
            loss.neg()
        } else {
            loss.clone()
        };
        let bits = y.bits();
        let exact = Interval::from_rational(&rate.exact, bits);
        let double = exact.add(&exact);
        let a = y.exp_m1().mul(&exact.one_minus()).div(&double);
        let decay = Interval::from_rational(&self.square, bits).neg();
        let root = a.square().add(&y.add(&decay).exp()).sqrt();
        Some((fixed_ln::rounded(&a.add(&root).ln())?, is_mirrored))
    }
}

#[cfg(test)]
#[path = "replaced_tests.rs"]
mod tests;
