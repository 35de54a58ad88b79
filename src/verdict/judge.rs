//! The verdict on one claim.

use super::evidence::counterexample;
use super::inequality::{Decision, Inequality, known_of_every_mechanism};
use super::nearest::nearest_true;
use super::printed::within_printed_rounding;
use super::{Analyst, Outcome, Reason, Refutation, Statement, Verdict, is_vacuous};
use crate::analysis::{Answer, Ending, Goal, Refusal, Resources, Unsupported, prepare};
use crate::bounds::{Enclosure, Target};
use crate::input::{ClaimEntry, GdpForm};
use crate::kernel::{Failure, InvariantViolation};
use crate::statement::{Claim, StatedClaim};

const BETWEEN: &str = "no bound that is known of everything that is stated proves it, and no member that is known violates it";

/// Decides a claim about the mechanism that `analyst` knows.
///
/// `detail` is the width to which the nearest true claim of a refuted one is computed, and `width` that to which the quantity of a decided claim is
/// enclosed, as far as the budget allows; without one it is enclosed as narrowly as it took to decide.
/// Running out of time is no error: the claim is then undecided, with what is known by then.
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn judge(
    entry: &ClaimEntry,
    analyst: Result<&dyn Analyst, &Refusal>,
    resources: &Resources<'_>,
    detail: &Target,
    width: Option<&Target>,
) -> Result<Verdict, InvariantViolation> {
    let inequality = telling(&entry.claim, analyst.ok(), resources)?;
    let trivial = known_of_every_mechanism(&inequality.query)?;
    let verdict = |enclosure, outcome| Verdict {
        claim: entry.claim.clone(),
        statement: statement(&entry.claim, &enclosure, &outcome),
        query: inequality.query.clone(),
        relation: inequality.relation,
        bound: inequality.bound.clone(),
        vacuous: is_vacuous(&entry.claim),
        enclosure,
        outcome,
    };
    if is_vacuous(&entry.claim) {
        let margin = match inequality.decide(&trivial) {
            Decision::Holds(margin) => Some(margin),
            Decision::Fails(_) | Decision::Open => None,
        };
        return Ok(verdict(trivial, Outcome::Verified { margin }));
    }
    let analyst = match analyst {
        Ok(analyst) => analyst,
        Err(refusal) => {
            let outcome = refused(refusal, &inequality, &trivial)?;
            return Ok(verdict(trivial, outcome));
        }
    };
    if let Err(refusal) = prepare(&inequality.query, resources.budget) {
        return Ok(verdict(
            trivial.clone(),
            refused(&refusal, &inequality, &trivial)?,
        ));
    }
    let Some(answer) = ask(analyst, &inequality, resources)? else {
        let reason = out_of_time(&inequality, &trivial, true);
        return Ok(verdict(trivial, Outcome::Undecided(reason)));
    };
    let outcome = match inequality.decide(&answer.enclosure) {
        Decision::Holds(margin) => Outcome::Verified {
            margin: Some(margin),
        },
        Decision::Fails(margin) => Outcome::Refuted(Refutation {
            margin,
            witness: counterexample(&entry.claim, &answer),
            nearest: nearest_true(
                entry,
                (&inequality.query, &answer.enclosure),
                analyst,
                resources,
                detail,
            )?,
            rounding_of_printed_digits: within_printed_rounding(
                entry,
                &inequality,
                analyst,
                resources,
            )?,
        }),
        Decision::Open if answer.ending == Ending::DoesNotFollow => {
            Outcome::Undecided(Reason::DoesNotFollow(BETWEEN.to_owned()))
        }
        Decision::Open => {
            let more_time_helps = answer.ending == Ending::OutOfTime;
            Outcome::Undecided(out_of_time(&inequality, &answer.enclosure, more_time_helps))
        }
    };
    let (enclosure, outcome) = match width {
        Some(width) => {
            let goal = Goal::Width(width.clone());
            let ask = || answered(analyst.answer(&inequality.query, &goal, resources));
            narrowed(&inequality, (answer.enclosure, outcome), ask)?
        }
        None => (answer.enclosure, outcome),
    };
    Ok(verdict(enclosure, outcome))
}

