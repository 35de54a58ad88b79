//! `dpcmp report MECH`.

use std::time::Instant;

use rug::Rational;

use super::Session;
use super::arguments::{Engine, Format};
use super::bound::{read_mechanism, unsupported_code};
use super::exit_code::ExitCode;
use super::interrupt::internal_error;
use super::output::{Gone, complain};
use super::plot::fit;
use crate::analysis::{Answer, Goal, Means, Quantity, Refusal, Subject, Unsupported};
use crate::bounds::{GdpForm, Target};
use crate::input::MechanismFile;
use crate::kernel::{Failure, InvariantViolation};
use crate::mechanism::Adjacency;
use crate::report::{Converted, PrivacyReport, error_json, report_human, report_json};
use crate::summary::{
    Kind, RenyiCurve, Representation, Stated, Widths, converted_regret, renyi_curve, represent,
    usual_orders,
};
use crate::verdict::conditions_of_regrets;

/// Why there is no report.
pub(super) enum Stop {
    Unsupported(Unsupported),
    OutOfTime,
    Internal(InvariantViolation),
}

/// Reports on one mechanism; (ε, δ)-DP at each of these δ.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, mechanism: &str, deltas: &[Rational]) -> Result<ExitCode, Gone> {
    let Some(mechanism) = read_mechanism(mechanism) else {
        return Ok(ExitCode::BadInput);
    };
    if session.options.engine == Engine::Float {
        complain("a report needs certified numbers; leave out `--engine float`");
        return Ok(ExitCode::BadInput);
    }
    let is_json = session.options.format == Format::Json;
    let refuse = |exit, code, message: &str| {
        if is_json {
            session.print(&format!("{}\n", error_json(None, None, code, message)))?;
        }
        Ok(exit)
    };
    let found = Page::new(session, &mechanism).and_then(|page| {
        let report = page.report(&mechanism, deltas)?;
        Ok((page, report))
    });
    match found {
        Ok((page, report)) => {
            let text = if is_json {
                format!("{}\n", report_json(&report))
            } else {
                report_human(&report, super::output::style())
            };
            session.show(&text, || fit(session, &page.subject, &report, page.start))
        }
        Err(Stop::Unsupported(unsupported)) => {
            complain(&unsupported.to_string());
            let code = unsupported_code(&unsupported);
            refuse(ExitCode::BadInput, code, &unsupported.to_string())
        }
        Err(Stop::OutOfTime) => {
            let message =
                "the time ended before the report was complete; a larger --max-seconds helps";
            complain(message);
            refuse(ExitCode::Undecided, "budget", message)
        }
        Err(Stop::Internal(violation)) => {
            internal_error(&violation.to_string());
            refuse(ExitCode::Internal, "internal", &violation.to_string())
        }
    }
}

/// What is known of one mechanism.
pub(super) fn page<'a>(
    session: &Session,
    mechanism: &'a MechanismFile,
    deltas: &[Rational],
) -> Result<PrivacyReport<'a>, Stop> {
    Page::new(session, mechanism)?.report(mechanism, deltas)
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

struct Page<'s> {
    session: &'s Session,
    start: Instant,
    subject: Subject,
    /// The mechanism under add-remove, where the page is about one order of the pair.
    in_both_orders: Option<Subject>,
}

fn in_both_orders(session: &Session, file: &MechanismFile) -> Result<Option<Subject>, Refusal> {
    if file.adjacency == Adjacency::AddRemove {
        return Ok(None);
    }
    let both = MechanismFile {
        adjacency: Adjacency::AddRemove,
        ..file.clone()
    };
    session.subject(&both).map(Some)
}

impl<'s> Page<'s> {
    fn new(session: &'s Session, mechanism: &MechanismFile) -> Result<Self, Stop> {
        let start = Instant::now();
        session.progress.start("report");
        Ok(Self {
            session,
            start,
            subject: session.subject(mechanism)?,
            in_both_orders: in_both_orders(session, mechanism)?,
        })
    }

