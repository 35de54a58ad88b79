//! `dpcmp calibrate`.

use statrs::function::erf::erfc;

use crate::dpcmp;

/// The value and the one beyond, as printed.
fn calibrated(mechanism: &str, key: &str, target: &str) -> (f64, f64) {
    let run = dpcmp(&[
        "calibrate",
        mechanism,
        "--solve",
        key,
        "--target",
        target,
        "--format",
        "json",
    ]);
    assert_eq!(run.code, 0, "{}", run.page());
    let found = &run.objects()[0];
    assert_eq!(found["schema"], "dpcmp.calibration/1");
    let number = |key: &str| found[key].as_str().unwrap().parse::<f64>().unwrap();
    let (value, beyond) = (number("value"), number("not-reachable-beyond"));
    let is_whole = key == "steps";
    assert!(
        is_whole || ((value - beyond) / value).abs() <= 1.000_001e-4,
        "{found}"
    );
    (value, beyond)
}

fn normal_cdf(x: f64) -> f64 {
    erfc(-x / 2f64.sqrt()) / 2.0
}

/// How many random calibrations: some by default, 10,000 with `DPCMP_TEST_SCALE` at 250.
fn cases() -> u32 {
    let scale = std::env::var("DPCMP_TEST_SCALE").ok();
    40 * scale.and_then(|text| text.parse().ok()).unwrap_or(1u32)
}

/// Closed forms: the value meets the target, the value beyond does not.
#[test]
fn brackets_hold_the_closed_form() {
    for case in 0..cases() {
        // A low-discrepancy sequence in (0, 1).
        let u = (f64::from(case) * 0.618_033_988_749_895 + 0.1).fract();
        let (value, beyond, truth) = match case % 5 {
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
}

/// It is not proven that more discrete noise is more private, and the page says so.
#[test]
fn what_is_taken_for_granted_is_said() {
    let mechanism = r#"{"kind":"discrete-gaussian"}"#;
    let run = dpcmp(&[
        "calibrate",
        mechanism,
        "--solve",
        "sigma",
        "--target",
        "zcdp:rho=1/8",
    ]);
    assert_eq!(run.code, 0, "{}", run.page());
    assert!(
        run.stdout.contains("sigma = 2 ") && run.stdout.contains("IF more discrete"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_page_for_people() {
    let run = dpcmp(&[
        "calibrate",
        r#"{"kind":"gaussian"}"#,
        "--solve",
        "sigma",
        "--target",
        "advantage:at-most=0.1",
        "--target",
        "zcdp:rho=1/50",
    ]);
    insta::assert_snapshot!("calibrate_gaussian", run.page());
}
