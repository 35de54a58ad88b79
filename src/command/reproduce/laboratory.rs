//! Asking for what an experiment needs.

use rug::Rational;

use crate::analysis::{Answer, Goal, Refusal, Subject};
use crate::bounds::{Enclosure, Target};
use crate::command::session::Session;
use crate::input::{MechanismFile, Template, mechanism_from_bytes};
use crate::kernel::{Budget, Failure, Interval, InvariantViolation};
use crate::mechanism::OutOfRange;
use crate::statement::{Query, Requirement};
use crate::study::{CalibrationError, Limits, Solution, calibrate, standard_factor};
use crate::summary::{
    Kind, RenyiCurve, Representation, Widths, converted_regret, fine_orders, renyi_curve, represent,
};

/// What mechanisms are called in messages.
const NAME: &str = "reproduction";

/// Where questions are asked.
pub struct Laboratory<'s> {
    session: &'s Session,
}

/// Why an experiment has no result.
pub enum Stop {
    Refused(String),
    Internal(InvariantViolation),
}

impl<'s> Laboratory<'s> {
    pub fn new(session: &'s Session) -> Self {
        Self { session }
    }

    /// A mechanism in the words of a mechanism file.
    pub fn mechanism(&self, json: &str) -> Result<MechanismFile, Stop> {
        mechanism_from_bytes(NAME, json.as_bytes())
            .map_err(|error| Stop::Refused(error.render(false)))
    }

    /// The mechanism, prepared.
    pub fn subject(&self, json: &str) -> Result<Subject, Stop> {
        Ok(self.session.subject(&self.mechanism(json)?)?)
    }

    /// A quantity to this relative width.
    pub fn ask(&self, of: &Subject, query: &Query, width: (u32, u32)) -> Result<Enclosure, Stop> {
        let width = Target::Relative(Rational::from(width));
        Ok(self.ask_to(of, query, &width)?.enclosure)
    }

    /// A quantity to this width.
    pub fn ask_absolutely(
        &self,
        of: &Subject,
        query: &Query,
        width: (u32, u32),
    ) -> Result<Enclosure, Stop> {
        let width = Target::Absolute(Rational::from(width));
        Ok(self.ask_to(of, query, &width)?.enclosure)
    }

    /// The least private value of `key` that meets the requirements, bracketed.
    pub fn calibrated(
        &self,
        json: &str,
        key: &str,
        requirements: &[Requirement],
        width: &Target,
    ) -> Result<Solution, Stop> {
        let limits = self.limits(width);
        Ok(calibrate(&template(json)?, key, requirements, &limits)?.solution)
    }

    /// How many times as much noise it takes to meet a requirement by way of (ε, δ), at four digits of noise.
    pub fn factor(
        &self,
        json: &str,
        key: &str,
        requirement: &Requirement,
        delta: &Rational,
    ) -> Result<Enclosure, Stop> {
        let width = Target::Relative(Rational::from((1, 10_000)));
        let limits = self.limits(&width);
        let found = standard_factor(&template(json)?, key, requirement, delta, &limits)?;
        found.ok_or_else(|| Stop::Refused("any noise will do".to_owned()))
    }

    /// A mechanism with one parameter set.
    pub fn with_value(
        &self,
        json: &str,
        key: &str,
        value: &Rational,
    ) -> Result<MechanismFile, Stop> {
        template(json)?
            .with_value(key, value)
            .map_err(|error| Stop::Refused(error.render(false)))
    }

    /// The turning point that a calibration brackets.
    pub fn between(found: &Solution) -> Result<Enclosure, Stop> {
        let misses = found
            .misses()
            .ok_or_else(|| Stop::Refused("no value is certified to miss the target".to_owned()))?;
        let end = |x: &Rational| Interval::from_rational(x, 128);
        let both = end(&found.meets).hull(&end(misses));
        Ok(Enclosure::from_interval(&both))
    }

