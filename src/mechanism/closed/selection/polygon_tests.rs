//! The largest of lines, line by line.

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn random_lines(random: &mut Random) -> Vec<Line> {
    let count = 1 + random.below(6);
    let part = |random: &mut Random| Rational::from((random.below(22), 21u32));
    let line = |_| Line {
        start: part(random),
        slope: part(random),
    };
    (0..count)
        .map(line)
        .filter(|line| line.start <= 1)
        .collect()
}

/// All lines, with their mirror images, 0 and 1 − u.
fn all_of(stated: &[Line]) -> Vec<Line> {
    let mut all: Vec<Line> = stated.iter().map(Line::mirrored).collect();
    all.extend(stated.iter().cloned());
    for end in [0, 1] {
        all.push(Line {
            start: q(end, 1),
            slope: q(end, 1),
        });
    }
    all
}

fn value(line: &Line, u: &Rational) -> Rational {
    Rational::from(&line.start - &Rational::from(&line.slope * u))
}

/// At corners, beside them by less than they are known, and elsewhere: the largest line, and its slope.
#[test]
fn the_largest_line_everywhere() {
    let mut random = Random(17);
    let mut seen = 0;
    for round in 0..60 {
        let stated = random_lines(&mut random);
        let Some(polygon) = Polygon::new(stated.clone()) else {
            continue;
        };
        let all = all_of(&stated);
        let mut places: Vec<Float> = (1..24).map(|n| Float::with_val(200, n) / 7u32).collect();
        for (flat, steep) in polygon.lines.iter().zip(polygon.lines.iter().skip(1)) {
            let rise = Rational::from(&steep.start - &flat.start);
            let corner = rise / Rational::from(&steep.slope - &flat.slope);
            let corner = Float::with_val(200, &corner);
            for shift in [70, 95, 98, 120] {
                let step = Float::with_val(200, &corner >> shift);
                places.push(Float::with_val(200, &corner - &step));
                places.push(Float::with_val(200, &corner + &step));
            }
            places.push(corner);
        }
        for u in &places {
            let exactly = u.to_rational().unwrap();
            let largest = all.iter().map(|line| value(line, &exactly)).max().unwrap();
            let slopes: Vec<&Rational> = all
                .iter()
                .filter(|line| value(line, &exactly) == largest)
                .map(|line| &line.slope)
                .collect();
            for bits in [8, 60, 200] {
                let found = polygon.at_place(u, bits);
                assert!(
                    found.delta.contains(&largest),
                    "{round} {bits} {u}: {found:?}"
                );
                for slope in &slopes {
                    assert!(
                        found.null_tail.contains(slope),
                        "{round} {bits} {u}: {found:?}"
                    );
                }
                let coarse = at_most_bits(bits, || polygon.at_place(u, bits));
                assert!(
                    coarse.delta.contains(&largest),
                    "{round} {bits} {u}: {coarse:?}"
                );
                seen += 1;
            }
        }
        // From the largest loss on there is nothing.
        if let LossBound::Finite { value: end, .. } = polygon.largest_loss(120) {
            let place = |x: &Float| {
                Interval::point(x.clone())
                    .exp()
                    .middle()
                    .to_rational()
                    .unwrap()
            };
            let after = place(&Float::with_val(120, end.hi() + 1e-9));
            assert!(all.iter().all(|line| value(line, &after) <= 0), "{round}");
            let before = place(&Float::with_val(120, end.lo() - 1e-9));
            let is_over = all.iter().any(|line| value(line, &before) > 0);
            assert!(is_over || *end.hi() < 1e-6, "{round}");
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// Of a place that is anywhere nothing is known; of one within bounds all between.
#[test]
fn places_by_intervals() {
    let line = |start, slope| Line { start, slope };
    let polygon = Polygon::new(vec![line(q(3, 4), q(1, 2)), line(q(1, 2), q(1, 5))]).unwrap();
    let anywhere = polygon.at(&Point::at_log(Interval::whole_line(64)));
    for end in [q(0, 1), q(1, 1)] {
        assert!(anywhere.delta.contains(&end) && anywhere.null_tail.contains(&end));
    }
    let half_a_line =
        Interval::spanning(Float::with_val(64, 0), Float::with_val(64, f64::INFINITY));
    let found = polygon.at(&Point::at_log(half_a_line));
    assert!(found.delta.contains(&q(0, 1)) && found.delta.contains(&q(3, 10)));
    let places = [-9, -4, -1, 0, 1, 3, 4, 9].map(|n| q(n, 5));
    assert_eq!(
        crate::kernel::coarse::spans_hold(&polygon, &places, 64),
        Ok(())
    );
}

/// A line that starts above 1 or is steeper than 1 supports no profile, whatever its other number.
#[test]
fn lines_of_no_profile_are_refused() {
    let line = |start: (i64, i64), slope: (i64, i64)| Line {
        start: Rational::from(start),
        slope: Rational::from(slope),
    };
    assert!(Polygon::new(vec![line((3, 4), (1, 2))]).is_some());
    for (start, slope) in [
        ((3, 2), (1, 2)),
        ((1, 2), (3, 2)),
        ((-1, 2), (1, 2)),
        ((1, 2), (-1, 2)),
    ] {
        assert!(Polygon::new(vec![line(start, slope)]).is_none());
    }
}

/// Polygons anew: two places of each.
#[test]
fn random_places_at_few_bits() {
    let mut random = Random(9);
    for seed in 0..3_100 {
        let Some(polygon) = Polygon::new(random_lines(&mut random)) else {
            continue;
        };
        let held = crate::kernel::coarse::places_hold(&polygon, seed, 2, true);
        assert_eq!(held, Ok(()), "{seed}");
    }
}
