//! Rényi divergences against closed forms, each other, and what is known of them.

use dpcmp::input::mechanism_from_bytes;
use dpcmp::kernel::{Budget, Interval};
use dpcmp::mechanism::Direction;
use dpcmp::renyi::{Parts, Place, RhoSearch, exact_rho};
use rug::{Float, Integer, Rational};

use super::renyi_by_mpmath::CASES;
use super::soundness_support::{every, is_asked};

#[path = "../../src/renyi/zoo.rs"]
mod zoo;

use zoo::{ZOO, orders};

const BITS: u32 = 128;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn parts(text: &str) -> Parts {
    let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    Parts::of(file.mechanism.steps()).unwrap()
}

fn at(parts: &Parts, order: &Rational, direction: Direction) -> Interval {
    parts
        .divergence(order, direction, BITS, &Budget::unlimited())
        .unwrap()
}

fn meet(a: &Interval, b: &Interval, what: &str) {
    assert!(a.intersect(b).is_ok(), "{what}: {a:?} and {b:?}");
}

fn is_narrow(x: &Interval, digits: u32) -> bool {
    let allowed = Float::with_val(64, x.hi())
        / Float::with_val(64, Integer::from(Integer::u_pow_u(10, digits)));
    x.width_up() <= allowed
}

const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];

#[test]
fn every_kind_is_narrow_monotone_and_convex() {
    for (number, text) in ZOO.into_iter().enumerate() {
        let parts = parts(text);
        for (place, direction) in BOTH.into_iter().enumerate() {
            // By default each kind in one of the two.
            if !is_asked(number + place, 4) {
                continue;
            }
            let all: Vec<(Rational, Interval)> = orders()
                .into_iter()
                .map(|order| {
                    let found = at(&parts, &order, direction);
                    (order, found)
                })
                .collect();
            for (order, found) in &all {
                assert!(is_narrow(found, 12), "{text} {order}: {found:?}");
            }
            for pair in all.windows(2) {
                assert!(pair[0].1.lo() <= pair[1].1.hi(), "{text}: not monotone");
            }
            // ψ(t) = (t − 1)·D_t is below its chords.
            let psi = |(order, found): &(Rational, Interval)| {
                Interval::from_rational(&Rational::from(order - 1), BITS).mul(found)
            };
            for three in all.windows(3) {
                let share = Rational::from(&three[1].0 - &three[0].0)
                    / Rational::from(&three[2].0 - &three[0].0);
                let share = Interval::from_rational(&share, BITS);
                let chord = share
                    .one_minus()
                    .mul(&psi(&three[0]))
                    .add(&share.mul(&psi(&three[2])));
                assert!(psi(&three[1]).lo() <= chord.hi(), "{text}: not convex");
            }
        }
    }
}

/// t·D_{1−t}(P‖Q) = (1 − t)·D_t(Q‖P): the two directions are computed from different integrals or sums.
#[test]
fn skew_symmetry() {
    for text in ZOO {
        let parts = parts(text);
        for order in [q(1, 8), q(1, 3), q(1, 2), q(9, 10)] {
            let rest = Rational::from(1 - &order);
            let left =
                at(&parts, &rest, Direction::Add).mul(&Interval::from_rational(&order, BITS));
            let right =
                at(&parts, &order, Direction::Remove).mul(&Interval::from_rational(&rest, BITS));
            meet(&left, &right, text);
        }
    }
}

#[test]
fn the_limit_at_one_is_the_divergence_of_kullback_and_leibler() {
    let step = Rational::from((1, Integer::from(1) << 80u32));
    for (number, text) in ZOO.into_iter().enumerate() {
        let parts = parts(text);
        // By default each kind in one of the two.
        let both = BOTH.into_iter().enumerate();
        for (_, direction) in both.filter(|(place, _)| is_asked(number + place, 4)) {
            let one = at(&parts, &q(1, 1), direction);
            let near = |order: &Rational| {
                parts
                    .divergence(order, direction, 256, &Budget::unlimited())
                    .unwrap()
            };
            let below = near(&Rational::from(1 - &step));
            let above = near(&Rational::from(1 + &step));
            assert!(below.lo() <= one.hi() && one.lo() <= above.hi(), "{text}");
            assert!(
                Float::with_val(64, above.hi() - below.lo()) < 1e-20,
                "{text}"
            );
        }
    }
}

