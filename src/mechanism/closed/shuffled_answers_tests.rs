//! Against all datasets, in exact numbers.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;
use crate::kernel::Budget;
use crate::kernel::coarse::Random;
use crate::mechanism::shuffled::ShuffledBound;
use crate::mechanism::step::{FiniteLosses, Step};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn answers(users: u64, epsilon: Epsilon) -> Arc<dyn Profile> {
    let nothing = Steps::nothing();
    let pair = ShuffledAnswers::new(users, epsilon, nothing.clone(), nothing).unwrap();
    pair.profile().unwrap()
}

/// Answers of which this is known.
fn known(epsilon: Epsilon, corners: Option<Corners>, between: Option<Between>) -> Answers {
    Answers(ShuffledAnswers(Arc::new(Kept {
        users: 2,
        epsilon,
        member: Steps::nothing(),
        above: Steps::nothing(),
        corners: OnceLock::from(corners.map(Arc::new)),
        between: between.map(OnceLock::from).unwrap_or_default(),
    })))
}

/// A law with one more report, which is of the value with this probability.
fn with_report(law: &[Rational], chance: &Rational) -> Vec<Rational> {
    let mut next = vec![Rational::new(); law.len() + 1];
    let rest = Rational::from(1 - chance);
    for (place, mass) in law.iter().enumerate() {
        next[place] += Rational::from(mass * &rest);
        next[place + 1] += Rational::from(mass * chance);
    }
    next
}

/// (P, Q) of every dataset, by the definition.
fn datasets(users: usize, odds: &Rational) -> Vec<(Vec<Rational>, Vec<Rational>)> {
    let total = Rational::from(odds + 1u32);
    let (truth, lie) = (
        Rational::from(odds / &total),
        Rational::from(total.recip_ref()),
    );
    (0..users)
        .map(|holding| {
            let mut law = vec![q(1, 1)];
            for place in 0..users - 1 {
                law = with_report(&law, if place < holding { &truth } else { &lie });
            }
            (with_report(&law, &lie), with_report(&law, &truth))
        })
        .collect()
}

/// δ(u), and the numbers −s for which s is a slope.
fn delta(p: &[Rational], with: &[Rational], u: &Rational) -> (Rational, Rational, Rational) {
    let (mut sum, mut least, mut most) = (q(0, 1), q(0, 1), q(0, 1));
    for (p, with) in p.iter().zip(with) {
        let gain = with - Rational::from(u * p);
        if gain >= 0 {
            most += p;
        }
        if gain > 0 {
            least += p;
            sum += gain;
        }
    }
    (sum, least, most)
}

/// Every dataset is below, and one of them is there, also where rounding is all that tells several apart; δ and the null's tail.
#[test]
fn the_largest_of_all_datasets() {
    let mut random = Random(5);
    for (users, odds) in [
        (2usize, q(3, 1)),
        (5, q(100, 1)),
        (12, q(3, 1)),
        (13, q(21, 20)),
        (40, q(7, 2)),
        (41, q(1000, 1)),
    ] {
        let count = u64::try_from(users).unwrap();
        let profile = answers(count, Epsilon::log_of(odds.clone()).unwrap());
        let all = datasets(users, &odds);
        let mut places = vec![q(1, 1), q(101, 100), q(99, 100), odds.clone(), q(1, 3)];
        for _ in 0..crate::test_scale::cases(12) {
            let part = q(i64::try_from(random.below(1_000)).unwrap(), 1_000);
            places.push(Rational::from(&odds - 1u32) * part.square() + 1u32);
        }
        for u in places {
            let of_all: Vec<_> = all.iter().map(|(p, with)| delta(p, with, &u)).collect();
            let truth = of_all.iter().map(|of| &of.0).max().unwrap().clone();
            let found = profile.at(&Point::at_exp_epsilon(&u, 256));
            assert!(found.delta.contains(&truth), "{users} {odds} {u}");
            let width = found.delta.width_up().to_rational().unwrap();
            assert!(width < Rational::from(1) >> 200u32, "{users} {odds} {u}");
            let worst = of_all.iter().filter(|of| of.0 == truth);
            let (least, most) = worst.fold((q(1, 1), q(0, 1)), |(a, b), of| {
                (a.min(of.1.clone()), b.max(of.2.clone()))
            });
            let within = |x: &Rational| found.null_tail.contains(x);
            assert!(within(&least) && within(&most), "{users} {odds} {u}");
        }
    }
}

