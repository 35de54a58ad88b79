//! One mechanism, and what can be asked of it.

use std::cell::OnceCell;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::Rational;

use super::{
    Comparison, ComparisonOptions, Enclosure, Error, Precision, Report, ReportOptions, Verdict,
};
use crate::analysis::Subject;
use crate::input::{ClaimEntry, MechanismFile, mechanism_from_bytes};
use crate::mechanism::{Adjacency, ExactEpsilon, Mechanism, Prior};
use crate::number::{Exact, exact};
use crate::statement::{Claim, Query};
use crate::study::{self, CurveKind, Engine, Finding, Limits, Place, Points, Silent};
use crate::verdict::judge;

/// One mechanism under one neighbouring relation, prepared for questions.
///
/// Answers to earlier questions make later ones cheaper.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Adjacency, Analysis, Claim, Mechanism};
/// use std::time::Duration;
///
/// let run = Mechanism::dp_sgd("9.4", "16384/50000", 2000)?;
/// let analysis = Analysis::of(run)
///     .adjacency(Adjacency::AddRemove)
///     .time_limit(Duration::from_secs(60))
///     .threads(2)
///     .prepare()?;
/// let epsilon = analysis.epsilon("1e-5")?;
/// assert!(*epsilon.lower() > 7.42 && *epsilon.upper() < 7.43);
///
/// let verdict = analysis.verify(&Claim::approx_dp(8, "1e-5")?)?;
/// assert!(verdict.is_verified());
/// # Ok(())
/// # }
/// ```
pub struct Analysis {
    file: MechanismFile,
    subject: Arc<Subject>,
    settings: Settings,
}

/// How an [`Analysis`] is to work.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// let file = "kind = 'laplace'\nscale = 2\nadjacency = 'remove'";
/// let laplace = dpcmp::Analysis::from_text(file)?.threads(1).prepare()?;
/// assert_eq!(laplace.adjacency(), dpcmp::Adjacency::Remove);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    file: MechanismFile,
    settings: Settings,
}

#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub time: Duration,
    pub threads: Option<NonZeroUsize>,
    pub stop: Arc<AtomicBool>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            threads: None,
            stop: Arc::default(),
        }
    }
}

impl Settings {
    pub fn at_most(&mut self, threads: usize) {
        self.threads = Some(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN));
    }

    pub fn limits(&self, precision: Precision) -> Limits<'static> {
        let all_cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Limits {
            max_time: self.time,
            threads: self.threads.unwrap_or_else(all_cores).get(),
            precision: precision.0,
            stop: Arc::clone(&self.stop),
            listener: &Silent,
        }
    }
}

impl Builder {
    /// Which neighbouring relation: both directions unless said otherwise.
    #[must_use]
    pub fn adjacency(mut self, adjacency: Adjacency) -> Self {
        self.file.adjacency = adjacency;
        self
    }

    /// Time for each question, 60 seconds unless said otherwise. When it ends the best enclosure so far is the answer.
    #[must_use]
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.settings.time = time;
        self
    }

    /// Threads, all cores unless said otherwise (0 is as 1). No result depends on it.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.at_most(threads);
        self
    }

    /// Work ends soon after this is true, as if the time had ended.
    #[must_use]
    pub fn stop_flag(mut self, stop: Arc<AtomicBool>) -> Self {
        self.settings.stop = stop;
        self
    }

    /// Prepares the mechanism.
    ///
    /// # Errors
    /// If dpcmp cannot treat it, or the time ends.
    pub fn prepare(mut self) -> Result<Analysis, Error> {
        let relation = self.file.adjacency.relation();
        self.file.mechanism = self.file.mechanism.under(relation)?;
        let limits = self.settings.limits(Precision::usual());
        Ok(Analysis {
            subject: Arc::new(limits.subject(&self.file)?),
            file: self.file,
            settings: self.settings,
        })
    }
}

