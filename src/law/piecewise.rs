//! The profile of a law: piecewise linear in u, with its knots at the atoms.
//!
//! Between the points y_i and y_{i+1} the profile is the line δ(u) = A_i − u·α_i with A_i the Q-mass and α_i the
//! P-mass Σ q_j·e^{−y_j} above y_i. Scaled by e^{y_i} it is A_i − e^{ε−y_i}·a_i, and a_i = e^{−h}(q_{i+1} + a_{i+1}).

use std::sync::Arc;

use rug::{Float, Integer, Rational};

use super::{Lattice, LowerLaw, UpperLaw};
use crate::kernel::{Interval, Knot, LossBound, Point, Profile};

/// Bits of the tables: far more than the laws themselves resolve.
const BITS: u32 = 192;

/// The lines of a hinge mixture, shared by both sides and both directions.
struct Lines {
    lattice: Lattice,
    offset: Interval,
    first: i64,
    /// A_i at point `first + i`; line i holds from there to the next point.
    q_tails: Vec<Float>,
    /// a_i = e^{y_i}·α_i.
    scaled_p_tails: Vec<Interval>,
    /// The line left of the first point.
    q_total: Float,
    /// Σ_j q_j e^{−(y_j − y_first)}.
    scaled_p_total: Interval,
    top: Float,
    /// Table entries of the first and the last atom that has mass.
    first_mass: Option<usize>,
    last_mass: Option<usize>,
}

/// The profile of an [`UpperLaw`]: at least the δ it stands for.
#[derive(Clone)]
pub struct UpperProfile(Arc<Lines>);

/// The profile of a [`LowerLaw`]: at most the δ it stands for.
#[derive(Clone)]
pub struct LowerProfile(Arc<Lines>);

impl UpperProfile {
    /// Tabulates the lines of the law.
    pub fn new(law: &UpperLaw) -> Self {
        Self(Arc::new(Lines::new(
            law.lattice(),
            law.first(),
            law.masses(),
            law.top(),
            law.bits(),
        )))
    }
}

impl LowerProfile {
    /// Tabulates the lines of the law.
    pub fn new(law: &LowerLaw) -> Self {
        Self(Arc::new(Lines::new(
            law.lattice(),
            law.first(),
            law.masses(),
            law.top(),
            law.bits(),
        )))
    }
}

impl Lines {
    fn new(lattice: &Lattice, first: i64, masses: &[Integer], top: &Integer, bits: u32) -> Self {
        // Integers up to 2^bits are exact at this precision.
        let mass_bits = bits.saturating_add(2).max(BITS);
        let unit = |n: &Integer| Float::with_val(mass_bits, n) >> bits;
        let shrink = Interval::from_rational(lattice.step(), BITS).neg().exp();
        let mut above = top.clone();
        let mut scaled = Interval::zero(BITS);
        let mut q_tails = Vec::with_capacity(masses.len());
        let mut scaled_p_tails = Vec::with_capacity(masses.len());
        let mut at_point = Interval::zero(BITS);
        for mass in masses.iter().rev() {
            q_tails.push(unit(&above));
            scaled_p_tails.push(scaled.clone());
            above += mass;
            at_point = scaled.add(&Interval::point(unit(mass)));
            scaled = shrink.mul(&at_point).at_bits(BITS);
        }
        q_tails.reverse();
        scaled_p_tails.reverse();
        Self {
            lattice: lattice.clone(),
            offset: lattice.offset().enclose(BITS),
            first,
            q_tails,
            scaled_p_tails,
            q_total: unit(&above),
            scaled_p_total: at_point,
            top: unit(top),
            first_mass: masses.iter().position(|mass| *mass != 0),
            last_mass: masses.iter().rposition(|mass| *mass != 0),
        }
    }

    /// The line that holds at this loss: index into the tables, or `None` left of the first point. Any answer is a
    /// supporting line; the caller checks where it matters.
    fn locate(&self, loss: &Float) -> Option<usize> {
        let rise = Float::with_val(BITS, loss - self.offset.lo());
        let step = Float::with_val(BITS, self.lattice.step());
        let index = (rise / step).floor().to_integer().unwrap_or_default() - self.first;
        if index < 0 {
            return None;
        }
        let last = self.q_tails.len().saturating_sub(1);
        Some(index.to_usize().unwrap_or(last).min(last))
    }

