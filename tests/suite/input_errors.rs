//! Every error of the input layer, as people see it. The snapshots under `tests/suite/snapshots` are the
//! reference; after a deliberate change of wording, look at the difference and accept it with
//! `INSTA_UPDATE=always`.

use std::fmt::Write;

use dpcmp::input::{
    ErrorCode, InputError, batch_line, claim_file_from_bytes, claims_from_jsonl,
    mechanism_from_bytes,
};
use dpcmp::statement::{Claim, Query};

/// The renderings of all cases, each of which must fail with the stated code.
fn gallery<T>(cases: &[(ErrorCode, &str)], read: impl Fn(&str) -> Result<T, InputError>) -> String {
    let mut page = String::new();
    for (code, text) in cases {
        let Err(error) = read(text) else {
            panic!("accepted: {text}")
        };
        assert_eq!(error.code(), *code, "{text}\n{}", error.render(false));
        writeln!(page, "[{code}] {error}\n{}\n", error.render(false)).unwrap();
    }
    page
}

fn mechanism(text: &str) -> Result<dpcmp::input::MechanismFile, InputError> {
    mechanism_from_bytes("file", text.as_bytes())
}

#[test]
fn syntax() {
    use ErrorCode::*;
    let cases = [
        (Syntax, ""),
        (Syntax, " \r\n\t"),
        (Syntax, "{\"kind\": \"gdp\", \"mu\": 1"),
        (Syntax, "{\"kind\": \"gdp\" \"mu\": 1}"),
        (Syntax, "{kind = \"gdp\", mu = 1}"),
        (Syntax, "{\"kind\": \"gdp\", \"mu\": NaN}"),
        (Syntax, "{\"kind\": \"gdp\", \"mu\": .5}"),
        (Syntax, "{\"kind\": \"gdp\", \"mu\": -Infinity}"),
        (Syntax, "{\"kind\": \"gdp\", \"mu\": 1/2}"),
        (Syntax, "{\"kind\": \"gdp\", \"mu\": 007}"),
        (Syntax, "{\"kind\": \"gdp}"),
        (Syntax, "{\"kind\": \"g\\dp\"}"),
        (Syntax, "{\"kind\": \"g\u{7}dp\"}"),
        (Syntax, "{\"kind\": \"gdp\", \"mu\": 1} trailing"),
        (DuplicateKey, "{\"kind\": \"gdp\", \"mu\": 1, \"mu\": 2}"),
        (Syntax, "kind = \"gdp\"\nmu = 1/2\n"),
        (Syntax, "kind = \"gdp\"\nmu = \n"),
        (Syntax, "kind = gdp\n"),
        (Syntax, "[mechanism\nkind = \"gdp\"\n"),
        (DuplicateKey, "kind = \"gdp\"\nmu = 1\nmu = 2\n"),
        (WrongType, "kind = \"gdp\"\nmu = 2024-01-01\n"),
    ];
    insta::assert_snapshot!(gallery(&cases, mechanism));
}

#[test]
fn numbers() {
    use ErrorCode::*;
    let gdp = |mu: &str| format!("kind = \"gdp\"\nmu = {mu}\n");
    let long = format!("\"{}\"", "1".repeat(1001));
    let texts = [
        (Number, "nan"),
        (Number, "-inf"),
        (Number, "0x10"),
        (Number, "\"\""),
        (Number, "\"one\""),
        (Number, "\"1,5\""),
        (Number, "\"1/0\""),
        (Number, "\"1/2/3\""),
        (TooLarge, "1e20001"),
        (TooLarge, "1e-999999999999999999999"),
        (TooLarge, long.as_str()),
        (WrongType, "true"),
        (WrongType, "[1]"),
        (WrongType, "{ value = 1 }"),
        (Range, "-1"),
    ];
    let inputs: Vec<(ErrorCode, String)> = texts
        .into_iter()
        .map(|(code, text)| (code, gdp(text)))
        .collect();
    let cases: Vec<(ErrorCode, &str)> = inputs
        .iter()
        .map(|(code, text)| (*code, text.as_str()))
        .collect();
    insta::assert_snapshot!(gallery(&cases, mechanism));
}

