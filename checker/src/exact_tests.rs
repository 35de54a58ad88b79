//! Fractions where they decide: claims that hold with equality, e^ε that is a fraction or not.

use num_rational::BigRational;

use crate::claim::{Form, read};
use crate::proof::prove;
use crate::reason::Reason;
use crate::value::json;
use crate::work;

fn proved(mechanism: &str, claim: &str, verified: bool) -> Result<(), Reason> {
    work::begin(None);
    let file =
        read(&format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#), Form::File, 0).map_err(|no| no.reason)?;
    prove(&file, verified, &json(r#"{"kind":"exact"}"#).unwrap()).map_err(|no| no.reason)
}

fn delta_claim(epsilon: &str, delta: &str) -> String {
    format!(r#"{{"kind":"approx-dp","epsilon":"{epsilon}","delta":"{delta}"}}"#)
}

/// What is guaranteed is true as it is claimed, and for more; e^ε is no fraction.
#[test]
fn guarantees_that_say_what_is_claimed() {
    let of = r#"{"kind":"approx-dp","epsilon":"1","delta":"0.001"}"#;
    for (epsilon, delta, is_said) in [
        ("1", "0.001", true),
        ("1.01", "0.001", true),
        ("1", "0.002", true),
        ("0.99", "0.001", false),
        ("1", "0.00099", false),
    ] {
        assert_eq!(proved(of, &delta_claim(epsilon, delta), true).is_ok(), is_said, "{epsilon} {delta}");
        assert!(proved(of, &delta_claim(epsilon, delta), false).is_err(), "{epsilon} {delta}");
    }
}

/// (0, 1/10)-DP twice is (0, 19/100)-DP, and no less.
#[test]
fn guarantees_at_epsilon_0_compose() {
    let of = r#"{"kind":"compose","of":[{"kind":"approx-dp","epsilon":0,"delta":"1/10","times":2}]}"#;
    for (delta, is_true) in [("0.19", true), ("0.2", true), ("0.1899", false)] {
        assert_eq!(proved(of, &delta_claim("0", delta), true).is_ok(), is_true, "{delta}");
        assert_eq!(proved(of, &delta_claim("0", delta), false).is_ok(), !is_true, "{delta}");
    }
}

/// δ(1) of (1/10, 9/10) against (9/10, 1/10) is 9/10 − e/10 = 0.62817…, in either order.
#[test]
fn deltas_where_odds_are_no_fraction() {
    let of = r#"{"kind":"finite","p":["1/10","9/10"],"q":["9/10","1/10"]}"#;
    for (delta, is_true) in [("0.6282", true), ("0.628171818", true), ("0.628171817", false), ("0.62", false)] {
        assert_eq!(proved(of, &delta_claim("1", delta), true).is_ok(), is_true, "{delta}");
        assert_eq!(proved(of, &delta_claim("1", delta), false).is_ok(), !is_true, "{delta}");
    }
    // e^(−1) is below every ratio of the first order of the next one, and above that of nothing.
    let of = r#"{"kind":"finite","p":["1/2","1/2","0"],"q":["1/4","1/4","1/2"],"adjacency":"remove"}"#;
    // 1 − e^(−1) = 0.63212…
    for (delta, is_true) in [("0.633", true), ("0.632", false)] {
        assert_eq!(proved(of, &delta_claim("-1", delta), true).is_ok(), is_true, "{delta}");
        assert_eq!(proved(of, &delta_claim("-1", delta), false).is_ok(), !is_true, "{delta}");
    }
}

/// The least miss at a size between two tests, by hand: tests (0, 1), (1/10, 1/2), (1, 0) in the order `remove`.
#[test]
fn curves_between_two_tests() {
    let of = r#"{"kind":"finite","p":["1/10","9/10"],"q":["1/2","1/2"],"adjacency":"remove"}"#;
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    for (alpha, beta) in
        [(q(0, 1), q(1, 1)), (q(1, 20), q(3, 4)), (q(1, 10), q(1, 2)), (q(11, 20), q(1, 4)), (q(1, 1), q(0, 1))]
    {
        let claim = |beta: &BigRational| format!(r#"{{"kind":"trade-off","alpha":"{alpha}","beta":"{beta}"}}"#);
        assert!(proved(of, &claim(&beta), true).is_ok() && proved(of, &claim(&beta), false).is_err(), "{alpha}");
        let more = &beta + q(1, 1_000_000);
        if more < q(1, 1) {
            assert!(proved(of, &claim(&more), true).is_err() && proved(of, &claim(&more), false).is_ok(), "{alpha}");
        }
    }
}
