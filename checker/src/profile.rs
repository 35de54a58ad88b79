//! The privacy profile of one step: δ(u) = E_Q(1 − u/L)⁺ and the null's tail s(u) = P(L > u), L = dQ/dP, as enclosures at any u.
//!
//! Laws and inequalities know nothing else of a step. The rows C of `proofs/FORMAT.md` prove what is computed here.

use std::cmp::Ordering;

use crate::adaptive::several;
use crate::finite::{Outcome, against_uniform, geometric, guaranteed, response};
use crate::noise::{Mixtures, tail};
use crate::shuffled::Shuffled;
use crate::*;

/// Where a profile is asked for: ε and u = e^ε.
pub struct Place {
    pub log: Real,
    pub exp: Real,
    /// ε, where it is known exactly.
    pub exact: Option<Epsilon>,
}

impl Place {
    pub fn of(epsilon: &Epsilon) -> Result<Self> {
        Ok(Self { log: epsilon.log()?, exp: epsilon.exp()?, exact: Some(epsilon.clone()) })
    }

    pub fn of_odds(exp: Real) -> Result<Self> {
        Ok(Self { log: exp.ln()?, exp, exact: None })
    }

    /// How two places compare, where that can be told.
    fn order(&self, other: &Self) -> Option<Ordering> {
        let exact = self.exact.as_ref().zip(other.exact.as_ref()).and_then(|(a, b)| a.order(b));
        exact.or_else(|| self.exp.order(&other.exp))
    }

    /// How this place and a loss compare, where that can be told.
    pub fn compared(&self, loss: &Epsilon) -> Result<Option<Ordering>> {
        let exact = self.exact.as_ref().and_then(|at| at.order(loss));
        Ok(match loss {
            _ if exact.is_some() => exact,
            Epsilon::Plain(_) => self.log.order(&loss.log()?),
            Epsilon::LogOf(_) => self.exp.order(&loss.exp()?),
        })
    }
}

/// δ and s at one u; Q(L > u) = δ + u·s.
pub struct Point {
    pub delta: Real,
    /// q − u·p of the test that is cut at a guess: from below no more than δ, and below 0 where the guess is not good.
    guessed: Real,
    pub null: Real,
    pub u: Real,
    /// Where noise is cut: "L > u" is to be read as "the noise is above this", which is never the better test.
    pub cuts: Vec<BigInt>,
}

impl Point {
    fn new(delta: Real, null: Real, place: &Place) -> Self {
        Self {
            guessed: delta.clone(),
            delta: delta.at_least_zero(),
            null: null.at_least_zero(),
            u: place.exp.clone(),
            cuts: Vec::new(),
        }
    }

    /// Q(L > u).
    pub fn power(&self) -> Real {
        self.guessed.plus(&self.u.times(&self.null))
    }
}

/// A pair whose profile is computed, in one order.
pub enum Pair {
    /// N(0, 1) against N(μ, 1).
    Gaussian(Real),
    /// Laplace noise, or logistic noise, with the largest loss.
    Laplace(Epsilon, bool),
    /// The worst of several at each u.
    Worst(Vec<Pair>),
    Outcomes(Vec<Outcome>),
    /// δ is linear in u between these points of it, which lie too high by at most the number.
    Polygon(Vec<Corner>, Real),
    /// δ is at most linear in u between these points; nothing else is known.
    Below(Vec<Corner>),
    Mixtures(Mixtures),
    Shuffled(Box<Shuffled>, Direction),
    Sampled(Sample, Box<Pair>),
    Labelled(Vec<(Real, Pair)>),
}

/// A corner of a profile.
pub struct Corner {
    place: Place,
    delta: Real,
}

