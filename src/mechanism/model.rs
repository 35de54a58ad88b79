//! A mechanism: a value of some kind whose numbers lie in their ranges, and its normal form.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::adjacency::Relation;
use super::conditions::Conditions;
use super::domain::{OutOfRange, Why};
use super::finite::FiniteLaw;
use super::kind::{Kind, Parameter};
use super::steps::Steps;
use crate::kernel;

/// A mechanism, or a class of mechanisms known only by a guarantee. An invalid one cannot exist.
#[derive(Clone)]
pub struct Mechanism(Arc<Described>);

struct Described {
    kind: Kind,
    relation: Relation,
    steps: Steps,
    /// How many records the file says that there are, of whose number the kind only has a share.
    records: Option<u64>,
    /// What is taken for granted beside what the kind says.
    granted: Conditions,
    /// The same under the other relations, once they have been asked for: layers of samples ask at each level.
    under: Under,
}

/// By relation: presence, replacement, replacement by a special record.
type Under = [OnceLock<Result<Mechanism, OutOfRange>>; 3];

impl Mechanism {
    /// A mechanism of some kind, under the presence or absence of a record, or else the first relation in which it has a meaning.
    ///
    /// # Errors
    /// If it consists of more than 2^64 steps, or has no meaning at all.
    #[doc(hidden)]
    pub fn new(kind: impl Into<Kind>) -> Result<Self, OutOfRange> {
        let kind = kind.into();
        let first = match kind.described().steps(Relation::Presence) {
            Ok(steps) => return Ok(Self::described(kind, Relation::Presence, steps)),
            Err(error) => error,
        };
        if first.why() != Why::Unsupported {
            return Err(first);
        }
        let replaced = match kind.described().steps(Relation::ReplaceOne) {
            Ok(steps) => return Ok(Self::described(kind, Relation::ReplaceOne, steps)),
            Err(error) => error,
        };
        match kind.described().steps(Relation::ReplaceSpecial) {
            Ok(steps) => Ok(Self::described(kind, Relation::ReplaceSpecial, steps)),
            // What helps under no relation is no help.
            Err(_) if replaced.why() == Why::Unsupported => Err(replaced),
            Err(_) => Err(first),
        }
    }

    /// The same mechanism, and its pair under this relation.
    ///
    /// # Errors
    /// If it has no meaning under the relation as it is stated.
    #[doc(hidden)]
    pub fn under(&self, relation: Relation) -> Result<Self, OutOfRange> {
        if relation == self.0.relation {
            return Ok(self.clone());
        }
        let [presence, one, special] = &self.0.under;
        let known = match relation {
            Relation::Presence => presence,
            Relation::ReplaceOne => one,
            Relation::ReplaceSpecial => special,
        };
        known.get_or_init(|| self.built_under(relation)).clone()
    }

    fn built_under(&self, relation: Relation) -> Result<Self, OutOfRange> {
        let kind = self.0.kind.clone();
        let steps = kind.described().steps(relation)?;
        Ok(Self(Arc::new(Described {
            records: self.0.records,
            kind,
            relation,
            steps: steps.and_conditions(self.0.granted),
            granted: self.0.granted,
            under: Under::default(),
        })))
    }

    /// Some of the mechanisms that are stated, and one that reveals no less than any of them, where none of those is that one.
    pub(crate) fn bracket(&self) -> Option<(Vec<Self>, Self)> {
        let with = |steps| Self::described(self.0.kind.clone(), self.0.relation, steps);
        let members = self.steps().members().iter().cloned().map(with);
        let most = self.steps().most();
        self.steps()
            .is_bound()
            .then(|| (members.collect(), with(most)))
    }

    /// Where the normal form is a bound: further ones, each by itself.
    pub(crate) fn other_bounds(&self) -> Vec<Self> {
        let with = |steps| Self::described(self.0.kind.clone(), self.0.relation, steps);
        let others = self.steps().other_bounds().iter().cloned();
        others.map(with).collect()
    }

    pub(super) fn described(kind: Kind, relation: Relation, steps: Steps) -> Self {
        Self(Arc::new(Described {
            kind,
            relation,
            steps,
            records: None,
            granted: Conditions::NONE,
            under: Under::default(),
        }))
    }

