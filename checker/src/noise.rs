//! Mixtures of shifted noise: one threshold is a test, and bounds δ from both sides wherever it is (C4 of `proofs/FORMAT.md`).

use std::iter::successors;

use crate::finite::Outcome;
use crate::*;

/// Noise under P moved down, under Q moved up.
pub struct Mixtures {
    noise: Noise,
    law: Law,
    /// (weight, place): P is moved to places of at most 0, Q to such of at least 0.
    down: Vec<(Real, Real)>,
    up: Vec<(Real, Real)>,
}

enum Law {
    Gaussian,
    Laplace,
    /// On the integers.
    Table(Table),
}

impl Law {
    /// The law, and how far a shift of 1 is.
    fn of(noise: &Noise) -> Result<(Self, Real)> {
        Ok(match noise {
            Noise::Gaussian { square } => (Self::Gaussian, Real::of(square).sqrt()?),
            Noise::Laplace { unit } => (Self::Laplace, Real::of(unit)),
            Noise::DiscreteGaussian { square, parties } => {
                (Self::Table(Table::gaussian_sum(square, *parties)?), Real::int(1))
            }
            Noise::DiscreteLaplace { scale } => (Self::Table(Table::powers(scale, None)?), Real::int(1)),
            Noise::Truncated { scale, last } => (Self::Table(Table::powers(scale, Some(*last))?), Real::int(1)),
            Noise::Skellam { mean } => (Self::Table(Table::skellam(mean)?), Real::int(1)),
        })
    }

    /// P(X > x), on the integers P(X ≥ x).
    fn tail(&self, x: &Real) -> Result<Real> {
        match self {
            Self::Gaussian => x.normal_tail(),
            Self::Laplace => {
                // The density is e^(−|x|)/2.
                let tail = x.size().neg().exp()?.times(&half());
                Ok(match (x.lo.is_negative(), x.hi.is_positive()) {
                    (true, true) => tail.hull(&Real::int(1).minus(&tail)),
                    (true, false) => Real::int(1).minus(&tail),
                    _ => tail,
                })
            }
            // Further out the table has nothing either.
            Self::Table(table) => {
                let far = Real::int(1i64 << FARTHEST_SHIFT);
                Ok(table.above(whole(&x.within(&far.neg(), &far))))
            }
        }
    }
}

/// P(X > x), on the integers P(X ≥ x), of noise that is not moved.
pub fn tail(noise: &Noise, x: &BigRational) -> Result<Real> {
    let (law, unit) = Law::of(noise)?;
    law.tail(&Real::of(x).times(&unit))
}

/// log N(0)/N(1) of Skellam noise: from where each ratio matters little to the next one.
pub fn largest_bend(mean: &BigRational) -> Result<Real> {
    let deviation = Real::of(&(mean * BigInt::from(2))).sqrt()?;
    let length = Table::length(&(deviation.ends().1 * BigInt::from(8)))?;
    spend_each(length, 1_000)?;
    let ratios = Table::ratios(&Real::of(mean), length.max(1))?;
    ratios.last().ok_or_else(|| Rejected::unproved("no ratio"))?.ln().map(|log| log.neg())
}

/// What the test "X > x" bounds.
pub struct Cut {
    pub at: BigInt,
    pub delta: Real,
    pub null: Real,
}

impl Mixtures {
    pub fn new(noise: &Noise, down: &Shifts, up: &Shifts) -> Result<Self> {
        let (law, unit) = Law::of(noise)?;
        if matches!(law, Law::Table(_)) {
            let most = BigRational::from(BigInt::one() << FARTHEST_SHIFT);
            let is_between = down.iter().chain(up).any(|(_, shift)| !shift.is_integer());
            Reason::Malformed.when(is_between, "noise on the integers is moved by whole numbers")?;
            let is_far = down.iter().chain(up).any(|(_, shift)| shift.abs() > most);
            Reason::Limit.when(is_far, "noise on the integers is moved by more than 2^40")?;
        }
        let place = |(weight, shift): &(BigRational, BigRational)| (Real::of(weight), Real::of(shift).times(&unit));
        let (up, down) =
            (up.iter().map(place).collect(), down.iter().map(place).map(|(weight, at)| (weight, at.neg())).collect());
        Ok(Self { noise: noise.clone(), law, down, up })
    }

