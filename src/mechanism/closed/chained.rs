//! A record that is replaced, where all that is used is what it takes to remove one and to add one.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rug::{Float, Rational};

use super::Closed;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Fineness, Point, Profile};
use crate::mechanism::Epsilon;
use crate::mechanism::chained;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::points;
use crate::mechanism::steps::Steps;

/// A pair above the ends of a chain: from one record to none, and from none to another.
///
/// It dominates, in either order, wherever a step dominates the pairs with either record and without, whatever else the records are, and several of them in their product,
/// though their answers come in turns (`proofs/README.md`, A7). It is the largest pair through some points of the chain's profile, so that it is finite.
#[derive(Debug, Clone)]
pub struct Chained {
    of: Arc<Of>,
}

struct Of {
    presence: Steps,
    apart: Steps,
    profile: OnceLock<Option<Arc<dyn Profile>>>,
}

impl std::fmt::Debug for Of {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Of")
            .field("presence", &self.presence)
            .field("apart", &self.apart)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Chained {
    fn eq(&self, other: &Self) -> bool {
        self.of.presence == other.of.presence && self.of.apart == other.of.apart
    }
}

impl Eq for Chained {}

impl Hash for Chained {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.of.presence.hash(state);
        self.of.apart.hash(state);
    }
}

/// Points from 0 to where δ is next to nothing.
const POINTS: u32 = 600;
/// Next to nothing: 2^−this.
const DEPTH: u32 = 100;
/// Working precision.
const BITS: u32 = 128;
const FINENESS: Fineness = Fineness {
    cells: 512,
    depth: 120,
};

impl Chained {
    /// Requires: `presence` is one step that is one pair, without a record and with one; `apart` dominates what it makes of two records that are told apart.
    pub fn new(presence: Steps, apart: Steps) -> Self {
        let of = Of {
            presence,
            apart,
            profile: OnceLock::new(),
        };
        Self { of: Arc::new(of) }
    }

    fn made(&self) -> Option<Arc<dyn Profile>> {
        let there = self.of.presence.single()?.profile()?;
        let chained = chained::Chained::new(there);
        let above = match chained.between(FINENESS, &Budget::unlimited()).ok()? {
            Some(between) => between.upper,
            None => Arc::new(chained),
        };
        let law = points::law(&points_of(&*above))?;
        Some(Arc::new(FiniteProfile::new(Arc::new(law))))
    }
}

/// Points on or above a profile, ε ≥ 0.
///
/// Ensures: δ is rounded up, at exact e^ε ≥ 1.
fn points_of(profile: &dyn Profile) -> Vec<(Epsilon, Rational)> {
    let point = |log: &Float| {
        let u = d::exp_up(log, 40).to_rational()?.max(Rational::from(1));
        let delta = profile.at(&Point::at_exp_epsilon(&u, BITS)).delta;
        let delta = d::float_up(delta.hi(), 64).to_rational()?;
        Some((Epsilon::log_of(u).ok()?, delta.min(Rational::from(1))))
    };
    let nothing = Rational::from(1) >> DEPTH;
    let mut far = Float::with_val(64, 1) >> 12u32;
    for _ in 0..21 {
        if point(&far).is_some_and(|(_, delta)| delta <= nothing) {
            break;
        }
        far *= 2u32;
    }
    let places = (0..=POINTS).map(|place| Float::with_val(64, &far * place) / POINTS);
    places.filter_map(|log| point(&log)).collect()
}

impl Closed for Chained {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        self.of.profile.get_or_init(|| self.made()).clone()
    }

    fn limits(&self) -> &'static str {
        "replaced records are built where those that are there or not are"
    }

    fn dominated_by(&self) -> Option<Steps> {
        Some(self.of.apart.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Step;
    use crate::mechanism::conditions::Conditions;
    use crate::mechanism::gaussian::Gaussian;

    /// Above the chain of two Gaussians, which is one of twice the distance, and next to it, in both orders.
    #[test]
    fn points_are_above_the_chain() {
        let of = |mu_squared: u32| {
            let mu_squared = Rational::from((mu_squared, 4));
            Steps::one(Step::Gaussian { mu_squared }, Conditions::NONE)
        };
        let above = Chained::new(of(1), of(4)).profile().unwrap();
        let truth = Gaussian::from_square(Rational::from(1));
        for (n, denominator) in [(1, 9), (2, 3), (1, 1), (6, 5), (5, 2), (30, 1), (900, 1)] {
            let point = Point::at_exp_epsilon(&Rational::from((n, denominator)), 90);
            let (above, truth) = (above.at(&point).delta, truth.at(&point).delta);
            assert!(above.hi() >= truth.lo(), "{n}/{denominator}");
            assert!(above.lo().to_f64() >= truth.lo().to_f64() * 0.999_999);
            assert!(
                above.hi().to_f64() <= truth.hi().to_f64() * 1.01,
                "{n}/{denominator}"
            );
        }
    }
}
