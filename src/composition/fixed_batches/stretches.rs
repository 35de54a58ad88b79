//! Products of the weights with rows of gains, stretch by stretch of the lattice.
//!
//! Far from r = 1 a step gains next to nothing, so that one row, the largest of all at each ratio, may stand there for all of them. Near it, what is gained at a stretch
//! of the lattice needs only the weights around it: its products are short, and few rows decide there, other ones than elsewhere.

use super::kernels::UNIT_BITS;
use super::tree::{Node, largest, rising};
use crate::kernel::InvariantViolation;
use crate::law::Mass;
use crate::law::transform::{Factor, Products};

/// Weights are counted in units of 2^-62, and rows in such that two primes are enough for their products.
const COARSER: u32 = UNIT_BITS - 62;

/// Gains count as far where all of them together are this part of all, or less. Any number is sound.
const FAR_PART: u32 = 14;

pub(super) struct Stretches {
    /// n.
    reach: usize,
    /// Rows are taken as they are at the ratios ρ^k for |k| up to this, and beyond at most the one there.
    exact: usize,
    /// Each node has its own gains at |k| up to this.
    near: usize,
    /// Places of a stretch.
    places: usize,
    products: Products<2>,
    /// Each node's gains near r = 1.
    nodes: Vec<Factor<1>>,
    far: Option<Far>,
    /// At most this much at each ratio beyond.
    beyond: u128,
    rows_coarser: u32,
}

/// What all rows are below for |k| beyond `near`.
struct Far {
    products: Products<2>,
    row: Factor<1>,
}

/// The weights around a stretch.
pub(super) struct Stretch<'a> {
    of: &'a Stretches,
    weights: Factor<1>,
    places: usize,
}

impl Stretches {
    /// For gains at the ratios ρ^k, −n ≤ k ≤ 2n; `None` if there are none.
    ///
    /// # Errors
    /// If a sum does not fit its transforms.
    pub fn new(nodes: &[Node], reach: usize) -> Result<Option<Self>, InvariantViolation> {
        // What all rows are below, at each ratio, and at each and all beyond it.
        let mut around = largest(nodes.iter().map(|node| &node.gains));
        if around.len() != 3 * reach + 1 {
            return Ok(None);
        }
        let (left, right) = around.split_at_mut(reach);
        rising(left.iter_mut());
        rising(right.iter_mut().rev());
        // Of the two at k and −k, and of both together.
        let pair = |k: usize| {
            let left = reach.checked_sub(k).and_then(|place| left.get(place));
            let right = right.get(k);
            [left, right].map(|gain| gain.copied().unwrap_or(0))
        };
        let beyond = |k: usize| pair(k + 1).into_iter().max().unwrap_or(0);
        let mut exact = reach;
        while exact > 8 && beyond(exact * 15 / 16) <= 1 << COARSER {
            exact = exact * 15 / 16;
        }
        let near = near(exact, |k| pair(k).iter().sum());
        let beyond = beyond(exact);
        let whole = |length| Products::<2>::new(length);
        let (products, places) = if near == exact {
            (whole(reach + 3 * exact + 1), reach + 1)
        } else {
            let products = whole(8 * near + 1);
            let longest = products.as_ref().map_or(0, Products::longest);
            (products, longest.saturating_sub(4 * near))
        };
        let Some(products) = products.filter(|_| places > 0) else {
            return Ok(None);
        };
        let far = (near < exact).then(|| {
            let mut far = part(&around, reach, exact).to_vec();
            for gain in far.iter_mut().skip(exact - near).take(2 * near + 1) {
                *gain = 0;
            }
            far
        });
        let sums = nodes.iter().map(|node| part(&node.gains, reach, near));
        let sums = sums.chain(far.as_deref());
        let sums = sums.map(|row| row.iter().sum::<u128>());
        let bits = u128::BITS - sums.max().unwrap_or(0).leading_zeros();
        // The sum is below 2^61 then, with what rounding adds.
        let rows_coarser = bits.saturating_sub(60).max(COARSER);
        let far = match (far, whole(reach + 3 * exact + 1)) {
            (None, _) => None,
            (Some(_), None) => return Ok(None),
            (Some(row), Some(products)) => Some(Far {
                row: factor(&products, &row, rows_coarser)?,
                products,
            }),
        };
        let nodes = nodes.iter().map(|node| {
            let near = part(&node.gains, reach, near);
            factor(&products, near, rows_coarser)
        });
        Ok(Some(Self {
            nodes: nodes.collect::<Result<_, _>>()?,
            reach,
            exact,
            near,
            places,
            products,
            far,
            beyond,
            rows_coarser,
        }))
    }

    /// How many stretches there are.
    pub fn count(&self) -> usize {
        (self.reach + 1).div_ceil(self.places.max(1))
    }

