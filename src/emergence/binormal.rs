//! How much larger the Bayes error of one composition can be than that of another, when threshold tests on the privacy loss
//! have nearly normal errors: a rigorous supremum over thresholds by branch and bound.
//!
//! The statement is B2 of `proofs/README.md`.

use rug::Float;

use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, InvariantViolation, Pick, normal};

/// Precision of the search.
const BITS: u32 = 128;
/// A supremum is known well enough at a relative width of 2^-16 …
const GOOD_BITS: u32 = 16;
/// … or an absolute one of 2^-40.
const NEGLIGIBLE_BITS: u32 = 40;
/// Thresholds beyond this many standard deviations are left to the tests that ignore the data.
const REACH: u32 = 10;
/// Rounds of halving, and cells in one round.
const MOST_ROUNDS: u32 = 64;
const MOST_CELLS: usize = 20_000;
const MOST_NEWTON_STEPS: u32 = 12;

/// What is known about the threshold tests of a composition: for every real a one threshold has a type-I error within
/// `null_error` of 1 − Φ(a) and a type-II error within `alternative_error` of Φ(ratio·a − distance), and every test of a
/// likelihood ratio is a mixture of two such tests, or the limit of some.
#[derive(Debug, Clone)]
pub(super) struct NearlyBinormal {
    pub null_error: Interval,
    pub alternative_error: Interval,
    pub ratio: Interval,
    pub distance: Interval,
}

impl NearlyBinormal {
    /// max(γ₀ + γ̃₀, γ₁ + γ̃₁).
    pub fn largest_errors(&self, other: &Self) -> Interval {
        let null = self.null_error.add(&other.null_error);
        null.max(&self.alternative_error.add(&other.alternative_error))
    }
}

/// When a bound is good enough.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal<'a> {
    /// As narrow as the search makes it.
    Narrow,
    /// Once it is known to be at most this, or above it.
    Decide(&'a Interval),
}

impl Goal<'_> {
    /// Does a cell with this upper bound need no halving?
    fn is_settled(&self, lower: &Float, upper: &Float) -> bool {
        match self {
            Goal::Narrow => self.is_met(lower, upper),
            Goal::Decide(target) => upper <= target.lo() || Goal::Narrow.is_met(lower, upper),
        }
    }

    fn is_met(&self, lower: &Float, upper: &Float) -> bool {
        if let Goal::Decide(target) = self
            && (upper <= target.lo() || lower > target.hi())
        {
            return true;
        }
        // Δ ≤ 1/2 without any moments.
        if *lower >= Float::with_val(BITS, 1) >> 1u32 {
            return true;
        }
        // A target inside so narrow an enclosure stays undecided.
        let allowed = Float::with_val(BITS, lower >> GOOD_BITS);
        let negligible = Float::with_val(BITS, 1) >> NEGLIGIBLE_BITS;
        Float::with_val(BITS, upper - lower) <= allowed.larger(&negligible)
    }
}

