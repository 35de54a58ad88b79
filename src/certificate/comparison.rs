//! Proofs about two mechanisms: one is at most so much less private than the other one, or it is not.

use std::collections::BTreeSet;

use rug::{Integer, Rational};
use serde_json::{Value, json};

use super::above::{Above, Below, MOST_POINTS, is_above};
use super::atoms::Atoms;
use super::choices::Table;
use super::closed::Closed;
use super::law::LawBound;
use super::model::Model;
use super::plan::{Fineness, Planner};
use super::precise;
use super::profile::{Form, Profile, Test, units_down, units_up};
use super::prove::{Accept, End, LOST, Prover, peak};
use super::steps::Steps;
use crate::float::elementary::{exp, exp2};
use crate::float::nearest;
use crate::kernel::Budget;
use crate::mechanism::{Direction, Step};
use crate::statement::Other;

/// A profile is compared at so many points first.
const FIRST: u32 = 24;
/// What f64 does not see of a power.
const UNSEEN: f64 = 1e-11;
/// Shares of what a closed form takes from what that f64 does not see, in several sizes.
const CANCELLED: [f64; 5] = [4e-15, 1e-10, 2e-9, 1e-7, 1e-5];
/// Lattices are made finer so often.
const ROUNDS: u32 = 12;

impl Prover<'_> {
    /// G_μ(α) ≥ f(α + x) − x at every α, or not.
    pub(super) fn regret(&self, mu: &Rational, most: &Rational, accept: Accept<'_>) -> bool {
        let mu_squared = Rational::from(mu.square_ref());
        let gaussian = Steps {
            list: vec![(Step::Gaussian { mu_squared }, 1)],
            directions: self.steps.directions.clone(),
        };
        self.compared(&gaussian, self.steps, most, accept)
    }

    /// f(α) ≥ f̃(α + x) − x at every α, or not.
    pub(super) fn dominated_by(&self, other: &Other, most: &Rational, accept: Accept<'_>) -> bool {
        let other = Steps::new(other.mechanism().steps(), other.adjacency());
        self.compared(self.steps, &other, most, accept)
    }

    fn compared(&self, above: &Steps, below: &Steps, exact: &Rational, accept: Accept<'_>) -> bool {
        let most = nearest(exact);
        let tail = LOST * most.max(1e-9);
        let all = directions(above);
        // One order is enough to refute.
        let orders: Vec<&[Direction]> = match self.verified {
            true => vec![&all],
            false => all.chunks(1).collect(),
        };
        let (side, other_side) = match self.verified {
            true => (LawBound::Upper, LawBound::Lower),
            false => (LawBound::Lower, LawBound::Upper),
        };
        let mut is_too_fine = false;
        for order in orders {
            let one = Closed::new(above, order, self.budget);
            // Tests of either order, read the other way round.
            let is_turned = self.verified && (below.directions.len() == 1 || !below.is_symmetric());
            let other = match is_turned {
                true => Closed::new(below, &[Direction::Remove, Direction::Add], self.budget),
                false => Closed::new(below, &directions(below), self.budget),
            };
            let both = one.zip(other);
            let part = match both {
                Some(_) => self.budget.most_of_it(),
                None => self.budget.clone(),
            };
            // Floats do not see so little.
            let is_little = *exact > 0 && most < UNSEEN;
            let is_early = both.as_ref().filter(|_| is_little);
            if is_early.is_some_and(|both| self.in_digits(both, exact, &part, accept)) {
                return false;
            }
            let ladder = |steps, directions: &[Direction], side| {
                Ladder::new(steps, directions, side, (tail, &part))
            };
            let one = ladder(above, order, side);
            let other = ladder(below, &directions(below), other_side);
            match climb(one, other, most, &part, accept) {
                End::Accepted => return false,
                End::TooFine => is_too_fine = true,
                End::NoModel => {}
            }
            let is_late = both.filter(|_| !is_little);
            if is_late.is_some_and(|both| self.in_digits(&both, exact, self.budget, accept)) {
                return false;
            }
        }
        is_too_fine
    }

    fn in_digits(
        &self,
        (one, other): &(Closed, Closed),
        most: &Rational,
        budget: &Budget,
        accept: Accept<'_>,
    ) -> bool {
        let proof = match self.verified {
            true => precise::is_above(one, other, most, budget),
            false => precise::crosses(one, other, most),
        };
        proof.is_some_and(accept)
    }
}

/// The orders of the pair that say everything.
fn directions(steps: &Steps) -> Vec<Direction> {
    match steps.is_symmetric() {
        true => vec![Direction::Remove],
        false => steps.directions.clone(),
    }
}

/// What is known of one of the two, ever finer.
pub(super) struct Ladder<'a> {
    steps: &'a Steps,
    directions: Vec<Direction>,
    side: LawBound,
    planners: Option<Vec<Planner>>,
    tail: f64,
    budget: &'a Budget,
}

