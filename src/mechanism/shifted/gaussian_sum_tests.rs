//! Sums of discrete Gaussians.

use rug::Float;

use super::*;
use crate::kernel::coarse::{at_most_bits, surrounds};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

const BITS: u32 = 400;

/// S(k) for 0 ≤ k ≤ `places`, by adding up all splits one party after the other, without any bound of a tail that matters.
pub(in super::super) fn direct(sigma: &Rational, parties: u64, places: i64) -> Vec<Float> {
    let far = places + 40;
    let twice = Float::with_val(BITS, sigma).square() * 2u32;
    let weight =
        |k: i64| Float::with_val(BITS, -(Float::with_val(BITS, k).square() / &twice)).exp();
    let one: Vec<Float> = (-far..=far).map(weight).collect();
    let total = Float::with_val(BITS, Float::sum(one.iter()));
    let one: Vec<Float> = one
        .iter()
        .map(|x| Float::with_val(BITS, x / &total))
        .collect();
    let index = |k: i64| usize::try_from(k + far).unwrap();
    let mut sum = one.clone();
    for _ in 1..parties {
        let at = |k: i64| {
            let mut all = Float::new(BITS);
            for j in (-far).max(k - far)..=far.min(k + far) {
                all += Float::with_val(BITS, &one[index(j)] * &sum[index(k - j)]);
            }
            all
        };
        sum = (-far..=far).map(at).collect();
    }
    (0..=places).map(|k| sum[index(k)].clone()).collect()
}

fn near(found: &Interval, truth: &Float, what: &str) {
    let slack = Float::with_val(BITS, truth.abs_ref()) >> 140u32;
    let low = Float::with_val(BITS, found.lo() - &slack);
    let high = Float::with_val(BITS, found.hi() + &slack);
    assert!(
        low <= *truth && *truth <= high,
        "{what}: {found:?}, not {truth:.40}"
    );
    assert!(
        found.width_up() <= Float::with_val(BITS, truth.abs_ref()) >> 90u32,
        "wide, {what}: {found:?}"
    );
}

fn laws() -> Vec<(Rational, u64)> {
    vec![
        (q(1, 4), 3),
        (q(1, 2), 2),
        (q(2, 3), 5),
        (q(1, 1), 7),
        (q(2, 1), 3),
        (q(5, 2), 2),
    ]
}

/// Masses, tails and ratios by adding up all splits.
#[test]
fn all_splits_one_by_one() {
    for (sigma, parties) in laws() {
        let noise = GaussianSumNoise::new(&sigma, parties).unwrap();
        let masses = direct(&sigma, parties, 60);
        let listed = noise.masses(8, 128).unwrap();
        for k in 0..8usize {
            let place = i64::try_from(k).unwrap();
            let what = format!("{sigma} {parties} {k}");
            near(&listed[k], &masses[k], &what);
            let tail = masses
                .iter()
                .skip(k)
                .rev()
                .fold(Float::new(BITS), |sum, x| sum + x);
            near(
                &noise.upper_tail(place.max(1), 400),
                &if k == 0 {
                    masses
                        .iter()
                        .skip(1)
                        .rev()
                        .fold(Float::new(BITS), |sum, x| sum + x)
                } else {
                    tail.clone()
                },
                &what,
            );
            let below = noise.upper_tail(1 - place, 400);
            if k > 0 {
                near(&below, &Float::with_val(BITS, 1 - &tail), &what);
            }
            for shift in [1i64, 2, 5] {
                let from = usize::try_from((place - shift).unsigned_abs()).unwrap();
                let truth = Float::with_val(BITS, &masses[from] / &masses[k]).ln();
                let found = noise.log_ratio(place, shift, 400);
                let gap = Float::with_val(BITS, found.middle() - &truth).abs();
                assert!(
                    gap < 1e-30 && found.width_up() < 1e-30,
                    "{what} {shift}: {found:?} {truth}"
                );
                let mirrored = noise.log_ratio(shift - place, shift, 400);
                assert!(mirrored.neg().intersect(&found).is_ok());
            }
        }
    }
}

