//! Lower ends of what some datasets attain, against sums over their outcomes in floats.

use super::{Answer, Contrast};
use crate::analysis::test_tools::{resources, subject, width};
use crate::statement::Query;

fn ask(text: &str, query: &Query) -> Answer {
    resources(|resources| {
        let found = subject(text).answer(query, &width(1, 1000), resources);
        found.unwrap()
    })
}

fn ends(answer: &Answer) -> [f64; 2] {
    [answer.enclosure.lower(), answer.enclosure.upper()].map(rug::Float::to_f64)
}

/// The largest δ(u) of k runs of two candidates over 400 odds.
fn best_of_two_candidates(k: i32, epsilon: f64, u: f64) -> f64 {
    let ratio = epsilon.exp();
    let of = |share: f64| {
        let z = ratio.powf(share);
        let q = (ratio - z) / (ratio - 1.0);
        let p = q / (q + (1.0 - q) * ratio);
        let mut ways = 1.0;
        let mut sum = 0.0;
        for wins in 0..=k {
            let law = |x: f64| ways * x.powi(wins) * (1.0 - x).powi(k - wins);
            sum += (law(q) - u * law(p)).max(0.0);
            ways *= f64::from(k - wins) / f64::from(wins + 1);
        }
        sum
    };
    (1..400)
        .map(|n| of(f64::from(n) / 400.0))
        .fold(0.0, f64::max)
}

/// A few choices: the best odds are not the same at every ε.
#[test]
fn odds_of_few_choices() {
    for (k, epsilon, place) in [
        (3, 0.5, 1.0),
        (2, 0.5, 0.5),
        (4, 1.0, 2.0),
        (6, 0.1, 0.3),
        (12, 1.0, 6.0),
    ] {
        let text = format!(r#"{{"kind":"top-k","k":{k},"epsilon":"{epsilon}"}}"#);
        let [low, high] = ends(&ask(
            &text,
            &Query::delta(format!("{place}").as_str()).unwrap(),
        ));
        let attained = best_of_two_candidates(k, epsilon, f64::exp(place));
        assert!(
            low <= attained * 1.001 && attained <= high * 1.000_001,
            "{k}: {low} {attained} {high}"
        );
        assert!(low >= attained * 0.97, "{k}: {low} {attained} {high}");
    }
}

/// δ(u) of two steps of this pair of masses.
fn of_two_steps(cells: &[(f64, f64)], u: f64) -> f64 {
    let mut cells: Vec<(f64, f64, f64)> = cells.iter().map(|(p, q)| (q / p, *p, *q)).collect();
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut tails = vec![(0.0, 0.0)];
    for (_, p, q) in cells.iter().rev() {
        let (a, b) = tails[tails.len() - 1];
        tails.push((a + p, b + q));
    }
    let of = |(ratio, p, q): &(f64, f64, f64)| {
        let from = cells.partition_point(|other| other.0 <= u / ratio);
        let (a, b) = tails[cells.len() - from];
        q * b - u * p * a
    };
    cells.iter().map(of).sum()
}

/// Two fixed batches reveal what a dataset attains whose other records are all the opposite of the one that a special one replaces, and so more than one batch does.
#[test]
fn two_fixed_batches_reveal_more_than_one() {
    let of = |steps: u32| {
        let text = format!(
            r#"{{"kind":"dp-sgd","sampling":"without-replacement","noise-multiplier":2,"batch-size":10,"dataset-size":100,"steps":{steps},"adjacency":"replace-special"}}"#
        );
        ends(&ask(&text, &Query::epsilon("1e-5").unwrap()))
    };
    let (one, two) = (of(1), of(2));
    let normal =
        |x: f64, at: f64| (-(x - at) * (x - at) / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let cells: Vec<(f64, f64)> = (-4_800..5_200)
        .map(|n| {
            let x = (f64::from(n) + 0.5) / 400.0;
            let mixed = |shift| (0.9 * normal(x, 0.0) + 0.1 * normal(x, shift)) / 400.0;
            (mixed(0.5), mixed(1.0))
        })
        .collect();
    let (mut low, mut high) = (0.0f64, 4.0f64);
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if of_two_steps(&cells, middle.exp()) > 1e-5 {
            low = middle;
        } else {
            high = middle;
        }
    }
    assert!((low - 1.28077).abs() < 1e-4, "{low}");
    assert!(one[1] < two[0], "{one:?} {two:?}");
    assert!(two[0] > low - 2e-3 && two[0] < low + 1e-5, "{two:?} {low}");
    assert!(two[1] > low, "{two:?} {low}");
}

/// The larger of the divergences both ways, of what is known only between others, is that of comparisons: it was [0, 1/2] at once.
#[test]
fn divergences_in_both_ways() {
    let releases = r#"{"kind":"noise-threshold","noise":"laplace","scale":2,"threshold":20,"release-if":">="}"#;
    let other = r#"{"kind":"laplace","scale":1}"#;
    for (one, expected) in [
        // Of Laplace noise of scales 2 and 1 alone, but for a key that is released with probability e^{−9.5}/2: (e^{−1/4} − e^{−1/2})/2 at the prior 1/2.
        (
            releases,
            Some((-0.25f64).exp() / 2.0 - (-0.5f64).exp() / 2.0),
        ),
        (r#"{"kind":"top-k","k":3,"epsilon":"0.5"}"#, None),
    ] {
        let file = crate::input::mechanism_from_bytes("test", other.as_bytes()).unwrap();
        let query = Query::delta_symmetric(file.mechanism, file.adjacency);
        let [low, high] = ends(&ask(one, &query));
        let compared = resources(|resources| {
            let (one, other) = (subject(one), subject(other));
            ends(
                &one.compare(&other, &Contrast::Symmetric, &width(1, 1000), resources)
                    .unwrap(),
            )
        });
        assert!((low - compared[0]).abs() < 1e-9 && (high - compared[1]).abs() < 1e-9);
        if let Some(expected) = expected {
            assert!(
                (low - expected).abs() < 1e-3 && high < low * 1.01,
                "{low} {high} {expected}"
            );
        }
        assert!(low > 0.0 && high < 0.5, "{low} {high}");
    }
}

/// Three records under (ε, δ)-DP: no Gaussian mechanism reveals as much, so that the regret of the least one is the whole risk.
#[test]
fn the_regret_of_no_gaussian_is_the_risk() {
    let text =
        r#"{"kind":"group","records":3,"of":{"kind":"approx-dp","epsilon":"0.3","delta":"1e-6"}}"#;
    let regret = ends(&ask(text, &Query::regret_of_strict_mu()));
    let risk = ends(&ask(text, &Query::minimax_risk()));
    assert!(
        (regret[0] - risk[0]).abs() < 1e-6 && (regret[1] - risk[1]).abs() < 1e-6,
        "{regret:?} {risk:?}"
    );
    assert!(risk[0] > 0.28 && risk[1] < 0.33, "{risk:?}");
}
