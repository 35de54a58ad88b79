//! From a fault to a finding: shrunk, looked at a second time, confirmed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rug::{Float, Rational};

use super::answer::{Stated, clip};
use super::case::{Ask, Case, GuaranteeSide};
use super::claim_file::claim_text;
use super::confirm::{Narrow, SecondLook, confirmation, second_look, truth};
use super::finding::{Finding, Origin};
use super::generate::Draw;
use super::judge::{CaseJudge, Fault, Kind, Rules};
use super::probe::Probe;
use super::shrink::{Effort, shrink};
use crate::bounds::Enclosure;
use crate::kernel::InvariantViolation;
use crate::number::{decimal_down, decimal_up, float_down, float_up, parse_rational};
use crate::statement::Claim;

/// Digits of numbers in findings.
const DIGITS: usize = 12;
/// Added to an answer to see how wrong it is; while it is shrunk it must stay as wrong.
const SLACKS: [(u32, u32); 3] = [(1, 50), (1, 1000), (1, 1_000_000)];

/// What a finding is made with.
pub struct Hunter<'h> {
    /// When an answer is wrong.
    pub rules: &'h Rules,
    /// Name and versions of the accountant.
    pub accountant: String,
    /// The command that runs it.
    pub command: String,
    /// Seed of the run.
    pub seed: u64,
    /// Says whether the independent checker accepts a certificate.
    pub checker: &'h (dyn Fn(&str) -> bool + Sync),
    /// When the run should end.
    pub deadline: Option<Instant>,
}

/// The cause that a fault of a case is put down to.
pub fn cause(fault: &Fault, case: &Case) -> String {
    match fault.kind {
        Kind::Crash | Kind::Nonsense => {
            let words = without_numbers(&fault.detail);
            format!("{}: {}", case.ask.kind(), clip(words.trim(), 70))
        }
        Kind::Timeout | Kind::Loose => case.class(),
        _ => case.regime(),
    }
}

/// Numbers in messages are those of the case, but for the exit code and the signal of a process that ended.
fn without_numbers(words: &str) -> String {
    let mut before = "";
    let kept = words.split(' ').map(|word| {
        let is_kept = matches!(before, "code" | "signal");
        before = word;
        let digits = |c: &char| is_kept || !c.is_ascii_digit();
        word.chars().filter(digits).collect::<String>()
    });
    kept.collect::<Vec<_>>().join(" ")
}

