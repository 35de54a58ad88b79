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

/// What is said of one point, and nothing else.
#[derive(Clone)]
struct Said(ProfilePoint);

impl Profile for Said {
    fn at(&self, _: &Point) -> ProfilePoint {
        self.0.clone()
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, _: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn min_loss(&self, _: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }
}

fn ends(low: f64, high: f64) -> Interval {
    Interval::spanning(
        rug::Float::with_val(60, low),
        rug::Float::with_val(60, high),
    )
}

/// Of profiles that may be the largest every slope counts, of the others none.
#[test]
fn slopes_of_what_may_be_the_largest() {
    let said = |delta: Interval, tail: f64| -> Arc<dyn Profile> {
        Arc::new(Said(ProfilePoint {
            delta,
            null_tail: ends(tail, tail),
        }))
    };
    let point = Point::at_epsilon(&q(1, 1), 60);
    let known = said(ends(0.5, 0.5), 0.125);
    for (other, are_both) in [
        (ends(0.25, 0.75), true),
        (ends(0.25, 0.5), true),
        (ends(0.5, 0.5), true),
        (ends(0.25, 0.375), false),
    ] {
        for order in [false, true] {
            let mut of = vec![Arc::clone(&known), said(other.clone(), 0.25)];
            if order {
                of.reverse();
            }
            let tail = Largest::new(of).at(&point).null_tail;
            assert!(tail.contains(&q(1, 8)), "{other:?}");
            assert_eq!(tail.contains(&q(1, 4)), are_both, "{other:?}");
            assert!(!tail.contains(&q(1, 2)));
        }
    }
}

/// The place where a level is reached, at few bits and for a level that is known by an interval.
#[test]
fn crossings_at_few_bits() {
    use crate::kernel::coarse::at_most_bits;
    for noise in [
        Mechanism::laplace(1, 1).unwrap(),
        Mechanism::gaussian(1, 1).unwrap(),
    ] {
        let part = noise.profile_of_step().unwrap();
        let fine = |level: &Rational| {
            let level = Interval::from_rational(level, 200);
            crossing(&*part, &level, 200).unwrap()
        };
        for (low, high) in [
            (q(1, 10), q(1, 10)),
            (q(1, 12), q(1, 7)),
            (q(3, 10), q(1, 3)),
        ] {
            let level = Interval::from_rational(&low, 60).hull(&Interval::from_rational(&high, 60));
            for bits in [4, 6, 9, 60] {
                let found = at_most_bits(bits, || crossing(&*part, &level, bits)).unwrap();
                for level in [&low, &high] {
                    let truth = fine(level);
                    assert!(
                        coarse::surrounds(&found, &truth),
                        "{low} {high} {bits}: {found:?}"
                    );
                }
            }
        }
    }
    // A level that is never reached.
    let leak = Mechanism::approx_dp(0, "1/5")
        .unwrap()
        .profile_of_step()
        .unwrap();
    assert!(crossing(&*leak, &Interval::from_rational(&q(1, 10), 60), 60).is_none());
}

/// The largest loss of all, and the least: that of finite pairs by their outcomes, and an exact one.
#[test]
fn the_farthest_losses_of_all() {
    let all = profile(&[finite([5, 4, 1], [1, 4, 5]), finite([2, 4, 4], [4, 4, 2])]);
    let log = |x: &Rational| Interval::from_rational(x, 120).ln();
    for (found, truth) in [
        (all.max_loss(120), log(&q(5, 1))),
        (all.min_loss(120), log(&q(1, 5))),
    ] {
        let LossBound::Finite { value, .. } = found else {
            panic!("finite");
        };
        assert!(coarse::surrounds(&value, &truth), "{value:?}");
    }
    let response = |epsilon: u32| Mechanism::randomized_response(epsilon, 2).unwrap();
    let all = profile(&[response(1), response(3), response(2)]);
    let LossBound::Finite { exact, .. } = all.max_loss(120) else {
        panic!("finite");
    };
    assert_eq!(exact, Some(q(3, 1)));
    // A loss that is too far away to look for where it falls below the limit: 2^21 + 2·log(9/10).
    let far = profile(&[
        Mechanism::laplace(q(1, 1 << 21), 1).unwrap(),
        Mechanism::approx_dp(0, "1/10").unwrap(),
    ]);
    if let LossBound::Finite { value, .. } = far.max_loss(120) {
        let truth = (1u32 << 21) as f64 + 2.0 * 0.9f64.ln();
        assert!(value.lo().to_f64() <= truth && truth <= value.hi().to_f64());
    }
    let crossing = Mechanism::laplace(1, 1).unwrap().profile_of_step().unwrap();
    let gaussian = Mechanism::gaussian(1, 1)
        .unwrap()
        .profile_of_step()
        .unwrap();
    let places = [-2, -1, 0, 1, 2, 3, 5].map(|n| q(n, 2));
    let both = Largest::new(vec![crossing, gaussian]);
    assert_eq!(coarse::spans_hold(&both, &places, 60), Ok(()));
}

/// The largest of several is that of no dataset; of one alone it is.
#[test]
fn several_pairs_are_no_dataset() {
    let one = || finite([5, 4, 1], [1, 4, 5]).steps().clone();
    let of = |all: Vec<Steps>| ClosedPair::from(Envelope::new(all)).is_of_no_dataset();
    assert!(of(vec![one(), one()]) && !of(vec![one()]));
}

/// Of a list that has every dataset's pair; profiles that are only above others say nothing of divergences.
#[test]
fn renyi_divergences_of_lists() {
    let pairs = [([5, 4, 1], [1, 4, 5]), ([3, 3, 4], [7, 1, 2])];
    let all = || {
        pairs
            .map(|(p, with)| finite(p, with).steps().clone())
            .to_vec()
    };
    let found =
        |pair: &Envelope, order: &Rational, direction| pair.renyi_divergence(order, direction, 80);
    for (n, d) in [(1, 2), (1, 1), (2, 1), (7, 2)] {
        let order = q(n, d);
        for (direction, is_turned) in [(Direction::Remove, false), (Direction::Add, true)] {
            let one = |(p, with): ([i64; 3], [i64; 3])| -> f64 {
                let (p, with) = if is_turned { (with, p) } else { (p, with) };
                let both = p.iter().zip(with);
                let both = both.map(|(p, with)| (to_f64(*p), to_f64(with)));
                let t = order.to_f64();
                if t == 1.0 {
                    return both.map(|(p, with)| with * (with / p).ln()).sum();
                }
                let sum: f64 = both.map(|(p, with)| with.powf(t) * p.powf(1.0 - t)).sum();
                sum.ln() / (t - 1.0)
            };
            let expected = pairs.map(one).into_iter().fold(0.0, f64::max);
            let enclosed = found(&Envelope::of_list(all()), &order, direction).unwrap();
            assert!((enclosed.lo().to_f64() - expected).abs() < 1e-12, "{order}");
            assert!((enclosed.hi().to_f64() - expected).abs() < 1e-12, "{order}");
            assert!(found(&Envelope::new(all()), &order, direction).is_none());
        }
    }
}

fn to_f64(tenths: i64) -> f64 {
    q(tenths, 10).to_f64()
}

#[test]
fn random_places_at_few_bits() {
    let all = profile(&[finite([5, 4, 1], [1, 4, 5]), finite([3, 3, 4], [7, 3, 0])]);
    assert_eq!(coarse::places_hold(&*all, 1, 2_600, false), Ok(()));
    assert_eq!(
        coarse::places_hold(&*all.swapped(), 2, 2_600, false),
        Ok(())
    );
}

/// A place that is halved sixty times is halved no more when the time is over: each look may take as long as all that is left.
#[test]
fn crossings_are_not_looked_for_when_it_is_late() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    #[derive(Debug)]
    struct Counted(AtomicUsize);
    impl Profile for Counted {
        fn at(&self, point: &Point) -> ProfilePoint {
            self.0.fetch_add(1, Ordering::Relaxed);
            // e^{−ε}/4
            let inverse = point.mirrored();
            let quarter = Interval::from_rational(&q(1, 4), point.bits());
            ProfilePoint {
                delta: inverse.exp().mul(&quarter),
                null_tail: Interval::zero(point.bits()).hull(&Interval::one(point.bits())),
            }
        }
        fn swapped(&self) -> Arc<dyn Profile> {
            Arc::new(Self(AtomicUsize::new(0)))
        }
        fn max_loss(&self, _: u32) -> LossBound {
            LossBound::Unbounded
        }
        fn min_loss(&self, _: u32) -> LossBound {
            LossBound::Unbounded
        }
        fn infinite_mass(&self, bits: u32) -> Interval {
            Interval::zero(bits)
        }
        fn is_symmetric(&self) -> bool {
            true
        }
    }
    let part = Counted(AtomicUsize::new(0));
    let level = Interval::from_rational(&q(1, 400), 90);
    let found = crossing(&part, &level, 90).unwrap();
    // ln 100.
    assert!(found.lo() > &4.605 && found.hi() < &4.6052);
    assert!(part.0.swap(0, Ordering::Relaxed) > 20);
    assert!(coarse::late(|| crossing(&part, &level, 90)).is_none());
    assert!(part.0.swap(0, Ordering::Relaxed) < 3);
    let level = Interval::from_rational(&q(1, 5), 90);
    let wide = coarse::late(|| crossing(&part, &level, 90)).unwrap();
    assert!(wide.lo() <= &0 && wide.hi() >= &0.2231);
    assert!(part.0.load(Ordering::Relaxed) < 3);
}
