//! Tests of the curve of a Rényi class.

use super::order::{Boundary, Spot};
use super::search::{Bracket, on_envelope, search};
use super::*;
use crate::kernel::coarse;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::randomized_response;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn delta(class: &dyn Profile, epsilon: &Rational) -> Interval {
    class.at(&Point::at_epsilon(epsilon, 128)).delta
}

fn is_sharp(x: &Interval) -> bool {
    x.width_up() <= Float::with_val(128, x.lo() >> 80u32)
}

/// D_t of Bernoulli pairs in f64; t = 1 is the Kullback–Leibler divergence.
fn divergence(q: f64, p: f64, t: f64) -> f64 {
    let (r, s) = ((q / p).ln(), ((1.0 - q) / (1.0 - p)).ln());
    if t == 1.0 {
        q * r + (1.0 - q) * s
    } else {
        (p * (t * r).exp() + (1.0 - p) * (t * s).exp()).ln() / (t - 1.0)
    }
}

/// The largest q − u·p over a grid of pairs of the class.
fn by_force(orders: &[(f64, f64)], u: f64) -> f64 {
    let mut best: f64 = 0.0;
    for i in 1..240 {
        let p = (f64::from(i) / 240.0).powi(3) * 0.999;
        for j in 1..400 {
            let q = p + (1.0 - p) * f64::from(j) / 400.0;
            let value = q - u * p;
            if value <= best || q >= 1.0 {
                continue;
            }
            let is_member = orders.iter().all(|(t, epsilon)| {
                divergence(q, p, *t) <= *epsilon && divergence(p, q, *t) <= *epsilon
            });
            if is_member {
                best = value;
            }
        }
    }
    best
}

/// No pair of a grid beats the upper bound, and the best of them comes near the lower one.
#[test]
fn against_all_pairs_of_a_grid() {
    let dense: Vec<f64> = (0..60).map(|k| 1.0 + 0.002 * 1.17f64.powi(k)).collect();
    for rho in [(1, 20), (1, 2), (2, 1)] {
        let value = f64::from(rho.0) / f64::from(rho.1);
        let class = RenyiClass::zcdp(&q(rho.0.into(), rho.1.into()));
        let mut orders: Vec<(f64, f64)> = dense.iter().map(|t| (*t, value * t)).collect();
        orders.push((1.0, value));
        compare(&class, &orders);
    }
    let table = [(q(3, 2), q(4, 5)), (q(2, 1), q(1, 1)), (q(10, 1), q(3, 1))];
    let orders = [(1.5, 0.8), (2.0, 1.0), (10.0, 3.0)];
    compare(&RenyiClass::rdp(&table).unwrap(), &orders);
}

fn compare(class: &RenyiClass, orders: &[(f64, f64)]) {
    for epsilon in [q(-1, 2), q(0, 1), q(1, 5), q(1, 1)] {
        let found = delta(class, &epsilon);
        assert!(is_sharp(&found), "{epsilon} {found:?}");
        let force = by_force(orders, epsilon.to_f64().exp());
        let (low, high) = (found.lo().to_f64(), found.hi().to_f64());
        assert!(
            force <= high + 1e-12,
            "{orders:?} {epsilon}: {force} {high}"
        );
        assert!(force >= low - 0.01, "{orders:?} {epsilon}: {force} {low}");
    }
}

/// At order 2 the region is an ellipse: δ = (√(c + v²) − v)/2, c = e^{ε(2)} − 1, v = u − 1 ≥ c/2.
#[test]
fn order_two_has_a_closed_form() {
    let class = RenyiClass::rdp(&[(q(2, 1), q(1, 1))]).unwrap();
    for epsilon in [q(1, 1), q(2, 1), q(10, 1), q(200, 1)] {
        let found = delta(&class, &epsilon);
        let v = Interval::from_rational(&epsilon, 2_000).exp_m1();
        let c = Interval::one(2_000).exp_m1();
        let half = Interval::from_rational(&q(1, 2), 2_000);
        let truth = c.add(&v.square()).sqrt().sub(&v).mul(&half);
        assert!(
            found.intersect(&truth).is_ok(),
            "{epsilon}: {found:?} {truth:?}"
        );
        assert!(is_sharp(&found), "{epsilon}");
    }
}

