//! Integer laws that bound the profile of a composition from above or from below, by plain convolution.
//!
//! A law stands for δ'(u) = t + Σ (q_i − u·p_i)⁺. An *upper* law has its atoms on the lattice, p_i = q_i·e^(−y_i), and only
//! their q_i are kept. A *lower* law has one atom for each cell around a lattice point, wherever in the cell it is, and
//! keeps q_i and a_i = p_i·e^(y_i). Masses are in units of 2^-120. S1–S4 are the statements of `proofs/FORMAT.md`.

use num_bigint::BigUint;

use crate::profile::{Pair, Place, Point};
use crate::real::ceil_shifted;
use crate::theorem::of_step;
use crate::*;

/// Masses are in units of 2^-120. Tests of the rounding make them larger ([`crate::coarse`]).
pub fn bits() -> u32 {
    #[cfg(test)]
    let bits = crate::coarse::units().masses;
    #[cfg(not(test))]
    let bits = 120;
    bits
}
/// The law of one step has at most this many atoms.
const MOST_ATOMS: usize = 1 << 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Upper,
    Lower,
}

/// Atoms at y_i = offset + (first + i)·step.
#[derive(Clone)]
pub struct Law {
    side: Side,
    step: BigRational,
    offset: BigRational,
    first: i64,
    q: Vec<u128>,
    /// For a lower law only.
    a: Vec<u128>,
    /// Mass at +∞.
    top: u128,
}

/// How one step and its powers are computed: hints of the certificate.
#[derive(Clone)]
pub struct Plan {
    /// The step is discretised at `first`·h … `last`·h, h = step·2^level.
    pub level: u32,
    pub first: i64,
    pub last: i64,
    /// How often the law is coarsened after each squaring.
    pub coarsen: Vec<u32>,
}

pub fn unit() -> u128 {
    1 << bits()
}

pub fn mass(x: BigInt) -> Result<u128> {
    let whole = x.max(BigInt::zero()).to_u128().filter(|m| *m <= unit() << 2);
    Reason::Limit.unless(whole, "a mass is larger than 4")
}

pub fn sum(masses: &[u128]) -> Result<u128> {
    let total = masses.iter().try_fold(0u128, |sum, m| sum.checked_add(*m)).filter(|t| *t <= unit() << 4);
    Reason::Limit.unless(total, "the masses of a law add up to more than 16")
}

/// ⌊ or ⌈ x/2^bits, which must fit.
pub fn scaled(x: BigInt, up: bool) -> Result<u128> {
    let whole = u128::try_from(if up { ceil_shifted(&x, bits()) } else { x >> bits() });
    whole.ok().filter(|m| m >> 127 == 0).ok_or_else(|| Rejected::limit("a product of masses is too large"))
}

pub fn times(a: u128, b: u128, up: bool) -> Result<u128> {
    scaled(BigInt::from(a) * b, up)
}

/// c_k = Σ a_i·b_(k−i), rounded to units up or down: one product of whole numbers in which each mass has 256 bits of its own (S5).
pub fn convolve(a: &[u128], b: &[u128], up: bool) -> Result<Vec<u128>> {
    sum(a)?;
    sum(b)?;
    let length = (a.len() + b.len()).saturating_sub(1);
    spend_each(length, 200 + 50 * u64::try_from(a.len().min(b.len()).isqrt()).unwrap_or(u64::MAX >> 8))?;
    let number = |masses: &[u128]| {
        let bytes: Vec<u8> = masses.iter().flat_map(|mass| [mass.to_le_bytes(), [0; 16]]).flatten().collect();
        BigUint::from_bytes_le(&bytes)
    };
    let product = (number(a) * number(b)).to_bytes_le();
    let place = |k: usize| product.get(32 * k..).map_or(&[][..], |rest| rest.get(..32).unwrap_or(rest));
    (0..length).map(|k| scaled(BigUint::from_bytes_le(place(k)).into(), up)).collect()
}