/// What is known of it at one fineness.
pub(super) struct Rung {
    profiles: Vec<Profile>,
    /// From where on δ is 0.
    ends: Vec<f64>,
    /// Are there two orders?
    is_both: bool,
    /// The share of what a closed form takes from what that is added.
    pub cancelled: f64,
}

impl<'a> Ladder<'a> {
    pub fn new(
        steps: &'a Steps,
        directions: &[Direction],
        side: LawBound,
        (tail, budget): (f64, &'a Budget),
    ) -> Self {
        Self {
            steps,
            directions: directions.to_vec(),
            side,
            planners: None,
            tail,
            budget,
        }
    }

    /// Does a closed form say all that there is to know? Of some the checker has no tests.
    pub fn is_closed(&self, has_tests: bool) -> bool {
        let Some(step) = self.steps.single() else {
            // What bounds several choices together is no more.
            let is_above = self.side == LawBound::Upper;
            return Atoms::are_listed(self.steps) || is_above && Table::new(self.steps).is_some();
        };
        self.directions.iter().all(|direction| {
            Model::new(step, *direction, self.budget)
                .is_some_and(|model| !has_tests || !matches!(model, Model::Other(_)))
        })
    }

    /// `None` if laws are too long, or not known.
    pub fn rung(&mut self, round: u32, has_tests: bool) -> Option<Rung> {
        let profiles = if self.is_closed(has_tests && round > 0) {
            let closed = |direction: &Direction| {
                let model = Model::of_steps(self.steps, *direction, self.budget)?;
                Some(Profile {
                    direction: *direction,
                    form: Form::Closed(model),
                })
            };
            let all = self.directions.iter().map(closed);
            all.collect::<Option<Vec<_>>>()?
        } else {
            self.laws(round)?
        };
        Some(Rung {
            profiles,
            ends: self.directions.iter().map(|d| self.end(*d)).collect(),
            is_both: self.steps.directions.len() == 2,
            cancelled: 0.0,
        })
    }

    fn laws(&mut self, round: u32) -> Option<Vec<Profile>> {
        if self.planners.is_none() {
            let planners = self
                .directions
                .iter()
                .map(|d| Planner::new(self.steps, *d, self.side, self.tail, self.budget));
            self.planners = planners.collect();
        }
        let planners = self.planners.as_ref()?;
        let first = planners.first()?;
        let fineness = first.coarsest().number() * exp2(f64::from(round.min(30)));
        let fineness = first.rounded(Fineness::at_least(fineness));
        let laws = planners.iter().map(|planner| {
            Some(Profile {
                direction: planner.direction(),
                form: Form::Law(planner.plan(fineness)?),
            })
        });
        laws.collect()
    }

    /// The largest loss.
    fn end(&self, direction: Direction) -> f64 {
        let all = self.steps.list.iter().map(|(step, times)| {
            let largest = Model::new(step, direction, self.budget)?.largest()?;
            Some(largest * *times as f64)
        });
        all.sum::<Option<f64>>()
            .map_or(f64::INFINITY, |end| end * (1.0 + 1e-12) + 1e-9)
    }
}

/// From coarse to fine, until a proof is accepted.
fn climb(
    mut above: Ladder<'_>,
    mut below: Ladder<'_>,
    most: f64,
    budget: &Budget,
    accept: Accept<'_>,
) -> End {
    let has_tests = below.side == LawBound::Lower;
    let is_done = above.is_closed(false) && below.is_closed(has_tests);
    for round in 0..if is_done { 1 } else { ROUNDS } {
        let (one, other) = (above.rung(round, false), below.rung(round, has_tests));
        let (Some(mut one), Some(mut other)) = (one, other) else {
            let is_known = above.planners.is_some() || below.planners.is_some();
            return if is_known { End::TooFine } else { End::NoModel };
        };
        for cancelled in CANCELLED {
            (one.cancelled, other.cancelled) = (cancelled, cancelled);
            let proof = match has_tests {
                true => is_above(&one, &other, most, budget),
                false => crosses(&one, &other, most),
            };
            let Some(proof) = proof else {
                break;
            };
            if accept(proof) {
                return End::Accepted;
            }
        }
        if budget.check().is_err() {
            break;
        }
    }
    if is_done { End::NoModel } else { End::TooFine }
}

impl Rung {
    /// Upper bounds of δ in each order.
    fn above(&self, epsilon: f64) -> Vec<f64> {
        let each = self.profiles.iter().zip(&self.ends);
        each.map(|(profile, end)| match epsilon >= *end {
            true => 0.0,
            // Digits of a closed form cancel where δ is small.
            false => profile.delta_within(epsilon, self.cancelled),
        })
        .collect()
    }

    fn most(&self, epsilon: f64) -> f64 {
        self.above(epsilon).into_iter().fold(0.0, f64::max)
    }