/// The advantage a of ρ-zCDP is that of randomised response: a·log((1 + a)/(1 − a)) = ρ, the order 1 binds.
#[test]
fn the_advantage_of_zcdp() {
    for rho in [q(1, 1_000_000), q(1, 100), q(1, 2), q(5, 1), q(100, 1)] {
        let found = delta(&RenyiClass::zcdp(&rho), &q(0, 1));
        let one = Interval::one(400);
        let of = |a: &Float| {
            let a = Interval::point(a.clone());
            one.add(&a).ln().sub(&a.one_minus().ln()).mul(&a)
        };
        assert!(
            *of(found.lo()).lo() <= rho && *of(found.hi()).hi() >= rho,
            "{rho}"
        );
        assert!(is_sharp(&found), "{rho}");
    }
}

#[test]
fn members_are_below() {
    let epsilons = [-3, -1, 0, 1, 2, 5, 12].map(|e| q(e, 2));
    let rho = q(1, 2);
    let class = RenyiClass::zcdp(&rho);
    let gaussian = Gaussian::from_square(q(1, 1));
    // ε·tanh(ε/2) ≤ 1/2 for ε = 1: randomised response is 0.4622-zCDP.
    let response = Arc::new(randomized_response::law(&q(1, 1).into(), 2).unwrap());
    let response = FiniteProfile::new(response);
    let table: Vec<(Rational, Rational)> = [q(3, 2), q(2, 1), q(7, 1)]
        .map(|t| (t.clone(), t * &rho))
        .to_vec();
    let weaker = RenyiClass::rdp(&table).unwrap();
    for epsilon in &epsilons {
        let of_class = delta(&class, epsilon);
        for member in [&gaussian as &dyn Profile, &response] {
            assert!(delta(member, epsilon).lo() <= of_class.hi(), "{epsilon}");
        }
        assert!(of_class.lo() <= delta(&weaker, epsilon).hi(), "{epsilon}");
    }
}

/// f is the largest of the curves of single orders, so δ is at most each of theirs.
#[test]
fn several_orders_are_one_after_the_other_at_most() {
    let table = [(q(3, 2), q(4, 5)), (q(2, 1), q(1, 1)), (q(10, 1), q(3, 1))];
    let all = RenyiClass::rdp(&table).unwrap();
    for epsilon in [q(0, 1), q(1, 2), q(1, 1), q(2, 1), q(3, 1), q(6, 1)] {
        let found = delta(&all, &epsilon);
        assert!(is_sharp(&found), "{epsilon}");
        for single in &table {
            let one = RenyiClass::rdp(std::slice::from_ref(single)).unwrap();
            assert!(found.lo() <= delta(&one, &epsilon).hi(), "{epsilon}");
        }
    }
}

/// Convex in u; swapping gives the same curve; the line of the member lies below.
#[test]
fn a_profile() {
    let class = RenyiClass::zcdp(&q(1, 3));
    let knots: Vec<(Interval, ProfilePoint)> = (1..40)
        .map(|k| {
            let point = Point::at_exp_epsilon(&q(k, 8), 160);
            (point.exp().clone(), class.at(&point))
        })
        .collect();
    for three in knots.windows(3) {
        let ends = three[0].1.delta.add(&three[2].1.delta);
        let twice = three[1].1.delta.add(&three[1].1.delta);
        assert!(twice.lo() <= ends.hi());
    }
    for (u, knot) in &knots {
        for (v, other) in &knots {
            let run = v.sub(u);
            let line = Interval::point(knot.delta.lo().clone()).sub(&run.mul(&knot.null_tail));
            assert!(line.lo() <= other.delta.hi());
        }
    }
    for epsilon in [q(1, 4), q(2, 1)] {
        let (there, back) = (
            Point::at_epsilon(&epsilon, 128),
            Point::at_epsilon(&Rational::from(-&epsilon), 128),
        );
        let swapped = class.swapped().at(&back).delta.mul(there.exp());
        let expected = there.exp().one_minus().add(&swapped);
        assert!(expected.intersect(&class.at(&there).delta).is_ok());
    }
}

