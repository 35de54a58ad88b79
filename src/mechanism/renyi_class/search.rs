//! The best pair for a few guarantees: a bracket of p between two supporting lines. Nearest rounding.

use crate::kernel::{Pick, is_late};
use rug::{Float, Rational};

use super::exchange::COARSE_DIGITS;
use super::guarantee::{of_zcdp, polished};
use super::order::{Boundary, RenyiBound, Spot};

/// Some of the guarantees of a class, prepared at one precision.
pub(super) struct Region {
    pub boundaries: Vec<Boundary>,
    /// ρ, if those of the other orders t > 1 are to be found too.
    pub rho: Option<Rational>,
}

/// A point of the boundary of the region p + q ≤ 1, D_t ≤ ε(t), and which constraint binds there.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    pub spot: Spot,
    /// None for p + q ≤ 1.
    pub order: Option<RenyiBound>,
    /// Points of one piece are on one smooth curve.
    piece: Piece,
    slope: Float,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// p + q = 1.
    Sum,
    /// One of the guarantees.
    Single(usize),
    /// The envelope of all orders t > 1 of zCDP.
    Envelope,
}

/// Two points of the boundary: left of the best one (slope ≥ u) and right of it.
#[derive(Debug, Clone)]
pub(super) struct Bracket {
    pub left: Touch,
    pub right: Touch,
}

const MOST_STEPS: u32 = 160;
const MOST_ENVELOPE_STEPS: u32 = 20;
/// p is not searched below 2^−2^this.
const MOST_DOUBLINGS: u32 = 30;

impl Region {
    /// The point of the boundary at p. `near` is one at a similar p.
    pub fn touch(&self, p: &Float, near: Option<&Touch>) -> Touch {
        let bits = p.prec();
        let mut best: Option<(Float, usize)> = None;
        for (index, boundary) in self.boundaries.iter().enumerate() {
            if let Some(d) = boundary.distance(p, near.map(|touch| &touch.spot))
                && best.as_ref().is_none_or(|(least, _)| d < *least)
            {
                best = Some((d, index));
            }
        }
        let Some((d, index, boundary)) =
            best.and_then(|(d, index)| Some((d, index, self.boundaries.get(index)?)))
        else {
            let d = Float::with_val(bits, 1 - Float::with_val(bits, p << 1u32));
            return Touch {
                spot: Spot::new(p, &d),
                order: None,
                piece: Piece::Sum,
                slope: Float::with_val(bits, -1),
            };
        };
        let spot = Spot::new(p, &d);
        let found = self.rho.as_ref().and_then(|rho| {
            let start = near
                .and_then(|touch| touch.order.as_ref())
                .filter(|order| !order.is_first())
                .or_else(|| self.boundaries.last().map(|boundary| &boundary.order))?;
            on_envelope(rho, &spot, Float::with_val(bits, &start.order))
        });
        match found {
            Some((spot, boundary)) => Touch {
                slope: boundary.slope(&spot),
                spot,
                order: Some(boundary.order),
                piece: Piece::Envelope,
            },
            None => Touch {
                slope: boundary.slope(&spot),
                spot,
                order: Some(boundary.order.clone()),
                piece: Piece::Single(index),
            },
        }
    }
}

/// From a pair that violates ρ-zCDP at some order near t to one that does at none near it. `None` if it does at none.
pub(super) fn on_envelope(rho: &Rational, start: &Spot, t: Float) -> Option<(Spot, Boundary)> {
    let bits = start.bits();
    let fine = Float::with_val(bits, 1) >> (bits - bits / 8);
    let mut found: Option<(Spot, Boundary)> = None;
    let mut spot = start.clone();
    let mut t = t;
    for _ in 0..MOST_ENVELOPE_STEPS {
        if is_late() {
            return found;
        }
        let order = polished(&spot, &t)?;
        t = Float::with_val(bits, &order);
        let boundary = Boundary::new(&of_zcdp(rho, order), bits);
        let excess = boundary.excess(&spot);
        if excess <= fine {
            if found.is_none() && excess >= -fine.clone() {
                found = Some((spot, boundary));
            }
            return found;
        }
        let d = boundary.distance(&spot.p, Some(&spot))?;
        spot = Spot::new(&spot.p, &d);
        found = Some((spot.clone(), boundary));
    }
    found
}

