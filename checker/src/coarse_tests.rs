//! Places where a sign cannot be told in large units, theorems next to equality, and exact fractions against plain enumeration.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::answer::{Adjacency, Claim};
use crate::claim::Direction;
use crate::coarse::{BOTH, Random, ends, in_units, largest_power, meets, steps};
use crate::real::Real;
use crate::step::{Epsilon, Mechanism, Step};
use crate::value::Value;
use crate::{exact, profile, theorem, value, work};

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn small(random: &mut Random, n: u64) -> i64 {
    i64::try_from(random.below(n)).unwrap()
}

/// The likelihood ratios at which a profile changes its form.
fn kinks(step: &Step, direction: Direction) -> Vec<BigRational> {
    let ratios = match step {
        Step::Sampled { rate, .. } => vec![q(1, 1) - rate],
        Step::Finite { p, q } => {
            p.iter().zip(q).filter(|(p, q)| !p.is_zero() && !q.is_zero()).map(|(p, q)| q / p).collect()
        }
        Step::Laplace { epsilon } => vec![ends(&Real::of(epsilon).exp().unwrap()).0],
        Step::Response { epsilon, .. } => vec![ends(&epsilon.exp().unwrap()).0],
        Step::Guarantee { points } => points.iter().map(|(epsilon, _)| ends(&epsilon.exp().unwrap()).0).collect(),
        _ => Vec::new(),
    };
    let turned = |ratio: BigRational| if direction == Direction::Remove { ratio } else { ratio.recip() };
    ratios.into_iter().map(turned).collect()
}

/// Within some units of a kink its sign is open: both sides of it must be covered, and nothing is refused.
#[test]
fn profiles_next_to_their_kinks() {
    let mut random = Random::new(4);
    for (step, direction) in steps().iter().flat_map(|step| BOTH.map(|direction| (step, direction))) {
        for ratio in kinks(step, direction) {
            let place = ends(&Real::of(&ratio).ln().unwrap()).0;
            for _ in 0..60 {
                work::begin(None);
                let reals = 20 + u32::try_from(random.below(12)).unwrap();
                let off = q(small(&mut random, 400) - 200, 100) / BigRational::from(BigInt::one() << reals);
                let epsilon = &place + off;
                let all = || {
                    let point = profile::at(step, direction, &Epsilon::Plain(epsilon.clone())).ok()?;
                    // A threshold is a guess: its size is that of a test, but not of the same one in all units.
                    let of_test =
                        if point.cuts.is_empty() { vec![point.null.clone(), point.power()] } else { Vec::new() };
                    Some([point.delta.clone(), point.u.clone()].iter().chain(&of_test).map(ends).collect::<Vec<_>>())
                };
                let fine = all().unwrap();
                let coarse = in_units(reals, 10, all).unwrap();
                for (coarse, fine) in coarse.iter().zip(&fine) {
                    assert!(
                        meets(coarse, fine),
                        "{step:?} {direction:?} at {epsilon}, 2^-{reals}: {coarse:?} {fine:?}"
                    );
                }
            }
        }
    }
}

fn alone(step: Step, adjacency: Adjacency) -> Mechanism {
    Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency }
}

/// mu* of one Laplace or two-answer step is where P(Z > mu/2) is the error that both kinds share; next to it the units decide.
#[test]
fn the_fixed_point_next_to_equality() {
    let mut random = Random::new(5);
    for round in 0..250 {
        work::begin(None);
        let epsilon = q(1 + small(&mut random, 300), 100);
        let (step, error) = if round % 2 == 0 {
            let half = Real::of(&(-&epsilon / BigInt::from(2))).exp().unwrap();
            (Step::Laplace { epsilon }, half.over(&Real::int(2)).unwrap())
        } else {
            let odds = Real::of(&epsilon).exp().unwrap().plus(&Real::int(1));
            (Step::Response { epsilon: Epsilon::Plain(epsilon), k: 2.into() }, Real::int(1).over(&odds).unwrap())
        };
        let error = ends(&error).0;
        let tail = |mu: &BigRational| Real::of(&(mu / BigInt::from(2))).normal_tail().unwrap();
        let (mut low, mut high) = (q(0, 1), q(8, 1));
        for _ in 0..40 {
            let middle = (&low + &high) / BigInt::from(2);
            if tail(&middle).is_above(&error) { low = middle } else { high = middle }
        }
        let mechanism = alone(step, Adjacency::AddRemove);
        let reals = 20 + u32::try_from(random.below(12)).unwrap();
        for n in -12..=12 {
            let mu = &low + q(n, 2) / BigRational::from(BigInt::one() << reals);
            let is_true = tail(&mu).is_at_most(&error);
            for verified in [true, false] {
                let accepted = in_units(reals, 10, || theorem::fixed_point(&mechanism, &mu, verified)).is_ok();
                assert!(!accepted || is_true == verified, "{mechanism:?} {mu} {verified}");
                let exact = theorem::fixed_point(&mechanism, &mu, verified).is_ok();
                assert_eq!(exact, is_true == verified, "{mechanism:?} {mu}");
            }
        }
    }
    // Nothing is lost and nothing is allowed: equality is no violation.
    let response = |epsilon| Step::Response { epsilon, k: 2.into() };
    for step in
        [Step::Laplace { epsilon: q(0, 1) }, response(Epsilon::Plain(q(0, 1))), response(Epsilon::LogOf(q(1, 1)))]
    {
        let mechanism = alone(step, Adjacency::AddRemove);
        for units in [20, 24, 288] {
            work::begin(None);
            assert!(in_units(units, 10, || theorem::fixed_point(&mechanism, &q(0, 1), false)).is_err());
        }
    }
}