/// A real odd: between those of rational ones beside it.
#[test]
fn an_epsilon_is_between_two_odds() {
    let users = 30usize;
    let profile = answers(30, Epsilon::from(q(2, 1)));
    for u in [q(1, 1), q(3, 2), q(4, 1)] {
        let found = profile.at(&Point::at_exp_epsilon(&u, 192)).delta;
        let of = |odds: Rational| {
            let all = datasets(users, &odds);
            let all = all.iter().map(|(p, with)| delta(p, with, &u).0);
            all.max().unwrap()
        };
        let (low, high) = (of(q(7_389_056, 1_000_000)), of(q(7_389_057, 1_000_000)));
        assert!(low < found.lo().to_rational().unwrap());
        assert!(high > found.hi().to_rational().unwrap());
    }
}

/// Many users: single datasets are below, in exact numbers, and one of each third of them at the most.
#[test]
fn many_users() {
    let (users, odds) = (400usize, q(3, 1));
    let profile = answers(400, Epsilon::log_of(odds.clone()).unwrap());
    let of = |holding: usize, u: &Rational| {
        // Whole numbers over 4^400.
        let mut law = vec![Integer::from(1)];
        let report = |law: &[Integer], (lie, truth): (u32, u32)| {
            let mut next = vec![Integer::new(); law.len() + 1];
            for (place, mass) in law.iter().enumerate() {
                next[place] += Integer::from(mass * lie);
                next[place + 1] += Integer::from(mass * truth);
            }
            next
        };
        for place in 0..users - 1 {
            law = report(&law, if place < holding { (1, 3) } else { (3, 1) });
        }
        let (p, with) = (report(&law, (3, 1)), report(&law, (1, 3)));
        let mut sum = Rational::new();
        for (p, with) in p.iter().zip(&with) {
            sum += (with - Rational::from(u * p)).max(Rational::new());
        }
        sum >> 800u32
    };
    for u in [q(1, 1), q(11, 10), q(3, 2)] {
        let found = profile.at(&Point::at_exp_epsilon(&u, 192)).delta;
        let mut most = q(0, 1);
        for holding in (0..users).step_by(crate::test_scale::every(57)) {
            most = most.max(of(holding, &u));
        }
        assert!(most <= found.hi().to_rational().unwrap(), "{u}");
        assert!(found.hi().to_rational().unwrap() < most * q(3, 2), "{u}");
    }
}

/// Places known by intervals: on either side of 1, across it, up to the largest loss and beyond, and without an end.
#[test]
fn places_by_intervals() {
    use crate::kernel::coarse::spans_hold;
    let profile = answers(5, Epsilon::log_of(q(3, 1)).unwrap());
    // log 3 is 1.0986….
    let places = [-12, -10, -5, -2, 0, 1, 4, 9, 12, 15].map(|n| q(n, 10));
    for bits in [6, 60] {
        assert_eq!(spans_hold(&*profile, &places, bits), Ok(()));
    }
    let end = |x: f64| rug::Float::with_val(64, x);
    for (low, high) in [
        (f64::NEG_INFINITY, 0.5),
        (-0.5, f64::INFINITY),
        (f64::NEG_INFINITY, f64::INFINITY),
    ] {
        let span = Interval::spanning(end(low), end(high));
        let wide = profile.at(&Point::at_log(span));
        for place in [q(-1, 4), q(1, 4)] {
            let at = profile.at(&Point::at_epsilon(&place, 120));
            assert!(wide.delta.intersect(&at.delta).is_ok(), "{low} {high}");
            assert!(
                wide.null_tail.intersect(&at.null_tail).is_ok(),
                "{low} {high}"
            );
        }
    }
}

