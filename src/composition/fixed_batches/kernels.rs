//! What one step can gain, for each corner of the cover, along a lattice of ratios.
//!
//! At a point p = Σ ωᵢ·pᵢ of a cell h(p) ≤ Σ ωᵢ·h(pᵢ) + e for its corners pᵢ = (a, b), as h bends upwards but for little: with X₁ = p₁(a − z), X₂ = p₂(b − z), where
//! p₁ = κ·e^{az − a²/2} and p₂ = r·e^{bz − b²/2} = 1 − p₁, its second derivative in the direction (α, β) is
//! −qφ(z)·(X₁α² + X₂β² − (X₁α + X₂β)²/(X₁ + X₂ + z)), and the bracket is at most
//!
//! * p₁p₂·max(a − z, b − z)·(α − β)² for z ≤ 0,
//! * p₁p₂·max(a, b)·(α − β)² + (α² + β²)·min(z, max(a, b)/4) for 0 < z ≤ a, and bβ² for z > a
//!
//! (`proofs/README.md`, W4). Σ ωᵢαᵢ² is at most a quarter of the square of the range of the αᵢ, and at most Σ over the corners but one of ωᵢ times that square.

use rug::{Float, Integer, Rational, float::Round};

use super::hinges::{BITS, Rate, Sides, along_chords, places, points};
use super::tree::Row;
use super::triangles::{Corner, Cover};
use crate::kernel::{Budget, Failure, Interval, in_parallel, normal};

/// Everything is counted in units of 2^-this.
pub(super) const UNIT_BITS: u32 = 84;

/// Gains at the ratios ρ^k for −n ≤ k ≤ 2n, beyond (1 − r)⁺: one row for each corner, in units, rounded up.
///
/// On both sides of r = 1 they fall: h does, and for r < 1 the gain is h(1/r)·r.
pub(super) fn kernels(
    cover: &Cover,
    rate: &Rational,
    unit_squared: &Rational,
    lattice: &Ratios,
    budget: &Budget,
) -> Result<Option<Vec<Row>>, Failure> {
    let rate = Rate::new(rate);
    let unit = Interval::from_rational(unit_squared, BITS).sqrt();
    let errors = errors(cover, &rate, &unit, lattice, budget)?;
    let corners: Vec<_> = cover.corners.iter().zip(errors).collect();
    let rows = in_parallel(&corners, threads(), |(corner, [above, below])| {
        budget.check()?;
        let gains = row(corner, above, below, &rate, &unit, lattice);
        Ok(gains.map(|gains| Row {
            place: corner.place,
            gains,
        }))
    })?;
    Ok(rows.into_iter().collect())
}

/// What is rounded to its side does not depend on who computes it.
pub(super) fn threads() -> usize {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    threads.clamp(1, 16)
}

/// The ratios ρ^k, 0 ≤ k ≤ 2n, for ρ = 1 + 1/N.
#[derive(Debug)]
pub(super) struct Ratios {
    /// N.
    pub density: u32,
    /// n.
    pub reach: usize,
    pub all: Vec<Interval>,
}

impl Ratios {
    pub fn new(density: u32, reach: usize) -> Self {
        let step = Interval::from_rational(&Rational::from((density + 1, density)), BITS);
        let mut next = Interval::one(BITS);
        let mut all = Vec::with_capacity(2 * reach + 1);
        for _ in 0..=2 * reach {
            all.push(next.clone());
            next = next.mul(&step);
        }
        Self {
            density,
            reach,
            all,
        }
    }
}

fn sides(corner: &Corner, unit: &Interval) -> [Sides; 2] {
    let of = |x: &Rational| Interval::from_rational(x, BITS).mul(unit);
    let (a, b, c) = (of(&corner.a), of(&corner.b), of(&corner.c));
    [Sides { a, b: b.clone() }, Sides { a: c, b }]
}

fn row(
    corner: &Corner,
    above: &[Float],
    below: &[Float],
    rate: &Rate,
    unit: &Interval,
    lattice: &Ratios,
) -> Option<Vec<u128>> {
    let [forward, backward] = sides(corner, unit);
    let forward = along_chords(&points(&forward, rate), &lattice.all);
    let near = lattice.all.get(..=lattice.reach)?;
    let backward = along_chords(&points(&backward, rate), near);
    // At u = 1/r < 1 the gain is that of the swapped pair over r.
    let left = backward.iter().zip(below).zip(near);
    let left = left.skip(1).rev().map(|((h, e), r)| {
        let sum = Float::with_val_round(BITS, h + e, Round::Up).0;
        Interval::point(sum).div(r).hi().clone()
    });
    let right = forward.iter().zip(above);
    let right = right.map(|(h, e)| Float::with_val_round(BITS, h + e, Round::Up).0);
    left.chain(right).map(|x| in_units(&x)).collect()
}

