//! Several choices by score, one after the other, whatever the ones before were: at least the largest δ of all datasets (C8 of `proofs/FORMAT.md`).

use crate::law::bits;
use crate::profile::Place;
use crate::*;

/// More choices are not looked at together, nor more ways in which some of them are left.
const MOST: usize = 12;
const WAYS: usize = 32;
/// Places from u = 1 to where δ is 0, about; and so many numbers of them are tried, so that few losses are rounded by much.
const PLACES: u64 = 4096;
const TRIED: u64 = 64;

/// A choice whose losses are in [t − nh, t] for some t, R = e^(nh); in units of 2^-64.
struct Choice {
    times: usize,
    /// At least (R − e^(ih))/(R − 1), i = 0, …, n: the chance of the loss ih where the other one is (i − n)h.
    shares: Vec<u128>,
    /// At most 1/R.
    inverse: u128,
    /// At least R/(R − 1)·(1 − s)/(1 + s), s = e^(−h/2).
    bend: u128,
}

/// x·y/2^64, x ≤ 2^120, y ≤ 2^64, from below.
fn share(x: u128, y: u128) -> u128 {
    (x >> 64) * y + (((x & u128::from(u64::MAX)) * y) >> 64)
}

/// Places u that rise and at least δ(u) there, with chords between them, 1 at u = 0 and 0 from the last one on, of two or more choices with logistic noise.
pub fn several(parts: &Parts) -> Result<Option<Vec<(Place, BigInt)>>> {
    let mut runs = Vec::new();
    for (step, times) in parts {
        let Step::Choice { epsilon, is_flip: false } = step else { return Ok(None) };
        runs.push((units(epsilon.log()?.hi, w()), usize::try_from(*times).unwrap_or(usize::MAX)));
    }
    let count = runs.iter().fold(0usize, |sum, (_, times)| sum.saturating_add(*times));
    let far: BigRational = runs.iter().map(|(end, times)| end * int(*times)).sum();
    let ways = runs.iter().fold(1usize, |all, (_, times)| all.saturating_mul(times.saturating_add(1)));
    if !(2..=MOST).contains(&count) || ways > WAYS || far > int(700) {
        return Ok(None);
    }
    let (zero, one) = (BigRational::zero(), Real::int(1));
    let widest = runs.iter().map(|(end, _)| end).max().unwrap_or(&zero);
    let least = (widest * BigInt::from(PLACES) / &far).ceil().to_integer().to_u64().unwrap_or(1);
    let excess = |h: &BigRational| -> BigRational {
        runs.iter().map(|(end, times)| ((end / h).ceil() * h - end) * int(*times)).sum()
    };
    let tried = (least..least + TRIED).map(|n| widest / BigInt::from(n)).map(|h| (excess(&h), h));
    let h = tried.min().map(|(_, h)| h).unwrap_or_default();
    let steps: Vec<usize> = runs.iter().map(|(end, _)| (end / &h).ceil().to_usize().unwrap_or(usize::MAX)).collect();
    let last: usize = steps.iter().zip(&runs).map(|(n, (_, times))| n.saturating_mul(*times)).sum();
    // The first places are left of all losses.
    let first = steps.iter().copied().max().unwrap_or(0);
    let middle = last + first;
    let (rise, fall) = (Real::of(&h).exp()?, Real::of(&-&h).exp()?);
    let powers = |by: &Real, n: usize| {
        std::iter::successors(Some(one.clone()), |x| Some(x.times(by))).take(n).collect::<Vec<_>>()
    };
    spend_each(middle + last, 1_000)?;
    let (above, below) = (powers(&rise, last + 1), powers(&fall, middle + 1));
    let down = |x: &BigInt, bits: u32| (x >> (w() - bits)).to_u128().unwrap_or(0);
    let up = |x: &Real, bits: u32| x.at_least_zero().ceil_units(bits).to_u128().unwrap_or(u128::MAX);
    let s = Real::of(&(&h / BigInt::from(-2))).exp()?;
    let bend = one.minus(&s).over(&one.plus(&s))?;
    let mut choices = Vec::new();
    for (n, (_, times)) in steps.iter().zip(&runs) {
        let (Some(range), Some(inverse)) = (above.get(*n), below.get(*n)) else { return Ok(None) };
        let rise = range.minus(&one);
        let shares = above.iter().take(n + 1).map(|z| Ok(up(&range.minus(z).over(&rise)?.smaller(&one), 64)));
        let (shares, bend) = (shares.collect::<Result<_>>()?, up(&range.over(&rise)?.times(&bend).smaller(&one), 64));
        choices.push(Choice { times: *times, shares, inverse: down(&inverse.lo, 64), bend });
    }
    let nothing = below.iter().rev().map(|u| up(&one.minus(u), bits())).chain(above.iter().skip(1).map(|_| 0));
    let nothing: Vec<u128> = nothing.collect();
    // For each number of runs of each choice that are left, in the order of a number with as many digits.
    let mut levels = vec![nothing.clone()];
    for state in 1..ways {
        let (mut level, mut weight) = (nothing.clone(), 1);
        for choice in &choices {
            if state / weight % (choice.times + 1) > 0
                && let Some(rest) = levels.get(state - weight)
            {
                choice.before(rest, first, &mut level)?;
            }
            weight *= choice.times + 1;
        }
        // δ falls, so that a bound holds on its right, too.
        let mut least = 1 << bits();
        for value in &mut level {
            least = least.min(*value);
            *value = least;
        }
        levels.push(level);
    }
    let places = below.into_iter().rev().chain(above.into_iter().skip(1)).zip(levels.pop().unwrap_or_default());
    let log = |place: usize| Real::of(&(&h * (BigInt::from(place) - BigInt::from(middle))));
    let place = |(at, (exp, value)): (usize, (Real, u128))| {
        (Place { log: log(at), exp, exact: None }, BigInt::from(value) << (w() - bits()))
    };
    Ok(Some(places.enumerate().map(place).collect()))
}

impl Choice {
    /// Raises bounds to what this choice makes of those of what follows it, which fall, at places from `first` ≥ n on.
    fn before(&self, rest: &[u128], first: usize, level: &mut [u128]) -> Result<()> {
        let n = self.shares.len() - 1;
        let at = |place: usize| rest.get(place).copied().unwrap_or(0);
        for (place, value) in level.iter_mut().enumerate().skip(first) {
            spend(20 * u64::try_from(n).unwrap_or(u64::MAX))?;
            let mut right: Option<(u128, u128, u128)> = None;
            for (i, chance) in self.shares.iter().enumerate() {
                let (near, far) = (at(place - i), at(place - i + n));
                let mean = far + share(near - far, *chance) + 1;
                if let Some((other, near_right, far_right)) = right {
                    let turn = (near - near_right).saturating_sub(share(far - far_right, self.inverse));
                    *value = (*value).max(mean.max(other) + share(turn, self.bend) + 1);
                }
                right = Some((mean, near, far));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "adaptive_tests.rs"]
mod tests;
