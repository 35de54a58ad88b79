//! The law engine against compositions that have a closed form: Gaussian, randomised response, Laplace.
//!
//! The closed forms are evaluated here in 400 bits, far beyond what the laws resolve.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::soundness_support::scale;
use dpcmp::analysis::{Goal, Resources, Subject};
use dpcmp::bounds::Target;
use dpcmp::composition::lattice::FiniteLattice;
use dpcmp::composition::{Component, LatticeLoss, TwoOrders, compose};
use dpcmp::kernel::{Accuracy, Budget, Point, Profile};
use dpcmp::law::{
    CellTable, Lattice, LeftEnd, LowerProfile, Offset, Sampling, Schedule, TailBudget,
    UpperProfile, discretise_lower, discretise_upper, power_lower, power_upper, sample_knots,
};
use dpcmp::mechanism::finite::FiniteProfile;
use dpcmp::mechanism::gaussian::Gaussian;
use dpcmp::mechanism::laplace::Laplace;
use dpcmp::mechanism::{Adjacency, Mechanism, randomized_response};
use dpcmp::plan::{Demand, Directions, Units, shapes};
use dpcmp::statement::Query;
use rug::ops::Pow;
use rug::{Float, Integer, Rational};

const FINE: u32 = 400;

fn number(x: &Rational) -> Float {
    Float::with_val(FINE, x)
}

/// What the closed forms of this file may be off by.
fn slack() -> Float {
    Float::with_val(FINE, 1) >> 340u32
}

/// A composition of one component, and the largest gap between its two profiles at the places checked.
struct Case<'a> {
    name: String,
    component: Component,
    truth: &'a dyn Fn(&Rational) -> Float,
    places: Vec<Rational>,
}

impl Case<'_> {
    /// lower ≤ δ ≤ upper in both directions; returns the widest gap.
    fn check(&self, cells: u64, tail: f64, jobs: usize) -> f64 {
        let demand = Demand {
            cells,
            tail,
            units: Units::Usual,
            spare: false,
            deeper: 1.0,
            jobs,
        };
        let composed = |component: &Component, orders| {
            let components = [component.clone()];
            let profiles = components.iter().map(|c| (&*c.profile, c.steps));
            let shapes = shapes(profiles, demand, &Budget::unlimited()).unwrap();
            compose(&components, &shapes, demand, orders, &Budget::unlimited()).unwrap()
        };
        let gap = |way: &str, upper: &dyn Profile, lower: &dyn Profile| {
            let name = format!("{}, {cells} cells, {way}", self.name);
            widest_gap(&name, upper, lower, self.truth, &self.places)
        };
        let together = composed(&self.component, Directions::Both);
        let stated = composed(&self.component, Directions::One);
        let swapped = composed(&self.component.swapped(), Directions::One);
        let (upper, lower) = (
            TwoOrders::new(stated.upper, swapped.upper),
            TwoOrders::new(stated.lower, swapped.lower),
        );
        gap("together", &*together.upper, &*together.lower).max(gap("apart", &upper, &lower))
    }
}

/// lower ≤ δ ≤ upper for a symmetric pair, in both directions.
fn widest_gap(
    name: &str,
    upper: &dyn Profile,
    lower: &dyn Profile,
    truth: &dyn Fn(&Rational) -> Float,
    places: &[Rational],
) -> f64 {
    let (other_upper, other_lower) = (upper.swapped(), lower.swapped());
    let mut widest = 0.0f64;
    for epsilon in places {
        let point = Point::at_epsilon(epsilon, 200);
        let truth = truth(epsilon);
        for (upper, lower) in [(upper, lower), (&*other_upper, &*other_lower)] {
            let (above, below) = (upper.at(&point).delta, lower.at(&point).delta);
            assert!(
                *above.hi() >= Float::with_val(FINE, &truth - slack()),
                "{name}, ε = {epsilon}: {truth:.40} above {above:?}"
            );
            assert!(
                *below.lo() <= Float::with_val(FINE, &truth + slack()),
                "{name}, ε = {epsilon}: {truth:.40} below {below:?}"
            );
            widest = widest.max(Float::with_val(53, above.hi() - below.lo()).to_f64());
        }
    }
    widest
}

fn normal_tail(x: &Float) -> Float {
    let root = Float::with_val(FINE, 2).sqrt();
    Float::with_val(FINE, x / root).erfc() / 2u32
}

/// Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ).
fn gaussian_delta(square: &Rational, epsilon: &Rational) -> Float {
    let mu = number(square).sqrt();
    let shift = number(epsilon) / &mu;
    let half = Float::with_val(FINE, &mu / 2u32);
    let null = normal_tail(&Float::with_val(FINE, &shift + &half)) * number(epsilon).exp();
    normal_tail(&(shift - half)) - null
}

