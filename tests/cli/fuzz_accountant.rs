//! `dpcmp fuzz-accountant`, with accountants written in the shell.

use std::fs;
use std::path::Path;

use crate::{dpcmp, is_thorough};

/// Answers every question with the same number; it says that it treats ε of mechanisms with closed forms only,
/// so that no case takes long.
fn stubborn(folder: &Path, value: &str) -> String {
    let script = format!(
        r#"read -r hello
echo '{{"accountant":"stubborn","version":"1","mechanisms":["gaussian","laplace"],"queries":["epsilon"]}}'
while read -r line; do
  id=${{line#*:}}
  echo "{{\"id\":${{id%%,*}},\"value\":{value}}}"
done
"#
    );
    let path = folder.join("accountant.sh");
    fs::write(&path, script).unwrap();
    format!("sh {}", path.display())
}

#[test]
fn a_false_guarantee_is_found_and_refuted_again() {
    let folder = tempfile::tempdir().unwrap();
    let command = stubborn(folder.path(), "0.001");
    let findings = folder.path().join("findings");
    let place = findings.to_str().unwrap();
    let run = dpcmp(&[
        "fuzz-accountant",
        &command,
        "--seed",
        "1",
        "--cases",
        "3",
        "--jobs",
        "1",
        "--findings",
        place,
        "--format",
        "json",
        "--max-seconds",
        "300",
    ]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let objects = run.objects();
    let (summary, found) = objects.split_last().unwrap();
    assert_eq!(summary["schema"], "dpcmp.fuzz/1");
    assert_eq!(summary["accountant"], "stubborn (1)");
    assert_eq!(summary["cases"], 3);
    let mut unsound = 0;
    for finding in found {
        assert_eq!(finding["schema"], "dpcmp.finding/1");
        let file = findings.join(finding["file"].as_str().unwrap());
        assert!(file.is_file(), "{}", file.display());
        if finding["kind"] == "unsound" {
            unsound += 1;
            assert!(finding["confirmation"].is_string());
            assert_eq!(dpcmp(&["verify", file.to_str().unwrap()]).code, 1);
        }
    }
    assert!(unsound > 0, "{}", run.stdout);

    // Once it is known it fails no run, unless another kind is asked about, or it is not in the baseline.
    let baseline = folder.path().join("known.jsonl");
    fs::write(&baseline, &run.stdout).unwrap();
    let again = |more: &[&str]| {
        let line = [
            "fuzz-accountant",
            &command,
            "--seed",
            "1",
            "--cases",
            "3",
            "--jobs",
            "1",
            "--max-seconds",
            "300",
        ];
        dpcmp(&[&line, more].concat())
    };
    let known = again(&["--baseline", baseline.to_str().unwrap()]);
    assert_eq!(known.code, 0, "{}", known.stderr);
    assert!(
        known.stderr.contains("in the baseline: "),
        "{}",
        known.stderr
    );
    assert_eq!(again(&["--fail-on", "crash,timeout"]).code, 0);
    assert_eq!(
        again(&["--fail-on", "crash", "--fail-on", "unsound"]).code,
        1
    );
    assert_eq!(again(&["--baseline", "no-such-file"]).code, 2);
    junit(&run, &again);
}

/// The enclosures of `bound --batch` are answers: both ends are true.
/// A failed test case for each unsound finding of the run in JSON, or a skipped one where it is in the baseline.
fn junit(run: &crate::Run, again: &dyn Fn(&[&str]) -> crate::Run) {
    let unsound: Vec<String> = run
        .objects()
        .iter()
        .filter(|finding| finding["kind"] == "unsound")
        .map(|finding| format!("unsound: {}", finding["cause"].as_str().unwrap()))
        .collect();
    let failed = again(&["--format", "junit"]);
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    let document = roxmltree::Document::parse(&failed.stdout).unwrap();
    let cases = |document: &roxmltree::Document<'_>, inside: &str| -> Vec<String> {
        let cases = document
            .descendants()
            .filter(|node| node.has_tag_name("testcase"));
        let cases = cases.filter(|case| case.children().any(|child| child.has_tag_name(inside)));
        cases
            .map(|case| case.attribute("name").unwrap().to_owned())
            .collect()
    };
    assert_eq!(cases(&document, "failure"), unsound);
    let suite = document
        .descendants()
        .find(|node| node.has_tag_name("testsuite"))
        .unwrap();
    assert_eq!(suite.attribute("name"), Some("stubborn (1)"));
    let count = |key: &str| suite.attribute(key).unwrap().parse::<usize>().unwrap();
    assert_eq!(count("failures"), unsound.len());
    let all = suite
        .children()
        .filter(|node| node.has_tag_name("testcase"));
    assert_eq!(count("tests"), all.count());

    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("known.jsonl");
    fs::write(&baseline, &run.stdout).unwrap();
    let known = again(&[
        "--format",
        "junit",
        "--baseline",
        baseline.to_str().unwrap(),
    ]);
    assert_eq!(known.code, 0, "{}", known.stderr);
    let document = roxmltree::Document::parse(&known.stdout).unwrap();
    assert!(cases(&document, "failure").is_empty());
    let skipped = cases(&document, "skipped");
    assert!(
        unsound.iter().all(|name| skipped.contains(name)),
        "{skipped:?}"
    );
    assert!(known.stdout.contains("unsound: nothing new"));
}

#[test]
fn nothing_is_found_in_dpcmp_itself() {
    let program = assert_cmd::cargo::cargo_bin("dpcmp");
    let program = program.to_str().unwrap();
    let run = dpcmp(&[
        "fuzz-accountant",
        "--seed",
        "5",
        "--cases",
        "12",
        "--answer-seconds",
        "60",
        "--max-seconds",
        "300",
        "--quiet",
        "--",
        program,
        "bound",
        "--batch",
        "-",
        "--max-seconds",
        "2",
        "--precision",
        "1e-3",
        "--quiet",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.contains("12 cases"), "{}", run.stdout);
}

/// Every case is asked in exactly one piece, and what is found in all of them is what one run finds, but for repeated causes.
#[test]
fn pieces_of_a_run_are_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let command = stubborn(folder.path(), "0.001");
    let ask = |shard: Option<&str>| {
        let mut arguments = vec!["fuzz-accountant", &command, "--seed", "1", "--cases", "5"];
        arguments.extend(["--jobs", "1", "--format", "json", "--max-seconds", "300"]);
        arguments.extend(shard.map(|shard| ["--shard", shard]).into_iter().flatten());
        let objects = dpcmp(&arguments).objects();
        let (summary, found) = objects.split_last().unwrap();
        let causes: std::collections::BTreeSet<String> =
            found.iter().map(|one| one["cause"].to_string()).collect();
        (summary["cases"].as_u64().unwrap(), causes)
    };
    let whole = ask(None);
    let pieces = ["1/2", "2/2"].map(|shard| ask(Some(shard)));
    assert_eq!(pieces.clone().map(|(cases, _)| cases), [2, 3]);
    let together = pieces.into_iter().flat_map(|(_, causes)| causes).collect();
    assert_eq!(whole, (5, together));
}

#[test]
fn a_run_goes_on_from_its_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let command = stubborn(folder.path(), "1e6");
    let corpus = folder.path().join("corpus");
    let corpus = corpus.to_str().unwrap();
    let cases = |cases: &str, seed: &str, corpus: &[&str]| {
        let fixed = [
            "fuzz-accountant",
            &command,
            "--seed",
            seed,
            "--cases",
            cases,
            "--jobs",
            "1",
            "--format",
            "json",
        ];
        let arguments: Vec<&str> = fixed.iter().chain(corpus).copied().collect();
        dpcmp(&arguments)
    };
    let kept = ["--corpus", corpus];
    assert_eq!(cases("4", "2", &kept).code, 0);
    let resumed = cases("8", "2", &kept);
    let whole = cases("8", "2", &[]);
    let (resumed, whole) = (resumed.objects(), whole.objects());
    assert_eq!(resumed.len(), whole.len());
    let (Some((now, resumed)), Some((then, whole))) = (resumed.split_last(), whole.split_last())
    else {
        panic!("no summary")
    };
    assert_eq!(resumed, whole);
    for key in ["cases", "answered", "kinds"] {
        assert_eq!(now[key], then[key]);
    }
    let other = cases("8", "3", &kept);
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("another seed"), "{}", other.stderr);
}

