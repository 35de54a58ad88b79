//! Branch and bound for μ*: segments of the loss axis, the worst first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rug::{Float, Rational};

use super::curve::{Curve, rough_log_ratio};
use super::enclosure::{Effort, Target};
use super::gdp_floor::{Cuts, floor_bound};
use super::gdp_mu::{GdpForm, GdpWitness};
use super::gdp_vertex::{Allowance, Corner};
use super::tradeoff::crossing;
use super::two_sided::LossRange;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, LossBound};

/// What the search proved of one profile.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// μ* of every profile at or above this one is at least this.
    pub lower: Float,
    pub witness: Option<GdpWitness>,
    /// μ* of every profile at or below this one is at most this.
    pub upper: Float,
}

/// From which side a segment is seen: every segment has ε ≥ 0 there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Facing {
    /// (P, Q), as it is.
    Forward,
    /// The swapped pair, for ε < 0.
    Backward,
}

/// δ and the curve at one ε ≥ 0, as seen from one side.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub epsilon: Float,
    /// Encloses u = e^ε.
    pub odds: Interval,
    /// Upper bound of δ.
    pub delta_up: Float,
    /// The point of the curve there.
    point: Corner,
}

/// The interval between two neighbouring nodes, or beyond the last one.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub facing: Facing,
    pub near: Node,
    pub far: Option<Node>,
    /// The point whose supporting line is the chord over the segment.
    pub corner: Corner,
    /// Upper bound of the μ that the segment asks for.
    bound: Float,
    depth: u32,
    /// How many splits in a row brought nothing.
    vain: u32,
}

/// No search evaluates the profile more often than this,
const MOST_NODES: u32 = 4000;
/// nor more often than this where the upper bound is +∞ anyway.
const MOST_NODES_WITHOUT_UPPER_BOUND: u32 = 200;
/// A segment is not split any more after this many splits without effect.
const MOST_VAIN_SPLITS: u32 = 12;
/// ε is not searched beyond this power of two,
const LARGEST_EXPONENT: u32 = 40;
/// nor beyond this one where the strict μ* needs a bounded loss and has none.
const LARGEST_EXPONENT_WHERE_UNBOUNDED: u32 = 7;

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
    let mut search = Search::new(curve, range, form, effort);
    let ends = search.place_ends();
    let cuts = search.place_cuts(form)?;
    search.start(&cuts);
    search.run(ends);
    Ok(search.finish())
}

struct Search<'a> {
    forward: Side,
    backward: Side,
    allowance: Allowance,
    effort: &'a Effort<'a>,
    bits: u32,
    queue: BinaryHeap<Segment>,
    /// Segments that will not be split any more.
    settled: Vec<Segment>,
    lower: Float,
    witness: Option<GdpWitness>,
    nodes: u32,
}

/// The profile from one side, and where its loss is known to end.
struct Side {
    curve: Curve,
    /// The loss ends here (an upper bound), if it does.
    end: Option<Float>,
    /// Upper bound of δ from there on.
    mass_up: Float,
    mass_down: Float,
}

/// What a segment takes over from the one it is part of.
#[derive(Default)]
struct Parent {
    bound: Option<Float>,
    depth: u32,
    vain: u32,
}

/// Whether the strict statement can have a finite upper bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Closed,
    Open,
}

impl<'a> Search<'a> {
    fn new(curve: &Curve, range: &LossRange, form: &GdpForm, effort: &'a Effort<'a>) -> Self {
        let bits = precision(curve, effort);
        let one = Float::with_val(bits, 1);
        let wanted = effort.target.allowed_width(&one, &one, bits);
        let digits = wanted.get_exp().map_or(0, |e| e.min(0).unsigned_abs());
        let inverse_bits = digits.saturating_add(40).clamp(64, bits);
        Self {
            forward: Side::new(curve.clone(), range.max.clone(), bits),
            backward: Side::new(
                curve.mirrored(),
                range.min.as_ref().map(Interval::neg),
                bits,
            ),
            allowance: Allowance::new(form, inverse_bits, bits),
            effort,
            bits,
            queue: BinaryHeap::new(),
            settled: Vec::new(),
            lower: Float::new(inverse_bits),
            witness: None,
            nodes: 0,
        }
    }

    fn side(&self, facing: Facing) -> &Side {
        match facing {
            Facing::Forward => &self.forward,
            Facing::Backward => &self.backward,
        }
    }

