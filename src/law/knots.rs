//! A privacy profile sampled at lattice points: what both base laws are made from.

use rug::Float;

use super::{Lattice, Positions};
use crate::kernel::{
    Accuracy, Budget, Failure, Interval, InvariantViolation, Point, Profile, ProfilePoint,
    in_parallel,
};

/// Enclosures of δ and the null's tail at some points of a lattice, in increasing order.
#[derive(Debug, Clone)]
pub struct Knots {
    /// The points.
    pub lattice: Lattice,
    /// Values at the points, at least one.
    pub values: Vec<SampledKnot>,
    /// Q(L = +∞).
    pub infinite_mass: Interval,
}

/// One sampled point.
#[derive(Debug, Clone)]
pub struct SampledKnot {
    /// Index of the lattice point y.
    pub index: i64,
    /// u = e^y.
    pub exp: Interval,
    /// δ(u).
    pub delta: Interval,
    /// The null's tail s(u).
    pub null_tail: Interval,
}

impl SampledKnot {
    /// Q(L > y) = δ(u) + u·s(u).
    pub fn tail(&self) -> Interval {
        self.delta.add(&self.exp.mul(&self.null_tail))
    }
}

/// How to evaluate a profile at many points.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// Working precision in bits.
    pub bits: u32,
    /// Bits that are tried first: values of small relative width at so many are taken as they are.
    pub first_bits: u32,
    /// Effort per point.
    pub accuracy: Accuracy,
    /// Threads; the result does not depend on it.
    pub jobs: usize,
}

/// Samples a profile at the lattice points with these indices.
///
/// Requires: strictly increasing indices. They need not be neighbours: where the loss is spread out, knots a few
/// steps apart do as well.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an internal error if the indices do not increase.
pub fn sample_knots(
    profile: &dyn Profile,
    lattice: &Lattice,
    indices: &[i64],
    sampling: Sampling,
    budget: &Budget,
) -> Result<Knots, Failure> {
    if indices.is_empty()
        || indices
            .iter()
            .zip(indices.iter().skip(1))
            .any(|(a, b)| a >= b)
    {
        return Err(InvariantViolation("knots out of order".into()).into());
    }
    let chunk = indices.len().div_ceil(sampling.jobs.max(1));
    let chunks: Vec<&[i64]> = indices.chunks(chunk).collect();
    let values = in_parallel(&chunks, sampling.jobs, |indices| {
        sample(profile, lattice, indices, sampling, budget)
    })?;
    let infinite_mass = profile.infinite_mass(sampling.bits);
    Ok(Knots {
        lattice: lattice.clone(),
        values: values.into_iter().flatten().collect(),
        infinite_mass,
    })
}

fn sample(
    profile: &dyn Profile,
    lattice: &Lattice,
    indices: &[i64],
    sampling: Sampling,
    budget: &Budget,
) -> Result<Vec<SampledKnot>, Failure> {
    let places: Vec<Positioned<'_>> = precisions(sampling)
        .map(|bits| Positioned::new(lattice, bits, sampling.accuracy))
        .collect();
    let Some((finest, others)) = places.split_last() else {
        return Err(InvariantViolation("nothing to sample with".into()).into());
    };
    let knot = |&index: &i64| {
        // Single values of some profiles take long.
        budget.check()?;
        let mut tried = others.iter().map(|place| place.sampled(profile, index));
        let known = tried.find(|knot| is_known(knot, sampling.bits));
        Ok(known.unwrap_or_else(|| finest.sampled(profile, index)))
    };
    indices.iter().map(knot).collect()
}

/// The bits to try, each twice the last.
fn precisions(sampling: Sampling) -> impl Iterator<Item = u32> {
    let first = sampling.first_bits.max(1);
    let coarser = std::iter::successors(Some(first), |bits| bits.checked_mul(2));
    let coarser = coarser.take_while(move |bits| *bits < sampling.bits);
    coarser.chain([sampling.bits])
}

/// Where to evaluate a profile, and in how many bits.
struct Positioned<'a> {
    lattice: &'a Lattice,
    positions: Positions<'a>,
    bits: u32,
    accuracy: Accuracy,
}

impl<'a> Positioned<'a> {
    fn new(lattice: &'a Lattice, bits: u32, accuracy: Accuracy) -> Self {
        Self {
            lattice,
            positions: lattice.positions(bits),
            bits,
            accuracy,
        }
    }

    fn sampled(&self, profile: &dyn Profile, index: i64) -> SampledKnot {
        let point = match self.lattice.exact_position(index) {
            Some(exact) => Point::at_epsilon(&exact, self.bits),
            None => Point::at_log(self.positions.at(index)),
        };
        let point = point.with_accuracy(self.accuracy);
        let ProfilePoint { delta, null_tail } = profile.at(&point);
        SampledKnot {
            index,
            exp: point.exp().clone(),
            delta,
            null_tail,
        }
    }
}

/// Are the values and the mass on either side known well, relatively to each, or to 2^−`bits`?
fn is_known(knot: &SampledKnot, bits: u32) -> bool {
    let below = knot.tail().one_minus();
    let values = [&knot.delta, &knot.null_tail, &below];
    values.iter().all(|value| is_narrow(value, bits))
}

/// Bits of a value that count: errors are far below what a cell says about its mass, and steps multiply them.
const RELATIVE_BITS: u32 = 64;

fn is_narrow(x: &Interval, bits: u32) -> bool {
    let width = x.width_up();
    width <= Float::with_val(64, x.lo() >> RELATIVE_BITS) || width <= Float::with_val(64, 1) >> bits
}