impl Touch {
    /// q − slope·p: where the supporting line meets p = 0.
    fn height(&self) -> Float {
        self.spot.value(&self.slope)
    }
}

impl Bracket {
    /// An upper bound of the maximum, but for rounding: the mixture of both lines that has slope u.
    fn ceiling(&self, u: &Float) -> Float {
        let share = self.share(u);
        let rest = Float::with_val(u.prec(), 1 - &share);
        share * self.left.height() + rest * self.right.height()
    }

    /// The share of the left line in that mixture.
    pub fn share(&self, u: &Float) -> Float {
        let bits = u.prec();
        let all = Float::with_val(bits, &self.left.slope - &self.right.slope);
        let share = Float::with_val(bits, u - &self.right.slope) / all;
        let one = Float::with_val(bits, 1);
        if share.is_nan() {
            one
        } else {
            share.larger(&Float::new(bits)).smaller(&one)
        }
    }

    /// The better of both ends.
    pub fn best(&self, u: &Float) -> &Touch {
        if self.left.spot.value(u) >= self.right.spot.value(u) {
            &self.left
        } else {
            &self.right
        }
    }

    fn gap(&self, u: &Float) -> Float {
        self.ceiling(u) - self.best(u).spot.value(u)
    }

    fn is_narrow(&self, u: &Float, digits: u32) -> bool {
        self.gap(u) <= self.best(u).spot.value(u) >> digits
    }

    fn nearest(&self, p: &Float) -> &Touch {
        let bits = p.prec();
        let from_left = Float::with_val(bits, p / &self.left.spot.p);
        let from_right = Float::with_val(bits, &self.right.spot.p / p);
        let is_left = self.right.piece == Piece::Sum || from_left < from_right;
        if is_left { &self.left } else { &self.right }
    }

    fn contains(&self, p: &Float) -> bool {
        p.is_finite() && *p > self.left.spot.p && *p < self.right.spot.p
    }

    fn update(&mut self, touch: Touch, u: &Float) {
        if touch.slope >= *u {
            self.left = touch;
        } else {
            self.right = touch;
        }
    }

    /// Where both supporting lines meet: near a corner of the region, if it has one between them.
    fn meeting(&self) -> Float {
        let bits = self.left.spot.bits();
        let fall = self.right.height() - self.left.height();
        fall / Float::with_val(bits, &self.left.slope - &self.right.slope)
    }

    /// The meeting point, passed a little, seen from the nearer end.
    fn beyond_meeting(&self) -> Float {
        let bits = self.left.spot.bits();
        let meeting = self.meeting();
        let from_left = Float::with_val(bits, &meeting - &self.left.spot.p);
        let from_right = Float::with_val(bits, &self.right.spot.p - &meeting);
        if from_left < from_right {
            meeting + (from_left << 1u32)
        } else {
            meeting - (from_right << 1u32)
        }
    }

    fn middle(&self) -> Float {
        let bits = self.left.spot.bits();
        let far = Float::with_val(bits, &self.left.spot.p << 2u32) < self.right.spot.p;
        if far {
            // Geometric middle of logarithms, for brackets of many orders of magnitude.
            let (low, high) = (
                Float::with_val(bits, self.left.spot.p.ln_ref()),
                Float::with_val(bits, self.right.spot.p.ln_ref()),
            );
            (-Float::with_val(bits, low * high).sqrt()).exp()
        } else {
            Float::with_val(bits, &self.left.spot.p + &self.right.spot.p) >> 1u32
        }
    }
}

