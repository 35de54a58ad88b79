//! Nodes along the loss axis, each as far from the one before as a smooth curve allows.
//!
//! Places are hints: the bounds of the segments between them are proved wherever they are, and what is too long is split.

use rug::Float;

use super::{Parent, STEERING_BITS, Search};
use crate::bounds::gdp_segment::{Node, Segment, Turn};
use crate::kernel::Pick;
use crate::mechanism::Direction;

/// Nodes of a march at most.
const MOST_STEPS: u32 = 256;
/// No march goes on with segments shorter than this share of the whole: the curve is not smooth.
const LEAST_SHARE: u32 = 1024;
/// The last ones are equally long.
const LAST_STEPS: u32 = 2;
/// Pieces of a segment that are counted.
const MOST_PIECES: u32 = 6;
/// A segment is this much shorter than what would just do, in hundredths.
const CAREFUL_HUNDREDTHS: u32 = 98;

impl Search<'_> {
    /// From a node to the last one before `end`, with the segments between them.
    pub(super) fn march(&mut self, direction: Direction, from: Node, end: &Float) -> Node {
        let bits = STEERING_BITS;
        let mut near = from;
        let whole = Float::with_val(bits, end - &near.epsilon);
        let least = Float::with_val(bits, &whole / LEAST_SHARE);
        let mut gap = self.first_gap(&near).smaller(&whole);
        for _ in 0..MOST_STEPS {
            let rest = Float::with_val(bits, end - &near.epsilon);
            let pieces = Float::with_val(bits, &rest / &gap).ceil();
            if !(pieces.is_finite() && pieces > 1 && gap >= least) || self.effort.is_over() {
                break;
            }
            let step = if pieces > LAST_STEPS {
                gap.clone()
            } else {
                rest / pieces
            };
            let place = Float::with_val(self.bits, &near.epsilon + &step);
            let next = self.node(direction, &place, Some(&near));
            let before = near.mu.clone();
            let bound = self.add(direction, near, Some(next.clone()), &Parent::default());
            let seen = Seen {
                step,
                before,
                here: next.mu.clone(),
                bound,
            };
            near = next;
            match self.next_gap(&seen) {
                Some(next) => gap = next,
                None => break,
            }
        }
        near
    }

    /// What is known of a segment that is split.
    pub(super) fn turn(&self, segment: &Segment, far: &Node) -> Turn {
        Turn {
            depth: segment.depth,
            pieces: self.pieces(segment, far),
        }
    }

    /// In how many pieces no part of a smooth segment asks for more than is allowed, roughly: the μ of a chord is above those of its ends by the square of its length.
    /// Where those are many it is no more than a guess, and halves are as good.
    fn pieces(&self, segment: &Segment, far: &Node) -> u32 {
        let bits = STEERING_BITS;
        let ends = segment.near.mu.clone().larger(&far.mu);
        let excess = Float::with_val(bits, &segment.bound - &ends);
        let room = self.most() - ends;
        let fits = |pieces: &u32| excess <= Float::with_val(bits, &room * (pieces * pieces));
        (2..=MOST_PIECES).find(fits).unwrap_or(2)
    }

    /// The most that may be asked for, as far as is known.
    fn most(&self) -> Float {
        let allowed = self
            .effort
            .target
            .allowed_width(&self.lower, &self.lower, STEERING_BITS);
        allowed + &self.lower
    }

    /// As for Gaussian noise, whose chords of a length x ask for about x²/8μ more than their ends.
    fn first_gap(&self, near: &Node) -> Float {
        let room = Float::with_val(STEERING_BITS, self.most() - &near.mu);
        ((room * &self.lower) << 3u32).sqrt()
    }

    /// How far from here the chord of a smooth curve asks for no more than is allowed, if its μ is above those of its ends by the square of its length, and those go on as they
    /// did; `None` where nothing is allowed.
    fn next_gap(&self, seen: &Seen) -> Option<Float> {
        let bits = STEERING_BITS;
        let most = self.most();
        if seen.here >= most {
            return None;
        }
        let excess = Float::with_val(bits, &seen.bound - seen.before.clone().larger(&seen.here));
        let rise = Float::with_val(bits, &seen.here - &seen.before);
        let twice = Float::with_val(bits, &seen.step << 1u32);
        let half = Float::with_val(bits, &seen.step >> 1u32);
        if !excess.is_finite() {
            return Some(half);
        }
        let mut gap = seen.step.clone();
        for _ in 0..3 {
            let ahead = Float::with_val(bits, &rise * &gap) / &seen.step + &seen.here;
            let room = Float::with_val(bits, &most - ahead.larger(&seen.here));
            if room <= 0 {
                gap = half.clone();
                continue;
            }
            let longer = Float::with_val(bits, &room / &excess).sqrt();
            gap = if longer.is_finite() {
                (longer * &seen.step * CAREFUL_HUNDREDTHS / 100u32)
                    .smaller(&twice)
                    .larger(&half)
            } else {
                twice.clone()
            };
        }
        Some(gap)
    }
}

/// A segment just made: its length, the μ of its ends and that of its chord.
struct Seen {
    step: Float,
    before: Float,
    here: Float,
    bound: Float,
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use crate::bounds::curve::Curve;
    use crate::bounds::gdp_search::Search;
    use crate::bounds::testing::{Gaussian, power_of_ten, with_effort};
    use crate::bounds::two_sided::LossRange;
    use crate::mechanism::GdpForm;

    /// Along a smooth curve hardly a segment has to be split, and none is much shorter than it has to be.
    #[test]
    fn a_smooth_curve_takes_few_segments() {
        for (mu, exponent, most) in [
            ((1, 10), 3, 114),
            ((1, 10), 10, 235),
            ((1, 1), 3, 98),
            ((1, 1), 10, 219),
            ((3, 1), 10, 182),
        ] {
            let curve = Curve::new(Gaussian::sides(mu.0, mu.1).upper);
            let form = GdpForm::ErrorFloor(power_of_ten(exponent));
            let (marched, all) = with_effort(4, 128, |effort| {
                let (range, one) = (LossRange::default(), Float::with_val(64, 1));
                let mut search = Search::new(&curve, &range, &form, effort, &one, (128, true));
                let ends = search.place_ends();
                let cuts = search.place_cuts(&form).unwrap();
                search.start(&cuts);
                let marched = search.nodes;
                search.run(ends);
                (marched, search.nodes)
            });
            assert!(
                all <= marched + 1 && marched <= most,
                "{mu:?} {exponent}: {marched} {all}"
            );
        }
    }
}
