//! Parts whose divergences are known, and bounds of those that are not.

use super::*;
use crate::renyi::exact_rho;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

const DIRECTIONS: [Direction; 2] = [Direction::Remove, Direction::Add];

fn divergence(base: &Base, order: &Rational, direction: Direction) -> Interval {
    let found = base.divergence(order, direction, 80, &Budget::unlimited());
    found.unwrap()
}

/// tμ²/2 of Gaussian noise, and of discrete Gaussian noise where the order times its shift is whole; Gaussian parts are one.
#[test]
fn exact_divergences() {
    let mut all = Parts { parts: Vec::new() };
    all.push(Base::Gaussian(q(3, 5)), &Integer::from(2));
    all.push(Base::Gaussian(q(1, 7)), &Integer::from(1));
    all.push(Base::DiscreteGaussian(q(9, 1), 2), &Integer::from(3));
    all.push(Base::Laplace(q(0, 1)), &Integer::from(5));
    let square = q(6, 5) + q(1, 7) + q(4, 9) * 3u32;
    for order in [q(1, 1), q(5, 2), q(7, 1)] {
        let truth = &square * order.clone() / 2u32;
        assert_eq!(all.exact_divergence(&order), Some(truth.clone()), "{order}");
        for direction in DIRECTIONS {
            let budget = Budget::unlimited();
            let found = all.divergence(&order, direction, 80, &budget).unwrap();
            assert!(found.contains(&truth), "{order}");
            let cheap = all.cheap_bounds(&order, direction, 80).unwrap();
            assert!(
                cheap.lo() <= found.hi() && cheap.hi() >= found.lo(),
                "{order}"
            );
        }
    }
    assert_eq!(all.exact_divergence(&q(1, 4)), None);
    // Without the Laplace noise half of all μ² is what zCDP is about.
    all.parts.pop();
    assert_eq!(exact_rho(&all), Some(square / 2u32));
}

/// In floats, by the formula for orders above 1.
#[test]
fn laplace_noise_by_its_formula() {
    for (epsilon, order) in [((1, 2), (3, 1)), ((2, 1), (3, 2)), ((3, 1), (10, 1))] {
        let (epsilon, order) = (Rational::from(epsilon), Rational::from(order));
        let (e, t) = (epsilon.to_f64(), order.to_f64());
        let rise = t / (2.0 * t - 1.0) * ((t - 1.0) * e).exp();
        let fall = (t - 1.0) / (2.0 * t - 1.0) * (-t * e).exp();
        let truth = (rise + fall).ln() / (t - 1.0);
        for direction in DIRECTIONS {
            let found = divergence(&Base::Laplace(epsilon.clone()), &order, direction);
            assert!((found.middle().to_f64() - truth).abs() < 1e-12, "{e} {t}");
        }
    }
}

/// What is only bounded is anything from 0 up to the bound.
#[test]
fn bounds_reach_down_to_nothing() {
    let order = q(3, 1);
    let base = Base::AtMost(AtMost::of(Parts::of_one(Base::Gaussian(q(1, 2)))));
    for direction in DIRECTIONS {
        let cheap = base.cheap_bounds(&order, direction, 80).unwrap();
        for found in [divergence(&base, &order, direction), cheap] {
            assert!(
                found.contains(&q(0, 1)) && found.contains(&q(3, 4)),
                "{found:?}"
            );
        }
    }
}

/// Of a batch of fixed size, and of shuffled answers: what dominates them is above, and bounds at few bits are around those at many.
#[test]
fn batches_are_between_their_bounds() {
    for text in [
        r#"{"kind":"subsampled","sampling":"without-replacement","dataset-size":40,"batch-size":10,
            "adjacency":"replace-one","of":{"kind":"gaussian","noise-multiplier":2}}"#,
        r#"{"kind":"shuffled","users":100,"adjacency":"replace-one",
            "of":{"kind":"randomized-response","epsilon":1}}"#,
    ] {
        let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
        let under = file.mechanism.under(crate::mechanism::Relation::ReplaceOne);
        let mechanism = under.unwrap();
        let base = Base::of(mechanism.steps().single().unwrap()).unwrap();
        let Base::Batch(batch) = &base else {
            panic!("{base:?}");
        };
        let budget = Budget::unlimited();
        for order in [q(1, 2), q(1, 1), q(3, 1)] {
            let fine = batch.divergence(&order, 100, &budget).unwrap();
            assert!(fine.lo() < fine.hi() && fine.hi().is_finite() && *fine.lo() > 0);
            for bits in [5, 8, 11] {
                let coarse = batch.divergence(&order, bits, &budget).unwrap();
                assert!(
                    coarse.lo() <= fine.lo() && coarse.hi() >= fine.hi(),
                    "{order} {bits}"
                );
            }
            let most = DIRECTIONS.map(|direction| {
                let found = batch.most().divergence(&order, direction, 100, &budget);
                found.unwrap().hi().clone()
            });
            assert!(most.iter().any(|most| most >= fine.hi()), "{order}");
            // Of answers no record is left out: the larger of both orders counts.
            if text.contains("shuffled") {
                let high = fine.hi().to_f64() * 1.000_001;
                assert!(most.iter().all(|most| *most <= high), "{order}");
            }
            for direction in DIRECTIONS {
                let cheap = base.cheap_bounds(&order, direction, 80).unwrap();
                assert!(*cheap.lo() <= 0 && cheap.hi() >= fine.hi(), "{order}");
            }
        }
    }
}

/// Of a pair whose divergences are not built in closed form anything may be.
#[test]
fn what_is_not_built_is_not_known() {
    let text = r#"{"kind":"subsampled","sampling":"without-replacement","dataset-size":40,"batch-size":10,
        "adjacency":"replace-one","of":{"kind":"gaussian","noise-multiplier":2}}"#;
    let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let under = file.mechanism.under(crate::mechanism::Relation::ReplaceOne);
    let mechanism = under.unwrap();
    let Step::Closed(pair) = mechanism.steps().single().unwrap() else {
        panic!("a pair of its own");
    };
    let base = Base::Closed(pair.clone());
    for direction in DIRECTIONS {
        let found = divergence(&base, &q(3, 1), direction);
        assert!(*found.lo() <= 0 && found.hi().is_infinite(), "{found:?}");
    }
}

/// What is cheap is a bound also where the order and the shift are large; infinite losses are below no line.
#[test]
fn cheap_bounds_of_large_shifts() {
    let base = Base::DiscreteGaussian(q(1, 1), 3);
    for order in [q(5, 2), q(4, 1), q(9, 1)] {
        let cheap = base.cheap_bounds(&order, Direction::Remove, 80).unwrap();
        let found = divergence(&base, &order, Direction::Remove);
        assert!(*cheap.hi() >= *found.lo(), "{order}");
    }
    let all = Parts {
        parts: vec![Power {
            base,
            times: Integer::from(2),
        }],
    };
    assert!(all.is_below_a_line(Direction::Remove, &q(1, 1)));
    let infinite = crate::mechanism::approx_dp::law(&q(1, 1).into(), &q(1, 10)).unwrap();
    let infinite = Parts::of_law(Arc::new(infinite));
    assert!(matches!(infinite.parts.as_slice(), [one] if one.times == 1));
    assert!(!infinite.is_below_a_line(Direction::Remove, &q(1, 1)));
}
