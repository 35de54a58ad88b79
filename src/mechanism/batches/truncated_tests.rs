//! Batches of a largest size against all small datasets.

use proptest::prelude::*;
use rug::Integer;

use super::*;
use crate::kernel::Point;
use crate::kernel::coarse::at_most_bits;
use crate::mechanism::{Adjacency, Mechanism, Relation};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// A law on the integers, by its masses.
type Law = Vec<(i64, Rational)>;

fn merged(mut law: Law) -> Law {
    law.sort();
    law.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += &next.1;
        }
        same
    });
    law
}

/// The law of the answer of truncated Poisson sampling, by all sets of records that can be drawn and all choices among them.
fn answer(records: &[i64], rate: &Rational, max_batch: usize, noise: &Law) -> Law {
    let n = records.len();
    let mut sums: Law = Vec::new();
    for drawn in 0u32..1 << n {
        let size = drawn.count_ones() as usize;
        let mut weight = q(1, 1);
        for i in 0..n {
            weight *= match drawn >> i & 1 {
                1 => rate.clone(),
                _ => Rational::from(1 - rate),
            };
        }
        let kept: Vec<u32> = (0u32..1 << n)
            .filter(|kept| kept & !drawn == 0 && kept.count_ones() as usize == size.min(max_batch))
            .collect();
        for set in &kept {
            let sum = (0..n)
                .filter(|i| set >> i & 1 == 1)
                .map(|i| records[i])
                .sum();
            sums.push((sum, Rational::from(&weight / kept.len() as u32)));
        }
    }
    let mut all = Vec::new();
    for (sum, weight) in merged(sums) {
        for (place, mass) in noise {
            all.push((sum + place, Rational::from(&weight * mass)));
        }
    }
    merged(all)
}

fn delta(u: &Rational, p: &Law, with: &Law) -> Rational {
    let mass = |law: &Law, at: i64| {
        law.iter()
            .find(|(place, _)| *place == at)
            .map_or_else(Rational::new, |(_, mass)| mass.clone())
    };
    with.iter()
        .map(|(at, mass_with)| {
            let gain: Rational = mass_with - u * mass(p, *at);
            gain.max(q(0, 1))
        })
        .sum()
}

/// Discrete Laplace noise with odds e^(1/scale) = `base` a step, cut off so far out that it hardly matters, and the slack that this costs.
fn noise(base: i64) -> (Law, Rational) {
    const REACH: u32 = 12;
    let ratio = q(1, base);
    let power = |k: u32| (0..k).fold(q(1, 1), |product, _| product * &ratio);
    let head = Rational::from(1 - &ratio) / Rational::from(1 + &ratio);
    let reach = i64::from(REACH);
    let law: Law = (-reach..=reach)
        .map(|k| (k, (&head * power(k.unsigned_abs() as u32))))
        .collect();
    let lost = 1 - law.iter().map(|(_, mass)| mass.clone()).sum::<Rational>();
    (law, lost)
}

/// Truncated Poisson sampling of discrete Laplace noise, its probabilities known to so many bits only.
fn truncated_at(
    bits: u32,
    rate: &Rational,
    [records, max_batch]: [u64; 2],
    base: i64,
    relation: Relation,
) -> Steps {
    // e^(1/scale) = base: the noise is given by its pair of one step, exactly.
    let scale = Interval::from_i64(base, 200).ln().recip();
    let scale = scale.middle().to_rational().unwrap();
    let noise = crate::mechanism::kind::DiscreteLaplace::new(
        scale,
        crate::mechanism::kind::Sensitivity::RecordBound(1u64),
    );
    let noise = Mechanism::new(noise.unwrap()).unwrap();
    at_most_bits(bits, || {
        let all = Mechanism::truncated_poisson(rate.clone(), records, max_batch, noise).unwrap();
        all.under(relation).unwrap().steps().clone()
    })
}

