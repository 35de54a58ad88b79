//! What only a bound, or the worst of many datasets, is known of: bounds against enumeration, and no dataset that is not one.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::claim::{Direction, Form, read};
use crate::coarse::{BOTH, Random, ends, in_units};
use crate::dataset::of_dataset;
use crate::law::{Law, Plan, Side};
use crate::profile;
use crate::proof::prove;
use crate::real::Real;
use crate::reason::{Reason, Rejected};
use crate::sensitivity::{Column, Schedule, of_tree};
use crate::step::{Epsilon, Noise, Step};
use crate::value::json;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn small(random: &mut Random, n: u64) -> i64 {
    i64::try_from(random.below(n)).unwrap()
}

fn proved(mechanism: &str, claim: &str, verified: bool, proof: &str) -> Result<(), Rejected> {
    work::begin(None);
    let text = format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#);
    let file = read(&text, Form::File, 0)?;
    prove(&file, verified, &json(proof)?)
}

/// All sets of steps that a schedule allows.
fn patterns(schedule: Schedule) -> Vec<Vec<u64>> {
    let all = (0..1u64 << schedule.steps).map(|set| (0..schedule.steps).filter(|i| set >> i & 1 == 1).collect());
    all.filter(|pattern: &Vec<u64>| {
        u64::try_from(pattern.len()).unwrap() <= schedule.most
            && pattern.windows(2).all(|pair| pair[1] - pair[0] >= schedule.apart)
    })
    .collect()
}

#[test]
fn trees_against_all_patterns() {
    let (mut exact, mut all) = (0, 0);
    for steps in 1..=13u64 {
        for most in 1..=steps {
            for apart in 1..=steps {
                work::begin(None);
                let schedule = Schedule { steps, most, apart };
                let of = |pattern: &Vec<u64>| -> u64 {
                    let of_level = |level: u32| {
                        let counts =
                            (0..steps >> level).map(|block| pattern.iter().filter(|i| **i >> level == block).count());
                        counts.map(|n| u64::try_from(n * n).unwrap()).sum::<u64>()
                    };
                    (0..=steps.ilog2()).map(of_level).sum()
                };
                let truth = q(patterns(schedule).iter().map(of).max().unwrap().try_into().unwrap(), 1);
                let (low, high) = of_tree(schedule).unwrap();
                assert!(low <= truth && truth <= high, "{steps} {most} {apart}: {low} {truth} {high}");
                exact += usize::from(low == high);
                all += 1;
                if most == 1 {
                    assert_eq!(low, high, "{steps}");
                }
            }
        }
    }
    assert_eq!(exact, all);
}

/// From below it is the sum of 0, b, 2b, …, block by block, where patterns are too long to be looked at.
#[test]
fn trees_of_long_patterns() {
    let mut random = Random::new(41);
    for _ in 0..60 {
        work::begin(None);
        let apart = 1 + random.below(40);
        let most = 4_097 + random.below(1_000);
        let schedule = Schedule { steps: (most - 1) * apart + 1 + random.below(2 * apart), most, apart };
        let steps = schedule.steps;
        let of_level = |level: u32| -> u64 {
            let mut counts = vec![0u64; usize::try_from(steps >> level).unwrap()];
            for i in (0..schedule.count()).map(|n| (n * apart) >> level) {
                if let Some(count) = counts.get_mut(usize::try_from(i).unwrap()) {
                    *count += 1;
                }
            }
            counts.iter().map(|n| n * n).sum()
        };
        let truth: u64 = (0..=steps.ilog2()).map(of_level).sum();
        let (low, high) = of_tree(schedule).unwrap();
        assert_eq!(low, BigRational::from(BigInt::from(truth)), "{steps} {most} {apart}");
        assert!(low <= high);
    }
}

/// No tree is too large to be counted.
#[test]
fn trees_of_very_many_steps() {
    for (steps, most, apart) in
        [(10u64.pow(10), 1_001, 10_000), (10u64.pow(12), 10u64.pow(12), 1), (10u64.pow(12), 10u64.pow(9), 999)]
    {
        work::begin(None);
        let (low, high) = of_tree(Schedule { steps, most, apart }).unwrap();
        assert!(BigRational::from(BigInt::from(most)) < low && low <= high);
    }
}

