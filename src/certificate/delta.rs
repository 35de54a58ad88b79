//! δ(ε) against a number.

use rug::{Integer, Rational};
use serde_json::{Value, json};

use super::plan::Planner;
use super::profile::{Form, Profile, units_down};
use super::prove::{Accept, Attempt, LOST, MARGIN, Prover, Search};
use super::text::place;
use crate::float::nearest;
use crate::mechanism::{Direction, Epsilon};

/// The checker's numbers have units of 2^-288.
const FINEST: u32 = 288;
/// A δ below this is 0.
const LEAST: f64 = 1e-32;

impl Prover<'_> {
    /// δ(ε) against a number.
    pub(super) fn delta(&self, epsilon: &Epsilon, bound: &Rational, accept: Accept<'_>) -> bool {
        let finest = self.finest(bound);
        let accept: Accept<'_> = &mut |proof: Value| {
            let finer = with_bounds(&proof, &finest);
            accept(proof) || finer.is_some_and(&mut *accept)
        };
        let text = place(epsilon);
        let at = nearest(&epsilon.rational_down());
        let goal = nearest(bound).max(LEAST);
        // Where no loss is larger δ is 0, and no law is needed; where none is much larger δ(ε) ≤ 1 − e^(ε − largest), and no law refutes.
        let is_known = |d: &Direction| {
            let largest = self.largest_loss(*d);
            largest.is_some_and(|end| match self.verified {
                true => end <= at * (1.0 + 1e-12),
                false => end - at + 1e-12 * at.abs() < goal,
            })
        };
        let all = self.directions();
        let (known, others): (Vec<Direction>, Vec<Direction>) =
            all.iter().flatten().copied().partition(is_known);
        let at_goal = if self.verified {
            units_down(bound)
        } else {
            units_down(bound) + 1u32
        };
        let without_law = |d: Direction| json!({"bounds": [at_goal.to_string()], "direction": d.as_str(), "epsilons": [text.clone()]});
        if others.is_empty() {
            let sources: Vec<Value> = known.iter().map(|d| without_law(*d)).collect();
            if !self.verified || accept(json!({"kind": "profile", "sources": sources})) {
                return false;
            }
        }
        let searched = |all: Vec<Direction>| -> Vec<Direction> {
            let all = all.into_iter();
            all.filter(|d| others.is_empty() || others.contains(d))
                .collect()
        };
        let searched: Vec<_> = all
            .iter()
            .cloned()
            .map(searched)
            .filter(|all| !all.is_empty())
            .collect();
        let source = |profile: &Profile, units: Integer| {
            profile.source(std::slice::from_ref(&text), &[units], None)
        };
        // In the order of the claim's.
        let together = |profiles: &[Profile]| -> Value {
            let is_alone = !self.verified || others.is_empty();
            let mut sources: Vec<(Direction, Value)> = profiles
                .iter()
                .map(|one| (one.direction, source(one, at_goal.clone())))
                .collect();
            if !is_alone {
                sources.extend(known.iter().map(|d| (*d, without_law(*d))));
            }
            let place = |direction: &Direction| all.iter().flatten().position(|d| d == direction);
            sources.sort_by_key(|(direction, _)| place(direction));
            sources.into_iter().map(|(_, source)| source).collect()
        };
        let mut prove = |profiles: &[Profile]| {
            let mut worst = f64::NEG_INFINITY;
            for profile in profiles {
                let delta = profile.delta(at);
                let miss = match self.verified {
                    true => delta / goal - 1.0,
                    false => 1.0 - delta / goal,
                };
                worst = worst.max(miss);
            }
            let is_closed = profiles.iter().all(|profile| profile.law().is_none());
            if is_closed || worst < -10.0 * MARGIN {
                Ok(together(profiles))
            } else {
                Err(worst)
            }
        };
        if !self.verified && self.next_to_the_end(at, &mut prove, accept) {
            return false;
        }
        self.search_among(searched, LOST * goal, &mut prove, Some(&together), accept)
    }

    /// A number between the claim's and what it is compared with, as near as the checker tells them apart, in units of 2^-120.
    fn finest(&self, bound: &Rational) -> String {
        let units = Integer::from(Rational::from(bound << FINEST).floor_ref());
        let units = units + u32::from(!self.verified);
        (Rational::from(units) >> (FINEST - 120)).to_string()
    }

    /// Where ε is close to the largest loss of all, a lattice whose last cell has that loss, which has a mass of its own, nearly alone.
    fn next_to_the_end(
        &self,
        at: f64,
        prove: &mut dyn FnMut(&[Profile]) -> Attempt,
        accept: Accept<'_>,
    ) -> bool {
        let mut search = Search {
            tail: 1e-36,
            prove,
            straight: None,
            accept,
        };
        let directions = self.directions().into_iter().flatten();
        let near = directions.filter(|d| {
            let largest = self.largest_loss(*d);
            largest.is_some_and(|end| at < end && at > 0.99 * end)
        });
        let planners = near.filter_map(|d| Planner::next_to_the_end(self.steps, d, self.budget));
        for planner in planners {
            let form = planner.plan(planner.coarsest()).map(Form::Law);
            let direction = planner.direction();
            let profile = form.map(|form| Profile { direction, form });
            if profile.is_some_and(|profile| search.attempt(&[profile]).is_ok()) {
                return true;
            }
        }
        false
    }
}

/// The same proof by closed forms with this bound; `None` with laws, whose masses are whole numbers of units.
fn with_bounds(proof: &Value, finest: &str) -> Option<Value> {
    let mut proof = proof.clone();
    for source in proof.get_mut("sources")?.as_array_mut()? {
        if source.get("law").is_some() {
            return None;
        }
        *source.get_mut("bounds")? = json!([finest]);
    }
    Some(proof)
}
