//! Which proof for which claim: theorems first, then bounds of δ from closed forms or laws, coarse ones first.

use rug::Rational;
use serde_json::{Value, json};

use super::closed::Closed;
use super::law::LawBound;
use super::model::Model;
use super::plan::{Fineness, Planned, Planner};
use super::profile::{Form, Profile, Test, units_up};
use super::search::next;
use super::steps::{Steps, in_fractions, is_guarantee, response};
use super::touch::Tables;
use crate::float::elementary::{exp, pow};
use crate::float::{nearest, normal_tail};
use crate::input::GdpForm;
use crate::kernel::Budget;
use crate::mechanism::{Direction, Epsilon, Step};
use crate::statement::{Claim, StatedClaim};

/// A claim to be certified.
pub(super) struct Prover<'a> {
    pub steps: &'a Steps,
    /// Theirs.
    pub tables: &'a Tables,
    pub claim: &'a Claim,
    pub verified: bool,
    /// The time for all of it.
    pub budget: &'a Budget,
}

/// Is asked about each proof until it says yes.
pub(super) type Accept<'a> = &'a mut dyn FnMut(Value) -> bool;

/// Was a proof accepted in a search, and what does the search say?
pub(super) fn noting<T>(accept: Accept<'_>, search: impl FnOnce(Accept<'_>) -> T) -> (bool, T) {
    let mut is_accepted = false;
    let found = search(&mut |proof| {
        is_accepted = accept(proof);
        is_accepted
    });
    (is_accepted, found)
}

/// A proof that is offered before laws are planned.
type Straight<'a> = &'a dyn Fn(&[Profile]) -> Value;

/// An f64 that is off by less than this, relatively, still decides.
pub(super) const MARGIN: f64 = 1e-7;
/// So much of the number that a claim bounds may be lost in the tails of the coarsest laws.
pub(super) const LOST: f64 = 1e-3;

/// A proof, or by how much the laws fail to give one: what has to fall below 0, and falls in proportion to their error. NaN where that is not known.
pub(super) type Attempt = Result<Value, f64>;

