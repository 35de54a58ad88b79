//! The Δ-divergence of finite pairs, plain and weighted, against exact values; and of pairs known loosely.

use std::sync::Arc;

use proptest::prelude::*;
use rug::Rational;

use super::tests::{plain, weighted};
use super::*;
use crate::bounds::LossRange;
use crate::bounds::exact::ExactCurve;
use crate::bounds::exact_divergence;
use crate::bounds::testing::{
    Blurred, Finite, blur, contains, finite_pair, meets, power_of_ten, surrounded,
};
use crate::kernel::Budget;
use crate::mechanism::symmetrised::Symmetrised;
use crate::mechanism::{Adjacency, Orders};
use crate::mechanism::{Prior, PriorShape};

fn adjacency() -> impl Strategy<Value = Adjacency> {
    prop_oneof![
        Just(Adjacency::Remove),
        Just(Adjacency::Add),
        Just(Adjacency::AddRemove)
    ]
}

fn oriented(sides: &TwoSided, adjacency: Adjacency) -> TwoSided {
    let turn = |profile: &Arc<dyn crate::kernel::Profile>| match adjacency.orders() {
        Orders::Remove => profile.clone(),
        Orders::Add => profile.swapped(),
        Orders::Both => Arc::new(Symmetrised::new(profile.clone())),
    };
    if sides.is_closed_form() {
        TwoSided::closed_form(turn(&sides.upper))
    } else {
        let range = LossRange::default();
        TwoSided::between(turn(&sides.upper), turn(&sides.lower), range)
    }
}

fn curve(pair: &Finite, adjacency: Adjacency) -> ExactCurve {
    ExactCurve::new(&pair.p, &pair.q, adjacency)
}

/// The same pair with a trillionth of the mass of Q moved from one outcome to another.
fn nudged(pair: &Finite) -> Finite {
    let mut nudged = pair.clone();
    let last = nudged.q.len() - 1;
    let most = nudged.q[0].clone().min(Rational::from(1 - &nudged.q[last]));
    let moved = most * power_of_ten(12);
    nudged.q[0] -= &moved;
    nudged.q[last] += &moved;
    nudged
}

fn another(first: Finite) -> impl Strategy<Value = (Finite, Finite)> {
    let near = nudged(&first);
    (
        Just(first),
        prop_oneof![4 => finite_pair(), 1 => Just(near)],
    )
}

/// Priors between which both Bayes errors are linear.
fn breaks(pairs: &[&Finite], adjacency: Adjacency) -> Vec<Rational> {
    let mut breaks = vec![Rational::new(), Rational::from(1)];
    for pair in pairs {
        for (p, q) in pair.p.iter().zip(&pair.q) {
            let sum = Rational::from(p + q);
            if sum != 0 {
                breaks.push(Rational::from(q / &sum));
                breaks.push(Rational::from(p / &sum));
            }
        }
    }
    breaks.sort();
    breaks.dedup();
    if adjacency == Adjacency::AddRemove {
        let ends = breaks.clone();
        for pair in pairs {
            let (one, other) = (curve(pair, Adjacency::Remove), curve(pair, Adjacency::Add));
            breaks.extend(zeros(&ends, |at| {
                one.bayes_error(at) - other.bayes_error(at)
            }));
        }
        breaks.sort();
        breaks.dedup();
    }
    breaks
}

/// Where a function that is linear between the breaks is 0, as far as it is not 0 all along.
fn zeros(breaks: &[Rational], value: impl Fn(&Rational) -> Rational) -> Vec<Rational> {
    let mut zeros = Vec::new();
    for ends in breaks.windows(2) {
        let (left, right) = (value(&ends[0]), value(&ends[1]));
        if (left < 0 && right > 0) || (left > 0 && right < 0) {
            let share = &left / Rational::from(&left - &right);
            zeros.push(&ends[0] + share * Rational::from(&ends[1] - &ends[0]));
        }
        if right == 0 && ends[1] != 1 {
            zeros.push(ends[1].clone());
        }
    }
    zeros
}

