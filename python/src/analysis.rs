//! One mechanism, and what can be asked of it.

use std::sync::Arc;

use pyo3::prelude::*;

use super::answer::{self, Claim, Enclosure, Verdict};
use super::failure::{bad_number, exception, given, given_in};
use super::job::run;
use super::number::{Fraction, fraction};
use dpcmp::rug::Rational;
use dpcmp::{
    ComparisonOptions, CurveKind, Exact, Mechanism, Precision, Prior, Query, ReportOptions,
};

/// A mechanism, prepared for questions.
#[pyclass(frozen, module = "dpcmp._native")]
pub struct Analysis {
    of: Arc<dpcmp::Analysis>,
}

impl Analysis {
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        seconds: f64,
        job: impl FnOnce(&dpcmp::Analysis) -> Result<T, dpcmp::Error> + Send + 'static,
    ) -> PyResult<T> {
        let of = Arc::clone(&self.of);
        run(py, seconds, move |limit| {
            job(&of.within(limit.time, limit.stop))
        })
    }
}

/// Ends in `abs` for a width that is not relative.
pub fn precision(py: Python<'_>, text: Option<&str>) -> PyResult<Precision> {
    match text {
        None => Ok(Precision::usual()),
        Some(text) => match text.strip_suffix("abs") {
            Some(width) => given(py, Precision::absolute(width), "absolute_precision"),
            None => given(py, Precision::relative(text), "precision"),
        },
    }
}

/// A query as the command line has it, or `max-loss`, which it does not have.
pub fn query(text: &str) -> Result<Query, dpcmp::Error> {
    match text.trim() {
        "max-loss" => Ok(Query::max_loss()),
        text => Query::from_text(text),
    }
}

/// Two mechanisms side by side.
#[derive(IntoPyObject)]
pub struct Comparison {
    delta_a_b: Enclosure,
    delta_b_a: Enclosure,
    symmetric: Enclosure,
    blackwell: &'static str,
    weighted: Vec<(Enclosure, Enclosure)>,
    crossing_epsilons: Vec<Enclosure>,
    all_crossing_epsilons: bool,
    crossing_alphas: Vec<(Fraction, Fraction)>,
    all_crossing_alphas: bool,
    extremes: Vec<(Enclosure, Enclosure)>,
    emergence: Option<Emergence>,
    conditions: Vec<String>,
}

/// What the moments of the steps prove about two compositions.
#[derive(IntoPyObject)]
pub struct Emergence {
    bound: Enclosure,
    gamma_sum: Option<Enclosure>,
    theorem_applies: bool,
    unmet: Vec<String>,
    proven_from: Option<(String, String)>,
    moments: Option<Vec<(u64, Vec<Enclosure>)>>,
}

impl From<&dpcmp::Emergence> for Emergence {
    fn from(of: &dpcmp::Emergence) -> Self {
        let step = |step: &dpcmp::StepMoments| {
            let values = [step.v1(), step.v2(), step.v3(), step.v4(), step.eta()];
            (step.steps(), values.map(Into::into).into())
        };
        Self {
            bound: of.bound().into(),
            gamma_sum: of.gamma_sum().map(Into::into),
            theorem_applies: of.theorem_applies(),
            unmet: of.unmet().to_vec(),
            proven_from: of
                .proven_from()
                .map(|(a, b)| (a.to_string(), b.to_string())),
            moments: of.moments().map(|both| both.iter().map(step).collect()),
        }
    }
}

/// Statements that are true of a mechanism, each with its tightest parameter and its regret.
#[derive(IntoPyObject)]
pub struct Report {
    statements: Vec<(Option<Claim>, Enclosure, Option<Enclosure>)>,
    advantage: Enclosure,
    risks: Vec<(Fraction, Enclosure)>,
    conditions: Vec<String>,
    recommended: Option<usize>,
}

#[pymethods]
impl Analysis {
    #[new]
    fn new(py: Python<'_>, text: String, seconds: f64, threads: Option<usize>) -> PyResult<Self> {
        let of = run(py, seconds, move |limit| {
            let mut builder = dpcmp::Analysis::from_text(&text)?;
            if let Some(threads) = threads {
                builder = builder.threads(threads);
            }
            let builder = builder.time_limit(limit.time);
            builder.stop_flag(limit.stop).prepare()
        })?;
        Ok(Self { of: Arc::new(of) })
    }

    /// Reads a mechanism without preparing it: its words and its adjacency.
    #[staticmethod]
    fn read(py: Python<'_>, text: &str) -> PyResult<String> {
        let read = Mechanism::from_text(text);
        let read = read.map_err(|error| exception(py, &error))?;
        Ok(read.words())
    }

    #[getter]
    fn words(&self) -> String {
        self.of.mechanism().words()
    }

