//! Where floats expect a parameter to meet a target.

use rug::Rational;

use crate::float::elementary::{exp, exp_m1, ln};
use crate::float::{Curve, divergence, log_of, normal_quantile};
use crate::input::GdpForm;
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Mechanism};
use crate::statement::{Claim, StatedClaim};

/// Questions between two places of a parameter, on a logarithmic scale.
const MOST_ROUNDS: u32 = 150;

/// About how far the mechanism misses the claim, in whatever unit: at most 0 where the claim seems true. `None` where floats cannot tell, or not
/// within the budget.
pub fn excess(
    claim: &Claim,
    mechanism: &Mechanism,
    adjacency: Adjacency,
    budget: &Budget,
) -> Option<f64> {
    let curve = Curve::within(mechanism, adjacency, budget).ok()?;
    let above = |value: f64, bound: &Rational| {
        let excess = value - bound.to_f64();
        (!excess.is_nan()).then_some(excess)
    };
    // On the scale of logarithms most quantities are nearer to a straight line in that of a parameter.
    let logarithmic = |found: f64, bound: &Rational| {
        if found > 0.0 && found.is_finite() && *bound > 0 {
            Some(ln(found) - log_of(bound))
        } else {
            above(found, bound)
        }
    };
    match claim.stated() {
        StatedClaim::ApproxDp { epsilon, delta } => {
            logarithmic(curve.delta(epsilon.rational_down().to_f64()), delta)
        }
        StatedClaim::Gdp { mu, form } => {
            let found = match form {
                GdpForm::Strict => curve.strict_mu(),
                GdpForm::Tolerance(tolerance) => curve.mu_with_tolerance(tolerance.to_f64()),
                GdpForm::ErrorFloor(floor) => curve.mu_above_floor(floor.to_f64()),
            };
            logarithmic(found, mu)
        }
        StatedClaim::Regret { mu, at_most } => above(curve.regret(mu.to_f64()), at_most),
        StatedClaim::Advantage { at_most } => logarithmic(curve.advantage(), at_most),
        StatedClaim::TradeOff { alpha, beta } => {
            let found = curve.tradeoff(alpha.to_f64());
            let mu = |beta: f64| normal_quantile(1.0 - alpha.to_f64()) - normal_quantile(beta);
            let (of_found, of_bound) = (mu(found), mu(beta.to_f64()));
            // The μ of the Gaussian mechanism with this test: on the scale of its logarithm too.
            if of_found > 0.0 && of_bound > 0.0 && of_found.is_finite() && of_bound.is_finite() {
                Some(ln(of_found / of_bound))
            } else {
                above(-found, &Rational::from(-beta))
            }
        }
        StatedClaim::DominatedBy { other, at_most } => {
            let other = Curve::within(other.mechanism(), other.adjacency(), budget).ok()?;
            above(divergence(&other, &curve).value, at_most)
        }
        StatedClaim::PureDp { .. } | StatedClaim::Zcdp { .. } | StatedClaim::Rdp { .. } => None,
    }
}

/// About the value between `private`, where the excess of a monotone question is expected to be at most 0, and `leaky`, where it is more,
/// at which that changes; looked for outward from `start`.
///
/// Requires: all > 0. With it comes how far off it may be, relatively: about a sixteenth of `width`, or more if the question is no longer
/// answered on the way there. `None` if it is not answered before, or the same at both ends.
pub fn turning_value(
    (private, leaky): (&Rational, &Rational),
    start: &Rational,
    width: &Rational,
    excess: &dyn Fn(&Rational) -> Option<f64>,
) -> Option<(Rational, Rational)> {
    let at = |log: f64| {
        let excess = excess(&Rational::from_f64(exp(log))?)?;
        Some(Seen { log, excess })
    };
    let (private, leaky) = (ln(private.to_f64()), ln(leaky.to_f64()));
    let mut here = at(ln(start.to_f64()))?;
    let is_met = here.is_met();
    let end = if is_met { leaky } else { private };
    // Much leakier values are dear.
    let mut limit = if is_met { NEAR_STEP } else { FIRST_STEP };
    let mut step = limit;
    // The first place with the other answer than the start.
    let beyond = loop {
        if here.log == end {
            return None;
        }
        let next = if end > here.log {
            (here.log + step).min(end)
        } else {
            (here.log - step).max(end)
        };
        let next = at(next)?;
        if next.is_met() != is_met {
            break next;
        }
        limit *= 2.0;
        step = if is_met {
            next.reach(&here, limit)
        } else {
            limit
        };
        here = next;
    };
    let (mut good, mut bad) = if is_met {
        (here, beyond)
    } else {
        (beyond, here)
    };
    let enough = width.to_f64() / 16.0;
    let (mut last_length, mut is_slow) = (f64::INFINITY, false);
    for round in 0..MOST_ROUNDS {
        let length = (good.log - bad.log).abs();
        if length < enough {
            break;
        }
        // Three times by straight lines, and three times half way where those did not do as much.
        if round % 3 == 0 {
            is_slow = length > last_length / 7.0;
            last_length = length;
        }
        // Every other time a little beyond where the straight line is 0, so that it is between two near places soon.
        let place = if is_slow {
            (good.log + bad.log) / 2.0
        } else {
            between(good, bad, enough, round % 2 == 1)
        };
        match at(place) {
            Some(seen) if seen.is_met() => good = seen,
            Some(seen) => bad = seen,
            None => break,
        }
    }
    let value = Rational::from_f64(exp(good.log))?;
    let error = exp_m1((good.log - bad.log).abs());
    Some((value, Rational::from_f64(error)?))
}

