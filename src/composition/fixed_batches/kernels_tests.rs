//! What bends may add, by the formula and by trying; each row at a few bits.

use super::*;
use crate::kernel::coarse::at_most_bits;

fn phi_density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

/// The gain of the best threshold, and so nearly the largest: a lower bound of it, whatever the threshold.
fn by_trying(q: f64, a: f64, b: f64, r: f64) -> f64 {
    let (mut low, mut high) = (-40.0, b / 2.0);
    for _ in 0..60 {
        let z: f64 = (low + high) / 2.0;
        let others = (r - 1.0) * (1.0 - q) / q * (a * z - a * a / 2.0).exp();
        if others + r * (b * z - b * b / 2.0).exp() < 1.0 {
            low = z
        } else {
            high = z
        }
    }
    let phi = |x: f64| {
        normal::cdf_absolute(&Interval::point(Float::with_val(90, x)))
            .lo()
            .to_f64()
    };
    (q * phi(low) - (r - 1.0) * (1.0 - q) * phi(low - a) - r * q * phi(low - b)).max(0.0)
}

fn sides_of(a: f64, b: f64) -> Sides {
    let of = |x: f64| Interval::point(Float::with_val(BITS, x));
    Sides { a: of(a), b: of(b) }
}

/// Corners of a few cells, as (a, b).
const CELLS: [&[(f64, f64)]; 5] = [
    &[(2.0, 0.5), (2.5, 0.5), (2.0, 1.0)],
    &[(0.5, 1.0), (0.75, 1.0), (0.5, 0.75)],
    &[(0.25, 0.25), (0.5, 0.75)],
    &[(1.0, 0.5), (1.25, 0.5), (1.25, 1.5), (1.0, 1.5)],
    &[(2.0, 3.0), (2.5, 3.0), (2.0, 3.5)],
];

/// The bracket at each place, for the highest corner of a cell, and the largest of it and all that follow; the places are those at so many bits.
fn by_formula(corners: &[(f64, f64)], q: f64, bits: u32) -> Vec<(f64, f64)> {
    let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let all = corners.iter().map(of);
        (
            all.clone().fold(f64::MAX, f64::min),
            all.fold(f64::MIN, f64::max),
        )
    };
    let (a, b) = (range(&|c| c.0), range(&|c| c.1));
    let wide = |x: (f64, f64)| x.1 - x.0;
    let between = wide(range(&|c| c.0 - c.1)).powi(2);
    let rate = Rate::new(&Rational::from_f64(q).unwrap());
    let places = at_most_bits(bits, || places(&sides_of(a.1, b.1), &rate));
    let largest = a.1.max(b.1);
    let value = |n: usize| {
        let z = places[n].z.to_f64();
        let low = z.min(0.0);
        let mut share = 0.25;
        if let Some(next) = places.get(n + 1).filter(|_| z <= 0.0) {
            let r = next.ratio.hi().to_f64();
            let of = |x: f64, factor: f64| factor * (x * (low - x / 2.0)).exp();
            share = of(a.0, (r - 1.0) * (1.0 - q) / q)
                .min(of(b.0, r))
                .min(share);
        }
        let mut sum = (largest + (-low).max(1.0)) * share * between;
        sum += z.max(0.0).min(largest / 4.0) * (wide(a).powi(2) + wide(b).powi(2));
        if z > a.0 {
            sum += b.1 * wide(b).powi(2);
        }
        q / 8.0 * phi_density(low) * sum
    };
    let values: Vec<f64> = (0..places.len()).map(value).collect();
    let from = |n: usize| {
        values[n.saturating_sub(1)..]
            .iter()
            .copied()
            .fold(0.0, f64::max)
    };
    (0..places.len())
        .map(|n| (places[n].ratio.hi().to_f64(), from(n)))
        .collect()
}

