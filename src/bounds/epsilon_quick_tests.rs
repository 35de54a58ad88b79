//! Where a search stands, and what is known beside it: on which side of the root an ε is, roots that are hit, ends of the loss.

use std::sync::Arc;

use super::*;
use crate::bounds::testing::{Finite, contains, with_effort};
use crate::bounds::{LossRange, TwoSided};
use crate::kernel::{Point, Profile, ProfilePoint};

/// δ(ε) = ½ − ε as far as that is positive, exactly; the loss ends at ½ or is not known to end.
struct Falling {
    ends: bool,
}

impl Profile for Falling {
    fn at(&self, point: &Point) -> ProfilePoint {
        ProfilePoint {
            delta: Interval::zero(point.bits()).hull(&Interval::one(point.bits())),
            null_tail: Interval::zero(point.bits()).hull(&Interval::one(point.bits())),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self { ends: self.ends })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        let half = Rational::from((1, 2));
        match self.ends {
            true => LossBound::Finite {
                value: Interval::from_rational(&half, bits),
                exact: Some(half),
            },
            false => LossBound::Unbounded,
        }
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let epsilon = point.exact_log()?;
        Some((Rational::from((1, 2)) - epsilon).max(Rational::new()))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }
}

/// δ is known by one interval only.
struct Wide(Interval);

