//! Losses on a common lattice, and profiles that are known between two others.

use std::sync::Arc;

use rug::Float;

use super::*;
use crate::composition::lattice::FiniteLattice;
use crate::composition::laws::compose;
use crate::composition::two_steps::two_steps;
use crate::kernel::{LossBound, Point, ProfilePoint};
use crate::mechanism::discrete_gaussian::DiscreteGaussian;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::randomized_response;
use crate::plan::{Directions, PairPlan, Units, shapes};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn response(epsilon: &Rational) -> FiniteProfile {
    let law = randomized_response::law(&epsilon.clone().into(), 2).unwrap();
    FiniteProfile::new(Arc::new(law))
}

/// δ of n runs of randomised response at each ε₀, by all their outcomes.
fn of_responses(parts: &[(Rational, u32)], epsilon: &Rational) -> Float {
    let mut outcomes = vec![(Float::with_val(200, 1), Float::with_val(200, 1))];
    for (e, times) in parts {
        let odds = Float::with_val(200, e).exp();
        let (more, less) = (odds.clone() / (odds.clone() + 1u32), 1u32 / (odds + 1u32));
        for _ in 0..*times {
            outcomes = outcomes
                .iter()
                .flat_map(|(q, p)| {
                    [
                        (q.clone() * &more, p.clone() * &less),
                        (q.clone() * &less, p.clone() * &more),
                    ]
                })
                .collect();
        }
    }
    let u = Float::with_val(200, epsilon).exp();
    outcomes.iter().fold(Float::new(200), |sum, (q, p)| {
        let gain = Float::with_val(200, q - u.clone() * p);
        if gain > 0 { sum + gain } else { sum }
    })
}

fn component(profile: Arc<dyn Profile>, masses: Arc<dyn LatticeLoss>, steps: u64) -> Component {
    Component {
        masses: Some(masses),
        ..Component::of(profile, steps)
    }
}

fn demand() -> Demand {
    Demand {
        cells: 512,
        tail: 1e-13,
        units: Units::Finest,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    }
}

/// Losses of ±1/2 and ±1/3 share the lattice of sixths: nothing is lost but the rounding of masses, in both orders.
#[test]
fn responses_on_a_common_lattice() {
    let parts = [(q(1, 2), 3u32), (q(1, 3), 2)];
    let components: Vec<Component> = parts
        .iter()
        .map(|(e, times)| {
            let profile = response(e);
            let lattice = FiniteLattice::new(&profile).unwrap();
            component(Arc::new(profile), Arc::new(lattice), u64::from(*times))
        })
        .collect();
    let budget = Budget::unlimited();
    let all = components.iter().map(|part| (&*part.profile, part.steps));
    let shapes = shapes(all, demand(), &budget).unwrap();
    assert_eq!(common_lattice(&components, &shapes), Some(q(1, 3)));
    let found = compose(&components, &shapes, demand(), Directions::Both, &budget).unwrap();
    for (upper, lower) in [
        (found.upper.clone(), found.lower.clone()),
        (found.upper.swapped(), found.lower.swapped()),
    ] {
        for epsilon in [
            q(-2, 1),
            q(0, 1),
            q(1, 4),
            q(1, 1),
            q(5, 3),
            q(2, 1),
            q(13, 6),
        ] {
            let truth = of_responses(&parts, &epsilon);
            let at = Point::at_epsilon(&epsilon, 120);
            let (above, below) = (upper.at(&at).delta, lower.at(&at).delta);
            assert!(
                *above.hi() >= truth && *below.lo() <= truth,
                "{epsilon}: {below:?} {truth} {above:?}"
            );
            assert!(
                *above.sub(&below).hi() < 1e-15,
                "{epsilon}: {below:?} {above:?}"
            );
        }
    }
}

/// Masses are spread out over a lattice that is finer.
#[test]
fn masses_between_empty_points() {
    let masses = [1i64, 2, 3].map(|n| Interval::from_i64(n, 30));
    let found = spread_out(&masses, 3, 30);
    let expected = [1i64, 0, 0, 2, 0, 0, 3].map(|n| Interval::from_i64(n, 30));
    assert_eq!(found, expected);
    assert_eq!(spread_out(&masses, 1, 30), masses);
}

