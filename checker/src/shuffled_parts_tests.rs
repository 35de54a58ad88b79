//! Parts of the sums of shuffled reports, each by its formula.

use num_rational::BigRational;
use num_traits::pow;

use super::*;
use crate::coarse::{ends, in_units};
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn choose(n: u64, k: u64) -> BigRational {
    (0..k).map(|i| BigRational::new((n - i).into(), (i + 1).into())).product()
}

fn holds(found: &Real, truth: &BigRational) -> bool {
    let (low, high) = ends(found);
    low <= *truth && *truth <= high
}

#[test]
fn shares_are_rounded_to_their_sides() {
    for (n, d, low, high) in [(1, 2, 3, 4), (2, 3, 4, 5), (3, 7, 3, 3), (0, 5, 0, 0), (5, 0, 35, 35)] {
        let found = share(&Real::new(7.into(), 7.into()), n, d);
        assert_eq!((found.lo, found.hi), (low.into(), high.into()), "{n} {d}");
    }
}

/// What a walk does not write down: of a geometric series all of it, of masses that end nothing.
#[test]
fn what_is_beyond_a_walk() {
    work::begin(None);
    for (n, d) in [(1, 2), (1, 3), (2, 3), (6, 7)] {
        let (all, rest) = walk(1 << 20, |_, x| share(x, n, d)).unwrap();
        let ratio = BigRational::new(n.into(), d.into());
        let last = pow(ratio.clone(), all.len() + 1);
        let truth = last / (q(1, 1) - &ratio);
        let (low, high) = ends(&rest);
        assert!(low <= q(0, 1) && truth <= high, "{n} {d}");
        assert!(high < &truth * q(11, 10) && all.iter().zip(1..).all(|(x, k)| holds(x, &pow(ratio.clone(), k))));
    }
    let (all, rest) = walk(5, |i, x| share(x, 5 - i, i + 1)).unwrap();
    let masses: Vec<_> = (1..=5).map(|k| choose(5, k)).collect();
    assert!(all.len() == 5 && all.iter().zip(&masses).all(|(x, mass)| holds(x, mass)));
    assert!(rest.lo.is_zero() && rest.hi.is_zero());
}

/// All masses add up to (1 + r)^n over the largest one, also where hardly any of them are written down on one side.
#[test]
fn totals_of_binomial_laws() {
    for (n, odds) in [
        (1, q(1, 1)),
        (7, q(2, 3)),
        (1500, q(1, 1)),
        (1500, q(1, 9)),
        (1500, q(9, 1)),
        (2000, q(1, 40)),
        (2000, q(40, 1)),
    ] {
        work::begin(None);
        let law = Binomial::new(n, &Real::of(&odds)).unwrap();
        let mode = law.masses.iter().position(|mass| mass.lo == one().lo && mass.hi == one().hi).unwrap();
        let mode = law.first + u64::try_from(mode).unwrap();
        let whole = |k: u64| usize::try_from(k).unwrap();
        let largest = choose(n, mode) * pow(odds.clone(), whole(mode));
        assert!(holds(&law.total, &(pow(&odds + q(1, 1), whole(n)) / largest)), "{n} {odds}");
    }
}

/// P(heads = `upto` − 1), P(heads = `upto`) and P(heads < `upto`), as they are made, and one place and one coin further.
#[test]
fn heads_by_all_tosses() {
    let of = |coins: u64, heads: u64| {
        if heads > coins { q(0, 1) } else { choose(coins, heads) / pow(q(2, 1), usize::try_from(coins).unwrap()) }
    };
    let is_right = |found: &Heads| {
        let (coins, upto) = (found.coins, found.upto);
        let before = if upto == 0 { q(0, 1) } else { of(coins, upto - 1) };
        let below: BigRational = (0..upto).map(|heads| of(coins, heads)).sum();
        assert!(
            holds(&found.before, &before) && holds(&found.at, &of(coins, upto)) && holds(&found.below, &below),
            "{coins} {upto}"
        );
    };
    for coins in 0..14 {
        for upto in 0..=coins / 2 + 1 {
            work::begin(None);
            let mut found = Heads::new(coins, upto).unwrap();
            is_right(&found);
            if upto <= coins {
                found.right();
                is_right(&found);
            }
            found.toss();
            is_right(&found);
        }
    }
}

/// What is not looked at: further numbers of coins, and with a third value one coin less than the least.
#[test]
fn what_is_left_out() {
    work::begin(None);
    let mut reports = Shuffled::new(Reports::Clones, 4, &Epsilon::LogOf(q(3, 1))).unwrap();
    let (mass, rest) = (BigInt::from(1000), BigInt::from(7));
    for (first, expected) in [(0, 7), (1, 1007), (2, 1007), (9, 1007)] {
        reports.law = Binomial {
            first,
            masses: vec![Real::new(mass.clone(), mass.clone()), one()],
            total: one(),
            rest: Real::new(BigInt::zero(), rest.clone()),
        };
        assert_eq!(reports.left_out().hi, BigInt::from(expected), "{first}");
    }
}

