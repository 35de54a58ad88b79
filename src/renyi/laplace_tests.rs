//! Laplace noise by its formula, at orders below 1 and at 1 too.

use super::*;

/// log((t·e^{(t − 1)ε} + (t − 1)·e^{−tε})/(2t − 1))/(t − 1), in floats.
fn formula(e: f64, t: f64) -> f64 {
    let rise = t * ((t - 1.0) * e).exp();
    let fall = (t - 1.0) * (-t * e).exp();
    ((rise + fall) / (2.0 * t - 1.0)).ln() / (t - 1.0)
}

#[test]
fn every_order() {
    for epsilon in [(1, 5), (1, 1), (4, 1)].map(Rational::from) {
        let e = epsilon.to_f64();
        for order in [(1, 10), (1, 3), (2, 3), (3, 2), (2, 1), (9, 1)].map(Rational::from) {
            let truth = formula(e, order.to_f64());
            for bits in [3, 6, 100] {
                let found = divergence(&epsilon, &order, bits);
                let slack = 1e-12 * (1.0 + truth);
                let is_within =
                    found.lo().to_f64() <= truth + slack && found.hi().to_f64() >= truth - slack;
                assert!(is_within, "{epsilon} {order} {bits}: {found:?} {truth}");
                assert!(bits < 100 || found.width_up() < 1e-20, "{order}");
            }
        }
        for (order, truth) in [
            (Rational::from((1, 2)), e - 2.0 * (1.0 + e / 2.0).ln()),
            (Rational::from(1), e - 1.0 + (-e).exp()),
        ] {
            let found = divergence(&epsilon, &order, 100).middle().to_f64();
            assert!((found - truth).abs() < 1e-12, "{epsilon} {order}");
        }
    }
}
