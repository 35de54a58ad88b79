//! What the sum of the scores of all answers of an epoch reveals: a member of random allocation in k of t steps, of records that are replaced there, and of shuffled batches.
//!
//! An answer is N(0, 1), or moved in k steps, by so much without the record and so much with it. Cells of the line have whole numbers as scores. The sum of the scores of t
//! answers has the law p^{*(t−k)} * q^{*k}, whichever k steps these are, with p and q the laws of one score of an answer that is not moved and one that is: it is a
//! post-processing of the epoch, and needs no mean over the sets of steps (`proofs/README.md`, A8). Which cells have which scores decides only how much is learned;
//! a score is about a likelihood ratio.

use rug::{Complete, Float, Integer, Rational};

use super::above::up;
use super::base::power;
use super::product::convolve;
use crate::kernel::{Interval, normal};
use crate::mechanism::batches::thresholds::{concave, edges};

/// The sum of the scores of `steps` answers, `selected` of which are moved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scores {
    /// μ² of an answer that is moved once, above 0.
    pub mu_squared: Rational,
    /// t.
    pub steps: u64,
    /// k, from 1 to t.
    pub selected: u64,
    /// What the dataset has without the record.
    pub compared: Compared,
    /// The largest score, in standard deviations of the sum.
    pub largest: u32,
}

/// How far the answers of the selected steps are moved without the record and with it, in units of μ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compared {
    /// 0 and 1.
    Absent,
    /// −1 and 1.
    Opposite,
    /// 1 and 2.
    Doubled,
}

/// Working precision.
const BITS: u32 = 192;
/// Scores in one standard deviation of their sum.
const PER_DEVIATION: u32 = 64;
/// Cells so far beyond both means are not told apart.
const FARTHEST: u32 = 14;
/// Tests that are kept.
const MOST_TESTS: usize = 2000;

/// How finely masses and sums are told apart.
#[derive(Debug, Clone, Copy)]
struct Grid {
    /// Masses are multiples of 2^−this.
    bits: u32,
    /// Sums at the ends with no more than 2^−this are given up.
    negligible_bits: u32,
    /// So many sums are kept.
    most: usize,
}

const GRID: Grid = Grid {
    bits: 160,
    negligible_bits: 130,
    most: 8192,
};

impl Scores {
    /// With a short range of scores, and with a long one: which of the two reveals more depends on what is asked.
    pub(in crate::mechanism) fn of(
        mu_squared: &Rational,
        steps: u64,
        selected: u64,
        compared: Compared,
    ) -> [Self; 2] {
        [1, 8].map(|largest| Self {
            mu_squared: mu_squared.clone(),
            steps,
            selected,
            compared,
            largest,
        })
    }

    /// Two probability vectors (p, q): a pair that is below that of the epoch; `None` beyond what numbers can hold.
    ///
    /// Ensures: each sum c gives a test "the sum is c or more". Its power is rounded up without the record and down with it, which moves the point (power without, power with)
    /// into the region of points that are tests of the epoch; the pair of the edges of the concave polygon above such points is below the epoch in both orders, as that
    /// of `largest_answer` is.
    pub(in crate::mechanism) fn pair(&self) -> Option<(Vec<Rational>, Vec<Rational>)> {
        self.on(GRID)
    }

    fn on(&self, grid: Grid) -> Option<(Vec<Rational>, Vec<Rational>)> {
        let cells = self.cells();
        let mass = |shift: i64| masses(&cells, shift);
        let (without, with) = self.compared.shifts();
        let (rest, without, with) = (mass(0), mass(without), mass(with));
        let others = self.steps.checked_sub(self.selected)?;
        let without =
            SumsUp::of(&rest, others, grid)?.plus(&SumsUp::of(&without, self.selected, grid)?);
        let with =
            SumsDown::of(&rest, others, grid)?.plus(&SumsDown::of(&with, self.selected, grid)?);
        Some(edges(&concave(tests(&without, &with))))
    }

