//! Cuts of a Gaussian pair, or of a subsampled one, near the places of a lattice, and the tails from each cut.
//!
//! With v = dN(μ, 1)/dN(0, 1) = e^{μx − μ²/2}, x = z + μ/2 for z = (ln v)/μ. The loss is ln v for the pair itself,
//! ln(1 − r + r·v) where Q is the mixture, −ln(1 − r + r·v) where P is. So the place y is at v = e^y, or at v =
//! (e^{±y} − (1 − r))/r, and L > y above that x or (P mixed) below it. For e^{±y} ≤ 1 − r that is everywhere or
//! nowhere.
//!
//! For a replaced record P = (1 − r)·N(0, 1) + r·N(−μ, 1) and Q = (1 − r)·N(0, 1) + r·N(μ, 1). With u = e^y and κ = e^{−μ²} the place y is where
//! r·v² − (1 − r)(u − 1)·v − u·r·κ = 0: v = a + √(a² + u·κ) for a = (1 − r)(u − 1)/(2r). For y ≥ 0 nothing cancels; the place −y is at −x.
//!
//! # Errors
//!
//! * **e^{±y}**: MPFR every [`BLOCK`] places, below by a relative 2^-190; then products with e^{±gap·step} (the same
//!   error), each of which loses a relative 2^-187 more: 384·(2^-187 + 2^-190) + 2^-190 < 2^-178.
//! * **ln v**. Unmixed, y itself in units of 2^-184 from a start within 2 of them and a step within 2, counted fewer
//!   than 2^16 times: within 2^-166.9. Mixed: the difference is within a relative 0.6·2^-g (`Difference`, or the width
//!   found near the edge), its logarithm within 2^-175, ln r within 2^-183: with g ≤ 175 within 1.7·2^-g. (At most 100 +
//!   26.5 in size by the ranges of y and r: three limbs hold it.) Replaced: u − 1 is within a relative 0.6·2^-g, a within 2^-186 more; u is below by
//!   2^-178 and κ by 2^-190, so that a² + u·κ is off by the larger of twice a's error and 2^-177.9, its root by half of that, and v
//!   by no more than the larger of its two terms: 0.6·2^-g + 2^-184. Its logarithm likewise within 1.7·2^-g, or within 2^-183 near y = 0.
//! * **z**, in units of 2^-186: 1/μ is below by a relative 2^-190 and the product by 14 units: less than 2^-181 in all
//!   for |z| ≤ 24. Beyond it is set to ±24: x and x − μ are beyond 15.5 there, where the table's value is within its
//!   error of the tail at the true place.
//! * **Sliver.** Q has a density below 0.4 in x. So its mass between the cut and the true place is below
//!   0.4·(1.7·2^-g/μ + 2^-181), or 0.4·(2^-166.9/μ + 2^-181) unmixed: with μ ≤ 15 below 2^-g/μ, and 2^-166/μ. The loss
//!   there is off by at most 2μ times the distance (dL/dx ≤ 2μ): below 2^(3 − g).
//! * **Tails** from the cut: μ/2 is off by at most 2·2^-186 and μ by as much, 0.4·4·16 < 26 ulps of 2^-190 in each tail; the table is
//!   within 2^12, mixing p + r·(g − p) rounds by less than 6 and takes r within 5·2^-192: [`TAIL_ERROR`].
//!
//! # The edge
//!
//! Where e^{±y} − (1 − r) is too small for a sliver as small as is asked for, it is enclosed at the precision of the offset. If it still may be
//! zero, the cut is put at x = −∞ and what lies between there and the largest x that the place may have is the
//! sliver: Q-mass at most Φ(x) (Q's density is at most N(0, 1)'s where v ≤ 1), losses within (e^{±y} − (1 − r))/(1 −
//! r) of y.

mod replaced;

use std::collections::BTreeMap;

use rug::{Float, Rational};

