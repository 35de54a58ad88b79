//! How many runs there are, by the generating function Ψ(x) = E[x^K].

use rug::Rational;

use crate::kernel::Interval;
use crate::mechanism::domain::{Domain, OutOfRange};

/// The law of the number of runs K, by its mean E\[K\].
///
/// With (1 − γ)^k·c_k as the probability of k runs up to a factor, the mean falls with γ: the law is an exponential family in log(1 − γ).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Runs {
    /// K ≥ 1: after each run it ends with probability γ = 1/mean.
    Geometric {
        /// At least 1.
        mean: Rational,
    },
    /// K ≥ 1: k runs with probability (1 − γ)^k/(k·log(1/γ)); the mean is (1/γ − 1)/log(1/γ).
    Logarithmic {
        /// Above 1.
        mean: Rational,
    },
    /// K ≥ 1: the negative binomial law with this shape η, given that it is not 0: k runs with probability
    /// (1 − γ)^k/(γ^−η − 1)·Π_{l<k} (l + η)/(l + 1); the mean is η(1 − γ)/(γ(1 − γ^η)).
    NegativeBinomial {
        /// Above 1.
        mean: Rational,
        /// η > −1, not 0.
        shape: Rational,
    },
    /// K ≥ 0: with no run at all nothing is released.
    Poisson {
        /// Above 0.
        mean: Rational,
    },
}

/// The kind of a law of the number of runs, by its word in files.
pub const RUNS_KINDS: [&str; 4] = ["geometric", "logarithmic", "negative-binomial", "poisson"];

/// A mean beyond this is refused.
const LARGEST_MEAN: u64 = 1_000_000_000_000;
/// Halvings of γ in search of a lower bound.
const MOST_HALVINGS: u32 = 4_096;

impl Runs {
    /// `mean ≥ 1`.
    ///
    /// # Errors
    /// If it is out of its range.
    pub fn geometric(mean: Rational) -> Result<Self, OutOfRange> {
        Domain::AtLeastOne.hold("mean", &mean)?;
        not_too_many(&mean)?;
        Ok(Self::Geometric { mean })
    }

    /// `mean > 1`.
    ///
    /// # Errors
    /// If it is out of its range.
    pub fn logarithmic(mean: Rational) -> Result<Self, OutOfRange> {
        Domain::AboveOne.hold("mean", &mean)?;
        not_too_many(&mean)?;
        Ok(Self::Logarithmic { mean })
    }

    /// `mean > 1`, `shape > −1` and not 0, which is the logarithmic law.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn negative_binomial(mean: Rational, shape: Rational) -> Result<Self, OutOfRange> {
        Domain::AboveOne.hold("mean", &mean)?;
        not_too_many(&mean)?;
        if shape <= -1 || shape == 0 || shape > 1_000_000 {
            let must = "must be above -1, at most 1000000, and not 0";
            return Err(OutOfRange::new("shape", must).help(
                "a shape of 0 is `kind = \"logarithmic\"`, a shape of 1 `kind = \"geometric\"`",
            ));
        }
        if shape == 1 {
            return Self::geometric(mean);
        }
        Ok(Self::NegativeBinomial { mean, shape })
    }

    /// `mean > 0`.
    ///
    /// # Errors
    /// If it is out of its range.
    pub fn poisson(mean: Rational) -> Result<Self, OutOfRange> {
        Domain::Positive.hold("mean", &mean)?;
        not_too_many(&mean)?;
        Ok(Self::Poisson { mean })
    }

    /// E\[K\].
    pub fn mean(&self) -> &Rational {
        match self {
            Self::Geometric { mean }
            | Self::Logarithmic { mean }
            | Self::NegativeBinomial { mean, .. }
            | Self::Poisson { mean } => mean,
        }
    }

    /// η of a negative binomial law other than the geometric one.
    pub fn shape(&self) -> Option<&Rational> {
        match self {
            Self::NegativeBinomial { shape, .. } => Some(shape),
            Self::Geometric { .. } | Self::Logarithmic { .. } | Self::Poisson { .. } => None,
        }
    }

    /// The word in files.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Geometric { .. } => "geometric",
            Self::Logarithmic { .. } => "logarithmic",
            Self::NegativeBinomial { .. } => "negative-binomial",
            Self::Poisson { .. } => "poisson",
        }
    }

    /// Ψ(x) exactly, for the geometric law: γx/(1 − (1 − γ)x).
    ///
    /// Requires: 0 ≤ x ≤ 1.
    pub(super) fn exact(&self, x: &Rational) -> Option<Rational> {
        let Self::Geometric { mean } = self else {
            return None;
        };
        // With γ = 1/m: x/(m − (m − 1)x).
        let below = mean - Rational::from(mean - 1u32) * x;
        Some(x / below)
    }

    /// What Ψ needs, at so many bits.
    pub(super) fn at(&self, bits: u32) -> Option<RunsAt> {
        let mean = Interval::from_rational(self.mean(), bits);
        let one = Interval::one(bits);
        Some(match self {
            Self::Geometric { .. } => RunsAt::Truncated {
                gamma: one.div(&mean),
                shape: Shape::One,
            },
            Self::Logarithmic { mean } => {
                let of = |gamma: &Interval| {
                    let log = gamma.ln().neg();
                    gamma.recip().sub(&Interval::one(bits)).div(&log)
                };
                RunsAt::Truncated {
                    gamma: solved(mean, bits, of)?,
                    shape: Shape::Zero,
                }
            }
            Self::NegativeBinomial { mean, shape } => {
                let shape = Interval::from_rational(shape, bits);
                let of = |gamma: &Interval| {
                    let below = shape.mul(&gamma.ln()).exp_m1().neg();
                    shape.mul(&gamma.one_minus()).div(&gamma.mul(&below))
                };
                let gamma = solved(mean, bits, of)?;
                RunsAt::Truncated {
                    gamma,
                    shape: Shape::Other(shape),
                }
            }
            Self::Poisson { .. } => RunsAt::Poisson { mean },
        })
    }
}

