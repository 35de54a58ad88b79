//! Runs with different ε, against adversaries by the definition.

use rug::Rational;

use super::super::adaptive;
use super::{lower, upper};
use crate::kernel::{Point, Profile};
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::{Mechanism, Step, Steps};

fn log(odds: u32) -> Epsilon {
    Epsilon::log_of(Rational::from(odds)).unwrap()
}

fn above(profile: &dyn Profile, u: f64) -> f64 {
    let u = Rational::from_f64(u).unwrap();
    let delta = profile.at(&Point::at_exp_epsilon(&u, 120)).delta;
    delta.hi().to_f64()
}

/// The best of adversaries with two candidates in each run, who take the runs in this order: over losses of the likelier candidate on a grid.
fn in_order(odds: &[f64], u: f64, grid: u32) -> f64 {
    let Some((first, rest)) = odds.split_first() else {
        return (1.0 - u).max(0.0);
    };
    let value = |k: u32| {
        let ratio = first.powf(f64::from(k) / f64::from(grid));
        let q = (first - ratio) / (first - 1.0);
        q * in_order(rest, u / ratio, grid) + (1.0 - q) * in_order(rest, u * first / ratio, grid)
    };
    (0..=grid).map(value).fold(0.0, f64::max)
}

/// No order of the runs is above the table, the best one is near, and at some places another one is well below.
#[test]
fn every_order_by_enumeration() {
    let mut apart = 0f64;
    let all = [(4u32, 1usize, 9u32, 240u32), (3, 2, 20, 36), (2, 3, 5, 16)];
    for (number, (a, runs, b, grid)) in all.into_iter().enumerate() {
        let count = u64::try_from(runs).unwrap();
        let table = upper(&[(log(a), count), (log(b), 1)]).unwrap();
        let swapped = upper(&[(log(b), 1), (log(a), count)]).unwrap();
        let places = [0.07, 0.3, 0.8, 1.0, 1.3, 2.0, 3.7, 6.0, 11.0, 35.0, 300.0];
        for (place, u) in places.into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 6) {
                continue;
            }
            let orders = (0..=runs).map(|place| {
                let mut odds = vec![f64::from(a); runs];
                odds.insert(place, f64::from(b));
                in_order(&odds, u, grid)
            });
            let orders: Vec<f64> = orders.collect();
            let best = orders.iter().copied().fold(0.0, f64::max);
            let worst = orders.iter().copied().fold(1.0, f64::min);
            apart = apart.max(best - worst);
            let found = above(&table, u);
            assert!(best <= found + 1e-12, "{a} {b} {u}: {orders:?} {found}");
            let slack = 1e-4 + 0.7 / f64::from(grid * grid);
            assert!(found <= best + slack, "{a} {b} {u}: {orders:?} {found}");
            assert!((found - above(&swapped, u)).abs() < 1e-4, "{a} {b} {u}");
        }
    }
    assert!(apart > 1e-3, "{apart}");
}

/// The adversaries below are not better than the best one who takes the runs in that order, and as near as a lattice of steps of ε/2000 lets them be.
#[test]
fn adversaries_are_of_that_order() {
    let epsilon = |n: i32, d: i32| Epsilon::from(Rational::from((n, d)));
    for runs in [
        [(log(9), 1u64), (log(4), 1)],
        [(log(4), 1), (log(9), 1)],
        [(epsilon(1, 2), 2), (epsilon(1, 1), 1)],
    ] {
        let (high, low) = (upper(&runs).unwrap(), lower(&runs).unwrap());
        let odds = runs.iter().flat_map(|(epsilon, times)| {
            let odds = epsilon.rational_up().to_f64().exp();
            std::iter::repeat_n(odds, usize::try_from(*times).unwrap())
        });
        let odds: Vec<f64> = odds.collect();
        let grid = if odds.len() == 2 { 400 } else { 60 };
        for u in [0.1, 0.3, 0.7, 1.0, 1.2, 2.5, 7.0]
            .into_iter()
            .step_by(crate::test_scale::every(3))
        {
            let point = Point::at_exp_epsilon(&Rational::from_f64(u).unwrap(), 120);
            let low = low.at(&point).delta.lo().to_f64();
            let truth = in_order(&odds, u, grid);
            let coarse = 0.7 / f64::from(grid * grid);
            assert!(low <= truth + coarse, "{u}: {low} {truth}");
            assert!(truth - low < 2e-3, "{u}: {low} {truth}");
            assert!(low <= above(&high, u), "{u}");
        }
    }
}

/// Equal runs in two lists are those of one list.
#[test]
fn equal_runs_are_counted_together() {
    let half = || Epsilon::from(Rational::from((1, 2)));
    let apart = upper(&[(half(), 3), (half(), 2)]).unwrap();
    let joined = adaptive::upper(&half(), 5).unwrap();
    let places = [0.2, 0.9, 1.0, 1.5, 4.0, 9.0];
    for u in places.into_iter().step_by(crate::test_scale::every(4)) {
        let (apart, joined) = (above(&apart, u), above(&joined, u));
        assert!((apart - joined).abs() < 1e-4, "{u}: {apart} {joined}");
    }
}

/// Nothing is made that would be too large, and what takes the place of it is a bound as well.
#[test]
fn too_many_runs_are_left_to_blocks() {
    let epsilon = |n: i32, d: i32| Epsilon::from(Rational::from((n, d)));
    assert!(upper(&[(epsilon(1, 2), 1_000_000), (epsilon(1, 1), 1)]).is_none());
    assert!(upper(&[(epsilon(1, 1_000_000), 2), (epsilon(200, 1), 1)]).is_none());
    assert!(upper(&[(epsilon(1, 2), 400), (epsilon(1, 1), 400)]).is_none());
    assert!(upper(&[(epsilon(1, 2), u64::MAX), (epsilon(1, 1), u64::MAX)]).is_none());
    let one = |epsilon: u32| Mechanism::exponential(epsilon).unwrap();
    let both = Mechanism::compose(vec![(one(1), 2), (one(2), 1)]).unwrap();
    // Two candidates in every run, and adversaries who choose.
    let is_closed = |of: &Steps| of.any(&|step| matches!(step, Step::Closed(_)));
    let members = both.steps().members();
    assert!(both.steps().is_bound());
    assert_eq!(members.iter().filter(|of| is_closed(of)).count(), 1);
    assert!(members.len() > 1, "{}", members.len());
}
