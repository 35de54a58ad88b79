//! Lines through points and at slopes, in exact numbers.

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

fn exact(x: &Float) -> Rational {
    x.to_rational().unwrap()
}

fn at(line: &Line, u: &Rational) -> Rational {
    Rational::from(&line.start - &Rational::from(&line.slope * u))
}

/// A chord is nowhere below either point, however it was rounded, and hardly above them where there are bits enough.
#[test]
fn chords_are_above_both_points() {
    let mut random = Random(9);
    let mut steep = 0;
    for round in 0..2_000 {
        let place = |random: &mut Random| {
            let place = 1 + random.below(1 << 12);
            Float::with_val(64, place) >> 11
        };
        let (a, b) = (place(&mut random), place(&mut random));
        if a == b {
            continue;
        }
        let (u, next) = if a < b { (a, b) } else { (b, a) };
        let value_below =
            |random: &mut Random, most: u128| u128::from(random.below(1 << 20)) * (most >> 20);
        let v = value_below(&mut random, ONE);
        let w = value_below(&mut random, v);
        // Points of a profile: at least 1 − u.
        let is_profile = |u: &Float, v: u128| value(v) + exact(u) >= 1;
        if !is_profile(&u, v) || !is_profile(&next, w) {
            continue;
        }
        for bits in [5, 8, 12, 200] {
            let line = at_most_bits(bits, || chord((&u, v), (&next, w))).unwrap();
            assert!(line.start <= 1, "{round}");
            for (u, v) in [(&u, v), (&next, w)] {
                let over = at(&line, &exact(u)) - value(v);
                assert!(over >= 0, "{round} {bits}: {}", over.to_f64());
            }
            if bits == 200 && line.start < 1 {
                assert!(at(&line, &exact(&next)) - value(w) < Rational::from((1, 1u64 << 50)));
            }
            steep += u32::from(line.start == 1);
        }
    }
    assert!(steep > 100);
}

/// A tangent is nowhere above any line whose slope is within what is known, as far as it is above 0.
#[test]
fn tangents_are_below_all_lines_that_may_be() {
    let mut random = Random(3);
    let mut seen = 0;
    for round in 0..2_000 {
        let unit = ONE >> 12;
        let place = Float::with_val(64, 1 + random.below(1 << 10)) >> 8;
        // Few units, or few parts of one: there a whole number is much.
        let size = if round % 2 == 0 { unit } else { 1 };
        let delta = u128::from(1 + random.below(1 << 11)) * size;
        let slope = u128::from(1 + random.below(1 << 10)) * size;
        let steeper = slope + u128::from(random.below(1 << 8)) * size;
        let touch = below::Touch {
            delta: (delta, delta),
            slope: (slope, steeper),
        };
        for bits in [5, 9, 200] {
            let Some(line) = at_most_bits(bits, || tangent(&place, &touch)) else {
                continue;
            };
            for true_slope in [slope, steeper, slope.midpoint(steeper)] {
                let of = |x: u128| value(x);
                let u = exact(&place);
                // Through (u, δ) with this slope, which is the slope times u.
                let start = of(delta) + of(true_slope);
                let truth = |v: &Rational| &start - of(true_slope) * Rational::from(v / &u);
                let end = &start / of(true_slope) * &u;
                let own = Rational::from(&line.start / &line.slope);
                for v in [
                    Rational::new(),
                    u.clone(),
                    own.clone(),
                    end.clone(),
                    &end / Rational::from(2),
                ] {
                    let allowed = truth(&v).max(Rational::new());
                    assert!(at(&line, &v) <= allowed, "{round} {bits} {v}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

/// The line of the end of all losses is (R − u)/(1 + R) for R as the lattice has it, rounded up.
#[test]
fn the_line_of_the_end_is_rounded_up() {
    use crate::kernel::{Point, Profile};

    for (odds, runs) in [(2u32, 3), (3, 2), (5, 4), (7, 3)] {
        let epsilon = Epsilon::log_of(Rational::from(odds)).unwrap();
        let (lattice, runs) = lattice(&epsilon, runs, Side::Above).unwrap();
        let end = runs * lattice.steps;
        let range = exact(lattice.places(end, Side::Above).last().unwrap());
        let polygon = polygon_of_end(&lattice, end).unwrap();
        let point = Point::at_exp_epsilon(&Rational::from(1), 400);
        let found = exact(polygon.at(&point).delta.hi());
        let over = found - Rational::from(&range - 1u32) / Rational::from(&range + 1u32);
        assert!(over >= 0 && over < 1e-35, "{odds} {runs}");
    }
}

/// When it is late no table is made, whose runs take a second and more: what is known without one is on its side, and is not kept for a question with more time.
#[test]
fn what_is_late_is_wide_and_on_its_side() {
    use crate::kernel::{Point, Profile, coarse::late};
    use crate::mechanism::closed::Closed;
    use crate::mechanism::closed::selection::{AdaptiveSelections, Selection, together};

    let epsilon = |odds: u32| Epsilon::log_of(Rational::from(odds)).unwrap();
    let delta = |of: &dyn Profile, u: i64| {
        let point = Point::at_exp_epsilon(&Rational::from(u), 120);
        of.at(&point).delta
    };
    let three = [(epsilon(2), 3)];
    let two = [(epsilon(2), 2), (epsilon(3), 1)];
    let end = |odds: u32| Rational::from(odds);
    for (runs, end) in [(&three[..], end(8)), (&two, end(12))] {
        let above = || match runs {
            [(epsilon, runs)] => upper(epsilon, *runs),
            several => together::upper(several),
        };
        let below = || match runs {
            [(epsilon, runs)] => lower(epsilon, *runs),
            several => together::lower(several),
        };
        let tables = (above().unwrap(), below().unwrap());
        let (high, low) = late(|| (above().unwrap(), below().unwrap()));
        for u in 1..20 {
            // That of randomised response with the sum of all ε.
            let line = Rational::from(&end - u) / Rational::from(&end + 1u32);
            let line = line.max(Rational::new());
            let (found, table) = (delta(&high, u), delta(&tables.0, u));
            let over = found.hi().to_rational().unwrap() - &line;
            assert!(found.lo() >= table.lo() && over >= 0, "{end} {u}");
            assert!(over < Rational::from((1, 1000)), "{end} {u}");
            assert!(delta(&low, u).hi() <= delta(&tables.1, u).hi(), "{end} {u}");
        }
        assert!(delta(&low, 1).is_zero() && delta(&tables.1, 1).is_positive());
    }
    // In the same object: first in a hurry, then not.
    let run = Selection::new(epsilon(2));
    let at_one = || {
        let powers = run.powers(3).unwrap();
        delta(&*powers[0].0, 1).hi().clone()
    };
    let hurried = late(at_one);
    assert!(hurried > 0.77 && at_one() < 0.5);
    let adversaries = AdaptiveSelections::new(three.to_vec());
    let at_one = || delta(&*adversaries.profile().unwrap(), 1).lo().clone();
    assert!(late(at_one) == 0 && at_one() > 0.2);
}
