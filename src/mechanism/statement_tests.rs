//! Which tables of priors are taken.

use super::*;

fn table(points: &[(i64, i64)]) -> Result<Prior, OutOfRange> {
    let tenth = |n: i64| Rational::from((n, 10));
    Prior::table(points.iter().map(|(x, y)| (tenth(*x), tenth(*y))).collect())
}

#[test]
fn tables_of_two_points_that_rise() {
    assert!(table(&[(1, 5), (2, 0)]).is_ok());
    assert!(table(&[(0, 5), (3, 7), (10, 0)]).is_ok());
    for (points, words, index) in [
        (&[(1, 5)][..], "at least two points", None),
        (&[], "at least two points", None),
        (&[(1, 5), (1, 6)], "must increase", Some(1)),
        (&[(1, 5), (4, 6), (3, 6)], "must increase", Some(2)),
        (&[(4, 5), (1, 6)], "must increase", Some(1)),
        (&[(1, 5), (11, 6)], "points", Some(1)),
        (&[(1, -5), (2, 6)], "points", Some(0)),
    ] {
        let error = table(points).unwrap_err();
        assert_eq!(error.parameter(), "points");
        assert_eq!(error.index(), index, "{points:?}");
        assert!(error.to_string().contains(words), "{points:?}: {error}");
    }
}
