//! Where a line meets a trade-off curve: between supporting lines (below) and chords (above).
//!
//! The curve is convex and non-increasing from (0, 1 − Q(∞)) to (1 − P(−∞), 0). A bracket of two of its
//! points, one on each side of the cut, gives an upper bound by the chord between them; every supporting
//! line gives a lower bound. The slope of the chord is the slope of some point in between, which is where
//! to look next (the chord rule of the sandwich algorithm; it lands on a kink of δ at once), alternating
//! with the middle of the bracket in ε.

use std::cmp::Ordering;

use rug::Float;

use super::curve::{Curve, CurvePoint, rough_log_ratio};
use super::enclosure::{Effort, Enclosure};
use crate::kernel::{Interval, InvariantViolation, Pick, Profile};

/// A line that crosses trade-off curves, and how to bound the place where it does.
pub(super) trait Cut {
    /// On which side of the line the point lies.
    fn side(&self, point: &CurvePoint) -> CutSide;

    /// Lower bound of the value at the cut from the supporting line at the point.
    fn by_support_down(&self, point: &CurvePoint) -> Float;

    /// Upper bound of the value at the cut from the chord between points on both sides of it.
    fn by_chord_up(&self, left: &Vertex, right: &Vertex) -> Float;
}

/// A side of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutSide {
    /// Large α, small u; or too near the line to tell.
    Left,
    /// Small α, large u; certain.
    Right,
    /// The enclosure reaches far to both sides: the loss has an atom at (or too near to) this ε.
    Both,
}

/// A point on or above the trade-off curve.
#[derive(Debug, Clone)]
pub(super) struct Vertex {
    pub alpha_up: Float,
    pub beta_up: Float,
}

/// What a search found: the enclosure, and the ε with the best supporting line.
pub(super) struct Crossing {
    pub enclosure: Enclosure,
    pub epsilon: Float,
}

/// A bracket never takes more steps than this.
const MOST_STEPS: u32 = 400;
/// An ε at an atom is met at most this often.
const MOST_ATOMS: u32 = 8;
/// ε is not searched beyond ±2^this.
const LARGEST_EXPONENT: u32 = 40;

/// Encloses the value of a cut on the trade-off curve of one profile.
///
/// # Errors
/// If a supporting line lies above a chord: an internal error.
pub(super) fn cross(
    curve: &Curve,
    cut: &impl Cut,
    effort: &Effort,
    bits: u32,
) -> Result<Crossing, InvariantViolation> {
    let mut bracket = Bracket::whole(curve, bits);
    let mut upper = cut.by_chord_up(&bracket.left, &bracket.right);
    let mut lower = Float::new(bits);
    let mut best = Float::new(bits);
    let mut probes: Vec<Float> = Vec::new();
    let mut atoms = 0u32;
    for step in 0..MOST_STEPS {
        if effort.target.is_met(&lower, &upper) || effort.is_over() {
            break;
        }
        let probe = probes.pop().filter(|e| bracket.is_inside(e));
        let Some(epsilon) = probe.or_else(|| bracket.next(step % 2 == 0, bits)) else {
            break;
        };
        let point = curve.point(&epsilon, bits);
        let support = cut.by_support_down(&point);
        if support > lower {
            lower = support;
            best.clone_from(&epsilon);
        }
        match cut.side(&point) {
            // Just beside the atom the curve has the two ends of the chord that the atom is.
            CutSide::Both if atoms < MOST_ATOMS => {
                atoms = atoms.saturating_add(1);
                probes = beside(&epsilon, bits);
                continue;
            }
            CutSide::Right => bracket.move_right_end(&point),
            CutSide::Left | CutSide::Both => bracket.move_left_end(&point),
        }
        let chord = cut.by_chord_up(&bracket.left, &bracket.right);
        if chord < upper {
            upper = chord;
        }
    }
    Ok(Crossing {
        enclosure: Enclosure::new(lower, upper)?,
        epsilon: best,
    })
}

/// Two points of the curve and the ε they belong to, −∞ and +∞ at first.
pub(super) struct Bracket {
    left: Vertex,
    right: Vertex,
    left_epsilon: Option<Float>,
    right_epsilon: Option<Float>,
}

