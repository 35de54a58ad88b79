//! What goes wrong around dpcmp, made to happen: full disks, readers that leave, no threads, little memory, a sudden end. What was done and what happens
//! is a table in `tests/README.md`.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{FALSE_CLAIM, Run, TRUE_CLAIM, finite_claim};

const GAUSSIAN: &str = r#"{"kind":"gaussian","sigma":1}"#;
const TRAINING: &str = r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":0.01,"steps":100}"#;
/// A question that several threads work at.
const QUESTION: &[&str] = &["bound", TRAINING, "epsilon:delta=1e-5"];

fn program() -> std::path::PathBuf {
    assert_cmd::cargo::cargo_bin("dpcmp")
}

/// Runs a line of the shell in a folder, where `"$@"` is dpcmp with arguments.
fn shell(folder: &Path, line: &str, arguments: &[&str]) -> Run {
    let output = Command::new("sh")
        .args(["-c", line, "sh"])
        .arg(program())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder with a claim that is true and one that is false.
fn claims() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, claim) in [("true.json", TRUE_CLAIM), ("false.json", FALSE_CLAIM)] {
        fs::write(folder.path().join(name), finite_claim(claim)).unwrap();
    }
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Steps that take long to look at: the plan of a certificate ends with the time as well. Three seconds of the processor are twice `--max-seconds` and one.
#[test]
fn plans_of_certificates_end_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let shifts: Vec<u32> = (0..200).collect();
    let weights = vec!["1/200"; shifts.len()];
    let claim = serde_json::json!({
        "mechanism": {"kind": "gaussian-mixture", "sigma": 1, "shifts": shifts, "weights": weights},
        "claim": {"kind": "gdp", "mu": 2, "tolerance": "1e-4"},
    });
    fs::write(folder.path().join("claim.json"), claim.to_string()).unwrap();
    let arguments = ["verify", "claim.json", "--certificate", "certificate.json"];
    let arguments = [&arguments[..], &["--max-seconds", "1", "--jobs", "1"]].concat();
    let run = shell(folder.path(), r#"ulimit -t 3; "$@""#, &arguments);
    assert_eq!(run.code, 1, "{} {}", run.stdout, run.stderr);
    assert!(run.stdout.contains("refuted"), "{}", run.stdout);
}

