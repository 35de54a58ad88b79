//! Proofs that a curve is above that of a Gaussian, or not.

use rug::Integer;
use serde_json::Value;

use super::gaussian::{Curve, points_at_losses, points_below};
use super::model::Model;
use super::profile::{Profile, Test, units_up};
use super::prove::{Accept, LOST, MARGIN, Prover, height, highest, noting};
use crate::float::elementary::exp;
use crate::float::{nearest, normal_quantile, normal_tail};
use crate::input::GdpForm;
use crate::mechanism::Direction;

impl Prover<'_> {
    /// f(α) ≥ G_μ(α + τ) − τ everywhere, or not.
    pub(super) fn against_gaussian(&self, mu: f64, form: &GdpForm, accept: Accept<'_>) -> bool {
        let (tau, floor) = match form {
            GdpForm::Tolerance(tau) => (nearest(tau), 0.0),
            GdpForm::ErrorFloor(floor) => (0.0, nearest(floor)),
            GdpForm::Strict => (0.0, 0.0),
        };
        match self.verified {
            true => self.above_gaussian(mu, tau, floor, accept),
            false if floor > 0.0 => self.below_gaussian_above_floor(mu, floor, accept),
            false => self.below_gaussian(mu, tau, accept),
        }
    }

    /// f(α) ≥ G_μ(α + τ) − τ everywhere.
    fn above_gaussian(&self, mu: f64, tau: f64, floor: f64, accept: Accept<'_>) -> bool {
        // What f64 does not see of a closed form, in several sizes.
        let is_closed = Model::of_steps(self.steps, Direction::Remove, self.budget).is_some();
        let rooms: &[f64] = match is_closed {
            true => &[0.0, 1e-9, 1e-8],
            false => &[0.0],
        };
        let mut is_too_fine = false;
        for room in rooms {
            let (is_accepted, found) = noting(accept, |accept| {
                self.above_gaussian_with(*room, (mu, tau, floor), accept)
            });
            is_too_fine = found;
            if is_accepted {
                break;
            }
        }
        is_too_fine
    }

    fn above_gaussian_with(
        &self,
        room: f64,
        (mu, tau, floor): (f64, f64, f64),
        accept: Accept<'_>,
    ) -> bool {
        let mut prove = |profiles: &[Profile]| {
            let mut sources = Vec::new();
            for profile in profiles {
                let end = self.largest_loss(profile.direction);
                // With an error floor, the line that is highest there comes last: of the hull, where both orders are claimed.
                let alone = std::slice::from_ref(profile);
                let of = if self.steps.directions.len() == 2 {
                    profiles
                } else {
                    alone
                };
                let last = if floor > 0.0 {
                    let height = |epsilon| height(of, epsilon, floor);
                    Some(highest(of, 40.0, height).ok_or(f64::NAN)?)
                } else {
                    None
                };
                if tau == 0.0 && end.is_none() && last.is_none() {
                    return Err(f64::NAN);
                }
                let curve = Curve {
                    mu,
                    tau,
                    floor,
                    last,
                    room,
                };
                let at_losses = || points_at_losses(profile, &curve, end?);
                let points = points_below(profile, &curve, end).or_else(at_losses);
                let points = points.ok_or(f64::NAN)?;
                sources.push(profile.source(
                    &points.epsilons,
                    &points.bounds,
                    Some(&points.quantiles),
                ));
            }
            Ok(Value::from(sources))
        };
        self.search(LOST * tau.max(floor), &mut prove, None, accept)
    }

    /// f(α) < G_μ(α) somewhere, α and G_μ(α) at least `floor`: by a test at α = P(Z > x).
    fn below_gaussian_above_floor(&self, mu: f64, floor: f64, accept: Accept<'_>) -> bool {
        const TRIED: u32 = 300;
        let far = -normal_quantile(floor) - 1e-9;
        let is_both = self.steps.directions.len() == 2;
        let mut prove = |profiles: &[Profile]| {
            let profile = profiles.first().ok_or(f64::NAN)?;
            let (mut most, mut best) = (f64::NEG_INFINITY, None);
            for i in 0..=TRIED {
                let text = format!(
                    "{:.12}",
                    far - (2.0 * far - mu) * f64::from(i) / f64::from(TRIED)
                );
                let x: f64 = text.parse().map_err(|_| f64::NAN)?;
                let test = profile.best_test(normal_tail(x), is_both);
                let Test { epsilons, power } = test.ok_or(f64::NAN)?;
                let (rest, beta) = (normal_tail(x - mu), normal_tail(mu - x));
                let excess = (power - rest) / power.min(beta);
                if excess > most {
                    let bound = units_up(power / 2.0 + rest / 2.0);
                    most = excess;
                    best = Some(profile.source(&epsilons, &[bound], Some(&[text])));
                }
            }
            let best = best.filter(|_| most > 1e-9).ok_or(-most)?;
            Ok(Value::from(vec![best]))
        };
        self.search(LOST * floor, &mut prove, None, accept)
    }

    /// f(α) < G_μ(α + τ) − τ somewhere: δ(u) > δ_G(u) + τ·(1 + u).
    fn below_gaussian(&self, mu: f64, tau: f64, accept: Accept<'_>) -> bool {
        let gaussian = Model::Gaussian { mu: mu.max(1e-12) };
        let other = |epsilon: f64| {
            let allowed = if tau == 0.0 {
                0.0
            } else {
                tau * (1.0 + exp(epsilon))
            };
            gaussian.at(epsilon).0 + allowed
        };
        let mut prove = |profiles: &[Profile]| {
            let profile = profiles.first().ok_or(f64::NAN)?;
            let excess = |epsilon: f64| {
                let delta = profile.delta(epsilon);
                if delta > 1e-30 {
                    1.0 - other(epsilon) / delta
                } else {
                    f64::NEG_INFINITY
                }
            };
            // Far enough out for a mass at infinity to show.
            let far = 40f64.max(mu * mu / 2.0 + 10.0 * mu);
            // Far to the left both are near 1: what is above by little is found among less.
            let fars = [far, 8.0, 2.0, 0.5];
            let found = fars
                .iter()
                .filter_map(|far| highest(profiles, *far, excess));
            let best = found.max_by(|a, b| excess(*a).total_cmp(&excess(*b)));
            let epsilon = best.ok_or(f64::NAN)?;
            let margin = if profile.law().is_some() {
                10.0 * MARGIN
            } else {
                1e-12
            };
            let text = format!("{epsilon:.9}");
            let epsilon: f64 = text.parse().map_err(|_| f64::NAN)?;
            let (delta, other) = (profile.delta(epsilon), other(epsilon));
            let bound: Integer = units_up(delta / 2.0 + other / 2.0);
            if delta > other * (1.0 + margin) {
                Ok(Value::from(vec![profile.source(&[text], &[bound], None)]))
            } else {
                Err(other / delta - 1.0)
            }
        };
        let tail = if tau > 0.0 { LOST * tau } else { 1e-24 };
        self.search(tail, &mut prove, None, accept)
    }
}
