//! `dpcmp verify` on claims that say of a mechanism what its makers do: they hold with equality, and nothing less does.

use crate::dpcmp_reading;

#[test]
fn what_makers_say_holds_with_equality() {
    let shuffled = |users: u64, of: &str| {
        format!(
            r#"{{"kind":"shuffled","users":{users},"of":{{"kind":{of}}},"adjacency":"replace-one"}}"#
        )
    };
    let group = |of: &str| format!(r#"{{"kind":"group","records":2,"of":{{"kind":{of}}}}}"#);
    let top = r#"{"kind":"top-k","k":3,"epsilon":"0.4"}"#;
    for (mechanism, claim, less) in [
        // Adaptive runs of an ε-DP mechanism are kε-DP, and large datasets come as near as is wanted.
        (
            top.to_owned(),
            r#""pure-dp","epsilon":"1.2""#,
            r#""pure-dp","epsilon":"1.199999999""#,
        ),
        // Shuffled reports tell no more than reports.
        (
            shuffled(5, r#""pure-dp","epsilon":1"#),
            r#""pure-dp","epsilon":1"#,
            r#""pure-dp","epsilon":"0.999999999""#,
        ),
        (
            shuffled(5, r#""randomized-response","epsilon":1,"k":2"#),
            r#""pure-dp","epsilon":1"#,
            r#""pure-dp","epsilon":"0.999999999""#,
        ),
        (
            shuffled(50_000, r#""randomized-response","epsilon":"0.7","k":3"#),
            r#""pure-dp","epsilon":"0.7""#,
            r#""pure-dp","epsilon":"0.699999999""#,
        ),
        (
            shuffled(50_000, r#""pure-dp","exp-epsilon":3"#),
            r#""pure-dp","exp-epsilon":3"#,
            r#""pure-dp","exp-epsilon":"2.999999999""#,
        ),
        // k²ρ for a group of k.
        (
            group(r#""zcdp","rho":"0.1""#),
            r#""zcdp","rho":"0.4""#,
            r#""zcdp","rho":"0.399999999""#,
        ),
    ] {
        for (claim, verdict) in [(claim, "verified"), (less, "refuted")] {
            let line = format!(r#"{{"mechanism":{mechanism},"claim":{{"kind":{claim}}}}}"#);
            let run = dpcmp_reading(&["verify", "--format", "json", "-"], line.clone());
            let found = &run.objects()[0]["claims"][0];
            assert_eq!(found["verdict"], verdict, "{line}: {found}");
        }
    }
}
