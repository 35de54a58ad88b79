//! Losses of finite pairs as exact formal numbers, so that equal ones can be recognised.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use crate::kernel::Interval;
use crate::mechanism::release::Release;

/// The real number a + log g + t with a last term t that is not rational, written so that equal numbers of this form look equal as far as
/// dpcmp needs to merge them. Numbers that look different may still be equal only if one has a last term; then their order stays undecided,
/// and there is no law.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    rational: Rational,
    ratio: Rational,
    term: Option<Term>,
}

/// The last term of a loss.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Term {
    Affine(Affine),
    /// log(1 − δ₀) for the probability δ₀ of a release, or minus that.
    NotReleased {
        of: Release,
        is_negated: bool,
    },
}

/// log(m + n·e^x) with coprime m, n ≥ 1 and x > 0, or minus that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Affine {
    pub(crate) constant: Integer,
    pub(crate) slope: Integer,
    pub(crate) exponent: Rational,
    pub(crate) is_negated: bool,
}

impl Loss {
    /// A rational loss.
    pub fn rational(a: Rational) -> Self {
        Self {
            rational: a,
            ratio: Rational::from(1),
            term: None,
        }
    }

    /// log g.
    ///
    /// Requires: `g > 0`.
    pub fn log_of(g: Rational) -> Self {
        Self {
            rational: Rational::new(),
            ratio: g,
            term: None,
        }
    }

    /// a + log g + log(m + e^x), for whole m ≥ 1.
    ///
    /// Requires: `g > 0`, `x > 0`.
    pub(crate) fn log_of_sum(a: Rational, g: Rational, m: Integer, x: Rational) -> Self {
        Self {
            rational: a,
            ratio: g,
            term: Some(Term::Affine(Affine {
                constant: m,
                slope: Integer::from(1),
                exponent: x,
                is_negated: false,
            })),
        }
    }

    /// Minus this loss: that of the pair in the other order.
    pub(crate) fn negated(self) -> Self {
        Self {
            rational: -self.rational,
            ratio: self.ratio.recip(),
            term: self.term.map(Term::negated),
        }
    }

    /// log(1 − δ₀) for the probability δ₀ of a release; minus that if the release is without the record.
    pub(crate) fn not_released(of: &Release, with_record: bool) -> Self {
        Self {
            rational: Rational::new(),
            ratio: Rational::from(1),
            term: Some(Term::NotReleased {
                of: of.clone(),
                is_negated: !with_record,
            }),
        }
    }

    /// log(1 − r + r·e^self): the loss after Poisson subsampling. `None` if it has no form known here.
    ///
    /// Requires: `0 < rate ≤ 1`.
    pub fn subsampled(&self, rate: &Rational) -> Option<Self> {
        if *rate == 1 {
            return Some(self.clone());
        }
        let rest = Rational::from(1 - rate);
        if let Some(g) = self.as_ratio() {
            return Some(Self::log_of(rest + Rational::from(rate * g)));
        }
        let x = self.as_rational()?;
        // 1 − r + r·e^x = e^x·(r + (1 − r)·e^{−x}): the exponent is made positive.
        let (shift, constant, slope, exponent) = if *x > 0 {
            (Rational::new(), rest, rate.clone(), x.clone())
        } else {
            (x.clone(), rate.clone(), rest, Rational::from(-x))
        };
        let content = gcd(&constant, &slope);
        Some(Self {
            rational: shift,
            term: Some(Term::Affine(Affine {
                constant: Rational::from(&constant / &content).into_numer_denom().0,
                slope: Rational::from(&slope / &content).into_numer_denom().0,
                exponent,
                is_negated: false,
            })),
            ratio: content,
        })
    }

    /// The loss itself, where it is rational.
    pub fn as_rational(&self) -> Option<&Rational> {
        (self.term.is_none() && self.ratio == 1).then_some(&self.rational)
    }

    /// e^loss, where it is rational.
    pub fn as_ratio(&self) -> Option<&Rational> {
        (self.term.is_none() && self.rational == 0).then_some(&self.ratio)
    }

    pub(crate) fn terms(&self) -> (&Rational, &Rational, Option<&Term>) {
        (&self.rational, &self.ratio, self.term.as_ref())
    }

    /// Encloses the loss.
    pub fn enclose(&self, bits: u32) -> Interval {
        let mut sum = Interval::from_rational(&self.rational, bits);
        if self.ratio != 1 {
            sum = sum.add(&log_of_rational(&self.ratio, bits));
        }
        match &self.term {
            Some(term) => sum.add(&term.enclose(bits)),
            None => sum,
        }
    }

    /// The true order, where a bounded number of bits decides it.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self == other {
            return Some(Ordering::Equal);
        }
        if self.ratio == other.ratio && self.term == other.term {
            return Some(self.rational.cmp(&other.rational));
        }
        if self.rational == other.rational && self.term == other.term {
            return Some(self.ratio.cmp(&other.ratio));
        }
        [128, 512, 2048, 8192].into_iter().find_map(|bits| {
            let (a, b) = (self.enclose(bits), other.enclose(bits));
            if a.certainly_lt(&b) {
                Some(Ordering::Less)
            } else if b.certainly_lt(&a) {
                Some(Ordering::Greater)
            } else {
                None
            }
        })
    }
}

