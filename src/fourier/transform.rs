//! The characteristic function of a sum at a root of unity, in fixed point.

use std::collections::BTreeMap;

use rug::Float;

use super::fixed::{
    self, Block, Complex, ERROR_BITS, Fixed, LONGEST_BLOCK, Table, error_of_power_up,
    error_of_product_up, middle, product_error_up, root_error_up,
};
use super::real::{Real, word_error_up, word_weight_error_up};
use super::tilted::{Tilted, weight_error_up};
use crate::kernel::directed as d;

/// Errors of the values at the nodes.
pub(super) struct Errors {
    /// Of χ(w)·w^{−m}.
    pub(super) with_rotation: Float,
}

impl Errors {
    /// Horner's rule multiplies by powers of a root and adds a block of weights with equal gaps g at a time, Σ p_j·w^{gj} with powers from a table, j counted from the middle of the
    /// block: from one middle to the next, and at last from the first one to the first label.
    ///
    /// With η, ε and ω the errors of a power, a product and a weight, a step makes of an error e of a sum of modulus at most P (the weights so far) at most
    /// e(1 + η) + Pη + ε, and its block of b weights with the sum P' adds P'η' + b(ε + ω)(1 + η'). All steps together make at most
    /// (1 + η)^n·(Σ(Pη + P'η') + 2n(ε + ω)(1 + η)) for the largest η and n weights, which is at most 4(Σ(Pη + P'η') + n(ε + ω)) while nη ≤ 1/4. Any product of k roots, however
    /// put together, is off by at most (1 + x)^k − 1 − ε, x = η₁ + 2ε with η₁ the error of a root, as that stands multiplying two; so by at most 2kx while kx ≤ 1.
    /// With that Σ(Pη + P'η') is 2x times [`load_up`]. The errors of parts add up as those of products do.
    ///
    /// In words powers are made in many digits and rounded, by r: η is 2kx and r, and the j-th power of it within a block is off by at most 2j times that and 2ε. A block is rounded
    /// once, by ε, and a weight by ω. So (1 + η)^n·(1 + η') ≤ 3/2 times Σ(Pη + P'η') + 2εB + nω of B blocks is enough, where the power to the first label counts as one of them: of that
    /// sum 4x times [`Load::load`] and rB + 32(r + 2ε), as weights sum up to at most 1 and j to at most 16.
    pub(super) fn new(
        parts: &[(Tilted, u64)],
        Stretches(stretches): &Stretches,
        nodes: u64,
    ) -> Option<Self> {
        let mut all = Float::new(ERROR_BITS);
        for ((law, times), stretches) in parts.iter().zip(stretches) {
            let one = error_of_one_up(law, stretches, error_of_law_up)?;
            all = error_of_product_up(&all, &error_of_power_up(&one, *times));
        }
        let rotation = error_of_powers_up(nodes)?;
        let with_rotation = error_of_product_up(&all, &rotation);
        (with_rotation < 1).then_some(Self { with_rotation })
    }
}

/// At least the error of χ(w) of one law.
fn error_of_one_up(
    law: &Tilted,
    stretches: &[Stretch],
    of_load: fn(&Load) -> Option<Float>,
) -> Option<Float> {
    let gap = u64::try_from(largest_gap(law)).ok()?;
    let reach = gap.checked_mul(u64::from(LONGEST_BLOCK) + 1)?;
    let power = error_of_powers_up(reach)?;
    let load = Load::new(law, stretches);
    if d::mul_up(&load.count, &power, ERROR_BITS) > Float::with_val(ERROR_BITS, 0.25) {
        return None;
    }
    of_load(&load)
}

/// At least the error of χ(w) of one law, found in words.
pub(super) fn error_in_words_up(law: &Tilted, Stretches(stretches): &Stretches) -> Option<Float> {
    let [stretches] = stretches.as_slice() else {
        return None;
    };
    error_of_one_up(law, stretches, error_of_law_in_words_up)
}

/// What errors of a law depend on.
struct Load {
    /// At least Σ P·k over all steps and blocks.
    load: Float,
    /// Weights.
    count: Float,
    /// Blocks, and one more.
    blocks: Float,
}

impl Load {
    fn new(law: &Tilted, stretches: &[Stretch]) -> Self {
        Self {
            load: load_up(law, stretches),
            count: Float::with_val(ERROR_BITS, law.weights.len()),
            blocks: Float::with_val(ERROR_BITS, stretches.len().saturating_add(1)),
        }
    }
}

