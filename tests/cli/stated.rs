//! What is asked on the command line itself: `verify MECH --claim STATEMENT`, `bound MECH epsilon --delta 1e-5`.

use std::fs;

use dpcmp_check::check;
use serde_json::Value;

use crate::{dpcmp, dpcmp_reading};

const STATE: &str = r#"{"history": [[1.1, 0.01, 1000], [0.9, 0.02, 5]], "mechanism": "prv"}"#;

fn verdicts(object: &Value) -> Vec<&str> {
    let claims = object["claims"].as_array().unwrap();
    claims
        .iter()
        .map(|claim| claim["verdict"].as_str().unwrap())
        .collect()
}

/// An accountant's state, alone and in a checkpoint, has the verdicts of the claim file that says the same.
#[test]
fn claims_about_a_state() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = format!(
        r#"{{"module_state_dict": {{"w": [1.5]}}, "privacy_accountant_state_dict": {STATE}}}"#
    );
    for text in [STATE, &checkpoint] {
        let path = folder.path().join("state.json");
        fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap();
        let out = folder.path().join("proofs");
        let claims = [
            "approx-dp:epsilon=1.5,delta=1e-5",
            "approx-dp:epsilon=0.9,delta=1e-5",
            "gdp:mu=0.6,tolerance=1e-6",
        ];
        let mut arguments = vec!["verify", path, "--format", "json"];
        arguments.extend(claims.iter().flat_map(|claim| ["--claim", claim]));
        // Certificates take most of the time, and say nothing of what the state was in.
        if text == STATE {
            arguments.extend(["--certificate", out.to_str().unwrap()]);
        }
        let run = dpcmp(&arguments);
        let object = &run.objects()[0];
        let file = format!(
            r#"{{"mechanism": {text}, "claim": [
                {{"kind": "approx-dp", "epsilon": 1.5, "delta": 1e-5}},
                {{"kind": "approx-dp", "epsilon": 0.9, "delta": 1e-5}},
                {{"kind": "gdp", "mu": 0.6, "tolerance": 1e-6}}]}}"#
        );
        let whole = dpcmp_reading(&["verify", "-", "--format", "json"], file);
        let whole = &whole.objects()[0];
        assert_eq!(verdicts(object), verdicts(whole));
        assert!(verdicts(object).contains(&"refuted") && verdicts(object).contains(&"verified"));
        for (one, other) in object["claims"]
            .as_array()
            .unwrap()
            .iter()
            .zip(whole["claims"].as_array().unwrap())
        {
            for key in [
                "quantity",
                "lower",
                "upper",
                "bound",
                "nearest-true",
                "rounding-of-printed-digits",
            ] {
                assert_eq!(one[key], other[key], "{key}");
            }
        }
        assert_eq!(run.code, 1);
        // The state is what was read, whatever is written of it.
        assert_eq!(object["sha256"], sha256(text.as_bytes()));
        if text == STATE {
            let certificates = fs::read_dir(&out)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let certificates: Vec<_> = certificates.map(|path| fs::read(path).unwrap()).collect();
            assert_eq!(certificates.len(), claims.len());
            for certificate in certificates {
                assert!(check(&certificate, &dpcmp_check::Options::default()).is_ok());
            }
        }
    }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A mechanism in one argument, a claim file for its mechanism alone, and a claim with a mechanism in it.