/// The largest Ψ·gap over priors, for a gap that is linear between the breaks and a density that is linear there
/// too (kinks at breaks) or 12(π − ½)²: attained at a break or where the derivative vanishes.
fn largest(breaks: &[Rational], prior: &Prior, gap: impl Fn(&Rational) -> Rational) -> Rational {
    let mut most = Rational::new();
    for ends in breaks.windows(2) {
        let (x, z) = (&ends[0], &ends[1]);
        let width = Rational::from(z - x);
        let at = |value: &Rational, slope: &Rational, place: &Rational| {
            value + slope * Rational::from(place - x)
        };
        let (g, end) = (gap(x), gap(z));
        let rise = Rational::from(&end - &g) / &width;
        let (value, slope) = match prior.shape() {
            PriorShape::Table(points) => {
                let inside = points
                    .windows(2)
                    .find(|pair| pair[0].0 <= *x && *z <= pair[1].0);
                let Some(pair) = inside else { continue };
                let slope = Rational::from(&pair[1].1 - &pair[0].1)
                    / Rational::from(&pair[1].0 - &pair[0].0);
                let from = Rational::from(x - &pair[0].0);
                (&pair[0].1 + from * &slope, slope)
            }
            PriorShape::UQuadratic => (Rational::new(), Rational::new()),
            _ => (Rational::from(1), Rational::new()),
        };
        let half = Rational::from((1, 2));
        let is_quadratic = *prior == Prior::u_quadratic();
        let product = |place: &Rational| {
            let density = if is_quadratic {
                12 * Rational::from(place - &half).square()
            } else {
                at(&value, &slope, place)
            };
            density * at(&g, &rise, place)
        };
        let mut places = vec![x.clone(), z.clone()];
        if is_quadratic && rise != 0 {
            // 2(g + r(π − x)) + r(π − ½) = 0.
            let level = Rational::from(&rise * x) - &g;
            places.push((level * 2 + Rational::from(&rise * &half)) / Rational::from(&rise * 3));
        } else if slope != 0 && rise != 0 {
            let sum = Rational::from(&value * &rise) + Rational::from(&slope * &g);
            places.push(x - sum / (Rational::from(&slope * &rise) * 2));
        }
        for place in places.iter().filter(|place| *place >= x && *place <= z) {
            most = most.max(product(place));
        }
    }
    most
}

/// Tables that do not cover [0, 1] and jump at their ends, steep ones, and 12(π − ½)².
fn density() -> impl Strategy<Value = Prior> {
    let points = prop::collection::btree_map(0u32..=24, 0u32..9, 2..5).prop_map(|points| {
        let point = |(at, value): (u32, u32)| (Rational::from((at, 24)), Rational::from(value));
        Prior::table(points.into_iter().map(point).collect()).unwrap()
    });
    prop_oneof![3 => points, 1 => Just(Prior::u_quadratic())]
}

