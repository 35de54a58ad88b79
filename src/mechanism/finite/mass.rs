//! A probability that is an exact rational, or a real that can be enclosed at any precision.

use std::fmt;
use std::sync::Arc;

use rug::Rational;

use crate::kernel::Interval;

/// A number in [0, 1].
#[derive(Clone)]
pub enum Mass {
    /// Known exactly.
    Exact(Rational),
    /// A function that encloses it at a given precision.
    Real(Arc<dyn Fn(u32) -> Interval + Send + Sync>),
}

impl Mass {
    /// Zero.
    pub fn zero() -> Self {
        Self::Exact(Rational::new())
    }

    /// A real given by its enclosures.
    pub fn real(enclose: impl Fn(u32) -> Interval + Send + Sync + 'static) -> Self {
        Self::Real(Arc::new(enclose))
    }

    /// Encloses the mass.
    pub fn enclose(&self, bits: u32) -> Interval {
        match self {
            Self::Exact(x) => Interval::from_rational(x, bits),
            Self::Real(enclose) => enclose(bits).in_unit(),
        }
    }

    /// The mass itself, where it is known to be rational.
    pub fn exact(&self) -> Option<&Rational> {
        match self {
            Self::Exact(x) => Some(x),
            Self::Real(_) => None,
        }
    }

    /// Is it known to be 0?
    pub fn is_zero(&self) -> bool {
        self.exact().is_some_and(|x| *x == 0)
    }

    /// `factor` times the mass.
    #[must_use]
    pub fn scaled(&self, factor: &Rational) -> Self {
        match self {
            Self::Exact(x) => Self::Exact(Rational::from(x * factor)),
            Self::Real(enclose) => {
                let (enclose, factor) = (Arc::clone(enclose), factor.clone());
                Self::real(move |bits| enclose(bits).mul(&Interval::from_rational(&factor, bits)))
            }
        }
    }

    /// The sum of two masses.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Self::Exact(Rational::from(a + b)),
            (Self::Exact(a), _) if *a == 0 => other.clone(),
            (_, Self::Exact(b)) if *b == 0 => self.clone(),
            _ => {
                let (a, b) = (self.clone(), other.clone());
                Self::real(move |bits| a.enclose(bits).add(&b.enclose(bits)))
            }
        }
    }
}

impl fmt::Debug for Mass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(x) => write!(f, "{x}"),
            Self::Real(enclose) => write!(f, "about {:.6e}", enclose(64).lo()),
        }
    }
}
