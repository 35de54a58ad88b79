//! Random allocation: one of several steps, drawn at random, has the record.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rug::Rational;

use super::Closed;
use crate::kernel::{LossBound, Profile, is_late};
use crate::mechanism::allocation::Allocated;
use crate::mechanism::steps::{Step, Steps};

/// The pair of `steps` runs without the record, and of one run, drawn at random, with it.
///
/// It dominates where any of the runs is dominated by the base pair, adaptively too: the channels from the base pair to each run, one for each
/// history, lead from this pair to the outputs. It is attained where the base pair is (`proofs/README.md`, A1).
#[derive(Debug, Clone)]
pub struct Allocation {
    of: Arc<Of>,
}

struct Of {
    base: Steps,
    steps: u64,
    profile: OnceLock<Option<Arc<dyn Profile>>>,
}

impl std::fmt::Debug for Of {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Of")
            .field("base", &self.base)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

impl Allocation {
    /// Requires: `steps ≥ 1`; `base` is one step that is one pair, no class.
    pub fn new(base: Steps, steps: u64) -> Self {
        let of = Of {
            base,
            steps,
            profile: OnceLock::new(),
        };
        Self { of: Arc::new(of) }
    }

    /// Is the profile built for Gaussian noise with this μ²?
    pub(crate) fn is_built_for(mu_squared: &Rational) -> bool {
        *mu_squared <= LARGEST_MU * LARGEST_MU
    }

    /// What runs in each step.
    pub fn base(&self) -> &Steps {
        &self.of.base
    }

    /// In how many steps one has the record.
    pub fn steps(&self) -> u64 {
        self.of.steps
    }
}

const LARGEST_MU: u32 = 10;

/// Do likelihood ratios reach farther than there is any sense in following them?
fn is_too_far(step: &Step, profile: &dyn Profile) -> bool {
    const LARGEST_LOSS: u32 = 400;
    let square = match step {
        Step::Gaussian { mu_squared } => mu_squared.clone(),
        Step::DiscreteGaussian { sigma, sensitivity } => {
            (Rational::from(*sensitivity) / sigma).square()
        }
        _ => Rational::new(),
    };
    let is_large = |bound: LossBound| match bound {
        LossBound::Finite { value, .. } => *value.hi() > LARGEST_LOSS,
        LossBound::Unbounded => false,
    };
    square > LARGEST_MU * LARGEST_MU
        || is_large(profile.max_loss(64))
        || is_large(profile.min_loss(64).negated())
}

impl PartialEq for Allocation {
    fn eq(&self, other: &Self) -> bool {
        self.of.steps == other.of.steps && self.of.base == other.of.base
    }
}

impl Eq for Allocation {}

impl Hash for Allocation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.of.base.hash(state);
        self.of.steps.hash(state);
    }
}

impl Closed for Allocation {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        if let Some(known) = self.of.profile.get() {
            return known.clone();
        }
        let make = || {
            let step = self.of.base.single()?;
            let base = step.profile()?;
            if is_too_far(step, &*base) {
                return None;
            }
            let profile: Arc<dyn Profile> = Arc::new(Allocated::new(base, self.of.steps));
            Some(profile)
        };
        let made = make();
        match is_late() {
            true => made,
            false => self.of.profile.get_or_init(|| made).clone(),
        }
    }

    fn limits(&self) -> &'static str {
        "random allocation is built for Gaussian noise up to a mu of 10 in one step, and for losses up to 400"
    }

    /// One run with the record, as δ is convex in either of the two laws: which step has it is as good as known.
    fn dominated_by(&self) -> Option<Steps> {
        Some(self.of.base.clone())
    }

    /// Q is at least a t-th of the Gaussian that has the record in one step, and Gaussian tails force μ as α → 0.
    fn strict_mu_squared(&self) -> Option<Rational> {
        match self.of.base.single()? {
            Step::Gaussian { mu_squared } => Some(mu_squared.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits, few_bits};
    use crate::mechanism::laplace::Laplace;

    /// What is not called too far is certainly within both limits, and what is, is not far within.
    #[test]
    fn limits_at_few_bits() {
        let mut random = Random(80);
        let within = |size: &Rational, most: u32| *size <= most;
        for _ in 0..10_000 {
            let size = Rational::from((1 + random.below(1 << 12), 1 + random.below(1 << 6)));
            let bits = few_bits(&mut random);
            let plain = Rational::from((1, 2));
            let is_far = |step: Step, loss: &Rational| {
                let base = Laplace::new(loss.clone());
                at_most_bits(bits, || is_too_far(&step, &base))
            };
            let gaussian = |mu_squared: &Rational| Step::Gaussian {
                mu_squared: mu_squared.clone(),
            };
            assert_eq!(is_far(gaussian(&size), &plain), !within(&size, 100));
            let discrete = Step::DiscreteGaussian {
                sigma: size.clone(),
                sensitivity: 30,
            };
            assert_eq!(is_far(discrete, &plain), size < 3);
            let far = is_far(gaussian(&plain), &size);
            assert!(far || within(&size, 400), "{size} {bits}");
            assert!(!far || !within(&size, 200), "{size} {bits}");
        }
    }
}