/// At least 4(load·2x + n(ε + ω)), as [`Errors::new`] says.
fn error_of_law_up(Load { load, count, .. }: &Load) -> Option<Float> {
    let powers = d::mul_up(load, &error_of_powers_up(1)?, ERROR_BITS);
    let each = d::add_up(&product_error_up(), &weight_error_up(), ERROR_BITS);
    let each = d::mul_up(count, &each, ERROR_BITS);
    Some(d::add_up(&powers, &each, ERROR_BITS) << 2u32)
}

/// At least 3/2·(load·4x + rB + 32(r + 2ε) + 2εB + nω), as [`Errors::new`] says of words.
fn error_of_law_in_words_up(law: &Load) -> Option<Float> {
    let add = |a: &Float, b: &Float| d::add_up(a, b, ERROR_BITS);
    let mul = |a: &Float, b: &Float| d::mul_up(a, b, ERROR_BITS);
    // What a power in words and a product of them are off by.
    let (root, product) = (word_error_up(), word_error_up());
    let powers = mul(&law.load, &error_of_powers_up(1)?) << 1u32;
    // r + 2ε: of each block, and 32 times more.
    let rounding = add(&root, &(product << 1u32));
    let times = add(&law.blocks, &Float::with_val(ERROR_BITS, LONGEST_BLOCK));
    let weights = mul(&law.count, &word_weight_error_up());
    let all = add(&add(&powers, &mul(&times, &rounding)), &weights);
    Some(add(&all, &(all.clone() >> 1u32)))
}

fn largest_gap(law: &Tilted) -> i64 {
    let gaps = law.weights.iter().zip(law.weights.iter().skip(1));
    gaps.map(|((low, _), (high, _))| high.saturating_sub(*low))
        .max()
        .unwrap_or(0)
}

/// Binary digits after the point of a load.
const LOAD_DIGITS: u32 = 60;

/// At least Σ P·k over all steps and blocks, with P the weights that w^k multiplies, or a bound of them.
///
/// Ensures: weights are below the true ones, by less than their error. A weight is multiplied by the power from the first label to the middle of its block in all, and by that from
/// there to itself within the block: both over no more than the labels from the first to the last.
fn load_up(law: &Tilted, stretches: &[Stretch]) -> Float {
    // In units of 2^−60, each term rounded up.
    let mut load = Some(0u128);
    let (first, last) = match (law.weights.first(), law.weights.last()) {
        (Some((first, _)), Some((last, _))) => (*first, *last),
        _ => (0, 0),
    };
    let mut add = |sum: i128, far: i64| {
        let units = (sum >> (fixed::FRACTION - LOAD_DIGITS)).saturating_add(1);
        let term = units.unsigned_abs().checked_mul(far.unsigned_abs().into());
        load = load
            .zip(term)
            .and_then(|(load, term)| load.checked_add(term));
    };
    for stretch in stretches {
        let middle = middle(stretch.weights.len());
        let (mut whole, mut away) = (0i128, 0i128);
        for (place, weight) in stretch.weights.iter().enumerate() {
            // At most 16 times 1.
            let distance = i128::try_from(place.abs_diff(middle)).unwrap_or(0);
            whole = whole.wrapping_add(*weight);
            away = away.wrapping_add(weight.wrapping_mul(distance));
        }
        add(whole, stretch.middle().saturating_sub(first));
        add(away, stretch.gap);
    }
    // Beyond 128 bits nothing is known.
    let load = match load {
        Some(load) => d::words_up(load, ERROR_BITS) >> LOAD_DIGITS,
        None => d::infinity(ERROR_BITS),
    };
    let count = Float::with_val(ERROR_BITS, law.weights.len());
    let span = Float::with_val(ERROR_BITS, last.saturating_sub(first)) << 1u32;
    let error = d::mul_up(
        &span,
        &d::mul_up(&count, &weight_error_up(), ERROR_BITS),
        ERROR_BITS,
    );
    d::add_up(&load, &error, ERROR_BITS)
}

/// At least the error of any power of a root up to this one; `None` where that is not small.
pub(super) fn error_of_powers_up(most: u64) -> Option<Float> {
    let twice = product_error_up() << 1u32;
    let each = d::add_up(&root_error_up(), &twice, ERROR_BITS);
    let all = d::mul_up(&Float::with_val(ERROR_BITS, most), &each, ERROR_BITS);
    (all <= 1).then(|| all << 1u32)
}

