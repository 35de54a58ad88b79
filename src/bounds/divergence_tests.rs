//! The Δ-divergence against closed forms and exact values.

use std::sync::Arc;

use rug::Rational;

use super::*;
use crate::bounds::testing::{Finite, is_near, meets, with_effort};
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::laplace::Laplace;

fn gaussian(mu: (i64, i64)) -> TwoSided {
    TwoSided::closed_form(Arc::new(Gaussian::from_mu(&Rational::from(mu))))
}

fn laplace() -> TwoSided {
    let one = Rational::from(1);
    TwoSided::closed_form(Arc::new(Laplace::from_noise(&one, &one)))
}

fn plain(first: &TwoSided, second: &TwoSided) -> Divergence {
    with_effort(12, 128, |effort| {
        divergence(first, second, &HyperPrior::Uniform, &[], effort).unwrap()
    })
}

/// Kaissis et al. 2024, listing B.3.
#[test]
fn gauss_and_laplace() {
    let there = plain(&gaussian((1, 1)), &laplace());
    let back = plain(&laplace(), &gaussian((1, 1)));
    println!("{there:?} {back:?}");
    assert!(is_near(&there.value, "0.00527220886967018", 12));
    assert!(is_near(&back.value, "0.03413854660910679", 12));
    assert!(meets(&there.value, 12) && meets(&back.value, 12));
}

#[test]
fn a_mechanism_that_reveals_nothing() {
    let nothing = Finite::new(&[(1, 1)], &[(1, 1)]).sides();
    let found = plain(&nothing, &laplace());
    assert!(
        is_near(&found.value, "0.19673467014368328820", 12),
        "{found:?}"
    );
    let zero = plain(&laplace(), &nothing);
    assert!(*zero.value.upper() == 0, "{zero:?}");
}
