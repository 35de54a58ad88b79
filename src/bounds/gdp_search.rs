//! Branch and bound for μ*: segments of the loss axis, the worst first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rug::{Float, Rational};

use super::curve::Curve;
use super::enclosure::{Effort, Target};
use super::gdp_floor::{Cuts, floor_bound};
use super::gdp_mu::GdpWitness;
use super::gdp_segment::{EndedCurve, Ends, Node, Segment, chord, middle};
use super::gdp_vertex::{Allowance, Corner, at_least_the_rest, at_most_the_rest};
use super::tradeoff::crossing;
use super::two_sided::LossRange;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, Pick};
use crate::mechanism::{Direction, GdpForm};

/// What the search proved of one profile.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// μ* of every profile at or above this one is at least this.
    pub lower: Float,
    pub witness: Option<GdpWitness>,
    /// μ* of every profile at or below this one is at most this.
    pub upper: Float,
    /// Where the curve asks for most, as ε: of the points seen, those that ask for more than their neighbours, the first for most.
    pub peaks: Vec<Float>,
}

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
    if !is_small || effort.target.is_met(&usual.lower, &usual.upper) {
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
    let mut search = Search::new(curve, range, form, effort, size);
    let ends = search.place_ends();
    let cuts = search.place_cuts(form)?;
    search.start(&cuts);
    search.run(ends);
    Ok(search.finish())
}

/// What single points of the curve prove: no upper bound.
///
/// Ensures: as [`search`], with the upper bound +∞.
///
/// # Errors
/// As [`search`].
pub(super) fn look_at(
    curve: &Curve,
    places: &[Float],
    form: &GdpForm,
    effort: &Effort,
) -> Result<Outcome, InvariantViolation> {
    let one = Float::with_val(64, 1);
    let mut search = Search::new(curve, &LossRange::default(), form, effort, &one);
    search.place_ends();
    search.place_cuts(form)?;
    for place in places {
        let direction = if *place < 0 {
            Direction::Add
        } else {
            Direction::Remove
        };
        search.node(direction, &place.clone().abs(), None);
    }
    Ok(Outcome {
        upper: d::infinity(64),
        ..search.finish()
    })
}

struct Search<'a> {
    forward: EndedCurve,
    backward: EndedCurve,
    allowance: Allowance,
    effort: &'a Effort<'a>,
    bits: u32,
    /// Is the pair as informative in one order as in the other? Then one side shows all.
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
    nodes: u32,
}

/// What a segment takes over from the one it is part of.
#[derive(Default)]
struct Parent {
    bound: Option<(Float, Corner)>,
    depth: u32,
    vain: u32,
}

/// Peaks kept of those seen.
const MOST_PEAKS: usize = 6;
/// Widths below 2^-this are too narrow for floats.
const ROUGH_DIGITS: u32 = 36;

