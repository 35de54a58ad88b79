//! Replaced records on a Poisson sample.

use rug::Rational;

use crate::kernel::{Point, Profile};
use crate::mechanism::kind::{DiscreteLaplace, Sensitivity};
use crate::mechanism::{Mechanism, Relation, Step, Steps};
use crate::test_scale::cases;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn replaced(rate: &Rational, of: Mechanism) -> Steps {
    let sampled = Mechanism::subsampled(rate.clone(), of).unwrap();
    let sampled = sampled.under(Relation::ReplaceOne).unwrap();
    sampled.steps().clone()
}

fn only(steps: &Steps) -> &Step {
    match steps.list() {
        [(step, 1)] => step,
        other => panic!("{other:?}"),
    }
}

fn profile(steps: &Steps) -> std::sync::Arc<dyn Profile> {
    only(steps).profile().unwrap()
}

type Law = Vec<Rational>;

/// sup_A Q(A) − u·P(A).
fn delta(u: &Rational, p: &[Rational], with: &[Rational]) -> Rational {
    let pairs = p.iter().zip(with);
    let gains = pairs.map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

fn exact(profile: &dyn Profile, u: &Rational) -> Rational {
    let point = Point::at_exp_epsilon(u, 100);
    profile.exact_delta(&point).unwrap()
}

/// Numbers from a list, in turn.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// A law of so many outcomes, some of them impossible.
    fn law(&mut self, outcomes: usize) -> Law {
        let mut weights: Vec<u64> = (0..outcomes).map(|_| self.below(5)).collect();
        weights[0] += 1;
        let total: u64 = weights.iter().sum();
        let share = |weight| Rational::from((weight, total));
        weights.into_iter().map(share).collect()
    }
}

/// (1 − q)·M₀ + q·M₁.
fn sampled(rate: &Rational, without: &[Rational], with: &[Rational]) -> Law {
    let rest = Rational::from(1 - rate);
    let both = without.iter().zip(with);
    both.map(|(a, b)| Rational::from(a * &rest) + Rational::from(b * rate))
        .collect()
}

const LEVELS: [(i64, i64); 9] = [
    (1, 9),
    (1, 3),
    (3, 4),
    (1, 1),
    (9, 8),
    (3, 2),
    (2, 1),
    (4, 1),
    (20, 1),
];

/// Whatever runs without the record, and where it shows itself the bound is attained.
#[test]
fn all_that_may_run_without_the_record() {
    let mut numbers = Numbers(1);
    let mut strict = 0;
    for _ in 0..cases(500) {
        let outcomes = 2 + usize::try_from(numbers.below(3)).unwrap();
        let (one, other) = (numbers.law(outcomes), numbers.law(outcomes));
        let rate = Rational::from((1 + numbers.below(5), 6u32));
        let steps = replaced(
            &rate,
            Mechanism::finite(one.clone(), other.clone()).unwrap(),
        );
        let most = profile(&steps);
        let apart = |law: &Law| -> Law {
            let nothing = std::iter::once(Rational::new());
            law.iter().cloned().chain(nothing).collect()
        };
        let mut alone = vec![Rational::new(); outcomes];
        alone.push(Rational::from(1));
        for level in LEVELS {
            let u = Rational::from(level);
            let bound = exact(&*most, &u);
            let of = |without: &[Rational]| {
                let (p, with) = (
                    sampled(&rate, without, &apart(&one)),
                    sampled(&rate, without, &apart(&other)),
                );
                delta(&u, &p, &with)
            };
            // Each law, each of the two, none of them.
            for without in [apart(&numbers.law(outcomes)), apart(&one), apart(&other)] {
                let truth = of(&without);
                assert!(truth <= bound, "{u}: {truth} > {bound}");
                strict += usize::from(truth < bound);
            }
            assert_eq!(of(&alone), bound, "{u}");
            for member in steps.members() {
                assert_eq!(exact(&*profile(member), &u), of(&apart(&one)), "{u}");
            }
        }
    }
    assert!(strict > 1000);
}

