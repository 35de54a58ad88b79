//! Profiles, normal forms and tables of selections by score, against enumeration.

use rug::Rational;

use super::*;
use crate::kernel::coarse::{self, Place};
use crate::kernel::{LossBound, Point};
use crate::mechanism::Mechanism;
use crate::mechanism::laplace::Laplace;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn log(n: u32) -> Epsilon {
    Epsilon::log_of(Rational::from(n)).unwrap()
}

fn delta(profile: &dyn Profile, u: &Rational) -> Interval {
    profile.at(&Point::at_exp_epsilon(u, 120)).delta
}

fn at_most(a: &Rational, b: &Interval) -> bool {
    *b.hi() >= *a
}

/// Σ (q − u·p)⁺.
fn advantage(p: &[Rational], with: &[Rational], u: &Rational) -> Rational {
    let gains = p.iter().zip(with).map(|(p, q)| q - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

/// Probabilities proportional to the weights.
fn shares(weights: &[Rational]) -> Vec<Rational> {
    let total: Rational = weights.iter().sum();
    weights.iter().map(|w| Rational::from(w / &total)).collect()
}

/// A small pseudo-random number below `most`.
fn next(state: &mut u64, most: u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % most
}

/// The law of permute-and-flip: candidates in every order, each accepted with probability weight/largest.
fn permute_and_flip(weights: &[Rational]) -> Vec<Rational> {
    fn walk(left: &mut Vec<usize>, chance: &Rational, weights: &[Rational], law: &mut [Rational]) {
        let next = chance / Rational::from(left.len());
        for place in 0..left.len() {
            let candidate = left.remove(place);
            law[candidate] += Rational::from(&next * &weights[candidate]);
            let rejected = &next * Rational::from(1 - &weights[candidate]);
            if rejected > 0 {
                walk(left, &rejected, weights, law);
            }
            left.insert(place, candidate);
        }
    }
    let most = weights.iter().max().unwrap();
    let scaled: Vec<Rational> = weights.iter().map(|w| Rational::from(w / most)).collect();
    let mut law = vec![Rational::new(); weights.len()];
    walk(
        &mut (0..weights.len()).collect(),
        &Rational::from(1),
        &scaled,
        &mut law,
    );
    law
}

/// Random scores of two to four candidates, exact weights 3^{k/2}, where a record changes the log-odds by at most log 9 over the whole way.
#[test]
fn no_instance_is_above_the_profiles() {
    let one = Selection::new(log(9)).profile().unwrap();
    let noisy = NoisyMax::new(log(9)).profile().unwrap();
    let mut state = 7;
    let mut largest = [0.0f64; 2];
    for _ in 0..400 {
        let count = 2 + next(&mut state, 3) as usize;
        let weight = |k: u64| Rational::from(3u64.pow(k as u32));
        let scores: Vec<u64> = (0..count).map(|_| next(&mut state, 5)).collect();
        // Each score moves by at most one step of log 3 either way.
        let moved: Vec<u64> = scores.iter().map(|s| s + next(&mut state, 3)).collect();
        let before: Vec<Rational> = scores.iter().map(|s| weight(s + 1)).collect();
        let after: Vec<Rational> = moved.iter().map(|s| weight(*s)).collect();
        for n in 1..30i64 {
            let u = q(n * n, 60);
            let laws = [
                (shares(&before), shares(&after), &one),
                (permute_and_flip(&before), permute_and_flip(&after), &noisy),
            ];
            for (place, (p, with, profile)) in laws.iter().enumerate() {
                let truth = advantage(p, with, &u);
                let bound = delta(&***profile, &u);
                assert!(at_most(&truth, &bound), "{scores:?} {moved:?} {u}");
                let ratio = truth.to_f64() / bound.lo().to_f64().max(1e-12);
                largest[place] = largest[place].max(ratio);
            }
        }
    }
    // Two candidates come near.
    assert!(largest.iter().all(|ratio| *ratio > 0.98), "{largest:?}");
}

/// Two candidates attain each test of one run: the best odds at each u reach the profile.
#[test]
fn two_candidates_attain_one_run() {
    let (odds, half) = (q(9, 1), q(1, 2));
    let one = Selection::new(log(9)).profile().unwrap();
    let noisy = NoisyMax::new(log(9)).profile().unwrap();
    for n in 2..50i64 {
        let u = q(n * n, 64);
        let mut best = [Rational::new(), Rational::new()];
        for k in 1..1000i64 {
            let p = q(k, 1000);
            let odd = Rational::from(&p * &odds);
            let with = &odd / (Rational::from(1 - &p) + &odd);
            let flipped = match (Rational::from(&p * &odds) <= half, p <= half) {
                (true, _) => Rational::from(&p * &odds),
                (false, true) => 1 - (Rational::from(&p * &odds) * 4u32).recip(),
                (false, false) => 1 - Rational::from(1 - &p) / &odds,
            };
            for (best, with) in best.iter_mut().zip([with, flipped]) {
                let pair = |x: Rational| [x.clone(), 1 - x];
                let found = advantage(&pair(p.clone()), &pair(with), &u);
                if found > *best {
                    *best = found;
                }
            }
        }
        for (best, profile) in best.iter().zip([&one, &noisy]) {
            let bound = delta(&**profile, &u);
            assert!(at_most(best, &bound), "{u}");
            let gap = bound.hi().to_f64() - best.to_f64();
            assert!(gap < 3e-5, "{u}: {gap}");
        }
    }
}

/// The best of two adaptive runs, each outcome of the first followed by the worst two candidates: by steps of the odds, exactly.
fn two_runs(odds: &Rational, u: &Rational, grid: i64) -> Rational {
    let one = |u: &Rational| -> Rational {
        let pairs = (0..=grid).map(|k| {
            let p = q(k, grid);
            let odd = Rational::from(&p * odds);
            let with = &odd / (Rational::from(1 - &p) + &odd);
            advantage(&[p.clone(), 1 - p], &[with.clone(), 1 - with], u)
        });
        pairs.max().unwrap()
    };
    let first = (1..grid).map(|k| {
        let p = q(k, grid);
        let odd = Rational::from(&p * odds);
        let with = &odd / (Rational::from(1 - &p) + &odd);
        let (rest, rest_with) = (Rational::from(1 - &p), Rational::from(1 - &with));
        // Q-mass times δ at u·p/q.
        let follow = |p: &Rational, with: &Rational| with * one(&(Rational::from(u * p) / with));
        follow(&p, &with) + follow(&rest, &rest_with)
    });
    first.max().unwrap()
}

/// Adaptive adversaries by enumeration: none is above two runs, the best is near; nor above the table, and the lower table is not above the upper.
#[test]
fn adaptive_adversaries_by_enumeration() {
    let odds = q(4, 1);
    let run = Selection::new(log(4));
    let two = run.twice().profile().unwrap();
    let table = adaptive::upper(&log(4), 2).unwrap();
    let below = adaptive::lower(&log(4), 2).unwrap();
    let logistic = run.profile().unwrap();
    for (n, d) in [
        (1, 12),
        (1, 4),
        (1, 2),
        (9, 10),
        (1, 1),
        (3, 2),
        (2, 1),
        (3, 1),
        (6, 1),
        (12, 1),
    ] {
        let u = q(n, d);
        let found = two_runs(&odds, &u, 48);
        let bound = delta(&*two, &u);
        assert!(at_most(&found, &bound), "{u}: {found} {bound:?}");
        let gap = bound.hi().to_f64() - found.to_f64();
        assert!(gap < 2e-3, "{u}: {gap}");
        let (above, below) = (delta(&table, &u), delta(&below, &u));
        assert!(above.hi() >= bound.lo(), "{u}");
        assert!(below.lo() <= bound.hi(), "{u}");
        let width = above.hi().to_f64() - below.lo().to_f64();
        assert!((0.0..2e-6).contains(&width), "{u}: {width:e}");
        // Two copies of the logistic pair are above: more than the best of one.
        assert!(delta(&*logistic, &u).lo() <= above.hi());
    }
}

/// No bound of a table ends before the largest loss, and none is 0 there: the last places of many runs have equal bounds.
#[test]
fn tables_reach_the_largest_loss() {
    for (epsilon, runs) in [(q(1, 2), 40u64), (q(1, 2), 21), (q(1, 4), 100)] {
        let above = adaptive::upper(&epsilon.clone().into(), runs).unwrap();
        let largest: Rational = &epsilon * Rational::from(runs);
        let LossBound::Finite { value, .. } = above.max_loss(64) else {
            panic!("finite");
        };
        assert!(*value.hi() >= largest, "{epsilon} {runs} {value:?}");
        let near = Rational::from(&largest - &epsilon);
        let delta = above.at(&Point::at_epsilon(&near, 120)).delta;
        assert!(*delta.hi() > 0, "{epsilon} {runs} {delta:?}");
    }
}

/// The tables enclose each other and the members for more runs; the truth of ten runs at ε = 1/2.
#[test]
fn tables_enclose_members() {
    let all = [
        (q(1, 2), 3u64),
        (q(1, 2), 10),
        (q(3, 1), 4),
        (q(1, 50), 7),
        (q(1, 2), 40),
    ];
    for (epsilon, runs) in all.into_iter().step_by(crate::test_scale::every(4)) {
        let epsilon = Epsilon::from(epsilon);
        let above = adaptive::upper(&epsilon, runs).unwrap();
        let below = adaptive::lower(&epsilon, runs).unwrap();
        let budget = crate::kernel::Budget::unlimited();
        let profiles: Vec<Arc<dyn Profile>> = two_candidates(&epsilon, runs)
            .iter()
            .map(
                |member| match crate::composition::parts::resolve(member, &budget).unwrap() {
                    crate::composition::parts::Composition::Closed(part) => part.profile,
                    _ => panic!("closed"),
                },
            )
            .collect();
        let LossBound::Finite { value, .. } = above.max_loss(64) else {
            panic!("finite");
        };
        let end = value.hi().to_f64();
        for k in (-20..=20i64).step_by(crate::test_scale::every(8)) {
            let x = Rational::from_f64(end * k as f64 / 20.5).unwrap();
            let point = Point::at_epsilon(&x, 120);
            let (high, low) = (above.at(&point), below.at(&point));
            assert!(low.delta.lo() <= high.delta.hi(), "{epsilon} {runs} {x}");
            for member in &profiles {
                assert!(
                    member.at(&point).delta.lo() <= high.delta.hi(),
                    "{epsilon} {runs} {x}"
                );
            }
            let gap = high.delta.hi().to_f64() - low.delta.lo().to_f64();
            assert!(gap < 2e-4, "{epsilon} {runs} {x}: {gap:e}");
        }
    }
}

/// Largest Rényi divergences against a search over all odds of two candidates, in floats, and against random instances.
#[test]
fn renyi_divergences_of_the_worst_dataset() {
    let epsilon = q(3, 2);
    let (b, top) = ((-1.5f64).exp(), 1.5f64.exp());
    for order in [
        q(1, 10),
        q(1, 2),
        q(99, 100),
        q(1, 1),
        q(1001, 1000),
        q(2, 1),
        q(7, 2),
        q(40, 1),
        q(1000, 1),
    ] {
        let a = order.to_f64();
        let found = renyi(&epsilon.clone().into(), &order, 100);
        assert!(found.width_up() < 1e-25, "{order}: {found:?}");
        let mut best = 0.0f64;
        for k in 1..20_000 {
            let x = 1.0 + (top - 1.0) * f64::from(k) / 20_000.0;
            let p = (1.0 - x * b) / (x - x * b);
            let value = if order == 1 {
                p * x * x.ln() + (1.0 - p) * x * b * (x * b).ln()
            } else {
                let y = a * x.ln();
                // In logarithms, since 1000·1.5 is too much for e^.
                let (one, two) = (p.ln() + y, (1.0 - p).ln() + y - 1.5 * a);
                (one.max(two) + (-(one - two).abs()).exp().ln_1p()) / (a - 1.0)
            };
            best = best.max(value);
        }
        assert!(
            (found.middle().to_f64() - best).abs() < 1e-6,
            "{order}: {found:?} {best}"
        );
    }
    // n-071: the largest over datasets, below that of the pair, 0.30899…
    let two = renyi(&q(1, 1).into(), &q(2, 1), 100).middle().to_f64();
    assert!((two - 0.240_229_013_916_555).abs() < 1e-12);
}

/// The μ of one run is that of the fixed point, and no other point of the curve asks for more.
#[test]
fn strict_gaussian_dp_of_one_run() {
    for (number, epsilon) in [q(1, 10), q(1, 1), q(5, 1)].into_iter().enumerate() {
        let e = epsilon.to_f64();
        let run = Selection::new(epsilon.clone().into());
        let mu = run.strict_mu(120).unwrap();
        let noisy = NoisyMax::new(epsilon.into());
        let both = [
            (
                mu,
                &(|a: f64| 1.0 / (1.0 + e.exp() * a / (1.0 - a))) as &dyn Fn(f64) -> f64,
            ),
            (noisy.strict_mu(120).unwrap(), &|a: f64| {
                let p = a * e.exp();
                if p <= 0.5 {
                    1.0 - p
                } else if a <= 0.5 {
                    (-e).exp() / (4.0 * a)
                } else {
                    (1.0 - a) * (-e).exp()
                }
            }),
        ];
        for (place, (mu, curve)) in both.into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 4) {
                continue;
            }
            let mut most = 0.0f64;
            for k in 1..4000 {
                let a = f64::from(k) / 4000.0;
                let level = |x: f64| Interval::from_rational(&Rational::from_f64(x).unwrap(), 90);
                let quantile = |x: f64| normal::survival_inverse(&level(x)).middle().to_f64();
                most = most.max(quantile(a) + quantile(curve(a)));
            }
            let mu = mu.middle().to_f64();
            assert!(most <= mu + 1e-9 && most > mu - 1e-5, "{e}: {most} {mu}");
        }
    }
}

