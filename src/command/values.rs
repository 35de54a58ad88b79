//! Numbers and times of the command line, read from text.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use rug::{Integer, Rational};

use crate::bounds::Target;
use crate::number::parse_rational;
use crate::study::{CurveKind, Engine};

/// `1e-6` or `1e-6abs`, > 0.
///
/// # Errors
/// Says what it must be.
pub fn precision(text: &str) -> Result<Target, String> {
    let (number, is_absolute) = match text.strip_suffix("abs") {
        Some(number) => (number, true),
        None => (text, false),
    };
    let width = parse_rational(number).map_err(|error| error.to_string())?;
    if width <= 0 {
        return Err("the width must be greater than 0".to_owned());
    }
    Ok(if is_absolute {
        Target::Absolute(width)
    } else {
        Target::Relative(width)
    })
}

/// `FILE.html`.
///
/// # Errors
/// Says what it must be.
pub fn html(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(ending) if ending == "html" || ending == "htm" => Ok(path),
        _ => Err("a page is FILE.html".to_owned()),
    }
}

/// A divergence in (0, 1/2).
///
/// # Errors
/// Says what it must be.
pub fn tolerance(text: &str) -> Result<Rational, String> {
    let value = parse_rational(text).map_err(|error| error.to_string())?;
    if value > 0 && value < Rational::from((1, 2)) {
        Ok(value)
    } else {
        Err("a tolerance lies between 0 and 1/2".to_owned())
    }
}

/// A factor above 1.
///
/// # Errors
/// Says what it must be.
pub fn factor(text: &str) -> Result<Rational, String> {
    let value = parse_rational(text).map_err(|error| error.to_string())?;
    if value > 1 {
        Ok(value)
    } else {
        Err("the factor must be greater than 1".to_owned())
    }
}

/// A δ in (0, 1).
///
/// # Errors
/// Says what it must be.
pub fn delta(text: &str) -> Result<Rational, String> {
    let value = parse_rational(text).map_err(|error| error.to_string())?;
    if value > 0 && value < 1 {
        Ok(value)
    } else {
        Err("a δ lies between 0 and 1".to_owned())
    }
}

/// Seconds ≥ 0, with decimals, up to a century.
///
/// # Errors
/// Says what it must be.
pub fn seconds(text: &str) -> Result<Duration, String> {
    const CENTURY: u32 = 3_155_760_000;
    let seconds = parse_rational(text).map_err(|error| error.to_string())?;
    if seconds < 0 {
        return Err("the time must be at least 0 seconds".to_owned());
    }
    let seconds = seconds.min(Rational::from(CENTURY));
    let milliseconds = Integer::from((seconds * 1000u32).floor_ref());
    Ok(Duration::from_millis(
        milliseconds.to_u64().unwrap_or(u64::MAX),
    ))
}

impl ValueEnum for CurveKind {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::PrivacyProfile, Self::TradeOff, Self::BayesError]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::PrivacyProfile => "δ(ε), the least δ at every ε",
            Self::TradeOff => {
                "f(α), the least false-negative rate of attacks at every false-positive rate"
            }
            Self::BayesError => {
                "R(π), the least average error of attacks at every prior that the record is absent"
            }
        };
        let value = PossibleValue::new(self.as_str()).help(help);
        Some(match self {
            Self::TradeOff => value.alias("tradeoff"),
            Self::PrivacyProfile | Self::BayesError => value,
        })
    }
}

impl ValueEnum for Engine {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Certified, Self::Float]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Certified => {
                PossibleValue::new("certified").help("Two-sided bounds with every error counted")
            }
            Self::Float => PossibleValue::new("float")
                .help("f64 estimates without guarantees, most of them in milliseconds; for `bound`, `compare` and `curve`"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_times() {
        let small = Rational::from((1, 1000));
        assert_eq!(precision("1e-3"), Ok(Target::Relative(small.clone())));
        assert_eq!(precision("0.001abs"), Ok(Target::Absolute(small)));
        for bad in ["0", "-1", "abs", "", "nan", "1e-3 absolute"] {
            assert!(precision(bad).is_err(), "{bad}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        assert!(seconds("1e300").unwrap() > Duration::from_secs(3_000_000_000));
        for bad in ["-1", "inf", "soon"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
