//! Comparisons that are late, and what both directions say together.

use super::super::limits::Silent;
use super::*;
use crate::input::mechanism_from_bytes;

/// A comparison whose time is long over asks nothing more, and what it says is true of any two mechanisms.
#[test]
fn a_late_comparison_asks_nothing_more() {
    let limits = Limits {
        max_time: Duration::from_secs(1),
        threads: 1,
        precision: None,
        stop: Default::default(),
        listener: &Silent,
    };
    let gaussian = |sigma: u32| {
        let text = format!(r#"{{"kind":"gaussian","sigma":{sigma}}}"#);
        mechanism_from_bytes("test", text.as_bytes()).unwrap()
    };
    let asked = Asked {
        first: gaussian(1),
        second: gaussian(2),
        priors: vec![("uniform".to_owned(), Prior::uniform())],
        tolerance: None,
    };
    let mut duel = Duel::new(&limits, &asked).unwrap();
    let hour = Duration::from_secs(3600);
    duel.start = duel.start.checked_sub(hour).unwrap();
    let found = duel.comparison().unwrap();
    assert!(found.blackwell == Blackwell::Undecided && found.is_cut_short());
    let in_time = Duel::new(&limits, &asked).unwrap().comparison().unwrap();
    assert!(!in_time.is_cut_short());
    assert!(matches!(found.moments, Moments::OutOfTime));
    for regret in [&found.a_to_b, &found.b_to_a, &found.symmetric] {
        assert_eq!(regret.answer.ending, Ending::OutOfTime);
        let enclosure = &regret.answer.enclosure;
        assert!(*enclosure.lower() == 0 && *enclosure.upper() == 0.5);
    }
    let uniform = &found.weighted[0].a_to_b.answer;
    assert!(uniform.enclosure.upper().is_infinite());
    assert!(*found.extremes[0][0].upper() >= 0.5);
}

/// Whatever the time: where nothing is known it was cut short, and nothing is above a half.
#[test]
fn where_nothing_is_known_the_time_ended() {
    let run = |noise: &str, steps: u32| {
        let text = format!(
            r#"{{"kind":"dp-sgd","noise-multiplier":"{noise}","sample-rate":"0.01","steps":{steps}}}"#
        );
        mechanism_from_bytes("test", text.as_bytes()).unwrap()
    };
    let asked = Asked {
        first: run("1", 1000),
        second: run("1.001", 1001),
        priors: Vec::new(),
        tolerance: None,
    };
    for milliseconds in [30, 100, 300, 900] {
        let limits = Limits {
            max_time: Duration::from_millis(milliseconds),
            threads: 1,
            precision: Some(Target::Relative(Rational::from((1, 1_000_000_000)))),
            stop: Default::default(),
            listener: &Silent,
        };
        let Ok(found) = compare(&limits, &asked) else {
            continue;
        };
        for regret in [&found.a_to_b, &found.b_to_a, &found.symmetric] {
            let enclosure = &regret.answer.enclosure;
            assert!(*enclosure.upper() <= 0.5);
            let is_unknown = *enclosure.lower() == 0 && *enclosure.upper() == 0.5;
            let is_decided = found.blackwell != Blackwell::Undecided;
            assert!(
                !is_unknown || is_decided || found.is_cut_short(),
                "{milliseconds}"
            );
        }
        assert!(
            found
                .extremes
                .iter()
                .flatten()
                .all(|known| *known.upper() <= 0.5)
        );
    }
}

#[test]
fn the_larger_direction_is_known_from_both() {
    let regret = |low: f64, high: f64| Regret {
        answer: Answer {
            enclosure: Enclosure::new(Float::with_val(64, low), Float::with_val(64, high)).unwrap(),
            method: Method::ClosedForm,
            ending: Ending::OutOfTime,
            witness: None,
        },
        positive_by: None,
    };
    let target = Target::Absolute(Rational::from((1, 100)));
    let (there, back) = (regret(0.0, 0.001), regret(0.048, 0.05));
    let found = larger(regret(0.0, 1.0), &there, &back, &target).unwrap();
    let ends = (
        found.answer.enclosure.lower(),
        found.answer.enclosure.upper(),
    );
    assert!(*ends.0 == 0.048 && *ends.1 == 0.05, "{ends:?}");
    assert_eq!(found.answer.ending, Ending::Reached);
    // What is known of it is kept where it is narrower.
    let found = larger(regret(0.049, 0.0495), &there, &back, &target).unwrap();
    assert!(*found.answer.enclosure.lower() == 0.049);
    assert!(larger(regret(0.1, 0.2), &there, &back, &target).is_err());
}