/// T Gaussians of μ are one Gaussian of √T·μ.
#[test]
fn gaussian_powers() {
    let levels: &[u32] = if scale() >= 10 {
        &[5, 6, 7, 8, 9, 10, 11, 12]
    } else {
        &[5, 7, 9]
    };
    for (square, times) in [
        ((1, 1), 1u64),
        ((1, 1), 2),
        ((1, 1), 3),
        ((1, 4), 7),
        ((1, 400), 100),
        ((1, 400), 1000),
    ] {
        let square = Rational::from(square);
        let total = Rational::from(&square * times);
        let truth = |epsilon: &Rational| gaussian_delta(&total, epsilon);
        let spread = total.to_f64().sqrt();
        let places = (-24..=36).map(|n| {
            Rational::from_f64(total.to_f64() / 2.0 + spread * f64::from(n) / 5.0).unwrap()
        });
        let case = Case {
            name: format!("{times} Gaussians of μ² = {square}"),
            component: Component {
                profile: Arc::new(Gaussian::from_square(square)),
                steps: times,
                anchor: Offset::default(),
                unit: None,
                losses: None,
                masses: None,
            },
            truth: &truth,
            places: places.collect(),
        };
        let mut gap = f64::INFINITY;
        for level in levels {
            gap = case.check(1 << level, 1e-14, 1);
        }
        // Sound and useful: half a thousand cells give three digits of δ.
        assert!(gap < 2e-3, "{}: {gap}", case.name);
    }
}

/// δ of T answers of k-ary randomised response: losses ε·j, j = (answers for) − (answers against), trinomial.
struct Response {
    epsilon: Rational,
    /// Q-mass of the loss ε·(index − times).
    masses: Vec<Float>,
    times: i64,
}

impl Response {
    fn new(epsilon: &Rational, k: u64, times: u64) -> Self {
        let odds = number(epsilon).exp();
        let total = Float::with_val(FINE, &odds + (k - 1));
        let truth = Float::with_val(FINE, &odds / &total);
        let other = Float::with_val(FINE, 1) / &total;
        let rest = Float::with_val(FINE, k - 2) / &total;
        let mut masses = vec![Float::new(FINE); 2 * times as usize + 1];
        for a in 0..=times {
            for b in 0..=times - a {
                let c = times - a - b;
                if k == 2 && c > 0 {
                    continue;
                }
                let ways = Integer::from(times).binomial(a as u32)
                    * Integer::from(times - a).binomial(b as u32);
                let power = |x: &Float, n: u64| Float::with_val(FINE, x.pow(n as u32));
                let mass = power(&truth, a) * power(&other, b) * power(&rest, c) * ways;
                masses[(times + a - b) as usize] += mass;
            }
        }
        Self {
            epsilon: epsilon.clone(),
            masses,
            times: times as i64,
        }
    }

    fn delta(&self, epsilon: &Rational) -> Float {
        let mut sum = Float::new(FINE);
        for (mass, j) in self.masses.iter().zip(-self.times..) {
            let loss = Rational::from(&self.epsilon * j);
            if loss > *epsilon {
                let gap = number(&(epsilon - loss)).exp();
                sum += (Float::with_val(FINE, 1) - gap) * mass;
            }
        }
        sum
    }
}

const RESPONSES: [((i64, i64), u64, u64); 7] = [
    ((1, 1), 3, 1),
    ((1, 1), 3, 2),
    ((1, 2), 4, 7),
    ((3, 10), 10, 5),
    ((1, 10), 3, 30),
    ((1, 1), 2, 3),
    ((1, 10), 2, 64),
];

/// At every atom and half-way between; 0 is one of them.
fn response_places(epsilon: &Rational, times: u64) -> Vec<Rational> {
    let end = 2 * times as i64 + 1;
    (-end..=end)
        .map(|j| epsilon * Rational::from((j, 2)))
        .collect()
}

