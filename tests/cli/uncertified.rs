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

/// A step that reveals nothing has losses of no width, and does not set the width of the cells of the others: of such a claim the planning once overflowed.
#[test]
fn a_step_that_reveals_nothing_is_planned_beside_others() {
    let line = r#"{"mechanism":{"kind":"compose","of":[{"kind":"subsampled","rate":"6/7","of":{"kind":"finite","p":["3/8","5/8"],"q":["3/8","5/8"]}},{"kind":"subsampled","rate":"10/11","of":{"kind":"finite","p":["9/23","0","5/23","9/23"],"q":["0","7/13","1/13","5/13"]},"times":4}],"adjacency":"add"},"claim":{"kind":"rdp","order":"3/2","epsilon":"5.7234"}}"#;
    let run = dpcmp_reading(&["verify", "-"], line);
    assert_eq!(run.code, 0, "{}", run.page());
    assert!(!run.page().contains("no certificate"), "{}", run.page());
}
