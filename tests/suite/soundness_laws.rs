//! The law engine on finite pairs, whose compositions are known exactly; coarse lattices, so that every error it makes
//! is large, and both directions.
//!
//! `DPCMP_TEST_SCALE` multiplies the number of random cases.

use std::sync::Arc;

use crate::soundness_support::curve::Polygon;
use crate::soundness_support::pair::Pair;
use crate::soundness_support::{
    cases, encloses, encloses_real, fraction, log_bounds, probit, to_rug, widened,
};
use dpcmp::bounds::{self, Effort, Enclosure, GdpForm, LossRange, Target, TwoSided};
use dpcmp::composition::{Component, TwoOrders, compose};
use dpcmp::kernel::{Accuracy, Budget, Interval, InvariantViolation, Point, Profile};
use dpcmp::law::{
    CellTable, Knots, Lattice, LeftEnd, LowerLaw, LowerProfile, Offset, Sampling, Schedule,
    TailBudget, UpperLaw, UpperProfile, discretise_lower, discretise_upper, power_lower,
    power_upper, sample_knots,
};
use dpcmp::mechanism::Orders;
use dpcmp::mechanism::finite::FiniteProfile;
use dpcmp::mechanism::symmetrised::Symmetrised;
use dpcmp::mechanism::{Adjacency, Epsilon, finite_pair};
use dpcmp::plan::{Demand, Directions, Units, shapes};
use num_rational::BigRational;
use num_traits::{One, Zero};
use proptest::prelude::*;
use rug::{Float, Rational};

fn profile(pair: &Pair) -> Arc<dyn Profile> {
    let vector = |x: &[BigRational]| x.iter().map(to_rug).collect::<Vec<Rational>>();
    let law = finite_pair::law(&vector(&pair.p), &vector(&pair.q)).unwrap();
    Arc::new(FiniteProfile::new(Arc::new(law)))
}

/// Pairs with at least one finite loss; mass under one hypothesis only is frequent.
fn pair() -> impl Strategy<Value = Pair> {
    let weight = || prop_oneof![2 => Just(0u32), 6 => 1u32..8, 1 => 100u32..1000];
    let weights = move |n| proptest::collection::vec(weight(), n);
    (2usize..=4)
        .prop_flat_map(move |n| (weights(n), weights(n)))
        .prop_filter_map("no common outcome", |(p, q)| {
            let shared = p.iter().zip(&q).any(|(a, b)| *a > 0 && *b > 0);
            shared.then(|| Pair::from_weights(&p, &q))
        })
}

/// Where index 0 of a lattice sits: on a rational, or on a loss of the pair, which is the logarithm of one.
fn anchor(pair: &Pair, choice: usize) -> Offset {
    let ratios = pair.ratios();
    match choice {
        0 => Offset::default(),
        1 => Offset::rational(Rational::from((1, 7))),
        _ => Offset::logarithm(to_rug(&ratios[choice % ratios.len()])),
    }
}

/// Σ (q − e^ε·p)⁺ with an error far below anything a law resolves.
fn delta_at(pair: &Pair, epsilon: &Rational) -> (Float, Float) {
    const BITS: u32 = 500;
    let u = Float::with_val(BITS, epsilon).exp();
    let gains =
        pair.p.iter().zip(&pair.q).map(|(p, q)| {
            Float::with_val(BITS, &to_rug(q)) - Float::with_val(BITS, &to_rug(p)) * &u
        });
    let sum = gains
        .filter(|gain| *gain > 0)
        .fold(Float::new(BITS), |sum, gain| sum + gain);
    let error = Float::with_val(BITS, &u + 1u32) >> 460u32;
    (Float::with_val(BITS, &sum - &error), sum + error)
}