#[test]
fn bends_by_the_formula() {
    for corners in CELLS {
        let rate = Rate::new(&Rational::from((1, 8)));
        let sides: Vec<Sides> = corners.iter().map(|(a, b)| sides_of(*a, *b)).collect();
        let sides: Vec<&Sides> = sides.iter().collect();
        let expected = by_formula(corners, 0.125, BITS);
        let found = bends(&sides, &rate);
        assert_eq!(found.len(), expected.len());
        for ((ratio, value), (r, e)) in found.iter().zip(&expected) {
            assert!((ratio.to_f64() - r).abs() < 1e-9 * r);
            let value = value.to_f64();
            assert!(
                value >= e * (1.0 - 1e-12) && value <= e * (1.0 + 1e-9) + 1e-30,
                "{corners:?} {r}: {value} {e}"
            );
        }
        // Half way between two corners the gain is at most the mean of both and what bends may add.
        for (first, second) in corners.iter().zip(&corners[1..]) {
            for bits in [BITS, 10] {
                let all = at_most_bits(bits, || bends(&sides, &rate));
                for r in [1.0, 1.05, 1.3, 2.0] {
                    let at = [Interval::point(Float::with_val(BITS, r))];
                    let error = at_most_bits(bits, || along_chords(&all, &at))[0].to_f64();
                    let gain = |a: f64, b: f64| by_trying(0.125, a, b, r);
                    let middle = gain((first.0 + second.0) / 2.0, (first.1 + second.1) / 2.0);
                    let mean = (gain(first.0, first.1) + gain(second.0, second.1)) / 2.0;
                    assert!(
                        middle <= mean + error + 1e-13,
                        "{first:?} {second:?} {r}: {middle} {mean} {error}"
                    );
                }
            }
        }
    }
}

/// At few bits what bends may add is no less than at the same places by the formula.
#[test]
fn bends_at_few_bits() {
    for corners in CELLS {
        let rate = Rate::new(&Rational::from((1, 8)));
        let sides: Vec<Sides> = corners.iter().map(|(a, b)| sides_of(*a, *b)).collect();
        let sides: Vec<&Sides> = sides.iter().collect();
        for bits in [4, 5, 6, 8, 11] {
            let expected = by_formula(corners, 0.125, bits);
            let found = at_most_bits(bits, || bends(&sides, &rate));
            assert_eq!(found.len(), expected.len());
            for ((ratio, value), (r, e)) in found.iter().zip(&expected) {
                assert!(
                    ratio.to_f64() >= *r && value.to_f64() >= e * (1.0 - 1e-12),
                    "{corners:?} {r}"
                );
            }
        }
    }
}

/// No point and no chord at few bits is below the largest gain.
#[test]
fn gains_at_few_bits() {
    for (n, d, a, b) in [(1u32, 8u32, 1.0, 1.0), (1, 2, 0.5, 1.5), (1, 16, 2.0, 0.75)] {
        let (q, rate) = (
            f64::from(n) / f64::from(d),
            Rate::new(&Rational::from((n, d))),
        );
        let ratios: Vec<Interval> = [1.0, 1.01, 1.125, 1.5, 2.25, 4.0, 9.0]
            .map(|r| Interval::point(Float::with_val(BITS, r)))
            .to_vec();
        for bits in [6, 8, 11, 16, BITS] {
            let found = at_most_bits(bits, || points(&sides_of(a, b), &rate));
            let step = 1 + found.len() / 6;
            for (r, y) in found.iter().step_by(step) {
                let truth = by_trying(q, a, b, r.to_f64());
                assert!(
                    y.to_f64() >= truth - 1e-13,
                    "{q} {a} {b} {r} at {bits} bits: {y} {truth}"
                );
            }
            let along = at_most_bits(bits, || along_chords(&found, &ratios));
            for (r, y) in ratios.iter().zip(&along) {
                let truth = by_trying(q, a, b, r.lo().to_f64());
                assert!(
                    y.to_f64() >= truth - 1e-13,
                    "{q} {a} {b} {r:?} at {bits} bits: {y} {truth}"
                );
            }
        }
    }
}

