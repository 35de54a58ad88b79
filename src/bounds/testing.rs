//! Reference profiles for the tests of the queries: finite pairs and the Gaussian mechanism.

use std::sync::Arc;

use proptest::prelude::*;
use rug::{Float, Rational};

use super::{Effort, Enclosure, LossRange, Target, TwoSided};
use crate::kernel::{Budget, Interval, LossBound, Point, Profile, ProfilePoint, normal};

/// A pair of probability vectors, evaluated straight from the definition.
#[derive(Debug, Clone)]
pub struct Finite {
    pub p: Vec<Rational>,
    pub q: Vec<Rational>,
}

impl Finite {
    pub fn new(p: &[(i64, i64)], q: &[(i64, i64)]) -> Self {
        let vector = |v: &[(i64, i64)]| v.iter().map(|x| Rational::from(*x)).collect();
        Self {
            p: vector(p),
            q: vector(q),
        }
    }

    pub fn sides(&self) -> TwoSided {
        TwoSided::closed_form(Arc::new(self.clone()))
    }

    fn finite_ratios(&self) -> impl Iterator<Item = Rational> {
        self.p
            .iter()
            .zip(&self.q)
            .filter(|(p, q)| **p != 0 && **q != 0)
            .map(|(p, q)| Rational::from(q / p))
    }
}

fn bound(ratio: Option<Rational>, bits: u32) -> LossBound {
    let ratio = ratio.unwrap_or_else(|| Rational::from(1));
    LossBound::Finite {
        exact: (ratio == 1).then(Rational::new),
        value: Interval::from_rational(&ratio, bits).ln(),
    }
}

