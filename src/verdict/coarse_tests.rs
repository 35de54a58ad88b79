//! Decisions and what is printed of them, where an error in the last place decides.

use rug::{Float, Rational};

use super::inequality::{Decision, Inequality, Relation, known_of_every_mechanism};
use super::vacuous::is_vacuous;
use super::{
    Margin, Reach, as_claim, generic_cost, is_always_met, largest_standard_u, why_unreachable,
};
use crate::bounds::Enclosure;
use crate::kernel::coarse::{FINE, Random, at_most_bits, few_bits};
use crate::kernel::{Pick, normal};
use crate::mechanism::Epsilon;
use crate::statement::{Claim, Measure, Query, Requirement, StatedClaim};

fn ratio(a: i64, b: i64) -> Rational {
    Rational::from((a, b))
}

fn inequality(relation: Relation, bound: &Rational) -> Inequality {
    Inequality {
        query: Query::advantage(),
        relation,
        bound: bound.clone(),
    }
}

/// Margins are never farther from 0 than the true distance, and the width to decide never less, at a few bits; at all bits they are
/// no worse than the ends of the enclosure.
#[test]
fn margins_and_widths_at_few_bits() {
    let mut random = Random(61);
    for _ in 0..2_500 {
        // One end of few bits, the other of many.
        let share = |random: &mut Random| ratio(i64::try_from(random.below(999)).unwrap(), 1000);
        let (a, b) = (share(&mut random), share(&mut random));
        let few = few_bits(&mut random);
        let (low, high) = (a.clone().min(b.clone()), a.max(b));
        let down = |bits| Float::with_val_round(bits, &low, rug::float::Round::Down).0;
        let up = |bits| Float::with_val_round(bits, &high, rug::float::Round::Up).0;
        let (low, high) = match random.below(2) {
            0 => (down(few), up(200)),
            _ => (down(200), up(few)),
        };
        let bound = share(&mut random);
        let enclosure = Enclosure::new(low.clone(), high.clone()).unwrap();
        let exact = |x: &Float| x.to_rational().unwrap();
        let below = &bound - exact(&low);
        let above = exact(&high) - Rational::from(&bound);
        let longer = below.clone().max(above.clone());
        let near = Rational::from(1) >> 190u32;
        for bits in [few, FINE] {
            let is_fine = bits == FINE;
            for relation in [Relation::AtMost, Relation::AtLeast] {
                let claim = inequality(relation, &bound);
                let width = at_most_bits(bits, || claim.width_to_decide_up(&enclosure));
                let width = exact(&width);
                assert!(width >= longer, "{claim:?} {enclosure:?}");
                assert!(!is_fine || width <= Rational::from(&longer + &near));
                let is_at_most = relation == Relation::AtMost;
                let spare = if is_at_most {
                    -above.clone()
                } else {
                    -below.clone()
                };
                let miss = if is_at_most { &below } else { &above };
                match at_most_bits(bits, || claim.decide(&enclosure)) {
                    Decision::Holds(margin) => {
                        let margin = exact(margin.certified());
                        assert!(spare >= 0 && margin >= 0 && margin <= spare);
                        assert!(!is_fine || margin >= Rational::from(&spare - &near));
                    }
                    Decision::Fails(margin) => {
                        let margin = exact(margin.certified());
                        assert!(*miss < 0 && margin <= 0 && margin >= *miss);
                        assert!(!is_fine || margin <= Rational::from(miss + &near));
                    }
                    Decision::Open => assert!(spare < 0 && *miss >= 0),
                }
            }
        }
    }
}

#[test]
fn margins_are_printed_towards_zero() {
    let third = |sign: i32| Float::with_val(64, sign) / 3u32;
    for (margin, text) in [
        (Margin::exactly(ratio(2, 3), 64), "0.66"),
        (Margin::exactly(ratio(-2, 3), 64), "-0.66"),
        (Margin::bounded(third(2)), "0.66"),
        (Margin::bounded(third(-2)), "-0.66"),
    ] {
        assert_eq!(margin.towards_zero(2), text);
    }
}

/// log 3 lies between the two numbers next to it, which are next to each other.
#[test]
fn numbers_beside_a_logarithm() {
    let epsilon = Epsilon::log_of(Rational::from(3)).unwrap();
    let claim = Claim::pure_dp(epsilon).unwrap();
    let log = Float::with_val(FINE, 3).ln();
    let (below, above) = Inequality::beside(&claim).unwrap();
    let few = at_most_bits(12, || Inequality::beside(&claim)).unwrap();
    for (below, above) in [(&below, &above), (&few.0, &few.1)] {
        assert!(below.bound < log && above.bound > log);
    }
    let gap = Rational::from(&above.bound - &below.bound);
    assert!(gap < Rational::from(1) >> 66u32);
    for side in [&below, &above] {
        assert_eq!(side.relation, Relation::AtMost);
        assert_eq!(side.query, Query::max_loss());
    }
    assert!(Inequality::beside(&Claim::pure_dp(1).unwrap()).is_none());
}

