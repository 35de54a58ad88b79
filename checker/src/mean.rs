//! One of several steps, drawn at random, has the record: pairs above and below an epoch, from the law of a sum of likelihood ratios (M18 of `proofs/FORMAT.md`).

use crate::law::{bits, convolve, mass, sum, times, unit};
use crate::normal::add;
use crate::profile::{Pair, Place};
use crate::*;

/// A mechanism of which random allocations are parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// What else runs.
    pub others: Parts,
    /// One of so many steps has the record, so many times.
    pub epochs: Vec<(Step, u64, u64)>,
    /// Else it is a bound.
    pub is_attained: bool,
}

impl Exact {
    /// With what is above or below each epoch in its place, as the numbers plan it.
    pub fn planned(&self, numbers: &[Vec<BigRational>], side: Side) -> Result<Parts> {
        Reason::SkippedPart.when(numbers.len() != self.epochs.len(), "not every random allocation is planned")?;
        let mut parts = self.others.clone();
        for ((of, steps, times), numbers) in self.epochs.iter().zip(numbers) {
            let pair = epoch(of, *steps, numbers, side)?;
            explain(format!("{side:?} pair of one of {steps} steps, each {of}, drawn at random (M18)."));
            add(&mut parts, pair, *times)?;
        }
        Ok(parts)
    }
}

/// A law of one step has at most this many knots, and one of a sum at most so many places.
const MOST_KNOTS: usize = 1 << 13;
const MOST_PLACES: u64 = 1 << 16;
/// What is given up at an end, in parts of a mass: 2^-70.
const LIGHT: u32 = 70;
/// Corners are kept where a tail changes by one part in so many.
const PARTS: u128 = 16;

/// How a sum is computed: hints of the certificate.
struct Plan {
    /// The lattice of one step.
    unit: BigRational,
    /// Knots are as far apart as the lattice up to so many; from there on always twice as far.
    knots: u64,
    /// Places of the last lattice that are looked at.
    end: u64,
    /// How often the lattice is coarsened after each squaring.
    coarsen: Vec<u32>,
}

impl Plan {
    fn of(numbers: &[BigRational], steps: u64) -> Result<Self> {
        let malformed = || Rejected::malformed("an allocation is not [unit, knots, end, coarsen …]");
        let [unit, rest @ ..] = numbers else { return Err(malformed()) };
        let whole = |x: &BigRational| x.to_integer().to_u64().filter(|n| x.is_integer() && *n <= MOST_PLACES);
        let rest = rest.iter().map(whole).collect::<Option<Vec<_>>>().ok_or_else(malformed)?;
        let [knots, end, coarsen @ ..] = rest.as_slice() else { return Err(malformed()) };
        let is_wrong = !unit.is_positive() || unit.denom().bits() > 256 || unit.numer().bits() > 256 || *knots < 4;
        let is_short = u32::try_from(coarsen.len()) != Ok(steps.max(1).ilog2());
        Reason::SkippedStep.when(is_short, "an allocation does not have one entry for each squaring")?;
        let all: u64 = coarsen.iter().sum();
        let is_long = all > 16 || end << all.min(16) > MOST_PLACES;
        Reason::Limit.when(is_wrong || is_long || *end == 0, "a lattice of sums is too long, or empty")?;
        let coarsen = coarsen.iter().map(|n| u32::try_from(*n).unwrap_or(16)).collect();
        Ok(Self { unit: unit.clone(), knots: *knots, end: *end, coarsen })
    }

    /// Where knots of one step lie on its lattice, up to the end.
    fn places(&self, end: u64) -> Vec<u64> {
        let (mut at, mut width, mut turn) = (0, 1, self.knots);
        let mut all = vec![at];
        while at < end {
            at += width;
            all.push(at.min(end));
            if at >= turn {
                (width, turn) = (2 * width, 2 * turn);
            }
        }
        all
    }
}

/// Masses of P at sums of likelihood ratios, below the end. No E φ(S) is more (upper), or less (lower), of a convex φ ≥ 0 that falls and is 0 from the end on.
#[derive(Clone)]
struct Sum {
    side: Side,
    first: usize,
    masses: Vec<u128>,
    /// Lower: how far right of its place each mass lies, times the mass.
    rests: Vec<u128>,
    /// Upper: a mass at 0 beside the others.
    low: u128,
    /// Places from here on are left out.
    end: usize,
}

