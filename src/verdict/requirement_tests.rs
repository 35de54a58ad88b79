//! The conversions against all attacks on small exact mechanisms.

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::kernel::coarse::Random;
use crate::mechanism::Adjacency;
use crate::number::parse_rational;

fn ratio(a: i64, b: i64) -> Rational {
    Rational::from((a, b))
}

/// Exact pairs of four outcomes, from a fixed sequence.
fn pairs() -> impl Iterator<Item = [Vec<Rational>; 2]> {
    let mut state = 1u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i64::from(state >> 28)
    };
    let mut vector = move || {
        let weights = [next(), next(), next(), next() + 1];
        let sum: i64 = weights.iter().sum();
        weights.map(|weight| ratio(weight, sum)).to_vec()
    };
    std::iter::from_fn(move || Some([vector(), vector()]))
}

/// The highest TPR of all attacks with a FPR of exactly `alpha`: rejection sets, and mixtures of two of them.
fn best_tpr([p, q]: &[Vec<Rational>; 2], alpha: &Rational) -> Rational {
    let rates: Vec<(Rational, Rational)> = (0..1u32 << p.len())
        .map(|set| {
            let mass = |of: &[Rational]| {
                let chosen = of.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
                chosen.map(|(_, mass)| mass).sum()
            };
            (mass(p), mass(q))
        })
        .collect();
    let mut best = Rational::from(-1);
    for (a, s) in &rates {
        for (b, t) in &rates {
            if a <= alpha && alpha < b {
                let weight = Rational::from(alpha - a) / Rational::from(b - a);
                let tpr = Rational::from(t - s) * weight + s;
                best = best.max(tpr);
            } else if a == alpha {
                best = best.max(s.clone());
            }
        }
    }
    best
}

/// The measure itself; the precision of an attack that never says "member" is not defined, and bounds nothing.
fn measured(measure: Measure, fpr: &Rational, tpr: &Rational) -> Rational {
    match measure {
        Measure::TruePositiveRate => tpr.clone(),
        Measure::Accuracy => (Rational::from(1 - fpr) + tpr) / 2u32,
        Measure::PositivePredictiveValue => {
            let positives = Rational::from(fpr + tpr);
            if positives == 0 {
                Rational::new()
            } else {
                Rational::from(tpr / &positives)
            }
        }
    }
}

const MEASURES: [Measure; 3] = [
    Measure::TruePositiveRate,
    Measure::Accuracy,
    Measure::PositivePredictiveValue,
];

/// Table 1: the measure of the best attack is at most m if and only if f(α) ≥ β*, with equality where it is m itself.
#[test]
fn conversions_agree_with_all_attacks() {
    for pair in pairs().take(60) {
        let curve = ExactCurve::new(&pair[0], &pair[1], Adjacency::Remove);
        for alpha in [(0, 1), (1, 20), (1, 7), (1, 2), (9, 10)].map(|(a, b)| ratio(a, b)) {
            let (fnr, tpr) = (curve.tradeoff(&alpha), best_tpr(&pair, &alpha));
            assert_eq!(fnr, Rational::from(1 - &tpr));
            for measure in MEASURES {
                let value = measured(measure, &alpha, &tpr);
                for bound in (0..20).map(|i| ratio(i, 20)).chain([value.clone()]) {
                    let least = least_fnr(measure, &alpha, &bound);
                    assert_eq!(
                        value <= bound,
                        fnr >= least,
                        "{measure:?} {alpha} {bound} {pair:?}"
                    );
                }
                let alone = measure != Measure::PositivePredictiveValue || alpha > 0;
                if alone && value < 1 {
                    assert_eq!(least_fnr(measure, &alpha, &value), fnr);
                }
            }
        }
    }
}

/// A bound of the TPR holds at all smaller FPR, one of the precision at all larger ones; neither the other way, and
/// one of the accuracy at no other FPR.
#[test]
fn where_else_a_target_holds() {
    let (low, high) = (ratio(1, 10), ratio(3, 10));
    let mut reversed = [[0, 0]; 3];
    for pair in pairs().take(60) {
        let at = |measure, alpha: &Rational| measured(measure, alpha, &best_tpr(&pair, alpha));
        assert!(at(MEASURES[0], &low) <= at(MEASURES[0], &high));
        assert!(at(MEASURES[2], &low) >= at(MEASURES[2], &high));
        for (measure, [grows, falls]) in MEASURES.into_iter().zip(&mut reversed) {
            *grows += u32::from(at(measure, &low) < at(measure, &high));
            *falls += u32::from(at(measure, &low) > at(measure, &high));
        }
    }
    assert!(reversed[0][0] > 0 && reversed[2][1] > 0);
    assert!(reversed[1][0] > 0 && reversed[1][1] > 0, "{reversed:?}");
}

