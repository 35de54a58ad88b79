//! The profile of a law: piecewise linear in u, the largest of its lines.

use std::sync::Arc;

use rug::{Float, Integer, Rational};

use super::lines::{self, End, Line, Table};
use super::mass::Mass;
use super::{Lattice, LowerLaw, UpperLaw};
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, LossBound, Point, Profile, ProfilePoint};

/// Working bits: far more than the laws themselves resolve.
const BITS: u32 = 192;

/// Between this many lines an evaluation near a kink may be undecided.
const MOST_UNDECIDED: usize = 6;

/// How far beside such a point the profile is looked at: not at all, or 2^−this.
const BESIDE: [Option<u32>; 4] = [None, Some(96), Some(60), Some(32)];

/// The lines of a law, shared by both directions.
struct Lines {
    lattice: Lattice,
    offset: Interval,
    labels: Vec<i64>,
    table: Box<dyn Values>,
    q_total: Float,
    infinity_mass: Float,
    ends: Option<(End, End)>,
    /// Are all atoms on the lattice?
    on_lattice: bool,
}

/// The numbers of a line, whatever their width.
trait Values: Send + Sync {
    /// A_k exactly, and an enclosure of a_k.
    fn line(&self, k: usize) -> Option<(Float, Interval)>;
    /// Label, mass and scaled_p mass of the atom that line k has and line k + 1 has not.
    fn atom(&self, k: usize) -> Option<(i64, Float, Float)>;
}

impl<const W: usize> Values for Vec<Line<W>> {
    fn line(&self, k: usize) -> Option<(Float, Interval)> {
        let line = self.get(k)?;
        let unit = lines::unit_bits::<W>();
        let bits = unit.saturating_add(8).max(BITS);
        let exact = |n: Integer| Float::with_val(bits, n) >> unit;
        let (down, up) = (line.p_tail_down.to_integer(), line.p_tail_up.to_integer());
        let tail = Interval::between_or_line(exact(down), exact(up)).at_bits(BITS);
        Some((exact(line.q_tail.to_integer()), tail))
    }

    fn atom(&self, k: usize) -> Option<(i64, Float, Float)> {
        self.get(k.checked_add(1)?)?;
        let (label, mass, scaled_p) = self.get(k)?.atom;
        let exact = |mass: Mass<W>| {
            let n = mass.to_integer();
            Float::with_val(n.significant_bits().max(BITS), n)
        };
        Some((label, exact(mass), exact(scaled_p)))
    }
}

/// The profile of an [`UpperLaw`]: at least the δ it stands for.
#[derive(Clone)]
pub struct UpperProfile(Arc<Lines>);

/// The profile of a [`LowerLaw`]: at most the δ it stands for.
#[derive(Clone)]
pub struct LowerProfile(Arc<Lines>);

impl UpperProfile {
    /// Tabulates the lines of the law, in numbers of W limbs.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn new<const L: usize, const W: usize>(
        law: &UpperLaw<L>,
    ) -> Result<Self, InvariantViolation> {
        let table = lines::of_upper::<L, W>(law)?;
        Ok(Self(Arc::new(Lines::new(law.lattice(), table, true))))
    }
}

impl LowerProfile {
    /// Tabulates the lines of the law, in numbers of W limbs.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn new<const L: usize, const W: usize>(
        law: &LowerLaw<L>,
    ) -> Result<Self, InvariantViolation> {
        let table = lines::of_lower::<L, W>(law)?;
        Ok(Self(Arc::new(Lines::new(law.lattice(), table, false))))
    }
}

/// What is known of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Negative,
    Unknown,
    Positive,
}

/// The value of a line at a point and its P-tail.
type Value = (Interval, Interval);

impl Lines {
    fn new<const W: usize>(lattice: &Lattice, table: Table<W>, on_lattice: bool) -> Self {
        let labels = table.lines.iter().map(|line| line.label).collect();
        let q_tail = |k: usize| {
            table
                .lines
                .line(k)
                .map_or_else(|| Float::new(BITS), |(q, _)| q)
        };
        let last = table.lines.len().saturating_sub(1);
        Self {
            offset: lattice.offset().enclose(BITS),
            lattice: lattice.clone(),
            labels,
            q_total: q_tail(0),
            infinity_mass: q_tail(last),
            ends: table.ends,
            table: Box::new(table.lines),
            on_lattice,
        }
    }