impl Sum {
    /// Of one step. Upper: chords of E(x − X)⁺ = δ(x) − 1 + x between the knots. Lower: what lies between two knots, at its mean.
    fn of_step(pair: &Pair, plan: &Plan, side: Side, end: u64) -> Result<Self> {
        let places = plan.places(end);
        Reason::Limit.when(places.len() > MOST_KNOTS, "a step has too many knots")?;
        let at = |place: &u64| &plan.unit * BigInt::from(*place);
        let points = places.iter().skip(1).map(|place| pair.at(&Place::of_odds(Real::of(&at(place)))?));
        let points = points.collect::<Result<Vec<_>>>()?;
        let is_nested =
            |pair: &[profile::Point]| matches!(pair, [a, b] if a.cuts.iter().zip(&b.cuts).all(|(a, b)| a <= b));
        Reason::Unproved.when(!points.windows(2).all(is_nested), "the thresholds of two cells are not in order")?;
        let length = usize::try_from(end).unwrap_or(usize::MAX);
        let mut all = Self { side, first: 0, masses: vec![0; length], rests: vec![0; length], low: 0, end: length };
        let one = Real::int(1);
        // What is left of the place of a test, and E(x − X)⁺ there.
        let (mut below, mut before) = (0, Real::int(0));
        let (mut null, mut power) = (one.clone(), one.clone());
        for ((near, far), point) in places.iter().zip(places.iter().skip(1)).zip(&points) {
            let index = usize::try_from(*near).unwrap_or(usize::MAX);
            let (mass_here, index, rest) = if side == Side::Upper {
                let here = Real::of(&at(far)).minus(&one).plus(&point.delta);
                let slope = here.minus(&before).over(&Real::of(&at(&(far - near))))?;
                let slope = mass(slope.ceil_units(bits()))?.min(unit()).max(below);
                before = here;
                (slope - std::mem::replace(&mut below, slope), index, 0)
            } else {
                let here = mass(null.minus(&point.null).floor_units(bits()))?;
                let gained = power.minus(&point.power()).over(&Real::of(&plan.unit))?.ceil_units(bits());
                let rest = (gained - BigInt::from(here) * *near).max(BigInt::zero());
                (null, power) = (point.null.clone(), point.power());
                // A cell may be wider than rests are long: so many places further right, and none of what is nothing.
                let whole = BigInt::from(here.max(1));
                let (cells, rest) = (&rest / &whole, rest % whole);
                let place = cells.to_usize().and_then(|cells| cells.checked_add(index)).unwrap_or(usize::MAX);
                (here, place, rest.to_u128().unwrap_or(0))
            };
            if let (Some(to), Some(beside)) = (all.masses.get_mut(index), all.rests.get_mut(index)) {
                (*to, *beside) = (*to + mass_here, *beside + rest);
            }
        }
        all.settled()
    }

    /// Places that lie at or beyond the next one are moved there, those beyond the end left out, and light ones on the left given up.
    fn settled(mut self) -> Result<Self> {
        spend_each(self.masses.len(), 20)?;
        if self.side == Side::Lower {
            let mut all = vec![(0u128, 0u128); self.end.saturating_sub(self.first)];
            for (place, (mass, rest)) in self.masses.iter().zip(&self.rests).enumerate().filter(|(_, (m, _))| **m > 0) {
                let cells = usize::try_from(rest / mass).ok().and_then(|cells| cells.checked_add(place));
                if let Some((to, beside)) = cells.and_then(|place| all.get_mut(place)) {
                    *to += mass;
                    *beside += rest % mass;
                }
            }
            (self.masses, self.rests) = all.into_iter().unzip();
        } else {
            self.rests.clear();
        }
        self.masses.truncate(self.end.saturating_sub(self.first));
        sum(&self.masses)?;
        let mut light = 0;
        let gone = self.masses.iter().take_while(|mass| {
            light += **mass;
            light <= unit() >> LIGHT
        });
        let gone = gone.count();
        let lost = self.masses.drain(..gone).sum::<u128>();
        self.rests.drain(..gone.min(self.rests.len()));
        // Beyond the end nothing is there.
        self.first = (self.first + gone).min(self.end);
        // Moved down, where φ is larger; or dropped.
        self.low += if self.side == Side::Upper { lost } else { 0 };
        Ok(self)
    }

    /// Of two independent ones.
    fn plus(&self, other: &Self) -> Result<Self> {
        let total = |of: &Self| Ok::<_, Rejected>(sum(&of.masses)? + of.low);
        let up = self.side == Side::Upper;
        let (mut low, mut rests) = (0, Vec::new());
        if up {
            let (one, two) = (times(self.low, total(other)?, true)?, times(total(self)?, other.low, true)?);
            low = one + two;
        } else {
            let one = convolve(&self.rests, &other.masses, true)?;
            rests = one.into_iter().zip(convolve(&self.masses, &other.rests, true)?).map(|(x, y)| x + y).collect();
        }
        let masses = convolve(&self.masses, &other.masses, up)?;
        Self { side: self.side, first: self.first + other.first, masses, rests, low, end: self.end }.settled()
    }

