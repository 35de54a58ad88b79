//! A second look at a guarantee that is said to be false: a fresh enclosure, and somebody else's computation.

use std::time::Duration;

use rug::{Float, Rational};

use super::case::{Ask, Case};
use super::claim_file::{claim_file, claim_text};
use super::closed_form::{delta_above, delta_of_all, gaussian_tradeoff, tradeoff_below};
use super::judge::Rules;
use crate::analysis::{Answer, Goal, Resources, Subject, Witness};
use crate::bounds::{Enclosure, Target};
use crate::certificate::{ClaimText, Judgement, certificate};
use crate::input::{GdpForm, claim_file_from_bytes, mechanism_from_bytes};
use crate::kernel::{Failure, InvariantViolation};
use crate::number::{decimal_up, float_down, parse_rational};
use crate::statement::{Claim, Query, StatedClaim};
use crate::verdict::{Decision, Inequality};

/// What the second look saw.
#[derive(Debug, Clone)]
pub struct SecondLook {
    /// The quantity of the claim.
    pub enclosure: Enclosure,
    /// Does it refute the claim again?
    pub refuted: bool,
    /// By how much at least, as a number ≥ 0; `None` unless refuted.
    pub margin: Option<Float>,
    /// A claim that follows from this one and is false too, in words that certificates know.
    pub implied: Option<Claim>,
}

/// How narrow an enclosure should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrow {
    /// 1e-8 relative, with several times the time of a comparison: a second look.
    Again,
    /// 1e-8 relative, as far as there is time: what is shown beside a false guarantee.
    Digits,
    /// 1e-3 relative, quickly.
    Glance,
}

/// How many times more time a second look may take than a comparison.
const PATIENCE: u32 = 4;
/// Time for a whole search for a certificate.
const SEARCH: Duration = Duration::from_secs(40);
/// Digits of the numbers of an implied claim.
const DIGITS: usize = 25;

/// A fresh enclosure of what the claim bounds, nothing reused.
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn second_look(
    case: &Case,
    claim: &Claim,
    rules: &Rules,
) -> Result<Option<SecondLook>, InvariantViolation> {
    let inequality = Inequality::of(claim);
    let Some(answer) = fresh(case, &inequality.query, Narrow::Again, rules)? else {
        return Ok(None);
    };
    let margin = match inequality.decide(&answer.enclosure) {
        Decision::Fails(margin) => Some(-margin.certified().clone()),
        Decision::Holds(_) | Decision::Open => None,
    };
    Ok(Some(SecondLook {
        implied: implied(claim, &answer),
        refuted: margin.is_some(),
        margin,
        enclosure: answer.enclosure,
    }))
}

/// The quantity that was asked for, enclosed.
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn truth(
    case: &Case,
    narrow: Narrow,
    rules: &Rules,
) -> Result<Option<Enclosure>, InvariantViolation> {
    let query = match case.ask {
        Ask::Epsilon { delta } => Query::epsilon(delta.exactly()).ok(),
        Ask::BayesError { prior } => Query::bayes_error(prior.exactly()).ok(),
        _ => (case.ask.claim(&Rational::new())).map(|claim| claim.query()),
    };
    let Some(query) = query else { return Ok(None) };
    Ok(fresh(case, &query, narrow, rules)?.map(|answer| answer.enclosure))
}

/// Who else finds the claim false; `None` if nobody was found.
pub fn confirmation(
    case: &Case,
    claim: &Claim,
    look: &SecondLook,
    rules: &Rules,
    accepts: &dyn Fn(&str) -> bool,
) -> Option<String> {
    closed_form(case, claim)
        .or_else(|| by_certificate(case, claim, rules, accepts))
        .or_else(|| {
            let implied = look.implied.as_ref()?;
            let found = closed_form(case, implied);
            found.or_else(|| by_certificate(case, implied, rules, accepts))
        })
}

