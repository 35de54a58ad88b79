//! Branch and bound for μ*: segments of the loss axis, the worst first.

use std::collections::BinaryHeap;

use rug::Float;

use super::curve::{Curve, CurvePoint};
use super::enclosure::Effort;
use super::gdp_floor::{Cuts, floor_bound};
use super::gdp_mu::GdpWitness;
use super::gdp_segment::{EndedCurve, Ends, Node, Segment, chord, middle};
use super::gdp_vertex::{Allowance, Corner, at_least_the_rest};
use super::two_sided::LossRange;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, Pick};
use crate::mechanism::{Direction, GdpForm};

mod cuts;
mod march;
mod outcome;

pub(super) use outcome::Outcome;
use outcome::peaks;

/// No search evaluates the profile more often than this,
const MOST_NODES: u32 = 4000;
/// nor more often than this where the upper bound is +∞ anyway.
const MOST_NODES_WITHOUT_UPPER_BOUND: u32 = 200;
/// A segment is not split any more after this many splits without effect.
const MOST_VAIN_SPLITS: u32 = 12;

/// Bounds μ* of one profile; `range` is known of the true loss.
///
/// # Errors
/// If the bounds of an auxiliary search cross: an internal error.
pub(super) fn search(
    curve: &Curve,
    range: &LossRange,
    form: &GdpForm,
    effort: &Effort,
) -> Result<Outcome, InvariantViolation> {
    let one = Float::with_val(64, 1);
    let usual = search_with(curve, range, form, effort, &one)?;
    let is_small = usual.upper < Float::with_val(64, &one >> 4u32);
    let is_done = effort.target.is_met(&usual.lower, &usual.upper);
    // Numbers that were fine enough for it would be no finer.
    if !is_small || is_done || digits(&usual.lower, effort) <= USUAL_DIGITS {
        return Ok(usual);
    }
    let fine = search_with(curve, range, form, effort, &Float::new(64))?;
    Ok(Outcome {
        upper: fine.upper.smaller(&usual.upper),
        ..fine
    })
}

/// The search with an inverse normal precise enough for a μ of this size.
fn search_with(
    curve: &Curve,
    range: &LossRange,
    form: &GdpForm,
    effort: &Effort,
    size: &Float,
) -> Result<Outcome, InvariantViolation> {
    let is_symmetric = curve.forward.is_symmetric();
    let bits = precision(curve, is_symmetric, form, effort);
    let mut search = Search::new(curve, range, form, effort, size, (bits, is_symmetric));
    let ends = search.place_ends();
    let cuts = search.place_cuts(form)?;
    search.start(&cuts);
    search.run(ends);
    Ok(search.finish())
}

/// What single points of the curve prove, where another one was found to ask for most: no upper bound.
///
/// Ensures: as [`search`], with the upper bound +∞.
///
/// # Errors
/// As [`search`].
pub(super) fn look_at(
    curve: &Curve,
    other: &Outcome,
    form: &GdpForm,
    effort: &Effort,
) -> Result<Outcome, InvariantViolation> {
    let one = Float::with_val(64, 1);
    let sides = (other.bits, other.is_symmetric);
    let mut search = Search::new(curve, &LossRange::default(), form, effort, &one, sides);
    search.place_ends();
    if !other.cuts.is_empty() {
        search.place_cuts(form)?;
    }
    for place in other
        .peaks
        .iter()
        .filter(|place| !other.cuts.contains(*place))
    {
        let direction = if *place < 0 {
            Direction::Add
        } else {
            Direction::Remove
        };
        search.node(direction, &place.clone().abs(), None);
    }
    Ok(search.shown())
}

struct Search<'a> {
    forward: EndedCurve,
    backward: EndedCurve,
    allowance: Allowance,
    effort: &'a Effort<'a>,
    bits: u32,
    /// Is the pair as informative in one order as in the other? Then one side shows all, and only that is looked at.
    is_symmetric: bool,
    /// Are floats precise enough to steer by? Then they are the bounds of segments and the best lower bound until the end.
    is_rough: bool,
    queue: BinaryHeap<Segment>,
    /// Segments that will not be split any more.
    settled: Vec<Segment>,
    lower: Float,
    witness: Option<GdpWitness>,
    /// The point of the lower bound, as α and 1 − β.
    best: Option<(Float, Float)>,
    /// ε of each point seen, and about what it asks for.
    seen: Vec<(Float, Float)>,
    /// Points that are known before there is a node at them.
    known: Vec<(Direction, CurvePoint)>,
    cuts: Vec<Float>,
    nodes: u32,
}

