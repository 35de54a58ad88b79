//! Normal forms of random allocation, and what is refused.

use rug::Rational;

use crate::kernel::Point;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::allocation::finite;
use crate::mechanism::steps::Step;
use crate::mechanism::{Epsilon, Mechanism, Steps, Why};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn response(odds: i64) -> Mechanism {
    let epsilon = Epsilon::log_of(q(odds, 1)).unwrap();
    Mechanism::randomized_response(epsilon, 2).unwrap()
}

fn gaussian() -> Mechanism {
    Mechanism::gaussian_sum(1, 1).unwrap()
}

#[test]
fn finite_pairs_are_exact() {
    let at = |steps, selected, odds, swap: bool| {
        let all = Mechanism::random_allocation(steps, selected, 1, response(odds)).unwrap();
        let profile = all.profile_of_step().unwrap();
        let profile = if swap { profile.swapped() } else { profile };
        profile.exact_delta(&Point::at_exp_epsilon(&q(3, 2), 100))
    };
    assert_eq!(at(10, 1, 9, false), Some(q(711_943_423, 4_000_000_000)));
    assert_eq!(at(6, 2, 4, true), Some(q(256, 625)));
}

/// Who draws the steps, and how, is assumed wherever steps are drawn, also where no more is proved than of all that are.
#[test]
fn what_is_assumed_of_the_draw() {
    for (steps, selected, relation) in [
        (5, 3, Relation::Presence),
        (6, 2, Relation::Presence),
        (6, 1, Relation::Presence),
        (5, 3, Relation::ReplaceOne),
        (5, 5, Relation::Presence),
    ] {
        let all = Mechanism::random_allocation(steps, selected, 2, gaussian()).unwrap();
        let conditions = all.under(relation).unwrap().steps().conditions();
        assert_eq!(
            conditions.random_allocation,
            selected < steps,
            "{selected} of {steps}"
        );
        assert!(conditions.real_noise);
    }
}

#[test]
fn all_steps_or_one_are_no_allocation() {
    let of = |steps, selected, epochs| {
        Mechanism::random_allocation(steps, selected, epochs, gaussian()).unwrap()
    };
    let repeated = |all: &Mechanism| {
        all.steps()
            .repeated()
            .map(|(step, times)| (step.clone(), times))
    };
    let one = Step::Gaussian {
        mu_squared: q(1, 1),
    };
    assert_eq!(repeated(&of(1, 1, 3)), Some((one.clone(), 3)));
    assert_eq!(repeated(&of(5, 5, 3)), Some((one, 15)));
    let replaced = of(5, 5, 3).under(Relation::ReplaceOne).unwrap();
    let twice = Step::Gaussian {
        mu_squared: q(4, 1),
    };
    assert_eq!(repeated(&replaced), Some((twice, 15)));
    assert!(!replaced.steps().is_bound());
    let (pair, times) = repeated(&of(5, 1, 7)).unwrap();
    assert!(matches!(pair, Step::Closed(_)) && times == 7);
    assert_eq!(of(5, 1, 7).steps(), of(5, 1, 7).steps());
    assert_ne!(of(5, 1, 7).steps(), of(6, 1, 7).steps());
}

/// Between a composition of blocks, and one step or the sum of all outputs.
#[test]
fn several_steps_of_noise_are_bounded() {
    let all = Mechanism::random_allocation(10, 3, 2, gaussian()).unwrap();
    assert!(all.steps().is_bound());
    assert_eq!(all.steps().members().len(), 4);
    let sum = Step::Gaussian {
        mu_squared: q(9, 10),
    };
    let has_sum = |steps: &Steps| steps.list().contains(&(sum.clone(), 2));
    assert!(all.steps().members().iter().any(has_sum));
    assert_eq!(
        all.steps().most().repeated().map(|(_, times)| times),
        Some(6)
    );
}

/// k of t steps are composed of k blocks of ⌊t/k⌋ steps, not of t steps.
#[test]
fn a_block_is_a_kth_of_the_steps() {
    for (steps, selected, block) in [(10, 3, 3), (12, 3, 4), (11, 2, 5)] {
        let all = Mechanism::random_allocation(steps, selected, 1, gaussian()).unwrap();
        let one = Mechanism::random_allocation(block, 1, 1, gaussian()).unwrap();
        let blocks = Steps::composed([(one.steps(), selected)]).unwrap();
        assert_eq!(all.steps().most(), blocks);
    }
}

