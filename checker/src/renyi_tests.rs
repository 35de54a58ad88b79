//! Divergences of sampled Gaussians against their definition by quadrature, at whole orders and between them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{LARGEST_ORDER, beyond, by_polynomial, choice, gaussian, laplace, line, sampled_gaussian, simple_bend};
use crate::claim::Direction;
use crate::coarse::{ends, in_units};
use crate::law::Side;
use crate::noise::tail;
use crate::normal::whole_noise;
use crate::profile::Pair;
use crate::real::Real;
use crate::step::{Noise, Step};
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

/// log E (1 − r + r·e^(μx − μ²/2))^t over x ~ N(0, 1): the trapezoidal rule, whose error is far below what is compared.
fn psi(mu: f64, rate: f64, order: f64) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for i in -12_000..=12_000 {
        let x = f64::from(i) / 500.0;
        let ratio = 1.0 - rate + rate * (mu * x - mu * mu / 2.0).exp();
        sum += (order * ratio.ln() - x * x / 2.0).exp();
        all += (-x * x / 2.0).exp();
    }
    (sum / all).ln()
}

fn bounds(square: &BigRational, rate: &BigRational, order: &BigRational, side: Side) -> (f64, f64) {
    work::begin(None);
    let (low, high) = ends(&sampled_gaussian(square, rate, order, side).unwrap());
    (low.to_f64().unwrap(), high.to_f64().unwrap())
}

#[test]
fn sampled_gaussians_by_quadrature() {
    for (mu, rate) in [(q(1, 1), q(1, 10)), (q(1, 2), q(1, 3)), (q(2, 1), q(1, 20)), (q(1, 1), q(9, 10))] {
        let square = &mu * &mu;
        let truth = |order: f64| psi(mu.to_f64().unwrap(), rate.to_f64().unwrap(), order);
        for (whole, part) in [(1, q(1, 2)), (2, q(0, 1)), (2, q(1, 2)), (3, q(1, 3)), (6, q(9, 10)), (7, q(0, 1))] {
            let order = q(whole, 1) + &part;
            let (whole, part) = (whole.to_f64().unwrap(), part.to_f64().unwrap());
            // ψ is convex: below the chord to the next whole order, above the line through the one before.
            let chord = truth(whole) + (truth(whole + 1.0) - truth(whole)) * part;
            let line = match (whole < 2.0, part > 0.0) {
                (true, true) => 0.0,
                _ => truth(whole) + (truth(whole) - truth(whole - 1.0)) * part,
            };
            let exact = truth(whole + part);
            for side in [Side::Upper, Side::Lower] {
                let (low, high) = bounds(&square, &rate, &order, side);
                assert!(low <= high && high - low < 1e-15, "{mu} {rate} {order}: {low} {high}");
                let is_between = match side {
                    Side::Upper => exact - 1e-9 <= low && low <= chord + 1e-9,
                    Side::Lower => line - 1e-9 <= low && low <= exact + 1e-9,
                };
                assert!(is_between, "{mu} {rate} {order}: {low} not among {line} {exact} {chord}");
                assert!(part > 0.0 || (low - exact).abs() < 1e-9, "{mu} {rate} {order}: {low} {exact}");
            }
        }
    }
}

/// At small rates both sides are as near as the first term that is left out: r^(n + 2), n the whole order below.
#[test]
fn small_rates_between_whole_orders() {
    for (mu, rate) in [(q(2, 5), q(1, 100)), (q(1, 1), q(1, 50)), (q(1, 2), q(1, 20))] {
        let square = &mu * &mu;
        for order in [q(11, 10), q(3, 2), q(19, 10), q(5, 2), q(27, 10), q(7, 2)] {
            let exact = psi(mu.to_f64().unwrap(), rate.to_f64().unwrap(), order.to_f64().unwrap());
            let (most, least) = [Side::Upper, Side::Lower].map(|side| bounds(&square, &rate, &order, side)).into();
            let room = 1e-10 + exact * 1e-6;
            assert!(
                least.0 <= exact + room && exact - room <= most.1,
                "{mu} {rate} {order}: {least:?} {exact} {most:?}"
            );
            let far = rate.to_f64().unwrap() * 3.0;
            assert!(most.1 - least.0 <= far * exact, "{mu} {rate} {order}: {least:?} {exact} {most:?}");
        }
    }
}

