//! `dpcmp verify`: verdicts on files, folders, lines and standard input.

use serde_json::{Value, json};

use crate::{
    FALSE_CLAIM, TRUE_CLAIM, UNSUPPORTED, dpcmp, dpcmp_reading, finite_claim, is_thorough,
};

#[test]
fn for_people() {
    for (name, file) in [
        ("finite_pair", "examples/claims/finite-pair.toml"),
        (
            "randomized_response",
            "examples/claims/randomized-response.toml",
        ),
        ("wrong_claim", "examples/claims/wrong-claim.toml"),
    ] {
        insta::assert_snapshot!(name, dpcmp(&["verify", file]).page());
    }
}

#[test]
fn for_machines() {
    let run = dpcmp(&[
        "verify",
        "--format",
        "json",
        "examples/claims/finite-pair.toml",
    ]);
    let mut objects = run.objects();
    assert_eq!(objects.len(), 1);
    let seconds = objects[0]["seconds"].take();
    assert!(seconds.as_f64().unwrap() < 60.0);
    assert_eq!(run.stderr, "");
    insta::assert_snapshot!(serde_json::to_string_pretty(&objects[0]).unwrap());
}

#[test]
fn keys_of_the_contract_come_in_order() {
    let run = dpcmp(&[
        "verify",
        "--format",
        "json",
        "examples/claims/finite-pair.toml",
    ]);
    let places = |text: &str, keys: &[&str]| -> Vec<usize> {
        let find = |key: &&str| {
            text.find(&format!("\"{key}\":"))
                .unwrap_or_else(|| panic!("no {key}"))
        };
        keys.iter().map(find).collect()
    };
    let top = places(
        &run.stdout,
        &[
            "schema",
            "file",
            "sha256",
            "version",
            "mechanism",
            "claims",
            "conditions",
            "seconds",
        ],
    );
    assert!(top.is_sorted());
    let claims = &run.stdout[top[5]..];
    let claim = places(
        claims,
        &[
            "kind",
            "verdict",
            "statement",
            "quantity",
            "lower",
            "upper",
            "bound",
            "margin",
            "vacuous",
            "reason",
            "witness",
            "nearest-true",
            "rounding-of-printed-digits",
        ],
    );
    assert!(claim.is_sorted());
}

