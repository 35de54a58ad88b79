//! What stands beside answers, and what stands in their place: conditions, computed keys, inputs that cannot be read, widths of decided claims, one bound of two.

use crate::{dpcmp, dpcmp_reading};

/// Every command has an object for an input that it cannot read, with its place.
#[test]
fn inputs_that_cannot_be_read_have_an_object() {
    let wrong = r#"{"kind":"laplace","scal":1}"#;
    let right = r#"{"kind":"laplace","scale":1}"#;
    let calibrate = |mechanism| {
        let target = "approx-dp:epsilon=1,delta=1e-5";
        [
            "calibrate",
            mechanism,
            "--solve",
            "scale",
            "--target",
            target,
        ]
        .to_vec()
    };
    for (arguments, schema) in [
        (vec!["bound", wrong, "advantage"], "dpcmp.bound/1"),
        (vec!["bound", right, "advantage", "nosuch"], "dpcmp.bound/1"),
        (
            vec!["bound", wrong, "advantage", "--sweep", "scale=1,2"],
            "dpcmp.sweep/1",
        ),
        (vec!["compare", right, wrong], "dpcmp.comparison/2"),
        (vec!["report", wrong], "dpcmp.report/1"),
        (vec!["curve", right, wrong], "dpcmp.curve/1"),
        (calibrate(wrong), "dpcmp.calibration/1"),
        (vec!["convert", "pure-dp:epsilo=1"], "dpcmp.conversion/1"),
    ] {
        let run = dpcmp(&[&arguments[..], &["--format", "json"]].concat());
        let objects = run.objects();
        assert_eq!(
            (run.code, objects.len()),
            (2, 1),
            "{arguments:?}: {}",
            run.stdout
        );
        assert_eq!(objects[0]["schema"], schema);
        for key in ["code", "message", "place"] {
            assert!(
                objects[0]["error"][key].is_string(),
                "{arguments:?}: {}",
                run.stdout
            );
        }
        assert!(!run.stderr.is_empty());
    }
    for arguments in [
        ["report", "no-such-file.toml"].as_slice(),
        &["bound", "--batch", "no-such-file.jsonl"],
        &["import", "registry", "no-such-file.yaml"],
    ] {
        let run = dpcmp(&[arguments, &["--format", "json"]].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stdout);
        assert_eq!(run.objects()[0]["error"]["code"], "unreadable");
    }
}

/// What was computed from the keys, and what is taken for granted, whoever asks.
#[test]
fn what_was_computed_is_said() {
    let log = r#"{"kind":"dp-sgd","noise-multiplier":1.1,"epochs":1,"batch-size":256,"dataset-size":600}"#;
    let runs = [
        dpcmp(&["bound", log, "advantage"]),
        dpcmp(&["compare", log, log]),
        dpcmp(&["curve", log, "--points", "0,1"]),
        dpcmp(&["compare", log, log, "--engine", "float"]),
        dpcmp(&["bound", log, "advantage", "--sweep", "noise-multiplier=1,2"]),
    ];
    for run in runs {
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(
            run.stdout.contains("provided: Poisson sampling"),
            "{}",
            run.stdout
        );
        assert!(run.stdout.contains("computed: "), "{}", run.stdout);
    }
    for arguments in [
        ["bound", log, "advantage"].as_slice(),
        &["bound", log, "advantage", "--engine", "float"],
        &["bound", log, "advantage", "--sweep", "noise-multiplier=1,2"],
        &["compare", log, log],
        &["compare", log, log, "--engine", "float"],
        &["curve", log, "--points", "0,1"],
        &["report", log],
    ] {
        let run = dpcmp(&[arguments, &["--format", "json"]].concat());
        for object in run.objects() {
            let computed = object["computed"][0].as_str();
            assert!(
                computed.is_some_and(|text| text.contains("steps")),
                "{arguments:?}: {object}"
            );
            assert_eq!(object["conditions"][0], "Poisson sampling");
        }
    }
}

/// A sweep that goes on keeps what its points take for granted.
#[test]
fn what_was_computed_is_kept_in_records() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("sweep.jsonl");
    let log = r#"{"kind":"dp-sgd","noise-multiplier":1.1,"epochs":1,"batch-size":256,"dataset-size":600}"#;
    let arguments = [
        "bound",
        log,
        "advantage",
        "--sweep",
        "noise-multiplier=1,2",
        "--output",
    ];
    let arguments = [&arguments[..], &[record.to_str().unwrap()]].concat();
    let first = dpcmp(&arguments);
    let second = dpcmp(&arguments);
    assert_eq!(first.stdout, second.stdout);
    assert!(
        second.stdout.contains("provided: Poisson sampling"),
        "{}",
        second.stdout
    );
}

/// The quantity of a decided claim is enclosed as narrowly as asked, verified or refuted, and no less than it was.
#[test]
fn decided_claims_are_as_narrow_as_asked() {
    let file = r#"{"mechanism":{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":"0.1","steps":100},"claim":[{"kind":"approx-dp","epsilon":4,"delta":1e-5},{"kind":"approx-dp","epsilon":1,"delta":1e-5}]}"#;
    let width = |precision: &[&str]| {
        let run = dpcmp_reading(
            &[&["verify", "-", "--format", "json"], precision].concat(),
            file,
        );
        let claims = run.objects().remove(0)["claims"].clone();
        assert_eq!(claims[0]["verdict"], "verified");
        assert_eq!(claims[1]["verdict"], "refuted");
        [0, 1].map(|claim: usize| {
            let end = |key: &str| claims[claim][key].as_str().unwrap().parse::<f64>().unwrap();
            (end("upper") - end("lower")) / end("upper")
        })
    };
    let (wide, narrow) = (width(&[]), width(&["--precision", "1e-6"]));
    for (wide, narrow) in wide.into_iter().zip(narrow) {
        assert!(narrow < 1e-6 && wide > 1e-5, "{wide} {narrow}");
    }
}

