//! Lies with a name, and the reason for which each is rejected.

use dpcmp_check::{Options, Place, Reason};
use serde_json::{Value, json};

use super::{
    batches, canonical, certificate, check, comparisons, put_claim_file, put_statement,
    with_claim_file,
};

/// A lie about the true certificate of a line, the reason, and the exit code.
pub(super) type Lie = (&'static str, usize, fn(&mut Value), &'static str, i32);

pub(super) fn source(certificate: &mut Value) -> &mut Value {
    &mut certificate["proof"]["sources"][0]
}

pub(super) fn part(certificate: &mut Value) -> &mut Value {
    &mut source(certificate)["law"]["parts"][0]
}

fn set_all_laws(certificate: &mut Value, set: fn(&mut Value)) {
    for source in certificate["proof"]["sources"].as_array_mut().unwrap() {
        set(&mut source["law"]);
    }
}

pub(super) fn flipped(certificate: &mut Value) {
    let verdict = certificate["verdict"].as_str().unwrap();
    certificate["verdict"] = Value::from(if verdict == "verified" {
        "refuted"
    } else {
        "verified"
    });
    put_statement(certificate);
}

pub(super) fn sources(certificate: &mut Value) -> &mut Vec<Value> {
    certificate["proof"]["sources"].as_array_mut().unwrap()
}

pub(super) fn list<'a>(value: &'a mut Value, key: &str) -> &'a mut Vec<Value> {
    value[key].as_array_mut().unwrap()
}

