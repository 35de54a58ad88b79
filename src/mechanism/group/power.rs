//! How much a test can gain from record to record, exactly (`proofs/README.md`, N15).

use rug::Rational;

/// Bits of all numbers of a pair that is written out, about.
const MOST_BITS: u64 = 1 << 23;

/// The most power that a test of each level can have one record further, or several: F, concave and growing on [0, 1], 1 at 1.
///
/// By its corners (level, power): levels from 0 to 1, strictly increasing; slopes decrease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Power {
    corners: Vec<(Rational, Rational)>,
}

impl Power {
    /// Of one pair of laws, `p` without the record and `q` with it: outcomes by falling ratio q/p.
    pub(super) fn of_pair(p: &[Rational], q: &[Rational]) -> Self {
        let mut outcomes: Vec<_> = p
            .iter()
            .zip(q)
            .filter(|(p, q)| **p != 0 || **q != 0)
            .collect();
        outcomes.sort_by(|(p, q), (other_p, other_q)| {
            Rational::from(*q * *other_p)
                .cmp(&Rational::from(*other_q * *p))
                .reverse()
        });
        let (mut level, mut power) = (Rational::new(), Rational::new());
        let mut corners: Vec<(Rational, Rational)> = Vec::new();
        for (p, q) in outcomes {
            if *p != 0 && corners.is_empty() {
                corners.push((level.clone(), power.clone()));
            }
            level += p;
            power += q;
            if *p != 0 {
                corners.push((level.clone(), power.clone()));
            }
        }
        Self::around(corners)
    }

    /// Of all mechanisms that are (log u, δ)-DP: the smallest of u·m + δ, 1 − (1 − δ − m)/u and 1.
    ///
    /// Requires: u ≥ 1 and δ in [0, 1].
    pub(super) fn of_guarantee(u: &Rational, delta: &Rational) -> Self {
        let rest = Rational::from(1 - delta);
        // The two lines meet where m = 1 − F(m).
        let middle = &rest / Rational::from(u + 1u32);
        let mut corners = vec![
            (Rational::new(), delta.clone()),
            (middle.clone(), 1 - middle),
            (rest, Rational::from(1)),
            (Rational::from(1), Rational::from(1)),
        ];
        corners.dedup_by(|next, kept| next.0 == kept.0);
        Self { corners }
    }

    /// The smallest concave F above these points, whose levels grow from 0 to 1.
    fn around(points: Vec<(Rational, Rational)>) -> Self {
        let mut corners: Vec<(Rational, Rational)> = Vec::new();
        for point in points {
            while let [.., before, last] = corners.as_slice()
                && is_not_below(before, last, &point)
            {
                corners.pop();
            }
            corners.push(point);
        }
        Self { corners }
    }

    /// F at a level in [0, 1].
    fn at(&self, level: &Rational) -> Rational {
        let after = self.corners.partition_point(|(at, _)| at <= level);
        let from = after.checked_sub(1).and_then(|at| self.corners.get(at));
        match (from, self.corners.get(after)) {
            (Some((a, x)), Some((b, y))) => {
                let share = Rational::from(level - a) / Rational::from(b - a);
                x + share * Rational::from(y - x)
            }
            (Some((_, x)), None) | (None, Some((_, x))) => x.clone(),
            (None, None) => Rational::from(1),
        }
    }

    /// First this one, then the other: all corners of this one are corners of what comes out, if only in name.
    fn then(&self, next: &Self) -> Self {
        let mut corners: Vec<(Rational, Rational)> = Vec::new();
        let mut inner = next.corners.iter().peekable();
        let mut before: Option<&(Rational, Rational)> = None;
        for corner in &self.corners {
            let (level, power) = corner;
            while let Some((at, reached)) = inner.next_if(|(at, _)| at < power) {
                // A corner of the other that this one goes through on the way here.
                if let Some((a, x)) = before.filter(|(_, x)| x < at) {
                    let share = Rational::from(at - x) / Rational::from(power - x);
                    corners.push((a + share * Rational::from(level - a), reached.clone()));
                }
            }
            corners.push((level.clone(), next.at(power)));
            before = Some(corner);
        }
        Self { corners }
    }