/// With signs for the vectors of a pattern, which are enough for a bound from below.
#[test]
fn toeplitz_columns_against_all_patterns() {
    let mut random = Random::new(77);
    let mut exact = 0;
    for round in 0..10_000 {
        work::begin(None);
        let steps = 2 + random.below(4);
        let schedule = Schedule { steps, most: 1 + random.below(steps), apart: 1 + random.below(3) };
        let mut column: Vec<BigRational> =
            (0..=random.below(steps)).map(|_| q(small(&mut random, 17) - 4, 8)).collect();
        column[0] = q(1, 1);
        let is_falling = round % 2 == 0;
        if is_falling {
            column.iter_mut().for_each(|x| *x = x.abs());
            column.sort();
            column.reverse();
        }
        let value = |pattern: &[u64], signs: u64, is_size: bool| -> BigRational {
            let row = |row: u64| -> BigRational {
                let entry = |(place, step): (usize, &u64)| {
                    let x = usize::try_from(row.checked_sub(*step)?).ok().and_then(|i| column.get(i))?;
                    Some(if is_size {
                        x.abs()
                    } else if signs >> place & 1 == 1 {
                        -x
                    } else {
                        x.clone()
                    })
                };
                pattern.iter().enumerate().filter_map(entry).sum()
            };
            (0..steps).map(row).map(|x| &x * &x).sum()
        };
        let all = patterns(schedule);
        let best = all.iter().flat_map(|pattern| (0..1u64 << pattern.len()).map(|signs| value(pattern, signs, false)));
        let (least, most) = (best.max().unwrap(), all.iter().map(|pattern| value(pattern, 0, true)).max().unwrap());
        let (low, high) = Column::new(&column, steps).square(schedule).unwrap();
        // The truth, for any vectors, is between the best signs and the sum of sizes.
        assert!(low <= most && low <= least && high >= least, "{column:?} {low} {high}: {least} {most}");
        if is_falling {
            assert_eq!((&low, &high), (&least, &most), "{column:?}");
            exact += 1;
        }
    }
    assert_eq!(exact, 5_000);
}

/// Two candidates: the least odds that are allowed are those of the pair's own tests, for either noise.
#[test]
fn choices_are_the_worst_of_two_candidates() {
    let mut random = Random::new(5);
    let half = q(1, 2);
    let mut near = 0;
    for round in 0..60 {
        work::begin(None);
        let odds = q(5 + small(&mut random, 40), 4);
        let is_flip = round % 2 == 0;
        let step = Step::Choice { epsilon: Epsilon::LogOf(odds.clone()), is_flip };
        let at = q(1 + small(&mut random, 60), 12);
        let point = profile::at(&step, Direction::Remove, &Epsilon::LogOf(at.clone())).unwrap();
        let delta = ends(&point.delta);
        let mut best = (BigRational::one() - &at).max(BigRational::zero());
        for n in 1..200 {
            let p = q(n, 200);
            // The most that the first of two candidates can have with the record.
            let most = match is_flip {
                false => &p * &odds / (q(1, 1) - &p + &p * &odds),
                true if &p * &odds <= half => &p * &odds,
                true if p <= half => q(1, 1) - (&p * &odds * q(4, 1)).recip(),
                true => q(1, 1) - (q(1, 1) - &p) / &odds,
            };
            assert!(of_dataset(&step, &[most.clone(), p.clone()]).is_ok(), "{odds} {p} {most}");
            let more = &most + (q(1, 1) - &most) * q(1, 1_000_000_000);
            let no = of_dataset(&step, &[more, p.clone()]).unwrap_err();
            assert_eq!(no.reason, Reason::Inequality);
            best = best.max(&most - &at * &p);
        }
        assert!(best <= delta.1, "{odds} {at}");
        near += usize::from(&delta.0 - &best < q(1, 2000));
        // And in the other order.
        let turned = profile::at(&step, Direction::Add, &Epsilon::LogOf(at.clone())).unwrap();
        assert_eq!(ends(&turned.delta), delta);
    }
    assert!(near > 50, "{near}");
}

/// A pair that is the worst at each u is attained at each u, and composed from above only.
#[test]
fn worst_cases_have_no_lower_law() {
    let sampled = Step::Sampled { rate: q(1, 5), of: vec![(Step::Gaussian { square: q(1, 1) }, 1)] };
    let worst = Step::Worst { of: vec![(false, sampled.clone()), (true, sampled.clone())] };
    assert!(worst.is_symmetric() && worst.is_worst_case());
    for n in -8..9 {
        work::begin(None);
        let epsilon = Epsilon::Plain(q(n, 8));
        let [one, other] = BOTH.map(|d| ends(&profile::at(&sampled, d, &epsilon).unwrap().delta));
        for direction in BOTH {
            let both = ends(&profile::at(&worst, direction, &epsilon).unwrap().delta);
            assert_eq!(both, (one.0.clone().max(other.0.clone()), one.1.clone().max(other.1.clone())));
            let turned = Step::Worst { of: vec![(true, sampled.clone())] };
            let found = ends(&profile::at(&turned, direction, &epsilon).unwrap().delta);
            assert_eq!(found, if direction == Direction::Remove { other.clone() } else { one.clone() });
        }
    }
    let plan = Plan { level: 0, first: -4, last: 4, coarsen: Vec::new() };
    let choice = Step::Choice { epsilon: Epsilon::Plain(q(1, 1)), is_flip: true };
    let inside = Step::Sampled { rate: q(1, 2), of: vec![(choice.clone(), 1)] };
    for step in [worst, choice, inside] {
        assert!(Law::of_step(&step, Direction::Remove, Side::Upper, &plan, &q(1, 4)).is_ok());
        let no = Law::of_step(&step, Direction::Remove, Side::Lower, &plan, &q(1, 4)).map(|_| ()).unwrap_err();
        assert_eq!(no.reason, Reason::WrongKind);
    }
}

