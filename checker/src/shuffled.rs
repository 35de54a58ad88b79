//! Shuffled reports: one report among fair coins, or a count of reports (M15 and C7 of `proofs/FORMAT.md`).

use std::cmp::Ordering;
use std::fmt;

use num_integer::Integer;

use crate::normal::nothing;
use crate::numbers::{of_kind, whole};
use crate::*;

/// Longer binomial laws are not written out.
const MOST: usize = 1 << 18;

/// Reports of so many users, `of` that of each where a record replaces another one (M15).
pub fn shuffled(value: &Value, of: &Normal, relation: Relation) -> Result<Normal> {
    let users = whole(value.need("users")?, "`users`", 1, 10_000_000_000)?;
    let ([(Step::Response { epsilon, k }, 1)], true) = (of.steps.as_slice(), of.members.is_empty()) else {
        return Err(Rejected::uncovered("shuffled reports of another mechanism"));
    };
    // Nobody lies, and the engine reads no more than 60.
    let is_far = epsilon.log()?.order(&Real::int(60)) != Some(Ordering::Less);
    Reason::NoCertificateYet.when(is_far, "shuffled reports with an epsilon of 60 or more")?;
    let answers = match of_kind(value.need("of")?)? {
        "pure-dp" => None,
        "randomized-response" if relation == Relation::ReplaceOne => {
            let answers = k.to_u64().filter(|k| u32::try_from(*k).is_ok());
            Some(answers.ok_or_else(|| Rejected::uncovered("shuffled reports of more answers"))?)
        }
        _ => return Err(Rejected::uncovered("shuffled reports of another mechanism")),
    };
    let is_presence = relation == Relation::Presence;
    Reason::NoCertificateYet.when(is_presence, "shuffled reports where a user may be missing: they are counted")?;
    let granted = || Normal { granted: of.granted.clone(), ..Normal::one(nothing()) }.with(Condition::ShuffledReports);
    let step = |of: Reports| vec![(Step::Shuffled { of, others: users - 1, epsilon: epsilon.clone() }, 1)];
    let (most, members) = match answers {
        _ if epsilon.is_zero() => return Ok(granted()),
        _ if users == 1 => return Ok(Normal { granted: granted().granted, ..of.clone() }),
        None => (Reports::Clones, vec![step(Reports::OneValue), step(Reports::ThirdValue { answers: 3 })]),
        Some(2) => (Reports::Blanket { answers: 2 }, vec![step(Reports::OneValue)]),
        Some(answers) => (Reports::Blanket { answers }, vec![step(Reports::ThirdValue { answers })]),
    };
    Ok(Normal::between(members, Normal { steps: step(most), ..granted() }))
}

impl fmt::Display for Reports {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clones => out.write_str("above any randomiser"),
            Self::Blanket { answers } => write!(out, "above randomised response of {answers} answers"),
            Self::ThirdValue { answers } => {
                write!(out, "of randomised response of {answers} answers, all others holding a third value")
            }
            Self::OneValue => out.write_str("of two answers, all others holding one of the two values"),
        }
    }
}

/// δ of shuffled reports.
pub struct Shuffled {
    of: Reports,
    others: u64,
    /// A, and B: the user reports the own value, and the other one of the two.
    own: Real,
    other: Real,
    /// Half of what is left, where it is not told that neither is reported.
    third: Real,
    /// r/(1 − r) for the rate r of what is counted of the others.
    odds: Real,
    law: Binomial,
}

/// Masses w(first), w(first + 1), …, up to a common factor; all others add up to at most `rest`.
pub struct Binomial {
    first: u64,
    masses: Vec<Real>,
    total: Real,
    rest: Real,
}

/// x·n/d for x ≥ 0.
fn share(x: &Real, n: u64, d: u64) -> Real {
    let d = BigInt::from(d.max(1));
    Real::new((&x.lo * n).div_floor(&d), (&x.hi * n).div_ceil(&d))
}

fn one() -> Real {
    Real::int(1)
}

/// From 0 to this.
fn up_to(most: &Real) -> Real {
    Real::int(0).hull(most)
}

/// Masses of a walk away from the largest, each the one before times a ratio that falls, until they are negligible; and a bound of all further ones.
fn walk(steps: u64, ratio: impl Fn(u64, &Real) -> Real) -> Result<(Vec<Real>, Real)> {
    let tiny = BigInt::one() << w().saturating_sub(170);
    let (mut all, mut last) = (Vec::new(), one());
    for step in 0..steps {
        spend(1_500)?;
        last = ratio(step, &last);
        if last.hi <= tiny {
            // A geometric series.
            let falls = one().minus(&ratio(step, &one()));
            return Ok((all, Real::new(BigInt::zero(), last.over(&falls)?.hi)));
        }
        all.push(last.clone());
        Reason::Limit.when(all.len() > MOST, "a binomial law of too many numbers")?;
    }
    Ok((all, Real::int(0)))
}