/// The parts of a sum, ready to be evaluated at many roots.
pub(super) struct Factors<R: Real = Fixed> {
    /// Each with the number of its steps.
    parts: Vec<(Row<R>, u64)>,
    powers: Chain,
    /// Gaps within stretches.
    gaps: Vec<Gap>,
}

/// Room for the powers of one root after another.
pub(super) struct Room<R: Real = Fixed> {
    powers: Vec<Complex>,
    tables: Vec<Table<R>>,
}

impl<R: Real> Default for Room<R> {
    fn default() -> Self {
        Self {
            powers: Vec::new(),
            tables: Vec::new(),
        }
    }
}

/// A gap within stretches.
struct Gap {
    /// Its place in the chain.
    place: usize,
    /// Among the gaps: half of it, if that comes earlier.
    half: Option<usize>,
    /// At least the weights of each of those stretches.
    longest: usize,
}

/// The weights of each part in their order.
pub(super) struct Stretches(Vec<Vec<Stretch>>);

impl Stretches {
    pub(super) fn of(parts: &[(Tilted, u64)]) -> Self {
        Self(parts.iter().map(|(law, _)| stretches(law)).collect())
    }
}

/// Weights with equal gaps.
struct Stretch {
    /// The first.
    label: i64,
    gap: i64,
    weights: Vec<Fixed>,
}

impl Stretch {
    /// The label in the middle of the block.
    fn middle(&self) -> i64 {
        let steps = i64::try_from(middle(self.weights.len())).unwrap_or(0);
        self.label.saturating_add(self.gap.saturating_mul(steps))
    }

    fn is_full(&self) -> bool {
        usize::try_from(LONGEST_BLOCK).is_ok_and(|most| self.weights.len() >= most)
    }
}

/// The blocks of one law.
struct Row<R: Real> {
    /// From the left.
    blocks: Vec<Placed<R>>,
    /// In the chain: the power from the first label to the middle of the first block.
    start: usize,
}

/// A stretch that knows where its powers are.
struct Placed<R: Real> {
    /// Among the tables: that of its gap.
    table: usize,
    /// In the chain: the power from its middle to that of the next one.
    jump: usize,
    weights: Block<R>,
}

/// Powers of a root, each made from one before it.
#[derive(Default)]
struct Chain {
    links: Vec<Link>,
    places: BTreeMap<i64, usize>,
}

/// How a power is made from the one at a place.
#[derive(Debug, Clone, Copy)]
enum Link {
    One,
    Root,
    Square(usize),
    /// Times the root.
    Next(usize),
}

impl Chain {
    /// Where the power is. Most gaps are powers of two times small numbers: each is found from its half once.
    fn place(&mut self, gap: i64) -> usize {
        if let Some(place) = self.places.get(&gap) {
            return *place;
        }
        let link = match gap {
            ..=0 => Link::One,
            1 => Link::Root,
            _ if gap % 2 == 0 => Link::Square(self.place(gap / 2)),
            _ => Link::Next(self.place(gap.wrapping_sub(1))),
        };
        let place = self.links.len();
        self.links.push(link);
        self.places.insert(gap, place);
        place
    }

    /// All powers of this root, in the place of others.
    fn at(&self, root: Complex, powers: &mut Vec<Complex>) {
        powers.clear();
        for link in &self.links {
            // Every place is that of a link before it.
            let before = |place: usize| powers.get(place).copied().unwrap_or(Complex::ZERO);
            let power = match *link {
                Link::One => Complex::ONE,
                Link::Root => root,
                Link::Square(place) => before(place).squared(),
                Link::Next(place) => before(place).times(root),
            };
            powers.push(power);
        }
    }
}