/// Chords of points, exactly: at a point, between two, beyond the last, and where the ratio is an interval at its lower end.
#[test]
fn chords_of_given_points() {
    let float = |x: f64| Float::with_val(BITS, x);
    let points = [(1.0, 8.0), (2.0, 4.0), (4.0, 2.0)].map(|(x, y)| (float(x), float(y)));
    let ratios = [
        (1.0, 1.0),
        (1.5, 1.75),
        (2.0, 2.0),
        (3.0, 3.5),
        (4.0, 4.0),
        (6.0, 6.0),
    ];
    let ratios = ratios.map(|(x, y)| Interval::spanning(float(x), float(y)));
    let found = along_chords(&points, &ratios);
    assert_eq!(found, [8.0, 6.0, 4.0, 3.0, 2.0, 2.0]);
    assert_eq!(along_chords(&[], &ratios)[0], 1.0);
    // The value of a chord of slope −1/3 is rounded up.
    let points = [(1.0, 1.0), (4.0, 0.0)].map(|(x, y)| (float(x), float(y)));
    for bits in 2..12 {
        let found = at_most_bits(bits, || {
            along_chords(&points, &[Interval::point(float(2.0))])
        });
        assert!(Rational::from((2, 3)) <= found[0], "{bits}");
    }
}

/// The whole row, beyond what it is at many bits, and units rounded up.
#[test]
fn rows_at_few_bits() {
    let corner = Corner {
        a: Rational::from((1, 2)),
        b: Rational::from(1),
        c: Rational::from((3, 4)),
        place: (0, 0),
    };
    let (rate, q) = (Rate::new(&Rational::from((1, 8))), 0.125);
    let unit = Interval::one(BITS);
    let error = |n: usize, by: f64| -> Vec<Float> {
        (0..n)
            .map(|k| Float::with_val(BITS, by) / (1 + u32::try_from(k).unwrap()))
            .collect()
    };
    for bits in [8, 12, BITS] {
        let lattice = at_most_bits(bits, || Ratios::new(6, 5));
        assert_eq!(
            (lattice.all.len(), lattice.density, lattice.reach),
            (11, 6, 5)
        );
        for (k, ratio) in lattice.all.iter().enumerate() {
            let exact = Rational::from(num_power(k));
            assert!(ratio.contains(&exact), "{bits} {k}: {ratio:?}");
        }
        let (above, below) = (error(11, 0.003), error(11, 0.005));
        let gains = at_most_bits(bits, || {
            row(&corner, &above, &below, &rate, &unit, &lattice)
        })
        .unwrap();
        assert_eq!(gains.len(), 16);
        for (index, gain) in gains.iter().enumerate() {
            let k = i32::try_from(index).unwrap() - 5;
            let place = usize::try_from(k.abs()).unwrap();
            let r = (7.0f64 / 6.0).powi(k.abs());
            let truth = match k < 0 {
                true => (by_trying(q, 0.75, 1.0, r) + below[place].to_f64()) / r,
                false => by_trying(q, 0.5, 1.0, r) + above[place].to_f64(),
            };
            let found = *gain as f64 / 2f64.powi(84);
            assert!(found >= truth - 1e-13, "{bits} {k}: {found} {truth}");
            assert!(
                bits < BITS || found <= truth * 1.02 + 1e-9,
                "{k}: {found} {truth}"
            );
        }
    }
    let half_unit = Float::with_val(BITS, 1) >> (UNIT_BITS + 1);
    assert_eq!(in_units(&half_unit), Some(1));
    assert_eq!(in_units(&Float::with_val(BITS, -1)), Some(0));
    assert_eq!(in_units(&Float::with_val(BITS, 3)), Some(3 << UNIT_BITS));
}

/// (7/6)^k.
fn num_power(k: usize) -> (Integer, Integer) {
    let k = u32::try_from(k).unwrap();
    (
        Integer::from(Integer::u_pow_u(7, k)),
        Integer::from(Integer::u_pow_u(6, k)),
    )
}