/// δ and s of coins at the thresholds themselves, and a unit beside them, in units in which a threshold is not told there: between the sums in fractions.
#[test]
fn next_to_the_thresholds_of_coins() {
    for (of, others, e) in
        [(Reports::Clones, 5, q(5, 2)), (Reports::Clones, 8, q(7, 1)), (Reports::Blanket { answers: 2 }, 6, q(9, 4))]
    {
        let [a, b] = [&e / (&e + q(1, 1)), (&e + q(1, 1)).recip()];
        let rate = match of {
            Reports::Clones => e.recip(),
            _ => q(2, 1) / (&e + q(1, 1)),
        };
        let mut pairs = Vec::new();
        for coins in 0..=others {
            let weight = choose(others, coins)
                * pow(rate.clone(), usize::try_from(coins).unwrap())
                * pow(q(1, 1) - &rate, usize::try_from(others - coins).unwrap());
            let heads = |k: u64| {
                if k > coins { q(0, 1) } else { choose(coins, k) / pow(q(2, 1), usize::try_from(coins).unwrap()) }
            };
            for k in 0..=coins + 1 {
                let before = if k == 0 { q(0, 1) } else { heads(k - 1) };
                pairs.push((&weight * (&a * &before + &b * heads(k)), &weight * (&b * &before + &a * heads(k))));
            }
        }
        let ties: Vec<_> =
            pairs.iter().filter(|(p, _)| p.is_positive()).map(|(p, q)| q / p).filter(|u| *u > q(1, 1)).collect();
        for u in ties {
            for off in -3..=3 {
                for reals in [24, 27, 31] {
                    let u = &u + BigRational::new(off.into(), BigInt::one() << (reals + 1));
                    let (mut delta, mut above, mut at_least) = (q(0, 1), q(0, 1), q(0, 1));
                    for (p, q) in &pairs {
                        delta += (q - &u * p).max(BigRational::zero());
                        above += if *q > &u * p { p.clone() } else { BigRational::zero() };
                        at_least += if *q >= &u * p { p.clone() } else { BigRational::zero() };
                    }
                    work::begin(None);
                    let found = in_units(reals, 10, || {
                        let reports = Shuffled::new(of, others, &Epsilon::LogOf(e.clone()))?;
                        let (delta, null) = reports.of_coins(&Real::of(&u))?;
                        Ok::<_, Rejected>((ends(&delta), ends(&null)))
                    });
                    let Ok((found, null)) = found else { continue };
                    assert!(found.0 <= delta && delta <= found.1, "{of:?} {others} {u} {reals}: {found:?}");
                    assert!(null.0 <= at_least && above <= null.1, "{of:?} {others} {u} {reals}: {null:?}");
                }
            }
        }
    }
}

/// Where u may be many numbers no threshold is told, and none is taken.
#[test]
fn thresholds_that_are_not_told() {
    work::begin(None);
    let reports = Shuffled::new(Reports::Clones, 60, &Epsilon::LogOf(q(30, 1))).unwrap();
    let wide = Real::of(&q(3, 2)).hull(&Real::of(&q(4, 1)));
    assert!(reports.of_coins(&wide).is_err());
    // Below 1 and at it: all that is true of any of these is between the ends, if there is an answer.
    let below = Real::of(&q(1023, 1024)).hull(&one());
    if let Ok((found, _)) = reports.of_coins(&below) {
        let (least, _) = reports.of_coins(&one()).unwrap();
        let (most, _) = reports.at(Direction::Remove, &Real::of(&q(1023, 1024))).unwrap();
        assert!(found.lo <= least.hi && most.lo <= found.hi);
    }
}

/// Counts at the ratios of two numbers of reports, and a unit beside them, against the sums in fractions.
#[test]
fn next_to_the_thresholds_of_counts() {
    for (others, e) in [(4, q(3, 1)), (7, q(3, 2))] {
        let a = &e / (&e + q(1, 1));
        let b = q(1, 1) - &a;
        let whole = |k: u64| usize::try_from(k).unwrap();
        let law = |k: u64| {
            if k > others {
                q(0, 1)
            } else {
                choose(others, k) * pow(a.clone(), whole(k)) * pow(b.clone(), whole(others - k))
            }
        };
        let pairs: Vec<_> = (0..=others + 1)
            .map(|k| (if k == 0 { q(0, 1) } else { law(k - 1) }, law(k)))
            .map(|(before, here)| (&b * &before + &a * &here, &a * before + &b * here))
            .collect();
        for (p, r) in &pairs {
            for off in -3..=3 {
                for reals in [24, 28] {
                    let u = r / p + BigRational::new(off.into(), BigInt::one() << (reals + 1));
                    let (mut delta, mut above, mut at_least) = (q(0, 1), q(0, 1), q(0, 1));
                    for (p, q) in &pairs {
                        delta += (q - &u * p).max(BigRational::zero());
                        above += if *q > &u * p { p.clone() } else { BigRational::zero() };
                        at_least += if *q >= &u * p { p.clone() } else { BigRational::zero() };
                    }
                    work::begin(None);
                    let found = in_units(reals, 10, || {
                        let reports = Shuffled::new(Reports::OneValue, others, &Epsilon::LogOf(e.clone()))?;
                        let (delta, null) = reports.at(Direction::Remove, &Real::of(&u))?;
                        Ok::<_, Rejected>((ends(&delta), ends(&null)))
                    });
                    let Ok((found, null)) = found else { continue };
                    assert!(found.0 <= delta && delta <= found.1, "{others} {u} {reals}: {found:?} {delta}");
                    assert!(null.0 <= at_least && above <= null.1, "{others} {u} {reals}: {null:?}");
                }
            }
        }
    }
}