impl Binomial {
    /// n trials: w(c + 1)/w(c) = (n − c)/(c + 1)·r/(1 − r).
    pub fn new(n: u64, odds: &Real) -> Result<Self> {
        let mode: BigInt = (odds.over(&one().plus(odds))?.lo * n) >> w();
        let mode = mode.to_u64().unwrap_or(0).min(n);
        let inverse = one().over(odds)?;
        let (up, above) = walk(n - mode, |i, x| share(&x.times(odds), n - mode - i, mode + i + 1))?;
        let (down, below) = walk(mode, |i, x| share(&x.times(&inverse), mode - i, n + 1 + i - mode))?;
        let first = mode - u64::try_from(down.len()).unwrap_or(mode);
        let masses: Vec<Real> = down.into_iter().rev().chain([one()]).chain(up).collect();
        let rest = above.plus(&below);
        let total = masses.iter().fold(up_to(&rest), |sum, mass| sum.plus(mass));
        Ok(Self { first, masses, total, rest })
    }

    /// P(X ≥ k), and E[k/(X + 1); X ≥ k].
    pub fn full(&self, k: u64) -> Result<[Real; 2]> {
        let (mut all, mut stay) = (up_to(&self.rest), up_to(&self.rest));
        for (n, mass) in (self.first..).zip(&self.masses).filter(|(n, _)| *n >= k) {
            (all, stay) = (all.plus(mass), stay.plus(&share(mass, k, n + 1)));
        }
        Ok([all.over(&self.total)?, stay.over(&self.total)?])
    }
}

/// Fair coins: P(heads = `upto` − 1), P(heads = `upto`), P(heads < `upto`).
struct Heads {
    coins: u64,
    upto: u64,
    before: Real,
    at: Real,
    below: Real,
}

impl Heads {
    fn new(coins: u64, upto: u64) -> Result<Self> {
        let Binomial { first, masses, total, rest } = Binomial::new(coins, &one())?;
        let place = |k: u64| k.checked_sub(first).and_then(|k| usize::try_from(k).ok());
        let mass = |k: u64| place(k).and_then(|k| masses.get(k)).cloned().unwrap_or_else(|| up_to(&rest)).over(&total);
        let below = masses.iter().take(place(upto).unwrap_or(0)).fold(up_to(&rest), |sum, mass| sum.plus(mass));
        let before = upto.checked_sub(1).map_or(Ok(Real::int(0)), mass)?;
        Ok(Self { coins, upto, before, at: mass(upto)?, below: below.over(&total)? })
    }

    /// One more place.
    fn right(&mut self) {
        self.below = self.below.plus(&self.at);
        let next = share(&self.at, self.coins.saturating_sub(self.upto), self.upto + 1);
        self.before = std::mem::replace(&mut self.at, next);
        self.upto += 1;
    }

    /// One more coin.
    fn toss(&mut self) {
        let halved = |x: &Real| share(x, 1, 2);
        self.at = halved(&self.before.plus(&self.at));
        self.below = self.below.minus(&halved(&self.before));
        self.before = share(&halved(&self.before), self.coins + 1, (self.coins + 2).saturating_sub(self.upto));
        self.coins += 1;
    }
}

impl Shuffled {
    pub fn new(of: Reports, others: u64, epsilon: &Epsilon) -> Result<Self> {
        let (e, zero) = (epsilon.exp()?, Real::int(0));
        let less = e.minus(&one());
        // What the user's report is out of, and r/(1 − r).
        let (answers, odds) = match of {
            Reports::Clones => (2, one().over(&less)?),
            Reports::Blanket { answers } | Reports::ThirdValue { answers } => {
                (answers, Real::int(2).over(&less.plus(&Real::int(answers.saturating_sub(2))))?)
            }
            Reports::OneValue => (2, e.clone()),
        };
        let third = Real::int(answers.saturating_sub(2));
        let total = e.plus(&one()).plus(&third);
        let third = if matches!(of, Reports::ThirdValue { .. }) { share(&third.over(&total)?, 1, 2) } else { zero };
        let law = Binomial::new(others, &odds)?;
        Ok(Self { of, others, own: e.over(&total)?, other: one().over(&total)?, third, odds, law })
    }

    /// δ and s: δ(u) = 1 − u + u·δ(1/u) and s(u) = 1 − Q(L ≥ 1/u), both on the right of the pair in the other order.
    pub fn at(&self, direction: Direction, u: &Real) -> Result<(Real, Real)> {
        let is_count = matches!(self.of, Reports::OneValue);
        let straight = |u: &Real| if is_count { self.of_count(u) } else { self.of_coins(u) };
        if !(if is_count { direction == Direction::Add } else { u.hi < one().lo }) {
            return straight(u);
        }
        let v = one().over(u)?;
        let (delta, null) = straight(&v)?;
        let power = delta.plus(&v.times(&null));
        Ok((one().minus(u).plus(&u.times(&delta)), one().minus(&power)))
    }

