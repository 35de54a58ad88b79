//! Skellam noise.

use rug::{Float, ops::Pow};

use super::*;
use crate::kernel::coarse::{at_most_bits, surrounds};
use crate::number::parse_rational;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

const BITS: u32 = 300;

/// N(k) for k below `count`, from the product of two Poisson laws.
fn direct(mean: &Rational, count: usize) -> Vec<Float> {
    let m = Float::with_val(BITS, mean);
    let mut poisson = vec![Float::with_val(BITS, -&m).exp()];
    for k in 1..600u32 {
        let next = Float::with_val(BITS, poisson.last().unwrap() * &m) / k;
        poisson.push(next);
    }
    let mass = |k: usize| {
        let pairs = poisson.iter().zip(poisson.iter().skip(k));
        pairs.fold(Float::new(BITS), |sum, (a, b)| {
            sum + Float::with_val(BITS, a * b)
        })
    };
    (0..count).map(mass).collect()
}

fn means() -> Vec<Rational> {
    vec![q(1, 1_000_000), q(1, 100), q(1, 3), q(4, 1), q(81, 2)]
}

fn close(found: &Interval, truth: &Float, what: &str) {
    let slack = Float::with_val(BITS, truth >> 230u32);
    let low = Float::with_val(BITS, found.lo() - &slack);
    let high = Float::with_val(BITS, found.hi() + &slack);
    assert!(
        low <= *truth && *truth <= high,
        "{what}: {found:?}, not {truth:.40}"
    );
    assert!(
        found.width_up() <= Float::with_val(BITS, truth >> 150u32),
        "wide, {what}: {found:?}"
    );
}

/// Masses, tails and ratios by the product of the two Poisson laws, on both sides of 0.
#[test]
fn the_difference_of_two_poisson_variables() {
    for mean in means() {
        let noise = SkellamNoise::new(&mean).unwrap();
        let masses = direct(&mean, 400);
        let listed = noise.masses(30, 200);
        for k in 0..30usize {
            let place = i64::try_from(k).unwrap();
            close(&listed[k], &masses[k], &format!("mass {mean} {k}"));
            let tail = masses
                .iter()
                .skip(k)
                .rev()
                .fold(Float::new(BITS), |sum, mass| sum + mass);
            close(
                &noise.upper_tail(place, 200),
                &tail,
                &format!("tail {mean} {k}"),
            );
            let below = noise.upper_tail(1 - place, 200);
            let rest = Float::with_val(BITS, 1 - tail);
            assert!(below.lo() <= &(Float::with_val(BITS, &rest + 1e-55)));
            assert!(below.hi() >= &(Float::with_val(BITS, &rest - 1e-55)));
            for shift in [1i64, 2, 5] {
                let from = (place - shift).unsigned_abs();
                let from = &masses[usize::try_from(from).unwrap()];
                let truth = Float::with_val(BITS, from / &masses[k]).ln();
                let found = noise.log_ratio(place, shift, 200);
                let gap = Float::with_val(BITS, found.middle() - &truth).abs();
                assert!(gap < 1e-50, "ratio {mean} {k} {shift}: {found:?}");
                assert!(found.width_up() < 1e-50, "ratio {mean} {k} {shift}");
                let mirrored = noise.log_ratio(shift - place, shift, 200);
                assert!(mirrored.neg().intersect(&found).is_ok());
            }
        }
    }
}

/// r_k lies between its bounds and never falls: what tails and first values are made from.
#[test]
fn rises_never_fall() {
    for mean in means() {
        let noise = SkellamNoise::new(&mean).unwrap();
        let rises: Vec<Interval> = (1..200).map(|k| noise.rise(k, 200)).collect();
        for (k, (now, next)) in (1i64..).zip(rises.iter().zip(rises.iter().skip(1))) {
            assert!(now.certainly_le(next), "{mean} {k}");
            let ratio = Interval::from_rational(&(q(k, 1) / &mean), 200);
            assert!(ratio.certainly_le(now));
            assert!(now.certainly_le(&ratio.add(&Interval::one(200))));
            // And by no more than 1/m.
            let step = next
                .sub(now)
                .sub(&Interval::from_rational(&mean.clone().recip(), 200));
            assert!(*step.lo() <= 0, "{mean} {k}");
        }
    }
}

/// Numbers of mpmath: at a large mean by the asymptotic series, and far out by the power series.
#[test]
fn large_means_and_far_places() {
    let near = |found: &Interval, truth: &str| {
        let truth = parse_rational(truth).unwrap();
        let slack: Rational = &truth / Rational::from(10).pow(34);
        let slack = slack.abs();
        let wide = Interval::from_rational(&Rational::from(&truth - &slack), 200).hull(
            &Interval::from_rational(&Rational::from(&truth + &slack), 200),
        );
        assert!(found.intersect(&wide).is_ok(), "{found:?}, not {truth}");
        assert!(found.width_up() < slack);
    };
    let noise = SkellamNoise::new(&q(1_000_000, 1)).unwrap();
    near(
        &noise.masses(1, 200)[0],
        "0.0002820948094048075880415180000409415900829",
    );
    let noise = SkellamNoise::new(&q(4, 1)).unwrap();
    near(
        &noise.log_ratio(1_000_000, 2, 200),
        "24.85843139372026697021289938807015438399",
    );
    near(
        &noise.log_ratio(-999_998, 2, 200).neg(),
        "24.85843139372026697021289938807015438399",
    );
    // Beyond the table only an upper bound is known.
    let tail = noise.upper_tail(1_000_000, 100);
    assert!(*tail.lo() == 0 && *tail.hi() < 1e-30);
}

