//! Lies about divergences, and about one mechanism against another one.

use serde_json::{Value, json};

use super::corpus::{Lie, flipped, list, part, source, sources};
use super::{canonical, certificate, check, put_statement, with_claim_file};

#[rustfmt::skip]
pub(super) const LIES: &[Lie] = &[
    // Divergences, and one mechanism against another one.
    ("moments-at-another-order", 31, |c| with_claim_file(c, |f| f["claim"]["order"] = json!(4)), "inequality", 1),
    ("moments-of-one-order-of-the-pair", 31, |c| drop(sources(c).pop()), "direction", 1),
    ("moments-flipped", 31, flipped, "direction", 1),
    ("moments-with-orders", 31, |c| c["proof"]["orders"] = json!(["2"]), "wrong-kind", 1),
    ("moments-without-a-plan", 31, |c| drop(source(c).as_object_mut().unwrap().remove("law")), "malformed", 2),
    ("moments-with-a-plan-for-two-steps", 31, |c| { let more = part(c).clone(); list(&mut source(c)["law"], "parts").push(more) }, "skipped-part", 1),
    ("dominance-by-a-larger-bound", 2, |c| { dominance(c); source(c)["bounds"][0] = json!("168811955464684315858783496655603761") }, "bound", 1),
    ("dominance-by-a-smaller-bound-of-the-other", 2, |c| { dominance(c); c["proof"]["others"][0]["bounds"][0] = json!("9038750371337427935745888009906343") }, "bound", 1),
    ("dominance-with-more-room", 2, |c| { dominance(c); with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.05")) }, "inequality", 1),
    ("dominance-at-two-points", 2, |c| { dominance(c); c["proof"]["others"][0] = json!({"bounds": ["1329227995784915872903807060280344576"], "direction": "remove", "epsilons": ["1/2"]}) }, "points", 1),
    ("dominance-flipped", 2, |c| { dominance(c); flipped(c) }, "bound", 1),
    ("dominance-of-less-noise", 35, |c| with_claim_file(c, |f| f["mechanism"]["scale"] = json!("1")), "bound", 1),
    ("dominance-by-more-noise", 35, |c| with_claim_file(c, |f| f["claim"]["mechanism"]["sigma"] = json!("2")), "inequality", 1),
    ("regret-with-less-room", 32, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.095")), "inequality", 1),
    ("regret-of-a-larger-mu", 32, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("1.5")), "bound", 1),
    ("regret-of-a-smaller-mu", 33, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("0.8")), "bound", 1),
    ("regret-refuted-with-more-room", 33, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.2")), "inequality", 1),
    ("regret-flipped", 32, flipped, "bound", 1),
    ("regret-with-other-tests", 41, |c| for other in list(&mut c["proof"], "others") { other["epsilons"] = json!(["5", "-5"]) }, "inequality", 1),
    ("regret-without-tests", 41, |c| list(&mut c["proof"]["others"][0], "epsilons").clear(), "malformed", 2),
    ("regret-of-tests-and-less-room", 41, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.0046")), "inequality", 1),
    ("member-with-negative-masses", 46, |c| { source(c)["pair"] = json!(["-1", "-2"]); source(c)["orders"] = json!([]) }, "inequality", 1),
    ("member-of-nothing", 46, |c| { source(c)["pair"] = json!(["0", "0"]); source(c)["orders"] = json!([]) }, "inequality", 1),
    ("member-of-a-larger-class", 46, |c| with_claim_file(c, |f| f["mechanism"]["rho"] = json!("0.49")), "inequality", 1),
    ("member-without-orders", 46, |c| source(c)["orders"] = json!([]), "inequality", 1),
    // True: at the cut that is guessed q - u*p is below 0, and the power is that of the cut.
    ("power-of-a-guessed-cut", 14, |c| { c["proof"] = json!({"kind": "profile", "sources": [{"bounds": ["948568795032094272909893509191171341133987714380927500611236528192824358010355969/1427247692705959881058285969449495136382746624"], "direction": "add", "epsilons": ["log 60708402882054033466233184588234965832575213720379360039119137804340758912662765567/30354201441027016733116592294117482916287606860189680019559568902170379456331382784"]}]}); with_claim_file(c, |f| *f = json!({"mechanism": {"kind": "gaussian-mixture", "sigma": "1", "shifts": ["0", "18.7617"], "weights": ["1/2", "1/2"], "adjacency": "add"}, "claim": {"kind": "trade-off", "alpha": "124330809102446660538845562036705210025114037699336929360115994223289874253133537031907/497323236409786642155382248146820840100456150797347717440463976893159497012533375533056", "beta": "3705346855594118253554271520278013051304639509300498049262642688253220148477951/7410693711188236507108543040556026102609279018600996098525285376506440296955904"}})); put_statement(c) }, "bound", 1),
    ("regret-in-the-last-digits", 47, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("4.7e-26")), "inequality", 1),
    ("one-less-in-the-last-digit", 48, |c| with_claim_file(c, |f| f["claim"]["delta"] = json!("0.1175030974154045971351078567709492637779")), "inequality", 1),
    ("bound-just-below-the-truth", 48, |c| source(c)["bounds"][0] = json!("156188406675997981040395535206359733"), "bound", 1),
    ("domination-of-what-never-happens", 49, |c| with_claim_file(c, |f| f["claim"]["mechanism"]["q"] = json!(["1/4", "11/16", "1/16"])), "inequality", 1),
    ("domination-of-the-other-order", 49, |c| with_claim_file(c, |f| f["claim"]["mechanism"]["adjacency"] = json!("add")), "inequality", 1),
    ("fixed-point-above-less-noise", 45, |c| with_claim_file(c, |f| f["claim"]["mechanism"]["sigma"] = json!("0.98")), "fixed-point", 1),
    ("fixed-point-above-other-noise", 45, |c| with_claim_file(c, |f| f["claim"]["mechanism"] = json!({"kind": "laplace", "scale": "0.9"})), "not-gaussian", 1),
    ("fixed-point-refutes-no-domination", 45, flipped, "wrong-kind", 1),
    ("runs-left-out", 42, |c| with_claim_file(c, |f| f["mechanism"]["of"][0]["times"] = json!(9)), "inequality", 1),
    ("divergence-of-less-noise", 43, |c| with_claim_file(c, |f| f["mechanism"]["scale"] = json!("1.99")), "inequality", 1),
    ("divergences-of-less-noise", 44, |c| with_claim_file(c, |f| f["mechanism"]["scale"] = json!("1.99")), "inequality", 1),
    ("divergences-with-an-order-left-out", 44, |c| drop(list(&mut c["proof"], "orders").remove(3)), "inequality", 1),
    ("regret-of-tests-in-one-order", 41, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("remove")), "inequality", 1),
    ("regret-refuted-and-flipped", 33, flipped, "bound", 1),
    ("regret-refuted-in-one-order", 33, |c| drop(list(&mut c["proof"], "others").pop()), "direction", 1),
    ("regret-with-its-sides-exchanged", 33, |c| { let others = c["proof"]["others"].take(); c["proof"]["others"] = c["proof"]["sources"].take(); c["proof"]["sources"] = others }, "direction", 1),
    ("regret-for-domination", 33, |c| with_claim_file(c, |f| f["claim"] = json!({"kind": "dominated-by", "mechanism": {"kind": "gaussian", "sigma": "1"}, "at-most": "0.1"})), "direction", 1),
    ("regret-for-a-tolerance", 33, |c| with_claim_file(c, |f| f["claim"] = json!({"kind": "gdp", "mu": "1", "tolerance": "0.1"})), "wrong-kind", 1),
    ("regret-proved-of-the-bound", 34, |c| { list(c, "conditions").truncate(1); list(c, "conditions").push(json!("the steps of each record are drawn at random, uniformly, anew in every epoch and for each record by itself")); flipped(c); with_claim_file(c, |f| f["mechanism"] = json!({"kind": "random-allocation", "steps": 4, "of": {"kind": "gaussian", "sigma": "1"}})); }, "wrong-kind", 1),
    ("regret-of-every-mechanism-with-a-guarantee", 34, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("regret-beside-less-noise", 34, |c| { flipped(c); c["proof"] = json!({"kind": "gaussian-mu"}) }, "mu-squared", 1),
    ("regret-without-what-never-happens", 52, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "pure-dp", "exp-epsilon": "61/7", "adjacency": "remove"})), "inequality", 1),
    ("group-that-may-be-there-in-part", 53, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("nothing-that-is-something", 53, |c| with_claim_file(c, |f| f["mechanism"]["of"]["q"] = json!(["3000001/13000000", "9999999/13000000"])), "not-gaussian", 1),
    ("responses-that-tell-nearly-nothing", 53, |c| { list(c, "conditions").truncate(2); with_claim_file(c, |f| f["mechanism"] = json!({"kind": "pure-dp", "epsilon": "1e-30"})) }, "not-gaussian", 1),
    ("line-a-last-digit-too-high", 51, |c| with_claim_file(c, |f| f["claim"]["beta"] = json!("0.728171817154096")), "inequality", 1),
    // Closed forms of choices, of noise far out, and below all losses.
    ("divergence-of-choices-that-move-further", 54, |c| with_claim_file(c, |f| f["mechanism"]["epsilon"] = json!("3.0000001")), "inequality", 1),
    ("divergence-of-a-choice-a-last-digit-too-small", 54, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("2.0730600412685")), "inequality", 1),
    ("divergence-of-a-choice-from-below", 54, flipped, "no-closed-form", 1),
    ("divergence-of-a-choice-by-gaussian-noise", 54, |c| c["proof"] = json!({"kind": "gaussian-rho"}), "not-gaussian", 1),
    ("divergence-of-flips-that-move-further", 58, |c| with_claim_file(c, |f| f["mechanism"]["exp-epsilon"] = json!("4")), "inequality", 1),
    // Selections, and groups of choices.
    ("selection-of-fewer-runs", 59, |c| with_claim_file(c, |f| f["mechanism"]["runs"]["mean"] = json!("10/3")), "bound", 1),
    ("selection-of-another-shape", 59, |c| with_claim_file(c, |f| f["mechanism"]["runs"]["shape"] = json!("7")), "bound", 1),
    ("selection-of-outcomes-that-tell-more", 59, |c| with_claim_file(c, |f| f["mechanism"]["of"]["q"] = json!(["1/6", "1/4", "7/12"])), "bound", 1),
    ("selection-of-an-outcome-left-out", 59, |c| with_claim_file(c, |f| f["mechanism"]["best-first"] = json!([2, 0])), "malformed", 2),
    ("selection-of-more-runs-that-may-be-none", 60, |c| with_claim_file(c, |f| f["mechanism"]["runs"]["mean"] = json!("3")), "inequality", 1),
    ("selection-refuted-by-the-bound", 60, flipped, "wrong-kind", 1),
    ("selection-refuted-with-fewer-runs", 61, |c| with_claim_file(c, |f| f["mechanism"]["runs"]["mean"] = json!("2")), "bound", 1),
    ("selection-of-a-member-that-is-not-there", 61, |c| c["proof"]["member"] = json!(4), "wrong-kind", 1),
    ("selection-of-the-other-order-of-outcomes", 61, |c| c["proof"]["member"] = json!(1 - c["proof"]["member"].as_i64().unwrap()), "bound", 1),
    ("selection-of-outcomes-without-coins", 62, |c| c["proof"]["member"] = json!(0), "bound", 1),
    ("selection-of-a-smaller-guarantee", 62, |c| with_claim_file(c, |f| f["mechanism"]["of"]["epsilon"] = json!("0.9")), "bound", 1),
    ("candidates-that-move-further", 63, |c| with_claim_file(c, |f| f["mechanism"]["epsilon"] = json!("0.9999")), "inequality", 1),
    ("candidates-a-last-digit-too-far", 63, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.3433760067062")), "inequality", 1),
    ("a-record-more-in-a-group-of-choices", 64, |c| with_claim_file(c, |f| f["mechanism"]["records"] = json!(6)), "bound", 1),
    ("group-of-choices-that-may-be-there-in-part", 64, |c| drop(list(c, "conditions").pop()), "conditions", 1),
    ("noise-far-out-of-a-smaller-delta", 55, |c| { source(c)["bounds"] = json!(["263132644817586161284164741846036731"]); with_claim_file(c, |f| f["claim"]["delta"] = json!("0.1979597")) }, "bound", 1),
    ("all-losses-above-a-smaller-delta", 56, |c| { let less = smaller(&source(c)["bounds"][0]); source(c)["bounds"][0] = less }, "bound", 1),
    ("below-some-losses-as-below-all", 56, |c| { source(c)["epsilons"][0] = json!("log 9/10"); source(c)["bounds"][0] = json!("132922799578491587290380706028034458") }, "bound", 1),
    ("divergence-below-that-of-the-noise", 57, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("7.83999999")), "mu-squared", 1),
    ("divergence-at-one-order-refuted-by-rho", 57, flipped, "wrong-kind", 1),
    // Tables of Rényi guarantees, and classes against other mechanisms.
    ("all-orders-of-a-table", 88, flipped, "wrong-kind", 1),
    ("all-orders-of-a-table-of-nothing", 88, |c| with_claim_file(c, |f| f["mechanism"]["orders"][0][1] = json!("0")), "wrong-kind", 1),
    ("divergence-of-the-member-itself", 89, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.2")), "inequality", 1),
    ("divergence-of-a-smaller-member", 89, |c| with_claim_file(c, |f| f["mechanism"]["orders"][0][1] = json!("0.09")), "inequality", 1),
    ("divergence-of-a-table-flipped", 89, flipped, "inequality", 1),
    ("divergence-below-a-table-on-a-sample", 90, |c| with_claim_file(c, |f| f["claim"]["epsilon"] = json!("0.0999999999")), "mu-squared", 1),
    ("divergence-at-an-order-with-more", 90, |c| with_claim_file(c, |f| f["claim"]["order"] = json!("2.00001")), "mu-squared", 1),
    ("divergence-beyond-a-table", 90, |c| with_claim_file(c, |f| f["claim"]["order"] = json!("4.1")), "not-gaussian", 1),
    ("regret-of-a-smaller-class", 91, |c| with_claim_file(c, |f| f["mechanism"]["rho"] = json!("0.4")), "inequality", 1),
    ("regret-of-members-and-less-room", 91, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("9e-7")), "inequality", 1),
    ("regret-of-a-member-left-out", 91, |c| list(&mut c["proof"], "others").clear(), "inequality", 1),
    ("regret-of-members-in-both-orders-of-a-sample", 92, |c| with_claim_file(c, |f| f["mechanism"]["adjacency"] = json!("add-remove")), "no-closed-form", 1),
    ("regret-of-a-smaller-sample", 92, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.42")), "inequality", 1),
    ("regret-of-a-smaller-table-on-a-sample", 92, |c| with_claim_file(c, |f| f["mechanism"]["of"]["orders"][0][1] = json!("0.4")), "inequality", 1),
    ("domination-of-a-larger-sample", 93, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.55")), "bound", 1),
    ("domination-of-one-order-of-a-sample", 93, |c| drop(sources(c).pop()), "direction", 1),
    ("domination-of-a-sample-and-less-room", 93, |c| with_claim_file(c, |f| f["claim"]["at-most"] = json!("0.032")), "inequality", 1),
    ("small-tests-that-ask-for-more", 94, |c| with_claim_file(c, |f| f["claim"]["mu"] = json!("1.04")), "inequality", 1),
    ("a-larger-sample-than-its-points", 94, |c| with_claim_file(c, |f| f["mechanism"]["rate"] = json!("0.02")), "bound", 1),
    ("divergence-of-part-of-the-noise", 57, |c| with_claim_file(c, |f| f["mechanism"] = json!({"kind": "compose", "of": [{"kind": "gaussian", "mu-squared": "0.49", "times": 2}]})), "mu-squared", 1),
];

/// One less than a whole number in quotes.
fn smaller(number: &Value) -> Value {
    let number: dpcmp::rug::Integer = number.as_str().unwrap().parse().unwrap();
    Value::from((number - 1u32).to_string())
}

/// Gaussian noise of σ = 1 is not dominated, with room for 0.01, by that of σ = 2: δ(1) is 0.12694 and 0.00683.
fn dominance(certificate: &mut Value) {
    let source =
        |bound: &str| json!([{"bounds": [bound], "direction": "remove", "epsilons": ["1"]}]);
    let (sources, others) = (
        source("168679032665105824271493115949575726"),
        source("9171673170915919523036268715934377"),
    );
    certificate["proof"] = json!({"kind": "dominance", "others": others, "sources": sources});
    with_claim_file(certificate, |file| {
        let other = json!({"kind": "gaussian", "sigma": "2"});
        *file = json!({
            "mechanism": {"kind": "gaussian", "sigma": "1"},
            "claim": {"kind": "dominated-by", "mechanism": other, "at-most": "0.01"},
        });
    });
}

#[test]
fn dominance_is_refuted_by_hand() {
    let mut certificate = certificate(2);
    dominance(&mut certificate);
    let answer = check(&canonical(&certificate));
    assert_eq!(answer.code, 0, "{}", answer.text);
}
