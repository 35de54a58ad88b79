//! Against every pair of neighbouring datasets of a small universe, by their definition.

use std::collections::BTreeMap;

use super::*;
use crate::door::{Analysis, Precision};
use crate::mechanism::{Adjacency, Epsilon, Mechanism};
use crate::statement::Query;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// What is seen of a key: nothing, or its noisy count. Counts from `CAP` on are one, as the likelihood ratio is the same for all.
type Seen = Option<i64>;
const CAP: i64 = 24;

/// A table of whole counts with noise of mass ∝ e^{−|k|/scale}, that ends at the threshold or never.
#[derive(Clone, Copy)]
struct Table {
    scale: f64,
    threshold: f64,
    at_threshold: bool,
    ends: bool,
}

impl Table {
    fn law(self, count: i64) -> BTreeMap<Seen, f64> {
        let mut law = BTreeMap::new();
        // A key that is not in the dataset is never released.
        if count == 0 {
            law.insert(None, 1.0);
            return law;
        }
        let x = (-1.0 / self.scale).exp();
        let small = |k: i64| i32::try_from(k).unwrap();
        let there = |k: i64| !self.ends || f64::from(small(k.abs())) <= self.threshold;
        let weight = |k: i64| {
            if there(k) {
                x.powi(small(k.abs()))
            } else {
                0.0
            }
        };
        let all: f64 = (-400..=400).map(weight).sum();
        let mass = |k: i64| weight(k) / all;
        let mut total = 0.0;
        for noisy in -90..CAP {
            let p = mass(noisy - count);
            let value = f64::from(small(noisy));
            let passes = value > self.threshold || (self.at_threshold && value == self.threshold);
            *law.entry(passes.then_some(noisy)).or_insert(0.0) += p;
            total += p;
        }
        *law.entry(Some(CAP)).or_insert(0.0) += 1.0 - total;
        law
    }

    /// What is seen of all keys together: with which probability in either dataset.
    fn pair(self, without: &[i64], with: &[i64]) -> Vec<(f64, f64)> {
        let mut pairs = vec![(1.0, 1.0)];
        for (a, b) in without.iter().zip(with) {
            let (p, q) = (self.law(*a), self.law(*b));
            let mut seen: Vec<Seen> = p.keys().chain(q.keys()).copied().collect();
            seen.sort();
            seen.dedup();
            let at = |law: &BTreeMap<Seen, f64>, s: &Seen| law.get(s).copied().unwrap_or(0.0);
            let mut next = Vec::new();
            for (x, y) in &pairs {
                next.extend(seen.iter().map(|s| (x * at(&p, s), y * at(&q, s))));
            }
            pairs = next;
        }
        pairs
    }

    fn mechanism(self, keys: u64, bound: i64) -> Mechanism {
        let exact = |x: f64| Rational::from_f64(x).unwrap();
        let scale = exact(self.scale);
        let last = exact(self.threshold).floor().numer().to_u64().unwrap();
        let noise = match self.ends {
            true => CountNoise::TruncatedGeometric { scale, last },
            false => CountNoise::DiscreteLaplace { scale },
        };
        let releases = match self.at_threshold {
            true => Releases::AtLeast,
            false => Releases::Above,
        };
        let bound = Some(q(bound, 1));
        Mechanism::noise_threshold(noise, exact(self.threshold), releases, keys, bound).unwrap()
    }
}

/// δ(u), and that of the other order.
fn deltas(pair: &[(f64, f64)], u: f64) -> (f64, f64) {
    let sum = |a: f64, (p, q): &(f64, f64)| a + (q - u * p).max(0.0);
    let swapped = |a: f64, (p, q): &(f64, f64)| a + (p - u * q).max(0.0);
    (pair.iter().fold(0.0, sum), pair.iter().fold(0.0, swapped))
}

fn tables() -> Vec<Table> {
    let table = |scale, threshold, at_threshold| Table {
        scale,
        threshold,
        at_threshold,
        ends: false,
    };
    let ends = |scale, threshold, at_threshold| Table {
        ends: true,
        ..table(scale, threshold, at_threshold)
    };
    vec![
        table(1.0, 5.0, false),
        table(1.0, 5.0, true),
        table(2.0, 3.0, false),
        table(0.75, 2.5, true),
        ends(1.0, 3.0, false),
        ends(1.5, 3.0, true),
        ends(2.0, 1.0, false),
    ]
}

