//! Sums of discrete Gaussians against sums of masses one by one.

use super::*;
use crate::kernel::coarse::at_most_bits;

/// All products of masses, added up by the sum of their places.
fn masses(sigma: (i64, i64), d: i64, times: u64, reach: i64, bits: u32) -> Vec<(i64, Interval)> {
    let spread = Rational::from(sigma).square() * 2;
    let weight = |k: i64| {
        let power = Rational::from(-Integer::from(k - d).square()) / &spread;
        Interval::from_rational(&power, bits).exp()
    };
    let places = -reach..=reach + d;
    let total = places
        .clone()
        .fold(Interval::zero(bits), |sum, k| sum.add(&weight(k)));
    let one: Vec<(i64, Interval)> = places.map(|k| (k, weight(k).div(&total))).collect();
    let mut all = vec![(0, Interval::one(bits))];
    for _ in 0..times {
        let mut next = std::collections::BTreeMap::new();
        for (i, p) in &all {
            for (j, q) in &one {
                let sum = next.entry(i + j).or_insert_with(|| Interval::zero(bits));
                *sum = sum.add(&p.mul(q));
            }
        }
        all = next.into_iter().collect();
    }
    all
}

#[test]
fn profiles_are_those_of_sums_one_by_one() {
    for (sigma, d, times) in [
        ((1, 1), 1i64, 1),
        ((4, 3), 1, 3),
        ((7, 3), 2, 5),
        ((1, 2), 3, 2),
    ] {
        let pair = DiscreteGaussian::new(&Rational::from(sigma), d.unsigned_abs()).unwrap();
        let sums = DiscreteGaussians::new(&pair, times).unwrap();
        let bits = 300;
        let all = masses(sigma, d, times, 40, bits);
        let shift = d * i64::try_from(times).unwrap();
        let loss = |k: i64| (Rational::from(k) - Rational::from((shift, 2))) * pair.step();
        for n in -30..=30 {
            // Some of them are losses themselves.
            let epsilon = if n % 3 == 0 {
                loss(n)
            } else {
                Rational::from((n, 7))
            };
            let point = Point::at_epsilon(&epsilon, bits);
            let mut delta = Interval::zero(bits);
            let mut tails = [Interval::zero(bits), Interval::zero(bits)];
            for (k, q) in &all {
                let loss = loss(*k);
                let p = q.mul(&Interval::from_rational(&loss, bits).neg().exp());
                if loss > epsilon {
                    delta = delta.add(&q.sub(&point.exp().mul(&p)));
                    tails[0] = tails[0].add(&p);
                }
                if loss >= epsilon {
                    tails[1] = tails[1].add(&p);
                }
            }
            let near = |a: &Interval, b: &Interval| {
                a.sub(b).lo().to_f64() <= 1e-60 && b.sub(a).lo().to_f64() <= 1e-60
            };
            let fine = sums.at(&Point::at_epsilon(&epsilon, 200));
            assert!(near(&fine.delta, &delta), "{sigma:?} {d} {times} {epsilon}");
            assert!(fine.delta.width_up().to_f64() < 1e-55 * (1.0 + point.exp().hi().to_f64()));
            assert!(
                near(&fine.null_tail, &tails[0].hull(&tails[1])),
                "{epsilon}"
            );
            // A place that is known by enclosure, and a few bits.
            let around = Interval::from_rational(&epsilon, 40);
            let wide = sums.at(&Point::at_log(around));
            assert!(near(&wide.delta, &delta) && near(&wide.null_tail, &fine.null_tail));
            for few in [4, 9, 20] {
                let coarse = at_most_bits(few, || sums.at(&Point::at_epsilon(&epsilon, 200)));
                assert!(
                    near(&coarse.delta, &delta),
                    "{epsilon} at {few} bits: {coarse:?}"
                );
            }
        }
    }
}

