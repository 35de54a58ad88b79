//! Largest losses and μ² of single steps, against likelihood ratios outcome by outcome.

use super::*;
use crate::coarse::ends;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn float(x: &BigRational) -> f64 {
    num_traits::ToPrimitive::to_f64(x).unwrap()
}

fn finite(p: &[BigRational], r: &[BigRational]) -> Step {
    Step::Finite { p: p.to_vec(), q: r.to_vec() }
}

/// The largest ratio of Q to P, or of P to Q; none if it is infinite.
fn odds(p: &[BigRational], r: &[BigRational], direction: Direction) -> Option<BigRational> {
    let (p, r) = if direction == Direction::Remove { (p, r) } else { (r, p) };
    let pairs = || p.iter().zip(r).filter(|(_, r)| r.is_positive());
    if pairs().any(|(p, _)| p.is_zero()) { None } else { pairs().map(|(p, r)| r / p).max() }
}

const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];

#[track_caller]
fn is_log_of(found: &Largest, odds: Option<&BigRational>) {
    match odds {
        None => assert!(matches!(found, Largest::Infinite { .. })),
        Some(odds) => {
            assert_eq!(found.compared(&Epsilon::LogOf(odds.clone())).unwrap(), Some(Ordering::Equal), "{odds}")
        }
    }
}

#[track_caller]
fn is_near(found: &Largest, loss: f64) {
    let real = found.real().unwrap().unwrap();
    let (low, high) = ends(&real);
    assert!(float(&low) - 1e-13 <= loss && loss <= float(&high) + 1e-13, "{low} {high} {loss}");
    assert!(float(&(high - low)) < 1e-13);
}

#[test]
fn responses_or_an_answer_of_chance() {
    work::begin(None);
    for k in 2..6i64 {
        for direction in BOTH {
            // Odds of 3: the true answer 3/(k + 2), each other one 1/(k + 2), against 1/k each.
            let uniform: Vec<_> = (0..k).map(|_| q(1, k)).collect();
            let answer: Vec<_> = (0..k).map(|i| q(if i == 0 { 3 } else { 1 }, k + 2)).collect();
            let step = |epsilon| Step::ResponseOrUniform { epsilon, k: k.into() };
            let exact = of_step(&step(Epsilon::LogOf(q(3, 1))), direction).unwrap();
            is_log_of(&exact, odds(&uniform, &answer, direction).as_ref());
            let (e, n) = (1.5f64.exp(), f64::from(u32::try_from(k).unwrap()));
            let likely = n * e / (e + n - 1.0);
            let loss = if direction == Direction::Remove { likely.ln() } else { (e / likely).ln() };
            is_near(&of_step(&step(Epsilon::Plain(q(3, 2))), direction).unwrap(), loss);
        }
    }
}

#[test]
fn sampled_steps_by_their_outcomes() {
    work::begin(None);
    let pairs = [
        (vec![q(1, 2), q(1, 3), q(1, 6)], vec![q(1, 6), q(1, 3), q(1, 2)]),
        (vec![q(1, 2), q(1, 2), q(0, 1)], vec![q(1, 4), q(1, 2), q(1, 4)]),
        (vec![q(1, 4), q(1, 2), q(1, 4)], vec![q(3, 5), q(2, 5), q(0, 1)]),
    ];
    for (p, r) in &pairs {
        let rate = q(2, 7);
        let mixed: Vec<_> = p.iter().zip(r).map(|(p, r)| p * (q(1, 1) - &rate) + r * &rate).collect();
        let sampled = Step::Sampled { rate: rate.clone(), of: vec![(finite(p, r), 1)] };
        for direction in BOTH {
            is_log_of(&of_step(&finite(p, r), direction).unwrap(), odds(p, r, direction).as_ref());
            is_log_of(&of_step(&sampled, direction).unwrap(), odds(p, &mixed, direction).as_ref());
        }
    }
    // Twice Laplace noise: losses up to 2/3 either way.
    let noise = Step::Sampled { rate: q(1, 4), of: vec![(Step::Laplace { epsilon: q(1, 3) }, 2)] };
    let loss = 2.0 / 3.0f64;
    is_near(&of_step(&noise, Direction::Remove).unwrap(), (0.75 + 0.25 * loss.exp()).ln());
    is_near(&of_step(&noise, Direction::Add).unwrap(), -(0.75 + 0.25 * (-loss).exp()).ln());
    // The larger of two, and in a worst case the turned one turned.
    let (p, r) = &pairs[0];
    let step = finite(p, &[q(1, 2), q(1, 4), q(1, 4)]);
    for direction in BOTH {
        let turned = if direction == Direction::Remove { Direction::Add } else { Direction::Remove };
        let own = odds(p, &[q(1, 2), q(1, 4), q(1, 4)], direction).unwrap();
        let other = odds(p, &[q(1, 2), q(1, 4), q(1, 4)], turned).unwrap();
        let both = Step::Worst { of: vec![(false, step.clone()), (true, step.clone())] };
        is_near(&of_step(&both, direction).unwrap(), float(&own.clone().max(other)).ln());
        let labels = vec![(q(1, 3), vec![(step.clone(), 1)]), (q(2, 3), vec![(finite(p, r), 1)])];
        let largest = own.max(odds(p, r, direction).unwrap());
        is_near(&of_step(&Step::Labelled { of: labels }, direction).unwrap(), float(&largest).ln());
    }
}

