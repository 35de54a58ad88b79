//! Searches for turning points that are known.

use super::*;

fn estimate_of(value: Rational) -> Estimate {
    Estimate {
        value,
        error: Rational::from((1, 1_000_000)),
    }
}

fn found(name: &str, is_whole: bool, turn: (u64, u64), estimate: Option<(u64, u64)>) -> Bracket {
    let key = Key::new(name, is_whole).unwrap();
    let (turn, grows) = (Rational::from(turn), key.grows_private());
    let mut checks = 0;
    let mut check = |value: &Rational| -> Result<Certainty, ()> {
        checks += 1;
        Ok(if (*value >= turn) == grows || *value == turn {
            Certainty::Meets
        } else {
            Certainty::Misses
        })
    };
    let estimate = estimate.map(|value| estimate_of(Rational::from(value)));
    let width = Target::Relative(Rational::from((1, 10_000)));
    let Ok(bracket) = search(&key, estimate.as_ref(), &width, &mut check) else {
        panic!("{name} is monotone");
    };
    assert!(checks < 70, "{checks}");
    bracket
}

#[test]
fn brackets_are_narrow_and_on_their_sides() {
    for (name, turn) in [
        ("sigma", (7, 3)),
        ("sample-rate", (1, 300)),
        ("sigma", (1, 90)),
    ] {
        for estimate in [
            None,
            Some(turn),
            Some((turn.0 * 11, turn.1 * 10)),
            Some((1, 7)),
        ] {
            let Bracket { meets, misses, .. } = found(name, false, turn, estimate);
            let (meets, misses) = (meets.unwrap(), misses.unwrap());
            assert_eq!(meets > misses, name == "sigma");
            let apart = Rational::from(&meets - &misses).abs() / &meets;
            assert!(
                apart <= Rational::from((1, 10_000)),
                "{name} {turn:?} {estimate:?} {apart}"
            );
        }
    }
}

/// The usual range of a scale ends at 1/1000; ε reaches up to 1000.
#[test]
fn farther_than_what_is_usual() {
    for (name, turn) in [("sigma", (1, 70_000)), ("epsilon", (70_000, 1))] {
        let Bracket { meets, misses, .. } = found(name, false, turn, None);
        let apart = (meets.unwrap() - misses.unwrap()).abs();
        let turn = Rational::from(turn);
        assert!(apart / &turn <= Rational::from((1, 9_000)), "{name} {turn}");
    }
    // No rate is beyond 1.
    let Bracket { meets, misses, .. } = found("rate", false, (2, 1), None);
    assert_eq!((meets, misses), (Some(Rational::from(1)), None));
}

#[test]
fn whole_numbers_are_neighbours() {
    let Bracket { meets, misses, .. } = found("steps", true, (1234, 1), Some((1200, 1)));
    assert_eq!(
        (meets, misses),
        (Some(Rational::from(1234)), Some(Rational::from(1235)))
    );
}

#[test]
fn nothing_is_certain_without_certainty() {
    let key = Key::new("sigma", false).unwrap();
    let one = estimate_of(Rational::from(1));
    let mut check = |_: &Rational| -> Result<Certainty, ()> { Ok(Certainty::Unknown(Doubt::Open)) };
    let width = Target::Absolute(Rational::from((1, 100)));
    let Ok(bracket) = search(&key, Some(&one), &width, &mut check) else {
        panic!("nothing speaks against it");
    };
    assert_eq!((bracket.meets, bracket.misses), (None, None));
    assert!(
        bracket
            .doubts
            .iter()
            .all(|(_, doubt)| *doubt == Doubt::Open)
    );
}

/// Where values near the estimate take too long, the end of the range is asked, and the search comes back from there.
#[test]
fn what_takes_too_long_is_approached_from_what_does_not() {
    for (name, is_whole) in [("steps", true), ("sigma", false)] {
        let key = Key::new(name, is_whole).unwrap();
        let grows = key.grows_private();
        let (slow, turn) = if grows { (20, 10) } else { (500, 1000) };
        let mut check = |value: &Rational| -> Result<Certainty, ()> {
            let is_beyond = |place: u32| (*value < place) == grows && *value != place;
            Ok(if is_beyond(turn) {
                Certainty::Misses
            } else if is_beyond(slow) {
                Certainty::Unknown(Doubt::OutOfTime)
            } else {
                Certainty::Meets
            })
        };
        let estimate = estimate_of(Rational::from(turn));
        let width = Target::Relative(Rational::from((1, 100)));
        let Ok(found) = search(&key, Some(&estimate), &width, &mut check) else {
            panic!("it is monotone");
        };
        let near = |found: Option<Rational>, place: u32| {
            let apart = (found.unwrap() - place).abs();
            assert!(
                apart <= Rational::from(place) / 40u32,
                "{name} {place} {apart}"
            );
        };
        near(found.meets, slow);
        near(found.misses, turn);
    }
}