/// The larger of both orders at u, from above and from below.
fn bounds(steps: &Steps, u: &Rational) -> (Rational, Rational) {
    let point = Point::at_exp_epsilon(u, 160);
    let both = |steps: &Steps| {
        let profile = steps.single().unwrap().profile().unwrap();
        [profile.at(&point).delta, profile.swapped().at(&point).delta]
    };
    let most = both(&steps.most()).map(|delta| delta.hi().to_rational().unwrap());
    let of = if steps.is_bound() {
        &steps.members()[0]
    } else {
        steps
    };
    let least = both(of).map(|delta| delta.lo().to_rational().unwrap());
    let larger = |[a, b]: [Rational; 2]| a.max(b);
    (larger(least), larger(most))
}

/// Pairs of datasets that differ as the relation says, others included; x, x' and the others in {−1, 0, 1}.
fn neighbours(relation: Relation, others: &[i64]) -> Vec<(Vec<i64>, Vec<i64>)> {
    let with = |x: i64| {
        let mut all = others.to_vec();
        all.push(x);
        all
    };
    let records = [-1, 0, 1];
    match relation {
        Relation::Presence => records.map(|x| (others.to_vec(), with(x))).to_vec(),
        Relation::ReplaceSpecial => records.map(|x| (with(0), with(x))).to_vec(),
        Relation::ReplaceOne => records
            .into_iter()
            .flat_map(|x| records.map(|y| (with(y), with(x))))
            .collect(),
    }
}

