//! The checker reads no claim file that the engine refuses, and passes over no key that the engine does not pass over.

use dpcmp::input::{ClaimFile, claim_file_from_bytes, claims_from_jsonl};
use serde_json::Value;

use super::random::Random;
use super::{Answer, canonical, certificate, check, put_claim_file};

/// What the checker says of a claim file in a certificate with a sentence that no claim file has.
fn read(text: &str) -> Answer {
    let mut asked = certificate(1);
    asked["statement"] = Value::from("?");
    put_claim_file(&mut asked, text);
    check(&canonical(&asked))
}

/// The engine's reading: JSON on one line may be a line of a `.jsonl` file.
fn engine(text: &str) -> Option<ClaimFile> {
    if let Ok(file) = claim_file_from_bytes("claim", text.as_bytes()) {
        return Some(file);
    }
    if text.contains('\n') {
        return None;
    }
    let (_, file) = claims_from_jsonl("claims.jsonl", text.as_bytes()).next()?;
    file.ok()
}

const MECHANISM: &str = r#""mechanism":{"kind":"laplace","scale":2}"#;
const CLAIM: &str = r#""claim":{"kind":"pure-dp","epsilon":1}"#;

/// Is a claim file with these words before and after it at the top read: as a `.json` file, as a line, by the checker?
fn json_with(extra: &str) -> (bool, bool, bool, bool) {
    let line = format!("{{{extra}{MECHANISM},{CLAIM}}}");
    let file = format!("{line}\n");
    let is_line = claims_from_jsonl("claims.jsonl", line.as_bytes())
        .next()
        .unwrap()
        .1
        .is_ok();
    let is_file = claim_file_from_bytes("claim.json", file.as_bytes()).is_ok();
    let checked = |text: &str| read(text).word() == "statement";
    (is_file, checked(&file), is_line, checked(&line))
}

