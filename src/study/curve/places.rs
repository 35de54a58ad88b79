//! Where a curve is looked at: as asked for, or so that a picture of it is worth looking at.

#![allow(
    clippy::as_conversions,
    clippy::float_arithmetic,
    reason = "places only: what the curve is there is certified, wherever they are"
)]

use rug::{Float, Rational};

use super::CurveKind;
use crate::float::Curve;
use crate::float::elementary::{log10, pow};
use crate::input::MechanismFile;
use crate::mechanism::Step;
use crate::number::{decimal_down, float_nearest, parse_rational};
use crate::study::{Axis, AxisError};

/// A place on the axis of a curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// As it is written.
    pub text: String,
    /// As it is.
    pub value: Rational,
}

/// Points of a curve: how many, or which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Points {
    /// So many, where the curve bends.
    Count(usize),
    /// These, in order.
    At(Vec<Place>),
}

/// Points of a curve where nobody says how many.
const USUAL: usize = 101;
/// The fewest and the most.
const FEWEST: usize = 2;
const MOST: usize = 10_000;

/// The least α looked at unasked.
const LEAST_ALPHA: f64 = 1e-10;
/// A profile is looked at up to the ε of the first of these δ that has one.
const DELTAS: [f64; 6] = [1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.3];

/// Why there are no such points.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PointsError {
    /// Their number is none.
    #[error(
        "the number of points must be from {FEWEST} to {MOST}, not `{0}`; places are a list such as `0,1` \
         (one place: `{0},{0}`) or a range A..B:N[:linear]"
    )]
    Count(String),
    /// There are too many.
    #[error("there are at most {MOST} points")]
    TooMany,
    /// The places are none.
    #[error(transparent)]
    Axis(#[from] AxisError),
    /// The curve is not defined at one of them.
    #[error("{key} = {text} is not in [0, 1]")]
    NotThere {
        /// What the places are of the curve.
        key: &'static str,
        /// The place, as it is written.
        text: String,
    },
}

impl Points {
    /// Reads `N`, `1,2,5`, `A..B`, `A..B:N` or `A..B:N:linear`.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn from_argument(text: &str) -> Result<Self, PointsError> {
        let text = text.trim();
        if !text.contains(',') && !text.contains("..") && !text.is_empty() {
            let count = text.parse().ok();
            return match count.filter(|count| (FEWEST..=MOST).contains(count)) {
                Some(count) => Ok(Self::Count(count)),
                None => Err(PointsError::Count(text.to_owned())),
            };
        }
        let axis = Axis::with_at_most(&format!("points={text}"), MOST)?;
        let texts = axis.texts(false)?;
        if texts.len() > MOST {
            return Err(PointsError::TooMany);
        }
        let mut places = Vec::with_capacity(texts.len());
        for text in texts {
            match parse_rational(&text) {
                Ok(value) => places.push(Place { text, value }),
                Err(error) => return Err(AxisError::Number { text, error }.into()),
            }
        }
        Ok(Self::At(in_order(places)))
    }

    /// Is the curve defined there?
    ///
    /// # Errors
    /// Says where it is not.
    pub fn check(&self, kind: CurveKind) -> Result<(), PointsError> {
        let Self::At(places) = self else {
            return Ok(());
        };
        if kind == CurveKind::PrivacyProfile {
            return Ok(());
        }
        match places
            .iter()
            .find(|place| place.value < 0 || place.value > 1)
        {
            Some(place) => Err(PointsError::NotThere {
                key: kind.key(),
                text: place.text.clone(),
            }),
            None => Ok(()),
        }
    }

    /// The places.
    pub fn places(
        &self,
        kind: CurveKind,
        file: &MechanismFile,
        hint: Option<&Curve>,
    ) -> Vec<Place> {
        match self {
            Self::Count(count) => places(kind, file, hint, *count),
            Self::At(places) => places.clone(),
        }
    }
}

/// Places where a picture shows what there is to see.
pub fn usual_places(kind: CurveKind, file: &MechanismFile, hint: Option<&Curve>) -> Vec<Place> {
    places(kind, file, hint, USUAL)
}

/// The places of both, in order.
pub fn merged(mut one: Vec<Place>, other: Vec<Place>) -> Vec<Place> {
    one.extend(other);
    in_order(one)
}

/// Places of a profile that reach beyond this ε too.
pub fn extended(mut places: Vec<Place>, epsilon: &Rational) -> Vec<Place> {
    let last = places
        .last()
        .map(|place| place.value.clone())
        .unwrap_or_default();
    places.push(place_of(epsilon.clone()));
    if *epsilon > last {
        let reach = Rational::from(epsilon - &last) * Rational::from((9, 8));
        let steps = 50u32;
        for step in 1..=steps {
            let far = &last + &reach * Rational::from((step, steps));
            places.extend(place(far.to_f64()));
        }
    }
    in_order(places)
}