/// Advantage, delta(0) and trade-off claims about small pairs and compositions of them, true, false and with equality.
#[test]
fn exact_fractions_against_enumeration() {
    let mut random = Random::new(6);
    for _ in 0..400 {
        work::begin(None);
        let length = 2 + random.below(4);
        let mut law = || {
            let weights: Vec<i64> = (0..length).map(|_| small(&mut random, 5)).collect();
            let total: i64 = weights.iter().sum();
            if total == 0 {
                vec![q(1, i64::try_from(length).unwrap()); weights.len()]
            } else {
                weights.iter().map(|n| q(*n, total)).collect()
            }
        };
        let (p, r) = (law(), law());
        let alpha = q(small(&mut random, 13), 12);
        let direction = [Adjacency::Remove, Adjacency::Add][usize::try_from(random.below(2)).unwrap()];
        let step = Step::Finite { p: p.clone(), q: r.clone() };
        // Alone, twice, or beside another pair.
        let (more_p, more_r) = (vec![q(1, 4), q(3, 4)], vec![q(1, 2), q(1, 2)]);
        let product = |a: &[BigRational], b: &[BigRational]| -> Vec<BigRational> {
            a.iter().flat_map(|x| b.iter().map(move |y| x * y)).collect()
        };
        let other = Step::Finite { p: more_p.clone(), q: more_r.clone() };
        let (steps, p, r) = match random.below(3) {
            0 => (vec![(step, 1)], p, r),
            1 => (vec![(step, 2)], product(&p, &p), product(&r, &r)),
            _ => (vec![(step, 1), (other, 1)], product(&p, &more_p), product(&r, &more_r)),
        };
        let mechanism = Mechanism { steps, members: Vec::new(), adjacency: direction };
        let (first, second) = if matches!(direction, Adjacency::Remove) { (&p, &r) } else { (&r, &p) };
        let power = largest_power(first, second, 1, &alpha);
        let trade_off = BigRational::one() - power;
        let advantage: BigRational = p.iter().zip(&r).map(|(p, r)| (r - p).max(q(0, 1))).sum();
        for off in [-1, 0, 1] {
            let off = q(off, 1000);
            let beta = &trade_off + &off;
            let at_most = &advantage + &off;
            if !beta.is_negative() && beta <= q(1, 1) {
                let claim = Claim::TradeOff { alpha: alpha.clone(), beta };
                let verified = exact::exact(&mechanism, &claim, true).is_ok();
                assert!(!verified || !off.is_positive(), "{p:?} {r:?} {claim:?} {direction:?}");
                assert_eq!(exact::exact(&mechanism, &claim, false).is_ok(), off.is_positive(), "{p:?} {r:?} {claim:?}");
            }
            if !at_most.is_negative() {
                let claim = Claim::Advantage { at_most };
                assert_eq!(exact::exact(&mechanism, &claim, true).is_ok(), !off.is_negative(), "{p:?} {r:?} {claim:?}");
                assert_eq!(exact::exact(&mechanism, &claim, false).is_ok(), off.is_negative(), "{p:?} {r:?} {claim:?}");
            }
        }
    }
}

