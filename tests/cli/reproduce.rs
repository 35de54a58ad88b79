//! `dpcmp reproduce`.

use crate::dpcmp;

fn fares(name: &str) -> Vec<(String, String)> {
    let run = dpcmp(&["reproduce", name, "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let rows = run.objects()[0]["rows"].as_array().unwrap().clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| (text(&row["what"]), text(&row["agreement"])))
        .collect()
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

#[test]
fn a_page_for_people() {
    let run = dpcmp(&["reproduce", "conversions"]);
    insta::assert_snapshot!("reproduce_conversions", run.stdout);
    let run = dpcmp(&["reproduce", "figure-9"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("rule-of-thumb"), "{}", run.stderr);
}