impl Pair {
    pub fn of(step: &Step, direction: Direction) -> Result<Self> {
        step.spend(1)?;
        let is_stated = direction == Direction::Remove;
        Ok(match step {
            Step::Gaussian { square } => Self::Gaussian(Real::of(square).sqrt()?),
            Step::Laplace { epsilon } => Self::Laplace(Epsilon::Plain(epsilon.clone()), false),
            Step::Choice { epsilon, is_flip } => Self::Laplace(epsilon.clone(), !is_flip),
            Step::Released { noise, place } => {
                let chance = tail(noise, place)?;
                let all = [(Real::int(1).minus(&chance).at_least_zero(), Real::int(1)), (chance, Real::int(0))];
                let outcome = |(q, p)| Outcome::of(if is_stated { (q, p) } else { (p, q) });
                Self::Outcomes(all.map(outcome).into())
            }
            Step::Worst { of } => {
                let pairs = of.iter().map(|(is_turned, step)| Self::of(step, direction.turned(*is_turned)));
                let mut pairs = pairs.collect::<Result<Vec<_>>>()?;
                if pairs.len() == 1 { pairs.swap_remove(0) } else { Self::Worst(pairs) }
            }
            Step::Largest { .. } => return Reason::NoClosedForm.no("what the largest answer tells needs thresholds"),
            Step::Response { epsilon, k } => Self::Outcomes(response(epsilon, k)?),
            Step::ResponseOrUniform { epsilon, k } => Self::Outcomes(against_uniform(epsilon, k, is_stated)?),
            Step::Finite { p, q } => {
                let (p, q) = if is_stated { (p, q) } else { (q, p) };
                let outcome = |(p, q): (&BigRational, &BigRational)| Outcome {
                    q: Real::of(q),
                    p: Real::of(p),
                    loss: (p.is_positive() && q.is_positive()).then(|| Epsilon::LogOf(q / p)),
                };
                Self::Outcomes(p.iter().zip(q).map(outcome).collect())
            }
            Step::Selected { runs, p, q } => {
                let (p, q) = if is_stated { (p, q) } else { (q, p) };
                let outcomes = runs.best(q)?.into_iter().zip(runs.best(p)?);
                Self::Outcomes(outcomes.map(Outcome::of).collect())
            }
            Step::Guarantee { points } => match points.as_slice() {
                [(epsilon, delta)] if !epsilon.is_negative() => Self::Outcomes(guaranteed(epsilon, delta)?),
                _ => polygon(points)?,
            },
            Step::Shuffled { of, others, epsilon } => {
                Self::Shuffled(Box::new(Shuffled::new(*of, *others, epsilon)?), direction)
            }
            Step::Zcdp { .. } | Step::Rdp { .. } => {
                let what = "the profile of Renyi guarantees is bounded at single points only";
                return Reason::NoClosedForm.no(what);
            }
            Step::Shifted { noise, without, with } => match (noise, without.as_slice(), with.as_slice()) {
                (Noise::Laplace { unit }, [(_, down)], [(_, up)]) => {
                    Self::Laplace(Epsilon::Plain((down + up) * unit), false)
                }
                (Noise::DiscreteLaplace { scale }, [(_, down)], [(_, up)])
                    if (down + up).to_integer() <= BigInt::from(64) =>
                {
                    Self::Outcomes(geometric(scale, &(down + up))?)
                }
                _ if is_stated => Self::Mixtures(Mixtures::new(noise, without, with)?),
                // Turned around, what was moved down is moved up.
                _ => Self::Mixtures(Mixtures::new(noise, with, without)?),
            },
            Step::Sampled { rate, of } => match (Sample::new(rate, direction), Self::of_parts(of, direction)?) {
                (sample, Self::Outcomes(all)) => {
                    let outcome = |one: &Outcome| Outcome::of(sample.masses(&one.q, &one.p));
                    Self::Outcomes(all.iter().map(outcome).collect())
                }
                (sample, of) => Self::Sampled(sample, Box::new(of)),
            },
            Step::Labelled { of } => {
                let part = |(weight, of): &(BigRational, Parts)| Ok((Real::of(weight), Self::of_parts(of, direction)?));
                Self::Labelled(of.iter().map(part).collect::<Result<_>>()?)
            }
        })
    }

