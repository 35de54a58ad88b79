//! Profiles through given points, in large units, against the lower convex hull in fractions; and the ends of Laplace noise.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{Pair, Place, at, gaussian_delta, laplace, polygon};
use crate::claim::Direction;
use crate::coarse::{Random, ends, in_units, meets};
use crate::real::Real;
use crate::step::{Epsilon, Noise, Step};
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

/// The largest convex function that falls, is 1 at 0, and at most δ at (u, δ), and so in the other order.
fn hull(points: &[(BigRational, BigRational)], u: &BigRational) -> BigRational {
    let one = BigRational::one();
    let mut all = vec![(BigRational::zero(), one.clone())];
    for (v, delta) in points {
        all.push((v.clone(), delta.clone()));
        all.push((v.recip(), &one - (&one - delta) / v));
    }
    let mut least = one;
    for (v, delta) in &all {
        if v <= u {
            least = least.min(delta.clone());
        }
        for (w, other) in &all {
            if v <= u && u < w {
                least = least.min(delta + (other - delta) * (u - v) / (w - v));
            }
        }
    }
    least
}

#[test]
fn polygons_in_large_units() {
    let mut random = Random::new(61);
    for _ in 0..150 {
        work::begin(None);
        let points: Vec<(BigRational, BigRational)> = (0..1 + random.below(3))
            .map(|_| {
                let delta = q(i64::try_from(random.below(12)).unwrap(), 12);
                (q(1 + i64::try_from(random.below(30)).unwrap(), 7), delta)
            })
            .collect();
        // A profile is at least 1 − u.
        if points.iter().any(|(u, delta)| delta + u < BigRational::one()) {
            continue;
        }
        let stated: Vec<_> = points.iter().map(|(u, delta)| (Epsilon::LogOf(u.clone()), delta.clone())).collect();
        for round in 0..6 {
            // At a corner, next to one, or anywhere.
            let corner = &points[usize::try_from(random.below(3)).unwrap() % points.len()].0;
            let corner = if round % 2 == 0 { corner.clone() } else { corner.recip() };
            let u = match round {
                0 | 1 => corner,
                2 | 3 => (corner + q(i64::try_from(random.below(9)).unwrap() - 4, 1 << 21)).max(q(1, 100)),
                _ => q(1 + i64::try_from(random.below(60)).unwrap(), 11),
            };
            let truth = hull(&points, &u);
            let reals = 20 + u32::try_from(random.below(6)).unwrap();
            for reals in [reals, 288] {
                let found = in_units(reals, 10, || {
                    let pair = polygon(&stated).ok()?;
                    let point = pair.at(&Place::of(&Epsilon::LogOf(u.clone())).ok()?).ok()?;
                    Some((ends(&point.delta), ends(&point.null)))
                });
                // Points that cannot be told apart are refused.
                let Some((delta, null)) = found else { continue };
                let exact = (truth.clone(), truth.clone());
                assert!(meets(&delta, &exact), "{points:?} at {u} 2^-{reals}: {delta:?} {truth}");
                assert!(reals < 288 || &delta.1 - &delta.0 < q(1, 1 << 30), "{points:?} at {u}");
                // One slope of those on either side.
                let step = q(1, 1 << 30);
                let left = (hull(&points, &(&u - &step)) - &truth) / &step;
                let right = (&truth - hull(&points, &(&u + &step))) / &step;
                assert!(null.0 <= left + &step && null.1 >= right - &step, "{points:?} at {u} 2^-{reals}");
            }
        }
    }
}

