//! Sums far out, against what a composition of Gaussians is.

use rug::Rational;
use rug::ops::Pow;

use super::*;
use crate::kernel::{Accuracy, Point, Profile};
use crate::law::{Offset, Sampling};
use crate::mechanism::Mechanism;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::gaussian::Gaussian;
use crate::plan::{Units, shapes};

/// A hundred Gaussians of μ = 1/10 are one of μ = 1, in both orders, also where δ is 1e-100 and laws in units of 2^−165 know nothing.
#[test]
fn tails_are_known_far_below_the_usual_units() {
    let profile: Arc<dyn Profile> = Arc::new(Gaussian::from_square(Rational::from((1, 100))));
    let whole = Gaussian::from_square(Rational::from(1));
    let demand = Demand {
        cells: 2048,
        tail: 1e-107,
        units: Units::Usual,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    };
    let budget = Budget::unlimited();
    let shape = shapes(std::iter::once((&*profile, 100)), demand, &budget).unwrap();
    let part = Component::of(profile, 100);
    let found = compose_sum(&[part], &shape, demand, &budget).unwrap();
    let found = found.unwrap();
    // The same once more, of which nothing has been asked.
    let again = found.unasked().composed;
    let Composed { upper, lower, .. } = found.composed;
    for (upper, lower) in [
        (upper.clone(), lower.clone()),
        (upper.swapped(), lower.swapped()),
        (again.upper, again.lower),
    ] {
        for epsilon in [-3, 0, 4, 9, 14, 18, 21] {
            let at = Point::at_epsilon(&Rational::from(epsilon), 200);
            let truth = whole.at(&at).delta;
            let (above, below) = (upper.at(&at).delta, lower.at(&at).delta);
            assert!(
                above.hi() >= truth.lo() && below.lo() <= truth.hi(),
                "{epsilon}"
            );
            let width = above.sub(&below);
            // So many cells are for a relative width of about 1.3e-4 in ε (`plan::resolution`), and log δ falls by about ε·dε far out.
            let far = Rational::from((epsilon * epsilon * 15, 100_000));
            let share = far.max(Rational::from((1, 20)));
            assert!(
                *width.hi() <= rug::Float::with_val(64, truth.hi() * share),
                "{epsilon}: {above:?} {below:?} {truth:?}"
            );
        }
        // So far out δ is about 1e-100.
        let at = Point::at_epsilon(&Rational::from(21), 200);
        assert!(*upper.at(&at).delta.hi() < 1e-90);
    }
}

/// What is above the last knot, and in the other order below the first, is never less than it is: from few bits too, where the first knot is below all losses
/// and where it is not, and where either has outcomes that the other has not.
#[test]
fn ends_are_rounded_up() {
    let thirds = |all: [u32; 4]| all.map(|n| Rational::from((n, 21))).to_vec();
    let pair = |p, q| -> Arc<dyn Profile> {
        let pair = Mechanism::finite(thirds(p), thirds(q)).unwrap();
        Arc::new(FiniteProfile::new(Arc::clone(pair.finite_law().unwrap())))
    };
    let budget = Budget::unlimited();
    let lattice = Lattice::new(Offset::default(), Rational::from((1, 10)));
    let profiles = [
        pair([10, 5, 6, 0], [5, 9, 0, 7]),
        pair([4, 5, 6, 6], [1, 9, 3, 8]),
        Arc::new(Gaussian::from_square(Rational::from((1, 3)))),
    ];
    for profile in profiles {
        for (few, first, last) in [8, 12, 300]
            .into_iter()
            .flat_map(|few| [(few, -30, -2), (few, -2, 3), (few, 4, 30)])
        {
            let masses = Masses {
                bits: 60,
                limbs: 1,
                cell_bits: 60,
                sampling: Sampling {
                    bits: few,
                    first_bits: few,
                    accuracy: Accuracy::Relative,
                    jobs: 1,
                },
            };
            let found = ends(
                &*profile,
                (&lattice, &[first, first + 1, last]),
                &masses,
                &budget,
            );
            let found = found.unwrap().unwrap();
            assert_eq!((found.below, found.bits), (first - 1, 60));
            let truth = |profile: &dyn Profile, index: i64| {
                let epsilon = Rational::from((index, 10));
                profile.at(&Point::at_epsilon(&epsilon, 300)).delta
            };
            let beyond = truth(&*profile, last);
            let below = truth(&*profile.swapped(), -found.below);
            for (found, truth) in [(found.beyond_up, beyond), (found.null_below_up, below)] {
                assert!(
                    found >= *truth.lo(),
                    "{few} {first} {last} {found} {truth:?}"
                );
                let off = found - truth.hi();
                assert!(few < 300 || off < 1e-60, "{first} {last} {off}");
            }
        }
    }
}