#[test]
fn permute_and_flip_has_the_profile_of_laplace_noise() {
    let noisy = NoisyMax::new(q(3, 2).into()).profile().unwrap();
    let laplace = Laplace::new(q(3, 2));
    for k in -30..=30i64 {
        let point = Point::at_epsilon(&q(k, 16), 100);
        let (a, b) = (noisy.at(&point), laplace.at(&point));
        assert!(coarse::surrounds(&a.delta, &b.delta) && a.delta.width_up() < 1e-28);
        assert!(coarse::surrounds(&a.null_tail, &b.null_tail), "{k}");
        assert_eq!(noisy.exact_delta(&point), laplace.exact_delta(&point));
    }
}

#[test]
fn coarse_numbers_enclose_finer_ones() {
    let run = Selection::new(q(3, 2).into());
    let all: [Arc<dyn Profile>; 5] = [
        run.profile().unwrap(),
        run.twice().profile().unwrap(),
        NoisyMax::new(q(3, 2).into()).profile().unwrap(),
        run.upper(3).unwrap(),
        AdaptiveSelections::new(vec![(q(3, 2).into(), 3)])
            .profile()
            .unwrap(),
    ];
    for profile in &all {
        for bits in [8, 12, 16] {
            for place in [
                Place::Epsilon(q(1, 7)),
                Place::Epsilon(q(-3, 4)),
                Place::Epsilon(q(3, 2)),
                Place::ExpEpsilon(q(9, 4)),
                Place::NearEpsilon(q(-1, 3)),
                Place::NearEpsilon(q(7, 1)),
            ] {
                assert_eq!(
                    coarse::profile_holds(&**profile, &place, bits, true),
                    Ok(())
                );
            }
            assert_eq!(coarse::ends_hold(&**profile, bits), Ok(()));
        }
    }
}

