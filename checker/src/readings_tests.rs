//! Mechanisms as they are read: the steps, what is among what is stated, and what is refused.

use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::claim::{Form, OPTIONAL_KEYS};
use crate::mechanism::read;
use crate::reason::Reason;
use crate::step::{Parts, Step};
use crate::value::{Value, json};
use crate::work;

fn in_words(parts: &Parts) -> String {
    parts.iter().map(|(step, times)| format!("{times} x {step}")).collect::<Vec<_>>().join(" + ")
}

/// The steps, and behind bars the members; an empty text for what is refused.
fn reading(text: &str) -> String {
    work::begin(None);
    let Ok((normal, _)) = json(text).and_then(|value| read(&value)) else { return String::new() };
    let all = [&normal.steps].into_iter().chain(&normal.members);
    all.map(in_words).collect::<Vec<_>>().join(" | ")
}

fn all_read(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(reading(text), *expected, "{text}");
    }
}

#[test]
fn events() {
    all_read(&[
        (r#"["m","GaussianDpEvent",4]"#, "1 x Gaussian noise of mu^2 = 1/16"),
        (
            r#"{"event":["m","GaussianDpEvent",4],"neighboring-relation":"REPLACE_ONE"}"#,
            "1 x Gaussian noise of mu^2 = 1/4",
        ),
        (
            r#"{"event":["m","GaussianDpEvent",4],"neighboring_relation":"ADD_OR_REMOVE_ONE"}"#,
            "1 x Gaussian noise of mu^2 = 1/16",
        ),
        (r#"["m","LaplaceDpEvent",4]"#, "1 x Laplace noise of epsilon = 1/4"),
        (
            r#"["m","DiscreteGaussianDpEvent",3,2,1]"#,
            "1 x discrete Gaussian noise of sigma^2 = 9, down by 0 (weight 1) without the record, up by 2 (weight 1) with it",
        ),
        (r#"["m","DiscreteGaussianDpEvent",3,2,2]"#, ""),
        (r#"{"event":["m","RandomizedResponseDpEvent",0,3],"neighboring-relation":"REPLACE_SPECIAL"}"#, ""),
        (
            r#"{"event":["m","RandomizedResponseDpEvent",0,3],"neighboring-relation":"REPLACE_ONE"}"#,
            "1 x two probability vectors of 2 outcomes",
        ),
        (r#"["m","ZCDpEvent","0.5"]"#, "1 x anything that is zCDP with rho = 1/2"),
        (r#"["m","ZCDpEvent","0.5",0]"#, "1 x anything that is zCDP with rho = 1/2"),
        (
            r#"["m","PoissonSampledDpEvent","0.25",["m","GaussianDpEvent",2]]"#,
            "1 x Gaussian noise of mu^2 = 1/4 on a Poisson sample of rate 1/4",
        ),
        (
            r#"["m","PoissonSampledDpEvent",0,["m","GaussianDpEvent",2]]"#,
            "1 x randomised response of epsilon = 0 among 2 answers",
        ),
    ]);
}

/// Repeated, in a row, and not at all.
#[test]
fn repeated_events() {
    let gaussian = r#"["m","GaussianDpEvent",4]"#;
    let laplace = r#"["m","LaplaceDpEvent",4]"#;
    let nothing = reading(r#"["m","NoOpDpEvent"]"#);
    assert_eq!(nothing, "1 x randomised response of epsilon = 0 among 2 answers");
    let repeated = |of: &str, count: u32| reading(&format!(r#"["m","SelfComposedDpEvent",{of},{count}]"#));
    assert_eq!(repeated(laplace, 3), "3 x Laplace noise of epsilon = 1/4");
    assert_eq!(repeated(laplace, 1), reading(laplace));
    assert_eq!(repeated(gaussian, 3), "3 x Gaussian noise of mu^2 = 1/16");
    for of in [laplace, gaussian, r#"["m","NoOpDpEvent"]"#] {
        assert_eq!(repeated(of, 0), nothing, "{of}");
    }
    let composed = |of: &str| reading(&format!(r#"["m","ComposedDpEvent",[{of}]]"#));
    assert_eq!(composed(&format!(r#"{laplace},["m","SelfComposedDpEvent",{laplace},0]"#)), reading(laplace));
    assert_eq!(composed(""), nothing);
}

/// A batch of 3 of 10 records: the worse of both orders of noise on a sample of the rate 3/10.
#[test]
fn batches_of_fixed_size() {
    let of = |batch: u32, size: u32| {
        reading(&format!(
            r#"{{"kind":"subsampled","sampling":"without-replacement","dataset-size":{size},"batch-size":{batch},"adjacency":"replace-one","of":{{"kind":"gaussian","sigma":2,"record-bound":1}}}}"#
        ))
    };
    let found = of(3, 10);
    assert!(found.contains("Gaussian noise of mu^2 = 1 on a Poisson sample of rate 3/10"), "{found}");
    // One and a half epochs of three or four batches are five steps, or six.
    let epochs = |sampling: &str, size: u32| {
        let more = if sampling == "poisson" { "" } else { r#","adjacency":"replace-one""# };
        reading(&format!(
            r#"{{"kind":"dp-sgd","sampling":"{sampling}","noise-multiplier":2,"epochs":"1.5","batch-size":3,"dataset-size":{size}{more}}}"#
        ))
    };
    for sampling in ["poisson", "without-replacement"] {
        assert!(epochs(sampling, 9).starts_with("5 x "), "{}", epochs(sampling, 9));
        assert!(epochs(sampling, 10).starts_with("6 x "), "{}", epochs(sampling, 10));
    }
    assert!(epochs("without-replacement", 10).contains("of rate 3/10"));
    assert_eq!(of(11, 10), "");
    assert_eq!(of(0, 10), "");
}

/// Without noise the answer is the truth, which no other record gives; how a special record is answered for is not said.
#[test]
fn the_truth_against_another_one() {
    let (zero, one) = (BigRational::zero(), BigRational::one());
    let of = |relation: &str| {
        work::begin(None);
        let text = format!(r#"{{"event":["m","RandomizedResponseDpEvent",0,3],"neighboring-relation":"{relation}"}}"#);
        read(&json(&text).unwrap())
    };
    let (found, _) = of("REPLACE_ONE").unwrap();
    let step = Step::Finite { p: vec![zero.clone(), one.clone()], q: vec![one, zero] };
    assert_eq!(found.steps, [(step, 1)]);
    assert_eq!(of("REPLACE_SPECIAL").unwrap_err().reason, Reason::NoCertificateYet);
}

/// A response is about a record that is replaced, and says nothing of one that is not in a sample; a mixture is about one that is there or not.
#[test]
fn events_are_about_one_relation() {
    let response = r#"["m","RandomizedResponseDpEvent","0.5",3]"#;
    let noise = r#"["m","GaussianDpEvent",2]"#;
    let mixture = r#"["m","MixtureOfGaussiansDpEvent",1,[0,1],["0.5","0.5"]]"#;
    let sampled = |rate: &str| format!(r#"["m","PoissonSampledDpEvent","{rate}",{response}]"#);
    let both = |one: &str, other: &str| format!(r#"["m","ComposedDpEvent",[{one},{other}]]"#);
    let none = r#"["m","NoOpDpEvent"]"#;
    let by_name = |of: &str, rest: &str| format!(r#"{{"class_name":"{of}DpEvent",{rest}}}"#);
    let noise_by_name = by_name("Gaussian", r#""noise_multiplier":2"#);
    let sampled_by_name = by_name("PoissonSampled", &format!(r#""sampling_probability":"0.5","event":{response}"#));
    for (event, is_read) in [
        (by_name("Composed", &format!(r#""events":[{response},{noise_by_name}]"#)), [false, true, true]),
        (by_name("SelfComposed", &format!(r#""event":{sampled_by_name},"count":2"#)), [false, true, false]),
        (both(response, none), [true, true, true]),
        (both(response, noise), [false, true, true]),
        (both(noise, &both(none, response)), [false, true, true]),
        (sampled("0.5"), [false, true, false]),
        (both(response, &sampled("0.5")), [false, true, false]),
        (sampled("1"), [true, true, true]),
        (both(noise, mixture), [true, false, true]),
    ] {
        for (relation, is_read) in ["ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"].into_iter().zip(is_read) {
            work::begin(None);
            let text = format!(r#"{{"event":{event},"neighboring-relation":"{relation}"}}"#);
            assert_eq!(read(&json(&text).unwrap()).is_ok(), is_read, "{text}");
        }
        work::begin(None);
        assert_eq!(read(&json(&event).unwrap()).is_ok(), is_read[0], "{event}");
    }
}

#[test]
fn selections_thresholds_and_permutations() {
    all_read(&[
        (
            r#"{"kind":"exponential","eta":3,"sensitivity":5}"#,
            "1 x a choice by score with Gumbel noise, of epsilon = 30",
        ),
        (r#"{"kind":"exponential","eta":3,"epsilon":5}"#, ""),
        (r#"{"kind":"exponential","eta":3,"adjacency":"replace-one"}"#, ""),
        (
            r#"{"kind":"top-k","eta":3,"monotone":true,"k":3}"#,
            "3 x a choice by score with Gumbel noise, of epsilon = 3",
        ),
        (
            r#"{"kind":"noise-threshold","noise":"gaussian","sigma":3,"threshold":10}"#,
            "1 x the worst of: Gaussian noise of mu^2 = 1/9; release of a new key where Gaussian noise, shifts in units of mu with mu^2 = 1/9 is at least 9",
        ),
        (
            r#"{"kind":"noise-threshold","noise":"gaussian","sigma":3,"threshold":10,"keys":1}"#,
            "1 x the worst of: Gaussian noise of mu^2 = 1/9; release of a new key where Gaussian noise, shifts in units of mu with mu^2 = 1/9 is at least 9",
        ),
        (
            r#"{"kind":"noise-threshold","noise":"discrete-laplace","scale":3,"threshold":10,"release-if":">","keys":4,"record-bound":2,"adjacency":"replace-one"}"#,
            "4 x the worst of: discrete Laplace noise of scale = 3, down by 0 (weight 1) without the record, up by 2 (weight 1) with it; release of a new key where discrete Laplace noise of scale = 3 is at least 9 + 4 x the worst of: discrete Laplace noise of scale = 3, down by 0 (weight 1) without the record, up by 2 (weight 1) with it; release of a new key where discrete Laplace noise of scale = 3 is at least 9, turned around",
        ),
        (
            r#"{"kind":"noise-threshold","noise":"discrete-gaussian","sigma":3,"threshold":10,"release-if":">="}"#,
            "1 x the worst of: discrete Gaussian noise of sigma^2 = 9, down by 0 (weight 1) without the record, up by 1 (weight 1) with it; release of a new key where discrete Gaussian noise of sigma^2 = 9 is at least 9",
        ),
        (
            r#"{"kind":"dp-sgd","sampling":"shuffled","noise-multiplier":2,"steps":1,"epochs":3}"#,
            "1 x Gaussian noise of mu^2 = 3/4",
        ),
        (
            r#"{"kind":"dp-sgd","sampling":"shuffled","noise-multiplier":3,"steps":5,"epochs":2}"#,
            "1 x Gaussian noise of mu^2 = 2/9 | 2 x Gaussian noise of mu^2 = 1/9 on a Poisson sample of rate 1/5 | 2 x the largest of 5 answers with Gaussian noise of sigma^2 = 9, one moved by 2, or 1 without the record",
        ),
        (
            r#"{"kind":"dp-sgd","sampling":"shuffled","noise-multiplier":3,"steps":5,"epochs":2,"adjacency":"replace-one"}"#,
            "1 x Gaussian noise of mu^2 = 8/9 | 2 x Gaussian noise, shifts in units of mu with mu^2 = 1/9, down by 0 (weight 4/5), 1 (weight 1/5) without the record, up by 0 (weight 4/5), 1 (weight 1/5) with it | 2 x the largest of 5 answers with Gaussian noise of sigma^2 = 9, one moved by 2, or 0 without the record",
        ),
    ]);
}

#[test]
fn correlated_noise() {
    all_read(&[
        (r#"{"kind":"tree-aggregation","noise-multiplier":3,"steps":4}"#, "1 x Gaussian noise of mu^2 = 1/3"),
        (
            r#"{"kind":"tree-aggregation","noise-multiplier":3,"steps":4,"restarts":1,"participations":1,"min-separation":1,"adjacency":"replace-one"}"#,
            "1 x Gaussian noise of mu^2 = 4/3",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":3,"steps":1,"participations":1,"min-separation":1,"toeplitz":[1,"0.5"]}"#,
            "1 x Gaussian noise of mu^2 = 1/9",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":4,"participations":2,"min-separation":2,"toeplitz":[1,"0.5"],"adjacency":"replace-one"}"#,
            "1 x Gaussian noise of mu^2 = 5/2",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":2,"toeplitz":[1,"0.5"]}"#,
            "1 x Gaussian noise of mu^2 = 7/8",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":1,"blt":{"weights":["0.5"],"decays":["0.5"]}}"#,
            "1 x Gaussian noise of mu^2 = 21/64",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":1,"blt":{"weights":["0.5","0.25"],"decays":["0.5"]}}"#,
            "",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":1,"toeplitz":["0.5"],"normalised":true}"#,
            "1 x Gaussian noise of mu^2 = 1/16",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":1,"toeplitz":[2],"normalised":true}"#,
            "",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":5,"min-separation":2,"rate":"0.5","toeplitz":[1,"0.5"]}"#,
            "2 x Gaussian noise of mu^2 = 5/16 on a Poisson sample of rate 1/2 + 1 x Gaussian noise of mu^2 = 1/4 on a Poisson sample of rate 1/2",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":5,"min-separation":1,"rate":"0.5","toeplitz":[1]}"#,
            "5 x Gaussian noise of mu^2 = 1/4 on a Poisson sample of rate 1/2",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":6,"epochs":3,"toeplitz":[1,"0.5"]}"#,
            "1 x Gaussian noise of mu^2 = 15/16",
        ),
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":6,"epochs":1,"toeplitz":[1,"0.5"]}"#,
            "1 x Gaussian noise of mu^2 = 5/16",
        ),
    ]);
}

#[test]
fn tables_of_one_kind() {
    all_read(&[
        (
            r#"{"history":[[2,"0.25",1],[3,"0.5",7]],"mechanism":"rdp"}"#,
            "1 x Gaussian noise of mu^2 = 1/4 on a Poisson sample of rate 1/4 + 7 x Gaussian noise of mu^2 = 1/9 on a Poisson sample of rate 1/2",
        ),
        (r#"{"kind":"laplace","scale":4,"sensitivity":3}"#, "1 x Laplace noise of epsilon = 3/4"),
        (
            r#"{"kind":"discrete-gaussian","sigma":3,"sensitivity":2}"#,
            "1 x discrete Gaussian noise of sigma^2 = 9, down by 0 (weight 1) without the record, up by 2 (weight 1) with it",
        ),
        (
            r#"{"kind":"randomized-response","noise":"0.25","k":5}"#,
            "1 x randomised response of epsilon = log 16 among 5 answers",
        ),
        (r#"{"kind":"pure-dp","epsilon":1}"#, "1 x randomised response of epsilon = 1 among 2 answers"),
        (
            r#"{"kind":"profile","points":[{"exp-epsilon":"0.5","delta":"0.5"}]}"#,
            "1 x anything of which (epsilon, delta)-privacy is known: (log 1/2, 1/2)",
        ),
        (r#"{"kind":"profile","points":[{"exp-epsilon":"0.5","delta":"0.25"}]}"#, ""),
        (r#"{"kind":"group","records":1,"of":{"kind":"laplace","scale":4}}"#, "1 x Laplace noise of epsilon = 1/4"),
        (r#"{"kind":"group","records":3,"of":{"kind":"laplace","scale":4}}"#, "1 x Laplace noise of epsilon = 3/4"),
        (
            r#"{"kind":"group","records":2,"of":{"kind":"gaussian-mixture","sigma":1,"shifts":[0,1],"weights":["0.5","0.5"]}}"#,
            "",
        ),
        (
            r#"{"kind":"group","records":2,"of":{"kind":"subsampled","rate":"0.25","of":{"kind":"laplace","scale":2}}}"#,
            "1 x Laplace noise, shifts in units of 1/2, down by 0 (weight 1) without the record, up by 0 (weight 9/16), 1 (weight 3/8), 2 (weight 1/16) with it",
        ),
        (
            r#"{"kind":"subsampled","rate":"0.25","of":{"kind":"discrete-laplace","scale":4,"record-bound":3},"adjacency":"replace-one"}"#,
            "1 x discrete Laplace noise of scale = 4, down by 0 (weight 3/4), 3 (weight 1/4) without the record, up by 0 (weight 3/4), 3 (weight 1/4) with it",
        ),
        (
            r#"{"kind":"mixture","of":[{"weight":"0.5","kind":"top-k","epsilon":1,"k":2},{"weight":"0.5","kind":"laplace","scale":2}]}"#,
            "1 x one of several, told which: 2 x a choice by score with Gumbel noise, of epsilon = 1 (weight 1/2); Laplace noise of epsilon = 1/2 (weight 1/2)",
        ),
        (
            r#"{"kind":"mixture","of":[{"weight":"0.5","kind":"compose","of":[{"kind":"laplace","scale":2,"times":3},{"kind":"gaussian","sigma":1}]},{"weight":"0.5","kind":"laplace","scale":2}]}"#,
            "1 x one of several, told which: 3 x Laplace noise of epsilon = 1/2 and Gaussian noise of mu^2 = 1 (weight 1/2); Laplace noise of epsilon = 1/2 (weight 1/2)",
        ),
        (
            r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":"0.25","steps":1}"#,
            "1 x Gaussian noise of mu^2 = 1/4 on a Poisson sample of rate 1/4",
        ),
        (
            r#"{"kind":"dp-sgd","noise-multiplier":2,"batch-size":10,"dataset-size":25,"epochs":2}"#,
            "6 x Gaussian noise of mu^2 = 1/4 on a Poisson sample of rate 2/5",
        ),
        (
            r#"{"kind":"dp-sgd","noise-multiplier":2,"batch-size":10,"dataset-size":25,"steps":1}"#,
            "1 x Gaussian noise of mu^2 = 1/4 on a Poisson sample of rate 2/5",
        ),
    ]);
}

/// What a mechanism can do without may be left out by mistake, and then stand where it is a note: no note has such a name.
#[test]
fn keys_that_may_be_left_out() {
    let noise = r#""of":{"kind":"gaussian","sigma":1}"#;
    let mut left_out = 0;
    for text in [
        r#"{"kind":"gaussian","sigma":1,"record-bound":1,"adjacency":"remove"}"#.to_owned(),
        r#"{"kind":"laplace","scale":1,"sensitivity":1}"#.to_owned(),
        r#"{"kind":"randomized-response","epsilon":1,"k":3}"#.to_owned(),
        r#"{"kind":"top-k","eta":1,"sensitivity":1,"monotone":true,"k":2}"#.to_owned(),
        r#"{"kind":"zcdp","rho":1,"xi":0}"#.to_owned(),
        r#"{"kind":"noise-threshold","noise":"laplace","scale":1,"threshold":3,"release-if":">","keys":2,"record-bound":1}"#.to_owned(),
        r#"{"kind":"tree-aggregation","noise-multiplier":1,"steps":4,"restarts":2,"participations":2,"min-separation":2}"#.to_owned(),
        r#"{"kind":"matrix-factorization","noise-multiplier":1,"steps":4,"participations":2,"min-separation":2,"toeplitz":[1],"normalised":true}"#.to_owned(),
        r#"{"kind":"dp-sgd","sampling":"shuffled","noise-multiplier":1,"epochs":2,"batch-size":2,"dataset-size":9,"gradient-accumulation":2}"#.to_owned(),
        format!(r#"{{"kind":"random-allocation","steps":4,"selected":2,"epochs":2,{noise}}}"#),
        r#"{"kind":"compose","sampling":"poisson","of":[{"kind":"gdp","mu":1,"times":2}]}"#.to_owned(),
        r#"{"event":["m","GaussianDpEvent",4],"neighboring-relation":"REPLACE_ONE"}"#.to_owned(),
        r#"{"event":["m","GaussianDpEvent",4],"neighboring_relation":"REPLACE_ONE"}"#.to_owned(),
    ] {
        work::begin(None);
        let Value::Table(entries, form) = json(&text).unwrap() else { panic!("{text}") };
        assert!(read(&Value::Table(entries.clone(), form)).is_ok(), "{text}");
        for (key, _) in &entries {
            let others = entries.iter().filter(|(other, _)| other != key).cloned().collect();
            if read(&Value::Table(others, form)).is_ok() {
                assert!(OPTIONAL_KEYS.split(' ').any(|known| known == key), "{key} of {text}");
                left_out += 1;
            }
        }
    }
    assert_eq!(left_out, 24);
    for (note, is_read) in [("times", false), ("min-separation", false), ("comment", true)] {
        let line = format!(r#"{{"mechanism":{{"kind":"gdp","mu":1}},"claim":{{"kind":"gdp","mu":1}},"{note}":1}}"#);
        assert_eq!(crate::claim::read(&line, Form::Line, 0).is_ok(), is_read, "{note}");
    }
}

/// ξ + ρt at orders from 11/10 to 512, all above 1, each with its own.
#[test]
fn orders_of_a_guarantee_with_an_offset() {
    work::begin(None);
    let value = json(r#"{"kind":"zcdp","rho":"1/3","xi":"1/7"}"#).unwrap();
    let (normal, _) = read(&value).unwrap();
    let [(Step::Rdp { orders }, 1)] = normal.steps.as_slice() else { panic!("orders") };
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    for (order, most) in orders {
        assert!(*order > BigRational::one() && *most == order * q(1, 3) + q(1, 7), "{order} {most}");
    }
    let stated: Vec<_> = orders.iter().map(|(order, _)| order.clone()).collect();
    let tenths = (11..20).map(|n| q(n, 10)).chain((4..=40).map(|n| q(n, 2)));
    let expected: Vec<_> = tenths.chain([24, 32, 48, 64, 96, 128, 256, 512].map(|n| q(n, 1))).collect();
    assert_eq!(stated, expected);
    assert_eq!(normal.members, vec![vec![(Step::Zcdp { rho: q(1, 3) }, 1)]]);
}

/// Who is not drawn answers, too, which the record says; so does a pair, but only where records are replaced.
#[test]
fn responses_of_who_is_not_drawn_are_a_condition() {
    let pair = r#"{"kind":"finite","p":["3/4","1/4"],"q":["1/4","3/4"]}"#;
    let told_of = |of: &str, adjacency: &str| {
        work::begin(None);
        let text = format!(r#"{{"kind":"subsampled","rate":"1/2","of":{of},"adjacency":"{adjacency}"}}"#);
        json(&text).and_then(|value| read(&value)).unwrap().0
    };
    let told = |adjacency: &str| told_of(r#"{"kind":"randomized-response","epsilon":1}"#, adjacency);
    let says_of_pair = |adjacency: &str| told_of(pair, adjacency).granted.contains(&crate::Condition::SampledResponses);
    assert!(says_of_pair("replace-one") && !says_of_pair("add-remove") && !says_of_pair("replace-special"));
    let says = |adjacency: &str| told(adjacency).granted.contains(&crate::Condition::SampledResponses);
    assert!(says("add-remove") && says("replace-special") && says("replace-one"));
    let is_uniform = |adjacency: &str| told(adjacency).granted.contains(&crate::Condition::SpecialResponses);
    assert!(!is_uniform("add-remove") && is_uniform("replace-special") && !is_uniform("replace-one"));
}

/// The theorem of random allocation is about noise, pairs and guarantees.
#[test]
fn allocations_of_other_kinds() {
    let refused = |of: &str| {
        work::begin(None);
        let text = format!(r#"{{"kind":"random-allocation","steps":4,"of":{of}}}"#);
        json(&text).and_then(|value| read(&value)).err().map(|no| no.reason)
    };
    assert_eq!(refused(r#"{"kind":"laplace","scale":1}"#), None);
    for of in [
        r#"{"kind":"zcdp","rho":1}"#,
        r#"{"kind":"rdp","orders":[[2,1]]}"#,
        r#"{"kind":"subsampled","rate":"1/2","of":{"kind":"laplace","scale":1}}"#,
        r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":"0.25","steps":1}"#,
        r#"{"kind":"exponential","epsilon":1}"#,
    ] {
        assert_eq!(refused(of), Some(crate::Reason::NoCertificateYet), "{of}");
    }
}

/// The best of one run is the run; each outcome has its place once.
#[test]
fn selections_of_pairs() {
    let selected = |mean: &str, order: &str| {
        reading(&format!(
            r#"{{"kind":"private-selection","runs":{{"kind":"geometric","mean":{mean}}},"best-first":{order},"of":{{"kind":"finite","p":["1/2","1/2"],"q":["1/3","2/3"]}}}}"#
        ))
    };
    let alone = reading(r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/3","2/3"]}"#);
    let turned = reading(r#"{"kind":"finite","p":["1/2","1/2"],"q":["2/3","1/3"]}"#);
    assert!(!alone.is_empty() && selected("1", "[1,0]") == alone && selected("1", "[0,1]") == turned);
    assert!(!selected("2", "[0,1]").is_empty());
    for order in ["[0,0]", "[0]", "[0,2]", "[0,1,1]"] {
        assert_eq!(selected("2", order), "", "{order}");
    }
}

/// The log-odds of candidates move k times as far; a sample of a choice, and the best k of a group, are not covered.
#[test]
fn groups_of_choices() {
    for (of, epsilon) in [
        (r#""kind":"exponential","epsilon":"1/3""#, "1 x a choice by score with Gumbel noise, of epsilon = 5/3"),
        (
            r#""kind":"permute-and-flip","exp-epsilon":2"#,
            "1 x a choice by score with exponential noise, of epsilon = log 32",
        ),
        (r#""kind":"top-k","k":3,"epsilon":1"#, ""),
        (r#""kind":"subsampled","rate":"1/2","of":{"kind":"exponential","epsilon":1}"#, ""),
        (r#""kind":"noise-threshold","noise":"gaussian","sigma":3,"threshold":10"#, ""),
    ] {
        assert_eq!(reading(&format!(r#"{{"kind":"group","records":5,"of":{{{of}}}}}"#)), epsilon, "{of}");
    }
}

/// ρ-zCDP of k records is k²ρ, as that of the Gaussian among them.
#[test]
fn groups_of_a_guarantee_of_all_orders() {
    work::begin(None);
    let value = json(r#"{"kind":"group","records":3,"of":{"kind":"zcdp","rho":"1/7"}}"#).unwrap();
    let (normal, _) = read(&value).unwrap();
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    assert_eq!(normal.steps, vec![(Step::Zcdp { rho: q(9, 7) }, 1)]);
    assert_eq!(normal.members, vec![vec![(Step::Gaussian { square: q(18, 7) }, 1)]]);
}

/// A record that is replaced on a sample of what only a bound is known of is there or not, and says which; two that are replaced on samples of noise each with this probability.
#[test]
fn replaced_on_samples() {
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    let of = |text: &str| {
        work::begin(None);
        read(&json(text).unwrap()).unwrap().0
    };
    let pure = r#"{"kind":"pure-dp","epsilon":1}"#;
    let alone = of(pure).steps;
    let found = of(&format!(r#"{{"kind":"subsampled","rate":"1/4","adjacency":"replace-one","of":{pure}}}"#));
    let nothing = vec![(crate::normal::nothing(), 1)];
    assert_eq!(found.steps, vec![(Step::Labelled { of: vec![(q(1, 4), alone.clone()), (q(3, 4), nothing)] }, 1)]);
    assert_eq!(found.members, vec![vec![(Step::Sampled { rate: q(1, 4), of: alone }, 1)]]);
    let noise = r#"{"kind":"gaussian","sigma":2,"record-bound":1}"#;
    let found = of(&format!(
        r#"{{"kind":"group","records":2,"adjacency":"replace-one","of":{{"kind":"subsampled","rate":"1/4","of":{noise}}}}}"#
    ));
    let [(Step::Shifted { without, with, .. }, 1)] = found.steps.as_slice() else { panic!("{found:?}") };
    assert_eq!(*with, vec![(q(9, 16), q(0, 1)), (q(6, 16), q(1, 1)), (q(1, 16), q(2, 1))]);
    assert_eq!(with, without);
}

/// Divergences of 0 at one order are those of equal laws, whatever the others are.
#[test]
fn a_divergence_of_zero_leaves_no_room() {
    let of = |orders: &str| reading(&format!(r#"{{"kind":"rdp","orders":{orders}}}"#));
    let nothing = reading(r#"{"kind":"zcdp","rho":0}"#);
    assert!(!nothing.is_empty() && of("[[2,0],[3,1]]") == nothing && of("[[2,1],[3,0]]") == nothing);
    assert_ne!(of("[[2,1],[3,2]]"), nothing);
}

/// Only who answers by randomised response answers without taking part.
#[test]
fn noise_on_samples_is_no_response() {
    let says = |of: &str, adjacency: &str| {
        work::begin(None);
        let sample = format!(r#"{{"kind":"subsampled","rate":"1/2","of":{of},"adjacency":"{adjacency}"}}"#);
        read(&json(&sample).unwrap()).unwrap().0.granted.contains(&crate::Condition::SampledResponses)
    };
    assert!(says(r#"{"kind":"randomized-response","epsilon":1}"#, "add-remove"));
    let noise = r#"{"kind":"discrete-laplace","scale":2,"record-bound":1}"#;
    assert!(!says(noise, "add-remove") && !says(noise, "replace-one"));
}
