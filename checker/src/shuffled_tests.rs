//! Shuffled reports against all that can be reported, in fractions.

use num_rational::BigRational;
use num_traits::pow;

use super::*;
use crate::coarse::in_units;
use crate::step::Epsilon::LogOf;
use crate::work;

type Pairs = Vec<(BigRational, BigRational)>;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn choose(n: u64, k: u64) -> BigRational {
    (0..k).map(|i| BigRational::new((n - i).into(), (i + 1).into())).product()
}

fn power(x: &BigRational, n: u64) -> BigRational {
    pow(x.clone(), usize::try_from(n).unwrap())
}

fn law(n: u64, rate: &BigRational) -> Vec<BigRational> {
    (0..=n).map(|c| choose(n, c) * power(rate, c) * power(&(BigRational::one() - rate), n - c)).collect()
}

/// The user is told apart with the odds e among coins; `rate` is that of the others, a and b that of the user's report.
fn among_coins(others: u64, rate: &BigRational, a: &BigRational, b: &BigRational) -> Pairs {
    let mut all = Vec::new();
    for (coins, weight) in (0..).zip(law(others, rate)) {
        let heads = |k: u64| if k > coins { q(0, 1) } else { choose(coins, k) / power(&q(2, 1), coins) };
        for k in 0..=coins + 1 {
            let before = if k == 0 { q(0, 1) } else { heads(k - 1) };
            all.push((&weight * (a * &before + b * heads(k)), &weight * (b * before + a * heads(k))));
        }
    }
    all
}

/// What is reported: how many of value 0, how many of value 1, where the others hold a third value.
fn with_third_value(others: u64, e: &BigRational, answers: i64) -> Pairs {
    let total = e + q(answers - 1, 1);
    let (a, b) = (e / &total, total.recip());
    let rest = BigRational::one() - &b * q(2, 1);
    let mut counts = vec![vec![q(0, 1); usize::try_from(others + 3).unwrap()]; usize::try_from(others + 3).unwrap()];
    for x in 0..=others {
        for y in 0..=others - x {
            let ways = choose(others, x) * choose(others - x, y);
            let (i, j) = (usize::try_from(x).unwrap(), usize::try_from(y).unwrap());
            counts[i][j] = ways * power(&b, x + y) * power(&rest, others - x - y);
        }
    }
    let neither = BigRational::one() - &a - &b;
    let mut all = Vec::new();
    let at = |i: usize, j: usize, (less_i, less_j): (usize, usize)| {
        if i < less_i || j < less_j { q(0, 1) } else { counts[i - less_i][j - less_j].clone() }
    };
    for i in 0..counts.len() {
        for j in 0..counts.len() {
            let [first, second, none] = [(1, 0), (0, 1), (0, 0)].map(|less| at(i, j, less));
            let third = none * &neither;
            all.push((&first * &a + &second * &b + &third, first * &b + second * &a + third));
        }
    }
    all
}

/// How many report the value of Q, which all others hold.
fn of_one_value(others: u64, e: &BigRational) -> Pairs {
    let a = e / (e + q(1, 1));
    let b = q(1, 1) - &a;
    let law = law(others, &a);
    let at = |k: Option<u64>| k.and_then(|k| law.get(usize::try_from(k).unwrap()).cloned()).unwrap_or_else(|| q(0, 1));
    (0..=others + 1)
        .map(|k| (k, at(k.checked_sub(1)), at(Some(k))))
        .map(|(_, before, here)| (&b * &before + &a * &here, &a * before + &b * here))
        .collect()
}

fn pairs(of: Reports, others: u64, e: &BigRational) -> Pairs {
    let share = |n: i64, answers: u64| q(n, 1) / (e + q(i64::try_from(answers).unwrap() - 1, 1));
    let odds = |answers| (e * share(1, answers), share(1, answers));
    match of {
        Reports::Clones => {
            let (a, b) = odds(2);
            among_coins(others, &e.recip(), &a, &b)
        }
        Reports::Blanket { answers } => {
            let (a, b) = odds(answers);
            let rest = BigRational::one() - &a - &b;
            let mut all = among_coins(others, &share(2, answers), &a, &b);
            all.push((rest.clone(), rest));
            all
        }
        Reports::ThirdValue { answers } => with_third_value(others, e, i64::try_from(answers).unwrap()),
        Reports::OneValue => of_one_value(others, e),
    }
}

/// δ and P(L > u) of every bound, in both orders, for u on both sides of 1, at losses and between them; in small units too.
#[test]
fn all_reports_by_enumeration() {
    let kinds = [
        Reports::Clones,
        Reports::Blanket { answers: 2 },
        Reports::Blanket { answers: 4 },
        Reports::ThirdValue { answers: 3 },
        Reports::ThirdValue { answers: 6 },
        Reports::OneValue,
    ];
    for of in kinds {
        for others in [1, 2, 3, 6] {
            for e in [q(3, 2), q(4, 1), q(21, 1)] {
                let pairs = pairs(of, others, &e);
                let total: BigRational = pairs.iter().map(|(p, _)| p.clone()).sum();
                assert_eq!(total, q(1, 1));
                let mut places =
                    vec![q(1, 1), q(9, 10), q(11, 10), q(2, 1), q(1, 3), q(1, 50), q(7, 2), e.clone(), q(40, 1)];
                places.extend(pairs.iter().filter(|(p, _)| p.is_positive()).map(|(p, r)| r / p).take(12));
                for direction in [Direction::Remove, Direction::Add] {
                    for u in places.iter().filter(|u| u.is_positive()) {
                        let none = BigRational::zero;
                        let (mut delta, mut above, mut at_least) = (none(), none(), none());
                        for (p, r) in &pairs {
                            let (p, q) = if direction == Direction::Remove { (p, r) } else { (r, p) };
                            delta += (q - u * p).max(none());
                            above += if *q > u * p { p.clone() } else { none() };
                            at_least += if *q >= u * p { p.clone() } else { none() };
                        }
                        for units in [288, 60] {
                            work::begin(None);
                            let (found, null) = in_units(units, 30, || {
                                let reports = Shuffled::new(of, others, &LogOf(e.clone()))?;
                                reports.at(direction, &Real::of(u))
                            })
                            .unwrap();
                            let end = |x: &BigInt| BigRational::new(x.clone(), BigInt::one() << units);
                            let what = format!("{of:?} {others} {e} {u} {direction} {units}");
                            assert!(end(&found.lo) <= delta && delta <= end(&found.hi), "{what}");
                            assert!(end(&null.lo) <= at_least && above <= end(&null.hi), "{what}");
                            // Without a tie it is one number.
                            assert!(end(&null.lo) <= above && at_least <= end(&null.hi) || above != at_least, "{what}");
                            assert!(&found.hi - &found.lo < BigInt::one() << 30, "{what}: {found:?}");
                        }
                    }
                }
            }
        }
    }
}

