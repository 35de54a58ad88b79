//! Groups against their definition: the most power of a test, applied as often as records change.

use super::*;
use crate::coarse::Random;
use crate::condition::Condition;

fn fraction(random: &mut Random) -> BigRational {
    BigRational::new((1 + random.below(11)).into(), 12.into())
}

fn law(random: &mut Random, length: u64) -> Vec<BigRational> {
    let parts: Vec<u64> = (0..length).map(|_| if random.below(5) == 0 { 0 } else { 1 + random.below(9) }).collect();
    let total = parts.iter().sum::<u64>() + 1;
    let last = parts.len() - 1;
    let part = |(place, part): (usize, &u64)| BigRational::new((part + u64::from(place == last)).into(), total.into());
    parts.iter().enumerate().map(part).collect()
}

fn profile(p: &[BigRational], q: &[BigRational], u: &BigRational) -> BigRational {
    p.iter().zip(q).map(|(p, q)| (q - u * p).max(BigRational::zero())).sum()
}

/// The least δ(u) + u·m.
fn most_power(p: &[BigRational], q: &[BigRational], m: &BigRational) -> BigRational {
    let ratios = p.iter().zip(q).filter(|(p, _)| !p.is_zero()).map(|(p, q)| q / p);
    let all = ratios.chain([BigRational::zero()]).map(|u| profile(p, q, &u) + u * m);
    all.min().unwrap()
}

fn mean(chain: impl Fn(&BigRational) -> BigRational, records: u64, rate: &BigRational, m: &BigRational) -> BigRational {
    let mut powers = vec![m.clone()];
    for _ in 0..records {
        powers.push(chain(powers.last().unwrap()));
    }
    let chances = binomial(records, rate, &BigRational::one()).unwrap();
    chances.iter().zip(&powers).map(|((chance, _), power)| chance * power).sum()
}

fn vectors(parts: &[(Step, u64)]) -> (&[BigRational], &[BigRational]) {
    match parts {
        [(Step::Finite { p, q }, 1)] => (p, q),
        other => panic!("{other:?}"),
    }
}

#[test]
fn pairs_one_record_after_the_other() {
    let mut random = Random::new(7);
    let mut replaced = 0;
    for round in 0..400 {
        crate::work::begin(None);
        let length = 2 + random.below(4);
        let (p, q) = (law(&mut random, length), law(&mut random, length));
        let records = 2 + random.below(3);
        let rate = if round % 3 == 0 { BigRational::one() } else { fraction(&mut random) };
        let found = of_pair(&p, &q, records, &rate, Relation::Presence).unwrap();
        assert!(found.members.is_empty() && found.granted == [Condition::Guarantee].into());
        let (a, b) = vectors(&found.steps);
        assert_eq!(a.iter().sum::<BigRational>(), BigRational::one());
        assert_eq!(b.iter().sum::<BigRational>(), BigRational::one());
        for _ in 0..8 {
            let m = fraction(&mut random);
            let truth = mean(|m| most_power(&p, &q, m), records, &rate, &m);
            assert_eq!(most_power(a, b, &m), truth, "{p:?} {q:?} {records} {rate}");
        }
        // A replaced record: in either order of the pair.
        let both = of_pair(&p, &q, records, &rate, Relation::ReplaceOne).unwrap();
        if !both.members.is_empty() {
            assert!(both.members.len() == 1 && both.members.first() == Some(&found.steps));
            replaced += 1;
        }
        let (a, b) = vectors(&both.steps);
        for _ in 0..8 {
            let m = fraction(&mut random);
            // The least concave function above both has the larger of both profiles: slopes are those of either, or where they cross.
            let of = |u: &BigRational| profile(&p, &q, u).max(profile(&q, &p, u));
            let mut slopes: Vec<BigRational> = vec![BigRational::zero()];
            for (x, y) in p.iter().zip(&q) {
                slopes.extend((!x.is_zero()).then(|| y / x));
                slopes.extend((!y.is_zero()).then(|| x / y));
            }
            slopes.sort();
            let crossings: Vec<_> = slopes
                .windows(2)
                .filter_map(|ends| {
                    let gap = |u: &BigRational| profile(&p, &q, u) - profile(&q, &p, u);
                    let (left, right) = (gap(&ends[0]), gap(&ends[1]));
                    (&left * &right < BigRational::zero())
                        .then(|| &ends[0] + (&ends[1] - &ends[0]) * &left / (&left - &right))
                })
                .collect();
            slopes.extend(crossings);
            let chain = |m: &BigRational| slopes.iter().map(|u| of(u) + u * m).min().unwrap();
            assert_eq!(most_power(a, b, &m), mean(chain, records, &rate, &m), "{p:?} {q:?} {records} {rate}");
        }
    }
    assert!(replaced > 100, "{replaced}");
}

