//! What is known of one mechanism, on one page: its representations with their regrets, and the best attacks.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rug::Rational;

use super::limits::Limits;
use super::other_batches::{OtherBatches, other_batches};
use crate::analysis::{Answer, Ending, Goal, Method, Refusal, Resources, Subject, Unsupported};
use crate::bounds::{Enclosure, GdpForm, Target};
use crate::input::MechanismFile;
use crate::kernel::{Failure, InvariantViolation};
use crate::mechanism::{Adjacency, Epsilon, Orders};
use crate::statement::{Quantity, Query};
use crate::summary::{
    Kind, RenyiCurve, Representation, Stated, Widths, converted_regret, renyi_curve, represent,
    usual_orders,
};
use crate::verdict::{conditions_beside, known_of_every_mechanism};

/// What is known of one mechanism.
#[derive(Debug, Clone)]
pub struct PrivacyReport<'a> {
    /// The mechanism.
    pub mechanism: &'a MechanismFile,
    /// Its representations.
    pub representations: Vec<Representation>,
    /// Its Rényi curve.
    pub curve: RenyiCurve,
    /// Regrets where Rényi guarantees are converted order by order.
    pub converted: Converted,
    /// δ(0), the advantage of the best attack.
    pub advantage: Answer,
    /// False-positive rates and the trade-off function there.
    pub risks: Vec<(Rational, Answer)>,
    /// What holds if the batches are drawn in other ways, where the mechanism is DP-SGD on Poisson samples.
    pub other_batches: Vec<OtherBatches>,
    /// The conditions of the numbers.
    pub conditions: Vec<String>,
    /// Time taken.
    pub time: Duration,
}

/// Regrets of Rényi guarantees that are converted to (ε, δ) order by order (Gomez et al. 2025, Appendix C.2), which loses
/// something.
#[derive(Debug, Clone)]
pub struct Converted {
    /// Of the ρ-zCDP stated.
    pub zcdp: Option<Enclosure>,
    /// Of the Rényi curve.
    pub curve: Option<Enclosure>,
}

impl PrivacyReport<'_> {
    /// What the parameters and statements are about: both orders of the pair, whatever the adjacency of the mechanism.
    pub fn statements_about(&self) -> Adjacency {
        self.mechanism.adjacency.both_directions()
    }

    /// What the regrets, the advantage and the attacks are about.
    pub fn attacks_about(&self) -> Adjacency {
        self.mechanism.adjacency
    }
}

/// Why there is no report.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NoReport {
    /// The mechanism cannot be treated.
    #[error("{0}")]
    Unsupported(Unsupported),
    /// The time ended too early.
    #[error("the time ended before the report was complete")]
    OutOfTime,
    /// dpcmp contradicts itself.
    #[error("{0}")]
    Internal(InvariantViolation),
}

/// Reports on one mechanism, all within one time; (ε, δ)-DP at each of these δ.
///
/// # Errors
/// If it cannot be treated, or the time ended.
pub fn report<'a>(
    limits: &Limits<'_>,
    mechanism: &'a MechanismFile,
    deltas: &[Rational],
) -> Result<PrivacyReport<'a>, NoReport> {
    Page::new(limits, mechanism)?.report(deltas)
}

/// μ-GDP first.
fn kinds(deltas: &[Rational]) -> Vec<Kind> {
    let level = || Rational::from((1, 10_000_000_000u64));
    let mut kinds = vec![
        Kind::Gdp(GdpForm::Strict),
        Kind::Gdp(GdpForm::Tolerance(level())),
        Kind::Gdp(GdpForm::ErrorFloor(level())),
        Kind::Zcdp,
        Kind::PureDp,
    ];
    kinds.extend(deltas.iter().map(|delta| Kind::ApproxDp {
        delta: delta.clone(),
    }));
    kinds
}

/// 1e-5, …, 0.1.
fn false_positive_rates() -> impl Iterator<Item = Rational> {
    (1..=5u32).rev().map(|n| Rational::from((1, 10u32.pow(n))))
}

/// A mechanism prepared for a report, which can be asked for its curves afterwards.
pub struct Page<'l, 'a> {
    limits: &'l Limits<'l>,
    mechanism: &'a MechanismFile,
    start: Instant,
    subject: Subject,
    /// The mechanism under add-remove, where the page is about one order of the pair.
    in_both_orders: Option<Subject>,
}

fn in_both_orders(limits: &Limits<'_>, file: &MechanismFile) -> Result<Option<Subject>, Refusal> {
    if file.adjacency.orders() == Orders::Both {
        return Ok(None);
    }
    let both = MechanismFile {
        adjacency: file.adjacency.both_directions(),
        ..file.clone()
    };
    limits.subject(&both).map(Some)
}

