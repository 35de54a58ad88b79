//! `dpcmp calibrate` beside other ways to calibrate: by (ε, δ), and from the profiles of another accountant.

use crate::calibrate::{calibrate, normal_cdf};
use crate::dpcmp;

fn enclosed(value: &serde_json::Value) -> (f64, f64) {
    let end = |key: &str| value[key].as_str().unwrap().parse::<f64>().unwrap();
    let (lower, upper) = (end("lower"), end("upper"));
    assert!(lower <= upper);
    (lower, upper)
}

/// Kulynych et al. 2024, Figure 4: TPR ≤ 0.5 at FPR 0.1 follows from (1.61, 1e-5); the noise for that is more than is needed.
#[test]
fn the_standard_way_costs_noise() {
    let run = calibrate(
        (
            r#"{"kind":"dp-sgd","sample-rate":"0.001","steps":10000}"#,
            "noise-multiplier",
        ),
        "tpr:fpr=0.1,at-most=0.5",
        &["--compare-with-standard", "--format", "json"],
    );
    assert_eq!(run.code, 0, "{}", run.page());
    let found = &run.objects()[0];
    let standard = &found["standard"];
    assert_eq!(standard["exp-epsilon"], "4.9999");
    let (low, high) = enclosed(&standard["epsilon"]);
    assert!(low <= 4.9999f64.ln() + 1e-12 && 4.9999f64.ln() - 1e-12 <= high);
    let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let (aware, noisy) = (number(&found["value"]), number(&standard["value"]));
    let (low, high) = enclosed(&standard["factor"]);
    assert!(
        low < noisy / aware && noisy / aware < high && low > 1.5,
        "{standard}"
    );
    // At the target both have room; the standard one has more everywhere.
    for row in standard["costs"].as_array().unwrap() {
        assert!(enclosed(&row["cost"]).0 >= 0.0, "{row}");
        assert!(row["generic-cost"].is_null());
    }
    let at_tenth = &standard["costs"][3];
    assert_eq!(at_tenth["alpha"], "0.1");
    assert!(enclosed(&at_tenth["attack-aware"]).1 >= 0.5);
}

#[test]
fn the_cost_of_calibrating_to_an_advantage() {
    let gaussian = r#"{"kind":"gaussian"}"#;
    let arguments = |target: &'static str| {
        [
            "calibrate",
            gaussian,
            "--solve",
            "sigma",
            "--target",
            target,
            "--compare-with-standard",
        ]
    };
    let run = dpcmp(&arguments("advantage:at-most=0.5"));
    insta::assert_snapshot!("calibrate_against_standard", run.page());
    let one_way = r#"{"kind":"gaussian","adjacency":"remove"}"#;
    let mut arguments_one_way = arguments("advantage:at-most=0.5");
    arguments_one_way[1] = one_way;
    let run = dpcmp(&arguments_one_way);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("both directions"), "{}", run.stderr);
    for target in ["zcdp:rho=1", "advantage:at-most=1e-6"] {
        let run = dpcmp(&arguments(target));
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("attack risks"), "{}", run.stderr);
    }
}

/// A table of exact Gaussian profiles leads to the first σ of the table that is known to do.
#[test]
fn profiles_of_another_accountant() {
    let mut table = "# Gaussian, by erfc\nsigma,epsilon,delta\n".to_owned();
    for tenths in 8..=30 {
        let sigma = f64::from(tenths) / 10.0;
        for step in -60..=60 {
            let epsilon = f64::from(step) / 10.0;
            let mu = 1.0 / sigma;
            let delta = normal_cdf(mu / 2.0 - epsilon / mu)
                - epsilon.exp() * normal_cdf(-mu / 2.0 - epsilon / mu);
            table += &format!("{sigma},{epsilon},{}\n", delta.clamp(0.0, 1.0) + 1e-9);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profiles.csv");
    std::fs::write(&path, table).unwrap();
    let ask = |key: &str, target: &str| {
        let path = path.to_str().unwrap();
        dpcmp(&[
            "calibrate",
            "--profile-table",
            path,
            "--solve",
            key,
            "--target",
            target,
            "--format",
            "json",
        ])
    };
    for (target, sigma) in [
        ("tpr:fpr=0.1,at-most=0.5", 1.0 / 1.281_551_565_5),
        ("advantage:at-most=0.2", 1.973_6),
    ] {
        let run = ask("sigma", target);
        assert_eq!(run.code, 0, "{}", run.page());
        let found = &run.objects()[0];
        let value: f64 = found["value"].as_str().unwrap().parse().unwrap();
        assert!(sigma < value && value < sigma + 0.11, "{found}");
        assert_eq!(found["black-box"], true);
        assert!(found["not-reachable-beyond"].is_null());
    }
    assert_eq!(ask("scale", "advantage:at-most=0.2").code, 2);
    assert_eq!(ask("sigma", "advantage:at-most=0.001").code, 2);
}
