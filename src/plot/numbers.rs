//! Decimals, rounded outwards, to pixels.

use super::band::ProfilePoint;
use crate::number::parse_rational;
use crate::report::{Found, curve_found};
use crate::study::CurvePoint;

/// The number that a decimal or a fraction stands for, as near as pixels need it.
pub fn number(text: &str) -> Option<f64> {
    match text {
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ => text
            .parse()
            .ok()
            .or_else(|| Some(parse_rational(text).ok()?.to_f64())),
    }
}

/// Places with what was found there, as far as there is something.
pub fn knots<'a>(points: impl IntoIterator<Item = (&'a str, &'a Found)>) -> Vec<ProfilePoint> {
    points
        .into_iter()
        .filter_map(|(place, found)| {
            let (low, high) = match found {
                Found::Enclosure { lower, upper, .. } => (number(lower)?, number(upper)?),
                Found::Estimate(value) => (number(value)?, number(value)?),
                Found::Error(_) => return None,
            };
            Some(ProfilePoint {
                x: number(place)?,
                low,
                high,
            })
        })
        .collect()
}

/// The points of a curve, as far as something was found.
pub fn curve_knots(points: &[CurvePoint]) -> Vec<ProfilePoint> {
    let found = curve_found(points);
    knots(found.iter().map(|(place, found)| (place.as_str(), found)))
}
