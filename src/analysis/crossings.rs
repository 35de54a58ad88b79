//! Where two mechanisms change places: crossings of their privacy profiles and of their trade-off curves.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::comparison::tail_wanted;
use super::contestant::Contestant;
use super::subject::power_of_ten;
use super::{Goal, Resources, Subject, kinks, vertices};
use crate::bounds::exact_divergence::{self, profile_crossings};
use crate::bounds::{
    Effort, SeenCurves, SeenOrder, Target, TwoSided, crossings, overview, seen_order, tradeoff,
};
use crate::kernel::{Budget, Failure, Interval};

/// Bits of comparisons of laws, which resolve less.
const BITS: u32 = 160;
/// Decimal places to which trade-off curves are compared at a fixed list of rates.
const SEEN_DIGITS: u32 = 9;

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
        if self.is_bound() || other.is_bound() {
            return Ok(Crossings::none(false));
        }
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
        let Some((first, second)) = self.known_beside(other, resources)? else {
            return Ok(Crossings::none(false));
        };
        let mut places = overview(BITS);
        let peaks = self.peaks_against(other, resources.budget).into_iter();
        places.extend(peaks.filter(|place| place.is_finite()));
        places.sort_unstable_by(Float::total_cmp);
        Ok(Crossings {
            places: crossings(&first, &second, &places, BITS, resources.budget)?,
            complete: false,
        })
    }

    /// The finest laws of both mechanisms that earlier questions left, or else the first ones; `None` if the time ends before.
    pub(super) fn known_beside(
        &self,
        other: &Self,
        resources: &Resources<'_>,
    ) -> Result<Option<(TwoSided, TwoSided)>, Failure> {
        let tail = tail_wanted(&Goal::Width(Target::Absolute(power_of_ten(6))), None);
        let known = |subject: &Self| {
            let mut side = Contestant::new(subject);
            if side.sides.is_none() {
                match side.finest_known(&tail, resources) {
                    Ok(()) | Err(Failure::Interrupted) => {}
                    Err(failure) => return Err(failure),
                }
            }
            Ok(side.sides)
        };
        Ok(known(self)?.zip(known(other)?))
    }

    /// False-positive rates α at which the trade-off curves of both mechanisms cross, each between two rates at which
    /// one curve is certainly below and certainly above the other.
    ///
    /// All of them, where both mechanisms have finitely many losses and the signs at the vertices of the curves are certain; of finite pairs
    /// of rational numbers a place is the exact rate, or the stretch on which the curves agree. Otherwise those seen from a fixed list of
    /// rates.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn curve_crossings(
        &self,
        other: &Self,
        resources: &Resources<'_>,
    ) -> Result<Crossings<(Rational, Rational)>, Failure> {
        if self.is_bound() || other.is_bound() {
            return Ok(Crossings::none(false));
        }
        if let (Some(own), Some(others)) = (self.exact_curve(), other.exact_curve()) {
            let places = exact_divergence::crossings(own, others).into_iter();
            return Ok(Crossings {
                places: places
                    .map(|place| (place.meet.alpha, place.part.alpha))
                    .collect(),
                complete: true,
            });
        }
        if let Some(found) = vertices::crossings(self, other, resources.budget)? {
            return Ok(found);
        }
        // What earlier answers prove is not asked for: it may be less than what the laws say.
        let Some((first, second)) = self.known_beside(other, resources)? else {
            return Ok(Crossings::none(false));
        };
        let mut curves = Curves::new(&first, &second, resources.budget);
        let mut found = Vec::new();
        let mut last: Option<(Rational, Ordering)> = None;
        for alpha in rates() {
            if resources.budget.check().is_err() {
                break;
            }
            let Some(sign) = curves.sign_at(&alpha)? else {
                continue;
            };
            if let Some((from, before)) = last.take().filter(|(_, before)| *before != sign) {
                found.push(curves.narrowed((from, alpha.clone()), before)?);
            }
            last = Some((alpha, sign));
        }
        Ok(Crossings {
            places: found,
            complete: false,
        })
    }
}

/// Two trade-off curves, each between those of two profiles.
struct Curves<'a> {
    first: &'a TwoSided,
    second: &'a TwoSided,
    /// What was looked at of both.
    seen: [SeenCurves; 2],
    budget: &'a Budget,
}

impl<'a> Curves<'a> {
    fn new(first: &'a TwoSided, second: &'a TwoSided, budget: &'a Budget) -> Self {
        Self {
            first,
            second,
            seen: [first, second].map(|sides| SeenCurves::new(sides, BITS)),
            budget,
        }
    }

    /// Halves a range of rates over which the sign changes, as long as the sign in the middle is certain.
    fn narrowed(
        &mut self,
        (mut low, mut high): (Rational, Rational),
        before: Ordering,
    ) -> Result<(Rational, Rational), Failure> {
        for _ in 0..24 {
            let middle = Rational::from(&low + &high) / 2u32;
            match self.sign_at(&middle)? {
                Some(sign) if sign == before => low = middle,
                Some(_) => high = middle,
                None => break,
            }
        }
        Ok((low, high))
    }

    /// Is the first curve certainly below or above the second at this rate? `None` if that is not known.
    fn sign_at(&mut self, alpha: &Rational) -> Result<Option<Ordering>, Failure> {
        let [first, second] = &mut self.seen;
        let width = power_of_ten(SEEN_DIGITS);
        match seen_order([first, second], alpha, &width, self.budget)? {
            SeenOrder::Certain(order) => Ok(Some(order)),
            SeenOrder::Unknown => Ok(None),
            SeenOrder::Left => self.sign_to(alpha, SEEN_DIGITS),
        }
    }