/// One party alone has the discrete Gaussian.
#[test]
fn one_party_is_a_discrete_gaussian() {
    for sigma in [q(1, 2), q(3, 2), q(6, 1)] {
        let (sum, one) = (
            GaussianSumNoise::new(&sigma, 1).unwrap(),
            DiscreteGaussianNoise::new(&sigma).unwrap(),
        );
        for k in -12..=12 {
            for bits in [64, 200] {
                assert!(
                    sum.upper_tail(k, bits)
                        .intersect(&one.upper_tail(k, bits))
                        .is_ok()
                );
                assert!(
                    sum.log_ratio(k, 3, bits)
                        .intersect(&one.log_ratio(k, 3, bits))
                        .is_ok()
                );
            }
        }
    }
}

/// What is said without a table, of all ratios, tails and of how far c goes.
#[test]
fn bounds_that_no_table_gives() {
    for (sigma, parties) in laws() {
        let noise = GaussianSumNoise::new(&sigma, parties).unwrap();
        let masses = direct(&sigma, parties, 60);
        let fall =
            |low: usize, high: usize| Float::with_val(BITS, &masses[low] / &masses[high]).ln();
        let place = |k: usize| i64::try_from(k).unwrap();
        for low in 0..20usize {
            for high in low..20usize {
                let (found, truth) = (
                    noise.fall(place(low), place(high), 100),
                    Interval::point(fall(low, high)),
                );
                assert!(
                    surrounds(&found, &truth),
                    "{sigma} {parties} {low} {high}: {found:?} {truth:?}"
                );
            }
            // r_k never falls.
            if low > 1 {
                assert!(fall(low - 1, low) > Float::with_val(BITS, fall(low - 2, low - 1) - 1e-90));
            }
            let tail = masses
                .iter()
                .skip(low)
                .fold(Float::new(BITS), |sum, x| sum + x);
            let most = Interval::from_rational(&noise.exponent(place(low)), 100).exp();
            assert!(tail <= *most.hi(), "{sigma} {parties} {low}");
        }
        if let Some(range) = noise.log_range() {
            for k in 0..=20usize {
                let gauss = Interval::from_rational(&noise.exponent(place(k)), 300).exp();
                let c = Interval::point(masses[k].clone())
                    .div(&gauss)
                    .div(&Interval::point(masses[0].clone()))
                    .ln();
                assert!(
                    c.lo() <= range.hi() && c.hi() >= range.neg().lo(),
                    "{sigma} {parties} {k}"
                );
            }
        }
    }
}

/// Sums over all that lies beyond a place, with their powers.
#[test]
fn what_lies_beyond_a_place() {
    for (sigma, parties) in laws() {
        let noise = GaussianSumNoise::new(&sigma, parties).unwrap();
        let masses = direct(&sigma, parties, 60);
        let at = |k: i64| masses[usize::try_from(k.abs()).unwrap()].clone();
        let mut told = 0;
        for (up, down) in [(0, 0), (1, 0), (1, 1), (0, 2), (3, 1)] {
            for excess in [q(0, 1), q(1, 2), q(3, 1)] {
                for place in up..10 {
                    let Some(most) = noise.log_beyond(place, (up, down), &excess) else {
                        continue;
                    };
                    told += 1;
                    let power = Float::with_val(BITS, &excess);
                    let mut sum = Float::new(BITS);
                    for k in place + 1..40 {
                        let ratio = Float::with_val(BITS, at(k - up) / at(k + down)).ln() * &power;
                        sum += at(k - up) * ratio.exp();
                    }
                    let bound = Float::with_val(BITS, &most).exp();
                    assert!(
                        sum <= bound,
                        "{sigma} {parties} {up} {down} {excess} {place}: {sum} {bound}"
                    );
                }
            }
        }
        assert!(told > 30, "{told}");
    }
}

