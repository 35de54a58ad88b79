//! What was asked before makes no answer worse.

use dpcmp::mechanism::Epsilon;
use proptest::prelude::*;
use rug::Rational;

use dpcmp::analysis::{Answer, Ending, Goal, Method, Resources, Subject};
use dpcmp::bounds::{GdpForm, Target};
use dpcmp::kernel::Budget;
use dpcmp::statement::Quantity;

fn subject(text: &str) -> Subject {
    let file = dpcmp::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
    Subject::new(&file.mechanism, file.adjacency, &Budget::unlimited()).unwrap()
}

fn target() -> Target {
    Target::Relative(Rational::from((1, 1000)))
}

fn ask(subject: &Subject, quantity: &Quantity) -> Answer {
    let budget = Budget::unlimited();
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| {},
    };
    let goal = Goal::Width(target());
    subject.enclose(quantity, &goal, &resources).unwrap()
}

fn epsilon(delta: (u32, u32)) -> Quantity {
    Quantity::Epsilon {
        delta: Rational::from(delta),
    }
}

fn cells(answer: &Answer) -> u64 {
    match answer.method {
        Method::Laws { cells, .. } => cells,
        _ => 0,
    }
}

const REVEALING: &str = r#"{"kind":"dp-sgd","noise-multiplier":0.729,"sample-rate":0.5949,"steps":5000,"adjacency":"add"}"#;

/// The question about ε leaves the sums for squarings, which are far too slow a way to the advantage.
#[test]
fn the_advantage_of_a_revealing_mechanism_after_its_epsilon() {
    let alone = ask(&subject(REVEALING), &Quantity::Advantage);
    let asked = subject(REVEALING);
    ask(&asked, &epsilon((221, 100_000_000)));
    for _ in 0..2 {
        let later = ask(&asked, &Quantity::Advantage);
        assert_eq!(later.ending, Ending::Reached);
        assert!(cells(&later) <= 8192, "{:?}", later.method);
        // The sums are other ones, by their rounding: what is missing to 1 is the same to nine digits.
        let missing =
            |answer: &Answer| Rational::from(1) - answer.enclosure.lower().to_rational().unwrap();
        let more = Rational::from(1) + Rational::from((1, 1_000_000_000));
        assert!(missing(&later) <= missing(&alone) * more);
    }
}

/// δ(5.87) is nearly 1, so the advantage is: nothing is left to compute.
#[test]
fn a_point_of_the_profile_is_enough_for_the_advantage() {
    let asked = subject(REVEALING);
    let at = Epsilon::from(Rational::from((587, 100)));
    let before = ask(&asked, &Quantity::Delta(at));
    let nearly_one = Rational::from(1) - Rational::from((1, 100_000_000_000_000_000_000u128));
    assert!(*before.enclosure.lower() > nearly_one);
    let later = ask(&asked, &Quantity::Advantage);
    assert_eq!(later.method, before.method);
    assert!(*later.enclosure.lower() > nearly_one);
}

/// So much noise that no lattice holds the losses: the strict mu says what is left.
#[test]
fn theorems_speak_where_laws_cannot() {
    for steps in [10, 97] {
        let text = format!(
            r#"{{"kind":"dp-sgd","noise-multiplier":1e300,"sample-rate":0.01,"steps":{steps}}}"#
        );
        let asked = subject(&text);
        let one = Epsilon::from(Rational::from(1));
        for quantity in [Quantity::Delta(one), Quantity::Advantage] {
            let found = ask(&asked, &quantity);
            assert!(*found.enclosure.upper() < 1e-290, "{:?}", found.enclosure);
        }
        let half = Quantity::TradeOff {
            alpha: Rational::from((1, 2)),
        };
        assert!(*ask(&asked, &half).enclosure.lower() > 0.499);
    }
}

const MECHANISMS: [&str; 4] = [
    r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.1,"steps":60}"#,
    r#"{"kind":"dp-sgd","noise-multiplier":0.6,"sample-rate":0.5,"steps":40,"adjacency":"add"}"#,
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":2,"times":6}],"adjacency":"remove"}"#,
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":3},{"kind":"gaussian","sigma":2}]}"#,
];

fn quantities() -> Vec<Quantity> {
    let part = |n: u32, m: u32| Rational::from((n, m));
    vec![
        Quantity::Advantage,
        Quantity::Delta(Epsilon::from(part(1, 1))),
        Quantity::Delta(Epsilon::from(part(4, 1))),
        Quantity::Delta(Epsilon::log_of(part(1, 3)).unwrap()),
        epsilon((1, 100)),
        epsilon((1, 1_000_000)),
        Quantity::TradeOff { alpha: part(1, 20) },
        Quantity::BayesError { prior: part(2, 5) },
        Quantity::MinimaxRisk,
        Quantity::GdpMu(GdpForm::Tolerance(part(1, 1_000_000))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]
    #[test]
    fn no_answer_is_worse_for_what_was_asked_before(
        which in 0..MECHANISMS.len(),
        order in prop::collection::vec(0usize..10, 2..5),
    ) {
        let asked = subject(MECHANISMS[which]);
        for index in order {
            let quantity = &quantities()[index];
            let later = ask(&asked, quantity);
            let alone = ask(&subject(MECHANISMS[which]), quantity);
            // Both are true: they meet.
            alone.enclosure.intersect(&later.enclosure).unwrap();
            prop_assert!(
                later.enclosure.meets(&target())
                    || later.enclosure.width_up() <= alone.enclosure.width_up(),
                "{quantity:?}: {:?} after {:?}", later.enclosure, alone.enclosure
            );
            prop_assert!(alone.ending != Ending::Reached || later.ending == Ending::Reached);
        }
    }
}

/// At a loss of exactly 0 many lines of a law meet, and at that point alone it may tell nothing: for a record replaced by its opposite that is where the advantage is.
/// What is beside it is enough, and no finer laws are made.
#[test]
fn a_law_that_tells_nothing_at_a_loss_of_zero() {
    let run = |steps: u32| {
        format!(
            r#"{{"kind":"dp-sgd","noise-multiplier":0.6,"sample-rate":1e-3,"steps":{steps},"adjacency":"replace-one"}}"#
        )
    };
    for (steps, quantity) in [(64, Quantity::Advantage), (1000, epsilon((1, 100_000)))] {
        let found = ask(&subject(&run(steps)), &quantity);
        assert!(matches!(found.ending, Ending::Reached), "{found:?}");
        assert!(found.enclosure.meets(&target()), "{found:?}");
        assert!((1..100_000).contains(&cells(&found)), "{found:?}");
    }
}
