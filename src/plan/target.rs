//! Where floats expect a parameter to meet a target.

use rug::Rational;

use crate::float::{Curve, divergence};
use crate::input::GdpForm;
use crate::mechanism::{Adjacency, Mechanism};
use crate::statement::{Claim, StatedClaim};

/// Halvings of the range of a parameter, on a logarithmic scale.
const HALVINGS: u32 = 60;

/// Does the claim seem true of the mechanism? `None` where floats cannot tell.
pub fn seems_true(claim: &Claim, mechanism: &Mechanism, adjacency: Adjacency) -> Option<bool> {
    let curve = Curve::new(mechanism, adjacency).ok()?;
    let below = |value: f64, bound: &Rational| (!value.is_nan()).then(|| value <= bound.to_f64());
    match claim.stated() {
        StatedClaim::ApproxDp { epsilon, delta } => {
            below(curve.delta(epsilon.rational_down().to_f64()), delta)
        }
        StatedClaim::Gdp { mu, form } => {
            let found = match form {
                GdpForm::Strict => curve.strict_mu(),
                GdpForm::Tolerance(tolerance) => curve.mu_with_tolerance(tolerance.to_f64()),
                GdpForm::ErrorFloor(floor) => curve.mu_above_floor(floor.to_f64()),
            };
            below(found, mu)
        }
        StatedClaim::Regret { mu, at_most } => below(curve.regret(mu.to_f64()), at_most),
        StatedClaim::Advantage { at_most } => below(curve.advantage(), at_most),
        StatedClaim::TradeOff { alpha, beta } => {
            Some(curve.tradeoff(alpha.to_f64()) >= beta.to_f64())
        }
        StatedClaim::DominatedBy { other, at_most } => {
            let other = Curve::new(other.mechanism(), other.adjacency()).ok()?;
            below(divergence(&other, &curve).value, at_most)
        }
        StatedClaim::PureDp { .. } | StatedClaim::Zcdp { .. } | StatedClaim::Rdp { .. } => None,
    }
}

/// About the value between `private`, where a monotone question is expected to hold, and `leaky`, where it is not, at which
/// that changes; looked for outward from `start`.
///
/// Requires: all > 0. With it comes how far off it may be, relatively: about a sixteenth of `width`, or more if the question is no longer
/// answered on the way there. `None` if it is not answered before, or the same at both ends.
pub fn turning_value(
    (private, leaky): (&Rational, &Rational),
    start: &Rational,
    width: &Rational,
    holds: &dyn Fn(&Rational) -> Option<bool>,
) -> Option<(Rational, Rational)> {
    let holds = |log: f64| holds(&Rational::from_f64(log.exp())?);
    let (private, leaky) = (private.to_f64().ln(), leaky.to_f64().ln());
    let mut here = start.to_f64().ln();
    let is_met = holds(here)?;
    let end = if is_met { leaky } else { private };
    let mut step = FIRST_STEP;
    // The last place with the answer of the start, and the first with the other one.
    let mut beyond = here;
    while holds(beyond)? == is_met {
        if beyond == end {
            return None;
        }
        here = beyond;
        beyond = if end > here {
            (here + step).min(end)
        } else {
            (here - step).max(end)
        };
        step *= 2.0;
    }
    let (mut good, mut bad) = if is_met {
        (here, beyond)
    } else {
        (beyond, here)
    };
    for _ in 0..HALVINGS {
        if (good - bad).abs() < width.to_f64() / 16.0 {
            break;
        }
        let middle = (good + bad) / 2.0;
        match holds(middle) {
            Some(true) => good = middle,
            Some(false) => bad = middle,
            None => break,
        }
    }
    let value = Rational::from_f64(good.exp())?;
    Some((value, Rational::from_f64((good - bad).abs().exp_m1())?))
}

/// A factor of about 4.
const FIRST_STEP: f64 = 1.4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gaussian_for_an_advantage() {
        let claim = Claim::from_argument("advantage:at-most=0.38292492254802620727").unwrap();
        let holds = |sigma: &Rational| {
            let gaussian = Mechanism::gaussian(sigma.clone(), Rational::from(1)).unwrap();
            seems_true(&claim, &gaussian, Adjacency::AddRemove)
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
        let (never, unknown) = (|_: &Rational| Some(false), |_: &Rational| None);
        assert_eq!(turning_value((&most, &least), &most, &width, &never), None);
        assert_eq!(
            turning_value((&most, &least), &least, &width, &unknown),
            None
        );
    }
}