#[rustfmt::skip]
const LIES: &[Lie] = &[
    // The claim and its frame.
    ("claim-text-changed", 1, |c| c["claim-file"]["text"] = json!("{}"), "hash", 1),
    ("hash-changed", 1, |c| c["claim-file"]["sha256"] = json!("0".repeat(64)), "hash", 1),
    ("statement-of-a-stronger-claim", 1, |c| c["statement"] = json!("delta(1) <= 1/1000, adjacency add-remove"), "statement", 1),
    ("statement-of-another-adjacency", 1, |c| c["statement"] = json!("delta(1) <= 1/100, adjacency remove"), "statement", 1),
    ("false-claim-with-its-own-hash", 1, |c| with_claim_file(c, |f| f["claim"]["delta"] = json!("0.001")), "inequality", 1),
    ("false-claim-and-bound", 1, |c| { with_claim_file(c, |f| f["claim"]["delta"] = json!("0.001")); source(c)["bounds"][0] = json!("0") }, "bound", 1),
    ("verdict-flipped", 1, |c| c["verdict"] = json!("refuted"), "statement", 1),
    ("verdict-flipped-with-statement", 1, flipped, "bound", 1),
    ("refutation-flipped", 2, flipped, "bound", 1),
    ("law-refutation-flipped", 4, flipped, "direction", 1),
    ("law-verification-flipped", 19, flipped, "bound", 1),
    ("verdict-neither", 1, |c| c["verdict"] = json!("undecided"), "malformed", 2),
    ("claim-index-out-of-range", 1, |c| c["claim"] = json!(1), "no-such-claim", 1),
    ("claim-index-negative", 1, |c| c["claim"] = json!(-1), "malformed", 2),
    ("schema-of-another-version", 1, |c| c["schema"] = json!("dpcmp.certificate/1"), "malformed", 2),
    ("unknown-key", 1, |c| c["note"] = json!("trust me"), "malformed", 2),
    ("missing-proof", 1, |c| drop(c.as_object_mut().unwrap().remove("proof")), "malformed", 2),
    ("poisson-condition-dropped", 3, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("condition-added", 1, |c| list(c, "conditions").push(json!("sigma is larger than it looks")), "conditions", 1),
    ("larger-noise-in-the-mechanism-only", 1, |c| put_claim_file(c, r#"{"mechanism":{"kind":"gaussian","sigma":"2","sigma":"20"},"claim":{"kind":"approx-dp","epsilon":"1","delta":"0.01"}}"#), "malformed", 2),
    ("smaller-noise", 1, |c| with_claim_file(c, |f| f["mechanism"]["sigma"] = json!("1")), "bound", 1),
    ("more-steps-than-planned", 3, |c| with_claim_file(c, |f| f["mechanism"]["steps"] = json!(9)), "skipped-step", 1),
    ("places-that-wrap-around", 1, |c| { with_claim_file(c, |f| *f = json!({"mechanism": {"kind": "compose", "of": [{"kind": "laplace", "scale": "1", "times": 1 << 25}]}, "claim": {"kind": "advantage", "at-most": "0.001"}})); c["proof"] = json!({"kind": "profile", "sources": [{"direction": "remove", "epsilons": ["0"], "bounds": ["0"], "law": {"light": 0, "step": "1/549755813888", "parts": [{"coarsen": vec![0; 25], "first": 1u64 << 39, "last": 1u64 << 39, "level": 0}]}}]}) }, "limit", 2),
    ("more-steps-same-plan", 3, |c| { with_claim_file(c, |f| { f["mechanism"]["steps"] = json!(7); f["claim"]["delta"] = json!("0.0022") }); for source in sources(c) { source["bounds"][0] = json!("2924301590726814920388375532616758") } }, "bound", 1),
    ("rate-above-one", 3, |c| with_claim_file(c, |f| f["mechanism"]["sample-rate"] = json!("1.5")), "malformed", 2),
    ("larger-rate", 3, |c| with_claim_file(c, |f| f["mechanism"]["sample-rate"] = json!("0.9")), "bound", 1),
    ("misspelt-key", 1, |c| with_claim_file(c, |f| f["mechanism"]["sensitivty"] = json!("9")), "malformed", 2),
    ("probabilities-above-one", 7, |c| with_claim_file(c, |f| f["mechanism"]["p"][0] = json!("2/3")), "malformed", 2),
    ("trees-beside-the-mechanism", 1, |c| { with_claim_file(c, |f| *f = json!({"mechanism": {"kind": "tree-aggregation", "noise-multiplier": "5", "steps": 64}, "restarts": 9, "claim": {"kind": "gdp", "mu": "1"}})); c["proof"] = json!({"kind": "gaussian-mu"}) }, "malformed", 2),
    ("not-a-number", 1, |c| with_claim_file(c, |f| f["mechanism"]["sigma"] = json!("nan")), "malformed", 2),
    ("hexadecimal-number", 1, |c| with_claim_file(c, |f| f["mechanism"]["sigma"] = json!("0x2")), "malformed", 2),
    ("huge-exponent", 1, |c| with_claim_file(c, |f| f["mechanism"]["sigma"] = json!("1e99999999")), "limit", 2),
    ("division-by-zero", 1, |c| with_claim_file(c, |f| f["mechanism"]["sigma"] = json!("1/0")), "malformed", 2),
    ("negative-noise", 1, |c| with_claim_file(c, |f| f["mechanism"]["sigma"] = json!("-2")), "malformed", 2),
    ("other-sampling", 3, |c| with_claim_file(c, |f| f["mechanism"]["sampling"] = json!("balls-in-bins")), "no-certificate-yet", 2),
    ("uncovered-mechanism", 1, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "shuffled", "users": 9, "of": {"kind": "pure-dp", "epsilon": "1"}})), "no-certificate-yet", 2),
    ("uncovered-claim", 1, |c| with_claim_file(c, |f| f["claim"] = json!({"kind": "secrecy", "rho": "1"})), "no-certificate-yet", 2),
    ("regret-read-as-a-tolerance", 1, |c| { with_claim_file(c, |f| *f = json!({"mechanism": {"kind": "finite", "p": ["1"], "q": ["1"]}, "claim": {"kind": "regret", "mu": "1", "at-most": "0.1895"}})); c["proof"] = json!({"kind": "trivial"}) }, "not-trivial", 1),
    ("error-floor-under-the-strict-statement", 12, |c| put_claim_file(c, r#"{"mechanism":{"kind":"dp-sgd","noise-multiplier":"2","sample-rate":"0.01","steps":100},"claim":{"kind":"gdp","mu":"5","error-floor":"1e-9"}}"#), "statement", 1),
    ("error-floor-and-tolerance", 12, |c| with_claim_file(c, |f| { f["claim"]["error-floor"] = json!("1e-9"); f["claim"]["tolerance"] = json!("1e-9") }), "malformed", 2),
    ("error-floor-of-one-half", 12, |c| with_claim_file(c, |f| f["claim"]["error-floor"] = json!("1/2")), "malformed", 2),
    ("another-history", 26, |c| with_claim_file(c, |f| f["mechanism"]["history"] = json!([["0.3", "0.1", 5]])), "bound", 1),
    ("history-with-a-fourth-number", 26, |c| with_claim_file(c, |f| f["mechanism"]["history"][0] = json!([1, "0.1", 3, 1])), "malformed", 2),
    ("history-with-an-adjacency", 26, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("add")), "malformed", 2),
    ("history-beside-a-kind", 26, |c| with_claim_file(c, |f| { f["mechanism"]["kind"] = json!("gaussian"); f["mechanism"]["sigma"] = json!("100") }), "malformed", 2),
    ("history-without-steps", 26, |c| with_claim_file(c, |f| f["mechanism"]["history"] = json!([])), "malformed", 2),
    // Shuffled reports.
    ("fewer-reports", 37, |c| with_claim_file(c, |f| f["mechanism"]["users"] = json!(900)), "bound", 1),
    ("reports-of-a-larger-epsilon", 37, |c| with_claim_file(c, |f| f["mechanism"]["of"]["epsilon"] = json!("1.1")), "bound", 1),
    ("reports-that-are-counted", 37, |c| { with_claim_file(c, |f| drop(f["mechanism"].as_object_mut().unwrap().remove("adjacency"))); put_statement(c) }, "no-certificate-yet", 2),
    ("any-reports-refuted-by-what-is-above", 37, |c| { c["proof"]["member"] = json!(0); with_claim_file(c, |f| f["claim"]["delta"] = json!("1e-10")); flipped(c) }, "bound", 1),
    ("more-answers-of-any-randomiser", 37, |c| with_claim_file(c, |f| f["mechanism"]["of"] = json!({"kind": "randomized-response", "epsilon": "1", "k": 3})), "conditions", 1),
    ("nobody-shuffles", 38, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("reports-of-a-dataset-that-is-none", 38, |c| c["proof"]["member"] = json!(1), "wrong-kind", 1),
    ("more-reports", 38, |c| with_claim_file(c, |f| f["mechanism"]["users"] = json!(6000)), "bound", 1),
    ("fewer-answers", 39, |c| with_claim_file(c, |f| f["mechanism"]["of"]["k"] = json!(3)), "bound", 1),
    ("reports-of-something-else", 39, |c| with_claim_file(c, |f| f["mechanism"]["of"] = json!({"kind": "laplace", "scale": "1", "record-bound": "1"})), "no-certificate-yet", 2),
    ("longer-vectors", 40, |c| with_claim_file(c, |f| f["mechanism"]["l2-sensitivity"] = json!("2.3")), "inequality", 1),
    ("vectors-that-are-replaced", 40, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("replace-one")), "malformed", 2),
    ("cells-of-vectors", 40, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "histogram", "of": {"kind": "skellam", "mean": "20", "l2-sensitivity": "2"}})), "malformed", 2),
    // All of small divergences, also on samples.
    ("a-mu-below-that-of-all-concentrated", 80, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("1.28")), "inequality", 1),
    ("tests-that-are-not-far", 80, |c| *list(source(c), "quantiles").last_mut().unwrap() = json!("1.2"), "inequality", 1),
    ("a-last-point-that-is-left-out", 80, |c| for key in ["bounds", "epsilons", "lines", "quantiles"] { list(source(c), key).pop(); }, "inequality", 1),
    ("more-of-all-orders", 80, |c| with_claim_file(c, |f| f["mechanism"]["rho"] = json!("0.51")), "bound", 1),
    ("equal-errors-that-ask-for-more", 81, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("0.53")), "no-fixed-point", 1),
    ("equal-errors-refute-nothing", 81, |c| { with_claim_file(c, |f| f["claim"]["mu"] = json!("0.3")); flipped(c) }, "no-fixed-point", 1),
    ("guarantees-of-all-orders", 82, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "zcdp", "rho": "0.1"})), "wrong-kind", 1),
    ("an-order-that-is-known", 82, |c| { with_claim_file(c, |f| f["claim"] = json!({"kind": "rdp", "order": "4", "epsilon": "0.6"})); put_statement(c) }, "wrong-kind", 1),
    ("a-tolerance-for-what-is-rare", 82, |c| { with_claim_file(c, |f| f["claim"]["tolerance"] = json!("0.01")); put_statement(c) }, "wrong-kind", 1),
    ("a-larger-sample-of-a-class", 83, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.101")), "bound", 1),
    ("one-order-of-a-sample", 83, |c| drop(sources(c).pop()), "direction", 1),
    ("a-smaller-sample-of-a-member", 84, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.0999")), "bound", 1),
    ("a-pair-beyond-the-class-on-a-sample", 84, |c| source(c)["pair"][1] = json!("0.2"), "inequality", 1),
    ("a-member-of-a-smaller-class", 84, |c| with_claim_file(c, |f| f["mechanism"]["of"]["rho"] = json!("0.4")), "inequality", 1),
    ("noise-on-a-larger-sample", 85, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.201")), "inequality", 1),
    ("one-more-sample-of-outcomes", 86, |c| with_claim_file(c, |f| f["mechanism"]["of"][0]["times"] = json!(4)), "inequality", 1),
    ("tests-of-the-other-order-of-a-sample", 87, |c| { with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("add-remove")); sources(c).swap(0, 1) }, "direction", 1),
    ("a-tolerance-of-a-sample-that-is-less", 87, |c| with_claim_file(c, |f| f["claim"]["tolerance"] = json!("0.0095")), "inequality", 1),
    // Directions.
    ("one-direction-of-two", 3, |c| drop(sources(c).pop()), "direction", 1),
    ("the-same-direction-twice", 3, |c| { let first = sources(c)[0].clone(); sources(c)[1] = first }, "direction", 1),
    ("directions-swapped", 3, |c| sources(c).swap(0, 1), "direction", 1),
    ("the-easier-direction", 19, |c| source(c)["direction"] = json!("remove"), "direction", 1),
    ("easier-direction-under-the-name-of-both", 3, |c| { let mut add = sources(c)[1].clone(); add["direction"] = json!("remove"); add["bounds"][0] = json!("0"); sources(c)[0] = add }, "bound", 1),
    ("refuted-in-the-other-order", 4, |c| { let other = if source(c)["direction"] == "add" { "remove" } else { "add" }; with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!(other)) }, "direction", 1),
    ("unknown-direction", 3, |c| source(c)["direction"] = json!("sideways"), "malformed", 2),
    ("no-sources", 3, |c| sources(c).clear(), "direction", 1),
    ("gaussian-from-one-direction", 9, |c| drop(sources(c).pop()), "direction", 1),
    // Bounds and points.
    ("bound-below-the-truth", 1, |c| source(c)["bounds"][0] = json!("1"), "bound", 1),
    ("bound-above-the-claim", 1, |c| source(c)["bounds"][0] = json!("13292279957849158729038070602803446"), "inequality", 1),
    ("refuting-bound-above-the-truth", 2, |c| source(c)["bounds"][0] = json!("1329227995784915872903807060280344576"), "bound", 1),
    ("refuting-bound-below-the-claim", 2, |c| source(c)["bounds"][0] = json!("1"), "inequality", 1),
    ("bound-negative", 1, |c| source(c)["bounds"][0] = json!("-1"), "malformed", 2),
    ("bound-above-one", 1, |c| source(c)["bounds"][0] = json!("1329227995784915872903807060280344577"), "malformed", 2),
    ("bound-a-fraction", 1, |c| source(c)["bounds"][0] = json!("1/2"), "bound", 1),
    ("bound-of-no-number", 1, |c| source(c)["bounds"][0] = json!("1/0"), "malformed", 2),
    ("bound-between-two-of-the-finest-units", 1, |c| source(c)["bounds"][0] = json!("10000000000000000000000000000000000/3"), "malformed", 2),
    ("bound-missing", 1, |c| list(source(c), "bounds").clear(), "malformed", 2),
    ("another-epsilon", 1, |c| source(c)["epsilons"][0] = json!("2"), "points", 1),
    ("more-points-than-the-claim", 1, |c| { list(source(c), "epsilons").insert(0, json!("0")); list(source(c), "bounds").insert(0, json!("1329227995784915872903807060280344576")) }, "points", 1),
    ("bounds-for-positive-epsilon-only", 9, |c| for key in ["epsilons", "bounds", "quantiles"] { list(source(c), key).remove(0); }, "points", 1),
    ("last-point-dropped", 9, |c| for key in ["epsilons", "bounds", "quantiles"] { list(source(c), key).pop(); }, "inequality", 1),
    ("points-in-the-middle-dropped", 9, |c| for key in ["epsilons", "bounds", "quantiles"] { let all = list(source(c), key); let end = all.len() - 1; all.drain(1..end); }, "inequality", 1),
    ("quantile-dropped", 9, |c| drop(list(source(c), "quantiles").pop()), "points", 1),
    ("quantile-moved", 9, |c| source(c)["quantiles"][0] = json!("-3"), "inequality", 1),
    ("points-not-in-order", 9, |c| { list(source(c), "epsilons").swap(1, 2); list(source(c), "bounds").swap(1, 2) }, "points", 1),
    ("smaller-mu", 9, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("0.2")), "inequality", 1),
    ("no-tolerance", 9, |c| with_claim_file(c, |f| f["claim"]["tolerance"] = json!("0")), "inequality", 1),
    ("infinite-mass-dropped", 9, |c| { let last = list(source(c), "bounds").len() - 1; source(c)["bounds"][last] = json!("0") }, "bound", 1),
    ("strict-from-a-law-with-a-tail", 11, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "gaussian", "sigma": "2"})), "skipped-step", 1),
    ("lines-of-different-slopes", 18, |c| source(c)["epsilons"][0] = json!("0"), "points", 1),
    ("line-without-its-bound", 18, |c| with_claim_file(c, |f| f["claim"]["beta"] = json!("0.835")), "inequality", 1),
    ("refuted-with-a-larger-tolerance", 10, |c| with_claim_file(c, |f| f["claim"]["tolerance"] = json!("0.2")), "inequality", 1),
    ("line-too-low", 18, |c| with_claim_file(c, |f| f["claim"]["beta"] = json!("0.89")), "inequality", 1),
    ("test-larger-than-alpha", 16, |c| source(c)["epsilons"][0] = json!("-1"), "bound", 1),
    ("test-with-too-much-power", 16, |c| source(c)["bounds"][0] = json!("1329227995784915872903807060280344576"), "bound", 1),
    ("test-of-a-law-with-too-much-power", 14, |c| source(c)["bounds"][0] = json!("1329227995784915872903807060280344576"), "bound", 1),
    ("test-with-too-little-power", 14, |c| source(c)["bounds"][0] = json!("0"), "inequality", 1),
    ("error-floor-of-another-mu", 21, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("0.461")), "inequality", 1),
    ("error-floor-lowered", 21, |c| with_claim_file(c, |f| f["claim"]["error-floor"] = json!("1e-4")), "inequality", 1),
    ("error-floor-dropped", 21, |c| with_claim_file(c, |f| drop(f["claim"].as_object_mut().unwrap().remove("error-floor"))), "inequality", 1),
    ("error-floor-from-one-direction", 21, |c| drop(sources(c).pop()), "direction", 1),
    ("error-floor-to-different-points", 21, |c| for key in ["epsilons", "bounds", "quantiles"] { list(source(c), key).pop(); }, "points", 1),
    ("error-floor-not-reached", 21, |c| for source in sources(c) { for key in ["epsilons", "bounds", "quantiles"] { let all = list(source, key); all.remove(all.len() - 2); let last = all.len() - 2; all.truncate(last + 1); } }, "inequality", 1),
    ("test-below-the-error-floor", 22, |c| source(c)["quantiles"][0] = json!("3.5"), "inequality", 1),
    ("test-whose-miss-is-below-the-error-floor", 22, |c| source(c)["quantiles"][0] = json!("-3"), "inequality", 1),
    ("test-of-the-error-floor-raised", 22, |c| with_claim_file(c, |f| f["claim"]["error-floor"] = json!("0.3")), "inequality", 1),
    ("test-at-another-point", 22, |c| source(c)["quantiles"][0] = json!("1.5"), "inequality", 1),
    ("test-of-the-error-floor-with-too-much-power", 22, |c| source(c)["bounds"][0] = json!("1329227995784915872903807060280344576"), "bound", 1),
    ("test-without-a-point", 22, |c| list(source(c), "quantiles").clear(), "malformed", 2),
    ("error-floor-without-its-slope", 12, |c| { list(c, "conditions").pop(); with_claim_file(c, |f| *f = json!({"mechanism": {"kind": "gaussian", "sigma": "1"}, "claim": {"kind": "gdp", "mu": "0.9", "error-floor": "0.2"}})); c["proof"] = json!({"kind": "profile", "sources": [{"bounds": ["509094322254842512920901793445371973"], "direction": "remove", "epsilons": ["0"], "quantiles": ["0.8417"]}]}) }, "inequality", 1),
    ("test-whose-miss-alone-is-below-the-error-floor", 24, |c| { with_claim_file(c, |f| f["claim"]["error-floor"] = json!("0.31")); *source(c) = json!({"bounds": ["945081104995060852834940069829324993"], "direction": "remove", "epsilons": ["-0.107"], "quantiles": ["0.4677"]}) }, "inequality", 1),
    ("test-with-two-bounds", 22, |c| list(source(c), "bounds").push(json!("0")), "malformed", 2),
    ("test-with-two-points", 22, |c| list(source(c), "quantiles").push(json!("0")), "malformed", 2),
    ("test-of-a-closed-form-too-large", 24, |c| source(c)["epsilons"][0] = json!("-0.9"), "bound", 1),
    ("error-floor-refuted-by-the-strict-theorem", 20, |c| with_claim_file(c, |f| f["claim"]["error-floor"] = json!("1e-9")), "wrong-kind", 1),
    ("error-floor-refuted-at-the-fixed-point", 24, |c| c["proof"] = json!({"kind": "fixed-point"}), "wrong-kind", 1),
    // Laws.
    ("step-of-the-powers-skipped", 3, |c| drop(list(part(c), "coarsen").pop()), "skipped-step", 1),
    ("step-of-the-powers-added", 3, |c| list(part(c), "coarsen").push(json!(0)), "skipped-step", 1),
    ("part-skipped", 13, |c| drop(list(&mut source(c)["law"], "parts").pop()), "skipped-part", 1),
    ("part-added", 3, |c| { let more = part(c).clone(); list(&mut source(c)["law"], "parts").push(more) }, "skipped-part", 1),
    ("parts-in-another-order", 13, |c| list(&mut source(c)["law"], "parts").swap(0, 1), "skipped-step", 1),
    ("lattices-too-far-apart", 13, |c| { let part = &mut source(c)["law"]["parts"][1]; part["coarsen"] = json!([60]); part["level"] = json!(9) }, "different-lattices", 1),
    ("lattice-that-does-not-cover", 3, |c| set_all_laws(c, |law| law["parts"][0]["last"] = json!(1)), "bound", 1),
    ("lattice-empty", 3, |c| part(c)["last"] = json!(-1000), "limit", 2),
    ("lattice-endless", 3, |c| part(c)["last"] = json!(1_000_000_000_000i64), "limit", 2),
    ("lattice-far-away", 3, |c| { part(c)["first"] = json!(9_000_000_000_000_000i64); part(c)["last"] = json!(9_000_000_000_000_001i64) }, "limit", 2),
    ("lattice-too-coarse", 3, |c| set_all_laws(c, |law| { law["step"] = json!("8"); law["parts"][0]["first"] = json!(-1); law["parts"][0]["last"] = json!(1) }), "bound", 1),
    ("everything-is-light", 3, |c| set_all_laws(c, |law| law["light"] = json!(119)), "bound", 1),
    ("everything-is-light-and-dropped", 4, |c| set_all_laws(c, |law| law["light"] = json!(119)), "bound", 1),
    ("light-out-of-range", 3, |c| source(c)["law"]["light"] = json!(120), "malformed", 2),
    ("step-zero", 3, |c| source(c)["law"]["step"] = json!("0"), "limit", 2),
    ("step-negative", 3, |c| source(c)["law"]["step"] = json!("-1/4"), "limit", 2),
    ("coarsened-beyond-reason", 3, |c| part(c)["coarsen"][0] = json!(61), "limit", 2),
    ("coarsened-away", 3, |c| set_all_laws(c, |law| law["parts"][0]["coarsen"] = json!([9, 9])), "bound", 1),
    ("closed-form-of-a-composition", 3, |c| for source in sources(c) { source.as_object_mut().unwrap().remove("law"); }, "no-closed-form", 1),
    // Theorems.
    ("largest-loss-understated", 5, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.99999999999999999999999999999999")), "loss-not-bounded", 1),
    ("largest-loss-of-gaussian-noise", 5, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "gaussian", "sigma": "1000"})), "loss-not-bounded", 1),
    ("largest-loss-of-one-step-of-two", 5, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "laplace", "scale": "1", "times": 2}]})), "loss-not-bounded", 1),
    ("smallest-loss-for-the-largest", 5, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "finite", "p": ["1/4", "3/4"], "q": ["3/4", "1/4"]})), "loss-not-bounded", 1),
    ("infinite-loss-dropped", 6, flipped, "loss-not-bounded", 1),
    ("truth-against-another-answer", 7, |c| { c["verdict"] = json!("refuted"); with_claim_file(c, |f| *f = json!({"mechanism": {"event": ["m", "RandomizedResponseDpEvent", "0", 2], "neighboring-relation": "REPLACE_ONE"}, "claim": {"kind": "advantage", "at-most": "1"}})); c["proof"] = json!({"kind": "exact"}) }, "exact-value", 1),
    ("divergence-below-the-largest-loss", 31, |c| { with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.4")); c["proof"] = json!({"kind": "largest-loss"}) }, "loss-not-bounded", 1),
    ("bounded-loss-refuted", 5, flipped, "loss-bounded", 1),
    ("guarantee-of-the-other-order-refuted", 36, |c| { with_claim_file(c, |f| { f["mechanism"] = json!({"kind": "profile", "points": [{"exp-epsilon": "1/2", "delta": "1/2"}]}); f["claim"] = json!({"kind": "pure-dp", "epsilon": "1"}) }); c["proof"] = json!({"kind": "largest-loss"}) }, "loss-bounded", 1),
    ("gaussian-that-is-not-of-the-class", 95, |c| c["proof"]["tests"][0] = json!(["21/100"]), "wrong-kind", 1),
    ("gaussian-that-is-not-of-the-table", 95, |c| c["proof"]["tests"][1] = json!(["41/100"]), "wrong-kind", 1),
    ("gaussian-of-a-negative-square", 95, |c| c["proof"]["tests"][1] = json!(["-1"]), "wrong-kind", 1),
    ("gaussian-of-one-class-of-two", 95, |c| drop(list(&mut c["proof"], "tests").pop()), "wrong-kind", 1),
    ("gaussian-in-the-place-of-a-class-in-a-true-claim", 95, |c| { with_claim_file(c, |f| f["claim"]["delta"] = json!("0.5")); flipped(c) }, "wrong-kind", 1),
    ("gaussian-for-one-class-alone", 95, |c| c["proof"]["tests"][1] = json!([]), "no-closed-form", 1),
    ("gaussian-of-a-bound", 95, |c| { with_claim_file(c, |f| f["mechanism"] = json!({"kind": "zcdp", "rho": "0.1", "xi": "0.2"})); c["proof"]["tests"] = json!([["1/5"]]) }, "wrong-kind", 1),
    ("gaussian-of-another-class-on-a-sample", 96, |c| c["proof"]["tests"][0] = json!(["2"]), "wrong-kind", 1),
    ("group-of-more-vectors", 97, |c| with_claim_file(c, |f| f["mechanism"]["records"] = json!(4)), "mu-squared", 1),
    ("event-of-a-pure-guarantee", 36, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "profile", "points": [{"exp-epsilon": "1/2", "delta": "1/2"}]})), "wrong-kind", 1),
    ("event-that-a-tolerance-allows", 36, |c| with_claim_file(c, |f| f["claim"]["tolerance"] = json!("1e-4")), "wrong-kind", 1),
    ("event-that-an-error-floor-allows", 36, |c| with_claim_file(c, |f| f["claim"]["error-floor"] = json!("1e-4")), "wrong-kind", 1),
    ("event-of-a-true-claim", 36, flipped, "wrong-kind", 1),
    ("event-of-a-curve", 36, |c| with_claim_file(c, |f| f["claim"] = json!({"kind": "advantage", "at-most": "0.99"})), "wrong-kind", 1),
    ("event-on-a-sample-the-other-way-round", 36, |c| { list(c, "conditions").insert(1, json!("batches are Poisson-sampled")); with_claim_file(c, |f| { f["mechanism"] = json!({"kind": "subsampled", "rate": "1/2", "of": {"kind": "approx-dp", "epsilon": "1", "delta": "1e-5"}, "adjacency": "add"}); f["claim"] = json!({"kind": "rdp", "order": 2, "epsilon": "9"}) }) }, "wrong-kind", 1),
    ("gaussian-mu-too-small", 12, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("4.999")), "mu-squared", 1),
    ("gaussian-mu-of-other-noise", 12, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "gaussian", "sigma": "1"}, {"kind": "laplace", "scale": "1"}]})), "conditions", 1),
    ("gaussian-mu-verified-beside-other-noise", 20, |c| { with_claim_file(c, |f| f["claim"]["mu"] = json!("1.0001")); flipped(c) }, "not-gaussian", 1),
    ("gaussian-mu-with-a-tolerance", 12, |c| with_claim_file(c, |f| f["claim"]["tolerance"] = json!("0.1")), "wrong-kind", 1),
    ("fixed-point-beyond", 17, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("1.03")), "fixed-point", 1),
    ("fixed-point-of-two-steps", 17, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "laplace", "scale": "1", "times": 2}]})), "no-fixed-point", 1),
    ("trivial-it-is-not", 15, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.9999999")), "not-trivial", 1),
    ("fixed-point-of-three-answers", 17, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "randomized-response", "epsilon": "1", "k": 3})), "no-fixed-point", 1),
    ("trivial-trade-off-it-is-not", 15, |c| with_claim_file(c, |f| f["claim"] = json!({"kind": "trade-off", "alpha": "0.1", "beta": "1e-9"})), "not-trivial", 1),
    ("trivial-tolerance-it-is-not", 15, |c| with_claim_file(c, |f| f["claim"] = json!({"kind": "gdp", "mu": "0.4", "tolerance": "0.42"})), "not-trivial", 1),
    ("trivial-error-floor-it-is-not", 15, |c| with_claim_file(c, |f| f["claim"] = json!({"kind": "gdp", "mu": "0.4", "error-floor": "0.42"})), "not-trivial", 1),
    ("exact-line-of-one-order", 23, |c| { with_claim_file(c, |f| f["claim"]["beta"] = json!("0.45")); flipped(c) }, "exact-value", 1),
    ("trivially-refuted", 15, flipped, "wrong-kind", 1),
    ("exact-value-changed", 7, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("333333333333333333/1000000000000000000")), "exact-value", 1),
    ("exact-trade-off-flipped", 8, flipped, "exact-value", 1),
    ("hull-of-one-order", 23, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("remove")), "exact-value", 1),
    ("hull-of-the-other-order", 23, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("add")), "exact-value", 1),
    ("hull-below-the-truth", 23, |c| with_claim_file(c, |f| f["claim"]["beta"] = json!("1/4")), "exact-value", 1),
    ("exact-for-other-noise", 7, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "finite", "p": ["1/2", "1/2"], "q": ["1/4", "3/4"]}, {"kind": "randomized-response", "epsilon": 2}]})), "not-exact", 1),
    ("exact-for-more-runs", 7, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "finite", "p": ["1/2", "1/2"], "q": ["1/4", "3/4"], "times": 3}]})), "exact-value", 1),
    ("exact-for-many-outcomes", 7, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "finite", "p": ["1/2", "1/2"], "q": ["1/4", "3/4"], "times": 128}]})), "limit", 2),
    ("exact-for-endless-runs", 7, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "finite", "p": ["1"], "q": ["1"], "times": 1_000_000_000_000u64}]})), "limit", 2),
    // Members, and datasets of what is the worst of many.
    ("member-that-is-not-stated", 29, |c| c["proof"]["member"] = json!(7), "wrong-kind", 1),
    ("member-left-out", 29, |c| drop(c["proof"].as_object_mut().unwrap().remove("member")), "wrong-kind", 1),
    ("member-of-a-true-claim", 30, |c| c["proof"]["member"] = json!(0), "wrong-kind", 1),
    ("dataset-left-out", 28, |c| drop(c["proof"].as_object_mut().unwrap().remove("tests")), "wrong-kind", 1),
    ("dataset-too-many", 28, |c| list(&mut c["proof"], "tests").push(json!(["1/2", "1/4"])), "wrong-kind", 1),
    ("dataset-of-a-true-claim", 27, |c| c["proof"]["tests"] = json!([["0"]]), "wrong-kind", 1),
    ("candidates-too-far-apart", 28, |c| c["proof"]["tests"][0][0] = json!("0.9"), "inequality", 1),
    ("choices-of-a-smaller-epsilon", 28, |c| with_claim_file(c, |f| f["mechanism"]["of"][0]["epsilon"] = json!("0.9")), "inequality", 1),
    ("threshold-at-another-place", 29, |c| c["proof"]["tests"] = json!([["0"]]), "exact-value", 1),
    ("thresholds-out-of-order", 29, |c| c["proof"]["tests"] = json!([["1", "3"]]), "points", 1),
    ("condition-of-shuffled-batches-dropped", 29, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("lower-threshold", 27, |c| with_claim_file(c, |f| f["mechanism"]["threshold"] = json!("4")), "bound", 1),
    ("more-leaves-with-the-record", 30, |c| with_claim_file(c, |f| f["mechanism"]["participations"] = json!(6)), "mu-squared", 1),
    ("less-rho-than-a-tree-has", 30, |c| with_claim_file(c, |f| f["claim"]["rho"] = json!("7.124")), "mu-squared", 1),
    // Several choices together, the best of one run, and members of them.
    ("one-choice-more", 65, |c| with_claim_file(c, |f| f["mechanism"]["k"] = json!(4)), "bound", 1),
    ("larger-odds-of-choices", 65, |c| with_claim_file(c, |f| f["mechanism"]["exp-epsilon"] = json!("3.01")), "bound", 1),
    ("less-delta-than-adversaries-have", 65, |c| { with_claim_file(c, |f| f["claim"]["delta"] = json!("0.3035")); source(c)["bounds"][0] = json!("403420696728790310625299642947080000") }, "bound", 1),
    ("choices-of-another-kind", 65, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "permute-and-flip", "exp-epsilon": "3", "times": 3}]})), "no-closed-form", 1),
    ("refuted-by-what-is-above", 65, flipped, "bound", 1),
    ("fewer-are-chosen", 66, |c| with_claim_file(c, |f| f["mechanism"]["k"] = json!(2)), "exact-value", 1),
    ("candidates-of-the-best-too-far-apart", 66, |c| c["proof"]["tests"][0][0] = json!("0.66"), "inequality", 1),
    ("best-without-a-dataset", 66, |c| drop(c["proof"].as_object_mut().unwrap().remove("tests")), "not-exact", 1),
    ("a-member-of-the-best", 66, |c| c["proof"]["member"] = json!(0), "wrong-kind", 1),
    ("another-choice-after-these", 67, |c| with_claim_file(c, |f| f["mechanism"]["of"][1]["times"] = json!(3)), "bound", 1),
    // Discrete Gaussian noise and mixtures on samples, and error floors of one order.
    ("discrete-noise-moved-further", 68, |c| with_claim_file(c, |f| f["mechanism"]["of"]["record-bound"] = json!(3)), "inequality", 1),
    ("discrete-noise-on-a-larger-sample", 68, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.011")), "inequality", 1),
    ("sampled-mixture-of-more-rho", 69, |c| with_claim_file(c, |f| f["claim"]["rho"] = json!("1.02041")), "mu-squared", 1),
    ("sampled-mixture-verified", 69, flipped, "mu-squared", 1),
    ("error-floor-of-both-orders", 70, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("add-remove")), "points", 1),
    ("error-floor-with-less-mu", 70, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("5.46")), "inequality", 1),
    ("more-than-the-smallest-loss-leaves", 71, |c| with_claim_file(c, |f| f["claim"]["beta"] = json!("9.7e-29")), "inequality", 1),
    ("losses-that-reach-further", 71, |c| with_claim_file(c, |f| f["mechanism"]["of"][0]["times"] = json!(31)), "no-closed-form", 1),
    ("column-that-rises-further", 76, |c| with_claim_file(c, |f| f["mechanism"]["toeplitz"][2] = json!("0.81")), "bound", 1),
    ("steps-that-stand-closer", 76, |c| with_claim_file(c, |f| f["mechanism"]["min-separation"] = json!(1)), "bound", 1),
    ("one-step-more-of-a-matrix", 76, |c| with_claim_file(c, |f| f["mechanism"]["participations"] = json!(4)), "bound", 1),
    ("pattern-of-fewer-steps", 77, |c| with_claim_file(c, |f| f["mechanism"]["participations"] = json!(39)), "bound", 1),
    ("sums-of-rows-are-a-bound-only", 77, |c| drop(c["proof"].as_object_mut().unwrap().remove("member")), "wrong-kind", 1),
    ("divergences-beyond-the-last-order", 78, |c| drop(list(&mut c["proof"], "orders").pop()), "inequality", 1),
    ("rho-below-all-orders", 78, |c| with_claim_file(c, |f| f["claim"]["rho"] = json!("0.0834")), "inequality", 1),
    ("noise-moved-further", 78, |c| with_claim_file(c, |f| f["mechanism"]["sensitivity"] = json!(2)), "inequality", 1),
    ("divergence-of-a-sum-flipped", 79, flipped, "inequality", 1),
    ("divergence-of-more-parties", 79, |c| with_claim_file(c, |f| f["mechanism"]["parties"] = json!(4)), "inequality", 1),
    // Samples in the order `add`, of replaced records, and labelled parts.
    ("divergence-of-the-other-order", 99, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("remove")), "direction", 1),
    ("divergence-of-a-sample-flipped", 99, flipped, "inequality", 1),
    ("less-than-the-divergence-of-a-sample", 99, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.1367")), "inequality", 1),
    ("less-than-a-choice-on-a-sample", 100, |c| { with_claim_file(c, |f| f["claim"]["delta"] = json!("0.0065")); source(c)["bounds"][0] = json!("8600000000000000000000000000000000") }, "bound", 1),
    ("less-than-a-class-on-a-sample", 101, |c| { with_claim_file(c, |f| f["claim"]["delta"] = json!("0.0089")); source(c)["bounds"][0] = json!("11800000000000000000000000000000000") }, "bound", 1),
    ("class-on-a-larger-sample", 101, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.11")), "bound", 1),
    ("less-than-the-mean-of-moments", 102, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.0218")), "inequality", 1),
    ("label-of-no-more-mu", 103, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("1")), "mu-squared", 1),
    ("mu-of-a-mixture-flipped", 103, flipped, "not-gaussian", 1),
    ("integers-of-no-more-mu", 104, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("0.928")), "mu-squared", 1),
    ("integers-moved-less", 104, |c| with_claim_file(c, |f| f["mechanism"]["of"][0]["sigma"] = json!("2.1")), "mu-squared", 1),
    ("unknown-kind-of-proof", 1, |c| c["proof"] = json!({"kind": "authority"}), "wrong-kind", 1),
    ("proof-of-another-kind", 1, |c| c["proof"] = json!({"kind": "largest-loss"}), "wrong-kind", 1),
    ("proof-of-another-claim", 3, |c| c["proof"] = certificate(19)["proof"].clone(), "direction", 1),
];

