//! Products by stretches against sums term by term.

use super::*;

use crate::composition::fixed_batches::tree::{Row, Tree};

/// Rows that fall on both sides of r = 1, as of steps, and all of them together.
fn nodes(reach: usize, rows: &[(f64, f64)]) -> Vec<Node> {
    nodes_in(reach, rows, 20)
}

/// In so many bits less than all.
fn nodes_in(reach: usize, rows: &[(f64, f64)], coarser: u32) -> Vec<Node> {
    let digits = i32::try_from(80 - coarser).unwrap();
    let ratios = -(reach as i32)..=2 * reach as i32;
    let rows = rows.iter().enumerate().map(|(place, (fall, height))| {
        let gain =
            |k: f64| ((height * (-fall * k.abs()).exp() * 2f64.powi(digits)) as u128) << coarser;
        Row {
            place: (place, 0),
            gains: ratios.clone().map(|k| gain(f64::from(k))).collect(),
        }
    });
    Tree::new(rows.collect()).nodes
}

fn check(nodes: &[Node], reach: usize, is_split: bool) {
    for shrink in [0, 3] {
        check_with(nodes, reach, is_split, shrink);
    }
}

/// With weights that are together 2 at most, or less by so many powers of two.
fn check_with(nodes: &[Node], reach: usize, is_split: bool, shrink: u32) {
    let stretches = Stretches::new(nodes, reach).unwrap().unwrap();
    assert_eq!(stretches.far.is_some(), is_split);
    assert_eq!(stretches.count() > 1, is_split);
    let exact = stretches.exact();
    let weight = |place: usize| u128::from((place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let count = (reach + exact + 1) as u128;
    let weights: Vec<u128> = (0..=reach + exact)
        .map(|place| ((weight(place) << (21 - shrink)) / count) & !((1 << COARSER) - 1))
        .collect();
    let masses: Vec<_> = weights
        .iter()
        .map(|w| Stretches::weight(*w).unwrap())
        .collect();
    let common = stretches.common(&masses, weights.iter().sum()).unwrap();
    let around = largest(nodes.iter().map(|node| &node.gains));
    for (number, node) in nodes.iter().enumerate() {
        let mut found = Vec::new();
        for stretch in 0..stretches.count() {
            let stretch = stretches.stretch(stretch, &masses).unwrap();
            found.extend(stretch.gains(number).unwrap());
        }
        assert_eq!(found.len(), reach + 1);
        for (place, (near, common)) in found.iter().zip(&common).enumerate() {
            let (mut own, mut most) = (0f64, 0f64);
            let mut exact_own = rug::Integer::new();
            for (at, weight) in weights.iter().enumerate() {
                let ratio = (place + exact + reach) as i64 - at as i64;
                let at = usize::try_from(ratio).unwrap();
                let share = *weight as f64 / ONE;
                own += share * node.gains[at] as f64;
                exact_own += rug::Integer::from(*weight) * node.gains[at];
                let is_near = at.abs_diff(reach) <= stretches.near;
                let row = if is_near { &node.gains } else { &around };
                most += share * row[at] as f64;
            }
            // To the last unit.
            let whole = rug::Integer::from(near + common) << UNIT_BITS;
            assert!(whole >= exact_own, "{number} {place}: {whole} {exact_own}");
            let found = (near + common) as f64;
            // The units of rows count once for each weight, and the rest beyond all ratios.
            let rounding = 2f64.powi(26) + 4.0 * stretches.beyond as f64;
            assert!(found >= own * (1.0 - 1e-12), "{number} {place}");
            assert!(
                found <= most * (1.0 + 1e-12) + rounding,
                "{number} {place}: {found} {most}"
            );
        }
    }
}

const ONE: f64 = 19_342_813_113_834_066_795_298_816.0;

/// At every place, whether a stretch ends there or not, what a row gains in all, and no more than with the largest row far away.
#[test]
fn gains_by_stretches_are_sums_over_all_weights() {
    assert_eq!(ONE, 2f64.powi(84));
    let narrow = nodes(400, &[(0.3, 0.01), (0.2, 0.004), (0.35, 0.02)]);
    check(&narrow, 400, true);
    let wide = nodes(90, &[(0.01, 0.01), (0.02, 0.015)]);
    check(&wide, 90, false);
}

/// Rows of few digits, so that none of them is rounded: only the products are, to the last unit.
#[test]
fn products_are_rounded_up() {
    for coarser in [30, 40] {
        check(
            &nodes_in(90, &[(0.01, 0.01), (0.02, 0.015)], coarser),
            90,
            false,
        );
    }
    for (x, coarser, truth) in [
        (0u128, 3u32, 0u64),
        (1, 3, 1),
        (8, 3, 1),
        (9, 3, 2),
        (7, 0, 7),
    ] {
        assert_eq!(mass(x, coarser).unwrap().limbs(), &[truth]);
    }
    assert!(mass(1 << 70, 3).is_err());
    assert_eq!(Stretches::weight((1 << COARSER) + 1).unwrap().limbs(), &[2]);
}

/// Rows that are larger on the left, and there as far as the lattice reaches: beyond all ratios that count one number stands for them.
#[test]
fn what_is_beyond_all_ratios() {
    let row = |k: i64| {
        let size = k.unsigned_abs();
        let near = (1u128 << 57) >> (4 * size).min(60);
        let tail = (1u128 << 22) >> (size / 14).min(60);
        (near + u128::from(k < 0) * (tail + 1)) << COARSER
    };
    let reach = 400;
    let rows = vec![Row {
        place: (0, 0),
        gains: (-400..=800).map(row).collect(),
    }];
    let nodes = Tree::new(rows).nodes;
    let stretches = Stretches::new(&nodes, reach).unwrap().unwrap();
    assert!(stretches.exact < reach && stretches.beyond == 1 << COARSER);
    check(&nodes, reach, true);
    // As many stretches as it takes.
    let mut stretches = stretches;
    for (reach, count) in [(1, 2), (2, 3)] {
        stretches.reach = stretches.places * reach;
        assert_eq!(stretches.count(), count);
    }
}

/// Rows of few digits that end before the lattice does: of what is found nothing stands for more than there is, but for what is rounded up.
#[test]
fn rows_that_end_are_rounded_up() {
    let row = |k: i64| match 20u64.checked_sub(k.unsigned_abs()) {
        Some(left) => (u128::from(left + 1) << 74) + (1 << 24),
        None => 0,
    };
    let rows = vec![Row {
        place: (0, 0),
        gains: (-90..=180).map(row).collect(),
    }];
    let nodes = Tree::new(rows).nodes;
    let stretches = Stretches::new(&nodes, 90).unwrap().unwrap();
    assert!(stretches.beyond == 0 && stretches.far.is_none());
    check(&nodes, 90, false);
}

/// Rows of very different sums: the largest sum decides in which units all of them fit.
#[test]
fn sums_that_are_large() {
    check(&nodes(90, &[(0.01, 0.5), (0.3, 0.000_001)]), 90, false);
}

/// Rows of another length than the lattice are refused.
#[test]
fn rows_have_three_times_the_reach() {
    assert!(
        Stretches::new(&nodes(20, &[(0.1, 0.1)]), 21)
            .unwrap()
            .is_none()
    );
}
