//! Mixtures of shifted Gaussian noise at places known by intervals, without the detour over their ends.

use super::*;
use crate::kernel::coarse::{spans_hold, surrounds};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn mixtures() -> [GaussianMixtures; 3] {
    let shifts = |list: &[(i64, i64)]| {
        let list = list
            .iter()
            .map(|(shift, weight)| (q(*shift, 1), q(*weight, 4)));
        Shifts::new(list.collect()).unwrap()
    };
    let sampled = || shifts(&[(0, 3), (1, 1)]);
    [
        GaussianMixtures::new(q(1, 1), Shifts::none(), sampled()),
        GaussianMixtures::new(q(2, 1), sampled(), sampled()),
        GaussianMixtures::new(
            q(1, 2),
            shifts(&[(0, 2), (1, 2)]),
            shifts(&[(1, 3), (3, 1)]),
        ),
    ]
}

#[test]
fn knots_over_spans() {
    let places = [-1, 0, 1, 2, 4].map(|n| q(n, 5));
    for mixture in mixtures() {
        let fine = places
            .each_ref()
            .map(|x| mixture.at(&Point::at_epsilon(x, 120)));
        for from in 0..places.len() {
            for to in from..places.len() {
                let end = |place: usize| Interval::from_rational(&places[place], 60);
                let found = mixture.knot(&Point::at_log(end(from).hull(&end(to))));
                for fine in &fine[from..=to] {
                    assert!(surrounds(&found.delta, &fine.delta), "{from} {to}");
                    assert!(surrounds(&found.null_tail, &fine.null_tail), "{from} {to}");
                }
            }
        }
    }
}

/// Losses of a sampled record begin at log(3/4): over that place it is not known whether all of P is beyond.
#[test]
fn spans_over_the_least_loss() {
    let places = [-40, -30, -25, -20, -10].map(|n| q(n, 100));
    let [sampled, ..] = mixtures();
    for bits in [8, 60] {
        assert_eq!(spans_hold(&sampled, &places, bits), Ok(()));
        assert_eq!(spans_hold(&*sampled.swapped(), &places, bits), Ok(()));
    }
}

/// A place is on a side only where that is certain.
#[test]
fn brackets_are_narrowed_where_the_side_is_known() {
    let float = |x: f64| Float::with_val(64, x);
    let gap = |low: f64, high: f64| Interval::spanning(float(low), float(high));
    let place = float(3.0);
    for (low, high, is_below, is_above) in [
        (-1.0, 1.0, false, false),
        (-2.0, -1.0, true, false),
        (1.0, 2.0, false, true),
        (-1.0, 0.0, true, false),
        (0.0, 0.0, true, true),
    ] {
        let mut bracket = Bracket::new(64);
        let tells = bracket.narrow(&place, &gap(low, high));
        assert_eq!(bracket.below.is_some(), is_below, "{low} {high}");
        assert_eq!(bracket.above.is_some(), is_above, "{low} {high}");
        assert_eq!(tells, is_below != is_above, "{low} {high}");
    }
}

/// Noise that is not shifted reveals nothing: δ is 1 − u, and 0 from 1 on.
#[test]
fn nothing_is_told_by_noise_alone() {
    let alone = GaussianMixtures::new(q(1, 1), Shifts::none(), Shifts::none());
    for (u, delta) in [(q(1, 2), q(1, 2)), (q(1, 1), q(0, 1)), (q(3, 1), q(0, 1))] {
        let point = Point::at_exp_epsilon(&u, 60);
        assert_eq!(alone.exact_delta(&point), Some(delta));
    }
}

/// The logarithm of a largest ratio is rational where it is 0 alone.
#[test]
fn exact_bounds_are_zero() {
    let exact = |u: Option<i64>| match bound(u.map(Rational::from), 60) {
        LossBound::Finite { exact, .. } => exact,
        LossBound::Unbounded => Some(q(-1, 1)),
    };
    assert_eq!(
        [exact(Some(1)), exact(Some(3)), exact(None)],
        [Some(q(0, 1)), None, Some(q(-1, 1))]
    );
}