/// Two steps of which the second has a law without the record that depends on the first answer.
#[test]
fn adaptive_compositions_stay_below() {
    let mut numbers = Numbers(7);
    for _ in 0..cases(500) {
        let (one, other) = (numbers.law(3), numbers.law(3));
        let rate = Rational::from((1 + numbers.below(4), 5u32));
        let open = |law: &Law| -> Law {
            let rest = std::iter::once(Rational::from(1 - &rate));
            law.iter()
                .map(|p| Rational::from(p * &rate))
                .chain(rest)
                .collect()
        };
        let product = |first: &Law, second: &dyn Fn(usize) -> Law| -> Law {
            let all = first.iter().enumerate().flat_map(|(answer, a)| {
                let second = second(answer);
                second.into_iter().map(move |b| b * a)
            });
            all.collect()
        };
        let (p, with) = (open(&one), open(&other));
        let bound = (
            product(&p, &|_| p.clone()),
            product(&with, &|_| with.clone()),
        );
        let first = numbers.law(3);
        let later: Vec<Law> = (0..3).map(|_| numbers.law(3)).collect();
        let run = |law: &Law| {
            product(&sampled(&rate, &first, law), &|answer| {
                sampled(&rate, &later[answer], law)
            })
        };
        let truth = (run(&one), run(&other));
        for level in LEVELS {
            let u = Rational::from(level);
            assert!(
                delta(&u, &truth.0, &truth.1) <= delta(&u, &bound.0, &bound.1),
                "{u}"
            );
        }
    }
}

/// ∫∫ (Q − u·P)⁺ over two cells, on a grid.
fn on_a_grid(u: f64, rate: f64, density: impl Fn(f64) -> f64, reach: f64) -> f64 {
    let steps = 500u32;
    let width = (2.0 * reach + 1.0) / f64::from(steps);
    let at = |i: u32| (f64::from(i) + 0.5) * width - reach;
    let places = |shift: f64| {
        (0..steps)
            .map(|i| density(at(i) - shift))
            .collect::<Vec<_>>()
    };
    let (still, moved) = (places(0.0), places(1.0));
    let mut sum = 0.0;
    for (x0, x1) in still.iter().zip(&moved) {
        for (y0, y1) in still.iter().zip(&moved) {
            let none = (1.0 - rate) * x0 * y0;
            let gain = none + rate * x0 * y1 - u * (none + rate * x1 * y0);
            sum += gain.max(0.0);
        }
    }
    sum * width * width
}

fn value(steps: &Steps, u: &Rational) -> f64 {
    let knot = profile(steps).at(&Point::at_exp_epsilon(u, 100));
    knot.delta.lo().to_f64()
}

/// A histogram of two cells, in which a record moves from one to the other.
#[test]
fn two_cells_of_a_histogram() {
    for (rate, scale) in [(q(1, 10), q(1, 1)), (q(1, 2), q(3, 2)), (q(9, 10), q(1, 1))] {
        let (sigma, share) = (scale.to_f64(), rate.to_f64());
        let gaussian = Mechanism::gaussian_sum(scale.clone(), q(1, 1)).unwrap();
        let laplace = Mechanism::laplace_sum(scale.clone(), q(1, 1)).unwrap();
        let normal = |x: f64| {
            (-x * x / (2.0 * sigma * sigma)).exp() / (sigma * std::f64::consts::TAU.sqrt())
        };
        let double = |x: f64| (-x.abs() / sigma).exp() / (2.0 * sigma);
        for (of, density, reach, error) in [
            (gaussian, &normal as &dyn Fn(f64) -> f64, 8.0 * sigma, 1e-4),
            (laplace, &double, 16.0 * sigma, 1e-3),
        ] {
            let steps = replaced(&rate, Mechanism::histogram(of).unwrap());
            assert!(steps.is_bound());
            let mut apart = 0.0f64;
            for u in [q(1, 2), q(1, 1), q(6, 5), q(2, 1), q(5, 1)] {
                let truth = on_a_grid(u.to_f64(), share, density, reach);
                let most = value(&steps.most(), &u);
                assert!(truth <= most + error, "{u}: {truth} > {most}");
                apart = apart.max(most - truth);
                for member in steps.members() {
                    let least = value(member, &u);
                    assert!(least <= truth + error, "{u}: {least} > {truth}");
                }
            }
            // The bound is of a shift by 2, the cells are √2 apart, or reveal two losses.
            assert!(apart > error, "{rate}");
        }
    }
}

