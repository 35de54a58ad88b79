//! What the targets of `fuzz/` try, on a stable compiler: seeds, seeds with bytes or with parts of their JSON changed, noise, and inputs that once crashed.
//!
//! `DPCMP_FUZZ_INPUTS` is how many inputs each target gets.

#![cfg(feature = "cli")]

#[path = "../../fuzz/bodies/answer.rs"]
mod answer_body;
#[path = "../../fuzz/bodies/arguments.rs"]
mod arguments_body;
#[path = "../../fuzz/bodies/certificate.rs"]
mod certificate_body;
#[path = "../../fuzz/bodies/claim_file.rs"]
mod claim_file_body;
#[path = "../../fuzz/bodies/law.rs"]
mod law_body;
#[path = "../../fuzz/bodies/mechanism.rs"]
mod mechanism_body;
#[path = "../../fuzz/bodies/tree.rs"]
mod tree;

#[path = "../random/mod.rs"]
mod random;

use std::fs;
use std::path::{Path, PathBuf};

use random::Random;

/// A target: its name, what it tries, and texts of the kind it reads.
type Target = (&'static str, fn(&[u8]), &'static [&'static str]);

const TARGETS: [Target; 6] = [
    ("answer", answer_body::run, ANSWERS),
    ("arguments", arguments_body::run, ARGUMENTS),
    ("certificate", certificate_body::run, &[]),
    ("claim_file", claim_file_body::run, &[]),
    ("law", law_body::run, &["\0\u{1}\u{2}\u{80}"]),
    ("mechanism", mechanism_body::run, MECHANISMS),
];

const ANSWERS: &[&str] = &[
    r#"{"id":1,"value":"1e-5"}"#,
    r#"{"id":1,"lower":0.5,"upper":"inf"}"#,
    r#"{"id":1,"error":{"code":"unsupported","message":"no"}}"#,
    r#"{"accountant":"a","version":"1","mechanisms":["dp-sgd"],"queries":["delta"]}"#,
];

const ARGUMENTS: &[&str] = &[
    "16384/50000",
    "-1.5e-300",
    "approx-dp:epsilon=1,delta=1e-5",
    "gdp-mu:error-floor=1e-10",
    "delta-divergence:other={\"kind\":\"gaussian\",\"sigma\":2}",
    "table:points=[[0,1],[\"1/2\",2],[1,0]]",
    "tpr:fpr=0.1,at-most=0.3",
];

const MECHANISMS: &[&str] = &[
    r#"{"id":1,"mechanism":{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.1,"steps":9},"query":{"kind":"delta","epsilon":1}}"#,
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":2,"times":3},{"kind":"finite","p":["1/2","1/2"],"q":[1,0]}]}"#,
    r#"{"history":[[1.1,0.01,100]],"mechanism":"rdp"}"#,
];

#[test]
fn every_target_takes_everything() {
    let most = std::env::var("DPCMP_FUZZ_INPUTS")
        .ok()
        .and_then(|text| text.parse().ok());
    for (name, body, texts) in TARGETS {
        let mut seeds: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        seeds.extend(seed_files(name));
        assert!(!seeds.is_empty(), "{name}");
        let mut random = Random(1);
        for number in 0..most.unwrap_or(500usize) {
            let seed = seeds[number % seeds.len()].clone();
            let as_a_tree = match number % 2 {
                0 => tree::changed(&seed, &mut random),
                _ => None,
            };
            body(&match as_a_tree {
                _ if number < seeds.len() => seed,
                Some(bytes) => bytes,
                None => changed(seed, &mut random),
            });
        }
    }
}

/// Each file below `fuzz/crashes/TARGET` once made that target crash.
#[test]
fn what_once_crashed_does_so_no_more() {
    for (name, body, _) in TARGETS {
        for input in files(&root().join("fuzz/crashes").join(name)) {
            body(&input);
        }
    }
}

#[test]
fn every_target_is_tried_here() {
    let entries = fs::read_dir(root().join("fuzz/fuzz_targets")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    assert_eq!(names, TARGETS.map(|(name, _, _)| name));
}

/// Example files that a target reads.
fn seed_files(target: &str) -> Vec<Vec<u8>> {
    match target {
        "claim_file" => files(&root().join("examples/claims")),
        "certificate" => files(&root().join("tests/forgeries/true")),
        _ => Vec::new(),
    }
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| fs::read(path).unwrap())
        .collect()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Some bytes replaced, taken out, doubled or swapped for words that parsers know.
fn changed(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    const WORDS: [&str; 10] = [
        "{",
        "}",
        "[",
        "\"",
        ",",
        "1e99999",
        "-",
        "\\u0000",
        "99999999999999999999",
        "0",
    ];
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(6)).min(bytes.len());
        match random.below(4) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..end, word.bytes());
            }
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.0.to_le_bytes()[6];
                }
            }
        }
    }
    bytes
}