    #[getter]
    fn adjacency(&self) -> &'static str {
        self.of.adjacency().as_str()
    }

    #[getter]
    fn conditions(&self) -> Vec<String> {
        self.of.conditions()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.of.notes().to_vec()
    }

    fn bound(
        &self,
        py: Python<'_>,
        query: String,
        width: Option<String>,
        seconds: f64,
    ) -> PyResult<Enclosure> {
        let query = given(py, self::query(&query), "query")?;
        let precision = precision(py, width.as_deref())?;
        self.ask(py, seconds, move |of| {
            Ok(Enclosure::from(&of.bound(&query, precision)?))
        })
    }

    /// A divergence from another mechanism: `delta-divergence`, `delta-symmetric`, or `weighted-delta` with a prior.
    fn divergence(
        &self,
        py: Python<'_>,
        other: &Self,
        prior: Option<String>,
        symmetric: bool,
        width: Option<String>,
        seconds: f64,
    ) -> PyResult<Enclosure> {
        let mechanism = other.of.mechanism().clone();
        let adjacency = other.of.adjacency();
        let query = match prior {
            Some(prior) => {
                let prior = given(py, Prior::from_text(&prior), "prior")?;
                Query::weighted_delta(mechanism, adjacency, prior)
            }
            None if symmetric => Query::delta_symmetric(mechanism, adjacency),
            None => Query::delta_divergence(mechanism, adjacency),
        };
        let precision = precision(py, width.as_deref())?;
        self.ask(py, seconds, move |of| {
            Ok(Enclosure::from(&of.bound(&query, precision)?))
        })
    }

    fn estimate(&self, py: Python<'_>, query: String, seconds: f64) -> PyResult<f64> {
        let query = given(py, self::query(&query), "query")?;
        self.ask(py, seconds, move |of| of.estimate(&query))
    }

    fn verify(&self, py: Python<'_>, claim: String, seconds: f64) -> PyResult<Verdict> {
        let claim = given(py, dpcmp::Claim::from_text(&claim), "claim")?;
        self.ask(py, seconds, move |of| {
            Ok(Verdict::from(&of.verify(&claim)?))
        })
    }

    fn compare(
        &self,
        py: Python<'_>,
        other: &Self,
        priors: Vec<String>,
        tolerance: Option<String>,
        seconds: f64,
    ) -> PyResult<Comparison> {
        let mut options = ComparisonOptions::default();
        for (place, prior) in priors.iter().enumerate() {
            options = options.weighted_by(given_in(py, Prior::from_text(prior), "priors", place)?);
        }
        if let Some(tolerance) = &tolerance {
            options = given(py, options.emergence_up_to(tolerance), "tolerance")?;
        }
        let other = Arc::clone(&other.of);
        self.ask(py, seconds, move |of| {
            let found = of.compare_with(&other, &options)?;
            let weighted = found.weighted().iter();
            let alphas = found.crossing_alphas().iter();
            Ok(Comparison {
                delta_a_b: found.delta_a_b().into(),
                delta_b_a: found.delta_b_a().into(),
                symmetric: found.symmetric().into(),
                blackwell: found.blackwell().as_str(),
                weighted: weighted
                    .map(|of| (of.delta_a_b().into(), of.delta_b_a().into()))
                    .collect(),
                crossing_epsilons: found.crossing_epsilons().iter().map(Into::into).collect(),
                all_crossing_epsilons: found.are_all_crossing_epsilons(),
                crossing_alphas: alphas
                    .map(|(low, high)| (fraction(low), fraction(high)))
                    .collect(),
                all_crossing_alphas: found.are_all_crossing_alphas(),
                extremes: found.extremes().iter().map(extremes).collect(),
                emergence: found.emergence().map(Into::into),
                conditions: found.conditions().to_vec(),
            })
        })
    }

    fn report(&self, py: Python<'_>, deltas: Vec<String>, seconds: f64) -> PyResult<Report> {
        let mut options = ReportOptions::default();
        for (place, delta) in deltas.iter().enumerate() {
            options = given_in(py, options.at_delta(delta), "deltas", place)?;
        }
        self.ask(py, seconds, move |of| {
            let found = of.report(&options)?;
            let statements = found.statements().iter().map(|statement| {
                (
                    statement.claim().map(answer::claim),
                    statement.parameter().into(),
                    statement.regret().map(Enclosure::from),
                )
            });
            Ok(Report {
                statements: statements.collect(),
                advantage: found.advantage().into(),
                risks: found.risks().iter().map(place).collect(),
                conditions: found.conditions().to_vec(),
                recommended: found.recommended(),
            })
        })
    }

    /// A curve at these places.
    fn curve(
        &self,
        py: Python<'_>,
        kind: &str,
        places: Vec<String>,
        seconds: f64,
    ) -> PyResult<Vec<(Fraction, Enclosure)>> {
        let kinds = [
            CurveKind::PrivacyProfile,
            CurveKind::TradeOff,
            CurveKind::BayesError,
        ];
        let kind = kinds.into_iter().find(|known| known.as_str() == kind);
        let kind = kind.ok_or_else(|| bad_number("no such kind of a curve"))?;
        for (number, at) in places.iter().enumerate() {
            given_in(py, at.exact(), "places", number)?;
        }
        self.ask(py, seconds, move |of| {
            Ok(of.curve(kind, &places)?.iter().map(place).collect())
        })
    }
}

/// How far a mechanism is from perfect privacy and from none.
fn extremes(of: &dpcmp::Extremes) -> (Enclosure, Enclosure) {
    (
        of.from_perfect_privacy().into(),
        of.to_blatant_non_privacy().into(),
    )
}

/// A place and what is there.
fn place((at, found): &(Rational, dpcmp::Enclosure)) -> (Fraction, Enclosure) {
    (fraction(at), found.into())
}