    /// δ and the size of a test at u: that of the threshold where L is next to u, as far as a search finds it.
    pub fn cut(&self, log: &Real, u: &Real) -> Result<Cut> {
        spend_each(self.down.len() + self.up.len(), 200_000)?;
        match &self.law {
            Law::Table(table) => self.cut_of_integers(table, u),
            _ => self.cut_at(self.threshold(log)?, u),
        }
    }

    /// log Σ q^t·p^(1−t) at t > 1, of noise on the integers, where it is known: of masses that are no smaller than 2^-192 one by one; further to the right the
    /// terms fall at least as fast as from the last one, further to the left q/p is no larger than at the first one (R7).
    pub fn moment(&self, order: &BigRational) -> Result<Option<Real>> {
        let Law::Table(table) = &self.law else { return Ok(None) };
        let far = |list: &[(Real, Real)]| list.iter().map(|(_, shift)| whole(&shift.size())).max().unwrap_or(0);
        let (up, down, one) = (far(&self.up), far(&self.down), Real::int(1));
        let known = table.masses.iter().take_while(|mass| mass.lo.bits() > u64::from(w() / 3)).count();
        let (known, apart) = (known.to_i64().unwrap_or(0) - 1, int(up + down));
        let (first, last) = (up - known, known - down);
        if last < up || last - first > LONGEST_SUM {
            return Ok(None);
        }
        let fall = table.mass(last - up + 1).over(&table.mass(last - up))?;
        // At least N(k + 1 − up)·N(k + down)/(N(k − up)·N(k + 1 + down)), k ≥ last.
        let bend = match &self.noise {
            Noise::DiscreteGaussian { square, parties } => {
                let parties = int(*parties);
                Real::of(&((apart + &parties - BigRational::one()) / (square * parties))).exp()?
            }
            Noise::Skellam { mean } => one.plus(&Real::of(&(apart / mean)).times(&fall)),
            Noise::DiscreteLaplace { .. } => one.clone(),
            Noise::Gaussian { .. } | Noise::Laplace { .. } | Noise::Truncated { .. } => return Ok(None),
        };
        let (t, less) = (Real::of(order), Real::of(&(order - BigRational::one())));
        let next = fall.times(&bend.ln()?.times(&less).exp()?);
        let masses = |k| self.sum(|k| table.mass(k), k);
        let outcomes: Vec<_> = (first..=last).map(masses).map(|[q, p]| Outcome::of((q, p))).collect();
        let (Some(sum), true) = (finite::moment(&outcomes, order)?, next.hi < one.lo) else { return Ok(None) };
        let logs = |[q, p]: [Real; 2]| Ok::<_, Rejected>((q.ln()?, p.ln()?));
        let ((q, p), (left_q, left_p)) = (logs(masses(last))?, logs(masses(first))?);
        let right = t.times(&q).minus(&less.times(&p)).minus(&sum).exp()?.times(&next).over(&one.minus(&next))?;
        let [_, above] = self.sum(|k| table.above(k), first);
        let left = t.times(&left_q.minus(&left_p)).minus(&sum).exp()?.times(&one.minus(&above));
        // log(1 + x) ≤ x.
        Ok(Some(sum.plus(&Real::int(0).hull(&right.plus(&left).at_least_zero()))))
    }

