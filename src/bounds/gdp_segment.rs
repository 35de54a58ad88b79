//! The pieces that branch and bound for μ* works on: nodes and segments of the loss axis, seen from the side
//! on which ε ≥ 0.

use std::cmp::Ordering;

use rug::Float;

use super::curve::{Curve, rough_log_ratio};
use super::gdp_vertex::Corner;
use crate::kernel::{Interval, LossBound, Pick};
use crate::mechanism::Direction;

/// δ and the curve at one ε ≥ 0, as seen from one side.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub epsilon: Float,
    /// Encloses u = e^ε.
    pub odds: Interval,
    /// Upper bound of δ.
    pub delta_up: Float,
    /// The point of the curve there.
    pub point: Corner,
    /// The μ that it asks for, at least: to steer by.
    pub mu: Float,
}

/// The interval between two neighbouring nodes, or beyond the last one.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub direction: Direction,
    pub near: Node,
    pub far: Option<Node>,
    /// The point whose supporting line is the chord over the segment.
    pub corner: Corner,
    /// Upper bound of the μ that the segment asks for.
    pub bound: Float,
    pub depth: u32,
    /// How many splits in a row brought nothing.
    pub vain: u32,
}

/// The profile from one side, and where its loss is known to end.
pub(super) struct EndedCurve {
    pub curve: Curve,
    /// The loss ends here (an upper bound), if it does.
    pub end: Option<Float>,
    /// Upper bound of δ from there on.
    pub mass_up: Float,
    /// Lower bound of Q(∞).
    pub mass_down: Float,
}

/// What is known of a segment that is split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub depth: u32,
    /// In how many pieces it is to be in the end, roughly.
    pub pieces: u32,
}

/// Whether the strict statement can have a finite upper bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Closed,
    Open,
}

/// ε is not searched beyond 2^this,
const LARGEST_EXPONENT: u32 = 40;
/// nor beyond 2^this where the strict μ* needs a bounded loss and has none.
const LARGEST_EXPONENT_WHERE_UNBOUNDED: u32 = 7;

impl EndedCurve {
    /// `known_end` is an upper bound of the true loss, with no mass beyond it.
    pub fn new(curve: Curve, known_end: Option<Interval>, bits: u32) -> Self {
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
                .map(|e| e.larger(&Float::new(bits)))
                .filter(Float::is_finite),
            mass_up,
            mass_down,
        }
    }

    /// Lower bound of 1 − β; where the loss ends without a rest, f ≥ 1 − e^end·α (an upper law's own curve
    /// may have a little mass beyond the known end, which must not lead the search astray).
    pub fn rest_down(&self, point: &Corner) -> Float {
        let rest = point.rest.lo().clone();
        match &self.end {
            Some(end) if self.mass_up == 0 => {
                let slope = Interval::point(end.clone()).exp();
                rest.smaller(slope.mul(&point.alpha).lo())
            }
            _ => rest,
        }
    }

    /// Upper bound of δ at u where the loss ends without a rest: f ≥ 1 − e^end·α gives δ ≤ 1 − u/e^end. An upper law's own δ, with a
    /// little mass beyond the known end, may be above that, and fall from there to 0 faster than a profile can.
    ///
    /// Requires: u > 0.
    pub fn delta_up(&self, odds: &Interval) -> Option<Float> {
        let end = self.end.as_ref().filter(|_| self.mass_up == 0)?;
        let share = odds.div(&Interval::point(end.clone()).exp());
        Some(share.one_minus().at_least_zero().hi().clone())
    }

    /// Where to place a node beyond the last one: at the end of the loss, or twice as far out.
    pub fn beyond(&self, epsilon: &Float, ends: Ends, bits: u32) -> Option<Float> {
        if let Some(end) = &self.end {
            return (epsilon < end).then(|| end.clone());
        }
        let exponent = match ends {
            Ends::Closed => LARGEST_EXPONENT,
            Ends::Open => LARGEST_EXPONENT_WHERE_UNBOUNDED,
        };
        let limit = Float::with_val(bits, 1) << exponent;
        let one = Float::with_val(bits, 1);
        let doubled = Float::with_val(bits, epsilon << 1u32).larger(&one);
        (doubled <= limit).then_some(doubled)
    }
}

/// Nodes are far from each other from 2^−this on.
const NEAREST: i32 = 12;

