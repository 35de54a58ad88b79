//! `dpcmp bound --sweep`: the same queries at many values of parameters.

use std::fs;

use assert_cmd::Command;
use serde_json::json;

use crate::dpcmp;

const GAUSSIAN: &str = r#"{"kind":"gaussian"}"#;
const TRAINING: &str = r#"{"kind":"dp-sgd","noise-multiplier":4,"sample-rate":"1/100"}"#;

#[test]
fn for_people() {
    let run = dpcmp(&[
        "bound",
        GAUSSIAN,
        "advantage",
        "delta:epsilon=1",
        "--sweep",
        "sensitivity=1,0",
        "--sweep",
        "sigma=1..4:3",
    ]);
    insta::assert_snapshot!(run.page());
}

#[test]
fn for_machines_and_whatever_the_threads() {
    let run = |jobs: &str| {
        dpcmp(&[
            "bound",
            TRAINING,
            "epsilon:delta=1e-5",
            "advantage",
            "--sweep",
            "steps=10..20:4",
            "--sweep",
            "noise-multiplier=4,0,8",
            "--format",
            "json",
            "--jobs",
            jobs,
        ])
    };
    let one = run("1");
    assert_eq!((one.code, one.stderr.as_str()), (0, ""));
    assert_eq!(one.stdout, run("3").stdout);
    let objects = one.objects();
    let points: Vec<String> = objects
        .iter()
        .map(|object| object["parameters"].to_string())
        .collect();
    assert_eq!(points.len(), 12);
    assert_eq!(points[0], r#"{"steps":"10","noise-multiplier":"4"}"#);
    assert_eq!(points[2], r#"{"steps":"10","noise-multiplier":"8"}"#);
    assert_eq!(points[3], r#"{"steps":"13","noise-multiplier":"4"}"#);
    for (object, point) in objects.iter().zip(&points) {
        let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
        let expected = [
            "schema",
            "version",
            "sha256",
            "engine",
            "precision",
            "max-seconds",
            "parameters",
            "results",
            "conditions",
        ];
        assert_eq!(keys, expected);
        assert_eq!(object["schema"], "dpcmp.sweep/1");
        for (result, query) in [(0, "epsilon:delta=1e-5"), (1, "advantage")] {
            let result = &object["results"][result];
            assert_eq!(result["query"], query);
            if point.contains("\"0\"") {
                assert_eq!(result["error"]["code"], "range");
            } else {
                assert_eq!(result["ending"], "reached");
                assert!(result["lower"].is_string() && result["upper"].is_string());
            }
        }
    }
}

#[test]
fn a_point_is_what_it_is_alone() {
    let sweep = dpcmp(&[
        "bound",
        TRAINING,
        "epsilon:delta=1e-5",
        "--sweep",
        "steps=20",
        "--format",
        "json",
    ]);
    let alone = r#"{"kind":"dp-sgd","noise-multiplier":4,"sample-rate":"1/100","steps":20}"#;
    let alone = dpcmp(&["bound", alone, "epsilon:delta=1e-5", "--format", "json"]);
    let (sweep, alone) = (&sweep.objects()[0]["results"][0], &alone.objects()[0]);
    for end in ["lower", "upper"] {
        assert_eq!(sweep[end], alone[end]);
    }
}

#[test]
fn comma_separated() {
    let other = r#"delta-divergence:other={"kind":"gdp","mu":1}"#;
    let run = dpcmp(&[
        "bound",
        GAUSSIAN,
        "advantage",
        other,
        "--sweep",
        "sigma=1,0",
        "--format",
        "csv",
    ]);
    let lines: Vec<&str> = run.stdout.split("\r\n").collect();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(lines[0].starts_with("sigma,advantage lower,advantage upper,advantage ending,"));
    assert!(lines[0].contains(r#","delta-divergence:other={""kind"":""gdp"",""mu"":1} lower","#));
    assert!(lines[1].starts_with("1,0.38292492"), "{}", lines[1]);
    assert!(lines[1].contains(",reached,,0,"), "{}", lines[1]);
    let message = "`sigma` must be greater than 0";
    assert_eq!(lines[2], format!("0,,,,{message},,,,{message}"));
    assert_eq!(lines[3..], [""]);
}

#[test]
fn estimates() {
    let arguments = ["bound", GAUSSIAN, "gdp-mu", "--sweep", "sigma=1,4"];
    let with = |more: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(more).copied().collect();
        dpcmp(&all)
    };
    let table = with(&["--engine", "float"]);
    assert_eq!(
        table.stdout,
        "sigma  gdp-mu\n1      ≈ 1\n4      ≈ 0.25\nprovided: add/remove one record, both directions; real-valued noise, not its floating-point rounding\n"
    );
    let csv = with(&["--engine", "float", "--format", "csv"]);
    assert_eq!(
        csv.stdout,
        "sigma,gdp-mu estimate,gdp-mu error\r\n1,1,\r\n4,0.25,\r\n"
    );
    let lines = with(&["--engine", "float", "--format", "json"]);
    assert_eq!(lines.objects()[1]["engine"], "float");
    assert_eq!(
        lines.objects()[1]["results"],
        json!([{"query": "gdp-mu", "estimate": "0.25"}])
    );
}

/// A sweep that keeps its points in a file.
fn kept(file: &std::path::Path, more: &[&str]) -> crate::Run {
    let file = file.to_str().unwrap();
    let mut all = vec![
        "bound",
        GAUSSIAN,
        "advantage",
        "--sweep",
        "sigma=1..9:5:linear",
        "--output",
        file,
    ];
    all.extend_from_slice(more);
    dpcmp(&all)
}

#[test]
fn a_sweep_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.jsonl");
    let first = kept(&file, &[]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    let whole = fs::read_to_string(&file).unwrap();
    assert_eq!(whole.lines().count(), 5);

    // Interrupted within the second of two lines that were finished out of order.
    let lines: Vec<&str> = whole.lines().collect();
    let torn = format!("{}\n{}\n{}", lines[3], lines[0], &lines[1][..200]);
    fs::write(&file, torn).unwrap();
    let second = kept(&file, &[]);
    assert_eq!(second.page(), first.page());
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);

    // What is in the file is not computed again.
    let marked = whole.replacen("closed form", "by hand", 1);
    fs::write(&file, &marked).unwrap();
    let third = kept(&file, &["--format", "json"]);
    assert_eq!(third.stdout, marked);
    assert_eq!(fs::read_to_string(&file).unwrap(), marked);
}

#[test]
fn more_points_may_be_asked_for_in_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.jsonl");
    kept(&file, &[]);
    let few = fs::read_to_string(&file).unwrap();
    let arguments = [
        "bound",
        GAUSSIAN,
        "advantage",
        "--sweep",
        "sigma=1..9:9:linear",
    ];
    let output = ["--output", file.to_str().unwrap()];
    let more = dpcmp(&[&arguments[..], &output[..]].concat());
    assert_eq!(more.code, 0, "{}", more.stderr);
    let many = fs::read_to_string(&file).unwrap();
    assert_eq!(many.lines().count(), 9);
    assert!(few.lines().all(|line| many.contains(line)));
    // But not fewer.
    let fewer = kept(&file, &[]);
    assert_eq!(fewer.code, 2);
    assert!(fewer.stderr.contains("sigma=2 is not in this sweep"));
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.jsonl");
    kept(&file, &[]);
    let other_precision = kept(&file, &["--precision", "1e-3"]);
    assert_eq!(other_precision.code, 2);
    assert!(other_precision.stderr.contains("without `--precision`"));
    fs::write(&file, "my notes").unwrap();
    let notes = kept(&file, &[]);
    assert_eq!((notes.code, notes.stdout.as_str()), (2, ""));
    assert_eq!(fs::read_to_string(&file).unwrap(), "my notes");
}

#[test]
fn points_that_ran_out_of_time_are_computed_again_with_more_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.jsonl");
    let late = kept(&file, &["--max-seconds", "0"]);
    assert_eq!(late.code, 0);
    assert!(
        late.stdout.contains("1      [0, 1] (?)\n"),
        "{}",
        late.stdout
    );
    assert!(late.stdout.contains("a larger --max-seconds may narrow it"));
    let content = fs::read_to_string(&file).unwrap();
    assert_eq!(kept(&file, &["--max-seconds", "0"]).page(), late.page());
    assert_eq!(fs::read_to_string(&file).unwrap(), content);

    let again = kept(&file, &[]);
    assert!(again.stdout.contains("1      [0.382"), "{}", again.stdout);
    let content = fs::read_to_string(&file).unwrap();
    assert_eq!(content.lines().count(), 5);
    assert!(!content.contains("out-of-time"));
}

#[test]
fn usage() {
    let mut page = String::new();
    let file = std::env::temp_dir().join("sweep.csv");
    let file = file.to_str().unwrap();
    for arguments in [
        &[GAUSSIAN, "advantage", "--sweep", "sigam=1,2"][..],
        &[GAUSSIAN, "advantage", "--sweep", "sigma=0..1"],
        &[GAUSSIAN, "advantage", "--sweep", "sigma=one"],
        &[
            GAUSSIAN,
            "advantage",
            "--sweep",
            "sigma=1..2:1000",
            "--sweep",
            "sensitivity=1..2:1000",
        ],
        &[
            GAUSSIAN,
            "advantage",
            "--sweep",
            "sigma=1",
            "--sweep",
            "sigma=2",
        ],
        &[GAUSSIAN, "advantag", "--sweep", "sigma=1"],
        &[
            r#"{"history":[[1,1,1]],"mechanism":"rdp"}"#,
            "advantage",
            "--sweep",
            "sigma=1",
        ],
        &[GAUSSIAN, "advantage", "--output", "x"],
        &["--batch", "-", "--sweep", "sigma=1"],
        &[GAUSSIAN, "advantage", "--format", "csv"],
    ] {
        let all: Vec<&str> = ["bound"].iter().chain(arguments).copied().collect();
        let run = dpcmp(&all);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        page.push_str(&format!("$ dpcmp {}\n{}\n", all.join(" "), run.stderr));
    }
    insta::assert_snapshot!(page);
    let csv = dpcmp(&[
        "bound",
        GAUSSIAN,
        "advantage",
        "--sweep",
        "sigma=1",
        "--output",
        file,
    ]);
    assert!(
        csv.stderr.contains("redirect standard output"),
        "{}",
        csv.stderr
    );
}

/// Ctrl-C ends a sweep with what is finished, in the file and in the output.
#[cfg(unix)]
#[test]
fn stopping_keeps_what_is_finished() {
    use std::process::{Command as Process, Stdio};
    use std::time::{Duration, Instant};

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.jsonl");
    let arguments = [
        "bound",
        TRAINING,
        "epsilon:delta=1e-5",
        "--sweep",
        "steps=1000..90000:20000",
        "--format",
        "json",
        "--output",
        file.to_str().unwrap(),
    ];
    let child = Process::new(Command::cargo_bin("dpcmp").unwrap().get_program())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let finished = || fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    while finished() < 3 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let stopped = Process::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("points are finished"), "{errors}");
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.lines().count() >= 3 && kept.ends_with('\n'));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), kept);
}
