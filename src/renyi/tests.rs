//! Divergences against closed forms, brute force, each other, and what is known of Rényi divergences.

use rug::{Float, Integer, Rational};

use super::mpmath_cases::CASES;
use super::rho::{Place, RhoSearch, exact_rho};
use super::sampled::divergence as sampled;
use super::sampled_moment::SampledGaussian;
use super::*;
use crate::input::mechanism_from_bytes;
use crate::kernel::{Budget, Interval};
use crate::mechanism::Direction;

const BITS: u32 = 128;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

pub(super) fn parts(text: &str) -> Parts {
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

pub(super) const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];

/// One mechanism of every kind, asymmetric ones among them.
pub(super) const ZOO: [&str; 13] = [
    r#"{"kind":"gaussian","sigma":2}"#,
    r#"{"kind":"laplace","scale":1}"#,
    r#"{"kind":"discrete-laplace","scale":2,"sensitivity":3}"#,
    r#"{"kind":"discrete-gaussian","sigma":"0.6","sensitivity":1}"#,
    r#"{"kind":"randomized-response","epsilon":1}"#,
    r#"{"kind":"randomized-response","epsilon":1,"k":5}"#,
    r#"{"kind":"pure-dp","epsilon":"0.5"}"#,
    r#"{"kind":"finite","p":["1/2","1/4","1/8","1/8"],"q":["1/3","1/12","1/4","1/3"]}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"gaussian","sigma":1}}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"laplace","scale":"0.5"}}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"discrete-gaussian","sigma":"0.6"}}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"randomized-response","epsilon":2}}"#,
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":2,"times":3},{"kind":"subsampled","rate":"0.1","of":{"kind":"gaussian","sigma":1}}]}"#,
];

pub(super) fn orders() -> Vec<Rational> {
    [
        (1, 4),
        (1, 2),
        (3, 4),
        (1, 1),
        (9, 8),
        (3, 2),
        (2, 1),
        (5, 2),
        (4, 1),
        (17, 2),
        (40, 1),
    ]
    .map(Rational::from)
    .to_vec()
}