/// The point (α, β) with 1 − β − uα the chord of δ between the nodes: α = (δ₁ − δ₂)/(u₂ − u₁) and
/// 1 − β = δ₁ + u₁α. Beyond the last node δ ≤ δ₁, which is the chord of (0, 1 − δ₁).
pub(super) fn chord(near: &Node, far: Option<&Node>) -> Corner {
    let start = Interval::point(near.delta_up.clone());
    let Some(far) = far else {
        return Corner {
            alpha: Interval::zero(start.bits()),
            rest: start,
        };
    };
    let fall = start.sub(&Interval::point(far.delta_up.clone()));
    let step = Interval::point(far.epsilon.clone()).sub(&Interval::point(near.epsilon.clone()));
    // Where the nodes are far from each other few digits are lost by their difference.
    let is_far = step
        .lo()
        .get_exp()
        .is_some_and(|exponent| exponent > -NEAREST);
    let run = if is_far {
        far.odds.sub(&near.odds)
    } else {
        near.odds.mul(&step.exp_m1())
    };
    let alpha = fall.div(&run).at_least_zero();
    Corner {
        rest: start.add(&near.odds.mul(&alpha)),
        alpha,
    }
}

/// Where to split: by turns where the supporting lines of both ends meet, which is a kink if there is one, and between the pieces that are needed, the smaller one at the end that
/// asks for more. Lines that meet in the middle see no kink.
pub(super) fn middle(near: &Node, far: &Node, turn: Turn, bits: u32) -> Option<Float> {
    let (a, b) = (&near.epsilon, &far.epsilon);
    let width = Float::with_val(bits, b - a);
    let pieces = turn.pieces.max(2);
    let smaller = Float::with_val(bits, &width * (pieces / 2)) / pieces;
    let between = if near.mu > far.mu {
        Float::with_val(bits, a + &smaller)
    } else {
        Float::with_val(bits, b - &smaller)
    };
    let half = Float::with_val(bits, a + Float::with_val(bits, &width >> 1u32));
    let is_central =
        |e: &Float| Float::with_val(bits, e - &half).abs() < Float::with_val(bits, &width >> 4u32);
    let margin = width.clone() >> 24u32;
    let first = Float::with_val(bits, a + &margin);
    let last = Float::with_val(bits, b - &margin);
    let rise = near.point.rest.middle() - far.point.rest.middle();
    let run = near.point.alpha.middle() - far.point.alpha.middle();
    let tangent = rough_log_ratio(&rise, &run, bits).filter(|e| first < *e && *e < last);
    let place = match tangent {
        Some(tangent) if turn.depth % 2 == 1 && !(pieces > 2 && is_central(&tangent)) => tangent,
        _ => between,
    };
    (*a < place && place < *b).then_some(place)
}

impl Segment {
    /// The same segment seen from the other side.
    ///
    /// Requires: both orders of the pair have the same profile.
    pub fn mirrored(self) -> Self {
        let direction = match self.direction {
            Direction::Remove => Direction::Add,
            Direction::Add => Direction::Remove,
        };
        Self { direction, ..self }
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rug::Rational;

    use super::*;
    use crate::bounds::testing::Finite;
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::kernel::{Point, Profile, ProfilePoint};

    /// A loss that ends somewhere between 1 and 2.
    struct Ending;

    impl Profile for Ending {
        fn at(&self, point: &Point) -> ProfilePoint {
            let anything = Interval::zero(point.bits()).hull(&Interval::one(point.bits()));
            ProfilePoint {
                delta: anything.clone(),
                null_tail: anything,
            }
        }

        fn swapped(&self) -> Arc<dyn Profile> {
            Arc::new(Self)
        }

        fn max_loss(&self, bits: u32) -> LossBound {
            LossBound::Finite {
                value: Interval::from_i64(1, bits).hull(&Interval::from_i64(2, bits)),
                exact: None,
            }
        }

        fn min_loss(&self, _bits: u32) -> LossBound {
            LossBound::Unbounded
        }

        fn infinite_mass(&self, bits: u32) -> Interval {
            Interval::zero(bits)
        }
    }

    /// The farther end of what is known counts, of the curve's own loss and of the true one.
    #[test]
    fn ends_that_are_intervals() {
        let curve = || Curve::new(Arc::new(Ending));
        let at = |n: i64| Interval::from_i64(n, 64);
        for (known, truth) in [(None, 2), (Some(at(3).hull(&at(5))), 5), (Some(at(-3)), 0)] {
            let side = EndedCurve::new(curve(), known, 64);
            assert_eq!(side.end, Some(Float::with_val(64, truth)));
        }
    }

    /// 1 − β ≤ e^end·α where nothing is beyond the end, rounded down.
    #[test]
    fn slopes_at_the_end_at_few_bits() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        for quarters in 1..20 {
            let end = Interval::from_i64(quarters, 64).div(&Interval::from_i64(4, 64));
            let slope = Float::with_val(200, quarters) / 4u32;
            let truth = slope.exp() / 4096u32;
            let curve = Curve::new(Arc::new(pair.clone()));
            for bits in 2..=24 {
                let found = at_most_bits(bits, || {
                    let side = EndedCurve::new(curve.clone(), Some(end.clone()), 64);
                    side.rest_down(&Corner {
                        alpha: Interval::from_i64(1, 64).div(&Interval::from_i64(4096, 64)),
                        rest: Interval::one(64),
                    })
                });
                assert!(found <= truth, "{bits} bits: {quarters} {found}");
            }
        }
    }