impl Profile for Wide {
    fn at(&self, _point: &Point) -> ProfilePoint {
        ProfilePoint {
            delta: self.0.clone(),
            null_tail: self.0.clone(),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self(self.0.clone()))
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
}

/// A root that the search meets is the answer, exactly.
#[test]
fn roots_that_are_hit_are_exact() {
    for ends in [true, false] {
        let sides = TwoSided::closed_form(Arc::new(Falling { ends }));
        for (n, d) in [(1, 4), (3, 8), (1, 8)] {
            let delta = Rational::from((n, d));
            let found = with_effort(12, 64, |e| epsilon(&sides, &delta, e)).unwrap();
            assert_eq!(found.exact(), Some(&(Rational::from((1, 2)) - delta)));
        }
        let third = Rational::from((1, 3));
        let found = with_effort(12, 64, |e| epsilon(&sides, &third, e)).unwrap();
        assert!(contains(&found, &Rational::from((1, 6))), "{found:?}");
    }
}

/// An ε is right of the root where δ is certainly at most what was asked, equality included; where it may be more, nothing is said.
#[test]
fn sides_of_the_root_at_equality() {
    let wide = Interval::spanning(Float::with_val(64, 0.25), Float::with_val(64, 0.5));
    let curve = Curve::new(Arc::new(Wide(wide.clone())));
    let curve_at = |x: f64| Curve::new(Arc::new(Wide(Interval::point(Float::with_val(64, x)))));
    let side = |curve: &Curve, delta: &Rational, epsilon: f64| {
        let epsilon = Float::with_val(64, epsilon);
        with_effort(12, 64, |e| {
            Search::new(curve, delta, e, 64).look(&epsilon).0
        })
    };
    let exact = |x: &Float| x.to_rational().unwrap();
    let tiny = Rational::from((1, 1u64 << 50));
    // For ε ≥ 0, and before, where 1 − δ is known from the other order.
    let far = |epsilon: f64| {
        let place = exact_place(&Float::with_val(64, epsilon), 64);
        wide.one_minus().mul(place.exp())
    };
    let (two, minus) = (&wide, far(-1.0));
    for (epsilon, least, most) in [
        (1.0, exact(two.lo()), exact(two.hi())),
        (0.0, exact(two.lo()), exact(two.hi())),
        (-1.0, 1 - exact(minus.hi()), 1 - exact(minus.lo())),
    ] {
        let at = |delta: &Rational| side(&curve, delta, epsilon);
        assert!(matches!(at(&most), Location::Right), "{epsilon}");
        assert!(matches!(
            at(&Rational::from(&most + &tiny)),
            Location::Right
        ));
        assert!(matches!(
            at(&Rational::from(&most - &tiny)),
            Location::Unclear
        ));
        assert!(matches!(at(&least), Location::Unclear), "{epsilon}");
        assert!(matches!(
            at(&Rational::from(&least - &tiny)),
            Location::Left
        ));
    }
    let quarter = Rational::from((1, 4));
    assert!(matches!(
        side(&curve_at(0.25), &quarter, 1.0),
        Location::Root
    ));
}

/// What steers the search vanishes at the root, and falls.
#[test]
fn deviations_fall() {
    let tenth = Rational::from((1, 10));
    let curve = Curve::new(Arc::new(Falling { ends: false }));
    let at = |n: i64| {
        let delta = Interval::from_rational(&Rational::from((n, 10)), 64);
        with_effort(12, 64, |e| {
            Search::new(&curve, &tenth, e, 64).deviations(&delta)
        })
        .unwrap()
        .to_f64()
    };
    assert!(at(1).abs() < 1e-9, "{}", at(1));
    assert!(at(9) > 3.0 && at(2) > 0.3, "{} {}", at(9), at(2));
    assert!(at(9) > at(6) && at(6) > at(4) && at(4) > at(2));
}

/// A loss that is known to end bounds ε where the upper profile does not: above by its largest value, and below where δ(ε) = 1 − e^ε.
#[test]
fn ends_of_the_loss_bound_epsilon() {
    let at = |n: i64| Interval::from_i64(n, 60);
    let lower = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
    let upper = Finite::new(&[(1, 4), (3, 4), (0, 1)], &[(74, 100), (25, 100), (1, 100)]);
    let other = Finite::new(&[(25, 100), (74, 100), (1, 100)], &[(3, 4), (1, 4), (0, 1)]);
    let find = |upper: &Finite, range: LossRange, delta: (i64, i64), bits: u32| {
        let sides = TwoSided::between(upper.sides().upper, lower.sides().lower, range);
        with_effort(12, bits, |e| epsilon(&sides, &Rational::from(delta), e)).unwrap()
    };
    let max = LossRange {
        max: Some(at(1).hull(&at(2))),
        min: None,
    };
    assert_eq!(*find(&upper, max, (1, 1000), 60).upper(), 2);
    assert!(
        find(&upper, LossRange::default(), (1, 1000), 60)
            .upper()
            .is_infinite()
    );
    let min = || LossRange {
        max: None,
        min: Some(at(-2).hull(&at(-1))),
    };
    let found = find(&other, min(), (9, 10), 60);
    assert!(
        (found.upper().to_f64() - 0.1f64.ln()).abs() < 1e-12,
        "{found:?}"
    );
    // At a few bits log(1 − δ) is known by an interval, of which the larger end counts.
    let found = find(&other, min(), (9, 10), 8);
    assert!(found.upper().to_f64() >= 0.1f64.ln(), "{found:?}");
    // −2 is not passed yet: the upper profile counts.
    let found = find(&other, min(), (85, 100), 60);
    assert!(found.upper().to_f64() > 0.15f64.ln() + 0.005, "{found:?}");
    // Nearly all P-mass is next to what log(1 − δ) is at 8 bits, and the root is far beyond.
    let far = Finite::new(
        &[(999, 1000), (1, 1000)],
        &[(994_005, 10_000_000), (9_005_995, 10_000_000)],
    );
    let straight = Interval::from_rational(&Rational::from((1, 10)), 8).ln();
    let end = LossRange {
        max: None,
        min: Some(Interval::point(straight.lo().clone())),
    };
    let found = find(&far, end, (9, 10), 8);
    assert!(found.upper().to_f64() > -0.6, "{found:?}");
}

/// δ(ε) = ½ − ε, except that nothing is told at 0.
struct Blind;

impl Profile for Blind {
    fn at(&self, point: &Point) -> ProfilePoint {
        Falling { ends: false }.at(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self)
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

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let delta = Falling { ends: false }.exact_delta(point)?;
        (delta != Rational::from((1, 2))).then_some(delta)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }
}

/// A place that tells nothing is passed on the side where the root is.
#[test]
fn a_blind_place_is_passed_on_either_side() {
    let sides = TwoSided::closed_form(Arc::new(Blind));
    for (n, d) in [(1, 4), (3, 4), (1, 3), (2, 3)] {
        let delta = Rational::from((n, d));
        let found = with_effort(9, 64, |e| epsilon(&sides, &delta, e)).unwrap();
        let truth = Rational::from((1, 2)) - delta;
        assert!(contains(&found, &truth), "{truth} {found:?}");
        assert!(found.width_up() < 1e-6, "{truth} {found:?}");
    }
}
