//! What the checker computes, to the last unit of 2^-120, against a program of its own written from `proofs/FORMAT.md` with
//! 150 digits. A rounding the other way, a tail left out or a step skipped shows here, however little it changes.

use serde_json::{Value, json};

use super::{canonical, certificate, check, put_claim_file, put_statement};

/// The number that the checker proves, from its rejection of one that is too good.
fn computed(mechanism: &Value, claim: Value, verified: bool, mut source: Value) -> String {
    let mut asked = certificate(1);
    let bound = if verified {
        "0"
    } else {
        "1329227995784915872903807060280344576"
    };
    source["bounds"] = json!([bound]);
    asked["verdict"] = Value::from(if verified { "verified" } else { "refuted" });
    asked["proof"] = json!({"kind": "profile", "sources": [source]});
    if mechanism["kind"] == "subsampled" {
        let conditions = asked["conditions"].as_array_mut().unwrap();
        conditions.push(Value::from("batches are Poisson-sampled"));
    }
    put_claim_file(
        &mut asked,
        &json!({"mechanism": mechanism, "claim": claim}).to_string(),
    );
    put_statement(&mut asked);
    let answer = check(&canonical(&asked));
    assert_eq!(answer.word(), "bound", "{}", answer.text);
    let before = answer.text.split_once("/2^288").unwrap().0;
    let proved: rug::Integer = before.rsplit(' ').next().unwrap().parse().unwrap();
    match verified {
        true => -(-proved >> 168u32),
        false => proved >> 168u32,
    }
    .to_string()
}

/// Two kinds of steps, one with mass at infinity, on lattices of different steps.
#[test]
fn laws_to_the_last_unit() {
    let first = json!({"kind": "finite", "p": ["1/2", "1/4", "1/4", "0"], "q": ["1/7", "2/7", "3/7", "1/7"], "times": 5});
    let second = json!({"kind": "finite", "p": ["1/2", "1/2"], "q": ["1/3", "2/3"], "times": 2});
    let mechanism = json!({"kind": "compose", "of": [first, second], "adjacency": "remove"});
    let part = |first: i64, last: i64, coarsen: &[u32]| json!({"coarsen": coarsen, "first": first, "last": last, "level": 0});
    let law =
        json!({"light": 115, "parts": [part(-12, 11, &[1, 0]), part(-8, 8, &[0])], "step": "1/8"});
    let source =
        |epsilons: &[&str]| json!({"direction": "remove", "epsilons": epsilons, "law": law});
    let delta = json!({"kind": "approx-dp", "epsilon": "1/2", "delta": "0.9"});
    let test = json!({"kind": "trade-off", "alpha": "1/10", "beta": "0.99"});
    for (claim, epsilons, verified, number) in [
        (
            &delta,
            &["1/2"] as &[&str],
            true,
            "954100816342915150479374121449606572",
        ),
        (
            &delta,
            &["1/2"],
            false,
            "711122412102541513254443243871618483",
        ),
        (&test, &[], false, "930169799626408880474947147001283382"),
    ] {
        let found = computed(&mechanism, claim.clone(), verified, source(epsilons));
        assert_eq!(found, number, "{claim} {verified}");
    }
}

#[test]
fn closed_forms_to_the_last_unit() {
    let sampled = |adjacency: &str| json!({"kind": "subsampled", "rate": "0.3", "of": {"kind": "gaussian", "sigma": "1"}, "adjacency": adjacency});
    let response = json!({"kind": "randomized-response", "epsilon": "2", "k": 4});
    let finite = json!({"kind": "finite", "p": ["1/2", "1/4", "1/4", "0"], "q": ["1/7", "2/7", "3/7", "1/7"], "adjacency": "remove"});
    for (mechanism, direction, epsilon, above) in [
        (
            json!({"kind": "gaussian", "sigma": "2"}),
            "remove",
            "1",
            9_078_088_851_428_103_401_013_899_157_405_107u128,
        ),
        (
            sampled("remove"),
            "remove",
            "1/2",
            40_434_165_588_041_770_150_384_348_687_700_562,
        ),
        (
            sampled("add"),
            "add",
            "1/4",
            10_122_502_584_774_218_473_198_481_869_910_574,
        ),
        (
            json!({"kind": "laplace", "scale": "1"}),
            "remove",
            "1/2",
            294_024_191_787_189_341_590_379_981_155_637_005,
        ),
        (
            response,
            "remove",
            "1/2",
            734_447_257_402_776_676_986_533_784_892_482_449,
        ),
        (
            finite,
            "remove",
            "1/2",
            211_677_237_169_064_872_097_977_641_427_696_679,
        ),
    ] {
        for (verified, number) in [(true, above), (false, above - 1)] {
            let claim = json!({"kind": "approx-dp", "epsilon": epsilon, "delta": "0.9"});
            let source = json!({"direction": direction, "epsilons": [epsilon]});
            let found = computed(&mechanism, claim, verified, source);
            assert_eq!(found, number.to_string(), "{mechanism}");
        }
    }
}
