//! How fine the laws of a composition are, step by step.

use rug::{Float, Rational};

use super::{Demand, Shape, Units};
use crate::float::elementary::{log2, powi};
use crate::kernel::{Budget, Failure, Profile};

/// One step on the way from a first glance to the finest laws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// Cells across the bulk of a law.
    cells: u64,
    /// Mass that the tails may lose.
    tail: f64,
    units: Units,
    spare: bool,
}

/// What is missing still.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Mass that the tails may lose.
    pub tail: Rational,
    /// The relative width to be reached, if one is.
    pub width: Option<Rational>,
    /// Is that less than what was asked for, by [`SPARE`], as it is for answers that are wider where losses are rare?
    pub spare: bool,
    /// How many times too wide the last answer was, if that is known.
    pub excess: Option<Float>,
    /// Steps of the composition.
    pub steps: u64,
}

/// Cells at which a composition of some thousand steps is about `FIRST_WIDTH` wide, relatively; widths fall with the square
/// of the cells.
const FIRST_CELLS: f64 = 2048.0;
const FIRST_WIDTH: f64 = 1.3e-4;
/// So many times too wide is no matter of cells.
const DISAPPOINTING: f64 = 60.0;
/// Where the first answer must be: fewer cells say little, more take too long for a first answer.
const FEWEST_AT_FIRST: f64 = 768.0;
const MOST_AT_FIRST: f64 = 8192.0;
/// Cells where no width is asked for.
const GLANCE: u64 = 1024;
const MOST_CELLS: u64 = 1 << 20;
/// Tails are never wider than this, nor budgeted below the other.
const WIDEST_TAIL: f64 = 1e-11;
const NARROWEST_TAIL: f64 = 1e-307;

/// The share of a width that is wanted of answers that are wider where losses are rare.
pub const SPARE: (u32, u32) = (3, 4);

impl Resolution {
    /// The step after `last`: as many more cells as the answer was too wide, or the same with narrower tails if those stood in
    /// the way; `None` after the finest.
    pub fn after(last: Option<Self>, wanted: &Wanted) -> Option<Self> {
        let tail = wanted.tail.to_f64().clamp(NARROWEST_TAIL, WIDEST_TAIL);
        match last {
            None => Some(Self {
                cells: match &wanted.width {
                    Some(width) => first_cells(width, wanted.steps),
                    None => GLANCE,
                },
                tail,
                units: Units::Usual,
                spare: wanted.spare,
            }),
            Some(last) if tail < last.tail / 10.0 => Some(Self { tail, ..last }),
            Some(last) => (last.cells < MOST_CELLS).then(|| Self {
                cells: whole(last.cells as f64 * growth(wanted.excess.as_ref())).min(MOST_CELLS),
                tail: tail.min(last.tail),
                units: Units::Finest,
                spare: last.spare,
            }),
        }
    }

    /// Are laws like these as fine as the others, with tails about as narrow?
    pub fn serves_for(&self, other: &Self) -> bool {
        self.cells >= other.cells && other.tail >= self.tail / 10.0
    }

    /// Are the tails at least as narrow as those of the other?
    pub fn is_as_narrow_as(&self, other: &Self) -> bool {
        self.tail <= other.tail
    }

    /// Is an answer so much wider than laws like these usually give that finer ones of their kind will not do?
    pub fn is_disappointing(&self, wanted: &Wanted) -> bool {
        let found = wanted.width.as_ref().zip(wanted.excess.as_ref());
        found.is_some_and(|(width, excess)| {
            let expected = width_expected(self.cells, wanted.steps) / width.to_f64();
            excess.to_f64() > DISAPPOINTING * expected.max(1.0)
        })
    }

    /// Cells across the bulk of a law.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// What the planner is asked for.
    pub fn demand(&self, jobs: usize) -> Demand {
        Demand {
            cells: self.cells(),
            tail: self.tail,
            units: self.units,
            spare: self.spare,
            deeper: 1.0,
            jobs,
        }
    }
}

/// As many as the width wanted is expected to take.
fn first_cells(width: &Rational, steps: u64) -> u64 {
    let wider = width_expected(GLANCE, steps) / width.to_f64();
    let cells = GLANCE as f64 * wider.sqrt();
    whole(cells.clamp(FEWEST_AT_FIRST, MOST_AT_FIRST))
}

