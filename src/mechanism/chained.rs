//! A record that is first taken away and then put back as another: the pair at the two ends of a chain of two neighbours.

use std::sync::Arc;

use rug::Float;

use crate::kernel::directed as d;
use crate::kernel::{
    Between, Budget, Failure, Fineness, Interval, LossBound, Pick, Point, Profile, ProfilePoint,
};

/// What (P', P) can be at most, P' and P with one record each, if of either no more is known than how it differs from R, which has neither.
///
/// With `there` the profile of (R, P) and `back` that of (P', R), which is the same pair in the other order, P(A) − s·v·P'(A) = (P(A) − s·R(A)) + s·(R(A) − v·P'(A)),
/// so that δ(u) ≤ F(s) = there(s) + s·back(u/s) for every s > 0. The profile here is the least of them (`proofs/README.md`, A7). It is that of the trade-off
/// function g(1 − f(α)), f = T(P', R), g = T(R, P), and the same in both orders.
pub struct Chained {
    there: Arc<dyn Profile>,
    back: Arc<dyn Profile>,
    /// Of the stretch in which the least F is.
    halvings: u32,
}

/// Bits beyond those of the point.
const GUARD_BITS: u32 = 24;
/// Halvings where F is known to many digits.
const MANY_HALVINGS: u32 = 26;
/// Halvings where it is known between others only: the error is that of the least F, about the square of the stretch.
const FEW_HALVINGS: u32 = 10;
/// Doublings of it before.
const DOUBLINGS: u32 = 14;

/// F at one place s.
struct Place {
    s: Interval,
    value: Interval,
    /// Of F in s.
    slope: Interval,
    /// The slope of F in u, without its sign.
    null_tail: Interval,
}

/// Where F is least: between a place where it does not rise, or that is next to 0, and one where it does not fall.
struct Least {
    falling: Place,
    rising: Place,
    /// Between them, where neither is certain.
    level: Option<Place>,
}

impl Chained {
    /// Requires: `there` is the profile of one pair, without the record and with it, not of a class.
    pub fn new(there: Arc<dyn Profile>) -> Self {
        Self {
            back: there.swapped(),
            there,
            halvings: MANY_HALVINGS,
        }
    }

    /// Encloses F at s = e^`log`: its slope is back(w) + w·s_back(w) − s_there(s) with w = u/s, and s_back(w) the fall in u.
    fn place(&self, log: &Float, point: &Point, bits: u32) -> Place {
        let at = |log: Interval| Point::at_log(log).with_accuracy(point.accuracy());
        let s = at(Interval::point(Float::with_val(bits, log)));
        let w = at(point.log().at_bits(bits).sub(s.log()));
        let (there, back) = (self.there.at(&s), self.back.at(&w));
        let with_record = back.delta.add(&w.exp().mul(&back.null_tail));
        Place {
            value: there.delta.add(&s.exp().mul(&back.delta)),
            slope: with_record.sub(&there.null_tail),
            null_tail: back.null_tail,
            s: s.exp().clone(),
        }
    }

    /// Where F is least, by halving; `None` where its slope is not told even far out.
    ///
    /// F is convex: `there` is, and s·back(u/s) is the perspective of a convex function.
    fn least(&self, point: &Point, bits: u32) -> Option<Least> {
        let middle = Float::with_val(bits, point.log().middle() / 2u32);
        let look = |log: &Float| self.place(log, point, bits);
        let away = |side: i32, doublings: u32| {
            let away = Float::with_val(bits, side) << doublings >> 2u32;
            let log = Float::with_val(bits, &middle + away);
            let found = look(&log);
            (log, found)
        };
        // Where most of R has no record, F rises from 0 on.
        let left = (0..DOUBLINGS).map(|doublings| away(-1, doublings));
        let left = first_or_last(left, |(_, found)| *found.slope.hi() <= 0);
        let mut right = (0..DOUBLINGS).map(|doublings| away(1, doublings));
        let right = right.find(|(_, found)| *found.slope.lo() >= 0);
        let ((mut left, mut falling), (mut right, mut rising)) = (left?, right?);
        let mut level = None;
        for _ in 0..self.halvings {
            let log = Float::with_val(bits, &left + &right) / 2u32;
            let found = look(&log);
            if *found.slope.hi() < 0 {
                (left, falling) = (log, found);
            } else if *found.slope.lo() > 0 {
                (right, rising) = (log, found);
            } else {
                level = Some(found);
                break;
            }
        }
        Some(Least {
            falling,
            rising,
            level,
        })
    }
}

/// The first one that fits, or the last one.
fn first_or_last<T>(all: impl Iterator<Item = T>, fits: impl Fn(&T) -> bool) -> Option<T> {
    let mut last = None;
    for one in all {
        let found = fits(&one);
        last = Some(one);
        if found {
            break;
        }
    }
    last
}