    /// Where there is something to see of the profiles.
    fn range(&self) -> (f64, f64) {
        let each = self.profiles.iter().map(|profile| match &profile.form {
            Form::Closed(model) => model.range(1e-15),
            Form::Law(planned) => {
                let places = planned.law.as_ref().map(|law| {
                    let mut places = law.places();
                    let first = places.next().unwrap_or(0.0);
                    (first, places.last().unwrap_or(first))
                });
                places.unwrap_or((0.0, 0.0))
            }
        });
        let range = each.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (a, b)| {
            (low.min(a), high.max(b))
        });
        (range.0.max(-700.0), range.1.min(700.0).max(range.0 + 1e-6))
    }

    /// Where δ may have corners.
    fn corners(&self) -> Vec<f64> {
        let each = self.profiles.iter().map(|profile| match &profile.form {
            Form::Closed(model) => model.losses(),
            Form::Law(_) => Vec::new(),
        });
        // The two orders of a pair meet at 0.
        let all: Vec<f64> = each.flatten().chain([0.0]).collect();
        match all.len() < MOST_POINTS / 4 {
            true => all,
            false => vec![0.0],
        }
    }

    /// Is δ made of the lines between its corners?
    fn is_of_lines(&self) -> bool {
        let is_atoms = |profile: &Profile| matches!(profile.form, Form::Closed(Model::Atoms(_)));
        self.profiles.iter().all(is_atoms)
    }
}

impl Above for Rung {
    fn deltas(&self, epsilon: f64) -> Option<Vec<f64>> {
        Some(self.above(epsilon))
    }

    fn places(&self) -> (Vec<f64>, f64) {
        let (low, high) = self.range();
        let width = (high - low) / f64::from(FIRST);
        let even = if self.is_of_lines() { 0 } else { FIRST };
        let even = (0..=even).map(|i| low + width * f64::from(i));
        let end = self.ends.iter().copied().fold(0.0, f64::max);
        let places = even.chain(self.corners());
        let places = places.chain(end.is_finite().then_some(end));
        (places.collect(), width)
    }

    fn unseen(&self) -> f64 {
        let is_law = self.profiles.iter().any(|p| p.law().is_some());
        if is_law { UNSEEN } else { self.cancelled }
    }

    fn sources(&self, epsilons: &[String], bounds: &[Vec<Integer>]) -> Vec<Value> {
        let each = self.profiles.iter().zip(bounds);
        each.map(|(profile, bounds)| profile.source(epsilons, bounds, None))
            .collect()
    }
}

impl Below for Rung {
    fn tests(&self, size: f64) -> Option<Vec<Test>> {
        let one = |profile: &Profile| profile.best_test(size, self.is_both);
        self.profiles.iter().map(one).collect()
    }

    fn unseen(&self) -> f64 {
        Above::unseen(self)
    }

    fn sources(&self, tests: &[BTreeSet<String>]) -> Vec<Value> {
        let each = self.profiles.iter().enumerate();
        each.map(|(order, profile)| {
            let tests = tests.get(order).into_iter().flatten();
            let mut epsilons: Vec<String> = tests.cloned().collect();
            // A list of tests is never empty, even where none is needed.
            if profile.law().is_none() && epsilons.is_empty() {
                epsilons.push("0".to_owned());
            }
            profile.source(&epsilons, &[], None)
        })
        .collect()
    }
}

/// One ε at which δ of the one above is above that of the one below by more than x·(1 + e^ε).
fn crosses(above: &Rung, below: &Rung, most: f64) -> Option<Value> {
    let profile = above.profiles.first()?;
    let excess = |epsilon: f64| {
        (profile.delta_below(epsilon) - below.most(epsilon)) / (1.0 + exp(epsilon)) - most
    };
    let ranges = [above.range(), below.range()];
    let far = ranges.iter().map(|(low, high)| high.max(-low));
    let far = far.fold(1.0, f64::max);
    let fars = [1.0, 0.2, 0.05].map(|share| share * far);
    let written = |epsilon: f64| {
        let text = format!("{epsilon:.15}");
        Some((text.parse::<f64>().ok()?, text))
    };
    // The most is often where the other one has a corner, and on the far side of it.
    let corners = [above, below].into_iter().flat_map(Rung::corners);
    let corners = corners.flat_map(|x| [x - 1e-13, x, x + 1e-13]);
    let all = corners.chain(fars.into_iter().filter_map(|far| peak(far, excess)));
    let best = all
        .filter_map(written)
        .max_by(|(a, _), (b, _)| excess(*a).total_cmp(&excess(*b)));
    let (epsilon, text) = best?;
    let excess = excess(epsilon);
    if excess <= 1e-14 * most {
        return None;
    }
    let bound = units_down(&Rational::from_f64(profile.delta_below(epsilon))?);
    let text = std::slice::from_ref(&text);
    // Next to the largest loss the digits of δ cancel.
    let room = UNSEEN.min(excess / 2.0);
    let others = below.profiles.iter().zip(below.above(epsilon));
    let others = others.map(|(profile, delta)| {
        let bound = units_up((delta + room).min(1.0));
        profile.source(text, &[bound], None)
    });
    Some(json!({
        "kind": "dominance",
        "others": others.collect::<Vec<_>>(),
        "sources": [profile.source(text, &[bound], None)],
    }))
}