    /// δ of what loses e^end at most: 1 − u/e^end, of no mass beyond only.
    #[test]
    fn deltas_before_the_end_at_few_bits() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let leaky = Finite::new(&[(1, 1), (0, 1)], &[(3, 4), (1, 4)]);
        let mut random = Random(31);
        for _ in 0..10_100 {
            let bits = 2 + u32::try_from(random.below(15)).unwrap();
            let end = Rational::from((1 + random.below(40), 16u32));
            let odds = Rational::from((4 + random.below(60), 4u32));
            let share = Float::with_val(200, &odds) / Float::with_val(200, &end).exp();
            let truth = Float::with_val(200, 1 - share);
            let found = |pair: &Finite, known: bool| {
                let curve = Curve::new(Arc::new(pair.clone()));
                let end = Interval::from_rational(&end, 64);
                let side = EndedCurve::new(curve, known.then_some(end), 64);
                side.delta_up(&Interval::from_rational(&odds, 64))
            };
            let delta = at_most_bits(bits, || found(&leaky, true)).unwrap();
            assert!(delta >= truth && delta >= 0, "{odds} {end} {bits}: {delta}");
            assert!(
                found(&leaky, true).unwrap()
                    <= Float::with_val(64, truth.larger(&Float::new(64))) + 1e-15
            );
            assert_eq!(found(&leaky, false), None);
            assert!(found(&pair, false).is_some());
        }
        // What may be beyond counts, although it may be nothing.
        let mut side = EndedCurve::new(Curve::new(Arc::new(Ending)), None, 64);
        let odds = Interval::one(64);
        assert!(side.delta_up(&odds).is_some());
        side.mass_up = Float::with_val(64, 1) >> 20u32;
        assert_eq!(side.delta_up(&odds), None);
    }

    /// Between numbers next to each other there is no place.
    #[test]
    fn neighbours_are_not_split() {
        let bits = 20;
        let at = |epsilon: Float, alpha: (i64, i64)| Node {
            odds: Interval::point(epsilon.clone()).exp(),
            epsilon,
            delta_up: Float::new(bits),
            point: Corner {
                alpha: Interval::from_rational(&Rational::from(alpha), bits),
                rest: Interval::from_rational(&Rational::from(alpha), bits),
            },
            mu: Float::new(bits),
        };
        for from in [1.0, 1.0 + 1.0 / f64::from(1 << 19)] {
            let low = Float::with_val(bits, from);
            let mut high = low.clone();
            high.next_up();
            for depth in [0, 1] {
                let [near, far] = [(low.clone(), (1, 2)), (high.clone(), (1, 4))]
                    .map(|(epsilon, alpha)| at(epsilon, alpha));
                let turn = Turn { depth, pieces: 2 };
                assert_eq!(middle(&near, &far, turn, bits), None);
            }
            let wide = at(Float::with_val(bits, 2), (1, 4));
            for pieces in [0, 2, 3, 5] {
                let turn = Turn { depth: 0, pieces };
                let place = middle(&at(low.clone(), (1, 2)), &wide, turn, bits).unwrap();
                assert!(low < place && place < 2);
            }
        }
    }
}
