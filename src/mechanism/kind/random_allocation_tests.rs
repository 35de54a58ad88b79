//! Normal forms of random allocation, and what is refused.

use rug::Rational;

use crate::kernel::Point;
use crate::mechanism::adjacency::Relation;
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
    assert_eq!(all.steps().members().len(), 2);
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

#[test]
fn what_is_not_known_is_refused() {
    let all = Mechanism::random_allocation(10, 1, 1, gaussian()).unwrap();
    let error = all.under(Relation::ReplaceOne).unwrap_err();
    assert_eq!(error.why(), Why::Unsupported);
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
    // Ratios up to e^1250 have no profile; the mechanism is there.
    let loud =
        Mechanism::random_allocation(9, 1, 1, Mechanism::gaussian("1/50", 1).unwrap()).unwrap();
    assert!(loud.profile_of_step().is_none());
}
