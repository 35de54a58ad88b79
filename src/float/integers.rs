//! Mixtures of shifted noise on the integers, as their losses one by one.

use super::Unsupported;
use super::elementary::{exp, exp_m1, ln};
use super::law::{Atom, Law};
use super::mixtures::{limits, log_sum, terms};
use super::resolve::integer_reach;
use crate::mechanism::shifted::ShiftedNoise;

type Terms = [(f64, f64)];

/// Of mass ∝ e^{−k²/(2σ²)}, where a shift of 1 stands for `unit` integers.
pub(super) fn gaussian(sigma: f64, unit: f64, pair: &ShiftedNoise) -> Result<Law, Unsupported> {
    let (without, with) = (terms(pair.without(), -unit), terms(pair.with(), unit));
    let (low, high) = ends(&without, &with);
    let reach = integer_reach(sigma, high - low)?;
    let exponent = |x: f64| -x * x / (2.0 * sigma * sigma);
    let total: f64 = whole(-reach, reach).map(|k| exp(exponent(k))).sum();
    let mass = |k: f64| exponent(k) - ln(total);
    let atoms = whole(low - reach, high + reach).map(|k| atom(&without, &with, k, mass));
    Ok(Law::new(atoms.collect(), 0.0, 0.0, limits(&without, &with)))
}

/// Of mass ∝ e^{−|k|/scale}: the loss is constant from the outermost shifts on.
pub(super) fn laplace(scale: f64, unit: f64, pair: &ShiftedNoise) -> Law {
    let (without, with) = (terms(pair.without(), -unit), terms(pair.with(), unit));
    let (low, high) = ends(&without, &with);
    let decay = -scale.recip();
    // The mass from an end on is the one at it over 1 − x.
    let beyond = -ln(1.0 + exp(decay));
    let at = beyond + ln(-exp_m1(decay));
    let atoms = whole(low, high).map(|k| {
        let log = if k == low || k == high { beyond } else { at };
        atom(&without, &with, k, |x| log + x.abs() * decay)
    });
    let atoms: Vec<Atom> = atoms.collect();
    let end = |atom: Option<&Atom>| atom.map_or(0.0, |atom| atom.loss);
    let support = (end(atoms.first()), end(atoms.last()));
    Law::new(atoms, 0.0, 0.0, support)
}

/// The standard deviation of one discrete Gaussian, which is below σ where σ is small.
pub(super) fn deviation(sigma: f64) -> f64 {
    if sigma > 3.0 {
        return sigma;
    }
    let weight = |k: f64| exp(-k * k / (2.0 * sigma * sigma));
    let places = || whole(-100.0, 100.0);
    let square: f64 = places().map(|k| k * k * weight(k)).sum();
    (square / places().map(weight).sum::<f64>()).sqrt()
}

/// The sum of several discrete Gaussians: by doubling, from masses none of which is negative.
pub(super) fn gaussian_sum(
    sigma: f64,
    parties: u64,
    unit: f64,
    pair: &ShiftedNoise,
) -> Result<Law, Unsupported> {
    let (without, with) = (terms(pair.without(), -unit), terms(pair.with(), unit));
    let (low, high) = ends(&without, &with);
    let reach = |count: u64| integer_reach(sigma * (count as f64).sqrt(), high - low);
    let one = reach(1)?;
    let mut power: Vec<f64> = whole(-one, one)
        .map(|k| exp(-k * k / (2.0 * sigma * sigma)))
        .collect();
    let total: f64 = power.iter().sum();
    for mass in &mut power {
        *mass /= total;
    }
    let (mut sum, mut so_many) = (vec![1.0], 0u64);
    let (mut rest, mut count) = (parties, 1u64);
    while rest > 0 {
        if rest & 1 == 1 {
            so_many += count;
            sum = convolved(&sum, &power, reach(so_many)?);
        }
        rest >>= 1;
        count = count.saturating_mul(2);
        if rest > 0 {
            power = convolved(&power, &power, reach(count)?);
        }
    }
    let centre = (sum.len() / 2) as f64;
    let mass = |k: f64| {
        let found = sum.get((centre + k) as usize).filter(|_| centre + k >= 0.0);
        found.map_or(f64::NEG_INFINITY, |mass| ln(*mass))
    };
    let reach = centre - (high - low);
    if reach < 1.0 {
        return Err(Unsupported::TooLarge(
            "sensitivity of a sum of discrete Gaussians",
        ));
    }
    let atoms = whole(low - reach, high + reach)
        .map(|k| atom(&without, &with, k, mass))
        .filter(|atom| atom.loss.is_finite() && atom.log_mass.is_finite());
    Ok(Law::new(atoms.collect(), 0.0, 0.0, limits(&without, &with)))
}

/// Both lists have a middle, at 0.
fn convolved(a: &[f64], b: &[f64], reach: f64) -> Vec<f64> {
    let mut all = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (place, y) in all.iter_mut().skip(i).zip(b) {
            *place += x * y;
        }
    }
    let cut = (all.len() / 2).saturating_sub(reach as usize);
    all.truncate(all.len() - cut);
    all.split_off(cut)
}

/// Of the difference of two Poisson variables: N(k − 1)/N(k) = k/mean + N(k + 1)/N(k) from far above.
pub(super) fn skellam(mean: f64, unit: f64, pair: &ShiftedNoise) -> Result<Law, Unsupported> {
    /// Far out masses fall by about as much as k/mean a place.
    const FARTHEST: f64 = 60.0;
    let (without, with) = (terms(pair.without(), -unit), terms(pair.with(), unit));
    let (low, high) = ends(&without, &with);
    let sigma = (2.0 * mean).sqrt();
    let reach = integer_reach(sigma, high - low)? + FARTHEST;
    let places = (reach + high - low + 2.0 * FARTHEST) as usize;
    let mut rise = places as f64 / mean + 1.0;
    let mut logs = vec![0.0; places];
    for (k, log) in logs.iter_mut().enumerate().skip(1).rev() {
        rise = k as f64 / mean + rise.recip();
        *log = ln(rise);
    }
    let mut sum = 0.0;
    for log in &mut logs {
        sum -= *log;
        *log = sum;
    }
    let total = logs.iter().skip(1).map(|log| 2.0 * exp(*log)).sum::<f64>() + 1.0;
    let mass = |k: f64| {
        logs.get(k.abs() as usize)
            .map_or(f64::NEG_INFINITY, |log| log - ln(total))
    };
    let atoms = whole(low - reach, high + reach).map(|k| atom(&without, &with, k, mass));
    Ok(Law::new(atoms.collect(), 0.0, 0.0, limits(&without, &with)))
}

fn atom(without: &Terms, with: &Terms, k: f64, mass: impl Fn(f64) -> f64) -> Atom {
    let log_mass = |of: &Terms| log_sum(of.iter().map(|(shift, log)| log + mass(k - shift)));
    let with = log_mass(with);
    Atom {
        loss: with - log_mass(without),
        log_mass: with,
    }
}

fn ends(without: &Terms, with: &Terms) -> (f64, f64) {
    let all = || with.iter().chain(without).map(|(shift, _)| *shift);
    (all().fold(0.0, f64::min), all().fold(0.0, f64::max))
}

fn whole(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (low as i64..=high as i64).map(|k| k as f64)
}
