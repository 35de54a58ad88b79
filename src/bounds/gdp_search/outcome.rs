//! What a search for μ* found.

use rug::Float;

use crate::bounds::gdp_mu::GdpWitness;

/// What the search proved of one profile.
#[derive(Debug, Clone)]
pub(in crate::bounds) struct Outcome {
    /// μ* of every profile at or above this one is at least this.
    pub lower: Float,
    pub witness: Option<GdpWitness>,
    /// μ* of every profile at or below this one is at most this.
    pub upper: Float,
    /// Where the curve asks for most, as ε: of the points seen, those that ask for more than their neighbours, the first for most.
    pub peaks: Vec<Float>,
    /// Where it was cut at an error floor, as ε.
    pub(super) cuts: Vec<Float>,
    /// Was it looked at from one side only, which showed all?
    pub(super) is_symmetric: bool,
    /// Working precision.
    pub(super) bits: u32,
}

impl Outcome {
    /// The same of which only the point that asks for most is known.
    pub fn first_peak(&self) -> Self {
        let mut first = self.clone();
        first.peaks.truncate(1);
        first.cuts.retain(|cut| first.peaks.contains(cut));
        first
    }
}

/// Peaks kept of those seen.
const MOST_PEAKS: usize = 6;

/// Of the points seen, those that ask for more than their neighbours, the first for most.
pub(super) fn peaks(mut seen: Vec<(Float, Float)>) -> Vec<Float> {
    seen.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let asked = |place: Option<usize>| place.and_then(|i| seen.get(i)).map(|(_, mu)| mu);
    let is_peak = |place: usize, mu: &Float| {
        let neighbours = [place.checked_sub(1), place.checked_add(1)].map(asked);
        neighbours.into_iter().flatten().all(|other| other <= mu)
    };
    let peaks = seen.iter().enumerate();
    let peaks = peaks.filter(|(place, (_, mu))| is_peak(*place, mu));
    let mut peaks: Vec<&(Float, Float)> = peaks.map(|(_, point)| point).collect();
    peaks.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
    peaks.truncate(MOST_PEAKS);
    peaks.into_iter().map(|(place, _)| place.clone()).collect()
}
