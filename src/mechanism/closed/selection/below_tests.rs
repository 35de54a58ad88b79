//! Lower bounds to the last unit, in exact numbers, and lists of runs that are not alike.

use rug::Rational;

use super::super::fixed::value;
use super::super::lattice::Side;
use super::*;
use crate::kernel::coarse::Random;
use crate::mechanism::epsilon::Epsilon;

const WEIGHT_BITS: u32 = 62;

fn weight(w: u64) -> Rational {
    Rational::from(w) >> WEIGHT_BITS
}

fn encloses(bounds: (u128, u128), truth: &Rational) -> bool {
    value(bounds.0) <= *truth && *truth <= value(bounds.1)
}

/// Numbers and weights of which nothing is a whole multiple: what is known is a number, and the bounds of products are next to it.
#[test]
fn the_last_unit_is_on_the_safe_side() {
    let mut random = Random(8);
    let mut number = |most: u128| u128::from(random.word()) * (most >> 64) + 1;
    for _ in 0..400 {
        let touch = |d: u128, y: u128| Touch {
            delta: (d, d),
            slope: (y, y),
        };
        // δ + u·s is at most 1.
        let (d, y) = (number(ONE / 2), number(ONE / 2));
        let (e, z) = (number(ONE / 2), number(ONE / 2));
        let w = u64::try_from(number(1 << 126) >> 64).unwrap();
        let found = Touch::mean(touch(d, y), touch(e, z), (w, w));
        let mean = |a: u128, b: u128| weight(w) * value(a) + (1 - weight(w)) * value(b);
        assert!(encloses(found.delta, &mean(d, e)));
        assert!(encloses(found.slope, &mean(y, z)));
        let found = touch(d, y).mirrored((w, w));
        let rest = Rational::from(1) - value(d);
        assert!(encloses(found.delta, &(1 - weight(w) * &rest)));
        assert!(encloses(found.slope, &(weight(w) * (rest - value(y)))));
    }
}

/// The best of adversaries with places on the lattice of each run, by enumeration.
fn best(runs: &[(f64, usize)], ratio: f64, u: f64) -> f64 {
    let Some(((range, steps), rest)) = runs.split_first() else {
        return (1.0 - u).max(0.0);
    };
    let of = |i: usize| {
        let power = ratio.powi(i32::try_from(i).unwrap());
        let q = (range - power) / (range - 1.0);
        q * best(rest, ratio, u / power) + (1.0 - q) * best(rest, ratio, u * range / power)
    };
    (0..=*steps).map(of).fold(0.0, f64::max)
}

/// Ranges of different widths, in either order: the line of each touch is nowhere above the best adversary, and meets it.
#[test]
fn lines_of_runs_that_are_not_alike() {
    let ratio = Rational::from((9, 8));
    let of = |odds: u32| {
        let epsilon = Epsilon::log_of(Rational::from(odds)).unwrap();
        Lattice::around(&epsilon, ratio.clone(), Side::Below).unwrap()
    };
    let (narrow, wide) = (of(2), of(7));
    let r = ratio.to_f64();
    let float = |x: u128| value(x).to_f64();
    for list in [
        [(&narrow, 1usize), (&wide, 1usize)],
        [(&wide, 1), (&narrow, 1)],
        [(&narrow, 2), (&wide, 1)],
    ] {
        let single = list.iter().flat_map(|(lattice, count)| {
            let range = r.powi(i32::try_from(lattice.steps).unwrap());
            std::iter::repeat_n((range, lattice.steps), *count)
        });
        let single: Vec<(f64, usize)> = single.collect();
        let touches = table(&list);
        for (j, touch) in touches.iter().enumerate() {
            let place = r.powi(i32::try_from(j).unwrap());
            let (d, y) = (float(touch.delta.0), float(touch.slope.0));
            assert!(touch.delta.0 <= touch.delta.1 && touch.slope.0 <= touch.slope.1);
            let most = best(&single, r, place);
            assert!(d <= most + 1e-12, "{j}: {d} {most}");
            assert!(d >= most - 2e-3, "{j}: {d} {most}");
            if !j.is_multiple_of(3) {
                continue;
            }
            for u in [0.02, 0.2, 0.5, 0.9, 1.1, 1.7, 3.0, 6.0, 12.0] {
                let most = best(&single, r, u);
                let line = d + y - y * u / place;
                // Places between those of the lattice are of adversaries on it, too.
                assert!(line <= most + 1e-12, "{j} {u}: {line} {most}");
            }
        }
    }
}

/// In a range of one step the only adversaries are those that do nothing, at either end of the range: what is beyond them is none.
#[test]
fn runs_of_one_step() {
    let ratio = Rational::from((9, 8));
    let of = |odds: (u32, u32)| {
        let epsilon = Epsilon::log_of(Rational::from(odds)).unwrap();
        Lattice::around(&epsilon, ratio.clone(), Side::Below).unwrap()
    };
    let (single, wide) = (of((5, 4)), of((7, 1)));
    assert_eq!(single.steps, 1);
    let alone = table(&[(&wide, 1)]);
    for list in [
        vec![(&wide, 1usize), (&single, 1usize)],
        vec![(&single, 1), (&wide, 1)],
        vec![(&single, 2), (&wide, 1), (&single, 1)],
    ] {
        let touches = table(&list);
        assert!(touches.len() >= alone.len());
        for (touch, known) in touches.iter().zip(&alone) {
            assert!(value(touch.delta.0) <= value(known.delta.1));
            assert!(value(touch.delta.0) + Rational::from((1, 1_000_000)) >= value(known.delta.0));
        }
    }
    assert!(
        table(&[(&single, 1)])
            .iter()
            .all(|touch| touch.delta.0 == 0)
    );
}

/// Of a weight of which only an upper bound is known the best place is at the end of the range, and none is beyond it.
#[test]
fn weights_that_are_hardly_known() {
    let ratio = Rational::from((9, 8));
    let of = |odds: (u32, u32)| {
        let epsilon = Epsilon::log_of(Rational::from(odds)).unwrap();
        Lattice::around(&epsilon, ratio.clone(), Side::Below).unwrap()
    };
    let (mut blurred, wide) = (of((13, 10)), of((7, 1)));
    assert_eq!(blurred.steps, 2);
    for weight in &mut blurred.first {
        weight.0 = 0;
    }
    let r = ratio.to_f64();
    let runs = [blurred.steps, wide.steps].map(|n| (r.powi(i32::try_from(n).unwrap()), n));
    let touches = table(&[(&blurred, 1), (&wide, 1)]);
    assert!(touches.len() > 5);
    for (j, touch) in touches.iter().enumerate() {
        let most = best(&runs, r, r.powi(i32::try_from(j).unwrap()));
        assert!(value(touch.delta.0).to_f64() <= most + 1e-12, "{j}: {most}");
    }
}