#[test]
fn standard_output_is_full() {
    let folder = claims();
    let target = ["--target", "advantage:at-most=0.1"];
    let calibrate = [&["calibrate", GAUSSIAN, "--solve", "sigma"][..], &target].concat();
    for arguments in [
        &["verify", "true.json"][..],
        &["verify", "false.json", "--format", "json"],
        &["bound", GAUSSIAN, "advantage"],
        &["bound", GAUSSIAN, "advantage", "--sweep", "sigma=1,2"],
        &["compare", GAUSSIAN, GAUSSIAN],
        &["report", GAUSSIAN],
        &["curve", GAUSSIAN, "--points", "3"],
        &calibrate,
        &["schema"],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
    ] {
        let run = shell(folder.path(), r#""$@" >/dev/full"#, arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        let message = "error: cannot write to standard output: No space left on device";
        assert!(run.stderr.starts_with(message), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

/// No file may grow: the old ones stay as they are, and nothing is left beside them.
#[test]
fn files_that_cannot_be_written() {
    let folder = claims();
    let old = include_bytes!("../forgeries/true/claims-line-1-claim-1.json");
    fs::write(folder.path().join("old.json"), old).unwrap();
    let before = names(folder.path());
    for arguments in [
        &["verify", "true.json", "--certificate", "old.json"][..],
        &["verify", "true.json", "--certificate", "new.json"],
        &["verify", "true.json", "--report", "page.html"],
        &["curve", GAUSSIAN, "--points", "3", "--plot", "curve.svg"],
    ] {
        // A limit is told to who does not listen to its signal.
        let run = shell(
            folder.path(),
            r#"trap '' XFSZ; ulimit -f 0; "$@""#,
            arguments,
        );
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("File too large"), "{}", run.stderr);
        assert_eq!(names(folder.path()), before, "{arguments:?}");
    }
    assert_eq!(fs::read(folder.path().join("old.json")).unwrap(), old);
    // What is no certificate stays, too.
    let arguments = ["verify", "true.json", "--certificate", "false.json"];
    let claim = fs::read(folder.path().join("false.json")).unwrap();
    let run = shell(folder.path(), r#""$@""#, &arguments);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let message = "cannot write `false.json`: it is a file, and no certificate";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert_eq!(fs::read(folder.path().join("false.json")).unwrap(), claim);
    for arguments in [
        &["verify", "true.json", "--certificate", "/proc/new.json"][..],
        &["verify", "true.json", "--certificate", "/dev/full"],
        &["verify", "true.json", "--report", "/proc/page.html"],
    ] {
        let run = shell(folder.path(), r#""$@""#, arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("error: cannot write"), "{}", run.stderr);
    }
}

/// What a sweep had finished when the disk was full is there, and it goes on from it.
#[test]
fn a_sweep_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let to = |file| {
        let sweep = ["--sweep", "sigma=1..9:40", "--output", file];
        [&["bound", GAUSSIAN, "advantage"][..], &sweep].concat()
    };
    let full = shell(
        folder.path(),
        r#"trap '' XFSZ; ulimit -f 2; "$@""#,
        &to("a.jsonl"),
    );
    assert_eq!(full.code, 2, "{}", full.stderr);
    assert!(full.stderr.contains("cannot write `a.jsonl`"));
    assert!(fs::metadata(folder.path().join("a.jsonl")).unwrap().len() > 0);
    let resumed = shell(folder.path(), r#""$@""#, &to("a.jsonl"));
    let whole = shell(folder.path(), r#""$@""#, &to("b.jsonl"));
    assert_eq!(resumed.page(), whole.page());
    let read = |file| fs::read(folder.path().join(file)).unwrap();
    assert_eq!(read("a.jsonl"), read("b.jsonl"));
}

/// As many threads as there are do the work; the answer is the same, whatever else the surroundings are.
#[test]
fn the_answer_does_not_depend_on_the_surroundings() {
    let folder = claims();
    let usual = shell(folder.path(), r#""$@" --jobs 1"#, QUESTION);
    assert_eq!((usual.code, usual.stderr.as_str()), (0, ""));
    for line in [
        // Addresses for a few stacks of threads only.
        r#"ulimit -v 262144; "$@" --jobs 1000"#,
        r#"ulimit -v 262144; "$@""#,
        r#"taskset -c 0 "$@" --jobs 3"#,
        r#"env -i "$@""#,
        r#"env -u HOME LC_ALL=tr_TR.UTF-8 LANG=C TZ=nowhere "$@""#,
        r#"env HOME=/nowhere TERM=nonsense COLUMNS=0 TMPDIR=/nowhere "$@""#,
        r#""$@" <&-"#,
        r#""$@" 2>&-"#,
    ] {
        let run = shell(folder.path(), line, QUESTION);
        assert_eq!(
            (run.code, &run.stdout),
            (0, &usual.stdout),
            "{line}: {}",
            run.stderr
        );
    }
    let arguments = ["verify", "true.json", "false.json", "--format", "json"];
    let certified = ["--certificate", "proofs", "--jobs", "1000"];
    let arguments = [&arguments[..], &certified].concat();
    let run = shell(folder.path(), r#"ulimit -v 262144; "$@""#, &arguments);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(names(&folder.path().join("proofs")).len(), 2);
}

/// An allocation that fails ends a process without a word of its own; somebody else says it.
#[test]
fn too_few_addresses_are_told_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let run_of_steps =
        r#"{"kind":"dp-sgd","noise-multiplier":0.3,"sample-rate":0.01,"steps":100000}"#;
    let precision = ["--precision", "1e-12", "--max-seconds", "3", "--jobs", "1"];
    let arguments = [
        &["bound", run_of_steps, "epsilon:delta=1e-5"],
        &precision[..],
    ]
    .concat();
    let run = shell(folder.path(), r#"ulimit -v 25000; "$@""#, &arguments);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    let said = "the 24 MB of addresses that it may have are not enough";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    // What ends by itself ends with its own code, and says no more.
    let run = shell(folder.path(), r#"ulimit -v 262144; "$@""#, &["bound", "{}"]);
    assert_eq!(run.code, 2);
    assert!(!run.stderr.contains("addresses"), "{}", run.stderr);
}

/// An accountant that says the same ε of everything.
fn stubborn(folder: &Path) -> String {
    let script = r#"read -r hello
echo '{"accountant":"stubborn","version":"1","mechanisms":["gaussian","laplace"],"queries":["epsilon"]}'
while read -r line; do
  id=${line#*:}
  echo "{\"id\":${id%%,*},\"value\":0.001}"
done
"#;
    let path = folder.join("accountant.sh");
    fs::write(&path, script).unwrap();
    format!("sh {}", path.display())
}

/// Kills a command when a file in a folder has so many bytes; false if it ended before.
fn killed(folder: &Path, arguments: &[&str], has_begun: impl Fn() -> bool) -> bool {
    let mut child = Command::new(program())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !has_begun() && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(1));
    }
    let is_over = child.try_wait().unwrap().is_some();
    child.kill().unwrap();
    child.wait().unwrap();
    !is_over
}

#[test]
fn sweeps_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let to = |file| {
        let sweep = ["--sweep", "steps=10..400:12", "--output", file];
        [QUESTION, &sweep].concat()
    };
    let whole = shell(folder.path(), r#""$@""#, &to("whole.jsonl"));
    let file = folder.path().join("killed.jsonl");
    let mut kills = 0;
    for lines in [1, 4, 8] {
        let finished = || fs::read_to_string(&file).map_or(0, |text| text.lines().count());
        kills += usize::from(killed(folder.path(), &to("killed.jsonl"), || {
            finished() >= lines
        }));
    }
    assert!(kills > 0);
    let resumed = shell(folder.path(), r#""$@""#, &to("killed.jsonl"));
    assert_eq!(resumed.page(), whole.page());
    let read = |file| fs::read(folder.path().join(file)).unwrap();
    assert_eq!(read("killed.jsonl"), read("whole.jsonl"));
}

/// At whatever moment: a certificate is there as a whole or not at all, and the next run writes it.
#[test]
fn certificates_are_killed() {
    let folder = claims();
    let arguments = ["verify", ".", "--certificate", "proofs"];
    let proofs = folder.path().join("proofs");
    for moment in [0, 2, 5, 10, 20, 30] {
        let start = Instant::now();
        let is_time = || start.elapsed() >= Duration::from_millis(moment);
        killed(folder.path(), &arguments, is_time);
        let written = if proofs.is_dir() {
            names(&proofs)
        } else {
            Vec::new()
        };
        for name in written.iter().filter(|name| name.ends_with(".json")) {
            let check = shell(&proofs, r#""$@""#, &["check", name]);
            assert_eq!(check.code, 0, "{name} after {moment} ms: {}", check.stdout);
        }
        let _ = fs::remove_dir_all(&proofs);
    }
    assert_eq!(shell(folder.path(), r#""$@""#, &arguments).code, 1);
    assert_eq!(names(&proofs).len(), 2);
}

/// What a search had found is not lost, and the files of its findings are whole.
#[test]
fn searches_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let command = stubborn(folder.path());
    let search = |corpus| {
        let options = [
            "--seed", "1", "--cases", "6", "--jobs", "1", "--format", "json",
        ];
        let places = [
            "--corpus",
            corpus,
            "--findings",
            "findings",
            "--max-seconds",
            "300",
        ];
        [&["fuzz-accountant", &command][..], &options, &places].concat()
    };
    let corpus = folder.path().join("killed");
    let size = || {
        let files = fs::read_dir(&corpus).into_iter().flatten().flatten();
        files
            .map(|file| file.metadata().map_or(0, |file| file.len()))
            .sum::<u64>()
    };
    let mut kills = 0;
    for more in [1, 200, 2000] {
        let before = size();
        kills += usize::from(killed(folder.path(), &search("killed"), || {
            size() >= before + more
        }));
        let findings = folder.path().join("findings");
        let found = if findings.is_dir() {
            names(&findings)
        } else {
            Vec::new()
        };
        for name in found.iter().filter(|name| name.ends_with(".toml")) {
            let again = shell(
                &findings,
                r#""$@""#,
                &["verify", name, "--max-seconds", "1"],
            );
            assert!([0, 1, 3].contains(&again.code), "{name}: {}", again.stderr);
        }
    }
    assert!(kills > 0);
    let resumed = shell(folder.path(), r#""$@""#, &search("killed"));
    let whole = shell(folder.path(), r#""$@""#, &search("whole"));
    assert_eq!((resumed.code, whole.code), (1, 1), "{}", resumed.stderr);
    let (mut resumed, mut whole) = (resumed.objects(), whole.objects());
    let (now, then) = (resumed.pop().unwrap(), whole.pop().unwrap());
    assert_eq!(now["cases"], then["cases"]);
    assert_eq!(resumed.len(), whole.len());
    for (now, then) in resumed.iter().zip(&whole) {
        assert_eq!(now["file"], then["file"]);
    }
}

/// Where no thread can be had for an accountant, that is said.
#[test]
fn a_search_of_few_threads() {
    let folder = tempfile::tempdir().unwrap();
    let command = stubborn(folder.path());
    let options = ["--cases", "2", "--jobs", "200", "--seed", "1", "--quiet"];
    let arguments = [&["fuzz-accountant", &command][..], &options].concat();
    for addresses in [131_072, 200_000, 400_000] {
        let line = format!(r#"ulimit -v {addresses}; "$@""#);
        let run = shell(folder.path(), &line, &arguments);
        let (code, said) = (run.code, &run.stderr);
        assert!([1, 2, 3].contains(&code), "{addresses}: {code}: {said}");
        assert!(!said.contains("mistake in dpcmp"), "{addresses}: {said}");
    }
}

/// Questions that once took from ten seconds to hours of the processor's time beyond their `--max-seconds` of 1. Twice that and a second are what they may take; they
/// are killed after ten, so that no slow machine matters.
#[test]
fn no_question_goes_on_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let finite = r#""of":{"kind":"finite","p":["1/3","2/3"],"q":["1/2","1/2"]}"#;
    let allocated = format!(
        r#"{{"mechanism":{{"kind":"random-allocation","steps":18446744073709551614,{finite}}},"claim":{{"kind":"approx-dp","epsilon":1,"delta":1e-5}}}}"#
    );
    let class = r#"{"kind":"zcdp","rho":"1e300","xi":"1e4","adjacency":"add"}"#;
    let mixture = r#"{"kind":"gaussian-mixture","sigma":"0.3","shifts":["9.4","0.01"],"weights":["2/5","3/5"]}"#;
    let selection = r#"{"kind":"compose","of":[{"times":7,"kind":"exponential","epsilon":"5e8"}]}"#;
    let sum = r#"{"kind":"discrete-gaussian","sigma":"1.1","parties":100000,"record-bound":12}"#;
    for arguments in [
        &["bound", class, "gdp-mu:tolerance=1e-30"][..],
        &["bound", selection, "epsilon:delta=1e-5"],
        &["compare", mixture, sum],
        &["verify", "-"],
    ] {
        fs::write(folder.path().join("input"), &allocated).unwrap();
        let run = shell(
            folder.path(),
            r#"ulimit -t 10; "$@" --max-seconds 1 --jobs 1 <input"#,
            arguments,
        );
        assert!(
            matches!(run.code, 0 | 3),
            "{arguments:?}: {} {}",
            run.code,
            run.stderr
        );
    }
}
