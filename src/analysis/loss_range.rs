//! How large the privacy loss of a composition can be: the sum of what its parts can.

use std::sync::Arc;

use rug::{Integer, Rational};

use crate::bounds::{Enclosure, LossRange, TwoSided};
use crate::composition::parts::PoweredPair;
use crate::kernel::{Interval, InvariantViolation, LossBound, Profile};
use crate::mechanism::symmetrised::Symmetrised;
use crate::mechanism::{Adjacency, Orders};

/// The parts of a composition, for the range of their total loss.
pub(super) struct LossSum {
    parts: Vec<(Arc<dyn Profile>, u64)>,
}

/// One end of the range of the total loss under the pair (P, Q), in its own direction.
struct End {
    value: Interval,
    exact: Option<Rational>,
}

impl LossSum {
    pub(super) fn of(parts: &[PoweredPair]) -> Self {
        Self {
            parts: parts
                .iter()
                .map(|part| (part.profile.clone(), part.times))
                .collect(),
        }
    }

    /// sup of log dQ/dP under Q (`Remove`), of log dP/dQ under P (`Add`), or the larger; ∞ included.
    pub(super) fn largest(
        &self,
        adjacency: Adjacency,
        bits: u32,
    ) -> Result<Enclosure, InvariantViolation> {
        let remove = || self.end(bits, |profile| profile.clone());
        let add = || self.end(bits, |profile| profile.swapped());
        let ends = match adjacency.orders() {
            Orders::Remove => vec![remove()],
            Orders::Add => vec![add()],
            Orders::Both => vec![remove(), add()],
        };
        let mut value = Interval::zero(bits);
        let mut exact = Some(Rational::new());
        for end in ends {
            let Some(end) = end else {
                return Ok(Enclosure::from_interval(&Interval::infinity(bits)));
            };
            value = value.max(&end.value);
            exact = exact.zip(end.exact).map(|(a, b)| a.max(b));
        }
        match exact {
            Some(exact) => Ok(Enclosure::exactly(exact, bits)),
            None => Enclosure::new(value.lo().clone(), value.hi().clone()),
        }
    }

    /// The largest total loss in one direction; `None` if it is unbounded.
    ///
    /// The supremum of a sum of independent losses is the sum of their suprema.
    fn end(
        &self,
        bits: u32,
        orient: impl Fn(&Arc<dyn Profile>) -> Arc<dyn Profile>,
    ) -> Option<End> {
        let start = End {
            value: Interval::zero(bits),
            exact: Some(Rational::new()),
        };
        self.parts.iter().try_fold(start, |sum, (profile, times)| {
            let profile = orient(profile);
            let LossBound::Finite { value, exact } = profile.max_loss(bits) else {
                return None;
            };
            let no_infinite = profile
                .exact_infinite_mass()
                .map_or_else(|| profile.infinite_mass(bits).is_zero(), |mass| mass == 0);
            let times = Integer::from(*times);
            no_infinite.then(|| End {
                value: sum
                    .value
                    .add(&value.mul(&Interval::from_integer(&times, bits))),
                exact: sum.exact.zip(exact).map(|(a, b)| a + b * times),
            })
        })
    }

    /// The profiles of (P, Q), with what is known of the range of the loss.
    pub(super) fn limit(&self, sides: &TwoSided) -> TwoSided {
        let bits = 256;
        let max = self
            .end(bits, |profile| profile.clone())
            .map(|end| end.value);
        let min = self
            .end(bits, |profile| profile.swapped())
            .map(|end| end.value.neg());
        with_range(
            sides.upper.clone(),
            sides.lower.clone(),
            LossRange { max, min },
        )
    }

    /// The profiles of the adjacency.
    pub(super) fn oriented(&self, sides: &TwoSided, adjacency: Adjacency) -> TwoSided {
        let stated = self.limit(sides);
        let LossRange { max, min } = stated.known_range.clone();
        let swapped_range = LossRange {
            max: min.as_ref().map(Interval::neg),
            min: max.as_ref().map(Interval::neg),
        };
        match adjacency.orders() {
            Orders::Remove => stated,
            Orders::Add => {
                let upper = sides.upper.swapped();
                let lower = if sides.is_closed_form() {
                    upper.clone()
                } else {
                    sides.lower.swapped()
                };
                with_range(upper, lower, swapped_range)
            }
            Orders::Both => {
                let both = |a: Option<Interval>,
                            b: Option<Interval>,
                            pick: fn(&Interval, &Interval) -> Interval| {
                    a.zip(b).map(|(a, b)| pick(&a, &b))
                };
                let range = LossRange {
                    max: both(max, swapped_range.max, Interval::max),
                    min: both(min, swapped_range.min, Interval::min),
                };
                let upper = Symmetrised::of(sides.upper.clone());
                let lower = if sides.is_closed_form() {
                    upper.clone()
                } else {
                    Symmetrised::below(sides.lower.clone())
                };
                with_range(upper, lower, range)
            }
        }
    }
}

fn with_range(
    upper: Arc<dyn Profile>,
    lower: Arc<dyn Profile>,
    known_range: LossRange,
) -> TwoSided {
    TwoSided::between(upper, lower, known_range)
}

#[cfg(test)]
#[path = "loss_range_tests.rs"]
mod tests;