impl<R: Real> Factors<R> {
    pub(super) fn new(parts: &[(Tilted, u64)], Stretches(all): &Stretches) -> Self {
        let mut powers = Chain::default();
        let mut tables: BTreeMap<i64, usize> = BTreeMap::new();
        let mut gaps: Vec<Gap> = Vec::new();
        // The smaller ones first, so that halves are known.
        let mut each: Vec<i64> = all.iter().flatten().map(|stretch| stretch.gap).collect();
        each.sort_unstable();
        each.dedup();
        for gap in each {
            let half = (gap % 2 == 0).then(|| tables.get(&(gap / 2)).copied());
            tables.insert(gap, gaps.len());
            gaps.push(Gap {
                place: powers.place(gap),
                half: half.flatten(),
                longest: 0,
            });
        }
        let mut placed = |law: &Tilted, stretches: &[Stretch]| {
            let mut after: Option<i64> = None;
            let mut blocks = Vec::with_capacity(stretches.len());
            for stretch in stretches.iter().rev() {
                let middle = stretch.middle();
                let next = after.replace(middle).unwrap_or(middle);
                // Every gap has one.
                let table = tables.get(&stretch.gap).copied().unwrap_or(0);
                let weights = Block::of(&stretch.weights);
                if let Some(gap) = gaps.get_mut(table) {
                    gap.longest = gap.longest.max(weights.reach());
                }
                blocks.push(Placed {
                    table,
                    jump: powers.place(next.wrapping_sub(middle)),
                    weights,
                });
            }
            blocks.reverse();
            let first = law.weights.first().map_or(0, |(label, _)| *label);
            let start = after.map_or(0, |middle| middle.wrapping_sub(first));
            Row {
                blocks,
                start: powers.place(start),
            }
        };
        let rows = parts.iter().zip(all);
        let rows = rows.map(|((law, times), stretches)| (placed(law, stretches), *times));
        Self {
            parts: rows.collect(),
            powers,
            gaps,
        }
    }

    /// χ(w) of all parts together, in the room of another root.
    pub(super) fn at(
        &self,
        k: u64,
        root: Complex,
        Room { powers, tables }: &mut Room<R>,
    ) -> Complex<R> {
        if k == 0 {
            return Complex::ONE;
        }
        self.set(root, powers, tables);
        self.parts
            .iter()
            .fold(Complex::ONE, |product, (row, times)| {
                let one = characteristic(row, tables, powers);
                product.times(fixed::power(one, *times))
            })
    }

    /// χ(w) of the first part, of one step.
    pub(super) fn of_first(
        &self,
        root: Complex,
        Room { powers, tables }: &mut Room<R>,
    ) -> Option<Complex<R>> {
        self.set(root, powers, tables);
        let (row, _) = self.parts.first()?;
        Some(characteristic(row, tables, powers))
    }

    /// All powers of a root that are asked for, in the place of others.
    fn set(&self, root: Complex, powers: &mut Vec<Complex>, tables: &mut Vec<Table<R>>) {
        self.powers.at(root, powers);
        // Every place was given out by the chain.
        tables.resize_with(self.gaps.len(), Table::default);
        for (number, gap) in self.gaps.iter().enumerate() {
            // Of a half that comes earlier.
            let (before, from) = tables.split_at_mut_checked(number).unwrap_or_default();
            let of_root = gap
                .half
                .filter(|_| R::TAKES_OVER)
                .and_then(|place| before.get(place));
            if let Some(table) = from.first_mut() {
                table.set(power_at(powers, gap.place), gap.longest, of_root);
            }
        }
    }
}

/// One of the powers of a root, rounded down; every place was given out by the chain.
fn power_at<R: Real>(powers: &[Complex], place: usize) -> Complex<R> {
    let power = powers.get(place).copied();
    power.unwrap_or(Complex::ZERO).rounded()
}

/// The weights in their order, as few blocks as are easily found.
fn stretches(law: &Tilted) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let mut before: Option<i64> = None;
    for (label, weight) in &law.weights {
        let gap = before.map_or(1, |before| label.saturating_sub(before));
        before = Some(*label);
        match found.last_mut() {
            Some(last) if last.weights.len() == 1 => {
                last.gap = gap;
                last.weights.push(*weight);
            }
            Some(last) if last.gap == gap && !last.is_full() => last.weights.push(*weight),
            _ => {
                let most = usize::try_from(LONGEST_BLOCK).unwrap_or(0);
                let mut weights = Vec::with_capacity(most);
                weights.push(*weight);
                found.push(Stretch {
                    label: *label,
                    gap: 1,
                    weights,
                });
            }
        }
    }
    found
}

/// Σ p_i·w^i by Horner's rule, from the middle of a block to that of the one before it.
fn characteristic<R: Real>(row: &Row<R>, tables: &[Table<R>], powers: &[Complex]) -> Complex<R> {
    let mut value = Complex::ZERO;
    for block in row.blocks.iter().rev() {
        // Nothing, where no block is right of it; with its own power, whatever that is.
        value = value.times(power_at(powers, block.jump));
        // Every gap has a table.
        if let Some(table) = tables.get(block.table) {
            value = value.plus(block.weights.sum(table));
        }
    }
    value.times(power_at(powers, row.start))
}

#[cfg(test)]
#[path = "transform_tests.rs"]
mod tests;