impl Least {
    /// Encloses the least F, which is above each of its lines: between the two places, and on (0, s] where it does not fall there. Beyond `rising` it is no less than there.
    fn value(&self, bits: u32) -> Interval {
        let width = d::sub_up(self.rising.s.hi(), self.falling.s.lo(), bits);
        let zero = || Float::new(bits);
        let fall = |place: &Place| zero().larger(&-place.slope.lo().clone());
        let rise = |place: &Place| zero().larger(place.slope.hi());
        let on_line = |place: &Place, steepest: &Float| {
            let change = d::mul_up(steepest, &width, bits);
            d::sub_down(place.value.lo(), &change, bits)
        };
        let (falling, rising) = (&self.falling, &self.rising);
        let mut between = on_line(falling, &fall(falling)).larger(&on_line(rising, &rise(rising)));
        let mut upper = falling.value.hi().clone().smaller(rising.value.hi());
        if let Some(level) = &self.level {
            let steepest = fall(level).larger(&rise(level));
            between = between.larger(&on_line(level, &steepest));
            upper = upper.smaller(level.value.hi());
        }
        let before = d::mul_up(&rise(falling), falling.s.hi(), bits);
        let before = d::sub_down(falling.value.lo(), &before, bits);
        let lower = between.smaller(&before).smaller(rising.value.lo());
        Interval::between_or_line(lower, upper)
    }

    /// Where F is least w = u/s is between those of the two places, and the slope falls with w.
    fn null_tail(&self) -> Interval {
        self.falling.null_tail.hull(&self.rising.null_tail)
    }
}

impl Profile for Chained {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits().saturating_add(GUARD_BITS);
        let unit = || Interval::zero(bits).hull(&Interval::one(bits));
        let (value, tail) = match self.least(point, bits) {
            Some(least) => (least.value(bits), least.null_tail()),
            None => (unit(), unit()),
        };
        let found = ProfilePoint::on_lines([(value.clone(), tail)], &value, point.exp());
        ProfilePoint {
            delta: found.delta.at_bits(point.bits()).in_unit(),
            null_tail: found.null_tail.at_bits(point.bits()).in_unit(),
        }
    }

    /// By g(1 − f(α)): the inverse is f⁻¹(1 − g⁻¹(β)), and f⁻¹ = g.
    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            there: Arc::clone(&self.there),
            back: Arc::clone(&self.back),
            halvings: self.halvings,
        })
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    /// Losses of a chain add up. Where a mass is infinite, the largest of the others is less; but for the line from (0, 1 − that mass) to (1, 0) no curve is flatter.
    fn max_loss(&self, bits: u32) -> LossBound {
        match (self.there.max_loss(bits), self.back.max_loss(bits)) {
            (LossBound::Finite { value: one, .. }, LossBound::Finite { value: two, .. }) => {
                let sum = one.add(&two);
                let mass = self.infinite_mass(bits);
                if mass.is_zero() && self.back.infinite_mass(bits).is_zero() {
                    return LossBound::Finite {
                        value: sum,
                        exact: None,
                    };
                }
                let line = mass.one_minus().ln();
                LossBound::Finite {
                    value: Interval::between_or_line(line.lo().clone(), sum.hi().clone()),
                    exact: None,
                }
            }
            (LossBound::Unbounded, _) | (_, LossBound::Unbounded) => LossBound::Unbounded,
        }
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.max_loss(bits).negated()
    }

    /// 1 − g(1 − f(0)): the infinite mass of `there` if `back` has none; at most there(s) + s·(that of `back`) for every s, and no less than either.
    fn infinite_mass(&self, bits: u32) -> Interval {
        let (one, two) = (
            self.there.infinite_mass(bits),
            self.back.infinite_mass(bits),
        );
        if two.is_zero() {
            return one;
        }
        let lower = one.lo().clone().larger(two.lo());
        let mut upper = Float::with_val(bits, 1);
        for log in 0..64 {
            let s = Point::at_log(Interval::from_i64(log, bits));
            let bound = self.there.at(&s).delta.add(&s.exp().mul(&two));
            upper = upper.smaller(bound.hi());
        }
        Interval::between_or_line(lower, upper).in_unit()
    }

    fn is_closed_form(&self) -> bool {
        self.there.is_closed_form()
    }

    /// A chain of more informative pairs is more informative.
    fn between(&self, fineness: Fineness, budget: &Budget) -> Result<Option<Between>, Failure> {
        let of = |there: Arc<dyn Profile>| -> Arc<dyn Profile> {
            Arc::new(Self {
                halvings: FEW_HALVINGS,
                ..Self::new(there)
            })
        };
        let sides = self.there.between(fineness, budget)?;
        Ok(sides.map(|sides| Between {
            upper: of(sides.upper),
            lower: of(sides.lower),
        }))
    }
}

#[cfg(test)]
#[path = "chained_tests.rs"]
mod tests;
