//! What valid inputs mean.

use dpcmp::{
    input::{MechanismFile, claim_file_from_bytes, is_inline, mechanism_from_bytes},
    mechanism::{
        Adjacency, Epsilon, Kind, Mechanism, OutOfRange,
        kind::{DiscreteGaussian, DiscreteLaplace, Sensitivity},
    },
    statement::Claim,
};
use rug::Rational;

fn read(text: &str) -> MechanismFile {
    mechanism_from_bytes("file", text.as_bytes())
        .unwrap_or_else(|error| panic!("{}", error.render(false)))
}

fn rational(numerator: i64, denominator: i64) -> Rational {
    Rational::from((numerator, denominator))
}

fn bounded<K: Into<Kind>>(kind: Result<K, OutOfRange>) -> Mechanism {
    Mechanism::new(kind.unwrap()).unwrap()
}

fn gaussian(sigma: Rational) -> Mechanism {
    Mechanism::gaussian_sum(sigma, Rational::from(1)).unwrap()
}

fn steps(sigma: Rational, rate: Rational, times: u64) -> (Mechanism, u64) {
    (Mechanism::subsampled(rate, gaussian(sigma)).unwrap(), times)
}

const EXAMPLE: &str = r#"title = "De et al. 2022, CIFAR-10 WRN-40-4"
source = "arXiv 2204.13650, Table 14"
[mechanism]
kind = "dp-sgd"
noise-multiplier = 9.4
sample-rate = "16384/50000"
steps = 2000
[[claim]]
kind = "approx-dp"      # δ(epsilon) ≤ delta
epsilon = 8
delta = 1e-5
[[claim]]
kind = "gdp"            # Δ(G_mu ‖ M) ≤ tolerance; tolerance = 0 is the strict claim G_mu ≤ f
mu = 1.57
tolerance = 1e-10
"#;

#[test]
fn the_claim_file_of_the_manual() {
    let file = claim_file_from_bytes("example.toml", EXAMPLE.as_bytes()).unwrap();
    assert_eq!(
        file.title.as_deref(),
        Some("De et al. 2022, CIFAR-10 WRN-40-4")
    );
    assert_eq!(file.source.as_deref(), Some("arXiv 2204.13650, Table 14"));
    let of = vec![steps(rational(47, 5), rational(1024, 3125), 2000)];
    assert_eq!(file.mechanism.mechanism, Mechanism::compose(of).unwrap());
    assert_eq!(file.mechanism.adjacency, Adjacency::AddRemove);
    let expected = [
        Claim::approx_dp(8, "1e-5").unwrap(),
        Claim::gdp_up_to("1.57", "1e-10").unwrap(),
    ];
    assert_eq!(
        file.claims
            .iter()
            .map(|entry| entry.claim.clone())
            .collect::<Vec<_>>(),
        expected
    );
    assert_eq!(
        file.claims
            .iter()
            .map(|entry| entry.line)
            .collect::<Vec<_>>(),
        [8, 12]
    );
    assert_eq!(file.claims[1].number_text("mu"), Some("1.57"));
    assert_eq!(file.claims[0].number_text("delta"), Some("1e-5"));
    // As MECH, a claim file is its mechanism, with or without claims.
    assert_eq!(read(EXAMPLE), file.mechanism);
    assert_eq!(
        read(EXAMPLE.split("[[claim]]").next().unwrap()),
        file.mechanism
    );
}

#[test]
fn defaults_and_notations_of_mechanisms() {
    let one = || Rational::from(1);
    let cases = [
        (
            "kind='gaussian'\nsigma=2",
            Mechanism::gaussian(rational(2, 1), one()).unwrap(),
        ),
        (
            "kind='gaussian'\nnoise-multiplier='2'",
            gaussian(rational(2, 1)),
        ),
        (
            "kind='gaussian'\nsigma=2\nsensitivity=0.5",
            Mechanism::gaussian(rational(2, 1), rational(1, 2)).unwrap(),
        ),
        (
            "kind='laplace'\nscale=1",
            Mechanism::laplace(one(), one()).unwrap(),
        ),
        (
            "kind='discrete-laplace'\nscale=1",
            Mechanism::discrete_laplace(one(), 1).unwrap(),
        ),
        (
            "kind='discrete-gaussian'\nsigma=1\nsensitivity='3'",
            Mechanism::discrete_gaussian(one(), 3).unwrap(),
        ),
        (
            "kind='randomized-response'\nepsilon=0",
            Mechanism::randomized_response(Rational::new(), 2).unwrap(),
        ),
        (
            "kind='pure-dp'\nepsilon=1",
            Mechanism::pure_dp(one()).unwrap(),
        ),
        (
            "kind='subsampled'\nrate=1\nof.kind='gdp'\nof.mu=1",
            Mechanism::subsampled(one(), Mechanism::gdp(one()).unwrap()).unwrap(),
        ),
        (
            "kind='profile'\npoints=[[0,'1/2'],[-1,0.64]]",
            Mechanism::profile(vec![
                (rational(0, 1), rational(1, 2)),
                (rational(-1, 1), rational(16, 25)),
            ])
            .unwrap(),
        ),
        (
            "kind='dp-sgd'\nphases=[{noise-multiplier=1,sample-rate=0.5,steps=2},{noise-multiplier=2,sample-rate=1,steps=1e12}]",
            Mechanism::compose(vec![
                steps(one(), rational(1, 2), 2),
                steps(rational(2, 1), one(), 1_000_000_000_000),
            ])
            .unwrap(),
        ),
        (
            "kind='compose'\nsampling='poisson'\n[[of]]\nkind='dp-sgd'\nnoise-multiplier=1\nsample-rate=0.5\nsteps=2\ntimes=3",
            Mechanism::compose(vec![(
                Mechanism::compose(vec![steps(one(), rational(1, 2), 2)]).unwrap(),
                3,
            )])
            .unwrap(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).mechanism, expected, "{text}");
    }
}

