//! Claims through `dpcmp verify --certificate` and the independent checker.

use std::path::Path;
use std::process::{Command, Output};

use dpcmp_check::{Reason, check};
use serde_json::Value;

use crate::{every, is_thorough};

/// Runs a program in the root of the repository.
fn run(program: &str, arguments: &[&str]) -> Output {
    let root = env!("CARGO_MANIFEST_DIR");
    Command::new(program)
        .current_dir(root)
        .args(arguments)
        .output()
        .unwrap()
}

const DPCMP: &str = env!("CARGO_BIN_EXE_dpcmp");

/// Verifies claim files and checks the certificates; the names of those there are, and what is said of the others.
fn certified(input: &str, folder: &Path) -> (Vec<String>, String) {
    let (names, missing, _) = certified_and_told(input, folder);
    (names, missing)
}

/// The same, and the objects of the verdicts, one of each file.
fn certified_and_told(input: &str, folder: &Path) -> (Vec<String>, String, Vec<Value>) {
    let folder = folder.to_str().unwrap();
    let verified = run(
        DPCMP,
        &[
            "verify",
            input,
            "--certificate",
            folder,
            "--format",
            "json",
            "--quiet",
        ],
    );
    let missing = String::from_utf8(verified.stderr).unwrap();
    let lines = std::str::from_utf8(&verified.stdout).unwrap().lines();
    let told = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in &names {
        let path = format!("{folder}/{name}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() < 20_000, "{name} is long");
        let checked = check(text.as_bytes(), &Default::default());
        assert!(checked.is_ok(), "{name}: {checked:?}");
    }
    (names, missing, told)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Claims of the sample that take more than a second each, beside others like them: for `DPCMP_TEST_SCALE` at 10 or more.
const DEAR: [&str; 11] = [
    "claims-010",
    "claims-040",
    "claims-042",
    "claims-044",
    "claims-078",
    "claims-080",
    "claims-082",
    "claims-083",
    "claims-084",
    "claims-085",
    "claims-102",
];

/// Certificates have the verdict of the oracle, and claims of covered kinds with a relative margin of at least 1e-4 have one.
#[test]
fn the_oracle_sample() {
    let folder = tempfile::tempdir().unwrap();
    // By default every third claim.
    let sample: Vec<(&str, Value)> = include_str!("../oracle/claims.jsonl")
        .lines()
        .step_by(every(6))
        .map(|text| (text, serde_json::from_str(text).unwrap()))
        .filter(|(_, row): &(&str, Value)| {
            is_thorough() || !DEAR.contains(&row["id"].as_str().unwrap())
        })
        .collect();
    let input = folder.path().join("claims.jsonl");
    let lines: String = sample.iter().map(|(text, _)| format!("{text}\n")).collect();
    std::fs::write(&input, lines).unwrap();
    let output = folder.path().join("certificates");
    std::fs::create_dir(&output).unwrap();
    let (names, missing, told) = certified_and_told(input.to_str().unwrap(), &output);
    assert_eq!(told.len(), sample.len());
    for ((line, (text, oracle)), told) in (1..).zip(&sample).zip(&told) {
        let name = format!("claims-line-{line}-claim-1.json");
        if names.contains(&name) {
            assert_eq!(
                json(&output.join(&name))["verdict"],
                oracle["verdict"],
                "{text}"
            );
        } else if missing.contains(&format!(":{line}, claim 1: the claim is too close")) {
            // The sample is full of claims that are true or false by 1e-6 or 1e-40 of their number.
            let claim = &told["claims"][0];
            let number = |key: &str| claim[key].as_str().unwrap().parse::<f64>();
            let is_close = matches!((number("margin"), number("bound")), (Ok(m), Ok(b)) if m.abs() < 1e-4 * b.abs());
            assert!(is_close, "{claim}");
        }
    }
    assert!(names.len() * every(6) >= 55, "{} certificates", names.len());
}

/// The published claim of De et al. and its refutation: small, and the checker says so in words.
#[test]
fn the_main_example() {
    let folder = tempfile::tempdir().unwrap();
    let (names, missing) = certified("examples/claims/de-et-al.toml", folder.path());
    assert_eq!(names.len(), 6, "{missing}");
    let path = folder.path().join("de-et-al-claim-2.json");
    let explained = run(
        DPCMP,
        &[
            "check",
            path.to_str().unwrap(),
            "--explain",
            "--claim",
            "examples/claims/de-et-al.toml",
        ],
    );
    let text = String::from_utf8(explained.stdout).unwrap();
    for part in [
        "delta(37/5) > 1/100000, adjacency add-remove",
        "batches are Poisson-sampled",
        "2000 x Gaussian noise",
        "Lower law",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Laws that have to be planned with care: multiplicities of many ones in base 2, one order that needs no law, a last cell next to the largest loss, mass that
/// only one hypothesis allows, all losses next to 0, slopes to twelve digits, and orders between whole ones.
#[test]
fn plans_of_published_claims() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let all = [
        ("dpacc2-advcomp-20", 1),
        ("tfp-test2", 1),
        ("go-thrdelta-lap-l0-10", 1),
        ("go-thr-lap-base", 1),
        ("dpacc2-conv-pure", 1),
        ("dpacc2-sgd-rdp", 5),
    ];
    for (name, count) in all.into_iter().step_by(every(3)) {
        let input = format!("examples/claims/published/{name}.toml");
        let folder = folder.join(name);
        std::fs::create_dir(&folder).unwrap();
        let (names, missing) = certified(&input, &folder);
        assert_eq!(names.len(), count, "{name}: {missing}");
    }
    // Refuted by the mass of the largest loss alone.
    let next_to_the_end = r#"{"mechanism":{"kind":"compose","of":[{"kind":"subsampled","rate":"1/5","of":{"kind":"laplace","scale":"1/2"},"times":2}]},"claim":{"kind":"approx-dp","epsilon":"1.6464","delta":"1e-14"}}"#;
    let path = folder.join("next.jsonl");
    std::fs::write(&path, format!("{next_to_the_end}\n")).unwrap();
    let certificates = folder.join("next");
    std::fs::create_dir(&certificates).unwrap();
    let (path, folder) = (path.to_str().unwrap(), certificates.to_str().unwrap());
    let arguments = [
        "verify",
        path,
        "--certificate",
        folder,
        "--max-seconds",
        "600",
    ];
    assert_eq!(run(DPCMP, &arguments).status.code(), Some(1));
    let certificate = certificates.join("next-line-1-claim-1.json");
    let text = std::fs::read_to_string(certificate).unwrap();
    let checked = check(text.as_bytes(), &Default::default());
    assert!(checked.is_ok(), "{checked:?}");
}

/// Numbers by way of other keys are read, too.
#[test]
fn keys_that_stand_for_other_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("claim.toml");
    let advantage = "kind = 'advantage'\nat-most = 0.9";
    for (place, (mechanism, claim)) in [
        ("kind = 'gaussian'\nmu-squared = 1", advantage),
        (
            "kind = 'compose'\nof = [{ kind = 'gaussian', mu-squared = 1, times = 3 }]",
            advantage,
        ),
        ("kind = 'randomized-response'\nexp-epsilon = 3", advantage),
        (
            "kind = 'laplace'\nscale = 1",
            "kind = 'pure-dp'\nexp-epsilon = 3",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let output = folder.path().join(place.to_string());
        std::fs::create_dir(&output).unwrap();
        let claim = format!("[[claim]]\n{claim}");
        std::fs::write(&input, format!("[mechanism]\n{mechanism}\n{claim}\n")).unwrap();
        let (names, missing) = certified(input.to_str().unwrap(), &output);
        assert_eq!(names.len(), 1, "{missing}");
    }
}

/// Without a certificate there is a verdict, and what is missing is said with it; without the checker nothing is.
#[test]
fn a_verdict_says_what_confirms_it() {
    let verify = |more: &[&str]| {
        let arguments = [&["verify", "-", "--format", "json"], more].concat();
        let line = r#"{"mechanism":{"kind":"random-allocation","steps":4,"adjacency":"replace-one","of":{"kind":"gaussian","sigma":2,"record-bound":1}},"claim":[{"kind":"approx-dp","epsilon":3,"delta":"0.1"},{"kind":"advantage","at-most":1}]}"#;
        let run = crate::dpcmp_reading(&arguments, line);
        serde_json::from_str::<Value>(run.stdout.lines().next().unwrap()).unwrap()
    };
    let told = verify(&[]);
    let certificate = &told["claims"][0]["certificate"];
    assert_eq!(certificate["accepted"], false, "{told}");
    assert!(
        certificate["message"]
            .as_str()
            .unwrap()
            .contains("a record is replaced"),
        "{told}"
    );
    assert!(
        verify(&["--no-check"])["claims"][0]
            .get("certificate")
            .is_none()
    );
}

/// Claims that are proved in every way that there is: theorems, closed forms, laws, moments, Rényi guarantees, members.
#[test]
fn every_way_to_prove() {
    let folder = tempfile::tempdir().unwrap();
    let claims = include_str!("proofs.jsonl").lines();
    let some: Vec<&str> = claims.step_by(every(3)).collect();
    let path = folder.path().join("proofs.jsonl");
    std::fs::write(&path, some.join("\n")).unwrap();
    let certificates = folder.path().join("certificates");
    std::fs::create_dir(&certificates).unwrap();
    let (names, missing, told) = certified_and_told(path.to_str().unwrap(), &certificates);
    let claims = told
        .iter()
        .flat_map(|file| file["claims"].as_array().unwrap());
    let mut count = 0;
    for claim in claims {
        assert_eq!(claim["certificate"]["accepted"], true, "{claim} {missing}");
        count += 1;
    }
    assert_eq!(names.len(), count);
    assert!(count >= 50 / every(3), "{count}");
}

/// One claim, one file.
#[test]
fn one_certificate_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("certificate.json");
    let path = path.to_str().unwrap();
    let claims = "examples/claims/wrong-claim.toml";
    let verified = run(DPCMP, &["verify", claims, "--certificate", path]);
    assert_eq!(verified.status.code(), Some(1));
    let checked = run(DPCMP, &["check", path, "--explain"]);
    assert_eq!(checked.status.code(), Some(0));
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, text.replace("refuted", "verified")).unwrap();
    assert_eq!(run(DPCMP, &["check", path]).status.code(), Some(1));
    let answers = |arguments: &[&str]| {
        let run = run(DPCMP, &[&["check", "--format", "json"], arguments].concat());
        let lines = String::from_utf8(run.stdout).unwrap();
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        (run.status.code(), lines.collect::<Vec<_>>())
    };
    let example = "examples/certificates/de-et-al-claim-1.json";
    let (code, found) = answers(&[example, path, "no-such-file"]);
    assert_eq!(code, Some(2));
    let [accepted, rejected, unreadable] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(accepted["accepted"], true, "{accepted}");
    assert_eq!(accepted["certificate"], example);
    for (key, value) in [
        ("title", "De et al. 2022, CIFAR-10 WRN-40-4"),
        ("source", "arXiv 2204.13650, Table 14"),
        ("adjacency", "add-remove"),
        ("verdict", "verified"),
        ("proved", "delta(8) <= 1/100000, adjacency add-remove"),
        (
            "claim-file-sha256",
            "d772402e62879a71b7cda8bce0cc70b6628eeda12c216bf956a893616d9d6bd9",
        ),
        ("written-by", "0.1.0"),
        ("checked-by", env!("CARGO_PKG_VERSION")),
    ] {
        assert_eq!(accepted[key], value, "{key}");
    }
    let step = serde_json::json!({"kind": "subsampled", "rate": "1024/3125", "of": {"kind": "gaussian", "mu-squared": "25/2209"}, "times": 2000});
    assert_eq!(accepted["mechanism"]["of"], serde_json::json!([step]));
    let claim = serde_json::json!({"kind": "approx-dp", "epsilon": "8", "delta": "1/100000"});
    assert_eq!(
        (&accepted["claim"], &accepted["claim-number"]),
        (&claim, &Value::from(0))
    );
    assert_eq!(accepted["conditions"].as_array().unwrap().len(), 3);
    assert!(
        accepted["text"]
            .as_str()
            .unwrap()
            .starts_with("  title      \"De et al.")
    );
    assert!(accepted.get("explanation").is_none());
    assert_eq!(rejected["accepted"], false, "{rejected}");
    assert_eq!(rejected["reason"], "statement", "{rejected}");
    assert_eq!(rejected["place"], "the certificate", "{rejected}");
    assert_eq!(unreadable["reason"], "unreadable", "{unreadable}");
    assert_eq!(answers(&[path]).0, Some(1));
    std::fs::write(path, "{").unwrap();
    assert_eq!(run(DPCMP, &["check", path]).status.code(), Some(2));
    assert_eq!(
        run(DPCMP, &["check", "no-such-file"]).status.code(),
        Some(2)
    );
}

/// The certificates shown in the README are of the claim file as it is; one certificate goes into a folder that there is.
#[test]
fn certificates_of_examples() {
    let claim = "examples/claims/de-et-al.toml";
    for number in ["1", "2"] {
        let path = format!("examples/certificates/de-et-al-claim-{number}.json");
        let checked = run(DPCMP, &["check", &path, "--claim", claim]);
        assert_eq!(checked.status.code(), Some(0));
        // A claim file that is not there is no fault of the certificate.
        let checked = run(DPCMP, &["check", &path, "--claim", "no-such-claim.toml"]);
        assert_eq!(checked.status.code(), Some(2));
        let said = String::from_utf8(checked.stderr).unwrap();
        assert!(
            said.contains("cannot read the claim file `no-such-claim.toml`"),
            "{said}"
        );
        assert!(checked.stdout.is_empty());
    }
    let folder = tempfile::tempdir().unwrap();
    let (names, missing) = certified("examples/claims/wrong-claim.toml", folder.path());
    assert_eq!(names, ["wrong-claim-claim-1.json"], "{missing}");
}

/// The adjacency of a mechanism at the top of a line is a note that means nothing, and looks as if it did.
#[test]
fn a_note_that_may_be_meant_has_no_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let line = |note: &str| {
        format!(
            r#"{{{note}"mechanism":{{"kind":"laplace","scale":1}},"claim":{{"kind":"pure-dp","epsilon":1}}}}"#
        )
    };
    let input = folder.path().join("lines.jsonl");
    let lines = [line(r#""id":7,"#), line(r#""adjacency":"remove","#)];
    std::fs::write(&input, lines.join("\n")).unwrap();
    let out = folder.path().join("out");
    let (names, missing) = certified(input.to_str().unwrap(), &out);
    assert_eq!(names, ["lines-line-1-claim-1.json"]);
    assert!(
        missing.contains("`adjacency` does not stand where it would be read"),
        "{missing}"
    );
}

/// The verdict takes a fraction of a second, a plan ten: `--max-seconds` is for all of it, and what was found until then is certified.
#[test]
fn planning_ends_with_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("certificate.json");
    let claim = folder.path().join("claim.json");
    let text = r#"{"mechanism":{"kind":"compose","of":[{"kind":"permute-and-flip","epsilon":"1/2","times":10}]},"claim":[{"kind":"advantage","at-most":"0.2"}]}"#;
    std::fs::write(&claim, text).unwrap();
    let start = std::time::Instant::now();
    let verified = run(
        DPCMP,
        &[
            "verify",
            claim.to_str().unwrap(),
            "--certificate",
            path.to_str().unwrap(),
            "--max-seconds",
            "2",
        ],
    );
    let said = String::from_utf8(verified.stdout).unwrap();
    assert!(verified.status.code() != Some(70));
    assert!(
        path.exists() || said.contains("no certificate: planning"),
        "{said}"
    );
    assert!(start.elapsed().as_secs() < 10, "{said}");
}

/// A sample of a class has no law, and is planned without one.
#[test]
fn samples_of_a_class_have_no_law() {
    let [folder, empty] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let claim = folder.path().join("claim.json");
    let text = r#"{"mechanism":{"kind":"subsampled","rate":"1/10","of":{"kind":"zcdp","rho":"1/2"}},"claim":[{"kind":"advantage","at-most":"0.2"}]}"#;
    std::fs::write(&claim, text).unwrap();
    let (names, said) = certified(claim.to_str().unwrap(), empty.path());
    assert_eq!(names.len(), 1, "{said}");
}

/// The largest loss of ten choices refutes a claim without a dataset that attains it.
#[test]
fn a_largest_loss_refutes_choices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("certificate.json");
    let claim = folder.path().join("claim.json");
    for (kind, refuted) in [("exponential", "4.99"), ("permute-and-flip", "4.99999")] {
        let text = format!(
            r#"{{"mechanism":{{"kind":"compose","of":[{{"kind":"{kind}","epsilon":"1/2","times":10}}]}},"claim":[{{"kind":"pure-dp","epsilon":"{refuted}"}}]}}"#
        );
        std::fs::write(&claim, text).unwrap();
        let all = [
            "verify",
            claim.to_str().unwrap(),
            "--certificate",
            path.to_str().unwrap(),
        ];
        assert_eq!(run(DPCMP, &all).status.code(), Some(1));
        let checked = run(DPCMP, &["check", path.to_str().unwrap()]);
        assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    }
}