/// Next to the largest loss of Laplace noise its profile is 0, on the other side of the smallest it is 1 − u: where the side is open, both.
#[test]
fn ends_of_laplace_noise() {
    let mut random = Random::new(62);
    for round in 0..120i64 {
        work::begin(None);
        // Two numbers that are next to each other, one of them a logarithm, so that they are not compared exactly.
        let odds = q(11 + i64::try_from(random.below(30)).unwrap(), 10);
        let near = ends(&Epsilon::LogOf(odds.clone()).log().unwrap()).0;
        let off = q(i64::try_from(random.below(7)).unwrap() - 3, 1 << 22);
        let is_logistic = round % 2 == 0;
        let place = if round % 3 == 0 { -(&near + &off) } else { &near + &off };
        let most = Epsilon::LogOf(odds);
        let all = || {
            let (delta, null) = laplace(&most, is_logistic, &Place::of(&Epsilon::Plain(place.clone()))?)?;
            Ok::<_, crate::reason::Rejected>([delta, null].map(|x| ends(&x)))
        };
        let fine = all().unwrap();
        for reals in [20, 21, 23] {
            let found = in_units(reals, 8, all).unwrap();
            for (coarse, fine) in found.iter().zip(&fine) {
                assert!(meets(coarse, fine), "{most:?} {is_logistic} {place} 2^-{reals}: {coarse:?} {fine:?}");
            }
        }
    }
}

/// Pairs in both orders, and G_0.
/// What has finitely many outcomes, by the definition of δ: Σ (q − u·p)⁺, and of its slope.
#[test]
fn outcomes_by_their_definition() {
    work::begin(None);
    type Law = (Vec<BigRational>, Vec<BigRational>);
    let odds = |n, d| Epsilon::LogOf(q(n, d));
    let of = |weights: [i64; 4]| weights.iter().map(|w| q(*w, weights.iter().sum())).collect::<Vec<_>>();
    let finite: Law = (of([1, 2, 3, 1]), of([2, 2, 0, 5]));
    let response: Law = (of([1, 3, 1, 1]), of([3, 1, 1, 1]));
    let uniform: Law = (of([1, 1, 1, 1]), of([3, 1, 1, 1]));
    let both = |a: &Law, b: &Law| -> Law {
        let times =
            |x: &[BigRational], y: &[BigRational]| x.iter().flat_map(|x| y.iter().map(move |y| x * y)).collect();
        (times(&a.0, &b.0), times(&a.1, &b.1))
    };
    let labelled: Law = {
        let join = |x: &[BigRational], y: &[BigRational]| {
            x.iter().map(|x| x * q(1, 3)).chain(y.iter().map(|y| y * q(2, 3))).collect()
        };
        (join(&finite.0, &response.0), join(&finite.1, &response.1))
    };
    let sampled: Law =
        (finite.0.clone(), finite.0.iter().zip(&finite.1).map(|(p, r)| p * q(3, 4) + r * q(1, 4)).collect());
    let a = || Step::Finite { p: finite.0.clone(), q: finite.1.clone() };
    let b = || Step::Response { epsilon: odds(3, 1), k: 4.into() };
    let c = || Step::ResponseOrUniform { epsilon: odds(3, 1), k: 4.into() };
    let labels = Step::Labelled { of: vec![(q(1, 3), vec![(a(), 1)]), (q(2, 3), vec![(b(), 1)])] };
    let known: [(Vec<(Step, u64)>, Law); 6] = [
        (vec![(a(), 1)], finite.clone()),
        (vec![(b(), 1)], response.clone()),
        (vec![(c(), 1)], uniform.clone()),
        (vec![(a(), 1), (c(), 2)], both(&finite, &both(&uniform, &uniform))),
        (vec![(labels, 1)], labelled),
        (vec![(Step::Sampled { rate: q(1, 4), of: vec![(a(), 1)] }, 1)], sampled),
    ];
    for (parts, law) in &known {
        for direction in [Direction::Remove, Direction::Add] {
            let (p, r) = if direction == Direction::Remove { (&law.0, &law.1) } else { (&law.1, &law.0) };
            let pair = Pair::of_parts(parts, direction).unwrap();
            for (n, d) in [(1, 9), (5, 11), (8, 9), (13, 12), (17, 9), (31, 7), (61, 2)] {
                let u = q(n, d);
                let point = pair.at(&Place::of(&Epsilon::LogOf(u.clone())).unwrap()).unwrap();
                let gains = p.iter().zip(r).filter(|(p, r)| **r > &u * *p);
                let (delta, null) =
                    gains.fold((q(0, 1), q(0, 1)), |(delta, null), (p, r)| (delta + r - &u * p, null + p));
                for (found, truth) in [(&point.delta, delta), (&point.null, null)] {
                    let (low, high) = ends(found);
                    assert!(low <= truth && truth <= high, "{parts:?} {direction:?} {u}: {low} {truth} {high}");
                    assert!(&high - &low < q(1, 1 << 40));
                }
            }
        }
    }
    // Laplace noise that is moved on both sides, by different distances.
    let one = |shift| vec![(BigRational::one(), q(shift, 1))];
    let moved = Step::Shifted { noise: Noise::Laplace { unit: q(1, 2) }, without: one(1), with: one(3) };
    for direction in [Direction::Remove, Direction::Add] {
        let all = [&moved, &Step::Laplace { epsilon: q(2, 1) }].map(|step| at(step, direction, &odds(3, 1)).unwrap());
        assert!(meets(&ends(&all[0].delta), &ends(&all[1].delta)) && meets(&ends(&all[0].null), &ends(&all[1].null)));
    }
    // Laplace noise left of all its losses.
    let point = at(&Step::Laplace { epsilon: q(1, 1) }, Direction::Remove, &odds(1, 10)).unwrap();
    let (low, high) = ends(&point.delta);
    assert!(low <= q(9, 10) && q(9, 10) <= high && high - low < q(1, 1 << 40));
}

