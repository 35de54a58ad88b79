//! A random number of runs, of which the best outcome is released (M14 of `proofs/FORMAT.md`).

use std::cmp::Ordering;

use crate::numbers::{in_range, of_kind};
use crate::*;

/// How many runs there are: K, by Ψ(x) = E[x^K].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// E[K].
    pub(crate) mean: BigRational,
    /// η of a negative binomial number, 1 of a geometric one, 0 of a logarithmic one; none of a Poisson one.
    shape: Option<BigRational>,
    /// Around γ.
    gamma: Real,
}

impl Runs {
    pub(crate) fn read(value: &Value) -> Result<Self> {
        let (kind, one) = (of_kind(value)?, BigRational::one());
        let shape = match kind {
            "geometric" => Some(one.clone()),
            "logarithmic" => Some(BigRational::zero()),
            "negative-binomial" => {
                let is_shape = |x: &BigRational| *x > -BigRational::one() && !x.is_zero() && *x <= int(1_000_000);
                Some(in_range(value.need("shape")?, "`shape`", is_shape)?)
            }
            "poisson" => None,
            _ => return Err(Rejected::malformed("an unknown kind of `runs`")),
        };
        let keys: &[&str] = if kind == "negative-binomial" { &["kind", "mean", "shape"] } else { &["kind", "mean"] };
        value.only("`runs`", keys)?;
        let mean = in_range(value.need("mean")?, "`mean`", |x| x.is_positive() && *x <= int(MOST_TIMES))?;
        let is_geometric = shape.as_ref().is_some_and(One::is_one);
        let is_less = shape.is_some() && (mean < one || mean.is_one() && !is_geometric);
        Reason::Malformed.when(is_less, "a `mean` of too few runs")?;
        let gamma = match &shape {
            Some(shape) if !is_geometric => gamma(shape, &Real::of(&mean))?,
            _ => Real::of(&mean.recip()),
        };
        Ok(Self { mean, shape, gamma })
    }

    /// Which number it is.
    pub(crate) fn law(&self) -> String {
        match &self.shape {
            None => "a Poisson".to_owned(),
            Some(shape) if shape.is_zero() => "a logarithmic".to_owned(),
            Some(shape) if shape.is_one() => "a geometric".to_owned(),
            Some(shape) => format!("a negative binomial (of shape {shape})"),
        }
    }

    pub(crate) fn is_geometric(&self) -> bool {
        self.shape.as_ref().is_some_and(One::is_one)
    }

    /// D(x) = 1 − (1 − γ)x.
    fn rest(&self, x: &BigRational) -> Real {
        Real::of(&(BigRational::one() - x)).plus(&self.gamma.times(&Real::of(x)))
    }

    pub(crate) fn psi(&self, x: &BigRational) -> Result<Real> {
        match &self.shape {
            None => Real::of(&((x - BigRational::one()) * &self.mean)).exp(),
            Some(shape) if shape.is_one() => Ok(Real::of(&(x / (&self.mean - (&self.mean - BigRational::one()) * x)))),
            Some(shape) => rise(shape, &self.rest(x))?.over(&rise(shape, &self.gamma)?),
        }
    }

    /// Ψ'(x)/Ψ'(y).
    pub(crate) fn slopes(&self, x: &BigRational, y: &BigRational) -> Result<Real> {
        spend_on(&[x, y, &self.mean])?;
        match &self.shape {
            None => Real::of(&((x - y) * &self.mean)).exp(),
            Some(shape) => {
                let power = Real::of(&(shape + BigRational::one()));
                self.rest(y).over(&self.rest(x))?.ln()?.times(&power).exp()
            }
        }
    }

    /// The masses of the best outcome, from those of one run, the worst first. That there is no run is one more.
    pub(crate) fn best(&self, law: &[BigRational]) -> Result<Vec<Real>> {
        let (mut worse, mut before) = (BigRational::zero(), self.psi(&BigRational::zero())?);
        let mut all: Vec<Real> = self.shape.is_none().then(|| before.clone()).into_iter().collect();
        for mass in law {
            spend_on(&[&worse, mass, &self.mean])?;
            worse += mass;
            let next = if mass.is_zero() { before.clone() } else { self.psi(&worse)? };
            all.push(if mass.is_zero() { Real::int(0) } else { next.minus(&before).at_least_zero() });
            before = next;
        }
        Ok(all)
    }
}

/// (x^−η − 1)/η, and −log x for η = 0.
fn rise(shape: &BigRational, x: &Real) -> Result<Real> {
    let log = x.ln()?.neg();
    if shape.is_zero() {
        return Ok(log);
    }
    Ok(log.times(&Real::of(shape)).exp()?.minus(&Real::int(1)).times(&Real::of(&shape.recip())))
}

/// The γ of this mean, which falls with it: (1 − γ)/γ over (1 − γ^η)/η, or over −log γ.
fn gamma(shape: &BigRational, mean: &Real) -> Result<Real> {
    let one = Real::int(1);
    let (mut low, mut high) = (BigInt::zero(), one.lo.clone());
    for _ in 0..w() {
        // Not in the middle, which may be γ.
        let part: BigInt = &low + (&high - &low) * 5003 / 10_007;
        let at = Real::units(part.clone());
        match one.minus(&at).over(&at.times(&rise(&-shape, &at)?))?.order(mean) {
            Some(Ordering::Greater) => low = part,
            Some(Ordering::Less) => high = part,
            Some(Ordering::Equal) | None => break,
        }
    }
    Ok(Real::new(low, high))
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
