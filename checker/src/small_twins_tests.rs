//! Cheap twins in large units, ten thousand arguments each: steps on samples against fractions, noise on the integers against its definition, moments
//! of noise on samples against finer units.

use std::iter::successors;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use crate::claim::Direction;
use crate::coarse::{Random, ends, in_units, meets};
use crate::law::Side;
use crate::noise::Mixtures;
use crate::profile;
use crate::renyi::{by_polynomial, sampled_gaussian};
use crate::step::{Epsilon, Noise, Step};
use crate::work;

const COUNT: u32 = 10_100;

fn q(n: u64, d: u64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn units(random: &mut Random) -> u32 {
    20 + u32::try_from(random.below(5)).unwrap()
}

/// A finite step on a sample: δ and the P-mass where the loss is larger, in fractions; next to both kinks too.
#[test]
fn samples_of_finite_steps() {
    let mut random = Random::new(121);
    for round in 0..2 * COUNT {
        work::begin(None);
        let mut law = || {
            let masses = [random.below(8), random.below(8), 1 + random.below(8)];
            let total = masses.iter().sum::<u64>();
            masses.map(|mass| q(mass, total)).to_vec()
        };
        let (p, with) = (law(), law());
        let rate = q(1 + random.below(15), 16);
        let rest = BigRational::one() - &rate;
        let reals = units(&mut random);
        let mixed: Vec<_> = p.iter().zip(&with).map(|(p, q)| &rest * p + &rate * q).collect();
        let (direction, null, other) = match round % 2 {
            0 => (Direction::Remove, &p, &mixed),
            _ => (Direction::Add, &mixed, &p),
        };
        let kink = if round % 2 == 0 { rest.clone() } else { rest.recip() };
        let u = match random.below(3) {
            0 => kink + q(random.below(9), 1 << reals) - q(4, 1 << reals),
            _ => q(1 + random.below(90), 30),
        };
        let gains: Vec<_> = null.iter().zip(other).map(|(p, q)| (q - &u * p, p)).collect();
        let delta: BigRational = gains.iter().map(|(gain, _)| gain.clone().max(BigRational::zero())).sum();
        let mass = |least: &dyn Fn(&BigRational) -> bool| -> BigRational {
            gains.iter().filter(|(gain, _)| least(gain)).map(|(_, p)| (*p).clone()).sum()
        };
        let tails = (mass(&|gain| *gain > BigRational::zero()), mass(&|gain| *gain >= BigRational::zero()));
        let step = Step::Sampled { rate, of: vec![(Step::Finite { p: p.clone(), q: with.clone() }, 1)] };
        let found = in_units(reals, 10, || {
            let point = profile::at(&step, direction, &Epsilon::LogOf(u.clone())).unwrap();
            (ends(&point.delta), ends(&point.null))
        });
        assert!(found.0.0 <= delta && delta <= found.0.1, "{step:?} {u} 2^-{reals}: {found:?} {delta}");
        assert!(meets(&found.1, &tails), "{step:?} {u} 2^-{reals}: {found:?} {tails:?}");
    }
}

/// Masses of 0, 1, 2, … up to a factor.
fn masses(noise: &Noise) -> Vec<f64> {
    let float = |x: &BigRational| x.to_f64().unwrap();
    match noise {
        Noise::DiscreteGaussian { square, .. } => {
            (0..80).map(|k| (-f64::from(k * k) / (2.0 * float(square))).exp()).collect()
        }
        // N(k)/N(k − 1) is 1/(k/m + N(k + 1)/N(k)).
        Noise::Skellam { mean } => {
            let mut ratios: Vec<f64> =
                successors(Some((300, 0.5)), |(k, ratio)| Some((k - 1, 1.0 / (f64::from(*k) / float(mean) + ratio))))
                    .take_while(|(k, _)| *k >= 0)
                    .map(|(_, ratio)| ratio)
                    .collect();
            ratios.reverse();
            ratios.iter().take(80).scan(1.0, |mass, ratio| Some(std::mem::replace(mass, *mass * ratio))).collect()
        }
        _ => unreachable!(),
    }
}

/// δ of noise on the integers, moved by whole numbers with and without the record: the sum over all places.
#[test]
fn cuts_of_noise_on_the_integers() {
    let mut random = Random::new(122);
    for round in 0..2 * COUNT {
        work::begin(None);
        let small = q(1 + random.below(20), 16);
        let noise = match round % 2 {
            0 => Noise::DiscreteGaussian { square: small, parties: 1 },
            _ => Noise::Skellam { mean: small },
        };
        let weight = q(1 + random.below(7), 8);
        let far = i64::try_from(1 + random.below(2)).unwrap();
        let without = vec![(BigRational::one(), BigRational::zero())];
        let with = vec![
            (BigRational::one() - &weight, BigRational::zero()),
            (weight.clone(), BigRational::from(BigInt::from(far))),
        ];
        let is_with = random.below(2) == 0;
        let u = q(1 + random.below(60), 20);
        let reals = units(&mut random);
        let found = in_units(reals, 10, || {
            let (down, up) = if is_with { (&without, &with) } else { (&with, &without) };
            let pair = Mixtures::new(&noise, down, up).unwrap();
            let epsilon = Epsilon::LogOf(u.clone());
            ends(&pair.cut(&epsilon.log().unwrap(), &epsilon.exp().unwrap()).unwrap().delta)
        });
        let known = masses(&noise);
        let all = 2.0 * known.iter().sum::<f64>() - known[0];
        let mass = |k: i64| known.get(usize::try_from(k.abs()).unwrap()).copied().unwrap_or(0.0) / all;
        let (weight, odds) = (weight.to_f64().unwrap(), u.to_f64().unwrap());
        let gain = |k: i64| {
            let moved = |far: i64| (1.0 - weight) * mass(k) + weight * mass(k - far);
            if is_with { moved(far) - odds * mass(k) } else { mass(k) - odds * moved(-far) }
        };
        let truth: f64 = (-90..90).map(|k| gain(k).max(0.0)).sum();
        let (low, high) = (found.0.to_f64().unwrap(), found.1.to_f64().unwrap());
        assert!(low <= truth + 1e-12 && truth <= high + 1e-12, "{noise:?} {u} 2^-{reals}: {low} {high} {truth}");
    }
}

/// Moments of Gaussian noise on a sample, from above and from below, also next to whole orders: finer units never contradict them.
#[test]
fn moments_on_samples() {
    let mut random = Random::new(123);
    for _ in 0..COUNT / 2 {
        work::begin(None);
        let square = q(1 + random.below(16), 16);
        let rate = q(1 + random.below(12), 16);
        let whole = BigRational::from(BigInt::from(1 + random.below(3)));
        let reals = units(&mut random);
        let order = match random.below(3) {
            0 => &whole + q(1 + random.below(9), 1 << reals),
            _ => &whole + q(1 + random.below(15), 16),
        };
        let both = || {
            [Side::Lower, Side::Upper].map(|side| {
                let sampled = ends(&sampled_gaussian(&square, &rate, &order, side).unwrap());
                let floor = whole.to_i64().unwrap();
                (sampled, by_polynomial(&square, &rate, &order, floor, side).unwrap().map(|found| ends(&found)))
            })
        };
        let [below, above] = in_units(reals, 10, both);
        let [fine_below, fine_above] = in_units(60, 10, both);
        // What holds from below is below all that holds from above.
        let what = || format!("{square} {rate} {order} 2^-{reals}: {below:?} {above:?} {fine_below:?} {fine_above:?}");
        assert!(below.0.0 <= fine_below.0.1 && below.0.0 <= fine_above.0.1, "{}", what());
        assert!(above.0.1 >= fine_above.0.0 && above.0.1 >= fine_below.0.0, "{}", what());
        for (coarse, fine) in [(&below.1, &fine_below.1), (&above.1, &fine_above.1)] {
            if let (Some(coarse), Some(fine)) = (coarse, fine) {
                assert!(meets(coarse, fine), "{}", what());
            }
        }
    }
}
