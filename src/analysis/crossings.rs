//! Where two mechanisms change places: crossings of their privacy profiles and of their trade-off curves.

use std::cmp::Ordering;

use rug::Rational;

use super::comparison::{Contestant, tail_wanted};
use super::subject::power_of_ten;
use super::{Goal, Quantity, Resources, Subject, kinks};
use crate::bounds::exact_divergence::{self, profile_crossings};
use crate::bounds::{Target, crossings, overview};
use crate::kernel::{Failure, Interval};

/// Bits of comparisons of laws, which resolve less.
const BITS: u32 = 160;

/// Places where two curves change places, in rising order.
///
/// A place is a stretch over which the sign of the difference changes; where the curves agree on the way, it holds all of
/// that. Where they only touch there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossings<T> {
    /// Where the difference certainly changes its sign.
    pub places: Vec<T>,
    /// Are these certainly all?
    pub complete: bool,
}

impl<T> Crossings<T> {
    /// No place is known.
    ///
    /// Requires: `complete` only of curves that are ordered.
    pub fn none(complete: bool) -> Self {
        Self {
            places: Vec::new(),
            complete,
        }
    }
}

impl Subject {
    /// ε at which the privacy profiles of both mechanisms cross, each enclosed, in rising order; with them cross the
    /// Bayes errors at π = e^ε/(1 + e^ε).
    ///
    /// All of them, where both mechanisms have finitely many losses and the signs at these are certain. Otherwise those seen
    /// from the places of [`overview`](crate::bounds::overview) and where floats see the differences peak.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn crossings(
        &self,
        other: &Self,
        resources: &Resources<'_>,
    ) -> Result<Crossings<Interval>, Failure> {
        if let (Some(own), Some(others)) = (self.exact_curve(), other.exact_curve()) {
            let places = profile_crossings(own, others).into_iter();
            let epsilon = |u: &Rational| Interval::from_rational(u, BITS).ln();
            return Ok(Crossings {
                places: places
                    .map(|place| epsilon(&place.meet).hull(&epsilon(&place.part)))
                    .collect(),
                complete: true,
            });
        }
        if let Some(found) = kinks::crossings(self, other, resources.budget) {
            return Ok(found);
        }
        let (mut first, mut second) = (Contestant::new(self), Contestant::new(other));
        let tail = tail_wanted(&Goal::Width(Target::Absolute(power_of_ten(6))), None);
        for side in [&mut first, &mut second] {
            if side.sides.is_none() {
                match side.finest_known(&tail, resources) {
                    Ok(()) | Err(Failure::Interrupted) => {}
                    Err(failure) => return Err(failure),
                }
            }
        }
        let (Some(first), Some(second)) = (&first.sides, &second.sides) else {
            return Ok(Crossings::none(false));
        };
        let mut places = overview(BITS);
        let peaks = self.peaks_against(other).into_iter();
        places.extend(peaks.filter(|place| place.is_finite()));
        places.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        Ok(Crossings {
            places: crossings(first, second, &places, BITS, resources.budget)?,
            complete: false,
        })
    }

    /// False-positive rates α at which the trade-off curves of both mechanisms cross, each between two rates at which
    /// one curve is certainly below and certainly above the other.
    ///
    /// All of them, where both mechanisms are finite pairs of rational numbers: then a place is the exact rate, or the stretch on
    /// which the curves agree. Otherwise those seen from a fixed list of rates.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn curve_crossings(
        &self,
        other: &Self,
        resources: &Resources<'_>,
    ) -> Result<Crossings<(Rational, Rational)>, Failure> {
        if let (Some(own), Some(others)) = (self.exact_curve(), other.exact_curve()) {
            let places = exact_divergence::crossings(own, others).into_iter();
            return Ok(Crossings {
                places: places
                    .map(|place| (place.meet.alpha, place.part.alpha))
                    .collect(),
                complete: true,
            });
        }
        let mut found = Vec::new();
        let mut last: Option<(Rational, Ordering)> = None;
        for alpha in rates() {
            let Some(sign) = self.curve_sign(other, &alpha, resources)? else {
                continue;
            };
            if let Some((from, before)) = last.take().filter(|(_, before)| *before != sign) {
                found.push(self.narrowed(other, (from, alpha.clone()), before, resources)?);
            }
            last = Some((alpha, sign));
        }
        Ok(Crossings {
            places: found,
            complete: false,
        })
    }

    /// Halves a range of rates over which the sign changes, as long as the sign in the middle is certain.
    fn narrowed(
        &self,
        other: &Self,
        (mut low, mut high): (Rational, Rational),
        before: Ordering,
        resources: &Resources<'_>,
    ) -> Result<(Rational, Rational), Failure> {
        for _ in 0..24 {
            let middle = Rational::from(&low + &high) / 2u32;
            match self.curve_sign(other, &middle, resources)? {
                Some(sign) if sign == before => low = middle,
                Some(_) => high = middle,
                None => break,
            }
        }
        Ok((low, high))
    }

    /// Is f certainly below or above f_other at this rate? `None` if that is not known, or not in time.
    fn curve_sign(
        &self,
        other: &Self,
        alpha: &Rational,
        resources: &Resources<'_>,
    ) -> Result<Option<Ordering>, Failure> {
        let ask = |subject: &Self| {
            // Laws are used as they are.
            let width = if subject.is_closed_form() { 9 } else { 0 };
            let goal = Goal::Width(Target::Absolute(power_of_ten(width)));
            let alpha = alpha.clone();
            match subject.enclose(&Quantity::TradeOff { alpha }, &goal, resources) {
                Ok(answer) => Ok(Some(answer.enclosure)),
                Err(Failure::Interrupted) => Ok(None),
                Err(failure) => Err(failure),
            }
        };
        let (Some(own), Some(others)) = (ask(self)?, ask(other)?) else {
            return Ok(None);
        };
        Ok(if own.upper() < others.lower() {
            Some(Ordering::Less)
        } else if own.lower() > others.upper() {
            Some(Ordering::Greater)
        } else {
            None
        })
    }
}

/// Rates in (0, 1), rising: 64ths, and halves of halves towards both ends.
fn rates() -> Vec<Rational> {
    let small: Vec<Rational> = (7..=24u32)
        .rev()
        .map(|n| Rational::from((1u32, 1u32 << n)))
        .collect();
    let large: Vec<Rational> = small.iter().rev().map(|x| Rational::from(1 - x)).collect();
    let middle = (1..64u32).map(|n| Rational::from((n, 64u32)));
    small.into_iter().chain(middle).chain(large).collect()
}
