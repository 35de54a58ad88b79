//! Every short statement that is true of a mechanism.

use rug::Rational;

use super::{Enclosure, Error};
use crate::analysis::Answer;
use crate::kernel::InvariantViolation;
use crate::mechanism::{Domain, OutOfRange};
use crate::number::Exact;
use crate::statement::Claim;
use crate::study::PrivacyReport;
use crate::summary::{Advice, Kind, Representation, Stated, advise};

/// What a report is to have.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// let options = dpcmp::ReportOptions::default().at_delta("1e-6")?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportOptions {
    pub(super) deltas: Vec<Rational>,
}

impl ReportOptions {
    /// (ε, δ)-DP at this δ, too.
    ///
    /// # Errors
    /// If it is no number in [0, 1].
    pub fn at_delta(mut self, delta: impl Exact) -> Result<Self, Error> {
        self.deltas
            .push(Domain::Unit.check("delta", delta.exact()?)?);
        Ok(self)
    }
}

/// Concise representations of a mechanism, each with the regret of stating it.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::rug::Rational;
/// use dpcmp::{Analysis, Claim, Mechanism, ReportOptions};
///
/// let gaussian = Analysis::of(Mechanism::gaussian(1, 1)?).prepare()?;
/// let report = gaussian.report(&ReportOptions::default())?;
/// let strict = &report.statements()[0];
/// assert_eq!(strict.claim(), Some(&Claim::gdp(1)?));
/// assert_eq!(strict.regret().map(|regret| regret.upper().is_zero()), Some(true));
/// let (rate, misses) = &report.risks()[3];
/// assert!(*rate == Rational::from((1, 100)) && *misses.lower() > 0.9);
/// assert_eq!(report.recommended(), Some(0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Report {
    statements: Vec<Statement>,
    advantage: Enclosure,
    risks: Vec<(Rational, Enclosure)>,
    conditions: Vec<String>,
    recommended: Option<usize>,
}

/// A statement that is true of the mechanism.
#[derive(Debug, Clone)]
pub struct Statement {
    claim: Option<Claim>,
    parameter: Enclosure,
    regret: Option<Enclosure>,
}

impl Report {
    pub(super) fn of(found: &PrivacyReport<'_>) -> Result<Self, Error> {
        let statements = found.representations.iter().map(Statement::of);
        let statements = statements.collect::<Result<_, _>>();
        Ok(Self {
            // dpcmp itself chose the numbers.
            statements: statements.map_err(InvariantViolation::from)?,
            advantage: Enclosure::of(&found.advantage),
            risks: found.risks.iter().map(risk).collect(),
            conditions: found.conditions.clone(),
            recommended: match advise(&found.representations) {
                Advice::Gdp(best) | Advice::Other(best) => {
                    let mut all = found.representations.iter();
                    all.position(|one| std::ptr::eq(one, best))
                }
                Advice::Profile(_) => None,
            },
        })
    }

    /// Strict μ-GDP, μ-GDP up to 1e-10 and above an error floor of 1e-10, ρ-zCDP, ε-DP, and (ε, δ)-DP at each δ asked for. They are about both
    /// directions, whatever the adjacency.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The statement to report, by its place in [`Report::statements`]: one that says something and whose regret is certainly below 0.01, μ-GDP if that is
    /// such a one, else the one of the least regret (Gomez et al. 2025, Section 4). `None` where the privacy profile itself is better.
    pub fn recommended(&self) -> Option<usize> {
        self.recommended
    }

    /// δ(0), the largest advantage of a membership attack.
    pub fn advantage(&self) -> &Enclosure {
        &self.advantage
    }

    /// What attacks on membership reach: false-positive rates from 1e-5 to 0.1, and the least false-negative rate there. A true-positive rate is at
    /// most 1 less the lower end.
    pub fn risks(&self) -> &[(Rational, Enclosure)] {
        &self.risks
    }

    /// What all of this takes for granted, in words.
    pub fn conditions(&self) -> &[String] {
        &self.conditions
    }
}

impl Statement {
    fn of(found: &Representation) -> Result<Self, OutOfRange> {
        let claim = match &found.stated {
            Stated::Number(number) => Some(claim_of(&found.kind, number)?),
            Stated::Nothing | Stated::Unknown => None,
        };
        Ok(Self {
            claim,
            parameter: Enclosure::of(&found.parameter),
            regret: found.regret.as_ref().map(Enclosure::of),
        })
    }

    /// The statement, its parameter rounded up; `None` where no finite parameter will do, or none is known.
    pub fn claim(&self) -> Option<&Claim> {
        self.claim.as_ref()
    }

    /// The tightest parameter.
    pub fn parameter(&self) -> &Enclosure {
        &self.parameter
    }

    /// By how much the error of an attack is under-reported when the statement stands for the mechanism; of μ-GDP up to a tolerance or above a
    /// floor, that of G_μ. Where nothing is stated, the regret of saying nothing.
    pub fn regret(&self) -> Option<&Enclosure> {
        self.regret.as_ref()
    }
}

fn risk((alpha, beta): &(Rational, Answer)) -> (Rational, Enclosure) {
    (alpha.clone(), Enclosure::of(beta))
}

fn claim_of(kind: &Kind, number: &Rational) -> Result<Claim, OutOfRange> {
    match kind {
        Kind::PureDp => Claim::pure_dp(number),
        Kind::ApproxDp { delta } => Claim::approx_dp(number, delta),
        Kind::Zcdp => Claim::zcdp(number),
        Kind::Gdp(form) => Claim::gdp_as(number, form.clone()),
    }
}