    /// Cells of the line from the left to the right, each with its score: hints, but for their masses.
    fn cells(&self) -> Vec<Cell> {
        let mu = Interval::from_rational(&self.mu_squared, BITS).sqrt();
        let top = i64::from(self.largest.saturating_mul(PER_DEVIATION));
        let lowest = match self.compared {
            Compared::Absent | Compared::Doubled => 0,
            Compared::Opposite => -top,
        };
        let far = mu.middle() * 2u32 + FARTHEST;
        let scale = Scale::of(self);
        let mut cells = vec![Cell {
            score: Integer::from(lowest),
            from: None,
            to: None,
            mu: mu.clone(),
        }];
        for score in lowest.saturating_add(1)..=top {
            let threshold = scale.threshold(score);
            let is_after = |cell: &Cell| cell.from.as_ref().is_none_or(|from| *from < threshold);
            let fits = threshold.is_finite() && *threshold.as_abs() < far;
            if let Some(last) = cells.last_mut()
                && fits
                && is_after(last)
            {
                last.to = Some(threshold.clone());
                cells.push(Cell {
                    score: Integer::from(score),
                    from: Some(threshold),
                    to: None,
                    mu: mu.clone(),
                });
            }
        }
        cells
    }
}

/// How far apart scores are, and the powers of e^{μ²} that say where each begins. Hints.
struct Scale {
    compared: Compared,
    mu: Interval,
    /// μ²/2.
    half: Interval,
    /// e^{μ²/2}.
    root: Interval,
    /// e^{−μ²/2}.
    falling_root: Interval,
    /// e^{−2μ²}.
    falling_square: Interval,
    /// The difference of likelihood ratios that one score more stands for.
    unit: Interval,
}

impl Scale {
    fn of(scores: &Scores) -> Self {
        let square = Interval::from_rational(&scores.mu_squared, BITS);
        let growth = |times: i64| square.mul(&whole(times)).exp();
        let half = square.div(&whole(2));
        let spread = match scores.compared {
            Compared::Absent => growth(1).sub(&whole(1)),
            Compared::Opposite => growth(1).sub(&growth(-1)).mul(&whole(2)),
            Compared::Doubled => growth(4).sub(&growth(2).mul(&whole(2))).add(&growth(1)),
        };
        let steps = Interval::from_integer(&Integer::from(scores.steps), BITS);
        let per_deviation = whole(i64::from(PER_DEVIATION));
        Self {
            compared: scores.compared,
            unit: spread.mul(&steps).sqrt().div(&per_deviation),
            root: half.exp(),
            falling_root: half.neg().exp(),
            falling_square: growth(-2),
            half,
            mu: square.sqrt(),
        }
    }

    /// About where X_with − X_without is `score` − ½ units, X_s = e^{sμz − s²μ²/2} the likelihood ratio of an answer that is moved by s; of X_1 alone if nothing
    /// is moved without the record. A hint.
    fn threshold(&self, score: i64) -> Float {
        let doubled = score.saturating_mul(2).saturating_sub(1);
        let place = whole(doubled).div(&whole(2)).mul(&self.unit);
        let log = match self.compared {
            Compared::Absent => place.ln().add(&self.half),
            // 2·e^{−μ²/2}·sinh(μz) = place.
            Compared::Opposite => {
                let ratio = place.mul(&self.root).div(&whole(2));
                let size = ratio.max(&ratio.neg());
                let log = size.add(&size.square().add(&whole(1)).sqrt()).ln();
                if ratio.is_not_positive() {
                    log.neg()
                } else {
                    log
                }
            }
            // e^{−2μ²}·y² − e^{−μ²/2}·y = place with y = e^{μz}.
            Compared::Doubled => {
                let (twice, once) = (&self.falling_square, &self.falling_root);
                let root = once.square().add(&twice.mul(&place).mul(&whole(4))).sqrt();
                once.add(&root).div(&twice.mul(&whole(2))).ln()
            }
        };
        log.div(&self.mu).middle()
    }
}

