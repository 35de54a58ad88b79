//! Proofs that a mechanism is at most so much more private than Gaussian noise, or that it is not.

use rug::{Integer, Rational};
use serde_json::{Value, json};

use super::model::Model;
use super::profile::{Profile, units_down, units_up};
use super::prove::{Accept, LOST, MARGIN, Prover, best_test};
use crate::float::{nearest, normal_quantile};

/// How many points of the Gaussian curve are tried.
const POINTS: [u32; 3] = [24, 150, 900];
/// Normal quantiles from here on make no difference to doubles.
const FAR: f64 = 8.0;

impl Prover<'_> {
    /// G_μ(α) ≥ f(α + x) − x at every α, or not: that is domination of the Gaussian by the mechanism.
    pub(super) fn regret(&self, mu: &Rational, at_most: &Rational, accept: Accept<'_>) -> bool {
        let (mu, most) = (nearest(mu), nearest(at_most));
        let gaussian = Model::Gaussian { mu: mu.max(1e-12) };
        let mut prove = |profiles: &[Profile]| match self.verified {
            true => above(&gaussian, mu, most, profiles),
            false => below(&gaussian, mu, most, profiles),
        };
        self.search(LOST * most.max(1e-9), &mut prove, None, accept)
    }
}

/// Tests of the mechanism that are as good as those of the Gaussian, but for `most`.
fn above(gaussian: &Model, mu: f64, most: f64, profiles: &[Profile]) -> Result<Value, f64> {
    // Beyond this quantile all errors are below `most`, and nothing is needed.
    let far = FAR.min(0.1 - normal_quantile(most.clamp(1e-15, 0.4)));
    let mut missing = f64::NAN;
    for points in POINTS {
        let mut nodes: Vec<(String, f64, f64)> = Vec::new();
        for i in 0..=points {
            let x = -far + (2.0 * far + mu) * f64::from(i) / f64::from(points);
            let text = format!("{:.9}", mu * x - mu * mu / 2.0);
            let epsilon: f64 = text.parse().map_err(|_| f64::NAN)?;
            if nodes.last().is_none_or(|(_, before, _)| *before < epsilon) {
                let delta = gaussian.at(epsilon).0 * (1.0 + MARGIN / 100.0) + 1e-30;
                nodes.push((text, epsilon, delta.min(1.0)));
            }
        }
        let corners = corners(&nodes);
        let mut tests: Vec<(&Profile, Vec<String>)> = profiles
            .iter()
            .map(|profile| (profile, Vec::new()))
            .collect();
        missing = f64::NEG_INFINITY;
        for (alpha, power) in corners {
            let (size, needed) = (alpha + most, power - most);
            let mut best = f64::NEG_INFINITY;
            for (profile, epsilons) in &mut tests {
                if size >= 1.0 || needed <= 0.0 {
                    if profile.law().is_none() {
                        epsilons.push("0".to_owned());
                    }
                    continue;
                }
                let (at, found) = best_test(profile, size).ok_or(f64::NAN)?;
                epsilons.extend(at);
                best = best.max(found);
            }
            if size < 1.0 && needed > 0.0 {
                missing = missing.max(needed - best);
            }
        }
        if missing < -1e-13 {
            let (epsilons, bounds): (Vec<_>, Vec<_>) = nodes
                .into_iter()
                .map(|(text, _, delta)| (text, units_up(delta).to_string()))
                .unzip();
            let others = tests
                .iter()
                .map(|(profile, epsilons)| profile.source(epsilons, &[], None));
            return Ok(json!({
                "kind": "dominance",
                "others": others.collect::<Vec<_>>(),
                "sources": [{"bounds": bounds, "direction": "remove", "epsilons": epsilons}],
            }));
        }
    }
    Err(missing)
}

/// (α, 1 − β) of the lines from (0, 1) over the points (u, δ), and of the flat one beyond them.
fn corners(nodes: &[(String, f64, f64)]) -> Vec<(f64, f64)> {
    let points = std::iter::once((0.0, 1.0)).chain(nodes.iter().map(|(_, e, d)| (e.exp(), *d)));
    let points: Vec<(f64, f64)> = points.collect();
    let pairs = points.iter().zip(points.iter().skip(1));
    let lines = pairs.map(|((u, delta), (next, then))| {
        let alpha = ((delta - then) / (next - u)).max(0.0);
        (alpha, delta + u * alpha)
    });
    lines
        .chain(points.last().map(|(_, delta)| (0.0, *delta)))
        .collect()
}

/// One ε at which δ of the Gaussian is above that of the mechanism by more than x·(1 + e^ε).
fn below(gaussian: &Model, mu: f64, most: f64, profiles: &[Profile]) -> Result<Value, f64> {
    let theirs = |epsilon: f64| {
        profiles
            .iter()
            .map(|profile| profile.delta_above(epsilon))
            .fold(0.0, f64::max)
    };
    let excess = |epsilon: f64| {
        let delta = gaussian.at(epsilon).0;
        (delta - theirs(epsilon)) / (1.0 + epsilon.exp()) - most
    };
    let far = (mu * mu / 2.0 + FAR * mu).max(4.0);
    let mut epsilon: f64 = 0.0;
    let mut width = far / 200.0;
    for _ in 0..4 {
        let places = (-200..=200).map(|i| epsilon + f64::from(i) * width);
        let found = places
            .map(|x| (excess(x), x))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        epsilon = found.map_or(0.0, |(_, x)| x);
        width /= 50.0;
    }
    let text = format!("{:.9}", epsilon);
    let epsilon: f64 = text.parse().map_err(|_| f64::NAN)?;
    let (least, found) = (1e-12 * (1.0 + most), excess(epsilon));
    if found <= least {
        return Err(-found);
    }
    let lower = gaussian.at(epsilon).0 * (1.0 - MARGIN / 100.0);
    let bound: Integer = units_down(&Rational::from_f64(lower).ok_or(f64::NAN)?);
    let others = profiles.iter().map(|profile| {
        profile.source(
            std::slice::from_ref(&text),
            &[units_up(profile.delta_above(epsilon))],
            None,
        )
    });
    Ok(json!({
        "kind": "dominance",
        "others": others.collect::<Vec<_>>(),
        "sources": [{"bounds": [bound.to_string()], "direction": "remove", "epsilons": [text]}],
    }))
}
