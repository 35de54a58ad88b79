//! Decisions at a few bits: what is taken for certain is true, however little is known of a number.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::{Float, Rational};

use super::query::decides;
use super::subject::power_of_ten;
use super::test_tools::{resources, subject, width};
use super::{Answer, Ending, Goal, Method, Quantity, Resources, Subject};
use crate::bounds::{Enclosure, GdpForm, Target};
use crate::composition::mu::Mu;
use crate::composition::strict_gdp::StrictMu;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::{Adjacency, Epsilon, Mechanism, RenyiOrder};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// Losses up to log 3, or log 2 in the other order.
const SKEWED: &str = r#"{"kind":"finite","p":["1/2","1/3","1/6"],"q":["1/4","1/4","1/2"]}"#;

fn response(epsilon: Rational) -> Subject {
    let one = Mechanism::randomized_response(epsilon, 2).unwrap();
    Subject::new(&one, Adjacency::Remove, &Budget::unlimited()).unwrap()
}

fn gaussian(square: Rational, adjacency: Adjacency) -> Subject {
    let one = Mechanism::gaussian_with_mu_squared(square).unwrap();
    Subject::new(&one, adjacency, &Budget::unlimited()).unwrap()
}

/// Beside a finite part, where the losses on both sides of 0 are one straight piece of δ: f of an odd number of discrete Gaussian steps along all of its edges.
#[test]
fn a_straight_piece_around_one_stays_straight() {
    let subject = |times: u32, adjacency: &str| {
        subject(&format!(
            r#"{{"kind":"compose","of":[{{"kind":"discrete-gaussian","sigma":"3/4","times":{times}}},{{"kind":"finite","p":["1/2","1/2"],"q":["1/4","3/4"]}}],"adjacency":"{adjacency}"}}"#
        ))
    };
    for adjacency in ["add-remove", "remove", "add"] {
        for times in [1, 3] {
            let subject = subject(times, adjacency);
            for n in 1..60 {
                let quantity = Quantity::TradeOff { alpha: q(n, 100) };
                let found = resources(|resources| {
                    subject.enclose_alone(&quantity, &width(1, 1_000_000), resources)
                });
                assert!(found.is_ok(), "{times} {n} {:?}", found.err());
            }
        }
    }
    // As the sum over all outcomes has it.
    let subject = subject(3, "add-remove");
    let quantity = Quantity::TradeOff { alpha: q(8, 100) };
    let found =
        resources(|resources| subject.enclose_alone(&quantity, &width(1, 1_000_000), resources));
    let enclosure = found.unwrap().enclosure;
    let truth = Float::with_val(80, Float::parse("0.16417980519832952891").unwrap());
    assert!(
        *enclosure.lower() <= truth && *enclosure.upper() >= truth,
        "{enclosure:?}"
    );
}