    /// The same, which takes this for granted, too.
    pub(crate) fn granting(self, granted: Conditions) -> Self {
        let Self(one) = &self;
        Self(Arc::new(Described {
            kind: one.kind.clone(),
            relation: one.relation,
            steps: one.steps.clone().and_conditions(granted),
            records: one.records,
            granted,
            under: Under::default(),
        }))
    }

    /// The same, of which it is known how many records there are.
    pub(crate) fn of_records(self, records: u64) -> Self {
        let Self(one) = &self;
        Self(Arc::new(Described {
            kind: one.kind.clone(),
            relation: one.relation,
            steps: one.steps.clone(),
            records: Some(records),
            granted: one.granted,
            under: Under::default(),
        }))
    }

    /// What it is.
    #[doc(hidden)]
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// What happens to a record in the pair that its normal form is about.
    #[doc(hidden)]
    pub fn relation(&self) -> Relation {
        self.0.relation
    }

    /// Its normal form under [`Mechanism::relation`].
    #[doc(hidden)]
    pub fn steps(&self) -> &Steps {
        &self.0.steps
    }

    /// The profile of its pair, if it is one step with a closed form.
    #[doc(hidden)]
    pub fn profile_of_step(&self) -> Option<Arc<dyn kernel::Profile>> {
        self.steps().single()?.profile()
    }

    /// The law of its loss, if it is one step with finitely many losses.
    #[doc(hidden)]
    pub fn finite_law(&self) -> Option<&Arc<FiniteLaw>> {
        self.steps().single()?.finite_law()
    }

    /// The mechanism in a few words.
    pub fn words(&self) -> String {
        self.0.kind.described().words()
    }

    /// The keys, beside `kind`, of a file that says the same.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        self.0.kind.described().parameters()
    }

    /// The mechanisms that it is made of.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        let parameters = self.parameters();
        parameters.iter().flat_map(|(_, one)| one.parts()).collect()
    }

    /// Is it, or anything that it is made of, like this?
    pub(crate) fn has(&self, is_like: &dyn Fn(&Kind) -> bool) -> bool {
        is_like(self.kind()) || self.parts().into_iter().any(|part| part.has(is_like))
    }

    /// Is it, or anything that it is made of, about several records that change together?
    pub(crate) fn has_groups(&self) -> bool {
        self.has(&|kind| matches!(kind, Kind::Group(group) if group.records() > 1))
    }

    /// How many records there are at most, where it or anything that it is made of says so; of groups how many of these.
    pub(crate) fn records(&self) -> Option<u64> {
        let parameters = self.parameters();
        let own = parameters.iter().find_map(|(key, value)| {
            let Parameter::Whole(number) = value else {
                return None;
            };
            ["dataset-size", "users"].contains(key).then_some(*number)
        });
        let together = if let Kind::Group(group) = self.kind() {
            group.records()
        } else {
            1
        };
        let parts = self.parts().into_iter().filter_map(Self::records);
        let parts = parts.filter_map(|all| all.checked_div(together));
        parts.chain(own).chain(self.0.records).min()
    }
}

impl PartialEq for Mechanism {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.relation == other.0.relation && self.0.kind == other.0.kind)
    }
}

impl Eq for Mechanism {}

impl fmt::Debug for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither the neighbours alone nor the kind alone makes two mechanisms the same.
    #[test]
    fn mechanisms_of_other_kinds_or_neighbours_differ() {
        let of = |scale: i64| Mechanism::laplace(scale, 1).unwrap();
        assert!(of(1) == of(1) && of(1) != of(2));
        let sum = |relation| {
            Mechanism::laplace_sum(1, 1)
                .unwrap()
                .under(relation)
                .unwrap()
        };
        assert!(sum(Relation::Presence) == sum(Relation::Presence));
        assert!(sum(Relation::Presence) != sum(Relation::ReplaceOne));
    }

    /// What is dear to build under a relation is built once.
    #[test]
    fn other_relations_are_built_once() {
        let of = Mechanism::laplace_sum(1, 1).unwrap();
        for relation in [Relation::ReplaceOne, Relation::ReplaceSpecial] {
            let (first, second) = (of.under(relation).unwrap(), of.under(relation).unwrap());
            assert!(Arc::ptr_eq(&first.0, &second.0) && first.relation() == relation);
        }
        let granted = of.clone().granting(Conditions::TOGETHER);
        let one = |of: &Mechanism| of.under(Relation::ReplaceOne).unwrap();
        assert!(!Arc::ptr_eq(&one(&of).0, &one(&granted).0));
    }
}
