//! An enclosure as two decimals, rounded outwards.

use std::cmp::Ordering;

use rug::{Float, Rational};

use crate::bounds::{Enclosure, Target};
use crate::number::{decimal_down, decimal_up, float_down, float_up, parse_rational};
pub use crate::number::{exact, scientific};

/// Digits beyond those that both ends share.
const DIGITS_OF_WIDTH: i64 = 3;

/// No enclosure is printed with more digits.
const MOST_DIGITS: usize = 60;

/// How many significant digits an enclosure is printed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits {
    /// However wide it is.
    pub least: usize,
    /// However narrow it is.
    pub most: usize,
}

impl Digits {
    /// At most as many more as an enclosure of this width needs, where one was asked for.
    pub fn up_to(self, asked: Option<&Target>, enclosure: &Enclosure) -> Self {
        let (size, width) = match asked {
            Some(Target::Relative(share)) => (Some(1), share),
            Some(Target::Absolute(width)) => (exponent(enclosure.upper()), width),
            None => return self,
        };
        let width = exponent(&Float::with_val(64, width));
        let needed = size
            .zip(width)
            .map_or(0, |(size, width)| apart(size, width));
        Self {
            most: self.most.max(needed),
            ..self
        }
    }
}

/// For machines.
pub const JSON_DIGITS: Digits = Digits { least: 8, most: 40 };

/// For people.
pub const HUMAN_DIGITS: Digits = Digits { least: 4, most: 8 };

/// Both ends, rounded outwards.
pub fn ends(enclosure: &Enclosure, digits: Digits) -> (String, String) {
    print(enclosure, wanted(enclosure, digits))
}

/// [`ends`], with more digits where that keeps the bound on the side of the interval where it is.
pub fn ends_apart_from(
    enclosure: &Enclosure,
    bound: &Rational,
    digits: Digits,
) -> (String, String) {
    let mut count = wanted(enclosure, digits);
    loop {
        let printed = print(enclosure, count);
        if count >= MOST_DIGITS || shows(&printed, enclosure, bound) {
            return printed;
        }
        count = count.saturating_mul(2).min(MOST_DIGITS);
    }
}

fn print(enclosure: &Enclosure, digits: usize) -> (String, String) {
    match enclosure.exact() {
        Some(value) => (decimal_down(value, digits), decimal_up(value, digits)),
        None => (
            float_down(enclosure.lower(), digits),
            float_up(enclosure.upper(), digits),
        ),
    }
}

/// Is the bound outside the printed interval if it is outside the enclosure, and on the same side? What is less than the bound is printed as less: it may have to reach it.
fn shows(printed: &(String, String), enclosure: &Enclosure, bound: &Rational) -> bool {
    let (low, high) = printed;
    let above = enclosure.upper().partial_cmp(bound);
    let below = *enclosure.lower() > *bound;
    match (parse_rational(low), parse_rational(high)) {
        (_, Ok(high)) if above == Some(Ordering::Less) => high < *bound,
        (_, Ok(high)) if above == Some(Ordering::Equal) => high <= *bound,
        (Ok(low), _) if below => low > *bound,
        _ => true,
    }
}

/// Enough digits to tell the ends apart, within the limits.
fn wanted(enclosure: &Enclosure, limits: Digits) -> usize {
    if enclosure.exact().is_some() {
        return limits.most;
    }
    let width = enclosure.width_up();
    let size = exponent(enclosure.lower()).max(exponent(enclosure.upper()));
    let (Some(size), Some(width)) = (size, exponent(&width)) else {
        // A single number, or an infinite end.
        return if width.is_zero() {
            limits.most
        } else {
            limits.least
        };
    };
    apart(size, width).clamp(limits.least, limits.most)
}

/// Digits that tell numbers below 2^size apart which differ by 2^width.
fn apart(size: i64, width: i64) -> usize {
    // log₁₀ 2 is about 0.30103.
    let shared = size.saturating_sub(width).max(0).saturating_mul(30_103) / 100_000;
    usize::try_from(shared.saturating_add(DIGITS_OF_WIDTH)).unwrap_or(usize::MAX)
}

