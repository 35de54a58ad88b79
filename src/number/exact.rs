//! What can be taken for an exact number.

use rug::{Integer, Rational};

use super::{NumberError, parse_rational};

/// A value that stands for one exact number: a text such as `"9.4"`, `"1e-5"` or `"16384/50000"`, a whole number, or a
/// [`Rational`].
///
/// A double stands for the shortest decimal that reads back as the same double, which is what a person who wrote `0.1` meant: 1/10, not the
/// double next to it.
///
/// ```
/// use dpcmp::Exact;
/// use dpcmp::rug::Rational;
///
/// assert_eq!("1e-1".exact().unwrap(), Rational::from((1, 10)));
/// assert_eq!(0.1.exact().unwrap(), Rational::from((1, 10)));
/// assert!(f64::NAN.exact().is_err());
/// ```
pub trait Exact {
    /// The number.
    ///
    /// # Errors
    /// If it stands for none.
    fn exact(self) -> Result<Rational, NumberError>;
}

impl Exact for &str {
    fn exact(self) -> Result<Rational, NumberError> {
        parse_rational(self)
    }
}

impl Exact for String {
    fn exact(self) -> Result<Rational, NumberError> {
        parse_rational(&self)
    }
}

impl Exact for &String {
    fn exact(self) -> Result<Rational, NumberError> {
        parse_rational(self)
    }
}

impl Exact for &Rational {
    fn exact(self) -> Result<Rational, NumberError> {
        Ok(self.clone())
    }
}

macro_rules! exact {
    ($($number:ty),*) => {
        $(impl Exact for $number {
            fn exact(self) -> Result<Rational, NumberError> {
                Ok(Rational::from(self))
            }
        })*
    };
}

exact!(
    Rational, Integer, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);
