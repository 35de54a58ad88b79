//! What the checker computes of a step against the enclosures of the engine, over random mechanisms of every kind and both orders:
//! `DPCMP=path/of/dpcmp cargo test -p dpcmp-check engine -- --ignored`.

use std::io::Write;
use std::process::{Command, Stdio};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::claim::Direction;
use crate::coarse::{BOTH, Random, ends};
use crate::law::{Plan, Side};
use crate::numbers::number;
use crate::profile;
use crate::renyi::Moments;
use crate::step::{Epsilon, Noise, Step};
use crate::value::json;
use crate::work;

fn q(n: u64, d: u64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

/// A step, its mechanism in a file without the closing brace, and whether it is about a record that is replaced.
fn random_step(random: &mut Random) -> (Step, String, bool) {
    let a = q(1 + random.below(300), 100);
    let b = q(1 + random.below(99), 100);
    let k = 2 + random.below(4);
    let whole = 1 + random.below(3);
    let one = || vec![(BigRational::one(), BigRational::zero())];
    let once = |r: &BigRational| vec![(BigRational::one() - r, BigRational::zero()), (r.clone(), BigRational::one())];
    let odds = BigRational::one() + &a;
    let at = |shift: u64| vec![(BigRational::one(), BigRational::from(BigInt::from(shift)))];
    let response = Step::Response { epsilon: Epsilon::Plain(a.clone()), k: k.into() };
    match random.below(20) {
        0 => (Step::Gaussian { square: (&a * &a).recip() }, format!(r#"{{"kind":"gaussian","sigma":"{a}""#), false),
        1 => (Step::Laplace { epsilon: a.recip() }, format!(r#"{{"kind":"laplace","scale":"{a}""#), false),
        2 => (response, format!(r#"{{"kind":"randomized-response","epsilon":"{a}","k":{k}"#), false),
        3 => {
            let step = Step::Response { epsilon: Epsilon::LogOf(odds.clone()), k: k.into() };
            (step, format!(r#"{{"kind":"randomized-response","exp-epsilon":"{odds}","k":{k}"#), false)
        }
        4 => {
            let points = vec![(Epsilon::Plain(a.clone()), b.clone())];
            (Step::Guarantee { points }, format!(r#"{{"kind":"approx-dp","epsilon":"{a}","delta":"{b}""#), false)
        }
        5 => {
            let (c, d) = (&a + q(1, 2), &b * q(1 + random.below(120), 100));
            let d = d.min(BigRational::one());
            let points = vec![
                (Epsilon::Plain(a.clone()), b.clone()),
                (Epsilon::LogOf(odds.clone()), d.clone()),
                (Epsilon::Plain(c.clone()), q(1, 50)),
            ];
            let text = format!(
                r#"{{"kind":"profile","points":[["{a}","{b}"],{{"exp-epsilon":"{odds}","delta":"{d}"}},["{c}","1/50"]]"#
            );
            (Step::Guarantee { points }, text, false)
        }
        6 => {
            let square = (&a * &a).recip();
            let text = format!(r#"{{"kind":"subsampled","rate":"{b}","of":{{"kind":"gaussian","sigma":"{a}"}}"#);
            (Step::sampled_gaussian(square, b), text, false)
        }
        7 => {
            let text = format!(r#"{{"kind":"subsampled","rate":"{b}","of":{{"kind":"laplace","scale":"{a}"}}"#);
            (Step::Sampled { rate: b, of: vec![(Step::Laplace { epsilon: a.recip() }, 1)] }, text, false)
        }
        8 => {
            let text = format!(
                r#"{{"kind":"subsampled","rate":"{b}","of":{{"kind":"randomized-response","epsilon":"{a}","k":{k}}}"#
            );
            (Step::Sampled { rate: b, of: vec![(response, 1)] }, text, false)
        }
        9 => {
            let rest = BigRational::one() - &b;
            let text = format!(
                r#"{{"kind":"mixture","of":[{{"weight":"{b}","kind":"laplace","scale":"{a}"}},{{"weight":"{rest}","kind":"randomized-response","epsilon":"{a}","k":{k}}}]"#
            );
            let of = vec![(b, vec![(Step::Laplace { epsilon: a.recip() }, 1)]), (rest, vec![(response, 1)])];
            (Step::Labelled { of }, text, false)
        }
        10 => {
            let rest = BigRational::one() - &b;
            let text = format!(
                r#"{{"kind":"gaussian-mixture","sigma":"{a}","shifts":["1/2","{odds}"],"weights":["{b}","{rest}"]"#
            );
            let with = vec![(b, q(1, 2)), (rest, odds)];
            let noise = Noise::Gaussian { square: (&a * &a).recip() };
            (Step::Shifted { noise, without: one(), with }, text, false)
        }
        11 => {
            let noise = Noise::DiscreteGaussian { square: &a * &a, parties: 1 };
            let text = format!(r#"{{"kind":"discrete-gaussian","sigma":"{a}","sensitivity":{whole}"#);
            (Step::Shifted { noise, without: one(), with: at(whole) }, text, false)
        }
        12 => {
            let noise = Noise::DiscreteLaplace { scale: a.clone() };
            let text = format!(r#"{{"kind":"discrete-laplace","scale":"{a}","sensitivity":{whole}"#);
            (Step::Shifted { noise, without: one(), with: at(whole) }, text, false)
        }
        13 => {
            let noise = Noise::Skellam { mean: a.clone() };
            let text = format!(r#"{{"kind":"skellam","mean":"{a}","sensitivity":{whole}"#);
            (Step::Shifted { noise, without: one(), with: at(whole) }, text, false)
        }
        14 => {
            let of = vec![(
                Step::Shifted {
                    noise: Noise::DiscreteGaussian { square: &a * &a, parties: 1 },
                    without: one(),
                    with: at(whole),
                },
                1,
            )];
            let text = format!(
                r#"{{"kind":"subsampled","rate":"{b}","of":{{"kind":"discrete-gaussian","sigma":"{a}","sensitivity":{whole}}}"#
            );
            (Step::Sampled { rate: b, of }, text, false)
        }
        15 => {
            let noise = Noise::Gaussian { square: (&a * &a).recip() };
            let text = format!(
                r#"{{"kind":"subsampled","rate":"{b}","of":{{"kind":"gaussian","sigma":"{a}","record-bound":1}}"#
            );
            (Step::Shifted { noise, without: once(&b), with: once(&b) }, text, true)
        }
        16 => {
            let noise = Noise::Laplace { unit: a.recip() };
            let text = format!(
                r#"{{"kind":"subsampled","rate":"{b}","of":{{"kind":"laplace","scale":"{a}","record-bound":1}}"#
            );
            (Step::Shifted { noise, without: once(&b), with: once(&b) }, text, true)
        }
        17 => {
            let rest = BigRational::one() - &b;
            let with = vec![
                (&rest * &rest, BigRational::zero()),
                (&rest * &b * q(2, 1), BigRational::one()),
                (&b * &b, q(2, 1)),
            ];
            let noise = Noise::Gaussian { square: (&a * &a).recip() };
            let text = format!(
                r#"{{"kind":"group","records":2,"of":{{"kind":"subsampled","rate":"{b}","of":{{"kind":"gaussian","sigma":"{a}"}}}}"#
            );
            (Step::Shifted { noise, without: one(), with }, text, false)
        }
        18 => {
            let (p, r) = (vec![b.clone(), BigRational::one() - &b], vec![q(1, 3), q(2, 3)]);
            let text = format!(r#"{{"kind":"finite","p":["{}","{}"],"q":["1/3","2/3"]"#, p[0], p[1]);
            (Step::Finite { p, q: r }, text, false)
        }
        _ => {
            let noise = Noise::Skellam { mean: a.clone() };
            let text = format!(
                r#"{{"kind":"subsampled","rate":"{b}","of":{{"kind":"skellam","mean":"{a}","sensitivity":{whole}}}"#
            );
            let of = vec![(Step::Shifted { noise, without: one(), with: at(whole) }, 1)];
            (Step::Sampled { rate: b, of }, text, false)
        }
    }
}

fn mechanism(text: &str, is_replaced: bool, direction: Direction) -> String {
    let adjacency = if is_replaced { "replace-one".to_owned() } else { direction.to_string() };
    format!(r#"{text},"adjacency":"{adjacency}"}}"#)
}

/// Lower and upper ends that the engine answers, line by line; none where it gives an error.
fn asked(lines: &str) -> Vec<Option<(String, String)>> {
    let program = std::env::var("DPCMP").expect("the variable DPCMP names the engine");
    let mut child = Command::new(program)
        .args(["bound", "--batch", "-", "--precision", "1e-9"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = lines.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    let read = |line: &str| {
        let answer = json(line).unwrap();
        let text = |key: &str| answer.get(key).map(|x| x.text("an end").unwrap().to_owned());
        if text("lower").is_none() {
            println!("{line}");
        }
        Some((text("lower")?, text("upper")?))
    };
    out.lines().map(read).collect()
}

fn rounds() -> u64 {
    std::env::var("DPCMP_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

fn seed() -> u64 {
    std::env::var("DPCMP_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// δ and the line of the test: both meet, and the line is nowhere above δ.
#[test]
#[ignore = "needs the engine"]
fn profiles_are_those_of_the_engine() {
    let mut random = Random::new(seed());
    let mut cases = Vec::new();
    let mut lines = String::new();
    for id in 0..rounds() {
        let (step, text, is_replaced) = random_step(&mut random);
        let direction = BOTH[usize::try_from(random.below(2)).unwrap()];
        let at = random.rational() / BigRational::from(BigInt::from(2));
        let epsilon = if random.below(4) == 0 { Epsilon::LogOf(at.abs() + q(1, 100)) } else { Epsilon::Plain(at) };
        let query = match &epsilon {
            Epsilon::Plain(x) => format!(r#""epsilon":"{x}""#),
            Epsilon::LogOf(x) => format!(r#""exp-epsilon":"{x}""#),
        };
        let text = mechanism(&text, is_replaced, direction);
        lines += &format!(r#"{{"id":{id},"mechanism":{text},"query":{{"kind":"delta",{query}}}}}"#);
        lines.push('\n');
        cases.push((step, direction, epsilon, text));
    }
    let answers = asked(&lines);
    assert_eq!(answers.len(), cases.len());
    let mut compared = 0;
    for ((step, direction, epsilon, text), answer) in cases.iter().zip(answers) {
        let Some((low, high)) = answer else { continue };
        work::begin(None);
        let point = profile::at(step, *direction, epsilon).unwrap_or_else(|no| panic!("{text}: {no}"));
        let (own_low, own_high) = ends(&point.delta);
        let (low, high) = (number(&low).unwrap(), number(&high).unwrap());
        assert!(own_low <= high && low <= own_high, "{text} at {epsilon}: [{own_low}, {own_high}] [{low}, {high}]");
        assert!(&own_high - &own_low < q(1, 1 << 50), "{text} at {epsilon}: {own_low} {own_high} is wide");
        // The line of the test at another place.
        let other = Epsilon::Plain(random.rational() / BigRational::from(BigInt::from(2)));
        let there = profile::at(step, *direction, &other).unwrap();
        let line = point.power().minus(&there.u.times(&point.null));
        assert!(ends(&line).0 <= ends(&there.delta).1, "{text}: the test of {epsilon} at {other}");
        compared += 1;
    }
    println!("{compared} of {} compared", cases.len());
    assert!(compared * 10 > cases.len() * 8);
}

/// D_t by laws and closed forms, on both sides of the engine's enclosure.
#[test]
#[ignore = "needs the engine"]
fn divergences_are_those_of_the_engine() {
    let mut random = Random::new(seed());
    let mut cases = Vec::new();
    let mut lines = String::new();
    for id in 0..rounds() {
        let (step, text, is_replaced) = random_step(&mut random);
        let direction = BOTH[usize::try_from(random.below(2)).unwrap()];
        let order = BigRational::one() + q(1 + random.below(60), [4, 6, 10][usize::try_from(random.below(3)).unwrap()]);
        let text = mechanism(&text, is_replaced, direction);
        lines += &format!(r#"{{"id":{id},"mechanism":{text},"query":{{"kind":"renyi","order":"{order}"}}}}"#);
        lines.push('\n');
        cases.push((step, direction, order, text));
    }
    let answers = asked(&lines);
    let mut compared = [0, 0, 0];
    for ((step, direction, order, text), answer) in cases.iter().zip(answers) {
        let Some((low, high)) = answer else { continue };
        work::begin(None);
        let less = order - BigRational::one();
        let plan = |first: i64, last: i64| vec![Plan { level: 0, first, last, coarsen: Vec::new() }];
        let parts = vec![(step.clone(), 1)];
        for (side, plans) in [
            (Side::Upper, plan(-250, 250)),
            (Side::Lower, plan(-250, 250)),
            (Side::Upper, plan(0, 0)),
            (Side::Lower, plan(0, 0)),
        ] {
            let unit_step = q(1, 40);
            let found = Moments::new(&parts, *direction, side, &plans, &unit_step).and_then(|m| m.at(order));
            let Ok(found) = found else { continue };
            compared[0] += 1;
            let (own_low, own_high) = ends(&found);
            match side {
                Side::Upper if low == "inf" => panic!("{text}: infinite"),
                Side::Upper => {
                    assert!(own_high >= number(&low).unwrap() * &less, "{text} at {order}: {own_high} {low}");
                    let near = high != "inf" && own_low <= number(&high).unwrap() * &less * q(101, 100) + q(1, 100);
                    compared[1] += usize::from(near);
                }
                Side::Lower => {
                    if high != "inf" {
                        assert!(own_low <= number(&high).unwrap() * &less, "{text} at {order}: {own_low} {high}");
                        compared[2] += usize::from(own_high * q(101, 100) + q(1, 100) >= number(&low).unwrap() * &less);
                    }
                }
            }
        }
    }
    println!("{compared:?} bounds compared, near above, near below");
    assert!(compared[1] * 4 > cases.len() && compared[2] * 4 > cases.len());
}