fn found(mechanism: &Mechanism, adjacency: Adjacency, u: &Rational) -> (f64, f64) {
    let query = Query::delta_at(Epsilon::log_of(u.clone()).unwrap());
    let analysis = Analysis::of(mechanism.clone())
        .adjacency(adjacency)
        .prepare();
    let precision = Precision::relative("1e-9").unwrap();
    let answer = analysis.unwrap().bound(&query, precision).unwrap();
    (answer.lower().to_f64(), answer.upper().to_f64())
}

/// The largest of all that was enumerated is what is enclosed: nothing is above, and something is there.
fn is_the_largest(all: impl Iterator<Item = f64>, (low, high): (f64, f64), what: &str) {
    let largest = all.fold(0.0, f64::max);
    assert!(largest <= high + 1e-11, "{what}: {largest} above {high}");
    assert!(largest >= low - 1e-11, "{what}: {largest} below {low}");
    assert!(high - low <= 1e-8 * high.max(1e-12), "{what}: {low} {high}");
}

fn places() -> Vec<Rational> {
    vec![
        q(1, 3),
        q(9, 10),
        q(1, 1),
        q(5, 4),
        q(5, 2),
        q(8, 1),
        q(20, 1),
    ]
}

/// Others have none of a key, one, some, or so many that the noisy count passes the threshold for certain noise ≥ 0.
const OTHERS: [i64; 5] = [0, 1, 2, 5, 8];

/// One record more or less, with up to two keys, in a universe of two.
#[test]
fn every_dataset_and_record() {
    for table in tables() {
        for (keys, bound) in [(1, 1), (1, 2), (2, 1)] {
            let mechanism = table.mechanism(keys, bound);
            let mut pairs = Vec::new();
            for a in OTHERS {
                for b in OTHERS {
                    for x in 0..=bound {
                        for y in 0..=bound {
                            let used = u64::from(x > 0) + u64::from(y > 0);
                            if used <= keys {
                                pairs.push(table.pair(&[a, b], &[a + x, b + y]));
                            }
                        }
                    }
                }
            }
            for u in places() {
                let real = u.to_f64();
                let what = format!("{} {} {keys} {bound} {u}", table.scale, table.threshold);
                let all: Vec<(f64, f64)> = pairs.iter().map(|pair| deltas(pair, real)).collect();
                let (remove, add) = (all.iter().map(|one| one.0), all.iter().map(|one| one.1));
                is_the_largest(remove, found(&mechanism, Adjacency::Remove, &u), &what);
                is_the_largest(add, found(&mechanism, Adjacency::Add, &u), &what);
                let special = found(&mechanism, Adjacency::ReplaceSpecial, &u);
                let both = found(&mechanism, Adjacency::AddRemove, &u);
                assert!(special.0 <= both.1 && both.0 <= special.1, "{what}");
            }
        }
    }
}

/// One record instead of another, each with one key, in a universe of two.
#[test]
fn every_record_instead_of_another() {
    for table in tables() {
        let bound = 2;
        let mechanism = table.mechanism(1, bound);
        let records: Vec<[i64; 2]> = (0..=bound).flat_map(|x| [[x, 0], [0, x]]).collect();
        let mut pairs = Vec::new();
        for a in OTHERS {
            for b in OTHERS {
                for old in &records {
                    for new in &records {
                        let (without, with) = ([a + old[0], b + old[1]], [a + new[0], b + new[1]]);
                        pairs.push(table.pair(&without, &with));
                    }
                }
            }
        }
        for u in places() {
            let what = format!("{} {} {u}", table.scale, table.threshold);
            let all = pairs.iter().map(|pair| deltas(pair, u.to_f64()).0);
            is_the_largest(all, found(&mechanism, Adjacency::ReplaceOne, &u), &what);
        }
    }
}

/// Two tables, each with its own others: what two keys at once reveal, under the condition that is printed.
#[test]
fn rounds_are_keys_that_the_dataset_decides() {
    for table in tables() {
        let one = table.mechanism(1, 1);
        let twice = Mechanism::compose(vec![(one.clone(), 2)]).unwrap();
        // Of noise that ends at the threshold there is one worst pair, whatever the dataset decides.
        let is_listed = !table.ends || table.at_threshold;
        assert_eq!(twice.steps().conditions().fixed_keys, is_listed);
        assert_eq!(twice.steps().is_listed(), is_listed);
        assert!(!one.steps().conditions().fixed_keys);
        let at_once = table.mechanism(2, 1);
        assert!(!at_once.steps().conditions().fixed_keys);
        for u in places() {
            let (a, b) = (
                found(&twice, Adjacency::AddRemove, &u),
                found(&at_once, Adjacency::AddRemove, &u),
            );
            assert!(a.0 <= b.1 && b.0 <= a.1, "{u}");
        }
    }
}