fn all_others(count: usize) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|others: Vec<i64>| {
                // Sorted: the order of records does not matter.
                let least = others.last().copied().unwrap_or(-1);
                (least..=1).map(move |next| {
                    let mut longer = others.clone();
                    longer.push(next);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Every pair of neighbours of up to four records is below the upper end, and one attains the lower one.
#[test]
fn all_neighbours_of_small_datasets() {
    for (records, max_batch, rate, base) in [
        (2usize, 1usize, q(1, 2), 2i64),
        (3, 1, q(1, 3), 2),
        (3, 2, q(3, 4), 3),
        (4, 2, q(1, 4), 2),
        (4, 1, q(1, 10), 3),
        (3, 1, q(1, 1), 2),
    ] {
        let (noise, lost) = noise(base);
        for relation in [
            Relation::Presence,
            Relation::ReplaceSpecial,
            Relation::ReplaceOne,
        ] {
            let sizes = [records as u64, max_batch as u64];
            let of_bits =
                [4, 7, 12, 200].map(|bits| truncated_at(bits, &rate, sizes, base, relation));
            let mut laws = Vec::new();
            for others in all_others(records - 1) {
                for (without, with) in neighbours(relation, &others) {
                    let law = |records: &[i64]| answer(records, &rate, max_batch, &noise);
                    laws.push((law(&without), law(&with)));
                }
            }
            for u in [
                q(1, 3),
                q(4, 5),
                q(1, 1),
                q(11, 10),
                q(3, 2),
                q(3, 1),
                q(7, 1),
            ] {
                let worst = laws
                    .iter()
                    .map(|(p, with)| delta(&u, p, with).max(delta(&u, with, p)))
                    .fold(q(0, 1), Rational::max);
                // Cutting the noise off moves no δ by more than this.
                let slack = Rational::from(1 + &u) * &lost;
                for steps in &of_bits {
                    let (least, most) = bounds(steps, &u);
                    let at = format!("{relation:?} {records} {max_batch} {rate} {u}");
                    assert!(worst <= Rational::from(&most + &slack), "above {at}");
                    assert!(least <= Rational::from(&worst + &slack), "below {at}");
                    for other in steps.other_bounds() {
                        let (_, most) = bounds(other, &u);
                        assert!(worst <= Rational::from(&most + &slack), "other {at}");
                    }
                }
            }
        }
    }
}

/// The same for every way to split what a displaced record tells between the two labels, not only for the best one.
#[test]
fn all_neighbours_and_all_splits() {
    for (records, max_batch, rate, base) in [
        (3usize, 1usize, q(1, 3), 2i64),
        (3, 2, q(3, 4), 3),
        (4, 2, q(1, 4), 2),
    ] {
        let (law_of_noise, lost) = noise(base);
        let chances = Chances::of(&rate, records as u64, max_batch as u64);
        let scale = Interval::from_i64(base, 200).ln().recip();
        let noise = Noise::DiscreteLaplace {
            scale: scale.middle().to_rational().unwrap(),
            unit: 1,
        };
        for relation in [
            Relation::Presence,
            Relation::ReplaceSpecial,
            Relation::ReplaceOne,
        ] {
            let splits = [q(0, 1), q(1, 3), q(2, 3), q(1, 1)].map(|share| {
                let displacing = Rational::from(&share * &chances.displacing);
                let labels = Labels {
                    rate: rate.clone(),
                    last: chances.last.clone(),
                    full: chances.full.clone(),
                    far: Rational::from(&chances.displacing - &displacing),
                    displacing,
                };
                labels.steps(relation, &noise).unwrap()
            });
            let mut laws = Vec::new();
            for others in all_others(records - 1) {
                for (without, with) in neighbours(relation, &others) {
                    let law = |records: &[i64]| answer(records, &rate, max_batch, &law_of_noise);
                    laws.push((law(&without), law(&with)));
                }
            }
            for u in [q(1, 3), q(4, 5), q(1, 1), q(11, 10), q(3, 2), q(3, 1)] {
                let slack = Rational::from(1 + &u) * &lost;
                // In the order stated: a pair that dominates does so at every u.
                let worst = laws.iter().map(|(p, with)| delta(&u, p, with));
                let worst = worst.fold(q(0, 1), Rational::max);
                let point = Point::at_exp_epsilon(&u, 160);
                for (place, steps) in splits.iter().enumerate() {
                    let profile = steps.single().unwrap().profile().unwrap();
                    let most = profile.at(&point).delta.hi().to_rational().unwrap();
                    let at = format!("{relation:?} {records} {max_batch} {rate} {u} {place}");
                    assert!(worst <= Rational::from(&most + &slack), "{at}");
                }
            }
        }
    }
}

fn gaussian(relation: Relation, rate: &Rational, records: u64, max_batch: u64) -> Steps {
    let noise = Mechanism::gaussian_sum(2, 1).unwrap();
    let all = Mechanism::truncated_poisson(rate.clone(), records, max_batch, noise).unwrap();
    all.under(relation).unwrap().steps().clone()
}

/// The probability that a record is drawn and not displaced: the mean of min(1, cap/(k + 1)) over k others that are drawn, times the rate.
fn rate_in_batch(rate: &Rational, records: u64, cap: u64) -> Rational {
    let rest = Rational::from(1 - rate);
    let power = |x: &Rational, e: u64| (0..e).fold(q(1, 1), |product, _| product * x);
    let stays = |k: u64| {
        let ways = Integer::from(records - 1).binomial(u32::try_from(k).unwrap());
        let mass = power(rate, k) * power(&rest, records - 1 - k) * ways;
        mass * rate * Rational::from((cap, k + 1)).min(q(1, 1))
    };
    (0..records).map(stays).sum()
}

/// A cap that is never passed is Poisson sampling.
#[test]
fn a_large_cap_changes_nothing() {
    let noise = Mechanism::gaussian_sum(2, 1).unwrap();
    let plain = Mechanism::subsampled(q(1, 10), noise.clone()).unwrap();
    let capped = Mechanism::truncated_poisson(q(1, 10), 20, 20, noise).unwrap();
    assert_eq!(plain.steps(), capped.steps());
    assert!(!capped.steps().is_bound());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(8)))]

    /// At least Poisson sampling at the rate of ending in the batch; at most noise that a replaced record moves. Exact and
    /// enclosed probabilities agree.
    #[test]
    fn between_poisson_and_no_amplification(records in 2u64..60, cap in 1u64..40, rate in 1i64..20, e in 0i64..12) {
        let rate = q(rate, 20);
        let u = q(4 + e, 4);
        for relation in [Relation::Presence, Relation::ReplaceSpecial, Relation::ReplaceOne] {
            let (least, most) = bounds(&gaussian(relation, &rate, records, cap), &u);
            prop_assert!(least <= most);
            // Compared with a batch of one record less, the record may tell more under a label than a displaced one tells at all; a replaced one does not.
            if relation != Relation::Presence {
                let two = Mechanism::gaussian(2, 2).unwrap();
                let (_, none) = bounds(two.steps(), &u);
                prop_assert!(most <= none + q(1, 1 << 60), "{:?}", relation);
            }
            let (poisson, _) = bounds(
                Mechanism::subsampled(rate.clone(), Mechanism::gaussian_sum(2, 1).unwrap())
                    .unwrap()
                    .under(relation)
                    .unwrap()
                    .steps(),
                &u,
            );
            prop_assert!(least <= poisson + q(1, 1 << 60));
            // Others that contribute nothing make it Poisson sampling at the rate at which the record ends in the batch.
            let effective = rate_in_batch(&rate, records, cap);
            prop_assert!(effective <= rate);
            let (low, high) = bounds(
                Mechanism::subsampled(effective, Mechanism::gaussian_sum(2, 1).unwrap())
                    .unwrap()
                    .under(relation)
                    .unwrap()
                    .steps(),
                &u,
            );
            prop_assert!(low <= most && least <= high + q(1, 1 << 60), "{:?}", relation);
            prop_assert!(least >= low - q(1, 1 << 40), "{:?}", relation);
        }
    }
}