    /// Tests "X > x" and "X ≤ x" under Q and P; the ratio dQ/dP just below and just above x, where it is known.
    fn bounded(&self, at: BigInt, above: [Real; 2], below: [Real; 2], ratio: [Option<Real>; 2], u: &Real) -> Cut {
        let ([q_above, p_above], [q_below, p_below]) = (&above, &below);
        let test = q_above.minus(&u.times(p_above));
        let [left, right] = ratio;
        // What a better threshold to the left would add, and one to the right.
        let left = left.map_or(q_below.hi.clone(), |ratio| {
            ratio.minus(u).at_least_zero().times(p_below).hi.min(q_below.hi.clone())
        });
        let worst = u.times(p_above).hi;
        let right =
            right.map_or(worst.clone(), |ratio| u.minus(&ratio).at_least_zero().times(p_above).hi.min(worst.clone()));
        let gain = left.max(right).max(BigInt::zero());
        let most = (&test.hi + gain).min(q_above.hi.clone() + q_below.hi.clone());
        Cut { at, delta: Real::new(test.lo.clone(), most.max(test.lo)), null: p_above.clone() }
    }

    /// The test "X > x" of noise with a density.
    fn cut_at(&self, x: BigInt, u: &Real) -> Result<Cut> {
        let place = Real::units(x.clone());
        let sum = |list: &[(Real, Real)], right: bool| {
            let part = |(weight, shift): &(Real, Real)| {
                let place = if right { place.minus(shift) } else { shift.minus(&place) };
                Ok(weight.times(&self.law.tail(&place)?))
            };
            list.iter().map(part).sum::<Result<_>>()
        };
        let side = |right: bool| Ok::<_, Rejected>([sum(&self.up, right)?, sum(&self.down, right)?]);
        let (above, below) = (side(true)?, side(false)?);
        let (q, p, _) = self.densities(&place)?;
        let ratio = q.minus(&p).exp().ok();
        Ok(self.bounded(x, above, below, [ratio.clone(), ratio], u))
    }

    /// Logarithms of the densities of Q and P at x, up to a common number, and the slope of their difference.
    fn densities(&self, x: &Real) -> Result<(Real, Real, Real)> {
        let side = |list: &[(Real, Real)]| {
            let part = |(weight, shift): &(Real, Real)| match self.law {
                // −(x − s)²/2 + x²/2
                Law::Gaussian => (weight.clone(), shift.times(&x.minus(&shift.times(&half()))), shift.clone()),
                // |x| − |x − s|
                _ => {
                    let rest = x.minus(shift);
                    let pull = Real::int(if rest.lo.is_negative() { 1 } else { -1 });
                    (weight.clone(), x.size().minus(&rest.size()), pull)
                }
            };
            let parts: Vec<_> = list.iter().map(part).collect();
            let top = parts.iter().map(|(_, exponent, _)| exponent.lo.clone()).max().unwrap_or_default();
            let top = Real::units(top);
            let (mut sum, mut moment) = (Real::int(0), Real::int(0));
            for (weight, exponent, pull) in &parts {
                let part = weight.times(&exponent.minus(&top).exp()?);
                (sum, moment) = (sum.plus(&part), moment.plus(&part.times(pull)));
            }
            Ok::<_, Rejected>((sum.ln()?.plus(&top), moment.over(&sum)?))
        };
        let ((q, rise), (p, fall)) = (side(&self.up)?, side(&self.down)?);
        Ok((q, p, rise.minus(&fall)))
    }