impl Law {
    /// The law of one step from δ and s at the knots.
    ///
    /// Upper: the chords of δ between its values at the knots y_i = i·h. The chord from knot i − 1 to knot i has the
    /// Q-tail δ_(i−1) + (δ_(i−1) − δ_i)/(e^h − 1), the mass at and above y_i; beyond the last knot δ ≤ δ_last goes to +∞;
    /// left of the first all of Q counts.
    /// Lower: knots at (i − 1/2)·h; what lies between two of them is merged into one atom (S3), and so is what lies
    /// beyond the last; what lies below the first is dropped (S1).
    pub fn of_step(
        step: &Step, direction: Direction, side: Side, plan: &Plan, unit_step: &BigRational,
    ) -> Result<Self> {
        let is_of_many = side == Side::Lower && step.is_worst_case();
        Reason::WrongKind.when(is_of_many, "no dataset is as bad as the worst at every epsilon: one is needed")?;
        let count = plan.last.checked_sub(plan.first).and_then(|n| usize::try_from(n).ok());
        let count = Reason::Limit.unless(count.filter(|n| *n < MOST_ATOMS), "a lattice is empty or too long")?;
        let is_far = plan.first.unsigned_abs().max(plan.last.unsigned_abs()) > 1 << 40 || plan.level > 60;
        Reason::Limit.when(is_far, "a lattice lies too far out")?;
        let h = unit_step * BigInt::from(1u64 << plan.level);
        let shift = if side == Side::Upper { BigRational::zero() } else { &h / BigInt::from(2) };
        let place = |i: usize| &h * (BigInt::from(plan.first) + BigInt::from(i)) - &shift;
        let pair = Pair::of(step, direction)?;
        let points = (0..=count).map(|i| pair.at(&Place::of(&Epsilon::Plain(place(i)))?));
        let points = points.collect::<Result<Vec<_>>>()?;
        let law = |q, a, top| Self { side, step: h.clone(), offset: BigRational::zero(), first: plan.first, q, a, top };
        if side == Side::Upper {
            let growth = Real::of(&h).exp()?.minus(&Real::int(1));
            let last = points.last().map_or_else(|| Real::int(1), |point| point.delta.clone());
            let is_beyond = of_step(step, direction)?.is_at_most(&Epsilon::Plain(place(count)))?;
            let top = if is_beyond { 0 } else { mass(last.ceil_units(bits()))?.min(unit()) };
            let (mut above, mut q) = (top, Vec::with_capacity(count + 1));
            for pair in points.windows(2).rev() {
                let [near, far] = pair else { continue };
                let chord = near.delta.plus(&near.delta.minus(&far.delta).at_least_zero().over(&growth)?);
                let tail = mass(chord.ceil_units(bits()).min(BigInt::from(unit())))?.max(above);
                q.push(tail - above);
                above = tail;
            }
            q.push(unit() - above);
            q.reverse();
            return Ok(law(q, Vec::new(), top));
        }
        let increase = |pair: &[Point]| matches!(pair, [a, b] if a.cuts.iter().zip(&b.cuts).all(|(a, b)| a <= b));
        Reason::Unproved.when(!points.windows(2).all(increase), "the thresholds of two cells are not in order")?;
        let (mut q, mut a) = (Vec::with_capacity(count + 1), Vec::with_capacity(count + 1));
        for (i, near) in points.iter().enumerate() {
            let (power, null) = match points.get(i + 1) {
                Some(far) => (near.power().minus(&far.power()), near.null.minus(&far.null)),
                // Beyond the last knot; its part at +∞ is at most a gift here.
                None => (near.power(), near.null.clone()),
            };
            let label = Real::of(&(place(i) + &shift)).exp()?;
            q.push(mass(power.floor_units(bits()))?);
            a.push(mass(null.at_least_zero().times(&label).ceil_units(bits()))?);
        }
        Ok(law(q, a, 0))
    }

    /// The law of the sum of two independent losses (S2, S4); upper masses are rounded up, lower ones so that q falls and
    /// a rises. At +∞: t₂ + t₁·Σq₂.
    fn times(&self, other: &Self) -> Result<Self> {
        let is_wrong = self.step != other.step || self.side != other.side;
        Reason::DifferentLattices.when(is_wrong, "two laws on lattices of different steps are multiplied")?;
        let up = self.side == Side::Upper;
        let far = || Rejected::limit("a law lies too far out");
        let top = times(self.top, sum(&other.q)?, up)?.checked_add(other.top).ok_or_else(far)?;
        let first = self.first.checked_add(other.first).filter(|i| i.unsigned_abs() <= 1 << 61).ok_or_else(far)?;
        Ok(Self {
            side: self.side,
            step: self.step.clone(),
            offset: &self.offset + &other.offset,
            first,
            q: convolve(&self.q, &other.q, up)?,
            a: convolve(&self.a, &other.a, !up)?,
            top,
        })
    }