    /// Encloses offset + index·step.
    fn position(&self, index: i64) -> Interval {
        let shift = Rational::from(self.lattice.step() * index);
        self.offset.add(&Interval::from_rational(&shift, BITS))
    }

    /// Line k at a point: its value A − e^{ε−y}·a and its P-tail e^{−y}·a.
    fn line(&self, k: usize, point: &Point) -> Option<Value> {
        let (q, scaled) = self.table.line(k)?;
        let from = self.position(*self.labels.get(k)?);
        let value = Interval::point(q).sub(&point.log().sub(&from).exp().mul(&scaled));
        Some((value, from.neg().exp().mul(&scaled)))
    }

    /// Line k of the swapped profile 1 − v + v·δ'(1/v) at v = e^η: (1 − α) − v·(1 − A), which needs no subtraction of
    /// nearly equal numbers beyond 1 − α.
    fn swapped_line(&self, k: usize, v: &Interval) -> Option<Value> {
        let (q, scaled) = self.table.line(k)?;
        let from = self.position(*self.labels.get(k)?);
        let alpha = from.neg().exp().mul(&scaled);
        let below = Interval::point(q).one_minus();
        Some((alpha.one_minus().sub(&v.mul(&below)), below))
    }

    /// A line near the largest at this loss, by the labels.
    fn near(&self, loss: &Float) -> usize {
        let rise = Float::with_val(BITS, loss - self.offset.lo());
        let step = Float::with_val(BITS, self.lattice.step());
        let index = (rise / step).floor().to_integer().unwrap_or_default();
        let index = index
            .to_i64()
            .unwrap_or(if index < 0 { i64::MIN } else { i64::MAX });
        // The label of line k is that of atom k − 1.
        self.labels.iter().skip(1).len().min(
            self.labels
                .partition_point(|label| *label <= index)
                .saturating_sub(1),
        )
    }

    /// The lines that may be the largest at a loss. Line k is the larger of k and k + 1 if the atom between them has
    /// q > u·p, and the losses of the atoms grow. `None` if too many cannot be told apart.
    fn largest(&self, log: &Interval) -> Option<std::ops::RangeInclusive<usize>> {
        let mut k = self.near(log.lo());
        while self.gain(k, log) == Some(Sign::Negative) {
            k = k.checked_add(1)?;
        }
        while let Some(below) = k.checked_sub(1)
            && self.gain(below, log) == Some(Sign::Positive)
        {
            k = below;
        }
        let (mut first, mut last) = (k, k);
        while let Some(below) = first.checked_sub(1)
            && self.gain(below, log) == Some(Sign::Unknown)
        {
            first = below;
        }
        while self.gain(last, log) == Some(Sign::Unknown) {
            last = last.checked_add(1)?;
            if last.saturating_sub(first) > MOST_UNDECIDED {
                return None;
            }
        }
        // Beyond what is undecided the lines must fall on both sides; else the losses are too close to be told apart.
        let below = first.checked_sub(1).and_then(|below| self.gain(below, log));
        let is_largest =
            below != Some(Sign::Positive) && self.gain(last, log) != Some(Sign::Negative);
        (is_largest && last.saturating_sub(first) <= MOST_UNDECIDED).then_some(first..=last)
    }

    /// The sign of q − u·p for the atom between lines k and k + 1; `None` beyond the last.
    fn gain(&self, k: usize, log: &Interval) -> Option<Sign> {
        let (label, mass, scaled_p) = self.table.atom(k)?;
        let bits = log.bits().max(BITS);
        let growth = log.sub(&self.position(label)).at_bits(bits).exp();
        let gain = Interval::point(mass).sub(&growth.mul(&Interval::point(scaled_p)));
        Some(if *gain.lo() > 0 {
            Sign::Positive
        } else if *gain.hi() < 0 {
            Sign::Negative
        } else {
            Sign::Unknown
        })
    }

