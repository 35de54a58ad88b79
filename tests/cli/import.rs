//! `dpcmp import registry`.

use std::fs;

use crate::dpcmp;

const FOLDER: &str = "tests/cli/registry";

/// From ρ = 0.0728, ε at δ = 1e-5 is at most 1.60721 (Canonne, Kamath, Steinke 2020, Proposition 12), and by the exact conversion 1.60719….
#[test]
fn entries_for_people() {
    let run = dpcmp(&["import", "registry", FOLDER]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    insta::assert_snapshot!("import_registry", run.stdout);
    assert!(run.stdout.lines().all(|line| !line.starts_with('✓')));
    let class = r#"{"kind":"zcdp","rho":"0.0728"}"#;
    let known = dpcmp(&["bound", class, "epsilon:delta=1e-5", "--format", "json"]);
    let epsilon: f64 = known.objects()[0]["upper"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(epsilon > 1.607_19 && epsilon < 1.607_21);
    let entries = dpcmp(&["import", "registry", FOLDER, "--format", "json"]).objects();
    for (name, stated) in [
        ("Measured once", Some("1.6073")),
        ("Measured twice", Some("1.6071")),
        ("✓ verified everything", None),
    ] {
        let entry = entries.iter().find(|entry| entry["name"] == name).unwrap();
        let expected = stated.map(|stated| stated.parse::<f64>().unwrap() >= epsilon);
        assert_eq!(entry["follows-from-rho"].as_bool(), expected, "{name}");
        assert!(stated.is_none_or(|stated| entry["epsilon"] == stated));
    }
}

/// What is written is what `verify` decides alike, and no file is written over.
#[test]
fn claim_files() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("claims");
    let output = output.to_str().unwrap();
    let run = dpcmp(&["import", "registry", FOLDER, "--output", output]);
    assert_eq!(run.code, 1);
    let mut names: Vec<_> = fs::read_dir(output)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["rho.toml", "too-small.toml"]);
    for (name, code) in [("rho.toml", 0), ("too-small.toml", 1)] {
        let run = dpcmp(&["verify", &format!("{output}/{name}")]);
        assert_eq!(run.code, code, "{}", run.stdout);
    }
    let again = dpcmp(&["import", "registry", FOLDER, "--output", output]);
    assert_eq!(again.code, 2);
    assert!(
        again.stderr.contains("is there already"),
        "{}",
        again.stderr
    );
}

/// What cannot be read is said with its place, and the rest is read.
#[test]
fn entries_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "a.yaml",
        "deployment:\n  basic: &x\n    name: A\n  other: *x\n",
    );
    write("b.yaml", "name: B\n");
    write(
        "c.yaml",
        &fs::read_to_string(format!("{FOLDER}/rho.yaml")).unwrap(),
    );
    write("d.txt", "");
    let run = dpcmp(&["import", "registry", folder.path().to_str().unwrap()]);
    assert_eq!(run.code, 2);
    for expected in [
        "a.yaml: line 4: aliases",
        "b.yaml: there is no `deployment.basic.name`",
        "d.txt",
    ] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    assert!(run.stdout.contains("Measured once"), "{}", run.stdout);
    let nothing = dpcmp(&["import", "registry", "no-such-file.yaml"]);
    assert_eq!(nothing.code, 2);
}
