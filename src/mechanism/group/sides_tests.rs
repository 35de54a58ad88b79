//! Groups of records: which law is which, and which bound is which.

use rug::Rational;

use super::{guarantee, pair};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::step::{FiniteLosses, Step};
use crate::mechanism::steps::Steps;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn losses(steps: &Steps) -> &FiniteLosses {
    let Some(Step::Finite(one)) = steps.single() else {
        panic!("{steps:?}");
    };
    one.losses()
}

/// The best power at a level, outcome by outcome.
fn power(of: &FiniteLosses, level: &Rational) -> Rational {
    let FiniteLosses::Pair { p, q } = of else {
        panic!("{of:?}");
    };
    let mut outcomes: Vec<_> = p.iter().zip(q.iter()).collect();
    outcomes.sort_by_key(|(p, q)| {
        let ratio = (**p != 0).then(|| Rational::from(*q / *p));
        (ratio.is_some(), ratio.map(|ratio| -ratio))
    });
    let (mut left, mut power) = (level.clone(), Rational::new());
    for (p, q) in outcomes {
        if *p <= left {
            left -= p;
            power += q;
        } else {
            power += Rational::from(q / p) * &left;
            break;
        }
    }
    power
}

/// Twice what one record does: from a level of 1/4 to 3/8, and to 9/16.
#[test]
fn powers_of_two_records() {
    let (without, with) = ([q(1, 2), q(1, 2)], [q(3, 4), q(1, 4)]);
    let found = pair::of_pair(&without, &with, 2, Relation::Presence).unwrap();
    assert_eq!(power(losses(&found), &q(1, 4)), q(9, 16));
    let found = pair::of_pair_on_sample(&without, &with, 2, &q(1, 1)).unwrap();
    assert_eq!(power(losses(&found), &q(1, 4)), q(9, 16));
}

/// Where e^ε is no rational number the bound is above the member at every point.
#[test]
fn bounds_of_guarantees_are_above_their_members() {
    let epsilon = Epsilon::from(q(1, 3));
    let found = guarantee::of_approx_dp(&epsilon, &q(1, 100), 3).unwrap();
    let most = found.most();
    let member = found.members().first().unwrap().clone();
    let (FiniteLosses::Points { points: high }, FiniteLosses::Points { points: low }) =
        (losses(&most), losses(&member))
    else {
        panic!("points");
    };
    assert_eq!(high.len(), low.len());
    for ((at, above), (place, below)) in high.iter().zip(low.iter()) {
        assert!(at == place && above > below, "{above} {below}");
    }
}