    /// Given c coins, Q/P is above u for k < (c + 1)·(A − uB)/((A − B)(1 + u)) of them (U2); A and B grow by the report of a third value (U4). u ≥ 1.
    fn of_coins(&self, u: &Real) -> Result<(Real, Real)> {
        let slope = self.own.minus(&self.other).times(&one().plus(u));
        // Half of all places then, and no gain at that in the middle.
        let is_one = u.lo == one().lo && u.hi == one().lo;
        let mut heads: Option<Heads> = None;
        let rest = self.left_out();
        let third = self.third.times(&self.odds);
        let (mut delta, mut null) = (up_to(&rest), up_to(&rest));
        for (coins, mass) in (self.law.first..).zip(&self.law.masses) {
            spend(12_000)?;
            let more = share(&third, self.others.saturating_sub(coins), coins + 1);
            let (own, other) = (self.own.plus(&more), self.other.plus(&more));
            let gain = own.minus(&u.times(&other));
            let ratio = if is_one { half() } else { gain.at_least_zero().over(&slope)? };
            let place = |end: &BigInt| (end * (coins + 1)).div_ceil(&one().lo).to_u64().unwrap_or(u64::MAX);
            let (least, most) = (place(&ratio.lo), place(&ratio.hi));
            let mut now = match heads.take() {
                Some(now) => now,
                None if least > coins / 2 + 1 => {
                    return Err(Rejected::unproved("a threshold is not where u is 1 or more"));
                }
                None => Heads::new(coins, least)?,
            };
            if now.coins < coins {
                now.toss();
            }
            while now.upto < least.min(coins + 1) {
                spend(1_500)?;
                now.right();
            }
            Reason::Unproved.when(now.upto > least || most > least + 1, "a threshold among coins is not told")?;
            let mixed = |a: &Real, b: &Real, here: &Real, before: &Real| a.times(here).plus(&b.times(before));
            let fewer = now.below.minus(&now.before);
            let (with, without) = (mixed(&own, &other, &now.below, &fewer), mixed(&other, &own, &now.below, &fewer));
            let mut gained = with.minus(&u.times(&without));
            let mut size = without;
            // At the threshold, where that is not told.
            let with = mixed(&own, &other, &now.at, &now.before);
            let without = mixed(&other, &own, &now.at, &now.before);
            let hinge = with.minus(&u.times(&without));
            if !hinge.hi.is_negative() && !is_one {
                gained.hi += &hinge.hi;
                size.hi += &without.hi;
            }
            delta = delta.plus(&mass.times(&gained.at_least_zero()));
            null = null.plus(&mass.times(&size));
            heads = Some(now);
        }
        Ok((delta.over(&self.law.total)?, null.at_least_zero().over(&self.law.total)?))
    }

    /// At most what no number of coins that is looked at stands for: a third value among so many reports may also be seen with one coin less.
    fn left_out(&self) -> Real {
        let least = self.law.masses.first().filter(|_| self.law.first > 0);
        least.map_or(self.law.rest.clone(), |mass| mass.plus(&self.law.rest))
    }

    /// The best tests ask for at least so many reports: (1 − u)·T + (A − uB)·w(c − 1), T that of c or more others (U6).
    fn of_count(&self, u: &Real) -> Result<(Real, Real)> {
        let (total, rest) = (&self.law.total, &self.law.rest);
        let less = one().minus(u);
        let gain = self.own.minus(&u.times(&self.other));
        let mut tail = up_to(rest);
        // Hardly any number, and all but hardly any.
        let far = up_to(&rest.plus(rest));
        let mut tests = vec![
            (far.minus(&u.times(&far)), far.clone()),
            (less.times(total).plus(&far).minus(&u.times(&far)), total.minus(&far)),
        ];
        for mass in self.law.masses.iter().rev() {
            spend(6_000)?;
            tests.push((less.times(&tail).plus(&gain.times(mass)), tail.plus(&self.other.times(mass))));
            tail = tail.plus(mass);
        }
        let least = tests.iter().map(|(value, _)| value.lo.clone()).max().unwrap_or_default().max(BigInt::zero());
        let best = tests.into_iter().filter(|(value, _)| value.hi >= least);
        let both = best.reduce(|a, b| (a.0.hull(&b.0), a.1.hull(&b.1)));
        let (value, null) = both.unwrap_or_else(|| (Real::int(0), Real::int(0)));
        let value = Real::new(least.clone(), value.hi.max(least));
        Ok((value.over(total)?, null.at_least_zero().over(total)?))
    }
}

#[cfg(test)]
#[path = "shuffled_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "shuffled_parts_tests.rs"]
mod parts;