/// Is the enclosure as narrow as asked, or as narrow as the search cares about?
fn is_narrow(found: &Divergence, digits: u32) -> bool {
    meets(&found.value, digits) || found.value.width_up() <= power_of_ten(20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(10)))]

    #[test]
    fn finite_pairs(
        (a, b) in finite_pair().prop_flat_map(another),
        (first, second) in (adjacency(), adjacency()),
    ) {
        let exact = exact_divergence::divergence(&curve(&a, first), &curve(&b, second)).unwrap();
        let found = plain(&oriented(&a.sides(), first), &oriented(&b.sides(), second));
        prop_assert!(contains(&found.value, &exact.value) && is_narrow(&found, 12), "{exact:?} {found:?}");
        // What the lower bound claims can be seen at its prior.
        match &found.peak {
            None => prop_assert!(*found.value.lower() == 0),
            Some(peak) => {
                let prior = peak.prior.middle().to_rational().unwrap();
                let gap = curve(&a, first).bayes_error(&prior) - curve(&b, second).bayes_error(&prior);
                let blur = peak.prior.width_up().to_rational().unwrap() * 2u32;
                prop_assert!(*found.value.lower() <= gap + blur, "{peak:?}");
            }
        }
    }

    #[test]
    fn equal_curves_diverge_by_nothing(pair in finite_pair(), side in adjacency()) {
        let mut split = pair.clone();
        let halves = |v: &mut Vec<Rational>| {
            v[0] /= 2u32;
            v.push(v[0].clone());
        };
        halves(&mut split.p);
        halves(&mut split.q);
        let found = plain(&oriented(&pair.sides(), side), &oriented(&split.sides(), side));
        prop_assert!(*found.value.lower() == 0 && is_narrow(&found, 12), "{found:?}");
    }

    #[test]
    fn weighted_finite_pairs(
        (a, b) in finite_pair().prop_flat_map(another),
        side in adjacency(),
        density in density(),
    ) {
        let (one, other) = (curve(&a, side), curve(&b, side));
        let mut places = breaks(&[&a, &b], side);
        places.extend(density.kinks());
        places.sort();
        places.dedup();
        let truth = largest(&places, &density, |at| one.bayes_error(at) - other.bayes_error(at));
        let found = weighted(&oriented(&a.sides(), side), &oriented(&b.sides(), side), &density, 8);
        prop_assert!(contains(&found.value, &truth) && is_narrow(&found, 8), "{} {found:?}", truth.to_f64());
    }

    #[test]
    fn crossings_of_finite_pairs(a in finite_pair(), b in finite_pair(), side in adjacency()) {
        let (one, other) = (curve(&a, side), curve(&b, side));
        let zeros = zeros(&breaks(&[&a, &b], side), |at| one.bayes_error(at) - other.bayes_error(at));
        let (first, second) = (oriented(&a.sides(), side), oriented(&b.sides(), side));
        let found = crossings(&first, &second, &overview(128), 128, &Budget::unlimited()).unwrap();
        prop_assert!(found.len() <= zeros.len());
        for crossing in &found {
            let odds = crossing.exp();
            let inside = zeros.iter().any(|at| {
                let at = at / Rational::from(1 - at);
                odds.contains(&at)
            });
            prop_assert!(inside, "{crossing:?} {zeros:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(3)))]

    /// Profiles known between two others only: the truth is inside, and so is what the ends alone would give.
    #[test]
    fn pairs_known_from_both_sides(
        (a, wide_a) in surrounded(),
        (b, wide_b) in surrounded(),
        (first, second) in (adjacency(), adjacency()),
        density in density(),
    ) {
        let exact = exact_divergence::divergence(&curve(&a, first), &curve(&b, second)).unwrap();
        let (one, other) = (oriented(&wide_a, first), oriented(&wide_b, second));
        let found = plain(&one, &other);
        prop_assert!(contains(&found.value, &exact.value), "{exact:?} {found:?}");
        // Nothing is lost either: the two ends are those of the extreme members.
        let most = plain(
            &TwoSided::closed_form(one.lower.clone()),
            &TwoSided::closed_form(other.upper.clone()),
        );
        prop_assert!(*found.value.upper() <= most.value.upper().clone() + power_of_ten(11));
        prop_assert!(*found.value.upper() >= *most.value.lower());
        let closed = weighted(&oriented(&a.sides(), first), &oriented(&b.sides(), second), &density, 6);
        let found = weighted(&one, &other, &density, 6);
        prop_assert!(found.value.intersect(&closed.value).is_ok(), "{closed:?} {found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(8)))]

    /// However little an evaluation tells, the enclosure holds. Few nodes are enough to see where it does not.
    #[test]
    fn wide_evaluations(
        (a, b) in finite_pair().prop_flat_map(another),
        (first, second) in (adjacency(), adjacency()),
        blurs in (blur(), blur(), blur(), blur()),
    ) {
        let exact = exact_divergence::divergence(&curve(&a, first), &curve(&b, second)).unwrap();
        let wide = |pair: Finite, delta, null_tail| {
            TwoSided::closed_form(Arc::new(Blurred { pair, delta, null_tail }))
        };
        let one = oriented(&wide(a, blurs.0, blurs.1), first);
        let other = oriented(&wide(b, blurs.2, blurs.3), second);
        let found = weighted(&one, &other, &Prior::uniform(), 2);
        prop_assert!(contains(&found.value, &exact.value), "{exact:?} {found:?}");
    }
}

/// One half of the priors stands for both only where all that is known is the same in both.
#[test]
fn a_range_of_one_direction_is_not_symmetric() {
    let pair = Finite::new(&[(1, 4), (3, 4)], &[(1, 2), (1, 2)]);
    let both: Arc<dyn crate::kernel::Profile> = Arc::new(Symmetrised::new(pair.sides().upper));
    let with = |range: LossRange| TwoSided::between(both.clone(), both.clone(), range);
    let end = |n: i64| Some(crate::kernel::Interval::from_i64(n, 64));
    let is_symmetric = |second: &TwoSided, weight: &Prior| {
        let first = with(LossRange::default());
        Contest::new(&first, second, weight, &[]).is_symmetric()
    };
    let (uniform, whole) = (Prior::uniform(), with(LossRange::default()));
    assert!(is_symmetric(&whole, &uniform));
    let (max, min) = (end(1), end(-1));
    assert!(is_symmetric(
        &with(LossRange {
            max: max.clone(),
            min: min.clone()
        }),
        &uniform
    ));
    let one_way = [(max.clone(), None), (None, min), (max, end(-2))];
    for (max, min) in one_way {
        assert!(!is_symmetric(&with(LossRange { max, min }), &uniform));
    }
    assert!(!is_symmetric(&pair.sides(), &uniform));
    assert!(!is_symmetric(&whole, &Prior::u_quadratic()));
}

/// A crossing is narrowed to what the precision allows.
#[test]
fn crossings_are_narrow() {
    let response = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]).sides();
    let leaky = Finite::new(&[(2, 5), (0, 1), (3, 5)], &[(0, 1), (2, 5), (3, 5)]).sides();
    let found = crossings(&response, &leaky, &overview(128), 128, &Budget::unlimited()).unwrap();
    assert_eq!(found.len(), 2);
    // ¾ − u/4 = 2/5.
    for (crossing, truth) in found.iter().zip([-(1.4f64.ln()), 1.4f64.ln()]) {
        assert!(crossing.width_up() < 1e-15, "{crossing:?}");
        assert!(
            (crossing.lo().to_f64() - truth).abs() < 1e-12,
            "{crossing:?}"
        );
    }
}
