//! `dpcmp compare A B`.

use std::time::Instant;

use rug::{Float, Rational};

use super::Session;
use super::arguments::{Engine, Format};
use super::bound::{read_mechanism, show, unsupported_code};
use super::curve::Source;
use super::estimate;
use super::exit_code::ExitCode;
use super::interrupt::internal_error;
use super::output::{Gone, complain};
use super::plot::{Divergence, Facing, duel};
use super::query::hyper_prior;
use crate::analysis::{
    Answer, Contrast, Ending, Goal, Means, Method, Quantity, Refusal, Subject, Unsupported, Witness,
};
use crate::bounds::{Enclosure, Target};
use crate::emergence::{emergence, self_composition};
use crate::input::{MechanismFile, Prior};
use crate::kernel::{Failure, Interval, InvariantViolation};
use crate::plot::Picture;
use crate::report::{
    ComparisonReport, Moments, Regret, Weighted, comparison_human, comparison_json, enclosed,
    error_json,
};
use crate::verdict::{Blackwell, conditions_of_regrets};

/// What to compare.
struct Asked {
    first: MechanismFile,
    second: MechanismFile,
    /// Densities with their names.
    priors: Vec<(String, Prior)>,
    tolerance: Option<Rational>,
}

/// Why there is no comparison.
enum Stop {
    /// One of the mechanisms, by its name here.
    Unsupported(&'static str, Unsupported),
    OutOfTime,
    Internal(InvariantViolation),
}

/// Compares two mechanisms.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    first: &str,
    second: &str,
    priors: &[String],
    tolerance: Option<&Rational>,
) -> Result<ExitCode, Gone> {
    let Some(asked) = read(first, second, priors, tolerance) else {
        return Ok(ExitCode::BadInput);
    };
    if session.options.engine == Engine::Float {
        return estimate::compare(session, [&asked.first, &asked.second], &asked.priors);
    }
    let is_json = session.options.format == Format::Json;
    let refuse = |exit, code, message: &str| {
        if is_json {
            session.print(&format!("{}\n", error_json(None, None, code, message)))?;
        }
        Ok(exit)
    };
    match compare(session, &asked) {
        Ok((report, picture)) => {
            let text = if is_json {
                format!("{}\n", comparison_json(&report))
            } else {
                comparison_human(&report, super::output::style())
            };
            match picture {
                Some(picture) => session.show(&text, || picture),
                None => session.print(&text).map(|()| ExitCode::Done),
            }
        }
        Err(Stop::Unsupported(name, unsupported)) => {
            let message = format!("mechanism {name}: {unsupported}");
            complain(&message);
            refuse(ExitCode::BadInput, unsupported_code(&unsupported), &message)
        }
        Err(Stop::OutOfTime) => {
            let message =
                "the time ended before both mechanisms were prepared; a larger --max-seconds helps";
            complain(message);
            refuse(ExitCode::Undecided, "budget", message)
        }
        Err(Stop::Internal(violation)) => {
            internal_error(&violation.to_string());
            refuse(ExitCode::Internal, "internal", &violation.to_string())
        }
    }
}

/// Both mechanisms and the densities; `None` once it has been said what is wrong with them.
fn read(
    first: &str,
    second: &str,
    priors: &[String],
    tolerance: Option<&Rational>,
) -> Option<Asked> {
    if first == "-" && second == "-" {
        complain("only one of the two mechanisms can come from standard input");
        return None;
    }
    let first = read_mechanism(first)?;
    let second = read_mechanism(second)?;
    let usual = ["jeffreys".to_owned(), "uquadratic".to_owned()];
    let texts = if priors.is_empty() { &usual } else { priors };
    let mut parsed = Vec::with_capacity(texts.len());
    for text in texts {
        match Prior::from_argument(text) {
            Ok(prior) => parsed.push((text.clone(), prior)),
            Err(error) => {
                show(&error);
                return None;
            }
        }
    }
    Some(Asked {
        first,
        second,
        priors: parsed,
        tolerance: tolerance.cloned(),
    })
}