/// At places beyond the table, and at few bits, the truth is in what is said.
#[test]
fn coarse_numbers_enclose_finer_ones() {
    for (sigma, parties) in laws() {
        let fine = GaussianSumNoise::new(&sigma, parties).unwrap();
        let places = [-3i64, 0, 1, 2, 9, 40];
        let truths = places.map(|k| (fine.upper_tail(k, 1500), fine.log_ratio(k, 3, 1500)));
        let masses = fine.masses(5, 300).unwrap();
        for bits in [4, 12, 40] {
            let coarse = GaussianSumNoise::new(&sigma, parties).unwrap();
            at_most_bits(bits, || {
                for (k, (tail, ratio)) in places.iter().zip(&truths) {
                    let found = coarse.upper_tail(*k, 40);
                    assert!(
                        surrounds(&found, tail),
                        "{sigma} {parties} {k} {bits}: {found:?} {tail:?}"
                    );
                    let found = coarse.log_ratio(*k, 3, 40);
                    assert!(
                        surrounds(&found, ratio),
                        "{sigma} {parties} {k} {bits}: {found:?} {ratio:?}"
                    );
                }
                for (found, truth) in coarse.masses(5, 40).unwrap().iter().zip(&masses) {
                    assert!(surrounds(found, truth), "{sigma} {parties} {bits}");
                }
            });
        }
    }
}

/// Tables of few digits have the truth, whatever they cut off, and say how much is missing.
#[test]
fn tables_of_few_digits_have_the_truth() {
    for (sigma, parties) in laws() {
        let noise = GaussianSumNoise::new(&sigma, parties).unwrap();
        let masses = direct(&sigma, parties, 60);
        let square = sigma.clone().square();
        for digits in [3u32, 6, 10, 20] {
            let mut sum = Part::one(&square, digits);
            for _ in 1..parties {
                sum = sum.and(&Part::one(&square, digits), &square, digits);
            }
            let table = Table::of(&sum, digits / 2, digits);
            assert!(table.missing >= 0);
            for k in 0..20usize {
                let place = i64::try_from(k).unwrap();
                let what = format!("{sigma} {parties} {digits} {k}");
                let (mass, truth) = (table.mass(place), &masses[k]);
                assert!(
                    mass.lo() <= truth && mass.hi() >= truth,
                    "{what}: {mass:?} {truth}"
                );
                let tail = masses
                    .iter()
                    .skip(k)
                    .fold(Float::new(BITS), |sum, x| sum + x);
                let found = table.tail(place);
                let slack = Float::with_val(BITS, &tail * 1e-60);
                assert!(
                    *found.lo() <= tail && *found.hi() >= Float::with_val(BITS, &tail - &slack),
                    "{what}: {found:?} {tail}"
                );
            }
        }
        let fine = noise.table(100);
        assert!(
            fine.missing.significant_bits() < 64,
            "{sigma} {parties}: {}",
            fine.missing
        );
    }
}

/// Many parties, with and without a table: the same tails where both are built.
#[test]
fn many_parties() {
    let noise = GaussianSumNoise::new(&q(3, 1), 200).unwrap();
    let range = noise.log_range().unwrap();
    assert!(*range.hi() < 1e-35);
    let table = noise.table_of(128, 128).unwrap();
    for k in [1i64, 30, 200] {
        let near = noise.near.upper_tail(k, 100);
        let found = table.tail(k);
        let ratio = found.div(&near).ln();
        assert!(
            ratio.lo() <= range.hi() && *ratio.hi() >= *range.neg().lo(),
            "{k}: {ratio:?}"
        );
        assert!(ratio.width_up() < 1e-20);
    }
    assert!(noise.slack(64).is_some() && noise.slack(256).is_none());
}

#[test]
fn sizes_that_are_not_built() {
    assert!(GaussianSumNoise::new(&q(1, 1), 100_000).is_some());
    assert!(GaussianSumNoise::new(&q(1, 1), 100_001).is_none());
    assert!(GaussianSumNoise::new(&q(1, 20), 2).is_some());
    assert!(GaussianSumNoise::new(&q(1, 21), 2).is_none());
    assert!(GaussianSumNoise::new(&q(200, 1), 10_000).is_some());
    assert!(GaussianSumNoise::new(&q(201, 1), 10_000).is_none());
}