    /// The profile where the largest line can be told, or between its values at the ends of the point's enclosure.
    fn evaluate(
        &self,
        point: &Point,
        lines_at: impl Fn(&Point) -> Option<Vec<Value>>,
    ) -> ProfilePoint {
        let bits = point.bits();
        let knot = |at: &Point| {
            let lines = lines_at(at)?;
            let upper = lines
                .iter()
                .map(|line| line.0.clone())
                .reduce(|a, b| a.max(&b))?;
            Some(ProfilePoint::on_lines(lines, &upper, at.exp()))
        };
        if let Some(found) = knot(point) {
            return found;
        }
        // Profiles decrease, and so do their tails: at a point where many lines meet they are between those on its sides.
        let end = |x: Float| knot(&Point::at_log(Interval::point(x).at_bits(bits)));
        let (low, high) = (point.log().lo(), point.log().hi());
        let beside = |shift: Option<u32>| {
            let gap = shift.map_or_else(|| Float::new(bits), |by| Float::with_val(bits, 1) >> by);
            let left = end(d::sub_down(low, &gap, bits))?;
            Some((left, end(d::add_up(high, &gap, bits))?))
        };
        let sides = BESIDE.into_iter().find_map(beside);
        let unknown = Interval::zero(bits).hull(&Interval::one(bits));
        let join = |pick: fn(&ProfilePoint) -> &Interval| match &sides {
            Some((left, right)) => pick(left).hull(pick(right)),
            None => unknown.clone(),
        };
        ProfilePoint {
            delta: join(|knot| &knot.delta),
            null_tail: join(|knot| &knot.null_tail),
        }
    }

    fn at(&self, point: &Point) -> ProfilePoint {
        self.evaluate(point, |at| {
            self.largest(at.log())?.map(|k| self.line(k, at)).collect()
        })
    }

    fn at_swapped(&self, point: &Point) -> ProfilePoint {
        self.evaluate(point, |at| {
            let lines = self.largest(&at.log().neg())?;
            lines.map(|k| self.swapped_line(k, at.exp())).collect()
        })
    }

    /// The loss of an atom at an end.
    fn end(&self, end: Option<&End>) -> LossBound {
        let Some(end) = end else { return unknown_end() };
        if self.on_lattice || end.mass == end.scaled_p {
            return LossBound::Finite {
                value: self.position(end.label),
                exact: self.lattice.exact_position(end.label),
            };
        }
        if end.scaled_p == 0 {
            return LossBound::Unbounded;
        }
        let number = |n: &Integer| Interval::from_integer(n, BITS);
        let rise = number(&end.mass).div(&number(&end.scaled_p)).ln();
        LossBound::Finite {
            value: self.position(end.label).add(&rise),
            exact: None,
        }
    }

    /// The last atom; not before 0, because every profile is at least 1 − u.
    fn max_loss(&self) -> LossBound {
        self.end(self.ends.as_ref().map(|(_, last)| last))
            .at_least_zero()
    }

    /// Where mass is missing or has moved down (a lower law), the line 1 − u takes over at some point on the left.
    fn min_loss(&self) -> LossBound {
        if self.q_total == 1 && *self.present_p_mass().hi() <= 1 {
            self.end(self.ends.as_ref().map(|(first, _)| first))
        } else {
            unknown_end()
        }
    }

    /// Σ of all P-masses.
    fn present_p_mass(&self) -> Interval {
        match (self.table.line(0), self.labels.first()) {
            (Some((_, scaled)), Some(label)) => self.position(*label).neg().exp().mul(&scaled),
            _ => Interval::zero(BITS),
        }
    }

    /// Swapped: Q and P change places, so the mass at +∞ is the P-mass where Q has none. Where Q-mass is missing too
    /// (a lower law), δ is 1 − u for small u and the swapped profile sinks to 0.
    fn missing_p_mass(&self) -> Interval {
        if self.q_total != 1 {
            return Interval::zero(BITS);
        }
        self.present_p_mass().one_minus().in_unit()
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
            fn at(&self, point: &Point) -> ProfilePoint {
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
                Interval::point(self.0.infinity_mass.clone())
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
    fn at(&self, point: &Point) -> ProfilePoint {
        self.lines.at_swapped(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Unswapped {
            lines: self.lines.clone(),
        })
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        self.lines.min_loss().negated().at_least_zero()
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        self.lines.max_loss().negated()
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
    fn at(&self, point: &Point) -> ProfilePoint {
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
        Interval::point(self.lines.infinity_mass.clone())
    }
}

#[cfg(test)]
#[path = "piecewise_tests.rs"]
mod tests;
