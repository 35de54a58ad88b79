//! One report among fair coins: a report that tells one of two values apart, lost in a number of fair coins that everybody may know.
//!
//! Given that there are c coins, P(k) = A·h(k − 1) + B·h(k) and Q(k) = B·h(k − 1) + A·h(k) for the number k of those that show one side, h(k) the
//! probability of k heads, A ≥ B: the report is the other side with odds A to B under P, this one with the same odds under Q, and A + B the
//! probability that there are c coins. With one more coin k is the number after a post-processing of that with c, so that c coins
//! tell no less than c + 1; and less odds tell less.

use rug::{Integer, Rational};

use super::binomial::{Binomial, Heads};
use super::fixed::{Fixed, quotient_up};
use crate::kernel::is_late;

/// Coins with their odds, at most this many different ones.
const MOST_BLOCKS: usize = 640;
/// The work on tables of heads: the sum of their lengths.
const MOST_STEPS: u64 = 4_000_000;
/// Fewer blocks than this are worse than the work is worth.
const FEWEST_BLOCKS: usize = 24;

/// So many coins, with the masses A and B.
#[derive(Debug)]
pub(super) struct Block {
    coins: u64,
    against: Fixed,
    with: Fixed,
}

/// What other users report, and what the one does.
#[derive(Debug)]
pub(super) struct Reports {
    /// The other users.
    pub(super) others: u64,
    /// The probability that the report of another user is one of the two values, either with half of it; in (0, 1).
    pub(super) rate: Rational,
    /// A: the probability that the user reports the own value.
    pub(super) own: Rational,
    /// B: that of the other one of the two values.
    pub(super) other: Rational,
    /// That of any third value: 1 − A − B.
    pub(super) third: Rational,
}

impl Reports {
    /// Blocks that tell no less, where it is told for free whether the user reports one of the two values.
    ///
    /// Coins of a block count as those with the least number in it, those of the lower tail as none at all, those of the upper tail as the last
    /// block. A report of a third value tells nothing.
    pub(super) fn above(&self) -> Option<Vec<Block>> {
        let law = Binomial::new(self.others, &self.rate)?;
        let size = block_size(&law)?;
        let mut blocks = Vec::new();
        let block = |coins: u64, weight: &Fixed| Block {
            coins,
            against: weight.mul(&Fixed::of(&self.own)),
            with: weight.mul(&Fixed::of(&self.other)),
        };
        blocks.push(block(0, &Fixed::default().or_more_by(&law.below)));
        let last = law.masses.len().div_ceil(size);
        for (place, masses) in law.masses.chunks(size).enumerate() {
            let mut weight = sum(masses);
            if place.checked_add(1) == Some(last) {
                weight = weight.or_more_by(&law.above);
            }
            blocks.push(block(coins_at(&law, place, size)?, &weight));
        }
        Some(blocks)
    }

    /// Blocks that tell no more than the reports, where all other users report a third value unless they report one of the two.
    ///
    /// With c other reports of the two values, and w(c) the probability of that, the number of reports of the two values is c + 1 if the user
    /// reports one of them, else c, and then a fair coin of those takes the place of the report: A = a·w(c) + j·w(c + 1)/2 and B = b·w(c) +
    /// j·w(c + 1)/2 for c coins. Coins of a block count as those with the largest number in it; what is in the tails is left out.
    pub(super) fn below(&self) -> Option<Vec<Block>> {
        let law = Binomial::new(self.others, &self.rate)?;
        let size = block_size(&law)?;
        let half = Rational::from(&self.third / 2u32);
        let (own, other, half) = (
            Fixed::of(&self.own),
            Fixed::of(&self.other),
            Fixed::of(&half),
        );
        let mut blocks = Vec::new();
        for (place, masses) in law.masses.chunks(size).enumerate() {
            let first = place.checked_mul(size)?;
            let next: Vec<Fixed> = law
                .masses
                .iter()
                .skip(first.checked_add(1)?)
                .take(masses.len())
                .cloned()
                .collect();
            let (here, next) = (sum(masses), sum(&next));
            let coin = half.mul(&next);
            let more = u64::try_from(masses.len().checked_sub(1)?).ok()?;
            blocks.push(Block {
                coins: coins_at(&law, place, size)?.checked_add(more)?,
                against: own.mul(&here).plus(&coin),
                with: other.mul(&here).plus(&coin),
            });
        }
        Some(blocks)
    }
}

fn sum(masses: &[Fixed]) -> Fixed {
    let mut total = Fixed::default();
    for mass in masses {
        total.add(mass);
    }
    total
}

/// The least number of coins in a block.
fn coins_at(law: &Binomial, place: usize, size: usize) -> Option<u64> {
    let first = u64::try_from(place.checked_mul(size)?).ok()?;
    law.first.checked_add(first)
}

/// Numbers of coins that are taken together.
fn block_size(law: &Binomial) -> Option<usize> {
    let count = law.masses.len();
    let largest = law.first.checked_add(u64::try_from(count).ok()?)?;
    // A table of heads goes some 8·√c down from the middle.
    let table = Integer::from(largest).sqrt().to_u64()?.checked_mul(8)?;
    let affordable = MOST_STEPS.checked_div(table.max(1))?;
    let blocks = usize::try_from(affordable)
        .ok()?
        .clamp(FEWEST_BLOCKS, MOST_BLOCKS);
    Some(count.div_ceil(blocks).max(1))
}

