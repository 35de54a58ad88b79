//! Nearest true claims to refuted ones, of an analyst that is a table.

use super::super::testing::{Fake, judge_with};
use super::{
    Enclosed, Least, MOST_DIGITS, greatest_above_zero, least, least_below_one, printed_below_one,
    resolved_digits,
};
use crate::analysis::Ending;
use crate::bounds::Enclosure;
use crate::kernel::Pick;
use crate::kernel::coarse::{Random, at_most_bits, few_bits};
use crate::statement::Claim;
use crate::verdict::{Counterexample, Nearest, NoNearest, Outcome, Refutation};
use rug::{Float, Integer, Rational};

fn refuted(fake: &Fake, text: &str) -> Refutation {
    match judge_with(fake, text).outcome {
        Outcome::Refuted(refutation) => refutation,
        other => panic!("{text}: {other:?}"),
    }
}

/// This claim, and nothing beside it.
fn claim(text: &str) -> Nearest {
    Nearest::just(Claim::from_argument(text).unwrap())
}

fn epsilon(epsilon: u32) -> Option<Counterexample> {
    Some(Counterexample::Epsilon(Rational::from(epsilon).into()))
}

#[test]
fn approx_dp_names_both_ways_out() {
    let fake = Fake::new()
        .delta("8", (0.125, 0.1328125))
        .epsilon((8.5, 8.53125));
    let refutation = refuted(&fake, "approx-dp:epsilon=8,delta=0.0625");
    assert_eq!(
        refutation.nearest,
        Nearest::Claim {
            nearest: Box::new(
                Claim::from_argument("approx-dp:epsilon=8.5313,delta=0.0625").unwrap()
            ),
            other: Some(Box::new(
                Claim::from_argument("approx-dp:epsilon=8,delta=0.13282").unwrap()
            )),
        }
    );
    assert_eq!(refutation.witness, epsilon(8));
}

#[test]
fn without_a_finite_epsilon_only_delta_can_give_way() {
    let fake = Fake::new().delta("8", (0.125, 0.125)).epsilon_infinite();
    let refutation = refuted(&fake, "approx-dp:epsilon=8,delta=0.0625");
    assert_eq!(refutation.nearest, claim("approx-dp:epsilon=8,delta=0.125"));
}

/// 25 printed digits deserve more than 5.
#[test]
fn a_claim_of_many_digits_gets_as_many() {
    let exact = Rational::from((1, 3));
    let fake = Fake::new().advantage_exactly(exact);
    let refutation = refuted(&fake, "advantage:at-most=0.33333333");
    assert_eq!(refutation.nearest, claim("advantage:at-most=0.333333334"));
    let refutation = refuted(&fake, "advantage:at-most=0.33");
    assert_eq!(refutation.nearest, claim("advantage:at-most=0.33334"));
}

#[test]
fn gdp_keeps_its_form() {
    let fake = Fake::new().mu((1.5625, 1.5654321));
    let refutation = refuted(&fake, "gdp:mu=1.5,tolerance=1e-10");
    assert_eq!(refutation.nearest, claim("gdp:mu=1.5655,tolerance=1e-10"));
}

#[test]
fn a_regret_keeps_its_mu() {
    let fake = Fake::new().regret((0.0625, 0.0625));
    let refutation = refuted(&fake, "regret:mu=0.5,at-most=0.01");
    assert_eq!(refutation.nearest, claim("regret:mu=0.5,at-most=0.0625"));
}

