//! Mixtures of shifted Laplace noise.
//!
//! At t after one of the shifts and before the next one, Q has the density (A·e^{−t} + B·e^t)/2 and P (C·e^{−t} + D·e^t)/2, where A and C are of the parts on the
//! left, B and D of those on the right. The likelihood ratio is constant before the first shift and after the last one, and increases strictly
//! between: there C > 0 and B > 0, and D = 0 where x ≥ 0, A = 0 where x < 0. So the place where it reaches u is known in closed form,
//! e^{2t} = (uC − A)/(B − uD).

use std::sync::Arc;

use rug::Rational;

use super::Shifts;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::evaluate::{Cache, refined};

/// P = Σ qⱼ·N(−wⱼ) against Q = Σ pᵢ·N(vᵢ) for N of density e^{−|x|}/2, in units of the scale.
pub struct LaplaceMixtures {
    unit: Rational,
    without: Shifts,
    with: Shifts,
    knots: Cache<u32, Vec<Knot>>,
}

/// A place where a part has its peak, and the stretch from there to the next one.
#[derive(Debug)]
struct Knot {
    with: Side,
    without: Side,
    /// The likelihood ratio at the peak.
    ratio: Interval,
    /// How far it is to the next one; 0 from the last.
    gap: Interval,
}

/// One of the laws around a peak.
#[derive(Debug, Clone)]
struct Side {
    /// Σ weight·e^{−distance} over the parts with their peaks here and on the left.
    left: Interval,
    /// The same over those on the right.
    right: Interval,
    /// The weight of those on the right.
    beyond: Interval,
}

/// Both laws after a peak: (left·e^{−t} + right·e^t)/2 at t after it, up to the next one.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Left and right of Q.
    pub with: (Interval, Interval),
    /// Left and right of P.
    pub without: (Interval, Interval),
    /// How far it is to the next peak; 0 from the last.
    pub gap: Interval,
}

impl Piece {
    /// The same seen from a place after the peak.
    #[must_use]
    pub fn moved(&self, t: &Interval) -> Self {
        let (grown, fallen) = (t.exp(), t.neg().exp());
        let side = |(left, right): &(Interval, Interval)| (left.mul(&fallen), right.mul(&grown));
        Self {
            with: side(&self.with),
            without: side(&self.without),
            gap: self.gap.sub(t),
        }
    }
}

impl LaplaceMixtures {
    /// What lies after each of the peaks, in their order. Before the first both laws fall as e^{−|t|}.
    pub fn pieces(&self, bits: u32) -> Vec<Piece> {
        let both = |side: &Side| (side.left.clone(), side.right.clone());
        let piece = |knot: &Knot| Piece {
            with: both(&knot.with),
            without: both(&knot.without),
            gap: knot.gap.clone(),
        };
        self.knots(bits).iter().map(piece).collect()
    }

    /// The pair; a shift of 1 stands for `unit` ≥ 0 times the scale.
    pub fn new(unit: Rational, without: Shifts, with: Shifts) -> Self {
        Self {
            unit,
            without,
            with,
            knots: Cache::default(),
        }
    }

    fn knots(&self, bits: u32) -> Arc<Vec<Knot>> {
        self.knots.get_or(&bits, || {
            let (without, with) = (self.peaks(&self.without, -1), self.peaks(&self.with, 1));
            let mut places: Vec<&Rational> = without
                .iter()
                .chain(&with)
                .map(|(place, _)| place)
                .collect();
            places.sort_unstable();
            places.dedup();
            let next = places.iter().skip(1).map(Some).chain([None]);
            let gaps = places.iter().zip(next).map(|(place, next)| {
                let gap = next.map(|next| Rational::from(*next - *place));
                Interval::from_rational(&gap.unwrap_or_default(), bits)
            });
            let gaps: Vec<Interval> = gaps.collect();
            let (with, without) = (
                sides(&places, &gaps, &with),
                sides(&places, &gaps, &without),
            );
            let laws = with.into_iter().zip(without).zip(gaps);
            laws.map(|((with, without), gap)| Knot::new(with, without, gap))
                .collect()
        })
    }

    /// The parts with their places on the line.
    fn peaks(&self, shifts: &Shifts, sign: i32) -> Vec<(Rational, Rational)> {
        let peak = |(shift, weight): &(Rational, Rational)| {
            (Rational::from(shift * sign) * &self.unit, weight.clone())
        };
        shifts.list().iter().map(peak).collect()
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let u = point.exp();
        let knots = self.knots(bits);
        let (zero, one) = (Interval::zero(bits), Interval::one(bits));
        // At the peaks before `open` the ratio is below u, at and after `sure` it is not.
        let open = knots.iter().position(|knot| !knot.ratio.certainly_lt(u));
        let sure = knots.iter().position(|knot| u.certainly_le(&knot.ratio));
        let Some(place) = open.filter(|_| u.lo().is_finite()) else {
            return ProfilePoint {
                delta: zero.clone(),
                null_tail: zero,
            };
        };
        if sure == Some(0) {
            return ProfilePoint {
                delta: u.one_minus().in_unit(),
                null_tail: one,
            };
        }
        let first = crossing(&knots, place, u);
        let last = sure.and_then(|sure| crossing(&knots, sure, u));
        let delta = match &first {
            Some((knot, t)) if sure == open => knot.gain(t, u),
            Some(_) | None => gain_in_doubt(&knots, place, u),
        };
        let tail = |of: Option<(&Knot, Interval)>, beyond: Interval| {
            of.map_or(beyond, |(knot, t)| knot.without.tail(&t))
        };
        ProfilePoint {
            delta: delta.max(&u.one_minus()).in_unit(),
            null_tail: tail(first, one).hull(&tail(last, zero)).in_unit(),
        }
    }