    /// What a calibration to this width may use.
    fn limits(&self, width: &Target) -> Limits<'_> {
        Limits {
            precision: Some(width.clone()),
            ..self.session.limits()
        }
    }

    /// μ*(τ) or μ* above an error floor, τ and the floor being 1e-10.
    pub fn mu(&self, of: &Subject, has_floor: bool) -> Result<Enclosure, Stop> {
        let level = Rational::from((1, 10_000_000_000u64));
        let query = if has_floor {
            Query::gdp_mu_above(level)
        } else {
            Query::gdp_mu_up_to(level)
        };
        self.ask(of, &query?, (3, 1_000_000))
    }

    /// A representation with its regret, the parameter to this relative width.
    pub fn represent(
        &self,
        of: &Subject,
        kind: Kind,
        width: (u32, u32),
    ) -> Result<Representation, Stop> {
        let widths = Widths {
            parameter: Target::Relative(Rational::from(width)),
            regret: regret_width(),
        };
        self.represent_to(of, kind, &widths)
    }

    /// The same to other widths.
    pub fn represent_to(
        &self,
        of: &Subject,
        kind: Kind,
        widths: &Widths,
    ) -> Result<Representation, Stop> {
        Ok(represent(kind, widths, &|query, width| {
            self.ask_to(of, query, width)
        })?)
    }

    /// The Rényi curve with its regret.
    pub fn renyi_curve(&self, of: &Subject) -> Result<RenyiCurve, Stop> {
        Ok(renyi_curve(
            &fine_orders(),
            &regret_width(),
            &|query, width| self.ask_to(of, query, width),
        )?)
    }

    /// The regret of a Rényi guarantee that is converted order by order.
    pub fn converted(
        &self,
        of: &Subject,
        orders: &[(Rational, Rational)],
    ) -> Result<Enclosure, Stop> {
        let width = Target::Absolute(Rational::from((1, 200_000)));
        // Each place has a time of its own.
        Ok(converted_regret(orders, &Budget::unlimited(), &|at| {
            Ok(self.ask_to(of, &Query::delta_at(at), &width)?.enclosure)
        })?)
    }

    fn ask_to(&self, of: &Subject, query: &Query, width: &Target) -> Result<Answer, Failure> {
        let goal = Goal::Width(width.clone());
        self.session
            .with_resources(|resources| of.answer(query, &goal, resources))
    }
}

impl From<OutOfRange> for Stop {
    fn from(error: OutOfRange) -> Self {
        Self::Refused(error.to_string())
    }
}

/// A mechanism in the words of a mechanism file, with a parameter left open.
fn template(json: &str) -> Result<Template<'_>, Stop> {
    Template::new(NAME, json.as_bytes()).map_err(|error| Stop::Refused(error.render(false)))
}

fn regret_width() -> Target {
    Target::Relative(Rational::from((1, 1000)))
}

/// The enclosure of 100 times the number.
pub fn percent(value: &Enclosure) -> Enclosure {
    let hundred = Interval::from_rational(&Rational::from(100), 128);
    Enclosure::from_interval(&value.interval().mul(&hundred))
}

/// A number that is infinitely large, or unknown.
pub fn infinite() -> Enclosure {
    Enclosure::from_interval(&Interval::infinity(64))
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => Self::Refused(why.to_string()),
            Refusal::Failure(failure) => failure.into(),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => {
                Self::Refused("out of time; a larger --max-seconds may help".to_owned())
            }
            Failure::Invariant(violation) => Self::Internal(violation),
        }
    }
}

impl From<InvariantViolation> for Stop {
    fn from(violation: InvariantViolation) -> Self {
        Self::Internal(violation)
    }
}

impl From<CalibrationError> for Stop {
    fn from(error: CalibrationError) -> Self {
        match error {
            CalibrationError::Input(error) => Self::Refused(error.render(false)),
            CalibrationError::Internal(violation) => Self::Internal(violation),
            CalibrationError::OutOfTime => Failure::Interrupted.into(),
            error => Self::Refused(error.to_string()),
        }
    }
}
