//! `dpcmp report`.

use serde_json::Value;

use crate::dpcmp;

const LAPLACE: &str = r#"{"kind":"laplace","scale":1}"#;
const CIFAR: &str = "examples/claims/de-et-al.toml";

fn number(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

fn is_in(enclosure: &Value, low: f64, high: f64) -> bool {
    low <= number(&enclosure["lower"]) && number(&enclosure["upper"]) <= high
}

/// Without the line that says how long it took.
fn untimed(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.ends_with(" s"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn pages_for_people() {
    for (name, mechanism) in [
        ("laplace", LAPLACE),
        (
            "randomised_response",
            r#"{"kind":"randomized-response","epsilon":1}"#,
        ),
        (
            "leaky",
            r#"{"kind":"approx-dp","epsilon":1,"delta":"1e-6"}"#,
        ),
    ] {
        let run = dpcmp(&["report", mechanism]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        insta::assert_snapshot!(name, untimed(&run.stdout));
    }
}

/// Gomez et al. 2025: μ = 1.57 with regret 1e-3, above an error floor of 1e-10; the strict μ* is √T/σ.
#[test]
fn the_run_of_de_et_al() {
    let run = dpcmp(&[
        "report", CIFAR, "--format", "json", "--delta", "1e-5", "--delta", "1e-6",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = &run.objects()[0];
    assert_eq!(report["schema"], "dpcmp.report/1");
    let [strict, tolerance, floor, zcdp, pure, approx, _] =
        report["representations"].as_array().unwrap().as_slice()
    else {
        panic!("{report}");
    };
    assert!(is_in(&strict["parameter"], 4.757_591, 4.757_592));
    assert!(is_in(&tolerance["parameter"], 1.565_31, 1.565_32));
    assert!(is_in(&tolerance["regret"], 7.84e-4, 7.85e-4));
    assert!(is_in(&floor["parameter"], 1.566_94, 1.566_96));
    assert!(is_in(&floor["regret"], 1.023e-3, 1.026e-3));
    assert!(is_in(&zcdp["parameter"], 11.317_338, 11.317_339));
    assert!(is_in(&zcdp["regret"], 0.217, 0.218));
    assert_eq!(
        (&pure["stated"], &pure["parameter"]["lower"]),
        (&"none".into(), &"inf".into())
    );
    assert!(is_in(&approx["parameter"], 7.424_3, 7.424_4));
    assert!(is_in(&approx["regret"], 0.2170, 0.2172));
    assert_eq!(
        report["recommendation"]["report"],
        "1.56532-GDP up to 1e-10"
    );
}

#[test]
fn what_cannot_be_reported() {
    for (arguments, message) in [
        (&["report", "{}"][..], "kind"),
        (&["report", LAPLACE, "--delta", "0"], "between 0 and 1"),
        (&["report", LAPLACE, "--engine", "float"], "certified"),
    ] {
        let run = dpcmp(arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

/// ε-DP and (ε, δ)-DP speak of both orders of the pair: under `remove` the loss of this one is at most log 1.5, and log 4 the
/// other way round.
#[test]
fn statements_are_true_in_both_orders() {
    let pair = r#"{"kind":"finite","p":["3/5","2/5"],"q":["9/10","1/10"],"adjacency":"remove"}"#;
    let run = dpcmp(&["report", pair, "--format", "json"]);
    let report = &run.objects()[0];
    let representations = report["representations"].as_array().unwrap();
    let stated = |kind: &str| {
        let found = representations.iter().find(|r| r["kind"] == kind).unwrap();
        number(&found["stated"])
    };
    assert!(stated("pure-dp") >= 4f64.ln() && stated("pure-dp") <= 1.3863);
    assert!(stated("approx-dp") > 1.38);
    // D_2 of the other order: log(0.36/0.9 + 0.16/0.1) = log 2.
    let curve = report["renyi-curve"]["orders"].as_array().unwrap();
    let at_two = curve.iter().find(|point| point[0] == "2").unwrap();
    assert!(number(&at_two[1]) >= 2f64.ln() && number(&at_two[1]) < 0.6932);
}

/// A page under one order of the pair, and in little time.
#[test]
fn other_adjacencies_and_little_time() {
    let add = r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/4","3/4"],"adjacency":"add"}"#;
    assert_eq!(dpcmp(&["report", add]).code, 0);
    let run = dpcmp(&["report", CIFAR, "--max-seconds", "0"]);
    assert!(run.code == 0 || run.code == 3, "{}", run.page());
}

/// Every line of a page about one order of the pair says what it is about: statements are about both orders, above an error floor
/// too, where the hull of both curves needs a larger μ than either of them.
#[test]
fn lines_say_which_orders_they_are_about() {
    let pair = r#"{"kind":"finite","p":["1e-11","99999999999/100000000000"],"q":["0.3","0.7"],"adjacency":"ADJACENCY"}"#;
    let page = |adjacency: &str, format: &str| {
        let pair = pair.replace("ADJACENCY", adjacency);
        let run = dpcmp(&["report", &pair, "--format", format]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run
    };
    let report = page("remove", "json").objects().remove(0);
    let both = page("add-remove", "json").objects().remove(0);
    let representations = report["representations"].as_array().unwrap();
    for (one, both) in representations
        .iter()
        .zip(both["representations"].as_array().unwrap())
    {
        assert_eq!(one["adjacency"], "add-remove");
        assert_eq!(one["regret"]["adjacency"], "remove", "{one}");
        assert_eq!(both["regret"]["adjacency"], "add-remove");
        let (one, both) = (&one["parameter"], &both["parameter"]);
        assert!(
            number(&one["upper"]) >= number(&both["lower"]),
            "{one} {both}"
        );
    }
    let floor = &representations[2];
    assert_eq!(floor["error-floor"], "1e-10");
    assert!(number(&floor["parameter"]["lower"]) > 5.836_940_389_9);
    assert_eq!(report["renyi-curve"]["adjacency"], "add-remove");
    for one in [
        &report["renyi-curve"]["regret"],
        &report["advantage"],
        &report["trade-off"][0]["false-negative-rate"],
    ] {
        assert_eq!(one["adjacency"], "remove", "{one}");
    }
    // What accountants make of a Rényi guarantee is only held against both directions together.
    assert!(report["zcdp-regret-as-converted"].is_null());
    let text = page("remove", "human").stdout;
    let about = text.lines().filter(|line| line.contains("both directions"));
    // A line for each statement, the advantage, and the note.
    assert_eq!(about.count(), representations.len() + 3, "{text}");
    assert!(text.contains("regret, remove") && text.contains("at most, direction remove"));
    assert!(!page("add-remove", "human").stdout.contains("regret, "));
}

/// "μ-GDP up to τ" is less than μ-GDP, and its regret is that of μ-GDP.
#[test]
fn what_the_regret_of_a_tolerance_is_of() {
    let run = dpcmp(&["report", LAPLACE, "--format", "json"]);
    let report = &run.objects()[0];
    let notes: Vec<(&str, bool)> = report["representations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["kind"].as_str().unwrap(), one["note"].is_string()))
        .collect();
    let [strict, tolerance, floor, rest @ ..] = notes.as_slice() else {
        panic!("{notes:?}")
    };
    assert_eq!(
        [*strict, *tolerance, *floor],
        [("gdp", false), ("gdp", true), ("gdp", true)]
    );
    assert!(rest.iter().all(|(_, noted)| !noted));
}

/// Where a record is added the null hypothesis is that it was used: errors have the names of that, and targets that are tests of members are refused.
#[test]
fn attacks_of_the_other_order_have_their_own_names() {
    let of =
        |adjacency: &str| format!(r#"{{"kind":"laplace","scale":1,"adjacency":"{adjacency}"}}"#);
    for (adjacency, words, given, found) in [
        (
            "add",
            "rate of members cleared",
            "false-negative-rate",
            "false-positive-rate",
        ),
        (
            "remove",
            "false-positive rate",
            "false-positive-rate",
            "false-negative-rate",
        ),
    ] {
        let run = dpcmp(&["report", &of(adjacency)]);
        assert!(run.stdout.contains(words), "{}", run.stdout);
        let run = dpcmp(&["report", &of(adjacency), "--format", "json"]);
        let point = &run.objects()[0]["trade-off"][0];
        assert!(
            point[given].is_string() && point[found].is_object(),
            "{point}"
        );
    }
    for (adjacency, is_refused) in [("add", true), ("remove", false)] {
        let target = ["--solve", "scale", "--target", "tpr:fpr=0.01,at-most=0.02"];
        let run = dpcmp(&[&["calibrate", &of(adjacency)][..], &target].concat());
        assert_eq!(run.code, if is_refused { 2 } else { 0 }, "{}", run.page());
        assert_eq!(
            run.stderr.contains("`remove` is about the same"),
            is_refused
        );
    }
}

/// Batches of a fixed size are of the records that are stated, not of the fewest with that rate; the strict μ of a mixture does not depend on the order of its parts.
#[test]
fn batches_and_mixtures_as_they_are_stated() {
    let run = dpcmp(&[
        "report",
        r#"{"kind":"dp-sgd","noise-multiplier":4,"epochs":1,"batch-size":256,"dataset-size":1024}"#,
    ]);
    assert!(
        run.stdout.contains("on 256 of 1024 records"),
        "{}",
        run.stdout
    );
    let table = r#"{"weight":"1/2","kind":"rdp","orders":[[2,1]]}"#;
    let zcdp = r#"{"weight":"1/2","kind":"zcdp","rho":"1/2"}"#;
    for [one, other] in [[table, zcdp], [zcdp, table]] {
        let mixture = format!(r#"{{"kind":"mixture","of":[{one},{other}]}}"#);
        let run = dpcmp(&["bound", &mixture, "gdp-mu", "--format", "json"]);
        assert_eq!(run.objects()[0]["lower"], "inf", "{}", run.page());
    }
}