    /// On the lattice that is twice as coarse. Upper: what lies between two places goes to both, half each. Lower: two cells are one.
    fn coarsened(&self) -> Result<Self> {
        let low = self.first / 2;
        let length = (self.first + self.masses.len()).div_ceil(2) + 1 - low;
        let mut all = vec![(0u128, 0u128); length];
        for (index, mass) in self.masses.iter().enumerate() {
            let (place, is_odd) = ((self.first + index) / 2 - low, (self.first + index) % 2 == 1);
            let rest = self.rests.get(index).copied().unwrap_or(0);
            let both = match (self.side, is_odd) {
                (Side::Upper, false) => [(*mass, 0), (0, 0)],
                (Side::Upper, true) => [(mass.div_ceil(2), 0), (mass.div_ceil(2), 0)],
                (Side::Lower, false) => [(*mass, rest), (0, 0)],
                (Side::Lower, true) => [(*mass, rest + mass), (0, 0)],
            };
            for ((mass, rest), to) in both.iter().zip(all.iter_mut().skip(place)) {
                *to = (to.0 + mass, to.1 + rest);
            }
        }
        let (masses, rests): (_, Vec<u128>) = all.into_iter().unzip();
        let rests = rests.into_iter().map(|rest| rest.div_ceil(2)).collect();
        Self { side: self.side, first: low, masses, rests, low: self.low, end: self.end.div_ceil(2) }.settled()
    }

    /// Of so many, by squaring from the leading bit down; the law of one is coarsened along.
    fn power(&self, count: u64, coarsen: &[u32]) -> Result<Self> {
        let (mut once, mut all) = (self.clone(), self.clone());
        for (bit, coarsen) in (0..count.max(1).ilog2()).rev().zip(coarsen) {
            all = all.plus(&all)?;
            for _ in 0..*coarsen {
                (all, once) = (all.coarsened()?, once.coarsened()?);
            }
            if count >> bit & 1 == 1 {
                all = all.plus(&once)?;
            }
        }
        Ok(all)
    }
}

/// The pair above (`Upper`) or below an epoch of so many steps, one of which has the record, as the numbers plan it.
pub fn epoch(of: &Step, steps: u64, numbers: &[BigRational], side: Side) -> Result<Step> {
    let plan = Plan::of(numbers, steps)?;
    let shift: u32 = plan.coarsen.iter().sum();
    let once = Sum::of_step(&Pair::of(of, Direction::Remove)?, &plan, side, plan.end << shift)?;
    let all = once.power(steps, &plan.coarsen)?;
    // u = S/t.
    let width = &plan.unit * BigInt::from(1u64 << shift) / int(steps);
    let share = &width / BigRational::from(BigInt::from(unit()));
    let one = BigRational::one();
    // Masses up to a place; Σ of these, or of places times masses.
    let (mut below, mut sums) = (all.low, BigInt::from(all.low) * all.first);
    let (mut kept, mut points) = (u128::MAX, Vec::new());
    for (index, mass) in all.masses.iter().enumerate().map(|(i, mass)| (all.first + i, mass)) {
        if side == Side::Upper {
            if is_far(kept, below) {
                points.push((BigInt::from(index), sums.clone()));
                kept = below;
            }
            // E(c − S)⁺ rises by no more.
            below = (below + mass).min(unit());
            sums += below;
        } else {
            below += mass;
            sums += BigInt::from(*mass) * index + all.rests.get(index - all.first).copied().unwrap_or(0);
            if is_far(kept, below) {
                points.push((BigInt::from(below), sums.clone()));
                kept = below;
            }
        }
    }
    Reason::Limit.when(points.len() > 4096, "more than 4096 places of a sum")?;
    spend_each(points.len(), 2_000)?;
    if side == Side::Lower {
        points.push((BigInt::from(below), sums));
        // Of the places up to one P has the masses, and Q the places times them: the others are a test.
        let test = |(below, sums): (BigInt, BigInt)| {
            let level = &one - BigRational::from(below) / BigInt::from(unit());
            (level, &one - BigRational::from(sums) * &share)
        };
        let tests = points.into_iter().map(test).filter(|(level, power)| !level.is_negative() && power > level);
        return Ok(Power::above(tests.collect())?.pair());
    }
    // From the last mass on E(c − S)⁺ rises evenly up to the end.
    let last = all.first + all.masses.len();
    points.push((BigInt::from(last), sums.clone()));
    points.push((BigInt::from(all.end), sums + BigInt::from(below) * all.end.saturating_sub(last)));
    points.dedup_by(|next, kept| next.0 == kept.0);
    // δ(u) = 1 − u + E(tu − S)⁺/t.
    let line = |(place, sums): (BigInt, BigInt)| {
        let u = &width * place;
        (u.clone(), u - BigRational::from(sums) * &share)
    };
    let start = (BigRational::zero(), BigRational::zero());
    let lines = std::iter::once(start).chain(points.into_iter().filter(|(place, _)| place.is_positive()).map(line));
    Ok(Power::under(&lines.collect::<Vec<_>>())?.pair())
}

/// Has the tail on either side changed?
fn is_far(kept: u128, below: u128) -> bool {
    let rest = unit().saturating_sub(kept);
    kept > unit() || below.saturating_sub(kept) > (kept.min(rest) / PARTS).max(unit() >> LIGHT)
}

#[cfg(test)]
#[path = "mean_tests.rs"]
mod tests;
