//! One small pair against another one, in large units, against their curves in fractions.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{Known, Mechanism, Source, above_some, below_all};
use crate::answer::Adjacency;
use crate::coarse::{Random, in_units, largest_power};
use crate::step::{Epsilon, Step};
use crate::value::json;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn masses(random: &mut Random) -> Vec<BigRational> {
    let mut cuts = [0, 0].map(|_| i64::try_from(random.below(9)).unwrap());
    cuts.sort_unstable();
    let [a, b] = cuts;
    [a, b - a, 8 - b].into_iter().map(|n| q(n, 8)).collect()
}

fn alone(p: &[BigRational], r: &[BigRational], adjacency: Adjacency) -> Mechanism {
    Mechanism { steps: vec![(Step::Finite { p: p.to_vec(), q: r.to_vec() }, 1)], members: Vec::new(), adjacency }
}

/// δ at each u, rounded up or down to 2^-8 and moved by some units.
fn source(direction: &str, pair: [&[BigRational]; 2], odds: &[BigRational], up: bool, off: i64) -> Source {
    let [p, r] = pair;
    let delta = |u: &BigRational| -> BigRational {
        p.iter().zip(r).map(|(p, r)| (r - u * p).max(BigRational::zero())).sum::<BigRational>() * BigInt::from(256)
    };
    let rounded = |x: BigRational| if up { x.ceil() } else { x.floor() };
    let bounds = odds.iter().map(|u| (rounded(delta(u)) + q(off, 1)).max(q(0, 1)).min(q(256, 1)));
    let bounds: Vec<String> = bounds.map(|n| format!("\"{n}\"")).collect();
    let epsilons: Vec<String> = odds.iter().map(|u| format!("\"log {u}\"")).collect();
    let (bounds, epsilons) = (bounds.join(","), epsilons.join(","));
    let text = format!(r#"{{"direction":"{direction}","epsilons":[{epsilons}],"bounds":[{bounds}]}}"#);
    Source::read(&json(&text).unwrap()).unwrap()
}

/// f at a type-I error.
fn curve(pair: [&[BigRational]; 2], alpha: &BigRational) -> BigRational {
    match *alpha > BigRational::one() {
        true => BigRational::zero(),
        false => BigRational::one() - largest_power(pair[0], pair[1], 1, alpha),
    }
}

/// The largest convex curve below that of a pair, and below that of the pair turned around, at the sixteenths.
fn hull_of(pair: [&[BigRational]; 2], both: bool) -> Vec<BigRational> {
    let least = |n: i64| {
        let alpha = q(n, 16);
        let alone = curve(pair, &alpha);
        if both { alone.min(curve([pair[1], pair[0]], &alpha)) } else { alone }
    };
    let points: Vec<_> = (0..=16).map(|n| (q(n, 16), least(n))).collect();
    let below = |alpha: &BigRational| {
        let mut least = BigRational::one();
        for (a, b) in points.iter().filter(|(a, _)| a <= alpha) {
            for (c, d) in points.iter().filter(|(c, _)| c >= alpha) {
                let share = if a < c { (alpha - a) / (c - a) } else { BigRational::zero() };
                least = least.min(b + share * (d - b));
            }
        }
        least
    };
    points.iter().map(|(alpha, _)| below(alpha)).collect()
}

fn place(alpha: &BigRational) -> usize {
    usize::try_from((alpha * BigInt::from(16)).to_integer()).unwrap()
}

/// Curves of masses in eighths have their corners at eighths, and moved by sixteenths at those.
fn is_above(
    f: &dyn Fn(&BigRational) -> BigRational, g: &dyn Fn(&BigRational) -> BigRational, by: &BigRational,
) -> bool {
    (0..=16).map(|n| q(n, 16)).all(|alpha| f(&alpha) >= g(&(&alpha + by)) - by)
}

const ODDS: [(i64, i64); 9] = [(1, 8), (1, 3), (1, 2), (5, 7), (1, 1), (3, 2), (2, 1), (3, 1), (8, 1)];

/// Whatever is accepted holds at every α: of the curve of one direction, or of the smaller one of both.
#[test]
fn dominance_in_large_units() {
    let mut random = Random::new(81);
    let (mut above, mut below) = (0, 0);
    for round in 0..300 {
        work::begin(None);
        let [p, r, s, t] = [(); 4].map(|()| masses(&mut random));
        let at_most = q(i64::try_from(random.below(9)).unwrap(), 16);
        let (first, second) = ([p.as_slice(), &r], [s.as_slice(), &t]);
        let both = round % 3 == 0;
        let adjacency = if both { Adjacency::AddRemove } else { Adjacency::Remove };
        // The other one's tests may be mixed with those of the other order.
        let theirs = if round % 2 == 0 { Adjacency::AddRemove } else { Adjacency::Remove };
        let (mechanism, other) = (alone(&p, &r, adjacency), alone(&s, &t, theirs));
        let turned = [r.as_slice(), &p];
        let of_first = |alpha: &BigRational| {
            let one = curve(first, alpha);
            if both { one.min(curve(turned, alpha)) } else { one }
        };
        let hull = hull_of(second, theirs.is_both());
        let of_second = |alpha: &BigRational| hull.get(place(alpha)).cloned().unwrap_or_default();
        let holds = is_above(&of_first, &of_second, &at_most);
        let odds: Vec<BigRational> = ODDS.iter().map(|(n, d)| q(*n, *d)).collect();
        let off = i64::try_from(random.below(2)).unwrap();
        let reals = 20 + u32::try_from(random.below(6)).unwrap();
        let accepted = in_units(reals, 8, || {
            let mut sources = vec![source("remove", first, &odds, true, off)];
            if both {
                sources.push(source("add", turned, &odds, true, off));
            }
            // Tests of the other one with these thresholds, and what is mixed of them.
            let others = [source("remove", second, &odds, false, 0)];
            let known: [Known<'_>; 2] = [(&mechanism, &sources), (&other, &others)];
            below_all(known[0], known[1], &at_most).is_ok()
        });
        assert!(!accepted || holds, "{p:?} {r:?} {s:?} {t:?} {at_most} {both} 2^-{reals}");
        below += i32::from(accepted);
        // At one u, where the bounds are exact up to a unit: above only if the curves cross.
        for u in [q(1, 2), q(1, 1), q(2, 1)] {
            let refuted = in_units(reals, 8, || {
                let (one, theirs) = ([u.clone()], [u.clone()]);
                let sources = [source("remove", first, &one, false, 0)];
                let mut others = vec![source("remove", second, &theirs, true, 0)];
                if other.adjacency.is_both() {
                    others.push(source("add", [second[1], second[0]], &theirs, true, 0));
                }
                above_some((&mechanism, &sources), (&other, &others), &at_most).is_ok()
            });
            assert!(!refuted || !holds, "{p:?} {r:?} {s:?} {t:?} {at_most} at {u}");
            above += i32::from(refuted);
        }
    }
    assert!(above > 20 && below > 20, "{above} {below}");
}

/// Bounds that are not true are not accepted, whichever of the two mechanisms they are of.
#[test]
fn bounds_are_computed_again() {
    let (p, r) = (vec![q(1, 4), q(3, 4)], vec![q(3, 4), q(1, 4)]);
    let (halves, nearly) = (vec![q(1, 2), q(1, 2)], vec![q(9, 16), q(7, 16)]);
    let (mechanism, other) = (alone(&p, &r, Adjacency::Remove), alone(&p, &p, Adjacency::Remove));
    work::begin(None);
    in_units(22, 8, || {
        let tried = |own: i64, theirs: i64, at_most: &BigRational| {
            let at = [q(1, 1)];
            let sources = [source("remove", [&p, &r], &at, false, own)];
            let others = [source("remove", [&p, &p], &at, true, theirs)];
            above_some((&mechanism, &sources), (&other, &others), at_most).is_ok()
        };
        // δ(0) is 1/2 and 0: above by more than 2x for x below 1/4, and not for x = 1/4.
        assert!(tried(0, 0, &q(1, 5)) && tried(0, 0, &q(63, 256)) && !tried(0, 0, &q(1, 4)));
        assert!(!tried(1, 0, &q(1, 5)), "more than its own");
        assert!(tried(0, 1, &q(1, 5)), "less than is known of the other one");
        assert!(!tried(0, 100, &q(1, 5)));
        let both = |own: i64, at_most: &BigRational| {
            let odds = [q(1, 2), q(1, 1), q(2, 1)];
            let sources = [source("remove", [&p, &r], &odds, true, own)];
            let other = alone(&halves, &nearly, Adjacency::Remove);
            let others = [source("remove", [&halves, &nearly], &vec![q(1, 1); 4], false, 0)];
            below_all((&mechanism, &sources), (&other, &others), at_most).is_ok()
        };
        // f(1/4) = 1/4, and a test of the other one has size 1/2 and power 9/16.
        assert!(!both(-1, &q(1, 2)), "less than its own");
        assert!(both(0, &q(1, 2)) && !both(0, &q(1, 5)));
    });
}

/// Next to equality in units in which each interval is some units wide: the differences of δ, the size of a test, and the power that is needed.
#[test]
fn dominance_next_to_equality() {
    let mut random = Random::new(82);
    let mut number = |below: u64| i64::try_from(random.below(below)).unwrap();
    let unit = q(1, 1 << 20);
    let given = |direction: &str, epsilons: &[&BigRational], bounds: &[BigInt]| {
        let epsilons: Vec<String> = epsilons.iter().map(|u| format!("\"log {u}\"")).collect();
        let bounds: Vec<String> = bounds.iter().map(|n| format!("\"{n}\"")).collect();
        let (epsilons, bounds) = (epsilons.join(","), bounds.join(","));
        let text = format!(r#"{{"direction":"{direction}","epsilons":[{epsilons}],"bounds":[{bounds}]}}"#);
        Source::read(&json(&text).unwrap()).unwrap()
    };
    let nothing = [q(1, 2), q(1, 2)];
    let (mut yes, mut no) = (0, 0);
    for _ in 0..560 {
        work::begin(None);
        let u = q(15 + number(30), 7);
        let x = q(1 + number(20), 190);
        in_units(20, 20, || {
            // δ(u) of the first is 3/4 at least, of the second 0: any bound between is one.
            let (mechanism, other) = (
                alone(&[q(0, 1), q(1, 1)], &[q(3, 4), q(1, 4)], Adjacency::Remove),
                alone(&nothing, &nothing, Adjacency::Remove),
            );
            let exact = (&u + BigRational::one()) * &x;
            let near = (&exact / &unit).to_integer();
            for off in -4..=12 {
                let bound: BigInt = &near + off;
                if BigRational::from(bound.clone()) * &unit > q(3, 4) {
                    continue;
                }
                let is_above = BigRational::from(bound.clone()) * &unit > exact;
                let (own, theirs) = ([given("remove", &[&u], &[bound])], [given("remove", &[&u], &[BigInt::zero()])]);
                let found = above_some((&mechanism, &own), (&other, &theirs), &x).is_ok();
                assert!(!found || is_above, "{u} {x} {off}");
                (yes, no) = (yes + i32::from(found), no + i32::from(!found));
            }
            // From (0, 1) to (u, δ): a test of size (1 − δ)/u + x and power 1 − x, by one of power 1 and half as large again, mixed with never.
            let most = q(1, 3);
            let delta = BigInt::from(number(200_000));
            let size = (BigRational::one() - BigRational::from(delta.clone()) * &unit) / &u + &most;
            for off in -6..=6 {
                let own = &size * q(3, 2) + &unit * q(off, 2);
                if own >= BigRational::one() {
                    continue;
                }
                let other = alone(&[own.clone(), BigRational::one() - &own], &[q(1, 1), q(0, 1)], Adjacency::Remove);
                let mechanism = alone(&nothing, &nothing, Adjacency::Remove);
                let sources = [given("remove", &[&u], std::slice::from_ref(&delta))];
                let one = q(1, 1);
                let others = [given("remove", &[&one, &one], &[BigInt::zero(), BigInt::zero()])];
                let found = below_all((&mechanism, &sources), (&other, &others), &most).is_ok();
                assert!(!found || off <= 0, "{u} {delta} {off}");
                (yes, no) = (yes + i32::from(found), no + i32::from(!found));
            }
            // From (1/2, 1/2) to (u, δ): the power 1/2 + α/2 − x.
            let half = q(1, 2);
            let alpha = (&half - BigRational::from(delta.clone()) * &unit) / (&u - &half);
            let (most, one) = (q(1, 50), q(1, 1));
            let (size, needed) = (&alpha + &most, &half + &alpha / BigInt::from(2) - &most);
            // A test of size 0, mixed with always.
            let needed = (needed - &size) / (one - size);
            for off in -6..=12 {
                let own = &needed + &unit * q(off, 2);
                let other = alone(&[q(0, 1), q(1, 1)], &[own.clone(), BigRational::one() - &own], Adjacency::Remove);
                let mechanism = alone(&nothing, &nothing, Adjacency::Remove);
                let sources = [given("remove", &[&half, &u], &[BigInt::from(1 << 19), delta.clone()])];
                let far = q(50, 1);
                let others = [given("remove", &[&far, &far, &far], &[BigInt::zero(), BigInt::zero(), BigInt::zero()])];
                let found = below_all((&mechanism, &sources), (&other, &others), &most).is_ok();
                assert!(!found || off >= 0, "{u} {delta} {off}");
                (yes, no) = (yes + i32::from(found), no + i32::from(!found));
            }
        });
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
}

/// Where one order has δ = 0 and the other one has not, the larger counts: both orders together are not dominated by what dominates one of them.
#[test]
fn the_larger_of_both_orders() {
    work::begin(None);
    let (p, r) = ([q(1, 1), q(0, 1), q(0, 1)], [q(7, 8), q(1, 8), q(0, 1)]);
    let theirs = [[q(1, 8), q(3, 4), q(1, 8)], [q(1, 4), q(3, 4), q(0, 1)]];
    let odds = [q(1, 1), q(2, 1)];
    let thresholds = [q(1, 2), q(3, 2), q(3, 1)];
    in_units(20, 8, || {
        let remove = || source("remove", [&p, &r], &odds, true, 0);
        let add = || source("add", [&r, &p], &odds, true, 0);
        let accepted = |adjacency: Adjacency, sources: &[Source]| {
            let other = alone(&theirs[0], &theirs[1], Adjacency::Remove);
            let others = [source("remove", [&theirs[0], &theirs[1]], &thresholds, false, 0)];
            let mechanism = alone(&p, &r, adjacency);
            below_all((&mechanism, sources), (&other, &others), &q(0, 1)).is_ok()
        };
        assert!(accepted(Adjacency::Add, &[add()]));
        assert!(!accepted(Adjacency::Remove, &[remove()]));
        for both in [[remove(), add()], [add(), remove()]] {
            assert!(!accepted(Adjacency::AddRemove, &both));
        }
    });
}

/// Each product of a slope and a size is rounded up where it is what a test must have: between (u, δ) and (u + 1, δ − α) a test of size α + x and power δ + u·α − x.
#[test]
fn powers_are_rounded_up() {
    let mut random = Random::new(83);
    let mut number = |below: u64| i64::try_from(random.below(below)).unwrap();
    const UNIT: i64 = 1 << 20;
    let given = |epsilons: &[BigRational], bounds: &[i64]| {
        let epsilons: Vec<String> = epsilons.iter().map(|u| format!("\"log {u}\"")).collect();
        let bounds: Vec<String> = bounds.iter().map(|n| format!("\"{n}\"")).collect();
        let text =
            format!(r#"{{"direction":"remove","epsilons":[{}],"bounds":[{}]}}"#, epsilons.join(","), bounds.join(","));
        Source::read(&json(&text).unwrap()).unwrap()
    };
    let (mut yes, mut no) = (0, 0);
    for _ in 0..200 {
        work::begin(None);
        // u = 1/2 and a bit, δ(u) = 1 − u and a unit; at u + 1 hardly anything.
        let m = UNIT / 2 + 1 + number(1 << 14);
        let (u, x) = (q(m, UNIT), q(UNIT / 64, UNIT));
        let bounds = [UNIT - m + 1, number(1 << 14)];
        let size = bounds[0] - bounds[1];
        let needed = q(bounds[0], UNIT) + &u * q(size, UNIT) - &x;
        for off in -2..=3 {
            // The last power of this many units that is not above what is needed, and some next to it.
            let own = (&needed * BigInt::from(UNIT)).floor() / BigInt::from(UNIT) + q(off, UNIT);
            let with = q(size, UNIT) + &x;
            let other = alone(
                &[with.clone(), BigRational::one() - &with],
                &[own.clone(), BigRational::one() - &own],
                Adjacency::Remove,
            );
            let halves = [q(1, 2), q(1, 2)];
            let mechanism = alone(&halves, &halves, Adjacency::Remove);
            let found = in_units(20, 20, || {
                let sources = [given(&[u.clone(), &u + q(1, 1)], &bounds)];
                let others = [given(&[q(1, 1), q(1, 1), q(1, 1)], &[0, 0, 0])];
                below_all((&mechanism, &sources), (&other, &others), &x).is_ok()
            });
            assert!(!found || own >= needed, "{u} {size} {off}");
            (yes, no) = (yes + i32::from(found), no + i32::from(!found));
        }
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
}

/// Where the other one is the worst of two datasets its curve is the lower one of two, which need not be convex: corners say nothing of what is between them.
#[test]
fn curves_of_many_datasets_are_no_room() {
    work::begin(None);
    let pairs = [[[q(1, 1), q(0, 1)], [q(7, 8), q(1, 8)]], [[q(3, 4), q(1, 4)], [q(1, 4), q(3, 4)]]];
    let steps = |of: &[usize]| {
        let one = |n: &usize| (false, Step::Finite { p: pairs[*n][0].to_vec(), q: pairs[*n][1].to_vec() });
        vec![(Step::Worst { of: of.iter().map(one).collect() }, 1)]
    };
    // Above neither curve, and on the line between them.
    let (p, r) = ([q(0, 1), q(1, 4), q(3, 4)], [q(1, 8), q(5, 8), q(1, 4)]);
    let odds = [q(1, 2), q(1, 1), q(2, 1), q(3, 1)];
    in_units(20, 8, || {
        let accepted = |of: &[usize]| {
            let other = Mechanism { steps: steps(of), members: Vec::new(), adjacency: Adjacency::Remove };
            let others = [source("remove", [&pairs[0][0], &pairs[0][1]], &odds, false, 0)];
            let (sources, mechanism) = ([source("remove", [&p, &r], &odds, true, 0)], alone(&p, &r, Adjacency::Remove));
            below_all((&mechanism, &sources), (&other, &others), &q(3, 8)).is_ok()
        };
        assert!(accepted(&[1]) && !accepted(&[0, 1]));
    });
}

/// Tests of a pair whose orders are alike, named in either order and under every adjacency: what is accepted holds.
#[test]
fn tests_of_a_symmetric_pair_in_either_order() {
    let mut random = Random::new(91);
    let odds: Vec<BigRational> = ODDS.iter().map(|(n, d)| q(*n, *d)).collect();
    let adjacencies = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove];
    let mut found = [0, 0];
    for round in 0..600 {
        work::begin(None);
        let [p, r] = [(); 2].map(|()| masses(&mut random));
        // (1/8, 7/8) against (7/8, 1/8), and (1/4, 3/4) against (3/4, 1/4).
        let least = [1, 2][round % 2];
        let (s, t) = ([q(least, 8), q(8 - least, 8)], [q(8 - least, 8), q(least, 8)]);
        let step = Step::Response { epsilon: Epsilon::LogOf(q(8 - least, least)), k: 2.into() };
        let other = Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency: adjacencies[round / 2 % 3] };
        let mechanism = alone(&p, &r, Adjacency::Remove);
        let at_most = q(i64::try_from(random.below(7)).unwrap(), 16);
        let hull = hull_of([&s, &t], false);
        let of_second = |alpha: &BigRational| hull.get(place(alpha)).cloned().unwrap_or_default();
        let holds = is_above(&|alpha| curve([&p, &r], alpha), &of_second, &at_most);
        for (place, name) in ["remove", "add"].into_iter().enumerate() {
            let accepted = in_units(24, 8, || {
                let sources = [source("remove", [&p, &r], &odds, true, 0)];
                let others = [source(name, [&s, &t], &odds, false, 0)];
                below_all((&mechanism, &sources), (&other, &others), &at_most).is_ok()
            });
            assert!(!accepted || holds, "{p:?} {r:?} {s:?} {at_most} {name}");
            found[place] += i32::from(accepted);
        }
    }
    assert!(found.iter().all(|n| *n > 10), "{found:?}");
}

/// What needs all of the power is shown by the other order of a pair whose orders are alike, where some outcomes never happen with the record: (0, 1/2)-DP.
#[test]
fn all_of_the_power_of_a_symmetric_pair() {
    work::begin(None);
    let half = q(1, 2);
    let accepted = |names: &[&str], adjacency: Adjacency| {
        let step = Step::Guarantee { points: vec![(Epsilon::Plain(q(0, 1)), half.clone())] };
        let other = Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency };
        // (0, 3/8)-DP.
        let (p, r) = ([q(3, 8), q(5, 8), q(0, 1)], [q(0, 1), q(5, 8), q(3, 8)]);
        let mechanism = alone(&p, &r, Adjacency::Remove);
        in_units(24, 8, || {
            let sources = [source("remove", [&p, &r], &[q(1, 2), q(1, 1), q(2, 1)], true, 0)];
            let others: Vec<_> =
                names.iter().map(|name| source(name, [&p, &r], &[q(1, 16), q(16, 1)], false, 0)).collect();
            below_all((&mechanism, &sources), (&other, &others), &q(0, 1)).is_ok()
        })
    };
    assert!(accepted(&["remove", "add"], Adjacency::Remove));
    assert!(!accepted(&["remove"], Adjacency::Remove));
    assert!(accepted(&["remove"], Adjacency::AddRemove));
}
