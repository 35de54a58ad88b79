//! Training logs to mechanisms.

use rug::Rational;

use crate::input::mechanism_from_bytes;
use crate::mechanism::Mechanism;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn read(keys: &str) -> Result<(Mechanism, Vec<String>), String> {
    let text = format!("{{\"kind\":\"dp-sgd\",\"noise-multiplier\":2,{keys}}}");
    mechanism_from_bytes("test", text.as_bytes())
        .map(|file| (file.mechanism, file.notes))
        .map_err(|error| error.to_string())
}

fn poisson(rate: Rational, steps: u64) -> Mechanism {
    let noise = Mechanism::gaussian_sum(2, 1).unwrap();
    let step = Mechanism::subsampled(rate, noise).unwrap();
    Mechanism::compose(vec![(step, steps)]).unwrap()
}

fn truncated(rate: Rational, steps: u64) -> Mechanism {
    let noise = Mechanism::gaussian_sum(2, 1).unwrap();
    let step = Mechanism::truncated_poisson(rate, 10, 5, noise).unwrap();
    Mechanism::compose(vec![(step, steps)]).unwrap()
}

#[test]
fn what_a_training_log_has() {
    for (keys, expected, note) in [
        (
            r#""steps":7,"batch-size":4,"dataset-size":10"#,
            poisson(q(2, 5), 7),
            "sample-rate = b/n = 4/10",
        ),
        (
            r#""epochs":2.5,"batch-size":4,"dataset-size":10"#,
            poisson(q(2, 5), 8),
            "steps = epochs·⌈n/b⌉, rounded up = 5/2·⌈10/4⌉ = 8; sample-rate = b/n = 4/10",
        ),
        (
            r#""epochs":3,"batch-size":2,"gradient-accumulation":2,"dataset-size":10"#,
            poisson(q(2, 5), 9),
            "steps = epochs·⌈n/b⌉ = 3·⌈10/(2·2)⌉ = 9; sample-rate = b/n = (2·2)/10",
        ),
        (
            r#""sampling":"truncated-poisson","max-batch":5,"steps":7,"batch-size":4,"dataset-size":10"#,
            truncated(q(2, 5), 7),
            "sample-rate = b/n = 4/10",
        ),
        (
            r#""sampling":"shuffled","epochs":2.5,"batch-size":2,"gradient-accumulation":2,"dataset-size":10"#,
            Mechanism::shuffled_batches(2, 3, q(5, 2)).unwrap(),
            "steps of an epoch = ⌈n/b⌉ = ⌈10/(2·2)⌉ = 3",
        ),
    ] {
        let (mechanism, notes) = read(keys).unwrap();
        assert_eq!(mechanism, expected, "{keys}");
        assert_eq!(notes, [note], "{keys}");
    }
    let (mechanism, notes) = read(r#""sampling":"shuffled","steps":100"#).unwrap();
    assert_eq!(mechanism, Mechanism::shuffled_batches(2, 100, 1).unwrap());
    assert!(notes.is_empty());
    let keys = r#""sampling":"truncated-poisson","sample-rate":0.4,"steps":7,"dataset-size":10,"max-batch":5"#;
    assert_eq!(read(keys).unwrap().0, truncated(q(2, 5), 7));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for (keys, message) in [
        (
            r#""steps":7,"epochs":2,"batch-size":4,"dataset-size":10"#,
            "takes either `epochs` or `steps`, not both",
        ),
        (
            r#""batch-size":4,"dataset-size":10"#,
            "needs `epochs` or `steps`",
        ),
        (
            r#""steps":7,"batch-size":4,"gradient-accumulation":3,"dataset-size":10"#,
            "`gradient-accumulation` must be a whole number, from 1 to 2",
        ),
        (
            r#""epochs":0,"batch-size":4,"dataset-size":10"#,
            "`epochs` must be greater than 0",
        ),
        (
            r#""steps":7,"sample-rate":0.1,"max-batch":3"#,
            "`max-batch` says nothing with `sampling = \"poisson\"`",
        ),
        (
            r#""sampling":"shuffled","steps":7,"sample-rate":0.1"#,
            "`sample-rate` says nothing with `sampling = \"shuffled\"`",
        ),
        (
            r#""sampling":"shuffled","steps":7,"batch-size":4,"dataset-size":10"#,
            "takes either `batch-size` or `steps`, not both",
        ),
        (
            r#""sampling":"shuffled","epochs":2"#,
            "needs `steps` (of one epoch), or `batch-size` and `dataset-size`",
        ),
        (
            r#""sampling":"truncated-poisson","sample-rate":0.4,"steps":7,"dataset-size":10"#,
            "needs `max-batch`",
        ),
        (
            r#""sampling":"truncated-poisson","sample-rate":0.4,"steps":7,"batch-size":4,"dataset-size":10,"max-batch":5"#,
            "takes either `batch-size` or `sample-rate`, not both",
        ),
        (
            r#""sampling":"shuffle","steps":7"#,
            "`sampling` must be one of",
        ),
    ] {
        let error = read(keys).unwrap_err();
        assert!(error.contains(message), "{keys}: {error}");
    }
}

/// The number of records that only gives a rate, or how many batches there are, is known all the same.
#[test]
fn how_many_records_there_are_is_not_forgotten() {
    let run = |keys: &str| format!(r#"{{"kind":"dp-sgd","noise-multiplier":2,{keys}}}"#);
    let told = |text: &str| {
        let file = mechanism_from_bytes("test", text.as_bytes());
        file.map(|file| file.mechanism.records())
            .map_err(|error| error.to_string())
    };
    let poisson = r#""epochs":1,"batch-size":1,"dataset-size":4"#;
    let shuffled = format!(r#"{poisson},"sampling":"shuffled""#);
    let key = r#"{"kind":"noise-threshold","noise":"laplace","scale":1,"threshold":3}"#;
    let rate = r#""sample-rate":0.25,"steps":4"#;
    for (keys, records) in [
        (poisson, Some(4)),
        (shuffled.as_str(), Some(4)),
        (rate, None),
    ] {
        assert_eq!(told(&run(keys)), Ok(records), "{keys}");
        let beside = told(&format!(
            r#"{{"kind":"compose","of":[{key},{}]}}"#,
            run(keys)
        ));
        match records {
            None => assert_eq!(beside, Ok(None)),
            Some(_) => assert!(beside.unwrap_err().contains("a stated number of records")),
        }
        // What groups reveal of shuffled batches is not known, however large they are.
        for (size, fits) in [(4, keys != shuffled), (5, records.is_none())] {
            let group = format!(r#"{{"kind":"group","records":{size},"of":{}}}"#, run(keys));
            let found = told(&group);
            assert_eq!(found.is_ok(), fits, "{group}: {found:?}");
            assert!(fits || size == 4 || found.unwrap_err().contains("must be at most 4"));
        }
    }
}
