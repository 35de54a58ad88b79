//! Cuts of noise in large units: whatever the threshold, δ is between what it bounds; tails and masses are those of the law.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{Law, Mixtures, Table, ratio_beyond, tail};
use crate::coarse::{Random, ends, in_units, meets};
use crate::real::{Real, w};
use crate::step::{Epsilon, Noise};
use crate::work;

fn q(n: u64, d: u64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn noises() -> Vec<Noise> {
    vec![
        Noise::Gaussian { square: q(5, 4) },
        Noise::Laplace { unit: q(3, 4) },
        Noise::DiscreteGaussian { square: q(9, 4), parties: 1 },
        Noise::DiscreteLaplace { scale: q(3, 2) },
        Noise::Truncated { scale: q(3, 2), last: 23 },
        Noise::Skellam { mean: q(5, 4) },
    ]
}

/// A cut at the same number in both units, next to the best one or further off.
#[test]
fn cuts_in_large_units() {
    let mut random = Random::new(41);
    for noise in noises() {
        work::begin(None);
        let rate = q(1, 3);
        let without = vec![(BigRational::one(), BigRational::zero())];
        let with = vec![(BigRational::one() - &rate, BigRational::zero()), (rate.clone(), q(1, 1))];
        for (down, up) in [(&without, &with), (&with, &without)] {
            let fine = Mixtures::new(&noise, down, up).unwrap();
            for _ in 0..150 {
                let epsilon = Epsilon::Plain(random.rational() / BigInt::from(5));
                let (log, u) = (epsilon.log().unwrap(), epsilon.exp().unwrap());
                let best = fine.cut(&log, &u).unwrap();
                let truth = ends(&best.delta);
                for reals in [20, 21, 23, 26] {
                    let off = BigInt::from(random.below(9)) - 4;
                    let found = in_units(reals, 8, || {
                        let pair = Mixtures::new(&noise, down, up).unwrap();
                        let u = epsilon.exp().unwrap();
                        let cut = match &pair.law {
                            Law::Table(table) => {
                                let at = i64::try_from(&best.at + off).unwrap();
                                pair.cut_from(table, at, &u)
                            }
                            _ => pair.cut_at((&best.at >> (288 - w())) + off * 16, &u).unwrap(),
                        };
                        (ends(&cut.delta), ends(&cut.null))
                    });
                    assert!(meets(&found.0, &truth), "{noise:?} {epsilon:?} 2^-{reals}: {found:?} {truth:?}");
                }
            }
        }
    }
}

/// Next to 0, and where a place is an interval, both tails are covered.
#[test]
fn tails_in_large_units() {
    let mut random = Random::new(42);
    for noise in noises() {
        let is_whole = !matches!(noise, Noise::Gaussian { .. } | Noise::Laplace { .. });
        for round in 0..12u64 {
            work::begin(None);
            let place = match round {
                0 => BigRational::zero(),
                1 if !is_whole => q(1, 3_000_001),
                2 if !is_whole => -q(1, 3_000_001),
                _ if is_whole => BigRational::from(BigInt::from(random.below(13)) - 6),
                _ => random.rational(),
            };
            let fine = ends(&tail(&noise, &place).unwrap());
            for reals in [20, 22, 25] {
                let found = in_units(reals, 8, || ends(&tail(&noise, &place).unwrap()));
                assert!(meets(&found, &fine), "{noise:?} {place} 2^-{reals}: {found:?} {fine:?}");
            }
        }
    }
}

/// The laws on the integers by their definition: in proportion to what they are in proportion to, and 1 in all.
#[test]
fn tables_by_definition() {
    for noise in noises().into_iter().chain([Noise::Skellam { mean: q(50, 1) }]) {
        work::begin(None);
        let (Law::Table(table), _) = Law::of(&noise).unwrap() else { continue };
        let mass = |k: i64| table.mass(k);
        let ratio = |k: i64| mass(k + 1).over(&mass(k)).unwrap();
        for k in (0..6i64).chain([20]) {
            let expected = match &noise {
                Noise::DiscreteGaussian { square, .. } => {
                    let exponent = BigRational::from(BigInt::from(2 * k + 1)) / (square * BigInt::from(2));
                    Real::of(&-exponent).exp().unwrap()
                }
                Noise::DiscreteLaplace { scale } | Noise::Truncated { scale, .. } => {
                    Real::of(&-scale.recip()).exp().unwrap()
                }
                // N(k − 1) − N(k + 1) = (k/m)·N(k)
                Noise::Skellam { mean } => {
                    let fall = mass(k).minus(&mass(k + 2));
                    let place = Real::of(&(BigRational::from(BigInt::from(k + 1)) / mean));
                    fall.over(&place).unwrap().over(&mass(k)).unwrap()
                }
                Noise::Gaussian { .. } | Noise::Laplace { .. } => unreachable!(),
            };
            assert!(meets(&ends(&ratio(k)), &ends(&expected)), "{noise:?} {k}");
            assert!(meets(&ends(&mass(k)), &ends(&mass(-k))));
            let step = table.above(k).minus(&table.above(k + 1));
            assert!(meets(&ends(&step), &ends(&mass(k))), "{noise:?} {k}");
            let left = table.above(-k).minus(&table.above(1 - k));
            assert!(meets(&ends(&left), &ends(&mass(k))), "{noise:?} −{k}");
        }
        let all = table.above(0).plus(&table.above(1));
        assert!(meets(&ends(&all), &(BigRational::one(), BigRational::one())), "{noise:?}");
        let close = BigRational::new(BigInt::one(), BigInt::one() << 200);
        let (low, high) = ends(&table.above(1));
        assert!(high - low < close, "{noise:?}");
        // Beyond the table there is next to nothing, and it is not nothing.
        let far = ends(&table.mass(1 << 20));
        assert!(far.0 == BigRational::zero() && far.1 > BigRational::zero());
    }
}

/// Sums of discrete Gaussians by all splits: convolved, and where they are next to one discrete Gaussian.
#[test]
fn sums_by_all_splits() {
    for (square, parties) in [(q(1, 4), 2), (q(1, 4), 3), (q(1, 1), 3), (q(5, 2), 2), (q(6, 1), 2), (q(7, 1), 3)] {
        work::begin(None);
        let noise = Noise::DiscreteGaussian { square: square.clone(), parties };
        let (Law::Table(table), _) = Law::of(&noise).unwrap() else { unreachable!() };
        let far = 60i64;
        let weight =
            |x: i64| Real::of(&-(BigRational::from(BigInt::from(x * x)) / (&square * BigInt::from(2)))).exp().unwrap();
        let weights: Vec<Real> = (0..=2 * far).map(weight).collect();
        let of = |x: i64| weights[usize::try_from(x.abs()).unwrap()].clone();
        let splits = |k: i64| -> Real {
            let sum = |parts: &mut dyn Iterator<Item = Real>| parts.fold(Real::int(0), |sum, x| sum.plus(&x));
            let two = |k: i64| sum(&mut (-far..=far).map(|j| of(j).times(&of(k - j))));
            if parties == 2 { two(k) } else { sum(&mut (-20..=20i64).map(|j| of(j).times(&two(k - j)))) }
        };
        // What three parties leave out beyond 20 is below e^(−28).
        let rest = if parties == 2 { Real::int(0) } else { Real::int(0).hull(&Real::of(&q(1, 1 << 38))) };
        let centre = splits(0).plus(&rest);
        for k in [1i64, 2, 3, 5, 8] {
            let expected = splits(k).plus(&rest).over(&centre).unwrap();
            let (mass, middle) = (table.mass(k), table.mass(0));
            assert!(meets(&ends(&mass.over(&middle).unwrap()), &ends(&expected)), "{noise:?} {k}");
            let (low, high) = ends(&mass);
            assert!(high - &low < low * BigRational::new(BigInt::one(), BigInt::one() << 58), "{noise:?} {k}");
            let step = table.above(k).minus(&table.above(k + 1));
            assert!(meets(&ends(&step), &ends(&table.mass(k))), "{noise:?} {k}");
        }
        let all = table.above(0).plus(&table.above(1));
        assert!(meets(&ends(&all), &(BigRational::one(), BigRational::one())), "{noise:?}");
    }
}

/// P is moved down and Q up: turned around, a mixture is another pair. Noise on the integers is moved by whole numbers on both sides.
#[test]
fn sides_of_a_mixture() {
    let one = || vec![(BigRational::one(), BigRational::zero())];
    let mixed = |far: BigRational| vec![(q(2, 3), BigRational::zero()), (q(1, 3), far)];
    for noise in noises() {
        work::begin(None);
        // P/Q is at most 3/2, Q/P is not.
        let epsilon = Epsilon::LogOf(q(2, 1));
        let delta = |down: &_, up: &_| {
            let pair = Mixtures::new(&noise, down, up).unwrap();
            ends(&pair.cut(&epsilon.log().unwrap(), &epsilon.exp().unwrap()).unwrap().delta)
        };
        let (stated, turned) = (delta(&one(), &mixed(q(6, 1))), delta(&mixed(q(6, 1)), &one()));
        assert!(stated.0 > q(1, 10), "{noise:?}: {stated:?}");
        assert!(turned.1 < q(1, 1 << 40), "{noise:?}: {turned:?}");
        let is_whole = !matches!(noise, Noise::Gaussian { .. } | Noise::Laplace { .. });
        for (down, up) in [(one(), mixed(q(1, 2))), (mixed(q(1, 2)), one())] {
            assert_eq!(Mixtures::new(&noise, &down, &up).is_err(), is_whole, "{noise:?}");
        }
    }
}

/// What one threshold bounds, from intervals: whatever the numbers in them are.
#[test]
fn bounds_of_one_threshold() {
    let mut random = Random::new(43);
    let one = vec![(BigRational::one(), BigRational::zero())];
    work::begin(None);
    let pair = Mixtures::new(&Noise::Laplace { unit: q(1, 1) }, &one, &one).unwrap();
    for _ in 0..400 {
        // Two ends each, in sixteenths.
        let mut number = |most: u64| {
            let (a, b) = (random.below(most), random.below(3));
            [q(a, 16), q(a + b, 16)]
        };
        let [q_above, p_above, q_below, p_below, u] = [17, 17, 17, 17, 48].map(&mut number);
        let ratios = [number(48), number(48)];
        let known = [number(4), number(4)].map(|known| known[0] != BigRational::zero());
        let found = in_units(24, 8, || {
            let real = |ends: &[BigRational; 2]| Real::of(&ends[0]).hull(&Real::of(&ends[1]));
            let ratio = [0, 1].map(|side: usize| known[side].then(|| real(&ratios[side])));
            let cut = pair.bounded(
                BigInt::zero(),
                [real(&q_above), real(&p_above)],
                [real(&q_below), real(&p_below)],
                ratio,
                &real(&u),
            );
            assert!(ends(&cut.null) == (p_above[0].clone(), p_above[1].clone()));
            ends(&cut.delta)
        });
        for choice in 0..128usize {
            let at = |ends: &[BigRational; 2], place: usize| ends[choice >> place & 1].clone();
            let (qa, pa, qb, pb) = (at(&q_above, 0), at(&p_above, 1), at(&q_below, 2), at(&p_below, 3));
            let (u, left, right) = (at(&u, 4), at(&ratios[0], 5), at(&ratios[1], 6));
            let zero = BigRational::zero();
            let test = &qa - &u * &pa;
            let gain_left = if known[0] { ((left - &u).max(zero.clone()) * pb).min(qb.clone()) } else { qb.clone() };
            let all = &u * &pa;
            let gain_right = if known[1] { ((&u - right).max(zero) * pa).min(all.clone()) } else { all };
            let most = (&test + gain_left.max(gain_right)).min(qa + qb);
            assert!(found.0 <= test && found.1 >= most, "{found:?} {test} {most}");
        }
    }
}

/// What the ratio beside a cut may gain is at least what any numbers in the intervals gain, also where the ratio is about u.
#[test]
fn ratios_next_to_u() {
    let mut random = Random::new(44);
    let (mut certain, mut open) = ([0, 0], 0);
    for round in 0..600 {
        work::begin(None);
        let is_above = round % 2 == 0;
        // q is next to u·p, and all are a few units wide.
        let p = 40 + random.below(200);
        let u = [q(1, 2), q(1, 1), q(3, 2)][usize::try_from(random.below(3)).unwrap()].clone();
        let near = (&u * BigRational::from(BigInt::from(p))).to_integer() + BigInt::from(random.below(9)) - 4;
        let widths = [random.below(4), random.below(4)];
        let (found, ends_of) = in_units(24, 8, || {
            let real = |at: &BigInt, wide: u64| Real::new(at.clone(), at + BigInt::from(wide));
            let (q, p) = (real(&near, widths[0]), real(&BigInt::from(p), widths[1]));
            let ends_of = [ends(&q), ends(&p)];
            (ratio_beyond([q, p], &Real::of(&u), is_above).map(|ratio| ends(&ratio)), ends_of)
        });
        let Some(ratio) = found else {
            open += 1;
            continue;
        };
        certain[usize::from(is_above)] += 1;
        let [(q_low, q_high), (p_low, p_high)] = ends_of;
        let zero = BigRational::zero();
        for (q, p) in [(&q_low, &p_low), (&q_low, &p_high), (&q_high, &p_low), (&q_high, &p_high)] {
            let exact = q / p;
            let (gain, known) = if is_above { (&u - exact, &u - &ratio.0) } else { (exact - &u, &ratio.1 - &u) };
            assert!(
                gain.max(zero.clone()) <= known.max(zero.clone()),
                "{q}/{p} beside {u}, above {is_above}: {ratio:?}"
            );
        }
    }
    assert!(certain[0] > 50 && certain[1] > 50 && open > 50, "{certain:?} {open}");
}

/// Where the place is only known to be in an interval, the tail is what it may be at either end, also on both sides of 0.
#[test]
fn laplace_tails_around_zero() {
    work::begin(None);
    let at = |place: &BigRational| ends(&Law::Laplace.tail(&Real::of(place)).unwrap());
    for reals in [20, 22, 25] {
        let unit = BigRational::new(BigInt::one(), BigInt::one() << reals);
        let of = |units: i64| &unit * BigInt::from(units);
        for low in -40i64..=40 {
            for high in [low, low + 7, low + 30] {
                let found =
                    in_units(reals, 8, || ends(&Law::Laplace.tail(&Real::new(low.into(), high.into())).unwrap()));
                for place in [low, high] {
                    assert!(meets(&found, &at(&of(place))), "{low} to {high} of 2^-{reals}: {found:?}");
                }
            }
        }
    }
}

/// δ of noise on the integers that is moved on both sides, integer by integer from its masses.
#[test]
fn deltas_by_their_definition() {
    let (down, up) = ([(q(2, 3), 1i64), (q(1, 3), 2)], [(q(1, 4), 0i64), (q(3, 4), 3)]);
    let shifts = |list: &[(BigRational, i64); 2]| {
        list.iter().map(|(weight, shift)| (weight.clone(), BigRational::from(BigInt::from(*shift)))).collect::<Vec<_>>()
    };
    for noise in noises() {
        work::begin(None);
        let (Law::Table(table), _) = Law::of(&noise).unwrap() else { continue };
        let pair = Mixtures::new(&noise, &shifts(&down), &shifts(&up)).unwrap();
        for odds in [q(1, 2), q(1, 1), q(3, 1)] {
            let epsilon = Epsilon::LogOf(odds);
            let u = epsilon.exp().unwrap();
            let found = ends(&pair.cut(&epsilon.log().unwrap(), &u).unwrap().delta);
            let mut sum = Real::int(0);
            for k in -400i64..=400 {
                let law = |list: &[(BigRational, i64); 2], sign: i64| {
                    let part =
                        |(weight, shift): &(BigRational, i64)| Real::of(weight).times(&table.mass(k - sign * shift));
                    list.iter().map(part).fold(Real::int(0), |sum, part| sum.plus(&part))
                };
                sum = sum.plus(&law(&up, 1).minus(&u.times(&law(&down, -1))).at_least_zero());
            }
            let truth = ends(&sum);
            assert!(meets(&found, &truth), "{noise:?} {epsilon:?}: {found:?} {truth:?}");
            let close = BigRational::new(BigInt::one(), BigInt::one() << 200);
            assert!(&found.1 - &found.0 < close && &truth.1 - &truth.0 < close, "{noise:?} {epsilon:?}");
        }
    }
}

/// Ratios of Skellam noise do not depend on how far out they begin.
#[test]
fn ratios_from_further_out() {
    for mean in [q(1, 3), q(5, 1), q(10_000, 1)] {
        work::begin(None);
        let mean = Real::of(&mean);
        for length in [1usize, 10, 100] {
            let (short, long) = (Table::ratios(&mean, length).unwrap(), Table::ratios(&mean, length + 600).unwrap());
            assert_eq!(short.len(), length);
            for (near, far) in short.iter().rev().zip(long.iter().rev()) {
                assert!(meets(&ends(near), &ends(far)), "{mean:?} {length}: {near:?} {far:?}");
            }
        }
    }
}

/// Beyond a table of Gaussian noise there is less than a unit: e^(−k²/(2σ²)) is below e^(−220) at 21σ + 1.
#[test]
fn tables_reach_far_out() {
    work::begin(None);
    for sigma in [1, 2, 5] {
        let table = Table::gaussian(&BigRational::from(BigInt::from(sigma * sigma))).unwrap();
        assert!(table.masses.len() > 21 * sigma + 1, "{sigma}");
    }
}

/// Noise that ends has a mass at its last place and none beyond it.
#[test]
fn noise_that_ends_has_its_last_mass() {
    for last in [1u64, 5, 23] {
        work::begin(None);
        let table = Table::powers(&q(3, 2), Some(last)).unwrap();
        let last = i64::try_from(last).unwrap();
        assert_eq!(table.masses.len(), usize::try_from(last + 1).unwrap());
        let x = Real::of(&-q(2, 3)).exp().unwrap();
        let ratio = table.mass(last).over(&table.mass(last - 1)).unwrap();
        assert!(meets(&ends(&ratio), &ends(&x)), "{last}");
        assert!(ends(&table.mass(last + 1)).1 < q(1, 1 << 60), "{last}");
    }
}

/// Noise on the integers is moved by 2^40 at the most, whichever law it is.
#[test]
fn farthest_shifts_of_both_laws() {
    let one = |far: BigInt| vec![(BigRational::one(), BigRational::from(far))];
    let (near, most) = (one(BigInt::zero()), BigInt::one() << 40);
    work::begin(None);
    let noise = Noise::DiscreteLaplace { scale: q(3, 2) };
    for sign in [1, -1] {
        let (far, beyond) = (one(&most * sign), one((&most + 1) * sign));
        for (down, up, is_made) in
            [(&near, &far, true), (&far, &near, true), (&near, &beyond, false), (&beyond, &near, false)]
        {
            assert_eq!(Mixtures::new(&noise, down, up).is_ok(), is_made, "{down:?} {up:?}");
        }
    }
}

/// A sum reaches farther than each of its parts, as far as one discrete Gaussian of its variance.
#[test]
fn sums_have_all_their_places() {
    for (square, parties) in [(q(1, 2), 5), (q(1, 4), 9), (q(1, 1), 4), (q(7, 1), 3)] {
        work::begin(None);
        let table = Table::gaussian_sum(&square, parties).unwrap();
        let near = Table::gaussian(&(&square * BigInt::from(parties))).unwrap();
        let (once, all) = (Table::gaussian(&square).unwrap(), near.masses.len());
        assert!(table.masses.len() == all && table.tails.len() == all && all > once.masses.len());
        // One way to get there: all parties together, each as far as the others or one place more.
        let place = once.masses.len() + 1;
        let parts = usize::try_from(parties).unwrap();
        let one = |party: usize| once.masses.get((place + party) / parts).unwrap();
        let way = (0..parts).map(one).fold(Real::int(1), |product, mass| product.times(mass));
        let mass = table.masses.get(place).unwrap();
        assert!(way.lo > BigInt::zero() && mass.hi >= way.lo && mass.lo > BigInt::zero(), "{square} {parties}");
    }
}

/// Wherever the threshold is, δ is between the bounds.
#[test]
fn any_threshold_bounds_the_profile() {
    let mut random = Random::new(31);
    let q = |n: u64, d: u64| BigRational::new(n.into(), d.into());
    let mut wide = 0;
    for round in 0..400 {
        crate::work::begin(None);
        let noise = match round % 5 {
            0 => Noise::Gaussian { square: q(1 + random.below(20), 4) },
            1 => Noise::Laplace { unit: q(1 + random.below(12), 4) },
            2 => Noise::DiscreteGaussian { square: q(1 + random.below(40), 4), parties: 1 },
            3 => Noise::DiscreteLaplace { scale: q(1 + random.below(12), 4) },
            _ => Noise::Skellam { mean: q(1 + random.below(20), 4) },
        };
        let rate = q(1 + random.below(9), 10);
        let list = |with: bool| match with {
            true => vec![(BigRational::one() - &rate, BigRational::zero()), (rate.clone(), q(1 + round % 2, 1))],
            false => vec![(BigRational::one(), BigRational::zero())],
        };
        let pair = Mixtures::new(&noise, &list(random.below(2) == 0), &list(random.below(2) == 0)).unwrap();
        let epsilon = Epsilon::Plain(random.rational() / BigInt::from(3));
        let (log, u) = (epsilon.log().unwrap(), epsilon.exp().unwrap());
        let best = pair.cut(&log, &u).unwrap();
        let other = match &pair.law {
            Law::Table(table) => pair.cut_from(table, i64::try_from(random.below(9)).unwrap() - 4, &u),
            _ => pair.cut_at(Real::of(&random.rational()).lo, &u).unwrap(),
        };
        let ((low, high), (least, most)) = (ends(&best.delta), ends(&other.delta));
        assert!(&high - &low < q(1, 1 << 50), "{noise:?}");
        assert!(least <= high && low <= most, "{noise:?} {epsilon}: {low} {high} {least} {most}");
        // The test alone is below δ.
        wide += usize::from(least < low);
    }
    assert!(wide > 200, "{wide}");
}