/// What a segment takes over from the one it is part of.
#[derive(Default)]
struct Parent {
    bound: Option<(Float, Corner)>,
    depth: u32,
    vain: u32,
}

/// Widths below 2^-this are too narrow for floats.
const ROUGH_DIGITS: u32 = 36;
/// Bits of numbers to steer by.
const STEERING_BITS: u32 = 64;
/// Bits of the inverse normal at least, and those beyond the digits of a width.
const USUAL_BITS: u32 = 64;
const SPARE_BITS: u32 = 40;
/// For widths of so many digits those are enough.
const USUAL_DIGITS: u32 = USUAL_BITS - SPARE_BITS;

/// Binary digits after the point of the width to reach of a μ of this size.
fn digits(size: &Float, effort: &Effort) -> u32 {
    let wanted = effort.target.allowed_width(size, size, size.prec());
    wanted.get_exp().map_or(0, |e| e.min(0).unsigned_abs())
}

impl<'a> Search<'a> {
    fn new(
        curve: &Curve,
        range: &LossRange,
        form: &GdpForm,
        effort: &'a Effort<'a>,
        size: &Float,
        (bits, is_symmetric): (u32, bool),
    ) -> Self {
        let digits = digits(size, effort);
        let inverse_bits = digits.saturating_add(SPARE_BITS).clamp(USUAL_BITS, bits);
        Self {
            forward: EndedCurve::new(curve.clone(), range.max.clone(), bits),
            backward: EndedCurve::new(
                curve.mirrored(),
                range.min.as_ref().map(Interval::neg),
                bits,
            ),
            allowance: Allowance::new(form, inverse_bits, bits),
            effort,
            bits,
            is_symmetric,
            is_rough: digits <= ROUGH_DIGITS,
            queue: BinaryHeap::new(),
            settled: Vec::new(),
            lower: Float::new(inverse_bits),
            witness: None,
            best: None,
            seen: Vec::new(),
            known: Vec::new(),
            cuts: Vec::new(),
            nodes: 0,
        }
    }

    /// The directions to be looked at.
    fn directions(&self) -> Vec<Direction> {
        if self.is_symmetric {
            vec![Direction::Remove]
        } else {
            vec![Direction::Remove, Direction::Add]
        }
    }

    fn side(&self, direction: Direction) -> &EndedCurve {
        match direction {
            Direction::Remove => &self.forward,
            Direction::Add => &self.backward,
        }
    }

    /// The ends of the curve, (0, 1 − Q(∞)) and its mirror image, as lower bounds.
    fn place_ends(&mut self) -> Ends {
        let mut ends = Ends::Closed;
        for direction in [Direction::Remove, Direction::Add] {
            let side = self.side(direction);
            let closed = side.end.is_some() && side.mass_up == 0;
            if self.allowance.is_strict() && !closed {
                ends = Ends::Open;
            }
            let mass = side.mass_down.clone();
            let (zero, infinity) = (Float::new(self.bits), d::infinity(self.bits));
            self.propose(direction, &zero, &mass, &infinity);
        }
        ends
    }

    /// The first nodes: ε = 0 and the cuts, on both sides.
    fn start(&mut self, cuts: &Cuts) {
        for (direction, places) in [
            (Direction::Remove, &cuts.forward),
            (Direction::Add, &cuts.backward),
        ] {
            if self.is_symmetric && direction == Direction::Add {
                continue;
            }
            let mut places = places.clone();
            places.sort_unstable_by(Float::total_cmp);
            places.dedup();
            let mut near = self.node(direction, &Float::new(self.bits), None);
            for place in places {
                near = self.march(direction, near, &place);
                let far = self.node(direction, &place, Some(&near));
                self.add(direction, near, Some(far.clone()), &Parent::default());
                near = far;
            }
            self.add(direction, near, None, &Parent::default());
        }
    }

