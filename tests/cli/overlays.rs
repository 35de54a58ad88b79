//! Several curves in one picture, PDF, the colours of claims.

use roxmltree::Document;

use crate::dpcmp;
use crate::pictures::{GAUSSIAN, LAPLACE, check, of_class, plotted, svg};

/// Several mechanisms in one picture: a label, and a line of JSON or CSV, for each by its name.
#[test]
fn curves_over_one_another() {
    let gdp = r##"{"kind":"gdp","mu":"1/2"}"##;
    let three = [
        "curve",
        LAPLACE,
        GAUSSIAN,
        gdp,
        "--points",
        "5",
        "--kind",
        "trade-off",
    ];
    let named = [
        &three[..],
        &["--name", "Ours", "--name", "Theirs", "--title", "Two & one"],
    ]
    .concat();
    let text = svg(&named);
    check(&text);
    for words in ["Ours", "Theirs", "Two &amp; one"] {
        assert!(text.contains(words), "{words}");
    }
    let json = dpcmp(&[&named[..], &["--format", "json"]].concat()).stdout;
    assert_eq!(json.lines().count(), 15);
    assert_eq!(json.matches(r#""name":"Theirs""#).count(), 5);
    let csv = dpcmp(&[&named[..], &["--format", "csv"]].concat()).stdout;
    assert!(
        csv.starts_with("name,alpha,lower,upper,ending,error"),
        "{csv}"
    );
    assert_eq!(
        csv.lines().filter(|line| line.starts_with("Ours,")).count(),
        5
    );
    // A name is text to a spreadsheet, whatever it begins with.
    let formula = [
        "--name", "=1+1", "--name", "b", "--name", "c", "--format", "csv",
    ];
    let csv = dpcmp(&[&three[..], &formula].concat()).stdout;
    let first = csv.lines().nth(1).unwrap_or_default();
    assert!(first.starts_with("'=1+1,"), "{csv}");
    let names = ["--name", "a", "--name", "b"];
    let run = dpcmp(&[&["curve", LAPLACE][..], &names].concat());
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("more names than mechanisms"),
        "{}",
        run.stderr
    );
}

/// A PDF says where each of its objects begins, and how long what is drawn is.
#[cfg(feature = "png")]
#[test]
fn a_pdf_is_one() {
    let (code, bytes) = plotted(
        &["curve", LAPLACE, GAUSSIAN, "--points", "5"],
        "picture.pdf",
    );
    assert_eq!(code, 0);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with("%PDF-1.4\n") && text.ends_with("%%EOF\n"));
    let (_, start) = text.rsplit_once("startxref\n").unwrap();
    let start: usize = start.lines().next().unwrap().parse().unwrap();
    let mut table = text[start..].lines();
    assert_eq!(table.next(), Some("xref"));
    assert_eq!(table.next(), Some("0 6"));
    for (number, line) in (0..6).zip(table) {
        let place: usize = line[..10].parse().unwrap();
        let is_there = text[place..].starts_with(&format!("{number} 0 obj"));
        assert!(number == 0 || is_there, "{line}");
    }
    let (_, stream) = text.split_once("/Length ").unwrap();
    let length: usize = stream.split_once(">>").unwrap().0.parse().unwrap();
    let (_, content) = stream.split_once("stream\n").unwrap();
    assert!(content[length..].starts_with("endstream"));
    let content = &content[..length];
    assert!(!content.contains("NaN") && !content.contains("inf"));
    let lines = |wanted: &str| content.lines().filter(|line| *line == wanted).count();
    assert_eq!(lines("q"), lines("Q"));
    assert!(content.matches(" c\n").count() > 100, "words have outlines");
}

/// What is refuted is not drawn in the colour of what is verified.
#[test]
fn claims_have_the_colour_of_their_verdict() {
    let (code, bytes) = plotted(
        &["verify", "examples/claims/wrong-claim.toml"],
        "picture.svg",
    );
    assert_eq!(code, 1);
    let text = String::from_utf8(bytes).unwrap();
    let document = Document::parse(&text).unwrap();
    let coloured = |class: &str| -> Vec<String> {
        let words = of_class(&document, class).into_iter();
        words
            .filter_map(|node| node.text().map(str::to_owned))
            .collect()
    };
    assert!(!coloured("t-two").is_empty());
    assert!(
        coloured("t-two")
            .iter()
            .all(|text| text.trim().starts_with('✗')),
        "{:?}",
        coloured("t-two")
    );
    assert!(
        coloured("t-three")
            .iter()
            .all(|text| text.trim().starts_with('✓'))
    );
}
