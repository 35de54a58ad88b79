//! Shuffled and truncated batches, end to end.

use rug::{Float, Rational};

use dpcmp::analysis::{Answer, Ending, Goal, Resources, Subject};
use dpcmp::bounds::Target;
use dpcmp::kernel::Budget;
use dpcmp::mechanism::{Adjacency, Mechanism};
use dpcmp::statement::Query;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn ask(mechanism: &Mechanism, adjacency: Adjacency, query: &Query) -> Answer {
    let budget = Budget::unlimited();
    let mechanism = mechanism.under(adjacency.relation()).unwrap();
    let subject = Subject::new(&mechanism, adjacency, &budget).unwrap();
    let goal = Goal::Width(Target::Relative(q(1, 10_000)));
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| {},
    };
    subject.answer(query, &goal, &resources).unwrap()
}

/// Chua et al. 2024: Poisson accounting says 0.98, without amplification it is 7.373.
#[test]
fn shuffled_batches_are_hardly_amplified() {
    let run = Mechanism::shuffled_batches(q(7, 10), 1_000, 1).unwrap();
    let epsilon = Query::epsilon(q(1, 1_000_000)).unwrap();
    let all = [Adjacency::AddRemove, Adjacency::ReplaceSpecial];
    for adjacency in all.into_iter().step_by(crate::soundness_support::every(4)) {
        let found = ask(&run, adjacency, &epsilon);
        let (lower, upper) = (found.enclosure.lower(), found.enclosure.upper());
        assert!(*lower >= 7.3 && *lower < 7.31, "{lower}");
        assert!(*upper <= 7.38 && *upper > 7.372, "{upper}");
        assert_eq!(found.ending, Ending::DoesNotFollow);
    }
    // Replaced, the answers are twice as far apart.
    let found = ask(&run, Adjacency::ReplaceOne, &epsilon);
    let (lower, upper) = (found.enclosure.lower(), found.enclosure.upper());
    assert!(*lower > 10.1 && *lower < 10.17, "{lower}");
    assert!(*upper < 17.08 && *upper > 17.07, "{upper}");
}

/// Strict μ and ρ are those without amplification, exactly: of 4 epochs at σ = 2, and twice μ for replaced records.
#[test]
fn strict_parameters_of_shuffled_batches() {
    let run = Mechanism::shuffled_batches(2, 100, 4).unwrap();
    for (adjacency, mu) in [
        (Adjacency::AddRemove, 1),
        (Adjacency::ReplaceSpecial, 1),
        (Adjacency::ReplaceOne, 2),
    ] {
        for (query, truth) in [
            (Query::gdp_mu(), q(mu, 1)),
            (Query::zcdp_rho(), q(mu * mu, 2)),
        ] {
            let found = ask(&run, adjacency, &query).enclosure;
            assert!(*found.lower() <= truth && *found.upper() >= truth);
            let width = Float::with_val(64, found.upper() - found.lower());
            assert!(width < 1e-3, "{adjacency:?} {query:?} {width}");
        }
    }
}

/// A run that stops within an epoch is between those that stop before and after it.
#[test]
fn a_last_epoch_that_is_not_whole() {
    let epsilon = Query::epsilon(q(1, 100_000)).unwrap();
    let of = |epochs| {
        let run = Mechanism::shuffled_batches(1, 50, epochs).unwrap();
        ask(&run, Adjacency::ReplaceSpecial, &epsilon).enclosure
    };
    let (one, half, two) = (of(q(1, 1)), of(q(3, 2)), of(q(2, 1)));
    assert_eq!(half.lower(), one.lower());
    assert_eq!(half.upper(), two.upper());
    assert!(*of(q(1, 2)).lower() <= 0);
}

/// Language-model training: a cap ten standard deviations above the expected batch costs nothing that can be seen.
#[test]
fn a_high_cap_is_invisible() {
    // Fewer steps take less time.
    let steps = match crate::soundness_support::is_thorough() {
        true => 100_000,
        false => 2_000,
    };
    let run = |max_batch| {
        let noise = Mechanism::gaussian_sum(q(614, 1_000), 1).unwrap();
        let step = Mechanism::truncated_poisson(q(1, 1_000_000), 1_000_000_000, max_batch, noise);
        Mechanism::compose(vec![(step.unwrap(), steps)]).unwrap()
    };
    let epsilon = Query::epsilon(q(1, 10_000_000_000)).unwrap();
    let found = ask(&run(1_320), Adjacency::AddRemove, &epsilon).enclosure;
    let width = Float::with_val(64, found.upper() - found.lower()) / found.lower();
    assert!(width < 1e-4, "{width}");
    if !crate::soundness_support::is_thorough() {
        return;
    }
    // At three, the bounds are known apart: a displaced record is told by a batch of one record less.
    let found = ask(&run(1_100), Adjacency::AddRemove, &epsilon).enclosure;
    assert!(*found.lower() > 0.0424 && *found.upper() < 0.0605);
}
