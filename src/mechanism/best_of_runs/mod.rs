//! Private selection: a mechanism runs a random number of times, and the best of the outcomes is released (Liu and Talwar 2019; Papernot and
//! Steinke 2022).
//!
//! With Ψ(x) = E[x^K], the best outcome is among the worst ones A, which come before all others from below, if all runs end there: with probability
//! Ψ(P(A)). That gives the pair for every order of the outcomes, each of finitely many: Ψ(P(A and the next)) − Ψ(P(A)).
//!
//! *Above, every order* (`proofs/README.md`, V2): δ(u) of the selection is at most E\[K\]·δ(u·r) of the mechanism for u ≥ 1, with r the least
//! Ψ'(P(A))/Ψ'(Q(A)) of any test A.

mod runs;

use std::sync::Arc;

use rug::Rational;

use super::polygon::{Vectors, pair_above, pair_below};
use crate::kernel::{Interval, LossBound, Point, Profile};
pub use runs::{RUNS_KINDS, Runs};

/// Outcomes of finitely many, of which the best one of a random number of runs is released.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SelectedPair {
    runs: Runs,
    /// (p, q) of each outcome of one run, the best one first; they add up to 1.
    best_first: Arc<[(Rational, Rational)]>,
}

impl SelectedPair {
    /// Requires: two probability vectors, an outcome a pair, the best one first.
    pub fn new(runs: Runs, best_first: Vec<(Rational, Rational)>) -> Self {
        Self {
            runs,
            best_first: best_first.into(),
        }
    }

    /// The pair in exact numbers, for a geometric number of runs, unless they would be too long to work with.
    pub fn exact(&self) -> Option<Vectors> {
        let digits = |(p, q): &(Rational, Rational)| [p, q].map(|x| x.denom().significant_bits());
        let length = self.best_first.iter().flat_map(digits);
        if length.fold(0, u32::saturating_add) > LONGEST {
            return None;
        }
        let mut vectors = (Vec::new(), Vec::new());
        let mut worse = (Rational::new(), Rational::new());
        let mut psi = (Rational::new(), Rational::new());
        for (p, q) in self.best_first.iter().rev() {
            worse.0 += p;
            worse.1 += q;
            let next = (self.runs.exact(&worse.0)?, self.runs.exact(&worse.1)?);
            vectors.0.push(Rational::from(&next.0 - &psi.0));
            vectors.1.push(Rational::from(&next.1 - &psi.1));
            psi = next;
        }
        Some(vectors)
    }

    /// The probabilities, enclosed.
    pub(in crate::mechanism) fn masses(&self, bits: u32) -> Option<Vec<(Interval, Interval)>> {
        let runs = self.runs.at(bits)?;
        let mass = |worse: &Rational, own: &Rational| {
            if *own == 0 {
                return Interval::zero(bits);
            }
            let of = |x: &Rational| Interval::from_rational(x, bits);
            runs.rise(&of(worse), &of(own))
        };
        let mut worse = (Rational::new(), Rational::new());
        let mut masses = Vec::with_capacity(self.best_first.len().saturating_add(1));
        for (p, q) in self.best_first.iter().rev() {
            masses.push((mass(&worse.0, p), mass(&worse.1, q)));
            worse.0 += p;
            worse.1 += q;
        }
        let none = runs.none(bits);
        if !none.is_zero() {
            masses.push((none.clone(), none));
        }
        Some(masses)
    }
}

/// Bits at which bounds of a selection are computed before they are rounded to rational numbers.
const BITS: u32 = 128;
/// Places at which a profile is looked at.
const PLACES: u32 = 512;
/// The same where every value is the end of a search, as of ρ-zCDP.
const FEW_PLACES: u32 = 128;
/// A profile is looked at up to a loss where it is below 2^−this.
const NEGLIGIBLE: u32 = 120;
/// Where the losses have no end, a loss beyond this is not looked at.
const FARTHEST: u32 = 4_096;
/// Where they have one, a loss beyond this is not.
const LARGEST: u32 = 65_536;
/// Below 2^−this a bound is rounded to 0 or to 2^−this: the digits of smaller numbers take more memory than they tell.
const SMALLEST: u32 = 1_200;
/// A slope ratio below 2^−this tells nothing.
const LEAST_RATIO: u32 = 100_000;
/// Binary digits of all outcomes up to which they are added up exactly.
const LONGEST: u32 = 1 << 22;
/// Outcomes of one run in an explicit mechanism.
const MOST_PIECES: usize = 256;

/// What is known of a pair by points of its profile.
pub struct Sampled {
    /// A pair that dominates it in both orders.
    above: Vectors,
    /// Tests: at most the first probability under P, at least the second under Q; by rising probability.
    tests: Vec<(Rational, Rational)>,
}