#[test]
fn epochs_become_steps_and_are_noted() {
    let file = read("kind='dp-sgd'\nnoise-multiplier=1\nepochs=3\nbatch-size=4\ndataset-size=10");
    let of = vec![steps(rational(1, 1), rational(2, 5), 9)];
    assert_eq!(file.mechanism, Mechanism::compose(of).unwrap());
    assert_eq!(
        file.notes,
        ["steps = epochs·⌈n/b⌉ = 3·⌈10/4⌉ = 9; sample-rate = b/n = 4/10"]
    );
}

#[test]
fn opacus_states() {
    let text = r#"{"history": [[1.1, 0.01, 1000], [0.9, 0.02, 5]], "mechanism": "prv"}"#;
    let of = vec![
        steps(rational(11, 10), rational(1, 100), 1000),
        steps(rational(9, 10), rational(1, 50), 5),
    ];
    let file = read(text);
    assert_eq!(file.mechanism, Mechanism::compose(of).unwrap());
    assert_eq!(
        file.notes,
        ["read from an Opacus accountant state (accountant \"prv\"), 2 phases"]
    );
    let checkpoint = format!(
        r#"{{"module_state_dict": {{"w": [1.5]}}, "privacy_accountant_state_dict": {text}, "epoch": 3}}"#
    );
    assert_eq!(read(&checkpoint), file);
    let inside = format!(
        r#"{{"mechanism": {text}, "claim": {{"kind": "approx-dp", "epsilon": 1, "delta": 0.1}}}}"#
    );
    assert_eq!(
        claim_file_from_bytes("f", inside.as_bytes())
            .unwrap()
            .mechanism,
        file
    );
}

