//! ε, given as a number or as e^ε: exact in one of the two names.

use std::cmp::Ordering;
use std::fmt;

use rug::{Integer, Rational};

use super::domain::{Domain, OutOfRange, exact};
use super::finite::Loss;
use crate::kernel::{Interval, Point};
use crate::number::{Exact, short};

/// An exact ε: a rational number, or the logarithm of one.
///
/// Two that are stated differently differ, also `0` and `log 1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Epsilon {
    stated: StatedEpsilon,
}

/// How an ε is stated.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StatedEpsilon {
    /// ε itself.
    Number(Rational),
    /// e^ε > 0.
    Exp(Rational),
}

/// What can be taken for an ε: an [`Epsilon`], or an [`Exact`] number.
pub trait ExactEpsilon {
    /// The ε.
    ///
    /// # Errors
    /// If it stands for none.
    fn exact_epsilon(self) -> Result<Epsilon, OutOfRange>;
}

impl ExactEpsilon for Epsilon {
    fn exact_epsilon(self) -> Result<Epsilon, OutOfRange> {
        Ok(self)
    }
}

impl ExactEpsilon for &Epsilon {
    fn exact_epsilon(self) -> Result<Epsilon, OutOfRange> {
        Ok(self.clone())
    }
}

impl<T: Exact> ExactEpsilon for T {
    fn exact_epsilon(self) -> Result<Epsilon, OutOfRange> {
        exact("epsilon", self).map(Epsilon::from)
    }
}

impl From<Rational> for Epsilon {
    fn from(epsilon: Rational) -> Self {
        Self {
            stated: StatedEpsilon::Number(epsilon),
        }
    }
}

/// ε, or "log u".
impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => write!(f, "{epsilon}"),
            StatedEpsilon::Exp(u) => write!(f, "log {u}"),
        }
    }
}

impl Epsilon {
    /// 0.
    pub fn zero() -> Self {
        Self::from(Rational::new())
    }

    /// log u.
    ///
    /// # Errors
    /// If u is not above 0.
    pub fn log_of(u: Rational) -> Result<Self, OutOfRange> {
        Ok(Self {
            stated: StatedEpsilon::Exp(Domain::Positive.check("exp-epsilon", u)?),
        })
    }

    /// The same, if it is at least 0.
    ///
    /// # Errors
    /// If it is not.
    pub fn non_negative(self) -> Result<Self, OutOfRange> {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => Domain::NonNegative.hold("epsilon", epsilon)?,
            StatedEpsilon::Exp(u) => Domain::AtLeastOne.hold("exp-epsilon", u)?,
        }
        Ok(self)
    }

    /// How it is stated.
    pub fn stated(&self) -> &StatedEpsilon {
        &self.stated
    }

    /// The key in a file, and the number beside it.
    pub fn entry(&self) -> (&'static str, &Rational) {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => ("epsilon", epsilon),
            StatedEpsilon::Exp(u) => ("exp-epsilon", u),
        }
    }

    /// In a few words: "0.5", "log 3".
    pub fn words(&self) -> String {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => short(epsilon),
            StatedEpsilon::Exp(u) => format!("log {}", short(u)),
        }
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => *epsilon == 0,
            StatedEpsilon::Exp(u) => *u == 1,
        }
    }

    /// Is it below 0?
    pub fn is_negative(&self) -> bool {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => *epsilon < 0,
            StatedEpsilon::Exp(u) => *u < 1,
        }
    }

    /// ε, where it is rational: a log u ≠ log 1 is not.
    pub fn exact(&self) -> Option<Rational> {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => Some(epsilon.clone()),
            StatedEpsilon::Exp(u) => (*u == 1).then(Rational::new),
        }
    }

    /// e^ε, where it is rational: e^ε of a rational ε ≠ 0 is not.
    pub fn exact_exp(&self) -> Option<Rational> {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => (*epsilon == 0).then(|| Rational::from(1)),
            StatedEpsilon::Exp(u) => Some(u.clone()),
        }
    }

    /// −ε.
    #[must_use]
    pub fn opposite(&self) -> Self {
        let stated = match &self.stated {
            StatedEpsilon::Number(epsilon) => StatedEpsilon::Number(Rational::from(-epsilon)),
            StatedEpsilon::Exp(u) => StatedEpsilon::Exp(u.clone().recip()),
        };
        Self { stated }
    }

    /// The place on the loss axis, with what is exact of it.
    pub fn place(&self, bits: u32) -> Point {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => Point::at_epsilon(epsilon, bits),
            StatedEpsilon::Exp(u) => Point::at_exp_epsilon(u, bits),
        }
    }

    /// Encloses ε.
    pub fn enclose(&self, bits: u32) -> Interval {
        self.loss().enclose(bits)
    }

    /// Is it the exact place of this point? A `false` may also mean that it could not be told.
    pub(crate) fn is_at(&self, point: &Point) -> bool {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => point.exact_log() == Some(epsilon),
            StatedEpsilon::Exp(u) => point.exact_exp() == Some(u),
        }
    }

    /// ε as a loss of a finite pair.
    pub fn loss(&self) -> Loss {
        match &self.stated {
            StatedEpsilon::Number(epsilon) => Loss::rational(epsilon.clone()),
            StatedEpsilon::Exp(u) => Loss::log_of(u.clone()),
        }
    }

    /// The true order, where a bounded number of bits decides it; always if both are stated in the same way.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        self.loss().compare(&other.loss())
    }

    /// A rational number that is at most ε, by less than 2^−60 of max(1, |ε|).
    ///
    /// Ensures: ≤ ε; equal where ε is rational.
    pub fn rational_down(&self) -> Rational {
        match self.exact() {
            Some(epsilon) => epsilon,
            None => self
                .enclose(BITS)
                .lo()
                .to_rational()
                .unwrap_or_else(|| self.whole_down()),
        }
    }

    /// As [`Epsilon::rational_down`], at least ε.
    ///
    /// Ensures: ≥ ε; equal where ε is rational.
    pub fn rational_up(&self) -> Rational {
        -self.opposite().rational_down()
    }

    /// log(n/d) ≥ −log d ≥ −(bits of d), for where no float holds it.
    fn whole_down(&self) -> Rational {
        let bits = match &self.stated {
            StatedEpsilon::Number(epsilon) => return epsilon.clone(),
            StatedEpsilon::Exp(u) => u.denom().significant_bits(),
        };
        Rational::from(-Integer::from(bits))
    }
}