/// Encloses the bound of B2, the supremum over ã of min over tests a of the larger of the two differences of errors
///
/// X = γ₀ + γ̃₀ + (1 − Φ(a)) − (1 − Φ(ã)) and Y = γ₁ + γ̃₁ + Φ(ra − d) − Φ(r̃ã − d̃),
///
/// where a may also be one of the two tests that ignore the data, whose errors are exactly (1, 0) and (0, 1). If r = r̃ and
/// d ≥ d̃, a = ã shows that the bound is at most the larger of the two sums of errors; `is_ordered` says that this is known.
///
/// Requires: `is_ordered` only if the true r and r̃ are equal and the true d is at least the true d̃.
/// Ensures: Δ(M‖M̃) is at most the upper end, for M like `a` and M̃ like `b`.
///
/// # Errors
/// If the budget ends, or a lower bound lies above an upper one.
pub(super) fn bayes_error_gap(
    a: &NearlyBinormal,
    b: &NearlyBinormal,
    is_ordered: bool,
    goal: Goal<'_>,
    budget: &Budget,
) -> Result<Interval, Failure> {
    let search = Search {
        a,
        b,
        null_error: a.null_error.add(&b.null_error),
        alternative_error: a.alternative_error.add(&b.alternative_error),
    };
    let reach = Interval::from_i64(i64::from(REACH), BITS);
    let end = b.distance.add(&reach).div(&b.ratio).max(&reach);
    let (first, last) = (reach.neg().lo().clone(), end.hi().clone());
    if !(last.is_finite() && b.ratio.is_positive() && a.ratio.is_positive()) {
        return Ok(Interval::zero(BITS).hull(&Interval::infinity(BITS)));
    }
    let most = if is_ordered || search.is_certainly_ordered() {
        a.largest_errors(b)
    } else {
        Interval::infinity(BITS)
    };
    let capped = |upper: Float| upper.smaller(most.hi());
    let mut settled = search.outside(&first, &last);
    let mut lower = Float::new(BITS);
    let mut cells = vec![Cell {
        from: first,
        to: last,
        threshold: None,
    }];
    for _ in 0..MOST_ROUNDS {
        let mut open: Vec<(Cell, Float)> = Vec::new();
        for cell in cells {
            budget.check()?;
            let (cell, found) = search.cell(cell);
            if *found.lo() > lower {
                lower.clone_from(found.lo());
            }
            open.push((cell, found.hi().clone()));
        }
        let upper = open
            .iter()
            .fold(settled.clone(), |most, (_, up)| most.larger(up));
        let upper = capped(upper);
        if goal.is_met(&lower, &upper) || open.len() > MOST_CELLS {
            return bounds(lower, upper);
        }
        cells = Vec::new();
        for (cell, up) in open {
            let is_settled = goal.is_settled(&lower, &up);
            match cell.halves() {
                Some(halves) if !is_settled => cells.extend(halves),
                _ => settled = settled.larger(&up),
            }
        }
        if cells.is_empty() {
            return bounds(lower, capped(settled));
        }
    }
    bounds(lower, capped(d::infinity(BITS)))
}

/// Encloses an upper bound of max_π R(π): the least over a of the larger of γ₀ + 1 − Φ(a) and γ₁ + Φ(ra − d).
pub(super) fn largest_bayes_error(a: &NearlyBinormal) -> Interval {
    // The two are equal near a = d/(1 + r); any a gives a bound.
    let one = Interval::one(BITS);
    let middle = a.distance.div(&a.ratio.add(&one)).middle();
    let threshold = Interval::point(middle);
    let null = a.null_error.add(&normal::survival(&threshold));
    let place = a.ratio.mul(&threshold).sub(&a.distance);
    let alternative = a.alternative_error.add(&normal::cdf(&place));
    let half = Interval::point(Float::with_val(BITS, 1) >> 1u32);
    null.max(&alternative).min(&half)
}

fn bounds(lower: Float, upper: Float) -> Result<Interval, Failure> {
    // X and Y may be below 0 everywhere; Δ never is.
    let upper = upper.larger(&Float::new(BITS));
    Ok(
        Interval::new(lower, upper).map_err(|InvariantViolation(what)| {
            InvariantViolation(format!("gap of Bayes errors: {what}"))
        })?,
    )
}

struct Search<'a> {
    a: &'a NearlyBinormal,
    b: &'a NearlyBinormal,
    null_error: Interval,
    alternative_error: Interval,
}

/// Thresholds ã between `from` and `to`, with the best answer a at the middle of the cell this one was cut from.
struct Cell {
    from: Float,
    to: Float,
    threshold: Option<Float>,
}

impl Cell {
    fn halves(self) -> Option<[Self; 2]> {
        let middle = self.middle();
        (self.from < middle && middle < self.to).then(|| {
            let at = |from: Float, to: Float| Self {
                from,
                to,
                threshold: self.threshold.clone(),
            };
            [
                at(self.from.clone(), middle.clone()),
                at(middle, self.to.clone()),
            ]
        })
    }

    fn middle(&self) -> Float {
        let sum = Float::with_val(BITS, &self.from + &self.to);
        sum >> 1u32
    }
}