#[test]
fn what_is_known_of_every_mechanism_is_no_more_than_that() {
    let ends = |query: &Query| {
        let found = known_of_every_mechanism(query).unwrap();
        (found.lower().to_f64(), found.upper().to_f64())
    };
    assert_eq!(ends(&Query::advantage()), (0.0, 1.0));
    assert_eq!(ends(&Query::minimax_risk()), (0.0, 1.0));
    assert_eq!(ends(&Query::regret(1).unwrap()), (0.0, 0.5));
    assert_eq!(ends(&Query::gdp_mu()), (0.0, f64::INFINITY));
    assert_eq!(
        ends(&Query::epsilon(ratio(1, 10)).unwrap()),
        (f64::NEG_INFINITY, f64::INFINITY)
    );
}

/// A tolerance next to 1 − Φ(μ/2), which is known to a few bits only.
#[test]
fn only_what_is_certainly_beyond_is_vacuous() {
    let mut vacuous = [0, 0];
    for numerator in 4..=840 {
        let mu = ratio(numerator, 210);
        let half = crate::kernel::Interval::from_rational(&Rational::from(&mu / 2u32), FINE);
        let tail = normal::survival(&half);
        for shift in [-3i32, -1, 1, 3] {
            let errors = Float::with_val(60, tail.lo() * (1000 + shift)) / 1000u32;
            let errors = errors.to_rational().unwrap();
            let claim = Claim::gdp_up_to(mu.clone(), errors).unwrap();
            for bits in [8, 10, FINE] {
                let found = at_most_bits(bits, || is_vacuous(&claim));
                assert!(!found || shift > 0, "{mu} {shift} {bits}");
                assert!(bits < FINE || found == (shift > 0), "{mu} {shift}");
                vacuous[usize::from(bits < FINE)] += u32::from(found);
            }
        }
    }
    assert!(vacuous[1] < vacuous[0] * 2);
}

#[test]
fn requirements_at_their_limits() {
    let tpr = |fpr, most| Requirement::at_fpr(Measure::TruePositiveRate, fpr, most).unwrap();
    let claim = as_claim(&tpr(ratio(1, 10), ratio(3, 10))).unwrap();
    let StatedClaim::TradeOff { alpha, beta } = claim.stated() else {
        panic!("{claim:?}")
    };
    assert_eq!((alpha, beta), (&ratio(1, 10), &ratio(7, 10)));
    for (delta, always) in [(ratio(1, 1), true), (ratio(999, 1000), false)] {
        assert_eq!(
            is_always_met(&Requirement::profile(1, delta).unwrap()),
            always
        );
    }
    // f(1) = 0 for every mechanism, and f(0) = 1 for many.
    for (alpha, beta) in [(1, 0), (0, 1)] {
        let claim = Claim::trade_off(alpha, beta).unwrap();
        assert!(why_unreachable(&Requirement::from(claim)).is_none());
    }
    let claim = Claim::trade_off(ratio(1, 3), ratio(2, 3)).unwrap();
    let (reach, words) = why_unreachable(&Requirement::from(claim)).unwrap();
    assert_eq!(reach, Reach::OnlyPerfect);
    assert!(words.contains("f(1/3) ≥ 2/3"), "{words}");
    let claim = Claim::trade_off(ratio(1, 4), ratio(4, 5)).unwrap();
    let (reach, words) = why_unreachable(&Requirement::from(claim)).unwrap();
    assert_eq!(reach, Reach::Never);
    assert!(words.contains("f(0.25) ≥ 0.8"), "{words}");
}

#[test]
fn standard_conversions_at_their_limits() {
    let delta = ratio(1, 10);
    // (1 + η − 2δ)/(1 − η) is 1 at η = δ.
    let advantage = |eta| Requirement::from(Claim::advantage(eta).unwrap());
    assert_eq!(
        largest_standard_u(&advantage(delta.clone()), &delta),
        Some(ratio(1, 1))
    );
    // The Bayes error of the prior's guess, less the share δ.
    for prior in [ratio(3, 10), ratio(7, 10)] {
        let least = ratio(27, 100);
        let requirement = Requirement::bayes_error(prior, least).unwrap();
        assert_eq!(largest_standard_u(&requirement, &delta), Some(ratio(7, 3)));
    }
    // More than it, and still less than the same of the other guess.
    let requirement = Requirement::bayes_error(ratio(3, 10), ratio(4, 10)).unwrap();
    assert_eq!(largest_standard_u(&requirement, &delta), None);
    assert_eq!(generic_cost(&delta, &delta, &ratio(1, 100)), None);
    assert_eq!(generic_cost(&ratio(1, 2), &delta, &Rational::new()), None);
}

/// Every decimal of an exact value lies on its own side of it.
#[test]
fn ends_of_exact_values() {
    use super::rounded::{lower_end, upper_end};
    for value in [ratio(2, 3), ratio(-2, 3), ratio(1, 4)] {
        for enclosure in [
            Enclosure::exactly(value.clone(), 60),
            Enclosure::new(
                Float::with_val(60, &value),
                Float::with_val(60, &value).larger(&Float::with_val(60, -9)),
            )
            .unwrap(),
        ] {
            let (low, high) = (
                lower_end(&enclosure, 4).unwrap(),
                upper_end(&enclosure, 4).unwrap(),
            );
            assert!(low <= value && value <= high && high - low <= ratio(1, 10_000));
        }
    }
}
