//! The regret of small pairs, by its definition in f64, against what is accepted of it.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use crate::claim::{Form, read};
use crate::coarse::{Random, cases};
use crate::proof::prove;
use crate::reason::{Reason, Rejected};
use crate::value::json;
use crate::work;

fn proved(mechanism: &str, mu: f64, at_most: f64, verified: bool, proof: &str) -> Result<(), Rejected> {
    work::begin(None);
    let claim = format!(r#"{{"kind":"regret","mu":"{mu}","at-most":"{at_most:.12}"}}"#);
    let file = read(&format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#), Form::File, 0)?;
    prove(&file, verified, &json(proof)?)
}

/// P(Z > x), by Simpson's rule.
fn tail(x: f64) -> f64 {
    const HALVES: u32 = 1000;
    let density = |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let (from, width) = (x.max(-9.0), (9.0 - x.max(-9.0)).max(0.0) / f64::from(2 * HALVES));
    let at = |i: u32| density(from + f64::from(i) * width);
    let sum: f64 = (0..HALVES).map(|i| at(2 * i) + 4.0 * at(2 * i + 1) + at(2 * i + 2)).sum();
    sum * width / 3.0
}

/// Masses without the record and with it.
type Pair = [[f64; 3]; 2];

fn delta([p, q]: &Pair, u: f64) -> f64 {
    p.iter().zip(q).map(|(p, q)| (q - u * p).max(0.0)).sum()
}

fn turned([p, q]: &Pair) -> Pair {
    [*q, *p]
}

/// Corners of the largest convex curve below those of all these pairs: of the errors of their tests, those on the lower hull.
fn corners(pairs: &[Pair]) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for [p, q] in pairs {
        // Every set of outcomes is a test.
        for set in 0..8u32 {
            let of = |masses: &[f64; 3]| (0..3).filter(|i| set >> i & 1 == 1).map(|i| masses[i]).sum::<f64>();
            all.push((of(p), 1.0 - of(q)));
        }
    }
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for (x, y) in all {
        while let [.., (a, b), (c, d)] = hull[..] {
            if (d - b) * (x - a) < (y - b) * (c - a) {
                break;
            }
            hull.pop();
        }
        // Of equal errors of the first kind the least of the second.
        if hull.last().is_none_or(|(last, _)| *last < x) {
            hull.push((x, y));
        }
    }
    hull
}

fn curve(corners: &[(f64, f64)], alpha: f64) -> f64 {
    if alpha >= 1.0 {
        return 0.0;
    }
    let found = corners.windows(2).find(|pair| alpha <= pair[1].0);
    found.map_or(0.0, |pair| {
        let [(a, b), (c, d)] = [pair[0], pair[1]];
        b + (d - b) * (alpha - a) / (c - a)
    })
}

/// The least x with f(α + x) − x ≤ G_μ(α) at all points of the Gaussian's curve that are looked at.
fn regret(pairs: &[Pair], gaussian: &[(f64, f64)]) -> f64 {
    let corners = corners(pairs);
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..40 {
        let x = (low + high) / 2.0;
        if gaussian.iter().all(|(alpha, beta)| curve(&corners, alpha + x) - x <= *beta) {
            high = x;
        } else {
            low = x;
        }
    }
    high
}

fn units(x: f64, up: bool) -> BigInt {
    let x = BigRational::from_float(x.clamp(0.0, 1.0)).unwrap() * BigRational::from(BigInt::one() << 120);
    if up { x.ceil().to_integer() } else { x.floor().to_integer() }
}

fn source(direction: &str, points: &[(f64, BigInt)], law: &str) -> String {
    let epsilons: Vec<_> = points.iter().map(|(epsilon, _)| format!("\"{epsilon}\"")).collect();
    let bounds: Vec<_> = points.iter().map(|(_, bound)| format!("\"{bound}\"")).collect();
    let (epsilons, bounds) = (epsilons.join(","), bounds.join(","));
    format!(r#"{{"bounds":[{bounds}],"direction":"{direction}","epsilons":[{epsilons}]{law}}}"#)
}

fn proof(sources: &[String], others: &[String]) -> String {
    format!(r#"{{"kind":"dominance","sources":[{}],"others":[{}]}}"#, sources.join(","), others.join(","))
}

const FINE_LAW: &str = r#","law":{"light":0,"parts":[{"coarsen":[],"first":-200,"last":200,"level":0}],"step":"1/64"}"#;

/// What is accepted is true; what is true by a margin is accepted. Some of the bounds are too high by far and in no convex position.
#[test]
fn regrets_of_small_pairs() {
    let mut random = Random::new(91);
    let (mut verified, mut refuted, mut alone) = (0, 0, 0);
    for round in 0..cases(8) {
        let mut masses = || {
            let mut cuts = [random.below(9), random.below(9)];
            cuts.sort_unstable();
            [cuts[0], cuts[1] - cuts[0], 8 - cuts[1]].map(|n| u32::try_from(n).unwrap())
        };
        let (p, q) = (masses(), masses());
        let pair = [p, q].map(|masses| masses.map(|n| f64::from(n) / 8.0));
        let both = round % 2 == 0;
        let pairs = if both { vec![pair, turned(&pair)] } else { vec![pair] };
        let mu = [0.5, 1.0, 2.5][round % 3];
        let gaussian: Vec<_> = (-2000..=2000).map(|i| f64::from(i) / 300.0).map(|x| (tail(x), tail(mu - x))).collect();
        let of_gaussian = |e: f64| tail(e / mu - mu / 2.0) - e.exp() * tail(e / mu + mu / 2.0);
        let truth = regret(&pairs, &gaussian);
        let texts = [p, q].map(|masses| masses.map(|n| format!("\"{n}/8\"")).join(","));
        let adjacency = if both { "add-remove" } else { "remove" };
        let mechanism =
            format!(r#"{{"kind":"finite","p":[{}],"q":[{}],"adjacency":"{adjacency}"}}"#, texts[0], texts[1]);
        let directions = if both { &["remove", "add"][..] } else { &["remove"] };
        for off in [-0.1, -0.02, -1e-4, 1e-4, 0.01, 0.05, 0.1] {
            let x = truth + off;
            if !(0.0..0.5).contains(&x) {
                continue;
            }
            let is_loose = random.below(3) == 0;
            let mut more =
                |_: f64| if is_loose { f64::from(u32::try_from(random.below(20)).unwrap()) / 300.0 } else { 1e-8 };
            let nodes: Vec<_> =
                (-60..=60).map(|i| f64::from(i) / 12.0).map(|e| (e, units(of_gaussian(e) + more(e), true))).collect();
            let tests = directions.iter().map(|d| source(d, &[], FINE_LAW)).collect::<Vec<_>>();
            let sources = [source("remove", &nodes, "")];
            let answer = proved(&mechanism, mu, x, true, &proof(&sources, &tests));
            let is_accepted = answer.is_ok();
            assert!(!is_accepted || off > -1e-6, "{mechanism} {mu} {x} verified, {truth}");
            assert!(is_accepted || off < 0.05 || is_loose, "{mechanism} {mu} {x} not verified, {truth}: {answer:?}");
            verified += i32::from(is_accepted);
            // The other way round the sources are about the wrong mechanism.
            assert!(proved(&mechanism, mu, x, true, &proof(&tests, &sources)).is_err());
            let excess = |e: f64| {
                let theirs = pairs.iter().map(|pair| delta(pair, e.exp())).fold(0.0, f64::max);
                (of_gaussian(e) - theirs) / (1.0 + e.exp())
            };
            let places = (-400..=400).map(|i| f64::from(i) / 100.0);
            let e = places.max_by(|a, b| excess(*a).total_cmp(&excess(*b))).unwrap();
            let sources = [source("remove", &[(e, units(of_gaussian(e) - 1e-8, false))], "")];
            let theirs = pairs
                .iter()
                .zip(directions)
                .map(|(pair, d)| source(d, &[(e, units(delta(pair, e.exp()) + 1e-12, true))], ""));
            let theirs: Vec<_> = theirs.collect();
            let answer = proved(&mechanism, mu, x, false, &proof(&sources, &theirs));
            let is_accepted = answer.is_ok();
            assert!(!is_accepted || off < 1e-3, "{mechanism} {mu} {x} refuted, {truth}");
            assert!(is_accepted || off > -0.02, "{mechanism} {mu} {x} not refuted, {truth}: {answer:?}");
            refuted += i32::from(is_accepted);
            if both {
                // One order of the pair says nothing of the other one.
                let no = proved(&mechanism, mu, x, false, &proof(&sources, &theirs[..1])).unwrap_err();
                assert_eq!(no.reason, Reason::Direction);
                alone += 1;
            }
        }
    }
    assert!(verified > 8 && refuted > 8 && alone > 8, "{verified} {refuted} {alone}");
}

/// A small regret is proved of what reveals no more than is stated, a large one of what reveals no less.
#[test]
fn regrets_of_members() {
    let mechanism = r#"{"kind":"random-allocation","steps":4,"of":{"kind":"gaussian","sigma":"1"}}"#;
    let directions = ["remove", "add"];
    // Everything reveals more than nothing.
    let sources = [source("remove", &[(0.0, units(0.0, true))], "")];
    let none = directions.map(|d| source(d, &[], r#","law":{"light":0,"parts":[],"step":"1"}"#));
    let refused = |verified: bool, with: &str| {
        let text = proof(&sources, &none).replace(r#","sources""#, &format!(r#"{with},"sources""#));
        proved(mechanism, 1.0, 0.2, verified, &text).unwrap_err().reason
    };
    assert_eq!(refused(true, ""), Reason::WrongKind);
    assert_eq!(refused(true, r#","member":9"#), Reason::WrongKind);
    assert_eq!(refused(false, r#","member":0"#), Reason::WrongKind);
    assert_ne!(refused(true, r#","member":0"#), Reason::WrongKind);
    assert_ne!(refused(false, ""), Reason::WrongKind);
}