/// The moment is between the polynomials at every degree.
#[test]
fn polynomials_are_on_their_sides() {
    for order in [q(9, 8), q(3, 2), q(15, 8), q(9, 4), q(23, 8), q(10, 3), q(29, 5)] {
        for rate in [q(1, 10), q(1, 2), q(9, 10)] {
            for square in [q(1, 100), q(1, 4), q(1, 1)] {
                work::begin(None);
                let floor = order.floor().to_integer().try_into().unwrap();
                let at = |side| by_polynomial(&square, &rate, &order, floor, side).unwrap().map(|x| ends(&x));
                let exact = psi(square.to_f64().unwrap().sqrt(), rate.to_f64().unwrap(), order.to_f64().unwrap()).exp();
                let is_below = |x: &BigRational, y: f64| x.to_f64().unwrap() <= y * (1.0 + 1e-9);
                if let Some((_, most)) = at(Side::Upper) {
                    assert!(!is_below(&(most * q(1_000_001, 1_000_000)), exact), "{order} {rate} {square}");
                }
                if let Some((least, _)) = at(Side::Lower) {
                    assert!(is_below(&least, exact), "{order} {rate} {square}");
                }
            }
        }
    }
}

#[test]
fn orders_are_limited() {
    work::begin(None);
    let (square, rate) = (q(1, 100), q(1, 10));
    let at = |order: i64| sampled_gaussian(&square, &rate, &BigRational::from(BigInt::from(order)), Side::Upper);
    assert!(at(LARGEST_ORDER).is_err());
    assert!(at(200).is_ok());
}

