//! A double as an exact number.

use rug::Rational;

use crate::number::{Exact, NumberError, parse_rational};

/// The shortest decimal that reads back as the same double: `0.1` is 1/10, not the double next to it.
impl Exact for f64 {
    fn exact(self) -> Result<Rational, NumberError> {
        parse_rational(&format!("{self:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_their_shortest_decimals() {
        for (double, text) in [
            (0.1, "1/10"),
            (1e-5, "1/100000"),
            (9.4, "47/5"),
            (-3.0, "-3"),
            (1e22, "10000000000000000000000"),
        ] {
            assert_eq!(
                double.exact().unwrap(),
                parse_rational(text).unwrap(),
                "{text}"
            );
        }
        for no_number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(no_number.exact(), Err(NumberError::NotFinite));
        }
    }
}