/// A table of ρt at many orders is nearly ρ-zCDP, and its size is no obstacle.
#[test]
fn a_large_table() {
    let rho = q(1, 2);
    let table: Vec<(Rational, Rational)> = (1..=5_000)
        .map(|k| q(1_000 + k * 4, 1_000))
        .map(|t| (t.clone(), t * &rho))
        .collect();
    let class = RenyiClass::rdp(&table).unwrap();
    let (found, exact) = (
        delta(&class, &q(3, 1)),
        delta(&RenyiClass::zcdp(&rho), &q(3, 1)),
    );
    assert!(found.hi() >= exact.lo());
    assert!(found.hi().to_f64() <= exact.lo().to_f64() * 1.0001);
    assert!(is_sharp(&found));
}

#[test]
fn hostile_numbers_are_answered() {
    let huge = Rational::from(rug::Integer::from(rug::Integer::u_pow_u(10, 300)));
    let tiny = huge.clone().recip();
    let near_one = Rational::from(&tiny + 1u32);
    let classes = [
        RenyiClass::zcdp(&huge),
        RenyiClass::zcdp(&tiny),
        RenyiClass::rdp(&[(huge.clone(), q(1, 1))]).unwrap(),
        RenyiClass::rdp(&[(q(2, 1), huge.clone())]).unwrap(),
        RenyiClass::rdp(&[(near_one, tiny.clone())]).unwrap(),
        RenyiClass::rdp(&[(huge.clone(), tiny.clone()), (q(2, 1), huge.clone())]).unwrap(),
    ];
    for class in &classes {
        for epsilon in [q(0, 1), q(1, 1), huge.clone(), Rational::from(-&huge)] {
            let found = class.at(&Point::at_epsilon(&epsilon, 64)).delta;
            assert!(*found.lo() >= 0 && *found.hi() <= 1 && found.lo() <= found.hi());
        }
    }
    let none = RenyiClass::zcdp(&q(0, 1));
    assert!(delta(&none, &q(0, 1)).is_zero());
    assert!(RenyiClass::rdp(&[]).is_none());
}

/// Below what is searched for, δ is between 0 and √(ε/2), and above every pair of the class: Bern(½ ± d/2) has D_t ≤ 2td² for small d.
#[test]
fn next_to_nothing_is_bounded_by_the_total_variation() {
    let tenth = |n: u32| Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, n))));
    let rho = tenth(200);
    let classes = [
        RenyiClass::zcdp(&rho),
        RenyiClass::rdp(&[(q(2, 1), rho.clone()), (q(9, 1), q(1, 1))]).unwrap(),
        RenyiClass::rdp(&[(q(3, 2), rho.clone())]).unwrap(),
    ];
    for class in classes {
        let found = delta(&class, &q(0, 1));
        // √(ρ/2) is 7.07e-101, and there is a pair with d = √ρ/3.
        assert!(*found.lo() >= 0 && *found.hi() <= tenth(100), "{found:?}");
        assert!(*found.hi() >= tenth(100) / 3u32, "{found:?}");
        let mirrored = delta(&class, &q(-1, 1));
        let exact = Interval::one(256).sub(&Interval::one(256).neg().exp());
        let gap = mirrored.sub(&exact);
        assert!(
            *gap.hi() <= tenth(36) && -gap.lo().clone() <= tenth(36),
            "{mirrored:?}"
        );
    }
}

