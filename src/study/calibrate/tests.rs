//! Calibrations: both ends certified, which way privacy goes, what is beyond.

use std::time::Duration;

use super::*;
use crate::study::Silent;

fn solved(
    mechanism: &str,
    key: &str,
    target: &str,
    max_time: Duration,
) -> Result<Calibration, CalibrationError> {
    let limits = Limits {
        max_time,
        threads: 1,
        precision: None,
        stop: std::sync::Arc::default(),
        listener: &Silent,
    };
    let template = Template::new("test", mechanism.as_bytes()).unwrap();
    let target = Requirement::from_argument(target).unwrap();
    calibrate(&template, key, &[target], &limits)
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn both_ends_are_certified() {
    let found = solved(r#"{"kind":"gaussian"}"#, "sigma", "zcdp:rho=1/8", MINUTE).unwrap();
    let two = Rational::from(2);
    assert!(found.solution.meets >= two && *found.solution.misses().unwrap() < two);
    assert!(found.is_narrow() && found.is_complete() && found.grows_private);
}

/// No time decides nothing; a target that no value meets is another answer, with or without time.
#[test]
fn out_of_time_is_not_unreachable() {
    let training = r#"{"kind":"dp-sgd","sample-rate":"0.001","steps":10000}"#;
    let target = "approx-dp:epsilon=1,delta=1e-5";
    let error = solved(training, "noise-multiplier", target, Duration::ZERO).unwrap_err();
    assert_eq!(error, CalibrationError::OutOfTime);
    let gaussian = r#"{"kind":"gaussian"}"#;
    let error = solved(gaussian, "sigma", "pure-dp:epsilon=1", MINUTE).unwrap_err();
    assert!(matches!(error, CalibrationError::NoValue { .. }), "{error}");
    assert!(!error.is_out_of_time());
}

/// What a training log has: as many steps as by hand, and the rate that the batch makes.
#[test]
fn epochs_and_batches() {
    let log = |keys: &str| {
        format!(r#"{{"kind":"dp-sgd","noise-multiplier":1,"dataset-size":1000,{keys}}}"#)
    };
    let target = "approx-dp:epsilon=9,delta=1e-5";
    let epochs = solved(&log(r#""batch-size":1000"#), "epochs", target, MINUTE).unwrap();
    let all = r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":1}"#;
    let steps = solved(all, "steps", target, MINUTE).unwrap();
    // One step an epoch.
    let in_steps = Integer::from(epochs.solution.meets.ceil_ref());
    assert_eq!(in_steps, steps.solution.meets);
    assert!(*epochs.solution.misses().unwrap() > epochs.solution.meets);
    let is_about_batches = |found: &Calibration| {
        found
            .either_way
            .is_some_and(|words| words.contains("`batch-size`"))
    };
    assert!(!is_about_batches(&epochs));

    let batch = log(r#""steps":1"#);
    let target = "approx-dp:epsilon=1,delta=1e-5";
    let found = solved(&batch, "batch-size", target, MINUTE).unwrap();
    let misses = found.solution.misses().unwrap();
    assert_eq!(Rational::from(misses - &found.solution.meets), 1);
    // A smaller batch is a smaller rate; behind a shuffle there are more of them.
    assert!(!is_about_batches(&found));
    let shuffled = r#"{"kind":"dp-sgd","noise-multiplier":1,"dataset-size":1000,"sampling":"shuffled","adjacency":"replace-special"}"#;
    let template = Template::new("test", shuffled.as_bytes()).unwrap();
    let batches = template
        .with_value("batch-size", &Rational::from(10))
        .unwrap();
    assert!(either_way(&batches.mechanism, "batch-size").is_some());
}

/// Where batches are cut down, and of discrete Gaussian noise within other mechanisms, nothing is said of values that were not looked at.
#[test]
fn what_may_go_either_way_is_said() {
    let cut = r#"{"kind":"subsampled","sampling":"truncated-poisson","dataset-size":2,"max-batch":1,"adjacency":"add","of":{"kind":"gaussian","sigma":"1/20"}}"#;
    let target = "approx-dp:exp-epsilon=1.8,delta=0.12";
    let found = solved(cut, "rate", target, MINUTE).unwrap();
    let notes = found.remarks();
    assert!(
        found.solution.meets == 1
            && notes
                .iter()
                .any(|note| note.starts_with("smaller values may miss it")),
        "{notes:?}"
    );
    let training = r#"{"kind":"dp-sgd","sampling":"truncated-poisson","noise-multiplier":"1/20","steps":1,"dataset-size":2,"max-batch":1,"adjacency":"add"}"#;
    for key in ["sample-rate", "batch-size"] {
        assert!(
            solved(training, key, target, MINUTE)
                .unwrap()
                .either_way
                .is_some(),
            "{key}"
        );
    }
    let inside = r#"{"kind":"discrete-gaussian","record-bound":1}"#;
    let batch = format!(
        r#"{{"kind":"subsampled","sampling":"without-replacement","dataset-size":10,"batch-size":1,"adjacency":"replace-one","of":{inside}}}"#
    );
    let allocation = r#"{"kind":"random-allocation","steps":2,"of":{"kind":"discrete-gaussian"}}"#;
    for (mechanism, target) in [
        (batch.as_str(), "approx-dp:exp-epsilon=50,delta=0.016"),
        (allocation, "approx-dp:epsilon=2,delta=0.11"),
    ] {
        let notes = solved(mechanism, "of.sigma", target, MINUTE)
            .unwrap()
            .remarks();
        assert!(
            notes.iter().any(|note| note
                .starts_with("smaller values than both may meet it, and larger ones miss it")),
            "{notes:?}"
        );
    }
}

/// One epoch is two steps on 999 of 1000 records each, or one step on all of them: with 722 the advantage is above 0.2, with 1000 it is not.
#[test]
fn what_goes_either_way_is_not_solved_for() {
    let matrix =
        r#"{"kind":"matrix-factorization","noise-multiplier":4,"steps":12,"toeplitz":[1]}"#;
    let epoch = r#"{"kind":"dp-sgd","noise-multiplier":2,"epochs":1,"dataset-size":1000}"#;
    let inside = format!(r#"{{"kind":"compose","of":[{epoch}]}}"#);
    let allocation = r#"{"kind":"random-allocation","of":{"kind":"gaussian","sigma":2}}"#;
    for (mechanism, key) in [
        (matrix, "epochs"),
        (epoch, "batch-size"),
        (&inside, "of.0.batch-size"),
        (allocation, "steps"),
    ] {
        let error = solved(mechanism, key, "advantage:at-most=0.2", MINUTE).unwrap_err();
        assert!(
            matches!(error, CalibrationError::EitherWay { .. }),
            "{error}"
        );
    }
    let fixed = r#"{"kind":"dp-sgd","noise-multiplier":2,"steps":1,"dataset-size":1000}"#;
    assert!(solved(fixed, "batch-size", "advantage:at-most=0.1", MINUTE).is_ok());
}

/// Whole numbers, each the last that meets its target: by hand, and the next one misses it.
#[test]
fn whole_numbers_in_the_right_direction() {
    let tree = |keys: &str| format!(r#"{{"kind":"tree-aggregation","noise-multiplier":1{keys}}}"#);
    // A leaf of a tree of n steps is in as many nodes as n has bits, and zCDP adds up to half of their number.
    for (mechanism, key, target, meets, misses) in [
        (tree(""), "steps", "zcdp:rho=2", 15, 16),
        (tree(r#","steps":15"#), "restarts", "zcdp:rho=7", 3, 4),
        // s² is the number of participations, ρ half of it.
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":1,"steps":8,"toeplitz":[1]}"#
                .to_owned(),
            "participations",
            "zcdp:rho=5/2",
            5,
            6,
        ),
        // 1 + (1 + 1)² + 1 where two are neighbours, 2 + 2 where they are not.
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":1,"steps":8,"toeplitz":[1,1],"participations":2}"#
                .to_owned(),
            "min-separation",
            "zcdp:rho=2",
            2,
            1,
        ),
        // μ = k/2.
        (
            r#"{"kind":"group","of":{"kind":"gaussian","sigma":2}}"#.to_owned(),
            "records",
            "gdp:mu=3.4",
            6,
            7,
        ),
    ] {
        let found = solved(&mechanism, key, target, MINUTE).unwrap();
        assert_eq!(found.solution.meets, meets, "{mechanism} {key}");
        assert_eq!(found.solution.misses(), Some(&Rational::from(misses)), "{key}");
    }
}

/// A record that is replaced moves a sum by twice its bound.
#[test]
fn record_bounds_of_replaced_records() {
    let of = |adjacency: &str| {
        let text = format!(r#"{{"kind":"gaussian","sigma":1,"adjacency":"{adjacency}"}}"#);
        let found = solved(&text, "record-bound", "zcdp:rho=1/2", MINUTE).unwrap();
        let Beyond::Misses { value, .. } = found.solution.beyond else {
            panic!("a larger bound misses it");
        };
        (found.solution.meets, value)
    };
    for (adjacency, truth) in [
        ("replace-one", Rational::from((1, 2))),
        ("replace-special", Rational::from(1)),
    ] {
        let (meets, misses) = of(adjacency);
        assert!(
            meets <= truth && truth < misses,
            "{adjacency}: {meets} {misses}"
        );
    }
}

#[test]
fn what_is_beyond_the_value() {
    let beyond = |mechanism: &str, key: &str, target: &str| {
        let found = solved(mechanism, key, target, MINUTE).unwrap();
        assert_eq!(found.is_narrow(), found.solution.beyond == Beyond::Nothing);
        found.solution.beyond
    };
    let laplace = r#"{"kind":"laplace"}"#;
    let far = "pure-dp:epsilon=1e9";
    assert_eq!(beyond(laplace, "scale", far), Beyond::NotLookedAt);
    let quiet = r#"{"kind":"subsampled","of":{"kind":"gaussian","sigma":100}}"#;
    let target = "approx-dp:epsilon=1,delta=1e-5";
    assert_eq!(beyond(quiet, "rate", target), Beyond::Nothing);
    // Takes seconds.
    if !crate::test_scale::is_asked(1, 6) {
        return;
    }
    let discrete = r#"{"kind":"discrete-laplace","scale":1}"#;
    let found = beyond(discrete, "sensitivity", "pure-dp:epsilon=30000");
    let is_unsupported = |doubt: &Doubt| matches!(doubt, Doubt::Unsupported(_));
    assert!(
        matches!(&found, Beyond::Unknown { doubt, .. } if is_unsupported(doubt)),
        "{found:?}"
    );
}
