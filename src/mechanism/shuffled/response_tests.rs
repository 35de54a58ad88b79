//! Counts of answers at a few bits against exact ones.

use super::*;

#[test]
fn masses_at_few_bits() {
    for odds in [
        Rational::from(3),
        Rational::from((9, 4)),
        Rational::from((101, 100)),
    ] {
        let epsilon = Epsilon::log_of(odds).unwrap();
        for (users, answers) in [(1u64, 2u64), (3, 2), (3, 3), (2, 4)] {
            for response in ShuffledResponse::all(users, &epsilon, answers).unwrap() {
                let (p, with) = response.exact().unwrap();
                assert_eq!(p.iter().sum::<Rational>(), 1);
                assert_eq!(with.iter().sum::<Rational>(), 1);
                for bits in [4, 9, 70] {
                    let found = response.masses(bits).unwrap();
                    assert_eq!(found.len(), p.len());
                    for ((null, other), (p, with)) in found.iter().zip(p.iter().zip(&with)) {
                        assert!(
                            null.contains(p) && other.contains(with),
                            "{bits} {response:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Of two users one is another one, who holds either value; of three there are three histograms.
#[test]
fn all_that_others_may_hold() {
    let count = |users| {
        ShuffledResponse::all(users, &Epsilon::from(Rational::from(1)), 2)
            .unwrap()
            .len()
    };
    assert_eq!([count(1), count(2), count(3)], [1, 2, 3]);
}