fn places(kind: CurveKind, file: &MechanismFile, hint: Option<&Curve>, count: usize) -> Vec<Place> {
    let values: Vec<f64> = match kind {
        CurveKind::PrivacyProfile => evenly(0.0, last_epsilon(file, hint), count),
        CurveKind::BayesError => evenly(0.0, 1.0, count),
        CurveKind::TradeOff => return rates(hint, count),
    };
    in_order(values.into_iter().filter_map(place).collect())
}

fn evenly(from: f64, to: f64, count: usize) -> Vec<f64> {
    let steps = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|step| from + (to - from) * (step as f64 / steps))
        .collect()
}

/// Fewer places than this are where the curve bends; with more there are some at small rates, too.
const FEW: usize = 40;
/// Among so many rates bends are looked for.
const LOOKED_AT: usize = 501;

/// The ends, and where the curve is furthest from the line between places that are there already.
fn bends(curve: &Curve, count: usize) -> Vec<Place> {
    let inner = evenly(0.0, 1.0, LOOKED_AT).into_iter();
    let small = evenly(-4.0, -2.0, 33)
        .into_iter()
        .map(|log| pow(10f64, log));
    let mut rates: Vec<f64> = inner.chain(small).collect();
    rates.sort_unstable_by(f64::total_cmp);
    let heights: Vec<f64> = rates.iter().map(|rate| curve.tradeoff(*rate)).collect();
    let points: Vec<(f64, f64)> = rates.into_iter().zip(heights).collect();
    let ends = points.first().into_iter().chain(points.last());
    let mut chosen: Vec<(f64, f64)> = ends.copied().collect();
    while chosen.len() < count {
        let chords = chosen.windows(2).filter_map(|two| match two {
            [from, to] => furthest(&points, *from, *to),
            _ => None,
        });
        let Some((_, point)) = chords.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            break;
        };
        chosen.push(point);
        chosen.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }
    in_order(chosen.into_iter().filter_map(|(at, _)| place(at)).collect())
}