#[test]
fn orders_of_pairs() {
    work::begin(None);
    let one = (BigRational::one(), BigRational::one());
    for (n, d) in [(1, 2), (1, 1), (3, 1)] {
        let u = q(n, d);
        let place = Epsilon::LogOf(u.clone());
        let least = (BigRational::one() - &u).max(BigRational::zero());
        assert_eq!(ends(&gaussian_delta(&q(0, 1), &place).unwrap()), (least.clone(), least));
        // A step, and a composition of steps, with outcomes that only one of the two has.
        let step = Step::Finite { p: vec![q(1, 4), q(3, 4)], q: vec![q(1, 1), q(0, 1)] };
        let twice = Pair::of_parts(&vec![(step.clone(), 2)], Direction::Remove).unwrap();
        let delta = ends(&twice.at(&Place::of(&place).unwrap()).unwrap().delta);
        let exact = (&one.0 - &u / BigInt::from(16)).max(BigRational::zero());
        assert!(delta.0 <= exact && delta.1 >= exact && &delta.1 - &delta.0 < q(1, 1 << 40));
        let back = ends(&at(&step, Direction::Add, &place).unwrap().delta);
        let exact = q(3, 4) + (q(1, 4) - &u).max(BigRational::zero());
        assert!(back.0 <= exact && back.1 >= exact && (back.1 - back.0).abs() < q(1, 1 << 40), "{u}");
    }
}

