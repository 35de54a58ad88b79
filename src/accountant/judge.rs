//! An answer against the truth: floats say where to look, certified enclosures alone say what is false.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::Rational;

use super::answer::{Number, Said, Stated};
use super::case::{Ask, Case, Side};
use super::decimal::Decimal;
use crate::analysis::{Goal, Means, Subject};
use crate::float::{Curve, nearest};
use crate::input::{Claim, GdpForm, MechanismFile, mechanism_from_bytes};
use crate::kernel::{Budget, Failure, InvariantViolation};
use crate::verdict::{Decision, Inequality};

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A guarantee that the mechanism does not have, confirmed by an independent computation.
    Unsound,
    /// The same, where only dpcmp's own enclosures say so.
    Unconfirmed,
    /// The optimistic end of an interval does not bound the truth.
    FalseEnd,
    /// NaN, a probability outside [0, 1], an interval upside down, a line that is no answer.
    Nonsense,
    /// Two of its answers do not go together.
    Contradiction,
    /// An error, or the end of the process.
    Crash,
    /// No answer in time.
    Timeout,
    /// True, and worse than the truth by more than a stated factor.
    Loose,
}

impl Kind {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Unsound,
        Self::Unconfirmed,
        Self::FalseEnd,
        Self::Nonsense,
        Self::Contradiction,
        Self::Crash,
        Self::Timeout,
        Self::Loose,
    ];

    /// The word in files and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsound => "unsound",
            Self::Unconfirmed => "unconfirmed",
            Self::FalseEnd => "false-end",
            Self::Nonsense => "nonsense",
            Self::Contradiction => "contradiction",
            Self::Crash => "crash",
            Self::Timeout => "timeout",
            Self::Loose => "loose",
        }
    }
}

/// When an answer counts as wrong.
#[derive(Debug, Clone)]
pub struct Rules {
    /// An answer is only called unsound if it would be with this much added, relatively: more than the rounding of
    /// parameters to doubles can explain.
    pub slack: Rational,
    /// An answer is loose if the truth is better by this factor.
    pub factor: Rational,
    /// Time for one certified comparison.
    pub certify: Duration,
    /// Set by the user to stop.
    pub stop: Arc<AtomicBool>,
}

/// One thing wrong with one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: Kind,
    /// In words.
    pub detail: String,
    /// The number that a guarantee states.
    pub value: Option<Stated>,
}

/// What is thought of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opinion {
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// Was there a question that needed a certified bound which did not come in time?
    pub undecided: bool,
    /// Certified comparisons made.
    pub comparisons: u32,
}

/// A case about to be judged.
pub struct Bench<'a> {
    case: &'a Case,
    rules: &'a Rules,
    file: Option<MechanismFile>,
    curve: OnceCell<Option<Curve>>,
    subject: OnceCell<Option<Subject>>,
    comparisons: Cell<u32>,
}

/// Estimates are worse than this nowhere else than where [`UNRELIABLE`] says.
const TOLERANCE: f64 = 1e-6;
/// Probabilities below it are always looked at with certified bounds.
const UNRELIABLE: f64 = 1e-11;
/// Estimates of μ above a floor.
const MU_TOLERANCE: f64 = 2e-3;

impl<'a> Bench<'a> {
    /// Nothing is computed yet.
    pub fn new(case: &'a Case, rules: &'a Rules) -> Self {
        Self {
            file: mechanism_from_bytes("case", case.model.json().as_bytes()).ok(),
            case,
            rules,
            curve: OnceCell::new(),
            subject: OnceCell::new(),
            comparisons: Cell::new(0),
        }
    }