#[test]
fn the_definition_by_mpmath() {
    for (text, order, direction, truth) in CASES.iter().step_by(every(6)) {
        let found = at(&parts(text), &Rational::from(*order), *direction);
        let truth = Float::with_val(200, Float::parse(truth).unwrap());
        let slack = Float::with_val(64, truth.abs_ref()) * 1e-25;
        let near = Interval::spanning(
            Float::with_val(200, &truth - &slack),
            Float::with_val(200, &truth + &slack),
        );
        meet(&found, &near, &format!("{text} {order:?} {direction:?}"));
    }
}

/// Data processing: merging atoms loses information.
#[test]
fn merging_atoms_lowers_the_divergence() {
    let fine =
        parts(r#"{"kind":"finite","p":["1/2","1/4","1/8","1/8"],"q":["1/3","1/12","1/4","1/3"]}"#);
    let coarse = parts(r#"{"kind":"finite","p":["1/2","3/8","1/8"],"q":["1/3","1/3","1/3"]}"#);
    for order in orders() {
        for direction in BOTH {
            let (more, less) = (at(&fine, &order, direction), at(&coarse, &order, direction));
            assert!(less.certainly_lt(&more), "{order} {direction:?}");
        }
    }
}

/// The exact law of a composition against the sum of its parts.
#[test]
fn composition_adds() {
    let of = |p: &[(i64, i64)], q: &[(i64, i64)]| {
        let list = |x: &[(i64, i64)]| {
            x.iter()
                .map(|(n, d)| format!("\"{n}/{d}\""))
                .collect::<Vec<_>>()
                .join(",")
        };
        format!(r#"{{"kind":"finite","p":[{}],"q":[{}]}}"#, list(p), list(q))
    };
    let a = of(&[(1, 3), (2, 3)], &[(3, 5), (2, 5)]);
    let b = of(&[(1, 4), (3, 4)], &[(1, 7), (6, 7)]);
    let product = of(
        &[(1, 12), (3, 12), (2, 12), (6, 12)],
        &[(3, 35), (18, 35), (2, 35), (12, 35)],
    );
    let composed = parts(&format!(r#"{{"kind":"compose","of":[{a},{b}]}}"#));
    let product = parts(&product);
    for order in orders() {
        for direction in BOTH {
            meet(
                &at(&composed, &order, direction),
                &at(&product, &order, direction),
                "product",
            );
        }
    }
}

#[test]
fn mass_on_one_side_is_infinite_from_one_on() {
    let one_sided = parts(r#"{"kind":"finite","p":["1","0"],"q":["1/2","1/2"]}"#);
    for (order, direction, is_infinite) in [
        (q(1, 1), Direction::Remove, true),
        (q(2, 1), Direction::Remove, true),
        (q(1, 2), Direction::Remove, false),
        (q(2, 1), Direction::Add, false),
    ] {
        let found = at(&one_sided, &order, direction);
        assert_eq!(
            found.lo().is_infinite(),
            is_infinite,
            "{order} {direction:?}"
        );
        // log 2 in every finite case: one atom with ratio 2.
        if !is_infinite {
            meet(&found, &Interval::from_i64(2, BITS).ln(), "log 2");
        }
    }
}

#[test]
fn discrete_gaussians_are_gaussian_at_integer_orders_and_below_between() {
    let parts = parts(r#"{"kind":"discrete-gaussian","sigma":"0.5","sensitivity":1}"#);
    assert_eq!(parts.exact_divergence(&q(3, 1)), Some(q(6, 1)));
    assert_eq!(parts.exact_divergence(&q(1, 1)), Some(q(2, 1)));
    assert_eq!(parts.exact_divergence(&q(5, 2)), None);
    let between = at(&parts, &q(5, 2), Direction::Remove);
    assert!(between.certainly_lt(&Interval::from_i64(5, BITS)));
    assert_eq!(exact_rho(&parts), Some(q(2, 1)));
}

/// Branch and bound on the law of randomised response, against ε·tanh(ε/2) (sup at t → 1).
#[test]
fn rho_of_randomised_response() {
    for epsilon in [q(1, 10), q(1, 1), q(5, 1)] {
        let text = format!(r#"{{"kind":"randomized-response","epsilon":"{epsilon}"}}"#);
        let found = rho(&parts(&text), 60);
        let e = Interval::from_rational(&epsilon, BITS);
        let half = e.mul(&Interval::from_rational(&q(1, 2), BITS));
        let tanh = e.exp_m1().div(&e.exp().add(&Interval::one(BITS)));
        let closed = half.add(&half).mul(&tanh);
        meet(&found.0, &closed, &text);
        assert!(is_narrow(&found.0, 12), "{:?}", found.0);
        assert_eq!(found.1, Place::Order(q(1, 1)));
    }
}

/// ρ* is at least D_t/t at every order, and a composition with Gaussian noise adds its μ²/2 exactly.
#[test]
fn rho_of_every_kind() {
    for (number, text) in ZOO.into_iter().enumerate() {
        if !is_asked(number, 2) {
            continue;
        }
        let parts = parts(text);
        let found = match exact_rho(&parts) {
            Some(exact) => Interval::from_rational(&exact, BITS),
            None => {
                let (found, _) = rho(&parts, 30);
                assert!(is_narrow(&found, 8), "{text} {found:?}");
                found
            }
        };
        let above = orders().into_iter().filter(|order| *order >= 1);
        for (place, order) in above.enumerate() {
            for direction in BOTH {
                if !is_asked(number + place, 6) {
                    continue;
                }
                let ratio =
                    at(&parts, &order, direction).div(&Interval::from_rational(&order, BITS));
                assert!(ratio.lo() <= found.hi(), "{text} {order}");
            }
        }
        // What is added is the same whatever the kind, and the search takes long: by default a step and a composition.
        if !is_asked(number, 24) {
            continue;
        }
        let more = format!(r#"{{"kind":"compose","of":[{text},{{"kind":"gaussian","sigma":1}}]}}"#);
        let more = self::parts(&more);
        if exact_rho(&more).is_none() {
            let shifted = found.add(&Interval::from_rational(&q(1, 2), BITS));
            meet(&rho(&more, 30).0, &shifted, text);
        }
    }
}

fn rho(parts: &Parts, bits: u32) -> (Interval, Place) {
    let budget = Budget::unlimited();
    let mut search = RhoSearch::new(parts, &BOTH, 64, &budget).unwrap();
    for _ in 0..1_000 {
        let found = search.enclosure().unwrap();
        let allowed = Float::with_val(128, found.lo() >> bits);
        if found.width_up() <= allowed || !search.refine(&budget).unwrap() {
            break;
        }
    }
    (search.enclosure().unwrap(), search.place().clone())
}

/// The theorem about subsampled Gaussians: D_t/t stays below μ²/2 in both directions and comes near it only for `remove`.
#[test]
fn rho_of_subsampled_gaussians_is_a_limit() {
    let parts = parts(r#"{"kind":"subsampled","rate":"0.01","of":{"kind":"gaussian","sigma":1}}"#);
    assert_eq!(exact_rho(&parts), Some(q(1, 2)));
    let limit = Interval::from_rational(&q(1, 2), BITS);
    for exponent in [1u32, 4, 10, 20] {
        let order = Rational::from(Integer::from(1) << exponent);
        let ratio =
            |direction| at(&parts, &order, direction).div(&Interval::from_rational(&order, BITS));
        assert!(ratio(Direction::Remove).certainly_lt(&limit));
        assert!(ratio(Direction::Add).certainly_lt(&limit));
        if exponent == 20 {
            assert!(*ratio(Direction::Remove).lo() > 0.4999);
            assert!(*ratio(Direction::Add).hi() < 1e-7);
        }
    }
}

#[test]
fn hostile_numbers_end_soon() {
    for (text, order) in [
        (
            r#"{"kind":"dp-sgd","noise-multiplier":"1e-9","sample-rate":"1e-300","steps":1000000000000}"#,
            "1e300",
        ),
        (
            r#"{"kind":"dp-sgd","noise-multiplier":"1e9","sample-rate":"0.5","steps":1000000000000}"#,
            "1e300",
        ),
        (
            r#"{"kind":"dp-sgd","noise-multiplier":"1e-9","sample-rate":"0.5","steps":1}"#,
            "1.5",
        ),
        (
            r#"{"kind":"dp-sgd","noise-multiplier":"1e-4","sample-rate":"0.5","steps":1}"#,
            "1e-300",
        ),
        (
            r#"{"kind":"discrete-gaussian","sigma":"1e-9","sensitivity":3}"#,
            "1e300",
        ),
        (r#"{"kind":"laplace","scale":"1e-300"}"#, "1e300"),
        (
            r#"{"kind":"randomized-response","epsilon":"1e300"}"#,
            "1e300",
        ),
        (
            r#"{"kind":"subsampled","rate":"1e-30","of":{"kind":"laplace","scale":"1e-9"}}"#,
            "1e5",
        ),
    ] {
        let parts = parts(text);
        let order = dpcmp::number::parse_rational(order).unwrap();
        for direction in BOTH {
            let found = at(&parts, &order, direction);
            assert!(*found.lo() >= 0, "{text} {order}");
        }
    }
}
