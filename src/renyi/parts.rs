//! A mechanism as independent parts, whose Rényi divergences add up.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::at_most::AtMost;
use super::fixed_batch::FixedBatch;
use super::gaussian_sum::GaussianSum;
use super::growth::Growth;
use super::labelled::LabelledParts;
use super::mixed::MixedShifts;
use super::rho_ends::RhoEnds;
use super::sampled_moment::SampledGaussian;
use super::sampled_noise::SampledLaplace;
use super::shifted::ShiftedGaussian;
use super::skellam::Skellam;
use super::stated::Stated;
use super::{finite, laplace, lattice, sampled};
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::finite::FiniteLaw;
use crate::mechanism::shifted::{Noise, ShiftedNoise, Shifts};
use crate::mechanism::{Direction, SampledStep, Step, Steps};

/// The parts of a composition, each with its multiplicity.
///
/// D_t of a product of pairs is the sum of the D_t, for every t > 0 (van Erven and Harremoës 2014, Theorem 28).
#[derive(Debug)]
pub struct Parts {
    parts: Vec<Power>,
}

#[derive(Debug)]
struct Power {
    base: Base,
    times: Integer,
}

/// A pair of which D_t can be enclosed.
#[derive(Debug)]
pub(super) enum Base {
    /// N(0, 1) against N(μ, 1), by μ² ≥ 0.
    Gaussian(Rational),
    /// Laplace noise with the largest loss ε0.
    Laplace(Rational),
    /// Discrete Gaussian noise, by σ² and d.
    DiscreteGaussian(Rational, u64),
    /// Finitely many losses.
    Finite(Arc<FiniteLaw>),
    /// Poisson-subsampled Gaussian or discrete Gaussian noise.
    Sampled(SampledGaussian),
    /// Poisson-subsampled Laplace noise.
    SampledLaplace(SampledLaplace),
    /// Mixtures of shifted Gaussian noise.
    Shifted(ShiftedGaussian),
    /// Mixtures of other shifted noise.
    Mixed(MixedShifts),
    /// Skellam noise.
    Skellam(Skellam),
    /// The sum of the discrete Gaussians of several parties.
    GaussianSum(GaussianSum),
    /// Another pair whose D_t is known.
    Closed(ClosedPair),
    /// A class of Rényi guarantees.
    Stated(Stated),
    /// One of several, and the output says which.
    Labelled(LabelledParts),
    /// What something dominates, or something on a Poisson sample.
    AtMost(AtMost),
    /// A step on a batch of fixed size, or shuffled answers: between two bounds.
    Batch(FixedBatch),
}

impl Parts {
    /// The parts of a mechanism; for a class of mechanisms, of its canonical pair, or, where no single pair represents it, between bounds of all of it. `None` beyond
    /// the size limits of a kind.
    pub fn of(steps: &Steps) -> Option<Self> {
        let mut parts = Self { parts: Vec::new() };
        for (step, times) in steps.list() {
            parts.push(Base::of(step)?, &Integer::from(*times));
        }
        Some(parts)
    }

    /// A finite law alone.
    pub fn of_law(law: Arc<FiniteLaw>) -> Self {
        Self::of_one(Base::Finite(law))
    }

    fn of_one(base: Base) -> Self {
        let times = Integer::from(1);
        let parts = vec![Power { base, times }];
        Self { parts }
    }

    /// Is D_t known to be the same in both directions?
    pub fn is_symmetric(&self) -> bool {
        self.parts.iter().all(|part| part.base.is_symmetric())
    }

    /// Is D_t known to be no smaller when the record is removed than when it is added?
    ///
    /// So it is at every t ≥ 1 of a Poisson sample of a symmetric pair (Mironov, Talwar and Zhang 2019, Theorem 5; proved in
    /// `proofs/README.md`), and of what is made of such parts, as divergences of parts add up. What is sampled is Gaussian, discrete
    /// Gaussian or Laplace noise here: `sampled_base` makes no others.
    pub fn is_largest_on_removal(&self, order: &Rational) -> bool {
        self.is_symmetric()
            || *order >= 1
                && self.parts.iter().all(|part| match &part.base {
                    Base::Sampled(_) | Base::SampledLaplace(_) => true,
                    Base::Labelled(parts) => parts.all(|part| part.is_largest_on_removal(order)),
                    Base::Gaussian(_)
                    | Base::Laplace(_)
                    | Base::DiscreteGaussian(..)
                    | Base::Skellam(_)
                    | Base::GaussianSum(_)
                    | Base::Shifted(_)
                    | Base::Mixed(_)
                    | Base::Finite(_)
                    | Base::Closed(_)
                    | Base::Stated(_)
                    | Base::AtMost(_)
                    | Base::Batch(_) => part.base.is_symmetric(),
                })
    }

