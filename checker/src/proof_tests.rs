//! Decisions on bounds of δ, in large units: what is accepted is true, and what is true by a margin, or with equality where that counts, is accepted.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Claim, Epsilon, Mechanism, Source, by_test, conclude, point_of_gaussian};
use crate::answer::Adjacency;
use crate::claim::Direction;
use crate::coarse::{Random, ends, in_units, largest_power};
use crate::real::Real;
use crate::step::Step;
use crate::value::json;
use crate::{profile, work};

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn small(random: &mut Random, n: u64) -> i64 {
    i64::try_from(random.below(n)).unwrap()
}

/// A source in JSON: bounds in units of 2^-120 of the format, which are larger here.
fn source(direction: &str, epsilons: &str, bounds: &str, more: &str) -> Source {
    let text = format!(r#"{{"direction":"{direction}","epsilons":[{epsilons}],"bounds":[{bounds}]{more}}}"#);
    Source::read(&json(&text).unwrap()).unwrap()
}

/// Masses in sixteenths.
fn masses(random: &mut Random) -> Vec<BigRational> {
    let mut cuts = [small(random, 17), small(random, 17), small(random, 17)];
    cuts.sort_unstable();
    let [a, b, c] = cuts;
    [a, b - a, c - b, 16 - c].into_iter().map(|n| q(n, 16)).collect()
}

fn delta(p: &[BigRational], r: &[BigRational], u: &BigRational) -> BigRational {
    p.iter().zip(r).map(|(p, r)| (r - u * p).max(BigRational::zero())).sum()
}

/// Claims about small pairs from one bound each, at the truth, next to it, and a unit off.
#[test]
fn decisions_about_small_pairs() {
    let mut random = Random::new(71);
    let (mut verified, mut refuted) = (0, 0);
    for _ in 0..5_800 {
        work::begin(None);
        let (p, r) = (masses(&mut random), masses(&mut random));
        let mechanism = Mechanism {
            steps: vec![(Step::Finite { p: p.clone(), q: r.clone() }, 1)],
            members: Vec::new(),
            adjacency: Adjacency::Remove,
        };
        let u = [q(1, 2), q(1, 1), q(3, 2), q(2, 1), q(3, 1)][usize::try_from(random.below(5)).unwrap()].clone();
        let epsilon = Epsilon::LogOf(u.clone());
        let exact = delta(&p, &r, &u);
        // 2^-8 divides every δ.
        let in_units_of = |x: &BigRational| (x * BigInt::from(256)).to_integer();
        let stated = in_units_of(&exact) + BigInt::from(small(&mut random, 3) - 1);
        let stated = stated.clamp(BigInt::zero(), BigInt::from(256));
        let at = &exact + q(small(&mut random, 3) - 1, 256);
        let (alpha, off) = (q(small(&mut random, 33), 32), q(small(&mut random, 3) - 1, 512));
        let curve = BigRational::one() - largest_power(&p, &r, 1, &alpha);
        let beta = (&curve + off).max(BigRational::zero()).min(BigRational::one());
        let claims = [
            (Claim::ApproxDp { epsilon: epsilon.clone(), delta: at.clone() }, exact <= at),
            (Claim::Advantage { at_most: at.clone() }, u.is_one() && exact <= at),
            (Claim::TradeOff { alpha: alpha.clone(), beta: beta.clone() }, curve >= beta),
        ];
        in_units(22, 8, || {
            let of = source("remove", &format!("\"log {u}\""), &format!("\"{stated}\""), "");
            for (claim, is_true) in claims {
                if at.is_negative() || (matches!(claim, Claim::Advantage { .. }) && !u.is_one()) {
                    continue;
                }
                for wants in [true, false] {
                    let side = if wants { super::Side::Upper } else { super::Side::Lower };
                    if of.bounds_hold(&mechanism, side).is_err() {
                        // Only the exact value is a bound from both sides.
                        assert!(BigRational::from(stated.clone()) != &exact * BigInt::from(256), "{p:?} {r:?} {u}");
                        continue;
                    }
                    let found = match claim {
                        Claim::TradeOff { .. } if !wants => Err(()),
                        _ => conclude(&claim, wants, &of, None).map_err(|_| ()),
                    };
                    assert!(found.is_err() || is_true == wants, "{claim:?} {wants} from {stated} of {p:?} {r:?}");
                    (verified, refuted) =
                        (verified + i32::from(found.is_ok() && wants), refuted + i32::from(found.is_ok() && !wants));
                    // The exact value decides its own claim, with equality too.
                    if !matches!(claim, Claim::TradeOff { .. }) && in_units_of(&exact) == stated && is_true == wants {
                        assert!(found.is_ok(), "{claim:?} {wants} from {stated} of {p:?} {r:?}");
                    }
                }
            }
            // One test of the pair, by its threshold: its power is stated as it is, or less.
            let test = source("remove", &format!("\"log {u}\""), &format!("\"{stated}\""), "");
            let found = by_test(&mechanism, &test, (&alpha, &beta));
            assert!(found.is_err() || curve < beta, "{alpha} {beta} {p:?} {r:?} {u}");
            refuted += i32::from(found.is_ok());
        });
    }
    assert!(verified > 50 && refuted > 20, "{verified} {refuted}");
}

/// The test "L > u" of a pair is a counterexample exactly if its power is above 1 − β, which it is not where they are equal.
#[test]
fn tests_that_refute() {
    let pair = Step::Finite { p: vec![q(1, 4), q(3, 4)], q: vec![q(3, 4), q(1, 4)] };
    let mechanism = Mechanism { steps: vec![(pair, 1)], members: Vec::new(), adjacency: Adjacency::Remove };
    work::begin(None);
    in_units(22, 8, || {
        let tried = |bound: i64, beta: BigRational| {
            let of = source("remove", "\"log 2\"", &format!("\"{bound}\""), "");
            by_test(&mechanism, &of, (&q(1, 4), &beta)).map_err(|rejected| rejected.detail)
        };
        // Its power is 3/4, 192 units.
        assert!(tried(192, q(65, 256)).is_ok() && tried(191, q(66, 256)).is_ok() && tried(192, q(1, 4)).is_err());
        assert!(tried(191, q(65, 256)).is_err() && tried(193, q(66, 256)).is_err_and(|why| why.contains("(7.50")));
    });
}

/// G_μ's own numbers next to the bound: a claim is refuted only above all that its δ may be.
#[test]
fn next_to_the_gaussian() {
    let mut random = Random::new(72);
    let mut refuted = 0;
    for round in 0..24 {
        work::begin(None);
        let mu = q(small(&mut random, 12), 4);
        let (tolerance, epsilon) = (q(small(&mut random, 4), 16), [q(0, 1), q(1, 1), q(3, 2)][round % 3].clone());
        let epsilon = Epsilon::Plain(epsilon);
        let claim = Claim::Gdp { mu: mu.clone(), tolerance: tolerance.clone(), floor: BigRational::zero() };
        let u = epsilon.exp().unwrap().plus(&Real::int(1));
        let known = profile::gaussian_delta(&mu, &epsilon).unwrap().plus(&u.times(&Real::of(&tolerance)));
        let known = ends(&known).0;
        for bits in [20, 23] {
            let near = (&known * BigInt::from(1u64 << bits)).to_integer();
            for off in -14..=40i64 {
                let bound = &near + BigInt::from(off);
                if bound.is_negative() || bound > BigInt::from(1u64 << bits) {
                    continue;
                }
                // True if the bound, which δ has, is above.
                let is_above = BigRational::new(bound.clone(), BigInt::from(1u64 << bits)) > known;
                let found = in_units(bits, bits, || {
                    let at = match &epsilon {
                        Epsilon::Plain(x) => format!("\"{x}\""),
                        Epsilon::LogOf(_) => unreachable!(),
                    };
                    conclude(&claim, false, &source("remove", &at, &format!("\"{bound}\""), ""), None)
                });
                assert!(found.is_err() || is_above, "{claim:?} {epsilon:?} {bound}/2^{bits}");
                refuted += i32::from(found.is_ok());
            }
        }
    }
    assert!(refuted > 20, "{refuted}");
    // G_0 and a tolerance of 1/8 at u = 1: δ = 1/4 is allowed, the next number is not.
    let claim = Claim::Gdp { mu: q(0, 1), tolerance: q(1, 8), floor: BigRational::zero() };
    for (bound, refutes) in [(63, false), (64, false), (65, true)] {
        let of = |bound: i64| source("remove", "\"0\"", &format!("\"{bound}\""), "");
        let found = in_units(22, 8, || conclude(&claim, false, &of(bound), None).is_ok());
        assert_eq!(found, refutes, "{bound}");
    }
}

/// The chord of two bounds against G_μ, next to the smallest μ for which it is above: fine units, which are sound by themselves, accept whatever large ones do.
#[test]
fn chords_above_the_gaussian() {
    let mut random = Random::new(73);
    let (mut accepted, mut close) = (0, 0);
    for round in 0..600 {
        work::begin(None);
        let (tolerance, floor) =
            (q(small(&mut random, 3), 64), q(small(&mut random, 2) * i64::from(round % 2 == 0), 32));
        // Bounds in 2^-8, one or two of them, and for each a threshold.
        let high = 40 + small(&mut random, 60);
        let low = small(&mut random, 20);
        let two = round % 4 != 3;
        let x = q(1 + small(&mut random, 8), 4);
        let at = if two { "\"0\",\"3/2\"" } else { "\"0\"" };
        let tried = |mu: &BigRational, reals: u32| {
            work::begin(None);
            let claim = Claim::Gdp { mu: mu.clone(), tolerance: tolerance.clone(), floor: floor.clone() };
            in_units(reals, 8, || {
                let bounds = if two { format!("\"{high}\",\"{low}\"") } else { format!("\"{high}\"") };
                let places = if two { format!("\"{x}\",\"3\"") } else { format!("\"{x}\"") };
                let of = source("remove", at, &bounds, &format!(r#","quantiles":[{places}]"#));
                conclude(&claim, true, &of, None).is_ok()
            })
        };
        // What is accepted at some μ is at every larger one.
        let (mut from, mut to) = (q(0, 1), q(12, 1));
        if !tried(&to, 288) {
            continue;
        }
        for _ in 0..26 {
            let middle = (&from + &to) / BigInt::from(2);
            if tried(&middle, 288) { to = middle } else { from = middle }
        }
        accepted += 1;
        for reals in [20, 22] {
            for off in -8..=8 {
                let mu = &to + q(off * 3, 2) / BigRational::from(BigInt::one() << reals);
                assert!(
                    !tried(&mu, reals) || tried(&mu, 288),
                    "{mu} {tolerance} {floor} {high} {low} {x} in 2^-{reals}"
                );
            }
            // Where another inequality, in which μ is not, is next to equality, no μ is accepted.
            close += i32::from(tried(&(&to + q(1, 2)), reals));
        }
    }
    assert!(accepted > 20 && close * 10 > accepted * 19, "{accepted} {close}");
}

/// The threshold of the first chord, next to the least that will do for a large μ: nothing but its size decides there.
#[test]
fn sizes_next_to_the_chord() {
    let mut random = Random::new(74);
    for _ in 0..8 {
        let (high, low) = (60 + small(&mut random, 60), small(&mut random, 20));
        let tolerance = q(1 + small(&mut random, 5), 97);
        let tried = |x: &BigRational, reals: u32| {
            work::begin(None);
            let claim = Claim::Gdp { mu: q(14, 1), tolerance: tolerance.clone(), floor: BigRational::zero() };
            in_units(reals, 8, || {
                let (bounds, places) = (format!("\"{high}\",\"{low}\""), format!("\"{x}\",\"6\""));
                let of = source("remove", "\"0\",\"3/2\"", &bounds, &format!(r#","quantiles":[{places}]"#));
                conclude(&claim, true, &of, None).is_ok()
            })
        };
        let (mut from, mut to) = (q(-2, 1), q(7, 1));
        assert!(tried(&to, 288) && !tried(&from, 288), "{high} {low} {tolerance}");
        for _ in 0..30 {
            let middle = (&from + &to) / BigInt::from(2);
            if tried(&middle, 288) { to = middle } else { from = middle }
        }
        for reals in [20, 22] {
            for off in -10..=10 {
                let x = &to + q(off, 1) / BigRational::from(BigInt::one() << reals);
                assert!(!tried(&x, reals) || tried(&x, 288), "{x} {tolerance} {high} {low} in 2^-{reals}");
            }
            assert!(tried(&(&to + q(1, 100)), reals));
        }
    }
}

/// Where α + τ is below 1 by a third of a unit it is not yet 1: G_0(1 − s) = s is above the s/2 that the last chord leaves.
#[test]
fn sizes_next_to_one() {
    let tried = |floor: &BigRational, bound: i64, reals: u32| {
        work::begin(None);
        let claim = Claim::Gdp { mu: q(0, 1), tolerance: q(1, 16), floor: floor.clone() };
        in_units(reals, 8, || {
            let of = source("remove", "\"log 1/2\"", &format!("\"{bound}\""), r#","quantiles":["-4"]"#);
            conclude(&claim, true, &of, None).is_ok()
        })
    };
    let whole = q(15, 16);
    for reals in [20, 22, 25] {
        let floor = &whole - q(1, 3) / BigRational::from(BigInt::one() << reals);
        assert!(!tried(&floor, 152, reals) && !tried(&floor, 152, 288), "2^-{reals}");
        // At 1 itself G is 0, and so may be what is left; it is never less.
        assert!(tried(&whole, 152, reals) && !tried(&whole, 153, reals), "2^-{reals}");
    }
}

/// α and β of a test of G_μ are no more than they are, and the floor itself is allowed.
#[test]
fn points_of_a_gaussian() {
    work::begin(None);
    let fine = |x: &BigRational| ends(&Real::of(x).normal_tail().unwrap());
    let mut random = Random::new(74);
    for _ in 0..1_010 {
        work::begin(None);
        let mut place = || q(small(&mut random, 48) - 16, 16);
        let x = place();
        let mu = (&x + place()).max(BigRational::zero());
        let at = |floor: &BigRational| {
            let of = source("remove", "", "\"0\"", &format!(r#","quantiles":["{x}"]"#));
            point_of_gaussian(&mu, floor, &of)
        };
        for reals in [20, 22, 25] {
            in_units(reals, 8, || {
                let (alpha, beta) = at(&BigRational::zero()).unwrap();
                let least = alpha.clone().min(beta.clone());
                assert!(at(&least).is_ok() && at(&(&least + q(1, 1 << 30))).is_err());
                (alpha, beta)
            });
        }
        let coarse = in_units(21, 8, || at(&BigRational::zero()).unwrap());
        assert!(coarse.0 <= fine(&x).1 && coarse.1 <= fine(&(&mu - &x)).1, "{x}");
    }
}

/// The direction of a one-sided claim is the one that it names.
#[test]
fn directions_of_the_source() {
    work::begin(None);
    let (p, r) = (vec![q(1, 2), q(1, 2)], vec![q(1, 1), q(0, 1)]);
    let both = [Direction::Remove, Direction::Add].map(|d| if d == Direction::Remove { (&p, &r) } else { (&r, &p) });
    let exact = both.map(|(p, r)| delta(p, r, &q(2, 1)));
    in_units(22, 8, || {
        let mechanism = Mechanism {
            steps: vec![(Step::Finite { p: p.clone(), q: r.clone() }, 1)],
            members: Vec::new(),
            adjacency: Adjacency::AddRemove,
        };
        for (name, exact) in ["remove", "add"].into_iter().zip(&exact) {
            let units = (exact * BigInt::from(256)).to_integer();
            let holds = |bound: BigInt, side| {
                let of = source(name, "\"log 2\"", &format!("\"{bound}\""), "");
                of.bounds_hold(&mechanism, side).is_ok()
            };
            assert!(holds(units.clone(), super::Side::Upper) && holds(units.clone(), super::Side::Lower), "{name}");
            assert!(!holds(&units + 1, super::Side::Lower), "{name}");
            assert!(units.is_zero() || !holds(&units - 1, super::Side::Upper), "{name}");
        }
    });
}

/// What a chord leaves may be below 1, or below 0, by less than a unit, and the share of a chord above 1: none of it is rounded away.
#[test]
fn misses_and_shares_next_to_their_ends() {
    let third = |reals: u32, n: i64| q(n, 3) / BigRational::from(BigInt::one() << reals);
    let gdp = |mu: i64, tolerance: BigRational, floor: BigRational| Claim::Gdp { mu: q(mu, 1), tolerance, floor };
    for reals in [20, 22, 25] {
        let tried = |masses: u32, claim: &Claim, epsilons: &str, bounds: &str, places: &str| {
            work::begin(None);
            in_units(reals, masses, || {
                let of = source("remove", epsilons, bounds, &format!(r#","quantiles":[{places}]"#));
                conclude(claim, true, &of, None).is_ok()
            })
        };
        // δ(1) is a unit and τ a third of one: G_0(τ) = 1 − τ is above 1 − δ + τ, which is below 1 by two thirds.
        let claim = gdp(0, third(reals, 1), q(0, 1));
        assert!(!tried(reals, &claim, "\"log 1\"", "\"1\"", "\"4\""), "2^-{reals}");
        // What is left is below 0 by a third.
        let claim = |more: i64| gdp(0, q(1, 16), q(15, 16) + third(reals, more));
        assert!(tried(8, &claim(0), "\"log 1/2\"", "\"152\"", "\"-4\""), "2^-{reals}");
        assert!(!tried(8, &claim(2), "\"log 1/2\"", "\"152\"", "\"-4\""), "2^-{reals}");
        // A chord that falls by 1/4 between 1/2 and just below 3/4.
        let share = |less: i64| {
            let next = q(3, 4) - third(reals, less);
            tried(
                8,
                &gdp(14, q(1, 16), q(0, 1)),
                &format!("\"log 1/2\",\"log {next}\""),
                "\"100\",\"36\"",
                "\"6\",\"6\"",
            )
        };
        assert!(share(0) && !share(1), "2^-{reals}");
        // P(Z > 0) is above the share and τ by six tenths.
        let size = |off: i64| {
            let tolerance = q(1, 2) - q(100, 768) + q(off, 10) / BigRational::from(BigInt::one() << reals);
            tried(8, &gdp(14, tolerance, q(0, 1)), "\"log 1\",\"log 4\"", "\"136\",\"36\"", "\"0\",\"6\"")
        };
        assert!(!size(-6) && size(40), "2^-{reals}");
    }
    // δ of G_0 is 0 from u = 1 on, and a bound of 0 is not above it.
    work::begin(None);
    let of = source("remove", "\"1\"", "\"0\"", "");
    assert!(conclude(&gdp(0, q(0, 1), q(0, 1)), false, &of, None).is_err());
}

/// What is known of Rényi divergences, in a source: a test of a member from below, lines from above.
#[test]
fn sources_of_renyi_guarantees() {
    let mechanism = |step| Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency: Adjacency::AddRemove };
    let zcdp = mechanism(Step::Zcdp { rho: q(1, 1) });
    let orders = (9..48).map(|n| format!("\"{n}/8\"")).collect::<Vec<_>>().join(",");
    in_units(26, 8, || {
        let below = |epsilon: &str, bound: i64| {
            work::begin(None);
            let pair = format!(r#","pair":["5/8","3/8"],"orders":[{orders}]"#);
            let of = source("remove", &format!("\"{epsilon}\""), &format!("\"{bound}\""), &pair);
            of.bounds_hold(&zcdp, super::Side::Lower).is_ok()
        };
        // 5/8 − 3/8·3/2 is 16 units.
        assert!(below("log 3/2", 16) && !below("log 3/2", 17));
        // 5/8 − 3/8·4/3·(1 + 1/1000) is 31.87.
        assert!(below("log 4004/3000", 31) && !below("log 4004/3000", 32));
        // A test of power 1/3, which ends no number of units.
        let (power, size) = (q(1, 3), q(1, 4));
        work::begin(None);
        let pair = format!(r#","pair":["{power}","{size}"],"orders":[{orders}]"#);
        let of = source("remove", "", "", &pair);
        let alone = Mechanism { adjacency: Adjacency::Remove, ..mechanism(Step::Zcdp { rho: q(1, 1) }) };
        let tests = super::Tests::of(&of, &alone, true).unwrap();
        let at = |alpha: &BigRational| tests.power(alpha);
        let unit = q(1, 1 << 26);
        let is_just_below = |alpha, truth: BigRational| {
            let found = super::units(at(&alpha).unwrap(), 26);
            found < truth && truth - found < &unit * BigInt::from(4)
        };
        assert!(is_just_below(size, q(1, 3)));
        // Mixed with never, and with always.
        assert!(is_just_below(q(1, 5), q(4, 15)) && is_just_below(q(1, 2), q(5, 9)));
        // No line: δ ≤ 1, in one order and for each ε.
        let above = |lines: &str, bound: i64| {
            work::begin(None);
            let of = source("remove", "\"log 3/2\"", &format!("\"{bound}\""), &format!(r#","lines":{lines}"#));
            of.bounds_hold(&zcdp, super::Side::Upper).is_ok()
        };
        assert!(above("[[]]", 256) && !above("[[]]", 255) && !above("[[],[]]", 256));
    });
}

/// The chord from (1, 0.3) to (e^(3/2), 0.02) ends at (α, β) = (0.0804, 0.6196): with a tolerance of 1/100 G_μ is below it from μ = 1.01 on.
#[test]
fn a_chord_by_hand() {
    work::begin(None);
    let thousand = |n: i64| (q(n, 1000) * BigRational::from(BigInt::one() << 120)).to_integer();
    let bounds = format!("\"{}\",\"{}\"", thousand(300), thousand(20));
    let of = source("remove", "\"0\",\"3/2\"", &bounds, r#","quantiles":["67/50","12/5"]"#);
    for (mu, is_below) in [(q(9, 10), false), (q(99, 100), false), (q(11, 10), true)] {
        let claim = Claim::Gdp { mu: mu.clone(), tolerance: q(1, 100), floor: BigRational::zero() };
        assert_eq!(conclude(&claim, true, &of, None).is_ok(), is_below, "{mu}");
    }
    // The last place has to be far out itself: another one that is does not end the last line.
    let bounds = format!("\"{}\",\"{}\"", thousand(150), thousand(160));
    let of = source("remove", "\"0\",\"9/4\"", &bounds, r#","quantiles":["64444/10000","-9"]"#);
    let claim = Claim::Gdp { mu: q(1047, 1000), tolerance: q(1, 10), floor: BigRational::zero() };
    assert!(conclude(&claim, true, &of, Some(&q(1, 2))).is_err());
}

/// A point of G_μ above the floor that the mechanism is below: (P(Z > x), P(Z > μ − x)).
#[test]
fn floors_that_are_missed() {
    work::begin(None);
    let (mu, floor) = (q(1, 1), q(1, 10));
    let of = source("remove", "", "\"0\"", r#","quantiles":["1/2"]"#);
    let (alpha, beta) = super::point_of_gaussian(&mu, &floor, &of).unwrap();
    // P(Z > 1/2) = 0.30853…
    for found in [alpha, beta] {
        assert!(found > q(30853, 100_000) && found < q(30854, 100_000));
    }
    let alone = |p: &[BigRational], r: &[BigRational]| Mechanism {
        steps: vec![(Step::Finite { p: p.to_vec(), q: r.to_vec() }, 1)],
        members: Vec::new(),
        adjacency: Adjacency::Remove,
    };
    for (mu, floor) in [(q(1, 1), q(31, 100)), (q(-1, 1), q(1, 1000))] {
        let found = super::by_source(
            &alone(&[q(1, 2), q(1, 2)], &[q(1, 2), q(1, 2)]),
            &Claim::Gdp { mu, tolerance: q(0, 1), floor },
            false,
            &of,
        );
        assert!(found.is_err());
    }
    // A pair that tells all: of size and miss 0.
    let all = alone(&[q(1, 1), q(0, 1)], &[q(0, 1), q(1, 1)]);
    let power = BigInt::one() << 120u32;
    let of = source("remove", "\"0\"", &format!("\"{power}\""), r#","quantiles":["1/2"]"#);
    let claim = Claim::Gdp { mu, tolerance: q(0, 1), floor };
    super::by_source(&all, &claim, false, &of).unwrap();
}
