//! Patterns and bounds of matrices that are too large to try all of them.

use rug::{Integer, Rational};

use super::selection::{heaviest, heaviest_pattern};
use super::{Column, LowerTriangular, Participation};
use crate::kernel::coarse::Random;

/// The pattern that is given has the weight that is given, and its steps are far enough apart.
#[test]
fn the_heaviest_pattern_weighs_the_most() {
    let mut random = Random(21);
    for _ in 0..200 {
        let steps = 1 + random.below(12);
        let weights: Vec<Integer> = (0..steps).map(|_| Integer::from(random.below(9))).collect();
        let participation = Participation::new(1 + random.below(5), 1 + random.below(4));
        let pattern = heaviest_pattern(&weights, participation);
        let weight: Integer = pattern.iter().map(|step| &weights[*step]).sum();
        assert_eq!(weight, heaviest(&weights, participation), "{weights:?}");
        let separation = usize::try_from(participation.separation()).unwrap();
        assert!(pattern.windows(2).all(|two| two[1] - two[0] >= separation));
    }
}

/// Where a row has too many patterns, all of it counts.
#[test]
fn long_rows_count_as_a_whole() {
    let steps = 600usize;
    let rows: Vec<Vec<Rational>> = (1..=steps)
        .map(|row| {
            let entry = |column: usize| Rational::from(u32::from(row - column <= 12));
            (0..row).map(entry).collect()
        })
        .collect();
    let matrix = LowerTriangular::of_rows(&rows).unwrap();
    // Every third step: each of the rows has four or five of them.
    let participation = Participation::new(200, 3);
    let found = matrix.without_trying(participation);
    let sums = rows.iter().map(|row| {
        let taken: Rational = row.iter().step_by(3).sum();
        taken.square()
    });
    let truth: Rational = sums.sum();
    assert!(found.lower <= truth && truth <= found.upper);
}

/// As many columns as steps need, and each with a number of them.
#[test]
fn columns_that_are_apart() {
    let entries: Vec<Rational> = [3, 2, 1].map(Rational::from).to_vec();
    let column = Column::of(&entries);
    for (steps, apart, counts) in [
        (2u64, 3u64, vec![1u64]),
        (3, 3, vec![1]),
        (4, 3, vec![1, 1]),
        (9, 3, vec![3]),
        (11, 3, vec![3, 1]),
    ] {
        let found = column.squared_norms_apart(steps, apart);
        let found: Vec<u64> = found.iter().map(|(_, count)| *count).collect();
        assert_eq!(found, counts, "{steps} {apart}");
    }
}

/// Columns of buffers that are rounded both ways surround what they stand for.
#[test]
fn rounded_columns_of_buffers_enclose() {
    let one = Rational::from(1);
    for n in 3..24u32 {
        let (weight, decay) = (Rational::from((1, n)), Rational::from((n - 2, n)));
        let column = super::blt::rounded_column(&[(weight.clone(), decay.clone())], 7);
        let mut truth = one.clone();
        let mut entry = weight;
        for _ in 1..7 {
            truth += entry.clone().square();
            entry *= &decay;
        }
        let found = column.squared_norm();
        assert!(found.lower <= truth && truth <= found.upper, "{n}");
    }
}