use self::replaced::Replaced;
use super::gaussian_cells::Mixing;
use crate::kernel::fixed_ln;
use crate::kernel::magnitude::{Difference, Magnitude};
use crate::kernel::normal_fixed::{FRACTION_BITS, Fraction, Wide};
use crate::kernel::normal_table::{FIXED_ARGUMENT_BITS, FIXED_ERROR, survival_fixed};
use crate::kernel::{CellPlaces, Interval, normal};

/// The tails of a [`Place`] are off by at most this many ulps of 2^-190.
pub(super) const TAIL_ERROR: Wide = Wide([FIXED_ERROR + 64, 0, 0]);

/// A cut near the place y; masses in ulps of 2^-190.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Q beyond the cut.
    pub mass: Wide,
    /// P beyond the cut.
    pub null_mass: Wide,
    /// e^y.
    pub exp: Magnitude,
    /// Upper bound of Q between the cut and the true place.
    pub sliver: Wide,
}

/// What depends on the distance g between two places only.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    growth: Magnitude,
    decay: Magnitude,
    /// 1/(1 − e^{−g}).
    pub inverse: Magnitude,
}

/// Walks along the places.
pub(super) struct Cuts<'a> {
    places: CellPlaces<'a>,
    pair: Pair,
    /// The step in units of 2^-184.
    step: Wide,
    gaps: BTreeMap<i64, Gap>,
    last_gap: Option<(i64, Gap)>,
    start: Position,
    current: Position,
    since_start: u32,
}

/// A place: y in units of 2^-184 and its powers of e.
#[derive(Clone, Copy)]
struct Position {
    index: i64,
    log: Wide,
    exp: Magnitude,
    exp_minus: Magnitude,
}

/// Places between two evaluations by MPFR.
const BLOCK: u32 = 384;

/// Bits of ln v that count (g at the head of the module).
const MOST_GOOD_BITS: u32 = 175;

/// The same for an unmixed pair.
const UNMIXED_GOOD_BITS: u32 = 166;

/// What may be asked for (so that losses in a sliver are within 2^-64 of its place).
const LEAST_WISH: u32 = 113;
const MOST_WISH: u32 = 160;

/// Losses are within these bounds (so that u < 2^55 and e^{−y} < 2^145).
const LEAST_LOSS: i64 = -100;
const MOST_LOSS: i64 = 38;

impl<'a> Cuts<'a> {
    /// None if something is out of range: μ in [2^-20, 15], the step at least 2^-60, losses from −100 to 38.
    pub(super) fn new(
        square: &Rational,
        mixing: &Mixing<'_>,
        places: &CellPlaces<'a>,
    ) -> Option<Self> {
        let (first, last) = (*places.indices.first()?, *places.indices.last()?);
        let least_step = Rational::from(1) >> 60u32;
        if *places.step < least_step
            || places.offset.bits() < 256
            || !(LEAST_WISH..=MOST_WISH).contains(&places.good_bits)
        {
            return None;
        }
        let in_range =
            *loss(places, first).lo() >= LEAST_LOSS && *loss(places, last).hi() <= MOST_LOSS;
        if !in_range {
            return None;
        }
        let start = Position::at(places, first)?;
        Some(Self {
            places: *places,
            pair: Pair::new(square, mixing)?,
            step: if *places.step < 128 {
                fixed_ln::rounded(&Interval::from_rational(places.step, 256))?
            } else {
                Wide::ZERO // a single place
            },
            gaps: BTreeMap::new(),
            last_gap: None,
            start,
            current: start,
            since_start: 0,
        })
    }

    /// The cut at the first place.
    pub(super) fn first(&self) -> Option<Place> {
        self.pair.place(&self.places, &self.current)
    }