    /// Encloses the position of table entry `i`.
    fn position(&self, i: usize) -> Interval {
        let index = i64::try_from(i).unwrap_or(i64::MAX / 4) + self.first;
        let shift = Rational::from(self.lattice.step() * index);
        self.offset.add(&Interval::from_rational(&shift, BITS))
    }

    /// The supporting line `i` at a point: its value A − e^{ε−y}·a and its P-tail.
    fn line(&self, i: Option<usize>, point: &Point) -> (Interval, Interval) {
        let (q, scaled, from) = match i {
            Some(i) => match (self.q_tails.get(i), self.scaled_p_tails.get(i)) {
                (Some(q), Some(a)) => (q, a, self.position(i)),
                _ => return (Interval::zero(BITS), Interval::zero(BITS)),
            },
            None => (&self.q_total, &self.scaled_p_total, self.position(0)),
        };
        let value = Interval::point(q.clone()).sub(&point.log().sub(&from).exp().mul(scaled));
        (value, from.neg().exp().mul(scaled))
    }

    /// The lines that hold at the two ends of the point's enclosure.
    fn lines_around(&self, point: &Point) -> (Option<usize>, Option<usize>) {
        (self.locate(point.log().lo()), self.locate(point.log().hi()))
    }

    /// δ' and its P-tail: δ' is the largest of its lines, so any line bounds it from below, and the value at a knot
    /// certainly to the left, or a line certainly in force, bounds it from above.
    fn at(&self, point: &Point) -> Knot {
        let (left, right) = self.lines_around(point);
        let lines = [self.line(left, point), self.line(right, point)];
        let upper = self
            .largest_line(left, right, point, |i| self.line(i, point).0)
            .unwrap_or_else(|| self.value_left_of(left, point));
        Knot::on_lines(lines, &upper, point.exp())
    }

    /// The value at the point as the largest of the lines of a few cells that certainly contain it (δ' is convex);
    /// `None` if there are no such few cells.
    fn largest_line(
        &self,
        left: Option<usize>,
        right: Option<usize>,
        point: &Point,
        value: impl Fn(Option<usize>) -> Interval,
    ) -> Option<Interval> {
        if left == right && self.certainly_within(left, right, point) {
            return Some(value(left));
        }
        let before = left.and_then(|i| i.checked_sub(1));
        let after = right
            .map_or(0, |i| i + 1)
            .min(self.q_tails.len().saturating_sub(1));
        let first = before.unwrap_or(0);
        if after.saturating_sub(first) > 4 || !self.certainly_within(before, Some(after), point) {
            return None;
        }
        let leftmost = before.is_none().then(|| value(None));
        leftmost
            .into_iter()
            .chain((first..=after).map(|i| value(Some(i))))
            .reduce(|a, b| a.max(&b))
    }

    /// Is the point certainly on the cells `from..=to`?
    fn certainly_within(&self, from: Option<usize>, to: Option<usize>, point: &Point) -> bool {
        let next = to.map_or(0, |i| i + 1);
        let after = from.is_none_or(|i| self.position(i).certainly_le(point.log()));
        let before = next >= self.q_tails.len() || point.log().certainly_le(&self.position(next));
        after && before
    }

    /// δ' at a knot certainly left of the point, as an upper bound (δ' decreases).
    fn value_left_of(&self, i: Option<usize>, point: &Point) -> Interval {
        let Some(mut knot) = i else {
            return Interval::point(self.q_total.clone());
        };
        while !self.position(knot).certainly_le(point.log()) {
            match knot.checked_sub(1) {
                Some(previous) => knot = previous,
                None => return Interval::point(self.q_total.clone()),
            }
        }
        match (self.q_tails.get(knot), self.scaled_p_tails.get(knot)) {
            (Some(q), Some(a)) => Interval::point(q.clone()).sub(a),
            _ => Interval::point(self.q_total.clone()),
        }
    }