    /// A number where the ratio is about e^log: a guess, from which bounds follow wherever it is.
    fn threshold(&self, log: &Real) -> Result<BigInt> {
        let reach = match self.law {
            Law::Gaussian => 24,
            _ => 220,
        };
        let far = self.down.iter().chain(&self.up).map(|(_, shift)| shift.size().hi).max().unwrap_or_default();
        let far = (BigInt::from(reach) << w()) + far;
        let (mut low, mut high) = (-far.clone(), far);
        let mut x = BigInt::zero();
        let close = BigInt::one() << (w() / 8);
        // Where the ratio is above e^log everywhere, or nowhere.
        for (end, is_left) in [(&low, true), (&high, false)] {
            let (q, p, _) = self.densities(&Real::units(end.clone()))?;
            if q.minus(&p).minus(log).lo.is_positive() == is_left {
                return Ok(end.clone());
            }
        }
        for _ in 0..400 {
            spend_each(self.down.len() + self.up.len(), 12_000)?;
            let (q, p, slope) = self.densities(&Real::units(x.clone()))?;
            let gap = q.minus(&p).minus(log).lo;
            if gap.abs() <= close || &high - &low <= close {
                break;
            }
            *(if gap.is_positive() { &mut high } else { &mut low }) = x.clone();
            let next = slope.lo.is_positive().then(|| &x - (gap << w()) / &slope.lo);
            x = next.filter(|next| *next > low && *next < high).unwrap_or_else(|| (&low + &high) >> 1);
        }
        Ok(x)
    }

    fn cut_of_integers(&self, table: &Table, u: &Real) -> Result<Cut> {
        let far = self.down.iter().chain(&self.up).map(|(_, shift)| whole(&shift.size())).max().unwrap_or(0);
        let end = table.masses.len().to_i64().unwrap_or(0) + far;
        // The ratio increases: the first k where it is above u.
        let (mut low, mut high) = (-end, end);
        while low < high {
            spend_each(self.down.len() + self.up.len(), 2_000)?;
            let k = low + (high - low) / 2;
            let [q, p] = self.sum(|k| table.mass(k), k);
            let p = u.times(&p);
            // Where both are too small to tell, it is a guess.
            let is_above = q.lo > p.hi || (q.hi >= p.lo && k > 0);
            if is_above { high = k } else { low = k + 1 }
        }
        Ok(self.cut_from(table, low, u))
    }

    /// Of something at k for noise that is not moved, under Q and under P.
    fn sum(&self, of: impl Fn(i64) -> Real, k: i64) -> [Real; 2] {
        [&self.up, &self.down].map(|list| list.iter().map(|(weight, place)| weight.times(&of(k - whole(place)))).sum())
    }

    /// The test "X ≥ k" of noise on the integers.
    fn cut_from(&self, table: &Table, k: i64, u: &Real) -> Cut {
        let above = self.sum(|k| table.above(k), k);
        // X < k is −X ≥ 1 − k.
        let below = above.each_ref().map(|tail| Real::int(1).minus(tail).at_least_zero());
        let ratio = |k: i64, is_above: bool| ratio_beyond(self.sum(|k| table.mass(k), k), u, is_above);
        self.bounded(BigInt::from(k), above, below, [ratio(k - 1, false), ratio(k, true)], u)
    }
}

/// Q/P beside a cut, where something is known of it; u where it is certain on which side of u it is, so that nothing is to be gained there.
fn ratio_beyond([q, p]: [Real; 2], u: &Real, is_above: bool) -> Option<Real> {
    let least = u.times(&p);
    let is_certain = if is_above { q.lo >= least.hi } else { q.hi <= least.lo };
    match (is_certain, p.lo.bits() < 40) {
        (true, _) => Some(u.clone()),
        // Where masses are a few units their ratio tells nothing.
        (false, true) => None,
        (false, false) => q.over(&p).ok(),
    }
}

/// A whole number, at most 2^40 from 0.
fn whole(shift: &Real) -> i64 {
    (&shift.lo >> w()).to_i64().unwrap_or(0)
}

/// A symmetric law on the integers.
struct Table {
    /// Of 0, 1, 2, …: what is beyond has less than a unit of mass on each side.
    masses: Vec<Real>,
    /// P(X ≥ k) of the same.
    tails: Vec<Real>,
}

/// Sums of more masses are not made.
const LONGEST_SUM: i64 = 1024;
/// Masses further out are not made.
const FARTHEST: usize = 1 << 16;
/// Noise on the integers is moved by at most 2 to this power, so that places are far from the ends of their type.
const FARTHEST_SHIFT: u32 = 40;

