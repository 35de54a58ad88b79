//! How mechanisms resolve into parts.

use super::*;
use crate::mechanism::closed::TopSelections;
use crate::mechanism::{Epsilon, Mechanism};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn gaussian(sigma: Rational) -> Mechanism {
    Mechanism::gaussian(sigma, q(1, 1)).unwrap()
}

fn sampled(rate: Rational, of: Mechanism) -> Mechanism {
    Mechanism::subsampled(rate, of).unwrap()
}

fn resolved(of: Vec<(Mechanism, u64)>) -> Composition {
    resolve(
        Mechanism::compose(of).unwrap().steps(),
        &Budget::unlimited(),
    )
    .unwrap()
}

#[test]
fn gaussians_merge_whatever_the_nesting() {
    let inner = Mechanism::compose(vec![
        (gaussian(q(2, 1)), 3),
        (sampled(q(1, 1), gaussian(q(1, 1))), 1),
    ])
    .unwrap();
    let found = resolved(vec![(inner, 10), (Mechanism::gdp(q(1, 2)).unwrap(), 2)]);
    let Composition::Closed(part) = found else {
        panic!("closed");
    };
    let PairKind::Gaussian { square } = part.kind else {
        panic!("Gaussian");
    };
    // 10·(3/4 + 1) + 2/4.
    assert_eq!(square, q(18, 1));
}

#[test]
fn equal_parts_are_counted_and_rates_multiply() {
    let twice = sampled(q(1, 2), sampled(q(1, 5), gaussian(q(3, 1))));
    let pair = Mechanism::compose(vec![(gaussian(q(3, 1)), 1)]).unwrap();
    let found = resolved(vec![
        (twice, 4),
        (sampled(q(1, 10), pair), 3),
        (gaussian(q(1, 1)), 1),
    ]);
    let Composition::Parts(parts) = found else {
        panic!("parts");
    };
    let times: Vec<u64> = parts.iter().map(|part| part.times).collect();
    assert_eq!(times, [7, 1]);
    let PairKind::SubsampledGaussian { rate, square } = &parts[0].kind else {
        panic!("subsampled");
    };
    assert_eq!((rate, square), (&q(1, 10), &q(1, 9)));
}

#[test]
fn finite_parts_become_one_law() {
    let found = resolved(vec![
        (Mechanism::pure_dp(q(1, 1)).unwrap(), 4),
        (Mechanism::randomized_response(q(1, 1), 2).unwrap(), 6),
    ]);
    let Composition::Closed(PoweredPair {
        kind: PairKind::Finite(law),
        times: 1,
        ..
    }) = found
    else {
        panic!("finite");
    };
    assert_eq!(law.len(), 11);
}

#[test]
fn finite_with_gaussian_is_closed_and_with_laplace_powers_is_not() {
    let response = (Mechanism::pure_dp(q(1, 1)).unwrap(), 4);
    let mixed = resolved(vec![response.clone(), (gaussian(q(1, 1)), 9)]);
    assert!(matches!(
        mixed,
        Composition::Closed(PoweredPair {
            kind: PairKind::Other,
            times: 1,
            ..
        })
    ));
    let laplace = Mechanism::laplace(q(1, 1), q(2, 1)).unwrap();
    let once = resolved(vec![response.clone(), (laplace.clone(), 1)]);
    assert!(matches!(once, Composition::Closed(_)));
    let Composition::Parts(parts) = resolved(vec![response, (laplace, 2)]) else {
        panic!("parts");
    };
    let times: Vec<u64> = parts.iter().map(|part| part.times).collect();
    assert_eq!(times, [2, 1]);
}

#[test]
fn too_large_finite_powers_stay_parts() {
    let response = Mechanism::randomized_response(q(1, 1), 2).unwrap();
    let Composition::Parts(parts) = resolved(vec![(response, 1_000_000_000)]) else {
        panic!("parts");
    };
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].times, 1_000_000_000);
}

#[test]
fn a_subsampled_composition_of_responses_is_finite() {
    let inner = Mechanism::compose(vec![(Mechanism::pure_dp(q(1, 1)).unwrap(), 3)]).unwrap();
    let found = resolved(vec![(sampled(q(1, 4), inner), 2)]);
    let Composition::Closed(PoweredPair {
        kind: PairKind::Finite(law),
        ..
    }) = found
    else {
        panic!("finite");
    };
    assert_eq!(law.len(), 10);
}