/// Points that may be above a chord of others or below it, by a few units or as much as is unknown of e^ε: the hull is enclosed at each.
#[test]
fn points_within_units_of_a_chord() {
    let mut random = Random::new(63);
    let slack = q(1, 1 << 50);
    for round in 0..90 {
        work::begin(None);
        let reals = 20 + u32::try_from(random.below(3)).unwrap();
        let unit = BigRational::one() / BigRational::from(BigInt::one() << reals);
        let (slope, scale) = (q([0, 1, 3][round % 3], 64), [1, 3, 40][usize::try_from(random.below(3)).unwrap()]);
        // The chord from the first point to each but one is above the one before by about as much.
        let (bend, is_bent) = (q(1 + i64::try_from(random.below(40)).unwrap(), 10), random.below(2) == 0);
        let mut rise = BigRational::zero();
        let mut points = Vec::new();
        for i in 0..2 + i64::try_from(random.below(6)).unwrap() {
            let near = q(12 + 5 * i, 7);
            let epsilon = match random.below(3) {
                0 => Epsilon::Plain(BigRational::new(Epsilon::LogOf(near).log().unwrap().lo >> 272, (1 << 16).into())),
                _ => Epsilon::LogOf(near),
            };
            let u = (ends(&epsilon.exp().unwrap()).0 * BigInt::from(1u64 << 60)).floor() / BigInt::from(1u64 << 60);
            if is_bent {
                rise = if i == 0 { rise } else { (rise + &bend) * q(i + 1, i) };
            } else {
                rise = q(i64::try_from(random.below(61)).unwrap() - 30, 10) * BigInt::from(scale);
            }
            let delta = q(2, 3) - &slope * (&u - q(12, 7)) + &rise * &unit;
            points.push((epsilon, u, delta));
        }
        let stated: Vec<_> = points.iter().map(|(epsilon, _, delta)| (epsilon.clone(), delta.clone())).collect();
        let known: Vec<_> = points.iter().map(|(_, u, delta)| (u.clone(), delta.clone())).collect();
        for (epsilon, u, _) in &points {
            for (place, u) in [(epsilon.clone(), u.clone()), (epsilon.negated(), u.recip())] {
                let truth = hull(&known, &u);
                let found = in_units(reals, 10, || {
                    let pair = polygon(&stated).ok()?;
                    Some(ends(&pair.at(&Place::of(&place).ok()?).ok()?.delta))
                });
                let Some((low, high)) = found else { continue };
                assert!(
                    low <= &truth + &slack && truth <= &high + &slack,
                    "{stated:?} at {place}: {low} {truth} {high}"
                );
            }
        }
    }
}

/// Where u is in an interval, δ is all that it may be there.
#[test]
fn places_that_are_wide() {
    work::begin(None);
    let wide = |a: &BigRational, b: &BigRational| Place::of_odds(Real::of(a).hull(&Real::of(b))).unwrap();
    let points = [(q(3, 2), q(1, 3)), (q(3, 1), q(1, 5)), (q(5, 1), q(1, 50))];
    let stated: Vec<_> = points.iter().map(|(u, delta)| (Epsilon::LogOf(u.clone()), delta.clone())).collect();
    let pair = polygon(&stated).unwrap();
    let losses = [(Epsilon::LogOf(q(2, 1)), 2.0f64), (Epsilon::Plain(q(1, 1)), 1f64.exp())];
    for (a, b) in
        [(q(1, 4), q(1, 1)), (q(2, 5), q(3, 5)), (q(1, 1), q(4, 1)), (q(1, 5), q(6, 1)), (q(29, 10), q(31, 10))]
    {
        let found = ends(&pair.at(&wide(&a, &b)).unwrap().delta);
        let all = |n: i64| &a + (&b - &a) * q(n, 16);
        for u in (0..=16).map(all) {
            let truth = hull(&points, &u);
            assert!(found.0 <= truth && truth <= found.1, "{a} to {b} at {u}: {found:?} {truth}");
        }
        for (most, odds) in &losses {
            for is_logistic in [false, true] {
                let (delta, null) = laplace(most, is_logistic, &wide(&a, &b)).unwrap();
                let [delta, null] = [delta, null].map(|x| {
                    let (low, high) = ends(&x);
                    (low.to_f64().unwrap() - 1e-12, high.to_f64().unwrap() + 1e-12)
                });
                for u in (0..=16).map(all).map(|u| u.to_f64().unwrap()) {
                    let gap = (1.0 - (u / odds).sqrt()).max(0.0);
                    let fall = 1.0 / (u * odds).sqrt();
                    let (least, share) = match (is_logistic, u * odds <= 1.0, u >= *odds) {
                        (_, true, _) => (1.0 - u, 1.0),
                        (_, _, true) => (0.0, 0.0),
                        (false, ..) => (gap, fall / 2.0),
                        (true, ..) => (gap * gap / (1.0 - 1.0 / odds), gap * fall / (1.0 - 1.0 / odds)),
                    };
                    assert!(
                        delta.0 <= least && least <= delta.1,
                        "{most} {is_logistic} {a} to {b} at {u}: {delta:?} {least}"
                    );
                    assert!(
                        null.0 <= share && share <= null.1,
                        "{most} {is_logistic} {a} to {b} at {u}: {null:?} {share}"
                    );
                }
            }
        }
    }
}