impl Search<'_> {
    fn is_certainly_ordered(&self) -> bool {
        let is_single = self.a.ratio.lo() == self.a.ratio.hi();
        is_single && self.a.ratio == self.b.ratio && self.b.distance.certainly_le(&self.a.distance)
    }

    /// Upper bound of the supremum over ã ≤ first and ã ≥ last, by the tests that ignore the data.
    fn outside(&self, first: &Float, last: &Float) -> Float {
        let (first, last) = (
            Interval::point(first.clone()),
            Interval::point(last.clone()),
        );
        let left = self
            .b
            .null_error
            .add(&normal::cdf_absolute(&first))
            .max(&self.b.alternative_error);
        let place = self.b.ratio.mul(&last).sub(&self.b.distance);
        let right = self
            .b
            .alternative_error
            .add(&normal::survival_absolute(&place))
            .max(&self.b.null_error);
        left.max(&right).hi().clone()
    }

    /// A lower bound of the value at the middle of the cell and an upper bound of all values in the cell.
    fn cell(&self, mut cell: Cell) -> (Cell, Interval) {
        let middle = cell.middle();
        let threshold = self.balanced(&middle, cell.threshold.take());
        let slope = self.slope(&middle, &threshold);
        let upper = self.along(&cell, &middle, &threshold, &slope);
        let (from, to) = (
            Interval::point(cell.from.clone()),
            Interval::point(cell.to.clone()),
        );
        let upper = upper.min(&self.ignoring(&from, &to)).hi().clone();

        let at = Interval::point(middle.clone());
        let (x, y) = self.differences(&at, &Interval::point(threshold.clone()));
        let lower = x.min(&y).min(&self.ignoring(&at, &at)).lo().clone();
        let lower = if lower <= upper { lower } else { upper.clone() };
        cell.threshold = Some(threshold);
        (cell, Interval::between_or_line(lower, upper))
    }

    /// X and Y for one ã and one a.
    fn differences(&self, other: &Interval, threshold: &Interval) -> (Interval, Interval) {
        let x = normal::cdf_absolute(other).sub(&normal::cdf_absolute(threshold));
        let mine = self.a.ratio.mul(threshold).sub(&self.a.distance);
        let theirs = self.b.ratio.mul(other).sub(&self.b.distance);
        let y = normal::cdf_absolute(&mine).sub(&normal::cdf_absolute(&theirs));
        (x.add(&self.null_error), y.add(&self.alternative_error))
    }

    /// The smaller of what the two tests that ignore the data give for every ã in [from, to].
    fn ignoring(&self, from: &Interval, to: &Interval) -> Interval {
        let place = self.b.ratio.mul(from).sub(&self.b.distance);
        let (null, alternative) = (&self.b.null_error, &self.b.alternative_error);
        let always = null
            .add(&normal::cdf_absolute(to))
            .max(&alternative.sub(&normal::cdf_absolute(&place)));
        let never = null
            .sub(&normal::survival_absolute(to))
            .max(&alternative.add(&normal::survival_absolute(&place)));
        always.min(&never)
    }

    /// max(X, Y) over the cell with a = threshold + slope·(ã − middle), in the mean value form.
    fn along(&self, cell: &Cell, middle: &Float, threshold: &Float, slope: &Float) -> Interval {
        let whole = Interval::spanning(cell.from.clone(), cell.to.clone());
        let (middle, threshold, slope) = (
            Interval::point(middle.clone()),
            Interval::point(threshold.clone()),
            Interval::point(slope.clone()),
        );
        let (x, y) = self.differences(&middle, &threshold);
        let offset = whole.sub(&middle);
        let mine = threshold.add(&slope.mul(&offset));
        let one = Interval::one(BITS);
        let (r, s) = (&self.a.ratio, &self.b.ratio);
        let zero = Interval::zero(BITS);
        let curve = |scale: &Interval, distance: &Interval, at: &Interval| Curve {
            place: scale.mul(at).sub(distance),
            scale: scale.clone(),
        };
        // X' = φ(ã) − k·φ(a) and Y' = kr·φ(ra − d) − r̃·φ(r̃ã − d̃).
        let x_slope = slope_of_difference(
            &offset,
            |wide| curve(&one, &zero, if wide { &whole } else { &middle }),
            |wide| curve(&one, &zero, if wide { &mine } else { &threshold }).steeper(&slope),
        );
        let y_slope = slope_of_difference(
            &offset,
            |wide| {
                let at = if wide { &mine } else { &threshold };
                curve(r, &self.a.distance, at).steeper(&slope)
            },
            |wide| curve(s, &self.b.distance, if wide { &whole } else { &middle }),
        );
        x.add(&offset.mul(&x_slope))
            .max(&y.add(&offset.mul(&y_slope)))
    }

    /// About the a with X = Y, or the end of the range nearest to it, by Newton's iteration kept inside a bracket. Any a is
    /// allowed: a poor one costs width.
    fn balanced(&self, other: &Float, near: Option<Float>) -> Float {
        let at = Interval::point(other.clone());
        let reach = Interval::from_i64(i64::from(REACH), BITS);
        let end = self.a.distance.add(&reach).div(&self.a.ratio).max(&reach);
        let (mut left, mut right) = (reach.neg().lo().clone(), end.hi().clone());
        let negligible = Float::with_val(BITS, 1) >> NEGLIGIBLE_BITS.saturating_add(4);
        let is_inside = |x: &Float, left: &Float, right: &Float| left < x && x < right;
        let middle = |left: &Float, right: &Float| Float::with_val(BITS, left + right) >> 1u32;
        let mut threshold = near
            .filter(|x| is_inside(x, &left, &right))
            .unwrap_or_else(|| middle(&left, &right));
        for _ in 0..MOST_NEWTON_STEPS {
            let (x, y) = self.differences(&at, &Interval::point(threshold.clone()));
            let excess = x.sub(&y).middle();
            if excess.clone().abs() <= negligible {
                break;
            }
            // X − Y falls as a grows.
            if excess > 0 {
                left.clone_from(&threshold);
            } else {
                right.clone_from(&threshold);
            }
            let (down, up) = self.densities(&threshold);
            let step = Float::with_val(BITS, &excess / Float::with_val(BITS, &down + &up));
            let next = Float::with_val(BITS, &threshold + &step);
            threshold = if is_inside(&next, &left, &right) {
                next
            } else {
                middle(&left, &right)
            };
        }
        threshold
    }

    /// da/dã along X = Y, limited to [0, 4].
    fn slope(&self, other: &Float, threshold: &Float) -> Float {
        let at = Interval::point(other.clone());
        let place = self.b.ratio.mul(&at).sub(&self.b.distance);
        let theirs = normal::density(&at)
            .add(&self.b.ratio.mul(&normal::density(&place)))
            .middle();
        let (down, up) = self.densities(threshold);
        let slope = Float::with_val(BITS, theirs / Float::with_val(BITS, down + up));
        let limit = Float::with_val(BITS, 4);
        if slope.is_finite() && slope >= 0 {
            slope.smaller(&limit)
        } else {
            Float::with_val(BITS, 1)
        }
    }

    /// φ(a) and r·φ(ra − d), roughly.
    fn densities(&self, threshold: &Float) -> (Float, Float) {
        let at = Interval::point(threshold.clone());
        let place = self.a.ratio.mul(&at).sub(&self.a.distance);
        let up = self.a.ratio.mul(&normal::density(&place));
        (normal::density(&at).middle(), up.middle())
    }
}

