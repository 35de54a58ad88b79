//! Theta sums from a few terms: all that is beyond them is within.

use super::*;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

#[test]
fn sums_of_few_terms_enclose_all() {
    let budget = Budget::unlimited();
    for (variance, centre) in [
        (q(7, 1), q(1, 3)),
        (q(3, 1), q(0, 1)),
        (q(1, 2), q(9, 10)),
        (q(20, 1), q(1, 2)),
    ] {
        let fine = theta(&variance, &centre, 200, 150, &budget).unwrap();
        let twice = Rational::from(&variance * 2u32).to_f64();
        let terms = (-200..=200i32).map(|k| {
            let off = f64::from(k) - centre.to_f64();
            (-off * off / twice).exp()
        });
        let truth: f64 = terms.sum();
        assert!((fine.middle().to_f64() - truth).abs() < 1e-12 * truth);
        for reach in [1, 2, 3, 5, 9] {
            let found = theta(&variance, &centre, reach, 100, &budget).unwrap();
            assert!(
                found.lo() <= fine.lo() && fine.hi() <= found.hi(),
                "{variance} {centre} {reach}: {found:?} {fine:?}"
            );
        }
    }
}
