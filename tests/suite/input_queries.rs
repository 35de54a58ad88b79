//! Claims and queries from the command line and from batch lines.

use dpcmp::input::{
    Claim, GdpForm, MechanismFile, Prior, Query, RegretMu, RenyiOrder, batch_line,
    mechanism_from_bytes,
};
use dpcmp::mechanism::Epsilon;
use rug::Rational;

fn read(text: &str) -> MechanismFile {
    mechanism_from_bytes("file", text.as_bytes())
        .unwrap_or_else(|error| panic!("{}", error.render(false)))
}

fn rational(numerator: i64, denominator: i64) -> Rational {
    Rational::from((numerator, denominator))
}

#[test]
fn claims_from_arguments() {
    let half = || rational(1, 2);
    let cases = [
        (
            "pure-dp:epsilon=1/2",
            Claim::PureDp {
                epsilon: half().into(),
            },
        ),
        (
            "pure-dp:exp-epsilon=3/2",
            Claim::PureDp {
                epsilon: Epsilon::log_of(rational(3, 2)).unwrap(),
            },
        ),
        (
            "approx-dp:exp-epsilon=1/2,delta=1",
            Claim::ApproxDp {
                epsilon: Epsilon::log_of(half()).unwrap(),
                delta: rational(1, 1),
            },
        ),
        (
            "approx-dp:epsilon=-1/2,delta=1",
            Claim::ApproxDp {
                epsilon: (-half()).into(),
                delta: rational(1, 1),
            },
        ),
        (
            "gdp:mu=1/2",
            Claim::Gdp {
                mu: half(),
                form: GdpForm::Strict,
            },
        ),
        (
            "gdp:mu=1/2,tolerance=0",
            Claim::Gdp {
                mu: half(),
                form: GdpForm::Strict,
            },
        ),
        (
            "gdp:mu=1/2,error-floor=0.25",
            Claim::Gdp {
                mu: half(),
                form: GdpForm::ErrorFloor(rational(1, 4)),
            },
        ),
        (
            "regret:mu=1/2,at-most=1",
            Claim::Regret {
                mu: half(),
                at_most: rational(1, 1),
            },
        ),
        ("zcdp:rho=.5", Claim::Zcdp { rho: half() }),
        (
            "rdp:order=3/2,epsilon=.5",
            Claim::Rdp {
                order: rational(3, 2),
                epsilon: half(),
            },
        ),
        ("advantage:at-most=.5", Claim::Advantage { at_most: half() }),
        (
            "trade-off:alpha=.5,beta=0",
            Claim::TradeOff {
                alpha: half(),
                beta: Rational::new(),
            },
        ),
        (
            "dominated-by:mechanism={\"kind\":\"gdp\",\"mu\":1},at-most=.5",
            Claim::DominatedBy {
                mechanism: Box::new(read("kind='gdp'\nmu=1")),
                at_most: half(),
            },
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(Claim::from_argument(text), Ok(expected), "{text}");
    }
}

#[test]
fn queries_as_argument_and_as_json() {
    let half = || rational(1, 2);
    let other = || Box::new(read("kind='gdp'\nmu=1\nadjacency='add'"));
    let gdp = r#"{"kind":"gdp","mu":1,"adjacency":"add"}"#;
    let with_other = |kind: &str, rest: &str| format!("{kind}:other={gdp}{rest}");
    let weighted = |prior: Prior| Query::WeightedDelta {
        other: other(),
        prior,
    };
    let cases = [
        (
            "delta:epsilon=-1/2".to_owned(),
            Query::Delta(Epsilon::from(-half())),
        ),
        (
            "delta:exp-epsilon=1/2".to_owned(),
            Query::Delta(Epsilon::log_of(half()).unwrap()),
        ),
        (
            "epsilon:delta=1/2".to_owned(),
            Query::Epsilon { delta: half() },
        ),
        (
            "tradeoff:alpha=1/2".to_owned(),
            Query::Tradeoff { alpha: half() },
        ),
        ("advantage".to_owned(), Query::Advantage),
        (
            "bayes-error:prior=1/2".to_owned(),
            Query::BayesError { prior: half() },
        ),
        ("minimax-risk".to_owned(), Query::MinimaxRisk),
        ("gdp-mu".to_owned(), Query::GdpMu(GdpForm::Strict)),
        (
            "gdp-mu:tolerance=1/4".to_owned(),
            Query::GdpMu(GdpForm::Tolerance(rational(1, 4))),
        ),
        (
            "gdp-mu:error-floor=1/4".to_owned(),
            Query::GdpMu(GdpForm::ErrorFloor(rational(1, 4))),
        ),
        (
            "regret:mu=1/2".to_owned(),
            Query::Regret(RegretMu::At(half())),
        ),
        (
            "regret:mu=mu_star".to_owned(),
            Query::Regret(RegretMu::MuStar),
        ),
        (
            with_other("delta-divergence", ""),
            Query::DeltaDivergence { other: other() },
        ),
        (
            with_other("delta-symmetric", ""),
            Query::DeltaSymmetric { other: other() },
        ),
        (
            with_other("weighted-delta", ",prior=jeffreys"),
            weighted(Prior::jeffreys()),
        ),
        (
            with_other("weighted-delta", ",prior={\"kind\":\"uniform\"}"),
            weighted(Prior::Uniform),
        ),
        (
            with_other("weighted-delta", ",prior={\"kind\":\"uquadratic\"}"),
            weighted(Prior::UQuadratic),
        ),
        (
            with_other(
                "weighted-delta",
                ",prior={\"kind\":\"beta\",\"a\":2,\"b\":\"1/2\"}",
            ),
            weighted(Prior::Beta {
                a: rational(2, 1),
                b: half(),
            }),
        ),
        (
            with_other(
                "weighted-delta",
                ",prior={\"kind\":\"table\",\"points\":[[0,1],[1,\"1/2\"]]}",
            ),
            weighted(Prior::Table(vec![
                (Rational::new(), rational(1, 1)),
                (rational(1, 1), half()),
            ])),
        ),
        (
            "renyi:order=3/2".to_owned(),
            Query::Renyi {
                order: RenyiOrder::Finite(rational(3, 2)),
            },
        ),
        (
            "renyi:order=inf".to_owned(),
            Query::Renyi {
                order: RenyiOrder::Infinite,
            },
        ),
        ("zcdp-rho".to_owned(), Query::ZcdpRho),
    ];
    for (text, expected) in cases {
        assert_eq!(
            Query::from_argument(&text).as_ref(),
            Ok(&expected),
            "{text}"
        );
        assert!(text.starts_with(expected.kind()));
        let line = format!(
            r#"{{"id": [1, "x"], "mechanism": {gdp}, "query": {}}}"#,
            as_json(&text)
        );
        let line = batch_line("batch", 1, line.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((line.id.as_str(), line.query), (r#"[1, "x"]"#, expected));
        assert_eq!(line.mechanism, *other());
    }
}

/// The JSON form of an argument whose plain values hold no comma.
fn as_json(argument: &str) -> String {
    let (kind, keys) = argument.split_once(':').unwrap_or((argument, ""));
    let mut json = format!("{{\"kind\":\"{kind}\"");
    let mut rest = keys;
    while let Some((key, value)) = rest.split_once('=') {
        let length = match value.starts_with('{') {
            true => closing_brace(value) + 1,
            false => value.find(',').unwrap_or(value.len()),
        };
        let (value, after) = value.split_at(length);
        let value = if value.starts_with('{') {
            value.to_owned()
        } else {
            format!("\"{value}\"")
        };
        json.push_str(&format!(",\"{key}\":{value}"));
        rest = after.trim_start_matches(',');
    }
    json + "}"
}

fn closing_brace(text: &str) -> usize {
    let mut depth = 0;
    text.find(|character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        depth == 0
    })
    .unwrap()
}

#[test]
fn ids_are_echoed_as_they_are_written() {
    for id in ["1", "1.50", "\"é\\u0041\"", "null", "{\"a\": [1 ,2]}"] {
        let broken = format!(r#"{{"id": {id}, "mechanism": {{"kind": "gdp"}}}}"#);
        assert_eq!(
            batch_line("batch", 1, broken.as_bytes()).unwrap_err().id,
            id
        );
    }
    assert_eq!(batch_line("batch", 1, b"{").unwrap_err().id, "null");
}

#[test]
fn extra_keys_of_a_batch_line_are_notes() {
    let line = br#"{"mechanism": {"kind": "gdp", "mu": 1}, "query": {"kind": "advantage"}, "truth": [1, 2]}"#;
    let line = batch_line("batch", 1, line).unwrap();
    assert_eq!(line.id, "null");
    assert_eq!(line.notes, [("truth".to_owned(), "[1, 2]".to_owned())]);
}

/// Both spellings are one query.
#[test]
fn a_trade_off_has_two_spellings() {
    let read = |text: &str| Query::from_argument(text).unwrap();
    assert_eq!(read("trade-off:alpha=1/2"), read("tradeoff:alpha=1/2"));
    let line =
        br#"{"id":1,"mechanism":{"kind":"gdp","mu":1},"query":{"kind":"trade-off","alpha":"1/2"}}"#;
    let line = batch_line("test", 1, line).unwrap();
    assert_eq!(line.query, read("tradeoff:alpha=1/2"));
}
