//! Compositions whose plan would need more room than there is.

use std::sync::Arc;

use dpcmp::composition::lattice::FiniteLattice;
use dpcmp::composition::{Component, LatticeLoss, compose};
use dpcmp::kernel::{Budget, Failure, Point};
use dpcmp::law::Offset;
use dpcmp::mechanism::Mechanism;
use dpcmp::mechanism::finite::FiniteProfile;
use dpcmp::plan::{Demand, Directions, Units, shapes};
use rug::{Float, Rational};

/// A part with a far atom of no weight beside a part whose losses lie close together: on their common lattice the
/// first would have 10^11 points, or more than there are numbers.
#[test]
fn a_common_lattice_that_is_far_too_fine_is_not_used() {
    let far = |epsilon: u32| {
        Mechanism::profile(vec![
            (Rational::new(), Rational::from(1) >> 200u32),
            (Rational::from(epsilon), Rational::new()),
        ])
        .unwrap()
    };
    let response = |digits: u32| {
        Mechanism::randomized_response(
            Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, digits)))),
            2,
        )
        .unwrap()
    };
    for (digits, epsilon) in [(5, 400_000), (13, 400_000), (25, 400_000)] {
        let components: Vec<Component> = [far(epsilon), response(digits)]
            .iter()
            .map(|mechanism| {
                let profile = FiniteProfile::new(mechanism.finite_law().unwrap().clone());
                let masses: Arc<dyn LatticeLoss> = Arc::new(FiniteLattice::new(&profile).unwrap());
                Component {
                    profile: Arc::new(profile),
                    steps: 100,
                    anchor: Offset::default(),
                    unit: None,
                    losses: None,
                    masses: Some(masses),
                }
            })
            .collect();
        let demand = Demand {
            cells: 512,
            tail: 1e-12,
            units: Units::Usual,
            spare: false,
            deeper: 1.0,
            jobs: 1,
        };
        let budget = Budget::unlimited();
        let profiles = components.iter().map(|c| (&*c.profile, c.steps));
        let shapes = shapes(profiles, demand, &budget).unwrap();
        let found = compose(&components, &shapes, demand, Directions::Both, &budget);
        match found {
            Ok(found) => {
                let point = Point::at_epsilon(&Rational::from(1), 200);
                let (above, below) = (found.upper.at(&point).delta, found.lower.at(&point).delta);
                // At least the chance of one far loss in one of the steps.
                let least = Float::with_val(200, 1) >> 201u32;
                assert!(*above.hi() >= least && below.lo() <= above.hi());
            }
            Err(failure) => assert!(matches!(failure, Failure::Interrupted), "{failure:?}"),
        }
    }
}