/// Wide enclosures of a place across many losses.
#[test]
fn wide_places_contain_the_profile_at_all_in_them() {
    let pair = DiscreteGaussian::new(&Rational::from(3), 1).unwrap();
    let sums = DiscreteGaussians::new(&pair, 4).unwrap();
    for n in -20..20 {
        let (low, high) = (Rational::from((n, 9)), Rational::from((n + 3, 9)));
        let log = Interval::from_rational(&low, 128).hull(&Interval::from_rational(&high, 128));
        let wide = sums.at(&Point::at_log(log));
        for k in 0..=12 {
            let at = Rational::from((4 * n + k, 36));
            let fine = sums.at(&Point::at_epsilon(&at, 300));
            assert!(wide.delta.lo() <= fine.delta.lo() && fine.delta.hi() <= wide.delta.hi());
            assert!(wide.null_tail.lo() <= fine.null_tail.lo());
            assert!(fine.null_tail.hi() <= wide.null_tail.hi());
        }
    }
}

#[test]
fn convolutions_one_by_one() {
    let list = |n: &[u64]| n.iter().map(|x| Integer::from(*x)).collect::<Vec<_>>();
    let big = u64::MAX;
    let (a, b) = (list(&[big, 0, 5]), list(&[0, big, 1, 2]));
    let mut sums = vec![Integer::new(); 6];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            sums[i + j] += Integer::from(x * y);
        }
    }
    assert_eq!(convolved(&a, &b, |x| x), sums);
    assert_eq!(convolved(&list(&[0]), &list(&[0, 0]), |x| x), list(&[0, 0]));
    assert!(convolved(&[], &list(&[3, 1]), |x| x).is_empty());
    let power = |first, terms: &[u64], times, shift: u32| {
        let terms = list(terms);
        let row = Row { first, terms }.power(times, |x| x >> shift);
        (row.first, row.terms)
    };
    let fifth = list(&[1, 5, 10, 10, 5, 1]);
    assert_eq!(power(2, &[1, 1], 5, 0), (10, fifth.clone()));
    assert_eq!(power(2, &[0, 0, 1, 1, 0], 5, 0), (20, fifth));
    assert_eq!(power(-7, &[3, 1], 1, 0), (-7, list(&[3, 1])));
    // Of 1, 8, 16 + 2, 8, 1 quarters those at the ends are gone.
    assert_eq!(power(-1, &[1, 4, 1], 2, 2), (-1, list(&[2, 4, 2])));
    assert_eq!(power(-1, &[1, 1], 3, 9).1, list(&[]));
}

#[test]
fn too_many_places() {
    let pair = DiscreteGaussian::new(&Rational::from(100), 1).unwrap();
    assert!(DiscreteGaussians::new(&pair, 10).is_some());
    assert!(DiscreteGaussians::new(&pair, 1000).is_none());
    assert!(DiscreteGaussians::new(&pair, u64::MAX).is_none());
}

/// In units that are large, of a law with large tails and of few bits: every tail is enclosed, and what is not listed counts.
#[test]
fn tails_in_large_units() {
    let pair = DiscreteGaussian::new(&Rational::from((4, 3)), 1).unwrap();
    for times in [1u64, 2, 3, 5] {
        let fine = Tails::of(&pair.lattice(200, 300), times, 300);
        for (tail_bits, bits, digits) in [
            (2, 300, 60),
            (3, 60, 5),
            (20, 300, 6),
            (20, 5, 60),
            (4, 9, 8),
        ] {
            let own = DiscreteGaussian::new(&Rational::from((4, 3)), 1).unwrap();
            let coarse = at_most_bits(bits, || {
                Tails::of(&own.lattice(tail_bits, 100), times, digits)
            });
            for k in -60..60 {
                let (found, truth) = (coarse.from(k), fine.from(k));
                assert!(
                    found.lo() <= truth.hi() && found.hi() >= truth.lo(),
                    "{times} {tail_bits} {bits} {digits} {k}: {found:?} {truth:?}"
                );
            }
        }
    }
}