impl Sampled {
    /// By its exact vectors, or by its profile at many places. `None` if it cannot be told.
    pub fn of(profile: &dyn Profile) -> Option<Self> {
        Self::at_places(profile, PLACES)
    }

    /// The same for a profile that is dear.
    pub fn of_dear(profile: &dyn Profile) -> Option<Self> {
        Self::at_places(profile, FEW_PLACES)
    }

    fn at_places(profile: &dyn Profile, count: u32) -> Option<Self> {
        let exact = profile.exact_pair();
        let places = match exact.as_deref() {
            Some((p, q)) => exact_places(p, q),
            None => places(profile, count)?,
        };
        let swapped = profile.swapped();
        let is_symmetric = profile.is_symmetric();
        let (mut points, mut tests) = (Vec::new(), Vec::new());
        for u in &places {
            let mut larger = Rational::new();
            let point = Point::at_exp_epsilon(u, BITS);
            let stated = profile.at(&point);
            let other = match is_symmetric {
                true => stated.clone(),
                false => swapped.at(&point),
            };
            for (of, knot, inverse) in [(profile, stated, false), (&*swapped, other, true)] {
                let delta = match of.exact_delta(&point) {
                    Some(delta) => delta,
                    None => up(&knot.delta)?,
                };
                larger = larger.max(delta);
                let null = knot.null_tail.clone();
                let with = knot.delta.add(&point.exp().mul(&null)).in_unit();
                let (alpha, power) = (up(&null)?, down(&with)?);
                tests.push(if inverse {
                    (1 - power, 1 - alpha)
                } else {
                    (alpha, power)
                });
            }
            points.push((u.clone(), larger));
        }
        if let Some((p, q)) = exact.as_deref() {
            tests = exact_tests(p, q);
        }
        Some(Self {
            above: pair_above(points),
            tests,
        })
    }

    /// A pair that dominates the selection, whatever the order of the outcomes, in both orders of the pair.
    ///
    /// The least slope ratio r is at a corner of the trade-off function: the ratio is quasi-linear along its edges.
    pub fn selected_above(&self, runs: &Runs) -> Option<Vectors> {
        let at = runs.at(BITS)?;
        let of = |x: &Rational| Interval::from_rational(x, BITS);
        let mut least = Interval::one(BITS);
        for (alpha, power) in exact_tests(&self.above.0, &self.above.1) {
            let (alpha, power) = ((1 - alpha), (1 - power));
            least = least.min(&at.slopes(&of(&alpha), &of(&power)));
        }
        if *least.lo() < Rational::from(1) >> LEAST_RATIO {
            return Some(pair_above([]));
        }
        let ratio = least.lo().to_rational()?;
        let (p, q) = &self.above;
        // δ(v) is that of the test that accepts all outcomes with q > v·p.
        let steps = by_falling_loss(p, q);
        let tests = exact_tests(p, q);
        let gain = |v: &Rational| -> Rational {
            let accepted = steps.partition_point(|(p, q)| **q > Rational::from(*p * v));
            let last = accepted.checked_sub(1).and_then(|last| tests.get(last));
            last.map(|(alpha, power)| power - Rational::from(alpha * v))
                .unwrap_or_default()
        };
        let mut places = ratios(p, q);
        places.push(ratio.clone());
        let points = places.into_iter().filter(|v| *v >= ratio).map(|v| {
            let delta = runs.mean() * gain(&v);
            (v / &ratio, delta.min(Rational::from(1)))
        });
        Some(pair_above(points))
    }

    /// Pairs that two selections dominate: by the loss of the outcomes, the largest one best, or the least.
    ///
    /// The best of all runs is among the accepted outcomes A unless all runs end outside: with probability 1 − Ψ(1 − P(A)); and if the others are the best
    /// ones, with probability Ψ(P(A)).
    pub fn selected_below(&self, runs: &Runs) -> Option<[Vectors; 2]> {
        let at = runs.at(BITS)?;
        let psi = |x: &Rational| {
            let x = Interval::from_rational(x, BITS);
            let rise = at.rise(&Interval::zero(BITS), &x);
            rise.add(&at.none(BITS)).in_unit()
        };
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for (alpha, power) in &self.tests {
            let (null, with) = (psi(alpha), psi(power));
            last.push((up(&null)?, down(&with)?));
            let rest = |x: &Rational| psi(&Rational::from(1 - x)).one_minus();
            let (null, with) = (rest(alpha), rest(power));
            first.push((up(&null.in_unit())?, down(&with.in_unit())?));
        }
        Some([pair_below(first), pair_below(last)])
    }

