//! A mechanism of which everything that can be is listed: the worst of it is looked for.

use std::sync::Arc;

use rug::{Float, Rational};

use super::query::decides;
use super::subject::Kind;
use super::{Answer, Ending, Goal, Quantity, Resources, Subject};
use crate::bounds::{Enclosure, Target, TwoSided};
use crate::kernel::Failure;
use crate::kernel::directed::Pick;
use crate::mechanism::closed::Largest;

/// A first look is this narrow, relative to the value.
const GLANCE: (u32, u32) = (1, 8);

impl Subject {
    /// The quantity of the member that reveals most: the largest if it `rises` with what is revealed, the smallest otherwise.
    ///
    /// Ensures: where the members have values vᵢ in [aᵢ, bᵢ], max vᵢ lies in [max aᵢ, max bᵢ], and those with bᵢ < max aᵢ do not matter.
    pub(super) fn enclose_worst(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        rises: bool,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let mut left: Vec<&Self> = self.members.iter().collect();
        if matches!(goal, Goal::Width(_)) && left.len() > 1 {
            let glance = Goal::Width(Target::Relative(Rational::from(GLANCE)));
            let answers = answers(&left, quantity, &glance, resources)?;
            let may_be_worst = contenders(&answers, rises);
            let kept = left.into_iter().zip(may_be_worst);
            left = kept.filter_map(|(one, may)| may.then_some(one)).collect();
        }
        let answers = answers(&left, quantity, goal, resources)?;
        let may_be_worst = contenders(&answers, rises);
        let contenders = answers.into_iter().zip(may_be_worst);
        let worst = contenders
            .filter_map(|(answer, may)| may.then_some(answer))
            .map(Ok)
            .reduce(|a, b| worse(a?, b?, rises));
        let mut answer = worst.unwrap_or(Err(Failure::Interrupted))?;
        if decides(&answer.enclosure, goal) {
            answer.ending = Ending::Reached;
        }
        Ok(answer)
    }