    /// Can the divergence be enclosed as narrowly as wanted, at every order t ≥ 1? Otherwise it is only bounded from above at some.
    pub fn is_complete(&self) -> bool {
        let is_bound = |part: &Power| match &part.base {
            Base::AtMost(_) | Base::Batch(_) | Base::Shifted(_) | Base::Mixed(_) => true,
            Base::Closed(pair) => !pair.is_renyi_exact(),
            Base::Stated(stated) => stated.rho().is_none(),
            Base::Labelled(parts) => !parts.all(Self::is_complete),
            Base::Gaussian(_)
            | Base::Laplace(_)
            | Base::DiscreteGaussian(..)
            | Base::Skellam(_)
            | Base::GaussianSum(_)
            | Base::Finite(_)
            | Base::Sampled(_)
            | Base::SampledLaplace(_) => false,
        };
        !self.parts.iter().any(is_bound)
    }

    /// Is a part the largest of what many datasets reveal, or something on a sample, of which only bounds are known?
    pub fn is_of_unknown_dataset(&self) -> bool {
        self.parts.iter().any(|part| match &part.base {
            Base::Closed(pair) => pair.is_of_no_dataset() && !pair.is_renyi_exact(),
            Base::AtMost(_) => true,
            Base::Stated(stated) => stated.rho().is_none(),
            Base::Labelled(parts) => !parts.all(|part| !part.is_of_unknown_dataset()),
            Base::Batch(_) => true,
            Base::Gaussian(_)
            | Base::Laplace(_)
            | Base::DiscreteGaussian(..)
            | Base::Skellam(_)
            | Base::GaussianSum(_)
            | Base::Finite(_)
            | Base::Sampled(_)
            | Base::SampledLaplace(_)
            | Base::Shifted(_)
            | Base::Mixed(_) => false,
        })
    }

    /// D_t in one direction; ∞ where the first law has mass that the second has not, for t ≥ 1.
    ///
    /// Requires: `order > 0`.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let mut sum = Interval::zero(bits);
        for part in &self.parts {
            budget.check()?;
            let one = part.base.divergence(order, direction, bits, budget)?;
            sum = sum.add(&one.mul(&Interval::from_integer(&part.times, bits)));
        }
        Ok(sum)
    }

    /// What is known of D_t without any long computation.
    ///
    /// Requires: `order > 0`.
    ///
    /// # Errors
    /// If bounds cross: an internal error.
    pub fn cheap_bounds(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Result<Interval, Failure> {
        let mut sum = Interval::zero(bits);
        for part in &self.parts {
            let one = part.base.cheap_bounds(order, direction, bits)?;
            sum = sum.add(&one.mul(&Interval::from_integer(&part.times, bits)));
        }
        Ok(sum)
    }

    /// D_t where it is rational and known: the same in both directions.
    pub fn exact_divergence(&self, order: &Rational) -> Option<Rational> {
        let mut sum = Rational::new();
        for part in &self.parts {
            let one = match &part.base {
                Base::Gaussian(square) => Rational::from(square * order) / 2u32,
                Base::DiscreteGaussian(variance, shift)
                    if *Rational::from(order * *shift).denom() == 1 =>
                {
                    lattice::square(variance, *shift) * order / 2u32
                }
                Base::Laplace(epsilon) if *epsilon == 0 => Rational::new(),
                Base::Stated(stated) => stated.exact_divergence(order)?,
                Base::Finite(law) if finite::is_trivial(law) => Rational::new(),
                _ => return None,
            };
            sum += one * &part.times;
        }
        Some(sum)
    }

    /// Is D_t below a line from an order ≥ 1 on?
    pub fn is_below_a_line(&self, direction: Direction, from: &Rational) -> bool {
        self.growth(direction, from, 64).is_some()
    }

    /// How D_t grows from an order ≥ 1 on; `None` if it is infinite or not bounded by a line.
    pub(super) fn growth(
        &self,
        direction: Direction,
        from: &Rational,
        bits: u32,
    ) -> Option<Growth> {
        let start = Growth::zero(bits);
        self.parts.iter().try_fold(start, |sum, part| {
            let one = Growth::of(&part.base, direction, from, bits)?;
            Some(sum.add(&one.times(&part.times)))
        })
    }

    /// Two bounds of ρ*; `None` where no theorem has the upper one.
    pub(super) fn rho_ends(&self) -> Option<RhoEnds> {
        self.parts.iter().try_fold(RhoEnds::default(), |sum, part| {
            Some(sum.add(RhoEnds::of(&part.base)?.times(&part.times)))
        })
    }

    /// Is a part a mixture whose output says which part ran?
    pub fn is_labelled(&self) -> bool {
        let is = |part: &Power| matches!(part.base, Base::Labelled(_));
        self.parts.iter().any(is)
    }

    /// Gaussians merge into one.
    fn push(&mut self, base: Base, times: &Integer) {
        if let Base::Gaussian(square) = &base {
            let total = Rational::from(square * times);
            for part in &mut self.parts {
                if let Base::Gaussian(known) = &mut part.base {
                    *known += total;
                    return;
                }
            }
            self.parts.push(Power {
                base: Base::Gaussian(total),
                times: Integer::from(1),
            });
            return;
        }
        self.parts.push(Power {
            base,
            times: times.clone(),
        });
    }
}