impl Analysis {
    /// Of this mechanism, under add/remove of one record.
    pub fn of(mechanism: Mechanism) -> Builder {
        Builder {
            file: MechanismFile::of(mechanism, Adjacency::default()),
            settings: Settings::default(),
        }
    }

    /// Of the mechanism of a file, TOML or JSON, under its adjacency: all kinds and keys, claim files, Opacus accountant states, dp_accounting
    /// DpEvents.
    ///
    /// # Errors
    /// If it is none, with line, column and what to do.
    pub fn from_text(text: &str) -> Result<Builder, Error> {
        Ok(Builder {
            file: mechanism_from_bytes("text", text.as_bytes())?,
            settings: Settings::default(),
        })
    }

    /// The same mechanism, with what is known of it, for questions that may take other `time` and end soon after `stop` is true.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// use dpcmp::{Analysis, Mechanism};
    /// use std::sync::Arc;
    /// use std::sync::atomic::AtomicBool;
    /// use std::time::Duration;
    ///
    /// let run = Analysis::of(Mechanism::dp_sgd(1, "0.01", 1000)?).prepare()?;
    /// let stop = Arc::new(AtomicBool::new(true));
    /// let stopped = run.within(Duration::from_secs(5), stop).epsilon("1e-5")?;
    /// assert!(!stopped.is_as_narrow_as_asked());
    /// assert!(run.epsilon("1e-5")?.is_as_narrow_as_asked());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn within(&self, time: Duration, stop: Arc<AtomicBool>) -> Self {
        Self {
            file: self.file.clone(),
            subject: Arc::clone(&self.subject),
            settings: Settings {
                time,
                stop,
                threads: self.settings.threads,
            },
        }
    }

    /// What dpcmp worked out while it read the mechanism, such as the number of steps from epochs.
    pub fn notes(&self) -> &[String] {
        &self.file.notes
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.file.mechanism
    }

    /// The neighbouring relation.
    pub fn adjacency(&self) -> Adjacency {
        self.file.adjacency
    }

    /// What all answers take for granted, in words.
    pub fn conditions(&self) -> Vec<String> {
        crate::verdict::conditions(&self.file.mechanism, self.file.adjacency)
    }

    /// The least ε with δ(ε) ≤ delta, to 1e-4 or better.
    ///
    /// # Errors
    /// If `delta` is no number ≥ 0, or there is no answer.
    pub fn epsilon(&self, delta: impl Exact) -> Result<Enclosure, Error> {
        self.bound(&Query::epsilon(delta)?, Precision::usual())
    }

    /// δ(ε), to 1e-4 or better.
    ///
    /// # Errors
    /// If `epsilon` is no number, or there is no answer.
    pub fn delta(&self, epsilon: impl ExactEpsilon) -> Result<Enclosure, Error> {
        self.bound(&Query::delta(epsilon)?, Precision::usual())
    }

    /// δ(0), the largest advantage of a membership attack, to 1e-4 or better.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn advantage(&self) -> Result<Enclosure, Error> {
        self.bound(&Query::advantage(), Precision::usual())
    }

    /// Encloses what is asked for. Where the time ends early the enclosure is wider than asked for, and says so.
    ///
    /// # Errors
    /// If dpcmp cannot treat the question.
    pub fn bound(&self, query: &Query, precision: Precision) -> Result<Enclosure, Error> {
        let limits = self.settings.limits(precision);
        let found = study::bound(&limits, Ok(&*self.subject), query)?;
        Ok(Enclosure::of(&found.answer))
    }

    /// A fast estimate by doubles, **without any guarantee**: it may be wrong in any digit and on either side. Where there is no fast way, the middle of
    /// the certified enclosure, unless its ends lie far apart.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// use dpcmp::{Analysis, Mechanism, Query};
    ///
    /// let run = Analysis::of(Mechanism::dp_sgd("9.4", "16384/50000", 2000)?).prepare()?;
    /// let about = run.estimate(&Query::epsilon("1e-5")?)?;
    /// assert!((7.42..7.43).contains(&about));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there are no estimates of the mechanism or the quantity, or only bounds are known that lie far apart.
    pub fn estimate(&self, query: &Query) -> Result<f64, Error> {
        let limits = self.settings.limits(Precision::usual());
        let curve = OnceCell::new();
        let prepared = || {
            let curve = curve.get_or_init(|| study::prepare(&self.file, &limits));
            curve.as_ref().map_err(Clone::clone)
        };
        Ok(study::estimate(&self.file, query, &limits, prepared)?)
    }

    /// Decides a claim: verified, refuted or undecided.
    ///
    /// # Errors
    /// Only if dpcmp contradicts itself: a claim that it cannot treat is undecided.
    pub fn verify(&self, claim: &Claim) -> Result<Verdict, Error> {
        let limits = self.settings.limits(Precision::usual());
        let detail = study::default_target();
        let entry = ClaimEntry::of(claim.clone());
        let verdict = limits.with_resources(|resources| {
            judge(&entry, Ok(&*self.subject), resources, &detail, None)
        })?;
        Ok(Verdict(verdict))
    }

    /// Compares it, as A, with another one, as B.
    ///
    /// # Errors
    /// If dpcmp cannot treat one of them, or the time ends too early.
    pub fn compare(&self, other: &Self) -> Result<Comparison, Error> {
        self.compare_with(other, &ComparisonOptions::default())
    }

    /// The same with weighted divergences, and how many steps it takes until one dominates.
    ///
    /// # Errors
    /// As [`compare`](Self::compare).
    pub fn compare_with(
        &self,
        other: &Self,
        options: &ComparisonOptions,
    ) -> Result<Comparison, Error> {
        let unnamed = |prior: &Prior| (String::new(), prior.clone());
        let asked = study::Asked {
            first: self.file.clone(),
            second: other.file.clone(),
            priors: options.priors.iter().map(unnamed).collect(),
            tolerance: options.tolerance.clone(),
        };
        let limits = self.settings.limits(Precision::usual());
        let found = study::compare(&limits, &asked)?;
        Ok(Comparison::of(&found, &options.priors)?)
    }

    /// Every short statement that is true of it, each with its regret (Gomez et al. 2025).
    ///
    /// # Errors
    /// If dpcmp cannot treat it, or the time ends too early.
    pub fn report(&self, options: &ReportOptions) -> Result<Report, Error> {
        let limits = self.settings.limits(Precision::usual());
        Report::of(&study::report(&limits, &self.file, &options.deltas)?)
    }

    /// A curve at these places: ε, false-positive rates or priors. All points share the time limit.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// use dpcmp::{Analysis, CurveKind, Mechanism};
    ///
    /// let laplace = Analysis::of(Mechanism::laplace(1, 1)?).prepare()?;
    /// let points = laplace.curve(CurveKind::TradeOff, [0.1, 0.5])?;
    /// assert_eq!(points.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a place is none of this curve, or there is no answer.
    pub fn curve(
        &self,
        kind: CurveKind,
        places: impl IntoIterator<Item = impl Exact>,
    ) -> Result<Vec<(Rational, Enclosure)>, Error> {
        let mut at = Vec::new();
        for place in places {
            let value = place.exact()?;
            let text = exact(&value);
            at.push(Place { text, value });
        }
        let limits = self.settings.limits(Precision::usual());
        let points = Points::At(at);
        let found = study::curve(&self.file, kind, Some(&points), Engine::Certified, &limits)?;
        let mut curve = Vec::with_capacity(found.len());
        for point in found {
            match point.found? {
                Finding::Enclosure { answer, .. } => {
                    curve.push((point.place.value, Enclosure::of(&answer)));
                }
                Finding::Estimate(_) => {}
            }
        }
        Ok(curve)
    }
}

impl fmt::Debug for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analysis")
            .field("mechanism", &self.file.mechanism)
            .field("adjacency", &self.file.adjacency)
            .finish_non_exhaustive()
    }
}
