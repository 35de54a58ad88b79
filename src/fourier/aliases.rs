//! What the M-th coefficients far away add to a tail sum (I1).

use rug::{Float, Rational};

use super::fixed::ERROR_BITS;
use super::line::TailSide;
use super::series::magnitude;
use super::tilted::Tilted;
use super::{LOG_BITS, Sum};
use crate::kernel::Interval;
use crate::kernel::directed as d;

/// Bits of growths over a period: sums of nodes are known no better.
const GROWTH_BITS: u32 = 100;

/// A tilt, and log g of the sum there.
pub(super) type Tail = (Interval, Interval);

/// What is known of the tail sums a whole number of periods away.
pub(super) struct Aliases {
    side: TailSide,
    /// A tilt farther from [−1, 0] than that of the line.
    farther: Tail,
    /// A tilt below −1, if the line is on the right and there is one.
    backward: Option<Tail>,
    /// h·M.
    length: Interval,
    growths: Growths,
}

/// What is known at a place.
pub(super) struct Known {
    /// What Q-mass and e^ε·P-mass come back as aliases.
    pub(super) aliases: [Interval; 2],
    /// At least the tail sum of either.
    pub(super) most_up: Float,
}

/// Where a tail sum is asked for: the loss origin + h(m + x).
pub(super) struct Place {
    /// e^ε.
    pub(super) exp: Interval,
    /// h·m.
    pub(super) floor: Interval,
    /// e^{hx}.
    pub(super) rise: Interval,
}

/// Σ_{l≥1} e^{−rate·hM·l} for the rates of a line.
struct Growths {
    /// |θ|.
    tilt: Interval,
    /// |θ + 1|.
    null: Interval,
    /// The distance of θ to the farther tilt.
    farther: Interval,
}

/// The tilt with log g of the sum; `None` for a tilt beyond what is computed with.
pub(super) fn tail(sum: &Sum, tilt: &Rational) -> Option<Tail> {
    let mut parts = sum.parts.iter().map(|(law, times)| {
        let one = Tilted::log_total(law, tilt, *times)?;
        Some(one.mul(&Interval::from_integer(&(*times).into(), LOG_BITS)))
    });
    let log = parts.try_fold(Interval::zero(LOG_BITS), |sum, part| Some(sum.add(&part?)))?;
    Some((Interval::from_rational(tilt, LOG_BITS), log))
}

impl Aliases {
    /// Those of a line with this tilt, and this length h·M.
    ///
    /// Requires: `tilt` lies on its side.
    pub(super) fn new(
        (side, tilt): (TailSide, &Interval),
        farther: Tail,
        backward: Option<Tail>,
        length: Interval,
    ) -> Self {
        let null = tilt.add(&Interval::one(LOG_BITS));
        let outward = match side {
            TailSide::Right => farther.0.sub(tilt),
            TailSide::Middle => Interval::one(LOG_BITS),
            TailSide::Left => tilt.sub(&farther.0),
        };
        Self {
            side,
            growths: Growths {
                tilt: over_growth(&magnitude(tilt), &length),
                null: over_growth(&magnitude(&null), &length),
                farther: over_growth(&outward, &length),
            },
            // Of what they bound, few digits matter.
            farther: coarse(farther),
            backward: backward.filter(|(tilt, _)| *tilt.hi() <= -1).map(coarse),
            length,
        }
    }

