//! Random finite mechanisms and compositions through the public API, against exact enumeration.
//!
//! `DPCMP_TEST_SCALE` multiplies the number of random mechanisms.

use crate::soundness_support::curve::Polygon;
use crate::soundness_support::pair::Pair;
use crate::soundness_support::{
    cases, encloses, encloses_real, fraction, log_bounds, probit, to_rug,
};
use dpcmp::analysis::{Answer, Goal, Resources, Subject};
use dpcmp::bounds::{GdpForm, Target};
use dpcmp::kernel::{Budget, Pick};
use dpcmp::mechanism::Orders;
use dpcmp::mechanism::{Adjacency, Epsilon, Mechanism};
use dpcmp::statement::Query;
use num_rational::BigRational;
use num_traits::{One, Zero};
use proptest::prelude::*;
use rug::{Float, Rational};

const ADJACENCIES: [Adjacency; 3] = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove];

/// A composition of finite pairs, some of them subsampled, with multiplicities.
#[derive(Debug, Clone)]
struct Composition(Vec<(Pair, Option<BigRational>, u64)>);

impl Composition {
    fn mechanism(&self) -> Mechanism {
        let part = |(pair, rate, times): &(Pair, Option<BigRational>, u64)| {
            let finite = Mechanism::finite(
                pair.p.iter().map(to_rug).collect(),
                pair.q.iter().map(to_rug).collect(),
            )
            .unwrap();
            let part = match rate {
                Some(rate) => Mechanism::subsampled(to_rug(rate), finite).unwrap(),
                None => finite,
            };
            (part, *times)
        };
        match self.0.as_slice() {
            [only] if only.2 == 1 => part(only).0,
            parts => Mechanism::compose(parts.iter().map(part).collect()).unwrap(),
        }
    }

    /// The whole product, outcome by outcome.
    fn pair(&self) -> Pair {
        self.0
            .iter()
            .fold(Pair::nothing(), |product, (pair, rate, times)| {
                let pair = match rate {
                    Some(rate) => pair.subsampled(rate),
                    None => pair.clone(),
                };
                product.product(&pair.power(*times))
            })
    }
}

/// Outcomes of the product are enumerated up to this many.
const MOST_OUTCOMES: usize = 200;

fn weights(outcomes: usize) -> impl Strategy<Value = Vec<u32>> {
    let weight = prop_oneof![
        2 => Just(0u32),
        6 => 1u32..10,
        1 => 1000u32..100_000,
    ];
    proptest::collection::vec(weight, outcomes)
        .prop_filter("no mass", |weights| weights.iter().any(|w| *w > 0))
}

fn pair() -> impl Strategy<Value = Pair> {
    (2usize..=4)
        .prop_flat_map(|outcomes| (weights(outcomes), weights(outcomes)))
        .prop_map(|(p, q)| Pair::from_weights(&p, &q))
}

fn composition(most_outcomes: usize) -> impl Strategy<Value = Composition> {
    let rate = prop_oneof![
        3 => Just(None),
        1 => (1i64..20).prop_map(|n| Some(fraction(n, 20))),
    ];
    proptest::collection::vec((pair(), rate, 1u64..=4), 1..=3).prop_map(move |mut parts| {
        let size = |parts: &[(Pair, Option<BigRational>, u64)]| -> usize {
            parts
                .iter()
                .map(|(pair, _, times)| pair.len().pow(u32::try_from(*times).unwrap()))
                .product()
        };
        while size(&parts) > most_outcomes {
            match parts.iter_mut().max_by_key(|part| part.2) {
                Some(part) if part.2 > 1 => part.2 -= 1,
                _ => {
                    parts.pop();
                }
            }
        }
        Composition(parts)
    })
}

fn unit_fraction() -> impl Strategy<Value = BigRational> {
    prop_oneof![
        4 => (0i64..=60).prop_map(|n| fraction(n, 60)),
        1 => (1i64..1000).prop_map(|n| fraction(n, 1_000_000_007)),
    ]
}

/// Asks one subject for widths that a search must work for.
struct Asked {
    subject: Subject,
    budget: Budget,
}

impl Asked {
    fn new(mechanism: &Mechanism, adjacency: Adjacency) -> Self {
        let budget = Budget::unlimited();
        Self {
            subject: Subject::new(mechanism, adjacency, &budget).unwrap(),
            budget,
        }
    }