impl<'a> Search<'a> {
    fn new(
        curve: &Curve,
        range: &LossRange,
        form: &GdpForm,
        effort: &'a Effort<'a>,
        size: &Float,
    ) -> Self {
        let bits = precision(curve, form, effort);
        let wanted = effort.target.allowed_width(size, size, bits);
        let digits = wanted.get_exp().map_or(0, |e| e.min(0).unsigned_abs());
        let inverse_bits = digits.saturating_add(40).clamp(64, bits);
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
            is_symmetric: curve.forward.is_symmetric(),
            is_rough: digits <= ROUGH_DIGITS,
            queue: BinaryHeap::new(),
            settled: Vec::new(),
            lower: Float::new(inverse_bits),
            witness: None,
            best: None,
            seen: Vec::new(),
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

    /// Under an error floor: the cut points (e, f(e)) and (f⁻¹(e), e).
    fn place_cuts(&mut self, form: &GdpForm) -> Result<Cuts, InvariantViolation> {
        let GdpForm::ErrorFloor(floor) = form else {
            return Ok(Cuts::default());
        };
        if self.allowance.is_strict() {
            return Ok(Cuts::default());
        }
        let mut cuts = Cuts::default();
        let target = Target::Relative(Rational::from((1, 1_000_000_000_000_000u64)));
        let effort = Effort {
            target: &target,
            ..*self.effort
        };
        for direction in self.directions() {
            let found = crossing(&self.side(direction).curve, floor, &effort, self.bits)?;
            let alpha = d::rational_up(floor, self.bits);
            let rest = at_most_the_rest(found.enclosure.upper());
            self.propose(direction, &alpha, &rest, &found.epsilon);
            // Seen from the other side if ε < 0.
            let is_forward =
                self.is_symmetric || (direction == Direction::Remove) == (found.epsilon >= 0);
            let place = found.epsilon.abs();
            // The node at 0 is as good, and chords between nodes so near are lost in rounding.
            let negligible = Float::with_val(self.bits, 1) >> (self.bits / 2);
            if place > negligible && is_forward {
                cuts.forward.push(place);
            } else if place > negligible {
                cuts.backward.push(place);
            }
        }
        Ok(cuts)
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
            places.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
            places.dedup();
            let mut near = self.node(direction, &Float::new(self.bits), None);
            for place in places {
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
            Some(far) => middle(&segment.near, far, segment.depth, self.bits),
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
        let mut segments = self.settled;
        segments.extend(self.queue);
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
        if self.is_rough {
            let best = self.best.take();
            let certain = best.map(|(alpha, rest)| allowance.mu_down(&alpha, &rest));
            self.lower = certain.filter(|mu| *mu > 0).unwrap_or(zero.clone());
        }
        Outcome {
            witness: self.witness.filter(|_| self.lower > 0),
            lower: self.lower,
            upper: upper.larger(&zero),
            peaks: peaks(self.seen),
        }
    }

    /// A new segment; a bound that held for a segment holds for its parts too.
    fn add(&mut self, direction: Direction, near: Node, far: Option<Node>, parent: &Parent) {
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
        if segment.bound > self.lower && segment.vain <= MOST_VAIN_SPLITS {
            self.queue.push(segment);
        } else {
            self.settled.push(segment);
        }
    }

    /// Evaluates the profile, and tries the point of the curve as a lower bound.
    ///
    /// `nearer` is any node at a smaller ε: δ is non-increasing.
    fn node(&mut self, direction: Direction, epsilon: &Float, nearer: Option<&Node>) -> Node {
        self.nodes = self.nodes.saturating_add(1);
        let side = self.side(direction);
        let seen = side.curve.point(epsilon, self.bits);
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
        self.propose(direction, point.alpha.hi(), &rest, epsilon);
        Node {
            epsilon: epsilon.clone(),
            odds: seen.odds,
            delta_up,
            point,
        }
    }

    fn propose(
        &mut self,
        direction: Direction,
        alpha_up: &Float,
        rest_down: &Float,
        epsilon: &Float,
    ) {
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
            self.lower = mu;
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
    }
}

/// Of the points seen, those that ask for more than their neighbours, the first for most.
fn peaks(mut seen: Vec<(Float, Float)>) -> Vec<Float> {
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let asked = |place: Option<usize>| place.and_then(|i| seen.get(i)).map(|(_, mu)| mu);
    let is_peak = |place: usize, mu: &Float| {
        let neighbours = [place.checked_sub(1), place.checked_add(1)].map(asked);
        neighbours.into_iter().flatten().all(|other| other <= mu)
    };
    let peaks = seen.iter().enumerate();
    let peaks = peaks.filter(|(place, (_, mu))| is_peak(*place, mu));
    let mut peaks: Vec<&(Float, Float)> = peaks.map(|(_, point)| point).collect();
    peaks.sort_by(|a, b| b.1.total_cmp(&a.1));
    peaks.truncate(MOST_PEAKS);
    peaks.into_iter().map(|(place, _)| place.clone()).collect()
}

/// Enough bits to know 1 − β with a small relative error of β at ε = 0, where both errors can be tiny.
fn precision(curve: &Curve, form: &GdpForm, effort: &Effort) -> u32 {
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
    let tails = [&curve.forward, &curve.backward].map(|side| {
        let one_way = Curve {
            forward: side.clone(),
            backward: side.clone(),
        };
        let tail = one_way.point(&zero, bits).knot.null_tail;
        tail.middle()
            .get_exp()
            .map_or(0, |e| e.min(0).unsigned_abs())
    });
    tails
        .into_iter()
        .fold(bits, u32::saturating_add)
        .min(bits.max(1 << 13))
}

#[cfg(test)]
#[path = "gdp_search_tests.rs"]
mod tests;
