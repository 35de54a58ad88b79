//! The Δ-divergence against closed forms and exact values.

use std::sync::Arc;

use rug::Rational;

use super::*;
use crate::bounds::testing::{
    Finite, contains, decimal, is_near, meets, power_of_ten, with_effort,
};
use crate::mechanism::Prior;
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::laplace::Laplace;

fn gaussian(mu: (i64, i64)) -> TwoSided {
    TwoSided::closed_form(Arc::new(Gaussian::from_mu(&Rational::from(mu))))
}

fn laplace() -> TwoSided {
    let one = Rational::from(1);
    TwoSided::closed_form(Arc::new(Laplace::from_noise(&one, &one)))
}

pub(super) fn plain(first: &TwoSided, second: &TwoSided) -> Divergence {
    weighted(first, second, &Prior::uniform(), 12)
}

pub(super) fn weighted(
    first: &TwoSided,
    second: &TwoSided,
    prior: &Prior,
    digits: u32,
) -> Divergence {
    with_effort(digits, 128, |effort| {
        divergence(first, second, prior, &[], effort).unwrap()
    })
}

/// Kaissis et al. 2024, listing B.3.
#[test]
fn gauss_and_laplace() {
    let there = plain(&gaussian((1, 1)), &laplace());
    let back = plain(&laplace(), &gaussian((1, 1)));
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

/// Values from mpmath with 60 digits, by a scan of log(π/(1 − π)) and golden sections.
#[test]
fn beta_densities_of_ordinary_and_of_extreme_shapes() {
    let (gauss, laplace) = (gaussian((1, 1)), laplace());
    for (a, b, there, back) in [
        (
            "0.5",
            "0.5",
            "0.003356392410483776227325096",
            "0.02450700381339988638281059",
        ),
        (
            "2",
            "5",
            "0.005218594523314479346874901",
            "0.07867426408410797407290448",
        ),
        (
            "0.1",
            "3",
            "2.996120166297448736982921e-4",
            "0.006871308402303282253747702",
        ),
        (
            "1e-3",
            "1e-3",
            "1.052982749558493829482539930e-5",
            "8.6676123924407264464641e-5",
        ),
        (
            "1e3",
            "1e3",
            "0.1881019855786368643572173",
            "5.355749142306472994741563e-15",
        ),
        (
            "1e6",
            "1e6",
            "5.949049909480731496241024",
            "3.437181033378595797934189e-11688",
        ),
        (
            "1e-300",
            "1e-300",
            "1.054441773934036912079124e-302",
            "8.681707678235709167098688e-302",
        ),
        (
            "1e-3",
            "1e3",
            "3.744001232195532894766012e-243",
            "8.969022435198140632747501e-13",
        ),
    ] {
        let prior = Prior::beta(a, b).unwrap();
        for (found, truth) in [
            (weighted(&gauss, &laplace, &prior, 9), there),
            (weighted(&laplace, &gauss, &prior, 9), back),
        ] {
            // The decimals are cut off after 25 digits.
            let truth = decimal(truth);
            let slack = Float::with_val(200, &truth * power_of_ten(23));
            let (low, high) = (found.value.lower(), found.value.upper());
            assert!(
                *low <= Float::with_val(200, &truth + &slack),
                "{a} {b} {found:?}"
            );
            assert!(
                *high >= Float::with_val(200, &truth - &slack),
                "{a} {b} {found:?}"
            );
            assert!(meets(&found.value, 9), "{a} {b} {found:?}");
        }
    }
}

/// The supremum is at the very end of the table, where the density jumps from 0 to 5.
#[test]
fn the_largest_difference_is_at_a_jump_of_the_density() {
    let a = Finite::new(&[(0, 1), (1, 1)], &[(1, 7), (6, 7)]);
    let b = Finite::new(&[(0, 1), (1, 1)], &[(4, 23), (19, 23)]);
    let points = [((19, 24), 5), ((11, 12), 0)];
    let points = points.map(|(at, value)| (Rational::from(at), Rational::from(value)));
    let density = Prior::table(points.to_vec()).unwrap();
    let found = weighted(&a.sides(), &b.sides(), &density, 8);
    // At π = 19/24 both guess from the outcome: 5·(5/24)·(6/7 − 19/23).
    let truth = Rational::from((25, 24)) * (Rational::from((6, 7)) - Rational::from((19, 23)));
    assert!(
        contains(&found.value, &truth) && meets(&found.value, 8),
        "{found:?}"
    );
}

/// No time or little precision leaves bounds that are true of any two mechanisms.
#[test]
fn hostile_scales() {
    let huge = crate::number::parse_rational("1e300").unwrap();
    let response = crate::mechanism::Mechanism::pure_dp(huge)
        .unwrap()
        .profile_of_step();
    let response = TwoSided::closed_form(response.unwrap());
    let found = plain(&response, &gaussian((1, 1)));
    assert!(*found.value.upper() <= 0.5, "{found:?}");
}

/// The places of the first look rise, none is missing, and they reach as far as they say.
#[test]
fn first_looks_rise() {
    let places = overview(64);
    assert_eq!(places.len(), 321);
    assert!(places.windows(2).all(|two| two[0] < two[1]));
    assert_eq!(places[160], 0);
    assert!((places[320].to_f64() - 20.0 * 2f64.powf(160.0 / 24.0)).abs() < 1e-9);
}