/// The comparison, and its picture if one is asked for.
fn compare<'a>(
    session: &Session,
    asked: &'a Asked,
) -> Result<(ComparisonReport<'a>, Option<Picture>), Stop> {
    let Asked {
        first,
        second,
        priors,
        tolerance,
    } = asked;
    let start = Instant::now();
    session.progress.start("compare");
    let duel = Duel {
        session,
        start,
        a: session
            .subject(first)
            .map_err(|refusal| Stop::of("A", refusal))?,
        b: session
            .subject(second)
            .map_err(|refusal| Stop::of("B", refusal))?,
    };
    let target = duel.target();
    let symmetric = duel.regret(true, &Contrast::Symmetric, &target)?;
    // Neither direction need be known better than the larger of the two.
    let each = if duel.is_closed_form() {
        target.clone()
    } else {
        allowed(&target, &symmetric.answer.enclosure)
    };
    let a_to_b = duel.regret(true, &Contrast::To, &each)?;
    let b_to_a = duel.regret(false, &Contrast::To, &each)?;
    let blackwell = Blackwell::of(a_to_b.sign(), b_to_a.sign());
    let mut weighted = Vec::with_capacity(priors.len());
    for (name, prior) in priors {
        let contrast = Contrast::Weighted(hyper_prior(prior));
        let width = duel.weighted_target(&each);
        weighted.push(Weighted {
            name: name.clone(),
            a_to_b: duel.regret(true, &contrast, &width)?,
            b_to_a: duel.regret(false, &contrast, &width)?,
        });
    }
    let (crossings, curve_crossings) = if blackwell == Blackwell::Incomparable {
        (
            duel.with_means(|means| duel.a.crossings(&duel.b, means))?,
            duel.with_means(|means| duel.a.curve_crossings(&duel.b, means))?,
        )
    } else {
        (Vec::new(), Vec::new())
    };
    let moments = emergence_of(&duel, asked)?;
    let mut all = conditions_of_regrets(&first.mechanism, first.adjacency);
    for condition in conditions_of_regrets(&second.mechanism, second.adjacency) {
        if !all.contains(&condition) {
            all.push(condition);
        }
    }
    let report = ComparisonReport {
        mechanisms: [first, second],
        a_to_b,
        b_to_a,
        symmetric,
        blackwell,
        weighted,
        crossings,
        curve_crossings,
        extremes: [
            duel.extremes(&duel.a, &each)?,
            duel.extremes(&duel.b, &each)?,
        ],
        moments,
        tolerance: tolerance.clone(),
        conditions: all,
        time: start.elapsed(),
    };
    let wanted = session.options.plot.is_some();
    let picture = wanted.then(|| picture(&duel, asked, &report));
    Ok((report, picture))
}

fn picture(of: &Duel<'_>, asked: &Asked, report: &ComparisonReport<'_>) -> Picture {
    let files = [&asked.first, &asked.second];
    let hints = files.map(|file| estimate::prepare(file).ok());
    let [hint_a, hint_b] = &hints;
    let divergence = |name, regret: &Regret| Divergence {
        words: enclosed(name, &regret.answer.enclosure),
        at_most: regret.answer.enclosure.upper().to_f64(),
        prior: match &regret.answer.witness {
            Some(Witness::Prior { prior, .. }) => Some(prior.to_f64()),
            _ => None,
        },
    };
    let [[a_to_pp, a_to_bnp], [b_to_pp, b_to_bnp]] = &report.extremes;
    let words = vec![
        format!(
            "from perfect privacy: {}, {}",
            enclosed("A", a_to_pp),
            enclosed("B", b_to_pp)
        ),
        format!(
            "to none at all: {}, {}",
            enclosed("A", a_to_bnp),
            enclosed("B", b_to_bnp)
        ),
    ];
    let certified = "certified: each band contains its curve; Δ(A‖B) is by how much an attacker's error can fall when B takes the place of A".to_owned();
    let conditions = report
        .conditions
        .iter()
        .map(|condition| format!("IF {condition}"));
    let facing = Facing {
        files,
        sources: [Source::Certified(&of.a), Source::Certified(&of.b)],
        hints: [hint_a.as_ref(), hint_b.as_ref()],
        divergences: [
            divergence("Δ(A‖B)", &report.a_to_b),
            divergence("Δ(B‖A)", &report.b_to_a),
        ],
        words,
        notes: std::iter::once(certified).chain(conditions).collect(),
    };
    duel(of.session, &facing, of.start)
}

/// What the moments of the steps prove, where both are compositions of several equal steps, or where it was asked for.
fn emergence_of(duel: &Duel<'_>, asked: &Asked) -> Result<Moments, Stop> {
    let found = duel.with_means(|means| {
        let steps = |file: &MechanismFile| -> Result<_, Failure> {
            self_composition(&file.mechanism, file.adjacency, means.budget)
        };
        let (a, b) = match (steps(&asked.first)?, steps(&asked.second)?) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(why), _) if asked.tolerance.is_some() => {
                return Ok(Moments::Unknown(format!("A: {why}")));
            }
            (_, Err(why)) if asked.tolerance.is_some() => {
                return Ok(Moments::Unknown(format!("B: {why}")));
            }
            _ => return Ok(Moments::NotAsked),
        };
        if asked.tolerance.is_none() && (a.times == 1 || b.times == 1) {
            return Ok(Moments::NotAsked);
        }
        let found = emergence(&a, &b, asked.tolerance.as_ref(), means.budget)?;
        Ok(Moments::Known(Box::new(found)))
    });
    match found {
        Ok(found) => Ok(found),
        Err(Failure::Interrupted) => Ok(Moments::Unknown(
            "the time ended; a larger --max-seconds helps".to_owned(),
        )),
        Err(Failure::Invariant(violation)) => Err(Stop::Internal(violation)),
    }
}

