//! `--shard K/N`: the pieces, put together, are the whole.

use std::fs;

use serde_json::Value;

use super::{Run, dpcmp};

fn piece(arguments: &[&str], piece: usize, pieces: usize) -> Run {
    let shard = format!("{piece}/{pieces}");
    let mut all = arguments.to_vec();
    all.extend(["--shard", &shard]);
    dpcmp(&all)
}

/// What all pieces print, one after the other.
fn together(arguments: &[&str], pieces: usize) -> String {
    let runs = (1..=pieces).map(|k| piece(arguments, k, pieces));
    runs.map(|run| run.stdout).collect()
}

/// Lines without the time that they took.
fn timeless(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value.as_object_mut().unwrap().remove("seconds");
        value
    });
    lines.collect()
}

#[test]
fn batches_and_sweeps_are_put_together_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let batch = folder.path().join("batch.jsonl");
    let line = |scale: u32| {
        format!(
            r#"{{"id":{scale},"mechanism":{{"kind":"laplace","scale":{scale}}},"query":{{"kind":"advantage"}}}}"#
        )
    };
    // Blank lines are none, and a bad one is answered, too.
    let lines: Vec<String> = (0..7).map(line).collect();
    fs::write(
        &batch,
        format!("\u{feff}\n{}\n\nno line\n", lines.join("\n\n")),
    )
    .unwrap();
    let batch = batch.display().to_string();
    let arguments = ["bound", "--batch", &batch];
    let whole = dpcmp(&arguments).stdout;
    assert_eq!(whole.lines().count(), 8);
    for pieces in [1, 2, 3, 8, 11] {
        assert_eq!(together(&arguments, pieces), whole, "{pieces}");
    }

    let sweep = [
        "bound",
        r#"{"kind":"laplace"}"#,
        "advantage",
        "--sweep",
        "scale=1,2,0,4,5",
        "--format",
        "json",
    ];
    let whole = dpcmp(&sweep).stdout;
    assert_eq!(whole.lines().count(), 5);
    for pieces in [1, 2, 5, 6] {
        assert_eq!(together(&sweep, pieces), whole, "{pieces}");
    }
}

#[test]
fn records_of_pieces_are_a_record_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let sweep = |output: &str, shard: Option<&str>| {
        let mut arguments = vec!["bound", r#"{"kind":"laplace"}"#, "advantage"];
        arguments.extend(["--sweep", "scale=1,2,3,4,5", "--output", output]);
        arguments.extend(shard.map(|shard| ["--shard", shard]).into_iter().flatten());
        assert_eq!(dpcmp(&arguments).code, 0);
        fs::read_to_string(output).unwrap()
    };
    let whole = sweep(&at("whole"), None);
    let parts: String = ["1/2", "2/2"]
        .map(|shard| sweep(&at(&shard.replace('/', "-")), Some(shard)))
        .concat();
    assert_eq!(parts, whole);
    // A piece leaves the points of others in its record.
    fs::write(at("shared"), &parts).unwrap();
    assert_eq!(sweep(&at("shared"), Some("2/2")), whole);
}

#[test]
fn claims_of_files_and_lines_are_each_in_one_piece() {
    let folder = tempfile::tempdir().unwrap();
    let claim = |epsilon: u32| {
        format!(
            r#"{{"mechanism":{{"kind":"laplace","scale":1}},"claim":{{"kind":"pure-dp","epsilon":"{epsilon}/2"}}}}"#
        )
    };
    fs::write(folder.path().join("a.json"), claim(1)).unwrap();
    let lines: Vec<String> = (2..6).map(claim).collect();
    fs::write(folder.path().join("b.jsonl"), lines.join("\n")).unwrap();
    fs::write(folder.path().join("c.toml"), "no claim").unwrap();
    let folder = folder.path().display().to_string();
    let arguments = ["verify", &folder, "--format", "json"];
    let whole = timeless(&dpcmp(&arguments).stdout);
    assert_eq!(whole.len(), 6);
    for pieces in [1, 2, 3, 6, 7] {
        assert_eq!(timeless(&together(&arguments, pieces)), whole, "{pieces}");
    }
    // The exit code is that of the piece: only the first claim is false, only the last file is bad.
    let codes: Vec<i32> = (1..=3).map(|k| piece(&arguments, k, 3).code).collect();
    assert_eq!(codes, [1, 0, 2]);
}

#[test]
fn what_cannot_be_put_together_is_refused() {
    let claim = "examples/claims/de-et-al.toml";
    let laplace = r#"{"kind":"laplace","scale":1}"#;
    for arguments in [
        &["verify", claim, "--shard", "1/2"][..],
        &["verify", claim, "--format", "junit", "--shard", "1/2"],
        &["verify", claim, "--format", "json", "--shard", "3/2"],
        &[
            "verify", claim, "--format", "json", "--shard", "1/2", "--attest", "x",
        ],
        &["bound", laplace, "advantage", "--shard", "1/2"],
        &["bound", "--batch", "-", "--shard", "1/2"],
        &["fuzz-accountant", "x", "--shard", "1/2"],
        &["fuzz-accountant", "x", "--shard", "1/2", "--cases", "4"],
    ] {
        let run = dpcmp(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!run.stderr.is_empty());
    }
}

/// The script for arrays of Slurm, with what Slurm tells each task: all pieces in order are the whole, and what is there is not done again.
#[cfg(unix)]
#[test]
fn a_slurm_array_is_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cluster/slurm-array");
    let program = assert_cmd::cargo::cargo_bin("dpcmp");
    let questions: Vec<String> = (1..=12)
        .map(|n| format!(r#"{{"id":{n},"mechanism":{{"kind":"laplace","scale":{n}}},"query":{{"kind":"advantage"}}}}"#))
        .collect();
    let batch = folder.path().join("questions.jsonl");
    fs::write(&batch, questions.join("\n")).unwrap();
    let task = |k: u32| {
        let mut command = std::process::Command::new(script);
        command.current_dir(folder.path()).arg(&program);
        command.args(["bound", "--batch", batch.to_str().unwrap()]);
        command.env("SLURM_ARRAY_TASK_ID", k.to_string());
        command
            .env("SLURM_ARRAY_TASK_COUNT", "11")
            .env("SLURM_CPUS_PER_TASK", "1");
        assert!(command.status().unwrap().success());
    };
    (1..=11).for_each(task);
    let piece = |k: u32| folder.path().join(format!("piece-{k:02}.jsonl"));
    let pieces: String = (1..=11)
        .map(|k| fs::read_to_string(piece(k)).unwrap())
        .collect();
    let whole = dpcmp(&["bound", "--batch", batch.to_str().unwrap()]).stdout;
    assert_eq!(pieces, whole);
    // A killed task has left no piece; one that is there stays.
    fs::remove_file(piece(3)).unwrap();
    fs::write(piece(4), "kept").unwrap();
    task(3);
    task(4);
    assert!(whole.contains(&fs::read_to_string(piece(3)).unwrap()));
    assert_eq!(fs::read_to_string(piece(4)).unwrap(), "kept");
    // A command that is refused leaves none, and fails.
    let mut wrong = std::process::Command::new(script);
    wrong
        .current_dir(folder.path())
        .arg(&program)
        .args(["bound", "--batch", "no-such-file"]);
    wrong
        .env("SLURM_ARRAY_TASK_ID", "5")
        .env("SLURM_ARRAY_TASK_COUNT", "7");
    assert_eq!(wrong.output().unwrap().status.code(), Some(2));
    assert!(!folder.path().join("piece-5.jsonl").exists());
}