/// With time left, the budget is not what is to blame.
#[test]
fn why_there_is_no_nearest_claim() {
    let nearest = |ending, ends| {
        let fake = Fake::new().advantage(ends).ending(ending);
        match refuted(&fake, "advantage:at-most=0.5").nearest {
            Nearest::Nothing(why) => why.to_string(),
            Nearest::Claim { nearest, .. } => panic!("{nearest:?}"),
        }
    };
    assert_eq!(
        nearest(Ending::OutOfTime, (0.75, 1.0)),
        "not found within the budget"
    );
    assert_eq!(
        nearest(Ending::Exhausted, (0.75, 1.0)),
        "no such number is certain, and dpcmp cannot narrow it further"
    );
    assert_eq!(
        nearest(Ending::DoesNotFollow, (0.75, 1.0)),
        "no such number follows from what is known"
    );
    assert_eq!(
        nearest(Ending::Reached, (0.75, 1.0)),
        "no such number is certain: the value lies between 0.75 and 1"
    );
    assert_eq!(
        nearest(Ending::Reached, (0.9999999, 1.0)),
        "no such number is certain: the value lies between 0.999999 and 1"
    );
}

/// [0.9375, 1] is narrow enough for most, but not to name a number below 1: with time left, it is asked again.
#[test]
fn a_number_near_one_is_narrowed_until_it_is_below() {
    let fake = Fake::new()
        .advantage((0.9375, 1.0))
        .ending(Ending::Reached)
        .narrower_advantage((0.9375, 0.96875));
    let refutation = refuted(&fake, "advantage:at-most=0.5");
    assert_eq!(refutation.nearest, claim("advantage:at-most=0.96875"));
}

#[test]
fn an_unbounded_loss_has_no_nearest_epsilon() {
    let fake = Fake::new().max_loss_infinite();
    let refutation = refuted(&fake, "pure-dp:epsilon=3");
    assert_eq!(
        refutation.nearest,
        Nearest::Nothing(NoNearest::NoFinite("epsilon"))
    );
    assert!(!refutation.rounding_of_printed_digits);
    assert_eq!(refutation.witness, epsilon(3));
}

/// The true δ at 8 is 0.0626: 0.06 and 0.063 differ in whether half a last digit reaches it.
#[test]
fn a_miss_within_the_printed_digits_of_delta() {
    let fake = Fake::new()
        .delta("8", (0.0625, 0.06275))
        .epsilon((8.5, 8.53125));
    for (delta, hidden) in [("0.06", true), ("0.060", false), ("0.0624", false)] {
        let text = format!("approx-dp:epsilon=8.0,delta={delta}");
        let refutation = refuted(&fake, &text);
        assert_eq!(refutation.rounding_of_printed_digits, hidden, "{delta}");
    }
}

#[test]
fn a_miss_within_the_printed_digits_of_epsilon() {
    let fake = Fake::new()
        .delta("7.4", (0.0625, 0.0625))
        .delta("7.45", (0.03125, 0.03125))
        .delta("7.405", (0.0615, 0.0615));
    let fake = fake.epsilon((7.4375, 7.4375));
    let printed = |epsilon: &str| {
        let text = format!("approx-dp:epsilon={epsilon},delta=0.0400000");
        refuted(&fake, &text).rounding_of_printed_digits
    };
    assert!(printed("7.4"));
    assert!(!printed("7.40"));
}

#[test]
fn a_miss_within_the_printed_digits_of_the_other_kinds() {
    let fake = Fake::new()
        .mu((1.5703125, 1.5703125))
        .trade_off((0.125, 0.125));
    for (text, hidden) in [
        ("gdp:mu=1.57", true),
        ("gdp:mu=1.570", true),
        ("gdp:mu=1.5700", false),
        ("trade-off:alpha=0.1,beta=0.13", true),
        ("trade-off:alpha=0.1,beta=0.130", false),
    ] {
        assert_eq!(
            refuted(&fake, text).rounding_of_printed_digits,
            hidden,
            "{text}"
        );
    }
}

/// An advantage of 1 is a true claim that says nothing, so that some finite number is true.
#[test]
fn an_advantage_of_one_leaves_no_number_below() {
    let fake = Fake::new().advantage_exactly(Rational::from(1));
    let refutation = refuted(&fake, "advantage:at-most=1/2");
    let nothing = Nearest::Nothing(NoNearest::NoneBelowOne("at-most"));
    assert_eq!(refutation.nearest, nothing);
}

