//! Random claims of every kind, about random mechanisms of every kind, a little above and a little below the truth: `dpcmp verify --certificate`
//! decides them, and the checker accepts the certificates, none of them for the other verdict.
//!
//! `DPCMP_CLAIMS` is how many are tried, `DPCMP_CLAIMS_FROM` from which on: what a number says depends on it alone, so that a long run goes on
//! where it ended. The run prints how far it is, and names what is decided without a certificate.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use dpcmp_check::{Options, Verdict};
use serde_json::{Value, json};

use super::kinds;
use super::random::Random;
use super::{canonical, check, put_claim_file, put_statement};

/// Claims of a batch.
const BATCH: usize = 10;

/// A mechanism, a question about it, and the claim that the answer bounds: its key, and whether more is a weaker claim.
struct Question {
    mechanism: Value,
    query: Value,
    claim: Value,
    key: &'static str,
    more_is_weaker: bool,
}

impl Question {
    /// A line of a batch. Δ(other ‖ mechanism), which a claim of domination bounds, is asked of the other one.
    fn asked(&self) -> Value {
        let (mut query, mut mechanism) = (self.query.clone(), self.mechanism.clone());
        if query["kind"] == "delta-divergence" {
            std::mem::swap(&mut query["other"], &mut mechanism);
        }
        json!({"id": 0, "mechanism": mechanism, "query": query})
    }
}

