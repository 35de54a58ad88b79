//! Permute-and-flip, which is report-noisy-max with exponential noise.

use std::sync::Arc;

use rug::Rational;

use super::mirror::{Mirrored, OwnMirror};
use super::{channels, multiple, repeated};
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint, normal};
use crate::mechanism::adjacency::Direction;
use crate::mechanism::closed::{Closed, ClosedPair};
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{Step, Steps};

/// One run of permute-and-flip: the largest profile over all datasets, which is that of Laplace noise shifted by ε; no dataset has it everywhere.
///
/// Requires: ε > 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NoisyMax {
    epsilon: Epsilon,
}

impl NoisyMax {
    /// Requires: ε > 0.
    pub fn new(epsilon: Epsilon) -> Self {
        Self { epsilon }
    }

    /// ε.
    pub(in crate::mechanism) fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Two candidates, the first one up to so far above.
    pub(in crate::mechanism::closed) fn candidates(&self) -> Vec<Step> {
        let member = |d: &(i32, i32)| channels::of_laplace(&self.epsilon, &-Rational::from(*d));
        DISTANCES.iter().filter_map(member).collect()
    }
}

/// How far up the first candidate of two is before the change, in units of ε: −d·ε on the line of Laplace noise.
const DISTANCES: [(i32, i32); 7] = [(29, 50), (1, 2), (3, 4), (1, 1), (11, 10), (5, 4), (7, 4)];

impl Closed for NoisyMax {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        Some(Arc::new(OwnMirror(LaplaceShift {
            epsilon: self.epsilon.clone(),
        })))
    }

    fn limits(&self) -> &'static str {
        "permute-and-flip is built at any epsilon"
    }

    /// At most that of Laplace noise, at least that of two candidates.
    fn renyi_divergence(&self, order: &Rational, _: Direction, bits: u32) -> Option<Interval> {
        Some(renyi(&self.epsilon, order, bits))
    }

    fn is_renyi_exact(&self) -> bool {
        false
    }

    fn is_selection(&self) -> bool {
        true
    }

    fn is_of_no_dataset(&self) -> bool {
        true
    }

    fn members(&self, times: u64) -> Vec<Steps> {
        repeated(self.candidates().into_iter(), times)
    }

    fn of_group(&self, records: u64) -> Option<ClosedPair> {
        Some(Self::new(multiple(&self.epsilon, records)?).into())
    }

    /// −2Φ⁻¹(e^{−ε/2}/2), that of Laplace noise: the trade-off functions are the same.
    fn strict_mu(&self, bits: u32) -> Option<Interval> {
        let half = Interval::from_rational(&Rational::from((1, 2)), bits);
        let level = self.epsilon.enclose(bits).mul(&half).neg().exp().mul(&half);
        let quantile = normal::survival_inverse(&level);
        Some(quantile.add(&quantile).at_least_zero())
    }
}

/// max(0, 1 − e^{(x − ε)/2}, 1 − u) at u = e^x.
#[derive(Debug, Clone)]
struct LaplaceShift {
    epsilon: Epsilon,
}

impl Mirrored for LaplaceShift {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let half = Interval::from_rational(&Rational::from((1, 2)), bits);
        let epsilon = self.epsilon.enclose(bits);
        let x = point.log();
        let bulk = x.sub(&epsilon).mul(&half).exp_m1().neg();
        let middle = x.add(&epsilon).mul(&half).neg().exp().mul(&half).in_unit();
        let (zero, one) = (Interval::zero(bits), Interval::one(bits));
        let mut tail: Option<Interval> = None;
        let mut join = |piece: Interval| {
            tail = Some(match tail.take() {
                Some(known) => known.hull(&piece),
                None => piece,
            });
        };
        if x.hi() >= epsilon.lo() {
            join(zero.clone());
        }
        if x.lo() <= epsilon.hi() && x.hi() >= epsilon.neg().lo() {
            join(middle);
        }
        if x.lo() <= epsilon.neg().hi() {
            join(one.clone());
        }
        ProfilePoint {
            delta: bulk.max(&point.exp().one_minus()).in_unit(),
            null_tail: tail.unwrap_or_else(|| zero.hull(&one)),
        }
    }

    fn largest_loss(&self, bits: u32) -> LossBound {
        LossBound::Finite {
            value: self.epsilon.enclose(bits),
            exact: self.epsilon.exact(),
        }
    }

    fn largest_odds(&self) -> Option<Rational> {
        self.epsilon.exact_exp()
    }
}

