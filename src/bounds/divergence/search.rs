//! Branch and bound over the prior for the largest weighted difference of two Bayes errors.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rug::{Float, Rational};

use super::contest::Contest;
use super::prior::Density;
use super::segment::{Node, Segment, chord_bound};
use crate::bounds::curve::CurvePoint;
use crate::bounds::enclosure::Effort;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, Pick};

/// A prior at which one mechanism leaves the attacker more error than the other.
#[derive(Debug, Clone)]
pub struct Peak {
    /// ε = log(π/(1 − π)).
    pub epsilon: Float,
    /// Encloses π, the prior that the record is **absent**.
    pub prior: Interval,
    /// How far apart the two bounds of the first mechanism's Bayes error are here, at most.
    pub spread_first: Float,
    /// The same of the second mechanism.
    pub spread_second: Float,
}

/// What a search found.
pub(super) struct Outcome {
    pub lower: Float,
    pub upper: Float,
    pub peak: Option<Peak>,
}

/// A search that has not met its target by then will not: a difference that vanishes on a whole interval.
const MOST_NODES: u32 = 6_000;

/// The search for the maximum, at a working precision.
///
/// Ensures: `lower ≤ max Ψ(R_A − R_B)⁺ ≤ upper`. The upper bound is the largest of the segments' bounds, and the
/// segments cover all priors at any time, or those from 1/2 on where the others are like them; the lower bound is Ψ(R_A − R_B) at a prior.
///
/// # Errors
/// If the two profiles of a mechanism contradict each other.
pub(super) fn search(
    contest: &Contest,
    effort: &Effort,
    bits: u32,
) -> Result<Outcome, InvariantViolation> {
    let mut search = Search::new(contest, effort, bits);
    search.start();
    search.run();
    match search.contradiction.take() {
        Some(contradiction) => Err(contradiction),
        None => Ok(search.finish()),
    }
}

/// What a few places show: the lower bound there, and no upper one.
///
/// Ensures: the lower bound is 0, or Ψ(R_A − R_B) at a prior.
///
/// # Errors
/// If the two profiles of a mechanism contradict each other.
pub(super) fn at_hints(
    contest: &Contest,
    effort: &Effort,
    bits: u32,
) -> Result<Outcome, InvariantViolation> {
    let mut search = Search::new(contest, effort, bits);
    let mut places = contest.hints.to_vec();
    search.keep_possible(&mut places);
    for place in &places {
        if effort.is_over() {
            break;
        }
        search.node(place);
    }
    match search.contradiction.take() {
        Some(contradiction) => Err(contradiction),
        None => Ok(Outcome {
            upper: d::infinity(bits),
            ..search.finish()
        }),
    }
}

struct Search<'a> {
    contest: &'a Contest<'a>,
    effort: &'a Effort<'a>,
    bits: u32,
    density: Density<'a>,
    queue: BinaryHeap<Queued>,
    /// The largest bound of the segments that will not be split any more.
    settled: Float,
    lower: Float,
    peak: Option<Peak>,
    contradiction: Option<InvariantViolation>,
    nodes: u32,
}

impl<'a> Search<'a> {
    fn new(contest: &'a Contest<'a>, effort: &'a Effort<'a>, bits: u32) -> Self {
        Self {
            contest,
            effort,
            bits,
            density: contest.weight.at_bits(bits),
            queue: BinaryHeap::new(),
            settled: Float::new(bits),
            lower: Float::new(bits),
            peak: None,
            contradiction: None,
            nodes: 0,
        }
    }
}

