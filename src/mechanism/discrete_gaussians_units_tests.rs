//! Sums of a law that is not listed as a whole, to the last unit, and places of which e^ε is known better than ε.

use super::*;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// Halves and quarters are listed, and of the rest it is known that it is at most so much on either side.
#[test]
fn what_is_not_listed_counts_to_the_last_unit() {
    let small = |n: u32, shift: u32| Float::with_val(200, n) >> shift;
    let up_to = |most: Float| Interval::spanning(Float::new(200), most);
    let point = |d: i64| Interval::from_rational(&q(1, d), 200);
    for (below, above) in [(3u32, 1u32), (1, 3)] {
        for (digits, shift) in [(20u32, 50u32), (60, 50), (90, 30)] {
            let law = LatticeMasses {
                step: q(1, 1),
                offset: q(0, 1),
                first_index: 0,
                masses: vec![point(2), point(4)],
                mass_below: up_to(small(below, shift)),
                mass_above: up_to(small(above, shift)),
            };
            let tails = Tails::of(&law, 1, digits);
            let missing = q(4, 1) >> shift;
            for (k, listed) in [(0, q(3, 4)), (1, q(1, 4)), (2, q(0, 1)), (9, q(0, 1))] {
                let found = tails.from(k);
                let most = Rational::from(&listed + &missing);
                assert!(*found.hi() >= most, "{below} {digits} {k}");
                assert!(*found.lo() <= listed, "{below} {digits} {k}");
            }
            // Before the list all of it, and up to 1.
            let found = tails.from(-1);
            assert!(found.contains(&q(3, 4)) && found.contains(&q(1, 1)));
        }
    }
}

/// Where a threshold may be at several places none of them is taken for it.
#[test]
fn thresholds_that_are_hardly_known() {
    let pair = DiscreteGaussian::new(&q(3, 1), 1).unwrap();
    let sums = DiscreteGaussians::new(&pair, 4).unwrap();
    for n in -9..=9 {
        let epsilon = q(n, 9);
        let fine = sums.at(&Point::at_epsilon(&epsilon, 200));
        let exp = Interval::from_rational(&epsilon, 200).exp();
        for (before, after) in [(1, 0), (0, 1), (1, 1), (2, 1)] {
            let end = |by: i32| Interval::from_rational(&Rational::from(&epsilon + by), 200);
            let log = end(-before).hull(&end(after));
            let found = sums.at(&Point::at_both(log, exp.clone()));
            for (found, fine) in [
                (&found.delta, &fine.delta),
                (&found.null_tail, &fine.null_tail),
            ] {
                let holds = found.lo() <= fine.hi() && found.hi() >= fine.lo();
                assert!(holds, "{epsilon} {before} {after}: {found:?} {fine:?}");
            }
        }
    }
}
