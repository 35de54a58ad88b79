//! Normal forms.

use super::super::Mechanism;
use super::*;

fn q(n: u32, d: u32) -> Rational {
    Rational::from((n, d))
}

fn gaussian(sigma: u32) -> Mechanism {
    Mechanism::gaussian(sigma, 1).unwrap()
}

#[test]
fn nested_compositions_multiply_and_equal_steps_are_counted() {
    let inner = Mechanism::compose(vec![(gaussian(1), 2), (gaussian(2), 1)]).unwrap();
    let double = Mechanism::gaussian(2, 2).unwrap();
    let outer = Mechanism::compose(vec![(inner, 5), (double, 3)]).unwrap();
    let expected = [
        (
            Step::Gaussian {
                mu_squared: q(1, 1),
            },
            13,
        ),
        (
            Step::Gaussian {
                mu_squared: q(1, 4),
            },
            5,
        ),
    ];
    assert_eq!(outer.steps().list(), expected);
    assert_eq!(outer.steps().mu_squared(), q(57, 4));
}

/// Engines see the normal form alone, so the answers are the same too.
#[test]
fn noise_stated_by_mu_squared_is_the_noise_of_that_sigma() {
    let stated = Mechanism::gaussian_with_mu_squared(q(1, 4)).unwrap();
    assert_eq!(stated.steps(), gaussian(2).steps());
    assert_eq!(
        stated.steps().conditions(),
        gaussian(2).steps().conditions()
    );
    assert!(Mechanism::gaussian_with_mu_squared(0).is_err());
}

#[test]
fn rates_of_nested_samples_multiply() {
    let sample = |rate, of| Mechanism::subsampled(rate, of).unwrap();
    let once = |of| Mechanism::compose(vec![(of, 1)]).unwrap();
    let nested = sample(q(1, 2), once(sample(q(1, 3), gaussian(1))));
    assert_eq!(nested.steps(), sample(q(1, 6), gaussian(1)).steps());
    assert_eq!(sample(q(1, 1), gaussian(1)).steps(), gaussian(1).steps());
    let twice = Mechanism::compose(vec![(gaussian(1), 2)]).unwrap();
    let stronger =
        Mechanism::compose(vec![(gaussian(1), 1), (Mechanism::gdp(1).unwrap(), 1)]).unwrap();
    assert_eq!(
        sample(q(1, 2), twice.clone()).steps(),
        sample(q(1, 2), stronger).steps()
    );
    let two_samples = Mechanism::compose(vec![(sample(q(1, 3), gaussian(1)), 2)]).unwrap();
    let of_both = sample(q(1, 2), two_samples);
    assert!(matches!(of_both.steps().single(), Some(Step::Sampled(s)) if *s.rate() == q(1, 2)));
}

#[test]
fn too_many_steps_are_refused() {
    let many = Mechanism::compose(vec![(gaussian(1), u64::MAX)]).unwrap();
    assert!(Mechanism::compose(vec![(many.clone(), 2)]).is_err());
    assert!(Mechanism::compose(vec![(many, 1), (gaussian(2), 1)]).is_err());
}

#[test]
fn conditions_come_from_all_depths() {
    let noisy = Mechanism::subsampled(q(1, 2), gaussian(1)).unwrap();
    let class = Mechanism::pure_dp(1).unwrap();
    let both = Mechanism::compose(vec![(noisy, 3), (class, 1)]).unwrap();
    let expected = Conditions {
        poisson_sampling: true,
        real_noise: true,
        guarantee: true,
        limited_participation: false,
        fixed_keys: false,
        ..Conditions::NONE
    };
    assert_eq!(both.steps().conditions(), expected);
}

/// Where one kind of record is known exactly and another only between bounds, the whole is between bounds.
#[test]
fn labels_are_as_well_known_as_the_least_known() {
    let exact = gaussian(1);
    let runs = Mechanism::exponential(1).unwrap();
    let bound = Mechanism::compose(vec![(runs, 3)]).unwrap();
    assert!(!exact.steps().is_bound() && bound.steps().is_bound());
    let half = || q(1, 2);
    for parts in [
        vec![
            (half(), exact.steps().clone()),
            (half(), bound.steps().clone()),
        ],
        vec![
            (half(), bound.steps().clone()),
            (half(), exact.steps().clone()),
        ],
    ] {
        assert!(Steps::labelled(parts).is_bound());
    }
}