    /// The law on the lattice of twice the step (S3). Upper: an atom at an odd point is split between its neighbours, the
    /// share 1/(1 + e^(−h)) going up (rounded up). Lower: atoms 2k and 2k + 1 are merged into one, labelled by the point
    /// half way between, which is h/2 above the first and below the second.
    fn coarsened(&self) -> Result<Self> {
        spend_each(self.q.len(), 20)?;
        let h = Real::of(&self.step);
        let low = self.first.div_euclid(2);
        let last = self.first + i64::try_from(self.q.len()).unwrap_or(0) - 1;
        let high = if self.side == Side::Upper { (last + 1).div_euclid(2) } else { last.div_euclid(2) };
        let at = |masses: &[u128], i: i64| {
            usize::try_from(i - self.first).ok().and_then(|i| masses.get(i).copied()).unwrap_or(0)
        };
        let (mut q, mut a) = (Vec::new(), Vec::new());
        let scale = |x: Real| mass(x.ceil_units(bits()));
        if self.side == Side::Upper {
            let share = scale(Real::int(1).over(&Real::int(1).plus(&h.neg().exp()?))?)?.min(unit());
            let up = |i: i64| times(at(&self.q, i), share, true);
            for k in low..=high {
                q.push(at(&self.q, 2 * k) + up(2 * k - 1)? + (at(&self.q, 2 * k + 1) - up(2 * k + 1)?));
            }
        } else {
            let half = h.times(&half());
            let (grow, shrink) = (scale(half.exp()?)?, scale(half.neg().exp()?)?);
            for k in low..=high {
                q.push(at(&self.q, 2 * k) + at(&self.q, 2 * k + 1));
                a.push(times(at(&self.a, 2 * k), grow, true)? + times(at(&self.a, 2 * k + 1), shrink, true)?);
            }
        }
        let shift = if self.side == Side::Upper { BigRational::zero() } else { &self.step / BigInt::from(2) };
        let step = &self.step * BigInt::from(2);
        Ok(Self { side: self.side, step, offset: &self.offset + shift, first: low, q, a, top: self.top })
    }

    /// Takes light ends off, up to `light` units each (S1). Upper: the right one goes to +∞, the left one to the first
    /// atom that stays. Lower: both are dropped.
    fn trimmed(mut self, light: u128) -> Result<Self> {
        let count = |masses: &mut dyn Iterator<Item = &u128>| {
            let sums = masses.scan(0u128, |sum, m| sum.checked_add(*m).inspect(|next| *sum = *next));
            sums.take_while(|sum| *sum <= light).fold((0, 0), |(_, count), sum| (sum, count + 1))
        };
        let (right, gone) = count(&mut self.q.iter().rev());
        let stay = self.q.len() - gone;
        self.q.truncate(stay);
        self.a.truncate(stay);
        let (left, gone) = count(&mut self.q.iter());
        self.q.drain(..gone);
        self.a.drain(..gone.min(self.a.len()));
        self.first += i64::try_from(gone).unwrap_or(0);
        if self.side == Side::Upper {
            self.top += right;
            match self.q.first_mut() {
                Some(first) => *first += left,
                None => self.top += left,
            }
        }
        sum(&self.q)?;
        Ok(self)
    }

    /// The law of `times` runs, by squaring from the leading bit of `times` down; the law of one run is coarsened along.
    pub fn power(&self, count: u64, plan: &Plan, light: u128) -> Result<Self> {
        let mut once = self.clone().trimmed(light)?;
        let mut law = once.clone();
        let squarings = count.max(1).ilog2();
        let is_short = plan.coarsen.len() != usize::try_from(squarings).unwrap_or(0);
        Reason::SkippedStep.when(is_short, "the plan does not have one entry for each squaring")?;
        for (bit, coarsen) in (0..squarings).rev().zip(&plan.coarsen) {
            law = law.times(&law)?.trimmed(light)?;
            for _ in 0..*coarsen {
                law = law.coarsened()?.trimmed(light)?;
                once = once.coarsened()?.trimmed(light)?;
            }
            if count >> bit & 1 == 1 {
                law = law.times(&once)?.trimmed(light)?;
            }
        }
        Ok(law)
    }

    /// The law of two parts one after the other; the finer one is coarsened first.
    pub fn joined(mut self, mut other: Self, light: u128) -> Result<Self> {
        for _ in 0..64 {
            match self.step.cmp(&other.step) {
                std::cmp::Ordering::Less => self = self.coarsened()?.trimmed(light)?,
                std::cmp::Ordering::Greater => other = other.coarsened()?.trimmed(light)?,
                std::cmp::Ordering::Equal => break,
            }
        }
        self.times(&other)?.trimmed(light)
    }

    pub fn atoms(&self) -> usize {
        self.q.len()
    }

    fn place(&self, i: usize) -> BigRational {
        &self.offset + &self.step * (BigInt::from(self.first) + BigInt::from(i))
    }

