//! The least noise that provably meets a target.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::Rational;

use super::analysis::Settings;
use super::{Error, Precision};
use crate::input::Template;
use crate::statement::{Claim, Requirement};
use crate::study;

/// Solves for one parameter of a mechanism, so that claims are provably true.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Calibration, Claim};
///
/// let solved = Calibration::of("kind = 'gaussian'", "sigma")
///     .meets(Claim::advantage("0.1")?)
///     .run()?;
/// let misses = solved.misses().unwrap();
/// assert!(*misses < *solved.value());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Calibration {
    template: String,
    key: String,
    targets: Vec<Requirement>,
    precision: Precision,
    settings: Settings,
}

/// A value that is certified to meet all targets, and one next to it that is certified to miss one.
#[derive(Debug, Clone)]
pub struct Solved(study::Calibration);

impl Calibration {
    /// Of the mechanism file `template`, TOML or JSON, for `key`, also of a mechanism within (`of.sigma`), which it may leave out.
    pub fn of(template: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            template: template.into(),
            key: key.into(),
            targets: Vec::new(),
            precision: Precision::usual(),
            settings: Settings::default(),
        }
    }

    /// This claim must be true.
    #[must_use]
    pub fn meets(mut self, claim: Claim) -> Self {
        self.targets.push(claim.into());
        self
    }

    /// A target in the words of attacks must be met: `tpr:fpr=0.1,at-most=0.3`, `accuracy:…`, `ppv:…`, `bayes-error:prior=0.5,at-least=0.4`.
    ///
    /// # Errors
    /// If it is none, with its place.
    pub fn meets_target(mut self, target: &str) -> Result<Self, Error> {
        self.targets.push(Requirement::from_argument(target)?);
        Ok(self)
    }

    /// How far apart the value that meets and the one that misses may be.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Time for the whole, 60 seconds unless said otherwise.
    #[must_use]
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.settings.time = time;
        self
    }

    /// Work ends soon after this is true, as if the time had ended.
    #[must_use]
    pub fn stop_flag(mut self, stop: Arc<AtomicBool>) -> Self {
        self.settings.stop = stop;
        self
    }

    /// Threads, all cores unless said otherwise (0 is as 1). No result depends on it.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.at_most(threads);
        self
    }

    /// Solves.
    ///
    /// # Errors
    /// If nothing can be solved for, nothing meets the targets, or the time ended before anything was certified.
    pub fn run(&self) -> Result<Solved, Error> {
        let template = Template::new("template", self.template.as_bytes())?;
        let limits = self.settings.limits(self.precision.clone());
        let found = study::calibrate(&template, &self.key, &self.targets, &limits)?;
        Ok(Solved(found))
    }
}

impl Solved {
    /// Certified to meet all targets.
    pub fn value(&self) -> &Rational {
        &self.0.solution.meets
    }

    /// Certified to miss a target, where such a value is known.
    pub fn misses(&self) -> Option<&Rational> {
        self.0.solution.misses()
    }

    /// Are the two as close as was asked for?
    pub fn is_as_narrow_as_asked(&self) -> bool {
        self.0.is_narrow()
    }

    /// Why values that are less private than both may meet the targets, and more private ones miss them: no theorem says that privacy goes one way with the parameter.
    pub fn either_way(&self) -> Option<&str> {
        self.0.either_way
    }

    /// Where else the targets hold, and what the two values do not say, in words.
    pub fn notes(&self) -> Vec<String> {
        self.0.remarks()
    }

    /// What all of this takes for granted, in words.
    pub fn conditions(&self) -> &[String] {
        &self.0.conditions
    }
}
