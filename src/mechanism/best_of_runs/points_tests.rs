//! What is known of a pair by its profile, where the slopes of that are known by wide intervals.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::kernel::{LossBound, ProfilePoint};
use crate::mechanism::Mechanism;

/// The profile, with slopes that may be less or more by a fiftieth.
struct Blurred(Arc<dyn Profile>);

impl Profile for Blurred {
    fn at(&self, point: &Point) -> ProfilePoint {
        let knot = self.0.at(point);
        let end = |n: i32| Interval::from_rational(&Rational::from((n, 50)), point.bits());
        ProfilePoint {
            null_tail: knot.null_tail.add(&end(-1).hull(&end(1))).in_unit(),
            ..knot
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self(self.0.swapped()))
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.0.max_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.0.min_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.0.infinite_mass(bits)
    }
}

/// No test is better than the best one, whichever end of its slope is taken.
#[test]
fn tests_of_slopes_that_are_hardly_known() {
    let stated = Mechanism::gaussian(1, 1)
        .unwrap()
        .profile_of_step()
        .unwrap();
    let known = Sampled::of(&Blurred(Arc::clone(&stated))).unwrap();
    assert!(known.tests.len() > 100);
    for n in -12..=12 {
        let point = Point::at_epsilon(&Rational::from((n, 4)), 120);
        let u = point.exp().middle().to_f64();
        let most = stated.at(&point).delta.hi().to_f64();
        for (alpha, power) in known.tests.iter().step_by(3) {
            let gain = power.to_f64() - u * alpha.to_f64();
            assert!(gain <= most + 1e-12, "{n}: {alpha} {power}");
        }
    }
}

/// Outcomes without mass on one side are accepted in their turn, and in the end everything is.
#[test]
fn tests_of_outcomes_on_one_side() {
    let of = |x: [i64; 3]| x.map(|n| Rational::from((n, 4))).to_vec();
    let found = exact_tests(&of([1, 3, 0]), &of([1, 0, 3]));
    let expected =
        [(0, 3), (1, 4), (4, 4)].map(|(p, q)| (Rational::from((p, 4)), Rational::from((q, 4))));
    assert_eq!(found, expected);
}

/// A profile that counts how often it is asked, in either order.
struct Counted(Arc<dyn Profile>, Arc<AtomicUsize>);

impl Profile for Counted {
    fn at(&self, point: &Point) -> ProfilePoint {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.at(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self(self.0.swapped(), Arc::clone(&self.1)))
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.0.max_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.0.min_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.0.infinite_mass(bits)
    }

    fn is_symmetric(&self) -> bool {
        self.0.is_symmetric()
    }
}

/// What is the same in both orders is asked once, and what is dear at few places: then no bound is lower, nor much higher.
#[test]
fn dear_values_are_asked_for_seldom() {
    let profile = |of: &Mechanism| of.profile_of_step().unwrap();
    let laplace = Mechanism::laplace(2, 1).unwrap();
    for (of, orders) in [
        (profile(&laplace), 1),
        (profile(&Mechanism::subsampled("0.3", laplace).unwrap()), 2),
    ] {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Counted(Arc::clone(&of), Arc::clone(&asked));
        let many = Sampled::of(&counted).unwrap();
        let all = usize::try_from(PLACES).unwrap();
        assert!(asked.swap(0, Ordering::Relaxed) <= (all + 2) * orders);
        let few = Sampled::of_dear(&counted).unwrap();
        let all = usize::try_from(FEW_PLACES).unwrap();
        assert!(asked.swap(0, Ordering::Relaxed) <= (all + 2) * orders);
        let delta = |known: &Sampled, u: f64| -> f64 {
            let (p, q) = &known.above;
            let gains = p.iter().zip(q).map(|(p, q)| q.to_f64() - u * p.to_f64());
            gains.map(|gain| gain.max(0.0)).sum()
        };
        for u in [1.0, 1.1, 1.3, 1.5] {
            let (less, more) = (delta(&many, u), delta(&few, u));
            assert!(
                more >= less - 1e-12 && more <= less + 1e-3,
                "{u}: {less} {more}"
            );
        }
    }
}