fn closed_form(case: &Case, claim: &Claim) -> Option<String> {
    let (what, true_value, refutes) = match claim.stated() {
        StatedClaim::ApproxDp { epsilon, delta } => {
            // Answers are numbers, and so are the claims that follow from them.
            let epsilon = &epsilon.exact()?;
            let all = delta_of_all(epsilon);
            let value = if all > *delta {
                all
            } else {
                delta_above(&case.model, epsilon)?
            };
            let refutes = value > *delta;
            ("delta >=", value, refutes)
        }
        StatedClaim::Advantage { at_most } => {
            let value = delta_above(&case.model, &Rational::new())?;
            let refutes = value > *at_most;
            ("advantage >=", value, refutes)
        }
        StatedClaim::TradeOff { alpha, beta } => {
            let all = Rational::from(1 - alpha);
            if *beta > all {
                let all = decimal_up(&all, 12);
                return Some(format!("closed form, f(alpha) <= 1 - alpha <= {all}"));
            }
            let value = tradeoff_below(&case.model, alpha)?;
            let refutes = value < *beta;
            ("f(alpha) <=", value, refutes)
        }
        _ => return None,
    };
    let digits = float_down(&true_value, 12);
    refutes.then(|| format!("closed form, {what} {digits}"))
}

fn by_certificate(
    case: &Case,
    claim: &Claim,
    rules: &Rules,
    accepts: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let text = claim_file(&case.model, &[claim_text(claim)?]);
    let file = claim_file_from_bytes("finding", text.as_bytes()).ok()?;
    let budget = rules.budget(SEARCH);
    let text = ClaimText {
        text: &text,
        is_line: false,
    };
    let judge = |text: &str| {
        if accepts(text) {
            Judgement::Accepted
        } else {
            Judgement::Rejected(String::new())
        }
    };
    certificate(&file, text, 0, false, &budget, &judge).ok()?;
    let kind = claim.kind();
    Some(format!(
        "certificate of the {kind} claim, accepted by dpcmp-check"
    ))
}

/// G_μ ≤ f above the floor says that f(α) ≥ G_μ(α) at the witness, if both are above the floor there.
fn implied(claim: &Claim, answer: &Answer) -> Option<Claim> {
    let StatedClaim::Gdp {
        mu,
        form: GdpForm::ErrorFloor(floor),
    } = claim.stated()
    else {
        return None;
    };
    let Some(Witness::Point { alpha, .. }) = &answer.witness else {
        return None;
    };
    let alpha = parse_rational(&decimal_up(&alpha.to_rational()?, DIGITS)).ok()?;
    let (beta, _) = gaussian_tradeoff(&mu.clone().square(), &alpha)?;
    let beta = parse_rational(&float_down(&beta, DIGITS)).ok()?;
    (alpha >= *floor && beta >= *floor).then(|| Claim::trade_off(alpha, beta).ok())?
}

fn fresh(
    case: &Case,
    query: &Query,
    narrow: Narrow,
    rules: &Rules,
) -> Result<Option<Answer>, InvariantViolation> {
    let Ok(file) = mechanism_from_bytes("case", case.model.json().as_bytes()) else {
        return Ok(None);
    };
    let (width, time) = match narrow {
        Narrow::Again => (100_000_000, rules.certify.saturating_mul(PATIENCE)),
        Narrow::Digits => (100_000_000, rules.certify),
        Narrow::Glance => (1000, rules.certify),
    };
    let budget = rules.budget(time);
    let Ok(subject) = Subject::new(&file.mechanism, file.adjacency, &budget) else {
        return Ok(None);
    };
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    };
    let goal = Goal::Width(Target::Relative(Rational::from((1, width))));
    match subject.answer(query, &goal, &resources) {
        Ok(answer) => Ok(Some(answer)),
        Err(Failure::Interrupted) => Ok(None),
        Err(Failure::Invariant(violation)) => Err(violation),
    }
}