/// Where floats say that δ falls to a level it is about that, in both orders of a pair whose orders differ, and the parts differ.
#[test]
fn levels_are_about_where_they_are_said_to_be() {
    let demand = Demand {
        cells: 2048,
        tail: 1e-11,
        units: Units::Usual,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    };
    let budget = Budget::unlimited();
    let part = |rate: (u32, u32), steps: u64| {
        let rate = Rational::from(rate);
        let gaussian = Arc::new(Gaussian::from_square(Rational::from((1, 2))));
        Component {
            anchor: Offset::logarithm(1 - rate.clone()),
            ..Component::of(
                crate::mechanism::subsampled::subsampled(&rate, gaussian),
                steps,
            )
        }
    };
    let parts = [part((1, 20), 300), part((1, 7), 100)];
    let steps = parts.iter().map(|part| (&*part.profile, part.steps));
    let shape = shapes(steps, demand, &budget).unwrap();
    let found = compose_sum(&parts, &shape, demand, &budget)
        .unwrap()
        .unwrap();
    let Composed { upper, lower, .. } = found.composed;
    for profile in [
        upper.clone(),
        lower.clone(),
        upper.swapped(),
        lower.swapped(),
    ] {
        for digits in [1, 3, 5, 8] {
            let level = rug::Float::with_val(64, 0.1).pow(digits);
            let place = profile.about(&level).unwrap();
            let at = Point::at_epsilon(&place.to_rational().unwrap(), 160);
            let delta = profile.at(&at).delta.middle();
            let ratio = (delta / &level).to_f64();
            assert!(
                (0.95..1.05).contains(&ratio),
                "{digits} digits: {place} {ratio}"
            );
            // Of the null losses above 0 are rarer.
            let place = profile.about_tail(&level);
            assert!(place.is_some() || digits == 1);
            let Some(place) = place else { continue };
            let at = Point::at_epsilon(&place.to_rational().unwrap(), 160);
            let ratio = (profile.at(&at).null_tail.middle() / level).to_f64();
            assert!(
                (0.9..1.1).contains(&ratio),
                "{digits} digits of the tail: {place} {ratio}"
            );
        }
        let none = rug::Float::with_val(64, 1.5);
        assert!(profile.about(&none).is_none() && profile.about_tail(&none).is_none());
    }
}

/// Rare large losses, of which windows show nothing, are summed all the same: between what squarings say of the ε of δ = 1e-5.
#[test]
fn rare_losses_are_summed_by_values() {
    let rate = Rational::from((1, 1000));
    let gaussian = Arc::new(Gaussian::from_square(Rational::from(1)));
    let part = Component {
        anchor: Offset::logarithm(1 - rate.clone()),
        ..Component::of(
            crate::mechanism::subsampled::subsampled(&rate, gaussian),
            500,
        )
    };
    let demand = Demand {
        cells: 2048,
        tail: 1e-12,
        units: Units::Usual,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    };
    let budget = Budget::unlimited();
    let steps = std::iter::once((&*part.profile, part.steps));
    let shape = shapes(steps, demand, &budget).unwrap();
    let parts = [part];
    let summands: Vec<plan::Summand<'_>> = parts.iter().map(Component::for_plan).collect();
    let usual = Task {
        components: &parts,
        parts: &summands,
        shapes: &shape,
        orders: Orders::Apart,
        roots: Roots::Usual,
        are_rare: false,
        demand,
        budget: &budget,
    };
    assert!(
        usual
            .summed(&usual.sums().unwrap().unwrap())
            .unwrap()
            .is_none()
    );
    let found = compose_sum(&parts, &shape, demand, &budget).unwrap();
    let Composed { upper, lower, .. } = found.unwrap().composed;
    let at = |n: u32| Point::at_epsilon(&Rational::from((n, 10_000_000)), 160);
    let delta = rug::Float::with_val(64, 1e-5);
    assert!(*upper.at(&at(1_080_045)).delta.hi() >= delta);
    assert!(*lower.at(&at(1_080_101)).delta.lo() <= delta);
    let width = upper
        .at(&at(1_080_045))
        .delta
        .sub(&lower.at(&at(1_080_045)).delta);
    assert!(*width.hi() < 1e-8, "{width:?}");
}

/// Of a run whose cells are fitted to the answers the ε of any δ from 1e-4 to 1e-10 is as narrow as was asked, in either order.
#[test]
fn fitted_cells_are_as_fine_as_asked() {
    use crate::mechanism::subsampled::subsampled;
    let noise = Arc::new(Gaussian::from_mu(&Rational::from((1, 2))));
    let profile: Arc<dyn Profile> = subsampled(&Rational::from((1, 100)), noise);
    // What `plan::resolution` says of a relative width of 1e-4.
    let demand = Demand {
        cells: 2368,
        tail: 1e-17,
        units: Units::Usual,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    };
    let budget = Budget::unlimited();
    let shape = shapes(std::iter::once((&*profile, 500)), demand, &budget).unwrap();
    let part = Component::of(profile, 500);
    let found = compose_sum(&[part], &shape, demand, &budget).unwrap();
    let Composed {
        upper,
        lower,
        cells,
    } = found.unwrap().composed;
    // Cells of the same width around the median would be some 470.
    assert!(cells < 450, "{cells}");
    for (upper, lower) in [
        (upper.clone(), lower.clone()),
        (upper.swapped(), lower.swapped()),
    ] {
        for epsilon in [(35, 100), (45, 100), (55, 100), (65, 100)] {
            let epsilon = Rational::from(epsilon);
            let wider = Rational::from(&epsilon * &Rational::from((10_001, 10_000)));
            let delta = |of: &Arc<dyn Profile>, epsilon: &Rational| {
                of.at(&Point::at_epsilon(epsilon, 200)).delta
            };
            let (below, above) = (delta(&lower, &epsilon), delta(&upper, &epsilon));
            assert!(below.hi() <= above.lo(), "{epsilon}");
            assert!(below.lo() >= delta(&upper, &wider).hi(), "{epsilon}");
        }
    }
}