#[test]
fn keys() {
    use ErrorCode::*;
    let cases = [
        (UnknownKey, "kind = \"gaussian\"\nnoise_multiplier = 1\n"),
        (UnknownKey, "kind = \"gaussian\"\nsigma = 1\nfoo = 2\n"),
        (UnknownKey, "knid = \"gaussian\"\nsigma = 1\n"),
        (UnknownKey, "kind = \"gaussian\"\nsigma = 1\ntimes = 2\n"),
        (
            UnknownKey,
            "kind = \"gaussian\"\nsigma = 1\nsampling = \"poisson\"\n",
        ),
        (
            UnknownKey,
            "kind = \"compose\"\n[[of]]\nkind = \"gaussian\"\nsigma = 1\nadjacency = \"add\"\n",
        ),
        (
            UnknownKey,
            "kind = \"subsampled\"\nrate = 0.1\nof = { kind = \"gdp\", mu = 1, times = 3 }\n",
        ),
        (
            UnknownKey,
            "adjacency = \"add\"\n[mechanism]\nkind = \"gdp\"\nmu = 1\n",
        ),
        (MissingKey, "kind = \"gaussian\"\n"),
        (MissingKey, "kind = \"approx-dp\"\nepsilon = 1\n"),
        (MissingKey, "title = \"nothing else\"\n"),
        (MissingKey, "[mechanism]\nsigma = 1\n"),
        (UnknownKind, "kind = \"guassian\"\nsigma = 1\n"),
        (UnknownKind, "kind = \"noisy-query\"\nepsilon = 1\n"),
        (WrongType, "kind = 3\n"),
        (WrongType, "mechanism = 3\n"),
        (
            Unsupported,
            "kind = \"gdp\"\nmu = 1\nadjacency = \"add_remove\"\n",
        ),
        (
            Unsupported,
            "kind = \"gdp\"\nmu = 1\nadjacency = \"replace\"\n",
        ),
        (
            Conflict,
            "kind = \"gaussian\"\nsigma = 1\nnoise-multiplier = 1\n",
        ),
        (
            Conflict,
            "kind = \"gaussian\"\nnoise-multiplier = 1\nsensitivity = 2\n",
        ),
        (
            Conflict,
            "kind = \"gaussian\"\nmu-squared = 1\nsensitivity = 2\n",
        ),
        (
            Conflict,
            "kind = \"gaussian\"\nmu-squared = 1\nnoise-multiplier = 2\n",
        ),
        (Range, "kind = \"gaussian\"\nmu-squared = 0\n"),
        (
            Conflict,
            "kind = \"pure-dp\"\nepsilon = 1\nexp-epsilon = 2\n",
        ),
        (Range, "kind = \"pure-dp\"\nexp-epsilon = 0.5\n"),
        (
            MissingKey,
            "kind = \"profile\"\npoints = [{ exp-epsilon = 2 }]\n",
        ),
    ];
    insta::assert_snapshot!(gallery(&cases, mechanism));
}