impl<'l, 'a> Page<'l, 'a> {
    /// Prepares it.
    ///
    /// # Errors
    /// As [`report`].
    pub fn new(limits: &'l Limits<'l>, mechanism: &'a MechanismFile) -> Result<Self, NoReport> {
        let start = Instant::now();
        limits.listener.start("report");
        Ok(Self {
            limits,
            mechanism,
            start,
            subject: limits.subject(mechanism)?,
            in_both_orders: in_both_orders(limits, mechanism)?,
        })
    }

    /// The mechanism.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// When the report began.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`report`].
    pub fn report(&self, deltas: &[Rational]) -> Result<PrivacyReport<'a>, NoReport> {
        let mechanism = self.mechanism;
        let mut representations = Vec::new();
        let widths = self.widths();
        self.expect(deltas, &widths)?;
        for kind in kinds(deltas) {
            representations.push(represent(kind, &widths, &|query, width| {
                self.ask_to(query, width)
            })?);
        }
        let curve = renyi_curve(&usual_orders(), &widths.regret, &|query, width| {
            self.ask_to(query, width)
        })?;
        let converted = self.converted(&representations, &curve)?;
        let advantage = self.ask(&Query::advantage())?;
        let mut risks = Vec::new();
        for alpha in false_positive_rates() {
            let query = Query::trade_off(&alpha).map_err(Failure::from)?;
            let answer = self.ask(&query)?;
            risks.push((alpha, answer));
        }
        Ok(PrivacyReport {
            mechanism,
            representations,
            curve,
            converted,
            advantage,
            risks,
            other_batches: self.other_batches(deltas)?,
            conditions: conditions_beside(
                &mechanism.mechanism,
                mechanism.adjacency,
                &[Query::regret_of_strict_mu(), Query::zcdp_rho()],
                "",
            ),
            time: self.start.elapsed(),
        })
    }

    /// Says what will be asked of the curve, so that few laws serve for all of it.
    fn expect(&self, deltas: &[Rational], widths: &Widths) -> Result<(), Failure> {
        let about_both = self.in_both_orders.as_ref().unwrap_or(&self.subject);
        for kind in kinds(deltas) {
            about_both.expect(
                kind.query()?.quantity(),
                &Goal::Width(widths.parameter.clone()),
            );
        }
        Ok(())
    }

    fn with_resources<T>(&self, job: impl FnOnce(&Resources<'_>) -> T) -> T {
        self.limits.with_rest(self.start, job)
    }

    /// Parameters as narrow as the digits stated, or as four digits where more are dear; a regret is compared with 0.01 and with the others.
    fn widths(&self) -> Widths {
        let relative = |n, d| Target::Relative(Rational::from((n, d)));
        let asked = self.limits.precision.clone();
        let usual = match self.subject.is_dear() {
            true => relative(1, 10_000),
            false => relative(3, 1_000_000),
        };
        Widths {
            parameter: asked.unwrap_or(usual),
            regret: relative(1, 1000),
        }
    }

    /// The regrets of zCDP and of the Rényi curve as they are converted order by order.
    ///
    /// Only of both directions together: there the largest difference lies at some ε ≥ 0, where [`converted_regret`] looks. The converted
    /// statement is about both directions, so that beside the curve of one direction it may differ most at some ε < 0.
    fn converted(
        &self,
        representations: &[Representation],
        curve: &RenyiCurve,
    ) -> Result<Converted, Failure> {
        if self.mechanism.adjacency.orders() != Orders::Both {
            return Ok(Converted {
                zcdp: None,
                curve: None,
            });
        }
        self.with_resources(|resources| self.converted_within(representations, curve, resources))
    }

    fn converted_within(
        &self,
        representations: &[Representation],
        curve: &RenyiCurve,
        resources: &Resources<'_>,
    ) -> Result<Converted, Failure> {
        let width = Target::Absolute(Rational::from((1, 200_000)));
        // Both look at many of the same places.
        let known: RefCell<HashMap<Epsilon, Enclosure>> = RefCell::default();
        let delta = |at: Epsilon| {
            let before = known.borrow().get(&at).cloned();
            if let Some(delta) = before {
                return Ok(delta);
            }
            let query = Query::delta_at(at.clone());
            let delta = self.ask_to(&query, &width)?.enclosure;
            known.borrow_mut().insert(at, delta.clone());
            Ok(delta)
        };
        let zcdp = representations.iter().find(|r| r.kind == Kind::Zcdp);
        let rho = zcdp.and_then(|zcdp| match &zcdp.stated {
            Stated::Number(rho) => Some(rho),
            Stated::Nothing | Stated::Unknown => None,
        });
        let zcdp = rho.map(|rho| {
            let orders = usual_orders().into_iter();
            let orders: Vec<_> = orders.map(|t| (t.clone(), t * rho)).collect();
            converted_regret(&orders, resources.budget, &delta)
        });
        Ok(Converted {
            zcdp: zcdp.transpose()?,
            curve: (!curve.points.is_empty())
                .then(|| converted_regret(&curve.points, resources.budget, &delta))
                .transpose()?,
        })
    }

    /// ε of the run with its batches drawn in other ways, roughly: the bounds are far apart.
    fn other_batches(&self, deltas: &[Rational]) -> Result<Vec<OtherBatches>, NoReport> {
        let goal = Goal::Width(Target::Relative(Rational::from((1, 200))));
        let mut all = other_batches(self.mechanism);
        for batches in &mut all {
            // A page does not fail for what it shows beside its subject.
            if self.limits.is_late(self.start) {
                break;
            }
            let Ok(subject) = self.limits.subject(&batches.run) else {
                continue;
            };
            for delta in deltas {
                let query = Query::epsilon(delta).map_err(Failure::from)?;
                let ask = |resources: &Resources<'_>| subject.answer(&query, &goal, resources);
                match self.with_resources(ask) {
                    Ok(answer) => batches.epsilons.push((delta.clone(), answer)),
                    Err(Failure::Interrupted) => break,
                    Err(failure) => return Err(failure.into()),
                }
            }
        }
        Ok(all)
    }

    fn ask(&self, query: &Query) -> Result<Answer, Failure> {
        self.ask_to(query, &Target::Relative(Rational::from((1, 10_000))))
    }

    /// The answer that there is time for; with none left, what is true of every mechanism.
    fn ask_to(&self, query: &Query, width: &Target) -> Result<Answer, Failure> {
        let found = match self.limits.is_late(self.start) {
            true => Err(Failure::Interrupted),
            false => self.ask_in_time(query, width),
        };
        let is_stopped = self.limits.stop.load(Ordering::Relaxed);
        match found {
            Err(Failure::Interrupted) if !is_stopped => Ok(Answer {
                enclosure: known_of_every_mechanism(query)?,
                method: Method::Theorem("true of every mechanism".to_owned()),
                ending: Ending::OutOfTime,
                witness: None,
            }),
            found => found,
        }
    }

    fn ask_in_time(&self, query: &Query, width: &Target) -> Result<Answer, Failure> {
        let goal = Goal::Width(width.clone());
        // These are parameters of statements that speak of both orders of the pair, whatever the adjacency. A zCDP parameter does
        // by itself; and so does a μ, strict or up to a tolerance: what it states is a convex curve below f that is its own
        // inverse, so it is below f⁻¹ too, and below the hull of both. Above an error floor it is no whole curve.
        let speaks_of_both = matches!(
            query.quantity(),
            Quantity::MaxLoss
                | Quantity::Epsilon { .. }
                | Quantity::Renyi { .. }
                | Quantity::GdpMu(GdpForm::ErrorFloor(_))
        );
        let both = self.in_both_orders.as_ref().filter(|_| speaks_of_both);
        let subject = both.unwrap_or(&self.subject);
        self.with_resources(|resources| subject.answer(query, &goal, resources))
    }
}