    /// Judges an answer.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn opinion(&self, said: &Said) -> Result<Opinion, InvariantViolation> {
        let mut opinion = Opinion::default();
        let (lower, upper, single) = match said {
            Said::Declined(_) => return Ok(opinion),
            Said::Failed(message) => {
                opinion
                    .faults
                    .push(fault(Kind::Crash, message.clone(), None));
                return Ok(opinion);
            }
            Said::Garbage(why) => {
                opinion
                    .faults
                    .push(fault(Kind::Nonsense, why.clone(), None));
                return Ok(opinion);
            }
            Said::Ends {
                lower,
                upper,
                single,
            } => (lower, upper, *single),
        };
        let (guarantee, hope) = match self.case.ask.side() {
            Side::Above => (upper, lower),
            Side::Below => (lower, upper),
        };
        let Some(guarantee) = guarantee else {
            return Ok(opinion);
        };
        if let Some(why) = nonsense(self.case.ask, guarantee, lower.as_ref(), upper.as_ref()) {
            opinion
                .faults
                .push(fault(Kind::Nonsense, why, Some(guarantee)));
            return Ok(opinion);
        }
        match self.is_unsound(guarantee, &self.rules.slack)? {
            Some(true) => {
                let detail = "the guarantee is false".to_owned();
                opinion
                    .faults
                    .push(fault(Kind::Unsound, detail, Some(guarantee)));
            }
            Some(false) => match self.is_loose(guarantee)? {
                Some(true) => {
                    let factor = &self.rules.factor;
                    let detail = format!("true, and worse than the truth by a factor {factor}");
                    opinion
                        .faults
                        .push(fault(Kind::Loose, detail, Some(guarantee)));
                }
                Some(false) => {}
                None => opinion.undecided = true,
            },
            None => opinion.undecided = true,
        }
        if let (false, Some(hope)) = (single, hope)
            && self.is_false_hope(hope)? == Some(true)
        {
            let detail = format!(
                "the other end, {}, is on the wrong side of the truth",
                hope.text
            );
            opinion
                .faults
                .push(fault(Kind::FalseEnd, detail, Some(hope)));
        }
        opinion.comparisons = self.comparisons.get();
        Ok(opinion)
    }

    /// Is the guarantee false, even with so much added? `None` where no bound decides it.
    pub fn is_unsound(
        &self,
        guarantee: &Stated,
        slack: &Rational,
    ) -> Result<Option<bool>, InvariantViolation> {
        let Number::Finite(value) = &guarantee.number else {
            return Ok(Some(false));
        };
        let relaxed = relaxed(self.case.ask, value, slack);
        let Some(claim) = self.case.ask.claim(&relaxed) else {
            return Ok(Some(false));
        };
        if self.looks(&claim) == Look::True {
            return Ok(Some(false));
        }
        Ok(self.holds(&claim)?.map(|holds| !holds))
    }

    fn is_loose(&self, guarantee: &Stated) -> Result<Option<bool>, InvariantViolation> {
        let Some(better) = self.better_than(guarantee) else {
            return Ok(Some(false));
        };
        let Some(claim) = self.case.ask.claim(&better) else {
            return Ok(Some(false));
        };
        if self.looks(&claim) == Look::False {
            return Ok(Some(false));
        }
        self.holds(&claim)
    }

    /// What would be true if the guarantee were loose.
    pub fn better_than(&self, guarantee: &Stated) -> Option<Rational> {
        let least = Rational::from((1, 1_000_000));
        match (&guarantee.number, self.case.ask.side()) {
            (Number::Finite(value), Side::Above) => {
                let is_small = matches!(self.case.ask, Ask::Epsilon { .. } | Ask::GdpMu { .. });
                let worth = *value > 0 && !(is_small && *value < least);
                worth.then(|| Rational::from(value / &self.rules.factor))
            }
            (Number::Finite(value), Side::Below) => {
                let better = Rational::from(value * &self.rules.factor);
                let better = if better == 0 { least } else { better };
                // Beyond it, the claim would be about something else.
                let most = match self.case.ask {
                    Ask::BayesError { prior } => {
                        let present = prior.exactly();
                        Rational::from(1 - &present).min(present)
                    }
                    _ => Rational::from(1),
                };
                (better <= most).then_some(better)
            }
            (Number::Infinite, _) => {
                let Ask::Epsilon { delta } = self.case.ask else {
                    return None;
                };
                let epsilon = self.curve()?.epsilon(delta.to_f64());
                let far = Decimal::near(epsilon.max(0.0) * nearest(&self.rules.factor) + 1.0, 3);
                epsilon.is_finite().then(|| far.exactly())
            }
            _ => None,
        }
    }

    fn is_false_hope(&self, hope: &Stated) -> Result<Option<bool>, InvariantViolation> {
        let Number::Finite(value) = &hope.number else {
            return Ok(Some(false));
        };
        // Between the truth and the end, if the end is false.
        let between = relaxed(self.case.ask, value, &Rational::from(-&self.rules.slack));
        let Some(claim) = self.case.ask.claim(&between) else {
            return Ok(Some(false));
        };
        if matches!(self.case.ask, Ask::BayesError { .. }) || self.looks(&claim) == Look::False {
            return Ok(Some(false));
        }
        let outside = match &claim {
            Claim::ApproxDp { delta, .. } => *delta <= 0,
            Claim::Advantage { at_most } => *at_most <= 0,
            Claim::TradeOff { beta, .. } => *beta > 1 || *beta < 0,
            Claim::Gdp { mu, .. } => *mu <= 0,
            _ => false,
        };
        if outside {
            return Ok(Some(false));
        }
        self.holds(&claim)
    }

    /// Is the claim true? `None` where no bound decides it in time.
    fn holds(&self, claim: &Claim) -> Result<Option<bool>, InvariantViolation> {
        let budget = Budget::new(self.rules.certify, Arc::clone(&self.rules.stop));
        let Some(subject) = self.subject(&budget) else {
            return Ok(None);
        };
        self.comparisons
            .set(self.comparisons.get().saturating_add(1));
        let inequality = Inequality::of(claim);
        let goal = Goal::Compare {
            with: inequality.bound.clone(),
        };
        let means = Means {
            budget: &budget,
            jobs: 1,
            progress: &|_| (),
        };
        match subject.answer(&inequality.quantity, &goal, &means) {
            Ok(answer) => Ok(match inequality.decide(&answer.enclosure) {
                Decision::Holds(_) => Some(true),
                Decision::Fails(_) => Some(false),
                Decision::Open => None,
            }),
            Err(Failure::Interrupted) => Ok(None),
            Err(Failure::Invariant(violation)) => Err(violation),
        }
    }

    fn subject(&self, budget: &Budget) -> Option<&Subject> {
        let prepared = self.subject.get_or_init(|| {
            let file = self.file.as_ref()?;
            Subject::new(&file.mechanism, file.adjacency, budget).ok()
        });
        prepared.as_ref()
    }

    fn curve(&self) -> Option<&Curve> {
        let prepared = self.curve.get_or_init(|| {
            let file = self.file.as_ref()?;
            Curve::new(&file.mechanism, file.adjacency).ok()
        });
        prepared.as_ref()
    }

    /// What floats think of a claim.
    fn looks(&self, claim: &Claim) -> Look {
        let Some(curve) = self.curve() else {
            return Look::Close;
        };
        match claim {
            Claim::ApproxDp { epsilon, delta } => {
                below(curve.delta(nearest(epsilon)), nearest(delta), TOLERANCE)
            }
            Claim::Advantage { at_most } => below(curve.advantage(), nearest(at_most), TOLERANCE),
            Claim::TradeOff { alpha, beta } => {
                match below(curve.tradeoff(nearest(alpha)), nearest(beta), TOLERANCE) {
                    Look::True => Look::False,
                    Look::False => Look::True,
                    Look::Close => Look::Close,
                }
            }
            Claim::Gdp {
                mu,
                form: GdpForm::ErrorFloor(floor),
            } => below(
                curve.mu_above_floor(nearest(floor)),
                nearest(mu),
                MU_TOLERANCE,
            ),
            _ => Look::Close,
        }
    }
}

