//! The cover of all triangles.

use super::*;
use crate::kernel::coarse::Random;

/// Where (A, C) lies in a cell the sides are at most the interpolation of those at its corners.
#[test]
fn corners_are_above_all_triangles() {
    for (grid, half) in [(Grid::Fine, &FINE[..]), (Grid::Coarse, &COARSE[..])] {
        let cover = Cover::new(grid);
        let angles: Vec<f64> = lines(half)
            .iter()
            .map(|line| 2.0 * line.half_tangent.to_f64().atan())
            .collect();
        let last = angles.len() - 1;
        let mut cells = cover.cells.iter();
        let mut tried = 0;
        for i in 0..last {
            for j in 0..last {
                if i + j + 1 < last {
                    continue;
                }
                let cell = cells.next().unwrap();
                for n in 0..=8u32 {
                    for m in 0..=8u32 {
                        let (x, y) = (f64::from(n) / 8.0, f64::from(m) / 8.0);
                        let weights = if cell.len() == 3 {
                            // (1, 0), (0, 1), (1, 1)
                            vec![1.0 - y, 1.0 - x, x + y - 1.0]
                        } else {
                            vec![(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y]
                        };
                        if weights.iter().any(|w| *w < -1e-12) {
                            continue;
                        }
                        let a = angles[i] + x * (angles[i + 1] - angles[i]);
                        let c = angles[j] + y * (angles[j + 1] - angles[j]);
                        let sides = [2.0 * a.sin(), 2.0 * (a + c).sin(), 2.0 * c.sin()];
                        for (entry, side) in sides.iter().enumerate() {
                            let above: f64 = cell
                                .iter()
                                .zip(&weights)
                                .map(|((number, _), w)| {
                                    let corner = &cover.corners[*number];
                                    w * [&corner.a, &corner.b, &corner.c][entry].to_f64()
                                })
                                .sum();
                            assert!(above >= side - 1e-12, "{i} {j} {n} {m} {entry}");
                            assert!(above <= side + 0.3);
                        }
                        tried += 1;
                    }
                }
            }
        }
        assert!(cells.next().is_none() && tried > 500);
    }
}

/// The extreme triangle, all others opposite, is a corner as it is, and bears no error.
#[test]
fn the_extreme_corner_is_exact() {
    for grid in [Grid::Fine, Grid::Coarse] {
        let cover = Cover::new(grid);
        for sides in [[2, 2, 0], [0, 2, 2]] {
            let number = cover.corners.iter().position(|corner| {
                [&corner.a, &corner.b, &corner.c] == sides.map(Rational::from).each_ref()
            });
            let number = number.unwrap();
            let factors = cover.cells.iter().flatten().filter(|(n, _)| *n == number);
            assert!(factors.map(|(_, factor)| *factor).all(|factor| factor == 0));
        }
    }
}

/// Three points of the unit ball, in three dimensions: their sides are at most those of a triangle in the unit circle without an obtuse angle.
#[test]
fn every_triangle_is_below_one_in_the_circle() {
    let mut random = Random(7);
    let mut unit = || (random.below(2_001) as f64 - 1_000.0) / 1_000.0;
    let mut obtuse = 0;
    for _ in 0..20_000 {
        let mut points = [[0.0; 3]; 3];
        for point in &mut points {
            *point = [unit(), unit(), unit()];
            let norm = point.iter().map(|x| x * x).sum::<f64>().sqrt();
            // Half of them on the sphere.
            let scale = if norm > 1.0 || unit() > 0.0 {
                norm
            } else {
                1.0
            };
            point.iter_mut().for_each(|x| *x /= scale);
        }
        let distance = |p: &[f64; 3], q: &[f64; 3]| {
            p.iter()
                .zip(q)
                .map(|(x, y)| (x - y) * (x - y))
                .sum::<f64>()
                .sqrt()
        };
        let sides = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| distance(&points[i], &points[j]));
        let mut sorted = sides;
        sorted.sort_by(f64::total_cmp);
        let [s, m, l] = sorted;
        assert!(l <= 2.0 + 1e-9);
        if s * s + m * m <= l * l {
            obtuse += 1;
            // 2 cos t, 2, 2 sin t with (2 sin t)² = s² has the other side at least m.
            assert!((4.0 - s * s).sqrt() >= m - 1e-9);
        } else {
            let area = ((l + m + s) * (m + s - l) * (l + s - m) * (l + m - s))
                .max(0.0)
                .sqrt()
                / 4.0;
            assert!(l * m * s / (4.0 * area) <= 1.0 + 1e-6);
        }
    }
    assert!(obtuse > 2_000);
}

/// Over one cell alone, with lines at random and of unequal distance, nothing is above the interpolation and what bends may add.
#[test]
fn bends_of_one_cell() {
    let mut random = Random(8);
    let mut tried = 0;
    for _ in 0..400 {
        let mut number = |from: u64, below: u64| (from + random.below(below - from)) as i64;
        let (a, c) = (number(30, 90), number(30, 90));
        let gaps = [number(1, 12), number(1, 12)];
        let at = |n: i64| Line::new(Rational::from((n, 100)));
        let lines = [(at(a), at(a + gaps[0])), (at(c), at(c + gaps[1]))];
        let angle = |line: &Line| 2.0 * line.half_tangent.to_f64().atan();
        let ends = lines
            .each_ref()
            .map(|(low, high)| (angle(low), angle(high)));
        let [(a0, a1), (c0, c1)] = ends;
        if a0 + c0 < std::f64::consts::FRAC_PI_2
            || a1 > std::f64::consts::FRAC_PI_2
            || c1 > std::f64::consts::FRAC_PI_2
        {
            continue;
        }
        tried += 1;
        let [(low_a, high_a), (low_c, high_c)] = &lines;
        let error = bends((low_a, high_a), (low_c, high_c), false);
        let sides = |a: f64, c: f64| [2.0 * a.sin(), 2.0 * (a + c).sin(), 2.0 * c.sin()];
        for n in 0..=8 {
            for m in 0..=8 {
                let (x, y) = (f64::from(n) / 8.0, f64::from(m) / 8.0);
                let truth = sides(a0 + x * (a1 - a0), c0 + y * (c1 - c0));
                for (entry, bend) in [&error.a, &error.b, &error.c].into_iter().enumerate() {
                    let corner = |a: f64, c: f64, w: f64| w * sides(a, c)[entry];
                    let line = corner(a0, c0, (1.0 - x) * (1.0 - y))
                        + corner(a1, c0, x * (1.0 - y))
                        + corner(a0, c1, (1.0 - x) * y)
                        + corner(a1, c1, x * y);
                    let above = line + bend.to_f64();
                    assert!(
                        above >= truth[entry] - 1e-12,
                        "{a} {c} {gaps:?} {n} {m} {entry}"
                    );
                }
            }
        }
    }
    assert!(tried > 50, "{tried}");
}

/// A side is rounded up to the next of the places that sides have.
#[test]
fn sides_are_rounded_up_to_their_places() {
    let mut random = Random(41);
    for _ in 0..9_000 {
        let digits = u32::try_from(random.below(64)).unwrap();
        let x = match random.below(3) {
            0 => Rational::from((random.word() >> digits, 1 + random.below(1 << 20))),
            1 => Rational::from((random.below(4), 1)),
            _ => Rational::from(random.word() >> digits) >> SIDE_BITS,
        };
        let found = rounded_up(x.clone());
        let over = Rational::from(&found - &x) << SIDE_BITS;
        assert!((0..1).contains(&over), "{x}: {found}");
        assert!((found << SIDE_BITS).is_integer(), "{x}");
    }
}