/// What c may be off by has what it is off by, in both directions, and at few bits has what it is at many.
#[test]
fn what_the_factor_may_be_off_by() {
    for (sigma, parties) in [(q(3, 4), 2), (q(1, 1), 2), (q(1, 1), 7), (q(6, 5), 3)] {
        let noise = GaussianSumNoise::new(&sigma, parties).unwrap();
        let masses = direct(&sigma, parties, 20);
        let factor = |(k, mass): (i64, &Float)| {
            let square = Rational::from(k * k) / Rational::from(noise.variance() * 2u32);
            mass.clone().ln() + square
        };
        let factors: Vec<Float> = (0..).zip(&masses).map(factor).collect();
        let slack = noise.slack(3).unwrap();
        let mut gaps = factors.iter().flat_map(|one| {
            factors
                .iter()
                .map(move |other| Float::with_val(BITS, one - other))
        });
        assert!(gaps.all(|gap| *slack.lo() <= gap && gap <= *slack.hi()));
        for bits in 3..=12 {
            let coarse = at_most_bits(bits, || noise.log_range()).unwrap();
            assert!(
                surrounds(&coarse, &noise.log_range().unwrap()),
                "{bits} bits"
            );
        }
    }
    let small = GaussianSumNoise::new(&q(2, 1), 3).unwrap();
    let range = small.log_range().unwrap();
    for bits in 3..=12 {
        let coarse = at_most_bits(bits, || small.slack(20)).unwrap();
        assert!(
            coarse.hi() >= range.lo() && *coarse.lo() <= -range.lo().clone(),
            "{bits} bits"
        );
    }
}

/// Where c is taken for 1 up to what it may be off by, at about so many bits as that is.
#[test]
fn next_to_one_discrete_gaussian() {
    for hundredths in (80..=130).step_by(2) {
        let sigma = q(hundredths, 100);
        let noise = GaussianSumNoise::new(&sigma, 2).unwrap();
        let masses = direct(&sigma, 2, 40);
        let bits = (2..60)
            .take_while(|bits| noise.slack(*bits).is_some())
            .last()
            .unwrap();
        let mass = |k: i64| masses[usize::try_from(k.abs()).unwrap()].clone();
        let listed = noise.masses(6, bits).unwrap();
        for (k, listed) in (0i64..).zip(&listed) {
            let holds = |found: &Interval, truth: Float, what: &str| {
                let is_in = *found.lo() <= truth && truth <= *found.hi();
                assert!(
                    is_in,
                    "{what}({k}) of {sigma} at {bits} bits: {found:?}, not {truth:.20}"
                );
            };
            holds(listed, mass(k), "S");
            let tail = (k..=40).fold(Float::new(BITS), |sum, j| sum + mass(j));
            holds(&noise.upper_tail(k, bits), tail, "tail");
            for shift in 1..=3 {
                let ratio = Float::with_val(BITS, mass(k - shift) / mass(k)).ln();
                holds(&noise.log_ratio(k, shift, bits), ratio, "ratio");
            }
        }
    }
}

/// The law of one party in few digits: no mass is above its own, though the weights that are not listed are in what it is divided by.
#[test]
fn one_party_in_few_digits() {
    for tenths in 4..60 {
        let sigma = q(tenths, 10);
        let square = sigma.clone().square();
        let masses = direct(&sigma, 1, 120);
        for digits in 1..=8u32 {
            let part = Part::one(&square, digits);
            for (k, mass) in part.masses.iter().skip(part.centre()).enumerate() {
                let most = Float::with_val(BITS, &masses[k] << digits);
                assert!(*mass <= most, "{sigma}, {digits} digits, {k}");
            }
        }
    }
}