#[test]
fn every_kind_is_narrow_monotone_and_convex() {
    for text in ZOO {
        let parts = parts(text);
        for direction in BOTH {
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
        let is_asked = |place| place == number % 2 || crate::test_scale::is_thorough();
        for (_, direction) in (0..).zip(BOTH).filter(|(place, _)| is_asked(*place)) {
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

/// Riemann sums of ∫φ·w^a with the range of the integrand on every cell, and nothing in common with the code.
fn brute_force(rate: &Rational, mean: &Rational, power: &Rational) -> Interval {
    let bits = 64;
    let exact = |x: &Rational| Interval::from_rational(x, bits);
    let rest = exact(&Rational::from(1 - rate));
    let (rate, mean, power) = (exact(rate), exact(mean), exact(power));
    let half = exact(&q(1, 2));
    let shift = mean.square().mul(&half);
    let width = q(1, 512);
    let mut sum = Interval::zero(bits);
    for j in -512 * 12..512 * 20 {
        let low = Rational::from(&width * Integer::from(j));
        let high = Rational::from(&low + &width);
        let z = exact(&low).hull(&exact(&high));
        let ratio = rest.add(&rate.mul(&mean.mul(&z).sub(&shift).exp()));
        let value = power.mul(&ratio.ln()).sub(&z.square().mul(&half)).exp();
        sum = sum.add(&value.mul(&exact(&width)));
    }
    // What is outside is below 1e-15 for the cases asked for.
    let tails = Interval::zero(bits).hull(&exact(&q(1, 1_000_000_000_000)));
    sum.add(&tails).div(&super::trapezoid::root_two_pi(bits))
}

#[test]
fn subsampled_gaussians_agree_with_brute_force() {
    for (rate, mean) in [
        (q(3, 10), q(1, 1)),
        (q(1, 100), q(2, 1)),
        (q(9, 10), q(1, 2)),
    ] {
        let pair = SampledGaussian {
            rate: rate.clone(),
            square: mean.clone().square(),
            spacing: None,
        };
        for power in [q(-3, 1), q(-1, 2), q(1, 3), q(3, 2), q(3, 1), q(7, 2)] {
            let found = pair
                .log_moment(&power, BITS, &Budget::unlimited())
                .unwrap()
                .unwrap();
            let direct = brute_force(&rate, &mean, &power).ln();
            assert!(direct.width_up() < 0.1);
            meet(&found, &direct, &format!("{rate} {mean} {power}"));
        }
    }
}

/// The binomial sum and the integral of the same moment; just beside an integer only the integral is used.
#[test]
fn series_and_integral_agree() {
    let step = Rational::from((1, Integer::from(1) << 90u32));
    for (rate, square) in [
        (q(1, 100), q(1, 1)),
        (q(1, 2), q(4, 1)),
        (q(1, 1000), q(1, 9)),
    ] {
        for spacing in [None, Some(q(1, 4)), Some(q(9, 4))] {
            // A lattice with integer distances: μ = d/σ.
            let square = spacing.as_ref().map_or(square.clone(), |s| s.clone());
            let pair = SampledGaussian {
                rate: rate.clone(),
                square,
                spacing,
            };
            for n in [2, 5, 32] {
                let n = q(n, 1);
                let of = |order: &Rational| {
                    sampled(&pair, order, Direction::Remove, 200, &Budget::unlimited()).unwrap()
                };
                let (below, at, above) = (
                    of(&Rational::from(&n - &step)),
                    of(&n),
                    of(&Rational::from(&n + &step)),
                );
                assert!(is_narrow(&at, 30) && is_narrow(&below, 30) && is_narrow(&above, 30));
                assert!(
                    below.lo() <= at.hi() && at.lo() <= above.hi(),
                    "{pair:?} {n}"
                );
                let gap = Float::with_val(64, above.hi() - below.lo());
                assert!(
                    gap < Float::with_val(64, at.lo()) * 1e-20,
                    "{pair:?} {n}: {gap}"
                );
            }
        }
    }
}

#[test]
fn the_definition_by_mpmath() {
    for (text, order, direction, truth) in &CASES {
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

#[test]
fn what_is_known_without_integration_contains_the_integrals() {
    for (rate, square) in [
        (q(1, 100), q(1, 1)),
        (q(1, 2), q(25, 1)),
        (q(99, 100), q(1, 100)),
    ] {
        let pair = SampledGaussian {
            rate,
            square,
            spacing: None,
        };
        for order in orders() {
            for direction in BOTH {
                let outside = super::sampled::coarse(&pair, &order, direction).unwrap();
                let power = match direction {
                    Direction::Remove => order.clone(),
                    Direction::Add => Rational::from(1 - &order),
                };
                if order == 1 {
                    continue;
                }
                let moment = pair
                    .log_moment(&power, BITS, &Budget::unlimited())
                    .unwrap()
                    .unwrap();
                let inside =
                    moment.div(&Interval::from_rational(&Rational::from(&order - 1), BITS));
                assert!(
                    outside.lo() <= inside.hi() && inside.lo() <= outside.hi(),
                    "{pair:?} {order}"
                );
            }
        }
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
        let parts = parts(text);
        let found = match exact_rho(&parts) {
            Some(exact) => Interval::from_rational(&exact, BITS),
            None => {
                let (found, _) = rho(&parts, 30);
                assert!(is_narrow(&found, 8), "{text} {found:?}");
                found
            }
        };
        for order in orders().iter().filter(|order| **order >= 1) {
            for direction in BOTH {
                let ratio = at(&parts, order, direction).div(&Interval::from_rational(order, BITS));
                assert!(ratio.lo() <= found.hi(), "{text} {order}");
            }
        }
        // What is added is the same whatever the kind, and the search takes long: by default a step and a composition.
        if number % 4 != 0 && !crate::test_scale::is_thorough() {
            continue;
        }
        let more = format!(r#"{{"kind":"compose","of":[{text},{{"kind":"gaussian","sigma":1}}]}}"#);
        let more = super::tests::parts(&more);
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
        let order = crate::number::parse_rational(order).unwrap();
        for direction in BOTH {
            let found = at(&parts, &order, direction);
            assert!(*found.lo() >= 0, "{text} {order}");
        }
    }
}
