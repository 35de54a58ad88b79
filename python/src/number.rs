//! Numbers as integers in hexadecimal, of which Python makes fractions without rounding.

use dpcmp::Exact;
use dpcmp::rug::{Float, Rational};
use pyo3::prelude::*;

use super::failure::given;

/// `m · 2^e` as `(m, e)`, and ±∞ as `(None, ±1)`.
pub type End = (Option<String>, i32);

/// `p/q` as `(p, q)`.
pub type Fraction = (String, String);

/// One end of an enclosure.
pub fn end(value: &Float) -> End {
    match value.to_integer_exp() {
        Some((mantissa, exponent)) => (Some(mantissa.to_string_radix(16)), exponent),
        None if value.is_sign_negative() => (None, -1),
        None => (None, 1),
    }
}

/// The number that a text stands for, read as everywhere.
#[pyfunction]
pub fn exact_number(py: Python<'_>, text: &str, name: &str) -> PyResult<Fraction> {
    given(py, text.exact(), name).map(|value| fraction(&value))
}

/// A fraction.
pub fn fraction(value: &Rational) -> Fraction {
    let hexadecimal = |integer: &dpcmp::rug::Integer| integer.to_string_radix(16);
    (hexadecimal(value.numer()), hexadecimal(value.denom()))
}
