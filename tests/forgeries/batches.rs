//! Lies about batches of a largest size, choices on samples, private selections, classes beside other steps, and random allocations.

use serde_json::json;

use super::corpus::{Lie, flipped, list, source};
use super::with_claim_file;

#[rustfmt::skip]
pub(super) const LIES: &[Lie] = &[
    ("largest-batch-of-fewer", 105, |c| with_claim_file(c, |f| f["mechanism"]["max-batch"] = json!(135)), "bound", 1),
    ("largest-batch-of-more-records", 105, |c| with_claim_file(c, |f| f["mechanism"]["dataset-size"] = json!(1010)), "bound", 1),
    ("batches-cut-without-a-word", 105, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("largest-batch-of-something-else", 105, |c| with_claim_file(c, |f| f["mechanism"]["of"] = json!({"kind": "histogram", "of": {"kind": "gaussian", "sigma": "2"}})), "no-certificate-yet", 2),
    ("largest-batch-of-all", 105, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("1")), "no-certificate-yet", 2),
    ("largest-batch-refuted-by-what-is-above", 106, |c| { drop(c["proof"].as_object_mut().unwrap().remove("member")); with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.0197415")) }, "wrong-kind", 1),
    ("more-than-a-largest-batch-shows", 106, |c| { source(c)["bounds"][0] = json!("26240690000000000000000000000000000"); with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.0197413")) }, "bound", 1),
    ("less-than-a-largest-batch-tells", 107, |c| { source(c)["bounds"][0] = json!("13092000000000000000000000000000000"); with_claim_file(c, |f| f["claim"]["delta"] = json!("0.00985")) }, "bound", 1),
    ("choices-on-a-sample-that-tell-more", 108, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.0098")), "inequality", 1),
    ("choices-on-a-smaller-sample", 108, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.099")), "inequality", 1),
    ("selection-of-less-noise", 109, |c| with_claim_file(c, |f| f["mechanism"]["of"]["sigma"] = json!("1.9")), "bound", 1),
    ("selection-of-more-runs", 109, |c| with_claim_file(c, |f| f["mechanism"]["runs"]["mean"] = json!("2.1")), "bound", 1),
    ("selection-of-a-class", 109, |c| with_claim_file(c, |f| f["mechanism"]["of"] = json!({"kind": "zcdp", "rho": "0.1"})), "no-certificate-yet", 2),
    ("selection-of-very-little-noise", 109, |c| with_claim_file(c, |f| f["mechanism"]["of"]["sigma"] = json!("0.01")), "bound", 1),
    ("less-than-a-selection-may-tell", 109, |c| { source(c)["bounds"][0] = json!("175990000000000000000000000000000000"); with_claim_file(c, |f| f["claim"]["delta"] = json!("0.1325")) }, "bound", 1),
    ("more-than-a-selection-shows", 110, |c| { source(c)["bounds"][0] = json!("49395000000000000000000000000000000"); with_claim_file(c, |f| f["claim"]["delta"] = json!("0.037155")) }, "bound", 1),
    ("selection-in-another-order", 110, |c| { c["proof"]["member"] = json!(1) }, "bound", 1),
    ("class-beside-less-noise", 111, |c| with_claim_file(c, |f| f["mechanism"]["of"][1]["of"]["scale"] = json!("0.5")), "bound", 1),
    ("class-beside-more-runs", 111, |c| with_claim_file(c, |f| f["mechanism"]["of"][1]["times"] = json!(40)), "bound", 1),
    ("class-of-more-beside-noise", 111, |c| with_claim_file(c, |f| f["mechanism"]["of"][0]["rho"] = json!("0.2")), "bound", 1),
    ("class-beside-what-may-be-impossible", 111, |c| with_claim_file(c, |f| f["mechanism"]["of"][1]["of"] = json!({"kind": "approx-dp", "epsilon": "1", "delta": "1e-9"})), "no-closed-form", 1),
    ("test-of-two-classes-as-one", 112, |c| with_claim_file(c, |f| f["mechanism"]["of"][0] = json!({"kind": "zcdp", "rho": "0.05", "times": 2})), "no-closed-form", 1),
    ("test-beyond-a-class-beside-noise", 112, |c| source(c)["pair"] = json!(["0.61", "0.39"]), "no-closed-form", 1),
    ("strict-mu-beside-more-loss", 113, |c| with_claim_file(c, |f| f["mechanism"]["of"][1]["p"] = json!(["0.8", "0.1", "0.1"])), "no-fixed-point", 1),
    ("strict-mu-beside-what-may-be-impossible", 113, |c| with_claim_file(c, |f| f["mechanism"]["of"][1]["p"] = json!(["0.5", "0.5", "0"])), "no-fixed-point", 1),
    // Random allocations.
    ("epoch-of-fewer-steps", 114, |c| { with_claim_file(c, |f| f["mechanism"]["steps"] = json!(19)) }, "exact-value", 1),
    ("epoch-of-less-noise", 114, |c| with_claim_file(c, |f| f["mechanism"]["of"]["sigma"] = json!("1.9")), "exact-value", 1),
    ("epoch-looked-at-too-near", 114, |c| { c["proof"]["allocations"][0][2] = json!("20") }, "exact-value", 1),
    ("epoch-of-squarings-left-out", 114, |c| drop(c["proof"]["allocations"][0].as_array_mut().unwrap().pop()), "skipped-step", 1),
    ("epoch-that-is-not-planned", 114, |c| c["proof"]["allocations"] = json!([]), "skipped-part", 1),
    ("epoch-that-is-told", 114, |c| drop(c["proof"].as_object_mut().unwrap().remove("allocations")), "not-exact", 1),
    ("epoch-beside-a-member", 115, |c| c["proof"]["member"] = json!(0), "wrong-kind", 1),
    ("epoch-refuted-by-what-is-above", 115, |c| with_claim_file(c, |f| f["claim"]["delta"] = json!("0.0026")), "exact-value", 1),
    ("epoch-of-few-and-wide-cells", 115, |c| { c["proof"] = json!({"allocations": [["1/512", "4", "16384", "0", "0", "0", "0"]], "kind": "profile", "sources": [{"bounds": ["3455992789040781269549898356728896"], "direction": "remove", "epsilons": ["1/5"]}]}); with_claim_file(c, |f| f["claim"]["delta"] = json!("0.0026")) }, "bound", 1),
    ("epoch-verified-by-what-is-below", 114, |c| with_claim_file(c, |f| f["claim"]["delta"] = json!("0.00259")), "exact-value", 1),
    ("epoch-of-more-steps-refuted", 115, |c| with_claim_file(c, |f| f["mechanism"]["steps"] = json!(22)), "exact-value", 1),
    ("epoch-without-chance", 115, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("allocation-of-no-allocation", 114, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "gaussian", "sigma": "40"})), "conditions", 1),
    ("epochs-of-more-steps-that-have-it", 116, |c| with_claim_file(c, |f| f["mechanism"]["of"][0]["selected"] = json!(3)), "bound", 1),
    ("blocks-that-refute", 116, |c| { with_claim_file(c, |f| f["claim"]["delta"] = json!("0.0001")); flipped(c) }, "wrong-kind", 1),
];
