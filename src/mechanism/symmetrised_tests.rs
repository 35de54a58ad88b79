//! Pairs that say what they are told, in both orders, so that each end of each of the two counts.

use super::*;
use crate::kernel::Interval;

const BITS: u32 = 60;

/// One order of a pair: whatever is asked, its answer is listed.
#[derive(Clone)]
struct Said {
    delta: (i64, i64),
    null_tail: i64,
    exact: Option<i64>,
    least: LossBound,
    most: LossBound,
    infinite: (i64, i64),
    /// At least δ, as far as it says.
    delta_up: Option<i64>,
    trails: bool,
}

/// Both orders.
struct Pair(Said, Said);

/// From so many hundredths to so many.
fn hundredths((low, high): (i64, i64)) -> Interval {
    let end = |n: i64| Interval::from_rational(&Rational::from((n, 100)), BITS);
    end(low).hull(&end(high))
}

fn hundredth(n: i64) -> Rational {
    Rational::from((n, 100))
}

fn end(low: i64, high: i64, exact: Option<i64>) -> LossBound {
    LossBound::Finite {
        value: Interval::from_i64(low, BITS).hull(&Interval::from_i64(high, BITS)),
        exact: exact.map(Rational::from),
    }
}

fn said() -> Said {
    Said {
        delta: (20, 60),
        null_tail: 10,
        exact: None,
        least: end(-3, -3, Some(-3)),
        most: end(2, 2, Some(2)),
        infinite: (5, 5),
        delta_up: None,
        trails: false,
    }
}

impl Profile for Pair {
    fn at(&self, _: &Point) -> ProfilePoint {
        ProfilePoint {
            delta: hundredths(self.0.delta),
            null_tail: hundredths((self.0.null_tail, self.0.null_tail)),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self(self.1.clone(), self.0.clone()))
    }

    fn max_loss(&self, _: u32) -> LossBound {
        self.0.most.clone()
    }

    fn min_loss(&self, _: u32) -> LossBound {
        self.0.least.clone()
    }

    fn infinite_mass(&self, _: u32) -> Interval {
        hundredths(self.0.infinite)
    }

    fn exact_delta(&self, _: &Point) -> Option<Rational> {
        self.0.exact.map(hundredth)
    }

    fn delta_up(&self, _: &Point) -> Option<Float> {
        let up = self.0.delta_up?;
        Some(hundredths((up, up)).hi().clone())
    }

    fn trails(&self, _: &Point) -> bool {
        self.0.trails
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let (low, high) = self.0.infinite;
        (low == high).then(|| hundredth(low))
    }
}

/// In either order.
fn both(one: &Said, other: &Said) -> [Symmetrised; 2] {
    [(one, other), (other, one)]
        .map(|(a, b)| Symmetrised::new(Arc::new(Pair(a.clone(), b.clone()))))
}

fn is_end(found: LossBound, low: i64, high: i64, expected: Option<i64>) {
    let LossBound::Finite { value, exact } = found else {
        panic!("unbounded")
    };
    let truth = Interval::from_i64(low, BITS).hull(&Interval::from_i64(high, BITS));
    assert_eq!(value, truth);
    assert_eq!(exact, expected.map(Rational::from));
}

#[test]
fn the_farther_ends_of_both_orders() {
    let other = Said {
        least: end(-7, -7, Some(-7)),
        most: end(5, 5, Some(5)),
        ..said()
    };
    for pair in both(&said(), &other) {
        is_end(pair.max_loss(BITS), 5, 5, Some(5));
        is_end(pair.min_loss(BITS), -7, -7, Some(-7));
    }
    // Ends that lie within each other, one of them not known exactly.
    let (narrow, wide) = (
        Said {
            least: end(-3, -2, Some(-2)),
            most: end(2, 3, Some(3)),
            ..said()
        },
        Said {
            least: end(-4, -1, None),
            most: end(1, 4, None),
            ..said()
        },
    );
    for pair in both(&narrow, &wide) {
        is_end(pair.max_loss(BITS), 2, 4, None);
        is_end(pair.min_loss(BITS), -4, -2, None);
    }
    let far = Said {
        least: LossBound::Unbounded,
        most: LossBound::Unbounded,
        ..said()
    };
    for pair in both(&said(), &far) {
        assert!(matches!(pair.max_loss(BITS), LossBound::Unbounded));
        assert!(matches!(pair.min_loss(BITS), LossBound::Unbounded));
    }
}