#[test]
fn the_published_guarantee_of_de_et_al() {
    let run = dpcmp(&[
        "verify",
        "--format",
        "json",
        "examples/claims/de-et-al.toml",
    ]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let object = &run.objects()[0];
    let claims = object["claims"].as_array().unwrap();
    let verdicts: Vec<(&str, &str)> = claims
        .iter()
        .map(|claim| {
            (
                claim["verdict"].as_str().unwrap(),
                claim["statement"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        verdicts,
        [
            ("verified", "strict"),
            ("refuted", "strict"),
            ("verified", "tolerance"),
            ("refuted", "strict"),
            ("refuted", "strict"),
            ("verified", "strict"),
        ]
    );
    // √2000/9.4 = 4.75759…
    assert_eq!(claims[3]["nearest-true"], json!({"mu": "4.7576"}));
    assert!(claims[3]["witness"]["theorem"].is_string());
    assert_eq!(claims[1]["nearest-true"]["delta"], "1e-5");
    assert_eq!(claims[1]["witness"], json!({"epsilon": "7.4"}));
    assert_eq!(object["conditions"][0], "Poisson sampling");
}

#[test]
fn printed_bounds_show_the_verdict() {
    for file in [
        "laplace",
        "finite-pair",
        "composed",
        "de-et-al",
        "wrong-claim",
        "randomized-response",
    ] {
        let file = format!("examples/claims/{file}.toml");
        let run = dpcmp(&["verify", "--format", "json", &file]);
        for claim in run.objects()[0]["claims"].as_array().unwrap() {
            let number =
                |key: &str| dpcmp::number::parse_rational(claim[key].as_str().unwrap()).unwrap();
            let (lower, upper, bound) = (number("lower"), number("upper"), number("bound"));
            assert!(lower <= upper);
            let at_least = claim["kind"] == "trade-off";
            let holds = if at_least {
                lower >= bound
            } else {
                upper <= bound
            };
            let fails = if at_least {
                upper < bound
            } else {
                lower > bound
            };
            match claim["verdict"].as_str().unwrap() {
                "verified" => assert!(holds && number("margin") >= 0, "{claim}"),
                "refuted" => assert!(fails && number("margin") < 0, "{claim}"),
                other => panic!("{other}: {claim}"),
            }
        }
    }
}

/// What is claimed to be 0, or certain, was not rounded to that; an interval does not reach the bound that it is refuted by.
#[test]
fn zero_is_no_rounded_number() {
    let gaussian = r#"{"kind":"gaussian","sigma":1}"#;
    let said = |claim: &str| dpcmp(&["verify", gaussian, "--claim", claim]).stdout;
    for claim in [
        "advantage:at-most=0",
        "trade-off:alpha=0.1,beta=1",
        "approx-dp:epsilon=1,delta=0",
        "zcdp:rho=0",
    ] {
        let said = said(claim);
        assert!(
            said.contains("refuted") && !said.contains("within the rounding"),
            "{said}"
        );
    }
    assert!(said("advantage:at-most=0.38").contains("within the rounding of its digits"));
    let below = said("trade-off:alpha=0.1,beta=0.61085631");
    assert!(
        below.contains("refuted") && !below.contains("0.61085631]"),
        "{below}"
    );
}

/// The checker takes for granted of an event what dpcmp does, whoever is sampled.
#[test]
fn responses_of_events_are_read_alike() {
    let response =
        r#"{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.5,"num_buckets":3}"#;
    let sample = format!(
        r#"{{"class_name":"PoissonSampledDpEvent","sampling_probability":1,"event":{response}}}"#
    );
    // Nor is it forgotten of reports that reveal nothing that this is what is stated.
    let reports = r#"{"kind":"shuffled","users":9,"of":{"kind":"pure-dp","epsilon":0},"adjacency":"replace-one"}"#;
    let run = dpcmp(&["verify", reports, "--claim", "zcdp:rho=0.3"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for event in [response, &sample] {
        for relation in ["ADD_OR_REMOVE_ONE", "REPLACE_SPECIAL", "REPLACE_ONE"] {
            let of = format!(r#"{{"event":{event},"neighboring_relation":"{relation}"}}"#);
            let run = dpcmp(&["verify", &of, "--claim", "approx-dp:epsilon=2.5,delta=0.5"]);
            assert_eq!(
                (run.code, run.stderr.as_str()),
                (0, ""),
                "{relation}: {}",
                run.stdout
            );
        }
    }
}

#[test]
fn a_nearest_true_claim_is_true() {
    /// Each takes longer than all others.
    const DEAR: [&str; 3] = [
        "random-allocation.toml",
        "shuffled-reports.toml",
        "truncated.toml",
    ];
    // Those below have recorded verdicts elsewhere.
    let mut files: Vec<String> = match is_thorough() {
        true => vec!["examples/claims".to_owned()],
        false => std::fs::read_dir("examples/claims")
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| path.to_str().unwrap().to_owned())
            .filter(|path| path.ends_with(".toml") && !DEAR.iter().any(|name| path.ends_with(name)))
            .collect(),
    };
    files.sort();
    let files = files.iter().map(String::as_str);
    let arguments: Vec<&str> = ["verify", "--no-check", "--format", "json"]
        .into_iter()
        .chain(files)
        .collect();
    let run = dpcmp(&arguments);
    let mut checked = 0;
    for file in run.objects() {
        for claim in file["claims"].as_array().unwrap() {
            let Some(nearest) = claim["nearest-true"].as_object() else {
                continue;
            };
            let mut nearest = nearest.clone();
            let at_epsilon = nearest.remove("delta-at-epsilon");
            nearest.insert("kind".to_owned(), claim["kind"].clone());
            let mut claims = vec![Value::Object(nearest.clone())];
            if let Some(delta) = at_epsilon {
                nearest.insert("epsilon".to_owned(), claim["epsilon"].clone());
                nearest.insert("delta".to_owned(), delta);
                claims.push(Value::Object(nearest));
            }
            let again = json!({"mechanism": file["mechanism"], "claim": claims}).to_string();
            let run = dpcmp_reading(&["verify", "--no-check", "-"], again.as_str());
            assert_eq!(run.code, 0, "{again}\n{}{}", run.stdout, run.stderr);
            checked += 1;
        }
    }
    assert!(checked >= 6, "only {checked} refuted claims");
}

#[test]
fn standard_input_in_either_language() {
    let toml = "[mechanism]\nkind = 'gdp'\nmu = 1\n[[claim]]\nkind = 'gdp'\nmu = 1\n";
    assert_eq!(dpcmp_reading(&["verify", "-"], toml).code, 0);
    let json = format!("\n  {}\n", finite_claim(TRUE_CLAIM));
    let run = dpcmp_reading(&["verify", "-", "--format=json"], json);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.objects()[0]["file"], "-");
}

#[test]
fn lines_are_claim_files_with_notes() {
    let lines = format!(
        "{}\n\n{}\n",
        finite_claim(TRUE_CLAIM).replacen('{', "{\"id\": \"first\", \"year\": 2024, ", 1),
        finite_claim(FALSE_CLAIM)
    );
    let run = dpcmp_reading(&["verify", "--format", "json", "-"], lines.as_str());
    assert_eq!(run.code, 1);
    let objects = run.objects();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0]["notes"], json!({"id": "first", "year": 2024}));
    assert_eq!(
        (&objects[0]["line"], &objects[1]["line"]),
        (&json!(1), &json!(3))
    );
    insta::assert_snapshot!(
        "lines_for_people",
        dpcmp_reading(&["verify", "-"], lines).page()
    );
}

#[test]
fn a_bad_line_or_file_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("a.json"), finite_claim(TRUE_CLAIM)).unwrap();
    std::fs::write(path("b.toml"), "kind =").unwrap();
    let lines = format!(
        "{}\nnonsense\n{}\n",
        finite_claim(TRUE_CLAIM),
        finite_claim(FALSE_CLAIM)
    );
    std::fs::write(path("c.jsonl"), lines).unwrap();
    std::fs::write(path("ignored.md"), "kind =").unwrap();

    let folder_name = folder.path().display().to_string();
    let run = dpcmp(&[
        "verify",
        "--format",
        "json",
        &folder_name,
        &path("missing.toml"),
    ]);
    assert_eq!(run.code, 2);
    let objects = run.objects();
    let outcome = |object: &Value| match &object["error"]["code"] {
        Value::String(code) => code.clone(),
        _ => object["claims"][0]["verdict"].as_str().unwrap().to_owned(),
    };
    let outcomes: Vec<String> = objects.iter().map(outcome).collect();
    assert_eq!(
        outcomes,
        [
            "verified",
            "syntax",
            "verified",
            "syntax",
            "refuted",
            "unreadable"
        ]
    );
    assert!(run.stderr.contains("b.toml"), "{}", run.stderr);
    assert!(run.stderr.contains("c.jsonl:2"), "{}", run.stderr);
}

#[test]
fn sha256_is_that_of_the_bytes() {
    let run = dpcmp_reading(
        &["verify", "--format", "json", "-"],
        finite_claim(TRUE_CLAIM),
    );
    let mut hash = assert_cmd::Command::new("sha256sum");
    let Ok(output) = hash.write_stdin(finite_claim(TRUE_CLAIM)).output() else {
        return;
    };
    let expected = String::from_utf8(output.stdout).unwrap();
    let found = run.objects()[0]["sha256"].as_str().unwrap().to_owned();
    assert_eq!(expected.split_whitespace().next(), Some(found.as_str()));
}

#[test]
fn steps_computed_from_epochs_are_said() {
    let claim = r#"{"mechanism":{"kind":"dp-sgd","noise-multiplier":2,"epochs":3,"batch-size":10,"dataset-size":95},
        "claim":{"kind":"approx-dp","epsilon":1,"delta":1}}"#;
    let run = dpcmp_reading(&["verify", "-"], claim);
    assert!(
        run.stdout.contains("epochs·⌈n/b⌉ = 3·⌈95/10⌉ = 30"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("Poisson sampling"));
}

#[test]
fn renyi_and_zcdp_claims() {
    let claims = r#"{"mechanism":{"kind":"randomized-response","epsilon":1},"claim":[
        {"kind":"zcdp","rho":0.47},
        {"kind":"zcdp","rho":0.46},
        {"kind":"rdp","order":2,"epsilon":0.8},
        {"kind":"rdp","order":"3/2","epsilon":0.5}]}"#;
    let run = dpcmp_reading(&["verify", "-"], claims);
    assert_eq!(run.code, 1, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
    let gaussian = r#"{"mechanism":{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.01,"steps":1000},"claim":[
        {"kind":"zcdp","rho":500},{"kind":"zcdp","rho":"499.999999999999999999"}]}"#;
    let run = dpcmp_reading(&["verify", "--format", "json", "-"], gaussian);
    let claims = &run.objects()[0]["claims"];
    assert_eq!(claims[0]["verdict"], "verified");
    assert_eq!(claims[0]["statement"], "exact");
    assert_eq!(claims[1]["verdict"], "refuted");
    assert_eq!(claims[1]["nearest-true"]["rho"], "500");
    assert!(claims[1]["witness"]["theorem"].is_string());
}

