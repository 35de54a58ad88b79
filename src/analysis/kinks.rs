//! All crossings of the privacy profiles of two finite laws: between neighbouring losses of either, profiles are linear.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::crossings::Crossings;
use super::subject::{Kind, Subject};
use crate::composition::parts::PairKind;
use crate::kernel::{Budget, Interval, Point, Profile};
use crate::mechanism::finite::FiniteProfile;

/// More losses than these, of both laws, are not looked at one by one.
const MOST_KINKS: usize = 20_000;

/// Precisions tried one after the other, until every sign is certain.
const BITS: [u32; 2] = [192, 768];

/// The crossings of two mechanisms whose losses take finitely many values; `None` for others.
///
/// Ensures: each place listed holds a change of sign, and where they are said to be complete, each holds one and there is no
/// other. In one direction of the pair δ is linear in u = e^ε between neighbouring losses, so a difference of two changes its
/// sign at most once there, and exactly once if its signs at the ends differ. With both directions δ is the larger of two such
/// functions. That is linear on a piece if one direction leads at both ends; and if at each end all differences, of each
/// direction of one mechanism and each of the other, have one sign, they keep it between equal signs, and between opposite
/// ones all rise or all fall, hence so does the largest of the smallest, which then is 0 once. If another direction leads at the other
/// end, the two change places once on the way: that place is enclosed, and cuts the piece. Other pieces are not claimed.
pub(super) fn crossings(
    first: &Subject,
    second: &Subject,
    budget: &Budget,
) -> Option<Crossings<Interval>> {
    let duel = Duel {
        first: profiles(first)?,
        second: profiles(second)?,
    };
    let mut best = None;
    for bits in BITS {
        let found = duel.crossings(bits, budget)?;
        let done = found.complete || budget.check().is_err();
        best = Some(found);
        if done {
            break;
        }
    }
    best
}

/// The profiles of the directions of the adjacency.
pub(super) fn profiles(subject: &Subject) -> Option<Vec<FiniteProfile>> {
    let Kind::Closed { part, .. } = &subject.kind else {
        return None;
    };
    let PairKind::Finite(law) = &part.kind else {
        return None;
    };
    let directions = subject.adjacency.directions().iter();
    (part.times == 1).then(|| {
        directions
            .map(|direction| FiniteProfile::new(law.clone()).toward(*direction))
            .collect()
    })
}

struct Duel {
    first: Vec<FiniteProfile>,
    second: Vec<FiniteProfile>,
}

/// Losses that may be one number.
struct Kink {
    place: Interval,
    exact: Option<Rational>,
}

/// The last kink where one mechanism is certainly below the other, and what came since.
struct Before {
    sign: Ordering,
    end: Float,
    /// From the first to the last kink where the profiles agree.
    equal: Option<Interval>,
    /// Was there a piece on which more than one change is possible?
    is_unclear: bool,
}

/// What is certain at a kink.
struct Reading {
    /// Of the larger δ of the first less that of the second.
    sign: Option<Ordering>,
    /// Do all differences of their directions have that sign?
    is_uniform: bool,
    /// Which direction has the larger δ, for each mechanism.
    leaders: [Leader; 2],
}

#[derive(Clone, Copy, PartialEq)]
enum Leader {
    /// All are equal.
    All,
    This(usize),
    Unknown,
}

impl Leader {
    fn of(values: &[Interval], at: &Point) -> Self {
        // At ε = 0 each direction has the total variation distance.
        let is_zero = at.log().is_zero();
        let equal = |a: &Interval, b: &Interval| a == b && a.lo() == a.hi();
        let mut pairs = values.iter().zip(values.iter().skip(1));
        if is_zero || pairs.all(|(a, b)| equal(a, b)) {
            return Self::All;
        }
        let leads = |a: &Interval| {
            let mut others = values.iter().filter(|b| !std::ptr::eq(a, *b));
            others.all(|b| b.hi() <= a.lo())
        };
        values
            .iter()
            .position(leads)
            .map_or(Self::Unknown, Self::This)
    }

    /// Does one direction lead all the way between two neighbouring kinks?
    fn is_one_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => false,
            (Self::All, _) | (_, Self::All) => true,
            (Self::This(a), Self::This(b)) => a == b,
        }
    }
}

