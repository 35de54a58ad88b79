//! Why batches that are one record apart cannot be told: by enumeration, on a line, and at full size.

use super::*;
use crate::kernel::Point;
use crate::kernel::coarse::Random;
use crate::mechanism::Mechanism;
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::step::Step;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

type Vector = [f64; 2];

fn unit(random: &mut Random) -> f64 {
    (random.below(2_001) as f64 - 1_000.0) / 1_000.0
}

/// Records of norm at most μ: anywhere, opposite, or alike.
fn records(random: &mut Random, count: usize, mu: f64) -> Vec<Vector> {
    let kind = random.below(3);
    let all = (0..count).map(|_| match kind {
        0 => [unit(random), unit(random)].map(|x| x * mu / 2f64.sqrt()),
        1 if random.below(2) == 0 => [-mu, 0.0],
        1 => [mu, 0.0],
        _ => [mu, 0.0].map(|x| x * f64::from(u8::from(random.below(4) > 0))),
    });
    all.collect()
}

/// e^{−|t − Σ y|²/2} for each set of records.
fn weights(records: &[Vector], answer: Vector) -> Vec<f64> {
    let sets = 0u32..1 << records.len();
    let weight = |set: u32| {
        let chosen = records
            .iter()
            .enumerate()
            .filter(|(i, _)| set >> i & 1 == 1);
        let rest = chosen.fold(answer, |[a, b], (_, [x, y])| [a - x, b - y]);
        (-(rest[0] * rest[0] + rest[1] * rest[1]) / 2.0).exp()
    };
    sets.map(weight).collect()
}

/// Of pairs of k records with j that differ, and of k − 1 and k + 1 records: Z ≥ e^{−μ²}·j/(j + 1)·X, with equality for records that are alike.
#[test]
fn sizes_on_both_sides_make_up_for_the_middle() {
    let mut random = Random(11);
    let mut least = f64::INFINITY;
    for _ in 0..300 {
        let count = 3 + random.below(4) as usize;
        let mu = [0.3, 1.0, 2.0][random.below(3) as usize];
        let records = records(&mut random, count, mu);
        let answer = [unit(&mut random) * 4.0, unit(&mut random) * 4.0];
        let weights = weights(&records, answer);
        for k in 1..count as u32 {
            let mut middle = vec![0.0; count + 1];
            let mut sides = vec![0.0; count + 1];
            for (a, x) in (0u32..).zip(&weights) {
                for (b, y) in (0u32..).zip(&weights) {
                    let both = (a & b).count_ones();
                    match (a.count_ones(), b.count_ones()) {
                        (m, n) if m == k && n == k => middle[(k - both) as usize] += x * y,
                        (m, n) if m + 1 == k && n == k + 1 => sides[(k - both) as usize] += x * y,
                        _ => {}
                    }
                }
            }
            for (j, (middle, sides)) in (0u32..).zip(middle.iter().zip(&sides)).skip(1) {
                if *middle > 1e-200 {
                    let bound = (-mu * mu).exp() * f64::from(j) / f64::from(j + 1);
                    least = least.min(sides / (bound * middle));
                }
            }
        }
    }
    assert!((1.0 - 1e-12..1.001).contains(&least), "{least}");
}

