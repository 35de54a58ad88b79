//! A profile for each order of a pair, composed apart.

use std::sync::Arc;

use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// Bounds of the same side for the profiles of (P, Q) and of (Q, P), each from a composition of its own.
///
/// Each bounds its profile at every point, but the two need not be dual to each other: for quantities that look at one
/// point of one profile only.
pub struct TwoOrders {
    stated: Arc<dyn Profile>,
    swapped: Arc<dyn Profile>,
}

impl TwoOrders {
    /// The bounds for both orders.
    pub fn new(stated: Arc<dyn Profile>, swapped: Arc<dyn Profile>) -> Self {
        Self { stated, swapped }
    }
}

impl Profile for TwoOrders {
    fn at(&self, point: &Point) -> ProfilePoint {
        self.stated.at(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            stated: Arc::clone(&self.swapped),
            swapped: Arc::clone(&self.stated),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.stated.max_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.stated.min_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.stated.infinite_mass(bits)
    }
}
