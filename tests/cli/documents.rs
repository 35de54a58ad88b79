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

/// What the README shows is what the program prints.
#[test]
fn the_output_in_the_readme_is_real() {
    let readme = read("README.md");
    let mut blocks = 0;
    for block in readme.split("```console\n$ dpcmp ").skip(1) {
        let (shown, _) = block.split_once("```").unwrap();
        let (command, output) = shown.split_once('\n').unwrap();
        let arguments: Vec<&str> = command.split(' ').collect();
        assert_eq!(output, dpcmp(&arguments).stdout, "{command}");
        blocks += 1;
    }
    assert_eq!(blocks, 4);
}

#[test]
fn the_claim_file_in_the_readme_is_read() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("```toml\n").unwrap();
    let (file, _) = rest.split_once("```").unwrap();
    let run = crate::dpcmp_reading(&["verify", "-"], file);
    assert!(run.code < 2, "{}", run.stderr);
}