#[test]
fn guarantees_with_no_delta() {
    work::begin(None);
    let of = |points: Vec<(Epsilon, BigRational)>| of_step(&Step::Guarantee { points }, Direction::Remove).unwrap();
    let plain = |n, d| Epsilon::Plain(q(n, d));
    // The least |ε| of those with δ = 0.
    let found = of(vec![(plain(-3, 4), q(0, 1)), (plain(1, 1), q(0, 1)), (plain(1, 8), q(1, 9))]);
    assert_eq!(found.compared(&plain(3, 4)).unwrap(), Some(Ordering::Equal));
    let found = of(vec![(plain(1, 1), q(0, 1)), (Epsilon::LogOf(q(2, 5)), q(0, 1)), (plain(2, 1), q(0, 1))]);
    is_log_of(&found, Some(&q(5, 2)));
    assert!(matches!(of(vec![(plain(1, 8), q(1, 9))]), Largest::Infinite { .. }));
    // δ(log 1/2) = 1/2 is 0 at log 2 in the other order of the pair; a little more is not.
    is_log_of(&of(vec![(Epsilon::LogOf(q(1, 2)), q(1, 2)), (plain(1, 1), q(0, 1))]), Some(&q(2, 1)));
    assert!(matches!(of(vec![(Epsilon::LogOf(q(1, 2)), q(501, 1000))]), Largest::Infinite { .. }));
}

/// Of parts without a largest loss the one whose divergences are known to be infinite soonest tells of all.
#[test]
fn divergences_of_several_parts() {
    let part = |from: Option<i64>| Largest::Infinite { from: from.map(|n| q(n, 1)) };
    let of = |all: [Option<i64>; 3]| match Largest::infinite(&all.map(part)) {
        Largest::Infinite { from } => from,
        Largest::Finite { .. } => panic!("{all:?}"),
    };
    assert_eq!(of([Some(3), None, Some(2)]), Some(q(2, 1)));
    assert_eq!(of([Some(1), Some(7), Some(4)]), Some(q(1, 1)));
    assert_eq!(of([None; 3]), None);
}

fn list(shifts: &[(i64, i64)]) -> Shifts {
    let total: i64 = shifts.iter().map(|(weight, _)| weight).sum();
    shifts.iter().map(|(weight, shift)| (q(*weight, total), q(*shift, 1))).collect()
}

