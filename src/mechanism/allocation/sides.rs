//! The privacy profiles of measures above and below the law of a mean.

use std::ops::RangeInclusive;
use std::sync::Arc;

use rug::{Float, Integer};

use super::above::Above;
use super::base::{UNIT, UNIT_BITS};
use super::below::Below;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// The profile of a measure: the largest of the lines (Q-mass) − u·(P-mass) of what lies above each cut, and of 0 and 1 − u. In the other order: of
/// the lines (P-mass) − v·(Q-mass) of what lies below.
///
/// For a measure above the law every cut but the right one gives less, so that the right one is found exactly. For one below, any
/// cut is sound; what lies above has its place above the cut, what lies below has it below.
#[derive(Debug)]
struct Cuts {
    /// In units of 2^−place_scale of the ratio.
    places: Vec<Integer>,
    place_scale: i32,
    /// P- and Q-mass above the cut after so many places.
    above: Vec<Masses>,
    /// And below it.
    below: Vec<Masses>,
    /// Each place is known up to this from below.
    unit: u32,
    steps: u64,
    /// P-masses are in units of 2^−bits, Q-masses in 2^−(bits + scale)/steps.
    bits: u32,
    scale: i32,
}

#[derive(Debug, Clone, Default)]
struct Masses {
    p: Integer,
    q: Integer,
}

/// One order of it.
#[derive(Debug, Clone)]
pub(super) struct Side {
    cuts: Arc<Cuts>,
    is_swapped: bool,
}

impl Side {
    /// Of the sum of `steps` ratios in units of 2^−scale.
    pub(super) fn above(measure: &Above, scale: i32, steps: u64) -> Self {
        let scale = scale.saturating_add_unsigned(UNIT_BITS);
        let points = measure.places();
        let all = points.iter().map(|(place, mass)| Masses {
            p: (*mass).clone(),
            q: Integer::from(place * *mass) * UNIT,
        });
        let all: Vec<Masses> = all.collect();
        let start = Masses {
            p: Integer::new(),
            q: Integer::from(measure.infinite() * UNIT),
        };
        let cuts = Cuts {
            place_scale: scale,
            above: sums(start, all.iter().rev()).into_iter().rev().collect(),
            below: sums(Masses::default(), all.iter()),
            places: points.into_iter().map(|(place, _)| place * UNIT).collect(),
            unit: 0,
            steps,
            bits: measure.bits(),
            scale,
        };
        Self {
            cuts: Arc::new(cuts),
            is_swapped: false,
        }
    }

    /// The same of a measure below.
    ///
    /// The put of what lies below a cut follows from the call of what lies above: δ_add(v) = 1 − v + v·δ_remove(1/v), so that it has all mass that is not above.
    pub(super) fn below(measure: &Below, scale: i32, steps: u64) -> Self {
        let scale = scale.saturating_add_unsigned(UNIT_BITS);
        let points = measure.points();
        let all = points.iter().map(|(_, mass, moment)| Masses {
            p: mass.clone(),
            q: Integer::from(moment * UNIT),
        });
        let all: Vec<Masses> = all.collect();
        let start = Masses {
            p: Integer::new(),
            q: Integer::from(measure.infinite() * UNIT),
        };
        let above: Vec<Masses> = sums(start, all.iter().rev()).into_iter().rev().collect();
        let one = Masses {
            p: Integer::from(1) << measure.bits(),
            q: super::base::shifted_up(Integer::from(steps) << measure.bits(), scale),
        };
        let below = above.iter().map(|above| Masses {
            p: Integer::from(&one.p - &above.p),
            q: Integer::from(&one.q - &above.q),
        });
        let fine = i32::try_from(Below::FINE).unwrap_or(0);
        let cuts = Cuts {
            below: below.collect(),
            above,
            places: points.into_iter().map(|(place, ..)| place * UNIT).collect(),
            place_scale: scale.saturating_add(fine),
            unit: UNIT,
            steps,
            bits: measure.bits(),
            scale,
        };
        Self {
            cuts: Arc::new(cuts),
            is_swapped: false,
        }
    }

    /// Encloses the largest line at one u, and the slopes of those that may be the largest: a point that may lie to either side of the cut is left out and taken in.
    fn line(&self, u: &Float, bits: u32) -> (Interval, Interval) {
        let cuts = if self.is_swapped {
            self.cuts.below_quotient(u)
        } else {
            self.cuts.at_product(u)
        };
        let lines = cuts.filter_map(|cut| self.line_of(cut, u, bits));
        let larger = |(one, slope): (Interval, Interval), (other, more): (Interval, Interval)| {
            (one.max(&other), slope.hull(&more))
        };
        let nothing = || (Interval::zero(bits), Interval::zero(bits));
        lines.reduce(larger).unwrap_or_else(nothing)
    }

    /// The line of what lies on the side of a cut that counts.
    fn line_of(&self, cut: usize, u: &Float, bits: u32) -> Option<(Interval, Interval)> {
        let masses = if self.is_swapped {
            self.cuts.below.get(cut)
        } else {
            self.cuts.above.get(cut)
        };
        let (p, q) = self.cuts.probabilities(masses?, bits);
        let (gain, loss) = if self.is_swapped { (p, q) } else { (q, p) };
        let at = Interval::point(u.clone());
        Some((gain.sub(&at.mul(&loss)), loss))
    }
}

