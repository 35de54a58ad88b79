//! `tree-aggregation` and `matrix-factorization` as compositions of simpler mechanisms.

use rug::Rational;

use super::{MatrixFactorization, Schedule, Strategy, TreeAggregation};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::Why;
use crate::mechanism::{Mechanism, OutOfRange, Steps};

fn q(numerator: i64, denominator: i64) -> Rational {
    Rational::from((numerator, denominator))
}

fn tree(numbers: [u64; 4]) -> Mechanism {
    let [steps, restarts, participations, min_separation] = numbers;
    let tree = TreeAggregation::new(q(2, 1), steps, restarts, participations, min_separation);
    Mechanism::new(tree.unwrap()).unwrap()
}

fn matrix(
    strategy: Strategy,
    steps: u64,
    schedule: Schedule,
    normalised: bool,
) -> Result<Mechanism, OutOfRange> {
    MatrixFactorization::new(q(2, 1), strategy, steps, schedule, normalised)
        .and_then(Mechanism::new)
}

fn spaced(participations: u64, min_separation: u64) -> Schedule {
    Schedule::Spaced {
        participations,
        min_separation,
    }
}

fn cyclic(min_separation: u64) -> Schedule {
    let rate = q(1, 10);
    Schedule::CyclicPoisson {
        rate,
        min_separation,
    }
}

fn gaussian(mu_squared: Rational) -> Mechanism {
    Mechanism::gaussian_with_mu_squared(mu_squared).unwrap()
}

/// Poisson-sampled Gaussians at the rate of [`cyclic`], by their μ².
fn rounds(all: &[(Rational, u64)]) -> Steps {
    let sampled = |mu_squared: &Rational| {
        Mechanism::subsampled(q(1, 10), gaussian(mu_squared.clone())).unwrap()
    };
    let parts = all
        .iter()
        .map(|(mu_squared, times)| (sampled(mu_squared), *times));
    let composition = Mechanism::compose(parts.collect()).unwrap();
    composition.steps().clone()
}

#[test]
fn trees_add_up_and_a_replaced_record_moves_twice_as_far() {
    assert_eq!(tree([15, 1, 1, 1]).steps(), gaussian(q(4, 4)).steps());
    assert_eq!(tree([15, 1, 4, 2]).steps(), gaussian(q(32, 4)).steps());
    assert_eq!(tree([15, 3, 4, 2]).steps(), gaussian(q(96, 4)).steps());
    let replaced = tree([15, 3, 4, 2]).under(Relation::ReplaceOne).unwrap();
    assert_eq!(replaced.steps(), gaussian(q(4 * 96, 4)).steps());
    let zeroed = tree([15, 3, 4, 2]).under(Relation::ReplaceSpecial).unwrap();
    assert_eq!(zeroed.steps(), gaussian(q(96, 4)).steps());
}

/// DP-FTRL for Gboard, as published: noise multiplier 7, 2000 rounds, 6 participations with 313 rounds between (google-research,
/// `blogpost_supplemental_privacy_accounting.ipynb`, which prints ρ = 0.81).
#[test]
fn the_published_tree_of_gboard() {
    let tree = TreeAggregation::new(q(7, 1), 2000, 1, 6, 314).unwrap();
    let tree = Mechanism::new(tree).unwrap();
    assert_eq!(tree.steps(), gaussian(q(79, 49)).steps());
}

#[test]
fn the_three_notations_of_one_matrix() {
    let column = vec![q(1, 1), q(1, 2), q(1, 4)];
    let rows = vec![
        vec![q(1, 1)],
        vec![q(1, 2), q(1, 1)],
        vec![q(1, 4), q(1, 2), q(1, 1)],
    ];
    let blt = Strategy::Blt {
        weights: vec![q(1, 2)],
        decays: vec![q(1, 2)],
    };
    for schedule in [spaced(1, 1), spaced(2, 2), spaced(3, 1)] {
        let by_column = matrix(
            Strategy::Toeplitz(column.clone()),
            3,
            schedule.clone(),
            false,
        );
        let by_rows = matrix(Strategy::Matrix(rows.clone()), 3, schedule.clone(), false);
        let by_buffers = matrix(blt.clone(), 3, schedule, false);
        let steps = by_column.unwrap().steps().clone();
        assert_eq!(&steps, by_rows.unwrap().steps());
        assert_eq!(&steps, by_buffers.unwrap().steps());
    }
}