/// A decided claim with what a further answer says of its quantity, and the margin of both together.
fn narrowed(
    inequality: &Inequality,
    (enclosure, outcome): (Enclosure, Outcome),
    ask: impl FnOnce() -> Result<Option<Answer>, InvariantViolation>,
) -> Result<(Enclosure, Outcome), InvariantViolation> {
    if matches!(outcome, Outcome::Undecided(_)) {
        return Ok((enclosure, outcome));
    }
    let Some(more) = ask()? else {
        return Ok((enclosure, outcome));
    };
    let enclosure = enclosure.intersect(&more.enclosure)?;
    let outcome = match (outcome, inequality.decide(&enclosure)) {
        (Outcome::Verified { .. }, Decision::Holds(margin)) => Outcome::Verified {
            margin: Some(margin),
        },
        (Outcome::Refuted(refutation), Decision::Fails(margin)) => Outcome::Refuted(Refutation {
            margin,
            ..refutation
        }),
        (Outcome::Verified { .. } | Outcome::Refuted(_) | Outcome::Undecided(_), _) => {
            let words = "a narrower enclosure decides a claim otherwise";
            return Err(InvariantViolation(words.to_owned()));
        }
    };
    Ok((enclosure, outcome))
}

/// The inequality by which the claim is decided: what it says, or one beside it that decides it as well.
fn telling(
    claim: &Claim,
    analyst: Option<&dyn Analyst>,
    resources: &Resources<'_>,
) -> Result<Inequality, InvariantViolation> {
    if let Some((analyst, (stronger, weaker))) = analyst.zip(Inequality::beside(claim)) {
        for (beside, wanted) in [(stronger, true), (weaker, false)] {
            let Some(answer) = ask(analyst, &beside, resources)? else {
                break;
            };
            let settles = match beside.decide(&answer.enclosure) {
                Decision::Holds(_) => wanted,
                Decision::Fails(_) => !wanted,
                Decision::Open => false,
            };
            if settles {
                return Ok(beside);
            }
        }
    }
    Ok(Inequality::of(claim))
}

/// The outcome where a mechanism cannot be treated.
fn refused(
    refusal: &Refusal,
    inequality: &Inequality,
    trivial: &Enclosure,
) -> Result<Outcome, InvariantViolation> {
    Ok(Outcome::Undecided(match refusal {
        Refusal::Unsupported(unsupported) => reason(unsupported),
        Refusal::Failure(Failure::Interrupted) => out_of_time(inequality, trivial, true),
        Refusal::Failure(Failure::Invariant(violation)) => return Err(violation.clone()),
    }))
}

/// Asks whether the inequality holds; `None` if there was no time for any answer.
pub(super) fn ask(
    analyst: &dyn Analyst,
    inequality: &Inequality,
    resources: &Resources<'_>,
) -> Result<Option<Answer>, InvariantViolation> {
    let goal = Goal::Compare {
        with: inequality.bound.clone(),
    };
    answered(analyst.answer(&inequality.query, &goal, resources))
}

pub(super) fn answered(
    answer: Result<Answer, Failure>,
) -> Result<Option<Answer>, InvariantViolation> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Failure::Interrupted) => Ok(None),
        Err(Failure::Invariant(violation)) => Err(violation),
    }
}

fn reason(unsupported: &Unsupported) -> Reason {
    match unsupported {
        Unsupported::NotBuilt(what) => Reason::Unsupported(what.clone()),
        Unsupported::DoesNotFollow(what) => Reason::DoesNotFollow(what.clone()),
    }
}

fn out_of_time(inequality: &Inequality, enclosure: &Enclosure, more_time_helps: bool) -> Reason {
    Reason::Budget {
        width: enclosure.width_up(),
        needed: inequality.width_to_decide_up(enclosure),
        more_time_helps,
    }
}

