//! Every squared sensitivity against all patterns, one by one.

use rug::{Integer, Rational};

use super::*;

/// A linear congruential generator (Knuth's MMIX), so that failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn rational(&mut self, least: i64) -> Rational {
        let numerator = i64::try_from(self.below(9)).unwrap() + least;
        Rational::from((numerator, self.below(5) + 1))
    }
}

/// Every pattern, by the definition.
fn patterns(steps: u64, most: u64, separation: u64) -> Vec<Vec<u64>> {
    (0..1u64 << steps)
        .map(|set| (0..steps).filter(|step| set >> step & 1 == 1).collect())
        .filter(|pattern: &Vec<u64>| {
            u64::try_from(pattern.len()).unwrap() <= most
                && pattern
                    .windows(2)
                    .all(|pair| pair[1] - pair[0] >= separation)
        })
        .collect()
}

/// Σ over complete dyadic blocks of the squared number of steps in them, node by node.
fn of_nodes(steps: u64, pattern: &[u64]) -> u64 {
    let mut sum = 0;
    let mut size = 1;
    while size <= steps {
        let mut start = 0;
        while start + size <= steps {
            let inside = pattern
                .iter()
                .filter(|step| (start..start + size).contains(*step));
            sum += u64::try_from(inside.count()).unwrap().pow(2);
            start += size;
        }
        size *= 2;
    }
    sum
}

#[test]
fn trees_of_up_to_twelve_steps() {
    for steps in 1..=12 {
        for most in 1..=steps + 1 {
            for separation in 1..=steps + 1 {
                let all = patterns(steps, most, separation);
                let best = all
                    .iter()
                    .map(|pattern| of_nodes(steps, pattern))
                    .max()
                    .unwrap();
                let found = tree_sensitivity(steps, Participation::new(most, separation));
                let place = format!("{steps} steps, {most} times, {separation} apart");
                assert_eq!(found.attained(), Some(&Rational::from(best)), "{place}");
            }
        }
    }
}

/// The closed bounds alone, which are what trees with very many participations get.
#[test]
fn closed_bounds_of_trees() {
    for steps in 1..=12 {
        for most in 1..=steps + 1 {
            for separation in 1..=steps + 1 {
                let leftmost: Vec<u64> = (0..steps)
                    .step_by(usize::try_from(separation).unwrap())
                    .take(usize::try_from(most).unwrap())
                    .collect();
                let participation = Participation::new(most, separation);
                let found = super::tree::closed_bounds(steps, participation);
                let best = tree_sensitivity(steps, participation);
                let place = format!("{steps} steps, {most} times, {separation} apart");
                assert_eq!(found.lower, of_nodes(steps, &leftmost), "{place}");
                assert!(found.upper >= best.upper, "{place}");
            }
        }
    }
}

/// Where the search is needed: 0, b, 2b, … is not the best pattern of a tree.
#[test]
fn the_leftmost_pattern_is_not_always_the_best() {
    let leftmost = of_nodes(16, &[0, 3, 6, 9, 12]);
    let better = of_nodes(16, &[0, 3, 8, 11, 14]);
    assert_eq!((leftmost, better), (55, 57));
    let found = tree_sensitivity(16, Participation::new(5, 3));
    assert_eq!(found.attained(), Some(&Rational::from(57)));
}

#[test]
fn random_trees_of_up_to_eighteen_steps() {
    let mut random = Random(7);
    for _ in 0..crate::test_scale::cases(10) {
        let steps = 13 + random.below(6);
        let most = 1 + random.below(steps);
        let separation = 1 + random.below(steps / 2);
        let all = patterns(steps, most, separation);
        let best = all
            .iter()
            .map(|pattern| of_nodes(steps, pattern))
            .max()
            .unwrap();
        let found = tree_sensitivity(steps, Participation::new(most, separation));
        let place = format!("{steps} steps, {most} times, {separation} apart");
        assert_eq!(found.attained(), Some(&Rational::from(best)), "{place}");
    }
}

/// The levels of one leaf are the bits of the number of steps: the traps are powers of two and their neighbours.
#[test]
fn one_leaf_of_a_tree() {
    let one = Participation::new(1, 1);
    for (steps, levels) in [
        (1, 1),
        (2, 2),
        (3, 2),
        (4, 3),
        (1023, 10),
        (1024, 11),
        (1025, 11),
        (u64::MAX, 64),
    ] {
        let found = tree_sensitivity(steps, one);
        assert_eq!(found.attained(), Some(&Rational::from(levels)), "{steps}");
    }
}