/// Two runs of discrete Gaussian noise with their tails cut, against plain sums.
#[test]
fn discrete_gaussians_on_their_lattice() {
    let pair = DiscreteGaussian::new(&q(3, 2), 1).unwrap();
    let lattice: Arc<dyn LatticeLoss> = Arc::new(pair.clone());
    // Masses above the last that is listed are those of a sum.
    let tail = TailBudget::new(Float::with_val(64, 1e-9), crate::law::LeftEnd::BothMasses);
    let found = lattice.masses(&tail, 160);
    let weight = |k: i64| Float::with_val(300, q(-(k * k * 2), 9)).exp();
    let total = (-200i64..=200).fold(Float::new(300), |sum, k| sum + weight(k));
    let last = found.first + i64::try_from(found.masses.len()).unwrap() - 1;
    // Q is centred at 1.
    let above = (last + 1..300).fold(Float::new(300), |sum, k| sum + weight(k - 1)) / &total;
    assert!(*found.above.lo() <= above && *found.above.hi() >= above);
    assert!(found.above.width_up() < above.clone() * 0.01f64);
    assert!(*found.infinite.hi() == 0);
    for (k, mass) in (found.first..).zip(&found.masses) {
        let truth = weight(k - 1) / &total;
        assert!(*mass.lo() <= truth && *mass.hi() >= truth, "{k}");
    }
    let part = component(Arc::new(pair), lattice, 2);
    let budget = Budget::unlimited();
    let parts = [part];
    let shapes = shapes(
        parts.iter().map(|part| (&*part.profile, part.steps)),
        demand(),
        &budget,
    )
    .unwrap();
    let found = compose(&parts, &shapes, demand(), Directions::Both, &budget).unwrap();
    for (n, d) in [(-1, 2), (0, 1), (3, 4), (2, 1)] {
        let u = Float::with_val(300, q(n, d)).exp();
        let mut truth = Float::new(300);
        for i in -60i64..=60 {
            for j in -60i64..=60 {
                let (at_q, at_p) = (weight(i - 1) * weight(j - 1), weight(i) * weight(j));
                let gain = at_q - at_p * &u;
                if gain > 0 {
                    truth += gain;
                }
            }
        }
        truth /= total.clone().square();
        let at = Point::at_epsilon(&q(n, d), 120);
        let (above, below) = (found.upper.at(&at).delta, found.lower.at(&at).delta);
        assert!(
            *above.hi() >= truth && *below.lo() <= truth,
            "{n}/{d}: {below:?} {truth} {above:?}"
        );
        assert!(
            *above.sub(&below).hi() < 1e-12,
            "{n}/{d}: {below:?} {above:?}"
        );
    }
}

/// A profile of which two others tell, each from its side.
struct Known {
    upper: Arc<dyn Profile>,
    lower: Arc<dyn Profile>,
}

impl Profile for Known {
    fn at(&self, point: &Point) -> ProfilePoint {
        self.lower.at(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        self.lower.swapped()
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.upper.max_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.upper.min_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn between(&self, _: Fineness, _: &Budget) -> Result<Option<Between>, Failure> {
        Ok(Some(Between {
            upper: Arc::clone(&self.upper),
            lower: Arc::clone(&self.lower),
        }))
    }
}

/// Above it is what composes the upper one, below it what composes the lower one.
#[test]
fn profiles_between_two_others() {
    let known = Known {
        upper: Arc::new(response(&q(1, 2))),
        lower: Arc::new(response(&q(1, 4))),
    };
    let second: Arc<dyn Profile> = Arc::new(response(&q(1, 3)));
    let plan = PairPlan {
        lattice: Lattice::new(Offset::default(), q(1, 8)),
        indices: (-8..=8).collect(),
        sampling: Sampling {
            bits: 160,
            first_bits: 160,
            accuracy: crate::kernel::Accuracy::Relative,
            jobs: 1,
        },
        bits: 120,
    };
    let found = two_steps(&known, &second, &plan, &Budget::unlimited()).unwrap();
    for epsilon in [q(-1, 3), q(0, 1), q(1, 5), q(2, 3)] {
        let at = Point::at_epsilon(&epsilon, 120);
        let (above, below) = (found.upper.at(&at).delta, found.lower.at(&at).delta);
        let most = of_responses(&[(q(1, 2), 1), (q(1, 3), 1)], &epsilon);
        let least = of_responses(&[(q(1, 4), 1), (q(1, 3), 1)], &epsilon);
        assert!(*above.hi() >= most, "{epsilon}: {above:?} {most}");
        assert!(*below.lo() <= least, "{epsilon}: {below:?} {least}");
        // Both lie on the lattice of eighths.
        assert!(
            *above.hi() < most + 1e-9f64 && *below.lo() > least - 1e-9f64,
            "{epsilon}"
        );
    }
}

/// More knots than one thread does at a time: each stretch has its own, as if it were alone.
#[test]
fn stretches_of_knots() {
    let gaussian = crate::mechanism::gaussian::Gaussian::from_square(q(1, 1));
    let part = Component::of(Arc::new(gaussian), 1);
    let masses = Masses {
        bits: 120,
        limbs: 2,
        cell_bits: 113,
        sampling: Sampling {
            bits: 160,
            first_bits: 160,
            accuracy: crate::kernel::Accuracy::Relative,
            jobs: 1,
        },
    };
    let lattice = Lattice::new(Offset::default(), q(1, 4096));
    let budget = Budget::unlimited();
    let made = |from: i64, to: i64| -> CellTable<2> {
        let indices: Vec<i64> = (from..=to).collect();
        let place = (&lattice, indices.as_slice());
        let found = fast_cells(&part, place, &masses, 1, &budget).unwrap();
        found.expect("cells in fixed point")
    };
    for count in [
        1,
        i64::try_from(STRETCH).unwrap() - 1,
        i64::try_from(STRETCH).unwrap() + 1,
        i64::try_from(STRETCH).unwrap() * 2 + 5,
    ] {
        let table = made(-count / 2, count - count / 2);
        assert_eq!(table.cells.len(), usize::try_from(count).unwrap());
    }
}

#[test]
fn nothing_is_no_composition() {
    let budget = Budget::unlimited();
    let none = compose(&[], &[], demand(), Directions::Both, &budget);
    assert!(matches!(none, Err(Failure::Invariant(_))));
    let profile = response(&q(1, 1));
    let lattice = FiniteLattice::new(&profile).unwrap();
    let never = component(Arc::new(profile), Arc::new(lattice), 0);
    let never = [never];
    let once = shapes(std::iter::once((&*never[0].profile, 1)), demand(), &budget).unwrap();
    let found = compose(&never, &once, demand(), Directions::Both, &budget);
    assert!(matches!(found, Err(Failure::Invariant(_))));
}