/// Through the planner, with the masses themselves and with sampled profiles on lattices that miss the atoms.
#[test]
fn randomised_response() {
    for (epsilon, k, times) in RESPONSES {
        let epsilon = Rational::from(epsilon);
        let response = Response::new(&epsilon, k, times);
        let truth = |epsilon: &Rational| response.delta(epsilon);
        let law = Arc::new(randomized_response::law(&epsilon.clone().into(), k).unwrap());
        let profile = FiniteProfile::new(law);
        let lattice = FiniteLattice::new(&profile).unwrap();
        let sampled = Component {
            profile: Arc::new(profile),
            steps: times,
            anchor: Offset::rational(Rational::from((1, 7))),
            unit: None,
            losses: None,
            masses: None,
        };
        let places = (lattice.offset(), lattice.step());
        let by_masses = Component {
            masses: Some(Arc::new(lattice) as Arc<dyn LatticeLoss>),
            ..sampled.clone()
        };
        // Knots beside its losses, and where somebody believes them to be.
        let knowing = |losses| Component {
            losses: Some(losses),
            ..sampled.clone()
        };
        let beside = knowing(places);
        let misled = knowing((Rational::from((1, 3)), Rational::from((7, 5))));
        for (how, component, widest) in [
            ("by masses", by_masses, 1e-11),
            ("beside the losses", beside, 1.0),
            ("beside others", misled, 1.0),
            ("sampled", sampled, 1.0),
        ] {
            // The planner does not see the spread of a loss with two values.
            if how != "by masses" && k == 2 {
                continue;
            }
            let case = Case {
                name: format!("{times} answers of k = {k}, ε = {epsilon}, {how}"),
                component,
                truth: &truth,
                places: response_places(&epsilon, times),
            };
            for level in [5, 8] {
                let gap = case.check(1 << level, 1e-14, 1);
                assert!(gap <= widest, "{}: {gap}", case.name);
            }
        }
    }
}

/// With every atom on a knot and nothing coarsened or cut off, the laws are tight up to their own rounding: a rounding
/// the wrong way shows, however fine the unit of mass.
#[test]
fn tight_laws_are_on_their_sides() {
    for (epsilon, k, times) in RESPONSES {
        let epsilon = Rational::from(epsilon);
        let response = Response::new(&epsilon, k, times);
        let profile = FiniteProfile::new(Arc::new(
            randomized_response::law(&epsilon.clone().into(), k).unwrap(),
        ));
        let half = Lattice::new(Offset::default(), Rational::from(&epsilon / 2u32));
        let none = Schedule {
            bulk: i64::MAX,
            few_atoms: usize::MAX,
            reach: i64::MAX,
            tail: TailBudget::new(Float::new(64), LeftEnd::BothMasses),
        };
        for (bits, precision) in [(20, 60), (20, 200), (90, 120), (90, 200)] {
            let budget = Budget::unlimited();
            let sampling = Sampling {
                bits: precision,
                first_bits: precision,
                accuracy: Accuracy::Relative,
                jobs: 1,
            };
            let knots = sample_knots(
                &profile,
                &half,
                &[-3, -2, -1, 0, 1, 2, 3],
                sampling,
                &budget,
            )
            .unwrap();
            let table = CellTable::<2>::from_knots(&knots, bits).unwrap();
            let upper = discretise_upper(&half, &table).unwrap();
            let lower = discretise_lower(&half, &table).unwrap();
            let upper = power_upper(&upper, times, &none, &budget).unwrap();
            let lower = power_lower(&lower, times, &none, &budget).unwrap();
            let upper = UpperProfile::new::<2, 4>(&upper).unwrap();
            let lower = LowerProfile::new::<2, 4>(&lower).unwrap();
            let truth = |epsilon: &Rational| response.delta(epsilon);
            let places = response_places(&epsilon, times);
            let name = format!("{times} answers of k = {k}, ε = {epsilon}, {bits} bits");
            let gap = widest_gap(&name, &upper, &lower, &truth, &places);
            let most = (times as f64 * (epsilon.to_f64() * times as f64).exp()).max(1.0) * 40.0;
            assert!(gap <= most * 0.5f64.powi(bits as i32), "{name}: {gap}");
        }
    }
}

/// δ of T Laplace mechanisms with largest loss 1: a of them at the atom 1, b at −1, and k between, whose sum s has the
/// density e^{(s−k)/2}/4^k · Σ_j (−1)^j C(k, j)·(s + k − 2j)⁺^{k−1}/(k−1)!.
fn laplace_delta(times: u32, epsilon: &Rational) -> Float {
    let mut delta = Float::new(FINE);
    for a in 0..=times {
        for b in 0..=times - a {
            let k = times - a - b;
            let ways = Integer::from(times).binomial(a) * Integer::from(times - a).binomial(b);
            let atoms = (Float::with_val(FINE, -i64::from(b)).exp() * ways) >> (a + b);
            let rest = epsilon - Rational::from(i64::from(a) - i64::from(b));
            delta += atoms * between(k, &rest);
        }
    }
    delta
}

