//! What is stated twice is equal, whether its worst case is known or only enclosed.

use super::*;
use crate::analysis::test_tools::subject;
use crate::analysis::{Contrast, Ending, Goal, Resources};
use crate::bounds::Target;
use crate::kernel::Budget;

/// Known by a closed form, by bounds alone, and as a class.
const STATEMENTS: [&str; 5] = [
    r#"{"kind":"gaussian","sigma":1}"#,
    r#"{"kind":"random-allocation","steps":5,"selected":2,"of":{"kind":"gaussian","sigma":2}}"#,
    r#"{"kind":"dp-sgd","sampling":"truncated-poisson","noise-multiplier":1,"sample-rate":"1/10","dataset-size":100,"max-batch":12,"steps":3}"#,
    r#"{"kind":"compose","of":[{"kind":"exponential","epsilon":1,"times":3}]}"#,
    r#"{"kind":"zcdp","rho":"1/10"}"#,
];

#[test]
fn the_same_statement_is_equal() {
    let budget = Budget::unlimited();
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    };
    let goal = Goal::Width(Target::Absolute(Rational::from((1, 10))));
    let mut bounds = 0;
    for text in STATEMENTS {
        let (one, other) = (subject(text), subject(text));
        bounds += u32::from(one.is_bound());
        assert!(one.certainly_dominates(&other).is_some(), "{text}");
        for contrast in [Contrast::To, Contrast::From, Contrast::Symmetric] {
            let found = one.compare(&other, &contrast, &goal, &resources).unwrap();
            assert_eq!(found.ending, Ending::Reached, "{text}");
            assert_eq!(found.enclosure.exact(), Some(&Rational::new()), "{text}");
        }
    }
    assert!(bounds >= 2, "{bounds}");
}

/// A statement in one order is not that in the other, and one more step is another statement.
#[test]
fn another_statement_is_not() {
    let more = STATEMENTS[2].replace(r#""steps":3"#, r#""steps":4"#);
    let one = subject(STATEMENTS[2]);
    assert!(one.is_bound());
    for other in [
        more,
        STATEMENTS[2].replace(r#""kind""#, r#""adjacency":"remove","kind""#),
    ] {
        assert!(
            one.certainly_dominates(&subject(&other)).is_none(),
            "{other}"
        );
    }
}

/// A class of Rényi guarantees dominates what has them: with equality, in both orders of a pair, and no more than that.
#[test]
fn classes_dominate_their_members() {
    let class = |rho: &str| subject(&format!(r#"{{"kind":"zcdp","rho":"{rho}"}}"#));
    let table = |orders: &str| subject(&format!(r#"{{"kind":"rdp","orders":{orders}}}"#));
    let sampled = r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":"1/10","steps":4}"#;
    let added = sampled.replace(r#""kind""#, r#""adjacency":"add","kind""#);
    for text in [STATEMENTS[0], sampled, &added] {
        let one = subject(text);
        assert!(class("1/2").certainly_dominates(&one).is_some(), "{text}");
        assert!(class("0.499").certainly_dominates(&one).is_none(), "{text}");
        assert!(one.certainly_dominates(&class("1/2")).is_none(), "{text}");
        assert!(table("[[2,1],[8,4]]").certainly_dominates(&one).is_some());
        assert!(table("[[2,1],[8,3.9]]").certainly_dominates(&one).is_none());
    }
    assert!(class("1/2").certainly_dominates(&class("0.4")).is_some());
    // Of Laplace noise no theorem has ρ.
    let laplace = subject(r#"{"kind":"laplace","scale":1}"#);
    assert!(class("1/2").certainly_dominates(&laplace).is_none());
}