/// The exact pair of 2 of 6 steps is nowhere above two blocks of 3 steps, in either order, and is above two of 6.
#[test]
fn blocks_of_all_steps_would_be_no_bound() {
    let (p, with) = ([q(4, 5), q(1, 5)], [q(1, 5), q(4, 5)]);
    let pair = |steps, selected| finite::pair(&p, &with, steps, selected).unwrap();
    let twice = |(p, q): (Vec<Rational>, Vec<Rational>)| {
        let product = |x: &[Rational]| -> Vec<Rational> {
            let all = x
                .iter()
                .flat_map(|a| x.iter().map(move |b| Rational::from(a * b)));
            all.collect()
        };
        (product(&p), product(&q))
    };
    let (exact, right, wrong) = (pair(6, 2), twice(pair(3, 1)), twice(pair(6, 1)));
    let delta = |p: &[Rational], q: &[Rational], u: &Rational| -> Rational {
        let gains = p.iter().zip(q).map(|(p, q)| q - Rational::from(p * u));
        gains.filter(|gain| *gain > 0).sum()
    };
    let both =
        |(p, q): &(Vec<Rational>, Vec<Rational>), u: &Rational| [delta(p, q, u), delta(q, p, u)];
    let mut is_exceeded = [false; 2];
    for part in 1..40 {
        let u = q(part, 8);
        let (exact, right, wrong) = (both(&exact, &u), both(&right, &u), both(&wrong, &u));
        assert!(exact[0] <= right[0] && exact[1] <= right[1], "{u}");
        is_exceeded = [0, 1].map(|order| is_exceeded[order] || exact[order] > wrong[order]);
    }
    assert_eq!(is_exceeded, [true, true]);
}

#[test]
fn what_is_not_known_is_refused() {
    let laplace = Mechanism::laplace_sum(1, 1).unwrap();
    let other = Mechanism::random_allocation(10, 1, 1, laplace).unwrap();
    let error = other.under(Relation::ReplaceOne).unwrap_err();
    assert_eq!(error.why(), Why::Unsupported);
    let all = Mechanism::random_allocation(10, 1, 1, gaussian()).unwrap();
    assert!(all.under(Relation::ReplaceSpecial).is_ok());
    for of in [
        Mechanism::zcdp(1).unwrap(),
        all.clone(),
        Mechanism::subsampled("1/2", gaussian()).unwrap(),
    ] {
        let error = Mechanism::random_allocation(10, 1, 1, of).unwrap_err();
        assert!(error.why() == Why::Unsupported && error.parameter() == "of");
    }
    for (steps, selected, epochs) in [(0, 1, 1), (3, 0, 1), (3, 4, 1), (3, 1, 0)] {
        assert!(Mechanism::random_allocation(steps, selected, epochs, gaussian()).is_err());
    }
}

fn delta(of: &Steps, epsilon: &Rational) -> (f64, f64) {
    let profile = of.single().unwrap().profile().unwrap();
    let delta = profile.at(&Point::at_epsilon(epsilon, 100)).delta;
    (delta.lo().to_f64(), delta.hi().to_f64())
}

/// Two steps with σ = 1, of which one has the record or the one in its place: by quadrature in the plane.
#[test]
fn a_replaced_record_is_between_its_bounds() {
    let all = Mechanism::random_allocation(2, 1, 1, gaussian()).unwrap();
    let all = all.under(Relation::ReplaceOne).unwrap();
    let steps = all.steps();
    assert_eq!((steps.members().len(), steps.other_bounds().len()), (4, 1));
    let density = |x: f64, y: f64, moved: f64| {
        let of = |x: f64, y: f64| (-((x - moved).powi(2) + y * y) / 2.0).exp();
        (of(x, y) + of(y, x)) / (4.0 * std::f64::consts::PI)
    };
    for epsilon in [q(-1, 2), q(0, 1), q(1, 2), q(2, 1)] {
        let u = epsilon.to_f64().exp();
        let places = || (-160..=160).map(|k| f64::from(k) * 0.05);
        let gains = places().flat_map(|x| places().map(move |y| (x, y)));
        let gains = gains.map(|(x, y)| (density(x, y, 1.0) - u * density(x, y, -1.0)).max(0.0));
        let truth = gains.sum::<f64>() * 0.0025;
        assert!(delta(&steps.most(), &epsilon).0 >= truth - 1e-4);
        let (_, chained) = delta(&steps.other_bounds()[0], &epsilon);
        assert!(
            (truth - 1e-4..1.4 * truth).contains(&chained),
            "{epsilon}: {chained} {truth}"
        );
        let least: Vec<f64> = steps
            .members()
            .iter()
            .map(|of| delta(of, &epsilon).1)
            .collect();
        assert!(
            least.iter().all(|least| *least <= truth + 1e-4),
            "{least:?} {truth}"
        );
        assert!(
            least.iter().any(|least| *least >= truth / 1.2),
            "{least:?} {truth}"
        );
    }
}

/// Ratios up to e^1250 have no profile of their own, only bounds: δ of one of 9 steps is E(mean of LR − u)⁺, at most that without amplification, and
/// at least that of the largest answer alone, at most 9 times less.
#[test]
fn loud_steps_are_between_their_bounds() {
    for (number, sigma) in ["1/50", "1/11"].into_iter().enumerate() {
        let gaussian = Mechanism::gaussian(sigma, 1).unwrap();
        let loud = Mechanism::random_allocation(9, 1, 1, gaussian).unwrap();
        let steps = loud.steps();
        assert_eq!(steps.members().len(), 2);
        for (place, epsilon) in [q(1, 2), q(20, 1)].into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 4) {
                continue;
            }
            let (_, most) = delta(&steps.most(), &epsilon);
            let least = steps.members().iter().map(|of| delta(of, &epsilon).1);
            let least = least.fold(0.0, f64::max);
            assert!(
                least <= most && least >= most / 9.5,
                "{sigma} {epsilon}: {least} {most}"
            );
        }
    }
}

