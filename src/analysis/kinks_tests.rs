//! Crossings of finite laws when numbers have a few bits: what is said to be one is one, and all are said to be known only where they are.

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::bounds::exact_divergence::profile_crossings;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::{Adjacency, Direction, finite_pair::law};

fn pair(random: &mut Random) -> [Vec<Rational>; 2] {
    let size = 2 + random.below(4);
    [(); 2].map(|()| {
        let weights: Vec<u64> = (0..size).map(|_| 1 + random.below(20)).collect();
        let total: u64 = weights.iter().sum();
        weights
            .iter()
            .map(|w| Rational::from((*w, total)))
            .collect()
    })
}

fn profiles(of: &[Vec<Rational>; 2], directions: &[Direction]) -> Vec<FiniteProfile> {
    let law = std::sync::Arc::new(law(&of[0], &of[1]).unwrap());
    let all = directions.iter();
    all.map(|way| FiniteProfile::new(law.clone()).toward(*way))
        .collect()
}

#[test]
fn crossings_at_a_few_bits() {
    let mut random = Random(12);
    let mut seen = 0;
    for round in 0..150 {
        let (a, b) = (pair(&mut random), pair(&mut random));
        let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][round % 3];
        let directions = adjacency.directions();
        let duel = Duel {
            first: profiles(&a, directions),
            second: profiles(&b, directions),
        };
        let bits = 4 + u32::try_from(random.below(if round % 2 == 0 { 14 } else { 60 })).unwrap();
        let found = at_most_bits(bits, || duel.crossings(bits, &Budget::unlimited()).unwrap());
        let exact = profile_crossings(
            &ExactCurve::new(&a[0], &a[1], adjacency),
            &ExactCurve::new(&b[0], &b[1], adjacency),
        );
        let words = || format!("{bits} bits, {adjacency:?}: {a:?} {b:?} {found:?} {exact:?}");
        assert!(found.places.len() <= exact.len(), "{}", words());
        assert!(
            !found.complete || found.places.len() == exact.len(),
            "{}",
            words()
        );
        for place in &found.places {
            let log = |u: &Rational| Interval::from_rational(u, 192).ln();
            let holds = exact.iter().any(|crossing| {
                place.lo() <= log(&crossing.part).hi() && place.hi() >= log(&crossing.meet).lo()
            });
            assert!(holds, "{}", words());
        }
        seen += found.places.len();
    }
    assert!(seen > 20, "{seen}");
}

fn number(low: f64, high: f64) -> Interval {
    let [low, high] = [low, high].map(|x| Float::with_val(64, x));
    Interval::new(low, high).unwrap()
}

/// Equal is only what is known to be, and so is an order.
#[test]
fn certain_orders() {
    for (a, b, order) in [
        ((0.0, 1.0), (2.0, 3.0), Some(Ordering::Less)),
        ((2.0, 3.0), (0.0, 1.0), Some(Ordering::Greater)),
        ((0.0, 1.0), (1.0, 2.0), None),
        ((1.0, 2.0), (0.0, 1.0), None),
        ((0.0, 1.0), (0.0, 1.0), None),
        ((1.0, 1.0), (1.0, 1.0), Some(Ordering::Equal)),
        ((0.0, 0.0), (0.0, 1.0), None),
    ] {
        assert_eq!(
            sign(&number(a.0, a.1), &number(b.0, b.1)),
            order,
            "{a:?} {b:?}"
        );
    }
}

/// Who leads is known where nobody else may.
#[test]
fn certain_leaders() {
    let away = Point::at_epsilon(&Rational::from(1), 64);
    let of =
        |a: (f64, f64), b: (f64, f64)| Leader::of(&[number(a.0, a.1), number(b.0, b.1)], &away);
    assert!(of((2.0, 3.0), (0.0, 1.0)) == Leader::This(0));
    assert!(of((0.0, 1.0), (2.0, 3.0)) == Leader::This(1));
    assert!(of((1.0, 3.0), (0.0, 1.0)) == Leader::This(0));
    assert!(of((1.0, 3.0), (0.0, 2.0)) == Leader::Unknown);
    assert!(of((1.0, 3.0), (1.0, 3.0)) == Leader::Unknown);
    assert!(of((1.0, 1.0), (1.0, 1.0)) == Leader::All);
    let zero = Point::at_epsilon(&Rational::new(), 64);
    assert!(Leader::of(&[number(1.0, 3.0), number(0.0, 2.0)], &zero) == Leader::All);
}