    fn run(&mut self, ends: Ends) {
        let most = match ends {
            Ends::Closed => MOST_NODES,
            Ends::Open => MOST_NODES_WITHOUT_UPPER_BOUND,
        };
        while self.nodes < most && !self.effort.is_over() {
            let Some(worst) = self.queue.pop() else {
                break;
            };
            if self.effort.target.is_met(&self.lower, &worst.bound) {
                self.queue.push(worst);
                break;
            }
            self.split(worst, ends);
        }
    }

    fn split(&mut self, segment: Segment, ends: Ends) {
        let direction = segment.direction;
        let place = match &segment.far {
            Some(far) => middle(&segment.near, far, self.turn(&segment, far), self.bits),
            None => self
                .side(direction)
                .beyond(&segment.near.epsilon, ends, self.bits),
        };
        let Some(place) = place else {
            self.settled.push(segment);
            return;
        };
        let middle = self.node(direction, &place, Some(&segment.near));
        let parent = Parent {
            bound: self
                .allowance
                .floor()
                .is_none()
                .then_some((segment.bound, segment.corner)),
            depth: segment.depth,
            vain: segment.vain,
        };
        let (near, far) = (segment.near, segment.far);
        self.add(direction, near, Some(middle.clone()), &parent);
        self.add(direction, middle, far, &parent);
    }

    /// The upper bound from the segments, and the lower bound from the best point.
    fn finish(mut self) -> Outcome {
        let mut segments = std::mem::take(&mut self.settled);
        segments.extend(std::mem::take(&mut self.queue));
        let zero = Float::new(self.lower.prec());
        let allowance = &self.allowance;
        let upper = match allowance.floor() {
            Some(floor) => {
                if self.is_symmetric {
                    let mirrored = segments.clone().into_iter().map(Segment::mirrored);
                    segments.extend(mirrored);
                }
                floor_bound(allowance, &segments, floor, self.is_rough)
            }
            None if self.is_rough => {
                allowance.largest_mu_up(segments.iter().map(|segment| &segment.corner))
            }
            None => segments
                .iter()
                .map(|s| s.bound.clone())
                .fold(zero.clone(), |a, b| a.larger(&b)),
        };
        Outcome {
            upper: upper.larger(&zero),
            ..self.shown()
        }
    }

    /// The lower bound from the best point alone.
    fn shown(mut self) -> Outcome {
        if self.is_rough {
            let best = self.best.take();
            let certain = best.map(|(alpha, rest)| self.allowance.mu_down(&alpha, &rest));
            let zero = Float::new(self.lower.prec());
            self.lower = certain.filter(|mu| *mu > 0).unwrap_or(zero);
        }
        Outcome {
            witness: self.witness.filter(|_| self.lower > 0),
            lower: self.lower,
            upper: d::infinity(64),
            peaks: peaks(self.seen),
            cuts: self.cuts,
            is_symmetric: self.is_symmetric,
            bits: self.bits,
        }
    }

    /// A new segment; a bound that held for a segment holds for its parts too.
    /// Its bound is what is returned.
    fn add(
        &mut self,
        direction: Direction,
        near: Node,
        far: Option<Node>,
        parent: &Parent,
    ) -> Float {
        let corner = chord(&near, far.as_ref());
        let own = if self.is_rough {
            self.allowance.mu_rough(&corner)
        } else {
            self.allowance.mu_up(&corner)
        };
        let (bound, corner, is_vain) = match &parent.bound {
            Some((whole, corner)) if own >= *whole => (whole.clone(), corner.clone(), true),
            _ => (own, corner, false),
        };
        let segment = Segment {
            direction,
            near,
            far,
            corner,
            bound,
            depth: parent.depth.saturating_add(1),
            vain: if is_vain {
                parent.vain.saturating_add(1)
            } else {
                0
            },
        };
        let bound = segment.bound.clone();
        if segment.bound > self.lower && segment.vain <= MOST_VAIN_SPLITS {
            self.queue.push(segment);
        } else {
            self.settled.push(segment);
        }
        bound
    }

