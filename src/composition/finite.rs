//! Composition of finite laws: atoms add their losses and multiply their masses, equal losses merge exactly.

use std::sync::{Arc, OnceLock};

use rug::{Integer, Rational};

use super::convolution::{Node, convolution, power};
use super::weights::common_denominator;
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::finite::{FiniteLaw, Keyed, Loss, Mass, MassTable};

/// Size of exact masses, in atoms and in bits of all products together.
const MOST_EXACT_ATOMS: usize = 5_000;
const MOST_EXACT_WORK: u64 = 2_000_000_000;

/// An exact mass at infinity is kept up to this many bits,
const MOST_EXACT_BITS: u64 = 1 << 18;
/// another one up to this many, and all of these together: a fraction is brought to its lowest terms in more than linear time.
const LONGEST_EXACT_MASS: u64 = 1 << 17;
const LONGEST_EXACT_MASSES: u64 = 1 << 26;

/// The composition of laws with multiplicities, as one law. `None` beyond the limits on size and work, or when the
/// order of two losses cannot be decided.
///
/// # Errors
/// If the budget ends.
pub fn compose(
    factors: &[(Arc<FiniteLaw>, u64)],
    budget: &Budget,
) -> Result<Option<FiniteLaw>, Failure> {
    let Some(atoms) = factors
        .iter()
        .map(|(law, _)| law.atoms())
        .collect::<Option<Vec<_>>>()
    else {
        return Ok(None);
    };
    let losses: Vec<Vec<Loss>> = atoms
        .iter()
        .map(|list| list.iter().map(|atom| atom.loss.clone()).collect())
        .collect();
    let slices: Vec<&[Loss]> = losses.iter().map(Vec::as_slice).collect();
    let Some(keyed) = Keyed::over_common_basis(&slices) else {
        return Ok(None);
    };
    let Some(basis) = keyed.first().map(|k| Arc::clone(&k.basis)) else {
        return Ok(None);
    };
    let is_alone = factors.len() == 1;
    let mut nodes = Vec::with_capacity(factors.len());
    for (index, (keyed, (_, times))) in keyed.iter().zip(factors).enumerate() {
        match power(index, &keyed.keys, *times, is_alone, budget)? {
            Some(node) => nodes.push(node),
            None => return Ok(None),
        }
    }
    // Small factors first keeps the convolutions small.
    nodes.sort_by_key(|node| node.keys.len());
    let mut product: Option<Arc<Node>> = None;
    for node in nodes {
        product = match product {
            None => Some(node),
            Some(left) => match convolution(&left, &node, budget)? {
                Some(both) => Some(both),
                None => return Ok(None),
            },
        };
    }
    let Some(node) = product else {
        return Ok(None);
    };
    let items = node.keys.iter().cloned().zip(0..).collect();
    let Some((keyed, order)) = Keyed::sorted(basis, items) else {
        return Ok(None);
    };
    let infinite = at_least_once(factors, FiniteLaw::infinite);
    let null_only = at_least_once(factors, FiniteLaw::null_only);
    let masses = ComposedMasses {
        factors: factors.to_vec(),
        node,
        order,
        exact: OnceLock::new(),
    };
    Ok(Some(FiniteLaw::computed(
        keyed,
        Arc::new(masses),
        infinite,
        null_only,
    )))
}

/// Masses of a composition, computed from those of its factors at the precision asked for.
#[derive(Debug)]
struct ComposedMasses {
    factors: Vec<(Arc<FiniteLaw>, u64)>,
    node: Arc<Node>,
    /// Where the i-th smallest loss stands among the node's atoms.
    order: Vec<usize>,
    exact: OnceLock<Option<Exact>>,
}

type Exact = Arc<(Vec<Rational>, Vec<Rational>)>;

