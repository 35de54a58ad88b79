//! Lies about batches of a largest size, choices on samples, private selections, and classes beside other steps.

use serde_json::json;

use super::corpus::{Lie, list, source};
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
];