    /// The ratio before all peaks, and the one after them.
    fn ends(&self, bits: u32) -> Option<(Interval, Interval)> {
        let knots = self.knots(bits);
        Some((knots.first()?.ratio.clone(), knots.last()?.ratio.clone()))
    }
}

impl Knot {
    fn new(with: Side, without: Side, gap: Interval) -> Self {
        Self {
            ratio: with.density().div(&without.density()),
            with,
            without,
            gap,
        }
    }

    /// Q(> t) − u·P(> t).
    fn gain(&self, t: &Interval, u: &Interval) -> Interval {
        self.with.tail(t).sub(&u.mul(&self.without.tail(t)))
    }
}

impl Side {
    /// Twice the density at the peak.
    fn density(&self) -> Interval {
        self.left.add(&self.right)
    }

    /// The probability of all that lies t ≥ 0 after the peak or farther, up to the next peak; both exponentials make it fall.
    fn tail(&self, t: &Interval) -> Interval {
        let half = Interval::from_rational(&Rational::from((1, 2)), t.bits());
        let right = half.mul(&self.right).mul(&t.exp());
        let left = half.mul(&self.left).mul(&t.neg().exp());
        self.beyond.sub(&right).add(&left)
    }
}

/// One law around each of the places; all sums are of positive terms.
fn sides(places: &[&Rational], gaps: &[Interval], parts: &[(Rational, Rational)]) -> Vec<Side> {
    let weight_at = |place: &Rational| -> Rational {
        let here = parts.iter().filter(|(peak, _)| peak == place);
        here.map(|(_, weight)| weight).sum()
    };
    let Some(bits) = gaps.first().map(Interval::bits) else {
        return Vec::new();
    };
    let (mut left, mut right) = (Interval::zero(bits), Interval::zero(bits));
    let mut beyond = Rational::new();
    let weights: Vec<Rational> = places.iter().map(|place| weight_at(place)).collect();
    // Downwards for what is on the right: nothing is beyond the last.
    let mut sides = Vec::with_capacity(weights.len());
    for (weight, gap) in weights.iter().zip(gaps).rev() {
        right = right.mul(&gap.neg().exp());
        sides.push(Side {
            left: Interval::zero(bits),
            right: right.clone(),
            beyond: Interval::from_rational(&beyond, bits),
        });
        right = right.add(&Interval::from_rational(weight, bits));
        beyond += weight;
    }
    sides.reverse();
    for ((side, weight), gap) in sides.iter_mut().zip(&weights).zip(gaps) {
        left = left.add(&Interval::from_rational(weight, bits));
        side.left = left.clone();
        left = left.mul(&gap.neg().exp());
    }
    sides
}

/// Where the ratio reaches u, if it does so between the peak of this index and the one before, as that one and t; else the nearer of their two places.
///
/// So it is no later than the true place if the ratio is below u at the peak before, and no earlier if it is at least u at this one. `None` for the first peak.
fn crossing<'a>(knots: &'a [Knot], index: usize, u: &Interval) -> Option<(&'a Knot, Interval)> {
    let knot = knots.get(index.checked_sub(1)?)?;
    let rise = u.mul(&knot.without.left).sub(&knot.with.left);
    let fall = knot.with.right.sub(&u.mul(&knot.without.right));
    let half = Interval::from_rational(&Rational::from((1, 2)), u.bits());
    let t = rise.div(&fall).ln().mul(&half);
    Some((knot, t.at_least_zero().min(&knot.gap)))
}

/// δ(u) from the threshold at a peak, where it is not known on which side of u the ratio ρ is.
///
/// The ratio is below u at the peak before. No test gains more than this one by (ρ − u)⁺ times the mass of P between the two, as the ratio is at most ρ there,
/// nor by (u − ρ)⁺ times the mass of P beyond, where it is at least ρ.
fn gain_in_doubt(knots: &[Knot], index: usize, u: &Interval) -> Interval {
    let bits = u.bits();
    let zero = Interval::zero(bits);
    let Some(knot) = knots.get(index) else {
        return Interval::whole_line(bits);
    };
    let after = knot.without.tail(&zero);
    let before = index
        .checked_sub(1)
        .and_then(|before| knots.get(before))
        .map_or_else(|| Interval::one(bits), |before| before.without.tail(&zero));
    let excess = knot.ratio.sub(u);
    let missed = excess.at_least_zero().mul(&before);
    let wrong = excess.neg().at_least_zero().mul(&after);
    knot.gain(&zero, u).add(&zero.hull(&missed.add(&wrong)))
}

impl Profile for LaplaceMixtures {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        // Mirrored along the line.
        Arc::new(Self::new(
            self.unit.clone(),
            self.with.clone(),
            self.without.clone(),
        ))
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        bound(self.ends(bits).map(|(_, most)| most))
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        bound(self.ends(bits).map(|(least, _)| least))
    }

    fn is_symmetric(&self) -> bool {
        self.with == self.without
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let (least, most) = self.ends(point.bits())?;
        if most.certainly_le(point.exp()) {
            return Some(Rational::new());
        }
        let u = point.exact_exp()?;
        (least.lo() >= u).then(|| Rational::from(1 - u))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }
}

/// The loss of a ratio that is attained.
fn bound(ratio: Option<Interval>) -> LossBound {
    match ratio {
        Some(ratio) => LossBound::Finite {
            value: ratio.ln(),
            exact: None,
        },
        None => LossBound::Unbounded,
    }
}

#[cfg(test)]
#[path = "laplace_tests.rs"]
mod tests;