/// The example that `proofs/FORMAT.md` works by hand.
#[test]
fn the_example_by_hand() {
    use sha2::{Digest, Sha256};
    const BY_MACHINE: u128 = 566553390621526541620378206742851691;
    let text = r#"{"mechanism":{"kind":"compose","of":[{"kind":"finite","p":["2/3","1/3"],"q":["1/3","2/3"],"times":2}],"adjacency":"remove"},"claim":{"kind":"approx-dp","epsilon":"0","delta":"0.4"}}"#;
    let hash: String = Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for (step, last, says) in [("1", 1, Some(BY_MACHINE)), ("1/2", 2, None)] {
        let certificate = format!(
            r#"{{"claim":0,"claim-file":{{"form":"file","sha256":"{hash}","text":{}}},"conditions":["the mechanism is the one that the claim file describes"],"proof":{{"kind":"profile","sources":[{{"bounds":["531691198313966349161522824112137830"],"direction":"remove","epsilons":["0"],"law":{{"light":0,"parts":[{{"coarsen":[0],"first":-{last},"last":{last},"level":0}}],"step":"{step}"}}}}]}},"schema":"dpcmp.certificate/2","statement":"delta(0) <= 2/5, adjacency remove","verdict":"verified","version":"0.1.0"}}"#,
            Value::from(text)
        );
        let answer = check(format!("{certificate}\n").as_bytes(), &Default::default());
        let no = answer.err();
        assert_eq!(no.as_ref().map(|no| no.reason), says.map(|_| Reason::Bound));
        let units = |n: u128| rug::Integer::from(n) << 168u32;
        let told =
            says.map(|n| format!("{}/2^288 (4.26…e-1) is proved, not <= 3.99…e-1", units(n)));
        assert!(no.is_none_or(|no| no.detail.ends_with(&told.unwrap())));
    }
    // The number by hand: 0.426227.
    let by_machine = BY_MACHINE as f64 / 120f64.exp2();
    assert!((by_machine - 0.426227).abs() < 1e-6);
}