impl Hunter<'_> {
    /// Follows a fault up. `None` where it was not seen again, or a second look does not refute it.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn follow(
        &self,
        probe: &mut Probe<'_>,
        draw: &Draw,
        number: u64,
        fault: &Fault,
        said: &str,
    ) -> Result<Option<Finding>, InvariantViolation> {
        let mut rules = self.rules.clone();
        if fault.kind == Kind::Unsound
            && let Some(value) = &fault.value
        {
            rules.slack = self.how_wrong(&draw.case, value)?;
        }
        let small = self.shrunk(probe, draw, fault, &rules);
        let mut found = None;
        let mut cases = vec![small];
        if cases.first() != Some(&draw.case) {
            cases.push(draw.case.clone());
        }
        for case in cases {
            let again = Draw {
                case: case.clone(),
                relation: draw.relation,
            };
            let (fault, said) = if case == draw.case {
                (fault.clone(), said.to_owned())
            } else {
                let examined = probe.examine(&again)?;
                let kind = fault.kind;
                match examined.faults.into_iter().find(|other| other.kind == kind) {
                    Some(same) => (same, examined.said),
                    None => continue,
                }
            };
            let finding = self.finding(case, draw, number, &fault, said)?;
            let Some(finding) = finding else { continue };
            let settled = finding.kind != Kind::Unconfirmed;
            if settled || found.is_none() {
                found = Some(finding);
            }
            if settled {
                break;
            }
        }
        Ok(found)
    }

    /// The largest slack with which the guarantee is still refuted.
    fn how_wrong(&self, case: &Case, value: &Stated) -> Result<Rational, InvariantViolation> {
        let bench = CaseJudge::new(case, self.rules);
        for slack in SLACKS {
            let slack = Rational::from(slack);
            if slack > self.rules.slack && bench.is_unsound(value, &slack)? == Some(true) {
                return Ok(slack);
            }
        }
        Ok(self.rules.slack.clone())
    }

    fn shrunk(&self, probe: &mut Probe<'_>, draw: &Draw, fault: &Fault, rules: &Rules) -> Case {
        let kind = fault.kind;
        let (tries, seconds) = match kind {
            // Each try might take a start.
            Kind::Nonsense if fault.value.is_none() => (0, 0),
            Kind::Unsound | Kind::Unconfirmed => (150, 25),
            Kind::FalseEnd | Kind::Nonsense | Kind::Contradiction => (60, 12),
            Kind::Uneven | Kind::Loose => (25, 6),
            Kind::Crash => (12, 6),
            Kind::Timeout => (0, 0),
        };
        // What is found last may be simplified for some seconds after the end.
        let left = self.deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        let time = Duration::from_secs(seconds).min(left.max(Duration::from_secs(10)));
        let effort = Effort { tries, time };
        let stop = Arc::clone(&self.rules.stop);
        shrink(draw.case.clone(), effort, &mut |case| {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            let draw = Draw {
                case: case.clone(),
                relation: draw.relation,
            };
            let Ok(examined) = probe.examine_by(&draw, rules) else {
                return false;
            };
            examined.faults.iter().any(|fault| fault.kind == kind)
        })
    }

    fn finding(
        &self,
        case: Case,
        draw: &Draw,
        number: u64,
        fault: &Fault,
        said: String,
    ) -> Result<Option<Finding>, InvariantViolation> {
        let stated = fault.value.as_ref().map(|value| value.text.clone());
        let mut finding = Finding {
            kind: fault.kind,
            accountant: self.accountant.clone(),
            said,
            detail: fault.detail.clone(),
            value: stated,
            truth: None,
            bounded: None,
            margin: None,
            confirmation: None,
            claims: Vec::new(),
            cause: cause(fault, &case),
            origin: Origin {
                seed: self.seed,
                number,
                case: draw.case.clone(),
                command: self.command.clone(),
            },
            case,
        };
        let enclosed = match fault.kind {
            Kind::Timeout => None,
            Kind::Unsound => truth(&finding.case, Narrow::Digits, self.rules)?,
            _ => truth(&finding.case, Narrow::Glance, self.rules)?,
        };
        finding.truth = enclosed.as_ref().map(printed);
        let implied = fault.value.as_ref();
        let implied = implied.and_then(|stated| finding.case.ask.implied(&stated.number));
        match (fault.kind, &implied) {
            (Kind::Unsound, Some(value)) => {
                let look = match finding.case.ask.claim(value) {
                    Some(claim) => second_look(&finding.case, &claim, self.rules)?
                        .filter(|look| look.refuted)
                        .map(|look| (claim, look)),
                    None => None,
                };
                match (look, finding.case.ask.most_possible()) {
                    (Some((claim, look)), _) => self.prove(&mut finding, &claim, &look),
                    (None, Some(most)) if *value > most => {
                        beyond_all(&mut finding, value, &most, enclosed.as_ref());
                    }
                    (None, _) => return Ok(None),
                }
            }
            (Kind::Loose, value) => {
                let claim = value
                    .as_ref()
                    .and_then(|value| finding.case.ask.claim(value));
                let better = fault.value.as_ref().and_then(|stated| {
                    CaseJudge::new(&finding.case, self.rules).better_than(stated)
                });
                let better = better.and_then(|better| finding.case.ask.claim(&better));
                let claims = [claim, better];
                finding.claims = claims.iter().flatten().filter_map(claim_text).collect();
            }
            _ => {
                let claim = enclosed.and_then(|truth| safe_claim(&finding.case, &truth));
                finding.claims = claim.iter().filter_map(claim_text).collect();
            }
        }
        Ok(Some(finding))
    }

    fn prove(&self, finding: &mut Finding, claim: &Claim, look: &SecondLook) {
        finding.bounded = Some(printed(&look.enclosure));
        finding.margin = look.margin.as_ref().map(|margin| float_down(margin, 6));
        finding.confirmation = confirmation(&finding.case, claim, look, self.rules, self.checker);
        if finding.confirmation.is_none() {
            finding.kind = Kind::Unconfirmed;
        }
        let claims = [Some(claim), look.implied.as_ref()];
        finding.claims = claims
            .into_iter()
            .flatten()
            .filter_map(claim_text)
            .collect();
    }
}

/// Of an error that no mechanism has. No claim file can state it of a Bayes error: what it states is what could have been claimed.
fn beyond_all(
    finding: &mut Finding,
    value: &Rational,
    most: &Rational,
    enclosed: Option<&Enclosure>,
) {
    let margin = Rational::from(value - most);
    finding.margin = Some(decimal_down(&margin, 6));
    let most = decimal_up(most, DIGITS);
    let law = match finding.case.ask {
        Ask::BayesError { .. } => "R(pi) <= min(pi, 1 - pi)",
        _ => "f(alpha) <= 1 - alpha",
    };
    finding.confirmation = Some(format!("closed form, {law} <= {most}"));
    finding.detail.push_str("; the claim below is a true one");
    let claim = enclosed.and_then(|truth| safe_claim(&finding.case, truth));
    finding.claims = claim.iter().filter_map(claim_text).collect();
}

/// What the accountant could have claimed.
fn safe_claim(case: &Case, truth: &Enclosure) -> Option<Claim> {
    let side = case.ask.side();
    let safe = |end: &Float| -> Option<Rational> {
        let value = end.to_rational()?;
        let text = match side {
            GuaranteeSide::Above => decimal_up(&value, DIGITS),
            GuaranteeSide::Below => decimal_down(&value, DIGITS),
        };
        parse_rational(&text).ok()
    };
    let value = match side {
        GuaranteeSide::Above => safe(truth.upper())?,
        GuaranteeSide::Below => safe(truth.lower())?,
    };
    case.ask.claim(&value)
}

fn printed(enclosure: &Enclosure) -> (String, String) {
    (
        float_down(enclosure.lower(), DIGITS),
        float_up(enclosure.upper(), DIGITS),
    )
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn numbers_of_a_case_go_and_those_of_an_end_stay() {
        for (words, left) in [
            (
                "the process ended: exit code 7, nothing on standard error",
                "the process ended: exit code 7, nothing on standard error",
            ),
            (
                "the process ended: killed by signal 11: at 0x3f",
                "the process ended: killed by signal 11: at xf",
            ),
            ("sigma 0.5 is too small", "sigma . is too small"),
        ] {
            assert_eq!(without_numbers(words), left);
        }
    }
}