/// The secant step for log slope as a function of log p, which is nearly linear.
fn secant(a: &Touch, b: &Touch, log_u: &Float) -> Option<Float> {
    if a.piece == Piece::Sum || a.piece != b.piece {
        return None;
    }
    let bits = log_u.prec();
    let log = |x: &Float| Float::with_val(bits, x.ln_ref());
    let (x, y) = (log(&a.spot.p), log(&b.spot.p));
    let (f, g) = (log(&a.slope) - log_u, log(&b.slope) - log_u);
    let run = Float::with_val(bits, &y - &x);
    let rise = Float::with_val(bits, &g - &f);
    let next = y - g * run / rise;
    next.is_finite().then(|| next.exp())
}

/// The maximum of q − u·p for u ≥ 1, to about `digits` bits. Starts from `around`, if that is a bracket.
pub(super) fn search(
    region: &Region,
    u: &Float,
    digits: u32,
    around: Option<&Bracket>,
) -> Option<Bracket> {
    let bits = u.prec();
    let log_u = Float::with_val(bits, u.ln_ref());
    let mut bracket = around
        .and_then(|ends| again(region, u, ends))
        .or_else(|| widest(region, u, bits))?;
    let (mut last, mut before): (Option<Touch>, Option<Touch>) = (None, None);
    let mut earlier = bracket.gap(u);
    for step in 0..MOST_STEPS {
        if bracket.is_narrow(u, digits) || is_late() {
            break;
        }
        let secant = || {
            let fresh = last.as_ref().zip(before.as_ref());
            fresh
                .and_then(|(a, b)| secant(a, b, &log_u))
                .filter(|p| bracket.contains(p))
                .or_else(|| secant(&bracket.left, &bracket.right, &log_u))
        };
        let is_smooth =
            bracket.left.piece == bracket.right.piece && bracket.left.piece != Piece::Sum;
        let candidate = match step % 4 {
            3 => {
                let gap = bracket.gap(u);
                let is_slow = gap > Float::with_val(bits, &earlier >> 4u32);
                earlier = gap;
                if is_slow { None } else { secant() }
            }
            _ if is_smooth => secant(),
            0 => Some(bracket.meeting()),
            1 => Some(bracket.beyond_meeting()),
            _ => secant(),
        };
        let p = candidate
            .filter(|p| bracket.contains(p))
            .unwrap_or_else(|| bracket.middle());
        if !bracket.contains(&p) {
            break;
        }
        let touch = region.touch(&p, Some(bracket.nearest(&p)));
        before = last.take();
        last = Some(touch.clone());
        bracket.update(touch, u);
    }
    Some(bracket)
}

/// A bracket around the ends of the first search, if it is one.
fn again(region: &Region, u: &Float, ends: &Bracket) -> Option<Bracket> {
    let bits = u.prec();
    let at = |touch: &Touch, factor: Float| {
        let p = Float::with_val(bits, &touch.spot.p) * factor;
        region.touch(&p, Some(touch))
    };
    let slack = Float::with_val(bits, 1) >> (COARSE_DIGITS / 2);
    let left = at(&ends.left, Float::with_val(bits, 1 - &slack));
    let right = at(&ends.right, slack + 1u32);
    let half = Float::with_val(bits, 1) >> 1u32;
    (left.slope >= *u && right.slope < *u && right.spot.p <= half)
        .then_some(Bracket { left, right })
}

/// p = 1/2, where q = p, on the right; on the left the first 2^−2^k with a slope of at least u.
fn widest(region: &Region, u: &Float, bits: u32) -> Option<Bracket> {
    let half = Float::with_val(bits, 1) >> 1u32;
    let mut right = Touch {
        spot: Spot::new(&half, &Float::new(bits)),
        order: None,
        piece: Piece::Sum,
        slope: Float::with_val(bits, -1),
    };
    for doubling in 1..MOST_DOUBLINGS {
        let exponent = 1i32.checked_shl(doubling)?;
        let p = Float::with_val(bits, Float::i_exp(1, -exponent));
        let touch = region.touch(&p, None);
        if touch.slope >= *u {
            return Some(Bracket { left: touch, right });
        }
        if touch.slope.is_nan() {
            return None;
        }
        right = touch;
    }
    None
}
