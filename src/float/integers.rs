//! Mixtures of shifted noise on the integers, as their losses one by one.

use super::Unsupported;
use super::elementary::{exp, exp_m1, ln};
use super::law::{Atom, Law};
use super::mixtures::{limits, log_sum, terms};
use super::resolve::{FARTHEST, integer_reach};
use crate::mechanism::shifted::ShiftedNoise;

type Terms = [(f64, f64)];

/// Places beyond so many σ of a sum of rare ones: far out masses fall by about as much as k over the mean square a place.
const FAR_OUT: f64 = 60.0;

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
    let one = integer_reach(sigma, high - low)?;
    let deviation = deviation(sigma);
    // Where σ is small most are 0, and their sum is far narrower than Gaussian noise of that σ.
    let reach = |count: u64| {
        let root = (count as f64).sqrt();
        let likely = FARTHEST * deviation * root + FAR_OUT + high - low;
        Ok(integer_reach(sigma * root, high - low)?.min(likely.ceil()))
    };
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
            sum = convolved(&sum, &power, reach(so_many)?)?;
        }
        rest >>= 1;
        count = count.saturating_mul(2);
        if rest > 0 {
            power = convolved(&power, &power, reach(count)?)?;
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
///
/// # Errors
/// For more products of masses that are not 0 than take an instant.
fn convolved(a: &[f64], b: &[f64], reach: f64) -> Result<Vec<f64>, Unsupported> {
    /// A tenth of a second.
    const MOST_PRODUCTS: usize = 1 << 27;
    let (from, some) = (
        b.iter().position(|y| *y > 0.0).unwrap_or(b.len()),
        a.iter().filter(|x| **x > 0.0).count(),
    );
    let b_some = b.get(from..b.len() - from.min(b.len() / 2)).unwrap_or(&[]);
    if some.saturating_mul(b_some.len()) > MOST_PRODUCTS {
        return Err(Unsupported::TooLarge(
            "number of parties of a sum of discrete Gaussians",
        ));
    }
    let mut all = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate().filter(|(_, x)| **x > 0.0) {
        for (place, y) in all.iter_mut().skip(i + from).zip(b_some) {
            *place += x * y;
        }
    }
    let cut = (all.len() / 2).saturating_sub(reach as usize);
    all.truncate(all.len() - cut);
    Ok(all.split_off(cut))
}

/// Of the difference of two Poisson variables: N(k − 1)/N(k) = k/mean + N(k + 1)/N(k) from far above.
pub(super) fn skellam(mean: f64, unit: f64, pair: &ShiftedNoise) -> Result<Law, Unsupported> {
    let (without, with) = (terms(pair.without(), -unit), terms(pair.with(), unit));
    let (low, high) = ends(&without, &with);
    let sigma = (2.0 * mean).sqrt();
    let reach = integer_reach(sigma, high - low)? + FAR_OUT;
    let places = (reach + high - low + 2.0 * FAR_OUT) as usize;
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

#[cfg(test)]
mod tests {
    use super::super::pair::Pair;
    use super::super::resolve::one;
    use super::*;
    use crate::kernel::Budget;
    use crate::mechanism::Step;
    use rug::Rational;

    fn law(sigma: (u32, u32), parties: u64) -> Result<Pair, Unsupported> {
        let step = Step::gaussian_sum(&Rational::from(sigma), parties, 1);
        one(&step, &Budget::unlimited())
    }

    /// A hundred thousand million parties whose noise is rare are a law of few losses, and what is not is refused before it is added up.
    #[test]
    fn sums_of_rare_noise_are_short() {
        // Each is moved with a chance of 2·e^{−22.2}: the sum has a mean square of 44.67.
        let Ok(Pair::Law(rare)) = law((3, 20), 100_000_000_000) else {
            panic!("a law")
        };
        assert!(rare.atoms().len() < 1_000);
        let mean = rare
            .atoms()
            .iter()
            .map(|atom| atom.loss * exp(atom.log_mass));
        // Half of the inverse of the mean square, as of Gaussian noise of it.
        let mean: f64 = mean.sum();
        assert!((mean * 2.0 * 44.673 - 1.0).abs() < 1e-3, "{mean}");
        let many = vec![1e-9; 40_001];
        let refused = convolved(&many, &many, 9.0);
        assert!(matches!(refused, Err(Unsupported::TooLarge(_))));
        let mut few = vec![0.0; 40_001];
        few[20_000] = 1.0;
        assert_eq!(convolved(&few, &many, 20_000.0).unwrap(), many);
        assert_eq!(convolved(&many, &few, 20_000.0).unwrap(), many);
        let short = [0.25, 0.5, 0.25];
        let found = convolved(&short, &short, 2.0).unwrap();
        assert_eq!(found, [0.0625, 0.25, 0.375, 0.25, 0.0625]);
        assert_eq!(convolved(&[0.0; 3], &short, 1.0).unwrap(), [0.0; 3]);
    }
}
