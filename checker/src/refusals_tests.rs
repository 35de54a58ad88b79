//! What stands next to something valid and is refused, and the words in which an answer is given.

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::certificate::{Options, check};
use crate::claim::{Form, read};
use crate::condition::Condition;
use crate::law::{self, Side};
use crate::numbers::{number, whole};
use crate::proof::prove;
use crate::reason::{Reason, columns, one_line};
use crate::source::{Source, both_shown};
use crate::step::{Epsilon, Noise, Reports, Step};
use crate::theorem::by_noise;
use crate::toml::toml;
use crate::value::json;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

#[test]
fn numbers_as_they_are_written() {
    work::begin(None);
    for (text, expected) in [("1_000", q(1000, 1)), ("-2.5e1", q(-25, 1)), ("12e-1_0", q(12, 10_000_000_000))] {
        assert_eq!(number(text).unwrap(), expected, "{text}");
    }
    for text in ["", ".", "-", "1e", "e5", "1_", "_1", "1__0", "1_.5", "1.5_", "1e_1", "1e1_", "0x1"] {
        assert!(number(text).is_err(), "{text}");
    }
    let is_whole = |text: &str| whole(&json(text).unwrap(), "n", 2, 5);
    assert_eq!(is_whole("2").unwrap() + is_whole("5").unwrap(), 7);
    for text in ["1", "6", "2.5", "-2"] {
        assert!(is_whole(text).is_err(), "{text}");
    }
}

#[test]
fn texts_as_they_are_written() {
    work::begin(None);
    for text in [r#""a""#, r#"{"a":1.5e+3}"#, "[0,-0.5]"] {
        assert!(json(text).is_ok(), "{text}");
    }
    for text in [r#""a"""#, r#""a"b"#, "01", "[01.5]", "1.", "1.e5", "1e", "1.5x", "[1_0]"] {
        assert!(json(text).is_err(), "{text}");
    }
    // What one of the two languages has and the other has not.
    for (other, own) in [("[null]", "a = null"), ("{\"a\":1}", " = 1"), ("[1]", "a = { = 1 }"), ("[[]]", "a = [[]")] {
        assert!(json(other).is_ok() && toml(own).is_err(), "{other} {own}");
    }
    for (other, own) in
        [("{a:1}", "a = 1"), ("[1,]", "a = [1,]"), ("{\"a\":1,}", "a = { a = 1, }"), ("[1 #\n]", "a = [1 #\n]")]
    {
        assert!(json(other).is_err() && toml(own).is_ok(), "{other} {own}");
    }
    let hexadecimal = toml("a = \"\\x41b\"").unwrap();
    assert_eq!(hexadecimal.get("a").unwrap().text("a").unwrap(), "Ab");
    let quoted = toml("a = \"\"\"b\"\"\"\"\"").unwrap();
    assert_eq!(quoted.get("a").unwrap().text("a").unwrap(), "b\"\"");
    assert!(toml("a = 1_0").is_ok());
    for text in ["a = 1__0", "a = _1", "a = 1_", "a = 1_x", "a = 01"] {
        assert!(toml(text).is_err(), "{text}");
    }
    assert_eq!(["a", "…", "é"].map(|text| text.chars().map(columns).sum::<usize>()), [1, 1, 2]);
    assert_eq!(one_line("a  long title", 6), "a lon…");
}

