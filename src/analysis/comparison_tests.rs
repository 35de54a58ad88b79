//! Comparisons put together: the larger of two, each way of an exact one, and the Gaussian of the strict μ.

use super::*;
use crate::analysis::test_tools::{resources, width};
use crate::bounds::exact::ExactCurve;
use crate::composition::mu::Mu;
use crate::input::mechanism_from_bytes;
use crate::kernel::coarse::at_most_bits;
use crate::kernel::{Budget, Point, Profile};
use crate::mechanism::{Adjacency, Mechanism};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// Finite rational pairs: a fraction, there and back and the larger one, and where it is.
#[test]
fn exact_ones_each_way() {
    let pairs = [
        (vec![q(9, 10), q(1, 10)], vec![q(3, 5), q(2, 5)]),
        (
            vec![q(1, 2), q(49, 100), q(1, 100)],
            vec![q(1, 2), q(1, 4), q(1, 4)],
        ),
    ];
    let adjacency = Adjacency::Remove;
    let [a, b] = pairs.map(|(p, with)| {
        let curve = ExactCurve::new(&p, &with, adjacency);
        let mechanism = Mechanism::finite(p, with).unwrap();
        let subject = Subject::new(&mechanism, adjacency, &Budget::unlimited()).unwrap();
        (subject, curve)
    });
    let way = |a: &ExactCurve, b: &ExactCurve| exact_divergence::divergence(a, b).unwrap();
    let (there, back) = (way(&a.1, &b.1), way(&b.1, &a.1));
    assert!(there.value != back.value);
    let most = there.value.clone().max(back.value.clone());
    resources(|resources| {
        for (contrast, truth) in [
            (Contrast::To, &there.value),
            (Contrast::From, &back.value),
            (Contrast::Symmetric, &most),
        ] {
            let found =
                a.0.compare(&b.0, &contrast, &width(1, 10), resources)
                    .unwrap();
            assert_eq!(found.enclosure.exact(), Some(truth), "{contrast:?}");
            let Some(Witness::Prior { prior, epsilon }) = found.witness else {
                panic!("a place");
            };
            let odds = prior.to_f64() / (1.0 - prior.to_f64());
            assert!((odds.ln() - epsilon.to_f64()).abs() < 1e-12);
            let [mine, others] = [&a.1, &b.1].map(|curve| {
                let prior = prior.to_rational().unwrap();
                curve.bayes_error(&prior).to_f64()
            });
            assert!(((mine - others).abs() - truth.to_f64()).abs() < 1e-12);
        }
    });
}

/// Δ(M‖G_μ*) where μ* is known from two sides: at a few bits it meets what many say.
#[test]
fn regret_of_a_strict_mu_at_a_few_bits() {
    const ASKED: [&str; 3] = [
        r#"{"kind":"laplace","scale":"0.7"}"#,
        r#"{"kind":"finite","p":["1/2","1/3","1/6"],"q":["1/4","1/4","1/2"]}"#,
        r#"{"kind":"randomized-response","epsilon":"1.1","k":4,"adjacency":"remove"}"#,
    ];
    resources(|resources| {
        for text in ASKED {
            let ask = || {
                let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
                let budget = Budget::unlimited();
                let subject = Subject::new(&file.mechanism, file.adjacency, &budget).unwrap();
                let found = subject.regret_of_strict_mu(&width(1, 100), resources);
                found.unwrap().enclosure
            };
            let fine = ask();
            assert!(*fine.lower() > 0 && fine.width_up() < 0.01);
            for bits in [6, 9, 14] {
                let coarse = at_most_bits(bits, ask);
                assert!(coarse.intersect(&fine).is_ok(), "{text} {bits}: {coarse:?}");
            }
        }
    });
}

/// Between the Gaussians at both ends, and at most the minimax risk where there is no upper one.
#[test]
fn gaussians_of_a_strict_mu() {
    let of = |low: f64, high: f64| {
        let [low, high] = [low, high].map(|x| Float::with_val(64, x));
        gaussians_within(&Enclosure::new(low, high).unwrap())
    };
    let zero = Point::at_epsilon(&Rational::new(), 128);
    let advantage = |mu: i64| Gaussian::from_mu(&Rational::from(mu)).at(&zero).delta;
    for (low, high, ends) in [(1.0, 2.0, (1, 2)), (-1.0, 3.0, (0, 3))] {
        let sides = of(low, high).unwrap();
        assert_eq!(sides.upper.at(&zero).delta, advantage(ends.1));
        assert_eq!(sides.lower.at(&zero).delta, advantage(ends.0));
    }
    assert!(of(1.0, f64::INFINITY).is_none());
    let text = r#"{"kind":"finite","p":["1/2","1/2",0],"q":["1/3","1/3","1/3"]}"#;
    let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let mut one = Subject::new(&file.mechanism, file.adjacency, &Budget::unlimited()).unwrap();
    one.strict = StrictMu::Between {
        at_least: Mu::root(q(1, 4)),
        at_most: None,
        why: "",
    };
    resources(|resources| {
        let goal = width(1, 10);
        let found = one.regret_of_strict_mu(&goal, resources).unwrap().enclosure;
        let risk = one
            .enclose(&Quantity::MinimaxRisk, &goal, resources)
            .unwrap();
        assert!(*found.lower() == 0 && found.upper() == risk.enclosure.upper());
        assert!(risk.enclosure.lower() < risk.enclosure.upper());
    });
}

