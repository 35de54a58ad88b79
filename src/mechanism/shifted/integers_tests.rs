//! Ends of the losses of noise on the integers, places beyond all that is looked at, and ratios that are known by an interval only.

use super::*;
use crate::mechanism::shifted::{DiscreteGaussianNoise, DiscreteLaplaceNoise};

const BITS: u32 = 120;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn exp_epsilon(u: &Rational) -> Point {
    Point::at_exp_epsilon(u, BITS)
}

fn shifts(list: &[(i64, (i64, i64))]) -> Shifts {
    let part = |(shift, (n, d)): &(i64, (i64, i64))| (q(*shift, 1), q(*n, *d));
    Shifts::new(list.iter().map(part).collect()).unwrap()
}

fn gaussian(without: &Shifts, with: &Shifts) -> IntegerMixtures<DiscreteGaussianNoise> {
    let noise = DiscreteGaussianNoise::new(&q(1, 1)).unwrap();
    IntegerMixtures::new(noise, 1, without, with).unwrap()
}

/// A ratio of at least 1/2 that nothing bounds above, and in the other order one of at most 2.
#[test]
fn exact_at_the_ends_of_normal_noise() {
    let taken = shifts(&[(0, (1, 2)), (1, (1, 4)), (2, (1, 4))]);
    let removed = gaussian(&Shifts::none(), &taken);
    let added = removed.swapped();
    for (u, of_removed, of_added) in [
        (q(1, 3), Some(q(2, 3)), None),
        (q(1, 2), Some(q(1, 2)), None),
        (q(3, 4), None, None),
        (q(15, 8), None, None),
        (q(2, 1), None, Some(q(0, 1))),
        (q(3, 1), None, Some(q(0, 1))),
        (q(1000, 1), None, Some(q(0, 1))),
    ] {
        assert_eq!(removed.exact_delta(&exp_epsilon(&u)), of_removed, "{u}");
        assert_eq!(added.exact_delta(&exp_epsilon(&u)), of_added, "{u}");
    }
    // Places that reach over an end.
    let over = |low: &Rational, high: &Rational| {
        Point::at_log(exp_epsilon(low).log().hull(exp_epsilon(high).log()))
    };
    let upper = over(&q(19, 10), &q(21, 10));
    assert_eq!(added.exact_delta(&upper), None);
    let (wide, inside) = (added.at(&upper), added.at(&exp_epsilon(&q(19, 10))));
    assert!(inside.delta.is_positive() && wide.delta.hi() >= inside.delta.lo());
    assert!(wide.null_tail.hi() >= inside.null_tail.lo() && inside.null_tail.is_positive());
    let lower = over(&q(4, 10), &q(6, 10));
    let (wide, inside) = (removed.at(&lower), removed.at(&exp_epsilon(&q(6, 10))));
    assert!(*inside.null_tail.hi() < 1 && wide.null_tail.lo() <= inside.null_tail.hi());
    assert!(wide.null_tail.hi() == &1);
}

/// Beyond every place that is looked at there is next to nothing, and yet not nothing; and on the other side everything.
#[test]
fn beyond_all_places() {
    let noise = DiscreteGaussianNoise::new(&q(100, 1)).unwrap();
    let one = Shifts::sampled(&q(1, 1));
    let pair = IntegerMixtures::new(noise, 1, &Shifts::none(), &one).unwrap();
    // Logarithms of ratios are below 2^40/100² there.
    let far = q(200_000_000, 1);
    let found = pair.knot(&Point::at_epsilon(&far, BITS));
    assert!(
        *found.delta.lo() == 0 && *found.delta.hi() > 0 && *found.delta.hi() < 1e-30,
        "{found:?}"
    );
    let tail = &found.null_tail;
    assert!(*tail.lo() == 0 && *tail.hi() > 0 && *tail.hi() < 1e-30);
    let found = pair.knot(&Point::at_epsilon(&-far, BITS));
    assert!(*found.delta.lo() > 0.999 && *found.delta.hi() == 1);
    assert!(*found.null_tail.lo() > 0.999 && *found.null_tail.hi() == 1);
}

/// Exactly 1 − u up to the lower end of what is known of the least ratio.
#[test]
fn exact_at_the_ends_of_geometric_noise() {
    let shifts = Shifts::sampled(&q(1, 4));
    let noise = DiscreteLaplaceNoise::new(&q(2, 1));
    let pair = IntegerMixtures::new(noise, 1, &shifts, &shifts).unwrap();
    let (low, _) = pair.range();
    let least = pair.ratio(&pair.known(BITS), low, BITS);
    let (below, above) = (
        least.lo().to_rational().unwrap(),
        least.hi().to_rational().unwrap(),
    );
    assert!(below < above);
    let exact = |u: &Rational| pair.exact_delta(&exp_epsilon(u));
    assert_eq!(exact(&below), Some(Rational::from(1 - &below)));
    assert_eq!(exact(&above), None);
}

/// Noise whose ratios are known by wide intervals only, with the truth anywhere within; its tails are known well.
#[derive(Clone)]
struct Blurred<N> {
    noise: N,
    /// How much a logarithm may be larger or smaller, in hundredths.
    below: i64,
    above: i64,
}

impl<N: IntegerNoise> IntegerNoise for Blurred<N> {
    const GEOMETRIC: bool = N::GEOMETRIC;
    const MOST_APART: i64 = N::MOST_APART;