#[test]
fn keys_at_the_top_of_json() {
    for (extra, file, line, checked) in [
        ("", true, true, true),
        (r#""title":"x","source":"y","#, true, true, true),
        (r#""id":7,"verdict":"verified","#, false, true, true),
        // Ignored by the engine, as every note is; the checker would rather not.
        (r#""adjacency":"remove","#, false, true, false),
        (r#""sampling":"shuffled","#, false, true, false),
        (r#""tolerance":"0.1","#, false, true, false),
        (r#""title":7,"#, false, false, false),
        (r#""claim":[],"#, false, false, false),
    ] {
        let found = json_with(extra);
        assert_eq!(found, (file, file, line, checked), "{extra}");
    }
}

#[test]
fn keys_at_the_top_of_toml() {
    let file = |extra: &str| {
        format!(
            "{extra}[mechanism]\nkind = \"laplace\"\nscale = 2\n\n[claim]\nkind = \"pure-dp\"\nepsilon = 1\n"
        )
    };
    for (extra, is_read) in [
        ("", true),
        ("title = \"x\"\n", true),
        ("id = 7\n", false),
        ("adjacency = \"remove\"\n", false),
        ("[other]\n", false),
        ("# a comment\u{7}\n", false),
    ] {
        let text = file(extra);
        assert_eq!(engine(&text).is_some(), is_read, "{extra}");
        assert_eq!(read(&text).word() == "statement", is_read, "{extra}");
    }
}

/// An error floor of 0 is no strict statement in other words: the engine refuses it.
#[test]
fn an_error_floor_is_positive() {
    for (keys, is_read) in [
        ("", true),
        (r#","tolerance":0"#, true),
        (r#","error-floor":"1e-300""#, true),
        (r#","error-floor":0"#, false),
        (r#","error-floor":"0e-3""#, false),
        (r#","error-floor":"1/2""#, false),
        (r#","error-floor":"0.1","tolerance":0"#, false),
    ] {
        let text = format!(r#"{{{MECHANISM},"claim":{{"kind":"gdp","mu":1{keys}}}}}"#);
        assert_eq!(engine(&text).is_some(), is_read, "{keys}");
        assert_eq!(read(&text).word() == "statement", is_read, "{keys}");
    }
}

/// Notes are keys of lines: a claim file on one line has none, whatever it looks like.
#[test]
fn the_certificate_says_what_is_a_line() {
    let note = format!(r#"{{"id":7,{MECHANISM},{CLAIM}}}"#);
    let plain = format!("{{{MECHANISM},{CLAIM}}}");
    let (broken, toml) = (
        format!("{plain}\n"),
        include_str!("../../examples/claims/de-et-al.toml"),
    );
    for (text, form, is_read) in [
        (note.as_str(), "line", true),
        (&note, "file", false),
        (&plain, "line", true),
        (&plain, "file", true),
        (&broken, "file", true),
        (&broken, "line", false),
        (toml, "file", true),
        (toml, "line", false),
        (&plain, "page", false),
    ] {
        let mut asked = certificate(1);
        asked["statement"] = Value::from("?");
        put_claim_file(&mut asked, text);
        asked["claim-file"]["form"] = Value::from(form);
        let answer = check(&canonical(&asked));
        assert_eq!(answer.word() == "statement", is_read, "{form}: {text}");
        // What the engine reads as a file is all that the checker reads as one.
        let is_file = claim_file_from_bytes("claim.json", text.as_bytes()).is_ok();
        assert!(form != "file" || is_read == is_file, "{text}");
    }
}

/// What was passed over is said.
#[test]
fn notes_are_named() {
    let line = format!(r#"{{"id":7,{MECHANISM},{CLAIM},"note":"x"}}"#);
    let mut asked = certificate(5);
    put_claim_file(&mut asked, &line);
    super::put_statement(&mut asked);
    let accepted = dpcmp_check::check(canonical(&asked).as_bytes(), &Default::default()).unwrap();
    assert_eq!(accepted.notes, ["id", "note"]);
    let record = accepted.to_string();
    assert!(
        record.contains("  ignored    \"id\"\n             \"note\"\n"),
        "{record}"
    );
}

/// Claim files with a few bytes changed: what the checker reads, the engine reads too.
#[test]
fn the_engine_reads_what_the_checker_reads() {
    let count = std::env::var("DPCMP_MUTATIONS").map_or(2000, |text| text.parse().unwrap());
    let toml = [
        include_str!("../../examples/claims/de-et-al.toml"),
        include_str!("../../examples/claims/wrong-claim.toml"),
    ];
    let seeds: Vec<&str> = include_str!("claims.jsonl").lines().chain(toml).collect();
    let mut random = Random(7);
    let mut both = 0;
    for trial in 0..count {
        let mut text = seeds[random.below(seeds.len())].to_owned();
        for _ in 0..=random.below(2) {
            change(&mut text, &mut random);
        }
        if read(&text).word() == "statement" {
            both += 1;
            // Of several claims the checker reads the one that is asked for.
            let several = text.contains("[[claim]]") || text.contains("\"claim\":[");
            assert!(engine(&text).is_some() || several, "trial {trial}: {text}");
        }
    }
    assert!(both > count / 40, "{both} of {count}");
}

fn change(text: &mut String, random: &mut Random) {
    const WORDS: [&str; 26] = [
        "\"adjacency\":\"remove\",",
        "\"id\":1,",
        ",",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "0",
        "-",
        "+",
        ".",
        "e",
        "1_0",
        "0x1",
        "/",
        " ",
        "\t",
        "\n",
        "\r",
        "#",
        "\u{a0}",
        "null",
        "inf",
        "\\/",
        "title = 'x'\n",
    ];
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let from = places[random.below(places.len())];
    let to = places
        .iter()
        .copied()
        .find(|place| *place > from)
        .unwrap_or(text.len());
    match random.below(3) {
        0 => text.replace_range(from..to, ""),
        1 => text.insert_str(from, WORDS[random.below(WORDS.len())]),
        _ => text.replace_range(from..to, WORDS[random.below(WORDS.len())]),
    }
}