/// The rate of a record that ends in the batch, by all numbers of others that are drawn; the bounds of it from both ways.
#[test]
fn chances_by_definition() {
    for (n, cap, rate) in [
        (5u32, 2u32, q(1, 3)),
        (9, 4, q(1, 10)),
        (30, 3, q(1, 5)),
        (40, 30, q(9, 10)),
    ] {
        let rest = Rational::from(1 - &rate);
        let power = |x: &Rational, e: u32| (0..e).fold(q(1, 1), |product, _| product * x);
        let mass =
            |k: u32| power(&rate, k) * power(&rest, n - 1 - k) * Integer::from(n - 1).binomial(k);
        let full: Rational = (cap..n).map(mass).sum();
        let displacing: Rational = (cap..n)
            .map(|k| mass(k) * &rate * Rational::from((cap, k + 1)))
            .sum();
        let exact = Chances::of(&rate, n.into(), cap.into());
        assert_eq!(exact.full, full);
        assert_eq!(exact.full_upper, full);
        assert_eq!(exact.last, mass(cap - 1));
        assert_eq!(exact.displacing, displacing);
        assert_eq!(exact.displacing_upper, displacing);
        let enclosed = Chances::enclosed(&rate, n.into(), cap.into());
        let tight = |below: &Rational, truth: &Rational| {
            *below <= *truth && *truth <= (below * q((1 << 60) + 1, 1 << 60))
        };
        assert!(tight(&enclosed.last, &exact.last));
        assert!(tight(&enclosed.full, &full) && tight(&full, &enclosed.full_upper));
        assert!(tight(&enclosed.displacing, &displacing));
        assert!(tight(&displacing, &enclosed.displacing_upper));
        assert!(enclosed.full < enclosed.full_upper);
    }
}

