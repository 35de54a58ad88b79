//! `dpcmp calibrate --plot`.

use crate::dpcmp;
use crate::pictures::{check, of_class};

/// The mechanism that is found, with what was asked of it: a point on its profile, and one on its trade-off curve for a bound at a false-positive rate.
#[test]
fn a_calibration_is_drawn_with_its_targets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.svg");
    let plot = path.to_str().unwrap();
    let solve = ["calibrate", "kind = 'laplace'", "--solve", "scale"];
    let targets = [
        "--target",
        "approx-dp:epsilon=1,delta=1e-2",
        "--target",
        "tpr:fpr=0.1,at-most=0.2",
    ];
    let run = dpcmp(&[&solve[..], &targets, &["--plot", plot]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(&path).unwrap();
    let document = check(&text);
    // The profile, the trade-off curve, and its end at small rates.
    assert_eq!(of_class(&document, "panel").len(), 3, "{text}");
    for words in ["✓", "δ(ε)", "f(α)"] {
        assert!(text.contains(words), "{words}");
    }
    assert!(!text.contains('✗') && text.contains("Laplace b = "));
    for (targets, words) in [
        (
            &["--target", "bayes-error:prior=1/2,at-least=0.4"][..],
            "Bayes error is not drawn",
        ),
        (
            &[
                "--target",
                "bayes-error:prior=1/2,at-least=0.4",
                "--format",
                "svg",
            ],
            "--plot FILE.svg",
        ),
    ] {
        let run = dpcmp(&[&solve[..], targets, &["--plot", plot]].concat());
        assert!(
            run.code == 2 && run.stderr.contains(words),
            "{}",
            run.page()
        );
    }
}
