//! The upper bound of μ* above an error floor e, from the segments of a finished search.
//!
//! F = max over the nodes of the supporting lines 1 − δᵢ − uᵢα (δᵢ an upper bound) lies below f. Suppose
//! G_μ(α) > F(α) somewhere on C = {α ≥ e, G_μ(α) ≥ e}. G_μ is convex and F piecewise linear, so G_μ − F has
//! its maximum over C at a vertex of F or at an end of C:
//!
//! * the end α = e: excluded by μ ≥ z(e) + z(F(e));
//! * the end G_μ(α) = e > F(α): excluded by μ ≥ z(F⁻¹(e)) + z(e);
//! * a vertex with F(α) < e ≤ G_μ(α): then F⁻¹(e) < α and G_μ(F⁻¹(e)) > e, excluded likewise;
//! * a vertex (α, β) with α, β ≥ e: excluded by μ ≥ z(α) + z(β).
//!
//! So vertices outside the box α, β ≥ e may be left out, if they are vertices of F indeed: where rounding
//! hides that a node lies below the line of its neighbours, the segments on both sides are pooled, and the
//! box around their corners contains the vertices of the convex hull there (its chords are mixtures of
//! theirs).

use rug::Float;

use super::gdp_segment::Segment;
use super::gdp_vertex::{Allowance, Corner};
use crate::kernel::{Interval, Pick};
use crate::mechanism::Direction;

/// Where to put the first nodes, so that F is good at the cut points: ε ≥ 0 as seen from each side.
#[derive(Debug, Clone, Default)]
pub(super) struct Cuts {
    pub forward: Vec<Float>,
    pub backward: Vec<Float>,
}

/// Upper bound of μ* above the floor.
///
/// Where `is_rough`, floats may say which corner asks for most.
pub(super) fn floor_bound(
    allowance: &Allowance,
    segments: &[Segment],
    floor: &Interval,
    is_rough: bool,
) -> Float {
    let blocks = pooled(segments);
    let at_cuts = [Direction::Remove, Direction::Add].map(|direction| Corner {
        alpha: floor.clone(),
        rest: cut(segments, direction, floor).one_minus(),
    });
    let corners = blocks.iter().map(|block| &block.corner).chain(&at_cuts);
    if is_rough {
        return allowance.largest_mu_up(corners);
    }
    corners
        .map(|corner| allowance.mu_up(corner))
        .fold(Float::new(floor.bits()), |a, b| a.larger(&b))
}

/// F(e) seen from a side, at least e: a bound of the cut corner from below.
///
/// A node of the same side has the line 1 − δ − ue, one of the other side, with v = 1/u, (1 − e − δ)/v. Any lines will do: those that seem to be the highest there.
fn cut(segments: &[Segment], direction: Direction, floor: &Interval) -> Interval {
    let mut lines: Vec<(Float, &Segment)> = segments
        .iter()
        .map(|segment| (about_line(segment, direction, floor), segment))
        .collect();
    lines.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let value = lines
        .into_iter()
        .take(HIGHEST)
        .map(|(_, segment)| line(segment, direction, floor))
        .fold(floor.clone(), |a, b| if b.lo() > a.lo() { b } else { a });
    Interval::point(value.lo().clone())
}

/// Lines at a cut that are looked at.
const HIGHEST: usize = 3;

/// The line of a node at e, as [`cut`] says.
fn line(segment: &Segment, direction: Direction, floor: &Interval) -> Interval {
    let delta = Interval::point(segment.near.delta_up.clone());
    if segment.direction == direction {
        delta.add(&segment.near.odds.mul(floor)).one_minus()
    } else {
        let gap = floor.one_minus().sub(&delta);
        gap.at_least_zero().div(&segment.near.odds)
    }
}

/// About the same, to choose by.
fn about_line(segment: &Segment, direction: Direction, floor: &Interval) -> Float {
    let bits = floor.bits();
    let (odds, delta) = (segment.near.odds.lo(), &segment.near.delta_up);
    if segment.direction == direction {
        1 - (Float::with_val(bits, odds * floor.lo()) + delta)
    } else {
        (1 - Float::with_val(bits, floor.lo() + delta)) / odds
    }
}

/// Neighbouring segments, from left (small u) to right, whose corners cannot be told apart.
struct Block {
    corner: Corner,
    has_forward: bool,
    has_backward: bool,
}