impl Reading {
    /// Is at most one change of sign possible between two neighbouring kinks?
    fn is_simple_with(&self, other: &Self) -> bool {
        let [first, second] = self.leaders;
        let [others_first, others_second] = other.leaders;
        (self.is_uniform && other.is_uniform)
            || (first.is_one_with(others_first) && second.is_one_with(others_second))
    }
}

impl Duel {
    fn crossings(&self, bits: u32, budget: &Budget) -> Option<Crossings<Interval>> {
        let mut found = Crossings::none(true);
        let mut before: Option<Before> = None;
        let mut last: Option<Reading> = None;
        let kinks = self.kinks(bits)?;
        for (place, reading) in self.readings(kinks, bits, budget) {
            let Some(reading) = reading else {
                found.complete = false;
                break;
            };
            let is_simple = last
                .as_ref()
                .is_none_or(|last| last.is_simple_with(&reading));
            if reading.sign.is_none() || !is_simple {
                found.complete = false;
                if let Some(before) = &mut before {
                    before.is_unclear = true;
                }
            }
            match reading.sign {
                None => {}
                Some(Ordering::Equal) => {
                    if let Some(before) = &mut before {
                        before.equal = Some(match before.equal.take() {
                            Some(equal) => equal.hull(&place),
                            None => place,
                        });
                    }
                }
                Some(sign) => {
                    if let Some(before) = before.filter(|before| before.sign != sign) {
                        found.places.push(match before.equal {
                            Some(equal) if !before.is_unclear => equal,
                            _ => self.narrowed(&before, place.lo(), bits),
                        });
                    }
                    before = Some(Before {
                        sign,
                        end: place.hi().clone(),
                        equal: None,
                        is_unclear: false,
                    });
                }
            }
            last = Some(reading);
        }
        Some(found)
    }

    /// What is certain at the kinks, and where directions change places between two of them; nothing at the first one that time is left for.
    fn readings(
        &self,
        kinks: Vec<Kink>,
        bits: u32,
        budget: &Budget,
    ) -> Vec<(Interval, Option<Reading>)> {
        let mut found: Vec<(Interval, Option<Reading>)> = Vec::with_capacity(kinks.len());
        for Kink { place, exact } in kinks {
            if budget.check().is_err() {
                found.push((place, None));
                break;
            }
            let reading = self.read(&match &exact {
                Some(exact) => Point::at_epsilon(exact, bits),
                None => Point::at_log(place.clone()),
            });
            if let Some((last, Some(before))) = found.last() {
                let between = (last.hi().clone(), place.lo().clone());
                let switches = self.switches((before, &reading), &between);
                found.extend(switches.into_iter().map(|(at, read)| (at, Some(read))));
            }
            found.push((place, Some(reading)));
        }
        found
    }

    /// Where the directions of either mechanism change places between neighbouring kinks, rising, each enclosed.
    fn switches(
        &self,
        (before, after): (&Reading, &Reading),
        (low, high): &(Float, Float),
    ) -> Vec<(Interval, Reading)> {
        let mut found: Vec<(Interval, [bool; 2])> = Vec::new();
        let ends = before.leaders.iter().zip(&after.leaders);
        for (index, (profiles, (first, last))) in
            [&self.first, &self.second].iter().zip(ends).enumerate()
        {
            let (Leader::This(one), Leader::This(other)) = (*first, *last) else {
                continue;
            };
            let pair = profiles.get(one).zip(profiles.get(other));
            let Some(place) = pair.and_then(|pair| meeting(pair, low, high)) else {
                continue;
            };
            let met = [index == 0, index == 1];
            match found.pop() {
                None => found.push((place, met)),
                Some((at, had)) if at.certainly_lt(&place) => {
                    found.extend([(at, had), (place, met)])
                }
                Some((at, had)) if place.certainly_lt(&at) => {
                    found.extend([(place, met), (at, had)])
                }
                Some((at, _)) => found.push((at.hull(&place), [true; 2])),
            }
        }
        let read = |(place, met): (Interval, [bool; 2])| {
            let mut reading = self.read(&Point::at_log(place.clone()));
            for (leader, met) in reading.leaders.iter_mut().zip(met) {
                if met {
                    // One leads up to a point of the place, where all are equal, and the other from there.
                    *leader = Leader::All;
                }
            }
            (place, reading)
        };
        found.into_iter().map(read).collect()
    }