#[test]
fn guarantees_one_record_after_the_other() {
    let mut random = Random::new(11);
    let one = BigRational::one();
    for round in 0..300 {
        crate::work::begin(None);
        let u = &one + BigRational::new(random.below(30).into(), 10.into());
        let delta = match round % 4 {
            0 => BigRational::zero(),
            1 => BigRational::new(1.into(), 1000.into()),
            _ => fraction(&mut random) / BigInt::from(2),
        };
        let records = 2 + random.below(4);
        let rate = if round % 3 == 0 { one.clone() } else { fraction(&mut random) };
        let epsilon = Epsilon::LogOf(u.clone());
        let found = sampled_guarantee(&epsilon, &delta, records, &rate).unwrap();
        assert!(found.members.is_empty());
        let (a, b) = vectors(&found.steps);
        let chain = |m: &BigRational| (&u * m + &delta).min(&one - (&one - &delta - m) / &u).min(one.clone());
        for _ in 0..8 {
            let m = fraction(&mut random);
            assert_eq!(most_power(a, b, &m), mean(chain, records, &rate, &m), "{u} {delta} {records} {rate}");
        }
        // Without a sample: by points, which say as much.
        let points = under_guarantee(&epsilon, &delta, records).unwrap();
        assert!(points.members.is_empty());
        let alone = sampled_guarantee(&epsilon, &delta, records, &one).unwrap();
        let (a, b) = vectors(&alone.steps);
        match points.steps.as_slice() {
            [(Step::Guarantee { points }, 1)] => {
                // What they say of tests, in both orders.
                let of = |m: &BigRational, (epsilon, delta): &(Epsilon, BigRational)| {
                    let Epsilon::LogOf(u) = epsilon else { panic!("{epsilon:?}") };
                    (u * m + delta).min(&one - (&one - delta - m) / u)
                };
                for _ in 0..8 {
                    let m = fraction(&mut random);
                    let said = points.iter().map(|point| of(&m, point)).min().unwrap().min(one.clone());
                    assert_eq!(said, most_power(a, b, &m), "{u} {delta} {records}");
                }
            }
            [(Step::Finite { .. }, 1)] => assert_eq!(profile(a, b, &one), one),
            other => panic!("{other:?}"),
        }
    }
}

/// Of an e^ε that is no fraction both ends are next to the formula, on their sides.
#[test]
fn guarantees_are_rounded_to_their_sides() {
    let mut random = Random::new(5);
    let (mut seen, mut sides) = (0, 0);
    for _ in 0..200 {
        crate::work::begin(None);
        let (epsilon, delta) = (fraction(&mut random) * BigInt::from(3), fraction(&mut random) / BigInt::from(2000));
        let records = 2 + random.below(6);
        let found = under_guarantee(&Epsilon::Plain(epsilon.clone()), &delta, records).unwrap();
        let ([(Step::Guarantee { points: most }, 1)], [member]) = (found.steps.as_slice(), found.members.as_slice())
        else {
            // All may be told.
            assert_eq!(found.steps, [(everything(), 1)]);
            continue;
        };
        seen += 1;
        let [(Step::Guarantee { points: least }, 1)] = member.as_slice() else { panic!("{member:?}") };
        let float = |x: &BigRational| num_traits::ToPrimitive::to_f64(x).unwrap();
        assert_eq!(most.len(), least.len());
        for ((at, high), (same, low)) in most.iter().zip(least) {
            // Those that say nothing are left out.
            let is_at = |b: &u64| *at.number() == &epsilon * BigInt::from(records - 2 * b);
            let b = (0..=records / 2).find(is_at).unwrap();
            assert!(at == same);
            assert!(low < high && high - low < BigRational::new(1.into(), BigInt::one() << 200u32));
            let (e, d) = (float(&epsilon).exp(), float(&delta));
            let sum = |n: u64| (0..n).map(|i| e.powi(i32::try_from(i).unwrap())).sum::<f64>();
            let b = i32::try_from(b).unwrap();
            let truth = 1.0
                - e.powi(-b) * (1.0 - d * (sum(records - u64::try_from(b).unwrap()) + sum(u64::try_from(b).unwrap())));
            assert!((float(high) - truth).abs() < 1e-12, "{high} {truth}");
        }
        // That of all records is δ·(1 + e^ε + …), each sum of ends of its own side.
        let all = Epsilon::Plain(&epsilon * BigInt::from(records));
        let ends = |n: u64| Epsilon::Plain(&epsilon * BigInt::from(n)).exp().unwrap().ends();
        let one = BigRational::one;
        let sums = (1..records).map(ends).fold((one(), one()), |(low, high), end| (low + end.0, high + end.1));
        for (points, sum) in [(least, sums.0), (most, sums.1)] {
            if let Some((_, said)) = points.iter().find(|(at, _)| *at == all) {
                assert_eq!(*said, sum * &delta);
                sides += 1;
            }
        }
        // On a sample: a pair below, and one above.
        let found = sampled_guarantee(&Epsilon::Plain(epsilon), &delta, records, &fraction(&mut random)).unwrap();
        let [member] = found.members.as_slice() else { panic!("{found:?}") };
        let ((a, b), (c, d)) = (vectors(member), vectors(&found.steps));
        for _ in 0..8 {
            let m = fraction(&mut random);
            let (low, high) = (most_power(a, b, &m), most_power(c, d, &m));
            assert!(low <= high && high - low < BigRational::new(1.into(), BigInt::one() << 40u32));
        }
    }
    assert!(seen > 100 && sides > 100, "{seen} {sides}");
}

