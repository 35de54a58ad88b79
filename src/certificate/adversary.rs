//! Two candidates for each choice by score of a composition, by whose odds a claim is refuted most clearly.

use rug::Rational;

use super::atoms::Atoms;
use super::dataset::is_short;
use super::steps::Steps;
use crate::float::elementary::exp;
use crate::float::{nearest, normal_quantile, normal_tail};
use crate::input::GdpForm;
use crate::mechanism::{Direction, Step};
use crate::statement::StatedClaim;

/// Compositions of more choices have the same candidates for each.
const MOST: usize = 6;
/// How often all of them are looked at, in steps that are half as wide each time.
const ROUNDS: u32 = 12;

/// Candidates of each step, in the order of the steps, with what names them; `None` for a step that is a pair.
pub(super) type Candidates = Vec<Option<(Vec<Rational>, Step)>>;

/// Those that were found, where something else than choices and few outcomes plays no part.
pub(super) fn candidates(list: &[(Step, u64)], claim: &StatedClaim) -> Option<Candidates> {
    let count = list
        .iter()
        .filter(|(step, _)| step.as_closed().is_some())
        .count();
    if count == 0 || count > MOST {
        return None;
    }
    let named = |shares: &[f64]| -> Option<Candidates> {
        let mut shares = shares.iter();
        let mut one = |(step, _): &(Step, u64)| match step.as_closed() {
            Some(pair) => {
                let share = Rational::from_f64(*shares.next()?)?;
                Some(Some(pair.dataset_of(&share).filter(is_short)?))
            }
            None => Some(None),
        };
        list.iter().map(&mut one).collect()
    };
    let value = |shares: &[f64]| -> Option<f64> {
        let steps = named(shares)?.into_iter().zip(list);
        let steps = steps.map(|(found, (step, times))| {
            (found.map_or_else(|| step.clone(), |(_, one)| one), *times)
        });
        let steps = Steps {
            list: steps.collect(),
            directions: vec![Direction::Remove],
        };
        worth(&Atoms::of_steps(&steps, Direction::Remove)?, claim)
    };
    let (mut best, mut most) = (Vec::new(), f64::NEG_INFINITY);
    for start in [0.2, 0.35, 0.5, 0.65, 0.8, 0.95] {
        let mut shares = vec![start; count];
        let mut now = value(&shares)?;
        let mut width = 0.1;
        for _ in 0..ROUNDS {
            let mut is_better = false;
            for place in 0..count {
                for step in [width, -width] {
                    let mut other = shares.clone();
                    if let Some(share) = other.get_mut(place) {
                        *share = (*share + step).clamp(0.002, 0.998);
                    }
                    if let Some(found) = value(&other).filter(|found| *found > now) {
                        (now, shares, is_better) = (found, other, true);
                    }
                }
            }
            if !is_better {
                width /= 2.0;
            }
        }
        if now > most {
            (most, best) = (now, shares);
        }
    }
    named(&best)
}

/// How much of a claim they refute, by a measure of its own; `None` where none is known.
fn worth(atoms: &Atoms, claim: &StatedClaim) -> Option<f64> {
    // Errors of the tests between losses.
    let errors = || {
        let (mut alpha, mut beta) = (0.0, 1.0);
        let corners = atoms.iter().map(move |(q, p, _)| {
            (alpha, beta) = (alpha + p, beta - q);
            (alpha, f64::max(beta, 0.0))
        });
        std::iter::once((0.0, 1.0)).chain(corners)
    };
    Some(match claim {
        StatedClaim::ApproxDp { epsilon, .. } => atoms.at(nearest(&epsilon.rational_down())).0,
        StatedClaim::Advantage { .. } => atoms.at(0.0).0,
        StatedClaim::TradeOff { alpha, .. } => {
            let alpha = nearest(alpha);
            let points: Vec<(f64, f64)> = errors().collect();
            let lines = points.iter().zip(points.iter().skip(1));
            let mut on =
                lines.filter(|((from, _), (to, _))| *from <= alpha && alpha <= *to && to > from);
            let ((from, high), (to, low)) = on.next()?;
            -(high + (low - high) * (alpha - from) / (to - from))
        }
        StatedClaim::Gdp { form, .. } => {
            let (tau, floor) = match form {
                GdpForm::Tolerance(tau) => (nearest(tau), 0.0),
                GdpForm::ErrorFloor(floor) => (0.0, nearest(floor)),
                GdpForm::Strict => (0.0, 0.0),
            };
            let inside = errors().filter(|(a, b)| *a > floor && *b > floor.max(1e-300));
            let each = inside.map(|(a, b)| -normal_quantile(a + tau) - normal_quantile(b + tau));
            each.filter(|mu| mu.is_finite())
                .fold(f64::NEG_INFINITY, f64::max)
        }
        StatedClaim::Regret { mu, .. } => {
            let mu = nearest(mu);
            let excess = |epsilon: f64| {
                let (near, far) = (epsilon / mu - mu / 2.0, epsilon / mu + mu / 2.0);
                let delta = normal_tail(near) - exp(epsilon) * normal_tail(far);
                (delta - atoms.at(epsilon).0) / (1.0 + exp(epsilon))
            };
            let far = mu * mu + 9.0 * mu;
            let places = (-400..=400).map(|i| far * f64::from(i) / 400.0);
            let places = places.chain(
                atoms
                    .iter()
                    .map(|(_, _, loss)| *loss)
                    .filter(|x| x.is_finite()),
            );
            -places.map(excess).fold(0.0, f64::max)
        }
        StatedClaim::PureDp { .. }
        | StatedClaim::Zcdp { .. }
        | StatedClaim::Rdp { .. }
        | StatedClaim::DominatedBy { .. } => return None,
    })
}
