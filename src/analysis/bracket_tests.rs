//! Ends of what is known only between a member and a bound.

use super::*;
use crate::analysis::test_tools::{resources, subject, width};
use crate::analysis::{Method, Witness};
use crate::bounds::Target;
use crate::kernel::Budget;
use crate::kernel::coarse::at_most_bits;

fn answer(low: f64, high: f64) -> Answer {
    let [low, high] = [low, high].map(|x| Float::with_val(64, x));
    Answer {
        enclosure: Enclosure::new(low, high).unwrap(),
        method: Method::ClosedForm,
        ending: Ending::Reached,
        witness: None,
    }
}

/// What rises goes from the lower end of the member to the upper one of the bound, what falls the other way.
#[test]
fn ends_of_member_and_bound() {
    let (small, large) = (answer(1.0, 2.0), answer(3.0, 5.0));
    for (trend, least, most) in [
        (Trend::Rises, &small, &large),
        (Trend::Falls, &large, &small),
    ] {
        let found = both_ends(&trend, least, most).unwrap();
        assert!(*found.lower() == 1 && *found.upper() == 5);
    }
    assert!(both_ends(&Trend::Rises, &large, &small).is_err());
}

/// Of two bounds the upper end of what rises counts, and the lower one of what falls, wherever the others are; of equal ones the first stays.
#[test]
fn the_end_that_counts_decides() {
    for ((a, b), (c, d), rises, falls) in [
        ((0.125, 0.5), (0.25, 0.75), true, false),
        ((0.25, 0.75), (0.125, 0.5), false, true),
        ((0.25, 0.5), (0.125, 0.75), true, true),
        ((0.125, 0.75), (0.25, 0.5), false, false),
        ((0.125, 0.5), (0.25, 0.5), false, false),
        ((0.25, 0.5), (0.125, 0.5), false, true),
        ((0.25, 0.5), (0.25, 0.75), true, false),
        ((0.25, 0.5), (0.25, 0.5), false, false),
    ] {
        let (next, best) = (answer(a, b), answer(c, d));
        assert_eq!(is_narrower(&next, &best, &Trend::Rises), rises, "{a} {b}");
        assert_eq!(is_narrower(&next, &best, &Trend::Falls), falls, "{a} {b}");
    }
}

/// Other bounds are asked where more than a sixteenth of the upper end may be gained.
#[test]
fn wide_by_a_sixteenth() {
    for (low, high, is) in [(15.0, 16.0, false), (14.875, 16.0, true), (0.0, 0.0, false)] {
        assert_eq!(is_wide(&answer(low, high).enclosure), is, "{low}");
    }
    assert!(is_wide(&answer(1.0, f64::INFINITY).enclosure));
}

/// It does not follow only where neither of both wants more time.
#[test]
fn why_it_is_no_narrower() {
    let done = [Ending::Reached, Ending::Exhausted, Ending::DoesNotFollow];
    for one in done {
        for other in done {
            assert_eq!(undecided(one, other), Ending::DoesNotFollow);
        }
        assert_eq!(undecided(one, Ending::OutOfTime), Ending::OutOfTime);
        assert_eq!(undecided(Ending::OutOfTime, one), Ending::OutOfTime);
    }
}

/// The ways of the bound and the place of the member, whichever of both had no time left.
#[test]
fn member_and_bound_together() {
    let one = || Rational::from(1);
    let goal = Goal::Width(Target::Absolute(one()));
    for (least, most, ending) in [
        (Ending::OutOfTime, Ending::Reached, Ending::OutOfTime),
        (Ending::Reached, Ending::OutOfTime, Ending::OutOfTime),
        (Ending::Reached, Ending::Exhausted, Ending::DoesNotFollow),
    ] {
        let member = || Answer {
            ending: least,
            witness: Some(Witness::Order(one())),
            ..answer(1.0, 2.0)
        };
        let bound = |low, high| Answer {
            ending: most,
            method: Method::Theorem(String::new()),
            ..answer(low, high)
        };
        let found = of_both(&Trend::Rises, member(), bound(3.0, 5.0), &goal).unwrap();
        assert!(*found.enclosure.lower() == 1 && *found.enclosure.upper() == 5);
        assert!(found.witness.is_some() && matches!(found.method, Method::Theorem(_)));
        assert_eq!(found.ending, ending);
        let found = of_both(&Trend::Rises, member(), bound(1.0, 2.0), &goal).unwrap();
        assert_eq!(found.ending, Ending::Reached);
    }
}

const BRACKET: &str = r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":3,"min-separation":1,"matrix":[[1],["-1/2",1],["-1/3","-1/2",1]]}"#;