/// Losses larger than what is searched for: with p = e^{−E} and q about 1, D_2 ≤ E, and q − u·p is about 1 for log u < E.
#[test]
fn beyond_the_search_a_large_guarantee_is_not_taken_for_a_small_one() {
    let class = RenyiClass::rdp(&[(q(2, 1), q(4_000_000_000, 1))]).unwrap();
    let below = delta(&class, &q(2_000_000_000, 1));
    assert!(*below.hi() > 0.99, "{below:?}");
    let beyond = delta(&class, &q(5_000_000_000, 1));
    assert!(*beyond.hi() < 1e-100, "{beyond:?}");
}

/// A search that has no time is not begun, and what is said then is true of the class.
#[test]
fn late_searches_leave_what_is_known_without_them() {
    let huge = RenyiClass::zcdp(&(q(1, 1) << 900u32));
    let few = RenyiClass::rdp(&[(q(2, 1), q(1, 2)), (q(20, 1), q(3, 1))]).unwrap();
    for (class, epsilon) in [(RenyiClass::zcdp(&q(1, 2)), q(1, 1)), (few, q(1, 2))] {
        // What was found late is not kept, and what was found in time is.
        let late = coarse::late(|| delta(&class, &epsilon));
        let there = delta(&class, &epsilon);
        assert!(is_sharp(&there) && late.lo().is_zero() && late.hi() >= there.hi());
        assert_eq!(coarse::late(|| delta(&class, &epsilon)), there);
    }
    let late = coarse::late(|| delta(&huge, &q(1, 1)));
    assert!(late.lo().is_zero() && *late.hi() == 1);
}

/// Every loop of the search ends by itself, wherever it is when the time is over.
#[test]
fn loops_of_the_search_end_when_it_is_late() {
    let guarantee = Guarantee::zcdp(&q(1, 2));
    let u = Float::with_val(128, 3);
    let orders = guarantee.first_orders(&Float::with_val(128, u.ln_ref()));
    let region = guarantee.region(&orders, 128);
    let width = |bracket: Bracket| {
        let (low, high) = (&bracket.left.spot.p, &bracket.right.spot.p);
        Float::with_val(128, high - low)
    };
    let found = || width(search(&region, &u, 40, None).unwrap());
    assert!(found() < 1e-6 && coarse::late(found) > 1e-3);
    let boundary = Boundary::new(orders.last().unwrap(), 128);
    let p = Float::with_val(128, 0.01);
    let excess = || {
        let d = boundary.distance(&p, None).unwrap();
        boundary.excess(&Spot::new(&p, &d)).abs()
    };
    assert!(excess() < 1e-18 && coarse::late(excess) > 1e-9);
    let outside = Spot::new(&p, &Float::with_val(128, 0.3));
    let order = || on_envelope(&q(1, 2), &outside, Float::with_val(128, 2)).is_some();
    assert!(order() && !coarse::late(order));
}

/// An order beyond those that are searched is one of the largest loss: what is found is near the truth, and no bits are asked for that bring it no nearer.
#[test]
fn orders_beyond_the_search_leave_little() {
    let order = |t: Rational| (t, q(1, 2));
    let small = (q(3, 2), q(1, 1_000_000_000));
    let cut = RenyiClass::rdp(&[small.clone(), order(q(1, 1) << 100u32)]).unwrap();
    let near = RenyiClass::rdp(&[small, order(q(1, 1) << 29u32)]).unwrap();
    assert!(cut.guarantee.is_cut() && !near.guarantee.is_cut());
    assert!(RenyiClass::zcdp(&(q(1, 1) << 40u32)).guarantee.is_cut());
    assert!(!RenyiClass::zcdp(&q(1, 2)).guarantee.is_cut());
    let (found, truth) = (delta(&cut, &q(2, 5)), delta(&near, &q(2, 5)));
    assert!(found.lo() > &0 && found.width_up() < Float::with_val(64, found.lo() >> 14u32));
    assert!(found.lo() <= truth.hi());
    assert!(is_sharp(&truth));
}