    fn sign_to(&self, alpha: &Rational, digits: u32) -> Result<Option<Ordering>, Failure> {
        let target = Target::Absolute(power_of_ten(digits));
        let effort = Effort {
            bits: BITS,
            target: &target,
            goal: None,
            budget: self.budget,
        };
        let first = tradeoff(self.first, alpha, &effort)?.interval();
        let second = tradeoff(self.second, alpha, &effort)?.interval();
        Ok(if first.certainly_lt(&second) {
            Some(Ordering::Less)
        } else if second.certainly_lt(&first) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::{Adjacency, Epsilon, Mechanism};
    use crate::statement::Query;

    /// Whoever asked something else before, however coarsely, sees the same crossings.
    #[test]
    fn earlier_answers_hide_no_crossing() {
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| {},
        };
        let one = || Rational::from(1);
        let subject =
            |mechanism: &Mechanism| Subject::new(mechanism, Adjacency::Remove, &budget).unwrap();
        let laplace = Mechanism::laplace(one(), one()).unwrap();
        let three = Mechanism::compose(vec![(laplace, 3)]).unwrap();
        let gaussian = Mechanism::gaussian(Rational::from((13, 20)), one()).unwrap();
        let (gaussian, fresh) = (subject(&gaussian), subject(&three));
        let found = fresh.curve_crossings(&gaussian, &resources).unwrap();
        assert!(found.places.len() >= 2, "{found:?}");
        let asked = subject(&three);
        for epsilon in [-2, 0, 2] {
            let goal = Goal::Width(Target::Absolute(power_of_ten(1)));
            let at = Query::delta(Epsilon::from(Rational::from(epsilon))).unwrap();
            asked.answer(&at, &goal, &resources).unwrap();
        }
        let again = asked.curve_crossings(&gaussian, &resources).unwrap();
        assert_eq!(again.places.len(), found.places.len());
        assert_eq!(asked.curve_crossings(&gaussian, &resources).unwrap(), again);
    }

    /// Closed forms, asked at a fixed list of rates: each place has one order at its first end and the other at its last.
    #[test]
    fn places_are_between_two_orders() {
        let budget = Budget::unlimited();
        let sides = |mechanism: Mechanism| {
            let subject = Subject::new(&mechanism, Adjacency::Remove, &budget).unwrap();
            Contestant::new(&subject).sides.unwrap()
        };
        let laplace = sides(Mechanism::laplace(1, 1).unwrap());
        let gaussian = sides(Mechanism::gaussian(Rational::from((23, 20)), 1).unwrap());
        let mut curves = Curves::new(&laplace, &gaussian, &budget);
        let part = |n: u32, d: u32| Rational::from((n, d));
        // f of Laplace noise is 1 − e·α for small α; that of a Gaussian is above it there, and below at the fixed point.
        let (low, high) = (part(1, 1 << 20), part(3, 10));
        let [first, last] = [&low, &high].map(|alpha| curves.sign_at(alpha).unwrap().unwrap());
        assert!(first != last, "{first:?} {last:?}");
        let at = |alpha: &Rational| {
            let target = Target::Absolute(power_of_ten(12));
            let effort = Effort {
                bits: BITS,
                target: &target,
                goal: None,
                budget: &budget,
            };
            let [one, other] = [&laplace, &gaussian]
                .map(|side| tradeoff(side, alpha, &effort).unwrap().interval());
            one.middle().partial_cmp(&other.middle()).unwrap()
        };
        assert!(at(&low) == first && at(&high) == last);
        let (from, to) = curves.narrowed((low.clone(), high.clone()), first).unwrap();
        assert!(from < to && from >= low && to <= high);
        assert!(Rational::from(&to - &from) < part(1, 100_000));
        assert!(at(&from) == first && at(&to) == last);
        assert_eq!(curves.sign_to(&part(1, 2), 1).unwrap(), None);
        // Whatever was looked at before, a sign is that of the values.
        for n in 1..64 {
            let alpha = part(n * 7 % 64, 64);
            let sign = curves.sign_at(&alpha).unwrap();
            assert_eq!(
                sign,
                curves.sign_to(&alpha, SEEN_DIGITS).unwrap(),
                "{alpha}"
            );
        }
    }

    /// 64ths, and beyond the first and the last the halves of halves, rising.
    #[test]
    fn rates_rise() {
        let all = rates();
        assert!(all.windows(2).all(|two| two[0] < two[1]));
        assert!(*all.first().unwrap() == Rational::from((1u32, 1u32 << 24)));
        assert_eq!(all.len(), 18 + 63 + 18);
    }

    /// Both profiles are equal from u = 1/3 to 3, where one has two losses for one of the other: that stretch is the place.
    #[test]
    fn profiles_that_agree_on_the_way() {
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| {},
        };
        let of = |p: [u32; 3], q: [u32; 3]| {
            let [p, q] = [p, q].map(|all| all.map(|n| Rational::from((n, 10u32))).to_vec());
            let finite = Mechanism::finite(p, q).unwrap();
            Subject::new(&finite, Adjacency::Remove, &budget).unwrap()
        };
        let (a, b) = (of([2, 5, 3], [8, 1, 1]), of([1, 1, 8], [5, 3, 2]));
        let found = a.crossings(&b, &resources).unwrap();
        assert!(found.complete && found.places.len() == 1);
        let three = Interval::from_i64(3, 192).ln();
        let place = &found.places[0];
        assert!(place.intersect(&three).is_ok() && place.intersect(&three.neg()).is_ok());
        let curve = a.curve_crossings(&b, &resources).unwrap();
        assert!(curve.complete && curve.places.len() == 1);
        let part = |n: u32| Rational::from((n, 10u32));
        assert_eq!(curve.places[0], (part(2), part(2)));
    }
}