    /// The cut at the place with this index, the next one, and its distance from the one before.
    pub(super) fn next(&mut self, index: i64) -> Option<(Place, Gap)> {
        let gap = self.gap(index.checked_sub(self.current.index)?)?;
        let from_start = index.checked_sub(self.start.index)?;
        self.since_start = self.since_start.wrapping_add(1);
        if self.since_start >= BLOCK || from_start >> 16u32 != 0 {
            self.start = Position::at(&self.places, index)?;
            self.current = self.start;
            self.since_start = 0;
        } else {
            self.current = Position {
                index,
                log: self
                    .start
                    .log
                    .wrapping_add(self.step.times_integer(from_start)),
                exp: self.current.exp.times(gap.growth),
                exp_minus: self.current.exp_minus.times(gap.decay),
            };
        }
        Some((self.pair.place(&self.places, &self.current)?, gap))
    }

    fn gap(&mut self, steps: i64) -> Option<Gap> {
        if let Some((known, gap)) = self.last_gap
            && known == steps
        {
            return Some(gap);
        }
        if steps <= 0 {
            return None;
        }
        let gap = match self.gaps.get(&steps) {
            Some(gap) => *gap,
            None => {
                let width = Interval::from_rational(&Rational::from(self.places.step * steps), 256);
                let (growth, excess) = width.exp_and_exp_m1();
                let gap = Gap {
                    growth: Magnitude::of(&growth)?,
                    decay: Magnitude::of(&growth.recip())?,
                    // 1/(1 − e^{−h}) = e^h/(e^h − 1).
                    inverse: Magnitude::of(&growth.div(&excess))?,
                };
                self.gaps.insert(steps, gap);
                gap
            }
        };
        self.last_gap = Some((steps, gap));
        Some(gap)
    }
}

/// The place with this index.
fn loss(places: &CellPlaces<'_>, index: i64) -> Interval {
    let shift = Rational::from(places.step * index);
    places
        .offset
        .add(&Interval::from_rational(&shift, places.offset.bits()))
}

impl Position {
    fn at(places: &CellPlaces<'_>, index: i64) -> Option<Self> {
        let loss = loss(places, index);
        let exp = loss.exp();
        Some(Self {
            index,
            log: fixed_ln::rounded(&loss)?,
            exp: Magnitude::of(&exp)?,
            exp_minus: Magnitude::of(&exp.recip())?,
        })
    }
}

/// The pair (P, Q) and its constants.
struct Pair {
    mu: Interval,
    /// μ/2 in units of 2^-186, rounded down.
    half: Wide,
    /// 4/μ: from ln v in units of 2^-184 to z in units of 2^-186.
    inverse: Magnitude,
    /// 1/μ < 2^(this).
    inverse_log2: i32,
    mixture: Mixture,
}

enum Mixture {
    None,
    Alternative(Rate),
    Null(Rate),
    Replaced(Rate, Replaced),
}

/// The rate r.
struct Rate {
    exact: Rational,
    /// r, rounded down.
    fraction: Fraction,
    /// 1 − r in units of 2^-191, rounded down.
    complement: Wide,
    /// ln r in units of 2^-184.
    log: Wide,
}

impl Pair {
    fn new(square: &Rational, mixing: &Mixing<'_>) -> Option<Self> {
        if *square < (Rational::from(1) >> 40u32) || *square > 225 {
            return None;
        }
        let mu = Interval::from_rational(square, 256).sqrt();
        let inverse = Magnitude::of(&mu.recip())?;
        // μ/2 ≤ 8 < 128 in units of 2^-184 is 2·μ in units of 2^-186.
        let double = mu.mul(&Interval::from_i64(2, 256));
        let half = fixed_ln::rounded(&double)?;
        let mixture = match mixing {
            Mixing::None => Mixture::None,
            Mixing::Alternative(rate) => Mixture::Alternative(Rate::new(rate)?),
            Mixing::Null(rate) => Mixture::Null(Rate::new(rate)?),
            Mixing::Both(rate) => {
                Mixture::Replaced(Rate::new(rate)?, Replaced::new(square, rate, &mu)?)
            }
        };
        Some(Self {
            mu,
            half,
            inverse_log2: inverse.exponent().checked_add(1)?,
            inverse: inverse.shifted(2),
            mixture,
        })
    }

