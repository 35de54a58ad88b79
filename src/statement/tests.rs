//! What lies beyond a range is refused, and its ends are not.

use rug::Rational;

use super::{Claim, Measure, Query, Requirement};
use crate::mechanism::{Domain, Epsilon, GdpForm, OutOfRange, Prior};

/// Numbers about the ends of every range.
const NUMBERS: [&str; 10] = [
    "-1", "-1e-9", "0", "1e-9", "0.499", "1/2", "1", "1.001", "2", "1e9",
];

/// Accepts exactly the numbers of the range, and names the parameter that is out of it.
fn holds<T>(domain: Domain, parameter: &str, make: impl Fn(&'static str) -> Result<T, OutOfRange>) {
    for text in NUMBERS {
        let value = crate::number::parse_rational(text).unwrap();
        match make(text) {
            Ok(_) => assert!(domain.contains(&value), "{parameter} = {text}"),
            Err(error) => {
                assert!(!domain.contains(&value), "{parameter} = {text}: {error}");
                assert_eq!(error.parameter(), parameter, "{text}");
            }
        }
    }
}

#[test]
fn claims() {
    use Domain::{AboveOne, ErrorFloor, NonNegative, Tolerance, Unit};
    holds(NonNegative, "epsilon", Claim::pure_dp);
    holds(Domain::Real, "epsilon", |x| Claim::approx_dp(x, 0));
    holds(NonNegative, "delta", |x| Claim::approx_dp(1, x));
    holds(NonNegative, "mu", Claim::gdp);
    holds(Tolerance, "tolerance", |x| Claim::gdp_up_to(1, x));
    holds(ErrorFloor, "error-floor", |x| Claim::gdp_above(1, x));
    holds(NonNegative, "mu", |x| Claim::regret(x, 1));
    holds(NonNegative, "at-most", |x| Claim::regret(1, x));
    holds(NonNegative, "rho", Claim::zcdp);
    holds(AboveOne, "order", |x| Claim::rdp(x, 1));
    holds(NonNegative, "epsilon", |x| Claim::rdp(2, x));
    holds(NonNegative, "at-most", Claim::advantage);
    holds(Unit, "alpha", |x| Claim::trade_off(x, 0));
    holds(Unit, "beta", |x| Claim::trade_off(0, x));
    let half = Rational::from((1, 2));
    for form in [GdpForm::Tolerance(half.clone()), GdpForm::ErrorFloor(half)] {
        assert!(Claim::gdp_as(1, form.clone()).is_err());
        assert!(Query::gdp_mu_as(form).is_err());
    }
    let below_one = Epsilon::log_of(Rational::from((1, 2))).unwrap();
    assert!(Claim::pure_dp(&below_one).is_err());
    assert!(Claim::approx_dp(&below_one, 0).is_ok());
}

#[test]
fn queries() {
    use Domain::{ErrorFloor, NonNegative, Positive, Tolerance, Unit};
    holds(Domain::Real, "epsilon", Query::delta);
    holds(NonNegative, "delta", Query::epsilon);
    holds(Unit, "alpha", Query::trade_off);
    holds(Unit, "prior", Query::bayes_error);
    holds(Tolerance, "tolerance", Query::gdp_mu_up_to);
    holds(ErrorFloor, "error-floor", Query::gdp_mu_above);
    holds(NonNegative, "mu", Query::regret);
    holds(Positive, "order", Query::renyi);
    assert!(Query::delta("no number").is_err());
}

#[test]
fn requirements() {
    for measure in [Measure::TruePositiveRate, Measure::Accuracy] {
        holds(Domain::Unit, "fpr", |x| Requirement::at_fpr(measure, x, 0));
        holds(Domain::Unit, "at-most", |x| {
            Requirement::at_fpr(measure, 0, x)
        });
    }
    holds(Domain::Unit, "prior", |x| Requirement::bayes_error(x, 0));
    holds(Domain::Unit, "at-least", |x| Requirement::bayes_error(0, x));
    holds(Domain::NonNegative, "delta", |x| Requirement::profile(1, x));
}

#[test]
fn priors() {
    holds(Domain::Positive, "a", |x| Prior::beta(x, 1));
    holds(Domain::Positive, "b", |x| Prior::beta(1, x));
    let table = |points: &[(i64, i64)]| {
        let half = |n: i64| Rational::from((n, 2));
        Prior::table(points.iter().map(|(x, y)| (half(*x), half(*y))).collect())
    };
    assert!(table(&[(0, 0), (1, 9), (2, 0)]).is_ok());
    for points in [
        &[][..],
        &[(0, 1)],
        &[(0, 1), (0, 1)],
        &[(1, 1), (0, 1)],
        &[(-1, 1), (0, 1)],
        &[(0, 1), (3, 1)],
        &[(0, 1), (1, -1)],
    ] {
        assert!(table(points).is_err(), "{points:?}");
    }
}