    fn with_goal(&self, query: &Query, goal: &Goal) -> Answer {
        let resources = Resources {
            budget: &self.budget,
            jobs: 1,
            progress: &|_| (),
        };
        self.subject.answer(query, goal, &resources).unwrap()
    }

    fn ask(&self, query: &Query) -> Answer {
        let target = Target::Relative(Rational::from((1, 1_000_000_000u64)));
        self.with_goal(query, &Goal::Width(target))
    }
}

fn oriented(pair: &Pair, adjacency: Adjacency) -> Vec<Pair> {
    match adjacency.orders() {
        Orders::Remove => vec![pair.clone()],
        Orders::Add => vec![pair.swapped()],
        Orders::Both => vec![pair.clone(), pair.swapped()],
    }
}

fn largest(pairs: &[Pair], value: impl Fn(&Pair) -> BigRational) -> BigRational {
    pairs.iter().map(value).max().unwrap()
}

fn smallest(pairs: &[Pair], value: impl Fn(&Pair) -> BigRational) -> BigRational {
    pairs.iter().map(value).min().unwrap()
}

/// Σ (q − e^ε·p)⁺ between two numbers.
fn delta_at(pair: &Pair, epsilon: &Rational) -> (Float, Float) {
    const BITS: u32 = 900;
    let u = Float::with_val(BITS, epsilon).exp();
    let mut sum = Float::new(BITS);
    for (p, q) in pair.p.iter().zip(&pair.q) {
        let gain = Float::with_val(BITS, &to_rug(q)) - Float::with_val(BITS, &to_rug(p)) * &u;
        if gain > 0 {
            sum += gain;
        }
    }
    // A few hundred operations on numbers up to e^ε.
    let error = Float::with_val(BITS, &u + 1u32) >> 850u32;
    (Float::with_val(BITS, &sum - &error), sum + error)
}