/// The point between both that is furthest below their line, and how far; a straight piece is worth its length, but little.
fn furthest(points: &[(f64, f64)], from: (f64, f64), to: (f64, f64)) -> Option<(f64, (f64, f64))> {
    let inside = points.iter().filter(|(at, _)| *at > from.0 && *at < to.0);
    let weighed = inside.map(|&(at, height)| {
        let share = (at - from.0) / (to.0 - from.0);
        let below = from.1 + share * (to.1 - from.1) - height;
        let even = 1e-6 * (at - from.0).min(to.0 - at);
        (below.max(0.0) + even, (at, height))
    });
    weighed.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Places at small α and at small β, as far apart in both; few places are where the curve bends.
fn rates(hint: Option<&Curve>, count: usize) -> Vec<Place> {
    if let Some(curve) = hint.filter(|_| count < FEW) {
        return bends(curve, count);
    }
    let inner = count.saturating_sub(2);
    let quarter = inner.div_ceil(4);
    let logs = evenly(log10(LEAST_ALPHA), -1.0, quarter);
    let small = logs.into_iter().map(|log| pow(10f64, log));
    let step = 1.0 / (quarter.saturating_add(1) as f64);
    let even = (1..=quarter).map(|place| step * place as f64);
    let rates: Vec<f64> = small.chain(even).collect();
    // Where the curve is about this low, as it would be if it were symmetric.
    let mirrored = rates
        .iter()
        .map(|rate| hint.map_or(1.0 - rate, |curve| curve.tradeoff(*rate)));
    let mirrored = mirrored.filter(|rate| *rate >= LEAST_ALPHA);
    // In turns, so that whatever number is asked for has some of each.
    let mut all: Vec<Place> = Vec::with_capacity(count.saturating_add(3));
    for (rate, other) in rates
        .iter()
        .zip(mirrored.map(Some).chain(std::iter::repeat(None)))
    {
        all.extend(place(*rate));
        all.extend(other.and_then(near_one));
    }
    all.truncate(inner);
    all.extend([place_of(Rational::new()), place_of(Rational::from(1))]);
    in_order(all)
}

/// A place near this rate, with digits enough to tell it from 1.
fn near_one(rate: f64) -> Option<Place> {
    if rate > 0.5 {
        place(1.0 - rate).map(|rest| place_of(1 - rest.value))
    } else {
        place(rate)
    }
}

/// The largest ε that is worth looking at.
fn last_epsilon(file: &MechanismFile, hint: Option<&Curve>) -> f64 {
    let known = hint.and_then(|curve| {
        let found = DELTAS.iter().map(|delta| curve.epsilon(*delta));
        let (_, largest) = curve.support();
        let of_delta = found.into_iter().find(|epsilon| epsilon.is_finite())?;
        // A loss that ends is shown to its end.
        Some(if largest.is_finite() && largest <= 1.3 * of_delta {
            1.15 * largest
        } else {
            of_delta
        })
    });
    let stated = match file.mechanism.steps().single() {
        Some(Step::Zcdp { rho }) => {
            let rho = rho.to_f64();
            // ε with δ = 1e-12 by the usual conversion.
            Some(rho + 2.0 * (rho * 27.7).sqrt())
        }
        _ => None,
    };
    let epsilon = known.or(stated).unwrap_or(10.0);
    if !(epsilon.is_finite() && epsilon > 0.0) {
        return 1.0;
    }
    // Rounded up to two digits.
    let unit = pow(10f64, log10(epsilon).floor() - 1.0);
    (epsilon / unit).ceil() * unit
}

/// A place near this number, as a short decimal.
pub fn place(value: f64) -> Option<Place> {
    let text = float_nearest(&Float::with_val(64, value), 6);
    Some(place_of(parse_rational(&text).ok()?))
}

/// Digits enough for every decimal that is made here.
const DIGITS: usize = 60;

fn place_of(value: Rational) -> Place {
    let text = decimal_down(&value, DIGITS);
    let is_exact = parse_rational(&text).is_ok_and(|read| read == value);
    Place {
        text: if is_exact { text } else { value.to_string() },
        value,
    }
}

fn in_order(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_by(|a, b| a.value.cmp(&b.value));
    places.dedup_by(|a, b| a.value == b.value);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_counted_or_listed() {
        assert_eq!(Points::from_argument("41"), Ok(Points::Count(41)));
        let texts = |argument: &str| match Points::from_argument(argument) {
            Ok(Points::At(places)) => places.into_iter().map(|place| place.text).collect(),
            other => vec![format!("{other:?}")],
        };
        assert_eq!(texts("2,0.5,1,1"), ["0.5", "1", "2"]);
        assert_eq!(texts("0..1:3:linear"), ["0", "0.5", "1"]);
        for (bad, words) in [
            ("1", "from 2 to 10000, not `1`"),
            ("0", "from 2 to 10000"),
            ("20000", "from 2 to 10000"),
            ("-1", "one place: `-1,-1`"),
            ("1e9", "from 2 to 10000, not `1e9`"),
            ("0.5", "a list such as `0,1`"),
            ("x", "from 2 to 10000"),
            ("0..1", "above 0"),
            ("1..2:1", "from 2 to 10000"),
            ("0..1:99999999999:linear", "from 2 to 10000"),
            ("", "an item of the list is empty"),
            (",", "an item of the list is empty"),
            ("1,,2", "an item of the list is empty"),
        ] {
            let said = Points::from_argument(bad).unwrap_err();
            assert!(said.to_string().contains(words), "{bad}: {said}");
        }
    }

    /// Of a curve with one corner, that is the third place; of one that bends everywhere, places are spread and none is next to an end.
    #[test]
    fn few_places_are_where_the_curve_bends() {
        let at = |curve: &Curve, count| -> Vec<f64> {
            let places = rates(Some(curve), count).into_iter();
            places.map(|place| place.value.to_f64()).collect()
        };
        let gaussian = at(&Curve::gaussian(1.0), 5);
        assert_eq!(gaussian.len(), 5);
        // Φ(−1/2) is where the slope is −1, furthest from the line between the ends.
        assert!(
            gaussian.iter().any(|at| (at - 0.3085).abs() < 2e-3),
            "{gaussian:?}"
        );
        let inner = gaussian.get(1..4).unwrap();
        assert!(
            inner.iter().all(|at| (0.01..0.99).contains(at)),
            "{gaussian:?}"
        );
        // Without any bend they are even.
        assert_eq!(at(&Curve::gaussian(0.0), 5), [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn rates_are_within_0_and_1() {
        for mu in [0.0, 1e-6, 1.0, 40.0] {
            let curve = Curve::gaussian(mu);
            for count in [2, 3, 10, 61, 200] {
                let places = rates(Some(&curve), count);
                assert_eq!(places.first().unwrap().text, "0");
                assert_eq!(places.last().unwrap().text, "1");
                assert!(
                    places
                        .iter()
                        .all(|place| place.value >= 0 && place.value <= 1)
                );
            }
        }
    }
}
