//! Mixtures with a public label: whoever sees the output knows which of the pairs it came from.

use std::sync::Arc;

use rug::Rational;

use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// The pair of Σ wₖ·Pₖ and Σ wₖ·Qₖ on disjoint outcomes: δ(u) = Σ wₖ·δₖ(u), since events are chosen label by label.
pub struct Labelled {
    parts: Vec<(Rational, Arc<dyn Profile>)>,
}

impl Labelled {
    /// Requires: weights > 0 that add up to 1.
    pub fn new(parts: Vec<(Rational, Arc<dyn Profile>)>) -> Self {
        Self { parts }
    }

    fn sum(&self, bits: u32, of: impl Fn(&dyn Profile) -> Interval) -> Interval {
        self.parts
            .iter()
            .fold(Interval::zero(bits), |sum, (weight, part)| {
                sum.add(&Interval::from_rational(weight, bits).mul(&of(&**part)))
            })
    }

    fn exact_sum(&self, of: impl Fn(&dyn Profile) -> Option<Rational>) -> Option<Rational> {
        self.parts
            .iter()
            .try_fold(Rational::new(), |sum, (weight, part)| {
                Some(sum + of(&**part)? * weight)
            })
    }

    fn farthest(
        &self,
        bound: impl Fn(&dyn Profile) -> LossBound,
        farther: impl Fn(&Interval, &Interval) -> Interval,
        exactly: impl Fn(Rational, Rational) -> Rational,
    ) -> LossBound {
        let mut all = self.parts.iter().map(|(_, part)| bound(&**part));
        let Some(first) = all.next() else {
            return LossBound::Unbounded;
        };
        all.fold(first, |a, b| match (a, b) {
            (
                LossBound::Finite { value, exact },
                LossBound::Finite {
                    value: other,
                    exact: also,
                },
            ) => LossBound::Finite {
                value: farther(&value, &other),
                exact: exact.zip(also).map(|(a, b)| exactly(a, b)),
            },
            _ => LossBound::Unbounded,
        })
    }
}

impl Profile for Labelled {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let zero = || Interval::zero(bits);
        let mut sum = (zero(), zero());
        for (weight, part) in &self.parts {
            let weight = Interval::from_rational(weight, bits);
            let knot = part.at(point);
            sum.0 = sum.0.add(&weight.mul(&knot.delta));
            sum.1 = sum.1.add(&weight.mul(&knot.null_tail));
        }
        ProfilePoint {
            delta: sum.0.in_unit(),
            null_tail: sum.1.in_unit(),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        let swap = |(weight, part): &(Rational, Arc<dyn Profile>)| (weight.clone(), part.swapped());
        Arc::new(Self::new(self.parts.iter().map(swap).collect()))
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.farthest(|part| part.max_loss(bits), Interval::max, Rational::max)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.farthest(|part| part.min_loss(bits), Interval::min, Rational::min)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.sum(bits, |part| part.infinite_mass(bits))
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        self.exact_sum(|part| part.exact_delta(point))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        self.exact_sum(|part| part.exact_infinite_mass())
    }
}
