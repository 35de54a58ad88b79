//! The worst dataset of shuffled randomised response of two values, at every ε: all of them, one after the other.
//!
//! s_k is the law of the number of reports of the value of Q among the n − 1 others, k of whom hold it. With a = e/(e + 1), b = 1/(e + 1) and ρ = 1/e
//! for e = e^ε₀, its generating function is (a + bz)^{n−1−k}·(b + az)^k, so that s_{k+1} comes from s_k by the filter (ρ + z)/(1 + ρz):
//!
//! s_{k+1}(j) = s_k(j − 1) + ρ·(s_k(j) − s_{k+1}(j − 1)).
//!
//! On the unit circle the modulus of the filter is 1: the sum of the squares of an error is kept, however many steps there are, and each
//! step adds its own roundings, times at most 1/(1 − ρ), as 1/(1 + ρz) has coefficients of that sum.

use std::collections::VecDeque;

use rug::ops::SubFrom;
use rug::{Assign, Integer, Rational};

use super::binomial::Binomial;
use super::fixed::FRACTION;
use super::hull::{Hull, Test};
use crate::kernel::{Budget, Failure, Interval};

/// More work than this is left to bounds: masses of all laws.
const MOST_WORK: u64 = 9_500_000;
/// Binary digits of the smallest masses at the start.
const DEPTH: u32 = 280;
/// Masses below 2^this units are left out, as an error.
const SMALL: u32 = 16;
/// Tests whose power is below 2^this units are left out, as an error.
const WEAK: u32 = 40;
/// More corners than this are left to bounds: of odds near 1 almost all tests are corners.
const MOST_CORNERS: usize = 10_000;
/// A larger error than 2^this units is of no use.
const LARGE: u32 = 120;

/// The corners of the upper hull of the tests of all datasets.
#[derive(Debug)]
pub(in crate::mechanism) struct Corners {
    /// From (0, 0) to (1, 1), by falling slope.
    pub(in crate::mechanism) tests: Vec<Test>,
    /// Each test of a dataset that matters at some u ≥ 1 is within so many units, in both numbers, of a point that is nowhere above the hull;
    /// each corner is within so many of a test of a dataset.
    pub(in crate::mechanism) error: Integer,
}

impl Corners {
    /// Are so few masses looked at that it is done at all? Other limits are met on the way.
    pub(in crate::mechanism) fn are_in_reach(users: u64, odds: &Interval) -> bool {
        plan(users, odds).is_some()
    }

    /// Of n users; `odds` encloses e^ε₀.
    ///
    /// Requires: `users ≥ 2`. `None` beyond the limits.
    ///
    /// # Errors
    /// If the budget ends before all datasets are looked at.
    pub(in crate::mechanism) fn of(
        users: u64,
        odds: &Interval,
        budget: &Budget,
    ) -> Result<Option<Self>, Failure> {
        let Some((mut walk, datasets)) = plan(users, odds) else {
            return Ok(None);
        };
        let mut hull = Hull::new();
        for dataset in 0..datasets {
            budget.check()?;
            if !walk.is_added(dataset, &mut hull) {
                return Ok(None);
            }
        }
        hull.join();
        let error = walk.error_of_tests(users);
        let error = error.filter(|error| error.significant_bits() <= LARGE);
        Ok(error.map(|error| Self {
            tests: hull.corners,
            error,
        }))
    }
}

/// The first dataset, and how many there are up to the exchange of both values; `None` if that is too much work.
fn plan(users: u64, odds: &Interval) -> Option<(Walk, u64)> {
    let others = users.checked_sub(1)?;
    let walk = Walk::start(others, odds)?;
    let datasets = (others / 2).checked_add(1)?;
    let length = u64::try_from(walk.masses.len()).ok()?;
    let work = length.checked_mul(datasets)?;
    (work <= MOST_WORK).then_some((walk, datasets))
}

/// The law of the number of reports of the value among the others, for one dataset after the other.
struct Walk {
    others: u64,
    /// The number that the first mass belongs to.
    first: u64,
    /// About the masses, in units; no number above n − 1 has one.
    masses: VecDeque<Integer>,
    /// The root of the sum of the squared errors is at most so many units, all numbers counted.
    error: Integer,
    /// ρ in units, rounded down; that is the ρ of the walk.
    ratio: Integer,
    /// The ρ asked for is at most so many units larger.
    unknown: Integer,
    /// At least 1/(1 − ρ).
    gain: Integer,
    /// a in units, within one.
    own: Integer,
}

impl Walk {
    /// The tests of the next dataset, if it is not the first one, with k others that hold the value, and with n − 1 − k, whose number of reports is n − 1 minus this one.
    /// `false` beyond the limits.
    fn is_added(&mut self, dataset: u64, hull: &mut Hull) -> bool {
        if dataset > 0 && self.step().is_none() {
            return false;
        }
        hull.add(self.tests(self.masses.iter().rev()));
        hull.add(self.tests(self.masses.iter()));
        hull.corners.len() <= MOST_CORNERS
    }