#[test]
fn one_rényi_class_is_exact_and_several_have_two_sides() {
    let zcdp = |rho| Mechanism::zcdp(rho).unwrap();
    let closed = resolved(vec![(zcdp(q(1, 2)), 1)]);
    assert!(matches!(
        closed,
        Composition::Closed(PoweredPair {
            kind: PairKind::Class(RenyiKind::Zcdp),
            times: 1,
            ..
        })
    ));
    let gaussian = Mechanism::gdp(q(1, 1)).unwrap();
    let table = Mechanism::rdp(vec![(q(2, 1), q(1, 1))]).unwrap();
    let alone = resolved(vec![(table, 1)]);
    assert!(matches!(
        alone,
        Composition::Closed(PoweredPair { times: 1, .. })
    ));
    let rdp = Mechanism::rdp(vec![
        (q(2, 1), q(1, 2)),
        (q(4, 1), q(2, 1)),
        (q(2, 1), q(3, 1)),
    ])
    .unwrap();
    for (parts, square, named) in [
        (vec![(zcdp(q(1, 2)), 4)], q(4, 1), RenyiKind::Zcdp),
        (
            vec![(zcdp(q(1, 2)), 1), (gaussian.clone(), 2)],
            q(3, 1),
            RenyiKind::Zcdp,
        ),
        // The least of 2·ε/t is 1/2, at t = 2.
        (vec![(rdp.clone(), 3)], q(3, 2), RenyiKind::Rdp),
        (
            vec![(rdp, 1), (zcdp(q(1, 4)), 1), (gaussian, 1)],
            q(2, 1),
            RenyiKind::Rdp,
        ),
    ] {
        let Composition::Class { upper, lower, .. } = resolved(parts) else {
            panic!("a class");
        };
        assert!(matches!(upper.kind, PairKind::Class(kind) if kind == named));
        assert!(matches!(lower.kind, PairKind::Gaussian { square: found } if found == square));
    }
}

#[test]
fn unsupported_says_why() {
    let zcdp = Mechanism::zcdp(q(1, 2)).unwrap();
    // Every second order.
    let many = |first: i64| {
        let orders = (0..150).map(|n| (q(first + 2 * n, 1), q(1, 1)));
        Mechanism::rdp(orders.collect()).unwrap()
    };
    let laplace = Mechanism::pure_dp(q(1, 1)).unwrap();
    let delta = Mechanism::approx_dp(1, q(1, 100)).unwrap();
    for (parts, words) in [
        (vec![(zcdp.clone(), 1), (delta, 1)], "by a theorem"),
        (
            vec![(many(2), 1), (many(3), 1)],
            "many orders, and have none in common",
        ),
        (vec![(sampled(q(1, 2), zcdp.clone()), 2)], "does not follow"),
        (
            vec![(sampled(q(1, 2), zcdp.clone()), 1), (gaussian(q(1, 1)), 1)],
            "does not follow",
        ),
        (
            vec![(sampled(q(1, 2), zcdp), 1), (laplace, 1)],
            "does not follow",
        ),
    ] {
        let Composition::Unsupported(reason) = resolved(parts) else {
            panic!("unsupported");
        };
        assert!(reason.contains(words), "{reason}");
    }
}

/// One run on batches of fixed size is its own pair: several are bounded by a program over all of their adversaries.
#[test]
fn one_run_on_batches_of_fixed_size_is_exact() {
    let text = r#"{"kind":"subsampled","sampling":"without-replacement","dataset-size":100,"batch-size":10,
        "adjacency":"replace-one","of":{"kind":"gaussian","noise-multiplier":2}}"#;
    let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let under = file.mechanism.under(crate::mechanism::Relation::ReplaceOne);
    let mechanism = under.unwrap();
    let Some(Step::Closed(ClosedPair::FixedBatches(batches))) = mechanism.steps().single() else {
        panic!("batches of fixed size");
    };
    assert!(batches.gaussian_asked_once().is_some());
    let one = Collected::default().add_fixed_batches(
        &ClosedPair::FixedBatches(batches.clone()),
        1,
        &Budget::unlimited(),
    );
    assert!(matches!(one, Ok(false)));
    // Of two the program is asked, which needs time.
    let stopped = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let budget = Budget::new(std::time::Duration::from_secs(9), stopped);
    let pair = ClosedPair::FixedBatches(batches.clone());
    let two = Collected::default().add_fixed_batches(&pair, 2, &budget);
    assert!(matches!(two, Err(Refusal::Failure(Failure::Interrupted))));
}

/// What has no profile because the time is over is not said to be something that is not built.
#[test]
fn what_is_late_is_not_too_large() {
    let text = r#"{"kind":"random-allocation","steps":2,"of":{"kind":"gaussian","sigma":1,"record-bound":1},
        "adjacency":"replace-one"}"#;
    let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let under = file.mechanism.under(crate::mechanism::Relation::ReplaceOne);
    let mechanism = under.unwrap();
    let [(step, 1)] = mechanism.steps().list() else {
        panic!("one step");
    };
    let late = crate::kernel::coarse::late(|| too_large(step));
    assert!(matches!(late, Refusal::Failure(Failure::Interrupted)));
    assert!(matches!(too_large(step), Refusal::Unsupported(_)));
}

/// Selections are kept, to be taken together; of the largest few there are as many runs.
#[test]
fn selections_are_counted() {
    let epsilon = || Epsilon::from(q(1, 2));
    let budget = Budget::unlimited();
    let mut collected = Collected::default();
    let one = Step::Closed(Selection::new(epsilon()).into());
    assert!(collected.add(&one, 7, &budget).is_ok());
    assert!(collected.others.is_empty());
    let times: Vec<u64> = collected.selections.iter().map(|(_, n)| *n).collect();
    assert_eq!(times, [7]);
    // The two largest are two runs at once.
    let two = Step::Closed(TopSelections::new(epsilon(), 2).into());
    assert!(collected.add(&two, 1, &budget).is_ok());
    let times: Vec<u64> = collected.others.iter().map(|part| part.times).collect();
    assert_eq!(times, [1]);
    assert_eq!(collected.selections.len(), 1);
}