/// Two points of nearly one δ next to u = 1, where the mirrored ones tell more, and one far out, left or right of one whose δ follows from a point
/// on the left and is known badly.
#[test]
fn points_on_a_level() {
    let mut random = Random::new(64);
    for _ in 0..1_200 {
        work::begin(None);
        let reals = 20 + u32::try_from(random.below(3)).unwrap();
        let unit = BigRational::one() / BigRational::from(BigInt::one() << reals);
        let mut number = |n: u64| i64::try_from(random.below(n)).unwrap();
        let near = [q(64 + 1 + number(3), 64), q(64 + 4 + number(3), 64)];
        let level = q(2, 3) + &unit * q(number(10), 10);
        let points = [(near[0].clone(), level.clone()), (near[1].clone(), &level - &unit * q(number(25), 10))];
        // 1 − 4/5·u at u = 1/148, whose other side is 1/5, and a point further out.
        let left = q(1, 140 + number(16));
        let level = (q(1, 5) / &unit).floor() * &unit + &unit * q(number(160) - 80, 1);
        let far = (left.clone(), BigRational::one() - &left * q(4, 5));
        let [before, beyond] = [100, 200].map(|u| [far.clone(), (q(u, 1), level.clone())]);
        for (points, u) in
            [&points, &before, &beyond].into_iter().flat_map(|of| [(of, of[1].0.clone()), (of, of[0].0.recip())])
        {
            let stated: Vec<_> = points.iter().map(|(u, delta)| (Epsilon::LogOf(u.clone()), delta.clone())).collect();
            let truth = hull(points, &u);
            let found = in_units(reals, 10, || {
                let pair = polygon(&stated).ok()?;
                Some(ends(&pair.at(&Place::of(&Epsilon::LogOf(u.clone())).ok()?).ok()?.delta))
            });
            let Some((low, high)) = found else { continue };
            assert!(low <= truth && truth <= high, "{points:?} 2^-{reals}: {low} {truth} {high}");
        }
    }
}

/// An outcome below all units has no logarithm: then no sum is given.
#[test]
fn moments_of_tiny_outcomes() {
    work::begin(None);
    let tiny = BigRational::new(BigInt::one(), BigInt::one() << 400u32);
    let rest = BigRational::one() - &tiny;
    let half = || vec![q(1, 2), q(1, 2)];
    let of = |p: Vec<BigRational>, with: Vec<BigRational>| {
        Pair::of(&Step::Finite { p, q: with }, Direction::Remove).unwrap().moment(&q(2, 1)).unwrap()
    };
    assert!(of(half(), half()).is_some());
    assert!(of(half(), vec![tiny.clone(), rest.clone()]).is_none());
    assert!(of(vec![tiny, rest], half()).is_none());
}

/// Where two have the same δ either may be the worst: the sizes of both tests count. One that is exact is the worst of itself.
#[test]
fn sizes_of_equals() {
    work::begin(None);
    // δ(1) = 1/4 by a test of size 1/4, or of size 1/2.
    let few = Step::Finite { p: vec![q(1, 4), q(3, 4)], q: vec![q(1, 2), q(1, 2)] };
    let many = Step::Finite { p: vec![q(1, 2), q(1, 2)], q: vec![q(3, 4), q(1, 4)] };
    for of in [[few.clone(), many.clone()], [many, few]] {
        let step = Step::Worst { of: of.into_iter().map(|step| (false, step)).collect() };
        let point =
            Pair::of(&step, Direction::Remove).unwrap().at(&Place::of(&Epsilon::LogOf(q(1, 1))).unwrap()).unwrap();
        let (delta, null) = (ends(&point.delta), ends(&point.null));
        assert!(delta.0 <= q(1, 4) && q(1, 4) <= delta.1);
        assert!(null.0 <= q(1, 4) && q(1, 2) <= null.1, "{null:?}");
    }
}

