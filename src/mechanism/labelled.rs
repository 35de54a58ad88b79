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
        LossBound::largest(self.parts.iter().map(|(_, part)| part.max_loss(bits)))
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        LossBound::smallest(self.parts.iter().map(|(_, part)| part.min_loss(bits)))
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

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::coarse::{self, Place};
    use crate::mechanism::Mechanism;
    use crate::mechanism::finite::{FiniteLaw, FiniteProfile};
    use crate::mechanism::finite_pair;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    type Vectors = (Vec<Rational>, Vec<Rational>);

    fn finite_parts() -> Vec<(Rational, Vectors)> {
        vec![
            (
                q(1, 3),
                (
                    vec![q(1, 2), q(1, 2), q(0, 1)],
                    vec![q(1, 4), q(1, 2), q(1, 4)],
                ),
            ),
            (
                q(1, 6),
                (vec![q(1, 10), q(9, 10)], vec![q(7, 10), q(3, 10)]),
            ),
            (q(1, 2), (vec![q(1, 3), q(2, 3)], vec![q(1, 1), q(0, 1)])),
        ]
    }

    /// All outcomes of all parts, each with its label.
    fn outcomes() -> Vec<(Rational, Rational)> {
        let parts = finite_parts().into_iter();
        parts
            .flat_map(|(weight, (p, q))| {
                let pairs = p.into_iter().zip(q);
                pairs
                    .map(|(p, q)| (p * &weight, q * &weight))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    fn delta(u: &Rational, pairs: &[(Rational, Rational)]) -> Rational {
        let gains = pairs.iter().map(|(p, q)| q - Rational::from(u * p));
        gains.filter(|gain| *gain > 0).sum()
    }

    /// By profiles and as one law, in both orders, against the sum over all outcomes.
    #[test]
    fn finite_mixtures_are_sums_over_labelled_outcomes() {
        let law = |(p, q): &Vectors| Arc::new(finite_pair::law(p, q).unwrap());
        let laws: Vec<(Rational, Arc<FiniteLaw>)> = finite_parts()
            .iter()
            .map(|(weight, pair)| (weight.clone(), law(pair)))
            .collect();
        let profiles = laws.iter().map(|(weight, law)| {
            let profile: Arc<dyn Profile> = Arc::new(FiniteProfile::new(Arc::clone(law)));
            (weight.clone(), profile)
        });
        let mixed: Arc<dyn Profile> = Arc::new(Labelled::new(profiles.collect()));
        let one = FiniteLaw::labelled(&laws).unwrap();
        let one: Arc<dyn Profile> = Arc::new(FiniteProfile::new(Arc::new(one)));
        let stated = outcomes();
        let swapped: Vec<_> = stated.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
        for n in 1..60i64 {
            let u = q(n * n, 200);
            let point = Point::at_exp_epsilon(&u, 120);
            for profile in [&mixed, &one] {
                for (profile, pairs) in [
                    (Arc::clone(profile), &stated),
                    (profile.swapped(), &swapped),
                ] {
                    let truth = delta(&u, pairs);
                    let knot = profile.at(&point);
                    assert!(knot.delta.contains(&truth), "{u}");
                    assert_eq!(profile.exact_delta(&point), Some(truth), "{u}");
                    // P(L > log u) to P(L ≥ log u).
                    let mass = |is_in: &dyn Fn(&Rational) -> bool| -> Rational {
                        let gain =
                            |(p, q): &&(Rational, Rational)| is_in(&(q - Rational::from(&u * p)));
                        pairs.iter().filter(gain).map(|(p, _)| p).sum()
                    };
                    let (above, from) = (mass(&|gain| *gain > 0), mass(&|gain| *gain >= 0));
                    assert!(
                        *knot.null_tail.lo() <= from && *knot.null_tail.hi() >= above,
                        "{u}"
                    );
                }
            }
        }
        let infinite = q(1, 12);
        assert_eq!(mixed.exact_infinite_mass(), Some(infinite.clone()));
        assert_eq!(one.exact_infinite_mass(), Some(infinite));
        assert_eq!(mixed.swapped().exact_infinite_mass(), Some(q(1, 3)));
    }

    /// Of closed forms: the average, with the farthest ends.
    #[test]
    fn closed_forms_are_averaged() {
        let gaussian = Mechanism::gaussian(q(1, 1), q(1, 1)).unwrap();
        let laplace = Mechanism::laplace(q(1, 2), q(1, 1)).unwrap();
        let response = Mechanism::randomized_response(q(3, 1), 3).unwrap();
        let profile = |of: &[(Rational, &Mechanism)]| {
            let part = |(weight, of): &(Rational, &Mechanism)| {
                (weight.clone(), of.profile_of_step().unwrap())
            };
            Labelled::new(of.iter().map(part).collect())
        };
        let both = profile(&[(q(1, 5), &gaussian), (q(4, 5), &laplace)]);
        for e in [q(-2, 1), q(0, 1), q(1, 3), q(5, 2)] {
            let point = Point::at_epsilon(&e, 150);
            let knot = both.at(&point);
            let of = |of: &Mechanism| of.profile_of_step().unwrap().at(&point);
            let average = |a: &Interval, b: &Interval| {
                let five = Interval::from_i64(5, 150);
                a.add(&b.mul(&Interval::from_i64(4, 150))).div(&five)
            };
            let (a, b) = (of(&gaussian), of(&laplace));
            assert!(knot.delta.intersect(&average(&a.delta, &b.delta)).is_ok());
            let tail = average(&a.null_tail, &b.null_tail);
            assert!(knot.null_tail.intersect(&tail).is_ok());
            assert!(knot.delta.width_up() < 1e-40);
        }
        assert!(matches!(both.max_loss(64), LossBound::Unbounded));
        let bounded = profile(&[(q(1, 2), &laplace), (q(1, 2), &response)]);
        for (found, truth) in [(bounded.max_loss(64), 3), (bounded.min_loss(64), -3)] {
            let LossBound::Finite { exact, .. } = found else {
                panic!("bounded");
            };
            assert_eq!(exact, Some(q(truth, 1)));
        }
        for bits in [8, 12, 16] {
            for place in [
                Place::Epsilon(q(1, 7)),
                Place::ExpEpsilon(q(9, 4)),
                Place::NearEpsilon(q(-1, 3)),
            ] {
                assert_eq!(coarse::profile_holds(&both, &place, bits, true), Ok(()));
                assert_eq!(coarse::profile_holds(&bounded, &place, bits, true), Ok(()));
            }
            assert_eq!(coarse::ends_hold(&bounded, bits), Ok(()));
        }
    }

    #[test]
    fn masses_at_infinity_add_up() {
        let leak = |delta: Rational| {
            let of = Mechanism::approx_dp(q(1, 2), delta).unwrap();
            of.profile_of_step().unwrap()
        };
        let all = Labelled::new(vec![(q(1, 4), leak(q(1, 8))), (q(3, 4), leak(q(1, 3)))]);
        for profile in [&all as &dyn Profile, &*all.swapped()] {
            assert!(profile.infinite_mass(60).contains(&q(9, 32)));
        }
    }
}
