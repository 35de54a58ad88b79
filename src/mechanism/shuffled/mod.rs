//! Reports that a shuffler mixes: what a randomised report tells once nobody knows whose it is.
//!
//! *Above, any ε₀-DP randomiser* (Feldman, McMillan and Talwar 2021, arXiv 2012.12803, Theorem 3.1): the reports are a post-processing of
//! one report of two values with odds e^ε₀ among C fair coins, C binomial with the rate e^−ε₀ of n − 1. (A larger rate, 2/(e^ε₀ + 1), was
//! claimed for all randomisers in arXiv 2208.04591; its proof was withdrawn, and it is not used for them.)
//!
//! *Above, k-ary randomised response*: another user's report is uniform with probability k/(e^ε₀ + k − 1) and else the truth, so that it is one of the
//! two values in question by chance with probability 2/(e^ε₀ + k − 1); whoever is told the other reports, and whether the user reported one of
//! the two, sees a report among so many fair coins.
//!
//! *Below, all of them*: k-ary randomised response with k ≥ 3 while all other users hold a third value; and with k = 2, while they all hold the same one.

mod binomial;
mod coins;
mod datasets;
mod fixed;
mod hull;
mod response;
mod worst;

use rug::{Integer, Rational};

use super::polygon::{Vectors, pair_above, pair_below};
use crate::kernel::Interval;
use binomial::Binomial;
use coins::{Reports, tests};
pub(in crate::mechanism) use fixed::FRACTION;
use fixed::Fixed;
pub(in crate::mechanism) use hull::Test;
pub use response::ShuffledResponse;
pub(in crate::mechanism) use worst::Corners;

/// A finite pair above or below that of shuffled reports; P and Q are those of a user who holds one value or another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ShuffledBound {
    /// Above any randomiser.
    Clones {
        /// At least 2.
        users: u64,
        /// e^ε₀ > 1.
        odds: Rational,
    },
    /// Above randomised response.
    Blanket {
        /// At least 2.
        users: u64,
        /// e^ε₀ > 1.
        odds: Rational,
        /// k ≥ 2.
        answers: u64,
    },
    /// Below randomised response, where all others hold a third value.
    ThirdValue {
        /// At least 2.
        users: u64,
        /// e^ε₀ > 1.
        odds: Rational,
        /// k ≥ 3.
        answers: u64,
    },
    /// Below randomised response of two values, where all others hold that of Q.
    SameValue {
        /// At least 2.
        users: u64,
        /// e^ε₀ > 1.
        odds: Rational,
    },
}

/// Places u at which a profile is known, where they are not all of its corners.
const PLACES: u32 = 1_024;
/// Places further out.
const FAR_PLACES: u32 = 64;
/// Bits of a place.
const PLACE_BITS: u32 = 64;
/// Up to so many users the places are the corners.
const FEW_USERS: u64 = 64;

impl ShuffledBound {
    /// The pair; `None` if it cannot be told: where the time is over, while no numbers in range are known to bring it about.
    pub fn pair(&self) -> Option<Vectors> {
        match self {
            Self::Clones { users, odds } => {
                let response = Reports::of(*users, odds, 2)?;
                let rate = Rational::from(odds.recip_ref());
                above(&Reports { rate, ..response }, odds, |_| None)
            }
            Self::Blanket {
                users,
                odds,
                answers,
            } => {
                let reports = Reports::of(*users, odds, *answers)?;
                let of_two = |places: &[Rational]| {
                    let is_long = *answers == 2 && *users > FEW_USERS;
                    is_long
                        .then(|| datasets::deltas(&reports, places))
                        .flatten()
                };
                above(&reports, odds, of_two)
            }
            Self::ThirdValue {
                users,
                odds,
                answers,
            } => below(&Reports::of(*users, odds, *answers)?, odds),
            Self::SameValue { users, odds } => same_value(&Reports::of(*users, odds, 2)?),
        }
    }
}

impl Reports {
    /// Of k-ary randomised response.
    fn of(users: u64, odds: &Rational, answers: u64) -> Option<Self> {
        let total = Rational::from(odds + answers.checked_sub(1)?);
        let share = |weight: &Rational| Rational::from(weight / &total);
        Some(Self {
            others: users.checked_sub(1)?,
            rate: share(&Rational::from(2)),
            own: share(odds),
            other: share(&Rational::from(1)),
            third: share(&Rational::from(answers.checked_sub(2)?)),
        })
    }