/// A true number below 1 is not called useless because it takes too many digits to print.
#[test]
fn what_cannot_be_told_from_one_in_print() {
    let printed = |bits: u32| {
        let one = Float::with_val(4_000, 1);
        let number = Float::with_val(4_000, &one - Float::with_val(4_000, &one >> bits));
        printed_below_one(Enclosed {
            enclosure: Enclosure::new(number.clone(), number).unwrap(),
            digits: 5,
            ending: Ending::Reached,
        })
    };
    assert!(matches!(printed(1_000), Least::Is(number) if number < 1));
    assert!(matches!(
        printed(3_000),
        Least::Unknown(NoNearest::NearerToOneThanPrinted)
    ));
}

/// A number of few bits above 0, and one below 1 by as little as 2^−60.
fn float(random: &mut Random, below_one: bool) -> Float {
    let bits = few_bits(random);
    let number = Float::with_val(bits, 1 + random.below((1 << bits) - 1)) >> bits;
    let shift = u32::try_from(random.below(60)).unwrap();
    match below_one {
        true => Float::with_val(bits + shift + 1, 1 - &(number >> shift)),
        false => number << 30u32 >> shift,
    }
}

fn is_between(low: &Rational, number: &Rational, high: Option<Rational>) -> bool {
    low <= number && high.is_none_or(|high| *number <= high)
}

/// Numbers of nearest claims lie on the safe side of the end that matters, within a unit of the last digit, whatever digits and bits.
#[test]
fn ends_of_few_bits_in_few_digits() {
    let mut random = Random(45);
    for round in 0..10_000 {
        let is_share = round % 2 == 0;
        let (x, y) = (float(&mut random, is_share), float(&mut random, is_share));
        let enclosure = match random.below(4) {
            0 => Enclosure::exactly(x.to_rational().unwrap() / 3u32, 40),
            _ => Enclosure::new(x.clone().smaller(&y), x.larger(&y)).unwrap(),
        };
        let exact = |x: &Float| {
            enclosure
                .exact()
                .cloned()
                .or_else(|| x.to_rational())
                .unwrap()
        };
        let (low, high) = (exact(enclosure.lower()), exact(enclosure.upper()));
        let digits = 1 + usize::try_from(random.below(6)).unwrap();
        let unit = Rational::from(1)
            / Rational::from(Integer::from(Integer::u_pow_u(
                10,
                u32::try_from(digits).unwrap() - 1,
            )));
        let found = || Enclosed {
            enclosure: enclosure.clone(),
            digits,
            ending: Ending::Reached,
        };
        for least in [found().up(), least(Some(found()))] {
            let Least::Is(number) = least else {
                panic!("{enclosure:?}")
            };
            let most = &high * (1 + unit.clone());
            assert!(
                is_between(&high, &number, Some(most)),
                "{enclosure:?} {number}"
            );
        }
        if is_share {
            for least in [printed_below_one(found()), least_below_one(Some(found()))] {
                let Least::Is(number) = least else {
                    panic!("{enclosure:?}")
                };
                assert!(number < 1 && high <= number, "{enclosure:?} {number}");
            }
            if let Least::Is(number) = greatest_above_zero(Some(found())) {
                assert!(number > 0 && number <= low, "{enclosure:?} {number}");
            }
        }
        // 10^digits is about the size in widths.
        let bits = few_bits(&mut random);
        let shared = at_most_bits(bits, || resolved_digits(&enclosure));
        let width =
            enclosure.upper().to_rational().unwrap() - enclosure.lower().to_rational().unwrap();
        if shared < MOST_DIGITS && width != 0 {
            let size = enclosure.upper().to_rational().unwrap();
            let scaled = width * Rational::from(Integer::from(Integer::u_pow_u(10, shared)));
            assert!(
                scaled <= size.clone() * 2u32 || shared == 0,
                "{enclosure:?} {shared}"
            );
            assert!(scaled * 80u32 >= size, "{enclosure:?} {shared}");
        }
    }
}