/// Without the condition an analyst can do worse: who looks at a new key after a loss that makes it worth more.
#[test]
fn the_condition_is_needed() {
    let table = Table {
        scale: 1.0,
        threshold: 4.0,
        at_threshold: false,
        ends: false,
    };
    let (others, u) = (8, 2.5);
    let one = |u: f64| {
        let kinds = [(others, others + 1), (0, 1)];
        let deltas = kinds.map(|(p, q)| deltas(&table.pair(&[p], &[q]), u).0);
        deltas[0].max(deltas[1])
    };
    let (p, q) = (table.law(others), table.law(others + 1));
    let adaptive: f64 = q
        .iter()
        .map(|(seen, q)| match p.get(seen).copied().unwrap_or(0.0) {
            0.0 => *q,
            p => q * one(u * p / q),
        })
        .sum();
    let twice = Mechanism::compose(vec![(table.mechanism(1, 1), 2)]).unwrap();
    let fixed = found(&twice, Adjacency::Remove, &Rational::from_f64(u).unwrap());
    assert!(adaptive > fixed.1 + 1e-6, "{adaptive} {fixed:?}");
    // And the bound of everything is above that, too.
    let most = twice.steps().most();
    assert!(!most.is_bound() && most.runs() == 2);
}

/// δ of Laplace noise, and of a new key, at most e^ε = e^{1/2}: the larger of 1 − e^{(ε − 1)/2} and e^{−9}/2.
#[test]
fn real_noise_by_closed_forms() {
    let laplace = |threshold: i64, keys| {
        let noise = CountNoise::Laplace { scale: q(1, 1) };
        Mechanism::noise_threshold(noise, threshold, Releases::Above, keys, None).unwrap()
    };
    let delta = |mechanism: &Mechanism, epsilon: &str, adjacency| {
        let analysis = Analysis::of(mechanism.clone())
            .adjacency(adjacency)
            .prepare();
        let query = Query::delta(epsilon).unwrap();
        let answer = analysis
            .unwrap()
            .bound(&query, Precision::relative("1e-7").unwrap())
            .unwrap();
        answer.lower().to_f64()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-7 * b.max(1e-9), "{a} {b}");
    let one = laplace(10, 1);
    near(
        delta(&one, "1/2", Adjacency::Remove),
        1.0 - (-0.25f64).exp(),
    );
    near(delta(&one, "2", Adjacency::Remove), (-9f64).exp() / 2.0);
    // Nothing is released without the record in the other order, so that a large ε costs nothing.
    assert_eq!(delta(&one, "2", Adjacency::Add), 0.0);
    // Three keys at ε = 4, beyond their loss: all new.
    let rest = 1.0 - (-9f64).exp() / 2.0;
    near(
        delta(&laplace(10, 3), "4", Adjacency::Remove),
        1.0 - rest.powi(3),
    );
}

/// The trade-off function is the largest convex one below that of Laplace noise and (1 − δ₀)(1 − α) of a new key: the highest of the lines 1 − δ − uα, δ the larger of both.
#[test]
fn what_falls_is_below_all() {
    let noise = CountNoise::Laplace { scale: q(1, 1) };
    let mechanism = Mechanism::noise_threshold(noise, 2, Releases::Above, 1, None).unwrap();
    let new = 1.0 - (-1f64).exp() / 2.0;
    let ask = |of: &Mechanism, query: &Query| {
        let analysis = Analysis::of(of.clone()).adjacency(Adjacency::Remove);
        let precision = Precision::relative("1e-9").unwrap();
        let answer = analysis.prepare().unwrap().bound(query, precision).unwrap();
        (answer.lower().to_f64(), answer.upper().to_f64())
    };
    for alpha in ["1/100", "3/10", "9/10"] {
        let query = Query::trade_off(alpha).unwrap();
        let real = Rational::from_str_radix(alpha, 10).unwrap().to_f64();
        let truth = (-1_200_000..1_200_000)
            .map(|n| f64::from(n) * 1e-6)
            .map(|epsilon| {
                let u = epsilon.exp();
                let laplace = match epsilon {
                    e if e >= 1.0 => 0.0,
                    e if e >= -1.0 => 1.0 - ((e - 1.0) / 2.0).exp(),
                    _ => 1.0 - u,
                };
                1.0 - f64::max(laplace, 1.0 - new + f64::max(new - u, 0.0)) - u * real
            });
        let truth = truth.fold(0.0, f64::max);
        let (low, high) = ask(&mechanism, &query);
        assert!(
            low <= truth + 1e-8 && truth <= high + 1e-8,
            "{alpha} {low} {truth} {high}"
        );
        assert!(high - low < 1e-7, "{alpha}");
    }
    let advantage = ask(&mechanism, &Query::advantage());
    assert!((advantage.0 - (1.0 - (-0.5f64).exp())).abs() < 1e-8);
}

