//! Chances at few bits, and their ends, against exact sums.

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// Each bound is on its side of the probability that it bounds, however few bits are kept.
#[test]
fn bounds_at_few_bits() {
    for (n, cap, rate) in [
        (5u64, 2u64, q(1, 3)),
        (9, 1, q(1, 10)),
        (9, 4, q(3, 10)),
        (30, 3, q(1, 5)),
        (40, 37, q(9, 10)),
        (2, 2, q(1, 7)),
    ] {
        let mass =
            |k: u64| exact_tail(n - 1, &rate, k) - exact_tail(n - 1, &rate, k.saturating_add(1));
        let before_last = cap.checked_sub(2).map_or_else(Rational::new, mass);
        let exact = Chances::of(&rate, n, cap);
        assert_eq!(exact.before_last, before_last, "{n} {cap}");
        for bits in [4, 6, 9, 14, 200] {
            let found = at_most_bits(bits, || Chances::enclosed(&rate, n, cap));
            for (least, truth) in [
                (&found.before_last, &before_last),
                (&found.last, &exact.last),
                (&found.full, &exact.full),
                (&found.displacing, &exact.displacing),
                (&exact.full, &found.full_upper),
                (&exact.displacing, &found.displacing_upper),
            ] {
                assert!(least <= truth, "{n} {cap} {bits}: {least} {truth}");
            }
        }
    }
}

/// Where all are drawn, the size of the batch is certain.
#[test]
fn all_are_drawn() {
    let certain = |holds: bool| Rational::from(u32::from(holds));
    for n in 1..7u64 {
        for cap in 1..8u64 {
            let others = n - 1;
            let found = Chances::of(&q(1, 1), n, cap);
            let displacing = certain(n > cap) * Rational::from((cap, n));
            let expected = Chances {
                before_last: certain(others + 2 == cap),
                last: certain(others + 1 == cap),
                full: certain(others >= cap),
                full_upper: certain(others >= cap),
                displacing: displacing.clone(),
                displacing_upper: displacing,
            };
            assert_eq!(found, expected, "{n} {cap}");
        }
    }
}

/// What is next to nothing is 0 from below, and still something from above.
#[test]
fn probabilities_next_to_nothing() {
    let tiny = Float::with_val(BITS, 1) >> (SMALLEST_BITS + 50);
    let half = Float::with_val(BITS, 0.5);
    for (low, high) in [(&tiny, &half), (&tiny, &tiny), (&half, &half)] {
        let found = Bounds::few(&Interval::spanning(low.clone(), high.clone()));
        assert!(found.lower <= low.to_rational().unwrap());
        assert!(found.upper >= high.to_rational().unwrap());
    }
}

/// The same of random laws, once each.
#[test]
fn random_bounds_at_few_bits() {
    let mut random = Random(31);
    for _ in 0..2_300 {
        let n = 2 + random.below(11);
        let cap = 1 + random.below(n);
        let rate = q(1 + i64::try_from(random.below(30)).unwrap(), 32);
        let bits = 3 + u32::try_from(random.below(20)).unwrap();
        let exact = Chances::of(&rate, n, cap);
        let found = at_most_bits(bits, || Chances::enclosed(&rate, n, cap));
        for (least, truth) in [
            (&found.before_last, &exact.before_last),
            (&found.last, &exact.last),
            (&found.full, &exact.full),
            (&found.displacing, &exact.displacing),
            (&exact.full, &found.full_upper),
            (&exact.displacing, &found.displacing_upper),
        ] {
            assert!(least <= truth, "{n} {cap} {rate} {bits}: {least} {truth}");
        }
    }
}
