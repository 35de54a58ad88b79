//! Normal forms of compositions.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Conditions, Step, Steps, too_many};
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::members;

impl Steps {
    /// The normal form of an adaptive composition: counts multiply, equal steps are counted together.
    ///
    /// # Errors
    /// If there are 2^64 steps or more.
    pub(crate) fn composed<'a>(
        parts: impl IntoIterator<Item = (&'a Self, u64)>,
    ) -> Result<Self, OutOfRange> {
        let parts: Vec<_> = parts.into_iter().collect();
        let mut together = Self::at_once(&parts)?;
        let runs = parts.iter().map(|(_, times)| times);
        let runs = runs.fold(0u64, |sum, times| sum.saturating_add(*times));
        if runs > 1 && together.has_new_keys() {
            together.fix_keys();
        }
        Ok(match together.has_order() {
            true => together.and_conditions(Conditions::ANY_ORDER),
            false => together,
        })
    }

    /// The same of runs that take place at once, of which none can depend on another one.
    ///
    /// # Errors
    /// If there are 2^64 steps or more.
    pub(crate) fn together<'a>(
        parts: impl IntoIterator<Item = (&'a Self, u64)>,
    ) -> Result<Self, OutOfRange> {
        Self::at_once(&parts.into_iter().collect::<Vec<_>>())
    }

    fn at_once(parts: &[(&Self, u64)]) -> Result<Self, OutOfRange> {
        let most = Self::composed_alone(parts.iter().copied())?;
        if parts.iter().any(|(part, _)| part.is_listed)
            && let Some(all) = Self::listed(parts.iter().copied())?
        {
            return Ok(Self::worst_of(all, most));
        }
        let others = Self::other_bounds_together(parts)?;
        let together = Self::attained_together(parts, most.in_one())?;
        Ok(match together.is_bound() {
            true => together.bounded_by(others),
            false => together,
        })
    }

    /// Further bounds of a composition: of each part one that bounds it.
    fn other_bounds_together(parts: &[(&Self, u64)]) -> Result<Vec<Self>, OutOfRange> {
        let several = parts.iter().map(|(part, _)| part.other_bounds.len()).max();
        let one = |place: usize| {
            Self::composed_alone(parts.iter().map(|(part, times)| {
                let other = part.other_bounds.get(place);
                (other.unwrap_or(part), *times)
            }))
        };
        (0..several.unwrap_or(0)).map(one).collect()
    }

    /// A composition where a part is known only between bounds, or is the largest of what many datasets do.
    fn attained_together(parts: &[(&Self, u64)], most: Self) -> Result<Self, OutOfRange> {
        let has_largest = most.runs() > 1 && members::has_largest(&most);
        // Runs of selections are counted together; of other parts only their members are known to be attained.
        let stays = |part: &Self| part.is_bound() && !members::is_selections_only(part);
        let several = parts.iter().filter(|(part, _)| stays(part));
        let several = several.map(|(part, _)| part.members.len()).max();
        if several.is_none() && !has_largest {
            return Ok(Self {
                members: Self::of_the_only(parts),
                ..most
            });
        }
        let mut least = Vec::new();
        for place in 0..several.unwrap_or(1) {
            let one = parts.iter().map(|(part, times)| match stays(part) {
                true => (part.member(place), *times),
                false => (*part, *times),
            });
            let one = Self::composed_alone(one)?;
            if has_largest {
                least.extend(members::attained(&one)?);
            } else {
                least.push(one);
            }
        }
        least.extend(members::adversaries(&most));
        Ok(Self::between(least, most))
    }

    /// The members of a composition of one part that is taken once.
    fn of_the_only(parts: &[(&Self, u64)]) -> Arc<[Self]> {
        match parts {
            [(only, 1)] => Arc::clone(&only.members),
            _ => Arc::default(),
        }
    }

    /// Several runs of one pair in one, where that is exact.
    fn in_one(self) -> Self {
        match self.list.as_slice() {
            [(Step::Closed(pair), times)] => match pair.of_runs(*times) {
                Some(all) => Self::one(Step::Closed(all), self.conditions),
                None => self,
            },
            _ => self,
        }
    }

    /// What tells nothing is left out, unless there is nothing else: it changes no answer, and would hide that all others are choices.
    pub(super) fn composed_alone<'a>(
        parts: impl IntoIterator<Item = (&'a Self, u64)>,
    ) -> Result<Self, OutOfRange> {
        let mut list: Vec<(Step, u64)> = Vec::new();
        #[allow(
            clippy::mutable_key_type,
            reason = "what a step keeps once computed is in neither its hash nor its equality"
        )]
        let mut places: HashMap<Step, usize> = HashMap::new();
        let mut conditions = Conditions::NONE;
        let mut runs: u64 = 0;
        for (part, times) in parts {
            conditions = conditions.and(part.conditions);
            for (step, count) in &part.list {
                if step.is_nothing() {
                    continue;
                }
                let count = count.checked_mul(times).ok_or_else(too_many)?;
                let (step, count) = match step {
                    Step::Closed(pair) => match pair.as_runs() {
                        Some((one, runs)) => {
                            let count = count.checked_mul(runs).ok_or_else(too_many)?;
                            (&Step::Closed(one), count)
                        }
                        None => (step, count),
                    },
                    _ => (step, count),
                };
                runs = runs.checked_add(count).ok_or_else(too_many)?;
                let place = places.entry(step.clone()).or_insert(list.len());
                match list.get_mut(*place) {
                    Some((_, known)) => *known = known.checked_add(count).ok_or_else(too_many)?,
                    None => list.push((step.clone(), count)),
                }
            }
        }
        if list.is_empty() {
            list = Self::nothing().list;
        }
        Ok(Self {
            list,
            conditions,
            members: Arc::default(),
            is_listed: false,
            other_bounds: Arc::default(),
        })
    }
}
