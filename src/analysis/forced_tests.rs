//! Every way to an answer about a composition is forced, and what comes out meets what every other way says: the closed form or exact law where there is
//! one, one finite law mixed in, one sum by Fourier integrals, squarings for both orders at once, for each apart, with the order that does not lead taken for the one
//! that does, and one of two steps averaged over the other.

use std::sync::Arc;

use rug::Rational;

use super::super::subject::Kind;
use super::super::{Ending, Goal, Method, Quantity, Resources, Subject};
use super::{BITS, Refinements, Route};
use crate::analysis::test_tools::resources;
use crate::bounds::{Effort, Enclosure, GdpForm, Target};
use crate::composition::parts::{Composition, PairKind, PoweredPair, resolve};
use crate::kernel::{Budget, Profile};
use crate::mechanism::{Adjacency, Direction, Epsilon, Mechanism};
use crate::plan::{DominantDirection, Resolution, Wanted};
use crate::statement::Query;
use crate::test_scale::{every, is_asked};

fn mechanism(text: &str) -> Mechanism {
    let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
    file.mechanism
}

/// How a step is given to the composition by laws.
#[derive(Clone, Copy, PartialEq)]
enum As {
    /// As the engine does.
    ItIs,
    /// By its profile alone: no lattice, and nothing is mixed in at the end.
    Profile,
}