/// A place on a logarithmic scale, and the excess there.
#[derive(Clone, Copy)]
struct Seen {
    log: f64,
    excess: f64,
}

impl Seen {
    fn is_met(self) -> bool {
        self.excess <= 0.0
    }

    /// How far to go on from here: a little beyond where the line through what was seen before is 0, between a sixteenth of `limit` and `limit`.
    fn reach(self, before: &Self, limit: f64) -> f64 {
        let slope = (self.excess - before.excess) / (self.log - before.log).abs();
        let far = 1.2 * -self.excess / slope;
        if far > 0.0 {
            far.clamp(limit / 16.0, limit)
        } else {
            limit
        }
    }
}

/// Where the straight line between both is 0; moved towards the farther of the two by half of what is near enough, if wanted. Inside by an
/// eighth of that at least.
fn between(good: Seen, bad: Seen, enough: f64, is_moved: bool) -> f64 {
    let share = good.excess / (good.excess - bad.excess);
    let share = if share.is_finite() { share } else { 0.5 };
    let mut place = good.log + share.clamp(0.0, 1.0) * (bad.log - good.log);
    if is_moved {
        let farther = if share < 0.5 { bad.log } else { good.log };
        place += (farther - place).signum() * enough / 2.0;
    }
    let (low, high) = (good.log.min(bad.log), good.log.max(bad.log));
    let margin = (enough / 8.0).min((high - low) / 4.0);
    place.clamp(low + margin, high - margin)
}

/// A factor of about 4.
const FIRST_STEP: f64 = 1.4;
/// A factor of about 1.4.
const NEAR_STEP: f64 = 0.35;

#[cfg(test)]
mod tests {
    use super::*;

    /// Profiles that are dear are not prepared beyond the time there is.
    #[test]
    fn no_time() {
        let text =
            r#"{"kind":"random-allocation","steps":1000,"of":{"kind":"gaussian","sigma":1}}"#;
        let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
        let claim = Claim::from_argument("advantage:at-most=0.1").unwrap();
        let over = Budget::new(std::time::Duration::ZERO, std::sync::Arc::default());
        assert!(excess(&claim, &file.mechanism, file.adjacency, &over).is_none());
    }

    #[test]
    fn a_gaussian_for_an_advantage() {
        let claim = Claim::from_argument("advantage:at-most=0.38292492254802620727").unwrap();
        let holds = |sigma: &Rational| {
            let gaussian = Mechanism::gaussian(sigma.clone(), Rational::from(1)).unwrap();
            excess(
                &claim,
                &gaussian,
                Adjacency::AddRemove,
                &Budget::unlimited(),
            )
        };
        let (least, most) = (Rational::from((1, 1000)), Rational::from(1000));
        let width = Rational::from((1, 100_000_000));
        for start in [&least, &Rational::from(1), &Rational::from(37), &most] {
            let found = turning_value((&most, &least), start, &width, &holds);
            let (found, error) = found.unwrap();
            assert!(error < width);
            let found = found.to_f64();
            assert!((found - 1.0).abs() < 1e-9, "{found}");
        }
        // A question that jumps, and one whose excess is infinite at first, are halved.
        for jump in [1.0, f64::INFINITY] {
            let step = |x: &Rational| Some(if *x < 3 { jump } else { -1.0 });
            let found = turning_value((&most, &least), &most, &width, &step);
            let (found, error) = found.unwrap();
            assert!(error < width, "{error}");
            assert!((found.to_f64() - 3.0).abs() < 1e-7, "{found}");
        }
        // However the excess bends on the way: the steps grow.
        for bend in [0.05, 20.0] {
            let asked = std::cell::Cell::new(0);
            let bent = |x: &Rational| {
                asked.set(asked.get() + 1);
                let x = 1.0 + (x.to_f64() / 0.002).ln() / 7.0;
                Some(1.0 - x.max(0.0).powf(bend))
            };
            let found = turning_value((&most, &least), &most, &width, &bent);
            let (found, error) = found.unwrap();
            assert!(error < width, "{error}");
            assert!((found.to_f64() - 0.002).abs() < 1e-9, "{found}");
            assert!(asked.get() < 60, "{bend}: {}", asked.get());
        }
        // Few questions are enough where it is smooth.
        let asked = std::cell::Cell::new(0);
        let counted = |sigma: &Rational| {
            asked.set(asked.get() + 1);
            holds(sigma)
        };
        turning_value((&most, &least), &Rational::from(37), &width, &counted).unwrap();
        assert!(asked.get() < 24, "{}", asked.get());
        // An answer that stays out after some time leaves what is known by then.
        let asked = std::cell::Cell::new(0);
        let in_time = |sigma: &Rational| {
            asked.set(asked.get() + 1);
            if asked.get() > 10 { None } else { holds(sigma) }
        };
        let found = turning_value((&most, &least), &Rational::from(37), &width, &in_time);
        let (found, error) = found.unwrap();
        let off = Rational::from(&found - 1u32).abs();
        assert!(
            off <= error && width < error && error < 1,
            "{found} {error}"
        );
        let (never, unknown) = (|_: &Rational| Some(1.0), |_: &Rational| None);
        assert_eq!(turning_value((&most, &least), &most, &width, &never), None);
        assert_eq!(
            turning_value((&most, &least), &least, &width, &unknown),
            None
        );
    }
}