/// Random corners from (0, 0) to (1, 1) by falling slope, in units of 2^−10.
fn corners(random: &mut Random) -> Vec<(i64, i64)> {
    loop {
        let mut whole = |below: u64| i64::try_from(random.below(below)).unwrap() + 1;
        let reach = [20, 300][usize::from(whole(2) == 1)];
        let mut all: Vec<(i64, i64)> = (0..3).map(|_| (whole(reach), whole(1_022))).collect();
        all.extend([(0, 0), (1_024, 1_024)]);
        all.sort_unstable();
        let falls = all.windows(3).all(|three| {
            let [a, b, c] = [three[0], three[1], three[2]];
            (b.1 - a.1) * (c.0 - b.0) > (c.1 - b.1) * (b.0 - a.0)
        });
        if falls {
            return all;
        }
    }
}

fn made_of(corners: &[(i64, i64)], error: i64) -> Answers {
    let units = |n: i64| Integer::from(n) << (FRACTION - 10);
    let test = |(null, with): &(i64, i64)| Test {
        null: units(*null),
        with: units(*with),
    };
    let corners = Corners {
        tests: corners.iter().map(test).collect(),
        error: units(error),
    };
    known(Epsilon::log_of(q(100_000, 1)).unwrap(), Some(corners), None)
}

/// Tests that are known up to an error: whatever each of them is, δ at every u of an interval is enclosed, and P(accept) of every test that is the best there; also below 1.
#[test]
fn tests_known_up_to_an_error() {
    let mut random = Random(23);
    for _ in 0..9_500 {
        let known = corners(&mut random);
        let error = [0, 1, 5][usize::try_from(random.below(3)).unwrap()];
        let answers = made_of(&known, error);
        let low = q(7 + i64::try_from(random.below(30)).unwrap(), 7);
        let more = [0, random.below(2), random.below(9)][usize::try_from(random.below(3)).unwrap()];
        let high = Rational::from(&low + &q(i64::try_from(more).unwrap(), 7));
        let found = answers.beyond_one(&low, &high, 900);
        let low_log = Interval::from_rational(&low, 900).ln();
        let high_log = Interval::from_rational(&high, 900).ln();
        let below = answers.at(&Point::at_log(high_log.hull(&low_log).neg()));
        for _ in 0..12 {
            let mut moved = |n: i64| {
                let by = error * (i64::try_from(random.below(3)).unwrap() - 1);
                q((n + by).clamp(0, 1_024), 1_024)
            };
            let mut tests: Vec<(Rational, Rational)> =
                known.iter().map(|(p, w)| (moved(*p), moved(*w))).collect();
            // To accept nothing, and everything, is a test.
            tests[0] = (q(0, 1), q(0, 1));
            tests[4] = (q(1, 1), q(1, 1));
            for part in 0..=3 {
                let u = Rational::from(&high - &low) * q(part, 3) + &low;
                let gain = |(p, w): &(Rational, Rational)| w - Rational::from(&u * p);
                let most = tests.iter().map(gain).max().unwrap();
                assert!(
                    found.delta.contains(&most),
                    "{known:?} {error} {low} {high}"
                );
                let v = Rational::from(u.recip_ref());
                let delta = Rational::from(1 - &v) + Rational::from(&v * &most);
                assert!(below.delta.contains(&delta), "{known:?} {error} {v}");
                for test in tests.iter().filter(|test| gain(test) == most) {
                    assert!(
                        found.null_tail.contains(&test.0),
                        "{known:?} {error} {low} {high}: {:?} without {}",
                        found.null_tail,
                        test.0
                    );
                    // 1 − δ − s/v; at 1 the slope of the other side may be told.
                    let tail = Rational::from(1 - &most) - Rational::from(&test.0 * &u);
                    assert!(
                        u == 1 || below.null_tail.contains(&tail),
                        "{known:?} {error} {v}"
                    );
                }
            }
        }
    }
}

/// Where nothing is known of u, or of the tests, nothing is said.
#[test]
fn nothing_is_known_of_some_places() {
    let end = |x: f64| rug::Float::with_val(64, x);
    let answers = made_of(&[(0, 0), (100, 700), (1_024, 1_024)], 1);
    let span = Interval::spanning(end(f64::NEG_INFINITY), end(0.25));
    let found = answers.at(&Point::at_log(span));
    for x in [q(0, 1), q(1, 1)] {
        assert!(found.delta.contains(&x) && found.null_tail.contains(&x));
    }
    let none = made_of(&[], 0).beyond_one(&q(3, 2), &q(2, 1), 64);
    assert!(none.null_tail.contains(&q(0, 1)) && none.null_tail.contains(&q(1, 1)));
}

