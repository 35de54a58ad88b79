//! Samples of which only bounds are known, against searches in floats.

use super::*;
use crate::mechanism::Mechanism;
use crate::renyi::RhoSearch;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];

fn sampled(rate: Rational, of: Mechanism) -> Parts {
    Parts::of(Mechanism::subsampled(rate, of).unwrap().steps()).unwrap()
}

fn top(parts: &Parts, order: &Rational) -> f64 {
    let of = |direction| {
        let found = parts.divergence(order, direction, 100, &Budget::unlimited());
        found.unwrap().hi().to_f64()
    };
    BOTH.map(of).into_iter().fold(0.0, f64::max)
}

/// D_t of two outcomes.
fn of_two(order: f64, [p, q]: [f64; 2]) -> f64 {
    let moment = |a: f64, b: f64| a.powf(order) * b.powf(1.0 - order);
    (moment(q, p) + moment(1.0 - q, 1.0 - p)).ln() / (order - 1.0)
}

/// An exponential mechanism on a sample: above all pairs of candidates, and no more than randomised response with the loss of the sample, which is far less than without it.
#[test]
fn samples_of_choices() {
    let (rate, e) = (0.1, 1f64.exp());
    let parts = sampled(q(1, 10), Mechanism::exponential(1).unwrap());
    let response = 1.0 + rate * (e - 1.0);
    for (n, d) in [(1, 2), (3, 2), (2, 1), (5, 1), (40, 1)] {
        let order = f64::from(n) / f64::from(d);
        let found = top(&parts, &q(i64::from(n), i64::from(d)));
        let mut attained = 0.0f64;
        for k in 1..2_000 {
            let p = f64::from(k) / 2_000.0;
            let with = p * e / (1.0 - p + p * e);
            let mixed = (1.0 - rate) * p + rate * with;
            attained = attained.max(of_two(order, [p, mixed]));
            attained = attained.max(of_two(order, [mixed, p]));
        }
        let [low, high] = [1.0, response].map(|part| part / (1.0 + response));
        let most = of_two(order, [low, high]);
        assert!(
            attained <= found * (1.0 + 1e-9),
            "{order}: {attained} {found}"
        );
        assert!(found <= most * (1.0 + 1e-9), "{order}: {found} {most}");
    }
    assert!(top(&parts, &q(2, 1)) < 0.024_89);
    let budget = Budget::unlimited();
    let mut search = RhoSearch::new(&parts, &BOTH, 60, &budget).unwrap();
    for _ in 0..64 {
        if !search.refine(&budget).unwrap() {
            break;
        }
    }
    assert!(search.enclosure().unwrap().hi().to_f64() < 0.0140);
}

/// Several steps on one sample: of 50 steps of Laplace noise, with a loss of 5, half of all records in it, the divergence is less than without the sample and no less than that of
/// randomised response on the sample, to which all of them say whether they were answered with the larger probability.
#[test]
fn samples_of_compositions() {
    let of = Mechanism::compose(vec![(Mechanism::laplace(10, 1).unwrap(), 50)]).unwrap();
    let parts = sampled(q(1, 2), of.clone());
    let whole = Parts::of(of.steps()).unwrap();
    for order in [q(1, 2), q(1, 1), q(2, 1), q(30, 1)] {
        let (found, without) = (top(&parts, &order), top(&whole, &order));
        assert!(found < without, "{order}: {found} {without}");
        let excess = order.to_f64() - 1.0;
        let mixed = if excess == 0.0 {
            without / 2.0
        } else {
            (0.5 * (excess * without).exp_m1()).ln_1p() / excess
        };
        assert!(found <= mixed * (1.0 + 1e-9), "{order}: {found} {mixed}");
    }
    // Losses without an end have no such response.
    assert!(largest_loss(Mechanism::gaussian(1, 1).unwrap().steps()).is_none());
    assert!(largest_loss(Mechanism::approx_dp(1, "1e-6").unwrap().steps()).is_none());
    let five = largest_loss(of.steps()).unwrap();
    assert!(five.contains(&q(5, 1)));
}