impl Profile for Finite {
    fn at(&self, point: &Point) -> ProfilePoint {
        let (u, bits) = (point.exp(), point.bits());
        let mut delta = Interval::zero(bits);
        let (mut above, mut possibly) = (Rational::new(), Rational::new());
        for (p, q) in self.p.iter().zip(&self.q) {
            let gain =
                Interval::from_rational(q, bits).sub(&u.mul(&Interval::from_rational(p, bits)));
            delta = delta.add(&gain.at_least_zero());
            let (low, high) = if *p == 0 {
                (true, true)
            } else {
                let ratio = Rational::from(q / p);
                match point.exact_exp() {
                    Some(u) => (ratio > *u, ratio > *u),
                    None => (*u.hi() < ratio, *u.lo() <= ratio),
                }
            };
            if low {
                above += p;
            }
            if high {
                possibly += p;
            }
        }
        ProfilePoint {
            delta,
            null_tail: Interval::from_rational(&above, bits)
                .hull(&Interval::from_rational(&possibly, bits)),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            p: self.q.clone(),
            q: self.p.clone(),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        bound(self.finite_ratios().max(), bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        bound(self.finite_ratios().min(), bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::from_rational(&self.exact_infinite_mass().unwrap(), bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let outcomes = self.p.iter().zip(&self.q);
        Some(outcomes.filter(|(p, _)| **p == 0).map(|(_, q)| q).sum())
    }
}

/// The Gaussian mechanism N(0, 1) against N(μ, 1).
#[derive(Debug, Clone)]
pub struct Gaussian {
    pub mu: Rational,
}

impl Gaussian {
    pub fn sides(numerator: i64, denominator: i64) -> TwoSided {
        TwoSided::closed_form(Arc::new(Self {
            mu: Rational::from((numerator, denominator)),
        }))
    }
}

impl Profile for Gaussian {
    fn at(&self, point: &Point) -> ProfilePoint {
        let mu = Interval::from_rational(&self.mu, point.bits());
        let half = Interval::from_rational(&Rational::from((1, 2)), point.bits()).mul(&mu);
        let shift = point.log().div(&mu);
        let null_tail = normal::survival(&half.add(&shift));
        let tail = normal::survival(&shift.sub(&half));
        ProfilePoint {
            delta: tail.sub(&point.exp().mul(&null_tail)),
            null_tail,
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }
}

/// The Laplace mechanism with scale 1: δ(ε) = 1 − e^{(ε−1)/2} for |ε| ≤ 1.
#[derive(Debug, Clone)]
pub struct Laplace;

impl Profile for Laplace {
    fn at(&self, point: &Point) -> ProfilePoint {
        let (log, bits) = (point.log(), point.bits());
        let one = Interval::one(bits);
        let half = Interval::from_rational(&Rational::from((1, 2)), bits);
        if *log.lo() >= 1 {
            return ProfilePoint {
                delta: Interval::zero(bits),
                null_tail: Interval::zero(bits),
            };
        }
        if *log.hi() < -1 {
            return ProfilePoint {
                delta: point.exp().one_minus(),
                null_tail: one,
            };
        }
        ProfilePoint {
            delta: log.sub(&one).mul(&half).exp_m1().neg(),
            null_tail: log.add(&one).mul(&half).neg().exp().mul(&half),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self)
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        LossBound::Finite {
            value: Interval::one(bits),
            exact: Some(Rational::from(1)),
        }
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        LossBound::Finite {
            value: Interval::one(bits).neg(),
            exact: Some(Rational::from(-1)),
        }
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }
}

/// A finite pair of 2 to 7 outcomes, zeros (infinite losses on either side) included.
pub fn finite_pair() -> impl Strategy<Value = Finite> {
    let weight = prop_oneof![1 => Just(0u32), 4 => 1u32..30];
    prop::collection::vec((weight.clone(), weight), 2..8)
        .prop_filter("a vector of zeros", |w| {
            w.iter().any(|x| x.0 > 0) && w.iter().any(|x| x.1 > 0)
        })
        .prop_map(|weights| {
            let share = |pick: fn(&(u32, u32)) -> u32| {
                let total: u32 = weights.iter().map(pick).sum();
                weights
                    .iter()
                    .map(|w| Rational::from((pick(w), total)))
                    .collect()
            };
            Finite {
                p: share(|w| w.0),
                q: share(|w| w.1),
            }
        })
}

/// The pair, one with less and one with more to tell.
pub fn surrounded() -> impl Strategy<Value = (Finite, TwoSided)> {
    (finite_pair(), 0u32..=20).prop_map(|(pair, leak)| {
        let merged = merge_first_two(&pair);
        let spread = leak_a_bit(&pair, &Rational::from((leak, 100)));
        let sides = TwoSided::between(
            spread.sides().upper,
            merged.sides().lower,
            LossRange::default(),
        );
        (pair, sides)
    })
}

fn merge_first_two(pair: &Finite) -> Finite {
    let merge = |v: &[Rational]| match v {
        [first, second, rest @ ..] => {
            let mut merged = vec![Rational::from(first + second)];
            merged.extend_from_slice(rest);
            merged
        }
        _ => v.to_vec(),
    };
    Finite {
        p: merge(&pair.p),
        q: merge(&pair.q),
    }
}

/// With probability `share` the truth is told instead of the outcome.
pub fn leak_a_bit(pair: &Finite, share: &Rational) -> Finite {
    let keep = Rational::from(1 - share);
    let extend = |v: &[Rational], tail: [Rational; 2]| {
        let mut scaled: Vec<Rational> = v.iter().map(|x| Rational::from(x * &keep)).collect();
        scaled.extend(tail);
        scaled
    };
    Finite {
        p: extend(&pair.p, [share.clone(), Rational::new()]),
        q: extend(&pair.q, [Rational::new(), share.clone()]),
    }
}

/// A pair whose profile is evaluated with wide enclosures of δ and of the null's tail.
#[derive(Debug, Clone)]
pub struct Blurred {
    pub pair: Finite,
    pub delta: Rational,
    pub null_tail: Rational,
}

fn blurred(around: &Interval, by: &Rational) -> Interval {
    let by = Interval::from_rational(by, around.bits());
    around.sub(&by).hull(&around.add(&by)).in_unit()
}

impl Profile for Blurred {
    fn at(&self, point: &Point) -> ProfilePoint {
        let knot = self.pair.at(point);
        ProfilePoint {
            delta: blurred(&knot.delta, &self.delta),
            null_tail: blurred(&knot.null_tail, &self.null_tail),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            pair: Finite {
                p: self.pair.q.clone(),
                q: self.pair.p.clone(),
            },
            ..self.clone()
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.pair.max_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.pair.min_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        blurred(&self.pair.infinite_mass(bits), &self.delta)
    }
}

pub fn blur() -> impl Strategy<Value = Rational> {
    prop_oneof![
        Just(Rational::new()),
        (2u32..9).prop_map(power_of_ten),
        (1u32..30).prop_map(|n| Rational::from((n, 100)))
    ]
}

/// A rational in [0, 1], the ends and their neighbourhood included.
pub fn unit_rational() -> impl Strategy<Value = Rational> {
    prop_oneof![
        8 => (0u32..=120).prop_map(|n| Rational::from((n, 120))),
        1 => (1u32..300).prop_map(power_of_ten),
        1 => (1u32..300).prop_map(|n| 1 - power_of_ten(n)),
    ]
}

/// 10^−n.
pub fn power_of_ten(n: u32) -> Rational {
    Rational::from(rug::Integer::from(10).pow(n)).recip()
}

use rug::ops::Pow;

/// Asks for 12 relative digits, or fewer, at the given precision.
pub fn with_effort<T>(digits: u32, bits: u32, query: impl FnOnce(&Effort) -> T) -> T {
    let (target, budget) = (Target::Relative(power_of_ten(digits)), Budget::unlimited());
    query(&Effort {
        bits,
        target: &target,
        goal: None,
        budget: &budget,
    })
}

pub fn contains(found: &Enclosure, truth: &Rational) -> bool {
    *found.lower() <= *truth && *truth <= *found.upper()
}

pub fn meets(found: &Enclosure, digits: u32) -> bool {
    found.meets(&Target::Relative(power_of_ten(digits)))
}

/// A decimal constant, to 200 bits.
pub fn decimal(text: &str) -> Float {
    Float::with_val(200, Float::parse(text).unwrap())
}

/// Does the enclosure lie within 10^−digits of the decimal constant?
pub fn is_near(found: &Enclosure, text: &str, digits: u32) -> bool {
    let tolerance = Float::with_val(200, power_of_ten(digits));
    let value = decimal(text);
    Float::with_val(200, found.lower() - &value).abs() <= tolerance
        && Float::with_val(200, found.upper() - &value).abs() <= tolerance
}
