//! Proofs of claims about Rényi divergences and dominance against exact truths: true ones are accepted, false ones never.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::claim::{Form, read};
use crate::coarse::{Random, cases, ends, largest_power};
use crate::proof::prove;
use crate::real::Real;
use crate::reason::Rejected;
use crate::value::json;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn proved(mechanism: &str, claim: &str, verified: bool, proof: &str) -> Result<(), Rejected> {
    work::begin(None);
    let text = format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#);
    let file = read(&text, Form::File, 0)?;
    prove(&file, verified, &json(proof)?)
}

type Pair = (Vec<BigRational>, Vec<BigRational>);

fn random_pair(random: &mut Random) -> Pair {
    let vector = |random: &mut Random| {
        let masses: Vec<i64> = (0..3).map(|_| 1 + i64::try_from(random.below(9)).unwrap()).collect();
        let total: i64 = masses.iter().sum();
        masses.into_iter().map(|m| q(m, total)).collect::<Vec<_>>()
    };
    (vector(random), vector(random))
}

fn finite((p, r): &Pair) -> String {
    let list = |x: &[BigRational]| x.iter().map(|x| format!(r#""{x}""#)).collect::<Vec<_>>().join(",");
    format!(r#""kind":"finite","p":[{}],"q":[{}]"#, list(p), list(r))
}

/// Σ q^t·p^(1−t), by logarithms.
fn moment((p, r): &Pair, order: &BigRational) -> Real {
    let mut sum = Real::int(0);
    for (p, r) in p.iter().zip(r) {
        let ratio = Real::of(&(r / p)).ln().unwrap();
        let power = ratio.times(&Real::of(&(order - BigRational::one()))).exp().unwrap();
        sum = sum.plus(&Real::of(r).times(&power));
    }
    sum
}

#[test]
fn divergences_of_compositions() {
    let mut random = Random::new(21);
    let mut accepted = [0, 0];
    let count = cases(6);
    for _ in 0..count {
        work::begin(None);
        let (pair, other) = (random_pair(&mut random), random_pair(&mut random));
        let times = 1 + i64::try_from(random.below(5)).unwrap();
        let order = BigRational::one() + q(1 + i64::try_from(random.below(60)).unwrap(), 12);
        let psi =
            moment(&pair, &order).ln().unwrap().times(&Real::int(times)).plus(&moment(&other, &order).ln().unwrap());
        let truth = ends(&psi).0 / (&order - BigRational::one());
        let mechanism = format!(
            r#"{{"kind":"compose","of":[{{{},"times":{times}}},{{{}}}],"adjacency":"remove"}}"#,
            finite(&pair),
            finite(&other)
        );
        let plan = r#"{"coarsen":[],"first":-300,"last":300,"level":0}"#;
        let plans = if pair == other || times == 0 { plan.to_owned() } else { format!("{plan},{plan}") };
        let proof = format!(
            r#"{{"kind":"moments","orders":[],"sources":[{{"bounds":[],"direction":"remove","epsilons":[],"law":{{"light":0,"parts":[{plans}],"step":"1/60"}}}}]}}"#
        );
        let gap = q(1, 100) * &truth + q(1, 1000);
        let tiny = q(1, 10_000_000_000) * &truth + q(1, 1_000_000_000_000);
        let claim = |x: &BigRational| {
            format!(r#"{{"kind":"rdp","order":"{order}","epsilon":"{}"}}"#, x.clone().max(BigRational::zero()))
        };
        accepted[0] += usize::from(proved(&mechanism, &claim(&(&truth + &gap)), true, &proof).is_ok());
        accepted[1] += usize::from(truth > gap && proved(&mechanism, &claim(&(&truth - &gap)), false, &proof).is_ok());
        if truth > tiny {
            assert!(proved(&mechanism, &claim(&(&truth - &tiny)), true, &proof).is_err(), "{mechanism} {order}");
        }
        assert!(proved(&mechanism, &claim(&(&truth + &tiny)), false, &proof).is_err(), "{mechanism} {order}");
    }
    assert!(accepted[0] * 30 > 25 * count && accepted[1] * 30 > 22 * count, "{accepted:?}");
}

/// Randomised response of two answers is ρ-zCDP exactly from ρ = ε·tanh(ε/2), its divergence at order 1, on.
#[test]
fn zcdp_of_a_response() {
    for n in (1..12i64).step_by(if cases(1) == 1 { 3 } else { 1 }) {
        work::begin(None);
        let epsilon = q(n, 4);
        let odds = Real::of(&epsilon).exp().unwrap();
        let tanh = odds.minus(&Real::int(1)).over(&odds.plus(&Real::int(1))).unwrap();
        let truth = ends(&Real::of(&epsilon).times(&tanh)).0;
        let mechanism = format!(r#"{{"kind":"randomized-response","epsilon":"{epsilon}"}}"#);
        let proof = |orders: &[BigRational], single: bool| {
            let orders: Vec<_> = orders.iter().map(|t| format!(r#""{t}""#)).collect();
            let plan = r#"{"coarsen":[],"first":-400,"last":400,"level":0}"#;
            // Losses are points of the lattice.
            let step = if single { epsilon.clone() / BigInt::from(400) } else { q(1, 50) };
            format!(
                r#"{{"kind":"moments","orders":[{}],"sources":[{{"bounds":[],"direction":"remove","epsilons":[],"law":{{"light":0,"parts":[{plan}],"step":"{step}"}}}}]}}"#,
                orders.join(",")
            )
        };
        let last = &epsilon / &truth + q(1, 5);
        let mut many = vec![q(51, 50)];
        while many.last().unwrap() < &last {
            many.push((many.last().unwrap() - q(1, 1)) * q(8, 7) + q(1, 1));
        }
        let claim = |rho: &BigRational| format!(r#"{{"kind":"zcdp","rho":"{rho}"}}"#);
        assert_eq!(proved(&mechanism, &claim(&(&truth * q(103, 100))), true, &proof(&many, true)), Ok(()));
        assert!(proved(&mechanism, &claim(&(&truth * q(999, 1000))), true, &proof(&many, true)).is_err());
        // The last order too small, the first one too large.
        let few = &many[..many.len() - 4];
        if &truth * q(103, 100) * few.last().unwrap() < epsilon {
            assert!(proved(&mechanism, &claim(&(&truth * q(103, 100))), true, &proof(few, true)).is_err());
        }
        assert!(proved(&mechanism, &claim(&(&truth * q(1001, 1000))), true, &proof(&many[8..], true)).is_err());
        let near = [q(101, 100)];
        assert!(proved(&mechanism, &claim(&(&truth * q(97, 100))), false, &proof(&near, true)).is_ok(), "{n}");
        assert!(proved(&mechanism, &claim(&(&truth * q(1001, 1000))), false, &proof(&near, true)).is_err());
    }
}

#[test]
fn rho_of_gaussian_steps() {
    let sgd = r#"{"kind":"dp-sgd","noise-multiplier":2,"sample-rate":"0.01","steps":8}"#;
    let claim = |rho: &str| format!(r#"{{"kind":"zcdp","rho":"{rho}"}}"#);
    let proof = r#"{"kind":"gaussian-rho"}"#;
    assert!(proved(sgd, &claim("1"), true, proof).is_ok());
    assert!(proved(sgd, &claim("1"), false, proof).is_err());
    assert!(proved(sgd, &claim("0.999"), false, proof).is_ok());
    assert!(proved(sgd, &claim("0.999"), true, proof).is_err());
    let added = sgd.replace("}", r#","adjacency":"add"}"#);
    // It is about both orders of the pair.
    assert!(proved(&added, &claim("0.999"), false, proof).is_ok());
    let at_one_order = |epsilon: &str| format!(r#"{{"kind":"rdp","order":3,"epsilon":"{epsilon}"}}"#);
    assert!(proved(sgd, &at_one_order("3"), true, proof).is_ok());
    assert!(proved(sgd, &at_one_order("2.99"), true, proof).is_err());
    assert!(proved(sgd, &at_one_order("2.99"), false, proof).is_err());
    let mixed = r#"{"kind":"compose","of":[{"kind":"gaussian","sigma":1},{"kind":"laplace","scale":1}]}"#;
    assert!(proved(mixed, &claim("5"), true, proof).is_err());
    assert!(proved(mixed, &claim("0.4"), false, proof).is_ok());
}

/// δ(u) of the larger order.
fn delta(pair: &Pair, u: &BigRational) -> BigRational {
    pair.0.iter().zip(&pair.1).map(|(p, r)| (r - u * p).max(BigRational::zero())).sum()
}

/// The errors of the tests that take outcomes in the order of q/p.
fn corners((p, r): &Pair) -> Vec<(BigRational, BigRational)> {
    let mut all: Vec<_> = p.iter().zip(r).collect();
    all.sort_by(|(p, r), (a, b)| (*b * *p).cmp(&(*r * *a)));
    let mut errors = vec![(BigRational::zero(), BigRational::one())];
    for (p, r) in all {
        let (alpha, beta) = errors.last().unwrap();
        errors.push((alpha + p, beta - r));
    }
    errors
}

#[test]
fn dominance_against_enumeration() {
    let mut random = Random::new(22);
    let (mut accepted, mut nontrivial) = ([0, 0], 0);
    let count = cases(6);
    for _ in 0..count {
        work::begin(None);
        let (mine, theirs) = (random_pair(&mut random), random_pair(&mut random));
        let holds = |x: &BigRational| {
            corners(&mine).iter().all(|(alpha, beta)| {
                let size = alpha + x;
                size >= BigRational::one()
                    || BigRational::one() - largest_power(&theirs.0, &theirs.1, 1, &size) - x <= *beta
            })
        };
        let (mut low, mut high) = (BigRational::zero(), q(1, 2));
        if holds(&low) {
            high = low.clone();
        }
        for _ in 0..20 {
            let middle = (&low + &high) / BigInt::from(2);
            if holds(&middle) { high = middle } else { low = middle }
        }
        nontrivial += usize::from(high.is_positive());
        let mechanism = format!(r#"{{{},"adjacency":"remove"}}"#, finite(&mine));
        let claim = |x: &BigRational| {
            format!(
                r#"{{"kind":"dominated-by","mechanism":{{{},"adjacency":"remove"}},"at-most":"{x}"}}"#,
                finite(&theirs)
            )
        };
        let mut ratios: Vec<_> = mine.0.iter().zip(&mine.1).map(|(p, r)| r / p).collect();
        ratios.sort();
        ratios.dedup();
        let unit = BigRational::from(BigInt::one() << 120);
        let list = |of: &dyn Fn(&BigRational) -> String, ratios: &[BigRational]| {
            ratios.iter().map(of).collect::<Vec<_>>().join(",")
        };
        let epsilons = |ratios: &[BigRational]| list(&|u| format!(r#""log {u}""#), ratios);
        let upper = |pair: &Pair, ratios: &[BigRational]| {
            list(&|u| format!(r#""{}""#, (delta(pair, u) * &unit).ceil() + q(9, 1)), ratios)
        };
        let lower = |pair: &Pair, ratios: &[BigRational]| {
            list(&|u| format!(r#""{}""#, ((delta(pair, u) * &unit).floor() - q(9, 1)).max(q(0, 1))), ratios)
        };
        let plan = r#""law":{"light":0,"parts":[{"coarsen":[],"first":-600,"last":600,"level":0}],"step":"1/120"}"#;
        let above = format!(
            r#"{{"kind":"dominance","others":[{{"bounds":[],"direction":"remove","epsilons":[],{plan}}}],"sources":[{{"bounds":[{}],"direction":"remove","epsilons":[{}]}}]}}"#,
            upper(&mine, &ratios),
            epsilons(&ratios)
        );
        accepted[0] += usize::from(proved(&mechanism, &claim(&(&high + q(1, 500))), true, &above).is_ok());
        if high.is_positive() {
            let wrong = (&low - q(1, 1_000_000)).max(BigRational::zero());
            assert!(proved(&mechanism, &claim(&wrong), true, &above).is_err(), "{mechanism} {wrong}");
        }
        // To refute: at a ratio of either.
        ratios.extend(theirs.0.iter().zip(&theirs.1).map(|(p, r)| r / p));
        let mut found = false;
        for u in &ratios {
            let at = std::slice::from_ref(u);
            let below = format!(
                r#"{{"kind":"dominance","others":[{{"bounds":[{}],"direction":"remove","epsilons":[{}]}}],"sources":[{{"bounds":[{}],"direction":"remove","epsilons":[{}]}}]}}"#,
                upper(&theirs, at),
                epsilons(at),
                lower(&mine, at),
                epsilons(at)
            );
            if low > q(1, 500) {
                found |= proved(&mechanism, &claim(&(&low - q(1, 500))), false, &below).is_ok();
            }
            assert!(proved(&mechanism, &claim(&(&high + q(1, 1_000_000))), false, &below).is_err());
        }
        accepted[1] += usize::from(found || low <= q(1, 500));
    }
    assert!(
        nontrivial * 2 > count && accepted[0] * 30 > 27 * count && accepted[1] * 30 > 27 * count,
        "{nontrivial} {accepted:?}"
    );
}

/// The largest q − u·p of a test in the class, by a search: the line that touches there bounds δ from above, the test from below.
#[test]
fn guarantees_from_both_sides() {
    use crate::renyi::bernoulli;
    for (rho, epsilon) in [(q(1, 10), q(1, 1)), (q(1, 2), q(2, 1))].into_iter().take(cases(1)) {
        work::begin(None);
        let u = ends(&Real::of(&epsilon).exp().unwrap()).0;
        let orders: Vec<_> = (1..40).map(|i| BigRational::one() + q(i, 3)).collect();
        let rounded = |x: &BigRational| (x * q(1 << 40, 1)).floor() / q(1 << 40, 1);
        // The largest q in the class for a p, and the order that binds.
        let largest = |p: &BigRational| {
            let fits = |r: &BigRational| {
                orders.iter().find(|t| {
                    let most = Real::of(&(&rho * *t * (*t - BigRational::one()))).exp().unwrap();
                    bernoulli(t, r, p).unwrap().0.hi > most.lo
                })
            };
            let (mut low, mut high, mut binding) = (p.clone(), BigRational::one() - p, orders[0].clone());
            for _ in 0..22 {
                let middle = rounded(&((&low + &high) / BigInt::from(2)));
                match fits(&middle) {
                    Some(order) => (high, binding) = (middle, order.clone()),
                    None => low = middle,
                }
            }
            (low, binding)
        };
        let mut best = (BigRational::zero(), BigRational::zero(), BigRational::zero(), BigRational::zero());
        for i in (1..40).step_by(if cases(1) == 1 { 2 } else { 1 }) {
            let p = rounded(&(BigRational::one() / q(5, 4).pow(i) / q(2, 1)));
            let (r, order) = largest(&p);
            let value = &r - &u * &p;
            if value > best.0 {
                best = (value, r, p, order);
            }
        }
        // Around the best p the line of slope u.
        let (value, r, p, order) = best;
        let (_, slope, _) = bernoulli(&order, &r, &p).unwrap();
        let weight = rounded(&ends(&slope).0.recip());
        let mechanism = format!(r#"{{"kind":"zcdp","rho":"{rho}"}}"#);
        let unit = BigRational::from(BigInt::one() << 120);
        let source = |bound: &BigRational, more: &str| {
            let bound = (bound * &unit).floor();
            format!(
                r#"{{"kind":"profile","sources":[{{"bounds":["{bound}"],"direction":"remove","epsilons":["{epsilon}"],{more}}}]}}"#
            )
        };
        let claim = |delta: &BigRational| format!(r#"{{"kind":"approx-dp","epsilon":"{epsilon}","delta":"{delta}"}}"#);
        let lines = format!(r#""lines":[[["{order}","{r}","{p}","{weight}"]]]"#);
        // The order is one of a few and the place one of a grid: near enough.
        let above = &value * q(3, 2);
        assert_eq!(proved(&mechanism, &claim(&above), true, &source(&above, &lines)), Ok(()), "{rho}");
        assert!(
            proved(&mechanism, &claim(&(&value * q(99, 100))), true, &source(&(&value * q(99, 100)), &lines)).is_err()
        );
        let orders: Vec<_> = (1..1200).map(|i| format!(r#""{}""#, BigRational::one() + q(i, 40))).collect();
        let pair = |r: &BigRational| format!(r#""orders":[{}],"pair":["{r}","{p}"]"#, orders.join(","));
        let inside = rounded(&(&r * q(97, 100)));
        let below = &inside - &u * &p - q(1, 1 << 30);
        let is_refuted = |r: &BigRational, bound: &BigRational| {
            proved(&mechanism, &claim(&(bound - q(1, 1 << 30))), false, &source(bound, &pair(r)))
        };
        assert_eq!(is_refuted(&inside, &below), Ok(()), "{rho}");
        let outside = rounded(&(&r * q(101, 100)));
        assert!(is_refuted(&outside, &below).is_err());
        assert!(is_refuted(&inside, &(below + q(1, 1 << 20))).is_err());
        // A finite list of orders is checked at these alone.
        let known = format!(r#"{{"kind":"rdp","orders":[["{order}","{}"]]}}"#, &rho * &order);
        let check = |r: &BigRational| {
            let bound = r - &u * &p - q(1, 1 << 30);
            let pair = format!(r#""pair":["{r}","{p}"]"#);
            proved(&known, &claim(&(&bound - q(1, 1 << 30))), false, &source(&bound, &pair))
        };
        assert_eq!(check(&rounded(&(&r * q(999, 1000)))), Ok(()));
        assert!(check(&rounded(&(&r * q(1001, 1000)))).is_err());
    }
}

/// At order 1 any ε would do, and a curve has no point outside the square: such claims are refused before anything is proved.
#[test]
fn numbers_at_the_ends_of_their_ranges() {
    work::begin(None);
    let is_read = |claim: &str| {
        let text = format!(r#"{{"mechanism":{{"kind":"randomized-response","epsilon":"1"}},"claim":{{{claim}}}}}"#);
        read(&text, Form::File, 0).is_ok()
    };
    for (claim, is_claim) in [
        (r#""kind":"rdp","order":"1","epsilon":"0""#, false),
        (r#""kind":"rdp","order":"1.0001","epsilon":"0""#, true),
        (r#""kind":"rdp","order":"2","epsilon":"-0.0001""#, false),
        (r#""kind":"zcdp","rho":"0""#, true),
        (r#""kind":"zcdp","rho":"-0.0001""#, false),
        (r#""kind":"trade-off","alpha":"1","beta":"0""#, true),
        (r#""kind":"trade-off","alpha":"0","beta":"1""#, true),
        (r#""kind":"trade-off","alpha":"1.0001","beta":"0""#, false),
        (r#""kind":"trade-off","alpha":"0","beta":"1.0001""#, false),
        (r#""kind":"gdp","mu":"0","tolerance":"0""#, true),
        (r#""kind":"gdp","mu":"1","tolerance":"0.5""#, false),
        (r#""kind":"gdp","mu":"1","tolerance":"-0.1""#, false),
        (r#""kind":"gdp","mu":"1","error-floor":"0""#, false),
        (r#""kind":"gdp","mu":"1","error-floor":"0.4999""#, true),
    ] {
        assert_eq!(is_read(claim), is_claim, "{claim}");
    }
}
