//! The characteristic function of a sum at a root of unity, in fixed point.

use std::collections::BTreeMap;

use rug::{Float, Integer};

use super::fixed::{
    self, Block, Complex, ERROR_BITS, Fixed, LONGEST_BLOCK, Table, error_of_power_up,
    error_of_product_up, product_error_up, root_error_up,
};
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
    pub(super) fn new(parts: &[(Tilted, u64)], nodes: u64) -> Option<Self> {
        let mut all = Float::new(ERROR_BITS);
        for (law, times) in parts {
            let gap = u64::try_from(largest_gap(law)).ok()?;
            let power = error_of_powers_up(gap.checked_mul(u64::from(LONGEST_BLOCK) + 1)?)?;
            let count = Float::with_val(ERROR_BITS, law.weights.len());
            if d::mul_up(&count, &power, ERROR_BITS) > Float::with_val(ERROR_BITS, 0.25) {
                return None;
            }
            let one = error_of_law_up(&load_up(law), &count)?;
            all = error_of_product_up(&all, &error_of_power_up(&one, *times));
        }
        let rotation = error_of_powers_up(nodes)?;
        let with_rotation = error_of_product_up(&all, &rotation);
        (with_rotation < 1).then_some(Self { with_rotation })
    }
}

/// At least 4(load·2x + n(ε + ω)), as [`Errors::new`] says.
fn error_of_law_up(load: &Float, count: &Float) -> Option<Float> {
    let powers = d::mul_up(load, &error_of_powers_up(1)?, ERROR_BITS);
    let each = d::add_up(&product_error_up(), &weight_error_up(), ERROR_BITS);
    let each = d::mul_up(count, &each, ERROR_BITS);
    Some(d::add_up(&powers, &each, ERROR_BITS) << 2u32)
}

fn largest_gap(law: &Tilted) -> i64 {
    let gaps = law.weights.iter().zip(law.weights.iter().skip(1));
    gaps.map(|((low, _), (high, _))| high.saturating_sub(*low))
        .max()
        .unwrap_or(0)
}

/// At least Σ P·k over all steps and blocks, with P the weights that w^k multiplies, or a bound of them.
///
/// Ensures: weights are below the true ones, by less than their error. A weight is multiplied by the power from the first label to the middle of its block in all, and by that from
/// there to itself within the block: both over no more than the labels from the first to the last.
fn load_up(law: &Tilted) -> Float {
    let mut load = Integer::new();
    let (first, last) = match (law.weights.first(), law.weights.last()) {
        (Some((first, _)), Some((last, _))) => (*first, *last),
        _ => (0, 0),
    };
    for stretch in stretches(law) {
        let middle = Block::middle(stretch.weights.len());
        let (mut whole, mut away) = (0i128, 0i128);
        for (place, weight) in stretch.weights.iter().enumerate() {
            // At most 16 times 1.
            let distance = i128::try_from(place.abs_diff(middle)).unwrap_or(0);
            whole = whole.wrapping_add(*weight);
            away = away.wrapping_add(weight.wrapping_mul(distance));
        }
        load += Integer::from(whole) * stretch.middle().saturating_sub(first);
        load += Integer::from(away) * stretch.gap;
    }
    let load = d::integer_up(&load, ERROR_BITS) >> fixed::FRACTION;
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
pub(super) struct Factors {
    /// Each with the number of its steps.
    parts: Vec<(Row, u64)>,
    powers: Chain,
    /// Gaps within stretches.
    gaps: Vec<Gap>,
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
        let steps = i64::try_from(Block::middle(self.weights.len())).unwrap_or(0);
        self.label.saturating_add(self.gap.saturating_mul(steps))
    }

    fn is_full(&self) -> bool {
        usize::try_from(LONGEST_BLOCK).is_ok_and(|most| self.weights.len() >= most)
    }
}

/// The blocks of one law.
struct Row {
    /// From the left.
    blocks: Vec<Placed>,
    /// In the chain: the power from the first label to the middle of the first block.
    start: usize,
}

/// A stretch that knows where its powers are.
struct Placed {
    /// Among the tables: that of its gap.
    table: usize,
    /// In the chain: the power from its middle to that of the next one.
    jump: usize,
    weights: Block,
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

