//! The largest of several profiles.

use rug::Rational;

use super::*;
use crate::kernel::coarse::{self, Place};
use crate::mechanism::Mechanism;
use crate::mechanism::closed::ClosedPair;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn finite(p: [i64; 3], with: [i64; 3]) -> Mechanism {
    let tenths = |x: [i64; 3]| x.iter().map(|n| q(*n, 10)).collect();
    Mechanism::finite(tenths(p), tenths(with)).unwrap()
}

fn profile(of: &[Mechanism]) -> Arc<dyn Profile> {
    let of = of.iter().map(|one| one.steps().clone()).collect();
    ClosedPair::from(Envelope::new(of)).profile().unwrap()
}

/// Against the largest of the sums over outcomes, in both orders, at many u.
#[test]
fn the_largest_profile_at_every_point() {
    let pairs = [
        ([5, 4, 1], [1, 4, 5]),
        ([3, 3, 4], [7, 3, 0]),
        ([2, 8, 0], [2, 7, 1]),
    ];
    let all = profile(&pairs.map(|(p, with)| finite(p, with)));
    let delta = |u: &Rational, p: &[i64; 3], with: &[i64; 3]| -> Rational {
        let gains = p
            .iter()
            .zip(with)
            .map(|(p, with)| q(*with, 10) - Rational::from(u * p) / 10u32);
        gains.filter(|gain| *gain > 0).sum()
    };
    for n in 1..80i64 {
        let u = q(n * n, 300);
        let point = Point::at_exp_epsilon(&u, 120);
        let of = |swap: bool| {
            let one = |(p, with): &([i64; 3], [i64; 3])| {
                let (p, with) = if swap { (with, p) } else { (p, with) };
                delta(&u, p, with)
            };
            pairs.iter().map(one).max().unwrap()
        };
        assert!(all.at(&point).delta.contains(&of(false)), "{u}");
        assert_eq!(all.exact_delta(&point), Some(of(false)), "{u}");
        assert!(all.swapped().at(&point).delta.contains(&of(true)), "{u}");
        // A slope: δ(v) ≥ δ(u) − s·(v − u) for some s within.
        for v in [q(1, 100), q(1, 2), q(1, 1), q(3, 1)] {
            let tail = all.at(&point).null_tail;
            let there = all.exact_delta(&Point::at_exp_epsilon(&v, 120)).unwrap();
            let step = Rational::from(&v - &u);
            let line = |s: &rug::Float| of(false) - s.to_rational().unwrap() * &step;
            assert!(there >= line(tail.lo()).min(line(tail.hi())), "{u} {v}");
        }
    }
    assert_eq!(all.exact_infinite_mass(), Some(q(1, 10)));
    assert_eq!(all.swapped().exact_infinite_mass(), Some(q(4, 10)));
}

/// A pair that falls below the limit of another one matters until there: e^{−…} of Laplace noise against a limit of 1/10.
#[test]
fn the_largest_loss_is_where_the_limit_is_reached() {
    let laplace = Mechanism::laplace(1, 1).unwrap();
    let gaussian = Mechanism::gaussian(1, 1).unwrap();
    let leak = Mechanism::approx_dp(0, "1/10").unwrap();
    for noise in [&laplace, &gaussian] {
        let all = profile(&[noise.clone(), leak.clone()]);
        let LossBound::Finite { value, .. } = all.max_loss(120) else {
            panic!("finite");
        };
        let alone = noise.profile_of_step().unwrap();
        let at = |end: &rug::Float| {
            let end = end.to_rational().unwrap();
            alone.at(&Point::at_epsilon(&end, 200)).delta
        };
        let tenth = Interval::from_rational(&q(1, 10), 200);
        assert!(at(value.lo()).hi() >= tenth.lo() && at(value.hi()).lo() <= tenth.hi());
        assert!(value.width_up() < 1e-15);
    }
    // Laplace noise: 1 − e^{(ε − 1)/2} = 1/10.
    let all = profile(&[laplace.clone(), leak]);
    let truth = (1.0f64 + 2.0 * 0.9f64.ln()).abs();
    let LossBound::Finite { value, .. } = all.max_loss(120) else {
        panic!("finite");
    };
    assert!((value.middle().to_f64() - truth).abs() < 1e-12);
    assert!(matches!(
        profile(&[laplace, gaussian]).max_loss(64),
        LossBound::Unbounded
    ));
}

#[test]
fn coarse_numbers_enclose_finer_ones() {
    let of = [
        Mechanism::laplace(1, 1).unwrap(),
        Mechanism::gaussian(1, 1).unwrap(),
        Mechanism::randomized_response(1, 2).unwrap(),
    ];
    let of = of.iter().map(|one| one.profile_of_step().unwrap());
    let all = Largest::new(of.collect());
    for bits in [8, 12, 16] {
        for place in [
            Place::Epsilon(q(1, 7)),
            Place::ExpEpsilon(q(9, 4)),
            Place::NearEpsilon(q(-1, 3)),
        ] {
            assert_eq!(coarse::profile_holds(&all, &place, bits, true), Ok(()));
        }
    }
}