    fn point(&self, direction: Direction, epsilon: &Float) -> CurvePoint {
        let mut known = self.known.iter();
        let known = known.find(|(side, point)| *side == direction && point.epsilon == *epsilon);
        match known {
            Some((_, point)) => point.clone(),
            None => self.side(direction).curve.point(epsilon, self.bits),
        }
    }

    /// Evaluates the profile, and tries the point of the curve as a lower bound.
    ///
    /// `nearer` is any node at a smaller ε: δ is non-increasing.
    fn node(&mut self, direction: Direction, epsilon: &Float, nearer: Option<&Node>) -> Node {
        self.nodes = self.nodes.saturating_add(1);
        let seen = self.point(direction, epsilon);
        let side = self.side(direction);
        let mut delta_up = seen.knot.delta.hi().clone();
        if side.end.as_ref().is_some_and(|end| epsilon >= end) {
            delta_up = delta_up.smaller(&side.mass_up);
        }
        if let Some(most) = side.delta_up(&seen.odds) {
            delta_up = delta_up.smaller(&most);
        }
        if let Some(nearer) = nearer {
            delta_up = delta_up.smaller(&nearer.delta_up);
        }
        let tail = seen.knot.delta.add(&seen.odds.mul(&seen.knot.null_tail));
        let point = Corner {
            alpha: seen.knot.null_tail,
            rest: tail.in_unit(),
        };
        let rest = side.rest_down(&point);
        let mu = self.propose(direction, point.alpha.hi(), &rest, epsilon);
        Node {
            epsilon: epsilon.clone(),
            odds: seen.odds,
            delta_up,
            point,
            mu,
        }
    }

    fn propose(
        &mut self,
        direction: Direction,
        alpha_up: &Float,
        rest_down: &Float,
        epsilon: &Float,
    ) -> Float {
        let mu = if self.is_rough {
            self.allowance.mu_down_rough(alpha_up, rest_down)
        } else {
            self.allowance.mu_down(alpha_up, rest_down)
        };
        if epsilon.is_finite() {
            let place = match direction {
                Direction::Remove => epsilon.clone(),
                Direction::Add => -epsilon.clone(),
            };
            self.seen.push((place, mu.clone()));
        }
        if mu > self.lower {
            self.lower.clone_from(&mu);
            self.best = Some((alpha_up.clone(), rest_down.clone()));
            let beta = at_least_the_rest(rest_down);
            let (alpha, epsilon) = (alpha_up.clone(), epsilon.clone());
            self.witness = Some(match direction {
                Direction::Remove => GdpWitness {
                    alpha,
                    beta,
                    epsilon,
                },
                Direction::Add => GdpWitness {
                    alpha: beta,
                    beta: alpha,
                    epsilon: -epsilon,
                },
            });
        }
        mu
    }
}

/// Enough bits to know 1 − β with a small relative error of β at ε = 0, where both errors can be tiny.
fn precision(curve: &Curve, is_symmetric: bool, form: &GdpForm, effort: &Effort) -> u32 {
    // Enough to tell 1 − e and 1 − τ from 1.
    let level = match form {
        GdpForm::Strict => 0,
        GdpForm::Tolerance(x) | GdpForm::ErrorFloor(x) => x
            .denom()
            .significant_bits()
            .saturating_sub(x.numer().significant_bits()),
    };
    let bits = effort
        .bits
        .max(128)
        .max(level.saturating_add(64).min(1 << 13));
    let zero = Float::new(bits);
    let sides = match is_symmetric {
        true => vec![&curve.forward],
        false => vec![&curve.forward, &curve.backward],
    };
    let tails = sides.into_iter().map(|side| {
        let one_way = Curve {
            forward: side.clone(),
            backward: side.clone(),
        };
        let tail = one_way.point(&zero, bits).knot.null_tail;
        tail.middle()
            .get_exp()
            .map_or(0, |e| e.min(0).unsigned_abs())
    });
    tails.fold(bits, u32::saturating_add).min(bits.max(1 << 13))
}

#[cfg(test)]
#[path = "gdp_search_tests.rs"]
mod tests;