/// Between the best of some two candidates and Laplace noise.
fn renyi(epsilon: &Epsilon, order: &Rational, bits: u32) -> Interval {
    let work = bits.saturating_add(64);
    let most = laplace(epsilon, order, work);
    let start = Interval::zero(work);
    let least = DISTANCES.iter().fold(start, |best, d| {
        best.max(&two_candidates(epsilon, &-Rational::from(*d), order, work))
    });
    // Both are bounds of one number: the ends cannot cross.
    let hull = Interval::between_or_line(least.lo().clone(), most.hi().clone());
    hull.at_least_zero().at_bits(bits)
}

/// At least D_a of Laplace noise shifted by ε: log((a·e^{(a−1)ε} + (a − 1)·e^{−aε})/(2a − 1))/(a − 1), ε + e^{−ε} − 1 at a = 1; it rises with a.
fn laplace(epsilon: &Epsilon, order: &Rational, bits: u32) -> Interval {
    let epsilon = epsilon.enclose(bits);
    let number = |x: &Rational| Interval::from_rational(x, bits);
    let excess = Rational::from(order - 1u32);
    let at_one = epsilon.add(&epsilon.neg().exp_m1());
    if excess == 0 {
        return at_one;
    }
    let limit = if excess < 0 { &at_one } else { &epsilon };
    let twice = Rational::from(order * 2u32) - 1u32;
    if twice == 0 {
        return limit.clone();
    }
    // Divided by e^{(a−1)ε}: e^{−aε − (a−1)ε} = e^{−(2a−1)ε}.
    let small = number(&twice).mul(&epsilon).neg().exp();
    let sum = number(order)
        .add(&number(&excess).mul(&small))
        .div(&number(&twice));
    epsilon.add(&sum.ln().div(&number(&excess))).min(limit)
}

/// D_a of p from q, where the first of two candidates wins with p = e^{distance·ε}/2 before and with q after the change.
fn two_candidates(epsilon: &Epsilon, distance: &Rational, order: &Rational, bits: u32) -> Interval {
    let epsilon = epsilon.enclose(bits);
    let number = |x: &Rational| Interval::from_rational(x, bits);
    let half = number(&Rational::from((1, 2)));
    let one = Interval::one(bits);
    let place = number(distance).mul(&epsilon);
    let moved = number(&Rational::from(distance + 1u32)).mul(&epsilon);
    // Distances are below 0.
    let p = place.exp().mul(&half);
    let q = if *distance < -1 {
        moved.exp().mul(&half)
    } else {
        moved.neg().exp().mul(&half).one_minus()
    };
    let excess = Rational::from(order - 1u32);
    let outcomes = [(p.clone(), q.clone()), (one.sub(&p), one.sub(&q))];
    let sum = outcomes.iter().map(|(p, q)| {
        let loss = q.div(p).ln();
        if excess == 0 {
            q.mul(&loss)
        } else {
            q.mul(&number(&excess).mul(&loss).exp())
        }
    });
    let sum = sum.fold(Interval::zero(bits), |sum, x| sum.add(&x));
    if excess == 0 {
        sum
    } else {
        sum.ln().div(&number(&excess))
    }
}

#[cfg(test)]
#[path = "noisy_max_tests.rs"]
pub(super) mod tests;