/// On the integers: δ₀ by plain sums of a geometric law, and max(δ₀, 1 − u) at each u.
#[test]
fn released_keys() {
    for place in -3..6i64 {
        work::begin(None);
        let noise = Noise::DiscreteLaplace { scale: q(3, 2) };
        let x = ends(&Real::of(&q(-2, 3)).exp().unwrap()).0;
        let power = |n: i64| num_traits::pow(x.clone(), usize::try_from(n).unwrap());
        // P(Z ≥ k) = x^k/(1 + x) for k ≥ 0, and 1 − P(Z ≥ 1 − k).
        let at_least = |k: i64| power(k) / (q(1, 1) + &x);
        let chance = if place >= 0 { at_least(place) } else { q(1, 1) - at_least(1 - place) };
        let step = Step::Released { noise, place: q(place, 1) };
        for u in [q(1, 4), q(1, 1), q(3, 1)] {
            let found = ends(&profile::at(&step, Direction::Remove, &Epsilon::LogOf(u.clone())).unwrap().delta);
            let truth = chance.clone().max(q(1, 1) - &u);
            assert!(
                (&found.0 - &truth).abs() < q(1, 1 << 60) && (&found.1 - &truth).abs() < q(1, 1 << 60),
                "{place} {u}"
            );
        }
    }
}

/// T = 1 is one answer with Gaussian noise, and more answers hide it; thresholds in the wrong order are none.
#[test]
fn largest_answers() {
    let largest = |answers| Step::Largest { square: q(9, 4), answers, without: 0 };
    let [mut last_p, mut last_q] = [q(0, 1), q(1000, 1)];
    for answers in [1, 2, 10, 1000] {
        work::begin(None);
        let Step::Finite { p, q: with } = of_dataset(&largest(answers), &[q(3, 1)]).unwrap() else { panic!() };
        assert!(p[0] >= last_p && (&with[0] / &p[0]) < last_q);
        if answers == 1 {
            for (found, shift) in [(&p[0], 0), (&with[0], 2)] {
                let truth = ends(&Real::of(&(q(3 - shift, 1) / q(3, 2))).normal_tail().unwrap()).0;
                assert!((found - truth).abs() < q(1, 1 << 62));
            }
        }
        (last_p, last_q) = (p[0].clone(), &with[0] / &p[0]);
    }
    assert!(of_dataset(&largest(5), &[q(4, 1), q(3, 1), q(1, 1)]).is_ok());
    // A threshold stated twice hides no turn: the third is less than a unit of P above the first two, and far above in Q.
    let quiet = Step::Largest { square: q(1, 25), answers: 2, without: 0 };
    assert!(of_dataset(&quiet, &[q(10, 1), q(64, 25)]).is_err());
    assert!(of_dataset(&quiet, &[q(10, 1), q(10, 1), q(64, 25)]).is_err());
    let no = of_dataset(&largest(5), &[q(3, 1), q(4, 1)]).unwrap_err();
    assert_eq!(no.reason, Reason::Points);
    // So near to each other, in the right order, that what is rounded bends the curve up: by a unit of some ten.
    let near = |n: i64| q(3, 1) - BigRational::new(n.into(), BigInt::one() << (crate::law::bits() - 10));
    let near: Vec<_> = (0..6).map(near).collect();
    let no = of_dataset(&largest(5), &near).unwrap_err();
    assert_eq!(no.reason, Reason::Points);
}