/// The texts are `json.dumps` of dp_accounting 0.6.0: of the named tuple, of its `_asdict()`, and of a
/// recursive `_asdict()`.
#[test]
fn dp_events() {
    let sampled = steps(rational(11, 10), rational(1, 100), 1000);
    let expected = Mechanism::compose(vec![sampled]).unwrap();
    for text in [
        r#"["dp_accounting.dp_event", "SelfComposedDpEvent", ["dp_accounting.dp_event", "PoissonSampledDpEvent", 0.01, ["dp_accounting.dp_event", "GaussianDpEvent", 1.1]], 1000]"#,
        r#"{"module_name": "dp_accounting.dp_event", "class_name": "SelfComposedDpEvent", "event": ["dp_accounting.dp_event", "PoissonSampledDpEvent", 0.01, ["dp_accounting.dp_event", "GaussianDpEvent", 1.1]], "count": 1000}"#,
        r#"{"module_name": "dp_accounting.dp_event", "class_name": "SelfComposedDpEvent", "event": {"module_name": "dp_accounting.dp_event", "class_name": "PoissonSampledDpEvent", "sampling_probability": 0.01, "event": {"module_name": "dp_accounting.dp_event", "class_name": "GaussianDpEvent", "noise_multiplier": 1.1}}, "count": 1000}"#,
    ] {
        assert_eq!(read(text).mechanism, expected);
        let claim = r#""claim": [{"kind": "pure-dp", "epsilon": 1}]"#;
        let inside = format!("{{\"mechanism\": {text}, {claim}}}");
        assert_eq!(
            claim_file_from_bytes("f", inside.as_bytes())
                .unwrap()
                .mechanism,
            read(text)
        );
    }
    let perfect = Mechanism::pure_dp(Rational::new()).unwrap();
    let cases = [
        (
            r#"["dp_accounting.dp_event", "ComposedDpEvent", [["dp_accounting.dp_event", "GaussianDpEvent", 1.0], ["dp_accounting.dp_event", "LaplaceDpEvent", 2.0], ["dp_accounting.dp_event", "NoOpDpEvent"]]]"#,
            Mechanism::compose(vec![
                (gaussian(rational(1, 1)), 1),
                (
                    Mechanism::laplace_sum(rational(2, 1), rational(1, 1)).unwrap(),
                    1,
                ),
            ])
            .unwrap(),
        ),
        (r#"["m", "NoOpDpEvent"]"#, perfect.clone()),
        (r#"["m", "ComposedDpEvent", []]"#, perfect.clone()),
        (
            r#"["m", "PoissonSampledDpEvent", 0.0, ["m", "GaussianDpEvent", 1.0]]"#,
            perfect.clone(),
        ),
        (
            r#"["m", "SelfComposedDpEvent", ["m", "GaussianDpEvent", 1.0], 0]"#,
            perfect,
        ),
        (
            r#"["m", "ZCDpEvent", 0.5, 0.0]"#,
            Mechanism::zcdp(rational(1, 2)).unwrap(),
        ),
        (
            r#"["m", "DiscreteLaplaceDpEvent", 0.25, 2]"#,
            bounded(DiscreteLaplace::new(
                rational(4, 1),
                Sensitivity::RecordBound(2),
            )),
        ),
        (
            // Truth 1 − 0.3 + 0.1 = 0.8, each of the two lies 0.1.
            r#"["m", "RandomizedResponseDpEvent", 0.3, 3]"#,
            Mechanism::randomized_response(Epsilon::log_of(rational(8, 1)).unwrap(), 3).unwrap(),
        ),
        (
            r#"["m", "DiscreteGaussianDpEvent", 3.5, 2.0, 1]"#,
            bounded(DiscreteGaussian::new(
                rational(7, 2),
                Sensitivity::RecordBound(2),
            )),
        ),
        (
            r#"["m", "EpsilonDeltaDpEvent", 0.5, 1e-5]"#,
            Mechanism::approx_dp(rational(1, 2), rational(1, 100_000)).unwrap(),
        ),
        (
            r#"["m", "MixtureOfGaussiansDpEvent", 2.0, [0.0, 1.0], [0.75, 0.25]]"#,
            Mechanism::gaussian_mixture(
                rational(2, 1),
                vec![rational(0, 1), rational(1, 1)],
                vec![rational(3, 4), rational(1, 4)],
            )
            .unwrap(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).mechanism, expected, "{text}");
    }
}

/// The relation beside an event decides what the pair is.
#[test]
fn events_with_a_neighbouring_relation() {
    let noise = r#"["m", "GaussianDpEvent", 2.0]"#;
    for (word, adjacency) in [
        ("ADD_OR_REMOVE_ONE", Adjacency::AddRemove),
        ("REPLACE_ONE", Adjacency::ReplaceOne),
        ("REPLACE_SPECIAL", Adjacency::ReplaceSpecial),
    ] {
        let file = read(&format!(
            r#"{{"event": {noise}, "neighboring-relation": "{word}"}}"#
        ));
        assert_eq!(file.adjacency, adjacency);
        let expected = gaussian(rational(2, 1)).under(adjacency.relation());
        assert_eq!(file.mechanism, expected.unwrap());
        let mu_squared = file.mechanism.steps().mu_squared();
        let twice = adjacency == Adjacency::ReplaceOne;
        assert_eq!(mu_squared, rational(if twice { 4 } else { 1 }, 4));
    }
    assert_eq!(
        read(&format!(r#"{{"event": {noise}}}"#)).adjacency,
        Adjacency::AddRemove
    );
    // Without noise a response is the truth; with a special record it is any answer, however little noise there is.
    for (word, by_chance) in [("REPLACE_ONE", 0), ("REPLACE_SPECIAL", 1)] {
        let event = r#"["m", "RandomizedResponseDpEvent", 0, 4]"#;
        let file = read(&format!(
            r#"{{"event": {event}, "neighboring-relation": "{word}"}}"#
        ));
        let p = vec![rational(by_chance, 4), rational(4 - by_chance, 4)];
        let pair = Mechanism::finite(p, vec![rational(1, 1), rational(0, 1)]);
        let expected = pair.unwrap().under(file.adjacency.relation());
        assert_eq!(file.mechanism, expected.unwrap());
    }
    let wrong = r#"{"event": ["m", "NoOpDpEvent"], "neighboring-relation": "REPLACE"}"#;
    assert!(mechanism_from_bytes("f", wrong.as_bytes()).is_err());
}

#[test]
fn inline_mechanisms_are_told_from_file_names() {
    for text in [
        "{\"kind\":\"gdp\"}",
        " [\"m\", \"NoOpDpEvent\"]",
        "kind='gdp'\nmu=1",
        "mechanism.kind='gdp'",
    ] {
        assert!(is_inline(text), "{text}");
    }
    for text in ["claim.toml", "../a/b.json", "-", ""] {
        assert!(!is_inline(text), "{text}");
    }
}