/// What an estimate says about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    True,
    False,
    Close,
}

/// Is an estimated number below a bound?
fn below(estimate: f64, bound: f64, tolerance: f64) -> Look {
    let tolerance = if estimate < 1e-8 {
        tolerance.max(2e-3)
    } else {
        tolerance
    };
    if estimate < UNRELIABLE && bound < 10.0 * UNRELIABLE {
        Look::Close
    } else if estimate < bound * (1.0 - tolerance) {
        Look::True
    } else if estimate > bound * (1.0 + tolerance) {
        Look::False
    } else {
        Look::Close
    }
}

fn fault(kind: Kind, detail: String, value: Option<&Stated>) -> Fault {
    Fault {
        kind,
        detail,
        value: value.cloned(),
    }
}

/// A weaker guarantee: the stated one with so much added, relatively. Doubles end at about 1e-308: what is smaller than 1e-300
/// is not held against them.
fn relaxed(ask: Ask, value: &Rational, slack: &Rational) -> Rational {
    let size = value.clone().abs();
    let least = match ask {
        Ask::Epsilon { .. } => Rational::from(1),
        _ => Decimal::new(1, -290).exactly(),
    };
    let size = if size > least { size } else { least };
    let added = Rational::from(slack * &size);
    match ask.side() {
        Side::Above => Rational::from(value + &added),
        Side::Below => {
            let lowered = Rational::from(value - &added);
            if lowered < 0 {
                Rational::new()
            } else {
                lowered
            }
        }
    }
}

/// Why a number cannot be what was asked for.
fn nonsense(
    ask: Ask,
    guarantee: &Stated,
    lower: Option<&Stated>,
    upper: Option<&Stated>,
) -> Option<String> {
    let text = &guarantee.text;
    if let (Some(Number::Finite(low)), Some(Number::Finite(high))) =
        (lower.map(|end| &end.number), upper.map(|end| &end.number))
        && low > high
    {
        return Some("the lower end is above the upper one".to_owned());
    }
    let is_probability = !matches!(ask, Ask::Epsilon { .. } | Ask::GdpMu { .. });
    let rounding = Rational::from((1_000_000_001, 1_000_000_000));
    match &guarantee.number {
        Number::Not => Some(format!("not a number: `{text}`")),
        Number::MinusInfinite => Some("minus infinity".to_owned()),
        Number::Infinite if is_probability => Some("an infinite probability".to_owned()),
        Number::Finite(value) if is_probability && *value < 0 => {
            Some(format!("a negative probability: {text}"))
        }
        Number::Finite(value) if is_probability && *value > rounding => {
            Some(format!("a probability above 1: {text}"))
        }
        Number::Finite(value) if *value < 0 && matches!(ask, Ask::GdpMu { .. }) => {
            Some(format!("a negative mu: {text}"))
        }
        Number::Infinite | Number::Finite(_) => None,
    }
}