/// Slopes support, and both orders of the pair agree.
#[test]
fn slopes_support_and_orders_agree() {
    let run = Selection::new(q(3, 2).into());
    let all = [
        run.profile().unwrap(),
        run.twice().profile().unwrap(),
        run.upper(3).unwrap(),
        AdaptiveSelections::new(vec![(q(3, 2).into(), 3)])
            .profile()
            .unwrap(),
        NoisyMax::new(q(3, 2).into()).profile().unwrap(),
    ];
    for profile in &all {
        for n in 1..40i64 {
            let u = q(n * n, 100);
            let here = profile.at(&Point::at_exp_epsilon(&u, 120));
            let mirror = profile
                .at(&Point::at_exp_epsilon(&u.clone().recip(), 120))
                .delta;
            let number = Interval::from_rational(&u, 120);
            let swapped = number.one_minus().add(&number.mul(&mirror));
            assert!(coarse::surrounds(&swapped, &here.delta), "{u}");
            for v in [q(1, 50), q(1, 2), q(1, 1), q(5, 2), q(9, 1)] {
                let there = delta(&**profile, &v);
                let step = Interval::from_rational(&Rational::from(&v - &u), 120);
                let line = here.delta.sub(&here.null_tail.mul(&step));
                assert!(there.hi() >= line.lo(), "{u} {v}");
            }
        }
    }
}

