//! `dpcmp compare`, and what else speaks of two mechanisms: queries and claims about divergences.

use serde_json::{Value, json};

use crate::{dpcmp, dpcmp_reading, every};

const A: &str = r#"{"kind":"finite","p":["1/2","1/4","1/8","1/8"],"q":["1/3","1/12","1/4","1/3"]}"#;
const B: &str = r#"{"kind":"finite","p":["9/10","1/10"],"q":["3/5","2/5"]}"#;

fn compared(first: &str, second: &str) -> Value {
    let run = dpcmp(&["compare", first, second, "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.objects().remove(0)
}

#[test]
fn exact_divergences_for_people() {
    let run = dpcmp(&["compare", A, B]);
    insta::assert_snapshot!(run.page());
}

#[test]
fn exact_divergences_for_machines() {
    let mut object = compared(A, B);
    let fields = object.as_object_mut().unwrap();
    assert_eq!(fields["schema"], "dpcmp.comparison/2");
    assert_eq!(fields["blackwell"], "incomparable");
    let forth = fields["delta-a-b"].take();
    assert_eq!(forth["exact"], "7/180");
    assert_eq!(
        forth["lower"],
        "0.03888888888888888888888888888888888888888"
    );
    assert_eq!(
        forth["upper"],
        "0.03888888888888888888888888888888888888889"
    );
    assert_eq!(forth["prior"], "0.6666666666666667");
    assert_eq!(fields["delta-b-a"]["exact"], "1/60");
    assert_eq!(fields["symmetric"]["exact"], "7/180");
}

#[test]
fn every_blackwell_verdict() {
    let gaussian = r#"{"kind":"gaussian","sigma":1}"#;
    let quieter = r#"{"kind":"gaussian","sigma":2}"#;
    let four = r#"{"kind":"compose","of":[{"kind":"gaussian","sigma":2,"times":4}]}"#;
    let bounded = r#"{"kind":"randomized-response","epsilon":1}"#;
    let laplace = r#"{"kind":"laplace","scale":1}"#;
    let nothing = r#"{"kind":"finite","p":[1],"q":[1]}"#;
    for (first, second, verdict) in [
        (gaussian, quieter, "a-dominates"),
        (quieter, gaussian, "b-dominates"),
        (gaussian, four, "equal"),
        (gaussian, laplace, "incomparable"),
        // Every 1-DP mechanism is dominated by randomised response.
        (bounded, laplace, "a-dominates"),
        (nothing, laplace, "b-dominates"),
        (gaussian, nothing, "a-dominates"),
        // No bounded loss dominates a Gaussian one, and this Gaussian is far too quiet to dominate.
        (bounded, r#"{"kind":"gaussian","sigma":3}"#, "incomparable"),
    ] {
        assert_eq!(
            compared(first, second)["blackwell"],
            verdict,
            "{first} {second}"
        );
    }
}

/// The curve of DP-SGD comes close to that of a Gaussian, but stays above it only from √T/σ on.
#[test]
fn a_theorem_decides_what_no_number_shows() {
    let sgd = r#"{"kind":"dp-sgd","noise-multiplier":4,"sample-rate":"1/10","steps":16}"#;
    let object = compared(r#"{"kind":"gdp","mu":"99/100"}"#, sgd);
    assert_eq!(object["delta-a-b"]["lower"], "0");
    assert_eq!(object["blackwell"], "incomparable");
    let object = compared(r#"{"kind":"gdp","mu":1}"#, sgd);
    assert_eq!(object["delta-a-b"]["upper"], "0");
    assert_eq!(object["blackwell"], "a-dominates");
}

/// Two runs with one guarantee in common: the single (ε, δ) does not say that they protect alike.
#[test]
fn sharing_a_guarantee_is_not_being_equal() {
    let files = [
        "examples/compare/large-batches.toml",
        "examples/compare/small-batches.toml",
    ];
    for file in files.iter().step_by(every(4)) {
        assert_eq!(dpcmp(&["verify", file]).code, 0, "{file}");
    }
    let run = dpcmp(&[
        "compare",
        files[0],
        files[1],
        "--format",
        "json",
        "--precision",
        "1e-3abs",
    ]);
    let object = run.objects().remove(0);
    let lower: f64 = object["delta-b-a"]["lower"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(lower > 0.02, "{object}");
}

#[test]
fn densities() {
    let run = dpcmp(&[
        "compare",
        A,
        B,
        "--format",
        "json",
        "--prior",
        "uniform",
        "--prior",
        "table:points=[[0,1],[1,1]]",
        "--prior",
        "beta:a=2,b=1/2",
    ]);
    let object = run.objects().remove(0);
    let weighted = object["weighted"].as_array().unwrap();
    assert_eq!(weighted.len(), 3);
    assert_eq!(weighted[0]["delta-a-b"]["exact"], "7/180");
    let lower: f64 = weighted[1]["delta-a-b"]["lower"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((lower - 7.0 / 180.0).abs() < 1e-6);
    assert_eq!(weighted[2]["prior"], "beta:a=2,b=1/2");
}

#[test]
fn what_cannot_be_compared() {
    for (arguments, message) in [
        (&["compare", "-", "-"][..], "only one of the two"),
        (&["compare", A, "{}"], "kind"),
        (&["compare", A, B, "--prior", "jefreys"], "jeffreys"),
        (&["compare", A, B, "--prior", "beta:a=0,b=1"], "a"),
        (
            &[
                "compare",
                A,
                r#"{"kind":"subsampled","rate":"1/2","of":{"kind":"compose","of":[{"kind":"laplace","scale":1,"times":3}]}}"#,
            ],
            "mechanism B: not supported",
        ),
    ] {
        let run = dpcmp(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

/// Where the exact curves cross is inside the ranges that are printed.
#[test]
fn trade_off_curves_cross_where_the_exact_ones_do() {
    use dpcmp::bounds::exact::ExactCurve;
    use dpcmp::bounds::exact_divergence::crossings;
    use dpcmp::mechanism::Adjacency;
    let numbers = |texts: &[&str]| -> Vec<rug::Rational> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    };
    let curve =
        |p: &[&str], q: &[&str]| ExactCurve::new(&numbers(p), &numbers(q), Adjacency::AddRemove);
    let a = curve(
        &["1/2", "1/4", "1/8", "1/8"],
        &["1/3", "1/12", "1/4", "1/3"],
    );
    let b = curve(&["9/10", "1/10"], &["3/5", "2/5"]);
    let exact = crossings(&a, &b);
    let object = compared(A, B);
    let found = object["crossing-alphas"].as_array().unwrap();
    assert!(!found.is_empty());
    assert_eq!(found.len(), exact.len());
    for (range, crossing) in found.iter().zip(exact) {
        let end = |key: &str| dpcmp::number::parse_rational(range[key].as_str().unwrap()).unwrap();
        assert!(end("lower") <= crossing.part.alpha && crossing.meet.alpha <= end("upper"));
    }
}

/// Both crossings are between two places of the usual search, and closer together than its steps.
#[test]
fn all_crossings_of_exact_pairs() {
    let a = r#"{"kind":"finite","p":["0.1","0.4","0.5"],"q":["0.25","0.56","0.19"],"adjacency":"remove"}"#;
    let b = r#"{"kind":"finite","p":["0.3","0.7"],"q":["0.54","0.46"],"adjacency":"remove"}"#;
    let object = compared(a, b);
    assert_eq!(object["crossing-epsilons-complete"], true);
    assert_eq!(object["crossing-alphas-complete"], true);
    let found = object["crossing-epsilons"].as_array().unwrap();
    let found: Vec<f64> = found
        .iter()
        .map(|range| range["lower"].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(found.len(), 2);
    for (epsilon, u) in found.iter().zip([1.35f64, 1.45]) {
        assert!((epsilon - u.ln()).abs() < 1e-12, "{epsilon}");
    }
    let page = dpcmp(&["compare", a, b]).page();
    assert!(
        page.contains("the privacy profiles cross at ε = 0.300105, ε = 0.371564\n"),
        "{page}"
    );
    assert!(page.contains("the trade-off curves cross at α = 0.275, α in"));
}

/// The losses are multiples of 0.1 and of 0.09 and the profiles linear between them: a sign at each loss tells all.
#[test]
fn all_crossings_of_two_compositions_of_randomised_response() {
    let responses = |times: u32, epsilon: &str| {
        format!(
            r#"{{"kind":"compose","of":[{{"kind":"randomized-response","epsilon":{epsilon},"times":{times}}}]}}"#
        )
    };
    let object = compared(&responses(100, "0.1"), &responses(120, "0.09"));
    assert_eq!(object["crossing-epsilons-complete"], true);
    let found = object["crossing-epsilons"].as_array().unwrap();
    assert_eq!(found.len(), 22);
    let end =
        |index: usize, key: &str| -> f64 { found[index][key].as_str().unwrap().parse().unwrap() };
    for index in 0..22 {
        // The profiles are symmetric, and so are the places.
        assert!((end(index, "lower") + end(21 - index, "upper")).abs() < 1e-9);
        assert!(end(index, "upper") - end(index, "lower") < 1e-9);
    }
}

/// Smooth curves are searched: what was found may not be all, and that is said.
#[test]
fn crossings_that_may_not_be_all() {
    let gaussian = r#"{"kind":"gaussian","sigma":1}"#;
    let laplace = r#"{"kind":"laplace","scale":1}"#;
    let object = compared(gaussian, laplace);
    assert_eq!(object["crossing-epsilons-complete"], false);
    assert!(!object["crossing-epsilons"].as_array().unwrap().is_empty());
    let page = dpcmp(&["compare", gaussian, laplace]).page();
    assert!(page.contains(", and perhaps elsewhere"), "{page}");
    // Curves in order do not cross at all.
    let quieter = r#"{"kind":"gaussian","sigma":2}"#;
    let object = compared(gaussian, quieter);
    assert_eq!(object["crossing-epsilons-complete"], true);
    assert_eq!(object["crossing-epsilons"], json!([]));
}

/// A tolerance that nothing can be said about is not passed over in silence.
#[test]
fn why_the_moments_prove_nothing() {
    let steps = |adjacency: &str| {
        format!(
            r#"{{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":"1/2","steps":3,"adjacency":"{adjacency}"}}"#
        )
    };
    let phases =
        r#"{"kind":"compose","of":[{"kind":"laplace","scale":1},{"kind":"laplace","scale":2}]}"#;
    for (first, second, why) in [
        (&*steps("remove"), &*steps("add-remove"), "same adjacency"),
        (phases, phases, "A: it is not a self-composition"),
    ] {
        let run = dpcmp(&[
            "compare",
            first,
            second,
            "--tolerance",
            "0.1",
            "--precision",
            "1e-2abs",
            "--format",
            "json",
        ]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let object = run.objects().remove(0);
        let reasons = object["emergence"]["not-applicable"].to_string();
        assert!(reasons.contains(why), "{reasons}");
    }
}

#[test]
fn queries() {
    let other = format!("delta-divergence:other={B}");
    let both = format!("delta-symmetric:other={B}");
    let run = dpcmp(&[
        "bound",
        A,
        &other,
        &both,
        "regret:mu=1/2",
        "regret:mu=mu_star",
    ]);
    insta::assert_snapshot!(run.page());
}

#[test]
fn claims() {
    let file = format!(
        r#"{{"mechanism":{A},"claim":[
            {{"kind":"dominated-by","mechanism":{B},"at-most":"1/60"}},
            {{"kind":"dominated-by","mechanism":{B},"at-most":"0.0166"}},
            {{"kind":"regret","mu":"1/2","at-most":"0.1"}},
            {{"kind":"regret","mu":"2","at-most":"0.01"}}]}}"#
    );
    let run = dpcmp_reading(&["verify", "-", "--format", "json"], file);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let mut object = run.objects().remove(0);
    let claims = object["claim"].take();
    assert_eq!(claims, json!(null));
    let claims = object["claims"].as_array().unwrap();
    let verdicts: Vec<&Value> = claims.iter().map(|claim| &claim["verdict"]).collect();
    assert_eq!(verdicts, ["verified", "refuted", "verified", "refuted"]);
    assert_eq!(claims[0]["statement"], "exact");
    assert_eq!(claims[1]["nearest-true"]["at-most"], "0.016667");
    assert_eq!(claims[1]["witness"]["prior"], "0.5");
}

/// Keys are in kebab-case, as in all other objects.
#[test]
fn keys_have_one_style() {
    fn keys(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    found.push(key.clone());
                    keys(value, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
            _ => {}
        }
    }
    let steps = r#"{"kind":"compose","of":[{"kind":"gaussian","sigma":9,"times":9}]}"#;
    let phases =
        r#"{"kind":"compose","of":[{"kind":"laplace","scale":1},{"kind":"laplace","scale":2}]}"#;
    let mut found = Vec::new();
    for arguments in [
        &["compare", A, B][..],
        &["compare", A, B, "--engine", "float"],
        &["compare", steps, steps, "--tolerance", "0.1"],
        &["compare", phases, phases, "--tolerance", "0.1"],
    ] {
        let options = ["--format", "json", "--precision", "1e-2abs"];
        let run = dpcmp(&[arguments, &options[..]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        keys(&run.objects()[0], &mut found);
    }
    for key in ["weighted-a-b", "two-sided-bound", "not-applicable"] {
        assert!(found.iter().any(|found| found == key), "no {key}");
    }
    let snakes: Vec<&String> = found.iter().filter(|key| key.contains('_')).collect();
    assert!(snakes.is_empty(), "{snakes:?}");
}

/// A Gaussian has the advantage 2Φ(1/2) − 1 = 0.3829249, one of 10,000 steps with σ = 1/2 one in [0.0264774, 0.0264791]: half of the
/// difference is Δ at even odds, and no other prior has more. A profile of such an allocation is dear: one by one they take a minute.
#[test]
fn random_allocations_are_compared_within_the_time() {
    let allocated = r#"{"kind":"random-allocation","steps":10000,"of":{"kind":"gaussian","noise-multiplier":"0.5"}}"#;
    let gaussian = r#"{"kind":"gaussian","sigma":1}"#;
    let run = dpcmp(&["compare", allocated, gaussian, "--max-seconds", "20"]);
    let line = run.stdout.lines().find(|line| line.starts_with("Δ↔"));
    assert!(line.unwrap().contains("in [0.17822"), "{}", run.stdout);
    assert!(!run.stdout.contains("out of time"), "{}", run.stdout);
}

/// Whose neighbours are which is said where they differ, and only there.
#[test]
fn conditions_say_whose_they_are_where_neighbours_differ() {
    let of = |adjacency: &str| {
        format!(r#"{{"kind":"gaussian","sigma":2,"record-bound":1,"adjacency":"{adjacency}"}}"#)
    };
    let said = |a: &str, b: &str| dpcmp(&["compare", &of(a), &of(b), "--precision", "1e-2"]).stdout;
    let apart = said("add-remove", "replace-one");
    assert!(apart.contains("A: add/remove one record"), "{apart}");
    assert!(apart.contains("B: replace one record"), "{apart}");
    assert!(!apart.contains("A: real-valued"), "{apart}");
    assert!(!said("remove", "remove").contains("A: remove"));
}
