//! `dpcmp calibrate`.

use statrs::function::erf::erfc;

use crate::{Run, dpcmp, dpcmp_reading};

/// `dpcmp calibrate MECH --solve KEY --target TARGET` with more options.
pub fn calibrate((mechanism, key): (&str, &str), target: &str, options: &[&str]) -> Run {
    let start = ["calibrate", mechanism, "--solve", key, "--target", target];
    dpcmp(&[&start, options].concat())
}

/// The value and the one beyond, as printed.
pub fn calibrated(mechanism: &str, key: &str, target: &str) -> (f64, f64) {
    let run = calibrate((mechanism, key), target, &["--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.page());
    let found = &run.objects()[0];
    assert_eq!(found["schema"], "dpcmp.calibration/1");
    let number = |key: &str| found[key].as_str().unwrap().parse::<f64>().unwrap();
    let (value, beyond) = (number("value"), number("not-reachable-beyond"));
    let is_whole = ["steps", "of.1.times"].contains(&key);
    assert!(
        is_whole || ((value - beyond) / value).abs() <= 1.000_001e-4,
        "{found}"
    );
    (value, beyond)
}

pub fn normal_cdf(x: f64) -> f64 {
    erfc(-x / 2f64.sqrt()) / 2.0
}

/// How many random calibrations: some by default, 10,000 with `DPCMP_TEST_SCALE` at 250.
fn cases() -> u32 {
    let scale = std::env::var("DPCMP_TEST_SCALE").ok();
    40 * scale.and_then(|text| text.parse().ok()).unwrap_or(1u32)
}

/// Strict 3-GDP is μ² ≤ 9.
#[test]
fn mu_squared_is_solved_for() {
    let (value, beyond) = calibrated(r#"{"kind":"gaussian"}"#, "mu-squared", "gdp:mu=3");
    assert!(value <= 9.0 && 9.0 < beyond, "{value} {beyond}");
}

/// Closed forms: the value meets the target, the value beyond does not.
#[test]
fn brackets_hold_the_closed_form() {
    for case in 0..cases() {
        // A low-discrepancy sequence in (0, 1).
        let u = (f64::from(case) * 0.618_033_988_749_895 + 0.1).fract();
        let (value, beyond, truth) = match case % 8 {
            0 => {
                let eta = 0.01 + 0.98 * u;
                let target = format!("advantage:at-most={eta}");
                let (value, beyond) = calibrated(r#"{"kind":"laplace"}"#, "scale", &target);
                // δ(0) = 1 − e^{−1/(2b)}.
                (value, beyond, -0.5 / (-eta).ln_1p())
            }
            1 => {
                let epsilon = 0.01 + 5.0 * u;
                let target = format!("pure-dp:epsilon={epsilon}");
                let (value, beyond) = calibrated(r#"{"kind":"laplace"}"#, "scale", &target);
                (value, beyond, 1.0 / epsilon)
            }
            2 => {
                let rho = 0.001 + 3.0 * u;
                let target = format!("zcdp:rho={rho}");
                let (value, beyond) = calibrated(r#"{"kind":"gaussian"}"#, "sigma", &target);
                (value, beyond, (0.5 / rho).sqrt())
            }
            3 => {
                let eta = 0.01 + 0.9 * u;
                let target = format!("advantage:at-most={eta}");
                let pair = r#"{"kind":"randomized-response"}"#;
                let (value, beyond) = calibrated(pair, "epsilon", &target);
                // tanh(ε/2) = η; the larger ε is the less private one.
                (beyond, value, ((1.0 + eta) / (1.0 - eta)).ln())
            }
            case @ 4..=6 => {
                let mu = 0.05 + 3.0 * u;
                let tpr = normal_cdf(mu - 1.281_551_565_544_600_4);
                let target = match case {
                    4 => format!("tpr:fpr=0.1,at-most={tpr}"),
                    5 => format!("accuracy:fpr=0.1,at-most={}", (0.9 + tpr) / 2.0),
                    _ => format!("ppv:fpr=0.1,at-most={}", tpr / (tpr + 0.1)),
                };
                let (value, beyond) = calibrated(r#"{"kind":"gaussian"}"#, "sigma", &target);
                (value, beyond, 1.0 / mu)
            }
            _ => {
                let mu = 0.05 + 3.0 * u;
                let (alpha, beta) = (0.1, normal_cdf(1.281_551_565_544_600_4 - mu));
                let target = format!("trade-off:alpha={alpha},beta={beta}");
                let (value, beyond) = calibrated(r#"{"kind":"gaussian"}"#, "sigma", &target);
                (value, beyond, 1.0 / mu)
            }
        };
        let (low, high) = (beyond * (1.0 - 1e-10), value * (1.0 + 1e-10));
        assert!(
            low < truth && truth < high,
            "{case}: {beyond} {truth} {value}"
        );
    }
}

/// Kulynych et al. 2024, Figure 5: riskcal 1.5.1 gives σ = 0.7038, 0.3400 and 0.7408 for p = 0.001, T = 10000.
#[test]
fn attack_aware_noise() {
    let run = |target: &str| {
        let mechanism = r#"{"kind":"dp-sgd","sample-rate":"0.001","steps":10000}"#;
        calibrated(mechanism, "noise-multiplier", target)
    };
    let (value, beyond) = run("advantage:at-most=0.1");
    assert!(0.7036 < beyond && beyond < value && value < 0.7037);
    // Not 0.3400: the noise of riskcal misses this target.
    let (value, beyond) = run("trade-off:alpha=0.01,beta=0.5");
    assert!(0.3413 < beyond && beyond < value && value < 0.3414);
    let (value, beyond) = run("approx-dp:epsilon=1,delta=1e-5");
    assert!(0.7406 < beyond && beyond < value && value < 0.7407);
}

#[test]
fn whole_numbers_and_rates() {
    let cifar = "examples/claims/de-et-al.toml";
    let target = "approx-dp:epsilon=8,delta=1e-5";
    let (value, beyond) = calibrated(cifar, "steps", target);
    assert_eq!(beyond, value + 1.0);
    let (value, beyond) = calibrated(cifar, "sample-rate", target);
    assert!(0.3486 < value && value < beyond && beyond < 0.3488);
}

#[test]
fn what_cannot_be_calibrated() {
    let gaussian = r#"{"kind":"gaussian"}"#;
    for (key, target, message) in [
        (
            "sigma",
            "trade-off:alpha=0.1,beta=0.95",
            "an attack that guesses",
        ),
        ("sigma", "aprox-dp:epsilon=1,delta=0.1", "approx-dp"),
        ("sigma", "pure-dp:epsilon=1", "no value of `sigma`"),
        ("sigma", "regret:mu=1,at-most=0.01", "grows with privacy"),
        ("sigma", "advantage:at-most=2", "true of every mechanism"),
        ("sgima", "zcdp:rho=1", "sgima"),
        ("kind", "zcdp:rho=1", "cannot solve for `kind`"),
    ] {
        let run = dpcmp(&["calibrate", gaussian, "--solve", key, "--target", target]);
        assert_eq!(run.code, 2, "{key} {target}: {}", run.page());
        assert!(
            run.stderr.contains(message),
            "{key} {target}: {}",
            run.stderr
        );
    }
    let inside = r#"{"kind":"compose","of":[{"kind":"laplace","scale":2},{"kind":"gaussian"}]}"#;
    let selection = r#"{"kind":"private-selection","runs":{"kind":"geometric","mean":3},"of":{"kind":"laplace","scale":2}}"#;
    for (mechanism, key, message) in [
        (inside, "sigma", "write `of.1.sigma`"),
        (inside, "of.2.sigma", "there is no `2` in this list"),
        (inside, "of.sigma", "there is no `sigma` in this list"),
        (inside, "of.1", "there is no `1` in this list"),
        (inside, "to.sigma", "there is no mechanism in `to`"),
        (inside, "of.1.sgima", "cannot solve for `of.1.sgima`"),
        (inside, "of.1.scale", "`gaussian` has no key `scale`"),
        (gaussian, "of.sigma", "there is no mechanism in `of`"),
        (selection, "of.scale", "not known that privacy goes one way"),
    ] {
        let target = "zcdp:rho=1";
        let run = dpcmp(&["calibrate", mechanism, "--solve", key, "--target", target]);
        assert_eq!(run.code, 2, "{key}: {}", run.page());
        assert!(run.stderr.contains(message), "{key}: {}", run.stderr);
    }
}

/// What is inside another mechanism is found as where it stands alone: a histogram of two cells that a replaced record leaves and enters is two of them, and
/// a group of two of a sum is a sum that moves twice as far.
#[test]
fn keys_of_inner_mechanisms() {
    let target = "approx-dp:epsilon=2,delta=1e-5";
    let near = |(a, b): (f64, f64), (c, d): (f64, f64)| {
        a.max(b) * 1.001 > c.min(d) && c.max(d) * 1.001 > a.min(b)
    };
    let alone = calibrated(r#"{"kind":"gaussian","sensitivity":2}"#, "sigma", target);
    for (mechanism, key) in [
        (
            r#"{"kind":"group","records":2,"of":{"kind":"gaussian"}}"#,
            "of.sigma",
        ),
        (
            r#"{"kind":"compose","of":[{"kind":"pure-dp","epsilon":0},{"kind":"gaussian","sensitivity":2}]}"#,
            "of.1.sigma",
        ),
        (
            r#"{"kind":"subsampled","rate":1,"of":{"kind":"group","records":2,"of":{"kind":"gaussian"}}}"#,
            "of.of.sigma",
        ),
    ] {
        assert!(
            near(calibrated(mechanism, key, target), alone),
            "{mechanism}"
        );
    }
    let times =
        r#"{"kind":"compose","of":[{"kind":"zcdp","rho":"1/100"},{"kind":"zcdp","rho":"1/100"}]}"#;
    let (value, beyond) = calibrated(times, "of.1.times", "zcdp:rho=1/10");
    assert_eq!((value, beyond), (9.0, 10.0));
}

/// Less discrete Gaussian noise can be the more private: δ(2) is 0.1047… at σ = 0.5, 0.149… at 0.6 and 0.0855… at 0.8. Two values are certified, and
/// that is all that is said.
#[test]
fn of_discrete_noise_no_least_is_named() {
    let mechanism = r#"{"kind":"discrete-gaussian"}"#;
    let target = "approx-dp:epsilon=2,delta=0.12";
    let at_half = r#"{"kind":"discrete-gaussian","sigma":"0.5"}"#;
    let claim = format!(
        r#"{{"mechanism":{at_half},"claim":{{"kind":"approx-dp","epsilon":2,"delta":"0.12"}}}}"#
    );
    assert_eq!(dpcmp_reading(&["verify", "-"], claim).code, 0);
    // The noise of a record that another one replaces on a sample is a mixture.
    let sampled = r#"{"kind":"subsampled","rate":"1/4","adjacency":"replace-one","of":{"kind":"discrete-gaussian","record-bound":1}}"#;
    for (mechanism, key, target) in [
        (mechanism, "sigma", target),
        (sampled, "of.sigma", "approx-dp:epsilon=1,delta=1e-3"),
    ] {
        let run = calibrate((mechanism, key), target, &[]);
        assert_eq!(run.code, 0, "{}", run.page());
        let words = "smaller values than both may meet it, and larger ones miss it: less discrete Gaussian noise can be the more private";
        assert!(run.stdout.contains(words), "{}", run.stdout);
        assert!(!run.stdout.contains("least value"), "{}", run.stdout);
    }
    // How many steps there are goes one way.
    let steps = r#"{"kind":"compose","of":[{"kind":"discrete-gaussian","sigma":4}]}"#;
    let run = calibrate((steps, "of.0.times"), "zcdp:rho=1/8", &[]);
    assert!(
        run.stdout
            .contains("so that 4 is the largest that meets it"),
        "{}",
        run.page()
    );
}

#[test]
fn a_page_for_people() {
    let run = calibrate(
        (r#"{"kind":"gaussian"}"#, "sigma"),
        "advantage:at-most=0.1",
        &["--target", "zcdp:rho=1/50"],
    );
    insta::assert_snapshot!("calibrate_gaussian", run.page());
}

/// Attack risks of a Gaussian mechanism: f(α) = Φ(Φ⁻¹(1 − α) − 1/σ), and R(π) = π·α + (1 − π)·f(α) where f' = −π/(1 − π).
#[test]
fn attack_risks_as_targets() {
    let gaussian = r#"{"kind":"gaussian"}"#;
    // Φ⁻¹(0.9)
    let at_tenth = 1.281_551_565_544_600_4;
    for sigma in [0.3, 0.8, 1.0, 2.5, 20.0] {
        let mu: f64 = 1.0 / sigma;
        let tpr = normal_cdf(mu - at_tenth);
        let accuracy = (0.9 + tpr) / 2.0;
        let ppv = tpr / (tpr + 0.1);
        // log(π/(1 − π)) with π = 0.3
        let epsilon = (3f64 / 7.0).ln();
        let bayes = 0.3 * normal_cdf(-mu / 2.0 - epsilon / mu)
            + 0.7 * (1.0 - normal_cdf(mu / 2.0 - epsilon / mu));
        let mut targets = vec![
            format!("tpr:fpr=0.1,at-most={tpr}"),
            format!("accuracy:fpr=0.1,at-most={accuracy}"),
            format!("ppv:fpr=0.1,at-most={ppv}"),
        ];
        // Beyond, f64 cannot tell it from chance.
        if sigma < 3.0 {
            targets.push(format!("bayes-error:prior=0.3,at-least={bayes}"));
        }
        for target in targets {
            let (value, beyond) = calibrated(gaussian, "sigma", &target);
            let slack = if target.starts_with("bayes") {
                1e-6
            } else {
                1e-9
            };
            assert!(
                beyond * (1.0 - slack) < sigma && sigma < value * (1.0 + slack),
                "{target}: {beyond} {sigma} {value}"
            );
        }
    }
}

/// Corollaries B.3 and B.4 of Kulynych et al. 2024 to 40 digits, against mpmath 1.3 at 80 digits; and a target without a closed form.
#[test]
fn any_number_of_digits() {
    for (target, expected) in [
        (
            "advantage:at-most=0.1",
            "3.978948280545273180827433849156360778489443",
        ),
        (
            "tpr:fpr=0.01,at-most=0.5",
            "0.4298583247839932097752028951821188538471206",
        ),
        (
            "approx-dp:epsilon=1,delta=1e-5",
            "3.730631634815941832249822575037427818843455",
        ),
    ] {
        let run = calibrate(
            (r#"{"kind":"gaussian"}"#, "sigma"),
            target,
            &["--precision", "1e-40", "--format", "json"],
        );
        assert_eq!(run.code, 0, "{}", run.page());
        let found = &run.objects()[0];
        let (value, beyond) = (
            found["value"].as_str().unwrap(),
            found["not-reachable-beyond"].as_str().unwrap(),
        );
        // Decimals of the same length compare as texts.
        let same = |text: &str| format!("{text:0<60}");
        assert!(
            same(beyond) < same(expected) && same(expected) < same(value),
            "{found}"
        );
        assert_eq!(value[..40], expected[..40]);
    }
}

#[test]
fn what_attacks_say_about_chance() {
    for (target, words) in [
        (
            "tpr:fpr=0.1,at-most=0.05",
            "TPR ≤ 0.05 at FPR 0.1 is below chance",
        ),
        ("accuracy:fpr=0.1,at-most=0.4", "below chance"),
        (
            "ppv:fpr=0.1,at-most=0.5",
            "which takes outputs that say nothing",
        ),
        (
            "bayes-error:prior=0.3,at-least=0.4",
            "errs with probability 0.3",
        ),
        ("advantage:at-most=0", "perfect privacy"),
    ] {
        let gaussian = r#"{"kind":"gaussian"}"#;
        let run = dpcmp(&[
            "calibrate",
            gaussian,
            "--solve",
            "sigma",
            "--target",
            target,
        ]);
        assert_eq!(run.code, 2, "{target}: {}", run.page());
        assert!(run.stderr.contains(words), "{target}: {}", run.stderr);
    }
}

/// Hundreds of digits take no time where there is a closed form, and beyond that there is an end.
#[test]
fn hundreds_of_digits() {
    let gaussian = r#"{"kind":"gaussian"}"#;
    let ask = |precision: &str| {
        let target = "advantage:at-most=0.1";
        let arguments = [
            "calibrate",
            gaussian,
            "--solve",
            "sigma",
            "--target",
            target,
        ];
        dpcmp(
            &[
                &arguments[..],
                &["--precision", precision, "--format", "json"],
            ]
            .concat(),
        )
    };
    let run = ask("1e-500");
    assert_eq!(run.code, 0, "{}", run.page());
    let found = &run.objects()[0];
    let (value, beyond) = (
        found["value"].as_str().unwrap(),
        found["not-reachable-beyond"].as_str().unwrap(),
    );
    assert!(value.len() > 500 && value[..500] == beyond[..500]);
    let run = ask("1e-5000");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("1e-890"), "{}", run.stderr);
}

#[test]
fn a_precision_may_be_absolute() {
    let run = calibrate(
        (r#"{"kind":"gaussian","sensitivity":1000}"#, "sigma"),
        "gdp:mu=1/2",
        &["--precision", "0.5abs", "--format", "json"],
    );
    assert_eq!(run.code, 0, "{}", run.page());
    let found = &run.objects()[0];
    let number = |key: &str| found[key].as_str().unwrap().parse::<f64>().unwrap();
    let (value, beyond) = (number("value"), number("not-reachable-beyond"));
    assert!(beyond < 2000.0 && 2000.0 <= value && value - beyond <= 0.5);
}