/// Bits of a rational number near an ε.
const BITS: u32 = 128;

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::kernel::coarse::{FINE, Random, at_most_bits, few_bits};

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    fn log(n: i64, d: i64) -> Epsilon {
        Epsilon::log_of(q(n, d)).unwrap()
    }

    #[test]
    fn ranges() {
        assert!(Epsilon::log_of(q(0, 1)).is_err());
        assert!(log(1, 1).non_negative().is_ok());
        assert!(log(99, 100).non_negative().is_err());
        assert!(Epsilon::from(q(-1, 9)).non_negative().is_err());
        assert!(!log(1, 1).is_negative() && log(99, 100).is_negative());
        assert!(!Epsilon::from(q(0, 1)).is_negative() && Epsilon::from(q(-1, 9)).is_negative());
    }

    #[test]
    fn order_and_enclosures() {
        let number = |n, d| Epsilon::from(q(n, d));
        // log 3 = 1.0986122886681098…
        assert_eq!(
            log(3, 1).compare(&number(10_986, 10_000)),
            Some(Ordering::Greater)
        );
        assert_eq!(
            log(3, 1).compare(&number(10_987, 10_000)),
            Some(Ordering::Less)
        );
        assert_eq!(log(1, 1).compare(&Epsilon::zero()), Some(Ordering::Equal));
        assert_eq!(
            log(3, 1).compare(&log(2_999, 1_000)),
            Some(Ordering::Greater)
        );
        for epsilon in [log(3, 1), log(1, 3), log(1, 1), number(-2, 7)] {
            let (low, high) = (epsilon.rational_down(), epsilon.rational_up());
            let inside = epsilon.enclose(300);
            assert!(*inside.hi() >= low && *inside.lo() <= high, "{epsilon}");
            assert!(Rational::from(&high - &low) < q(1, 1 << 60), "{epsilon}");
            assert_eq!(epsilon.opposite().opposite(), epsilon);
        }
    }

    /// Rational numbers on either side of log u at few bits, and whole ones below it.
    #[test]
    fn sides_of_logarithms_at_few_bits() {
        let mut random = Random(73);
        for _ in 0..10_000 {
            let mut number = || Integer::from(1 + (random.word() >> (1 + random.below(62))));
            let u = Rational::from((number(), number()));
            let truth = Float::with_val(FINE, &u).ln();
            let epsilon = Epsilon::log_of(u).unwrap();
            let bits = few_bits(&mut random);
            let [low, high] =
                at_most_bits(bits, || [epsilon.rational_down(), epsilon.rational_up()]);
            assert!(
                low <= truth && high >= truth,
                "{epsilon} {bits}: {low} {high}"
            );
            assert!(epsilon.whole_down() <= truth, "{epsilon}");
        }
    }

    /// Where no float holds it, log(n/d) is still above minus the bits of d.
    #[test]
    fn whole_numbers_below() {
        for (n, d) in [(1, 8), (3, 7), (5, 1), (1, 1_000_000)] {
            let epsilon = log(n, d);
            assert!(epsilon.whole_down() <= epsilon.rational_down(), "{epsilon}");
        }
        assert_eq!(Epsilon::from(q(2, 7)).whole_down(), q(2, 7));
    }
}