#[test]
fn the_larger_mass_at_infinity() {
    let more = Said {
        infinite: (9, 9),
        ..said()
    };
    for pair in both(&said(), &more) {
        assert_eq!(pair.infinite_mass(BITS), hundredths((9, 9)));
        assert_eq!(pair.exact_infinite_mass(), Some(hundredth(9)));
    }
    let blurred = Said {
        infinite: (4, 6),
        ..said()
    };
    for pair in both(&said(), &blurred) {
        assert_eq!(pair.infinite_mass(BITS), hundredths((5, 6)));
        assert_eq!(pair.exact_infinite_mass(), None);
    }
}

/// Where it is not known which order is larger, the slope is that of the one with the larger lower end, whose line stays below.
#[test]
fn slopes_go_with_the_larger_lower_end() {
    let one = Point::at_exp_epsilon(&Rational::from(1), BITS);
    let cases = [
        // Clearly larger, and within each other.
        ((20, 60), (70, 80), (70, 80)),
        ((20, 60), (30, 50), (30, 60)),
        ((10, 40), (30, 50), (30, 50)),
        ((20, 60), (30, 60), (30, 60)),
    ];
    for (lower, larger, delta) in cases {
        let lower = Said {
            delta: lower,
            null_tail: 10,
            ..said()
        };
        let larger = Said {
            delta: larger,
            null_tail: 40,
            ..said()
        };
        for pair in both(&lower, &larger) {
            let found = pair.at(&one);
            assert_eq!(found.delta, hundredths(delta));
            assert_eq!(found.null_tail, hundredths((40, 40)));
        }
    }
}

/// A value that is known exactly in one order is that of both if the other is nowhere above.
#[test]
fn exact_values_of_one_order() {
    let one = Point::at_exp_epsilon(&Rational::from(1), BITS);
    // Halves of halves, which have no rounding.
    let exactly = |exact: Option<i64>, delta: (i64, i64)| Said {
        delta,
        exact,
        ..said()
    };
    let known = exactly(Some(50), (50, 50));
    for (other, expected) in [
        (exactly(None, (25, 50)), Some(50)),
        (exactly(None, (25, 75)), None),
        (exactly(None, (75, 75)), None),
        (exactly(Some(75), (75, 75)), Some(75)),
        (exactly(Some(25), (25, 25)), Some(50)),
    ] {
        for pair in both(&known, &other) {
            assert_eq!(pair.exact_delta(&one), expected.map(hundredth));
        }
    }
}

/// An exact value is the larger one only if no other can be above it.
#[test]
fn the_larger_one_is_exact_only_where_that_is_certain() {
    let mut random = crate::kernel::coarse::Random(67);
    for _ in 0..10_000 {
        let mut some = || i64::try_from(random.below(101)).unwrap();
        let (exact, a, b) = (hundredth(some()), some(), some());
        let (low, high) = (a.min(b), a.max(b));
        let other = hundredths((low, high));
        let is_certain = *other.hi() <= exact;
        assert!(is_certain == (hundredth(high) < exact) || hundredth(high) == exact);
        let found = at_least_all_of(exact.clone(), &other);
        assert_eq!(found, is_certain.then_some(exact));
    }
}

/// An order that is certainly the smaller one is left out, and only such a one; of a lower bound also one that only seems to be.
#[test]
fn an_order_that_trails_is_left_out() {
    let one = Point::at_exp_epsilon(&Rational::from(1), BITS);
    let leader = Said {
        delta: (40, 60),
        null_tail: 40,
        ..said()
    };
    // What is said of the other one is no better than its bound.
    for (delta_up, expected) in [(Some(39), (40, 60)), (Some(41), (40, 90)), (None, (40, 90))] {
        let other = Said {
            delta: (10, 90),
            delta_up,
            ..said()
        };
        for pair in both(&leader, &other) {
            assert_eq!(pair.at(&one).delta, hundredths(expected));
        }
    }
    for trails in [false, true] {
        let other = Said {
            delta: (50, 50),
            trails,
            ..said()
        };
        for (a, b) in [(&leader, &other), (&other, &leader)] {
            let pair = Arc::new(Pair(a.clone(), b.clone()));
            let below = Symmetrised::below(pair.clone()).at(&one).delta;
            let expected = if trails { (40, 60) } else { (50, 60) };
            assert_eq!(below, hundredths(expected));
            let mirrored = Symmetrised::below(pair.clone()).swapped().at(&one).delta;
            assert_eq!(mirrored, hundredths(expected));
            assert_eq!(Symmetrised::new(pair).at(&one).delta, hundredths((50, 60)));
        }
    }
}