/// Where ends are in finer units than cells, bounds are those of laws that are in those units everywhere, in either order of the pair.
#[test]
fn coarse_units_between_the_ends_are_as_good() {
    use crate::mechanism::subsampled::subsampled;
    let noise = Arc::new(Gaussian::from_mu(&Rational::from((1, 9))));
    let rate = Rational::from((1, 3));
    let profile: Arc<dyn Profile> = subsampled(&rate, noise);
    let demand = Demand {
        cells: 1024,
        tail: 1e-107,
        units: Units::Usual,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    };
    let budget = Budget::unlimited();
    let shape = shapes(std::iter::once((&*profile, 1000)), demand, &budget).unwrap();
    let parts = [Component {
        anchor: Offset::logarithm(1 - rate.clone()),
        ..Component::of(profile, 1000)
    }];
    let summands: Vec<plan::Summand<'_>> = parts.iter().map(Component::for_plan).collect();
    let task = Task {
        components: &parts,
        parts: &summands,
        shapes: &shape,
        orders: Orders::Apart,
        roots: Roots::Usual,
        are_rare: false,
        demand,
        budget: &budget,
    };
    let mut plan = plan_sum(&summands, &shape, demand, Orders::Apart, Roots::Usual).unwrap();
    let profiles = |sums: &Sums| {
        let Composed { upper, lower, .. } = task.summed(sums).unwrap().unwrap().composed;
        [
            (upper.clone(), lower.clone()),
            (upper.swapped(), lower.swapped()),
        ]
    };
    let coarse = task.sums_with_ends(&plan).unwrap().unwrap();
    let masses = plan.between_ends.take().unwrap();
    assert!(masses.bits < 130 && plan.masses.bits > 360);
    assert!(task.sums_with_ends(&plan).unwrap().is_none());
    let laws = with_limbs!(plan.masses.limbs, laws_as(&task, &plan)).unwrap();
    let fine = Task::sums_of(laws).unwrap().unwrap();
    let orders = profiles(&coarse).into_iter().zip(profiles(&fine));
    for ((upper, lower), (other_upper, other_lower)) in orders {
        for epsilon in [1, 8, 15, 22, 29] {
            let at = Point::at_epsilon(&Rational::from(epsilon), 200);
            let [above, below] = [&upper, &lower].map(|of| of.at(&at).delta);
            let [other_above, other_below] =
                [&other_upper, &other_lower].map(|of| of.at(&at).delta);
            assert!(above.hi() >= other_below.lo() && below.lo() <= other_above.hi());
            let width = above.sub(&below);
            let other = rug::Float::with_val(64, other_above.sub(&other_below).hi() * 1.001);
            assert!(*width.hi() <= other, "{epsilon}: {above:?} {below:?}");
        }
        let far = upper.at(&Point::at_epsilon(&Rational::from(29), 200));
        assert!(*far.delta.hi() < 1e-80, "{far:?}");
    }
}

/// With a quarter of a sample of a record expected, and losses that are not quite so rare that this is seen from a step alone, lines are found all the same.
#[test]
fn a_sum_of_hardly_any_samples() {
    let demand = Demand {
        cells: 1024,
        tail: 1e-17,
        units: Units::Usual,
        spare: true,
        deeper: 1.0,
        jobs: 1,
    };
    let budget = Budget::unlimited();
    let rate = Rational::from((1, 2000));
    let gaussian = Arc::new(Gaussian::from_square(Rational::from((25, 36))));
    let part = Component {
        anchor: Offset::logarithm(1 - rate.clone()),
        ..Component::of(
            crate::mechanism::subsampled::subsampled(&rate, gaussian),
            500,
        )
    };
    let shape = shapes(std::iter::once((&*part.profile, 500)), demand, &budget).unwrap();
    assert!(!has_rare_losses(&[part.for_plan()], &shape));
    let found = compose_sum(&[part], &shape, demand, &budget).unwrap();
    let Composed { upper, lower, .. } = found.expect("there are lines").composed;
    for epsilon in [(1, 50), (1, 30), (1, 20), (1, 10)] {
        let at = Point::at_epsilon(&Rational::from(epsilon), 160);
        let (above, below) = (upper.at(&at).delta, lower.at(&at).delta);
        let width = above.sub(&below);
        assert!(below.lo() <= above.hi());
        assert!(
            *width.hi() <= rug::Float::with_val(64, above.hi() / 50u32),
            "{epsilon:?}: {width:?} of {above:?}"
        );
    }
}