#[test]
fn what_is_no_mechanism() {
    let new = |noise: CountNoise, keys, bound| {
        NoiseThreshold::new(noise, q(5, 1), Releases::Above, keys, bound).map(|_| ())
    };
    let whole = || CountNoise::DiscreteLaplace { scale: q(1, 1) };
    assert!(new(whole(), 1, Some(q(3, 1))).is_ok());
    assert!(new(whole(), 1, Some(q(3, 2))).is_err());
    assert!(new(whole(), 0, None).is_err());
    assert!(new(CountNoise::Laplace { scale: q(1, 1) }, 1, Some(q(3, 2))).is_ok());
    assert!(new(CountNoise::Laplace { scale: q(0, 1) }, 1, None).is_err());
    let ends = |last| CountNoise::TruncatedGeometric {
        scale: q(1, 1),
        last,
    };
    assert!(new(ends(5), 1, None).is_ok());
    let error = new(ends(4), 1, None).unwrap_err().to_string();
    assert!(error.contains("`threshold` must be where"), "{error}");
    let none = NoiseThreshold::new(whole(), q(5, 1), Releases::Above, 1, None).unwrap();
    assert!(none.steps(Relation::ReplaceOne).is_err());
    assert!(none.steps(Relation::ReplaceSpecial).is_ok());
    let mechanism = Mechanism::new(none).unwrap();
    assert!(Mechanism::subsampled("1/2", mechanism.clone()).is_err());
    assert!(Mechanism::group(2, mechanism).is_err());
}

/// Beside one other record the keys of τ = 2 and b = 1 have an advantage of 0.18335, by enumeration, and of the pair, which takes five, 0.49840.
#[test]
fn keys_stand_beside_no_number_of_records() {
    let key = tables()[0].mechanism(1, 1);
    let sum = || Mechanism::gaussian_sum(1000, 1).unwrap();
    let reports = Mechanism::shuffled(2, Mechanism::pure_dp(q(1, 10)).unwrap()).unwrap();
    let many = [
        Mechanism::truncated_poisson(q(1, 2), 2, 1, sum()).unwrap(),
        Mechanism::without_replacement(2, 1, sum()).unwrap(),
        reports,
    ];
    let together = |beside: Mechanism| {
        let both = Mechanism::compose(vec![(beside.clone(), 1), (key.clone(), 1)]);
        let one = Mechanism::mixture(vec![(q(1, 2), beside), (q(1, 2), key.clone())]);
        let told = |of: Result<Mechanism, OutOfRange>, relation| {
            of.and_then(|of| of.under(relation)).map(|_| ())
        };
        [both, one].map(|of| {
            [Relation::Presence, Relation::ReplaceOne].map(|relation| told(of.clone(), relation))
        })
    };
    for beside in many {
        for told in together(beside).into_iter().flatten() {
            let error = told.unwrap_err().to_string();
            assert!(error.contains("a stated number of records"), "{error}");
        }
    }
    for told in together(Mechanism::subsampled("1/2", sum()).unwrap())
        .into_iter()
        .flatten()
    {
        assert_eq!(told, Ok(()));
    }
}

/// More rounds than are listed: a member below and a bound above, which is said.
#[test]
fn many_rounds_are_between_two_bounds() {
    let table = tables()[0];
    let many = Mechanism::compose(vec![(table.mechanism(1, 1), 100)]).unwrap();
    assert!(many.steps().is_bound() && !many.steps().is_listed());
    assert!(many.steps().conditions().fixed_keys);
    let few = Mechanism::compose(vec![(table.mechanism(1, 1), 10)]).unwrap();
    assert_eq!(few.steps().members().len(), 11);
    assert!(few.steps().is_listed());
}

/// A key that others have too is noise on a count that moves by the record bound.
#[test]
fn a_shared_key_moves_by_the_record_bound() {
    let of = |noise: CountNoise| {
        NoiseThreshold::new(noise, q(9, 1), Releases::AtLeast, 1, Some(q(3, 1)))
            .unwrap()
            .shared()
    };
    let laplace = of(CountNoise::Laplace { scale: q(2, 1) });
    assert!(matches!(laplace, Step::Laplace { epsilon } if epsilon == q(3, 2)));
    let gaussian = of(CountNoise::Gaussian { sigma: q(2, 1) });
    assert!(matches!(gaussian, Step::Gaussian { mu_squared } if mu_squared == q(9, 4)));
}