impl Prover<'_> {
    /// Candidates in the order of their size, until one is accepted. Did they end because laws became too long?
    pub fn proofs(&self, accept: Accept<'_>) -> bool {
        if self
            .theorems()
            .into_iter()
            .any(|kind| accept(json!({"kind": kind})))
        {
            return false;
        }
        if self.is_class()
            && !matches!(
                self.claim.stated(),
                StatedClaim::Rdp { .. } | StatedClaim::Zcdp { .. }
            )
        {
            self.of_class(accept);
            return false;
        }
        if self.of_sampled_class(accept) {
            return false;
        }
        match self.claim.stated() {
            StatedClaim::ApproxDp { epsilon, delta } => self.delta(epsilon, delta, accept),
            // Where the largest loss has no closed form, one point says enough.
            StatedClaim::PureDp { epsilon } if !self.verified => {
                self.delta(epsilon, &Rational::new(), accept)
            }
            StatedClaim::Advantage { at_most } => self.delta(&Epsilon::zero(), at_most, accept),
            StatedClaim::TradeOff { alpha, beta } => {
                let (is_accepted, is_too_fine) = noting(accept, |accept| match self.verified {
                    true => self.line(alpha, beta, accept),
                    false => self.test(alpha, beta, accept),
                });
                if !is_accepted {
                    self.precise_line(alpha, beta, accept);
                }
                is_too_fine
            }
            StatedClaim::Gdp { mu, form } => {
                // Many digits are another way.
                let part = match self.has_digits() {
                    true => self.budget.most_of_it(),
                    false => self.budget.clone(),
                };
                let first = Prover {
                    budget: &part,
                    ..*self
                };
                let (is_accepted, is_too_fine) = noting(accept, |accept| {
                    first.against_gaussian(nearest(mu), form, accept)
                });
                if !is_accepted {
                    self.precise_gaussian(mu, form, accept);
                }
                is_too_fine
            }
            StatedClaim::Rdp { .. } => self.divergence(accept),
            StatedClaim::Zcdp { rho } => self.divergences(rho, accept),
            StatedClaim::Regret { mu, at_most } => self.regret(mu, at_most, accept),
            StatedClaim::DominatedBy { other, at_most } => {
                self.dominated_by(other, at_most, accept)
            }
            StatedClaim::PureDp { .. } => false,
        }
    }

    /// Is there a closed form in many digits?
    fn has_digits(&self) -> bool {
        Closed::new(self.steps, &[Direction::Remove], self.budget).is_some()
    }

    /// Proofs that need no bounds of δ.
    fn theorems(&self) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        let is_trivial = match self.claim.stated() {
            StatedClaim::ApproxDp { delta, .. } => *delta >= 1,
            StatedClaim::Advantage { at_most } => *at_most >= 1,
            StatedClaim::TradeOff { beta, .. } => *beta == 0,
            StatedClaim::Regret { at_most, .. } | StatedClaim::DominatedBy { at_most, .. } => {
                Rational::from(at_most * 2u32) >= 1
            }
            StatedClaim::Gdp {
                mu,
                form: GdpForm::Tolerance(tau) | GdpForm::ErrorFloor(tau),
            } => normal_tail(nearest(mu) / 2.0) <= nearest(tau) * (1.0 + MARGIN),
            _ => false,
        };
        if is_trivial && self.verified {
            kinds.push("trivial");
        }
        match self.claim.stated() {
            StatedClaim::PureDp { .. } => kinds.push("largest-loss"),
            // No divergence is larger.
            StatedClaim::Rdp { .. } if self.verified => {
                kinds.extend(["largest-loss", "gaussian-rho"]);
            }
            // Gaussian noise between the two.
            StatedClaim::Regret { .. } | StatedClaim::DominatedBy { .. } if self.verified => {
                kinds.push("gaussian-mu");
            }
            // G_μ ≤ f is more than a claim with an error floor says.
            StatedClaim::Gdp { form, .. }
                if match form {
                    GdpForm::Strict => true,
                    GdpForm::Tolerance(_) => false,
                    GdpForm::ErrorFloor(floor) => self.verified || *floor == 0,
                } =>
            {
                kinds.push("gaussian-mu");
                if self.has_fixed_point() || self.verified && self.has_slope() {
                    kinds.push("fixed-point");
                }
            }
            StatedClaim::Zcdp { .. } => kinds.push("gaussian-rho"),
            _ => (),
        }
        if matches!(self.claim.stated(), StatedClaim::DominatedBy { .. })
            && self.verified
            && (self.has_fixed_point() || self.has_slope())
        {
            kinds.push("fixed-point");
        }
        let is_without_end = match self.claim.stated() {
            StatedClaim::Gdp { form, .. } => *form == GdpForm::Strict,
            StatedClaim::Zcdp { .. } | StatedClaim::Rdp { .. } => true,
            _ => false,
        };
        if is_without_end && !self.verified {
            kinds.push("distinguishing-event");
        }
        let is_exact = matches!(
            self.claim.stated(),
            StatedClaim::ApproxDp { .. }
                | StatedClaim::Advantage { .. }
                | StatedClaim::TradeOff { .. }
        );
        let step = self.steps.single();
        let mut list = self.steps.list.iter();
        let is_short = list.all(|(step, times)| *times <= 128 && in_fractions(step));
        if is_exact && (is_short || self.verified && step.is_some_and(is_guarantee)) {
            kinds.push("exact");
        }
        kinds
    }

    /// Is strict Gaussian DP decided where both errors are equal?
    fn has_fixed_point(&self) -> bool {
        self.steps.single().is_some_and(|step| {
            matches!(step, Step::Laplace { .. })
                || response(step).is_some_and(|(_, k)| k == 2)
                || matches!(step, Step::Closed(pair) if pair.as_choices().is_some())
        })
    }

    pub(super) fn side(&self) -> LawBound {
        if self.verified {
            LawBound::Upper
        } else {
            LawBound::Lower
        }
    }

    /// Profiles of the directions, from coarse to fine, until one of their proofs is accepted.
    ///
    /// `straight` is a proof that needs a plan, and not its law; it is asked where the error of two laws tells how fine the plan has to be.
    fn profiles(&self, directions: &[Direction], search: &mut Search<'_>) -> End {
        let closed = |direction: &Direction| {
            Some(Profile {
                direction: *direction,
                form: Form::Closed(Model::of_steps(self.steps, *direction, self.budget)?),
            })
        };
        let all = directions.iter().map(closed).collect::<Option<Vec<_>>>();
        if let Some(all) = all {
            let Err(miss) = search.attempt(&all) else {
                return End::Accepted;
            };
            // A composition may have too many outcomes for the checker.
            let is_all = self.steps.single().is_some() || !miss.is_nan();
            if is_all && !self.has_more_tests(&all) {
                return End::NoModel;
            }
        }
        let planners = directions
            .iter()
            .map(|d| Planner::new(self.steps, *d, self.side(), search.tail, self.budget));
        let Some(planners) = planners.collect::<Option<Vec<_>>>() else {
            return End::NoModel;
        };
        let Some(first) = planners.first() else {
            return End::NoModel;
        };
        let mut fineness = first.coarsest();
        let mut misses = Vec::new();
        let mut before: Option<Vec<Planned>> = None;
        while self.budget.check().is_ok() {
            if let Some(before) = &before
                && let Some(straight) = search.straight
                && next(&misses).is_sure
            {
                let all = planners.iter().zip(before).map(|(planner, before)| {
                    Some(Profile {
                        direction: planner.direction(),
                        form: Form::Law(planner.like(before, fineness)?),
                    })
                });
                let Some(all) = all.collect::<Option<Vec<_>>>() else {
                    return End::TooFine;
                };
                if search.offer(straight(&all)) {
                    return End::Accepted;
                }
            }
            let all = planners.iter().map(|planner| {
                Some(Profile {
                    direction: planner.direction(),
                    form: Form::Law(planner.plan(fineness)?),
                })
            });
            let Some(all) = all.collect::<Option<Vec<_>>>() else {
                return End::TooFine;
            };
            match search.attempt(&all) {
                Ok(()) => return End::Accepted,
                Err(miss) => misses.push((fineness.number(), miss)),
            }
            let finer = Fineness::at_least(next(&misses).fineness);
            fineness = first.rounded(finer.max(fineness.next()));
            let plans = all.into_iter().filter_map(|profile| match profile.form {
                Form::Law(planned) => Some(planned),
                Form::Closed(_) => None,
            });
            before = Some(plans.collect());
        }
        End::TooFine
    }

    /// Are tests looked for, of something that may not have all of them in closed form?
    fn has_more_tests(&self, profiles: &[Profile]) -> bool {
        let is_other = |profile: &Profile| matches!(profile.form, Form::Closed(Model::Other(_)));
        let is_test = match self.claim.stated() {
            StatedClaim::TradeOff { .. } => true,
            StatedClaim::Gdp { form, .. } => matches!(form, GdpForm::ErrorFloor(_)),
            _ => false,
        };
        is_test && !self.verified && profiles.iter().any(is_other)
    }

    /// The orders of the pair that must be looked at together, or, to refute, one by one.
    pub(super) fn directions(&self) -> Vec<Vec<Direction>> {
        let either = matches!(
            self.claim.stated(),
            StatedClaim::Advantage { .. } | StatedClaim::Gdp { .. } | StatedClaim::Zcdp { .. }
        );
        let both = vec![Direction::Remove, Direction::Add];
        match (self.verified, self.claim.stated()) {
            _ if self.steps.is_symmetric() => vec![vec![Direction::Remove]],
            (true, StatedClaim::Advantage { .. }) => vec![vec![Direction::Remove]],
            (true, StatedClaim::Gdp { .. }) => vec![both],
            (true, _) => vec![self.steps.directions.clone()],
            (false, _) if either => both.into_iter().map(|d| vec![d]).collect(),
            (false, _) => self.steps.directions.iter().map(|d| vec![*d]).collect(),
        }
    }

    /// Looks at the orders that must be looked at.
    pub(super) fn search(
        &self,
        tail: f64,
        prove: &mut dyn FnMut(&[Profile]) -> Attempt,
        straight: Option<Straight<'_>>,
        accept: Accept<'_>,
    ) -> bool {
        self.search_among(self.directions(), tail, prove, straight, accept)
    }

    pub(super) fn search_among(
        &self,
        directions: Vec<Vec<Direction>>,
        tail: f64,
        prove: &mut dyn FnMut(&[Profile]) -> Attempt,
        straight: Option<Straight<'_>>,
        accept: Accept<'_>,
    ) -> bool {
        let mut search = Search {
            tail: tail.max(1e-36),
            prove,
            straight,
            accept,
        };
        let mut is_too_fine = false;
        for directions in directions {
            match self.profiles(&directions, &mut search) {
                End::Accepted => return false,
                End::TooFine => is_too_fine = true,
                End::NoModel => {}
            }
        }
        is_too_fine
    }

    /// f(α) ≥ β by a line 1 − δ(u) − u·α.
    fn line(&self, alpha: &Rational, beta: &Rational, accept: Accept<'_>) -> bool {
        if self.line_of_all(alpha, beta).is_some_and(&mut *accept) {
            return false;
        }
        let (alpha, beta) = (nearest(alpha), nearest(beta));
        let mut prove = |profiles: &[Profile]| {
            let height = |epsilon| height(profiles, epsilon, alpha);
            let epsilon = highest(profiles, 40.0, height).ok_or(f64::NAN)?;
            let text = format!("{epsilon:.9}");
            let epsilon: f64 = text.parse().map_err(|_| f64::NAN)?;
            let goal = 1.0 - beta - exp(epsilon) * alpha;
            let mut sources = Vec::new();
            let mut worst = f64::NEG_INFINITY;
            for profile in profiles {
                let delta = profile.delta(epsilon);
                worst = worst.max(delta - goal);
                let units = units_up(delta / 2.0 + goal / 2.0);
                sources.push(profile.source(std::slice::from_ref(&text), &[units], None));
            }
            if worst < -1e-13 {
                Ok(Value::from(sources))
            } else {
                Err(worst)
            }
        };
        let least = alpha.min(beta).max(1e-15);
        self.search(LOST * least, &mut prove, None, accept)
    }

    /// f(α) < β by a test.
    fn test(&self, alpha: &Rational, beta: &Rational, accept: Accept<'_>) -> bool {
        let (alpha, beta) = (nearest(alpha), nearest(beta));
        let is_both = self.steps.directions.len() == 2;
        let mut prove = |profiles: &[Profile]| {
            let profile = profiles.first().ok_or(f64::NAN)?;
            let Test { epsilons, power } = profile.best_test(alpha, is_both).ok_or(f64::NAN)?;
            let excess = beta - (1.0 - power);
            let bound = units_up(power - excess / 2.0);
            if excess > 1e-13 {
                Ok(Value::from(vec![profile.source(&epsilons, &[bound], None)]))
            } else {
                Err(-excess)
            }
        };
        let least = alpha.min(beta).max(1e-9);
        self.search(LOST * least, &mut prove, None, accept)
    }

    /// The largest loss, where losses are bounded.
    pub(super) fn largest_loss(&self, direction: Direction) -> Option<f64> {
        let all = self.steps.list.iter().map(|(step, times)| {
            let largest = Model::new(step, direction, self.budget)?.largest()?;
            Some(largest * *times as f64)
        });
        all.sum::<Option<f64>>().filter(|end| end.is_finite())
    }
}