/// A composition is a bound with members; two runs alone are exact; what follows is counted in single runs.
#[test]
fn normal_forms() {
    let one = Mechanism::exponential(1).unwrap();
    assert!(!one.steps().is_bound());
    let composed = |of: &[(&Mechanism, u64)]| {
        Mechanism::compose(
            of.iter()
                .map(|(one, times)| ((*one).clone(), *times))
                .collect(),
        )
        .unwrap()
    };
    let two = composed(&[(&one, 2)]);
    assert!(!two.steps().is_bound());
    assert_eq!(two.steps().runs(), 1);
    let three = composed(&[(&one, 3)]);
    assert!(three.steps().is_bound());
    for same in [
        composed(&[(&two, 1), (&one, 1)]),
        composed(&[(&one, 1), (&two, 1)]),
        composed(&[(&three, 1)]),
    ] {
        assert_eq!(same.steps().list(), three.steps().list());
        assert_eq!(same.steps(), three.steps());
    }
    let six = composed(&[(&three, 2)]);
    assert_eq!(six.steps(), composed(&[(&two, 3)]).steps());
    // Members of a composition are attained: nothing in them is the largest of many.
    let gaussian = Mechanism::gaussian(1, 1).unwrap();
    let mixed = composed(&[(&three, 2), (&gaussian, 1)]);
    assert!(mixed.steps().is_bound());
    let is_largest = |step: &Step| matches!(step, Step::Closed(_));
    for member in mixed.steps().members() {
        assert!(!member.any(&is_largest));
        assert_eq!(member.mu_squared(), 1);
        assert_eq!(member.runs(), 7);
    }
    let sampled = Mechanism::subsampled("1/10", one.clone()).unwrap();
    assert!(!sampled.steps().is_bound());
    let sampled = composed(&[(&sampled, 5)]);
    assert!(sampled.steps().is_bound());
    for member in sampled.steps().members() {
        assert!(!member.any(&is_largest));
    }
    let flip = Mechanism::permute_and_flip(1).unwrap();
    assert!(!flip.steps().is_bound());
    assert!(composed(&[(&flip, 2)]).steps().is_bound());
    assert!(composed(&[(&flip, 1), (&one, 1)]).steps().is_bound());
    // The best k are at most k runs.
    let top = Mechanism::top_k(1, 5).unwrap();
    assert!(top.steps().is_bound());
    for member in top.steps().members() {
        assert!(member.runs() == 5 && !member.any(&is_largest));
    }
    for member in composed(&[(&top, 4)]).steps().members() {
        assert_eq!(member.runs(), 20);
    }
    assert_eq!(composed(&[(&top, 1)]).steps(), top.steps());
    // A group moves the scores as many times as far.
    let group = Mechanism::group(3, one.clone()).unwrap();
    assert_eq!(group.steps(), Mechanism::exponential(3).unwrap().steps());
    assert_eq!(
        Mechanism::group(3, three).unwrap().steps(),
        composed(&[(&Mechanism::exponential(3).unwrap(), 3)]).steps()
    );
    assert!(Mechanism::group(3, top).is_err());
    assert!(!Mechanism::exponential(0).unwrap().steps().is_bound());
}