/// The regret of the strict μ is between those of its ends; a claim is answered where one end tells, and not in between.
#[test]
fn questions_about_a_bracket() {
    let whole = subject(BRACKET);
    let budget = Budget::unlimited();
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| {},
    };
    let ask = |quantity: &Quantity, goal: &Goal| {
        let found = whole.enclose_between(quantity, goal, &resources);
        found.unwrap()
    };
    let width = Goal::Width(Target::Relative(Rational::from((1, 1000))));
    let found = ask(&Quantity::RegretOfStrictMu, &width);
    let mu = ask(&Quantity::GdpMu(GdpForm::Strict), &width);
    let regret = |mu: &Float| {
        let query = crate::statement::Query::regret(mu.to_rational().unwrap()).unwrap();
        ask(query.quantity(), &width).enclosure
    };
    let [low, high] = [mu.enclosure.lower(), mu.enclosure.upper()].map(regret);
    assert!(found.enclosure.lower() >= low.lower() && found.enclosure.upper() <= high.upper());
    assert!(found.enclosure.lower() <= low.upper() && found.enclosure.upper() >= high.lower());
    assert!(low.upper() < high.lower());
    assert!(found.enclosure.lower() < found.enclosure.upper() && *found.enclosure.upper() < 0.2);
    assert_eq!(found.ending, Ending::DoesNotFollow);
    // Where it crosses another curve is not known, whichever of both it is.
    let other = subject(r#"{"kind":"laplace","scale":"1/2"}"#);
    for (one, other) in [(&whole, &other), (&other, &whole)] {
        let none = one.crossings(other, &resources).unwrap();
        assert!(none.places.is_empty() && !none.complete);
        let none = one.curve_crossings(other, &resources).unwrap();
        assert!(none.places.is_empty() && !none.complete);
    }
    for (quantity, falls) in [(Quantity::Advantage, false), (Quantity::MinimaxRisk, true)] {
        let found = ask(&quantity, &width);
        assert_eq!(found.ending, Ending::DoesNotFollow);
        let bound = whole.enclose_alone(&quantity, &width, &resources).unwrap();
        let member = whole.members[0].enclose_alone(&quantity, &width, &resources);
        let member = member.unwrap();
        let (small, large) = if falls {
            (&bound, &member)
        } else {
            (&member, &bound)
        };
        assert_eq!(found.enclosure.lower(), small.enclosure.lower());
        assert_eq!(found.enclosure.upper(), large.enclosure.upper());
        let number = |x: &Float, part: f64| Float::with_val(64, x * part).to_rational().unwrap();
        let (low, high) = (found.enclosure.lower(), found.enclosure.upper());
        let middle = Float::with_val(64, low + high) / 2u32;
        for (with, ending) in [
            (number(low, 0.9), Ending::Reached),
            (number(&middle, 1.0), Ending::DoesNotFollow),
            (number(high, 1.1), Ending::Reached),
        ] {
            let found = ask(&quantity, &Goal::Compare { with: with.clone() });
            assert_eq!(found.ending, ending, "{quantity:?} {with}");
        }
    }
}

/// Of fifty runs √50 times the strict μ of one, 0.06266…, is a bound that the curve of their bound, whose tail is rounded up, lies above.
#[test]
fn theorems_of_choices_are_not_about_their_bound() {
    let runs =
        subject(r#"{"kind":"compose","of":[{"kind":"exponential","epsilon":"0.1","times":50}]}"#);
    let forms = [
        (GdpForm::Strict, 0.4431),
        (GdpForm::Tolerance(Rational::from((1, 1 << 30))), 0.4431),
        (GdpForm::ErrorFloor(Rational::from((1, 1 << 30))), 0.4431),
    ];
    for (form, most) in forms {
        let width = Goal::Width(Target::Relative(Rational::from((1, 1000))));
        let mu = Quantity::GdpMu(form);
        let found = resources(|resources| runs.enclose(&mu, &width, resources)).unwrap();
        assert!(
            *found.enclosure.upper() < most && *found.enclosure.lower() > 0.3,
            "{found:?}"
        );
    }
}

/// The largest loss of choices is log 12 here, at a few bits too, and δ is 0 from there on.
#[test]
fn losses_of_choices_at_a_few_bits() {
    let text = r#"{"kind":"compose","of":[{"kind":"exponential","exp-epsilon":2,"times":2},{"kind":"exponential","exp-epsilon":3}]}"#;
    let choices = subject(text);
    let truth = 12f64.ln();
    for bits in [3, 4, 5, 6, 8, 11] {
        let found = at_most_bits(bits, || {
            choices.of_largest_loss(&Quantity::MaxLoss).unwrap()
        });
        let found = found.unwrap();
        assert!(found.lower().to_f64() <= truth && truth <= found.upper().to_f64());
        for (epsilon, is_certain) in [((124, 50), false), ((125, 50), true)] {
            let at = crate::mechanism::Epsilon::from(Rational::from(epsilon));
            let delta = at_most_bits(bits, || {
                choices.of_largest_loss(&Quantity::Delta(at)).unwrap()
            });
            assert!(is_certain || delta.is_none(), "{bits}");
        }
    }
    let at = crate::mechanism::Epsilon::log_of(Rational::from(12)).unwrap();
    let delta = choices
        .of_largest_loss(&Quantity::Delta(at))
        .unwrap()
        .unwrap();
    assert_eq!(delta.exact(), Some(&Rational::new()));
}

/// A part of a mixture that is a class has coins that a score may look at; the others have none. Of a million runs a hundred are of that part, so that δ(0) is that of the
/// responses alone, 0.0258039…, up to 2e-4.
#[test]
fn coins_are_those_of_the_part_that_is_a_class() {
    let of = |parts: &str| {
        let runs = r#"{"kind":"private-selection","runs":{"kind":"geometric","mean":100},"of":"#;
        let selection = subject(&format!("{runs}{parts}}}"));
        let found = resources(|resources| {
            let query = Query::delta("0").unwrap();
            selection
                .answer(&query, &width(1, 1000), resources)
                .unwrap()
        });
        found.enclosure.lower().to_f64()
    };
    let response = r#""kind":"randomized-response","exp-epsilon":3"#;
    let class = r#""kind":"pure-dp","exp-epsilon":1"#;
    let mixed = format!(
        r#"{{"kind":"mixture","of":[{{"weight":"0.999999",{response}}},{{"weight":"0.000001",{class}}}]}}"#
    );
    let sampled = format!(r#"{{"kind":"subsampled","rate":"1/2","of":{mixed}}}"#);
    assert!(of(&mixed) < 0.0261);
    assert!(of(&sampled) < 0.0261);
    // All of it a class: each outcome has coins.
    assert!(of(r#"{"kind":"pure-dp","exp-epsilon":3}"#) > 0.2);
}