impl From<Refusal> for NoReport {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => Self::Unsupported(why),
            Refusal::Failure(failure) => failure.into(),
        }
    }
}

impl From<Failure> for NoReport {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => Self::OutOfTime,
            Failure::Invariant(violation) => Self::Internal(violation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::Silent;
    use super::*;
    use crate::input::mechanism_from_bytes;

    /// A report whose time is long over asks nothing more, and what it says is true of every mechanism.
    #[test]
    fn a_late_report_asks_nothing_more() {
        let text = r#"{"kind":"gaussian","sigma":1}"#;
        let mechanism = mechanism_from_bytes("test", text.as_bytes()).unwrap();
        let mut limits = Limits {
            max_time: Duration::from_secs(1),
            threads: 1,
            precision: None,
            stop: Default::default(),
            listener: &Silent,
        };
        let hour = Duration::from_secs(3600);
        let mut page = Page::new(&limits, &mechanism).unwrap();
        page.start = page.start.checked_sub(hour).unwrap();
        let report = page.report(&[]).unwrap();
        assert!(report.representations.iter().all(|one| {
            one.parameter.ending == Ending::OutOfTime && one.stated == Stated::Unknown
        }));
        assert_eq!(report.advantage.ending, Ending::OutOfTime);
        assert!(
            *report.advantage.enclosure.lower() <= 0.3829
                && *report.advantage.enclosure.upper() >= 0.383
        );
        assert!(report.curve.points.is_empty() && report.converted.zcdp.is_none());
        let start = page.start;
        limits.max_time = hour * 2;
        let mut page = Page::new(&limits, &mechanism).unwrap();
        page.start = start;
        let report = page.report(&[]).unwrap();
        assert_eq!(report.advantage.ending, Ending::Reached);
        page.start = start.checked_sub(hour * 3).unwrap();
        limits.stop.store(true, Ordering::Relaxed);
        assert!(matches!(page.report(&[]), Err(NoReport::OutOfTime)));
    }
}
