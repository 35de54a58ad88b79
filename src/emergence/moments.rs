//! Moments of the privacy loss of one step, under both laws of its pair.

use rug::{Float, Rational};

use super::quadrature;
use super::step::{Pair, Step};
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, InvariantViolation, normal};
use crate::mechanism::finite::FiniteLaw;

/// Precision of the closed forms and of finite sums.
const BITS: u32 = 256;
/// Moments less narrow than a relative 2^-30, about 1e-9, are not given.
const LEAST_BITS: u32 = 30;

/// Moments of the loss L = log dQ/dP under one of the two laws, in nats.
#[derive(Debug, Clone)]
pub struct LossMoments {
    /// E L.
    pub mean: Interval,
    /// E L².
    pub second: Interval,
    /// Var L = E L² − (E L)² ≥ 0.
    pub variance: Interval,
    /// E|L − E L|³, the third absolute central moment.
    pub third_central: Interval,
    /// E|L|³, the third absolute moment.
    pub third_absolute: Interval,
}

/// Moments of one step's privacy loss L = log dQ/dP for the pair (P, Q) as written, P without the record.
///
/// With f = T(P, Q), log|f'| is L as seen under P (Kaissis et al. 2024 §4 integrates over x ~ uniform, which is P's quantile), so the
/// paper's v₁ … v₄ are moments under P alone.
#[derive(Debug, Clone)]
pub struct StepMoments {
    /// Under P, without the record.
    pub null: LossMoments,
    /// Under Q, with the record.
    pub alternative: LossMoments,
    /// Is L normal under both laws (Gaussian noise)? Then sums of it are, too.
    pub is_normal: bool,
}

/// Why the moments of the steps prove nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMoments {
    /// An outcome of one law is impossible under the other.
    #[error("the privacy loss is infinite with positive probability, so v1 to v4 are infinite")]
    InfiniteLoss,
    /// The two laws are equal.
    #[error("the step reveals nothing: its two laws are equal")]
    NoInformation,
    /// The first mechanism counts in one order of its pair, the second in both, and its step is not symmetric.
    #[error(
        "the first mechanism is taken in one direction and the second, which is not symmetric, in both: its error is the \
         smaller of two, and only one of them can be bounded; give both mechanisms the same adjacency"
    )]
    OneWay,
    /// Nothing computes them yet.
    #[error("{0}")]
    Unsupported(String),
}

impl StepMoments {
    /// v₁ = −∫₀¹ log|f'| = KL(P‖Q) (Kaissis et al. 2024 equation 9).
    pub fn v1(&self) -> Interval {
        self.null.mean.neg()
    }

    /// v₂ = ∫₀¹ log²|f'| = E_P L² (Kaissis et al. 2024 equation 10).
    pub fn v2(&self) -> &Interval {
        &self.null.second
    }

    /// v₃ = ∫₀¹ |log|f'| + v₁|³ = E_P|L − E_P L|³ (Kaissis et al. 2024 equation 11).
    pub fn v3(&self) -> &Interval {
        &self.null.third_central
    }

    /// v₄ = ∫₀¹ |log|f'||³ = E_P|L|³, a third absolute moment (Kaissis et al. 2024 equation 12).
    pub fn v4(&self) -> &Interval {
        &self.null.third_absolute
    }

    /// η = v₁/√(v₂ − v₁²) (Kaissis et al. 2024 equation 8).
    pub fn eta(&self) -> Interval {
        self.v1().div(&self.null.variance.sqrt())
    }

    /// Is every moment known to a relative width of 2^−bits?
    pub(super) fn is_narrow(&self, bits: u32) -> bool {
        [&self.null, &self.alternative].into_iter().all(|side| {
            [
                &side.mean,
                &side.second,
                &side.variance,
                &side.third_central,
                &side.third_absolute,
            ]
            .into_iter()
            .all(|x| {
                let size = x.lo().clone().abs();
                x.width_up() <= Float::with_val(x.bits(), size >> bits)
            })
        })
    }

    /// The moments of the swapped pair (Q, P), whose loss is −L.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let mirrored = |side: &LossMoments| LossMoments {
            mean: side.mean.neg(),
            ..side.clone()
        };
        Self {
            null: mirrored(&self.alternative),
            alternative: mirrored(&self.null),
            is_normal: self.is_normal,
        }
    }
}

impl LossMoments {
    /// E|L − E L|³/(Var L)^{3/2} ≥ 1, what the Berry–Esseen theorem asks for.
    pub fn skewness_ratio(&self) -> Interval {
        let deviation = self.variance.sqrt();
        self.third_central
            .div(&self.variance.mul(&deviation))
            .max(&Interval::one(deviation.bits()))
    }
}