/// Q is moved up and P down: the ratio far to the right, which is the largest one.
#[test]
fn shifted_noise_far_out() {
    work::begin(None);
    let laws: [(&[_], &[_]); 4] = [
        (&[(1, 0)], &[(2, 0), (1, 3)]),
        (&[(1, 1), (3, 2)], &[(1, 0)]),
        (&[(1, 2)], &[(1, 3)]),
        (&[(1, 0), (2, 1)], &[(4, 0), (5, 2)]),
    ];
    for (down, up) in laws {
        let (down, up) = (list(down), list(up));
        for (noise, scale) in
            [(Noise::Laplace { unit: q(2, 3) }, 1.5), (Noise::DiscreteLaplace { scale: q(5, 2) }, 2.5)]
        {
            for direction in BOTH {
                let step = Step::Shifted { noise: noise.clone(), without: down.clone(), with: up.clone() };
                let law = |shifts: &Shifts, sign: f64, x: f64| -> f64 {
                    shifts.iter().map(|(w, s)| float(w) * (-(x - sign * float(s)).abs() / scale).exp()).sum()
                };
                let losses = (-12..=12).map(|x| {
                    let loss = (law(&up, 1.0, f64::from(x)) / law(&down, -1.0, f64::from(x))).ln();
                    if direction == Direction::Remove { loss } else { -loss }
                });
                is_near(&of_step(&step, direction).unwrap(), losses.fold(f64::NEG_INFINITY, f64::max));
            }
        }
        // Of lighter tails the farthest part is all that counts, and where none is farther the weight of the rest.
        for noise in [
            Noise::Gaussian { square: q(1, 2) },
            Noise::DiscreteGaussian { square: q(4, 1), parties: 1 },
            Noise::Skellam { mean: q(3, 1) },
        ] {
            let step = Step::Shifted { noise, without: down.clone(), with: up.clone() };
            is_log_of(
                &of_step(&step, Direction::Remove).unwrap(),
                (*up == [(q(1, 1), q(0, 1))] && down[0].1.is_zero()).then_some(&q(1, 1)),
            );
        }
    }
    // Q = N(0) two times of three: P/Q comes to 3/2 far down.
    let noise = || Noise::Gaussian { square: q(1, 2) };
    let step = Step::Shifted { noise: noise(), without: list(&[(1, 0)]), with: list(&[(2, 0), (1, 3)]) };
    is_log_of(&of_step(&step, Direction::Add).unwrap(), Some(&q(3, 2)));
    let step = Step::Shifted { noise: noise(), without: list(&[(2, 0), (1, 1)]), with: list(&[(1, 0)]) };
    is_log_of(&of_step(&step, Direction::Remove).unwrap(), Some(&q(3, 2)));
    assert!(matches!(of_step(&step, Direction::Add).unwrap(), Largest::Infinite { .. }));
}

#[test]
fn squares_of_mu() {
    let normal = |n, d| Step::Gaussian { square: q(n, d) };
    let laplace = || Step::Laplace { epsilon: q(1, 1) };
    let response = |epsilon| Step::Response { epsilon: Epsilon::Plain(epsilon), k: 2.into() };
    let shifted = |noise, without, with| Step::Shifted { noise, without: list(without), with: list(with) };
    let noise = || Noise::Gaussian { square: q(1, 2) };
    let expected = [
        (normal(3, 2), q(3, 2), Some(q(3, 2))),
        // A pair of Gaussians 3 apart at the end of the curve near 0 (at the other one 2, 5, and 3), at most 5 apart.
        (shifted(noise(), &[(1, 0), (1, 2)], &[(1, 0), (5, 3)]), q(9, 2), Some(q(25, 2))),
        (shifted(noise(), &[(1, 0), (1, 4)], &[(1, 1), (5, 3)]), q(9, 2), Some(q(49, 2))),
        (shifted(noise(), &[(1, 0), (1, 1)], &[(1, 2), (5, 3)]), q(9, 2), Some(q(8, 1))),
        // Far out on the integers the tails are those of a Gaussian.
        (shifted(Noise::DiscreteGaussian { square: q(3, 1), parties: 1 }, &[(1, 0)], &[(1, 1)]), q(1, 3), None),
        (shifted(Noise::DiscreteGaussian { square: q(2, 1), parties: 1 }, &[(1, 1), (1, 2)], &[(5, 2)]), q(9, 2), None),
        (shifted(Noise::DiscreteGaussian { square: q(1, 1), parties: 2 }, &[(1, 0)], &[(1, 1)]), q(0, 1), None),
        (Step::Sampled { rate: q(1, 9), of: vec![(normal(1, 2), 4), (normal(1, 3), 1)] }, q(7, 3), Some(q(7, 3))),
        (
            Step::Sampled { rate: q(1, 9), of: vec![(shifted(noise(), &[(1, 0), (1, 2)], &[(1, 0)]), 3)] },
            q(0, 1),
            Some(q(6, 1)),
        ),
        (Step::Sampled { rate: q(1, 9), of: vec![(normal(1, 2), 4), (laplace(), 1)] }, q(2, 1), None),
        // Both ends count as without a sample.
        (
            Step::Sampled { rate: q(1, 9), of: vec![(shifted(noise(), &[(1, 0), (1, 2)], &[(1, 0), (5, 3)]), 1)] },
            q(9, 2),
            Some(q(25, 2)),
        ),
        (
            Step::Labelled { of: vec![(q(1, 3), vec![(normal(1, 2), 5)]), (q(2, 3), vec![(normal(2, 1), 1)])] },
            q(5, 2),
            Some(q(5, 2)),
        ),
        (
            Step::Labelled { of: vec![(q(1, 3), vec![(laplace(), 5)]), (q(2, 3), vec![(normal(2, 1), 1)])] },
            q(2, 1),
            None,
        ),
        (Step::Zcdp { rho: q(2, 7) }, q(4, 7), None),
        (Step::Worst { of: vec![(false, normal(1, 2)), (true, normal(1, 3))] }, q(0, 1), Some(q(1, 2))),
        (Step::Worst { of: vec![(false, normal(1, 2)), (true, laplace())] }, q(0, 1), None),
        (laplace(), q(0, 1), None),
        (response(q(0, 1)), q(0, 1), Some(q(0, 1))),
        (response(q(1, 1_000_000_000)), q(0, 1), None),
        (finite(&[q(1, 3), q(2, 3)], &[q(1, 3), q(2, 3)]), q(0, 1), Some(q(0, 1))),
        (finite(&[q(1, 3), q(2, 3)], &[q(2, 3), q(1, 3)]), q(0, 1), None),
    ];
    for (step, least, most) in expected {
        // Of zCDP it is half of that.
        let rho = |rho: &BigRational, verified| {
            let steps = vec![(step.clone(), 1)];
            let adjacency = crate::answer::Adjacency::Add;
            let mechanism = Mechanism { steps, members: Vec::new(), adjacency };
            by_sum(&mechanism, Of::Divergences, &(rho * BigInt::from(2)), verified).is_ok()
        };
        if matches!(step, Step::Response { .. } | Step::Finite { .. }) {
            assert_eq!(rho(&q(0, 1), true), most.is_some(), "{step}");
        }
        let (half, less) = (&least / BigInt::from(2), q(1, 1_000_000_000));
        assert!(!rho(&half, false), "{step}");
        assert!(least == q(0, 1) || rho(&(half - less), false), "{step}");
        assert_eq!((number(&step, Of::Least), number(&step, Of::Curve)), (Some(least), most), "{step}");
    }
}

