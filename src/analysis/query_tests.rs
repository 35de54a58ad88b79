//! When a goal is reached, to the last number, and what two answers say together.

use std::sync::Arc;

use super::*;
use crate::kernel::Budget;
use crate::kernel::coarse::at_most_bits;
use crate::mechanism::gaussian::Gaussian;

fn between(low: f64, high: f64) -> Enclosure {
    let [low, high] = [low, high].map(|x| Float::with_val(64, x));
    Enclosure::new(low, high).unwrap()
}

#[test]
fn goals_are_reached() {
    let one = Goal::Compare {
        with: Rational::from(1),
    };
    for (low, high, is_decided) in [
        (0.0, 0.75, true),
        (0.0, 1.0, false),
        (0.0, 2.0, false),
        (1.0, 2.0, false),
        (1.25, 2.0, true),
        (1.0, 1.0, true),
    ] {
        assert_eq!(
            decides(&between(low, high), &one),
            is_decided,
            "{low} {high}"
        );
    }
    let third = Enclosure::exactly(Rational::from((1, 3)), 64);
    let width = |width: Rational| Goal::Width(Target::Absolute(width));
    let none = width(Rational::from((1, 1u64 << 60)) / (1u64 << 60));
    for goal in [
        &none,
        &Goal::Compare {
            with: Rational::from((1, 3)),
        },
    ] {
        assert!(decides(&third, goal));
    }
    assert!(decides(&between(1.0, 1.5), &width(Rational::from((1, 2)))));
    assert!(!decides(
        &between(1.0, 1.625),
        &width(Rational::from((1, 2)))
    ));
}

/// The place is that of the larger lower bound; the other one where that has none.
#[test]
fn two_answers_together() {
    let found = |low, high, place: Option<i32>| Found {
        enclosure: between(low, high),
        witness: place.map(|place| Witness::Order(Rational::from(place))),
    };
    let place = |found: &Found| match &found.witness {
        Some(Witness::Order(place)) => place.to_f64(),
        _ => 0.0,
    };
    for (first, second, ends, at) in [
        (
            found(0.0, 2.0, Some(1)),
            found(1.0, 3.0, Some(2)),
            (1.0, 2.0),
            2.0,
        ),
        (
            found(1.0, 3.0, Some(1)),
            found(0.0, 2.0, Some(2)),
            (1.0, 2.0),
            1.0,
        ),
        (
            found(1.0, 3.0, None),
            found(0.0, 4.0, Some(2)),
            (1.0, 3.0),
            2.0,
        ),
        (
            found(1.0, 3.0, Some(1)),
            found(1.0, 3.0, Some(2)),
            (1.0, 3.0),
            2.0,
        ),
    ] {
        let joined = join(Some(first), second).unwrap();
        let enclosure = &joined.enclosure;
        assert_eq!(
            (enclosure.lower().to_f64(), enclosure.upper().to_f64()),
            ends
        );
        assert!((place(&joined) - at).abs() < 1e-12);
    }
    assert!(join(Some(found(0.0, 1.0, None)), found(2.0, 3.0, None)).is_err());
    let alone = join(None, found(0.0, 1.0, None)).unwrap();
    assert_eq!(alone.enclosure, between(0.0, 1.0));
}

/// 64 more than the digits asked for have, and 128 at least.
#[test]
fn bits_to_begin_with() {
    let ten =
        |digits: u32| Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, digits))));
    for (digits, bits) in [(3, 128), (100, 64 + 332), (20, 130)] {
        assert_eq!(bits_for(&Target::Relative(ten(digits))), bits);
        assert_eq!(bits_for(&Target::Absolute(ten(digits))), bits);
    }
}

/// Of what is not answered from one curve nothing is said; a point of the curve with a floor is within it.
#[test]
fn what_one_curve_says() {
    let gaussian = Arc::new(Gaussian::from_mu(&Rational::from(1)));
    let sides = TwoSided::closed_form(gaussian);
    let target = Target::Relative(Rational::from((1, 1000)));
    let budget = Budget::unlimited();
    let effort = Effort {
        bits: 128,
        target: &target,
        goal: None,
        budget: &budget,
    };
    for quantity in [
        Quantity::MaxLoss,
        Quantity::ZcdpRho,
        Quantity::RegretOfStrictMu,
    ] {
        let found = ask(&sides, &quantity, &effort).unwrap().enclosure;
        assert!(*found.lower() == 0 && found.upper().is_infinite());
    }
    let floor = Rational::from((1, 10));
    let form = GdpForm::ErrorFloor(floor.clone());
    let found = ask(&sides, &Quantity::GdpMu(form), &effort).unwrap();
    let Some(Witness::Point { alpha, beta }) = found.witness else {
        panic!("a point");
    };
    assert!(alpha >= floor && beta >= floor && found.enclosure.width_up() < 0.01);
    for bits in 3..9 {
        let form = GdpForm::ErrorFloor(floor.clone());
        let coarse = at_most_bits(bits, || ask(&sides, &Quantity::GdpMu(form), &effort));
        if let Some(Witness::Point { alpha, beta }) = coarse.unwrap().witness {
            assert!(alpha >= floor && beta >= floor, "{bits}");
        }
    }
}