fn sums<'a>(start: Masses, of: impl Iterator<Item = &'a Masses>) -> Vec<Masses> {
    let mut all = vec![start.clone()];
    let mut sum = start;
    for masses in of {
        sum.p += &masses.p;
        sum.q += &masses.q;
        all.push(sum.clone());
    }
    all
}

impl Cuts {
    /// How many places are at most steps·u: from those that certainly are to those that may be.
    fn at_product(&self, u: &Float) -> RangeInclusive<usize> {
        let bound = exact_product(u, &Integer::from(self.steps)) << self.place_scale;
        let count = |unit: u32| {
            let places = &self.places;
            places.partition_point(|place| Integer::from(place + unit) <= bound)
        };
        count(self.unit)..=count(0)
    }

    /// How many places are below steps/v: from those that certainly are to those that may be.
    fn below_quotient(&self, v: &Float) -> RangeInclusive<usize> {
        let steps = Float::with_val(64, self.steps) << self.place_scale;
        let count = |unit: u32| {
            let places = &self.places;
            places.partition_point(|place| exact_product(v, &Integer::from(place + unit)) < steps)
        };
        count(self.unit)..=count(0)
    }

    fn probabilities(&self, masses: &Masses, bits: u32) -> (Interval, Interval) {
        let down = i32::try_from(self.bits).unwrap_or(i32::MAX);
        let p = shifted(&Interval::from_integer(&masses.p, bits), down);
        let q = shifted(
            &Interval::from_integer(&masses.q, bits),
            down.saturating_add(self.scale),
        );
        let steps = Interval::from_integer(&Integer::from(self.steps), bits);
        (p, q.div(&steps))
    }
}

/// The exact product.
pub(super) fn exact_product(x: &Float, by: &Integer) -> Float {
    Float::with_val(
        x.prec().saturating_add(by.significant_bits()).max(64),
        x * by,
    )
}

/// x·2^−by.
fn shifted(x: &Interval, by: i32) -> Interval {
    Interval::between_or_line(x.lo().clone() >> by, x.hi().clone() >> by)
}

/// More bits for what is lost where a line nearly meets 0.
const GUARD_BITS: u32 = 96;

impl Profile for Side {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits().saturating_add(GUARD_BITS);
        let (low, high) = (point.exp().lo(), point.exp().hi());
        let zero = || (Interval::zero(bits), Interval::zero(bits));
        // The line at the lower end is larger, and steeper.
        let upper = if *low > 0 && low.is_finite() {
            self.line(low, bits)
        } else {
            (Interval::one(bits), Interval::one(bits))
        };
        let lower = if high.is_finite() {
            self.line(high, bits)
        } else {
            zero()
        };
        let value = Interval::spanning(lower.0.lo().clone(), upper.0.hi().clone());
        let tail = lower.1.hull(&upper.1).in_unit();
        let found = ProfilePoint::on_lines([(value.clone(), tail)], &value, point.exp());
        ProfilePoint {
            delta: found.delta.at_bits(point.bits()).in_unit(),
            null_tail: found.null_tail.at_bits(point.bits()).in_unit(),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            cuts: Arc::clone(&self.cuts),
            is_swapped: !self.is_swapped,
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        if self.is_swapped {
            self.lowest(bits).negated()
        } else {
            self.highest(bits)
        }
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        if self.is_swapped {
            self.highest(bits).negated()
        } else {
            self.lowest(bits)
        }
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        let end = if self.is_swapped {
            // Places at 0 have P-mass alone.
            self.cuts
                .below
                .get(self.cuts.places.partition_point(|place| *place <= 0))
        } else {
            self.cuts.above.last()
        };
        let masses = end.cloned().unwrap_or_default();
        let (p, q) = self.cuts.probabilities(&masses, bits);
        let gain = if self.is_swapped { p } else { q };
        if self.is_swapped && self.cuts.unit > 0 {
            return Interval::zero(bits);
        }
        gain.in_unit()
    }
}

impl Side {
    fn highest(&self, bits: u32) -> LossBound {
        self.loss_of(self.cuts.places.last(), bits)
    }

    fn lowest(&self, bits: u32) -> LossBound {
        self.loss_of(self.cuts.places.iter().find(|place| **place > 0), bits)
    }

    fn loss_of(&self, place: Option<&Integer>, bits: u32) -> LossBound {
        let Some(place) = place else {
            return LossBound::Unbounded;
        };
        let end = Integer::from(place + self.cuts.unit);
        let ratio =
            |place: &Integer| shifted(&Interval::from_integer(place, bits), self.cuts.place_scale);
        let steps = Interval::from_integer(&Integer::from(self.cuts.steps), bits);
        let value = ratio(place).hull(&ratio(&end)).div(&steps).ln();
        LossBound::Finite { value, exact: None }
    }
}