impl MassTable for ComposedMasses {
    fn enclose(&self, bits: u32) -> Vec<(Interval, Option<Interval>)> {
        let factors: Vec<Vec<Interval>> = self
            .factors
            .iter()
            .map(|(law, _)| law.numbers(bits).with.clone())
            .collect();
        let masses = self.node.masses(&factors);
        let at = |index: &usize| masses.get(*index).map(|q| (q.clone(), None));
        self.order.iter().filter_map(at).collect()
    }

    fn exact(&self) -> Option<Exact> {
        self.exact.get_or_init(|| self.compute_exact()).clone()
    }
}

impl ComposedMasses {
    fn compute_exact(&self) -> Option<Exact> {
        if self.order.len() > MOST_EXACT_ATOMS {
            return None;
        }
        let exact = self
            .factors
            .iter()
            .map(|(law, times)| Some((law.exact_masses()?, *times)))
            .collect::<Option<Vec<_>>>()?;
        let without = self.exact_column(exact.iter().map(|(m, times)| (&m.0, *times)))?;
        let with = self.exact_column(exact.iter().map(|(m, times)| (&m.1, *times)))?;
        Some(Arc::new((without, with)))
    }

    /// One column of masses, as integers over the product of the factors' common denominators.
    fn exact_column<'a>(
        &self,
        factors: impl Iterator<Item = (&'a Vec<Rational>, u64)>,
    ) -> Option<Vec<Rational>> {
        let mut numerators = Vec::new();
        let mut denominator = Integer::from(1);
        let mut bits = 0u64;
        for (masses, times) in factors {
            let (column, shared) = common_denominator(masses);
            let length = u64::from(shared.significant_bits());
            bits = bits.checked_add(length.checked_mul(times)?)?;
            let together = bits.checked_mul(u64::try_from(self.order.len()).ok()?)?;
            if bits.checked_mul(self.node.pairs().max(1))? > MOST_EXACT_WORK
                || bits > LONGEST_EXACT_MASS
                || together > LONGEST_EXACT_MASSES
            {
                return None;
            }
            denominator *= rug::ops::Pow::pow(shared, u32::try_from(times).ok()?);
            numerators.push(column);
        }
        let masses = self.node.masses(&numerators);
        self.order
            .iter()
            .map(|index| {
                let numerator = masses.get(*index)?.clone();
                Some(Rational::from((numerator, denominator.clone())))
            })
            .collect()
    }
}

/// 1 − Π(1 − m_i)^{T_i}: the mass with which an infinite loss occurs at least once.
fn at_least_once(factors: &[(Arc<FiniteLaw>, u64)], mass: fn(&FiniteLaw) -> &Mass) -> Mass {
    if factors.iter().all(|(law, _)| mass(law).is_zero()) {
        return Mass::zero();
    }
    exact_at_least_once(factors, mass).map_or_else(
        || {
            let masses: Vec<(Mass, u64)> = factors
                .iter()
                .map(|(law, times)| (mass(law).clone(), *times))
                .collect();
            Mass::real(move |bits| {
                let none = masses.iter().fold(Interval::zero(bits), |sum, (m, times)| {
                    let times = Interval::from_integer(&Integer::from(*times), bits);
                    sum.add(&times.mul(&m.enclose(bits).neg().ln_1p()))
                });
                none.exp_m1().neg()
            })
        },
        Mass::Exact,
    )
}

fn exact_at_least_once(
    factors: &[(Arc<FiniteLaw>, u64)],
    mass: fn(&FiniteLaw) -> &Mass,
) -> Option<Rational> {
    let mut none = Rational::from(1);
    let mut bits = 0u64;
    for (law, times) in factors {
        let rest = Rational::from(1 - mass(law).exact()?);
        let length = u64::from(rest.denom().significant_bits());
        bits = bits.checked_add(length.checked_mul(*times)?)?;
        if rest != 1 && bits > MOST_EXACT_BITS {
            return None;
        }
        if rest != 1 {
            none *= Rational::from(rug::ops::Pow::pow(&rest, u32::try_from(*times).ok()?));
        }
    }
    Some(1 - none)
}

#[cfg(test)]
#[path = "finite_tests.rs"]
mod tests;