/// When the time is over nothing more is asked.
#[test]
fn the_end_of_the_time_is_the_end() {
    let key = Key::new("sigma", false).unwrap();
    let mut asked = 0;
    let mut check = |_: &Rational| -> Result<Certainty, ()> {
        asked += 1;
        Ok(Certainty::NotAsked)
    };
    let width = Target::Absolute(Rational::from((1, 100)));
    let Ok(found) = search(&key, None, &width, &mut check) else {
        panic!("nothing speaks against it");
    };
    assert!(
        (found.meets, found.misses) == (None, None) && asked <= 2,
        "{asked}"
    );
    assert!(
        found
            .doubts
            .iter()
            .all(|(_, doubt)| *doubt == Doubt::OutOfTime)
    );
}

/// 40 digits take a few checks per digit from a good float on.
#[test]
fn any_number_of_digits() {
    let key = Key::new("sigma", false).unwrap();
    let turn = Rational::from(2);
    let mut check = |value: &Rational| -> Result<Certainty, ()> {
        // √2
        Ok(if Rational::from(value * value) >= turn {
            Certainty::Meets
        } else {
            Certainty::Misses
        })
    };
    let width = Rational::from((1, Integer::from(Integer::u_pow_u(10, 40))));
    for width in [Target::Relative(width.clone()), Target::Absolute(width)] {
        let estimate = estimate_of(Rational::from_f64(2f64.sqrt()).unwrap());
        let Ok(Bracket { meets, misses, .. }) = search(&key, Some(&estimate), &width, &mut check)
        else {
            panic!("it is monotone");
        };
        let (meets, misses) = (meets.unwrap(), misses.unwrap());
        let text = decimal_down(&misses, 38);
        assert_eq!(text, "1.4142135623730950488016887242096980785");
        let apart = Rational::from(&meets - &misses);
        assert!(apart > 0 && apart <= relative(&width, &meets) * meets);
    }
}

#[test]
fn what_is_not_monotone_is_found_out() {
    let key = Key::new("sigma", false).unwrap();
    let mut check = |value: &Rational| -> Result<Certainty, ()> {
        Ok(if *value >= 2 {
            Certainty::Misses
        } else {
            Certainty::Meets
        })
    };
    let estimate = estimate_of(Rational::from(2));
    let width = Target::Relative(Rational::from((1, 100)));
    let Err(Broken::NotMonotone(found)) = search(&key, Some(&estimate), &width, &mut check) else {
        panic!("more private values miss the target");
    };
    assert!(found.misses > found.meets);
}

/// A mechanism known between two bounds: both turning points are found, not just any two values around them.
#[test]
fn both_ends_of_what_is_open_are_narrow() {
    let key = Key::new("sigma", false).unwrap();
    let (low, high) = (Rational::from(2), Rational::from((7, 3)));
    for estimate in [
        None,
        Some((2, 1)),
        Some((11, 5)),
        Some((7, 3)),
        Some((3, 1)),
    ] {
        let mut checks = 0;
        let mut check = |value: &Rational| -> Result<Certainty, ()> {
            checks += 1;
            Ok(if *value >= high {
                Certainty::Meets
            } else if *value < low {
                Certainty::Misses
            } else {
                Certainty::Unknown(Doubt::Open)
            })
        };
        let estimate = estimate.map(|value| estimate_of(Rational::from(value)));
        let width = Target::Relative(Rational::from((1, 10_000)));
        let Ok(bracket) = search(&key, estimate.as_ref(), &width, &mut check) else {
            panic!("a bracket is monotone");
        };
        assert!(checks < 70, "{checks}");
        let near = |value: Option<Rational>, turn: &Rational| {
            let apart = (value.unwrap() - turn).abs() / turn;
            assert!(apart <= Rational::from((1, 9_000)), "{estimate:?} {apart}");
        };
        near(bracket.meets, &high);
        near(bracket.misses, &low);
        assert!(
            bracket
                .doubts
                .iter()
                .all(|(_, doubt)| *doubt == Doubt::Open)
        );
    }
}