fn exponent(x: &Float) -> Option<i64> {
    x.get_exp().map(i64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::ops::Pow;

    fn between(low: f64, high: f64) -> Enclosure {
        Enclosure::new(Float::with_val(80, low), Float::with_val(80, high)).unwrap()
    }

    #[test]
    fn narrow_enclosures_get_more_digits() {
        assert_eq!(
            ends(&between(1.0, 2.0), HUMAN_DIGITS),
            ("1".into(), "2".into())
        );
        assert_eq!(
            ends(&between(1.234_56, 1.234_57), HUMAN_DIGITS),
            ("1.23456".into(), "1.23457".into())
        );
        assert_eq!(
            ends(&between(0.0, f64::INFINITY), HUMAN_DIGITS),
            ("0".into(), "inf".into())
        );
    }

    /// A value of at least the bound is wanted, and it is less: the digits say less, and where it is the bound they say that.
    #[test]
    fn what_is_less_is_printed_as_less() {
        let bound = Rational::from((1, 10));
        let below = &bound - Rational::from((1, 1_000_000_000));
        let up = |x: &Rational| Float::with_val_round(200, x, rug::float::Round::Up).0;
        let of = |upper: &Rational| {
            let lower = Float::with_val(200, 0.099_999_9);
            Enclosure::new(lower, up(upper)).unwrap()
        };
        let printed = |enclosure: &Enclosure| {
            let (_, high) = ends_apart_from(enclosure, &bound, HUMAN_DIGITS);
            parse_rational(&high).unwrap()
        };
        assert!(printed(&of(&below)) < bound);
        assert_eq!(printed(&Enclosure::exactly(bound.clone(), 200)), bound);
    }

    /// Who asks for sixty digits sees them, and nobody else more than before.
    #[test]
    fn as_many_digits_as_were_asked_for() {
        let third = Float::with_val(400, Rational::from((1, 300)));
        let above = Float::with_val(400, &third + (Float::with_val(400, 1) >> 250u32));
        let enclosure = Enclosure::new(third, above).unwrap();
        let width = |power: u32| Rational::from((1, rug::Integer::from(10).pow(power)));
        let digits = |asked: Option<Target>| {
            let limits = JSON_DIGITS.up_to(asked.as_ref(), &enclosure);
            ends(&enclosure, limits).0.trim_start_matches("0.00").len()
        };
        assert_eq!(digits(None), 40);
        assert_eq!(digits(Some(Target::Relative(width(12)))), 40);
        assert!((60..66).contains(&digits(Some(Target::Relative(width(60))))));
        assert!((58..64).contains(&digits(Some(Target::Absolute(width(60))))));
        // No more than it is narrow.
        assert!((72..80).contains(&digits(Some(Target::Relative(width(300))))));
    }

    #[test]
    fn the_printed_interval_shows_the_verdict() {
        let enclosure = between(0.0, 0.099_999_99);
        let bound = Rational::from((1, 10));
        let coarse = Digits { least: 4, most: 4 };
        assert_eq!(ends(&enclosure, coarse).1, "0.1");
        let (_, high) = ends_apart_from(
            &enclosure,
            &Rational::from((9_999_999, 100_000_000)),
            coarse,
        );
        assert_ne!(high, "0.1");
        // Nor is what is below the bound printed as the bound.
        assert_eq!(ends_apart_from(&enclosure, &bound, coarse).1, "0.09999999");
        let enclosure = between(0.100_000_01, 1.0);
        assert_ne!(ends_apart_from(&enclosure, &bound, coarse).0, "0.1");
    }

    #[test]
    fn small_numbers_for_people() {
        for (plain, short) in [
            ("0.000022630682", "2.2630682e-5"),
            ("-0.0001", "-1e-4"),
            ("0.00123", "0.00123"),
            ("1.5e-7", "1.5e-7"),
            ("0.0000000001", "1e-10"),
            ("0.000", "0.000"),
            ("0.0001e5", "0.0001e5"),
            ("inf", "inf"),
            ("12.5", "12.5"),
        ] {
            assert_eq!(scientific(plain), short);
        }
    }

    #[test]
    fn exact_numbers() {
        for (value, text) in [((1, 3), "1/3"), ((47, 5), "9.4"), ((1024, 3125), "0.32768")] {
            assert_eq!(exact(&Rational::from(value)), text);
        }
        let third = Enclosure::exactly(Rational::from((1, 3)), 64);
        let (low, high) = ends(&third, Digits { least: 2, most: 4 });
        assert_eq!((low.as_str(), high.as_str()), ("0.3333", "0.3334"));
    }
}