    /// What follows from the largest δ of the members at each ε, whose trade-off function is the largest convex one below theirs; `None` unless all are closed forms.
    ///
    /// Requires: the subject is one of which all members are listed, so that its range of losses holds that of each.
    pub(super) fn enclose_together(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Option<Answer>, Failure> {
        let profiles = self.members.iter().map(|one| match &one.kind {
            Kind::Closed { part, .. } => Some(Arc::clone(&part.profile)),
            Kind::Class { .. } | Kind::Laws(_) => None,
        });
        let Some(profiles) = profiles.collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let largest = TwoSided::closed_form(Arc::new(Largest::new(profiles)));
        let sides = self.oriented(&largest, quantity);
        let answer = self.by_closed_form(&sides, quantity, goal, resources)?;
        Ok(Some(answer))
    }
}

fn answers(
    of: &[&Subject],
    quantity: &Quantity,
    goal: &Goal,
    resources: &Resources<'_>,
) -> Result<Vec<Answer>, Failure> {
    of.iter()
        .map(|one| one.enclose_alone(quantity, goal, resources))
        .collect()
}

/// Which answers are not certainly better than another one?
fn contenders(answers: &[Answer], rises: bool) -> Vec<bool> {
    let ends = answers.iter().map(|answer| match rises {
        true => answer.enclosure.lower().clone(),
        false => answer.enclosure.upper().clone(),
    });
    let bar: Option<Float> = ends.reduce(|a, b| if rises { a.larger(&b) } else { a.smaller(&b) });
    let may_be_worst = |answer: &Answer| match &bar {
        None => true,
        Some(bar) if rises => answer.enclosure.upper() >= bar,
        Some(bar) => answer.enclosure.lower() <= bar,
    };
    answers.iter().map(may_be_worst).collect()
}

/// Of two answers that may both be the worst.
fn worse(a: Answer, b: Answer, rises: bool) -> Result<Answer, Failure> {
    let pick = |x: &Float, y: &Float| match rises {
        true => x.clone().larger(y),
        false => x.clone().smaller(y),
    };
    let same = a.enclosure.exact().is_some() && a.enclosure.exact() == b.enclosure.exact();
    if same {
        return Ok(a);
    }
    let enclosure = Enclosure::new(
        pick(a.enclosure.lower(), b.enclosure.lower()),
        pick(a.enclosure.upper(), b.enclosure.upper()),
    )?;
    // What a bound can be seen at belongs to the one with the larger lower, or smaller upper, end.
    let is_first = match rises {
        true => a.enclosure.lower() >= b.enclosure.lower(),
        false => a.enclosure.upper() <= b.enclosure.upper(),
    };
    let ending = if is_done(&a.ending) {
        b.ending
    } else {
        a.ending
    };
    let kept = if is_first { a } else { b };
    Ok(Answer {
        enclosure,
        ending,
        ..kept
    })
}

fn is_done(ending: &Ending) -> bool {
    matches!(ending, Ending::Reached)
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;
    use crate::analysis::test_tools::{resources, subject, width};
    use crate::mechanism::GdpForm;

    fn answer(low: f64, high: f64) -> Answer {
        let end = |x: f64| Float::with_val(64, x);
        Answer {
            enclosure: Enclosure::new(end(low), end(high)).unwrap(),
            method: Method::ClosedForm,
            ending: Ending::Exhausted,
            witness: None,
        }
    }

    /// f of the release of keys is the largest convex function below those of a new key and of one that others have, and what follows from it is not that of one of them: from both laws, as their
    /// hull has it.
    #[test]
    fn curves_of_several_pairs_are_convex_together() {
        let keys = |keys: u32, adjacency: &str| {
            subject(&format!(
                r#"{{"kind":"noise-threshold","noise":"discrete-laplace","scale":"1/2","threshold":3,"release-if":">=","keys":{keys},"adjacency":"{adjacency}"}}"#
            ))
        };
        let rate = || Quantity::TradeOff {
            alpha: Rational::from((1, 7)),
        };
        let floor = || Quantity::GdpMu(GdpForm::ErrorFloor(Rational::from((1, 10))));
        for (count, adjacency, quantity, truth) in [
            (1, "add-remove", rate(), 0.115_941_944_458_18),
            (1, "add", rate(), 0.115_941_944_458_18),
            (2, "remove", rate(), 0.094_058_918_8),
            (2, "remove", Quantity::MinimaxRisk, 0.118_250_135_174_099),
            (2, "add-remove", floor(), 2.376_337_492_108_47),
        ] {
            let found = resources(|resources| {
                let keys = keys(count, adjacency);
                keys.enclose_between(&quantity, &width(1, 1_000_000_000), resources)
            });
            let found = found.unwrap();
            for end in [found.enclosure.lower(), found.enclosure.upper()] {
                let share = end.to_f64() / truth;
                assert!((share - 1.0).abs() < 2e-9, "{count} {quantity:?} {end}");
            }
        }
    }

    /// The largest of two numbers between 1 and 4, and 2 and 3, lies between 2 and 4, the smallest between 1 and 3.
    #[test]
    fn the_worse_of_two_that_may_be() {
        for (rises, expected) in [(true, (2.0, 4.0)), (false, (1.0, 3.0))] {
            let pairs = [
                (answer(1.0, 4.0), answer(2.0, 3.0)),
                (answer(2.0, 3.0), answer(1.0, 4.0)),
            ];
            for (a, b) in pairs {
                let found = worse(a, b, rises).unwrap().enclosure;
                assert_eq!(*found.lower(), expected.0);
                assert_eq!(*found.upper(), expected.1);
            }
        }
    }

    /// Only what is certainly better is left out.
    #[test]
    fn what_may_be_the_worst_stays() {
        let all = [
            answer(1.0, 2.0),
            answer(2.0, 5.0),
            answer(3.0, 4.0),
            answer(0.0, 1.5),
        ];
        assert_eq!(contenders(&all, true), [false, true, true, false]);
        assert_eq!(contenders(&all, false), [true, false, false, true]);
    }

    /// A number that is known may be the worst itself, and so may all that reach it.
    #[test]
    fn equal_ones_stay() {
        let all = [answer(2.0, 2.0), answer(1.0, 2.0), answer(2.0, 2.0)];
        assert_eq!(contenders(&all, true), [true; 3]);
        let all = [answer(2.0, 2.0), answer(2.0, 3.0), answer(2.0, 2.0)];
        assert_eq!(contenders(&all, false), [true; 3]);
    }

    /// What shows a bound is that of the answer with the larger lower end, or the smaller upper one.
    #[test]
    fn who_shows_the_bound() {
        let of = |low: f64, high: f64, cells| Answer {
            method: Method::Laws { cells, rounds: 1 },
            ..answer(low, high)
        };
        for (a, b, rises, cells) in [
            ((1.0, 4.0), (2.0, 3.0), true, 2),
            ((2.0, 3.0), (1.0, 4.0), true, 1),
            ((1.0, 4.0), (2.0, 3.0), false, 2),
            ((2.0, 3.0), (1.0, 4.0), false, 1),
            ((1.0, 4.0), (3.0, 5.0), true, 2),
            ((1.0, 4.0), (3.0, 5.0), false, 1),
            ((3.0, 5.0), (1.0, 4.0), true, 1),
            ((3.0, 5.0), (1.0, 4.0), false, 2),
        ] {
            let found = worse(of(a.0, a.1, 1), of(b.0, b.1, 2), rises).unwrap();
            assert_eq!(found.method, Method::Laws { cells, rounds: 1 });
        }
    }
}