impl Bracket {
    /// The ends of the curve.
    pub(super) fn whole(curve: &Curve, bits: u32) -> Self {
        let end = |profile: &dyn Profile| {
            let mass = profile.infinite_mass(bits).in_unit();
            mass.one_minus().hi().clone()
        };
        Self {
            left: Vertex {
                alpha_up: end(curve.backward.as_ref()),
                beta_up: Float::new(bits),
            },
            right: Vertex {
                alpha_up: Float::new(bits),
                beta_up: end(curve.forward.as_ref()),
            },
            left_epsilon: None,
            right_epsilon: None,
        }
    }

    /// The next ε to look at, strictly inside the bracket.
    pub(super) fn next(&self, by_chord: bool, bits: u32) -> Option<Float> {
        let chord = self.chord_epsilon(bits).filter(|e| self.is_inside(e));
        let middle = self.middle(bits).filter(|e| self.is_inside(e));
        if by_chord {
            chord.or(middle)
        } else {
            middle.or(chord)
        }
    }

    fn chord_epsilon(&self, bits: u32) -> Option<Float> {
        let rise = Float::with_val(bits, &self.right.beta_up - &self.left.beta_up);
        let run = Float::with_val(bits, &self.left.alpha_up - &self.right.alpha_up);
        rough_log_ratio(&rise, &run, bits)
    }

    fn middle(&self, bits: u32) -> Option<Float> {
        match (&self.left_epsilon, &self.right_epsilon) {
            (Some(a), Some(b)) => Some(Float::with_val(bits, a + b) >> 1u32),
            (Some(a), None) => beyond(a, bits),
            (None, Some(b)) => beyond(&Float::with_val(bits, -b), bits).map(|e| -e),
            (None, None) => Some(Float::new(bits)),
        }
    }

    fn is_inside(&self, epsilon: &Float) -> bool {
        let within = |bound: &Option<Float>, order| {
            bound
                .as_ref()
                .is_none_or(|b| epsilon.partial_cmp(b) == Some(order))
        };
        within(&self.left_epsilon, Ordering::Greater) && within(&self.right_epsilon, Ordering::Less)
    }

    pub(super) fn move_left_end(&mut self, point: &CurvePoint) {
        self.left = Vertex::above(point);
        self.left_epsilon = Some(point.epsilon.clone());
    }

    pub(super) fn move_right_end(&mut self, point: &CurvePoint) {
        self.right = Vertex::above(point);
        self.right_epsilon = Some(point.epsilon.clone());
    }
}

impl Bracket {
    /// Both ends.
    pub(super) fn ends(self) -> (Vertex, Vertex) {
        (self.left, self.right)
    }
}

impl Vertex {
    pub fn above(point: &CurvePoint) -> Self {
        Self {
            alpha_up: point.alpha.hi().clone(),
            beta_up: point.beta.hi().clone(),
        }
    }
}

impl CutSide {
    /// The side of a point whose distance from the line to the left is enclosed.
    pub fn of_distance(distance: &Interval) -> Self {
        let bits = distance.bits();
        let noise = Float::with_val(bits, 1) >> (bits / 2);
        if *distance.hi() <= 0 {
            Self::Right
        } else if *distance.lo() >= 0 || distance.width_up() < noise {
            Self::Left
        } else {
            Self::Both
        }
    }
}

/// Twice as far out as ε > 0, at least 1.
fn beyond(epsilon: &Float, bits: u32) -> Option<Float> {
    let limit = Float::with_val(bits, 1) << LARGEST_EXPONENT;
    let doubled = Float::with_val(bits, epsilon << 1u32);
    (doubled < limit).then(|| doubled.larger(&Float::with_val(bits, 1)))
}

/// Two places so near an ε that the curve hardly bends in between.
fn beside(epsilon: &Float, bits: u32) -> Vec<Float> {
    let size = Float::with_val(bits, epsilon.abs_ref()).larger(&Float::with_val(bits, 1));
    let step = size >> (bits / 2);
    vec![
        Float::with_val(bits, epsilon - &step),
        Float::with_val(bits, epsilon + &step),
    ]
}