    /// All powers of this root.
    fn at(&self, root: Complex) -> Vec<Complex> {
        let mut powers: Vec<Complex> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            // Every place is that of a link before it.
            let before = |place: usize| powers.get(place).copied().unwrap_or(Complex::ZERO);
            let power = match *link {
                Link::One => Complex::ONE,
                Link::Root => root,
                Link::Square(place) => {
                    let half = before(place);
                    half.times(half)
                }
                Link::Next(place) => before(place).times(root),
            };
            powers.push(power);
        }
        powers
    }
}

impl Factors {
    pub(super) fn new(parts: &[(Tilted, u64)]) -> Self {
        let mut powers = Chain::default();
        let mut tables: BTreeMap<i64, usize> = BTreeMap::new();
        let mut gaps: Vec<Gap> = Vec::new();
        let all: Vec<Vec<Stretch>> = parts.iter().map(|(law, _)| stretches(law)).collect();
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
        let rows = parts.iter().zip(&all);
        let rows = rows.map(|((law, times), stretches)| (placed(law, stretches), *times));
        Self {
            parts: rows.collect(),
            powers,
            gaps,
        }
    }

    /// χ(w) of all parts together.
    pub(super) fn at(&self, k: u64, root: Complex) -> Complex {
        if k == 0 {
            return Complex::ONE;
        }
        let powers = self.powers.at(root);
        // Every place was given out by the chain.
        let power = |place: usize| powers.get(place).copied().unwrap_or(Complex::ZERO);
        let mut tables: Vec<Table> = Vec::with_capacity(self.gaps.len());
        for gap in &self.gaps {
            let of_root = gap.half.and_then(|place| tables.get(place));
            tables.push(Table::new(power(gap.place), gap.longest, of_root));
        }
        self.parts
            .iter()
            .fold(Complex::ONE, |product, (row, times)| {
                let one = characteristic(row, &tables, &power);
                product.times(fixed::power(one, *times))
            })
    }
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
            _ => found.push(Stretch {
                label: *label,
                gap: 1,
                weights: vec![*weight],
            }),
        }
    }
    found
}