/// A composition by its laws against a closed form: both ways at once say what each says alone.
#[test]
fn laws_against_a_closed_form() {
    let text =
        r#"{"kind":"compose","of":[{"kind":"laplace","scale":3},{"kind":"gaussian","sigma":2}]}"#;
    let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let subject = |mechanism: &Mechanism| {
        Subject::new(mechanism, Adjacency::Remove, &Budget::unlimited()).unwrap()
    };
    let two = subject(&file.mechanism);
    let other = subject(&Mechanism::gaussian(q(17, 10), 1).unwrap());
    let goal = Goal::Width(Target::Absolute(q(1, 60)));
    resources(|resources| {
        let both = two.compare_both_ways(&other, &Contrast::Symmetric, &goal, resources);
        let both = both.unwrap();
        assert_eq!(both.larger.ending, Ending::Reached);
        assert!(both.larger.enclosure.width_up() <= 0.017);
        let ways = both.ways.expect("no theorem orders them");
        for (way, contrast) in ways.iter().zip([Contrast::To, Contrast::From]) {
            let alone = two.compare(&other, &contrast, &goal, resources).unwrap();
            assert!(way.0.intersect(&alone.enclosure).is_ok(), "{contrast:?}");
            assert!(way.0.lower() <= both.larger.enclosure.upper());
        }
        let largest = ways
            .iter()
            .map(|way| way.0.upper().to_f64())
            .fold(0.0, f64::max);
        assert!(both.larger.enclosure.upper().to_f64() <= largest + 1e-12);
    });
}

/// Laws give up a hundredth of the width that is left to find.
#[test]
fn tails_far_below_the_width() {
    let near = |found: Rational, truth: f64| (found.to_f64() / truth - 1.0).abs() < 1e-9;
    let absolute = Goal::Width(Target::Absolute(q(1, 10)));
    assert!(near(tail_wanted(&absolute, None), 0.1 / 8.0 / 100.0));
    assert!(near(tail_wanted(&width(1, 10), None), 0.1 / 8.0 / 100.0));
    let found = Enclosure::new(Float::with_val(64, 0.25), Float::with_val(64, 4)).unwrap();
    let some = tail_wanted(&width(1, 10), Some(&found));
    assert!(near(some, 0.25 * 0.1 / 8.0 / 100.0));
    let compared = Goal::Compare { with: q(1, 4) };
    assert!(near(tail_wanted(&compared, None), 0.25 * 1e-8 / 100.0));
}

/// The same of random goals.
#[test]
fn tails_of_random_goals() {
    let mut random = crate::kernel::coarse::Random(79);
    for _ in 0..10_000 {
        let mut some = || 1 + u32::try_from(random.below(500)).unwrap();
        let (n, d, low, more) = (some(), some(), some(), some());
        let share = f64::from(n) / f64::from(d);
        let low = f64::from(low) / 64.0;
        let high = low + f64::from(more) / 64.0;
        let number = |x: f64| Float::with_val(64, x);
        let so_far = Enclosure::new(number(low), number(high)).unwrap();
        let exact = q(n.into(), d.into());
        let (goal, truth) = match d % 3 {
            0 => (Goal::Width(Target::Absolute(exact)), share / 8.0 / 100.0),
            1 => (width(n, d), low * share / 8.0 / 100.0),
            _ => (Goal::Compare { with: exact }, low * 1e-8 / 100.0),
        };
        let found = tail_wanted(&goal, Some(&so_far)).to_f64();
        assert!(
            (found / truth - 1.0).abs() < 1e-9,
            "{goal:?}: {found} {truth}"
        );
    }
}

/// Of any two mechanisms Δ is at most 1/2.
#[test]
fn what_is_known_of_any_divergence() {
    let found = any_divergence().unwrap();
    assert!(found.enclosure.lower().is_zero() && *found.enclosure.upper() == 0.5f64);
    assert_eq!(found.ending, Ending::DoesNotFollow);
}
