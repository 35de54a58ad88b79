//! Trade-off curves in fractions: the most power of a test of each level, a concave polygon (M5 and T4 of `proofs/FORMAT.md`).

use crate::exact::merged;
use crate::*;

/// What a test of each level can have at most, F, concave: its corners (level, power), at levels from 0 to 1 that increase.
pub struct Power(pub Pairs);

impl Power {
    /// Of a pair.
    pub fn of_pair(outcomes: Pairs) -> Result<Self> {
        let mut corners = vec![(BigRational::zero(), BigRational::zero())];
        for (p, q) in merged(outcomes)? {
            let Some((level, power)) = corners.last() else { break };
            spend_on(&[level, &p, power, &q])?;
            let next = (level + &p, power + q);
            if p.is_zero() {
                corners.clear();
            }
            corners.push(next);
        }
        Ok(Self(corners))
    }

    /// The least concave F above these points, whose levels increase from 0 to 1.
    pub fn around(points: Vec<(BigRational, BigRational)>) -> Self {
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
    pub fn of_either_order(&self) -> Result<Self> {
        let one = BigRational::one();
        let turned = self.0.iter().map(|(level, power)| (&one - power, &one - level));
        Self::above(self.0.iter().cloned().chain(turned).collect())
    }

    /// The least F above these points.
    pub fn above(mut all: Pairs) -> Result<Self> {
        all.extend([BigRational::zero(), BigRational::one()].map(|end| (end.clone(), end)));
        for (level, power) in &all {
            // Each is compared with some others.
            (0..32).try_for_each(|_| spend_on(&[level, power]))?;
        }
        // Of a jump the upper end counts.
        all.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| other.1.cmp(&one.1)));
        all.dedup_by(|next, kept| next.0 == kept.0);
        Ok(Self::around(all))
    }

    /// No test is above the lines 1 − height + u·level of these (u, height), whose u increase: where those of the convex hull meet.
    pub fn under(lines: &[(BigRational, BigRational)]) -> Result<Self> {
        let one = BigRational::one();
        let hull = Self::around(lines.to_vec()).0;
        let mut corners: Vec<_> =
            hull.last().map(|(_, height)| (BigRational::zero(), &one - height)).into_iter().collect();
        // The steepest line is that of the smallest level.
        for ((u, high), (v, low)) in hull.iter().zip(hull.iter().skip(1)).rev() {
            let level = (low - high) / (v - u);
            spend_on(&[&level, high, u])?;
            corners.push((level.clone(), &one - high + u * level));
        }
        if corners.last().is_some_and(|(level, _)| *level < one) {
            corners.push((one.clone(), one));
        }
        Ok(Self(corners))
    }

    pub fn none() -> Self {
        Self([BigRational::zero(), BigRational::one()].map(|end| (end.clone(), end)).into())
    }

    pub fn at(&self, level: &BigRational) -> Result<BigRational> {
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
    pub fn then(&self, next: &Self) -> Result<Self> {
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
        Reason::Limit.when(corners.len() > 4096, "what a group reveals has more than 4096 outcomes")?;
        Ok(Self(corners))
    }

    /// The pair with these corners.
    pub fn pair(&self) -> Step {
        let start = (BigRational::zero(), BigRational::zero());
        let rises = std::iter::once(&start).chain(&self.0).zip(&self.0).map(|((a, x), (b, y))| (b - a, y - x));
        let (p, q) = rises.filter(|(p, q)| !p.is_zero() || !q.is_zero()).unzip();
        Step::Finite { p, q }
    }
}