/// Where few of many coins are looked at, bounds are as narrow as ever.
#[test]
fn many_reports() {
    for (of, others) in
        [(Reports::Clones, 100_000), (Reports::ThirdValue { answers: 5 }, 30_000), (Reports::OneValue, 20_000)]
    {
        work::begin(None);
        let reports = Shuffled::new(of, others, &Epsilon::Plain(q(2, 1))).unwrap();
        assert!(reports.law.masses.len() < 12_000, "{}", reports.law.masses.len());
        for u in [q(101, 100), q(1, 1), q(99, 100), q(3, 2)] {
            let (delta, null) = reports.at(Direction::Remove, &Real::of(&u)).unwrap();
            for x in [delta, null] {
                assert!(&x.hi - &x.lo < BigInt::one() << (w() - 150), "{of:?} {u} {x:?}");
            }
        }
    }
}

/// Sums over all coins and heads, or reports, by mpmath at 60 digits: here masses below 2^-170 of the largest are not written out.
#[test]
fn many_reports_by_mpmath() {
    let (clones, one) = (Reports::Clones, Reports::OneValue);
    let (blanket, third) = (Reports::Blanket { answers: 4 }, |answers| Reports::ThirdValue { answers });
    let cases = [
        (clones, 400, q(3, 1), q(11, 10), "0.0062185068035032095083857541454875726448728647391695"),
        (clones, 400, q(3, 1), q(14, 5), "3.3887873496366718314440037966673640715885254358149e-31"),
        (blanket, 500, q(7, 1), q(3, 2), "0.00017722504326067945096314170177115508778381676054098"),
        (third(4), 500, q(7, 1), q(5, 4), "0.0016585360093096022141314915822775761370337762700694"),
        (third(3), 300, q(1000, 1), q(2, 1), "0.74082679727353324918608693730140015546358456304718"),
        (one, 2000, q(4, 1), q(21, 20), "0.0011939261846725479084481698833721220538529631763032"),
        (one, 2000, q(4, 1), q(3, 1), "5.7357153058949078252873267780526941482990551428076e-133"),
        (one, 2000, q(4, 1), q(9, 10), "0.10000462194339914903591356312911539400355256336393"),
    ];
    for (of, others, e, u, text) in cases {
        work::begin(None);
        let reports = Shuffled::new(of, others, &LogOf(e)).unwrap();
        assert!(reports.law.masses.len() < usize::try_from(others).unwrap(), "{of:?}");
        let (delta, _) = reports.at(Direction::Remove, &Real::of(&u)).unwrap();
        let truth = crate::numbers::number(text).unwrap();
        // The last digit of the text is rounded.
        let room = &truth / power(&q(10, 1), 48);
        let [low, high] = [&delta.lo, &delta.hi].map(|x| BigRational::new(x.clone(), BigInt::one() << w()));
        assert!(low <= &truth + &room && &truth - &room <= high, "{of:?} {u}");
        assert!(high - low < q(1, 1) / power(&q(2, 1), 160), "{of:?} {u}");
    }
}

/// The engine reads them up to 60.
#[test]
fn reports_of_nearly_the_truth() {
    for (epsilon, is_read) in [("59.9", true), ("60", false), ("1_01", false), ("1e5", false)] {
        work::begin(None);
        let of = format!(r#"{{"kind":"pure-dp","epsilon":"{epsilon}"}}"#);
        let mechanism = format!(r#"{{"kind":"shuffled","users":9,"of":{of},"adjacency":"replace-one"}}"#);
        let text = format!(r#"{{"mechanism":{mechanism},"claim":{{"kind":"advantage","at-most":"0.9"}}}}"#);
        let file = crate::claim::read(&text, crate::claim::Form::File, 0);
        assert_eq!(file.is_ok(), is_read, "{epsilon}");
    }
}

/// More answers than are read are not those of some other randomiser.
#[test]
fn shuffled_responses_have_few_answers() {
    let told = |k: u64| {
        crate::work::begin(None);
        let of = format!(r#"{{"kind":"randomized-response","exp-epsilon":2,"k":{k}}}"#);
        let text = format!(r#"{{"kind":"shuffled","users":2,"of":{of},"adjacency":"replace-one"}}"#);
        crate::value::json(&text).and_then(|value| crate::mechanism::read(&value)).map(|_| ()).map_err(|no| no.reason)
    };
    assert_eq!(told(u64::from(u32::MAX)), Ok(()));
    for k in [1 << 32, 1 << 33, u64::MAX] {
        assert_eq!(told(k), Err(crate::Reason::NoCertificateYet), "{k}");
    }
}