impl Table {
    /// P(X = k).
    fn mass(&self, k: i64) -> Real {
        let place = usize::try_from(k.unsigned_abs()).ok();
        place.and_then(|k| self.masses.get(k)).cloned().unwrap_or_else(Real::tiny)
    }

    /// P(X ≥ k).
    fn above(&self, k: i64) -> Real {
        let tail = |k: i64| usize::try_from(k).ok().and_then(|k| self.tails.get(k)).cloned().unwrap_or_else(Real::tiny);
        if k > 0 { tail(k) } else { Real::int(1).minus(&tail(1 - k)) }
    }

    /// From masses of 0, 1, 2, … up to a factor, of which those beyond the list are at most `rest` in all, on one side.
    fn new(weights: &[Real], rest: &Real) -> Result<Self> {
        spend_each(weights.len(), 2_000)?;
        let mut tail = Real::int(0).hull(rest);
        let mut sums = Vec::with_capacity(weights.len());
        for weight in weights.iter().rev() {
            tail = tail.plus(weight);
            sums.push(tail.clone());
        }
        sums.reverse();
        let (Some(all), Some(centre)) = (sums.first(), weights.first()) else {
            return Err(Rejected::unproved("an empty law"));
        };
        let total = all.plus(all).minus(centre);
        let share = |of: &[Real]| of.iter().map(|x| x.over(&total)).collect::<Result<Vec<_>>>();
        Ok(Self { masses: share(weights)?, tails: share(&sums)? })
    }

    fn length(terms: &BigRational) -> Result<usize> {
        let length = terms.ceil().to_integer().to_usize().filter(|n| *n < FARTHEST);
        length.ok_or_else(|| Rejected::limit("noise on the integers that is too wide"))
    }

    /// e^(−k²/(2σ²)) up to k = 21σ + 1, where it is below e^(−220); the rest is at most (1 + σ²/k) times that, less than a unit.
    fn gaussian(square: &BigRational) -> Result<Self> {
        spend(digits(square).saturating_mul(digits(square)))?;
        let (_, sigma) = Real::of(square).sqrt()?.ends();
        let length = Self::length(&(sigma * BigInt::from(21) + BigInt::one()))?;
        let step = Real::of(&square.recip()).neg().exp()?;
        let fall = Real::of(&(square * BigInt::from(2)).recip()).neg().exp()?;
        spend_each(length, 100)?;
        let terms = successors(Some((Real::int(1), fall)), |(last, fall)| Some((last.times(fall), fall.times(&step))));
        let weights: Vec<_> = terms.map(|(weight, _)| weight).take(length + 1).collect();
        Self::new(&weights, &Real::tiny())
    }

    /// The sum of N of them, V = N·σ² (Z7): e^(−k²/(2V)) but for a factor between 1 − D and 1 + D, D = (1 + 2p/(1 − p))^N − 1 with p = e^(−π²σ²); where
    /// that is not next to 1, convolved.
    fn gaussian_sum(square: &BigRational, parties: u64) -> Result<Self> {
        let variance = square * BigInt::from(parties);
        let near = Self::gaussian(&variance)?;
        if parties == 1 {
            return Ok(near);
        }
        // π² > 9.
        let p = Real::of(&(square * BigInt::from(9))).neg().exp()?;
        let odds = p.plus(&p).over(&Real::int(1).minus(&p))?.times(&Real::int(parties));
        if odds.hi.bits() < u64::from(w() - 64) {
            // (1 + x)^N − 1 ≤ e^(Nx) − 1 ≤ 2Nx.
            let off = odds.plus(&odds);
            let factor = Real::int(1).minus(&off).hull(&Real::int(1).plus(&off));
            let weights: Vec<_> = near.masses.iter().map(|mass| mass.times(&factor)).collect();
            return Self::new(&weights, &Real::tiny());
        }
        let once = Self::gaussian(square)?.masses;
        let mut sum = once.clone();
        for bit in (0..parties.ilog2()).rev() {
            sum = convolved(&sum, &sum, near.masses.len())?;
            if parties >> bit & 1 == 1 {
                sum = convolved(&sum, &once, near.masses.len())?;
            }
        }
        // Each table leaves out less than a unit on each side, and so does each convolution.
        let left_out = Real::int(0).hull(&Real::new(BigInt::zero(), BigInt::from(parties) * 8));
        let weights: Vec<_> = sum.iter().map(|mass| mass.plus(&left_out)).collect();
        Self::new(&weights, &left_out)
    }

