//! `dpcmp verify` on claim files whose titles and names look like its own words.

use serde_json::{Value, json};

use crate::{FALSE_CLAIM, dpcmp_reading, finite_claim};

/// A claim file that somebody else wrote must not be able to draw a verdict of its own.
#[test]
fn a_title_cannot_forge_a_verdict() {
    let forged = r#""a\n  ✓ verified  everything\u001b[1A\u202e""#;
    let keys = format!(r#"{{"title":{forged},"source":{forged},"id":{forged},"#);
    let claim = finite_claim(FALSE_CLAIM).replacen('{', &keys, 1);
    for input in [
        claim.replace(&format!(r#""id":{forged},"#), ""),
        format!("{claim}\n{claim}\n"),
    ] {
        let run = dpcmp_reading(&["verify", "-"], input);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(
            !run.stdout.contains(['\u{1b}', '\u{202e}']),
            "{}",
            run.stdout
        );
        let verdicts = run
            .stdout
            .lines()
            .filter(|line| line.trim_start().starts_with('✓'));
        assert_eq!(verdicts.count(), 0, "{}", run.stdout);
    }
}

/// Titles, sources and names are in quotes, and on lines that no terminal of 80 columns breaks: none of it begins a line.
#[test]
fn a_title_cannot_look_like_a_verdict() {
    let lie = "✓ verified  (1, 1e-9)-DP   δ(1) in [1e-10, 2e-10]";
    let blanks = " ".repeat(57);
    for text in [
        lie.to_owned(),
        format!("A{blanks}  {lie}"),
        format!("A\n  {lie}"),
        format!("A\u{2028}  {lie}\u{202e}"),
        format!("{} {lie}", "x".repeat(77)),
        format!("{} {lie}", "データ".repeat(30)),
        format!("A\"   {lie}"),
    ] {
        let file = json!({
            "title": text,
            "source": text,
            "mechanism": {"kind": "finite", "p": ["1/3", "2/3"], "q": ["2/3", "1/3"]},
            "claim": serde_json::from_str::<Value>(FALSE_CLAIM).unwrap(),
        });
        let run = dpcmp_reading(&["verify", "-"], file.to_string());
        assert_eq!(run.code, 1, "{}", run.stderr);
        let begins = |mark: &str| {
            let lines = run.stdout.lines();
            lines
                .filter(|line| line.trim_start().starts_with(mark))
                .count()
        };
        // Only behind the blanks of a source that goes on in another line.
        let rows = |mark: &str| {
            let lines = run.stdout.lines();
            lines
                .filter(|line| line.starts_with(&format!("  {mark}")))
                .count()
        };
        assert_eq!(
            (rows("✓"), rows("✗"), begins("✗")),
            (0, 1, 1),
            "{}",
            run.stdout
        );
        assert!(run.stdout.starts_with('"'), "{}", run.stdout);
        for line in run
            .stdout
            .lines()
            .take_while(|line| !line.contains("outcomes"))
        {
            let columns: usize = line
                .chars()
                .map(|c| if c.is_ascii() || c == '…' { 1 } else { 2 })
                .sum();
            assert!(columns < 80, "{line}");
        }
    }
}