/// Long trees: a search where it is needed, closed forms where they meet.
#[test]
fn long_trees() {
    let every_step = tree_sensitivity(1 << 20, Participation::new(1 << 20, 1));
    // Σ over levels of 2^(20−l) blocks with (2^l)².
    let expected = (0..=20u32).fold(Integer::new(), |sum, level| {
        sum + (Integer::from(1) << (20 + level))
    });
    assert_eq!(every_step.attained(), Some(&Rational::from(expected)));
    let published = tree_sensitivity(2048, Participation::new(6, 342));
    assert!(published.attained().is_some());
    let many = tree_sensitivity(1_000_003, Participation::new(100, 777));
    assert!(many.attained().is_some());
    let too_many = tree_sensitivity(1_000_000_000, Participation::new(300_000_000, 3));
    assert!(too_many.lower <= too_many.upper);
}

/// Σ |G_ij| and the best signs, over all patterns: s² is between them.
fn of_matrix(rows: &[Vec<Rational>], most: u64, separation: u64) -> (Rational, Rational) {
    let all = patterns(u64::try_from(rows.len()).unwrap(), most, separation);
    of_patterns(rows, all, |_| true)
}

fn of_patterns(
    rows: &[Vec<Rational>],
    patterns: Vec<Vec<u64>>,
    which: impl Fn(&Vec<u64>) -> bool,
) -> (Rational, Rational) {
    let steps = rows.len();
    let gram = |i: usize, j: usize| -> Rational {
        (i.max(j)..steps)
            .map(|row| Rational::from(&rows[row][i] * &rows[row][j]))
            .sum()
    };
    let mut signs = Rational::new();
    let mut magnitudes = Rational::new();
    for pattern in patterns.into_iter().filter(which) {
        let pattern: Vec<usize> = pattern
            .iter()
            .map(|step| usize::try_from(*step).unwrap())
            .collect();
        for choice in 0..1u32 << pattern.len().saturating_sub(1) {
            let mut signed = Rational::new();
            let mut absolute = Rational::new();
            for (a, i) in pattern.iter().enumerate() {
                for (b, j) in pattern.iter().enumerate() {
                    let product = gram(*i, *j);
                    absolute += product.clone().abs();
                    if (choice >> a ^ choice >> b) & 1 == 0 {
                        signed += product;
                    } else {
                        signed -= product;
                    }
                }
            }
            signs = signs.max(signed);
            magnitudes = magnitudes.max(absolute);
        }
    }
    (signs, magnitudes)
}

fn toeplitz_rows(column: &[Rational], steps: usize) -> Vec<Vec<Rational>> {
    let entry = |lag: usize| column.get(lag).cloned().unwrap_or_default();
    (0..steps)
        .map(|row| (0..=row).map(|step| entry(row - step)).collect())
        .collect()
}

#[test]
fn random_matrices() {
    let mut random = Random(11);
    for round in 0..300 {
        let least = if round % 2 == 0 { 0 } else { -4 };
        let steps = 1 + random.below(7);
        let rows: Vec<Vec<Rational>> = (1..=steps)
            .map(|row| (0..row).map(|_| random.rational(least)).collect())
            .collect();
        let (most, separation) = (1 + random.below(steps), 1 + random.below(3));
        let matrix = LowerTriangular::of_rows(&rows).unwrap();
        let found = matrix.squared_sensitivity(Participation::new(most, separation));
        let place = format!("{rows:?}, {most} times, {separation} apart");
        let (signs, magnitudes) = of_matrix(&rows, most, separation);
        assert!(found.lower <= signs && signs <= found.upper, "{place}");
        // Few patterns are tried one by one.
        assert_eq!(found.upper, magnitudes, "{place}");
        if least == 0 {
            assert_eq!(found.lower, magnitudes, "{place}");
        }
    }
}

#[test]
fn random_toeplitz_matrices() {
    let mut random = Random(13);
    for round in 0..300u32 {
        let steps = 1 + random.below(8);
        let entries = 1 + random.below(steps);
        let least = if round % 3 == 0 { -4 } else { 0 };
        let mut column: Vec<Rational> = (0..entries).map(|_| random.rational(least)).collect();
        if round % 3 == 2 {
            column.sort_by(|a, b| b.cmp(a));
        }
        let (most, separation) = (1 + random.below(steps), 1 + random.below(3));
        let found =
            Column::of(&column).squared_sensitivity(steps, Participation::new(most, separation));
        let rows = toeplitz_rows(&column, usize::try_from(steps).unwrap());
        let place = format!("{column:?}, {steps} steps, {most} times, {separation} apart");
        let (signs, magnitudes) = of_matrix(&rows, most, separation);
        assert!(found.lower <= signs && signs <= found.upper, "{place}");
        if least == 0 || entries <= separation {
            assert_eq!(found.attained(), Some(&signs), "{place}");
        }
        assert!(found.upper <= magnitudes, "{place}");
    }
}