#[test]
fn what_is_wrong_with_the_command_line() {
    let missing = dpcmp(&["fuzz-accountant", "no-such-program-anywhere"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.contains("does not start"),
        "{}",
        missing.stderr
    );
    let silent = dpcmp(&["fuzz-accountant", "--", "sh", "-c", "exit 1"]);
    assert_eq!(silent.code, 2);
    assert_eq!(dpcmp(&["fuzz-accountant"]).code, 2);
    assert_eq!(dpcmp(&["fuzz-accountant", "sh", "--factor", "1"]).code, 2);
    assert_eq!(
        dpcmp(&["fuzz-accountant", "sh", "--engine", "float"]).code,
        2
    );
}

/// The adapters are Python: this is for machines that have it.
#[test]
fn the_liar_and_the_honest_adapter() {
    let python = std::process::Command::new("python3")
        .arg("-c")
        .arg("import json")
        .status();
    if !python.is_ok_and(|status| status.success()) {
        println!("no python3: not tested");
        return;
    }
    let program = assert_cmd::cargo::cargo_bin("dpcmp");
    let adapters = format!("{}/fuzz/adapters", env!("CARGO_MANIFEST_DIR"));
    let command = format!(
        "DPCMP='{}' exec python3 -B {adapters}/honest.py",
        program.display()
    );
    let run = dpcmp(&[
        "fuzz-accountant",
        &command,
        "--seed",
        "8",
        "--cases",
        "4",
        "--max-seconds",
        "120",
        "--answer-seconds",
        "60",
    ]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// The files below a folder of findings, by how their names end.
fn files_of_findings(end: &str) -> Vec<String> {
    let folder = format!("{}/fuzz/findings", env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(folder).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|entry| entry.unwrap().path().to_str().unwrap().to_owned());
    files.filter(|path| path.ends_with(end)).collect()
}

/// They take as long as all others: for `DPCMP_TEST_SCALE` at 10 or more.
const DEAR: [&str; 2] = [
    "riskcal-pld-rounding/tradeoff.",
    "fourier_accountant-discretisation/phases.",
];

/// All of these files but the dear ones, unless there is time.
fn without_the_dear(mut files: Vec<String>) -> Vec<String> {
    let all = files.len();
    if !is_thorough() {
        files.retain(|path| !DEAR.iter().any(|name| path.contains(name)));
        assert_eq!(files.len() + DEAR.len(), all);
    }
    files
}

/// Every finding that was published is still one.
#[test]
fn published_findings_are_refuted() {
    let files = without_the_dear(files_of_findings(".toml"));
    let mut arguments = vec!["verify", "--no-check", "--format", "json", "--quiet"];
    arguments.extend(files.iter().map(String::as_str));
    let run = dpcmp(&arguments);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.objects().len() >= files.len());
    for file in run.objects() {
        for claim in file["claims"].as_array().unwrap() {
            assert_eq!(claim["verdict"], "refuted", "{}", file["file"]);
        }
    }
}

/// Certificates beside the claims are of these claims, as they stand, and the checker accepts them.
#[test]
fn published_findings_are_certified() {
    let certificates = files_of_findings(".certificate.json");
    for certificate in &certificates {
        let text = fs::read_to_string(certificate).unwrap();
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        let claim = certificate.replace(".certificate.json", ".toml");
        let claim = claim.replace("gdpnum-mu/point", "gdpnum-mu/claim");
        let file = fs::read_to_string(&claim).unwrap();
        assert_eq!(object["claim-file"]["text"], file, "{claim}");
        assert_eq!(object["verdict"], "refuted", "{claim}");
    }
    let mut arguments = vec!["check", "--quiet"];
    let checked = without_the_dear(certificates.clone());
    arguments.extend(checked.iter().map(String::as_str));
    let run = dpcmp(&arguments);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // Two false guarantees have none: two rare losses of many steps.
    assert_eq!(certificates.len(), files_of_findings(".toml").len() - 1);
}

/// Each cause has a text, a call in the accountant's own words, and claims; and is listed.
#[test]
fn findings_can_be_handed_over() {
    let root = format!("{}/fuzz/findings", env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(format!("{root}/README.md")).unwrap();
    for claim in files_of_findings(".toml") {
        let folder = Path::new(&claim).parent().unwrap();
        let call = fs::read_to_string(folder.join("call.py")).unwrap();
        let stem = Path::new(&claim).file_stem().unwrap().to_str().unwrap();
        assert!(call.contains(&format!("print(\"{stem}\", ")), "{claim}");
        assert!(folder.join("README.md").is_file(), "{claim}");
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(list.contains(&format!("({name})")), "{name}");
    }
}

/// Says `hello` to the greeting, and then runs the rest.
fn script(folder: &Path, hello: &str, rest: &str) -> String {
    let path = folder.join("accountant.sh");
    fs::write(&path, format!("read -r line\necho '{hello}'\n{rest}\n")).unwrap();
    format!("sh {}", path.display())
}

#[test]
fn who_answers_nothing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let command = script(
        folder.path(),
        r#"{"mechanisms":["dpsgd"]}"#,
        "cat >/dev/null",
    );
    let run = dpcmp(&["fuzz-accountant", &command, "--seed", "1", "--cases", "2"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    for words in ["`dpsgd`, which no question", "answered no question"] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let command = script(folder.path(), "{}", "read -r line; echo why >&2; exit 1");
    let run = dpcmp(&[
        "fuzz-accountant",
        &command,
        "--cases",
        "9",
        "--restarts",
        "0",
    ]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("see --restarts"), "{}", run.stderr);
}

/// Whatever ends dpcmp ends the accountant.
#[cfg(unix)]
#[test]
fn no_accountant_is_left_behind() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("computing");
    let rest = format!(
        "read -r line; echo $$ > {}; exec sleep 1000",
        mark.display()
    );
    let command = script(folder.path(), "{}", &rest);
    let mut dpcmp = Command::new(assert_cmd::cargo::cargo_bin("dpcmp"))
        .args(["fuzz-accountant", &command, "--jobs", "1", "--quiet"])
        .args(["--answer-seconds", "500", "--max-seconds", "500"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let size = || fs::metadata(&mark).map_or(0, |file| file.len());
    let start = Instant::now();
    while size() == 0 {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    dpcmp.kill().unwrap();
    dpcmp.wait().unwrap();
    let start = Instant::now();
    loop {
        let before = size();
        std::thread::sleep(Duration::from_secs(2));
        if size() == before {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}