    /// Weights at x_j count for ratios up to here, −j at most this.
    pub fn exact(&self) -> usize {
        self.exact
    }

    /// Weights in the units of the products, rounded up.
    ///
    /// # Errors
    /// If one is too large.
    pub fn weight(weight: u128) -> Result<Mass<1>, InvariantViolation> {
        mass(weight, COARSER)
    }

    /// What all rows gain at most beyond their own ratios, at each place from u = 1 on. `weights` are those from −`exact` to n, and their sum is at most `sum`, in units.
    ///
    /// # Errors
    /// If a check of the product fails.
    pub fn common(&self, weights: &[Mass<1>], sum: u128) -> Result<Vec<u128>, InvariantViolation> {
        let beyond = self.beyond * ((sum >> UNIT_BITS) + 1);
        let Some(far) = &self.far else {
            return Ok(vec![beyond; self.reach + 1]);
        };
        let weights = far.products.factor(weights.to_vec())?;
        let product = far.products.product(&weights, &far.row)?;
        let gains = self.in_units(&product, 2 * self.exact, self.reach + 1)?;
        Ok(gains.map(|gain| gain + beyond).collect())
    }

    /// The stretch with this number.
    ///
    /// # Errors
    /// If there is none.
    pub fn stretch(
        &self,
        number: usize,
        weights: &[Mass<1>],
    ) -> Result<Stretch<'_>, InvariantViolation> {
        // The weight of x_j stands at j + `exact`.
        let from = number * self.places;
        let start = (from + self.exact).saturating_sub(self.near);
        let end = (from + self.exact + self.near + self.places).min(weights.len());
        let part = weights.get(start..end).ok_or_else(no_row)?;
        Ok(Stretch {
            of: self,
            weights: self.products.factor(part.to_vec())?,
            places: self.places.min((self.reach + 1).saturating_sub(from)),
        })
    }

    /// So many elements of a product, rounded up.
    fn in_units<'a>(
        &self,
        product: &'a [crate::law::Product<1>],
        from: usize,
        count: usize,
    ) -> Result<impl Iterator<Item = u128> + use<'a>, InvariantViolation> {
        // 84 bits of the row less `rows_coarser`, and 62 of the weights.
        let finer = 62 - self.rows_coarser.min(62);
        let part = product.get(from..from + count).ok_or_else(no_row)?;
        Ok(part.iter().map(move |sum| {
            let whole = (number(&sum.high) << 64) | number(&sum.low);
            (whole >> finer) + 1
        }))
    }
}

impl Stretch<'_> {
    /// What a node gains at the places of this stretch with its own gains.
    ///
    /// # Errors
    /// If there is no such node, or a check of the product fails.
    pub fn gains(&self, node: usize) -> Result<Vec<u128>, InvariantViolation> {
        let factor = self.of.nodes.get(node).ok_or_else(no_row)?;
        let product = self.of.products.product(&self.weights, factor)?;
        let gains = self.of.in_units(&product, 2 * self.of.near, self.places)?;
        Ok(gains.collect())
    }
}

/// Up to where rows are told apart; all there is if that is not much less.
fn near(exact: usize, gain: impl Fn(usize) -> u128) -> usize {
    let all: u128 = (0..=exact).map(&gain).sum();
    let mut rest = 0u128;
    let mut near = exact;
    while near > 8 {
        rest = rest.saturating_add(gain(near));
        if rest > all >> FAR_PART {
            break;
        }
        near -= 1;
    }
    if 3 * near > exact { exact } else { near }
}

/// The gains at |k| up to `size` of a row from −n on.
fn part(row: &[u128], reach: usize, size: usize) -> &[u128] {
    let start = reach.saturating_sub(size);
    row.get(start..=reach + size).unwrap_or_default()
}

fn factor(
    products: &Products<2>,
    row: &[u128],
    coarser: u32,
) -> Result<Factor<1>, InvariantViolation> {
    let gains = row.iter().map(|gain| mass(*gain, coarser));
    products.factor(gains.collect::<Result<Vec<_>, _>>()?)
}

fn no_row() -> InvariantViolation {
    InvariantViolation("a table of δ has no such row".into())
}

/// x/2^`coarser`, rounded up.
fn mass(x: u128, coarser: u32) -> Result<Mass<1>, InvariantViolation> {
    let too_large = |_| InvariantViolation("a table of δ is too large".into());
    let units = u64::try_from(x.div_ceil(1 << coarser)).map_err(too_large)?;
    Ok(Mass::from_limbs([units]))
}

fn number(x: &Mass<1>) -> u128 {
    x.limbs().iter().map(|limb| u128::from(*limb)).sum()
}

#[cfg(test)]
#[path = "stretches_tests.rs"]
mod tests;