/// Encloses the moments of a step's privacy loss, to a relative width of 1e-9 or less.
///
/// Ensures: every field of the answer contains the true moment.
///
/// # Errors
/// If the budget ends, or an internal check fails.
pub fn step_moments(
    step: &Step,
    budget: &Budget,
) -> Result<Result<StepMoments, NoMoments>, Failure> {
    let moments = match step.pair() {
        Pair::Gaussian { square } if *square == 0 => Err(NoMoments::NoInformation),
        Pair::Gaussian { square } => Ok(gaussian(square)),
        Pair::Noise { noise, rate } => Ok(quadrature::moments(noise, rate, budget)?),
        Pair::Finite(law) => finite(law),
    };
    let moments = match moments {
        Ok(moments) => moments,
        Err(reason) => return Ok(Err(reason)),
    };
    check(&moments)?;
    if moments.null.variance.is_zero() || moments.alternative.variance.is_zero() {
        // A constant loss is 0, because E_P e^L = 1.
        return Ok(Err(NoMoments::NoInformation));
    }
    let has_variance =
        moments.null.variance.is_positive() && moments.alternative.variance.is_positive();
    if !(has_variance && moments.is_narrow(LEAST_BITS)) {
        let reason = "the moments of the step's privacy loss are too small to be enclosed";
        return Ok(Err(NoMoments::Unsupported(reason.to_owned())));
    }
    Ok(Ok(if step.is_swapped() {
        moments.swapped()
    } else {
        moments
    }))
}

/// L is normal with mean ∓μ²/2 and variance μ².
fn gaussian(square: &Rational) -> StepMoments {
    let variance = Interval::from_rational(square, BITS);
    let mean = Interval::from_rational(&Rational::from(square / 2), BITS);
    let mu = variance.sqrt();
    let cube = variance.mul(&mu);
    let number = |n: i64| Interval::from_i64(n, BITS);
    let root = Interval::between_or_line(d::sqrt_two_pi_down(BITS), d::sqrt_two_pi_up(BITS));
    // E|a + Z|³ = (a³ + 3a)(1 − 2Φ(−a)) + 2(a² + 2)φ(a) with a = μ/2; for a = 0 it is 4/√(2π).
    let a = mu.div(&number(2));
    let centre = number(2).mul(&normal::survival(&a)).one_minus();
    let odd = a.mul(&a.square().add(&number(3))).mul(&centre);
    let even = number(2)
        .mul(&a.square().add(&number(2)))
        .mul(&normal::density(&a));
    let alternative = LossMoments {
        second: variance.add(&mean.square()),
        third_central: cube.mul(&number(4)).div(&root),
        third_absolute: cube.mul(&odd.add(&even)),
        mean,
        variance,
    };
    let null = LossMoments {
        mean: alternative.mean.neg(),
        ..alternative.clone()
    };
    StepMoments {
        null,
        alternative,
        is_normal: true,
    }
}

fn finite(law: &FiniteLaw) -> Result<StepMoments, NoMoments> {
    if !(law.infinite().is_zero() && law.null_only().is_zero()) {
        return Err(NoMoments::InfiniteLoss);
    }
    let numbers = law.numbers(BITS);
    let side = |masses: &[Interval]| {
        let mean_of = |g: &dyn Fn(&Interval) -> Interval| {
            let terms = numbers.positions.iter().zip(masses);
            terms.fold(Interval::zero(BITS), |sum, (loss, mass)| {
                sum.add(&mass.mul(&g(loss)))
            })
        };
        let mean = mean_of(&Interval::clone);
        let second = mean_of(&Interval::square);
        LossMoments {
            // About the mean: E L² − (E L)² loses a variance far below (E L)², as of randomised response with a large ε.
            variance: mean_of(&|loss| loss.sub(&mean).square()),
            third_central: mean_of(&|loss| absolute_cube(&loss.sub(&mean))),
            third_absolute: mean_of(&absolute_cube),
            mean,
            second,
        }
    };
    Ok(StepMoments {
        null: side(&numbers.without),
        alternative: side(&numbers.with),
        is_normal: false,
    })
}

/// |x|³.
pub(super) fn absolute_cube(x: &Interval) -> Interval {
    let magnitude = x.max(&x.neg()).at_least_zero();
    x.square().mul(&magnitude)
}

/// E_P L ≤ 0 ≤ E_Q L, and (Var)^{3/2} ≤ E|L − E L|³ (Jensen, Lyapunov).
fn check(moments: &StepMoments) -> Result<(), InvariantViolation> {
    let holds = |side: &LossMoments| {
        let cube = side.variance.mul(&side.variance.sqrt());
        cube.lo() <= side.third_central.hi()
    };
    let ordered = *moments.null.mean.lo() <= 0 && *moments.alternative.mean.hi() >= 0;
    if ordered && holds(&moments.null) && holds(&moments.alternative) {
        Ok(())
    } else {
        Err(InvariantViolation(
            "moments of a privacy loss contradict each other".to_owned(),
        ))
    }
}

#[cfg(test)]
#[path = "moments_tests.rs"]
mod tests;