/// One of two steps with σ = 1/7, by quadrature (mpmath): few cells, and what is below 2^-30 is given up.
#[test]
fn loud_steps_by_quadrature() {
    let loud = Mechanism::random_allocation(2, 1, 1, Mechanism::gaussian("1/7", 1).unwrap());
    let profile = loud.unwrap().profile_of_step().unwrap();
    let swapped = profile.swapped();
    for (profile, truths) in [
        (
            profile,
            vec![
                (1, 0.998_942_82),
                (24, 0.433_332_7),
                (40, 0.007_436_16),
                (60, 6.576_2e-8),
            ],
        ),
        (
            swapped,
            vec![(24, 0.259_342), (40, 1.472_4e-4), (60, 2.776e-14)],
        ),
    ]
    .into_iter()
    .step_by(crate::test_scale::every(2))
    {
        for (epsilon, truth) in truths.into_iter().step_by(crate::test_scale::every(8)) {
            let delta = profile.at(&Point::at_epsilon(&q(epsilon, 1), 64)).delta;
            let (lower, upper) = (delta.lo().to_f64(), delta.hi().to_f64());
            assert!(
                lower <= truth * 1.000_01 && truth * 0.999_99 <= upper,
                "{epsilon}: {lower} {upper}"
            );
            assert!(
                upper - lower <= 0.1 * truth + 1e-8,
                "{epsilon}: {lower} {upper} {truth}"
            );
        }
    }
}

/// Of a pair that is not symmetric, in its order; and a threshold's noise is no less than that of the steps.
#[test]
fn pairs_keep_their_order() {
    let (p, with) = (vec![q(1, 2), q(1, 2)], vec![q(1, 4), q(3, 4)]);
    let of = Mechanism::finite(p.clone(), with.clone()).unwrap();
    let all = super::RandomAllocation::new(3, 1, 1, of.clone()).unwrap();
    let step = of.steps().single().unwrap();
    let u = q(6, 5);
    let delta = |(p, with): (Vec<Rational>, Vec<Rational>)| -> Rational {
        let gains = p.iter().zip(&with);
        let gains = gains.map(|(p, with)| (with - Rational::from(&u * p)).max(q(0, 1)));
        gains.sum()
    };
    let found = delta(all.exact(step).unwrap());
    assert_eq!(found, delta(finite::pair(&p, &with, 3, 1).unwrap()));
    assert_ne!(found, delta(finite::pair(&with, &p, 3, 1).unwrap()));
    for mu_squared in [q(2, 1), q(3, 7), q(1, 5)] {
        let steps = all.largest_answer(&mu_squared);
        let Some(Step::Finite(one)) = steps.single() else {
            panic!("finite");
        };
        let crate::mechanism::step::FiniteLosses::LargestAnswer { sigma, .. } = one.losses() else {
            panic!("the largest answer");
        };
        assert!(sigma.clone().square() * mu_squared >= 4);
    }
}

/// Of the largest answer nothing is moved without the record.
#[test]
fn the_largest_answer_of_an_epoch() {
    use crate::mechanism::step::FiniteLosses;
    let all = super::RandomAllocation {
        steps: 5,
        selected: 1,
        epochs: 1,
        of: gaussian(),
    };
    let found = all.largest_answer(&q(1, 4));
    let expected = FiniteLosses::LargestAnswer {
        sigma: q(4, 1),
        answers: 5,
        without: 0,
    };
    assert_eq!(
        found,
        Steps::one(
            Step::finite(expected),
            crate::mechanism::conditions::Conditions::NONE
        )
    );
}

/// The noise is no less than 2/μ at few bits, and not twice that.
#[test]
fn noise_of_the_largest_answer_at_few_bits() {
    use crate::kernel::coarse::{Random, at_most_bits, few_bits};
    let all = super::RandomAllocation {
        steps: 5,
        selected: 1,
        epochs: 1,
        of: gaussian(),
    };
    let mut random = Random(77);
    for _ in 0..10_000 {
        let mu_squared = Rational::from((1 + random.below(1 << 20), 1 + random.below(1 << 12)));
        let bits = few_bits(&mut random);
        let steps = at_most_bits(bits, || all.largest_answer(&mu_squared));
        let Some(Step::Finite(one)) = steps.single() else {
            panic!("finite");
        };
        let crate::mechanism::step::FiniteLosses::LargestAnswer { sigma, .. } = one.losses() else {
            panic!("the largest answer");
        };
        let square = sigma.clone().square() * &mu_squared;
        assert!((4..=16).contains(&square), "{mu_squared} {bits}: {sigma}");
    }
}