/// The weight of choices with one more record that was not drawn, by enumeration.
#[test]
fn posteriors_spread_no_less_than_they_are_said_to() {
    let mut random = Random(5);
    let (count, k) = (14usize, 3u32);
    let mut looked_at = 0;
    for _ in 0..40 {
        let mu = [0.05, 0.2][random.below(2) as usize];
        let records = records(&mut random, count, mu);
        let drawn = 0b111u32;
        let mean = records
            .iter()
            .fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y]);
        let mean = mean.map(|x| x / count as f64);
        let sum = records[..3]
            .iter()
            .fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y]);
        let noise = [unit(&mut random) * 3.0, unit(&mut random) * 3.0];
        let around = [sum[0] - 3.0 * mean[0], sum[1] - 3.0 * mean[1]];
        let weights = weights(&records, [sum[0] + noise[0], sum[1] + noise[1]]);
        let mut levels = [0.0; 4];
        for (set, weight) in (0u32..).zip(&weights) {
            if set.count_ones() == k {
                levels[(k - (set & drawn).count_ones()) as usize] += weight;
            }
        }
        let point = |x: f64| Interval::point(Float::with_val(BITS, x));
        let length = (around[0] * around[0] + around[1] * around[1]).sqrt();
        for j in 0..2u32 {
            let ends = [u64::from(k - j), count as u64 - u64::from(k + j)].map(whole);
            let bound = growth(j, u64::from(k + j), &ends, &point(mu), &point(length));
            assert!(levels[j as usize + 1] >= bound.hi().to_f64() * levels[j as usize]);
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, 80);
}

/// 10^9 records, 1000 a batch, at most 1100, σ = 0.614.
fn large() -> (Rational, Chances, Rational, Blurred) {
    let rate = q(1, 1_000_000);
    let chances = Chances::of(&rate, 1_000_000_000, 1_100);
    let square = q(1_000_000, 614 * 614);
    let blurred = Blurred::new(&rate, 1_000_000_000, 1_100, &chances, &square);
    (rate, chances, square, blurred.unwrap())
}

/// Where all others are alike, D_k is a normal density at k: the inequality is an equality there but for what small sets cost, and `near` of U_{B−1} is no more than
/// what is given away, anywhere on the line; a tenth more would be.
#[test]
fn what_is_given_away_is_enough_on_a_line() {
    let (_, chances, square, blurred) = large();
    let (curvature, exceptions) = curvature(999_999_999, 1_099, &number(&square).sqrt()).unwrap();
    let mu = square.to_f64().sqrt();
    let truth = (-mu * mu).exp();
    assert!((0.75..1.0).contains(&(curvature.lo().to_f64() / truth)));
    assert!(*exceptions.hi() < 1e-26);
    let given = blurred.given.to_f64();
    let [two, one, full, near] = [
        &chances.before_last,
        &chances.last,
        &chances.full,
        &blurred.near,
    ]
    .map(Rational::to_f64);
    let mut least = f64::INFINITY;
    for n in -4_000..4_000 {
        let t = f64::from(n) / 1_000.0;
        let at = |k: f64| (-((t - k) * mu).powi(2) / 2.0).exp();
        let all = given * (two * at(-1.0) + one * at(0.0)) + full * at(1.0);
        least = least.min(all / (near * at(0.0)));
    }
    assert!((1.0..1.1).contains(&least), "{least}");
}

/// δ of the dataset of `told.rs` by quadrature (scipy), above Poisson sampling, is below the new bound, which is far below the old one.
#[test]
fn between_a_dataset_and_the_labels_of_all_sizes() {
    let (rate, chances, square, blurred) = large();
    let noise = Noise::Gaussian {
        unit_squared: square,
    };
    let steps = blurred.steps(&rate, &chances, &noise).unwrap();
    let Some(Step::Closed(ClosedPair::InformativeLabel(labels))) = steps.single() else {
        panic!("labels");
    };
    let sum = |of: &dyn Fn(&crate::mechanism::closed::LabelledPart) -> Rational| {
        labels.parts().iter().map(of).sum::<Rational>()
    };
    assert_eq!(sum(&|part| part.without.clone()), 1);
    assert_eq!(sum(&|part| part.with.clone()), 1);
    let profile = steps.single().unwrap().profile().unwrap();
    for (epsilon, truth, old) in [
        (q(1, 1_000), 9.116_291e-11, 9.946_516e-11),
        (q(414, 10_000), 1.148_137e-15, 3.393_587e-15),
        (q(1, 10), 3.486_162e-17, 1.781_584e-16),
        (q(3, 10), 2.230_725e-19, 2.631_157e-18),
    ] {
        let found = profile.at(&Point::at_epsilon(&epsilon, 200)).delta;
        assert!(found.lo().to_f64() > truth, "{epsilon}");
        assert!(
            found.hi().to_f64() < truth + 0.25 * (old - truth),
            "{epsilon}: {found:?}"
        );
    }
    // In the other order a full batch tells at most that a record is not there: P − v·Q ≤ v·w − (v − 1)·a of K ≥ B.
    let swapped = profile.swapped();
    let plain = Mechanism::subsampled(rate, Mechanism::gaussian(q(614, 1_000), 1).unwrap());
    let plain = plain.unwrap().profile_of_step().unwrap().swapped();
    for n in 0..12 {
        let v = q(1, 1) + q(n, 10_000_000);
        let point = Point::at_exp_epsilon(&v, 300);
        let beside = (Rational::from(&v * &chances.displacing)
            - Rational::from(&v - 1) * &chances.full_upper)
            .max(q(0, 1));
        let at_full = Rational::from(1 - &chances.full_upper)
            * plain.at(&point).delta.lo().to_rational().unwrap();
        let found = swapped.at(&point).delta.hi().to_rational().unwrap();
        assert!(found >= beside + at_full, "{n}");
    }
}