#[test]
fn odd_guarantees() {
    crate::work::begin(None);
    let (zero, one) = (BigRational::zero(), BigRational::one());
    let none = Epsilon::Plain(zero.clone());
    let tenth = BigRational::new(1.into(), 10.into());
    let point = |delta: &BigRational| under_guarantee(&none, delta, 3).unwrap().steps;
    // (0, δ)-DP adds up.
    assert_eq!(point(&tenth), [(Step::Guarantee { points: vec![(none.clone(), &tenth * BigInt::from(3))] }, 1)]);
    assert_eq!(point(&BigRational::new(1.into(), 2.into())), [(everything(), 1)]);
    assert_eq!(point(&one), [(everything(), 1)]);
    assert_eq!(under_guarantee(&none, &zero, 257).unwrap_err().reason, crate::Reason::Limit);
    let sampled = sampled_guarantee(&none, &one, 2, &tenth).unwrap();
    let (p, q) = vectors(&sampled.steps);
    assert_eq!(profile(p, q, &one), &one - (&one - &tenth) * (&one - &tenth));
}

/// Groups of what has no rule are not read, also where a step looks like one that has: the kind counts.
#[test]
fn groups_of_other_kinds() {
    let read = |of: &str| {
        crate::work::begin(None);
        let text = format!(
            r#"{{"mechanism":{{"kind":"group","records":3,"of":{of}}},"claim":{{"kind":"advantage","at-most":1}}}}"#
        );
        crate::claim::read(&text, crate::claim::Form::Line, 0).map_err(|no| no.reason)
    };
    let sampled = |of: &str| format!(r#"{{"kind":"subsampled","rate":"1/2","of":{of}}}"#);
    let finite = r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/3","2/3"]}"#;
    for of in [finite, r#"{"kind":"approx-dp","epsilon":1,"delta":"0.1"}"#, r#"{"kind":"pure-dp","exp-epsilon":2}"#] {
        assert!(read(of).is_ok() && read(&sampled(of)).is_ok() && read(&sampled(&sampled(of))).is_ok(), "{of}");
    }
    let ends = r#"{"kind":"noise-threshold","noise":"truncated-geometric","scale":2,"threshold":12,"release-if":">"}"#;
    let group = format!(r#"{{"kind":"group","records":2,"of":{finite}}}"#);
    for of in [
        ends,
        &group,
        r#"{"kind":"randomized-response","epsilon":1}"#,
        r#"{"kind":"profile","points":[["1","0.1"]]}"#,
        r#"{"kind":"zcdp","rho":1,"xi":1}"#,
        r#"{"kind":"compose","of":[{"kind":"randomized-response","epsilon":1},{"kind":"gdp","mu":0}]}"#,
    ] {
        assert_eq!(read(of).err(), Some(crate::Reason::NoCertificateYet), "{of}");
        assert_eq!(read(&sampled(of)).err(), Some(crate::Reason::NoCertificateYet), "{of}");
    }
}

/// Numbers that get too long end with the budget of work.
#[test]
fn large_groups_end() {
    let tiny = BigRational::new(1.into(), 100_000.into());
    let long = BigRational::new((BigInt::one() << 3000u32) + 1, BigInt::one() << 2999u32);
    for epsilon in [Epsilon::Plain(BigRational::from(BigInt::from(1000))), Epsilon::LogOf(long)] {
        crate::work::begin(None);
        assert_eq!(under_guarantee(&epsilon, &tiny, 64).unwrap_err().reason, crate::Reason::Limit, "{epsilon}");
    }
}

/// A group takes for granted what its mechanism does, and has the pair in the same order.
#[test]
fn conditions_and_orders_of_groups() {
    crate::work::begin(None);
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    let (p, with) = (vec![q(1, 2), q(1, 3), q(1, 6)], vec![q(1, 7), q(2, 7), q(4, 7)]);
    let finite = Step::Finite { p: p.clone(), q: with.clone() };
    let sampled = Step::Sampled { rate: q(1, 3), of: vec![(finite.clone(), 1)] };
    for (step, rate) in [(finite, q(1, 1)), (sampled, q(1, 3))] {
        let mut alone = Normal::one(step);
        alone.granted.insert(Condition::FixedBatches);
        let found = alone.of_group(2, Relation::Presence, "finite").unwrap();
        let of = |p: &[BigRational], q: &[BigRational]| of_pair(p, q, 2, &rate, Relation::Presence).unwrap();
        assert!(found.granted.contains(&Condition::FixedBatches));
        assert!(found.granted.is_superset(&of(&p, &with).granted));
        assert_eq!(found.steps, of(&p, &with).steps);
        assert_ne!(found.steps, of(&with, &p).steps);
    }
}

/// A point at which all may be told says nothing, and is left out from above, although it is below 1 from below.
#[test]
fn points_next_to_1() {
    // δ = 1/(1 + e) to 2^-400: δ(2) of two records is (1 + e)·δ.
    let fine = |bits: u32| {
        let unit = BigInt::one() << bits;
        // Σ 1/k!, with some bits to spare.
        let (mut sum, mut term) = (BigInt::zero(), &unit << 40u32);
        for k in 1..200u32 {
            sum += &term;
            term /= k;
        }
        BigRational::new(sum, unit << 40u32)
    };
    let delta = (BigRational::one() + fine(420)).recip();
    let delta = BigRational::new((delta * (BigInt::one() << 400u32)).floor().to_integer(), BigInt::one() << 400u32);
    crate::work::begin(None);
    let found = under_guarantee(&Epsilon::Plain(BigRational::one()), &delta, 2).unwrap();
    let [member] = found.members.as_slice() else { panic!("{found:?}") };
    let points = |parts: &[(Step, u64)]| match parts {
        [(Step::Guarantee { points }, 1)] => points.clone(),
        other => panic!("{other:?}"),
    };
    let (most, least) = (points(&found.steps), points(member));
    assert!(most.iter().chain(&least).all(|(_, delta)| *delta < BigRational::one()));
    assert_eq!((most.len(), least.len()), (1, 2));
}

/// The same in coarse units, by themselves: sums of what a guarantee says of groups never go beyond the fine ones on their side.
#[test]
fn guarantees_in_coarse_units() {
    let mut random = Random::new(17);
    let mut seen = 0;
    for round in 0..3_000u32 {
        crate::work::begin(None);
        let (epsilon, records) = (fraction(&mut random) * BigInt::from(2), 2 + random.below(9));
        // About what makes the guarantee say nearly nothing.
        let delta = fraction(&mut random) / BigInt::from(1u32 << random.below(14));
        let of = |reals| {
            let epsilon = Epsilon::Plain(epsilon.clone());
            let found = crate::coarse::in_units(reals, 10, || under_guarantee(&epsilon, &delta, records)).unwrap();
            let points = |parts: &[(Step, u64)]| match parts {
                [(Step::Guarantee { points }, 1)] => points.clone(),
                _ => Vec::new(),
            };
            (points(&found.steps), points(found.members.first().map_or(&[], Vec::as_slice)))
        };
        let (fine, coarse) = (of(200), of(20 + round % 24));
        let pairs = |fine: &[(Epsilon, BigRational)], coarse: &[(Epsilon, BigRational)]| -> Vec<_> {
            let same = |at: &Epsilon| fine.iter().find(|(other, _)| other == at).map(|(_, delta)| delta.clone());
            coarse.iter().filter_map(|(at, delta)| same(at).map(|fine| (fine, delta.clone()))).collect()
        };
        for (high, found) in pairs(&fine.0, &coarse.0) {
            assert!(found >= high, "{epsilon} {delta} {records} {found} {high}");
        }
        for (low, found) in pairs(&fine.1, &coarse.1) {
            assert!(found <= low, "{epsilon} {delta} {records} {found} {low}");
            seen += 1;
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// Both ends are among the points, of equal levels the most power counts, and what is below a line between others goes.
#[test]
fn powers_above_points() {
    crate::work::begin(None);
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    let above = |points: &[(BigRational, BigRational)]| Power::above(points.to_vec()).unwrap().0;
    let (start, end) = ((q(0, 1), q(0, 1)), (q(1, 1), q(1, 1)));
    assert_eq!(above(&[]), [start.clone(), end.clone()]);
    let best = (q(1, 4), q(3, 4));
    let points = [(q(1, 1), q(2, 3)), (q(1, 4), q(1, 2)), best.clone(), (q(1, 4), q(1, 3)), (q(1, 2), q(3, 4))];
    assert_eq!(above(&points), [start, best.clone(), end.clone()]);
    assert_eq!(above(&[(q(0, 1), q(1, 8)), best.clone(), (q(0, 1), q(1, 2))]), [(q(0, 1), q(1, 2)), best, end]);
}
