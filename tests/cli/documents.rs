//! `--help`, the README and the example claims say what the program does.

use std::fs;

use crate::dpcmp;

fn read(path: &str) -> String {
    fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn help() {
    for (name, arguments) in [
        ("help", &["--help"][..]),
        ("help_verify", &["verify", "--help"]),
        ("help_bound", &["bound", "--help"]),
        ("help_compare", &["compare", "--help"]),
        ("help_report", &["report", "--help"]),
        ("help_calibrate", &["calibrate", "--help"]),
        ("help_curve", &["curve", "--help"]),
        ("help_convert", &["convert", "--help"]),
        ("help_import", &["import", "--help"]),
        ("help_reproduce", &["reproduce", "--help"]),
        ("help_fuzz_accountant", &["fuzz-accountant", "--help"]),
    ] {
        let run = dpcmp(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        insta::assert_snapshot!(name, run.stdout);
    }
}

#[test]
fn version() {
    let run = dpcmp(&["--version"]);
    assert_eq!(run.stdout, format!("dpcmp {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn exit_codes_are_the_same_everywhere() {
    let (help, readme) = (dpcmp(&["--help"]).stdout, read("README.md"));
    for line in dpcmp::command::EXIT_CODES_HELP.lines() {
        assert!(help.contains(line.trim()), "--help lacks: {line}");
        assert!(readme.contains(line.trim()), "README.md lacks: {line}");
    }
}

const GUIDE: &str = "docs/guide/src";

/// The README and the chapters of the guide, with how many commands each shows with their output.
const SHOWING: [(&str, usize); 7] = [
    ("README.md", 2),
    ("docs/guide/src/audit.md", 3),
    ("docs/guide/src/report.md", 3),
    ("docs/guide/src/calibrate.md", 2),
    ("docs/guide/src/compare.md", 1),
    ("docs/guide/src/proved.md", 1),
    ("docs/guide/src/formats.md", 0),
];

/// What the README and the guide show is what the program prints; `DPCMP_DOCS=update` writes it there.
#[test]
fn the_output_in_the_documents_is_real() {
    let update = std::env::var("DPCMP_DOCS").is_ok_and(|word| word == "update");
    for (path, count) in SHOWING {
        let text = read(path);
        let mut parts = text.split("```console\n$ dpcmp ");
        let mut renewed = parts.next().unwrap().to_owned();
        let mut blocks = 0;
        for block in parts {
            let (shown, rest) = block.split_once("```").unwrap();
            let (command, output) = shown.split_once('\n').unwrap();
            let words = words(command);
            let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            let printed = without_time(&dpcmp(&arguments).stdout);
            if !update {
                assert_eq!(output, printed, "{path}: {command}");
            }
            renewed += &format!("```console\n$ dpcmp {command}\n{printed}```{rest}");
            blocks += 1;
        }
        assert_eq!(blocks, count, "{path}");
        if update && renewed != text {
            fs::write(format!("{}/{path}", env!("CARGO_MANIFEST_DIR")), renewed).unwrap();
        }
    }
}

/// The output without how long it took, where the last line says so.
fn without_time(output: &str) -> String {
    let (rest, last) = output.trim_end().rsplit_once('\n').unwrap_or_default();
    match last.strip_suffix(" s").map(str::parse::<f64>) {
        Some(Ok(_)) => format!("{rest}\n"),
        _ => output.to_owned(),
    }
}

/// The words of a command line; those in single or double quotes as they are.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// Every chapter is in the summary, and every relative link of the documents leads somewhere.
#[test]
fn the_guide_is_whole_and_links_lead_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let chapters: Vec<String> = fs::read_dir(root.join(GUIDE))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    let summary = read(&format!("{GUIDE}/SUMMARY.md"));
    for chapter in chapters.iter().filter(|name| *name != "SUMMARY.md") {
        assert!(summary.contains(&format!("({chapter})")), "{chapter}");
    }
    let documents = [
        "README.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "docs/claims.md",
        "docs/formats.md",
        "docs/gallery.md",
        "docs/python.md",
        "docs/audit/README.md",
        "benches/RECORD.md",
        "fuzz/README.md",
        "fuzz/PROTOCOL.md",
        "fuzz/findings/README.md",
        "proofs/README.md",
        "python/README.md",
        "tests/README.md",
        "tests/mutants/README.md",
    ];
    let documents = documents.into_iter().map(str::to_owned);
    let mut links = 0;
    for path in documents.chain(chapters.iter().map(|name| format!("{GUIDE}/{name}"))) {
        for rest in read(&path).split("](").skip(1) {
            let Some((target, _)) = rest.split_once(')') else {
                continue;
            };
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") || file.contains(['`', ' ', '|']) {
                continue;
            }
            let place = root.join(&path).parent().unwrap().join(file);
            assert!(place.exists(), "{path}: {target}");
            links += 1;
        }
    }
    assert!(links > 60, "{links}");
}

#[test]
fn the_claim_file_in_the_readme_is_read() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("```toml\n").unwrap();
    let (file, _) = rest.split_once("```").unwrap();
    let run = crate::dpcmp_reading(&["verify", "-"], file);
    assert!(run.code < 2, "{}", run.stderr);
}