    /// The outcomes of a mechanism of a class, by rising loss, each split in several that a score may tell apart.
    ///
    /// Every pair that is dominated by that of the class is in it, so that these tests are all those of one of its mechanisms.
    pub fn pieces(&self) -> Vec<(Rational, Rational)> {
        let (p, q) = pair_below(self.tests.iter().cloned());
        let many = MOST_PIECES.checked_div(p.len()).unwrap_or(1).max(1);
        let pairs = p.iter().zip(&q).rev();
        let pieces = pairs.flat_map(|(p, q)| {
            let share = |x: &Rational| x / Rational::from(many);
            std::iter::repeat_n((share(p), share(q)), many)
        });
        pieces.collect()
    }
}

/// A number that is at least as large and not too long.
///
/// Requires: none in it is below 0.
fn up(x: &Interval) -> Option<Rational> {
    let smallest = Rational::from(1) >> SMALLEST;
    match *x.hi() > 0 && *x.hi() < smallest {
        true => Some(smallest),
        false => x.hi().to_rational(),
    }
}

/// A number that is at most as large and not too long.
///
/// Requires: none in it is below 0.
fn down(x: &Interval) -> Option<Rational> {
    match *x.lo() < Rational::from(1) >> SMALLEST {
        true => Some(Rational::new()),
        false => x.lo().to_rational(),
    }
}

/// All q/p that are neither 0 nor infinite, and 1, rising.
fn ratios(p: &[Rational], q: &[Rational]) -> Vec<Rational> {
    let pairs = p.iter().zip(q).filter(|(p, q)| **p > 0 && **q > 0);
    let mut all: Vec<Rational> = pairs.map(|(p, q)| Rational::from(q / p)).collect();
    all.push(Rational::from(1));
    all.sort_unstable();
    all.dedup();
    all
}

/// The corners u ≥ 1 of the profiles of the pair in either order.
fn exact_places(p: &[Rational], q: &[Rational]) -> Vec<Rational> {
    let mut all = ratios(p, q);
    all.extend(ratios(q, p));
    all.retain(|u| *u >= 1);
    all.sort_unstable();
    all.dedup();
    all
}

/// (P(A), Q(A)) of the tests that accept the outcomes with the largest q/p, one more each time.
fn exact_tests(p: &[Rational], q: &[Rational]) -> Vec<(Rational, Rational)> {
    let pairs = by_falling_loss(p, q);
    let mut sum = (Rational::new(), Rational::new());
    let add = |(p, q): (&Rational, &Rational)| {
        sum.0 += p;
        sum.1 += q;
        sum.clone()
    };
    pairs.into_iter().map(add).collect()
}

/// The outcomes by falling q/p.
fn by_falling_loss<'a>(p: &'a [Rational], q: &'a [Rational]) -> Vec<(&'a Rational, &'a Rational)> {
    let some = |(p, q): &(&Rational, &Rational)| **p > 0 || **q > 0;
    let mut pairs: Vec<(&Rational, &Rational)> = p.iter().zip(q).filter(some).collect();
    // a/b > c/d where a·d > c·b.
    pairs.sort_by(|a, b| Rational::from(b.1 * a.0).cmp(&Rational::from(a.1 * b.0)));
    pairs
}

/// Places u ≥ 1 at which to look at a profile, up to where it tells nothing any more.
fn places(profile: &dyn Profile, count: u32) -> Option<Vec<Rational>> {
    let both: [&dyn Profile; 2] = [profile, &*profile.swapped()];
    let mut largest = Rational::new();
    for of in both
        .into_iter()
        .take(if profile.is_symmetric() { 1 } else { 2 })
    {
        let end = match of.max_loss(BITS) {
            LossBound::Finite { value, .. } if *value.hi() > LARGEST => Rational::from(LARGEST),
            LossBound::Finite { value, .. } => value.hi().to_rational()?,
            LossBound::Unbounded => {
                let mut loss = Rational::from(1);
                let floor = of.infinite_mass(BITS);
                let small = Rational::from(1) >> NEGLIGIBLE;
                let is_over = |loss: &Rational| {
                    let delta = of.at(&Point::at_epsilon(loss, BITS)).delta.sub(&floor);
                    *delta.hi() <= small
                };
                while !is_over(&loss) {
                    if loss > FARTHEST {
                        return None;
                    }
                    loss *= 2u32;
                }
                loss
            }
        };
        largest = largest.max(end);
    }
    let place = |n: u32| {
        let epsilon = Rational::from(&largest * n) / count;
        let u = Interval::from_rational(&epsilon, BITS).exp();
        u.hi().to_rational()
    };
    let mut all = (0..=count).map(place).collect::<Option<Vec<_>>>()?;
    all.push(Rational::from(1));
    all.retain(|u| *u >= 1);
    all.sort_unstable();
    all.dedup();
    Some(all)
}

#[cfg(test)]
mod points_tests;
#[cfg(test)]
mod tests;