/// Steps, so many of each.
type Steps<'a> = &'a [(&'a str, u64)];

fn parts(steps: Steps<'_>, how: As) -> Vec<PoweredPair> {
    let part = |(text, times): &(&str, u64)| {
        let found = resolve(mechanism(text).steps(), &Budget::unlimited()).unwrap();
        let Composition::Closed(part) = found else {
            panic!("not one pair: {text}");
        };
        let kind = match how {
            As::ItIs => part.kind,
            As::Profile => PairKind::Other,
        };
        PoweredPair {
            times: *times,
            kind,
            ..part
        }
    };
    steps.iter().map(part).collect()
}

fn composed(steps: Steps<'_>) -> Mechanism {
    let of: Vec<(Mechanism, u64)> = steps.iter().map(|(t, n)| (mechanism(t), *n)).collect();
    Mechanism::compose(of).unwrap()
}

fn quantities() -> Vec<Quantity> {
    let part = |n: u32, m: u32| Rational::from((n, m));
    vec![
        Quantity::Delta(Epsilon::from(part(1, 2))),
        Quantity::Delta(Epsilon::log_of(part(1, 3)).unwrap()),
        Quantity::Epsilon {
            delta: part(1, 100),
        },
        Quantity::TradeOff { alpha: part(1, 20) },
        Quantity::Advantage,
        Quantity::BayesError { prior: part(2, 5) },
        Quantity::MinimaxRisk,
        Quantity::GdpMu(GdpForm::Tolerance(part(1, 1000))),
    ]
}

const EVERY_ROUTE: [(&str, Route); 6] = [
    ("one sum", Route::Summed),
    ("squarings", Route::Composed),
    ("each order apart", Route::Apart(None)),
    (
        "remove taken to lead",
        Route::Apart(Some(DominantDirection {
            direction: Direction::Remove,
            gap: 0.3,
        })),
    ),
    (
        "add taken to lead",
        Route::Apart(Some(DominantDirection {
            direction: Direction::Add,
            gap: 0.3,
        })),
    ),
    ("one step averaged over the other", Route::Averaged),
];

/// All answers to all questions by all open ways meet (by default one question in three, the others for other mechanisms), and are not much wider than asked for. The names of the ways that were open.
fn all_ways_meet(steps: Steps<'_>, adjacency: Adjacency, how: As) -> Vec<&'static str> {
    let mechanism = composed(steps);
    let subject = Subject::new(&mechanism, adjacency, &Budget::unlimited()).unwrap();
    let refinements = Refinements::new(&mechanism, parts(steps, how), adjacency);
    let target = Target::Relative(Rational::from((1, 20)));
    let goal = Goal::Width(target.clone());
    let wanted = Wanted {
        tail: Rational::from((1, 1u64 << 50)),
        width: Some(Rational::from((1, 20))),
        spare: false,
        excess: None,
        steps: refinements.steps(),
    };
    let resolution = Resolution::after(None, &wanted).unwrap();
    let mut open = Vec::new();
    let mut answers: Vec<(Quantity, Vec<(&str, Enclosure)>)> = resources(|resources| {
        let usual = |quantity: Quantity| {
            let found = subject.enclose(&quantity, &goal, resources).unwrap();
            assert_ne!(found.ending, Ending::OutOfTime);
            (quantity, vec![("as usual", found.enclosure)])
        };
        let times = steps.iter().map(|(_, times)| times).sum::<u64>();
        let turn = usize::try_from(times).unwrap() + usize::from(how == As::Profile);
        let all = quantities().into_iter().enumerate();
        let asked = all.filter(|(place, _)| is_asked(place + turn, 6));
        asked.map(|(_, quantity)| usual(quantity)).collect()
    });
    for (name, route) in EVERY_ROUTE {
        let is_possible =
            !matches!(route, Route::Averaged) || refinements.components.as_two(|_| 0u8).is_some();
        let found = resources(|resources| {
            is_possible
                .then(|| refinements.refine(route, resolution, 0, resources).unwrap())
                .flatten()
        });
        let Some(refinement) = found else { continue };
        open.push(name);
        let budget = Budget::unlimited();
        let effort = Effort {
            bits: BITS,
            target: &target,
            goal: None,
            budget: &budget,
        };
        for (quantity, known) in &mut answers {
            let sides = subject.oriented(&refinement.sides, quantity);
            let found = super::query::ask(&sides, quantity, &effort).unwrap();
            known.push((name, found.enclosure));
        }
    }
    for (quantity, found) in &answers {
        for (i, (one, a)) in found.iter().enumerate() {
            for (other, b) in found.iter().skip(i + 1) {
                assert!(
                    a.intersect(b).is_ok(),
                    "{adjacency:?} {steps:?} {quantity:?}: {one} {a:?}, {other} {b:?}"
                );
            }
        }
    }
    // Whatever is open says something.
    for (quantity, found) in &answers {
        if matches!(quantity, Quantity::Advantage) {
            for (name, enclosure) in found {
                assert!(
                    enclosure.width_up() < 0.3,
                    "{steps:?} {name}: {enclosure:?}"
                );
            }
        }
    }
    open
}

const SAMPLED: &str = r#"{"kind":"subsampled","rate":0.2,"of":{"kind":"gaussian","sigma":1}}"#;
const RARE: &str = r#"{"kind":"subsampled","rate":0.02,"of":{"kind":"gaussian","sigma":1}}"#;
const OTHER: &str = r#"{"kind":"subsampled","rate":0.01,"of":{"kind":"gaussian","sigma":0.8}}"#;
const LAPLACE: &str = r#"{"kind":"laplace","scale":3}"#;
const GAUSSIAN: &str = r#"{"kind":"gaussian","sigma":3}"#;
const ANSWERS: &str = r#"{"kind":"randomized-response","noise":"2/3"}"#;
const SKEWED: &str = r#"{"kind":"finite","p":["1/2","1/3","1/6"],"q":["1/4","1/4","1/2"]}"#;
const WHOLE: &str = r#"{"kind":"discrete-gaussian","sigma":3}"#;

/// All ways but the average of two steps.
const FIVE: [&str; 5] = [
    "one sum",
    "squarings",
    "each order apart",
    "remove taken to lead",
    "add taken to lead",
];

#[test]
fn many_steps() {
    let all: [(Steps<'_>, _); 3] = [
        (&[(RARE, 200)], Adjacency::AddRemove),
        (&[(RARE, 1000)], Adjacency::Remove),
        (&[(RARE, 600), (OTHER, 500)], Adjacency::Add),
    ];
    for (steps, adjacency) in all.into_iter().step_by(every(6)) {
        assert_eq!(all_ways_meet(steps, adjacency, As::ItIs), FIVE, "{steps:?}");
    }
}

#[test]
fn two_steps() {
    for steps in [&[(SAMPLED, 2)][..], &[(SAMPLED, 1), (LAPLACE, 1)]] {
        let open = all_ways_meet(steps, Adjacency::AddRemove, As::ItIs);
        assert!(
            open.contains(&"one step averaged over the other") && open.contains(&"squarings"),
            "{open:?}"
        );
    }
}

/// Closed forms, and exact laws, against laws on a lattice that know only their profiles.
#[test]
fn closed_forms_and_exact_laws() {
    let all: [Steps<'_>; 4] = [
        &[(GAUSSIAN, 9)],
        &[(ANSWERS, 12)],
        &[(SKEWED, 4), (ANSWERS, 3)],
        &[(GAUSSIAN, 4), (ANSWERS, 2)],
    ];
    for (number, steps) in all.into_iter().enumerate() {
        let subject = Subject::new(&composed(steps), Adjacency::Remove, &Budget::unlimited());
        assert!(subject.unwrap().is_closed_form());
        for (place, how) in [As::ItIs, As::Profile].into_iter().enumerate() {
            if is_asked(number + place, 6) {
                let open = all_ways_meet(steps, Adjacency::AddRemove, how);
                assert!(open.contains(&"squarings"), "{open:?}");
            }
        }
    }
}

/// A finite law is mixed in at the end, or composed with the rest; a lattice of masses is used, or the profile alone.
#[test]
fn mixed_in_or_composed() {
    let all: [Steps<'_>; 3] = [
        &[(SAMPLED, 8), (SKEWED, 1)],
        &[(WHOLE, 3), (LAPLACE, 2)],
        &[(WHOLE, 2), (ANSWERS, 1)],
    ];
    for (number, steps) in all.into_iter().enumerate() {
        for (place, how) in [As::ItIs, As::Profile].into_iter().enumerate() {
            if is_asked(number + place, 4) {
                let open = all_ways_meet(steps, Adjacency::Remove, how);
                assert!(open.contains(&"squarings"), "{open:?}");
            }
        }
    }
}

/// Of a class of compositions the Gaussian one is a member: by laws it is nowhere above the guarantee.
#[test]
fn classes() {
    let stated = composed(&[(r#"{"kind":"zcdp","rho":"1/16"}"#, 2), (GAUSSIAN, 3)]);
    let member: Steps<'_> = &[
        (r#"{"kind":"gaussian","mu-squared":"1/8"}"#, 2),
        (GAUSSIAN, 3),
    ];
    let class = Subject::new(&stated, Adjacency::AddRemove, &Budget::unlimited()).unwrap();
    assert!(!class.is_attained(&Query::advantage()));
    let by_laws = Refinements::new(
        &composed(member),
        parts(member, As::Profile),
        Adjacency::AddRemove,
    );
    let goal = Goal::Width(Target::Relative(Rational::from((1, 100))));
    resources(|resources| {
        for quantity in quantities() {
            let of_class = class.enclose(&quantity, &goal, resources).unwrap();
            let orient = |sides: &_| class.oriented(sides, &quantity);
            let of_member = by_laws
                .answer(&quantity, &goal, resources, &orient)
                .unwrap();
            let (all, one) = (of_class.enclosure, of_member.enclosure);
            let falls = matches!(
                quantity,
                Quantity::TradeOff { .. } | Quantity::BayesError { .. } | Quantity::MinimaxRisk
            );
            assert!(
                if falls {
                    one.upper() >= all.lower()
                } else {
                    one.lower() <= all.upper()
                },
                "{quantity:?}: {all:?} {one:?}"
            );
            // The member is where the enclosure begins.
            assert!(all.intersect(&one).is_ok(), "{quantity:?}: {all:?} {one:?}");
        }
    });
}

/// More mass at infinity below than above is a contradiction, in either order of the pair.
#[test]
fn masses_at_infinity_are_in_order() {
    let profile = |p: &str, q: &str| {
        let text = format!(r#"{{"kind":"finite","p":{p},"q":{q}}}"#);
        parts(&[(text.as_str(), 1)], As::ItIs).remove(0).profile
    };
    let some = profile(r#"["1/2","1/2",0]"#, r#"["1/2","1/4","1/4"]"#);
    let more = profile(r#"["1/2","1/2",0]"#, r#"["1/4","1/4","1/2"]"#);
    let none = profile(r#"["1/2","1/2"]"#, r#"["1/4","3/4"]"#);
    let is_fine = |upper: &Arc<dyn Profile>, lower: &Arc<dyn Profile>| {
        let range = crate::bounds::LossRange::default();
        let sides = crate::bounds::TwoSided::between(upper.clone(), lower.clone(), range);
        super::check_infinite_masses(&sides).is_ok()
    };
    for (first, second) in [(&some, &more), (&none, &some), (&none, &more)] {
        let turned = (first.swapped(), second.swapped());
        assert!(is_fine(second, first) && !is_fine(first, second));
        assert!(is_fine(&turned.1, &turned.0) && !is_fine(&turned.0, &turned.1));
        assert!(is_fine(first, first));
    }
}

/// Laws that are made for the first question serve for those that are expected, and an answer is not made dearer by laws that would not do: those are looked at only where
/// there is no time for others.
#[test]
fn laws_serve_for_what_is_expected() {
    let run = r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":0.01,"steps":1000}"#;
    let target = Target::Relative(Rational::from((1, 10_000)));
    let goal = Goal::Width(target.clone());
    let epsilon = Quantity::Epsilon {
        delta: Rational::from((1, 100_000)),
    };
    let mu = Quantity::GdpMu(GdpForm::ErrorFloor(Rational::from((1, 10_000_000_000u64))));
    let mut found: Vec<[Enclosure; 2]> = Vec::new();
    for is_expected in [false, true] {
        let subject = Subject::new(&mechanism(run), Adjacency::AddRemove, &Budget::unlimited());
        let subject = subject.unwrap();
        let Kind::Laws(refinements) = &subject.kind else {
            panic!("not by laws")
        };
        if is_expected {
            subject.expect(&mu, &goal);
        }
        let both = resources(|all| {
            [&epsilon, &mu].map(|quantity| subject.enclose(quantity, &goal, all).unwrap())
        });
        let made = refinements.kept(Route::Summed).len();
        assert_eq!(made, [2, 1][usize::from(is_expected)]);
        for answer in &both {
            assert_eq!(answer.ending, Ending::Reached);
            assert!(matches!(answer.method, Method::Laws { rounds: 1, .. }));
        }
        found.push(both.map(|answer| answer.enclosure));
    }
    let [without, with] = found.as_slice() else {
        panic!("two ways")
    };
    for (one, other) in without.iter().zip(with) {
        assert!(one.intersect(other).is_ok(), "{one:?} {other:?}");
    }
    // Only the laws of another question, and no time.
    let subject = Subject::new(&mechanism(run), Adjacency::AddRemove, &Budget::unlimited());
    let subject = subject.unwrap();
    resources(|all| subject.enclose(&epsilon, &goal, all).unwrap());
    let spent = Budget::new(std::time::Duration::ZERO, Arc::default());
    let none = Resources {
        budget: &spent,
        jobs: 1,
        progress: &|_| {},
    };
    let answer = subject.enclose(&mu, &goal, &none).unwrap();
    assert_eq!(answer.ending, Ending::OutOfTime);
    assert!(matches!(answer.method, Method::Laws { rounds: 1, .. }));
}

/// Laws of values that were made when the time was over may be wide: no later question is answered by them.
#[test]
fn late_laws_are_not_kept() {
    let steps: Steps<'_> = &[(r#"{"kind":"laplace","scale":2}"#, 3)];
    let refinements = Refinements::new(
        &composed(steps),
        parts(steps, As::Profile),
        Adjacency::AddRemove,
    );
    let wanted = Wanted {
        tail: Rational::from((1, 1u64 << 50)),
        width: Some(Rational::from((1, 20))),
        spare: false,
        excess: None,
        steps: refinements.steps(),
    };
    let resolution = Resolution::after(None, &wanted).unwrap();
    let kept = || {
        let made =
            resources(|resources| refinements.refine(Route::Composed, resolution, 1, resources));
        assert!(matches!(made, Ok(Some(_))));
        refinements.known(Route::Composed).len()
    };
    assert_eq!(crate::kernel::coarse::late(kept), 0);
    assert_eq!(kept(), 1);
}
