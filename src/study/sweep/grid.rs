//! The values of a sweep and their cartesian product.

use crate::kernel::Pick;
use rug::float::Round;
use rug::{Float, Rational};

use super::error::{AxisError, SweepError};
use crate::number::{float_nearest, parse_rational};

/// More points are refused.
pub const MAX_POINTS: usize = 100_000;

/// Points of a range that does not say how many.
const DEFAULT_COUNT: usize = 9;

/// Significant digits of points inside a range, unless more are needed to space them evenly.
const LEAST_DIGITS: u32 = 6;
const MOST_DIGITS: u32 = 40;

/// Bits in which points of a range are computed.
const BITS: u32 = 320;

/// One parameter and the values it takes, as `KEY=VALUES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The parameter, a key at the top of the mechanism.
    pub key: String,
    values: Values,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Values {
    List(Vec<String>),
    Range(Range),
}

/// `A..B`, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Range {
    ends: [End; 2],
    count: usize,
    spacing: Spacing,
}

/// An end of a range, as it is written and as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    text: String,
    value: Rational,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spacing {
    Logarithmic,
    Linear,
}

impl Axis {
    /// Reads `KEY=VALUES`, where VALUES is `1,2,5` or `A..B`, `A..B:N`, `A..B:N:linear`.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_argument(text: &str) -> Result<Self, AxisError> {
        Self::with_at_most(text, MAX_POINTS)
    }

    /// The same, where a range has fewer points.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn with_at_most(text: &str, most: usize) -> Result<Self, AxisError> {
        let Some((key, values)) = text.split_once('=') else {
            return Err(AxisError::NoValues);
        };
        let key = key.trim().to_owned();
        if key.is_empty() {
            return Err(AxisError::NoKey);
        }
        let values = if values.contains("..") {
            Values::Range(range(values, most)?)
        } else {
            Values::List(list(values)?)
        };
        Ok(Self { key, values })
    }

    /// The values in order and without repetitions, as they are shown and set. In a range of a key that takes `whole`
    /// numbers only, points are rounded to them.
    ///
    /// # Errors
    /// If a range is too long for its whole numbers to be computed.
    pub fn texts(&self, whole: bool) -> Result<Vec<String>, AxisError> {
        let mut texts = match &self.values {
            Values::List(texts) => texts.clone(),
            Values::Range(range) if whole => range.whole_texts()?,
            Values::Range(range) => range.texts(),
        };
        // Points of a range are monotone, so that equal ones are neighbours; in a list they need not be.
        let mut seen = std::collections::HashSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        Ok(texts)
    }
}

fn list(values: &str) -> Result<Vec<String>, AxisError> {
    let texts: Vec<String> = values
        .split(',')
        .map(|text| text.trim().to_owned())
        .collect();
    for text in &texts {
        if text.is_empty() {
            return Err(AxisError::EmptyItem);
        }
        number(text)?;
    }
    Ok(texts)
}

fn range(text: &str, most: usize) -> Result<Range, AxisError> {
    let mut parts = text.split(':');
    let ends = parts.next().unwrap_or_default();
    let (first, last) = ends.split_once("..").unwrap_or((ends, ""));
    let ends = [end(first)?, end(last)?];
    let mut count = DEFAULT_COUNT;
    let mut spacing = Spacing::Logarithmic;
    let rest: Vec<&str> = parts.map(str::trim).collect();
    match rest.as_slice() {
        [] | ["log"] => {}
        ["linear"] => spacing = Spacing::Linear,
        [points] | [points, "log"] => count = points_of(points, most)?,
        [points, "linear"] => {
            count = points_of(points, most)?;
            spacing = Spacing::Linear;
        }
        _ => return Err(AxisError::NoRange),
    }
    if spacing == Spacing::Logarithmic && ends.iter().any(|end| end.value <= 0) {
        return Err(AxisError::NotAboveZero {
            first: first.to_owned(),
            last: last.to_owned(),
            count,
        });
    }
    Ok(Range {
        ends,
        count,
        spacing,
    })
}

fn end(text: &str) -> Result<End, AxisError> {
    Ok(End {
        value: number(text)?,
        text: text.trim().to_owned(),
    })
}

fn number(text: &str) -> Result<Rational, AxisError> {
    parse_rational(text).map_err(|error| AxisError::Number {
        text: text.to_owned(),
        error,
    })
}