    /// Of a composition: one step, or steps with few outcomes in all.
    pub fn of_parts(parts: &Parts, direction: Direction) -> Result<Self> {
        if let [(step, 1)] = parts.as_slice() {
            return Self::of(step, direction);
        }
        if let Some(all) = several(parts)? {
            let start = Place { log: Real::int(0), exp: Real::int(0), exact: None };
            let all = [(start, Real::int(1).lo)].into_iter().chain(all);
            let corner = |(place, delta): (Place, BigInt)| Corner { place, delta: Real::units(delta) };
            return Ok(Self::Below(all.map(corner).collect()));
        }
        let refused = || Rejected::new(Reason::NoClosedForm, "a composition has no closed form: a law is needed");
        let mut all = vec![Outcome::of((Real::int(1), Real::int(1)))];
        for (step, times) in parts {
            let Self::Outcomes(mut one) = Self::of(step, direction)? else { return Err(refused()) };
            one.retain(|Outcome { q, p, .. }| q.hi.is_positive() || p.hi.is_positive());
            // Always the same tells nothing, however often.
            if one.len() < 2 {
                continue;
            }
            let ways = finite::multisets(one.len(), *times).saturating_mul(all.len());
            if ways > 4096 {
                return Err(refused());
            }
            let runs = finite::repeated(&one, *times)?;
            spend_each(ways, 300)?;
            all = all.iter().flat_map(|a| runs.iter().map(move |b| a.and(b))).collect();
        }
        Ok(Self::Outcomes(all))
    }

    /// log Σ q^t·p^(1−t) of outcomes, and of noise on the integers.
    pub fn moment(&self, order: &BigRational) -> Result<Option<Real>> {
        if let Self::Mixtures(noise) = self {
            return noise.moment(order);
        }
        let Self::Outcomes(outcomes) = self else { return Ok(None) };
        finite::moment(outcomes, order)
    }

    /// δ and s.
    pub fn at(&self, place: &Place) -> Result<Point> {
        let u = &place.exp;
        let (delta, null) = match self {
            Self::Gaussian(mu) => {
                let at = place.log.over(mu)?;
                let half = mu.times(&half());
                let (near, far) = (at.minus(&half), at.plus(&half));
                let (above, below) = (near.normal_tail()?, far.normal_tail()?);
                // u is the ratio of the densities at both.
                let lost = if far.lo > Real::int(14).hi { Real::far_tail(&near, &far)? } else { u.times(&below) };
                let delta = above.minus(&lost);
                (Real::new(delta.lo, delta.hi.min(above.hi)), below)
            }
            Self::Laplace(most, is_logistic) => laplace(most, *is_logistic, place)?,
            Self::Worst(of) => {
                let all = of.iter().map(|pair| pair.at(place)).collect::<Result<Vec<_>>>()?;
                let least = all.iter().map(|point| &point.delta.lo).max().cloned().unwrap_or_default();
                // One that has the largest δ, whichever it is.
                let most = all.into_iter().filter(|point| point.delta.hi >= least);
                let both = most.reduce(|a, b| Point::new(a.guessed.larger(&b.guessed), a.null.hull(&b.null), place));
                return both.ok_or_else(|| Rejected::unproved("the worst of nothing"));
            }
            Self::Outcomes(outcomes) => {
                spend_each(outcomes.len(), 600)?;
                finite::finite(outcomes, place)?
            }
            Self::Polygon(corners, slack) => on_polygon(corners, slack, place)?,
            // No test is named.
            Self::Below(corners) => {
                let (delta, _) = on_polygon(corners, &Real::int(0), place)?;
                (Real::int(0).hull(&delta), Real::int(0).hull(&Real::int(1)))
            }
            Self::Shuffled(reports, direction) => reports.at(*direction, u)?,
            Self::Mixtures(noise) => {
                let cut = noise.cut(&place.log, u)?;
                return Ok(Point { cuts: vec![cut.at], ..Point::new(cut.delta, cut.null, place) });
            }
            Self::Sampled(sample, of) => return sample.at(of, place),
            Self::Labelled(parts) => {
                let mut sum = Point::new(Real::int(0), Real::int(0), place);
                for (weight, part) in parts {
                    let point = part.at(place)?;
                    sum.delta = sum.delta.plus(&weight.times(&point.delta));
                    sum.guessed = sum.guessed.plus(&weight.times(&point.guessed));
                    sum.null = sum.null.plus(&weight.times(&point.null));
                    sum.cuts.extend(point.cuts);
                }
                return Ok(sum);
            }
        };
        Ok(Point::new(delta, null, place))
    }
}

/// δ and s of one step at ε, for one order of its pair.
pub fn at(step: &Step, direction: Direction, epsilon: &Epsilon) -> Result<Point> {
    Pair::of(step, direction)?.at(&Place::of(epsilon)?)
}