/// A row is the gain and what bends add to it, rounded up where that is next to a whole unit: in a sum, and in a quotient.
#[test]
fn sums_of_a_row_are_rounded_up() {
    let corner = Corner {
        a: Rational::from((1, 2)),
        b: Rational::from(1),
        c: Rational::from((3, 4)),
        place: (0, 0),
    };
    let (rate, unit) = (Rate::new(&Rational::from((1, 8))), Interval::one(BITS));
    // Ratios 1, 2, 4, and 1, 3/2, 9/4.
    for density in [1, 2] {
        let lattice = Ratios::new(density, 1);
        let [forward, backward] = sides(&corner, &unit);
        let gains = [forward, backward].map(|s| along_chords(&points(&s, &rate), &lattice.all));
        let (ratio, shift) = (Rational::from((density + 1, density)), UNIT_BITS);
        // What is missing to a number of units, times the ratio or not, and so little more that only the rounding tells.
        let missing = |gain: &Float, factor: &Rational, more: u32| {
            let gain = gain.to_rational().unwrap();
            let units = (Rational::from(&gain / factor) << shift).ceil() + 1u32;
            let whole = (Rational::from(&units * factor)) >> shift;
            let beyond = Rational::from(1) >> more;
            let rest = Float::with_val(BITS, &(whole - gain + beyond));
            (rest, units.numer().to_u128().unwrap())
        };
        let one = Rational::from(1);
        let (right, units_right) = missing(&gains[0][1], &one, 220);
        let (left, units_left) =
            missing(&gains[1][1], &ratio, if density == 1 { 220 } else { 168 });
        let zero = Float::new(BITS);
        let above = [zero.clone(), right, zero.clone()];
        let below = [zero.clone(), left, zero];
        let row = row(&corner, &above, &below, &rate, &unit, &lattice).unwrap();
        // At the ratios 1/ρ, 1, ρ and ρ².
        assert_eq!(
            (row[0], row[2]),
            (units_left + 1, units_right + 1),
            "{density}"
        );
    }
}

/// Each row has what bends add to its own side: to (a, b) above 1, and to (c, b) below.
#[test]
fn rows_have_the_errors_of_their_sides() {
    let cover = Cover::new(super::super::triangles::Grid::Coarse);
    let (rate, unit_squared) = (Rational::from((1, 4)), Rational::from((1, 4)));
    let lattice = Ratios::new(8, 12);
    let budget = Budget::unlimited();
    let rows = kernels(&cover, &rate, &unit_squared, &lattice, &budget);
    let rows = rows.unwrap().unwrap();
    let (own, unit) = (
        Rate::new(&rate),
        Interval::from_rational(&Rational::from((1, 2)), BITS),
    );
    let errors = errors(&cover, &own, &unit, &lattice, &budget).unwrap();
    let mut differ = 0;
    for ((corner, gains), [above, below]) in cover.corners.iter().zip(rows).zip(&errors) {
        let (a, b, c) = (
            corner.a.to_f64() / 2.0,
            corner.b.to_f64() / 2.0,
            corner.c.to_f64() / 2.0,
        );
        for k in [0usize, 1, 3, 8, 12] {
            let r = (9.0f64 / 8.0).powi(i32::try_from(k).unwrap());
            let [right, left] = [12 + k, 12 - k].map(|at| gains.gains[at] as f64 / 2f64.powi(84));
            let truth = [
                by_trying(0.25, a, b, r) + above[k].to_f64(),
                (by_trying(0.25, c, b, r) + below[k].to_f64()) / r,
            ];
            assert!(
                right >= truth[0] - 1e-13,
                "{corner:?} {k}: {right} {truth:?}"
            );
            assert!(
                k == 0 || left >= truth[1] - 1e-13,
                "{corner:?} {k}: {left} {truth:?}"
            );
            differ += u32::from((above[k].to_f64() - below[k].to_f64()).abs() > 1e-4);
        }
    }
    assert!(differ > 5, "{differ}");
}

