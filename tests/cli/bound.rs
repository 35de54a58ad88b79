//! `dpcmp bound`: one mechanism and its quantities, and batches.

use serde_json::json;

use crate::{dpcmp, dpcmp_reading};

const PAIR: &str = r#"{"kind":"finite","p":["1/4","3/4"],"q":["3/4","1/4"],"adjacency":"remove"}"#;

#[test]
fn quantities_for_people() {
    let run = dpcmp(&[
        "bound",
        PAIR,
        "advantage",
        "tradeoff:alpha=1/4",
        "delta:exp-epsilon=2",
        "delta:epsilon=0",
        "epsilon:delta=1/2",
        "bayes-error:prior=1/2",
        "minimax-risk",
    ]);
    insta::assert_snapshot!(run.page());
}

#[test]
fn quantities_for_machines() {
    let run = dpcmp(&[
        "bound",
        "--format",
        "json",
        PAIR,
        "advantage",
        "delta:exp-epsilon=2",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut objects = run.objects();
    for object in &mut objects {
        object.as_object_mut().unwrap().remove("seconds").unwrap();
    }
    let conditions = ["remove one record: the pair (P, Q) as written"];
    assert_eq!(
        objects,
        [
            json!({"schema": "dpcmp.bound/1", "query": "advantage", "lower": "0.5", "upper": "0.5", "conditions": conditions}),
            json!({"schema": "dpcmp.bound/1", "query": "delta:exp-epsilon=2", "lower": "0.25", "upper": "0.25", "conditions": conditions}),
        ]
    );
}

#[test]
fn mu_squared_gives_the_answers_of_its_sigma() {
    let answer = |mechanism: &str| {
        let arguments = ["bound", "--format", "json", mechanism, "delta:epsilon=1"];
        let object = dpcmp(&arguments).objects().remove(0);
        (object["lower"].clone(), object["upper"].clone())
    };
    let stated = answer(r#"{"kind":"gaussian","mu-squared":"4/9"}"#);
    assert_eq!(stated, answer(r#"{"kind":"gaussian","sigma":"3/2"}"#));
    assert!(stated.0.is_string(), "{stated:?}");
}

/// δ(log 3/2) = (9 − 3/2)/10 of randomised response with odds of 9, exactly.
#[test]
fn odds_give_exact_answers() {
    for mechanism in [
        r#"{"kind":"randomized-response","exp-epsilon":9}"#,
        r#"{"kind":"pure-dp","exp-epsilon":9}"#,
    ] {
        let arguments = [
            "bound",
            "--format",
            "json",
            mechanism,
            "delta:exp-epsilon=3/2",
        ];
        let object = dpcmp(&arguments).objects().remove(0);
        assert_eq!(
            (&object["lower"], &object["upper"]),
            (&json!("0.75"), &json!("0.75"))
        );
    }
}

#[test]
fn closed_forms_get_twelve_digits_unless_told_otherwise() {
    let width = |arguments: &[&str]| {
        let mut all = vec![
            "bound",
            "--format",
            "json",
            r#"{"kind":"gaussian","sigma":1}"#,
            "delta:epsilon=1",
        ];
        all.extend_from_slice(arguments);
        let object = dpcmp(&all).objects().remove(0);
        let end = |key: &str| dpcmp::number::parse_rational(object[key].as_str().unwrap()).unwrap();
        end("upper") - end("lower")
    };
    let limit = |text: &str| dpcmp::number::parse_rational(text).unwrap();
    // δ(1) = 0.1269….
    assert!(width(&[]) <= limit("1.3e-13"));
    assert!(width(&["--precision", "1e-30"]) <= limit("1.3e-31"));
    assert!(width(&["--precision", "1e-20abs"]) <= limit("1e-20"));
}

#[test]
fn the_mechanism_comes_from_anywhere() {
    for (mechanism, stdin) in [
        ("examples/claims/laplace.toml", ""),
        (r#"{"kind":"laplace","scale":1}"#, ""),
        ("kind = 'laplace'\nscale = 1", ""),
        ("-", r#"{"mechanism":{"kind":"laplace","scale":1}}"#),
        ("-", "kind = 'laplace'\nscale = 1"),
    ] {
        let run = dpcmp_reading(
            &["bound", "--format", "json", mechanism, "tradeoff:alpha=0"],
            stdin,
        );
        assert_eq!(run.code, 0, "{mechanism}: {}", run.stderr);
        assert_eq!(run.objects()[0]["lower"], "1", "{mechanism}");
    }
}

#[test]
fn a_batch_answers_in_order_and_survives_bad_lines() {
    let line =
        |id: &str, query: &str| format!(r#"{{"id":{id},"mechanism":{PAIR},"query":{query}}}"#);
    let batch = [
        line("1", r#"{"kind":"advantage"}"#),
        "not JSON".to_owned(),
        String::new(),
        line("\"two\"", r#"{"kind":"delta"}"#),
        line("3.0000000000000000000001", r#"{"kind":"zcdp-rho"}"#),
        line("{\"a\":[4]}", r#"{"kind":"epsilon","delta":1}"#),
        r#"{"id":5,"mechanism":{"kind":"compose","of":[{"kind":"zcdp","rho":1},{"kind":"laplace","scale":1}]},"query":{"kind":"advantage"}}"#.to_owned(),
        format!(
            r#"{{"mechanism":{PAIR},"query":{{"kind":"tradeoff","alpha":"1/4"}},"extra":true}}"#
        ),
    ]
    .join("\r\n");
    let run = dpcmp_reading(&["bound", "--batch", "-"], batch);
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn a_batch_may_start_with_a_byte_order_mark_and_need_no_last_line_break() {
    let line =
        format!("\u{feff}{{\"id\":1,\"mechanism\":{PAIR},\"query\":{{\"kind\":\"advantage\"}}}}");
    let run = dpcmp_reading(&["bound", "--batch", "-"], line);
    assert_eq!(
        run.stdout,
        "{\"id\":1,\"lower\":\"0.5\",\"upper\":\"0.5\"}\n"
    );
}

#[test]
fn an_empty_batch_is_done() {
    let run = dpcmp_reading(&["bound", "--batch", "-"], "");
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
}

#[test]
fn an_unbounded_quantity_is_inf() {
    let gaussian = r#"{"kind":"gaussian","sigma":1}"#;
    let run = dpcmp(&[
        "bound",
        "--format",
        "json",
        gaussian,
        "epsilon:delta=0",
        "epsilon:delta=1",
    ]);
    let objects = run.objects();
    assert_eq!(
        (&objects[0]["lower"], &objects[0]["upper"]),
        (&json!("inf"), &json!("inf"))
    );
    assert_eq!(
        (&objects[1]["lower"], &objects[1]["upper"]),
        (&json!("-inf"), &json!("-inf"))
    );
}

#[test]
fn renyi_divergences_of_every_order() {
    let steps = r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.01,"steps":1000}"#;
    let run = dpcmp(&[
        "bound",
        steps,
        "renyi:order=1",
        "renyi:order=3/2",
        "renyi:order=32",
        "renyi:order=inf",
        "zcdp-rho",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn a_mechanism_that_is_not_built_says_so() {
    let mechanism = r#"{"kind":"subsampled","rate":0.5,"of":{"kind":"compose","of":[{"kind":"laplace","scale":1,"times":2}]}}"#;
    let run = dpcmp(&["bound", "--format", "json", mechanism, "advantage"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.objects()[0]["error"]["code"], "unsupported");
    assert!(run.stderr.contains("advantage"));
}

/// Estimates are labelled, have no lower and upper, and come for queries without enclosures too.
#[test]
fn the_float_engine_estimates() {
    let gaussian = "{\"kind\":\"gaussian\",\"sigma\":1}";
    let run = dpcmp(&[
        "bound",
        "--engine",
        "float",
        gaussian,
        "advantage",
        "gdp-mu",
    ]);
    let page = "advantage  ≈ 0.3829249   (estimate, float engine)\ngdp-mu     ≈ 1   (estimate, float engine)\nprovided: add/remove one record, both directions; real-valued noise, not its floating-point rounding\n";
    assert_eq!((run.code, run.stdout.as_str()), (0, page));

    let lines = format!(
        "{{\"id\":7,\"mechanism\":{gaussian},\"query\":{{\"kind\":\"regret\",\"mu\":1}}}}\n{{\"id\":8,\"mechanism\":{gaussian},\"query\":{{\"kind\":\"zcdp-rho\"}}}}\n"
    );
    let run = dpcmp_reading(&["bound", "--engine", "float", "--batch", "-"], lines);
    let answers = run.objects();
    assert_eq!(answers[0], serde_json::json!({"id": 7, "estimate": "0"}));
    assert_eq!(answers[1], serde_json::json!({"id": 8, "estimate": "0.5"}));
    assert_eq!(run.code, 0);
}

/// `trade-off` and `tradeoff` are the same word.
#[test]
fn both_spellings_of_trade_off() {
    let mechanism = r#"{"kind":"gaussian","sigma":1}"#;
    let found = ["trade-off:alpha=0.1", "tradeoff:alpha=0.1"].map(|query| {
        let run = dpcmp(&["bound", mechanism, query, "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.objects()[0]["lower"].clone()
    });
    assert_eq!(found[0], found[1]);
    for kind in ["trade-off", "tradeoff"] {
        let run = dpcmp(&["curve", mechanism, "--kind", kind, "--points", "0,0.5"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

/// Losses that are nearly all far above 0: noise that is the same in both orders is known as well in both as in one.
#[test]
fn large_losses_in_both_orders() {
    for (noise, query) in [
        (
            r#""kind":"discrete-gaussian","sigma":"1/2","times":100"#,
            "delta:epsilon=200",
        ),
        (
            r#""kind":"discrete-gaussian","sigma":"1/2","times":100"#,
            "epsilon:delta=1e-5",
        ),
        (
            r#""kind":"discrete-gaussian","sigma":"1/4","times":10"#,
            "delta:epsilon=100",
        ),
        (
            r#""kind":"laplace","scale":"1/8","times":100"#,
            "delta:epsilon=770",
        ),
        (
            r#""kind":"skellam","mean":"1/50","times":100"#,
            "delta:epsilon=390",
        ),
    ] {
        let ends = ["add-remove", "remove"].map(|adjacency| {
            let mechanism =
                format!(r#"{{"kind":"compose","of":[{{{noise}}}],"adjacency":"{adjacency}"}}"#);
            let run = dpcmp(&["bound", &mechanism, query, "--format", "json"]);
            let object = run.objects().remove(0);
            ["lower", "upper"].map(|end| object[end].as_str().unwrap().parse::<f64>().unwrap())
        });
        let [[low, high], [low_alone, high_alone]] = ends;
        assert!(
            low <= high_alone && low_alone <= high,
            "{noise} {query}: {ends:?}"
        );
        assert!(high - low <= 1e-4 * high, "{noise} {query}: {ends:?}");
    }
}

/// What a question adds to what the mechanism takes for granted.
#[test]
fn conditions_of_what_is_asked() {
    let words = "can be larger for others";
    let class = r#"{"kind":"pure-dp","epsilon":1}"#;
    let sample = r#"{"kind":"subsampled","rate":"1/2","of":{"kind":"gaussian","sigma":1}}"#;
    let noise = r#"{"kind":"gaussian","sigma":1}"#;
    let against = |query: &str, other: &str| format!("{query}:other={other}");
    for (mechanism, query, expected) in [
        (class, "regret:mu=1".to_owned(), words),
        (class, against("delta-divergence", noise), words),
        (
            noise,
            against("delta-divergence", sample),
            "of the other mechanism: Poisson sampling",
        ),
        (
            r#"{"kind":"gaussian","sigma":1,"adjacency":"add"}"#,
            "zcdp-rho".to_owned(),
            "zCDP is about both orders of the pair",
        ),
    ] {
        for more in [&[][..], &["--engine", "float"]] {
            let arguments = [&["bound", mechanism, &query], more].concat();
            let run = dpcmp(&arguments);
            assert!(run.stdout.contains(expected), "{query}: {}", run.stdout);
        }
        let object = dpcmp(&["bound", mechanism, &query, "--format", "json"]);
        let object = object.objects().remove(0);
        let conditions = object["conditions"].as_array().unwrap().iter();
        let mut said = conditions.map(|one| one.as_str().unwrap());
        assert!(said.any(|one| one.contains(expected)), "{query}");
    }
    let run = dpcmp(&["bound", class, "epsilon:delta=1e-5"]);
    assert!(!run.stdout.contains(words));
    let target = format!("dominated-by:mechanism={class},at-most=0.05");
    let arguments = [
        "calibrate",
        r#"{"kind":"laplace","scale":1}"#,
        "--solve",
        "scale",
        "--target",
        &target,
    ];
    assert!(dpcmp(&arguments).stdout.contains(words));
}

/// Programs see, too, why an enclosure is no narrower: in answers, batches, sweeps, curves and reports alike.
#[test]
fn endings_for_machines() {
    let training = r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.01,"steps":1000}"#;
    let late = ["--max-seconds", "0.001", "--format", "json"];
    let with = |arguments: &[&str], options: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(options).copied().collect();
        dpcmp(&all)
    };
    let run = with(&["bound", training, "epsilon:delta=1e-5"], &late);
    assert_eq!(run.objects()[0]["ending"], "out-of-time", "{}", run.stdout);
    let line =
        format!(r#"{{"id":1,"mechanism":{training},"query":{{"kind":"epsilon","delta":1e-5}}}}"#);
    let batch = ["bound", "--batch", "-", "--max-seconds", "0.001"];
    let run = dpcmp_reading(&batch, line);
    assert_eq!(run.objects()[0]["ending"], "out-of-time", "{}", run.stdout);
    let run = with(&["bound", PAIR, "advantage"], &["--format", "json"]);
    assert!(run.objects()[0].get("ending").is_none(), "{}", run.stdout);
    // Bounds that do not meet.
    let allocation = r#"{"kind":"random-allocation","steps":10,"of":{"kind":"gaussian","sigma":2,"record-bound":1},"adjacency":"replace-one"}"#;
    let asked: [&[&str]; 3] = [
        &["bound", allocation, "delta:epsilon=1"],
        &["curve", allocation, "--points", "1,2"],
        &[
            "bound",
            allocation,
            "delta:epsilon=1",
            "--sweep",
            "steps=10",
        ],
    ];
    for arguments in asked {
        let run = with(arguments, &["--format", "json"]);
        let object = &run.objects()[0];
        let answer = object.get("results").map_or(object, |all| &all[0]);
        assert_eq!(answer["ending"], "does-not-follow", "{}", run.stdout);
        assert_eq!(answer["attained"], false, "{}", run.stdout);
        let said = with(arguments, &[]).stdout;
        assert!(
            said.contains("bounds from above and from below, which do not meet"),
            "{said}"
        );
    }
}

/// The columns of CSV have no place for what numbers take for granted: standard error has it.
#[test]
fn conditions_beside_columns() {
    let noise = r#"{"kind":"gaussian","sigma":1}"#;
    let other = r#"{"kind":"finite","p":["1/4","3/4"],"q":["3/4","1/4"],"adjacency":"remove"}"#;
    let asked: [&[&str]; 3] = [
        &["curve", noise, "--points", "1,2"],
        &["curve", noise, other, "--points", "1,2"],
        &["bound", noise, "advantage", "--sweep", "sigma=1,2"],
    ];
    for arguments in asked {
        let all: Vec<&str> = arguments
            .iter()
            .chain(&["--format", "csv"])
            .copied()
            .collect();
        let run = dpcmp(&all);
        assert!(!run.stdout.contains("provided:"), "{}", run.stdout);
        assert!(
            run.stderr.contains("provided:") && run.stderr.contains("real-valued noise"),
            "{}",
            run.stderr
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("sweep.svg");
    let sweep = [
        "bound",
        noise,
        "advantage",
        "--sweep",
        "sigma=1,2",
        "--plot",
    ];
    let name = picture.to_str().unwrap();
    let all: Vec<&str> = sweep.into_iter().chain([name]).collect();
    assert_eq!(dpcmp(&all).code, 0);
    let drawn = std::fs::read_to_string(&picture).unwrap();
    assert!(drawn.contains("provided:"), "{drawn}");
}