    /// Places u ≥ 1, for so few users all values that Q/P takes given the number of coins, (k + e(c + 1 − k))/(ek + c + 1 − k).
    fn places(
        &self,
        odds: &Rational,
        of_block: impl Fn(&coins::Block) -> (Integer, Integer),
        blocks: &[coins::Block],
    ) -> Option<Vec<Rational>> {
        let one = Rational::from(1);
        if self.others < FEW_USERS {
            let mut places = vec![one];
            for block in blocks {
                let (with, against) = of_block(block);
                if with <= against || against == 0 {
                    continue;
                }
                let own_odds = Rational::from((with, against));
                let slots = block.coins().checked_add(1)?;
                for own in 0..slots.div_ceil(2) {
                    let other = slots.checked_sub(own)?;
                    let ratio = |a: u64, b: u64| Rational::from(&own_odds * b) + a;
                    places.push(ratio(own, other) / ratio(other, own));
                }
            }
            places.retain(|u| u <= odds);
            places.sort_unstable();
            places.dedup();
            return Some(places);
        }
        // Any places are true ones; at 28/√c the noise of c coins hides the report but for e^−90.
        let coins = Rational::from(&self.rate * self.others) + 1u32;
        let largest = Interval::from_rational(odds, PLACE_BITS).ln().middle();
        let largest = largest.to_rational()?;
        let root = Interval::from_rational(&coins, PLACE_BITS).sqrt().middle();
        let near = Rational::from(28u32) / root.to_rational()?;
        let near = near.min(largest.clone());
        let place = |epsilon: Rational| {
            let u = Interval::from_rational(&epsilon, PLACE_BITS).exp().middle();
            u.to_rational().filter(|u| *u > 1 && u < odds)
        };
        let inner = (1..=PLACES).map(|n| Rational::from(&near * n) / PLACES);
        let gap = Rational::from(&largest - &near);
        let outer = (1..FAR_PLACES).map(|n| Rational::from(&gap * n) / FAR_PLACES + &near);
        let all = inner.chain(outer).filter_map(place);
        Some([one].into_iter().chain(all).collect())
    }
}

/// A pair with a profile that is nowhere below another one above the reports, or, where there is none, that of the blocks above them.
///
/// The pair of the blocks is its own swap, and no report tells the two values apart by more than the odds.
fn above(
    reports: &Reports,
    odds: &Rational,
    other: impl Fn(&[Rational]) -> Option<Vec<Rational>>,
) -> Option<Vectors> {
    let exact = |_: &coins::Block| (odds.numer().clone(), odds.denom().clone());
    let blocks = reports.above()?;
    let places = reports.places(odds, exact, &blocks)?;
    let deltas = match other(&places) {
        Some(deltas) => deltas,
        None => {
            let tests = tests(&blocks, exact, &places)?.into_iter();
            let gains = places.iter().zip(tests);
            let gains = gains.map(|(u, (null, with))| with.up() - null.down() * u);
            let chance = |delta: Rational| delta.max(Rational::new()).min(Rational::from(1));
            gains.map(chance).collect()
        }
    };
    let points = places.into_iter().zip(deltas);
    let last = (odds.clone(), Rational::new());
    Some(pair_above(points.chain([last])))
}

/// A pair that is dominated by the reports: the tests of the blocks below them, which are the same in both orders.
fn below(reports: &Reports, odds: &Rational) -> Option<Vectors> {
    let blocks = reports.below()?;
    let places = reports.places(odds, coins::Block::odds, &blocks)?;
    let tests = tests(&blocks, coins::Block::odds, &places)?;
    let unit = |x: Rational| x.max(Rational::new()).min(Rational::from(1));
    let both = tests.into_iter().flat_map(|(null, with)| {
        let (null, with) = (unit(null.up()), unit(with.down()));
        let mirrored = (Rational::from(1 - &with), Rational::from(1 - &null));
        [(null, with), mirrored]
    });
    Some(pair_below(both))
}

/// A pair that is dominated by the number of reports of one value of two, all others holding it: at least so many of them.
fn same_value(reports: &Reports) -> Option<Vectors> {
    let law = Binomial::new(reports.others, &reports.own)?;
    let (own, other) = (Fixed::of(&reports.own), Fixed::of(&reports.other));
    let count = u32::try_from(law.masses.len()).ok()?;
    let stride = usize::try_from(count.div_ceil(PLACES)).ok()?;
    // One report more than the last known number of others needs that many of them.
    let beyond = Fixed::default().or_more_by(&law.above);
    let above = [&beyond].into_iter().chain(law.masses.iter().rev());
    let at = law.masses.iter().rev().map(Some).chain([None]);
    let (mut null, mut with) = (Fixed::default(), Fixed::default());
    let mut tests = Vec::new();
    for (place, (here, less)) in above.zip(at).enumerate() {
        let Some(less) = less else {
            break;
        };
        // The user reports the value with probability B under P, A under Q.
        null.add(&own.mul(here).plus(&other.mul(less)));
        with.add(&other.mul(here).plus(&own.mul(less)));
        if place.is_multiple_of(stride) {
            tests.push((null.clone(), with.clone()));
        }
    }
    let unit = |x: Rational| x.max(Rational::new()).min(Rational::from(1));
    let tests = tests.into_iter();
    Some(pair_below(
        tests.map(|(null, with)| (unit(null.up()), unit(with.down()))),
    ))
}

#[cfg(test)]
#[path = "bounds_tests.rs"]
mod bounds_tests;
#[cfg(test)]
mod sides_tests;
