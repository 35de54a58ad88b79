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
            "dpcmp.bound/1",
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
    let run = dpcmp(&["report", "no-such-file.toml", "--format", "json"]);
    assert_eq!(run.objects()[0]["error"]["code"], "unreadable");
}

/// What was computed from the keys, and what is taken for granted, whoever asks.
#[test]
fn what_was_computed_is_said() {
    let log = r#"{"kind":"dp-sgd","noise-multiplier":1.1,"epochs":1,"batch-size":256,"dataset-size":600}"#;
    let runs = [
        dpcmp(&["bound", log, "advantage"]),
        dpcmp(&["compare", log, log]),
        dpcmp(&["curve", log, "--points", "0,1"]),
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
    let run = dpcmp(&["bound", log, "advantage", "--format", "json"]);
    let object = run.objects().remove(0);
    assert!(
        object["computed"][0].as_str().unwrap().contains("steps"),
        "{object}"
    );
    assert_eq!(object["conditions"][0], "Poisson sampling");
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

/// What replaced records may do is taken for granted in certificates, too: of a group all may be replaced, in a histogram each adds to one cell.
#[test]
fn conditions_of_replaced_records_are_in_certificates() {
    let group = r#"{"kind":"group","records":2,"of":{"kind":"gaussian","sigma":4,"record-bound":1},"adjacency":"replace-one"}"#;
    let histogram =
        r#"{"kind":"histogram","of":{"kind":"gaussian","sigma":2},"adjacency":"replace-one"}"#;
    for (mechanism, words) in [
        (
            group,
            "of a group all records may be replaced, each by another",
        ),
        (
            histogram,
            "a record adds to one cell of a histogram, and takes nothing away",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("certificate.json");
        let file = format!(r#"{{"mechanism":{mechanism},"claim":{{"kind":"gdp","mu":1.1}}}}"#);
        let arguments = [
            "verify",
            "-",
            "--format",
            "json",
            "--certificate",
            out.to_str().unwrap(),
        ];
        let run = dpcmp_reading(&arguments, file);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        let conditions = run.objects()[0]["conditions"].to_string();
        assert!(conditions.contains(words), "{conditions}");
        let certificate = std::fs::read_to_string(&out).unwrap();
        assert!(certificate.contains(words), "{certificate}");
    }
}