/// zCDP is about both orders of the pair, whatever the adjacency: to verify both are needed, either refutes.
#[test]
fn zcdp_is_about_both_orders() {
    use crate::claim::Form;
    use crate::reason::Reason;
    let plan = r#""bounds":[],"epsilons":[],"law":{"light":0,"parts":[{"coarsen":[],"first":0,"last":0,"level":0}],"step":"1"}"#;
    let proved = |adjacency: &str, rho: &str, orders: &str, directions: &[&str]| {
        work::begin(None);
        let text = format!(
            r#"{{"mechanism":{{"kind":"finite","p":["1/4","3/4"],"q":["3/8","5/8"],"adjacency":"{adjacency}"}},"claim":{{"kind":"zcdp","rho":"{rho}"}}}}"#
        );
        let file = crate::claim::read(&text, Form::File, 0).unwrap();
        let sources: Vec<_> = directions.iter().map(|d| format!(r#"{{"direction":"{d}",{plan}}}"#)).collect();
        let proof = format!(r#"{{"kind":"moments","orders":[{orders}],"sources":[{}]}}"#, sources.join(","));
        let answer = crate::proof::prove(&file, rho == "1", &crate::value::json(&proof).unwrap());
        answer.map_err(|no| no.reason)
    };
    for adjacency in ["remove", "add", "add-remove"] {
        assert_eq!(proved(adjacency, "1", r#""3/2""#, &["remove", "add"]), Ok(()), "{adjacency}");
        for directions in [&["remove"][..], &["add"], &["add", "remove"], &[]] {
            let answer = proved(adjacency, "1", r#""3/2""#, directions);
            assert_eq!(answer, Err(Reason::Direction), "{adjacency} {directions:?}");
        }
        for direction in ["remove", "add"] {
            assert_eq!(proved(adjacency, "1/10000", r#""2""#, &[direction]), Ok(()), "{adjacency} {direction}");
        }
        assert_eq!(proved(adjacency, "1/10000", r#""2""#, &["remove", "add"]), Err(Reason::Direction));
    }
}

/// Where a record changes nothing the polynomials are 1, and what is added is what follows their last term at most.
#[test]
fn errors_of_polynomials() {
    work::begin(None);
    for (order, floor, rate, error) in [(q(3, 2), 1, q(1, 2), q(1, 16)), (q(5, 2), 2, q(1, 2), q(5, 256))] {
        let most = by_polynomial(&q(0, 1), &rate, &order, floor, Side::Upper).unwrap().unwrap();
        let (low, high) = ends(&most);
        let expected = q(1, 1) + error;
        assert!(low <= expected && expected <= high && high < expected + q(1, 1 << 40), "{order} {low} {high}");
    }
}

/// ∫ q^t·p^(1−t) of e^(−|x − ε|)/2 and e^(−|x|)/2 by Simpson's rule, whose knots are at 0 and at ε; and at few digits around the same.
#[test]
fn laplace_noise_by_quadrature() {
    for (n, d) in [(1, 10), (1, 2), (1, 1), (5, 2)] {
        let epsilon = q(n, d);
        let far = epsilon.to_f64().unwrap();
        for order in [q(1001, 1000), q(5, 4), q(2, 1), q(7, 2), q(12, 1)] {
            let t = order.to_f64().unwrap();
            let density = |x: f64| (-t * (x - far).abs() - (1.0 - t) * x.abs()).exp() / 2.0;
            let part = |from: f64, to: f64| {
                let width = (to - from) / 4000.0;
                let at = |i: u32| density(from + f64::from(i) * width);
                (0..2000).map(|i| at(2 * i) + 4.0 * at(2 * i + 1) + at(2 * i + 2)).sum::<f64>() * width / 3.0
            };
            let exact = (part(-40.0, 0.0) + part(0.0, far) + part(far, far + 40.0)).ln();
            work::begin(None);
            let fine = ends(&laplace(&Real::of(&epsilon), &order).unwrap());
            let found = fine.0.to_f64().unwrap();
            assert!((found - exact).abs() < 1e-9, "{epsilon} {order}: {found} {exact}");
            for reals in [16, 20, 27, 40] {
                let coarse = crate::coarse::in_units(reals, 8, || ends(&laplace(&Real::of(&epsilon), &order).unwrap()));
                assert!(coarse.0 <= fine.0 && fine.1 <= coarse.1, "{epsilon} {order} 2^-{reals}");
            }
        }
    }
}

/// No two candidates whose odds change by e^ε have more, and the best of many have nearly as much; at few digits around the same.
#[test]
fn choices_between_two_candidates() {
    for (n, d) in [(1, 100), (1, 2), (3, 1), (9, 1)] {
        let odds = q(n, d).to_f64().unwrap().exp();
        for order in [q(1001, 1000), q(3, 2), q(2, 1), q(7, 1), q(40, 1)] {
            let t = order.to_f64().unwrap();
            let moment = |share: f64| {
                let other = share * odds / (1.0 - share + share * odds);
                let part = |q: f64, p: f64| (t * q.ln() + (1.0 - t) * p.ln()).exp();
                [(other, share), (share, other)]
                    .map(|(q, p)| (part(q, p) + part(1.0 - q, 1.0 - p)).ln())
                    .into_iter()
                    .fold(0.0, f64::max)
            };
            let best = (1..400_000).map(|i| moment(f64::from(i) / 400_000.0)).fold(0.0, f64::max);
            work::begin(None);
            let fine = ends(&choice(&Real::of(&q(n, d)), &order).unwrap());
            let found = fine.0.to_f64().unwrap();
            assert!(
                best <= found * (1.0 + 1e-6) + 1e-13 && found <= best * 1.001 + 1e-12,
                "{n}/{d} {order}: {found} {best}"
            );
            for reals in [40, 60] {
                let coarse =
                    crate::coarse::in_units(reals, 8, || choice(&Real::of(&q(n, d)), &order).map(|x| ends(&x)));
                let is_around = coarse.map_or(true, |(low, high)| low <= fine.0 && fine.1 <= high);
                assert!(is_around, "{n}/{d} {order} 2^-{reals}");
            }
        }
    }
}

/// Taylor's polynomials of E (1 + X)^t with their remainders, summed up in f64: 1.14173… − 0.00293 and 1.14349… + 0.01953.
#[test]
fn polynomials_with_their_remainders() {
    crate::work::begin(None);
    let q = |n: i64, d: i64| num_rational::BigRational::new(n.into(), d.into());
    let of = |side| {
        let found = super::by_polynomial(&q(1, 4), &q(1, 2), &q(5, 2), 2, side).unwrap().unwrap();
        let (low, high) = crate::coarse::ends(&found);
        assert!(&high - &low < q(1, 1 << 60));
        num_traits::ToPrimitive::to_f64(&low).unwrap()
    };
    assert!((of(Side::Lower) - (1.141_732_955_968_808 - 0.002_929_687_5)).abs() < 1e-12);
    assert!((of(Side::Upper) - (1.143_485_498_703_216_8 + 0.019_531_25)).abs() < 1e-12);
}

/// Discrete noise moved by 3, of σ = 2, has the moments of μ = 3/2; moved at random, or noise of another kind, it has none of this form.
#[test]
fn discrete_noise_has_the_moments_of_gaussian_noise() {
    let to = |far: &[i64]| {
        let share = q(1, i64::try_from(far.len()).unwrap());
        far.iter().map(|d| (share.clone(), q(*d, 1))).collect::<Vec<_>>()
    };
    let of = |noise: Noise, with: &[i64]| Step::Shifted { noise, without: to(&[0]), with: to(with) };
    let noise = || Noise::DiscreteGaussian { square: q(4, 1), parties: 1 };
    assert_eq!(gaussian(&of(noise(), &[3])), Some(q(9, 4)));
    assert_eq!(gaussian(&of(noise(), &[3, 1])), None);
    assert_eq!(gaussian(&of(Noise::DiscreteLaplace { scale: q(4, 1) }, &[3])), None);
}

/// P moved down by 1, Q up by 0 or 3: 4² in one order, and of the other one half of P is moved by 0, and Q by 1.
#[test]
fn lines_of_moved_noise() {
    let shifts = |all: &[i64]| all.iter().map(|d| (q(1, i64::try_from(all.len()).unwrap()), q(*d, 1))).collect();
    let of = |noise: Noise| Step::Shifted { noise, without: shifts(&[1]), with: shifts(&[0, 3]) };
    let mean = q(5, 1);
    let skellam = of(Noise::Skellam { mean: mean.clone() });
    let bend = simple_bend(&mean);
    work::begin(None);
    let log = |x: i64| Real::int(x).ln().unwrap();
    assert_eq!(line(&skellam, Direction::Remove), Some((q(16, 1) * &bend, log(1))));
    assert_eq!(line(&skellam, Direction::Add), Some((bend, log(2))));
    let gaussian = of(Noise::Gaussian { square: q(1, 1) });
    assert_eq!(line(&gaussian, Direction::Remove), Some((q(8, 1), log(1))));
    assert_eq!(line(&gaussian, Direction::Add), Some((q(1, 2), log(2))));
    // On a sample no more.
    let sampled = |of: Step| Step::Sampled { rate: q(1, 2), of: vec![(of, 1)] };
    assert_eq!(line(&sampled(gaussian), Direction::Add), Some((q(1, 2), log(2))));
}

/// Of masses on the integers, in floats.
fn divergence(mass: &dyn Fn(i64) -> f64, shift: i64, order: f64) -> f64 {
    let terms = (-300i64..=300).filter_map(|k| {
        let (q, p) = (mass(k - shift), mass(k));
        (q > 1e-280 && p > 1e-280).then(|| order * q.ln() + (1.0 - order) * p.ln())
    });
    let terms: Vec<f64> = terms.collect();
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (terms.iter().map(|x| (x - most).exp()).sum::<f64>().ln() + most) / (order - 1.0)
}

/// Skellam noise by its sum of products of Poisson masses, and sums of discrete Gaussians by convolution: no divergence is above the lines.
#[test]
fn divergences_below_their_lines() {
    let mut near = 0;
    for (n, shift) in (0..24i64).map(|n| (n, 1 + n % 4)) {
        work::begin(None);
        let to = |d: i64| vec![(q(1, 1), q(d, 1))];
        let of = |noise: Noise| Step::Shifted { noise, without: to(0), with: to(shift) };
        let mean = (1 + n) as f64 / 3.0;
        let poisson = |k: i64| (0..k).fold((-mean).exp(), |mass, i| mass * mean / (i + 1) as f64);
        let skellam: Vec<f64> = (0..140).map(|k| (0..90).map(|i| poisson(i) * poisson(i + k)).sum()).collect();
        let of_skellam = |k: i64| skellam.get(k.unsigned_abs() as usize).copied().unwrap_or(0.0);
        let (square, parties) = (0.3 + n as f64 / 10.0, 2 + n % 3);
        let one: Vec<f64> = (-40i64..=40).map(|k| (-((k * k) as f64) / (2.0 * square)).exp()).collect();
        let all: f64 = one.iter().sum();
        let mut sum = vec![1.0];
        for _ in 0..parties {
            let mut next = vec![0.0; sum.len() + 80];
            for (i, a) in sum.iter().enumerate() {
                one.iter().enumerate().for_each(|(j, b)| next[i + j] += a * b / all);
            }
            sum = next;
        }
        let of_sum = |k: i64| usize::try_from(k + 40 * parties).ok().and_then(|k| sum.get(k)).copied().unwrap_or(0.0);
        let parties = u64::try_from(parties).unwrap();
        let steps: [(Step, &dyn Fn(i64) -> f64); 2] = [
            (of(Noise::Skellam { mean: q(1 + n, 3) }), &of_skellam),
            (of(Noise::DiscreteGaussian { square: q(3 + n, 10), parties }), &of_sum),
        ];
        for (step, mass) in steps {
            for from in [q(3, 2), q(2, 1), q(5, 1), q(9, 1)] {
                let (slope, most) = beyond(&step, Direction::Remove, &from).unwrap();
                let (least, most) = ends(&most);
                assert!(&most - &least < q(1, 1 << 40));
                let most = most.to_f64().unwrap();
                for more in [0.0, 0.5, 2.0, 6.0] {
                    let line = most + slope.to_f64().unwrap() * more;
                    let found = divergence(mass, shift, from.to_f64().unwrap() + more);
                    assert!(found < line + 1e-9, "{step} from {from}, {more} more: {found} {line}");
                    near += usize::from(found > 0.6 * line);
                }
            }
        }
    }
    assert!(near > 100, "{near}");
    let bounded = Step::Laplace { epsilon: q(3, 1) };
    assert_eq!(beyond(&bounded, Direction::Add, &q(7, 1)).unwrap(), (q(0, 1), Real::int(3)));
    let guarantee = Step::Rdp { orders: vec![(q(2, 1), q(1, 1))] };
    assert!(beyond(&guarantee, Direction::Add, &q(7, 1)).is_err());
    let skellam = whole_noise(Noise::Skellam { mean: q(1, 1) }, 1);
    assert!(beyond(&skellam, Direction::Add, &q(1, 1)).is_err());
}

/// Noise on the integers and its mixtures against its sum in floats, both orders; in coarse units, where few masses are known, the fine value is within the bounds.
#[test]
fn divergences_on_the_integers() {
    let (mut told, mut coarse) = (0, 0);
    for n in 0..40i64 {
        work::begin(None);
        let noise = match n % 4 {
            0 => Noise::Skellam { mean: q(2 + n, 4) },
            1 => Noise::DiscreteGaussian { square: q(3 + n, 5), parties: 1 },
            2 => Noise::DiscreteGaussian { square: q(3 + n, 9), parties: 2 + u64::try_from(n % 3).unwrap() },
            _ => Noise::DiscreteLaplace { scale: q(4 + n, 24) },
        };
        let rate = q(1 + n % 5, 6);
        let list = |is_mixed: bool, far: i64| match is_mixed {
            true => vec![(q(1, 1) - &rate, q(0, 1)), (rate.clone(), q(far, 1))],
            false => vec![(q(1, 1), q(far, 1))],
        };
        let (without, with) = (list(n % 3 == 0, n % 2), list(n % 5 < 3, 1 + n % 3));
        // P(X ≥ k), far out from its small end.
        let above = |k: i64| ends(&tail(&noise, &q(k, 1)).unwrap()).0;
        let mass: Vec<f64> = (0..60).map(|k| (above(k) - above(k + 1)).to_f64().unwrap()).collect();
        let at = |shifts: &[(BigRational, BigRational)], sign: i64, k: i64| -> f64 {
            let part = |(weight, s): &(BigRational, BigRational)| {
                let place = (k - sign * s.to_i64().unwrap()).unsigned_abs() as usize;
                weight.to_f64().unwrap() * mass.get(place).copied().unwrap_or(0.0)
            };
            shifts.iter().map(part).sum()
        };
        let step = Step::Shifted { noise, without: without.clone(), with: with.clone() };
        for (direction, t) in [(Direction::Remove, q(5, 4)), (Direction::Add, q(2, 1)), (Direction::Remove, q(7, 2))] {
            let terms = (-55i64..=55).filter_map(|k| {
                let (up, down) = (at(&with, 1, k), at(&without, -1, k));
                let (q, p) = if direction == Direction::Remove { (up, down) } else { (down, up) };
                let t = t.to_f64().unwrap();
                (q > 0.0 && p > 0.0).then(|| (t * q.ln() + (1.0 - t) * p.ln()).exp())
            });
            let truth = terms.sum::<f64>().ln();
            let find = || Pair::of(&step, direction).ok()?.moment(&t).unwrap();
            let Some(found) = find() else { continue };
            let (low, high) = ends(&found);
            let [least, most] = [&low, &high].map(|end| end.to_f64().unwrap());
            assert!(least < truth + 1e-9 && truth - 1e-9 < most, "{step}, {direction}, {t}: {least} {truth} {most}");
            told += u32::from(&high - &low < q(1, 1 << 40));
            for bits in [70, 90, 120] {
                let Some((least, most)) = in_units(bits, 8, || find().map(|found| ends(&found))) else { continue };
                assert!(
                    least <= low && high <= most,
                    "{step}, {direction}, {t}, {bits} bits: {least} {low} {high} {most}"
                );
                coarse += 1;
            }
        }
    }
    assert!(told > 100 && coarse > 200, "{told} {coarse}");
}

/// Lines beyond an order by their formulas: of Skellam noise, of sums of discrete Gaussians, and of other noise under shifts.
#[test]
fn lines_beyond_an_order_by_their_formulas() {
    let to = |d: i64| vec![(q(1, 1), q(d, 1))];
    let found = |noise: Noise, without: Vec<(BigRational, BigRational)>, from: BigRational| {
        work::begin(None);
        let (slope, most) = beyond(&Step::Shifted { noise, without, with: to(2) }, Direction::Remove, &from).unwrap();
        let (low, high) = ends(&most);
        assert!(&high - &low < q(1, 1 << 40));
        (slope, low.to_f64().unwrap())
    };
    let is_near = |x: f64, truth: f64| (x - truth).abs() < 1e-9 * truth.abs();
    // d = 3, at order 7.
    let (slope, most) = found(Noise::Skellam { mean: q(5, 2) }, to(1), q(7, 1));
    let truth = 3.0 * ((3.0f64 * 6.0 / 2.5).ln() - 1.0) + (3.0 + 2.5 * 2.09 + 0.7) / 6.0;
    assert!(slope == q(3, 6) && is_near(most, truth), "{slope} {most} {truth}");
    let (slope, most) = found(Noise::DiscreteGaussian { square: q(5, 3), parties: 4 }, to(1), q(7, 1));
    assert!(slope == q(9 * 3, 2 * 5 * 4) && is_near(most, 3.0 * 3.0 / 40.0 * (3.0 * 7.0 + 3.0)), "{slope} {most}");
    let (slope, most) =
        found(Noise::Gaussian { square: q(1, 9) }, vec![(q(1, 5), q(1, 1)), (q(4, 5), q(3, 1))], q(7, 1));
    assert_eq!(slope, q(1, 2));
    assert!(is_near(most, slope.to_f64().unwrap() * 7.0 + 5f64.ln()), "{slope} {most}");
}

/// What is left out of a sum over the integers, by its formula: the last terms fall like a geometric series or faster, and q/p is no larger before the first.
#[test]
fn sums_on_the_integers_by_what_they_leave_out() {
    let mut both = 0;
    for (noise, bend) in [
        (Noise::DiscreteGaussian { square: q(400, 1), parties: 1 }, (2.0 / 400.0f64).exp()),
        (Noise::DiscreteGaussian { square: q(50, 1), parties: 3 }, (4.0 / 150.0f64).exp()),
        (Noise::Skellam { mean: q(60, 1) }, f64::NAN),
    ] {
        work::begin(None);
        // P(X ≥ k), far out from its small end.
        let above = |k: i64| ends(&tail(&noise, &q(k, 1)).unwrap()).0;
        let small = BigRational::new(1.into(), BigInt::from(1) << 192);
        let masses: Vec<BigRational> = (0..420).map(|k| above(k) - above(k + 1)).collect();
        let known = i64::try_from(masses.iter().take_while(|mass| **mass > small).count()).unwrap() - 1;
        let mass = |k: i64| masses[usize::try_from(k.abs()).unwrap()].to_f64().unwrap();
        let step =
            Step::Shifted { noise: noise.clone(), without: vec![(q(1, 1), q(0, 1))], with: vec![(q(1, 1), q(2, 1))] };
        for t in [q(9, 8), q(3, 1)] {
            let (low, high) = ends(&Pair::of(&step, Direction::Remove).unwrap().moment(&t).unwrap().unwrap());
            let t = t.to_f64().unwrap();
            let (first, last) = (2 - known, known);
            let term = |k: i64| (t * mass(k - 2).ln() + (1.0 - t) * mass(k).ln()).exp();
            let sum: f64 = (first..=last).map(term).sum();
            let fall = mass(last - 1) / mass(last - 2);
            let bend = if bend.is_nan() { 1.0 + 2.0 / 60.0 * fall } else { bend };
            let next = fall * bend.powf(t - 1.0);
            let right = term(last) * next / (1.0 - next) / sum;
            let left = (t * (mass(first - 2) / mass(first)).ln()).exp() * above(1 - first).to_f64().unwrap() / sum;
            let (found, truth) = ((&high - &low).to_f64().unwrap(), right + left);
            assert!((found - truth).abs() < 1e-6 * truth, "{step}, {t}: {found} {truth}");
            assert!((low.to_f64().unwrap() - sum.ln()).abs() < 1e-9, "{step}, {t}");
            both += u32::from(left > 1e-3 * right);
        }
    }
    assert!(both > 0);
}
