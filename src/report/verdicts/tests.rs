//! What comes from a file stays in its place, in every format.

use super::finding::{Finding, Found};
use super::github::{disarmed, line};
use super::junit::attribute;
use super::sarif::uri;
use super::{Tally, Unread, VerdictFormat, VerdictPrinter};
use crate::report::csv::inert;
use std::time::Duration;

const HOSTILE: [&str; 12] = [
    "a\n::error::b",
    "##[set-output name=a]b",
    "x\r\n::stop-commands::y",
    "=1+1",
    "a;=cmd|' /C calc'!A0",
    "]]><!--&amp;\"'",
    "\u{0}\u{fffe}\u{1b}[31m",
    "100%0A::warning::",
    "a,b:c",
    "-",
    "",
    "@SUM(1)\t=2",
];

fn unread(text: &str) -> Unread<'_> {
    Unread {
        file: text,
        line: Some(3),
        place: Some((3, 7)),
        code: "syntax",
        message: text,
        advice: text,
        hint: Some(text),
    }
}

fn printed(format: VerdictFormat, text: &str) -> String {
    let mut printer = VerdictPrinter::new(format);
    let mut all = printer.unread(&unread(text));
    all += &printer.end(&Tally::default(), 2);
    all
}

#[test]
fn numbers_stay_numbers_and_formulas_become_text() {
    for same in [
        "-0.5",
        "+1",
        "1e-5",
        "0.1",
        "inf",
        "(8, 1e-5)-DP",
        "a=b",
        "",
        "a - b",
    ] {
        assert_eq!(inert(same), same);
    }
    for (cell, text) in [
        ("=1+1", "'=1+1"),
        ("-inf", "'-inf"),
        ("@a", "'@a"),
        ("+a", "'+a"),
        ("  =a", "  '=a"),
        ("a;=b", "a;'=b"),
        ("a,\"-b", "a,\"'-b"),
        ("＝a", "'＝a"),
        ("-1/2", "'-1/2"),
    ] {
        assert_eq!(inert(cell), text);
    }
}

#[test]
fn paths_are_uri_references() {
    for (path, expected) in [
        ("claims/a-b_1.toml", "claims/a-b_1.toml"),
        ("/a b/c.toml", "file:///a%20b/c.toml"),
        ("c:d", "c%3Ad"),
        ("100%#?.toml", "100%25%23%3F.toml"),
        ("ä", "%C3%A4"),
        ("-", "-"),
    ] {
        assert_eq!(uri(path), expected);
    }
}

#[test]
fn no_line_is_a_command() {
    assert_eq!(disarmed("  ::error::a\nb ##[c]"), ": :error::a\nb # #[c]");
    for text in HOSTILE {
        let out = printed(VerdictFormat::Github, text);
        assert_eq!(out.lines().count(), 1, "{out}");
        assert!(out.starts_with("::error "), "{out}");
        let (properties, _) = out
            .strip_prefix("::error ")
            .unwrap()
            .split_once("::")
            .unwrap();
        let keys = properties
            .split(',')
            .map(|one| one.split_once('=').unwrap().0);
        let keys: Vec<&str> = keys.collect();
        assert!(
            keys == ["file", "line", "col", "title"] || (text == "-" && keys == ["title"]),
            "{out}"
        );
    }
    // A claim that is verified is no command, whatever its file is called.
    for text in HOSTILE {
        let out = line(&Finding {
            file: text.to_owned(),
            place: None,
            number: Some(1),
            found: Found::Verified,
            vacuous: false,
            what: "1-DP".to_owned(),
            text: "δ = 0".to_owned(),
            time: Duration::ZERO,
        });
        assert!(out.starts_with("✓ verified"), "{out}");
        assert_eq!(out.lines().count(), 1, "{out}");
        assert!(!out.contains("##["), "{out}");
    }
}

#[test]
fn xml_has_no_characters_that_xml_forbids() {
    assert_eq!(
        attribute("<a href='b'>&\"\n c"),
        "&lt;a href=&apos;b&apos;&gt;&amp;&quot; c"
    );
    for text in HOSTILE {
        let out = printed(VerdictFormat::Junit, text);
        let is_allowed = |c: char| c == '\n' || (c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'));
        assert!(out.chars().all(is_allowed), "{out:?}");
        assert_eq!(out.matches("<testcase").count(), 1, "{out}");
        assert_eq!(out.matches("<error ").count(), 1, "{out}");
        assert_eq!(out.matches('<').count(), 9, "{out}");
    }
}

#[test]
fn sarif_is_json_and_has_one_result_each() {
    for text in HOSTILE {
        let out = printed(VerdictFormat::Sarif, text);
        let log: serde_json::Value = serde_json::from_str(&out).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        let index = results[0]["ruleIndex"].as_u64().unwrap();
        let rules = log["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .unwrap();
        assert_eq!(
            rules[usize::try_from(index).unwrap()]["id"],
            results[0]["ruleId"]
        );
    }
}

#[test]
fn csv_has_one_record_each() {
    for text in HOSTILE {
        let out = printed(VerdictFormat::Csv, text);
        assert_eq!(out.matches("\r\n").count(), 2, "{out:?}");
        assert_eq!(out.matches('\n').count(), 2, "{out:?}");
    }
    let none = VerdictPrinter::new(VerdictFormat::Csv).end(&Tally::default(), 0);
    assert!(none.starts_with("file,line,claim,"), "{none}");
}
