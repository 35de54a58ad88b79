//! Aliases of sums of a few losses, added up one by one.

use rug::{Float, Integer, Rational};

use super::*;
use crate::fourier::LatticeLaw;
use crate::fourier::line::side_of;
use crate::kernel::coarse::{Random, at_most_bits, surrounds};
use crate::law::{Lattice, Offset};

/// Two losses, `times` of them: the k-th of the sum has C(n, k)·9^(n−k)/10^n of the finite mass.
fn sum_of(times: u64, step: &Rational) -> Sum {
    let lattice = Lattice::new(Offset::rational(Rational::from((1, 7))), step.clone());
    let unit = Integer::from(1) << 40u32;
    let tenth = Integer::from(&unit / 10u32);
    let atoms = vec![(3, Integer::from(&tenth * 9u32) - 5u32), (5, tenth)];
    let law = LatticeLaw::new(lattice, atoms, Integer::from(1), 40).unwrap();
    Sum::new(vec![(law, times)]).unwrap().unwrap()
}

/// Labels from 0 on, and masses.
fn masses(sum: &Sum) -> Vec<(i64, f64)> {
    let mut found = vec![(0i64, 1.0f64)];
    for (law, times) in &sum.parts {
        let first = law.atoms()[0].0;
        for _ in 0..*times {
            let mut next = std::collections::BTreeMap::new();
            for (place, mass) in &found {
                for (label, n) in law.atoms() {
                    *next.entry(place + label - first).or_insert(0.0) +=
                        mass * n.to_f64() / (law.bits() as f64).exp2();
                }
            }
            found = next.into_iter().collect();
        }
    }
    found
}

/// Whatever the tilts, the true sums lie within, for Q-mass and P-mass; and tail sums below their bound.
#[test]
fn aliases_are_all_counted() {
    let mut random = Random(3);
    let (mut known, mut all) = (0, 0);
    for _ in 0..crate::test_scale::cases(200) {
        let step = Rational::from((1, 2 + random.below(8)));
        let sum = sum_of(1 + random.below(4), &step);
        let masses = masses(&sum);
        let period = i64::try_from(3 + random.below(30)).unwrap();
        let m = i64::try_from(random.below(60)).unwrap() - 25;
        let tilt = Rational::from((i64::try_from(random.below(120)).unwrap() - 60, 20));
        let Some(side) = side_of(&tilt) else { continue };
        let further = Rational::from((1 + random.below(100), 25));
        let farther = match random.below(5) {
            // On the wrong side.
            0 => Rational::from(-&tilt),
            _ if tilt < 0 => Rational::from(&tilt - &further),
            _ => Rational::from(&tilt + &further),
        };
        // Some of them are no good.
        let backward = Rational::from((-i64::try_from(random.below(90)).unwrap(), 10));
        let length = Rational::from(&step * period);
        let real = |x: &Rational| Interval::from_rational(x, LOG_BITS);
        let x = Rational::from((random.below(8), 8));
        let rise = Rational::from(&step * &x);
        let floor = Rational::from(&step * m);
        let find = || {
            let backward = random_or_none(&backward).and_then(|tilt| tail(&sum, tilt));
            let farther = tail(&sum, &farther).unwrap();
            let aliases = Aliases::new((side, &real(&tilt)), farther, backward, real(&length));
            let place = Place {
                exp: sum.origin.add(&real(&floor)).add(&real(&rise)).exp(),
                floor: real(&floor),
                rise: real(&rise).exp(),
            };
            let Known {
                aliases: [q, p],
                most_up,
            } = aliases.at(&sum, &place);
            (q, p, most_up)
        };
        let (q, p, most) = find();
        // Logarithms of tail sums at label n on the side of the line.
        let h = step.to_f64();
        let log_sum = |n: i64, right: bool, rate: f64| -> f64 {
            let there = masses.iter().filter(|(k, _)| (*k > n) == right);
            let logs: Vec<f64> = there
                .map(|(k, mass)| mass.ln() - rate * (k - n) as f64)
                .collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
            if logs.is_empty() {
                most
            } else {
                most + sum.ln()
            }
        };
        let tail_q = |n: i64| log_sum(n, side == TailSide::Right, 0.0);
        let tail_p = |n: i64| log_sum(n, side != TailSide::Left, h) + rise.to_f64();
        let rate = Rational::from(&tilt * &length).to_f64();
        let null_rate = rate + length.to_f64();
        if rate.abs().min(null_rate.abs()) < 0.02 {
            continue;
        }
        let add_up = |of: &dyn Fn(i64) -> f64| -> f64 {
            let terms = (1..=3000i64).flat_map(|l| [l, -l]);
            let terms = terms.map(|l| (of(m + l * period) + rate * l as f64).exp());
            terms.sum()
        };
        for (what, found, truth) in [("q", &q, add_up(&tail_q)), ("p", &p, add_up(&tail_p))] {
            let (lo, hi) = (found.lo().to_f64(), found.hi().to_f64());
            assert!(
                lo <= truth * (1.0 + 1e-9) + 1e-280 && truth * (1.0 - 1e-9) - 1e-280 <= hi,
                "{what} {side:?} {tilt} {farther} {backward} M {period} m {m} x {x}: {found:?} {truth}"
            );
            all += usize::from(side == TailSide::Right);
            known += usize::from(side == TailSide::Right && lo > 0.99 * truth);
        }
        if side == TailSide::Right {
            let both = tail_q(m).max(tail_p(m)).exp();
            assert!(
                most.to_f64() >= both * (1.0 - 1e-9),
                "{farther} {m}: {most} {both}"
            );
        } else {
            assert!(most.is_infinite());
        }
        let bits = 3 + u32::try_from(random.below(20)).unwrap();
        let (coarse_q, coarse_p, coarse_most) = at_most_bits(bits, find);
        assert!(surrounds(&coarse_q, &q), "{bits} bits: {coarse_q:?} {q:?}");
        assert!(surrounds(&coarse_p, &p), "{bits} bits: {coarse_p:?} {p:?}");
        assert!(coarse_most.to_f64() >= most.to_f64() * (1.0 - 1e-12));
    }
    // Those on the near side are known, not only bounded.
    assert!(3 * known > all, "{known} of {all}");
}

/// None for a tilt of 0.
fn random_or_none(tilt: &Rational) -> Option<&Rational> {
    (*tilt != 0).then_some(tilt)
}

#[test]
fn aliases_are_taken_off_both_ways() {
    let mut random = Random(1);
    for _ in 0..2000 {
        let [a, b, c] = [(); 3].map(|()| random.float(20).abs());
        let most = Float::with_val(20, random.below(9));
        let aliases = Interval::point(b.clone()).hull(&Interval::point(c.clone()));
        let bits = 2 + u32::try_from(random.below(10)).unwrap();
        let found = at_most_bits(bits, || {
            without(&Interval::point(a.clone()), &aliases, &most)
        });
        for alias in [&b, &c] {
            let exact = a.to_rational().unwrap() - alias.to_rational().unwrap();
            let exact = exact.max(Rational::new());
            let within = exact <= *found.hi() || *found.hi() == most;
            assert!(
                *found.lo() <= exact && within,
                "{a} {alias} {most} {found:?}"
            );
        }
        assert!(*found.hi() <= most);
    }
}
