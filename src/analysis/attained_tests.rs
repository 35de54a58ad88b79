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

/// The largest q − u·p of all tests of size p and power q with these Rényi guarantees in both orders, or that of the other order of the pair.
fn of_table(orders: &[(f64, f64)], u: f64) -> f64 {
    let holds = |q: f64, p: f64| {
        let of = |a: f64, b: f64, t: f64| {
            a.powf(t) * b.powf(1.0 - t) + (1.0 - a).powf(t) * (1.0 - b).powf(1.0 - t)
        };
        orders.iter().all(|(t, e)| {
            let most = ((t - 1.0) * e).exp();
            of(q, p, *t) <= most && of(p, q, *t) <= most
        })
    };
    let gain = |p: f64| {
        let (mut low, mut high) = (p, 1.0);
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if holds(middle, p) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low - u * p
    };
    (1..4_000)
        .map(|n| gain(f64::from(n) / 20_000.0))
        .fold(0.0, f64::max)
}

/// A composition with a class reveals no less than the class alone.
#[test]
fn a_class_and_a_little_noise() {
    let text = r#"{"kind":"compose","of":[{"kind":"rdp","orders":[[2,"0.1"],[4,"0.3"]]},{"kind":"gaussian","sigma":20}]}"#;
    let [low, high] = ends(&ask(text, &Query::delta(1).unwrap()));
    let alone = of_table(&[(2.0, 0.1), (4.0, 0.3)], 1f64.exp());
    assert!((alone - 0.008_204).abs() < 1e-5, "{alone}");
    assert!(low >= alone * 0.999 && low <= high, "{low} {alone} {high}");
    let concentrated =
        r#"{"kind":"compose","of":[{"kind":"zcdp","rho":"0.1"},{"kind":"gaussian","sigma":20}]}"#;
    let alone = ends(&ask(
        r#"{"kind":"zcdp","rho":"0.1"}"#,
        &Query::epsilon("1e-6").unwrap(),
    ));
    let both = ends(&ask(concentrated, &Query::epsilon("1e-6").unwrap()));
    assert!((alone[0] - 2.141_94).abs() < 3e-3, "{alone:?}");
    assert!(
        both[0] >= alone[0] - 1e-9 && both[1] > alone[1],
        "{both:?} {alone:?}"
    );
}