/// Places known by intervals, with few bits for the thresholds too; and of a place that is anywhere nothing is known.
#[test]
fn places_by_intervals_at_few_bits() {
    let make = || {
        let pair = DiscreteGaussian::new(&Rational::from((3, 2)), 1).unwrap();
        DiscreteGaussians::new(&pair, 3).unwrap()
    };
    let fine = make();
    let places = [-9, -5, -2, -1, 0, 1, 3, 4, 8].map(|n| Rational::from((n, 4)));
    assert_eq!(
        crate::kernel::coarse::spans_hold(&fine, &places, 90),
        Ok(())
    );
    for bits in [3, 4, 6, 9] {
        for (from, to) in places.iter().zip(places.iter().skip(1)) {
            for to in [from, to] {
                let span = Interval::from_rational(from, 20).hull(&Interval::from_rational(to, 20));
                let wide = at_most_bits(bits, || make().at(&Point::at_log(span)));
                for part in 0..=3 {
                    let place = Rational::from(to - from) * part / 3u32 + from;
                    let truth = fine.at(&Point::at_epsilon(&place, 200));
                    let holds = |found: &Interval, truth: &Interval| {
                        found.lo() <= truth.hi() && found.hi() >= truth.lo()
                    };
                    assert!(
                        holds(&wide.delta, &truth.delta),
                        "{from} {to} {bits} {place}: {wide:?}"
                    );
                }
            }
        }
    }
    let anywhere = fine.at(&Point::at_log(Interval::whole_line(64)));
    for end in [Rational::new(), Rational::from(1)] {
        assert!(anywhere.delta.contains(&end) && anywhere.null_tail.contains(&end));
    }
}

/// Losses of a sum: from −(shift/2) distances on, where the distance is that of the pair.
#[test]
fn losses_of_a_sum() {
    let pair = DiscreteGaussian::new(&Rational::from(2), 3).unwrap();
    let (first, gap) = DiscreteGaussians::new(&pair, 2).unwrap().losses();
    assert_eq!(gap, pair.step());
    let shift = Rational::from(2 * pair.shift());
    assert_eq!(first, -Rational::from(&gap * &shift) / 2u32);
    assert!(first < 0);
}

#[test]
fn random_places_at_few_bits() {
    let pair = DiscreteGaussian::new(&Rational::from((1, 4)), 1).unwrap();
    let sums = DiscreteGaussians::new(&pair, 2).unwrap();
    let held = crate::kernel::coarse::places_hold(&sums, 1, 4_100, true);
    assert_eq!(held, Ok(()));
}

/// Tails of random laws of three places, in large units, by fractions.
#[test]
fn tails_of_random_laws() {
    let mut random = crate::kernel::coarse::Random(69);
    for _ in 0..9_900 {
        let mut small = |below: u64| random.below(below);
        let total = 64 + small(40);
        let listed = [3 + small(9), 20 + small(9), 3 + small(9)];
        let below = small(9);
        let above = total - below - listed.iter().sum::<u64>();
        let share = |n: u64| Rational::from((n, total));
        let times = 1 + small(3);
        let digits = 3 + u32::try_from(small(10)).unwrap();
        let bits = 2 + u32::try_from(small(10)).unwrap();
        let first = i64::try_from(small(5)).unwrap() - 2;
        let real = |n: u64| Interval::from_rational(&share(n), 64);
        let law = at_most_bits(bits, || LatticeMasses {
            step: Rational::from(1),
            offset: Rational::new(),
            first_index: first,
            masses: listed.iter().map(|n| real(*n)).collect(),
            mass_below: real(below),
            mass_above: real(above),
        });
        let tails = at_most_bits(bits, || Tails::of(&law, times, digits));
        // With what is not listed at either end of all.
        let mut sum = vec![Rational::from(1)];
        for _ in 0..times {
            let mut next = vec![Rational::new(); sum.len() + 2];
            for (i, p) in sum.iter().enumerate() {
                for (j, n) in listed.iter().enumerate() {
                    next[i + j] += share(*n) * p;
                }
            }
            sum = next;
        }
        let all: Rational = sum.iter().sum();
        let start = first * i64::try_from(times).unwrap();
        let most = Rational::from(1) - all;
        for place in 0..sum.len() {
            let truth: Rational = sum[place..].iter().sum();
            let found = tails.from(start + i64::try_from(place).unwrap());
            assert!(*found.lo() <= truth, "{listed:?} {times} {digits} {bits}");
            let truth = truth + &most;
            assert!(*found.hi() >= truth, "{listed:?} {times} {digits} {bits}");
        }
    }
}
