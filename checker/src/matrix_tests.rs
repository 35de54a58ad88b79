//! Matrices by their rows, against all patterns and signs.

use super::*;
use crate::coarse::{Random, in_units};

fn whole(x: i64) -> BigRational {
    BigRational::from(BigInt::from(x))
}

/// The largest Σ ε_i·ε_j·G_ij over all patterns and signs, and the largest Σ |G_ij|.
fn by_all(rows: &[Vec<BigRational>], schedule: Schedule, is_even: bool) -> (BigRational, BigRational) {
    let steps = rows.len();
    let (mut least, mut most) = (BigRational::zero(), BigRational::zero());
    for set in 1u32..1 << steps {
        let pattern: Vec<usize> = (0..steps).filter(|i| set >> i & 1 == 1).collect();
        let apart = |pair: &[usize]| u64::try_from(pair[1] - pair[0]).unwrap();
        let is_far = pattern.windows(2).all(|pair| match is_even {
            true => apart(pair) == schedule.apart,
            false => apart(pair) >= schedule.apart,
        });
        if !is_far || u64::try_from(pattern.len()).unwrap() > schedule.most {
            continue;
        }
        let product =
            |i: usize, j: usize| -> BigRational { rows.iter().skip(i.max(j)).map(|row| &row[i] * &row[j]).sum() };
        for signs in 0u32..1 << pattern.len() {
            let sign = |place: usize| if signs >> place & 1 == 1 { whole(-1) } else { whole(1) };
            let (mut sum, mut sizes) = (BigRational::zero(), BigRational::zero());
            for (a, i) in pattern.iter().enumerate() {
                for (b, j) in pattern.iter().enumerate() {
                    let one = product(*i, *j);
                    sizes += one.abs();
                    sum += one * sign(a) * sign(b);
                }
            }
            (least, most) = (least.max(sum), most.max(sizes));
        }
    }
    (least, most)
}

#[test]
fn matrices_against_all_patterns() {
    let mut random = Random::new(17);
    let (mut exact, mut open) = (0, 0);
    for round in 0..300 {
        crate::work::begin(None);
        let steps = 2 + random.below(5);
        let is_signed = round % 3 == 0;
        let mut entry = || whole(i64::try_from(random.below(6)).unwrap() - if is_signed { 3 } else { 0 });
        let rows: Vec<Vec<BigRational>> = (1..=steps).map(|length| (0..length).map(|_| entry()).collect()).collect();
        let schedule = Schedule { steps, most: 1 + random.below(steps), apart: 1 + random.below(steps) };
        for is_even in [false, true] {
            // Evenly: one in each epoch.
            let most = if is_even { steps.div_ceil(schedule.apart) } else { schedule.most };
            let schedule = Schedule { most, ..schedule };
            let columns = Columns::of_rows(&rows, steps).unwrap();
            let (low, high) = columns.square(schedule, is_even).unwrap();
            let (least, most) = by_all(&rows, schedule, is_even);
            assert!(low <= least && least <= high, "{rows:?}: {low} {least} {high}");
            if is_signed {
                open += u32::from(low < high);
            } else {
                // One step, or no common row: what all signs have.
                assert!(low == high && high == least && high <= most, "{rows:?}: {low} {least} {high}");
                exact += 1;
            }
        }
    }
    assert!(exact > 100 && open > 10, "{exact} {open}");
}

/// Banded: the heaviest columns that are far enough apart; and the rounds of sampling.
#[test]
fn columns_without_a_common_row() {
    let mut random = Random::new(23);
    for _ in 0..200 {
        crate::work::begin(None);
        let (steps, bands) = (3 + random.below(8), 1 + random.below(3));
        let mut entry = || whole(i64::try_from(random.below(7)).unwrap() - 3);
        let row =
            |number: u64| (0..=number).map(|column| if number - column < bands { entry() } else { whole(0) }).collect();
        let rows: Vec<Vec<BigRational>> = (0..steps).map(row).collect();
        let schedule = Schedule { steps, most: 1 + random.below(4), apart: bands + random.below(2) };
        let columns = Columns::of_rows(&rows, steps).unwrap();
        assert!(columns.bands() <= bands);
        let (low, high) = columns.square(schedule, false).unwrap();
        assert_eq!((&low, &high), (&by_all(&rows, schedule, false).0, &low), "{rows:?}");
        let norm =
            |column: usize| -> BigRational { rows.iter().skip(column).map(|row| &row[column] * &row[column]).sum() };
        let matrix = Matrix::Rows(columns);
        let apart = usize::try_from(schedule.apart).unwrap();
        for (number, ((low, high), times)) in matrix.rounds(schedule.apart).unwrap().into_iter().enumerate() {
            let first = number * apart;
            let last = (first + apart).min(rows.len());
            assert_eq!((low, Some(high), times), (norm(first), (first..last).map(norm).max(), 1));
        }
        assert_eq!(matrix.largest_norm().unwrap(), (0..rows.len()).map(norm).max().unwrap());
    }
}

