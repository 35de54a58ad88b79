//! Which order of a pair has the larger losses, and how closely the other one must be known.

use super::Demand;
use super::grid::{FEWEST_CELLS, UPPER_SHARE};
use super::resolution::width_expected;
use crate::float::Curve;
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Direction, Mechanism};

/// The order of the pair with the larger ε where a question looks, as floats see it.
#[derive(Debug, Clone, Copy)]
pub struct DominantDirection {
    /// The order that leads.
    pub direction: Direction,
    /// How far the ε of the other order is below, relative to the larger one.
    pub(crate) gap: f64,
}

/// The share of a width that the upper law is to blame for, at most.
const UPPER_SIDE: f64 = 0.6;

impl DominantDirection {
    /// Where δ(ε) = delta; `None` where floats know nothing of use, or not in time.
    pub fn at_delta(mechanism: &Mechanism, delta: f64, budget: &Budget) -> Option<Self> {
        let epsilon = |adjacency| {
            let curve = Curve::within(mechanism, adjacency, budget).ok()?;
            let epsilon = curve.epsilon(delta);
            (epsilon.is_finite() && epsilon > 0.0).then_some(epsilon)
        };
        let (stated, swapped) = (epsilon(Adjacency::Remove)?, epsilon(Adjacency::Add)?);
        let direction = if stated >= swapped {
            Direction::Remove
        } else {
            Direction::Add
        };
        Some(Self {
            direction,
            gap: (stated - swapped).abs() / stated.max(swapped),
        })
    }

    /// At a point of the loss axis.
    pub fn at_epsilon(mechanism: &Mechanism, epsilon: f64, budget: &Budget) -> Option<Self> {
        let curve = Curve::within(mechanism, Adjacency::AddRemove, budget).ok()?;
        Self::at_delta(mechanism, curve.delta(epsilon), budget)
    }

    /// What to ask of the upper law of the other order: coarse enough to stay about as far above its value as the leader's
    /// own upper law is above the larger one.
    #[must_use]
    pub fn demand_for_other(&self, demand: Demand, steps: u64) -> Demand {
        let above = UPPER_SIDE * width_expected(demand.cells, steps);
        let share = (above / (self.gap + above)).sqrt();
        let cells = (demand.cells as f64 * share) as u64;
        Demand {
            cells: cells.clamp(FEWEST_CELLS.min(demand.cells), demand.cells),
            ..demand
        }
    }

    /// How long the other order takes, relative to both laws of the leader.
    pub fn time_of_other(&self, demand: Demand, steps: u64) -> f64 {
        let other = self.demand_for_other(demand, steps);
        UPPER_SHARE * other.cells as f64 / demand.cells as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::mechanism_from_bytes;

    const DEMAND: Demand = Demand {
        cells: 2048,
        tail: 1e-13,
        units: super::super::Units::Usual,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    };

    fn lead(mechanism: &str, delta: f64) -> Option<DominantDirection> {
        let file = mechanism_from_bytes("test", mechanism.as_bytes()).unwrap();
        DominantDirection::at_delta(&file.mechanism, delta, &Budget::unlimited())
    }

    fn sampled(noise: &str, rate: &str, steps: &str) -> String {
        format!(
            r#"{{"kind": "dp-sgd", "noise-multiplier": {noise}, "sample-rate": {rate}, "steps": {steps}}}"#
        )
    }

    #[test]
    fn removing_leads_for_sampled_gaussians() {
        let lead = lead(&sampled("0.614", "1e-4", "100000"), 1e-5).unwrap();
        assert_eq!(lead.direction, Direction::Remove);
        // ε is 0.5248 and 0.3661 in the two orders.
        assert!((0.30..0.31).contains(&lead.gap));
        assert!(lead.demand_for_other(DEMAND, 100_000).cells <= 256);
        assert!(lead.time_of_other(DEMAND, 100_000) < 0.1);
    }

    #[test]
    fn a_close_second_is_composed_as_finely() {
        let lead = DominantDirection {
            direction: Direction::Remove,
            gap: 0.0,
        };
        assert_eq!(lead.demand_for_other(DEMAND, 2000).cells, DEMAND.cells);
        let demand = Demand {
            cells: 64,
            ..DEMAND
        };
        let far = DominantDirection { gap: 1.0, ..lead };
        assert_eq!(far.demand_for_other(demand, 2000).cells, 64);
    }

    #[test]
    fn floats_that_know_nothing_say_so() {
        assert!(lead(&sampled("1", "0.01", "100"), 1.0).is_none());
        assert!(
            lead(
                r#"{"kind": "approx-dp", "epsilon": 1, "delta": 1e-3}"#,
                1e-5
            )
            .is_none()
        );
    }
}