/// Where only bounds are known, an estimate lies between them, and a curve of one of them is none of the mechanism.
#[test]
fn estimates_lie_between_bounds() {
    let allocation = r#"{"kind":"random-allocation","steps":10,"of":{"kind":"gaussian","sigma":2,"record-bound":1},"adjacency":"replace-one"}"#;
    let query = "delta:epsilon=0.5";
    let ends = dpcmp(&["bound", allocation, query, "--format", "json"])
        .objects()
        .remove(0);
    let estimate = [
        "bound", allocation, query, "--engine", "float", "--format", "json",
    ];
    let estimate = dpcmp(&estimate).objects().remove(0);
    let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let (lower, upper) = (number(&ends["lower"]), number(&ends["upper"]));
    assert!(upper > 1.1 * lower, "only bounds are known: {ends}");
    let about = number(&estimate["estimate"]);
    assert!((lower..=upper).contains(&about), "{estimate} {ends}");
    let run = dpcmp(&["curve", allocation, "--engine", "float"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("only bounds of it are known")
            || run.stderr.contains("only bounds are known"),
        "{}",
        run.stderr
    );
}

/// What replaced records may do is taken for granted in certificates, too: of a group all may be replaced, in a histogram each adds to one cell and to the
/// counts of its keys, and who is not drawn answers in the way that reveals most.
#[test]
fn conditions_of_replaced_records_are_in_certificates() {
    let adds = "a record adds to one cell of a histogram, or to the counts of its keys, and takes nothing away";
    let answers = "where records are replaced, in the way that reveals most";
    let gdp = r#"{"kind":"gdp","mu":1.1}"#;
    let small = r#"{"kind":"approx-dp","epsilon":"0.1","delta":"0.001"}"#;
    for (mechanism, words, claim, code) in [
        (
            r#"{"kind":"group","records":2,"of":{"kind":"gaussian","sigma":4,"record-bound":1},"adjacency":"replace-one"}"#,
            "of a group all records may be replaced, each by another",
            gdp,
            0,
        ),
        (
            r#"{"kind":"histogram","of":{"kind":"gaussian","sigma":2},"adjacency":"replace-one"}"#,
            adds,
            gdp,
            0,
        ),
        (
            r#"{"kind":"noise-threshold","noise":"laplace","scale":1,"threshold":5,"record-bound":1,"adjacency":"replace-one"}"#,
            adds,
            small,
            1,
        ),
        (
            r#"{"kind":"subsampled","rate":"1/10","of":{"kind":"randomized-response","epsilon":1},"adjacency":"replace-one"}"#,
            answers,
            small,
            1,
        ),
        (
            r#"{"kind":"subsampled","rate":"1/10","of":{"kind":"finite","p":["3/4","1/4"],"q":["1/4","3/4"]},"adjacency":"replace-one"}"#,
            answers,
            small,
            1,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("certificate.json");
        let file = format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#);
        let arguments = [
            "verify",
            "-",
            "--format",
            "json",
            "--certificate",
            out.to_str().unwrap(),
        ];
        let run = dpcmp_reading(&arguments, file);
        assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
        let conditions = run.objects()[0]["conditions"].to_string();
        assert!(conditions.contains(words), "{conditions}");
        let certificate = std::fs::read_to_string(&out).unwrap();
        assert!(certificate.contains(words), "{certificate}");
        let checked = dpcmp(&["check", out.to_str().unwrap()]);
        assert!(checked.stdout.contains(words), "{}", checked.stdout);
    }
}

/// Of compositions whose strict μ no theorem tells, an estimate lies between the bounds too: rounding of a grid is no test with errors of 1e-20.
#[test]
fn estimates_of_strict_gaussian_dp_lie_between_bounds() {
    let mechanism =
        r#"{"kind":"compose","of":[{"kind":"gaussian","sigma":1},{"kind":"laplace","scale":1}]}"#;
    let ask = |engine| {
        let json = ["bound", mechanism, "gdp-mu", "--format", "json"];
        let run = dpcmp(&[&json[..], &["--engine", engine]].concat());
        run.objects().remove(0)
    };
    let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let (ends, estimate) = (ask("certified"), ask("float"));
    let (lower, upper) = (number(&ends["lower"]), number(&ends["upper"]));
    let about = number(&estimate["estimate"]);
    assert!((lower..=upper).contains(&about), "{estimate} {ends}");
    assert!(upper < 2.0, "{ends}");
}

/// Of bounds that lie far apart, one of them infinite or 0, the middle is no estimate, and they are named as what there is.
#[test]
fn bounds_that_lie_far_apart_have_no_estimate() {
    let allocation =
        r#"{"kind":"random-allocation","steps":100,"of":{"kind":"gaussian","sigma":1}}"#;
    let cut_down = r#"{"kind":"dp-sgd","sampling":"truncated-poisson","noise-multiplier":1,"sample-rate":"1/10","dataset-size":100,"max-batch":12,"steps":3,"adjacency":"replace-one"}"#;
    for (mechanism, query, words) in [
        (allocation, "renyi:order=2", "an estimate of `renyi`"),
        (allocation, "zcdp-rho", "an estimate of `zcdp-rho`"),
        (cut_down, "gdp-mu", "an estimate of `gdp-mu`"),
    ] {
        let run = dpcmp(&["bound", mechanism, query, "--engine", "float"]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        for words in [
            words,
            "far apart",
            "without `--engine float` they are printed",
        ] {
            assert!(run.stderr.contains(words), "{}", run.stderr);
        }
    }
}