    /// The swapped profile 1 − v + v·δ'(1/v) at v = e^η, from the line at ε = −η:
    /// (1 − α) − v·(1 − A), which needs no subtraction of nearly equal numbers beyond 1 − α.
    fn at_swapped(&self, point: &Point) -> Knot {
        let mirrored = point.mirrored();
        let v = point.exp();
        let bound = |i: Option<usize>| {
            let (q, p) = match i {
                Some(i) => match (self.q_tails.get(i), self.scaled_p_tails.get(i)) {
                    (Some(q), Some(a)) => (q, self.position(i).neg().exp().mul(a)),
                    _ => (&self.q_total, Interval::one(BITS)),
                },
                None => (
                    &self.q_total,
                    self.position(0).neg().exp().mul(&self.scaled_p_total),
                ),
            };
            let below = Interval::point(q.clone()).one_minus();
            (p.one_minus().sub(&v.mul(&below)), below)
        };
        let (left, right) = self.lines_around(&mirrored);
        let upper = self
            .largest_line(left, right, &mirrored, |i| bound(i).0)
            .unwrap_or_else(|| {
                v.one_minus()
                    .add(&v.mul(&self.value_left_of(left, &mirrored)))
            });
        Knot::on_lines([bound(left), bound(right)], &upper, v)
    }

    /// The position of the first or last atom that has mass.
    fn end(&self, i: Option<usize>) -> LossBound {
        let Some(i) = i else { return unknown_end() };
        let index = i64::try_from(i).unwrap_or(i64::MAX / 4) + self.first;
        LossBound::Finite {
            value: self.position(i),
            exact: self.lattice.exact_position(index),
        }
    }

    /// The last atom with mass; not before 0, because every profile is at least 1 − u.
    fn max_loss(&self) -> LossBound {
        self.end(self.last_mass).at_least_zero()
    }

    /// Where mass is missing or has moved down (a lower law), the line 1 − u takes over at some point on the left.
    fn min_loss(&self) -> LossBound {
        let present = self.position(0).neg().exp().mul(&self.scaled_p_total);
        if self.q_total == 1 && *present.hi() <= 1 {
            self.end(self.first_mass)
        } else {
            unknown_end()
        }
    }

    /// Swapped: Q and P change places, so the mass at +∞ is the P-mass where Q has none. Where Q-mass is missing too
    /// (a lower law), δ is 1 − u for small u and the swapped profile sinks to 0.
    fn missing_p_mass(&self) -> Interval {
        if self.q_total != 1 {
            return Interval::zero(BITS);
        }
        let present = self.position(0).neg().exp().mul(&self.scaled_p_total);
        present.one_minus().in_unit()
    }
}

/// An end of the loss of which nothing is known.
fn unknown_end() -> LossBound {
    LossBound::Finite {
        value: Interval::whole_line(BITS),
        exact: None,
    }
}

macro_rules! profile_of_law {
    ($name:ident) => {
        impl Profile for $name {
            fn at(&self, point: &Point) -> Knot {
                self.0.at(point)
            }

            fn swapped(&self) -> Arc<dyn Profile> {
                Arc::new(Swapped {
                    lines: self.0.clone(),
                })
            }

            fn max_loss(&self, _bits: u32) -> LossBound {
                self.0.max_loss()
            }

            fn min_loss(&self, _bits: u32) -> LossBound {
                self.0.min_loss()
            }

            fn infinite_mass(&self, _bits: u32) -> Interval {
                Interval::point(self.0.top.clone())
            }
        }
    };
}

profile_of_law!(UpperProfile);
profile_of_law!(LowerProfile);

/// The profile of the swapped pair, from the same lines.
struct Swapped {
    lines: Arc<Lines>,
}

impl Profile for Swapped {
    fn at(&self, point: &Point) -> Knot {
        self.lines.at_swapped(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Unswapped {
            lines: self.lines.clone(),
        })
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        negated(self.lines.min_loss()).at_least_zero()
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        negated(self.lines.max_loss())
    }

    fn infinite_mass(&self, _bits: u32) -> Interval {
        self.lines.missing_p_mass()
    }
}

/// The pair swapped back.
struct Unswapped {
    lines: Arc<Lines>,
}

impl Profile for Unswapped {
    fn at(&self, point: &Point) -> Knot {
        self.lines.at(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Swapped {
            lines: self.lines.clone(),
        })
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        self.lines.max_loss()
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        self.lines.min_loss()
    }

    fn infinite_mass(&self, _bits: u32) -> Interval {
        Interval::point(self.lines.top.clone())
    }
}

fn negated(bound: LossBound) -> LossBound {
    match bound {
        LossBound::Finite { value, exact } => LossBound::Finite {
            value: value.neg(),
            exact: exact.map(|x| -x),
        },
        LossBound::Unbounded => LossBound::Unbounded,
    }
}