#[test]
fn ranges_and_conditions() {
    use ErrorCode::*;
    let cases = [
        (Range, "kind = \"gaussian\"\nsigma = 0\n"),
        (Range, "kind = \"laplace\"\nscale = 1\nsensitivity = -1\n"),
        (
            Range,
            "kind = \"discrete-laplace\"\nscale = 1\nsensitivity = 1.5\n",
        ),
        (
            Range,
            "kind = \"discrete-gaussian\"\nsigma = 1\nsensitivity = 0\n",
        ),
        (
            Range,
            "kind = \"randomized-response\"\nepsilon = 1\nk = 1\n",
        ),
        (Range, "kind = \"approx-dp\"\nepsilon = 1\ndelta = 1.5\n"),
        (Range, "kind = \"rdp\"\norders = []\n"),
        (Range, "kind = \"rdp\"\norders = [[1, 0.5]]\n"),
        (WrongType, "kind = \"rdp\"\norders = [[2, 0.5, 3]]\n"),
        (WrongType, "kind = \"rdp\"\norders = 2\n"),
        (Range, "kind = \"finite\"\np = [0.3, 0.3, 0.3]\nq = [1]\n"),
        (
            Range,
            "kind = \"finite\"\np = [0.33333333333333333333333333333333333333333333333333]\nq = [1]\n",
        ),
        (
            Range,
            "kind = \"finite\"\np = [1, 0.00000000000000000000000000000000000000000000000001]\nq = [1]\n",
        ),
        (Range, "kind = \"finite\"\np = [1]\nq = [0.5, 0.5]\n"),
        (Range, "kind = \"finite\"\np = [1.5, -0.5]\nq = [1]\n"),
        (Range, "kind = \"finite\"\np = []\nq = []\n"),
        (
            Infeasible,
            "kind = \"profile\"\npoints = [[1, 0.1], [-1, 0.5]]\n",
        ),
        (Range, "kind = \"profile\"\npoints = [[1, 1.1]]\n"),
        (
            Range,
            "kind = \"subsampled\"\nrate = 0\nof = { kind = \"gdp\", mu = 1 }\n",
        ),
        (
            WrongType,
            "kind = \"subsampled\"\nrate = 0.5\nof = [{ kind = \"gdp\", mu = 1 }]\n",
        ),
        (
            Unsupported,
            "kind = \"subsampled\"\nrate = 0.5\nsampling = \"shuffle\"\nof = { kind = \"gdp\", mu = 1 }\n",
        ),
        (Range, "kind = \"compose\"\nof = []\n"),
        (
            Range,
            "kind = \"compose\"\nof = [{ kind = \"gdp\", mu = 1, times = 0 }]\n",
        ),
        (
            Range,
            "kind = \"compose\"\nof = [{ kind = \"gdp\", mu = 1, times = 2e12 }]\n",
        ),
        (
            Range,
            "kind = \"compose\"\n[[of]]\nkind = \"compose\"\ntimes = 1e12\nof = [{ kind = \"gdp\", mu = 1, times = 1e12 }]\n",
        ),
        (MissingKey, "kind = \"dp-sgd\"\n"),
        (MissingKey, "kind = \"dp-sgd\"\nnoise-multiplier = 1\n"),
        (
            MissingKey,
            "kind = \"dp-sgd\"\nnoise-multiplier = 1\nsteps = 3\n",
        ),
        (
            Conflict,
            "kind = \"dp-sgd\"\nnoise-multiplier = 1\nsteps = 3\nsample-rate = 0.1\nepochs = 2\n",
        ),
        (Conflict, "kind = \"dp-sgd\"\nsteps = 3\nphases = []\n"),
        (Range, "kind = \"dp-sgd\"\nphases = []\n"),
        (
            UnknownKey,
            "kind = \"dp-sgd\"\nphases = [{ noise-multiplier = 1, sample-rate = 0.1, step = 3 }]\n",
        ),
        (
            Range,
            "kind = \"dp-sgd\"\nnoise-multiplier = 1\nepochs = 1\nbatch-size = 11\ndataset-size = 10\n",
        ),
        (
            Range,
            "kind = \"dp-sgd\"\nnoise-multiplier = 1\nepochs = 1e12\nbatch-size = 1\ndataset-size = 10\n",
        ),
    ];
    insta::assert_snapshot!(gallery(&cases, mechanism));
}