    /// Losses of both laws in the directions that matter, rising; those that may be equal are one. `None` if there are too many.
    fn kinks(&self, bits: u32) -> Option<Vec<Kink>> {
        let mut kinks = vec![Kink {
            place: Interval::zero(bits),
            exact: Some(Rational::new()),
        }];
        for profile in self.first.iter().chain(&self.second) {
            let losses = profile.losses(bits);
            if kinks.len().saturating_add(losses.len()) > MOST_KINKS {
                return None;
            }
            let places = losses.into_iter().enumerate();
            kinks.extend(places.map(|(index, place)| Kink {
                place,
                exact: profile.rational_loss(index),
            }));
        }
        kinks.sort_by(|a, b| {
            let by_place = a.place.lo().partial_cmp(b.place.lo());
            by_place.unwrap_or(Ordering::Equal)
        });
        let mut merged: Vec<Kink> = Vec::with_capacity(kinks.len());
        for kink in kinks {
            match merged.last_mut() {
                Some(last) if last.exact.is_some() && last.exact == kink.exact => {}
                Some(last) if last.place.hi() >= kink.place.lo() => {
                    last.place = last.place.hull(&kink.place);
                    last.exact = None;
                }
                _ => merged.push(kink),
            }
        }
        Some(merged)
    }

    /// What is certain of δ_first − δ_second at a point, or all over an interval.
    ///
    /// Left of 0 it is what is certain of the swapped pairs at −ε: δ(u) = 1 − u + u·δ_swapped(1/u).
    fn read(&self, at: &Point) -> Reading {
        let is_left = *at.log().hi() < 0;
        let place = if is_left { at.mirrored() } else { at.clone() };
        let values = |profiles: &[FiniteProfile]| -> Vec<Interval> {
            let value = |profile: &FiniteProfile| {
                if is_left {
                    profile.mirrored().at(&place).delta
                } else {
                    profile.at(&place).delta
                }
            };
            profiles.iter().map(value).collect()
        };
        let (first, second) = (values(&self.first), values(&self.second));
        let largest = |values: &[Interval]| {
            let zero = Interval::zero(at.bits());
            values.iter().fold(zero, |most, value| most.max(value))
        };
        let sign = sign(&largest(&first), &largest(&second));
        let mut pairs = first
            .iter()
            .flat_map(|a| second.iter().map(move |b| (a, b)));
        Reading {
            sign,
            is_uniform: sign.is_some() && pairs.all(|(a, b)| self::sign(a, b) == sign),
            leaders: [Leader::of(&first, at), Leader::of(&second, at)],
        }
    }

    /// Halves the stretch over which the sign changes, as long as the sign in the middle is certain.
    fn narrowed(&self, before: &Before, end: &Float, bits: u32) -> Interval {
        let (mut low, mut high) = (before.end.clone(), end.clone());
        for _ in 0..48 {
            let middle = Interval::spanning(low.clone(), high.clone()).middle();
            match self
                .read(&Point::at_log(Interval::point(middle.clone())))
                .sign
            {
                // One of several places perhaps, and perhaps a touch.
                Some(Ordering::Equal) if before.is_unclear => break,
                Some(Ordering::Equal) => return Interval::point(middle).at_bits(bits),
                Some(sign) if sign == before.sign => low = middle,
                Some(_) => high = middle,
                None => break,
            }
        }
        Interval::spanning(low, high)
    }
}

/// Where two profiles that are linear in u = e^ε from `low` to `high` meet, as ε; `None` if their order is not certainly another at the
/// other end.
fn meeting(pair: (&FiniteProfile, &FiniteProfile), low: &Float, high: &Float) -> Option<Interval> {
    let gap = |end: &Float| {
        let at = Point::at_log(Interval::point(end.clone()));
        let delta = |profile: &FiniteProfile| profile.at(&at).delta;
        (at.exp().clone(), delta(pair.0).sub(&delta(pair.1)))
    };
    let ((start, before), (end, after)) = (gap(low), gap(high));
    let is_opposite = (before.is_positive() && after.neg().is_positive())
        || (after.is_positive() && before.neg().is_positive());
    if !is_opposite {
        return None;
    }
    let share = before.div(&before.sub(&after)).in_unit();
    let met = start.add(&end.sub(&start).mul(&share)).ln();
    let range = Interval::spanning(low.clone(), high.clone());
    met.intersect(&range).ok()
}