/// The lower profile below and the upper profile above the truth: at every ratio of the product, between them, beyond
/// them, and at the given rational ε; in both directions.
fn check(
    upper: &dyn Profile,
    lower: &dyn Profile,
    truth: &Pair,
    losses: &[Rational],
) -> Result<(), TestCaseError> {
    let (swapped_upper, swapped_lower) = (upper.swapped(), lower.swapped());
    let directions: [(&dyn Profile, &dyn Profile, Pair); 2] = [
        (upper, lower, truth.clone()),
        (&*swapped_upper, &*swapped_lower, truth.swapped()),
    ];
    for (turn, (upper, lower, truth)) in directions.into_iter().enumerate() {
        for u in truth.places(60) {
            let point = Point::at_exp_epsilon(&to_rug(&u), 200);
            let delta = to_rug(&truth.delta(&u));
            let (above, below) = (upper.at(&point).delta, lower.at(&point).delta);
            prop_assert!(
                *above.hi() >= delta,
                "direction {turn}, u = {u}: δ = {delta} above {above:?}"
            );
            prop_assert!(
                *below.lo() <= delta,
                "direction {turn}, u = {u}: δ = {delta} below {below:?}"
            );
        }
        for epsilon in losses {
            let epsilon = if turn == 0 {
                epsilon.clone()
            } else {
                Rational::from(-epsilon)
            };
            let point = Point::at_epsilon(&epsilon, 200);
            let (low, high) = delta_at(&truth, &epsilon);
            let (above, below) = (upper.at(&point).delta, lower.at(&point).delta);
            prop_assert!(
                *above.hi() >= low,
                "direction {turn}, ε = {epsilon}: δ = {low} above {above:?}"
            );
            prop_assert!(
                *below.lo() <= high,
                "direction {turn}, ε = {epsilon}: δ = {high} below {below:?}"
            );
        }
        let mass = to_rug(&truth.infinite_mass());
        prop_assert!(
            *upper.infinite_mass(200).hi() >= mass,
            "direction {turn}: {mass} at infinity"
        );
        prop_assert!(
            *lower.infinite_mass(200).lo() <= mass,
            "direction {turn}: {mass} at infinity"
        );
    }
    Ok(())
}

fn indices(start: i64, gaps: &[u8]) -> Vec<i64> {
    let mut at = start;
    let rest = gaps.iter().map(|gap| {
        at += i64::from(*gap);
        at
    });
    std::iter::once(start).chain(rest).collect()
}

fn steps() -> impl Strategy<Value = Rational> {
    prop_oneof![
        Just((1, 20)),
        Just((1, 8)),
        Just((3, 10)),
        Just((1, 2)),
        Just((1, 1)),
        Just((5, 2))
    ]
    .prop_map(Rational::from)
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let bulk = prop_oneof![Just(1i64), Just(4), Just(16), Just(1000)];
    let tail = prop_oneof![Just(0.0), Just(1e-6), Just(0.02), Just(0.3)];
    let few_atoms = prop_oneof![3 => Just(0usize), 1 => Just(12), 1 => Just(1000)];
    let reach = prop_oneof![Just(1i64), Just(3), Just(8), Just(1000)];
    (bulk, tail, few_atoms, reach).prop_map(|(bulk, tail, few_atoms, reach)| Schedule {
        bulk,
        few_atoms,
        reach,
        tail: TailBudget::new(Float::with_val(64, tail), LeftEnd::BothMasses),
    })
}

fn laws(lattice: &Lattice, knots: &Knots, bits: u32) -> (UpperLaw<2>, LowerLaw<2>) {
    let table = CellTable::from_knots(knots, bits).unwrap();
    let upper = discretise_upper(lattice, &table).unwrap();
    (upper, discretise_lower(lattice, &table).unwrap())
}

fn profiles((upper, lower): &(UpperLaw<2>, LowerLaw<2>)) -> (UpperProfile, LowerProfile) {
    let upper = UpperProfile::new::<2, 4>(upper).unwrap();
    (upper, LowerProfile::new::<2, 4>(lower).unwrap())
}

fn losses(law: &UpperLaw<2>) -> Vec<Rational> {
    let shells = law.shells().iter().enumerate();
    let indices = shells.flat_map(|(s, row)| row.atoms().map(move |(index, _)| index << s));
    let places = indices.step_by(7);
    places
        .filter_map(|index| law.lattice().exact_position(index))
        .collect()
}

