//! Groups of rows.

use super::*;

/// Rows of one kind of gain each, whose largest the tree finds by dividing groups, and not all of them.
#[test]
fn groups_are_divided_where_they_decide() {
    let gains = |i: usize, j: usize| -> Vec<u128> {
        // Largest for (i, j) = (5, 2) at the first place and for (0, 7) at the second.
        let near = |x: usize, y: usize| (1u128 << 60) >> (i.abs_diff(x) + j.abs_diff(y)).min(40);
        vec![near(5, 2), near(0, 7)]
    };
    let places: Vec<(usize, usize)> = (0..8).flat_map(|i| (0..8).map(move |j| (i, j))).collect();
    let rows = places.iter().map(|&(i, j)| Row {
        place: (i, j),
        gains: gains(i, j),
    });
    let tree = Tree::new(rows.collect());
    // Each group is above all of its rows.
    for node in &tree.nodes {
        for child in &node.children {
            let below = &tree.nodes[*child].gains;
            assert!(node.gains.iter().zip(below).all(|(a, b)| a >= b));
        }
    }
    let asked = std::cell::Cell::new(0);
    let found = tree.largest(3, &tree.root, |nodes| {
        asked.set(asked.get() + nodes.len());
        Ok(nodes
            .iter()
            .map(|node| tree.nodes[*node].gains.clone())
            .collect())
    });
    let (top, active) = found.unwrap();
    assert_eq!(top, [1 << 60, 1 << 60]);
    assert!(asked.get() < 40, "{}", asked.get());
    // Together they are all rows.
    fn leaves(tree: &Tree, node: usize) -> usize {
        let children = &tree.nodes[node].children;
        children
            .iter()
            .map(|child| leaves(tree, *child))
            .sum::<usize>()
            .max(1)
    }
    assert_eq!(
        active
            .iter()
            .map(|node| leaves(&tree, *node))
            .sum::<usize>(),
        64
    );
}