    /// A bound of δ(ε) in units of 2^-120 from the law's side: t + Σ (q_i − e^ε·p_i)⁺ with p_i = a_i·e^(−y_i), a_i = q_i for
    /// an upper law. e^(ε − y_i) goes from atom to atom by a factor e^(−h).
    pub fn delta(&self, epsilon: &Epsilon) -> Result<BigInt> {
        let upper = self.side == Side::Upper;
        let log = epsilon.log()?;
        // The first atom above ε, or one that is not.
        let below: BigInt = ((log.ends().0 - &self.offset) / &self.step).floor().to_integer() - self.first + 1;
        let from = if upper { below.max(BigInt::zero()).to_usize().unwrap_or(usize::MAX).min(self.q.len()) } else { 0 };
        let mut total = BigInt::zero();
        if from < self.q.len() {
            let mut ratio = log.minus(&Real::of(&self.place(from))).exp()?;
            spend_each(self.q.len() - from, 200 + ratio.hi.bits() / 4)?;
            let fall = Real::of(&self.step).neg().exp()?;
            let one = Real::int(1).lo;
            for (i, q) in self.q.iter().enumerate().skip(from) {
                let hinge = match self.a.get(i) {
                    Some(a) => &one * *q - &ratio.hi * *a,
                    None => (&one - &ratio.lo) * *q,
                };
                total += hinge.max(BigInt::zero());
                ratio = ratio.times(&fall);
            }
        }
        let total = Real::units(total);
        Ok(BigInt::from(self.top) + if upper { total.ceil_units(0) } else { total.floor_units(0) })
    }

    /// Σ q^t·p^(1−t) for t > 1, at most (an upper law) or at least: q·e^((t−1)y), or q·(q/a)^(t−1)·e^((t−1)y). Where a loss beyond the last point y is possible,
    /// D_t' ≤ ρ·t' + log(odds) at another, whole order says how much is there (R1).
    pub fn moment(&self, order: &BigRational, far: Option<(BigRational, Real)>) -> Result<Real> {
        let (t, s) = (Real::of(order), order - BigRational::one());
        let mass = |m: u128| Real::units(BigInt::from(m) << (w() - bits()));
        let mut total = Real::int(0);
        if self.side == Side::Upper && self.top > 0 {
            let end = self.place(self.q.len().saturating_sub(1));
            let other = |rho: &BigRational| ((&end / rho + BigRational::one()) / BigInt::from(2)).ceil();
            let far = far.filter(|(rho, _)| rho.is_positive()).map(|(rho, xi)| (other(&rho), rho, xi));
            let far = far.filter(|(other, ..)| other > order);
            let (other, rho, xi) = Reason::Unproved.unless(far, "a loss beyond the last point is possible")?;
            spend_on(&[&other, &rho, &end, order])?;
            let less = &other - BigRational::one();
            let beyond = Real::of(&(&less * &rho * &other - (&other - order) * &end));
            let beyond = beyond.plus(&xi.times(&Real::of(&less))).exp()?;
            total = beyond.plus(&mass(self.top).times(&t).times(&Real::of(&(&s * end)).exp()?));
        }
        spend_each(self.q.len(), if self.side == Side::Upper { 400 } else { 80_000 })?;
        let s = Real::of(&s);
        let mut weight = s.times(&Real::of(&self.place(0))).exp()?;
        let rise = s.times(&Real::of(&self.step)).exp()?;
        for (i, q) in self.q.iter().enumerate() {
            let ratio = match self.a.get(i) {
                Some(a) if *q > 0 => mass(*q).over(&mass((*a).max(1)))?.ln()?.times(&s).exp()?,
                _ => Real::int(1),
            };
            total = total.plus(&mass(*q).times(&ratio).times(&weight));
            weight = weight.times(&rise);
        }
        Ok(total)
    }

    /// Sizes, at most, and powers, at least, of the tests that the loss is at a point or further to the right (a lower law).
    pub fn tests(&self) -> Result<Vec<(Real, Real)>> {
        spend_each(self.q.len(), 2_000)?;
        let mut weight = Real::of(&-self.place(self.q.len().saturating_sub(1))).exp()?;
        let rise = Real::of(&self.step).exp()?;
        let (mut size, mut power) = (BigInt::zero(), BigInt::from(self.top));
        let test = |(q, a): (&u128, &u128)| {
            size += &weight.hi * *a;
            power += *q;
            weight = weight.times(&rise);
            (Real::units(-(-&size >> bits())), Real::units(&power << (w() - bits())))
        };
        Ok(self.q.iter().zip(&self.a).rev().map(test).collect())
    }
}