/// D by its formula in floats: what is taken for π² is a little less.
#[test]
fn what_the_factor_may_be_off_by_its_formula() {
    for (sigma, parties) in [(0.5, 2u32), (0.625, 3), (0.75, 5), (1.0, 40)] {
        let p = (-std::f64::consts::PI.powi(2) * sigma * sigma).exp();
        let distance = (1.0 + 2.0 * p / (1.0 - p)).powi(parties.cast_signed()) - 1.0;
        let truth = (distance.ln_1p() - (-distance).ln_1p()) * (1.0 + 1e-12);
        let sigma = Rational::from_f64(sigma).unwrap();
        let noise = GaussianSumNoise::new(&sigma, parties.into()).unwrap();
        let range = noise.log_range().unwrap();
        assert!(
            range.hi().to_f64() * (1.0 + 1e-9) >= truth,
            "{sigma} {parties}"
        );
        assert!(range.hi().to_f64() <= truth * 1.0001, "{sigma} {parties}");
    }
}

/// The bound of what lies beyond a place, term by term as it is derived.
#[test]
fn what_lies_beyond_by_its_formula() {
    let mut random = crate::kernel::coarse::Random(29);
    let mut number = |n: u64| i64::try_from(random.below(n)).unwrap();
    let noise = GaussianSumNoise::new(&q(3, 4), 5).unwrap();
    let variance = q(45, 16);
    let mut told = 0;
    for _ in 0..2_000 {
        let (up, down, place) = (number(4), number(4), number(30));
        let excess = q(number(9), 1 + number(3));
        if place < up {
            continue;
        }
        let (apart, start) = (up + down, place + 1 - up);
        let found = noise.log_beyond(place, (up, down), &excess);
        assert_eq!(found.is_some(), Rational::from(&excess * apart) <= start);
        let Some(found) = found else { continue };
        // log S(k − up)/S(k + down) at k = up + j, for j ≥ start.
        let rest = q(down * (down - 1) - up * (up + 1) + apart * 5, 2) + apart * up;
        let tilt = Rational::from(&excess * apart) * start;
        let truth = (excess * rest + tilt - q(start * start, 2)) / &variance;
        assert_eq!(found, truth, "{place} {up} {down}");
        told += 1;
    }
    assert!(told > 500, "{told}");
}

/// However many bits are asked for, a table has no more places and digits than its limits say, and still holds what is true.
#[test]
fn tables_are_no_larger_than_they_may_be() {
    let noise = GaussianSumNoise::new(&q(11, 10), 100_000).unwrap();
    let size = |bits: u32| {
        let table = noise.table(bits);
        let places = u64::try_from(table.masses.len()).unwrap();
        places * u64::from(table.digits - GUARD_BITS)
    };
    let most = LARGEST_TABLE * 2;
    assert!(size(100) <= most && size(5_000) <= most && size(5_000) > most / 4);
    // Further bits are those that fewer parties have.
    let few = GaussianSumNoise::new(&q(11, 10), 3).unwrap();
    assert!(few.table(1_000).digits > 2_000);
}

/// A table of many digits is not made when the time is over, and nothing of that is kept: one of few digits says what is true.
#[test]
fn tables_are_made_in_time_or_of_few_digits() {
    let noise = GaussianSumNoise::new(&q(1, 2), 30).unwrap();
    let late = crate::kernel::coarse::late(|| noise.upper_tail(20, 2_000));
    assert!(noise.tables.known(&(FEW_BITS, FEW_BITS)).is_some());
    assert!(
        noise
            .tables
            .known(&(steps_up(2_000), steps_up(2_000)))
            .is_none()
    );
    assert!(crate::kernel::coarse::late(|| noise.masses(9, 900)).is_none());
    let there = noise.upper_tail(20, 2_000);
    assert!(there.width_up() < Float::with_val(64, 1) >> 1_900);
    assert!(late.lo() <= there.lo() && there.hi() <= late.hi() && late.width_up() < 1e-30);
    assert!(noise.masses(9, 900).is_some());
    let nothing = Table::of_nothing();
    assert!(nothing.mass(0).lo().is_zero() && *nothing.tail(3).hi() == 1);
}