    /// The ends of the curve, (0, 1 − Q(∞)) and its mirror image, as lower bounds.
    fn place_ends(&mut self) -> Ends {
        let mut ends = Ends::Closed;
        for facing in [Facing::Forward, Facing::Backward] {
            let side = self.side(facing);
            let closed = side.end.is_some() && side.mass_up == 0;
            if self.allowance.is_strict() && !closed {
                ends = Ends::Open;
            }
            let mass = side.mass_down.clone();
            let (zero, infinity) = (Float::new(self.bits), d::infinity(self.bits));
            self.propose(facing, &zero, &mass, &infinity);
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
        for facing in [Facing::Forward, Facing::Backward] {
            let found = crossing(&self.side(facing).curve, floor, &effort, self.bits)?;
            let alpha = d::rational_up(floor, self.bits);
            let beta = Interval::point(found.enclosure.upper().clone());
            let rest = beta.one_minus().at_least_zero().lo().clone();
            self.propose(facing, &alpha, &rest, &found.epsilon);
            // Seen from the other side if ε < 0.
            let is_forward = (facing == Facing::Forward) == (found.epsilon >= 0);
            let place = found.epsilon.abs();
            if place > 0 && is_forward {
                cuts.forward.push(place);
            } else if place > 0 {
                cuts.backward.push(place);
            }
        }
        Ok(cuts)
    }

    /// The first nodes: ε = 0 and the cuts, on both sides.
    fn start(&mut self, cuts: &Cuts) {
        for (facing, places) in [
            (Facing::Forward, &cuts.forward),
            (Facing::Backward, &cuts.backward),
        ] {
            let mut places = places.clone();
            places.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
            places.dedup();
            let mut near = self.node(facing, &Float::new(self.bits), None);
            for place in places {
                let far = self.node(facing, &place, Some(&near));
                self.add(facing, near, Some(far.clone()), &Parent::default());
                near = far;
            }
            self.add(facing, near, None, &Parent::default());
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
        let facing = segment.facing;
        let place = match &segment.far {
            Some(far) => middle(&segment.near, far, segment.depth, self.bits),
            None => self
                .side(facing)
                .beyond(&segment.near.epsilon, ends, self.bits),
        };
        let Some(place) = place else {
            self.settled.push(segment);
            return;
        };
        let middle = self.node(facing, &place, Some(&segment.near));
        let parent = Parent {
            bound: self.allowance.floor().is_none().then_some(segment.bound),
            depth: segment.depth,
            vain: segment.vain,
        };
        let (near, far) = (segment.near, segment.far);
        self.add(facing, near, Some(middle.clone()), &parent);
        self.add(facing, middle, far, &parent);
    }

    /// The upper bound from the segments, and the lower bound from the best point.
    fn finish(self) -> Outcome {
        eprintln!(
            "DEBUG nodes {} bits {} inv {}",
            self.nodes,
            self.bits,
            self.allowance.inverse_bits()
        );
        let mut segments = self.settled;
        segments.extend(self.queue);
        let zero = Float::new(self.lower.prec());
        let upper = match self.allowance.floor() {
            Some(floor) => floor_bound(&self.allowance, &segments, floor),
            None => segments
                .iter()
                .map(|s| s.bound.clone())
                .fold(zero.clone(), |a, b| a.max(&b)),
        };
        Outcome {
            lower: self.lower,
            witness: self.witness,
            upper: upper.max(&zero),
        }
    }

    /// A new segment; a bound that held for a segment holds for its parts too.
    fn add(&mut self, facing: Facing, near: Node, far: Option<Node>, parent: &Parent) {
        let corner = chord(&near, far.as_ref());
        let own = self.allowance.mu_up(&corner);
        let (bound, is_vain) = match &parent.bound {
            Some(whole) if own >= *whole => (whole.clone(), true),
            _ => (own, false),
        };
        let segment = Segment {
            facing,
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
    fn node(&mut self, facing: Facing, epsilon: &Float, nearer: Option<&Node>) -> Node {
        self.nodes = self.nodes.saturating_add(1);
        let side = self.side(facing);
        let seen = side.curve.point(epsilon, self.bits);
        let mut delta_up = seen.knot.delta.hi().clone();
        if side.end.as_ref().is_some_and(|end| epsilon >= end) {
            delta_up = delta_up.min(&side.mass_up);
        }
        if let Some(nearer) = nearer {
            delta_up = delta_up.min(&nearer.delta_up);
        }
        let tail = seen.knot.delta.add(&seen.odds.mul(&seen.knot.null_tail));
        let point = Corner {
            alpha: seen.knot.null_tail,
            rest: tail.in_unit(),
        };
        let rest = side.rest_down(&point);
        self.propose(facing, point.alpha.hi(), &rest, epsilon);
        Node {
            epsilon: epsilon.clone(),
            odds: seen.odds,
            delta_up,
            point,
        }
    }

    fn propose(&mut self, facing: Facing, alpha_up: &Float, rest_down: &Float, epsilon: &Float) {
        let mu = self.allowance.mu_down(alpha_up, rest_down);
        if mu > self.lower {
            self.lower = mu;
            let beta = Interval::point(rest_down.clone()).one_minus().hi().clone();
            let (alpha, epsilon) = (alpha_up.clone(), epsilon.clone());
            self.witness = Some(match facing {
                Facing::Forward => GdpWitness {
                    alpha,
                    beta,
                    epsilon,
                },
                Facing::Backward => GdpWitness {
                    alpha: beta,
                    beta: alpha,
                    epsilon: -epsilon,
                },
            });
        }
    }
}

impl Side {
    /// `known_end` is an upper bound of the true loss, with no mass beyond it.
    fn new(curve: Curve, known_end: Option<Interval>, bits: u32) -> Self {
        let mass = match curve.forward.exact_infinite_mass() {
            Some(exact) => Interval::from_rational(&exact, bits),
            None => curve.forward.infinite_mass(bits).in_unit(),
        };
        let own_end = match curve.forward.max_loss(bits) {
            LossBound::Finite { value, .. } => Some(value.hi().clone()),
            LossBound::Unbounded => None,
        };
        let (end, mass_up, mass_down) = match known_end {
            Some(end) => (Some(end.hi().clone()), Float::new(bits), Float::new(bits)),
            None => (own_end, mass.hi().clone(), mass.lo().clone()),
        };
        Self {
            curve,
            // Segments start at ε = 0.
            end: end
                .map(|e| e.max(&Float::new(bits)))
                .filter(Float::is_finite),
            mass_up,
            mass_down,
        }
    }

    /// Lower bound of 1 − β; where the loss ends without a rest, f ≥ 1 − e^end·α (an upper law's own curve
    /// may have a little mass beyond the known end, which must not lead the search astray).
    fn rest_down(&self, point: &Corner) -> Float {
        let rest = point.rest.lo().clone();
        match &self.end {
            Some(end) if self.mass_up == 0 => {
                let slope = Interval::point(end.clone()).exp();
                rest.min(slope.mul(&point.alpha).lo())
            }
            _ => rest,
        }
    }

    /// Where to place a node beyond the last one: at the end of the loss, or twice as far out.
    fn beyond(&self, epsilon: &Float, ends: Ends, bits: u32) -> Option<Float> {
        if let Some(end) = &self.end {
            return (epsilon < end).then(|| end.clone());
        }
        let exponent = match ends {
            Ends::Closed => LARGEST_EXPONENT,
            Ends::Open => LARGEST_EXPONENT_WHERE_UNBOUNDED,
        };
        let limit = Float::with_val(bits, 1) << exponent;
        let one = Float::with_val(bits, 1);
        let doubled = Float::with_val(bits, epsilon << 1u32).max(&one);
        (doubled <= limit).then_some(doubled)
    }
}

/// The point (α, β) with 1 − β − uα the chord of δ between the nodes: α = (δ₁ − δ₂)/(u₂ − u₁) and
/// 1 − β = δ₁ + u₁α. Beyond the last node δ ≤ δ₁, which is the chord of (0, 1 − δ₁).
fn chord(near: &Node, far: Option<&Node>) -> Corner {
    let start = Interval::point(near.delta_up.clone());
    let Some(far) = far else {
        return Corner {
            alpha: Interval::zero(start.bits()),
            rest: start,
        };
    };
    let fall = start.sub(&Interval::point(far.delta_up.clone()));
    let step = Interval::point(far.epsilon.clone()).sub(&Interval::point(near.epsilon.clone()));
    let run = near.odds.mul(&step.exp_m1());
    let alpha = fall.div(&run).at_least_zero();
    Corner {
        rest: start.add(&near.odds.mul(&alpha)),
        alpha,
    }
}

/// Where to split: by turns where the supporting lines of both ends meet, which is a kink if there is one,
/// and in the middle.
fn middle(near: &Node, far: &Node, depth: u32, bits: u32) -> Option<Float> {
    let (a, b) = (&near.epsilon, &far.epsilon);
    let width = Float::with_val(bits, b - a);
    let half = Float::with_val(bits, a + Float::with_val(bits, &width >> 1u32));
    let margin = width >> 24u32;
    let first = Float::with_val(bits, a + &margin);
    let last = Float::with_val(bits, b - &margin);
    let rise = near.point.rest.middle() - far.point.rest.middle();
    let run = near.point.alpha.middle() - far.point.alpha.middle();
    let tangent = rough_log_ratio(&rise, &run, bits).filter(|e| first < *e && *e < last);
    let place = match tangent {
        Some(tangent) if depth % 2 == 1 => tangent,
        _ => half,
    };
    (*a < place && place < *b).then_some(place)
}

/// Enough bits to know 1 − β with a small relative error of β at ε = 0, where both errors can be tiny.
fn precision(curve: &Curve, effort: &Effort) -> u32 {
    let bits = effort.bits.max(128);
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

impl PartialEq for Segment {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Segment {}

impl PartialOrd for Segment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Segment {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound
            .partial_cmp(&other.bound)
            .unwrap_or(Ordering::Equal)
    }
}