/// The tails that T2 looks at: of thresholds far out in all steps, of a label or on the integers, Φ⁻¹(1 − a) − Φ⁻¹(1 − b) comes to the μ that is said, and is at no
/// time above it by more than what is left of it.
#[test]
fn squares_of_mu_far_out() {
    // log P(X ≥ k) of discrete Gaussian noise, and what of Gaussian noise has that tail.
    let tail = |k: f64, square: f64| {
        let sum: f64 = (0..400).map(|j| (-((k + f64::from(j)).powi(2) - k * k) / (2.0 * square)).exp()).sum();
        let all: f64 = (-400..=400).map(|j| (-f64::from(j * j) / (2.0 * square)).exp()).sum();
        (sum / all).ln() - k * k / (2.0 * square)
    };
    let log_normal =
        |x: f64| -x * x / 2.0 - (x * (2.0 * std::f64::consts::PI).sqrt()).ln() + (1.0 - 1.0 / (x * x)).ln();
    let quantile = |log: f64| {
        let (mut low, mut high) = (2.0, 1e6);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if log_normal(middle) > log { low = middle } else { high = middle }
        }
        low
    };
    for (square, moved, weight) in [(3.0, 1.0, 1.0), (2.0, 3.0, 0.01), (0.25, 1.0, 0.3), (9.0, 2.0, 0.5)] {
        let mu: f64 = moved / f64::sqrt(square);
        let apart = |times: f64| {
            let size = f64::ln(weight) + tail(times * moved, square);
            let power = f64::ln(weight) + tail((times - 1.0) * moved, square);
            quantile(size) - quantile(power)
        };
        let [near, far, farther] = [40.0, 400.0, 4000.0].map(|times| (apart(times) - mu).abs());
        assert!(
            far < near && farther < far && farther < 0.002 * mu,
            "{square} {moved} {weight}: {near} {far} {farther}"
        );
    }
}

