//! What each kind is written out as: which numbers go above and which below, and what is refused just beyond the end of a range.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

use super::{
    MOST_TIMES, group, matrix, outcomes, private_selection, random_allocation, shuffled_batches, skellam_vectors,
    threshold, trees,
};
use crate::claim::Direction;
use crate::coarse::Random;
use crate::mechanism::{Relation, pure_dp};
use crate::normal::{Normal, nothing};
use crate::profile::{Pair, Place};
use crate::runs::Runs;
use crate::sensitivity::{Column, Schedule, Square, of_tree};
use crate::step::{Epsilon, Noise, Parts, Shifts, Step};
use crate::theorem::Largest;
use crate::value::{Value, json};
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn value(text: &str) -> Value {
    work::begin(None);
    json(text).unwrap()
}

fn gaussian(square: BigRational) -> Parts {
    vec![(Step::Gaussian { square }, 1)]
}

/// An epoch that is not whole counts above and not below; of random allocation below a sample at the share of steps, once an epoch.
#[test]
fn parts_of_epochs_and_shares_of_steps() {
    let one = |epochs| shuffled_batches(&q(1, 2), 1, &epochs, Relation::Presence).unwrap();
    assert_eq!((one(q(5, 2)).steps, one(q(5, 2)).members), (gaussian(q(12, 1)), vec![gaussian(q(8, 1))]));
    let many = |epochs| shuffled_batches(&q(1, 2), 9, &epochs, Relation::Presence);
    let found = many(q(7, 2)).unwrap();
    assert_eq!(found.steps, gaussian(q(16, 1)));
    assert!(found.members.iter().all(|parts| matches!(parts.as_slice(), [(_, 3)])));
    let most = BigRational::from(BigInt::from(MOST_TIMES));
    assert!(many(most.clone()).is_ok() && many(most + q(1, 2)).is_err());
    let base = Normal::one(Step::Gaussian { square: q(1, 1) });
    let asked = value(r#"{"steps":5,"selected":2,"epochs":3}"#);
    let found = random_allocation(&asked, &base, Relation::Presence).unwrap();
    let sample = Step::Sampled { rate: q(2, 5), of: base.steps.clone() };
    assert_eq!((found.steps, found.members), (vec![(Step::Gaussian { square: q(1, 1) }, 6)], vec![vec![(sample, 3)]]));
}

/// Guarantees at whole orders by the largest bend of log N, to 45 digits by mpmath; the change along one coordinate.
#[test]
fn vectors_with_skellam_noise() {
    use crate::numbers::number;
    let of_group = |text: &str, mean: &BigRational, n, relation| skellam_vectors(&value(text), mean, n, relation);
    let of = |text: &str, mean: &BigRational, relation| of_group(text, mean, 1, relation);
    let bends = [
        (q(1, 1000), "6.90775577898192871882480764148367954408142052"),
        (q(1, 2), "0.806562345998009930112588082864756921766694326"),
        (q(20, 1), "0.0126599588318710040184535715605891330344628481"),
        (q(3000, 1), "0.0000833402788389757691228004249292408450378980315"),
    ];
    for (mean, bend) in bends {
        let bend = number(bend).unwrap();
        for (text, records, relation, square, along) in [
            (r#"{"l2-sensitivity":"5/2"}"#, 1, Relation::Presence, 6, 2),
            (r#"{"l2-record-bound":"2.99"}"#, 1, Relation::ReplaceSpecial, 8, 2),
            (r#"{"l2-record-bound":"5/2"}"#, 1, Relation::ReplaceOne, 24, 4),
            (r#"{"l2-sensitivity":"5/2"}"#, 3, Relation::Presence, 54, 6),
            (r#"{"l2-record-bound":"5/2"}"#, 2, Relation::ReplaceOne, 96, 8),
        ] {
            let found = of_group(text, &mean, records, relation).unwrap();
            let [(Step::Rdp { orders }, 1)] = found.steps.as_slice() else { panic!("{found:?}") };
            for (order, epsilon) in orders {
                let least = &bend * order * q(square, 1);
                // The last digit is rounded.
                assert!(
                    epsilon > &(&least * (q(1, 1) - q(1, 1 << 60))) && *epsilon < least * (q(1, 1) + q(1, 1 << 60))
                );
            }
            let orders: Vec<_> = orders.iter().map(|(order, _)| order.clone()).collect();
            assert!(orders.windows(2).all(|pair| pair[0] < pair[1]) && orders.iter().all(BigRational::is_integer));
            assert_eq!((orders.first(), orders.contains(&q(32, 1))), (Some(&q(2, 1)), true));
            let shift = |x: u64| vec![(q(1, 1), BigRational::from(BigInt::from(x)))];
            let noise = Noise::Skellam { mean: mean.clone() };
            assert_eq!(found.members, [vec![(Step::Shifted { noise, without: shift(0), with: shift(along) }, 1)]]);
        }
    }
    // A bound of the bend beyond a million, and no member where noise on one number is not built.
    let bend =
        |mean: i64| match of(r#"{"l2-sensitivity":"1"}"#, &q(mean, 1), Relation::Presence).unwrap().steps.as_slice() {
            [(Step::Rdp { orders }, 1)] => &orders[0].1 / q(2, 1),
            other => panic!("{other:?}"),
        };
    assert_eq!(bend(2_000_000), q(2_000_003, 2_000_000) / q(8_000_003, 1));
    assert!(bend(1_000_000) < q(1_000_003, 1_000_000) / q(4_000_003, 1));
    let far = of(r#"{"l2-sensitivity":"1"}"#, &q(300_000_000, 1), Relation::Presence).unwrap();
    assert_eq!(far.members, [vec![(crate::normal::nothing(), 1)]]);
    for (text, relation) in [
        (r#"{"l2-sensitivity":"1"}"#, Relation::ReplaceOne),
        (r#"{"l2-sensitivity":"0.99"}"#, Relation::Presence),
        (r#"{"l2-sensitivity":"1","l2-record-bound":"1"}"#, Relation::Presence),
        (r#"{"l2-sensitivity":"1","sensitivity":"1"}"#, Relation::Presence),
    ] {
        assert!(of(text, &q(1, 1), relation).is_err(), "{text}");
    }
}

/// Where a squared sensitivity is known from two sides only, the larger one is above.
#[test]
fn sensitivities_from_both_sides() {
    let scaled = |(low, high): &Square, by: BigRational| (gaussian(high * &by), vec![gaussian(low * by)]);
    let schedule = Schedule { steps: 13, most: 4, apart: 3 };
    let square = of_tree(schedule).unwrap();
    assert_eq!(square.0, square.1);
    let attained = |by: i64| (gaussian(&square.0 * q(by, 1)), Vec::new());
    let asked = value(r#"{"steps":13,"participations":4,"min-separation":3,"noise-multiplier":"1/2"}"#);
    let found = trees(&asked, Relation::Presence).unwrap();
    assert_eq!((found.steps, found.members), attained(4));
    // A replaced record moves a sum twice as far.
    let replaced = trees(&asked, Relation::ReplaceOne).unwrap();
    assert_eq!((replaced.steps, replaced.members), attained(16));
    let square = Column::new(&[q(1, 1), q(1, 3), q(1, 2)], 13).square(schedule).unwrap();
    assert!(square.0 < square.1);
    let asked = value(
        r#"{"toeplitz":["1","1/3","1/2"],"steps":13,"participations":4,"min-separation":3,"noise-multiplier":"1/2"}"#,
    );
    let found = matrix(&asked, Relation::Presence).unwrap();
    assert_eq!((found.steps, found.members), scaled(&square, q(4, 1)));
}

/// Rounds of cyclic sampling: whole columns, and one that is cut off.
#[test]
fn sampled_columns() {
    let column = Column::new(&[q(1, 1), q(1, 3), q(1, 2)], 100);
    let asked = |steps: u64| {
        value(&format!(
            r#"{{"toeplitz":["1","1/3","1/2"],"steps":{steps},"min-separation":4,"rate":"1/5","noise-multiplier":"1/2"}}"#
        ))
    };
    let sampled = |square: &BigRational| Step::Sampled { rate: q(1, 5), of: gaussian(square * q(4, 1)) };
    let (full, short) = (column.norm(3).unwrap(), column.norm(2).unwrap());
    assert!(full.0 < full.1 && short.0 < short.1);
    for (steps, whole, is_cut) in [(3, 1, false), (7, 2, false), (8, 2, false), (10, 2, true)] {
        let found = matrix(&asked(steps), Relation::Presence).unwrap();
        let parts = |full: &BigRational, short: &BigRational| {
            let mut parts = vec![(sampled(full), whole)];
            parts.extend(is_cut.then(|| (sampled(short), 1)));
            parts
        };
        assert_eq!((found.steps, found.members), (parts(&full.1, &short.1), vec![parts(&full.0, &short.0)]), "{steps}");
    }
    // A replaced record is in both samples, and moves what is in them from one side to the other.
    let found = matrix(&asked(4), Relation::ReplaceOne).unwrap();
    let apart = |square: &BigRational| {
        let shifts: Shifts = vec![(q(4, 5), q(0, 1)), (q(1, 5), q(1, 1))];
        Step::Shifted { noise: Noise::Gaussian { square: square * q(4, 1) }, without: shifts.clone(), with: shifts }
    };
    assert_eq!((found.steps, found.members), (vec![(apart(&full.1), 1)], vec![vec![(apart(&full.0), 1)]]));
}

/// What is at the end of a range is read, and nothing beyond.
#[test]
fn columns_at_the_ends_of_their_ranges() {
    let is_read = |more: &str| {
        let asked = value(&format!(r#"{{{more},"steps":3,"participations":1,"noise-multiplier":1}}"#));
        matrix(&asked, Relation::Presence).is_ok()
    };
    for (decay, is_decay) in [("1", true), ("1.0001", false), ("0", true), ("-0.0001", false)] {
        assert_eq!(is_read(&format!(r#""blt":{{"weights":["1/2"],"decays":["{decay}"]}}"#)), is_decay, "{decay}");
    }
    for (entry, is_short) in [("1", true), ("1.0001", false)] {
        assert_eq!(is_read(&format!(r#""toeplitz":["{entry}"],"normalised":true"#)), is_short, "{entry}");
        assert!(is_read(&format!(r#""toeplitz":["{entry}"]"#)));
    }
}

/// Of what is ε-DP losses are at most η + 2 times ε, and next to that where there are many runs.
#[test]
fn epsilons_of_selections() {
    for (kind, times) in [
        (r#""kind":"geometric""#, q(3, 1)),
        (r#""kind":"logarithmic""#, q(2, 1)),
        (r#""kind":"negative-binomial","shape":"1/2""#, q(5, 2)),
        (r#""kind":"negative-binomial","shape":"-1/2""#, q(3, 2)),
        (r#""kind":"negative-binomial","shape":"7/2""#, q(11, 2)),
    ] {
        let log = |odds| Epsilon::LogOf(q(odds, 1));
        for of in [
            Normal::one(Step::Laplace { epsilon: q(1, 3) }),
            pure_dp(Epsilon::Plain(q(1, 3))),
            pure_dp(log(2)),
            Normal::one(Step::Choice { epsilon: log(2), is_flip: true }),
        ] {
            crate::work::begin(None);
            let one = match &of.steps[0].0 {
                Step::Laplace { .. } => q(1, 3),
                Step::Response { epsilon, .. } | Step::Choice { epsilon, .. } => {
                    BigRational::new(epsilon.log().unwrap().hi, BigInt::one() << crate::real::w())
                }
                _ => panic!(),
            };
            for (mean, least) in [("2", q(1, 4)), ("100000000", q(99, 100))] {
                let asked = value(&format!(r#"{{"runs":{{{kind},"mean":"{mean}"}},"of":{{"kind":"pure-dp"}}}}"#));
                let found = private_selection(&asked, &of).unwrap();
                for direction in [Direction::Remove, Direction::Add] {
                    let largest = of_parts_largest(&found.steps, direction);
                    let most = &times * &one;
                    assert!(largest.is_at_most(&Epsilon::Plain(most.clone())).unwrap(), "{kind} {mean}");
                    assert!(!largest.is_at_most(&Epsilon::Plain(most * &least)).unwrap(), "{kind} {mean}");
                }
                let is_one = |name: &str| format!("{:?}", of.steps[0].0).starts_with(name);
                assert_eq!(found.members.len(), if is_one("Resp") { 4 } else { 2 - usize::from(is_one("Choice")) });
            }
        }
    }
}

/// Outcomes have coins where all of what is run is a class; least odds are those of another response; and no class is known by its profile below 0.
#[test]
fn members_of_selections() {
    crate::work::begin(None);
    let asked = |of: &str| value(&format!(r#"{{"runs":{{"kind":"geometric","mean":"9"}},"of":{{"kind":"{of}"}}}}"#));
    let responses = [Epsilon::Plain(q(1, 3)), Epsilon::LogOf(q(2, 1))];
    for (of, counts, most) in [("pure-dp", [4, 4], 256), ("mixture", [2, 4], 2), ("randomized-response", [2, 4], 2)] {
        for (epsilon, count) in responses.iter().zip(counts) {
            let found = private_selection(&asked(of), &pure_dp(epsilon.clone())).unwrap();
            assert_eq!(found.members.len(), count, "{of}");
            let largest = found.members.iter().map(|member| match member.as_slice() {
                [(Step::Finite { p, .. } | Step::Selected { p, .. }, 1)] => p.len(),
                _ => 1,
            });
            let largest = largest.max().unwrap();
            assert!(count == 2 || largest == most, "{of} {largest}");
            let pairs = found.members.iter().filter_map(|member| match member.as_slice() {
                [(Step::Finite { p, q }, 1)] => Some([p, q]),
                _ => None,
            });
            assert!(pairs.flatten().all(|law| law.iter().sum::<BigRational>().is_one()), "{of}");
        }
    }
    let known = |epsilon| Normal::one(Step::Guarantee { points: vec![(epsilon, q(1, 5))] });
    let tiny = BigRational::new(BigInt::from(-1), num_traits::pow(BigInt::from(10), 30));
    assert!(private_selection(&asked("profile"), &known(Epsilon::Plain(tiny))).is_err());
    assert!(private_selection(&asked("profile"), &known(Epsilon::LogOf(q(1, 2)))).is_err());
    assert!(private_selection(&asked("profile"), &known(Epsilon::Plain(q(0, 1)))).is_ok());
}

fn of_parts_largest(parts: &crate::step::Parts, direction: Direction) -> Largest {
    let [(step, 1)] = parts.as_slice() else { panic!("{parts:?}") };
    crate::theorem::of_step(step, direction).unwrap()
}

/// Above every order of the outcomes, told apart by coins or not, is what is above all; and a class has what its members have.
#[test]
fn selections_in_any_order() {
    let mut random = Random::new(24);
    let kinds = [
        r#""kind":"geometric","mean":"3/2""#,
        r#""kind":"geometric","mean":"40""#,
        r#""kind":"logarithmic","mean":"2.5""#,
        r#""kind":"negative-binomial","shape":"5/2","mean":"7""#,
        r#""kind":"negative-binomial","shape":"-2/3","mean":"30""#,
        r#""kind":"poisson","mean":"0.3""#,
        r#""kind":"poisson","mean":"4""#,
    ];
    let mut near = 0;
    for round in 0..140 {
        crate::work::begin(None);
        let runs = Runs::read(&value(&format!("{{{}}}", kinds[round % kinds.len()]))).unwrap();
        let mut law = || {
            let parts: Vec<i64> = (0..3).map(|_| i64::try_from(random.below(8)).unwrap()).collect();
            let total = parts.iter().sum::<i64>() + 1;
            [parts[0] + 1, parts[1], parts[2]].map(|part| q(part, total))
        };
        let (mut p, mut r) = (law(), law());
        if round % 2 == 1 {
            for law in [&mut p, &mut r] {
                *law = [law[0].clone(), q(1, 1) - &law[0], q(0, 1)];
            }
        }
        let outcomes = p.iter().cloned().zip(r.iter().cloned()).collect();
        let most = group::above_best(&crate::Power::of_pair(outcomes).unwrap(), &runs).unwrap();
        let Step::Finite { p: above_p, q: above_q } = &most else { panic!() };
        assert!([above_p, above_q].iter().all(|law| crate::numbers::is_law(law).is_ok()));
        // Each outcome may be two alike, one of which is better.
        let halves =
            |law: &[BigRational]| law.iter().flat_map(|x| [x / BigInt::from(2), x / BigInt::from(2)]).collect();
        let (p, r): (Vec<_>, Vec<_>) =
            if round % 2 == 0 { (p.into(), r.into()) } else { (halves(&p[..2]), halves(&r[..2])) };
        let Step::Worst { of } = outcomes::best_of_pair(&runs, &p, &r, None).unwrap() else { panic!() };
        for direction in [Direction::Remove, Direction::Add] {
            let pair = |step: &Step| Pair::of(step, direction).unwrap();
            let (all, orders) = (pair(&most), of.iter().map(|(_, order)| pair(order)).collect::<Vec<_>>());
            for u in [q(1, 9), q(2, 3), q(1, 1), q(5, 4), q(2, 1), q(7, 1), q(50, 1)] {
                let place = Place::of(&Epsilon::LogOf(u.clone())).unwrap();
                let most = all.at(&place).unwrap().delta.hi;
                for order in &orders {
                    let one = order.at(&place).unwrap().delta.lo;
                    assert!(one <= most, "{runs:?} {p:?} {r:?} {u}");
                    near += usize::from(one.is_positive() && &most - one < &most / BigInt::from(20));
                }
            }
        }
    }
    assert!(near > 100, "{near}");
}

/// What is stated of the number of runs, and of the order of the outcomes of a pair.
#[test]
fn forms_of_selections() {
    let pair = |n: i64| {
        let law = vec![q(1, n); usize::try_from(n).unwrap()];
        Normal::one(Step::Finite { p: law.clone(), q: law })
    };
    let laplace = Normal::one(Step::Laplace { epsilon: q(1, 3) });
    for (runs, is_read) in [
        (r#""kind":"geometric","mean":"1""#, true),
        (r#""kind":"geometric","mean":"0.99""#, false),
        (r#""kind":"geometric","mean":"2","shape":"1""#, false),
        (r#""kind":"geometric","mean":"1000000000001""#, false),
        (r#""kind":"logarithmic","mean":"1""#, false),
        (r#""kind":"logarithmic","mean":"1.01""#, true),
        (r#""kind":"negative-binomial","mean":"2""#, false),
        (r#""kind":"negative-binomial","mean":"2","shape":"0""#, false),
        (r#""kind":"negative-binomial","mean":"2","shape":"-1""#, false),
        (r#""kind":"negative-binomial","mean":"2","shape":"-0.99""#, true),
        (r#""kind":"negative-binomial","mean":"2","shape":"1000001""#, false),
        (r#""kind":"negative-binomial","mean":"1","shape":"1""#, true),
        (r#""kind":"negative-binomial","mean":"1","shape":"2""#, false),
        (r#""kind":"poisson","mean":"0.01""#, true),
        (r#""kind":"poisson","mean":"0""#, false),
        (r#""kind":"uniform","mean":"2""#, false),
    ] {
        crate::work::begin(None);
        let found = private_selection(&value(&format!(r#"{{"runs":{{{runs}}}}}"#)), &laplace);
        assert_eq!(found.is_ok(), is_read, "{runs}");
    }
    let of = |order: &str, base: &Normal| {
        crate::work::begin(None);
        let text = format!(r#"{{"runs":{{"kind":"geometric","mean":"2"}},"of":{{"kind":"finite"}}{order}}}"#);
        private_selection(&value(&text), base).map(|found| found.members.len())
    };
    assert_eq!(of("", &pair(5)).unwrap(), 0);
    // Of more outcomes in any order it is between bounds.
    assert_eq!(of("", &pair(6)).unwrap(), 4);
    assert_eq!(of(r#","best-first":[0,1,2,3,4,5]"#, &pair(6)).unwrap(), 0);
    assert!(of(r#","best-first":[0,1]"#, &pair(3)).is_err() && of(r#","best-first":[0]"#, &laplace).is_err());
    assert!(of("", &Normal { steps: vec![(Step::Zcdp { rho: q(1, 1) }, 1)], ..laplace.clone() }).is_err());
    assert!(of("", &Normal { steps: vec![(Step::Laplace { epsilon: q(1, 1) }, 2)], ..laplace }).is_err());
}

/// On whole numbers a key is released from the first one on that is at the threshold or above it.
#[test]
fn thresholds_between_whole_numbers() {
    let place = |word: &str, at: &str, noise: &str| {
        let asked = value(&format!(r#"{{{noise},"threshold":"{at}","release-if":"{word}"}}"#));
        let found = threshold(&asked, Relation::Presence).unwrap();
        match found.steps.as_slice() {
            [(Step::Worst { of }, 1)] => match of.as_slice() {
                [_, (false, Step::Released { place, .. })] => place.clone(),
                _ => panic!("{of:?}"),
            },
            _ => panic!("{found:?}"),
        }
    };
    // The noise of a key of one record is one less than the threshold.
    for (word, at, expected) in
        [(">=", "11/2", q(5, 1)), (">=", "5", q(4, 1)), (">", "11/2", q(5, 1)), (">", "5", q(5, 1))]
    {
        for noise in [r#""noise":"discrete-laplace","scale":1"#, r#""noise":"discrete-gaussian","sigma":1"#] {
            assert_eq!(place(word, at, noise), expected, "{word} {at}");
        }
        let real = place(word, at, r#""noise":"laplace","scale":1"#);
        assert_eq!(real + BigRational::one(), if at == "5" { q(5, 1) } else { q(11, 2) });
    }
    // Noise that ends at the threshold ends at 1 at the least.
    let truncated = |at: &str| {
        let asked = value(&format!(r#"{{"noise":"truncated-geometric","scale":1,"threshold":{at},"release-if":">"}}"#));
        threshold(&asked, Relation::Presence).map(|found| found.steps)
    };
    let last = |last| crate::normal::whole_noise(Noise::Truncated { scale: q(1, 1), last }, 1);
    assert_eq!(truncated("1").unwrap(), vec![(last(1), 1)]);
    assert_eq!(truncated("2").unwrap(), vec![(last(2), 1)]);
    assert!(truncated("0").is_err());
}

/// The Rényi guarantee of noise on vectors is no less than the bend of the noise, and more by hardly anything.
#[test]
fn bends_are_rounded_up() {
    for (n, d) in [(1, 3), (2, 1), (7, 2), (200, 1), (12_345, 7)] {
        crate::work::begin(None);
        let mean = q(n, d);
        let found = skellam_vectors(&value(r#"{"l2-sensitivity":1}"#), &mean, 1, Relation::Presence).unwrap();
        let [(Step::Rdp { orders }, 1)] = found.steps.as_slice() else { panic!("{found:?}") };
        let bend = crate::coarse::ends(&crate::noise::largest_bend(&mean).unwrap());
        for (order, most) in orders {
            let each = most / order;
            assert!(each >= bend.1 && each < &bend.1 + q(1, 1 << 40), "{mean} {order}");
        }
        assert_eq!(orders.first().map(|(order, _)| order.clone()), Some(q(2, 1)));
    }
}

/// Rounds that are not there, and columns of nothing, are no steps.
#[test]
fn rounds_of_nothing() {
    let read = |more: &str, steps: u64, apart: u64| {
        let text = format!(r#"{{{more},"steps":{steps},"min-separation":{apart},"rate":"1/4","noise-multiplier":1}}"#);
        crate::work::begin(None);
        matrix(&value(&text), Relation::Presence).unwrap().steps
    };
    let sampled = |n: i64, d: i64| Step::Sampled { rate: q(1, 4), of: vec![(Step::Gaussian { square: q(n, d) }, 1)] };
    assert_eq!(read(r#""toeplitz":["1","1/2"]"#, 4, 2), vec![(sampled(5, 4), 2)]);
    assert_eq!(read(r#""toeplitz":["1","1/2"]"#, 5, 2), vec![(sampled(5, 4), 2), (sampled(1, 1), 1)]);
    assert_eq!(read(r#""matrix":[["1"],["0","0"],["0","0","1"]]"#, 3, 1), vec![(sampled(1, 1), 2)]);
}

/// What is composed of an attained step and a bound is a bound.
#[test]
fn bounds_stay_bounds() {
    crate::work::begin(None);
    let attained = Normal::one(Step::Laplace { epsilon: q(1, 1) });
    let bound = Normal::between(vec![vec![(nothing(), 1)]], pure_dp(Epsilon::Plain(q(1, 1))));
    for parts in [vec![(attained.clone(), 1), (bound.clone(), 2)], vec![(bound.clone(), 1), (attained.clone(), 1)]] {
        assert_eq!(Normal::composed(&parts).unwrap().members.len(), 1);
    }
}

/// Whether a key is released depends on the other records, of which a sample draws some: no pair of a key alone is that of a sample.
#[test]
fn no_sample_is_one_of_released_keys() {
    let key = |rest: &str| {
        format!(r#"{{"kind":"noise-threshold","noise":"truncated-geometric","scale":1,"threshold":3,{rest}}}"#)
    };
    let finite = r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/3","2/3"]}"#;
    for key in [key(r#""release-if":">""#), key(r#""release-if":">","keys":2"#), key(r#""release-if":">=""#)] {
        let composed = format!(r#"{{"kind":"compose","of":[{finite},{key}]}}"#);
        let runs = r#""runs":{"kind":"geometric","mean":2}"#;
        let chosen = format!(r#"{{"kind":"private-selection",{runs},"of":{key}}}"#);
        let group = format!(r#"{{"kind":"group","records":1,"of":{key}}}"#);
        for of in [key, composed, chosen, group] {
            crate::work::begin(None);
            let sample = format!(r#"{{"kind":"subsampled","rate":"1/2","of":{of}}}"#);
            assert_eq!(
                crate::mechanism::read(&crate::value::json(&sample).unwrap()).unwrap_err().reason,
                crate::Reason::NoCertificateYet,
                "{of}"
            );
        }
    }
}

/// Most is revealed of a key that many have: beside a stated number of records there need be no such dataset.
#[test]
fn keys_stand_beside_no_number_of_records() {
    let noise = r#""of":{"kind":"gaussian","sigma":2,"record-bound":1}"#;
    let sample = format!(r#""kind":"subsampled","rate":"1/2",{noise}"#);
    let batch =
        format!(r#""kind":"subsampled","sampling":"without-replacement","dataset-size":9,"batch-size":3,{noise}"#);
    let reports = r#""kind":"shuffled","users":9,"of":{"kind":"pure-dp","epsilon":1}"#.to_owned();
    let key = r#""kind":"noise-threshold","noise":"laplace","scale":1,"threshold":3,"record-bound":1"#;
    for (of_many, each) in [("compose", r#""times":2"#), ("mixture", r#""weight":"1/2""#)] {
        let read = |beside: &str| {
            let parts = format!(r#"[{{{key},{each}}},{{{beside},{each}}}]"#);
            crate::mechanism::read(&value(&format!(r#"{{"kind":"{of_many}","of":{parts},"adjacency":"replace-one"}}"#)))
        };
        let run = |words: &str| format!(r#""kind":"dp-sgd","noise-multiplier":2,{words}"#);
        let sized = ["", r#","sampling":"shuffled""#]
            .map(|words| run(&format!(r#""epochs":1,"batch-size":2,"dataset-size":8{words}"#)));
        assert!(read(&run(r#""sample-rate":"1/4","steps":4"#)).is_ok());
        for beside in [&batch, &reports, &sized[0], &sized[1]] {
            let rejected = read(beside).unwrap_err();
            assert!(rejected.detail.contains("a stated number of records"), "{rejected}");
        }
        let rejected = read(&sample).err();
        assert!(rejected.is_none(), "{rejected:?}");
    }
}

/// Batches of a fixed size are worst beside records that are opposite to one, and no count is.
#[test]
fn no_fixed_batch_is_one_of_a_histogram() {
    let gaussian = r#"{"kind":"gaussian","sigma":2,"record-bound":1}"#;
    for (adjacency, is_read) in [("replace-one", true), ("replace-special", false)] {
        let batches = r#""sampling":"without-replacement","dataset-size":10,"batch-size":5"#;
        let of = |of: &str| {
            let text = format!(r#"{{"kind":"subsampled",{batches},"adjacency":"{adjacency}","of":{of}}}"#);
            crate::mechanism::read(&crate::value::json(&text).unwrap())
        };
        crate::work::begin(None);
        assert_eq!(of(gaussian).is_ok(), is_read);
        let histogram = of(&format!(r#"{{"kind":"histogram","of":{gaussian}}}"#));
        assert!(histogram.is_err(), "{adjacency}");
    }
}