/// Steps with vectors in fractions, by the masses of all their outcomes: at equality both verdicts are told apart.
#[test]
fn steps_in_fractions() {
    let odds = |n, d| Epsilon::LogOf(q(n, d));
    let response = Step::Response { epsilon: odds(5, 2), k: 4.into() };
    // One answer of odds 5/2 among four; uniform ones; (log 3, 1/7)-DP.
    let answers = |place: usize| (0..4).map(|i| if i == place { q(5, 11) } else { q(2, 11) }).collect::<Vec<_>>();
    let guarantee = Step::Guarantee { points: vec![(odds(3, 1), q(1, 7))] };
    let guaranteed = [vec![q(0, 1), q(9, 14), q(3, 14), q(1, 7)], vec![q(1, 7), q(3, 14), q(9, 14), q(0, 1)]];
    let sampled = |of: Step| Step::Sampled { rate: q(1, 3), of: vec![(of, 2)] };
    let squared =
        |x: &[BigRational]| -> Vec<BigRational> { x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect() };
    let mixed = |p: &[BigRational], r: &[BigRational], rate: &BigRational| -> Vec<BigRational> {
        p.iter().zip(r).map(|(p, r)| p * (q(1, 1) - rate) + r * rate).collect()
    };
    let two = (squared(&answers(0)), squared(&answers(1)));
    let labelled =
        Step::Labelled { of: vec![(q(1, 4), vec![(response.clone(), 1)]), (q(3, 4), vec![(guarantee.clone(), 1)])] };
    let parts = |a: &[BigRational], b: &[BigRational]| -> Vec<BigRational> {
        a.iter().map(|x| x * q(1, 4)).chain(b.iter().map(|x| x * q(3, 4))).collect()
    };
    let [least, most] = guaranteed;
    let cases = [
        (response.clone(), answers(0), answers(1)),
        (Step::ResponseOrUniform { epsilon: odds(5, 2), k: 4.into() }, vec![q(1, 4); 4], answers(0)),
        (guarantee, least.clone(), most.clone()),
        (sampled(response), two.0.clone(), mixed(&two.0, &two.1, &q(1, 3))),
        (labelled, parts(&answers(0), &least), parts(&answers(1), &most)),
    ];
    for (step, p, r) in cases {
        for (adjacency, p, r) in [(Adjacency::Remove, &p, &r), (Adjacency::Add, &r, &p)] {
            let mechanism = Mechanism { steps: vec![(step.clone(), 1)], members: Vec::new(), adjacency };
            for u in [q(1, 1), q(1, 2), q(3, 2), q(5, 2), q(4, 1)] {
                let delta: BigRational = p.iter().zip(r).map(|(p, r)| (r - &u * p).max(q(0, 1))).sum();
                let alpha = q(2, 9);
                let beta = q(1, 1) - largest_power(p, r, 1, &alpha);
                for off in [-1, 0, 1] {
                    work::begin(None);
                    let claim = Claim::ApproxDp { epsilon: Epsilon::LogOf(u.clone()), delta: &delta + q(off, 1 << 40) };
                    let is_true = off >= 0;
                    if off >= 0 || delta.is_positive() {
                        assert_eq!(
                            exact::exact(&mechanism, &claim, true).is_ok(),
                            is_true,
                            "{step} {adjacency} {u} {off}"
                        );
                        assert_eq!(
                            exact::exact(&mechanism, &claim, false).is_ok(),
                            !is_true,
                            "{step} {adjacency} {u} {off}"
                        );
                    }
                    let claim = Claim::TradeOff { alpha: alpha.clone(), beta: &beta + q(off, 1 << 40) };
                    assert_eq!(exact::exact(&mechanism, &claim, true).is_ok(), off <= 0, "{step} {adjacency} {off}");
                    assert_eq!(exact::exact(&mechanism, &claim, false).is_ok(), off > 0, "{step} {adjacency} {off}");
                }
            }
        }
    }
    // What has no fraction for e^epsilon, or is the worst of many.
    let refused = [
        Step::Response { epsilon: Epsilon::Plain(q(1, 2)), k: 3.into() },
        Step::Guarantee { points: vec![(odds(1, 2), q(9, 10))] },
        Step::Guarantee { points: vec![(odds(2, 1), q(1, 10)), (odds(3, 1), q(1, 20))] },
        Step::Choice { epsilon: odds(2, 1), is_flip: false },
    ];
    for step in refused {
        let mechanism = Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency: Adjacency::Remove };
        let claim = Claim::Advantage { at_most: q(1, 4) };
        assert!([true, false].iter().all(|verified| exact::exact(&mechanism, &claim, *verified).is_err()));
    }
}