    /// k = 0: a binomial law.
    fn start(others: u64, odds: &Interval) -> Option<Self> {
        let unit = Integer::from(1) << FRACTION;
        let inverse = odds.recip();
        let units = |x: &rug::Float| Some(x.to_rational()? * &unit);
        let ratio = units(inverse.lo())?.floor().into_numer_denom().0;
        let up = units(inverse.hi())?.ceil().into_numer_denom().0;
        if ratio <= 0 || ratio >= unit {
            return None;
        }
        let sum = Integer::from(&unit + &ratio);
        let law = Binomial::down_to(others, &Rational::from((ratio.clone(), sum.clone())), DEPTH)?;
        let mut error = Integer::new();
        let mut masses = VecDeque::with_capacity(law.masses.len());
        for mass in &law.masses {
            let (low, high) = mass.halved(FRACTION);
            error += Integer::from(&high - &low);
            masses.push_back(low);
        }
        error += law.below.halved(FRACTION).1 + law.above.halved(FRACTION).1;
        let own = (Integer::from(1) << FRACTION.checked_mul(2)?) / sum;
        let gain = &unit / Integer::from(&unit - &ratio) + 1u32;
        Some(Self {
            others,
            first: law.first,
            masses,
            error,
            unknown: up - &ratio,
            ratio,
            gain,
            own,
        })
    }

    /// One more of the others holds the value.
    fn step(&mut self) -> Option<()> {
        let small = Integer::from(1) << SMALL;
        let is_small = |x: &Integer| x.as_abs().lt(&small);
        // Numbers that are kept are written over, so that there is nothing to allocate.
        let (mut before, mut last, mut share) = (Integer::new(), Integer::new(), Integer::new());
        let ratio = &self.ratio;
        let mut next = |before: &Integer, here: &Integer, last: &mut Integer| {
            last.sub_from(here);
            share.assign(&*last * ratio);
            share >>= FRACTION;
            last.assign(&share + before);
        };
        for mass in &mut self.masses {
            next(&before, mass, &mut last);
            before.assign(&*mass);
            mass.assign(&last);
        }
        // Beyond the last mass, until the rest, a geometric series in −ρ, is small; no more reports than there are others.
        loop {
            next(&before, &Integer::new(), &mut last);
            before.assign(0u32);
            let length = u64::try_from(self.masses.len()).ok()?;
            let place = self.first.checked_add(length)?;
            if is_small(&last) || place > self.others {
                break;
            }
            self.masses.push_back(last.clone());
        }
        self.error += Integer::from(last.abs_ref()) * &self.gain;
        // Each rounding is less than a unit.
        let roots = Integer::from(self.masses.len()).sqrt() + 2u32;
        self.error += roots * &self.gain;
        while let Some(mass) = self.masses.front()
            && is_small(mass)
        {
            self.error += Integer::from(mass.abs_ref());
            self.masses.pop_front();
            self.first = self.first.checked_add(1)?;
        }
        Some(())
    }

    /// The tests that ask for at least so many reports, for masses from the largest number downwards, as far as they matter at u ≥ 1.
    ///
    /// With c the number asked for, they have T + b·s(c − 1) and T + a·s(c − 1) for T = P(c or more of the others). The law is log-concave, and at u the
    /// best c is the first one with s(c − 1)/s(c) > (ua − b)/(a − ub): it rises with u, and at u = 1 c − 1 is where s is largest.
    fn tests<'a>(&self, masses: impl Iterator<Item = &'a Integer>) -> Vec<Test> {
        let slack = Integer::from(&self.error * 2u32);
        let weak = Integer::from(1) << WEAK;
        let mut all = Vec::new();
        let (mut sum, mut most) = (Integer::new(), Integer::new());
        for mass in masses {
            if Integer::from(mass + &slack) < most {
                break;
            }
            let told = Integer::from(&self.own * mass) >> FRACTION;
            let with = Integer::from(&sum + &told);
            sum += mass;
            if with > weak {
                // b = 1 − a.
                let null = Integer::from(&sum - &told).max(Integer::new());
                all.push(Test { null, with });
            }
            if *mass > most {
                most.clone_from(mass);
            }
        }
        all
    }

    /// How far P(accept) and Q(accept) of a test may be off.
    ///
    /// A sum of n errors is at most √n times the root of the sum of their squares. ρ is known to some units, and as many more reports of each user may differ.
    fn error_of_tests(&self, users: u64) -> Option<Integer> {
        let roots = Integer::from(users).sqrt() + 2u32;
        let unknown = Integer::from(&self.unknown * users);
        let weak = Integer::from(1) << WEAK;
        Some(roots * &self.error + unknown + weak + 8u32)
    }
}

#[cfg(test)]
#[path = "worst_tests.rs"]
mod tests;