#[test]
fn every_lie_is_rejected_for_its_own_reason() {
    let mut wrong = Vec::new();
    for (name, line, lie, word, code) in LIES.iter().chain(comparisons::LIES).chain(batches::LIES) {
        let mut forged = certificate(*line);
        let before = forged.clone();
        lie(&mut forged);
        assert_ne!(forged, before, "{name}");
        let answer = check(&canonical(&forged));
        if (answer.word(), answer.code) != (*word, *code) {
            wrong.push(format!("{name}: {} {}", answer.code, answer.text));
        }
    }
    assert!(LIES.len() >= 40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Claims that are false by 1e-3, with the plan of the refutation and the bound that would be needed: a lower bound of δ, honestly
/// computed, is no upper bound.
#[test]
fn a_lower_law_does_not_verify() {
    for (line, delta) in [(2, 0.006_829_594 * 0.999), (4, 0.002_091_778 * 0.999)] {
        let mut forged = certificate(line);
        with_claim_file(&mut forged, |file| {
            file["claim"]["delta"] = json!(format!("{delta:e}"))
        });
        flipped(&mut forged);
        let bound = (delta * 120f64.exp2()) * (1.0 - 1e-12);
        source(&mut forged)["bounds"][0] = json!(format!("{bound:.0}"));
        if line == 4 {
            let mut other = source(&mut forged).clone();
            other["direction"] = json!("add");
            sources(&mut forged).push(other);
        }
        let answer = check(&canonical(&forged));
        assert_eq!(
            (answer.word(), answer.code),
            ("bound", 1),
            "{}",
            answer.text
        );
    }
}

/// Disjoint pairs, whose sevenths add up to more than 1 when each is rounded up: no δ is more than 1, so the bound 1 is proved. A
/// true claim, though the theorem that every mechanism satisfies it is the shorter proof.
#[test]
fn a_profile_is_at_most_one() {
    let mut certificate = certificate(9);
    let sevenths = ["0", "1/7", "1/7", "1/7", "1/7", "1/7", "1/7", "1/7"];
    let file = json!({
        "mechanism": {"kind": "finite", "p": ["1", "0", "0", "0", "0", "0", "0", "0"], "q": sevenths},
        "claim": {"kind": "gdp", "mu": "8", "tolerance": "1e-3"},
    });
    let source = |direction: &str, bound: &str| json!({"bounds": [bound], "direction": direction, "epsilons": ["0"], "quantiles": ["4"]});
    let one = "1329227995784915872903807060280344576";
    let sources = |remove: &str| json!([source("remove", remove), source("add", one)]);
    certificate["conditions"].as_array_mut().unwrap().pop();
    certificate["proof"]["sources"] = sources(one);
    put_claim_file(&mut certificate, &file.to_string());
    put_statement(&mut certificate);
    assert_eq!(check(&canonical(&certificate)).word(), "accepted");
    certificate["proof"]["sources"] = sources("1329227995784915872903807060280344575");
    assert_eq!(check(&canonical(&certificate)).word(), "bound");
}

#[test]
fn texts_that_are_no_certificates() {
    let text = canonical(&certificate(1));
    let cases = [
        ("empty", String::new(), "malformed"),
        ("truncated", text[..text.len() / 2].to_owned(), "malformed"),
        ("blanks", text.replace(":{", ": {"), "not-canonical"),
        ("no line break", text.trim_end().to_owned(), "not-canonical"),
        ("text after the end", format!("{text}{{}}"), "malformed"),
        (
            "a key twice",
            text.replacen('{', "{\"claim\":0,", 1),
            "malformed",
        ),
        (
            "keys out of order",
            text.replacen(
                "{\"assumptions\"",
                "{\"version\":\"0.1.0\",\"assumptions\"",
                1,
            )
            .replacen(",\"version\":\"0.1.0\"}", "}", 1),
            "malformed",
        ),
        (
            "a longer escape",
            text.replacen("noise", "n\\u006fise", 1),
            "not-canonical",
        ),
        (
            "a number with a sign",
            text.replacen("\"claim\":0", "\"claim\":+0", 1),
            "malformed",
        ),
        ("too deep", format!("{}\n", "[".repeat(100_000)), "limit"),
        (
            "overlong",
            format!("{}{text}", " ".repeat(5 << 20)),
            "limit",
        ),
        (
            "half a character",
            text.replacen("noise", "\\ud800", 1),
            "malformed",
        ),
    ];
    for (name, text, word) in cases {
        let answer = check(&text);
        let code = if word == "not-canonical" { 1 } else { 2 };
        assert_eq!(
            (answer.word(), answer.code),
            (word, code),
            "{name}: {}",
            answer.text
        );
    }
}

#[test]
fn the_claim_file_beside_must_be_the_one_inside() {
    let certificate = certificate(1);
    let inside = certificate["claim-file"]["text"].as_str().unwrap();
    let other = format!("{inside} ");
    let text = canonical(&certificate);
    let beside = |file: &str| {
        let options = Options::default().claim_file(file.as_bytes());
        dpcmp_check::check(text.as_bytes(), &options).map_err(|no| no.reason)
    };
    assert!(beside(inside).is_ok());
    assert_eq!(beside(&other).unwrap_err(), Reason::AnotherClaimFile);
}

/// Each reason is at its place.
#[test]
fn a_rejection_names_its_place() {
    let at = |line: usize, lie: fn(&mut Value)| {
        let mut forged = certificate(line);
        lie(&mut forged);
        check(&canonical(&forged)).place.unwrap()
    };
    assert_eq!(
        at(1, |c| c["statement"] = json!("nothing")),
        Place::Certificate
    );
    assert_eq!(
        at(1, |c| c["claim-file"]["text"] = json!("{}")),
        Place::ClaimFile
    );
    assert_eq!(
        at(1, |c| put_claim_file(c, "{\"mechanism\":{}}")),
        Place::ClaimFile
    );
    assert_eq!(at(1, |c| c["proof"]["kind"] = json!("magic")), Place::Proof);
    assert_eq!(at(3, |c| drop(sources(c).pop())), Place::Proof);
    for index in [0, 1] {
        let lies: [fn(&mut Value); 2] = [
            |c| sources(c)[0]["bounds"][0] = json!("1"),
            |c| sources(c)[1]["bounds"][0] = json!("-1"),
        ];
        assert_eq!(at(3, lies[index]), Place::Source(index));
    }
}

/// The format lists every reason.
#[test]
fn every_reason_is_in_the_format() {
    let format = include_str!("../../proofs/FORMAT.md");
    let answers = format.split_once("## Answers").unwrap().1;
    for reason in Reason::ALL {
        assert!(answers.contains(&format!("`{reason}`")), "{reason}");
    }
}