/// The certain order of two numbers.
fn sign(a: &Interval, b: &Interval) -> Option<Ordering> {
    if a.certainly_lt(b) {
        Some(Ordering::Less)
    } else if b.certainly_lt(a) {
        Some(Ordering::Greater)
    } else {
        (a == b && a.lo() == a.hi()).then_some(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;

    use super::*;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::exact_divergence::profile_crossings;
    use crate::bounds::testing::finite_pair;
    use crate::mechanism::{Adjacency, finite_pair::law};
    use crate::test_scale::cases;

    fn both(p: &[Rational], q: &[Rational]) -> Vec<FiniteProfile> {
        let law = std::sync::Arc::new(law(p, q).unwrap());
        let directions = Adjacency::AddRemove.directions().iter();
        directions
            .map(|way| FiniteProfile::new(law.clone()).toward(*way))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Against the exact crossings of pairs whose numbers are rational; here they are asked as if they were not.
        #[test]
        fn agrees_with_exact_curves(a in finite_pair(), b in finite_pair(), side in 0usize..3) {
            let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][side];
            let profiles = |p: &[Rational], q: &[Rational]| -> Vec<FiniteProfile> {
                let law = std::sync::Arc::new(law(p, q).unwrap());
                let directions = adjacency.directions().iter();
                directions.map(|way| FiniteProfile::new(law.clone()).toward(*way)).collect()
            };
            let duel = Duel { first: profiles(&a.p, &a.q), second: profiles(&b.p, &b.q) };
            let found = duel.crossings(192, &Budget::unlimited()).unwrap();
            let exact = profile_crossings(
                &ExactCurve::new(&a.p, &a.q, adjacency),
                &ExactCurve::new(&b.p, &b.q, adjacency),
            );
            prop_assert!(found.places.len() <= exact.len());
            prop_assert!(!found.complete || found.places.len() == exact.len());
            for place in &found.places {
                let holds = exact.iter().any(|crossing| {
                    let log = |u: &Rational| Interval::from_rational(u, 192).ln();
                    place.lo() <= log(&crossing.part).hi() && place.hi() >= log(&crossing.meet).lo()
                });
                prop_assert!(holds, "{place:?} {exact:?}");
            }
        }
    }
    /// Pairs whose two directions change places between kinks: all crossings are found, and said to be all.
    #[test]
    fn directions_that_change_places_are_followed() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut complete = [0u32; 2];
        for _ in 0..cases(100) {
            let mut pair = || finite_pair().new_tree(&mut runner).unwrap().current();
            let (a, b) = (pair(), pair());
            let duel = Duel {
                first: both(&a.p, &a.q),
                second: both(&b.p, &b.q),
            };
            let found = duel.crossings(192, &Budget::unlimited()).unwrap();
            complete[usize::from(found.complete)] += 1;
        }
        // What is left has profiles that agree at a kink, which these numbers cannot see; without the changes of place, 57 of 200.
        assert!(complete[1] >= 12 * complete[0], "{complete:?}");
    }
    /// Where two directions meet, their difference is 0, and nowhere near.
    #[test]
    fn directions_are_equal_where_they_meet() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut met = 0;
        for _ in 0..cases(30) {
            let pair = finite_pair().new_tree(&mut runner).unwrap().current();
            let profiles = both(&pair.p, &pair.q);
            let duel = Duel {
                first: profiles.clone(),
                second: profiles.clone(),
            };
            let kinks = duel.kinks(192).unwrap();
            for (low, high) in kinks.iter().zip(kinks.iter().skip(1)) {
                let (low, high) = (low.place.hi(), high.place.lo());
                let Some(place) = meeting((&profiles[0], &profiles[1]), low, high) else {
                    continue;
                };
                let gap = |at: &Float| {
                    let at = Point::at_log(Interval::point(at.clone()));
                    profiles[0].at(&at).delta.sub(&profiles[1].at(&at).delta)
                };
                let tiny = Float::with_val(192, 1) >> 150u32;
                assert!(place.width_up() < tiny, "{place:?}");
                let (before, after) = (gap(low), gap(high));
                let middle = gap(&place.middle());
                let size = before.max(&before.neg()).max(&after).max(&after.neg());
                assert!(*middle.hi() < tiny.clone() * 1000u32 * (1 + size.hi().clone()));
                assert!(*middle.lo() > -tiny * 1000u32 * (1 + size.hi().clone()));
                met += 1;
            }
        }
        assert!(met > 5, "{met}");
    }
}

#[cfg(test)]
#[path = "kinks_tests.rs"]
mod coarse;
