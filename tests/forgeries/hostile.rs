//! Certificates and claim files of allowed size that would take minutes or hours: each is refused, and the work is counted, not timed.

use serde_json::{Value, json};

use super::{canonical, certificate, check, put_claim_file, put_statement};

/// A number of 994 digits.
fn long(ending: usize) -> String {
    format!("1{}{ending:03}", "0".repeat(990))
}

/// The 128 probabilities n/d, …, 1 − Σ n/d of a long denominator, n from 1 to 127 in this order or the other one.
fn long_vector(ending: usize, is_rising: bool) -> Vec<String> {
    let below = long(ending);
    let weight = |n: usize| if is_rising { n } else { 128 - n };
    let mut vector: Vec<String> = (1..128).map(|n| format!("{}/{below}", weight(n))).collect();
    let last = ending - 127 * 128 / 2;
    vector.push(format!("{}/{below}", long(last)));
    vector
}

fn law(last: i64, coarsen: &[u32], parts: usize) -> Value {
    let part = json!({"coarsen": coarsen, "first": -last, "last": last, "level": 0});
    json!({"light": 0, "parts": vec![part; parts], "step": "1/1000"})
}

fn source(epsilons: &[String], law: Value) -> Value {
    let bounds = vec!["1329227995784915872903807060280344576"; epsilons.len()];
    let quantiles = vec!["0"; epsilons.len()];
    let mut source =
        json!({"bounds": bounds, "direction": "remove", "epsilons": epsilons, "law": law});
    if epsilons.len() > 1 {
        source["quantiles"] = json!(quantiles);
    }
    source
}

/// Name, claim file, proof, verdict.
fn cases() -> Vec<(&'static str, String, Value, &'static str)> {
    let delta = json!({"kind": "approx-dp", "epsilon": "1", "delta": "0.5"});
    let profile = |source: Value| json!({"kind": "profile", "sources": [source]});
    let file = |mechanism: Value, claim: &Value| {
        json!({"mechanism": mechanism, "claim": claim}).to_string()
    };
    let one = ["1".to_owned()];
    let laplace = json!({"kind": "laplace", "scale": "1", "times": 1_000_000});
    let gaussians: Vec<Value> = (0..64)
        .map(|i| json!({"kind": "gaussian", "sigma": format!("{}e-4000/{}", long(i), long(i + 500)), "sensitivity": format!("{}/{}", long(i + 200), long(i + 300))}))
        .collect();
    let exact =
        json!({"kind": "finite", "p": long_vector(9501, true), "q": long_vector(9777, false)});
    let headers: Vec<String> = (0..60_000)
        .map(|i| format!("[[a{}.b{}]]", i % 1000, i / 1000))
        .collect();
    let names: Vec<String> = (0..20)
        .map(|depth| format!("x{depth}.{}", "y.".repeat(29)))
        .collect();
    let deep: Vec<String> = (0..20_000)
        .map(|i| format!("[{}z{i}]", names[i % 20]))
        .collect();
    vec![
        (
            "products",
            file(json!({"kind": "compose", "of": [laplace]}), &delta),
            profile(source(&one, law(16_000, &[0; 19], 1))),
            "verified",
        ),
        (
            "numbers",
            file(
                json!({"kind": "finite", "p": vec!["1e-4000"; 300_000], "q": ["1"]}),
                &delta,
            ),
            json!({"kind": "exact"}),
            "verified",
        ),
        (
            "steps",
            file(json!({"kind": "compose", "of": gaussians}), &delta),
            profile(source(&one, law(1, &[], 1))),
            "verified",
        ),
        (
            "lines",
            file(
                exact,
                &json!({"kind": "trade-off", "alpha": "1/3", "beta": "1"}),
            ),
            json!({"kind": "exact"}),
            "verified",
        ),
        (
            "tables",
            [headers.join("\n"), headers.join("\n")].join("\n"),
            json!({"kind": "exact"}),
            "verified",
        ),
        (
            "nested tables",
            deep.join("\n"),
            json!({"kind": "exact"}),
            "verified",
        ),
    ]
}

#[test]
fn hostile_certificates_come_to_an_end() {
    let is_thorough = std::env::var("DPCMP_TEST_SCALE")
        .is_ok_and(|scale| scale.parse().is_ok_and(|scale: u32| scale >= 10));
    for (name, text, proof, verdict) in cases() {
        // Products take as long as all others, and the longest certificates are products too.
        if name == "products" && !is_thorough {
            continue;
        }
        let mut hostile = certificate(1);
        hostile["verdict"] = Value::from(verdict);
        hostile["proof"] = proof;
        put_claim_file(&mut hostile, &text);
        put_statement(&mut hostile);
        let start = std::time::Instant::now();
        let answer = check(&canonical(&hostile));
        let text = answer.text.chars().take(200).collect::<String>();
        // Tables are read to the end, and are none of a claim file.
        let word = if name.ends_with("tables") {
            "malformed"
        } else {
            "limit"
        };
        assert_eq!((answer.word(), answer.code), (word, 2), "{name}: {text}");
        assert!(start.elapsed().as_secs() < 100, "{name}");
    }
}

/// A law, points and outcomes, each within its own bounds, and together too many: these take some ten seconds each.
#[test]
#[ignore = "slow"]
fn longest_certificates_come_to_an_end() {
    let thousandths: Vec<String> = (0..4000).map(|i| format!("{}", i - 1)).collect();
    let many = vec!["1/4096"; 4096];
    let gdp = json!({"kind": "gdp", "mu": "1", "tolerance": "0.1"});
    let delta = json!({"kind": "approx-dp", "epsilon": "1", "delta": "0.5"});
    let two = json!({"kind": "compose", "of": [{"kind": "laplace", "scale": "1"}, {"kind": "laplace", "scale": "2"}]});
    let cases = [
        (
            json!({"kind": "finite", "p": many, "q": many, "adjacency": "remove"}),
            delta,
            source(&["1".to_owned()], law(16_000, &[], 1)),
        ),
        (two, gdp, source(&thousandths, law(16_000, &[], 2))),
    ];
    for (mechanism, claim, source) in cases {
        let start = std::time::Instant::now();
        let mut hostile = certificate(1);
        hostile["proof"] = json!({"kind": "profile", "sources": [source]});
        put_claim_file(
            &mut hostile,
            &json!({"mechanism": mechanism, "claim": claim}).to_string(),
        );
        put_statement(&mut hostile);
        let answer = check(&canonical(&hostile));
        assert_ne!(answer.word(), "accepted");
        assert!(start.elapsed().as_secs() < 100, "{}", answer.text);
    }
}