/// Of several runs outcomes below all units are there, of which one vector has nothing; of what neither has there is nothing.
#[test]
fn tiny_outcomes_of_several_runs() {
    work::begin(None);
    let tiny = BigRational::new(BigInt::one(), BigInt::one() << 400u32);
    let (half, none) = (q(1, 2), BigRational::zero);
    let plain = vec![half.clone(), half.clone(), none(), none()];
    let with = vec![half.clone(), &half - &tiny, tiny, none()];
    for (p, r) in [(plain.clone(), with.clone()), (with, plain)] {
        let found = Pair::of_parts(&vec![(Step::Finite { p, q: r }, 2)], Direction::Remove).unwrap();
        let Pair::Outcomes(outcomes) = found else { panic!("no outcomes") };
        assert_eq!(outcomes.len(), 6);
    }
}

/// Noise on a sample by the threshold that decides, in either order, and where none does: δ and the size of the test.
#[test]
fn noise_on_samples_by_its_thresholds() {
    work::begin(None);
    let float = |x: &BigRational| x.to_f64().unwrap();
    let tail = |x: f64| {
        let (low, high) = ends(&Real::of(&BigRational::from_float(x).unwrap()).normal_tail().unwrap());
        float(&(low + high)) / 2.0
    };
    let sampled = |rate: &BigRational, mu: &BigRational| Step::Sampled {
        rate: rate.clone(),
        of: vec![(Step::Gaussian { square: mu * mu }, 1)],
    };
    for (rate, mu) in [(q(1, 4), q(3, 2)), (q(2, 3), q(1, 2))] {
        let step = sampled(&rate, &mu);
        let (r, m) = (float(&rate), float(&mu));
        let ends_of_both = [q(1, 1) - &rate, (q(1, 1) - &rate).recip()];
        let places = [q(1, 10), q(1, 2), q(9, 10), q(13, 10), q(5, 2), q(7, 1)];
        for (u, is_end) in places.iter().map(|u| (u, false)).chain(ends_of_both.iter().map(|u| (u, true))) {
            for direction in [Direction::Remove, Direction::Add] {
                let point = at(&step, direction, &Epsilon::LogOf(u.clone())).unwrap();
                let u = float(u);
                let (share, odds) = match direction {
                    Direction::Remove => (r, u - (1.0 - r)),
                    Direction::Add => (1.0 - u * (1.0 - r), u * r),
                };
                let (delta, null) = match direction {
                    Direction::Remove if odds < 1e-9 => (1.0 - u, 1.0),
                    Direction::Add if share < 1e-9 => (0.0, 0.0),
                    Direction::Remove => {
                        let x = (odds / share).ln() / m + m / 2.0;
                        let (size, power) = (tail(x), tail(x - m));
                        ((1.0 - r) * size + r * power - u * size, size)
                    }
                    Direction::Add => {
                        let x = m / 2.0 - (odds / share).ln() / m;
                        let (power, size) = (1.0 - tail(x), (1.0 - r) * (1.0 - tail(x)) + r * (1.0 - tail(x - m)));
                        (power - u * size, size)
                    }
                };
                for (found, truth) in [(&point.delta, delta), (&point.null, null)] {
                    let (low, high) = ends(found);
                    let is_known = &high - &low < q(1, 1 << 40);
                    assert!(
                        float(&low) <= truth + 1e-12 && truth - 1e-12 <= float(&high),
                        "{direction} {u}: {low} {truth} {high}"
                    );
                    // Of the size nothing may be known at an end.
                    assert!(is_known || is_end && std::ptr::eq(found, &raw const point.null), "{direction} {u}");
                }
            }
        }
    }
    // A little above 1 − r the test is rare, if the noise is small.
    let little = BigRational::new(BigInt::one(), BigInt::one() << 300);
    let next = at(&sampled(&q(2, 3), &q(30, 1)), Direction::Remove, &Epsilon::LogOf(q(1, 3) + little)).unwrap();
    assert!(ends(&next.null).0 < q(1, 2));
}
