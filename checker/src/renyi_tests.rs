//! Divergences of sampled Gaussians against their definition by quadrature, at whole orders and between them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{LARGEST_ORDER, sampled_gaussian};
use crate::coarse::ends;
use crate::law::Side;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

/// log E (1 − r + r·e^(μx − μ²/2))^t over x ~ N(0, 1): the trapezoidal rule, whose error is far below what is compared.
fn psi(mu: f64, rate: f64, order: f64) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for i in -12_000..=12_000 {
        let x = f64::from(i) / 500.0;
        let ratio = 1.0 - rate + rate * (mu * x - mu * mu / 2.0).exp();
        sum += (order * ratio.ln() - x * x / 2.0).exp();
        all += (-x * x / 2.0).exp();
    }
    (sum / all).ln()
}

fn bounds(square: &BigRational, rate: &BigRational, order: &BigRational, side: Side) -> (f64, f64) {
    work::begin(None);
    let (low, high) = ends(&sampled_gaussian(square, rate, order, side).unwrap());
    (low.to_f64().unwrap(), high.to_f64().unwrap())
}

#[test]
fn sampled_gaussians_by_quadrature() {
    for (mu, rate) in [(q(1, 1), q(1, 10)), (q(1, 2), q(1, 3)), (q(2, 1), q(1, 20)), (q(1, 1), q(9, 10))] {
        let square = &mu * &mu;
        let truth = |order: f64| psi(mu.to_f64().unwrap(), rate.to_f64().unwrap(), order);
        for (whole, part) in [(1, q(1, 2)), (2, q(0, 1)), (2, q(1, 2)), (3, q(1, 3)), (6, q(9, 10)), (7, q(0, 1))] {
            let order = q(whole, 1) + &part;
            let (whole, part) = (whole.to_f64().unwrap(), part.to_f64().unwrap());
            // ψ is convex: below the chord to the next whole order, above the line through the one before.
            let chord = truth(whole) + (truth(whole + 1.0) - truth(whole)) * part;
            let line = match (whole < 2.0, part > 0.0) {
                (true, true) => 0.0,
                _ => truth(whole) + (truth(whole) - truth(whole - 1.0)) * part,
            };
            for (side, value) in [(Side::Upper, chord), (Side::Lower, line)] {
                let (low, high) = bounds(&square, &rate, &order, side);
                assert!(low <= high && high - low < 1e-15, "{mu} {rate} {order}: {low} {high}");
                assert!((low - value).abs() < 1e-9, "{mu} {rate} {order}: {low} {value}");
            }
            let exact = truth(whole + part);
            assert!(line <= exact + 1e-9 && chord >= exact - 1e-9, "{mu} {rate} {order}: {line} {exact} {chord}");
        }
    }
}

#[test]
fn orders_are_limited() {
    work::begin(None);
    let (square, rate) = (q(1, 100), q(1, 10));
    let at = |order: i64| sampled_gaussian(&square, &rate, &BigRational::from(BigInt::from(order)), Side::Upper);
    assert!(at(LARGEST_ORDER).is_err());
    assert!(at(200).is_ok());
}
