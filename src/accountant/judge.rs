//! An answer against the truth: floats say where to look, certified enclosures alone say what is false.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rug::Rational;

use super::answer::{Number, Said, Stated};
use super::case::{Ask, Case, GuaranteeSide};
use super::decimal::Decimal;
pub use super::kind::Kind;
use super::rounding::Perturbation;
use super::sense::{malformed, nonsense, relaxed};
use crate::analysis::{Goal, Resources, Subject};
use crate::float::{Curve, nearest};
use crate::input::{GdpForm, MechanismFile, mechanism_from_bytes};
use crate::kernel::{Budget, Failure, InvariantViolation};
use crate::statement::{Claim, Query, StatedClaim};
use crate::verdict::{Decision, Inequality, Relation};

/// When an answer counts as wrong.
#[derive(Debug, Clone)]
pub struct Rules {
    /// An answer is only called unsound if it would be with this much added, relatively, and with every parameter moved past
    /// the doubles next to it.
    pub slack: Rational,
    /// An answer is loose if the truth is better by this factor.
    pub factor: Rational,
    /// Time for one certified comparison.
    pub certify: Duration,
    /// When nothing is computed any more.
    pub until: Option<Instant>,
    /// Set by the user to stop.
    pub stop: Arc<AtomicBool>,
}

impl Rules {
    /// So much time, or what is left of the run.
    pub fn budget(&self, time: Duration) -> Budget {
        let left = self
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        Budget::new(time.min(left.unwrap_or(time)), Arc::clone(&self.stop))
    }
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
pub struct CaseJudge<'a> {
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

impl<'a> CaseJudge<'a> {
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
            Said::Garbage(why) | Said::Malformed(why) => {
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
            GuaranteeSide::Above => (upper, lower),
            GuaranteeSide::Below => (lower, upper),
        };
        let malformed = malformed(lower.as_ref(), upper.as_ref());
        let is_malformed = malformed.is_some();
        if let Some(why) = malformed {
            let value = guarantee.as_ref().or(hope.as_ref());
            opinion.faults.push(fault(Kind::Nonsense, why, value));
        }
        if let Some(guarantee) = guarantee {
            self.judge_guarantee(guarantee, is_malformed, &mut opinion)?;
        }
        if let (false, Some(hope)) = (single, hope)
            && self.optimistic_end_is_wrong(hope)? == Some(true)
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

    fn judge_guarantee(
        &self,
        guarantee: &Stated,
        is_malformed: bool,
        opinion: &mut Opinion,
    ) -> Result<(), InvariantViolation> {
        let mut say = |kind, detail: String| {
            opinion.faults.push(fault(kind, detail, Some(guarantee)));
        };
        let unsound = self.is_unsound(guarantee, &self.rules.slack)?;
        if unsound == Some(true) {
            say(Kind::Unsound, "the guarantee is false".to_owned());
            return Ok(());
        }
        if is_malformed {
            opinion.undecided |= unsound.is_none();
            return Ok(());
        }
        if let Some(why) = nonsense(self.case.ask, guarantee) {
            say(Kind::Nonsense, why);
            // It may be false, too.
            opinion.undecided |= unsound.is_none();
            return Ok(());
        }
        let loose = match unsound {
            Some(_) => self.is_loose(guarantee)?,
            None => None,
        };
        match loose {
            Some(true) => {
                let factor = &self.rules.factor;
                say(
                    Kind::Loose,
                    format!("true, and worse than the truth by a factor {factor} at least"),
                );
            }
            Some(false) => {}
            None => opinion.undecided = true,
        }
        Ok(())
    }

    /// Is the guarantee false, even with so much added? `None` where no bound decides it.
    pub fn is_unsound(
        &self,
        guarantee: &Stated,
        slack: &Rational,
    ) -> Result<Option<bool>, InvariantViolation> {
        let ask = self.case.ask;
        let weaker = match &guarantee.number {
            Number::Finite(value) => Number::Finite(relaxed(ask, value, slack)),
            other => other.clone(),
        };
        let Some(relaxed) = ask.implied(&weaker) else {
            return Ok(Some(false));
        };
        let here = self.is_false(&relaxed)?;
        if here != Some(true) {
            return Ok(here);
        }
        let kinder = self.case.moved(Perturbation::Favourable);
        self.beside(&kinder, |bench| bench.is_false(&relaxed))
    }

