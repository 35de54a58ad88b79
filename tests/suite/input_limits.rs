//! Hostile inputs: deep, long, huge, not text. Each must be answered quickly, and never by a crash.

use std::time::{Duration, Instant};

use dpcmp::input::{
    ErrorCode, batch_line, claim_file_from_bytes, claims_from_jsonl, mechanism_from_bytes,
};
use dpcmp::mechanism::Kind;
use dpcmp::statement::Query;
use quickcheck::quickcheck;

use crate::soundness_support::is_thorough;

/// Generous for a debug build on a busy machine; a quadratic reader would take hours.
const PATIENCE: Duration = Duration::from_secs(60);

fn code(text: &str) -> Option<ErrorCode> {
    let start = Instant::now();
    let result = mechanism_from_bytes("file", text.as_bytes());
    if let Err(error) = &result {
        assert!(error.render(false).len() < 2_000);
    }
    assert!(start.elapsed() < PATIENCE);
    result.err().map(|error| error.code())
}

fn nested_json(depth: usize) -> String {
    let open = r#"{"kind":"compose","of":["#;
    let inner = r#"{"kind":"gdp","mu":1}"#;
    format!("{}{inner}{}", open.repeat(depth), "]}".repeat(depth))
}

fn nested_toml(depth: usize) -> String {
    let open = r#"{kind="compose",of=["#;
    let inner = r#"{kind="gdp",mu=1}"#;
    format!(
        "mechanism = {}{inner}{}",
        open.repeat(depth),
        "]}".repeat(depth)
    )
}

#[test]
fn nesting() {
    assert_eq!(code(&nested_json(60)), None);
    assert_eq!(code(&nested_toml(38)), None);
    for depth in [100, 1_000, 100_000] {
        assert_eq!(
            code(&nested_json(depth)),
            Some(ErrorCode::Syntax),
            "{depth}"
        );
        assert_eq!(
            code(&nested_toml(depth)),
            Some(ErrorCode::Syntax),
            "{depth}"
        );
        assert_eq!(
            code(&format!("[{}c]", "b.".repeat(depth))),
            Some(ErrorCode::Syntax)
        );
        assert_eq!(
            code(&format!("{}c=1", "b.".repeat(depth))),
            Some(ErrorCode::Syntax)
        );
        assert_eq!(
            code(&format!("a={}", "[".repeat(depth))),
            Some(ErrorCode::Syntax)
        );
        assert_eq!(code(&"[".repeat(depth)), Some(ErrorCode::Syntax));
        assert_eq!(code(&"{\"a\":".repeat(depth)), Some(ErrorCode::Syntax));
    }
}