/// Σ q^n·p^(1−n) of outcomes at whole orders, also where it is far beyond the range of the units.
#[test]
fn divergences_of_outcomes_at_large_orders() {
    for order in [2u32, 5, 100, 400] {
        let (p, with) = ([q(149, 150), q(1, 300), q(1, 300)], [q(1, 300), q(149, 150), q(1, 300)]);
        let n = usize::try_from(order).unwrap();
        let power = |x: &BigRational, n| num_traits::pow(x.clone(), n);
        let sum: BigRational = p.iter().zip(&with).map(|(p, r)| power(r, n) / power(p, n - 1)).sum();
        // D = log(sum)/(n − 1), between two decimals.
        let log = ends(&Real::of(&BigRational::new(sum.numer() << 8, sum.denom().clone())).ln().unwrap());
        let eight = ends(&Real::int(256).ln().unwrap());
        let truth = (log.0 - eight.0) / BigInt::from(order - 1);
        let gap = q(1, 1 << 40);
        let mechanism = r#"{"kind":"finite","p":["149/150","1/300","1/300"],"q":["1/300","149/150","1/300"]}"#;
        let claim = |x: BigRational| format!(r#"{{"kind":"rdp","order":{order},"epsilon":"{x}"}}"#);
        let source = |d: &str| {
            format!(
                r#"{{"bounds":[],"direction":"{d}","epsilons":[],"law":{{"light":0,"parts":[{{"coarsen":[],"first":0,"last":0,"level":0}}],"step":"1"}}}}"#
            )
        };
        let both = format!(r#"{{"kind":"moments","orders":[],"sources":[{},{}]}}"#, source("remove"), source("add"));
        let one = format!(r#"{{"kind":"moments","orders":[],"sources":[{}]}}"#, source("remove"));
        assert!(proved(mechanism, &claim(&truth + &gap), true, &both).is_ok(), "{order}");
        assert!(proved(mechanism, &claim(&truth - &gap), true, &both).is_err(), "{order}");
        assert!(proved(mechanism, &claim(&truth - &gap), false, &one).is_ok(), "{order}");
        assert!(proved(mechanism, &claim(&truth + &gap), false, &one).is_err(), "{order}");
    }
}

/// Where only a bound is known, nothing is refuted of it; a dataset is named, and is one.
#[test]
fn only_datasets_refute() {
    let mechanism = r#"{"kind":"compose","of":[{"kind":"exponential","epsilon":1,"times":2}]}"#;
    let source = |bound: &str| format!(r#"{{"bounds":["{bound}"],"direction":"remove","epsilons":["0"]}}"#);
    // δ(0) of two runs with two even candidates each is tanh(1/4) = 0.2449; the bound in the proof is 0.22.
    let proof = |tests: &str| {
        format!(r#"{{"kind":"profile","sources":[{}]{tests}}}"#, source("292430159072681492038837553261675806"))
    };
    let claim = r#"{"kind":"advantage","at-most":"0.2"}"#;
    let reason = |tests: &str| proved(mechanism, claim, false, &proof(tests)).map_err(|no| no.reason);
    // What bounds both together is a bound from above only.
    assert_eq!(reason(""), Err(Reason::Bound));
    assert_eq!(reason(r#","tests":[]"#), Err(Reason::WrongKind));
    assert_eq!(reason(r#","tests":[["0.62245","0.37755"]]"#), Ok(()));
    assert_eq!(reason(r#","tests":[["0.63","0.37755"]]"#), Err(Reason::Inequality));
    assert_eq!(reason(r#","tests":[["0.37755","0.62245"]]"#), Err(Reason::WrongKind));
    assert_eq!(reason(r#","tests":[["0.62245","0.37755"],["1"]]"#), Err(Reason::WrongKind));
    assert_eq!(reason(r#","member":0,"tests":[["0.62245","0.37755"]]"#), Err(Reason::WrongKind));
    // Verified claims are about all of them.
    assert_eq!(
        proved(mechanism, r#"{"kind":"advantage","at-most":"0.3"}"#, true, &proof(r#","tests":[["0.5","0.4"]]"#))
            .map_err(|no| no.reason),
        Err(Reason::WrongKind)
    );
}

/// In large units: what passes a threshold is rounded down with the record, up without it, each by less than a unit.
#[test]
fn largest_answers_in_large_units() {
    let step = |n| Step::Largest { square: q(9, 4), answers: n, without: 0 };
    for n in 1..40 {
        for answers in [1, 3] {
            work::begin(None);
            let threshold = q(n, 7);
            let of = |masses| {
                let found = in_units(60, masses, || of_dataset(&step(answers), std::slice::from_ref(&threshold)));
                match found.unwrap() {
                    Step::Finite { p, q } => (p[0].clone(), q[0].clone()),
                    other => panic!("{other:?}"),
                }
            };
            let ((p, with), (fine_p, fine_with)) = (of(8), of(40));
            let unit = q(1, 256);
            assert!(with <= fine_with && &fine_with - &with < unit, "{threshold} {with} {fine_with}");
            assert!(p >= fine_p && &p - &fine_p < unit, "{threshold} {p} {fine_p}");
        }
    }
}