#[test]
fn foreign_formats() {
    use ErrorCode::*;
    let cases = [
        (Range, r#"{"history": [], "mechanism": "rdp"}"#),
        (
            WrongType,
            r#"{"history": [[1.0, 0.1]], "mechanism": "rdp"}"#,
        ),
        (
            Range,
            r#"{"history": [[0.0, 0.1, 100]], "mechanism": "rdp"}"#,
        ),
        (
            Range,
            r#"{"history": [[1.0, 1.1, 100]], "mechanism": "rdp"}"#,
        ),
        (
            Range,
            r#"{"history": [[1.0, 0.1, 1.5]], "mechanism": "rdp"}"#,
        ),
        (
            UnknownKey,
            r#"{"history": [[1.0, 0.1, 15]], "mechanism": "rdp", "alphas": [2]}"#,
        ),
        (
            Unsupported,
            r#"["dp_accounting.dp_event", "NonPrivateDpEvent"]"#,
        ),
        (
            Unsupported,
            r#"{"module_name": "m", "class_name": "UnsupportedDpEvent"}"#,
        ),
        (
            Unsupported,
            r#"["m", "SampledWithoutReplacementDpEvent", 100, 10, ["m", "GaussianDpEvent", 1.0]]"#,
        ),
        (Range, r#"["m", "ZCDpEvent", 0.5, -0.1]"#),
        (Unsupported, r#"["m", "DiscreteGaussianDpEvent", 3.5]"#),
        (
            Unsupported,
            r#"["m", "DiscreteGaussianDpEvent", 3.5, 1.0, 2]"#,
        ),
        (Unsupported, r#"["m", "ExponentialMechanismDpEvent", 1.0]"#),
        (
            UnknownKey,
            r#"{"event": ["m", "NoOpDpEvent"], "relation": "REPLACE_ONE"}"#,
        ),
        (
            Unsupported,
            r#"{"event": ["m", "NoOpDpEvent"], "neighboring-relation": "REPLACE"}"#,
        ),
        (MissingKey, r#"["m", "GaussianDpEvent"]"#),
        (UnknownKey, r#"["m", "GaussianDpEvent", 1.0, 2.0]"#),
        (
            UnknownKey,
            r#"{"class_name": "GaussianDpEvent", "sigma": 1.0}"#,
        ),
        (WrongType, r#"["m", "SelfComposedDpEvent", 3, 4]"#),
        (WrongType, r#"["m", "SelfComposedDpEvent", [], 4]"#),
        (MissingKey, r#"["m", "SelfComposedDpEvent", {}, 4]"#),
        (
            Range,
            r#"["m", "PoissonSampledDpEvent", 1.5, ["m", "GaussianDpEvent", 1.0]]"#,
        ),
    ];
    insta::assert_snapshot!(gallery(&cases, mechanism));
}

#[test]
fn claim_files() {
    use ErrorCode::*;
    let with = |claim: &str| format!("[mechanism]\nkind = \"gdp\"\nmu = 1\n{claim}\n");
    let claims = [
        (MissingKey, ""),
        (MissingKey, "[[claim]]"),
        (UnknownKey, "[[claims]]\nkind = \"gdp\"\nmu = 1"),
        (UnknownKind, "[[claim]]\nkind = \"gpd\""),
        (
            UnknownKey,
            "[[claim]]\nkind = \"gdp\"\nmu = 1\ntolerence = 0.1",
        ),
        (
            Conflict,
            "[[claim]]\nkind = \"gdp\"\nmu = 1\ntolerance = 0.1\nerror-floor = 0.1",
        ),
        (Range, "[[claim]]\nkind = \"gdp\"\nmu = 1\ntolerance = 0.5"),
        (Range, "[[claim]]\nkind = \"gdp\"\nmu = 1\nerror-floor = 0"),
        (Range, "[[claim]]\nkind = \"pure-dp\"\nepsilon = -1"),
        (
            Range,
            "[[claim]]\nkind = \"approx-dp\"\nepsilon = -1\ndelta = -1e-9",
        ),
        (
            Range,
            "[[claim]]\nkind = \"trade-off\"\nalpha = 1.1\nbeta = 0",
        ),
        (Range, "[[claim]]\nkind = \"rdp\"\norder = 1\nepsilon = 0"),
        (
            MissingKey,
            "[[claim]]\nkind = \"dominated-by\"\nat-most = 0.1",
        ),
        (
            UnknownKind,
            "[[claim]]\nkind = \"dominated-by\"\nat-most = 0.1\nmechanism.kind = \"x\"",
        ),
        (WrongType, "[claim]\nkind = 1"),
    ];
    let inputs: Vec<(ErrorCode, String)> = claims
        .into_iter()
        .map(|(code, claim)| (code, with(claim)))
        .collect();
    let mut cases: Vec<(ErrorCode, &str)> = inputs
        .iter()
        .map(|(code, text)| (*code, text.as_str()))
        .collect();
    cases.extend([
        (MissingKey, "[[claim]]\nkind = \"gdp\"\nmu = 1\n"),
        (MissingKey, "kind = \"gdp\"\nmu = 1\n"),
        (
            WrongType,
            "title = 3\n[mechanism]\nkind = \"gdp\"\nmu = 1\n[claim]\nkind = \"gdp\"\nmu = 1\n",
        ),
        (
            WrongType,
            "mechanism.kind = \"gdp\"\nmechanism.mu = 1\nclaim = 3\n",
        ),
    ]);
    insta::assert_snapshot!(gallery(&cases, |text| claim_file_from_bytes(
        "file",
        text.as_bytes()
    )));
}

#[test]
fn arguments() {
    use ErrorCode::*;
    let cases = [
        (UnknownKind, ""),
        (UnknownKind, "deltas"),
        (Syntax, "delta:"),
        (Syntax, "delta:epsilon"),
        (Syntax, "delta:epsilon=1,"),
        (DuplicateKey, "delta:epsilon=1,epsilon=2"),
        (MissingKey, "delta"),
        (Conflict, "delta:epsilon=1,exp-epsilon=2"),
        (Range, "delta:exp-epsilon=0"),
        (Range, "epsilon:delta=-1"),
        (Range, "tradeoff:alpha=2"),
        (Range, "bayes-error:prior=2"),
        (UnknownKey, "advantage:epsilon=1"),
        (Number, "regret:mu=star"),
        (Range, "renyi:order=0"),
        (WrongType, "delta-divergence:other=gaussian"),
        (Syntax, "delta-divergence:other={\"kind\":\"gaussian\""),
        (
            Syntax,
            "delta-divergence:other={\"kind\":\"gdp\",\"mu\":1} x",
        ),
        (
            UnknownKind,
            "weighted-delta:other={\"kind\":\"gdp\",\"mu\":1},prior=normal",
        ),
        (
            Range,
            "weighted-delta:other={\"kind\":\"gdp\",\"mu\":1},prior={\"kind\":\"beta\",\"a\":0,\"b\":1}",
        ),
        (
            Range,
            "weighted-delta:other={\"kind\":\"gdp\",\"mu\":1},prior={\"kind\":\"table\",\"points\":[[0,1]]}",
        ),
        (
            Range,
            "weighted-delta:other={\"kind\":\"gdp\",\"mu\":1},prior={\"kind\":\"table\",\"points\":[[0,1],[0,2]]}",
        ),
    ];
    insta::assert_snapshot!(gallery(&cases, Query::from_argument));
    let error = Claim::from_argument("approx-dp:epsilon=1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "argument:1:1: the claim `approx-dp` needs `delta`"
    );
}

#[test]
fn batch_lines() {
    let cases = [
        (ErrorCode::Syntax, "{\"id\": 1"),
        (ErrorCode::WrongType, "[1]"),
        (ErrorCode::MissingKey, "{\"id\": 1}"),
        (
            ErrorCode::MissingKey,
            "{\"id\": 1, \"mechanism\": {\"kind\": \"gdp\", \"mu\": 1}}",
        ),
        (
            ErrorCode::Range,
            "{\"mechanism\": {\"kind\": \"gdp\", \"mu\": -1}, \"query\": {\"kind\": \"advantage\"}}",
        ),
        (
            ErrorCode::UnknownKind,
            "{\"mechanism\": {\"kind\": \"gdp\", \"mu\": 1}, \"query\": {\"kind\": \"privacy\"}}",
        ),
    ];
    insta::assert_snapshot!(gallery(&cases, |text| {
        batch_line("batch", 12, text.as_bytes()).map_err(|error| error.error)
    }));
}

#[test]
fn lines_of_a_jsonl_file_fail_alone() {
    let good =
        r#"{"id": 7, "mechanism": {"kind": "gdp", "mu": 1}, "claim": {"kind": "gdp", "mu": 1}}"#;
    let file = [
        good.as_bytes(),
        b"\r\n\n{\"mechanism\": \n\xff\n",
        good.as_bytes(),
    ]
    .concat();
    let lines: Vec<_> = claims_from_jsonl("claims.jsonl", &file).collect();
    let codes: Vec<_> = lines
        .iter()
        .map(|(line, result)| (*line, result.as_ref().err().map(InputError::code)))
        .collect();
    let expected = [
        (1, None),
        (3, Some(ErrorCode::Syntax)),
        (4, Some(ErrorCode::Encoding)),
        (5, None),
    ];
    assert_eq!(codes, expected);
    let second = lines[1].1.as_ref().unwrap_err();
    assert_eq!((second.line(), second.column()), (3, 15));
    let first = lines[0].1.as_ref().unwrap();
    assert_eq!(first.notes, [("id".to_owned(), "7".to_owned())]);
    assert_eq!((first.claims[0].line, first.claims[0].column), (1, 59));
}

#[test]
fn colours_are_only_in_the_styled_rendering() {
    let error = mechanism("kind = 1").unwrap_err();
    assert!(!error.render(false).contains('\u{1b}'));
    assert!(error.render(true).contains('\u{1b}'));
}