/// E[(1 − e^{x−s})⁺] over the part of k losses that are strictly between −1 and 1.
fn between(k: u32, x: &Rational) -> Float {
    let zero = Float::new(FINE);
    if k == 0 {
        return if *x < 0 {
            Float::with_val(FINE, 1) - number(x).exp()
        } else {
            zero
        };
    }
    let mut sum = zero;
    for j in 0..=k {
        // t = s + k − 2j runs from max(0, x + k − 2j) to 2(k − j).
        let shift = i64::from(k) - 2 * i64::from(j);
        let from = Rational::from(x + shift).max(Rational::new());
        let to = Rational::from(2 * i64::from(k - j));
        if from >= to {
            continue;
        }
        // e^{(s−k)/2}·(1 − e^{x−s}) with s = t − k + 2j: e^{t/2}·e^{j−k} − e^{−t/2}·e^{x−j}
        let first =
            moment(k - 1, 1, &from, &to) * Float::with_val(FINE, i64::from(j) - i64::from(k)).exp();
        let second =
            moment(k - 1, -1, &from, &to) * number(&Rational::from(x - i64::from(j))).exp();
        let term = (first - second) * Integer::from(k).binomial(j);
        if j % 2 == 0 { sum += term } else { sum -= term }
    }
    (sum / Float::with_val(FINE, Float::factorial(k - 1))) >> (2 * k)
}

/// ∫ t^n·e^{sign·t/2} dt.
fn moment(n: u32, sign: i32, from: &Rational, to: &Rational) -> Float {
    let edge = |t: &Rational| {
        let power = Float::with_val(FINE, number(t).pow(n));
        power * Float::with_val(FINE, number(t) * sign / 2u32).exp()
    };
    let whole = (edge(to) - edge(from)) * 2u32 * sign;
    match n.checked_sub(1) {
        Some(less) => whole - moment(less, sign, from, to) * n * 2u32 * sign,
        None => whole,
    }
}

#[test]
fn laplace_powers() {
    let known = laplace_delta(3, &Rational::from((29, 10)));
    assert!((known.to_f64() - 1.280_221_288_535_27e-2).abs() < 5e-17);
    for times in [2u32, 1, 3, 5, 8]
        .into_iter()
        .step_by(crate::soundness_support::every(6))
    {
        let most = i64::from(times) * 10 + 3;
        let places: Vec<Rational> = (-most..=most).map(|n| Rational::from((n, 10))).collect();
        let known: BTreeMap<&Rational, Float> = places
            .iter()
            .map(|epsilon| (epsilon, laplace_delta(times, epsilon)))
            .collect();
        let truth = |epsilon: &Rational| known[epsilon].clone();
        for unit in [Some(Rational::from(1)), None] {
            let case = Case {
                name: format!("{times} Laplace mechanisms, unit {unit:?}"),
                component: Component {
                    profile: Arc::new(Laplace::new(Rational::from(1))),
                    steps: u64::from(times),
                    anchor: Offset::default(),
                    unit,
                    losses: None,
                    masses: None,
                },
                truth: &truth,
                places: places.clone(),
            };
            let mut gap = f64::INFINITY;
            for level in [5, 7, 9] {
                gap = case.check(1 << level, 1e-14, 1);
            }
            assert!(gap < 1e-2, "{}: {gap}", case.name);
        }
    }
}

/// None of these pairs has an outcome that only one hypothesis knows, so f(0) = 1 in both directions, whatever mass the
/// rounding and trimming of a lower law has dropped; and no ε at δ > 0 is infinite.
#[test]
fn dropped_mass_is_no_mass_at_infinity() {
    let response =
        |epsilon: (i64, i64)| Mechanism::randomized_response(Rational::from(epsilon), 3).unwrap();
    let discrete = Mechanism::discrete_gaussian(Rational::from(2), 1).unwrap();
    for (name, part, times) in [
        ("discrete Gaussian", discrete, 40),
        ("randomised response, weak", response((1, 100)), 10_001),
        ("randomised response, strong", response((1, 1)), 10_001),
    ] {
        let mechanism = Mechanism::compose(vec![(part, times)]).unwrap();
        for adjacency in [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove] {
            let budget = Budget::unlimited();
            let subject = Subject::new(&mechanism, adjacency, &budget).unwrap();
            let resources = Resources {
                budget: &budget,
                jobs: 1,
                progress: &|_| (),
            };
            let goal = Goal::Width(Target::Relative(Rational::from((1, 2))));
            let ask = |query: &Query| {
                let answer = subject.answer(query, &goal, &resources);
                answer
                    .unwrap_or_else(|e| panic!("{name}, {adjacency:?}: {e}"))
                    .enclosure
            };
            let start = ask(&Query::trade_off(Rational::new()).unwrap());
            assert!(
                *start.upper() >= 1,
                "{name}, {adjacency:?}: f(0) = 1 above {start:?}"
            );
            let delta = Rational::from((1, 1_000_000_000_000_000u64));
            let epsilon = ask(&Query::epsilon(delta).unwrap());
            assert!(
                epsilon.lower().is_finite(),
                "{name}, {adjacency:?}: {epsilon:?}"
            );
        }
    }
}