/// At the far end of an interval of u a corner may be the best one that is far from it at the near end.
#[test]
fn the_best_corner_at_the_far_end() {
    // At u = 2 the second corner is 28 units below the third one, and an error of 5 in both numbers of both moves them by 30.
    let answers = made_of(&[(0, 0), (100, 580), (300, 1_008), (1_024, 1_024)], 5);
    let found = answers.beyond_one(&q(1, 1), &q(2, 1), 900);
    assert!(found.null_tail.contains(&q(95, 1_024)), "{found:?}");
}

/// Bounds of the same answers are the same, and no others.
#[test]
fn answers_of_other_users_differ() {
    let of = |users: u64, epsilon: i64| {
        let nothing = Steps::nothing;
        ShuffledAnswers::new(
            users,
            Epsilon::from(Rational::from(epsilon)),
            nothing(),
            nothing(),
        )
        .unwrap()
    };
    assert!(of(4, 1) == of(4, 1) && of(4, 1) != of(5, 1) && of(4, 1) != of(4, 2));
}

/// Where nothing is told every test is a best one, that which always accepts too, however little is known of the corners.
#[test]
fn all_may_be_accepted_where_nothing_is_told() {
    let one = Integer::from(1) << FRACTION;
    let corner = |x: &Integer| Test {
        null: x.clone(),
        with: x.clone(),
    };
    let corners = Corners {
        tests: vec![corner(&Integer::new()), corner(&one)],
        error: Integer::from(&one >> 30u32),
    };
    let answers = known(Epsilon::from(q(1, 1)), Some(corners), None);
    let found = answers.beyond_one(&q(1, 1), &q(1, 1), 200);
    assert!(found.delta.contains(&q(0, 1)));
    assert!(found.null_tail.contains(&q(0, 1)) && found.null_tail.contains(&q(1, 1)));
}

/// A stopped question gets no corners, and the next one gets all of them.
#[test]
fn nothing_is_kept_of_what_was_late() {
    let nothing = Steps::nothing;
    let pair = ShuffledAnswers::new(6, Epsilon::from(q(1, 1)), nothing(), nothing()).unwrap();
    let stopped = Budget::new(Duration::from_secs(9), Arc::new(AtomicBool::new(true)));
    assert!(stopped.watch(|| pair.corners()).is_none());
    assert!(pair.corners().is_some());
    // What is known stays known.
    assert!(stopped.watch(|| pair.corners()).is_some());
}

/// Beyond the limits of the corners δ is between that of a member and that of a pair above all of them.
#[test]
fn between_two_pairs() {
    let (users, odds) = (6usize, q(3, 1));
    let all = datasets(users, &odds);
    let largest = |u: &Rational| {
        all.iter()
            .map(|(p, with)| delta(p, with, u).0)
            .max()
            .unwrap()
    };
    let profile = |of: ShuffledBound| {
        let step = Step::finite(FiniteLosses::Shuffled(Arc::new(of)));
        step.profile().unwrap()
    };
    let users = 6;
    let both = Between {
        member: profile(ShuffledBound::SameValue {
            users,
            odds: odds.clone(),
        }),
        above: profile(ShuffledBound::Blanket {
            users,
            odds: odds.clone(),
            answers: 2,
        }),
    };
    let answers = known(Epsilon::log_of(odds).unwrap(), None, Some(both));
    for n in 10..30 {
        let (low, high) = (q(n, 10), q(n + 2, 10));
        let wide = answers.beyond_one(&low, &high, 200).delta;
        assert!(
            wide.contains(&largest(&low)) && wide.contains(&largest(&high)),
            "{n}"
        );
        let one = answers.beyond_one(&low, &low, 200);
        assert!(
            one.delta.contains(&largest(&low)) && one.delta.hi() < &1,
            "{n}"
        );
        let (_, least, most) = all
            .iter()
            .map(|(p, with)| delta(p, with, &low))
            .max()
            .unwrap();
        assert!(
            one.null_tail.contains(&least) && one.null_tail.contains(&most),
            "{n}"
        );
    }
}
