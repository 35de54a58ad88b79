//! One step on a batch of fixed size, drawn without replacement.

use std::sync::Arc;

use rug::Rational;

use super::Closed;
use super::special::ReplacedBySpecial;
use crate::kernel::Profile;
use crate::mechanism::batches::{OppositeOthers, PickedOthers};
use crate::mechanism::shifted::Noise;
use crate::mechanism::step::Step;
use crate::mechanism::steps::{FiniteLosses, Steps};
use crate::mechanism::symmetrised::Symmetrised;

/// The largest profile of one step of noise on the sum of a batch, m of n > m records drawn without replacement, q = m/n.
///
/// Given the rest of the batch, the record that changes is in it with probability q, in the place of another one: with these two
/// records x and x' and the other one y, all of norm at most c, the pair is (1 − q)·N(y) + q·N(x') against (1 − q)·N(y) + q·N(x).
/// Which y is worst depends on u, so that the pair here, the largest profile at every u, is attained by a dataset at each u, but by no
/// dataset at all of them: of a composition it is a bound (`proofs/README.md`, W1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FixedBatches {
    rate: Rational,
    noise: Noise,
    apart: Steps,
    replaced: Replaced,
    answers: Answers,
}

/// How often a batch is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answers {
    /// Once.
    One,
    /// Several times, so that what others contribute to an answer may depend on those before.
    Several,
}

/// By what a record is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Replaced {
    /// By any other one.
    ByAny,
    /// By one that contributes nothing.
    BySpecial,
}

impl FixedBatches {
    /// `noise` is the law of the noise, where a shift of 1 stands for the record bound c; `apart` is the noise between two records that
    /// replace each other.
    ///
    /// Requires: 0 < `rate` < 1; `apart` is one step; `replaced` by any, or Gaussian noise.
    pub(crate) fn new(
        rate: Rational,
        noise: Noise,
        apart: Steps,
        replaced: Replaced,
        answers: Answers,
    ) -> Self {
        Self {
            rate,
            noise,
            apart,
            replaced,
            answers,
        }
    }

    /// The noise between two records that replace each other.
    pub fn apart(&self) -> Option<&Step> {
        self.apart.single()
    }

    /// The rate q.
    pub(crate) fn rate(&self) -> &Rational {
        &self.rate
    }

    /// What a dataset reveals in one step, the others all −x.
    pub(crate) fn member(&self) -> Steps {
        self.apart.sampled(&self.rate)
    }

    /// Is the profile of one step the larger one of those of [`Self::member`] in its two orders?
    pub(crate) fn is_member_largest(&self) -> bool {
        match self.replaced {
            Replaced::ByAny => true,
            Replaced::BySpecial => false,
        }
    }

    /// Below what a dataset reveals in one step, the others all −x, if a special record replaces x and the noise is Gaussian (`proofs/README.md`, W8).
    fn opposite_others(&self) -> Option<Steps> {
        let (Noise::Gaussian { unit_squared }, Replaced::BySpecial) = (&self.noise, self.replaced)
        else {
            return None;
        };
        let others = OppositeOthers::new(&self.rate, unit_squared)?;
        let step = Step::finite(FiniteLosses::OppositeOthers(others));
        Some(Steps::one(step, self.apart.conditions()))
    }

    /// The rate q, and (c/σ)², if the noise is Gaussian and records are replaced by any other.
    pub fn gaussian_replaced_by_any(&self) -> Option<(&Rational, &Rational)> {
        match (&self.noise, self.replaced) {
            (Noise::Gaussian { unit_squared }, Replaced::ByAny) => Some((&self.rate, unit_squared)),
            _ => None,
        }
    }

    /// The same where each batch is asked once. Between two answers on one batch an adversary may change what the others contribute, so that no triangle
    /// of three records is behind both (`proofs/README.md`, W3).
    pub fn gaussian_asked_once(&self) -> Option<(&Rational, &Rational)> {
        match self.answers {
            Answers::One => self.gaussian_replaced_by_any(),
            Answers::Several => None,
        }
    }
}

impl Closed for FixedBatches {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        match (self.replaced, &self.noise) {
            (Replaced::ByAny, _) => {
                let sampled = self.apart.sampled(&self.rate);
                let stated = sampled.single()?.profile()?;
                Some(Arc::new(Symmetrised::new(stated)))
            }
            (Replaced::BySpecial, Noise::Gaussian { unit_squared }) => Some(Arc::new(
                ReplacedBySpecial::new(self.rate.clone(), unit_squared.clone()),
            )),
            (Replaced::BySpecial, _) => None,
        }
    }

    fn limits(&self) -> &'static str {
        "fixed batches are built where the noise is, and with a special record for Gaussian noise"
    }

    fn dominated_by(&self) -> Option<Steps> {
        Some(self.apart.clone())
    }

    /// All others are −x, at every step: the sampled pair, with the distance that replaces a record; with a special record all others
    /// are 0, or −x. The swapped pair comes with the direction. And others that are picked after each answer.
    fn members(&self, times: u64) -> Vec<Steps> {
        let one = self.member();
        let all = Steps::composed([(&one, times)]).into_iter();
        let picked = self.gaussian_replaced_by_any().and_then(|(rate, square)| {
            let others = PickedOthers::new(rate, square, times)?;
            let step = Step::finite(FiniteLosses::PickedOthers(others));
            Some(Steps::one(step, self.apart.conditions()))
        });
        let opposite = self.opposite_others().into_iter();
        let opposite = opposite.filter_map(|one| Steps::composed([(&one, times)]).ok());
        all.chain(picked).chain(opposite).collect()
    }

    fn is_of_no_dataset(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[path = "fixed_batches_tests.rs"]
mod tests;
