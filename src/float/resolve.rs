//! From the description of a mechanism to its pair.

use rug::Rational;

use super::Unsupported;
use super::compose::compose;
use super::law::{Atom, Law};
use super::pair::Pair;
use super::real::nearest;
use crate::kernel::Interval;
use crate::mechanism::{Mechanism, finite_law, innermost};

/// Different steps of one composition beyond which the estimate would not be instant.
const MOST_DIFFERENT: usize = 2_000;
/// μ² beyond this is all the same: everything is told.
const LARGEST_SQUARE: f64 = 1e200;
/// Discrete Gaussians wider than this are taken for continuous ones.
const CONTINUOUS_FROM: f64 = 3_000.0;
/// Discrete Gaussian mass farther out than this many σ is left out: e^{−128}.
const FARTHEST: f64 = 16.0;
/// Losses of a discrete Gaussian are listed up to this many.
const MOST_LOSSES: f64 = 4e6;

/// The pair (P, Q) of a mechanism.
///
/// # Errors
/// For guarantees that no single pair represents, and beyond the sizes of this engine.
pub(super) fn pair_of(mechanism: &Mechanism) -> Result<Pair, Unsupported> {
    let mut parts = Parts::default();
    parts.add(mechanism, 1.0)?;
    let mut pairs = Vec::with_capacity(parts.others.len());
    for (rate, inner, times) in &parts.others {
        pairs.push((one(rate, inner)?, *times));
    }
    let square = parts.gaussian.min(LARGEST_SQUARE);
    if square > 0.0 {
        pairs.push((Pair::Gaussian(square.sqrt()), 1.0));
    }
    compose(pairs)
}

/// What a tree of compositions multiplies.
#[derive(Default)]
struct Parts<'a> {
    /// Σ μ² of the Gaussians.
    gaussian: f64,
    /// Sampling rate, mechanism, number of copies.
    others: Vec<(Rational, &'a Mechanism, f64)>,
}

impl<'a> Parts<'a> {
    fn add(&mut self, mechanism: &'a Mechanism, times: f64) -> Result<(), Unsupported> {
        match mechanism {
            Mechanism::Compose { of } => of
                .iter()
                .try_for_each(|(part, count)| self.add(part, times * *count as f64)),
            Mechanism::Gaussian { sigma, sensitivity } => {
                self.gaussian += times * nearest(&Rational::from(sensitivity / sigma).square());
                Ok(())
            }
            Mechanism::Gdp { mu } => {
                self.gaussian += times * nearest(&Rational::from(mu.square_ref()));
                Ok(())
            }
            Mechanism::Subsampled { rate, of } => {
                let (rate, inner) = innermost(rate, of);
                if rate == 1 {
                    self.add(inner, times)
                } else {
                    self.count(rate, inner, times)
                }
            }
            other => self.count(Rational::from(1), other, times),
        }
    }

    fn count(&mut self, rate: Rational, of: &'a Mechanism, times: f64) -> Result<(), Unsupported> {
        let room = self.others.len() < MOST_DIFFERENT;
        let mut known = self.others.iter_mut();
        match known.find(|(r, m, _)| *r == rate && *m == of) {
            Some((_, _, count)) => *count += times,
            None if !room => {
                return Err(Unsupported::TooLarge("more than 2000 different steps"));
            }
            None => self.others.push((rate, of, times)),
        }
        Ok(())
    }
}

/// One copy of what is not a composition, unless it is sampled.
fn one(rate: &Rational, mechanism: &Mechanism) -> Result<Pair, Unsupported> {
    if *rate == 1 {
        return plain(mechanism);
    }
    let of = match mechanism {
        Mechanism::Compose { .. } | Mechanism::Gaussian { .. } | Mechanism::Gdp { .. } => {
            pair_of(mechanism)?
        }
        other => plain(other)?,
    };
    let rate = nearest(rate);
    Ok(if rate >= 1.0 {
        of
    } else if rate <= 0.0 {
        Pair::Law(Law::certain(0.0, 0.0).into())
    } else {
        Pair::Subsampled {
            rate,
            of: Box::new(of),
        }
    })
}

fn plain(mechanism: &Mechanism) -> Result<Pair, Unsupported> {
    match mechanism {
        Mechanism::Laplace { scale, sensitivity } => {
            let largest = nearest(&Rational::from(sensitivity / scale)).min(1e100);
            Ok(if largest > 0.0 {
                Pair::Laplace(largest)
            } else {
                Pair::Law(Law::certain(0.0, 0.0).into())
            })
        }
        Mechanism::DiscreteGaussian { sigma, sensitivity } => {
            discrete_gaussian(nearest(sigma), *sensitivity as f64)
        }
        Mechanism::Zcdp { .. } => Err(Unsupported::Mechanism("zcdp")),
        Mechanism::Rdp { .. } => Err(Unsupported::Mechanism("rdp")),
        other => finite(other),
    }
}

/// Laws with finitely many losses are listed by their exact descriptions.
fn finite(mechanism: &Mechanism) -> Result<Pair, Unsupported> {
    const BITS: u32 = 80;
    let law =
        finite_law(mechanism).ok_or(Unsupported::TooLarge("too many losses to list one by one"))?;
    let numbers = law.numbers(BITS);
    let middle = |x: &Interval| x.middle().to_f64();
    let atoms: Vec<Atom> = numbers
        .positions
        .iter()
        .zip(&numbers.with)
        .map(|(loss, mass)| Atom {
            loss: middle(loss),
            log_mass: mass.middle().ln().to_f64(),
        })
        .filter(|atom| atom.loss.is_finite() && atom.log_mass > f64::NEG_INFINITY)
        .collect();
    let end = |atom: Option<&Atom>| atom.map_or(0.0, |atom| atom.loss);
    let support = (end(atoms.first()), end(atoms.last()));
    let (infinite, null_only) = (middle(&numbers.infinite), middle(&numbers.null_only));
    Ok(Pair::Law(
        Law::new(atoms, infinite, null_only, support).into(),
    ))
}

/// Losses d(k − d/2)/σ² with masses ∝ e^{−(k − d)²/(2σ²)} under Q.
fn discrete_gaussian(sigma: f64, shift: f64) -> Result<Pair, Unsupported> {
    if sigma > CONTINUOUS_FROM {
        let mu = shift / sigma;
        return Ok(if mu > 0.0 {
            Pair::Gaussian(mu)
        } else {
            Pair::Law(Law::certain(0.0, 0.0).into())
        });
    }
    let reach = (FARTHEST * sigma).ceil();
    if 2.0 * reach + shift > MOST_LOSSES || sigma * sigma == 0.0 {
        return Err(Unsupported::TooLarge("sensitivity of a discrete Gaussian"));
    }
    let exponent = |x: f64| -x * x / (2.0 * sigma * sigma);
    let terms = (reach as i64).max(2);
    let total: f64 = (-terms..=terms).map(|k| exponent(k as f64).exp()).sum();
    let first = -terms;
    let last = shift as i64 + terms;
    let atoms: Vec<Atom> = (first..=last)
        .map(|k| Atom {
            loss: shift * (k as f64 - shift / 2.0) / (sigma * sigma),
            log_mass: exponent(k as f64 - shift) - total.ln(),
        })
        .collect();
    let support = (f64::NEG_INFINITY, f64::INFINITY);
    Ok(Pair::Law(Law::new(atoms, 0.0, 0.0, support).into()))
}
