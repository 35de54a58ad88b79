//! Claims and queries from the command line and from batch lines.

use dpcmp::input::{MechanismFile, Prior, batch_line, mechanism_from_bytes};
use dpcmp::mechanism::{Adjacency, Epsilon};
use dpcmp::statement::{Claim, Query};
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
    let log = |n, d| Epsilon::log_of(rational(n, d)).unwrap();
    let cases = [
        ("pure-dp:epsilon=1/2", Claim::pure_dp(half())),
        ("pure-dp:exp-epsilon=3/2", Claim::pure_dp(log(3, 2))),
        (
            "approx-dp:exp-epsilon=1/2,delta=1",
            Claim::approx_dp(log(1, 2), 1),
        ),
        (
            "approx-dp:epsilon=-1/2,delta=1",
            Claim::approx_dp(-half(), 1),
        ),
        ("gdp:mu=1/2", Claim::gdp(half())),
        ("gdp:mu=1/2,tolerance=0", Claim::gdp(half())),
        ("gdp:mu=1/2,tolerance=0.25", Claim::gdp_up_to(half(), "1/4")),
        (
            "gdp:mu=1/2,error-floor=0.25",
            Claim::gdp_above(half(), "1/4"),
        ),
        ("regret:mu=1/2,at-most=1", Claim::regret(half(), 1)),
        ("zcdp:rho=.5", Claim::zcdp(half())),
        ("rdp:order=3/2,epsilon=.5", Claim::rdp("3/2", half())),
        ("advantage:at-most=.5", Claim::advantage(half())),
        ("trade-off:alpha=.5,beta=0", Claim::trade_off(half(), 0)),
        (
            "dominated-by:mechanism={\"kind\":\"gdp\",\"mu\":1},at-most=.5",
            Claim::dominated_by(
                read("kind='gdp'\nmu=1").mechanism,
                Adjacency::AddRemove,
                half(),
            ),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(Claim::from_argument(text), Ok(expected.unwrap()), "{text}");
    }
}

#[test]
fn queries_as_argument_and_as_json() {
    let half = || rational(1, 2);
    let other = || read("kind='gdp'\nmu=1\nadjacency='add'").mechanism;
    let add = Adjacency::Add;
    let gdp = r#"{"kind":"gdp","mu":1,"adjacency":"add"}"#;
    let with_other = |kind: &str, rest: &str| format!("{kind}:other={gdp}{rest}");
    let weighted = |text: &str, prior: Prior| {
        let text = with_other("weighted-delta", &format!(",prior={text}"));
        (text, Ok(Query::weighted_delta(other(), add, prior)))
    };
    let plain = |text: &str, query| (text.to_owned(), query);
    let table = vec![(Rational::new(), rational(1, 1)), (rational(1, 1), half())];
    let cases = [
        plain("delta:epsilon=-1/2", Query::delta("-1/2")),
        plain(
            "delta:exp-epsilon=1/2",
            Query::delta(Epsilon::log_of(half()).unwrap()),
        ),
        plain("epsilon:delta=1/2", Query::epsilon(half())),
        plain("tradeoff:alpha=1/2", Query::trade_off(half())),
        plain("advantage", Ok(Query::advantage())),
        plain("bayes-error:prior=1/2", Query::bayes_error(half())),
        plain("minimax-risk", Ok(Query::minimax_risk())),
        plain("gdp-mu", Ok(Query::gdp_mu())),
        plain("gdp-mu:tolerance=0", Ok(Query::gdp_mu())),
        plain("gdp-mu:tolerance=1/4", Query::gdp_mu_up_to("1/4")),
        plain("gdp-mu:error-floor=1/4", Query::gdp_mu_above("1/4")),
        plain("regret:mu=1/2", Query::regret(half())),
        plain("regret:mu=mu_star", Ok(Query::regret_of_strict_mu())),
        (
            with_other("delta-divergence", ""),
            Ok(Query::delta_divergence(other(), add)),
        ),
        (
            with_other("delta-symmetric", ""),
            Ok(Query::delta_symmetric(other(), add)),
        ),
        weighted("jeffreys", Prior::jeffreys()),
        weighted("{\"kind\":\"uniform\"}", Prior::uniform()),
        weighted("{\"kind\":\"uquadratic\"}", Prior::u_quadratic()),
        weighted(
            "{\"kind\":\"beta\",\"a\":2,\"b\":\"1/2\"}",
            Prior::beta(2, half()).unwrap(),
        ),
        weighted(
            "{\"kind\":\"table\",\"points\":[[0,1],[1,\"1/2\"]]}",
            Prior::table(table).unwrap(),
        ),
        plain("renyi:order=3/2", Query::renyi("3/2")),
        plain("renyi:order=inf", Ok(Query::max_divergence())),
        plain("zcdp-rho", Ok(Query::zcdp_rho())),
    ];
    for (text, expected) in cases {
        let expected = expected.unwrap();
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
        assert_eq!(line.mechanism.mechanism, other());
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