/// Headers within headers, and characters beyond the first 2^16.
#[test]
fn words_of_the_formats() {
    work::begin(None);
    let text = |x: &str| Value::Text(x.into());
    let table = |key: &str, value: Value| Value::Table(vec![(key.into(), value)], crate::value::Form::Closed);
    let found = crate::toml::toml("[a.b]\nc = \"x\"\n").unwrap();
    assert_eq!(found.canonical(), table("a", table("b", table("c", text("x")))).canonical());
    let found = crate::toml::toml("[[a.b]]\nc = \"x\"\n[[a.b]]\nc = \"y\"\n").unwrap();
    let items = ["x", "y"].map(|x| table("c", text(x))).to_vec();
    assert_eq!(found.canonical(), table("a", table("b", Value::List(items))).canonical());
    assert_eq!(value::json("{\"a\": \"\\ud83d\\ude00\"}").unwrap(), table("a", text("\u{1f600}")));
    assert!(value::json("{\"a\": \"\\ud83d\\u0041\"}").is_err());
    // Keys are in the order of their bytes, whatever order they are written in.
    let [one, other] =
        ["{\"b\":1,\"a\":[2]}", "{\"a\":[2],\"b\":1}"].map(|text| value::json(text).unwrap().canonical());
    assert_eq!((one.as_str(), other.as_str()), ("{\"a\":[2],\"b\":1}", "{\"a\":[2],\"b\":1}"));
}

/// Intervals of any ends: what is asked of them, in exact numbers.
#[test]
fn ends_of_wide_intervals() {
    let mut random = Random::new(9);
    for _ in 0..10_000 {
        work::begin(None);
        let mut pair = || {
            let (a, b) = (small(&mut random, 9) - 4, small(&mut random, 9) - 4);
            (a.min(b), a.max(b))
        };
        let ((a, b), (c, d), (e, f)) = (pair(), pair(), pair());
        let real = |lo: i64, hi: i64| Real::int(lo).hull(&Real::int(hi));
        let is = |found: &Real, lo: i64, hi: i64| ends(found) == (q(lo, 1), q(hi, 1));
        let (x, y, z) = (real(a, b), real(c, d), real(e, f));
        assert!(is(&x.hull(&y), a.min(c), b.max(d)));
        assert!(is(&x.smaller(&y), a.min(c), b.min(d)));
        assert!(is(&x.within(&y, &z), a.max(c).min(e), b.max(d).min(f)));
        let least = if a <= 0 && b >= 0 { 0 } else { a.abs().min(b.abs()) };
        assert!(is(&x.size(), least, a.abs().max(b.abs())), "{a} {b}");
        let order = x.order(&y);
        assert_eq!(order == Some(std::cmp::Ordering::Less), b < c);
        assert_eq!(order == Some(std::cmp::Ordering::Greater), a > d);
        assert_eq!(order == Some(std::cmp::Ordering::Equal), a == b && c == d && a == c);
        assert_eq!((x.floor_units(2), x.ceil_units(2)), (BigInt::from(4 * a), BigInt::from(4 * b)));
        if c > 0 {
            let quotient = ends(&x.over(&y).unwrap());
            let all = [(a, c), (a, d), (b, c), (b, d)].map(|(n, d)| q(n, d));
            let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
            let close = BigRational::new(BigInt::one(), BigInt::one() << 280);
            assert!(quotient.0 <= *least && quotient.1 >= *most);
            assert!(quotient.0 >= least - &close && quotient.1 <= most + &close);
        }
    }
}

