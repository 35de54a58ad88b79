//! Normal forms of which everything that can be is listed: a dataset decides which it is, and no one is worst at every ε.

use std::sync::Arc;

use super::{FiniteLosses, Step, Steps};
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::members;

/// More mechanisms that may be the worst are not listed.
const MOST_MEMBERS: usize = 65;

impl Steps {
    /// Steps of which it is known what there can be: the worst of `all`, which depends on what is asked. Nothing of it reveals more than `most`.
    pub(crate) fn worst_of(all: impl IntoIterator<Item = Self>, most: Self) -> Self {
        let mut members: Vec<Self> = Vec::new();
        for one in all {
            if !members.iter().any(|known| known.has_same_steps(&one)) {
                members.push(one);
            }
        }
        if let [only] = members.as_slice() {
            return only.clone();
        }
        Self {
            members: members.into(),
            is_listed: true,
            ..most
        }
    }

    /// Are the steps the same, in whichever order?
    fn has_same_steps(&self, other: &Self) -> bool {
        self.list.len() == other.list.len() && self.list.iter().all(|one| other.list.contains(one))
    }

    /// Is everything stated among [`Steps::members`]?
    pub fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// The members of a composition of parts of which it is known what they can be; `None` if they are too many, or of some part it is not known.
    ///
    /// In every run of a part the dataset decides which member it is, whatever earlier runs released.
    pub(super) fn listed<'a>(
        parts: impl IntoIterator<Item = (&'a Self, u64)>,
    ) -> Result<Option<Vec<Self>>, OutOfRange> {
        let mut all: Vec<Self> = Vec::new();
        for (part, times) in parts {
            // The largest profile of many datasets is nothing that a composition attains.
            let has_largest = members::has_largest(part) && !part.is_listed;
            let of_members = part.members.iter().any(members::has_largest);
            if part.is_bound() && !part.is_listed || has_largest || of_members {
                return Ok(None);
            }
            let alone = [part.clone()];
            let (choices, rounds, each) = match part.is_listed {
                true => (part.members(), times, 1),
                false => (alone.as_slice(), 1, times),
            };
            if !usize::try_from(rounds).is_ok_and(|rounds| rounds <= MOST_MEMBERS) {
                return Ok(None);
            }
            for _ in 0..rounds {
                let mut next: Vec<Self> = Vec::new();
                for choice in choices {
                    let added = match all.is_empty() {
                        true => vec![Self::composed_alone([(choice, each)])?],
                        false => {
                            let with = |one| Self::composed_alone([(one, 1), (choice, each)]);
                            all.iter().map(with).collect::<Result<_, _>>()?
                        }
                    };
                    for one in added {
                        if !next.iter().any(|known| known.has_same_steps(&one)) {
                            next.push(one);
                        }
                    }
                }
                if next.len() > MOST_MEMBERS {
                    return Ok(None);
                }
                all = next;
            }
        }
        Ok(Some(all))
    }

    /// Is there a key that is released or not?
    pub(crate) fn has_new_keys(&self) -> bool {
        let is_new = |step: &Step| match step {
            Step::Finite(one) => matches!(one.losses(), FiniteLosses::NewKey { .. }),
            _ => false,
        };
        self.any(&is_new) || self.members.iter().any(|one| one.any(&is_new))
    }

    /// Takes for granted that what is counted in a round does not depend on earlier ones.
    pub(super) fn fix_keys(&mut self) {
        self.conditions.fixed_keys = true;
        let mut members = self.members.to_vec();
        for one in &mut members {
            one.conditions.fixed_keys = true;
        }
        self.members = Arc::from(members);
    }
}