proptest! {
    #![proptest_config(cases(40))]

    /// Sampling, discretising and powering with no planner between: any lattice, range, gaps, bits and schedule are sound.
    #[test]
    fn any_lattice_is_sound(
        pair in pair(),
        step in steps(),
        anchored in 0usize..5,
        start in -30i64..3,
        gaps in proptest::collection::vec(1u8..4, 1..40),
        bits in prop_oneof![Just(4u32), Just(12), Just(40), Just(96)],
        precision in prop_oneof![Just(60u32), Just(160)],
        steps in 1u64..=5,
        schedule in schedule(),
    ) {
        let lattice = Lattice::new(anchor(&pair, anchored), step.clone());
        let sampling = Sampling { bits: precision, first_bits: precision / 2, accuracy: Accuracy::Relative, jobs: 1 };
        let budget = Budget::unlimited();
        let indices = indices(start, &gaps);
        let knots = sample_knots(&*profile(&pair), &lattice, &indices, sampling, &budget).unwrap();
        let base = laws(&lattice, &knots, bits);
        let steps = if pair.len() == 4 { steps.min(3) } else { steps };
        let places: Vec<Rational> = indices
            .iter()
            .step_by(3)
            .filter_map(|i| lattice.exact_position(*i))
            .collect();
        let (above, below) = profiles(&base);
        check(&above, &below, &pair, &places)?;
        let upper = power_upper(&base.0, steps, &schedule, &budget).unwrap();
        let lower = power_lower(&base.1, steps, &schedule, &budget).unwrap();
        let places = losses(&upper);
        let (above, below) = profiles(&(upper, lower));
        check(&above, &below, &pair.power(steps), &places)?;
    }
}

proptest! {
    #![proptest_config(cases(20))]

    /// What the base laws are made from may be known as badly as one likes, to either side.
    #[test]
    fn wide_enclosures_of_knots_are_sound(
        pair in pair(),
        step in steps(),
        start in -20i64..3,
        gaps in proptest::collection::vec(1u8..4, 1..20),
        widths in proptest::collection::vec((0u32..8, 0u32..8), 64),
        shift in 4u32..40,
        bits in prop_oneof![Just(20u32), Just(90)],
    ) {
        let lattice = Lattice::new(anchor(&pair, 0), step);
        let sampling = Sampling { bits: 200, first_bits: 90, accuracy: Accuracy::Relative, jobs: 1 };
        let budget = Budget::unlimited();
        let indices = indices(start, &gaps);
        let mut knots = sample_knots(&*profile(&pair), &lattice, &indices, sampling, &budget).unwrap();
        let mut widths = widths.into_iter().cycle();
        let mut widen = |x: &mut Interval| {
            // Wide to one side, wide to the other, or exact.
            let (down, up) = widths.next().unwrap();
            let kept = |n: u32| if n > 4 { 0 } else { n };
            *x = widened(x, (kept(down), kept(up)), shift).at_least_zero();
        };
        for knot in &mut knots.values {
            widen(&mut knot.delta);
            widen(&mut knot.null_tail);
            widen(&mut knot.exp);
        }
        widen(&mut knots.infinite_mass);
        let (upper, lower) = profiles(&laws(&lattice, &knots, bits));
        let losses: Vec<Rational> = indices.iter().filter_map(|i| lattice.exact_position(*i)).collect();
        check(&upper, &lower, &pair, &losses)?;
    }

    /// A point known to lie somewhere in a stretch of losses: its enclosure holds for every point of the stretch.
    #[test]
    fn wide_points_contain_narrow_ones(
        pair in pair(),
        step in steps(),
        start in -20i64..3,
        gaps in proptest::collection::vec(1u8..4, 1..20),
        from in -60i64..60,
        length in 1i64..40,
    ) {
        let lattice = Lattice::new(anchor(&pair, 1), step.clone());
        let sampling = Sampling { bits: 150, first_bits: 150, accuracy: Accuracy::Relative, jobs: 1 };
        let budget = Budget::unlimited();
        let knots = sample_knots(&*profile(&pair), &lattice, &indices(start, &gaps), sampling, &budget).unwrap();
        let (upper, lower) = profiles(&laws(&lattice, &knots, 80));
        let at = |n: i64| &step * Rational::from((n, 5));
        let (first, last) = (at(from), at(from + length));
        let log = Interval::from_rational(&first, 150).hull(&Interval::from_rational(&last, 150));
        let sides: [Arc<dyn Profile>; 4] =
            [Arc::new(upper.clone()), upper.swapped(), Arc::new(lower.clone()), lower.swapped()];
        for side in sides {
            let wide = side.at(&Point::at_log(log.clone()));
            for n in from..=from + length {
                let narrow = side.at(&Point::at_epsilon(&at(n), 150));
                prop_assert!(wide.delta.intersect(&narrow.delta).is_ok(), "{n}: {wide:?} {narrow:?}");
            }
        }
    }
}

