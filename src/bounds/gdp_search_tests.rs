//! Points that are tried and shown, at a few bits.

use std::sync::Arc;

use rug::Rational;

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::bounds::gdp_vertex::at_most_the_rest;
use crate::bounds::testing::{Finite, with_effort};
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::Adjacency;

#[test]
fn rests_are_rounded_to_their_side() {
    let mut random = Random(9);
    for _ in 0..8_000 {
        let bits = 2 + u32::try_from(random.below(30)).unwrap();
        let x =
            Float::with_val(64, random.below(1 << 20)) >> u32::try_from(random.below(60)).unwrap();
        let exact: Rational = 1 - x.to_rational().unwrap();
        let (down, up) = at_most_bits(bits, || (at_most_the_rest(&x), at_least_the_rest(&x)));
        assert!(
            down <= exact.clone().max(Rational::new()),
            "{x} {bits}: {down}"
        );
        assert!(up >= exact, "{x} {bits}: {up}");
        assert!(at_most_the_rest(&x) >= 0);
    }
}

/// The point of the curve at an error floor that is no float: α is not below the floor, nor β below the curve.
#[test]
fn cut_points_at_few_bits() {
    let mut tried = 0;
    for (p, q) in [
        (
            [(1i64, 7i64), (2, 7), (4, 7)],
            [(4i64, 7i64), (2, 7), (1, 7)],
        ),
        ([(1, 3), (0, 1), (2, 3)], [(2, 3), (0, 1), (1, 3)]),
        ([(1, 50), (9, 50), (4, 5)], [(4, 5), (9, 50), (1, 50)]),
    ] {
        let pair = Finite::new(&p, &q);
        let exact = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
        for floor in [(1, 10), (1, 7), (1, 30)] {
            let floor = Rational::from(floor);
            let form = GdpForm::ErrorFloor(floor.clone());
            let curve = Curve::new(Arc::new(pair.clone()));
            let most = exact.tradeoff(&floor);
            for bits in [4, 6, 9, 14, 40, 200] {
                let found = with_effort(9, 64, |effort| {
                    at_most_bits(bits, || {
                        let size = Float::with_val(64, 1);
                        let range = LossRange::default();
                        let bits = precision(&curve, false, &form, effort);
                        let sides = (bits, false);
                        let mut search = Search::new(&curve, &range, &form, effort, &size, sides);
                        search.place_cuts(&form).unwrap();
                        search.best
                    })
                });
                let Some((alpha, rest)) = found else { continue };
                let rational = |x: &Float| x.to_rational().unwrap();
                assert!(rational(&alpha) >= floor, "{p:?} {floor} {bits}: {alpha}");
                assert!(
                    rational(&rest) <= Rational::from(1 - &most),
                    "{p:?} {floor} {bits}: {rest}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
}