impl Search<'_> {
    /// The first segments: cut at ε = 0, at the ends of the losses and at the kinks of the density.
    fn start(&mut self) {
        let mut places = vec![Float::new(self.bits)];
        for sides in [&self.contest.first, &self.contest.second] {
            places.extend(sides.harmless_from.clone());
            places.extend(sides.harmless_to.clone());
        }
        let log_odds = |prior: Rational| {
            Interval::from_rational(&prior, self.bits)
                .div(&Interval::from_rational(&(1 - prior), self.bits))
                .ln()
        };
        for kink in self.contest.weight.kinks() {
            let log = log_odds(kink);
            places.extend([log.lo().clone(), log.hi().clone()]);
        }
        // The density at a jump is anything between 0 and its value there: the lower bound is found beside it.
        let beside = Float::with_val(self.bits, 1) >> (self.bits / 2);
        for jump in self.contest.weight.jumps() {
            let log = log_odds(jump);
            places.push(Float::with_val(self.bits, log.lo() - &beside));
            places.push(Float::with_val(self.bits, log.hi() + &beside));
        }
        places.extend_from_slice(self.contest.hints);
        let is_half = self.keep_possible(&mut places);
        let mut left = if is_half {
            None
        } else {
            Some(Node::at_no_prior(&self.contest.first.lower, self.bits))
        };
        for place in places {
            // What is left is then one segment.
            if self.effort.is_over() {
                break;
            }
            let node = self.node(&place);
            if let Some(left) = left.replace(node.clone()) {
                self.add(left, node, None);
            }
        }
        let end = Node::at_full_prior(&self.contest.first.lower, self.bits);
        let left = left.unwrap_or_else(|| Node::at_no_prior(&self.contest.first.lower, self.bits));
        self.add(left, end, None);
        // A table of many points has many first segments, and each may need to be split.
        self.nodes = 0;
    }

    /// Keeps the places that are worth a look, in rising order. Where both errors are the same at π and 1 − π, the half from 1/2 on shows all: is it so?
    fn keep_possible(&self, places: &mut Vec<Float>) -> bool {
        // Farther out both priors are 0 or 1 to the last bit, and nothing is left to cut.
        let most = i64::from(self.bits) * 2;
        places.retain(|place| place.is_finite() && *place >= -most && *place <= most);
        let is_half = self.contest.is_symmetric();
        if is_half {
            places.iter_mut().for_each(Float::abs_mut);
        }
        places.sort_unstable_by(Float::total_cmp);
        places.dedup();
        is_half
    }

    fn run(&mut self) {
        while self.nodes < MOST_NODES && !self.effort.is_over() {
            let Some(worst) = self.queue.pop() else {
                break;
            };
            let target = self.effort.target;
            if worst.bound <= self.lower || target.is_met(&self.lower, &worst.bound) {
                self.queue.push(worst);
                break;
            }
            // Where the lines meet is where an unweighted difference peaks.
            let meeting = worst
                .share
                .as_ref()
                .filter(|_| self.contest.weight.is_uniform());
            let Some(place) = worst.segment.cut(meeting, self.bits) else {
                self.settle(&worst.bound);
                continue;
            };
            let middle = self.node(&place);
            let Segment { left, right } = worst.segment;
            self.add(left, middle.clone(), Some(&worst.bound));
            self.add(middle, right, Some(&worst.bound));
        }
    }

    fn finish(self) -> Outcome {
        let upper = self
            .queue
            .iter()
            .map(|queued| &queued.bound)
            .fold(self.settled, |a, b| a.larger(b));
        let zero = Float::new(self.bits);
        Outcome {
            lower: self.lower.larger(&zero),
            upper: upper.larger(&zero),
            peak: self.peak,
        }
    }

    /// A new segment; a bound that held for a segment holds for its parts too.
    fn add(&mut self, left: Node, right: Node, whole: Option<&Float>) {
        let segment = Segment { left, right };
        if self.is_harmless(&segment) {
            return;
        }
        let (mut bound, share) = chord_bound(&segment, &self.density, self.bits);
        if let Some(whole) = whole {
            bound = bound.smaller(whole);
        }
        // What the enclosures at its ends leave open, no cut can remove.
        let least = segment.least_bound(&self.density);
        let allowed = self
            .effort
            .target
            .allowed_width(&self.lower, &bound, self.bits);
        let slack = d::add_down(
            &least,
            &Float::with_val(self.bits, &allowed >> 3u32),
            self.bits,
        );
        if bound <= self.lower || bound <= slack {
            self.settle(&bound);
        } else {
            self.queue.push(Queued {
                bound,
                share,
                segment,
            });
        }
    }

    fn settle(&mut self, bound: &Float) {
        if *bound > self.settled {
            self.settled.clone_from(bound);
        }
    }

    /// Where the second mechanism certainly reveals nothing, R_B = min(π, 1 − π) ≥ R_A.
    fn is_harmless(&self, segment: &Segment) -> bool {
        let second = &self.contest.second;
        let beyond = second
            .harmless_from
            .as_ref()
            .is_some_and(|end| segment.left.epsilon >= *end && segment.left.epsilon >= 0);
        let before = second
            .harmless_to
            .as_ref()
            .is_some_and(|end| segment.right.epsilon <= *end && segment.right.epsilon <= 0);
        beyond || before
    }

    /// Evaluates both mechanisms, and tries the place as a lower bound.
    fn node(&mut self, epsilon: &Float) -> Node {
        self.nodes = self.nodes.saturating_add(1);
        let first = self.contest.first.lower.point(epsilon, self.bits);
        let second = self.contest.second.upper.point(epsilon, self.bits);
        let node = Node::new(&first, self.contest.second.error_down(&second), self.bits);
        self.propose(&node, &first, &second);
        node
    }

    fn propose(&mut self, node: &Node, first: &CurvePoint, second: &CurvePoint) {
        let weight = self.density.over(&node.prior, &node.rest);
        if node.weighted_up(&weight) <= self.lower {
            return;
        }
        let contest = self.contest;
        let bits = self.bits;
        let one = contest
            .first
            .error_with(first, |upper| upper.point(&node.epsilon, bits));
        let other = contest
            .second
            .error_from(second, |lower| lower.point(&node.epsilon, bits));
        let (one, other) = match (one, other) {
            (Ok(one), Ok(other)) => (one, other),
            (Err(contradiction), _) | (_, Err(contradiction)) => {
                self.contradiction = Some(contradiction);
                return;
            }
        };
        let gap = d::sub_down(one.lo(), other.hi(), bits);
        if gap <= 0 {
            return;
        }
        let value = d::mul_down(weight.lo(), &gap, self.bits);
        if value > self.lower {
            self.lower = value;
            self.peak = Some(Peak {
                epsilon: node.epsilon.clone(),
                prior: node.prior.clone(),
                spread_first: one.width_up(),
                spread_second: other.width_up(),
            });
        }
    }
}

/// A segment in the queue, largest bound first.
struct Queued {
    bound: Float,
    /// Where within the segment its bound is attained, as a share of its width.
    share: Option<Float>,
    segment: Segment,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound
            .partial_cmp(&other.bound)
            .unwrap_or(Ordering::Equal)
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
