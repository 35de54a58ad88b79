//! Where two mechanisms change places: crossings of their privacy profiles and of their trade-off curves.

use std::cmp::Ordering;

use rug::Rational;

use super::comparison::{Side, tail_wanted};
use super::subject::power_of_ten;
use super::{Goal, Means, Quantity, Subject};
use crate::bounds::{Target, crossings, overview};
use crate::kernel::{Failure, Interval};

/// Bits of comparisons of laws, which resolve less.
const BITS: u32 = 160;

impl Subject {
    /// ε at which the privacy profiles of both mechanisms cross, each enclosed, in rising order; with them cross the
    /// Bayes errors at π = e^ε/(1 + e^ε). Two crossings closer together than the places of
    /// [`overview`](crate::bounds::overview) may be missed.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn crossings(&self, other: &Self, means: &Means<'_>) -> Result<Vec<Interval>, Failure> {
        let (mut first, mut second) = (Side::new(self), Side::new(other));
        let tail = tail_wanted(&Goal::Width(Target::Absolute(power_of_ten(6))), None);
        for side in [&mut first, &mut second] {
            if side.sides.is_none() {
                match side.finest_known(&tail, means) {
                    Ok(()) | Err(Failure::Interrupted) => {}
                    Err(failure) => return Err(failure),
                }
            }
        }
        let (Some(first), Some(second)) = (&first.sides, &second.sides) else {
            return Ok(Vec::new());
        };
        Ok(crossings(
            first,
            second,
            &overview(BITS),
            BITS,
            means.budget,
        ))
    }

    /// False-positive rates α at which the trade-off curves of both mechanisms cross, each between two rates at which
    /// one curve is certainly below and certainly above the other. Two crossings between neighbours of a fixed list of
    /// rates may be missed.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn curve_crossings(
        &self,
        other: &Self,
        means: &Means<'_>,
    ) -> Result<Vec<(Rational, Rational)>, Failure> {
        let mut found = Vec::new();
        let mut last: Option<(Rational, Ordering)> = None;
        for alpha in rates() {
            let Some(sign) = self.curve_sign(other, &alpha, means)? else {
                continue;
            };
            if let Some((from, before)) = last.take().filter(|(_, before)| *before != sign) {
                found.push(self.narrowed(other, (from, alpha.clone()), before, means)?);
            }
            last = Some((alpha, sign));
        }
        Ok(found)
    }

    /// Halves a range of rates over which the sign changes, as long as the sign in the middle is certain.
    fn narrowed(
        &self,
        other: &Self,
        (mut low, mut high): (Rational, Rational),
        before: Ordering,
        means: &Means<'_>,
    ) -> Result<(Rational, Rational), Failure> {
        for _ in 0..24 {
            let middle = Rational::from(&low + &high) / 2u32;
            match self.curve_sign(other, &middle, means)? {
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
        means: &Means<'_>,
    ) -> Result<Option<Ordering>, Failure> {
        let ask = |subject: &Self| {
            // Laws are used as they are.
            let width = if subject.is_closed_form() { 9 } else { 0 };
            let goal = Goal::Width(Target::Absolute(power_of_ten(width)));
            let alpha = alpha.clone();
            match subject.answer(&Quantity::TradeOff { alpha }, &goal, means) {
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
