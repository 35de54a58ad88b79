//! Poisson samples of one pair at several rates, of which a public label says which one it is: for u ≥ 1 only.

use std::sync::Arc;

use rug::Rational;

use super::Closed;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::labelled::Labelled;
use crate::mechanism::steps::Steps;
use crate::mechanism::subsampled::subsampled;

/// For u ≥ 1 δ(u) = Σ wₖ·δₖ(u) for samples at the rates rₖ, and for u < 1 that of a sample at the mean rate Σ wₖ·rₖ.
///
/// Both are one convex function: a sample at the rate r has δ(1) = r·TV, and the slope there is that of the pair, whatever r is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RatesByLabel {
    of: Steps,
    rates: Arc<[(Rational, Rational)]>,
}

impl RatesByLabel {
    /// `None` unless all weights are above 0 and add up to 1, and all rates are above 0 and at most 1.
    ///
    /// Requires: one step with a profile.
    pub(crate) fn new(of: Steps, rates: Vec<(Rational, Rational)>) -> Option<Self> {
        let is_rate = |rate: &Rational| *rate > 0 && *rate <= 1;
        let are_rates = rates
            .iter()
            .all(|(weight, rate)| *weight > 0 && is_rate(rate));
        let total: Rational = rates.iter().map(|(weight, _)| weight).sum();
        let rates = rates.into();
        (are_rates && total == 1).then_some(Self { of, rates })
    }

    /// What is sampled.
    pub fn of(&self) -> &Steps {
        &self.of
    }

    /// Probabilities of the labels, each with its rate.
    pub fn rates(&self) -> &[(Rational, Rational)] {
        &self.rates
    }
}

impl Closed for RatesByLabel {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        let base = self.of.single()?.profile()?;
        let at = |rate: &Rational| subsampled(rate, Arc::clone(&base));
        let parts = self
            .rates
            .iter()
            .map(|(weight, rate)| (weight.clone(), at(rate)));
        let mean = self
            .rates
            .iter()
            .map(|(weight, rate)| Rational::from(weight * rate));
        let mean: Rational = mean.sum();
        Some(Arc::new(Halves {
            above: Arc::new(Labelled::new(parts.collect())),
            below: at(&mean),
        }))
    }

    fn limits(&self) -> &'static str {
        "samples at several rates are built where what is sampled is"
    }
}

/// One profile for u ≥ 1 and another one for u ≤ 1.
///
/// Invariant: together they are convex; at u = 1 they have the same value and a common slope.
struct Halves {
    above: Arc<dyn Profile>,
    below: Arc<dyn Profile>,
}

impl Profile for Halves {
    fn at(&self, point: &Point) -> ProfilePoint {
        let (low, high) = (point.log().lo(), point.log().hi());
        if *low >= 0 {
            return self.above.at(point);
        }
        if *high <= 0 {
            return self.below.at(point);
        }
        let (above, below) = (self.above.at(point), self.below.at(point));
        ProfilePoint {
            delta: above.delta.hull(&below.delta),
            null_tail: above.null_tail.hull(&below.null_tail),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            above: self.below.swapped(),
            below: self.above.swapped(),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.above.max_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.below.min_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.above.infinite_mass(bits)
    }
}

#[cfg(test)]
#[path = "rates_by_label_tests.rs"]
mod tests;