struct Duel<'s> {
    session: &'s Session,
    start: Instant,
    a: Subject,
    b: Subject,
}

impl Duel<'_> {
    fn with_means<T>(&self, job: impl FnOnce(&Means<'_>) -> T) -> T {
        self.session.with_rest(self.start, job)
    }

    fn is_closed_form(&self) -> bool {
        self.a.is_closed_form() && self.b.is_closed_form()
    }

    fn target(&self) -> Target {
        let usual = if self.is_closed_form() {
            Rational::from((1, 1_000_000_000_000_000u64))
        } else {
            Rational::from((1, 10_000))
        };
        let asked = self.session.options.precision.clone();
        asked.unwrap_or(Target::Relative(usual))
    }

    /// Weighted divergences are shown beside the plain ones, with fewer digits.
    fn weighted_target(&self, each: &Target) -> Target {
        if self.session.options.precision.is_none() && self.is_closed_form() {
            Target::Relative(Rational::from((1, 1_000_000)))
        } else {
            each.clone()
        }
    }

    fn regret(&self, from_a: bool, contrast: &Contrast, target: &Target) -> Result<Regret, Stop> {
        let (from, to) = if from_a {
            (&self.a, &self.b)
        } else {
            (&self.b, &self.a)
        };
        let goal = Goal::Width(target.clone());
        let found = self.with_means(|means| from.compare(to, contrast, &goal, means));
        let most = match contrast {
            Contrast::Weighted(_) => crate::kernel::directed::infinity(64),
            _ => Float::with_val(64, 1) >> 1u32,
        };
        Ok(Regret {
            answer: or_trivial(found, most)?,
            // A density may vanish where the theorem sees the difference.
            positive_by: match contrast {
                Contrast::Weighted(_) => None,
                _ => from.certainly_does_not_dominate(to),
            },
        })
    }

    /// Δ(perfect privacy‖M) = δ(0)/2 and Δ(M‖blatant non-privacy) = R* (Kaissis et al. 2024, Lemmas 3 and 4).
    fn extremes(&self, subject: &Subject, each: &Target) -> Result<[Enclosure; 2], Stop> {
        let goal = Goal::Width(if subject.is_closed_form() {
            Target::Relative(Rational::from((1, 1_000_000)))
        } else {
            each.clone()
        });
        let ask = |quantity: &Quantity| {
            let found = self.with_means(|means| subject.answer(quantity, &goal, means));
            or_trivial(found, Float::with_val(64, 1)).map(|answer| answer.enclosure)
        };
        let advantage = ask(&Quantity::Advantage)?;
        let half = match advantage.exact() {
            Some(value) => Enclosure::exactly(Rational::from(value / 2u32), 192),
            None => {
                let bits = advantage.lower().prec();
                let half = Interval::from_rational(&Rational::from((1, 2)), bits);
                Enclosure::from_interval(&advantage.interval().mul(&half))
            }
        };
        Ok([half, ask(&Quantity::MinimaxRisk)?])
    }
}

/// The width allowed for a value that is known so far, as an absolute one; not less than what was reached in time.
fn allowed(target: &Target, found: &Enclosure) -> Target {
    let width = target.allowed_width(found.lower(), found.upper(), 128);
    let width = width.max(&found.width_up());
    match width.to_rational().filter(|width| *width > 0) {
        Some(width) => Target::Absolute(width),
        None => target.clone(),
    }
}

/// No time for any enclosure leaves what is true of any two mechanisms.
fn or_trivial(found: Result<Answer, Failure>, most: Float) -> Result<Answer, Stop> {
    match found {
        Ok(answer) => Ok(answer),
        Err(Failure::Interrupted) => Ok(Answer {
            enclosure: Enclosure::new(Float::new(64), most).map_err(Stop::Internal)?,
            method: Method::Theorem("true of any two mechanisms".to_owned()),
            ending: Ending::OutOfTime,
            witness: None,
        }),
        Err(Failure::Invariant(violation)) => Err(Stop::Internal(violation)),
    }
}

impl Stop {
    /// Why one of the mechanisms, `name`, was not prepared.
    fn of(name: &'static str, refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => Self::Unsupported(name, why),
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
