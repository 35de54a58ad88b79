//! Binomial laws in fixed point: the masses that matter, and bounds of the rest.

use rug::{Integer, Rational};

use super::fixed::Fixed;

/// Masses below 2^−this of the largest one are left to the bounds of the tails.
const NEGLIGIBLE: u32 = 140;

/// The masses of a binomial law on an interval of numbers, and bounds of what is below and above it.
#[derive(Debug)]
pub(super) struct Binomial {
    /// The number that the first mass belongs to.
    pub(super) first: u64,
    /// Its masses from there on.
    pub(super) masses: Vec<Fixed>,
    /// At most this much is below.
    pub(super) below: Fixed,
    /// At most this much is above.
    pub(super) above: Fixed,
}

impl Binomial {
    /// The number of successes in `trials`, each with probability `rate`.
    ///
    /// With w(c) the mass of c over that of any one place, w(c + 1) = w(c)·(n − c)/(c + 1)·r/(1 − r). The ratio falls in c, so that beyond the
    /// last c the masses are at most those of a geometric series, and likewise below. All masses add up to 1.
    ///
    /// Requires: `0 < rate < 1`. `None` if it cannot be told.
    pub(super) fn new(trials: u64, rate: &Rational) -> Option<Self> {
        Self::down_to(trials, rate, NEGLIGIBLE)
    }

    /// The same, where masses below 2^−`digits` of the largest one are left to the bounds of the tails.
    pub(super) fn down_to(trials: u64, rate: &Rational, digits: u32) -> Option<Self> {
        let rest = Rational::from(1 - rate);
        let odds = Rational::from(rate / &rest);
        let middle = Rational::from(rate * trials).floor().numer().to_u64()?;
        let middle = middle.min(trials);
        // w(c + 1)/w(c) = (n − c)·a/((c + 1)·b).
        let up = |c: u64| -> Option<(Integer, Integer)> {
            Some((
                Integer::from(trials.checked_sub(c)?) * odds.numer(),
                Integer::from(c.checked_add(1)?) * odds.denom(),
            ))
        };
        let down = |c: u64| up(c.checked_sub(1)?).map(|(n, d)| (d, n));
        let one = Fixed::one();
        let walk = |step: &dyn Fn(u64) -> Option<(Integer, Integer)>,
                    next: &dyn Fn(u64) -> Option<u64>,
                    last: u64|
         -> Option<(Vec<Fixed>, u64, Fixed)> {
            let (mut place, mut mass) = (middle, one.clone());
            let mut all = Vec::new();
            loop {
                if place == last {
                    return Some((all, place, Fixed::default()));
                }
                let (n, d) = step(place)?;
                let beyond = mass.times(&n, &d);
                if n < d && mass.is_negligible_beside(&one, digits) {
                    // mass·ρ/(1 − ρ) for the ratio ρ = n/d.
                    let rest = Integer::from(&d - &n);
                    return Some((all, place, mass.times(&n, &rest)));
                }
                place = next(place)?;
                all.push(beyond.clone());
                mass = beyond;
            }
        };
        let (right, _, above) = walk(&up, &|c| c.checked_add(1), trials)?;
        let (left, first, below) = walk(&down, &|c| c.checked_sub(1), 0)?;
        let mut masses: Vec<Fixed> = left.into_iter().rev().collect();
        masses.push(one);
        masses.extend(right);
        let mut total = Fixed::default();
        for mass in &masses {
            total.add(mass);
        }
        let total = total.or_more_by(&above).or_more_by(&below);
        // One division for all: products are rounded to units as quotients are.
        let share = Fixed::one().div(&total)?;
        Some(Self {
            first,
            masses: masses.iter().map(|mass| mass.mul(&share)).collect(),
            below: below.mul(&share),
            above: above.mul(&share),
        })
    }
}

/// The lower half of the law of the number of heads among fair coins.
#[derive(Debug)]
pub(super) struct Heads {
    /// The number that the first entry belongs to.
    first: u64,
    /// P(at most so many heads), from there on up to half of the coins.
    at_most: Vec<Fixed>,
}