#[cfg(test)]
#[path = "law_tests.rs"]
mod twins;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coarse::{Random, in_units};

    const MASSES: u32 = 10;

    fn random_law(random: &mut Random, side: Side) -> Law {
        let length = 1 + usize::try_from(random.below(6)).unwrap();
        let mut masses = || (0..length).map(|_| u128::from(random.below(1 << MASSES))).collect::<Vec<_>>();
        let q = masses();
        let a = if side == Side::Lower { masses() } else { Vec::new() };
        let step = BigRational::new(1.into(), (2 + random.below(9)).into());
        let top = u128::from(random.below(1 << MASSES));
        let first = i64::try_from(random.below(9)).unwrap() - 4;
        Law { side, step, offset: BigRational::zero(), first, q, a, top }
    }

    fn exact(masses: &[u128], k: usize, others: &[u128]) -> BigRational {
        let terms = (0..=k).map(|i| masses.get(i).unwrap_or(&0) * others.get(k - i).unwrap_or(&0));
        BigRational::new(terms.sum::<u128>().into(), BigInt::from(1 << MASSES))
    }

    fn is_next(found: u128, exact: &BigRational, up: bool) -> bool {
        found == u128::try_from(if up { exact.ceil() } else { exact.floor() }.to_integer()).unwrap()
    }

    #[test]
    fn products_round_to_their_side() {
        let mut random = Random::new(4);
        for _ in 0..300 {
            crate::work::begin(None);
            for side in [Side::Upper, Side::Lower] {
                let (x, mut y) = (random_law(&mut random, side), random_law(&mut random, side));
                y.step = x.step.clone();
                let up = side == Side::Upper;
                let law = in_units(24, MASSES, || x.times(&y)).unwrap();
                for (k, found) in law.q.iter().enumerate() {
                    assert!(is_next(*found, &exact(&x.q, k, &y.q), up), "{side:?} q {k}");
                }
                for (k, found) in law.a.iter().enumerate() {
                    assert!(is_next(*found, &exact(&x.a, k, &y.a), !up), "{side:?} a {k}");
                }
                let top = exact(&[x.top], 0, &[y.q.iter().sum()]) + BigRational::from(BigInt::from(y.top));
                assert!(is_next(law.top, &top, up), "{side:?} top");
            }
        }
    }

    #[test]
    fn coarsening_rounds_to_its_side() {
        let mut random = Random::new(5);
        for _ in 0..5_200 {
            crate::work::begin(None);
            let law = random_law(&mut random, Side::Lower);
            let coarse = in_units(24, MASSES, || law.coarsened()).unwrap();
            let at =
                |masses: &[u128], i: i64| usize::try_from(i).ok().and_then(|i| masses.get(i).copied()).unwrap_or(0);
            let half = Real::of(&(&law.step / BigInt::from(2)));
            let (grow, shrink) = (half.exp().unwrap(), half.neg().exp().unwrap());
            for (k, (q, a)) in (coarse.first..).zip(coarse.q.iter().zip(&coarse.a)) {
                let (even, odd) = (2 * k - law.first, 2 * k + 1 - law.first);
                assert_eq!(*q, at(&law.q, even) + at(&law.q, odd));
                let least = &grow.lo * at(&law.a, even) + &shrink.lo * at(&law.a, odd);
                assert!(BigInt::from(*a) << crate::real::w() >= least, "{k}");
            }
            // What is between two points of the coarser lattice goes up at least in the share of its chord.
            let law = random_law(&mut random, Side::Upper);
            let coarse = in_units(24, MASSES, || law.coarsened()).unwrap();
            assert_eq!(coarse.q.iter().sum::<u128>(), law.q.iter().sum::<u128>());
            let one = Real::int(1);
            let share = one.over(&one.plus(&Real::of(&law.step).neg().exp().unwrap())).unwrap();
            for from in coarse.first..coarse.first + i64::try_from(coarse.q.len()).unwrap() {
                let found: u128 = (coarse.first..).zip(&coarse.q).filter(|(k, _)| *k >= from).map(|(_, q)| q).sum();
                let above: u128 = (law.first..).zip(&law.q).filter(|(i, _)| *i >= 2 * from).map(|(_, q)| q).sum();
                let least =
                    (BigInt::from(above) << crate::real::w()) + &share.lo * at(&law.q, 2 * from - 1 - law.first);
                assert!(BigInt::from(found) << crate::real::w() >= least, "{from}");
            }
        }
    }
}