#[test]
fn coarse_numbers_enclose_finer_ones() {
    for mean in means() {
        let fine = SkellamNoise::new(&mean).unwrap();
        for bits in [8, 12, 20] {
            let coarse = SkellamNoise::new(&mean).unwrap();
            let places = [-3i64, 0, 1, 2, 9];
            let truths = places.map(|k| (fine.upper_tail(k, BITS), fine.log_ratio(k, 3, BITS)));
            at_most_bits(bits, || {
                for (k, (tail, ratio)) in places.iter().zip(&truths) {
                    let found = coarse.upper_tail(*k, 64);
                    assert!(surrounds(&found, tail), "{mean} {k} {bits}");
                    let found = coarse.log_ratio(*k, 3, 64);
                    assert!(surrounds(&found, ratio), "{mean} {k} {bits}");
                }
                for (a, b) in coarse.masses(5, 64).iter().zip(&direct(&mean, 6)) {
                    let truth = Interval::point(Float::with_val(BITS, b));
                    assert!(surrounds(a, &truth), "{mean} {bits}");
                }
            });
        }
    }
}

#[test]
fn sizes_that_are_not_built() {
    assert!(SkellamNoise::new(&q(200_000_000, 1)).is_some());
    assert!(SkellamNoise::new(&q(200_000_001, 1)).is_none());
    assert!(SkellamNoise::new(&q(1, 1_000_000_000)).is_some());
    assert!(SkellamNoise::new(&q(1, 1_000_000_001)).is_none());
}

/// Wherever a sum begins, what lies beyond is counted.
#[test]
fn sums_begin_anywhere() {
    for mean in means() {
        let masses = direct(&mean, 400);
        let recurrence = Recurrence::new(&mean, 200);
        for place in 1..30usize {
            let top = Reached::at_top(i64::try_from(place).unwrap(), &recurrence);
            let tail = masses.iter().skip(place).rev();
            let tail = tail.fold(Float::new(BITS), |sum, mass| sum + mass);
            let truth = Interval::point(tail / &masses[place]);
            assert!(surrounds(&top.upper, &truth), "{mean} {place}");
            let rise = Float::with_val(BITS, &masses[place - 1] / &masses[place]);
            close(&top.rise, &rise, &format!("rise {mean} {place}"));
        }
    }
}

/// Beyond all that is kept a tail is more than nothing.
#[test]
fn tails_beyond_the_table_are_above_zero() {
    for mean in means() {
        let noise = SkellamNoise::new(&mean).unwrap();
        let table = noise.table(40);
        for beyond in [1, 5, 2_000] {
            let found = table.at(table.top + STRIDE + beyond);
            assert!(*found.upper.lo() <= 0 && *found.upper.hi() > 0, "{mean}");
            assert!(*found.weight.lo() <= 0 && *found.weight.hi() > 0, "{mean}");
        }
    }
}

/// Where a recurrence begins: around what it comes to from far above, and no wider than by 1.
#[test]
fn beginnings_of_recurrences() {
    for mean in [q(1, 10), q(3, 1), q(50, 1), q(2_000, 1)] {
        let recurrence = Recurrence::new(&mean, 200);
        for place in [1i64, 2, 5, 30, 400] {
            let (truth, start) = (recurrence.rise(place), recurrence.around(place));
            assert!(
                start.lo() <= truth.lo() && start.hi() >= truth.hi(),
                "{mean} {place}: {start:?} {truth:?}"
            );
            assert!(start.width_up() <= 1.001f64, "{mean} {place}: {start:?}");
        }
    }
}

/// Shifts of tens of thousands are that many ratios: when the time is over those that are left are bounded.
#[test]
fn ratios_that_are_not_multiplied_are_bounded() {
    for mean in [(1, 2), (40, 1)] {
        let noise = SkellamNoise::new(&Rational::from(mean)).unwrap();
        for (k, shift) in [(7_000i64, 6_990i64), (-3, 9_000)] {
            let truth = noise.log_ratio(k, shift, 90);
            let late = crate::kernel::coarse::late(|| noise.log_ratio(k, shift, 90));
            assert!(truth.width_up() < 1e-20 && late.width_up() > 1);
            assert!(
                late.lo() <= truth.lo() && truth.hi() <= late.hi(),
                "{late:?}"
            );
        }
    }
}

/// Of ratios that are not multiplied each is at least 1 and at most that of the first place.
#[test]
fn any_ratios_by_their_bound() {
    for (mean, place, count) in [((1, 2), 40, 7u32), ((40, 1), 9, 9), ((9, 1), 5_000, 300)] {
        let recurrence = Recurrence::new(&Rational::from(mean), 200);
        let one = Rational::from(place) / Rational::from(mean) + 1u32;
        let truth = Float::with_val(200, one.pow(count));
        let found = recurrence.of_any(place, count.into());
        assert!(*found.lo() == 1 && *found.hi() >= truth, "{place} {count}");
        assert!(*found.hi() <= Float::with_val(200, &truth * 1.000001f64));
    }
}