/// The relative width of an ε to be expected; each squaring adds its share.
pub(super) fn width_expected(cells: u64, steps: u64) -> f64 {
    FIRST_WIDTH * share_of_steps(steps) * powi(FIRST_CELLS / cells.max(1) as f64, 2)
}

/// How much wider a composition of so many steps is than one of some thousand.
pub(super) fn share_of_steps(steps: u64) -> f64 {
    let squarings = log2(steps.max(1) as f64);
    (1.0 + 0.11 * (squarings - 11.0)).clamp(0.6, 4.0)
}

/// The square root of the excess and a little more; a doubling where nothing is known.
fn growth(excess: Option<&Float>) -> f64 {
    excess.map_or(2.0, |excess| (1.2 * excess.to_f64()).sqrt().clamp(1.3, 6.0))
}

fn whole(cells: f64) -> u64 {
    (cells / 64.0).ceil() as u64 * 64
}

/// The shapes of parts that are composed so many times each.
///
/// # Errors
/// If the budget ends.
pub fn shapes<'a>(
    parts: impl Iterator<Item = (&'a dyn Profile, u64)>,
    demand: Demand,
    budget: &Budget,
) -> Result<Vec<Shape>, Failure> {
    let parts: Vec<(&dyn Profile, u64)> = parts.collect();
    let steps: f64 = parts.iter().map(|(_, steps)| *steps as f64).sum();
    parts
        .iter()
        .map(|(profile, _)| {
            budget.check()?;
            Shape::of(*profile, demand.tail / steps.max(1.0), budget)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(width: Option<(u32, u32)>, excess: Option<f64>) -> Wanted {
        Wanted {
            tail: Rational::from((1, 1u64 << 50)),
            width: width.map(Rational::from),
            spare: false,
            excess: excess.map(|x| Float::with_val(53, x)),
            steps: 2000,
        }
    }

    #[test]
    fn cells_grow_with_the_square_root_of_what_is_missing() {
        let first = Resolution::after(None, &wanted(Some((1, 10_000)), None)).unwrap();
        assert!((2200..2500).contains(&first.cells()));
        let next = Resolution::after(Some(first), &wanted(None, Some(10.0))).unwrap();
        assert!((3.4..3.6).contains(&(next.cells() as f64 / first.cells() as f64)));
        let next = Resolution::after(Some(first), &wanted(None, None)).unwrap();
        assert_eq!(next.cells(), first.cells() * 2);
        let infinite = Resolution::after(Some(first), &wanted(None, Some(f64::INFINITY))).unwrap();
        assert_eq!(infinite.cells(), first.cells() * 6);
    }

    #[test]
    fn narrower_tails_come_before_more_cells() {
        let first = Resolution::after(None, &wanted(None, None)).unwrap();
        let narrow = Wanted {
            tail: Rational::from((1, 1u64 << 60)),
            ..wanted(None, None)
        };
        let next = Resolution::after(Some(first), &narrow).unwrap();
        assert_eq!(next.cells(), first.cells());
        assert!(Resolution::after(Some(next), &narrow).unwrap().cells() > first.cells());
    }

    #[test]
    fn answers_wider_than_usual_disappoint() {
        let first = Resolution::after(None, &wanted(Some((1, 10_000)), None)).unwrap();
        let is_disappointing = |width, excess| first.is_disappointing(&wanted(width, Some(excess)));
        assert!(!is_disappointing(Some((1, 10_000)), 2.0));
        assert!(is_disappointing(Some((1, 10_000)), 100.0));
        // Of so few cells no more can be expected.
        assert!(!is_disappointing(Some((1, 10_000_000)), 1500.0));
        assert!(!is_disappointing(None, 1e9));
    }

    #[test]
    fn there_is_a_finest() {
        let mut last = None;
        let mut rounds = 0;
        while let Some(next) = Resolution::after(last, &wanted(None, Some(1.0))) {
            last = Some(next);
            rounds += 1;
            assert!(rounds < 100);
        }
    }
}