impl Base {
    /// Is D_t known to be the same in both directions?
    fn is_symmetric(&self) -> bool {
        match self {
            Self::Gaussian(_)
            | Self::Laplace(_)
            | Self::DiscreteGaussian(..)
            | Self::Skellam(_)
            | Self::GaussianSum(_) => true,
            Self::Shifted(pair) => pair.is_symmetric(),
            Self::Mixed(pair) => pair.is_symmetric(),
            Self::Labelled(parts) => parts.all(Parts::is_symmetric),
            // What is stated holds in both orders, and Gaussian noise is symmetric.
            Self::Stated(_) => true,
            Self::Finite(_)
            | Self::Sampled(_)
            | Self::SampledLaplace(_)
            | Self::Closed(_)
            | Self::AtMost(_) => false,
            // A dataset and its neighbour may change places.
            Self::Batch(_) => true,
        }
    }

    /// `None` beyond the size limits of a kind.
    pub(super) fn of(step: &Step) -> Option<Self> {
        Some(match step {
            Step::Gaussian { mu_squared } => Self::Gaussian(mu_squared.clone()),
            Step::Laplace { epsilon } => Self::Laplace(epsilon.clone()),
            Step::DiscreteGaussian { sigma, sensitivity } => {
                Self::DiscreteGaussian(sigma.clone().square(), *sensitivity)
            }
            Step::Finite(one) => Self::Finite(Arc::clone(one.law()?)),
            Step::Sampled(sampled) => subsampled(sampled)?,
            Step::Shifted(pair) => match (ShiftedGaussian::of(pair), pair.single()) {
                (Some(gaussian), _) => Self::Shifted(gaussian),
                (None, Some(Noise::GaussianSum { .. })) => {
                    Self::GaussianSum(GaussianSum::of(pair)?)
                }
                (None, Some(_)) => Self::Skellam(Skellam::of(pair)?),
                (None, None) => {
                    let most = Parts::of_one(Self::of(&Step::farthest(pair)?)?);
                    Self::Mixed(MixedShifts::new(pair, most))
                }
            },
            Step::Closed(pair) => closed(pair)?,
            Step::Labelled(parts) => Self::Labelled(LabelledParts::of(parts)?),
            Step::Zcdp { .. } | Step::Rdp { .. } => Self::Stated(Stated::of(step)),
        })
    }

    fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        match self {
            Self::Gaussian(square) => {
                let exact = Rational::from(square * order) / 2u32;
                Ok(Interval::from_rational(&exact, bits))
            }
            Self::Laplace(epsilon) => Ok(laplace::divergence(epsilon, order, bits)),
            Self::DiscreteGaussian(variance, shift) => {
                lattice::divergence(variance, *shift, order, bits, budget)
            }
            Self::Finite(law) => finite::divergence(law, order, direction, bits, budget),
            Self::Sampled(pair) => sampled::divergence(pair, order, direction, bits, budget),
            Self::SampledLaplace(pair) => pair.divergence(order, direction, bits, budget),
            Self::Shifted(pair) => pair.divergence(order, direction, bits, budget),
            Self::Mixed(pair) => pair.divergence(order, direction, bits, budget),
            Self::Skellam(pair) => pair.divergence(order, bits, budget),
            Self::GaussianSum(pair) => pair.divergence(order, bits, budget),
            Self::Closed(pair) => Ok(pair
                .renyi_divergence(order, direction, bits)
                .unwrap_or_else(|| Interval::zero(bits).hull(&Interval::infinity(bits)))),
            Self::Labelled(parts) => parts.divergence(order, direction, bits, budget),
            Self::Stated(stated) => Ok(stated.divergence(order, bits)),
            Self::AtMost(bound) => bound.divergence(order, direction, bits, budget),
            Self::Batch(batch) => batch.divergence(order, bits, budget),
        }
    }
}