/// The γ in (0, 1) where the mean, which falls with it, is this.
fn solved(mean: &Rational, bits: u32, of: impl Fn(&Interval) -> Interval) -> Option<Interval> {
    let bits = bits.saturating_add(32);
    let is_above = |gamma: &Rational| {
        let found = of(&Interval::from_rational(gamma, bits));
        Some(found.compare(mean)? == std::cmp::Ordering::Greater)
    };
    let (mut low, mut high) = (Rational::from((1, 2)), Rational::from(1));
    let mut rounds = 0u32;
    while is_above(&low) != Some(true) {
        if is_above(&low) == Some(false) {
            high.clone_from(&low);
        }
        low /= 2u32;
        rounds = rounds.checked_add(1).filter(|n| *n < MOST_HALVINGS)?;
    }
    for _ in 0..bits {
        let middle = Rational::from(&low + &high) / 2u32;
        match is_above(&middle) {
            Some(true) => low = middle,
            Some(false) => high = middle,
            None => break,
        }
    }
    let end = |x: &Rational| Interval::from_rational(x, bits);
    Some(end(&low).hull(&end(&high)))
}

fn not_too_many(mean: &Rational) -> Result<(), OutOfRange> {
    if *mean > LARGEST_MEAN {
        return Err(OutOfRange::new("mean", "must be at most 1e12"));
    }
    Ok(())
}

/// A law of the number of runs at some precision.
pub(super) enum RunsAt {
    /// Ψ(x) = ((1 − (1 − γ)x)^−η − 1)/(γ^−η − 1), and log(1 − (1 − γ)x)/log γ for η = 0.
    Truncated { gamma: Interval, shape: Shape },
    /// Ψ(x) = e^{μ(x − 1)}.
    Poisson { mean: Interval },
}

/// η.
pub(super) enum Shape {
    Zero,
    One,
    Other(Interval),
}

impl RunsAt {
    /// Ψ(x + p) − Ψ(x), without cancellation.
    ///
    /// Requires: 0 ≤ x ≤ x + p ≤ 1.
    pub(super) fn rise(&self, x: &Interval, p: &Interval) -> Interval {
        match self {
            Self::Truncated { gamma, shape } => {
                let rest = gamma.one_minus();
                // D(x) = 1 − (1 − γ)x = γ + (1 − γ)(1 − x), and log(D(x + p)/D(x)).
                let at = gamma.add(&rest.mul(&x.one_minus().in_unit()));
                let step = rest.mul(p).div(&at).neg().ln_1p();
                match shape {
                    Shape::Zero => step.div(&gamma.ln()),
                    // γp/(D(x)·D(x + p)).
                    Shape::One => {
                        let next = gamma.add(&rest.mul(&x.add(p).one_minus().in_unit()));
                        gamma.mul(p).div(&at.mul(&next))
                    }
                    Shape::Other(shape) => {
                        let power = shape.mul(&at.ln()).neg().exp();
                        let up = shape.mul(&step).neg().exp_m1();
                        let total = shape.mul(&gamma.ln()).neg().exp_m1();
                        power.mul(&up).div(&total)
                    }
                }
            }
            Self::Poisson { mean } => {
                let start = mean.mul(&x.one_minus().in_unit()).neg().exp();
                start.mul(&mean.mul(p).exp_m1())
            }
        }
        .in_unit()
    }

    /// P(K = 0) = Ψ(0).
    pub(super) fn none(&self, bits: u32) -> Interval {
        match self {
            Self::Truncated { .. } => Interval::zero(bits),
            Self::Poisson { mean } => mean.neg().exp(),
        }
    }

    /// Ψ'(x)/Ψ'(y), with 1 − x and 1 − y given: ((γ + (1 − γ)(1 − y))/(γ + (1 − γ)(1 − x)))^{η + 1}, and e^{μ(x − y)}.
    pub(super) fn slopes(&self, x_less: &Interval, y_less: &Interval) -> Interval {
        match self {
            Self::Truncated { gamma, shape } => {
                let rest = gamma.one_minus();
                let at = |less: &Interval| gamma.add(&rest.mul(less));
                let ratio = at(y_less).div(&at(x_less));
                match shape {
                    Shape::Zero => ratio,
                    Shape::One => ratio.square(),
                    Shape::Other(shape) => {
                        let power = shape.add(&Interval::one(shape.bits()));
                        power.mul(&ratio.ln()).exp()
                    }
                }
            }
            Self::Poisson { mean } => mean.mul(&y_less.sub(x_less)).exp(),
        }
    }
}