/// Few records, or a small batch: next to nothing is known of what the answer tells.
#[test]
fn small_sets_have_no_bound() {
    for (records, cap) in [(5u64, 2u64), (40, 3), (40, 39), (3, 1)] {
        let rate = q(1, 3);
        let chances = Chances::of(&rate, records, cap);
        assert_eq!(Blurred::new(&rate, records, cap, &chances, &q(1, 1)), None);
    }
}

/// Masses at a few bits are on their sides.
#[test]
fn masses_at_few_bits() {
    use crate::kernel::coarse::at_most_bits;
    let (rate, chances, square, _) = large();
    let unit = number(&square).sqrt();
    let (curvature, exceptions) = curvature(999_999_999, 1_099, &unit).unwrap();
    let stray = stray_part(&exceptions, &unit).unwrap() * &chances.displacing;
    let mut seen = 0;
    for bits in 6..=24 {
        let found = at_most_bits(bits, || {
            Blurred::new(&rate, 1_000_000_000, 1_100, &chances, &square)
        });
        let Some(found) = found else { continue };
        let product = Rational::from(&chances.before_last * &chances.full);
        let root = number(&product)
            .mul(&number(&found.given))
            .mul(&curvature)
            .sqrt();
        let most = root
            .mul(&number(&q(2, 1)))
            .add(&number(&(&found.given * &chances.last).into()));
        assert!(found.near <= most.hi().to_rational().unwrap(), "{bits}");
        assert!(found.stray >= &stray * q((1 << 30) - 1, 1 << 30), "{bits}");
        assert!(found.displacing >= chances.displacing_upper);
        seen += 1;
    }
    assert!(seen > 4, "{seen}");
    for bits in [5, 8, 12] {
        let coarse = at_most_bits(bits, || stray_part(&exceptions, &unit)).unwrap();
        let fine = stray_part(&exceptions, &unit).unwrap();
        assert!(coarse >= fine, "{bits}");
    }
    // Of what is known by an interval the larger end counts.
    let wide = Interval::spanning(Float::with_val(BITS, 1e-30), Float::with_val(BITS, 1e-10));
    let largest = Interval::point(Float::with_val(BITS, 1e-10));
    assert_eq!(stray_part(&wide, &unit), stray_part(&largest, &unit));
    let beyond = Interval::spanning(Float::with_val(BITS, 1e-30), Float::with_val(BITS, 1e-3));
    assert_eq!(stray_part(&beyond, &unit), None);
    let ends = Interval::spanning(Float::with_val(BITS, 0.25), Float::with_val(BITS, 0.5));
    assert_eq!(lower(&ends), Some(q(1, 4)));
    assert_eq!(lower(&ends.neg()), Some(Rational::new()));
}