#[test]
fn what_is_not_built_is_undecided() {
    let run = dpcmp_reading(&["verify", "--format", "json", "-"], UNSUPPORTED.to_owned());
    assert_eq!(run.code, 3);
    let claim = &run.objects()[0]["claims"][0];
    assert_eq!(claim["verdict"], "undecided");
    assert_eq!(claim["reason"], "unsupported");
    assert_eq!(claim["margin"], Value::Null);
}

#[test]
fn without_time_a_claim_is_undecided_with_its_width() {
    let claim = r#"{"mechanism":{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.01,"steps":1000},
        "claim":{"kind":"approx-dp","epsilon":1,"delta":1e-5}}"#;
    let run = dpcmp_reading(
        &["verify", "--format", "json", "--max-seconds", "0", "-"],
        claim,
    );
    assert_eq!(run.code, 3, "{}", run.stdout);
    let claim = &run.objects()[0]["claims"][0];
    assert_eq!(claim["reason"], "budget");
    assert!(claim["width"].is_string() && claim["width-needed"].is_string());
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let with = |jobs| {
        let arguments = [
            "verify",
            "--format",
            "json",
            "--jobs",
            jobs,
            "examples/claims/composed.toml",
        ];
        let mut object = dpcmp(&arguments).objects().remove(0);
        object["seconds"].take();
        object
    };
    assert_eq!(with("1"), with("3"));
}

