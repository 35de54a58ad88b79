//! The image of the Dockerfile, built and run where Docker can be had: with `DPCMP_DOCKER=1`, as it compiles everything.

use std::process::{Command, Output};

fn docker(arguments: &[&str]) -> Output {
    Command::new("docker")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

/// It has both programs: the example is verified and refuted as it is outside, and a certificate is accepted.
#[test]
fn the_image_verifies_and_checks() {
    if std::env::var("DPCMP_DOCKER").is_err() {
        return;
    }
    let built = docker(&["build", "--quiet", "--tag", "dpcmp-test", "."]);
    assert!(built.status.success(), "{built:?}");
    let folder = format!("{}/examples:/claims:ro", env!("CARGO_MANIFEST_DIR"));
    let run = |arguments: &[&str]| {
        let mut all = vec!["run", "--rm", "--volume", &folder];
        all.extend(arguments);
        docker(&all)
    };
    let verified = run(&["dpcmp-test", "verify", "/claims/claims/wrong-claim.toml"]);
    assert_eq!(verified.status.code(), Some(1), "{verified:?}");
    let checked = run(&[
        "--entrypoint",
        "dpcmp-check",
        "dpcmp-test",
        "/claims/certificates/de-et-al-claim-1.json",
    ]);
    assert!(checked.status.success(), "{checked:?}");
}