#[test]
fn claims_about_any_mechanism() {
    let laplace = r#"{"kind":"laplace","scale":2,"adjacency":"remove"}"#;
    let run = dpcmp(&[
        "verify",
        laplace,
        "--claim",
        "pure-dp:epsilon=1/2",
        "--format",
        "json",
    ]);
    assert_eq!(
        (run.code, verdicts(&run.objects()[0])),
        (0, vec!["verified"]),
        "{}",
        run.stderr
    );
    assert_eq!(run.objects()[0]["mechanism"]["adjacency"], "remove");

    let other = r#"dominated-by:mechanism={"kind":"laplace","scale":1},at-most=0"#;
    let run = dpcmp(&["verify", laplace, "--claim", other, "--format", "json"]);
    assert_eq!(verdicts(&run.objects()[0]), ["verified"], "{}", run.stderr);

    let file = "examples/claims/de-et-al.toml";
    let run = dpcmp(&[
        "verify",
        file,
        "--claim",
        "advantage:at-most=0.3",
        "--format",
        "json",
        "--no-check",
    ]);
    assert_eq!(verdicts(&run.objects()[0]), ["refuted"], "{}", run.stderr);

    for (claim, message) in [
        ("approx-dp:epsilon=1", "`delta`"),
        ("approx-db:epsilon=1,delta=0.1", "did you mean `approx-dp`"),
    ] {
        let run = dpcmp(&["verify", laplace, "--claim", claim]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}

/// Options where a user tries them: what a query leaves out.
#[test]
fn queries_take_what_they_leave_out_from_options() {
    let gaussian = r#"{"kind":"gaussian","sigma":1}"#;
    let lines = |arguments: &[&str]| {
        let run = dpcmp(&[&["bound", gaussian, "--format", "json"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let objects = run.objects();
        let ends = |object: &Value| (object["lower"].clone(), object["upper"].clone());
        objects.iter().map(ends).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(&["epsilon", "--delta", "1e-5"]),
        lines(&["epsilon:delta=1e-5"])
    );
    assert_eq!(
        lines(&[
            "delta",
            "epsilon",
            "delta:epsilon=2",
            "--epsilon",
            "-1",
            "--delta",
            "1e-5"
        ]),
        lines(&["delta:epsilon=-1", "epsilon:delta=1e-5", "delta:epsilon=2"])
    );
    assert_eq!(
        lines(&[
            "trade-off",
            "renyi",
            "bayes-error",
            "--alpha",
            "0.1",
            "--order",
            "3",
            "--prior",
            "0.3"
        ]),
        lines(&[
            "trade-off:alpha=0.1",
            "renyi:order=3",
            "bayes-error:prior=0.3"
        ])
    );
    let run = dpcmp(&["bound", gaussian, "advantage", "--delta", "1e-5"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("no query takes `--delta`"),
        "{}",
        run.stderr
    );
    let run = dpcmp(&["bound", gaussian, "epsilon:delta=0.1", "--delta", "1e-5"]);
    assert_eq!(run.code, 2, "said twice");
}

/// What `compute_dp_sgd_privacy_statement` prints is two claims about two mechanisms; the file is the one that was read.
#[test]
fn a_statement_of_tensorflow_privacy() {
    let text = "\
DP-SGD performed over 10000 examples with 64 examples per iteration, noise
multiplier 2.0 for 5.0 epochs without microbatching, and no bound on number of
examples per user.

Example-level DP with add-or-remove-one adjacency at delta = 1e-06 computed with
RDP accounting:
    Epsilon with each example occurring once per epoch:         5.000
    Epsilon assuming Poisson sampling (*):                      0.800
";
    let run = dpcmp_reading(&["verify", "-", "--format", "json"], text);
    let objects = run.objects();
    assert_eq!(objects.len(), 2, "{}", run.stdout);
    let times = r#"{"kind":"compose","of":[{"kind":"gaussian","noise-multiplier":2,"times":5}]}"#;
    let sampled = r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":"64/10000","steps":782}"#;
    for (object, (mechanism, epsilon)) in objects.iter().zip([(times, "5"), (sampled, "0.8")]) {
        let claim = format!("approx-dp:epsilon={epsilon},delta=1e-6");
        let same = dpcmp(&["verify", mechanism, "--claim", &claim, "--format", "json"]);
        assert_eq!(
            object["claims"][0]["lower"],
            same.objects()[0]["claims"][0]["lower"]
        );
        assert_eq!(verdicts(object), verdicts(&same.objects()[0]));
        assert_eq!(object["sha256"], sha256(text.as_bytes()));
    }
    let run = dpcmp_reading(&["verify", "-", "--no-check", "--details"], text);
    assert!(
        run.stdout.contains("Poisson-sampled at q = 0.0064"),
        "{}",
        run.stdout
    );
    let run = dpcmp_reading(&["verify", "-"], text.replace("0.800", "low"));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Poisson sampling"), "{}", run.stderr);
}
