//! Sorting real numbers that are known by enclosure first and compared exactly only where that is needed.

use std::cmp::Ordering;

use crate::kernel::Interval;

/// Sorts distinct numbers. `compare` is asked only about pairs whose enclosures overlap.
/// `None` if it cannot tell two of them apart.
pub(crate) fn increasing<T>(
    mut items: Vec<(Interval, T)>,
    compare: impl Fn(&T, &T) -> Option<Ordering>,
) -> Option<Vec<T>> {
    items.sort_unstable_by(|(a, _), (b, _)| a.lo().total_cmp(b.lo()));
    // Insertion into the sorted part: enclosures are narrow, so few pairs are out of order.
    for end in 1..items.len() {
        let mut place = end;
        while let Some(previous) = place.checked_sub(1) {
            let (Some((a, x)), Some((b, y))) = (items.get(previous), items.get(place)) else {
                return None;
            };
            if a.certainly_lt(b) {
                break;
            }
            match compare(x, y)? {
                Ordering::Less => break,
                Ordering::Equal => return None,
                Ordering::Greater => items.swap(previous, place),
            }
            place = previous;
        }
    }
    Some(items.into_iter().map(|(_, item)| item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(x: i64) -> (Interval, i64) {
        let low = Interval::from_i64(x - 3, 64);
        (low.hull(&Interval::from_i64(x + 2, 64)), x)
    }

    #[test]
    fn overlapping_enclosures_are_put_in_true_order() {
        let items = [5, 1, 9, 2, 4, 3, 20, 8].map(around).to_vec();
        let sorted = increasing(items, |a, b| Some(a.cmp(b)));
        assert_eq!(sorted, Some(vec![1, 2, 3, 4, 5, 8, 9, 20]));
        let close = [1, 2].map(around).to_vec();
        assert_eq!(increasing(close, |_, _| None), None);
    }
}
