//! Exact numbers: decimal text to rational, and back with a named rounding direction.
//!
//! [`parse_rational`] reads `9.4`, `1e-5` and `16384/50000` as the rationals they are;
//! [`decimal_down`] and [`decimal_up`] (for [`rug::Float`]: [`float_down`], [`float_up`]) print a decimal on the named side of
//! an exact value; [`half_last_digit`] is the rounding that a printed decimal may hide.

#[cfg(test)]
mod coarse_tests;
mod decimal;
mod exact;
mod parse;
mod text;

pub use decimal::{decimal_down, decimal_up, float_down, float_nearest, float_up};
pub use exact::Exact;
pub use parse::{
    MAX_CHARACTERS, MAX_EXPONENT, NumberError, half_last_digit, parse_rational, size_in_bits,
    to_u64,
};
pub use text::{exact, scientific, short};
