//! Which proof for which claim: theorems first, then bounds of δ from closed forms or laws, coarse ones first.

use rug::{Integer, Rational};
use serde_json::{Value, json};

use super::gaussian::{Curve, points_below};
use super::law::LawBound;
use super::model::Model;
use super::plan::Planner;
use super::profile::{Form, Profile, units_down, units_up};
use super::steps::{Step, Steps};
use crate::float::{nearest, normal_quantile, normal_tail};
use crate::input::GdpForm;
use crate::kernel::Budget;
use crate::mechanism::Direction;
use crate::statement::{Claim, StatedClaim};

/// A claim to be certified.
pub(super) struct Prover<'a> {
    pub steps: &'a Steps,
    pub claim: &'a Claim,
    pub verified: bool,
    /// The time for all of it.
    pub budget: &'a Budget,
}

/// Is asked about each proof until it says yes.
type Accept<'a> = &'a mut dyn FnMut(Value) -> bool;

/// An f64 that is off by less than this, relatively, still decides.
const MARGIN: f64 = 1e-7;
/// So much of the number that a claim bounds may be lost in the tails.
const LOST: f64 = 1e-6;

impl Prover<'_> {
    /// Candidates in the order of their size, until one is accepted.
    pub fn proofs(&self, accept: Accept<'_>) {
        if self
            .theorems()
            .into_iter()
            .any(|kind| accept(json!({"kind": kind})))
        {
            return;
        }
        match self.claim.stated() {
            StatedClaim::ApproxDp { epsilon, delta } => {
                self.delta(&epsilon.rational_down(), delta, accept)
            }
            StatedClaim::Advantage { at_most } => self.delta(&Rational::new(), at_most, accept),
            StatedClaim::TradeOff { alpha, beta } if self.verified => {
                self.line(alpha, beta, accept)
            }
            StatedClaim::TradeOff { alpha, beta } => self.test(alpha, beta, accept),
            StatedClaim::Gdp { mu, form } => {
                let (tau, floor) = match form {
                    GdpForm::Tolerance(tau) => (nearest(tau), 0.0),
                    GdpForm::ErrorFloor(floor) => (0.0, nearest(floor)),
                    GdpForm::Strict => (0.0, 0.0),
                };
                let mu = nearest(mu);
                match self.verified {
                    true => self.above_gaussian(mu, tau, floor, accept),
                    false if floor > 0.0 => self.below_gaussian_above_floor(mu, floor, accept),
                    false => self.below_gaussian(mu, tau, accept),
                }
            }
            _ => (),
        }
    }

    /// Proofs that need no bounds of δ.
    fn theorems(&self) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        let (square, others) = self.steps.mu_squared();
        let is_trivial = match self.claim.stated() {
            StatedClaim::ApproxDp { delta, .. } => *delta >= 1,
            StatedClaim::Advantage { at_most } => *at_most >= 1,
            StatedClaim::TradeOff { beta, .. } => *beta == 0,
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
            // G_μ ≤ f is more than a claim with an error floor says.
            StatedClaim::Gdp { mu, form }
                if match form {
                    GdpForm::Strict => true,
                    GdpForm::Tolerance(_) => false,
                    GdpForm::ErrorFloor(floor) => self.verified || *floor == 0,
                } =>
            {
                let is_below = square <= mu.clone().square();
                if self.verified == is_below && !(self.verified && others) {
                    kinds.push("gaussian-mu");
                }
                if matches!(
                    self.steps.single(),
                    Some(Step::Laplace { .. } | Step::Response { k: 2, .. })
                ) {
                    kinds.push("fixed-point");
                }
            }
            _ => (),
        }
        let at_zero = match self.claim.stated() {
            StatedClaim::ApproxDp { epsilon, .. } => epsilon.is_zero(),
            StatedClaim::Advantage { .. } | StatedClaim::TradeOff { .. } => true,
            _ => false,
        };
        if matches!(self.steps.single(), Some(Step::Finite { p, .. }) if p.len() <= 128) && at_zero
        {
            kinds.push("exact");
        }
        kinds
    }

    fn side(&self) -> LawBound {
        if self.verified {
            LawBound::Upper
        } else {
            LawBound::Lower
        }
    }

    /// Profiles of the directions, from coarse to fine, until `use_them` says stop.
    fn profiles(
        &self,
        directions: &[Direction],
        tail: f64,
        use_them: &mut dyn FnMut(&[Profile]) -> bool,
    ) {
        if let Some(step) = self.steps.single() {
            let closed = |direction: &Direction| Profile {
                direction: *direction,
                form: Form::Closed(Model::new(step, *direction)),
            };
            let all: Vec<Profile> = directions.iter().map(closed).collect();
            if use_them(&all) {
                return;
            }
        }
        let planners: Vec<Planner<'_>> = directions
            .iter()
            .map(|d| Planner::new(self.steps, *d, self.side(), tail))
            .collect();
        let Some(first) = planners.first() else {
            return;
        };
        for (step, atoms) in first.lattices() {
            let planned = planners.iter().map(|planner| {
                self.budget.check().ok()?;
                Some(Profile {
                    direction: planner.direction(),
                    form: Form::Law(planner.plan(&step, atoms)?),
                })
            });
            let Some(all) = planned.collect::<Option<Vec<_>>>() else {
                return;
            };
            if use_them(&all) {
                return;
            }
        }
    }

    /// The orders of the pair that must be looked at together, or, to refute, one by one.
    fn directions(&self) -> Vec<Vec<Direction>> {
        let either = matches!(
            self.claim.stated(),
            StatedClaim::Advantage { .. } | StatedClaim::Gdp { .. }
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
    fn search(
        &self,
        tail: f64,
        prove: &mut dyn FnMut(&[Profile]) -> Option<Value>,
        accept: Accept<'_>,
    ) {
        for directions in self.directions() {
            let mut is_done = false;
            self.profiles(&directions, tail.max(1e-40), &mut |profiles| {
                if let Some(sources) = prove(profiles) {
                    is_done = accept(json!({"kind": "profile", "sources": sources}));
                }
                is_done
            });
            if is_done {
                return;
            }
        }
    }

    /// δ(ε) against a number.
    fn delta(&self, epsilon: &Rational, bound: &Rational, accept: Accept<'_>) {
        let (at, goal) = (nearest(epsilon), nearest(bound));
        // Where no loss is larger, δ is 0.
        if self.verified {
            for directions in self.directions() {
                let zero = |d: &Direction| {
                    self.largest_loss(*d).is_some_and(|end| end <= at * (1.0 + 1e-12)).then(|| {
                        json!({"bounds": ["0"], "direction": d.as_str(), "epsilons": [epsilon.to_string()]})
                    })
                };
                if let Some(sources) = directions.iter().map(zero).collect::<Option<Vec<Value>>>()
                    && accept(json!({"kind": "profile", "sources": sources}))
                {
                    return;
                }
            }
        }
        let at_goal = if self.verified {
            units_down(bound)
        } else {
            units_down(bound) + 1u32
        };
        let mut prove = |profiles: &[Profile]| {
            let mut sources = Vec::new();
            for profile in profiles {
                let delta = profile.delta(at);
                let ratio = if self.verified {
                    delta / goal
                } else {
                    goal / delta
                };
                let units = if ratio < 1.0 - 10.0 * MARGIN {
                    units_up(delta / 2.0 + goal / 2.0)
                } else if profile.law().is_none() {
                    at_goal.clone()
                } else {
                    return None;
                };
                sources.push(profile.source(&[epsilon.to_string()], &[units], None));
            }
            Some(Value::from(sources))
        };
        self.search(LOST * goal, &mut prove, accept);
    }

    /// f(α) ≥ β by a line 1 − δ(u) − u·α.
    fn line(&self, alpha: &Rational, beta: &Rational, accept: Accept<'_>) {
        let (alpha, beta) = (nearest(alpha), nearest(beta));
        let mut prove = |profiles: &[Profile]| {
            let epsilon = highest(profiles, 40.0, |epsilon| height(profiles, epsilon, alpha))?;
            let text = format!("{epsilon:.9}");
            let epsilon: f64 = text.parse().ok()?;
            let goal = 1.0 - beta - epsilon.exp() * alpha;
            let mut sources = Vec::new();
            for profile in profiles {
                let delta = profile.delta(epsilon);
                if goal - delta <= 1e-13 {
                    return None;
                }
                let units = units_up(delta / 2.0 + goal / 2.0);
                sources.push(profile.source(std::slice::from_ref(&text), &[units], None));
            }
            Some(Value::from(sources))
        };
        let least = alpha.min(beta).max(1e-9);
        self.search(LOST * least, &mut prove, accept);
    }

    /// f(α) < β by a test.
    fn test(&self, alpha: &Rational, beta: &Rational, accept: Accept<'_>) {
        let (alpha, beta) = (nearest(alpha), nearest(beta));
        let mut prove = |profiles: &[Profile]| {
            let profile = profiles.first()?;
            let (epsilons, power) = best_test(profile, alpha)?;
            let miss = beta - (1.0 - power);
            let bound = units_up(power - miss / 2.0);
            (miss > 1e-13).then(|| Value::from(vec![profile.source(&epsilons, &[bound], None)]))
        };
        let least = alpha.min(beta).max(1e-9);
        self.search(LOST * least, &mut prove, accept);
    }

    /// f(α) ≥ G_μ(α + τ) − τ everywhere.
    fn above_gaussian(&self, mu: f64, tau: f64, floor: f64, accept: Accept<'_>) {
        let mut prove = |profiles: &[Profile]| {
            // With an error floor, the line that is highest there comes last.
            let last = if floor > 0.0 {
                Some(highest(profiles, 40.0, |epsilon| {
                    height(profiles, epsilon, floor)
                })?)
            } else {
                None
            };
            let mut sources = Vec::new();
            for profile in profiles {
                let end = self.largest_loss(profile.direction);
                if tau == 0.0 && end.is_none() && last.is_none() {
                    return None;
                }
                let curve = Curve {
                    mu,
                    tau,
                    floor,
                    last,
                };
                let points = points_below(profile, &curve, end)?;
                sources.push(profile.source(
                    &points.epsilons,
                    &points.bounds,
                    Some(&points.quantiles),
                ));
            }
            Some(Value::from(sources))
        };
        self.search(LOST * tau.max(floor), &mut prove, accept);
    }

    /// f(α) < G_μ(α) somewhere, α and G_μ(α) at least `floor`: by a test at α = P(Z > x).
    fn below_gaussian_above_floor(&self, mu: f64, floor: f64, accept: Accept<'_>) {
        const TRIED: u32 = 300;
        let far = -normal_quantile(floor) - 1e-9;
        let mut prove = |profiles: &[Profile]| {
            let profile = profiles.first()?;
            let mut best = (1e-9, None);
            for i in 0..=TRIED {
                let text = format!(
                    "{:.12}",
                    far - (2.0 * far - mu) * f64::from(i) / f64::from(TRIED)
                );
                let x: f64 = text.parse().ok()?;
                let (epsilons, power) = best_test(profile, normal_tail(x))?;
                let (rest, beta) = (normal_tail(x - mu), normal_tail(mu - x));
                let excess = (power - rest) / power.min(beta);
                if excess > best.0 {
                    let bound = units_up(power / 2.0 + rest / 2.0);
                    best = (
                        excess,
                        Some(profile.source(&epsilons, &[bound], Some(&[text]))),
                    );
                }
            }
            best.1.map(|source| Value::from(vec![source]))
        };
        self.search(LOST * floor, &mut prove, accept);
    }

    /// f(α) < G_μ(α + τ) − τ somewhere: δ(u) > δ_G(u) + τ·(1 + u).
    fn below_gaussian(&self, mu: f64, tau: f64, accept: Accept<'_>) {
        let gaussian = Model::Gaussian { mu: mu.max(1e-12) };
        let other = |epsilon: f64| {
            let allowed = if tau == 0.0 {
                0.0
            } else {
                tau * (1.0 + epsilon.exp())
            };
            gaussian.at(epsilon).0 + allowed
        };
        let mut prove = |profiles: &[Profile]| {
            let profile = profiles.first()?;
            let excess = |epsilon: f64| {
                let delta = profile.delta(epsilon);
                if delta > 1e-30 {
                    1.0 - other(epsilon) / delta
                } else {
                    f64::NEG_INFINITY
                }
            };
            // Far enough out for a mass at infinity to show.
            let epsilon = highest(profiles, 40f64.max(mu * mu / 2.0 + 10.0 * mu), excess)?;
            let margin = if profile.law().is_some() {
                10.0 * MARGIN
            } else {
                1e-12
            };
            let text = format!("{epsilon:.9}");
            let epsilon: f64 = text.parse().ok()?;
            let (delta, other) = (profile.delta(epsilon), other(epsilon));
            let bound: Integer = units_up(delta / 2.0 + other / 2.0);
            (delta > other * (1.0 + margin))
                .then(|| Value::from(vec![profile.source(&[text], &[bound], None)]))
        };
        let tail = if tau > 0.0 { LOST * tau } else { 1e-24 };
        self.search(tail, &mut prove, accept);
    }

    /// The largest loss, where losses are bounded.
    fn largest_loss(&self, direction: Direction) -> Option<f64> {
        let all = self.steps.list.iter().map(|(step, times)| {
            let one = match step {
                Step::Laplace { epsilon } | Step::Response { epsilon, .. } => nearest(epsilon),
                Step::Gaussian { .. } => return None,
                Step::Sampled { rate, .. } => match direction {
                    Direction::Remove => return None,
                    Direction::Add => -(-nearest(rate)).ln_1p(),
                },
                Step::Finite { .. } => match Model::new(step, direction) {
                    Model::Atoms(atoms) => {
                        let losses = atoms
                            .iter()
                            .filter(|(q, _, _)| *q > 0.0)
                            .map(|(_, _, loss)| *loss);
                        losses.fold(f64::NEG_INFINITY, f64::max)
                    }
                    _ => return None,
                },
            };
            Some(one * *times as f64)
        });
        all.sum::<Option<f64>>().filter(|end| end.is_finite())
    }
}

/// How high the line 1 − δ(ε) − e^ε·α is.
fn height(profiles: &[Profile], epsilon: f64, alpha: f64) -> f64 {
    let deltas = profiles.iter().map(|p| p.delta(epsilon));
    1.0 - deltas.fold(0.0, f64::max) - epsilon.exp() * alpha
}

/// The best test of size `alpha`: its ε (in closed form) and its power.
fn best_test(profile: &Profile, alpha: f64) -> Option<(Vec<String>, f64)> {
    match &profile.form {
        Form::Law(planned) => Some((Vec::new(), planned.law.power_at(alpha))),
        Form::Closed(model) => {
            let fits = |epsilon: f64| model.at(epsilon).1 <= alpha * (1.0 - 1e-11);
            let text = format!("{:.15}", threshold(fits));
            let epsilon: f64 = text.parse().ok()?;
            Some((vec![text], model.power(epsilon)))
        }
    }
}

/// Where a function of ε is highest: among the lattice points of a law, or on a grid up to `far` that is refined.
fn highest(profiles: &[Profile], far: f64, value: impl Fn(f64) -> f64) -> Option<f64> {
    let best = |places: &mut dyn Iterator<Item = f64>| {
        let found = places
            .map(|x| (value(x), x))
            .filter(|(height, _)| !height.is_nan());
        found.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, x)| x)
    };
    if let Some(law) = profiles.first()?.law() {
        let stride = (law.atoms() / 400).max(1);
        return best(&mut law.places().step_by(stride));
    }
    let (mut low, mut high) = (-far, far);
    let mut found = 0.0;
    for _ in 0..12 {
        let width = (high - low) / 400.0;
        found = best(&mut (0..=400).map(|i| low + f64::from(i) * width))?;
        (low, high) = (found - 2.0 * width, found + 2.0 * width);
    }
    Some(found)
}

/// The least ε that fits, up to rounding.
fn threshold(fits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (-400.0, 400.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if fits(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
