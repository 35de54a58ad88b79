//! A finite law composed with one more profile, in closed form.

use std::sync::Arc;

use rug::Rational;

use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::Direction;
use crate::mechanism::finite::{FiniteLaw, FiniteProfile, Numbers};

/// δ(u) = Q₁(L₁ = ∞) + Σ_j Q₁(L₁ = y_j)·δ₂(u·e^{−y_j}) and s(u) = Σ_j P₁(L₁ = y_j)·s₂(u·e^{−y_j}), because the losses
/// of a composition add: condition on the first loss.
pub struct MixedProfile {
    finite: FiniteProfile,
    other: Arc<dyn Profile>,
}

/// Bits above the caller's at which the sum is taken.
const GUARD_BITS: u32 = 64;

impl MixedProfile {
    /// The composition of a finite law with another pair.
    pub fn new(law: Arc<FiniteLaw>, other: Arc<dyn Profile>) -> Self {
        Self {
            finite: FiniteProfile::new(law),
            other,
        }
    }

    /// Positions and masses of the first pair, in this profile's order of the pair.
    fn numbers(&self, bits: u32) -> Numbers {
        let (law, order) = self.finite.law();
        let numbers = law.numbers(bits);
        match order {
            Direction::Remove => (*numbers).clone(),
            Direction::Add => numbers.mirrored(),
        }
    }

    fn sum(&self, first: LossBound, second: LossBound) -> LossBound {
        let (LossBound::Finite { value: a, exact: x }, LossBound::Finite { value: b, exact: y }) =
            (first, second)
        else {
            return LossBound::Unbounded;
        };
        LossBound::Finite {
            value: a.add(&b),
            exact: x.zip(y).map(|(x, y)| x + y),
        }
    }
}

impl Profile for MixedProfile {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits().saturating_add(GUARD_BITS);
        let numbers = self.numbers(bits);
        let mut delta = numbers.infinite.clone();
        let mut null_tail = Interval::zero(bits);
        // Every atom has a position and both masses.
        let atoms = numbers.with.iter().zip(&numbers.without);
        for (index, ((q, p), position)) in atoms.zip(&numbers.positions).enumerate() {
            let inner = match self.finite.rational_loss(index) {
                Some(loss) => raised(point, bits).minus_exact(&loss),
                None => raised(point, bits).minus(position),
            };
            let knot = self.other.at(&inner);
            delta = delta.add(&q.mul(&knot.delta));
            null_tail = null_tail.add(&p.mul(&knot.null_tail));
        }
        ProfilePoint {
            delta: delta.at_bits(point.bits()).in_unit(),
            null_tail: null_tail.at_bits(point.bits()).in_unit(),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            finite: self.finite.mirrored(),
            other: self.other.swapped(),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.sum(self.finite.max_loss(bits), self.other.max_loss(bits))
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.sum(self.finite.min_loss(bits), self.other.min_loss(bits))
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        let (a, b) = (
            self.finite.infinite_mass(bits),
            self.other.infinite_mass(bits),
        );
        a.add(&a.one_minus().mul(&b)).in_unit()
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let bits = point.bits();
        let LossBound::Finite { value, exact } = self.max_loss(bits) else {
            return None;
        };
        let is_beyond = match (point.exact_log(), &exact) {
            (Some(epsilon), Some(bound)) => bound <= epsilon,
            _ => value.certainly_le(point.log()),
        };
        if is_beyond {
            self.exact_infinite_mass()
        } else {
            None
        }
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let (a, b) = (
            self.finite.exact_infinite_mass()?,
            self.other.exact_infinite_mass()?,
        );
        let rest = Rational::from(1 - &a);
        Some(a + rest * b)
    }
}