/// Once in each epoch at the same place: fewer patterns than those at least so far apart.
#[test]
fn random_epochs() {
    let mut random = Random(23);
    for round in 0..200 {
        let least = if round % 2 == 0 { 0 } else { -4 };
        let (epochs, each) = (1 + random.below(3), 1 + random.below(3));
        let steps = epochs * each;
        let rows: Vec<Vec<Rational>> = (1..=steps)
            .map(|row| (0..row).map(|_| random.rational(least)).collect())
            .collect();
        let even = |pattern: &Vec<u64>| pattern.windows(2).all(|pair| pair[1] - pair[0] == each);
        let (signs, magnitudes) = of_patterns(&rows, patterns(steps, epochs, each), even);
        let matrix = LowerTriangular::of_rows(&rows).unwrap();
        let found = matrix.squared_sensitivity(Participation::of_epochs(epochs, each));
        assert!(
            found.lower <= signs && signs <= found.upper,
            "{rows:?} {epochs}"
        );
        assert_eq!(found.upper, magnitudes, "{rows:?} {epochs}");
        if least == 0 {
            assert_eq!(found.lower, magnitudes, "{rows:?} {epochs}");
        }
        let mut column: Vec<Rational> = (0..steps).map(|_| random.rational(0)).collect();
        column.sort_by(|a, b| b.cmp(a));
        let rows = toeplitz_rows(&column, usize::try_from(steps).unwrap());
        let (signs, _) = of_patterns(&rows, patterns(steps, epochs, each), even);
        let found =
            Column::of(&column).squared_sensitivity(steps, Participation::of_epochs(epochs, each));
        assert_eq!(found.attained(), Some(&signs), "{column:?} {epochs}");
    }
}

/// The bounds for many patterns hold, too: they are what long matrices get.
#[test]
fn bounds_without_trying_all_patterns() {
    let mut random = Random(17);
    for round in 0..200 {
        let least = if round % 2 == 0 { 0 } else { -4 };
        let steps = 2 + random.below(6);
        let rows: Vec<Vec<Rational>> = (1..=steps)
            .map(|row| (0..row).map(|_| random.rational(least)).collect())
            .collect();
        let (most, separation) = (1 + random.below(steps), 1 + random.below(3));
        let matrix = LowerTriangular::of_rows(&rows).unwrap();
        let found = matrix.without_trying(Participation::new(most, separation));
        let (signs, magnitudes) = of_matrix(&rows, most, separation);
        assert!(
            found.lower <= signs && magnitudes <= found.upper,
            "{rows:?}"
        );
    }
}

/// The theorem on columns that fall, on its own: no pattern beats 0, b, 2b, ….
#[test]
fn falling_columns_have_the_leftmost_pattern() {
    let mut random = Random(19);
    for _ in 0..200 {
        let steps = 1 + random.below(9);
        let mut column: Vec<Rational> = (0..steps).map(|_| random.rational(0)).collect();
        column.sort_by(|a, b| b.cmp(a));
        let (most, separation) = (1 + random.below(steps), 1 + random.below(4));
        let rows = toeplitz_rows(&column, usize::try_from(steps).unwrap());
        let leftmost: Vec<u64> = (0..most)
            .map(|j| j * separation)
            .filter(|step| *step < steps)
            .collect();
        let norm: Rational = rows
            .iter()
            .map(|row| {
                let sum: Rational = leftmost
                    .iter()
                    .filter_map(|step| row.get(usize::try_from(*step).unwrap()))
                    .sum();
                sum.square()
            })
            .sum();
        let (signs, magnitudes) = of_matrix(&rows, most, separation);
        assert_eq!(
            (&norm, &norm),
            (&signs, &magnitudes),
            "{column:?} {most} {separation}"
        );
    }
}

#[test]
fn the_value_of_the_oracle_table() {
    let column = [(1, 1), (1, 2), (3, 8), (5, 16)].map(Rational::from);
    let found = Column::of(&column).squared_sensitivity(6, Participation::new(3, 2));
    assert_eq!(found.attained(), Some(&Rational::from((813, 128))));
    let found = tree_sensitivity(15, Participation::new(4, 2));
    assert_eq!(found.attained(), Some(&Rational::from(32)));
}

/// Separation is a difference of numbers: with 2, steps 0 and 2 go together, and 0 and 1 do not.
#[test]
fn separation_is_a_difference() {
    let column = [(1, 1), (1, 1)].map(Rational::from);
    let s2 = |separation| {
        let found = Column::of(&column).squared_sensitivity(4, Participation::new(4, separation));
        found.attained().cloned().unwrap()
    };
    assert_eq!(s2(1), 13);
    assert_eq!(s2(2), 4);
    assert_eq!(s2(3), 3);
    assert_eq!(s2(4), 2);
}