    /// What another bench says of a neighbouring case.
    fn beside(
        &self,
        case: &Case,
        ask: impl FnOnce(&CaseJudge<'_>) -> Result<Option<bool>, InvariantViolation>,
    ) -> Result<Option<bool>, InvariantViolation> {
        if case == self.case {
            return Ok(Some(true));
        }
        let bench = CaseJudge::new(case, self.rules);
        let said = ask(&bench);
        let both = self.comparisons.get();
        self.comparisons
            .set(both.saturating_add(bench.comparisons.get()));
        said
    }

    /// Is a number no guarantee? `None` where no bound decides it.
    fn is_false(&self, value: &Rational) -> Result<Option<bool>, InvariantViolation> {
        if (self.case.ask.most_possible()).is_some_and(|most| *value > most) {
            return Ok(Some(true));
        }
        let Some(claim) = self.case.ask.claim(value) else {
            return Ok(Some(false));
        };
        if self.looks(&claim) == Look::True {
            return Ok(Some(false));
        }
        Ok(self.holds(&Inequality::of(&claim))?.map(|holds| !holds))
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
        self.holds(&Inequality::of(&claim))
    }

    /// What would be true if the guarantee were loose. Of probabilities below 1e-14 nobody needs a factor, and who rounds to doubles has none.
    pub fn better_than(&self, guarantee: &Stated) -> Option<Rational> {
        let least = Rational::from((1, 1_000_000));
        let negligible = Rational::from((1, 100_000_000_000_000_u64));
        let ask = self.case.ask;
        match (ask.implied(&guarantee.number), ask.side()) {
            (Some(value), GuaranteeSide::Above) => {
                let worth = if ask.is_probability() {
                    value >= negligible
                } else {
                    value >= least
                };
                worth.then(|| value / &self.rules.factor)
            }
            (Some(value), GuaranteeSide::Below) => {
                let better = value * &self.rules.factor;
                let better = if better < negligible { least } else { better };
                // Beyond it, the claim would be about something else.
                let most = ask.most_possible().unwrap_or_else(|| Rational::from(1));
                (better <= most).then_some(better)
            }
            (None, _) => {
                let (Ask::Epsilon { delta }, Number::Infinite) = (ask, &guarantee.number) else {
                    return None;
                };
                let epsilon = self.curve()?.epsilon(delta.to_f64());
                let far = Decimal::near(epsilon.max(0.0) * nearest(&self.rules.factor) + 1.0, 3);
                epsilon.is_finite().then(|| far.exactly())
            }
        }
    }

    fn optimistic_end_is_wrong(&self, hope: &Stated) -> Result<Option<bool>, InvariantViolation> {
        let Number::Finite(value) = &hope.number else {
            return Ok(Some(false));
        };
        let value = match self.case.ask.side() {
            GuaranteeSide::Above => value.clone(),
            GuaranteeSide::Below => value.clone().max(Rational::new()),
        };
        // Between the truth and the end, if the end is false.
        let between = relaxed(self.case.ask, &value, &Rational::from(-&self.rules.slack));
        let here = self.exceeds_hope(&between)?;
        if here != Some(true) {
            return Ok(here);
        }
        let harsher = self.case.moved(Perturbation::Adverse);
        self.beside(&harsher, |bench| bench.exceeds_hope(&between))
    }

    /// Is the truth better than this?
    fn exceeds_hope(&self, between: &Rational) -> Result<Option<bool>, InvariantViolation> {
        if let Ask::BayesError { prior } = self.case.ask {
            let estimate = self.curve().map(|curve| curve.bayes_error(prior.to_f64()));
            let clear = estimate.map(|error| below(error, nearest(between), TOLERANCE));
            if clear == Some(Look::True) || *between > 1 {
                return Ok(Some(false));
            }
            let prior = prior.exactly();
            let Ok(query) = Query::bayes_error(prior) else {
                return Ok(Some(false));
            };
            return self.holds(&Inequality {
                query,
                relation: Relation::AtLeast,
                bound: between.clone(),
            });
        }
        let Some(claim) = self.case.ask.claim(between) else {
            return Ok(Some(false));
        };
        if self.looks(&claim) == Look::False {
            return Ok(Some(false));
        }
        let outside = match claim.stated() {
            StatedClaim::ApproxDp { delta, .. } => *delta <= 0,
            StatedClaim::Advantage { at_most } => *at_most <= 0,
            StatedClaim::TradeOff { beta, .. } => *beta > 1 || *beta < 0,
            StatedClaim::Gdp { mu, .. } => *mu <= 0,
            _ => false,
        };
        if outside {
            return Ok(Some(false));
        }
        self.holds(&Inequality::of(&claim))
    }

    /// Is it true? `None` where no bound decides it in time.
    fn holds(&self, inequality: &Inequality) -> Result<Option<bool>, InvariantViolation> {
        let budget = self.rules.budget(self.rules.certify);
        let Some(subject) = self.subject(&budget) else {
            return Ok(None);
        };
        self.comparisons
            .set(self.comparisons.get().saturating_add(1));
        let goal = Goal::Compare {
            with: inequality.bound.clone(),
        };
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| (),
        };
        match subject.answer(&inequality.query, &goal, &resources) {
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
        match claim.stated() {
            StatedClaim::ApproxDp { epsilon, delta } => below(
                curve.delta(nearest(&epsilon.rational_down())),
                nearest(delta),
                TOLERANCE,
            ),
            StatedClaim::Advantage { at_most } => {
                below(curve.advantage(), nearest(at_most), TOLERANCE)
            }
            StatedClaim::TradeOff { alpha, beta } => {
                match below(curve.tradeoff(nearest(alpha)), nearest(beta), TOLERANCE) {
                    Look::True => Look::False,
                    Look::False => Look::True,
                    Look::Close => Look::Close,
                }
            }
            StatedClaim::Gdp {
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
