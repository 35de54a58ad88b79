//! `dpcmp calibrate` where there is no turning point: at the ends of ranges, and of the time.

use crate::calibrate::{calibrate, calibrated};

/// What the range that is usual does not contain is looked for beyond it: ε = 1/scale of Laplace noise is 1001 at 0.000999….
#[test]
fn the_end_of_a_range_is_not_the_end() {
    let laplace = r#"{"kind":"laplace"}"#;
    let (value, beyond) = calibrated(laplace, "scale", "pure-dp:epsilon=1001");
    assert!(
        beyond < 1.0 / 1001.0 && 1.0 / 1001.0 <= value,
        "{beyond} {value}"
    );
}

/// Scales have no least one, and whatever the last that is looked at, there are smaller ones: "every scale meets it" would be false.
#[test]
fn where_the_search_ends_is_said() {
    let laplace = (r#"{"kind":"laplace"}"#, "scale");
    let target = "pure-dp:epsilon=2000000";
    let run = calibrate(laplace, target, &[]);
    assert_eq!(run.code, 3, "{}", run.page());
    assert!(
        run.stdout.contains("scale = 1e-6 ")
            && run
                .stdout
                .contains("no smaller value of scale was looked at")
            && !run.stdout.contains("every"),
        "{}",
        run.stdout
    );
    let run = calibrate(laplace, target, &["--format", "json"]);
    let found = &run.objects()[0];
    assert_eq!(found["beyond"], "not-looked-at", "{found}");
    assert!(found["not-reachable-beyond"].is_null() && found["narrow"] == false);
}

/// Where larger sensitivities cannot be treated, nothing is known of them: 30000 meets ε ≤ 30000, 30001 does not.
#[test]
fn an_end_that_is_not_certified_is_none() {
    let mechanism = (r#"{"kind":"discrete-laplace","scale":1}"#, "sensitivity");
    let target = "pure-dp:epsilon=30000";
    // Each takes seconds.
    if crate::every(6) == 1 {
        let run = calibrate(mechanism, target, &[]);
        assert_eq!(run.code, 3, "{}", run.page());
        assert!(
            run.stdout.contains("is not known") && !run.stdout.contains("every"),
            "{}",
            run.stdout
        );
    }
    let run = calibrate(mechanism, target, &["--format", "json"]);
    assert_eq!(run.code, 3);
    let found = &run.objects()[0];
    assert_eq!(found["beyond"], "unknown", "{found}");
    assert_eq!(found["reason"], "unsupported");
    assert!(found["not-reachable-beyond"].is_null() && found["narrow"] == false);
}

/// Rates end at 1 and steps at 1e12: there every value meets the target, as sampling less and stopping earlier are more private.
#[test]
fn where_every_value_meets_the_target() {
    let mechanism = r#"{"kind":"dp-sgd","noise-multiplier":100,"steps":10}"#;
    let target = "approx-dp:epsilon=1,delta=1e-5";
    let run = calibrate((mechanism, "sample-rate"), target, &[]);
    assert_eq!(run.code, 0, "{}", run.page());
    assert!(run.stdout.contains("every value of sample-rate meets it"));
    let run = calibrate((mechanism, "sample-rate"), target, &["--format", "json"]);
    let found = &run.objects()[0];
    assert_eq!(found["value"], "1");
    assert_eq!(found["beyond"], "every-value-meets");
    assert_eq!(found["narrow"], true);
    let quiet = r#"{"kind":"dp-sgd","noise-multiplier":"1e9","sample-rate":"1/2"}"#;
    let run = calibrate((quiet, "steps"), target, &[]);
    assert_eq!(run.code, 0, "{}", run.page());
    assert!(
        run.stdout.contains(
            "every value of steps up to 1000000000000, the most that there may be, meets it"
        ),
        "{}",
        run.stdout
    );
}

/// Time that ends says nothing about the target: more of it may help.
#[test]
fn out_of_time_is_no_verdict() {
    let mechanism = r#"{"kind":"dp-sgd","sample-rate":"0.001","steps":10000}"#;
    let target = "approx-dp:epsilon=1,delta=1e-5";
    let options = ["--max-seconds", "0.001", "--format", "json"];
    let run = calibrate((mechanism, "noise-multiplier"), target, &options);
    assert_eq!(run.code, 3, "{}", run.page());
    assert!(run.stderr.contains("--max-seconds"), "{}", run.stderr);
    assert_eq!(run.objects()[0]["error"]["code"], "out-of-time");
}

/// A billion times less noise than its scale, and rare: estimates of such laws gave up their time before anything was asked.
#[test]
fn small_and_rare_steps_leave_time_for_the_search() {
    let mechanism = r#"{"kind":"dp-sgd","noise-multiplier":1000000000,"sample-rate":"1e-9"}"#;
    let target = "approx-dp:epsilon=1,delta=1e-5";
    let start = std::time::Instant::now();
    let options = ["--format", "json", "--max-seconds", "20"];
    let run = calibrate((mechanism, "steps"), target, &options);
    assert_eq!(run.code, 0, "{}", run.page());
    assert_eq!(run.objects()[0]["value"], "1000000000000");
    assert!(start.elapsed().as_secs() < 30);
}