/// L is e^(±ε₀) beyond the two ends for Laplace noise, and at them for logistic noise; in between −dδ/du = s.
fn laplace(most: &Epsilon, is_logistic: bool, place: &Place) -> Result<(Real, Real)> {
    let (zero, one) = (Real::int(0), Real::int(1));
    let above = place.compared(most)?;
    if matches!(above, Some(Ordering::Greater | Ordering::Equal)) {
        return Ok((zero.clone(), zero));
    }
    let below = place.compared(&most.negated())?;
    let outside = (one.minus(&place.exp), one.clone());
    if below == Some(Ordering::Less) {
        return Ok(outside);
    }
    let ends = most.log()?;
    let middle = place.log.within(&ends.neg(), &ends);
    let fall = middle.plus(&ends).times(&half()).neg().exp()?;
    let gap = one.minus(&middle.minus(&ends).times(&half()).exp()?);
    let (mut delta, mut null) = match is_logistic {
        false => (gap, fall.times(&half())),
        true => {
            let scale = one.minus(&ends.neg().exp()?);
            let gap = gap.at_least_zero();
            (gap.times(&gap).over(&scale)?, gap.times(&fall).over(&scale)?)
        }
    };
    if above.is_none() {
        (delta, null) = (delta.hull(&zero), null.hull(&zero));
    }
    if below.is_none() {
        (delta, null) = (delta.hull(&outside.0), null.hull(&one));
    }
    Ok((delta, null))
}

/// The largest convex function that is at most δ at these points, and so for the other order of the pair, and 1 at u = 0.
///
/// A point from which it cannot be told whether it lies below its neighbours' chord is left out; so much the corners may be too high.
pub fn polygon(points: &[(Epsilon, BigRational)]) -> Result<Pair> {
    spend_each(points.len(), 60_000)?;
    for _ in points {
        // Each is compared with all others.
        points.iter().try_for_each(|(epsilon, _)| spend(100 + digits(epsilon.number())))?;
    }
    let one = Real::int(1);
    let mut all: Vec<Corner> = Vec::new();
    let given =
        points.iter().flat_map(|(epsilon, delta)| [(epsilon.clone(), delta, false), (epsilon.negated(), delta, true)]);
    'points: for (epsilon, delta, is_turned) in given {
        let place = Place::of(&epsilon)?;
        let delta = Real::of(delta);
        // δ' at 1/u is 1 − (1 − δ(u))/u.
        let delta = if is_turned { one.minus(&one.minus(&delta).times(&place.exp)) } else { delta };
        let mut slot = 0;
        for corner in &mut all {
            match place.order(&corner.place) {
                Some(Ordering::Less) => break,
                Some(Ordering::Greater) => slot += 1,
                Some(Ordering::Equal) => {
                    corner.delta = corner.delta.smaller(&delta);
                    continue 'points;
                }
                None => return Err(Rejected::unproved("two points of a profile cannot be told apart")),
            }
        }
        all.insert(slot, Corner { place, delta });
    }
    let start = Place { log: Real::int(0), exp: Real::int(0), exact: None };
    let mut corners = vec![Corner { place: start, delta: one }];
    let mut slack = Real::int(0);
    for corner in all {
        // Above the ray to the right of those so far, or not below it for certain.
        let fall = corners.last().map_or_else(|| Real::int(1), |last| last.delta.minus(&corner.delta));
        if !fall.lo.is_positive() {
            slack = slack.plus(&fall.at_least_zero());
            continue;
        }
        while let [.., before, last] = corners.as_slice() {
            let share = last.place.exp.minus(&before.place.exp).over(&corner.place.exp.minus(&before.place.exp))?;
            let gap = before.delta.plus(&corner.delta.minus(&before.delta).times(&share)).minus(&last.delta);
            if gap.lo.is_positive() {
                break;
            }
            slack = slack.plus(&gap.at_least_zero());
            corners.pop();
        }
        corners.push(corner);
    }
    Ok(Pair::Polygon(corners, slack))
}