    fn place(&self, places: &CellPlaces<'_>, position: &Position) -> Option<Place> {
        let (ratio, rate, inside) = match &self.mixture {
            Mixture::None => {
                let sliver = self.sliver(places, UNMIXED_GOOD_BITS)?;
                return self.cut(position, position.log, sliver);
            }
            Mixture::Alternative(rate) => (position.exp, rate, Wide::power_of_two(FRACTION_BITS)),
            Mixture::Null(rate) => (position.exp_minus, rate, Wide::ZERO),
            Mixture::Replaced(rate, replaced) => {
                return self.replaced(places, position, rate, replaced);
            }
        };
        let found = match ratio.minus(rate.complement) {
            Difference::Positive { value, good_bits } => self
                .sliver(places, good_bits)
                .map(|sliver| Edge::Inside(value, sliver)),
            Difference::NotPositive => Some(Edge::Outside(Wide::ZERO)),
            Difference::Unclear => None,
        };
        let found = match found {
            Some(found) => found,
            None => self.near_edge(places, position.index, rate)?,
        };
        match found {
            Edge::Inside(difference, sliver) => {
                let log = fixed_ln::ln(difference)?.wrapping_sub(rate.log);
                self.cut(position, log, sliver)
            }
            Edge::Outside(sliver) => Some(Place {
                mass: inside,
                null_mass: inside,
                exp: position.exp,
                sliver,
            }),
        }
    }

    /// The cut where v has this logarithm, in units of 2^-184.
    fn cut(&self, position: &Position, log: Wide, sliver: Wide) -> Option<Place> {
        let (mass, null_mass) = self.tails(log)?;
        Some(Place {
            mass,
            null_mass,
            exp: position.exp,
            sliver,
        })
    }

    /// Bound of the sliver of a cut where e^{±y} − (1 − r) is known to so many bits (see "Sliver"); none if that is not
    /// good enough.
    fn sliver(&self, places: &CellPlaces<'_>, good_bits: u32) -> Option<Wide> {
        let good_bits = i32::try_from(good_bits.min(MOST_GOOD_BITS)).ok()?;
        let size = i32::try_from(FRACTION_BITS)
            .ok()?
            .checked_sub(good_bits)?
            .checked_add(self.inverse_log2)?;
        small_enough(places, size)
    }

    /// (Q, P) beyond the cut where v has this logarithm, in units of 2^-184.
    fn tails(&self, log: Wide) -> Option<(Wide, Wide)> {
        let z = self.place_in_units(log);
        let (below, above) = (z.wrapping_sub(self.half), z.wrapping_add(self.half));
        match &self.mixture {
            Mixture::None | Mixture::Replaced(..) => {
                Some((survival_fixed(below)?, survival_fixed(above)?))
            }
            Mixture::Alternative(rate) => {
                let null = survival_fixed(above)?;
                Some((rate.mixed(null, survival_fixed(below)?), null))
            }
            Mixture::Null(rate) => {
                // Φ(x) = S(−x) and Φ(x − μ) = S(μ − x).
                let mass = survival_fixed(above.negated())?;
                Some((mass, rate.mixed(mass, survival_fixed(below.negated())?)))
            }
        }
    }

    /// z = (ln v)/μ in units of 2^-186, at most 24 in size.
    fn place_in_units(&self, log: Wide) -> Wide {
        let most = Wide([24, 0, 0]).shifted_left(FIXED_ARGUMENT_BITS);
        let size = if log.is_negative() {
            log.negated()
        } else {
            log
        };
        let z = match self.inverse.scale(size) {
            Some(z) if most.wrapping_sub(z).is_negative() => most,
            Some(z) => z,
            None => most,
        };
        if log.is_negative() { z.negated() } else { z }
    }