fn statement(claim: &Claim, enclosure: &Enclosure, outcome: &Outcome) -> Statement {
    let decided = !matches!(outcome, Outcome::Undecided(_));
    match claim.stated() {
        StatedClaim::Gdp { form, .. } => match form {
            GdpForm::Tolerance(_) => Statement::Tolerance,
            GdpForm::ErrorFloor(_) => Statement::ErrorFloor,
            GdpForm::Strict => Statement::Strict,
        },
        _ if decided && enclosure.exact().is_some() => Statement::Exact,
        _ => Statement::Strict,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, claim, judge_with, judge_without_time};
    use super::*;
    use crate::kernel::Pick;
    use crate::kernel::coarse::{Random, at_most_bits, few_bits};
    use crate::statement::Query;
    use crate::verdict::Relation;
    use crate::verdict::{Coordinate, Counterexample, Nearest};
    use rug::{Float, Rational};

    #[test]
    fn verified_refuted_and_undecided() {
        let fake = Fake::new().delta("8", (0.125, 0.25)).epsilon((8.5, 8.75));
        let verdict = judge_with(&fake, "approx-dp:epsilon=8,delta=0.5");
        assert_eq!(verdict.outcome.as_str(), "verified");
        assert_eq!(verdict.query, Query::delta(8).unwrap());
        assert_eq!(verdict.margin().unwrap().certified().to_f64(), 0.25);

        let verdict = judge_with(&fake, "approx-dp:epsilon=8,delta=0.0625");
        assert_eq!(verdict.outcome.as_str(), "refuted");
        assert_eq!(verdict.margin().unwrap().certified().to_f64(), -0.0625);

        let verdict = judge_with(&fake, "approx-dp:epsilon=8,delta=0.15625");
        let Outcome::Undecided(Reason::Budget { width, needed, .. }) = verdict.outcome else {
            panic!("the bound is inside the enclosure")
        };
        assert_eq!(width, 0.125);
        assert_eq!(needed, 0.09375);
    }

    #[test]
    fn equality_is_verified_and_called_exact() {
        let fake = Fake::new().advantage_exactly(Rational::from((1, 3)));
        let verdict = judge_with(&fake, "advantage:at-most=1/3");
        assert_eq!(verdict.outcome.as_str(), "verified");
        assert_eq!(verdict.statement, Statement::Exact);
        assert_eq!(verdict.margin().unwrap().certified().to_f64(), 0.0);
    }

    #[test]
    fn statements_of_gdp_claims() {
        let fake = Fake::new().mu((1.5, 1.625));
        for (text, statement) in [
            ("gdp:mu=2", Statement::Strict),
            ("gdp:mu=2,tolerance=0", Statement::Strict),
            ("gdp:mu=2,tolerance=1e-10", Statement::Tolerance),
            ("gdp:mu=2,error-floor=1e-10", Statement::ErrorFloor),
        ] {
            let verdict = judge_with(&fake, text);
            assert_eq!(verdict.statement, statement, "{text}");
            assert_eq!(verdict.outcome.as_str(), "verified", "{text}");
        }
        assert_eq!(
            judge_with(&fake, "gdp:mu=2,tolerance=1e-10").query,
            Query::gdp_mu_up_to("1e-10").unwrap()
        );
    }

    #[test]
    fn a_vacuous_claim_is_true_of_what_cannot_be_analysed() {
        let refusal = Refusal::from(Unsupported::NotBuilt("zcdp".to_owned()));
        let verdict = |text| {
            let budget = crate::kernel::Budget::unlimited();
            let resources = Resources {
                budget: &budget,
                jobs: 1,
                progress: &|_| (),
            };
            let detail = Target::Relative(Rational::from((1, 10_000)));
            judge(&claim(text), Err(&refusal), &resources, &detail, None).unwrap()
        };
        let vacuous = verdict("approx-dp:epsilon=1,delta=1");
        assert_eq!(vacuous.outcome.as_str(), "verified");
        assert!(vacuous.vacuous);
        let open = verdict("approx-dp:epsilon=1,delta=0.5");
        assert!(!open.vacuous);
        assert!(matches!(
            open.outcome,
            Outcome::Undecided(Reason::Unsupported(_))
        ));
    }

    #[test]
    fn no_time_for_any_answer_is_undecided_with_what_is_always_known() {
        let verdict = judge_without_time("approx-dp:epsilon=1,delta=0.25");
        let Outcome::Undecided(Reason::Budget { width, needed, .. }) = verdict.outcome else {
            panic!("nothing was answered")
        };
        assert_eq!((width.to_f64(), needed.to_f64()), (1.0, 0.75));
        assert_eq!(*verdict.enclosure.upper(), 1);
    }

    #[test]
    fn a_trade_off_claim_bounds_from_below() {
        let fake = Fake::new().trade_off((0.25, 0.5));
        let verified = judge_with(&fake, "trade-off:alpha=0.1,beta=0.125");
        assert_eq!(verified.outcome.as_str(), "verified");
        assert_eq!(verified.margin().unwrap().certified().to_f64(), 0.125);
        let refuted = judge_with(&fake, "trade-off:alpha=0.1,beta=0.75");
        let Outcome::Refuted(refutation) = refuted.outcome else {
            panic!("f is at most 0.5")
        };
        assert_eq!(refutation.margin.certified().to_f64(), -0.25);
        assert_eq!(
            refutation.nearest,
            Nearest::just(Claim::from_argument("trade-off:alpha=0.1,beta=0.25").unwrap())
        );
        assert_eq!(
            refutation.witness,
            Some(Counterexample::Point {
                alpha: Coordinate::Number(Rational::from((1, 10))),
                beta: Coordinate::Number(Rational::from((1, 2))),
            })
        );
    }

    /// What is beside a claim decides it on one side each: a loss between both numbers leaves it to the claim itself.
    #[test]
    fn a_loss_between_two_numbers_decides_nothing() {
        let log = Float::with_val(200, 3).ln();
        let largest = |far: f64| {
            let at = Float::with_val(200, &log + far);
            let (low, high) = (at.clone() - 1e-30f64, at + 1e-30f64);
            let fake = Fake::new().max_loss(Enclosure::new(low, high).unwrap());
            judge_with(&fake, "pure-dp:exp-epsilon=3").outcome
        };
        assert_eq!(largest(-1e-9).as_str(), "verified");
        assert_eq!(largest(1e-9).as_str(), "refuted");
        assert_eq!(largest(0.0).as_str(), "undecided");
    }

    /// What is said of an open claim is no less than the width, and than its longer part, at a few bits.
    #[test]
    fn widths_said_at_few_bits() {
        let mut random = Random(43);
        for _ in 0..10_000 {
            let bits = few_bits(&mut random);
            let ends = [random.float(bits), random.float(bits + 20)];
            let [a, b] = ends.clone().map(|x| x.to_rational().unwrap());
            let (low, high) = match a <= b {
                true => (a, b),
                false => (b, a),
            };
            let [x, y] = ends;
            let enclosure = Enclosure::new(x.clone().smaller(&y), x.larger(&y)).unwrap();
            let share = Rational::from((random.below(1000), 1000u32));
            let width = Rational::from(&high - &low);
            let inequality = Inequality {
                query: Query::advantage(),
                relation: Relation::AtMost,
                bound: &low + share * &width,
            };
            let longer =
                Rational::from(&inequality.bound - &low).max(&high - inequality.bound.clone());
            let reason = at_most_bits(bits, || out_of_time(&inequality, &enclosure, true));
            let Reason::Budget {
                width: said,
                needed,
                more_time_helps: true,
            } = reason
            else {
                panic!("{reason:?}")
            };
            assert!(
                said >= width && needed >= longer,
                "{said} {width} {needed} {longer}"
            );
        }
    }
}