impl Term {
    fn negated(self) -> Self {
        match self {
            Self::Affine(affine) => Self::Affine(Affine {
                is_negated: !affine.is_negated,
                ..affine
            }),
            Self::NotReleased { of, is_negated } => Self::NotReleased {
                of,
                is_negated: !is_negated,
            },
        }
    }

    pub(crate) fn enclose(&self, bits: u32) -> Interval {
        match self {
            Self::Affine(affine) => affine.enclose(bits),
            Self::NotReleased { of, is_negated } => {
                let log = of.log_of_rest(bits);
                if *is_negated { log.neg() } else { log }
            }
        }
    }
}

impl Affine {
    fn enclose(&self, bits: u32) -> Interval {
        let slope = Interval::from_integer(&self.slope, bits);
        let constant = Interval::from_integer(&self.constant, bits);
        let exponential = Interval::from_rational(&self.exponent, bits).exp();
        let log = slope.mul(&exponential).add(&constant).ln();
        if self.is_negated { log.neg() } else { log }
    }
}

/// log g for g > 0, accurate also close to g = 1.
pub(crate) fn log_of_rational(g: &Rational, bits: u32) -> Interval {
    let above_one = Rational::from(g - 1);
    if above_one.clone().abs() < Rational::from((1, 2)) {
        Interval::from_rational(&above_one, bits).ln_1p()
    } else {
        Interval::from_rational(g, bits).ln()
    }
}

/// The largest rational of which both are integer multiples; 0 if both are 0.
pub(crate) fn gcd(a: &Rational, b: &Rational) -> Rational {
    let numerator = Integer::from(a.numer().gcd_ref(b.numer()));
    let denominator = Integer::from(a.denom().lcm_ref(b.denom()));
    Rational::from((numerator, denominator))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    #[test]
    fn subsampled_losses_are_enclosed_and_canonical() {
        for (n, d) in [(3, 1), (-3, 1), (1, 7), (0, 1)] {
            let loss = Loss::rational(q(n, d)).subsampled(&q(1, 10)).unwrap();
            let direct = Interval::from_rational(&q(n, d), 200)
                .exp_m1()
                .mul(&Interval::from_rational(&q(1, 10), 200))
                .ln_1p();
            assert!(loss.enclose(150).intersect(&direct).is_ok(), "{n}/{d}");
            assert!(loss.enclose(150).width_up() < 1e-40);
            // And in the other order.
            let minus = loss.clone().negated();
            assert!(
                minus.enclose(150).intersect(&direct.neg()).is_ok(),
                "{n}/{d}"
            );
            assert_eq!(minus.negated(), loss);
        }
        // log((1 + e)/2) − log((1 + 1/e)/2) = 1 exactly.
        let up = Loss::rational(q(1, 1)).subsampled(&q(1, 2)).unwrap();
        let down = Loss::rational(q(-1, 1)).subsampled(&q(1, 2)).unwrap();
        assert_eq!((&up.ratio, &up.term), (&down.ratio, &down.term));
        assert_eq!(Rational::from(&up.rational - &down.rational), 1);
        assert_eq!(up.compare(&down), Some(Ordering::Greater));
    }

    #[test]
    fn ratios_stay_ratios() {
        let loss = Loss::log_of(q(3, 1)).subsampled(&q(1, 2)).unwrap();
        assert_eq!(loss.as_ratio(), Some(&q(2, 1)));
        assert_eq!(Loss::rational(q(0, 1)).as_ratio(), Some(&q(1, 1)));
        assert_eq!(
            Loss::log_of(q(3, 1)).compare(&Loss::rational(q(11, 10))),
            Some(Ordering::Less)
        );
    }

    #[test]
    fn gcd_of_rationals() {
        assert_eq!(gcd(&q(1, 10), &q(1, 3)), q(1, 30));
        assert_eq!(gcd(&q(-3, 2), &q(9, 4)), q(3, 4));
        assert_eq!(gcd(&q(0, 1), &q(5, 7)), q(5, 7));
    }

    /// Losses with other terms are compared as numbers, even if all else is the same.
    #[test]
    fn terms_decide_where_the_rest_is_the_same() {
        let half = Rational::from((1, 2));
        let sampled = |n: i64| Loss::rational(Rational::from(n)).subsampled(&half).unwrap();
        let (one, two) = (sampled(1), sampled(2));
        assert!(one.ratio == two.ratio && one.rational == two.rational);
        assert_eq!(one.compare(&two), Some(Ordering::Less));
        assert_eq!(two.compare(&one), Some(Ordering::Greater));
        let (low, high) = (sampled(-2), sampled(-1));
        assert_eq!(low.compare(&high), Some(Ordering::Less));
        // (1 + e)/2 is 1.859…, and its logarithm is below 1.
        assert_eq!(
            one.compare(&Loss::rational(Rational::from(1))),
            Some(Ordering::Less)
        );
        assert_eq!(
            one.compare(&Loss::log_of(Rational::from((185, 100)))),
            Some(Ordering::Greater)
        );
        assert_eq!(
            one.compare(&Loss::log_of(Rational::from((186, 100)))),
            Some(Ordering::Less)
        );
    }
}