/// How a search among profiles ended.
pub(super) enum End {
    Accepted,
    /// Finer laws are too long, or there is no time for them.
    TooFine,
    /// The float engine does not have the mechanism.
    NoModel,
}

/// What is looked for among profiles.
pub(super) struct Search<'a> {
    pub tail: f64,
    pub prove: &'a mut dyn FnMut(&[Profile]) -> Attempt,
    pub straight: Option<Straight<'a>>,
    pub accept: Accept<'a>,
}

impl Search<'_> {
    /// Is there a proof from these profiles, and is it accepted?
    pub fn attempt(&mut self, profiles: &[Profile]) -> Result<(), f64> {
        let sources = (self.prove)(profiles)?;
        if self.offer(sources) {
            Ok(())
        } else {
            Err(f64::NAN)
        }
    }

    fn offer(&mut self, sources: Value) -> bool {
        (self.accept)(json!({"kind": "profile", "sources": sources}))
    }
}

/// How high the line 1 − δ(ε) − e^ε·α is.
pub(super) fn height(profiles: &[Profile], epsilon: f64, alpha: f64) -> f64 {
    let deltas = profiles.iter().map(|p| p.delta(epsilon));
    1.0 - deltas.fold(0.0, f64::max) - exp(epsilon) * alpha
}