fn question(number: usize) -> Question {
    let mut random = Random(
        u64::try_from(number)
            .unwrap()
            .wrapping_mul(0x9e37_79b9_7f4a_7c15),
    );
    let mut pick = |texts: &[&str]| Value::from(texts[random.below(texts.len())]);
    let epsilon = pick(&["0", "0.3", "1", "2", "-0.5"]);
    let delta = pick(&["1e-5", "0.01", "0.2"]);
    let mu = pick(&["0.3", "1", "2"]);
    let small = pick(&["1e-3", "1e-6"]);
    let alpha = pick(&["0.01", "0.1", "0.4"]);
    let order = pick(&["2", "3", "8"]);
    let kind = random.below(11);
    let mechanism = kinds::mechanism(&mut random, 1);
    let other = json!({"kind": "gaussian", "sigma": "1.5"});
    let (query, claim, key) = match kind {
        0 | 1 => (
            json!({"kind": "delta", "epsilon": epsilon}),
            json!({"kind": "approx-dp", "epsilon": epsilon}),
            "delta",
        ),
        2 | 3 => (
            json!({"kind": "epsilon", "delta": delta}),
            json!({"kind": "approx-dp", "delta": delta}),
            "epsilon",
        ),
        4 => (
            json!({"kind": "epsilon", "delta": "0"}),
            json!({"kind": "pure-dp"}),
            "epsilon",
        ),
        5 => (
            json!({"kind": "advantage"}),
            json!({"kind": "advantage"}),
            "at-most",
        ),
        6 => (
            json!({"kind": "tradeoff", "alpha": alpha}),
            json!({"kind": "trade-off", "alpha": alpha}),
            "beta",
        ),
        7 => (
            json!({"kind": "gdp-mu", "tolerance": small}),
            json!({"kind": "gdp", "tolerance": small}),
            "mu",
        ),
        8 => (
            json!({"kind": "regret", "mu": mu}),
            json!({"kind": "regret", "mu": mu}),
            "at-most",
        ),
        9 => (
            json!({"kind": "renyi", "order": order}),
            json!({"kind": "rdp", "order": order}),
            "epsilon",
        ),
        _ => (
            json!({"kind": "delta-divergence", "other": other}),
            json!({"kind": "dominated-by", "mechanism": other}),
            "at-most",
        ),
    };
    Question {
        mechanism,
        query,
        claim,
        key,
        more_is_weaker: key != "beta",
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_str()?.parse().ok().filter(|x: &f64| x.is_finite())
}

/// Runs the program, and reads the lines of JSON that it prints.
fn run(arguments: &[&str], folder: &Path) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_dpcmp"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let code = output.status.code();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        code.is_some_and(|code| code < 70),
        "{arguments:?}: {code:?}\n{errors}"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[derive(Default)]
struct Tally {
    decided: usize,
    certified: usize,
    lies: usize,
    without: BTreeMap<String, usize>,
}

/// A claim on one side of the truth.
struct Asked {
    line: Value,
    /// The same claim on the other side, which has the other verdict.
    other: Value,
    is_true: bool,
}

fn batch(from: usize, folder: &Path, tally: &mut Tally) {
    let questions: Vec<Question> = (from..from + BATCH).map(question).collect();
    let lines = questions.iter().map(|of| of.asked().to_string());
    std::fs::write(
        folder.join("queries.jsonl"),
        lines.collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let arguments = [
        "bound",
        "--batch",
        "queries.jsonl",
        "--max-seconds",
        "1",
        "--precision",
        "1e-4",
    ];
    let answers = run(&arguments, folder);
    assert_eq!(answers.len(), questions.len());
    let mut asked = Vec::new();
    for (place, (of, answer)) in questions.iter().zip(&answers).enumerate() {
        let (Some(lower), Some(upper)) = (number(&answer["lower"]), number(&answer["upper"]))
        else {
            continue;
        };
        let gap = [1e-1, 1e-2, 1e-3][(from + place) % 3];
        let (below, above) = (
            lower - gap * lower.abs().max(1e-9),
            upper + gap * upper.abs().max(1e-9),
        );
        let with = |x: f64| {
            let mut claim = of.claim.clone();
            claim[of.key] = Value::from(format!("{x:.12e}"));
            json!({"mechanism": of.mechanism, "claim": claim})
        };
        let is_true = (from + place).is_multiple_of(2);
        let (weak, strong) = if of.more_is_weaker {
            (above, below)
        } else {
            (below, above)
        };
        let (mine, other) = if is_true {
            (weak, strong)
        } else {
            (strong, weak)
        };
        asked.push(Asked {
            line: with(mine),
            other: with(other),
            is_true,
        });
    }
    let lines: Vec<String> = asked.iter().map(|of| of.line.to_string()).collect();
    std::fs::write(folder.join("claims.jsonl"), lines.join("\n")).unwrap();
    let _ = std::fs::remove_dir_all(folder.join("out"));
    let arguments = [
        "verify",
        "claims.jsonl",
        "--certificate",
        "out",
        "--format",
        "json",
        "--max-seconds",
        "3",
    ];
    for report in run(&arguments, folder) {
        let Some(place) = report["line"].as_u64() else {
            continue;
        };
        let of = &asked[usize::try_from(place).unwrap() - 1];
        let claim = &report["claims"][0];
        let Some(verdict) = claim["verdict"]
            .as_str()
            .filter(|verdict| *verdict != "undecided")
        else {
            continue;
        };
        assert_eq!(verdict == "verified", of.is_true, "{}", of.line);
        tally.decided += 1;
        let Some(file) = claim["certificate"]["file"].as_str() else {
            let why = claim["certificate"]["message"]
                .as_str()
                .unwrap_or("no word of it");
            let kind = of.line["claim"]["kind"].as_str().unwrap();
            *tally
                .without
                .entry(format!("{kind}, {verdict}: {why}"))
                .or_default() += 1;
            continue;
        };
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let accepted = dpcmp_check::check(text.as_bytes(), &Options::default());
        let accepted = accepted.unwrap_or_else(|no| panic!("{}: {no}", of.line));
        assert_eq!(
            accepted.statement.verdict == Verdict::Verified,
            of.is_true,
            "{}",
            of.line
        );
        tally.certified += 1;
        // The same proof for the claim on the other side of the truth, and that claim with the verdict that it has not.
        let mut lie: Value = serde_json::from_str(&text).unwrap();
        put_claim_file(&mut lie, &of.other.to_string());
        put_statement(&mut lie);
        let answer = check(&canonical(&lie));
        assert_ne!(answer.code, 0, "{}: {}", of.other, answer.text);
        tally.lies += 1;
    }
}

#[test]
fn random_claims_are_certified() {
    let setting = |name: &str, default: usize| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(default)
    };
    let (from, all) = (
        setting("DPCMP_CLAIMS_FROM", 0),
        setting("DPCMP_CLAIMS", BATCH),
    );
    let folder = std::env::temp_dir().join(format!("dpcmp-random-claims-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut tally = Tally::default();
    for batch_from in (from..from + all).step_by(BATCH) {
        batch(batch_from, &folder, &mut tally);
        println!(
            "up to {}: {} decided, {} certified and accepted, {} lies rejected",
            batch_from + BATCH,
            tally.decided,
            tally.certified,
            tally.lies
        );
    }
    println!("decided without a certificate: {:#?}", tally.without);
    std::fs::remove_dir_all(folder).unwrap();
    assert!(tally.certified * 2 >= tally.decided && tally.lies > 0);
}
