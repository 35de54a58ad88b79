//! Folders of claim files and of certificates, walked to the bottom.

use std::fs;
use std::path::Path;

use crate::{FALSE_CLAIM, TRUE_CLAIM, dpcmp, finite_claim};

fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn folders_are_walked_to_the_bottom_and_what_is_skipped_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    put(
        folder.path(),
        "claims/a/claim.json",
        &finite_claim(TRUE_CLAIM),
    );
    put(
        folder.path(),
        "claims/b/c/claim.json",
        &finite_claim(FALSE_CLAIM),
    );
    put(folder.path(), "claims/notes.md", "");
    let out = format!("{path}/claims/certificates");
    let claims = format!("{path}/claims");
    let run = dpcmp(&["verify", &claims, "--certificate", &out, "--details"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("a/claim.json"), "{}", run.stdout);
    assert!(run.stdout.contains("b/c/claim.json"), "{}", run.stdout);
    assert!(run.stderr.contains("notes.md"), "{}", run.stderr);
    // Claim files of one name have certificates of different names.
    assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
    // Again, with certificates among the claim files: they are no claim files.
    let run = dpcmp(&["verify", &format!("{path}/claims")]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("a certificate"), "{}", run.stderr);
    // All of it to the checker: only certificates are checked.
    let run = dpcmp(&["check", path, "--format", "json"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let accepted = run.objects();
    assert_eq!(accepted.len(), 2);
    assert!(accepted.iter().all(|one| one["accepted"] == true));
    assert!(run.stderr.contains("a claim file"), "{}", run.stderr);
    // One that is damaged is rejected, and nothing hides it.
    put(
        folder.path(),
        "claims/certificates/damaged.json",
        "{\"claim\":0}",
    );
    assert_eq!(dpcmp(&["check", path]).code, 2);
    let good = accepted[0]["certificate"].as_str().unwrap();
    let text = fs::read_to_string(good).unwrap();
    let lie = text.replace("\"verified\"", "\"refuted\"");
    let lie = if lie == text {
        text.replace("\"refuted\"", "\"verified\"")
    } else {
        lie
    };
    fs::write(Path::new(&out).join("damaged.json"), lie).unwrap();
    assert_eq!(dpcmp(&["check", path]).code, 1);
}

#[test]
fn a_folder_with_nothing_to_read_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "deep/notes.md", "");
    let path = folder.path().to_str().unwrap();
    for command in ["verify", "check"] {
        let run = dpcmp(&[command, path]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("notes.md"), "{}", run.stderr);
    }
}