fn parts() -> impl Strategy<Value = Vec<(Pair, u64, usize)>> {
    // The planner wants a spread: it does not see that of one or two losses.
    let spread = pair().prop_filter("at most two losses", |pair| pair.ratios().len() > 2);
    proptest::collection::vec((spread, 1u64..=5, 0usize..4), 1..=3).prop_map(|mut parts| {
        let size = |parts: &[(Pair, u64, usize)]| -> usize {
            let sizes = parts
                .iter()
                .map(|(pair, steps, _)| pair.len().pow(*steps as u32));
            sizes.product()
        };
        while size(&parts) > 250 {
            match parts.iter_mut().max_by_key(|part| part.1) {
                Some(part) if part.1 > 1 => part.1 -= 1,
                _ => {
                    parts.pop();
                }
            }
        }
        parts
    })
}

fn composed(
    parts: &[(Pair, u64, usize)],
    cells: u64,
    tail: f64,
    orders: Directions,
) -> (Arc<dyn Profile>, Arc<dyn Profile>) {
    let components: Vec<Component> = parts
        .iter()
        .map(|(pair, steps, anchored)| Component {
            profile: profile(pair),
            steps: *steps,
            anchor: anchor(pair, *anchored),
            unit: None,
            losses: None,
            masses: None,
        })
        .collect();
    let demand = Demand {
        cells,
        tail,
        units: Units::Usual,
        ..Demand::glance(1)
    };
    let compose = |components: &[Component]| {
        let profiles = components.iter().map(|c| (&*c.profile, c.steps));
        let shapes = shapes(profiles, demand, &Budget::unlimited()).unwrap();
        compose(components, &shapes, demand, orders, &Budget::unlimited()).unwrap()
    };
    let stated = compose(&components);
    if orders == Directions::Both {
        return (stated.upper, stated.lower);
    }
    let swapped: Vec<Component> = components.iter().map(Component::swapped).collect();
    let swapped = compose(&swapped);
    (
        Arc::new(TwoOrders::new(stated.upper, swapped.upper)),
        Arc::new(TwoOrders::new(stated.lower, swapped.lower)),
    )
}

fn product(parts: &[(Pair, u64, usize)]) -> Pair {
    parts
        .iter()
        .fold(Pair::nothing(), |product, (pair, steps, _)| {
            product.product(&pair.power(*steps))
        })
}

proptest! {
    #![proptest_config(cases(8))]

    /// The whole engine with its planner, from absurdly coarse to coarse; unequal parts on lattices of their own.
    #[test]
    fn planned_compositions_are_sound(
        parts in parts(),
        level in 5u32..=9,
        tail in prop_oneof![Just(1e-13), Just(1e-4), Just(0.05)],
    ) {
        let losses: Vec<Rational> = (-12..=12).map(|n| Rational::from((n, 3))).collect();
        for orders in [Directions::Both, Directions::One] {
            let (upper, lower) = composed(&parts, 1 << level, tail, orders);
            check(&*upper, &*lower, &product(&parts), &losses)?;
        }
    }

    /// Every query on top of coarse laws encloses the exact value, under every adjacency.
    #[test]
    fn queries_on_coarse_laws(
        parts in parts(),
        level in 5u32..=8,
        alpha in (0i64..=40).prop_map(|n| fraction(n, 40)),
        delta in prop_oneof![3 => (0i64..40).prop_map(|n| fraction(n, 40)), 1 => Just(fraction(1, 1_000_000))],
        u in (1i64..60, 1i64..12).prop_map(|(n, d)| fraction(n, d)),
    ) {
        let (upper, lower) = composed(&parts, 1 << level, 1e-9, Directions::Both);
        let truth = product(&parts);
        for adjacency in [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove] {
            let orient = |profile: &Arc<dyn Profile>| match adjacency.orders() {
                Orders::Remove => profile.clone(),
                Orders::Add => profile.swapped(),
                Orders::Both => Arc::new(Symmetrised::new(profile.clone())) as Arc<dyn Profile>,
            };
            let sides = TwoSided::between(orient(&upper), orient(&lower), LossRange::default());
            queries(&sides, &truth, adjacency, &alpha, &delta, &u)?;
        }
    }
}

