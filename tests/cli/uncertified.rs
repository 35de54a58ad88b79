//! Decided claims without a certificate: why is said.

use crate::dpcmp_reading;

/// What only a sum of scores refutes is refuted, and is not certified.
#[test]
fn sums_of_scores_are_not_certified() {
    let line = r#"{"mechanism":{"kind":"random-allocation","steps":100,"selected":3,"of":{"kind":"gaussian","sigma":1,"record-bound":1}},"claim":{"kind":"approx-dp","epsilon":"1.8","delta":"1e-6"}}"#;
    let run = dpcmp_reading(&["verify", "-"], line);
    assert_eq!(run.code, 1, "{}", run.page());
    let reason = "no certificate: the checker does not read sums of scores";
    assert!(run.page().contains(reason), "{}", run.page());
}
