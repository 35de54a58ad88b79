//! How fine the next profiles are, and what is given up in the tails.

use super::*;

fn between(low: f64, high: f64) -> Enclosure {
    let [low, high] = [low, high].map(|x| Float::with_val(64, x));
    Enclosure::new(low, high).unwrap()
}

fn q(n: u32, d: u32) -> Rational {
    Rational::from((n, d))
}

/// Widths fall with the square of the number of cells.
#[test]
fn how_many_more_cells() {
    let absolute = |width: Rational| Goal::Width(Target::Absolute(width));
    for (width, most) in [
        (q(1, 3), 2),
        (q(1, 4), 2),
        (q(1, 5), 3),
        (q(1, 16), 4),
        (q(1, 1000), 8),
    ] {
        assert_eq!(growth(&absolute(width), &between(0.0, 1.0)), most);
    }
    // A quarter of the smaller end: 1/4 here.
    let relative = Goal::Width(Target::Relative(q(1, 4)));
    assert_eq!(growth(&relative, &between(1.0, 2.0)), 2);
    assert_eq!(growth(&relative, &between(1.0, 3.5)), 4);
    assert_eq!(
        growth(&Goal::Compare { with: q(1, 2) }, &between(0.0, 1.0)),
        2
    );
}

#[test]
fn numbers_below_what_is_given_up() {
    let at = |x: f64| Float::with_val(64, x);
    // 2^−4 for a depth of 34.
    assert!(is_below(&at(0.0), 34) && is_below(&at(0.0624), 34));
    assert!(!is_below(&at(0.0625), 34) && !is_below(&at(0.5), 34));
    assert!(!is_below(&at(-0.5), 34) && !is_below(&at(f64::INFINITY), 34));
}

#[test]
fn depths_of_levels() {
    // 16 more than the bits that a level lacks, and 30 more of what a question is about.
    assert_eq!(depth_below(&q(1, 1)), 16);
    assert_eq!(depth_below(&q(1, 1024)), 26);
    assert_eq!(
        depth_below(&Rational::from((1, rug::Integer::from(1) << 9000u32))),
        DEEPEST
    );
    let delta = |delta: Rational| Quantity::Epsilon { delta };
    assert_eq!(depth_of(&delta(q(1, 1024))), 56);
    assert_eq!(depth_of(&Quantity::TradeOff { alpha: q(1, 4) }), 48);
    assert_eq!(depth_of(&Quantity::BayesError { prior: q(1, 2) }), 47);
    assert_eq!(depth_of(&Quantity::Advantage), 0);
    let tiny = Rational::from((1, rug::Integer::from(1) << 9000u32));
    assert_eq!(depth_of(&delta(tiny)), DEEPEST);
}