/// Of a few corners, each with the two errors that belong to it.
#[test]
fn rows_are_made_of_their_errors() {
    let whole = Cover::new(super::super::triangles::Grid::Coarse);
    let some = 42 / crate::test_scale::every(3);
    let cover = Cover {
        corners: whole.corners.iter().take(some).cloned().collect(),
        cells: whole.cells.iter().take(12).cloned().collect(),
    };
    let (rate, unit_squared) = (Rational::from((1, 4)), Rational::from((1, 4)));
    let lattice = Ratios::new(8, 4);
    let budget = Budget::unlimited();
    let rows = kernels(&cover, &rate, &unit_squared, &lattice, &budget);
    let (own, unit) = (
        Rate::new(&rate),
        Interval::from_rational(&Rational::from((1, 2)), BITS),
    );
    let errors = errors(&cover, &own, &unit, &lattice, &budget).unwrap();
    let mut differ = 0;
    let all = cover.corners.iter().zip(&errors);
    for ((corner, [above, below]), found) in all.zip(rows.unwrap().unwrap()) {
        let truth = row(corner, above, below, &own, &unit, &lattice).unwrap();
        assert_eq!(found.gains, truth);
        differ += u32::from(above != below);
    }
    assert!(differ > 0);
}

/// What bends may add at a corner is the largest of all cells that it is a corner of, times its factor, on both sides.
#[test]
fn errors_by_their_cells() {
    let whole = Cover::new(super::super::triangles::Grid::Coarse);
    let cover = Cover {
        corners: whole.corners.clone(),
        cells: whole.cells.iter().skip(3).take(3).cloned().collect(),
    };
    let (rate, unit) = (Rate::new(&Rational::from((1, 4))), Interval::one(BITS));
    let lattice = Ratios::new(4, 3);
    let found = errors(&cover, &rate, &unit, &lattice, &Budget::unlimited()).unwrap();
    let mut truth = vec![[vec![0.0f64; 7], vec![0.0f64; 7]]; cover.corners.len()];
    for cell in &cover.cells {
        for side in [0, 1] {
            let all = cell.iter().map(|(n, _)| sides(&cover.corners[*n], &unit));
            let all: Vec<Sides> = all
                .map(|both| both.into_iter().nth(side).unwrap())
                .collect();
            let points = bends(&all.iter().collect::<Vec<_>>(), &rate);
            let along = along_chords(&points, &lattice.all);
            assert!(along[0] > 0);
            for (number, factor) in cell {
                for (most, error) in truth[*number][side].iter_mut().zip(&along) {
                    *most = most.max(error.to_f64() * f64::from(*factor));
                }
            }
        }
    }
    for (found, truth) in found.iter().flatten().zip(truth.iter().flatten()) {
        for (found, truth) in found.iter().zip(truth) {
            assert!(
                (found.to_f64() - truth).abs() <= 1e-9 * truth,
                "{found} {truth}"
            );
        }
    }
}

/// Chords of random corners, at few bits, by fractions.
#[test]
fn chords_of_random_points() {
    let mut random = crate::kernel::coarse::Random(47);
    let float = |n: u64| Float::with_val(BITS, n) >> 3u32;
    let exact = |n: u64| Rational::from((n, 8));
    for _ in 0..10_400 {
        let (mut x, mut y) = (8, 400 + random.below(200));
        let mut points = Vec::new();
        for _ in 0..2 + random.below(3) {
            points.push((x, y));
            (x, y) = (x + 1 + random.below(20), y - random.below(100));
        }
        let (places, bits) = ([8 + random.below(30); 1], 2 + random.below(14) as u32);
        let given: Vec<_> = points.iter().map(|(x, y)| (float(*x), float(*y))).collect();
        let [place] = places;
        let ratio = Interval::point(float(place)).hull(&Interval::point(float(place + 5)));
        let found = at_most_bits(bits, || along_chords(&given, &[ratio]));
        let chord = points.windows(2).find(|pair| pair[1].0 > place);
        let truth = match chord {
            Some([(a, b), (c, d)]) => exact(*b) - exact(b - d) * exact(place - a) / exact(c - a),
            _ => exact(points[points.len() - 1].1),
        };
        assert!(
            truth <= found[0],
            "{points:?} at {place}: {} {truth}",
            found[0]
        );
    }
}
