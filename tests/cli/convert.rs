//! `dpcmp convert`.

use crate::dpcmp;

#[test]
fn a_page_for_people() {
    let run = dpcmp(&["convert", "approx-dp:epsilon=1,delta=1e-5"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("convert_approx_dp", run.stdout);
    let run = dpcmp(&["convert", "trade-off:alpha=0.01,beta=0.5"]);
    insta::assert_snapshot!("convert_trade_off", run.stdout);
}

/// The σ of Balle and Wang 2018 for (1, 1e-5) is 3.7306316…: noise made from a μ rounded down is a little larger.
#[test]
fn noise_for_a_budget_meets_it() {
    let run = dpcmp(&[
        "convert",
        "approx-dp:epsilon=1,delta=1e-5",
        "--format",
        "json",
    ]);
    let found = &run.objects()[0];
    assert_eq!(found["schema"], "dpcmp.conversion/1");
    let mu = found["gaussian-mu"]["for-noise"].as_str().unwrap();
    let gaussian = format!(r#"{{"kind":"gdp","mu":"{mu}"}}"#);
    let run = dpcmp(&[
        "bound",
        &gaussian,
        "delta:epsilon=1",
        "--format",
        "json",
        "--precision",
        "1e-30",
    ]);
    let delta: f64 = run.objects()[0]["upper"].as_str().unwrap().parse().unwrap();
    assert!(delta <= 1e-5 && delta > 0.999_999e-5, "{delta}");
}

#[test]
fn what_cannot_be_converted() {
    for (arguments, message) in [
        (
            &["convert", "regret:mu=1,at-most=0.1"][..],
            "no other statement",
        ),
        (&["convert", "approx-dp:epsilon=1"], "delta"),
        (&["convert", "aprox-dp:epsilon=1,delta=0.1"], "approx-dp"),
        (&["convert", "gdp:mu=1", "--engine", "float"], "certified"),
    ] {
        let run = dpcmp(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.page());
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}