#[test]
fn no_colour_in_a_pipe() {
    let run = dpcmp(&["verify", "examples/claims/finite-pair.toml"]);
    assert!(!run.stdout.contains('\u{1b}'));
}

/// A regret is no smaller for the members of a class; other claims of theirs are.
#[test]
fn a_regret_of_a_class_says_whose_it_is() {
    let file = |claim: &str| {
        format!(r#"{{"mechanism":{{"kind":"pure-dp","epsilon":1}},"claim":[{claim}]}}"#)
    };
    let words = "a regret is that of the least private";
    for (claim, is_said) in [
        (r#"{"kind":"regret","mu":1,"at-most":"0.08"}"#, true),
        (r#"{"kind":"advantage","at-most":"0.5"}"#, false),
    ] {
        let run = dpcmp_reading(&["verify", "-"], file(claim));
        assert_eq!(run.code, 0, "{}", run.page());
        assert_eq!(run.stdout.contains(words), is_said, "{}", run.stdout);
    }
}

/// 0-DP is 5-DP, and Δ of it is 0.19: what is verified of a class in `dominated-by` is not so of all its members, and what is refuted of a class is so
/// of some of them.
#[test]
fn what_is_said_of_a_class_says_of_which_members() {
    let dominated =
        r#"{"kind":"dominated-by","mechanism":{"kind":"pure-dp","epsilon":5},"at-most":"0.1"}"#;
    let other = "of the mechanism in `dominated-by`: Δ is that of the least private such mechanism, and can be larger for others";
    let own = "of the least private mechanisms with the stated guarantee: others reveal no more";
    for (mechanism, claim, code, words) in [
        (r#"{"kind":"gaussian","sigma":1}"#, dominated, 0, other),
        (r#"{"kind":"gdp","mu":1}"#, dominated, 0, other),
        (
            r#"{"kind":"zcdp","rho":"1/2"}"#,
            r#"{"kind":"advantage","at-most":"0.4"}"#,
            1,
            own,
        ),
    ] {
        let file = format!(r#"{{"mechanism":{mechanism},"claim":[{claim}]}}"#);
        let run = dpcmp_reading(&["verify", "-", "--format", "json"], file);
        assert_eq!(run.code, code, "{}", run.page());
        let conditions = run.objects()[0]["conditions"].to_string();
        assert!(conditions.contains(words), "{conditions}");
    }
}

/// What is wrong with a file, where, and what to do about it, for programs.
#[test]
fn faults_of_files_have_a_place_and_a_next_step() {
    let text = "[mechanism]\nkind = \"dp\"\nepsilon = 1\n".to_owned();
    let run = dpcmp_reading(&["verify", "--format", "json", "-"], text);
    let error = &run.objects()[0]["error"];
    assert_eq!(error["place"], "-:2:8");
    assert_eq!(error["hint"], "did you mean `pure-dp` or `approx-dp`?");
    // No place in a file that is not there.
    let run = dpcmp(&["verify", "--format", "json", "none.toml"]);
    let error = &run.objects()[0]["error"];
    assert!(error["place"].is_null() && error["message"].is_string());
}