    /// Σ over l ≠ 0 of e^{θhMl}·(tail sum at ε + hMl), for Q-mass and for e^ε·P-mass; and the most a tail sum at ε can be.
    ///
    /// Right: tail sums above are at most g(θ')·e^{−θ'h(m + Ml)} for θ' > θ (Chernoff; infinite for another θ'); those below as in [`Self::below`]. Middle:
    /// at most 1, and at most e^{ε + hMl}·P. Left: at most e^{ε + hMl}·P, and at most e^{hx}·g(θ')·e^{−θ'h(m + Ml)}. A tail sum on the right, Q-mass or e^ε·P-mass, is
    /// at most g(θ')·e^{−θ'hm} for θ' > 0; of those on other sides nothing is said.
    pub(super) fn at(&self, sum: &Sum, place: &Place) -> Known {
        let growths = &self.growths;
        let farther = || Interval::point(chernoff_up(&self.farther, &place.floor));
        let beyond = |tail: &Interval| between_zero_and(&tail.mul(&growths.farther));
        let by_null_mass = || place.exp.mul(&sum.null).mul(&growths.null);
        let both = |all: Interval| Known {
            aliases: [all.clone(), all],
            most_up: d::infinity(LOG_BITS),
        };
        match self.side {
            TailSide::Right => {
                let tail = farther();
                let above = beyond(&tail);
                let is_bound = self.farther.0.is_positive();
                Known {
                    aliases: self.below(sum, place).map(|below| below.add(&above)),
                    most_up: if is_bound {
                        tail.hi().clone()
                    } else {
                        d::infinity(LOG_BITS)
                    },
                }
            }
            TailSide::Middle => both(between_zero_and(&growths.tilt.add(&by_null_mass()))),
            TailSide::Left => {
                let near = place.rise.mul(&beyond(&farther()));
                both(between_zero_and(&by_null_mass().add(&near)))
            }
        }
    }

    /// The terms l < 0 of a line on the right: all finite Q-mass, e^{ε + hMl} times all P-mass, but for what lies at or below ε + hMl. That is nothing where
    /// m < M, and at most e^{hx}·g(s)·e^{−sh(m − M)} for any s ≤ −1 (Chernoff; it falls with −l), for Q-mass and e^{ε + hMl}·P-mass alike. Tail sums are at most 1.
    fn below(&self, sum: &Sum, place: &Place) -> [Interval; 2] {
        let growths = &self.growths;
        let most = Interval::point(growths.tilt.hi().clone());
        let unknown = between_zero_and(&most);
        if most.hi().is_infinite() {
            return [unknown.clone(), unknown];
        }
        let missing = if place.floor.hi() < self.length.lo() {
            Interval::zero(LOG_BITS)
        } else {
            let Some(backward) = &self.backward else {
                return [unknown.clone(), unknown];
            };
            let away = place.floor.sub(&self.length);
            let most = Interval::point(chernoff_up(backward, &away));
            between_zero_and(&most.mul(&place.rise).mul(&growths.tilt))
        };
        let whole = [
            sum.finite.mul(&growths.tilt),
            place.exp.mul(&sum.null).mul(&growths.null),
        ];
        whole.map(|whole| {
            let kept = whole.sub(&missing).at_least_zero();
            kept.min(&most).hull(&whole.min(&most))
        })
    }
}

/// At least g(s)·e^{−shn}, which is at least Σ_{k>n} π_k for s ≥ 0, and Σ_{k≤n} π_k for s ≤ 0.
fn chernoff_up((tilt, log_total): &Tail, place: &Interval) -> Float {
    let log = log_total.sub(&tilt.mul(&place.at_bits(ERROR_BITS)));
    log.exp_up_in_short()
}

fn coarse((tilt, log_total): Tail) -> Tail {
    (tilt.at_bits(ERROR_BITS), log_total.at_bits(ERROR_BITS))
}

/// [0, x]; to infinity where x may be negative.
fn between_zero_and(x: &Interval) -> Interval {
    let zero = Interval::zero(LOG_BITS);
    if *x.lo() >= 0 {
        zero.hull(x)
    } else {
        zero.hull(&Interval::infinity(LOG_BITS))
    }
}

/// A tail sum, at most `most`, from what it makes with its aliases.
pub(super) fn without(sum: &Interval, aliases: &Interval, most: &Float) -> Interval {
    let found = sum.sub(aliases).at_least_zero();
    if found.hi() <= most {
        return found;
    }
    found.min(&Interval::point(most.clone()))
}

/// Σ_{l≥1} e^{−rate·length·l}; infinite for a rate that may not be positive.
fn over_growth(rate: &Interval, length: &Interval) -> Interval {
    let growth = rate.mul(length).at_bits(GROWTH_BITS).exp_m1_in_short();
    if growth.is_positive() {
        growth.recip()
    } else {
        Interval::infinity(LOG_BITS)
    }
}

#[cfg(test)]
#[path = "aliases_tests.rs"]
mod tests;