/// Numbers of other orders: a sample that is nearly always cut down, and one that never is.
#[test]
fn extremes() {
    for (records, rate, cap) in [
        (1_000_000_000u64, q(1, 2), 1u64),
        (1_000_000_000, q(1, 1_000_000), 900_000_000),
        (1_000_000_000, q(1, 1_000_000), 1_100),
        (u64::MAX, q(1, i64::MAX), 3),
        (1_000_000, q(1, 1), 10),
    ] {
        let found = Chances::of(&rate, records, cap);
        assert!(found.full <= found.full_upper && found.full_upper <= 1);
        assert!(
            found.displacing <= found.displacing_upper,
            "{records} {rate} {cap}"
        );
        let most = &rate + q(1, 1 << 60);
        assert!(
            found.displacing_upper <= most,
            "{records} {rate} {cap}: {}",
            found.displacing_upper.to_f64()
        );
        for relation in [
            Relation::Presence,
            Relation::ReplaceSpecial,
            Relation::ReplaceOne,
        ] {
            let (least, most) = bounds(&gaussian(relation, &rate, records, cap), &q(2, 1));
            assert!(least <= most);
        }
    }
    let too_many =
        Mechanism::truncated_poisson(q(1, 2), 1 << 40, 5, Mechanism::gaussian_sum(1, 1).unwrap());
    assert_eq!(too_many.unwrap_err().why(), Why::TooLarge);
    let class = Mechanism::truncated_poisson(q(1, 2), 10, 5, Mechanism::pure_dp(1).unwrap());
    assert_eq!(class.unwrap_err().why(), Why::Unsupported);
    assert_eq!(Adjacency::ReplaceOne.relation(), Relation::ReplaceOne);
}

/// An answer that is no sum of records may tell B − 1 others from B and B − 2: −|others − (B − 1)|, and 1 more with the record. Its δ by quadrature is below the
/// bound, and above what holds for sums only.
#[test]
fn an_answer_that_is_no_sum() {
    let (n, cap, rate, sigma, u) = (2_000u64, 550u64, q(1, 4), 2.0f64, 1f64.exp());
    let chances = Chances::of(&rate, n, cap);
    let (full, displacing) = (chances.full.to_f64(), chances.displacing.to_f64());
    let mut laws = [Vec::new(), Vec::new()];
    let mut add = |law: usize, centre: f64, mass: f64| laws[law].push((centre, mass));
    for k in 400..cap {
        let mass = super::super::binomial::mass(n - 1, &rate, k)
            .middle()
            .to_f64();
        let centre = -((k as f64) - (cap as f64 - 1.0)).abs();
        add(0, centre, mass);
        add(1, centre, mass * 0.75);
        add(1, centre + 1.0, mass * 0.25);
    }
    add(0, -1.0, full);
    add(1, -1.0, full - displacing);
    add(1, 1.0, displacing);
    let density = |law: usize, t: f64| -> f64 {
        let one = |(c, p): &(f64, f64)| p * (-((t - c) / sigma).powi(2) / 2.0).exp();
        laws[law].iter().map(one).sum()
    };
    let places = (-3_000..3_000).map(|n| f64::from(n) * 0.01);
    let gains = places.map(|t| (density(1, t) - u * density(0, t)).max(0.0));
    let truth = gains.sum::<f64>() * 0.01 / (sigma * std::f64::consts::TAU.sqrt());
    let above = |noise: Mechanism| {
        let all = Mechanism::truncated_poisson(rate.clone(), n, cap, noise).unwrap();
        let all = all.under(Relation::Presence).unwrap();
        let steps = all.steps();
        let point = Point::at_epsilon(&q(1, 1), 160);
        let of = |one: &Steps| {
            let profile = one.single().unwrap().profile().unwrap();
            profile.at(&point).delta.hi().to_f64()
        };
        let others = steps.other_bounds().iter().map(of);
        others.fold(of(&steps.most()), f64::min)
    };
    assert!((9.4e-6..9.5e-6).contains(&truth), "{truth:e}");
    assert!(above(Mechanism::gaussian(2, 1).unwrap()) > truth);
    let square = Mechanism::gaussian_with_mu_squared(q(1, 4)).unwrap();
    assert!(above(square.clone()) > truth);
    let twice = Mechanism::gaussian_with_mu_squared(q(1, 8)).unwrap();
    let several = Mechanism::compose(vec![(twice, 2)]).unwrap();
    assert!(above(several) > truth);
    assert!(above(Mechanism::gaussian_sum(2, 1).unwrap()) < truth);
}

#[cfg(test)]
#[path = "truncated_labels_tests.rs"]
mod of_labels;
