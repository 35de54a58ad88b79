//! Profiles that are the largest of finitely many lines.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::{Float, Rational};

use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// The line u ↦ `start` − `slope`·u.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) start: Rational,
    pub(super) slope: Rational,
}

impl Line {
    fn at(&self, u: &Interval) -> Interval {
        let number = |x: &Rational| Interval::from_rational(x, u.bits());
        number(&self.start).sub(&number(&self.slope).mul(u))
    }

    /// The line of the pair in the other order: 1 − u + u·δ(1/u).
    fn mirrored(&self) -> Self {
        Self {
            start: Rational::from(1 - &self.slope),
            slope: Rational::from(1 - &self.start),
        }
    }
}

/// The largest of some lines, of 0 and of 1 − u, symmetric in the two orders of the pair: it is convex, falls, and is the profile of a pair with
/// finitely many losses.
#[derive(Debug, Clone)]
pub(super) struct Polygon {
    /// By rising slope; each is the largest somewhere.
    lines: Vec<Line>,
    /// Where each line meets the next one: falling.
    corners: Vec<Float>,
}

/// Bits of the places of corners, which only say where to look.
const BITS: u32 = 96;
/// A corner is within 2^−80 of its place, relatively.
const SLACK_BITS: u32 = 80;

impl Polygon {
    /// Of the lines and their mirror images. `None` if a line is no supporting line of a profile, or above 0 for all u.
    pub(super) fn new(stated: Vec<Line>) -> Option<Self> {
        let is_between = |x: &Rational| *x >= 0 && *x <= 1;
        if !stated
            .iter()
            .all(|line| is_between(&line.start) && is_between(&line.slope))
        {
            return None;
        }
        let mut all: Vec<Line> = stated.iter().map(Line::mirrored).collect();
        all.extend(stated);
        for end in [0u32, 1] {
            all.push(Line {
                start: end.into(),
                slope: end.into(),
            });
        }
        all.sort_unstable_by(|a, b| (&a.slope, &a.start).cmp(&(&b.slope, &b.start)));
        let mut lines: Vec<Line> = Vec::with_capacity(all.len());
        for line in all {
            // A steeper line that starts no higher is below for all u > 0; of two equal slopes the later starts higher.
            if lines
                .last()
                .is_some_and(|last| line.start <= last.start && line.slope > last.slope)
            {
                continue;
            }
            while lines.last().is_some_and(|last| last.slope == line.slope) {
                lines.pop();
            }
            while let [.., before, last] = lines.as_slice() {
                if !is_hidden(before, last, &line) {
                    break;
                }
                lines.pop();
            }
            lines.push(line);
        }
        // Losses are bounded by where the first line meets the second: there δ has to become 0.
        lines.first().filter(|flattest| flattest.start == 0)?;
        let corner = |(flat, steep): (&Line, &Line)| {
            let rise = Rational::from(&steep.start - &flat.start);
            let place = rise / Rational::from(&steep.slope - &flat.slope);
            Float::with_val(BITS, place)
        };
        let corners = lines.iter().zip(lines.iter().skip(1)).map(corner).collect();
        Some(Self { lines, corners })
    }

    /// The largest line at an exact place, and the slopes of those that may be.
    fn at_place(&self, u: &Float, bits: u32) -> ProfilePoint {
        // The corners are known up to rounding: all lines take part that may be the largest.
        let around = |slack: i64| {
            let factor = Rational::from(1) + (Rational::from(slack) >> SLACK_BITS);
            Interval::point(u.clone()).mul(&Interval::from_rational(&factor, BITS))
        };
        let (far, close) = (around(1), around(-1));
        let first = self.corners.partition_point(|corner| corner > far.hi());
        let last = self.corners.partition_point(|corner| corner > close.lo());
        let count = last.saturating_sub(first).saturating_add(1);
        let near = self.lines.iter().skip(first).take(count);
        let u = Interval::point(Float::with_val(bits.max(u.prec()), u));
        let near: Vec<(Interval, Interval)> = near
            .map(|line| (line.at(&u), Interval::from_rational(&line.slope, bits)))
            .collect();
        let zero = Interval::zero(bits);
        let delta = near.iter().fold(zero.clone(), |most, one| most.max(&one.0));
        let tail = near
            .into_iter()
            .filter(|(value, _)| value.hi() >= delta.lo())
            .map(|(_, slope)| slope)
            .reduce(|a, b| a.hull(&b));
        ProfilePoint {
            delta: delta.at_bits(bits).in_unit(),
            null_tail: tail.unwrap_or(zero),
        }
    }

    /// The corner with the largest u, where δ becomes 0.
    fn last_corner(&self, bits: u32) -> Option<Interval> {
        let [flat, steep, ..] = self.lines.as_slice() else {
            return None;
        };
        let rise = Rational::from(&steep.start - &flat.start);
        let place = rise / Rational::from(&steep.slope - &flat.slope);
        Some(Interval::from_rational(&place, bits))
    }

    fn largest_loss(&self, bits: u32) -> LossBound {
        match self.last_corner(bits) {
            Some(place) => LossBound::Finite {
                value: place.ln().at_least_zero(),
                exact: None,
            },
            None => LossBound::Unbounded,
        }
    }
}

/// Is the line in the middle nowhere above both others? Requires: slopes and starts rise strictly.
fn is_hidden(flat: &Line, middle: &Line, steep: &Line) -> bool {
    let rise = |a: &Line, b: &Line| Rational::from(&b.start - &a.start);
    let turn = |a: &Line, b: &Line| Rational::from(&b.slope - &a.slope);
    let (to_middle, to_steep) = (
        rise(flat, middle) * turn(flat, steep),
        rise(flat, steep) * turn(flat, middle),
    );
    // Flat and steep meet at or before the place from which on the middle is above flat only to the left.
    to_middle.cmp(&to_steep) != Ordering::Greater
}

impl Profile for Polygon {
    fn at(&self, point: &Point) -> ProfilePoint {
        let (bits, u) = (point.bits(), point.exp());
        if !u.hi().is_finite() {
            return ProfilePoint {
                delta: Interval::zero(bits).hull(&Interval::one(bits)),
                null_tail: Interval::zero(bits).hull(&Interval::one(bits)),
            };
        }
        // δ and the slope fall in u.
        let (start, end) = (self.at_place(u.lo(), bits), self.at_place(u.hi(), bits));
        ProfilePoint {
            delta: start.delta.hull(&end.delta),
            null_tail: start.null_tail.hull(&end.null_tail),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.largest_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.largest_loss(bits).negated()
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[path = "polygon_tests.rs"]
mod tests;