/// Merges neighbours until the blocks are certainly in convex order.
///
/// For segments left and right of one node, "the slope α falls" and "the height β rises" are the same
/// statement, convexity of δ in u and of the swapped δ in 1/u; blocks on the right are compared by α, on the
/// left by β. Then every node between blocks has a line with all nodes above it: its slope lies between
/// those of the blocks beside it.
fn pooled(segments: &[Segment]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for mut block in in_order(segments) {
        while let Some(last) = blocks.pop() {
            if last.is_certainly_left_of(&block) {
                blocks.push(last);
                break;
            }
            block = last.joined(&block);
        }
        blocks.push(block);
    }
    blocks
}

fn in_order(segments: &[Segment]) -> Vec<Block> {
    let mut sorted: Vec<&Segment> = segments.iter().collect();
    sorted.sort_unstable_by(|a, b| a.place().total_cmp(&b.place()));
    sorted
        .iter()
        .map(|segment| match segment.direction {
            Direction::Remove => Block {
                corner: segment.corner.clone(),
                has_forward: true,
                has_backward: false,
            },
            Direction::Add => Block {
                corner: segment.corner.mirrored(),
                has_forward: false,
                has_backward: true,
            },
        })
        .collect()
}

impl Segment {
    /// Sorts segments by ε: −ε of the near end for the swapped side, where −0 comes before 0.
    fn place(&self) -> Float {
        let epsilon = self.near.epsilon.clone().abs();
        match self.direction {
            Direction::Remove => epsilon,
            Direction::Add => -epsilon,
        }
    }
}

impl Block {
    fn is_certainly_left_of(&self, right: &Self) -> bool {
        let by_alpha = right.corner.alpha.certainly_lt(&self.corner.alpha);
        let by_beta = self.corner.beta().certainly_lt(&right.corner.beta());
        match (right.has_backward, self.has_forward) {
            (false, false) => by_alpha && by_beta,
            (false, true) => by_alpha,
            (true, _) => by_beta,
        }
    }

    fn joined(&self, right: &Self) -> Self {
        Self {
            corner: self.corner.hull(&right.corner),
            has_forward: self.has_forward || right.has_forward,
            has_backward: self.has_backward || right.has_backward,
        }
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::bounds::gdp_segment::Node;
    use crate::kernel::coarse::{Random, at_most_bits};

    /// The largest of the supporting lines at the floor, rounded down.
    #[test]
    fn cuts_at_few_bits() {
        let mut random = Random(20);
        let exact = |x: &Float| x.to_rational().unwrap();
        for _ in 0..500 {
            let mut number =
                |digits: u32| Float::with_val(64, 1 + random.below((1 << digits) - 1)) >> digits;
            let (odds, delta) = (number(16) + 1u32, number(16) >> 2u32);
            let floor = number(16) >> 3u32;
            let nothing = Corner {
                alpha: Interval::zero(64),
                rest: Interval::zero(64),
            };
            let segment = Segment {
                direction: Direction::Remove,
                near: Node {
                    epsilon: Float::new(64),
                    odds: Interval::point(odds.clone()),
                    delta_up: delta.clone(),
                    point: nothing.clone(),
                    mu: Float::new(64),
                },
                far: None,
                corner: nothing,
                bound: Float::new(64),
                depth: 0,
                vain: 0,
            };
            let (u, e) = (exact(&odds), exact(&floor));
            let ahead: Rational = 1 - exact(&delta) - Rational::from(&u * &e);
            let back: Rational = (1 - exact(&delta) - &e) / u;
            for (direction, line) in [(Direction::Remove, ahead), (Direction::Add, back)] {
                let truth = line.max(e.clone());
                for bits in [2, 3, 5, 8, 12, 64] {
                    let found = at_most_bits(bits, || {
                        cut(
                            std::slice::from_ref(&segment),
                            direction,
                            &Interval::point(floor.clone()),
                        )
                    });
                    assert!(*found.lo() <= truth, "{bits} bits: {found:?} {truth}");
                }
            }
        }
    }

    #[test]
    fn a_block_has_all_of_its_parts() {
        for has in [[true, false], [false, true], [true, true]] {
            for other in [[true, false], [false, true], [true, true]] {
                let block = |[has_forward, has_backward]: [bool; 2]| Block {
                    corner: Corner {
                        alpha: Interval::zero(64),
                        rest: Interval::one(64),
                    },
                    has_forward,
                    has_backward,
                };
                let joined = block(has).joined(&block(other));
                assert_eq!(joined.has_forward, has[0] || other[0]);
                assert_eq!(joined.has_backward, has[1] || other[1]);
            }
        }
    }
}
