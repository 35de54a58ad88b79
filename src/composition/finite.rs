//! Composition of finite laws: atoms add their losses and multiply their masses, equal losses merge exactly.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rug::{Integer, Rational};

use super::weights::{Weight, common_denominator};
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::finite::{
    FiniteLaw, Key, Keyed, Loss, Mass, MassTable, multiple_of_key, sum_of_keys,
};

/// Atoms of a composition, after merging.
const MOST_ATOMS: usize = 20_000;

/// Repetitions of a single law with two losses, whose masses are binomial.
const MOST_BINOMIAL: u64 = 100_000;

/// Pairs of atoms multiplied in one convolution.
const MOST_PAIRS: usize = 4_000_000;

/// Size of exact masses, in atoms and in bits of all products together.
const MOST_EXACT_ATOMS: usize = 5_000;
const MOST_EXACT_WORK: u64 = 2_000_000_000;

/// An exact mass at infinity is kept up to this many bits.
const MOST_EXACT_BITS: u64 = 1 << 18;

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

/// How the atoms of a composition come about: a plan, to be carried out at any precision.
#[derive(Debug)]
struct Node {
    keys: Vec<Key>,
    how: How,
}

#[derive(Debug)]
enum How {
    /// The atoms of a factor.
    Factor(usize),
    /// A factor with at most two atoms, repeated: binomial masses.
    Binomial(usize, u64),
    /// All sums of two atoms; the target of each pair, row by row.
    Convolution(Arc<Node>, Arc<Node>, Vec<u32>),
}

fn power(
    index: usize,
    keys: &[Key],
    times: u64,
    is_alone: bool,
    budget: &Budget,
) -> Result<Option<Arc<Node>>, Failure> {
    budget.check()?;
    if times == 1 {
        return Ok(Some(Arc::new(Node {
            keys: keys.to_vec(),
            how: How::Factor(index),
        })));
    }
    if keys.len() <= 2 {
        return Ok(binomial(index, keys, times, is_alone).map(Arc::new));
    }
    let Some(half) = power(index, keys, times / 2, is_alone, budget)? else {
        return Ok(None);
    };
    let square = convolution(&half, &half, budget)?;
    match square {
        Some(square) if times % 2 == 1 => {
            let Some(single) = power(index, keys, 1, is_alone, budget)? else {
                return Ok(None);
            };
            convolution(&square, &single, budget)
        }
        other => Ok(other),
    }
}

fn binomial(index: usize, keys: &[Key], times: u64, is_alone: bool) -> Option<Node> {
    let how = How::Binomial(index, times);
    let (low, high) = match keys {
        [] => {
            return Some(Node {
                keys: Vec::new(),
                how,
            });
        }
        [only] => {
            let keys = vec![multiple_of_key(only, times)?];
            return Some(Node { keys, how });
        }
        [low, high, ..] => (low, high),
    };
    let limit = if is_alone {
        MOST_BINOMIAL
    } else {
        u64::try_from(MOST_ATOMS).ok()?.checked_sub(1)?
    };
    if times > limit {
        return None;
    }
    let keys = (0..=times)
        .map(|j| {
            let rest = multiple_of_key(low, times.checked_sub(j)?)?;
            sum_of_keys(&rest, &multiple_of_key(high, j)?)
        })
        .collect::<Option<_>>()?;
    Some(Node { keys, how })
}

fn convolution(
    left: &Arc<Node>,
    right: &Arc<Node>,
    budget: &Budget,
) -> Result<Option<Arc<Node>>, Failure> {
    let pairs = left.keys.len().checked_mul(right.keys.len());
    if pairs.is_none_or(|pairs| pairs > MOST_PAIRS) {
        return Ok(None);
    }
    let mut places: HashMap<Key, u32> = HashMap::new();
    let mut keys = Vec::new();
    let mut targets = Vec::new();
    for a in &left.keys {
        budget.check()?;
        for b in &right.keys {
            let Some(key) = sum_of_keys(a, b) else {
                return Ok(None);
            };
            let Ok(fresh) = u32::try_from(keys.len()) else {
                return Ok(None);
            };
            let place = *places.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                fresh
            });
            targets.push(place);
            if keys.len() > MOST_ATOMS {
                return Ok(None);
            }
        }
    }
    let how = How::Convolution(Arc::clone(left), Arc::clone(right), targets);
    Ok(Some(Arc::new(Node { keys, how })))
}

impl Node {
    /// The masses of the atoms, for given masses of the factors' atoms.
    fn masses<W: Weight>(&self, factors: &[Vec<W>]) -> Vec<W> {
        match &self.how {
            How::Factor(index) => factors.get(*index).cloned().unwrap_or_default(),
            How::Binomial(index, times) => {
                W::binomial(factors.get(*index).map_or(&[], Vec::as_slice), *times)
            }
            How::Convolution(left, right, targets) => {
                let a = left.masses(factors);
                if Arc::ptr_eq(left, right) {
                    W::squares(&a, targets, self.keys.len())
                } else {
                    W::products(&a, &right.masses(factors), targets, self.keys.len())
                }
            }
        }
    }

    /// Pairs multiplied in all convolutions.
    fn pairs(&self) -> u64 {
        match &self.how {
            How::Factor(_) => 0,
            How::Binomial(_, times) => *times,
            How::Convolution(left, right, targets) => {
                let own = u64::try_from(targets.len()).unwrap_or(u64::MAX);
                let right = if Arc::ptr_eq(left, right) {
                    0
                } else {
                    right.pairs()
                };
                own.saturating_add(left.pairs()).saturating_add(right)
            }
        }
    }
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
            if bits.checked_mul(self.node.pairs().max(1))? > MOST_EXACT_WORK {
                return None;
            }
            denominator *= Integer::from(rug::ops::Pow::pow(shared, u32::try_from(times).ok()?));
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