/// On the line through the corners around u; where these are not known, on one of those that it may be.
fn on_polygon(corners: &[Corner], slack: &Real, place: &Place) -> Result<(Real, Real)> {
    spend_each(corners.len(), 1_000)?;
    let mut found: Option<(Real, Real)> = None;
    for (i, left) in corners.iter().enumerate() {
        let right = corners.get(i + 1);
        let is_left = i > 0 && place.order(&left.place) == Some(Ordering::Less);
        let order = right.and_then(|right| place.order(&right.place));
        let is_right = matches!(order, Some(Ordering::Greater | Ordering::Equal));
        if is_left || is_right {
            continue;
        }
        let null = match right {
            Some(right) => left.delta.minus(&right.delta).over(&right.place.exp.minus(&left.place.exp))?,
            None => Real::int(0),
        };
        let delta = left.delta.minus(&null.times(&place.exp.minus(&left.place.exp)));
        found = Some(match found {
            Some((other, tail)) => (delta.hull(&other), null.hull(&tail)),
            None => (delta, null),
        });
    }
    let (delta, null) = found.ok_or_else(|| Rejected::unproved("a place on a profile"))?;
    Ok((delta.minus(&slack.hull(&Real::int(0))), null))
}

/// A Poisson sample, in one order of the pair: P against Q' = (1 − r)·P + r·Q, or Q' against P (C2).
pub struct Sample {
    rate: Real,
    rest: Real,
    direction: Direction,
}

impl Sample {
    pub fn new(rate: &BigRational, direction: Direction) -> Self {
        Self { rate: Real::of(rate), rest: Real::of(&(BigRational::one() - rate)), direction }
    }

    /// Of an outcome, or of a test, from those without the sample.
    pub fn masses(&self, q: &Real, p: &Real) -> (Real, Real) {
        match self.direction {
            Direction::Remove => (self.rest.times(p).plus(&self.rate.times(q)), p.clone()),
            Direction::Add => (q.clone(), self.rest.times(q).plus(&self.rate.times(p))),
        }
    }

    /// A share and v with δ'(u) = share·δ(v). (P, Q'): L' = 1 − r + r·L is above u where L > v = g/r, g = u − (1 − r) > 0, and Q' − u·P = r·(Q − v·P).
    /// (Q', P): with w = 1 − u·(1 − r) > 0 and v = u·r/w, P − u·Q' = w·(P − v·Q).
    pub fn place(&self, u: &Real) -> Result<Option<(Real, Place)>> {
        let (share, odds) = match self.direction {
            Direction::Remove => (self.rate.clone(), u.minus(&self.rest)),
            Direction::Add => (Real::int(1).minus(&u.times(&self.rest)), u.times(&self.rate)),
        };
        if !share.lo.is_positive() || !odds.lo.is_positive() {
            return Ok(None);
        }
        let place = Place::of_odds(odds.over(&share)?)?;
        Ok(Some((share, place)))
    }

    fn at(&self, of: &Pair, place: &Place) -> Result<Point> {
        let (zero, one) = (Real::int(0), Real::int(1));
        if let Some((share, at)) = self.place(&place.exp)? {
            let point = of.at(&at)?;
            let (_, null) = self.masses(&point.power(), &point.null);
            return Ok(Point { cuts: point.cuts, ..Point::new(share.times(&point.guessed), null, place) });
        }
        // δ' falls, is 1 − u up to u = 1 − r, and never more than r above (1 − u)⁺, which is all that is known where r is less than a unit; or it is at most w, and 0 from 1/(1 − r) on.
        let hull = |is_open: bool, other: Real| if is_open { zero.hull(&one) } else { other };
        Ok(match self.direction {
            Direction::Remove => {
                let mut delta = one.minus(&place.exp).at_least_zero();
                delta.hi += 1;
                Point::new(delta, hull(place.exp.hi > self.rest.lo, one.clone()), place)
            }
            Direction::Add => {
                let w = one.minus(&place.exp.times(&self.rest)).at_least_zero();
                Point::new(zero.hull(&w), hull(w.hi.is_positive(), zero.clone()), place)
            }
        })
    }
}

/// δ of G_μ at e^ε: N(0, 1) against N(μ, 1).
pub fn gaussian_delta(mu: &BigRational, epsilon: &Epsilon) -> Result<Real> {
    if mu.is_zero() {
        return Ok(Real::int(1).minus(&epsilon.exp()?).at_least_zero());
    }
    Ok(at(&Step::Gaussian { square: mu * mu }, Direction::Remove, epsilon)?.delta)
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