/// At one order a table says as much as it does at the next one that it knows, also on a sample, and of labelled parts the most.
#[test]
fn divergences_of_guarantees() {
    work::begin(None);
    let table = || vec![(Step::Rdp { orders: vec![(q(2, 1), q(1, 1)), (q(4, 1), q(3, 2)), (q(3, 1), q(2, 1))] }, 2)];
    let sampled = Step::Sampled { rate: q(1, 3), of: table() };
    let labelled = Step::Labelled { of: vec![(q(1, 2), table()), (q(1, 2), vec![(Step::Zcdp { rho: q(1, 2) }, 3)])] };
    let holds = |step: &Step, order: &BigRational, epsilon: BigRational| {
        let steps = vec![(step.clone(), 1)];
        let mechanism = Mechanism { steps, members: Vec::new(), adjacency: crate::answer::Adjacency::AddRemove };
        by_sum(&mechanism, Of::Divergence(order), &(epsilon * BigInt::from(2) / order), true).is_ok()
    };
    for (order, on_sample, of_parts) in [
        (q(2, 1), q(2, 1), q(3, 1)),
        // From 2 to 4: 1 + (9/2 − 1)/4 = 15/8, of 3/2.
        (q(5, 2), q(5, 2), q(15, 4)),
        (q(7, 5), q(2, 1), q(21, 10)),
        (q(4, 1), q(3, 1), q(6, 1)),
    ] {
        let less = |x: &BigRational| x - q(1, 1_000_000_000);
        assert!(holds(&sampled, &order, on_sample.clone()) && !holds(&sampled, &order, less(&on_sample)), "{order}");
        assert!(holds(&labelled, &order, of_parts.clone()) && !holds(&labelled, &order, less(&of_parts)), "{order}");
    }
    assert!(!holds(&sampled, &q(5, 1), q(99, 1)));
    assert!(slope(&sampled).is_none() && total(&table(), Of::Curve).is_none());
}

/// One is told by its right end, the other one by its left end: no test tells them by both, and D_t of both is at most t/2 + log 2.
#[test]
fn far_ends_on_either_side() {
    let noise = || Noise::Gaussian { square: q(1, 1) };
    let (still, moved) = (&[(1, 0)][..], &[(1, 0), (1, 1)][..]);
    let step = |without, with| (Step::Shifted { noise: noise(), without: list(without), with: list(with) }, 1);
    let both = || vec![step(still, moved), step(moved, still)];
    assert_eq!(total(&both(), Of::Least), Some(q(1, 1)));
    assert_eq!(total(&both(), Of::Curve), Some(q(2, 1)));
    let mechanism = Mechanism { steps: both(), members: Vec::new(), adjacency: crate::answer::Adjacency::AddRemove };
    assert!(by_sum(&mechanism, Of::Divergences, &q(49, 50), false).is_ok());
    assert!(by_sum(&mechanism, Of::Divergences, &q(3, 2), false).is_err());
    assert!(by_sum(&mechanism, Of::Curve, &q(25, 16), false).is_err());
}

/// Logarithms that are known only in an interval add up, and are at most ε only if all of the interval is.
#[test]
fn losses_in_intervals() {
    work::begin(None);
    let of = |n: i64| Step::ResponseOrUniform { epsilon: Epsilon::Plain(q(n, 1)), k: 3.into() };
    let mechanism = Mechanism {
        steps: vec![(of(1), 2), (of(2), 1)],
        members: Vec::new(),
        adjacency: crate::answer::Adjacency::Remove,
    };
    let found = largest_loss(&mechanism.steps, Direction::Remove).unwrap();
    // 2·log(3e/(e + 2)) + log(3e²/(e² + 2))
    is_near(&found, 1.953_402_671_918_343);
    for (bound, is_most) in [(q(1954, 1000), true), (q(1953, 1000), false), (q(11, 10), false)] {
        assert_eq!(found.is_at_most(&Epsilon::Plain(bound.clone())).unwrap(), is_most, "{bound}");
    }
    let unit = BigRational::new(1.into(), BigInt::from(1) << crate::real::w());
    let near = Largest::Finite { terms: Vec::new(), near: Some(crate::real::Real::new(10.into(), 14.into())) };
    let at = |n: i64| near.compared(&Epsilon::Plain(&unit * BigInt::from(n))).unwrap();
    assert_eq!([at(9), at(12), at(15)], [Some(Ordering::Greater), None, Some(Ordering::Less)]);
    // ε in an interval of one unit itself.
    let between = |n: i64| near.compared(&Epsilon::Plain(&unit * q(2 * n + 1, 2))).unwrap();
    assert_eq!([between(8), between(9), between(11)], [Some(Ordering::Greater), None, None]);
    assert_eq!([between(13), between(14)], [None, Some(Ordering::Less)]);
}