    fn upper_tail(&self, k: i64, bits: u32) -> Interval {
        self.noise.upper_tail(k, bits)
    }

    fn log_ratio(&self, k: i64, shift: i64, bits: u32) -> Interval {
        let log = self.noise.log_ratio(k, shift, bits);
        if shift == 0 {
            return log;
        }
        let by = |n: i64| log.add(&Interval::from_rational(&q(n, 100), bits));
        by(-self.below).hull(&by(self.above))
    }
}

fn blurred_holds<N: IntegerNoise>(noise: N, with: &Shifts) {
    let none = Shifts::none();
    let plain = IntegerMixtures::new(noise.clone(), 1, &none, with).unwrap();
    for (below, above) in [(25, 25), (30, 0), (0, 30)] {
        let noise = Blurred {
            noise: noise.clone(),
            below,
            above,
        };
        let blurred = IntegerMixtures::new(noise, 1, &none, with).unwrap();
        for hundredths in (-170..=170).step_by(10) {
            let point = Point::at_epsilon(&q(hundredths, 100), BITS);
            let (truth, found) = (plain.knot(&point), blurred.knot(&point));
            let slack = Interval::from_rational(&q(1, 1 << 60), BITS);
            let what = format!("{below} {above} {hundredths}: {found:?} {truth:?}");
            assert!(found.delta.lo() <= truth.delta.add(&slack).hi(), "{what}");
            assert!(found.delta.hi() >= truth.delta.sub(&slack).lo(), "{what}");
            let tail = &truth.null_tail;
            assert!(found.null_tail.lo() <= tail.add(&slack).hi(), "{what}");
            assert!(found.null_tail.hi() >= tail.sub(&slack).lo(), "{what}");
        }
    }
}

#[test]
fn ratios_that_are_hardly_known() {
    let one = Shifts::sampled(&q(1, 1));
    let some = shifts(&[(0, (1, 2)), (1, (1, 4)), (2, (1, 4))]);
    for with in [one, some] {
        blurred_holds(DiscreteGaussianNoise::new(&q(1, 1)).unwrap(), &with);
        blurred_holds(DiscreteLaplaceNoise::new(&q(1, 1)), &with);
    }
}

/// The least place, wherever it is, and at both ends of what is looked at, which 0 always belongs to.
#[test]
fn first_places() {
    for (low, high) in [(-100, 100), (-7, 3), (0, 9), (-9, 0)] {
        for k in low - 2..=high + 2 {
            let asked = |place: i64| {
                assert!(low <= place && place <= high, "{place}");
                place >= k
            };
            let truth = match k {
                k if k <= low => First::Everywhere,
                k if k > high => First::Nowhere,
                k => First::At(k),
            };
            assert_eq!(first(low, high, asked), truth, "{low} {high} {k}");
        }
    }
}

/// Normal noise of a parameter as large as the farthest place, as if it were on the integers: its steps are too small to tell.
#[derive(Clone)]
struct Huge;

impl Huge {
    fn place(k: i64, bits: u32) -> Interval {
        Interval::from_rational(&(q(k, 1) / FARTHEST), bits)
    }
}

impl IntegerNoise for Huge {
    const GEOMETRIC: bool = false;
    const MOST_APART: i64 = FARTHEST;

    fn upper_tail(&self, k: i64, bits: u32) -> Interval {
        crate::kernel::normal::survival(&Self::place(k, bits))
    }

    fn log_ratio(&self, k: i64, shift: i64, bits: u32) -> Interval {
        let (at, by) = (Self::place(k, bits), Self::place(shift, bits));
        let half = Interval::from_rational(&q(1, 2), bits);
        by.mul(&at.sub(&by.mul(&half)))
    }
}

/// Where the test that gains most is beyond all places that are looked at, it may gain more than the last of them.
#[test]
fn tests_beyond_all_places() {
    let one = Shifts::sampled(&q(1, 1));
    let shift = u64::try_from(FARTHEST / 2).unwrap();
    let pair = IntegerMixtures::new(Huge, shift, &Shifts::none(), &one).unwrap();
    for hundredths in [-100, -90, -80, -150, -70, 70, 100, 20] {
        let epsilon = q(hundredths, 100);
        let found = pair.knot(&Point::at_epsilon(&epsilon, BITS)).delta;
        // That of normal noise with μ = 1/2.
        let at = |x: Rational| {
            let x = Interval::from_rational(&x, BITS);
            crate::kernel::normal::survival(&x)
        };
        let u = Interval::from_rational(&epsilon, BITS).exp();
        let place = Rational::from(&epsilon * 2u32) + q(1, 4);
        let truth = at(place.clone() - q(1, 2)).sub(&u.mul(&at(place)));
        let slack = Interval::from_rational(&q(1, 1_000_000_000), BITS);
        let what = format!("{hundredths}: {found:?} {truth:?}");
        assert!(found.lo() <= truth.add(&slack).hi(), "{what}");
        assert!(found.hi() >= truth.sub(&slack).lo(), "{what}");
    }
}

/// What is made late may be wide, and is asked for again.
#[test]
fn what_is_made_late_is_not_remembered() {
    let memo = Memo::default();
    assert_eq!(crate::kernel::coarse::late(|| memo.get_or(1, || 7)), 7);
    assert_eq!(memo.get_or(1, || 8), 8);
    assert_eq!(crate::kernel::coarse::late(|| memo.get_or(1, || 9)), 8);
}
