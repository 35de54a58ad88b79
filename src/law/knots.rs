//! A privacy profile sampled at lattice points: what both base laws are made from.

use super::Lattice;
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
    let positions = lattice.positions(sampling.bits);
    let knot = |&index: &i64| {
        // Single values of some profiles take long.
        budget.check()?;
        let point = match lattice.exact_position(index) {
            Some(exact) => Point::at_epsilon(&exact, sampling.bits),
            None => Point::at_log(positions.at(index)),
        };
        let point = point.with_accuracy(sampling.accuracy);
        let ProfilePoint { delta, null_tail } = profile.at(&point);
        Ok(SampledKnot {
            index,
            exp: point.exp().clone(),
            delta,
            null_tail,
        })
    };
    indices.iter().map(knot).collect()
}
