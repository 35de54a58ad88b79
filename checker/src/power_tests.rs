//! Powers in large units against all tests of small pairs, in fractions.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::Tests;
use crate::answer::Adjacency;
use crate::coarse::{Random, in_units, largest_power};
use crate::real::w;
use crate::source::{Source, units};
use crate::step::{Mechanism, Step};
use crate::value::json;
use crate::work;

fn q(n: u64, d: u64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn masses(random: &mut Random) -> Vec<BigRational> {
    let mut cuts = [0; 3].map(|_| random.below(9));
    cuts.sort_unstable();
    let [a, b, c] = cuts;
    [a, b - a, c - b, 8 - c].into_iter().map(|n| q(n, 8)).collect()
}

fn named(odds: &[BigRational]) -> Source {
    named_in("remove", odds)
}

fn named_in(direction: &str, odds: &[BigRational]) -> Source {
    let epsilons: Vec<String> = odds.iter().map(|u| format!("\"log {u}\"")).collect();
    let text = format!(r#"{{"direction":"{direction}","epsilons":[{}],"bounds":[]}}"#, epsilons.join(","));
    Source::read(&json(&text).unwrap()).unwrap()
}

/// The largest power of mixtures of any two tests of size α.
fn mixed(points: &[(BigRational, BigRational)], alpha: &BigRational) -> BigRational {
    let mut most = BigRational::zero();
    for (a, b) in points.iter().filter(|(a, _)| a <= alpha) {
        for (c, d) in points.iter().filter(|(c, _)| c >= alpha) {
            let share = if a < c { (alpha - a) / (c - a) } else { BigRational::zero() };
            most = most.max(b + share * (d - b));
        }
    }
    most
}

/// What is found is the power of a mixture, and of the best one where thresholds between all ratios are named.
#[test]
fn powers_are_those_of_mixtures() {
    let mut random = Random::new(7);
    let (mut equal, mut less) = (0, 0);
    for round in 0..400 {
        work::begin(None);
        let [p, r] = [(); 2].map(|()| masses(&mut random));
        let both = round % 2 == 0;
        let adjacency = if both { Adjacency::AddRemove } else { Adjacency::Remove };
        let mechanism =
            Mechanism { steps: vec![(Step::Finite { p: p.clone(), q: r.clone() }, 1)], members: Vec::new(), adjacency };
        // Ratios of eighths are fractions with these, and lie between these.
        let mut odds: Vec<BigRational> = (1..9).flat_map(|d| (1..9).map(move |n| q(n, d) * q(999, 1000))).collect();
        odds.push(q(9, 1));
        let is_all = round % 4 < 2;
        odds.retain(|_| is_all || random.below(16) == 0);
        if odds.is_empty() {
            continue;
        }
        let alpha = q(random.below(65), 64);
        let turned = |x: &BigRational, of: [&[BigRational]; 2]| largest_power(of[0], of[1], 1, x);
        let sizes: Vec<BigRational> = (0..=8).map(|n| q(n, 8)).collect();
        let mut points: Vec<_> = sizes.iter().map(|x| (x.clone(), turned(x, [&p, &r]))).collect();
        if both {
            points.extend(sizes.iter().map(|x| (x.clone(), turned(x, [&r, &p]))));
        }
        let most = mixed(&points, &alpha);
        // In the order of the claim, or in the other one and read the other way round.
        let own = both || round % 3 > 0;
        let source = named_in(if own { "remove" } else { "add" }, &odds);
        let found = in_units(24, 16, || Tests::of(&source, &mechanism, own).unwrap().power(&alpha).unwrap());
        let (found, unit) = (units(found, 24), units(BigInt::one(), 24));
        assert!(found <= most, "{p:?} {r:?} {alpha} {odds:?}");
        // Each end is off by three units at most, and slopes are at most 2^6 but at 0.
        let near = &found + q(240, 1) * &unit >= most;
        let is_steep = alpha.is_zero() || alpha < q(1, 8) && both;
        assert!(!is_all || near || is_steep, "{p:?} {r:?} {alpha}: {found} {most}");
        equal += i32::from(is_all && near);
        less += i32::from(!is_all && !near);
    }
    assert!(equal > 100 && less > 20, "{equal} {less}");
}

/// Without a test, or with a law and a test, nothing is said.
#[test]
fn tests_are_named_in_one_way() {
    work::begin(None);
    let halves = vec![q(1, 2), q(1, 2)];
    let steps = vec![(Step::Finite { p: halves.clone(), q: halves }, 1)];
    let mechanism = Mechanism { steps, members: Vec::new(), adjacency: Adjacency::Remove };
    assert!(Tests::of(&named(&[]), &mechanism, true).is_err());
    let law = r#","law":{"light":0,"step":"1","parts":[{"coarsen":[],"first":-4,"last":4,"level":0}]}"#;
    for (epsilons, is_read) in [("", true), (r#""0""#, false)] {
        let text = format!(r#"{{"direction":"remove","epsilons":[{epsilons}],"bounds":[]{law}}}"#);
        let source = Source::read(&json(&text).unwrap()).unwrap();
        assert_eq!(Tests::of(&source, &mechanism, true).is_ok(), is_read);
        // A law has no tests of the other order.
        assert!(!is_read || Tests::of(&source, &mechanism, false).is_err());
    }
}

/// Of two datasets each test is of one of them: what is found is no more than the better of both, and a mixture of their tests would be more.
#[test]
fn tests_of_different_datasets_are_not_mixed() {
    let mut random = Random::new(11);
    let mut gaps = 0;
    for round in 0..500 {
        work::begin(None);
        let pairs = [(); 2].map(|()| [(); 2].map(|()| masses(&mut random)));
        let both = round % 2 == 0;
        let adjacency = if both { Adjacency::AddRemove } else { Adjacency::Remove };
        let one = |[p, r]: &[Vec<BigRational>; 2]| (false, Step::Finite { p: p.clone(), q: r.clone() });
        let steps = vec![(Step::Worst { of: pairs.iter().map(one).collect() }, 1)];
        let mechanism = Mechanism { steps, members: Vec::new(), adjacency };
        let odds: Vec<BigRational> = (1..9).flat_map(|d| (1..9).map(move |n| q(n, d) * q(999, 1000))).collect();
        let alpha = q(random.below(65), 64);
        let sizes: Vec<BigRational> = (0..=8).map(|n| q(n, 8)).collect();
        let tests = |[p, r]: &[Vec<BigRational>; 2]| {
            let mut points: Vec<_> = sizes.iter().map(|x| (x.clone(), largest_power(p, r, 1, x))).collect();
            if both {
                points.extend(sizes.iter().map(|x| (x.clone(), largest_power(r, p, 1, x))));
            }
            points
        };
        let most = pairs.iter().map(|pair| mixed(&tests(pair), &alpha)).max().unwrap();
        let of_both = mixed(&pairs.iter().flat_map(tests).collect::<Vec<_>>(), &alpha);
        let found = in_units(24, 16, || Tests::of(&named(&odds), &mechanism, true).unwrap().power(&alpha).unwrap());
        assert!(units(found, 24) <= most, "{pairs:?} {alpha}");
        gaps += i32::from(most < of_both);
    }
    assert!(gaps > 20, "{gaps}");
}

/// Of two datasets, of which one tells nothing, the best test of the other one counts, and not that beyond the largest ratio, which always says no.
#[test]
fn the_dataset_that_tells_more() {
    work::begin(None);
    let step = |p: [u64; 2], r: [u64; 2]| {
        let [p, q] = [p, r].map(|masses| masses.map(|n| q(n, 8)).to_vec());
        (false, Step::Finite { p, q })
    };
    let of = vec![step([4, 4], [4, 4]), step([1, 7], [7, 1])];
    let mechanism =
        Mechanism { steps: vec![(Step::Worst { of }, 1)], members: Vec::new(), adjacency: Adjacency::Remove };
    let tests = Tests::of(&named(&[q(8, 1), q(3, 1)]), &mechanism, true).unwrap();
    let found = units(tests.power(&q(1, 8)).unwrap(), w());
    assert!(found <= q(7, 8) && found > q(6999, 8000), "{found}");
}

/// What never happens with the record has the power 1, exactly, where it is named in the other order.
#[test]
fn what_never_happens_with_the_record() {
    work::begin(None);
    let steps = vec![(Step::Finite { p: vec![q(1, 3), q(2, 3)], q: vec![q(0, 1), q(1, 1)] }, 1)];
    let mechanism = Mechanism { steps, members: Vec::new(), adjacency: Adjacency::Remove };
    let power = |direction: &str, own| {
        let source = named_in(direction, &[q(5, 1)]);
        units(Tests::of(&source, &mechanism, own).unwrap().power(&q(7, 9)).unwrap(), w())
    };
    assert_eq!(power("add", false), q(1, 1));
    assert!(power("remove", true) < q(1, 1));
}
