//! The grid of losses that all tilted copies of a composition share.

use super::atoms::Step;
use super::tilt::Tilt;

/// Step and size of the grid, and where on it each step of the composition is anchored.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Distance of neighbouring losses.
    pub step: f64,
    /// Number of points, a power of 2, which each copy wraps around.
    pub size: usize,
    /// A point of the grid of each step of the composition.
    pub anchors: Vec<f64>,
}

/// How finely the law of a composition is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// For its digits.
    Usual,
    /// For where to look.
    Glance,
}

const LEAST_SIZE: usize = 1 << 10;
const USUAL_SIZE: usize = 1 << 16;
const LARGEST_SIZE: usize = 1 << 20;
/// Points across one standard deviation of the composition, if the largest size allows.
const POINTS_PER_SD: f64 = 64.0;
/// Points by which interpolation leaves the window.
const MARGIN: f64 = 16.0;

impl Grid {
    /// A grid that holds every copy. `None` if there is no spread to resolve.
    pub(super) fn new(steps: &[Step], tilts: &[Tilt], listing: Listing) -> Option<Self> {
        let spread = tilts.iter().map(Tilt::width).fold(0.0, f64::max);
        let sd = tilts
            .iter()
            .filter(|tilt| tilt.is_central())
            .map(|tilt| tilt.moments.sd)
            .fold(f64::INFINITY, f64::min);
        if !(spread.is_finite() && spread > 0.0) {
            return None;
        }
        let unit = common_unit(steps, spread);
        let size_for = |points: f64| {
            let points = (points + MARGIN).clamp(LEAST_SIZE as f64, LARGEST_SIZE as f64);
            (points as usize).next_power_of_two().min(LARGEST_SIZE)
        };
        let usual = usual_size(steps.len(), listing);
        let wanted = size_for(POINTS_PER_SD * spread / sd.max(f64::MIN_POSITIVE)).max(usual);
        let room = |size: usize| size as f64 - MARGIN;
        // A glance does not need all losses on a fine lattice.
        let largest = match listing {
            Listing::Usual => LARGEST_SIZE,
            Listing::Glance => wanted,
        };
        if let Some(unit) = unit.filter(|unit| spread / unit <= room(largest)) {
            let size = if steps.iter().all(|step| step.is_discrete) {
                size_for(spread / unit)
            } else {
                wanted.max(size_for(spread / unit))
            };
            let parts = (room(size) * unit / spread).floor().max(1.0);
            let parts = if steps.iter().all(|step| step.is_discrete) {
                1.0
            } else {
                parts
            };
            return Some(Self {
                step: unit / parts,
                size,
                anchors: steps
                    .iter()
                    .map(|step| step.lattice.map_or(0.0, |lattice| lattice.offset))
                    .collect(),
            });
        }
        Some(Self {
            step: spread / room(wanted),
            size: wanted,
            anchors: vec![0.0; steps.len()],
        })
    }
}

fn usual_size(steps: usize, listing: Listing) -> usize {
    match (steps, listing) {
        (0..=8, Listing::Usual) => USUAL_SIZE,
        (9..=40, Listing::Usual) => USUAL_SIZE / 2,
        _ => USUAL_SIZE / 4,
    }
}

/// The unit of a lattice with all atoms of all steps.
fn common_unit(steps: &[Step], spread: f64) -> Option<f64> {
    let mut unit = 0.0;
    for step in steps {
        match step.lattice {
            Some(lattice) => unit = lattice.common(unit, spread)?,
            None if step.is_discrete => return None,
            None => {}
        }
    }
    (unit > 0.0).then_some(unit)
}
