//! `dpcmp reproduce`.

use crate::{dpcmp, is_thorough};

fn fares(name: &str) -> Vec<(String, String)> {
    let run = dpcmp(&["reproduce", name, "--format", "json"]);
    let rows = run.objects()[0]["rows"].as_array().unwrap().clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let rows: Vec<(String, String)> = rows
        .iter()
        .map(|row| (text(&row["what"]), text(&row["agreement"])))
        .collect();
    // 1 says that something printed is refuted.
    let is_refuted = rows.iter().any(|(_, agreement)| agreement == "refuted");
    assert_eq!(run.code, i32::from(is_refuted), "{}", run.stderr);
    rows
}

/// Table 3 of Gomez et al. 2025 is right to its two digits, and Propositions 6.1 and 6.2 hold.
#[test]
fn what_agrees() {
    let table = fares("conversions");
    assert_eq!(table.len(), 24);
    assert!(
        table.iter().all(|(_, agreement)| agreement == "agrees"),
        "{table:?}"
    );
    let propositions = fares("propositions");
    assert!(
        propositions
            .iter()
            .all(|(_, agreement)| agreement != "refuted"),
        "{propositions:?}"
    );
}

/// The μ of its Table 2 are not those of its hyper-parameters.
#[test]
fn what_does_not() {
    let models = fares("image-models");
    assert_eq!(models.len(), 16);
    assert!(
        models.iter().all(|(_, agreement)| agreement == "refuted"),
        "{models:?}"
    );
}

/// Nor is the rule of thumb true: σ = 2 and T = 400 have a regret above 0.01 for some sampling rates. All rows take some
/// minutes, so they are for `DPCMP_TEST_SCALE` at 10 or more.
#[test]
fn the_rule_of_thumb_has_exceptions() {
    if !is_thorough() {
        let page = r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":"0.1","steps":400}"#;
        let run = dpcmp(&[
            "bound",
            page,
            "regret:mu=1.1209",
            "gdp-mu:error-floor=1e-10",
            "--format",
            "json",
        ]);
        let (regret, mu) = (&run.objects()[0], &run.objects()[1]);
        let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<f64>().unwrap();
        // Every μ that is true above the floor is above 1.1209, and its regret is larger.
        assert!(number(&mu["lower"]) > 1.1209 && number(&regret["lower"]) > 0.0131);
        return;
    }
    let rows = fares("rule-of-thumb");
    let refuted: Vec<&str> = rows
        .iter()
        .filter(|(_, agreement)| agreement == "refuted")
        .map(|(what, _)| what.as_str())
        .collect();
    assert_eq!(
        refuted,
        [
            "σ = 2, T = 400, q = 0.07",
            "σ = 2, T = 400, q = 0.1",
            "σ = 2, T = 400, q = 0.2"
        ]
    );
    assert!(
        rows.iter().all(|(_, agreement)| agreement != "undecided"),
        "{rows:?}"
    );
}

#[test]
fn a_page_for_people() {
    let run = dpcmp(&["reproduce", "conversions"]);
    insta::assert_snapshot!("reproduce_conversions", run.stdout);
    let run = dpcmp(&["reproduce", "figure-9"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("rule-of-thumb"), "{}", run.stderr);
}

/// Kulynych et al. 2024 and Kaissis et al. 2024: what their figures print and say, for `DPCMP_TEST_SCALE` at 10 or more.
#[test]
fn figures_of_calibration() {
    if !is_thorough() {
        return;
    }
    let agreement = |rows: &[(String, String)], what: &str| {
        let row = rows.iter().find(|(name, _)| name.starts_with(what));
        row.unwrap_or_else(|| panic!("{what} in {rows:?}"))
            .1
            .clone()
    };
    let risks = fares("attack-risks");
    for (what, expected) in [
        ("Fig. 3a, η ≤ 0.01", "refuted"),
        ("Fig. 3a, η ≤ 0.25", "agrees"),
        ("Fig. 3b", "agrees"),
        ("Fig. 5: ε at δ = 1e-5 that", "agrees"),
        ("Fig. 5: ε of that noise", "refuted"),
        ("Fig. 5: best ε'", "refuted"),
        ("Fig. 5: δ' there", "refuted"),
        ("Fig. 6, η ≤ 0.5, FPR 0.1: FNR lost, as", "agrees"),
        ("Fig. 6, η ≤ 0.5, FPR 0.1: FNR lost, of", "refuted"),
    ] {
        assert_eq!(agreement(&risks, what), expected, "{what}");
    }
    let figures = fares("recalibration");
    for (what, expected) in [
        ("Fig. 5: neighbours in σ", "agrees"),
        ("Fig. 6: largest", "refuted"),
        ("Fig. 6: neighbours in N", "agrees"),
        ("Fig. 6: neighbours in p", "agrees"),
        ("Fig. 6: neighbours in σ", "refuted"),
    ] {
        assert_eq!(agreement(&figures, what), expected, "{what}");
    }
}
