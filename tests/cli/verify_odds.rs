//! `dpcmp verify` on claims that are stated by e^ε.

use crate::dpcmp_reading;

/// Randomised response with odds of 3 is exactly log 3-DP, and a composition of n of them exactly n·log 3-DP.
#[test]
fn claims_at_exact_odds_are_decided_with_equality() {
    let response = r#"{"kind":"randomized-response","exp-epsilon":3,"k":4}"#;
    let three =
        r#"{"kind":"compose","of":[{"kind":"randomized-response","exp-epsilon":3,"times":3}]}"#;
    let pair = r#"{"kind":"finite","p":["1/4","3/4"],"q":["3/4","1/4"]}"#;
    let class = r#"{"kind":"approx-dp","exp-epsilon":3,"delta":"1/10"}"#;
    let points = r#"{"kind":"profile","points":[{"exp-epsilon":3,"delta":"1/10"},[0,"2/5"]]}"#;
    let noise = r#"{"kind":"laplace","scale":1}"#;
    let gaussian = r#"{"kind":"gaussian","mu-squared":1}"#;
    for (mechanism, claim, verdict, quantity) in [
        (
            response,
            r#""pure-dp","exp-epsilon":3"#,
            "verified",
            "delta(log 3)",
        ),
        (
            response,
            r#""pure-dp","exp-epsilon":"2.999""#,
            "refuted",
            "max-loss",
        ),
        (
            response,
            r#""pure-dp","exp-epsilon":"3.001""#,
            "verified",
            "max-loss",
        ),
        (
            response,
            r#""approx-dp","exp-epsilon":2,"delta":"1/6""#,
            "verified",
            "delta(log 2)",
        ),
        (
            response,
            r#""approx-dp","exp-epsilon":2,"delta":"0.16666666""#,
            "refuted",
            "delta(log 2)",
        ),
        (
            three,
            r#""pure-dp","exp-epsilon":27"#,
            "verified",
            "delta(log 27)",
        ),
        (
            three,
            r#""pure-dp","exp-epsilon":"26.999""#,
            "refuted",
            "max-loss",
        ),
        (
            pair,
            r#""pure-dp","exp-epsilon":3"#,
            "verified",
            "delta(log 3)",
        ),
        (
            class,
            r#""approx-dp","exp-epsilon":3,"delta":"1/10""#,
            "verified",
            "delta(log 3)",
        ),
        (
            points,
            r#""approx-dp","exp-epsilon":2,"delta":"1/4""#,
            "verified",
            "delta(log 2)",
        ),
        (
            noise,
            r#""pure-dp","exp-epsilon":"2.718""#,
            "refuted",
            "max-loss",
        ),
        (
            noise,
            r#""pure-dp","exp-epsilon":"2.719""#,
            "verified",
            "max-loss",
        ),
        (
            gaussian,
            r#""pure-dp","exp-epsilon":"1e30""#,
            "refuted",
            "max-loss",
        ),
    ] {
        let line = format!(r#"{{"mechanism":{mechanism},"claim":{{"kind":{claim}}}}}"#);
        let run = dpcmp_reading(&["verify", "--format", "json", "-"], line.clone());
        let found = &run.objects()[0]["claims"][0];
        assert_eq!(found["verdict"], verdict, "{line}: {found}");
        assert_eq!(found["quantity"], quantity, "{line}: {found}");
    }
}

#[test]
fn words_of_claims_at_exact_odds() {
    let line = r#"{"mechanism":{"kind":"randomized-response","exp-epsilon":3},"claim":[
        {"kind":"pure-dp","exp-epsilon":3},{"kind":"pure-dp","exp-epsilon":"2.999"},{"kind":"approx-dp","exp-epsilon":2,"delta":0.2}]}"#;
    insta::assert_snapshot!(dpcmp_reading(&["verify", "-"], line).page());
}

/// A Rényi divergence is compared with ε itself; the message says so, in a claim and in a mechanism.
#[test]
fn rdp_takes_no_odds() {
    let gaussian = r#"{"kind":"gaussian","sigma":1}"#;
    let pure = r#"{"kind":"pure-dp","epsilon":1}"#;
    let claim = r#"{"kind":"rdp","order":2,"exp-epsilon":3}"#;
    let mechanism = r#"{"kind":"rdp","orders":[{"order":2,"exp-epsilon":3}]}"#;
    for (mechanism, claim) in [(gaussian, claim), (mechanism, pure)] {
        let line = format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#);
        let run = dpcmp_reading(&["verify", "-"], line);
        assert_eq!(run.code, 2, "{}", run.page());
        let words = "`exp-epsilon` cannot stand for the `epsilon` of `rdp`";
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}