/// Equal errors of curves that are known: a = e^(−ε/2)/2 for Laplace noise and for permute-and-flip, 1/(1 + e^ε) for a response, 1/(1 + e^(ε/2)) for a choice by Gumbel noise; μ is 2Φ⁻¹(1 − a).
#[test]
fn curves_at_equal_errors() {
    let one = || Epsilon::Plain(q(1, 1));
    for (step, below, above) in [
        (Step::Laplace { epsilon: q(1, 1) }, q(102, 100), q(104, 100)),
        (Step::Choice { epsilon: one(), is_flip: true }, q(102, 100), q(104, 100)),
        (Step::Response { epsilon: one(), k: 2.into() }, q(122, 100), q(124, 100)),
        (Step::Choice { epsilon: one(), is_flip: false }, q(61, 100), q(64, 100)),
    ] {
        work::begin(None);
        let what = step.to_string();
        let mechanism =
            Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency: crate::answer::Adjacency::AddRemove };
        assert!(
            fixed_point(&mechanism, &above, true).is_ok() && fixed_point(&mechanism, &above, false).is_err(),
            "{what}"
        );
        assert!(
            fixed_point(&mechanism, &below, true).is_err() && fixed_point(&mechanism, &below, false).is_ok(),
            "{what}"
        );
    }
}

/// The μ of Gaussian noise is claimed with equality; what has such noise beside other steps is no less informative.
#[test]
fn gaussian_noise_with_equality() {
    work::begin(None);
    let noise = || (Step::Gaussian { square: q(1, 4) }, 1);
    let mechanism =
        Mechanism { steps: vec![noise()], members: Vec::new(), adjacency: crate::answer::Adjacency::AddRemove };
    for (mu, is_true) in [(q(1, 2), true), (q(51, 100), true), (q(49, 100), false)] {
        assert_eq!(by_sum(&mechanism, Of::Curve, &(&mu * &mu), true).is_ok(), is_true, "{mu}");
        assert_eq!(by_sum(&mechanism, Of::Curve, &(&mu * &mu), false).is_ok(), !is_true, "{mu}");
    }
    let both = vec![noise(), (Step::Laplace { epsilon: q(1, 1) }, 1)];
    assert!(by_noise(Some(&q(1, 4)), &both).is_ok() && by_noise(Some(&q(1, 3)), &both).is_err());
    // Moved by 1 and by 2: in all as far as both together.
    let shifts = |n: i64| vec![(q(1, 1), q(n, 1))];
    let moved = Step::Shifted { noise: Noise::Gaussian { square: q(1, 4) }, without: shifts(1), with: shifts(2) };
    assert_eq!((number(&moved, Of::Least), number(&moved, Of::Curve)), (Some(q(9, 4)), Some(q(9, 4))));
}

/// Turned around, a key that is released with the probability 1/2 tells log 2 at most; e^ε = 1 is no negative ε; the worst of one is that one.
#[test]
fn steps_at_their_ends() {
    work::begin(None);
    let released = Step::Released { noise: Noise::Laplace { unit: q(1, 1) }, place: q(0, 1) };
    is_near(&of_step(&released, Direction::Add).unwrap(), std::f64::consts::LN_2);
    assert!(matches!(of_step(&released, Direction::Remove).unwrap(), Largest::Infinite { .. }));
    assert!(!Epsilon::LogOf(q(1, 1)).is_negative() && Epsilon::LogOf(q(9, 10)).is_negative());
    let worst = |n: usize| Step::Worst { of: vec![(false, finite(&[q(1, 1)], &[q(1, 1)])); n] };
    assert!(!worst(1).is_worst_case() && worst(2).is_worst_case());
}

/// C7 of `README.md`: at ρ = 1/2 both errors alike need μ = 1.49069…, and 2^−34 = P(Z > 6.2…) needs 1.0467….
#[test]
fn tests_of_concentrated_mechanisms() {
    work::begin(None);
    let zcdp = |rho| Mechanism {
        steps: vec![(Step::Zcdp { rho }, 1)],
        members: Vec::new(),
        adjacency: crate::answer::Adjacency::AddRemove,
    };
    for (rho, below, above) in
        [(q(1, 2), q(14906, 10_000), q(14907, 10_000)), (q(1, 100), q(2087, 10_000), q(2088, 10_000))]
    {
        assert!(fixed_point(&zcdp(rho.clone()), &above, true).is_ok(), "{rho}");
        assert!(fixed_point(&zcdp(rho.clone()), &below, true).is_err(), "{rho}");
        assert!(fixed_point(&zcdp(rho), &below, false).is_err());
    }
    let x = q(64_444, 10_000);
    assert!(
        is_far(Some(&q(1, 2)), &q(1047, 1000), &x).unwrap() && !is_far(Some(&q(1, 2)), &q(1046, 1000), &x).unwrap()
    );
    assert!(!is_far(None, &q(9, 1), &x).unwrap());
}