proptest! {
    #![proptest_config(cases(8))]

    /// Every rational quantity is not only enclosed but known exactly.
    #[test]
    fn rational_quantities(
        composition in composition(MOST_OUTCOMES),
        alpha in unit_fraction(),
        prior in unit_fraction(),
    ) {
        let (mechanism, pair) = (composition.mechanism(), composition.pair());
        for adjacency in ADJACENCIES {
            let pairs = oriented(&pair, adjacency);
            let polygon = Polygon::new(&pair, adjacency);
            let asked = Asked::new(&mechanism, adjacency);
            prop_assert!(asked.subject.is_closed_form());
            let is = |query: Query, truth: BigRational| {
                let found = asked.ask(&query).enclosure;
                prop_assert!(encloses(&found, &truth), "{adjacency:?} {query:?}: {truth} {found:?}");
                prop_assert!(found.exact().is_some(), "{adjacency:?} {query:?}");
                Ok(())
            };
            for u in pair.places(30).into_iter().chain(pair.swapped().places(30)) {
                let at = Epsilon::log_of(to_rug(&u)).unwrap();
                is(Query::delta_at(at), largest(&pairs, |pair| pair.delta(&u)))?;
            }
            is(Query::advantage(), largest(&pairs, Pair::advantage))?;
            is(Query::minimax_risk(), polygon.fixed_point())?;
            for alpha in polygon.0.iter().map(|v| v.0.clone()).step_by(3).chain([alpha.clone()]) {
                is(Query::trade_off(to_rug(&alpha)).unwrap(), polygon.tradeoff(&alpha))?;
            }
            let error = smallest(&pairs, |pair| pair.bayes_error(&prior));
            is(Query::bayes_error(to_rug(&prior)).unwrap(), error)?;
        }
    }

    /// ε at a δ: −∞, +∞, or the logarithm of a rational; and δ at a rational ε, which is transcendental.
    #[test]
    fn epsilon_and_delta(
        composition in composition(MOST_OUTCOMES),
        delta in unit_fraction(),
        epsilon in (-40i32..60).prop_map(|n| Rational::from((n, 17))),
    ) {
        let (mechanism, pair) = (composition.mechanism(), composition.pair());
        for adjacency in ADJACENCIES {
            let pairs = oriented(&pair, adjacency);
            let asked = Asked::new(&mechanism, adjacency);
            let infinite = largest(&pairs, Pair::infinite_mass);
            for delta in [delta.clone(), infinite, BigRational::zero(), fraction(1, 1_000_000_007)] {
                let found = asked.ask(&Query::epsilon(to_rug(&delta)).unwrap()).enclosure;
                let odds: Option<Vec<BigRational>> = pairs.iter().map(|p| p.least_odds(&delta)).collect();
                match odds.and_then(|odds| odds.into_iter().max()) {
                    Some(u) => {
                        let (low, high) = log_bounds(&u);
                        prop_assert!(encloses_real(&found, &low, &high), "{adjacency:?} {delta}: log {u} {found:?}");
                        prop_assert!(found.exact().is_none() || u.is_one(), "{adjacency:?} {delta}: log {u}");
                    }
                    None => prop_assert!(found.upper().is_infinite() && *found.upper() > 0, "{adjacency:?} {delta}: {found:?}"),
                }
            }
            let found = asked.ask(&Query::delta_at(Epsilon::from(epsilon.clone()))).enclosure;
            let bounds: Vec<(Float, Float)> = pairs.iter().map(|pair| delta_at(pair, &epsilon)).collect();
            let low = bounds.iter().map(|b| b.0.clone()).reduce(|a, b| a.larger(&b)).unwrap();
            let high = bounds.iter().map(|b| b.1.clone()).reduce(|a, b| a.larger(&b)).unwrap();
            prop_assert!(encloses_real(&found, &low, &high), "{adjacency:?} {epsilon}: {low} {high} {found:?}");
            if let Some(exact) = found.exact() {
                prop_assert!(low <= *exact && high >= *exact, "{adjacency:?} {epsilon}: {exact} {low}");
            }
        }
    }

    /// The largest loss of a composition is the largest ratio of the product.
    #[test]
    fn largest_loss(composition in composition(MOST_OUTCOMES)) {
        let (mechanism, pair) = (composition.mechanism(), composition.pair());
        for adjacency in ADJACENCIES {
            let pairs = oriented(&pair, adjacency);
            let found = Asked::new(&mechanism, adjacency).ask(&Query::max_loss()).enclosure;
            if largest(&pairs, Pair::infinite_mass) > BigRational::zero() {
                prop_assert!(found.upper().is_infinite(), "{adjacency:?} {found:?}");
            } else {
                let last = |pair: &Pair| pair.ratios().last().unwrap().clone();
                let (low, high) = log_bounds(&largest(&pairs, last));
                prop_assert!(encloses_real(&found, &low, &high), "{adjacency:?} {low} {found:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(5))]

    /// μ* strictly, up to a tolerance and above an error floor, from the vertices of the exact curve.
    #[test]
    fn gaussian_dp(composition in composition(24), exponent in 1u32..9) {
        let (mechanism, pair) = (composition.mechanism(), composition.pair());
        let level = fraction(1, 3 * 10i64.pow(exponent));
        for adjacency in ADJACENCIES {
            let polygon = Polygon::new(&pair, adjacency);
            let asked = Asked::new(&mechanism, adjacency);
            let truths = [
                (GdpForm::Strict, probit::mu_with_tolerance(&polygon, &BigRational::zero())),
                (GdpForm::Tolerance(to_rug(&level)), probit::mu_with_tolerance(&polygon, &level)),
                (GdpForm::ErrorFloor(to_rug(&level)), probit::mu_above_floor(&polygon, &level)),
            ];
            for (form, truth) in truths {
                let found = asked.ask(&Query::gdp_mu_as(form.clone()).unwrap()).enclosure;
                let (low, high) = (Float::with_val(600, &truth - probit::ERROR), Float::with_val(600, &truth + probit::ERROR));
                prop_assert!(encloses_real(&found, &low, &high), "{adjacency:?} {form:?}: {truth:.30} {found:?}");
            }
        }
    }
}

/// A comparison with the exact value is decided the right way at equality and just beside it.
#[test]
fn comparisons_at_equality() {
    let pair = Pair::from_weights(&[5, 3, 2], &[1, 3, 6]);
    let mechanism = Composition(vec![(pair.clone(), None, 3)]).mechanism();
    let product = pair.power(3);
    let asked = Asked::new(&mechanism, Adjacency::Remove);
    let truth = product.delta(&fraction(3, 2));
    let query = Query::delta_at(Epsilon::log_of(Rational::from((3, 2))).unwrap());
    let beside = fraction(1, 1_000_000_000_000_000_000);
    for with in [&truth - &beside, truth.clone(), &truth + &beside] {
        let found = asked.with_goal(
            &query,
            &Goal::Compare {
                with: to_rug(&with),
            },
        );
        assert_eq!(found.enclosure.exact(), Some(&to_rug(&truth)));
    }
}