/// Both bounds of Y3, by its formula once more.
#[test]
fn curvature_by_its_formula() {
    for (others, size, mu) in [(999_999_999u64, 1_099u64, 1.6f64), (1_000_000, 5_000, 0.5)] {
        let (k, n) = (size as f64, others as f64);
        let sum = mu * k.sqrt() * 13.0;
        let (mut near, mut best) = (0.0, 0.0f64);
        for j in 0..40u32 {
            let j = f64::from(j);
            let (inside, outside) = (k - j, n - k - j);
            let mean = (sum + 2.0 * mu * j) / inside + 2.0 * mu * (k + j) / outside;
            let exponent = (13.0 + 2.0 * mu * j) * mean + 2.0 * mu * mu;
            let growth = inside * outside * (-exponent).exp() / (j + 1.0).powi(2);
            near = (near + 1.0) / growth;
            let spread = 1.0 - near - 1.0 / 64.0;
            if spread <= 0.0 {
                break;
            }
            best = best.max((j + 1.0) / (j + 2.0) * spread);
        }
        let unit = Interval::point(Float::with_val(BITS, mu));
        let (curvature, exceptions) = curvature(others, size, &unit).unwrap();
        let truth = (-mu * mu).exp() * (1.0 + 1.0 / k) * best;
        assert!(
            (curvature.middle().to_f64() / truth - 1.0).abs() < 1e-9,
            "{truth}"
        );
        let tail = normal::survival(&whole(13)).middle().to_f64();
        let truth = ((-72.0f64).exp() + 2.0 * (n + 1.0) * tail) * 64.0;
        assert!(
            (exceptions.middle().to_f64() / truth - 1.0).abs() < 1e-9,
            "{truth}"
        );
    }
}

/// A pair is built only where all its masses are probabilities.
#[test]
fn masses_that_do_not_fit() {
    let (rate, chances, _, found) = large();
    assert!(found.fits(&rate, &chances));
    let with = |change: &dyn Fn(&mut Blurred, &mut Chances)| {
        let (mut found, mut chances) = (found.clone(), chances.clone());
        change(&mut found, &mut chances);
        found.fits(&rate, &chances)
    };
    assert!(!with(&|found, _| found.near = q(0, 1)));
    assert!(!with(&|found, chances| {
        (chances.before_last, found.near) = (q(0, 1), q(1, 1 << 40));
    }));
    assert!(!with(&|found, chances| {
        (chances.last, found.near) = (q(0, 1), q(1, 1 << 40));
    }));
    // More than what is left of a; more than a, where more than that is left.
    assert!(!with(&|found, chances| found.stray = found.rest(chances)));
    assert!(!with(&|found, chances| {
        found.near = q(1, 1 << 40);
        found.stray = chances.full.clone();
    }));
    // Nothing would be left under the last label.
    assert!(!with(&|found, chances| {
        found.stray = found.rest(chances).min(chances.full.clone()) - &found.displacing;
    }));
    // The rate of the size of which less is left would be above 1.
    let less = Rational::from(1 - &found.given) - Rational::from(ASIDE);
    assert!(!found.fits(&(&less + q(1, 1_000)), &chances));
    assert!(found.fits(&(&less - q(1, 1_000)), &chances));
}

/// What labels tell, by its formula: the squares of what is displaced over the two labels that it moves between.
#[test]
fn what_labels_tell_by_its_formula() {
    let rate = q(1, 5);
    let chances = Chances::of(&rate, 12, 3);
    let blurred = Blurred {
        near: q(1, 64),
        given: q(1, 8),
        aside: q(0, 1),
        displacing: q(1, 128),
        stray: q(0, 1),
    };
    let both = Rational::from(&chances.before_last + &chances.last);
    let rest = both / 8u32 + &chances.full - q(1, 64);
    let square = q(1, 128).square();
    let truth = Rational::from(&square * 64u32) + square / rest;
    assert_eq!(blurred.told(&chances), truth);
}