impl Base {
    fn cheap_bounds(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Result<Interval, Failure> {
        let zero = Interval::zero(bits);
        Ok(match self {
            Self::Gaussian(_) | Self::Laplace(_) => {
                self.divergence(order, direction, bits, &Budget::unlimited())?
            }
            // D_t ≤ tμ²/2 for t ≥ 1, and D_t grows.
            Self::DiscreteGaussian(variance, shift) => {
                let order = order.clone().max(Rational::from(1));
                let most = lattice::square(variance, *shift) * order / 2u32;
                zero.hull(&Interval::from_rational(&most, bits))
            }
            Self::Sampled(pair) => sampled::coarse(pair, order, direction)?,
            Self::SampledLaplace(pair) => pair.cheap_bounds(order, direction, bits),
            Self::Shifted(pair) => pair.coarse(order, direction, bits),
            Self::Mixed(pair) => pair.cheap_bounds(order, direction, bits)?,
            Self::GaussianSum(pair) => pair.cheap_bounds(order, bits),
            Self::Labelled(parts) => parts.cheap_bounds(order, direction, bits)?,
            Self::Stated(stated) => stated.divergence(order, bits),
            Self::AtMost(bound) => bound.cheap_bounds(order, direction, bits)?,
            Self::Batch(batch) => zero.hull(&batch.most().cheap_bounds(order, direction, bits)?),
            Self::Finite(_) | Self::Skellam(_) | Self::Closed(_) => {
                zero.hull(&Interval::infinity(bits))
            }
        })
    }
}

/// By its own divergence where that is built, or by what dominates it.
fn closed(pair: &ClosedPair) -> Option<Base> {
    let order = Rational::from(2);
    if pair
        .renyi_divergence(&order, Direction::Remove, 64)
        .is_some()
    {
        return Some(Base::Closed(pair.clone()));
    }
    if let ClosedPair::FixedBatches(batch) = pair
        && let Some(batch) = FixedBatch::of(batch)
    {
        return Some(Base::Batch(batch));
    }
    if let ClosedPair::ShuffledAnswers(answers) = pair
        && let Some(answers) = FixedBatch::of_answers(answers)
    {
        return Some(Base::Batch(answers));
    }
    Some(Base::AtMost(AtMost::of(Parts::of(&pair.dominated_by()?)?)))
}

/// Poisson subsampling at a rate below 1 of something that is not itself subsampled.
fn subsampled(sampled: &SampledStep) -> Option<Base> {
    // Where nothing is shifted without the record, the sample only thins the shifts.
    if let Some(Step::Shifted(pair)) = sampled.of().single()
        && *pair.without() == Shifts::none()
    {
        let with = pair.with().thinned(sampled.rate());
        let pair = ShiftedNoise::new(pair.noise().clone(), Shifts::none(), with);
        return Base::of(&Step::Shifted(Arc::new(pair)));
    }
    // Which part runs does not depend on who is in the sample.
    if let Some(Step::Labelled(parts)) = sampled.of().single() {
        let on_sample =
            |(weight, of): &(Rational, Steps)| (weight.clone(), of.sampled(sampled.rate()));
        let parts = parts.iter().map(on_sample).collect();
        return Base::of(&Step::Labelled(Arc::new(parts)));
    }
    let parts = Parts::of(sampled.of())?;
    let base = match parts.parts.as_slice() {
        [only] if only.times == 1 => sampled_base(sampled.rate(), &only.base),
        _ => None,
    };
    let bound = || Base::AtMost(AtMost::sampled(sampled.rate(), sampled.of(), parts));
    Some(base.unwrap_or_else(bound))
}

fn sampled_base(rate: &Rational, inner: &Base) -> Option<Base> {
    let sampled = |square: Rational, spacing: Option<Rational>| {
        Base::Sampled(SampledGaussian {
            rate: rate.clone(),
            square,
            spacing,
        })
    };
    Some(match inner {
        Base::Gaussian(square) if *square == 0 => Base::Gaussian(Rational::new()),
        Base::Gaussian(square) => sampled(square.clone(), None),
        Base::DiscreteGaussian(variance, shift) => {
            let square = lattice::square(variance, *shift);
            sampled(square, Some(variance.clone().recip()))
        }
        Base::Laplace(epsilon) if *epsilon == 0 => Base::Gaussian(Rational::new()),
        Base::Laplace(epsilon) => Base::SampledLaplace(SampledLaplace {
            rate: rate.clone(),
            epsilon: epsilon.clone(),
        }),
        Base::Finite(law) => Base::Finite(Arc::new(law.subsampled(rate)?)),
        Base::Sampled(_)
        | Base::SampledLaplace(_)
        | Base::Shifted(_)
        | Base::Mixed(_)
        | Base::Skellam(_)
        | Base::GaussianSum(_)
        | Base::Closed(_)
        | Base::Labelled(_)
        | Base::Stated(_)
        | Base::AtMost(_)
        | Base::Batch(_) => return None,
    })
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
