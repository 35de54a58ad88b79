//! A table of δ as a privacy profile.

use std::sync::Arc;

use rug::{Float, Integer, Rational};

use super::kernels::UNIT_BITS;
use super::program::Table;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// δ(u) for u ≥ 1 by chords between the values at ρ^j, constant beyond the last, and δ(u) = 1 − u + u·δ(1/u) below 1.
///
/// That is the profile of a pair with finitely many losses, as the table is convex and falls, and so is its mirrored part.
#[derive(Debug, Clone)]
pub(super) struct Tabulated(Arc<Table>);

impl Tabulated {
    pub fn new(table: Table) -> Self {
        Self(Arc::new(table))
    }

    fn last(&self) -> usize {
        self.0.values.len().saturating_sub(1)
    }

    fn value(&self, index: usize, bits: u32) -> Interval {
        let value = self.0.values.get(index.min(self.last()));
        let value = value.copied().unwrap_or(1 << UNIT_BITS);
        Interval::from_rational(&(Rational::from(Integer::from(value)) >> UNIT_BITS), bits)
    }

    /// log ρ.
    fn step(&self, bits: u32) -> Interval {
        Interval::from_rational(&Rational::from((1, self.0.density)), bits).ln_1p()
    }

    /// The line through the values at j and j + 1: its value at u, and its slope downwards.
    fn line(&self, index: usize, u: &Interval) -> (Interval, Interval) {
        let bits = u.bits();
        let here = self.value(index, bits);
        let fall = here.sub(&self.value(index + 1, bits));
        let number = Interval::from_integer(&Integer::from(index), bits);
        let place = self.step(bits).mul(&number).exp();
        let density = Interval::from_i64(i64::from(self.0.density), bits);
        // x_{j+1} − xⱼ = xⱼ/N.
        let slope = fall.mul(&density).div(&place).at_least_zero();
        let value = here.sub(&slope.mul(&u.sub(&place)));
        (value, slope)
    }

    /// δ and its slope downwards at one u ≥ 1.
    fn above_one(&self, log: &Interval, u: &Interval) -> (Interval, Interval) {
        let bits = u.bits();
        let place = log.div(&self.step(bits));
        let index = |x: &Float| {
            let floor = x.to_integer_round(rug::float::Round::Down);
            let floor = floor.map(|(whole, _)| whole.max(Integer::new()));
            let floor = floor.and_then(|whole| whole.to_usize());
            floor.unwrap_or(usize::MAX).min(self.last())
        };
        let (from, to) = (index(place.lo()), index(place.hi()));
        // The lines of a convex function are below it, and one of those near is the largest.
        let mut value: Option<Interval> = None;
        let mut slope: Option<Interval> = None;
        let ends = [from, to];
        for index in ends {
            let (next, fall) = self.line(index, u);
            value = Some(value.map_or(next.clone(), |known| known.max(&next)));
            slope = Some(slope.map_or(fall.clone(), |known| known.hull(&fall)));
        }
        let whole = || Interval::zero(bits).hull(&Interval::one(bits));
        let value = match to.saturating_sub(from) {
            0 | 1 => value.unwrap_or_else(whole),
            // More than a cell: δ falls.
            _ => self.value(from, bits).hull(&self.value(to + 1, bits)),
        };
        (value.in_unit(), slope.unwrap_or_else(whole).in_unit())
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let (log, u) = (point.log(), point.exp());
        if *log.lo() >= 0 {
            let (delta, null_tail) = self.above_one(log, u);
            ProfilePoint { delta, null_tail }
        } else {
            let (log, v) = (log.neg(), u.recip());
            let (delta, slope) = self.above_one(&log, &v);
            ProfilePoint {
                null_tail: delta.add(&v.mul(&slope)).one_minus().in_unit(),
                delta: u.one_minus().add(&u.mul(&delta)).in_unit(),
            }
        }
    }
}

impl Profile for Tabulated {
    fn at(&self, point: &Point) -> ProfilePoint {
        let (low, high) = (point.log().lo(), point.log().hi());
        if *low >= 0 || *high <= 0 {
            return self.knot(point);
        }
        // Around u = 1 δ and its slope lie between those at the ends, neither of which has more bits than the point.
        let bits = point.bits();
        let [left, right] = [low, high].map(|end| {
            let end = Float::with_val(bits, end);
            self.knot(&Point::at_log(Interval::point(end)))
        });
        ProfilePoint {
            delta: left.delta.hull(&right.delta),
            null_tail: left.null_tail.hull(&right.null_tail),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        let number = Interval::from_integer(&Integer::from(self.last()), bits);
        LossBound::Finite {
            value: self.step(bits).mul(&number),
            exact: None,
        }
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.max_loss(bits).negated()
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.value(self.last(), bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let last = *self.0.values.last()?;
        Some(Rational::from(Integer::from(last)) >> UNIT_BITS)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
