//! Of several runs what is stated as a bound is above what some adversaries attain, and not the same.

use rug::Rational;

use super::*;
use crate::kernel::Point;

fn log(odds: u32) -> Selection {
    Selection::new(Epsilon::log_of(Rational::from(odds)).unwrap())
}

/// The bound is above the adversaries by more than nothing.
fn is_apart(above: &dyn Profile, below: &dyn Profile) {
    for u in [(1, 2), (1, 1), (3, 2), (5, 2)].map(Rational::from) {
        let at = |of: &dyn Profile| of.at(&Point::at_exp_epsilon(&u, 120)).delta;
        let (high, low) = (at(above), at(below));
        assert!(high.lo() > low.hi(), "{u}: {high:?} {low:?}");
        assert!(high.hi().to_f64() - low.lo().to_f64() < 1e-2, "{u}");
    }
}

#[test]
fn several_runs_of_one_kind() {
    let one = log(3);
    let powers = one.powers(3).unwrap();
    assert_eq!(powers.len(), 1);
    let adversaries = AdaptiveSelections::new(vec![(one.epsilon.clone(), 3)]);
    is_apart(&*powers[0].0, &*adversaries.profile().unwrap());
}

#[test]
fn runs_of_two_kinds() {
    let all = [(log(2), 1u64), (log(4), 1)];
    let above = Selection::together(&all).unwrap();
    assert_eq!(above.len(), 1);
    let stated: Vec<(&Selection, u64)> = all.iter().map(|(one, runs)| (one, *runs)).collect();
    let adversaries = AdaptiveSelections::in_turn(&stated).unwrap();
    is_apart(&*above[0].0, &*adversaries.profile().unwrap());
}

/// Two runs diverge by twice as much as one.
#[test]
fn divergences_of_two_runs_add_up() {
    for order in [(1, 2), (1, 1), (3, 1)].map(Rational::from) {
        let of = |one: &Selection| one.renyi_divergence(&order, Direction::Remove, 80).unwrap();
        let (once, twice) = (of(&log(3)), of(&log(3).twice()));
        assert!(once.is_positive());
        let sum = once.add(&once);
        assert!(sum.lo() <= twice.hi() && twice.lo() <= sum.hi(), "{order}");
    }
}

/// Turned around, δ and the tail are those of the complement at 1/u.
#[test]
fn a_mirrored_point_by_hand() {
    let number = |n: i64, d: i64| Interval::from_rational(&Rational::from((n, d)), 60);
    let there = crate::kernel::ProfilePoint {
        delta: number(1, 4),
        null_tail: number(1, 8),
    };
    let here = super::mirror::mirrored(&there, &number(1, 2));
    assert!(here.delta.contains(&Rational::from((5, 8))));
    assert!(here.null_tail.contains(&Rational::from((1, 2))));
}