/// A mixture that says which part ran, on a sample, is the mixture of the samples.
#[test]
fn a_sample_of_a_mixture_is_a_mixture_of_samples() {
    let noise = || {
        [
            Mechanism::gaussian(2, 1).unwrap(),
            Mechanism::laplace(2, 1).unwrap(),
        ]
    };
    let mixture = |parts: [Mechanism; 2]| {
        let weights = [q(1, 3), q(2, 3)];
        Mechanism::mixture(weights.into_iter().zip(parts).collect()).unwrap()
    };
    let whole = sampled(q(1, 10), mixture(noise()));
    let parts = mixture(noise().map(|of| Mechanism::subsampled(q(1, 10), of).unwrap()));
    let parts = Parts::of(parts.steps()).unwrap();
    for order in [q(1, 2), q(1, 1), q(2, 1), q(7, 1)] {
        for direction in BOTH {
            let of = |parts: &Parts| {
                let found = parts.divergence(&order, direction, 80, &Budget::unlimited());
                found.unwrap()
            };
            let (one, other) = (of(&whole), of(&parts));
            assert!(one.lo() <= other.hi() && other.lo() <= one.hi(), "{order}");
            assert!(one.width_up() < 1e-15, "{order}: {one:?}");
        }
    }
}

/// What is known without a search is that of the whole, mixed at the rate: of ρ = 1/10 at t = 2 no more than log(1 + (e^0.2 − 1)/3).
#[test]
fn quick_bounds_of_samples_are_mixed_at_the_rate() {
    let bound = Mechanism::zcdp(q(1, 10)).unwrap();
    let most = Parts::of(bound.steps()).unwrap();
    let bound = AtMost::sampled(&q(1, 3), bound.steps(), most);
    let truth = (0.2f64.exp_m1() / 3.0).ln_1p();
    for direction in BOTH {
        let found = bound.cheap_bounds(&q(2, 1), direction, 100).unwrap();
        assert!(found.lo().is_zero());
        assert!((found.hi().to_f64() / truth - 1.0).abs() < 1e-12);
    }
}

/// The odds of the response are rounded up, and so is ε²/2: each is no less than its value at twice as many bits.
#[test]
fn bounds_by_largest_losses_are_rounded_up() {
    for (n, d) in [(1, 1), (1, 3), (7, 5), (2, 1)] {
        let of = Mechanism::laplace(q(d, n), 1).unwrap();
        for rate in [q(1, 3), q(1, 10), q(3, 7)] {
            let found = response(&rate, of.steps()).unwrap();
            let found = found.divergence(&q(2, 1), Direction::Remove, 250, &Budget::unlimited());
            let number = |x: &Rational| Interval::from_rational(x, 250);
            let odds = number(&q(n, d)).exp_m1().mul(&number(&rate));
            let odds = odds.add(&Interval::one(250));
            // (e³ + 1)/(e(e + 1)).
            let one = Interval::one(250);
            let cube = odds.mul(&odds).mul(&odds).add(&one);
            let least = cube.div(&odds.mul(&odds.add(&one))).ln();
            let found = found.unwrap();
            assert!(found.lo() > least.hi(), "{n}/{d} {rate}");
            assert!(found.sub(&least).hi().to_f64() < 1e-25, "{n}/{d} {rate}");
        }
    }
    for odds in [2u32, 3, 5, 10, 11] {
        let epsilon = Epsilon::log_of(Rational::from(odds)).unwrap();
        let step = Step::finite(FiniteLosses::RandomizedResponse { epsilon, k: 2 });
        let rho = crate::renyi::concentrated_at_most(&step).unwrap();
        let loss = Interval::from_rational(&Rational::from(odds), 250).ln();
        let least = Rational::from(loss.hi().to_rational().unwrap().square_ref()) / 2u32;
        assert!(rho > least && rho - least < q(1, 1 << 50), "{odds}");
    }
}
