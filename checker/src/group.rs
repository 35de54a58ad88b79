//! Groups of records of each of which a guarantee or a pair is all that is known (M5 of `proofs/FORMAT.md`).

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::mechanism::Relation;
use crate::normal::{MOST_RECORDS, Normal, binomial};
use crate::real::{Real, w};
use crate::reason::Rejected;
use crate::step::{Epsilon, Step};
use crate::work::spend_on;

fn too_many() -> Rejected {
    Rejected::limit("a group of more than 256 records under a guarantee")
}

/// Under (ε, δ)-DP: the points ((a − b)ε, 1 − e^(−bε)·(1 − δ(S_a + S_b))), a + b records, a ≥ b, S_n = 1 + e^ε + … + e^((n − 1)ε) (N13, N15). Where
/// e^ε is no fraction, they are bounded, and those from below are a member.
pub fn under_guarantee(epsilon: &Epsilon, delta: &BigRational, records: u64) -> Result<Normal, Rejected> {
    if records > MOST_RECORDS {
        return Err(too_many());
    }
    let one = BigRational::one();
    let odds = match epsilon {
        Epsilon::LogOf(odds) => Some(odds.clone()),
        Epsilon::Plain(epsilon) => epsilon.is_zero().then(BigRational::one),
    };
    // At most and at least: e^(nε), S_n.
    let mut powers = vec![[one.clone(), one.clone()]];
    let mut sums = vec![[BigRational::zero(), BigRational::zero()]];
    for n in 1..=records {
        let [high, low] = powers.last().cloned().unwrap_or_default();
        let [sum_high, sum_low] = sums.last().cloned().unwrap_or_default();
        sums.push([sum_high + &high, sum_low + &low]);
        powers.push(match &odds {
            Some(odds) => {
                spend_on(&[&high, odds])?;
                [high * odds, low * odds]
            }
            None => {
                let power = Real::of(&(epsilon.number() * BigInt::from(n))).exp()?;
                [power.hi, power.lo].map(|end| BigRational::new(end, BigInt::one() << w()))
            }
        });
    }
    let (mut most, mut least) = (Vec::new(), Vec::new());
    let loss = |n: u64| -> Epsilon {
        match (epsilon, usize::try_from(n).ok().and_then(|n| powers.get(n))) {
            (Epsilon::LogOf(_), Some([power, _])) => Epsilon::LogOf(power.clone()),
            _ => Epsilon::Plain(epsilon.number() * BigInt::from(n)),
        }
    };
    let last = if epsilon.is_zero() { 0 } else { records / 2 };
    for (b, ([more, less], [above, below])) in (0..=last).zip(sums.iter().zip(&powers)) {
        let Some([high, low]) = usize::try_from(records - b).ok().and_then(|a| sums.get(a)) else { break };
        spend_on(&[high, more, delta, above])?;
        let at = loss(records - b - b);
        let point = |sum: BigRational, power: &BigRational| &one - (&one - sum * delta) / power;
        let (high, low) = (point(high + more, above), point(low + less, below));
        if high < one {
            most.push((at.clone(), high));
        }
        if low < one {
            least.push((at, low.max(BigRational::zero())));
        }
    }
    let step = |points: Vec<_>| if points.is_empty() { everything() } else { Step::Guarantee { points } };
    Ok(Normal::between(vec![vec![(step(least), 1)]], Normal::guarantee(step(most))))
}

/// It is said whether the records are there.
fn everything() -> Step {
    let [zero, one] = [BigRational::zero(), BigRational::one()];
    Step::Finite { p: vec![one.clone(), zero.clone()], q: vec![zero, one] }
}

/// The most that a test of each level can have, F, concave: its corners (level, power), at levels from 0 to 1 that increase.
struct Power(Vec<(BigRational, BigRational)>);

impl Power {
    /// Of a pair: outcomes from the largest q/p on.
    fn of_pair(p: &[BigRational], q: &[BigRational]) -> Result<Self, Rejected> {
        let mut outcomes: Vec<_> = p.iter().zip(q).collect();
        for (p, q) in &outcomes {
            // Each is compared with some others.
            (0..16).try_for_each(|_| spend_on(&[p, q, p, q]))?;
        }
        outcomes.retain(|(p, q)| !p.is_zero() || !q.is_zero());
        outcomes.sort_by(|(p, q), (other_p, other_q)| (*other_q * *p).cmp(&(*q * *other_p)));
        let mut corners = vec![(BigRational::zero(), BigRational::zero())];
        for (p, q) in outcomes {
            let Some((level, power)) = corners.last().cloned() else { break };
            spend_on(&[&level, p, &power, q])?;
            if p.is_zero() {
                corners.clear();
            }
            corners.push((level + p, power + q));
        }
        Ok(Self::around(corners))
    }

    /// Of all that is (log u, δ)-DP: the least of um + δ, 1 − (1 − δ − m)/u and 1.
    fn of_guarantee(u: &BigRational, delta: &BigRational) -> Self {
        let one = BigRational::one();
        let rest = &one - delta;
        // The two lines meet where m = 1 − F(m).
        let middle = &rest / (u + &one);
        let corners = [(BigRational::zero(), delta.clone()), (middle.clone(), &one - middle), (rest, one.clone())];
        Self(if delta.is_one() {
            vec![(BigRational::zero(), one.clone()), (one.clone(), one)]
        } else {
            let end = (!delta.is_zero()).then(|| (one.clone(), one));
            corners.into_iter().chain(end).collect()
        })
    }