/// Where a function of ε is highest: on a grid up to `far` that is refined, or next to the best lattice point of a law.
pub(super) fn highest(profiles: &[Profile], far: f64, value: impl Fn(f64) -> f64) -> Option<f64> {
    let Some(law) = profiles.first()?.law() else {
        return peak(far, value);
    };
    let stride = (law.atoms() / 400).max(1);
    let best = |places: &mut dyn Iterator<Item = f64>| {
        let found = places
            .map(|x| (value(x), x))
            .filter(|(height, _)| !height.is_nan());
        found.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, x)| x)
    };
    let mut found = best(&mut law.places().step_by(stride))?;
    // Between two points δ is a chord, and what it is compared with is not.
    let mut width = law.step() * stride as f64;
    for _ in 0..4 {
        let at = found;
        found = best(&mut (-8..=8).map(|i| at + width * f64::from(i) / 8.0))?;
        width /= 8.0;
    }
    Some(found)
}

/// Where a function of ε is highest between −`far` and `far`, on a grid that is refined: around 0 it is as fine, relatively, as far out.
pub(super) fn peak(far: f64, value: impl Fn(f64) -> f64) -> Option<f64> {
    const POINTS: u32 = 400;
    let best = |places: &mut dyn Iterator<Item = f64>| {
        let found = places
            .map(|x| (value(x), x))
            .filter(|(height, _)| !height.is_nan());
        found.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, x)| x)
    };
    let share = |i: u32| f64::from(i) / f64::from(POINTS);
    let even = (0..=POINTS).map(|i| share(i) * far);
    let near = (0..=POINTS).map(|i| far * pow(10f64, -6.0 * share(i)));
    let mut found = best(&mut even.chain(near).flat_map(|x| [x, -x]))?;
    let mut width = (0.04 * found.abs() + 1e-6 * far).min(far / f64::from(POINTS));
    for _ in 0..11 {
        let low = found - 2.0 * width;
        width *= 4.0 / f64::from(POINTS);
        found = best(&mut (0..=POINTS).map(|i| low + f64::from(i) * width))?;
    }
    Some(found)
}