    fn report<'a>(
        &self,
        mechanism: &'a MechanismFile,
        deltas: &[Rational],
    ) -> Result<PrivacyReport<'a>, Stop> {
        let mut representations = Vec::new();
        let widths = self.widths();
        for kind in kinds(deltas) {
            representations.push(represent(kind, &widths, &|quantity, width| {
                self.ask_to(quantity, width)
            })?);
        }
        let curve = renyi_curve(&usual_orders(), &widths.regret, &|quantity, width| {
            self.ask_to(quantity, width)
        })?;
        let converted = self.converted(&representations, &curve)?;
        let advantage = self.ask(&Quantity::Advantage)?;
        let mut risks = Vec::new();
        for alpha in false_positive_rates() {
            let answer = self.ask(&Quantity::TradeOff {
                alpha: alpha.clone(),
            })?;
            risks.push((alpha, answer));
        }
        Ok(PrivacyReport {
            mechanism,
            representations,
            curve,
            converted,
            advantage,
            risks,
            conditions: conditions_of_regrets(&mechanism.mechanism, mechanism.adjacency),
            time: self.start.elapsed(),
        })
    }

    fn with_means<T>(&self, job: impl FnOnce(&Means<'_>) -> T) -> T {
        self.session.with_rest(self.start, job)
    }

    /// Parameters as narrow as the digits stated; a regret is compared with 0.01 and with the others.
    fn widths(&self) -> Widths {
        let relative = |n, d| Target::Relative(Rational::from((n, d)));
        let asked = self.session.options.precision.clone();
        Widths {
            parameter: asked.unwrap_or_else(|| relative(3, 1_000_000)),
            regret: relative(1, 1000),
        }
    }

    /// The regrets of zCDP and of the Rényi curve as they are converted order by order.
    fn converted(
        &self,
        representations: &[Representation],
        curve: &RenyiCurve,
    ) -> Result<Converted, Failure> {
        let width = Target::Absolute(Rational::from((1, 200_000)));
        let delta = |at| Ok(self.ask_to(&Quantity::Delta(at), &width)?.enclosure);
        let zcdp = representations.iter().find(|r| r.kind == Kind::Zcdp);
        let rho = zcdp.and_then(|zcdp| match &zcdp.stated {
            Stated::Number(rho) => Some(rho),
            Stated::Nothing | Stated::Unknown => None,
        });
        let zcdp = rho.map(|rho| {
            let orders = usual_orders().into_iter();
            let orders: Vec<_> = orders.map(|t| (t.clone(), t * rho)).collect();
            converted_regret(&orders, &delta)
        });
        Ok(Converted {
            zcdp: zcdp.transpose()?,
            curve: (!curve.points.is_empty())
                .then(|| converted_regret(&curve.points, &delta))
                .transpose()?,
        })
    }

    fn ask(&self, quantity: &Quantity) -> Result<Answer, Failure> {
        self.ask_to(quantity, &Target::Relative(Rational::from((1, 10_000))))
    }

    fn ask_to(&self, quantity: &Quantity, width: &Target) -> Result<Answer, Failure> {
        let goal = Goal::Width(width.clone());
        // These are parameters of statements that speak of both orders of the pair, whatever the adjacency.
        let speaks_of_both = matches!(
            quantity,
            Quantity::MaxLoss | Quantity::Epsilon { .. } | Quantity::Renyi { .. }
        );
        let both = self.in_both_orders.as_ref().filter(|_| speaks_of_both);
        let subject = both.unwrap_or(&self.subject);
        self.with_means(|means| subject.answer(quantity, &goal, means))
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => Self::Unsupported(why),
            Refusal::Failure(failure) => failure.into(),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => Self::OutOfTime,
            Failure::Invariant(violation) => Self::Internal(violation),
        }
    }
}