fn source(bounds: &str, epsilons: &str, more: &str) -> Option<Source> {
    let list = |text: &str| text.split_whitespace().map(|x| format!("\"{x}\"")).collect::<Vec<_>>().join(",");
    let (bounds, epsilons) = (list(bounds), list(epsilons));
    let text = format!(r#"{{"direction":"remove","epsilons":[{epsilons}],"bounds":[{bounds}]{more}}}"#);
    Source::read(&json(&text).unwrap()).ok()
}

#[test]
fn sources_of_another_form() {
    work::begin(None);
    let read_laws = |step: &str| {
        let law =
            format!(r#","law":{{"light":2,"step":"{step}","parts":[{{"coarsen":[],"first":-4,"last":4,"level":0}}]}}"#);
        source("1", "1", &law)
    };
    assert!(read_laws("64").is_some() && read_laws("0.5").is_some());
    assert!(read_laws("65").is_none() && read_laws("0").is_none() && read_laws("-1").is_none());
    assert!(source("0", "1", "").is_some());
    let one: BigInt = BigInt::from(1) << law::bits();
    let more = &one + BigInt::from(1);
    assert!(source("0.5", "1", "").is_some() && source(&one.to_string(), "1", "").is_some());
    let finest = |n: u32| format!("{n}/{}", BigInt::from(1) << 168);
    assert!(source(&finest(3), "1", "").is_some());
    for bound in ["-1", "-0.5", "1/3", &more.to_string(), &format!("1/{}", BigInt::from(1) << 169)] {
        assert!(source(bound, "1", "").is_none(), "{bound}");
    }
    let text = r#"{"mechanism":{"kind":"laplace","scale":1},"claim":{"kind":"pure-dp","epsilon":1}}"#;
    let mechanism = read(text, Form::File, 0).unwrap().mechanism;
    let holds = |source: Option<Source>, side| source.unwrap().bounds_hold(&mechanism, side).is_ok();
    assert!(holds(source("0 0", "0.5 1", ""), Side::Lower));
    for (bounds, epsilons) in [("0", "0.5 1"), ("0 0", "1"), ("", "")] {
        assert!(!holds(source(bounds, epsilons, ""), Side::Lower), "{bounds} {epsilons}");
    }
    // One way to bound δ, not two.
    let law = |more: &str| {
        let part = r#"{"coarsen":[],"first":-4,"last":4,"level":0}"#;
        source("0", "1", &format!(r#","law":{{"light":0,"step":"0.5","parts":[{part}]}}{more}"#))
    };
    assert!(holds(law(""), Side::Lower) && !holds(law(r#","pair":["0.5","0.5"]"#), Side::Lower));
}

#[test]
fn claims_that_need_no_number() {
    let proved = |claim: &str, verified: bool, proof: &str| {
        work::begin(None);
        let text = format!(r#"{{"mechanism":{{"kind":"laplace","scale":1}},"claim":{claim}}}"#);
        let file = read(&text, Form::File, 0).unwrap();
        prove(&file, verified, &json(proof).unwrap()).is_ok()
    };
    let largest = |epsilon: &str, verified| {
        proved(&format!(r#"{{"kind":"pure-dp","epsilon":{epsilon}}}"#), verified, r#"{"kind":"largest-loss"}"#)
    };
    assert!(largest("1", true) && !largest("1", false));
    assert!(largest("\"0.5\"", false) && !largest("\"0.5\"", true));
    let of_all =
        |most: &str| proved(&format!(r#"{{"kind":"advantage","at-most":{most}}}"#), true, r#"{"kind":"trivial"}"#);
    assert!(of_all("1") && !of_all("\"0.75\""));
    // Half is the largest regret that there is.
    let regret = |most: &str| {
        proved(&format!(r#"{{"kind":"regret","mu":1,"at-most":"{most}"}}"#), true, r#"{"kind":"trivial"}"#)
    };
    assert!(regret("0.5") && !regret("0.499"));
    let noise = |square| vec![(Step::Gaussian { square }, 1)];
    assert!(by_noise(Some(&q(1, 4)), &noise(q(1, 2))).is_ok() && by_noise(Some(&q(1, 2)), &noise(q(1, 2))).is_ok());
    assert!(by_noise(Some(&q(3, 4)), &noise(q(1, 2))).is_err());
    assert!(by_noise(Some(&q(0, 1)), &Vec::new()).is_ok() && by_noise(None, &noise(q(1, 2))).is_err());
}

#[test]
fn mixtures_with_one_part_of_a_kind() {
    let choice = Step::Choice { epsilon: Epsilon::Plain(q(1, 1)), is_flip: false };
    let laplace = Step::Laplace { epsilon: q(1, 1) };
    let one_sided = Step::Finite { p: vec![q(1, 2), q(1, 2)], q: vec![q(1, 4), q(3, 4)] };
    let half = |step: &Step| (q(1, 2), vec![(step.clone(), 1)]);
    let mixture = |a: &Step, b: &Step| Step::Labelled { of: vec![half(a), half(b)] };
    assert!(mixture(&choice, &laplace).is_worst_case() && mixture(&laplace, &choice).is_worst_case());
    assert!(!mixture(&laplace, &one_sided).is_worst_case());
    assert!(mixture(&choice, &laplace).is_symmetric());
    assert!(!mixture(&laplace, &one_sided).is_symmetric() && !mixture(&one_sided, &laplace).is_symmetric());
}

/// Noise that is at one place each is alike in both orders, and so is what is moved by the same law; of reports only their count is not.
#[test]
fn pairs_alike_in_both_orders() {
    let shifts =
        |of: &[i64]| -> Vec<_> { of.iter().map(|s| (q(1, i64::try_from(of.len()).unwrap()), q(*s, 1))).collect() };
    let is_alike = |without: &[i64], with: &[i64]| {
        let noise = Noise::Laplace { unit: q(1, 1) };
        Step::Shifted { noise, without: shifts(without), with: shifts(with) }.is_symmetric()
    };
    assert!(is_alike(&[0], &[2]) && is_alike(&[1], &[1]) && is_alike(&[0, 1], &[0, 1]));
    assert!(!is_alike(&[0], &[0, 1]) && !is_alike(&[0, 1], &[0]) && !is_alike(&[0, 1], &[0, 2]));
    for (of, is_alike) in [
        (Reports::Clones, true),
        (Reports::Blanket { answers: 3 }, true),
        (Reports::ThirdValue { answers: 3 }, true),
        (Reports::OneValue, false),
    ] {
        let step = Step::Shuffled { of, others: 7, epsilon: Epsilon::Plain(q(1, 1)) };
        assert_eq!(step.is_symmetric(), is_alike, "{step}");
    }
}

#[test]
fn bounds_in_words() {
    // As many digits as tell them apart.
    let (half, finer) = (BigInt::from(1) << 287, BigInt::from(1) << 168);
    // 2^-120 is 7.5e-37.
    let [proved, stated] = both_shown(&(&half + &finer), &half);
    assert_eq!(stated, format!("5.{}…e-1", "0".repeat(38)));
    assert_eq!(proved, format!("5.{}752…e-1", "0".repeat(35)));
    assert_eq!(both_shown(&(&half >> 4), &half), ["3.12…e-2", "5.00…e-1"]);
    assert_eq!(both_shown(&half, &half), ["5.00000…e-1", "5.00000…e-1"]);
    assert_eq!(both_shown(&BigInt::from(0), &BigInt::from(0)), ["0", "0"]);
}

/// A claim file beside a certificate is the one inside, byte for byte.
#[test]
fn claim_files_beside_a_certificate() {
    let certificate = include_str!("../examples/answers.json");
    work::begin(None);
    let table = json(certificate).unwrap();
    let inside = table.need("claim-file").unwrap().need("text").unwrap().text("text").unwrap();
    let with = |beside: &str| check(certificate.as_bytes(), &Options::default().claim_file(beside.as_bytes()));
    assert!(with(inside).is_ok());
    let Err(no) = with(&format!("{inside}\n")) else { panic!("accepted") };
    assert_eq!(no.reason, Reason::AnotherClaimFile);
}

/// However far noise on the integers is moved, nothing is proved that is false: δ is 1 there.
#[test]
fn noise_that_is_moved_very_far() {
    let noises = [("discrete-laplace", "scale"), ("discrete-gaussian", "sigma"), ("skellam", "mean")];
    for (kind, key) in noises {
        for power in [10, 40, 41, 62, 63, 64] {
            work::begin(None);
            let far = (BigInt::from(1) << power) - if power == 64 { 1 } else { 0 };
            let text = format!(
                r#"{{"mechanism":{{"kind":"{kind}","{key}":1,"sensitivity":{far}}},"claim":{{"kind":"pure-dp","epsilon":1}}}}"#
            );
            let mechanism = read(&text, Form::File, 0).unwrap().mechanism;
            let holds = |bound: &BigInt, side| {
                let source = source(&bound.to_string(), "1", "").unwrap();
                source.bounds_hold(&mechanism, side).is_ok()
            };
            let one = BigInt::from(1) << law::bits();
            assert!(!holds(&(&one >> 1), Side::Upper) && !holds(&one, Side::Lower), "{kind} {far}");
            assert_eq!(holds(&one, Side::Upper), power <= 40, "{kind} {far}");
        }
    }
}

/// What is not of the kind that is read is named, and then the kind.
#[test]
fn what_is_of_another_kind_is_named() {
    work::begin(None);
    let value = json("[true]").unwrap();
    let item = &value.list("`x`").unwrap()[0];
    let words = [item.list("`x`").unwrap_err(), item.text("`x`").unwrap_err(), item.number("`x`").unwrap_err()];
    for (rejected, kind) in words.iter().zip(["a list", "a string", "a number"]) {
        assert!(rejected.detail.contains(&format!("`x` is not {kind}")), "{rejected}");
    }
    let rejected = value.only("`x`", &["a"]).unwrap_err();
    assert!(rejected.detail.contains("`x` is not a table"), "{rejected}");
}

/// What is known from above refutes nothing, and what is known from below verifies nothing.
#[test]
fn laws_of_the_other_side() {
    let proved = |claim: &str, verified: bool, proof: &str| {
        work::begin(None);
        let mechanism = r#"{"kind":"laplace","scale":1,"adjacency":"remove"}"#;
        let file = read(&format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#), Form::File, 0);
        prove(&file.unwrap(), verified, &json(proof).unwrap()).is_ok()
    };
    let law = |first: i64, last: i64| {
        format!(
            r#""law":{{"light":0,"parts":[{{"coarsen":[],"first":{first},"last":{last},"level":0}}],"step":"1/2"}}"#
        )
    };
    // f(1/100) = 1 − e/100 = 0.9728…; above the last point of this lattice is a mass of 0.39, of which no test is.
    let test = |beta: &str| format!(r#"{{"kind":"trade-off","alpha":"0.01","beta":"{beta}"}}"#);
    let power = (BigInt::from(1) << 120u32) / 5;
    let by_law = |power: &BigInt, law: &str| {
        format!(r#"{{"kind":"profile","sources":[{{"bounds":["{power}"],"direction":"remove","epsilons":[],{law}}}]}}"#)
    };
    assert!(!proved(&test("0.9"), false, &by_law(&power, &law(-1, 0))));
    let little = (BigInt::from(1) << 120u32) / 50;
    assert!(proved(&test("0.981"), false, &by_law(&little, &law(-4, 4))));
    // D_2 = log(2e/3 + e^(−2)/3) = 0.6191…
    let moments = |law: &str| {
        format!(
            r#"{{"kind":"moments","orders":[],"sources":[{{"bounds":[],"direction":"remove","epsilons":[],{law}}}]}}"#
        )
    };
    let renyi = |epsilon: &str| format!(r#"{{"kind":"rdp","order":2,"epsilon":"{epsilon}"}}"#);
    for (epsilon, is_true) in [("0.6", false), ("0.618", false), ("0.8", true)] {
        assert_eq!(proved(&renyi(epsilon), true, &moments(&law(-4, 4))), is_true, "{epsilon}");
    }
    assert!(!proved(&renyi("0.62"), false, &moments(&law(-4, 4))));
    assert!(proved(&renyi("0.5"), false, &moments(&law(-4, 4))));
    // f(1/4) = 1 − e/4 = 0.3204…
    let line = r#"{"kind":"profile","sources":[{"bounds":["0"],"direction":"remove","epsilons":["1"]}]}"#;
    let curve = |beta: &str| format!(r#"{{"kind":"trade-off","alpha":"1/4","beta":"{beta}"}}"#);
    assert!(proved(&curve("0.32"), true, line) && !proved(&curve("0.321"), true, line));
}

fn told(mechanism: &str) -> Result<crate::normal::Normal, Reason> {
    work::begin(None);
    let read = json(mechanism).and_then(|value| crate::mechanism::read(&value));
    read.map(|(normal, _)| normal).map_err(|no| no.reason)
}

/// A record adds a whole number to what has noise on the integers: twice 3/2 is whole, and 3/2 is not.
#[test]
fn noise_on_the_integers_has_whole_bounds() {
    for noise in [r#""kind":"discrete-laplace","scale":1"#, r#""kind":"skellam","mean":1"#] {
        for (bound, is_read) in [("2", true), ("1", true), ("1.5", false), ("\"1/2\"", false)] {
            for adjacency in ["replace-one", "add-remove"] {
                let found = told(&format!(r#"{{{noise},"record-bound":{bound},"adjacency":"{adjacency}"}}"#));
                assert_eq!(found.map(|_| ()), if is_read { Ok(()) } else { Err(Reason::Malformed) }, "{noise} {bound}");
            }
        }
    }
}

#[test]
fn groups_are_no_larger_than_the_dataset() {
    let run = r#"{"kind":"dp-sgd","noise-multiplier":2,"epochs":1,"batch-size":2,"dataset-size":4}"#;
    let twice = format!(r#"{{"kind":"compose","of":[{}]}}"#, run.replace('}', r#","times":2}"#));
    for of in [run, twice.as_str()] {
        for (records, is_read) in [(4, true), (5, false)] {
            let found = told(&format!(r#"{{"kind":"group","records":{records},"of":{of}}}"#));
            assert_eq!(found.map(|_| ()), if is_read { Ok(()) } else { Err(Reason::NoCertificateYet) }, "{of}");
        }
        // Groups of groups are of as many records as both numbers say together.
        for (records, within, is_read) in [(2, 2, true), (2, 3, false), (3, 2, false), (u64::MAX, u64::MAX, false)] {
            let whole = run.replace(r#""batch-size":2"#, r#""batch-size":4"#);
            let group = format!(r#"{{"kind":"group","records":{within},"of":{whole}}}"#);
            let found = told(&format!(r#"{{"kind":"group","records":{records},"of":{group}}}"#));
            assert_eq!(
                found.map(|_| ()).map_err(|no| no == Reason::NoCertificateYet),
                if is_read { Ok(()) } else { Err(true) },
                "{records} {within}"
            );
        }
    }
}

/// What is taken for granted of responses is so of those of events.
#[test]
fn responses_of_events_have_conditions() {
    let response = r#"{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.5,"num_buckets":3}"#;
    let sample = format!(r#"{{"class_name":"PoissonSampledDpEvent","sampling_probability":1,"event":{response}}}"#);
    let truth = response.replace("0.5", "0");
    for (event, relation, sampled, special) in [
        (response, "ADD_OR_REMOVE_ONE", false, false),
        (response, "REPLACE_SPECIAL", false, true),
        (&truth, "REPLACE_ONE", false, false),
        (&sample, "ADD_OR_REMOVE_ONE", true, false),
        (&sample, "REPLACE_SPECIAL", true, true),
        (&sample, "REPLACE_ONE", true, false),
    ] {
        let granted = told(&format!(r#"{{"event":{event},"neighboring_relation":"{relation}"}}"#)).unwrap().granted;
        assert_eq!(granted.contains(&Condition::SampledResponses), sampled, "{event} {relation}");
        assert_eq!(granted.contains(&Condition::SpecialResponses), special, "{event} {relation}");
    }
}

/// A key that is replaced is one less and one more: that no count falls otherwise is taken for granted then.
#[test]
fn keys_that_are_replaced_have_a_condition() {
    let keys = r#"{"kind":"noise-threshold","noise":"laplace","scale":1,"threshold":12,"record-bound":1,"adjacency":"#;
    for (adjacency, is_told) in [("add-remove", false), ("replace-one", true)] {
        let granted = told(&format!(r#"{keys}"{adjacency}"}}"#)).unwrap().granted;
        assert_eq!(granted.contains(&Condition::Counts), is_told, "{adjacency}");
    }
}
