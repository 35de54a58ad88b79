//! One mechanism during a comparison, and how more becomes known of it.

use rug::{Float, Rational};

use super::descent::Descent;
use super::sides::Finer;
use super::subject::{Kind, LADDER};
use super::{Method, Resources, Subject};
use crate::bounds::TwoSided;
use crate::kernel::{Failure, Pick};
use crate::plan::Wanted;

/// Bits of comparisons of laws, which resolve less.
const BITS: u32 = 160;
/// Answers that were wider say next to nothing of how fine the next laws should be.
const MOST_EXCESS: u32 = 14;

/// How more becomes known of a mechanism.
enum Walk<'a> {
    /// No more will be known.
    Ended,
    /// By the laws of a composition.
    Laws(Box<Descent<'a>>),
    /// By profiles above and below.
    Between(Finer),
}

/// One mechanism during a comparison.
pub(super) struct Contestant<'a> {
    pub(super) subject: Option<&'a Subject>,
    walk: Walk<'a>,
    /// What is known by now.
    pub(super) sides: Option<TwoSided>,
}

impl<'a> Contestant<'a> {
    pub(super) fn new(subject: &'a Subject) -> Self {
        let oriented = |sides: &TwoSided| subject.loss.oriented(sides, subject.adjacency);
        let (sides, walk) = match &subject.kind {
            Kind::Closed { part, .. } if part.profile.is_closed_form() => {
                let sides = TwoSided::closed_form(part.profile.clone());
                (Some(oriented(&sides)), Walk::Ended)
            }
            Kind::Closed { part, .. } => (None, Walk::Between(Finer::new(part.profile.clone()))),
            Kind::Class { sides } => (Some(oriented(sides)), Walk::Ended),
            Kind::Laws(refinements) => (None, Walk::Laws(Box::new(refinements.descent()))),
        };
        Self {
            subject: Some(subject),
            walk,
            sides,
        }
    }

    /// A mechanism of which no more will be known.
    pub(super) fn fixed(sides: TwoSided) -> Self {
        Self {
            subject: None,
            walk: Walk::Ended,
            sides: Some(sides),
        }
    }

    pub(super) fn rungs(&self) -> usize {
        self.subject.map_or(LADDER.len(), Subject::rungs)
    }

    pub(super) fn is_class(&self) -> bool {
        let kind = self.subject.map(|subject| &subject.kind);
        matches!(kind, Some(Kind::Class { .. }))
    }

    pub(super) fn is_fixed(&self) -> bool {
        matches!(self.walk, Walk::Ended)
    }

    pub(super) fn method(&self) -> Option<Method> {
        match &self.walk {
            Walk::Ended => None,
            Walk::Laws(descent) => Some(descent.method()),
            Walk::Between(finer) => Some(finer.method()),
        }
    }

    /// Are laws known that are not used yet?
    fn has_known(&self) -> bool {
        matches!(&self.walk, Walk::Laws(descent) if descent.has_known())
    }

    /// The finest laws that earlier questions left, or else the first ones.
    pub(super) fn finest_known(
        &mut self,
        tail_wanted: &Rational,
        resources: &Resources<'_>,
    ) -> Result<(), Failure> {
        while self.sides.is_none() || self.has_known() {
            if !self.advance(tail_wanted, None, resources)? {
                break;
            }
        }
        Ok(())
    }

    /// Refines, as finely as an answer that was so many times too wide suggests; `false` if that is not possible any more.
    pub(super) fn advance(
        &mut self,
        tail_wanted: &Rational,
        excess: Option<&Float>,
        resources: &Resources<'_>,
    ) -> Result<bool, Failure> {
        let Some(subject) = self.subject else {
            return Ok(false);
        };
        let wanted = Wanted {
            tail: tail_wanted.clone(),
            width: None,
            spare: false,
            excess: excess.map(|excess| Float::with_val(BITS, MOST_EXCESS).smaller(excess)),
            steps: 0,
        };
        let next = match &mut self.walk {
            Walk::Ended => None,
            Walk::Laws(descent) => descent.next(&wanted, resources)?,
            Walk::Between(finer) => finer.next(tail_wanted, resources.budget)?,
        };
        let Some(sides) = next else {
            return Ok(false);
        };
        self.sides = Some(subject.loss.oriented(&sides, subject.adjacency));
        Ok(true)
    }
}
