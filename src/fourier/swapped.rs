//! The profile of a sum's pair in the other order.

use super::*;

/// The profile of the swapped pair.
pub(super) struct Swapped(pub(super) SumProfile);

impl Profile for Swapped {
    fn at(&self, point: &Point) -> ProfilePoint {
        self.0.at_swapped(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.0.clone())
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        self.0.lines.min_loss().negated().at_least_zero()
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        self.0.lines.max_loss().negated()
    }

    fn infinite_mass(&self, _bits: u32) -> Interval {
        self.0.lines.missing_p_mass()
    }

    /// 1 − P, and what the other order has beyond; at least 0.
    fn delta_up(&self, point: &Point) -> Option<Float> {
        let lines = &self.0.lines;
        let rest = lines.sum_up(point, true)?;
        let all = d::add_up(lines.sum.null_short.hi(), &rest, LOG_BITS);
        Some(trailing::at_least_zero(all))
    }

    fn trails(&self, point: &Point) -> bool {
        self.0.lines.trails(point, true)
    }

    fn about(&self, level: &Float) -> Option<Float> {
        self.0.lines.places.as_ref()?.of_delta(level, true)
    }

    fn about_tail(&self, level: &Float) -> Option<Float> {
        self.0.lines.places.as_ref()?.of_tail(level, true)
    }
}
