//! The privacy profile of a random allocation, between two that are finer the more is asked for.

use std::sync::{Arc, Mutex, PoisonError};

use rug::{Float, Integer, Rational};

use super::base::{base, power};
use super::sides::Side;
use crate::kernel::directed as d;
use crate::kernel::{
    Between, Budget, Failure, Fineness, Interval, LossBound, Point, Profile, ProfilePoint, is_late,
};

/// One of `steps` runs of a base pair, drawn at random, has the record.
#[derive(Clone)]
pub struct Allocated {
    base: Arc<dyn Profile>,
    steps: u64,
    is_swapped: bool,
    known: Arc<Mutex<Vec<Known>>>,
}

/// Both sides, as fine as they were asked for, or that there are none.
type Known = (Fineness, Option<[Side; 2]>);

/// Sides kept: enough for what one question goes through.
const KEPT: usize = 6;
/// How finely single points are enclosed, by the bits asked for.
const AT_FEW_BITS: Fineness = Fineness {
    cells: 128,
    depth: 80,
};
const AT_SOME_BITS: Fineness = Fineness {
    cells: 512,
    depth: 120,
};
const AT_MANY_BITS: Fineness = Fineness {
    cells: 1024,
    depth: 160,
};

impl Allocated {
    /// Requires: `steps ≥ 1`; `base` is the profile of one pair, not of a class.
    pub fn new(base: Arc<dyn Profile>, steps: u64) -> Self {
        Self {
            base,
            steps: steps.max(1),
            is_swapped: false,
            known: Arc::default(),
        }
    }

    /// The profiles above and below, of the pair as stated.
    fn sides(&self, fineness: Fineness, budget: &Budget) -> Result<Option<[Side; 2]>, Failure> {
        {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, sides)) = known.iter().find(|(of, _)| *of == fineness) {
                return Ok(sides.clone());
            }
        }
        let made = match base(&*self.base, self.steps, fineness, budget)? {
            Some(one) => {
                let (steps, reach) = (self.steps, one.reach);
                let above = power(&one.above, steps, |a, b| a.plus(b, reach, budget))?;
                let below = power(&one.below, steps, |a, b| a.plus(b, reach, budget))?;
                Some([
                    Side::above(&above, one.scale, steps),
                    Side::below(&below, one.scale, steps),
                ])
            }
            None => None,
        };
        if is_late() {
            return Ok(made);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT {
            known.remove(0);
        }
        known.push((fineness, made.clone()));
        Ok(made)
    }

    fn oriented(&self, side: &Side) -> Arc<dyn Profile> {
        if self.is_swapped {
            side.swapped()
        } else {
            Arc::new(side.clone())
        }
    }

    /// P(X̄ = 0) = P(X = 0)^t and Q(X̄ = ∞) = Q(X = ∞), in the order of the pair.
    fn infinite(&self, is_swapped: bool, bits: u32) -> Interval {
        if !is_swapped {
            return self.base.infinite_mass(bits);
        }
        let zero = self.base.swapped().infinite_mass(bits).in_unit();
        if zero.is_zero() {
            return zero;
        }
        let end = |x: &Float| {
            let one = Interval::point(x.clone());
            power(&one, self.steps, |a, b| Ok(a.mul(b)))
                .unwrap_or_else(|_| Interval::zero(bits).hull(&Interval::one(bits)))
        };
        end(zero.lo()).hull(&end(zero.hi())).in_unit()
    }

    /// The largest ratio: all are. No ratio is 0 or ∞ here.
    fn highest(&self, bits: u32) -> LossBound {
        self.base.max_loss(bits)
    }

    /// The smallest one above 0: all are, or but for one they are 0.
    fn lowest(&self, bits: u32) -> LossBound {
        let least = self.base.min_loss(bits);
        if self.base.swapped().infinite_mass(bits).is_zero() {
            return least;
        }
        match least {
            LossBound::Finite { value, .. } => {
                let steps = Interval::from_integer(&Integer::from(self.steps), bits);
                LossBound::Finite {
                    value: value.sub(&steps.ln()),
                    exact: None,
                }
            }
            LossBound::Unbounded => LossBound::Unbounded,
        }
    }
}

impl Profile for Allocated {
    fn at(&self, point: &Point) -> ProfilePoint {
        let fineness = match point.bits() {
            0..=72 => AT_FEW_BITS,
            73..=200 => AT_SOME_BITS,
            _ => AT_MANY_BITS,
        };
        let bits = point.bits();
        let trivial = || {
            let unit = Interval::zero(bits).hull(&Interval::one(bits));
            ProfilePoint {
                delta: unit.max(&point.exp().one_minus()).in_unit(),
                null_tail: unit,
            }
        };
        match self.sides(fineness, &Budget::of_evaluations()) {
            Ok(Some([above, below])) => {
                joined(&*self.oriented(&above), &*self.oriented(&below), point)
            }
            Ok(None) | Err(_) => trivial(),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            is_swapped: !self.is_swapped,
            ..self.clone()
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
        self.infinite(self.is_swapped, bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let exact = if self.is_swapped {
            self.base.swapped()
        } else {
            Arc::clone(&self.base)
        };
        let exact = exact.exact_infinite_mass()?;
        (exact == 0 || !self.is_swapped).then_some(exact)
    }

    fn is_closed_form(&self) -> bool {
        false
    }

    fn between(&self, fineness: Fineness, budget: &Budget) -> Result<Option<Between>, Failure> {
        Ok(self.sides(fineness, budget)?.map(|[above, below]| Between {
            upper: self.oriented(&above),
            lower: self.oriented(&below),
        }))
    }
}

/// What a profile above and one below say of the one between.
///
/// Its slope at u is between those of the chords to u(1 ± η): with a true value at least `lower` and at most `upper`,
/// (lower(u) − upper(u'))/(u' − u) ≤ s(u) ≤ (upper(u'') − lower(u))/(u − u''), u'' < u < u'.
pub(super) fn joined(upper: &dyn Profile, lower: &dyn Profile, point: &Point) -> ProfilePoint {
    const DISTANCES: [u32; 4] = [3, 5, 7, 9];
    let bits = point.bits();
    let most = |x: &Point| upper.at(x).delta.hi().clone();
    let least = |x: &Point| lower.at(x).delta.lo().clone();
    let delta = Interval::between_or_line(least(point), most(point));
    let end = |x: &Float| x.to_rational().filter(|u| *u > 0);
    let (mut tail_down, mut tail_up) = (Float::new(bits), Float::with_val(bits, 1));
    if let (Some(low), Some(high)) = (end(point.exp().lo()), end(point.exp().hi())) {
        let at = |u: &Rational| Point::at_exp_epsilon(u, bits);
        let (at_low, at_high) = (least(&at(&low)), least(&at(&high)));
        for shift in DISTANCES {
            let step = Rational::from(&high >> shift);
            let beyond = most(&at(&Rational::from(&high + &step)));
            let slope = d::div_down(
                &d::sub_down(&at_high, &beyond, bits),
                &d::rational_up(&step, bits),
                bits,
            );
            if slope > tail_down {
                tail_down = slope;
            }
            let step = Rational::from(&low >> shift);
            let before = most(&at(&Rational::from(&low - &step)));
            let slope = d::div_up(
                &d::sub_up(&before, &at_low, bits),
                &d::rational_down(&step, bits),
                bits,
            );
            if slope < tail_up {
                tail_up = slope;
            }
        }
    }
    ProfilePoint {
        delta: delta.in_unit(),
        null_tail: Interval::between_or_line(tail_down, tail_up).in_unit(),
    }
}