#[test]
fn megabytes() {
    // Ten of them with `DPCMP_TEST_SCALE` at 10 or more. What is not linear would be seen at two as well.
    let million = if is_thorough() { 1_000_000 } else { 200_000 };
    let probabilities = format!("{}0.5,0.5", "0.0000,".repeat(million / 4 * 3));
    let finite = format!(r#"{{"kind":"finite","p":[{probabilities}],"q":[{probabilities}]}}"#);
    let read = mechanism_from_bytes("file", finite.as_bytes()).unwrap();
    assert!(
        matches!(read.mechanism.kind(), Kind::Finite(pair) if pair.p().len() == million / 4 * 3 + 2)
    );
    // An error at the end of one long line is shown in its place.
    let error = mechanism_from_bytes("file", finite.replace("]}", "],}").as_bytes()).unwrap_err();
    assert_eq!((error.line(), error.column()), (1, finite.len() + 1));

    let lines: String = (0..million).map(|i| format!("key{i}=1\n")).collect();
    assert_eq!(code(&lines), Some(ErrorCode::MissingKey));
    assert_eq!(
        code(&"[[claim]]\n".repeat(million)),
        Some(ErrorCode::MissingKey)
    );
    assert_eq!(
        code(&format!("kind=\"{}\"", "x".repeat(10 * million))),
        Some(ErrorCode::UnknownKind)
    );
    assert_eq!(
        code(&format!("{}=1", "x".repeat(10 * million))),
        Some(ErrorCode::MissingKey)
    );
    assert_eq!(
        code(&format!("kind=\"gdp\"\nmu={}", "1".repeat(10 * million))),
        Some(ErrorCode::TooLarge)
    );
    assert_eq!(code(&"=\n".repeat(million)), Some(ErrorCode::Syntax));
    assert_eq!(code(&"\n".repeat(10 * million)), Some(ErrorCode::Syntax));
    // TOML has 16 MiB, and nothing at all is empty at any length.
    assert_eq!(code(&"a=1\n".repeat(5_000_000)), Some(ErrorCode::TooLarge));
    assert_eq!(code(&" ".repeat(20_000_000)), Some(ErrorCode::Syntax));
    assert_eq!(code(&" ".repeat(135_000_000)), Some(ErrorCode::TooLarge));
}

#[test]
fn many_claims_on_one_line() {
    let claim = r#"{"kind":"gdp","mu":1}"#;
    let count = 200_000;
    let text = format!(
        r#"{{"mechanism":{{"kind":"gdp","mu":1}},"claim":[{}]}}"#,
        vec![claim; count].join(",")
    );
    let start = Instant::now();
    let file = claim_file_from_bytes("file", text.as_bytes()).unwrap();
    assert!(start.elapsed() < PATIENCE);
    let last = file.claims.last().unwrap();
    assert_eq!(
        (last.line, last.column),
        (1, text.len() - 2 - claim.len() + 1)
    );
}

#[test]
fn exponents_are_refused_before_they_cost_anything() {
    assert_eq!(
        code("kind=\"gdp\"\nmu=1e999999999999"),
        Some(ErrorCode::TooLarge)
    );
    let points = format!("[{}[1,1]]", "[1e20000,1],".repeat(500_000));
    let bomb = format!(r#"{{"kind":"profile","points":{points}}}"#);
    assert_eq!(code(&bomb), Some(ErrorCode::TooLarge));
    // Different denominators, whose common denominator is what costs.
    let fractions: Vec<String> = (0..200_000)
        .map(|i| format!("\"1/{}\"", 1_000_003 + 2 * i))
        .collect();
    let bomb = format!(
        r#"{{"kind":"finite","p":[{}],"q":[1]}}"#,
        fractions.join(",")
    );
    assert_eq!(code(&bomb), Some(ErrorCode::Range));
    let wide: Vec<String> = (0..4_000)
        .map(|i| format!("\"1e-{}/{}\"", 10_000 + i, 7 + i))
        .collect();
    let bomb = format!(r#"{{"kind":"finite","p":[{}],"q":[1]}}"#, wide.join(","));
    assert_eq!(code(&bomb), Some(ErrorCode::TooLarge));
}

#[test]
fn encodings() {
    let gdp = "kind = \"gdp\"\nmu = 2\n";
    let expected = mechanism_from_bytes("file", gdp.as_bytes()).unwrap();
    for text in [
        gdp.replace('\n', "\r\n"),
        format!("\u{feff}{gdp}"),
        gdp.trim_end().to_owned(),
    ] {
        assert_eq!(
            mechanism_from_bytes("file", text.as_bytes()),
            Ok(expected.clone())
        );
    }
    let json = "\u{feff}\r\n{\"kind\":\"gdp\",\r\n\"mu\":2}\r\n";
    assert_eq!(mechanism_from_bytes("file", json.as_bytes()), Ok(expected));
    for (bytes, line, column) in [
        (&b"kind = \"gdp\"\nmu = \xff"[..], 2, 6),
        (b"\xff\xfek\0i\0", 1, 1),
        (b"\x00\x01\x02\xd3", 1, 4),
    ] {
        let error = mechanism_from_bytes("file", bytes).unwrap_err();
        assert_eq!(
            (error.code(), error.line(), error.column()),
            (ErrorCode::Encoding, line, column)
        );
    }
    let error = mechanism_from_bytes("file", b"kind = \"gdp\"\nmu = \0").unwrap_err();
    assert_eq!(error.code(), ErrorCode::Syntax);
}

/// Every entry point, for inputs that must not crash.
fn read_all_ways(bytes: &[u8]) {
    let _ = mechanism_from_bytes("f", bytes).map_err(|error| error.render(true));
    let _ = claim_file_from_bytes("f", bytes).map_err(|error| error.render(false));
    for (_, result) in claims_from_jsonl("f", bytes) {
        let _ = result.map_err(|error| error.render(false));
    }
    let _ = batch_line("f", 1, bytes).map_err(|error| error.error.render(false));
    let _ = Query::from_argument(&String::from_utf8_lossy(bytes)).map_err(|e| e.render(false));
}

const SEED_JSON: &str = r#"{"id":1,"title":"t","mechanism":{"kind":"compose","of":[{"kind":"dp-sgd",
"phases":[{"noise-multiplier":"9.4","sample-rate":"1/3","steps":20}],"times":3},{"kind":"finite","p":["1/3","2/3"],
"q":[0.5,0.5]},{"kind":"profile","points":[[-1,0.9]]}],"adjacency":"add"},"claim":[{"kind":"gdp","mu":1.5,
"tolerance":1e-10}],"query":{"kind":"delta","epsilon":-1}}"#;

const SEED_TOML: &str = "title = 't'\n[mechanism]\nkind = \"subsampled\"\nrate = 0.01\nof.kind = \"gaussian\"\n\
of.sigma = 1_0.5e-1\n[[claim]]\nkind = 'approx-dp'\nepsilon = +8\ndelta = \"1e-5\" # é\n";

fn mutated(seed: &str, edits: &[(usize, u8)]) -> Vec<u8> {
    let mut bytes = seed.as_bytes().to_vec();
    for (place, byte) in edits {
        let place = place % bytes.len();
        match byte % 3 {
            0 => bytes[place] = byte.wrapping_mul(31),
            1 => bytes.insert(place, b"{}[]\",:=.e-\n'1/"[usize::from(*byte) % 15]),
            _ => bytes.truncate(place.max(1)),
        }
    }
    bytes
}

quickcheck! {
    fn byte_soup_never_panics(bytes: Vec<u8>) -> bool {
        read_all_ways(&bytes);
        true
    }

    fn mutated_documents_never_panic(edits: Vec<(usize, u8)>) -> bool {
        let edits = &edits[..edits.len().min(6)];
        read_all_ways(&mutated(SEED_JSON, edits));
        read_all_ways(&mutated(SEED_TOML, edits));
        true
    }
}

#[test]
fn the_seeds_are_valid() {
    assert!(mechanism_from_bytes("f", SEED_TOML.as_bytes()).is_ok());
    let line = SEED_JSON.replace('\n', "");
    assert!(batch_line("f", 1, line.as_bytes()).is_ok());
    assert_eq!(
        claims_from_jsonl("f", line.as_bytes())
            .filter(|(_, file)| file.is_ok())
            .count(),
        1
    );
}