fn whole(n: i64) -> Interval {
    Interval::from_i64(n, BITS)
}

impl Compared {
    fn shifts(self) -> (i64, i64) {
        match self {
            Self::Absent => (0, 1),
            Self::Opposite => (-1, 1),
            Self::Doubled => (1, 2),
        }
    }
}

/// Answers from one threshold to the next.
struct Cell {
    score: Integer,
    from: Option<Float>,
    to: Option<Float>,
    mu: Interval,
}

/// The score of each cell, and an enclosure of its probability where the answer is moved by so many μ.
fn masses(cells: &[Cell], shift: i64) -> Vec<(&Integer, Interval)> {
    // One cell ends where the next begins.
    let mut beyond = Interval::one(BITS);
    let each = cells.iter().map(|cell| {
        let from = std::mem::replace(&mut beyond, cell.beyond(shift));
        (&cell.score, from.sub(&beyond).in_unit())
    });
    each.collect()
}

impl Cell {
    /// Encloses the probability of what lies beyond it.
    fn beyond(&self, shift: i64) -> Interval {
        let Some(to) = &self.to else {
            return Interval::zero(BITS);
        };
        let moved = self.mu.mul(&Interval::from_i64(shift, BITS));
        normal::survival_absolute(&Interval::point(to.clone()).sub(&moved))
    }
}

/// Masses of sums in units of the grid, from one sum on.
#[derive(Clone)]
struct Row {
    grid: Grid,
    first: Integer,
    masses: Vec<Integer>,
}

impl Row {
    /// Of one score.
    fn of(
        cells: &[(&Integer, Interval)],
        grid: Grid,
        rounded: impl Fn(&Interval) -> Option<Integer>,
    ) -> Option<Self> {
        let first = cells.first()?.0.clone();
        let mut masses: Vec<Integer> = Vec::new();
        for (score, mass) in cells {
            let place = Integer::from(*score - &first).to_usize()?;
            masses.resize(place, Integer::new());
            masses.push(rounded(mass)?);
        }
        Some(Self {
            grid,
            first,
            masses,
        })
    }

    /// The sum of no scores.
    fn certain(grid: Grid) -> Self {
        Self {
            grid,
            first: Integer::new(),
            masses: vec![Integer::from(1) << grid.bits],
        }
    }

    /// Of two independent sums, in units of the square of the grid's.
    fn of_sum(&self, other: &Self) -> Self {
        Self {
            grid: self.grid,
            first: (&self.first + &other.first).complete(),
            masses: convolve(&self.masses, &other.masses),
        }
    }

    fn total(&self) -> Integer {
        self.masses.iter().sum()
    }

    /// Without what is next to nothing at either end, and without the smaller ends of what is too long; and how much that was.
    fn trimmed(self) -> (Self, Integer) {
        let nothing = Integer::from(1) << self.grid.bits.saturating_sub(self.grid.negligible_bits);
        let mut kept = self.masses.as_slice();
        let (mut first, mut dropped) = (self.first, Integer::new());
        while let [low, .., high] = kept {
            let smaller = low.min(high);
            if kept.len() <= self.grid.most && *smaller > nothing {
                break;
            }
            dropped += smaller;
            if low <= high {
                first += 1u32;
                kept = kept.get(1..).unwrap_or_default();
            } else {
                kept = kept.split_last().map_or(kept, |(_, rest)| rest);
            }
        }
        let row = Self {
            grid: self.grid,
            first,
            masses: kept.to_vec(),
        };
        (row, dropped)
    }

    /// The mass of each sum and of all larger ones.
    fn tails(&self) -> Vec<Integer> {
        let mut sum = Integer::new();
        let mut tails: Vec<Integer> = self
            .masses
            .iter()
            .rev()
            .map(|mass| {
                sum += mass;
                sum.clone()
            })
            .collect();
        tails.reverse();
        tails
    }
}

