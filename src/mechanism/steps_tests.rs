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