/// Φ of an affine function with slope `scale`, at a place or over a cell.
struct Curve {
    place: Interval,
    scale: Interval,
}

impl Curve {
    fn steeper(self, factor: &Interval) -> Self {
        Self {
            scale: self.scale.mul(factor),
            ..self
        }
    }

    /// The derivative c·φ.
    fn first(&self) -> Interval {
        self.scale.mul(&normal::density(&self.place))
    }

    /// The second derivative −c²·x·φ(x).
    fn second(&self) -> Interval {
        let product = self.place.mul(&normal::density(&self.place));
        self.scale.square().mul(&product).neg()
    }
}

/// Encloses the derivative of the difference of two curves over a cell (argument `true`), given also both at its middle
/// (`false`): directly, and in the mean value form, which is narrow where the curves are close to each other.
fn slope_of_difference(
    offset: &Interval,
    minuend: impl Fn(bool) -> Curve,
    subtrahend: impl Fn(bool) -> Curve,
) -> Interval {
    let (first, second) = (minuend(true), subtrahend(true));
    let direct = first.first().sub(&second.first());
    let centre = minuend(false).first().sub(&subtrahend(false).first());
    let change = first.second().sub(&second.second());
    let centred = centre.add(&offset.mul(&change));
    direct.intersect(&centred).unwrap_or(direct)
}

#[cfg(test)]
#[path = "binormal_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "binormal_quick_tests.rs"]
mod quick;