/// Table 1 as printed asks for nothing: β* < 0 at accuracy 0.6 and at precision 0.9, FPR 0.1.
#[test]
fn the_table_as_printed_asks_for_nothing() {
    let (alpha, accuracy, ppv) = (ratio(1, 10), ratio(6, 10), ratio(9, 10));
    assert!(Rational::from(&alpha - &accuracy) * 2u32 < 0);
    let printed =
        Rational::from(&alpha - 1u32) * Rational::from(&ppv - 1u32) / Rational::from(&ppv - 1u32);
    assert!(printed < 0);
    assert_eq!(least_fnr(MEASURES[1], &alpha, &accuracy), ratio(7, 10));
    assert_eq!(least_fnr(MEASURES[2], &alpha, &ppv), ratio(1, 10));
}

#[test]
fn what_is_out_of_reach() {
    let reach = |text: &str| {
        let requirement = Requirement::from_argument(text).unwrap();
        why_unreachable(&requirement).map(|(reach, _)| reach)
    };
    for (text, expected) in [
        ("tpr:fpr=0.1,at-most=0.05", Some(Reach::Never)),
        ("tpr:fpr=0.1,at-most=0.1", Some(Reach::OnlyPerfect)),
        ("tpr:fpr=0.1,at-most=0.11", None),
        ("tpr:fpr=0,at-most=0", None),
        ("accuracy:fpr=0.3,at-most=0.49", Some(Reach::Never)),
        ("accuracy:fpr=0.3,at-most=0.5", Some(Reach::OnlyPerfect)),
        ("accuracy:fpr=0.3,at-most=0.51", None),
        ("ppv:fpr=0.3,at-most=0.49", Some(Reach::Never)),
        ("ppv:fpr=0.3,at-most=0.51", None),
        ("bayes-error:prior=0.3,at-least=0.31", Some(Reach::Never)),
        ("bayes-error:prior=0.3,at-least=0.3", None),
        (
            "bayes-error:prior=1/2,at-least=1/2",
            Some(Reach::OnlyPerfect),
        ),
        ("trade-off:alpha=0.1,beta=0.95", Some(Reach::Never)),
        ("advantage:at-most=0", Some(Reach::OnlyPerfect)),
        ("advantage:at-most=0.1", None),
    ] {
        assert_eq!(reach(text), expected, "{text}");
    }
    let (_, words) =
        why_unreachable(&Requirement::from_argument("tpr:fpr=0.1,at-most=0.05").unwrap()).unwrap();
    assert!(
        words.starts_with("TPR ≤ 0.05 at FPR 0.1 is below chance"),
        "{words}"
    );
}

#[test]
fn what_every_mechanism_meets() {
    for (text, expected) in [
        ("tpr:fpr=0.1,at-most=1", true),
        ("accuracy:fpr=0.1,at-most=0.95", true),
        ("accuracy:fpr=0.1,at-most=0.94", false),
        ("ppv:fpr=0.1,at-most=1", true),
        // α·m/(1 − m) ≥ 1 from m = 10/11 on.
        ("ppv:fpr=0.1,at-most=0.91", true),
        ("ppv:fpr=0.1,at-most=0.9", false),
        ("bayes-error:prior=0.2,at-least=0", true),
        ("advantage:at-most=1", true),
    ] {
        let requirement = Requirement::from_argument(text).unwrap();
        assert_eq!(is_always_met(&requirement), expected, "{text}");
    }
}

/// What only perfect privacy meets is said in words that suit any parameter: not all of them are noise.
#[test]
fn perfect_privacy_is_no_matter_of_noise() {
    for target in ["advantage:at-most=0", "ppv:fpr=0.1,at-most=0.5"] {
        let target = Requirement::from_argument(target).unwrap();
        let (reach, why) = why_unreachable(&target).unwrap();
        assert_eq!(reach, Reach::OnlyPerfect);
        let words = "outputs that say nothing of the record";
        assert!(why.contains(words) && !why.contains("noise"), "{why}");
    }
}

/// What is shown of a number is the number, a decimal where it has one of 20 digits.
#[test]
fn numbers_are_shown_as_they_are() {
    let mut random = Random(44);
    for _ in 0..10_000 {
        let below = match random.below(2) {
            0 => 10u64.pow(u32::try_from(random.below(19)).unwrap()),
            _ => 1 + random.below(1 << 20),
        };
        let value =
            Rational::from((random.word() >> random.below(60), below)) / (1 + random.below(4));
        let text = shown(&value);
        assert_eq!(parse_rational(&text).unwrap(), value, "{text}");
        let digits = text.chars().filter(char::is_ascii_digit).count();
        assert!(
            text.contains('/') || value.is_integer() || digits <= 26,
            "{text}"
        );
    }
}