/// δ is 0 from the largest loss on, log 3 here, and not before.
#[test]
fn nothing_is_left_beyond_the_loss() {
    let skewed = subject(SKEWED);
    for (epsilon, is_beyond) in [(q(109, 100), false), (q(11, 10), true)] {
        let quantity = Quantity::Delta(Epsilon::from(epsilon));
        let ask = || {
            resources(|resources| {
                let found = skewed.enclose_alone(&quantity, &width(1, 10), resources);
                found.unwrap().enclosure
            })
        };
        assert_eq!(ask().exact() == Some(&Rational::new()), is_beyond);
        for bits in 3..12 {
            let coarse = at_most_bits(bits, ask);
            assert!(is_beyond || *coarse.upper() > 0, "{bits}: {coarse:?}");
        }
    }
    // log 3 is less than 11/10, and log 2.99 than log 3.
    let laplace = subject(r#"{"kind":"laplace","scale":"10/11"}"#);
    for (of, odds) in [(&laplace, q(3, 1)), (&skewed, q(299, 100))] {
        let quantity = Quantity::Delta(Epsilon::log_of(odds).unwrap());
        for bits in 3..9 {
            let found = at_most_bits(bits, || {
                resources(|resources| of.enclose_alone(&quantity, &width(1, 10), resources))
            });
            assert!(*found.unwrap().enclosure.upper() > 0, "{bits}");
        }
    }
    // With equality, where the loss is exact.
    let laplace = subject(r#"{"kind":"laplace","scale":2}"#);
    resources(|resources| {
        let at = Quantity::Delta(Epsilon::from(q(1, 2)));
        let found = laplace.enclose_alone(&at, &width(1, 10), resources);
        assert_eq!(found.unwrap().enclosure.exact(), Some(&Rational::new()));
    });
}

/// Randomised response at ε dominates what is ε-DP, in both orders, and nothing else.
#[test]
fn responses_dominate_what_loses_less() {
    let skewed = subject(SKEWED);
    for (epsilon, does) in [(q(109, 100), false), (q(11, 10), true)] {
        let response = response(epsilon);
        assert_eq!(response.certainly_dominates(&skewed).is_some(), does);
        for bits in 3..12 {
            let found = at_most_bits(bits, || response.certainly_dominates(&skewed));
            assert!(does || found.is_none(), "{bits}");
        }
    }
    // log 3 is less than 11/10.
    let odds =
        subject(r#"{"kind":"randomized-response","exp-epsilon":3,"k":2,"adjacency":"remove"}"#);
    let laplace = subject(r#"{"kind":"laplace","scale":"10/11"}"#);
    // log 2.99 is less than log 3.
    let less = subject(
        r#"{"kind":"randomized-response","exp-epsilon":"2.99","k":2,"adjacency":"remove"}"#,
    );
    for bits in 3..12 {
        let found = at_most_bits(bits, || odds.certainly_dominates(&laplace));
        assert!(found.is_none(), "{bits}");
        let found = at_most_bits(bits, || less.certainly_dominates(&skewed));
        assert!(found.is_none(), "{bits}");
    }
    let laplace = subject(r#"{"kind":"laplace","scale":2}"#);
    assert!(response(q(1, 2)).certainly_dominates(&laplace).is_some());
    assert!(response(q(49, 100)).certainly_dominates(&laplace).is_none());
}

/// A Gaussian mechanism dominates from the strict μ on, and does not below it; at a few bits neither may be known.
#[test]
fn gaussians_dominate_from_the_strict_mu_on() {
    for text in [
        SKEWED,
        r#"{"kind":"laplace","scale":"0.7"}"#,
        r#"{"kind":"randomized-response","epsilon":"1.1","k":4}"#,
    ] {
        let other = subject(text);
        let StrictMu::Exact { value, .. } = &other.strict else {
            panic!("{text}");
        };
        let square = value.enclose(200).square();
        let near = |part: f64| {
            Float::with_val(64, square.middle() * part)
                .to_rational()
                .unwrap()
        };
        // Next to the strict μ, on either side of it.
        let mut random = Random(23);
        let drawn: Vec<f64> = (0..250)
            .map(|_| {
                1.0 + (random.below(2) as f64 - 0.5) * 0.2 * 0.98f64.powf(random.below(250) as f64)
            })
            .collect();
        for part in [0.9, 0.99, 0.999, 1.001, 1.01, 1.1]
            .into_iter()
            .chain(drawn)
        {
            let gaussian = gaussian(near(part), Adjacency::Remove);
            let is_enough = part > 1.0;
            let found = gaussian.certainly_dominates(&other);
            assert_eq!(found.is_some(), is_enough, "{text} {part}");
            let found = gaussian.certainly_does_not_dominate(&other);
            assert_eq!(found.is_some(), !is_enough, "{text} {part}");
            for bits in 3..16 {
                let found = at_most_bits(bits, || gaussian.certainly_dominates(&other));
                assert!(is_enough || found.is_none(), "{text} {part} {bits}");
                let found = at_most_bits(bits, || gaussian.certainly_does_not_dominate(&other));
                assert!(!is_enough || found.is_none(), "{text} {part} {bits}");
            }
        }
    }
    // With equality, known by its square or by an enclosure alone.
    let mut other = subject(SKEWED);
    let mut mu = Mu::root(q(4, 1));
    mu.square = None;
    other.strict = StrictMu::Exact { value: mu, why: "" };
    for (square, does) in [(q(399, 100), false), (q(4, 1), true), (q(401, 100), true)] {
        let gaussian = gaussian(square, Adjacency::Remove);
        assert_eq!(gaussian.certainly_dominates(&other).is_some(), does);
        assert_eq!(
            gaussian.certainly_does_not_dominate(&other).is_some(),
            !does
        );
    }
    let [one, other] = [Adjacency::Remove, Adjacency::Add].map(|order| gaussian(q(2, 1), order));
    assert!(one.certainly_dominates(&other).is_some());
    assert!(one.certainly_does_not_dominate(&other).is_none());
}

/// Strict μ, exact or between bounds, meets at a few bits what many say.
#[test]
fn strict_mu_at_a_few_bits() {
    for text in [
        SKEWED,
        r#"{"kind":"laplace","scale":"0.7"}"#,
        r#"{"kind":"zcdp","rho":"0.3"}"#,
        r#"{"kind":"gaussian","mu-squared":2}"#,
        r#"{"kind":"gaussian","mu-squared":"4/9"}"#,
    ] {
        for form in [
            GdpForm::Strict,
            GdpForm::Tolerance(q(1, 100)),
            GdpForm::ErrorFloor(q(1, 100)),
        ] {
            let quantity = Quantity::GdpMu(form);
            // What is found in the time is true, if not narrow.
            let ask = |milliseconds: u64| {
                let time = Duration::from_millis(milliseconds);
                let budget = Budget::new(time, Arc::new(AtomicBool::new(false)));
                let resources = Resources {
                    budget: &budget,
                    jobs: 1,
                    progress: &|_| {},
                };
                match subject(text).enclose(&quantity, &width(1, 1000), &resources) {
                    Ok(found) => Some(found.enclosure),
                    Err(Failure::Interrupted) => None,
                    Err(failure) => panic!("{text} {quantity:?}: {failure:?}"),
                }
            };
            let fine = ask(20).unwrap();
            for bits in [4, 9] {
                let Some(coarse) = at_most_bits(bits, || ask(2)) else {
                    continue;
                };
                assert!(
                    coarse.intersect(&fine).is_ok(),
                    "{text} {quantity:?} {bits}: {coarse:?}"
                );
            }
        }
    }
    let third = resources(|resources| {
        let subject = subject(r#"{"kind":"gaussian","mu-squared":"4/9"}"#);
        subject.strict_mu(&width(1, 10), resources).unwrap()
    });
    assert_eq!(third.enclosure.exact(), Some(&q(2, 3)));
}

/// A bound with a tolerance is at most the strict one, which may settle a question at once.
#[test]
fn theorems_settle_what_they_reach() {
    let gaussian = gaussian(q(1, 1), Adjacency::Remove);
    let bracket = || gaussian.at_most_strict().unwrap().unwrap();
    assert!(*bracket().enclosure.lower() == 0 && *bracket().enclosure.upper() == 1);
    let quantity = Quantity::GdpMu(GdpForm::Tolerance(q(1, 10)));
    resources(|resources| {
        let compare = |with: Rational| {
            let goal = Goal::Compare { with };
            gaussian
                .between(bracket(), &quantity, &goal, resources)
                .unwrap()
        };
        for with in [q(1, 1), q(2, 1)] {
            let found = compare(with);
            assert!(matches!(found.method, Method::Theorem(_)));
            assert!(*found.enclosure.lower() == 0);
        }
        let below = compare(q(99, 100));
        assert!(!matches!(below.method, Method::Theorem(_)));
        assert!(*below.enclosure.lower() > 0);
    });
}

/// Of both orders the larger divergence counts; each is that of its own.
#[test]
fn divergences_of_both_orders() {
    let order = |n, d| Quantity::Renyi {
        order: RenyiOrder::Finite(q(n, d)),
    };
    let (p, with) = (
        vec![q(1, 2), q(1, 3), q(1, 6)],
        vec![q(1, 4), q(1, 4), q(1, 2)],
    );
    for (p, with) in [(p.clone(), with.clone()), (with, p)] {
        let mechanism = Mechanism::finite(p.clone(), with.clone()).unwrap();
        for (n, d) in [(5, 2), (1, 3)] {
            let ask = |adjacency| {
                let subject = Subject::new(&mechanism, adjacency, &Budget::unlimited()).unwrap();
                let found = resources(|resources| {
                    subject.enclose(&order(n, d), &width(1, 1_000_000), resources)
                });
                found.unwrap().enclosure.lower().to_f64()
            };
            let t = q(n, d).to_f64();
            let truth = |above: &[Rational], below: &[Rational]| {
                let terms = above.iter().zip(below);
                let sum: f64 = terms
                    .map(|(a, b)| a.to_f64().powf(t) * b.to_f64().powf(1.0 - t))
                    .sum();
                sum.ln() / (t - 1.0)
            };
            let (remove, add) = (truth(&with, &p), truth(&p, &with));
            assert!((remove - add).abs() > 1e-4);
            for (adjacency, truth) in [
                (Adjacency::Remove, remove),
                (Adjacency::Add, add),
                (Adjacency::AddRemove, remove.max(add)),
            ] {
                let found = ask(adjacency);
                assert!(
                    (found - truth).abs() < 1e-5,
                    "{adjacency:?} {found} {truth}"
                );
            }
        }
    }
}

/// From what is guaranteed to what the Gaussian member has.
#[test]
fn divergences_of_a_class() {
    let class = subject(r#"{"kind":"zcdp","rho":"1/3"}"#);
    let order = Quantity::Renyi {
        order: RenyiOrder::Finite(q(2, 1)),
    };
    let rdp = subject(r#"{"kind":"rdp","orders":[["3/2","1/7"],[4,"9/7"]]}"#);
    resources(|resources| {
        let goal = width(1, 10);
        let ask =
            |of: &Subject, quantity: &Quantity| of.enclose(quantity, &goal, resources).unwrap();
        let found = ask(&class, &order);
        assert_eq!(found.enclosure.exact(), Some(&q(2, 3)));
        assert_eq!(
            ask(&class, &Quantity::ZcdpRho).enclosure.exact(),
            Some(&q(1, 3))
        );
        let fine = ask(&rdp, &order).enclosure;
        // The Gaussian member with ε(3/2) = 1/7, and no more than ε(4).
        let (low, high) = (fine.lower().to_f64(), fine.upper().to_f64());
        assert!((low - 4.0 / 21.0).abs() < 1e-9, "{fine:?}");
        assert!(high > 0.5 && high < 1.3, "{fine:?}");
        assert!(fine.lower() < fine.upper(), "{fine:?}");
        for bits in [3, 5, 8] {
            let coarse = at_most_bits(bits, || ask(&rdp, &order).enclosure);
            assert!(coarse.lower() <= fine.lower() && coarse.upper() >= fine.upper());
        }
    });
}

fn answer(low: f64, high: f64, ending: Ending) -> Answer {
    let [low, high] = [low, high].map(|x| Float::with_val(64, x));
    Answer {
        enclosure: Enclosure::new(low, high).unwrap(),
        method: Method::ClosedForm,
        ending,
        witness: None,
    }
}

/// Cells and rounds of both are the larger ones.
#[test]
fn methods_together() {
    let laws = |cells, rounds| Method::Laws { cells, rounds };
    assert_eq!(laws(8, 1).and(laws(4, 3)), laws(8, 3));
    assert_eq!(laws(4, 3).and(laws(8, 1)), laws(8, 3));
    assert_eq!(laws(4, 3).and(Method::ClosedForm), laws(4, 3));
    assert_eq!(Method::ClosedForm.and(laws(4, 3)), laws(4, 3));
    let class = answer(0.0, 1.0, Ending::Exhausted).of_class();
    assert_eq!(class.ending, Ending::DoesNotFollow);
    assert!(decides(
        &class.enclosure,
        &Goal::Width(Target::Absolute(q(1, 1)))
    ));
}

/// A guarantee is not the Gaussian that has it, and what is known of no divergence is that it is not below 0.
#[test]
fn guarantees_are_above_their_members() {
    for text in [
        r#"{"kind":"compose","of":[{"kind":"zcdp","rho":"0.1"},{"kind":"rdp","orders":[["3/2","1/7"],[4,"9/7"]]}]}"#,
        r#"{"kind":"compose","of":[{"kind":"zcdp","rho":"1/16","times":2},{"kind":"gaussian","sigma":3}]}"#,
    ] {
        let class = subject(text);
        resources(|resources| {
            let quantity = Quantity::Delta(Epsilon::from(q(1, 2)));
            let found = class.enclose_alone(&quantity, &width(1, 1000), resources);
            let found = found.unwrap();
            assert_eq!(
                found.ending,
                Ending::DoesNotFollow,
                "{text} {:?}",
                found.enclosure
            );
            assert!(found.enclosure.width_up() > 0.01, "{:?}", found.enclosure);
        });
    }
    assert_eq!(power_of_ten(3), q(1, 1000));
}

/// Bounds of the strict μ stay on their sides at a few bits, and none is above where none is known.
#[test]
fn ends_of_the_strict_mu() {
    let goal = Goal::Compare { with: q(100, 1) };
    for (text, is_bounded) in [
        (r#"{"kind":"discrete-gaussian","sigma":2}"#, false),
        (
            r#"{"kind":"compose","of":[{"kind":"laplace","scale":3},{"kind":"gaussian","sigma":2}]}"#,
            true,
        ),
    ] {
        for bits in 3..14 {
            // What a mechanism keeps of a number is as coarse as it was computed.
            let [coarse, fine] = [bits, 300].map(|bits| {
                let subject = subject(text);
                at_most_bits(bits, || match &subject.strict {
                    StrictMu::Between {
                        at_least, at_most, ..
                    } => {
                        let ends = at_least.enclose(256).hull(&match at_most {
                            Some(mu) => mu.enclose(256),
                            None => Interval::infinity(256),
                        });
                        let found = is_bounded.then(|| {
                            resources(|resources| subject.strict_mu(&goal, resources).unwrap())
                        });
                        (ends, found.map(|found| found.enclosure))
                    }
                    _ => panic!("{text}"),
                })
            });
            assert_eq!(coarse.0.hi().is_infinite(), !is_bounded);
            if let Some(found) = coarse.1 {
                assert!(
                    found.lower() <= fine.0.lo() && found.upper() >= fine.0.hi(),
                    "{bits}"
                );
            }
        }
    }
    // √0.6, and what is enough.
    let truth = 0.6f64.sqrt();
    let enough = crate::composition::concentrated::enough(&q(3, 10), 200);
    for bits in 3..14 {
        let class = subject(r#"{"kind":"zcdp","rho":"0.3"}"#);
        let goal = Goal::Compare { with: q(1, 100) };
        let found = at_most_bits(bits, || {
            resources(|resources| class.strict_mu(&goal, resources).unwrap())
        });
        let (low, high) = (found.enclosure.lower(), found.enclosure.upper());
        assert!(low.to_f64() <= truth && *low > 0.5, "{bits}: {low}");
        assert!(*high >= *enough.lo(), "{bits}: {high}");
    }
}

/// δ of a pair in both orders at random places and few bits: what is exact is true, and what is not surrounds the truth.
#[test]
fn deltas_at_random_places() {
    let mut random = Random(73);
    let skewed = subject(SKEWED);
    let (p, with) = ([q(1, 2), q(1, 3), q(1, 6)], [q(1, 4), q(1, 4), q(1, 2)]);
    let truth = |u: &Rational| {
        let of = |p: &[Rational; 3], with: &[Rational; 3]| -> Rational {
            let hinges = p
                .iter()
                .zip(with)
                .map(|(p, with)| with - Rational::from(u * p));
            hinges.filter(|hinge| *hinge > 0).sum()
        };
        of(&p, &with).max(of(&with, &p))
    };
    for _ in 0..10_000 {
        let u = q(
            1 + i64::try_from(random.below(200)).unwrap(),
            1 + i64::try_from(random.below(60)).unwrap(),
        );
        let quantity = Quantity::Delta(Epsilon::log_of(u.clone()).unwrap());
        let bits = 3 + u32::try_from(random.below(20)).unwrap();
        let found = at_most_bits(bits, || {
            resources(|resources| skewed.enclose_alone(&quantity, &width(1, 10), resources))
        });
        let (found, truth) = (found.unwrap().enclosure, truth(&u));
        assert!(
            *found.lower() <= truth && *found.upper() >= truth,
            "{u} at {bits} bits: {found:?} {truth}"
        );
        assert!(
            found.exact().is_none_or(|exact| *exact == truth),
            "{u} at {bits} bits"
        );
    }
}