/// Two-sided geometric noise in two cells, by all outcomes: at 4 and beyond, and at −4 and below, the losses of a cell are the same.
#[test]
fn two_cells_of_counts() {
    const END: i64 = 4;
    let ratio = q(1, 2);
    // e^{−1/scale} of this scale is next to the ratio, and on the safe side of what is compared.
    let scale = q(1_442_695_040_888_963_407, 1_000_000_000_000_000_000);
    let law = |shift: i64| -> Law {
        let outside = |far: i64| power(&ratio, far) / (Rational::from(&ratio + 1u32));
        (-END..=END)
            .map(|k| match k.abs() {
                END if k < 0 => outside(END + shift),
                END => outside(END - shift),
                _ => {
                    let inside = Rational::from(1 - &ratio) / Rational::from(&ratio + 1u32);
                    inside * power(&ratio, (k - shift).abs())
                }
            })
            .collect()
    };
    let pairs = |a: &Law, b: &Law| -> Law {
        let all = a
            .iter()
            .flat_map(|x| b.iter().map(move |y| Rational::from(x * y)));
        all.collect()
    };
    let (still, moved) = (law(0), law(1));
    let total: Rational = moved.iter().sum();
    assert_eq!(total, 1);
    for rate in [q(1, 10), q(1, 2), q(9, 10)] {
        let bound = Sensitivity::RecordBound(1);
        let of = Mechanism::new(DiscreteLaplace::new(scale.clone(), bound).unwrap()).unwrap();
        let steps = replaced(&rate, Mechanism::histogram(of).unwrap());
        let none = pairs(&still, &still);
        let (one, other) = (pairs(&moved, &still), pairs(&still, &moved));
        let (p, with) = (sampled(&rate, &none, &one), sampled(&rate, &none, &other));
        let mut apart = 0.0f64;
        for u in LEVELS.map(Rational::from) {
            let truth = delta(&u, &p, &with).to_f64();
            let most = value(&steps.most(), &u);
            assert!(truth <= most + 1e-12, "{u}: {truth} > {most}");
            apart = apart.max(most - truth);
            for member in steps.members() {
                assert!(value(member, &u) <= truth + 1e-12, "{u}");
            }
        }
        assert!(apart > 1e-3, "{rate}");
    }
}

fn power(x: &Rational, times: i64) -> Rational {
    (0..times).fold(q(1, 1), |product, _| product * x)
}

/// A label, or a sample of a sample, is treated as what it is.
#[test]
fn mixtures_and_samples_on_a_sample() {
    let (third, rate) = (q(1, 3), q(1, 5));
    let gaussian = Mechanism::gaussian_sum(q(2, 1), q(1, 1)).unwrap();
    let laplace = Mechanism::laplace_sum(q(2, 1), q(1, 1)).unwrap();
    let sampled = |rate: &Rational, of: &Mechanism| Mechanism::subsampled(rate.clone(), of.clone());
    let mixture = |a: Mechanism, b: Mechanism| {
        Mechanism::mixture(vec![(third.clone(), a), (q(2, 3), b)]).unwrap()
    };
    let inside = sampled(&rate, &mixture(gaussian.clone(), laplace.clone())).unwrap();
    let outside = mixture(
        sampled(&rate, &gaussian).unwrap(),
        sampled(&rate, &laplace).unwrap(),
    );
    let steps = |of: Mechanism| of.under(Relation::ReplaceOne).unwrap().steps().clone();
    assert!(!steps(inside.clone()).is_bound());
    assert_eq!(steps(inside), steps(outside));
    let histogram = Mechanism::histogram(gaussian).unwrap();
    let twice = sampled(&third, &sampled(&rate, &histogram).unwrap()).unwrap();
    assert_eq!(steps(twice), replaced(&q(1, 15), histogram));
}

/// Kinds without a pair for one more record of their own.
#[test]
fn kinds_with_a_bound_on_a_sample() {
    let rate = q(1, 4);
    for of in [
        Mechanism::randomized_response(q(1, 1), 4).unwrap(),
        Mechanism::pure_dp(q(1, 1)).unwrap(),
        Mechanism::approx_dp(q(1, 1), q(1, 100)).unwrap(),
        Mechanism::gdp(q(1, 1)).unwrap(),
        Mechanism::zcdp(q(1, 2)).unwrap(),
    ] {
        let words = of.words();
        let one = of.steps().clone();
        let steps = replaced(&rate, of);
        assert!(
            steps.is_bound() && steps.conditions().poisson_sampling,
            "{words}"
        );
        // δ = q·δ of the replaced record, where u ≥ 1.
        for u in [q(1, 1), q(3, 2), q(5, 2)] {
            let quarter = value(&one, &u) / 4.0;
            let most = value(&steps.most(), &u);
            assert!(
                (most - quarter).abs() < 1e-12,
                "{words} {u}: {most} {quarter}"
            );
            for member in steps.members() {
                assert!(value(member, &u) <= most + 1e-12, "{words} {u}");
            }
        }
    }
}

/// Who is told whether the record takes part is told so with the probability of that, and of the rest.
#[test]
fn labels_of_a_sample_in_the_open() {
    let steps = Mechanism::laplace(1, 1).unwrap().steps().clone();
    let rate = Rational::from((1, 4));
    let open = steps.sampled_in_the_open(&rate, &steps);
    let [(Step::Labelled(parts), 1)] = open.list() else {
        panic!("{open:?}");
    };
    let weights: Vec<Rational> = parts.iter().map(|(weight, _)| weight.clone()).collect();
    assert_eq!(weights, [rate.clone(), Rational::from(1 - &rate)]);
}