impl Heads {
    /// Of so many fair coins.
    pub(super) fn of(coins: u64) -> Option<Self> {
        let half = coins / 2;
        let one = Fixed::one();
        let mut masses = vec![one.clone()];
        let (mut place, mut mass) = (half, one.clone());
        let mut tail = Fixed::default();
        while place > 0 {
            // h(k − 1)/h(k) = k/(c − k + 1) ≤ 1, and falls with k.
            let n = Integer::from(place);
            let d = Integer::from(coins.checked_sub(place)?.checked_add(1)?);
            if n < d && mass.is_negligible_beside(&one, NEGLIGIBLE) {
                let rest = Integer::from(&d - &n);
                tail = mass.times(&n, &rest);
                break;
            }
            mass = mass.times(&n, &d);
            masses.push(mass.clone());
            place = place.checked_sub(1)?;
        }
        let mut sum = Fixed::default().or_more_by(&tail);
        let mut at_most = Vec::with_capacity(masses.len());
        for mass in masses.iter().rev() {
            sum.add(mass);
            at_most.push(sum.clone());
        }
        // By symmetry all masses are twice those up to (c − 1)/2, and the middle one of an even number of coins.
        let total = if coins.is_multiple_of(2) {
            let before = at_most.len().checked_sub(2).and_then(|i| at_most.get(i));
            let below = before.cloned().unwrap_or_default();
            // Without a place before, the tail is all there is below, and there is none of it as `coins` is 0.
            below.plus(&below).plus(&one)
        } else {
            sum.plus(&sum)
        };
        Some(Self {
            first: place,
            at_most: at_most
                .iter()
                .map(|sum| sum.div(&total))
                .collect::<Option<_>>()?,
        })
    }

    /// P(at most `count` heads).
    ///
    /// Requires: `count` is at most half of the coins. `None` otherwise.
    pub(super) fn at_most(&self, count: u64) -> Option<Fixed> {
        match count.checked_sub(self.first) {
            Some(place) => self.at_most.get(usize::try_from(place).ok()?).cloned(),
            // Less than what is known of the first.
            None => Some(Fixed::default().or_more_by(self.at_most.first()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binomial(n: u32, k: u32) -> Integer {
        Integer::from(n).binomial(k)
    }

    #[test]
    fn masses_are_those_of_the_definition() {
        for (n, rate) in [
            (1u32, Rational::from((1, 3))),
            (9, Rational::from((1, 2))),
            (40, Rational::from((19, 20))),
            (700, Rational::from((1, 100))),
        ] {
            let law = Binomial::new(u64::from(n), &rate).unwrap();
            let mut rest = Rational::from(1);
            for (place, mass) in law.masses.iter().enumerate() {
                let c = u32::try_from(law.first).unwrap() + u32::try_from(place).unwrap();
                let power = |x: &Rational, k: u32| {
                    Rational::from(rug::ops::Pow::pow(x, i32::try_from(k).unwrap()))
                };
                let other = Rational::from(1 - &rate);
                let truth = Rational::from(binomial(n, c)) * power(&rate, c) * power(&other, n - c);
                assert!(mass.down() <= truth && mass.up() >= truth, "{n} {c}");
                assert!(mass.up() - mass.down() < (Rational::from(1) >> 130u32));
                rest -= truth;
            }
            assert!(rest >= 0 && rest <= law.below.up() + law.above.up());
            assert!(n > 30 || rest == 0);
        }
    }

    #[test]
    fn heads_are_those_of_the_definition() {
        for coins in [0u32, 1, 2, 3, 8, 31, 900] {
            let law = Heads::of(u64::from(coins)).unwrap();
            let mut sum = Integer::new();
            for k in 0..=coins / 2 {
                sum += binomial(coins, k);
                let truth = Rational::from(&sum) >> coins;
                let found = law.at_most(u64::from(k)).unwrap();
                assert!(found.down() <= truth && found.up() >= truth, "{coins} {k}");
                assert!(found.up() - found.down() < (Rational::from(1) >> 130u32));
            }
            assert!(law.at_most(u64::from(coins / 2 + 1)).is_none());
        }
    }
}