/// A test that hardly any number passes has twice what is not written down: of the user, and of one number more or less.
#[test]
fn counts_beyond_all_that_are_written_down() {
    work::begin(None);
    let mut reports = Shuffled::new(Reports::OneValue, 4, &Epsilon::LogOf(q(3, 1))).unwrap();
    let rest = BigInt::one() << (w() - 8);
    reports.law =
        Binomial { first: 0, masses: vec![one()], total: one(), rest: Real::new(BigInt::zero(), rest.clone()) };
    let (_, null) = reports.of_count(&Real::int(100)).unwrap();
    assert!(null.hi >= &rest + &rest && null.lo.is_zero(), "{null:?}");
}

/// The same with a third value, also where that is a matter of some units.
#[test]
fn next_to_the_thresholds_with_a_third_value() {
    for (answers, e) in [(3, q(5, 2)), (5, q(7, 1)), (3, q(300, 1))] {
        let more = BigRational::from(BigInt::from(answers - 2));
        let total = &e + q(1, 1) + &more;
        let [own, other, third] = [&e / &total, total.recip(), &more / &total / q(2, 1)];
        let odds = q(2, 1) / (&e - q(1, 1) + &more);
        for others in [2, 5u64] {
            let whole = |k: u64| usize::try_from(k).unwrap();
            let all = pow(&odds + q(1, 1), whole(others));
            let mut pairs = Vec::new();
            for coins in 0..=others {
                let weight = choose(others, coins) * pow(odds.clone(), whole(coins)) / &all;
                let grown =
                    &third * &odds * q(i64::try_from(others - coins).unwrap(), i64::try_from(coins + 1).unwrap());
                let (a, b) = (&own + &grown, &other + &grown);
                let heads = |k: u64| if k > coins { q(0, 1) } else { choose(coins, k) / pow(q(2, 1), whole(coins)) };
                for k in 0..=coins + 1 {
                    let before = if k == 0 { q(0, 1) } else { heads(k - 1) };
                    pairs.push((&weight * (&a * &before + &b * heads(k)), &weight * (&b * &before + &a * heads(k))));
                }
            }
            let ties: Vec<_> =
                pairs.iter().filter(|(p, _)| p.is_positive()).map(|(p, q)| q / p).filter(|u| *u > q(1, 1)).collect();
            for u in ties {
                for off in -3..=3 {
                    for reals in [14, 18, 24] {
                        let u = &u + BigRational::new(off.into(), BigInt::one() << (reals + 1));
                        let (mut delta, mut above, mut at_least) = (q(0, 1), q(0, 1), q(0, 1));
                        for (p, q) in &pairs {
                            delta += (q - &u * p).max(BigRational::zero());
                            above += if *q > &u * p { p.clone() } else { BigRational::zero() };
                            at_least += if *q >= &u * p { p.clone() } else { BigRational::zero() };
                        }
                        work::begin(None);
                        let found = in_units(reals, 10, || {
                            let of = Reports::ThirdValue { answers };
                            let reports = Shuffled::new(of, others, &Epsilon::LogOf(e.clone()))?;
                            let (delta, null) = reports.of_coins(&Real::of(&u))?;
                            Ok::<_, Rejected>((ends(&delta), ends(&null)))
                        });
                        let Ok((found, null)) = found else { continue };
                        assert!(found.0 <= delta && delta <= found.1, "{answers} {e} {others} {u} {reals}: {found:?}");
                        assert!(null.0 <= at_least && above <= null.1, "{answers} {e} {others} {u} {reals}: {null:?}");
                    }
                }
            }
        }
    }
}

/// At u = A/B neither place of the threshold is ruled out, and the test may have all of what lies at it: B, where there are no coins.
#[test]
fn all_of_a_threshold_that_is_not_told() {
    work::begin(None);
    let mut reports = Shuffled::new(Reports::Clones, 4, &Epsilon::LogOf(q(2, 1))).unwrap();
    reports.law = Binomial { first: 0, masses: vec![one()], total: one(), rest: Real::int(0) };
    let (_, null) = reports.of_coins(&Real::int(2)).unwrap();
    assert!(ends(&null).1 >= q(1, 3) && null.lo.is_zero(), "{null:?}");
}
