//! The number of threads changes no bit of any answer.

use dpcmp::analysis::{Goal, Resources, Subject};
use dpcmp::bounds::{Enclosure, GdpForm, Target};
use dpcmp::composition::{Component, compose};
use dpcmp::kernel::{Budget, Point, Profile};
use dpcmp::law::Offset;
use dpcmp::mechanism::gaussian::Gaussian;
use dpcmp::mechanism::{Adjacency, Epsilon, Mechanism};
use dpcmp::plan::{Demand, Directions, Units, shapes};
use dpcmp::statement::Query;
use rug::Rational;

fn rational(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn mechanisms() -> Vec<(&'static str, Mechanism)> {
    let gaussian =
        |sigma: (i64, i64)| Mechanism::gaussian(Rational::from(sigma), Rational::from(1)).unwrap();
    let subsampled = |rate: (i64, i64), sigma: (i64, i64)| {
        Mechanism::subsampled(Rational::from(rate), gaussian(sigma)).unwrap()
    };
    let laplace = Mechanism::laplace(Rational::from(2), Rational::from(1)).unwrap();
    let response = Mechanism::randomized_response(rational(1, 2), 3).unwrap();
    let discrete = Mechanism::discrete_gaussian(Rational::from(3), 1).unwrap();
    vec![
        (
            "subsampled Gaussians",
            Mechanism::compose(vec![(subsampled((1, 10), (2, 1)), 50)]).unwrap(),
        ),
        (
            "unequal parts",
            Mechanism::compose(vec![
                (subsampled((1, 5), (3, 1)), 7),
                (laplace, 3),
                (gaussian((4, 1)), 1),
                (response, 2),
            ])
            .unwrap(),
        ),
        (
            "discrete Gaussians",
            Mechanism::compose(vec![(discrete, 20)]).unwrap(),
        ),
    ]
}

fn quantities() -> Vec<Query> {
    vec![
        Query::delta_at(Epsilon::from(rational(1, 2))),
        Query::epsilon(rational(1, 100_000)).unwrap(),
        Query::trade_off(rational(1, 20)).unwrap(),
        Query::advantage(),
        Query::bayes_error(rational(1, 3)).unwrap(),
        Query::minimax_risk(),
        Query::gdp_mu_as(GdpForm::Tolerance(rational(1, 1_000_000))).unwrap(),
    ]
}

/// What one subject answers with so many threads.
fn answers(mechanism: &Mechanism, adjacency: Adjacency, jobs: usize) -> Vec<Enclosure> {
    let budget = Budget::unlimited();
    let subject = Subject::new(mechanism, adjacency, &budget).unwrap();
    let resources = Resources {
        budget: &budget,
        jobs,
        progress: &|_| (),
    };
    let goal = Goal::Width(Target::Relative(rational(1, 500)));
    quantities()
        .iter()
        .map(|quantity| {
            subject
                .answer(quantity, &goal, &resources)
                .unwrap()
                .enclosure
        })
        .collect()
}

#[test]
fn enclosures() {
    for (name, mechanism) in mechanisms() {
        for adjacency in [Adjacency::Remove, Adjacency::AddRemove] {
            let alone = answers(&mechanism, adjacency, 1);
            for jobs in [2, 3] {
                let together = answers(&mechanism, adjacency, jobs);
                for (quantity, (a, b)) in quantities().iter().zip(alone.iter().zip(&together)) {
                    let same = a == b
                        && a.lower().prec() == b.lower().prec()
                        && a.upper().prec() == b.upper().prec();
                    assert!(
                        same,
                        "{name}, {adjacency:?}, {quantity:?}, {jobs} threads: {a:?} {b:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn profiles_of_laws() {
    let component = Component {
        profile: std::sync::Arc::new(Gaussian::from_square(rational(1, 9))),
        steps: 13,
        anchor: Offset::default(),
        unit: None,
        losses: None,
        masses: None,
    };
    let curves: Vec<Vec<String>> = [1usize, 2, 3, 7]
        .into_iter()
        .map(|jobs| {
            let demand = Demand {
                cells: 256,
                tail: 1e-12,
                units: Units::Usual,
                spare: false,
                deeper: 1.0,
                jobs,
            };
            let shapes = shapes(
                std::iter::once((&*component.profile, component.steps)),
                demand,
                &Budget::unlimited(),
            )
            .unwrap();
            let composed = compose(
                std::slice::from_ref(&component),
                &shapes,
                demand,
                Directions::Both,
                &Budget::unlimited(),
            )
            .unwrap();
            let sides: [&dyn Profile; 2] = [&*composed.upper, &*composed.lower];
            let places = (-30..30).map(|n| Point::at_epsilon(&rational(n, 5), 200));
            places
                .flat_map(|point| sides.map(|side| format!("{:?}", side.at(&point))))
                .collect()
        })
        .collect();
    for other in &curves[1..] {
        assert_eq!(*other, curves[0]);
    }
}