/// Losses of choices add up: ε of each run, as often as it takes place.
#[test]
fn largest_losses_of_choices_add_up() {
    let runs = vec![
        (Mechanism::exponential(1).unwrap(), 3),
        (Mechanism::exponential(q(1, 2)).unwrap(), 4),
    ];
    let all = Mechanism::compose(runs).unwrap();
    let found = all.steps().largest_loss_of_choices().unwrap();
    assert!(found.value.contains(&q(5, 1)), "{:?}", found.value);
    assert_eq!(found.exact, Some(q(5, 1).into()));
}

/// All Gaussian noise is one step, where the first one stood; nothing else is left out.
#[test]
fn one_gaussian_and_all_others() {
    let laplace = Mechanism::laplace(1, 1).unwrap();
    let parts = vec![(laplace.clone(), 2), (gaussian(1), 3), (gaussian(2), 4)];
    let all = Mechanism::compose(parts).unwrap();
    let found = all.steps().with_one_gaussian();
    let together = Step::Gaussian {
        mu_squared: q(4, 1),
    };
    let laplace = laplace.steps().list()[0].0.clone();
    assert_eq!(found.list(), [(laplace, 2), (together, 1)]);
}

/// One step of another kind is enough.
#[test]
fn exponential_mechanisms_only() {
    let choice = Mechanism::exponential(q(1, 1)).unwrap();
    assert!(choice.steps().is_of_exponential_mechanisms());
    let both = Mechanism::compose(vec![(choice, 1), (gaussian(1), 1)]).unwrap();
    assert!(!both.steps().is_of_exponential_mechanisms());
}

/// Twice as far is the same noise moved twice as far, not another noise.
#[test]
fn twice_as_far_in_the_same_noise() {
    use crate::mechanism::shifted::Noise;
    let step = |scale: u32, distance: u64| {
        Mechanism::discrete_laplace(scale, distance)
            .unwrap()
            .steps()
            .list()[0]
            .0
            .clone()
    };
    let noise = |scale: u32, unit: u64| Noise::DiscreteLaplace {
        scale: q(scale, 1),
        unit,
    };
    assert!(super::noise::is_twice_as_far(&step(3, 4), &noise(3, 2)));
    assert!(!super::noise::is_twice_as_far(&step(3, 4), &noise(5, 2)));
    assert!(!super::noise::is_twice_as_far(&step(3, 4), &noise(3, 4)));
    // Of several parties the same law of as many.
    let sum = |sigma: u32, parties: u64, unit: u64| Noise::GaussianSum {
        sigma: q(sigma, 1),
        parties,
        unit,
    };
    for (sigma, parties, unit, is) in [
        (3, 5, 2, true),
        (4, 5, 2, false),
        (3, 6, 2, false),
        (4, 6, 2, false),
        (3, 5, 4, false),
    ] {
        let step = Step::gaussian_sum(&q(3, 1), 5, 4);
        let found = super::noise::is_twice_as_far(&step, &sum(sigma, parties, unit));
        assert_eq!(found, is, "{sigma} {parties} {unit}");
    }
}

/// As many bounds as the part with most of them has; a part with fewer stays as it is.
#[test]
fn further_bounds_of_some_parts() {
    let step = |square: u32| {
        let mu_squared = q(square, 1);
        Steps::one(Step::Gaussian { mu_squared }, Conditions::NONE)
    };
    let bounded = Steps::between([step(1)], step(9)).bounded_by(vec![step(4), step(5)]);
    let alone = step(1);
    for parts in [[(&bounded, 2), (&alone, 3)], [(&alone, 3), (&bounded, 2)]] {
        let found = Steps::together(parts).unwrap().other_bounds;
        assert_eq!(found.len(), 2);
        for (other, square) in found.iter().zip([11, 13]) {
            assert_eq!(other.mu_squared(), square);
        }
    }
}

/// One member that is the largest of many datasets is enough: a composition of them attains nothing.
#[test]
fn members_that_are_no_dataset_are_not_listed() {
    let laplace = Mechanism::laplace(1, 1).unwrap().steps().clone();
    let most = Mechanism::gaussian(1, 1).unwrap().steps().clone();
    let choice = Mechanism::exponential(q(1, 1)).unwrap();
    let [(largest, 1)] = choice.steps().list() else {
        panic!()
    };
    let largest = Steps::one(largest.clone(), Conditions::NONE);
    let listed = |second: Steps| {
        let part = Steps::worst_of([laplace.clone(), second], most.clone());
        Steps::listed([(&part, 1)]).unwrap().is_some()
    };
    assert!(listed(Mechanism::laplace(2, 1).unwrap().steps().clone()));
    assert!(!listed(largest));
}
