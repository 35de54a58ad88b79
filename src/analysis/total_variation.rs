//! What the total variation distance of its parts says about a composition: all that is left where no lattice holds its
//! losses.

use std::sync::Arc;

use rug::Rational;

use crate::bounds::{LossRange, TwoSided};
use crate::composition::Component;
use crate::kernel::{InvariantViolation, Profile};
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::{Epsilon, approx_dp};

/// Bounds of the composition of these parts, in both orders of the pair.
///
/// Ensures: the profile of the composition lies between the two. With probability 1 − q a step that samples its record at
/// rate q does not look at it, so its total variation distance is at most q; distances of independent parts add up at most;
/// and a distance of η is (0, η)-DP in both orders, of which [`approx_dp::law`] is the dominating pair.
pub(super) fn bounds(parts: &[Component]) -> Result<TwoSided, InvariantViolation> {
    within(parts.iter().map(distance_up).sum())
}

/// What is true of every pair.
pub(super) fn bounds_of_anything() -> Result<TwoSided, InvariantViolation> {
    within(Rational::from(1))
}

fn within(distance: Rational) -> Result<TwoSided, InvariantViolation> {
    Ok(TwoSided::between(
        all_within(distance.min(Rational::from(1)))?,
        all_within(Rational::new())?,
        LossRange::default(),
    ))
}

fn distance_up(part: &Component) -> Rational {
    let rate = part.profile.sampled_gaussian().map(|(rate, _)| rate);
    rate.unwrap_or_else(|| Rational::from(1)) * part.steps
}

fn all_within(distance: Rational) -> Result<Arc<dyn Profile>, InvariantViolation> {
    let law = approx_dp::law(&Epsilon::zero(), &distance)
        .ok_or_else(|| InvariantViolation("a total variation distance above one".into()))?;
    Ok(Arc::new(FiniteProfile::new(Arc::new(law))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Point;
    use crate::mechanism::gaussian::Gaussian;
    use crate::mechanism::subsampled::subsampled;

    /// Rates add up, to 1 at the most; a step that always looks has all of it.
    #[test]
    fn distances_add_up() {
        let sampled = |rate: (u32, u32), steps| {
            let gaussian = Arc::new(Gaussian::from_mu(&Rational::from(1)));
            Component::of(subsampled(&Rational::from(rate), gaussian), steps)
        };
        let whole = || Component::of(Arc::new(Gaussian::from_mu(&Rational::from(1))), 1);
        for (parts, distance) in [
            (vec![sampled((1, 10), 3)], (3, 10)),
            (vec![sampled((1, 10), 3), sampled((1, 5), 1)], (1, 2)),
            (vec![sampled((3, 5), 3)], (1, 1)),
            (vec![sampled((1, 10), 1), whole()], (1, 1)),
        ] {
            let found = bounds(&parts).unwrap();
            let zero = Point::at_epsilon(&Rational::new(), 64);
            let upper = found.upper.exact_delta(&zero);
            assert_eq!(upper, Some(Rational::from(distance)));
            assert_eq!(found.lower.exact_delta(&zero), Some(Rational::new()));
        }
        let zero = Point::at_epsilon(&Rational::new(), 64);
        let anything = bounds_of_anything().unwrap();
        assert_eq!(anything.upper.exact_delta(&zero), Some(Rational::from(1)));
    }
}