/// Functions of wide intervals reach from what one end gives to what the other gives.
#[test]
fn functions_of_wide_intervals() {
    type Function = fn(&Real) -> Result<Real, crate::reason::Rejected>;
    let functions: [(Function, bool); 3] = [(Real::exp, true), (Real::ln, true), (Real::normal_tail, false)];
    for (a, b) in [(1, 2), (1, 9), (3, 4), (2, 2)] {
        for (function, rises) in functions {
            work::begin(None);
            let wide = ends(&function(&Real::int(a).hull(&Real::int(b))).unwrap());
            let (first, last) = if rises { (a, b) } else { (b, a) };
            let at = |x: i64| ends(&function(&Real::int(x)).unwrap());
            assert!(wide.0 <= at(first).1 && wide.1 >= at(last).0, "{a} {b}");
            let close = BigRational::new(BigInt::one(), BigInt::one() << 240);
            assert!(wide.0 >= at(first).0 - close);
        }
    }
    let from_far = Real::int(-500).hull(&Real::int(0)).exp().unwrap();
    assert!(ends(&from_far).1 >= q(1, 1));
    assert!(Real::int(-20_000).hull(&Real::int(0)).exp().is_err());
    assert!(Real::int(0).hull(&Real::int(20_000)).exp().is_err());
    // 1 − Φ(−22) is less than 1 by 10^-107.
    assert!(ends(&Real::int(-22).normal_tail().unwrap()).0 < q(1, 1));
    assert!(ends(&Real::int(22).normal_tail().unwrap()).1 > q(0, 1));
}

/// A stated δ below 1 − e^ε is that of nothing, be it by less than a unit.
#[test]
fn points_next_to_the_least_profile() {
    let read = |epsilon: &BigRational, delta: &BigRational| {
        work::begin(None);
        let text = format!(r#"{{"kind":"profile","points":[["-{epsilon}","{delta}"]]}}"#);
        crate::mechanism::read(&value::json(&text).unwrap()).is_ok()
    };
    for twelfths in 1..=162 {
        let epsilon = q(twelfths, 12);
        let least = BigRational::one() - ends(&Real::of(&-&epsilon).exp().unwrap()).0;
        for reals in [20, 21, 23] {
            let unit = BigRational::one() / BigRational::from(BigInt::one() << reals);
            for tenths in 1..=20 {
                assert!(
                    !in_units(reals, 8, || read(&epsilon, &(&least - &unit * q(tenths, 10)))),
                    "{epsilon} {tenths}"
                );
            }
            assert!(in_units(reals, 8, || read(&epsilon, &(&least + &unit * q(4096, 1)).min(q(1, 1)))), "{epsilon}");
        }
    }
}

/// Orders are above 1, keys stand on a line with their values, and tables in tables in tables are too deep.
#[test]
fn what_is_not_read() {
    work::begin(None);
    let rdp = |order: &str| {
        let text = format!(r#"{{"kind":"rdp","orders":[["{order}","1/2"]]}}"#);
        crate::mechanism::read(&value::json(&text).unwrap()).is_ok()
    };
    assert!(rdp("1.01") && !rdp("1") && !rdp("1/2"));
    assert!(crate::toml::toml("a = 1\n").is_ok() && crate::toml::toml("a\n= 1\n").is_err());
    assert!(crate::toml::toml("a =\n1\n").is_err() && crate::toml::toml("a = { b\n = 1 }\n").is_ok());
    for (deepest, open, close) in [(128, "{\"a\":", "}"), (128, "[", "]"), (80, "{a=", "}"), (80, "[", "]")] {
        let nested = |depth: usize| {
            work::begin(None);
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            if deepest == 128 { value::json(&text) } else { crate::toml::toml(&format!("a = {text}\n")) }
        };
        assert!(nested(deepest).is_ok() && nested(deepest + 1).is_err(), "{open}");
    }
}

/// A record that is replaced, on a sample of a sample: it is in both or in neither.
#[test]
fn samples_of_samples() {
    let read = |text: &str| {
        work::begin(None);
        crate::mechanism::read(&value::json(text).unwrap()).unwrap().0.steps
    };
    let noise = r#"{"kind":"gaussian","sigma":"2","record-bound":"1"}"#;
    let once = format!(r#""kind":"subsampled","rate":"1/2","of":{noise}"#);
    let twice = format!(
        r#"{{"kind":"subsampled","adjacency":"replace-one","rate":"1/3","of":{{"kind":"compose","of":[{{{once}}}]}}}}"#
    );
    let direct = format!(r#"{{"kind":"subsampled","adjacency":"replace-one","rate":"1/6","of":{noise}}}"#);
    assert_eq!(read(&twice), read(&direct));
}

/// The logarithm of one unit, the least number that has one.
#[test]
fn the_least_logarithm() {
    for reals in [20, 24, 288] {
        work::begin(None);
        let truth = ends(&Real::int(2).ln().unwrap());
        let found = in_units(reals, 8, || ends(&Real::new(BigInt::one(), BigInt::one()).ln().unwrap()));
        let times = BigInt::from(reals);
        assert!(meets(&found, &(-truth.1 * &times, -truth.0 * times)), "{reals}: {found:?}");
    }
}