    /// The least concave F above these points, whose levels increase from 0 to 1.
    fn around(points: Vec<(BigRational, BigRational)>) -> Self {
        let mut corners: Vec<(BigRational, BigRational)> = Vec::new();
        for (level, power) in points {
            while let [.., (a, x), (b, y)] = corners.as_slice()
                && (&power - x) * (b - a) >= (&level - a) * (y - x)
            {
                corners.pop();
            }
            corners.push((level, power));
        }
        Self(corners)
    }

    /// The least F above this one and that of the other order of the pair, its inverse with both axes turned.
    fn of_either_order(&self) -> Result<Self, Rejected> {
        let one = BigRational::one();
        let turned = self.0.iter().map(|(level, power)| (&one - power, &one - level));
        let mut all: Vec<_> = self.0.iter().cloned().chain(turned).chain([(one.clone(), one.clone())]).collect();
        for (level, power) in &all {
            // Each is compared with some others.
            (0..32).try_for_each(|_| spend_on(&[level, power]))?;
        }
        // Of a jump the upper end counts.
        all.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| other.1.cmp(&one.1)));
        all.dedup_by(|next, kept| next.0 == kept.0);
        Ok(Self::around(all))
    }

    fn none() -> Self {
        Self([BigRational::zero(), BigRational::one()].map(|end| (end.clone(), end)).into())
    }

    fn at(&self, level: &BigRational) -> Result<BigRational, Rejected> {
        let after = self.0.partition_point(|(at, _)| at <= level);
        Ok(match (after.checked_sub(1).and_then(|at| self.0.get(at)), self.0.get(after)) {
            (Some((a, x)), Some((b, y))) => {
                spend_on(&[level, a, b, x, y])?;
                x + (level - a) / (b - a) * (y - x)
            }
            (Some((_, x)), None) | (None, Some((_, x))) => x.clone(),
            (None, None) => BigRational::one(),
        })
    }

    /// First this one, then the other: corners where either has one.
    fn then(&self, next: &Self) -> Result<Self, Rejected> {
        let mut corners: Vec<(BigRational, BigRational)> = Vec::new();
        let mut inner = next.0.iter().peekable();
        let mut before: Option<&(BigRational, BigRational)> = None;
        for corner in &self.0 {
            let (level, power) = corner;
            while let Some((at, reached)) = inner.next_if(|(at, _)| at < power) {
                if let Some((a, x)) = before.filter(|(_, x)| x < at) {
                    spend_on(&[at, x, power, level, a])?;
                    corners.push((a + (at - x) / (power - x) * (level - a), reached.clone()));
                }
            }
            corners.push((level.clone(), next.at(power)?));
            before = Some(corner);
        }
        if corners.len() > 4096 {
            return Err(Rejected::limit("what a group reveals has more than 4096 outcomes"));
        }
        Ok(Self(corners))
    }

    /// The pair of as many records as take part, each with this probability (N15).
    fn of_group(&self, records: u64, rate: &BigRational) -> Result<Step, Rejected> {
        let chances = binomial(records, rate, &BigRational::one())?;
        let mut powers = vec![Self::none()];
        for _ in 0..records {
            let next = powers.last().map(|last| last.then(self)).transpose()?;
            powers.extend(next);
        }
        let mut corners = Vec::new();
        // The last one has the corners of all.
        for (level, _) in powers.last().map_or(&[][..], |last| &last.0) {
            let mut reached = BigRational::zero();
            for ((chance, _), of) in chances.iter().zip(&powers).filter(|((chance, _), _)| !chance.is_zero()) {
                let part = of.at(level)?;
                spend_on(&[&reached, &part, chance])?;
                reached += part * chance;
            }
            corners.push((level.clone(), reached));
        }
        let (mut p, mut q) = (Vec::new(), Vec::new());
        let mut before = (BigRational::zero(), BigRational::zero());
        for corner in Self::around(corners).0 {
            let (one, other) = (&corner.0 - before.0, &corner.1 - before.1);
            if !one.is_zero() || !other.is_zero() {
                p.push(one);
                q.push(other);
            }
            before = corner;
        }
        Ok(Step::Finite { p, q })
    }
}

/// A group of records of each of which a pair is all that is known, `rate` in (0, 1]. A replaced one may change in either order of the pair; all in one is a member.
pub fn of_pair(
    p: &[BigRational], q: &[BigRational], records: u64, rate: &BigRational, relation: Relation,
) -> Result<Normal, Rejected> {
    let power = Power::of_pair(p, q)?;
    let one = power.of_group(records, rate)?;
    let most = match relation {
        Relation::Presence | Relation::ReplaceSpecial => one.clone(),
        Relation::ReplaceOne => power.of_either_order()?.of_group(records, rate)?,
    };
    Ok(Normal::between(vec![vec![(one, 1)]], Normal::guarantee(most)))
}

/// A group under (ε, δ)-DP on a Poisson sample: where e^ε is no fraction, by shorter ones beside it, as F grows with it.
pub fn sampled_guarantee(
    epsilon: &Epsilon, delta: &BigRational, records: u64, rate: &BigRational,
) -> Result<Normal, Rejected> {
    let unit = BigInt::one() << 64u32;
    let odds = epsilon.exp()?;
    let [low, high] = match epsilon {
        Epsilon::LogOf(odds) => [odds.clone(), odds.clone()],
        Epsilon::Plain(_) => {
            let of = |units: BigInt| BigRational::new(units, unit.clone());
            [of(odds.floor_units(64)).max(BigRational::one()), of(odds.ceil_units(64))]
        }
    };
    let [low, high] = [low, high].map(|odds| Power::of_guarantee(&odds, delta).of_group(records, rate));
    Ok(Normal::between(vec![vec![(low?, 1)]], Normal::guarantee(high?)))
}

#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