#[test]
fn matrices_that_are_not_read() {
    crate::work::begin(None);
    let one = whole(1);
    assert!(Columns::of_rows(&[vec![one.clone()], vec![one.clone()]], 2).is_err());
    assert!(Columns::of_rows(&[vec![one.clone()]], 2).is_err());
    let full = |above: i64| Columns::of_rows(&[vec![one.clone(), whole(above)], vec![one.clone(), one.clone()]], 2);
    assert!(full(1).is_err());
    let once = Schedule { steps: 2, most: 1, apart: 1 };
    assert_eq!(full(0).unwrap().square(once, false).unwrap(), (whole(2), whole(2)));
    let rows: Vec<Vec<BigRational>> = (1..=30).map(|length| vec![one.clone(); length]).collect();
    let columns = Columns::of_rows(&rows, 30).unwrap();
    let many = Schedule { steps: 30, most: 15, apart: 1 };
    // Of too many patterns: by rows, which is all there is of them where all steps are one pattern.
    let (low, high) = columns.square(many, false).unwrap();
    assert_eq!((low, high), (whole(4615), whole(4615)));
    let all = (1..=30).map(|n| n * n).sum();
    let every = columns.square(Schedule { steps: 30, most: 40, apart: 1 }, false).unwrap();
    assert_eq!(every, (whole(all), whole(all)));
    let even = columns.square(Schedule { steps: 30, most: 3, apart: 10 }, true).unwrap();
    // Rows 0 to 9 have one of them, 10 to 19 two, the rest three.
    assert_eq!(even, (whole(140), whole(140)));
}

/// Fractions at few digits: the ends are on their sides of what is true.
#[test]
fn norms_are_rounded_to_their_sides() {
    let mut random = Random::new(29);
    let (mut wide, mut alone) = (0, 0);
    for _ in 0..200 {
        crate::work::begin(None);
        let steps = 2 + random.below(4);
        let mut entry = || BigRational::new((1 + random.below(20)).into(), 7.into());
        let rows: Vec<Vec<BigRational>> = (1..=steps).map(|length| (0..length).map(|_| entry()).collect()).collect();
        let schedule = Schedule { steps, most: 1 + random.below(steps), apart: 1 + random.below(steps) };
        for is_even in [false, true] {
            let most = if is_even { steps.div_ceil(schedule.apart) } else { schedule.most };
            let schedule = Schedule { most, ..schedule };
            let found = in_units(12, 12, || Columns::of_rows(&rows, steps)?.square(schedule, is_even));
            let (low, high) = found.unwrap();
            let (truth, same) = by_all(&rows, schedule, is_even);
            assert!(truth == same && low <= truth && truth <= high, "{rows:?}: {low} {truth} {high}");
            wide += u32::from(low < truth && truth < high);
            alone += u32::from(!is_even && schedule.most == 1);
        }
    }
    assert!(wide > 300 && alone > 20, "{wide} {alone}");
}

/// An entry next to 0 is one: it makes the band longer, and the norm larger.
#[test]
fn entries_next_to_zero() {
    for sign in [1, -1] {
        crate::work::begin(None);
        let tiny = BigRational::new(sign.into(), BigInt::from(1) << 400);
        let rows = [vec![whole(1)], vec![tiny, whole(1)]];
        let columns = Columns::of_rows(&rows, 2).unwrap();
        assert_eq!(columns.bands(), 2);
        let (_, high) = columns.square(Schedule { steps: 2, most: 1, apart: 1 }, false).unwrap();
        assert!(high > whole(1));
    }
}

/// A column has no more entries than there are steps; where columns have no common row the sum is exact, and a column that falls is bounded from above.
#[test]
fn columns_of_few_steps() {
    crate::work::begin(None);
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    let entries = [q(1, 2), q(1, 1), q(1, 4), q(1, 8)];
    assert_eq!(Column::new(&entries, 2).bands(), 2);
    assert_eq!(Column::buffered(&[(q(1, 2), q(1, 2))], 3).unwrap().bands(), 3);
    let schedule = |apart| Schedule { steps: 4, most: 2, apart };
    let found = Column::new(&entries[..2], 4).square(schedule(2)).unwrap();
    assert_eq!(found, (q(5, 2), q(5, 2)));
    // Rows 1/3, 2/3, 2/3, 1/3.
    let thirds = [q(1, 3), q(1, 3), q(1, 3)];
    let (low, high) = Column::new(&thirds, 4).square(schedule(1)).unwrap();
    let truth = q(10, 9);
    assert!(low <= truth && truth <= high && &high - &low < q(1, 1 << 60), "{low} {high}");
}