fn with_effort(query: impl Fn(&Effort) -> Result<Enclosure, InvariantViolation>) -> Enclosure {
    let (target, budget) = (
        Target::Relative(Rational::from((1, 100_000_000))),
        Budget::unlimited(),
    );
    let effort = Effort {
        bits: 160,
        target: &target,
        goal: None,
        budget: &budget,
    };
    query(&effort).unwrap()
}

fn queries(
    sides: &TwoSided,
    pair: &Pair,
    adjacency: Adjacency,
    alpha: &BigRational,
    delta: &BigRational,
    u: &BigRational,
) -> Result<(), TestCaseError> {
    let polygon = Polygon::new(pair, adjacency);
    let pairs = match adjacency.orders() {
        Orders::Remove => vec![pair.clone()],
        Orders::Add => vec![pair.swapped()],
        Orders::Both => vec![pair.clone(), pair.swapped()],
    };
    let found = with_effort(|e| bounds::delta(sides, &Epsilon::log_of(to_rug(u)).unwrap(), e));
    let truth = pairs.iter().map(|pair| pair.delta(u)).max().unwrap();
    prop_assert!(
        encloses(&found, &truth),
        "{adjacency:?} δ({u}) = {truth} {found:?}"
    );
    let found = with_effort(|e| bounds::advantage(sides, e));
    let truth = pairs[0].advantage();
    prop_assert!(
        encloses(&found, &truth),
        "{adjacency:?} advantage {truth} {found:?}"
    );
    let found = with_effort(|e| bounds::tradeoff(sides, &to_rug(alpha), e));
    let truth = polygon.tradeoff(alpha);
    prop_assert!(
        encloses(&found, &truth),
        "{adjacency:?} f({alpha}) = {truth} {found:?}"
    );
    let found = with_effort(|e| bounds::bayes_error(sides, &to_rug(alpha), e));
    let truth = pairs
        .iter()
        .map(|pair| pair.bayes_error(alpha))
        .min()
        .unwrap();
    prop_assert!(
        encloses(&found, &truth),
        "{adjacency:?} R({alpha}) = {truth} {found:?}"
    );
    let found = with_effort(|e| bounds::minimax_risk(sides, e));
    let truth = polygon.fixed_point();
    prop_assert!(
        encloses(&found, &truth),
        "{adjacency:?} R* = {truth} {found:?}"
    );
    let found = with_effort(|e| bounds::epsilon(sides, &to_rug(delta), e));
    let odds: Option<Vec<BigRational>> = pairs.iter().map(|pair| pair.least_odds(delta)).collect();
    match odds.and_then(|odds| odds.into_iter().max()) {
        Some(u) => {
            let (low, high) = log_bounds(&u);
            prop_assert!(
                encloses_real(&found, &low, &high),
                "{adjacency:?} ε({delta}) = log {u} {found:?}"
            );
        }
        None => prop_assert!(
            found.upper().is_infinite() && *found.upper() > 0,
            "{adjacency:?} ε({delta}) {found:?}"
        ),
    }
    if pair.len() <= 30 && !alpha.is_zero() && *alpha < BigRational::one() {
        let level = alpha / num_bigint::BigInt::from(1000);
        for (form, truth) in [
            (
                GdpForm::Tolerance(to_rug(&level)),
                probit::mu_with_tolerance(&polygon, &level),
            ),
            (
                GdpForm::ErrorFloor(to_rug(&level)),
                probit::mu_above_floor(&polygon, &level),
            ),
        ] {
            let found = with_effort(|e| Ok(bounds::gdp_mu(sides, &form, e)?.mu));
            let low = Float::with_val(600, &truth - probit::ERROR);
            let high = Float::with_val(600, &truth + probit::ERROR);
            prop_assert!(
                encloses_real(&found, &low, &high),
                "{adjacency:?} {form:?} {truth:.30} {found:?}"
            );
        }
    }
    Ok(())
}