/// Divergences of a class and of what runs beside it add up, ρt being attained by the class at every order above 1; δ is no less than that of either alone, and no more than ρ says.
#[test]
fn classes_beside_other_noise() {
    let beside =
        |of: &str| format!(r#"{{"kind":"compose","of":[{{"kind":"zcdp","rho":"0.1"}},{of}]}}"#);
    let (e, t) = (0.5f64, 2.0f64);
    let laplace = (t / (2.0 * t - 1.0) * ((t - 1.0) * e).exp()
        + (t - 1.0) / (2.0 * t - 1.0) * (-t * e).exp())
    .ln();
    let response = ((e.exp().powi(2) + (-e).exp()) / (1.0 + e.exp())).ln();
    for (of, divergence) in [
        (r#"{"kind":"laplace","scale":2}"#, laplace),
        (r#"{"kind":"pure-dp","epsilon":"0.5"}"#, response),
        (r#"{"kind":"discrete-gaussian","sigma":2}"#, 0.25),
    ] {
        let text = beside(of);
        let [low, high] = ends(&ask(&text, &Query::renyi(2).unwrap()));
        let truth = 0.2 + divergence;
        assert!(
            low <= truth * (1.0 + 1e-9) && truth <= high * (1.0 + 1e-9),
            "{of}: {low} {truth} {high}"
        );
        assert!(high - low < 1e-6, "{of}: {low} {high}");
        let delta = Query::delta(1).unwrap();
        let [low, high] = ends(&ask(&text, &delta));
        for alone in [of, r#"{"kind":"zcdp","rho":"0.1"}"#] {
            assert!(high >= ends(&ask(alone, &delta))[0], "{of} {alone}");
        }
        assert!(low < high && high < 0.5, "{of}: {low} {high}");
        // Where the class says less than what stands beside it, and where it says more.
        for epsilon in ["1/10", "1/2", "1"] {
            let delta = Query::delta(epsilon).unwrap();
            let [low, high] = ends(&ask(&text, &delta));
            for alone in [of, r#"{"kind":"zcdp","rho":"0.1"}"#] {
                let least = ends(&ask(alone, &delta))[0];
                assert!(
                    low >= least * 0.999 && high >= least,
                    "{of} {alone} {epsilon}"
                );
            }
        }
    }
}

/// A step that is not symmetric beside a class, in each order of its pair; 0.0878 and 0.0676 by hand.
#[test]
fn a_step_of_one_order_beside_a_class() {
    let finite = r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/4","3/4"]}"#;
    let delta = Query::delta("1/2").unwrap();
    let odds = 0.5f64.exp();
    for (adjacency, truth) in [
        ("remove", 0.0f64.max(0.75 - odds * 0.5)),
        ("add", 0.5 - odds * 0.25),
    ] {
        let text = format!(
            r#"{{"kind":"compose","adjacency":"{adjacency}","of":[{{"kind":"zcdp","rho":"0.001"}},{finite}]}}"#
        );
        let [low, high] = ends(&ask(&text, &delta));
        assert!(
            low >= truth * 0.999 && low <= high,
            "{adjacency}: {low} {truth}"
        );
        assert!(adjacency == "add" || low < 0.01, "{low}");
    }
}

/// Classes of which P = Q add nothing: the largest loss, and all else, is that of what stands beside them.
#[test]
fn classes_that_say_nothing() {
    for class in [
        r#"{"kind":"zcdp","rho":0}"#,
        r#"{"kind":"rdp","orders":[[2,0]]}"#,
    ] {
        let text = format!(r#"{{"kind":"compose","of":[{class},{{"kind":"laplace","scale":2}}]}}"#);
        for (query, truth) in [
            (Query::max_loss(), 0.5),
            (Query::epsilon(0).unwrap(), 0.5),
            (Query::delta("1/4").unwrap(), 1.0 - (-0.125f64).exp()),
        ] {
            let [low, high] = ends(&ask(&text, &query));
            assert!(
                low <= truth + 1e-9 && truth - 1e-9 <= high && high - low < 1e-6,
                "{class} {low} {high}"
            );
        }
    }
}

/// A sample has a smaller largest loss than what runs on it, and so a smaller ρ: 0.01 and log(1 + (e^{1/2} − 1)/5)²/2.
#[test]
fn the_loss_of_a_sample_beside_a_class() {
    let text = r#"{"kind":"compose","of":[{"kind":"zcdp","rho":"1/100"},{"kind":"subsampled","rate":"1/5","of":{"kind":"laplace","scale":2}}]}"#;
    let epsilon = (0.5f64.exp_m1() / 5.0).ln_1p();
    let rho = 0.01 + epsilon * epsilon / 2.0;
    let class = format!(r#"{{"kind":"zcdp","rho":"{rho:.12}"}}"#);
    let query = Query::advantage();
    let [low, high] = ends(&ask(text, &query));
    let most = ends(&ask(&class, &query))[1];
    assert!(
        low < high && (high / most - 1.0).abs() < 1e-6,
        "{low} {high} {most}"
    );
}

/// Sampled Gaussian noise beside a class: divergences are sums there, too. On a sample a class has no more than means over who is drawn.
#[test]
fn classes_and_samples() {
    let zcdp = r#"{"kind":"zcdp","rho":"0.1"}"#;
    let sgd = r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":"0.1","steps":10}"#;
    let text = format!(r#"{{"kind":"compose","of":[{sgd},{zcdp}]}}"#);
    let two = Query::renyi(2).unwrap();
    let truth = 0.2 + 10.0 * (0.01 * 1f64.exp_m1()).ln_1p();
    let [low, high] = ends(&ask(&text, &two));
    assert!(
        low <= truth + 1e-9 && truth - 1e-9 <= high && high - low < 1e-6,
        "{low} {truth} {high}"
    );
    let sampled = format!(r#"{{"kind":"subsampled","rate":"0.1","of":{zcdp}}}"#);
    let [low, high] = ends(&ask(&sampled, &two));
    // No less than Gaussian noise of that rho on the sample.
    let attained = (0.01 * 0.2f64.exp_m1()).ln_1p();
    let most = (0.1 * 0.2f64.exp_m1()).ln_1p();
    assert!(
        low <= attained && attained <= high && high <= most + 1e-9,
        "{low} {attained} {high} {most}"
    );
}

/// No upper end of μ* is known: the regret is between that of the lower one and the risk.
#[test]
fn the_regret_of_a_mu_without_an_end() {
    let text = r#"{"kind":"private-selection","runs":{"kind":"geometric","mean":3},"of":{"kind":"zcdp","rho":"1/1000"}}"#;
    let mu = ends(&ask(text, &Query::gdp_mu()));
    assert!(mu[0] == 0.0 && mu[1].is_infinite(), "{mu:?}");
    let regret = ends(&ask(text, &Query::regret_of_strict_mu()));
    let risk = ends(&ask(text, &Query::minimax_risk()));
    assert!(risk[0] > 0.4 && regret[0] == 0.0, "{regret:?} {risk:?}");
    assert!((regret[1] - risk[1]).abs() < 1e-6, "{regret:?} {risk:?}");
}