/// One sampled Gaussian of the norm of a column in each round of b steps; the last column may be cut off.
#[test]
fn cyclic_sampling_is_a_composition_of_rounds() {
    let column = vec![q(1, 1), q(1, 2)];
    let found =
        |steps| matrix(Strategy::Toeplitz(column.clone()), steps, cyclic(2), false).unwrap();
    let whole = q(5, 16);
    assert_eq!(found(6).steps(), &rounds(&[(whole.clone(), 3)]));
    assert_eq!(
        found(5).steps(),
        &rounds(&[(whole.clone(), 2), (q(1, 4), 1)])
    );
    assert_eq!(found(1).steps(), &rounds(&[(q(1, 4), 1)]));
    // Groups may be more than bands: b = 3 and 7 steps have three rounds.
    let apart = matrix(Strategy::Toeplitz(column.clone()), 7, cyclic(3), false).unwrap();
    assert_eq!(apart.steps(), &rounds(&[(whole.clone(), 2), (q(1, 4), 1)]));
    let rows = vec![
        vec![q(1, 1)],
        vec![q(1, 2), q(1, 1)],
        vec![q(0, 1), q(1, 2), q(1, 1)],
    ];
    let by_rows = matrix(Strategy::Matrix(rows), 3, cyclic(2), false).unwrap();
    assert_eq!(by_rows.steps(), &rounds(&[(whole, 1), (q(1, 4), 1)]));
    // Three bands, two groups: columns two apart share a row.
    let error = matrix(Strategy::Toeplitz(vec![q(1, 1); 3]), 6, cyclic(2), false).unwrap_err();
    assert_eq!(
        (error.why(), error.parameter()),
        (Why::Unsupported, "min-separation")
    );
}

/// As so many rounds of DP-SGD, whatever happens to a record.
#[test]
fn cyclic_sampling_of_replaced_records() {
    let column = Strategy::Toeplitz(vec![q(3, 5), q(4, 5)]);
    let cyclic = matrix(column, 6, cyclic(2), false).unwrap();
    let sum = Mechanism::gaussian_sum(q(2, 1), 1).unwrap();
    let sampled = Mechanism::subsampled(q(1, 10), sum).unwrap();
    let training = Mechanism::compose(vec![(sampled, 3)]).unwrap();
    for relation in [
        Relation::Presence,
        Relation::ReplaceOne,
        Relation::ReplaceSpecial,
    ] {
        let expected = training.under(relation).unwrap();
        assert_eq!(
            cyclic.under(relation).unwrap().steps(),
            expected.steps(),
            "{relation:?}"
        );
    }
}

/// Several records move a tree at most so many times as far; under cyclic sampling they may be in rows that overlap.
#[test]
fn groups_of_records() {
    let group = Mechanism::group(3, tree([15, 1, 4, 2])).unwrap();
    assert_eq!(group.steps(), gaussian(q(9 * 32, 4)).steps());
    let column = Strategy::Toeplitz(vec![q(3, 5), q(4, 5)]);
    let cyclic = matrix(column, 6, cyclic(2), false).unwrap();
    assert!(Mechanism::group(2, cyclic).is_err());
}

/// Where no group of records has the longest column of every round, there are bounds: one group, and the longest columns.
#[test]
fn rounds_without_one_worst_group() {
    let rows = |first: i64, last: i64| {
        let diagonal = [first, 1, 1, last];
        let row = |(zeros, entry): (usize, i64)| {
            let mut row = vec![q(0, 1); zeros];
            row.push(q(entry, 1));
            row
        };
        Strategy::Matrix((0..).zip(diagonal).map(row).collect())
    };
    let found = matrix(rows(2, 3), 4, cyclic(2), false).unwrap();
    let least = rounds(&[(q(1, 4), 1), (q(9, 4), 1)]);
    let most = rounds(&[(q(1, 1), 1), (q(9, 4), 1)]);
    assert_eq!(found.steps().members(), [least]);
    assert_eq!(found.steps().most(), most);
    let one = matrix(rows(2, 1), 4, cyclic(2), false).unwrap();
    assert_eq!(one.steps(), &rounds(&[(q(1, 1), 1), (q(1, 4), 1)]));
}