/// Of the tests that accept where Q/P > u given the number of coins, the probability under P and that under Q, one pair for each u.
///
/// Q(k)/P(k) falls with k and is above u where k < (c + 1)·(A − uB)/((A − B)(1 + u)) for the odds A : B; it is nowhere above u if A ≤ uB.
/// With some other odds it is another test, with its true probabilities all the same.
///
/// Requires: every u ≥ 1; `odds` are whole numbers with A > B ≥ 0. `None` where the time is over.
pub(super) fn tests(
    blocks: &[Block],
    odds: impl Fn(&Block) -> (Integer, Integer),
    places: &[Rational],
) -> Option<Vec<(Fixed, Fixed)>> {
    let mut all = vec![(Fixed::default(), Fixed::default()); places.len()];
    for block in blocks {
        if is_late() {
            return None;
        }
        let heads = Heads::of(block.coins)?;
        let (a, b) = odds(block);
        let apart = Integer::from(&a - &b);
        if apart <= 0 {
            continue;
        }
        let slots = Integer::from(block.coins) + 1u32;
        for (u, (null, with)) in places.iter().zip(&mut all) {
            let above = Integer::from(&a * u.denom()) - Integer::from(&b * u.numer());
            if above <= 0 {
                continue;
            }
            // The largest whole number below the cut.
            let below = &apart * Integer::from(u.numer() + u.denom());
            let cut = quotient_up(above * &slots, &below) - 1u32;
            // At u ≥ 1 that is at most half of the coins.
            let Some(cut) = cut.to_u64().filter(|cut| *cut <= block.coins / 2) else {
                continue;
            };
            let here = heads.at_most(cut)?;
            let less = match cut.checked_sub(1) {
                Some(less) => heads.at_most(less)?,
                None => Fixed::default(),
            };
            null.add(&block.against.mul(&less).plus(&block.with.mul(&here)));
            with.add(&block.with.mul(&less).plus(&block.against.mul(&here)));
        }
    }
    Some(all)
}

impl Block {
    /// How many coins.
    pub(super) fn coins(&self) -> u64 {
        self.coins
    }

    /// About A : B.
    pub(super) fn odds(&self) -> (Integer, Integer) {
        (self.against.units_down(), self.with.units_down())
    }
}

#[cfg(test)]
mod tests_of_blocks {
    use super::*;

    /// Blocks of the least number of coins above, of the largest below, the tails as no coins above and nowhere below.
    #[test]
    fn blocks_count_as_their_ends() {
        let q = |n: i64, d: i64| Rational::from((n, d));
        let reports = Reports {
            others: 10_000_000,
            rate: q(2, 3002),
            own: q(3000, 3002),
            other: q(1, 3002),
            third: q(1, 3002),
        };
        let law = Binomial::new(reports.others, &reports.rate).unwrap();
        let size = block_size(&law).unwrap();
        assert!(size > 1 && law.first > 0);
        let (above, below) = (reports.above().unwrap(), reports.below().unwrap());
        let tail = &above[0];
        assert_eq!(tail.coins, 0);
        assert!(tail.against.up() > 0 && tail.against.down() == 0);
        let chunks = law.masses.chunks(size).enumerate();
        assert_eq!(below.len(), law.masses.len().div_ceil(size));
        for ((place, masses), (above, below)) in chunks.zip(above.iter().skip(1).zip(&below)) {
            let least = law.first + u64::try_from(place * size).unwrap();
            let most = least + u64::try_from(masses.len()).unwrap() - 1;
            assert_eq!((above.coins, below.coins), (least, most));
            // A + B: the whole mass above; below, all of it up to a third value once in 3002 times.
            let whole: Rational = masses.iter().map(Fixed::down).sum();
            let told = q(3001, 3002);
            assert!(above.against.up() + above.with.up() >= Rational::from(&whole * &told));
            let sum = below.against.down() + below.with.down();
            assert!(sum > Rational::from(&whole * &q(999, 1000)) && sum <= whole + q(1, 1000));
        }
    }

    /// All that is in a tail counts, with the user's own report.
    #[test]
    fn tails_count_above() {
        let q = |n: i64, d: i64| Rational::from((n, d));
        for rate in [q(1, 5), q(4, 5)] {
            let reports = Reports {
                others: 5_000,
                rate,
                own: q(3, 4),
                other: q(1, 4),
                third: q(0, 1),
            };
            let law = Binomial::new(reports.others, &reports.rate).unwrap();
            let above = reports.above().unwrap();
            let (first, last) = (above.first().unwrap(), above.last().unwrap());
            let whole = |block: &Block| block.against.up() + block.with.up();
            let (below, beyond) = (law.below.up(), law.above.up());
            assert!(below > 0 && beyond > 0 && below != beyond);
            assert!(whole(first) >= below && whole(first) < below * 2u32);
            let size = block_size(&law).unwrap();
            let known: Rational = law
                .masses
                .chunks(size)
                .last()
                .unwrap()
                .iter()
                .map(Fixed::up)
                .sum();
            assert!(whole(last) >= known + beyond);
        }
    }
}