#[test]
fn columns_with_long_denominators_are_rounded_both_ways() {
    let column: Vec<Rational> = (1..4000u32).map(|j| Rational::from((1, j))).collect();
    let rounded = Column::of(&column);
    let participation = Participation::new(5, 300);
    let found = rounded.squared_sensitivity(4000, participation);
    assert!(found.lower < found.upper);
    assert!(
        Rational::from(&found.upper - &found.lower) < Rational::from((1, Integer::from(1) << 200))
    );
    // The first entries alone have a short denominator.
    let few = Column::of(&column[..50]).squared_norm();
    assert!(
        few.attained()
            .is_some_and(|norm| *norm < rounded.squared_norm().lower)
    );
}

#[test]
fn buffers_exactly_and_rounded() {
    let buffers = [((1, 2), (9, 10)), ((1, 4), (1, 2))];
    let buffers = buffers.map(|(weight, decay)| (Rational::from(weight), Rational::from(decay)));
    let participation = Participation::new(3, 20);
    let short = blt_column(&buffers, 4);
    // 1, 3/4, 9/20 + 1/8, 81/200 + 1/16
    let entries = [(1, 1), (3, 4), (23, 40), (187, 400)].map(Rational::from);
    let single = Participation::new(1, 1);
    assert_eq!(
        short.squared_sensitivity(4, single),
        Column::of(&entries).squared_sensitivity(4, single)
    );
    let exact =
        Column::of(&super::blt::exact_entries(&buffers, 60)).squared_sensitivity(60, participation);
    let rounded = super::blt::rounded_column(&buffers, 60).squared_sensitivity(60, participation);
    assert!(exact.attained().is_some());
    assert!(rounded.lower < exact.lower && exact.upper < rounded.upper);
    assert!(
        Rational::from(&rounded.upper - &rounded.lower)
            < Rational::from((1, Integer::from(1) << 240))
    );
}

/// 10^5 steps within a second.
#[test]
fn a_hundred_thousand_steps() {
    let buffers = [("0.4", "0.99"), ("0.1", "0.9999"), ("0.2", "0.8")]
        .map(|(weight, decay)| {
            [weight, decay].map(|text| crate::number::parse_rational(text).unwrap())
        })
        .map(|[weight, decay]| (weight, decay));
    let found =
        blt_column(&buffers, 100_000).squared_sensitivity(100_000, Participation::new(20, 4_000));
    assert!(found.lower > 20);
    assert!(
        Rational::from(&found.upper - &found.lower) < Rational::from((1, Integer::from(1) << 200))
    );
}

/// Columns whose entries are known between two whole numbers, against every column between them.
#[test]
fn columns_known_by_intervals() {
    let mut random = Random(77);
    for round in 0..200 {
        let bands = 1 + random.below(3);
        let ends: Vec<(i64, i64)> = (0..bands)
            .map(|_| {
                let low = i64::try_from(random.below(9)).unwrap() - 4;
                (low, low + i64::try_from(random.below(3)).unwrap())
            })
            .collect();
        let enclosed = ends.iter().map(|(low, high)| super::toeplitz::Enclosed {
            lower: Integer::from(*low),
            upper: Integer::from(*high),
        });
        let column = Column::between(Integer::from(3), enclosed.collect());
        assert_eq!(
            column.bands(),
            ends.iter()
                .rposition(|end| *end != (0, 0))
                .map_or(0, |last| last + 1)
        );
        // All columns between the ends.
        let mut all: Vec<Vec<i64>> = vec![Vec::new()];
        for (low, high) in &ends {
            let longer = all.iter().flat_map(|start| {
                (*low..=*high).map(move |next| {
                    let mut longer = start.clone();
                    longer.push(next);
                    longer
                })
            });
            all = longer.collect();
        }
        for exact in &all {
            let rational: Vec<Rational> = exact.iter().map(|x| Rational::from((*x, 3))).collect();
            let norm: Rational = rational
                .iter()
                .map(|x| Rational::from(x.square_ref()))
                .sum();
            let found = column.squared_norm();
            assert!(
                found.lower <= norm && norm <= found.upper,
                "{round} {ends:?}"
            );
            let steps = 4;
            for (most, apart) in [(1, 1), (2, 1), (2, 2), (3, 1), (2, 3)] {
                let participation = Participation::new(most, apart);
                let truth = Column::of(&rational).squared_sensitivity(steps, participation);
                let found = column.squared_sensitivity(steps, participation);
                assert!(
                    found.lower <= truth.upper && truth.lower <= found.upper,
                    "{round} {ends:?} {exact:?} {most} {apart}"
                );
            }
        }
    }
}