/// Numbers too long to be kept exactly, and products of both signs, have two bounds of s².
#[test]
fn bounds_where_the_effect_of_a_record_is_not_exact() {
    let digits = |text: &str| crate::number::parse_rational(text).unwrap();
    let blt = Strategy::Blt {
        weights: vec![digits("0.0122853238"), digits("0.1878393665")],
        decays: vec![digits("0.9999528892"), digits("0.9857068667")],
    };
    let blt = matrix(blt, 10_000, spaced(5, 2_000), false).unwrap();
    let gap = blt.steps().mu_squared() - blt.steps().members()[0].mu_squared();
    assert!(gap > 0 && gap < Rational::from((1, 1u64 << 62)));
    // x_0 and x_1 pull row 1 apart, x_1 and x_2 together: no signs please all pairs.
    let rows = Strategy::Matrix(vec![
        vec![q(1, 1)],
        vec![q(1, 1), q(1, 1)],
        vec![q(1, 4), q(-2, 1), q(1, 1)],
    ]);
    let signed = matrix(rows, 3, spaced(3, 1), false).unwrap();
    let least = signed.steps().members().first().map(Steps::mu_squared);
    assert!(least.is_some_and(|least| least < signed.steps().mu_squared()));
}

#[test]
fn normalised_is_proved() {
    let rows = |last| Strategy::Matrix(vec![vec![q(3, 5)], vec![q(4, 5), last]]);
    assert!(matrix(rows(q(1, 1)), 2, spaced(1, 1), true).is_ok());
    let barely = q(1, 1) + Rational::from((1, 1_000_000_000_000_000_000u64));
    let error = matrix(rows(barely.clone()), 2, spaced(1, 1), true).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column 2 of the matrix has a norm above 1"
    );
    assert!(matrix(rows(barely), 2, spaced(1, 1), false).is_ok());
    let column = |entry| Strategy::Toeplitz(vec![q(3, 5), entry]);
    assert!(matrix(column(q(4, 5)), 9, spaced(1, 1), true).is_ok());
    assert!(matrix(column(q(5, 5)), 9, spaced(1, 1), true).is_err());
}

#[test]
fn what_is_no_matrix_is_refused() {
    let empty = Strategy::Toeplitz(Vec::new());
    let zero = Strategy::Toeplitz(vec![q(0, 1); 2]);
    let short_row = Strategy::Matrix(vec![vec![q(1, 1)], vec![q(1, 1)]]);
    let few_rows = Strategy::Matrix(vec![vec![q(1, 1)]]);
    let growing = Strategy::Blt {
        weights: vec![q(1, 1)],
        decays: vec![q(11, 10)],
    };
    let uneven = Strategy::Blt {
        weights: vec![q(1, 1)],
        decays: Vec::new(),
    };
    for strategy in [empty, zero, short_row, few_rows, growing, uneven] {
        assert!(
            matrix(strategy.clone(), 2, spaced(1, 1), false).is_err(),
            "{strategy:?}"
        );
    }
}

/// Columns (1, 1/2) of steps that are two apart have no row in common, and of those next to each other one: (1, 3/2, 1/2).
#[test]
fn a_column_with_a_schedule() {
    let of = |apart| {
        let column = vec![q(1, 1), q(1, 2)];
        let one = Mechanism::toeplitz_factorization("2", column, 4, 2, apart).unwrap();
        one.steps().list().to_vec()
    };
    let gaussian = |mu_squared| vec![(crate::mechanism::Step::Gaussian { mu_squared }, 1)];
    assert_eq!(of(2), gaussian(q(5, 2) / 4u32));
    assert_eq!(of(1), gaussian(q(7, 2) / 4u32));
    assert!(Mechanism::toeplitz_factorization("0", vec![q(1, 1)], 4, 2, 1).is_err());
}