fn points_of(text: &str, most: usize) -> Result<usize, AxisError> {
    let count = text.parse().ok();
    count
        .filter(|count| (2..=most).contains(count))
        .ok_or_else(|| AxisError::Count {
            most,
            text: text.to_owned(),
        })
}

impl Range {
    /// The ends as they are written, and between them decimals that are exact as they stand.
    fn texts(&self) -> Vec<String> {
        let inner = self.inner();
        let digits = self.digits();
        let [first, last] = &self.ends;
        let inner = inner.iter().map(|value| float_nearest(value, digits));
        std::iter::once(first.text.clone())
            .chain(inner)
            .chain(std::iter::once(last.text.clone()))
            .collect()
    }

    fn whole_texts(&self) -> Result<Vec<String>, AxisError> {
        let limit = Rational::from(u64::MAX);
        if self.ends.iter().any(|end| end.value.clone().abs() > limit) {
            return Err(AxisError::TooLarge);
        }
        let [first, last] = &self.ends;
        let float = |end: &End| Float::with_val(BITS, &end.value);
        Ok(std::iter::once(float(first))
            .chain(self.inner())
            .chain(std::iter::once(float(last)))
            .filter_map(|value| value.to_integer_round(Round::Nearest))
            .map(|(whole, _)| whole.to_string())
            .collect())
    }

    /// The points between the ends.
    fn inner(&self) -> Vec<Float> {
        let [first, last] = &self.ends;
        let steps = self.count.saturating_sub(1);
        let between = |step: usize| {
            let share = Rational::from((step, steps));
            match self.spacing {
                Spacing::Linear => {
                    let length = Rational::from(&last.value - &first.value);
                    Float::with_val(BITS, &first.value + length * share)
                }
                Spacing::Logarithmic => {
                    let log = |end: &End| Float::with_val(BITS, &end.value).ln();
                    let length = log(last) - log(first);
                    (log(first) + length * share).exp()
                }
            }
        };
        (1..steps).map(between).collect()
    }

    /// So many significant digits that rounding moves no point by more than a thousandth of its distance from the next.
    fn digits(&self) -> usize {
        let [first, last] = &self.ends;
        let steps = self.count.saturating_sub(1);
        let size = |end: &End| Float::with_val(BITS, &end.value).abs();
        // Size of a point over its distance from the next, at most.
        let ratio = match self.spacing {
            Spacing::Linear => {
                let length = Rational::from(&last.value - &first.value).abs();
                let largest = size(first).larger(&size(last));
                largest * Rational::from(steps) / Float::with_val(BITS, length)
            }
            Spacing::Logarithmic => {
                let log = (size(last).ln() - size(first).ln()).abs();
                (log / Rational::from(steps)).exp_m1().recip()
            }
        };
        // Half a unit of the last of d digits is at most 10^(1−d)/2 of the point.
        let needed = ratio.log10().ceil().to_u32_saturating().unwrap_or(0);
        let digits = needed.saturating_add(4).clamp(LEAST_DIGITS, MOST_DIGITS);
        usize::try_from(digits).unwrap_or_default()
    }
}

/// All combinations of the values of several parameters.
///
/// The first parameter varies slowest, the last fastest, as in nested loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    axes: Vec<(String, Vec<String>)>,
    length: usize,
}

impl Grid {
    /// The product of the axes, each a key with its values.
    ///
    /// # Errors
    /// If a key comes twice, or there are too many points.
    pub fn new(axes: Vec<(String, Vec<String>)>) -> Result<Self, SweepError> {
        let mut length = 1usize;
        for (place, (key, values)) in axes.iter().enumerate() {
            if axes.iter().take(place).any(|(other, _)| other == key) {
                return Err(SweepError::Twice(key.clone()));
            }
            length = length
                .checked_mul(values.len())
                .filter(|length| *length <= MAX_POINTS)
                .ok_or(SweepError::TooMany)?;
        }
        Ok(Self { axes, length })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether some axis has no values.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The parameters of a point, in the order of the axes.
    ///
    /// Requires: `index` < [`Grid::len`]; otherwise the point is another one.
    pub fn point(&self, index: usize) -> Vec<(String, String)> {
        let mut rest = index;
        let mut point: Vec<(String, String)> = self
            .axes
            .iter()
            .rev()
            .filter_map(|(key, values)| {
                let value = values.get(rest.checked_rem(values.len())?)?;
                rest = rest.checked_div(values.len())?;
                Some((key.clone(), value.clone()))
            })
            .collect();
        point.reverse();
        point
    }
}

#[cfg(test)]
#[path = "grid_tests.rs"]
mod tests;