    /// x^k with x = e^(−1/scale): up to `last`, or to k = 201·scale + 1, where it is below e^(−201) and the rest is x^k·x/(1 − x).
    fn powers(scale: &BigRational, last: Option<u64>) -> Result<Self> {
        let all = scale * BigInt::from(201) + BigInt::one();
        let length = Self::length(&last.map_or(all, int))?;
        let x = Real::of(&scale.recip()).neg().exp()?;
        spend_each(length, 100)?;
        let powers: Vec<_> = successors(Some(Real::int(1)), |power| Some(power.times(&x))).take(length + 1).collect();
        let beyond = powers.last().filter(|_| last.is_none()).cloned().unwrap_or_else(|| Real::int(0));
        Self::new(&powers, &beyond.times(&x).over(&Real::int(1).minus(&x))?)
    }

    /// Products of the ratios, which decrease (N is log-concave).
    fn skellam(mean: &BigRational) -> Result<Self> {
        spend(digits(mean).saturating_mul(digits(mean)))?;
        let (_, deviation) = Real::of(&(mean * BigInt::from(2))).sqrt()?.ends();
        let length = Self::length(&(deviation * BigInt::from(21) + BigInt::from(64)))?;
        spend_each(length, 1_000)?;
        let ratios = Self::ratios(&Real::of(mean), length)?;
        let mut weights = vec![Real::int(1)];
        for ratio in ratios.iter().rev() {
            weights.extend(weights.last().map(|last| last.times(ratio)));
        }
        let most = ratios.first().cloned().unwrap_or_else(|| Real::int(1));
        let next = weights.last().map_or_else(Real::tiny, |last| last.times(&most));
        Self::new(&weights, &next.over(&Real::int(1).minus(&most))?)
    }

    /// ρ_k = N(k)/N(k − 1) of Skellam noise, k from `length` down to 1: each is 1/(k/m + ρ_(k+1)), and in [0, 1] (N is symmetric and log-concave).
    fn ratios(mean: &Real, length: usize) -> Result<Vec<Real>> {
        let (mut ratio, mut ratios) = (Real::int(0).hull(&Real::int(1)), Vec::with_capacity(length));
        for k in (1..=length + 64).rev() {
            let slope = Real::int(k).over(mean)?;
            ratio = Real::int(1).over(&slope.plus(&ratio))?;
            if k <= length {
                ratios.push(ratio.clone());
            }
        }
        Ok(ratios)
    }
}

/// The masses of 0, 1, …, `length` − 1 of the sum of two that are symmetric.
fn convolved(one: &[Real], other: &[Real], length: usize) -> Result<Vec<Real>> {
    let (far, length) = (other.len().saturating_sub(1), length.min(one.len() + other.len()));
    spend_each(length.saturating_mul(2 * far + 1), 500)?;
    let at = |list: &[Real], k: i64| usize::try_from(k.unsigned_abs()).ok().and_then(|k| list.get(k)).cloned();
    let (far, length) = (i64::try_from(far).unwrap_or(0), i64::try_from(length).unwrap_or(0));
    let mass = |k: i64| (-far..=far).filter_map(|j| Some(at(other, j)?.times(&at(one, k - j)?))).sum();
    Ok((0..length).map(mass).collect())
}

#[cfg(test)]
#[path = "noise_tests.rs"]
mod twins;