/// Σ p_i·w^i by Horner's rule, from the middle of a block to that of the one before it.
fn characteristic(row: &Row, tables: &[Table], power: &impl Fn(usize) -> Complex) -> Complex {
    let mut value = Complex::ZERO;
    for block in row.blocks.iter().rev() {
        // Nothing, where no block is right of it; with its own power, whatever that is.
        value = value.times(power(block.jump));
        // Every gap has a table.
        if let Some(table) = tables.get(block.table) {
            value = value.plus(block.weights.sum(table));
        }
    }
    value.times(power(row.start))
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::Interval;
    use crate::kernel::coarse::{Random, at_most_bits};

    #[test]
    fn errors_of_laws_at_few_bits() {
        let mut random = Random(45);
        let power = |n: u32| Rational::from((1, Integer::from(1) << n));
        let (root, weight, product) = (power(115), power(118), power(110));
        for _ in 0..1000 {
            let digits = random.below(20);
            let (load, count) = (random.below(1 << digits), random.below(1 << (19 - digits)));
            let powers = Rational::from(&product * 2u32) + &root;
            let truth = (powers * load * 2u32 + Rational::from(&product + &weight) * count) * 4u32;
            let [load, count] = [load, count].map(|n| Float::with_val(64, n));
            for bits in [2, 3, 5, 8, 12, 64] {
                let found = at_most_bits(bits, || error_of_law_up(&load, &count)).unwrap();
                assert!(found >= truth, "{load} {count} at {bits} bits: {found}");
            }
        }
    }

    /// Powers put together in any order, and the whole by blocks, against 200 bits.
    #[test]
    fn values_at_roots_are_within_their_error() {
        let mut random = Random(7);
        for _ in 0..10_000 {
            let count = 1 + random.below(70);
            let mut label = 0;
            let usual = random.below(4);
            let labels: Vec<i64> = (0..count)
                .map(|_| {
                    let gap = if random.once_in(9) {
                        random.below(40)
                    } else {
                        usual
                    };
                    label += i64::try_from(1 + gap).unwrap();
                    label
                })
                .collect();
            let mut left = fixed::ONE;
            let weights = labels.iter().map(|label| {
                let share = left / i128::from(1 + random.below(40));
                left -= share;
                (label - labels[0], share)
            });
            let law = Tilted {
                weights: weights.collect(),
                log_total: Interval::zero(64),
            };
            let (period, k) = (1001, 1 + random.below(500));
            let truth = |law: &Tilted| {
                let sums = law.weights.iter().map(|(label, weight)| {
                    let turns = i128::from(*label) * i128::from(k) % 1001;
                    let angle = Float::with_val(200, rug::float::Constant::Pi) * 2u32;
                    let angle = angle * Float::with_val(200, turns) / 1001u32;
                    let weight = fixed::to_float(*weight, 200);
                    let (sin, cos) = angle.sin_cos(Float::new(200));
                    [cos * &weight, sin * weight]
                });
                sums.fold([Float::new(200), Float::new(200)], |[a, b], [c, d]| {
                    [a + c, b + d]
                })
            };
            let [re, im] = truth(&law);
            let parts = [(law, 1)];
            let errors = Errors::new(&parts, 0).unwrap();
            let found = Factors::new(&parts).at(k, fixed::root_of_unity(k, period));
            for (found, truth) in [(found.re, re), (found.im, im)] {
                let gap = (fixed::to_float(found, 200) - truth).abs();
                assert!(gap <= errors.with_rotation, "{gap}");
            }
            assert!(errors.with_rotation < Float::with_val(64, 1) >> 90u32);
        }
        for n in 1..200u64 {
            let most = error_of_powers_up(n).unwrap();
            assert!(error_of_power_up(&root_error_up(), n) <= most);
            let chain = (1..n).fold(root_error_up(), |error, _| {
                error_of_product_up(&error, &root_error_up())
            });
            assert!(chain <= most, "{n}");
        }
    }

    /// No less than what the powers that are really used multiply, in exact fractions, be weights as far above as they may be; in blocks that are not too long.
    #[test]
    fn loads_count_every_power() {
        // Of 4 units, the error of a weight.
        const LESS: i128 = 3;
        assert!(weight_error_up() << fixed::FRACTION > LESS);
        let mut random = Random(11);
        for _ in 0..300 {
            let mut label = 0;
            let (shift, most) = ([0, 80][random.below(2) as usize], 1 + random.below(3));
            let weights = (0..1 + random.below(80)).map(|_| {
                label += 1 + i64::try_from(random.below(most) * random.below(30)).unwrap();
                (label, i128::from(random.below(1 << 30)) << shift)
            });
            let law = Tilted {
                weights: weights.collect(),
                log_total: Interval::zero(64),
            };
            let total = |from: i64, to: i64| -> Integer {
                let there = law.weights.iter();
                let there = there.filter(|(label, _)| (from..to).contains(label));
                there.map(|(_, weight)| Integer::from(weight + LESS)).sum()
            };
            let found = stretches(&law);
            let longest = found.iter().map(|one| one.weights.len()).max().unwrap();
            assert!(longest <= LONGEST_BLOCK as usize, "{longest}");
            let middles: Vec<i64> = found
                .iter()
                .map(|one| one.label + one.gap * (one.weights.len() as i64 / 2))
                .collect();
            let mut truth =
                Integer::from(&total(i64::MIN, i64::MAX) * (middles[0] - law.weights[0].0));
            for (place, stretch) in found.iter().enumerate() {
                let next = found.get(place + 1).map_or(i64::MAX, |next| next.label);
                if let Some(middle) = middles.get(place + 1) {
                    truth += total(next, i64::MAX) * (middle - middles[place]);
                }
                for (label, weight) in &law.weights {
                    if (stretch.label..next).contains(label) {
                        truth += Integer::from(weight + LESS) * label.abs_diff(middles[place]);
                    }
                }
            }
            let truth = Float::with_val(200, truth) >> fixed::FRACTION;
            for bits in [3, 8, 64] {
                let most = crate::kernel::coarse::at_most_bits(bits, || load_up(&law));
                assert!(most >= truth, "{bits} bits: {most} {truth}");
            }
        }
    }

    #[test]
    fn the_largest_gap() {
        let law = |labels: &[i64]| Tilted {
            weights: labels.iter().map(|label| (*label, 1)).collect(),
            log_total: Interval::zero(64),
        };
        assert_eq!(largest_gap(&law(&[-4, -3, 2, 4])), 5);
        assert_eq!(largest_gap(&law(&[7])), 0);
    }
}