    /// The same of the pair in the other order: the inverse, with both axes turned.
    fn turned(&self) -> Self {
        let corners = self.corners.iter().rev();
        let mut corners: Vec<(Rational, Rational)> = corners
            .map(|(level, power)| (Rational::from(1 - power), Rational::from(1 - level)))
            .collect();
        corners.push((Rational::from(1), Rational::from(1)));
        // Of a jump the upper end counts: the last of those at one level.
        corners.reverse();
        corners.dedup_by(|next, kept| next.0 == kept.0);
        corners.reverse();
        Self { corners }
    }

    /// The smallest concave F above this one and the same in the other order.
    pub(super) fn of_either_order(&self) -> Self {
        let turned = self.turned();
        let mut all: Vec<_> = self
            .corners
            .iter()
            .chain(&turned.corners)
            .cloned()
            .collect();
        // Of equal levels the larger power first.
        all.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| other.1.cmp(&one.1)));
        all.dedup_by(|next, kept| next.0 == kept.0);
        Self::around(all)
    }

    /// Are powers of up to `records` records, and their mixture by a sampling rate, short enough to be written out? Numbers grow with the
    /// records by as many bits as all corners and the rate have, and so does the number of corners.
    pub(super) fn is_short(&self, records: u64, rate: &Rational) -> bool {
        let bits = |number: &Rational| {
            let bits = number.numer().significant_bits();
            u64::from(bits.saturating_add(number.denom().significant_bits()))
        };
        let sizes = self.corners.iter();
        let sizes = sizes.map(|(level, power)| bits(level).saturating_add(bits(power)));
        let all = sizes
            .fold(bits(rate), u64::saturating_add)
            .saturating_mul(records);
        let corners = self
            .corners
            .iter()
            .fold(0u64, |count, _| count.saturating_add(records));
        all.saturating_mul(corners) <= MOST_BITS
    }

    /// F of so many records, one after the other.
    pub(super) fn of_records(&self, records: u64) -> Self {
        (0..records).fold(Self::none(), |before, _| before.then(self))
    }

    /// F of as many records as take part: these are the probabilities of none, one, two and so on.
    ///
    /// Requires: probabilities that add up to 1.
    pub(super) fn of_sample(&self, chances: &[Rational]) -> Self {
        let mut powers = vec![Self::none()];
        for _ in chances.iter().skip(1) {
            let next = powers
                .last()
                .map_or_else(Self::none, |last| last.then(self));
            powers.push(next);
        }
        // The last one has the corners of all.
        let levels = powers.last().map_or(&[][..], |last| &last.corners);
        let corners = levels.iter().map(|(level, _)| {
            let parts = powers.iter().zip(chances);
            let parts = parts.map(|(power, chance)| power.at(level) * chance);
            (level.clone(), parts.sum())
        });
        Self::around(corners.collect())
    }

    /// F of no record.
    fn none() -> Self {
        let ends = [Rational::new(), Rational::from(1)];
        Self {
            corners: ends.map(|end| (end.clone(), end)).into(),
        }
    }

    /// The pair of laws whose best tests reach F and no more: without the record, and with it.
    pub(super) fn pair(&self) -> (Vec<Rational>, Vec<Rational>) {
        let (mut p, mut q) = (Vec::new(), Vec::new());
        let (mut level, mut power) = (Rational::new(), Rational::new());
        for (next_level, next_power) in &self.corners {
            let (one, other) = (
                Rational::from(next_level - &level),
                Rational::from(next_power - &power),
            );
            if one != 0 || other != 0 {
                p.push(one);
                q.push(other);
            }
            (level, power) = (next_level.clone(), next_power.clone());
        }
        (p, q)
    }
}

/// Is the third point above the line through the first two, or on it?
fn is_not_below(
    first: &(Rational, Rational),
    second: &(Rational, Rational),
    third: &(Rational, Rational),
) -> bool {
    let apart = |one: &Rational, other: &Rational| Rational::from(one - other);
    let (x, y) = (apart(&second.0, &first.0), apart(&second.1, &first.1));
    let (far_x, far_y) = (apart(&third.0, &first.0), apart(&third.1, &first.1));
    far_y * x >= far_x * y
}

#[cfg(test)]
#[path = "power_tests.rs"]
mod tests;