/// A test of size P(Z > x) and power P(Z > x − μ) is one of a mechanism of some ρ: that G_μ' is below it for a smaller μ' is never shown.
#[test]
fn no_test_of_a_concentrated_mechanism_is_above() {
    work::begin(None);
    let tail = |x: &BigRational| {
        let (low, high) = ends(&Real::of(x).normal_tail().unwrap());
        (float(&low) + float(&high)) / 2.0
    };
    let mut near = 0;
    for (i, j) in (0..28).flat_map(|i| (1..20).map(move |j| (i, j))) {
        let (x, mu) = (q(i, 4), q(j, 6));
        let (size, power) = (tail(&x), tail(&(&x - &mu)));
        let divergence = |t: f64, b: f64, a: f64| {
            let one = t * b.ln() + (1.0 - t) * a.ln();
            let other = t * (-b).ln_1p() + (1.0 - t) * (-a).ln_1p();
            let most = one.max(other);
            (most + ((one - most).exp() + (other - most).exp()).ln()) / (t - 1.0) / t
        };
        let orders = (-80..64).map(|k| 1.0 + 2f64.powf(f64::from(k) / 8.0));
        let rho = orders.map(|t| divergence(t, power, size).max(divergence(t, size, power)));
        let rho = rho.filter(|rho| rho.is_finite()).fold(0.0, f64::max) * 1.001;
        let rho = BigRational::from_float(rho).unwrap();
        assert!(!is_far(Some(&rho), &(&mu - q(1, 1000)), &x).unwrap(), "{x} {mu} {rho}");
        near += u32::from(is_far(Some(&rho), &(&mu * q(3, 2)), &x).unwrap());
    }
    assert!(near > 400, "{near}");
}

/// In large units what is shown to be far is so: next to the least μ of which it is.
#[test]
fn far_out_in_large_units() {
    let (mut shown, mut missed) = (0, 0);
    for (x, rho) in (3..8i64).flat_map(|x| (1..9i64).map(move |rho| (q(x, 3), q(rho, 5)))) {
        work::begin(None);
        let (mut low, mut high) = (q(0, 1), q(20, 1));
        for _ in 0..64 {
            let middle = (&low + &high) / BigInt::from(2);
            match is_far(Some(&rho), &middle, &x).unwrap() {
                true => high = middle,
                false => low = middle,
            }
        }
        for off in [-64i64, -16, -4, -1, 1, 4, 16, 64, 1 << 20] {
            let mu = &low + q(off, 1 << 40);
            let fine = is_far(Some(&rho), &mu, &x).unwrap();
            for reals in [38, 40] {
                let coarse = crate::coarse::in_units(reals, 10, || is_far(Some(&rho), &mu, &x)).unwrap_or(false);
                assert!(fine || !coarse, "{x} {rho} {mu} 2^-{reals}");
                (shown, missed) = (shown + u32::from(coarse), missed + u32::from(fine && !coarse));
            }
        }
    }
    assert!(shown > 20 && missed > 20, "{shown} {missed}");
}

/// By hand, as in the engine: (t − 1)·D_t is at most 0, 1/10 and 9/10 at 1, 2 and 4.
#[test]
fn chords_between_orders() {
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    let step = Step::Rdp { orders: vec![(q(4, 1), q(3, 10)), (q(2, 1), q(1, 10))] };
    for (order, most) in [(q(3, 1), q(1, 4)), (q(3, 2), q(1, 10)), (q(2, 1), q(1, 10)), (q(4, 1), q(3, 10))] {
        crate::work::begin(None);
        let found = total(&vec![(step.clone(), 1)], Of::Divergence(&order));
        assert_eq!(found, Some(most * BigInt::from(2) / &order));
    }
    assert_eq!(total(&vec![(step, 1)], Of::Divergence(&q(41, 10))), None);
}