fn in_units(x: &Float) -> Option<u128> {
    let scaled = Float::with_val(BITS, x << UNIT_BITS);
    let (whole, _) = scaled.to_integer_round(Round::Up)?;
    whole.max(Integer::new()).to_u128()
}

/// For each corner what the curvature of h may add, for r ≥ 1 with (a, b) and with (c, b), along the lattice.
fn errors(
    cover: &Cover,
    rate: &Rate,
    unit: &Interval,
    lattice: &Ratios,
    budget: &Budget,
) -> Result<Vec<[Vec<Float>; 2]>, Failure> {
    let zero = vec![Float::new(BITS); lattice.all.len()];
    let mut all = vec![[zero.clone(), zero]; cover.corners.len()];
    for cell in &cover.cells {
        budget.check()?;
        let corners: Vec<[Sides; 2]> = cell
            .iter()
            .filter_map(|(number, _)| Some(sides(cover.corners.get(*number)?, unit)))
            .collect();
        for side in 0..2 {
            let corners = corners.iter().filter_map(|both| both.get(side));
            let error = along_chords(&bends(&corners.collect::<Vec<_>>(), rate), &lattice.all);
            for (number, factor) in cell {
                let known = all.get_mut(*number).and_then(|both| both.get_mut(side));
                let known = known.into_iter().flatten().filter(|_| *factor > 0);
                for (known, error) in known.zip(&error) {
                    let error = Float::with_val_round(BITS, error * *factor, Round::Up).0;
                    if error > *known {
                        *known = error;
                    }
                }
            }
        }
    }
    Ok(all)
}

/// Points above the bound of e over a cell with these corners, at rising ratios, falling.
fn bends(corners: &[&Sides], rate: &Rate) -> Vec<(Float, Float)> {
    let range = |of: &dyn Fn(&Sides) -> Interval| {
        corners
            .iter()
            .map(|corner| of(corner))
            .reduce(|a, b| a.hull(&b))
            .unwrap_or_else(|| Interval::zero(BITS))
    };
    let (a, b) = (range(&|s| s.a.clone()), range(&|s| s.b.clone()));
    let width = |x: &Interval| Interval::point(x.width_up());
    let between = width(&range(&|s| s.a.sub(&s.b))).square();
    let along = width(&a).square().add(&width(&b).square());
    let alone = Interval::point(b.hi().clone()).mul(&width(&b).square());
    let end = |x: &Float| Interval::point(x.clone());
    let largest = end(a.hi()).max(&end(b.hi()));
    let highest = Sides {
        a: end(a.hi()),
        b: end(b.hi()),
    };
    let places = places(&highest, rate);
    let [one, half, quarter, eighth] =
        [1, 2, 4, 8].map(|x| Interval::from_rational(&Rational::from((1, x)), BITS));
    let zero = Interval::zero(BITS);
    let rate_part = rate.taken.mul(&eighth);
    // Over the cell z is at most that of the highest corner, at the same ratio.
    let bound = |place: usize| {
        let z = end(&places.get(place)?.z);
        let low = z.min(&zero);
        let shares = match places.get(place + 1) {
            Some(next) if *z.hi() <= 0 => {
                let r = end(next.ratio.hi());
                let share = |x: &Float, factor: &Interval| {
                    let x = end(x);
                    factor.mul(&x.mul(&low.sub(&x.mul(&half))).exp())
                };
                let first = share(a.lo(), &r.sub(&one).mul(&rate.odds));
                first.min(&share(b.lo(), &r)).min(&quarter)
            }
            _ => quarter.clone(),
        };
        let reach = largest.add(&low.neg().max(&one));
        let mut sum = reach.mul(&shares).mul(&between);
        let over = z.max(&zero).min(&largest.mul(&quarter));
        sum = sum.add(&over.mul(&along));
        if z.hi() > a.lo() {
            sum = sum.add(&alone);
        }
        Some(rate_part.mul(&normal::density(&low)).mul(&sum).hi().clone())
    };
    let bounds: Vec<Float> = (0..places.len()).map_while(bound).collect();
    let mut points: Vec<(Float, Float)> = Vec::with_capacity(places.len());
    let mut most = Float::new(BITS);
    for (index, place) in places.iter().enumerate().rev() {
        let from = index.saturating_sub(1);
        for value in bounds.get(from..=index).into_iter().flatten() {
            if *value > most {
                most.clone_from(value);
            }
        }
        points.push((place.ratio.hi().clone(), most.clone()));
    }
    points.reverse();
    points
}

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod tests;