fn raised(point: &Point, bits: u32) -> Point {
    crate::mechanism::evaluate::sharpened(point, bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Budget;
    use crate::mechanism::gaussian::Gaussian;
    use crate::mechanism::{approx_dp, finite_pair, randomized_response};

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    fn places() -> impl Iterator<Item = Point> {
        [(-5, 1), (-1, 3), (0, 1), (1, 1), (5, 2), (9, 1)]
            .into_iter()
            .map(|e| Point::at_epsilon(&Rational::from(e), 150))
    }

    /// Mixing one law after the other equals mixing their composition, in both orders of the pair.
    #[test]
    fn associative() {
        let response = Arc::new(randomized_response::law(&q(1, 2).into(), 3).unwrap());
        let pair = finite_pair::law(&[q(1, 4), q(3, 4), q(0, 1)], &[q(1, 2), q(1, 4), q(1, 4)]);
        let pair = Arc::new(pair.unwrap());
        let gaussian = || -> Arc<dyn Profile> { Arc::new(Gaussian::from_mu(&q(4, 5))) };
        let inner = MixedProfile::new(Arc::clone(&pair), gaussian());
        let stepwise = MixedProfile::new(Arc::clone(&response), Arc::new(inner));
        let factors = [(response, 1), (pair, 1)];
        let law = super::super::finite::compose(&factors, &Budget::unlimited());
        let at_once = MixedProfile::new(Arc::new(law.unwrap().unwrap()), gaussian());
        for point in places() {
            for (a, b) in [
                (stepwise.at(&point), at_once.at(&point)),
                (stepwise.swapped().at(&point), at_once.swapped().at(&point)),
            ] {
                assert!(a.delta.intersect(&b.delta).is_ok());
                assert!(a.null_tail.intersect(&b.null_tail).is_ok());
                assert!(a.delta.width_up() < 1e-40);
            }
        }
        assert!(at_once.infinite_mass(100).contains(&q(1, 4)));
    }

    /// With a pair that tells nothing, the finite law is left.
    #[test]
    fn nothing_added() {
        let law = Arc::new(approx_dp::law(&q(1, 1).into(), &q(1, 100)).unwrap());
        let alone = FiniteProfile::new(Arc::clone(&law));
        let mixed = MixedProfile::new(law, Arc::new(Gaussian::from_mu(&q(0, 1))));
        for point in places() {
            let (a, b) = (alone.at(&point), mixed.at(&point));
            assert!(a.delta.intersect(&b.delta).is_ok());
        }
        let end = Point::at_epsilon(&q(1, 1), 100);
        assert_eq!(mixed.exact_delta(&end), Some(q(1, 100)));
    }

    /// Exact losses add up, and what is 0 from the largest of them on is not said to be 0 before.
    #[test]
    fn ends_are_sums_of_ends() {
        let response =
            |e: &Rational| Arc::new(randomized_response::law(&e.clone().into(), 2).unwrap());
        let (a, b) = (q(1, 2), q(1, 3));
        let other: Arc<dyn Profile> = Arc::new(FiniteProfile::new(response(&b)));
        let mixed = MixedProfile::new(response(&a), other);
        let sum = Rational::from(&a + &b);
        let exact = |end: LossBound| match end {
            LossBound::Finite { exact, .. } => exact,
            LossBound::Unbounded => None,
        };
        assert_eq!(exact(mixed.max_loss(64)), Some(sum.clone()));
        assert_eq!(exact(mixed.min_loss(64)), Some(Rational::from(-&sum)));
        let at = |epsilon: &Rational| mixed.exact_delta(&Point::at_epsilon(epsilon, 100));
        assert_eq!(at(&sum), Some(Rational::new()));
        for epsilon in [q(0, 1), q(1, 2), q(5, 6) - q(1, 1000)] {
            assert_eq!(at(&epsilon), None, "{epsilon}");
        }
    }

    #[test]
    fn swapping_is_the_mirrored_profile() {
        let law = Arc::new(approx_dp::law(&q(1, 1).into(), &q(1, 100)).unwrap());
        let mixed = MixedProfile::new(law, Arc::new(Gaussian::from_mu(&q(1, 2))));
        for point in places() {
            let mirrored = mixed.at(&point.mirrored()).delta;
            let expected = point.exp().one_minus().add(&point.exp().mul(&mirrored));
            assert!(
                mixed
                    .swapped()
                    .at(&point)
                    .delta
                    .intersect(&expected)
                    .is_ok()
            );
        }
    }
}
