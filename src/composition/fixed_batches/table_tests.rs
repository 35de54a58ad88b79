//! A table as a profile.

use super::*;
use crate::kernel::coarse::{self, Place};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// Two runs of randomised response with odds (1 + 1/4)^3.
fn table() -> (Table, impl Fn(&Rational) -> Rational) {
    let odds = Rational::from(q(5, 4).square_ref()) * q(5, 4);
    let truth = move |u: &Rational| {
        let t = &odds / Rational::from(1 + &odds);
        let s = Rational::from(1 - &t);
        let pairs = [
            (t.clone().square(), s.clone().square()),
            (
                Rational::from(&t * &s) * 2u32,
                Rational::from(&t * &s) * 2u32,
            ),
            (s.square(), t.square()),
        ];
        let gains = pairs.iter().map(|(q, p)| q - Rational::from(u * p));
        gains.filter(|gain| *gain > 0).sum::<Rational>()
    };
    let mut values = Vec::new();
    let mut u = q(1, 1);
    for _ in 0..=8 {
        let scaled = truth(&u) << UNIT_BITS;
        values.push(Integer::from(scaled.round_ref()).to_u128().unwrap());
        u *= q(5, 4);
    }
    (Table { density: 4, values }, truth)
}

#[test]
fn chords_are_the_profile_of_a_pair_on_the_lattice() {
    let (table, truth) = table();
    let profile = Tabulated::new(table);
    let close = Interval::from_rational(&q(1, 1 << 62), 120);
    for n in 1..400i64 {
        let u = q(n, 90);
        let point = Point::at_exp_epsilon(&u, 120);
        let knot = profile.at(&point);
        let delta = knot
            .delta
            .hull(&knot.delta.add(&close))
            .hull(&knot.delta.sub(&close));
        assert!(delta.contains(&truth(&u)), "{u}: {:?}", knot.delta);
        assert!(knot.delta.width_up() < 1e-15);
        for v in [q(1, 50), q(1, 2), q(1, 1), q(3, 2), q(9, 2)] {
            let there = truth(&v).to_f64();
            let step = Rational::from(&v - &u).to_f64();
            let line = |s: &Float| truth(&u).to_f64() - s.to_f64() * step;
            let tail = &knot.null_tail;
            assert!(
                there >= line(tail.lo()).min(line(tail.hi())) - 1e-12,
                "{u} {v}"
            );
        }
    }
}

#[test]
fn coarse_numbers_enclose_finer_ones() {
    let profile = Tabulated::new(table().0);
    for bits in [8, 12, 16] {
        for place in [
            Place::Epsilon(q(1, 7)),
            Place::Epsilon(q(-3, 7)),
            Place::ExpEpsilon(q(9, 4)),
            Place::NearEpsilon(q(-1, 3)),
            Place::NearEpsilon(q(30, 1)),
        ] {
            assert_eq!(coarse::profile_holds(&profile, &place, bits, true), Ok(()));
        }
        assert_eq!(coarse::ends_hold(&profile, bits), Ok(()));
    }
}

/// Enclosures of u that lie about 1, and about the points of the table: δ and its slope at both ends lie within.
#[test]
fn enclosures_about_one_have_both_ends() {
    let (table, truth) = table();
    let last = *table.values.last().unwrap();
    let profile = Tabulated::new(table);
    let point = |low: Rational, high: Rational| {
        let end = |x: Rational| Interval::from_rational(&x, 60);
        Point::at_log(end(low).hull(&end(high)))
    };
    let close = Interval::spanning(Float::with_val(60, -1e-15), Float::with_val(60, 1e-15));
    for (low, high) in [
        (q(-1, 10), q(1, 5)),
        (q(-1, 1), q(1, 90)),
        (q(-1, 100), q(0, 1)),
        (q(0, 1), q(1, 100)),
        (q(1, 5), q(1, 4)),
        (q(1, 5), q(6, 5)),
        // Around the sixth point, where δ bends.
        (q(13, 10), q(27, 20)),
        (q(-27, 20), q(-13, 10)),
    ] {
        let found = profile.at(&point(low.clone(), high.clone()));
        for end in [&low, &high] {
            let u = Float::with_val(200, end).exp().to_rational().unwrap();
            let delta = found.delta.add(&close);
            assert!(delta.contains(&truth(&u)), "{low} {high}: {delta:?}");
            // At 0 the slope on either side will do.
            let alone = profile.at(&point(end.clone(), end.clone())).null_tail;
            let covered = coarse::surrounds(&found.null_tail, &alone);
            assert!(covered || *end == 0, "{low} {high}");
        }
    }
    let infinite = Rational::from(Integer::from(last)) >> UNIT_BITS;
    assert_eq!(profile.exact_infinite_mass(), Some(infinite));
}

#[test]
fn random_places_at_few_bits() {
    let profile = Tabulated::new(table().0);
    assert_eq!(coarse::places_hold(&profile, 1, 5_100, true), Ok(()));
}
