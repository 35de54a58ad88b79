//! Divergences between listed orders.

use super::*;

fn q(n: i32, d: u32) -> Rational {
    Rational::from((n, d))
}

/// By hand: (t − 1)·D_t is at most 0, 1/10 and 9/10 at 1, 2 and 4, so at most 1/2 at 3 and 1/20 at 3/2.
#[test]
fn chords_by_hand() {
    let orders = [(q(4, 1), q(3, 10)), (q(2, 1), q(1, 10))];
    for (order, most) in [
        (q(3, 1), Some(q(1, 4))),
        (q(3, 2), Some(q(1, 10))),
        (q(1, 1), Some(q(1, 10))),
        (q(1, 2), Some(q(1, 10))),
        (q(2, 1), Some(q(1, 10))),
        (q(4, 1), Some(q(3, 10))),
        (q(41, 10), None),
    ] {
        assert_eq!(between(&orders, &order), most, "{order}");
    }
    // An order that says more than its neighbours.
    let orders = [(q(2, 1), q(5, 1)), (q(3, 1), q(1, 1)), (q(5, 1), q(2, 1))];
    assert_eq!(between(&orders, &q(2, 1)), Some(q(1, 1)));
    // From 3 to 5: (t − 1)·D_t is at most 2 and 8.
    assert_eq!(between(&orders, &q(4, 1)), Some(q(5, 3)));
}

/// Pairs of two outcomes have no more at any order than what their divergences at others say.
#[test]
fn pairs_are_below_their_chords() {
    let divergence = |t: f64, p: f64, q: f64| {
        let sum = q.powf(t) * p.powf(1.0 - t) + (1.0 - q).powf(t) * (1.0 - p).powf(1.0 - t);
        sum.ln() / (t - 1.0)
    };
    let mut is_near = false;
    for (p, r) in [(0.25, 0.5), (0.01, 0.3), (0.5, 0.6), (0.9, 0.2)] {
        let listed = [1.5, 2.0, 3.5, 6.0, 20.0];
        let known = listed.map(|t| {
            let most = Rational::from_f64(divergence(t, p, r) + 1e-12).unwrap();
            (Rational::from_f64(t).unwrap(), most)
        });
        for t in [1.1, 1.75, 2.5, 3.0, 5.0, 7.0, 15.0] {
            let most = between(&known, &Rational::from_f64(t).unwrap())
                .unwrap()
                .to_f64();
            let truth = divergence(t, p, r);
            assert!(most >= truth, "{p} {r} {t}: {most} {truth}");
            is_near |= most < truth * 1.01 && !listed.contains(&t);
        }
    }
    assert!(is_near);
}