    /// e^{±y} − (1 − r) from an enclosure.
    fn near_edge(&self, places: &CellPlaces<'_>, index: i64, rate: &Rate) -> Option<Edge> {
        let loss = loss(places, index);
        let bits = loss.bits();
        let exponent = match self.mixture {
            Mixture::Null(_) => loss.neg(),
            _ => loss,
        };
        let exact = Interval::from_rational(&rate.exact, bits);
        let difference = exponent.exp_m1().add(&exact);
        if difference.is_not_positive() {
            return Some(Edge::Outside(Wide::ZERO));
        }
        let good_bits = places.good_bits.saturating_add(12);
        let narrow = good_bits.saturating_add(1);
        if difference.is_positive()
            && difference.width_up() <= Float::with_val(bits, difference.lo() >> narrow)
        {
            return Some(Edge::Inside(
                Magnitude::below(difference.lo())?,
                self.sliver(places, good_bits)?,
            ));
        }
        // Losses are within 2^-64 of y, and v ≤ 1.
        let most = Interval::point(difference.hi().clone());
        let ratio = most.div(&exact);
        if !is_at_edge(&most, &exact) || *ratio.hi() > 1 {
            return None;
        }
        let size =
            digits_beyond(&ratio, &self.mu)?.checked_add(i32::try_from(FRACTION_BITS).ok()?)?;
        Some(Edge::Outside(small_enough(places, size)?))
    }
}

/// Are all losses up to the one where e^{±y} − (1 − r) is `most` within 2^-64 of the edge?
fn is_at_edge(most: &Interval, rate: &Interval) -> bool {
    *most.div(&rate.one_minus()).hi() <= Float::with_val(64, 1) >> 64u32
}

/// Φ(log(x)/μ + μ/2) is below 2^this: few digits tell it.
fn digits_beyond(x: &Interval, mu: &Interval) -> Option<i32> {
    let (x, mu) = (&x.at_bits(64), &mu.at_bits(64));
    let half = mu.mul(&Interval::point(Float::with_val(mu.bits(), 1) >> 1u32));
    let place = x.ln().div(mu).add(&half);
    normal::cdf(&place).hi().get_exp()
}

/// Where a place is.
enum Edge {
    /// Inside the support: e^{±y} − (1 − r) and a bound of the sliver.
    Inside(Magnitude, Wide),
    /// At its edge or beyond: a bound of the sliver of the cut −∞.
    Outside(Wide),
}

/// 2^`size` ulps (1 at least) as the bound of a sliver; none if that is not good enough.
fn small_enough(places: &CellPlaces<'_>, size: i32) -> Option<Wide> {
    let size = u32::try_from(size.max(0)).ok()?;
    (size <= FRACTION_BITS.saturating_sub(places.good_bits)).then(|| Wide::power_of_two(size))
}

impl Rate {
    /// None for rates below 2^-38 (then ln v might be out of range).
    ///
    /// Requires: 0 < r < 1.
    fn new(exact: &Rational) -> Option<Self> {
        if *exact < (Rational::from(1) >> 38u32) {
            return None;
        }
        let complement = Rational::from(1 - exact);
        let fraction = Magnitude::of(&Interval::from_rational(exact, 256))?;
        let complement = Magnitude::of(&Interval::from_rational(&complement, 256))?;
        Some(Self {
            exact: exact.clone(),
            fraction: Fraction(fraction.fixed(192)?.0),
            complement: complement.fixed(191)?,
            log: fixed_ln::rounded(&Interval::from_rational(exact, 256).ln())?,
        })
    }

    /// (1 − r)·p + r·g.
    fn mixed(&self, p: Wide, g: Wide) -> Wide {
        p.wrapping_add(self.fraction.scale_three(g.wrapping_sub(p)))
    }
}

#[cfg(test)]
#[path = "gaussian_cuts_tests.rs"]
mod tests;