/// Sums with no less than the mass of each, and with the mass of those that were given up, which may be any.
#[derive(Clone)]
struct SumsUp {
    row: Row,
    given_up: Integer,
}

impl SumsUp {
    /// `times` scores with these masses; none for no score.
    fn of(cells: &[(&Integer, Interval)], times: u64, grid: Grid) -> Option<Self> {
        let up = |mass: &Interval| {
            on_grid(mass.hi(), grid)
                .map(|scaled| scaled.ceil())
                .and_then(|scaled| scaled.to_integer())
        };
        if times == 0 {
            return Some(Self {
                row: Row::certain(grid),
                given_up: Integer::new(),
            });
        }
        let (row, given_up) = Row::of(cells, grid, up)?.trimmed();
        power(&Self { row, given_up }, times, |a, b| Ok(a.plus(b))).ok()
    }

    fn plus(&self, other: &Self) -> Self {
        let mut all = self.row.of_sum(&other.row);
        for mass in &mut all.masses {
            *mass = up(std::mem::take(mass), self.row.grid.bits);
        }
        let (row, dropped) = all.trimmed();
        let given_up = (&self.given_up * other.row.total())
            + (&other.given_up * self.row.total())
            + (&self.given_up * &other.given_up);
        Self {
            row,
            given_up: dropped + up(given_up, self.row.grid.bits),
        }
    }
}

/// Sums with no more than the mass of each.
#[derive(Clone)]
struct SumsDown {
    row: Row,
}

impl SumsDown {
    /// `times` scores with these masses; none for no score.
    fn of(cells: &[(&Integer, Interval)], times: u64, grid: Grid) -> Option<Self> {
        let down = |mass: &Interval| {
            on_grid(mass.lo(), grid)
                .map(|scaled| scaled.floor())
                .and_then(|scaled| scaled.to_integer())
        };
        if times == 0 {
            return Some(Self {
                row: Row::certain(grid),
            });
        }
        let (row, _) = Row::of(cells, grid, down)?.trimmed();
        power(&Self { row }, times, |a, b| Ok(a.plus(b))).ok()
    }

    fn plus(&self, other: &Self) -> Self {
        let mut all = self.row.of_sum(&other.row);
        for mass in &mut all.masses {
            *mass >>= self.row.grid.bits;
        }
        Self {
            row: all.trimmed().0,
        }
    }
}

/// Exactly x in units of the grid.
fn on_grid(x: &Float, grid: Grid) -> Option<Float> {
    x.is_finite().then(|| x.clone() << grid.bits)
}

/// (power without, power with) of some tests "the sum is c or more".
fn tests(without: &SumsUp, with: &SumsDown) -> Vec<(Rational, Rational)> {
    let all = Integer::from(1) << without.row.grid.bits;
    let mut cuts: Vec<Integer> = Vec::new();
    for row in [&without.row, &with.row] {
        let places = (0u32..)
            .zip(&row.masses)
            .map(|(place, _)| (&row.first + place).complete());
        cuts.extend(places);
    }
    cuts.sort_unstable();
    cuts.dedup();
    let stride = cuts.len().div_ceil(MOST_TESTS).max(1);
    let (tails, gains) = (without.row.tails(), with.row.tails());
    let from = |row: &Row, tails: &[Integer], cut: &Integer| {
        let place = Integer::from(cut - &row.first).max(Integer::new());
        let tail = place.to_usize().and_then(|place| tails.get(place));
        tail.cloned().unwrap_or_default()
    };
    let probability =
        |mass: Integer| Rational::from((mass.clamp(&Integer::new(), &all), all.clone()));
    let mut found = vec![
        (Rational::new(), Rational::new()),
        (Rational::from(1), Rational::from(1)),
    ];
    found.extend(cuts.iter().step_by(stride).map(|cut| {
        let level = from(&without.row, &tails, cut) + &without.given_up;
        (
            probability(level),
            probability(from(&with.row, &gains, cut)),
        )
    }));
    found
}

#[cfg(test)]
#[path = "scores_tests.rs"]
mod tests;