/// Sums of rows are above all patterns, and patterns that were not all looked at below.
#[test]
fn sums_of_rows() {
    let mut random = Random::new(29);
    let mut exact = 0;
    for _ in 0..200 {
        crate::work::begin(None);
        let steps = 2 + random.below(5);
        let mut entry = || whole(i64::try_from(random.below(7)).unwrap() - 3);
        let rows: Vec<Vec<BigRational>> = (1..=steps).map(|length| (0..length).map(|_| entry()).collect()).collect();
        let schedule = Schedule { steps, most: 1 + random.below(steps), apart: 1 + random.below(steps) };
        let columns = Columns::of_rows(&rows, steps).unwrap();
        let apart = usize::try_from(schedule.apart).unwrap();
        let product = |i: usize, j: usize| match i != j && j - i < apart {
            true => Real::int(0),
            false => columns.product(i, j).unwrap(),
        };
        let gram = (0..rows.len()).map(|j| (0..=j).map(|i| product(i, j)).collect()).collect();
        let gram = Gram { rows: gram, count: schedule.count(), apart, is_even: false, best: Real::int(0), tried: 0 };
        let most = by_all(&rows, schedule, false).1;
        let above = crate::source::units(gram.sum_of_rows().unwrap(), crate::real::w());
        assert!(above >= most, "{rows:?}: {above} {most}");
        exact += u32::from(above == most);
    }
    assert!((50..200).contains(&exact), "{exact}");
}

/// A Toeplitz matrix of few steps, whose column need not fall, against all patterns.
#[test]
fn columns_that_do_not_fall() {
    let mut random = Random::new(31);
    let mut exact = 0;
    for round in 0..200 {
        crate::work::begin(None);
        let steps = 2 + random.below(5);
        let column: Vec<_> = (0..steps + 1)
            .map(|_| whole(i64::try_from(random.below(6)).unwrap() - if round % 4 == 0 { 3 } else { 0 }))
            .collect();
        let schedule = Schedule { steps, most: 1 + random.below(steps), apart: 1 + random.below(steps) };
        let rows: Vec<Vec<BigRational>> =
            (1..=column.len() - 1).map(|length| column.iter().take(length).rev().cloned().collect()).collect();
        for is_even in [false, true] {
            let most = if is_even { steps.div_ceil(schedule.apart) } else { schedule.most };
            let schedule = Schedule { most, ..schedule };
            let matrix = Matrix::Toeplitz(Column::new(&column, steps), steps);
            let (low, high) = matrix.square(schedule, is_even).unwrap();
            let (least, most) = by_all(&rows, schedule, is_even);
            assert!(low <= least && least <= high, "{column:?}: {low} {least} {high}");
            assert!(round % 4 == 0 || is_even || (low == high && low == most), "{column:?}: {low} {most} {high}");
            exact += u32::from(low == high);
        }
    }
    assert!(exact > 300, "{exact}");
}

/// Of too many patterns the first ones alone are looked at: the last ones are no heavier than what the rows give, rounded up.
#[test]
fn rows_bound_the_patterns_that_are_not_looked_at() {
    crate::work::begin(None);
    let entry = |row: usize, column: usize| whole(if row == column && row >= 15 { 100 } else { 1 });
    let rows: Vec<Vec<BigRational>> = (0..30).map(|row| (0..=row).map(|column| entry(row, column)).collect()).collect();
    let columns = Columns::of_rows(&rows, 30).unwrap();
    let (low, high) = columns.square(Schedule { steps: 30, most: 15, apart: 1 }, false).unwrap();
    let of_last = |row: &Vec<BigRational>| row.iter().skip(15).sum::<BigRational>().pow(2);
    let heaviest: BigRational = rows.iter().map(of_last).sum();
    assert!(low < heaviest && heaviest <= high, "{low} {heaviest} {high}");
    let mut random = Random::new(37);
    let mut wide = 0;
    for _ in 0..10 {
        crate::work::begin(None);
        let mut entry = || BigRational::new((1 + random.below(20)).into(), 7.into());
        let rows: Vec<Vec<BigRational>> = (1..=17).map(|length| (0..length).map(|_| entry()).collect()).collect();
        let all = Schedule { steps: 17, most: 17, apart: 1 };
        let (low, high) = in_units(12, 12, || Columns::of_rows(&rows, 17)?.square(all, false)).unwrap();
        let truth = rows.iter().map(|row| row.iter().sum::<BigRational>().pow(2)).sum();
        assert!(low <= truth && truth <= high, "{rows:?}: {low} {truth} {high}");
        wide += u32::from(high > truth);
    }
    assert!(wide > 5, "{wide}");
}
