//! What follows from true facts is true when no rounding has more than a few bits.

use rug::Integer;

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::Adjacency;

fn small(random: &mut Random, below: u64) -> u32 {
    1 + u32::try_from(random.below(below)).unwrap()
}

/// Quantities of which the truth is known, with it: an ε is that of a δ which falls on both sides of it.
fn some(curve: &ExactCurve, random: &mut Random) -> Option<(Quantity, Interval)> {
    let u = Rational::from((small(random, 30), small(random, 30)));
    let part = Rational::from((u.numer().clone(), Integer::from(u.numer() + u.denom())));
    let exactly = |value: Rational| Interval::from_rational(&value, 200);
    Some(match random.below(6) {
        0 => (
            Quantity::Delta(Epsilon::log_of(u.clone()).unwrap()),
            exactly(curve.delta(&u)),
        ),
        1 => (Quantity::Advantage, exactly(curve.advantage())),
        2 => {
            let value = exactly(curve.bayes_error(&part));
            (Quantity::BayesError { prior: part }, value)
        }
        3 => {
            let value = exactly(curve.tradeoff(&part));
            (Quantity::TradeOff { alpha: part }, value)
        }
        4 => (Quantity::MinimaxRisk, exactly(curve.minimax_risk())),
        _ => {
            let near = |n: u32| curve.delta(&(u.clone() * Rational::from((n, 1000))));
            let delta = curve.delta(&u);
            if near(1001) >= delta || near(999) <= delta {
                return None;
            }
            (Quantity::Epsilon { delta }, exactly(u).ln())
        }
    })
}

#[test]
fn what_follows_at_a_few_bits() {
    let mut random = Random(7);
    let mut told = 0;
    for round in 0..3_500 {
        let size = 2 + random.below(4);
        let mut law = || -> Vec<Rational> {
            let weights: Vec<u32> = (0..size).map(|_| small(&mut random, 20)).collect();
            let total: u32 = weights.iter().sum();
            weights
                .iter()
                .map(|w| Rational::from((*w, total)))
                .collect()
        };
        let (p, q) = (law(), law());
        let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][round % 3];
        let curve = ExactCurve::new(&p, &q, adjacency);
        let known: Vec<_> = (0..4).filter_map(|_| some(&curve, &mut random)).collect();
        let asked: Vec<_> = (0..6).filter_map(|_| some(&curve, &mut random)).collect();
        let bits = 3 + u32::try_from(random.below(12)).unwrap();
        let found: Vec<Option<Enclosure>> = at_most_bits(bits, || {
            let facts = Facts::default();
            for (quantity, value) in &known {
                let found = Enclosure::from_interval(&value.at_bits(96));
                facts.learn(quantity, &found, &Method::ClosedForm).unwrap();
            }
            let about = |(quantity, _): &(Quantity, Interval)| facts.about(quantity).unwrap();
            asked.iter().map(|one| Some(about(one)?.0)).collect()
        });
        for (found, (quantity, truth)) in found.into_iter().zip(asked) {
            let Some(found) = found else { continue };
            assert!(
                found.lower() <= truth.hi() && found.upper() >= truth.lo(),
                "{bits} bits, {quantity:?}: {found:?} {truth:?} from {known:?}"
            );
            told += 1;
        }
    }
    assert!(told > 500, "{told}");
}

/// Of two facts about one place the narrower stays, and neither if neither is.
#[test]
fn wider_facts_give_way() {
    let at = |n: u32, low: f64, high: f64| {
        let [low, high] = [low, high].map(|x| Float::with_val(64, x));
        let place = Epsilon::log_of(Rational::from((n, 1u32))).unwrap();
        Fact::new(place, Interval::new(low, high).unwrap()).unwrap()
    };
    let wide = at(2, 0.25, 0.75);
    assert!(wide.delta_is_wider(&at(2, 0.25, 0.75)) && wide.delta_is_wider(&at(2, 0.5, 0.75)));
    assert!(wide.delta_is_wider(&at(2, 0.25, 0.5)));
    assert!(!wide.delta_is_wider(&at(2, 0.125, 0.5)) && !wide.delta_is_wider(&at(2, 0.5, 0.875)));
    assert!(wide.is_not_after(&wide) && wide.is_not_after(&at(3, 0.0, 1.0)));
    assert!(!at(3, 0.0, 1.0).is_not_after(&wide));
    // Places of which it is not known which one is first.
    let near = at_most_bits(3, || {
        let place = |n| Epsilon::from(Rational::from((n, 1000)));
        let delta = || Interval::zero(64);
        [1000, 1001].map(|n| Fact::new(place(n), delta()).unwrap())
    });
    assert!(!near[0].is_not_after(&near[1]) && !near[1].is_not_after(&near[0]));
    // Where e^ε is beyond all floats nothing is kept.
    let far = Epsilon::from(Rational::from(Integer::from(1) << 40u32));
    assert!(Fact::new(far, Interval::zero(64)).is_none());
}

/// δ is 1/4 from log 2 on, so that this is the ε of 1/4, whatever place further right is known.
#[test]
fn a_level_that_is_kept() {
    let number = |n: u32, d: u32| Rational::from((n, d));
    let facts = Facts::default();
    let at = Quantity::Delta(Epsilon::log_of(number(3, 1)).unwrap());
    let quarter = Enclosure::exactly(number(1, 4), 96);
    facts.learn(&at, &quarter, &Method::ClosedForm).unwrap();
    let asked = |delta| {
        facts
            .about(&Quantity::Epsilon { delta })
            .unwrap()
            .unwrap()
            .0
    };
    let found = asked(number(1, 4));
    assert!(*found.lower() < 0.69 && *found.upper() < 1.1 && *found.upper() > 1.09);
    let found = asked(number(1, 5));
    assert!(*found.lower() > 1.09 && found.upper().is_infinite());
}

/// Random widths, often with equal ends.
#[test]
fn random_facts_give_way() {
    let mut random = crate::kernel::coarse::Random(71);
    let mut wider = 0;
    for _ in 0..9_500 {
        let mut fact = || {
            let [a, b] = [random.below(6), random.below(6)];
            let at = |n: u64| Float::with_val(64, n) >> 3u32;
            let place = Epsilon::log_of(Rational::from(2)).unwrap();
            let delta = Interval::spanning(at(a.min(b)), at(a.max(b)));
            (Fact::new(place, delta).unwrap(), a.min(b), a.max(b))
        };
        let ((one, a, b), (other, c, d)) = (fact(), fact());
        assert_eq!(
            one.delta_is_wider(&other),
            a <= c && b >= d,
            "{a} {b}, {c} {d}"
        );
        wider += u32::from(a <= c && b >= d);
    }
    assert!(wider > 1_000, "{wider}");
}
